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
from companion import papers
from companion.core.errors import DataError, ParameterError
from companion.core.files import reported_folder, repository_root, results_folder, strict_json, write_atomic
from companion.reproduce.crate import schema
from companion.reproduce.crate.basis import basis
from companion.reproduce.crate.identity import NAMESPACE, article, identifier
from companion.reproduce.crate.terms import STATUSES, status
from companion.reproduce.record import Record
from companion.reproduce.reported import own_margins
from companion.reproduce.stored import load_entries

Json = dict[str, Any]
METADATA, SCRIPT, README = "ro-crate-metadata.json", "recompute.py", "README.md"
BEGUN = ".unfinished"
"""There while files are being written."""
PROCESS = "https://w3id.org/ro/wfrun/process/0.5"
ENTRIES = {"ledger": "statement", "verdicts": "verdict", "discrepancies": "lead"}

_ABOUT = {
    README: "What is in this folder, and how to recompute the verdicts",
    SCRIPT: "Recomputes the verdicts from this folder alone",
    "LICENSE": "BSD 3-Clause License",
    "assertions.jsonld": "Every entry with its id, and its status in the terms of FORRT and CiTO",
    "basis.json": "What each verdict rests on: printed rows, stored runs, rules",
    "statuses.json": "What each status is called in the terms of FORRT and CiTO",
    schema.FILE: "JSON Schemas of the JSON files",
    "verdicts.json": "Printed numbers and claims beside our runs, with verdicts",
    "ledger.json": "Checked statements of the paper, with both sides and status",
    "discrepancies.json": "Suspected errors of the paper, each tested",
    "verified.json": "With which code the stored digits were last compared",
    "reported/margins.toml": "How far apart two numbers may be and still count as the same",
}
_FORMATS = {
    ".csv": "text/csv",
    ".json": "application/json",
    ".jsonld": "application/ld+json",
    ".md": "text/markdown",
    ".py": "text/x-python",
    ".toml": "application/toml",
    "": "text/plain",
}


@dataclass(frozen=True)
class Crate:
    """What was packed: the files by name, relative to the folder, and on what how many verdicts rest."""

    paper: str
    files: Mapping[str, bytes]
    rests_on: Mapping[str, int]

    def write(self, folder: Path) -> list[Path]:
        """Write every file; the metadata last, so that a folder with metadata is whole. What was interrupted is written anew.

        Raises
        ------
        ParameterError
            if the folder has files that are not of such a crate: nothing of another kind is mixed in or overwritten
        """
        own = (folder / METADATA).is_file() or (folder / BEGUN).is_file()
        if folder.is_file() or (folder.is_dir() and not own and any(_foreign(folder))):
            raise ParameterError(
                "--out", f"{folder} is there, and no crate", "a new or empty folder, or an older crate"
            )
        write_atomic(folder / BEGUN, b"")
        (folder / METADATA).unlink(missing_ok=True)
        for left in folder.rglob(".*.tmp"):
            left.unlink()
        for name in sorted(self.files, key=lambda name: (name == METADATA, name)):
            write_atomic(folder / name, self.files[name])
        (folder / BEGUN).unlink()
        return [folder / name for name in sorted(self.files)]


def _foreign(folder: Path) -> Iterator[Path]:
    """What is in a folder, but for the file of a call that was killed as it began."""
    return (path for path in folder.iterdir() if not (path.name.startswith(f".{BEGUN}.") and path.suffix == ".tmp"))


def pack(paper: str, root: Path | None = None) -> Crate:
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
    paper = papers.slug_of(paper)
    judged = papers.of(paper).verdicts
    if judged is None:
        raise DataError(f"{paper} judges no printed number and no claim, so there is nothing to export")
    held = _held(paper, base)
    stored = {name: load_entries(results_folder(paper, base), name, f"companion evidence {paper}") for name in ENTRIES}
    verdicts = stored["verdicts"].entries
    own = held.get(f"reported/{paper}/margins.toml")
    shared = tomllib.loads(held["reported/margins.toml"].decode())
    # A paper whose printed numbers are not judged has no part there.
    rules = (shared.get(paper, {}) if own is None else tomllib.loads(own.decode())).get("metrics", {})
    rests = basis(judged.value, judged.value.results.read(base), verdicts, rules)
    counts = Counter(str(one["rests_on"]) for one in rests)
    about = article(paper, base)
    held |= {
        "basis.json": _json(rests),
        "statuses.json": _json(STATUSES),
        "assertions.jsonld": _json(_assertions(about, {name: found.entries for name, found in stored.items()})),
        "LICENSE": (base / "LICENSE").read_bytes(),
        schema.FILE: schema.text().encode(),
        SCRIPT: files("companion.reproduce.crate").joinpath(f"{SCRIPT}.txt").read_bytes(),
        README: _readme(about, counts, len(verdicts)).encode(),
    }
    records = {f"{name}.json": found.record for name, found in stored.items()} | _records(held)
    return Crate(paper, held | {METADATA: _json(_metadata(paper, about, held, records))}, counts)


def _held(paper: str, root: Path) -> dict[str, bytes]:
    """What is taken as it is."""
    found = {f"results/{path.name}": path.read_bytes() for path in sorted(results_folder(paper, root).glob("*.csv"))}
    for path in sorted(results_folder(paper, root).glob("*.json")):
        own = path.stem in (*ENTRIES, "verified")
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
    profile = {"@id": PROCESS, "@type": "CreativeWork", "name": "Process Run Crate", "version": "0.5"}
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
    return f"#companion-{record.commit}"


def _tools(record: Record) -> list[Json]:
    """The companion at the commit of a record, and the libraries it used."""
    libraries = {name: version for name, version in record.versions.items() if name != "companion"}
    used = [
        {"@id": f"#{name}-{version}", "@type": "SoftwareApplication", "name": name, "softwareVersion": version}
        for name, version in libraries.items()
    ]
    own = {
        "@id": _software(record),
        "@type": "SoftwareApplication",
        "name": "gp-bandit-companion",
        "softwareVersion": f"{record.versions.get('companion', companion.__version__)}, commit {record.commit}",
        "softwareRequirements": [{"@id": tool["@id"]} for tool in used],
    }
    return [own, *used]


def _readme(article: Json, counts: Mapping[str, int], total: int) -> str:
    told = "\n".join(f"- {count} on {rests_on}" for rests_on, count in sorted(counts.items()))
    return f"""# Evidence on: {article["name"]}

Printed tables in `reported/`, our runs in `results/`, what follows from them in `verdicts.json`, `ledger.json` and
`discrepancies.json`; `{schema.FILE}` describes these files, `{METADATA}` all of them.

    python {SCRIPT}

recomputes the verdicts from this folder alone, with Python 3.11, NumPy and SciPy. Of {total} verdicts rest

{told}

A claim rests on the weakest that one of its parts rests on. Where that is the words of its parts, a part has a rule of its own
or nothing to test; its verdict is taken over, and only how the parts combine is recomputed.
"""
