"""Many seeds at once on tensors against the same seeds alone, for every experiment and method that can be run so."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from tolerances import REPLICATES_ATOL

pytest.importorskip("torch")

from companion import registry
from companion.core.errors import ParameterError
from companion.simulate.vectorised import run_vectorised

SEEDS = range(3)
SMALL: dict[tuple[str, str], dict[str, Any]] = {
    ("compressed", "example-function"): {"points": 60, "horizon": 25, "low": -3.0, "high": 3.0},
    ("compressed", "rosenbrock"): {"points_per_axis": 8, "horizon": 25},
    ("compressed", "logistic"): {"configurations": 60, "horizon": 25, "data": "digits"},
    ("tsrsr", "theory"): {"batches": 4, "batch_size": 3, "warm_up": 2, "noise": 0.1},
    ("tsrsr", "gp-2d"): {"batches": 2, "batch_size": 2},
    ("tsrsr", "gp-3d"): {"batches": 2, "batch_size": 2, "warm_up": 1},
}
#: A budget under which some points are rejected at these sizes.
COMPRESSED = {"epsilon": 1.5}
#: What the first digits of a posterior decide; the rest differs in its last ones.
MEASURED = ("variance", "gain")


def declared(paper: str) -> Any:
    return registry.get(paper).together.value


def supported() -> list[tuple[str, str, str]]:
    found = []
    for (paper, name), experiment in registry.experiments().items():
        if registry.get(paper).together is not None:
            parameters = experiment.parameters.typed({})
            found += [
                (paper, name, method)
                for method in experiment.method_names
                if not declared(paper).reason(name, method, parameters)
            ]
    return found


SUPPORTED = supported()


def settings(paper: str, name: str, method: str) -> dict[str, Any]:
    return SMALL[paper, name] | (COMPRESSED if method.startswith("cgp") else {})


def test_what_is_supported():
    assert {(paper, name) for paper, name, _ in SUPPORTED} == set(SMALL)
    assert len(SUPPORTED) == 3 * 6 + 5 + 2 * 7


@pytest.mark.parametrize(("paper", "name", "method"), SUPPORTED)
def test_every_seed_runs_as_alone(paper, name, method):
    experiment, values = registry.experiment(paper, name), settings(paper, name, method)
    at_once = run_vectorised(declared(paper), experiment, method, SEEDS, values)
    assert all(run.meta["together"] == {"device": "cpu", "seeds": len(SEEDS)} for run in at_once)
    for seed, run in zip(SEEDS, at_once, strict=True):
        own = experiment.run(method, seed, values)
        mine, its = run.to_json(), own.to_json()
        for record in (mine, its):
            record.pop("seconds")
            record["meta"].pop("together", None)
        for measured in MEASURED:
            if measured in its["diagnostics"]:
                pair = [record["diagnostics"].pop(measured) for record in (mine, its)]
                np.testing.assert_allclose(*pair, rtol=REPLICATES_ATOL, atol=REPLICATES_ATOL)
        assert mine == its
        if method.startswith("cgp"):
            assert 0 < len(its["diagnostics"]["kept_rounds"]) < values["horizon"]


def test_draws_are_repeated_as_alone_until_they_exceed_the_mean():
    experiment, values = registry.experiment("tsrsr", "theory"), {"batches": 6, "batch_size": 4, "resample": True}
    runs = run_vectorised(declared("tsrsr"), experiment, "ts-rsr", range(6), values)
    for seed, run in enumerate(runs):
        assert np.array_equal(run.query, experiment.run("ts-rsr", seed, values).query)


def test_a_rejected_value_is_never_looked_at():
    """With much noise a rejected point often has the largest value, which must not become the incumbent."""
    experiment = registry.experiment("compressed", "example-function")
    values = {"points": 60, "horizon": 40, "low": -3.0, "high": 3.0, "noise_variance": 0.3, "epsilon": 0.05}
    runs = run_vectorised(declared("compressed"), experiment, "cgp-ei", range(6), values)
    for seed, run in enumerate(runs):
        assert np.array_equal(run.query, experiment.run("cgp-ei", seed, values).query)
        assert "together" in run.meta


@pytest.mark.parametrize(("method", "seed"), [("gp-mpi", 9), ("gp-ei", 22), ("cgp-mpi", 18)])
def test_where_rounding_would_decide_the_seed_is_run_alone(method, seed):
    """Far from all data expected improvement is flat; at these seeds last digits then lead elsewhere."""
    experiment, values = registry.experiment("compressed", "example-function"), {"horizon": 4}
    (run,) = run_vectorised(declared("compressed"), experiment, method, [seed], values)
    assert "together" not in run.meta
    assert np.array_equal(run.query, experiment.run(method, seed, values).query)


@pytest.mark.parametrize(
    ("paper", "name", "method", "values"),
    [
        ("compressed", "rosenbrock", "bkb-ucb", {}),
        ("compressed", "rosenbrock", "gp-ucb", {"posterior": "refit"}),
        ("tsrsr", "theory", "dpp-ts", {}),
        ("tsrsr", "gp-2d", "bucb", {"reading": "code"}),
        ("tsrsr", "ackley-2d", "bucb", {}),
    ],
)
def test_what_cannot_be_run_at_once_says_why(paper, name, method, values):
    with pytest.raises(ParameterError):
        run_vectorised(declared(paper), registry.experiment(paper, name), method, SEEDS, values)
