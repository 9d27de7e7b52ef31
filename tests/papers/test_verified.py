"""Stored results are those of the present code: verified since the last change of meaning."""

import pytest

from companion import papers
from companion.reproduce.verify import SAME, changed, standing


@pytest.mark.parametrize("paper", papers.having("stored_runs"))
def test_the_stored_results_were_verified_with_the_present_code(paper):
    runs = papers.stored_runs(paper)
    found = standing(runs)
    assert found == SAME, f"{found}: {', '.join(changed(runs)[:10])}. Compare with: companion verify {paper}"


@pytest.mark.parametrize("paper", papers.having("stored_runs"))
def test_every_stored_table_is_compared_or_holds_times(paper):
    runs = papers.stored_runs(paper)
    times = {"clock", "steps", "timings", "times", "balls"}
    assert set(runs.keys) | times >= set(runs.tables)
    assert not set(runs.keys) & times
    tables = runs.load().tables
    for table, key in runs.keys.items():
        assert not tables[table].duplicated(list(key)).any(), f"{table}: {key} does not name a row"
