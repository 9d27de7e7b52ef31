"""Content hashes: which code and which data a result depends on, without a version-control system at hand.

* :func:`package_hash` covers the source files a paper's results depend on,
* :func:`data_hash` covers the stored and reported tables that a chapter loads.

What code *means* for a result, whatever file it stands in, is :mod:`companion.reproduce.meaning`.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from pathlib import Path

import companion
from companion import papers
from companion.core.errors import ResultError
from companion.core.files import read_toml

#: Parts of the package that show or grade results but never change a number.
PRESENTATION = ("__main__.py", "cli", "classroom")

#: Folder of single finished runs; kept out of version control, so no content hash may depend on it.
TASKS = "tasks"

#: Says when stored digits were last compared with what the code gives; no page's outputs depend on it.
VERIFIED = "verified.json"
ERRATA, ANSWERS = "errata", "answers.toml"
"""What is told to a paper's authors, and what they answer: beside its tables, and loaded by no page."""


def _digest(files: Iterable[tuple[str, bytes]]) -> str:
    """SHA-256 over (name, content) pairs; lengths are hashed too, so that no two lists of files collide by joining."""
    total = hashlib.sha256()
    for name, content in sorted(files):
        encoded = name.encode()
        total.update(len(encoded).to_bytes(8, "big") + encoded + len(content).to_bytes(8, "big") + content)
    return total.hexdigest()


def _tree(folder: Path) -> list[Path]:
    """Files below ``folder``, without compiled Python, hidden files, single runs behind stored tables, verifications."""
    if not folder.is_dir():
        return []
    found = (p for p in folder.rglob("*") if p.is_file())
    skipped = {"__pycache__", TASKS, VERIFIED}
    return [
        p
        for p in found
        if skipped.isdisjoint(p.relative_to(folder).parts) and p.suffix != ".pyc" and not p.name.startswith(".")
    ]


def package_hash(paper: str | None = None, package: Path | None = None) -> str:
    """Content hash of the code that the results of ``paper`` depend on.

    Parameters
    ----------
    paper : slug of a paper; the other papers' folders are then left out. ``None`` takes them all, as does a chapter that
        stands above the papers
    package : folder of the package; the imported one by default

    Returns
    -------
    SHA-256 in hexadecimal over the sorted source files, without :data:`PRESENTATION`

    Raises
    ------
    ResultError
        when the folder holds no package
    """
    root = Path(companion.__file__).parent if package is None else package
    if not (root / "__init__.py").is_file():
        raise ResultError(f"{root} is not a Python package, so there is nothing to hash")
    one = paper is not None and paper not in papers.ABOVE and (root / "papers" / paper).is_dir()
    chosen = []
    for path in _tree(root):
        parts = path.relative_to(root).parts
        foreign = one and len(parts) > 2 and parts[0] == "papers" and parts[1] != paper
        if parts[0] not in PRESENTATION and not foreign:
            chosen.append(("/".join(parts), path.read_bytes()))
    return _digest(chosen)


def data_hash(paper: str | None, root: Path) -> str:
    """Content hash of the data that a chapter loads.

    Covers the stored results (``data/results/<paper>/``), the paper's reported tables (``data/reported/<paper>/``) and the
    paper's part of ``margins.toml`` and ``titles.toml`` beside them. :data:`VERIFIED`, :data:`ERRATA` and
    :data:`ANSWERS` are left out.

    Parameters
    ----------
    paper : slug, or ``None`` for a page of no paper, which loads none; ``root`` : repository
    """
    inputs: list[tuple[str, bytes]] = []
    folders = [] if paper is None else [root / "data" / "results" / paper, root / "data" / "reported" / paper]
    for number, folder in enumerate(folders):
        loaded = ((path.relative_to(folder), path) for path in _tree(folder))
        inputs += [
            (f"{number}/{place.as_posix()}", path.read_bytes())
            for place, path in loaded
            if place.parts[0] not in (ERRATA, ANSWERS)
        ]
    for name in ("margins", "titles"):
        shared = root / "data" / "reported" / f"{name}.toml"
        if paper is not None and shared.is_file():
            inputs.append((name, own_part(shared, paper)))
    return _digest(inputs)


def own_part(shared: Path, paper: str) -> bytes:
    """A paper's part of a file of all papers, ``margins.toml`` or ``titles.toml``, with what belongs to none of them."""
    own = {key: value for key, value in read_toml(shared).items() if not isinstance(value, dict) or key == paper}
    return json.dumps(own, sort_keys=True, default=str).encode()
