"""Tests of leads on the band, the posterior and the Lipschitz constants."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from companion.checks.suspected_error import Finding, suspected_error
from companion.core.arrays import Floats
from companion.gp import SquaredExponential, grid
from companion.information import greedy_gain
from companion.papers.wdrbo.checks.lipschitz import bent_profiles, cuts, parametrisations
from companion.papers.wdrbo.checks.setting_band import OneArm, misses_of
from companion.papers.wdrbo.theory import bounds
from companion.papers.wdrbo.theory.runs import Game, covariance_of, kernel_lipschitz

PRINTED_NORM = partial(bounds.mean_norm_printed, unchecked=True)
REGULARISERS = tuple(float(10.0**power) for power in np.linspace(-3, 2, 51))


@suspected_error("E1", teeth={"the repaired form": {"form": bounds.mean_norm_simple}})
def bracket_of_the_norm(*, form: Callable[..., Any] = PRINTED_NORM) -> Finding:
    r"""$\bar B_t\le\lambda^{-1/2}(R\sqrt{2\log\frac1\delta}+R\sqrt{2\gamma_t}+B)$

    (28) at the first round and after greedy designs of 1 to 40 points, over regularisers from 0.001 to 100.
    """
    noise, norm, delta = 1.0, 1.0, 0.1
    true, printed, ours = (
        float(of(0.0, noise, norm, 4.0, delta)) for of in (bounds.mean_norm, form, bounds.mean_norm_simple)
    )
    failing, repaired = [], True
    for lam in REGULARISERS:
        gains = np.r_[0.0, 2.0 * greedy_gain(covariance_of(Game()), 40, lam).gains]
        left = bounds.mean_norm(gains, noise, norm, lam, delta)
        if (form(gains, noise, norm, lam, delta) < left * (1 - 1e-12)).any():
            failing.append(lam)
        repaired &= bool((bounds.mean_norm_simple(gains, noise, norm, lam, delta) >= left * (1 - 1e-12)).all())
    least = min(failing, default=math.inf)
    highest = max(lam for lam in REGULARISERS if lam < least)
    gain = 2.0 * float(greedy_gain(covariance_of(Game()), 40, 0.25).gains[-1])
    loose = [
        float(of(gain, noise, norm, 0.25, delta))
        for of in (bounds.mean_norm, bounds.mean_norm_simple, bounds.mean_norm_printed)
    ]
    return Finding(
        printed < true <= ours and repaired and bool(failing),
        {"left": true, "printed": printed, "ours": ours, "smallest failing lambda": least, "40 points": loose},
        failing=len(failing),
        regularisers=len(REGULARISERS),
        highest=highest,
        loose=loose,
    )


@suspected_error("E6", teeth={"at λ = 1": {"at": 1.0}})
def membership(*, at: float = 4.0) -> Finding:
    r"""$\mathrm{UCB}_t\in\mathcal U(\bar B_t,\bar B_t,\lambda)$, and $2\bar B_tL$ for the common Lipschitz constant

    :math:`\beta_t\le\bar B_t`, and the slopes of the members, before any data.
    """
    noise, norm, delta = 1.0, 1.0, 0.1

    def pair(lam: float) -> tuple[float, float]:
        beta = float(bounds.width(0.0, noise, norm, lam, delta))
        return beta, float(bounds.mean_norm(0.0, noise, norm, lam, delta))

    (beta, bar), (_, small) = pair(at), pair(0.01)
    steepest, allowed = small * (1.0 + 1.0 / math.sqrt(0.01)), 2.0 * small
    outside = [lam for lam in REGULARISERS if pair(lam)[0] > pair(lam)[1] * (1 + 1e-12)]
    return Finding(
        beta > bar and steepest > allowed and min(outside) > 1.0,
        {"beta": beta, "bar": bar, "slope": steepest, "allowed": allowed, "smallest lambda outside": min(outside)},
    )


@suspected_error("E23", teeth={"at s = λ/2": {"share": 0.5}})
def no_regulariser_left(*, share: float = 1.0) -> Finding:
    r"""The order holds for every $\lambda>0$, with $\mathcal U(\bar B_t,\bar B_t,\lambda)$ and Lemma 23 for $0<s<1$, used
    at $s=\lambda$

    For which regularisers each printed step of Corollary 10 has what it takes, and for which all three do.

    (59) (i) and (ii): :math:`\sigma^2\le1`, of which :math:`1/\lambda` is the largest value, before any data. Lemma 7:
    :math:`\beta_t\le\bar B_t`. Lemma 23: :math:`0<s<1` at :math:`s=\lambda`.
    """
    values = sorted({*REGULARISERS, 1.0})

    def member(lam: float) -> bool:
        beta, bar = (float(form(0.0, 1.0, 1.0, lam, 0.1)) for form in (bounds.width, bounds.mean_norm))
        return beta <= bar * (1 + 1e-12)

    points = np.linspace(0.0, 1.0, 51)[:, None]
    largest = float(np.diagonal(SquaredExponential(0.3)(points)).max())
    steps = {
        "(59)": [lam for lam in values if largest / lam <= 1.0 + 1e-12],
        "Lemma 7": [lam for lam in values if member(lam)],
        "Lemma 23": [lam for lam in values if 0.0 < share * lam < 1.0],
    }
    all_three = sorted(set.intersection(*map(set, steps.values())))
    first_two = sorted(set(steps["(59)"]) & set(steps["Lemma 7"]))
    counted = "; ".join(f"{name} at {len(found)}" for name, found in steps.items())
    return Finding(
        not all_three and first_two == [1.0],
        {
            "all": len(all_three),
            "without lemma 23": first_two,
            **{name: [min(found), max(found)] for name, found in steps.items()},
        },
        values=len(values),
        first_values=values[0],
        last_values=values[-1],
        counted=counted,
    )


@suspected_error("E11", teeth={"L = 50": {"constant": 50.0}})
def unit_constants(*, constant: float = 1.0) -> Finding:
    """Assumption 1 holds with $L=1$ for the SE and the Matérn-3/2 kernel

    Feature distance over distance, for the kernels of Section 7.1 in several parametrisations.
    """
    ratios = {profile.name: float(profile.ratios().max()) for profile in parametrisations() if profile.claimed}
    above = {name: ratio for name, ratio in ratios.items() if ratio > constant + 1e-9}
    rows = "; ".join(f"{name}: {ratio:.4g}" for name, ratio in ratios.items())
    return Finding(bool(above) and len(above) < len(ratios), ratios, rows=rows)


@suspected_error("E12", teeth={"not conditioned on itself": {"known": 0.0}})
def noise_of_the_past(*, known: float = 1.0) -> Finding:
    r"""$\eta_t$ is $\mathcal F_t$-measurable and $R$-sub-Gaussian conditionally on $\mathcal F_t$

    Which values a variable can have that is sub-Gaussian given itself.
    """
    values = np.array([0.0, 0.01, 0.1, 1.0, 3.0])
    slopes = np.linspace(-4.0, 4.0, 801)
    # Given itself the variable is a number eta, and E exp(s eta) = exp(s eta) may not exceed exp(s^2 R^2 / 2).
    excess = np.max(known * slopes * values[:, None] - slopes**2 / 2.0, axis=1)
    allowed = [float(value) for value, more in zip(values, excess, strict=True) if more <= 1e-12]
    return Finding(allowed == [0.0], {"allowed": allowed, "excess": excess.tolist()})


@suspected_error("E13", teeth={"a point among the data": {"place": 0.2}})
def operator_or_gram(*, place: float = 3.0) -> Finding:
    r"""$\norm{k(\cdot,z)}^2_{\bar V_t^{-1}}=k_t(z)^\top(\Phi_t^\top\Phi_t+\lambda I)^{-1}k_t(z)$

    The line under (24), read with the Gram matrix, at a point far from all data.
    """
    lam, kernel = 0.5, SquaredExponential(0.1)
    data, far = grid(5, 1, 0.0, 0.4), np.array([[place]])
    gram, cross = kernel(data), kernel(data, far)[:, 0]
    weights = np.linalg.solve(gram + lam * np.eye(len(data)), cross)
    printed, width = float(cross @ weights), float(1.0 - cross @ weights) / lam
    return Finding(printed < 1e-6 < width, {"width": width, "gram": printed}, lam=lam)


@suspected_error("E14", teeth={"near 0": {"end": 0.01}})
def sign_of_the_curvature(*, end: float = 2.0) -> Finding:
    r"""$r^{(2)}(s)\le0$ for all $s\in[0,\epsilon]$, for any $\epsilon>0$

    R'' of five kernels on the interval of the proof, and how large M is.
    """
    positive = {}
    for profile in bent_profiles():
        assert profile.bent is not None
        positive[profile.name] = float(profile.bent(np.linspace(0.0, end, 2001)).max())
    first = next(iter(positive))
    kernel = bent_profiles()[0]
    loose = {cut.epsilon: 2.0 / cut.epsilon for cut in cuts() if cut.profile.name == kernel.name}
    smallest = min(loose)
    return Finding(
        min(positive.values()) > 0.0,
        {"largest curvature": positive, "M": loose[smallest], "needed": kernel.constant},
        first=first,
        largest=positive[first],
        positive=len(positive),
        smallest=smallest,
    )


@suspected_error("U5", teeth={"half of it": {"share": 0.5}})
def slope_of_the_width(*, share: float = 1.0) -> Finding:
    r"""$\lambda^{-1/2}L$

    One datum, lambda = 0.01; the width's slope between 0.1 and 0.2 length-scales from it, and the steepest.
    """
    lam, scale = 0.01, 0.3
    near = np.linspace(0.0, 1.0, 1001)
    width = np.sqrt((1.0 - np.exp(-(near**2)) / (1.0 + lam)) / lam)
    slope = float((width[200] - width[100]) / 0.1)
    steepest, bound = float(np.diff(width).max() / near[1]), share * kernel_lipschitz("se", 1.0) / math.sqrt(lam)
    return Finding(
        steepest > bound, {"slope": slope, "steepest": steepest, "bound": bound, "lengthscale": scale}, lam=lam
    )


@suspected_error("U6", teeth={"a tenth less": {"share": 0.9}})
def tight_band(*, share: float = 1.0) -> Finding:
    r"""$\beta_t=R\sqrt{\log\det(I+\lambda^{-1}K_{t-1})+2\log\frac1\delta}+\sqrt\lambda B$

    One arm observed 3000 times; how often the band is left, and how often one narrower by a tenth.
    """
    arm = OneArm(1.0, 1.0)
    misses, log_det = misses_of(arm)
    allowed = bounds.width(log_det, arm.noise, arm.norm, arm.lam, arm.delta)

    largest = (misses / allowed).max(axis=1)

    def rate(part: float) -> float:
        return float((largest > part).mean())

    return Finding(rate(share) > arm.delta, {"rate": rate(1.0), "at 0.9": rate(0.9)}, arm=arm, rate_09=rate(0.9))


@suspected_error("U7", teeth={"two fifths of it": {"share": 0.4}})
def nets_of_decisions(*, share: float = 1.0) -> Finding:
    r"""$\abs{\mathcal X_\rho}\le(1+2D_{\mathcal X}/\rho)^{d_x}$

    Greedy nets of cubes against :math:`(1+2D/\rho)^{d_x}`.
    """
    rows: dict[str, tuple[int, float]] = {}
    for dim, per_axis in ((1, 2001), (2, 81), (3, 21)):
        points = grid(per_axis, dim)
        for rho in (0.5, 0.2, 0.1):
            size = _greedy_net(points, rho)
            rows[f"d = {dim}, rho = {rho:g}"] = (size, math.exp(bounds.covering_points(math.sqrt(dim), rho, dim)))
    worst = max(size / (share * bound) for size, bound in rows.values())
    return Finding(worst > 1.0, {name: list(pair) for name, pair in rows.items()}, worst=worst)


def _greedy_net(points: Floats, rho: float) -> int:
    """Number of centres when every point not yet within rho of one becomes one."""
    open_, size = points, 0
    while len(open_):
        size += 1
        open_ = open_[np.linalg.norm(open_ - open_[0], axis=1) > rho]
    return size
