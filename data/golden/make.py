"""Computes golden.json with 50 digits: ``python data/golden/make.py``, from the standard library and mpmath alone.

A case has inputs, the right answer, tolerances with their reason, and what each wrong convention would answer. Inputs are the
float64 numbers that the file's decimals stand for, taken exactly.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from mpmath import mp, mpf

DIGITS, PRINTED = 50, 17
#: A wrong answer is listed where it differs from the right one by so many tolerances.
APART = 300
Case = dict[str, Any]
Change = Callable[[Any], Any]


def same(v: Any) -> Any:
    """What it was."""
    return v


def square(v: mpf) -> mpf:
    """The variance of a standard deviation, or of what is one already."""
    return v**2


def bits(v: mpf) -> mpf:
    """Logarithm to base two."""
    return mp.log(v) / mp.log(2)


def floor(v: mpf) -> mpf:
    """A noise variance of at least 1e-6, from the standard deviation."""
    return max(v**2, mpf("1e-6"))


# --- the model ----------------------------------------------------------------------------------------------------------

TWICE_NU = {"se": 1, "matern12": 1, "matern32": 3, "matern52": 5}


def shape(kernel: str, r: mpf, root: bool = True, half: bool = True) -> mpf:
    """Correlation at distance r, in length-scales: squared exponential and Matern of nu = 1/2, 3/2, 5/2."""
    s = r * mp.sqrt(TWICE_NU[kernel] if root else 1)
    polynomial = {"matern32": 1 + s, "matern52": 1 + s + s**2 / 3}.get(kernel, mpf(1))
    return mp.exp(-(r**2) / (2 if half else 1)) if kernel == "se" else polynomial * mp.exp(-s)


def covariance(i: Case, a: list, b: list, scale: Change = same, amplitude: Change = same, **curve: bool) -> list:
    """k(x, x') for the rows x of a and x' of b; of one set with itself, the lower triangle."""
    given = i["lengthscale"] if isinstance(i["lengthscale"], list) else [i["lengthscale"]] * len((a or b or [[0]])[0])
    lengths, v = scale([mpf(length) for length in given]), amplitude(mpf(i["variance"]))

    def k(x: list[float], z: list[float]) -> mpf:
        squares = [((mpf(p) - mpf(q)) / length) ** 2 for p, q, length in zip(x, z, lengths, strict=True)]
        return v * shape(i["kernel"], mp.sqrt(mp.fsum(squares)), **curve)

    return [[k(x, z) for z in (b[: n + 1] if a is b else b)] for n, x in enumerate(a)]


def factor(matrix: list[list[mpf]], shift: mpf) -> list[list[mpf]]:
    """Lower Cholesky factor of matrix + shift I, a row a list."""
    rows: list[list[mpf]] = []
    for k, line in enumerate(matrix):
        row: list[mpf] = []
        for j in range(k):
            row.append((line[j] - mp.fdot(zip(row, rows[j][:j], strict=True))) / rows[j][j])
        rows.append([*row, mp.sqrt(line[k] + shift - mp.fdot((x, x) for x in row))])
    return rows


def solved(lower: list[list[mpf]], column: Sequence[mpf]) -> list[mpf]:
    """L^-1 times a column."""
    found: list[mpf] = []
    for row, value in zip(lower, column, strict=True):
        found.append((value - mp.fdot(zip(row[:-1], found, strict=True))) / row[-1])
    return found


def average(y: list[mpf]) -> mpf:
    """Mean of the data, zero without any."""
    return mp.fsum(y) / max(len(y), 1)


@cache
def learned(points: str, noise: Change, **kernel: Any) -> list[list[mpf]]:
    """The factor of K + lambda I at the points; the same serves several questions, and takes most of the time."""
    i = json.loads(points)
    return factor(covariance(i, i["X"], i["X"], **kernel), noise(mpf(i["noise_sd"])))


def points_of(i: Case) -> str:
    """The inputs on which :func:`learned` rests."""
    return json.dumps({name: i[name] for name in ("kernel", "lengthscale", "variance", "noise_sd", "X")})


def posterior(
    i: Case, noise: Change = square, prior: Change = lambda y: 0, observed=False, out: Change = same, **k: Any
) -> Case:
    """Mean, variance and covariance of f at the new points, given y = f(x) + noise."""
    X, new, y, sd = i["X"], i["X_new"], [mpf(v) for v in i["y"]], mpf(i["noise_sd"])
    m, lower = prior(y), learned(points_of(i), noise, **k)
    half = [solved(lower, column) for column in covariance(i, new, list(X), **k)] if X else [[] for _ in new]
    told, own, each = solved(lower, [v - m for v in y]), covariance(i, new, new, **k), range(len(new))
    both = [[own[max(a, b)][min(a, b)] - mp.fdot(zip(half[a], half[b], strict=True)) for b in each] for a in each]
    mean = [m + mp.fdot(zip(row, told, strict=True)) for row in half]
    return {"mean": mean, "variance": [out(both[a][a] + observed * sd**2) for a in each], "covariance": both}


def standardised(i: Case, ddof: int | None = None, restore=True, rescale=True, own_units=False) -> Case:
    """Posterior of a model of (y - mean) / sd in the units of y; the kernel's variance and the noise are standardised."""
    y = [mpf(v) for v in i["y"]]
    centre = average(y)
    sd = mp.sqrt(mp.fsum((v - centre) ** 2 for v in y) / (len(y) - (i["ddof"] if ddof is None else ddof)))
    noise = (lambda s: (s / sd) ** 2) if own_units else square
    found = posterior(i | {"y": [(v - centre) / sd for v in y]}, noise=noise)
    mean = [m * sd + centre if restore else m for m in found["mean"]]
    return {"mean": mean, "variance": [v * sd**2 if rescale else v for v in found["variance"]]}


def gain(i: Case, noise: Change = square, independent=False, log=mp.log, half=2) -> Case:
    """1/2 log det(I + K / sigma^2) in nats."""
    s = noise(mpf(i["noise_sd"]))
    if independent:
        return {"gain": len(i["X"]) * log(1 + mpf(i["variance"]) / s) / half}
    return {"gain": mp.fsum(log(row[-1] ** 2 / s) for row in learned(points_of(i), noise)) / half}


def log_marginal_likelihood(i: Case, sign=1, per=1, constant=1, whole=2, log_det=1, **change: Any) -> Case:
    """log N(y; 0, K + sigma^2 I) = -1/2 y'(K + sigma^2 I)^-1 y - 1/2 log det(K + sigma^2 I) - n/2 log(2 pi)."""
    lower = learned(points_of(i), **{"noise": square} | change)
    fit = mp.fsum(z**2 for z in solved(lower, [mpf(v) for v in i["y"]]))
    volume = log_det * 2 * mp.fsum(mp.log(row[-1]) for row in lower)
    n = len(i["y"])
    total = -(fit + volume + constant * n * mp.log(2 * mp.pi)) / whole
    return {"log_marginal_likelihood": sign * total / (n if per != 1 else 1)}


def rounded(v: mpf) -> mpf:
    """log of one plus something small, where the sum is kept in float64 first."""
    return mp.log(mpf(float(v)))


# --- widths, acquisition, stopping --------------------------------------------------------------------------------------


def width(i: Case, t_power=2, psi_power=2, d_times=1.0, g: Change = same, n=None, out: Change = same) -> Case:
    """What multiplies the posterior standard deviation, by its name in the book."""
    psi, delta, nats, t, candidates, batches, beta = (
        mpf(i.get(name, 1)) for name in ("norm", "delta", "gain", "round", "candidates", "batches", "beta")
    )
    n, d, g = mpf(n or candidates), delta * d_times, g(nats)
    found = {
        "union-bound": lambda: psi + mp.sqrt(2 * mp.log(n * batches / d)),
        "union-bound-subgaussian": lambda: psi + mp.sqrt(2 * mp.log(2 * n * batches / d)),
        "self-normalised": lambda: psi + mp.sqrt(2 * (g + mp.log(1 / d))),
        "mixture": lambda: mp.sqrt(psi**psi_power + 2 * (g + mp.log(1 / d))),
        "chowdhury-gopalan": lambda: psi + mp.sqrt(2 * (g + 1 + mp.log(1 / d))),
        "srinivas-finite": lambda: mp.sqrt(2 * mp.log(n * t**t_power * mp.pi**2 / (6 * d))),
        "srinivas-norm": lambda: mp.sqrt(2 * psi**psi_power + 300 * g * mp.log(t / d) ** 3),
        "fixed-beta": lambda: mp.sqrt(beta),
    }
    return {"width": out(found[i["name"]]())}


def scored(i: Case, sd: Change = same, sign=1, margin=0) -> tuple[mpf, mpf, mpf]:
    """mean - best, sd and their ratio; where the sd is zero, infinite or zero."""
    lead, s = sign * (mpf(i["mean"]) - mpf(i["best"]) - mpf(margin) / 100), sd(mpf(i["sd"]))
    return lead, s, lead / s if s else lead * mp.inf if lead else mpf(0)


def ei(i: Case, clipped=False, zero=False, **change: Any) -> Case:
    """E(g - best)^+ for g ~ N(mean, sd^2); at sd 0 the improvement itself."""
    lead, s, z = scored(i, **change)
    if not s:
        return {"ei": mpf(0) if zero else max(lead, mpf(0))}
    return {"ei": (max(lead, mpf(0)) if clipped else lead) * mp.ncdf(z) + s * mp.npdf(z)}


def log_ei(i: Case, log=mp.log, tail=False, **change: Any) -> Case:
    """Logarithm of the expected improvement."""
    _, s, z = scored(i, **change)
    return {"log_ei": log(s * mp.npdf(z) if tail else ei(i, **change)["ei"])}


def pi(i: Case, **change: Any) -> Case:
    """P(g > best)."""
    return {"pi": mp.ncdf(scored(i, **change)[2])}


def ucb(i: Case, w: Change = same, sd: Change = same, sign=1) -> Case:
    """mean + width times sd."""
    return {"ucb": mpf(i["mean"]) + sign * w(mpf(i["width"])) * sd(mpf(i["sd"]))}


def stop(i: Case, w: Change = same, sd: Change = same, strict=False, lower="largest") -> Case:
    """Whether the largest upper bound exceeds the largest lower one by at most eps."""
    mean, half = [mpf(m) for m in i["mean"]], [w(mpf(i["width"])) * sd(mpf(s)) for s in i["sd"]]
    lows, highs = [m - h for m, h in zip(mean, half, strict=True)], [m + h for m, h in zip(mean, half, strict=True)]
    at = mean.index(max(mean))
    bottom = {"largest": max(lows), "smallest": min(lows), "mean": mean[at], "own": lows[at]}[lower]
    gap = (highs[at] if lower == "own" else max(highs)) - bottom
    return {"stop": bool(gap < i["eps"] if strict else gap <= i["eps"]), "gap": gap}


# --- conventions --------------------------------------------------------------------------------------------------------

NOISE = {
    "noise-sd-for-variance": ("the noise's sd is used as its variance", {"noise": same}),
    "noise-squared-twice": ("the noise's variance is squared again", {"noise": lambda s: s**4}),
    "noise-floor": ("a noise variance below 1e-6 is raised to it", {"noise": floor}),
}
BETA = {
    "beta-for-width": ("the width is squared: beta is used in its place", {"w": square}),
    "root-of-width": ("the width is taken for beta: one root too many", {"w": mp.sqrt}),
    "variance-for-sd": ("the variance is taken for the sd", {"sd": square}),
}
DOWN = {"for-minimisation": ("small values are the better ones", {"sign": -1})}
FURTHER = {
    "variance-for-sd": ("the variance is taken for the sd", {"sd": square}),
    "root-of-sd": ("the root of the sd is taken: it was no variance", {"sd": mp.sqrt}),
    "margin-added": ("only what exceeds best + 0.01 counts", {"margin": 1}),
}
#: Of each kind the right answer, and of wrong conventions the name, the meaning, and what they change.
KINDS: dict[str, tuple[Callable[..., Case], dict[str, tuple[str, Case]]]] = {
    "posterior": (posterior, NOISE | {
        "noise-in-variance": ("the variance is an observation's, not f's", {"observed": True}),
        "sd-for-variance": ("the sd is returned as the variance", {"out": mp.sqrt}),
        "amplitude-for-variance": ("the kernel's variance is squared, as if an amplitude", {"amplitude": square}),
        "lengthscale-without-half": ("exp(-d^2/l^2): no factor two below d^2", {"half": False}),
        "lengthscale-unsquared": ("exp(-d^2/2l): not squared", {"scale": lambda all_: [mp.sqrt(v) for v in all_]}),
        "lengthscale-as-rate": ("distances are multiplied by it", {"scale": lambda all_: [1 / v for v in all_]}),
        "ard-reversed": ("length-scales go to the coordinates in reverse", {"scale": lambda all_: all_[::-1]}),
        "ard-first-only": ("the first length-scale serves all", {"scale": lambda all_: all_[:1] * len(all_)}),
        "matern-without-root": ("Matern without sqrt(2 nu) at the distance", {"root": False}),
        "prior-mean-of-data": ("the prior mean is the data's, not zero", {"prior": average}),
    }),
    "standardised": (standardised, {
        "ddof-0": ("values are divided by the sd that has n", {"ddof": 0}),
        "ddof-1": ("values are divided by the sd that has n - 1", {"ddof": 1}),
        "mean-not-restored": ("the mean stays standardised", {"restore": False}),
        "variance-not-rescaled": ("the variance stays standardised", {"rescale": False}),
        "noise-in-units-of-y": ("the noise is taken in the units of y", {"own_units": True}),
    }),
    "gain": (gain, NOISE | {
        "gain-in-bits": ("logarithm to base two", {"log": bits}),
        "gain-without-half": ("no factor one half", {"half": 1}),
        "gain-of-independent": ("the gains of single points are added up", {"independent": True}),
        "one-added-first": ("log(1 + x) for small x: use log1p", {"log": rounded}),
    }),
    "log_marginal_likelihood": (log_marginal_likelihood, {name: NOISE[name] for name in list(NOISE)[:2]} | {
        "sign-turned": ("the negative: a loss to make small", {"sign": -1}),
        "per-point": ("divided by the number of points, as GPyTorch's objective", {"per": 0}),
        "constant-left-out": ("without n/2 log(2 pi)", {"constant": 0}),
        "without-half": ("twice the log density: no factor one half", {"whole": 1}),
        "log-det-twice": ("log det in place of half of it", {"log_det": 2}),
        "amplitude-for-variance": ("the kernel's variance is squared, as if an amplitude", {"amplitude": square}),
        "lengthscale-without-half": ("exp(-d^2/l^2): no factor two below d^2", {"half": False}),
    }),
    "width": (width, {
        "beta-for-width": ("beta, the square, is given for the width", {"out": square}),
        "root-of-width": ("the root is taken twice", {"out": mp.sqrt}),
        "delta-halved": ("delta / 2, as for two sides, which the bound has already", {"d_times": 0.5}),
        "delta-doubled": ("2 delta, as for one side", {"d_times": 2}),
        "gain-in-bits": ("the gain is taken in bits", {"g": lambda g: g / mp.log(2)}),
        "gain-without-half": ("log det in place of half of it", {"g": lambda g: 2 * g}),
        "norm-unsquared": ("the norm is not squared", {"psi_power": 1}),
        "round-unsquared": ("t in place of its square", {"t_power": 1}),
        "dimension-for-candidates": ("the dimension, here 2, for the number of candidates", {"n": 2}),
    }),
    "ei": (ei, DOWN | FURTHER | {
        "zero-at-zero-sd": ("nothing at sd 0, though the mean is better", {"zero": True}),
        "improvement-clipped": ("max(mean - best, 0) in the first term", {"clipped": True}),
    }),
    "log_ei": (log_ei, DOWN | FURTHER | {
        "log-base-10": ("logarithm to base ten", {"log": mp.log10}),
        "tail-without-square": ("sd phi(z), without the 1/z^2 of the tail", {"tail": True}),
    }),
    "pi": (pi, DOWN | FURTHER),
    "ucb": (ucb, DOWN | BETA),
    "stop": (stop, BETA | {
        "strictly-below": ("stops below eps only, not at it", {"strict": True}),
        "gap-at-best-mean": ("both bounds of the best mean alone", {"lower": "own"}),
        "least-lower-bound": ("the smallest lower bound for the largest", {"lower": "smallest"}),
        "best-mean-for-lower": ("the best mean for the largest lower bound", {"lower": "mean"}),
    }),
}  # fmt: skip


# --- cases --------------------------------------------------------------------------------------------------------------

CLOSED = "a formula of a few numbers: a dozen roundings of float64, 1e-15 each, and what sums of opposite signs lose"
SOLVED = "float64 is right to 1e-11, and a jitter of 1e-8 on the diagonal moves the answer by less than this"
SCALED = f"{SOLVED}, times the spread of the values"
SINGULAR = "rounding times a condition number of 4e9; no jitter fits below, as 1e-8 is the variance of the noise itself"
TAIL = "terms that cancel to 1/z^2 of their size, and z itself rounded"
TINY = "a formula of a few numbers, of gains of 1e-12 each: log(1 + x) loses four digits there, log1p none"
FLOOR = "libraries keep the sd above about 1e-6"


def spread(count: int, dim: int) -> list[list[float]]:
    """Evenly spread points of the unit cube, four decimals."""
    steps = (0.6180339887, 0.7548776662, 0.5698402910)[:dim]
    return [[round((k + 1) * step % 1.0, 4) for step in steps] for k in range(count)]


def data(X: list[list[float]], new: list[list[float]], noise: float = 0.0, decimals: int = 3) -> Case:
    """Inputs with a smooth function of the points, and something like noise, as values."""
    smooth = [math.sin(5 * x[0]) + 0.5 * math.cos(4 * sum(x)) for x in X]
    y = [round(f + noise * math.sin(37.0 * k * k + 1.0), decimals) for k, f in enumerate(smooth)]
    return {"X": X, "y": y, "X_new": new}


def model(kernel: str, lengthscale: float | list[float], variance: float, noise_sd: float) -> Case:
    """Inputs that a posterior and a gain have in common."""
    return {"kernel": kernel, "lengthscale": lengthscale, "variance": variance, "noise_sd": noise_sd}


HERE, NEW, NEW_PLANE = [[0.25]], [[0.15], [0.6], [1.7]], [[0.25, 0.5], [0.5, 0.2], [0.9, 0.1]]
NEW_CUBE, NEAR = [[0.5, 0.5, 0.5], [0.1, 0.9, 0.3]], [[0.333], [0.77], [1.05]]
LINE = {"X": [[0.0], [0.3], [1.0]], "y": [0.5, -1.0, 2.0], "X_new": NEW}
PLANE = {"X": [[0.0, 0.0], [0.5, 0.2], [1.0, 0.8]], "y": [0.5, -1.0, 2.0], "X_new": NEW_PLANE}
CLUSTER = [[round(k / 40, 4)] for k in range(41)] + [[round(k / 40 + 1e-6, 6)] for k in range(19)]
TRIPLES = [x for x in spread(50, 2) for _ in range(3)]
POSTERIORS: dict[str, Case] = {
    "nothing-seen": model("se", 0.5, 2.0, 0.1) | {"X": [], "y": [], "X_new": NEW},
    "one-point-itself": model("se", 0.7, 1.0, 0.5) | {"X": HERE, "y": [3.0], "X_new": HERE},
    "one-point-thrice": model("matern52", 0.2, 1.0, 0.5) | {"X": HERE * 3, "y": [1.0, 2.0, 4.5], "X_new": HERE},
    "three-points-se": model("se", 0.4, 1.5, 0.1) | LINE,
    "three-points-matern12": model("matern12", 0.4, 1.5, 0.1) | LINE,
    "three-points-matern32": model("matern32", 0.4, 1.5, 0.1) | LINE,
    "three-points-matern52": model("matern52", 0.4, 1.5, 0.1) | LINE,
    "three-points-ard": model("se", [0.3, 0.9], 2.0, 0.2) | PLANE,
    "three-points-ard-matern52": model("matern52", [0.9, 0.3], 0.5, 0.3) | PLANE,
    "fifty-on-a-line": model("se", 0.2, 1.0, 0.1) | data(spread(50, 1), NEW, 0.1),
    "hundred-in-a-square": model("matern52", [0.3, 0.6], 2.0, 0.05) | data(spread(100, 2), NEW_PLANE, 0.05),
    "fifty-thrice": model("matern32", 0.4, 1.0, 0.3) | data(TRIPLES, NEW_PLANE, 0.3),
    "two-hundred-in-a-cube": model("se", [0.3, 0.5, 0.8], 1.0, 0.2) | data(spread(200, 3), NEW_CUBE, 0.2),
    "nearly-singular": model("se", 0.3, 1.0, 1e-4) | data(CLUSTER, NEAR, decimals=6),
}
#: Answers that are fractions.
EXACT = {
    "posterior/nothing-seen": {"mean": ["0", "0", "0"], "variance": ["2", "2", "2"]},
    "posterior/one-point-itself": {"mean": ["12/5"], "variance": ["1/5"]},
    "posterior/one-point-thrice": {"mean": ["30/13"], "variance": ["1/13"]},
    "ei/no-sd-ahead": {"ei": ["1/4"]},
    "ucb/ahead": {"ucb": ["7/4"]},
    "stop/exactly-eps": {"gap": ["1/2"]},
}
#: Of large cases these wrong conventions are computed, and of the largest the first three.
FEW = (
    "noise-sd-for-variance",
    "noise-in-variance",
    "sd-for-variance",
    "lengthscale-without-half",
    "matern-without-root",
)
WIDTHS: dict[str, Case] = {
    "union-bound": {"norm": 1.0, "candidates": 400, "batches": 4, "delta": 0.1},
    "union-bound, one point": {"norm": 2.0, "candidates": 1, "batches": 1, "delta": 0.05},
    "union-bound-subgaussian": {"norm": 2.0, "candidates": 1000000, "batches": 10, "delta": 0.01},
    "self-normalised": {"norm": 1.5, "gain": 20.0, "delta": 0.1},
    "self-normalised, nothing seen": {"norm": 1.5, "gain": 0.0, "delta": 0.25},
    "mixture": {"norm": 1.5, "gain": 20.0, "delta": 0.1},
    "mixture, large norm": {"norm": 3.0, "gain": 0.5, "delta": 0.01},
    "chowdhury-gopalan": {"norm": 1.5, "gain": 20.0, "delta": 0.1},
    "srinivas-finite, first round": {"candidates": 100, "round": 1, "delta": 0.1},
    "srinivas-finite": {"candidates": 900, "round": 50, "delta": 0.05},
    "srinivas-norm": {"norm": 1.5, "gain": 20.0, "round": 50, "delta": 0.1},
    "fixed-beta": {"beta": 2.0},
}
IMPROVEMENTS = {
    "ahead": (1.0, 0.5, 0.7), "level": (0.7, 0.5, 0.7), "behind": (0.2, 0.5, 0.7), "small-sd": (0.701, 0.001, 0.7),
    "far-behind": (-4.3, 0.5, 0.7), "z-40": (-19.3, 0.5, 0.7), "z-1000": (-500.0, 0.5, 0.0), "z-100000": (-50000.0, 0.5, 0.0),
    "no-sd-ahead": (1.0, 0.0, 0.75), "no-sd-level": (0.75, 0.0, 0.75), "no-sd-behind": (0.5, 0.0, 0.75),
}  # fmt: skip
SIXTY = {
    "mean": [round(math.sin(0.1 * k), 4) for k in range(60)],
    "sd": [round(0.02 + 0.001 * (k % 7), 4) for k in range(60)],
}
STOPS: dict[str, Case] = {
    "exactly-eps": {"mean": [1.0, 0.5], "sd": [0.125, 0.25], "width": 2.0, "eps": 0.5},
    "a-wide-rival": {"mean": [1.0, 0.9, 0.1], "sd": [0.02, 0.3, 0.1], "width": 3.0, "eps": 0.2},
    "a-clear-winner": {"mean": [1.0, 0.2, 0.1], "sd": [0.04, 0.1, 0.1], "width": 2.0, "eps": 0.2},
    "sixty-not-yet": SIXTY | {"width": 4.0, "eps": 0.15},
    "sixty-enough": SIXTY | {"width": 1.5, "eps": 0.15},
}


def improvements() -> Iterator[tuple[str, str, Case, Case, str]]:
    """Cases of expected improvement, its logarithm where it is not 0, and probability of improvement."""
    for name, (mean, sd, best) in IMPROVEMENTS.items():
        given, far = {"mean": mean, "sd": sd, "best": best}, mean < best - 5 * sd
        allowed, why = ([0.0, 1e-6], FLOOR) if not sd else ([1e-8, 0.0], TAIL) if far else ([1e-11, 0.0], CLOSED)
        if name[0] != "z":  # these underflow
            yield "ei", name, given, {"ei": allowed}, why
        if sd:
            yield "log_ei", name, given, {"log_ei": [1e-9, 0.0]}, TAIL
        if sd or mean != best:  # at equality without any sd it is a matter of taste
            yield from [("pi", name, given, {"pi": allowed}, why)][: not (sd and far)]


def cases() -> Iterator[tuple[str, str, Case, Case, str]]:
    """Kind, name, inputs, tolerances (relative and absolute, by name of the answer), and their reason."""
    for name, given in POSTERIORS.items():
        mean, variance, why = (1e-8, 3e-11, SINGULAR) if name == "nearly-singular" else (1e-7, 1e-7, SOLVED)
        allowed = {"mean": [0.0, mean], "variance": [0.0, variance], "covariance": [0.0, variance]}
        yield "posterior", name, given, allowed, why
    for ddof in (0, 1):
        more = {"X": [*LINE["X"], [0.7]], "y": [10.0, 14.0, 19.0, 11.0], "X_new": NEW, "ddof": ddof}
        allowed = {"mean": [0.0, 1e-6], "variance": [0.0, 1e-6]}
        yield "standardised", f"ddof-{ddof}", model("se", 0.4, 1.0, 0.3) | more, allowed, SCALED
    for name, given in POSTERIORS.items():
        if name not in ("one-point-itself", "three-points-matern12", "two-hundred-in-a-cube"):
            slack, why = (
                (1e-5, SINGULAR) if name == "nearly-singular" else (1e-4 if len(given["X"]) > 3 else 1e-7, SOLVED)
            )
            yield "gain", name, {k: v for k, v in given.items() if k not in ("y", "X_new")}, {"gain": [0.0, slack]}, why
        if given["X"] and name not in ("nearly-singular", "two-hundred-in-a-cube"):
            slack = 1e-4 if len(given["X"]) > 3 else 1e-6
            inputs = {k: v for k, v in given.items() if k != "X_new"}
            yield "log_marginal_likelihood", name, inputs, {"log_marginal_likelihood": [0.0, slack]}, SOLVED
    for name, X in (("tiny", HERE), ("tiny-three-points", LINE["X"])):
        yield "gain", name, model("se", 0.4, 1.0, 1e6) | {"X": X}, {"gain": [1e-9, 0.0]}, TINY
    for name, given in WIDTHS.items():
        yield (
            "width",
            name.replace(", ", "-").replace(" ", "-"),
            {"name": name.split(",")[0]} | given,
            {"width": [1e-12, 0.0]},
            CLOSED,
        )
    yield from improvements()
    for name, mean, sd, w in (("ahead", 1.0, 0.5, 1.5), ("negative", -3.0, 0.2, 4.0)):
        yield "ucb", name, {"mean": mean, "sd": sd, "width": w}, {"ucb": [1e-12, 0.0]}, CLOSED
    for name, given in STOPS.items():
        yield "stop", name, given, {"stop": [0.0, 0.0], "gap": [0.0, 1e-12]}, CLOSED


# --- the file -----------------------------------------------------------------------------------------------------------


def flat(value: Any) -> list[mpf]:
    """The numbers of a nested list in their order."""
    return [x for v in value for x in flat(v)] if isinstance(value, list) else [mpf(value)]


def apart(wrong: Case, right: Case, allowed: Case) -> bool:
    """Whether a wrong answer is seen to be wrong."""
    return any(
        abs(a - b) > APART * (allowed[name][0] * abs(b) + allowed[name][1])
        for name in wrong
        for a, b in zip(flat(wrong[name]), flat(right[name]), strict=True)
    )


def asked(kind: str, convention: str, i: Case) -> bool:
    """Whether a wrong convention is computed: float64 cannot answer some, and large cases take long."""
    size, small = len(i.get("X", [])), i.get("noise_sd", 1.0) < 1e-3
    if convention == ("noise-squared-twice" if small else "noise-floor"):
        return False
    if convention == "one-added-first":  # of one point: of several it depends on the order
        return size == 1 and i["noise_sd"] > 1e3
    return (
        size < 50 or kind != "posterior" or convention == "noise-floor" or convention in FEW[: 5 if size < 200 else 3]
    )


def printed(value: Any) -> Any:
    """Numbers as text between marks, with 17 significant digits; the marks go with the quotes."""
    if isinstance(value, dict):
        return {name: printed(v) for name, v in value.items()}
    if isinstance(value, list):
        return [printed(v) for v in value]
    return value if isinstance(value, bool) else f"#{mp.nstr(mpf(value), PRINTED)}#"


def entry(kind: str, name: str, given: Case, allowed: Case, why: str) -> Case:
    """One case as the file has it."""
    answer, conventions = KINDS[kind]
    right = answer(given)
    found = {c: answer(given, **change) for c, (_, change) in conventions.items() if asked(kind, c, given)}
    wrong = {c: {k: v for k, v in w.items() if k != "covariance"} for c, w in found.items()}
    case = {"id": f"{kind}/{name}", "kind": kind, "inputs": given, "expected": printed(right)}
    case |= {"exact": EXACT[case["id"]]} if case["id"] in EXACT else {}
    return case | {
        "tolerance": allowed,
        "why": why,
        "wrong": {c: printed(w) for c, w in wrong.items() if apart(w, right, allowed)},
    }


def text() -> str:
    """The file: a line for each part of a case."""
    with mp.workdps(DIGITS):
        made = [entry(*case) for case in cases()]
    head = {
        "format": 1,
        "licence": "BSD-3-Clause",
        "digits": {"computed": DIGITS, "printed": PRINTED},
        "conventions": {kind: {name: told for name, (told, _) in wrong.items()} for kind, (_, wrong) in KINDS.items()},
    }
    start = json.dumps(head, indent=1)[:-2] + ',\n "cases": [\n'
    parts = [",\n".join(f"   {json.dumps(k)}: {json.dumps(v)}" for k, v in case.items()) for case in made]
    return re.sub(r'"#([^"#]*)#"', r"\1", start + ",\n".join(f"  {{\n{part}\n  }}" for part in parts) + "\n ]\n}\n")


if __name__ == "__main__":
    Path(__file__).with_name("golden.json").write_text(text(), encoding="utf-8")
