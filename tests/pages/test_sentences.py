"""Sentences of a page: numbers by name, and facts on which their words rest."""

import math

import numpy as np
import pandas as pd
import pytest

from companion.core.errors import FindingError, ParameterError
from companion.core.parameters import ParameterSet, count
from companion.pages import Figure, Numbers, Provenance, Table, say, show
from companion.pages.chapter import check_parameters
from companion.pages.provenance import Source
from companion.pages.sentences import written_for

PLACE = Provenance((Source("make notebooks", "book", (0,), "a.study", "study(seed=0)"),))


@pytest.fixture
def elsewhere():
    """A reader's run at other parameters."""
    written_for(book=False)
    yield
    written_for(book=True)


def test_numbers_go_where_their_names_stand_and_braces_are_left_alone():
    numbers = Numbers(PLACE, share=0.25, count=8, value=0.123456, cross=33.2)
    found = say(r"[[share:.0%]] of [[ count ]], [[value]]; $T=2^{[[cross:.0f]]}$, {doc}`x` \\sum", numbers)
    assert found.markdown == r"25% of 8, 0.123; $T=2^{33}$, {doc}`x` \\sum"
    assert found.where == PLACE


@pytest.mark.parametrize(
    ("value", "text"),
    [([], ""), ([0.5], "0.5"), ((0.5, 1), "0.5 and 1"), (np.array([0.1, 0.2, 0.3]), "0.1, 0.2 and 0.3"), (["a"], "a")],
)
def test_a_list_is_written_with_commas_and_an_and(value, text):
    template = "[[x:g]]" if len(value) > 1 else "[[x]]"
    assert say(template, Numbers(x=value)).markdown == text.replace("0.5", "0.5" if len(value) != 1 else "0.500")


@pytest.mark.parametrize(
    ("template", "value", "text"),
    [
        ("at least [[x:.1f]]", 3.371, "at least 3.3"),
        ("at least [[x:.1f]]", 3.42, "at least 3.4"),
        ("[[x:.0f]] or less", 75.37, "76 or less"),
        ("at most [[x:.0%]]", 0.1833, "at most 19%"),
        ("at most [[x:.0%]]", 0.18, "at most 18%"),
        ("up to × [[x:.2g]]", 13.14, "up to × 14"),
        ("up to × **[[x:.2g]]**", 134.0, "up to × **1.4e+02**"),
        ("no more than [[x]]", 0.12345, "no more than 0.124"),
        ("exclude a rise of more than [[x:.0%]]", 0.156, "exclude a rise of more than 16%"),
        ("at least [[x:.1f]]", -3.42, "at least -3.5"),
        ("at least [[x:.0%]]", 0.1 + 0.2 - 1e-17, "at least 30%"),
        ("[[x:.1f]] times or more", 2.96, "2.9 times or more"),
        ("more, at least here: [[x:.1f]]", 3.371, "more, at least here: 3.4"),
        ("at least [[x:.1f]] to [[x:.1f]]", 3.371, "at least 3.3 to 3.4"),
        ("at least [[x]] of", 7, "at least 7 of"),
        ("at least [[x]]", float("inf"), "at least ∞"),
    ],
)
def test_what_is_rounded_stays_on_the_side_that_its_words_say(template, value, text):
    assert str(say(template, {"x": value})) == text


def test_a_name_without_a_number_is_named():
    with pytest.raises(ParameterError, match=r"(?s)'lwo'.*one of: low"):
        say("[[lwo]]", Numbers(low=1))
    with pytest.raises(AttributeError, match="lwo"):
        _ = Numbers(low=1).lwo


def test_a_name_that_a_dictionary_has_is_refused():
    with pytest.raises(ParameterError, match="clear, items"):
        Numbers(items=1, clear=2, low=3)


def test_numbers_of_two_studies_are_put_together_with_their_sources():
    other = Provenance((Source("make notebooks", "book", (1,), "a.other", "other(seed=1)"),))
    both = Numbers(PLACE, x=1) | Numbers(other, y=2)
    assert (both.x, both.y, both.where) == (1, 2, PLACE + other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (20, 275600),
        (1.0, math.nan),
        (np.array([1.0, 1.0]), 1.0),
        (np.array([1.0, 2.0]), np.array([1.0, 2.0, 3.0])),
        ([1, [2, 3]], [1, [2, 4]]),
        ({"a": 1}, {"a": 2}),
        (pd.Series([1, 2]), pd.Series([1, 3])),
        (pd.DataFrame({"x": [1]}), pd.DataFrame({"x": [2]})),
        ("Bird", ["Bird"]),
    ],
)
def test_a_name_that_stands_for_two_values_is_refused(one, other):
    expected = r"(?s)numbers\['runs'\]: is .* and .*another name"
    first, second = Numbers(PLACE, runs=one), Numbers(runs=other)
    merges = [lambda: first | second, lambda: first | {"runs": other}, lambda: {"runs": one} | second]
    for merge in merges:
        with pytest.raises(ParameterError, match=expected):
            merge()
    with pytest.raises(ParameterError, match=expected):
        first |= second


def test_a_figure_and_its_caption_mean_the_same_by_a_name():
    drawn = Figure(lambda canvas, palette: None, numbers={"runs": 20})
    assert show(drawn, "[[runs]] runs.", {"runs": 20}, alt="Alt.").numbers == {"runs": 20}
    with pytest.raises(ParameterError, match="20 and 275600"):
        show(drawn, "[[runs]] runs.", {"runs": 275600}, alt="Alt.")


def test_both_values_are_in_the_message_and_long_ones_are_cut():
    with pytest.raises(ParameterError, match=r"is 20 and 275600; expected one value"):
        _ = Numbers(runs=20) | Numbers(runs=275600)
    with pytest.raises(ParameterError) as found:
        _ = Numbers(rows=list(range(10_000))) | Numbers(rows=[])
    assert len(str(found.value)) < 400


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (1, 1.0),
        (math.nan, np.float64("nan")),
        (np.array([1.0, math.nan]), [1.0, math.nan]),
        ({"a": (1, math.nan)}, {"a": [1, math.nan]}),
        (pd.Series([1, 2]), np.array([1, 2])),
        (pd.DataFrame({"x": [1]}), pd.DataFrame({"x": [1]})),
        (np.True_, True),
        (None, None),
    ],
)
def test_two_studies_may_tell_the_same_number(one, other):
    both = Numbers(x=one) | Numbers(PLACE, x=other)
    both |= {"y": 2}
    assert (list(both), both.where, both.y) == (["x", "y"], PLACE, 2)
    assert ({"x": one, "z": 3} | both).where == PLACE


def test_a_sentence_that_is_no_longer_true_stops_the_book():
    assert say("It holds.", true_if={"no run exceeds it": True}).markdown == "It holds."
    with pytest.raises(FindingError):
        say("It holds.", true_if={"there are runs": True, "no run exceeds it": False})
    with pytest.raises(FindingError):
        say("It holds.", true_if=np.False_)


@pytest.mark.usefixtures("elsewhere")
def test_elsewhere_it_is_marked_and_the_run_goes_on():
    text = say("- It holds.\n- So it does.", true_if={"no run exceeds it": False}).markdown
    assert text.splitlines() == [
        "> **Written for the book’s settings.** At these it is not so: no run exceeds it.",
        ">",
        "> - It holds.",
        "> - So it does.",
    ]
    found = show(Figure(lambda canvas, palette: None), "Caption.", alt="Alt.", true_if=False)
    assert found.caption == "<strong>Written for the book’s settings.</strong> At these it does not hold. Caption."
    assert found.alt == "Written for the book’s settings. At these it does not hold. Alt."


def test_a_figure_and_a_table_take_their_words_from_the_page():
    frame = pd.DataFrame({"x": [1]})
    words = show(Table(frame), "The [[n]]\n  rows.", Numbers(PLACE, n=3))
    assert (words.caption, words.where) == ("The 3 rows.", PLACE)
    figure = show(Figure(lambda canvas, palette: None), "[[n]] lines.", Numbers(PLACE, n=2), alt="The [[n]].")
    assert (figure.caption, figure.alt, figure.where) == ("2 lines.", "The 2.", PLACE)


@pytest.mark.parametrize("shown", [Figure(lambda canvas, palette: None, alt="A"), Table(pd.DataFrame())])
def test_nothing_is_shown_without_words(shown):
    with pytest.raises(ParameterError, match="caption"):
        shown._repr_html_()


def test_other_parameters_than_the_books_are_noticed():
    declared = ParameterSet((count("runs", 3, 1, 9),))
    try:
        check_parameters(declared, {"runs": 4})
        assert say("x", true_if=False).markdown.startswith("> ")
        check_parameters(declared, {"runs": 3})
        with pytest.raises(FindingError):
            say("x", true_if=False)
    finally:
        written_for(book=True)
