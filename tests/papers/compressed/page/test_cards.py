"""The cards of problems and methods."""

import numpy as np
import pytest

from companion.pages.figures import LIGHT
from companion.papers.compressed.page import cards


def test_a_problem_made_from_its_card_is_the_packages() -> None:
    study = cards.problem_study()
    n = cards.problem_numbers(study)
    x = np.linspace(*n.line_ends, n.line_size)
    wave = np.sin(x) + np.cos(x) + x / 10
    np.testing.assert_allclose(study.of["example-function"].problem.values, wave)
    assert (n.line_best, n.line_at) == (pytest.approx(wave.max()), [pytest.approx(x[wave.argmax()])])
    axis = np.linspace(*n.valley_ends, n.axis)
    across, up = np.meshgrid(axis, axis, indexing="ij")
    raw = (1 - across) ** 2 + 10 * (up - across**2) ** 2
    f = -(raw - raw.mean()) / raw.std()
    np.testing.assert_allclose(np.sort(study.of["rosenbrock"].problem.values), np.sort(f.ravel()))
    assert (n.valley_best, n.valley_raw) == (pytest.approx(f.max()), pytest.approx(raw.min()))
    tuning = study.of["logistic"].problem
    at = cards.tuned(tuning.points[int(np.argmax(tuning.values))])
    assert (n.rate, n.batch, n.penalty) == (10 ** at[0], 2 ** round(at[1]), 10 ** at[3])
    assert cards.problems(study).render(LIGHT).startswith(b"\x89PNG")


def test_thresholds_are_those_of_the_formulas() -> None:
    n = cards.method_numbers()
    u = np.expm1(2e-4)
    assert n.printed == cards.power_of_ten(1e-3 * u) == r"2\cdot10^{-7}"
    assert (n.unit, n.tuning, n.budget) == (cards.power_of_ten(u), "10^{-4}", "10^{-4}")
    assert n.line == cards.power_of_ten(1e-3 / np.sqrt(300))
    assert float(n.raw) == pytest.approx(np.exp(2e-4) / (2 * np.pi * np.e) - 1e-3, rel=1e-2)
