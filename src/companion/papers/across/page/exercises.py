"""Numbers of the exercises' solutions."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np
from scipy.stats import multivariate_normal

from companion.bounds.confidence import OneRootWidth, SelfNormalizedWidth, self_normalised_root
from companion.core.randomness import stream
from companion.gp import FinitePosterior, PriorDraws, SquaredExponential, grid
from companion.pages import Numbers, Provenance, recorded
from companion.papers.across.experiments import widths
from companion.papers.across.page.when_to_stop import EPSILON
from companion.papers.across.page.which_width import AT, FOR_NORM, PLACE, at, provenance
from companion.papers.across.problems.common import DELTA, NORM, candidates
from companion.papers.across.theory import width_schedules
from companion.policies import stopping
from companion.problems.running_example import LENGTHSCALE, NOISE, POINTS, running_function


@dataclass(frozen=True)
class Level:
    """The failure probability at which a theorem's width in the first round would be a library's default."""

    width: float
    delta: float
    provenance: Provenance = field(default_factory=Provenance, compare=False)


@recorded(random=False)
def level(candidates: int, width: float) -> Level:
    """From the width for draws on so many candidates, for one evaluation."""
    return Level(width, candidates * math.exp(-(width**2) / 2.0))


def default_level() -> Numbers:
    """For scikit-optimize's default on the running example."""
    found = level(POINTS, at("library/scikit-optimize"))
    return Numbers(found, provenance(), candidates=POINTS, width=found.width, delta=found.delta)


@dataclass(frozen=True)
class Ratio:
    """The usual width over the sharper one where the norm is a multiple of the other part."""

    equal: float
    apart: float
    provenance: Provenance = field(default_factory=Provenance, compare=False)


@recorded(random=False)
def roots(gain: float, delta: float, factor: float) -> Ratio:
    """Ratio of the widths where norm and root are equal, and where the norm is so many times the root."""
    root = float(self_normalised_root(gain, delta))
    equal, apart = (
        float(SelfNormalizedWidth(norm, delta).width(gain=gain)) / float(OneRootWidth(norm, delta).width(gain=gain))
        for norm in (root, factor * root)
    )
    return Ratio(equal, apart)


def saved(gain: float = 10.0, delta: float = 0.1, factor: float = 5.0) -> Numbers:
    """Ratio of two roots to one, at most, and away from there."""
    found = roots(gain, delta, factor)
    return Numbers(found, equal=found.equal, apart=found.apart, factor=factor)


def growth() -> Numbers:
    """Widths for a known norm at a hundred evaluations and at the farthest horizon, with the setting of both."""
    far = width_schedules.SHOWN[-1]
    pairs = {"batches": "batched/prop-1/printed", "sharper": "sharper/mixture"}
    values = {f"{key}_{end}": at(name, t) for key, name in pairs.items() for end, t in (("early", AT), ("late", far))}
    count = candidates(PLACE["dim"])
    values |= {f"{end}_batches": batches(values[f"batches_{end}"], count) for end in ("early", "late")}
    return Numbers(provenance(), at=AT, far=far, candidates=count, norm=NORM, delta=DELTA, **values)


def batches(width: float, count: int) -> int:
    r"""B of the width :math:`\Psi+\sqrt{2\log(NB/\delta)}`, which is stored to four digits."""
    return round(DELTA / count * math.exp((width - NORM) ** 2 / 2.0))


def drawn_arms() -> Numbers:
    """The self-normalised width for norm 1 on arms that are drawn, where nothing is promised, and on arms of that norm."""
    found = widths.load().tables["width_coverage"]
    own = found[(found.id == FOR_NORM) & (found.factor == 1.0)].set_index("instance")
    drawn, known = own.loc["50 arms, drawn"], own.loc["50 arms"]
    return Numbers(
        provenance(),
        drawn=drawn.covered,
        low=drawn.low,
        high=drawn.high,
        known=known.covered,
        arms=50,
        norm=math.sqrt(50),
    )


@recorded(first="seed")
def decision(chosen: list[int], observed: list[float], default: float = 0.2**0.5, seed: int = 0) -> Numbers:
    """The point named, what it may lose by the closed form and by BoTorch's default width, and what width 1 and 3 play next.

    ``limit`` is the exact upper limit of the sampled probability, which has to be at most ``allowed`` for a stop.
    """
    covariance = running_function()[1]
    posterior = FinitePosterior(covariance, NOISE**2)
    for index, value in zip(chosen, observed, strict=True):
        posterior.observe(index, value)
    mean, sd, best = posterior.mean[0], posterior.sd[0], int(np.argmax(posterior.mean))
    apart = stopping.difference_sd(sd**2, np.asarray(posterior.covariance_with(best)), best)
    contest = stopping.Contest(best, mean[best] - mean, apart)
    bounds = {
        "epsilon": EPSILON,
        "delta": DELTA,
        "sum": contest.union(EPSILON),
        "may_lose": contest.union_regret(DELTA),
    }
    bounds["by_default"] = float(stopping.regret_of(stopping.band(mean, sd, default)[1]))
    left, generator = covariance - posterior.factor[0].T @ posterior.factor[0], stream(seed, "across", "decision")
    drawn = generator.multivariate_normal(mean, left, 20_000, method="eigh")
    bad, look = int((drawn.max(axis=1) > drawn[:, best] + EPSILON).sum()), len(chosen) + 1
    bounds |= {"probability": bad / len(drawn), "allowed": (1.0 - stopping.ERROR_SHARE) * DELTA}
    bounds["limit"] = stopping.exact_upper(bad, len(drawn), stopping.level_of_look(DELTA, look))
    narrow, wide = (int(np.argmax(mean + width * sd)) for width in (1.0, 3.0))
    return Numbers(named=best, narrow=narrow, wide=wide, **bounds)


@recorded(first="seed")
def fits(seed: int = 0, runs: int = 1000, places: int = 8) -> Numbers:
    """Shares of draws of the running example, seen at random candidates, whose likeliest length-scale is wrong by two or more."""
    points, generator = grid(POINTS, 1), stream(seed, "across", "fitted length-scales")
    factors = np.array([0.25, 0.5, 1.0, 2.0, 4.0])
    kernels = [SquaredExponential(LENGTHSCALE * factor) for factor in factors]
    prior, found = PriorDraws.on_points(kernels[2], points), list[float]()
    for _ in range(runs):
        at = generator.choice(POINTS, places, replace=False)
        values = prior.draw(generator, 1)[0][at] + NOISE * generator.standard_normal(places)
        models = (multivariate_normal(cov=kernel(points[at]) + NOISE**2 * np.eye(places)) for kernel in kernels)
        found.append(factors[np.argmax([each.logpdf(values) for each in models])])
    long, short = np.mean(np.array(found) >= 2.0), np.mean(np.array(found) <= 0.5)
    return Numbers(runs=runs, places=places, long=float(long), short=float(short))
