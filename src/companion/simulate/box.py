"""One seeded run of a policy on a box."""

from __future__ import annotations

import time
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from companion.core.errors import CompanionError
from companion.policies.base import BoxPolicy
from companion.problems import BoxProblem
from companion.simulate.loop import Trajectory, checked_noise
from companion.simulate.regret import cumulative_regret, simple_regret


def run_box_policy(
    policy: BoxPolicy, problem: BoxProblem, horizon: int, noise: ArrayLike, meta: dict[str, Any] | None = None
) -> Trajectory:
    """Let ``policy`` make ``horizon`` evaluations of ``problem``; the counterpart of ``run_policy`` on a box.

    Evaluation t observes f(x_t) + noise[t]; the noise belongs to the evaluation's number, so that policies compared
    under one noise array share it. Regret is optimum - f(x_t), without noise.

    Parameters
    ----------
    policy, problem, horizon, noise, meta : as for :func:`~companion.simulate.loop.run_policy`

    Returns
    -------
    Trajectory
        whose ``points`` are the evaluated points; ``query`` and ``charged`` are the numbers of the evaluations

    Raises
    ------
    ParameterError
        if the horizon or the noise does not fit, or a point lies outside the box
    CompanionError
        if the policy asks for no point or for more than remain

    Examples
    --------
    >>> import numpy as np
    >>> import companion as cp
    >>> from companion.simulate import run_box_policy
    >>> bowl = cp.BoxProblem("bowl", [0, 0], [1, 1], lambda x: -(x**2).sum(axis=1), optimum=0.0, noise_sd=0.1, source="mine")
    >>> class Corner:
    ...     def ask(self, remaining):
    ...         return np.array([[0.5, 1.0]])
    ...     def tell(self, values):
    ...         pass
    ...     def recommend(self):
    ...         return np.zeros(2)
    ...     def diagnostics(self):
    ...         return {}
    >>> run = run_box_policy(Corner(), bowl, horizon=2, noise=np.zeros(2))
    >>> run.cumulative_regret, run.recommended_regret
    (array([1.25, 2.5 ]), 0.0)
    """
    noise = checked_noise(horizon, noise)
    asked: list[NDArray[np.float64]] = []
    values: list[NDArray[np.float64]] = []
    orders: list[int] = []
    seconds, done = 0.0, 0
    while done < horizon:
        started = time.perf_counter()
        points = np.array(policy.ask(horizon - done), dtype=np.float64)
        seconds += time.perf_counter() - started
        if not 1 <= len(points) <= horizon - done:
            raise CompanionError(f"the policy asked for {len(points)} points; 1 to {horizon - done} are possible")
        found = problem.evaluate(points)
        started = time.perf_counter()
        policy.tell(found + noise[done : done + len(points)])
        seconds += time.perf_counter() - started
        done += len(points)
        asked.append(points)
        values.append(found)
        orders.append(int(getattr(policy, "model_order", done)))
    sizes = [len(points) for points in asked]
    true = np.concatenate(values)
    regret = problem.optimum - true
    number = np.arange(horizon)
    return Trajectory(
        query=number,
        charged=number,
        batch=np.repeat(np.arange(1, len(sizes) + 1), sizes),
        observation=true + noise,
        instantaneous_regret=regret,
        cumulative_regret=cumulative_regret(regret),
        simple_regret=simple_regret(regret),
        recommended_regret=problem.optimum - float(problem.evaluate(np.atleast_2d(policy.recommend()))[0]),
        model_order=np.repeat(orders, sizes),
        seconds=seconds,
        meta=dict(meta or {}),
        diagnostics=policy.diagnostics(),
        points=np.concatenate(asked),
    )
