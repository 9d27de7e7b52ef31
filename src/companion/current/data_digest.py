"""Digest of the repository's data that a paper's pages and evidence read."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from pathlib import Path

from companion import registry
from companion.core.files import read_toml, reported_folder, results_folder
from companion.simulate.sweep import TASKS

#: What is written to a paper's authors, and what they answer: beside its tables, and loaded by no page.
ERRATA, ANSWERS = "errata", "answers.toml"
#: What goes into stored evidence, each sentence into its own entry, and is loaded by nothing else.
SENTENCES = ("notes.toml", "findings.toml")

#: Definitions through which the tables of the repository are read.
READERS = {f"companion.core.files.{name}" for name in ("repository_root", "results_folder", "reported_folder")}

#: Stored runs and reported tables, which evidence is judged by; a page shows the evidence too.
TABLES, EVERYTHING = (".csv", ".toml"), (".csv", ".toml", ".json")


def data_digest(
    paper: str | None, root: Path, suffixes: Iterable[str] = EVERYTHING, left_out: Iterable[str] = ()
) -> str:
    """Digest of a paper's stored results and reported tables; a chapter above the papers reads those of all.

    Parameters
    ----------
    paper : slug, or ``None`` for a page of no paper, which loads none
    root : repository
    suffixes : of the files that count
    left_out : names of files and folders that do not, besides those for authors and sentences
    """
    total = hashlib.sha256()
    passed_over = {TASKS, ERRATA, ANSWERS, *SENTENCES, *left_out}
    for slug in registry.chapters() if paper in registry.CROSS_PAPER else filter(None, (paper,)):
        for folder in (results_folder(slug, root), reported_folder(slug, root)):
            for path in sorted(folder.rglob("*")):
                place = path.relative_to(root)
                if path.suffix in suffixes and passed_over.isdisjoint(place.parts) and not path.name.startswith("."):
                    total.update(repr([place.as_posix(), path.read_bytes()]).encode())
        for name in ("margins", "titles"):
            shared = root / "data" / "reported" / f"{name}.toml"
            if shared.is_file() and shared.name not in passed_over:
                total.update(_own_part(shared, slug))
    return total.hexdigest()


def _own_part(shared: Path, paper: str) -> bytes:
    """A paper's part of a file of all papers, with what belongs to none of them."""
    own = {key: value for key, value in read_toml(shared).items() if not isinstance(value, dict) or key == paper}
    return json.dumps(own, sort_keys=True, default=str).encode()
