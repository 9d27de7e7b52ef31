"""What chapter 2 says of its listings is what they give."""

from __future__ import annotations

from typing import Any

import pytest

from companion.core.files import repository_root
from companion.pages.document import COMPARED, find_pages, read_source

PAGES = find_pages(repository_root(), "compressed")


@pytest.fixture(scope="module")
def page() -> dict[str, Any]:
    """Names that the visible cells leave behind, run from the top."""
    names: dict[str, Any] = {}
    for cell in (cell for page in PAGES for cell in read_source(page.source).cells):
        if cell.cell_type == "code" and cell.metadata.tags == [COMPARED]:
            exec(cell.source, names)
    return names


def test_compression_keeps_few_points_at_almost_the_same_regret(page: dict[str, Any]) -> None:
    dense, compressed = page["runs"]["dense"], page["runs"]["compressed"]
    assert dense.model_order[-1] == len(dense)
    assert compressed.model_order[-1] < 0.25 * len(compressed)
    assert compressed.cumulative_regret[-1] < 1.1 * dense.cumulative_regret[-1]


def test_the_theorem_says_something_at_the_long_horizon_only(page: dict[str, Any]) -> None:
    (short, trivial_short), (long, trivial_long) = page["bounds"]
    assert short > trivial_short
    assert long < trivial_long


def test_the_rule_is_checked_and_its_wrong_versions_are_caught(page: dict[str, Any]) -> None:
    outcome, bites = page["outcome"], page["eq_2_12"].bites()
    assert (outcome.status, outcome.failures, outcome.slack) == ("holds", 0, 1.0)
    assert bites
    assert all(bite.caught for bite in bites)
