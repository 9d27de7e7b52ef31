"""Every width at common settings over T: those of the five papers through their own code, and those of :mod:`.classical`."""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import partial
from itertools import product
from typing import Any

from companion.across.bounds_table import value_at
from companion.across.conditions import SMOOTHNESS
from companion.across.forms.every import FORMS as PAPERS
from companion.across.forms.form import Case, Form, GameUsed, KernelUsed
from companion.across.gains import LENGTHSCALE, candidates, curves
from companion.across.horizons import games
from companion.across.sayings import AGENTS, DIMS, GAME, KERNELS, NOISES, NORM
from companion.across.tried import gain_at
from companion.across.widths.classical import FORMS as CLASSICAL
from companion.papers.meanfield.theory.bounds import Pieces

DELTA = 0.1
"""Failure probability of every width that has one."""
SHOWN = tuple(10**k for k in range(1, 7))
"""T at which widths are kept."""
DIGITS = 4

FORMS: dict[str, Form] = {name: form for name, form in {**PAPERS, **CLASSICAL}.items() if form.quantity == "width"}
"""All widths, by id: those of the papers in the order of the chapters, then the others."""


def case_of(kernel: str, dim: int, noise: float, horizon: int = 1, norm: float = NORM) -> Case:
    """A setting with the stored upper ends of its gain; the regulariser of chapter 5 is the noise variance."""
    gain, found = partial(gain_at, curves()[kernel, dim, noise]), games()[dim]
    pieces = Pieces(found["actions"], 1, found["a"], found["b"])
    return Case(
        horizon=horizon,
        candidates=candidates(dim),
        noise=noise,
        delta=DELTA,
        gain=gain,
        regularised=gain,
        norm=norm,
        regulariser=noise**2,
        kernel=KernelUsed(kernel, SMOOTHNESS[kernel], LENGTHSCALE, dim),
        game=GameUsed(pieces, gain, found["range"], lambda t: math.nan, AGENTS),
    )


def rows() -> Iterator[dict[str, Any]]:
    """A row for every width and setting: ``T=10`` and so on hold the width for runs of so many evaluations."""
    for kernel, dim, noise in product(KERNELS, DIMS, NOISES):
        case = case_of(kernel, dim, noise)
        for form in FORMS.values():
            of_game = form.model == "game"
            if of_game and (kernel, noise) != (KERNELS[0], NOISES[0]):
                continue  # a game's widths depend on neither
            values = {f"T={t}": float(f"{value_at(form, case, t):.{DIGITS}g}") for t in SHOWN}
            if not all(map(math.isnan, values.values())):
                yield {"kernel": GAME if of_game else kernel, "dim": dim, "noise": noise, "id": form.id} | values
