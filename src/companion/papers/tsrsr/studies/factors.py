"""Which difference between text and code makes TS-RSR first: the runs with one setting changed, beside both readings."""

from __future__ import annotations

from collections.abc import Mapping

import pandas as pd

from companion import arithmetic
from companion.arrays import Floats
from companion.papers.tsrsr.claims.printed import NAME_OF, OURS, TITLE_OF
from companion.papers.tsrsr.plan import store
from companion.papers.tsrsr.plan.factors import ASCENTS, FACTORS, METHODS, PROBLEMS, SEEDS, Factor
from companion.papers.tsrsr.plan.runs import PAPER, factor_tasks
from companion.papers.tsrsr.problems.catalogue import SETTINGS
from companion.papers.tsrsr.studies.paper import Evidence
from companion.papers.tsrsr.studies.readings import READINGS, short
from companion.report import recorded, say, stored, where_of
from companion.report.text import Sentence
from companion.reproduce.intervals import paired_interval
from companion.reproduce.stored import StoredTables

NOTHING = "nothing changed"


def values_of(evidence: Evidence, made: StoredTables, reading: str, factor: str, problem: str) -> dict[str, Floats]:
    """Final regret by method on the factors' seeds, in the table's unit; a method that a factor does not concern keeps its
    runs of the reading.
    """
    table = made.tables[store.FACTOR_TABLE]
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


def factor_rows(evidence: Evidence, made: StoredTables) -> pd.DataFrame:
    """One row a reading and setting; for each problem the mean of TS-RSR, its place among the four, and what changed.

    ``+`` and ``-`` mark a paired interval of the change of TS-RSR's regret that lies above or below zero, ``*`` a lead (or
    a gap) to the best (next) of the three rivals whose paired interval does not hold zero.
    """
    level, rows = evidence.margins.confidence, []
    for reading, name in READINGS.items():
        base = {problem: evidence.runs(problem, OURS, reading, SEEDS) for problem in PROBLEMS}
        for factor in (None, *FACTORS, ASCENTS):
            row = {"from": name, "setting": NOTHING if factor is None else _words(factor, reading)}
            for problem in PROBLEMS:
                values = values_of(evidence, made, reading, "" if factor is None else factor.name, problem)
                row[f"{TITLE_OF[problem]}, {SETTINGS[problem].unit:g}"] = _cell(values, base[problem], level)
            rows.append(row)
    return pd.DataFrame(rows)


@recorded(random=False)
def planned_rows() -> pd.DataFrame:
    """The settings, and the methods that each concerns."""
    return pd.DataFrame(
        [
            {
                "setting": factor.name,
                "meaning": factor.meaning,
                "methods": ", ".join(NAME_OF[m] for m in factor.methods),
            }
            for factor in (*FACTORS, ASCENTS)
        ]
    )


def _words(factor: Factor, reading: str) -> str:
    if factor is ASCENTS:
        return factor.meaning
    return f"{'with' if reading == 'text' else 'without'} {factor.name}: {factor.meaning}"


def _cell(values: Mapping[str, Floats], base: Floats, level: float) -> str:
    ours, change = values[OURS], paired_interval(values[OURS], base, level)
    place = 1 + sum(values[name].mean() < ours.mean() for name in values if name != OURS)
    sign = "+" if change.low > 0 else "-" if change.high < 0 else ""
    return f"{short(ours.mean())}{sign} [{place}{'*' if _apart(values, level) else ''}]"


def say_factors(evidence: Evidence, made: StoredTables | None = None) -> Sentence:
    """On how many of the problems TS-RSR is first, with one setting changed at a time; or that this is still to be run."""
    made = made or store.load_factors()
    if made is None:
        tasks = len(factor_tasks(PAPER))
        return say(
            "These {tasks} runs are planned and not finished, so the page cannot say yet which of the differences does it. The "
            "plan was fixed before the first of them: {settings}, on {problems}, with {seeds} seeds.",
            tasks=tasks,
            settings=", ".join(factor.name for factor in (*FACTORS, ASCENTS)),
            problems=", ".join(TITLE_OF[problem] for problem in PROBLEMS),
            seeds=SEEDS,
            where=where_of(planned_rows()),
        )
    lines = []
    for reading, name in READINGS.items():
        counts = {
            factor: sum(_first(values_of(evidence, made, reading, factor, problem)) for problem in PROBLEMS)
            for factor in ("", *(factor.name for factor in (*FACTORS, ASCENTS)))
        }
        changed = [f"{factor} ({count})" for factor, count in counts.items() if factor and count != counts[""]]
        lines.append(
            f"- In {name} TS-RSR has the lowest mean of the four methods on {counts['']} of {len(PROBLEMS)} problems. "
            + (
                f"Changed alone, these alter that number: {', '.join(changed)}."
                if changed
                else "No change alone alters that."
            )
        )
    cells = [
        values_of(evidence, made, reading, factor, problem)
        for reading in READINGS
        for factor in ("", *(factor.name for factor in (*FACTORS, ASCENTS)))
        for problem in PROBLEMS
    ]
    leads = [values for values in cells if _first(values)]
    beyond = sum(_apart(values, evidence.margins.confidence) for values in leads)
    lines.append(
        f"\nWith {SEEDS} runs few of these leads are certain: of the {len(cells)} cells below TS-RSR is first in {len(leads)}, "
        f"and apart from the best rival in {beyond} of these."
    )
    before, then = (arithmetic.recorded(blas) for blas in (evidence.record["blas"], made.record.blas))
    if before != then:
        lines.append(
            f"\nThe runs with one setting changed were made with a processor's instructions for {arithmetic.MEANS[then]}, those "
            f"with nothing changed with those for {arithmetic.MEANS[before]}. Rounding differs, as between two runs by chance."
        )
    return say("{text}", text="\n".join(lines), where=where_of(evidence) + stored(made.record.to_dict(), store.store))


def _apart(values: Mapping[str, Floats], level: float) -> bool:
    """Whether the paired interval between TS-RSR and the best of its rivals leaves out zero."""
    best = min((values[name] for name in values if name != OURS), key=lambda other: other.mean())
    return 0.0 not in paired_interval(values[OURS], best, level)


def _first(values: Mapping[str, Floats]) -> bool:
    return all(values[OURS].mean() <= other.mean() for other in values.values())
