"""The checks of the exercises with code let no plausible mistake pass."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from exercises import check_of

STEM = "ch1_tsrsr"


def observed(row: Any, own: float, noise: float) -> Any:
    return np.outer(row, row) / (own + noise)


def widths_by(shrink: Any = observed, power: float = 0.5, most: float = np.inf) -> Any:
    """An answer with these ``shrink(row, own, noise)`` per observation, power of the variance, and largest width."""

    def widths(mean: Any, covariance: Any, noise_variance: float, maxima: Any) -> list[tuple[int, float]]:
        pending, found = np.array(covariance), []
        for maximum in maxima:
            ratio = (maximum - mean) / np.maximum(np.diag(pending), 1e-12) ** power
            index = int(np.argmin(ratio))
            pending = pending - shrink(pending[index], pending[index, index], noise_variance)
            found.append((index, min(ratio[index], most)))
        return found

    return widths


def with_the_first_maximum(mean: Any, covariance: Any, noise_variance: float, maxima: Any) -> list[tuple[int, float]]:
    return list(widths_by()(mean, covariance, noise_variance, [maxima[0]] * len(maxima)))


WIDTHS = {
    "the variance in place of its root": widths_by(power=1.0),
    "nothing counted as observed": widths_by(lambda row, own, noise: 0.0),
    "observed without noise": widths_by(lambda row, own, noise: observed(row, own, 1e-9)),
    "the noise's standard deviation": widths_by(lambda row, own, noise: observed(row, own, noise**0.5)),
    "a width that is too small": widths_by(most=1.0),
    "one sampled maximum for all": with_the_first_maximum,
    "a point too few": lambda *given: widths_by()(*given)[:-1],
}


def end(*, half: float = 0.5, over: Any = min, most: Any = None, repeats: bool = True) -> Any:
    def upper(covariance: Any, T: int, noise_variance: float) -> float:
        pending, gain, ends = np.array(covariance), 0.0, []
        for k in range(T + 1):
            variance = np.diag(pending).copy()
            if not repeats and k < len(variance):
                variance[list(range(k))] = 0.0
            index = int(np.argmax(variance))
            more = half * np.log1p(pending[index, index] / noise_variance)
            ends.append(gain + (T if most is None else most) * more)
            pending = pending - observed(pending[index], pending[index, index], noise_variance)
            gain += more
        return float(over(ends))

    return upper


ENDS = {
    "without the half": end(half=1.0),
    "no greedy point": end(over=lambda ends: ends[0]),
    "all greedy points": end(over=lambda ends: ends[-1]),
    "the largest": end(over=max),
    "one more point in place of T": end(most=1),
    "other picks": end(repeats=False),
}


def naming(loss: Any, count: int = 20_000) -> Any:
    def stake(mean: Any, covariance: Any, rng: Any) -> float:
        root = np.linalg.cholesky(covariance + 1e-9 * np.eye(len(mean)))
        return float(np.mean(loss(mean + rng.standard_normal((count, len(mean))) @ root.T, mean)))

    return stake


STAKES = {
    "the largest draw": naming(lambda draws, mean: draws.max(axis=1)),
    "another recipe for every draw": naming(lambda draws, mean: draws.max(axis=1) - draws[:, 0]),
    "the worst recipe": naming(lambda draws, mean: draws.max(axis=1) - draws[:, mean.argmin()]),
    "in size only": naming(lambda draws, mean: abs(draws[:, mean.argmax()] - mean.max())),
    "nothing": naming(lambda draws, mean: 0.0 * draws),
}


def test_right_functions_pass(capsys: pytest.CaptureFixture[str]) -> None:
    check_of(STEM, "check_widths")(widths_by())
    check_of(STEM, "check_upper_end")(end())
    check_of(STEM, "check_at_stake")(naming(lambda draws, mean: draws.max(axis=1) - draws[:, mean.argmax()]))
    check_of(STEM, "check_at_stake")(naming(lambda draws, mean: draws.max(axis=1) - mean.max()))
    assert len(capsys.readouterr().out.splitlines()) == 4


@pytest.mark.parametrize(
    ("check", "wrong"),
    [
        pytest.param(check, function, id=f"{check}: {name}")
        for check, wrongs in (("widths", WIDTHS), ("upper_end", ENDS), ("at_stake", STAKES))
        for name, function in wrongs.items()
    ],
)
def test_wrong_functions_do_not(check: str, wrong: Any) -> None:
    with pytest.raises(AssertionError):
        check_of(STEM, f"check_{check}")(wrong)
