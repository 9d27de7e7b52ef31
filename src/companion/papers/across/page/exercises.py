"""Numbers of the exercises' solutions."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

from companion.bounds.confidence import OneRootWidth, SelfNormalizedWidth, self_normalised_root, union_bound_log
from companion.pages import Numbers, Provenance, recorded
from companion.papers.across.experiments import widths
from companion.papers.across.page.which_width import AT, FOR_NORM, PLACE, at, provenance
from companion.papers.across.problems.common import candidates
from companion.papers.across.theory import width_schedules


@dataclass(frozen=True)
class Level:
    """The failure probability at which a theorem's width in the first round would be a library's default."""

    width: float
    delta: float
    provenance: Provenance = field(default_factory=Provenance, compare=False)


@recorded(random=False)
def level(candidates: int, width: float) -> Level:
    """From the width for draws on so many candidates, with t = 1."""
    return Level(width, math.exp(union_bound_log(1, candidates, 1.0) - width**2 / 2.0))


def default_level() -> Numbers:
    """For scikit-optimize's default on the line's candidates."""
    size = candidates(PLACE["dim"])
    found = level(size, at("library/scikit-optimize"))
    return Numbers(found, provenance(), candidates=size, width=found.width, delta=found.delta)


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
    """Widths for a known norm at a hundred evaluations and at the farthest horizon."""
    far = width_schedules.SHOWN[-1]
    pairs = {"batches": "batched/prop-1/printed", "sharper": "sharper/mixture"}
    values = {f"{key}_{end}": at(name, t) for key, name in pairs.items() for end, t in (("early", AT), ("late", far))}
    return Numbers(provenance(), at=AT, far=far, **values)


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
