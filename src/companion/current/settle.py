"""Compare what is stored with what the code gives, where that is due, and accept what is meant to have changed.

An artefact is *due* when the fingerprint of the code and data that it rests on is not the one at which it was last compared.
It is then made again, beside what is stored, and compared by value. Where the two are equal its stamp is renewed, and nothing
else is written; where they differ, both are shown, by place. What was edited by hand since it was stored is found by its
digest and shown beside its last version in the history.
"""

from __future__ import annotations

import difflib
import re
import subprocess
from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from companion.core.errors import ParameterError, nearest
from companion.current.stamps import Stamp, Stamps

#: Largest differences between numbers that another order of the same sums accounts for; see ``tests/tolerances.py``.
RELATIVE, ABSOLUTE = 1e-6, 1e-9

#: Content of a file by its path below the repository; raises FileNotFoundError.
Read = Callable[[str], bytes]

#: Versions of a file that are looked through for the one that was stamped.
_VERSIONS = 30
_CONTEXT, _LONGEST = 3, 200
#: Differences of one artefact that are told when they are found.
_TOLD = 10


@dataclass(frozen=True)
class Difference:
    """A value that came out otherwise: of which artefact, where in it, as stored and as made now."""

    artefact: str
    place: str
    old: str
    new: str

    def __str__(self) -> str:
        return f"{self.artefact}: {self.place}: stored {self.old}, now {self.new}"


class Kind(ABC):
    """A kind of stored results. Names of artefacts are unique within it."""

    name: ClassVar[str]
    #: Whether storing makes a result whole; where not, what was accepted is compared all the same.
    stores_whole: ClassVar[bool] = True
    #: Whether digits can be compared on this machine; where not, nothing is noted as current.
    exact: bool = True

    def __init__(self, root: Path) -> None:
        self.root = root

    @abstractmethod
    def names(self) -> Sequence[str]:
        """Every artefact."""

    @abstractmethod
    def code(self, name: str) -> str:
        """Fingerprint of the code and data that an artefact rests on."""

    def text(self, name: str) -> str:
        """Digest of the words shown with it; empty where there are none."""
        return ""

    @abstractmethod
    def result(self, name: str, read: Read) -> str:
        """Digest of what is stored; FileNotFoundError or KeyError where nothing is."""

    @abstractmethod
    def content(self, name: str, read: Read) -> Any:
        """Stored content as nested mappings and lists, to show two versions beside each other."""

    @abstractmethod
    def files(self, name: str) -> Sequence[str]:
        """Paths below the repository of what is stored."""

    @abstractmethod
    def compare(self, names: Sequence[str], jobs: int | None) -> Iterator[tuple[str, list[Difference]]]:
        """Make artefacts again, beside what is stored, and compare."""

    @abstractmethod
    def store(self, names: Sequence[str], jobs: int | None) -> Iterable[str]:
        """Make artefacts again and store them; lines that say what came out otherwise."""

    def rewritten(self, names: Sequence[str]) -> Iterable[str]:
        """Other artefacts that storing these writes as well, such as the record of the file that they stand in."""
        return ()

    def renew_text(self, names: Sequence[str]) -> None:
        """Bring words over to what is stored, where there are any; no number moves."""
        return

    def drawn(self, name: str) -> bool:
        """Whether an artefact is compared though it is current."""
        return False

    def stamp(self, name: str) -> Stamp:
        """The stamp that an artefact would have now."""
        try:
            result = self.result(name, reader(self.root))
        except (FileNotFoundError, KeyError, ValueError):
            result = "-"
        return Stamp(self.code(name), self.text(name) or "-", result)


@dataclass
class Report:
    """Result of :func:`settle`.

    Parameters
    ----------
    compared, current : artefacts made again, and those that were current
    accepted : lines about those that were stored anew
    differences : between stored and made again
    """

    compared: int = 0
    current: int = 0
    accepted: list[str] = field(default_factory=list)
    differences: list[Difference] = field(default_factory=list)


def settle(
    kinds: Sequence[Kind],
    *,
    only: Collection[str] = (),
    accept: Collection[str] = (),
    everything: bool = False,
    jobs: int | None = None,
    say: Callable[[str], None] = lambda line: None,
) -> Report:
    """Compare what is due; store anew what is accepted.

    Parameters
    ----------
    kinds : in the order in which one rests on the other
    only : artefacts to look at, ``pages/ch3_batched`` or the beginning of it up to a slash; all by default
    accept : artefacts that are made again and stored where they are due, by name as ``only``
    everything : also what is current
    jobs : workers
    say : is given a line for each piece of work, and each difference when it is found

    Raises
    ------
    ParameterError
        for a name that begins no artefact
    """
    report, known = Report(), [f"{kind.name}/{name}" for kind in kinds for name in kind.names()]
    for argument, asked in (("only", only), ("accept", accept)):
        for name in asked:
            if not any(_within(one, name) for one in known):
                raise ParameterError(argument, f"no artefact is called {name!r}", "", nearest(name, known))
    for kind in kinds:
        stamps = Stamps(kind.root, kind.name)
        names = [name for name in kind.names() if _chosen(f"{kind.name}/{name}", (*only, *accept))]
        _one_kind(kind, stamps, names, accept, everything, jobs, say, report)
        if not only and not accept:
            stamps.keep(kind.names())
        stamps.write()
    return report


def _one_kind(
    kind: Kind,
    stamps: Stamps,
    names: Sequence[str],
    accept: Collection[str],
    everything: bool,
    jobs: int | None,
    say: Callable[[str], None],
    report: Report,
) -> None:
    due, accepted = [], []
    for name in names:
        known, now = stamps.get(name), kind.stamp(name)
        if known == now and not everything and (accept or not kind.drawn(name)):
            report.current += 1
        elif not everything and known != now and stamps.holds(name, now):
            kind.renew_text([name])
            stamps.set(name, kind.stamp(name))
            report.current += 1
        elif accept and _chosen(f"{kind.name}/{name}", accept):
            accepted.append(name)
        elif known and known.result != now.result and known.code == now.code and (edits := _edits(kind, name, known)):
            report.differences += edits
            _tell(edits, say)
        else:
            due.append(name)
    if accepted:
        say(f"{kind.name}: {len(accepted)} made again and stored")
        report.accepted += kind.store(accepted, jobs)
        due += [] if kind.stores_whole else accepted
        for name in (*accepted, *kind.rewritten(accepted)) if kind.stores_whole else ():
            stamps.set(name, kind.stamp(name))
        stamps.write()
    if due:
        say(f"{kind.name}: {len(due)} of {len(names)} compared with what the code gives")
    for name, found in kind.compare(due, jobs) if due else ():
        report.compared += 1
        report.differences += found
        _tell(found, say)
        if found:
            if stamps.get(name) == kind.stamp(name):  # it was wrong; any other stamp does not call it current
                stamps.drop(name)
        elif kind.exact:
            kind.renew_text([name])
            stamps.set(name, kind.stamp(name))
            stamps.write()  # an interrupted call goes on where it stopped


def _tell(found: Sequence[Difference], say: Callable[[str], None]) -> None:
    for one in found[:_TOLD]:
        say(str(one))
    if len(found) > _TOLD:
        say(f"{found[0].artefact}: and {len(found) - _TOLD} more, see --json")


def _chosen(name: str, asked: Collection[str]) -> bool:
    return not asked or any(_within(name, one) for one in asked)


def _within(name: str, asked: str) -> bool:
    return asked in ("all", name) or name.startswith(asked.rstrip("/") + "/")


# -- versions of a file ------------------------------------------------------------------------------------------------


def reader(root: Path, commit: str | None = None) -> Read:
    """Reads files of the working tree, or of a commit."""

    def of_commit(path: str) -> bytes:
        found = _git(root, "show", f"{commit}:{path}")
        if found is None:
            raise FileNotFoundError(path)
        return found

    return of_commit if commit else lambda path: (root / path).read_bytes()


def _edits(kind: Kind, name: str, known: Stamp) -> list[Difference]:
    """Changes since an artefact was stamped; empty if the history does not have it."""
    listed = _git(kind.root, "log", f"-n{_VERSIONS}", "--format=%H", "--", *kind.files(name)) or b""
    for commit in listed.decode().split():
        then = reader(kind.root, commit)
        try:
            if kind.result(name, then) == known.result:
                found = unlike(kind.content(name, then), kind.content(name, reader(kind.root)), exact=True)
                return [Difference(f"{kind.name}/{name}", *each) for each in found]
        except (FileNotFoundError, KeyError, ValueError):
            continue
    return []


def _git(root: Path, *words: str) -> bytes | None:
    try:
        return subprocess.run(["git", "-C", str(root), *words], capture_output=True, timeout=60, check=True).stdout
    except (OSError, subprocess.SubprocessError):
        return None


# -- two values --------------------------------------------------------------------------------------------------------


def unlike(
    old: Any, new: Any, place: str = "", left_out: Collection[str] = (), exact: bool = False
) -> Iterator[tuple[str, str, str]]:
    """(place, old, new) wherever two nested values of JSON differ.

    Parameters
    ----------
    left_out : keys of mappings that are not compared
    exact : whether numbers have to be equal, and not only within :data:`RELATIVE`
    """
    if isinstance(old, dict) and isinstance(new, dict):
        for key in dict.fromkeys((*old, *new)):
            if key not in left_out:
                below = f"{place}/{key}" if place else str(key)
                yield from unlike(old.get(key, "nothing"), new.get(key, "nothing"), below, left_out, exact)
    elif isinstance(old, list) and isinstance(new, list) and len(old) == len(new):
        for number, pair in enumerate(zip(old, new, strict=True)):
            yield from unlike(*pair, f"{place}/{number}", left_out, exact)
    elif not _same(old, new, exact):
        yield place or "-", *shortened(_shown(old), _shown(new))


def _same(old: Any, new: Any, exact: bool) -> bool:
    if isinstance(old, float) and isinstance(new, float) and not exact:
        return bool(np.isclose(old, new, rtol=RELATIVE, atol=ABSOLUTE, equal_nan=True))
    return type(old) is type(new) and bool(old == new)


def _shown(value: Any) -> str:
    return value if isinstance(value, str) else repr(value)


def shortened(old: str, new: str) -> tuple[str, str]:
    """Two texts as they are where they are short; of long ones the first words that differ, with a few around them."""
    if max(len(old), len(new)) <= _LONGEST:
        return old, new
    first, second = (re.split(r"(?<=\s)|(?<=>)|(?=<)", text) for text in (old, new))
    matcher = difflib.SequenceMatcher(None, first, second, autojunk=False) if len(first) < 5000 else None
    start = next((n for n, pair in enumerate(zip(first, second, strict=False)) if pair[0] != pair[1]), 0)
    ends = (start + 1, start + 1)
    if matcher is not None:
        _, _, i2, _, j2 = next(code for code in matcher.get_opcodes() if code[0] != "equal")
        ends = (max(i2, start), max(j2, start))
    shown = (
        "".join(words[max(0, start - _CONTEXT) : end + _CONTEXT])
        for words, end in zip((first, second), ends, strict=True)
    )
    return tuple(text if len(text) <= 2 * _LONGEST else text[: 2 * _LONGEST] + " ..." for text in shown)  # type: ignore[return-value]
