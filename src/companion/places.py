"""Where the repository is: chapters, reported tables and stored results live beside the package, not in it."""

from __future__ import annotations

from pathlib import Path

import companion
from companion.errors import DataError


def repository_root(start: Path | None = None) -> Path:
    """The companion's checkout: the nearest folder with ``notebooks/`` above ``start`` (or above here, or the package).

    Raises
    ------
    DataError
        when the package is installed without its repository
    """
    starts = [start] if start is not None else [Path.cwd(), Path(companion.__file__).resolve().parent]
    for begin in starts:
        for folder in (begin, *begin.parents):
            if (folder / "notebooks").is_dir() and (folder / "pyproject.toml").is_file():
                return folder
    raise DataError(
        "the chapters are not here: they live in the repository, not in the installed package. "
        "Clone the repository and run the command inside it"
    )


def results_folder(paper: str, root: Path | None = None) -> Path:
    """``data/results/<paper>``: stored paper-scale results."""
    return (repository_root() if root is None else root) / "data" / "results" / paper


def reported_folder(paper: str, root: Path | None = None) -> Path:
    """``data/reported/<paper>``: the paper's own tables."""
    return (repository_root() if root is None else root) / "data" / "reported" / paper
