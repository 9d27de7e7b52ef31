"""The chapter's summary and where text and code part; every number is computed or read from stored results."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd

from companion.core.templates import significant
from companion.judge.reported import load_differences
from companion.pages import Numbers, recorded, table
from companion.papers.tsrsr.experiments.printed import OURS, RIVALS, TITLE_OF, TSRSRResults
from companion.papers.tsrsr.problems.catalogue import SETTINGS


@recorded(random=False)
def difference_rows() -> pd.DataFrame:
    """Differences between the text and the published code, item by item."""
    rows = load_differences("tsrsr", ("text", "code"))
    return rows.assign(problem=rows.problem.map({"all": "all", **TITLE_OF}))


@recorded(random=False)
def left_rows() -> pd.DataFrame:
    """Remaining differences between our reading of the code and the code."""
    rows = load_differences("tsrsr", ("code", "ours"), "code_and_ours")
    rows = rows.assign(problem=rows.problem.map({"all": "all", **TITLE_OF}))
    return rows.rename(columns={"code": "the code", "ours": "our reading of it"})


def code_numbers(evidence: TSRSRResults) -> Numbers:
    """Differences between text and code; our runs of the code beside the tables on Bird-2D; rounds left to chance.

    ``rivals_above``, ``within_spread``: whether TS and DPPTS end above the printed means, and by less than the standard
    deviation of a run.
    """
    items, problem = load_differences("tsrsr", ("text", "code"))["item"], "bird-2d"
    methods = int(items.str.startswith("method").sum())
    runs = {name: evidence.runs(problem, name, "code") for name in (OURS, "ts", "dpp-ts")}
    above = [(runs[name].mean() - evidence.printed(problem, name)) / runs[name].std() for name in ("ts", "dpp-ts")]
    rounds = random_rounds(evidence.record)
    models = (OURS, *RIVALS)
    played = {p: SETTINGS[p].batches * sum(len(evidence.runs(p, name, "code")) for name in models) for p in rounds}
    return Numbers(
        evidence,
        others=len(items) - methods,
        methods=methods,
        title=TITLE_OF[problem],
        unit=SETTINGS[problem].unit,
        runs=len(runs[OURS]),
        own=float(runs[OURS].mean()),
        printed=evidence.printed(problem, OURS),
        rivals_above=min(above) > 0.0,
        within_spread=max(above) < 1.0,
        chance=len(rounds),
        by_problem=[
            f"{significant(count)} of {significant(played[p])} rounds on {TITLE_OF[p]}"
            for p, count in sorted(rounds.items(), key=lambda entry: entry[1] / played[entry[0]], reverse=True)
        ],
    )


def random_rounds(record: Mapping[str, Any]) -> dict[str, int]:
    """Rounds of the code's reading that a failed factorisation left to chance, by problem; without those that had none."""
    counts: dict[str, int] = {}
    for cell, rounds in record.get("settings", {}).get("random_rounds", {}).items():
        problem = cell.partition("/")[0]
        counts[problem] = counts.get(problem, 0) + int(rounds)
    return {problem: count for problem, count in counts.items() if count}


differences = table(difference_rows)
left = table(left_rows)
