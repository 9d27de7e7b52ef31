r"""Algorithm 1: a bandit whose model keeps an observation only if it is informative enough.

Each round the acquisition function picks a candidate. If the posterior variance there passes the admission rule, it is
evaluated and kept; otherwise the round counts, its regret is charged, and nothing is learned. The decision needs no
observation.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from companion.core.arrays import Floats
from companion.core.errors import ParameterError
from companion.gp import FinitePosterior, KernelMatrix
from companion.gp.ties import lowest_argmax
from companion.papers.compressed.method.admission import Admission
from companion.papers.compressed.method.posteriors import RefitPosterior, UpdatedPosterior
from companion.policies import Batch
from companion.policies.acquisition import log_expected_improvement
from companion.policies.base import answered
from companion.policies.widths import Width, scheduled

ACQUISITIONS = ("ucb", "ei", "mpi")
POSTERIORS = ("engine", "update", "refit")
Posterior = FinitePosterior | UpdatedPosterior | RefitPosterior
#: Variances are raised to this before a square root.
VARIANCE_FLOOR = 1e-18


def make_posterior(kind: str, covariance: Floats | KernelMatrix, noise_variance: float, capacity: int) -> Posterior:
    """One of :data:`POSTERIORS` before any observation; see :class:`CompressedBandit`."""
    if kind not in POSTERIORS:
        raise ParameterError("posterior", f"got {kind!r}", f"one of {', '.join(POSTERIORS)}")
    if kind == "refit":
        return RefitPosterior(covariance, noise_variance)
    if kind == "update":
        return UpdatedPosterior(covariance, noise_variance, capacity)
    return FinitePosterior(covariance, noise_variance, capacity=capacity)


def choose(acquisition: str, mean: Floats, variance: Floats, width: float, incumbent: float) -> int:
    """The candidate with the largest acquisition value, the lowest index on ties.

    Parameters
    ----------
    acquisition : one of :data:`ACQUISITIONS`
    mean, variance : (N,) posterior
    width : multiplies the standard deviation under ``ucb``
    incumbent : largest observation, used by ``ei``; ``mpi`` takes the largest mean
    """
    sd = np.sqrt(np.maximum(variance, VARIANCE_FLOOR))
    values = scores(acquisition, mean, sd, width, float(mean.max()) if acquisition == "mpi" else incumbent)
    # Under ei and mpi exactly the largest: far from the data the improvement is flat to nine digits, so that the tolerance of
    # ties would tie points far apart, and another one of them would be chosen than in the stored runs.
    return lowest_argmax(values) if acquisition == "ucb" else int(np.argmax(values))


def scores(acquisition: str, mean: Floats, sd: Floats, width: float, incumbent: float | Floats) -> Floats:
    """(..., N) objective of the rule: the upper bound (2.5) under ``ucb``, else the logarithm of the improvement (2.6)."""
    return mean + width * sd if acquisition == "ucb" else log_expected_improvement(mean, sd, incumbent)


def checked_acquisition(acquisition: str, initial: NDArray[np.intp]) -> str:
    """``acquisition``, refused unless it is known and, for ``ei``, there is a point to give the incumbent."""
    if acquisition not in ACQUISITIONS:
        raise ParameterError("acquisition", f"got {acquisition!r}", f"one of {', '.join(ACQUISITIONS)}")
    if acquisition == "ei" and not initial.size:
        expected = "at least one point for acquisition='ei', which needs an incumbent"
        raise ParameterError("initial", "is empty", expected)
    return acquisition


class CompressedBandit:
    r"""UCB, EI or MPI on the compressed posterior.

    * ``ucb``: :math:`\mu+\sqrt{\beta_t}\,\sigma` (2.5);
    * ``ei``: expected improvement over the largest kept observation (2.6);
    * ``mpi``: the same over the largest posterior mean. Section 4 prints an arg max as the incumbent and calls it most
      probable improvement.

    A round costs O(N), and O(MN) where a point is kept, M the dictionary's size. Under EI and MPI a rejection changes
    nothing, so the same candidate is chosen and rejected for ever; the choice is then not computed again.

    Parameters
    ----------
    covariance : (N, N) prior covariance of the candidates, or a :class:`~companion.gp.KernelMatrix`
    noise_variance : sigma^2, positive
    acquisition : one of :data:`ACQUISITIONS`
    admission : which points are kept
    width : sqrt(beta_t) of ``ucb``: a number, a schedule of :mod:`companion.bounds.confidence`, or a function ``width(t, gain)``
        of the rounds after the initial points, from 1, and of the gain of the points kept. Lemma 8.1 has
        :class:`~companion.bounds.confidence.SrinivasDrawsWidth`
    initial : indices of the initial points, evaluated first and together, and kept untested
    capacity : number of kept points to reserve memory for
    posterior : one of :data:`POSTERIORS`. ``engine`` makes updates with the engine's short cuts, ``update`` makes them
        over all points, and ``refit`` computes posterior and choice anew every round, O(M^3 + M^2 N). For measurements of
        time: the choices are the same
    """

    def __init__(
        self,
        covariance: Floats | KernelMatrix,
        noise_variance: float,
        acquisition: str,
        admission: Admission,
        width: Width,
        initial: ArrayLike = (),
        capacity: int = 64,
        posterior: str = "engine",
    ) -> None:
        self._initial = np.asarray(initial, dtype=np.intp)
        self._acquisition = checked_acquisition(acquisition, self._initial)
        self._admission, self._width = admission, scheduled(width)
        self._posterior = make_posterior(posterior, covariance, noise_variance, capacity)
        self._asked: NDArray[np.intp] | None = None
        self._keep = False
        self._round = 0
        self._settled: int | None = None
        self._best = -math.inf
        self._queries: list[int] = []
        self._values: list[float] = []
        self._kept: list[bool] = []
        self._variances: list[float] = []

    @property
    def model_order(self) -> int:
        """M_t, the number of points in the dictionary, initial ones included."""
        return self._posterior.count

    @property
    def posterior(self) -> Posterior:
        """The compressed posterior; to be read, not changed."""
        return self._posterior

    def ask(self, remaining: int) -> Batch:
        """The initial points together, then one candidate a round."""
        if self._asked is not None:
            raise ParameterError("ask", "the point asked last has not been told", "a call of tell() first")
        if self._initial.size:
            self._asked, self._initial = self._initial[:remaining], self._initial[:0]
            return Batch.plain(self._asked)
        self._round += 1
        if isinstance(self._posterior, RefitPosterior):
            self._posterior.refit()
            self._settled = None
        chosen = self._choose() if self._settled is None else self._settled
        variance = float(self._posterior.variance[0, chosen])
        self._keep = self._admission.admits(variance)
        self._settled = chosen if not self._keep and self._acquisition != "ucb" else None
        self._variances.append(variance)
        self._asked = np.array([chosen], dtype=np.intp)
        return Batch.plain(self._asked)

    def tell(self, observations: NDArray[np.float64]) -> None:
        """Keep the observation if the point was admitted; a rejected one is never evaluated, and its value is ignored."""
        asked = answered(self._asked, observations)
        self._asked = None
        if self._round == 0 or self._keep:
            for index, value in zip(asked, observations, strict=True):
                self._posterior.observe(int(index), float(value))
                self._queries.append(int(index))
                self._values.append(float(value))
                self._best = max(self._best, float(value))
        if self._round:
            self._kept.append(self._keep)

    def add(self, points: NDArray[np.intp], values: Floats) -> int:
        """Keep values that this policy did not ask for, untested; so many initial points are left out. Those that are left."""
        more, before = max(len(points) - len(self._initial), 0), self._round
        self._initial, self._asked, self._round = self._initial[len(points) :], points, 0
        self.tell(values)
        self._round = before + more
        return len(self._initial)

    def _choose(self) -> int:
        posterior = self._posterior
        width = self._width(self._round, float(posterior.gain[0])) if self._acquisition == "ucb" else 0.0
        return choose(self._acquisition, posterior.mean[0], posterior.variance[0], width, self._best)

    def recommend(self) -> int:
        """The kept candidate with the largest observation; the earliest on ties."""
        return self._queries[int(np.argmax(self._values))] if self._values else 0

    def diagnostics(self) -> dict[str, Any]:
        """Rounds at which a point was kept (from 1), the first rejection, evaluations, variance at every chosen point, gain."""
        if isinstance(self._posterior, RefitPosterior):
            self._posterior.refit()
        kept = np.flatnonzero(self._kept) + 1
        rejected = np.flatnonzero(~np.asarray(self._kept, dtype=bool)) + 1
        return {
            "kept_rounds": kept.tolist(),
            "first_rejection": int(rejected[0]) if rejected.size else None,
            "evaluations": len(self._values),
            "variance": self._variances,
            "gain": float(self._posterior.gain[0]),
            "reading": self._admission.reading,
            "threshold": self._admission.threshold,
        }
