"""Generated bad calls: one line that names the argument and what is allowed, nothing written, soon, in little memory."""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import time
from collections import Counter

import pytest
from cli.bad_calls import bad_profiles, faults_of, generate

import companion.reproduce.evidence
from companion import papers
from companion.cli import LONGEST, main
from companion.core.errors import ParameterError
from companion.core.profile_files import load_profile
from companion.simulate.experiment import Experiment

SEED, COUNT = 20261123, 576
"""The calls of every run of the tests; COMPANION_BAD_CALLS=SEED tries others."""
SECONDS, BYTES = 2.0, 300_000_000
"""Of processor time a call, and of memory all calls together, beside what loading the papers takes."""


def _began(*_args, **_more):
    raise AssertionError("work began on a bad call")


@pytest.fixture(scope="module")
def seed():
    return int(os.environ.get("COMPANION_BAD_CALLS", SEED))


@pytest.fixture
def guarded(tmp_path, monkeypatch):
    """An empty folder, no settings of the caller's, and work that fails the test where it begins."""
    for name in [name for name in os.environ if name.startswith("COMPANION_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setattr("companion.pages.running.run", _began)
    for name in ("store", "_ledger_entry", "_investigated"):
        monkeypatch.setattr(companion.reproduce.evidence, name, _began)
    monkeypatch.setattr("companion.reproduce.verify.verify", _began)
    monkeypatch.setattr("companion.reproduce.crate.pack.pack", _began)
    monkeypatch.setattr("companion.papers.across.bounds_table.maximum_gain_of_grid", _began, raising=False)
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


def test_every_kind_is_among_the_calls(seed):
    found = Counter(call.kind for call in generate(seed, COUNT))
    assert COUNT >= 500
    assert len(found) >= 20
    assert min(found.values()) >= 3


@pytest.mark.slow
def test_generated_bad_calls_are_refused(seed, guarded, monkeypatch, capsys, root):
    for slug in papers.slugs():
        papers.chapter_parameters(slug)
    papers.experiments()
    main(["list", "batched"])
    before, memory = faults_of(root / "data") | faults_of(root / "notebooks"), _peak()
    faults = []
    for number, call in enumerate(generate(seed, COUNT)):
        folder = guarded / str(number)
        folder.mkdir()
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
        wrong = complaint(call, code, *capsys.readouterr())
        wrong = wrong or ("wrote something" if faults_of(folder) != there else "")
        wrong = wrong or (f"took {spent:.1f} s" if spent > SECONDS else "")
        if wrong:
            faults.append(f"{call.kind}: {' '.join(call.words)[:150]!r} {list(call.environment)}: {wrong}")
    assert not faults, "\n" + "\n".join(faults)
    assert faults_of(root / "data") | faults_of(root / "notebooks") == before
    assert _peak() - memory < BYTES


def _peak():
    return 1024 * resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


def test_generated_bad_profiles_are_refused(seed, tmp_path):
    known = papers.chapter_parameters("batched")
    path = tmp_path / "profile.yaml"
    for content, words in bad_profiles(seed, 60, known):
        path.write_bytes(content)
        began = time.process_time()
        with pytest.raises(ParameterError) as refused:
            load_profile(path, "smoke", known)
        assert words in str(refused.value), content[:80]
        assert len(str(refused.value)) < 1000
        assert time.process_time() - began < SECONDS
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.slow
def test_some_of_them_as_programs_of_their_own(seed, tmp_path):
    """As the shell starts it: the process, its two streams and its exit code."""
    calls = [
        call for call in generate(seed + 1, COUNT) if not call.files and not any("\0" in word for word in call.words)
    ]
    for call in calls[:: len(calls) // 2]:
        done = subprocess.run(
            [sys.executable, "-m", "companion", *call.words],
            cwd=tmp_path,
            env=os.environ | call.environment,
            capture_output=True,
            text=True,
            timeout=60,
        )
        assert complaint(call, done.returncode, done.stdout, done.stderr) == "", call
    assert list(tmp_path.iterdir()) == []
