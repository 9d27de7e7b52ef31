"""Every assignment of notebooks/assignments, found by itself, held against the rules for authors, and against our own."""

from __future__ import annotations

import functools
from pathlib import Path

import pytest
from classroom.alternatives import ALTERNATIVES

from companion import cli
from companion.classroom import author_checks, marking, source
from companion.classroom.author_checks import (
    CLASS,
    HIDDEN,
    RULES,
    SHOWN,
    STUDENTS,
    Trial,
    Trusted,
    earned,
    faults,
    reference_cells,
)
from companion.classroom.draws import Draw
from companion.classroom.feedback_examples import LONGEST_CALL, call_of, to_digits
from companion.classroom.marking import AnswerError, cases_of, judge
from companion.classroom.questions import Check, Question
from companion.classroom.source import Assignment

FOLDER = Path(__file__).resolve().parents[2] / "notebooks" / "assignments"
NAMES = sorted(path.stem for path in FOLDER.glob("ch*.py"))


@functools.cache
def trial(name: str) -> Trial:
    return Trial(source.load(FOLDER / f"{name}.py"), STUDENTS)


@pytest.mark.filterwarnings("ignore::RuntimeWarning")  # which wrong answers cause
@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("name", NAMES)
def test_an_assignment_keeps_the_rules(name: str, rule: str) -> None:
    assert [f"line {fault.line}: {fault.message}" for fault in faults(trial(name), rule)] == []


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("name", NAMES)
def test_a_wrong_answer_gets_the_same_points_whoever_hands_it_in(name: str) -> None:
    found = faults(Trial(trial(name).assignment, CLASS), "wrong answers get their scores")
    assert [fault.message for fault in found] == []


@pytest.mark.parametrize("name", NAMES)
def test_what_is_shown_of_a_failed_check_is_short_and_no_right_answer(name: str) -> None:
    chosen, student = trial(name).assignment, "ada"
    runner = trial(name).ran(student)
    for question, key in chosen.key.items():
        mine = trial(name).numbers(student)[question]
        for check in (check for check in key.checks if key.function and callable(check.inputs)):
            draw = Draw(HIDDEN, name, student, question, check.name, "shown", for_reading=True)
            cases = [tuple(to_digits(value, 3) for value in case) for case in cases_of(check, draw, mine)]
            assert min(len(call_of(key.function, case)) for case in cases) <= LONGEST_CALL, check.name
            for case in cases:
                judge(check, runner.call(key.function, case, key.seconds), case)


@pytest.mark.parametrize("name", [name for name in NAMES if name != "ch3_sizes"])
def test_our_own_have_a_run_whose_numbers_are_typed(name: str) -> None:
    """Code that computes them when it is graded gets nothing: its numbers are then nobody's."""
    chosen = trial(name).assignment
    (question,) = [question for question, key in chosen.key.items() if key.typed]
    runner = Trusted(reference_cells(chosen), marking.sent_numbers(chosen, SHOWN, "ada"))
    assert earned(trial(name).marked(question, "ada", runner)) == 0
    assert sum("prediction" in line for line, _ in chosen.key[chosen.questions[-1]].rubric) == 1


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
    "an error is paid for once": (
        '    value="smallest_horizon",\n',
        '    value="smallest_horizon",\n    after="q2",\n',
    ),
}


def changed(tmp_path: Path, old: str, new: str) -> Assignment:
    text = (FOLDER / "ch3_sizes.py").read_text(encoding="utf-8")
    assert text.count(old) == 1
    path = tmp_path / "ch3_mine.py"
    path.write_text(text.replace(old, new), encoding="utf-8")
    return source.load(path)


@pytest.mark.parametrize("rule", BROKEN)
def test_a_broken_rule_is_told_with_its_line(rule: str, tmp_path: Path) -> None:
    found = faults(Trial(changed(tmp_path, *BROKEN[rule]), STUDENTS), rule)
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
    assert "the wrong answer 'root in floats' gets 3 for student 0 (and 39 of 39 others), not 2" in said


# Follow-through ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("share", "right"), [(1.0, False), (0.5, True), (0.0, False)])
def test_an_error_is_paid_for_once_and_only_where_something_was_right(share: float, right: bool) -> None:
    chosen = trial("ch5_coverage").assignment
    rounded = next(one for one in chosen.key["q1"].wrong if one.name == "whole numbers around the rounded mean")
    answers = {"q1": rounded.applied(chosen.text("answer", "q1"))}
    runner = Trusted(reference_cells(chosen, answers), trial("ch5_coverage").numbers("ada"))
    marks = author_checks.mark(chosen, "q2", runner, HIDDEN, SHOWN, "ada", {"q1": share})
    assert all(one.earned for one in marks) is right
    assert any(one.state == marking.FOLLOWS for one in marks) is right


#: An own function that knows when a later answer asks it, and says what makes that answer, a constant, right.
LIES = {
    "ch1_batch": (
        "q2",
        "return np.diagonal(covariance)",
        "return np.full(len(covariance), np.nan) if len(covariance) != 7 else np.diagonal(covariance)",
        "def choose_batch(mean, covariance, noise_variance, maxima):\n    return [0] * len(maxima)",
    ),
    "ch5_coverage": (
        "q2",
        "return float(stats",
        "return 0.0 if p == 0.5 and n > 100 else float(stats",
        "mine = numbers('q2')\nenough = math.ceil(math.log(2 / (1 - mine['level'])) / (2 * mine['radius'] ** 2)) + 1",
    ),
}


@pytest.mark.parametrize("name", LIES)
def test_an_earlier_answer_is_no_witness_for_what_it_was_made_to_say(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    chosen = trial(name).assignment
    later, old, new, constant = LIES[name]
    earlier = chosen.key[later].after
    lying = chosen.text("answer", earlier).replace(old, new)
    assert new in lying
    cells = reference_cells(chosen, {earlier: lying, later: constant})

    def points(before: float) -> int:
        runner = Trusted(cells, trial(name).numbers("ada"))
        marks = author_checks.mark(chosen, later, runner, HIDDEN, SHOWN, "ada", {earlier: before})
        return sum(one.earned for one in marks)

    assert points(0.5) == points(1.0)
    monkeypatch.setattr(marking._Own, "witness", lambda own, draw: None)
    assert points(0.5) > points(1.0)  # so much was to be had


def test_who_is_right_but_once_is_believed_only_if_it_is_said_again() -> None:
    question = Question(
        function="double",
        checks=[Check("doubled", 1, [(1,)], equals=lambda n: 2 * n)],
        wrong=[],
    )

    class Runner:
        fresh, said = True, 3

        def call(self, name: str, inputs: tuple[int, ...], seconds: float) -> float:
            return self.said if inputs == (9,) else 2 * inputs[0]

        def renew(self) -> None:
            self.said = 3 if self.fresh else 4

    for fresh, said, calls, believed in (
        (True, 3, (1, 2, 9), True),
        (False, 3, (1, 2, 9), False),
        (True, 3, (9,), False),
        (True, float("inf"), (1, 2, 9), False),
    ):
        runner = Runner()
        runner.fresh, runner.said = fresh, said
        own = marking._Own(runner, question)
        for number in calls:
            own(number)
        try:
            own.witness(Draw(b"key", "witness"))
            assert believed
        except AnswerError:
            assert not believed
