"""Differences between text and code that make TS-RSR first: the runs with one setting changed, beside both readings."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from companion.core import instruction_set
from companion.core.arrays import Floats
from companion.judge.intervals import paired_interval
from companion.pages import Numbers, Rows, frame, provenance_of, stored, table
from companion.papers.tsrsr.experiments import store
from companion.papers.tsrsr.experiments.factors import ASCENTS, FACTORS, METHODS, PROBLEMS, SEEDS, Factor
from companion.papers.tsrsr.experiments.printed import OURS, TITLE_OF, TSRSRResults
from companion.papers.tsrsr.page import factors as factor_study
from companion.papers.tsrsr.page.readings import READINGS, short
from companion.papers.tsrsr.problems.catalogue import SETTINGS
from companion.stored.results import StoredTables

NOTHING = "nothing changed"


load_factors = store.STORED_FACTORS.load


def values_of(evidence: TSRSRResults, made: StoredTables, reading: str, factor: str, problem: str) -> dict[str, Floats]:
    """Final regret by method on the factors' seeds, in the table's unit; a method that a factor does not concern keeps its
    runs of the reading.
    """
    table = made.tables["factors"]
    part = table[(table.reading == reading) & (table.factor == factor) & (table.problem == problem)]
    found = {}
    for method in METHODS:
        own = part[part.method == method].sort_values("seed")
        seeds = range(SEEDS if own.empty else len(own))
        found[method] = (
            evidence.runs(problem, method, reading, len(seeds))
            if own.empty
            else own.regret.to_numpy(dtype=float) / SETTINGS[problem].unit
        )
    return found


@frame
def factor_rows(evidence: TSRSRResults, made: StoredTables) -> Rows:
    """One row a reading and setting; for each problem the mean of TS-RSR, its place among the four, and the change.

    ``+`` and ``-`` mark a paired interval of the change of TS-RSR's regret that lies above or below zero, ``*`` a lead (or
    a gap) to the best (next) of the three rivals whose paired interval does not hold zero.
    """
    level = evidence.margins.confidence
    for reading, name in READINGS.items():
        base = {problem: evidence.runs(problem, OURS, reading, SEEDS) for problem in PROBLEMS}
        for factor in (None, *FACTORS, ASCENTS):
            row = {"from": name, "setting": NOTHING if factor is None else _words(factor, reading)}
            for problem in PROBLEMS:
                values = values_of(evidence, made, reading, "" if factor is None else factor.name, problem)
                row[f"{TITLE_OF[problem]}, {SETTINGS[problem].unit:g}"] = _cell(values, base[problem], level)
            yield row


def _words(factor: Factor, reading: str) -> str:
    if factor is ASCENTS:
        return factor.meaning
    return f"{'with' if reading == 'text' else 'without'} {factor.name}: {factor.meaning}"


def _cell(values: Mapping[str, Floats], base: Floats, level: float) -> str:
    ours, change = values[OURS], paired_interval(values[OURS], base, level)
    place = 1 + sum(values[name].mean() < ours.mean() for name in values if name != OURS)
    sign = "+" if change.low > 0 else "-" if change.high < 0 else ""
    return f"{short(ours.mean())}{sign} [{place}{'*' if _apart(values, level) else ''}]"


def factor_numbers(evidence: TSRSRResults, made: StoredTables) -> Numbers:
    """Number of the problems on which TS-RSR is first of the four methods, with one setting changed at a time.

    ``text``, ``code``: with nothing changed; ``text_more``, ``code_more``, ``text_fewer``, ``code_fewer``: settings that alter
    the number; ``both_ways``: differences between text and code that raise it when switched on and lower it when off.
    ``firsts``: first places in all cells; ``apart``: those where the best rival is distinguishable.
    """
    values = {
        (reading, factor, problem): values_of(evidence, made, reading, factor, problem)
        for reading in READINGS
        for factor in ("", *(factor.name for factor in (*FACTORS, ASCENTS)))
        for problem in PROBLEMS
    }
    counts: Counter[tuple[str, str]] = Counter()
    for (reading, factor, _), found in values.items():
        counts[reading, factor] += _first(found)
    altered = {
        f"{reading}_{way}": [
            factor.name
            for factor in (*FACTORS, ASCENTS)
            if sign * (counts[reading, factor.name] - counts[reading, ""]) > 0
        ]
        for reading in READINGS
        for way, sign in (("more", 1), ("fewer", -1))
    }
    both = [
        factor.name
        for factor in FACTORS
        if factor.name in altered["text_more"] and factor.name in altered["code_fewer"]
    ]
    leads = [found for found in values.values() if _first(found)]
    before, then = (instruction_set.recorded(blas) for blas in (evidence.record["blas"], made.record.blas))
    return Numbers(
        provenance_of(evidence) + stored(made.record.to_dict(), store.STORED_FACTORS),
        text=counts["text", ""],
        code=counts["code", ""],
        both_ways=both,
        seeds=SEEDS,
        firsts=len(leads),
        apart=sum(_apart(found, evidence.margins.confidence) for found in leads),
        before=instruction_set.MEANS[before],
        then=instruction_set.MEANS[then],
        **altered,
    )


def _apart(values: Mapping[str, Floats], level: float) -> bool:
    """Whether the paired interval between TS-RSR and the best of its rivals leaves out zero."""
    best = min((values[name] for name in values if name != OURS), key=lambda other: other.mean())
    return 0.0 not in paired_interval(values[OURS], best, level)


def _first(values: Mapping[str, Floats]) -> bool:
    return all(values[OURS].mean() <= other.mean() for other in values.values())


factors = table(factor_study.factor_rows)
