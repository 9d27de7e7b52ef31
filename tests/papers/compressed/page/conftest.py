"""The small store as a page reads it."""

import dataclasses

import pytest

from companion.papers.compressed.page import stored_runs


@pytest.fixture(scope="session")
def small(store):
    return stored_runs.load_paper_results(store)


@pytest.fixture(scope="session")
def changed():
    """The same evidence with one table replaced."""

    def change(evidence, name, frame):
        return dataclasses.replace(evidence, tables={**evidence.tables, name: frame})

    return change
