"""Leads on the published code: differences from the text, and their computed consequences.

What is said here of the published code is a reading of its source (repository frmicheli/WDRBO, commit 75f891a), which
``reading="code"`` of the methods and problems follows.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from functools import lru_cache
from typing import Any

import numpy as np

from companion.checks.suspected_error import Finding, suspected_error
from companion.core.arrays import Floats
from companion.core.randomness import stream
from companion.judge.reported import load_differences
from companion.papers.wdrbo.method.acquisitions import ContextualAcquisition, PenalisedAcquisition
from companion.papers.wdrbo.method.maximiser import GridAndAscent, PublishedAdam, sobol
from companion.papers.wdrbo.method.methods import Settings, Situation, method_by_name, product_grid
from companion.papers.wdrbo.method.model import MapRegression
from companion.papers.wdrbo.problems.catalogue import DATA_DRIVEN, chapter_problem

#: Observations in the situations that the code's parts are looked at in.
COUNTS = (8, 20)
SEEDS = range(3)


@lru_cache(maxsize=64)
def situation(name: str, count: int, seed: int, reading: str) -> Situation:
    """Input of a method after ``count`` evaluations at Sobol decisions of a problem."""
    problem = chapter_problem(name)
    generator = stream(seed, "wdrbo", "discrepancies", "code", name, count)
    x = problem.low + (problem.high - problem.low) * sobol(generator, count, problem.dim)
    contexts = problem.sample_contexts(generator, count)
    surrogate = MapRegression().fit(np.concatenate([x, contexts], axis=1), problem.evaluate(x, contexts))
    return Situation(
        surrogate,
        contexts,
        contexts,
        np.full(count, 1.0 / count),
        Settings(reading=reading),
        lambda what, whole=None: stream(seed, "wdrbo", "discrepancies", what, count if whole is None else whole),
    )


def biases() -> dict[str, float]:
    """Published optimum minus true optimum, per round, by problem (and reading); the portfolios where the data are."""
    found = {}
    for name in DATA_DRIVEN:
        for reading in ("text", "code"):
            problem = chapter_problem(name, reading)
            if problem.published_optimum is not None:
                found[f"{name} ({reading})"] = problem.published_optimum - problem.optimum
    return found


def penalty_gradient(reading: str) -> tuple[float, float]:
    """Derivative of (13) in x by a difference quotient, and the published gradient; largest disagreement."""
    view = situation("newsvendor", 25, 0, reading)
    acquisition = method_by_name("wdrbo").build(view)
    nominal = method_by_name("erbo").build(view)
    x, step = np.linspace(0.05, 0.95, 37)[:, None], 1e-6
    quotient = (acquisition(x + step) - acquisition(x - step)) / (2.0 * step)
    claimed = acquisition.with_gradient(x)[1][:, 0]
    apart = np.abs(quotient - claimed)
    same = float(np.abs(claimed - nominal.with_gradient(x)[1][:, 0]).max())
    return float(apart.max() / np.abs(quotient).max()), same


def sampled_constant() -> Floats:
    """Share of the Lipschitz constant on a dense grid that 100 random contexts find, over situations and decisions."""
    shares = []
    for name in ("ackley", "branin"):
        for seed in SEEDS:
            view = situation(name, 25, seed, "code")
            dim = view.contexts.shape[1]
            published = method_by_name("wdrbo").build(view)
            assert isinstance(published, PenalisedAcquisition)
            nodes = product_grid(401 if dim == 1 else 41, dim)
            dense = PenalisedAcquisition(
                view.surrogate, view.atoms, view.weights, view.settings.width, 1.0, nodes, False
            )
            x = sobol(stream(seed, "wdrbo", "discrepancies", "sampled"), 64, len(view.surrogate.lengthscale) - dim)
            shares.append(published.lipschitz(x) / dense.lipschitz(x))
    return np.concatenate(shares)


def _built(name: str, problem: str, reading: str) -> ContextualAcquisition:
    acquisition = method_by_name(name).build(situation(problem, 25, 0, reading))
    assert isinstance(acquisition, ContextualAcquisition)
    return acquisition


def _support(name: str, problem: str, reading: str) -> Floats:
    return _built(name, problem, reading).support


def misplaced() -> dict[str, float]:
    """Published sets of contexts: shares outside [0, 1] or outside mean plus or minus sd; grid sizes."""
    view = situation("ackley", 25, 0, "code")
    mean, spread = float(view.contexts.mean()), float(view.contexts.std(ddof=1))
    box = _support("stableopt", "ackley", "code")
    floor = _support("drbo-kde", "ackley", "code")[view.settings.robust_samples :]
    return {
        "box_outside": float((np.abs(box - mean) > spread).mean()),
        "box_low": float((box.min() - mean) / spread),
        "box_high": float((box.max() - mean) / spread),
        "floor_outside": float((floor < 0.0).mean()),
        "grid_code": float(len(_support("drbo-mmd", "branin", "code"))),
        "grid_text": float(len(_support("drbo-mmd", "branin", "text"))),
        "minmax_code": float(len(_support("drbo-mmd-minmax", "branin", "code"))),
        "minmax_text": float(len(_support("drbo-mmd-minmax", "branin", "text"))),
        "width_code": _built("gp-ucb", "ackley", "code").width,
        "width_text": _built("gp-ucb", "ackley", "text").width,
    }


@suspected_error("E18", teeth={"the gradient of the text": {"reading": "text"}}, data="portfolio")
def text_against_code(*, reading: str = "code") -> Finding:
    """Regret against the optimum, (13) maximised, baselines as in the papers they come from.

    Optima, and the parts of six methods that the code does otherwise.
    """
    bias, place = biases(), misplaced()
    off = {name: value for name, value in bias.items() if abs(value) > 1e-2}
    gradient, same = penalty_gradient(reading)
    shares = sampled_constant()
    words = ", ".join(f"{name} {value:+.3f}" for name, value in off.items())
    missing = (
        "" if any("portfolio" in name for name in bias) else " (portfolios left out: their evaluations are not here)"
    )
    rows = int((load_differences("wdrbo", ("text", "code")).problem != "all").sum())
    return Finding(
        bool(off) and same == 0.0 and gradient > 0.1 and place["floor_outside"] > 0.9 and place["box_outside"] > 0.9,
        {"bias": bias, "gradient": gradient, "lipschitz_share": [float(shares.min()), float(shares.max())], **place},
        missing=missing,
        words=words,
        same=same,
        least_share=shares.min(),
        largest_share=shares.max(),
        place=place,
        rows=rows,
    )


SEARCHED = ("ackley", "newsvendor", "camel")


def searched(search: Callable[[], Any]) -> list[tuple[str, float, float]]:
    """Problem, and loss of the published search to its best raw point and to our search, in sd of y; negative: "
    "wins."""
    found = []
    for name, count, seed in itertools.product(SEARCHED, COUNTS, SEEDS):
        acquisition = method_by_name("wdrbo").build(situation(name, count, seed, "code"))
        # The same stream twice: the raw points are what the search draws first.
        _, value = search()(acquisition, 1, stream(seed, "wdrbo", "discrepancies", "adam", name, count))
        raw = sobol(stream(seed, "wdrbo", "discrepancies", "adam", name, count), 1024, 1)
        proper = GridAndAscent()(acquisition, 1, stream(seed, "wdrbo", "discrepancies", "ours"))[1]
        found.append((name, float(acquisition(raw).max()) - value, proper - value))
    return found


@suspected_error("E22", teeth={"a proper search": {"search": GridAndAscent}})
def was_it_maximised(*, search: Callable[[], Any] = PublishedAdam) -> Finding:
    """$x_t$ maximises the penalised acquisition function.

    The published search on (13) against its own raw points and a proper search.
    """
    rows = searched(search)
    loss, proper = np.array([row[1] for row in rows]), np.array([row[2] for row in rows])
    share = float((loss > 1e-12).mean())
    below = {name: float(np.mean([row[1] > 1e-12 for row in rows if row[0] == name])) for name in SEARCHED}
    words = ", ".join(f"{name} {value:.0%}" for name, value in below.items())
    return Finding(
        share > 0.5,
        {"share": share, "by_problem": below, "mean_loss": float(loss.mean()), "against_ours": float(proper.mean())},
        rows=len(rows),
        words=words,
        largest_loss=loss.max(),
    )
