"""What the pictures show is what the runs did, and the problems of the cards are those that are played."""

import dataclasses
import math

import numpy as np
import pytest

from companion.bounds.bound import BoundSetting
from companion.information import gain_bracket_curve
from companion.information.between_horizons import UpperEnds
from companion.pages.figures import DARK, LIGHT
from companion.papers.batched.experiments import one_run
from companion.papers.batched.page import (
    bound,
    cards,
    confidence,
    example,
    experiments_figures,
    robust,
    stored_runs,
)
from companion.papers.batched.problems.wheat import wheat
from companion.papers.batched.theory.bounds import trivial_bound


@pytest.fixture(scope="module")
def batches():
    return example.wheat_runs(0, 0.1)


def test_bounds_that_are_drawn_decide_who_survives(batches):
    for played in (batches.fixed, batches.theory):
        for k, record in enumerate(played.history):
            lower, upper = played.bounds(k)
            assert np.isnan(lower[~record.active]).all()
            assert np.array_equal(record.survivors, record.active & (upper >= np.nanmax(lower)))
            assert len(played.observed[k]) == record.size


def test_the_two_runs_share_function_and_noise(batches):
    first = [played.history[0].query for played in (batches.fixed, batches.theory)]
    assert np.array_equal(*first)
    assert np.array_equal(batches.fixed.observed[0], batches.theory.observed[0])


def test_a_maximiser_that_is_lost_is_noticed(batches):
    assert example.run_numbers(batches).kept
    assert example.run_numbers(batches).valid == [False, True]  # a width of two misses f somewhere
    last = batches.fixed.history[-1]
    lost = dataclasses.replace(last, survivors=np.zeros_like(last.survivors))
    fixed = dataclasses.replace(batches.fixed, history=(*batches.fixed.history[:-1], lost))
    n = example.run_numbers(dataclasses.replace(batches, fixed=fixed))
    assert not n.kept
    assert n.active[-1] == 0


def test_rivals_are_compared_seed_by_seed():
    runs = example.rivals(3, 60, 0.1)
    n, regret = example.rival_numbers(runs), runs.pivot(index="seed", columns="rule", values="regret")
    assert (n.noise_seeds, list(runs.rule[:6])) == (example.RIVAL_RUNS, list(dict.fromkeys(runs.rule)))
    assert n.least == pytest.approx((regret[["BPE", "BPE, fewer"]].min(axis=1) / regret["GP-UCB"]).min())
    pairs = ((regret["BPE"], regret["B-UCB"]), (regret["BPE, wide"], regret["B-UCB, wide"]))
    assert n.least_bucb == pytest.approx(min((bpe / bucb).min() for bpe, bucb in pairs))
    assert [n.sequential, n.bucb, n.bucb_wide, *n.batched] == pytest.approx(
        regret[["GP-UCB", "B-UCB", "B-UCB, wide", "BPE", "BPE, fewer"]].mean().tolist()
    )
    wide = runs[runs.rule == "BPE, wide"]
    assert wide.valid.all()
    assert wide.active.all()
    table = example.rivals_table(runs, 7.0).frame.set_index(["rule", "width"])
    assert table.loc[("B-UCB", 7.0), "cumulative regret"] == pytest.approx(regret["B-UCB, wide"].mean())


def test_the_robust_picture_says_what_its_neighbours_are_worth():
    n = robust.view_numbers(robust.robust_view(0))
    assert n.plain_worst < n.safe_worst <= n.safe <= n.plain
    assert n.decided
    assert n.after < n.before < n.sampled


def test_errors_of_neighbouring_candidates_are_told_from_independent_ones():
    curves = confidence.error_curves(0, 1.0, 0.1, 0.1, runs=3)
    shuffled = dataclasses.replace(curves, errors=np.random.default_rng(0).permuted(curves.errors, axis=1))
    assert confidence.curve_numbers(curves).alike > 0.9
    assert confidence.curve_numbers(shuffled).alike < 0.3


def test_forms_of_theorem_1_follow_each_other_in_every_horizon():
    forms = bound.forms_over_time(0.1, 0.1)
    late = forms.rows[forms.rows.horizon >= 32]
    assert ((late.T1a <= late.T1b) & (late.T1b <= late.T1c)).all()
    # From the horizon that is said on, and not 2 % before, on the line between the two horizons drawn.
    for row in forms.first.itertuples():
        part = forms.rows[forms.rows.a == row.a]
        for first, line in ((row.T1a, part.trivial), (row.random, forms.random * part.horizon)):
            above = part[part.T1a >= line].horizon.max()
            assert above < first <= part[part.horizon > above].horizon.min()
    modelled, below = wheat(), round(forms.original["T1a"] * 0.98)
    gain = UpperEnds.of(gain_bracket_curve(modelled.covariance, [1, 2, 3, *forms.rows.horizon.unique()], 0.1**2))
    setting = BoundSetting(1, 101, 0.1, 0.1, gain, gain, 0.1**2, norm=modelled.known_norm, ratio=0.6)
    line = trivial_bound(1, modelled.known_norm, modelled.covariance)
    assert bound.original_sum(setting, below) > line * below
    assert bound.original_sum(setting, int(forms.original["T1a"])) <= line * forms.original["T1a"]
    n = bound.break_even_numbers(forms)
    assert n.c_min < n.c_max == math.inf


def test_one_harvest_of_the_exercise_by_hand():
    n = example.harvest_numbers({"A": (2.0,) * 4, "B": (1.0,) * 4, "C": (-1.0,) * 4}, noise=1.0, width=1.0, total=192)
    # means 8/5, 4/5, -4/5; the band reaches the root of 1/5
    assert n.means == pytest.approx([1.6, 0.8, -0.8])
    assert (n.active, n.rival, n["size"], n.each) == (["A", "B"], "B", 48, 24)
    now, other = 2 * 0.2**0.5 - 0.8, 2 * 0.2**0.5 + 0.8
    assert (n.now, n.cost, n.after) == pytest.approx((now, 24 * (now + other), 0.4))
    assert n.plots == pytest.approx(n.cost / (now - 0.4))


def test_optima_of_the_cards_are_those_of_the_problems():
    shown = cards.gallery(0, 1.0, 400)
    n = cards.problem_numbers(shown)
    assert n.tops == [float(v.max()) for v in shown.surfaces.values()]
    assert n.height == pytest.approx(2 * shown.hard.classes[0].epsilon)
    toy = shown.robust["toy-1d"]
    worst = [toy.values[np.abs(toy.points[:, 0] - x) <= 0.06 + 1e-12].min() for x in toy.points[:, 0]]
    numbers = cards.robust_problem_numbers(shown)
    assert numbers.toy_worst == pytest.approx(max(worst))
    assert float(numbers.toy_safe) == pytest.approx(toy.points[int(np.argmax(worst)), 0], abs=1e-3)


def test_twelve_functions_are_those_of_the_table():
    evidence = stored_runs.load_paper_results()
    n, rows = stored_runs.ten_numbers(evidence), stored_runs.twelve(evidence).frame.set_index("sizes").astype(float)
    fewer = rows.loc["a=0.4"].round() - rows.loc["original"].round()
    assert (rows.shape, n.wins) == ((3, 12), int((fewer < 0).sum()))
    assert (n.mean, n.error) == pytest.approx((fewer.mean(), fewer.std() / 12**0.5))
    assert n.shared_sd == pytest.approx(fewer.std() / 10**0.5)
    assert 0 < n.same_sd < n.same_apart
    assert 0 < n.shared < n.apart < 0.5


def test_reversed_cells_are_those_on_the_other_side_of_the_original_sizes():
    evidence = stored_runs.load_paper_results()
    table = experiments_figures.reported_beside_ours(evidence, "matern52")
    rows, turned = table.frame.set_index(["sizes", "from"]), table.turned
    turned.index = rows.index
    assert turned.loc[("a=0.4", "ours"), "t = 1000"]  # printed below orig, ours above
    assert not turned.xs("printed", level="from").to_numpy().any()
    assert not turned.loc[("orig", "ours")].any()


def test_the_pictures_are_drawn(batches):
    curves = confidence.error_curves(0, 1.0, 0.1, 0.1, runs=2)
    taken_apart = one_run.bound_study(1, 120, 0.1, 0.1)
    words = [step.name for step in taken_apart.chain]
    for figure in (
        example.first_harvest(batches),
        example.dependence(),
        experiments_figures.comparisons(stored_runs.load_paper_results()),
        robust.neighbourhood(robust.robust_view(0)),
        cards.problems(cards.gallery(0, 1.0, 400)),
        confidence.coverage(confidence.coverage_study(0, 2, 1.0, 0.1), curves),
        bound.waterfall(taken_apart, words),
    ):
        for palette in (LIGHT, DARK):
            assert figure.render(palette).startswith(b"\x89PNG")
