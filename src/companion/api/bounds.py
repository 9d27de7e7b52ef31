"""Every width and bound that any paper declares, whether chapter 6 compares the paper or not."""

from __future__ import annotations

import warnings
from dataclasses import replace
from functools import wraps
from typing import Any

from companion import registry
from companion.bounds.bound import Bound
from companion.core.terminal import waiting
from companion.papers.across.theory import bounds_table as compared
from companion.papers.across.theory.bounds import BOUNDS


@wraps(compared.bounds_table)
def bounds_table(**arguments: Any) -> compared.BoundsTable:
    """The table of chapter 6, then the rows of the papers that it does not compare, in their order."""
    if "noise" in arguments and "noise_sd" not in arguments:
        told = "bounds_table(noise=...) is called bounds_table(noise_sd=...) now; the next version drops the old name"
        warnings.warn(told, FutureWarning, stacklevel=3)
    with waiting("bounds"):
        found = compared.bounds_table(**arguments)
    farthest = found.conditions.values["farthest"]
    rows = (compared.row_of(form, found.case, found.ranges, found.blind, farthest) for form in further())
    return replace(found, rows=(*found.rows, *rows))


def further() -> list[Bound]:
    """What papers declare besides :data:`~companion.papers.across.theory.bounds.BOUNDS`, which chapter 6 was computed with."""
    declared = [bound for slug in registry.declaring("bounds") for bound in registry.part(slug, "bounds").value]
    return [bound for bound in declared if bound.id not in BOUNDS]
