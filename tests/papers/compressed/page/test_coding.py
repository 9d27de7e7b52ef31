"""The checks of the coding exercises let the answers pass and wrong functions not."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest
from exercises import ANSWER, check_of, tagged

from companion.core.arrays import Floats

STEM = "ch2_compressed"


def variance_at(covariance: Floats, stored: Sequence[int], noise: float) -> Floats:
    """Posterior variance of all candidates."""
    block = covariance[np.ix_(stored, stored)] + noise * np.eye(len(stored))
    return np.diag(covariance) - np.sum(covariance[stored] * np.linalg.solve(block, covariance[stored]), axis=0)


def keeping(test: Callable[[float, float, float], Any], everything: bool = False) -> Callable[..., list[bool]]:
    """A function for the first exercise with this test of (variance, noise variance, budget)."""

    def kept(covariance: Floats, choices: Sequence[int], noise_variance: float, budget: float) -> list[bool]:
        stored: list[int] = []
        found = []
        for point in choices:
            found.append(bool(test(variance_at(covariance, stored, noise_variance)[point], noise_variance, budget)))
            stored += [point] if everything or found[-1] else []
        return found

    return kept


def right(variance: float, noise: float, budget: float) -> bool:
    return bool(0.5 * np.log1p(variance / noise) > budget)


KEPT = {
    "the noise factor dropped": keeping(lambda variance, noise, budget: variance > np.expm1(2 * budget)),
    "the entropy of the observation": keeping(
        lambda variance, noise, budget: 0.5 * np.log(2 * np.pi * np.e * (noise + variance)) > budget
    ),
    "no half": keeping(lambda variance, noise, budget: np.log1p(variance / noise) > budget),
    "rejected points enter the model": keeping(right, everything=True),
    "the other way round": keeping(lambda *values: not right(*values)),
    "one round short": lambda covariance, choices, noise, budget: keeping(right)(
        covariance, choices[1:], noise, budget
    ),
}


def playing(
    keeps: Callable[[float, float], bool] = lambda variance, threshold: variance > threshold,
    power: float = 0.5,
    once: bool = False,
    last: bool = False,
) -> Callable[..., list[int]]:
    """A function for the second exercise: which points are kept, the power of the variance, copies, and ties."""

    def play(covariance: Floats, values: Floats, noise_variance: float, threshold: float, widths: Floats) -> list[int]:
        stored: list[int] = []
        arms = []
        for width in widths:
            block = covariance[np.ix_(stored, stored)] + noise_variance * np.eye(len(stored))
            mean = covariance[stored].T @ np.linalg.solve(block, values[stored])
            variance = variance_at(covariance, stored, noise_variance)
            upper = mean + width * variance**power
            arm = len(upper) - 1 - int(np.argmax(upper[::-1])) if last else int(np.argmax(upper))
            arms.append(arm)
            stored += [arm] if keeps(variance[arm], threshold) and not (once and arm in stored) else []
        return arms

    return play


PLAY = {
    "everything is kept": playing(lambda variance, threshold: True),
    "the threshold on the standard deviation": playing(lambda variance, threshold: variance**0.5 > threshold),
    "the variance in place of the deviation": playing(power=1.0),
    "an arm is kept only once": playing(once=True),
    "the highest number on ties": playing(last=True),
}


def least(average: Callable[[Floats, int, float], float], offset: int = 0) -> Callable[[Floats, float, float], int]:
    """A function for the third exercise with this lower bound of (eigenvalues, points, noise variance)."""

    def least_points(eigenvalues: Floats, noise_variance: float, threshold: float) -> int:
        points = 0
        while average(eigenvalues, points, noise_variance) > threshold and points < 5000:
            points += 1
        return points + offset

    return least_points


def bound(eigenvalues: Floats, points: int, noise: float) -> float:
    return float(np.mean(1 / (1 / eigenvalues + points / (len(eigenvalues) * noise))))


LEAST = {
    "one too few": least(bound, -1),
    "one too many": least(bound, 1),
    "without the number of candidates": least(
        lambda values, points, noise: float(np.mean(1 / (1 / values + points / noise)))
    ),
    "the sum for the mean": least(lambda values, points, noise: len(values) * bound(values, points, noise)),
    "the deviation of the noise": least(lambda values, points, noise: bound(values, points, noise**0.5)),
}


@pytest.mark.parametrize(
    ("check", "function"),
    [
        *(pytest.param("check_kept", wrong, id=name) for name, wrong in KEPT.items()),
        *(pytest.param("check_play", wrong, id=name) for name, wrong in PLAY.items()),
        *(pytest.param("check_least_points", wrong, id=name) for name, wrong in LEAST.items()),
    ],
)
def test_a_wrong_function_is_caught(check: str, function: Callable[..., Any]) -> None:
    with pytest.raises(AssertionError, match=r"\w"):
        check_of(STEM, check)(function)


def test_the_parts_of_the_wrong_functions_are_right() -> None:
    check_of(STEM, "check_kept")(keeping(right))
    check_of(STEM, "check_play")(playing())
    check_of(STEM, "check_least_points")(least(bound))


def test_every_check_has_its_answer() -> None:
    names = ("kept", "play", "least_points")
    for name, answer in zip(names, tagged(STEM, ANSWER), strict=True):
        assert f"def {name}(" in answer
        assert answer.rstrip().endswith(f"check_{name}({name})")
