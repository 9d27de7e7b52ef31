"""``companion verify`` on a processor that has the kernels of the stored runs, which are not those of this process."""

from types import SimpleNamespace

import pytest

from companion import arithmetic
from companion.cli import main, verify_command


@pytest.fixture
def started(monkeypatch):
    """Environments of the processes that the command starts."""
    found = []

    def run(command, env, check):
        found.append(env[arithmetic.CHOICE])
        return SimpleNamespace(returncode=7)

    record = SimpleNamespace(blas=["openblas 0.3.30 Other (1 threads)"])
    stored = SimpleNamespace(paper="batched", load=lambda: SimpleNamespace(record=record))
    monkeypatch.setattr(verify_command.papers, "stored_runs", lambda paper: stored)
    monkeypatch.setattr(verify_command.arithmetic, "able", lambda kernels: kernels == "Other")
    monkeypatch.setattr(verify_command.subprocess, "run", run)
    return found


def test_stored_digits_are_compared_in_a_process_with_their_kernels(started):
    assert main(["verify", "batched"]) == 7
    assert started == ["Other"]


def test_rows_that_another_version_asks_for_are_made_with_the_kernels_of_this_process(started, monkeypatch):
    """Both sides of a comparison with an older commit have the same kernels."""
    printed = []
    monkeypatch.setattr(verify_command, "_print_rows", lambda *arguments: printed.append(arguments))
    assert main(["verify", "batched", "--print"]) == 0
    assert len(printed) == 1
    assert started == []
