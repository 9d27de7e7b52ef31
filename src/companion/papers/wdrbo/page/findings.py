"""The chapter's summary and where text and code part; every number is computed or read from stored results."""

from __future__ import annotations

import pandas as pd

from companion.pages import Numbers, recorded
from companion.pages.evidence import Checked, load_checked
from companion.papers.wdrbo.experiments import questions_claims
from companion.papers.wdrbo.experiments.figures_claims import not_competitive
from companion.papers.wdrbo.experiments.general_claims import robust_beats_nonrobust
from companion.papers.wdrbo.experiments.printed import TITLE_OF
from companion.papers.wdrbo.experiments.ranking_claims import on_problems
from companion.papers.wdrbo.page import bound, constants, radius
from companion.papers.wdrbo.page.stored_runs import Evidence
from companion.reproduce.reported import load_differences
from companion.reproduce.verdict import HOLDS

#: The summary's own studies: those of the chapter at its default parameters, which change what follows, not the summary.
RUNS, ROUNDS, RADIUS, REGULARISER, NOISE, ARMS = 100, 60, 0.1, 1.0, 0.1, 50


WIDE = ("thm-5", "thm-9", "thm-16", "thm-16-i", "thm-16-ii")
"""Entries of the ledger that suppose a posterior variance, divided by lambda, of at most one."""
LOOSE = "lemma-7"
"""Holds in a form that is not the printed one."""


def finding_numbers(evidence: Evidence) -> Numbers:
    """What the chapter's summary rests on; see :data:`RUNS` for the instance of its own studies."""
    arms = constants.constant_study(ARMS)
    measured = bound.bound_study(0, RUNS, ROUNDS, RADIUS, REGULARISER, NOISE, brief=True)
    radii = radius.radius_study(0, RUNS, ROUNDS, REGULARISER, NOISE, brief=True)
    at = radii.at(radius.EXPERIMENT)
    readings = questions_claims.by_reading(evidence)
    own, other = readings.get("text", {}), readings.get("code", {})
    parts, _ = not_competitive(evidence)
    ledger = {entry["id"]: entry["status"] for entry in load_checked("wdrbo").ledger}
    return Numbers(
        evidence,
        arms,
        measured,
        radii,
        one_round=ledger["thm-4"] == "holds",
        below=arms.violated_below,
        empty=bool((measured.rows.ours >= measured.rows.trivial).all()),
        n=radius.EXPERIMENT,
        least=float(at.least / at.diameter),
        beats=all(part.judgement.verdict == HOLDS for part in robust_beats_nonrobust(evidence)[0]),
        last=all(part.judgement.verdict == HOLDS for part in parts),
        better=own.get("better", 0),
        worse=own.get("worse", 0),
        seeds=own.get("seeds", 0),
        few_worse=sum(
            one.shown(evidence.margins.significance) == 1
            for one in on_problems(evidence, "wdrbo", "erbo", count=evidence.paper_runs)
        ),
        paper_seeds=evidence.paper_runs,
        code_seeds=other.get("seeds", 0),
        problems=len(evidence.problems),
        code_decided=other.get("better", 0) + other.get("worse", 0),
    )


def repair_numbers(checked: Checked) -> Numbers:
    """How many entries of the ledger need a repair, how many of them for one reason, and how many state a probability."""
    entries = {entry["id"]: entry for entry in checked.ledger}
    mended = [name for name, entry in entries.items() if entry["status"] not in ("holds", "not-checkable")]
    likely = [e for e in entries.values() if e["kind"] == "probability" and e["status"] == "holds"]
    loose = entries.get(LOOSE, {})
    return Numbers(
        checked.where,
        mended=len(mended),
        wide=sum(name in mended for name in WIDE),
        likely=len(likely),
        lemma_7=loose.get("status") == "holds" and bool(loose.get("reason")),
    )


@recorded(random=False)
def difference_rows() -> pd.DataFrame:
    """What the text says and what the published code does, item by item."""
    rows = load_differences("wdrbo", ("text", "code"))
    return rows.assign(problem=rows.problem.replace(TITLE_OF))
