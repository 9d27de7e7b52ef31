"""What the ledger's tests and those of a paper's statements both need."""

import pickle
from functools import cache

import pytest
from entries import leads_in
from shared import made_once

from companion import registry
from companion.checks.statement import by_id
from companion.checks.suspected_error import SuspectedError
from companion.judge import method_comparison


@pytest.fixture
def few_resamples(monkeypatch):
    """Of far levels every resample says the same."""
    monkeypatch.setattr(method_comparison, "REPETITIONS", 400)


@pytest.fixture(scope="session")
def investigated(tmp_path_factory):
    """What :meth:`Lead.investigate` gives with teeth, by paper and id, made once; for several leads in ``modules``, by id."""
    investigate = SuspectedError.investigate

    @cache
    def one(paper, identifier):
        def make(folder):
            found = investigate(by_id(registry.leads(paper), identifier), paper, teeth=True)
            (folder / "found.pickle").write_bytes(pickle.dumps(found))

        folder = made_once(tmp_path_factory, f"lead-{paper}-{identifier}", make)
        return pickle.loads((folder / "found.pickle").read_bytes())

    def find(paper, identifier=None, modules=()):
        if identifier is not None:
            return one(paper, identifier)
        return {lead.id: one(paper, lead.id) for lead in leads_in(paper, *modules)}

    return find
