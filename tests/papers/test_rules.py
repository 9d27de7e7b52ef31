"""A paper's rule is written once: the runs behind its tables and the simulated runs of its theory reach the same one."""

import pytest

from companion import papers
from companion.reproduce.meaning import meaning

#: What decides where to evaluate next, or how good a choice is, in ``method/``.
RULES = {
    "batched": ("policy.BPE", "policy.RobustBPE"),
    "compressed": ("policy.scores", "admission.Admission"),
    "meanfield": ("acquisition.optimistic", "acquisition.averaged"),
    "tsrsr": ("rules.regret_to_sigma", "rules.least_ratio"),
    "wdrbo": ("acquisitions.penalised", "inner.wasserstein"),
}


@pytest.mark.parametrize("paper", RULES)
def test_theory_and_stored_runs_choose_by_one_rule(paper):
    room = f"companion.papers.{paper}"
    theory, stored = meaning(f"{room}.theory.runs:play").definitions, papers.stored_runs(paper).meaning.definitions
    for rule in RULES[paper]:
        assert f"{room}.method.{rule}" in theory
        assert f"{room}.method.{rule}" in stored
