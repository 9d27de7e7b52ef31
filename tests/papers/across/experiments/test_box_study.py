"""The study on a box: its plan, a run by code of its own, rankings and effects against a second computation."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy import special, stats

from companion.core.arrays import Floats
from companion.core.errors import ParameterError
from companion.core.randomness import stream
from companion.judge.reported import load_margins
from companion.papers.across.experiments import box_study
from companion.papers.across.experiments.box_study import (
    CHECKPOINTS,
    INITIAL,
    KNOWN,
    RUNS,
    SHIPPED,
    USUAL,
    entries,
    measured,
    modelled,
    play,
)
from companion.papers.across.experiments.box_study_analysis import COMMON, LEVEL, MEASURES, BoxStudy
from companion.papers.across.method import box_rules
from companion.papers.across.method.rules import PLAIN, Entry
from companion.papers.across.method.shipped_model import KERNELS, ShippedModel, fit
from companion.papers.across.problems.box_functions import BOX_FUNCTIONS, DIMS, box_function

COLUMNS = [f"{payoff}_{t}" for payoff in ("plays", "point") for t in CHECKPOINTS] + ["rounds"]


def synthetic(seed: int = 0) -> pd.DataFrame:
    """A table with every row of the plan, and numbers in which rules differ by a little and functions by much."""
    generator, rows = np.random.default_rng(seed), []
    hard = {name: generator.uniform(0.5, 2.0) for name in BOX_FUNCTIONS}
    good: dict[str, float] = {}
    for _, task in RUNS.items:
        p = task.parameters
        rule = good.setdefault(f"{task.method} {p['setting']} {p['model']} {p['initial']}", generator.uniform(0.1, 0.3))
        values = hard[p["problem"]] * rule + 0.02 * generator.standard_normal(len(COLUMNS))
        rows.append({name: p[name] for name in ("problem", "noise", "model", "initial", "batch", "setting")})
        rows[-1] |= {"method": task.method, **dict(zip(COLUMNS, values, strict=True))}
    return pd.DataFrame(rows)


@pytest.fixture(scope="module")
def study() -> BoxStudy:
    """The analysis of the synthetic table."""
    return BoxStudy(synthetic(), load_margins("across"))


# -- plan and functions ------------------------------------------------------------------------------------------------


def test_the_plan_is_that_of_the_protocol() -> None:
    tasks = [task for _, task in RUNS.items]
    assert len({(t.method, *map(str, t.parameters.values())) for t in tasks}) == len(tasks)
    usual = [t for t in tasks if (t.parameters["model"], t.parameters["initial"]) == (SHIPPED, INITIAL)]
    cells = {(t.parameters["noise"], t.parameters["batch"] or 1) for t in usual}
    assert cells == {(0.03, 1), (0.1, 1), (0.3, 1), (0.1, 5), (0.1, 10)}
    for noise, batch in cells:
        for entry in entries(batch):
            of = [t for t in usual if t.parameters["noise"] == noise and t.method == entry.rule]
            of = [t for t in of if (t.parameters["batch"], t.parameters["setting"]) == (entry.batch, entry.setting)]
            assert {t.parameters["problem"] for t in of} == set(BOX_FUNCTIONS)
    assert {dim: sum(each.dim == dim for each in BOX_FUNCTIONS.values()) for dim in DIMS} == dict.fromkeys(DIMS, 12)
    assert sum(not each.kernel for each in BOX_FUNCTIONS.values()) == 8


@pytest.mark.parametrize("name", ["box-se-1d-1", "box-matern32-2d-1", "branin-2d", "ackley-4d", "hartmann-6d"])
def test_no_point_is_better_than_the_optimum(name: str) -> None:
    problem = box_function(name)
    values = problem(np.random.default_rng(0).random((20_000, problem.dim)))
    assert values.max() <= problem.optimum + 1e-9
    assert problem.optimum - values.max() < {1: 0.01, 2: 0.1}.get(problem.dim, 1.0) * problem.spread
    assert values.mean() == pytest.approx(problem.optimum - problem.gap, abs=0.03 * problem.spread)


def test_draws_have_the_covariance_of_their_kernel() -> None:
    """Over the features of many draws: what two points have in common is the kernel of their distance."""
    for kernel, twice in (("se", np.inf), ("matern52", 5.0), ("matern32", 3.0)):
        problem = box_function(f"box-{kernel}-2d-1")
        frequencies, phases, _ = problem._features
        x = np.array([[0.2, 0.3], [0.3, 0.5]])
        waves = np.sqrt(2.0 / len(phases)) * np.cos(x @ frequencies + phases)
        r = np.linalg.norm((x[0] - x[1]) / problem.lengthscales)
        true = {np.inf: np.exp(-0.5 * r**2), 3.0: (1 + 3**0.5 * r) * np.exp(-(3**0.5) * r)}.get(
            twice, (1 + 5**0.5 * r + 5 * r**2 / 3) * np.exp(-(5**0.5) * r)
        )
        assert waves[0] @ waves[1] == pytest.approx(true, abs=0.08)


def test_an_unknown_function_is_refused() -> None:
    with pytest.raises(ParameterError):
        box_function("box-se-3d-1")
    with pytest.raises(ParameterError):
        BoxStudy(synthetic(), load_margins("across")).ranking("finl")


# -- a run -------------------------------------------------------------------------------------------------------------


def test_rules_share_initial_points_and_noise_and_seeds_differ() -> None:
    problem = box_function("box-se-2d-1")
    runs = [play(problem, USUAL, Entry(rule, 10, PLAIN), 3) for rule in ("ei-mean", "ts", "sobol", "random")]
    again = play(problem, USUAL, Entry("ts", 10, PLAIN), 3)
    np.testing.assert_array_equal(runs[1].points, again.points)
    errors = [run.observed - problem(run.points) for run in runs]
    for run, error in zip(runs[1:], errors[1:], strict=True):
        np.testing.assert_array_equal(run.points[:INITIAL], runs[0].points[:INITIAL])
        np.testing.assert_allclose(error, errors[0], atol=1e-12)
        assert run.ends == tuple(range(10, 101, 10))
    assert not np.allclose(play(problem, USUAL, Entry("ts", 10, PLAIN), 4).points, again.points)
    assert np.std(errors[0]) == pytest.approx(USUAL * problem.spread, rel=0.3)


def test_the_numbers_kept_are_those_of_the_run() -> None:
    problem, seed = box_function("branin-2d"), 5
    played = play(problem, USUAL, Entry("ucb", 10, "2"), seed)
    kept = measured(problem, USUAL, played, seed)
    assert sorted(kept) == sorted(COLUMNS)
    lost = (-0.397887 - problem(played.points)) / problem.gap
    assert kept["plays_100"] == pytest.approx(lost.mean(), abs=1e-5)
    # The point named: a fine grid has no point of a larger posterior mean.
    model = fit(played.points, played.observed)
    axis = np.linspace(0.0, 1.0, 400)
    mesh = np.stack(np.meshgrid(axis, axis), axis=-1).reshape(-1, 2)
    best = mesh[np.argmax(model.moments(mesh)[0])]
    assert (problem.optimum - problem(best[None])[0]) / problem.gap == pytest.approx(kept["point_100"], abs=0.005)
    assert kept["rounds"] == kept["point_100"]
    single = replace(played, ends=tuple(range(10, 101)))
    nineteen = fit(played.points[:19], played.observed[:19])
    point = mesh[np.argmax(nineteen.moments(mesh)[0])]
    now = measured(problem, USUAL, single, seed)["rounds"]
    assert now == pytest.approx((problem.optimum - problem(point[None])[0]) / problem.gap, abs=0.02)


def test_the_known_model_is_the_truth_and_errors_change_the_length_scales_alone() -> None:
    problem = box_function("box-matern32-4d-1")
    x = np.random.default_rng(0).random((30, 4))
    y = problem(x)
    known, fitted = modelled(problem, 0.1, KNOWN, x, y), modelled(problem, 0.1, SHIPPED, x, y)
    assert known.kernel == "matern32"
    assert known.noise == pytest.approx((0.1 * problem.spread) ** 2)
    k = problem_covariance(x / problem.lengthscales, x / problem.lengthscales)
    q = np.random.default_rng(1).random((5, 4))
    cross = problem_covariance(q / problem.lengthscales, x / problem.lengthscales)
    np.testing.assert_allclose(known.moments(q)[0], cross @ np.linalg.solve(k + known.noise * np.eye(30), y), rtol=1e-8)
    for name, factor in (("lengthscale*2", 2.0), ("lengthscale/2", 0.5)):
        wrong = modelled(problem, 0.1, name, x, y)
        np.testing.assert_allclose(wrong.lengthscales, factor * fitted.lengthscales)
        assert (wrong.noise, wrong.mean) == (fitted.noise, fitted.mean)


def problem_covariance(a: Floats, b: Floats) -> Floats:
    """Matérn 3/2."""
    r = np.sqrt(3.0) * np.linalg.norm(a[:, None] - b, axis=2)
    return np.asarray((1 + r) * np.exp(-r))


# -- rules against brute force -----------------------------------------------------------------------------------------


def model_of(dim: int) -> ShippedModel:
    """A fit to a dozen values."""
    generator = np.random.default_rng(dim)
    x = generator.random((12, dim))
    return fit(x, np.sin(6.0 * x.sum(axis=1)) + 0.1 * generator.standard_normal(12))


def textbook(model: ShippedModel, x: Floats, pending: Floats) -> tuple[Floats, Floats]:
    """Mean and sd of standardised values, pending points making the sd smaller; by inverses."""

    def k(a: Floats, b: Floats) -> Floats:
        return np.asarray(np.exp(-0.5 * (((a[:, None] - b) / model.lengthscales) ** 2).sum(axis=2)))

    y = (model.values - model.values.mean()) / model.values.std(ddof=1)
    told, all_points = model.points, np.vstack([model.points, pending])
    mean = model.mean + k(x, told) @ np.linalg.solve(k(told, told) + model.noise * np.eye(len(told)), y - model.mean)
    inner = k(all_points, all_points) + model.noise * np.eye(len(all_points))
    cross = k(x, all_points)
    return mean, np.sqrt(1.0 - np.diag(cross @ np.linalg.solve(inner, cross.T)))


@pytest.mark.parametrize("rule", ["ucb", "ei-mean", "ei"])
@pytest.mark.parametrize("pending", [0, 2])
def test_the_choice_is_the_largest_acquisition_of_a_fine_grid(rule: str, pending: int) -> None:
    model = model_of(1)
    waits = np.linspace(0.3, 0.6, pending)[:, None]
    now = box_rules.Conditioned(model, waits)
    grid = np.linspace(0.0, 1.0, 4001)[:, None]
    mean, sd = textbook(model, grid, waits)
    y = (model.values - model.values.mean()) / model.values.std(ddof=1)
    top = textbook(model, model.points, waits)[0].max() if rule == "ei-mean" else y.max()
    z = (mean - top) / sd
    score = mean + 2.0 * sd if rule == "ucb" else sd * (z * stats.norm.cdf(z) + stats.norm.pdf(z))
    around = box_rules.leading(model)
    acquisition = box_rules._acquisition(rule, "2", now, around, np.random.default_rng(0))
    point, value = box_rules.maximise(acquisition, around, np.random.default_rng(1))
    assert value == pytest.approx(score.max() if rule == "ucb" else np.log(score.max()), abs=1e-4)
    assert abs(point[0] - grid[np.argmax(score), 0]) < 2e-3


def test_a_draw_agrees_with_the_posterior() -> None:
    model, q = model_of(2), np.random.default_rng(3).random((4, 2))
    draws = np.array([box_rules.draw(model, stream(k, "draws"))(q)[0] for k in range(600)])
    mean, sd = textbook(model, q, np.zeros((0, 2)))
    np.testing.assert_allclose(draws.mean(axis=0), mean, atol=0.15)
    np.testing.assert_allclose(draws.std(axis=0), sd, rtol=0.25)


def test_logarithms_of_sums_are_scipys_to_the_last_bit() -> None:
    generator = np.random.default_rng(4)
    for scale in (1e-3, 1.0, 1e3, 1e8):
        terms = scale * generator.standard_normal((40, 64))
        terms[::2, 1] = terms[::2].max(axis=1)  # the largest one twice
        np.testing.assert_array_equal(box_rules._log_sum(terms), special.logsumexp(terms, axis=1))


def test_noisy_improvement_is_the_mean_over_the_values_without_noise() -> None:
    """By brute force: joint draws of the values at the points and at x."""
    model, q = model_of(1), np.array([[0.05], [0.5], [0.93]])
    found = np.mean([np.exp(box_rules.noisy_improvement(box_rules.Conditioned(model, np.zeros((0, 1))), stream(k, "n"))(q)[0])
                     for k in range(40)], axis=0)  # fmt: skip
    every = np.vstack([model.points, q])
    k = np.exp(-0.5 * (((every[:, None] - every) / model.lengthscales) ** 2).sum(axis=2))
    inner = k[:12, :12] + model.noise * np.eye(12)
    y = (model.values - model.values.mean()) / model.values.std(ddof=1)
    mean = model.mean + k[:, :12] @ np.linalg.solve(inner, y - model.mean)
    covariance = k - k[:, :12] @ np.linalg.solve(inner, k[:12])
    draws = np.random.default_rng(0).multivariate_normal(mean, covariance, 100_000, check_valid="ignore")
    brute = np.maximum(draws[:, 12:] - draws[:, :12].max(axis=1, keepdims=True), 0.0).mean(axis=0)
    np.testing.assert_allclose(found, brute, rtol=0.1, atol=2e-4)


@pytest.mark.parametrize("count", [4, 40])
@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("rule", ["ucb", "ei", "nei", "ts", "ts-rsr"])
def test_slopes_are_those_of_the_values(rule: str, kernel: str, count: int) -> None:
    model = replace(model_of(3), kernel=kernel)
    now = box_rules.Conditioned(model, np.random.default_rng(5).random((2, 3)))
    acquisition = box_rules._acquisition(rule, "2", now, box_rules.leading(model), np.random.default_rng(0))
    q = np.random.default_rng(7).random((count, 3))
    slopes = acquisition(q)[1]()
    for axis, step in enumerate(1e-5 * np.eye(3)):
        by_hand = (acquisition(q + step)[0] - acquisition(q - step)[0]) / 2e-5
        np.testing.assert_allclose(slopes[:, axis], by_hand, rtol=1e-3, atol=1e-4)


# -- the analysis ------------------------------------------------------------------------------------------------------


def holm(p: Floats) -> Floats:
    """Adjusted p-values."""
    order, found, worst = np.argsort(p), np.zeros(len(p)), 0.0
    for place, at in enumerate(order):
        worst = max(worst, min((len(p) - place) * p[at], 1.0))
        found[at] = worst
    return found


@pytest.mark.parametrize(
    ("measure", "batch", "noise", "dim"), [("final", 1, 0.1, 2), ("plays", 10, 0.1, None), ("rounds", 1, 0.3, 6)]
)
def test_a_ranking_is_what_the_protocol_says(
    study: BoxStudy, measure: str, batch: int, noise: float, dim: int | None
) -> None:
    found = study.ranking(measure, batch, noise, dim)
    table = study.table
    table = table[(table.noise == noise) & (table.model == SHIPPED) & (table.initial == INITIAL)]
    part = [e for e in entries(batch) if measure != "rounds" or e.batch == batch]
    values = {}
    for entry in part:
        rows = table[(table.method == entry.rule) & (table.batch == entry.batch) & (table.setting == entry.setting)]
        rows = rows[[dim in (None, BOX_FUNCTIONS[name].dim) for name in rows.problem]].set_index("problem")
        values[entry] = rows[MEASURES[measure]].sort_index()
    assert set(found.order) == set(part)
    means = [found.means[e].estimate for e in found.order]
    assert means == pytest.approx(sorted(each.mean() for each in values.values()))
    pairs = list(combinations(found.order, 2))
    p = holm(np.array([stats.ttest_rel(values[a], values[b]).pvalue for a, b in pairs]))
    worse = {b for (a, b), each in zip(pairs, p, strict=True) if a == found.order[0] and each < 0.05}
    assert found.worse == worse
    low = values[found.order[0]].mean()
    level = {e for e in part if values[e].mean() <= low + LEVEL and e not in worse}
    assert set(found.level) == level
    assert found.first == min(level, key=lambda e: (COMMON.index(e.rule), e.setting))
    assert {*found.level, *found.worse, *found.open} == set(part)


def test_a_rule_made_much_worse_is_shown_to_be(study: BoxStudy) -> None:
    table = study.table.copy()
    of = (table.method == "ei-mean") & (table.batch == 1)
    table.loc[of, "point_100"] += 0.3
    assert Entry("ei-mean", 1, PLAIN) in replace(study, table=table).ranking("final").worse


def test_effects_are_paired_differences(study: BoxStudy) -> None:
    found = study.effects("kernel", "final")
    entry = Entry("nei", 1, PLAIN)
    table = study.table[(study.table.method == "nei") & (study.table.noise == USUAL) & (study.table.batch == 1)]
    table = table[table.initial == INITIAL]
    wide = table.pivot(index="problem", columns="model", values="point_100").dropna(subset=["matern52"])
    wide = wide.loc[[BOX_FUNCTIONS[name].dim == 4 for name in wide.index]]
    test = found["matern52", INITIAL, entry, 4]
    assert test.difference.estimate == pytest.approx((wide.matern52 - wide.shipped).mean())
    assert len(wide) == 12
    assert {key[3] for key in found} == {None, 2, 4}
    assert {key[1] for key in study.effects("initial points", "plays")} == {2, 5, 20}
    assert {key[0] for key in study.effects("fitting", "plays")} == {KNOWN}


def test_the_stored_study_is_the_plan() -> None:
    path = Path(box_study.__file__).parents[5] / "data/results/across/box_study.csv"
    if not path.exists():
        pytest.skip("the study is not stored")
    assert len(BoxStudy.read().table) == len(RUNS.items)
