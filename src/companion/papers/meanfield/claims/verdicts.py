"""Reported beside reproduced, with verdicts: the 28 cells of Table 2 as ratios, and the conclusions from Figures 2-5.

The minutes themselves are not testable: the paper's processors are not named, and the repository that it names could not be
reached from where this was written.
"""

from __future__ import annotations

from typing import Any

from companion.papers.meanfield.claims import figures as claims_figures
from companion.papers.meanfield.claims import methods as claims_methods
from companion.papers.meanfield.claims.printed import (
    METHOD_OF,
    OURS,
    PAPER,
    RATIO,
    TITLE_OF,
    SideBySide,
    method_of,
    problem_of,
    ratio,
    side_by_side,
)
from companion.papers.meanfield.problems.catalogue import SETTINGS
from companion.reproduce.claims import Verdicts, absent, questions
from companion.reproduce.intervals import Interval, paired_interval
from companion.reproduce.ordering import Ordering, same_ordering
from companion.reproduce.reported import ReportedCell
from companion.reproduce.verdict import NOT_TESTABLE, Judgement, cell_verdict

UNIT = "the unit of all ratios of MF-GP-UCB: 1 by definition"
HARDWARE = "minutes on processors that the paper does not name; compared as a ratio"
CLOCK = "ours are CPU seconds on one core, the paper's minutes of a run on a cluster"


def compared(both: SideBySide, cell: ReportedCell) -> dict[str, Any]:
    """A printed time beside ours, both as ratios.

    Besides: ``problem``, ``method``, ``denominator`` (the cell divided by), ``minutes`` as printed, ``seconds`` of ours,
    ``speed_up`` (printed time over ours), and ``label`` of the data.
    """
    problem, method = problem_of(cell), method_of(cell)
    below, printed = both.reference(problem, method), both.printed_ratio(problem, method)
    common: dict[str, Any] = {
        "metric": RATIO,
        "unit": "1",
        "note": f"{HARDWARE}; {CLOCK}; {cell.note}",
        "problem": problem,
        "method": method,
        "minutes": cell.as_printed(),
    }
    if printed is None or below is None:
        return common | {"judgement": Judgement(NOT_TESTABLE, UNIT), "reported": {"mean": 1.0}}
    common |= {"reported": printed.as_printed(), "denominator": f"{TITLE_OF[below[0]]}, {_name(below[1])}"}
    if not (both.has("figures", problem, method) and both.has("figures", *below)):
        return common | {"judgement": absent(problem).judgement}
    ours = both.time(problem, method)
    reproduced = ratio(ours, both.time(*below))
    judgement = cell_verdict(
        printed.summary,
        reproduced,
        both.margins.margin(printed),
        _ordering(both, problem, method),
        significance=both.margins.significance,
        confidence=both.margins.confidence,
    )
    return common | {
        "judgement": judgement,
        "reproduced": reproduced,
        "seconds": {"mean": ours.mean, "sd": ours.sd, "n": ours.n},
        "speed_up": 60.0 * cell.mean / ours.mean,
        "label": both.label(problem),
    }


def _name(method: str) -> str:
    return next(name for name, own in METHOD_OF.items() if own == method)


def _ordering(both: SideBySide, problem: str, method: str) -> Ordering:
    """A cell against the others that it is comparable with.

    A method to the other methods of its problem; MF-GP-UCB, whose ratio is to itself on Swarm, to itself on other problems.
    """
    if method == OURS:
        others = [(name, OURS) for name in SETTINGS if name != problem]
    else:
        others = [(problem, other) for other in METHOD_OF.values() if other != method]
    pairs: list[tuple[float, Interval]] = []
    for where, other in others:
        if both.has("figures", where, other):
            printed = both.printed(problem, method).mean - both.printed(where, other).mean
            ours = paired_interval(both.seconds(problem, method), both.seconds(where, other), both.margins.confidence)
            pairs.append((printed, ours))
    return same_ordering(pairs)


VERDICTS = Verdicts(
    PAPER,
    side_by_side,
    compared,
    {**claims_figures.TESTS, **claims_methods.TESTS, **claims_methods.COMPUTED},
    computed=claims_methods.COMPUTED,
    asked=questions(claims_methods.QUESTIONS),
)
