"""Basis of each stored verdict: rows of the printed tables and stored runs, in a form that needs no package.

An interval says which stored rows it is computed from, where it is computed from them alone (:mod:`companion.judge.columns`),
and so does every verdict on it. Where it does not, the verdict is recomputed from the stored interval, the stored count, or the
stored words of its parts, and ``rests_on`` says from which.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from companion.core.errors import ResultError
from companion.exports.identity import identifier
from companion.judge.claims import Verdicts
from companion.judge.columns import Selection
from companion.judge.equivalence import Summary, welch
from companion.judge.intervals import Interval
from companion.judge.reported import ReportedCell
from companion.judge.stored_runs import StoredRuns
from companion.judge.verdict import CONTRADICTED, HOLDS, NOT_TESTABLE, Judgement, Part, paired_claim

Json = dict[str, Any]
#: Relative agreement at which numbers count as computed from the same runs.
EXACT = 1e-9
RUNS, PRINTED, PARTS, WORDS = "stored runs", "printed tables alone", "stored intervals and counts", "words of its parts"
#: From the weakest; a claim rests on the weakest that one of its parts rests on.
RESTS_ON = (WORDS, PARTS, PRINTED, RUNS)
_COUNTED = re.compile(r": (\d+) of (\d+)$")


def basis(
    judged: Verdicts[Any], results: StoredRuns, entries: Sequence[Mapping[str, Any]], rules: Mapping[str, str]
) -> list[Json]:
    """One object a verdict, in their order: ``id``, ``rests_on``, and what ``recompute.py`` reads.

    Parameters
    ----------
    judged : how the paper is judged; printed numbers and claims are judged again, to see on which runs each rests
    results : printed numbers and stored runs of the paper
    entries : its stored verdicts, the cells in the order of the printed tables
    rules : name of the rule for the margin of each metric, as in ``margins.toml``

    Raises
    ------
    ResultError
        if the entries are not those of the tables, or a stored interval is not that of its numbers
    """
    if sum(entry["kind"] == "cell" for entry in entries) != len(results.cells):
        raise ResultError(f"the verdicts are not on the {len(results.cells)} printed numbers; make them again")
    rows = {cell: _printed(cell, rules) for cell in results.cells}
    cells = iter(rows)
    tests = {**judged.tests, **{claim.id: test for claim, test in judged.asked}}
    found = []
    for entry in entries:
        if entry["kind"] == "cell":
            cell = next(cells)
            rests = _cell(results, rows, cell, entry, judged.cell(results, cell)["judgement"])
        else:
            name = str(entry["cell"])
            # What computes something itself rests on no stored run.
            rests = _claim(entry, [] if name in judged.computed else tests[name](results)[0])
        found.append({"id": identifier("verdicts", entry)} | rests)
    return found


# -- printed numbers ---------------------------------------------------------------------------------------------------


def _cell(
    results: StoredRuns,
    rows: Mapping[ReportedCell, Json],
    cell: ReportedCell,
    entry: Mapping[str, Any],
    judgement: Judgement,
) -> Json:
    found: Json = {"rule": "welch", "printed": rows[cell], "rests_on": PRINTED}
    if judgement.verdict == NOT_TESTABLE:
        # What could be tested and is not is no comparison: the unit of all ratios, or a problem that was not run.
        return found if cell.summary is None else found | {"rule": "unit"}
    if judgement.difference is None or judgement.difference.runs is None:
        raise ResultError(f"the runs behind {entry['source']}, {entry['cell']} are not among the stored ones")
    runs = dict(judgement.difference.runs)
    over = runs.pop("over", None)
    found |= {"runs": runs, "rests_on": RUNS}
    if judgement.ordering is None:
        return found | {"rule": "exact"}
    named = {results.named(one): row for one, row in rows.items()}
    if over is None:
        found["printed"] = rows[cell] | _spread(cell, entry)
    else:
        found["over"] = {"printed": named[_name(results, over)], "runs": over}
    pairs = {_name(results, pair["second"]): pair for pair in judgement.ordering.runs if pair is not None}
    return found | {"others": [{"printed": named[name], "pair": pairs[name]} for name in named if name in pairs]}


def _printed(cell: ReportedCell, rules: Mapping[str, str]) -> Json:
    name, line = cell.where.split(", line ")
    return {"table": f"reported/{name}", "row": int(line) - 2, "rule": rules[cell.metric]}


def _name(results: StoredRuns, runs: Selection) -> tuple[str, str]:
    """Problem and method of stored runs."""
    problem, method = (runs["where"][results.COLUMNS.get(name, name)] for name in ("problem", "method"))
    return problem, method


def _spread(cell: ReportedCell, entry: Mapping[str, Any]) -> Json:
    """Conversion of the printed spread to a standard deviation, read off the stored interval."""
    rounded = {"zero": entry["margin"]} if cell.spread == 0.0 else {}
    assert cell.n is not None  # it was tested
    assert cell.sd is not None
    for more in ({}, {"population": True}):
        sd = float(rounded.get("zero", cell.sd)) * (math.sqrt(cell.n / (cell.n - 1)) if more else 1.0)
        interval = welch(Summary(cell.mean, sd, cell.n), Summary(**entry["reproduced"]))
        if np.allclose(interval.ends, entry["difference"]["ci95"], rtol=EXACT):
            return rounded | more
    raise ResultError(f"the interval of {entry['source']}, {entry['cell']} is not Welch's of its numbers")


# -- claims ------------------------------------------------------------------------------------------------------------


def _claim(entry: Mapping[str, Any], tested: Sequence[Part]) -> Json:
    gaps = [part.judgement.difference for part in tested] or [None] * len(entry["parts"])
    parts = [_part(*pair) for pair in zip(entry["parts"], gaps, strict=True)]
    levels = [WORDS if p["rule"] == "stored" else RUNS if "runs" in p else PARTS for p in parts]
    return {"parts": parts, "rests_on": min(levels, key=RESTS_ON.index)}


def _part(part: Mapping[str, Any], gap: Interval | None) -> Json:
    """Rule from an interval or a count to a part's verdict; ``stored`` if it has a rule of its own."""
    if part["difference"] is None:
        counted = _COUNTED.search(part["reason"])
        holds, of = map(int, counted.groups()) if counted else (0, 0)
        word = HOLDS if holds == of else CONTRADICTED
        return (
            {"rule": "count", "holds": holds, "of": of} if counted and word == part["verdict"] else {"rule": "stored"}
        )
    rule = _rule(part)
    if rule["rule"] == "stored" or gap is None or gap.runs is None:
        return rule
    return rule | ({"runs": gap.runs} if np.allclose(gap.ends, part["difference"]["ci95"], rtol=EXACT) else {})


def _rule(part: Mapping[str, Any]) -> Json:
    """The rule that gives the verdict. The side that is claimed follows from it; around zero it is ``either``."""
    low, high = part["difference"]["ci95"]
    interval = Interval(part["difference"]["mean"], low, high, 2)
    if part["margin"] is not None:
        within = part["margin"] > 0 and paired_claim(interval, "comparable", part["margin"]).verdict == part["verdict"]
        return {"rule": "within", "margin": part["margin"]} if within else {"rule": "stored"}
    fitting = [says for says in ("smaller", "larger") if paired_claim(interval, says).verdict == part["verdict"]]
    return {"rule": fitting[0] if len(fitting) == 1 else "either" if fitting else "stored"}
