"""How what a paper stores is declared: what names a row, which runs a table takes, and that reading declares no run."""

from dataclasses import dataclass, replace

import pytest

from companion import registry
from companion.core.errors import ParameterError
from companion.simulate.task_store import Task
from companion.stored.blocks import Block, RunTable, by_key, frames, joined, short
from companion.stored.results import StoredSet
from companion.stored.runs import PaperRuns


def tasks(experiment="toy/small", **parameters):
    return [Task(experiment, "ucb", parameters, seed) for seed in range(2)]


def made(tables, *blocks, result=lambda task: {"regret": task.seed / 3}, together=None):
    items = [(block, task) for block in blocks for task in block.tasks]
    return frames(tables, items, [result(task) for _, task in items], together)


def test_a_row_is_named_by_task_block_and_numbers():
    block = Block("figures", tasks(width=2.0), {"variant": "wide", "width": 1.0})
    names = ("part", "problem", "width", "variant", "method", "seed")
    # A parameter of the run stands before what the block says of it.
    assert list(block.told(block.tasks[1], names).values()) == ["figures", "small", 2.0, "wide", "ucb", 1]
    (table,) = made({"runs": RunTable(("problem", "seed"))}, block).values()
    assert table.to_dict("list") == {"problem": ["small"] * 2, "seed": [0, 1], "regret": [0.0, 0.333333333]}
    with pytest.raises(KeyError, match="reading"):
        made({"runs": RunTable(("reading",))}, block)


def test_tables_take_runs_by_part_and_condition():
    tables = {
        "one": RunTable(("seed",), parts=("first",), digits=3),
        "last": RunTable(("seed",), which=lambda block, task: task.seed == 1),
        "rows": RunTable(("step",), lambda task, result: [{"step": step, "path": [step, 0.5]} for step in (1, 2)]),
        "means": RunTable(("part",), whole=lambda runs: [{**cell, "n": len(r)} for cell, r in by_key(runs, ("part",))]),
        "none": RunTable(("seed",), parts=("third",)),
    }
    found = made(tables, Block("first", tasks()), Block("second", tasks()))
    assert [len(table) for table in found.values()] == [2, 2, 8, 2, 0]
    assert found["one"].regret.tolist() == [0.0, 0.333]
    assert found["rows"].path.tolist()[:2] == ["1 0.5", "2 0.5"]
    assert found["means"].to_dict("records") == [{"part": "first", "n": 2}, {"part": "second", "n": 2}]
    assert list(found["none"]) == ["seed"]


def test_rows_stand_together_and_a_run_that_broke_down_has_none():
    blocks = [Block("a", tasks()[:1]), Block("b", tasks()[:1]), Block("a", tasks()[1:])]
    tables = {"runs": RunTable(("part", "seed"))}
    found = made(tables, *blocks, together=lambda block, task: block.part)["runs"]
    assert list(zip(found.part, found.seed, strict=True)) == [("a", 0), ("a", 1), ("b", 0)]
    broken = made(tables, *blocks, result=lambda task: {"failure": "singular"} if task.seed else {"regret": 1.0})
    assert broken["runs"].seed.tolist() == [0, 0]


@dataclass(frozen=True)
class Plan:
    problems: tuple[str, ...] = ("a", "b")


def declared(plan):
    return [Block("runs", tasks(f"toy/{problem}")) for problem in plan.problems]


RUNS = PaperRuns(
    stored=StoredSet("toy", __name__, "make paper CH=9", ("runs", "times")),
    plan=Plan(),
    blocks=declared,
    compute=lambda task: {"regret": 1.0},
    tables={"runs": RunTable(("problem", "seed")), "times": RunTable(("problem", "seed"), compared=False)},
    optional=(("a", "b"), "problems"),
)


def test_runs_follow_the_plan_and_say_what_is_left_out():
    less = RUNS.of(without=["a"])
    assert {task.experiment for _, task in less.items} == {"toy/b"}
    assert less.told == less.of().told == {"left_out": ["a"]}
    assert RUNS.of(Plan(("a",))).told == {"left_out": []}
    assert RUNS.keys == {"runs": ("problem", "seed")}
    assert RUNS.single(*less.items[0])
    with pytest.raises(ParameterError, match="without"):
        RUNS.of(without=["c"])


@pytest.mark.parametrize("paper", registry.declaring("stored_runs"))
def test_reading_stored_tables_declares_no_run(paper):
    def declares(plan):
        raise AssertionError("a run was declared")

    stored = replace(registry.stored_runs(paper), blocks=declares).load()
    assert stored.tables


def test_numbers_are_written_in_so_many_digits():
    assert (short(1 / 3, 2), joined([1 / 3, 2.0, 179]), joined([0.123456], 2)) == (0.33, "0.333333 2 179", "0.12")


def test_a_label_that_is_a_setting_is_refused_and_one_that_says_what_runs_is_not():
    experiment = registry.experiment("batched", "appendix-e")
    name, default = next((entry.name, entry.default) for entry in experiment.parameters.parameters)
    assert Block.of("final", experiment, ["bpe"], [0], **{name: default}).key == {name: default}
    with pytest.raises(ParameterError, match=f"(?s)^{name}: is 'other'.*values=") as refused:
        Block.of("final", experiment, ["bpe"], [0], **{name: "other"})
    assert str(refused.value).count("\n") == 0
