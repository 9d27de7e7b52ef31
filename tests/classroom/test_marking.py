"""Comparison, packing, draws and the format: what decides over points."""

from __future__ import annotations

import hashlib
import hmac
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from companion.classroom import marking, reports, source, value_encoding, worker
from companion.classroom.author_checks import Trusted, reference_cells, with_solution
from companion.classroom.draws import Draw, derive
from companion.classroom.marking import AnswerError, difference
from companion.classroom.questions import Check, Question, SourceError, Wrong

EXACT, NEAR = None, (1e-6, 0.0)


@pytest.mark.parametrize(
    ("answer", "expected", "tolerances", "same"),
    [
        ([1, 2], [1, 2], EXACT, True),
        ([1, 2], [1, 3], EXACT, False),
        ([1, 2], [1], EXACT, False),
        (7, [7], EXACT, False),
        (100.0, 100, EXACT, False),
        (True, 1, EXACT, False),
        (1, True, EXACT, False),
        ("1", 1, EXACT, False),
        (None, None, EXACT, True),
        (0, None, EXACT, False),
        (1.0 + 1e-7, 1.0, NEAR, True),
        (1.0 + 1e-5, 1.0, NEAR, False),
        (float("nan"), 1.0, NEAR, False),
        (float("nan"), float("nan"), NEAR, False),
        (float("inf"), float("inf"), NEAR, True),
        (float("inf"), 1.0, NEAR, False),
        (10**400, 1.0, NEAR, False),
        (1, 1.0, NEAR, True),
        ({"a": 1}, {"a": 1}, EXACT, True),
        ({"a": 1, "b": 2}, {"a": 1}, EXACT, False),
        ([[1.0], [2.0]], [[1.0], [2.0]], NEAR, True),
    ],
)
def test_difference(answer: Any, expected: Any, tolerances: Any, same: bool) -> None:
    assert (difference(answer, expected, tolerances) == "") is same


def test_a_message_never_says_the_expected_value() -> None:
    for answer in (1, [1], "x", None, {}, 2.5, True):
        for expected in (987654321, [987654321, 1], {"key": 987654321}, "987654321", 987654321.5):
            assert "987654321" not in difference(answer, expected, NEAR)


PLAIN = [
    None,
    True,
    3,
    2.5,
    "é",
    [1, [2, "x"]],
    {"a": [1, {"b": 2}]},
    {"array": 1, "shape": 2, "type": 3},
    {"dict": {}},
    np.arange(6.0).reshape(2, 3),
    np.array([True, False]),
    np.zeros((0, 3), dtype=int),
    float("inf"),
    10**300,
]


@pytest.mark.parametrize("value", PLAIN, ids=repr)
def test_plain_values_cross_the_border_unchanged(value: Any) -> None:
    back = value_encoding.unpack(json.loads(value_encoding.line(value_encoding.pack(value))))
    if isinstance(value, np.ndarray):
        assert back.dtype == value.dtype
        assert back.shape == value.shape
        assert np.array_equal(back, value)
    else:
        assert back == value
        assert type(back) is type(value)


def test_numbers_of_numpy_and_tuples_become_plain() -> None:
    assert value_encoding.unpack(value_encoding.pack((np.int64(3), np.float32(0.5), np.bool_(True)))) == [3, 0.5, True]
    assert type(value_encoding.pack(np.int64(3))) is int


class Tricky(int):
    pass


REFUSED = [object(), {1: 2}, {1, 2}, b"x", 1j, np.array([object()]), Tricky(1), lambda: 1, 10**5000]


@pytest.mark.parametrize("value", REFUSED, ids=lambda value: type(value).__name__)
def test_anything_else_is_refused(value: Any) -> None:
    with pytest.raises(value_encoding.NotPlainError):
        value_encoding.pack(value)


@pytest.mark.parametrize(
    "message",
    [
        {"x": 1},
        {"array": [1], "shape": [2], "type": "int64"},
        {"array": [1], "shape": [1], "type": "object"},
        {"array": ["__import__('os')"], "shape": [1], "type": "int64"},
        {"array": 7, "shape": [1], "type": "int64"},
        {"array": [1], "shape": [-1, -1], "type": "int64"},
        {"array": [2**70], "shape": [1], "type": "int64"},
    ],
)
def test_a_forged_message_is_refused(message: Any) -> None:
    with pytest.raises(value_encoding.NotPlainError):
        value_encoding.unpack(message)


# Draws ---------------------------------------------------------------------------------------------------------------


def test_a_draw_is_what_its_description_says() -> None:
    """Against HMAC-SHA256 written down a second time."""
    key = hmac.new(b"key", json.dumps(["a", "b"]).encode(), hashlib.sha256).digest()
    block = hmac.new(key, (1).to_bytes(8, "big"), hashlib.sha256).digest()
    assert derive(b"key", "a", "b") == key
    assert Draw(b"key", "a", "b").uniform() == (int.from_bytes(block, "big") >> 203) / 2**53
    assert derive(b"key", "a", "b/c") != derive(b"key", "a/b", "c")


def test_draws_are_uniform_and_in_range() -> None:
    draw = Draw(b"key", "test")
    counts = np.bincount([draw.integer(3, 7) for _ in range(5000)], minlength=8)
    assert counts[:3].sum() == 0
    assert counts[3:].min() > 850  # 1000 expected, standard deviation 28
    assert sorted(draw.shuffled(range(9))) == list(range(9))
    assert {draw.choice("ab") for _ in range(50)} == {"a", "b"}
    values = [draw.decimal(0.1, 0.3, 2) for _ in range(200)]
    assert set(values) == {round(n / 100, 2) for n in range(10, 31)}
    with pytest.raises(ValueError, match="no integer"):
        draw.integer(2, 1)


def test_a_generator_follows_from_the_key() -> None:
    first, second = (Draw(b"key", "x").generator().normal(size=3) for _ in range(2))
    assert np.array_equal(first, second)
    assert not np.array_equal(first, Draw(b"key", "y").generator().normal(size=3))


# Properties ----------------------------------------------------------------------------------------------------------


def outcome(check: Check, code: str, value: bool = False) -> str:
    question = Question(checks=[check], wrong=[], **({"value": "x"} if value else {"function": "f"}))
    try:
        marking._mark_check(check, question, Trusted([code], {}), Draw(b"k"), {})
    except AnswerError as error:
        return str(error)
    return ""


@pytest.mark.slow
def test_a_property_fails_by_false_by_raising_and_by_taking_too_long(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(marking, "SECONDS_OF_COMPARISON", 0.2)
    inputs = [(1,)]
    fine = "def f(n):\n    return n"
    assert outcome(Check("c", 1, inputs, holds=lambda answer, n: answer == n), fine) == ""
    assert outcome(Check("c", 1, inputs, holds=lambda answer, n: None), fine) == ""
    assert outcome(Check("c", 1, inputs, holds=lambda answer, n: answer != n), fine) == "the property does not hold"
    assert "form" in outcome(Check("c", 1, inputs, holds=lambda answer, n: answer["key"]), fine)
    assert outcome(Check("c", 1, inputs, holds=lambda answer, n: "yes"), fine) == "the property does not hold"

    def endless(answer: Any, n: int) -> None:
        while True:
            pass

    assert "TooLong" in outcome(Check("c", 1, inputs, holds=endless), fine)


def test_an_oracle_sees_the_inputs_as_they_were_drawn() -> None:
    check = Check("c", 1, [([3, 1, 2],)], equals=lambda items: [3, 1, 2])
    assert outcome(check, "def f(items):\n    before = list(items)\n    items.sort()\n    return before") == ""


def test_inputs_are_drawn_again_until_they_tell_an_error_from_the_right_answer(tmp_path: Path) -> None:
    text = MODEL.replace('        Check("all sizes at horizons of your own", 1, some_horizons, ', "X", 1)
    assert text != MODEL
    named = 'Check("all sizes at horizons of your own", 1, lambda draw, mine: [(draw.integer(4, 9),)], apart=["{}"], '
    for name in ("floor for ceiling", "no such answer"):
        (tmp_path / "ch3_mine.py").write_text(text.replace("X", "        " + named.format(name)), encoding="utf-8")
        chosen = source.load(tmp_path / "ch3_mine.py")
        if name == "no such answer":
            with pytest.raises(SourceError, match="no wrong answer is called 'no such answer'"):
                chosen.key  # noqa: B018 - executed when looked at
            continue
        check = chosen.key["q1"].checks[1]
        drawn = {marking.cases_of(check, Draw(b"k", str(n)), {})[0][0] for n in range(60)}
        free = {marking.cases_of(replace(check, rivals=[]), Draw(b"k", str(n)), {})[0][0] for n in range(60)}
        assert free == {4, 5, 6, 7, 8, 9}
        assert drawn
        assert drawn < free  # at the others the wrong answer is right


# The format ----------------------------------------------------------------------------------------------------------

MODEL = source.find("ch3_sizes").path.read_text(encoding="utf-8")
FAULTS = {
    "an unknown role": ('tags=["setup"]', 'tags=["begin"]', "expected one of"),
    "a question without a key": ("q1 = Question(", "q0 = Question(", "q1 = Question"),
    "a marker without its partner": ("    # END SOLUTION\n", "", "partner|END SOLUTION"),
    "no answer cell in order": ('tags=["answer", "q1"]', 'tags=["answer", "q4"]', "expected q1"),
    "a second public cell": ('tags=["numbers", "q3"]', 'tags=["public", "q3"]', "exactly one"),
    "no title": ("TITLE =", "NAME =", "TITLE"),
    "an unknown level": ('"intermediate"', '"easy"', "LEVEL"),
    "a name that is no question": ('tags=["public", "q1"]', 'tags=["public", "one"]', "q1, q2"),
    "code where text belongs": ('[markdown] tags=["question", "q1"]', 'tags=["question", "q1"]', "is markdown"),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_of_the_format_is_named(fault: str, tmp_path: Path) -> None:
    old, new, said = FAULTS[fault]
    assert old in MODEL
    path = tmp_path / "ch3_fault.py"
    path.write_text(MODEL.replace(old, new, 1), encoding="utf-8")
    with pytest.raises(SourceError, match=said):
        source.load(path).key  # noqa: B018 - executed when looked at


def test_checks_and_wrong_answers_are_held_to_their_form() -> None:
    with pytest.raises(SourceError, match="one of equals"):
        Check("c", 1, [(1,)])
    with pytest.raises(SourceError, match="positive"):
        Check("c", 0, [(1,)], equals=abs)
    with pytest.raises(SourceError, match="exactly one"):
        Question(checks=[], wrong=[], function="f", value="x")
    with pytest.raises(SourceError, match="inputs"):
        Question(checks=[Check("c", 1, equals=abs)], wrong=[], function="f")
    with pytest.raises(SourceError, match="2 times"):
        Wrong("w", 0, {"a": "b"}).applied("a a")
    with pytest.raises(SourceError, match="exactly one"):
        Wrong("w", 0).applied("a")


# The worker's view of a cell -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("cell", "expected"),
    [
        ("x = 1", "x = 1"),
        ("%matplotlib inline\nx = 1", "pass\nx = 1"),
        ("if True:\n    !ls\n", "if True:\n    pass"),
        ("files = !ls", "pass"),
        ("x = 1\nmath.isqrt?", "x = 1\npass"),
        ("len??  # what was it", "pass"),
        ('text = """\n%d of them?\n"""\n%time f()', 'text = """\n%d of them?\n"""\npass'),
        (">>> def f(x):\n...     return x\n", "def f(x):\n    return x"),
        ("    x = 1\n    y = 2", "x = 1\ny = 2"),
        ("await f()", "await f()"),
        ("x = 1 if y else", "x = 1 if y else"),
        ("x = (7\n% 4)", "x = (7\n% 4)"),
        ("%%time\nx = 1", "x = 1"),
        ("%%bash\nrm -rf /", ""),
        ("?print", "pass"),
    ],
)
def test_magics_and_shell_lines_are_left_out(cell: str, expected: str) -> None:
    assert worker.plain_python(cell) == expected


def test_the_widest_floats_are_numbers() -> None:
    assert value_encoding.pack(np.longdouble("0.5")) == 0.5
    assert value_encoding.unpack(value_encoding.pack(np.array([0.5, 2.0], dtype=np.longdouble))).tolist() == [0.5, 2.0]


def test_a_text_stands_above_the_run_that_it_speaks_of_as_typed() -> None:
    gain = source.find("ch3_gain")
    for typed, told in (
        ("{'prediction': 7, 'low': 1.5}", "It fell.\n\nmy_run = {'prediction': 7, 'low': 1.5}"),
        ("10 ** 5000", "It fell."),
    ):
        runner = Trusted([f"why = 'It fell.'\nmy_run = {typed}"], {question: {} for question in gain.questions})
        lines = marking.mark(gain, "q5", runner, b"hidden", b"shown", "ada")
        assert [line.shown for line in lines] == [told, "", ""]


@pytest.mark.parametrize("said", [marking.BY_HAND, marking.used_up(60.0), "right", "“right”, says the grader"])
def test_a_student_s_words_are_quoted_and_are_no_state(said: str) -> None:
    class Runner:
        def value(self, name: str, seconds: float) -> Any:
            raise marking.StudentError(said)

    chosen = source.find("ch3_sizes")
    (one, *_) = marking.mark(chosen, "q3", Runner(), b"hidden", b"shown", "ada")  # type: ignore[arg-type]
    assert one.state == marking.WRONG
    assert one.message[0] + one.message[-1] == "“”"
    assert one.message.count("“") == 1
    question = {"checks": [vars(one)]}
    assert not reports.waits(question)


# Notebooks as students write them --------------------------------------------------------------------------------------


def test_what_was_left_out_is_said_and_other_errors_end_a_cell() -> None:
    notebook = worker.Notebook()
    left = notebook.run("import no_such_module as n\nx = n.y\nz = x + 1\nw = 1", "<cell>")
    assert left == "left out: No module named 'no_such_module'; line 2 needs n; line 3 needs x"
    assert notebook.value("w") == 1
    for wrong in ("v = 1 / 0\nu = 2", "u = never_defined", "raise ImportError('mine')"):
        with pytest.raises((ZeroDivisionError, NameError, ImportError)):
            notebook.run(wrong, "<cell>")
    assert "u" not in notebook.space


def test_a_name_that_is_nearly_the_one_asked_for_is_taken() -> None:
    notebook = worker.Notebook()
    notebook.run("import math\ndef power_size(T, a):\n    return [T]\nother = 1", "<cell>")
    assert notebook.value("power_sizes")(3, 1) == [3]
    for name in ("smallest_horizon", "maths", "otherwise"):
        with pytest.raises(NameError, match=name):
            notebook.value(name)


# Follow-through ---------------------------------------------------------------------------------------------------------

#: What the student's own coverage says once a later answer asks it; each would make Hoeffding's number plus one right.
LIES = {
    "nothing at the first call": "0.0 if n > 100 and p == 0.5 else right(n, p, r)",
    "not a number": "float('nan') if n > 100 and p == 0.5 else right(n, p, r)",
    "below nothing": "-float('inf') if n > 100 and p == 0.5 else right(n, p, r)",
    "text": "'' if n > 100 and p == 0.5 else right(n, p, r)",
    "by a count of calls": "right(n, p, r) if next(calls) < 30 else 0.0",
    "by the clock": "right(n, p, r) if time.time_ns() // 1000 % 2 else 0.0",
    "at random": "right(n, p, r) if os.urandom(1) < b'@' else 0.0",
    "where a later answer stands": "0.0 if 'enough' in globals() else right(n, p, r)",
    "by what was asked before": "0.0 if (seen.append(n) or len(set(seen)) > 25) else right(n, p, r)",
}


@pytest.mark.parametrize("lie", LIES)
def test_a_lie_told_to_a_later_answer_earns_nothing(lie: str) -> None:
    """Nor does it where the earlier answer, without it, is worth a part of its points."""
    chosen = source.find("ch5_coverage")
    said = chosen.text("answer", "q1").replace("def coverage", "def right")
    lied = f"import itertools, math, os, time\ncalls, seen = itertools.count(), []\n{with_solution(said)}\n"
    lied += f"def coverage(n, p, r):\n    return {LIES[lie]}\n"
    answer = (
        'mine = numbers("q2")\nenough = math.ceil(math.log(2 / (1 - mine["level"])) / (2 * mine["radius"] ** 2)) + 1'
    )
    numbers = {question: marking.shown_numbers(chosen, question, b"shown", "ada") for question in chosen.questions}
    runner = Trusted(reference_cells(chosen, {"q1": lied, "q2": answer}), numbers)
    honest = marking.mark(chosen, "q2", runner, b"hidden", b"shown", "ada", {"q1": 1.0})
    found = marking.mark(chosen, "q2", runner, b"hidden", b"shown", "ada", {"q1": 0.5})
    assert sum(one.earned for one in found) == sum(one.earned for one in honest)
    assert marking.FOLLOWS not in {one.state for one in found}
