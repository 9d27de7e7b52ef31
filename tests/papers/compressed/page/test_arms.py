"""The three arms by hand, and the cards of problems and methods."""

import dataclasses
import math

import numpy as np
import pytest

from companion.pages.figures import LIGHT
from companion.papers.compressed.experiments.theory_claims import THREE_ARMS, THREE_VALUES, three_arms
from companion.papers.compressed.page import arms


@pytest.mark.parametrize("u", [0.87, 0.88])
def test_rounds_are_those_of_the_policy_and_their_variances_those_of_a_dense_solve(u: float) -> None:
    study = arms.arm_rounds(u, 200)
    worst = float(THREE_VALUES.max() - THREE_VALUES.min())
    average = float((THREE_VALUES.max() - THREE_VALUES[study.played]).mean())
    assert average == pytest.approx(three_arms(u, 200))
    assert (average > 0.95 * worst) == (u == 0.88)
    stored = study.played[:40][study.kept[:40]]
    block = THREE_ARMS[np.ix_(stored, stored)] + np.eye(len(stored))
    across = np.linalg.solve(block, THREE_ARMS[stored])
    np.testing.assert_allclose(study.variance[40], 1 - np.sum(THREE_ARMS[stored] * across, axis=0))
    np.testing.assert_allclose(study.mean[40], THREE_VALUES[stored] @ across, atol=1e-12)


def test_the_first_rounds_by_hand() -> None:
    study = arms.arm_rounds(0.88, 50)
    rows = arms.first_rows(study)
    third = rows[(rows["round"] == 3) & (rows.arm == 3)].iloc[0]
    beta = 2 * math.log(3 * 9 * math.pi**2 / 0.6)
    assert third["upper bound"] == pytest.approx(-0.05 + math.sqrt(0.875 * beta))
    assert (third["then"], len(rows)) == ("played, rejected", 9)
    n = arms.round_numbers(study)
    assert (n.since, n.worst, n.rejected) == (3, True, True)
    assert n.variance == n.by_hand == 0.875
    kept = dataclasses.replace(study, kept=np.ones_like(study.kept))
    assert not arms.round_numbers(kept).rejected
    assert not arms.round_numbers(arms.arm_rounds(0.87, 2000)).worst
    assert arms.arm_bounds(study).render(LIGHT).startswith(b"\x89PNG")
