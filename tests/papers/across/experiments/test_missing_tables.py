"""``make paper CH=6`` makes the sets of tables that are missing or damaged, and leaves the others."""

import pytest

from companion.core.errors import ResultError
from companion.papers.across.experiments import tables

WHOLE = ("gains", "lines", "sayings", "measured", "steps", "stored")
SETS = (*WHOLE, "shifts", "study", "misspecified", "stopping", "models", "shipped")


@pytest.mark.parametrize("missing", [(), ("sayings",), ("gains", "stored"), SETS])
def test_what_is_missing_is_made_in_order(missing, monkeypatch, tmp_path):
    made = []
    for name in SETS:

        def load(root, name=name):
            assert root == tmp_path
            if name in missing:
                raise ResultError(f"{name} is not here")

        module = getattr(tables, name)
        monkeypatch.setattr(module, "load", load)
        monkeypatch.setattr(module, "store", lambda root, name=name: made.append(name))
    tables.store(tmp_path)
    assert tuple(made) == missing
    assert tuple(getattr(tables, name) for name in WHOLE) == tables.SETS
