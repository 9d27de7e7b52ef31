"""The kernels of stored results are asked for where the processor has them, and nowhere else."""

import os
import subprocess
import sys

import pytest

from companion import arithmetic
from companion.arithmetic import AUTO, CHOICE, CORE_TYPE, KERNELS


@pytest.fixture
def processor(tmp_path, monkeypatch):
    place = tmp_path / "cpuinfo"
    monkeypatch.setattr(arithmetic, "_PROCESSOR", place)
    return place


def test_kernels_are_asked_for_where_they_run(processor):
    processor.write_text("flags : sse2 avx2 avx512f\n")
    asked = {CORE_TYPE: "Haswell"}
    assert arithmetic.pin(asked)
    assert asked == {CORE_TYPE: KERNELS}
    left = {CHOICE: AUTO, CORE_TYPE: "Haswell"}
    assert not arithmetic.pin(left)
    assert left[CORE_TYPE] == "Haswell"


@pytest.mark.parametrize("flags", ["flags : sse2 avx2 avx512\n", None])
def test_a_processor_without_them_is_left_alone(processor, flags):
    if flags is not None:
        processor.write_text(flags)
    asked = {}
    assert not arithmetic.pin(asked)
    assert asked == {}


def test_a_process_uses_what_was_asked_for():
    """Before NumPy is imported, by the command line and by these tests themselves."""
    able = arithmetic.pin({})
    assert able == (os.environ.get(CORE_TYPE) == KERNELS)
    code = "from companion import arithmetic, cli; cli.main(['list']); print(arithmetic.kernels())"
    for choice in (AUTO, ""):
        environment = {**os.environ, CORE_TYPE: "Haswell", CHOICE: choice}
        run = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True)
        used = run.stdout.splitlines()[-1]
        if able:
            assert (KERNELS in used, "Haswell" in used) == (choice != AUTO, choice == AUTO)
    if able:
        assert arithmetic.as_stored()
