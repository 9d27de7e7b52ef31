"""Stored evidence as an artefact that :mod:`companion.current.settle` compares with what the code gives."""

from __future__ import annotations

import functools
import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from companion import registry
from companion.core import instruction_set
from companion.core.errors import CompanionError
from companion.core.files import results_folder, strict_json
from companion.current.data_digest import READERS, TABLES, data_digest
from companion.current.fingerprint import fingerprint
from companion.current.settle import Difference, Kind, Read, unlike
from companion.current.stamps import Stamps, digest
from companion.judge import evidence
from companion.judge.consequence import load as load_consequences
from companion.simulate.loop import plain
from companion.stored.provenance import checkout_commit

#: One current entry in so many is compared again, drawn by the commit.
DRAWN = 20

#: Reported tables that hold words only; what they say of an entry is brought over without a computation.
_WORDS = ("inventory.csv", "leads.csv", "errors.csv", "titles.toml")
#: Of an entry, what is about its computation and not its outcome.
_ABOUT = ("seconds", "record")
#: What is decided, whatever the instruction set.
_DECIDED = ("status", "verdict", "confirmed")


class EvidenceFiles(Kind):
    """Entries of ledger and discrepancies, ``batched/ledger/lemma-1``; verdicts as a whole; the record of each file."""

    name = "evidence"

    def __init__(self, root: Path) -> None:
        super().__init__(root)
        self.exact = instruction_set.as_stored()
        self._data = functools.cache(lambda paper: data_digest(paper, root, TABLES, _WORDS))
        self._entry = functools.cache(self._declared)
        self._errors = functools.cache(lambda paper: tuple(load_consequences(paper, root) or ()))

    @functools.cached_property
    def _commit(self) -> str:
        return checkout_commit(self.root)[:40]

    @functools.cached_property
    def _names(self) -> list[str]:
        found = []
        for paper in registry.chapters():
            for part in (part for part, field in evidence.PARTS.items() if registry.declares(paper, field)):
                found.append(f"{paper}/{part}")
                if part != "verdicts":
                    found += [f"{paper}/{part}/{entry.id}" for entry in evidence.declared(paper, part)]
        return found

    def names(self) -> Sequence[str]:
        """Files and their entries."""
        return self._names

    def _declared(self, name: str) -> Any:
        paper, part, identifier = name.split("/", 2)
        return next(entry for entry in evidence.declared(paper, part) if entry.id == identifier)

    def code(self, name: str) -> str:
        """Of the definitions that the outcome reaches, its own sentences, and the paper's tables where these read them."""
        paper, part, *identifier = name.split("/", 2)
        said = ""
        if identifier:
            entry = self._entry(name)
            roots = (*entry.code, f"{evidence.__name__}:_outcome")
            said = entry.note if part == "ledger" else entry.sentence
        elif part == "verdicts":
            roots = (registry.part(paper, "verdicts").place, f"{evidence.__name__}:_judged")
        else:
            return "-"
        reached = fingerprint(*roots)
        data = self._data(paper) if READERS & reached.definitions else ""
        return digest(reached.digest, data, *([said] if said else ()))

    def text(self, name: str) -> str:
        """Of what the declaration says; of a file the names and the order of its entries."""
        paper, part, *identifier = name.split("/", 2)
        if part == "verdicts":
            return ""
        if not identifier:
            return digest([entry.id for entry in evidence.declared(paper, part)])
        errors = [str(row) for row in self._errors(paper) if part == "discrepancies" and identifier[0] in str(row)]
        return digest(errors, [self._words(name, {"id": identifier[0], "confirmed": sure}) for sure in (False, True)])

    def _words(self, name: str, entry: Mapping[str, Any]) -> Any:
        paper, part, _ = name.split("/", 2)
        return json.loads(strict_json(evidence.words(paper, part, dict(entry))))

    def files(self, name: str) -> Sequence[str]:
        """The file of evidence."""
        paper, part = name.split("/")[:2]
        return (results_folder(paper, Path()).joinpath(f"{part}.json").as_posix(),)

    def content(self, name: str, read: Read) -> Any:
        """An entry; of a file its record, and of verdicts all entries too."""
        whole = _parsed(read(self.files(name)[0]))
        _, part, *identifier = name.split("/", 2)
        if identifier:
            return next((entry for entry in whole["entries"] if entry["id"] == identifier[0]), {})
        if part == "verdicts":
            entries = {f"{entry['source']} {entry['cell']} {entry['metric']}": entry for entry in whole["entries"]}
            return {"record": whole["record"], **entries}
        return {"record": {**whole["record"], "settings": {}}, "entries": [entry["id"] for entry in whole["entries"]]}

    def result(self, name: str, read: Read) -> str:
        """Of the content."""
        return digest(self.content(name, read))

    def drawn(self, name: str) -> bool:
        """One in :data:`DRAWN`, others at every commit."""
        drawn = int(hashlib.sha256(f"{self._commit}{name}".encode()).hexdigest(), 16) % DRAWN == 0
        return drawn and name.count("/") == 2

    def compare(self, names: Sequence[str], jobs: int | None) -> Iterator[tuple[str, list[Difference]]]:
        """Check statements, leads and verdicts again."""
        for (paper, part), chosen in _by_file(names).items():
            whole = f"{paper}/{part}"
            if whole in chosen and part != "verdicts":
                yield whole, []  # a record, which is not made again
            due = [name for name in chosen if name != whole or part == "verdicts"]
            kept = evidence.stored_entries(paper, part, self.root)
            if not due:
                continue
            made = _tried(paper, part, due, jobs)
            if isinstance(made, CompanionError) and len(due) > 1:  # one of them: the others are compared all the same
                yield from self.compare(due[: len(due) // 2], jobs)
                yield from self.compare(due[len(due) // 2 :], jobs)
            elif isinstance(made, CompanionError):
                yield due[0], [self._difference(due[0], "-", "a result", str(made))]
            elif kept is None:
                there = "a damaged or edited file" if (self.root / self.files(whole)[0]).exists() else "nothing"
                yield from ((name, [self._difference(name, "-", there, "a result")]) for name in due)
            elif part == "verdicts":
                yield due[0], [*self._unlike(due[0], kept.entries, made)]
            else:
                known = {entry["id"]: entry for entry in kept.entries}
                for name, now in zip(due, made, strict=True):
                    yield name, [*self._unlike(name, [known.get(now["id"], {})], [now]), *self._blunt(name, now)]

    def _unlike(self, name: str, kept: Sequence[Any], made: Sequence[Any]) -> Iterator[Difference]:
        now = [json.loads(strict_json(plain(entry))) for entry in made]
        if len(kept) != len(now):
            yield self._difference(name, "number of entries", str(len(kept)), str(len(now)))
            return
        for old, new in zip(kept, now, strict=True):
            place = "" if "id" in new else f"{new['cell']} {new['metric']}"
            if not self.exact:
                old, new = ({field: entry[field] for field in _DECIDED if field in entry} for entry in (old, new))
            elif "id" in new:
                words = {*self._words(name, new), "error"}
                old = {key: value for key, value in old.items() if key not in words}
                new = {key: value for key, value in new.items() if key not in words}
                if (data := getattr(self._entry(name), "data", "")) and not _mentions(new.get("values"), data):
                    # Made without the data of the stored one: the rest has to be the same.
                    old = {**old, "values": _without(old.get("values"), data), "found": new.get("found")}
            yield from (Difference(f"evidence/{name}", *each) for each in unlike(old, new, place, _ABOUT))

    def _blunt(self, name: str, made: Mapping[str, Any]) -> Iterator[Difference]:
        for fault in evidence.faults([{"error": "", **made}]):
            yield self._difference(name, "teeth", "every wrong version is caught", fault)

    def _difference(self, name: str, place: str, old: str, new: str) -> Difference:
        return Difference(f"evidence/{name}", place, old, new)

    def store(self, names: Sequence[str], jobs: int | None) -> Iterable[str]:
        """Compute entries and write their files."""
        for (paper, part), chosen in _by_file(names).items():
            due = ["" if part == "verdicts" else name.split("/", 2)[-1] for name in chosen]
            done = evidence.store(paper, part, due, self.root, jobs)
            yield f"{paper} {part}: {done.computed} of {done.entries} computed and stored"
            yield from (f"  {line}" for line in (*done.turned, *done.faults))

    def rewritten(self, names: Sequence[str]) -> Iterable[str]:
        """The record of each file."""
        return ("/".join(file) for file in _by_file(names))

    def store_due(self, paper: str, jobs: int | None = None, everything: bool = False) -> list[evidence.Stored]:
        """Compute and store what is due of a paper's evidence, or ``everything``."""
        stamps = Stamps(self.root, self.name)
        names = [name for name in self.names() if name.startswith(f"{paper}/")]
        due = _by_file(name for name in names if everything or not stamps.holds(name, self.stamp(name)))
        written = []
        for part in (part for part, field in evidence.PARTS.items() if registry.declares(paper, field)):
            keys = ["" if part == "verdicts" else name.split("/", 2)[-1] for name in due.get((paper, part), ())]
            written.append(evidence.store(paper, part, keys, self.root, jobs))
        if self.exact:
            for name in names:
                stamps.set(name, self.stamp(name))
            stamps.write()
        return written

    def renew_text(self, names: Sequence[str]) -> None:
        """Bring over what the declarations say."""
        for (paper, part), chosen in _by_file(names).items():
            if any(self.text(name) for name in chosen):
                evidence.store(paper, part, (), self.root)


def _tried(paper: str, part: str, due: Sequence[str], jobs: int | None) -> evidence.Entries | CompanionError:
    """Entries made now, or why they cannot be made."""
    try:
        return evidence.compute(paper, part, [name.split("/", 2)[-1] for name in due], jobs)
    except CompanionError as error:
        return error


def _by_file(names: Iterable[str]) -> dict[tuple[str, str], list[str]]:
    found: dict[tuple[str, str], list[str]] = {}
    for name in names:
        paper, part = name.split("/")[:2]
        found.setdefault((paper, part), []).append(name)
    return found


@functools.lru_cache(maxsize=4)
def _parsed(content: bytes) -> Any:
    return json.loads(content)


def _mentions(values: Any, word: str) -> bool:
    return isinstance(values, dict) and any(word in name or _mentions(value, word) for name, value in values.items())


def _without(values: Any, word: str) -> Any:
    """Nested values less the entries whose name has ``word``."""
    if not isinstance(values, dict):
        return values
    return {name: _without(value, word) for name, value in values.items() if word not in name}
