"""``make paper CH=6`` makes the sets of tables that are missing or damaged, in order; a command those that it names."""

from dataclasses import replace

import pytest

from companion.core.errors import ParameterError, ResultError
from companion.papers.across.experiments import store

ORDER = ("gains", "lines", "sayings", "measured", "steps", "widths", "shifts", "study", "misspecified", "stopping")


@pytest.fixture
def made(monkeypatch):
    """Names of sets, as they are made; all of them are missing."""
    found = []

    def missing(runs, root):
        raise ResultError(f"{runs.name} is not here")

    monkeypatch.setattr(store.PaperRuns, "load", missing)
    monkeypatch.setattr(store.PaperRuns, "store", lambda runs, root=None: found.append(runs.name))
    monkeypatch.setattr(store.widths, "store", lambda root=None: found.append("widths"))
    return found


def test_what_is_missing_is_made_in_order(made, monkeypatch, tmp_path):
    store.store(tmp_path)
    assert made == [runs.name for runs in store.SETS]
    assert tuple(made[: len(ORDER)]) == ORDER
    made.clear()
    there = replace(store.SETS[0])
    monkeypatch.setattr(store.PaperRuns, "load", lambda runs, root: there)
    store.store(tmp_path)
    assert made == []


def test_named_sets_are_made_in_any_case(made, monkeypatch):
    monkeypatch.setattr(store.PaperRuns, "load", lambda runs, root: None)
    store.store(names=["widths", "gains"])
    assert made == ["widths", "gains"]
    with pytest.raises(ParameterError, match="name: got 'gain'"):
        store.store(names=["gain"])
