"""Statements of chapter 6 on methods: on the 36 functions of the study, which are the sample, each rule at its best setting."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

from companion.checks.cases import Case, at_most, none_of
from companion.checks.instance import Instance
from companion.checks.statement import statement
from companion.judge.intervals import mean_interval
from companion.judge.method_comparison import contrasts
from companion.papers.across.experiments.study import NOISES
from companion.papers.across.experiments.study_analysis import Study, relative
from companion.papers.across.method.rules import BATCHES, PROVED
from companion.papers.across.problems.functions import FUNCTIONS, HORIZON

REFERENCE = "ucb"
#: Rules that were played one point at a time and in batches.
BATCHED = ("ucb", "ts", "ts-rsr", "ei", "ei-mean")
MIDDLE = 0.1


class Noise(Instance, words="noise {noises}"):
    """One noise of the study, or all three together."""

    noises: tuple[float, ...]


class On(Instance, words="{problem}"):
    """One of the functions."""

    problem: str


class Batches(Instance, words="{rule}, batches of {size}"):
    """A rule and its batch size."""

    rule: str
    size: int


@lru_cache(maxsize=1)
def study() -> Study:
    """The stored runs."""
    return Study.read()


def noises() -> Iterator[Noise]:
    """Each alone, and all."""
    yield from (Noise((noise,)) for noise in NOISES)
    yield Noise(NOISES)


def _ahead(reference: str, measure: str, at: Noise) -> Case:
    found = study()
    asked = found.judged(measure, 1, at.noises)
    before = asked.order[: asked.order.index(reference)]
    shown = [name for name in before if asked.pairs[name, reference].shown(found.margins.significance)]
    return none_of(len(shown), len(asked.order) - 1, at.where)


@statement(
    "gp-ucb-not-behind",
    "inequality",
    noises,
    teeth={"Thompson sampling in its place": {"reference": "ts"}, "BPE in its place": {"reference": "bpe"}},
)
def nobody_ahead(at: Noise, *, reference: str = REFERENCE) -> Case:
    """By the regret of every play, one point at a time, no rule is shown to be ahead of GP-UCB, each at its best width or scale:
    paired t-tests over the functions, with Holm's correction for all pairs of rules."""
    return _ahead(reference, "cumulative", at)


@statement(
    "point-named",
    "inequality",
    noises,
    teeth={"EI over the largest mean in its place": {"reference": "ei-mean"}},
)
def named(at: Noise, *, reference: str = REFERENCE) -> Case:
    """By the regret of the point with the largest mean after 100 plays, one at a time, no rule is shown to be ahead of GP-UCB,
    each at its best width or scale: paired t-tests over the functions, with Holm's correction for all pairs of rules."""
    return _ahead(reference, "final", at)


@statement(
    "two-widths",
    "inequality",
    noises,
    teeth={"the wide one where every play counts": {"short": "3", "wide": "1"}, "twice the same": {"wide": "1"}},
)
def two_widths(at: Noise, *, short: str = "1", wide: str = "3") -> Iterator[Case]:
    """GP-UCB of width 1 loses less by every play than with width 3, and names a worse point after 100 plays: the 95 % intervals
    of the paired differences over functions lie on one side of zero."""
    found = study()
    for measure, first, second in (("cumulative", short, wide), ("final", wide, short)):
        gap = found.values(measure, REFERENCE, first, 1, at.noises) - found.values(
            measure, REFERENCE, second, 1, at.noises
        )
        yield at_most(mean_interval(gap, found.margins.confidence).high, -1e-9, f"{measure}, {at.where}")


@statement(
    "batches-by-rounds",
    "inequality",
    lambda: (Batches(rule, size) for rule in BATCHED for size in BATCHES),
    teeth={"counted by plays": {"measure": "cumulative"}},
)
def fewer_rounds(of: Batches, *, measure: str = "rounds") -> Case:
    """After ten rounds of feedback a rule in batches names a better point than with single points, at noise 0.1 and each at its
    best setting: the 95 % interval of the paired difference over functions lies below zero."""
    found = study()
    pair = [found.tuned(measure, of.rule, size, (MIDDLE,))[0] for size in (of.size, 1)]
    (test,) = contrasts({of.where: (pair[0], pair[1])}, found.margins.confidence)
    return at_most(test.difference.high, 0.0, of.where)


@statement(
    "compression-for-nothing",
    "inequality",
    noises,
    teeth={"random points instead": {"rule": "random", "setting": "-"}, "no compression": {"rule": REFERENCE}},
)
def compressed(at: Noise, *, rule: str = "compressed-ucb", setting: str = "2") -> Iterator[Case]:
    """By the regret of every play compressed UCB is GP-UCB of the same width within the margin fixed before the runs, as a ratio
    over functions, and it evaluates fewer than half of its plays."""
    found = study()
    ratio = relative(
        found.values("cumulative", rule, setting, 1, at.noises),
        found.values("cumulative", REFERENCE, "2", 1, at.noises),
    )
    margin = found.margins.claims["comparable"]
    yield at_most(ratio.high, 1.0 + margin, f"regret above GP-UCB's, {at.where}")
    yield at_most(1.0 - margin, ratio.low, f"regret below GP-UCB's, {at.where}")
    kept = float(found.values("evaluations", rule, setting, 1, at.noises).mean())
    yield at_most(found.margins.claims["saves"] * kept, float(HORIZON), f"evaluations, {at.where}")


@statement(
    "width-before-method",
    "inequality",
    lambda: (On(problem) for problem in FUNCTIONS),
    teeth={"width 2 itself": {"width": "2"}},
)
def width_first(at: On, *, width: str = PROVED) -> Case:
    """With the shortest width that is proved here for draws GP-UCB loses more by every play than with width 2, on every function,
    averaged over the noises."""
    found = study()
    long, two = (
        float(found.values("cumulative", REFERENCE, setting, problems=(at.problem,))[0]) for setting in (width, "2")
    )
    return at_most(two + 1e-9, long, at.where)
