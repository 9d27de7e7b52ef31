"""Tables and numbers of the study with a fitted model on a box, and where it agrees with the study on candidates."""

from __future__ import annotations

from functools import lru_cache
from itertools import product
from typing import Any, NamedTuple

import pandas as pd

from companion.judge.intervals import Interval, paired_interval
from companion.pages import Numbers, Table
from companion.pages.provenance import Provenance, stored
from companion.papers.across.experiments import box_study, study
from companion.papers.across.experiments.box_study import BATCHES, INITIAL, KNOWN, NOISES, USUAL
from companion.papers.across.experiments.box_study_analysis import MEASURES, BoxStudy
from companion.papers.across.experiments.study_analysis import Study
from companion.papers.across.method.rules import PLAIN, Entry
from companion.papers.across.page.which_method import ends, setting_title, title
from companion.papers.across.problems.box_functions import DIMS

#: Measures as tables call them.
WORDS = {
    "plays": "every play",
    "early": "the point after 30",
    "half": "the point after 50",
    "final": "the point after 100",
    "rounds": "the point after ten rounds",
}
CONFIRMED, NOT_SHOWN, CONTRARY = "confirmed", "not shown", "the other way"
OWN = {"nei": "noisy EI", "sobol": "Sobol points"}


class Saying(NamedTuple):
    """What the study on candidates shows: of two rules the first has less regret.

    Parameters
    ----------
    measure : of the study on the box; that on candidates has the same under another name
    better, worse : rule, setting, points a round
    """

    measure: str
    better: tuple[str, str, int]
    worse: tuple[str, str, int]


#: Each is shown on candidates, at noise 0.1 (a test asks).
SAYINGS = (
    Saying("plays", ("ucb", "1", 1), ("ucb", "3", 1)),
    Saying("plays", ("ucb", "1", 1), ("ts", PLAIN, 1)),
    Saying("plays", ("ei-mean", PLAIN, 1), ("ei", PLAIN, 1)),
    Saying("plays", ("ts-rsr", PLAIN, 1), ("ts", PLAIN, 1)),
    Saying("plays", ("ucb", "2", 1), ("ucb", "2", 10)),
    Saying("final", ("ucb", "3", 1), ("ucb", "1", 1)),
    Saying("final", ("ucb", "2", 1), ("random", PLAIN, 1)),
    Saying("final", ("ei", PLAIN, 1), ("random", PLAIN, 1)),
    Saying("final", ("ei", PLAIN, 1), ("ei-mean", PLAIN, 1)),
    Saying("rounds", ("ucb", "2", 10), ("ucb", "2", 1)),
)
_ON_CANDIDATES = {"plays": "cumulative", "final": "final", "rounds": "rounds"}
#: Settings of the study on candidates that the box calls plain.
_SCALE = {"ts": "1", "ts-rsr": "1"}


@lru_cache(maxsize=1)
def evidence() -> BoxStudy:
    """The stored runs; errors as of :meth:`companion.papers.across.experiments.box_study_analysis.BoxStudy.read`."""
    return BoxStudy.read()


@lru_cache(maxsize=1)
def provenance() -> Provenance:
    """Source of the numbers."""
    return stored(box_study.load().record.to_dict(), box_study.STORED)


def named(entry: Entry) -> str:
    """A rule with its setting, as pages call it."""
    rule = OWN.get(entry.rule) or title(entry.rule, entry.batch)
    return ", ".join(filter(None, (rule, setting_title(entry.rule, entry.setting))))


def means_table() -> Table:
    """Every rule by both payoffs, in each dimension and in all, at the usual noise, one a round."""
    found, rows = evidence(), dict[Entry, dict[str, Any]]()
    for measure, dim in product(("plays", "final"), (*DIMS, None)):
        ranking = found.ranking(measure, dim=dim)
        for entry in ranking.order:
            mark = "*" if entry in ranking.level else "" if entry in ranking.open else "-"
            column = f"{WORDS[measure]}, {'all' if dim is None else f'd = {dim}'}"
            rows.setdefault(entry, {"rule": named(entry)})[column] = f"{ranking.means[entry].estimate:.3f}{mark}"
    return Table(pd.DataFrame(rows.values()), where=provenance())


def answers_table() -> Table:
    """By noise, points a round and measure: the rule to name, those that are level with it, and those not told apart."""
    rows, level = [], evidence().margins.confidence
    for batch, noise in [(1, noise) for noise in NOISES] + [(batch, USUAL) for batch in BATCHES[1:]]:
        for measure, words in WORDS.items():
            found = evidence().ranking(measure, batch, noise)
            first = found.first
            rows.append(
                {
                    "noise": noise,
                    "points a round": batch,
                    "I pay for": words,
                    "rule": named(first),
                    "regret": found.means[first].estimate,
                    f"{level:.0%} interval": ends(found.means[first]),
                    "level with it": "; ".join(map(named, found.level[1:])) or "none",
                    "not told apart": "; ".join(map(named, found.open)) or "none",
                }
            )
    return Table(pd.DataFrame(rows), where=provenance(), digits=2)


def effects_table(question: str) -> Table:
    """Regret with another model, or other initial points, minus that with the usual one, by both payoffs."""
    level, rows = evidence().margins.significance, dict[Any, dict[str, Any]]()
    for measure in ("plays", "final"):
        for (model, initial, entry, dim), test in evidence().effects(question, measure).items():
            what = f"{initial} points" if initial != INITIAL else "the true model" if model == KNOWN else model
            row = rows.setdefault((model, initial, entry, dim), {"with": what, "rule": named(entry), "d": dim or "all"})
            row |= {WORDS[measure]: test.difference.estimate, f"interval, {WORDS[measure]}": ends(test.difference)}
            row[f"shown, {WORDS[measure]}"] = {1: "worse", -1: "better", 0: "no"}[int(test.shown(level))]
    return Table(pd.DataFrame(rows.values()), where=provenance(), digits=2)


# -- where the two studies agree ---------------------------------------------------------------------------------------


def on_candidates(saying: Saying, found: Study) -> Interval:
    """Regret of the better rule minus that of the other, on the 36 functions of the study on candidates."""
    column, noises = _ON_CANDIDATES[saying.measure], (USUAL,)
    mine, other = (
        found.values(column, rule, _SCALE.get(rule, setting), batch, noises)
        for rule, setting, batch in (saying.better, saying.worse)
    )
    return paired_interval(mine, other, found.margins.confidence)


def on_box(saying: Saying, found: BoxStudy, dim: int | None = None) -> Interval:
    """The same on the box."""
    mine, other = (
        found.values(MEASURES[saying.measure], Entry(rule, batch, setting), dim=dim)
        for rule, setting, batch in (saying.better, saying.worse)
    )
    return paired_interval(mine, other, found.margins.confidence)


def verdict(box: Interval) -> str:
    """Of a saying on the box."""
    return CONFIRMED if box.high < 0.0 else CONTRARY if box.low > 0.0 else NOT_SHOWN


def agreement_table() -> Table:
    """What the study on candidates shows, and whether the one on the box confirms it."""
    rows = []
    for saying in SAYINGS:
        candidates, box = on_candidates(saying, Study.read()), on_box(saying, evidence())
        batches = saying.better[2] != saying.worse[2]
        better, worse = (
            named(Entry(rule, batch, setting)) + (f", {batch} a round" if batches else "")
            for rule, setting, batch in (saying.better, saying.worse)
        )
        rows.append(
            {
                "I pay for": WORDS[saying.measure],
                "less regret": better,
                "than": worse,
                "on candidates, known": candidates.estimate,
                "interval, candidates": ends(candidates),
                "on the box, fitted": box.estimate,
                "interval, box": ends(box),
                "on the box": verdict(box),
            }
        )
    return Table(pd.DataFrame(rows), where=provenance() + stored(study.load().record.to_dict(), study.STORED), digits=2)


@lru_cache(maxsize=1)
def numbers() -> Numbers:
    """Counts, the rules to name with their intervals, and how many sayings are confirmed."""
    found = evidence()
    told: dict[str, Any] = {
        "functions": len(found.problems()),
        "seeds": box_study.SEEDS,
        "fewer": box_study.SEEDS // 2,
        "at": box_study.HORIZON,
        "hours": float(box_study.load().record.settings["cost"]["core_seconds"]) / 3600,
    }
    for measure, batch, dim in product(WORDS, (1, 10), (None, *DIMS)):
        ranking, name = found.ranking(measure, batch, dim=dim), f"{measure}_{batch}_{dim or 'all'}"
        mean = ranking.means[ranking.first]
        told |= {
            f"{name}_rule": named(ranking.first),
            f"{name}_level": "; ".join(map(named, ranking.level[1:])) or "none",
        }
        told |= {name: mean.estimate, f"{name}_low": mean.low, f"{name}_high": mean.high}
        told[f"{name}_open"] = "; ".join(map(named, ranking.open)) or "none"
    said = [verdict(on_box(saying, found)) for saying in SAYINGS]
    told |= {"said": len(said), "confirmed": said.count(CONFIRMED), "contrary": said.count(CONTRARY)}
    return Numbers(provenance(), **told)
