"""Reported beside reproduced, with verdicts: the 28 cells of Table 2 as ratios, and the conclusions from Figures 2-5.

The minutes themselves are not testable: the paper's processors are not named, and the repository that it names could not be
reached from where this was written.
"""

from __future__ import annotations

from typing import Any

from companion.judge.claims import Verdicts, absent, questions
from companion.judge.intervals import Interval, paired_interval
from companion.judge.ordering import Ordering, same_ordering
from companion.judge.reported import ReportedCell
from companion.judge.verdict import NOT_TESTABLE, Judgement
from companion.papers.meanfield.experiments import figures_claims as claims_figures
from companion.papers.meanfield.experiments import methods_claims as claims_methods
from companion.papers.meanfield.experiments.printed import METHOD_OF, OURS, RATIO, TITLE_OF, MeanFieldResults, ratio
from companion.papers.meanfield.problems.catalogue import SETTINGS

UNIT = "the unit of all ratios of MF-GP-UCB: 1 by definition"
HARDWARE = "minutes on processors that the paper does not name; compared as a ratio"
CLOCK = "ours are CPU seconds on one core, the paper's minutes of a run on a cluster"


def compared(results: MeanFieldResults, cell: ReportedCell) -> dict[str, Any]:
    """A printed time beside ours, both as ratios.

    Besides: ``problem``, ``method``, ``denominator`` (the cell divided by), ``minutes`` as printed, ``seconds`` of ours,
    ``speed_up`` (printed time over ours), and ``label`` of the data.
    """
    problem, method = results.named(cell)
    below, printed = results.denominator(problem, method), results.printed_ratio(problem, method)
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
    if not (results.has(problem, method) and results.has(*below)):
        return common | {"judgement": absent(problem).judgement}
    ours = results.time(problem, method)
    reproduced = ratio(ours, results.time(*below))
    ordering = _ordering(results, problem, method)
    judgement = results.judge(printed.summary, reproduced, results.margins.margin(printed), ordering)
    return common | {
        "judgement": judgement,
        "reproduced": reproduced,
        "seconds": {"mean": ours.mean, "sd": ours.sd, "n": ours.n},
        "speed_up": 60.0 * cell.mean / ours.mean,
        "label": results.kind(problem),
    }


def _name(method: str) -> str:
    return next(name for name, own in METHOD_OF.items() if own == method)


def _ordering(results: MeanFieldResults, problem: str, method: str) -> Ordering:
    """A cell against the others that it is comparable with.

    A method to the other methods of its problem; MF-GP-UCB, whose ratio is to itself on Swarm, to itself on other problems.
    """
    if method == OURS:
        others = [(name, OURS) for name in SETTINGS if name != problem]
    else:
        others = [(problem, other) for other in METHOD_OF.values() if other != method]
    pairs: list[tuple[float, Interval]] = []
    for where, other in others:
        if results.has(where, other):
            printed = results.printed(problem, method).mean - results.printed(where, other).mean
            ours = paired_interval(
                results.seconds(problem, method), results.seconds(where, other), results.margins.confidence
            )
            pairs.append((printed, ours))
    return same_ordering(pairs)


VERDICTS = Verdicts(
    MeanFieldResults,
    compared,
    {**claims_figures.TESTS, **claims_methods.TESTS, **claims_methods.COMPUTED},
    computed=claims_methods.COMPUTED,
    asked=questions(claims_methods.QUESTIONS),
)
