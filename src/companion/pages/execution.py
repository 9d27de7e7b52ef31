"""Execute a chapter's source and write the notebook with outputs, the same bytes every time."""

from __future__ import annotations

import tempfile
import time
from pathlib import Path

from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError, CellTimeoutError, DeadKernelError
from nbformat import NotebookNode

from companion.core.files import write_atomic
from companion.pages.document import Chapter, NotebookError, read_source, to_bytes
from companion.pages.kernel import client_settings, kernel_environment
from companion.pages.page_record import page_record
from companion.pages.parameter_cell import parameters
from companion.pages.provenance import BOOK, COMMAND, PROFILE, TIMES

#: Seconds one cell may take; a chapter at book scale is to end within three minutes.
CELL_TIMEOUT = 600


def first_line(cell: NotebookNode) -> str:
    """The first line of a cell that says something, to name the cell by."""
    return next((line.strip() for line in cell.source.splitlines() if line.strip()), "(empty)")


def execute(chapter: Chapter, timeout: int = CELL_TIMEOUT, times: Path | None = None) -> Path:
    """Run every cell of ``chapter`` in a fresh kernel and store the outputs in its ``.ipynb``.

    Warnings are errors. No timings are stored in it, and streams are joined. Date and seconds, which differ from one execution
    to the next, go into the record beside it.

    ``times`` is the file to which the studies write their lines; a temporary one by default.

    Raises
    ------
    NotebookError
        when a line of the parameters cell breaks the rule, before any work; when a cell raises, warns or takes longer than
        ``timeout`` seconds; the stored notebook is then left alone
    """
    notebook = read_source(chapter.source)
    if chapter.paper is not None:
        parameters(chapter.source)  # a line that breaks the rule costs no execution
    with tempfile.TemporaryDirectory(prefix="companion-times-") as folder:
        times = Path(folder) / "times.jsonl" if times is None else times
        began = time.monotonic()
        _run_cells(chapter, notebook, timeout, times)
        record = page_record(chapter, times, time.monotonic() - began)
    write_atomic(chapter.notebook, to_bytes(notebook))
    write_atomic(chapter.record, record)
    return chapter.notebook


def _run_cells(chapter: Chapter, notebook: NotebookNode, timeout: int, times: Path) -> None:
    """Give the cells the outputs of a fresh kernel; the studies note their seconds in ``times``."""
    with kernel_environment({COMMAND: chapter.mend, PROFILE: BOOK, TIMES: str(times)}) as variables:
        client = NotebookClient(
            notebook,
            timeout=timeout,
            kernel_name="python3",
            record_timing=False,
            coalesce_streams=True,
            resources={"metadata": {"path": str(chapter.source.parent)}},
            **client_settings(),
        )
        try:
            client.execute(env=variables)
        except (CellExecutionError, CellTimeoutError, DeadKernelError) as error:
            raise NotebookError(f"{chapter.source.name}: {_failure(notebook, error)}") from error


def _failure(notebook: NotebookNode, error: Exception) -> str:
    """Failed cell and its error, in two lines; the traceback stays with the exception."""
    for index, cell in enumerate(notebook.cells):
        for output in cell.get("outputs", []):
            if output.output_type == "error":
                return f"cell {index} ({first_line(cell)}) raised {output.ename}: {output.evalue}"
    return f"stopped with {type(error).__name__}: {str(error).strip().splitlines()[0]}"
