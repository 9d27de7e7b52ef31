"""Distributionally robust optimisation on decisions and contexts of your own."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike

from companion.core.arrays import Floats
from companion.core.calls import one_line
from companion.core.errors import ParameterError, whole_number
from companion.core.randomness import stream
from companion.papers.wdrbo.method.maximiser import sobol
from companion.papers.wdrbo.method.methods import Settings, method_by_name
from companion.papers.wdrbo.method.policy import AcquisitionPolicy
from companion.policies import Optimiser
from companion.policies.observation import Streams
from companion.policies.optimisers import checked_horizon
from companion.policies.widths import without_gain
from companion.problems.blackbox import corners


@dataclass(frozen=True, eq=False)
class ContextPlay:
    """The context that came up; made by :meth:`ContextBox.play`."""

    context: Floats


@dataclass(frozen=True, eq=False)
class ContextBox:
    """A box of decisions, each evaluated at a context that is not chosen; larger values are better.

    Parameters
    ----------
    low, high : (d_x,) corners of the decisions
    context_low, context_high : (d_c,) corners of what the contexts can be

    Raises
    ------
    ParameterError
        for corners that do not make a box

    Examples
    --------
    >>> problem = ContextBox(0.0, 1.0, context_low=-1.0, context_high=1.0)
    >>> problem.play(0.25).context
    array([0.25])
    """

    low: Floats
    high: Floats
    context_low: Floats
    context_high: Floats

    __repr__ = one_line

    def __post_init__(self) -> None:
        for name in ("", "context_"):
            low, high = f"{name}low", f"{name}high"
            found = corners(f"{low}, {high}", getattr(self, low), getattr(self, high))
            object.__setattr__(self, low, found[0])
            object.__setattr__(self, high, found[1])

    @property
    def dim(self) -> int:
        """Number of the decision's coordinates d_x."""
        return len(self.low)

    def play(self, context: ArrayLike) -> ContextPlay:
        """Record of one play besides its value.

        Parameters
        ----------
        context : (d_c,) coordinates, a number where there is one; within the box of the contexts
        """
        try:
            found = np.atleast_1d(np.asarray(context, dtype=np.float64))
        except (TypeError, ValueError):
            raise ParameterError("context", f"got {context!r}", f"{len(self.context_low)} numbers") from None
        inside = (
            found.shape == self.context_low.shape and ((found >= self.context_low) & (found <= self.context_high)).all()
        )
        if not inside:
            expected = f"{len(self.context_low)} coordinates in {self.context_low} to {self.context_high}"
            raise ParameterError("context", f"got {found}", expected)
        return ContextPlay(found)


class ContextPlayer:
    """The policy after a Sobol design of ``initial`` decisions.

    Parameters
    ----------
    policy : fresh
    design : (n_0, d_x) decisions, asked first, one at a time
    """

    play_type: type | None = ContextPlay

    def __init__(self, policy: AcquisitionPolicy, design: Floats) -> None:
        self.policy, self._design = policy, design
        self._asked = design[:0]

    def ask(self, remaining: int) -> Floats:
        """The next decision, (1, d_x)."""
        done = self.policy.model_order
        chosen = self._design[done] if done < len(self._design) else self.policy.ask()
        self._asked = np.array(chosen)[None, :]
        return self._asked

    def tell(self, values: Floats, plays: Sequence[Any]) -> None:
        """The value (1,) and the context of the decision asked last."""
        self.policy.tell(self._asked[0], plays[0].context, float(values[0]))

    def add(self, points: Floats, values: Floats, plays: Sequence[Any]) -> None:
        """Condition on decisions (n, d_x) that were evaluated before; so many of the design are left out."""
        for point, value, play in zip(points, values, plays, strict=True):
            self.policy.tell(point, play.context, float(value))

    def recommend(self) -> Floats:
        """The decision (d_x,) with the largest posterior mean over the observed contexts."""
        return self.policy.recommend()

    def diagnostics(self) -> dict[str, Any]:
        """The policy's."""
        return self.policy.diagnostics()


@dataclass(frozen=True)
class ContextOptimiser(Optimiser):
    """WDRBO or a competitor of it, after a Sobol design; :class:`~companion.papers.wdrbo.method.policy.AcquisitionPolicy`.

    Every decision is asked alone, and told with the context that came up::

        x = session.ask()[0]
        session.tell(value, problem.play(context))

    Parameters
    ----------
    rule : one of :data:`~companion.papers.wdrbo.method.methods.METHODS`
    initial : decisions of the design
    width : multiplier of the posterior standard deviation: a number, or a schedule that is the same in every round; by
        default that of ``settings``
    settings : what the paper leaves open
    horizon : evaluations in all, the design's included; ``None`` for no end

    Examples
    --------
    >>> problem = ContextBox(0.0, 1.0, context_low=-1.0, context_high=1.0)
    >>> session = ContextOptimiser(rule="wdrbo").for_problem(problem, seed=0)
    >>> session.tell(0.3, problem.play(0.5)) if session.ask().shape == (1, 1) else None
    >>> session.told
    1
    """

    rule: str = "wdrbo"
    initial: int = 5
    width: Any = None
    settings: Settings = field(default_factory=Settings)
    horizon: int | None = None
    name: ClassVar[str] = "wdrbo"
    problem_type: ClassVar[tuple[type, ...]] = (ContextBox,)

    def __post_init__(self) -> None:
        method_by_name(self.rule)
        whole_number("initial", self.initial)
        checked_horizon(self.horizon)
        self.used()

    def used(self) -> Settings:
        """The settings with the width, where one is given."""
        if self.width is None:
            return self.settings
        return replace(self.settings, width=without_gain(self.width, "a method with contexts"))

    def player(self, problem: Any, seed: int) -> ContextPlayer:
        """The policy; the stream ``design`` draws the first decisions."""
        policy = AcquisitionPolicy(
            self.rule,
            problem.low,
            problem.high,
            problem.context_low,
            problem.context_high,
            Streams(seed, ("wdrbo",)),
            self.used(),
        )
        design = sobol(stream(seed, "design"), self.initial, problem.dim)
        return ContextPlayer(policy, problem.low + (problem.high - problem.low) * design)


OPTIMISERS: tuple[type[Optimiser], ...] = (ContextOptimiser,)
