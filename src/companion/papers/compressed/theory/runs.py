r"""Many runs of Algorithm 1 at once in the theory's setting, with everything the proofs speak about recorded.

Functions are draws of the prior on N candidates. Arrays have the run first, then the round t = 1..T. What is recorded for
a round is the state before it: the posterior given :math:`D_{t-1}`, and the largest observation kept so far.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike, NDArray

from companion.core.arrays import Floats, Indices
from companion.core.errors import ParameterError, positive_number, whole_number
from companion.gp.factor import draw_root
from companion.papers.compressed.method import admission
from companion.papers.compressed.method.policy import scores

ACQUISITIONS = ("ucb", "ei")


@dataclass(frozen=True, eq=False)
class TheoryRuns:
    r"""Record of R runs of T rounds.

    Parameters
    ----------
    noise_variance, epsilon : sigma^2 and the budget
    beta : (T,) exploration parameters, also where the acquisition does not use them
    values : (R, N) the functions
    initial, initial_values : (R, n) indices observed before the first round, kept untested, and the observations
    chosen : (R, T) indices x_t
    kept : (R, T) whether the round was retained
    observed : (R, T) y_t, not a number in rejected rounds
    mean, variance : (R, T) posterior at x_t
    optimum_mean, optimum_variance : (R, T) posterior at the maximiser x*
    deviation : (R, T) largest :math:`|f-\mu_{t-1}|/\sigma_{t-1}` over the candidates
    best : (R, T) largest kept observation, minus infinity before the first one
    score : (R, T) largest :math:`|\mu_{t-1}-y^{\max}_{t-1}|/\sigma_{t-1}`; 0 under UCB, which has no incumbent
    shortfall : (R, T) largest :math:`(\max(0,f-y^{\max}_{t-1})-\alpha^{EI}_t)/\sigma_{t-1}`; 0 under UCB
    final_score : (R,) the score of the state after round T
    """

    noise_variance: float
    epsilon: float
    beta: Floats
    values: Floats
    initial: Indices
    initial_values: Floats
    chosen: Indices
    kept: NDArray[np.bool_]
    observed: Floats
    mean: Floats
    variance: Floats
    optimum_mean: Floats
    optimum_variance: Floats
    deviation: Floats
    best: Floats
    score: Floats
    shortfall: Floats
    final_score: Floats

    @property
    def horizon(self) -> int:
        """T."""
        return int(self.chosen.shape[1])

    @cached_property
    def optimum(self) -> Indices:
        """(R,) index of the maximiser."""
        return np.asarray(self.values.argmax(axis=1))

    @cached_property
    def instantaneous(self) -> Floats:
        """(R, T) regret of every round, retained or not."""
        return self.values.max(axis=1, keepdims=True) - np.take_along_axis(self.values, self.chosen, axis=1)

    @cached_property
    def regret(self) -> Floats:
        """(R,) Reg_T."""
        return self.instantaneous.sum(axis=1)

    @cached_property
    def order(self) -> Indices:
        """(R,) M_T, the retained rounds; initial points not counted."""
        return np.asarray(self.kept.sum(axis=1))

    @cached_property
    def information(self) -> Floats:
        r"""(R, T) :math:`\frac12\log(1+\sigma^{-2}\sigma_{t-1}^2(x_t))`."""
        return 0.5 * np.log1p(self.variance / self.noise_variance)

    @cached_property
    def gain(self) -> Floats:
        """(R,) I_T, over the retained rounds."""
        return np.where(self.kept, self.information, 0.0).sum(axis=1)

    @cached_property
    def rejected_gain(self) -> Floats:
        """(R,) S_T, over the rejected rounds."""
        return np.where(self.kept, 0.0, self.information).sum(axis=1)

    @cached_property
    def rejected_budget(self) -> Floats:
        """(R,) epsilon times the number of rejected rounds, at least S_T."""
        return np.asarray(self.epsilon * (self.horizon - self.order), dtype=np.float64)

    @cached_property
    def largest_score(self) -> Floats:
        """(R,) R of Theorem 3.4 over the T rounds, which is all that its proof uses."""
        return self.score.max(axis=1)

    @cached_property
    def supremum_score(self) -> Floats:
        """(R,) R of Theorem 3.4 over all states of the run, the one after the last round included.

        The printed supremum is over infinitely many rounds; over a run of T rounds it is at least this.
        """
        return np.maximum(self.largest_score, self.final_score)

    @cached_property
    def z_chosen(self) -> Floats:
        """(R, T) z-score of x_t against the incumbent."""
        return (self.mean - self.best) / np.sqrt(self.variance)

    def confident(self, factor: float = 1.0) -> NDArray[np.bool_]:
        """(R,) whether the event of Lemma 8.1 holds, with ``factor`` times beta."""
        return np.asarray((self.deviation <= np.sqrt(factor * self.beta)).all(axis=1))


def play(
    covariance: ArrayLike,
    beta: ArrayLike,
    noise_variance: float,
    epsilon: float,
    runs: int,
    generator: np.random.Generator,
    *,
    acquisition: str = "ucb",
    initial: int = 0,
    values: ArrayLike | None = None,
) -> TheoryRuns:
    """Algorithm 1 with exact maximisation on a finite set, ``runs`` times; ties go to the lowest index.

    Parameters
    ----------
    covariance : (N, N) prior, or (N,) variances of independent arms
    beta : (T,) exploration parameters
    noise_variance, epsilon : sigma^2 and the budget; ``-inf`` keeps everything
    runs : R
    generator : of functions, noise and initial points
    acquisition : ``"ucb"`` or ``"ei"``
    initial : random points observed before round 1; ``"ei"`` needs at least one
    values : (N,) or (R, N), the functions, instead of draws of the prior
    """
    schedule = np.asarray(beta, dtype=np.float64)
    _check(schedule, runs, acquisition, initial)
    state = _State(np.asarray(covariance, dtype=np.float64), positive_number("noise_variance", noise_variance), runs)
    drawn = state.draw(generator)
    f = drawn if values is None else np.broadcast_to(np.asarray(values, dtype=np.float64), drawn.shape).copy()
    lanes, everyone, horizon = np.arange(runs), np.ones(runs, dtype=bool), len(schedule)
    noise = math.sqrt(noise_variance) * generator.standard_normal((runs, initial + horizon))
    starts = generator.integers(0, f.shape[1], (runs, initial))
    for place in range(initial):
        state.observe(starts[:, place], f[lanes, starts[:, place]] + noise[:, place], everyone)
    rule = admission.information(epsilon, noise_variance) if epsilon >= 0 else admission.dense()
    record = {name: np.zeros((runs, horizon)) for name in _RECORDED}
    chosen, kept, star = (
        np.zeros((runs, horizon), dtype=np.intp),
        np.zeros((runs, horizon), dtype=bool),
        f.argmax(axis=1),
    )
    for t in range(horizon):
        sd = np.sqrt(state.variance)
        scored = scores(acquisition, state.mean, sd, math.sqrt(schedule[t]), state.best[:, None])
        # Exactly the largest, where the policy has a tolerance for ties: the ledger's numbers are those of these choices.
        picks = scored.argmax(axis=1)
        variance = state.variance[lanes, picks]
        keep = rule.admits(variance)
        seen = f[lanes, picks] + noise[:, initial + t]
        chosen[:, t], kept[:, t] = picks, keep
        for name, value in _describe(state, f, sd, scored if acquisition == "ei" else None, picks, star).items():
            record[name][:, t] = value
        record["observed"][:, t] = np.where(keep, seen, np.nan)
        state.observe(picks, seen, keep)
    final = _largest_score(state, np.sqrt(state.variance)) if acquisition == "ei" else np.zeros(runs)
    return TheoryRuns(
        noise_variance,
        max(epsilon, 0.0),
        schedule,
        f,
        starts,
        f[lanes[:, None], starts] + noise[:, :initial],
        chosen,
        kept,
        **record,
        final_score=final,
    )


_RECORDED = (
    "observed",
    "mean",
    "variance",
    "optimum_mean",
    "optimum_variance",
    "deviation",
    "best",
    "score",
    "shortfall",
)


def _check(schedule: Floats, runs: int, acquisition: str, initial: int) -> None:
    whole_number("runs", runs)
    whole_number("initial", initial, 0)
    if acquisition not in ACQUISITIONS:
        raise ParameterError("acquisition", f"got {acquisition!r}", f"one of {', '.join(ACQUISITIONS)}")
    if acquisition == "ei" and not initial:
        raise ParameterError("initial", "is 0", "at least 1 for acquisition='ei', which needs an incumbent")
    if schedule.ndim != 1 or not schedule.size or not np.all(np.isfinite(schedule) & (schedule >= 0)):
        raise ParameterError("beta", f"has shape {schedule.shape}", "T finite numbers of at least 0")


class _State:
    """Posteriors of all runs; the rows of a run's factor that it has not filled are zero."""

    def __init__(self, covariance: Floats, noise_variance: float, runs: int) -> None:
        self._prior, self._noise, self._lanes = covariance, noise_variance, np.arange(runs)
        self._independent = covariance.ndim == 1
        size = len(covariance)
        diagonal = covariance if self._independent else covariance.diagonal()
        self.mean, self.variance = np.zeros((runs, size)), np.repeat(diagonal[None], runs, axis=0)
        self.best = np.full(runs, -np.inf)
        self._count = np.zeros(runs, dtype=np.intp)
        self._rows = np.zeros((runs, 0 if self._independent else 16, size))

    def draw(self, generator: np.random.Generator) -> Floats:
        normal = generator.standard_normal(self.mean.shape)
        if self._independent:
            return np.asarray(np.sqrt(self._prior) * normal)
        return np.asarray(normal @ draw_root(self._prior).T)

    def observe(self, picks: Indices, seen: Floats, keep: NDArray[np.bool_]) -> None:
        """Condition the runs that keep their observation."""
        if not keep.any():
            return
        lanes = self._lanes
        pivot = self.variance[lanes, picks] + self._noise
        step = np.where(keep, (seen - self.mean[lanes, picks]) / np.sqrt(pivot), 0.0)
        if self._independent:
            left = self.variance[lanes, picks]
            self.mean[lanes, picks] += step * left / np.sqrt(pivot)
            self.variance[lanes, picks] = np.where(keep, left * self._noise / pivot, left)
        else:
            row = self._row(picks) / np.sqrt(pivot)[:, None] * keep[:, None]
            self.mean += step[:, None] * row
            # The variance at a point observed is at least the noise's share of what it was: a guard against cancellation.
            floor = self.variance * np.where(keep, self._noise / pivot, 1.0)[:, None]
            self.variance = np.maximum(self.variance - row**2, floor)
            if self._count.max() == self._rows.shape[1]:
                self._rows = np.concatenate([self._rows, np.zeros_like(self._rows)], axis=1)
            self._rows[lanes[keep], self._count[keep]] = row[keep]
            self._count += keep
        self.best = np.where(keep, np.maximum(self.best, seen), self.best)

    def _row(self, picks: Indices) -> Floats:
        """(R, N) posterior covariance of the picked candidates with all."""
        filled = self._rows[:, : int(self._count.max())]
        weights = filled[self._lanes, :, picks]
        return np.asarray(self._prior[picks] - np.matmul(weights[:, None, :], filled)[:, 0])


def _largest_score(state: _State, sd: Floats) -> Floats:
    """(R,) largest distance of a mean from the incumbent, in standard deviations."""
    return np.asarray((np.abs(state.mean - state.best[:, None]) / sd).max(axis=1))


def _describe(
    state: _State, f: Floats, sd: Floats, improvement: Floats | None, picks: Indices, star: Indices
) -> dict[str, Floats]:
    lanes = np.arange(len(f))
    described = {
        "mean": state.mean[lanes, picks],
        "variance": state.variance[lanes, picks],
        "optimum_mean": state.mean[lanes, star],
        "optimum_variance": state.variance[lanes, star],
        "deviation": (np.abs(f - state.mean) / sd).max(axis=1),
        "best": state.best,
    }
    if improvement is not None:
        gap = state.best[:, None]
        described["score"] = _largest_score(state, sd)
        described["shortfall"] = ((np.maximum(f - gap, 0.0) - np.exp(improvement)) / sd).max(axis=1)
    return described
