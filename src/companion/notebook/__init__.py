"""Chapters as notebooks: paired source, reproducible outputs, freshness, parameters and runs at other settings.

The edited file of a chapter is ``notebooks/chN_<slug>.py`` (jupytext py:percent). ``python -m companion.notebook
execute`` makes the ``.ipynb`` beside it, with outputs; ``check`` refuses pairs that differ and outputs that are stale.
nbval executes the ``.ipynb`` again and compares: ``python -m pytest --nbval-lax notebooks``.
"""

from companion.notebook.checking import check, check_fresh
from companion.notebook.document import Chapter, NotebookError, chapters, find_chapter
from companion.notebook.execution import execute
from companion.notebook.parameter_cell import NotebookParameter, parameters
from companion.notebook.running import RunResult, profile_values, run

__all__ = [
    "Chapter",
    "NotebookError",
    "NotebookParameter",
    "RunResult",
    "chapters",
    "check",
    "check_fresh",
    "execute",
    "find_chapter",
    "parameters",
    "profile_values",
    "run",
]
