"""What several files of tests need and what takes seconds to make: made once, whichever worker comes first."""

from __future__ import annotations

import sys
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest
from filelock import FileLock


def made_once(factory: pytest.TempPathFactory, name: str, make: Callable[[Path], None]) -> Path:
    """The folder ``name`` of this run of the tests, filled by ``make``; to be read only, since others read it too."""
    own = factory.getbasetemp()
    # A worker's own folder lies in that of the run. Its name tells; the environment is also that of tests started by a test.
    folder = (own.parent if own.name.startswith("popen-") else own) / name
    done = folder.with_suffix(".done")
    with FileLock(folder.with_suffix(".lock")):
        if not done.exists():
            folder.mkdir()
            make(folder)
            done.touch()
    return folder


def installed(factory: pytest.TempPathFactory, root: Path) -> Path:
    """What the wheel, with solutions, brings into site-packages."""

    def make(folder: Path) -> None:
        sys.path.insert(0, str(root / "book" / "_ext"))
        import companion_downloads

        with zipfile.ZipFile(companion_downloads.build_wheel(root, folder / "wheel")) as packed:
            packed.extractall(folder / "site")

    return made_once(factory, "wheel", make) / "site"
