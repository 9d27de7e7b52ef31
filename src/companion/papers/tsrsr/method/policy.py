"""Ask/tell policies that choose batches by a rule: on a finite set (the theory's setting) and on a box."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import ArrayLike, NDArray

from companion.core.arrays import Floats
from companion.core.errors import ConditioningError, ParameterError, positive_number, whole_number
from companion.gp import DataPosterior, FinitePosterior, KernelMatrix, PriorDraws
from companion.gp.kernels import Kernel
from companion.papers.tsrsr.method.candidates import CandidateSearch
from companion.papers.tsrsr.method.published import BoxView, SingleRound
from companion.papers.tsrsr.method.round import DenseRound, FiniteRound
from companion.papers.tsrsr.method.rules import MaximumVariance, Rule
from companion.papers.tsrsr.method.single import SinglePosterior
from companion.policies import Batch
from companion.policies.base import answered


@runtime_checkable
class FreeRule(Protocol):
    """Chooses a batch that may leave the candidates."""

    def choose_points(self, view: BoxView, size: int, generator: np.random.Generator) -> Floats:
        """A batch (size, d)."""
        ...


GAP_FREE = "the batch asked last has not been told"


class FinitePolicy:
    """Batches on N candidates with a known prior: exact posterior, exact joint draws, exact minimisation.

    Parameters
    ----------
    rule : chooses every batch after the design
    covariance : (N, N) prior covariance of the candidates, or a :class:`~companion.gp.KernelMatrix`
    prior : draws of that prior
    noise_variance : sigma_n^2, positive, in squared units of the observations
    batch_size : m
    generator : of the rule's own draws
    design : indices of the initial points, evaluated first and together; none by default
    warm_up : number of maximum-variance points (App. B.1), evaluated after the design and together
    capacity : number of observations to reserve memory for
    """

    def __init__(
        self,
        rule: Rule,
        covariance: Floats | KernelMatrix,
        prior: PriorDraws,
        noise_variance: float,
        batch_size: int,
        generator: np.random.Generator,
        design: ArrayLike = (),
        warm_up: int = 0,
        capacity: int = 64,
    ) -> None:
        self._posterior = FinitePosterior(covariance, noise_variance, capacity=capacity)
        self._rule, self._prior, self._generator = rule, prior, generator
        if prior.size != self._posterior.size:
            raise ParameterError("prior", f"draws on {prior.size} points", f"the {self._posterior.size} candidates")
        self._batch_size = whole_number("batch_size", batch_size)
        self._warm_up = whole_number("warm_up", warm_up, 0)
        self._design = np.asarray(design, dtype=np.intp)
        self._asked: NDArray[np.intp] | None = None
        self._queries: list[int] = []
        self._values: list[float] = []
        self._number = 0
        self._sizes: list[int] = []

    @property
    def posterior(self) -> FinitePosterior:
        """The engine; to be read, not changed."""
        return self._posterior

    @property
    def model_order(self) -> int:
        """Observations in the model: all of them."""
        return self._posterior.count

    def current(self) -> FiniteRound:
        """Posterior and data seen by the rule in this round."""
        best = max(self._values, default=-math.inf)
        return FiniteRound(self._number, self._posterior, self._prior, best)

    def ask(self, remaining: int) -> Batch:
        """The design, the maximum-variance points, then batches of the rule."""
        if self._asked is not None:
            raise ParameterError("ask", GAP_FREE, "a call of tell() first")
        if self._design.size:
            chosen, self._design = self._design, self._design[:0]
        elif self._warm_up:
            chosen = MaximumVariance().choose(self.current(), self._warm_up, self._generator)
            self._warm_up = 0
        else:
            chosen = self._rule.choose(self.current(), self._batch_size, self._generator)
            self._number += 1
        self._asked = chosen[:remaining]
        return Batch.plain(self._asked)

    def tell(self, observations: NDArray[np.float64]) -> None:
        """Condition the model on the whole batch."""
        asked = answered(self._asked, observations)
        for index in asked:
            self._posterior.condition(int(index))
        self._posterior.tell(np.asarray(observations, dtype=np.float64)[None, :])
        self._queries += asked.tolist()
        self._values += np.asarray(observations, dtype=np.float64).tolist()
        self._sizes.append(len(asked))
        self._asked = None

    def add(self, points: NDArray[np.intp], values: Floats) -> None:
        """Condition on values that this policy did not ask for; so many points of the design are left out."""
        self._number += max(len(points) - len(self._design), 0) // self._batch_size
        self._design, self._asked = self._design[len(points) :], points
        self.tell(values)

    def recommend(self) -> int:
        """The evaluated candidate with the largest observation; the earliest on ties."""
        return self._queries[int(np.argmax(self._values))] if self._values else 0

    def diagnostics(self) -> dict[str, Any]:
        """Realised information gain, share of distinct points in each batch of the rule, notes of the posterior."""
        return {
            "gain": float(self._posterior.gain[0]),
            "distinct": _distinct(self._queries, self._sizes),
            "notes": list(self._posterior.notes),
        }


def _distinct(queries: list[int], sizes: list[int]) -> list[float]:
    ends = np.cumsum(sizes)
    return [len(set(queries[end - size : end])) / size for end, size in zip(ends, sizes, strict=True)]


@dataclass(frozen=True)
class SurrogateModel:
    """Settings of the model on a box.

    Parameters
    ----------
    kernel : in units of the coordinates, with the prior variance
    noise_sd : of the model, in units of the (standardised) targets
    standardise : targets are shifted and scaled to mean 0 and standard deviation 1 (of the population) in every round
    redraw_noise : fresh Gaussian noise of ``noise_sd`` is added to all standardised targets in every round, as the
        published code does with noise-free values
    single : whether all is computed in single precision, as in the published code
    """

    kernel: Kernel
    noise_sd: float = 1e-3
    standardise: bool = True
    redraw_noise: bool = False
    single: bool = False

    def __post_init__(self) -> None:
        positive_number("noise_sd", self.noise_sd)

    def fit(
        self, points: Floats, values: Floats, generator: np.random.Generator
    ) -> tuple[DataPosterior | SinglePosterior, float]:
        """Posterior given the data, and the largest target; ``generator`` serves ``redraw_noise`` only.

        Raises
        ------
        ConditioningError
            where the covariance cannot be factorised in single precision
        """
        targets = values
        if self.standardise and len(values):
            spread = float(values.std())
            targets = (values - values.mean()) / (spread if spread > 0 else 1.0)
        if self.redraw_noise:
            targets = targets + self.noise_sd * generator.standard_normal(len(targets))
        kind = SinglePosterior if self.single else DataPosterior
        posterior = kind(self.kernel, points, targets, self.noise_sd**2)
        return posterior, float(targets.max()) if len(targets) else -math.inf


class BoxPolicy:
    """Batches on a box: the design first, then the choices of a subclass.

    Parameters
    ----------
    low, high : (d,) corners
    batch_size : m
    design : (n_0, d) initial points, evaluated first and together
    streams : ``streams(name, t)`` gives the generator for ``"candidates"``, ``"rule"`` or ``"targets"`` in round t;
        methods that are compared share the one for candidates
    """

    def __init__(
        self,
        low: Floats,
        high: Floats,
        batch_size: int,
        design: Floats,
        streams: Callable[[str, int], np.random.Generator],
    ) -> None:
        self._low, self._high, self._streams = low, high, streams
        self._batch_size = whole_number("batch_size", batch_size)
        self._design = np.asarray(design, dtype=np.float64)
        if self._design.ndim != 2 or self._design.shape[1] != len(low):
            raise ParameterError("design", f"has shape {self._design.shape}", f"(n, {len(low)})")
        self._points = np.zeros((0, len(low)))
        self._values = np.zeros(0)
        self._asked: Floats | None = None
        self._number = 0

    @property
    def model_order(self) -> int:
        """Observations in the model: all of them."""
        return len(self._values)

    def ask(self, remaining: int) -> Floats:
        """The design, then batches of the rule."""
        if self._asked is not None:
            raise ParameterError("ask", GAP_FREE, "a call of tell() first")
        if len(self._design):
            self._asked, self._design = self._design[:remaining], self._design[:0]
        else:
            self._asked = self._batch(min(self._batch_size, remaining))
            self._number += 1
        return self._asked

    def _batch(self, size: int) -> Floats:
        """Points (size, d) of a round."""
        raise NotImplementedError

    def tell(self, observations: NDArray[np.float64]) -> None:
        """Add the batch to the data."""
        asked = answered(self._asked, observations)
        self._points = np.vstack([self._points, asked])
        self._values = np.concatenate([self._values, np.asarray(observations, dtype=np.float64)])
        self._asked = None

    def add(self, points: Floats, values: Floats) -> None:
        """Add values that this policy did not ask for; so many points of the design are left out."""
        self._number += max(len(points) - len(self._design), 0) // self._batch_size
        self._design, self._asked = self._design[len(points) :], points
        self.tell(values)

    def recommend(self) -> Floats:
        """The evaluated point with the largest observation; the earliest on ties."""
        return self._points[int(np.argmax(self._values))]

    def diagnostics(self) -> dict[str, Any]:
        """Share of distinct points in each batch, the candidates of each round, and the rounds left to chance.

        Only in single precision is a round left to chance: where the covariance could not be factorised.
        """
        return {"distinct": [], "candidates": [], "failed": []}


class UniformOnBox(BoxPolicy):
    """Random search: no model; the first of the uniform candidates that the other methods see in a round."""

    def _batch(self, size: int) -> Floats:
        return self._streams("candidates", self._number).uniform(self._low, self._high, (size, len(self._low)))


class BoxPolicyByRule(BoxPolicy):
    """Batches by a rule: every round has its candidates, on which the rule works as on a finite set.

    Parameters
    ----------
    rule : chooses every batch after the design, from the candidates or (``choose_points``) starting from them
    model : see :class:`SurrogateModel`
    low, high, batch_size, design, streams : see :class:`BoxPolicy`
    search : makes the candidates
    """

    def __init__(
        self,
        rule: Rule | FreeRule,
        model: SurrogateModel,
        low: Floats,
        high: Floats,
        batch_size: int,
        design: Floats,
        streams: Callable[[str, int], np.random.Generator],
        search: CandidateSearch | None = None,
    ) -> None:
        super().__init__(low, high, batch_size, design, streams)
        self._rule, self._model, self._search = rule, model, search or CandidateSearch()
        self._distinct: list[float] = []
        self._sizes: list[int] = []
        self._failed: list[int] = []

    def _batch(self, size: int) -> Floats:
        generator = self._streams("rule", self._number)
        try:
            chosen = self._chosen(generator)
        except ConditioningError:
            if not self._model.single:
                raise
            # The published code catches every exception and then requests uniform random points.
            chosen = generator.uniform(self._low, self._high, (self._batch_size, len(self._low)))
            self._failed.append(self._number)
        chosen = chosen[:size]
        self._distinct.append(len(np.unique(chosen, axis=0)) / len(chosen))
        return chosen

    def believed(self, points: Floats) -> Floats:
        """Posterior mean (n,) at points (n, d), in units of the values."""
        posterior, _ = self._model.fit(self._points, self._values, self._streams("targets", self._number))
        mean = np.asarray(posterior.mean_and_covariance(points)[0], dtype=np.float64)
        if not self._model.standardise or not len(self._values):
            return mean
        return self._values.mean() + (self._values.std() or 1.0) * mean

    def _chosen(self, generator: np.random.Generator) -> Floats:
        """A batch of the rule."""
        posterior, best = self._model.fit(self._points, self._values, self._streams("targets", self._number))
        candidates = self._search(posterior, self._low, self._high, self._streams("candidates", self._number))
        # The side of a box, rounded to single precision, may lie outside.
        candidates = np.clip(candidates, self._low, self._high)
        self._sizes.append(len(candidates))
        current: DenseRound | SingleRound
        if isinstance(posterior, SinglePosterior):
            current = SingleRound(self._number, posterior, candidates, best)
        else:
            mean, covariance = posterior.mean_and_covariance(candidates)
            current = DenseRound(self._number, mean, covariance, posterior.noise_variance, best)
        if isinstance(self._rule, FreeRule):
            view = BoxView(current, posterior, candidates, self._values, self._low, self._high)
            return np.clip(self._rule.choose_points(view, self._batch_size, generator), self._low, self._high)
        return candidates[self._rule.choose(current, self._batch_size, generator)]

    def diagnostics(self) -> dict[str, Any]:
        """As of :class:`BoxPolicy`."""
        return {"distinct": self._distinct, "candidates": self._sizes, "failed": self._failed}
