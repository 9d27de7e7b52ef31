"""Tables 1-4 and Figures 1-4 from the stored runs: beside the printed numbers, ranked, and in both readings."""

from __future__ import annotations

import math
from collections import Counter
from functools import cached_property
from itertools import combinations
from pathlib import Path
from typing import Any

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
    short,
)
from companion.report import Numbers, Where, stored
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


def curve_numbers(evidence: Evidence, number: int) -> Numbers:
    """Of figure ``number``: the paper's runs, the method that ends lowest by reading, and whether a mean regret is zero."""
    problems = [name for name in FIGURES[number] if name in evidence.problems]
    curves = {key: runs.mean(axis=0) for key, runs in evidence.curves.items() if key[1] in problems}
    ends = {
        reading: [
            f"{NAME_OF[min(last, key=lambda method: last[method])]} on {TITLE_OF[problem]}"
            for problem in problems
            if (last := {m: curves[reading, problem, m][-1] for m in METHODS if (reading, problem, m) in curves})
        ]
        for reading in READINGS
    }
    return Numbers(
        evidence,
        problems=[TITLE_OF[problem] for problem in problems],
        runs=list(dict.fromkeys(evidence.paper_runs(problem) for problem in problems)),
        zero=any(bool((mean == 0).any()) for mean in curves.values()),
        **ends,
    )


def data_used(evidence: Evidence) -> str:
    """The data set behind Boston-NN-4D, from the record of the stored runs."""
    return str(evidence.record["settings"].get("data", {}).get("boston-4d", ""))


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


def first_numbers(evidence: Evidence) -> Numbers:
    """TS-RSR among the seven methods, in both readings: its average rank, and where it has the lowest mean.

    ``wins``: problems where the tables have it first; ``text_`` and ``code_``: how many of these a reading confirms,
    and contradicts. ``elsewhere``: where they have another method first, and it is lowest in the text's reading.
    """
    average = {reading: rank_rows(evidence).set_index("reading").loc[name] for reading, name in READINGS.items()}
    wins, other = printed_first(evidence)
    values: dict[str, object] = {"wins": len(wins)}
    for reading, ranks in average.items():
        found = first_verdicts(evidence, reading)
        values |= {
            f"{reading}_rank": float(ranks[NAME_OF[OURS]]),
            f"{reading}_best": bool((ranks >= ranks[NAME_OF[OURS]]).all()),
            f"{reading}_lowest": evidence.firsts(reading).count,
            f"{reading}_confirmed": len(found[HOLDS]),
            f"{reading}_contradicted": [TITLE_OF[name] for name in found[CONTRADICTED]],
        }
    judged = evidence.lowest()
    return Numbers(evidence, elsewhere=[TITLE_OF[name] for name in other if judged[name].verdict == HOLDS], **values)


def pair_numbers(evidence: Evidence) -> Numbers:
    """How pairs of methods came out in the text's reading, and what the paper's number of runs can tell of them.

    ``reversed_by``: rivals that are better where the tables have TS-RSR ahead; ``reversed_for``: the other way round.
    ``decided``: pairs of all methods that our first runs of the paper's number decide; ``lucky``: those among them that
    as many runs are not expected to.
    """
    table, code = outcomes(evidence), outcomes(evidence, "code")
    own = own_pairs(table)
    turned = own[own["all"] == ranking.REVERSED]
    decided = table[table["few"] != ranking.NOT_APART]
    return Numbers(
        evidence,
        pairs=len(own),
        kept=_count(own, ranking.AS_PRINTED),
        turned=len(turned),
        reversed_by=[_rival(row) for row in turned.itertuples() if row.difference > 0],
        reversed_for=[_rival(row) for row in turned.itertuples() if row.difference < 0],
        code_kept=_count(own_pairs(code), ranking.AS_PRINTED),
        code_turned=_count(own_pairs(code), ranking.REVERSED),
        apart=_count(own, ranking.APART),
        power=evidence.margins.claims["power"],
        level=evidence.margins.confidence,
        can_tell=int(own["can tell"].sum()),
        decided=len(decided),
        lucky=int((~decided["can tell"]).sum()),
        all_pairs=len(table),
        few_kept=_count(table, ranking.AS_PRINTED, "few"),
        few_turned=_count(table, ranking.REVERSED, "few"),
        code_few_kept=_count(code, ranking.AS_PRINTED, "few"),
        code_few_turned=_count(code, ranking.REVERSED, "few"),
    )


def _rival(row: Any) -> str:
    return f"{NAME_OF[row.second]} on {TITLE_OF[row.problem]}"


def rank_rows(evidence: Evidence) -> pd.DataFrame:
    """One row a reading: each method's average rank over the problems, best in the text's reading first."""
    ranks = {
        name: {NAME_OF[method]: float(at.mean()) for method, at in found.items()}
        for reading, name in READINGS.items()
        if (found := ranking.average_ranks(evidence, METHODS, reading))
    }
    table = pd.DataFrame.from_dict(ranks, orient="index")
    ordered = table.iloc[0].sort_values().index
    return table[ordered].rename_axis("reading").reset_index()


def score_rows(evidence: Evidence) -> pd.DataFrame:
    """What becomes of TS-RSR's lead in both readings; three counts are those that hold, are reversed, and stay open."""
    columns = {}
    for reading, name in READINGS.items():
        own, found, wins = (
            own_pairs(outcomes(evidence, reading)),
            evidence.firsts(reading),
            first_verdicts(evidence, reading),
        )
        all_runs, few = (
            ", ".join(
                str(_count(own, outcome, runs)) for outcome in (ranking.AS_PRINTED, ranking.REVERSED, ranking.NOT_APART)
            )
            for runs in ("all", "few")
        )
        columns[name] = {
            "runs of each method on a problem": " to ".join(map(str, found.runs)),
            "problems with the lowest mean": f"{found.count} of {found.total}",
            f"the same, {found.level:.0%} interval of the resamples": f"{found.low} to {found.high}",
            "problems with the lowest mean beyond doubt": f"{found.beyond}",
            "first places of the tables": ", ".join(str(len(names)) for names in wins.values()),
            "comparisons with a rival": all_runs,
            "comparisons, at the paper's number of runs": few,
            "comparisons that this number can tell": f"{int(own['can tell'].sum())} of {len(own)}",
        }
    return pd.DataFrame(columns).rename_axis("TS-RSR").reset_index()


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


def _count(table: pd.DataFrame, outcome: str, column: str = "all") -> int:
    return int((table[column] == outcome).sum())


# -- settings ----------------------------------------------------------------------------------------------------------
