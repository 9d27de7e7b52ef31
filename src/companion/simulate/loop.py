"""One seeded run of a policy on a problem."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from companion.core.errors import CompanionError, ParameterError, whole_number
from companion.policies.base import Batch, Policy
from companion.problems import FiniteProblem
from companion.simulate.regret import cumulative_regret, instantaneous_regret, simple_regret

_ARRAYS = (
    "query",
    "charged",
    "batch",
    "observation",
    "instantaneous_regret",
    "cumulative_regret",
    "simple_regret",
    "model_order",
)


@dataclass(frozen=True, eq=False)
class Trajectory:
    """Trajectory of one run; every array has one entry per evaluation, in order of evaluation.

    Parameters
    ----------
    query : (T,) indices of the evaluated points
    charged : (T,) indices of the points whose regret is accounted
    batch : (T,) number of the batch, from 1
    observation : (T,) noisy values
    instantaneous_regret, cumulative_regret, simple_regret : (T,) see :mod:`companion.simulate.regret`
    recommended_regret : regret of the point recommended at the end
    model_order : (T,) points kept by the policy's model after the evaluation's batch was told
    seconds : time spent inside the policy
    meta : everything that identifies the run (parameters, seed, reading, data used)
    diagnostics : what the policy measured about itself
    points : (T, d) coordinates of the evaluated points where the domain is a box; ``None`` on a finite set

    Examples
    --------
    >>> import numpy as np
    >>> import companion as cp
    >>> from companion.simulate import run_policy
    >>> problem = cp.FiniteProblem("three", [[0.0], [0.5], [1.0]], [0.2, 1.0, 0.4], noise_sd=0.1, source="mine")
    >>> policy = cp.GPUCB(cp.Matern(2.5, 0.3)(problem.points), noise_variance=0.01, width=2.0)
    >>> run = run_policy(policy, problem, horizon=4, noise=np.zeros(4))
    >>> run.query, run.cumulative_regret.round(1)
    (array([0, 2, 1, 1]), array([0.8, 1.4, 1.4, 1.4]))
    >>> run.with_meta(seed=0).meta, run.to_json()["batch"]
    ({'seed': 0}, [1, 2, 3, 4])
    """

    query: NDArray[np.intp]
    charged: NDArray[np.intp]
    batch: NDArray[np.intp]
    observation: NDArray[np.float64]
    instantaneous_regret: NDArray[np.float64]
    cumulative_regret: NDArray[np.float64]
    simple_regret: NDArray[np.float64]
    recommended_regret: float
    model_order: NDArray[np.intp]
    seconds: float
    meta: dict[str, Any] = field(default_factory=dict)
    diagnostics: dict[str, Any] = field(default_factory=dict)
    points: NDArray[np.float64] | None = None

    def __post_init__(self) -> None:
        for name in _ARRAYS:
            array = np.array(getattr(self, name))
            if array.shape != np.shape(self.query):
                raise ParameterError(name, f"has shape {array.shape}", f"{np.shape(self.query)}, as query")
            array.flags.writeable = False
            object.__setattr__(self, name, array)
        if self.points is not None and (np.ndim(self.points) != 2 or len(self.points) != len(self)):
            raise ParameterError("points", f"have shape {np.shape(self.points)}", f"({len(self)}, d), one row each")

    def __len__(self) -> int:
        return self.query.size

    def with_meta(self, **entries: Any) -> Trajectory:
        """The same run with more entries in ``meta``; entries that the run already has are kept."""
        return replace(self, meta={**entries, **self.meta})

    def to_json(self) -> dict[str, Any]:
        """JSON types only; the arrays become equally long lists."""
        record: dict[str, Any] = {name: getattr(self, name).tolist() for name in _ARRAYS}
        if self.points is not None:
            record["points"] = self.points.tolist()
        record["recommended_regret"] = float(self.recommended_regret)
        record["seconds"] = float(self.seconds)
        record["meta"] = plain(self.meta)
        record["diagnostics"] = plain(self.diagnostics)
        return record


def run_policy(
    policy: Policy, problem: FiniteProblem, horizon: int, noise: ArrayLike, meta: dict[str, Any] | None = None
) -> Trajectory:
    """Let ``policy`` make ``horizon`` evaluations of ``problem``.

    Evaluation t observes values[query_t] + noise[t]. The noise belongs to the evaluation's number, not to the point or
    the policy, so that policies compared under one noise array share it (common random numbers).

    Parameters
    ----------
    policy : a fresh policy
    problem : supplies values and regret
    horizon : number of evaluations T, at least 1
    noise : (T,) additive noise, in the units of f (already scaled by ``problem.noise_sd``)
    meta : stored in the trajectory

    Raises
    ------
    ParameterError
        if the horizon or the noise does not fit
    CompanionError
        if the policy breaks the protocol: an empty batch, one beyond the horizon, or a point that does not exist

    Examples
    --------
    >>> import numpy as np
    >>> import companion as cp
    >>> from companion.simulate import run_policy
    >>> problem = cp.FiniteProblem("three", [[0.0], [0.5], [1.0]], [0.2, 1.0, 0.4], noise_sd=0.1, source="mine")
    >>> policy = cp.GPUCB(cp.Matern(2.5, 0.3)(problem.points), noise_variance=0.01, width=2.0)
    >>> run_policy(policy, problem, horizon=4, noise=np.zeros(4)).simple_regret.round(1)
    array([0.8, 0.6, 0. , 0. ])
    """
    noise = checked_noise(horizon, noise)
    rounds: list[tuple[NDArray[Any], ...]] = []
    seconds, done = 0.0, 0
    while done < horizon:
        started = time.perf_counter()
        batch = policy.ask(horizon - done)
        seconds += time.perf_counter() - started
        _check_batch(batch, problem, horizon - done)
        observed = problem.values[batch.query] + noise[done : done + len(batch)]
        done += len(batch)
        started = time.perf_counter()
        policy.tell(observed)
        seconds += time.perf_counter() - started
        number = np.full(len(batch), len(rounds) + 1)
        order = np.full(len(batch), int(getattr(policy, "model_order", done)))
        rounds.append((batch.query, batch.charged, number, order, observed))
    query, charged, number, order, observed = (np.concatenate(column) for column in zip(*rounds, strict=True))
    regret = instantaneous_regret(problem, charged)
    return Trajectory(
        query=query,
        charged=charged,
        batch=number,
        observation=observed,
        instantaneous_regret=regret,
        cumulative_regret=cumulative_regret(regret),
        simple_regret=simple_regret(regret),
        recommended_regret=float(problem.robust_regret[_recommended(policy, problem)]),
        model_order=order,
        seconds=seconds,
        meta=dict(meta or {}),
        diagnostics=policy.diagnostics(),
    )


@dataclass(frozen=True, eq=False)
class PlainSetup:
    """One run, ready to start, of which nothing has to be known but its problem, policy and noise.

    Parameters
    ----------
    problem : on a finite set, or what ``loop`` takes
    policy : fresh
    noise : (T,) additive noise, already scaled
    facts : what else identifies the run
    loop : asks and tells: :func:`run_policy`, or ``run_box_policy`` on a box

    Examples
    --------
    >>> import numpy as np
    >>> import companion as cp
    >>> from companion.policies import UniformRandom
    >>> from companion.simulate import PlainSetup
    >>> problem = cp.FiniteProblem("three", [[0.0], [0.5], [1.0]], [0.2, 1.0, 0.4], noise_sd=0.1, source="mine")
    >>> setup = PlainSetup(problem, UniformRandom(3, cp.stream(0, "policy")), noise=np.zeros(6))
    >>> len(setup.run())
    6
    """

    problem: Any
    policy: Any
    noise: NDArray[np.float64]
    facts: dict[str, Any] = field(default_factory=dict)
    loop: Callable[..., Trajectory] = run_policy

    def run(self) -> Trajectory:
        """Let the policy play."""
        return self.loop(self.policy, self.problem, len(self.noise), self.noise, self.facts)


def plain(value: Any) -> Any:
    """``value`` with NumPy arrays and scalars, tuples and nested mappings turned into JSON types."""
    if isinstance(value, dict):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    if isinstance(value, np.ndarray):
        return value.tolist()
    return value.item() if isinstance(value, np.generic) else value


def checked_noise(horizon: int, noise: ArrayLike) -> NDArray[np.float64]:
    """``noise`` as an array, refused unless it holds ``horizon`` finite numbers."""
    whole_number("horizon", horizon)
    array = np.asarray(noise, dtype=np.float64)
    if array.shape != (horizon,) or not np.isfinite(array).all():
        raise ParameterError("noise", f"has shape {array.shape}", f"({horizon},) finite numbers, one per evaluation")
    return array


def _check_batch(batch: Batch, problem: FiniteProblem, remaining: int) -> None:
    if not 1 <= len(batch) <= remaining:
        raise CompanionError(f"the policy asked for {len(batch)} points; between 1 and {remaining} are possible")
    if max(batch.query.max(), batch.charged.max()) >= problem.size:
        raise CompanionError(f"the policy asked for a point beyond the {problem.size} points of the problem")


def _recommended(policy: Policy, problem: FiniteProblem) -> int:
    index = int(policy.recommend())
    if not 0 <= index < problem.size:
        raise CompanionError(f"the policy recommends point {index}; the problem has points 0 to {problem.size - 1}")
    return index
