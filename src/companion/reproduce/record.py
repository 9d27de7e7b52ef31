"""Provenance of a number: what ran, with which code, on which machine; and content hashes of code and inputs.

A stored result is only as good as the answer to "which code made this?". Two hashes give that answer without a
version-control system at hand:

* :func:`package_hash` covers the source files a paper's results depend on,
* :func:`data_hash` covers the stored and reported tables that a chapter loads.

A :class:`Record` carries them together with seeds, versions and the machine, and travels beside every stored result.
"""

from __future__ import annotations

import dataclasses
import datetime
import hashlib
import importlib.metadata
import json
import os
import platform
import subprocess
import sys
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import companion
from companion.errors import ResultError

#: Parts of the package that show or grade results but never change a number.
PRESENTATION = ("__main__.py", "cli", "notebook", "classroom")

#: Folder of single finished runs; kept out of version control, so no content hash may depend on it.
TASKS = "tasks"

#: Says when stored digits were last compared with what the code gives; no page's outputs depend on it.
VERIFIED = "verified.json"

#: Distribution of this package.
DISTRIBUTION = "gp-bandit-companion"


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
    paper : slug of a paper; the other papers' folders are then left out. ``None`` takes them all
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
    chosen = []
    for path in _tree(root):
        parts = path.relative_to(root).parts
        foreign = paper is not None and len(parts) > 2 and parts[0] == "papers" and parts[1] != paper
        if parts[0] not in PRESENTATION and not foreign:
            chosen.append(("/".join(parts), path.read_bytes()))
    return _digest(chosen)


def data_hash(paper: str | None, root: Path) -> str:
    """Content hash of the data that a chapter loads.

    Covers the stored results (``data/results/<paper>/``), the paper's reported tables (``data/reported/<paper>/``) and the
    paper's part of ``data/reported/margins.toml``. :data:`VERIFIED` is left out.

    Parameters
    ----------
    paper : slug, or ``None`` for a page of no paper, which loads none; ``root`` : repository
    """
    inputs: list[tuple[str, bytes]] = []
    folders = [] if paper is None else [root / "data" / "results" / paper, root / "data" / "reported" / paper]
    for number, folder in enumerate(folders):
        inputs += [(f"{number}/{path.relative_to(folder).as_posix()}", path.read_bytes()) for path in _tree(folder)]
    margins = root / "data" / "reported" / "margins.toml"
    if paper is not None and margins.is_file():
        table = tomllib.loads(margins.read_text(encoding="utf-8"))
        own = {key: value for key, value in table.items() if not isinstance(value, dict) or key == paper}
        inputs.append(("margins", json.dumps(own, sort_keys=True, default=str).encode()))
    return _digest(inputs)


#: What results are made from, as git's path patterns. Results stored a moment ago and not committed yet are not among it.
INPUTS = (":(top)src", ":(top)data", ":(top,exclude)data/results")


def git_commit(folder: Path | None = None, inputs: Sequence[str] = ()) -> tuple[str, bool]:
    """Commit of the checkout around ``folder`` and whether it has changes; ``("unknown", False)`` outside one.

    ``inputs`` are git's path patterns, relative to ``folder``, of the files whose changes count; all by default.
    """
    place = Path(companion.__file__).parent if folder is None else folder

    def git(*words: str) -> str:
        run = subprocess.run(["git", "-C", str(place), *words], capture_output=True, text=True, timeout=20, check=True)
        return run.stdout.strip()

    try:
        return git("rev-parse", "HEAD"), bool(git("status", "--porcelain", "--", *inputs))
    except (OSError, subprocess.SubprocessError):
        return "unknown", False


def versions() -> dict[str, str]:
    """Versions of Python, this package and the numerical libraries; torch only where this process has imported it."""
    found = {"python": platform.python_version(), "companion": companion.__version__}
    names = ["numpy", "scipy"] + (["torch"] if "torch" in sys.modules else [])
    for name in names:
        try:
            found[name] = importlib.metadata.version(name)
        except importlib.metadata.PackageNotFoundError:
            found[name] = "absent"
    return found


def linear_algebra() -> list[str]:
    """Loaded linear-algebra and threading libraries, a line each: kind, version, kernels, threads. Paths are left out."""
    import numpy as np  # the library has to be loaded before it can be seen
    from threadpoolctl import threadpool_info

    np.dot(np.ones(1), np.ones(1))
    lines = {
        f"{entry.get('internal_api', '?')} {entry.get('version') or ''} {entry.get('architecture') or ''} "
        f"({entry.get('num_threads', '?')} threads)"
        for entry in threadpool_info()
    }
    return sorted(" ".join(line.split()) for line in lines)


def machine() -> dict[str, Any]:
    """Processor model, architecture and cores this process may use. The host's name is nobody's business."""
    model = platform.processor()
    cpuinfo = Path("/proc/cpuinfo")
    if cpuinfo.is_file():
        lines = cpuinfo.read_text(encoding="utf-8", errors="replace").splitlines()
        model = next((line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")), model)
    affinity = getattr(os, "sched_getaffinity", None)
    cores = len(affinity(0)) if affinity is not None else (os.cpu_count() or 1)
    return {"cpu": model or "unknown", "architecture": platform.machine(), "cores": cores, "system": platform.system()}


@dataclass(frozen=True)
class Record:
    """Provenance of one stored result.

    Attributes
    ----------
    command : what a reader types to get the result again
    profile : ``smoke``, ``book``, ``paper`` or the name of another parameter set
    seeds : integer seeds used, in order
    package : :func:`package_hash` of the code
    commit, dirty : version-control state, ``"unknown"`` outside a checkout
    versions, machine : see the functions of these names
    blas : :func:`linear_algebra`
    date : UTC, ISO 8601 to the second
    seconds : wall-clock duration of the work
    settings : further facts, e.g. parameters or the data set used
    """

    command: str
    profile: str
    seeds: tuple[int, ...]
    package: str
    commit: str
    dirty: bool
    versions: Mapping[str, str]
    blas: Sequence[str]
    machine: Mapping[str, Any]
    date: str
    seconds: float
    settings: Mapping[str, Any] = field(default_factory=dict)

    @classmethod
    def now(
        cls,
        command: str,
        *,
        profile: str,
        seeds: Iterable[int],
        seconds: float,
        paper: str | None = None,
        settings: Mapping[str, Any] | None = None,
    ) -> Record:
        """Record of work that ended just now in this process and on this machine."""
        commit, dirty = git_commit(inputs=INPUTS)
        return cls(
            command=command,
            profile=profile,
            seeds=tuple(int(seed) for seed in seeds),
            package=package_hash(paper),
            commit=commit,
            dirty=dirty,
            versions=versions(),
            blas=linear_algebra(),
            machine=machine(),
            date=datetime.datetime.now(datetime.UTC).replace(microsecond=0).isoformat(),
            seconds=round(float(seconds), 3),
            settings=dict(settings or {}),
        )

    def to_dict(self) -> dict[str, Any]:
        """Plain dictionary for JSON; :meth:`from_dict` gives the record back."""
        plain = {entry.name: getattr(self, entry.name) for entry in dataclasses.fields(self)}
        return plain | {
            "seeds": list(self.seeds),
            "versions": dict(self.versions),
            "blas": list(self.blas),
            "machine": dict(self.machine),
            "settings": dict(self.settings),
        }

    @classmethod
    def from_dict(cls, stored: Mapping[str, Any]) -> Record:
        """Record from :meth:`to_dict`; unknown or missing fields raise :class:`ResultError` naming them."""
        known = {entry.name for entry in dataclasses.fields(cls)}
        missing = sorted(known - {"settings"} - set(stored))
        unknown = sorted(set(stored) - known)
        if missing or unknown:
            parts = [f"lacks {', '.join(missing)}"] if missing else []
            parts += [f"has unknown {', '.join(unknown)}"] if unknown else []
            raise ResultError(f"a stored record {' and '.join(parts)}: another version of the package wrote it")
        return cls(**{**stored, "seeds": tuple(stored["seeds"]), "blas": list(stored["blas"])})
