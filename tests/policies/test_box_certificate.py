"""``certificate`` on a box against dense grids, and a posterior, chains and scores written here with NumPy alone.

Mutants that these tests were seen to catch: the interpolation's error left out, the first difference of a chain left out, half of
its standard deviations, a corner with the smaller of two slacks, cells dropped, length-scales not scaled to the box, the prior
mean added twice, and the limit without the share for what lies between grid points.
"""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from scipy import stats

import companion as cp
from companion.core.errors import ParameterError
from companion.policies import box_certificate
from companion.policies.box_certificate import BETWEEN, Grids, Mesh
from companion.policies.stopping_certificate import ON_BOX

NOISE, DELTA = 0.1, 0.1
SCALES = {1: 0.3, 2: 0.6, 3: 1.0}
KERNELS = ("se", "matern52", "matern32")


def told(name, dim, count=14):
    """Values of a draw, at random places."""
    generator = np.random.default_rng([dim, 3])
    where, kernel = generator.uniform(size=(count, dim)), cp.kernel(name, SCALES[dim])
    prior = kernel(where) + NOISE**2 * np.eye(count)
    return kernel, where, np.linalg.cholesky(prior) @ generator.standard_normal(count)


def of_box(name, dim, domain="box", **more):
    kernel, where, values = told(name, dim)
    return cp.certificate(
        None, kernel, NOISE, where, values, **{"epsilon": 0.3, "delta": DELTA, "domain": domain, **more}
    )


def posterior(name, dim, points):
    kernel, where, values = told(name, dim)
    gram, cross = kernel(where) + NOISE**2 * np.eye(len(where)), kernel(points, where)
    gain = np.linalg.slogdet(gram / NOISE**2)[1] / 2
    return cross @ np.linalg.solve(gram, values), kernel(points) - cross @ np.linalg.solve(gram, cross.T), gain


def grids_of(dim):
    """Grids of growing size, the largest with about two thousand points."""
    return [cp.grid(per, dim) for per in {1: (10, 100, 1500), 2: (5, 15, 40), 3: (3, 6, 12)}[dim]]


@pytest.fixture(autouse=True)
def few(monkeypatch):
    """Corners that are drawn together: fewer promise less, in less time."""
    monkeypatch.setattr(box_certificate, "MOST_DRAWN", 400)


@pytest.mark.parametrize("dim", [1, 2, 3])
@pytest.mark.parametrize("name", KERNELS)
@pytest.mark.parametrize("rule", ["differences", "one-root", 2.0])
def test_no_grid_has_a_larger_score_than_the_upper_end(name, dim, rule):
    norm = 2.0 if isinstance(rule, str) else None
    found = of_box(name, dim, rule=rule, norm=norm, epsilon=0.01)
    for grid in grids_of(dim):
        points = np.vstack([found.point, grid])
        mean, covariance, gain = posterior(name, dim, points)
        w = math.sqrt(4 + 2 * gain + 2 * math.log(1 / DELTA)) if norm else rule
        sd = np.sqrt(np.diagonal(covariance))
        if rule == "differences":
            apart = np.diagonal(covariance) + covariance[0, 0] - 2 * covariance[0]
            excess = mean - mean[0] + w * np.sqrt(np.maximum(apart, 0))
        else:
            excess = mean + w * sd - (mean[0] - w * sd[0])
        assert found.width == pytest.approx(w)
        assert excess.max() <= found.regret * (1 + 1e-9)
    assert found.bracket[0] == pytest.approx(excess.max(), rel=0.15)
    assert found.bracket[0] <= found.regret == found.bracket[1] <= 1.021 * found.bracket[0]
    assert found.proved == isinstance(rule, str)


@pytest.mark.slow
@pytest.mark.parametrize("dim", [1, 2, 3])
@pytest.mark.parametrize("name", KERNELS)
@pytest.mark.parametrize("rule", ["probability", "union"])
def test_no_grid_loses_more_than_the_upper_end(name, dim, rule):
    found = of_box(name, dim, rule=rule, epsilon=0.05)
    quantiles = []
    for grid in grids_of(dim):
        points = np.vstack([found.point, grid])
        mean, covariance, _ = posterior(name, dim, points)
        values, vectors = np.linalg.eigh(covariance)
        root = vectors * np.sqrt(np.maximum(values, 0))
        f = mean + np.random.default_rng(1).standard_normal((4000, len(root))) @ root.T
        quantiles.append(float(np.quantile(f.max(axis=1) - f[:, 0], 1 - DELTA)))
    assert max(quantiles) <= found.regret
    assert found.bracket[0] <= found.regret == found.bracket[1]
    assert (found.probability > DELTA) == (found.regret > 0.05)
    assert of_box(name, dim, rule=rule, epsilon=1.05 * found.regret).stop


def test_sums_over_corners_and_draws_promise_alike_and_draws_promise_more():
    summed, drawn = (of_box("matern32", 2, rule=rule) for rule in ("union", "probability"))
    assert summed.point == drawn.point
    assert summed.bracket[0] == pytest.approx(drawn.bracket[0])
    assert summed.bracket[0] < drawn.regret < summed.regret
    assert drawn == of_box("matern32", 2, rule="probability")


def test_the_lower_end_is_what_one_point_may_gain():
    found = of_box("matern52", 1)
    points = np.vstack([found.point, cp.grid(1500, 1)])
    mean, covariance, _ = posterior("matern52", 1, points)
    apart = np.sqrt(np.maximum(np.diagonal(covariance) + covariance[0, 0] - 2 * covariance[0], 0))
    expected = float((mean - mean[0] + stats.norm.isf(DELTA) * apart).max())
    assert found.bracket[0] == pytest.approx(expected, rel=1e-3)


@pytest.mark.parametrize(("name", "power"), [("se", 2.0), ("matern52", 2.0), ("matern32", 1.5), ("matern12", 0.5)])
def test_a_chain_is_that_of_its_differences(name, power):
    """By prior covariances of the very points; the differences of a grid shrink like a power of its widths."""
    kernel, share = cp.kernel(name, (0.3,)), 0.01
    grids = Grids(kernel, share)
    sds, numbers = [], []
    for count in grids.counts[grids.first :, 0][:12]:
        x = np.array([[0.0], [0.5], [1.0]]) / count
        weights = np.array([-0.5, 1.0, -0.5])
        sds.append(math.sqrt(weights @ kernel(x) @ weights))
        numbers.append(count)
    rest = sds[-1] * 2.0**-power / (1 - 2.0**-power)
    z = [stats.norm.isf(share * sd / (sum(sds) + rest) / n) for sd, n in zip(sds, numbers, strict=True)]
    steps = -np.diff(grids.slack[grids.first :])[:12]
    np.testing.assert_allclose(steps, np.array(sds) * z, rtol=0.06)
    spent = stats.norm.sf(steps / np.array(sds)) * numbers
    assert 0.85 * share < spent.sum() / (1 - rest / (sum(sds) + rest)) <= 1.001 * share


@pytest.mark.parametrize("dim", [1, 2, 3])
def test_every_point_lies_in_a_cell_whose_corners_have_its_slack(dim):
    """A mesh by random choices against a list of all its cells."""
    generator = np.random.default_rng(dim)
    grids = Grids(cp.kernel("matern32", (0.5,) * dim), 0.01)
    mesh = Mesh(grids, lambda points: points[:, :1].T * [[1.0], [2.0]], 1.0)
    cells, volume = [], 0.0
    for last in (False,) * 7 + (True,):
        chosen = (generator.uniform(size=len(mesh.lowest)) < 0.6) & (not last)
        chosen[0] = not last
        kept = mesh.lowest[~chosen] / grids.counts[mesh.level]
        cells.append((kept, 1.0 / grids.counts[mesh.level], float(grids.slack[mesh.level])))
        volume += len(kept) / grids.counts[mesh.level].prod()
        if not last:
            mesh.halve(chosen)
    assert volume == pytest.approx(1.0)
    places, counted = {tuple(p): k for k, p in enumerate(mesh.points(mesh.keys).tolist())}, mesh.slack()
    wanted = np.full(len(mesh.keys), -math.inf)
    for lowest, width, slack in cells:
        for corner in itertools.product((0.0, 1.0), repeat=dim):
            for point in (lowest + width * np.array(corner)).tolist():
                wanted[places[tuple(point)]] = max(wanted[places[tuple(point)]], slack)
    np.testing.assert_array_equal(counted, wanted)
    np.testing.assert_array_equal(mesh.seen[1], 2.0 * mesh.points(mesh.keys)[:, 0])


@pytest.mark.parametrize("name", KERNELS)
@pytest.mark.parametrize("rule", ["probability", "union"])
def test_it_stops_where_the_probability_leaves_a_share_for_what_lies_between(name, rule):
    stopped = [of_box(name, 1, rule=rule, epsilon=eps) for eps in np.linspace(0.005, 0.4, 60)]
    for found in stopped:
        most = DELTA * (1.0 - (0.05 if rule == "probability" else 0.0))
        assert found.stop == (found.probability <= most * (1 + 1e-9))
    assert {found.stop for found in stopped} == {False, True}


def test_a_grid_halves_the_axis_that_is_widest_in_length_scales():
    grids = Grids(cp.kernel("se", (0.1, 0.4, 3.0)), 0.01)
    assert grids.counts[:7].astype(int).tolist() == [
        *([1, 1, 1], [2, 1, 1], [4, 1, 1], [8, 1, 1], [8, 2, 1], [16, 2, 1], [16, 4, 1]),
    ]
    assert grids.counts[grids.first].astype(int).tolist() == [16, 4, 1]
    assert (np.diff(grids.slack) < 0).all()
    assert (np.diff(grids.far) < 0).all()


@pytest.mark.parametrize("more", [{}, {"rule": "union"}, {"norm": 2.0}, {"rule": 2.0}])
def test_own_units_are_those_of_the_unit_box(more):
    kernel, where, values = told("matern52", 2)
    low, high = np.array([10.0, -5.0]), np.array([30.0, 5.0])
    own = cp.kernel("matern52", (0.6 * 20, 0.6 * 10), 4.0)
    more = {"epsilon": 0.3, "domain": "box", **more}
    one = cp.certificate(None, kernel, NOISE, where, values, **more)
    told_units = {**more, "epsilon": 0.6, "domain": cp.Box(low, high), "prior_mean": 70.0}
    if "norm" in more:
        told_units["norm"] = 2.0
    other = cp.certificate(None, own, 2 * NOISE, low + (high - low) * where, 70.0 + 2 * values, **told_units)
    assert other.stop == one.stop
    np.testing.assert_allclose(other.point, low + (high - low) * np.array(one.point), atol=1e-4)
    np.testing.assert_allclose(np.array(other.bracket) / 2, one.bracket, rtol=2e-3, atol=1e-4)


def test_what_cannot_be_decided_says_so():
    found = of_box("matern32", 2, rule="union", epsilon=0.6)
    assert (found.stop, found.decided, found.recommended) == (False, False, None)
    assert found.bracket[0] <= 0.6 < found.bracket[1]
    assert "cannot decide on 0.6" in found.why
    assert repr(found).startswith("<go on, cannot decide: point (")
    sure = of_box("matern32", 2, epsilon=0.01)
    assert (sure.stop, sure.decided) == (False, True)
    assert len(sure.evaluate) == 2
    stopped = of_box("se", 1, epsilon=1.0)
    assert (stopped.stop, stopped.decided, stopped.evaluate) == (True, True, None)
    assert "no point of the box" in stopped.why


def test_values_that_the_model_cannot_have_promise_nothing():
    kernel, where, values = told("se", 1)
    found = cp.certificate(None, kernel, NOISE, where, 100 + values, epsilon=0.3, domain="box")
    assert (found.stop, found.proved, found.bracket, found.evaluate) == (False, False, None, None)
    assert "a mean of about" in found.contradicted
    assert math.isnan(found.regret)


def test_a_model_that_rests_on_the_values_is_not_proved():
    kernel, where, values = told("se", 1)
    found = cp.certificate(None, kernel, NOISE, where, 50 + values, epsilon=0.5, domain="box", standardise=True)
    assert "mean and variance" in found.fitted
    fitted = cp.Fitted(kernel, 0.0, NOISE, ("x",), (0.1, 0.7, 0.4, 0.2), 14, -1.0, "none")
    found = cp.certificate(None, fitted, None, where, values, epsilon=0.5, domain="box")
    assert not found.proved
    assert "fitted to 14 values" in found.fitted
    assert not math.isnan(found.regret)


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ({"rule": "srinivas"}, "rule: 'srinivas' is for candidates"),
        ({"rule": "lemma-6"}, "one of probability, union, differences, one-root, two-roots"),
        ({"rule": "chowdhury-gopalan", "norm": 1.0}, "rule: 'chowdhury-gopalan' is for candidates"),
        ({"rule": "optuna"}, "rule: 'optuna' is for candidates"),
        ({"candidates": np.zeros((3, 1))}, "candidates: is given beside a box"),
        ({"horizon": 20}, "horizon: is given beside a box"),
        ({"mean": [0.0]}, "mean: is given beside a box"),
        ({"evaluated": [0, 1]}, "evaluated: are indices"),
        ({"evaluated": []}, "evaluated: are none"),
        ({"evaluated": [0.5, 1.5]}, "(1.5,), which lies outside of the box"),
        ({"evaluated": [[0.1, 0.2], [0.3, 0.4]], "domain": cp.Box([0.0], [1.0])}, "have 2 coordinates; expected 1"),
        ({"evaluated": [0.5]}, "values: are 2; expected 1"),
        ({"evaluated": np.full((2, 7), 0.5)}, "domain: has 7 coordinates; expected at most 6"),
        ({"domain": "cube"}, "domain: got 'cube'; expected 'box'"),
        ({"kernel": lambda x, y: x @ y.T}, "kernel: is of type function"),
        ({"kernel": cp.kernel("se", (0.3, 0.2))}, "lengthscale: has 2 entries"),
        ({"kernel": None}, "kernel: is missing"),
    ],
)
def test_what_does_not_go_with_a_box_is_refused(more, said):
    given = {"kernel": cp.kernel("se", 0.3), "evaluated": [0.5, 0.6], "values": [0.1, 0.2], "domain": "box", **more}
    with pytest.raises(ParameterError) as caught:
        cp.certificate(noise_sd=NOISE, epsilon=0.3, **given)
    assert said in str(caught.value)


def test_every_rule_of_a_box_answers():
    for rule in ON_BOX:
        found = of_box("se", 1, rule=rule, norm=None if rule in ("probability", "union") else 2.0)
        assert found.proved
        assert found.rule == rule
        assert found.evaluations == 14
    assert 0 < BETWEEN < 1


@pytest.mark.slow
@pytest.mark.parametrize(("name", "dim", "epsilon"), [("se", 1, 0.1), ("matern32", 1, 0.25), ("se", 2, 0.25)])
def test_promises_are_kept(name, dim, epsilon):
    """Draws on a fine grid; at most a share delta of the runs stops with a point that loses more."""
    kernel, grid = cp.kernel(name, SCALES[dim]), cp.grid({1: 257, 2: 21}[dim], dim)
    prior = kernel(grid)
    root, broken, stopped, runs = np.linalg.cholesky(prior + 1e-10 * np.eye(len(grid))), 0, 0, 60
    for seed in range(runs):
        generator = np.random.default_rng([seed, dim])
        f = root @ generator.standard_normal(len(grid))
        state, at, values = cp.FinitePosterior(prior, NOISE**2), [], []
        for t in range(30):
            scores = state.mean[0] + 2 * np.sqrt(state.variance[0])
            at.append(int(np.argmax(scores)) if t > 2 else int(generator.integers(len(grid))))
            values.append(float(f[at[-1]] + NOISE * generator.standard_normal()))
            state.observe(at[-1], values[-1])
            if t < 4 or t % 3:
                continue
            found = cp.certificate(
                None, kernel, NOISE, grid[at], values, epsilon=epsilon, rule="union", domain="box", delta=DELTA
            )
            if found.stop:
                near = kernel(np.array([found.point]), grid)
                there = float((near @ np.linalg.solve(prior + 1e-10 * np.eye(len(grid)), f))[0])
                stopped, broken = stopped + 1, broken + (f.max() - there > epsilon)
                break
    assert stopped > 0.5 * runs
    assert stats.binomtest(broken, runs, DELTA, alternative="greater").pvalue > 1e-3
