"""A paper's rule is written once: the runs behind its tables and the simulated runs of its theory reach the same one."""

import pytest
from conditions import conditions, inside

from companion import registry
from companion.current.fingerprint import fingerprint
from companion.current.run_artefacts import code_of


@pytest.mark.parametrize("paper", registry.declaring("stored_runs"))
def test_theory_and_stored_runs_choose_by_one_rule(paper):
    room = f"companion.papers.{paper}"
    rules = {f"{room}.method.{rule}" for rule in conditions(paper, "RULES")}
    assert rules
    assert rules <= code_of(registry.stored_runs(paper)).definitions
    if (theory := inside(f"{room}.theory", "runs")) is not None:
        assert rules <= fingerprint(f"{theory}:play").definitions
