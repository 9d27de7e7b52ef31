"""Tables 1-4 and Figures 1-4 from the stored runs: beside the printed numbers, ranked, and in both readings."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from pathlib import Path

import numpy as np
import pandas as pd
from scipy import stats

from companion.papers.tsrsr import paper_scale, ranking
from companion.papers.tsrsr.printed import METHOD_OF, NAME_OF, OURS, RIVALS, TITLE_OF, Floats, SideBySide, side_by_side
from companion.papers.tsrsr.problems import SETTINGS
from companion.report import Where, key_numbers, say, stored, where_of
from companion.report.text import Sentence
from companion.reproduce.verdict import CONTRADICTED, HOLDS, Judgement

#: The paper's methods in the order of its tables.
METHODS = tuple(METHOD_OF.values())
READINGS = {"text": "the text's reading", "code": "the code's reading"}
#: Columns of each figure; Figure n shows the columns of Table n.
FIGURES = {number: tuple(n for n, column in SETTINGS.items() if column.table == number) for number in (1, 2, 3, 4)}


@dataclass(frozen=True, eq=False)
class Evidence:
    """The stored runs beside the printed tables.

    Attributes
    ----------
    both : see :class:`companion.papers.tsrsr.printed.SideBySide`
    """

    both: SideBySide

    @property
    def where(self) -> Where:
        """Sources of everything made from the stored results; none for results made up on the spot."""
        return stored(self.both.record, paper_scale.store) if self.both.record else Where()

    @cached_property
    def pairs(self) -> dict[str, list[ranking.Pair]]:
        """By problem, the comparisons of all pairs of the paper's methods in the text's reading."""
        return {
            problem: [ranking.pair(self.both, problem, *names) for names in combinations((OURS, *RIVALS), 2)]
            for problem in self.both.problems
            if self.both.has(problem)
        }

    @cached_property
    def lowest(self) -> dict[str, Judgement]:
        """By problem, whether TS-RSR has the lowest mean of the paper's methods, over all runs of the text's reading."""
        found = {}
        for problem in self.pairs:
            values = {name: self.both.units(problem, name) for name in (OURS, *RIVALS)}
            found[problem] = ranking.lowest(values, OURS)[0]
        return found

    @cached_property
    def curves(self) -> dict[tuple[str, str, str], Floats]:
        """(runs, T + 1) simple regret after the design and each batch, by reading, problem and method."""
        table = self.both.tables["curves"]
        return {
            (str(reading), str(problem), str(method)): np.stack([paper_scale.unjoined(text) for text in part.regret])
            for (reading, problem, method), part in table.groupby(["reading", "problem", "method"], sort=False)
        }


def load_paper_results(root: Path | None = None) -> Evidence:
    """Read the stored runs and the printed tables.

    Raises
    ------
    ResultError
        when the stored results are missing or damaged, naming the command that makes them
    """
    return Evidence(side_by_side(root))


# -- the tables --------------------------------------------------------------------------------------------------------


def beside(evidence: Evidence, number: int) -> pd.DataFrame:
    """Table ``number`` and ours: a row for each problem and method, ``mean ± spread [rank]`` in the table's unit.

    Ours are the paper's number of runs in both readings, with the standard deviation that the paper prints (divided by
    n), and all runs of the text's reading with the half-width of the 95 % interval.
    """
    both, rows = evidence.both, []
    for problem in FIGURES[number]:
        if problem not in both.problems:
            continue
        count = both.paper_runs(problem)
        present = [reading for reading in READINGS if both.has(problem, reading)]
        ranks = {reading: ranking.ranks(both, problem, reading, count) for reading in present}
        for method in (*METHODS, "random"):
            if method not in both.methods:
                continue
            row: dict[str, object] = {
                "problem": f"{TITLE_OF[problem]}, {SETTINGS[problem].unit:g}",
                "method": NAME_OF[method],
            }
            row["printed"] = "–" if method == "random" else _printed(both, problem, method)
            for reading in READINGS:
                shown = reading in ranks
                row[f"ours, {reading}"] = (
                    _cell(both.runs(problem, method, reading, count), ranks[reading].get(method)) if shown else "–"
                )
            row["ours, text, all runs"] = _all(both, problem, method)
            rows.append(row)
    return pd.DataFrame(rows)


def _printed(both: SideBySide, problem: str, method: str) -> str:
    cell = both.cell(problem, method)
    return f"{cell.mean} ± {cell.spread} [{both.ranks[problem, method]}]"


def _cell(values: Floats, rank: int | None) -> str:
    return f"{_short(values.mean())} ± {_short(values.std())}" + ("" if rank is None else f" [{rank}]")


def _all(both: SideBySide, problem: str, method: str) -> str:
    values = both.units(problem, method)
    half = stats.t.ppf(0.975, len(values) - 1) * values.std(ddof=1) / math.sqrt(len(values))
    return f"{_short(values.mean())} ± {_short(half)}"


def _short(value: float) -> str:
    return f"{value:.2g}" if abs(value) < 10 else f"{value:.0f}"


def show_tables(evidence: Evidence) -> None:
    """Key numbers: our means at the paper's number of runs, text's reading."""
    both = evidence.both
    numbers: dict[str, object] = {}
    for problem in evidence.pairs:
        for method in METHODS:
            values = both.runs(problem, method, "text", both.paper_runs(problem))
            numbers[f"{problem}, {NAME_OF[method]}"] = float(values.mean())
    key_numbers(numbers, where_of(evidence))


# -- rankings ----------------------------------------------------------------------------------------------------------


def outcomes(evidence: Evidence) -> pd.DataFrame:
    """One row a problem and pair of methods: printed difference, our outcome over all runs and at the paper's count."""
    return pd.DataFrame(
        [
            {
                "problem": problem,
                "first": pair.first,
                "second": pair.second,
                "printed": pair.printed,
                "difference": pair.all_runs.estimate,
                "all": pair.outcome(),
                "few": pair.outcome(few=True),
                "can tell": pair.can_tell,
            }
            for problem, pairs in evidence.pairs.items()
            for pair in pairs
        ]
    )


def ranking_rows(evidence: Evidence) -> pd.DataFrame:
    """One row a problem: who is first in print and in our runs, and how the pairs of methods came out."""
    both, rows, table = evidence.both, [], outcomes(evidence)
    for problem in evidence.pairs:
        part = table[table.problem == problem]
        counts = Counter(part["all"])
        rows.append(
            {
                "problem": TITLE_OF[problem],
                "first, printed": _first(ranking.ranks(both, problem, None)),
                "first, text": _first(ranking.ranks(both, problem, "text")),
                "first, code": _first(ranking.ranks(both, problem, "code")) if both.has(problem, "code") else "–",
                "TS-RSR lowest": evidence.lowest[problem].verdict,
                "pairs as printed": counts[ranking.AS_PRINTED],
                "reversed": counts[ranking.REVERSED],
                "not told apart": counts[ranking.NOT_APART],
                "the paper's runs can tell": int(part["can tell"].sum()),
            }
        )
    return pd.DataFrame(rows)


def _first(ranks: dict[str, int]) -> str:
    return ", ".join(NAME_OF[name] for name, rank in ranks.items() if rank == 1)


def show_rankings(evidence: Evidence) -> None:
    """Key numbers: counts of outcomes, over all pairs and over those with TS-RSR."""
    table = outcomes(evidence)
    own = table[table["first"] == OURS]
    numbers: dict[str, object] = {}
    for label, part in (("all pairs", table), ("pairs with TS-RSR", own)):
        numbers[label] = len(part)
        for outcome in (ranking.AS_PRINTED, ranking.REVERSED, ranking.NOT_APART):
            numbers[f"{label}, {outcome}"] = int((part["all"] == outcome).sum())
            numbers[f"{label}, {outcome} at the paper's runs"] = int((part["few"] == outcome).sum())
        numbers[f"{label}, the paper's runs can tell"] = int(part["can tell"].sum())
    key_numbers(numbers, where_of(evidence))


def say_rankings(evidence: Evidence) -> Sentence:
    """Which of the paper's rankings hold, which do not, and which ten runs cannot decide."""
    table = outcomes(evidence)
    own = table[table["first"] == OURS]
    lines = [
        _about_first(evidence),
        f"- **Pairs with TS-RSR.** Of its {len(own)} comparisons with a rival, {_count(own, ranking.AS_PRINTED)} hold as "
        f"printed over all our runs, {_count(own, ranking.REVERSED)} are reversed{_listed(own)}, and "
        f"{_count(own, ranking.NOT_APART)} cannot be told apart.",
        f"- **All pairs.** Of {len(table)} pairs of methods, {_count(table, ranking.AS_PRINTED)} stand as printed, "
        f"{_count(table, ranking.REVERSED)} are reversed, and {_count(table, ranking.NOT_APART)} cannot be told apart.",
        f"- **What the paper's number of runs can say.** A paired test at that many runs (ten on most problems) would see our "
        f"difference with probability {evidence.both.margins.claims['power']:.0%} or more for {int(table['can tell'].sum())} of "
        f"these pairs, and for {int(own['can tell'].sum())} of those with TS-RSR. The other printed orders say little.",
    ]
    lines += [_average_ranks(evidence, reading) for reading in READINGS]
    return say("{text}", text="\n".join(lines), where=where_of(evidence))


def _average_ranks(evidence: Evidence, reading: str) -> str:
    """The methods by average rank over the problems."""
    ranks = {
        name: float(values.mean()) for name, values in ranking.average_ranks(evidence.both, METHODS, reading).items()
    }
    ordered = sorted(ranks, key=lambda name: ranks[name])
    listed = ", ".join(f"{NAME_OF[name]} {ranks[name]:.1f}" for name in ordered)
    return f"- **Average rank over the problems, {READINGS[reading]}**: {listed}."


def _about_first(evidence: Evidence) -> str:
    groups: dict[str, list[str]] = {}
    for problem, judged in evidence.lowest.items():
        groups.setdefault(judged.verdict, []).append(TITLE_OF[problem])
    parts = [
        f"{word} on {len(groups[verdict])} ({', '.join(groups[verdict])})"
        for verdict, word in ((HOLDS, "holds"), (CONTRADICTED, "is contradicted"), ("undecided", "stays undecided"))
        if verdict in groups
    ]
    return (
        f"- **TS-RSR has the lowest mean**, which the tables print for all problems but Bird: this {'; '.join(parts)}."
    )


def _count(table: pd.DataFrame, outcome: str) -> int:
    return int((table["all"] == outcome).sum())


def _listed(own: pd.DataFrame) -> str:
    wrong = own[own["all"] == ranking.REVERSED]
    if not len(wrong):
        return ""
    items = [f"{NAME_OF[row.second]} on {TITLE_OF[row.problem]}" for row in wrong.itertuples()]
    return f" ({', '.join(items)})"


# -- the two readings --------------------------------------------------------------------------------------------------


def reading_rows(evidence: Evidence) -> pd.DataFrame:
    """One row a problem: TS-RSR's mean as printed and in both readings, and how the rankings agree (Kendall's tau)."""
    both, rows = evidence.both, []
    for problem in evidence.pairs:
        if not both.has(problem, "code"):
            continue
        count = both.paper_runs(problem)
        printed, text, code = (_means(both, problem, source, count) for source in (None, "text", "code"))
        rows.append(
            {
                "problem": f"{TITLE_OF[problem]}, {SETTINGS[problem].unit:g}",
                "TS-RSR, printed": printed[0],
                "text": text[0],
                "code": code[0],
                "median |log₂| to print, text": _distance(text, printed),
                "code ": _distance(code, printed),
                "τ text–print": _tau(text, printed),
                "τ code–print": _tau(code, printed),
                "τ text–code": _tau(text, code),
            }
        )
    return pd.DataFrame(rows)


def _means(both: SideBySide, problem: str, source: str | None, count: int) -> Floats:
    names = (OURS, *RIVALS)
    if source is None:
        return np.array([both.printed(problem, name) for name in names])
    return np.array([both.runs(problem, name, source, count).mean() for name in names])


def _distance(ours: Floats, printed: Floats) -> float:
    """Median over methods of |log2| of the ratio of levels; regrets of zero count as half a unit of the last digit."""
    return float(np.median(np.abs(np.log2(np.maximum(ours, 0.05) / np.maximum(printed, 0.05)))))


def _tau(first: Floats, second: Floats) -> float:
    return float(stats.kendalltau(first, second).statistic)


def show_readings(evidence: Evidence) -> None:
    """Key numbers: distances of levels and agreement of rankings."""
    numbers: dict[str, object] = {}
    for row in reading_rows(evidence).to_dict("records"):
        for name in ("text", "code", "τ text–print", "τ code–print"):
            numbers[f"{row['problem']}: {name}"] = row[name]
    key_numbers(numbers, where_of(evidence))


def say_readings(evidence: Evidence) -> Sentence:
    """Which reading is nearer to the printed numbers, in level and in order."""
    rows = reading_rows(evidence)
    return say(
        "In level the code's reading is nearer to the printed tables on {level} of {all} problems, in the order of the methods "
        "on {order} and the text's on {other}. Between the two readings, which differ in nothing that the paper's conclusions "
        "are about, the average rank correlation is {tau:.2f}; between print and the nearer of the two it is {best:.2f}. Part of "
        "the ranking is a matter of settings.",
        level=int((rows["code "] < rows["median |log₂| to print, text"]).sum()),
        all=len(rows),
        order=int((rows["τ code–print"] > rows["τ text–print"]).sum()),
        other=int((rows["τ code–print"] < rows["τ text–print"]).sum()),
        tau=float(rows["τ text–code"].mean()),
        best=float(np.maximum(rows["τ code–print"], rows["τ text–print"]).mean()),
        where=where_of(evidence),
    )


# -- variants ----------------------------------------------------------------------------------------------------------


def variant_rows(evidence: Evidence) -> pd.DataFrame:
    """BUCB with constant widths and TS-RSR without resampling: mean final regret beside the default's, in printed units."""
    both, rows = evidence.both, []
    for (problem, method, variant), part in both.tables["variants"].groupby(
        ["problem", "method", "variant"], sort=False
    ):
        if not both.has(str(problem)):
            continue
        unit = SETTINGS[str(problem)].unit
        base = both.part(str(problem), str(method))
        same = base[base.seed.isin(part.seed)].regret / unit
        rows.append(
            {
                "problem": f"{TITLE_OF[str(problem)]}, {unit:g}",
                "method": NAME_OF[str(method)],
                "variant": str(variant).replace("resample=False", "without resampling").replace("width=", "width "),
                "regret": float(part.regret.mean() / unit),
                "with the default": float(same.mean()),
                "runs": len(part),
            }
        )
    return pd.DataFrame(rows)


def show_variants(evidence: Evidence) -> None:
    """Key numbers: the table."""
    rows = variant_rows(evidence)
    key_numbers(
        {f"{r.problem}, {r.method}, {r.variant}": float(r.regret) for r in rows.itertuples()}, where_of(evidence)
    )
