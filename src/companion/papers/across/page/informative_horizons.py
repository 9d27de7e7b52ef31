"""Informative horizons on pages: numbers of their sentences, and the record of the figure to drag."""

from __future__ import annotations

import math
from typing import Any

from companion.bounds.trivial import two_digits
from companion.pages import Numbers
from companion.pages.provenance import Provenance, stored
from companion.papers.across.problems import common
from companion.papers.across.problems.common import BATCH, DIM, GAME, HORIZONS, KERNEL, candidates
from companion.papers.across.theory import gains, trivial_lines
from companion.papers.across.theory.bounds import BOUNDS
from companion.papers.across.theory.gains import curves
from companion.papers.across.theory.informative_horizons import PAIRS, blind_horizon_of, games, horizon_of
from companion.papers.across.theory.trivial_lines import blind, lines
from companion.papers.wdrbo.theory import bounds as wdrbo


def horizon_numbers(method: str, kernel: str, dim: int, noise: float, batch: int = BATCH) -> Numbers:
    """From when on a method's theorem and its best form are informative, and beat blind choices: in two digits, or infinite."""
    found = {}
    for form, name in zip(("theorem", "best"), PAIRS[method], strict=True):
        for word, of in (("from", horizon_of), ("beats", blind_horizon_of)):
            first = of(name, kernel, dim, noise, batch)
            found[f"{form}_{word}"] = two_digits(first) if math.isfinite(first) else math.inf
    return Numbers(provenance(), **found)


def provenance() -> Provenance:
    """Source of the gains, the lines and the games' constants."""
    return _stored(gains) + _stored(trivial_lines)


def _stored(made: Any) -> Provenance:
    return stored(made.load().record.to_dict(), made.STORED)


def record() -> tuple[dict[str, Any], Provenance]:
    """Data of the figure to drag: gains, trivial bounds, and other inputs of the bounds that a page does not compute."""
    data = {
        "horizons": HORIZONS,
        "candidates": {dim: candidates(dim) for dim in common.POINTS},
        "games": games(),
        "gains": {
            f"{kernel} {dim} {noise:g}": curve.uppers.tolist() for (kernel, dim, noise), curve in curves().items()
        },
        "since": {f"{kernel} {dim} {noise:g}": int(curve.since) for (kernel, dim, noise), curve in curves().items()},
        "lines": {f"{kernel} {dim} {model}": line for (kernel, dim, model), line in lines().items()},
        "blind": {f"{kernel} {dim} {model}": line for (kernel, dim, model), line in blind().items()},
        "logarithm": wdrbo.CONDITIONAL_MEAN,
        "constants": [[BOUNDS[name].constants for name in pair] for pair in PAIRS.values()],
    }
    return data, provenance()


def record_on_line() -> tuple[dict[str, Any], Provenance]:
    """The same for a page of one paper: only the unit interval, with the squared exponential kernel, and its game."""
    data, source = record()
    games = {1: data["games"][1]}
    places = (f"{KERNEL} {DIM} ", f"{GAME} {DIM} ")
    kept = {
        name: {place: value for place, value in data[name].items() if place.startswith(places)}
        for name in ("gains", "since", "lines", "blind")
    }
    return {**data, **kept, "games": games}, source
