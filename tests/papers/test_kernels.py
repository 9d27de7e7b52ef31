"""No finding of a lesson hangs on the last digits: its sentences hold with other linear-algebra kernels as well."""

import os
import subprocess
import sys

import pytest

from companion.core import instruction_set
from companion.core.files import repository_root

LESSONS = sorted(path for path in repository_root().glob("notebooks/ch?_*.py") if not path.stem.endswith("_record"))


@pytest.mark.slow
@pytest.mark.parametrize("kernels", [instruction_set.NARROW, instruction_set.WIDE])
@pytest.mark.parametrize("lesson", LESSONS, ids=lambda path: path.stem)
def test_no_finding_of_a_lesson_turns_with_the_kernels(lesson, kernels, request):
    if request.config.getoption("--depth") == "changed":
        pytest.skip("every lesson is computed again: part of make test FULL=yes")
    if not instruction_set.able(kernels):
        pytest.skip(f"the processor has not what {kernels} needs")
    environment = os.environ | {instruction_set.CHOICE: kernels}
    command = [sys.executable, "-m", "companion.pages.studies", str(lesson)]
    ran = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stderr[-2000:]
