"""Golden values against scikit-learn, GPyTorch and BoTorch, with every setting given; and computed again."""

from __future__ import annotations

import io
import re
import runpy
import sys
import warnings
from contextlib import redirect_stdout
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

pytest.importorskip("botorch")
import torch
from botorch.acquisition import analytic
from botorch.models import SingleTaskGP
from botorch.models.transforms.outcome import Standardize
from botorch.utils.testing import MockModel, MockPosterior
from oracles.peers import _Exact, gpytorch, gpytorch_kernel, sklearn_kernel
from sklearn.gaussian_process import GaussianProcessRegressor

settings, likelihoods = gpytorch.settings, gpytorch.likelihoods


#: Noise beside which a gain is so small that no library's determinant has its digits.
TINY = 1e3


def double(values: Any) -> torch.Tensor:
    """BoTorch and GPyTorch make single precision of Python's numbers."""
    return torch.tensor(values, dtype=torch.float64)


# --- scikit-learn -------------------------------------------------------------------------------------------------------


def regressor(kernel, lengthscale, variance, noise_sd, **more) -> GaussianProcessRegressor:
    whole = variance * sklearn_kernel(kernel, lengthscale)
    return GaussianProcessRegressor(whole, alpha=noise_sd**2, optimizer=None, **more)


def sk_posterior(X, y, X_new, **model) -> tuple:
    made = regressor(**model)
    mean, covariance = (made.fit(X, y) if X else made).predict(X_new, return_cov=True)
    return mean, np.diagonal(covariance), covariance


def sk_standardised(X, y, X_new, ddof, **model) -> tuple | None:
    mean, sd = regressor(**model, normalize_y=True).fit(X, y).predict(X_new, return_std=True)
    return (mean, sd**2) if ddof == 0 else None


def sk_gain(X, noise_sd, **model) -> float | None:
    """Of a tiny gain the factor of K + sigma^2 I has lost the digits already."""
    offered = X and noise_sd < TINY
    factor = regressor(**model, noise_sd=noise_sd).fit(X, np.zeros(len(X))).L_ if offered else None
    return None if factor is None else np.log(np.diagonal(factor) / noise_sd).sum()


def sk_likelihood(X, y, **model) -> float:
    return regressor(**model).fit(X, y).log_marginal_likelihood_value_


# --- GPyTorch -----------------------------------------------------------------------------------------------------------


def scaled(kernel, lengthscale, variance, dim) -> Any:
    made = gpytorch.kernels.ScaleKernel(gpytorch_kernel(kernel, lengthscale, dim)).double()
    made.outputscale = double(variance)
    return made


def gpy_posterior(X, y, X_new, noise_sd, least=1e-12, **model) -> tuple:
    """``least`` is what a smaller noise variance is raised to, 1e-6 by default."""
    noise = double([noise_sd**2] * max(len(X), 1))
    data = (double(X), double(y)) if X else (None, None)
    with settings.min_fixed_noise(double_value=least), torch.no_grad(), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # that the noise was raised, that it is asked at the data
        likelihood = likelihoods.FixedNoiseGaussianLikelihood(noise)
        found = _Exact(*data, likelihood, scaled(**model, dim=len(X_new[0]))).eval()(double(X_new))
        return found.mean, found.variance, found.covariance_matrix


def gpy_gain(X, noise_sd, **model) -> torch.Tensor | None:
    with torch.no_grad():
        covariance = scaled(**model, dim=len(X[0]))(double(X)).to_dense() if X and noise_sd < TINY else None
    return None if covariance is None else torch.logdet(torch.eye(len(X)).double() + covariance / noise_sd**2) / 2


def gpy_likelihood(X, y, noise_sd, **model) -> torch.Tensor:
    """Its objective is that of one point."""
    likelihood = likelihoods.FixedNoiseGaussianLikelihood(double([noise_sd**2] * len(X)))
    made = _Exact(double(X), double(y), likelihood, scaled(**model, dim=len(X[0])))
    with torch.no_grad():
        return gpytorch.mlls.ExactMarginalLogLikelihood(likelihood, made)(made(double(X)), double(y)) * len(y)


# --- BoTorch ------------------------------------------------------------------------------------------------------------


def told(X, y, X_new, model, **more) -> tuple:
    parts = {"covar_module": scaled(**model, dim=len(X_new[0])), "mean_module": gpytorch.means.ZeroMean()}
    with warnings.catch_warnings(), torch.no_grad(), settings.min_fixed_noise(double_value=1e-12):
        warnings.simplefilter("ignore")  # advice about inputs that are not scaled and values that are not standardised
        found = SingleTaskGP(double(X), double(y)[:, None], **more, **parts).posterior(double(X_new))
        return found.mean, found.variance, found.distribution.covariance_matrix


def bo_posterior(X, y, X_new, noise_sd, **model) -> tuple | None:
    noise = double([[noise_sd**2]] * len(X))
    return told(X, y, X_new, model, outcome_transform=None, train_Yvar=noise) if X else None


def bo_standardised(X, y, X_new, ddof, noise_sd, **model) -> tuple | None:
    likelihood = likelihoods.GaussianLikelihood().double()
    likelihood.noise = double(noise_sd**2)
    parts = {"likelihood": likelihood, "outcome_transform": Standardize(1)}
    return told(X, y, X_new, model, **parts)[:2] if ddof == 1 else None


def rule(of: Any, **names: str) -> Any:
    """A rule of BoTorch's at a point where the model has this mean and sd."""

    def score(mean, sd, make=double, **more) -> float:
        model = MockModel(MockPosterior(mean=double([[[mean]]]), variance=double([[[sd]]]) ** 2))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # advice to take the logarithm
            return of(model, **{names[key]: make(v) for key, v in more.items()})(torch.zeros(1, 1, 1).double()).item()

    return score


BOTORCH = SimpleNamespace(
    posterior=bo_posterior,
    standardised=bo_standardised,
    ei=rule(analytic.ExpectedImprovement, best="best_f"),
    log_ei=rule(analytic.LogExpectedImprovement, best="best_f"),
    pi=rule(analytic.ProbabilityOfImprovement, best="best_f"),
    ucb=lambda mean, sd, width: rule(analytic.UpperConfidenceBound, beta="beta")(mean, sd, beta=width**2),
)
#: And how many cases each does not offer: it standardises in one way, or has no model or gain without data.
LIBRARIES = {
    "scikit-learn": (
        SimpleNamespace(
            posterior=sk_posterior, standardised=sk_standardised, gain=sk_gain, log_marginal_likelihood=sk_likelihood
        ),
        4,
    ),
    "GPyTorch": (SimpleNamespace(posterior=gpy_posterior, gain=gpy_gain, log_marginal_likelihood=gpy_likelihood), 3),
    "BoTorch": (BOTORCH, 2),
}


@pytest.mark.parametrize("name", LIBRARIES)
def test_a_library_gives_them(name, checker, capsys) -> None:
    library, skipped = LIBRARIES[name]
    found = checker.check(library)
    assert {result.status for result in found} == {"pass", "skip"}, [
        r for r in found if r.status not in ("pass", "skip")
    ]
    assert sum(result.status == "skip" for result in found) == skipped
    assert f"{len(found) - skipped} pass" in capsys.readouterr().out


def test_what_libraries_do_unless_told_is_called_by_its_name(checker) -> None:
    raised = list(checker.results({"posterior": lambda **inputs: gpy_posterior(**inputs, least=1e-6)}))
    assert {r.case: r.conventions for r in raised if r.status != "pass"} == {
        "posterior/nearly-singular": ("noise-floor",)
    }
    single = list(checker.results({"ei": lambda **inputs: BOTORCH.ei(**inputs, make=float)}))
    assert "7.6 digits" in next(r.text for r in single if r.case == "ei/ahead")
    other = list(checker.results({"standardised": lambda ddof, **inputs: sk_standardised(**inputs, ddof=0)}))
    assert [r.conventions for r in other] == [(), ("ddof-0",)]


def test_the_program_of_the_page_prints_what_the_page_shows(root, monkeypatch) -> None:
    page = (root / "book" / "golden.md").read_text(encoding="utf-8")
    program, shown = (re.findall(rf"^```{name}\n(.*?)^```", page, re.M | re.S)[0] for name in ("python", "text"))
    assert sum(bool(line.strip()) for line in program.splitlines()) <= 12
    monkeypatch.syspath_prepend(str(root / "data" / "golden"))
    sys.modules.pop("check", None)  # another test's
    try:
        with redirect_stdout(io.StringIO()) as out:
            exec(program, {})
    finally:
        sys.modules.pop("check", None)
    pattern = ".*".join(re.escape(part) for part in shown.split("...\n"))
    assert re.fullmatch(pattern, out.getvalue(), re.S), out.getvalue()


def test_the_values_are_computed_again(root) -> None:
    folder = root / "data" / "golden"
    assert runpy.run_path(str(folder / "make.py"))["text"]() == (folder / "golden.json").read_text(encoding="utf-8")
