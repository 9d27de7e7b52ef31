"""Tests of leads on information, the admission rule and its distance, by formulas and small computations."""

from __future__ import annotations

import math
from itertools import combinations_with_replacement

import numpy as np
from scipy import optimize

from companion.checks.suspected_error import Finding, suspected_error
from companion.core.arrays import Floats
from companion.core.randomness import stream
from companion.gp import FinitePosterior, Matern, SquaredExponential, grid
from companion.information.gain import gain_by_determinant
from companion.judge.intervals import slope_interval
from companion.papers.compressed.checks.order_models import Play, models, recorded
from companion.papers.compressed.method.admission import horizon_budget, information, raw_entropy, unit_noise
from companion.papers.compressed.method.policy import ACQUISITIONS
from companion.papers.compressed.theory.order import copies_kept, exploration_peaks, order_at

#: Compression budget and noise variance of Section 4.
PRINTED_EPSILON, PRINTED_NOISE = 1e-4, 1e-3


def _few_points(count: int, dim: int, lengthscale: float, name: str) -> Floats:
    """Covariance of random points of the unit cube under a squared exponential kernel."""
    points = stream(0, "compressed", "discrepancies", name).uniform(size=(count, dim))
    return np.asarray(SquaredExponential(lengthscale)(points))


@suspected_error("S1", teeth={"1 in place of 2": {"two": 1.0}})
def two_or_identity(*, two: float = 2.0) -> Finding:
    r"""$I=\frac12\log\abs{2+\sigma^{-2}K_t}$

    The difference of entropies, against both readings of the 2 in (2.3), for six points.
    """
    gram, noise = _few_points(6, 1, 0.3, "six"), 0.1
    # independent check: the printed form and the intended one, written out
    entropies = 0.5 * np.linalg.slogdet(2 * math.pi * math.e * (gram + noise * np.eye(6)))[1] - 3.0 * math.log(
        2 * math.pi * math.e * noise
    )
    forms = {
        "the identity": float(gain_by_determinant(gram, noise)),
        "twice the identity": 0.5 * float(np.linalg.slogdet(two * np.eye(6) + gram / noise)[1]),
        "2 in every entry": 0.5 * float(np.linalg.slogdet(two + gram / noise)[1]),
    }
    wrong = [name for name, value in forms.items() if abs(value - entropies) > 1e-8]
    return Finding(
        wrong == ["twice the identity", "2 in every entry"], {"entropies": float(entropies), **forms}, forms=forms
    )


@suspected_error("S2", teeth={"against the factor 1 - 1/e": {"share": 1.0 - math.exp(-1.0)}})
def compared_with_what(*, share: float = 1.0) -> Finding:
    r"""$T$ rounds of (2.4) bring at least $(1-1/e)$ of the information of $K$ points, for some $K\le T$

    Gains of the rule's first K points and of the best set, for 50 random designs.
    """
    noise, candidates, count, designs = 0.1, 8, 3, 50
    sets = np.array(list(combinations_with_replacement(range(candidates), count)))
    least, trivial = math.inf, 0
    for number in range(designs):
        covariance = _few_points(candidates, 2, 0.4, f"greedy {number}")
        best = float(gain_by_determinant(covariance[sets[:, :, None], sets[:, None, :]], noise).max())
        picks = FinitePosterior(covariance, noise).select_max_variance(count)[0]
        own = [float(gain_by_determinant(covariance[np.ix_(picks[:k], picks[:k])], noise)) for k in (1, 2, 3)]
        trivial += int(own[-1] >= max(own) - 1e-12)
        least = min(least, own[-1] / best)
    return Finding(
        trivial == designs and least < share,
        {"trivial": trivial, "least": least},
        designs=designs,
        count=count,
        greedy=1 - math.exp(-1),
    )


@suspected_error("S4", teeth={"the entropy beyond that of the noise": {"noise_share": 1.0}})
def what_is_thresholded(*, noise_share: float = 0.0) -> Finding:
    r"""in words: the conditional entropy exceeds $\epsilon$; in (2.11): it exceeds $\log\sqrt{2\pi e\sigma^2}+\epsilon$

    The formula against the wording, on random triples and at the constants of Section 4.
    """
    generator = stream(0, "compressed", "discrepancies", "wording")
    noise = 10.0 ** generator.uniform(-4, 1, 100_000)
    budget = 10.0 ** generator.uniform(-5, 0, 100_000)
    variance = noise * np.expm1(2 * budget) * 10.0 ** generator.uniform(-2, 2, 100_000)
    entropy = 0.5 * np.log(2 * math.pi * math.e * (noise + variance))
    formula = entropy > 0.5 * np.log(2 * math.pi * math.e * noise) + budget
    gain = 0.5 * np.log1p(variance / noise) > budget
    words = entropy > noise_share * 0.5 * np.log(2 * math.pi * math.e * noise) + budget
    printed = information(PRINTED_EPSILON, PRINTED_NOISE).threshold
    raw = raw_entropy(PRINTED_EPSILON, PRINTED_NOISE).threshold
    agree, differ = int(np.sum(formula != gain)), int(np.sum(formula != words))
    return Finding(
        agree < 10 and differ > 1000,
        {"formula against gain": agree, "formula against words": differ, "threshold": printed, "raw": raw},
        triples=len(noise),
    )


@suspected_error("S5", teeth={"the distance in place of its square": {"root": 2.0}})
def radius_of_the_packing(*, root: float = 1.0) -> Finding:
    r"""a distance above $e^\epsilon$, $\delta=e^\epsilon$ and $\nu=e^\epsilon$, between $\sqrt{\sigma^2u}$ in (7.10) and
    $\sigma^2u$ in (7.12), $u=e^{2\epsilon}-1$

    :math:`\nu=e^\epsilon` stays bounded as epsilon falls, the order does not; and the growth in the squared distance.
    """
    us, noise = (0.8, 0.08, 0.008), 0.25
    copies = [copies_kept(u, noise) for u in us]
    bound = math.exp(0.5 * math.log1p(us[0])) / math.exp(0.5 * math.log1p(us[-1]))
    distances = (0.4, 0.2, 0.1, 0.05)
    covariance = np.asarray(Matern(0.5, 0.25)(grid(300, 1)))
    _, peaks = exploration_peaks(covariance, 1e-10, distances[-1])
    packed = [order_at(peaks, limit) for limit in distances]
    power = slope_interval(-np.log(distances) / root, np.log(packed)).estimate
    dropped = PRINTED_NOISE**-1.0
    return Finding(
        copies[-1] / copies[0] > bound and 0.75 < power < 1.25,
        {"copies": copies, "bound": bound, "packed": packed, "power": power, "dropped": dropped},
        first_u=us[0],
        last_u=us[-1],
        first_copies=copies[0],
        last_copies=copies[-1],
    )


@suspected_error("S7", teeth={"the whole penalty": {"printed": 1.0}})
def penalty_of_the_lemma(*, printed: float = 0.5) -> Finding:
    r"""$\frac\lambda2\norm{v}^2$, with a closed form that has $\lambda I$

    The least value with the printed penalty, by a generic optimiser, against the printed closed form.
    """
    covariance, penalty = _few_points(6, 1, 0.3, "lemma"), 0.3
    gram, cross = covariance[:5, :5], covariance[:5, 5]

    def least(share: float) -> float:
        def value(v: Floats) -> float:
            return float(1.0 - 2.0 * v @ cross + v @ gram @ v + share * penalty * v @ v)

        return float(optimize.minimize(value, np.zeros(5), method="BFGS", options={"gtol": 1e-10}).fun)

    closed = float(1.0 - cross @ np.linalg.solve(gram + penalty * np.eye(5), cross))
    half, full, none = least(printed), least(1.0), least(0.0)
    return Finding(
        abs(full - closed) < 1e-7 < abs(half - closed),
        {"closed": closed, "half": half, "full": full, "span": none},
        penalty=penalty,
    )


@suspected_error("U9", teeth={"a budget of 1/2": {"budget": 0.5}})
def nothing_rejected_at_zero(*, budget: float = 0.0) -> Finding:
    r"""for $\epsilon=0$ the condition holds trivially, and the algorithm is the uncompressed one

    Variances at the chosen points of runs with a budget of 0, and the rounds rejected.
    """
    rejected, least, rounds = 0, math.inf, 0
    for model in models((0.05, 0.5)):
        for acquisition in ACQUISITIONS:
            record = recorded(Play(model, acquisition, budget, 40))
            rejected += int(np.sum(~record.kept))
            least = min(least, float(record.variances.min()))
            rounds += len(record.kept)
    return Finding(rejected > 0, {"rejected": rejected, "rounds": rounds, "least": least})


@suspected_error("U11", teeth={"ε in place of 2ε": {"factor": 1.0}})
def entropy_and_threshold(*, factor: float = 2.0) -> Finding:
    r"""the entropy exceeds $\log\sqrt{2\pi e\sigma^2}+\epsilon$ exactly if $\sigma_D^2>\sigma^2(e^{2\epsilon}-1)$

    (2.11) against (2.12) on random triples, away from the threshold by more than rounding.
    """
    generator = stream(0, "compressed", "discrepancies", "equivalence")
    noise = 10.0 ** generator.uniform(-4, 1, 100_000)
    budget = 10.0 ** generator.uniform(-5, 0, 100_000)
    threshold = noise * np.expm1(factor * budget)
    variance = threshold * 10.0 ** generator.uniform(-2, 2, 100_000)
    left = 0.5 * np.log(2 * math.pi * math.e * (noise + variance))
    passes = left > 0.5 * np.log(2 * math.pi * math.e * noise) + budget
    clear = np.abs(variance / threshold - 1.0) > 1e-8
    off = int(np.sum((passes != (variance > threshold)) & clear))
    tried = np.flatnonzero(clear)[:2000]
    package = sum(
        information(float(budget[i]), float(noise[i])).admits(float(variance[i])) != bool(passes[i]) for i in tried
    )
    dropped = unit_noise(horizon_budget(100, 0.5)).threshold
    return Finding(
        off > 0 or package > 0,
        {"mismatches": off, "package": package, "triples": int(clear.sum())},
        tried=len(tried),
        dropped=dropped,
    )
