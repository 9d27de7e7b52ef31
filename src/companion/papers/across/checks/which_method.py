"""What chapter 6 states of methods: on its eight problems, with common functions, points, noise and width."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

from companion.checks.cases import Case, at_most, none_of
from companion.checks.instance import Instance
from companion.checks.statement import statement
from companion.papers.across.contest import BATCHED, REFERENCE, SIZES, Contest, Ranking, ranking
from companion.papers.across.experiments.problems import PROBLEMS
from companion.papers.across.experiments.runs import COMPACT, ONE_WIDTH
from companion.reproduce.compare import contrasts


class On(Instance, words="{problem}"):
    """One of the common problems."""

    problem: str


class Batches(Instance, words="{rule}, batches of {size}"):
    """A rule and its batch size."""

    rule: str
    size: int


@lru_cache(maxsize=1)
def stored() -> Contest:
    """The stored runs."""
    return Contest.read()


@lru_cache(maxsize=2)
def _ranked(metric: str) -> Ranking:
    return ranking(stored(), metric)


@statement(
    "gp-ucb-not-behind",
    "inequality",
    lambda: (On(problem) for problem in PROBLEMS),
    teeth={"batch Thompson sampling in its place": {"reference": "ts-5"}, "BPE in its place": {"reference": "bpe"}},
)
def nobody_ahead(at: On, *, reference: str = REFERENCE) -> Case:
    """On no problem is a method shown to have a smaller cumulative regret than GP-UCB with the common width, but for its
    compressed forms: paired t-tests over the seeds, with Holm's correction for the methods on this problem."""
    found = stored()
    pairs = {
        entry: (found.values(at.problem, entry), found.values(at.problem, reference))
        for entry in ONE_WIDTH
        if entry != reference and entry not in COMPACT
    }
    tests = contrasts(pairs, found.margins.confidence)
    ahead = [test.where for test in tests if test.shown(found.margins.significance) < 0]
    return none_of(len(ahead), len(tests), at.where)


class Against(Instance, words="{entry}"):
    """An entry of the ranking, against GP-UCB."""

    entry: str


@statement(
    "point-named",
    "inequality",
    lambda: (Against(entry) for entry in ONE_WIDTH if entry != REFERENCE),
    teeth={"the best point evaluated": {"metric": "simple"}},
)
def named(of: Against, *, metric: str = "recommended") -> Case:
    """By the regret of the point that it names after 125 evaluations no method is shown to rank ahead of GP-UCB: ranks averaged
    over the problems, paired t-tests over the seeds, with Holm's correction for all pairs of methods."""
    found = stored()
    sign = _ranked(metric).against(of.entry, REFERENCE, found.margins.significance)
    return none_of(int(sign < 0), 1, of.where)


@statement(
    "batches-by-rounds",
    "inequality",
    lambda: (Batches(rule, size) for rule in BATCHED for size in SIZES),
    teeth={"counted by evaluations": {"metric": "cumulative"}},
)
def fewer_rounds(of: Batches, *, metric: str = "by_rounds") -> Case:
    """After as many rounds of feedback a rule in batches has a smaller simple regret than with single points: the 95 % interval
    of the paired difference, in units of the latter's mean and averaged over the problems, lies below zero."""
    found, alone = stored(), BATCHED[of.rule]
    pair = (found.of_level(f"{of.rule}-{of.size}", alone, metric), found.of_level(alone, alone, metric))
    (test,) = contrasts({of.where: pair}, found.margins.confidence)
    return at_most(test.difference.high, 0.0, of.where)


@statement(
    "compression-for-nothing",
    "inequality",
    lambda: (On(problem) for problem in PROBLEMS),
    teeth={"random points instead": {"entry": "random"}, "no compression": {"entry": REFERENCE}},
)
def compressed(at: On, *, entry: str = "compressed") -> Iterator[Case]:
    """Averaged over the problems, the cumulative regret of compressed UCB is that of GP-UCB within the margin fixed before the
    runs, and its model keeps fewer points than half; on each problem it keeps fewer."""
    found = stored()
    pair = (found.of_level(entry, REFERENCE), found.of_level(REFERENCE, REFERENCE))
    (test,) = contrasts({entry: pair}, found.margins.confidence)
    margin, saves = found.margins.claims["comparable"], found.margins.claims["saves"]
    yield at_most(test.difference.high, margin, "regret above GP-UCB's")
    yield at_most(-test.difference.low, margin, "regret below GP-UCB's")
    kept, whole = ([float(found.values(name, one, "kept").mean()) for name in PROBLEMS] for one in (entry, REFERENCE))
    yield at_most(saves * sum(kept), sum(whole), "points kept on all problems")
    here = PROBLEMS.index(at.problem)
    yield at_most(kept[here] + 1.0, whole[here], f"points kept, {at.where}")


@statement(
    "width-before-method",
    "inequality",
    lambda: (On(problem) for problem in PROBLEMS),
    teeth={"the common width itself": {"own": REFERENCE}},
)
def width_first(at: On, *, own: str = "gp-ucb/own") -> Case:
    """With the width of Srinivas et al. GP-UCB loses more than with the common width, on every problem: the 95 % interval of
    the paired difference of cumulative regrets lies above zero."""
    found = stored()
    pair = (found.values(at.problem, own), found.values(at.problem, REFERENCE))
    (test,) = contrasts({at.where: pair}, found.margins.confidence)
    return at_most(1e-9, test.difference.low, at.where)
