"""The answers of the page ``decide`` on a box, from the study there is of it: rankings, curves, and what the factors change.

Keys are those by which the page looks up: ``box fitted final 1 0.1 4`` is the point after 100 evaluations, one a round, noise
0.1, d = 4, with the model fitted as BoTorch ships it.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from itertools import combinations, product
from typing import Any

from companion.core.arrays import Floats
from companion.judge.intervals import Interval, mean_interval, paired_interval
from companion.judge.method_comparison import contrasts
from companion.judge.reported import Margins
from companion.papers.across.experiments import box_study
from companion.papers.across.experiments.box_study import BATCHES, KNOWN, KNOWN_ENTRIES, NOISES, USUAL
from companion.papers.across.experiments.box_study_analysis import COMMON, LEVEL, MEASURES, QUESTIONS, BoxStudy
from companion.papers.across.method.rules import PLAIN, Entry
from companion.papers.across.problems.box_functions import DIMS

DIGITS = 3
#: The model that is fitted as BoTorch ships it, as the page calls it.
FITTED = "fitted"
#: What a row says of its rule: shown to be worse than the best, neither, or level with it.
WORSE, OPEN, LEVEL_WITH = 0, 1, 2
#: Batch and noise of the rankings that were run.
ASKED = (*((1, noise) for noise in NOISES), *((batch, USUAL) for batch in BATCHES if batch > 1))
WITHOUT_MODEL = ("sobol", "random")
#: Columns of a curve, by measure.
PAYOFFS = {name: "plays" if name == "plays" else "point" for name in MEASURES}
Row = list[Any]


def rounded(value: float) -> float | int | None:
    """In three digits, as short as JSON can have it; nothing for what is not finite."""
    if not math.isfinite(value):
        return None
    short = float(f"{value:.{DIGITS}g}")
    return int(short) if short.is_integer() else short


def triple(found: Interval) -> list[Any]:
    """Estimate and ends."""
    return [rounded(v) for v in (found.estimate, *found.ends)]


def key_of(entry: Entry) -> str:
    """``ucb 2``, and ``b-ucb 2`` in batches."""
    return f"{'b-' if entry.rule == 'ucb' and entry.batch > 1 else ''}{entry.rule} {entry.setting}"


def ranked(values: Mapping[Entry, Floats], margins: Margins) -> list[Row]:
    """Rows of a ranking that no other analysis makes, as the protocol of the box has it: paired tests, Holm for all pairs."""
    means = {each: mean_interval(found, margins.confidence) for each, found in values.items()}
    order = sorted(values, key=lambda each: means[each].estimate)
    named = {f"{a} {b}": (order[a], order[b]) for a, b in combinations(range(len(order)), 2)}
    pairs = {name: (values[first], values[other]) for name, (first, other) in named.items()}
    shown = [named[test.where] for test in contrasts(pairs, margins.confidence) if test.shown(margins.significance)]
    worse = {other for first, other in shown if first == order[0]}
    near = means[order[0]].estimate + LEVEL
    return rows_of(order, means, worse, {each for each in order if means[each].estimate <= near} - worse)


def rows_of(
    order: Iterable[Entry], means: Mapping[Entry, Interval], worse: Iterable[Entry], level: Iterable[Entry]
) -> list[Row]:
    """Name, mean with ends and mark of every rule; of those that are level the one that most libraries have is first."""
    marks = dict.fromkeys(worse, WORSE) | dict.fromkeys(level, LEVEL_WITH)
    rule = {name: place for place, name in enumerate(COMMON)}
    first = min(
        (each for each in order if marks.get(each) == LEVEL_WITH), key=lambda each: rule.get(each.rule, len(rule))
    )
    rows = [[key_of(each), *triple(means[each]), marks.get(each, OPEN)] for each in order]
    return sorted(rows, key=lambda row: (row[0] != key_of(first), -int(row[4] == LEVEL_WITH)))


def rankings(study: BoxStudy) -> dict[str, list[Row]]:
    """By measure, batch, noise and dimension with the fitted model; and of the three rules that the true one was told."""
    found = {}
    for measure, (batch, noise), dim in product(MEASURES, ASKED, DIMS):
        of = study.ranking(measure, batch, noise, dim)
        rows = rows_of((of.first, *(each for each in of.order if each != of.first)), of.means, of.worse, of.level)
        found[f"box {FITTED} {measure} {batch} {noise:g} {dim}"] = rows
    for (measure, column), dim in product(MEASURES.items(), DIMS):
        told = {entry: study.values(column, entry, model=KNOWN, dim=dim) for entry in KNOWN_ENTRIES}
        found[f"box {KNOWN} {measure} {KNOWN_ENTRIES[0].batch} {USUAL:g} {dim}"] = ranked(told, study.margins)
    return found


def all_dimensions(study: BoxStudy) -> dict[str, Row]:
    """Of all functions together: the first rule, how many are level with it, and how many are shown to be worse."""
    found: dict[str, Row] = {}
    for measure, (batch, noise) in product(MEASURES, ASKED):
        of = study.ranking(measure, batch, noise)
        found[f"{measure} {batch} {noise:g}"] = [
            [key_of(each) for each in of.level],
            [key_of(each) for each in of.open],
            len(of.worse),
        ]
    return found


def curves(study: BoxStudy, rows: Mapping[str, list[Row]]) -> dict[str, Any]:
    """After every tenth evaluation mean and ends of the rule named first, and means without a model; keys as of the rankings."""
    found: dict[str, Any] = {}
    for key, ranking in rows.items():
        _, model, measure, batch, noise, dim = key.split()
        if model != FITTED:
            continue
        name, setting = ranking[0][0].removeprefix("b-").split()
        rule = Entry(name, 0 if name == "bpe" else int(batch), setting)
        for entry in (rule, *(Entry(each, int(batch), PLAIN) for each in WITHOUT_MODEL)):
            place = f"box {PAYOFFS[measure]} {batch} {noise} {dim} {key_of(entry)}"
            if place not in found:
                drawn = study.curve(PAYOFFS[measure], entry, float(noise), int(dim))
                found[place] = [[rounded(v) for v in column] for column in drawn.T]
    return found


def effects(study: BoxStudy) -> dict[str, Any]:
    """What a factor adds to the regret: by question and measure, then by model or initial points, rule, and d (``all`` for all);
    estimate, ends, whether it is shown (1 adds, -1 takes away), and functions. Of fitting: what it adds to the true model's."""
    found: dict[str, Any] = {}
    for question, measure in product(QUESTIONS, MEASURES):
        for (model, initial, entry, dim), test in study.effects(question, measure).items():
            of = initial if question == "initial points" else model
            told = [*triple(test.difference), int(test.shown(study.margins.significance))]
            if question == "fitting":
                middle, low, high, shown = told
                told = [-middle, -high, -low, -shown]
            key = f"{of}, {key_of(entry)}, {dim or 'all'}"
            found.setdefault(f"box {question} {measure}", {})[key] = [*told, test.difference.count]
    return found


def of_sizes(study: BoxStudy) -> dict[str, Any]:
    """Regret of a rule with so many points a round, less that with one a round: of as many evaluations, or of as many rounds."""
    found: dict[str, Any] = {}
    for (measure, column), batch, dim in product(MEASURES.items(), BATCHES[1:], DIMS):
        for entry in box_study.entries(batch):
            one = Entry(entry.rule, 1, entry.setting)
            many, single = (study.values(column, each, dim=dim) for each in (entry, one))
            found[f"box {measure} {batch} {dim} {key_of(one)}"] = triple(
                paired_interval(many, single, study.margins.confidence)
            )
    return found


def widened(every: Mapping[str, Floats], level: float) -> Row:
    """The width of GP-UCB with the lowest mean, and by width what the others add to its regret."""
    best = min(every, key=lambda width: float(every[width].mean()))
    return [best, {name: triple(paired_interval(v, every[best], level)) for name, v in every.items() if name != best}]


def of_widths(study: BoxStudy) -> dict[str, Any]:
    """Widths of GP-UCB; keys as of the rankings."""
    found: dict[str, Any] = {}
    for (measure, column), (batch, noise), dim in product(MEASURES.items(), ASKED, DIMS):
        upper = [each for each in box_study.entries(batch) if each.rule == "ucb"]
        every = {each.setting: study.values(column, each, noise, dim=dim) for each in upper}
        found[f"box {measure} {batch} {noise:g} {dim}"] = widened(every, study.margins.confidence)
    return found


def boxed(study: BoxStudy) -> dict[str, Any]:
    """All that the page has of a box."""
    rows = rankings(study)
    return {
        "ranks": rows,
        "all": all_dimensions(study),
        "curves": curves(study, rows),
        "effects": effects(study),
        "sizes": of_sizes(study),
        "widths": of_widths(study),
        "functions": {str(dim): len(study.problems(dim)) for dim in DIMS}
        | {"known": len(study.values("rounds", KNOWN_ENTRIES[0], model=KNOWN, dim=DIMS[0]))},
    }
