"""nbval executes committed pages again and compares what they show: ``python -m pytest --nbval-lax notebooks``.

A kernel gets the surroundings in which the pages were made. What may differ stands in ``nbval.cfg``; beyond that every
output of every code cell is compared, word for word and digit for digit. Where a processor has other kernels of linear algebra
than made the pages, digits may differ by right: cells are then executed and not compared, and the last line says so.
"""

from __future__ import annotations

import contextlib
import os
from pathlib import Path

import pytest

from companion.core import instruction_set

instruction_set.pin()  # before anything imports NumPy

from companion.pages.document import Chapter
from companion.pages.execution import CELL_TIMEOUT
from companion.pages.kernel import kernel_environment
from companion.pages.provenance import BOOK, COMMAND, PROFILE, TIMES

HERE = Path(__file__).resolve().parent
SURROUNDINGS = contextlib.ExitStack()


def pytest_configure(config: pytest.Config) -> None:
    """Give nbval its options, and every kernel that it starts its surroundings.

    Pages are made on one thread, as ``make`` has it. Only sizes of pictures count, so a figure is drawn once.
    """
    if not (config.option.nbval or config.option.nbval_lax):
        return
    config.option.nbval_sanitize_with = str(HERE / "nbval.cfg")
    config.option.nbval_current_env = True
    config.option.nbval_cell_timeout = CELL_TIMEOUT
    own = {PROFILE: BOOK, "COMPANION_DRAFT": "1", "OMP_NUM_THREADS": "1"}
    own |= {TIMES: os.environ[TIMES]} if TIMES in os.environ else {}
    SURROUNDINGS.enter_context(kernel_environment(own))


def pytest_unconfigure() -> None:
    """Put the environment back."""
    SURROUNDINGS.close()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Compare nothing where the stored digits cannot be had."""
    pages = [item for item in items if item.path.suffix == ".ipynb"]
    if pages and not instruction_set.as_stored():
        for item in pages:
            item.options["check"] = False


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    """Before nbval starts a kernel: the outputs name the command that makes their page."""
    os.environ[COMMAND] = Chapter(item.path.with_suffix(".py"), HERE.parent).mend


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Say how many cells were not compared."""
    executed = [report for report in terminalreporter.stats.get("passed", []) if ".ipynb::" in report.nodeid]
    if executed and not instruction_set.as_stored():
        made = f"those of the kernels for {instruction_set.MEANS[instruction_set.PORTABLE]}"
        terminalreporter.write_line(f"{len(executed)} cells were executed and not compared: their digits are {made}.")
