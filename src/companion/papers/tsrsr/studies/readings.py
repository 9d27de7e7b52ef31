"""How far settings decide: the two readings of the experiments, and variants of single settings, from the stored runs."""

from __future__ import annotations

from collections import Counter
from itertools import combinations

import numpy as np
import pandas as pd
from scipy import stats

from companion.arrays import Floats
from companion.papers.tsrsr.claims.methods import by_block
from companion.papers.tsrsr.claims.printed import NAME_OF, OURS, RIVALS, TITLE_OF, Results, problem_of
from companion.papers.tsrsr.claims.ranking import Firsts
from companion.papers.tsrsr.claims.verdicts import judge
from companion.papers.tsrsr.problems.catalogue import SETTINGS
from companion.reproduce.intervals import Interval
from companion.reproduce.several import LEVEL as LEVEL_OF_TESTS
from companion.reproduce.several import holm
from companion.reproduce.verdict import COMPATIBLE, DIFFERENT, EQUIVALENT, LEVEL

READINGS = {"text": "the text's reading", "code": "the code's reading"}
#: Regrets below this share of the printed unit count as this much: half of the last digit that the tables print.
FLOOR = 0.05
WITHOUT = "without resampling"


def levels_in_words(results: Results) -> str:
    """How the printed means came out beside ours, in both readings."""
    parts = []
    for reading, name in READINGS.items():
        cells = [cell for cell in results.cells if results.has(problem_of(cell), reading=reading)]
        judged = [judge(results, cell, reading) for cell in cells]
        counts = Counter(judgement.verdict for judgement in judged)
        if cells:
            p_values = [judgement.p_value for judgement in judged if judgement.p_value is not None]
            alone, kept = (sum(value < LEVEL_OF_TESTS for value in values) for values in (p_values, holm(p_values)))
            parts.append(
                f"Of {len(cells)} printed means, all our runs of {name} are within that margin of {counts[EQUIVALENT]}, of which "
                f"{sum(judgement.also_different for judgement in judged)} are shown to differ all the same. They are compatible "
                f"with {counts[COMPATIBLE]} more, on which they are too few to say so. {counts[LEVEL]} are on another level "
                f"while the method stands to the others as printed, and {counts[DIFFERENT]} differ altogether. Whatever the "
                f"margin, {alone} are shown to differ, and {kept} after Holm's correction for their number"
            )
    return f"The margin is one printed standard deviation, the spread of a single run. {'. '.join(parts)}."


def firsts_in_words(found: Firsts, reading: str) -> str:
    """The number of first places of TS-RSR and what resampling the runs does to it; nothing for a reading not run."""
    if not found.total:
        return ""
    fewest, most = found.runs
    runs = f"{fewest}" if fewest == most else f"{fewest} to {most}"
    return (
        f"In {READINGS[reading]} TS-RSR has the lowest of seven means on {found.count} of {found.total} problems, from {runs} "
        f"runs each. Resampling these runs, the same seeds for all methods, puts it first on {found.low} to {found.high} "
        f"problems ({found.level:.0%}), and on {found.beyond} in at least that share of the resamples."
    )


def reading_rows(results: Results) -> pd.DataFrame:
    """One row a problem: TS-RSR's mean as printed and in both readings, and how the rankings agree (Kendall's tau)."""
    rows = []
    for problem in _in_both(results):
        count = results.paper_runs(problem)
        printed, text, code = (_means(results, problem, source, count) for source in (None, "text", "code"))
        rows.append(
            {
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
        )
    return pd.DataFrame(rows)


def agreement(results: Results) -> pd.DataFrame:
    """How well two experiments of the paper's size agree on the order of the methods: mean Kendall's tau, a row a problem.

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


def readings_in_words(results: Results) -> str:
    """Which reading is nearer to print in level and order, and how much of the difference chance explains."""
    rows, table = reading_rows(results), agreement(results)
    if not len(rows):
        return "No problem was run in both readings."
    nearer = int((rows["|log₂| code–print"] < rows["|log₂| text–print"]).sum())
    better, worse = (int((sign * (rows["τ code–print"] - rows["τ text–print"]) > 0).sum()) for sign in (1, -1))
    text = (
        f"In level the code's reading is nearer to the printed tables on {nearer} of {len(rows)} problems, in the order of "
        f"the methods on {better} and the text's on {worse}."
    )
    if len(table) < 2:
        return text
    excess = results.paired(table.within, table.between)
    lead = results.paired(table.code, table.text)
    chance = (
        f"more than chance explains (the difference is {excess.low:.2f} to {excess.high:.2f}, {_level(results)} interval over "
        "the problems). Their differences are tried one by one below, in *Which difference makes TS-RSR first*"
        if excess.low > 0
        else "which chance may explain"
    )
    winner = "the code's" if lead.low > 0 else "the text's" if lead.high < 0 else "neither is closer beyond doubt"
    verdict = winner if winner.startswith("neither") else f"{winner} is closer beyond doubt"
    return text + (
        f" Chance alone reorders methods: two groups of the paper's number of runs of the *same* experiment have an average "
        f"rank correlation of {table.within.mean():.2f} (text's reading, {len(table)} problems with enough runs). The two "
        f"readings have {table.between.mean():.2f} there, {chance}. With the printed order, on the same problems, the code's "
        f"reading has {table.code.mean():.2f} and the text's {table.text.mean():.2f}; over so few problems {verdict} (difference "
        f"{lead.low:+.2f} to {lead.high:+.2f})."
    )


def variant_rows(results: Results) -> pd.DataFrame:
    """BUCB with constant widths and TS-RSR without resampling beside the default on the same seeds, in printed units.

    ``low`` and ``high`` are the ends of the paired interval of variant minus default; a function is one value.
    """
    rows = []
    for (problem, method, variant), part in results.tables["variants"].groupby(
        ["problem", "method", "variant"], sort=False
    ):
        if not results.has(str(problem)):
            continue
        unit = SETTINGS[str(problem)].unit
        base = results.of(str(problem), str(method))
        same = base[base.seed.isin(part.seed)]
        gap = _paired(results, str(problem), part[part.seed.isin(same.seed)], same)
        rows.append(
            {
                "problem": f"{TITLE_OF[str(problem)]}, {unit:g}",
                "method": NAME_OF[str(method)],
                "variant": str(variant).replace("resample=False", WITHOUT).replace("width=", "width "),
                "regret": float(part.regret.mean() / unit),
                "with the default": float(same.regret.mean() / unit),
                "difference": gap.estimate,
                "low": gap.low,
                "high": gap.high,
                "runs": len(part),
            }
        )
    return pd.DataFrame(rows)


def _paired(results: Results, problem: str, variant: pd.DataFrame, default: pd.DataFrame) -> Interval:
    unit = SETTINGS[problem].unit
    first, second = (by_block(part, problem) / unit for part in (variant, default))
    return results.paired(first, second)


def variants_in_words(results: Results) -> str:
    """How far the width of BUCB and the resampling of TS-RSR move the mean regret."""
    rows = variant_rows(results)
    lines = []
    widths = rows[rows.variant.str.startswith("width")] if len(rows) else rows
    if len(widths):
        lines.append(_about_widths(widths))
    plain = rows[rows.variant == WITHOUT] if len(rows) else rows
    if len(plain):
        listed = "; ".join(
            f"{row.problem.partition(',')[0]} {short(row.regret)} without and {short(row['with the default'])} with it, "
            f"difference {row.low:+.2g} to {row.high:+.2g}"
            for _, row in plain.iterrows()
        )
        clear = int(((plain.low > 0) | (plain.high < 0)).sum())
        told = f"on {clear} of {len(plain)} problems" if clear else f"on none of {len(plain)} problems"
        lines.append(
            f"The resampling of TS-RSR, which all tables use, changes its mean beyond doubt {told}: {listed} ({_level(results)} "
            "paired intervals)."
        )
    return " ".join(lines)


def _about_widths(widths: pd.DataFrame) -> str:
    """The range of BUCB's means over its constant widths, and whether one width is best everywhere."""
    parts, best = [], set()
    for problem, part in widths.groupby("problem", sort=False):
        low, high = part.loc[part.regret.idxmin()], part.loc[part.regret.idxmax()]
        best.add(low.variant)
        parts.append(
            f"from {short(low.regret)} ({low.variant}) to {short(high.regret)} ({high.variant}) on "
            f"{str(problem).partition(',')[0]}"
        )
    count = widths.variant.nunique()
    one = (
        f"{best.copy().pop()} is the best of the {count} on each of these problems"
        if len(best) == 1
        else f"which of the {count} is best depends on the problem, so that a constant width needs tuning, as the paper says "
        "of UCB methods"
    )
    return f"A constant width moves the mean regret of BUCB {' and '.join(parts)}; {one}."


# -- small helpers -----------------------------------------------------------------------------------------------------


def _in_both(results: Results) -> list[str]:
    return [
        name for name in results.problems if results.has(name, reading="text") and results.has(name, reading="code")
    ]


def _cut(runs: Floats, count: int) -> list[Floats]:
    """Consecutive groups of ``count`` runs (methods, count); what is left over is dropped."""
    return [runs[:, start : start + count] for start in range(0, runs.shape[1] - count + 1, count)]


def _means(results: Results, problem: str, source: str | None, count: int) -> Floats:
    names = (OURS, *RIVALS)
    if source is None:
        return np.array([results.printed(problem, name) for name in names])
    return np.array([results.runs(problem, name, source, count).mean() for name in names])


def _distance(ours: Floats, printed: Floats) -> float:
    """Median over methods of |log2| of the ratio of levels."""
    return float(np.median(np.abs(np.log2(np.maximum(ours, FLOOR) / np.maximum(printed, FLOOR)))))


def _tau(first: Floats, second: Floats) -> float:
    return float(stats.kendalltau(first, second).statistic)


def _level(results: Results) -> str:
    return f"{results.margins.confidence:.0%}".replace("%", " %")


def short(value: float) -> str:
    """Two significant digits below ten, none behind the point above."""
    return f"{value:.2g}" if abs(value) < 10 else f"{value:.0f}"
