"""What goes out: no byte of a key in a student's archive, the same archives every time, and autograders that run."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from pathlib import Path

import nbformat
import pytest
from branched import Trunk, trunk
from classroom.conftest import KEYS, answered, notebook

from companion.classroom import gradescope, keys, otter, source, student_copies
from companion.classroom.author_checks import reference_cells
from companion.classroom.source import BEGIN, Assignment
from companion.core.errors import ParameterError

NAMES = list(source.assignments())
CANARY = "canary-4f1d2a"
SECRET = b"0123456789abcdef" * 4


def unpacked(content: bytes) -> dict[str, bytes]:
    with zipfile.ZipFile(io.BytesIO(content)) as file:
        return {name: file.read(name) for name in file.namelist()}


@pytest.fixture(params=NAMES)
def planted(request: pytest.FixtureRequest, tmp_path: Path) -> Assignment:
    """An assignment with the canary in every solution, hidden cell and text for the solution only."""
    lines = []
    for line in source.assignments()[request.param].read_text(encoding="utf-8").splitlines():
        lines.append(line)
        if line.strip() == BEGIN:
            indent = line[: len(line) - len(line.lstrip())]
            lines.append(f'{indent}"{CANARY}"  # {CANARY}')
        if line.startswith("# %%") and ('"hidden"' in line or '"assignment"' in line):
            lines.append(f"# {CANARY}")
    lines += ['# %% [markdown] tags=["solution"]', f"# {CANARY}", '# %% tags=["hidden"]', f'CANARY = "{CANARY}"']
    path = tmp_path / f"{request.param}.py"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return source.load(path)


def test_no_byte_of_a_key_is_in_a_student_archive(planted: Assignment, tmp_path: Path) -> None:
    secret = tmp_path / "course.secret"
    secret.write_bytes(SECRET)
    found = keys.keys(secret, planted.name)
    student_copies.make(planted, found, tmp_path / "out")
    files = {path.name: path.read_bytes() for path in (tmp_path / "out" / "student").iterdir()}
    packed = (tmp_path / "out" / "student.zip").read_bytes()
    files |= unpacked(packed) | {"the archive itself": packed}
    assert len(files) == 9
    for name, content in files.items():
        for forbidden in (CANARY.encode(), SECRET, found.hidden, found.hidden.hex().encode(), b"SOLUTION", b"Wrong("):
            assert forbidden not in content, (name, forbidden)
    assert CANARY.encode() in (tmp_path / "out" / "solution.ipynb").read_bytes(), "the canary was planted"


@pytest.mark.parametrize("name", NAMES)
def test_no_line_of_a_solution_is_in_the_student_notebook(name: str) -> None:
    chosen = source.find(name)
    given = json.loads(student_copies.notebook(chosen, False, KEYS.shown))
    text = "\n".join("".join(cell["source"]) for cell in given["cells"] if cell["cell_type"] == "code")
    for question in chosen.questions:
        inside = False
        for line in chosen.text("answer", question).splitlines():
            if line.strip() in (source.BEGIN, source.END):
                inside = line.strip() == source.BEGIN
            elif inside and len(line.strip()) > 25:
                assert line.strip() not in text


@pytest.mark.parametrize("name", NAMES)
def test_what_is_made_is_valid_and_the_same_every_time(name: str) -> None:
    chosen = source.find(name)
    for solution in (False, True):
        made = student_copies.notebook(chosen, solution, KEYS.shown)
        nbformat.validate(nbformat.reads(made.decode(), as_version=4))
        assert made == student_copies.notebook(source.find(name), solution, KEYS.shown)
    nbformat.validate(nbformat.reads(otter.notebook(chosen, KEYS).decode(), as_version=4))
    assert student_copies.archive({"a": b"1", "b": b"2"}) == student_copies.archive({"b": b"2", "a": b"1"})
    assert gradescope.make_archive(chosen, KEYS) == gradescope.make_archive(chosen, KEYS)


@pytest.fixture(scope="module")
def students() -> Iterator[Trunk]:
    """Python as a student has it: no companion in sight."""
    environment = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}
    with trunk("import sys; sys.modules['companion'] = None; import scipy.special", environment) as ready:
        yield ready


@pytest.mark.parametrize("name", NAMES)
def test_the_self_check_runs_without_the_package_and_says_no_number(name: str, tmp_path: Path, students: Trunk) -> None:
    chosen = source.find(name)
    for file, content in student_copies.student_files(chosen, KEYS).items():
        (tmp_path / file).write_bytes(content)
    (tmp_path / "solution.ipynb").write_bytes(student_copies.notebook(chosen, True, KEYS.shown))
    done = students.run(tmp_path / "selfcheck.py", "solution.ipynb")
    assert (done.returncode, done.stderr) == (0, ""), done.stdout
    assert done.stdout.count("has the form asked for") == len(chosen.questions)
    empty = students.run(tmp_path / "selfcheck.py", f"{name}.ipynb")
    assert empty.returncode == 1
    assert "has the form asked for" not in empty.stdout


def test_students_and_the_grader_draw_the_same_numbers(tmp_path: Path, quick: Assignment) -> None:
    from companion.classroom.marking import shown_numbers

    (tmp_path / "selfcheck.py").write_text(student_copies.selfcheck(quick, KEYS.shown), encoding="utf-8")
    code = "import selfcheck; selfcheck.student(' ada '); print(selfcheck.numbers('q3'))"
    said = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=True).stdout
    assert said.splitlines()[-1] == repr(shown_numbers(quick, "q3", KEYS.shown, "ada"))


# Gradescope ----------------------------------------------------------------------------------------------------------

FIELDS = {"score", "output", "output_format", "visibility", "stdout_visibility", "tests", "extra_data"}
TEST_FIELDS = {"name", "number", "score", "max_score", "status", "output", "output_format", "visibility"}


def autograder(root: Path, assignment: Assignment, submission: bytes | None, email: str = "ada@example.edu") -> dict:
    """Run the archive in a scratch root as Gradescope's documentation lays it out."""
    for name, content in unpacked(gradescope.make_archive(assignment, KEYS)).items():
        path = root / "source" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    (root / "submission").mkdir(parents=True)
    if submission is not None:
        (root / "submission" / "whatever they called it.ipynb").write_bytes(submission)
    metadata = {"id": 1, "users": [{"email": email, "id": 1234, "name": "Ada"}], "previous_submissions": []}
    (root / "submission_metadata.json").write_text(json.dumps(metadata), encoding="utf-8")
    environment = {"AUTOGRADER_ROOT": str(root), "GRADER_PYTHON": sys.executable, "PATH": os.environ["PATH"]}
    done = subprocess.run(
        ["bash", str(root / "source" / "run_autograder")], env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0
    return json.loads((root / "results" / "results.json").read_text(encoding="utf-8"))


def test_the_gradescope_archive_runs_in_a_root_of_its_own(tmp_path: Path) -> None:
    chosen = source.find("ch3_sizes")
    results = autograder(tmp_path, chosen, answered(chosen))
    assert results["score"] == chosen.points
    assert set(results) == FIELDS
    assert all(set(test) == TEST_FIELDS for test in results["tests"])
    assert sum(test["max_score"] for test in results["tests"]) == chosen.points
    assert results["extra_data"]["student"] == "ada@example.edu"
    assert CANARY not in json.dumps(results)


@pytest.mark.parametrize("submission", [None, b"no notebook", notebook(["import os\nos._exit(0)"])])
def test_gradescope_gets_a_result_whatever_is_handed_in(submission: bytes | None, tmp_path: Path) -> None:
    results = autograder(tmp_path, source.find("ch3_sizes"), submission)
    assert results["score"] == 0
    assert results["output"]


def test_gradescope_gets_a_result_when_the_grader_cannot_even_start(tmp_path: Path) -> None:
    results = autograder(tmp_path / "a", source.find("ch3_sizes"), notebook([]))
    (tmp_path / "a" / "source" / gradescope.WHO).unlink()
    assert gradescope.run(tmp_path / "a")["score"] == 0
    (tmp_path / "a" / "source" / "companion" / "__init__.py").write_text("raise SystemExit(1)", encoding="utf-8")
    subprocess.run(
        ["bash", str(tmp_path / "a" / "source" / "run_autograder")],
        env={"AUTOGRADER_ROOT": str(tmp_path / "a"), "GRADER_PYTHON": sys.executable, "PATH": os.environ["PATH"]},
        capture_output=True,
        check=False,
    )
    assert "ended before" in json.loads((tmp_path / "a" / "results" / "results.json").read_text())["output"]
    assert results["score"] == 0


def test_the_archive_has_the_documented_layout_and_no_secret() -> None:
    chosen = source.find("ch3_sizes")
    content = gradescope.make_archive(chosen, KEYS)
    with zipfile.ZipFile(io.BytesIO(content)) as file:
        rights = {info.filename: info.external_attr >> 16 for info in file.infolist()}
    assert {"setup.sh", "run_autograder"} <= set(rights)
    assert all(rights[name] & 0o111 for name in ("setup.sh", "run_autograder"))
    files = unpacked(content)
    assert all(word not in files["setup.sh"].lower() for word in (b"conda", b"chromium", b"playwright", b"torch"))
    assert [name for name in files if name.endswith((".pyc", ".secret"))] == []


BLOCKED = (
    "torch",
    "gpytorch",
    "pandas",
    "matplotlib",
    "sklearn",
    "joblib",
    "jupytext",
    "nbformat",
    "papermill",
    "yaml",
)


#: None in sys.modules would do for an import, but SciPy looks there for torch.
ABSENT = f"""
import sys

class Absent:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {BLOCKED!r}:
            raise ModuleNotFoundError(name)

sys.meta_path.insert(0, Absent())
import companion.classroom.gradescope, companion.classroom.marking, scipy.special
"""
GRADE = """
import sys
from companion.classroom import source
from companion.classroom.author_checks import Trusted, reference_cells
from companion.classroom.marking import mark, shown_numbers
chosen = source.find(sys.argv[1])
numbers = {q: shown_numbers(chosen, q, b"s", "ada") for q in chosen.questions}
runner = Trusted(reference_cells(chosen), numbers)
points = sum(check.points for key in chosen.key.values() for check in key.checks)
print(sum(m.earned for q in chosen.questions for m in mark(chosen, q, runner, b"h", b"s", "ada")), points)
"""


@pytest.fixture(scope="module")
def bare() -> Iterator[Trunk]:
    """Python with what an archive installs, and everything else out of reach."""
    with trunk(ABSENT, os.environ) as ready:
        yield ready


@pytest.mark.parametrize("name", NAMES)
def test_grading_needs_nothing_but_what_the_archive_installs(name: str, tmp_path: Path, bare: Trunk) -> None:
    """The grader and the oracles of every question."""
    (tmp_path / "grade.py").write_text(GRADE, encoding="utf-8")
    done = bare.run(tmp_path / "grade.py", name)
    assert done.returncode == 0, done.stderr
    earned, points = done.stdout.split()
    assert earned == points


# The secret ----------------------------------------------------------------------------------------------------------


def test_a_secret_is_made_once_and_for_its_owner_alone(tmp_path: Path) -> None:
    path = tmp_path / "course.secret"
    assert keys.create(path)
    assert path.stat().st_mode & 0o777 == 0o600
    first = keys.keys(path, "ch3_sizes")
    assert not keys.create(path)
    assert keys.keys(path, "ch3_sizes") == first
    assert first.shown != first.hidden
    assert keys.keys(path, "ch3_other").hidden != first.hidden


def test_a_missing_or_short_secret_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ParameterError, match="cannot be read"):
        keys.keys(tmp_path / "none", "x")
    (tmp_path / "short").write_text("hunter2", encoding="utf-8")
    with pytest.raises(ParameterError, match="at least 32"):
        keys.keys(tmp_path / "short", "x")


# Otter ---------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", NAMES)
def test_the_otter_export_accepts_the_reference_and_rejects_the_start(
    name: str, tmp_path: Path, students: Trunk
) -> None:
    """Its test cells, run as Otter runs them: after the cells of the notebook, in their namespace."""
    chosen = source.find(name)
    files = otter.files(chosen, KEYS)
    cells = json.loads(files[f"{name}.ipynb"])["cells"]
    texts = ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "code"]
    (tmp_path / "selfcheck.py").write_bytes(files["selfcheck.py"])
    for answers, fine in ((texts, True), (["pass" if "SOLUTION" in text else text for text in texts], False)):
        code = "\n".join(["import selfcheck", *answers])
        (tmp_path / "notebook.py").write_text(code, encoding="utf-8")
        done = students.run(tmp_path / "notebook.py")
        assert (done.returncode == 0) is fine, done.stderr
    marks = [text.splitlines()[0] for cell in cells if cell["cell_type"] == "raw" for text in ["".join(cell["source"])]]
    for kind in ("QUESTION", "SOLUTION", "TESTS"):
        assert marks.count(f"# BEGIN {kind}") == marks.count(f"# END {kind}") == len(chosen.questions)
    assert reference_cells(chosen)
