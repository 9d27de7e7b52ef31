"""Optuna's side of a session of gp-bandit-companion: which point a trial is given, and what the session is told.

Every point is the session's, from ``companion.for_problem(...)``; nothing is decided here. What was asked and told is read from
the study before each trial, so that a sampler with the same seed and settings goes on where another process stopped.
"""

from __future__ import annotations

from itertools import product
import math
import threading
from typing import Any

import companion as cp
import numpy as np
from optuna.distributions import BaseDistribution
from optuna.distributions import CategoricalDistribution
from optuna.distributions import FloatDistribution
from optuna.distributions import IntDistribution
from optuna.samplers import BaseSampler
from optuna.samplers import RandomSampler
from optuna.study import Study
from optuna.study import StudyDirection
from optuna.trial import FrozenTrial
from optuna.trial import TrialState


PLACE = "companion:place"
"""Attribute of a trial: the place of its point among all points of the session."""
MOST = 4000
"""Candidates; their covariance is a matrix of as many rows and columns."""
LENGTHSCALE = 0.2
"""Of the Matern kernel of smoothness 5/2 on candidates, in shares of a parameter's range."""

_ONE_AT_A_TIME = threading.Lock()


class Continuous:
    """Floats without steps as a box; logarithms of those with ``log=True``."""

    def __init__(self, space: dict[str, FloatDistribution]) -> None:
        """Take the box's corners from the space."""
        self.space = space
        corners = [(self._inside(d, d.low), self._inside(d, d.high)) for d in space.values()]
        self.problem = cp.Box(*np.transpose(corners))

    @staticmethod
    def _inside(distribution: FloatDistribution, value: float) -> float:
        return math.log(value) if distribution.log else value

    def params(self, point: np.ndarray) -> dict[str, Any]:
        """Values of the parameters at a point (d,) of the box."""
        pairs = zip(self.space.items(), point.tolist(), strict=True)
        values = {name: (d, math.exp(x) if d.log else x) for (name, d), x in pairs}
        return {name: min(max(x, d.low), d.high) for name, (d, x) in values.items()}


class Listed:
    """All combinations of finitely many values as candidates, the last parameter changing fastest.

    A number is a coordinate from 0 to 1, by its logarithm with ``log=True``; the choices of a categorical parameter are at
    distance 1 from each other. A float without steps has ``points`` values.
    """

    def __init__(self, space: dict[str, BaseDistribution], points: int, noise_sd: float) -> None:
        """List the candidates; refuse more than :data:`MOST`."""
        counts = {name: _count(d, points) for name, d in space.items()}
        if math.prod(counts.values()) > MOST:
            raise ValueError(
                f"search_space: {math.prod(counts.values())} candidates ({counts}), at most {MOST} "
                "can be compared; give integers and floats a larger step, or choose fewer points"
            )
        axes = [_axis(d, count) for d, count in zip(space.values(), counts.values(), strict=True)]
        self.candidates = [
            dict(zip(space, values, strict=True)) for values in product(*(a[0] for a in axes))
        ]
        coordinates = [np.concatenate(rows) for rows in product(*(axis[1] for axis in axes))]
        self.problem = cp.Candidates(np.array(coordinates), cp.Matern(2.5, LENGTHSCALE), noise_sd)

    def params(self, point: np.integer) -> dict[str, Any]:
        """Values of the parameters of the candidate with this index."""
        return dict(self.candidates[int(point)])


def _count(distribution: BaseDistribution, points: int) -> int:
    if isinstance(distribution, CategoricalDistribution):
        return len(distribution.choices)
    if isinstance(distribution, IntDistribution):
        return (distribution.high - distribution.low) // distribution.step + 1
    assert isinstance(distribution, FloatDistribution)
    if distribution.single():
        return 1
    if distribution.step is None:
        return points
    return round((distribution.high - distribution.low) / distribution.step) + 1


def _axis(distribution: BaseDistribution, count: int) -> tuple[list[Any], np.ndarray]:
    """Values of a parameter, and their coordinates (count, k)."""
    if isinstance(distribution, CategoricalDistribution):
        return list(distribution.choices), np.eye(count) / math.sqrt(2)
    assert isinstance(distribution, FloatDistribution | IntDistribution)
    low, high = distribution.low, distribution.high
    if isinstance(distribution, IntDistribution):
        numbers: list[Any] = [low + distribution.step * k for k in range(count)]
    elif distribution.step is None:
        spaced = np.geomspace if distribution.log else np.linspace
        numbers = np.clip(spaced(low, high, count), low, high).tolist()
    else:
        numbers = [min(low + distribution.step * k, high) for k in range(count)]
    inside = np.log(numbers) if distribution.log else np.array(numbers, dtype=np.float64)
    width = inside[-1] - inside[0]
    return numbers, ((inside - inside[0]) / (width if width > 0 else 1.0))[:, None]


class SessionSampler(BaseSampler):
    """A sampler whose points are those of a session.

    Args:
        method:
            Name of the method, as ``companion.for_problem`` takes it.
        search_space:
            Distributions of all parameters: floats, integers and categorical ones. It is needed before the first trial,
            which is the method's own already.
        seed:
            Of everything random: the same seed and values give the same points.
        points:
            Values of a float without steps where candidates are listed.
        listed:
            Whether candidates are listed even where all parameters are floats without steps.
        prior_mean, prior_sd:
            Mean and standard deviation of the objective that the model supposes where candidates are listed. On a box the
            method standardises by itself.
        noise_sd:
            Standard deviation of the noise, in units of ``prior_sd``, or of the standardised values on a box.
        settings:
            Further settings of the method.
    """

    def __init__(
        self,
        method: str,
        search_space: dict[str, BaseDistribution],
        *,
        seed: int,
        points: int,
        listed: bool,
        prior_mean: float,
        prior_sd: float,
        noise_sd: float,
        **settings: Any,
    ) -> None:
        """Start the session; bad settings are refused here."""
        kinds = (FloatDistribution, IntDistribution, CategoricalDistribution)
        others = [name for name, d in search_space.items() if not isinstance(d, kinds)]
        if others or not search_space:
            what = f"{others[0]!r} is {search_space[others[0]]!r}" if others else "it is empty"
            raise ValueError(f"search_space: {what}; expected floats, integers or categories")
        for name, value in (("points", points), ("prior_sd", prior_sd), ("noise_sd", noise_sd)):
            if not (math.isfinite(value) and value > 0):
                raise ValueError(f"{name}: got {value!r}; expected a positive number")
        self.search_space = search_space
        self._method, self._seed, self._settings = method, seed, settings
        self._mean, self._sd = prior_mean, prior_sd
        floats = {name: d for name, d in search_space.items() if isinstance(d, FloatDistribution)}
        plain = [d for d in floats.values() if d.step is None and not d.single()]
        self._on: Continuous | Listed
        if listed or len(plain) < len(search_space):
            self._on = Listed(search_space, points, noise_sd)
        else:
            self._on, self._mean, self._sd = Continuous(floats), 0.0, 1.0
            self._settings = {**settings, "noise_sd": noise_sd}
        self._session = self._start()
        self._random = RandomSampler(seed=seed)

    def _start(self) -> Any:
        return cp.for_problem(self._method, self._on.problem, seed=self._seed, **self._settings)

    def infer_relative_search_space(
        self, study: Study, trial: FrozenTrial
    ) -> dict[str, BaseDistribution]:
        """The search space as given."""
        return dict(self.search_space)

    def sample_relative(
        self, study: Study, trial: FrozenTrial, search_space: dict[str, BaseDistribution]
    ) -> dict[str, Any]:
        """The session's next point; an enqueued trial has its own, and the session is not told of it."""
        if "fixed_params" in trial.system_attrs:
            return {}
        with _ONE_AT_A_TIME:
            asked, given = self._open(study)
            told = self._session.told
            if not len(asked):
                raise ValueError(f"horizon: all {told} trials of it are made")
            free = [place for place in range(told, told + len(asked)) if place not in given]
            if not free:
                raise RuntimeError(
                    f"all {len(asked)} points of the batch are out; tell their values before "
                    "asking for more (at most as many trials at a time as a batch has points)"
                )
            study._storage.set_trial_system_attr(trial._trial_id, PLACE, free[0])
            return self._on.params(asked[free[0] - told])

    def sample_independent(
        self,
        study: Study,
        trial: FrozenTrial,
        param_name: str,
        param_distribution: BaseDistribution,
    ) -> Any:
        """What an enqueued trial leaves open is drawn at random; anything else is not in the search space."""
        if "fixed_params" in trial.system_attrs and param_name in self.search_space:
            return self._random.sample_independent(study, trial, param_name, param_distribution)
        raise ValueError(
            f"{param_name!r} is suggested over {param_distribution!r}; in search_space it is "
            f"{self.search_space.get(param_name, 'missing')!r}"
        )

    def recommend(self, study: Study) -> dict[str, Any]:
        """Parameters that the method reports as the best, which need not be those of the best value."""
        with _ONE_AT_A_TIME:
            self._open(study)
            return self._on.params(self._session.recommend())

    def _open(self, study: Study) -> tuple[np.ndarray, dict[int, FrozenTrial]]:
        """Tell the session every batch that is complete; the batch that is not, and trials by place."""
        given = self._given(study)
        done = {k: t for k, t in given.items() if t.state == TrialState.COMPLETE}
        values = {place: self._value(study, trial) for place, trial in done.items()}
        if [
            values.get(place) for place in range(self._session.told)
        ] != self._session.values.tolist():
            self._session = self._start()  # it was at work on another study
        while self._session.remaining != 0:
            asked, told = self._session.ask(), self._session.told
            for point, trial in (
                (x, done[told + k]) for k, x in enumerate(asked) if told + k in done
            ):
                self._check(trial, self._on.params(point))
            if not all(told + k in done for k in range(len(asked))):
                return asked, given
            self._session.tell([values[told + k] for k in range(len(asked))])
        return np.empty(0), given

    @staticmethod
    def _given(study: Study) -> dict[int, FrozenTrial]:
        """Trials with a point of the session, by its place; what failed or was pruned leaves its place to another."""
        if len(study.directions) > 1:
            raise ValueError(f"study: it has {len(study.directions)} objectives; expected one")
        lost = (TrialState.FAIL, TrialState.PRUNED)
        trials = [t for t in study.get_trials(deepcopy=False) if PLACE in t.system_attrs]
        return {t.system_attrs[PLACE]: t for t in trials if t.state not in lost}

    def _value(self, study: Study, trial: FrozenTrial) -> float:
        """What the session is told: larger is better."""
        sign = 1.0 if study.direction == StudyDirection.MAXIMIZE else -1.0
        return sign * (trial.values[0] - self._mean) / self._sd

    @staticmethod
    def _check(trial: FrozenTrial, asked: dict[str, Any]) -> None:
        for name, value in trial.params.items():
            same = isinstance(value, float) and math.isclose(value, asked[name], rel_tol=1e-12)
            if not same and value != asked[name]:
                raise ValueError(
                    f"trial {trial.number} has {name}={value!r}, where this sampler asks for "
                    f"{asked[name]!r}; use the seed and settings that the study was begun with"
                )
