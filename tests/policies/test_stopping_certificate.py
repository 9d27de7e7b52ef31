"""``certificate`` against a posterior and bounds written here with NumPy alone.

Mutants that these tests were seen to catch: the maximum over the recommended candidate too, sd for variance in a difference, no
covariance in it, the gain doubled, t for t + 1 in the union bound, the horizon's inflation left out, epsilon not subtracted, the
level of a look not divided, the limit of a share by its estimate, and candidates looked up by coordinate in the wrong order.
"""

from __future__ import annotations

import math
import sys
from dataclasses import replace

import numpy as np
import pytest
from scipy import stats

import companion as cp
from companion.core.errors import ParameterError
from companion.papers.across.experiments import widths
from companion.papers.across.theory.bounds import BOUNDS
from companion.papers.across.theory.informative_horizons import case_of
from companion.policies import candidate_model, stopping
from companion.policies.stopping_certificate import RULES

RNG = np.random.default_rng(5)
POINTS = RNG.uniform(size=(9, 2))
#: A repeat, and two points that are no candidates.
WHERE = np.vstack([POINTS[[2, 6, 2]], RNG.uniform(size=(2, 2))])
VALUES = np.array([0.4, 1.3, 0.2, -0.5, 0.9])
NOISE, SCALE, DELTA = 0.2, 0.35, 0.1


def kernel(a, b):
    return np.exp(-((a[:, None] - b) ** 2).sum(axis=2) / (2 * SCALE**2))


def posterior(points=POINTS, lam=NOISE**2):
    gram = kernel(WHERE, WHERE) + lam * np.eye(len(WHERE))
    cross = kernel(points, WHERE)
    mean = cross @ np.linalg.solve(gram, VALUES)
    covariance = kernel(points, points) - cross @ np.linalg.solve(gram, cross.T)
    return mean, covariance, np.linalg.slogdet(gram / lam)[1] / 2


def asked(points=POINTS, **more):
    return cp.certificate(points, kernel, NOISE, WHERE, VALUES, **{"epsilon": 0.5, "delta": DELTA, **more})


def worst(lower_of, upper_of, count, best):
    return max(0.0, max(upper_of(x) - lower_of(best) for x in range(count) if x != best))


@pytest.mark.parametrize(
    ("rule", "more", "width"),
    [
        ("srinivas", {}, lambda gain: math.sqrt(2 * math.log(9 * 36 * math.pi**2 / 0.6))),
        ("lemma-6", {"horizon": 30}, lambda gain: math.sqrt(2 * math.log(2 * 9 * 30 / DELTA))),
        ("one-root", {"norm": 2.0}, lambda gain: math.sqrt(4 + 2 * gain + 2 * math.log(10))),
        ("two-roots", {"norm": 2.0}, lambda gain: 2 + math.sqrt(2 * (gain + math.log(10)))),
        (1.96, {}, lambda gain: 1.96),
    ],
)
def test_a_band_is_the_one_of_its_width(rule, more, width):
    mean, covariance, gain = posterior()
    w, sd = width(gain), np.sqrt(np.diagonal(covariance))
    best = int(np.argmax(mean - w * sd))
    expected = worst(lambda x: mean[x] - w * sd[x], lambda x: mean[x] + w * sd[x], 9, best)
    found = asked(rule=rule, **more)
    assert (found.recommended, found.width) == (best, pytest.approx(w, rel=1e-9))
    assert found.regret == pytest.approx(expected, rel=1e-8)
    assert found.proved == isinstance(rule, str)
    way = [x for x in range(9) if x != best and mean[x] + w * sd[x] - (mean[best] - w * sd[best]) > 0.5]
    assert found.in_the_way == len(way)
    assert set(found.worst) <= set(way)
    assert not found.stop
    assert found.evaluate in (best, found.worst[0])
    assert found.point == tuple(POINTS[best])
    assert asked(rule=rule, **more, epsilon=expected * 1.001).stop
    assert not asked(rule=rule, **more, epsilon=expected * 0.999).stop


def test_differences_take_the_covariance():
    mean, covariance, gain = posterior()
    w, best = math.sqrt(4 + 2 * gain + 2 * math.log(10)), int(np.argmax(mean))
    apart = [math.sqrt(covariance[x, x] + covariance[best, best] - 2 * covariance[x, best]) for x in range(9)]
    expected = max(mean[x] - mean[best] + w * apart[x] for x in range(9) if x != best)
    found = asked(norm=2.0)
    assert (found.rule, found.recommended) == ("differences", best)
    assert found.regret == pytest.approx(expected, rel=1e-8)
    assert found.regret < asked(norm=2.0, rule="one-root").regret


def test_chowdhury_and_gopalan_have_a_larger_regulariser():
    mean, covariance, _ = posterior(lam=NOISE**2 * (1 + 2 / 8))
    gain = cp.certified_gain(kernel(POINTS, POINTS), 5, NOISE).upper
    w, sd = 2 + math.sqrt(2 * (gain + 1 + math.log(10))), np.sqrt(np.diagonal(covariance))
    best = int(np.argmax(mean - w * sd))
    found = asked(norm=2.0, rule="chowdhury-gopalan", horizon=8)
    assert (found.recommended, found.width) == (best, pytest.approx(w))
    expected = worst(lambda x: mean[x] - w * sd[x], lambda x: mean[x] + w * sd[x], 9, best)
    assert found.regret == pytest.approx(expected, rel=1e-8)


def drawn(covariance, evaluated, noise=0.1):
    """Values that the model may have: a draw of it, with noise."""
    prior = covariance[np.ix_(evaluated, evaluated)] + noise**2 * np.eye(len(evaluated))
    return np.linalg.cholesky(prior) @ np.random.default_rng(0).standard_normal(len(evaluated))


def test_the_widths_are_those_of_chapter_6():
    """Which ``companion bounds`` prints, at the same setting; a width after t evaluations is that of round t + 1."""
    points = np.linspace(0, 1, 50)
    covariance = cp.kernel("se", 0.2)(points[:, None])
    # Stored gains are those of some horizons; here those of the very number of points count.
    gain = {t: cp.certified_gain(covariance, t, 0.1).upper for t in (20, 21)}.__getitem__
    case = replace(case_of("se", 1, 0.1, 21, 2.0), gain=gain)
    for rule, of in {
        "srinivas": "classical/srinivas-finite",
        "lemma-6": "tsrsr/lemma-6/printed",
        "chowdhury-gopalan": "classical/chowdhury-gopalan",
        "srinivas-norm": "classical/srinivas-norm",
    }.items():
        norm = 2.0 if RULES[rule].assumption == "norm" else None
        found = cp.certificate(
            *(points, cp.kernel("se", 0.2), 0.1, np.arange(20), drawn(covariance, np.arange(20))),
            epsilon=0.1,
            norm=norm,
            rule=rule,
            horizon=21,
        )
        assert found.width == pytest.approx(BOUNDS[of].value(case), rel=1e-9), rule


def test_the_probability_of_two_candidates_is_exact():
    mean, covariance = np.array([0.3, 0.6]), np.array([[0.5, 0.2], [0.2, 0.3]])
    sd = math.sqrt(0.5 + 0.3 - 0.4)
    given = {"mean": mean, "covariance": covariance, "evaluations": 6, "delta": 0.2}
    exact = stats.norm.sf((0.3 + 0.25) / sd)
    union = cp.certificate(**given, rule="union", epsilon=0.25)
    assert (union.recommended, union.probability) == (1, pytest.approx(exact))
    assert union.regret == pytest.approx(sd * stats.norm.isf(0.2) - 0.3, abs=1e-9)
    assert union.stop == (exact <= 0.2)
    sampled = cp.certificate(**given, epsilon=0.01, draws=200_000)
    exact = stats.norm.sf((0.3 + 0.01) / sd)
    assert exact < sampled.probability < exact + 0.01
    assert not sampled.stop
    assert sampled.regret == pytest.approx(sd * stats.norm.isf(0.19) - 0.3, abs=0.02)


def test_sampling_takes_the_joint_posterior():
    """Against two million draws made here; by correlation the sum over candidates is far too large."""
    mean, covariance, _ = posterior(np.linspace(0, 1, 40)[:, None] * np.ones(2))
    best, epsilon = int(np.argmax(mean)), 0.05
    root = np.linalg.cholesky(covariance + 1e-10 * np.eye(40))
    draws = mean + np.random.default_rng(0).standard_normal((100_000, 40)) @ root.T
    truth = float((draws.max(axis=1) - draws[:, best] > epsilon).mean())
    given = {"mean": mean, "covariance": covariance, "evaluations": 5, "epsilon": epsilon}
    found = cp.certificate(**given, draws=100_000)
    assert truth < found.probability < truth + 0.012
    assert cp.certificate(**given, rule="union").probability > truth + 0.3
    few = cp.certificate(**given, draws=100, look=10**6)
    assert few.probability > found.probability


def test_exact_limits_are_those_of_clopper_and_pearson():
    for bad, draws, level in ((0, 50, 0.01), (7, 50, 0.001), (49, 50, 0.2)):
        exact = stats.binomtest(bad, draws).proportion_ci(1 - 2 * level, method="exact").high
        assert stopping.exact_upper(bad, draws, level) == pytest.approx(exact)
    for limit in (0.001, 0.05, 0.3, 0.9):
        upper = [stopping.exact_upper(bad, 60, 0.003) for bad in range(61)]
        assert stopping.most_allowed(60, limit, 0.003) == sum(each <= limit for each in upper) - 1
    assert sum(stopping.level_of_look(0.1, j) for j in range(1, 10**5)) == pytest.approx(0.005, rel=1e-4)


def test_order_units_and_another_librarys_posterior_do_not_matter():
    mean, covariance, gain = posterior()
    turn = np.array([4, 2, 7, 0, 8, 1, 3, 6, 5])
    for more in ({}, {"rule": "union"}, {"rule": "srinivas"}, {"norm": 2.0}, {"norm": 2.0, "rule": "one-root"}):
        found = asked(**more, draws=20_000)
        turned = asked(POINTS[turn], **more, draws=20_000)
        assert turned.point == found.point
        scaled = cp.certificate(
            *(POINTS, lambda a, b: 9 * kernel(a, b), 3 * NOISE, WHERE, 3 * VALUES), **more, epsilon=1.5, draws=20_000
        )
        given = cp.certificate(
            **{"mean": mean, "covariance": covariance, "evaluations": 5, "gain": gain, **more},
            epsilon=0.5,
            draws=20_000,
        )
        assert (turned.stop, scaled.stop, given.stop) == (found.stop,) * 3
        rough = 0.03 if found.rule == "probability" else 1e-7
        assert [turned.regret, scaled.regret / 3, given.regret] == pytest.approx([found.regret] * 3, rel=rough)


def test_what_libraries_ship_is_named_as_unproved():
    kept = widths.load().tables["width_defaults"]
    kept = kept[(kept.library == "optuna")]
    assert len(kept) > 100
    for row in kept.itertuples():
        assert stopping.optuna_width(row.t, row.dim) == pytest.approx(row.width)
    for rule in stopping.SHIPPED:
        found = asked(rule=rule)
        assert not found.proved
        assert "no theorem" in found.why
    assert not stopping.plateau(np.array([1.0, 3.0, 2.0, 3.1]), 2)
    assert stopping.plateau(np.array([1.0, 3.0, 2.0, 3.0]), 2)
    assert not stopping.plateau(np.array([3.0, 1.0]), 2)
    left = stopping.improvement_left(np.array([[2.0, 1.9]]), np.array([[1e-9, 0.05]]))
    z = -0.1 / 0.05
    assert float(left[0]) == pytest.approx((-0.1 * stats.norm.cdf(z) + 0.05 * stats.norm.pdf(z)) / 2.0, rel=1e-3)


def test_a_session_certifies_what_it_was_told():
    line = cp.Candidates(np.linspace(0, 1, 21), cp.Matern(2.5, 0.3), noise_sd=0.1)
    session = cp.for_problem("gp-ucb", line, seed=0)
    for _ in range(6):
        x = line.at(session.ask())[0, 0]
        session.tell(1.5 - 4 * (x - 0.7) ** 2)
    found = session.certificate(0.3)
    direct = cp.certificate(line.points, line.kernel, 0.1, session.asked, session.values, epsilon=0.3)
    assert found == direct
    assert repr(found).startswith(("<stop: candidate", "<go on: candidate"))
    fresh = cp.for_problem("gp-ucb", line, seed=0).certificate(0.3)
    assert (fresh.stop, fresh.evaluations) == (False, 0)
    sky = cp.ContextBox(0.0, 1.0, context_low=-1.0, context_high=1.0)
    with pytest.raises(ParameterError, match=r"^problem:"):
        cp.for_problem("wdrbo", sky, seed=0, horizon=20).certificate(0.3)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"epsilon": 0.0}, "epsilon: got 0.0"),
        ({"delta": 1.0}, "delta: got 1.0"),
        ({"norm": -1.0}, "norm: got -1.0"),
        ({"rule": "one-root"}, "^rule:"),
        ({"rule": "union", "norm": 1.0}, "^rule:"),
        ({"rule": "unoin"}, "Did you mean 'union'"),
        ({"rule": "lemma-6"}, "horizon: is missing"),
        ({"rule": "lemma-6", "horizon": 3}, "^horizon:"),
        ({"mean": np.zeros(9)}, "^kernel:"),
        ({"gain": 1.0}, "^gain:"),
        ({"look": 0}, "look: got 0"),
    ],
)
def test_bad_arguments_are_refused_by_name(changes, message):
    with pytest.raises(ParameterError, match=message):
        asked(**changes)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ((POINTS, kernel, NOISE, [0, 9], [1.0, 2.0]), "^evaluated:"),
        ((POINTS, kernel, NOISE, [0, 1], [1.0]), "values: are 1"),
        ((POINTS, kernel, NOISE, [0], [math.nan]), "values: contain NaN"),
        ((POINTS, np.eye(8), NOISE, [0], [1.0]), "kernel: has shape"),
        ((POINTS, np.eye(9), NOISE, WHERE, VALUES), "^evaluated:"),
        ((POINTS, kernel, NOISE, [[0.1]], [1.0]), "^evaluated:"),
        ((POINTS, kernel, NOISE), "evaluated: is missing"),
    ],
)
def test_evaluations_that_do_not_fit_are_refused(given, message):
    with pytest.raises(ParameterError, match=message):
        cp.certificate(*given, epsilon=0.1)


def test_a_posterior_that_is_none_is_refused():
    for mean, covariance, message in (
        ([0.0, 1.0], np.eye(3), "covariance: has shape"),
        ([0.0, math.inf], np.eye(2), "mean: contain"),
        ([0.0, 1.0], [[1.0, 0.5], [0.1, 1.0]], "covariance: is not symmetric"),
    ):
        with pytest.raises(ParameterError, match=message):
            cp.certificate(mean=mean, covariance=covariance, evaluations=2, epsilon=0.1)
    with pytest.raises(ParameterError, match="gain: is missing"):
        cp.certificate(mean=[0.0, 1.0], covariance=np.eye(2), evaluations=2, epsilon=0.1, norm=1.0)


@pytest.mark.parametrize(
    "more", [{"norm": 2.0}, {"rule": "union"}, {"norm": 2.0, "rule": "chowdhury-gopalan", "horizon": 8}]
)
def test_many_candidates_need_no_covariance(more, monkeypatch):
    line, told = cp.grid(40, dim=1), ([0, 10, 30], [0.1, 1.2, 0.4])
    dense = cp.certificate(line, cp.kernel("se", 0.3), 0.1, *told, epsilon=0.5, **more)
    monkeypatch.setattr(candidate_model, "MAX_CANDIDATES", 10)
    many = cp.certificate(line, cp.kernel("se", 0.3), 0.1, *told, epsilon=0.5, **more)
    assert many.recommended == dense.recommended
    assert many.regret == pytest.approx(dense.regret, rel=0.05 if "horizon" in more else 1e-9)


def test_where_too_many_matter_the_union_bound_stands_in(monkeypatch):
    monkeypatch.setattr(sys.modules["companion.policies.stopping_certificate"], "MOST_DRAWN", 0)
    line, told = cp.grid(40, dim=1), ([0, 10, 30], [0.1, 1.2, 0.4])
    found, union = (
        cp.certificate(line, cp.kernel("se", 0.3), 0.1, *told, epsilon=0.01, rule=rule)
        for rule in ("probability", "union")
    )
    assert found.probability == pytest.approx(union.probability)
    assert found.regret >= union.regret


# -- the small terms that make the promise exact, which no simulation sees: hand-made posteriors at the edge -------------------


def rivals(chances):
    """A posterior in which candidate x > 0 is better than 0 with probability ``chances[x - 1]``, independently: f(0) = 0."""
    mean = np.concatenate([[0.0], stats.norm.ppf(chances)])
    return {"mean": mean, "covariance": np.diag([0.0, *np.ones(len(chances))]), "evaluations": 7}


#: Epsilon, next to differences of standard deviation one.
TINY = 1e-9


def test_the_share_of_delta_that_sampling_may_use_is_no_longer_there_for_the_union_bound():
    """Union .097 at delta .1: the union bound by itself may stop, the rule that may also look by draws has .095."""
    for union, sampled_stops in ((0.097, False), (0.0951, False), (0.0949, True)):
        given = rivals([union / 2, union / 2])
        assert cp.certificate(**given, epsilon=TINY, rule="union").stop
        found = cp.certificate(**given, epsilon=TINY)
        assert found.stop == sampled_stops, union
        assert (found.evaluate is None) == found.stop
    assert not cp.certificate(**rivals([0.05, 0.0501]), epsilon=TINY, rule="union").stop
    found = cp.certificate(**rivals([0.04]), epsilon=TINY)
    assert found.regret == 0.0
    # Of what it loses, too, .05 of delta is spent: the 95 % of the level, not all of it.
    far = cp.certificate(mean=[0.0, 0.0], covariance=np.diag([0.0, 1.0]), evaluations=7, epsilon=3.0)
    assert far.regret == pytest.approx(stats.norm.isf(0.095), abs=1e-6)


WEAK, DRAWS = 180, 4096


def weak_and_strong(share):
    """Three strong rivals that are one, so that a union is far too large, and many that together have .0009, within .01 delta."""
    given = rivals([*np.full(3, share), *np.full(WEAK, 0.0009 / WEAK)])
    given["covariance"][1:4, 1:4] = 1.0
    return given


def limits(level):
    """Clopper and Pearson's upper limits of 0, 1, 2, ... bad draws."""
    return stats.beta.isf(level, np.arange(1, 600), DRAWS - np.arange(600 - 1))


def test_what_weak_candidates_add_counts_against_delta():
    """The candidates that are not drawn are paid for: the limit of the draws and what they may add must stay within .095."""
    grid, edges = limits(0.05 * 0.1 * 6 / (math.pi**2 * 64)), 0
    for seed in range(25):
        found = cp.certificate(**weak_and_strong(0.0791), epsilon=TINY, draws=DRAWS, seed=seed)
        left = found.probability - grid
        k = int(np.argmin(np.abs(left - 0.0009)))
        assert left[k] == pytest.approx(0.0009, abs=1e-8), "the exact limit of a count, and what the weak ones add"
        if grid[k] <= 0.095 < grid[k] + 0.0009:
            edges += 1
            assert not found.stop
        assert found.stop == (grid[k] + 0.0009 <= 0.095)
    assert edges >= 3


def test_what_can_be_promised_is_what_the_rule_would_stop_at():
    """The draws of one look decide for every epsilon: at the promised loss the rule stops, below it it goes on."""
    for seed in range(6):
        given = {**weak_and_strong(0.3), "draws": DRAWS, "seed": seed}
        loses = cp.certificate(**given, epsilon=TINY).regret
        assert loses > 0.1
        assert cp.certificate(**given, epsilon=loses * (1 + 1e-9)).stop
        assert not cp.certificate(**given, epsilon=loses * (1 - 1e-9)).stop


@pytest.mark.parametrize("rule", sorted(stopping.SHIPPED))
def test_a_shipped_rule_that_goes_on_names_no_point(rule):
    """It has no candidates in the way, so there is none to evaluate for them."""
    found = asked(rule=rule, epsilon=1e-6)
    assert not found.stop
    assert (found.evaluate, found.in_the_way, found.worst) == (None, 0, ())


@pytest.mark.parametrize(("count", "stops"), [(19, False), (20, True), (21, True)])
def test_optuna_may_stop_from_twenty_evaluations_on(count, stops):
    line = np.linspace(0, 1, 7)
    values = drawn(cp.kernel("se", 0.3)(line[:, None]), np.arange(count) % 7)
    found = cp.certificate(line, cp.kernel("se", 0.3), 0.1, np.arange(count) % 7, values, epsilon=50.0, rule="optuna")
    assert found.stop == stops


def test_every_seed_of_the_range_is_taken():
    line = cp.Candidates(np.linspace(0, 1, 5), cp.Matern(2.5, 0.3), noise_sd=0.1)
    for seed in (0, 2**63 - 1):
        cp.for_problem("gp-ucb", line, seed=seed).ask()


def test_optunas_bound_is_the_largest_upper_end_less_the_largest_lower_end_of_a_seen_one():
    mean, sd = np.array([0.0, 1.0, 2.0]), np.array([3.0, 0.5, 0.25])
    assert stopping.optuna_bound(mean, sd, np.array([True, True, False]), 2.0) == 6.0 - 0.0
    assert stopping.optuna_bound(mean, sd, np.array([True, False, False]), 2.0) == 6.0 + 6.0


# -- models that the values contradict, and models that were learnt from them ---------------------------------------------


def yields(points):
    """A yield in percent, far from mean 0 and variance 1."""
    return 50 + 20 * np.sin(9 * points) + 8 * points


def outcome(kernel, noise, mean, runs):
    """How many evaluations each run takes until it stops (0 for never), and how many of these stops lose more than 5."""
    line = np.linspace(0, 1, 51)
    stops, wrong = [], 0
    for seed in range(runs):
        rng = np.random.default_rng(seed)
        session = cp.for_problem("gp-ucb", cp.Candidates(line, kernel, noise_sd=noise), seed=seed, horizon=60)
        stops.append(0)
        while session.remaining:
            session.tell(yields(line[session.ask()]) + 2 * rng.standard_normal() - mean)
            if session.told % 2 == 0 and (found := session.certificate(5.0)).stop:
                stops[-1] = session.told
                wrong += yields(line).max() - yields(line[found.recommended]) > 5
                break
    return stops, wrong


@pytest.mark.filterwarnings("ignore:the values contradict")
@pytest.mark.parametrize("runs", [3, pytest.param(40, marks=pytest.mark.slow)])
def test_values_in_percent_stop_nothing_under_a_model_of_variance_one(runs):
    stops, wrong = outcome(cp.kernel("matern52", 0.2), 2.0, 0.0, runs)
    assert (max(stops), wrong) == (0, 0)


@pytest.mark.parametrize("runs", [5, pytest.param(40, marks=pytest.mark.slow)])
def test_an_honest_model_still_stops_after_six_values(runs):
    stops, wrong = outcome(cp.kernel("matern52", 0.2, 400.0), 2.0, 50.0, runs)
    assert (min(stops) > 0, np.median(stops), wrong) == (True, 6, 0)


RAW = {"epsilon": 0.5, "evaluated": [0, 10, 14, 20], "noise_sd": 0.5}
LINE = cp.grid(21, dim=1)


@pytest.mark.parametrize("rule", [*RULES, "optuna", "ei", 2.0])
def test_no_rule_stops_where_the_values_contradict_the_model(rule):
    norm = 2.0 if rule in RULES and RULES[rule].assumption == "norm" else None
    found = cp.certificate(
        LINE, cp.kernel("se", 0.3), values=[70.0, 71.2, 71.4, 70.2], norm=norm, rule=rule, horizon=30, **RAW
    )
    assert not found.stop
    assert not found.proved
    assert math.isnan(found.regret)
    assert "the 4 values" in found.why
    assert found.why in repr(found)


def test_a_prior_mean_is_what_is_taken_off_the_values():
    values = np.array([0.1, 1.2, 1.4, 0.2])
    plain = cp.certificate(LINE, cp.kernel("se", 0.3), values=values, **RAW)
    moved = cp.certificate(LINE, cp.kernel("se", 0.3), values=values + 70, prior_mean=70.0, **RAW)
    assert plain.checked
    assert not plain.contradicted
    assert moved.regret == pytest.approx(plain.regret, rel=1e-9)
    assert moved.recommended == plain.recommended


def test_standardised_values_keep_their_units_and_are_promised_nothing():
    values = np.array([0.1, 1.2, 1.4, 0.2])
    kernel = cp.kernel("se", 0.3)
    scaled = cp.certificate(LINE, kernel, values=70 + 6 * values, standardise=True, **(RAW | {"noise_sd": 3.0}))
    spread = np.std(6 * values, ddof=1)
    by_hand = cp.certificate(
        LINE, cp.kernel("se", 0.3, spread**2), values=6 * values - np.mean(6 * values), **(RAW | {"noise_sd": 3.0})
    )
    assert scaled.regret == pytest.approx(by_hand.regret, rel=1e-5)
    assert by_hand.proved
    assert not scaled.proved
    assert "mean and variance are those of the 4 values" in repr(scaled)
    for given in (kernel(LINE), lambda x, y: kernel(x, y)):
        same = cp.certificate(LINE, given, values=70 + 6 * values, standardise=True, **(RAW | {"noise_sd": 3.0}))
        assert same.regret == pytest.approx(scaled.regret, rel=1e-5)


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"values": [1.0, 1.0, 1.0, 1.0], "standardise": True}, "all equal"),
        ({"values": [1.0, 2.0, 3.0, 4.0], "standardise": True, "prior_mean": 3.0}, "beside standardise"),
        ({"values": [1.0, 2.0, math.nan, 4.0]}, "NaN"),
        ({"values": [1.0, 2.0, 3.0, 4.0], "observed": ([1.0], [[1.0]])}, "observed: is given beside"),
    ],
)
def test_what_cannot_be_a_prior_mean_or_a_scale_is_refused(given, words):
    with pytest.raises(ParameterError, match=words):
        cp.certificate(LINE, cp.kernel("se", 0.3), **RAW | given)


def test_the_values_behind_another_librarys_posterior_are_compared_with_its_prior():
    kernel, evaluated = cp.kernel("se", 0.3), np.array([0, 10, 14, 20])
    values, prior = np.array([0.1, 1.2, 1.4, 0.2]), kernel(LINE)
    state = cp.FinitePosterior(prior, 0.01)
    for at, value in zip(evaluated, values, strict=True):
        state.observe(int(at), value)
    covariance = np.array([state.covariance_with(k) for k in range(21)])
    given = {"mean": state.mean[0], "covariance": covariance, "evaluations": 4, "epsilon": 0.5}
    among = prior[np.ix_(evaluated, evaluated)]
    assert not cp.certificate(**given).checked
    assert cp.certificate(**given).stop
    fine = cp.certificate(**given, observed=(values, among), noise_sd=0.1)
    assert (fine.checked, fine.stop) == (True, True)
    raw = cp.certificate(**given, observed=(values + 70, among), noise_sd=0.1)
    assert (raw.checked, raw.stop, raw.proved) == (True, False, False)
    assert cp.certificate(**given, observed=(values + 70, among), noise_sd=0.1, prior_mean=70.0).stop
    for wrong in ({"noise_sd": 0.1}, {"observed": (values, among)}, {"observed": (values, prior), "noise_sd": 0.1}):
        with pytest.raises(ParameterError, match=r"noise_sd|observed"):
            cp.certificate(**given, **wrong)


def test_a_fitted_model_brings_its_mean_and_noise_and_is_promised_nothing():
    told = cp.kernel("se", 0.3, 0.8)
    fitted = cp.Fitted(told, 70.0, 0.1, ("x",), (0.1, 0.1, 0.1, 0.1), 4, -3.0, "none")
    values = 70 + np.array([0.1, 1.2, 1.4, 0.2])
    given = {"evaluated": [0, 10, 14, 20], "values": values, "epsilon": 0.5}
    found = cp.certificate(LINE, fitted, **given)
    plain = cp.certificate(LINE, told, 0.1, **given, prior_mean=70.0)
    assert found.regret == pytest.approx(plain.regret)
    assert (found.proved, plain.proved, found.fitted) == (False, True, "fitted to 4 values by GPyTorch")
    assert cp.certificate(LINE, fitted, noise_sd=0.4, **given).regret > found.regret
    with pytest.raises(ParameterError, match="beside a fitted model"):
        cp.certificate(LINE, fitted, **given, prior_mean=70.0)


def test_the_rule_for_a_fitted_model_is_wider_and_waits_for_three_looks():
    """The union bound of standard deviations times 1.25, summed by hand; a look that disagrees begins the count again."""
    line, x, y = cp.grid(15, dim=1), [0, 7, 14, 9, 10, 11], np.array([0.0, 1.0, 0.2, 1.1, 1.0, 0.8])
    kernel = cp.kernel("se", 0.3)
    prior, row = kernel(line[x]) + 0.01 * np.eye(6), kernel(line, line[x])
    mean, c = row @ np.linalg.solve(prior, y), kernel(line) - row @ np.linalg.solve(prior, row.T)
    r = int(mean.argmax())
    others = np.arange(15) != r
    sd = np.sqrt(np.diagonal(c) + c[r, r] - 2 * c[r])[others]

    def told(epsilon, factor):
        return float(stats.norm.sf((mean[r] + epsilon - mean[others]) / (factor * sd)).sum())

    def asked(epsilon, agreed):
        more = {"rule": "fitted", "fitted": "fitted by hand", "agreed": agreed}
        return cp.certificate(line, kernel, 0.1, x, y, epsilon=epsilon, **more)

    between = [e for e in np.linspace(0.01, 0.5, 50) if told(e, 1.0) <= 0.1 < told(e, 1.25)]
    assert between
    assert not asked(between[0], 2).stop
    epsilon = next(e for e in np.linspace(0.01, 1.0, 100) if told(e, 1.25) <= 0.1)
    assert asked(epsilon, 0).probability == pytest.approx(min(told(epsilon, 1.25), 1.0))
    assert [(asked(epsilon, k).agreed, asked(epsilon, k).stop) for k in range(4)] == [
        (1, False),
        (2, False),
        (3, True),
        (4, True),
    ]
    assert "it takes 3" in asked(epsilon, 0).why
    assert (asked(0.01, 2).agreed, asked(0.01, 2).stop, asked(epsilon, 2).proved) == (0, False, False)
    assert "fitted anew" in asked(epsilon, 2).evidence
