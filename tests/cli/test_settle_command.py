"""``companion settle``: what the pages and workers that it starts are given."""

import os

from companion.cli import main
from companion.current.settle import Report


def test_results_are_made_on_one_thread_as_make_has_it_unless_the_user_says_otherwise(monkeypatch):
    threads = []
    for place in (
        "current.run_artefacts.RunSets",
        "judge.evidence_artefacts.EvidenceFiles",
        "pages.page_artefacts.Pages",
    ):
        monkeypatch.setattr(f"companion.{place}", lambda root, **options: None)
    monkeypatch.setattr(
        "companion.current.settle.settle",
        lambda *args, **options: threads.append(os.environ["OMP_NUM_THREADS"]) or Report(),
    )
    monkeypatch.setenv("OMP_NUM_THREADS", "9")  # so that it is put back
    monkeypatch.delenv("OMP_NUM_THREADS")
    assert main(["settle", "--json"]) == 0
    monkeypatch.setenv("OMP_NUM_THREADS", "3")
    assert main(["settle", "--json"]) == 0
    assert threads == ["1", "3"]
