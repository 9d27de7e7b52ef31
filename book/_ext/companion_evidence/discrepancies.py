"""What the discrepancies' page shows: what was suspected of a paper's text, and what the computation found."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from companion.checks.suspected_error import SEVERITIES
from companion.core.files import reported_folder
from companion.current.data_digest import ERRATA
from companion_evidence import common
from companion_evidence.data import Chapter, Stored


def errata_of(root: Path, chapter: Chapter) -> set[str]:
    """Ids of what the page for the authors shows with a program."""
    return {path.stem for path in (reported_folder(chapter.paper, root) / ERRATA).glob("*.py")}


def shown(root: Path, chapter: Chapter, files: Mapping[str, Stored]) -> dict[str, Any]:
    """What the template asks for."""
    entries = files["discrepancies"].entries
    rows, wrong = common.amounts(root, chapter, files)
    # The most serious first; within a severity the order of the paper's list stays.
    ordered = sorted(entries, key=lambda entry: SEVERITIES.index(entry["severity"]))
    return {
        "confirmed": [entry for entry in ordered if entry["confirmed"]],
        "others": [entry for entry in ordered if not entry["confirmed"]],
        "causes": common.amounting(rows or (), entries, "causes"),
        "judged": {row.lead: row for row in rows or ()},
        "errata": {entry["id"] for entry in entries} & errata_of(root, chapter),
        "titles": {entry["id"]: str(entry["title"]) for entry in files["ledger"].entries},
        "faults": wrong if files["discrepancies"].record else (),
        "SEVERITIES": SEVERITIES,
        "AMOUNTS": common.AMOUNTS,
    }
