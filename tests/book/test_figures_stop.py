"""The figure that stops: run, band, recommended point and bound computed a second time, by plain linear algebra."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from book.test_figures_across import opened
from book.test_figures_engine import Stream
from scipy.optimize import brentq
from scipy.stats import norm as normal
from tolerances import FIGURES_DRAW_ATOL

from book import browser as looking
from companion.core.arrays import Floats
from companion.gp import grid, kernel_by_name
from companion.gp.ties import lowest_argmax
from companion.problems.running_example import LENGTHSCALE, POINTS, running_function

EXECUTABLE = looking.find_browser()
pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(EXECUTABLE is None, reason="no Chromium on PATH: the figures were not tried"),
]
LOOKS, DELTA = 61, 0.1
#: The opening one, the two that the page calls too early and never, and others.
SETTINGS = [
    {"seed": 0, "noise": 0.1, "width": "posterior", "eps": 0.1, "played": 2},
    {"seed": 0, "noise": 0.1, "width": "botorch", "eps": 0.1, "played": 2},
    {"seed": 0, "noise": 0.1, "width": "theorem", "eps": 0.1, "played": 2},
    {"seed": 0, "noise": 0.1, "width": "theorem", "eps": 0.5, "played": 5},
    {"seed": 0, "noise": 0.3, "width": "usual", "eps": 0.5, "played": 1},
    {"seed": 7, "noise": 0.05, "width": "botorch", "eps": 0.05, "played": 3},
    {"seed": 99, "noise": 0.5, "width": "theorem", "eps": 2.0, "played": 2},
    {"seed": 3, "noise": 0.3, "width": "posterior", "eps": 0.05, "played": 0.5},
]
_RUNS = """(all) => all.map((s) => { const { f, stop, lost, all } = companionFigures.figures.stop.compute(s);
  return { f: [...f], stop: isFinite(stop) ? stop : null, lost: lost ?? null, all: all.map(
    ({ w, r, u, bound, loss, mean, sd, odds }) => ({ w, r, u, bound, loss, mean: [...mean], sd: [...sd],
      odds: odds ? odds(s.eps) : 0 })) }; })"""


def covariance() -> Floats:
    """Of the 101 points."""
    return np.asarray(kernel_by_name("se", LENGTHSCALE)(grid(POINTS, 1)))


def function(seed: int) -> Floats:
    """The running example, to four digits, or another draw."""
    if seed == 0:
        return np.round(running_function()[2], 4)
    return np.linalg.cholesky(covariance() + 1e-9 * np.eye(POINTS)) @ Stream(seed, "function").normals(POINTS)


def noise_of(seed: int) -> Floats:
    """Of the lesson's cells, to four digits, or of another draw."""
    if seed == 0:
        return np.round(np.random.default_rng(0).standard_normal(LOOKS), 4)
    return Stream(seed, "noise").normals(LOOKS)


def looks(s: dict[str, Any]) -> list[dict[str, Any]]:
    """After every evaluation of GP-UCB: width, recommended point, what it may lose, and loses; closed form."""
    k, f, z, found = covariance(), function(s["seed"]), noise_of(s["seed"]), []
    at, seen = list[int](), list[float]()
    for t in range(LOOKS):
        kept = k[np.ix_(at, at)] + s["noise"] ** 2 * np.eye(t)
        weights = np.linalg.solve(kept, k[at]) if at else np.zeros((0, POINTS))
        mean = weights.T @ np.array(seen) if at else np.zeros(POINTS)
        sd = np.sqrt(np.diag(k) - np.sum(weights * k[at], axis=0)) if at else np.ones(POINTS)
        odds = 0.0
        if s["width"] == "posterior":
            w, r = s["played"], lowest_argmax(mean)
            covariance_of = k - (k[:, at] @ weights if at else 0.0)
            spread = np.delete(np.sqrt(np.diag(covariance_of) + covariance_of[r, r] - 2 * covariance_of[r]), r)
            lead = np.delete(mean[r] - mean, r)
            odds = float(normal.sf((lead + s["eps"]) / spread).sum())
            bound = brentq(
                lambda e, lead=lead, spread=spread: normal.sf((lead + e) / spread).sum() - DELTA, -9.0, 99.0, xtol=1e-13
            )
            bound = max(0.0, bound)
        else:
            long = math.sqrt(2 * math.log(POINTS * (LOOKS - 1) / DELTA))
            w = {"usual": 1.96, "botorch": math.sqrt(0.2), "theorem": long}[s["width"]]
            r = lowest_argmax(mean - w * sd)
            upper = mean + w * sd
            upper[r] = -np.inf
            bound = max(0.0, upper.max() - (mean - w * sd)[r])
        found.append({"w": w, "r": r, "bound": bound, "loss": f.max() - f[r], "mean": mean, "sd": sd, "odds": odds})
        chosen = int(lowest_argmax(mean + s["played"] * sd))
        at, seen = [*at, chosen], [*seen, f[chosen] + s["noise"] * z[t]]
    return found


def differences(page: Any) -> list[str]:
    """What is another in the browser."""
    found = []
    for s, ours in zip(SETTINGS, page.evaluate(_RUNS, SETTINGS), strict=True):
        theirs = looks(s)
        for t, (a, b) in enumerate(zip(ours["all"], theirs, strict=True)):
            wrong = [name for name in b if not np.allclose(a[name], b[name], rtol=0, atol=100 * FIGURES_DRAW_ATOL)]
            found += [f"{s}, after {t}: {name}" for name in wrong]
        stop = next((t for t, b in enumerate(theirs) if b["bound"] <= s["eps"]), None)
        lost = None if stop is None else theirs[stop]["loss"]
        if ours["stop"] != stop or (lost is not None and abs(ours["lost"] - lost) > FIGURES_DRAW_ATOL):
            found.append(f"{s}: stops at {ours['stop']}, not {stop}")
    return found


def test_runs_and_stops_are_those_of_plain_linear_algebra(window: Any) -> None:
    found = differences(opened(window, "stop"))
    assert not found, "\n".join(found[:20])


WRONG = {
    "the recommended point may beat itself": ("if (i !== r && mean", "if (mean"),
    "the largest mean is recommended": ("F.argmax(lower)", "F.argmax(mean)"),
    "delta is left out": ("(N * LIMIT) / DELTA", "(N * LIMIT)"),
    "the two values are independent": ("sd[r] ** 2 - 2 * k[i]", "sd[r] ** 2"),
    "the posterior's promise is another": ("odds(bound) - DELTA > 1e-12", "odds(bound) - 0.2 > 1e-12"),
    "the largest lower end is recommended": ("F.argmax(mean), k = g", "F.argmax(mean.map((m, i) => m - sd[i])), k = g"),
    "another draw is the example": ("s.seed ? drawn", "s.seed < 0 ? drawn"),
    "it plays with the width that it watches": ("m + s.played * sd[i]", "m + now.w * sd[i]"),
    "it stops strictly below a tenth": ("each.bound <= s.eps", "each.bound <= 0.1"),
}


@pytest.mark.parametrize("fault", WRONG)
def test_a_figure_that_stops_otherwise_is_noticed(fault: str, window: Any) -> None:
    assert differences(opened(window, "stop", WRONG[fault]))
