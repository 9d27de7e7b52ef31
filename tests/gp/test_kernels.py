"""Kernels against scikit-learn, gpytorch, mpmath and numerical Fourier transforms."""

import math

import mpmath as mp
import numpy as np
import pytest
from oracles.optional import optional
from oracles.peers import gpytorch_kernel, sklearn_kernel
from scipy import integrate, special
from sklearn.gaussian_process import kernels as sk
from tolerances import BESSEL_RTOL, EPS, KERNEL_ATOL, KERNEL_EXPANDED_ATOL, TRANSFORM_RTOL

import companion as cp
from companion.core.errors import ParameterError
from companion.gp import KERNEL_NAMES, Matern, SquaredExponential, kernel_by_name, kernel_name

torch = optional("torch")

RNG = np.random.default_rng(11)
X, Y = RNG.random((17, 3)), RNG.random((9, 3))
ARD = (0.2, 0.7, 3.0)


@pytest.mark.parametrize("lengthscale", [0.3, 2.0, ARD])
@pytest.mark.parametrize("name", KERNEL_NAMES)
def test_equals_scikit_learn(name, lengthscale):
    kernel = kernel_by_name(name, lengthscale, 2.5)
    expected = sklearn_kernel(name, lengthscale)
    np.testing.assert_allclose(kernel(X, Y), 2.5 * expected(X, Y), rtol=0, atol=2.5 * KERNEL_ATOL)
    np.testing.assert_allclose(kernel(X), 2.5 * expected(X), rtol=0, atol=2.5 * KERNEL_ATOL)
    np.testing.assert_array_equal(kernel.diagonal(X), kernel(X).diagonal())


@pytest.mark.parametrize("nu", [0.3, 0.8, 1.0, 2.0, 3.5, 7.3])
def test_general_smoothness_equals_scikit_learn(nu):
    # scikit-learn replaces a zero distance by eps inside K_nu, which costs it up to eps^(2 nu): compared off the diagonal.
    expected = sk.Matern(0.4, nu=nu)(X, Y)
    np.testing.assert_allclose(Matern(nu, 0.4)(X, Y), expected, rtol=1e-10, atol=KERNEL_ATOL)


@pytest.mark.parametrize("name", KERNEL_NAMES)
def test_equals_gpytorch_with_ard(name):
    base = gpytorch_kernel(name, ARD, 3)
    with torch.no_grad():
        expected = base(torch.tensor(X), torch.tensor(Y)).to_dense().numpy()
    np.testing.assert_allclose(kernel_by_name(name, ARD)(X, Y), expected, rtol=0, atol=KERNEL_EXPANDED_ATOL)


@pytest.mark.parametrize("nu", [0.05, 0.5, 0.9999, 1.0, 1.7, 2.5, 12.3, 60.0, 100.0])
def test_general_smoothness_at_tiny_and_huge_distances(nu):
    distances = [0.0, 1e-300, 1e-160, 1e-80, 1e-20, 1e-9, 1e-8, 1e-5, 1e-3, 0.1, 1.0, 5.0, 30.0, 100.0, 1e4]
    with mp.workdps(60):
        expected = []
        for r in distances:
            z = mp.sqrt(2 * mp.mpf(nu)) * mp.mpf(r)
            shape = mp.mpf(1) if r == 0 else 2 ** (1 - mp.mpf(nu)) / mp.gamma(nu) * z**nu * mp.besselk(nu, z)
            expected.append(float(shape))
    points = np.array(distances)[:, None]
    computed = Matern(nu, 1.0)(points, np.zeros((1, 1)))[:, 0]
    # Below 1e-300 a double has few digits; scipy flushes K_nu to zero there.
    np.testing.assert_allclose(computed, expected, rtol=BESSEL_RTOL * max(1.0, nu), atol=1e-280)
    assert computed[0] == 1.0
    assert np.all(np.diff(computed) <= BESSEL_RTOL)


def test_general_smoothness_passes_through_the_closed_forms():
    for nu in (0.5, 1.5, 2.5):
        near = Matern(nu * (1 + 1e-13), 0.4)(X, Y)  # not equal to nu, so the Bessel branch computes it
        np.testing.assert_allclose(near, Matern(nu, 0.4)(X, Y), rtol=1e-10)


def test_large_smoothness_approaches_the_squared_exponential():
    gap = [np.abs(Matern(nu, 0.5)(X, Y) - SquaredExponential(0.5)(X, Y)).max() for nu in (10.0, 40.0, 100.0)]
    assert gap[0] > gap[1] > gap[2]
    assert gap[2] < 0.01


def test_close_points_keep_their_digits():
    """1 - k at distance 1e-7 and beyond: the expanded square of the distance would have lost every digit."""
    x = np.array([[1.0]])
    for distance in (2.0**-20, 2.0**-24):
        lag = SquaredExponential(1.0)(x, x + distance)[0, 0]
        assert abs((1 - lag) - distance**2 / 2) <= EPS
        assert abs(1 - Matern(0.5, 1.0)(x, x + distance)[0, 0] - (distance - distance**2 / 2)) <= EPS


KERNELS = [SquaredExponential(0.4, 1.7), Matern(0.5, 0.4, 1.7), Matern(1.5, 0.4), Matern(2.5, 0.8), Matern(3.2, 0.4)]


@pytest.mark.parametrize("kernel", KERNELS, ids=str)
def test_spectral_density_is_the_fourier_transform_on_the_line(kernel):
    def k(r):
        return float(kernel(np.array([[r]]), np.zeros((1, 1)))[0, 0])

    total = 2 * integrate.quad(k, 0, 40, limit=400, epsabs=1e-11)[0]
    assert kernel.spectral_density(np.zeros(1)) == pytest.approx(total, rel=TRANSFORM_RTOL)
    for frequency in (0.2, 0.7, 1.5):
        expected = 2 * integrate.quad(k, 0, 40, weight="cos", wvar=2 * math.pi * frequency, limit=400, epsabs=1e-11)[0]
        assert abs(kernel.spectral_density(np.array([frequency])) - expected) < TRANSFORM_RTOL * total


@pytest.mark.parametrize("kernel", KERNELS[1:], ids=str)
def test_spectral_density_is_the_fourier_transform_in_the_plane(kernel):
    """In two dimensions the transform of a radial function is a Hankel transform."""

    def k(r):
        return float(kernel(np.array([[r, 0.0]]), np.zeros((1, 2)))[0, 0])

    total = 2 * math.pi * integrate.quad(lambda r: r * k(r), 0, 40, limit=400, epsabs=1e-11)[0]
    assert kernel.spectral_density(np.zeros(2)) == pytest.approx(total, rel=TRANSFORM_RTOL)
    for frequency in ([0.3, 0.0], [0.4, 0.6]):
        rho = 2 * math.pi * math.hypot(*frequency)
        expected = 2 * math.pi * integrate.quad(lambda r, rho=rho: r * k(r) * special.j0(rho * r), 0, 40, limit=800)[0]
        assert abs(kernel.spectral_density(np.array(frequency)) - expected) < TRANSFORM_RTOL * total


@pytest.mark.parametrize("kernel", [SquaredExponential((0.3, 1.1), 2.0), Matern(2.5, (0.3, 1.1), 2.0)], ids=str)
def test_spectral_density_with_ard(kernel):
    """Integrates to the variance; and stretching an axis compresses the frequency."""
    axis = np.linspace(-12, 12, 1201)
    frequency = np.stack(np.meshgrid(axis, axis, indexing="ij"), axis=-1)
    density = kernel.spectral_density(frequency)
    assert density.shape == (1201, 1201)
    assert integrate.simpson(integrate.simpson(density, axis), axis) == pytest.approx(2.0, rel=2e-3)
    isotropic = type(kernel)(**{**kernel.__dict__, "lengthscale": 1.0})
    at = np.array([0.5, 0.2])
    expected = 0.3 * 1.1 * isotropic.spectral_density(at * np.array([0.3, 1.1]))
    assert kernel.spectral_density(at) == pytest.approx(expected, rel=1e-12)
    np.testing.assert_allclose(np.exp(kernel.log_spectral_density(at)), kernel.spectral_density(at), rtol=1e-14)


@pytest.mark.parametrize("kernel", [SquaredExponential(ARD), Matern(1.5, 0.3), Matern(0.8, 0.3)], ids=str)
def test_the_matrix_of_many_points_is_the_same_matrix(kernel):
    """The symmetric case is put together from tiles; sizes below, at and between multiples of a tile."""
    for size in (1, 256, 257, 700):
        points = np.random.default_rng(size).random((size, 3))
        matrix = kernel(points)
        np.testing.assert_allclose(matrix, kernel(points, points), rtol=0, atol=KERNEL_ATOL)
        np.testing.assert_array_equal(matrix, matrix.T)


@pytest.mark.parametrize(
    ("build", "name"),
    [
        (lambda: SquaredExponential(0.0), "lengthscale"),
        (lambda: SquaredExponential(-1.0), "lengthscale"),
        (lambda: SquaredExponential(math.nan), "lengthscale"),
        (lambda: SquaredExponential(()), "lengthscale"),
        (lambda: SquaredExponential((0.1, math.inf)), "lengthscale"),
        (lambda: SquaredExponential("0.1"), "lengthscale"),
        (lambda: SquaredExponential(True), "lengthscale"),
        (lambda: Matern(2.5, 0.1, 0.0), "variance"),
        (lambda: Matern(2.5, 0.1, math.nan), "variance"),
        (lambda: Matern(0.0, 0.1), "nu"),
        (lambda: Matern(math.inf, 0.1), "nu"),
        (lambda: Matern(101.0, 0.1), "nu"),
        (lambda: kernel_by_name("matern53", 0.1), "kernel"),
        (lambda: SquaredExponential((0.1, 0.2))(X), "lengthscale"),
        (lambda: SquaredExponential(0.1)(X[:, 0]), "x, y"),
        (lambda: SquaredExponential(0.1)(X, Y[:, :2]), "x, y"),
    ],
)
def test_bad_input_is_refused_by_name(build, name):
    with pytest.raises(ParameterError) as caught:
        build()
    assert caught.value.name == name


def test_an_unknown_kernel_is_answered_with_the_nearest_name():
    with pytest.raises(ParameterError, match=r"got 'matrn52'.*Did you mean 'matern52'"):
        kernel_by_name("matrn52", 0.1)
    for name in ("", "periodic", "matern", "matern72", "linear", None, 2.5):
        with pytest.raises(ParameterError, match="kernel: got"):
            kernel_by_name(name, 0.1)


@pytest.mark.parametrize(
    ("names", "kernel"),
    [
        ("se RBF rbf Gaussian gauss squared_exponential SquaredExponential squared-exponential RBFKernel", "se"),
        ("matern12 matern-1/2 Matern1/2 matern0.5 exponential OU laplacian", "matern12"),
        ("matern32 matern-3/2 MATERN_32 matern1.5 Matern32Kernel Mat\u00e9rn32", "matern32"),
        ("matern52 matern-5/2 matern5/2 matern2.5 matern-2.5 matern_nu_2.5", "matern52"),
    ],
)
def test_kernels_are_understood_by_the_names_of_other_libraries(names, kernel):
    for name in names.split():
        assert kernel_name(name) == kernel, name
        assert cp.kernel(name, 0.2) == kernel_by_name(kernel, 0.2)


@pytest.mark.parametrize("lengthscale", [np.int64(2), np.float32(2.0), np.array(2.0), [2.0], np.array([2.0])])
def test_numbers_of_numpy_are_numbers(lengthscale):
    ours = Matern(np.float64(2.5), lengthscale, np.int64(3))
    expected = Matern(2.5, 2.0 if np.ndim(lengthscale) == 0 else (2.0,), 3.0)
    assert ours == expected
    assert repr(ours) == repr(expected)


@pytest.mark.parametrize(
    "kernel", [SquaredExponential(0.5), Matern(1.5, 0.5), Matern(2.5, (0.5, 2.0)), Matern(0.7, 0.5)]
)
@pytest.mark.parametrize("coordinate", [np.nan, np.inf, -np.inf, 1e200])
@pytest.mark.parametrize("place", ["x", "y"])
def test_a_point_without_a_covariance_is_refused(kernel, coordinate, place):
    points = {"x": np.zeros((2, 2)), "y": np.zeros((3, 2))}
    points[place][1, 1] = coordinate
    with pytest.raises(ParameterError) as caught:
        kernel(points["x"], points["y"])
    assert caught.value.name == "points"


@pytest.mark.parametrize("kernel", [SquaredExponential(0.5), Matern(1.5, 0.5), Matern(2.5, 0.5), Matern(0.7, 0.5)])
def test_the_farthest_points_allowed_have_no_covariance(kernel):
    assert kernel(np.array([[4e149]]), np.array([[-4e149]]))[0, 0] == 0.0
