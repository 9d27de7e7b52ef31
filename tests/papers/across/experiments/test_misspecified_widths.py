"""A width judged with a wrong model: the model alone is wrong, and where it is right the rows are those stored before.

Mutants that it catches: f drawn of the wrong kernel as well, noise of the wrong size, an error that is put in twice.
"""

from __future__ import annotations

import math

import numpy as np
import pytest

from companion.papers.across.experiments import misspecified_widths, width_arms, width_grid_runs, widths
from companion.papers.across.experiments.misspecified_widths import Cell

SEED = 3


def covariance(kernel: str, lengthscale: float) -> np.ndarray:
    """By hand, on the 50 points of the line."""
    apart = np.abs(np.subtract.outer(np.linspace(0, 1, 50), np.linspace(0, 1, 50))) / lengthscale
    return {
        "se": np.exp(-(apart**2) / 2),
        "matern12": np.exp(-apart),
        "matern32": (1 + math.sqrt(3) * apart) * np.exp(-math.sqrt(3) * apart),
    }[kernel]


@pytest.mark.parametrize(
    ("cell", "kernel", "lengthscale", "noise"),
    [
        (Cell("draws", "se"), "se", 0.2, 0.1),
        (Cell("draws", "se", "lengthscale*2"), "se", 0.4, 0.1),
        (Cell("draws", "matern32", "lengthscale/2"), "matern32", 0.1, 0.1),
        (Cell("draws", "se", "noise/2"), "se", 0.2, 0.05),
        (Cell("random functions", "matern32", "noise*2"), "matern32", 0.2, 0.2),
        (Cell("random functions", "matern32", "smoother"), "se", 0.2, 0.1),
        (Cell("random functions", "se", "rougher"), "matern12", 0.2, 0.1),
    ],
    ids=lambda value: f"{value.kernel} {value.model}" if isinstance(value, Cell) else None,
)
def test_a_run_by_hand(cell: Cell, kernel: str, lengthscale: float, noise: float) -> None:
    found = {rule.id: (rule, block) for rule, _, block in misspecified_widths.played(cell, SEED)}
    _, block = found["library/bayesian-optimization"]  # a constant, of 2.576
    values = width_grid_runs.functions(cell.kind, SEED, kernel=cell.kernel)
    errors = 0.1 * (width_grid_runs.noise(SEED) / width_grid_runs.NOISE)
    prior, width = covariance(kernel, lengthscale), 2.576
    for run in (0, 41):
        at, seen, ratio, regret = [], [], 0.0, 0.0
        for t in range(20):
            inverse = np.linalg.inv(prior[np.ix_(at, at)] + noise**2 * np.eye(t))
            mean = prior[:, at] @ inverse @ np.array(seen)
            sd = np.sqrt(np.diag(prior) - np.einsum("ij,jk,ik->i", prior[:, at], inverse, prior[:, at]))
            ratio = max(ratio, float(np.max(np.abs(values[run] - mean) / (width * sd))))
            chosen = int(np.argmax(mean + width * sd))
            at.append(chosen)
            seen.append(values[run, chosen] + errors[run, t])
            regret += values[run].max() - values[run, chosen]
        short = width_grid_runs.gp_ucb(
            found["library/bayesian-optimization"][0],
            values[run : run + 1],
            errors[run : run + 1, :20],
            cell.believed(width_grid_runs.Model(cell.kernel)),
        )
        np.testing.assert_allclose((short.ratio[0], short.regret[0]), (ratio, regret), rtol=1e-6)
        assert block.ratio[run] >= short.ratio[0] - 1e-9


def test_functions_and_noise_do_not_know_of_the_error() -> None:
    right, wrong = (
        {rule.id: found.ratio for rule, _, found in misspecified_widths.played(Cell("50 arms, drawn", "", model), SEED)}
        for model in ("right", "noise*2")
    )
    # The first look is before any pull: error over width times one, whatever the noise is taken for.
    place = misspecified_widths.PLACES["50 arms, drawn"]
    values, _ = width_arms.values_and_noise(place, SEED)
    first = np.abs(values).max(axis=1) / 2.576
    for found in (right, wrong):
        assert (found["library/bayesian-optimization"] >= first - 1e-12).all()
    assert (right["library/bayesian-optimization"] > wrong["library/bayesian-optimization"]).mean() > 0.5


def test_every_error_is_possible_where_it_is_played() -> None:
    cells = misspecified_widths.cells()
    assert len(cells) == len(set(cells)) == 53
    assert {cell.model for cell in cells if cell.kind == "prior"}.isdisjoint({"norm/2", "norm*2"})
    assert Cell("draws", "se", "smoother") not in cells
    assert Cell("one arm", "", "lengthscale*2") not in cells
    assert Cell("one arm", "", "norm/2").believed(misspecified_widths.PLACES["one arm"]).norm == 0.5
    assert Cell("one arm", "", "norm/2").believed(misspecified_widths.PLACES["one arm"]).noise == 1.0


def test_with_the_right_model_the_rows_are_those_of_the_widths() -> None:
    own, theirs = misspecified_widths.load().tables["misspecified"], widths.load().tables["width_coverage"]
    own = own[(own.model == "right") & (own.kernel != "matern32")].set_index(["instance", "id", "points"])
    theirs = theirs[theirs.factor == 1.0].set_index(["instance", "id", "points"])
    assert len(own) > 90
    for name in ("covered", "enough"):
        np.testing.assert_allclose(own[name], theirs.loc[own.index, name], rtol=1e-5)


@pytest.mark.parametrize(
    ("low", "high", "said"), [(0.9, 1.0, "survives"), (0.85, 0.89, "breaks"), (0.89, 0.93, "open"), (0.8, 0.9, "open")]
)
def test_verdicts(low: float, high: float, said: str) -> None:
    assert misspecified_widths.verdict(low, high) == said
