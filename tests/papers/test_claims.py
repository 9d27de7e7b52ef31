"""What the verdicts' page shows of every paper's claims: no interval stands beside a number that it is not of."""

from __future__ import annotations

import importlib
import math
import pkgutil
from collections.abc import Mapping, Sequence

import pytest

from companion import registry
from companion.core.files import results_folder
from companion.stored.results import load_entries


@pytest.mark.parametrize("paper", registry.declaring("verdicts"))
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


def by_module(paper: str) -> list[Mapping[str, object]]:
    """The tests of a paper's claims, module by module."""
    rooms = importlib.import_module(f"companion.papers.{paper}.experiments")
    modules = [
        importlib.import_module(f"{rooms.__name__}.{one.name}")
        for one in pkgutil.iter_modules(rooms.__path__)
        if one.name.endswith("_claims")
    ]
    return [getattr(module, name) for module in modules for name in ("TESTS", "COMPUTED") if hasattr(module, name)]


def twice(tests: Sequence[Mapping[str, object]]) -> set[str]:
    """Claims that two modules test in different ways: of two, the table of all would hold the later one."""
    return {
        claim
        for place, one in enumerate(tests)
        for other in tests[:place]
        for claim in one.keys() & other.keys()
        if one[claim] is not other[claim]
    }


@pytest.mark.parametrize("paper", registry.declaring("verdicts"))
def test_no_claim_has_two_tests(paper):
    found = by_module(paper)
    if len(found) < 2:
        pytest.skip("its tests stand in one module")
    assert not twice(found)
    claim = next(iter(found[0]))
    assert twice([*found, {claim: object()}]) == {claim}
