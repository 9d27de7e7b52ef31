"""The Python that student code runs in: found by asking it, so that it may be another one than the grader's."""

from __future__ import annotations

import functools
import json
import os
import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import companion
from companion.core.errors import ParameterError

_ASK = """
import importlib.util, json, os, site, sys, sysconfig
print(json.dumps({
    "python": os.path.realpath(getattr(sys, "_base_executable", sys.executable)),
    "prefix": os.path.realpath(sys.base_prefix),
    "standard": os.path.realpath(sysconfig.get_path("stdlib")),
    "sites": sorted({os.path.realpath(p) for p in [*site.getsitepackages(), site.getusersitepackages(),
        *(getattr(site, "getsitepackages")([sys.base_prefix])), sysconfig.get_path("purelib")]}),
    "packages": {n: [os.path.dirname(importlib.util.find_spec(n).origin)] for n in ("numpy", "scipy")},
}))
"""
#: Of the standard library, what a submission has no use for.
SPARED = ("test", "idlelib", "tkinter", "turtledemo", "ensurepip", "lib2to3")


def ours(module: str) -> dict[str, Any]:
    """How a module of the companion is started as a process of its own: the words and the environment."""
    home = str(Path(companion.__file__).resolve().parents[1])
    path = os.pathsep.join(filter(None, [home, os.environ.get("PYTHONPATH")]))
    # -P: a module of a student's in the current folder is not imported.
    return {"args": [sys.executable, "-P", "-m", module], "env": {**os.environ, "PYTHONPATH": path}}


@dataclass(frozen=True)
class Interpreter:
    """A Python for student code: its path, its prefix, its standard library, other packages, and where NumPy and SciPy are."""

    python: str
    prefix: str
    standard: str
    sites: tuple[str, ...]
    libraries: dict[str, str]

    @classmethod
    def of(cls, python: str) -> Interpreter:
        """Ask a Python.

        Raises
        ------
        ParameterError
            if it does not run or lacks NumPy or SciPy
        """
        try:
            said = subprocess.run([python, "-I", "-c", _ASK], capture_output=True, text=True, timeout=60, check=True)
            found = json.loads(said.stdout)
        except (OSError, ValueError, subprocess.SubprocessError):
            raise ParameterError("--python", f"{python} does not run", "a Python with NumPy and SciPy") from None
        libraries = {}
        for name, (folder,) in found["packages"].items():
            libraries[name] = folder
            beside = Path(folder).parent / f"{name}.libs"  # shared libraries that come with a wheel
            if beside.is_dir():
                libraries[beside.name] = str(beside)
        return cls(found["python"], found["prefix"], found["standard"], tuple(found["sites"]), libraries)

    @functools.cached_property
    def modules(self) -> list[str]:
        """Files and folders of the standard library that student code may read; folders of packages are none of them."""
        entries = (entry.path for entry in os.scandir(self.standard))
        spared = {f"{self.standard}/{name}" for name in SPARED}
        return sorted(path for path in entries if path not in spared and os.path.realpath(path) not in self.sites)

    @functools.cached_property
    def linked(self) -> list[str]:
        """Shared libraries of the system that Python, its modules, NumPy and SciPy are linked with, and the loader."""
        built = [str(path) for path in Path(self.standard, "lib-dynload").glob("*.so") if "tkinter" not in path.name]
        for folder in self.libraries.values():
            built += map(str, Path(folder).rglob("*.so*"))
        said = subprocess.run(["ldd", self.python, *built], capture_output=True, text=True, check=False).stdout
        found = {os.path.normpath(path) for path in re.findall(r"(/\S+) \(0x", said)}
        own = tuple(f"{folder}/" for folder in self.libraries.values())
        return sorted(path for path in found if not path.startswith(own))
