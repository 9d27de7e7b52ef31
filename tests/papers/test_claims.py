"""What the verdicts' page shows of every paper's claims: no interval stands beside a number that it is not of."""

from __future__ import annotations

import math

import pytest

from companion import papers
from companion.core.files import results_folder
from companion.reproduce.stored import load_entries


@pytest.mark.parametrize("paper", papers.having("verdicts"))
def test_an_interval_that_leaves_out_our_number_says_what_it_is_of(root, paper):
    stored = load_entries(results_folder(paper, root), "verdicts", "").entries
    claims = [entry for entry in stored if entry["kind"] == "claim"]
    assert claims
    if not all("interval_of" in entry for entry in claims):
        pytest.skip("stored before claims named their intervals: make evidence")
    for entry in claims:
        ours, ends = entry["reproduced"]["mean"], entry["difference"]["ci95"]
        if ours is None or ends is None:
            continue
        low, high = (-math.inf if ends[0] is None else ends[0]), (math.inf if ends[1] is None else ends[1])
        assert entry["interval_of"] or low <= ours <= high, entry["cell"]
