"""``companion doctor``: what is installed, what is missing, one line each."""

from __future__ import annotations

import os
import platform
import shutil
import sys
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from importlib import metadata
from pathlib import Path

from companion.cli.show import TEXT, Output, table
from companion.core import data_sources, instruction_set
from companion.core.errors import CompanionError
from companion.core.optional_libraries import install

REQUIRED = ("numpy", "scipy", "cyclopts", "joblib", "threadpoolctl", "tqdm")
OPTIONAL = {
    "pandas": f"verdicts, discrepancies, export, verify: {install('tables')}",
    "pyarrow": f"tables as Parquet: {install('parquet')}",
    "scikit-learn": f"stand-in data, test oracles: {install('data')}",
    "torch": f"tensors, GPUs: {install('torch')}",
    "gpytorch": f"cp.fit, and chapter 4's fit by GPyTorch: {install('torch')}",
    "matplotlib": f"pictures of runs, figures of chapters: {install('plots')}",
    "papermill": f"runs chapters: {install('chapters')}",
    "nbclient": f"executes chapters: {install('chapters')}",
    "ipykernel": f"executes chapters: {install('chapters')}",
    "pyyaml": f"profiles of chapters: {install('chapters')}",
    "jupytext": f"makes the chapters from their sources: {install('chapters')}",
    "dask": f"parallel runs on a cluster: {install('dask')}",
    "jupyter-book": "builds the book",
    "nbval": "executes pages again and compares them: pytest --nbval-lax notebooks",
    "playwright": "checks the rendered pages",
    "botorch": "benchmarks",
}
BROWSERS = ("chromium", "chromium-browser", "google-chrome")


@dataclass(frozen=True)
class Finding:
    """One line: ``state`` is ``ok``, ``missing`` (required) or ``absent`` (optional)."""

    name: str
    state: str
    detail: str


def execute(*, output: Output = TEXT) -> int:
    """Say what is installed and what is missing.

    The exit code is 0 when everything required is there.

    Example: companion doctor
    """
    findings = list(examine())
    listed = table(("what", "state", "detail"), [(f.name, f.state, f.detail) for f in findings])
    output.give([asdict(finding) for finding in findings], lambda: listed)
    return 1 if any(finding.state == "missing" for finding in findings) else 0


def examine() -> Iterator[Finding]:
    """Look at the interpreter, packages, browser, linear algebra, data and results; nothing is changed."""
    supported = sys.version_info >= (3, 11)
    yield Finding("python", "ok" if supported else "missing", f"{platform.python_version()}, 3.11 or newer needed")
    for package in REQUIRED:
        version = _version(package)
        told = f"; {instruction_set.danger()}" if version and package == "numpy" and instruction_set.danger() else ""
        yield Finding(
            package, "ok" if version else "missing", f"{version}{told}" if version else f"pip install {package}"
        )
    for package, purpose in OPTIONAL.items():
        version = _version(package)
        yield Finding(package, "ok" if version else "absent", version or purpose)
    browser = next(filter(None, map(shutil.which, BROWSERS)), None)
    yield Finding("chromium", "ok" if browser else "absent", browser or "checks the rendered pages")
    yield _blas()
    yield _data()
    yield _results()


def _version(package: str) -> str | None:
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return None


def _blas() -> Finding:
    try:
        import scipy.linalg  # noqa: F401 - only loaded libraries can be asked
        from threadpoolctl import threadpool_info
    except ImportError as error:
        return Finding("BLAS", "missing", str(error))
    pools = [pool for pool in threadpool_info() if pool["user_api"] == "blas"]
    names = sorted(
        {f"{p['internal_api']} {p['version']} {p.get('architecture')}, {p['num_threads']} threads" for p in pools}
    )
    return Finding("BLAS", "ok" if names else "absent", "; ".join(names) or "no known library")


def _data() -> Finding:
    folder = os.environ.get("COMPANION_DATA")
    if not folder:
        return Finding("COMPANION_DATA", "absent", "not set: experiments on real data run on stand-ins")
    if not Path(folder).is_dir():
        return Finding("COMPANION_DATA", "absent", f"{folder} is not a folder: experiments run on stand-ins")
    sets = sorted(entry.name for entry in Path(folder).iterdir() if entry.is_dir() and not entry.name.startswith("."))
    damaged = _damaged()
    if damaged:
        told = f"{folder}: {', '.join(damaged)} not as published; see 'companion data status'"
        return Finding("COMPANION_DATA", "missing", told)
    return Finding("COMPANION_DATA", "ok" if sets else "absent", f"{folder}: {', '.join(sets) or 'no data set'}")


def _damaged() -> list[str]:
    """Data sets of which a file has another content than the published one."""
    try:
        return [
            name
            for name, chosen in data_sources.data_sets().items()
            if data_sources.examine(chosen).state == data_sources.DAMAGED
        ]
    except CompanionError:  # an installed package may know no data sets
        return []


def _results() -> Finding:
    # Above the package lies the checkout; an installed package carries them itself.
    package = Path(__file__).resolve().parents[1]
    for root in (Path.cwd(), *Path.cwd().parents, package.parents[1], package):
        folder = root / "data" / "results"
        if folder.is_dir():
            count = sum(1 for path in folder.rglob("*") if path.is_file())
            return Finding("results", "ok", f"{count} files of stored runs in {folder}")
    return Finding("results", "absent", "no data/results here: chapters show live runs only")
