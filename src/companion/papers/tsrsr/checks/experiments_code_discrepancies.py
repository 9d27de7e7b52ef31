"""Leads on settings: what the text and Tables 5 to 7 say, what the published code does, and what follows by computation.

Remarks here on the published code come from reading its source (repository rafflesintown/TSRSR, commit a5cc6f7).
"""

from __future__ import annotations

import csv
import math
import re
import warnings
from collections.abc import Callable, Mapping

import numpy as np
from scipy import integrate

from companion.checks.suspected_error import Finding, suspected_error
from companion.core.arrays import Floats
from companion.core.files import reported_folder
from companion.core.randomness import stream
from companion.gp import DataPosterior, Kernel, Matern, SquaredExponential
from companion.judge.intervals import slope_interval
from companion.papers.tsrsr.checks.experiments_tables_discrepancies import OURS, column, printed_rows
from companion.papers.tsrsr.method.round import DenseRound, WatchedRound
from companion.papers.tsrsr.method.rules import DPPTS

Box = tuple[tuple[float, float], ...]

#: Random points before the first batch, in the text and in the code.
INITIAL = 15

#: Of Tables 5 to 7 wherever they say ln(2).
LENGTHSCALE = math.log(2.0)

#: Section 6.3: hidden nodes, learning rate, weight decay, momentum.
BOSTON_TEXT: Box = ((1, 100), (0.001, 0.1), (0, 0.5), (0, 0.5))
#: Published code: nodes are int(10 x) for a variable x in [1, 10].
BOSTON_CODE: Box = ((10, 100), (0.001, 0.1), (0.1, 0.9), (0, 0.5))
BOSTON_SCALES = (0.1, 0.005, 0.1, 0.1)
ANGLE_CODE = (0.0, math.pi)
#: Published robot simulator: target speed, and sd of the normal noise on each component of the target velocity.
PUSH_SPEED, PUSH_NOISE = 5.0, 0.1

#: Runs in the published plotting scripts where they differ from the text.
CODE_RUNS = {
    ("GP-RBF-prior-3D", "TS"): 150,
    ("GP-RBF-prior-3D", OURS): 150,
    ("Ackley-2D", "DPPTS"): 30,
    ("Ackley-2D", "BUCB"): 30,
    ("Ackley-2D", OURS): 30,
    ("Hartmann-6D", "qEI"): 20,
    ("Hartmann-6D", OURS): 20,
    ("Michalewicz-10D", "SP"): 20,
    ("Michalewicz-10D", "qEI"): 20,
    ("Michalewicz-10D", OURS): 20,
    ("Boston-NN-4D", "BUCB"): 20,
    ("Boston-NN-4D", OURS): 20,
    ("Robot-4D", "BUCB"): 20,
    ("Robot-4D", OURS): 20,
}
CODE_LENGTHSCALES = {"Hartmann-6D": (0.2,), "Robot-3D": (1.0, 1.0, 0.1)}


def settings() -> dict[tuple[str, str], str]:
    """Tables 5 to 7: value by (problem, setting)."""
    with (reported_folder("tsrsr") / "settings.csv").open(newline="", encoding="utf-8") as file:
        return {(row["problem"], row["setting"]): row["value"] for row in csv.DictReader(file)}


def parse_box(text: str) -> Box:
    """``[1,30]x[0,2pi]`` or ``[0,1]^6`` as pairs of ends."""
    sides: list[tuple[float, float]] = []
    for inside, power in re.findall(r"\[([^\]]+)\](?:\^(\d+))?", text):
        low, high = (_number(part) for part in inside.split(","))
        sides += [(low, high)] * int(power or 1)
    return tuple(sides)


def _number(text: str) -> float:
    factor = text.strip().partition("pi")[0]
    if text.strip() == factor:
        return float(factor)
    return math.pi * (float(factor + "1") if factor in ("", "-") else float(factor))


@suspected_error("X3", teeth={"the learning rate alone": {"axes": slice(1, 2)}})
def boston_boxes(*, axes: slice = slice(None)) -> Finding:
    """weight decay and momentum from 0 to 0.5 in the text, from 0.1 to 0.5 in Table 7, whose domain row has no label

    The box of the text, of Table 7 and of the code; the share of the text's box that the others search.
    """
    table = parse_box(settings()["Boston-NN-4D", "domain"])
    boxes = {"the text": BOSTON_TEXT, "Table 7": table, "the published code": BOSTON_CODE}
    shares = {}
    for name, box in boxes.items():
        inside = [
            max(min(high, top) - max(low, bottom), 0.0) / (top - bottom)
            for (low, high), (bottom, top) in zip(box, BOSTON_TEXT, strict=True)
        ]
        shares[name] = math.prod(inside)
    words = "; ".join(f"{name}: {_words(box)}" for name, box in boxes.items())
    return Finding(
        len({box[axes] for box in boxes.values()}) > 1, shares, different=len(set(boxes.values())), boxes=words
    )


def _words(box: Box) -> str:
    return " x ".join(f"[{low:g}, {high:g}]" for low, high in box)


def griewank(points: Floats, divisor: Floats) -> Floats:
    r"""Griewank's function :math:`\|x\|^2/4000-\prod_i\cos(x_i/d_i)+1` at (..., 8) points; its minimum is 0 at 0."""
    return np.asarray((points**2).sum(axis=-1) / 4000.0 - np.cos(points / divisor).prod(axis=-1) + 1.0)


@suspected_error("X7", teeth={"the root in both": {"divisor": np.sqrt}})
def random_search_on_griewank(*, divisor: Callable[[Floats], Floats] = np.asarray) -> Finding:
    """Griewank in eight dimensions is a well-known function with many local optima

    Regret of 315 uniform points on both variants, 400 times, against the printed means.
    """
    repeats, cells = 400, column("Griewank-8D")
    points = stream(0, "tsrsr", "discrepancies", "griewank").uniform(-1.0, 4.0, size=(repeats, INITIAL + 300, 8))
    numbers = np.arange(1.0, 9.0)
    best = {
        "root": griewank(points, np.sqrt(numbers)).min(axis=1),
        "plain": griewank(points, divisor(numbers)).min(axis=1),
    }
    mean = {name: float(values.mean()) for name, values in best.items()}
    sd = {name: float(values.std(ddof=1)) for name, values in best.items()}
    near = [n for n, cell in cells.items() if abs(cell.mean * cell.unit - mean["plain"]) < sd["plain"]]
    apart = abs(mean["root"] - mean["plain"]) > 5.0 * math.hypot(*(s / math.sqrt(repeats) for s in sd.values()))
    return Finding(
        apart and len(near) > 1,
        {"mean": mean, "sd": sd, "near": near, "repeats": repeats},
        near_count=len(near),
        cells=len(cells),
        near_by_regret=", ".join(f"{name} {cells[name].mean * cells[name].unit:.3f}" for name in near),
    )


@suspected_error("X8", teeth={"5/2 stated": {"stated": 2.5}})
def smoothness(*, stated: float = 1.5) -> Finding:
    r"""a Matérn kernel with $\nu=1.5$; length-scale ln(2)

    Defaults of the library whose kernel the code uses, beside Appendix C, and what the smoothness changes.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # raised by what the library imports, not by its defaults
        import gpytorch

    default = gpytorch.kernels.ScaleKernel(gpytorch.kernels.MaternKernel())
    nu, scale = float(default.base_kernel.nu), default.base_kernel.lengthscale.item()
    outputscale = default.outputscale.item()
    at = {
        value: float(Matern(value, LENGTHSCALE)(np.zeros((1, 1)), np.full((1, 1), 0.1))[0, 0]) for value in (stated, nu)
    }
    loss = {value: 1.0 - correlation for value, correlation in at.items()}
    return Finding(
        nu != stated,
        {"nu": nu, "lengthscale": scale, "outputscale": outputscale, "stated": stated},
        log_2=LENGTHSCALE,
        loss_stated=loss[stated],
        loss_default=loss[nu],
    )


@suspected_error("X9", teeth={"in two and six dimensions": {"problems": ("Ackley-2D", "Hartmann-6D")}})
def surrogates(
    *, problems: tuple[str, ...] = ("Ackley-2D", "Hartmann-6D", "Griewank-8D", "Michalewicz-10D")
) -> Finding:
    """length-scale ln(2), in units of the inputs, in eight and ten dimensions

    What the stated model knows of a uniform point after all evaluations, here at uniform points.
    """
    boxes = {name: parse_box(value) for (name, setting), value in settings().items() if setting == "domain"}
    counts = {row.problem: INITIAL + row.batch * row.rounds for row in printed_rows()}
    values = {}
    for problem in problems:
        nearest, variance = _knowledge(Matern(1.5, LENGTHSCALE), boxes[problem], counts[problem])
        values[problem] = {"evaluations": counts[problem], "correlation": nearest, "variance": variance}
    blind = [problem for problem, entry in values.items() if entry["variance"] > 0.9]
    words = "; ".join(
        f"{problem} ({entry['evaluations']} points): {entry['correlation']:.2f} and {entry['variance']:.3f}"
        for problem, entry in values.items()
    )
    return Finding(len(blind) > 0, values, words=words, blind=" and ".join(blind))


def _knowledge(kernel: Kernel, box: Box, count: int) -> tuple[float, float]:
    low, high = (np.array(ends) for ends in zip(*box, strict=True))
    generator = stream(0, "tsrsr", "discrepancies", "surrogate", len(box), count)
    data, tests = generator.uniform(low, high, (count, len(box))), generator.uniform(low, high, (2000, len(box)))
    variance = DataPosterior(kernel, data, np.zeros(count), 1e-6).mean_and_variance(tests)[1]
    return float(kernel(tests, data).max(axis=1).mean()), float(variance.mean())


@suspected_error("X10", teeth={"the axis of the code": {"step": 0.1}})
def boston_model(*, step: float = 1.0) -> Finding:
    """length-scale 0.1 on an axis of 1 to 100 nodes; initial weights set to be the same

    What a length-scale of 0.1 means on the axis of hidden nodes, and how much the model learns of the box.
    """
    kernel, count = (
        Matern(1.5, BOSTON_SCALES),
        INITIAL + column("Boston-NN-4D")[OURS].batch * column("Boston-NN-4D")[OURS].rounds,
    )
    origin = np.zeros((1, 4))
    steps = {"text": step, "code": 0.1}
    adjacent = {name: float(kernel(origin, np.array([[apart, 0.0, 0.0, 0.0]]))[0, 0]) for name, apart in steps.items()}
    nearest, variance = _knowledge(kernel, BOSTON_TEXT, count)
    return Finding(
        adjacent["text"] < 1e-3,
        {"adjacent": adjacent, "correlation": nearest, "variance": variance, "evaluations": count},
        scales=BOSTON_SCALES,
    )


@suspected_error("X11", teeth={"all angles": {"angles": (0.0, 2.0 * math.pi)}})
def robots(*, angles: tuple[float, float] = ANGLE_CODE) -> Finding:
    r"""angles in $[0,2\pi]$; a noise standard deviation of 0.001

    Ranges of the angle, and the size of the simulator's noise at the mean distance of a goal.
    """
    stated = parse_box(settings()["Robot-4D", "domain"])[3]
    covered = (angles[1] - angles[0]) / (stated[1] - stated[0])
    distance = float(integrate.dblquad(lambda y, x: math.hypot(x, y) / 100.0, -5.0, 5.0, -5.0, 5.0)[0])
    deflection = math.atan(PUSH_NOISE / PUSH_SPEED)
    sideways = distance * math.sin(deflection)
    ours = column("Robot-3D")[OURS]
    regret = ours.mean * ours.unit
    return Finding(
        covered != 1.0 and sideways > 0.25 * regret,
        {"covered": covered, "distance": distance, "sideways": sideways, "regret": regret},
        stated=stated,
        angle_code=ANGLE_CODE,
        push_noise=PUSH_NOISE,
        push_speed=PUSH_SPEED,
        degrees=math.degrees(deflection),
    )


@suspected_error("X13", teeth={"as in the text": {"published": {}}})
def code_repeats(*, published: Mapping[tuple[str, str], int] = CODE_RUNS) -> Finding:
    """10 runs for every method, and the length-scales of Tables 6 and 7

    Cells whose number of runs or length-scale differs between the text and the published scripts.
    """
    cells = {(row.problem, row.method): row.runs for row in printed_rows()}
    more = {key: (cells[key], runs) for key, runs in published.items() if runs != cells[key]}
    ours = sum(method == OURS for _, method in more)
    others = [column(problem)[method].rank for problem, method in more if method != OURS] or [0]
    table = settings()
    scales = [name for name, value in CODE_LENGTHSCALES.items() if table[name, "lengthscale"] == "ln(2)"]
    widest = max((b / a for a, b in more.values()), default=1.0)
    return Finding(
        bool(more),
        {
            "cells": {f"{p}, {m}": list(runs) for (p, m), runs in more.items()},
            "ours": ours,
            "ranks": others,
            "lengthscales": scales,
        },
        averaged=len(more),
        all_cells=len(cells),
        widest=widest,
        least_rank=min(others),
        largest_rank=max(others),
        scales=" and ".join(scales),
        code_scales=" and ".join(", ".join(map(str, CODE_LENGTHSCALES[name])) for name in scales),
    )


@suspected_error("X14", teeth={"2^m requests": {"requests": lambda current, size: 2.0**size}})
def dppts_cost(*, requests: Callable[..., float] = lambda current, size: current.drawn + current.rows) -> Finding:
    """other batch algorithms such as DPPTS have a complexity that is exponential in $m$

    Draws and covariance rows that DPPTS with two Markov steps asks for, and the cost of its determinants.
    """
    points = np.linspace(0.0, 1.0, 40)[:, None]
    covariance = np.asarray(Matern(1.5, 0.2)(points))
    batches, asked = (5, 10, 20, 40, 80), []
    for size in batches:
        current = WatchedRound(DenseRound(0, np.zeros(40), covariance, 1.0))
        DPPTS(steps=2).choose(current, size, stream(0, "tsrsr", "discrepancies", "dppts", size))
        asked.append(requests(current, size))
    growth = slope_interval(np.log(batches), np.log(asked)).estimate
    doubling = asked[-1] / asked[-2]
    return Finding(doubling < 4.0, {"asked": asked, "exponent": growth}, batches=batches, doubling=doubling)


@suspected_error("U9", teeth={"Matérn 1/2": {"roughest": "Matérn 1/2"}})
def differentiable_paths(*, roughest: str = "Matérn 3/2") -> Finding:
    r"""paths are differentiable for Matérn kernels with $\nu\ge1.5$

    Exponent of the variance of second differences, :math:`\E(f(x+h)-2f(x)+f(x-h))^2=6k(0)-8k(h)+2k(2h)`.

    Above 2, the derivative exists in mean square and its increments have a variance with a positive power of h; for a
    Gaussian process its paths are then continuous (Kolmogorov), so that those of f are differentiable.
    """
    steps = np.geomspace(1e-3, 3e-2, 8)
    kernels: dict[str, Callable[[Floats], Floats]] = {
        "Matérn 1/2": Matern(0.5, 1.0),
        "Matérn 3/2": Matern(1.5, 1.0),
        "Matérn 5/2": Matern(2.5, 1.0),
        "SE": SquaredExponential(1.0),
    }
    exponents = {}
    for name, kernel in kernels.items():
        line = kernel(np.concatenate([[0.0], steps, 2.0 * steps])[:, None])[0]
        second = 6.0 * line[0] - 8.0 * line[1 : len(steps) + 1] + 2.0 * line[len(steps) + 1 :]
        exponents[name] = slope_interval(np.log(steps), np.log(second)).estimate
    return Finding(
        exponents[roughest] <= 2.0,
        exponents,
        exponents=", ".join(f"{name} {value:.1f}" for name, value in exponents.items()),
    )
