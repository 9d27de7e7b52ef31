"""The checks of the exercises with code accept right answers in any style, and no plausible mistake."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from exercises import judge, refusal, tried
from scipy.linalg import solve_triangular
from scipy.optimize import brentq

STEM = "ch1_tsrsr"


def observed(row: Any, own: float, noise: float) -> Any:
    return np.outer(row, row) / (own + noise)


def widths_by(
    shrink: Any = observed, power: float = 0.5, most: float = np.inf, first: int = 0, rank: int = 0, keep: bool = True
) -> Any:
    """An answer with these ``shrink(row, own, noise)`` per observation, power of the variance, and largest width."""

    def widths(mean: Any, covariance: Any, noise_variance: float, maxima: Any) -> list[tuple[int, float]]:
        pending, found = np.array(covariance), []
        for maximum in maxima:
            ratio = (maximum - mean) / np.diag(pending) ** power
            index = int(np.argsort(ratio)[rank])
            changed = pending - shrink(pending[index], pending[index, index], noise_variance)
            pending = changed if keep else np.array(covariance) - (np.array(covariance) - changed)
            found.append((index + first, min(ratio[index], most)))
        return found

    return widths


def with_maxima(change: Any) -> Any:
    return lambda mean, covariance, noise, maxima: widths_by()(mean, covariance, noise, change(maxima))


def by_brent(mean: Any, covariance: Any, noise_variance: float, maxima: Any) -> Any:
    """Generates pairs, with a root found by SciPy and the posterior from all points anew."""
    batch: list[int] = []
    for maximum in maxima:
        noisy = covariance[np.ix_(batch, batch)] + noise_variance * np.eye(len(batch))
        sd = np.sqrt(np.diag(covariance - covariance[:, batch] @ np.linalg.solve(noisy, covariance[batch])))
        width = brentq(lambda w, sd=sd, maximum=maximum: np.max(mean + w * sd) - maximum, 0, 1e7)
        batch.append(int(np.argmax(mean + width * sd)))
        yield batch[-1], width


def until_narrow(mean: Any, covariance: Any, noise_variance: float, maxima: Any) -> Any:
    """An array of pairs, by halving until the interval is as narrow as a millionth."""
    pending, found = covariance.copy(), []
    for maximum in maxima:
        sd, low, high = np.sqrt(np.diag(pending)), 0.0, 1e6
        while high - low > 1e-6:
            middle = (low + high) / 2
            low, high = (low, middle) if max(mean + middle * sd) >= maximum else (middle, high)
        index = np.argmax(mean + low * sd)
        pending = pending - observed(pending[index], pending[index, index], noise_variance)
        found.append([index, low])
    return np.array(found)


def end(
    *, half: float = 0.5, over: Any = min, most: Any = None, repeats: bool = True, log: Any = np.log1p, more: int = 1
) -> Any:
    def upper(covariance: Any, T: int, noise_variance: float) -> float:
        pending, gain, ends = np.array(covariance), 0.0, []
        for k in range(T + more):
            variance = np.diag(pending).copy()
            if not repeats and k < len(variance):
                variance[list(range(k))] = 0.0
            index = int(np.argmax(variance))
            one = half * log(pending[index, index] / noise_variance)
            ends.append(gain + (T if most is None else most(T, k)) * one)
            pending = pending - observed(pending[index], pending[index, index], noise_variance)
            gain += one
        return float(over(ends))

    return upper


def end_by_determinants(covariance: Any, T: int, noise_variance: float) -> float:
    def gain(points: list[int]) -> float:
        return (
            float(np.log(np.linalg.det(np.eye(len(points)) + covariance[np.ix_(points, points)] / noise_variance))) / 2
        )

    points, least = list[int](), np.inf
    for _ in range(T + 1):
        more = [gain([*points, x]) - gain(points) for x in range(len(covariance))]
        least = min(least, gain(points) + T * max(more))
        points.append(more.index(max(more)))
    return least


def naming(loss: Any, count: int = 20_000, seed: Any = None, root_of: Any = np.linalg.cholesky) -> Any:
    """An answer by the mean of ``loss(draws, mean)`` over draws."""

    def stake(mean: Any, covariance: Any, rng: Any) -> float:
        rng = rng if seed is None else np.random.default_rng(seed)
        root = root_of(covariance + 1e-9 * np.eye(len(mean)))
        return float(np.mean(loss(mean + rng.standard_normal((count, len(mean))) @ root.T, mean)))

    return stake


def of_named(draws: Any, mean: Any) -> Any:
    return draws.max(axis=1) - draws[:, mean.argmax()]


def runner_up(draws: Any, mean: Any) -> Any:
    second, first = np.argsort(mean)[-2:]
    return np.maximum(draws[:, second] - draws[:, first], 0)


def by_solving(mean: Any, covariance: Any, rng: Any) -> Any:
    draws = rng.multivariate_normal(mean, covariance, size=20_000)
    return sum(max(draw) - draw[np.argmax(mean)] for draw in draws) / len(draws)


RIGHT = {
    "widths": {"ratios": widths_by(), "a generator, by SciPy": by_brent, "an array, until narrow": until_narrow},
    "upper_end": {"another loop": end(), "determinants": end_by_determinants},
    "at_stake": {
        "beside the named one": naming(of_named),
        "beside the largest mean": naming(lambda draws, mean: draws.max(axis=1) - mean.max()),
        "draw by draw": by_solving,
        "a generator of its own": naming(of_named, seed=1),
    },
}
WRONG = {
    "widths": {
        "the variance in place of its root": widths_by(power=1.0),
        "nothing counted as observed": widths_by(lambda row, own, noise: 0.0),
        "observed without noise": widths_by(lambda row, own, noise: observed(row, own, 1e-9 * own)),
        "the noise's standard deviation": widths_by(lambda row, own, noise: observed(row, own, noise**0.5)),
        "only its own variance falls": widths_by(
            lambda row, own, noise: np.diag(np.where(row == own, own**2 / (own + noise), 0))
        ),
        "a width that is too small": widths_by(most=1.0),
        "halved on the interval up to ten": widths_by(most=10.0),
        "up to a hundred": widths_by(most=100.0),
        "counted from one": widths_by(first=1),
        "the second smallest": widths_by(rank=1),
        "the largest": widths_by(rank=-1),
        "one sampled maximum for all": with_maxima(lambda maxima: [maxima[0]] * len(maxima)),
        "the last for all": with_maxima(lambda maxima: [maxima[-1]] * len(maxima)),
        "backwards": with_maxima(lambda maxima: maxima[::-1]),
        "a point too few": lambda *given: widths_by()(*given)[:-1],
        "indices only": lambda *given: [index for index, _ in widths_by()(*given)],
        "width before index": lambda *given: [(width, index) for index, width in widths_by()(*given)],
        "two lists": lambda *given: tuple(zip(*widths_by()(*given), strict=True)),
    },
    "upper_end": {
        "without the half": end(half=1.0),
        "no greedy point": end(over=lambda ends: ends[0]),
        "all greedy points": end(over=lambda ends: ends[-1]),
        "the largest": end(over=max),
        "all of them": lambda *given: end(over=np.mean)(*given),
        "one more point in place of T": end(most=lambda T, k: 1),
        "only the rest of T": end(most=lambda T, k: T - k),
        "other picks": end(repeats=False),
        "one greedy point too few": end(more=0),
        "in bits": end(log=lambda ratio: np.log2(1 + ratio)),
        "without the one": end(log=np.log),
        "the ratio itself": end(log=lambda ratio: ratio),
        "deviations": end(log=lambda ratio: np.log1p(ratio**0.5)),
        "the noise for its variance": lambda covariance, T, noise: end()(covariance, T, noise**2),
        "a jitter that shows": lambda covariance, T, noise: end()(covariance + 1e-5 * np.eye(5), T, noise),
    },
    "at_stake": {
        "the largest draw": naming(lambda draws, mean: draws.max(axis=1)),
        "another recipe for every draw": naming(lambda draws, mean: draws.max(axis=1) - draws[:, 0]),
        "the worst recipe": naming(lambda draws, mean: draws.max(axis=1) - draws[:, mean.argmin()]),
        "the last recipe": naming(lambda draws, mean: draws.max(axis=1) - draws[:, -1]),
        "in size only": naming(lambda draws, mean: abs(draws[:, mean.argmax()] - mean.max())),
        "nothing": naming(lambda draws, mean: 0.0 * draws),
        "the runner-up only": naming(runner_up),
        "the sum": lambda *given: 20_000 * naming(of_named)(*given),
        "a hundred customers": lambda *given: 100 * naming(of_named)(*given),
        "the median": lambda mean, covariance, rng: float(
            np.median(of_named(rng.multivariate_normal(mean, covariance, 20_000), mean))
        ),
        "without covariances": naming(of_named, root_of=lambda covariance: np.diag(np.diag(covariance) ** 0.5)),
        "variances for deviations": naming(of_named, root_of=lambda covariance: covariance),
        "one number for all candidates": naming(
            of_named, root_of=lambda covariance: np.diag(covariance)[:, None] ** 0.5 * (np.arange(len(covariance)) == 0)
        ),
        "chance of being wrong": naming(lambda draws, mean: draws.argmax(axis=1) != mean.argmax()),
        "a dozen draws": naming(of_named, count=12),
        "all draws": lambda mean, covariance, rng: of_named(rng.multivariate_normal(mean, covariance, 9), mean),
        "the factor turned round": naming(
            of_named,
            root_of=lambda covariance: solve_triangular(np.linalg.cholesky(covariance), np.eye(len(covariance))),
        ),
    },
}


@pytest.mark.parametrize(("name", "function", "right"), tried(RIGHT, WRONG))
def test_a_check_tells_right_from_wrong(name: str, function: Any, right: bool) -> None:
    judge(STEM, name, function, right)


def test_nobody_is_refused_for_bad_luck() -> None:
    """With generators of their own, and the draws that the text names."""
    assert not "".join(refusal(STEM, "at_stake", naming(of_named, seed=seed)) for seed in range(20))
