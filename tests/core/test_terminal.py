"""Columns are below each other, and fold between words where the page is narrow."""

import pytest

from companion.core.terminal import aligned

ROWS = [("name", "what it means", "T"), ("a", "some words that do not fit", "5"), ("longer", "", "1,000")]


def test_without_a_width_nothing_folds():
    assert aligned(ROWS, right=[2]) == (
        "name    what it means                   T\n"
        "a       some words that do not fit      5\n"
        "longer                              1,000"
    )


@pytest.mark.parametrize("width", [22, 27, 35])
def test_lines_are_no_longer_than_the_page_and_no_word_is_lost(width):
    text = aligned(ROWS, right=[2], width=width)
    assert max(map(len, text.splitlines())) <= width
    assert sorted(text.split()) == sorted(" ".join(" ".join(row) for row in ROWS).split())


def test_a_page_that_is_too_narrow_breaks_no_word():
    assert "longer" in aligned(ROWS, width=3)


def test_what_takes_no_room_changes_no_width():
    shown = aligned(ROWS, shown=lambda cell: f"<{cell}>" if cell == "5" else cell)
    assert shown.replace("<5>", "5") == aligned(ROWS)
