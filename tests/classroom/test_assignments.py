"""Every assignment of notebooks/assignments, found by itself, held against the rules for authors, and against our own."""

from __future__ import annotations

import functools
from pathlib import Path

import pytest
from classroom.alternatives import ALTERNATIVES

from companion import cli
from companion.classroom import author_checks, source
from companion.classroom.author_checks import HIDDEN, RULES, SHOWN, STUDENTS, Trial, earned, faults
from companion.classroom.marking import Trusted, reference_cells
from companion.classroom.source import Assignment

FOLDER = Path(__file__).resolve().parents[2] / "notebooks" / "assignments"
NAMES = sorted(path.stem for path in FOLDER.glob("ch*.py"))


@functools.cache
def trial(name: str) -> Trial:
    return Trial(source.load(FOLDER / f"{name}.py"))


@pytest.mark.filterwarnings("ignore::RuntimeWarning")  # which wrong answers cause
@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("name", NAMES)
def test_an_assignment_keeps_the_rules(name: str, rule: str) -> None:
    assert [f"line {fault.line}: {fault.message}" for fault in faults(trial(name), rule)] == []


@pytest.mark.parametrize("name", NAMES)
def test_our_own_have_hints_and_a_text_to_mark_by_hand(name: str) -> None:
    chosen = trial(name).assignment
    assert name.startswith(f"ch{chosen.chapter}_"), "the file's name begins with its chapter"
    assert chosen.title, chosen.goal
    for question, key in chosen.key.items():
        assert key.rubric or chosen.hints(question), question
    # The model stays short; the graders' own tests count its points.
    assert name == "ch3_sizes" or [key for key in chosen.key.values() if key.rubric]


def test_every_chapter_has_an_assignment_and_every_level_occurs() -> None:
    ours = [trial(name).assignment for name in NAMES]
    assert {chosen.chapter for chosen in ours} == set(range(1, 7))
    assert {chosen.level for chosen in ours} == set(source.LEVELS)


@pytest.mark.parametrize("number", range(len(ALTERNATIVES)), ids=lambda n: "-".join(map(str, ALTERNATIVES[n][:3])))
def test_another_right_answer_gets_full_marks(number: int) -> None:
    name, question, _, code = ALTERNATIVES[number]
    for student in STUDENTS:
        runner = trial(name).ran(student, question, code)
        marks = trial(name).marked(question, student, runner)
        assert earned(marks) == trial(name).assignment.key[question].points, marks
        assert trial(name).public_fault(question, student, runner) == ""


def test_every_assignment_has_other_right_answers() -> None:
    assert {name for name, *_ in ALTERNATIVES} == set(NAMES)


# The rules themselves ------------------------------------------------------------------------------------------------


BROKEN = {
    "the reference gets full marks": (
        "last = math.isqrt(T * last - 1) + 1  #",
        "last = math.isqrt(T * last - 1) + 2  #",
    ),
    "an empty copy gets nothing": (
        'integers that add up to T."""\n    # BEGIN SOLUTION\n    sizes, rest, last',
        'integers that add up to T."""\n    if T:\n        return [T]\n    # BEGIN SOLUTION\n    sizes, rest, last',
    ),
    "wrong answers get their scores": ('Wrong("root in floats", 3', 'Wrong("root in floats", 2'),
    "own numbers differ": ("draw.decimal(0.55, 0.65, 3)", "0.6"),
    "no answer is right for all": ("draw.decimal(0.55, 0.65, 3)", "draw.decimal(0.6, 0.6001, 5)"),
    "functions have examples": ('    example="original_sizes(30)",\n', ""),
}


def changed(tmp_path: Path, old: str, new: str) -> Assignment:
    text = (FOLDER / "ch3_sizes.py").read_text(encoding="utf-8")
    assert text.count(old) == 1
    path = tmp_path / "ch3_mine.py"
    path.write_text(text.replace(old, new), encoding="utf-8")
    return source.load(path)


@pytest.mark.parametrize("rule", BROKEN)
def test_a_broken_rule_is_told_with_its_line(rule: str, tmp_path: Path) -> None:
    found = faults(Trial(changed(tmp_path, *BROKEN[rule])), rule)
    assert found
    assert all(fault.rule == rule and fault.line > 1 for fault in found)


def test_a_verbless_message_and_a_foreign_import_break_the_form(tmp_path: Path) -> None:
    text = "original_sizes(1000) should return a list of the sizes."
    assert "no full sentence" in faults(Trial(changed(tmp_path, text, "a list")), "form")[0].message
    assert (
        "pandas"
        in faults(Trial(changed(tmp_path, "from decimal import", "import pandas\nfrom decimal import")), "form")[
            0
        ].message
    )


def test_an_example_that_a_hidden_check_uses_is_told(tmp_path: Path) -> None:
    fault = faults(
        Trial(changed(tmp_path, "power_sizes(40, 0.5)", "power_sizes(7**4, 0.5)")), "functions have examples"
    )[0]
    assert "inputs of 'horizons at which a power is an integer'" in fault.message


def test_the_command_prints_a_short_list(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    chosen = changed(tmp_path, 'Wrong("root in floats", 3', 'Wrong("root in floats", 2')
    assert cli.main(["assignment", "try", str(chosen.path)]) == 1
    said = capsys.readouterr().out
    assert "yes  the reference gets full marks" in said
    assert "no   wrong answers get their scores" in said
    assert "the wrong answer 'root in floats' gets 3 for ada, not 2" in said


# Follow-through ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("share", "right"), [(1.0, False), (0.5, True), (0.0, False)])
def test_an_error_is_paid_for_once_and_only_where_something_was_right(share: float, right: bool) -> None:
    """Floats for decimals in question 2: the horizon that follows differs from the right one for no id, so it is made to."""
    chosen = trial("ch2_rejection").assignment
    half = next(one for one in chosen.key["q1"].wrong if one.name == "floor for ceiling")
    answers = {"q1": half.applied(chosen.text("answer", "q1"))}
    runner = Trusted(reference_cells(chosen, answers), trial("ch2_rejection").numbers("ada"))
    marks = author_checks.mark(chosen, "q3", runner, HIDDEN, SHOWN, "ada", {"q1": share})
    assert all(one.earned for one in marks) is right
    assert any("paid for once" in one.message for one in marks) is right
