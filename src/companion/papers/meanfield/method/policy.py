"""MF-GP-UCB, Algorithm 1, as an ask/tell policy over collections of action distributions."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import ArrayLike
from scipy import special

from companion.core.arrays import Floats
from companion.core.errors import ParameterError, whole_number
from companion.papers.meanfield.method.acquisition import MeanFieldUCB
from companion.papers.meanfield.method.kernel import AdditiveKernel
from companion.papers.meanfield.method.model import FitSchedule, MeanFieldGP
from companion.papers.meanfield.method.simplex import Ends, Search, exact_search
from companion.papers.meanfield.method.widths import PracticeWidth, Width


@runtime_checkable
class LawPolicy(Protocol):
    """A policy that tells a population how to act: one action distribution per context and round."""

    def ask(self) -> Floats:
        """The law (C, A) of the next round."""
        ...

    def tell(self, action: int, context: int, value: float, law: Floats | None = None) -> None:
        """Action and observation of the representative agent; ``law`` where the population's frequencies stand for the
        requested law."""
        ...

    def recommend(self) -> Floats:
        """The law (C, A) reported as the best."""
        ...

    def diagnostics(self) -> dict[str, Any]:
        """Diagnostics of the policy: JSON types only."""
        ...


@dataclass(frozen=True)
class ModelSettings:
    """The Gaussian process of MF-GP-UCB.

    Parameters
    ----------
    kernel : hyperparameters, the first ones where they are fitted
    noise_variance : R^2, in units of the targets
    standardise : whether targets are shifted and scaled in every round
    fit : when hyperparameters are fitted; ``None`` keeps the given ones, which the theorem assumes known
    """

    kernel: AdditiveKernel = field(default_factory=AdditiveKernel)
    noise_variance: float = 1e-2
    standardise: bool = True
    fit: FitSchedule | None = field(default_factory=FitSchedule)


def known_model(kernel: AdditiveKernel, noise_variance: float) -> ModelSettings:
    """Settings of Theorem 4.1: kernel and noise are known, nothing is fitted or standardised."""
    return ModelSettings(kernel, noise_variance, standardise=False, fit=None)


class MeanFieldGPUCB:
    """MF-GP-UCB (Algorithm 1).

    Round t fits the Gaussian process to the plays so far, maximises MF-UCB over the product of simplices, and adds the
    representative agent's play (x_t, c_t, xi_t, y_t). The first ``initial`` rounds play the law of the random baseline,
    a softmax of uniform numbers: the paper prints no design, and hyperparameters need one.

    Parameters
    ----------
    action_features : (A, d_A)
    context_features : (C, d_C)
    context_weights : (C,) p(c)
    generator : of the design and of the optimiser's starts
    width : what multiplies the posterior standard deviation, see ``widths``
    model, search : settings of the Gaussian process and of the maximisation; by default the latter is as exact as it gets,
        ``PAPER_SEARCH`` and ``LOCAL_SEARCH`` are Adam from laws already played, as the paper's must have been
    initial : rounds before the first fit, at least 1
    capacity : rounds to reserve memory for
    """

    def __init__(
        self,
        action_features: ArrayLike,
        context_features: ArrayLike,
        context_weights: ArrayLike,
        generator: np.random.Generator,
        width: Width | None = None,
        model: ModelSettings | None = None,
        search: Search | None = None,
        initial: int = 10,
        capacity: int = 256,
    ) -> None:
        settings = model or ModelSettings()
        self._gp = MeanFieldGP(
            action_features,
            context_features,
            settings.kernel,
            settings.noise_variance,
            settings.standardise,
            capacity,
        )
        self._schedule = settings.fit
        self._weights = np.asarray(context_weights, dtype=np.float64)
        if self._weights.shape != (self._gp.contexts,) or not abs(self._weights.sum() - 1.0) < 1e-9:
            got = f"has shape {self._weights.shape}"
            raise ParameterError("context_weights", got, f"({self._gp.contexts},), a distribution")
        self._width: Width = width or PracticeWidth()
        self._search, self._generator = search or exact_search(self._gp.contexts, self._gp.actions), generator
        self._initial = whole_number("initial", initial)
        self._asked: Floats | None = None
        self._log: dict[str, list[float]] = {name: [] for name in ("round", "width", "acquisition", "evaluations")}
        self._fits: list[dict[str, Any]] = []

    @property
    def model(self) -> MeanFieldGP:
        """The Gaussian process; to be read, not changed."""
        return self._gp

    @property
    def model_order(self) -> int:
        """Observations in the model: all of them."""
        return self._gp.count

    def acquisition(self, width: float) -> MeanFieldUCB:
        """MF-UCB under the present model and another width; 0 gives the posterior mean of the average payoff."""
        return MeanFieldUCB(self._gp, self._weights, width)

    def ask(self) -> Floats:
        """The law (C, A) of the next round."""
        if self._asked is not None:
            raise ParameterError("ask", "the law asked last has not been told", "a call of tell() first")
        if self._gp.count < self._initial:
            shape = (self._gp.contexts, self._gp.actions)
            self._asked = np.asarray(special.softmax(self._generator.uniform(size=shape), axis=-1))
            return self._asked
        number = self._gp.count + 1
        self._fit()
        width = self._width(number)
        acquisition = MeanFieldUCB(self._gp, self._weights, width)
        ends = self.maximise(acquisition)
        self._asked = ends.laws[ends.best] / ends.laws[ends.best].sum(axis=-1, keepdims=True)
        entries = (number, width, float(ends.values[ends.best]), ends.evaluations)
        for name, entry in zip(self._log, entries, strict=True):
            self._log[name].append(entry)
        return self._asked

    def maximise(self, acquisition: MeanFieldUCB) -> Ends:
        """Climb from the two laws with the largest observations and from the search's own starts."""
        best = np.argsort(-self._gp.values, kind="stable")[:2]
        return self._search(acquisition, self._gp.laws[best], self._generator, acquisition.value)

    def _fit(self) -> None:
        count = self._gp.count
        if self._schedule is None or not (count == self._initial or not self._fits or self._schedule.due(count)):
            return
        done = self._gp.fit(self._schedule)
        kernel = self._gp.kernel
        self._fits.append(
            {
                "observations": count,
                "changed": done,
                "noise_variance": self._gp.noise_variance,
                "scales": [kernel.action_scale, kernel.context_scale, kernel.law_scale],
                "lengthscales": [kernel.action_lengthscale, kernel.context_lengthscale, kernel.law_lengthscale],
            }
        )

    def tell(self, action: int, context: int, value: float, law: ArrayLike | None = None) -> None:
        """Add the representative agent's play to the data."""
        if self._asked is None:
            raise ParameterError("tell", "no law has been asked", "a call of ask() first")
        self._gp.add(action, context, self._asked if law is None else law, float(value))
        self._asked = None

    def add(self, plays: Iterable[tuple[int, int, float, ArrayLike]]) -> None:
        """Condition on plays (action, context, value, law) that this policy did not ask for; so many first laws are left out."""
        for action, context, value, law in plays:
            self._gp.add(action, context, law, value)
        if self._gp.count >= self._initial:
            self._fit()

    def recommend(self) -> Floats:
        """The law played with the largest posterior mean of the average payoff, the earliest on ties.

        Less biased than the law with the largest observation, which may owe its place to a lucky draw of actions.
        """
        if not self._gp.count:
            return np.full((self._gp.contexts, self._gp.actions), 1.0 / self._gp.actions)
        return self._gp.laws[int(np.argmax(self.acquisition(0.0).value(self._gp.laws)))].copy()

    def diagnostics(self) -> dict[str, Any]:
        """Round, width, acquisition reached and calls of the objective where the acquisition was used; every fit."""
        return {"acquisition": self._log, "fits": self._fits, "width": self._width.describe()}


class RandomLaws:
    """Laws drawn without looking at the observations.

    Parameters
    ----------
    shape : (C, A)
    generator : of the draws
    kind : ``"softmax"``, the paper's baseline: a softmax of uniform numbers, whose probabilities differ by at most a
        factor e; or ``"dirichlet"``, concentration 1/2, which covers the simplex and serves as a control
    """

    def __init__(self, shape: tuple[int, int], generator: np.random.Generator, kind: str = "softmax") -> None:
        if kind not in ("softmax", "dirichlet"):
            raise ParameterError("kind", f"got {kind!r}", "'softmax' or 'dirichlet'")
        self._shape, self._generator, self._kind = shape, generator, kind
        self._laws: list[Floats] = []
        self._values: list[float] = []

    def ask(self) -> Floats:
        """A fresh law (C, A)."""
        contexts, actions = self._shape
        if self._kind == "softmax":
            law = special.softmax(self._generator.uniform(size=self._shape), axis=-1)
        else:
            law = self._generator.dirichlet(np.full(actions, 0.5), contexts)
        self._laws.append(np.asarray(law))
        return self._laws[-1]

    def tell(self, action: int, context: int, value: float, law: ArrayLike | None = None) -> None:
        """Remember the value; it changes nothing."""
        self._values.append(float(value))

    def add(self, plays: Iterable[tuple[int, int, float, ArrayLike]]) -> None:
        """Remember values of plays (action, context, value, law)."""
        for *_, value, law in plays:
            self._laws.append(np.asarray(law))
            self._values.append(value)

    def recommend(self) -> Floats:
        """The law with the largest value, the earliest on ties; uniform before the first value."""
        if not self._values:
            return np.full(self._shape, 1.0 / self._shape[1])
        return self._laws[int(np.argmax(self._values))]

    def diagnostics(self) -> dict[str, Any]:
        """Nothing."""
        return {}
