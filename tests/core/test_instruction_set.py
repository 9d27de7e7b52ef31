"""The portable kernels are asked for where the processor has them, and nowhere else; records say which were used."""

import json
import os
import subprocess
import sys

import pytest

from companion.cli import doctor_command
from companion.core import instruction_set
from companion.core.instruction_set import AUTO, CHOICE, CORE_TYPE, PORTABLE, WIDE, WITHOUT, able, in_use, recorded
from companion.stored.provenance import linear_algebra

SOME = "flags : sse2 avx2 fma\n"
ALL = "flags : sse2 avx2 fma avx512f avx512cd avx512bw avx512dq avx512vl\n"


@pytest.fixture
def processor(tmp_path, monkeypatch):
    place = tmp_path / "cpuinfo"
    monkeypatch.setattr(instruction_set, "_PROCESSOR", place)
    return place


@pytest.mark.parametrize("flags", [SOME, ALL])
def test_the_portable_kernels_are_asked_for_whatever_the_environment_says(processor, flags):
    processor.write_text(flags)
    asked = {CORE_TYPE: WIDE}
    assert instruction_set.pin(asked) == PORTABLE
    assert asked[CORE_TYPE] == PORTABLE
    assert ("X86_V4" if instruction_set.numpy_version() >= (2, 4) else "AVX512F") in asked[WITHOUT].split()


@pytest.mark.parametrize(("version", "names"), [("2.3.5", "AVX512F"), ("2.4.0", "X86_V4"), ("2.5.1", "X86_V4")])
def test_loops_are_left_out_by_the_names_of_the_installed_numpy(processor, monkeypatch, version, names):
    """A name that it lacks would make it warn when it is imported."""
    processor.write_text(ALL)
    monkeypatch.setattr(instruction_set.metadata, "version", lambda _: version)
    asked = {}
    assert instruction_set.pin(asked) == PORTABLE
    assert names in asked[WITHOUT].split()
    assert not {"AVX512F", "X86_V4"} - {names} & {*asked[WITHOUT].split()}


@pytest.mark.parametrize(
    ("version", "flags", "told"),
    [
        ("2.5.1", SOME, False),
        ("2.5.2", SOME, True),
        ("2.6.0rc1", SOME, True),
        ("2.5.2", ALL, False),
        ("2.5.2", "flags : sse2\n", False),
    ],
)
def test_a_numpy_that_may_crash_on_this_processor_is_told_and_not_made_to(processor, monkeypatch, version, flags, told):
    processor.write_text(flags)
    monkeypatch.setattr(instruction_set.metadata, "version", lambda _: version)
    assert ("pip install 'numpy<2.5.2'" in instruction_set.danger()) == told
    assert instruction_set.danger().count("\n") == 0
    asked = {}
    assert instruction_set.pin(asked) == (PORTABLE if version == "2.5.1" else "")
    (numpy,) = [one for one in doctor_command.examine() if one.name == "numpy"]
    assert (numpy.state, "may crash" in numpy.detail) == ("ok", told)


def test_a_program_of_its_own_tells_it_on_standard_error():
    code = (
        "import sys\nfrom companion import cli\ncli.instruction_set.danger = lambda: 'may crash'\n"
        "sys.argv[1:] = ['--version']\ncli.main()\ncli.main(['--version'])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stderr == "may crash\n"
    assert done.stdout.count("companion ") == 2


def test_this_numpy_is_imported_without_a_warning():
    code = "from companion.core import instruction_set as i; i.pin(); import numpy; print(i.in_use())"
    for kernels in filter(able, (instruction_set.NARROW, PORTABLE, WIDE)):
        words = [sys.executable, "-W", "error", "-c", code]
        run = subprocess.run(words, env=os.environ | {CHOICE: kernels}, capture_output=True, text=True)
        shown = kernels if instruction_set.numpy_version() >= (2, 0) else ""
        assert (run.returncode, run.stdout, run.stderr) == (0, f"{shown}\n", "")


def test_the_wide_ones_are_asked_for_by_name(processor):
    processor.write_text(ALL)
    asked = {CHOICE: WIDE, WITHOUT: "X86_V4"}
    assert instruction_set.pin(asked) == WIDE
    assert asked == {CHOICE: WIDE, CORE_TYPE: WIDE}
    processor.write_text(SOME)
    left = {CHOICE: WIDE, CORE_TYPE: "Zen"}
    assert instruction_set.pin(left) == ""
    assert left[CORE_TYPE] == "Zen"


@pytest.mark.parametrize("flags", ["flags : sse2 avx avx512f\n", None])
def test_a_processor_without_them_is_left_alone(processor, flags):
    if flags is not None:
        processor.write_text(flags)
    asked = {}
    assert instruction_set.pin(asked) == ""
    assert asked == {}


def test_the_choice_can_be_left_to_the_libraries(processor):
    processor.write_text(ALL)
    left = {CHOICE: AUTO, CORE_TYPE: "Zen"}
    assert instruction_set.pin(left) == ""
    assert left == {CHOICE: AUTO, CORE_TYPE: "Zen"}


@pytest.mark.slow
@pytest.mark.parametrize("wanted", [PORTABLE, WIDE])
def test_a_process_uses_what_was_asked_for_and_its_records_say_so(wanted):
    """Before NumPy is imported, by the command line; by these tests themselves, too."""
    if not able(wanted):
        pytest.skip(f"this processor has no kernels {wanted}")
    code = (
        "import json\n"
        "from companion import cli\nfrom companion.core import instruction_set\n"
        "from companion.stored.provenance import linear_algebra\n"
        "cli.main(['list'])\n"
        "used = instruction_set.in_use()\n"
        "print(json.dumps([used, instruction_set.recorded(linear_algebra())]))"
    )
    environment = {**os.environ, CORE_TYPE: "Sandybridge", CHOICE: wanted}
    run = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True)
    assert json.loads(run.stdout.splitlines()[-1]) == [wanted, wanted]


def test_these_tests_use_the_portable_ones_where_they_run():
    if CHOICE not in os.environ and able(PORTABLE) and instruction_set.numpy_version() >= (2, 0):
        assert in_use() == PORTABLE == recorded(linear_algebra())


@pytest.mark.parametrize(
    ("lines", "kernels"),
    [
        (["openblas 0.3.30 Haswell (1 threads)", "openblas 0.3.31.188.0 Haswell (2 threads)"], PORTABLE),
        (["openblas 0.3.30 SkylakeX (1 threads)", "openmp (1 threads)"], WIDE),
        (["openblas 0.3.30 (1 threads)"], WIDE),
        (["openblas 0.3.30 SkylakeX (1 threads)", "openblas 0.3.31 Haswell (1 threads)"], ""),
    ],
)
def test_a_record_says_which_kernels_made_a_result(lines, kernels):
    assert recorded(lines) == kernels


def test_the_kernels_asked_for_decompose_a_matrix_of_middle_size():
    """Those for AVX2 of some OpenBLAS ended the process there."""
    work = "import numpy as np; a = np.eye(400) + 1 / (1 + np.arange(400)); print(np.linalg.eigh(a + a.T)[0].shape)"
    start = f"from companion.core import instruction_set; instruction_set.pin(); {work}"
    done = subprocess.run([sys.executable, "-c", start], env=dict(os.environ), capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (0, "(400,)\n")


@pytest.mark.slow
def test_a_module_that_stores_results_starts_again_with_the_portable_ones(tmp_path):
    if not instruction_set.able(instruction_set.PORTABLE):
        pytest.skip("the processor lacks them")
    program = tmp_path / "storing.py"
    program.write_text(
        "import sys\nimport numpy\nfrom companion.core import instruction_set\ninstruction_set.restart()\n"
        "print(instruction_set.in_use(), *sys.argv[1:])\n"
    )
    other = os.environ | {instruction_set.CORE_TYPE: instruction_set.NARROW, instruction_set.WITHOUT: ""}
    other.pop(instruction_set.CHOICE, None)
    ran = subprocess.run([sys.executable, program, "--add"], env=other, capture_output=True, text=True, check=True)
    assert ran.stdout.split() == [instruction_set.PORTABLE, "--add"]


def test_every_module_that_stores_results_does_so(root):
    texts = [path.read_text(encoding="utf-8") for path in root.glob("src/companion/papers/**/*.py")]
    programs = [text.partition('if __name__ == "__main__":')[2].lstrip() for text in texts]
    storing = [program for program in programs if program]
    assert len(storing) >= 3
    assert all(program.startswith("instruction_set.restart()\n") for program in storing)
