"""Every width at common settings over T: those of the five papers, and those that none of them states."""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import product
from typing import Any

from companion.bounds.bound import Bound
from companion.papers.across.problems.common import DIMS, GAME, KERNELS, NOISES
from companion.papers.across.theory.bounds import BOUNDS
from companion.papers.across.theory.informative_horizons import case_of

#: T at which widths are kept.
SHOWN = tuple(10**k for k in range(1, 7))
DIGITS = 4

#: All widths, by id: those of the papers in the order of the chapters, then the others.
FORMS: dict[str, Bound] = {name: form for name, form in BOUNDS.items() if form.quantity == "width"}


def rows() -> Iterator[dict[str, Any]]:
    """A row for every width and setting: ``T=10`` and so on hold the width for runs of so many evaluations."""
    for kernel, dim, noise in product(KERNELS, DIMS, NOISES):
        case = case_of(kernel, dim, noise)
        for form in FORMS.values():
            of_game = form.model == "game"
            if of_game and (kernel, noise) != (KERNELS[0], NOISES[0]):
                continue  # a game's widths depend on neither
            values = {f"T={t}": float(f"{form.at(case, t):.{DIGITS}g}") for t in SHOWN}
            if not all(map(math.isnan, values.values())):
                yield {"kernel": GAME if of_game else kernel, "dim": dim, "noise": noise, "id": form.id} | values
