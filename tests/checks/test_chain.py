import math

import pytest

from companion.checks.chain import Chain, Step
from companion.core.errors import ParameterError


def chain(*values):
    names = "abcdefgh"
    return Chain("test", tuple(Step(names[i], v, "x", "because", f"s-{i}") for i, v in enumerate(values)))


def test_ratios_multiply_to_the_slack():
    links = chain(2.0, 3.0, 12.0)
    assert links.ratios() == (1.5, 4.0)
    assert links.slack == math.prod(links.ratios()) == 6.0
    assert links.holds
    assert links.violations() == ()
    assert chain(0.0, 0.0, 1.0).ratios() == (1.0, math.inf)


def test_a_broken_inequality_is_named():
    links = chain(1.0, 5.0, 4.0, 9.0)
    (found,) = links.violations()
    assert (found.smaller.name, found.larger.name) == ("b", "c")
    assert found.excess == 1.25
    assert str(found) == "b = 5 > c = 4 [s-2]"
    assert not links.holds


def test_rounding_is_not_a_violation_but_more_is():
    assert chain(1.0 + 1e-12, 1.0).holds
    assert not chain(1.0 + 1e-6, 1.0).holds


def test_a_wrong_constant_is_noticed():
    links = chain(1.0, 1.5, 3.5)
    assert not links.scaled("b", 0.5).holds
    assert links.scaled("b", 2.0).holds
    assert links["b"].value == 1.5  # the original is unchanged
    with pytest.raises(ParameterError, match="name"):
        links.scaled("z", 0.5)


def test_rows_carry_everything_a_table_needs():
    first, second = chain(2.0, 3.0).rows()
    assert (first["step"], first["name"], first["ratio"]) == (0, "a", None)
    assert second == {
        "step": 1,
        "name": "b",
        "value": 3.0,
        "ratio": 1.5,
        "statement": "s-1",
        "latex": "x",
        "reason": "because",
    }


@pytest.mark.parametrize("value", [math.nan, math.inf, -1.0])
def test_values_must_be_numbers_of_at_least_zero(value):
    with pytest.raises(ParameterError, match="a:"):
        chain(value, 1.0)


def test_a_chain_needs_two_distinct_steps():
    step = Step("a", 1.0, "x", "because")
    with pytest.raises(ParameterError, match="steps"):
        Chain("short", (step,))
    with pytest.raises(ParameterError, match="twice"):
        Chain("double", (step, step))
