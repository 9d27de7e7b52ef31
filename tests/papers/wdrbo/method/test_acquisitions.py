"""Acquisition functions of all methods: values from first principles, exact gradients, and the search that shares them."""

import gc
import math
import weakref

import numpy as np
import pytest
from scipy.stats import qmc
from tolerances import ACQUISITION_GRADIENT, CERTIFIED_GRADIENT, POSTERIOR_ATOL, SCREENED_ATOL

from companion.core.errors import ParameterError
from companion.core.randomness import stream
from companion.papers.wdrbo.method import methods, minmax
from companion.papers.wdrbo.method.acquisitions import (
    BallAcquisition,
    ContextualAcquisition,
    PenalisedAcquisition,
    best_rows,
    published_variation_rule,
    variation_rule,
)
from companion.papers.wdrbo.method.maximiser import GridAndAscent, PublishedAdam, sobol
from companion.papers.wdrbo.method.methods import METHODS, Settings, Situation, density_samples, method_by_name
from companion.papers.wdrbo.method.model import Hyperparameters, Surrogate

DIMENSIONS = [(1, 1), (2, 1), (2, 2)]


def situation(name, dx=1, dc=1, reading="text", n=30, seed=0, scale=0.3, **changes):
    g = np.random.default_rng([seed, dx, dc])
    x, c = g.uniform(size=(n, dx)), np.clip(g.normal(0.5, 0.2, size=(n, dc)), 0, 1)
    y = np.sin(7 * x.sum(axis=1)) + np.cos(9 * c.sum(axis=1) * (0.5 + x[:, 0])) + 0.05 * g.normal(size=n)
    uses = METHODS[name].uses_context
    z = np.concatenate([x, c], axis=1) if uses else x
    model = Surrogate(z, y, Hyperparameters((scale,) * z.shape[1], 0.01))
    even = np.full(n, 1.0 / n)
    return Situation(
        model, c, c, even, Settings(reading=reading, **changes), lambda what, whole=7: stream(seed, what, whole)
    )


def built(name, *args, **changes):
    return METHODS[name].build(situation(name, *args, **changes))


def upper(view, x, contexts):
    """U at every pair, by the plain posterior."""
    return np.array(
        [view.surrogate.upper(np.column_stack([np.tile(row, (len(contexts), 1)), contexts]), 1.5) for row in x]
    )


# --- gradients --------------------------------------------------------------------------------------------------------


def central(acquisition, x, step):
    found = np.empty_like(x)
    for i in range(x.shape[1]):
        shift = step * np.eye(x.shape[1])[i]
        found[:, i] = (acquisition(x + shift) - acquisition(x - shift)) / (2 * step)
    return found


@pytest.mark.parametrize("reading", ["text", "code"])
@pytest.mark.parametrize(("dx", "dc"), DIMENSIONS)
@pytest.mark.parametrize("name", METHODS)
def test_gradients_are_exact(name, dx, dc, reading, monkeypatch):
    monkeypatch.setattr(methods, "DISCREPANCY_TOLERANCE", 1e-9)
    acquisition = built(name, dx, dc, reading)
    step, atol = (1e-3, CERTIFIED_GRADIENT) if name == "drbo-mmd" else (1e-5, ACQUISITION_GRADIENT)
    x = np.random.default_rng(1).uniform(0.05, 0.95, size=(12, dx))
    # The published two-case formula mixes rows; one row at a time has no such jumps.
    values = np.concatenate([acquisition.with_gradient(row[None, :])[0] for row in x])
    gradient = np.concatenate([acquisition.with_gradient(row[None, :])[1] for row in x])
    alone = lambda points: np.concatenate([acquisition(row[None, :]) for row in points])  # noqa: E731
    np.testing.assert_allclose(values, alone(x), atol=1e-8)
    # Worst cases switch at kinks; where one lies between the points of a difference, half the step gives another one.
    difference = central(alone, x, step)
    usable = (np.abs(difference - central(alone, x, step / 2)) < atol).all(axis=1)
    assert usable.sum() >= 6
    difference = difference[usable]
    if name == "wdrbo" and reading == "code":
        # The published penalty is a constant to automatic differentiation: the gradient is ERBO's.
        erbo = built("erbo", dx, dc)
        np.testing.assert_allclose(gradient, erbo.with_gradient(x)[1], atol=POSTERIOR_ATOL)
        assert np.abs(gradient[usable] - difference).max() > 0.1
    else:
        np.testing.assert_allclose(gradient[usable], difference, atol=atol)


@pytest.mark.parametrize(("dx", "dc"), DIMENSIONS)
def test_the_gradient_of_the_penalty_is_needed(dx, dc):
    """The test above would catch a penalty left out: it is far from zero here."""
    view = situation("wdrbo", dx, dc)
    with_it = METHODS["wdrbo"].build(view)
    x = np.random.default_rng(1).uniform(0.05, 0.95, size=(12, dx))
    without = METHODS["erbo"].build(view).with_gradient(x)[1]
    assert np.abs(with_it.with_gradient(x)[1] - without).max() > 1e3 * ACQUISITION_GRADIENT


# --- values -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("dx", "dc"), DIMENSIONS)
def test_wdrbo_is_the_mean_minus_radius_times_the_steepest_context_slope(dx, dc):
    view = situation("wdrbo", dx, dc)
    acquisition = METHODS["wdrbo"].build(view)
    x = np.random.default_rng(2).uniform(size=(5, dx))
    per_axis = {1: 101, 2: 21}[dc]
    nodes = np.stack([a.ravel() for a in np.meshgrid(*[np.linspace(0, 1, per_axis)] * dc, indexing="ij")], axis=1)
    slopes = []
    for j in range(dc):
        shift = 1e-5 * np.eye(dc)[j]
        slopes.append((upper(view, x, nodes + shift) - upper(view, x, nodes - shift)) / 2e-5)
    steepest = np.sqrt(np.sum(np.square(slopes), axis=0)).max(axis=1)
    expected = upper(view, x, view.contexts).mean(axis=1) - 0.3 / math.sqrt(30) * steepest
    np.testing.assert_allclose(acquisition(x), expected, atol=ACQUISITION_GRADIENT)
    # No secant of U between nodes is steeper than the steepest gradient over a grid this fine, to its spacing.
    table = upper(view, x, nodes)
    if dc == 1:
        secant = np.abs(np.diff(table, axis=1)).max(axis=1) * 100
        assert (secant <= steepest * 1.01).all()
        assert (secant >= steepest * 0.9).all()


def test_penalised_value_is_below_the_exact_worst_case_which_is_below_the_mean():
    for seed in range(5):
        view = situation("wdrbo", seed=seed)
        x = np.linspace(0, 1, 30)[:, None]
        penalised, exact, mean = (METHODS[name].build(view)(x) for name in ("wdrbo", "wdrbo-exact", "erbo"))
        assert (penalised <= exact + 1e-3).all()  # the steepest slope is looked for on a grid
        assert (exact <= mean + POSTERIOR_ATOL).all()
        assert (mean - exact).max() > 0.01
        assert (exact - penalised).max() > 0.01


def test_exact_worst_case_is_over_atoms_and_grid_with_the_radius_of_the_setting():
    acquisition = built("wdrbo-exact")
    assert acquisition.support.shape == (30 + 201, 1)
    assert acquisition.ball.radius == pytest.approx(0.3 / math.sqrt(30))
    np.testing.assert_array_equal(acquisition.ball.centre[:30], 1 / 30)
    assert not acquisition.ball.centre[30:].any()
    fixed = built("wdrbo-exact", radius=0.1, fixed_radius=True)
    assert fixed.ball.radius == 0.1
    zero = built("wdrbo-exact", radius=0.0)
    x = np.linspace(0, 1, 9)[:, None]
    np.testing.assert_allclose(zero(x), built("erbo")(x), atol=POSTERIOR_ATOL)


def test_erbo_and_gp_ucb_are_plain_upper_bounds():
    view = situation("erbo")
    x = np.linspace(0, 1, 7)[:, None]
    np.testing.assert_allclose(
        METHODS["erbo"].build(view)(x), upper(view, x, view.contexts).mean(axis=1), atol=POSTERIOR_ATOL
    )
    alone = situation("gp-ucb")
    mean, sd = alone.surrogate.mean_sd(x)
    np.testing.assert_allclose(METHODS["gp-ucb"].build(alone)(x), mean + 1.5 * sd, atol=POSTERIOR_ATOL)
    np.testing.assert_allclose(built("gp-ucb", reading="code")(x), mean + math.sqrt(1.5) * sd, atol=POSTERIOR_ATOL)


def test_density_samples_have_the_bandwidth_of_the_rule():
    g = np.random.default_rng(0)
    contexts = g.uniform(0.4, 0.6, size=(50, 1))
    drawn = density_samples(contexts, 200_000, np.random.default_rng(1))
    bandwidth = 1.0592 * 50**-0.2 * contexts.std()
    assert drawn.var() == pytest.approx(contexts.var() + bandwidth**2, rel=0.02)
    assert drawn.mean() == pytest.approx(contexts.mean(), abs=1e-3)
    edge = density_samples(np.array([[0.0], [1.0]]), 1000, np.random.default_rng(1))
    assert edge.min() == 0.0
    assert edge.max() == 1.0
    np.testing.assert_array_equal(density_samples(np.full((1, 2), 0.3), 4, np.random.default_rng(1)), 0.3)


@pytest.mark.parametrize("dim", [1, 2])
def test_the_bandwidth_is_the_rules_to_a_percent(dim):
    """Draws from few contexts have the variance (1 + h^2) sd^2, h = (4 / (d + 2))^(1/(d+4)) n^(-1/(d+4)) about 0.9."""
    contexts = 0.5 + 0.01 * np.array([[-1.0, 1.0], [1.0, -1.0], [1.0, 1.0]])[: dim + 1, :dim]
    n, draws = len(contexts), 1_000_000
    factor = (4 / (dim + 2)) ** (1 / (dim + 4)) * n ** (-1 / (dim + 4))
    found = density_samples(contexts, draws, np.random.default_rng(5)).var(axis=0) / contexts.var(axis=0)
    # Four standard errors of a variance of 10^6 nearly normal draws are 0.0057 of it; a mixture's are smaller.
    np.testing.assert_allclose(found, 1 + factor**2, rtol=0.0057)


def test_drbo_kde_moves_half_of_delta_to_the_lowest_context():
    view = situation("drbo-kde")
    acquisition = METHODS["drbo-kde"].build(view)
    x = np.linspace(0, 1, 7)[:, None]
    u = upper(view, x, acquisition.support)
    delta, samples = 30 ** (-2 / 5), 1024
    assert acquisition.support.shape == (1024 + 129, 1)
    for value, row in zip(acquisition(x), u, strict=True):
        own, floor = np.sort(row[:samples])[::-1], row.min()
        tau = own[math.ceil(delta / 2 * samples) - 1]
        assert value == pytest.approx(np.minimum(own, tau).mean() - delta / 2 * (tau - floor), abs=1e-8)


def test_published_drbo_kde_takes_its_floor_outside_the_box():
    support = built("drbo-kde", 2, 2, "code").support
    assert support.shape == (2048, 2)
    assert (support[1024:] <= 0).all()
    assert support[1024:].min() < -0.99
    assert (support[:1024] >= 0).all()


def test_published_variation_program_by_brute_force():
    """max over tau of mean min(u, tau) - delta/2 max(tau - floor, 0), also with a floor above sampled values."""
    g = np.random.default_rng(4)
    u = g.normal(size=(40, 20))
    for delta in (0.1, 0.6, 1.5, 3.0):
        values, slopes = published_variation_rule(15, delta)(u)
        for value, row in zip(values, u, strict=True):
            floor = row[15:].min()
            tau = np.concatenate([row[:15], [floor]])
            # Piecewise linear and concave in tau: the maximum is attained at a break.
            program = np.minimum(row[:15], tau[:, None]).mean(axis=1) - min(delta, 2) / 2 * np.maximum(tau - floor, 0)
            assert value == pytest.approx(program.max(), abs=1e-12)
        np.testing.assert_allclose(slopes.sum(axis=1), 1.0, atol=1e-12)
    low = u.copy()
    low[:, 15] = u.min(axis=1) - 0.1
    np.testing.assert_allclose(published_variation_rule(15, 0.6)(low)[0], variation_rule(15, 0.6)(low)[0], atol=1e-12)


@pytest.mark.parametrize(
    ("dc", "reading", "size", "minmax"), [(1, "text", 100, 1024), (2, "text", 100, 1024), (2, "code", 10, 32)]
)
def test_discrepancy_methods_use_their_grid_kernel_and_radius(dc, reading, size, minmax):
    view = situation("drbo-mmd", 2, dc, reading)
    acquisition = METHODS["drbo-mmd"].build(view)
    ball, grid = acquisition.ball, acquisition.support
    assert grid.shape == (size, dc)
    assert ball.radius == pytest.approx(4.146 / math.sqrt(30), rel=1e-4)
    i, j = 3, size // 2
    assert ball.kernel[i, j] == pytest.approx(math.exp(-np.sum((grid[i] - grid[j]) ** 2) / (2 * 0.3**2)))
    np.testing.assert_allclose(ball.centre * 30, np.round(ball.centre * 30), atol=1e-9)
    spacing = 1 / (round(size ** (1 / dc)) - 1) if reading == "text" else 1.0
    assert np.abs(ball.centre @ grid - view.contexts.mean(axis=0)).max() <= spacing / 2
    assert (np.ptp(grid, axis=1) == 0).all() == (dc == 1 or reading == "code")
    assert built("drbo-mmd-minmax", 2, dc, reading).support.shape == (minmax, dc)


def test_discrepancy_ball_is_everything_while_there_are_few_contexts():
    few = built("drbo-mmd", n=8)
    x = np.linspace(0, 1, 5)[:, None]
    view = situation("drbo-mmd", n=8)
    np.testing.assert_allclose(few(x), upper(view, x, np.linspace(0, 1, 100)[:, None]).min(axis=1), atol=POSTERIOR_ATOL)


def test_stableopt_looks_within_one_standard_deviation_of_the_mean():
    view = situation("stableopt")
    mean, sd = view.contexts.mean(), view.contexts.std(ddof=1)
    box = METHODS["stableopt"].build(view).support
    assert (box.min(), box.max()) == pytest.approx((mean - sd, mean + sd))
    x = np.linspace(0, 1, 5)[:, None]
    dense = np.linspace(mean - sd, mean + sd, 2001)[:, None]
    np.testing.assert_allclose(METHODS["stableopt"].build(view)(x), upper(view, x, dense).min(axis=1), atol=1e-3)
    published = built("stableopt", reading="code").support
    assert (published.min(), published.max()) == pytest.approx((mean - 3 * sd, mean - sd), abs=0.01)


def test_published_lipschitz_contexts_are_the_same_in_all_rounds():
    first, second = situation("wdrbo", reading="code"), situation("wdrbo", reading="code", n=20)
    a, b = METHODS["wdrbo"].build(first), METHODS["wdrbo"].build(second)
    assert a.nodes.shape == (100, 1)
    np.testing.assert_array_equal(a.nodes, b.nodes)


# --- the search -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", METHODS)
def test_screening_finds_the_best_rows_without_solving_all(name):
    acquisition = built(name, 2, 1)
    x = sobol(np.random.default_rng(0), 256, 2)
    values, screened = acquisition(x), acquisition.screen(x, 5)
    top = np.argsort(-values)[:5]
    np.testing.assert_allclose(np.sort(screened)[-5:], np.sort(values)[-5:], atol=SCREENED_ATOL)
    np.testing.assert_allclose(screened[top], values[top], atol=SCREENED_ATOL)
    assert (screened >= values - SCREENED_ATOL).all()


@pytest.mark.parametrize("name", METHODS)
def test_an_acquisition_is_given_back_when_its_round_is_over(name):
    # Its ball holds a square matrix of the contexts; in a cycle of references that of every round would stay for long.
    gc.disable()
    try:
        acquisition = built(name, 2, 1)
        acquisition.screen(sobol(np.random.default_rng(0), 8, 2), 2)
        there = weakref.ref(acquisition)
        del acquisition
        assert there() is None
    finally:
        gc.enable()


@pytest.mark.parametrize("name", ["drbo-mmd", "drbo-mmd-minmax"])
@pytest.mark.parametrize("seed", [0, 1])
def test_screening_with_two_contexts_finds_the_best_rows_without_tables_of_all(name, seed, monkeypatch):
    acquisition = built(name, 2, 2, n=50, seed=seed, scale=0.25)
    x = sobol(np.random.default_rng(seed), 512, 2)
    values, rows, upper = acquisition(x), [], acquisition.table.upper
    monkeypatch.setattr(acquisition.table, "upper", lambda some: [rows.append(len(some)), upper(some)][1])
    screened = acquisition.screen(x, 3)
    top = np.argsort(-values)[:3]
    np.testing.assert_allclose(screened[top], values[top], atol=SCREENED_ATOL)
    assert (screened >= values - SCREENED_ATOL).all()
    assert sum(rows) < 200


def ascent(seed, n=60):
    """Minmax on 1,024 contexts of two coordinates, and the decisions of three rows of an ascent: short steps and leaps."""
    acquisition = built("drbo-mmd-minmax", 2, 2, n=n, seed=seed, scale=0.2)
    g = np.random.default_rng(seed)
    x, path = g.uniform(size=(3, 2)), []
    for step in np.tile([0.1, 0.03, 1e-2, 3e-3, 1e-3], 4):
        x = np.clip(x + step * g.normal(size=(3, 2)), 0, 1)
        path.append(x)
    return acquisition, path


def worst_of(acquisition, path):
    """How far values and gradients are from those of all contexts, and at how many decisions these were evaluated."""
    plain = ContextualAcquisition(
        acquisition.surrogate, acquisition.support, 1.5, acquisition.minmax, acquisition.centre
    )
    everywhere, calls = acquisition._everywhere, []
    acquisition._everywhere = lambda *given: [calls.append(1), everywhere(*given)][1]
    off = 0.0
    for x in path:
        found, exact = acquisition.with_gradient(x), plain.with_gradient(x)
        off = max(off, *(float(np.abs(a - b).max()) for a, b in zip(found, exact, strict=True)))
    return off, len(calls)


@pytest.mark.parametrize(("seed", "n"), [(0, 60), (1, 60), (2, 25), (3, 15)])
def test_an_ascent_of_minmax_finds_the_lowest_of_all_contexts_and_evaluates_few(seed, n):
    acquisition, path = ascent(seed, n)
    assert acquisition.selects
    off, calls = worst_of(acquisition, path)
    assert off < POSTERIOR_ATOL
    assert calls < 0.7 * 3 * len(path)


def test_contexts_ruled_out_by_old_deviations_alone_would_be_noticed(monkeypatch):
    monkeypatch.setattr(minmax._Reference, "bound", lambda self, x, scale: self.sd + 0.3)
    assert max(worst_of(*ascent(seed))[0] for seed in range(3)) > 1e3 * POSTERIOR_ATOL


def test_a_deviation_changes_by_no_more_than_the_kernels_distance_and_by_more_than_a_tenth_of_it():
    view = situation("drbo-mmd-minmax", 2, 2, n=40, scale=0.2)
    model, g = view.surrogate, np.random.default_rng(3)
    contexts, broken = g.uniform(size=(200, 2)), 0
    for step in np.geomspace(1e-3, 1, 30):
        x, y = g.uniform(size=2), g.uniform(size=2)
        y = x + step * (y - x)
        sds = [model.mean_sd(np.column_stack([np.tile(z, (200, 1)), contexts]))[1] for z in (x, y)]
        reference = minmax._Reference(x, sds[0], np.zeros(0, dtype=int), np.zeros((0, 40)))
        bound = reference.bound(y, model.lengthscale[:2])
        assert (bound <= sds[1]).all()
        broken += bool((sds[0] - 0.1 * (sds[0] - bound) > sds[1]).any())
    assert broken > 5


def test_screening_solves_few_rows_where_bounds_are_good():
    g = np.random.default_rng(0)
    values = g.normal(size=1000)
    asked = []

    def solve(rows):
        asked.extend(rows)
        return values[rows], None

    found = best_rows(values + g.uniform(0, 0.2, size=1000), solve, 5, 10)
    np.testing.assert_array_equal(np.sort(found)[-5:], np.sort(values)[-5:])
    assert len(asked) < 60
    assert len(asked) == len(set(asked))


@pytest.mark.parametrize("name", METHODS)
def test_search_on_a_line_is_not_below_a_grid_that_is_fine_around_what_was_found(name):
    everywhere, around = np.linspace(0, 1, 401), np.linspace(-1 / 128, 1 / 128, 201)
    for seed in range(3):
        acquisition = built(name, seed=seed, scale=0.1)
        point, value = GridAndAscent()(acquisition, 1, np.random.default_rng(0))
        assert acquisition(point[None, :])[0] == pytest.approx(value, abs=SCREENED_ATOL)
        grid = np.concatenate([everywhere, np.clip(point + around, 0, 1)])[:, None]
        assert value >= acquisition(grid).max() - SCREENED_ATOL


@pytest.mark.parametrize("name", METHODS)
def test_search_in_two_dimensions_beats_its_raw_points_and_a_grid(name):
    acquisition = built(name, 2, 1, n=20)
    search = GridAndAscent(raw=256)
    point, value = search(acquisition, 2, np.random.default_rng(0))
    assert acquisition(point[None, :])[0] == pytest.approx(value, abs=SCREENED_ATOL)
    assert ((point >= 0) & (point <= 1)).all()
    raw = sobol(np.random.default_rng(0), 256, 2)
    assert value >= acquisition(raw).max() - SCREENED_ATOL
    axes = np.linspace(0, 1, 41)
    grid = np.stack([a.ravel() for a in np.meshgrid(axes, axes, indexing="ij")], axis=1)
    assert value >= acquisition(grid).max() - 1e-2


class Bowl:
    """A concave function with its maximum at 0.3 in every coordinate, and another optimum outside the box."""

    def __init__(self, at):
        self.at = np.array(at)

    def __call__(self, x):
        return -np.sum((x - self.at) ** 2, axis=1)

    def with_gradient(self, x):
        return self(x), -2 * (x - self.at)

    def screen(self, x, count):
        return self(x)


@pytest.mark.parametrize("at", [(0.3,), (0.0,), (0.3, 0.7), (0.2, 1.0)])
@pytest.mark.parametrize("search", [GridAndAscent(), PublishedAdam()])
def test_searches_find_the_maximum_of_a_bowl(search, at):
    point, value = search(Bowl(at), len(at), np.random.default_rng(0))
    np.testing.assert_allclose(point, at, atol=0.05 if isinstance(search, PublishedAdam) else 1e-4)
    assert value == pytest.approx(Bowl(at)(point[None, :])[0])


def test_published_search_stops_by_the_weighted_average_of_its_losses():
    weights = np.exp(np.linspace(-1, 0, 10))
    weights /= weights.sum()
    assert not PublishedAdam._stalled([-1.0] * 10, weights)
    assert PublishedAdam._stalled([-1.0] * 11, weights)
    assert not PublishedAdam._stalled([-1.0 - 1e-3 * i for i in range(11)], weights)
    assert not PublishedAdam._stalled([-1.0] * 10 + [-1.001], weights)
    assert PublishedAdam._stalled([-1.0] * 10 + [-0.9], weights)
    # Loss -1, -1, ... with a step far in the past no longer counts.
    assert PublishedAdam._stalled([5.0] + [-1.0] * 11, weights)
    seen = []

    class Counted(Bowl):
        def with_gradient(self, x):
            seen.append(float(self(x).sum()))
            return super().with_gradient(x)

    PublishedAdam(raw=16, starts=4)(Counted((0.3, 0.7)), 2, np.random.default_rng(0))
    assert len(seen) > 15
    assert PublishedAdam._stalled([-value for value in seen], weights)
    assert not PublishedAdam._stalled([-value for value in seen[:-1]], weights)


@pytest.mark.slow
def test_published_search_can_end_below_its_raw_points_and_ours_cannot():
    """Adam climbs the mean only, so the penalised value falls; a search of the whole function does not lose it."""
    worse = 0
    for seed in range(8):
        acquisition = built("wdrbo", reading="code", seed=seed, scale=0.15, radius=1.0)
        raw = acquisition(sobol(np.random.default_rng(seed), 1024, 1)).max()
        worse += PublishedAdam()(acquisition, 1, np.random.default_rng(seed))[1] < raw - 1e-6
        assert GridAndAscent()(acquisition, 1, np.random.default_rng(seed))[1] >= raw - 1e-4
    assert worse >= 4


def test_raw_points_are_a_scrambled_sobol_sequence():
    points = sobol(np.random.default_rng(0), 1000, 3)
    assert points.shape == (1000, 3)
    np.testing.assert_array_equal(points, sobol(np.random.default_rng(0), 1000, 3))
    assert qmc.discrepancy(points) < 0.1 * qmc.discrepancy(np.random.default_rng(0).uniform(size=(1000, 3)))


def test_methods_and_settings_are_checked():
    assert list(METHODS) == [
        "wdrbo",
        "wdrbo-exact",
        "erbo",
        "gp-ucb",
        "sbo-kde",
        "drbo-kde",
        "drbo-mmd",
        "drbo-mmd-minmax",
        "stableopt",
    ]
    with pytest.raises(ParameterError):
        method_by_name("wdrb")
    for wrong in ({"reading": "authors"}, {"radius": -1.0}, {"confidence": 1.0}, {"samples": 0}):
        with pytest.raises(ParameterError):
            Settings(**wrong)
    assert isinstance(built("wdrbo"), PenalisedAcquisition)
    assert isinstance(built("drbo-mmd"), BallAcquisition)
