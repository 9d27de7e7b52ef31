"""Consequence of a confirmed suspicion: an error of substance, of constants, a misprint, or none; and its cause.

``data/reported/<paper>/errors.csv`` holds one judgement a row. It is the companion's, made by reading what the test of the
lead found; whether a lead is confirmed is still decided by its computation alone. Several places with one cause are one
error with several places, so both are counted.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from companion.core.errors import DataError, nearest
from companion.core.files import read_rows, reported_folder

COLUMNS = ("lead", "consequence", "cause")
SUBSTANCE, CONSTANTS, MISPRINT, NONE = "substance", "constants", "misprint", "none"
#: From the gravest; ``none`` is worth knowing and no error.
CONSEQUENCES = (SUBSTANCE, CONSTANTS, MISPRINT, NONE)
ERRORS = CONSEQUENCES[:3]
FILE = "errors.csv"
#: How ``lead`` begins where the row is about an entry of the ledger that no lead speaks of.
STATEMENT = "statement:"


@dataclass(frozen=True)
class Consequence:
    """One row: id of a lead (or of a ledger's entry, after :data:`STATEMENT`), how grave, and why in a few words."""

    lead: str
    consequence: str
    cause: str


def load(paper: str, root: Path | None = None) -> tuple[Consequence, ...] | None:
    """:data:`FILE` of a paper, in the file's order; ``None`` where there is none yet, and then nothing is counted.

    Raises
    ------
    DataError
        naming file and line: other columns, an empty field, an unknown consequence, an id that occurs twice
    """
    path = reported_folder(paper, root) / FILE
    if not path.exists():
        return None
    header, lines = read_rows(path)
    if tuple(header) != COLUMNS:
        raise DataError(f"{path.name} has the columns {', '.join(header)}; expected {', '.join(COLUMNS)}")
    found: dict[str, Consequence] = {}
    for line, row in lines:
        where = f"{path.name} of {paper}, line {line}"
        if None in row or None in row.values() or not all(value.strip() for value in row.values()):
            raise DataError(f"{where}: a field is empty, or there are not {len(COLUMNS)}")
        if row["consequence"] not in CONSEQUENCES:
            hint = nearest(row["consequence"], CONSEQUENCES)
            raise DataError(
                f"{where}: consequence is {row['consequence']!r}, not one of {', '.join(CONSEQUENCES)}. {hint}".strip()
            )
        if row["lead"] in found:
            raise DataError(f"{where}: the id {row['lead']!r} occurs twice")
        found[row["lead"]] = Consequence(**row)
    return tuple(found.values())


def unknown(rows: Iterable[Consequence], leads: Collection[str], statements: Collection[str]) -> list[str]:
    """Ids in the table that are neither a lead of the paper nor an entry of its ledger."""
    known = {*leads, *(f"{STATEMENT}{name}" for name in statements)}
    return [row.lead for row in rows if row.lead not in known]


def unjudged(rows: Iterable[Consequence], leads: Iterable[Mapping[str, Any]]) -> list[str]:
    """Ids of confirmed leads that have no row: every one of them needs a judgement."""
    judged = {row.lead for row in rows}
    return [str(lead["id"]) for lead in leads if lead["confirmed"] and lead["id"] not in judged]


def attached(leads: Iterable[Mapping[str, Any]], rows: Iterable[Consequence] | None) -> list[dict[str, Any]]:
    """Leads as investigated, each with ``error``: ``consequence`` and ``cause``, or ``None`` if it was not confirmed.

    ``consequence`` of a lead itself is older, and says in words what follows from it.
    """
    table = {row.lead: row for row in rows or ()}
    found = []
    for lead in leads:
        row = table.get(str(lead["id"])) if lead["confirmed"] else None
        error = None if row is None else {"consequence": row.consequence, "cause": row.cause}
        found.append({**lead, "error": error})
    return found


def of_leads(leads: Iterable[Mapping[str, Any]]) -> tuple[Consequence, ...] | None:
    """The rows that :func:`attached` left in stored leads; ``None`` if a confirmed one has none."""
    confirmed = [lead for lead in leads if lead["confirmed"]]
    if not all(lead.get("error") for lead in confirmed):
        return None
    return tuple(Consequence(str(lead["id"]), **lead["error"]) for lead in confirmed)


def told(leads: Iterable[Mapping[str, Any]]) -> str:
    """Outcomes of suspicions, and the consequence of the confirmed ones: one sentence, the same everywhere.

    Parameters
    ----------
    leads : as stored; a confirmed one that nobody has judged counts as confirmed only
    """
    known = list(leads)
    confirmed = [lead for lead in known if lead["confirmed"]]
    found = Counter((lead.get("error") or {}).get("consequence") for lead in confirmed)
    return (
        f"Of {len(known)} places that looked wrong a computation confirmed {len(confirmed)}: {found[SUBSTANCE]} touch a claim, "
        f"theorem or procedure, {found[CONSTANTS]} a constant or range, {found[MISPRINT]} are misprints, and {found[NONE]} are "
        "worth knowing but no errors."
    )


def counts(rows: Iterable[Consequence], leads: Iterable[Mapping[str, Any]]) -> dict[str, dict[str, int]]:
    """Per consequence how many ``places`` have it and how many ``causes`` they come from.

    A cause that shows in places of several consequences counts once, under the gravest. Rows of leads that were not
    confirmed count nothing; rows of the ledger's entries do.

    Parameters
    ----------
    rows : the table
    leads : as investigated, with ``id`` and ``confirmed``
    """
    confirmed = {str(lead["id"]) for lead in leads if lead["confirmed"]}
    chosen = [row for row in rows if row.lead.startswith(STATEMENT) or row.lead in confirmed]
    gravest: dict[str, str] = {}
    for row in sorted(chosen, key=lambda row: CONSEQUENCES.index(row.consequence)):
        gravest.setdefault(row.cause, row.consequence)
    return {
        name: {
            "places": sum(row.consequence == name for row in chosen),
            "causes": sum(consequence == name for consequence in gravest.values()),
        }
        for name in CONSEQUENCES
    }
