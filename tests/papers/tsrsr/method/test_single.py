"""Single precision as in the published code: against GPyTorch, which that code calls, and against numpy's own routine."""

import math
import warnings

import numpy as np
import pytest
from oracles.optional import optional
from oracles.peers import gpytorch
from tolerances import SINGLE_ATOL, SINGLE_GRADIENT_RTOL

from companion.core.errors import ConditioningError, ParameterError
from companion.core.randomness import stream
from companion.gp import DataPosterior, Matern, SquaredExponential
from companion.papers.tsrsr.method import published
from companion.papers.tsrsr.method.candidates import CandidateSearch
from companion.papers.tsrsr.method.policy import BoxPolicyByRule, SurrogateModel
from companion.papers.tsrsr.method.published import BoxView, PublishedTSRSR, SingleRound
from companion.papers.tsrsr.method.rules import BatchTS
from companion.papers.tsrsr.method.single import SinglePosterior, factor, spectral_root

torch = optional("torch")

LN2 = math.log(2.0)
ISOTROPIC = Matern(2.5, LN2, LN2)
KERNELS = {
    "matern 5/2": ISOTROPIC,
    "matern 3/2": Matern(1.5, LN2),
    "matern 5/2, three length-scales": Matern(2.5, (1.0, 0.7, 1.5), 0.2),
    "squared exponential": SquaredExponential(0.8, 10.0),
}


class Library(gpytorch.models.ExactGP):
    """The model as the published code builds it."""

    def __init__(self, kernel, points, values, noise=1e-6):
        likelihood = gpytorch.likelihoods.GaussianLikelihood(noise_constraint=gpytorch.constraints.GreaterThan(1e-7))
        likelihood.noise = noise
        super().__init__(torch.tensor(points).float(), torch.tensor(values).float(), likelihood)
        several = len(kernel.lengthscale) if isinstance(kernel.lengthscale, tuple) else None
        base = (
            gpytorch.kernels.MaternKernel(nu=kernel.nu, ard_num_dims=several)
            if isinstance(kernel, Matern)
            else gpytorch.kernels.RBFKernel(ard_num_dims=several)
        )
        self.mean_module, self.covar_module = gpytorch.means.ConstantMean(), gpytorch.kernels.ScaleKernel(base)
        self.covar_module.base_kernel.lengthscale = torch.tensor(kernel.lengthscale)
        self.covar_module.outputscale = kernel.variance
        self.eval()
        likelihood.eval()

    def forward(self, x):
        return gpytorch.distributions.MultivariateNormal(self.mean_module(x), self.covar_module(x))

    def at(self, x):
        """Prediction as the published code asks for it."""
        with gpytorch.settings.fast_pred_var():
            return self(x if isinstance(x, torch.Tensor) else torch.tensor(x).float())


def scattered(dim, count, width, seed=0):
    generator = np.random.default_rng(seed)
    points = generator.uniform(-width, width, (count, dim))
    return points, np.sin(points[:, 0]) * np.cos(points[:, -1])


@pytest.mark.parametrize("name", KERNELS)
def test_posterior_is_the_librarys(name):
    kernel = KERNELS[name]
    dim = 3 if isinstance(kernel.lengthscale, tuple) else 2
    points, values = scattered(dim, 40, 4.0)
    noise = 1e-2 * kernel.variance
    ours, theirs = SinglePosterior(kernel, points, values, noise), Library(kernel, points, values, noise)
    x = scattered(dim, 600, 4.0, seed=1)[0]
    with torch.no_grad():
        found = theirs.at(x)
        mean, covariance, variance = found.mean.numpy(), found.covariance_matrix.numpy(), theirs.at(x).variance.numpy()
    assert ours.mean(x).dtype == np.float32
    scale = kernel.variance
    np.testing.assert_allclose(ours.mean(x), mean, atol=SINGLE_ATOL)
    np.testing.assert_allclose(ours.mean_and_variance(x)[1], variance, atol=SINGLE_ATOL * scale)
    np.testing.assert_allclose(ours.mean_and_covariance(x)[1], covariance, atol=SINGLE_ATOL * scale)


def test_where_data_are_close_the_rounding_errors_are_as_large_as_the_librarys():
    # Exact arithmetic on exact distances would be off by 1e-7 only; a posterior that is too good is not the published one.
    points, values = scattered(2, 60, 2 * math.pi)
    near = np.array([4.7, 3.15]) + 0.1 * np.random.default_rng(2).standard_normal((20, 2))
    points = np.vstack([points, near])
    values = np.sin(points[:, 0]) * np.cos(points[:, 1])
    x = np.vstack([scattered(2, 600, 2 * math.pi, seed=1)[0], near + 0.01])
    ours, theirs = SinglePosterior(ISOTROPIC, points, values, 1e-6), Library(ISOTROPIC, points, values)
    exact = DataPosterior(ISOTROPIC, points, values, 1e-6 + ours.jitter)
    with torch.no_grad(), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the library says that it raises the diagonal
        mean = theirs.at(x).mean.numpy()
    errors = [float(np.abs(found - exact.mean(x)).max()) for found in (ours.mean(x), mean)]
    assert 0.2 < errors[0] / errors[1] < 5.0
    assert errors[0] > 2e-6


def test_the_gradient_of_the_mean_is_what_differentiating_the_library_gives():
    points, values = scattered(2, 80, 4.0)
    ours, theirs = SinglePosterior(ISOTROPIC, points, values, 1e-4), Library(ISOTROPIC, points, values, 1e-4)
    for start in scattered(2, 5, 4.0, seed=1)[0]:
        x = torch.tensor(start, dtype=torch.float32, requires_grad=True)
        found = theirs.at(x[None, :]).mean
        found.backward()
        mean, gradient = ours.mean_and_gradient(start[None, :])
        np.testing.assert_allclose(mean, found.detach().numpy(), atol=SINGLE_ATOL)
        np.testing.assert_allclose(gradient[0], x.grad.numpy(), rtol=SINGLE_GRADIENT_RTOL, atol=SINGLE_ATOL)


def test_the_variance_given_a_batch_and_its_gradient_are_the_librarys():
    points, values = scattered(2, 80, 4.0)
    ours, theirs = SinglePosterior(ISOTROPIC, points, values, 1e-4), Library(ISOTROPIC, points, values, 1e-4)
    batch = scattered(2, 3, 4.0, seed=3)[0].astype(np.float32)
    for start in scattered(2, 5, 4.0, seed=1)[0]:
        x = torch.tensor(start, dtype=torch.float32, requires_grad=True)
        covariance = theirs.at(torch.vstack((torch.tensor(batch), x))).covariance_matrix
        inverse = torch.linalg.inv(covariance[:-1, :-1] + 1e-6 * torch.eye(3))
        found = covariance[-1, -1] - covariance[-1, :-1] @ inverse @ covariance[:-1, -1]
        found.backward()
        variance, gradient = ours.pending_variance(start.astype(np.float32), batch)
        np.testing.assert_allclose(variance, float(found.detach()), atol=SINGLE_ATOL)
        np.testing.assert_allclose(gradient, x.grad.numpy(), rtol=SINGLE_GRADIENT_RTOL, atol=10 * SINGLE_ATOL)


def test_variances_have_the_librarys_floor():
    points, values = scattered(2, 80, 4.0)
    _, variance = SinglePosterior(ISOTROPIC, np.vstack([points] * 3), np.tile(values, 3), 1e-6).mean_and_variance(
        points
    )
    assert variance.min() == np.float32(1e-6)


def test_the_diagonal_is_raised_in_steps_and_no_further():
    def least(eigenvalue):
        direction = np.ones((3, 1)) / math.sqrt(3.0)
        return (np.eye(3) - (1.0 - eigenvalue) * direction @ direction.T).astype(np.float32)

    assert [factor(least(value))[1] for value in (1e-3, -5e-7, -5e-6, -5e-5)] == [0.0, 1e-6, 1e-5, 1e-4]
    with pytest.raises(ConditioningError, match="1e-04"):
        factor(least(-5e-4))


def test_draws_have_the_law_of_a_singular_value_decomposition():
    values = np.concatenate([np.linspace(0.1, 1.0, 9), [-0.05]])  # a covariance that rounding has made indefinite
    basis = np.linalg.qr(np.random.default_rng(0).standard_normal((10, 10)))[0]
    covariance = ((basis * values) @ basis.T).astype(np.float32)
    _, singular, rows = np.linalg.svd(covariance.astype(float))
    root = spectral_root(covariance)
    np.testing.assert_allclose(root @ root.T, (rows.T * singular) @ rows, atol=1e-6)


def test_another_kernel_is_refused():
    with pytest.raises(ParameterError, match="kernel"):
        SinglePosterior(Matern(0.5, 1.0), np.zeros((2, 1)), np.zeros(2), 1e-6)


# -- the policy and TS-RSR ---------------------------------------------------------------------------------------------


class Ridge:
    """A mean that rises in the second coordinate, and in the first one up to the edge of the box."""

    points = np.zeros((1, 2))

    def mean_and_gradient(self, x):
        slope = np.stack([np.where(x[:, 0] < 0.9999, 0.1, -0.1), np.ones(len(x))], axis=1)
        return x[:, 1] - 0.1 * np.abs(x[:, 0] - 1.0), slope


def test_after_a_clamp_the_steps_go_on_at_the_same_rate(monkeypatch):
    monkeypatch.setattr(published, "_pending_variance", lambda posterior, point, batch: (1.0, np.zeros(2)))
    view = BoxView(None, Ridge(), None, None, np.array([-1.0, -1.0]), np.array([1.0, 1.0]))
    start = np.array([0.995, 0.0])
    point = PublishedTSRSR()._refined(view, [start], 10.0, start, math.inf)
    # Ten steps of 0.01; at the ascents' rate after a clamp they would go on by 0.0001.
    assert point[1] > 0.04


def test_the_refinement_stops_where_rounding_makes_the_variance_negative(monkeypatch):
    monkeypatch.setattr(published, "_pending_variance", lambda posterior, point, batch: (-1e-9, np.zeros(2)))
    view = BoxView(None, Ridge(), None, None, np.array([-1.0, -1.0]), np.array([1.0, 1.0]))
    start = np.array([0.5, 0.0])
    np.testing.assert_array_equal(PublishedTSRSR()._refined(view, [start], 10.0, start, math.inf), start)


def policy(single):
    low, high = np.array([-1.0, 0.0]), np.array([1.0, 3.0])
    design = stream(0, "design").uniform(low, high, (6, 2))
    return BoxPolicyByRule(
        BatchTS(),
        SurrogateModel(Matern(2.5, 0.5), single=single),
        low,
        high,
        3,
        design,
        lambda name, number: stream(0, name, number),
        CandidateSearch(uniform=50, steps=5),
    )


def test_where_the_factorisation_fails_the_batch_is_random_and_counted(monkeypatch):
    def fail(*_):
        raise ConditioningError("planted")

    run = policy(single=True)
    run.tell(np.arange(len(run.ask(6)), dtype=float))
    monkeypatch.setattr("companion.papers.tsrsr.method.policy.SinglePosterior", fail)
    batch = run.ask(3)
    np.testing.assert_array_equal(batch, stream(0, "rule", 0).uniform([-1.0, 0.0], [1.0, 3.0], (3, 2)))
    assert run.diagnostics()["failed"] == [0]


def test_in_double_precision_a_failure_is_not_hidden(monkeypatch):
    def fail(*_):
        raise ConditioningError("planted")

    run = policy(single=False)
    run.tell(np.arange(len(run.ask(6)), dtype=float))
    monkeypatch.setattr("companion.papers.tsrsr.method.policy.DataPosterior", fail)
    with pytest.raises(ConditioningError):
        run.ask(3)


def test_a_round_in_single_precision_conditions_by_fitting_again():
    points, values = scattered(2, 30, 2.0)
    posterior = SinglePosterior(ISOTROPIC, points, values, 1e-4)
    candidates = scattered(2, 100, 2.0, seed=1)[0]
    pending = SingleRound(0, posterior, candidates, 1.0).pending()
    pending.condition(7)
    pending.condition(11)
    more = DataPosterior(ISOTROPIC, np.vstack([points, candidates[[7, 11]]]), np.zeros(32), 1e-4)
    np.testing.assert_allclose(pending.variance, more.mean_and_variance(candidates)[1], atol=5 * SINGLE_ATOL)
