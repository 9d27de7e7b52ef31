"""Laws of contexts against quadrature, SciPy's laws, and counts of draws."""

from __future__ import annotations

import math
from collections.abc import Callable

import mpmath
import numpy as np
import pytest
from oracles.quadrature import integral
from scipy import stats
from tolerances import CLOSED_FORM_ATOL, FORMULA_RTOL, SIGNIFICANCE

from companion.core.errors import ParameterError
from companion.core.randomness import stream
from companion.papers.wdrbo.problems.laws import BurrXII, ClippedNormal, ContextLaw, Uniform

LAWS = {
    "middle": ClippedNormal(0.5, 0.2),
    "off": ClippedNormal(0.9, 0.35, -0.2, 1.1),
    "narrow": ClippedNormal(0.6, 0.02),
    "wide": ClippedNormal(0.6, 0.2, -1.0, 2.2),
    "uniform": Uniform(),
    "elsewhere": Uniform(-0.5, 2.0),
}


def exact(law: ClippedNormal | Uniform, h: Callable, *cuts: float) -> float:
    """E h(c) from the density and the atoms."""
    low, high, cuts = law.low, law.high, (*cuts, *np.linspace(law.low, law.high, 33))
    if isinstance(law, Uniform):
        return integral(h, cuts, low, high) / (high - low)
    mean, sd = law.mean, law.sd
    steps = [mean + k * sd for k in range(-8, 9)]
    body = integral(lambda c: h(c) * np.exp(-(((c - mean) / sd) ** 2) / 2), (*cuts, *steps), low, high)
    below, above = (float(mpmath.ncdf(end)) for end in ((low - mean) / sd, (mean - high) / sd))
    return body / (sd * math.sqrt(2 * math.pi)) + below * float(h(low)) + above * float(h(high))


def faults(law: ClippedNormal | Uniform) -> list[str]:
    """Expectations in closed form that differ from quadrature."""
    found = []
    for rate, centre in ((0.0, 0.3), (0.8, 0.6), (14.0, 0.99), (700.0, 0.52), (2000.0, 0.6)):
        oracle = exact(law, lambda c, r=rate, p=centre: np.exp(-r * (c - p) ** 2), centre)
        if abs(float(law.bump(rate, centre)) - oracle) > CLOSED_FORM_ATOL:
            found.append(f"bump {rate} {centre}")
    for point in (0.0, 0.5, 0.7, 1.0):
        if abs(law.square(point) - exact(law, lambda c, p=point: (c - p) ** 2)) > CLOSED_FORM_ATOL:
            found.append(f"square {point}")
        if abs(law.distance(point) - exact(law, lambda c, p=point: abs(c - p), point)) > CLOSED_FORM_ATOL:
            found.append(f"distance {point}")
    return found


@pytest.mark.parametrize("name", LAWS)
def test_closed_forms_agree_with_quadrature(name: str) -> None:
    assert faults(LAWS[name]) == []


def test_lost_atoms_are_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ClippedNormal, "atoms", property(lambda self: (0.0, 0.0)))
    assert len(faults(LAWS["middle"])) > 4


def test_atoms_are_the_clipped_mass() -> None:
    assert LAWS["middle"].atoms == pytest.approx((stats.norm.cdf(-2.5),) * 2, rel=FORMULA_RTOL)
    assert LAWS["off"].atoms == pytest.approx(
        (stats.norm.cdf(-1.1 / 0.35), stats.norm.sf(0.2 / 0.35)), rel=FORMULA_RTOL
    )


@pytest.mark.parametrize("name", LAWS)
def test_rules_integrate_smooth_functions(name: str) -> None:
    law = LAWS[name]
    nodes, weights = law.rule()
    assert weights.sum() == pytest.approx(1.0, abs=10 * CLOSED_FORM_ATOL)
    oracle = exact(law, lambda c: np.cos(7 * c) + c**3, 0.2, 0.4, 0.6, 0.8)
    assert weights @ (np.cos(7 * nodes) + nodes**3) == pytest.approx(oracle, abs=10 * CLOSED_FORM_ATOL)
    middle = (law.low + law.high) / 2
    nodes, weights = law.rule([law.low, middle, law.high])
    assert len(nodes) == 32 + 2 * isinstance(law, ClippedNormal)
    for breaks in ([law.low, law.high, law.high], [law.low, middle], [[law.low, law.high]]):
        with pytest.raises(ParameterError, match="breaks"):
            law.rule(breaks)


@pytest.mark.parametrize("name", LAWS)
def test_draws_follow_the_distribution_function(name: str) -> None:
    law, count = LAWS[name], 20_000
    draws = ContextLaw((law,)).sample(stream(3, "contexts", name), count)[:, 0]
    assert law.quantile(0.0) == law.low
    assert draws.min() >= law.low
    assert draws.max() <= law.high
    for threshold in np.linspace(law.low, law.high, 8)[:-1]:
        if isinstance(law, Uniform):
            probability = (threshold - law.low) / (law.high - law.low)
        else:
            probability = stats.norm.cdf(threshold, law.mean, law.sd)
        assert law.distribution(threshold) == pytest.approx(probability, abs=CLOSED_FORM_ATOL)
        assert stats.binomtest(int((draws <= threshold).sum()), count, probability).pvalue > SIGNIFICANCE
    assert law.distribution(law.high) == 1.0
    assert law.distribution(law.low - 1e-9) == 0.0


def test_draws_of_another_spread_would_be_noticed() -> None:
    draws = ContextLaw((ClippedNormal(0.5, 0.21),)).sample(stream(3, "contexts", "middle"), 20_000)[:, 0]
    below = int((draws <= 0.25).sum())
    assert stats.binomtest(below, 20_000, float(LAWS["middle"].distribution(0.25))).pvalue < SIGNIFICANCE


@pytest.mark.parametrize("high", [1.0, math.inf])
def test_the_demand_is_scipys_burr_law(high: float) -> None:
    law, oracle = BurrXII(2.0, 20.0, high), stats.burr12(2, 20)
    u = np.concatenate([[0.0, 1e-12, 1e-6], np.linspace(0.01, 0.99, 23)])
    np.testing.assert_allclose(law.quantile(u), oracle.ppf(u), rtol=1e-9)
    np.testing.assert_allclose(law.quantile(u[1:]) ** 2, np.expm1(-np.log1p(-u[1:]) / 20), rtol=FORMULA_RTOL)
    c = np.array([-0.5, 0.0, 0.1, 0.4, 0.999])
    np.testing.assert_allclose(law.distribution(c), oracle.cdf(c), atol=CLOSED_FORM_ATOL)
    assert float(law.quantile(1 - 2.0**-30)) == pytest.approx(min(high, math.sqrt(2**1.5 - 1)))
    assert float(law.distribution(1.0)) == (1.0 if high == 1.0 else pytest.approx(1 - 2.0**-20))
    draws = ContextLaw((law,)).sample(stream(0, "demand"), 20_000)[:, 0]
    for threshold in (0.1, 0.2, 0.3):
        test = stats.binomtest(int((draws <= threshold).sum()), 20_000, oracle.cdf(threshold))
        assert test.pvalue > SIGNIFICANCE


def test_one_draw_at_a_time_is_the_same_run() -> None:
    law = ContextLaw((LAWS["middle"], LAWS["uniform"]))
    together, generator = law.sample(stream(5, "contexts"), 7), stream(5, "contexts")
    apart = np.concatenate([law.sample(generator, 1) for _ in range(7)])
    np.testing.assert_array_equal(together, apart)
    assert together.shape == (7, 2)
    assert law.sample(generator, 0).shape == (0, 2)
    assert abs(np.corrcoef(law.sample(generator, 20_000).T)[0, 1]) < 4 / math.sqrt(20_000)


def test_quantile_nodes_stand_for_the_law() -> None:
    nodes = ContextLaw((LAWS["middle"],)).quantile_nodes(1000)
    assert nodes.shape == (1000, 1)
    # Midpoints of equally likely slices: the mean error of a bounded monotone function is below its range over the count.
    assert abs(np.abs(nodes - 0.4).mean() - LAWS["middle"].distance(0.4)) < 1e-3
    with pytest.raises(ParameterError, match=r"^law:"):
        ContextLaw((LAWS["middle"],) * 2).quantile_nodes(10)


@pytest.mark.parametrize(
    ("call", "name"),
    [
        (lambda: ClippedNormal(0.5, 0.0), "sd"),
        (lambda: ClippedNormal(0.5, 0.1, 1.0, 1.0), "mean, low, high"),
        (lambda: ClippedNormal(math.nan, 0.1), "mean, low, high"),
        (lambda: Uniform(1.0, 0.0), "low, high"),
        (lambda: BurrXII(0.0, 1.0), "a"),
        (lambda: BurrXII(1.0, 1.0, 0.0), "high"),
        (lambda: LAWS["middle"].distance(1.5), "point"),
        (lambda: LAWS["uniform"].distance(-0.5), "point"),
        (lambda: ContextLaw(()), "marginals"),
        (lambda: ContextLaw((Uniform(),)).quantile([[1.0]]), "u"),
        (lambda: ContextLaw((Uniform(),)).quantile([0.5]), "u"),
    ],
)
def test_bad_input_is_refused(call: Callable, name: str) -> None:
    with pytest.raises(ParameterError, match=f"^{name}"):
        call()
