r"""BKB, budgeted kernelised bandits (Calandriello, Carratino, Lazaric, Valko, Rosasco, COLT 2019): the sketching baseline.

All observations stay in the posterior; what is subsampled is the basis in which it is expressed. Written from a
description of the rules of the authors' public code for its batched successor (github.com/luigicarratino/batch-bkb, commit
3c23928); the constants of the COLT paper's theory are not claimed here.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.linalg import cho_factor, cho_solve, eigh

from companion.core.arrays import Floats
from companion.core.errors import ParameterError, positive_number
from companion.gp import KernelMatrix
from companion.papers.compressed.method.policy import checked_acquisition, choose
from companion.policies import Batch
from companion.policies.base import answered
from companion.policies.widths import Width, scheduled

WIDTHS = ("shared", "own")
#: Draws of an empty dictionary before it is called impossible.
MOST_DRAWS = 10_000


def sketched_posterior(
    covariance: Floats | KernelMatrix,
    counts: NDArray[np.integer[Any]],
    sums: Floats,
    dictionary: NDArray[np.intp],
    regulariser: float,
) -> tuple[Floats, Floats]:
    r"""Mean and variance (N,), both, of the posterior expressed in the basis of a dictionary S.

    With :math:`K_{SS}=U\operatorname{diag}(w)U^\top` and the embedding :math:`z_i=w^{-1/2}U^\top k_S(x_i)`,

    .. math:: A=\sum_in_iz_iz_i^\top+\lambda I,\qquad \mu_i=z_i^\top A^{-1}\sum_js_jz_j,\qquad
              \sigma_i^2=k(x_i,x_i)-|z_i|^2+\lambda\,z_i^\top A^{-1}z_i.

    Eigenvalues at most max(w) |S| times the machine's epsilon are left out. With every pulled arm in S this is the exact
    posterior with noise variance lambda. O(N|S|^2 + |S|^3).

    Parameters
    ----------
    covariance : (N, N)
    counts, sums : (N,) pulls n_i of every arm, and sums s_i of its observations
    dictionary : indices of S, distinct, at least one
    regulariser : lambda, positive
    """
    rows: Any = covariance[dictionary, :]
    eigenvalues, vectors = eigh(rows[:, dictionary])
    used = eigenvalues > eigenvalues[-1] * len(dictionary) * np.finfo(np.float64).eps
    embedding = (vectors[:, used] / np.sqrt(eigenvalues[used])).T @ rows
    pulled = np.flatnonzero(counts)
    seen = embedding[:, pulled]
    gram = (seen * counts[pulled]) @ seen.T + regulariser * np.eye(len(embedding))
    factor = cho_factor(gram, lower=True)
    mean = cho_solve(factor, seen @ sums[pulled]) @ embedding
    diagonal = np.diagonal(covariance) if isinstance(covariance, np.ndarray) else covariance.diagonal()
    outside = diagonal - np.einsum("ij,ij->j", embedding, embedding)
    inside = np.einsum("ij,ij->j", embedding, cho_solve(factor, embedding))
    return mean, outside + regulariser * inside


class BKBandit:
    r"""UCB, EI or MPI on the sketched posterior, with a dictionary drawn afresh every round.

    After every pull, arm j enters the new dictionary independently with probability
    :math:`\min(1,\bar q\,n_j\,\sigma_j^2/\lambda)`, its pulls counted with the new one and its variance taken from before.
    One uniform number for each arm and round is drawn from the generator, whatever the state. An empty dictionary, on
    which the authors' code stops, is drawn again.

    Parameters
    ----------
    covariance : (N, N) prior covariance of the arms, or a :class:`~companion.gp.KernelMatrix`
    noise_variance : lambda, and the bound xi^2 on the noise in the method's own width
    acquisition : ``ucb``, ``ei`` or ``mpi``, as in :class:`~companion.papers.compressed.method.policy.CompressedBandit`
    width : sqrt(beta_t) of ``ucb`` with ``form="shared"``, as of
        :class:`~companion.papers.compressed.method.policy.CompressedBandit`, at a gain of 0: this method counts none
    generator : draws the dictionaries
    initial : indices of the first arms, pulled together; at least one, as the dictionary must not be empty
    oversampling : q-bar, positive; the authors' code has 1 and recommends 2 to 10
    form : ``"shared"`` for that width, ``"own"`` for :math:`\lambda^{-1/2}\bigl(\sqrt\lambda F+\sqrt{\xi^2
        (\sum_in_is_i\log\sum_in_i+\log(1/\delta))}\bigr)` with :math:`s_i=\sigma_i^2/\lambda`
    norm_bound, level : F and delta of the own width; 1 and 0.5 in the authors' code
    """

    def __init__(
        self,
        covariance: Floats | KernelMatrix,
        noise_variance: float,
        acquisition: str,
        width: Width,
        generator: np.random.Generator,
        initial: ArrayLike,
        *,
        oversampling: float = 5.0,
        form: str = "shared",
        norm_bound: float = 1.0,
        level: float = 0.5,
    ) -> None:
        self._initial = np.asarray(initial, dtype=np.intp)
        if not self._initial.size:
            raise ParameterError("initial", "is empty", "at least one arm")
        if form not in WIDTHS:
            raise ParameterError("form", f"got {form!r}", f"one of {', '.join(WIDTHS)}")
        if not 0 < level < 1:
            raise ParameterError("level", f"got {level!r}", "a number in (0, 1)")
        self._acquisition = checked_acquisition(acquisition, self._initial)
        self._regulariser = positive_number("noise_variance", noise_variance)
        self._oversampling = positive_number("oversampling", oversampling)
        self._norm_bound = positive_number("norm_bound", norm_bound)
        self._prior, self._shared, self._generator = covariance, scheduled(width), generator
        self._form, self._level = form, level
        size = covariance.shape[0]
        self.counts, self.sums = np.zeros(size, dtype=np.intp), np.zeros(size)
        self.dictionary: NDArray[np.intp] = np.empty(0, dtype=np.intp)
        self.mean, self.variance = np.zeros(size), np.zeros(size)
        self._asked: NDArray[np.intp] | None = None
        self._round, self._redrawn = 0, 0
        self._best, self._best_arm = -math.inf, 0

    @property
    def model_order(self) -> int:
        """|S|, the size of the dictionary."""
        return len(self.dictionary)

    def ask(self, remaining: int) -> Batch:
        """The initial arms together, then one a round."""
        if self._asked is not None:
            raise ParameterError("ask", "the arm asked last has not been told", "a call of tell() first")
        if self._initial.size:
            self._asked, self._initial = self._initial[:remaining], self._initial[:0]
        else:
            self._round += 1
            width = self.width() if self._acquisition == "ucb" else 0.0
            arm = choose(self._acquisition, self.mean, self.variance, width, self._best)
            self._asked = np.array([arm], dtype=np.intp)
        return Batch.plain(self._asked)

    def tell(self, observations: NDArray[np.float64]) -> None:
        """Count the pulls, draw a dictionary, and refit."""
        asked = answered(self._asked, observations)
        self._asked = None
        for arm, value in zip(asked, observations, strict=True):
            self.counts[arm] += 1
            self.sums[arm] += value
            if value > self._best:
                self._best, self._best_arm = float(value), int(arm)
        self.dictionary = self._drawn() if self._round else np.unique(asked)
        self.mean, self.variance = sketched_posterior(
            self._prior, self.counts, self.sums, self.dictionary, self._regulariser
        )

    def width(self) -> float:
        """Factor of the posterior standard deviation in this round."""
        if self._form == "shared":
            return float(self._shared(self._round, 0.0))
        effective = float(self.counts @ self.variance) / self._regulariser
        confidence = effective * math.log(int(self.counts.sum())) - math.log(self._level)
        return self._norm_bound + math.sqrt(max(confidence, 0.0))

    def _drawn(self) -> NDArray[np.intp]:
        chance = self._oversampling * self.counts * self.variance / self._regulariser
        for _ in range(MOST_DRAWS):
            found = np.flatnonzero(self._generator.random(len(chance)) < chance)
            if found.size:
                return found
            self._redrawn += 1
        raise ParameterError(
            "oversampling", f"is {self._oversampling}, which leaves the dictionary empty", "a larger one"
        )

    def recommend(self) -> int:
        """The arm of the largest observation, the earliest on ties."""
        return self._best_arm

    def diagnostics(self) -> dict[str, Any]:
        """Evaluations, number of redraws of an empty dictionary, oversampling, width."""
        return {
            "evaluations": int(self.counts.sum()),
            "redrawn": self._redrawn,
            "oversampling": self._oversampling,
            "width": self._form,
        }
