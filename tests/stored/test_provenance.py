"""The state of the checkout, and versions of libraries."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from companion.stored.provenance import checkout_commit, versions


def test_torch_is_named_only_where_it_is_loaded(root: Path) -> None:

    code = "from companion.stored.provenance import versions; print('torch' in versions())"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=root)
    assert run.stdout.strip() == "False"
    assert set(versions()) >= {"python", "numpy", "scipy", "companion"}


def test_the_commit_is_known_inside_a_checkout_only(tmp_path: Path) -> None:
    assert checkout_commit(tmp_path) == ""
    environment = {**os.environ, "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull}
    person = ["-c", "user.name=nobody", "-c", "user.email=nobody@example.invalid"]
    subprocess.run(["git", "init", "-q", str(tmp_path)], check=True, env=environment)
    commit = ["git", "-C", str(tmp_path), *person, "commit", "-q", "--allow-empty", "-m", "x"]
    subprocess.run(commit, check=True, env=environment)
    name = checkout_commit(tmp_path)
    assert len(name) == 40
    for path, changed in (("data/results/batched/ledger.json", ""), ("src/companion/gp.py", " with changes")):
        (tmp_path / path).parent.mkdir(parents=True)
        (tmp_path / path).write_text("x", encoding="utf-8")
        assert checkout_commit(tmp_path) == name + changed
