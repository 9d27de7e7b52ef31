"""``make paper CH=6`` makes the sets of tables that are missing or damaged, and leaves the others."""

import pytest

from companion.core.errors import ResultError
from companion.papers.across.experiments import store

WHOLE = ("gains", "trivial_lines", "bounds_at_settings", "measured_regret", "proof_steps", "widths")
SETS = (*WHOLE, "shifts", "study", "misspecified_widths", "stopping", "stopping_models", "fitted_model")


@pytest.mark.parametrize("missing", [(), ("bounds_at_settings",), ("gains", "widths"), SETS])
def test_what_is_missing_is_made_in_order(missing, monkeypatch, tmp_path):
    made = []
    for name in SETS:

        def load(root, name=name):
            assert root == tmp_path
            if name in missing:
                raise ResultError(f"{name} is not here")

        module = getattr(store, name)
        monkeypatch.setattr(module, "load", load)
        monkeypatch.setattr(module, "store", lambda root, name=name: made.append(name))
    store.store(tmp_path)
    assert tuple(made) == missing
    assert tuple(getattr(store, name) for name in WHOLE) == store.SETS
