"""Tables 1-4 and Figures 1-4 from the stored runs: beside the printed numbers, ranked, and in both readings."""

from __future__ import annotations

import math
from collections import Counter
from itertools import combinations
from typing import Any

import pandas as pd
from scipy import stats

from companion.core.arrays import Floats
from companion.judge.intervals import mean_interval
from companion.judge.stored_runs import once
from companion.judge.verdict import CONTRADICTED, HOLDS, UNDECIDED, Judgement
from companion.pages import Numbers
from companion.papers.tsrsr.experiments import ranking_claims
from companion.papers.tsrsr.experiments.printed import METHOD_OF, NAME_OF, OURS, RIVALS, TITLE_OF, TSRSRResults
from companion.papers.tsrsr.page.readings import READINGS, short
from companion.papers.tsrsr.problems.catalogue import SETTINGS

#: The paper's methods in the order of its tables.
METHODS = tuple(METHOD_OF.values())
#: Columns of each figure; Figure n shows the columns of Table n.
FIGURES = {number: tuple(n for n, column in SETTINGS.items() if column.table == number) for number in (1, 2, 3, 4)}

load_paper_results = TSRSRResults.read


@once
def pairs(results: TSRSRResults, reading: str) -> dict[str, list[ranking_claims.Pair]]:
    """By problem, the comparisons of all pairs of the paper's methods."""
    names = list(combinations((OURS, *RIVALS), 2))
    return {
        problem: [ranking_claims.pair(results, problem, *pair, reading) for pair in names]
        for problem in results.problems
        if results.has(problem, reading=reading)
    }


@once
def lowest(results: TSRSRResults, reading: str) -> dict[str, Judgement]:
    """By problem, whether TS-RSR has the lowest mean of the paper's methods, over all runs."""
    return {
        problem: ranking_claims.lowest({name: results.units(problem, name, reading) for name in (OURS, *RIVALS)}, OURS)[
            0
        ]
        for problem in results.problems
        if results.has(problem, reading=reading)
    }


# -- the tables --------------------------------------------------------------------------------------------------------


def beside(evidence: TSRSRResults, number: int) -> pd.DataFrame:
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
        ranks = {reading: ranking_claims.ranks(evidence, problem, reading, count) for reading in present}
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


def _printed(results: TSRSRResults, problem: str, method: str) -> str:
    cell = results.cell(problem, method)
    return f"{cell.mean} ± {cell.spread} [{results.ranks[problem, method]}]"


def _cell(values: Floats, rank: int | None) -> str:
    return f"{short(values.mean())} ± {short(values.std())}" + ("" if rank is None else f" [{rank}]")


def _all(results: TSRSRResults, problem: str, method: str) -> str:
    values = results.units(problem, method)
    half = stats.t.ppf(0.975, len(values) - 1) * values.std(ddof=1) / math.sqrt(len(values))
    return f"{short(values.mean())} ± {short(half)}"


def curve_numbers(evidence: TSRSRResults, number: int) -> Numbers:
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


def data_used(evidence: TSRSRResults) -> str:
    """The data set behind Boston-NN-4D, from the record of the stored runs."""
    return str(evidence.record["settings"].get("data", {}).get("boston-4d", ""))


# -- rankings ----------------------------------------------------------------------------------------------------------


def outcomes(evidence: TSRSRResults, reading: str = "text") -> pd.DataFrame:
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
            for problem, compared in pairs(evidence, reading).items()
            for pair in compared
        ]
    )


def lead_rows(evidence: TSRSRResults) -> pd.DataFrame:
    """One row a reading and problem: TS-RSR's mean minus that of its best rival, as a share of the larger of the two.

    ``low`` and ``high`` are the ends of the paired interval from all runs, ``few low`` and ``few high`` from as many as the
    paper made. The rival is the one with the lowest mean over all runs.
    """
    rows = []
    for reading in READINGS:
        for problem in (name for name in evidence.problems if evidence.has(name, reading=reading)):
            means = {name: float(evidence.runs(problem, name, reading).mean()) for name in (OURS, *RIVALS)}
            rival = min(RIVALS, key=means.__getitem__)
            scale = max(means[OURS], means[rival]) or 1.0  # both are zero where every run finds the optimum
            every, few = (
                evidence.against(problem, OURS, rival, reading, count) for count in (None, evidence.paper_runs(problem))
            )
            ends = {
                "lead": every.estimate,
                "low": every.low,
                "high": every.high,
                "few low": few.low,
                "few high": few.high,
            }
            names = {"reading": reading, "problem": TITLE_OF[problem], "rival": NAME_OF[rival]}
            rows.append(names | {name: value / scale for name, value in ends.items()})
    return pd.DataFrame(rows)


def lead_numbers(evidence: TSRSRResults) -> Numbers:
    """Counts of problems with TS-RSR ahead of its best rival or behind it, from all runs; ``few_``: the paper's number."""
    rows = lead_rows(evidence)
    counts: dict[str, object] = {}
    for reading, part in rows.groupby("reading"):
        for name, low, high in (("", part.low, part.high), ("few_", part["few low"], part["few high"])):
            counts |= {f"{reading}_{name}ahead": int((high < 0).sum()), f"{reading}_{name}behind": int((low > 0).sum())}
    return Numbers(evidence, problems=rows.problem.nunique(), **counts)


def own_pairs(table: pd.DataFrame) -> pd.DataFrame:
    """The rows of :func:`outcomes` with TS-RSR, which is always the first of a pair."""
    return table[table["first"] == OURS]


#: Whether TS-RSR has the lowest mean in our runs, which is not yet whether the tables say so.
LOWEST = {HOLDS: "yes", CONTRADICTED: "no", UNDECIDED: "open"}


def ranking_rows(evidence: TSRSRResults) -> pd.DataFrame:
    """One row a problem: first method in print and in our runs, and outcomes of the pairs of methods.

    ``like the paper``: from the paper's number of runs; ``all runs``: from all of ours.
    """
    rows, table = [], outcomes(evidence)
    code = lowest(evidence, "code")
    for problem in pairs(evidence, "text"):
        part = table[table.problem == problem]
        counts = Counter(part["all"])
        took = {"like the paper": evidence.paper_runs(problem), "all runs": None}
        firsts = {
            f"first, {reading}, {name}": _first(ranking_claims.ranks(evidence, problem, reading, count))
            if reading == "text" or problem in code
            else "–"
            for name, count in took.items()
            for reading in READINGS
        }
        rows.append(
            {
                "problem": TITLE_OF[problem],
                "first, printed": _first(ranking_claims.ranks(evidence, problem, None)),
                **firsts,
                "TS-RSR lowest, text": LOWEST[lowest(evidence, "text")[problem].verdict],
                "TS-RSR lowest, code": LOWEST[code[problem].verdict] if problem in code else "–",
                **{outcome: counts[outcome] for outcome in ranking_claims.OUTCOMES},
                "the paper's runs can tell": int(part["can tell"].sum()),
            }
        )
    return pd.DataFrame(rows)


def _first(ranks: dict[str, int]) -> str:
    return ", ".join(NAME_OF[name] for name, rank in ranks.items() if rank == 1)


def first_numbers(evidence: TSRSRResults) -> Numbers:
    """TS-RSR among the seven methods, in both readings: its average rank, and where it has the lowest mean.

    ``best``: whether its average rank is the lowest in both readings, from the paper's number of runs and from all.
    ``wins``: problems where the tables have it first; ``text_`` and ``code_``: number of them where it is, with the paper's
    number of runs (``few``) and with all (``lowest``), see :class:`Firsts`; and the
    printed firsts that a reading confirms, and contradicts. ``elsewhere``: where the tables have another method
    first, and it is lowest in the text's reading; ``elsewhere_few``: the methods there with the paper's number of runs.
    ``level``: rivals whose average rank is not shown to be higher with the text, by paired 95 % intervals over the problems.
    """
    ranks = rank_rows(evidence).drop(columns="runs").set_index("reading").drop("as printed")
    wins, other = printed_first(evidence)
    values: dict[str, object] = {"wins": len(wins), "best": bool((ranks.min(axis=1) == ranks[NAME_OF[OURS]]).all())}
    for reading in READINGS:
        found, firsts = first_verdicts(evidence, reading), ranking_claims.firsts(evidence, reading)
        values |= {
            f"{reading}_few": firsts.few,
            f"{reading}_lowest": firsts.count,
            f"{reading}_expected": firsts.expected,
            f"{reading}_runs": " to ".join(map(str, firsts.runs)),
            f"{reading}_low": firsts.low,
            f"{reading}_high": firsts.high,
            f"{reading}_confirmed": len(found[HOLDS]),
            f"{reading}_contradicted": [TITLE_OF[name] for name in found[CONTRADICTED]],
        }
    all_ranks = ranking_claims.average_ranks(evidence, (OURS, *RIVALS))
    level = [NAME_OF[name] for name in RIVALS if mean_interval(all_ranks[OURS] - all_ranks[name]).high >= 0]
    judged = lowest(evidence, "text")
    elsewhere = [name for name in other if judged[name].verdict == HOLDS]
    return Numbers(
        evidence,
        level=sorted(level),
        elsewhere=[TITLE_OF[name] for name in elsewhere],
        elsewhere_runs=[len(evidence.runs(name, OURS)) for name in elsewhere],
        elsewhere_few=[
            _first(ranking_claims.ranks(evidence, name, "text", evidence.paper_runs(name))) for name in elsewhere
        ],
        **values,
    )


def pair_numbers(evidence: TSRSRResults) -> Numbers:
    """Outcomes of pairs of methods in the text's reading, and those that the paper's number of runs can resolve.

    ``reversed_by``: rivals that are better where the tables have TS-RSR ahead; ``reversed_for``: the other way round.
    ``by_chance``: number of those with TS-RSR that chance alone reverses at most, were the printed order true.
    ``decided``: pairs of all methods that our first runs of the paper's number decide; ``lucky``: those among them that
    as many runs are not expected to.
    """
    table, code = outcomes(evidence), outcomes(evidence, "code")
    own = own_pairs(table)
    turned = own[own["all"] == ranking_claims.REVERSED]
    decided = table[table["few"] != ranking_claims.NOT_APART]
    return Numbers(
        evidence,
        pairs=len(own),
        kept=_count(own, ranking_claims.AS_PRINTED),
        turned=len(turned),
        reversed_by=[_rival(row) for row in turned.itertuples() if row.difference > 0],
        reversed_for=[_rival(row) for row in turned.itertuples() if row.difference < 0],
        code_kept=_count(own_pairs(code), ranking_claims.AS_PRINTED),
        code_turned=_count(own_pairs(code), ranking_claims.REVERSED),
        apart=_count(own, ranking_claims.APART),
        power=evidence.margins.claims["power"],
        level=evidence.margins.confidence,
        can_tell=int(own["can tell"].sum()),
        by_chance=len(own) * (1.0 - evidence.margins.confidence) / 2.0,
        decided=len(decided),
        lucky=int((~decided["can tell"]).sum()),
        all_pairs=len(table),
        few_kept=_count(table, ranking_claims.AS_PRINTED, "few"),
        few_turned=_count(table, ranking_claims.REVERSED, "few"),
        code_few_kept=_count(code, ranking_claims.AS_PRINTED, "few"),
        code_few_turned=_count(code, ranking_claims.REVERSED, "few"),
    )


def _rival(row: Any) -> str:
    return f"{NAME_OF[row.second]} on {TITLE_OF[row.problem]}"


def rank_rows(evidence: TSRSRResults) -> pd.DataFrame:
    """Each method's average rank over the problems, best in print first.

    One row for the printed means; then one a reading, from the paper's number of runs and from all of ours.
    """
    printed = [[evidence.printed(problem, name) for name in METHODS] for problem in evidence.problems]
    at = stats.rankdata(printed, axis=1).mean(axis=0)
    rows: dict[tuple[str, str], dict[str, float]] = {
        ("as printed", "the paper's"): {NAME_OF[name]: float(rank) for name, rank in zip(METHODS, at, strict=True)}
    }
    for few, runs in ((True, "as many as the paper's"), (False, "all of ours")):
        for reading, name in READINGS.items():
            if found := ranking_claims.average_ranks(evidence, METHODS, reading, few):
                rows[name, runs] = {NAME_OF[method]: float(ranks.mean()) for method, ranks in found.items()}
    table = pd.DataFrame.from_dict(rows, orient="index")
    ordered = table.iloc[0].sort_values().index
    return table[ordered].rename_axis(["reading", "runs"]).reset_index()


def printed_first(evidence: TSRSRResults, reading: str = "text") -> tuple[list[str], list[str]]:
    """Problems run in a reading where the tables print TS-RSR as the first, and the other ones."""
    places = {problem: ranking_claims.ranks(evidence, problem, None)[OURS] for problem in lowest(evidence, reading)}
    return [name for name, place in places.items() if place == 1], [name for name, place in places.items() if place > 1]


def first_verdicts(evidence: TSRSRResults, reading: str = "text") -> dict[str, list[str]]:
    """Problems on which the tables print TS-RSR as the first, by whether this holds, is contradicted, or stays open."""
    found: dict[str, list[str]] = {HOLDS: [], CONTRADICTED: [], UNDECIDED: []}
    for problem in printed_first(evidence, reading)[0]:
        found[lowest(evidence, reading)[problem].verdict].append(problem)
    return found


def _count(table: pd.DataFrame, outcome: str, column: str = "all") -> int:
    return int((table[column] == outcome).sum())


# -- settings ----------------------------------------------------------------------------------------------------------
