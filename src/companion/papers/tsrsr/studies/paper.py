"""Tables 1-4 and Figures 1-4 from the stored runs: beside the printed numbers, ranked, and in both readings."""

from __future__ import annotations

import math
from collections import Counter
from functools import cached_property
from itertools import combinations
from pathlib import Path

import numpy as np
import pandas as pd
from scipy import stats

from companion.arrays import Floats
from companion.papers.tsrsr.claims import ranking
from companion.papers.tsrsr.claims.printed import METHOD_OF, NAME_OF, OURS, RIVALS, TITLE_OF, Results
from companion.papers.tsrsr.plan import store
from companion.papers.tsrsr.problems.catalogue import SETTINGS
from companion.papers.tsrsr.studies.readings import (
    READINGS,
    agreement,
    firsts_in_words,
    levels_in_words,
    reading_rows,
    readings_in_words,
    short,
    variant_rows,
    variants_in_words,
)
from companion.report import Where, key_numbers, say, stored, where_of
from companion.report.text import Sentence
from companion.reproduce.stored import unjoined
from companion.reproduce.verdict import CONTRADICTED, HOLDS, UNDECIDED, Judgement

#: The paper's methods in the order of its tables.
METHODS = tuple(METHOD_OF.values())
#: Columns of each figure; Figure n shows the columns of Table n.
FIGURES = {number: tuple(n for n, column in SETTINGS.items() if column.table == number) for number in (1, 2, 3, 4)}


class Evidence(Results):
    """The stored runs beside what is printed, with what several studies compute from them."""

    @property
    def where(self) -> Where:
        """Sources of everything made from the stored results; none for results made up on the spot."""
        return stored(self.record, store.store) if self.record else Where()

    def pairs(self, reading: str = "text") -> dict[str, list[ranking.Pair]]:
        """By problem, the comparisons of all pairs of the paper's methods in one reading."""
        return self._pairs[reading]

    def lowest(self, reading: str = "text") -> dict[str, Judgement]:
        """By problem, whether TS-RSR has the lowest mean of the paper's methods, over all runs of one reading."""
        return self._lowest[reading]

    def firsts(self, reading: str = "text") -> ranking.Firsts:
        """On how many problems TS-RSR has the lowest mean over all runs of one reading, with its interval."""
        return self._firsts[reading]

    @cached_property
    def _firsts(self) -> dict[str, ranking.Firsts]:
        return {reading: ranking.firsts(self, reading) for reading in READINGS}

    @cached_property
    def _pairs(self) -> dict[str, dict[str, list[ranking.Pair]]]:
        names = list(combinations((OURS, *RIVALS), 2))
        return {
            reading: {
                problem: [ranking.pair(self, problem, *pair, reading) for pair in names]
                for problem in self.problems
                if self.has(problem, reading=reading)
            }
            for reading in READINGS
        }

    @cached_property
    def _lowest(self) -> dict[str, dict[str, Judgement]]:
        return {
            reading: {
                problem: ranking.lowest({name: self.units(problem, name, reading) for name in (OURS, *RIVALS)}, OURS)[0]
                for problem in self.problems
                if self.has(problem, reading=reading)
            }
            for reading in READINGS
        }

    @cached_property
    def curves(self) -> dict[tuple[str, str, str], Floats]:
        """(runs, T + 1) simple regret after the design and each batch, by reading, problem and method."""
        table = self.tables["curves"]
        return {
            (str(reading), str(problem), str(method)): np.stack([unjoined(text) for text in part.regret])
            for (reading, problem, method), part in table.groupby(["reading", "problem", "method"], sort=False)
        }


def load_paper_results(root: Path | None = None) -> Evidence:
    """Read the stored runs and the printed tables.

    Raises
    ------
    ResultError
        when the stored results are missing or damaged, naming the command that makes them
    """
    return Evidence.read(root)


# -- the tables --------------------------------------------------------------------------------------------------------


def beside(evidence: Evidence, number: int) -> pd.DataFrame:
    """Table ``number`` and ours: a row for each problem and method, ``mean ± spread [rank]`` in the table's unit.

    Ours are the paper's number of runs in both readings, with the standard deviation that the paper prints (divided by
    n), and all runs of the text's reading with the half-width of the 95 % interval.
    """
    rows = []
    for problem in FIGURES[number]:
        if problem not in evidence.problems:
            continue
        count = evidence.paper_runs(problem)
        present = [reading for reading in READINGS if evidence.has(problem, reading=reading)]
        ranks = {reading: ranking.ranks(evidence, problem, reading, count) for reading in present}
        for method in (*METHODS, "random"):
            if method not in evidence.methods:
                continue
            row: dict[str, object] = {
                "problem": f"{TITLE_OF[problem]}, {SETTINGS[problem].unit:g}",
                "method": NAME_OF[method],
            }
            row["printed"] = "–" if method == "random" else _printed(evidence, problem, method)
            for reading in READINGS:
                shown = reading in ranks
                row[f"ours, {reading}"] = (
                    _cell(evidence.runs(problem, method, reading, count), ranks[reading].get(method)) if shown else "–"
                )
            row["ours, text, all runs"] = _all(evidence, problem, method)
            rows.append(row)
    return pd.DataFrame(rows)


def _printed(results: Results, problem: str, method: str) -> str:
    cell = results.cell(problem, method)
    return f"{cell.mean} ± {cell.spread} [{results.ranks[problem, method]}]"


def _cell(values: Floats, rank: int | None) -> str:
    return f"{short(values.mean())} ± {short(values.std())}" + ("" if rank is None else f" [{rank}]")


def _all(results: Results, problem: str, method: str) -> str:
    values = results.units(problem, method)
    half = stats.t.ppf(0.975, len(values) - 1) * values.std(ddof=1) / math.sqrt(len(values))
    return f"{short(values.mean())} ± {short(half)}"


def show_tables(evidence: Evidence) -> None:
    """Key numbers: our means at the paper's number of runs, text's reading."""
    numbers: dict[str, object] = {}
    for problem in evidence.pairs():
        for method in METHODS:
            values = evidence.runs(problem, method, "text", evidence.paper_runs(problem))
            numbers[f"{problem}, {NAME_OF[method]}"] = float(values.mean())
    key_numbers(numbers, where_of(evidence))


# -- rankings ----------------------------------------------------------------------------------------------------------


def outcomes(evidence: Evidence, reading: str = "text") -> pd.DataFrame:
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
            for problem, pairs in evidence.pairs(reading).items()
            for pair in pairs
        ]
    )


def own_pairs(table: pd.DataFrame) -> pd.DataFrame:
    """The rows of :func:`outcomes` with TS-RSR, which is always the first of a pair."""
    return table[table["first"] == OURS]


#: Whether TS-RSR has the lowest mean in our runs, which is not yet whether the tables say so.
LOWEST = {HOLDS: "yes", CONTRADICTED: "no", UNDECIDED: "open"}


def ranking_rows(evidence: Evidence) -> pd.DataFrame:
    """One row a problem: who is first in print and in our runs, and how the pairs of methods came out."""
    results, rows, table = evidence, [], outcomes(evidence)
    code = evidence.lowest("code")
    for problem in evidence.pairs():
        part = table[table.problem == problem]
        counts = Counter(part["all"])
        rows.append(
            {
                "problem": TITLE_OF[problem],
                "first, printed": _first(ranking.ranks(results, problem, None)),
                "first, text": _first(ranking.ranks(results, problem, "text")),
                "first, code": _first(ranking.ranks(results, problem, "code")) if problem in code else "–",
                "TS-RSR lowest, text": LOWEST[evidence.lowest()[problem].verdict],
                "TS-RSR lowest, code": LOWEST[code[problem].verdict] if problem in code else "–",
                **{outcome: counts[outcome] for outcome in ranking.OUTCOMES},
                "the paper's runs can tell": int(part["can tell"].sum()),
            }
        )
    return pd.DataFrame(rows)


def _first(ranks: dict[str, int]) -> str:
    return ", ".join(NAME_OF[name] for name, rank in ranks.items() if rank == 1)


def show_rankings(evidence: Evidence) -> None:
    """Key numbers: counts of outcomes, over all pairs and over those with TS-RSR, in both readings."""
    numbers: dict[str, object] = {}
    for reading in READINGS:
        table = outcomes(evidence, reading)
        if table.empty:
            continue
        for label, part in ((f"{reading}: all pairs", table), (f"{reading}: pairs with TS-RSR", own_pairs(table))):
            numbers[label] = len(part)
            for outcome in ranking.OUTCOMES:
                numbers[f"{label}, {outcome}"] = _count(part, outcome)
                numbers[f"{label}, {outcome} at the paper's runs"] = _count(part, outcome, "few")
            numbers[f"{label}, the paper's runs can tell"] = int(part["can tell"].sum())
    key_numbers(numbers, where_of(evidence))


def say_rankings(evidence: Evidence) -> Sentence:
    """Which of the paper's levels and rankings hold, in both readings, and which ten runs cannot decide."""
    table = outcomes(evidence)
    own = own_pairs(table)
    lines = [
        "- **Levels.** " + levels_in_words(evidence),
        "- **TS-RSR has the lowest mean.** Over all runs of the text's reading: " + about_first(evidence, "text"),
        "- **How many firsts are chance.** "
        + " ".join(firsts_in_words(evidence.firsts(name), name) for name in READINGS),
        f"- **Pairs with TS-RSR.** Of its {len(own)} comparisons with a rival, {_count(own, ranking.AS_PRINTED)} hold as "
        f"printed over all our runs of the text's reading, {_count(own, ranking.REVERSED)} are reversed"
        f"{_listed(own, ranking.REVERSED)}, and {_count(own, ranking.NOT_APART)} cannot be told apart{_apart(own)}.",
        f"- **All pairs.** Of {len(table)} pairs of methods, {_count(table, ranking.AS_PRINTED)} stand as printed, "
        f"{_count(table, ranking.REVERSED)} are reversed, and {_count(table, ranking.NOT_APART)} cannot be told "
        f"apart{_apart(table)}.",
        _about_few(evidence, table),
    ]
    if evidence.pairs("code"):
        lines.append(_about_code(evidence, table))
    lines += [_average_ranks(evidence, reading) for reading in READINGS]
    return say("{text}", text="\n".join(lines), where=where_of(evidence))


def _about_few(evidence: Evidence, table: pd.DataFrame) -> str:
    """What the paper's number of runs can tell, and what our first so many runs did."""
    own = own_pairs(table)
    decided = table[table["few"] != ranking.NOT_APART]
    lucky = int((~decided["can tell"]).sum())
    return (
        f"- **What the paper's number of runs can say.** A paired test at that many runs (ten on most problems) would see our "
        f"difference with probability {evidence.margins.claims['power']:.0%} or more for {int(table['can tell'].sum())} of "
        f"these pairs, and for {int(own['can tell'].sum())} of those with TS-RSR. In our first runs of that number "
        f"{len(decided)} pairs are decided, {lucky} of them among the others: a second experiment of the same size could well "
        "leave some of these open and decide different ones."
    )


def _about_code(evidence: Evidence, text: pd.DataFrame) -> str:
    """The same tests in the code's reading, beside the text's at the same number of runs."""
    code = outcomes(evidence, "code")
    kept_code, lost_code = (_count(code, outcome, "few") for outcome in (ranking.AS_PRINTED, ranking.REVERSED))
    kept_text, lost_text = (_count(text, outcome, "few") for outcome in (ranking.AS_PRINTED, ranking.REVERSED))
    own, own_text = own_pairs(code), own_pairs(text)
    verdict = (
        "The printed order is rather that of the published code than that of the experiment as described."
        if kept_code > kept_text and lost_code < lost_text
        else "The printed order is rather that of the experiment as described than that of the published code."
        if kept_code < kept_text and lost_code > lost_text
        else "Neither reading has the printed order more clearly than the other."
    )
    return (
        f"- **In the code's reading**, with the paper's number of runs: {about_first(evidence, 'code')} Of the {len(own)} "
        f"comparisons with TS-RSR {_count(own, ranking.AS_PRINTED, 'few')} stand as printed and "
        f"{_count(own, ranking.REVERSED, 'few')} are reversed; of all {len(code)} pairs {kept_code} and {lost_code}. In the "
        f"text's reading, with as many runs, these are {_count(own_text, ranking.AS_PRINTED, 'few')} and "
        f"{_count(own_text, ranking.REVERSED, 'few')}, and {kept_text} and {lost_text}. {verdict}"
    )


def _average_ranks(evidence: Evidence, reading: str) -> str:
    """The methods by average rank over the problems."""
    ranks = {name: float(values.mean()) for name, values in ranking.average_ranks(evidence, METHODS, reading).items()}
    ordered = sorted(ranks, key=lambda name: ranks[name])
    listed = ", ".join(f"{NAME_OF[name]} {ranks[name]:.1f}" for name in ordered)
    return f"- **Average rank over the problems, {READINGS[reading]}**: {listed}."


def printed_first(evidence: Evidence, reading: str = "text") -> tuple[list[str], list[str]]:
    """Problems run in a reading where the tables print TS-RSR as the first, and the other ones."""
    places = {problem: ranking.ranks(evidence, problem, None)[OURS] for problem in evidence.lowest(reading)}
    return [name for name, place in places.items() if place == 1], [name for name, place in places.items() if place > 1]


def first_verdicts(evidence: Evidence, reading: str = "text") -> dict[str, list[str]]:
    """Where the tables print TS-RSR as the first: the problems on which this holds, is contradicted, or stays open."""
    found: dict[str, list[str]] = {HOLDS: [], CONTRADICTED: [], UNDECIDED: []}
    for problem in printed_first(evidence, reading)[0]:
        found[evidence.lowest(reading)[problem].verdict].append(problem)
    return found


def about_first(evidence: Evidence, reading: str) -> str:
    """On how many of the problems that TS-RSR wins in print it is the lowest, and how it stands on the others."""
    found = first_verdicts(evidence, reading)

    def counted(verdict: str) -> str:
        listed = ", ".join(TITLE_OF[name] for name in found[verdict])
        return f"{len(found[verdict])} ({listed})" if listed else "none"

    total = sum(len(names) for names in found.values())
    return (
        f"of the {total} problems where the tables have TS-RSR first, this is confirmed on {counted(HOLDS)}, contradicted on "
        f"{counted(CONTRADICTED)} and open on {counted(UNDECIDED)}{elsewhere(evidence, reading)}."
    )


def elsewhere(evidence: Evidence, reading: str) -> str:
    """How TS-RSR stands where the tables do not have it first, as an addition to a sentence."""
    words = {HOLDS: "it is the lowest", CONTRADICTED: "it is not the lowest", UNDECIDED: "this is open"}
    parts = [
        f"; on {TITLE_OF[name]}, where they have {_first(ranking.ranks(evidence, name, None))} first, "
        f"{words[evidence.lowest(reading)[name].verdict]}"
        for name in printed_first(evidence, reading)[1]
    ]
    return "".join(parts)


def _count(table: pd.DataFrame, outcome: str, column: str = "all") -> int:
    return int((table[column] == outcome).sum())


def _apart(table: pd.DataFrame) -> str:
    """The pairs that are printed equal and differ in ours, as an addition to a sentence."""
    count = _count(table, ranking.APART)
    if not count:
        return ""
    are = "one is printed equal and differs" if count == 1 else f"{count} are printed equal and differ"
    return f"; {are} in ours{_listed(table, ranking.APART)}"


def _listed(table: pd.DataFrame, outcome: str) -> str:
    items = [
        f"{'' if row.first == OURS else NAME_OF[row.first] + ' and '}{NAME_OF[row.second]} on {TITLE_OF[row.problem]}"
        for row in table[table["all"] == outcome].itertuples()
    ]
    return f" ({', '.join(items)})" if items else ""


# -- settings ----------------------------------------------------------------------------------------------------------


def show_readings(evidence: Evidence) -> None:
    """Key numbers: distances of levels and agreement of rankings."""
    numbers: dict[str, object] = {}
    for row in reading_rows(evidence).to_dict("records"):
        for name in ("TS-RSR, text", "TS-RSR, code", "τ text–print", "τ code–print"):
            numbers[f"{row['problem']}: {name}"] = row[name]
    for row in agreement(evidence).to_dict("records"):
        for name in ("within", "between"):
            numbers[f"{TITLE_OF[row['problem']]}: τ {name} readings"] = row[name]
    key_numbers(numbers, where_of(evidence))


def say_readings(evidence: Evidence) -> Sentence:
    """Which reading is nearer to the printed numbers and what chance explains of it; then the single settings."""
    parts = (readings_in_words(evidence), variants_in_words(evidence))
    return say("{text}", text="\n\n".join(part for part in parts if part), where=where_of(evidence))


def show_variants(evidence: Evidence) -> None:
    """Key numbers: the table."""
    rows = variant_rows(evidence)
    key_numbers(
        {f"{r.problem}, {r.method}, {r.variant}": float(r.regret) for r in rows.itertuples()}, where_of(evidence)
    )
