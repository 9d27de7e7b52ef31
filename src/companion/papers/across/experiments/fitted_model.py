r"""Which method, with a fitted model: the papers' rules and BoTorch's own, all on BoTorch's model as it is shipped.

What follows was fixed, and committed with the code of runs and analysis, before any run that is stored. Known then were
times, from runs at seeds that are not stored, and what the library returns for points chosen at random.

Runs
    Eight functions of :mod:`.functions`, d from 1 to 6, of all three groups; noise 0.1 of the range; designs and noises of the
    study at seeds from 0. 10 initial plays and 40 more, one a round or in rounds of five: 50 in all, so that "half" of the
    study stands after as many. With one a round at three seeds, in fives at five. They are made seed by seed, and computing
    ends after 45 processor minutes: a seed counts if all its runs with the same number a round are there. Results are not
    looked at before.

Model
    ``SingleTaskGP`` with nothing said: inputs in the unit cube, ``Standardize`` of outcomes, its kernel and priors, noise
    inferred. Fitted anew by ``fit_gpytorch_mll`` before every round; its random numbers depend on seed and round alone. The
    same rules of the papers are played with the *known* model of :mod:`.study_play` at the same seeds.

Rules
    Of the library, by its input constructors and ``optimize_acqf_discrete`` on the 400 candidates, which by default takes none
    twice into a batch: qLogNEI, and qUCB with the default beta 0.2. Knowledge gradient, which that optimiser refuses: its 64
    fantasies with the best candidate of each, exactly; on two functions, one a round, 30 plays, and without a test. Of the
    papers, on mean and joint covariance of the same fitted model: GP-UCB with width 2 and B-UCB with widths 1 and 2, Thompson
    sampling, TS-RSR, EI over the largest mean. Random candidates.

Measures
    Those of the study, in units of the gap: the mean regret of all plays, and the regret of the candidate with the largest mean
    of the rule's own model after 30 and 50.

Analysis
    Functions as the sample, each a mean over its seeds; paired t-tests; Holm within a measure for all comparisons of one
    question, both batches together. (1) What fitting costs a rule: fitted minus known. (2) Whether it changes the order: for
    every two rules of the papers, their difference fitted minus their difference known. The rules are said to change places
    only if that is shown. (3) The library against the papers, all fitted: qLogNEI and qUCB minus each rule. "Better" is said
    if shown at 5 %, otherwise "not told apart" with the interval, which is never called equality: eight functions see large
    differences alone. A difference at one width is a sentence about that width.
"""

from __future__ import annotations

import time
import warnings
from dataclasses import dataclass
from functools import cached_property
from importlib.metadata import version
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from companion.core.arrays import Floats, Indices
from companion.core.optional_libraries import with_advice
from companion.core.randomness import stream
from companion.judge.method_comparison import Contrast, contrasts
from companion.judge.reported import Margins, load_margins
from companion.papers.across.experiments.study_play import EARLY, TOLERANCES, Played, design_of, noise_of, play
from companion.papers.across.method.rules import PLAIN, Entry, rule_of
from companion.papers.across.problems.common import stored_set
from companion.papers.across.problems.functions import INITIAL, SIZE, Function, candidates, function
from companion.papers.tsrsr.method.round import DenseRound
from companion.simulate.replicate import single_threaded
from companion.simulate.task_store import Task
from companion.stored.blocks import Block, RunTable, untimed
from companion.stored.runs import PaperRuns

PROBLEMS = (
    "draw-se-1d", "norm-matern25-2d", "bird-2d", "branin-2d", "draw-matern15-3d", "hartmann-3d", "levy-4d", "hartmann-6d",
)  # fmt: skip
PLAYS, SHARE = 50, 0.1
#: Of each function, by points a round.
SEEDS = {5: 5, 1: 3}
FITTED, KNOWN = "fitted", "known"
#: BoTorch's rules, as tables and pages call them.
LIBRARY = {"qlognei": "qLogNEI", "qucb": "qUCB", "qkg": "knowledge gradient"}
KG, KG_PROBLEMS = Entry("qkg", 1, PLAIN), ("branin-2d", "hartmann-3d")
#: Its choices depend on no model, which is fitted after every tenth play only.
FLOOR = Entry("random", 10, PLAIN)


def papers_entries(batch: int) -> tuple[Entry, ...]:
    """Of the papers."""
    upper = [("ucb", "2")] if batch == 1 else [("ucb", "2"), ("ucb", "1")]
    return tuple(
        Entry(rule, batch, setting) for rule, setting in (*upper, ("ts", "1"), ("ts-rsr", "1"), ("ei-mean", PLAIN))
    )


def library_entries(batch: int) -> tuple[Entry, ...]:
    """Of the library, without the knowledge gradient."""
    return tuple(Entry(rule, batch, PLAIN) for rule in ("qlognei", "qucb"))


# -- the model and the library's rules ---------------------------------------------------------------------------------


class Fitted:
    """BoTorch's model of what was seen, as shipped, and what rules see of it.

    Parameters
    ----------
    points : (N, d) candidates
    at, seen : (n,) which were played, and what was seen there
    """

    def __init__(self, points: Floats, at: Indices, seen: Floats) -> None:
        import torch

        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of the library's own imports, and of its optimiser's retries
            from botorch.fit import fit_gpytorch_mll
            from botorch.models import SingleTaskGP
            from botorch.utils.datasets import SupervisedDataset
            from gpytorch.mlls import ExactMarginalLogLikelihood

            self.points = torch.as_tensor(points)
            x, y = self.points[torch.as_tensor(at)], torch.as_tensor(seen)[:, None]
            names = [f"x{place}" for place in range(points.shape[1])]
            self.data = SupervisedDataset(x, y, feature_names=names, outcome_names=["y"])
            self.model: Any = SingleTaskGP(x, y)
            fit_gpytorch_mll(ExactMarginalLogLikelihood(self.model.likelihood, self.model))

    @cached_property
    def round(self) -> DenseRound:
        """Mean, joint covariance and noise in the units of what was seen; the incumbent is the largest mean."""
        import torch

        with torch.no_grad():
            posterior = self.model.posterior(self.points)
            mean = posterior.mean[:, 0].numpy()
            covariance = posterior.distribution.covariance_matrix.numpy()
            variance = float(self.model.likelihood.noise) * float(self.model.outcome_transform.stdvs) ** 2
        return DenseRound(0, mean, covariance, variance, float(mean.max()))

    def acquisition(self, rule: str) -> Any:
        """One of :data:`LIBRARY` by the library's constructor of its inputs."""
        from botorch import acquisition
        from botorch.acquisition.input_constructors import get_acqf_input_constructor

        kind, given = {
            "qlognei": (acquisition.qLogNoisyExpectedImprovement, {"training_data": self.data}),
            "qucb": (acquisition.qUpperConfidenceBound, {}),
            "qkg": (acquisition.qKnowledgeGradient, {"training_data": self.data, "bounds": None}),
        }[rule]
        return kind(**get_acqf_input_constructor(kind)(model=self.model, **given))

    def choose(self, rule: str, size: int) -> Indices:
        """(size,) candidates that the library's rule chooses."""
        from botorch.optim import optimize_acqf_discrete

        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            made = self.acquisition(rule)
            if rule == "qkg":
                return np.array([self.fantasies(made)[0].argmax()])
            found, _ = optimize_acqf_discrete(made, size, self.points)
        return np.asarray((self.points[None] == found[:, None]).all(dim=2).int().argmax(dim=1).numpy())

    def fantasies(self, made: Any) -> tuple[Floats, Indices]:
        r"""(N,) values of the knowledge gradient at the candidates, and (F, N) the best candidate of each fantasy.

        .. math:: \frac1F\sum_f\max_i\Big(\mu(x_i)+\frac{\Sigma(x_i,x)}{\sqrt{\Sigma(x,x)+\lambda}}z_f\Big)

        with the acquisition's own numbers z. At these fantasy points its value is this one; other points give it a smaller one.
        """
        import torch

        now = self.round
        with torch.no_grad():
            made.sampler(self.model.posterior(self.points[:, None, :], observation_noise=True))
        z = made.sampler.base_samples.reshape(-1).numpy()
        slope = now.covariance / np.sqrt(now.variance + now.noise_variance)[:, None]
        values, best = np.zeros(len(slope)), []
        for each in z:
            means = now.mean + each * slope
            best.append(means.argmax(axis=1))
            values += means.max(axis=1) / len(z)
        return values, np.array(best)


# -- the runs ----------------------------------------------------------------------------------------------------------


@with_advice()
def play_fitted(problem: Function, entry: Entry, seed: int, plays: int = PLAYS) -> Played:
    """One run with the fitted model, see :func:`~.study_play.play`; ``LibraryError`` where BoTorch is not installed."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from botorch.utils.sampling import manual_seed

    noise, at = noise_of(problem, SHARE, seed + 1)[seed], design_of(problem, seed + 1)[seed]
    points, generator = candidates(problem.dim), stream(seed, "study", problem.name, "rule", entry.rule, entry.batch)
    ends, recommended = [], []
    while True:
        with manual_seed(1000 * seed + len(at)):  # the library takes no generator; the state before comes back
            model = Fitted(points, at, problem.values[at] + noise[: len(at)])
            ends.append(len(at))
            recommended.append(model.round.mean.argmax())
            if len(at) == plays:
                break
            if entry.rule in LIBRARY:
                chosen = model.choose(entry.rule, entry.batch)
            else:
                chosen = rule_of(entry, SIZE).choose(model.round, entry.batch, generator)
        at = np.append(at, chosen)
    return Played(at[None], (problem.values[at] + noise[:plays])[None], np.array(ends), np.array(recommended)[None])


def play_known(problem: Function, entry: Entry, seed: int) -> Played:
    """The run of the study at this seed, as far as the fitted ones go."""
    run = play(problem, SHARE, entry, seed + 1)
    last = int(np.searchsorted(run.ends, PLAYS, side="right"))
    query, observed = run.query[seed:, :PLAYS], run.observed[seed:, :PLAYS]
    return Played(query, observed, run.ends[:last], run.recommended[seed:, :last])


def row(problem: Function, run: Played) -> dict[str, Any]:
    """What is kept of one run, in units of the gap; a number after more plays than it had is not among it."""
    regret = (problem.values.max() - problem.values) / problem.gap
    reported = dict(zip(run.ends.tolist(), regret[run.recommended[0]].tolist(), strict=True))
    found: dict[str, Any] = {"cumulative": float(regret[run.query[0]].mean()), "early": reported[EARLY]}
    if PLAYS not in reported:
        return found
    found["half"] = reported[PLAYS]
    for name, tolerance in TOLERANCES.items():
        found |= {f"{name}_{plays}": int(reported[plays] <= tolerance) for plays in range(INITIAL, PLAYS + 1, 10)}
    return found


@dataclass(frozen=True)
class FittedPlan:
    """Which runs are made: functions, and seeds of each by points a round."""

    problems: tuple[str, ...] = PROBLEMS
    seeds: tuple[tuple[int, int], ...] = tuple(SEEDS.items())


def _task(problem: str, entry: Entry, model: str, seed: int) -> Task:
    values = {"problem": problem, "batch": entry.batch, "setting": entry.setting, "model": model}
    return Task("across/shipped", entry.rule, values, seed)


def blocks(plan: FittedPlan) -> list[Block]:
    """Seed by seed; the store makes them in an order of its own, so that only the whole plan is a set of whole seeds."""
    order = sorted(((seed + 1) / count, batch, seed) for batch, count in plan.seeds for seed in range(count))
    found = []
    for _, batch, seed in order:
        asked: list[tuple[str, Entry, str]] = []
        for name in plan.problems:
            fitted = (*library_entries(batch), *papers_entries(batch))
            fitted += (FLOOR,) if batch > 1 else (KG,) if name in KG_PROBLEMS else ()
            asked += [(name, entry, FITTED) for entry in fitted]
            asked += [(name, entry, KNOWN) for entry in papers_entries(batch)]
        found.append(Block("shipped", [_task(name, entry, model, seed) for name, entry, model in asked]))
    return found


def compute(task: Task) -> dict[str, Any]:
    """What is kept of a run."""
    p = task.parameters
    problem, entry = function(p["problem"]), Entry(task.method, p["batch"], p["setting"])
    began = time.process_time()
    with single_threaded():
        if p["model"] == KNOWN:
            run = play_known(problem, entry, task.seed)
        else:
            run = play_fitted(problem, entry, task.seed, EARLY if entry == KG else PLAYS)
        found = row(problem, run)
    return found | {"seconds": time.process_time() - began}


KEY = ("problem", "model", "method", "batch", "setting", "seed")
TABLES = {
    "shipped": RunTable(KEY, untimed, digits=6),
    "shipped_seconds": RunTable(KEY, lambda task, result: {"seconds": result["seconds"]}, compared=False, digits=3),
}
STORED = stored_set("shipped", "shipped", "shipped_seconds", module=__name__)
RUNS = PaperRuns(
    stored=STORED,
    plan=FittedPlan(),
    blocks=blocks,
    compute=compute,
    tables=TABLES,
    seeds=lambda plan: range(max(count for _, count in plan.seeds)),
    settings=lambda plan: {"libraries": {name: version(name) for name in ("botorch", "gpytorch", "torch")}},
)
store, load = RUNS.store, STORED.load


# -- the analysis ------------------------------------------------------------------------------------------------------

MEASURES = ("cumulative", "early", "half")


@dataclass(frozen=True, eq=False)
class Shipped:
    """The three questions of the protocol; ``table`` has the stored runs, ``margins`` are those of chapter 6."""

    table: pd.DataFrame
    margins: Margins

    @classmethod
    def read(cls, root: Path | None = None) -> Shipped:
        """Tables and margins; errors as of :meth:`companion.stored.runs.PaperRuns.load`."""
        return cls(load(root).tables["shipped"], load_margins("across", root))

    @cached_property
    def _means(self) -> pd.DataFrame:
        return self.table.groupby(["model", "method", "batch", "setting", "problem"])[list(MEASURES)].mean()

    def values(self, measure: str, entry: Entry, model: str = FITTED) -> Floats:
        """(functions,) a measure, averaged over seeds."""
        part = self._means.loc[(model, entry.rule, entry.batch, entry.setting)][measure]
        return np.asarray(part.reindex([name for name in PROBLEMS if name in part.index]), dtype=np.float64)

    def _tested(self, pairs: dict[tuple[Entry, ...], tuple[Floats, Floats]]) -> dict[tuple[Entry, ...], Contrast]:
        named = {" ".join(f"{e.rule} {e.batch} {e.setting}" for e in key): key for key in pairs}
        tests = contrasts({name: pairs[key] for name, key in named.items()}, self.margins.confidence)
        return {named[test.where]: test for test in tests}

    def fitting(self, measure: str) -> dict[tuple[Entry, ...], Contrast]:
        """Fitted minus known, by rule."""
        entries = [entry for batch in SEEDS for entry in papers_entries(batch)]
        return self._tested({(e,): (self.values(measure, e), self.values(measure, e, KNOWN)) for e in entries})

    def order(self, measure: str) -> dict[tuple[Entry, ...], Contrast]:
        """Of every two rules of the papers with as many points a round: their difference fitted, minus that known."""
        found: dict[tuple[Entry, ...], tuple[Floats, Floats]] = {}
        for one, two in (pair for batch in SEEDS for pair in combinations(papers_entries(batch), 2)):
            gaps = [self.values(measure, one, model) - self.values(measure, two, model) for model in (FITTED, KNOWN)]
            found[one, two] = (gaps[0], gaps[1])
        return self._tested(found)

    def library(self, measure: str) -> dict[tuple[Entry, ...], Contrast]:
        """The library's rule minus the papers', all on the fitted model."""
        pairs = [(one, two) for b in SEEDS for one in library_entries(b) for two in papers_entries(b)]
        return self._tested({pair: (self.values(measure, pair[0]), self.values(measure, pair[1])) for pair in pairs})
