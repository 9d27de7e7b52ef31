"""One seeded run of a policy with contexts."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from companion.core.arrays import Floats
from companion.core.errors import CompanionError, ParameterError, whole_number
from companion.core.randomness import stream
from companion.papers.wdrbo.method.maximiser import sobol
from companion.papers.wdrbo.method.policy import ContextPolicy
from companion.simulate.loop import Trajectory
from companion.simulate.regret import cumulative_regret, simple_regret


class ContextProblem(Protocol):
    """Maximise the expected reward E_c f(x, c) over a box of decisions.

    ``expected`` is the expected reward under the true law of the contexts, and ``optimum`` its maximum.
    """

    @property
    def low(self) -> Floats:
        """(d_x,) lower corner of the decisions."""

    @property
    def high(self) -> Floats:
        """(d_x,) upper corner of the decisions."""

    @property
    def noise_sd(self) -> float:
        """Standard deviation of the noise on a reward."""

    @property
    def optimum(self) -> float:
        """The largest expected reward."""

    @property
    def objective(self) -> Callable[[Floats, Floats], Floats]:
        """Maps decisions (n, d_x) and contexts (n, d_c) to rewards (n,), without noise."""

    def sample_contexts(self, generator: np.random.Generator, count: int, /) -> Floats:
        """``count`` contexts (count, d_c) from the true law."""

    def expected(self, x: Floats, /) -> Floats:
        """Expected rewards (n,)."""


@dataclass(frozen=True, eq=False)
class Conditions:
    """Conditions common to all methods at one seed: the design, and the context and noise of every evaluation.

    Parameters
    ----------
    design : (n_0, d_x) decisions evaluated before the first round, in the problem's coordinates
    contexts : (n_0 + T, d_c) contexts, the design's first
    noise : (n_0 + T,) additive noise in units of the reward
    """

    design: Floats
    contexts: Floats
    noise: Floats


def conditions(problem: ContextProblem, seed: int, horizon: int, initial: int = 5) -> Conditions:
    """Conditions of ``horizon`` rounds after ``initial`` scrambled Sobol decisions; they depend on the seed alone.

    A longer horizon leaves the contexts and the noise of the earlier evaluations unchanged.
    """
    whole_number("horizon", horizon)
    whole_number("initial", initial)
    low, high = np.asarray(problem.low, dtype=np.float64), np.asarray(problem.high, dtype=np.float64)
    total = initial + horizon
    # One stream per evaluation, so that no sampler's way of drawing couples the first contexts to the horizon.
    drawn = [problem.sample_contexts(stream(seed, "contexts", i), 1) for i in range(total)]
    noise = problem.noise_sd * stream(seed, "noise").standard_normal(total)
    design = low + (high - low) * sobol(stream(seed, "design"), initial, len(low))
    return Conditions(design, np.concatenate([np.asarray(c, dtype=np.float64) for c in drawn]), noise)


def run_context_policy(
    policy: ContextPolicy,
    problem: ContextProblem,
    horizon: int,
    shared: Conditions,
    meta: dict[str, Any] | None = None,
) -> Trajectory:
    """Tell ``policy`` the design, then let it make ``horizon`` decisions.

    Regret is optimum - E_c f(x_t, c), (10): expected under the true law and without noise. The design's evaluations are
    not part of the trajectory's regret; ``diagnostics["design_regret"]`` lists theirs, for readings that count them.

    Parameters
    ----------
    policy : fresh
    problem : supplies rewards and regret
    horizon : T
    shared : see :class:`Conditions`, of at least T evaluations after the design
    meta : stored in the trajectory

    Returns
    -------
    Trajectory
        whose ``points`` are the decisions; ``query`` and ``charged`` are the numbers of the rounds, ``observation`` the
        noisy rewards and ``diagnostics["contexts"]`` the contexts (T, d_c)

    Raises
    ------
    ParameterError
        if the conditions are too short
    CompanionError
        if the policy leaves the box
    """
    whole_number("horizon", horizon)
    start = len(shared.design)
    if len(shared.contexts) < start + horizon or len(shared.noise) < start + horizon:
        raise ParameterError(
            "shared", f"have {len(shared.contexts)} contexts", f"{start + horizon}, one per evaluation"
        )
    seconds, points, observed = 0.0, [], []
    for i in range(start + horizon):
        begun = time.perf_counter()
        point = shared.design[i] if i < start else np.asarray(policy.ask(), dtype=np.float64)
        seconds += time.perf_counter() - begun
        if point.shape != np.shape(problem.low) or not ((point >= problem.low) & (point <= problem.high)).all():
            raise CompanionError(f"the policy asked for {point}, which is not a point of the box")
        context = shared.contexts[i]
        value = float(problem.objective(point[None, :], context[None, :])[0] + shared.noise[i])
        begun = time.perf_counter()
        policy.tell(point, context, value)
        seconds += time.perf_counter() - begun
        points.append(point)
        observed.append(value)
    asked = np.array(points)
    regret = problem.optimum - np.asarray(problem.expected(asked), dtype=np.float64)
    recommended = np.asarray(policy.recommend(), dtype=np.float64)
    number = np.arange(horizon)
    diagnostics = {
        **policy.diagnostics(),
        "contexts": shared.contexts[start : start + horizon].tolist(),
        "design_regret": regret[:start].tolist(),
    }
    return Trajectory(
        query=number,
        charged=number,
        batch=number + 1,
        observation=np.array(observed[start:]),
        instantaneous_regret=regret[start:],
        cumulative_regret=cumulative_regret(regret[start:]),
        simple_regret=simple_regret(regret[start:]),
        recommended_regret=problem.optimum - float(problem.expected(recommended[None, :])[0]),
        model_order=start + number + 1,
        seconds=seconds,
        meta=dict(meta or {}),
        diagnostics=diagnostics,
        points=asked[start:],
    )
