"""Experiments on a problem of one's own: every method that can be started on it, many seeds, regret to a known truth."""

from __future__ import annotations

import hashlib
import math
import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import partial
from typing import Any

import numpy as np

from companion import registry
from companion.api.experiments import Experiment
from companion.api.inputs import read_candidates
from companion.core.arrays import Floats
from companion.core.errors import ParameterError, nearest
from companion.core.parameters import Parameter, ParameterSet
from companion.core.randomness import stream
from companion.policies.model_check import contradiction
from companion.problems import Box, BoxProblem, Candidates, FiniteProblem
from companion.problems.datasets import DataUsed
from companion.simulate.box import run_box_policy
from companion.simulate.experiment import Method
from companion.simulate.loop import PlainSetup, Trajectory, run_policy
from companion.simulate.plan import Plan, RunRequest, combinations
from companion.simulate.task_store import Task

#: Points of a box at which an optimum is looked for; the best that are climbed from; points that tell functions apart.
SEARCHED, CLIMBED, PROBED = 2**13, 12, 64
#: Most candidates whose values are compared with the model.
LOOKED_AT = 100
#: What runs say of an optimum that may lie below the maximum.
FOUND = "the largest value found by search"
#: Types of settings, by the annotation of a method's field; a width is set by a number.
_TYPES = {name: name for name in ("int", "float", "str", "bool")}
_TYPES |= {"tuple[int, ...]": "list[int]", "Width": "float", "Any": "float"}


class _OnBox:
    """A player of sessions as the loop on a box takes it."""

    def __init__(self, player: Any) -> None:
        self.ask, self.recommend, self.diagnostics = player.ask, player.recommend, player.diagnostics
        self.tell = partial(player.tell, plays=[])


@dataclass(frozen=True, eq=False)
class _World:
    """Truth and model; called, it sets up a run. Methods see ``sign * (value - mean)``: to be large, with prior mean 0."""

    model: Candidates | Box
    truth: Any  # (N,), or on a box a function; a sampler of either where it draws
    draws: bool
    noise_sd: float
    mean: float
    sign: float
    optimum: float | None  # of a box; None where it is looked for at every seed
    found: bool  # by search
    used: DataUsed = field(default=DataUsed("", "", True))

    def __call__(self, method: str, seed: int, parameters: Any) -> PlainSetup:
        """World and policy of one run: the seed alone decides about truth and noise."""
        player: Any = self.optimiser(method, parameters).player(self.model, seed)
        # On candidates the rule itself plays, also the rounds whose values its model does not keep.
        policy = _OnBox(player) if isinstance(self.model, Box) else player.policy
        noise = self.noise_sd * stream(seed, "noise").standard_normal(parameters["horizon"])
        return PlainSetup(self.problem(seed), policy, noise, {"regret_against": FOUND} if self.found else {}, self.play)

    def optimiser(self, method: str, parameters: Mapping[str, Any]) -> Any:
        """The method with those parameters that it has; it refuses what does not fit."""
        given = {name: parameters[name] for name in self.settings(method) if parameters.get(name) is not None}
        return registry.startable(self.model)[method](**given)

    def settings(self, method: str) -> dict[str, str]:
        """Settings of a method and their types; the noise of its model only on a box, as candidates have theirs."""
        kind: Any = registry.startable(self.model)[method]
        found = {entry.name: _TYPES.get(str(entry.type).removesuffix(" | None"), "") for entry in fields(kind)}
        unused = () if isinstance(self.model, Box) else ("noise_sd", "uniform")
        return {name: type_ for name, type_ in found.items() if type_ and name not in unused}

    def problem(self, seed: int) -> FiniteProblem | BoxProblem:
        """What is played at a seed."""
        truth, known = self.truth(stream(seed, "truth")) if self.draws else self.truth, self.model
        if isinstance(known, Candidates):
            values = self.sign * (_values(truth, known.points) - self.mean)
            return FiniteProblem(self.used.choice, known.points, values, self.noise_sd, "own", known.neighbours)
        inside = partial(_signed, truth, self.sign)
        best = _largest(inside, known) if self.optimum is None else self.sign * self.optimum
        return BoxProblem(self.used.choice, known.low, known.high, inside, best, self.noise_sd, "own")

    def play(self, policy: Any, problem: Any, horizon: int, noise: Floats, meta: dict[str, Any]) -> Trajectory:
        """One run; what it observed is in the user's units."""
        loop: Callable[..., Trajectory] = run_box_policy if isinstance(problem, BoxProblem) else run_policy
        run = loop(policy, problem, horizon, noise, meta)
        return replace(run, observation=self.mean + self.sign * run.observation)

    def digest(self, version: int) -> str:
        """SHA-256 of what runs depend on; of a sampler two draws, of a function on a box its values at many points."""
        known, matrix = self.model, isinstance(self.model.kernel, np.ndarray)
        told: list[Any] = [version, self.noise_sd, self.mean, self.sign, self.draws, self.found]
        if isinstance(known, Candidates):
            at, told = (
                known.points,
                [
                    *told,
                    known.points.tobytes(),
                    None if known.neighbours is None else known.neighbours.tobytes(),
                    known.noise_sd,
                ],
            )
        else:
            at = _spread(known, SEARCHED if self.found else PROBED)
            told += [known.low.tolist(), known.high.tolist(), None if self.found else self.optimum]
        truths = [self.truth(stream(draw, "identity")) for draw in (0, 1)] if self.draws else [self.truth]
        told += [
            _rounded(known.kernel) if matrix else known.kernel,
            *(_rounded(_values(truth, at)) for truth in truths),
        ]
        return hashlib.sha256(repr(told).encode()).hexdigest()

    def data(self, parameters: Any) -> DataUsed:
        """Identity of the problem; a part of every task."""
        return self.used


class ProblemExperiment(Experiment):
    """An experiment on a problem of one's own, made by :func:`problem_experiment`; runs as every :class:`Experiment`.

    Besides, :meth:`run` takes for ``method`` a mapping of methods to settings of their own. Settings for all go to the methods
    that have them; ``horizon``, the number of evaluations, is needed.
    """

    def tasks(
        self, methods: Iterable[str], seeds: Iterable[int], values: Any = None, labels: Mapping[str, Any] | None = None
    ) -> list[Task]:
        """As of every experiment; what a method refuses is refused here."""
        methods, parameters = list(methods), self.parameters.typed(values or {})
        if parameters["horizon"] is None:
            raise ParameterError("horizon", "is missing", "the number of evaluations, e.g. horizon=40")
        for name in methods:
            if name not in self._parts[1]:
                self._world.optimiser(name, parameters)
        found = super().tasks(methods, seeds, parameters, labels)
        return [replace(task, parameters={k: v for k, v in task.parameters.items() if v is not None}) for task in found]

    @property
    def _world(self) -> _World:
        world: Any = self._parts[0]
        return world

    def _checked(self, method: str, seed: int, given: Mapping[str, object]) -> Any:
        if set(given) != set(self.parameters.names):  # as those of a task are, which are for all methods
            self._plan(method, (seed,), given)
        return super()._checked(method, seed, given)

    def _plan(self, method: Any, seeds: Sequence[int], wanted: Mapping[str, Any]) -> Plan:
        """Methods, settings, seeds; what one method alone has set is no column of the tables."""
        methods = (method,) if isinstance(method, str) else tuple(method)
        own = dict(method) if isinstance(method, Mapping) else {}
        for name in methods:
            self.check_method(name)
        # Policies of the user's may look at any setting.
        have = {one: self.parameters.names if one in self._parts[1] else self._world.settings(one) for one in methods}
        _check_settings(wanted, dict.fromkeys(key for known in have.values() for key in known), methods)
        for name, given in own.items():
            _check_settings(given, [key for key in have[name] if key not in ("horizon", *wanted)], (f"{name} alone",))
        shared = tuple(combinations(wanted, self.parameters))
        blocks = [
            RunRequest(self, (name,), seeds, [{**one, **own.get(name, {})} for one in shared]) for name in methods
        ]
        return replace(Plan.of(blocks), varied=tuple(wanted))

    @property
    def _call(self) -> str:
        return f"cp.problem_experiment(..., name={self.name!r})"


def problem_experiment(
    problem: Any,
    values: Any,
    *,
    noise_sd: float | None = None,
    kernel: Any = None,
    prior_mean: float | None = None,
    neighbours: Any = None,
    optimum: float | None = None,
    minimise: bool = False,
    name: str = "mine",
    version: int = 1,
) -> ProblemExperiment:
    """An experiment on a problem of one's own: every method that can be started on it, many seeds, and its regret.

    At one seed all methods meet the same truth and, evaluation by evaluation, the same noise. Regret is what the value of an
    evaluation, without noise, lacks to the optimum. A warning says where values contradict the model, with which methods then
    play badly.

    Parameters
    ----------
    problem : candidates, as :func:`~companion.api.inputs.read_candidates` takes them, or
        :class:`~companion.problems.Candidates` or :class:`~companion.problems.Box`
    values : the truth: (N,) values of the candidates; a function of points (n, d); or a sampler, a function of a NumPy generator
        that draws one of these for every seed
    noise_sd : of an evaluation, in units of the values; by default that of the model, ``Candidates``
    kernel, prior_mean, neighbours : the methods' model of points, as of :class:`~companion.problems.Candidates`
    optimum : on a box. Without it the largest of 8,192 values is climbed from; what is found may lie below the maximum, and
        regret is then called "at least"
    minimise : whether small values are good
    name, version : of the problem. Runs in a folder are known by points, values and model (a sampler by two draws, a function on
        a box by its values at the searched points); who changes the truth elsewhere takes the next version

    Raises
    ------
    ParameterError
        for what does not fit together, values that are not finite, and a truth that is another one at a second call

    Examples
    --------
    >>> import companion as cp
    >>> points, kernel = cp.grid(40, dim=1), cp.kernel("matern52", 0.2)
    >>> draw = lambda generator: cp.gp_draw(kernel, points, generator)
    >>> experiment = cp.problem_experiment(points, draw, kernel=kernel, noise_sd=0.1)
    >>> runs = experiment.run({"ts-rsr": {"initial": 5}, "gp-ucb": {}, "random": {}}, seeds=range(5), horizon=25)
    >>> bool(runs.compare("random").difference[0] < 0)
    True
    """
    given = {"kernel": kernel, "prior_mean": prior_mean, "neighbours": neighbours}
    given = {key: value for key, value in given.items() if value is not None}
    if not name or "/" in name:
        raise ParameterError("name", f"got {name!r}", "a word without a slash")
    if not isinstance(problem, Box | Candidates):
        noise_sd = getattr(kernel, "noise_sd", None) if noise_sd is None else noise_sd  # a fitted model has its own
        if kernel is None or noise_sd is None:
            lacks = "kernel" if kernel is None else "noise_sd"
            raise ParameterError(lacks, "is missing beside points", "kernel=cp.kernel('matern52', 0.2), noise_sd=0.1")
        problem = Candidates(read_candidates(problem), noise_sd=noise_sd, **given)
    elif given:
        raise ParameterError(next(iter(given)), f"is given beside {type(problem).__name__}", "one of the two")
    boxed = isinstance(problem, Box)
    if boxed and (noise_sd is None or not callable(values)):
        raise ParameterError("values, noise_sd", "do not fit a box", "a function of points (n, d), and a number")
    if optimum is not None and not boxed:
        raise ParameterError("optimum", "is given for candidates", "none: it is the best of their values")
    mean, sign = float(getattr(problem, "prior_mean", 0.0)), -1.0 if minimise else 1.0
    problem = replace(problem, prior_mean=0.0) if mean else problem  # of the values less the mean
    at = _spread(problem, PROBED) if boxed else problem.points
    draws, found = _draws(values, at), boxed and optimum is None
    truth = values if draws or boxed else _values(values, at)
    if optimum is not None and not draws and (best := _signed(values, sign, at).max()) > sign * optimum + 1e-9:
        raise ParameterError("optimum", f"got {optimum:g}, and a point has {sign * best:g}", "what no value betters")
    if found and not draws:
        optimum = sign * _largest(partial(_signed, truth, sign), problem)
    noise = problem.noise_sd if noise_sd is None else float(noise_sd)
    world = _World(problem, truth, draws, noise, mean, sign, optimum, found)
    world = replace(world, used=DataUsed(name, "a problem of one's own", True, world.digest(version)))
    played = world.problem(0)  # refuses what no run could use
    if isinstance(played, FiniteProblem) and (said := _contradiction(problem, mean + sign * played.values, mean)):
        warnings.warn(f"values: the methods' model does not fit them: {said}", stacklevel=2)
    kinds = registry.startable(problem)
    known = {"horizon": "int", **{key: type_ for name in kinds for key, type_ in world.settings(name).items()}}
    methods = [Method(key, str(kind.__doc__).partition("\n")[0]) for key, kind in kinds.items()]
    parameters = ParameterSet([Parameter(key, type_, None, "the method's own", "") for key, type_ in known.items()])
    summary = "Methods on a problem of one's own."
    return ProblemExperiment("own", name, summary, tuple(methods), parameters, world, "yours", world.data)


def _check_settings(given: Iterable[str], known: Iterable[str], methods: Sequence[str]) -> None:
    known = list(known)
    for name in given:
        if name not in known:
            expected = f"one of {', '.join(known)}"
            raise ParameterError(name, f"is no setting of {', '.join(methods)}", expected, nearest(name, known))


def _values(truth: Any, points: Floats) -> Floats:
    """The truth, values or a function, at the points (n, d): (n,) finite numbers."""
    try:
        found = np.array(truth(points) if callable(truth) else truth, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise ParameterError("values", f"are no numbers ({error})", "(N,), or a function that gives them") from None
    found = found[:, 0] if found.shape == (len(points), 1) else found
    if found.shape != (len(points),) or not np.isfinite(found).all():
        got = f"have shape {found.shape}" if found.shape != (len(points),) else "contain NaN or infinity"
        raise ParameterError("values", got, f"({len(points)},) finite numbers, one for each point")
    return found


def _contradiction(model: Candidates, values: Floats, mean: float) -> str:
    """What some of the values contradict in the methods' model."""
    some = slice(None, None, -(-model.size // LOOKED_AT))
    matrix = model.kernel[some, some] if isinstance(model.kernel, np.ndarray) else model.kernel(model.points[some])
    return contradiction(matrix, None, values[some], model.noise_sd, prior_mean=mean)


def _signed(truth: Any, sign: float, points: Floats) -> Floats:
    return sign * _values(truth, points)


def _draws(values: Any, points: Floats) -> bool:
    """Whether a callable is a sampler; refused unless it is that or a function, and gives the same again."""
    said: list[str] = []
    for sampler, at in ((False, points[:PROBED]), (True, points)) if callable(values) else ():
        try:
            one, two = (_values(values(stream(0, "identity")) if sampler else values, at) for _ in range(2))
        except Exception as error:
            said.append(f"{type(error).__name__}: {error}")
            continue
        if not np.allclose(one, two, rtol=1e-9, atol=1e-12 * float(np.abs(one).max())):
            expected = "draws from the generator alone" if sampler else "the truth without noise, which noise_sd adds"
            raise ParameterError("values", "are others at a second call", expected)
        return sampler
    if said:
        problem = f"fail on points ({said[0]}) and on a generator ({said[1]})"
        raise ParameterError("values", problem, "a function of points (n, d), or a sampler")
    return False


def _rounded(numbers: Floats) -> tuple[float, bytes]:
    """To nine digits of the largest: the last ones differ between processors."""
    scale = 2.0 ** round(math.log2(float(np.abs(numbers).max()) or 1.0))
    return scale, np.rint(numbers / scale * 1e9).astype(np.int64).tobytes()


def _spread(box: Box, count: int) -> Floats:
    from scipy.stats import qmc

    return box.low + (box.high - box.low) * qmc.Sobol(box.dim, rng=stream(0, "box", "spread")).random(count)


def _largest(function: Callable[[Floats], Floats], box: Box) -> float:
    """The largest value found in a box; its maximum is not below that."""
    from scipy import optimize

    points, width = _spread(box, SEARCHED), box.high - box.low
    values, unit = function(points), [(0.0, 1.0)] * box.dim

    def lost(x: Floats) -> float:
        return -float(function((box.low + width * np.clip(x, 0.0, 1.0))[None])[0])

    starts = (points[np.argsort(-values, kind="stable")[:CLIMBED]] - box.low) / width
    return max(float(values.max()), *(-float(optimize.minimize(lost, at, bounds=unit).fun) for at in starts))
