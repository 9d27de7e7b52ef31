"""The Python that student code runs in: found by asking it, so that it may be another one than the grader's."""

from __future__ import annotations

import json
import subprocess
from dataclasses import dataclass
from pathlib import Path

from companion.core.errors import ParameterError

_ASK = """
import importlib.util, json, os, site, sys, sysconfig
print(json.dumps({
    "python": os.path.realpath(getattr(sys, "_base_executable", sys.executable)),
    "prefix": os.path.realpath(sys.base_prefix),
    "sites": sorted({os.path.realpath(p) for p in [*site.getsitepackages(), site.getusersitepackages(),
        *(getattr(site, "getsitepackages")([sys.base_prefix])), sysconfig.get_path("purelib")]}),
    "packages": {n: [os.path.dirname(importlib.util.find_spec(n).origin)] for n in ("numpy", "scipy")},
}))
"""


@dataclass(frozen=True)
class Interpreter:
    """A Python for student code: its path, its prefix, folders of other packages, and where NumPy and SciPy are."""

    python: str
    prefix: str
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
        return cls(found["python"], found["prefix"], tuple(found["sites"]), libraries)
