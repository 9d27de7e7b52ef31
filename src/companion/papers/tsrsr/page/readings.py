"""Influence of settings: the two readings of the experiments, and variants of single settings, from the stored runs."""

from __future__ import annotations

from collections import Counter
from itertools import combinations

import numpy as np
import pandas as pd
from scipy import stats

from companion.core.arrays import Floats
from companion.judge.intervals import Interval
from companion.judge.multiple_testing import LEVEL as LEVEL_OF_TESTS
from companion.judge.multiple_testing import holm
from companion.judge.verdict import COMPATIBLE, DIFFERENT, EQUIVALENT, LEVEL
from companion.pages import Numbers, Rows, frame, table
from companion.pages.tables import ENDS
from companion.papers.tsrsr.experiments.methods_claims import by_block
from companion.papers.tsrsr.experiments.printed import NAME_OF, OURS, RIVALS, TITLE_OF, TSRSRResults
from companion.papers.tsrsr.experiments.verdicts import judge
from companion.papers.tsrsr.problems.catalogue import SETTINGS

READINGS = {"text": "the text's reading", "code": "the code's reading"}
#: Regrets below this share of the printed unit count as this much: half of the last digit that the tables print.
FLOOR = 0.05
WITHOUT = "without resampling"


@frame
def level_rows(results: TSRSRResults) -> Rows:
    """Printed means compared with ours, one row a reading; the margin is one printed standard deviation."""
    for reading, name in READINGS.items():
        cells = [cell for cell in results.cells if results.has(results.named(cell)[0], reading=reading)]
        judged = [judge(results, cell, reading) for cell in cells]
        counts = Counter(judgement.verdict for judgement in judged)
        p_values = [judgement.p_value for judgement in judged if judgement.p_value is not None]
        differ, holm_differ = (sum(value < LEVEL_OF_TESTS for value in values) for values in (p_values, holm(p_values)))
        yield {
            "reading": name,
            "printed means": len(cells),
            "within the margin": counts[EQUIVALENT],
            "open": counts[COMPATIBLE],
            "other level, same order": counts[LEVEL],
            "different": counts[DIFFERENT],
            "shown to differ": differ,
            "shown to differ (Holm)": holm_differ,
        }


def level_numbers(results: TSRSRResults) -> Numbers:
    """Of the printed means, those that our runs of each reading put within the margin, and those that differ.

    ``by_chance``: expected rejections among as many true nulls, each at the level of the tests.
    """
    rows = level_rows(results).set_index("reading")
    text, code = (rows.loc[name] for name in READINGS.values())
    return Numbers(
        results,
        cells=int(text["printed means"]),
        text_within=int(text["within the margin"]),
        code_within=int(code["within the margin"]),
        by_chance=LEVEL_OF_TESTS * int(text["printed means"]),
        text_differ=int(text["shown to differ"]),
        code_differ=int(code["shown to differ"]),
        text_holm=int(text["shown to differ (Holm)"]),
        code_holm=int(code["shown to differ (Holm)"]),
    )


@frame
def reading_rows(results: TSRSRResults) -> Rows:
    """One row a problem: TS-RSR's mean as printed and in both readings, and how the rankings agree (Kendall's tau)."""
    for problem in _in_both(results):
        count = results.paper_runs(problem)
        printed, text, code = (_means(results, problem, source, count) for source in (None, "text", "code"))
        yield {
            "problem": f"{TITLE_OF[problem]}, {SETTINGS[problem].unit:g}",
            "TS-RSR, printed": printed[0],
            "TS-RSR, text": text[0],
            "TS-RSR, code": code[0],
            "|log₂| text–print": _distance(text, printed),
            "|log₂| code–print": _distance(code, printed),
            "τ text–print": _tau(text, printed),
            "τ code–print": _tau(code, printed),
            "τ text–code": _tau(text, code),
        }


def agreement(results: TSRSRResults) -> pd.DataFrame:
    """Agreement of two experiments of the paper's size on the order of the methods: mean Kendall's tau, a row a problem.

    The runs of the text's reading are cut into groups of the paper's number, consecutive seeds each. ``within``: two of
    these groups; ``between``: one of them and the code's reading; ``text`` and ``code``: a group, and the code's
    reading, against the printed order. Problems with fewer than two groups are left out.
    """
    columns = ["problem", "groups", "within", "between", "text", "code"]
    rows = []
    for problem in _in_both(results):
        count = results.paper_runs(problem)
        runs = np.stack([results.runs(problem, name) for name in (OURS, *RIVALS)])
        groups = [part.mean(axis=1) for part in _cut(runs, count)]
        if len(groups) < 2:
            continue
        printed, code = (_means(results, problem, source, count) for source in (None, "code"))
        within = np.mean([_tau(one, two) for one, two in combinations(groups, 2)])
        between, text = (np.mean([_tau(group, other) for group in groups]) for other in (code, printed))
        rows.append((problem, len(groups), within, between, text, _tau(code, printed)))
    return pd.DataFrame(rows, columns=columns)


def reading_numbers(results: TSRSRResults) -> Numbers:
    """Distance of each reading from print in level and order, and the share of the difference that chance explains."""
    rows, table = reading_rows(results), agreement(results)
    excess, lead = results.paired(table.within, table.between), results.paired(table.code, table.text)
    order = rows["τ code–print"] - rows["τ text–print"]
    return Numbers(
        results,
        problems=len(rows),
        nearer=int((rows["|log₂| code–print"] < rows["|log₂| text–print"]).sum()),
        better=int((order > 0).sum()),
        worse=int((order < 0).sum()),
        within=float(table.within.mean()),
        between=float(table.between.mean()),
        excess_low=excess.low,
        open=0.0 in lead,
        floor=FLOOR,
    )


@frame
def variant_rows(results: TSRSRResults) -> Rows:
    """BUCB with constant widths and TS-RSR without resampling beside the default on the same seeds, in printed units.

    ``low`` and ``high`` are the ends of the paired interval of variant minus default; a function is one value.
    """
    for (problem, method, variant), part in results.tables["variants"].groupby(
        ["problem", "method", "variant"], sort=False
    ):
        if not results.has(str(problem)):
            continue
        unit = SETTINGS[str(problem)].unit
        base = results.of(str(problem), str(method))
        same = base[base.seed.isin(part.seed)]
        gap = _paired(results, str(problem), part[part.seed.isin(same.seed)], same)
        yield {
            "problem": f"{TITLE_OF[str(problem)]}, {unit:g}",
            "method": NAME_OF[str(method)],
            "variant": str(variant).replace("resample=False", WITHOUT).replace("width=", "width "),
            "regret": float(part.regret.mean() / unit),
            "with the default": float(same.regret.mean() / unit),
            **gap.columns("difference"),
            "runs": len(part),
        }


def _paired(results: TSRSRResults, problem: str, variant: pd.DataFrame, default: pd.DataFrame) -> Interval:
    unit = SETTINGS[problem].unit
    first, second = (by_block(part, problem) / unit for part in (variant, default))
    return results.paired(first, second)


def variant_numbers(results: TSRSRResults) -> Numbers:
    """Effect of the width of BUCB and of the resampling of TS-RSR on the mean regret.

    ``best``: BUCB's best widths, one a problem; ``low`` and ``high``: its smallest and largest mean on the last problem with
    widths. ``plain``: problems on which TS-RSR ran without resampling; ``differ``: those on which its mean differs.
    """
    rows = variant_rows(results)
    widths, plain = rows[rows.variant.str.startswith("width")], rows[rows.variant == WITHOUT]
    last = widths[widths.problem == widths.problem.iloc[-1]]
    return Numbers(
        results,
        best=[part.loc[part.regret.idxmin()].variant for _, part in widths.groupby("problem", sort=False)],
        problem=last.problem.iloc[0].partition(",")[0],
        low=short(float(last.regret.min())),
        high=short(float(last.regret.max())),
        plain=len(plain),
        differ=int(((plain.low > 0) | (plain.high < 0)).sum()),
    )


# -- small helpers -----------------------------------------------------------------------------------------------------


def _in_both(results: TSRSRResults) -> list[str]:
    return [
        name for name in results.problems if results.has(name, reading="text") and results.has(name, reading="code")
    ]


def _cut(runs: Floats, count: int) -> list[Floats]:
    """Consecutive groups of ``count`` runs (methods, count); the remainder is dropped."""
    return [runs[:, start : start + count] for start in range(0, runs.shape[1] - count + 1, count)]


def _means(results: TSRSRResults, problem: str, source: str | None, count: int) -> Floats:
    names = (OURS, *RIVALS)
    if source is None:
        return np.array([results.printed(problem, name) for name in names])
    return np.array([results.runs(problem, name, source, count).mean() for name in names])


def _distance(ours: Floats, printed: Floats) -> float:
    """Median over methods of |log2| of the ratio of levels."""
    return float(np.median(np.abs(np.log2(np.maximum(ours, FLOOR) / np.maximum(printed, FLOOR)))))


def _tau(first: Floats, second: Floats) -> float:
    return float(stats.kendalltau(first, second).statistic)


def short(value: float) -> str:
    """Two significant digits below ten, none behind the point above."""
    return f"{value:.2g}" if abs(value) < 10 else f"{value:.0f}"


levels = table(level_rows)
readings = table(reading_rows, digits=3)


variants = table(variant_rows, ENDS, digits=3)
