"""Pictures of the idea: transport, other balls, one round, and the cards."""

import dataclasses
import math

import numpy as np
import pytest
from scipy.optimize import linprog
from scipy.stats import norm, wasserstein_distance
from tolerances import INNER_ROUNDING

from companion.core.randomness import stream
from companion.gp import Matern
from companion.pages.figures import LIGHT
from companion.papers.wdrbo.method.methods import METHODS, Settings, discrepancy_radius
from companion.papers.wdrbo.method.policy import AcquisitionPolicy
from companion.papers.wdrbo.page import (
    balls,
    bound,
    cards,
    delivery,
    picture,
    radius,
    stored_runs,
)
from companion.papers.wdrbo.problems.catalogue import NAMES, chapter_problem
from companion.papers.wdrbo.problems.general import TOLD, TRUE

#: Of radii found by bisection, and of a worst mean that an interior point method finds.
FOUND = 1e-5


@pytest.fixture(scope="module", params=[0, 4])
def three(request):
    return balls.three_balls(picture.ball_picture(request.param, 0.08))


def test_plans_lead_from_the_told_to_the_worst_law_at_the_cost_of_the_radius(three):
    at, told = three.picture.contexts, three.picture.told
    for radius_, law, plan in zip(three.radii, three.worst, three.plans, strict=True):
        for column, weights in ((0, told), (1, law)):
            sums = [plan[np.isclose(plan[:, column], c), 2].sum() for c in at]
            np.testing.assert_allclose(sums, weights, atol=1e-8)
        cost = plan[:, 2] @ np.abs(plan[:, 1] - plan[:, 0])
        assert cost == pytest.approx(wasserstein_distance(at, at, told, law), abs=1e-8)
        assert cost <= radius_ + INNER_ROUNDING
    np.testing.assert_allclose(three.worst @ three.picture.values[0], three.means, atol=1e-9)


def test_a_plan_keeps_the_order_of_the_mass():
    points = np.array([0.0, 1.0, 2.0, 5.0])
    plan = balls.transport_plan(points, np.array([0.5, 0.5, 0, 0]), np.array([0, 0.25, 0.5, 0.25]))
    np.testing.assert_allclose(plan, [[0, 1, 0.25], [0, 2, 0.25], [1, 2, 0.25], [1, 5, 0.25]])


def test_worst_laws_of_the_three_balls_are_as_bad_as_one_another_and_each_nearest_in_its_own_distance(three):
    found = balls.balls_numbers(three)
    assert found.alike
    assert found.own_least
    target = three.rows["worst mean"].iloc[0]
    kernel = balls.kernel_of(three.picture.contexts)
    for (kind, law), row in zip(three.rivals.items(), three.rows.to_dict("records"), strict=True):
        assert kind == row["ball"]
        assert law.sum() == pytest.approx(1.0)
        assert (law >= -1e-12).all()
        gap = law - three.picture.told
        assert three.picture.values[0] @ law == pytest.approx(target, abs=FOUND)
        assert row["mass moved"] == pytest.approx(np.maximum(gap, 0).sum())
        assert row["MMD"] ** 2 == pytest.approx(gap @ kernel @ gap)
    swapped = dataclasses.replace(three, rows=three.rows.assign(**{"mass moved": [0.1, 0.5, 0.2]}))
    assert not balls.balls_numbers(swapped).own_least
    lifted = three.own.assign(**{f"worst mean, n = {found.few}": 0.0})
    assert not balls.balls_numbers(dataclasses.replace(three, own=lifted)).everything


def test_radii_of_the_rivals_are_those_of_the_methods():
    problem = chapter_problem("newsvendor")
    box = problem.low, problem.high, problem.context_low, problem.context_high
    policy = AcquisitionPolicy("drbo-mmd", *box, lambda name, t: stream(0, name, t), Settings())
    draws = np.random.default_rng(0)
    for x, c in zip(draws.random(8), draws.random(8), strict=True):
        policy.tell(np.array([x]), np.array([c]), float(x * c))
    ball = METHODS["drbo-mmd"].build(policy.situation()).ball
    assert ball.radius == pytest.approx(discrepancy_radius(8, Settings().confidence))
    # DRBO-KDE's worst mean, with its radius, from the values it sees.
    rule = METHODS["drbo-kde"].build(policy.situation())
    table = rule.surrogate.table(np.array([[0.3]]), rule.support, rule.width)[0]
    own, taken = np.sort(table[: Settings().robust_samples])[::-1], balls.variation_radius(8, 1) / 2
    count = taken * len(own)
    whole = int(count)
    lowered = np.concatenate([np.full(whole, table.min()), own[whole:]])
    lowered[whole] += (count - whole) * (table.min() - own[whole])
    assert rule(np.array([[0.3]]))[0] == pytest.approx(lowered.mean())


def test_one_round_by_dense_algebra():
    """The page's own formulas on the run's pairs, one after another."""
    shown = delivery.delivery(0.12, 0.1)
    seen, errors = delivery.of_the_page(shown)
    pairs = np.stack(np.meshgrid(shown.grid, shown.grid, indexing="ij"), axis=-1).reshape(-1, 2)
    kernel, at, y = Matern(2.5, 0.3)(pairs, pairs), [], []
    for c, error in zip(seen[0, : delivery.PAIRS + 1], errors[0], strict=False):
        solved = np.linalg.solve(kernel[np.ix_(at, at)] + 0.01 * np.eye(len(at)), kernel[at])
        spread = np.sqrt(1 - np.sum(kernel[at] * solved, axis=0))
        upper = (solved.T @ np.array(y, dtype=float) + delivery.WIDTH * spread).reshape(21, 21)
        steep = np.abs(np.diff(upper, axis=1)).max(axis=1) * 20
        x = int((upper @ shown.told - 0.12 * steep).round(9).argmax())
        at, y = [*at, 21 * x + c], [*y, shown.reward[x, c] + error]
    found = delivery.one_round(0.12, 0.1)
    np.testing.assert_allclose(found.upper, upper, atol=1e-7)
    np.testing.assert_allclose(found.lipschitz, steep, atol=1e-5)
    assert found.choice["wdrbo"] == x
    assert found.choice["erbo"] == int((upper @ shown.told).argmax())
    exact = [worst_by_program(row, shown.grid, shown.told, 0.12) for row in upper]
    assert found.choice["exact"] == int(np.argmax(exact))
    n = delivery.round_numbers(found)
    assert n.wdrbo_regret == pytest.approx(shown.worth.max() - shown.worth[x])


def worst_by_program(values, points, weights, radius):
    """The worst mean, as a linear program in what goes from where to where."""
    size = len(values)
    way = np.abs(points[:, None] - points).ravel()
    leaves = np.kron(np.eye(size), np.ones(size))
    return linprog(np.tile(values, size), way[None], [radius], leaves, weights).fun


def test_the_delivery_round_is_figure_1_on_a_grid():
    shown = delivery.delivery(0.12, 0.1)
    for x, c in ((0, 3), (4, 10), (20, 20)):
        slack, traffic = x / 20, c / 20
        assert shown.reward[x, c] == pytest.approx(1 - abs(traffic - 0.5) / (slack + 0.2) - math.sqrt(slack + 0.05))
    for law, mean, sd in ((shown.told, *TOLD), (shown.true, *TRUE)):
        assert law == pytest.approx(norm.pdf(shown.grid, mean, sd) / norm.pdf(shown.grid, mean, sd).sum())
    n = delivery.delivery_numbers(shown)
    assert n.distance == pytest.approx(np.abs(np.cumsum(shown.told - shown.true)).sum() / 20)
    assert (n.worst, n.chance) == pytest.approx((np.ptp(shown.worth), shown.worth.max() - shown.worth.mean()))
    assert n.norm <= n.B
    np.testing.assert_allclose(n.steep, 1 / (shown.grid + 0.2))


def test_cards_have_the_sizes_and_optima_of_the_problems():
    found, maps = cards.problem_numbers(), cards.problem_maps()
    assert set(maps.found) == {name for name in NAMES if "portfolio" not in name}
    for name, one in maps.items():
        problem = chapter_problem(name)
        assert (found[f"{name}_dx"], found[f"{name}_dc"]) == (problem.dim, problem.context_dim)
        assert found[f"{name}_best"] == problem.optimum
        if one.best_up is not None:
            assert problem.optimum - 0.02 * abs(problem.optimum) <= one.values.max() <= problem.optimum + 1e-9
    assert float(found.portfolio_normal_real) == pytest.approx(19.749)
    assert found.camel_best == pytest.approx(-1 / 3)
    assert cards.method_numbers().discrepancy == pytest.approx(4.146, abs=1e-3)


def test_pictures_draw(three):
    for figure in (balls.transport(three), balls.rivals(three)):
        assert len(figure.render(LIGHT)) > 10_000
    study = radius.radius_study(0, 4, 12, 1.0, 0.1)
    assert len(radius.radii(study).render(LIGHT)) > 5_000
    assert len(delivery.plans(delivery.delivery(0.12, 0.1)).render(LIGHT)) > 5_000
    measured = bound.bound_study(3, 4, 12, 0.12, 0.1)
    words = {step.name: f"step {k}" for k, step in enumerate(measured.chains[bound.GENERAL, "ours"])}
    assert len(bound.waterfall(measured, words).render(LIGHT)) > 10_000
    wide = dataclasses.replace(measured, rows=measured.rows.assign(low=-measured.rows.high))
    assert len(bound.bound(wide).render(LIGHT)) > 10_000


def test_rivals_are_counted_by_their_mean_ratio(small):
    found = stored_runs.rival_numbers(small)
    assert len(found.ahead) + len(found.behind) == 8
    curves = {m: [small.curve("cumulative", p, m).mean[-1] for p in small.problems] for m in ("erbo", "wdrbo")}
    ahead = np.log(curves["erbo"]).sum() < np.log(curves["wdrbo"]).sum()
    assert ("ERBO" in found.ahead) == ahead
    best = stored_runs.lowest_level(small, "text")
    assert (best.sum() >= 1).all()


def test_the_listing_again_is_a_run_of_each_rule_on_common_contexts():
    study = delivery.repeats(3, 4, 0.12, 0.1, rounds=6)
    alone = delivery.repeats(5, 1, 0.12, 0.1, rounds=6)
    for rule in ("erbo", "wdrbo", "updated"):
        assert study.regret[rule][2] == pytest.approx(alone.regret[rule][0])
        assert study.tight[rule][2] == alone.tight[rule][0]
    told = {**study.regret, "wdrbo": study.regret["erbo"] - np.array([1.0, -1.0, 1.0, 0.0])}
    found = delivery.repeat_numbers(dataclasses.replace(study, regret=told))
    assert (found.runs, found.better) == (4, 2)
    assert found.wdrbo == pytest.approx(found.erbo - 0.25)
    right = delivery.repeats(3, 4, 0.0, 0.1, rounds=6, right=True)
    np.testing.assert_array_equal(right.regret["wdrbo"], right.regret["erbo"])


def test_an_updated_forecast_is_the_mean_of_forecast_and_traffic_seen():
    shown, (seen, errors) = delivery.delivery(0.12, 0.1), delivery.of_the_page(delivery.delivery(0.12, 0.1))
    turned = 0
    for after in range(24):
        _, (upper,) = delivery.played(shown, 0.0, seen, errors, until=after, learns=True)
        told = (delivery.DAYS * shown.told + np.bincount(seen[0, :after], minlength=21)) / (delivery.DAYS + after)
        chosen = delivery.played(shown, 0.0, seen, errors, until=after + 1, learns=True)[0][after, 0]
        assert chosen == (upper @ told).round(9).argmax()
        turned += chosen != (upper @ shown.told).round(9).argmax()
    assert turned


def test_insurances_are_the_listing_under_other_truths():
    study, listed = delivery.insurances(1, 3, 0.12, 0.1, rounds=6), delivery.repeats(1, 3, 0.12, 0.1, rounds=6)
    right = delivery.repeats(1, 3, 0.06, 0.1, rounds=6, right=True)
    for rule, name in (("ERBO", "erbo"), ("WDRBO", "wdrbo"), ("forecast updated", "updated")):
        assert study.of(rule, 1.0) == pytest.approx(listed.regret[name].mean())
    assert study.of("half the radius", 0.0) == pytest.approx(right.regret["wdrbo"].mean())
    n = delivery.insurance_numbers(study)
    assert n.half_costs == pytest.approx(right.regret["wdrbo"].mean() - right.regret["erbo"].mean())
    assert n.updated_gains == pytest.approx(listed.regret["erbo"].mean() - listed.regret["updated"].mean())


def test_break_evens_weigh_costs_against_gains():
    costs, gains = np.array([2.0, 4.0, 3.0]), np.array([1.0, 1.0, 1.0])
    chance, error = delivery.break_even(costs, gains)
    assert chance == pytest.approx(0.75)
    assert error == pytest.approx(1 / 16 / math.sqrt(3))  # the slope of a / (a + 1) at a = 3 is 1 / 16
    n = delivery.break_evens(1, 5, 0.12, 0.1)
    wrong, right = (delivery.repeats(1, 5, 0.12, 0.1, right=told).regret for told in (False, True))
    cost = (right["wdrbo"] - right["updated"]).mean()
    assert n.wdrbo_updated == pytest.approx(cost / (cost + (wrong["updated"] - wrong["wdrbo"]).mean()))


def test_rules_meet_where_their_curves_cross():
    study = delivery.insurances(1, 3, 0.12, 0.1, rounds=6)
    rows = study.rows.assign(regret=np.where(study.rows.rule == "WDRBO", 1.0, study.rows.distance / 0.06))
    at, height = delivery.Insurances(rows, 3, 0.12).meets("WDRBO", "ERBO")
    assert (at, height) == pytest.approx((0.06, 1.0))


def test_radii_of_the_delivery_round():
    found = delivery.radii(0, 6, 12, 0.1)
    assert found.single == pytest.approx(math.sqrt(2 * (math.log(10) + math.log1p(24)) / 12))
    assert found.used == pytest.approx(0.3 / math.sqrt(12))
    game = delivery.games(0, 6, 12, 0.0, 0.1)[1]
    needed = np.sort((bound.play(game).deviation[:, 1:] * np.sqrt(np.arange(1, 12))).max(axis=1))
    assert found.needed == pytest.approx(needed[5] / math.sqrt(12))
