"""Runs that need more memory than is free are refused before any work, by one line that names sizes, need and what is there."""

from __future__ import annotations

import dataclasses
import resource
import time
import tracemalloc

import pytest
from conditions import conditions

import companion as cp
from companion import registry
from companion.cli import main
from companion.core import memory
from companion.core.errors import ParameterError
from companion.simulate.experiment import Experiment, Method
from companion.simulate.task_store import Task

FREE = 300_000_000
#: Of processor time a refusal, and of memory all of them, beside what loading the papers takes.
SECONDS, BYTES = 20.0, 500_000_000
SIZES = (10**6, 10**9)
#: Whole numbers that are no sizes.
NO_SIZES = ("function_seed", "function", "member", "shift", "class_number")
EXPERIMENTS = [found for slug in registry.chapters() for found in registry.experiments(slug).values()]
NAMES = [f"{experiment.paper}/{experiment.name}" for experiment in EXPERIMENTS]


class BeganError(Exception):
    """Work began."""


@pytest.fixture
def guarded(tmp_path, monkeypatch):
    """An empty folder, little memory, and an exception where work begins."""

    def began(*_args, **_more):
        raise BeganError

    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(memory, "available", lambda: FREE)
    monkeypatch.setattr(Experiment, "run", began)
    for where in ("companion.api.experiments", "companion.simulate.sweep"):
        monkeypatch.setattr(f"{where}.run_sweep", began)
    yield tmp_path
    assert list(tmp_path.iterdir()) == []


def sizes(experiment):
    """Whole numbers that decide how large a run is."""
    return [p for p in experiment.parameters.parameters if p.type == "int" and p.name not in NO_SIZES and not p.choices]


def small(experiment):
    """Settings of a run that is soon over."""
    known = experiment.parameters.names
    chosen = {"horizon": 30} if "horizon" in known else {"batches": 2}
    return chosen | ({"points_per_axis": 10} if "points_per_axis" in known else {})


def needed(experiment, method, values):
    need = registry.get(experiment.paper).need.value
    return sum(need(experiment.name, method, experiment.parameters.typed(values)).values())


def peak():
    return 1024 * resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


@pytest.mark.parametrize("experiment", EXPERIMENTS, ids=NAMES)
def test_any_size_typed_with_noughts_too_many_is_refused(experiment, guarded, capsys):
    before = peak()
    for parameter in sizes(experiment):
        for size in SIZES:
            given = {parameter.name: size}
            words = [experiment.paper, experiment.name, ",".join(experiment.method_names[:1]), "--seed", "0"]
            began = time.process_time()
            try:
                code = main(["trial", *words, "--set", f"{parameter.name}={size}"])
            except BeganError:
                assert needed(experiment, experiment.method_names[0], given) <= FREE, given
                continue
            finally:
                assert time.process_time() - began < SECONDS, given
            out, err = capsys.readouterr()
            assert (code, out, err.count("\n")) == (2, "", 1), given
            assert f"{parameter.name}: got {size}" in err, given
    assert peak() - before < BYTES


def largest(experiment):
    """A method and the largest sizes that are allowed, all at once or, where these exclude each other, all but one."""
    highest = {p.name: p.high for p in sizes(experiment) if p.high is not None}
    for left_out in ("", *highest):
        values = {name: high for name, high in highest.items() if name != left_out}
        try:
            return max(experiment.method_names, key=lambda method: needed(experiment, method, values)), values
        except ParameterError:
            continue
    raise LookupError(experiment.name)


@pytest.mark.parametrize("experiment", EXPERIMENTS, ids=NAMES)
def test_allowed_sizes_that_do_not_fit_are_refused(experiment, guarded, capsys):
    name = f"{experiment.paper}/{experiment.name}"
    method, values = largest(experiment)
    if needed(experiment, method, values) <= FREE:
        return  # the limits of its parameters refuse what would be too large
    given = [word for key, value in values.items() for word in ("--set", f"{key}={value}")]
    assert main(["trial", experiment.paper, experiment.name, method, "--seed", "0", *given]) == 2
    out, err = capsys.readouterr()
    assert (out, err.count("\n")) == ("", 1)
    assert err.split(": ")[1] in values
    assert "GB of memory" in err or "MB of memory" in err
    assert "the 300 MB that are free" in err
    # More workers need more; a table and a plan are refused as well, before anything is written.
    assert main(["trial", *name.split("/"), method, "--seeds", "0-3", "--out", "a.csv", *given]) == 2


@pytest.mark.parametrize("experiment", EXPERIMENTS, ids=NAMES)
def test_defaults_fit_into_little_memory(experiment, guarded):
    for method in experiment.method_names:
        assert needed(experiment, method, {}) <= FREE


PLAN = 'seeds = "0-1"\n[[runs]]\nexperiment = "tsrsr/ackley-2d"\nmethods = ["ts-rsr"]\nsettings = {candidates = 3000}\n'


def test_a_sweep_is_refused_unless_its_runs_are_there(tmp_path, monkeypatch, capsys):
    plan = tmp_path / "plan.toml"
    plan.write_text(PLAN)
    monkeypatch.setattr(memory, "available", lambda: 10**8)
    assert main(["sweep", str(plan), "--jobs", "2"]) == 2
    assert "candidates: got 3000, which takes 230 MB of memory in each of" in " ".join(capsys.readouterr().err.split())
    assert list(tmp_path.iterdir()) == [plan]
    monkeypatch.setattr("companion.simulate.sweep.is_done", lambda *_: True)
    monkeypatch.setattr("companion.simulate.sweep.run_trial", lambda task, experiments: {"seed": task.seed})
    assert main(["sweep", str(plan), "--jobs", "1"]) == 0


def test_workers_count_as_often_as_they_run_at_once(monkeypatch):
    from companion.simulate.replicate import Workers

    experiment = registry.experiment("tsrsr", "ackley-2d")
    tasks = experiment.tasks(["ts-rsr"], range(4), {"candidates": 2000})
    monkeypatch.setattr(memory, "available", lambda: 150_000_000)
    registry.check_memory(tasks, Workers(1, "loky", None))
    registry.check_memory(tasks, Workers(2, "dask", "tcp://elsewhere:1"))
    with pytest.raises(ParameterError):
        registry.check_memory(tasks, Workers(2, "loky", None))
    registry.check_memory([Task("own/thing", "a", {}, 0, 1, "")])


def test_the_library_refuses_them_as_well(guarded):
    experiment = cp.experiment("compressed", "rosenbrock")
    for call in (
        lambda: experiment.ready("gp-ucb", 0, {"points_per_axis": 100}),
        lambda: experiment.run("gp-ucb", 0, points_per_axis=100),
        lambda: experiment.run("gp-ucb", seeds=range(2), points_per_axis=100),
    ):
        with pytest.raises(ParameterError, match=r"^points_per_axis:"):
            call()


@pytest.mark.parametrize("experiment", EXPERIMENTS, ids=NAMES)
def test_a_method_that_is_there_by_its_name_alone_is_refused_by_its_name(experiment):
    first = experiment.method_names[0]
    own = cp.experiment(experiment.paper, experiment.name)
    own = dataclasses.replace(own, methods=(*own.methods, Method(f"{first}x", "an own method")))
    for call in (own.run, own.ready):
        with pytest.raises(ParameterError):
            call(f"{first}x", 0)
    mine = cp.experiment(experiment.paper, experiment.name).with_policy("mine", lambda setup, seed: setup.policy)
    if (experiment.paper, experiment.name) == ("across", "contexts"):
        with pytest.raises(ParameterError, match=r"^policy:"):
            mine.ready("mine", 0)
        return
    assert mine.ready("mine", 0, small(experiment))


MEASURED = [(paper, *entry) for paper in registry.slugs() for entry in conditions(paper, "MEASURED")]


@pytest.mark.slow
@pytest.mark.parametrize(("paper", "name", "method", "values"), MEASURED, ids=[" ".join(one[:3]) for one in MEASURED])
def test_what_a_run_is_said_to_need_is_what_it_takes(paper, name, method, values):
    experiment = registry.experiment(paper, name)
    said = needed(experiment, method, values)
    # What is loaded once is no part of it; what is kept by size is, so the sizes are others.
    sizes = {key: value for key, value in conditions(paper, "SMALL").items() if key in experiment.parameters.names}
    experiment.ready(method, 0, small(experiment) | sizes)
    tracemalloc.start()
    try:
        experiment.run(method, 1, values)
        taken = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert said / 3 < taken < 1.25 * said, (said, taken)
