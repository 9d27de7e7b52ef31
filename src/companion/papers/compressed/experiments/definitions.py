"""The experiments of chapter 2 that the command line and the notebook run.

A seed decides about the initial points, the noise of every round (for the tuning experiment, which stored training of a
configuration is seen) and the numbers from which BKB draws. All methods at one seed share them: a rejected round skips its
noise and leaves that of later rounds alone. Regret is charged in every round, rejected or not, and without noise.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from companion.bounds.confidence import SrinivasDrawsWidth
from companion.core.arrays import Floats
from companion.core.errors import ParameterError, nearest
from companion.core.parameters import ParameterSet
from companion.core.randomness import stream
from companion.papers.compressed.experiments.parameters import Common, Example, Logistic, Rosenbrock
from companion.papers.compressed.method import admission
from companion.papers.compressed.method.admission import Admission
from companion.papers.compressed.method.bkb import BKBandit
from companion.papers.compressed.method.policy import ACQUISITIONS, CompressedBandit
from companion.papers.compressed.problems import catalogue
from companion.papers.compressed.problems.catalogue import ChapterProblem
from companion.policies import Batch, Policy
from companion.problems.datasets import DataUsed
from companion.simulate import Experiment, Method, Trajectory, run_policy

MODELS = {"gp": "dense", "cgp": "compressed", "bkb": "BKB"}
_NAMES = {"ucb": "upper confidence bound", "ei": "expected improvement", "mpi": "expected improvement over the mean"}
METHODS = tuple(
    Method(f"{model}-{acquisition}", f"{_NAMES[acquisition]}, {title} model")
    for model, title in MODELS.items()
    for acquisition in ACQUISITIONS
)


@dataclass(frozen=True, eq=False)
class CompressedSetup:
    """One run, ready to start.

    Parameters
    ----------
    chapter : the problem
    policy : fresh
    noise : (n_0 + T,) noise of every evaluation, model units; zeros where stored runs are seen
    picks : (n_0 + T,) which stored run is seen; ``None`` where noise is added
    facts : further identification of the run
    """

    chapter: ChapterProblem
    policy: CompressedBandit | BKBandit
    noise: Floats
    picks: NDArray[np.intp] | None
    facts: dict[str, Any]

    def run(self, wrap: Callable[[Policy], Policy] = lambda policy: policy) -> Trajectory:
        """Run the policy; ``wrap`` may stand between it and the loop, to measure.

        The diagnostics get ``evaluated`` (T,), whether a round's value was looked at, and ``objective_seconds`` (T,), the
        stored CPU seconds of the trainings looked at. The observation of a rejected round is listed and was never seen.
        """
        policy: Policy = self.policy
        values = self.chapter.problem.values
        if self.picks is not None:
            assert self.chapter.residuals is not None
            values = values[:, None] + self.chapter.residuals
            policy = StoredRuns(policy, values, self.picks)
        run = run_policy(wrap(policy), self.chapter.problem, len(self.noise), self.noise, self.facts)
        observed = run.observation if self.picks is None else values[run.query, self.picks]
        evaluated = self._evaluated(run)
        seconds = np.zeros(len(run))
        if self.chapter.seconds is not None and self.picks is not None:
            seconds = np.where(evaluated, self.chapter.seconds[run.query, self.picks], 0.0)
        known = {"evaluated": evaluated, "objective_seconds": seconds}
        return replace(run, observation=observed, diagnostics={**run.diagnostics, **known})

    def _evaluated(self, run: Trajectory) -> NDArray[np.bool_]:
        evaluated = np.ones(len(run), dtype=bool)
        if "kept_rounds" in run.diagnostics:
            rounds = np.asarray(run.diagnostics["kept_rounds"], dtype=np.intp)
            evaluated[self.chapter.initial :] = False
            evaluated[self.chapter.initial + rounds - 1] = True
        return evaluated


class StoredRuns:
    """A policy that is given stored runs instead of the loop's noise-free values.

    Parameters
    ----------
    policy : asked and told
    values : (N, k) stored observations of every candidate
    picks : which of the k is seen at evaluation t, in order
    """

    def __init__(self, policy: Policy, values: Floats, picks: NDArray[np.intp]) -> None:
        self._policy, self._values, self._picks = policy, values, picks
        self._query = np.empty(0, dtype=np.intp)
        self._done = 0

    @property
    def model_order(self) -> int:
        """Of the policy behind."""
        return int(getattr(self._policy, "model_order", self._done))

    def ask(self, remaining: int) -> Batch:
        """As the policy behind."""
        batch = self._policy.ask(remaining)
        self._query = batch.query
        return batch

    def tell(self, observations: Floats) -> None:
        """The stored observations of the points asked last; the argument is ignored."""
        picks = self._picks[self._done : self._done + len(self._query)]
        self._done += len(self._query)
        self._policy.tell(self._values[self._query, picks])

    def recommend(self) -> int:
        """As the policy behind."""
        return self._policy.recommend()

    def diagnostics(self) -> dict[str, Any]:
        """As the policy behind."""
        return self._policy.diagnostics()


def chapter_problem(p: Common) -> ChapterProblem:
    """The problem of an experiment."""
    if isinstance(p, Example):
        return catalogue.example(p.points, p.low, p.high, p.noise_variance, p.lengthscale)
    if isinstance(p, Rosenbrock):
        return catalogue.rosenbrock(p.points_per_axis, p.low, p.high, p.noise_variance, p.lengthscale)
    assert isinstance(p, Logistic)
    return catalogue.logistic(p.data, p.configurations, p.lengthscale)


def admission_of(method: str, p: Common) -> Admission:
    """The rule of a dense or compressed method."""
    if method.startswith("gp-"):
        return admission.dense()
    reading, noise_variance = p.reading, p.noise_variance
    if reading == "info-horizon":
        return admission.information(admission.horizon_budget(p.horizon, p.alpha), noise_variance)
    return admission.by_reading(reading.removesuffix("-printed"), p.epsilon, noise_variance)


def setup(name: str, method: str, seed: int, p: Common) -> CompressedSetup:
    """One run of experiment ``name``."""
    _check(p)
    chapter = chapter_problem(p)
    size, model_noise = chapter.problem.size, p.noise_variance
    rounds = chapter.initial + p.horizon
    if size <= chapter.initial:
        raise ParameterError("points", f"gives {size} candidates", f"more than the {chapter.initial} initial points")
    initial = stream(seed, "compressed", name, "initial").choice(size, chapter.initial, replace=False)
    generator = stream(seed, "compressed", name, "noise")
    noise, picks = np.zeros(rounds), None
    if chapter.residuals is None:
        noise = chapter.problem.noise_sd * generator.standard_normal(rounds)
    else:
        picks = generator.integers(chapter.residuals.shape[1], size=rounds)
    model, acquisition = method.split("-")
    width = SrinivasDrawsWidth(size, p.delta)
    facts = {**chapter.meta, "initial": chapter.initial, "scale": chapter.scale, "optimum": chapter.problem.optimum}
    policy: CompressedBandit | BKBandit
    if model == "bkb":
        policy = BKBandit(
            chapter.covariance,
            model_noise,
            acquisition,
            width,
            stream(seed, "compressed", name, "bkb"),
            initial,
            oversampling=p.oversampling,
            form=p.bkb_width,
        )
    else:
        rule = admission_of(method, p)
        facts |= {"rule": rule.reading, "threshold": rule.threshold}
        capacity = min(rounds, 4096)
        policy = CompressedBandit(
            chapter.covariance,
            model_noise,
            acquisition,
            rule,
            width,
            initial,
            capacity=capacity,
            posterior=p.posterior,
        )
    return CompressedSetup(chapter, policy, noise, picks, facts)


def average_regret(run: Trajectory) -> Floats:
    """(T,) mean regret of rounds 1 to t, initial points left out: the paper's "mean average regret" of one run."""
    regret = run.instantaneous_regret[run.meta["initial"] :]
    return np.cumsum(regret) / np.arange(1, len(regret) + 1)


def checkpoints(horizon: int, points: int = 30) -> NDArray[np.intp]:
    """Up to ``points`` rounds from 1 to the horizon, evenly spread: where curves are kept."""
    return np.unique(np.linspace(1, horizon, min(points, horizon)).round().astype(np.intp))


def experiment(name: str) -> Experiment[CompressedSetup]:
    """One of :data:`EXPERIMENTS`."""
    known = {entry.name: entry for entry in EXPERIMENTS}
    if name not in known:
        raise ParameterError("experiment", f"got {name!r}", ", ".join(known), nearest(name, known))
    return known[name]


def _check(p: Common) -> None:
    """Refuse a setting without effect: it is more often a slip than a wish."""
    horizon = p.reading == "info-horizon"
    if not horizon and p.alpha != Common.alpha:
        raise ParameterError("alpha", f"has no effect with reading={p.reading}", "reading=info-horizon")
    if horizon and p.epsilon != Common.epsilon:
        raise ParameterError("epsilon", "has no effect with reading=info-horizon", "another reading, or alpha")


def _experiment(name: str, summary: str, kind: type[Common], source: str) -> Experiment[CompressedSetup]:
    data = _trainings if kind is Logistic else None
    return Experiment("compressed", name, summary, METHODS, ParameterSet.of(kind), partial(setup, name), source, data)


def _trainings(p: Logistic) -> DataUsed:
    return catalogue.trainings_used(p.data)


EXPERIMENTS = (
    _experiment(
        "example-function",
        "Average regret and model order on sin x + cos x + 0.1 x, as in Figure 1 and Table 2.",
        Example,
        "Sec. 4.1, Figure 1, Table 2",
    ),
    _experiment(
        "rosenbrock",
        "The same on Rosenbrock's function with a = 1, b = 10, as in Figure 2 and Table 3.",
        Rosenbrock,
        "Sec. 4.2, Figure 2, Table 3",
    ),
    _experiment(
        "logistic",
        "The same for the tuning of logistic regression on images, by look-up, as in Figure 3 and Table 4.",
        Logistic,
        "Sec. 4.3, Figure 3, Table 4",
    ),
)
