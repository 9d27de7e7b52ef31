"""Environment of a result: the state of the checkout, versions of libraries, the machine."""

from __future__ import annotations

import importlib.metadata
import os
import platform
import subprocess
import sys
from pathlib import Path
from typing import Any

import companion

#: What results are made from, as git's path patterns.
INPUTS = (":(top)src", ":(top)data", ":(top,exclude)data/results", ":(top,exclude)data/current")


def checkout_commit(folder: Path | None = None) -> str:
    """Commit of the checkout around ``folder`` (the package by default), and whether code or data differ from it.

    Empty outside a checkout.
    """
    place = Path(companion.__file__).parent if folder is None else folder

    def git(*words: str) -> str:
        run = subprocess.run(["git", "-C", str(place), *words], capture_output=True, text=True, timeout=20, check=True)
        return run.stdout.strip()

    try:
        return git("rev-parse", "HEAD") + (" with changes" if git("status", "--porcelain", "--", *INPUTS) else "")
    except (OSError, subprocess.SubprocessError):
        return ""


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
