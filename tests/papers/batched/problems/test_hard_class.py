import dataclasses
import itertools
import math

import mpmath
import numpy as np
import pytest
from scipy import integrate
from tolerances import PRINTED_3_DIGITS, QUADRATURE_RTOL, ROUNDING_SLACK, SLOPE_ATOL

from companion.core.errors import ParameterError
from companion.gp.kernels import Matern, SquaredExponential
from companion.papers.batched.problems.hard_class import (
    HALF_HEIGHT,
    BumpFamily,
    class_properties,
    leakage_constant,
    restricted_norms,
)

ROUGH_1D = BumpFamily(Matern(1.5, 0.2), 1)
ROUGH_2D = BumpFamily(Matern(1.5, 0.3), 2)
SMOOTH_1D = BumpFamily(SquaredExponential(0.1), 1)
SMOOTH_2D = BumpFamily(SquaredExponential(0.15), 2)
FAMILIES = {"rough-1d": ROUGH_1D, "rough-2d": ROUGH_2D, "smooth-1d": SMOOTH_1D, "smooth-2d": SMOOTH_2D}
# family, epsilon, points per cell and axis
CASES = [
    ("rough-1d", 0.1, 15), ("rough-1d", 0.01, 5), ("rough-2d", 0.1, 5), ("smooth-1d", 0.1, 25), ("smooth-1d", 1e-3, 25),
    ("smooth-2d", 0.1, 5),
]  # fmt: skip


def squared_unit_norm_1d(kernel, width):
    """(‖f‖/ε)² in one dimension, with the spectral density written out again and 30 digits."""
    w, length = mpmath.mpf(width), mpmath.mpf(kernel.lengthscale)
    if isinstance(kernel, Matern):
        nu = mpmath.mpf(kernel.nu)
        constant = 2 * mpmath.sqrt(mpmath.pi) * mpmath.gamma(nu + 0.5) * (2 * nu) ** nu
        constant /= mpmath.gamma(nu) * length ** (2 * nu)

        def density(xi):
            return constant * (2 * nu / length**2 + 4 * mpmath.pi**2 * xi**2) ** (-(nu + 0.5))
    else:

        def density(xi):
            return mpmath.sqrt(2 * mpmath.pi) * length * mpmath.exp(-2 * (mpmath.pi * length * xi) ** 2)

    return 4 * w * 2 * mpmath.quad(lambda u: (1 - u) ** 2 / density(u / w), [0, 0.5, 1])


def test_half_height():
    with mpmath.workdps(30):
        root = mpmath.findroot(lambda s: mpmath.sinc(mpmath.pi * s) ** 2 - 0.5, 0.44)
    assert pytest.approx(float(root), abs=ROUNDING_SLACK) == HALF_HEIGHT
    beyond = np.linspace(HALF_HEIGHT + 1e-9, 30, 100_000)
    assert np.all(np.sinc(beyond) ** 2 < 0.5)


@pytest.mark.parametrize(("dim", "printed"), [(1, 6.031), (2, 9.094)])
def test_leakage_constant(dim, printed):
    k = np.arange(1, 200_001)
    series = 1 + 2 * np.sum(np.minimum(0.5, (math.pi * (2 * k - 1) * HALF_HEIGHT) ** -2.0) ** 2)
    assert series == pytest.approx(1.508, abs=PRINTED_3_DIGITS)
    assert leakage_constant(dim) == pytest.approx(4 * series**dim, rel=1e-9)
    assert leakage_constant(dim) == pytest.approx(printed, abs=PRINTED_3_DIGITS)
    # Lemma 6 quotes the roots 2.456 and 3.016
    assert math.sqrt(leakage_constant(dim)) == pytest.approx({1: 2.456, 2: 3.016}[dim], abs=PRINTED_3_DIGITS)


@pytest.mark.parametrize(
    "kernel", [SquaredExponential(0.1), Matern(0.5, 0.3), Matern(1.5, 0.2), Matern(2.5, 0.2), Matern(0.8, 1.0)], ids=str
)
@pytest.mark.parametrize("width", [0.03, 0.1, 0.4, 2.0])
def test_norm_in_one_dimension_against_adaptive_integration(kernel, width):
    with mpmath.workdps(30):
        exact = mpmath.log(squared_unit_norm_1d(kernel, width)) / 2
    assert BumpFamily(kernel, 1).log_unit_norm(width) == pytest.approx(float(exact), abs=QUADRATURE_RTOL)


def test_norm_of_a_smooth_bump_factorises():
    for width in (0.15, 0.3, 1.0):
        one = BumpFamily(SquaredExponential(0.15), 1).log_unit_norm(width) - math.log(2)
        two = SMOOTH_2D.log_unit_norm(width) - math.log(2)
        assert two == pytest.approx(2 * one, abs=QUADRATURE_RTOL)


@pytest.mark.parametrize("nu", [0.5, 1.5, 2.5])
def test_norm_in_two_dimensions_against_adaptive_integration(nu):
    kernel, width = Matern(nu, 0.3), 0.2

    def integrand(v, u):
        density = kernel.spectral_density(np.array([u / width, v / width]))
        return (1 - u) ** 2 * (1 - v) ** 2 / density

    integral = integrate.dblquad(integrand, 0, 1, 0, 1, epsabs=0, epsrel=1e-11)[0]
    exact = 0.5 * math.log(4 * width**2 * 4 * integral)
    assert BumpFamily(kernel, 2).log_unit_norm(width) == pytest.approx(exact, abs=QUADRATURE_RTOL)


def test_norm_scales_with_variance_and_length():
    base = ROUGH_1D.log_unit_norm(0.1)
    assert BumpFamily(Matern(1.5, 0.2, 0.25), 1).log_unit_norm(0.1) == pytest.approx(base + math.log(2))
    assert BumpFamily(Matern(1.5, 0.4), 1).log_unit_norm(0.2) == pytest.approx(base)
    assert BumpFamily(Matern(1.5, (0.3, 0.3)), 2).log_unit_norm(0.1) == pytest.approx(ROUGH_2D.log_unit_norm(0.1))


def test_restrictions_come_close_to_the_full_norm():
    # An independent route to the norm: f^T K^-1 f on ever finer grids over three unit lengths increases to ‖f‖².
    kernel, epsilon = Matern(1.5, 0.2), 0.05
    width = ROUGH_1D.width(epsilon)
    norms = []
    for count in (100, 400, 1600):
        x = np.linspace(-1, 2, count)[:, None]
        f = 2 * epsilon * np.sinc((x[:, 0] - 0.5) / width) ** 2
        norms.append(math.sqrt(f @ np.linalg.solve(kernel(x), f)))
    assert norms == sorted(norms)
    assert 0.99 < norms[-1] <= 1.0


@pytest.mark.parametrize(("name", "epsilon", "points"), CASES)
def test_every_property_of_proposition_4(name, epsilon, points):
    family = FAMILIES[name]
    hard = family.build(epsilon)
    found = class_properties(hard, hard.grid(points))
    assert found.lowest >= 0
    assert found.highest == 2.0
    assert found.norm == pytest.approx(1.0, rel=QUADRATURE_RTOL)
    assert found.restricted_norms[0] > 0.8
    assert found.restricted_norms[1] <= 1.0
    assert found.multiplicity == 1
    assert found.outside_regret >= 1.0
    assert found.leakage <= leakage_constant(family.dim)
    assert found.peaks_at_centres


@pytest.mark.parametrize(("name", "epsilon", "points"), CASES)
def test_half_the_width_breaks_the_norm(name, epsilon, points):
    hard = FAMILIES[name].build(epsilon)
    narrow = class_properties(dataclasses.replace(hard, width=hard.width / 2), hard.grid(points))
    assert narrow.norm > 1.5
    assert narrow.restricted_norms[1] > 1.0


@pytest.mark.parametrize(("name", "epsilon", "points"), CASES)
def test_wider_bumps_in_the_same_cells_overlap(name, epsilon, points):
    hard = FAMILIES[name].build(epsilon)
    x = hard.grid(points)
    wide = dataclasses.replace(hard, width=1.5 * hard.width)
    found = class_properties(wide, x)
    assert found.multiplicity > 1
    assert found.outside_regret < 1.0


@pytest.mark.parametrize(
    ("name", "sizes"),
    [
        ("rough-1d", (14, 67, 315)),
        ("rough-2d", (49, 1369, 30976)),
        ("smooth-1d", (8, 10, 12)),
        ("smooth-2d", (25, 36, 36)),
    ],
)
def test_number_of_functions(name, sizes):
    assert tuple(FAMILIES[name].build(epsilon).size for epsilon in (0.1, 0.01, 0.001)) == sizes


@pytest.mark.parametrize(
    ("nu", "dim", "lengthscale", "slope"), [(1.5, 1, 0.2, 0.6667), (2.5, 1, 0.2, 0.4002), (1.5, 2, 0.3, 1.3334)]
)
def test_growth_of_the_class(nu, dim, lengthscale, slope):
    family = BumpFamily(Matern(nu, lengthscale), dim)
    epsilon = np.geomspace(1e-3, 1e-8, 40)
    fitted = np.polyfit(np.log(1 / epsilon), [math.log(family.build(e).size) for e in epsilon], 1)[0]
    assert fitted == pytest.approx(slope, abs=SLOPE_ATOL)
    assert slope == pytest.approx(dim / nu, abs=PRINTED_3_DIGITS)


def test_smooth_class_grows_with_the_root_of_the_logarithm():
    heights = np.array([1e-10, 1e-20, 1e-40, 1e-80, 1e-160])
    widths = np.array([SMOOTH_1D.width(e) for e in heights])
    asymptotic = math.sqrt(2) * math.pi * 0.1 / np.sqrt(-2 * np.log(2 * heights))
    ratio = widths / asymptotic
    assert np.all(np.diff(np.abs(ratio - 1)) < 0)
    assert ratio[-1] == pytest.approx(1, abs=0.02)


@pytest.mark.parametrize("name", FAMILIES)
def test_width_is_the_smallest_admissible_one(name):
    family = FAMILIES[name]
    for epsilon in (0.4, 0.1, 1e-3, 1e-6):
        width = family.width(epsilon)
        log_norm = [math.log(epsilon) + family.log_unit_norm(width * factor) for factor in (1 - 1e-6, 1.0, 1 + 1e-6)]
        assert log_norm[0] > 0 > log_norm[2]
        assert log_norm[1] == pytest.approx(0, abs=1e-9)
        smaller = np.geomspace(width * 1e-3, width * (1 - 1e-9), 50)
        assert all(math.log(epsilon) + family.log_unit_norm(w) > 0 for w in smaller)


def test_largest_epsilon():
    for family in FAMILIES.values():
        widths = np.geomspace(1e-2, 1e2, 100)
        assert family.largest_epsilon >= max(math.exp(-family.log_unit_norm(w)) for w in widths)
        assert family.width(family.largest_epsilon) == family.best_width
        with pytest.raises(ParameterError, match=r"^epsilon: got"):
            family.width(family.largest_epsilon * 1.0001)


def test_cells_and_epsilon_agree():
    for family, cells in itertools.product(FAMILIES.values(), (2, 3, 7)):
        limit = math.exp(family.log_epsilon_for_cells(cells))
        assert family.build(limit * (1 - 1e-9)).cells >= cells
        if 1 / (2 * HALF_HEIGHT * cells) < family.best_width:
            assert family.build(limit * 1.001).cells == cells - 1


def test_cells_and_grid():
    hard = ROUGH_2D.build(0.1)
    centres, x = hard.centres(), hard.grid(3)
    assert centres.shape == (49, 2)
    assert x.shape == (21**2, 2)
    assert {tuple(row) for row in centres} <= {tuple(row) for row in x}
    np.testing.assert_array_equal(hard.cell_of(centres), np.arange(49))
    np.testing.assert_array_equal(np.bincount(hard.cell_of(x)), np.full(49, 9))
    assert hard.cell_of(np.array([[1.0, 1.0], [0.0, 1.0]])).tolist() == [48, 6]
    values = hard.values(x[:5])
    product = np.sinc((x[3] - centres[17]) / hard.width) ** 2
    assert values[17, 3] == pytest.approx(2 * hard.epsilon * product.prod())


def test_restricted_norm_of_a_kernel_expansion():
    # f = sum_j a_j k(c_j, .) has squared norm a^T K_cc a, and the restriction to points containing c_j keeps it.
    x = np.linspace(0, 1, 12)[:, None]
    covariance = Matern(1.5, 0.3)(x)
    weights = np.array([1.0, -0.5, 2.0])
    f = weights @ covariance[[1, 5, 9]]
    exact = math.sqrt(weights @ covariance[np.ix_([1, 5, 9], [1, 5, 9])] @ weights)
    assert restricted_norms(f[None], covariance)[0] == pytest.approx(exact, rel=1e-9)


@pytest.mark.parametrize(
    ("call", "name"),
    [
        (lambda: BumpFamily(Matern(1.5, 0.2), 3), "dim"),
        (lambda: BumpFamily(Matern(1.5, 0.2), 1, 0.0), "norm"),
        (lambda: BumpFamily(Matern(1.5, 0.2, 2.0), 1), "kernel"),
        (lambda: BumpFamily(Matern(1.5, (0.2, 0.3)), 1), "kernel"),
        (lambda: ROUGH_1D.build(0.9), "epsilon"),
        (lambda: BumpFamily(SquaredExponential(3.0), 1).build(0.4), "epsilon"),
        (lambda: ROUGH_1D.build(0.1).grid(4), "points_per_cell"),
        (lambda: ROUGH_1D.build(0.1).values(np.array([[1.5]])), "points"),
        (lambda: ROUGH_1D.build(0.1).values(np.array([[0.5, 0.5]])), "points"),
        (lambda: ROUGH_2D.build(1e-3).values(np.full((10_000, 2), 0.5)), "points"),
        (lambda: restricted_norms(np.ones((2, 3)), np.eye(4)), "covariance"),
    ],
)
def test_bad_arguments_are_refused(call, name):
    with pytest.raises(ParameterError, match=f"^{name}: "):
        call()
