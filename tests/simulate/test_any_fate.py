"""A store of runs that is killed, resumed, shared, damaged and merged in any order, beside runs that nothing disturbs."""

from __future__ import annotations

import json
import os
import shutil
import tempfile
from pathlib import Path
from types import SimpleNamespace

import pytest
import sweeping
from generated import drawn_machine
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from companion.core import files
from companion.core.errors import ResultError
from companion.simulate import sweep, task_store
from companion.simulate.plan import Plan, RunRequest
from companion.simulate.sweep import FAILURES, TASKS, Shard, progress, run_sweep, run_trial
from companion.simulate.task_store import failure_path, read_result, result_path
from companion.stored import tables

PLAN = Plan.of([RunRequest(sweeping.EXPERIMENT, ("one", "two"), (0, 1, 2), ({"noise": 0.1}, {"noise": 0.5}))])
COUNT = len(PLAN.tasks)
PLACES = st.integers(0, COUNT - 1)
pytestmark = [pytest.mark.slow, pytest.mark.skipif(not hasattr(os, "fork"), reason="a kill is that of a fork")]


class Whole:
    """What comes of the plan undisturbed: the result of every run, the bytes of the tables."""

    def __init__(self) -> None:
        self.results = [run_trial(task, PLAN.experiments) for task in PLAN.tasks]
        with tempfile.TemporaryDirectory() as folder:
            run_sweep(PLAN, folder)
            tables.merge(PLAN, folder, "")
            self.tables = merged(Path(folder))


def merged(folder):
    """Bytes of the tables that are there."""
    return [(folder / f"{name}.csv").read_bytes() for name in (tables.EVALUATIONS, tables.TRIALS)]


def without_times(result):
    """What a run gives whenever it is made."""
    return {key: value for key, value in json.loads(json.dumps(result)).items() if "seconds" not in key}


def killed(folder, shard, call, half, order):
    """Run in another process that is killed at this flush to disk; ``half``: with half of the file there.

    ``order`` stands for the number from which a process has the order of its runs.
    """
    child = os.fork()
    if child:
        assert os.waitpid(child, 0)[1] in (0, 9 << 8)
        return
    flush, left = os.fsync, [call]

    def dies(descriptor):
        left[0] -= 1
        if left[0] < 0:
            if half and os.fstat(descriptor).st_mode & 0o100000:
                os.ftruncate(descriptor, os.fstat(descriptor).st_size // 2)
            os._exit(9)
        flush(descriptor)

    code = 1
    try:
        files.os.fsync = dies
        sweep.uuid = SimpleNamespace(uuid4=lambda: SimpleNamespace(bytes=bytes([order])))
        run_sweep(PLAN, folder, shard)
        code = 0
    finally:
        os._exit(code)


SHARDS = st.integers(1, 3).flatmap(lambda of: st.builds(Shard, st.integers(1, of), st.just(of)))


class AnyFate(RuleBasedStateMachine):
    """``intact`` and ``failed`` are places of runs in the plan."""

    whole = None

    @initialize()
    def begin(self):
        AnyFate.whole = AnyFate.whole or Whole()
        self.folder = Path(tempfile.mkdtemp())
        self.intact, self.damaged, self.failed, self.tables = set(), set(), set(), False

    def teardown(self):
        if hasattr(self, "folder"):
            shutil.rmtree(self.folder)

    def path(self, place):
        return result_path(PLAN.tasks[place], self.folder / TASKS)

    def run(self, shard, failing=frozenset()):
        """Run a shard, in which these runs fail."""
        mine = {place for place, task in enumerate(PLAN.tasks) if shard.holds(task)}
        lines = {f"{PLAN.tasks[p].method} {PLAN.tasks[p].seed} {PLAN.tasks[p].parameters['noise']}" for p in failing}
        begun = []

        def begins(line):
            begun.append(line)
            if line in lines:
                raise ZeroDivisionError(line)

        real, sweeping.begun = sweeping.begun, begins
        try:
            found = run_sweep(PLAN, self.folder, shard)
        finally:
            sweeping.begun = real
        missing, fails = mine - self.intact, (mine - self.intact) & failing
        assert len(begun) == len(set(begun)) == len(missing)
        assert (found.tasks, found.computed) == (len(mine), len(missing - fails))
        assert (found.reused, found.failed) == (len(mine & self.intact), len(fails))
        assert found.damaged == len(mine & self.damaged)
        self.intact |= missing - fails
        self.damaged -= missing - fails
        self.failed = (self.failed - missing) | fails
        return mine

    @rule(shard=SHARDS, failing=st.frozensets(PLACES, max_size=3))
    def resume(self, shard, failing):
        self.run(shard, failing)

    @rule(of=st.integers(1, 4))
    def every_shard(self, of):
        parts = [self.run(Shard(number, of)) for number in range(1, of + 1)]
        assert sorted(place for part in parts for place in part) == list(range(COUNT))
        assert len(self.intact) == COUNT

    @rule(shard=SHARDS, call=st.integers(0, 2 * COUNT), half=st.booleans(), order=st.integers(0, 255))
    def kill(self, shard, call, half, order):
        """What is there afterwards is whole, and nothing that was there has gone."""
        killed(self.folder, shard, call, half, order)
        there = {place for place in range(COUNT) if self.path(place).exists()} - self.damaged
        assert self.intact <= there
        again = {place for place in self.damaged if self.stored(place) is not None}
        self.intact, self.damaged = there | again, self.damaged - again
        self.failed -= self.intact

    def stored(self, place):
        """The stored result, if it is intact."""
        try:
            return read_result(PLAN.tasks[place], self.folder / TASKS)
        except (FileNotFoundError, ResultError):
            return None

    @precondition(lambda self: self.intact)
    @rule(data=st.data(), how=st.sampled_from(("cut", "digit", "empty", "other", "gone")))
    def damage(self, data, how):
        place = data.draw(st.sampled_from(sorted(self.intact)))
        path, content = self.path(place), self.path(place).read_bytes()
        other = data.draw(st.sampled_from(sorted(self.intact)))
        if how == "other" and other == place:
            return
        changed = {
            "cut": content[: len(content) // 2],
            "digit": content.replace(b'"instantaneous_regret":[', b'"instantaneous_regret":[1', 1),
            "empty": b"",
            "other": self.path(other).read_bytes(),
        }
        if how == "gone":
            path.unlink()
        else:
            assert changed[how] != content
            path.write_bytes(changed[how])
            self.damaged.add(place)
        self.intact.discard(place)

    @rule(place=PLACES, note=st.sampled_from((b"", b"{", b"[]")))
    def damage_a_note(self, place, note):
        if place in self.failed and note != b"[]":
            failure_path(PLAN.tasks[place], self.folder / FAILURES).write_bytes(note)

    @rule()
    def merge(self):
        if len(self.intact) == COUNT:
            tables.merge(PLAN, self.folder, "")
            self.tables = True
        else:
            with pytest.raises(ResultError):
                tables.merge(PLAN, self.folder, "")
        if self.tables:
            assert merged(self.folder) == self.whole.tables
        else:
            assert not list(self.folder.glob("*.csv"))

    @invariant()
    def what_is_there(self):
        if not hasattr(self, "folder"):
            return
        for place, fresh in enumerate(self.whole.results):
            found = self.stored(place)
            assert (found is not None) == (place in self.intact)
            assert found is None or without_times(found) == without_times(fresh)
        cells, failures = progress(PLAN, self.folder)
        assert sum(cell.done for cell in cells) == len(self.intact)
        assert sum(cell.failed for cell in cells) == len(failures) == len(self.failed - self.intact)
        assert sum(cell.missing for cell in cells) == COUNT - len(self.intact | self.failed)


def test_a_store_is_the_same_whatever_its_fate():
    drawn_machine(AnyFate, 20, 25)


# -- planted defects ---------------------------------------------------------------------------------------------------


def without_checksums(_):
    return lambda body: json.dumps({"format": 2}).encode()


def believes_every_file(_):
    """What is there is a result, whoever's."""

    def content(task, folder):
        header, _, body = result_path(task, folder).read_bytes().partition(b"\n")
        if header != task_store._header(body):
            raise ResultError("damaged")
        return json.loads(body)

    return content


def leaves_a_shard_out(_):
    return lambda self, task: int(task.key()[:16], 16) % self.of == self.number


def counts_files(_):
    return lambda task, folder: result_path(task, folder).exists()


def merges_in_another_order(columns):
    return lambda plan, results: columns(plan, results[::-1])


@pytest.mark.parametrize(
    ("where", "name", "planted"),
    [
        (task_store, "_header", without_checksums),
        (task_store, "_content", believes_every_file),
        (Shard, "holds", leaves_a_shard_out),
        (sweep, "is_done", counts_files),
        (tables, "evaluation_columns", merges_in_another_order),
    ],
    ids=lambda given: getattr(given, "__name__", ""),
)
def test_a_planted_defect_is_found(where, name, planted, monkeypatch):
    AnyFate.whole = AnyFate.whole or Whole()
    monkeypatch.setattr(where, name, planted(getattr(where, name)))
    with pytest.raises((AssertionError, ValueError, pytest.fail.Exception)):
        drawn_machine(AnyFate, 60, 25, shrink=False)
