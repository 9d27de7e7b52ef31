"""The checks of the exercises with code accept right answers in any style, and no plausible mistake."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest
from exercises import ANSWER, judge, tagged, tried

from companion.core.arrays import Floats

STEM = "ch2_compressed"


def variance_at(covariance: Floats, stored: Sequence[int], noise: float) -> Floats:
    """Posterior variance of all candidates."""
    block = covariance[np.ix_(stored, stored)] + noise * np.eye(len(stored))
    return np.diag(covariance) - np.sum(covariance[stored] * np.linalg.solve(block, covariance[stored]), axis=0)


def keeping(test: Callable[[float, float, float], Any], everything: bool = False, once: bool = False) -> Any:
    """A function for the first exercise with this test of (variance, noise variance, budget)."""

    def kept(covariance: Floats, choices: Sequence[int], noise_variance: float, budget: float) -> list[bool]:
        stored: list[int] = []
        found = []
        for point in choices:
            found.append(bool(test(variance_at(covariance, stored, noise_variance)[point], noise_variance, budget)))
            stored += [point] if (everything or found[-1]) and not (once and point in stored) else []
        return found

    return kept


def enough(variance: float, noise: float, budget: float) -> bool:
    return bool(0.5 * np.log1p(variance / noise) > budget)


def by_updates(covariance: Floats, choices: Sequence[int], noise_variance: float, budget: float) -> Floats:
    """Keeps the posterior covariance, and compares the variance itself. An array of truth values."""
    left, found = covariance.copy(), np.zeros(len(choices), dtype=bool)
    for t, point in enumerate(choices):
        found[t] = left[point, point] > noise_variance * np.expm1(2 * budget)
        if found[t]:
            left -= np.outer(left[point], left[point]) / (left[point, point] + noise_variance)
    return found


def by_determinants(covariance: Floats, choices: Sequence[int], noise_variance: float, budget: float) -> list[int]:
    def gain(points: list[int]) -> float:
        return float(
            0.5 * np.linalg.slogdet(np.eye(len(points)) + covariance[np.ix_(points, points)] / noise_variance)[1]
        )

    stored, found = list[int](), list[int]()
    for point in choices:
        found.append(int(gain([*stored, point]) - gain(stored) > budget))
        stored += [point] * found[-1]
    return found


def playing(
    keeps: Callable[[float, float], bool] = lambda variance, threshold: variance > threshold,
    power: float = 0.5,
    once: bool = False,
    last: bool = False,
    scale: float = 1.0,
    first: int = 0,
) -> Any:
    """A function for the second exercise: which points are kept, the power of the variance, copies, and ties."""

    def play(covariance: Floats, values: Floats, noise_variance: float, threshold: float, widths: Floats) -> list[int]:
        stored: list[int] = []
        arms = []
        for width in widths:
            block = covariance[np.ix_(stored, stored)] + noise_variance * np.eye(len(stored))
            mean = covariance[stored].T @ np.linalg.solve(block, values[stored])
            variance = variance_at(covariance, stored, noise_variance)
            upper = mean + scale * width * variance**power
            arm = len(upper) - 1 - int(np.argmax(upper[::-1])) if last else int(np.argmax(upper))
            arms.append(arm + first)
            stored += [arm] if keeps(variance[arm], threshold) and not (once and arm in stored) else []
        return arms

    return play


def play_by_updates(covariance: Floats, values: Floats, noise_variance: float, threshold: float, widths: Floats) -> Any:
    """Keeps posterior mean and covariance. An array of arms."""
    mean, left, arms = np.zeros(len(values)), covariance.copy(), []
    for width in widths:
        arm = max(range(len(values)), key=lambda x: mean[x] + width * left[x, x] ** 0.5)
        arms.append(arm)
        if left[arm, arm] > threshold:
            gain = left[arm] / (left[arm, arm] + noise_variance)
            mean, left = mean + gain * (values[arm] - mean[arm]), left - np.outer(gain, left[arm])
    return np.array(arms)


def with_widths(change: Any) -> Any:
    return lambda covariance, values, noise, threshold, widths: playing()(
        covariance, values, noise, threshold, change(widths)
    )


def least(
    average: Callable[[Floats, int, float], float],
    offset: int = 0,
    start: int = 0,
    most: int = 10**6,
    strict: bool = False,
) -> Any:
    """A function for the third exercise with this lower bound of (eigenvalues, points, noise variance)."""

    def least_points(eigenvalues: Floats, noise_variance: float, threshold: float) -> int:
        points = start
        while points < most:
            now = average(eigenvalues, points, noise_variance)
            if now < threshold or (now == threshold and not strict):
                break
            points += 1
        return points + offset

    return least_points


def bound(eigenvalues: Floats, points: int, noise: float) -> float:
    return float(np.mean(1 / (1 / eigenvalues + points / (len(eigenvalues) * noise))))


def doubled(eigenvalues: Floats, noise_variance: float, threshold: float) -> int:
    """Doubles and bisects, with a plain sum."""

    def above(points: int) -> bool:
        size = len(eigenvalues)
        return sum(value / (1 + value * points / (size * noise_variance)) for value in eigenvalues) / size > threshold

    if not above(0):
        return 0
    low, high = 0, 1
    while above(high):
        low, high = high, 2 * high
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if above(middle) else (low, middle)
    return high


RIGHT = {
    "kept": {"another list": keeping(enough), "an array, by updates": by_updates, "determinants": by_determinants},
    "play": {"another list": playing(), "an array, by updates": play_by_updates},
    "least_points": {
        "another loop": least(bound),
        "doubling": doubled,
        "a number with a point": lambda *given: float(doubled(*given)),
    },
}
WRONG = {
    "kept": {
        "the noise factor dropped": keeping(lambda variance, noise, budget: variance > np.expm1(2 * budget)),
        "the entropy of the observation": keeping(
            lambda variance, noise, budget: 0.5 * np.log(2 * np.pi * np.e * (noise + variance)) > budget
        ),
        "no half": keeping(lambda variance, noise, budget: np.log1p(variance / noise) > budget),
        "in bits": keeping(lambda variance, noise, budget: 0.5 * np.log2(1 + variance / noise) > budget),
        "without the one": keeping(lambda variance, noise, budget: 0.5 * np.log(max(variance, 1e-9) / noise) > budget),
        "the deviation": keeping(lambda variance, noise, budget: enough(max(variance, 0) ** 0.5, noise, budget)),
        "the variance of an observation": keeping(
            lambda variance, noise, budget: enough(variance + noise, noise, budget)
        ),
        "the noise's deviation": keeping(lambda variance, noise, budget: enough(variance, noise**0.5, budget)),
        "at least the budget": keeping(lambda variance, noise, budget: 0.5 * np.log1p(variance / noise) >= budget),
        "rejected points enter the model": keeping(enough, everything=True),
        "a point enters once": keeping(enough, once=True),
        "the other way round": keeping(lambda *values: not enough(*values)),
        "always": keeping(lambda *values: True),
        "only new points": lambda covariance, choices, noise, budget: [
            point not in choices[:t] for t, point in enumerate(choices)
        ],
        "the prior variance": lambda covariance, choices, noise, budget: [
            enough(covariance[point, point], noise, budget) for point in choices
        ],
        "the first is kept anyway": lambda *given: [True, *keeping(enough)(*given)[1:]],
        "one round short": lambda covariance, choices, noise, budget: keeping(enough)(
            covariance, choices[1:], noise, budget
        ),
        "counted from one": lambda covariance, choices, noise, budget: keeping(enough)(
            covariance, [point - 1 for point in choices], noise, budget
        ),
        "the points kept": lambda covariance, choices, noise, budget: [
            point
            for point, keep in zip(choices, keeping(enough)(covariance, choices, noise, budget), strict=True)
            if keep
        ],
    },
    "play": {
        "everything is kept": playing(lambda variance, threshold: True),
        "nothing is kept": playing(lambda variance, threshold: False),
        "at least the threshold": playing(lambda variance, threshold: variance >= threshold),
        "below the threshold": playing(lambda variance, threshold: variance < threshold),
        "the threshold on the standard deviation": playing(lambda variance, threshold: variance**0.5 > threshold),
        "the threshold on the information": playing(lambda variance, threshold: 0.5 * np.log1p(variance) > threshold),
        "the threshold for the other example": playing(lambda variance, threshold: variance > 0.875),
        "the variance in place of the deviation": playing(power=1.0),
        "an arm is kept only once": playing(once=True),
        "the highest number on ties": playing(last=True),
        "counted from one": playing(first=1),
        "the root of the width": with_widths(np.sqrt),
        "the square of the width": with_widths(np.square),
        "the first width for all": with_widths(lambda widths: [widths[0]] * len(widths)),
        "the last width for all": with_widths(lambda widths: [widths[-1]] * len(widths)),
        "a round too few": with_widths(lambda widths: widths[1:]),
        "a round too late": with_widths(lambda widths: [widths[0], *widths[:-1]]),
        "lower bounds": playing(scale=-1),
        "no width": playing(scale=0),
        "the noise's deviation": lambda covariance, values, noise, *rest: playing()(
            covariance, values, noise**0.5, *rest
        ),
        "the noise forgotten": lambda covariance, values, noise, *rest: playing()(covariance, values, 1e-6, *rest),
        "the best arm": lambda covariance, values, *rest: [int(np.argmax(values))] * 60,
        "kept or not": lambda *given: [arm == 1 for arm in playing()(*given)],
    },
    "least_points": {
        "one too few": least(bound, -1),
        "one too many": least(bound, 1),
        "one at least": least(bound, start=1),
        "never as many as a thousand": least(bound, most=1000),
        "below the threshold": least(bound, strict=True),
        "without the number of candidates": least(
            lambda values, points, noise: float(np.mean(1 / (1 / values + points / noise)))
        ),
        "the sum for the mean": least(
            lambda values, points, noise: len(values) * bound(values, points, noise), most=9999
        ),
        "the largest for the mean": least(
            lambda values, points, noise: float(np.max(1 / (1 / values + points / (len(values) * noise))))
        ),
        "the mean eigenvalue": least(
            lambda values, points, noise: bound(np.full(len(values), values.mean()), points, noise)
        ),
        "the deviation of the noise": least(lambda values, points, noise: bound(values, points, noise**0.5)),
        "the noise forgotten": least(lambda values, points, noise: bound(values, points, 1.0)),
        "a point each": lambda values, noise, threshold: len(values) * doubled(values, noise * len(values), threshold),
        "for the largest eigenvalue": lambda values, noise, threshold: max(
            0, int(np.ceil(len(values) * noise * (1 / threshold - 1 / max(values))))
        ),
        "not whole": lambda *given: doubled(*given) + 0.5,
        "the bound": lambda values, noise, threshold: bound(values, doubled(values, noise, threshold), noise),
    },
}


@pytest.mark.parametrize(("name", "function", "right"), tried(RIGHT, WRONG))
def test_a_check_tells_right_from_wrong(name: str, function: Any, right: bool) -> None:
    judge(STEM, name, function, right)


def test_every_check_has_its_answer() -> None:
    names = ("kept", "play", "least_points")
    for name, answer in zip(names, tagged(STEM, ANSWER), strict=True):
        assert f"def {name}(" in answer
        assert answer.rstrip().endswith(f"check_{name}({name})")
