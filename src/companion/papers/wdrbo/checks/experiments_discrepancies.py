"""Leads on Figure 1 and on Tables 1 and 2."""

from __future__ import annotations

import math

import numpy as np

from companion.checks.suspected_error import Finding, suspected_error
from companion.judge.reported import ReportedCell, load_tables
from companion.papers.wdrbo.method.methods import Settings, product_grid
from companion.papers.wdrbo.problems.catalogue import CLIPPED, chapter_problem
from companion.papers.wdrbo.problems.general import CENTRE, RADIUS, SOFTENING, GeneralExample, laws
from companion.papers.wdrbo.problems.laws import ClippedNormal

#: Levels of the quantiles whose mean distance is the Wasserstein distance of two laws on a line.
NODES = (np.arange(100_000) + 0.5) / 100_000


def distance(first: ClippedNormal, second: ClippedNormal) -> float:
    r""":math:`W_1=\int_0^1|F^{-1}(u)-G^{-1}(u)|du`."""
    return float(np.abs(first.quantile(NODES) - second.quantile(NODES)).mean())


def ideal_decisions(spread: str) -> tuple[float, float]:
    """Regret per round, under the true law, of the best decision for the told law and of the best in (13), f known."""
    told, true = laws(spread, False)
    r = np.linspace(0.0, 1.0, 20_001)
    truth = GeneralExample(true.distance(CENTRE))
    reward = truth.by_modulus(r[:, None])[0]
    nominal = GeneralExample(told.distance(CENTRE)).by_modulus(r[:, None])[0]
    robust = nominal - RADIUS / (r + SOFTENING)  # |f(x, c) - f(x, c')| <= |c - c'| / (|x| + 0.2)
    best = reward.max()
    return float(best - reward[nominal.argmax()]), float(best - reward[robust.argmax()])


@suspected_error("E17", teeth={"a radius of 0.2": {"radius": 0.2}})
def outside_the_ball(*, radius: float = RADIUS) -> Finding:
    """Centre $N(0.5,0.1)$, truth $N(0.6,0.2)$, radius 0.1, and a linear trend 'following the result of Theorem 5'.

    Distances of the two laws, the smoothness of f, and what the robust decision costs.
    """
    readings = {
        "standard deviations": laws("sd", False),
        "variances": laws("variance", False),
        "standard deviations, clipped to [0, 1]": laws("sd", True),
        "variances, clipped to [0, 1]": laws("variance", True),
    }
    apart = {name: distance(*pair) for name, pair in readings.items()}
    nominal, robust = ideal_decisions("sd")
    plain = ideal_decisions("variance")
    true = laws("sd", False)[1]
    beyond = 1.0 - float(true.distribution(1.0) - true.distribution(0.0))
    step = 1e-6
    example = GeneralExample(0.0)
    x, near = np.full((3, 1), 0.5), np.array([[CENTRE - step], [CENTRE], [CENTRE + step]])
    slopes = np.diff(example(x, near)) / step
    words = ", ".join(f"{value:.4f} ({name})" for name, value in apart.items())
    inside = [name for name, value in apart.items() if value <= radius]
    where = f"in every reading but this: {', '.join(inside)}" if inside else "in every reading"
    return Finding(
        # As printed, the laws are not clipped.
        min(apart["standard deviations"], apart["variances"]) > radius,
        {"distance": apart, "nominal": nominal, "robust": robust, "slopes": slopes.tolist(), "outside": beyond},
        words=words,
        radius=RADIUS,
        where=where,
        plain=plain,
    )


def cells() -> dict[tuple[str, str, str], ReportedCell]:
    """Tables 1 and 2 by (table, problem, method)."""
    return {(cell.source, cell.problem, cell.method): cell for cell in load_tables("wdrbo")}


def _last_table() -> dict[tuple[str, str], ReportedCell]:
    tables = sorted({source for source, _, _ in cells()})
    return {(problem, method): cell for (source, problem, method), cell in cells().items() if source == tables[-1]}


@suspected_error("E21", teeth={"on Branin": {"place": "Branin"}})
def remarks_on_times(*, place: str = "Ackley") -> Finding:
    """The extra time of WDRBO is that of the Lipschitz constant; the cost of DRBO-MMD grows with the cube of the
    support.

    The overhead of WDRBO against its error, and the speed of the discrepancy methods with two contexts.
    """
    times = _last_table()
    overhead = {}
    for problem in ("Ackley", "Branin"):
        ours, theirs = times[problem, "WDRBO"], times[problem, "ERBO"]
        error = math.hypot(ours.spread or math.nan, theirs.spread or math.nan)
        overhead[problem] = (ours.mean - theirs.mean, error)
    faster = {name: times["Ackley", name].mean / times["Branin", name].mean for name in ("DRBO-MMD", "DRBO-MMD Minmax")}
    settings = Settings()
    per_axis = math.ceil(math.sqrt(settings.discrepancy_nodes))
    product = len(product_grid(per_axis, 2))
    errors = {problem: gap / error for problem, (gap, error) in overhead.items()}
    spread = math.sqrt(CLIPPED.square(0.5))
    return Finding(
        errors[place] < 1.0 and min(faster.values()) > 1.0,
        {"overhead": overhead, "standard_errors": errors, "faster": faster},
        product=product,
        settings=settings,
        per_axis=per_axis,
        factor=(product / per_axis) ** 3,
        variance=spread**2,
        spread=spread,
    )


@suspected_error("U8", teeth={"one per cent more": {"factor": 1.01}})
def same_tables(*, factor: float = 1.0) -> Finding:
    """Five methods are in both.

    Rows that both tables print.
    """
    found = cells()
    tables = sorted({source for source, _, _ in found})
    first, last = tables[0], tables[-1]
    common = [(p, m) for (source, p, m) in found if source == first and (last, p, m) in found]
    differing = [
        key
        for key in common
        if (found[(first, *key)].mean, found[(first, *key)].spread)
        != (factor * found[(last, *key)].mean, found[(last, *key)].spread)
    ]
    return Finding(
        bool(differing) or not common,
        {"common": len(common), "differing": differing},
        first=first,
        last=last,
        other=len(differing),
    )


@suspected_error("U9", teeth={"to four digits": {"tolerance": 1e-4}})
def right_constants(*, tolerance: float = 1e-3) -> Finding:
    """Regret is measured from constants.

    The published optima that are optima.
    """
    off = {}
    for name in ("hartmann", "branin", "camel", "newsvendor"):
        problem = chapter_problem(name, "code")
        assert problem.published_optimum is not None
        off[name] = abs(problem.published_optimum - problem.optimum)
    worst = max(off.values())
    return Finding(worst > tolerance, off, problems=list(off), worst=worst)
