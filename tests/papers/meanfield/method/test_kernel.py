"""Eq. (1) against GPyTorch's own kernels, entry-by-entry sums and finite differences."""

from dataclasses import replace

import numpy as np
import pytest
from oracles import meanfield_reference as reference
from oracles.optional import optional
from tolerances import LAW_KERNEL_ATOL, SAME_MAXIMUM

from companion.core.errors import ParameterError
from companion.gp import Matern
from companion.papers.meanfield.method.kernel import AdditiveKernel, Plays, radial, squared_distances
from companion.papers.meanfield.method.model import FitSchedule, MeanFieldGP
from companion.papers.meanfield.method.regression import LogNormal

torch, library = optional("torch"), optional("companion.papers.meanfield.method.gpytorch_kernel", "torch gpytorch")
additive_of_gpytorch, fit_by_gpytorch, flatten = library.additive_of_gpytorch, library.fit_by_gpytorch, library.flatten

KERNEL = AdditiveKernel(0.7, 0.9, 0.3, 0.6, 0.4, 1.3)


def plays(count, contexts=3, actions=4, seed=0):
    rng = np.random.default_rng(seed)
    return Plays(
        rng.normal(size=(count, 2)), rng.normal(size=(count, 1)), rng.dirichlet(np.ones(actions), (count, contexts))
    )


def test_kernel_is_the_sum_of_gpytorchs_rbf_kernels():
    one, two = plays(6), plays(5, seed=1)
    module = additive_of_gpytorch(KERNEL, one)
    expected = module(flatten(one), flatten(two)).to_dense().detach().numpy()
    diagonal = module(flatten(one), diag=True).detach().numpy()
    np.testing.assert_allclose(diagonal, KERNEL.variance(3), atol=LAW_KERNEL_ATOL)
    np.testing.assert_allclose(KERNEL(one, two), expected, atol=LAW_KERNEL_ATOL)
    assert KERNEL(one, two)[2, 3] == pytest.approx(
        reference.covariance(KERNEL, [part[2] for part in one], [part[3] for part in two]), abs=LAW_KERNEL_ATOL
    )


@pytest.mark.parametrize(("contexts", "seed"), [(1, 0), (2, 1)])
def test_gpytorch_and_our_formulas_find_the_same_maximum(contexts, seed):
    """Likelihood, priors, gradient and search are the library's; only the model and its numbers are the same."""
    rng = np.random.default_rng(seed)
    model = MeanFieldGP(np.linspace(0, 1, 5)[:, None], np.arange(contexts)[:, None])
    for law in rng.dirichlet(np.ones(5), (20, contexts)):
        model.add(int(rng.integers(5)), int(rng.integers(contexts)), law, float(law[0, 0] + 0.1 * rng.normal()))
    schedule = FitSchedule(iterations=200)
    assert model.fit(schedule)
    found = fit_by_gpytorch(model, schedule)
    assert found.objective == pytest.approx(model.last_fit.objective, abs=SAME_MAXIMUM)
    np.testing.assert_allclose(found.logs(), model.last_fit.logs(), rtol=0, atol=np.sqrt(SAME_MAXIMUM))
    other = fit_by_gpytorch(model, replace(schedule, noise=LogNormal(-4.0, 2.0)))
    assert np.abs(other.logs() - found.logs()).max() > 10 * np.sqrt(SAME_MAXIMUM), "another prior is noticed"


def test_as_printed_the_diagonal_is_two_plus_the_number_of_contexts():
    kernel, z = AdditiveKernel(), plays(7)
    np.testing.assert_allclose(np.diag(kernel(z)), 5.0, atol=LAW_KERNEL_ATOL)
    assert kernel.variance(3) == 5.0
    assert np.linalg.eigvalsh(kernel(z)).min() > -1e-9


def test_printed_radial_function_is_the_matern_kernel_of_smoothness_one_half():
    x = np.random.default_rng(3).normal(size=(6, 2))
    printed = radial(squared_distances(x, x), 0.4, "printed")
    np.testing.assert_allclose(printed, Matern(0.5, 0.8)(x), atol=1e-7)  # square root of a rounded zero distance
    assert np.abs(printed - radial(squared_distances(x, x), 0.4)).max() > 0.1


@pytest.mark.parametrize(("coupling", "interacts"), [("additive", False), ("joint", True)])
def test_only_the_joint_kernel_lets_contexts_interact(coupling, interacts):
    """Mixed second difference of k(., z') over the laws of two contexts: zero for the class of Eq. (1)."""
    kernel = AdditiveKernel(law_lengthscale=0.4, coupling=coupling)
    one, two, data = plays(1).laws[0], plays(1, seed=1).laws[0], plays(9, seed=2).laws
    mixed = np.array(
        [[one[0], one[1], one[2]], [two[0], one[1], one[2]], [one[0], two[1], one[2]], [two[0], two[1], one[2]]]
    )
    values = kernel.law_part(mixed, data)
    difference = np.abs(values[3] - values[2] - values[1] + values[0]).max()
    assert (difference > 1e-3) if interacts else (difference < 1e-12)


@pytest.mark.parametrize(
    "bad", [{"law_lengthscale": 0.0}, {"action_scale": -1.0}, {"form": "squard"}, {"coupling": "product"}]
)
def test_bad_hyperparameters_are_refused(bad):
    with pytest.raises(ParameterError):
        AdditiveKernel(**bad)
