"""What chapter 2 says of its listings is what they give."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from companion.core.files import repository_root
from companion.information import gain_bracket
from companion.pages.document import COMPARED, find_pages, read_source
from companion.papers.compressed.page import picture
from companion.papers.compressed.theory.bounds import finite_beta, theorem_32
from companion.problems.running_example import running_function

PAGES = find_pages(repository_root(), "compressed")


@pytest.fixture(scope="module")
def page() -> dict[str, Any]:
    """Names that the visible cells and the parameters leave behind, run from the top."""
    names: dict[str, Any] = {}
    for cell in (cell for page in PAGES for cell in read_source(page.source).cells):
        if cell.cell_type == "code" and (cell.metadata.tags == [COMPARED] or "parameters" in cell.metadata.tags):
            exec(cell.source, names)
    return names


def test_compression_keeps_few_points_at_less_regret_and_a_large_budget_gets_stuck(page: dict[str, Any]) -> None:
    """The listing's runs are those of the package, and so is its function."""
    np.testing.assert_allclose(page["f"], running_function()[2], atol=1e-6)
    everything, small, stuck = page["runs"].values()
    best, f = page["f"].max(), page["f"]
    lost = [float(np.sum(best - f[chosen])) for chosen, _ in (everything, small, stuck)]
    assert everything[1].all()
    assert small[1].mean() < 0.25
    assert lost[1] < lost[0] < lost[2] / 10
    for u, (chosen, kept) in ((None, everything), (page["T"] ** -0.5, small), (math.expm1(2.0), stuck)):
        run, policy = picture.play(u, 0)
        assert chosen.tolist() == run.query.tolist()
        assert kept.sum() == policy.model_order


def test_the_theorem_written_out_is_the_packages_with_nearly_the_largest_gain(page: dict[str, Any]) -> None:
    for rounds in (300, 20_000):
        upper = gain_bracket(page["K"], rounds, noise_variance=0.1).upper
        gain = page["gain"][rounds - 1]
        assert 0.995 * upper < gain < upper
        ours = theorem_32(rounds, float(finite_beta(rounds, 101, 0.1)), 0.1, gain, 0.5)
        assert page["theorem"][rounds - 1] == pytest.approx(float(ours))
    below = page["theorem"] < page["trivial"]
    assert not below[299]
    assert below[-1]


def test_the_rule_is_checked_and_its_wrong_versions_are_caught(page: dict[str, Any]) -> None:
    outcome, bites = page["outcome"], page["eq_2_12"].bites()
    assert (outcome.status, outcome.failures, outcome.slack) == ("holds", 0, 1.0)
    assert bites
    assert all(bite.caught for bite in bites)
