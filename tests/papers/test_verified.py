"""Stored results are those of the present code: verified since the last change of meaning."""

import json

import pytest

from companion import papers
from companion.files import results_folder
from companion.reproduce.hashing import VERIFIED
from companion.reproduce.verify import CHANGED, SAME, standing


def changed_definitions(runs):
    """Names of the definitions that are not as they were when the tables were verified."""
    stored = json.loads((results_folder(runs.paper) / VERIFIED).read_text(encoding="utf-8"))
    known = tuple(stored["definitions"].values())
    return sorted(
        {name.rpartition(".")[2] for name, value in runs.meaning.definitions.items() if not value.startswith(known)}
    )


@pytest.mark.parametrize("paper", papers.having("plan.store"))
def test_the_stored_results_were_verified_with_the_present_code(paper):
    runs = papers.stored_runs(paper)
    found = standing(runs)
    names = changed_definitions(runs) if found == CHANGED else []
    assert found == SAME, f"{found}: {', '.join(names[:10])}. Compare with: companion verify {paper}"


@pytest.mark.parametrize("paper", papers.having("plan.store"))
def test_every_stored_table_is_compared_or_holds_times(paper):
    runs = papers.stored_runs(paper)
    times = {"clock", "steps", "timings", "times", "balls"}
    assert set(runs.keys) | times >= set(runs.tables)
    assert not set(runs.keys) & times
    tables = runs.load().tables
    for table, key in runs.keys.items():
        assert not tables[table].duplicated(list(key)).any(), f"{table}: {key} does not name a row"
