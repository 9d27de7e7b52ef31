"""Runs computed in a process of its own: by the code of an older commit, or with other kernels than those in use.

Digit for digit, two versions of the code can be compared anywhere (``companion verify PAPER --against COMMIT``): the older one
is unpacked into a temporary folder and computes the same sample. If it was verified for the tables that are stored now, and
the present code gives its digits, the present code is verified. Kernels are chosen before NumPy is loaded, so that another
set needs another process too.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tarfile
import tempfile
from dataclasses import fields
from io import BytesIO
from pathlib import Path
from typing import Any

from companion.core import arithmetic
from companion.core.errors import ParameterError, ResultError
from companion.core.files import repository_root, results_folder
from companion.reproduce.again import Part, Sample
from companion.reproduce.runs import PaperRuns
from companion.reproduce.verify import SAME, Baseline, checksums


def baseline(
    commit: str,
    runs: PaperRuns[Any],
    rows: int,
    seed: int,
    root: Path | None = None,
    jobs: int | None = None,
    chosen: str | None = None,
) -> Baseline:
    """Let the code of a commit compute a sample of a paper's stored runs.

    Parameters
    ----------
    commit : any name that Git knows it by
    runs : the paper's, as the present code declares them
    rows, seed, jobs : as in :func:`companion.reproduce.verify.verify`
    root : repository; found from the current folder by default
    chosen : name of the set, which older code is told only where there are several

    Raises
    ------
    ParameterError
        if Git knows no such commit, or if its code is too old to be asked or fails
    """
    root = repository_root() if root is None else root
    name = _commit(commit, root)
    with tempfile.TemporaryDirectory(prefix="companion-baseline-") as folder:
        _unpack(name, root, Path(folder))
        sampled = ["verify", runs.paper, "--print", f"--rows={rows}", f"--seed={seed}"]
        sampled += [f"--{name}={value}" for name, value in (("set", chosen), ("jobs", jobs)) if value is not None]
        done = subprocess.run(
            [sys.executable, "-m", "companion", *sampled],
            cwd=folder,
            env=os.environ | {"PYTHONPATH": str(Path(folder) / "src")},
            stdout=subprocess.PIPE,
            check=False,
        )
    if done.returncode:
        raise ParameterError(
            "against",
            f"the code of {commit!r} cannot be asked, see above",
            "a commit that knows 'companion verify --print'",
        )
    found = json.loads(done.stdout)
    same = found["standing"] == SAME and found["tables"] == checksums(runs, results_folder(runs.paper, root))
    return Baseline(commit=name, rows=found["rows"], verified=same)


def under(runs: PaperRuns[Any], jobs: int | None, kernels: str, part: Part) -> Sample:
    """Let the present code compute runs with a set of kernels.

    Parameters
    ----------
    runs : of a paper, one of :func:`companion.papers.compared_sets`
    jobs : as in :func:`companion.reproduce.verify.verify`
    kernels : by their name in :mod:`companion.core.arithmetic`
    part : what to compute

    Raises
    ------
    ResultError
        if the process fails; what it said stands above
    """
    with tempfile.NamedTemporaryFile("w", prefix="companion-runs-", suffix=".json", encoding="utf-8") as file:
        json.dump(part.places(runs), file)
        file.flush()
        done = subprocess.run(
            [
                sys.executable,
                "-m",
                "companion",
                "verify",
                runs.paper,
                f"--set={runs.name}",
                "--print",
                f"--only={file.name}",
            ]
            + ([] if jobs is None else [f"--jobs={jobs}"]),
            env=os.environ | {arithmetic.CHOICE: kernels},
            stdout=subprocess.PIPE,
            check=False,
        )
    if done.returncode:
        raise ResultError(f"runs of {runs.paper} could not be made with the kernels {kernels}, see above")
    found = json.loads(done.stdout)
    return Sample(**{name: found[name] for name in (entry.name for entry in fields(Sample))})


def _commit(commit: str, root: Path) -> str:
    found = _git(root, "rev-parse", "--verify", "--quiet", "--end-of-options", f"{commit}^{{commit}}")
    if found.returncode:
        raise ParameterError("against", f"Git knows no commit {commit!r} here", "one of 'git log'")
    return found.stdout.decode().strip()


def _unpack(commit: str, root: Path, folder: Path) -> None:
    packed = _git(root, "archive", "--format=tar", commit)
    packed.check_returncode()
    with tarfile.open(fileobj=BytesIO(packed.stdout)) as archive:
        archive.extractall(folder, filter="data")


def _git(root: Path, *arguments: str) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(["git", "-C", str(root), *arguments], capture_output=True, check=False)
