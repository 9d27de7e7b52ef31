"""The portfolio: its regression against scikit-learn's, expectations by quadrature, and where its data come from."""

from __future__ import annotations

import hashlib
from pathlib import Path

import numpy as np
import pytest
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process.kernels import RBF
from tolerances import FIVE_DECIMALS, FOUR_DECIMALS, GRADIENT_RTOL, PORTFOLIO_ATOL, PRINTED_3_DIGITS, REGRESSION_ATOL

from companion.core.errors import DataError
from companion.core.randomness import stream
from companion.papers.wdrbo.problems import portfolio
from companion.papers.wdrbo.problems.catalogue import chapter_problem
from companion.papers.wdrbo.problems.certificates import certify
from companion.papers.wdrbo.problems.context import ContextProblem
from companion.papers.wdrbo.problems.laws import ClippedNormal, Uniform
from companion.papers.wdrbo.problems.portfolio import Evaluations, ExpectedReturn, Surrogate, portfolio_data
from companion.problems import datasets

LAWS = {"normal": ClippedNormal(0.5, 0.2), "uniform": Uniform()}
#: Optimum, third coordinate of the optimiser, a lower peak and its third coordinate, and the bias of the code's constant.
KNOWN = {
    "normal": (19.7490, 0.0961, 18.677, 0.547, 1.251),
    "uniform": (18.0831, 0.5564, 18.010, 0.115, 0.916),
}
HEADER = "seed,x1,x2,x3,x4,x5,y\n"


def with_evaluations(kind: str) -> ContextProblem:
    try:
        return chapter_problem(f"portfolio-{kind}", data="evaluations")
    except DataError as error:
        pytest.skip(str(error))


class Oracle:
    """Minus the posterior mean by scikit-learn."""

    def __init__(self, data: Evaluations) -> None:
        self.mean, self.sd = data.losses.mean(), data.losses.std(ddof=1)
        kernel = RBF([0.104374669, 2.83679676, 0.128944144, 0.253353596, 0.784387052])
        model = GaussianProcessRegressor(kernel, alpha=0.0190118384, optimizer=None)
        self.model = model.fit(data.inputs, (data.losses - self.mean) / self.sd + 0.503703296)

    def __call__(self, z: np.ndarray) -> np.ndarray:
        return -(self.mean + self.sd * (self.model.predict(z) - 0.503703296))


def check_regression(data: Evaluations, surrogate: Surrogate, tolerance: float) -> None:
    oracle, points = Oracle(data), stream(0, "points").uniform(0, 1, (300, 5))
    points[0] = 0.0
    np.testing.assert_allclose(surrogate(points[:, :3], points[:, 3:]), oracle(points), atol=tolerance)
    decision = np.array([[0.05, 0.9, 0.3]])
    normal, uniform = LAWS["normal"], LAWS["uniform"]
    for first, second in ((normal, normal), (uniform, uniform), (normal, uniform)):
        (c, weights), (d, others) = first.rule([0.0, 0.5, 1.0]), second.rule([0.0, 0.5, 1.0])
        at, across = (axis.ravel() for axis in np.meshgrid(c, d, indexing="ij"))
        values = oracle(np.column_stack([np.tile(decision, (len(at), 1)), at, across]))
        exact = np.outer(weights, others).ravel() @ values
        assert ExpectedReturn(surrogate, first, second)(decision)[0] == pytest.approx(exact, abs=tolerance)


def test_the_regression_is_scikit_learns() -> None:
    data = portfolio.stand_in()
    check_regression(data, Surrogate.fit(data), REGRESSION_ATOL)


def test_the_regression_on_the_evaluations_is_scikit_learns() -> None:
    problem = with_evaluations("normal")
    data = portfolio_data("evaluations")
    assert data.inputs.shape == (3000, 5)
    assert data.losses.mean() == pytest.approx(-2.8857379, abs=FIVE_DECIMALS)
    assert data.losses.std(ddof=1) == pytest.approx(3.8295879, abs=FIVE_DECIMALS)
    check_regression(data, problem.objective, PORTFOLIO_ATOL)


@pytest.mark.parametrize("name", ["LENGTHSCALES", "NOISE_VARIANCE", "CONSTANT_MEAN"])
def test_a_changed_hyperparameter_is_caught(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    value = getattr(portfolio, name)
    monkeypatch.setattr(portfolio, name, (*value[:4], 1.02 * value[4]) if isinstance(value, tuple) else 1.02 * value)
    data = portfolio.stand_in()
    with pytest.raises(AssertionError):
        check_regression(data, Surrogate.fit(data), REGRESSION_ATOL)


@pytest.mark.parametrize("kind", LAWS)
def test_gradient_and_curvature_of_the_expected_return(kind: str) -> None:
    expectation = ExpectedReturn(Surrogate.fit(portfolio.stand_in()), LAWS[kind], LAWS[kind])
    x, step = stream(0, "x").uniform(0, 1, (1000, 3)), 1e-6
    value, gradient = expectation.with_gradient(x)
    np.testing.assert_array_equal(value, expectation(x))
    for axis in range(3):
        shift = step * np.eye(3)[axis]
        (up, up_slope), (down, down_slope) = expectation.with_gradient(x + shift), expectation.with_gradient(x - shift)
        np.testing.assert_allclose(gradient[:, axis], (up - down) / (2 * step), atol=100 * GRADIENT_RTOL)
        bend = np.abs(up_slope - down_slope).max(axis=0) / (2 * step)
        assert (bend <= expectation.curvature[axis]).all()
        assert bend[axis] > 1e-3 * expectation.curvature[axis, axis]


@pytest.mark.parametrize("kind", LAWS)
def test_the_optima_of_the_evaluations(kind: str) -> None:
    problem, (optimum, third, lower, lower_third, bias) = with_evaluations(kind), KNOWN[kind]
    assert problem.meta["data"] == "evaluations"
    assert "simulator" in problem.meta["remark"]
    assert problem.optimum == pytest.approx(optimum, abs=FOUR_DECIMALS)
    assert problem.optimiser == pytest.approx((0.0, 1.0, third), abs=FOUR_DECIMALS)
    assert problem.expected([[0.0, 1.0, lower_third]])[0] == pytest.approx(lower, abs=2 * PRINTED_3_DIGITS)
    assert problem.published_optimum - problem.optimum == pytest.approx(bias, abs=2 * PRINTED_3_DIGITS)
    bracket = certify(problem)
    assert bracket.lower == problem.optimum
    assert bracket.upper <= problem.optimum + 1.01 * problem.optimum_error
    assert bracket.cells > 1000
    slope = problem.expectation.with_gradient(problem.optimiser[None, :])[1][0]
    assert slope[0] < 0 < slope[1]
    assert abs(slope[2]) < PORTFOLIO_ATOL


@pytest.fixture
def shelf(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A data folder whose file may be written, and a repository that lists whatever is there."""
    (tmp_path / "data").mkdir()
    (tmp_path / "portfolio").mkdir()
    monkeypatch.setattr(datasets, "repository_root", lambda: tmp_path)
    monkeypatch.setenv("COMPANION_DATA", str(tmp_path))
    return tmp_path


def written(shelf: Path, content: str, listed: str | None = None) -> None:
    (shelf / "portfolio" / "portfolio_evals_3000.csv").write_text(content, encoding="ascii")
    digest = hashlib.sha256((content if listed is None else listed).encode()).hexdigest()
    listing = f'[portfolio.files]\n"portfolio_evals_3000.csv" = "{digest}"\n'
    (shelf / "data" / "sources.toml").write_text(listing, encoding="utf-8")


def test_the_file_is_read_column_by_column(shelf: Path) -> None:
    written(shelf, HEADER + "1,0.1,0.2,0.3,0.4,0.5,-6\n2,0.6,0.7,0.8,0.9,1,7.5\n")
    data = portfolio_data()
    assert data.name == "evaluations"
    np.testing.assert_array_equal(data.inputs, [[0.1, 0.2, 0.3, 0.4, 0.5], [0.6, 0.7, 0.8, 0.9, 1.0]])
    np.testing.assert_array_equal(data.losses, [-6, 7.5])
    assert portfolio_data("stand-in").name == "stand-in"


def test_a_changed_file_is_noticed(shelf: Path) -> None:
    rows = HEADER + "1,0.1,0.2,0.3,0.4,0.5,-6\n"
    written(shelf, rows.replace("-6", "-7"), listed=rows)
    for name in ("auto", "evaluations"):
        with pytest.raises(DataError, match=r"SHA-256.*unset COMPANION_DATA"):
            portfolio_data(name)
    written(shelf, rows.replace("x4,x5", "x5,x4"))
    with pytest.raises(DataError, match="has the columns"):
        portfolio_data()


def test_without_the_file_the_stand_in_says_what_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("COMPANION_DATA", raising=False)
    problem = chapter_problem("portfolio-uniform")
    assert problem.meta["data"] == "stand-in"
    assert "stand-in" in problem.meta["remark"]
    assert problem.published_optimum is None
    with pytest.raises(DataError, match="set COMPANION_DATA"):
        portfolio_data("evaluations")


def test_the_stand_in_has_the_stated_formula_and_range() -> None:
    data = portfolio.stand_in()
    x1, x2, x3, c1, c2 = data.inputs[77]
    waves = (0.5 + np.exp(-3 * c1)) * (1 + 0.2 * x2) * (1 + 0.2 * np.sin(3 * np.pi * x3))
    assert data.losses[77] == pytest.approx(
        -3 - 16 * np.exp(-8 * x1) * waves + 3 * x1 - 2 * x3 + c2, abs=REGRESSION_ATOL
    )
    assert len(np.unique(data.inputs, axis=0)) == 512
    assert data.losses.min() > -40
    assert data.losses.max() < 5
