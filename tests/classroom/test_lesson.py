"""What teaches: the notebook that needs no other file, checks that speak, hints, and what the feedback shows."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import nbformat
import pytest
from classroom.conftest import KEYS, answered, notebook, setting
from jupyter_client.manager import AsyncKernelManager
from nbclient import NotebookClient

from companion.classroom import source, student_copies
from companion.classroom.author_checks import Trusted, reference_cells, with_solution
from companion.classroom.grading import grade
from companion.classroom.marking import BY_HAND, StudentError, mark, shown_numbers
from companion.classroom.sandbox import Sandbox
from companion.classroom.source import Assignment

#: A kernel that finds NumPy and SciPy, and no companion.
ALONE = "import sys; sys.modules['companion'] = None; from ipykernel.kernelapp import launch_new_instance as go; go()"


def executed(content: bytes, folder: Path) -> list[str]:
    """What each code cell of a notebook prints, executed in a folder by a kernel without the package."""
    found: Any = nbformat.reads(content.decode(), as_version=4)
    manager = AsyncKernelManager()
    manager._kernel_cmd = None
    spec = manager.kernel_spec
    assert spec is not None
    spec.argv = [sys.executable, "-c", ALONE, "-f", "{connection_file}"]
    client = NotebookClient(found, km=manager, timeout=120, resources={"metadata": {"path": str(folder)}})
    environment = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}
    client.execute(env=environment)
    outputs = [cell["outputs"] for cell in found["cells"] if cell["cell_type"] == "code"]
    return ["".join(one.get("text", "") or str(one.get("data", "")) for one in cell) for cell in outputs]


def solved(content: bytes, chosen: Assignment, student: str) -> bytes:
    """The student's notebook with the id typed and the answers written into its cells."""
    found = json.loads(content)
    answers = [with_solution(chosen.text("answer", question)) for question in chosen.questions]
    for cell in found["cells"]:
        text = "".join(cell["source"])
        if 'selfcheck.student("")' in text:
            cell["source"] = text.replace('selfcheck.student("")', f'selfcheck.student("{student}")')
        elif cell["cell_type"] == "code" and ("# your answer" in text):
            cell["source"] = answers.pop(0).strip("\n")
    assert not answers
    return json.dumps(found).encode()


def test_the_notebook_alone_can_be_solved_and_checked_in_an_empty_folder(tmp_path: Path, confined: Sandbox) -> None:
    chosen = source.find("ch3_sizes")
    given = student_copies.notebook(chosen, False, KEYS.shown)
    done = solved(given, chosen, "ada")
    folder = tmp_path / "empty"
    folder.mkdir()
    said = "\n".join(executed(done, folder))
    assert said.count("your answer has the form asked for") == len(chosen.questions)
    assert said.count("The example comes out") == 2
    assert "False" not in said
    assert not list(folder.iterdir())
    result = grade(setting(chosen, confined), "ada", done)
    assert result["score"] == result["points"], result
    assert result["notes"] == []


def test_the_cell_that_brings_the_checks_leaves_the_graders_module_alone(confined: Sandbox) -> None:
    """Another id typed: the numbers are still those of the student in whose name it was handed in."""
    chosen = source.find("ch3_sizes")
    done = solved(student_copies.notebook(chosen, False, KEYS.shown), chosen, "somebody-else")
    assert grade(setting(chosen, confined), "ada", done)["score"] == chosen.points


def test_the_typed_id_stands_in_a_plain_line() -> None:
    cells = json.loads(student_copies.notebook(source.find("ch1_batch"), False, KEYS.shown))["cells"]
    texts = ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "code"]
    assert sum(bool(re.search(r'(?m)^selfcheck\.student\(""\)$', text)) for text in texts) == 1
    assert len([text for text in texts if "ModuleType" in text]) == 1


# The students' module ------------------------------------------------------------------------------------------------


def said_by(tmp_path: Path, chosen: Assignment, cells: str) -> list[str]:
    (tmp_path / "selfcheck.py").write_text(student_copies.selfcheck(chosen, KEYS.shown), encoding="utf-8")
    code = f"import selfcheck\nselfcheck.student('ada')\n{cells}"
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=False, env={"PATH": "/"}
    )
    assert done.returncode == 0, done.stderr
    first, *lines = done.stdout.splitlines()
    assert first == "Numbers and checks are those of 'ada'."
    return lines


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        ("", "Question 1: there is no original_sizes yet. Run its cell first."),
        ("original_sizes = None", "Question 1 is not answered yet."),
        ("def original_sizes(T):\n    raise NotImplementedError", "Question 1 is not answered yet."),
        (
            "def original_sizes(T):\n    return (T,)",
            "Question 1: original_sizes(1000) should return a list of the sizes.",
        ),
        ("def original_sizes(T):\n    return [T]", "Question 1: original_sizes(30) should be [6, 14, 10], not [30]."),
        ("def original_sizes():\n    pass", "Question 1: with your original_sizes there was an error, TypeError: "),
    ],
)
def test_a_check_says_a_sentence_and_no_more(tmp_path: Path, answer: str, said: str) -> None:
    lines = said_by(tmp_path, source.find("ch3_sizes"), f"{answer}\nassert selfcheck.check('q1') is None")
    assert len(lines) == 1
    assert lines[0].startswith(said)


def test_a_run_that_is_computed_and_not_typed_is_told(tmp_path: Path) -> None:
    chosen = source.find("ch4_kernel")
    run = {"prediction": 90, "first": 3.5, "one": 0.7, "two": 0.9}
    for line, said in (
        (f"my_run = {run}", "Question 4: your answer has the form asked for."),
        (f"my_run = dict({run})", "Question 4: my_run is computed. When it is graded, the numbers are nobody's: "),
    ):
        cells = f"In = [{line!r}, 'selfcheck.check(4)']\n{line}\nselfcheck.check(4)"
        assert said_by(tmp_path, chosen, cells)[0].startswith(said)


def test_hints_come_one_after_the_other_and_the_last_one_again(tmp_path: Path) -> None:
    chosen = source.find("ch3_sizes")
    lines = said_by(tmp_path, chosen, "for _ in range(4): selfcheck.hint('q1')\nselfcheck.hint('q2')")
    wanted = [f"Hint {n} of 3: {text}" for n, text in enumerate(chosen.hints("q1"), 1)]
    assert lines == [*wanted, wanted[-1], f"Hint 1 of 3: {chosen.hints('q2')[0]}"]


@pytest.mark.parametrize("path", sorted(source.folder().glob("ch*.py")), ids=lambda path: path.stem)
def test_formulas_have_one_backslash(path: Path) -> None:
    """Two of them before a letter are a typing error: the source is no string."""
    markdown = [line for cell in source.load(path).cells if cell.markdown for line in cell.text.splitlines()]
    assert [line for line in markdown if re.search(r"\\\\[A-Za-z,]", line)] == []


def test_what_an_answer_calls_is_told_by_its_name(tmp_path: Path) -> None:
    chosen = source.find("ch6_stopping")
    cells = ["import numpy as np\ndef how_sure(mean, covariance, epsilon):\n    raise NotImplementedError"]
    cells += ["def first_stop(covariance, *rest):\n    return how_sure(covariance[0], covariance, 0.1)"]
    lines = said_by(tmp_path, chosen, "\n".join([*cells, "selfcheck.check('q1')", "selfcheck.check(2)"]))
    assert lines == [
        "Question 1 is not answered yet.",
        "Question 2: first_stop calls how_sure, which is not answered yet.",
    ]


def test_magics_mean_the_same_for_the_check_and_for_the_grader(tmp_path: Path, quick: Assignment) -> None:
    cells = reference_cells(quick)
    cells[1] = f"files = !ls\n%matplotlib inline\n{cells[1]}"
    cells.insert(2, "%%bash\nrm -rf nothing")
    (tmp_path / "n.ipynb").write_bytes(notebook(["import selfcheck\nselfcheck.student('ada')", *cells]))
    (tmp_path / "selfcheck.py").write_text(student_copies.selfcheck(quick, KEYS.shown), encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "selfcheck.py", "n.ipynb"], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, ""), done.stdout
    assert done.stdout.count("has the form asked for") == 3


# What is shown after grading -----------------------------------------------------------------------------------------

TELLERS = {
    "by an error's text": "raise ValueError(repr(T))",
    "by an error's name": "raise type('E' + str(T), (Exception,), {})()",
    "by a name like ours": "raise type('no answer within ' + str(T) + ' s', (Exception,), {})()",
    "by the type of an answer": "return type('A' + str(T), (), {})()",
    "by the length of a list": "return [0] * (T % 1000 + 3)",
}


@pytest.mark.parametrize("way", TELLERS)
def test_a_message_carries_no_hidden_input_out(way: str) -> None:
    chosen = source.find("ch3_sizes")
    seen: list[int] = []
    runner = Trusted([f"def original_sizes(T):\n    seen.append(T)\n    {TELLERS[way]}"], {})
    runner.space["seen"] = seen
    marks = mark(chosen, "q1", runner, KEYS.hidden, KEYS.shown, "ada")
    assert len(seen) >= 4
    told = " ".join(one.message for one in marks)
    for number in seen:
        assert str(number) not in told
        assert str(number % 1000 + 3) not in told or "length" not in way


def test_a_wrong_answer_is_shown_a_call_that_no_hidden_check_makes(confined: Sandbox, quick: Assignment) -> None:
    floor = next(wrong for wrong in quick.key["q1"].wrong if wrong.name == "floor for ceiling")
    recorder = "\nasked, heard = original_sizes, []\n"
    recorder += "def original_sizes(T):\n    heard.append(T)\n    return asked(T) + heard[:-1]"
    code = floor.applied(quick.text("answer", "q1"))
    result = grade(setting(quick, confined), "ada", answered(quick, {"q1": code}))
    checks = {check["name"]: check for check in result["questions"][0]["checks"]}
    lost = checks["all sizes at horizons of your own"]
    call = re.fullmatch(r"original_sizes\((\d+)\) returned (\[.*\])", lost["shown"])
    assert call
    assert sum(json.loads(call[2])) == int(call[1])
    assert checks["the sizes are positive and add up to T"]["shown"] == ""
    # A function that adds all it was called with tells nothing of the hidden calls: it runs in a process without them.
    again = grade(setting(quick, confined), "ada", answered(quick, {"q1": code + recorder}))
    hidden = {
        case[0]
        for check in quick.key["q1"].checks
        for case in check.inputs(source_draw(quick, check.name), {})  # type: ignore[operator,misc]
    }
    shown = " ".join(check["shown"] for check in again["questions"][0]["checks"])
    assert shown
    assert not {int(number) for number in re.findall(r"\d+", shown)} & {number for number in hidden if number > 10**3}


def source_draw(chosen: Assignment, name: str) -> Any:
    from companion.classroom.draws import Draw

    return Draw(KEYS.hidden, chosen.name, "ada", "q1", name)


def test_the_error_of_a_call_that_is_shown_is_in_the_students_words(confined: Sandbox, quick: Assignment) -> None:
    code = "def original_sizes(T):\n    raise ValueError(f'what shall I do with {T}?')"
    result = grade(setting(quick, confined), "ada", answered(quick, {"q1": code}))
    check = result["questions"][0]["checks"][1]
    assert check["message"] == "the call raised an error, or gave no plain value"
    assert re.fullmatch(r"original_sizes\((\d+)\) raised “ValueError: what shall I do with \1\?”", check["shown"])


def test_a_text_waits_for_a_reader() -> None:
    chosen = source.find("ch1_batch")
    numbers = {question: shown_numbers(chosen, question, KEYS.shown, "ada") for question in chosen.questions}
    for text, message in (
        ("why = 'Since\\nit spreads.'", BY_HAND),
        ("why = None", "not answered"),
        ("", "not answered"),
    ):
        marks = mark(chosen, "q5", Trusted([text], numbers), KEYS.hidden, KEYS.shown, "ada")
        assert [one.points for one in marks] == [points for _, points in chosen.key["q5"].rubric]
        assert {(one.earned, one.message) for one in marks} == {(0, message)}
        assert marks[0].shown == ("Since it spreads." if message == BY_HAND else "")


def test_what_a_student_raised_is_told_apart() -> None:
    runner = Trusted(["def f():\n    raise KeyError('x')"], {})
    with pytest.raises(StudentError, match="KeyError"):
        runner.call("f", (), 1.0)


def test_every_function_shows_its_example_in_the_question() -> None:
    for name in source.assignments():
        chosen = source.find(name)
        cells = json.loads(student_copies.notebook(chosen, False, KEYS.shown))["cells"]
        texts = "\n".join("".join(cell["source"]) for cell in cells if cell["cell_type"] == "markdown")
        for key in chosen.key.values():
            assert not key.function or f"*Example:* `{key.example}`" in texts
