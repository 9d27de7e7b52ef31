"""The machinery of the ledger: a statement that is wrong must not come out as one that holds."""

from __future__ import annotations

import dataclasses
import importlib
import math
import sys
from types import ModuleType

import numpy as np
import pytest
from scipy import stats

from companion.checks import cases as c
from companion.checks import statement as s
from companion.checks.inventory import collect, read
from companion.core.errors import AssumptionError, CompanionError, ParameterError


def square(instance, *, factor=1.0, power=2):
    """``x^2 <= x^power factor`` for the x of the instance."""
    return [c.at_most(x**2, factor * abs(x) ** power, f"x={x}") for x in instance]


def make(**changes):
    values = {
        "id": "lemma-0",
        "title": "squares",
        "location": "nowhere",
        "kind": "inequality",
        "latex": "$x^2\\le x^2$",
        "instances": lambda: [(1.0, 2.0), (3.0,)],
        "evaluate": square,
        "teeth": (s.Tooth("half", {"factor": 0.5}),),
    }
    return s.Statement(**(values | changes))


def test_a_true_statement_holds_and_its_tooth_bites():
    outcome = make().judge()
    assert (outcome.status, outcome.trials, outcome.failures, outcome.slack) == (s.HOLDS, 3, 0, 1.0)
    assert [(bite.name, bite.caught) for bite in make().bites()] == [("half", True)]


def test_a_tooth_that_does_not_bite_is_reported_as_not_caught():
    blunt = make(teeth=(s.Tooth("double", {"factor": 2.0}),))
    assert [bite.caught for bite in blunt.bites()] == [False]


def test_a_false_statement_fails_and_names_its_worst_case():
    outcome = make(evaluate=lambda x, factor=0.5: square(x, factor=factor, power=1)).judge()
    assert (outcome.status, outcome.failures) == (s.FAILS, 3)
    assert outcome.where == "x=3.0"
    assert outcome.slack == pytest.approx(1 / 6)
    assert "x=3.0" in outcome.reason


@pytest.mark.parametrize(("constant", "status"), [(True, s.CORRECTED), (False, s.FAILS)])
def test_a_correction_that_works_is_told_from_one_that_does_not(constant, status):
    wrong = {"evaluate": lambda x, factor=0.5: square(x, factor=factor)}
    works = make(
        **wrong, correction=s.Correction("with 1", {"factor": 1.0}, constant), teeth=(s.Tooth("0.9", {"factor": 0.9}),)
    )
    assert works.judge().status == status
    assert "holds so: with 1" in works.judge().reason
    assert [bite.caught for bite in works.bites()] == [True]
    idle = make(**wrong, correction=s.Correction("with 0.7", {"factor": 0.7}, constant))
    assert idle.judge().status == s.FAILS
    assert "holds so" not in idle.judge().reason


def test_a_correction_has_to_repair_every_case():
    """x^2 <= 0.5 |x| fails at 1, 2 and 3; with the factor 2 it holds at 1 and 2, and still fails at 3."""

    def linear(x, factor=0.5):
        return square(x, factor=factor, power=1)

    for factor, status in ((2.0, s.FAILS), (3.0, s.CORRECTED)):
        half = make(evaluate=linear, correction=s.Correction(f"with {factor:g}", {"factor": factor}))
        assert half.judge().status == status


def test_teeth_bite_the_corrected_version_and_not_the_failing_one():
    wrong = make(
        evaluate=lambda x, factor=0.5, extra=1.0: square(x, factor=factor * extra),
        correction=s.Correction("with 1", {"factor": 1.0}),
        teeth=(s.Tooth("harmless", {"extra": 1.0}),),
    )
    assert [bite.caught for bite in wrong.bites()] == [False]


def test_an_instance_outside_the_assumptions_is_refused_before_it_is_evaluated():
    def never(instance):
        raise RuntimeError("evaluated")

    positive = s.Assumption("$x>0$", lambda x: min(x) > 0, violated_by=(-1.0,))
    guarded = make(assumptions=(positive,), evaluate=never)
    with pytest.raises(AssumptionError, match=r"\$x>0\$"):
        guarded.cases((-1.0,))
    with pytest.raises(RuntimeError, match="evaluated"):
        guarded.cases((1.0,))


def test_a_check_without_instances_is_an_error_and_not_a_pass():
    with pytest.raises(CompanionError, match="nothing"):
        make(instances=list).judge()


def test_a_side_that_is_not_a_number_is_an_error_and_not_a_pass():
    with pytest.raises(CompanionError, match="not a number"):
        c.at_most(math.nan, 1.0, "x")


def test_entries_without_teeth_or_reason_are_refused():
    with pytest.raises(ParameterError, match="tooth"):
        make(teeth=())
    with pytest.raises(ParameterError, match="reason"):
        make(kind="not-checkable", instances=None, evaluate=None, teeth=())
    with pytest.raises(ParameterError, match="kind"):
        make(kind="lemma")
    with pytest.raises(ParameterError, match="distinct"):
        make(teeth=(s.Tooth("a", {"factor": 0.5}), s.Tooth("a", {"factor": 0.4})))


def test_what_is_not_checkable_says_why():
    silent = make(kind="not-checkable", instances=None, evaluate=None, teeth=(), reason="no constants")
    assert silent.judge() == s.Outcome(s.NOT_CHECKABLE, "no constants")
    with pytest.raises(ParameterError, match="no constants"):
        silent.cases((1.0,))


@pytest.mark.slow
@pytest.mark.parametrize("delta", [0.02, 0.1, 0.2, 0.4])
def test_the_test_size_and_power_are_what_they_promise(delta):
    trials = c.trials_needed(delta)
    counts = np.arange(trials + 1)
    rejected = np.array([c.rejects(int(k), trials, delta) for k in counts])
    assert stats.binom.pmf(counts, trials, delta)[rejected].sum() < c.REJECTION_LEVEL
    power = stats.binom.pmf(counts, trials, 2 * delta)[rejected].sum()
    assert power >= c.REJECTION_POWER
    assert c.rejection_power(trials, delta) == pytest.approx(power)


def test_too_few_trials_are_refused_rather_than_passed():
    with pytest.raises(ParameterError, match="twice too high"):
        c.probability(0, 50, 0.1, "few")
    assert not c.probability(30, 50, 0.1, "few, but enough to refute").holds


def test_a_rate_twice_too_high_fails_and_a_lower_one_holds():
    assert not c.probability(100, 500, 0.1, "twice").holds
    low = c.probability(50, 500, 0.1, "at the limit")
    assert low.holds
    assert (low.trials, low.failures, low.delta) == (500, 50, 0.1)


@pytest.mark.parametrize(
    ("low", "high", "side", "holds"),
    [
        (0.4, 0.6, "at most", True),
        (0.51, 0.6, "at most", False),
        (0.51, 0.6, "at least", True),
        (0.3, 0.49, "at least", False),
        (0.4, 0.6, "equal", True),
        (0.51, 0.6, "equal", False),
        (0.3, 0.49, "equal", False),
    ],
)
def test_exponents_are_judged_by_the_end_of_the_interval_that_can_refute_them(low, high, side, holds):
    case = c.exponent(low, high, 0.5, "fit", side)
    assert case.holds is holds
    assert (case.lhs <= case.rhs) is holds or side == "equal"


@pytest.mark.parametrize("compare", [c.at_most, c.equal])
def test_an_infinite_side_is_not_forgiven(compare):
    assert not compare(math.inf, 1.0, "x").holds
    assert compare(math.inf, math.inf, "x").holds
    assert compare(-math.inf, 1.0, "x").holds == (compare is c.at_most)


def test_equality_is_two_sided_and_zero_needs_zero():
    assert c.equal(1.0, 1.0 + 1e-12, "x").holds
    assert not c.equal(1.0, 1.1, "x").holds
    assert not c.equal(1.1, 1.0, "x").holds
    assert not c.at_most(1e-300, 0.0, "x").holds
    assert c.none_of(0, 5, "x").holds
    assert not c.none_of(1, 5, "x").holds


def test_slack_of_zero_sides_is_defined():
    assert dataclasses.replace(c.at_most(0.0, 2.0, "x")).slack == math.inf
    assert c.at_most(0.0, 0.0, "x").slack == 1.0


def test_an_unknown_id_names_the_nearest():
    with pytest.raises(ParameterError, match="lemma-0"):
        s.by_id([make()], "lemma-O")


# -- the package's function, and fitted exponents ----------------------------------------------------------------------


@pytest.mark.parametrize(("given", "holds"), [(2.0, True), (2.0 + 1e-12, True), (2.0 + 1e-6, False), (-2.0, False)])
def test_agreement_with_a_typed_formula_is_two_sided(given, holds):
    assert c.agrees(given, 2.0, "two").holds is holds


def test_an_agreement_is_not_the_tightest_case():
    found = make(evaluate=lambda x: [c.agrees(1.0, 1.0 + 1e-15, "same"), c.at_most(1.0, 1.1, "near")])
    assert found.judge().where == "near"


@pytest.mark.parametrize(("low", "named"), [(0.4, True), (0.5, False)])
def test_an_interval_of_a_fit_is_called_misfit(low, named):
    fitted = make(evaluate=lambda x: c.exponent(low, 0.5, 0.6, "growth"), note="A note.")
    assert (s.MISFIT in fitted.judge().reason) is named
    assert ".." not in fitted.judge().reason


# -- instances of several kinds ----------------------------------------------------------------------------------------


def with_words():
    """Squares of numbers, and words that are to be shorter than five letters."""
    needs = s.Assumption("at least one number", lambda numbers: len(numbers) > 0, ())
    entry = make(
        instances=lambda: [(1.0, 2.0), "four"],
        assumptions=(needs,),
        teeth=(s.Tooth("half", {"factor": 0.5}), s.Tooth("three letters", {"most": 3})),
    )

    @entry.on(str)
    def words(word, *, most=4):
        return c.at_most(len(word), most, word)

    return entry


def test_every_kind_of_instance_has_its_own_check_and_constants():
    entry = with_words()
    assert entry.judge().trials == 3
    assert [(bite.name, bite.caught) for bite in entry.bites()] == [("half", True), ("three letters", True)]
    assert not entry("seven").holds
    assert entry("seven", most=5, factor=0.5).holds
    with pytest.raises(TypeError, match="longest"):
        entry("four", longest=5)


def test_an_assumption_is_asked_of_the_kind_of_instance_that_violates_it():
    entry = with_words()
    entry.require("")
    with pytest.raises(AssumptionError):
        entry.require(())


def test_an_assumption_on_a_kind_with_its_own_check_is_not_asked_of_the_others(tmp_path, monkeypatch):
    lower = s.Assumption("lower case", lambda word: word.islower(), "Four")
    module, inventory = ModuleType("of_a_test"), tmp_path / "inventory.csv"
    module.entry = dataclasses.replace(with_words(), assumptions=(lower,))
    monkeypatch.setitem(sys.modules, "of_a_test", module)
    inventory.write_text(
        f"id,title,location,anchor,role,numbered\n{module.entry.id},squares and words,Section 1,,claim,no\n"
    )
    (found,) = collect(module, s.Statement, inventory)
    found.require((1.0,))
    with pytest.raises(AssumptionError, match="lower case"):
        found.require("Four")
    assert found.judge().trials == 3


DECLARED = """
from companion.checks.statement import Statement

def named(identifier):
    return Statement(identifier, "not-checkable", "", reason="a definition")
"""


@pytest.fixture
def room(tmp_path, monkeypatch):
    """A room of checks in four modules, one of which puts its ids together and one of which cannot be imported."""
    folder = tmp_path / "planted_room"
    folder.mkdir()
    (folder / "__init__.py").write_text(DECLARED)
    (folder / "first.py").write_text('from planted_room import named\nONE = named("lemma-1")\n')
    (folder / "second.py").write_text('from planted_room import named\nTWO = named(\n    "lemma-10"\n)\n')
    (folder / "third.py").write_text('from planted_room import named\nTHREE = tuple(named(f"row-{n}") for n in "ab")\n')
    inventory = tmp_path / "inventory.csv"
    rows = (f"{name},a title,Section 1,,definition,no\n" for name in ("row-b", "lemma-1", "lemma-10", "row-a"))
    inventory.write_text("id,title,location,anchor,role,numbered\n" + "".join(rows))
    monkeypatch.syspath_prepend(tmp_path)
    package = importlib.import_module("planted_room")
    yield lambda *only: collect(package, s.Statement, inventory, only or None), folder
    for name in [name for name in sys.modules if name.startswith("planted_room")]:
        del sys.modules[name]


def loaded():
    return {name.removeprefix("planted_room.") for name in sys.modules if name.startswith("planted_room.")}


def test_an_entry_is_found_by_the_module_that_declares_it_alone(room):
    entries, folder = room
    (folder / "broken.py").write_text("raise RuntimeError('imported for nothing')\n")
    assert [(one.id, one.title, one.declared) for one in entries("lemma-10")] == [
        ("lemma-10", "a title", "planted_room.second:TWO")
    ]
    assert loaded() == {"second"}
    assert [one.id for one in entries("lemma-10", "lemma-1")] == ["lemma-10", "lemma-1"]
    assert loaded() == {"first", "second"}
    with pytest.raises(RuntimeError, match="for nothing"):
        entries()


def test_an_id_that_is_put_together_is_found_too(room):
    entries, folder = room
    assert [one.id for one in entries("row-a")] == ["row-a"]
    assert loaded() == {"first", "second", "third"}
    assert [one.id for one in entries()] == ["row-b", "lemma-1", "lemma-10", "row-a"]
    (folder / "first.py").write_text("")
    del sys.modules["planted_room.first"]
    with pytest.raises(CompanionError, match="lists lemma-1, which no module"):
        entries("lemma-1")


def test_an_unknown_id_is_answered_by_the_nearest_before_anything_is_imported(room):
    entries, _ = room
    with pytest.raises(ParameterError, match="Did you mean 'lemma-1'"):
        entries("lemma-11")
    assert loaded() == set()


@pytest.mark.parametrize("row", ["a,b,c,d,e", "a,b,c,d,e,f,g"])
def test_a_row_of_an_inventory_that_is_too_short_or_too_long_is_refused(tmp_path, row):
    path = tmp_path / "inventory.csv"
    path.write_text(f"id,title,location,anchor,role,numbered\nok,squares,Section 1,,claim,no\n{row}\n")
    with pytest.raises(CompanionError, match="line 3: has not the 6 fields"):
        read(path, s.Statement)


def test_the_worst_of_many_comparisons_is_the_failing_one():
    case = c.worst_of([(1.0, 2.0, "loose"), (3.0, 2.5, "broken"), (1.0, 1.0, "tight")])
    assert (case.where, case.holds, case.trials, case.failures) == ("broken", False, 3, 1)
    assert c.worst_of([(1.0, 2.0, "loose"), (1.0, 1.5, "tighter")]).where == "tighter"


def test_the_worst_comparison_is_the_case_that_it_would_be_alone():
    sides = [(1.0, 1.0 - 1e-10, "rounding"), (0.0, 0.0, "zero"), (-1.0, math.inf, "infinite"), (2.0, 2.0, "equal")]
    case = c.worst_of(sides)  # a right side that is smaller by rounding is the least of all and holds
    assert dataclasses.replace(case, trials=1) == c.at_most(*sides[0])
    assert c.worst_of(sides[1:]).where == "zero", "the first of equals"
    sides.append((3.0, 1.0, "broken"))
    for at in range(6):
        unknown = [*sides[:at], (1.0, math.nan, "unknown"), *sides[at:]]
        with pytest.raises(CompanionError, match=r"^unknown:"):
            c.worst_of(unknown)
    with pytest.raises(ParameterError, match="comparisons"):
        c.worst_of([])
