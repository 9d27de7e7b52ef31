"""A paper's evidence as one folder: tables, verdicts, ledger, leads, records, schemas, and a script that recomputes.

The folder is an RO-Crate 1.2 with the profile Process Run Crate 0.5: ``ro-crate-metadata.json`` says of every file what it is,
and of every record which command made which files, with which versions. The same results give the same bytes.
"""

from __future__ import annotations

import hashlib
import json
import tomllib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import Any

import companion
from companion import registry
from companion.core.errors import DataError, ParameterError
from companion.core.files import reported_folder, repository_root, results_folder, strict_json, write_atomic
from companion.exports import schema
from companion.exports.basis import basis
from companion.exports.identity import NAMESPACE, article, cited_reference, identifier
from companion.exports.terms import STATUSES, status
from companion.judge.reported import own_margins
from companion.stored.record import Record
from companion.stored.results import StoredEntries, load_entries

Json = dict[str, Any]
METADATA, SCRIPT, README = "ro-crate-metadata.json", "recompute.py", "README.md"
#: The file by which an export of another form is known, as a crate is by its metadata.
SUMMARY, MANIFEST = "summary.md", "codecheck.yml"
#: There while files are being written.
BEGUN = ".unfinished"
PROCESS = "https://w3id.org/ro/wfrun/process/0.5"
ENTRIES = {"ledger": "statement", "verdicts": "verdict", "discrepancies": "lead"}

_ABOUT = {
    README: "What is in this folder, and how to recompute the verdicts",
    SCRIPT: "Recomputes the verdicts from this folder alone",
    MANIFEST: "Which file stands for which table or figure of the paper, as CODECHECK asks",
    "LICENSE": "BSD 3-Clause License",
    "assertions.jsonld": "Every entry with its id, and its status in the terms of FORRT and CiTO",
    "basis.json": "What each verdict rests on: printed rows, stored runs, rules",
    "statuses.json": "What each status is called in the terms of FORRT and CiTO",
    schema.FILE: "JSON Schemas of the JSON files",
    "verdicts.json": "Printed numbers and claims beside our runs, with verdicts",
    "ledger.json": "Checked statements of the paper, with both sides and status",
    "discrepancies.json": "Suspected errors of the paper, each tested",
    "reported/margins.toml": "How far apart two numbers may be and still count as the same",
}
_FORMATS = {
    ".csv": "text/csv",
    ".json": "application/json",
    ".jsonld": "application/ld+json",
    ".md": "text/markdown",
    ".py": "text/x-python",
    ".toml": "application/toml",
    ".yml": "application/yaml",
    "": "text/plain",
}


@dataclass(frozen=True)
class Export:
    """Result of packing: the files by name, relative to the folder, and the number of verdicts by basis.

    ``mark`` is the file by which a folder of this form is known.
    """

    paper: str
    files: Mapping[str, bytes]
    rests_on: Mapping[str, int]
    mark: str = METADATA

    def write(self, folder: Path) -> list[Path]:
        """Write every file; the mark last, so that a folder with it is whole. What was interrupted is written anew.

        Raises
        ------
        ParameterError
            if the folder has files that are not of such an export: nothing of another kind is mixed in or overwritten
        """
        others = {METADATA, SUMMARY, MANIFEST} - set(self.files)
        own = (folder / self.mark).is_file() and not any((folder / other).is_file() for other in others)
        own = own or (folder / BEGUN).is_file()
        if folder.is_file() or (folder.is_dir() and not own and any(_foreign(folder))):
            what = "crate" if self.mark == METADATA else f"older export with {self.mark}"
            raise ParameterError(
                "--out", f"{folder} is there, and no {what}", f"a new or empty folder, or an older {what}"
            )
        write_atomic(folder / BEGUN, b"")
        (folder / self.mark).unlink(missing_ok=True)
        for left in folder.rglob(".*.tmp"):
            left.unlink()
        for name in sorted(self.files, key=lambda name: (name == self.mark, name)):
            write_atomic(folder / name, self.files[name])
        (folder / BEGUN).unlink()
        return [folder / name for name in sorted(self.files)]


def _foreign(folder: Path) -> Iterator[Path]:
    """Contents of a folder, without the file of a call that was killed as it began."""
    return (path for path in folder.iterdir() if not (path.name.startswith(f".{BEGUN}.") and path.suffix == ".tmp"))


@dataclass(frozen=True)
class PaperEvidence:
    """Everything stored on a paper, as every form of export reads it.

    Attributes
    ----------
    cited : fields of the paper's entry in the bibliography
    held : files taken as they are, by their names in an export
    stored : ``ledger``, ``verdicts`` and ``discrepancies``
    basis : what each verdict rests on, in their order
    """

    paper: str
    root: Path
    cited: Mapping[str, str]
    held: Mapping[str, bytes]
    stored: Mapping[str, StoredEntries]
    basis: Sequence[Json]

    @property
    def rests_on(self) -> Counter[str]:
        """Number of verdicts by the kind of data they rest on."""
        return Counter(str(one["rests_on"]) for one in self.basis)


def gather(paper: str, root: Path | None = None) -> PaperEvidence:
    """The evidence on a paper as stored; nothing is computed again but which runs a verdict rests on.

    Parameters
    ----------
    paper : slug, chapter or notebook's name
    root : repository; found from the current folder by default

    Raises
    ------
    ParameterError
        for an unknown paper
    DataError, ResultError
        where tables or results are missing or damaged
    """
    base = repository_root() if root is None else root
    paper = registry.slug_of(paper)
    judged = registry.get(paper).verdicts
    if judged is None:
        raise DataError(f"{paper} judges no printed number and no claim, so there is nothing to export")
    held = _held(paper, base)
    stored = {name: load_entries(results_folder(paper, base), name, f"companion evidence {paper}") for name in ENTRIES}
    own = held.get(f"reported/{paper}/margins.toml")
    shared = tomllib.loads(held["reported/margins.toml"].decode())
    # A paper whose printed numbers are not judged has no part there.
    rules = (shared.get(paper, {}) if own is None else tomllib.loads(own.decode())).get("metrics", {})
    rests = basis(judged.value, judged.value.results.read(base), stored["verdicts"].entries, rules)
    return PaperEvidence(paper, base, cited_reference(paper, base), held, stored, rests)


def pack(paper: str, root: Path | None = None) -> Export:
    """The crate of a paper; parameters and errors are those of :func:`gather`."""
    return crate(gather(paper, root))


def crate(found: PaperEvidence, more: Mapping[str, bytes] | None = None) -> Export:
    """The crate of what was gathered, perhaps with further files in it."""
    about, stored, counts = article(found.paper, found.root), found.stored, found.rests_on
    told = {
        "name": about["name"],
        "total": counts.total(),
        "told": "\n".join(f"- {count} on {rests_on}" for rests_on, count in sorted(counts.items())),
    }
    held = {
        **found.held,
        "basis.json": _json(found.basis),
        "statuses.json": _json(STATUSES),
        "assertions.jsonld": _json(_assertions(about, {name: one.entries for name, one in stored.items()})),
        "LICENSE": (found.root / "LICENSE").read_bytes(),
        schema.FILE: schema.text().encode(),
        SCRIPT: template(SCRIPT).encode(),
        README: template(README).format_map(told).encode(),
        **(more or {}),
    }
    records = {f"{name}.json": one.record for name, one in stored.items()} | _records(held)
    return Export(found.paper, held | {METADATA: _json(_metadata(found.paper, about, held, records))}, counts)


def template(name: str) -> str:
    """Text of a file of an export, perhaps with names in braces."""
    return files("companion.exports").joinpath(f"{name}.txt").read_text(encoding="utf-8")


def _held(paper: str, root: Path) -> dict[str, bytes]:
    """Values taken as they are."""
    found = {f"results/{path.name}": path.read_bytes() for path in sorted(results_folder(paper, root).glob("*.csv"))}
    for path in sorted(results_folder(paper, root).glob("*.json")):
        own = path.stem in ENTRIES
        found[path.name if own else f"results/{path.name}"] = path.read_bytes()
    found |= {f"reported/{path.name}": path.read_bytes() for path in sorted(reported_folder(paper, root).glob("*.csv"))}
    if (apart := own_margins(paper, root)).is_file():
        found[f"reported/{paper}/{apart.name}"] = apart.read_bytes()
    margins = root / "data" / "reported" / "margins.toml"
    if not margins.is_file():
        raise DataError(f"{margins} is missing, so no verdict can be recomputed")
    return found | {"reported/margins.toml": margins.read_bytes()}


def _records(held: Mapping[str, bytes]) -> dict[str, Record]:
    return {
        name: Record.from_dict(json.loads(content)) for name, content in held.items() if name.endswith(".record.json")
    }


def _json(content: Any) -> bytes:
    return (strict_json(content, indent=1) + "\n").encode()


def _assertions(article: Json, entries: Mapping[str, Sequence[Json]]) -> Json:
    """Every entry as a claim about the paper, with its status in other people's terms."""
    graph: list[Json] = []
    for name, found in entries.items():
        for entry in found:
            kind = str(entry["kind"]) if name == "verdicts" else ENTRIES[name]
            own = status(kind, entry)
            terms = STATUSES[kind][own]
            graph.append(
                {
                    "@id": NAMESPACE + identifier(name, entry),
                    "@type": "Claim",
                    "kind": kind,
                    "name": entry.get("title") or entry.get("claim") or f"{entry['cell']}, {entry['metric']}",
                    "location": entry.get("location") or entry["source"],
                    "status": own,
                    "validationStatus": terms["forrt"],
                    terms["cito"]: {"@id": article["@id"]},
                    "file": {"@id": f"{name}.json"},
                }
            )
    own_terms = {word: f"{NAMESPACE}term:{word}" for word in ("kind", "location", "status", "validationStatus", "file")}
    return {"@context": {"@vocab": "https://schema.org/", **own_terms}, "@graph": graph}


def _metadata(paper: str, article: Json, held: Mapping[str, bytes], records: Mapping[str, Record]) -> Json:
    """``ro-crate-metadata.json``; its graph names every file."""
    actions = [_action(name, record, held) for name, record in records.items()]
    tools = {tool["@id"]: tool for action in actions for tool in _tools(records[action["@id"].partition("#run-")[2]])}
    parts = [{"@id": name} for name in sorted(held)]
    root = {
        "@id": "./",
        "@type": "Dataset",
        "name": f"Evidence on: {article['name']}",
        "description": "A rerun of the paper's experiments and checks of its statements, with the verdicts on what it reports.",
        "datePublished": max(record.date for record in records.values()),
        "license": {"@id": "LICENSE"},
        "identifier": f"{NAMESPACE}{paper}",
        "author": {"@id": "#authors"},
        "about": {"@id": article["@id"]},
        "conformsTo": {"@id": PROCESS},
        "hasPart": parts,
        "mentions": [{"@id": action["@id"]} for action in actions],
    }
    descriptor = {
        "@id": METADATA,
        "@type": "CreativeWork",
        "conformsTo": {"@id": "https://w3id.org/ro/crate/1.2"},
        "about": {"@id": "./"},
    }
    profile = {"@id": PROCESS, "@type": ["CreativeWork", "Profile"], "name": "Process Run Crate", "version": "0.5"}
    authors = {"@id": "#authors", "@type": "Organization", "name": "The companion's authors"}
    described = [_file(name, content) for name, content in sorted(held.items())]
    graph = [descriptor, root, profile, authors, article, *tools.values(), *actions, *described]
    return {"@context": "https://w3id.org/ro/crate/1.2/context", "@graph": graph}


def _file(name: str, content: bytes) -> Json:
    kind = "printed in the paper" if name.startswith("reported/") else "of our runs"
    script = {"programmingLanguage": "Python"} if name.endswith(".py") else {}
    words = "Record of the tables beside it" if name.endswith(".record.json") else f"Table {kind}"
    return {
        "@id": name,
        "@type": ["File", "SoftwareSourceCode"] if script else "File",
        "name": _ABOUT.get(f"reported/{Path(name).name}", _ABOUT.get(name, f"{words}: {Path(name).stem}")),
        "encodingFormat": _FORMATS[Path(name).suffix],
        "contentSize": str(len(content)),
        "sha256": hashlib.sha256(content).hexdigest(),
        **script,
    }


def _action(name: str, record: Record, held: Mapping[str, bytes]) -> Json:
    """The run that a record is about: the command, what it made, with which versions."""
    tables = [f"results/{table}" for table in record.settings.get("sha256", {}) if f"results/{table}" in held]
    printed = [key for key in sorted(held) if key.startswith("reported/")]
    return {
        "@id": f"#run-{name}",
        "@type": "CreateAction",
        "name": record.command,
        "description": f"{record.seconds:g} s on {record.machine.get('cpu', 'an unknown processor')}",
        "instrument": {"@id": _software(record)},
        "agent": {"@id": "#authors"},
        "endTime": record.date,
        "object": [{"@id": key} for key in printed],
        "result": [{"@id": key} for key in [*tables, name]],
        "actionStatus": "http://schema.org/CompletedActionStatus",
    }


def _software(record: Record) -> str:
    return f"#companion-{record.versions.get('companion', companion.__version__)}"


def _tools(record: Record) -> list[Json]:
    """The companion in the version of a record, and the libraries it used."""
    libraries = {name: version for name, version in record.versions.items() if name != "companion"}
    used = [_application(f"#{name}-{version}", name, version) for name, version in libraries.items()]
    version = record.versions.get("companion", companion.__version__)
    own = _application(_software(record), "gp-bandit-companion", version)
    return [own | {"softwareRequirements": [{"@id": tool["@id"]} for tool in used]}, *used]


def _application(address: str, name: str, version: str) -> Json:
    """Software. RO-Crate 1.2 requires ``url`` and ``version``, and Process Run Crate asks for ``softwareVersion``."""
    url = "https://www.python.org/" if name == "python" else f"pkg:pypi/{name}"
    told = {"@id": address, "@type": "SoftwareApplication", "name": name, "softwareVersion": version}
    return told | {"version": version, "url": url}
