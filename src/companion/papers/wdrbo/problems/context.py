"""A problem with contexts: choose x before a random c is seen, and receive the reward f(x, c)."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from companion.core.arrays import Floats
from companion.core.errors import CompanionError, ParameterError, non_negative
from companion.papers.wdrbo.problems.laws import ContextLaw


@dataclass(frozen=True)
class Settings:
    r"""Settings of a problem in the paper; those it leaves open are as in the authors' code.

    Parameters
    ----------
    radius_scale, radius_decays : the radius of the ambiguity ball is ``radius_scale``, divided by the square root of the
        number n of observations when ``radius_decays``; in units of the contexts. Section 5 gives 0.1 for Figure 1 and
        the order 1 / sqrt(t) otherwise, whose constant 0.3 is the code's
    width : beta_t of every method (Section 5)
    iterations, runs : rounds of a run, and seeds (Section 5)
    design : points evaluated before the first round; not in the paper, 5 in the code's main script
    """

    radius_scale: float = 0.3
    radius_decays: bool = True
    width: float = 1.5
    iterations: int = 100
    runs: int = 15
    design: int = 5

    def radius(self, observations: int) -> float:
        """The radius when n = ``observations`` values are known, n >= 1."""
        return self.radius_scale / math.sqrt(observations) if self.radius_decays else self.radius_scale


@dataclass(frozen=True, eq=False)
class ContextProblem:
    """Maximise E f(x, c) over a box of decisions x, where c follows a law that the learner does not know.

    Parameters
    ----------
    name : short name for tables
    low, high : (d_x,) corners of the box of decisions
    context_low, context_high : (d_c,) corners of the box of contexts
    objective : maps decisions (n, d_x) and contexts (n, d_c) to rewards (n,), without noise
    law : true law of the contexts
    expectation : maps decisions (n, d_x) to E f(x, c) under ``law``, shape (n,)
    expected_error : what ``expectation`` may be off by, in units of f
    optimum, optimiser : largest expected reward, and a decision that attains it to ``optimum_error``
    optimum_error : width of the bracket that certifies the optimum, in units of f; 0 for a proof on paper
    noise_sd : standard deviation of the noise on an observed reward, in units of f
    source : where the problem comes from
    certified : how the optimum is known, in a few words
    settings : how the paper runs it
    reference : centre of the ambiguity ball where the paper gives one (the general setting); ``None`` where the
        observed contexts are the centre
    published_optimum : the constant that the authors' code measures regret against, where it has one
    meta : reading, data used, remarks

    Raises
    ------
    ParameterError
        for corners that do not make boxes, numbers that are not finite, a law of another dimension, or an optimiser
        outside the box
    """

    name: str
    low: Floats
    high: Floats
    context_low: Floats
    context_high: Floats
    objective: Callable[[Floats, Floats], Floats]
    law: ContextLaw
    expectation: Callable[[Floats], Floats]
    expected_error: float
    optimum: float
    optimiser: Floats
    optimum_error: float
    noise_sd: float
    source: str
    certified: str
    settings: Settings
    reference: ContextLaw | None = None
    published_optimum: float | None = None
    meta: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for name in ("low", "high", "context_low", "context_high", "optimiser"):
            array = np.array(getattr(self, name), dtype=np.float64)
            array.flags.writeable = False
            object.__setattr__(self, name, array)
        for low, high in (("low", "high"), ("context_low", "context_high")):
            a, b = getattr(self, low), getattr(self, high)
            if a.ndim != 1 or a.shape != b.shape or not (np.isfinite(a) & np.isfinite(b) & (a < b)).all():
                raise ParameterError(f"{low}, {high}", f"got {a}, {b}", "equally long, finite, low < high everywhere")
        for law in (self.law, self.reference):
            if law is not None and law.dim != self.context_dim:
                raise ParameterError("law", f"has {law.dim} coordinates", f"{self.context_dim}, as the box has")
        if not math.isfinite(self.optimum):
            raise ParameterError("optimum", f"got {self.optimum!r}", "a finite number")
        for name in ("noise_sd", "expected_error", "optimum_error"):
            non_negative(name, getattr(self, name))
        if self.optimiser.shape != self.low.shape or not self._in_box(self.optimiser[None, :]).all():
            raise ParameterError("optimiser", f"got {self.optimiser}", f"a point of the box {self.low} to {self.high}")

    @property
    def dim(self) -> int:
        """Number of decision coordinates d_x."""
        return len(self.low)

    @property
    def context_dim(self) -> int:
        """Number of context coordinates d_c."""
        return len(self.context_low)

    def _in_box(self, x: Floats) -> NDArray[np.bool_]:
        return np.asarray((x >= self.low) & (x <= self.high))

    def _decisions(self, x: ArrayLike) -> Floats:
        array = np.asarray(x, dtype=np.float64)
        if array.ndim != 2 or array.shape[1] != self.dim or not self._in_box(array).all():
            raise ParameterError("x", f"has shape {array.shape} or leaves the box", f"(n, {self.dim}) in the box")
        return array

    def uniform(self, generator: np.random.Generator, count: int) -> Floats:
        """``count`` independent uniform decisions, shape (count, d_x)."""
        return generator.uniform(self.low, self.high, size=(count, self.dim))

    def sample_contexts(self, generator: np.random.Generator, count: int) -> Floats:
        """``count`` independent contexts of the true law, shape (count, d_c)."""
        return self.law.sample(generator, count)

    def evaluate(self, x: ArrayLike, c: ArrayLike) -> Floats:
        """Rewards f(x_i, c_i) of decisions (n, d_x) and contexts (n, d_c), shape (n,), without noise.

        Raises
        ------
        ParameterError
            if a decision lies outside the box, or the contexts have another shape or are not finite
        CompanionError
            if the objective returns something other than n finite numbers
        """
        decisions, contexts = self._decisions(x), np.asarray(c, dtype=np.float64)
        if contexts.shape != (len(decisions), self.context_dim) or not np.isfinite(contexts).all():
            expected = f"finite, ({len(decisions)}, {self.context_dim})"
            raise ParameterError("c", f"has shape {contexts.shape} or is not finite", expected)
        return self._finite(self.objective(decisions, contexts), len(decisions), "objective")

    def expected(self, x: ArrayLike) -> Floats:
        """E f(x, c) under the true law at decisions ``x`` (n, d_x), shape (n,), exact to ``expected_error``.

        Raises
        ------
        ParameterError
            if a decision lies outside the box
        CompanionError
            if the expectation is something other than n finite numbers
        """
        decisions = self._decisions(x)
        return self._finite(self.expectation(decisions), len(decisions), "expectation")

    def regret(self, x: ArrayLike) -> Floats:
        """Instantaneous expected regret, optimum - E f(x, c) (eq. (10)), at ``x`` (n, d_x), shape (n,)."""
        return self.optimum - self.expected(x)

    def _finite(self, values: ArrayLike, count: int, what: str) -> Floats:
        array = np.asarray(values, dtype=np.float64)
        if array.shape != (count,) or not np.isfinite(array).all():
            raise CompanionError(f"{self.name}: the {what} returned {array!r} for {count} decisions")
        return array
