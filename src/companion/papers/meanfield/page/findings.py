"""The steps of the proof that are false, the claims, and where text and experiments part, from stored results."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import pandas as pd

from companion.judge.ownership import COMPANION, whose
from companion.judge.reported import load_differences
from companion.pages import Numbers, recorded, table
from companion.pages.evidence import Checked
from companion.papers.meanfield.experiments.printed import TITLE_OF

#: Steps that no other constant mends: a rounded law is no law, and a minimum with n.
GAPS = ("A-discretisation", "A1-tau")
#: Steps whose slip changes nothing that follows: the sign of a bracket, the sign of a mean that is left out, sigma^2 for sigma.
SLIPS = ("A1-split", "A2-positive-part", "A2-law")


def proof_numbers(checked: Checked) -> Numbers:
    """Number of false steps of the printed proof, and whether the stored evidence confirms their grounds."""
    steps = [entry for entry in checked.ledger if is_step(entry)]
    fails, corrected = (
        [entry for entry in steps if entry["status"] == status] for status in ("fails", "holds-with-corrected-constant")
    )
    gaps = [entry for entry in fails if entry["id"] in GAPS]
    slips = [entry for entry in corrected if entry["id"] in SLIPS]
    return Numbers(
        checked,
        steps=len(steps),
        false=len(fails) + len(corrected),
        fails=len(fails),
        gaps=len(gaps),
        slips=len(slips),
        amended=len(fails) + len(corrected) - len(gaps) - len(slips),
        repaired=any(e.get("id") == "thm-4.1-corrected" and e["status"] == "holds" for e in checked.ledger),
        penalty_confirmed=any(entry["id"] == "E12" and entry["confirmed"] for entry in checked.discrepancies),
    )


def is_step(entry: Mapping[str, Any]) -> bool:
    """Whether an entry of the ledger is a step of the proof in Appendix A."""
    return re.match(r"A[-123]", str(entry.get("id", ""))) is not None


def _own(part: Mapping[str, Any]) -> float:
    """Our mean of a part, or of one way of playing in it."""
    ours = part["mean"] if "mean" in part else part["reproduced"]["mean"]
    return float("nan") if ours is None else float(ours)


@recorded(random=False)
def difference_rows() -> pd.DataFrame:
    """Text, most likely run, and companion, item by item."""
    rows = load_differences("meanfield", ("text", "inferred", "ours"))
    rows = rows.assign(problem=rows.problem.map({"all": "all", **TITLE_OF}), inferred=rows.inferred.replace("", "–"))
    return rows.rename(columns={"inferred": "most likely run", "ours": "here"})


def claim_rows(checked: Checked) -> pd.DataFrame:
    """Every claim about the experiments with its tested parts and verdicts, as stored."""
    rows = []
    claims = [entry for entry in checked.verdicts if entry["kind"] == "claim"]
    for entry in sorted(claims, key=lambda entry: whose(entry) == COMPANION):
        words = f"Our question. {entry['claim']}" if whose(entry) == COMPANION else entry["claim"]
        for number, part in enumerate(entry["parts"]):
            first = {"claim": words, "verdict": entry["verdict"]} if number == 0 else {"claim": "", "verdict": ""}
            rows.append(first | {"tested": part["what"], "ours": _own(part), "of this part": part["verdict"]})
            rows += [
                {
                    "claim": "",
                    "verdict": "",
                    "tested": f"… with {way['what']}",
                    "ours": _own(way),
                    "of this part": f"({way['verdict']})",
                }
                for way in part.get("readings", ())
            ]
    return pd.DataFrame(rows)


def vessel_numbers(checked: Checked) -> Numbers:
    """Number of Maritime's vessels that stay in their region; as stored with the claim on Maritime."""
    found = next(e for e in checked.verdicts if e["cell"] == "maritime-best" and "own_region" in e)
    return Numbers(checked, own=found["own_region"], best=found["own_region_at_optimum"])


claims = table(claim_rows, digits=3)
differences = table(difference_rows)
