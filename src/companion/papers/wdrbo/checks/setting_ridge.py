"""Statements: the estimator and its width, in feature space and in sample space (Section 3.2 and Appendix 7)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from companion.checks.cases import Case, at_most
from companion.checks.statement import need, statement
from companion.core.arrays import Floats, Indices
from companion.core.randomness import stream
from companion.gp import FinitePosterior, grid, kernel_by_name
from companion.papers.wdrbo.theory.games import TITLES

#: Relative difference of two routes: condition numbers up to 1e5, thousands of rounded operations.
AGREEMENT = 1e-9


@dataclass(frozen=True)
class Sample:
    """``count`` observations at random points, with repeats, of a grid on which the kernel has an explicit feature map.

    A kernel on N points has one: row z of a factor of its covariance is the feature vector of z, and the norm of a
    function is the length of its coefficients. ``kernel="features"``: independent normal features, 20 points, 50 features.

    Parameters
    ----------
    kernel, dim : of the grid on [0, 1]^dim
    lam : regulariser lambda
    count : t
    """

    kernel: str
    dim: int
    lam: float
    count: int

    @property
    def where(self) -> str:
        """The sample in words."""
        name = "random features" if self.kernel == "features" else f"{TITLES[self.kernel]}, d = {self.dim}"
        return f"{name}, lambda = {self.lam:g}, t = {self.count}"

    @cached_property
    def features(self) -> Floats:
        """(N, D) one feature vector per candidate."""
        if self.kernel == "features":
            return self._stream("features").standard_normal((20, 50)) / np.sqrt(50.0)
        points = grid({1: 20, 2: 5, 3: 3}[self.dim], self.dim)
        values, vectors = np.linalg.eigh(kernel_by_name(self.kernel, 0.25 * self.dim)(points))
        return np.asarray(vectors * np.sqrt(np.maximum(values, 0.0)))

    @cached_property
    def data(self) -> tuple[Indices, Floats, Floats]:
        """(t,) indices, (t, D) their features, (t,) observations."""
        generator = self._stream("data", self.count)
        seen = generator.integers(len(self.features), size=self.count)
        return seen.astype(np.intp), self.features[seen], generator.standard_normal(self.count)

    def posterior(self) -> FinitePosterior:
        """The package's engine after the observations."""
        seen, _, values = self.data
        engine = FinitePosterior(self.features @ self.features.T, self.lam)
        for index, value in zip(seen, values, strict=True):
            engine.observe(int(index), float(value))
        return engine

    def perturbations(self) -> Floats:
        """(100, D) directions, of lengths from 1e-3 to 1."""
        generator = self._stream("perturbations")
        drawn = generator.standard_normal((100, self.features.shape[1]))
        return drawn * np.logspace(-3, 0, 100)[:, None] / np.linalg.norm(drawn, axis=1, keepdims=True)

    def _stream(self, *name: str | int) -> np.random.Generator:
        return stream(0, "wdrbo", "statements", "ridge", self.kernel, self.dim, *name)


def samples() -> Iterator[Sample]:
    """Five feature maps, three dimensions, three regularisers, 1 to 40 observations."""
    for kernel, dim in (("features", 1), ("se", 1), ("matern12", 2), ("matern32", 1), ("matern52", 3)):
        for lam in (0.01, 0.5, 4.0):
            for count in (1, 12, 40):
                yield Sample(kernel, dim, lam, count)


POSITIVE = need(r"$\lambda>0$", lambda sample: sample.lam > 0, Sample("se", 1, 0.0, 3))


def _difference(one: Any, other: Any) -> float:
    return float(np.linalg.norm(one - other) / max(np.linalg.norm(one), np.linalg.norm(other)))


@statement(
    "eq-20",
    "identity",
    samples,
    POSITIVE,
    teeth={"no leading lambda": {"leading": False}, "1.001 lambda on the right": {"regulariser": 1.001}},
)
def eq_20(sample: Sample, *, leading: bool = True, regulariser: float = 1.0) -> Case:
    r"""$\lambda(\Phi_t^\top\Phi_t+\lambda I)^{-1}=I-\Phi_t^\top(\Phi_t\Phi_t^\top+\lambda I)^{-1}\Phi_t$

    Left is the relative difference of the two matrices.
    """
    phi, lam = sample.data[1], sample.lam
    count, size = phi.shape
    left = (lam if leading else 1.0) * np.linalg.inv(phi.T @ phi + lam * np.eye(size))
    right = np.eye(size) - phi.T @ np.linalg.solve(phi @ phi.T + regulariser * lam * np.eye(count), phi)
    return at_most(_difference(left, right), AGREEMENT, sample.where)


@statement(
    "eq-22",
    "identity",
    samples,
    POSITIVE,
    teeth={"regulariser 2 lambda": {"regulariser": 2.0}, "regulariser 0.999 lambda": {"regulariser": 0.999}},
    depends="eq-20",
)
def eq_22(sample: Sample, *, regulariser: float = 1.0) -> Iterator[Case]:
    r"""$\mu_t=(\Phi_t^\top\Phi_t+\lambda I)^{-1}\Phi_t^\top y=\Phi_t^\top(\Phi_t\Phi_t^\top+\lambda I)^{-1}y$ minimises
    $\sum_i(y_i-\mu(z_i))^2+\lambda\norm{\mu}_k^2$, and $\mu_t(z)=k_t(z)^\top(K_t+\lambda I)^{-1}y$

    The minimiser is found as the least-squares solution of :math:`[\Phi;\sqrt\lambda I]\theta=[y;0]`, without either form;
    the values of (4) are compared with the package's engine; a hundred perturbations do not lower the objective.
    """
    _, phi, values = sample.data
    lam, size = sample.lam, phi.shape[1]
    shift = regulariser * lam
    feature_form = np.linalg.solve(phi.T @ phi + shift * np.eye(size), phi.T @ values)
    sample_form = phi.T @ np.linalg.solve(phi @ phi.T + shift * np.eye(len(values)), values)
    stacked = np.vstack([phi, np.sqrt(lam) * np.eye(size)])
    best = np.linalg.lstsq(stacked, np.concatenate([values, np.zeros(size)]), rcond=None)[0]
    for name, form in (("features", feature_form), ("samples", sample_form)):
        yield at_most(_difference(form, best), AGREEMENT, f"{sample.where}: minimiser, {name}")
    yield at_most(
        _difference(sample.features @ sample_form, sample.posterior().mean[0]), AGREEMENT, f"{sample.where}: engine"
    )

    def objective(coefficients: Floats) -> Floats:
        misses = values - coefficients @ phi.T
        return np.asarray(np.sum(misses**2, axis=-1) + lam * np.sum(coefficients**2, axis=-1))

    least = float(objective(sample_form + sample.perturbations()).min())
    yield at_most(float(objective(sample_form)), least, f"{sample.where}: best of 100 perturbations")


#: The inner product of (24) for the features (t, D) of the data, lambda, and those of all candidates (N, D).
Inner = Callable[[Floats, float, Floats], Floats]


def with_operator(phi: Floats, lam: float, features: Floats) -> Floats:
    r""":math:`\langle k(\cdot,z),(V_t+\lambda I)^{-1}k(\cdot,z)\rangle`, (N,)."""
    solved = np.linalg.solve(phi.T @ phi + lam * np.eye(phi.shape[1]), features.T)
    return np.asarray(np.sum(features.T * solved, axis=0))


def with_gram(phi: Floats, lam: float, features: Floats) -> Floats:
    r""":math:`k_t(z)^\top(K_t+\lambda I)^{-1}k_t(z)`, (N,): the line under (24) pairs :math:`k_t(z)` with an operator."""
    cross = phi @ features.T
    return np.asarray(np.sum(cross * np.linalg.solve(phi @ phi.T + lam * np.eye(len(phi)), cross), axis=0))


@statement(
    "eq-24",
    "identity",
    samples,
    POSITIVE,
    teeth={
        "without 1/lambda": {"scaled": False},
        "the line under (24) taken with the Gram matrix": {"inner": with_gram},
    },
    depends="eq-20",
)
def eq_24(sample: Sample, *, scaled: bool = True, inner: Inner = with_operator) -> Iterator[Case]:
    r"""$\sigma_t^2(z)=\langle k(\cdot,z),(V_t+\lambda I)^{-1}k(\cdot,z)\rangle=\norm{(V_t+\lambda
    I)^{-1/2}k(\cdot,z)}^2=\frac1\lambda\big(k(z,z)-k_t(z)^\top(K_t+\lambda I)^{-1}k_t(z)\big)$

    Left is the largest relative difference over all candidates.
    """
    _, phi, _ = sample.data
    lam, features = sample.lam, sample.features
    printed = (np.sum(features**2, axis=1) - with_gram(phi, lam, features)) / (lam if scaled else 1.0)
    # The inverse root from the spectrum, which shares no step with the solves.
    eigenvalues, vectors = np.linalg.eigh(phi.T @ phi + lam * np.eye(phi.shape[1]))
    root = np.sum((vectors.T @ features.T / np.sqrt(eigenvalues)[:, None]) ** 2, axis=0)
    engine = sample.posterior().variance[0] / lam
    for name, route in (("inner product", inner(phi, lam, features)), ("length", root), ("engine", engine)):
        gap = float(np.max(np.abs(printed - route) / np.maximum(printed, route)))
        yield at_most(gap, 10 * AGREEMENT, f"{sample.where}: {name}")
