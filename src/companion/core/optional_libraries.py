"""Libraries that an installation may lack: which extra brings each, and one line for whoever needs it.

``pip install gp-bandit-companion`` brings NumPy, SciPy and a few small libraries in plain Python. Everything else is imported
where it is used, so that the first use says what is missing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager

from companion.core.errors import LibraryError

PROJECT = "gp-bandit-companion"

#: The extra of ``pyproject.toml`` that brings a library, by the name under which it is imported.
EXTRAS = {
    "pandas": "tables",
    "pyarrow": "parquet",
    "sklearn": "data",
    "torch": "torch",
    "gpytorch": "torch",
    "dask": "dask",
    "distributed": "dask",
    "Box2D": "robot",
    "yaml": "chapters",
    "matplotlib": "plots",
    "PIL": "plots",
    "jupytext": "chapters",
    "nbformat": "chapters",
    "nbclient": "chapters",
    "papermill": "chapters",
    "psutil": "chapters",
    "traitlets": "chapters",
    "markdown_it": "chapters",
    "mdit_py_plugins": "chapters",
    "botorch": "bench",
    "bayes_opt": "widths",
    "skopt": "widths",
    "optuna": "widths",
    "jsonschema": "test",
}

# What a worker's failure keeps of the error that caused it is its text.
_ABSENT = re.compile(r"No module named '([A-Za-z_0-9]+)")


def install(extra: str) -> str:
    """The command that installs an extra: ``pip install "gp-bandit-companion[tables]"``."""
    return f'pip install "{PROJECT}[{extra}]"'


def advice(error: BaseException) -> str | None:
    """Advice on what to install after a failed import, here or in a worker; ``None`` if no library of ours is missing.

    >>> advice(ModuleNotFoundError("No module named 'pandas'"))
    'pandas is not installed: pip install "gp-bandit-companion[tables]"'
    """
    found = _ABSENT.search(str(error))
    return f"{found[1]} is not installed: {install(EXTRAS[found[1]])}" if found and found[1] in EXTRAS else None


@contextmanager
def with_advice() -> Iterator[None]:
    """Context or decorator for code that needs a library of :data:`EXTRAS`.

    Raises
    ------
    LibraryError
        where such a library is not installed, with :func:`advice`
    """
    try:
        yield
    except ModuleNotFoundError as error:
        missing = advice(error)
        if missing is None:
            raise
        raise LibraryError(missing) from None
