r"""Many runs of TS-RSR at once in the theory's setting, with everything the proof speaks about recorded.

The functions are draws of the prior on N candidates; f, noise and posterior draws are independent between runs. Arrays
have the run first, then the round t = 0..T-1, then the place i = 1..m in the batch.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike, NDArray

from companion.checks.chain import Chain, Step
from companion.core.arrays import Floats
from companion.core.errors import ParameterError, positive_number, whole_number
from companion.gp.factor import DRAW_JITTER, draw_root
from companion.papers.tsrsr.method.rules import least_ratio
from companion.papers.tsrsr.theory import bounds


@dataclass(frozen=True, eq=False)
class TheoryRuns:
    """Record of R runs of T batches of m points.

    Parameters
    ----------
    covariance : (N, N) prior
    noise_variance : sigma_n^2
    values : (R, N) the functions
    chosen : (R, T, m) indices x_{t+1,i}
    sampled_maximum : (R, T, m) maxima of the posterior draws
    mean : (R, T, m) mu_t at the chosen points
    variance : (R, T, m) sigma_{t,i}^2 at the chosen points, given the batch so far
    sampled_deviation : (R, T, m) max over x of |draw - mu_t| / sigma_t
    deviation : (R, T) max over x of |mu_t - f| / sigma_t
    accepted : share of draws that resampling accepted; 1 without it
    initial_regret : (R,) regret of the design, 0 without one
    """

    covariance: Floats
    noise_variance: float
    values: Floats
    chosen: NDArray[np.intp]
    sampled_maximum: Floats
    mean: Floats
    variance: Floats
    sampled_deviation: Floats
    deviation: Floats
    accepted: float
    initial_regret: Floats

    @cached_property
    def at_chosen(self) -> Floats:
        """(R, T, m) f at the chosen points."""
        flat = self.chosen.reshape(len(self.chosen), -1)
        return np.take_along_axis(self.values, flat, axis=1).reshape(self.chosen.shape)

    @cached_property
    def regret(self) -> Floats:
        """(R,) cumulative regret R_{T,m}."""
        return (self.values.max(axis=1)[:, None, None] - self.at_chosen).sum(axis=(1, 2))

    @cached_property
    def sampled_regret(self) -> Floats:
        """(R,) sampled regret: the draws' maxima in place of the true one."""
        return (self.sampled_maximum - self.at_chosen).sum(axis=(1, 2))

    @cached_property
    def bias(self) -> Floats:
        """(R,) sum of (mu_t - f) at the chosen points; Lemma 6 bounds it."""
        return (self.mean - self.at_chosen).sum(axis=(1, 2))

    @cached_property
    def ratio(self) -> Floats:
        """(R, T, m) Psi_{t,i} at the chosen points."""
        return (self.sampled_maximum - self.mean) / np.sqrt(self.variance)

    @cached_property
    def largest_ratio(self) -> Floats:
        """(R,) the largest Psi of a run; Lemma 4 bounds it."""
        return self.ratio.max(axis=(1, 2))

    @cached_property
    def variance_sum(self) -> Floats:
        """(R,) sum of the conditional variances at the chosen points; Lemma 5 bounds it."""
        return self.variance.sum(axis=(1, 2))


def play(
    covariance: ArrayLike,
    rounds: int,
    batch: int,
    noise_variance: float,
    runs: int,
    generator: np.random.Generator,
    *,
    resample: bool = False,
    design: ArrayLike = (),
) -> TheoryRuns:
    """TS-RSR with exact minimisation on a finite set, ``runs`` times.

    Parameters
    ----------
    covariance : (N, N) prior
    rounds, batch : T, m
    noise_variance : sigma_n^2, positive
    runs : R
    generator : of functions, noise and draws
    resample : App. C's resampling; the theory does without
    design : indices observed before the first round (App. B)
    """
    prior = np.asarray(covariance, dtype=np.float64)
    whole_number("rounds", rounds)
    whole_number("batch", batch)
    whole_number("runs", runs)
    noise_sd = math.sqrt(positive_number("noise_variance", noise_variance))
    size, lanes = len(prior), np.arange(runs)
    values = generator.standard_normal((runs, size)) @ draw_root(prior[None])[0].T
    mean, posterior = np.zeros((runs, size)), np.repeat(prior[None], runs, axis=0)
    points = np.asarray(design, dtype=np.intp)
    for index in points:
        picks = np.full(runs, index)
        observed = values[lanes, picks] + noise_sd * generator.standard_normal(runs)
        _learn(mean, picks, observed, *_condition(posterior, picks, noise_variance))
    shape = (runs, rounds, batch)
    chosen, deviation = np.zeros(shape, dtype=np.intp), np.zeros(shape[:2])
    maxima, means, variances, sampled = (np.zeros(shape) for _ in range(4))
    drawn = 0
    for t in range(rounds):
        sd = np.sqrt(np.maximum(np.einsum("rnn->rn", posterior), DRAW_JITTER**2))
        deviation[:, t] = (np.abs(mean - values) / sd).max(axis=1)
        root, conditioned = draw_root(posterior), []
        for i in range(batch):
            draw, tries = _draw(mean, root, generator, resample)
            drawn += tries
            maxima[:, t, i] = draw.max(axis=1)
            sampled[:, t, i] = (np.abs(draw - mean) / sd).max(axis=1)
            variance = np.maximum(np.einsum("rnn->rn", posterior), DRAW_JITTER**2)
            picks = least_ratio(maxima[:, t, i, None], mean, np.sqrt(variance))
            chosen[:, t, i], means[:, t, i], variances[:, t, i] = picks, mean[lanes, picks], variance[lanes, picks]
            conditioned.append(_condition(posterior, picks, noise_variance))
        for i in range(batch):  # the variances know the batch already; now its values come
            picks = chosen[:, t, i]
            observed = values[lanes, picks] + noise_sd * generator.standard_normal(runs)
            _learn(mean, picks, observed, *conditioned[i])
    before = (values.max(axis=1, keepdims=True) - values[:, points]).sum(axis=1)
    accepted = runs * rounds * batch / drawn
    return TheoryRuns(
        prior, noise_variance, values, chosen, maxima, means, variances, sampled, deviation, accepted, before
    )


def _draw(mean: Floats, root: Floats, generator: np.random.Generator, resample: bool) -> tuple[Floats, int]:
    """One posterior draw a run, and the number made."""

    def fresh(which: NDArray[np.intp]) -> Floats:
        normal = generator.standard_normal((len(which), mean.shape[1], 1))
        factors = root if len(which) == len(root) else root[which]  # a copy of all would cost as much as the draw
        return mean[which] + (factors @ normal)[:, :, 0]

    draw, made = fresh(np.arange(len(mean))), len(mean)
    low = np.flatnonzero(draw.max(axis=1) <= mean.max(axis=1)) if resample else np.zeros(0, dtype=np.intp)
    while low.size:
        draw[low] = fresh(low)
        made += low.size
        low = low[draw[low].max(axis=1) <= mean[low].max(axis=1)]
    return draw, made


def _condition(covariance: Floats, picks: NDArray[np.intp], noise_variance: float) -> tuple[Floats, Floats]:
    """Rank-one update of all runs' covariances, in place, which needs no value.

    Returns
    -------
    the covariances with the picks before, (R, N), and the variances of what is observed there, (R,); for :func:`_learn`
    """
    lanes = np.arange(len(picks))
    column = covariance[lanes, :, picks]
    scale = column[lanes, picks] + noise_variance
    covariance -= column[:, :, None] * (column / scale[:, None])[:, None, :]
    return column, scale


def _learn(mean: Floats, picks: NDArray[np.intp], observed: Floats, column: Floats, scale: Floats) -> None:
    """Update of all runs' means, in place, by the values at points that were conditioned on."""
    mean += column * ((observed - mean[np.arange(len(picks)), picks]) / scale)[:, None]


def expected_chain(runs: TheoryRuns, gain: float) -> Chain:
    r"""The decomposition of Section 5 in expectation, from the measured regret to Theorem 1.

    Every step is a mean over the runs or a closed form. The paper's steps that hold on the good event only are shown at the
    failure probability of the theorem, :math:`\delta=(Tm)^{-2}/2`. So the last step adds the last term only.

    Parameters
    ----------
    runs : without resampling and design
    gain : certified upper end of the maximum information gain of Tm points

    Raises
    ------
    ParameterError
        for runs with resampling or a design, which Lemma 1 does not cover
    """
    if runs.accepted != 1.0 or runs.initial_regret.any():
        raise ParameterError("runs", "are resampled or start from a design", "plain runs of Algorithm 1")
    rounds, batch = runs.chosen.shape[1:]
    size, n, noise = len(runs.covariance), rounds * batch, runs.noise_variance
    spread = np.sqrt(n * runs.variance_sum)
    rho = bounds.variance_ratio(batch, noise, float(np.diagonal(runs.covariance).max()))
    worst = math.sqrt(n * bounds.variance_sum_bound(noise, gain))
    weighted = (runs.ratio * np.sqrt(runs.variance)).sum(axis=(1, 2))
    gap = weighted - runs.regret
    # The two have one expectation; three standard errors of the paired difference make it an inequality of estimates.
    sampled = max(float(weighted.mean() + 3.0 * gap.std(ddof=1) / math.sqrt(len(gap))), 0.0)
    cauchy = float((np.maximum(runs.largest_ratio, 0.0) * spread).mean())
    width = bounds.normal_width(2 * size * n, 0.5 / n**2)
    steps = (
        Step("measured", max(float(runs.regret.mean()), 0.0), r"\E R_{T,m}", "mean regret of the runs"),
        Step(
            "sampled",
            sampled,
            r"\E\sum\Psi\sigma",
            "one law (Lemma 1), Lemma 6's sum has mean 0; with 3 standard errors",
            "lemma-1",
        ),
        Step("largest ratio", cauchy, r"\E\bar\Psi^+\sqrt{Tm\sum\sigma^2}", "Cauchy-Schwarz", "lemma-2"),
        Step(
            "information gain",
            float(np.maximum(runs.largest_ratio, 0.0).mean()) * worst,
            r"\E\bar\Psi^+\sqrt{Tm\,c\gamma}",
            "variances sum to at most the gain",
            "lemma-5",
        ),
        Step(
            "ratio bound",
            rho * width * worst,
            r"\rho_m\sqrt{2\log(4N(Tm)^3)}\sqrt{Tm\,c\gamma}",
            "Lemma 4",
            "lemma-4",
        ),
        Step(
            "both terms",
            2 * rho * width * worst,
            r"2\rho_m\sqrt{2\log(4N(Tm)^3)}\sqrt{Tm\,c\gamma}",
            "Lemma 6",
            "thm1-step",
        ),
        Step(
            "Theorem 1",
            bounds.theorem1(size, rounds, batch, noise, gain, rho),
            r"\text{Theorem 1}",
            "rare events: the last term",
            "theorem-1",
        ),
    )
    sharp = bounds.theorem1_sharp(size, rounds, batch, noise, gain)
    return Chain("expected regret of TS-RSR", steps, {"trivial": bounds.trivial_bound(size, n), "sharp": sharp})
