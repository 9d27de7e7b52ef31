"""One difference between text and code at a time; how many firsts are chance; one reading made again."""

import dataclasses
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

from companion.core.errors import ParameterError
from companion.papers.tsrsr.experiments import factors, ranking_claims
from companion.papers.tsrsr.experiments import store as paper_scale
from companion.papers.tsrsr.experiments.definitions import (
    experiment,
    model_of,
    refine_of,
    rule_on_box,
    setup_problem,
    width_of,
)
from companion.papers.tsrsr.experiments.printed import OURS, RIVALS
from companion.papers.tsrsr.experiments.runs import PAPER
from companion.papers.tsrsr.method.published import PublishedTSRSR
from companion.papers.tsrsr.method.rules import TSRSR
from companion.papers.tsrsr.problems.catalogue import chapter_problem

BIRD = experiment("bird-2d").parameters


def setting_of(reading, **changes):
    """What a run on Bird-2D is made of, as far as the readings differ."""
    p = BIRD.typed({"reading": reading, **changes})
    model = model_of(chapter_problem("bird-2d", reading), p)
    return {
        "smoothness": model.kernel.nu,
        "prior variance": model.kernel.variance,
        "noise": (model.redraw_noise, float(np.abs(setup_problem("bird-2d", "ts", 0, p).noise).max()) > 0),
        "precision": model.single,
        "refinement": refine_of(p),
        "first batch": width_of(p)(0, 1000) == -np.inf,
    }


@pytest.mark.parametrize("factor", factors.FACTORS, ids=lambda factor: factor.name)
def test_a_factor_changes_one_difference_and_takes_it_to_the_other_reading(factor):
    text, code = setting_of("text"), setting_of("code")
    on, off = setting_of("text", **factor.on), setting_of("code", **factor.off)
    assert {name for name in text if on[name] != text[name]} == {factor.name}
    assert {name for name in code if off[name] != code[name]} == {factor.name}
    assert on[factor.name] == pytest.approx(code[factor.name])
    assert off[factor.name] == pytest.approx(text[factor.name])


def test_all_factors_together_lead_from_one_reading_to_the_other():
    every = {name: value for factor in factors.FACTORS for name, value in factor.on.items()}
    assert setting_of("text", **every) == setting_of("code")
    back = {name: value for factor in factors.FACTORS for name, value in factor.off.items()}
    assert setting_of("code", **back) == setting_of("text")


def test_the_refinement_is_taken_out_without_the_rest_of_the_published_rule():
    assert rule_on_box("ts-rsr", BIRD.typed({"reading": "text"})) == TSRSR()
    assert rule_on_box("ts-rsr", BIRD.typed({"reading": "code"})) == PublishedTSRSR(10)
    assert rule_on_box("ts-rsr", BIRD.typed({"reading": "code", "refine": 0})) == PublishedTSRSR(0)


@pytest.mark.slow
def test_a_setting_without_effect_is_refused():
    plane = experiment("gp-2d").parameters
    for changes in ({"precision": "single"}, {"refine": 3}, {"redraw": True}):
        with pytest.raises(ParameterError, match="finite set"):
            setup_problem("gp-2d", "ts", 0, plane.typed(changes))
    with pytest.raises(ParameterError, match="smoothness"):
        setup_problem("gp-2d", "ts", 0, plane.typed({"reading": "code", "smoothness": 1.5}))


def test_the_frozen_plan_of_the_factors():
    items = paper_scale.FACTORS.of().items
    tasks = [task for _, task in items]
    assert {task.seed for task in tasks} == set(range(10))
    assert {task.experiment for task in tasks} == {"tsrsr/bird-2d", "tsrsr/rosenbrock-2d", "tsrsr/ackley-3d"}
    names = [(block.key["factor"], task.method) for block, task in items]
    counts = pd.Series(names).value_counts()
    assert counts["refinement", "ts-rsr"] == counts["precision", "bucb"] == 2 * 3 * 10
    assert {method for name, method in names if name in ("refinement", "first batch")} == {"ts-rsr", "bucb"}


def columns(margins, **values):
    """Two problems whose runs are given by method; the rivals that are not named are all the same."""

    def units(problem, method, reading="text", count=None):
        return values[problem].get(method, values[problem]["rest"])[:count]

    both = SimpleNamespace(
        problems=tuple(values),
        margins=margins,
        has=lambda problem, reading: True,
        paper_runs=lambda problem: 10,
        units=units,
        runs=units,
    )
    return both


def test_firsts_are_counted_with_what_chance_does_to_them():
    margins = SimpleNamespace(confidence=0.95, significance=0.05)
    spread = np.random.default_rng(0).standard_normal(40)
    clear = {OURS: spread, "rest": spread + 1.0}
    tossed = {OURS: spread - spread.mean() - 1e-9, "rest": -(spread - spread.mean())}
    lost = {OURS: spread + np.where(np.arange(40) < 10, -1.0, 1.0), "rest": spread}  # first in the first ten runs alone
    found = ranking_claims.firsts(columns(margins, **{"bird-2d": clear, "ackley-2d": tossed, "ackley-3d": lost}))
    assert (found.count, found.low, found.high, found.beyond, found.total) == (2, 1, 2, 1, 3)
    assert found.few == 2 + bool(spread[:10].mean() < spread.mean())
    assert abs(found.expected - 1.5) < 0.02  # the clear one, and one that is tossed
    assert found.runs == (40, 40)


def test_factor_rows_name_the_change(tmp_path):
    plan = dataclasses.replace(
        PAPER,
        problems=("bird-2d",),
        factor_seeds=1,
        overrides={"batches": 1, "candidates": 30, "ascent_steps": 3},
    )
    items = paper_scale.FACTORS.of(plan).items[:4]
    rows = paper_scale.FACTORS.frames(items, [paper_scale.compute(task) for _, task in items])["factors"]
    assert list(rows.factor) == ["smoothness"] * 4
    assert list(rows.method) == list(factors.METHODS)
    assert set(RIVALS) >= set(factors.METHODS) - {OURS}
