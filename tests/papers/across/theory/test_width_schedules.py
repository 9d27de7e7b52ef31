"""Widths beyond the papers': the identity behind the sharper one, order among them, and what is stored."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from tolerances import DIRECT_SOLVE_RTOL, FORMULA_RTOL, PRINTED_RTOL

from companion.bounds.confidence import OneRootWidth
from companion.papers.across.experiments import widths
from companion.papers.across.experiments.width_grid_runs import MODEL
from companion.papers.across.theory import width_schedules
from companion.papers.across.theory.bounds import BOUNDS
from companion.papers.across.theory.informative_horizons import case_of


def test_the_identity_behind_the_sharper_width() -> None:
    """By dense linear algebra: error in the posterior's norm, and the log of the mixture as a Gaussian integral."""
    generator, sd = np.random.default_rng(0), 0.3
    prior = MODEL.covariance[::7, ::7] + 1e-6 * np.eye(8)
    for _ in range(5):
        points = generator.integers(8, size=12)
        f = np.linalg.cholesky(prior) @ generator.standard_normal(8)
        seen = f[points] + sd * generator.standard_normal(12)
        among = prior[np.ix_(points, points)]
        noisy = among + sd**2 * np.eye(12)
        mean = prior[:, points] @ np.linalg.solve(noisy, seen)
        left = (f - mean) @ np.linalg.solve(prior, f - mean) + np.sum((f - mean)[points] ** 2) / sd**2
        norm, gain = f @ np.linalg.solve(prior, f), np.linalg.slogdet(np.eye(12) + among / sd**2)[1] / 2
        mixture = np.sum((seen - f[points]) ** 2) / (2 * sd**2) - gain - seen @ np.linalg.solve(noisy, seen) / 2
        assert left == pytest.approx(norm + 2 * gain + 2 * mixture, rel=DIRECT_SOLVE_RTOL)
        # With the supermartingale at its limit, this is the square of the width.
        at_limit = float(OneRootWidth(math.sqrt(norm), 0.1).width(gain=gain)) ** 2
        assert at_limit == pytest.approx(left - 2 * mixture + 2 * math.log(10), rel=DIRECT_SOLVE_RTOL)
        spread = prior - prior[:, points] @ np.linalg.solve(noisy, prior[points])
        assert np.max((f - mean) ** 2 / np.diag(spread)) <= left * (1 + DIRECT_SOLVE_RTOL)


@pytest.mark.parametrize("t", [1, 10, 1000])
@pytest.mark.parametrize("noise", [0.1, 1.0])
def test_order_of_the_widths_for_a_known_norm(noise: float, t: int) -> None:
    case = case_of("matern52", 2, noise, t)
    sharp, plain, older = (
        width_schedules.FORMS[name].value(replace(case, norm=2.0))
        for name in ("sharper/mixture", "batched/self-normalised", "classical/srinivas-norm")
    )
    assert plain / math.sqrt(2) <= sharp < plain < older


def test_papers_that_state_the_same() -> None:
    case = case_of("se", 1, 0.3, 50)
    pairs = [
        ("batched/self-normalised", "wdrbo/lemma-1/printed"),
        ("compressed/lemma-8.1/printed", "classical/srinivas-finite"),
    ]
    for one, other in pairs:
        for realised in (None, 7.0):
            there = replace(case, realised=realised)
            values = [width_schedules.FORMS[name].value(there) for name in (one, other)]
            assert values[0] == pytest.approx(values[1], rel=FORMULA_RTOL)


def test_chowdhury_and_gopalan_add_one_nat_to_the_gain_of_the_rounds_before() -> None:
    case = case_of("se", 1, 0.3, 11)
    before = replace(case, horizon=10, realised=case.gain(10) + 1.0)
    assert BOUNDS["classical/chowdhury-gopalan"].value(case) == BOUNDS["batched/self-normalised"].value(before)


def test_srinivas_for_a_known_norm_at_a_hundred_in_the_logarithm() -> None:
    case = replace(case_of("se", 1, 0.3, 10), norm=3.0)
    assert case.horizon / case.delta == pytest.approx(100.0)
    square = 18.0 + 300.0 * case.gain(10) * 97.66  # 4.605 cubed
    assert BOUNDS["classical/srinivas-norm"].value(case) ** 2 == pytest.approx(square, rel=PRINTED_RTOL)


def test_what_is_stored_is_what_is_computed() -> None:
    table = widths.load().tables["widths"]
    again = list(width_schedules.rows())
    assert len(again) == len(table) > 200
    for row, kept in zip(again, table.to_dict("records"), strict=True):
        assert [kept[name] for name in ("kernel", "dim", "id")] == [row[name] for name in ("kernel", "dim", "id")]
        for t in width_schedules.SHOWN:
            assert kept[f"T={t}"] == pytest.approx(
                row[f"T={t}"], rel=1.1 * 10 ** (1 - width_schedules.DIGITS), nan_ok=True
            )
