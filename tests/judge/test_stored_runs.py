"""The key of the stored runs: what is usual need not be said, and what tells no runs apart may not be."""

import dataclasses
from typing import ClassVar

import numpy as np
import pandas as pd
import pytest

from companion.core.errors import ParameterError
from companion.judge.reported import Margins
from companion.judge.stored_runs import StoredRuns, once, summary


class Stored(StoredRuns):
    MAIN = "runs"
    USUAL: ClassVar = {"block": "figures", "variant": ""}
    COLUMNS: ClassVar = {"block": "part"}


RUNS = pd.DataFrame(
    [
        {
            "part": part,
            "problem": "hill",
            "variant": variant,
            "method": method,
            "seed": seed,
            "regret": 10.0 * place + seed,
        }
        for place, (part, variant, method) in enumerate(
            (("figures", None, "ours"), ("figures", None, "theirs"), ("widths", "width=2", "ours"))
        )
        for seed in (2, 0, 1)
    ]
)
TIMES = pd.DataFrame({"problem": "hill", "method": "ours", "seed": [1, 0], "seconds": [5.0, 6.0]})


@pytest.fixture
def results():
    return Stored((), Margins(0.05, 0.95, {}, {}), {"runs": RUNS, "times": TIMES}, {})


def test_rows_come_by_seed_from_the_usual_place_or_the_one_named(results):
    rows = results.of("hill", "ours")
    assert rows.regret.tolist() == [0.0, 1.0, 2.0]
    assert rows.index.tolist() == rows.seed.tolist() == [0, 1, 2]
    assert results.of("hill", "ours", block="widths", variant="width=2").regret.tolist() == [20.0, 21.0, 22.0]
    assert results.of("hill", "ours", "times").seconds.tolist() == [6.0, 5.0]
    with pytest.raises(KeyError):
        results.of("hill", "ours", block="widths")


def test_whether_there_are_runs(results):
    assert results.has("hill")
    assert results.has("hill", "ours", "theirs")
    assert not results.has("hill", "ours", "theirs", block="widths", variant="width=2")
    assert results.has("hill", block="widths", variant="width=2")
    assert not results.has("hill", block="widths")
    assert not results.has("valley")


def test_a_column_that_tells_no_runs_apart_is_refused(results):
    with pytest.raises(ParameterError, match="variant='width=2'"):
        results.has("hill", "width=2")
    with pytest.raises(ParameterError, match="reading"):
        results.of("hill", "ours", reading="text")
    with pytest.raises(ParameterError, match="reading"):
        results.has("hill", reading="text")
    with pytest.raises(ParameterError, match="block"):
        results.has("hill", "ours", table="times", block="figures")


def test_a_difference_is_taken_seed_by_seed(results):
    ours, theirs = (results.of("hill", name).regret.to_numpy() for name in ("ours", "theirs"))
    found = results.paired(ours, theirs)
    assert (found.estimate, found.low, found.high) == (-10.0, -10.0, -10.0)
    assert results.mean(ours).low < ours.mean() < results.mean(ours).high
    assert (summary(ours).mean, summary(ours).sd, summary(ours).n) == (1.0, np.std(ours, ddof=1), 3)


def test_what_is_computed_once_is_computed_of_the_runs_that_are_given(results):
    seen = []

    @once
    def level(runs, method, block="figures"):
        seen.append((runs, method, block))
        return runs.of("hill", method, block=block).regret.mean()

    other = dataclasses.replace(results, tables={"runs": RUNS.assign(regret=RUNS.regret + 1.0), "times": TIMES})
    assert [level(results, "ours") for _ in range(3)] == [1.0] * 3
    assert level(results, "ours", block="figures") == 1.0
    assert level(results, "theirs") == 11.0
    assert level(other, "ours") == 2.0
    assert [method for _, method, _ in seen] == ["ours", "ours", "theirs", "ours"]
    assert seen[-1][0] is other
    values = once(lambda runs: np.zeros(3))(results)
    with pytest.raises(ValueError, match="read-only"):
        values[0] = 1.0
