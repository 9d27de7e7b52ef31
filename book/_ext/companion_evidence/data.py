"""Stored evidence as the pages need it: found for every chapter, read whole, and looked over entry by entry.

Nothing here knows a paper by name. A chapter is whatever lesson ``notebooks/ch<number>_<slug>.py`` there is, and its evidence
is ``data/results/<slug>/{ledger,verdicts,discrepancies}.json``.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from types import NoneType
from typing import Any

from companion import registry
from companion.checks.statement import KINDS, STATUSES
from companion.checks.suspected_error import SEVERITIES
from companion.core.errors import ResultError
from companion.core.files import results_folder
from companion.judge import titles
from companion.judge.evidence import PARTS
from companion.judge.verdict import CELL_VERDICTS, CLAIM_VERDICTS
from companion.pages.document import lessons
from companion.stored.record import Record
from companion.stored.results import StoredEntries, load_entries

NAMES = tuple(PARTS)

_NUMBER = (int, float, NoneType)
_COUNT = (int, NoneType)
#: Fields that a page cannot do without, with their types. An entry may have more.
FIELDS: Mapping[str, Mapping[str, tuple[type, ...]]] = {
    "ledger": {
        **dict.fromkeys(("paper", "id", "title", "location", "kind", "status", "reason", "latex", "where"), (str,)),
        **dict.fromkeys(("lhs", "rhs", "slack", "delta", "seconds"), _NUMBER),
        **dict.fromkeys(("trials", "failures"), _COUNT),
        **dict.fromkeys(("teeth", "assumptions", "depends"), (list,)),
        **dict.fromkeys(("correction", "anchor"), (str,)),
        "code": (dict, NoneType),
    },
    "verdicts": {
        **dict.fromkeys(("paper", "source", "cell", "metric", "kind", "verdict", "reason"), (str,)),
        **dict.fromkeys(("reported", "reproduced", "difference"), (dict, NoneType)),
        "margin": _NUMBER,
        "record": (dict, NoneType),
    },
    "discrepancies": {
        **dict.fromkeys(("paper", "id", "title", "severity", "location", "printed", "found", "consequence"), (str,)),
        **dict.fromkeys(("statement", "command"), (str,)),
        "confirmed": (bool,),
        "values": (dict,),
    },
}


@dataclass(frozen=True)
class Chapter:
    """A chapter of a paper, or of several: its number, slug, title, and the page it is shown on."""

    number: int
    paper: str
    title: str
    page: str

    @property
    def command(self) -> str:
        """What computes and stores the chapter's evidence."""
        return f"make evidence CH={self.number}"

    @property
    def stem(self) -> str:
        """Name of the chapter's page without its folder."""
        return self.page.rpartition("/")[2]

    @property
    def short(self) -> str:
        """The title in front of its colon, the name of the method: enough in a table."""
        return self.title.split(":")[0]

    @property
    def heading(self) -> str:
        """Heading of the chapter's part of a page."""
        return f"Chapter {self.number}: {self.title}"

    @property
    def above(self) -> bool:
        """Whether it is about several papers: what it states is the companion's own, and counted apart."""
        return self.paper in registry.CROSS_PAPER

    @property
    def names(self) -> tuple[str, ...]:
        """Of :data:`NAMES`, what there is for the chapter: everything for a paper, what is declared for one above."""
        return tuple(name for name, part in PARTS.items() if not self.above or registry.declares(self.paper, part))


@dataclass(frozen=True)
class Stored:
    """One file of evidence.

    Attributes
    ----------
    path : of the file
    entries : those that are sound
    record : of the run; ``None`` when there is no file, or it cannot be trusted
    faults : what is wrong with the file, one line each
    """

    path: Path
    entries: tuple[Mapping[str, Any], ...] = ()
    record: Record | None = None
    faults: tuple[str, ...] = ()

    @property
    def missing(self) -> bool:
        """Whether nothing has been stored yet."""
        return self.record is None and not self.faults


def chapters(root: Path) -> list[Chapter]:
    """Chapters that have evidence, in the order of their numbers; read once while sources and papers stay: every page asks."""
    sources = sorted((root / "notebooks").glob("ch*.py"))
    return list(_chapters(root, registry.chapters(), tuple((path, path.stat().st_mtime_ns) for path in sources)))


@functools.cache
def _chapters(root: Path, known: tuple[str, ...], sources: tuple[tuple[Path, int], ...]) -> list[Chapter]:
    found = []
    for chapter in lessons(root):
        if chapter.number is not None and chapter.paper is not None:
            heading = re.search(r"^# # (.+)$", chapter.source.read_text(encoding="utf-8"), flags=re.MULTILINE)
            title = heading[1].strip() if heading else chapter.paper
            page = chapter.source.relative_to(root).with_suffix("").as_posix()
            found.append(Chapter(chapter.number, chapter.paper, title, page))
    return sorted(found, key=lambda chapter: chapter.number)


def read(folder: Path, name: str, command: str) -> StoredEntries:
    """What :func:`load_entries` gives, from the file once while it stays as it is: the pages ask for it three hundred times."""
    path = folder / f"{name}.json"
    state = path.stat() if path.exists() else None
    return _read(folder, name, command, state and (state.st_mtime_ns, state.st_size))


@functools.cache
def _read(folder: Path, name: str, command: str, state: tuple[int, int] | None) -> StoredEntries:
    return load_entries(folder, name, command)


def load(root: Path, chapter: Chapter, name: str) -> Stored:
    """Read one file of a chapter's evidence; what is wrong with it is reported, never raised.

    Parameters
    ----------
    root : repository
    chapter : whose evidence
    name : one of :data:`NAMES`
    """
    folder = results_folder(chapter.paper, root)
    path = folder / f"{name}.json"
    if not path.exists():
        return Stored(path)
    try:
        stored = read(folder, name, chapter.command)
    except (ResultError, UnicodeDecodeError) as error:
        return Stored(path, faults=(str(error),))
    if not isinstance(stored.entries, list):
        return Stored(path, faults=(f"{path}: its entries are not a list; make it again with: {chapter.command}",))
    sound, faults = [], []
    for number, entry in enumerate(stored.entries):
        fault = entry_fault(name, chapter.paper, entry)
        if fault is None:
            sound.append(entry)
        else:
            faults.append(f"{path}: entry {number}: {fault}; make it again with: {chapter.command}")
    if name in titles.NAMES:
        odd = titles.unknown(root, chapter.paper, name, sound)
        faults += [f"titles.toml: {chapter.paper} has no {identifier!r} in its {name}" for identifier in odd]
        sound = titles.retitled(root, chapter.paper, name, sound)
    return Stored(path, tuple(sound), stored.record, tuple(faults))


def entry_fault(name: str, paper: str, entry: Any) -> str | None:
    """What is wrong with one entry, or ``None``."""
    if not isinstance(entry, dict):
        return "not an object"
    for field, types in FIELDS[name].items():
        if field not in entry:
            return f"lacks {field!r}"
        # True is an int to Python, but not a number to a reader.
        if not isinstance(entry[field], types) or (isinstance(entry[field], bool) and bool not in types):
            return f"{field!r} is {entry[field]!r}"
    if entry["paper"] != paper:
        return f"is about the paper {entry['paper']!r}"
    for field, known in _choices(name, entry).items():
        if entry[field] not in known:
            return f"{field!r} is {entry[field]!r}, not one of {', '.join(known)}"
    return _deeper_fault(name, entry)


def _choices(name: str, entry: Mapping[str, Any]) -> dict[str, tuple[str, ...]]:
    if name == "ledger":
        return {"kind": KINDS, "status": STATUSES}
    if name == "verdicts":
        verdicts = CLAIM_VERDICTS if entry["kind"] == "claim" else CELL_VERDICTS
        return {"kind": ("cell", "claim"), "verdict": verdicts}
    return {"severity": SEVERITIES}


def _deeper_fault(name: str, entry: Mapping[str, Any]) -> str | None:
    if name == "ledger":
        for tooth in entry["teeth"]:
            if not isinstance(tooth, dict) or not isinstance(tooth.get("name"), str) or "caught" not in tooth:
                return f"a tooth is {tooth!r}"
        code = entry["code"]
        if code is not None and not all(isinstance(code.get(key), str) for key in ("module", "name")):
            return f"'code' is {code!r}"
    if name == "verdicts" and isinstance(entry["difference"], dict):
        interval = entry["difference"].get("ci95")
        if interval is not None and (not isinstance(interval, list) or len(interval) != 2):
            return f"'ci95' is {interval!r}"
    if name == "verdicts" and isinstance(entry.get("if_spread_as_ours"), dict):
        verdict = entry["if_spread_as_ours"].get("verdict")
        if verdict not in CELL_VERDICTS:
            return f"the verdict of 'if_spread_as_ours' is {verdict!r}, not one of {', '.join(CELL_VERDICTS)}"
    for part in entry.get("parts", ()) if name == "verdicts" else ():
        if not isinstance(part, dict) or part.get("verdict") not in CLAIM_VERDICTS or "what" not in part:
            return f"a part is {part!r}"
    return None
