"""The slips found in the papers, by kind: what several authors, each careful, did not see.

A confirmed suspicion has a cause, in the paper's ``errors.csv``; ``data/reported/kinds.toml`` says of which kind each cause
is. Both are the companion's judgement. Whether a suspicion is confirmed is decided by its computation, and read from the
stored evidence. A paper that is not in the table yet is left out; of one that is, every error needs a kind.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from pathlib import Path

from companion.core.errors import DataError, nearest
from companion.core.files import read_toml, repository_root, results_folder
from companion.judge import consequence
from companion.stored.results import load_entries

FILE = "kinds.toml"
#: Kinds, and what they are called.
KINDS = {
    "constant": "A constant, a factor or a logarithm is lost",
    "condition": "A condition, a range or a case is used and not stated",
    "object": "A definition does not fit its use",
    "step": "A step does not follow",
    "order": "An order hides where it is informative",
    "theory": "The theorem is not about what was run",
    "description": "Text, code and tables differ",
    "conclusion": "A conclusion goes beyond its runs",
    "misprint": "A misprint",
}


@dataclass(frozen=True)
class Slip:
    """One cause, with the places where it shows.

    Attributes
    ----------
    paper, cause, kind : as in the table
    consequence : the gravest that one of its places has; ``none`` for a remark, which is no error
    leads : ids of the confirmed suspicions that have it
    """

    paper: str
    cause: str
    kind: str
    consequence: str
    leads: tuple[str, ...]

    @property
    def error(self) -> bool:
        """Whether it is an error, and not a remark."""
        return self.consequence != consequence.NONE


@dataclass(frozen=True)
class Count:
    """Counts of a kind of error: papers that have it, causes, places, and remarks besides, which are no errors."""

    papers: int
    causes: int
    places: int
    remarks: int


def kinds(root: Path | None = None) -> dict[tuple[str, str], str]:
    """The table: kind by paper and cause.

    Raises
    ------
    DataError
        if it is missing or no TOML, or names a kind that there is not
    """
    path = (repository_root() if root is None else root) / "data" / "reported" / FILE
    try:
        content = read_toml(path)
    except FileNotFoundError:
        raise DataError(f"{path} is missing, so no slip has a kind") from None
    if wrong := [paper for paper, table in content.items() if not isinstance(table, dict)]:
        raise DataError(f"{path}: {wrong[0]} has to be a table")
    found = {(paper, cause): kind for paper, table in content.items() for cause, kind in table.items()}
    for (paper, cause), kind in found.items():
        if kind not in KINDS:
            hint = nearest(str(kind), KINDS)
            problem = f"{cause!r} of {paper} is of the kind {kind!r}, not one of {', '.join(KINDS)}"
            raise DataError(f"{FILE}: {problem}. {hint}".strip())
    return found


def slips(papers: Collection[str], root: Path | None = None) -> tuple[Slip, ...]:
    """All of them, in the order of the papers and of the table.

    Parameters
    ----------
    papers : slugs; those without rows in the table are left out

    Raises
    ------
    DataError
        for an error without a kind, or a row without a confirmed suspicion
    ResultError
        when the stored evidence is missing or damaged
    """
    table, found = kinds(root), []
    for paper in (slug for slug in papers if any(slug == known for known, _ in table)):
        entries = load_entries(results_folder(paper, root), "discrepancies", f"companion evidence {paper}").entries
        confirmed = {str(entry["id"]) for entry in entries if entry["confirmed"]}
        rows = [row for row in consequence.load(paper, root) or () if row.lead in confirmed]
        causes = list(dict.fromkeys(row.cause for row in rows))
        unsorted = {row.cause for row in rows if row.consequence != consequence.NONE} - {
            cause for known, cause in table if known == paper
        }
        unknown = [cause for known, cause in table if known == paper and cause not in causes]
        if unsorted or unknown:
            raise DataError(f"{FILE}: {paper} has no kind for, or no error of, {', '.join(sorted(unsorted) + unknown)}")
        found += [
            _slip(paper, cause, kind, [row for row in rows if row.cause == cause])
            for (known, cause), kind in table.items()
            if known == paper
        ]
    return tuple(found)


def _slip(paper: str, cause: str, kind: str, rows: list[consequence.Consequence]) -> Slip:
    gravest = min((row.consequence for row in rows), key=consequence.CONSEQUENCES.index)
    return Slip(paper, cause, kind, gravest, tuple(row.lead for row in rows))


def count(found: Iterable[Slip]) -> Count:
    """Of some slips, of one kind say."""
    chosen = list(found)
    errors = [slip for slip in chosen if slip.error]
    return Count(
        papers=len({slip.paper for slip in errors}),
        causes=len(errors),
        places=sum(len(slip.leads) for slip in errors),
        remarks=len(chosen) - len(errors),
    )
