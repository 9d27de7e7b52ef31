"""Generated bad calls: one line that names the argument and what is allowed, nothing written, soon, in little memory."""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pytest
from cli.bad_calls import KINDS, bad_gain, bad_profiles, calls, faults_of, unknown_method
from generated import drawn
from hypothesis import given

import companion.judge.evidence
from companion import registry
from companion.cli import LONGEST, main
from companion.core.errors import ParameterError
from companion.core.profile_files import load_profile
from companion.simulate.experiment import Experiment

#: Calls of each kind.
EXAMPLES = 18
#: Of processor time a call, and of memory all calls together, beside what loading the papers takes.
SECONDS, BYTES = 20.0, 300_000_000


def _began(*_args, **_more):
    raise AssertionError("work began on a bad call")


@pytest.fixture(scope="module")
def loaded(root):
    """All papers, so that no call pays for them; in the end what the repository stores has to be as it was."""
    for slug in registry.slugs():
        registry.chapter_parameters(slug)
    registry.experiments()
    main(["list", "batched"])
    before = faults_of(root / "data") | faults_of(root / "notebooks")
    yield
    assert faults_of(root / "data") | faults_of(root / "notebooks") == before


@pytest.fixture
def guarded(tmp_path, monkeypatch):
    """An empty folder, no settings of the caller's, and work that fails the test where it begins."""
    for name in [name for name in os.environ if name.startswith("COMPANION_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setattr("companion.pages.chapter_runs.run", _began)
    for name in ("store", "_ledger_entry", "_investigated"):
        monkeypatch.setattr(companion.judge.evidence, name, _began)
    monkeypatch.setattr("companion.current.verify.verify", _began)
    monkeypatch.setattr("companion.exports.pack.pack", _began)
    monkeypatch.setattr("companion.papers.across.theory.bounds_table.maximum_gain_of_grid", _began, raising=False)
    monkeypatch.setattr("companion.simulate.sweep.run_sweep", _began)
    monkeypatch.setattr("companion.information.maximum_gain_of_grid", _began)
    run = Experiment.run
    monkeypatch.setattr(
        Experiment, "run", lambda self, *words: run(self, *words) if _is_bad(self, *words) else _began()
    )
    return tmp_path


def _is_bad(experiment, method, seed, values):
    return method not in experiment.method_names


def complaint(call, code, out, err):
    """What is wrong with an answer; empty if nothing is."""
    if code not in call.codes or out:
        return f"exit code {code}, {len(out)} characters on standard output"
    if err.count("\n") != 1 or not err.startswith("companion"):
        return f"{err.count(chr(10))} lines"
    if len(err) > LONGEST + 100 or not err.rstrip("\n").isprintable():
        return f"{len(err)} characters, or some that cannot be printed"
    said = err.partition(": ")[2]
    if call.name.lower() not in said.lower().replace("_", "_"):
        return f"does not name {call.name!r}"
    if not any(" ".join(text.split()) in said for text in call.allowed):
        return f"says none of {call.allowed!r}"
    return ""


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
def test_bad_calls_are_refused(kind, loaded, guarded, monkeypatch, capsys):
    memory = _peak()

    @drawn(EXAMPLES)
    @given(calls(kind))
    def refused(call):
        folder = Path(tempfile.mkdtemp(dir=guarded))
        for name, content in call.files.items():
            (folder / name).write_bytes(content)
        there = faults_of(folder)
        with monkeypatch.context() as here:
            here.chdir(folder)
            for name, value in call.environment.items():
                here.setenv(name, value)
            capsys.readouterr()
            began = time.process_time()
            try:
                code = main(list(call.words))
            except BaseException as error:
                code = f"{type(error).__name__}: {error}"
            spent = time.process_time() - began
        assert complaint(call, code, *capsys.readouterr()) == ""
        assert faults_of(folder) == there
        assert spent <= SECONDS

    refused()
    assert _peak() - memory < BYTES


def _peak():
    return 1024 * resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


def test_bad_profiles_are_refused(tmp_path):
    known = registry.chapter_parameters("batched")
    path = tmp_path / "profile.yaml"

    @drawn(60)
    @given(bad_profiles(known))
    def refused(profile):
        content, words = profile
        path.write_bytes(content)
        began = time.process_time()
        with pytest.raises(ParameterError) as refused:
            load_profile(path, "smoke", known)
        assert words in str(refused.value), content[:80]
        assert len(str(refused.value)) < 1000
        assert time.process_time() - began < SECONDS

    refused()
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.slow
@pytest.mark.parametrize("kind", [unknown_method, bad_gain], ids=lambda kind: kind.__name__)
def test_as_the_shell_starts_it_as_well(kind, tmp_path):
    """The process, its two streams and its exit code."""

    @drawn(1)
    @given(calls(kind))
    def refused(call):
        words = [sys.executable, "-m", "companion", *call.words]
        done = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, timeout=60)
        assert complaint(call, done.returncode, done.stdout, done.stderr) == ""

    refused()
    assert list(tmp_path.iterdir()) == []
