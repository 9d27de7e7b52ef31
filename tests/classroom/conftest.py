"""What the tests of the classroom share: the assignment they grade, made quicker, and the rungs of this machine."""

from __future__ import annotations

import contextlib
import functools
import json
import os
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import pytest
from printed import printed_json_fits_its_schema  # noqa: F401 - a fixture for every test here

from companion.classroom import isolation, source
from companion.classroom.author_checks import reference_cells
from companion.classroom.grading import GradingSetting
from companion.classroom.keys import Keys
from companion.classroom.sandbox import Sandbox, SandboxError
from companion.classroom.sandbox_policy import RUNGS, Limits
from companion.classroom.source import Assignment

CONFINED = RUNGS[:-1]
#: A Python with NumPy and SciPy that other users can read, for the rung that is another user.
OTHERS_PYTHON = "COMPANION_TEST_PYTHON"
KEYS = Keys(b"shown", b"hidden")
QUICK = Limits(cell=1.5, total=40.0, memory=1 << 30)


def notebook(cells: list[str]) -> bytes:
    """A notebook with these code cells."""
    made = [{"cell_type": "code", "metadata": {}, "outputs": [], "execution_count": None, "source": c} for c in cells]
    return json.dumps({"cells": made, "metadata": {}, "nbformat": 4, "nbformat_minor": 4}).encode()


def answered(assignment: Assignment, replaced: Mapping[str, str] | None = None) -> bytes:
    """The solution handed in, with other answers in the place of some."""
    return notebook(reference_cells(assignment, replaced))


SECOND = {'function="original_sizes",': 'function="original_sizes",\n    seconds=1.0,'}
FEWER = {
    """        Check("the sizes are positive and add up to T", 1, some_horizons, holds=adds_up),\n""": "",
    """        Check(
            "horizons that are squares", 1, squares, equals=exact_original, hint="What is the ceiling of an integer?"
        ),\n""": "",
}


def changed(folder: Path, changes: Mapping[str, str]) -> Assignment:
    """Batch sizes, with other text in some places."""
    text = source.find("ch3_sizes").path.read_text(encoding="utf-8")
    for old, new in changes.items():
        assert text.count(old) == 1
        text = text.replace(old, new)
    path = folder / "ch3_sizes.py"
    path.write_text(text, encoding="utf-8")
    return source.load(path)


@pytest.fixture(scope="session")
def quick(tmp_path_factory: pytest.TempPathFactory) -> Assignment:
    """Batch sizes, whose first question waits for a second only."""
    return changed(tmp_path_factory.mktemp("source"), SECOND)


@pytest.fixture(scope="session")
def brief(tmp_path_factory: pytest.TempPathFactory) -> Assignment:
    """The same with two of the first question's four checks: a clock or a fresh worker is waited for at each of them."""
    return changed(tmp_path_factory.mktemp("source"), SECOND | FEWER)


@pytest.fixture(scope="session")
def rungs() -> Iterator[Callable[[str | None], Sandbox | str]]:
    """Opens a rung, or says why it cannot be had: each is tried out once, since that starts three processes."""
    with contextlib.ExitStack() as stack:

        @functools.cache
        def tried(rung: str | None) -> Sandbox | str:
            python = os.environ.get(OTHERS_PYTHON) if rung == "container" else None
            try:
                return stack.enter_context(isolation.opened(rung, python=python))
            except SandboxError as error:
                return str(error)

        yield tried


@pytest.fixture
def confined(request: pytest.FixtureRequest, rungs: Callable[[str | None], Sandbox | str]) -> Sandbox:
    """The rung that the test is parametrised with, or the strongest; skipped where it cannot be had."""
    found = rungs(getattr(request, "param", None))
    if isinstance(found, str):
        pytest.skip(found)
    return found


def setting(assignment: Assignment, box: Sandbox, limits: Limits = QUICK) -> GradingSetting:
    return GradingSetting(assignment.path, KEYS, box, limits)


def everything(folder: Path) -> dict[str, bytes]:
    """All files below a folder."""
    return {p.relative_to(folder).as_posix(): p.read_bytes() for p in sorted(folder.rglob("*")) if p.is_file()}
