"""Numbers of the section that asks which width: from the stored tables of :mod:`companion.papers.across.experiments.widths`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd
from scipy.stats import norm as normal

from companion.bounds.confidence import normal_width
from companion.core.templates import significant
from companion.pages import Numbers, Table
from companion.pages.provenance import Provenance, stored
from companion.papers.across.experiments import width_coverage, width_grid_runs, widths
from companion.papers.across.experiments.width_rules import LIBRARIES
from companion.papers.across.method import library_widths
from companion.papers.across.problems.common import DELTA, GAME, candidates
from companion.problems.running_example import POINTS

#: The setting of the runs, and of everything in the section that names none.
PLACE: Mapping[str, Any] = {
    "kernel": width_grid_runs.KERNEL,
    "dim": width_grid_runs.DIM,
    "noise": width_grid_runs.NOISE,
}
AT = width_grid_runs.HORIZON
#: Evaluations of a run that the lesson's own cell plays.
ROUNDS = 200
#: A promise with more than a quarter of its width to spare needs at most this part of it.
SPARE = 0.75
#: The theorems in whose units defaults are given: the usual width for a known norm, and for draws on finitely many points.
FOR_NORM, FOR_DRAWS = "batched/self-normalised", "compressed/lemma-8.1/printed"

NAMES = {
    "sharper/mixture": "one root for norm and gain",
    "batched/self-normalised": "self-normalised",
    "classical/chowdhury-gopalan": "Chowdhury and Gopalan",
    "classical/srinivas-norm": "Srinivas et al., known norm",
    "classical/srinivas-finite": "Srinivas et al., finite set",
    "batched/prop-1/printed": "BPE, Proposition 1",
    "compressed/lemma-8.1/printed": "Srinivas et al., finite set",
    "tsrsr/lemma-6/printed": "TS-RSR, Lemma 6",
    "batched/experiments": "BPE's experiments",
    "meanfield/experiments": "MF-GP-UCB's experiments",
    "wdrbo/experiments": "WDRBO's experiments",
    "tsrsr/published-code": "TS-RSR's published code",
    "library/botorch": "BoTorch",
    "library/scikit-optimize": "scikit-optimize",
    "library/bayesian-optimization": "bayesian-optimization",
    "library/optuna": "Optuna",
}
#: The width that ran, of every default: its own, or one within a per cent of it.
RUN_AS = {
    **{name: f"library/{name}" for name in LIBRARIES},
    "trieste": "library/scikit-optimize",
    "keras-tuner": "library/bayesian-optimization",
    "optunahub": "batched/experiments",
    "baybe": "library/botorch",
    "physbo": "proposed/physbo",
}


def for_draws(candidates: int, horizon: int, delta: float = DELTA) -> float:
    r"""The width :math:`\sqrt{2\log(NT/\delta)}` for draws: N T chances to miss, each at most :math:`e^{-w^2/2}`."""
    return normal_width(candidates * horizon, delta)


def provenance() -> Provenance:
    """Source of the numbers."""
    return stored(widths.load().record.to_dict(), widths.STORED)


def at(name: str, horizon: int = AT) -> float:
    """A stored width, or library's default, in the setting of the section; a width of the mean-field game is that of its game."""
    tables = widths.load().tables
    kind, _, library = name.partition("/")
    if kind in ("library", "proposed"):
        return library_widths.stored_width(tables["width_defaults"], library, horizon, PLACE["dim"])
    found = tables["widths"]
    found = found[(found.id == name) & (found.dim == PLACE["dim"]) & found.kernel.isin((PLACE["kernel"], GAME))]
    return float(found[found.noise == PLACE["noise"]][f"T={horizon}"].iloc[0])


def full(covered: pd.DataFrame | None = None) -> pd.DataFrame:
    """Coverage of all widths at full length."""
    found = widths.load().tables["width_coverage"] if covered is None else covered
    return found[found.factor == 1.0]


def interval(low: float, high: float) -> str:
    """Ends of an interval of shares, in per cent."""
    return f"{100 * low:.1f} to {100 * high:.1f} %"


def defaults_table() -> Table:
    """Every library's default, as a part of what two theorems need."""
    tables = widths.load().tables
    found = tables["width_defaults"]
    first = found[(found.dim == PLACE["dim"]) & found.t.isin(library_widths.SHOWN)]
    shares = {name: widths.in_units_of(name, **PLACE) for name in (FOR_DRAWS, FOR_NORM)}
    rows = []
    for library, part in first.groupby("library", sort=False):
        one = part.iloc[0]
        row: dict[str, Any] = {
            "library": f"{library} {one.version}",
            "read": "called" if one.called else "in its source",
            f"width, T = {AT}": significant(float(part[part.t == AT].width.iloc[0]), 3),
        }
        row |= {f"draws, T = {t}": f"{shares[FOR_DRAWS].loc[library, t]:.0%}" for t in library_widths.SHOWN}
        row |= {f"norm, T = {AT}": f"{shares[FOR_NORM].loc[library, AT]:.0%}"}
        rows.append(row)
    return Table(pd.DataFrame(rows), where=provenance())


#: Settings at which the table of libraries' statements shows coverage.
COVERED_ON = ("random functions", "draws", "50 arms", "one arm")


def cover_table() -> Table:
    """Share of runs in which every width covers throughout; in bold where a theorem promises it. BPE's are of its batches."""
    found, rows, marks = full(), list[dict[str, Any]](), list[dict[str, bool]]()
    found = found[(found.id != "batched/prop-1/printed") | (found.points != "GP-UCB") | (found.instance == "draws")]
    for name in NAMES:
        part = found[(found.id == name) & found.instance.isin(COVERED_ON)].set_index("instance")
        if len(part):
            rows.append({"width": NAMES[name]} | {place: f"{row.covered:.1%}" for place, row in part.iterrows()})
            marks.append({str(place): bool(row.promised) for place, row in part.iterrows()})
    columns = ["width", *COVERED_ON]
    shown, best = (pd.DataFrame(each, columns=columns) for each in (rows, marks))
    return Table(shown.fillna("–"), where=provenance(), best=best.eq(True))


def said_table() -> Table:
    """Statements on confidence in the documentation of every default, beside the share of runs in which it covers."""
    covered = full()
    measured = covered[covered.points != "batches"].set_index(["id", "instance"]).covered
    rows = []
    for library in widths.load().tables["width_defaults"].library.unique():
        shares = {place: measured.get((RUN_AS[library], place)) for place in COVERED_ON}
        row = {"library": library, "width": significant(at(f"library/{library}"), 3)}
        row |= {place: "–" if share is None else f"{share:.1%}" for place, share in shares.items()}
        said = library_widths.SAYS.get(library)
        rows.append(row | {"its documentation says of confidence": f"“{said}”" if said else "nothing"})
    return Table(pd.DataFrame(rows), where=provenance())


def caught_table() -> Table:
    """Widths made too short, or that are, on instances where they have to be caught."""
    tables = widths.load().tables["width_coverage"].set_index(["instance", "id", "factor"])
    rows = []
    for place, name, factor in width_coverage.MUST_FAIL:
        row = tables.loc[(place, name, factor)]
        rows.append(
            {
                "on": place,
                "width": NAMES[name],
                "times": f"{factor:g}",
                "covered": f"{row.covered:.1%}",
                "95 % interval": interval(row.low, row.high),
            }
        )
    return Table(pd.DataFrame(rows), where=provenance())


def numbers() -> Numbers:
    """Numbers and facts of the section's sentences: widths, coverage and regret."""
    common = {
        "at": AT,
        "points": candidates(PLACE["dim"]),
        "noise": PLACE["noise"],
        "delta": DELTA,
        "norm": width_grid_runs.NORM,
    }
    common |= {"promise": 1.0 - DELTA, "grid_runs": len(width_coverage.SEEDS) * width_grid_runs.BLOCK}
    return Numbers(provenance(), **common, **_lengths(), **_coverage(), **_regrets())


def _lengths() -> dict[str, Any]:
    """Widths in the setting of the section."""
    return {
        "sharper": at("sharper/mixture"),
        "usual": at(FOR_NORM),
        "chowdhury": at("classical/chowdhury-gopalan"),
        "old": at("classical/srinivas-norm"),
        "finite": at(FOR_DRAWS),
        "lemma": at("tsrsr/lemma-6/printed"),
        "here": for_draws(POINTS, ROUNDS),
        "here_fails": 2.0 * POINTS * ROUNDS * normal.sf(for_draws(POINTS, ROUNDS)),
        "botorch_width": at("library/botorch"),
        "skopt_width": at("library/scikit-optimize"),
        "hub_width": at("library/optunahub"),
        "optuna_width": at("library/optuna"),
        "read_to": library_widths.SHOWN[-1],
        "times": at("library/scikit-optimize") / at("library/botorch"),
        "crowd": at("meanfield/thm-4.1/width-printed"),
        "crowd_repaired": at("meanfield/thm-4.1/width-repaired"),
    }


def _coverage() -> dict[str, Any]:
    """Promises and libraries.

    ``miss``, ``arm``: share of runs in which the longest default misses f on random functions, and on one arm; ``kept``: promises
    kept within their intervals, of ``promises``; ``enough``: the part of a theorem's width that would do on the grid;
    ``hub``, ``hub_drawn``: share that OptunaHub's covers on random functions and on draws;
    ``theirs_high``: upper end of the largest share in which a library's default covers; ``never``: runs that BoTorch's does.
    """
    table, covered = widths.load().tables["width_coverage"], full()
    promised = covered[covered.promised]
    caught, broken = widths.caught(table), widths.broken_promises(table)
    on_grid = covered[covered.instance.isin(tuple(width_coverage.GRID))]
    of_library = on_grid[on_grid.id.str.startswith("library/")]
    longest = max((f"library/{name}" for name in LIBRARIES), key=at)
    of_longest = covered[covered.id == longest].set_index("instance").covered
    enough = on_grid[on_grid.promised].enough
    hub = covered[(covered.id == RUN_AS["optunahub"]) & (covered.points != "batches")].set_index("instance")
    botorch = of_library[of_library.id == "library/botorch"]
    small = covered[(covered.id == "sharper/mixture") & (covered.instance == "one arm, small steps")].iloc[0]
    return {
        "runs": int(covered.runs.iloc[0]),
        "promises": len(promised),
        "kept": len(promised) - len(broken),
        "spare": int((promised.enough <= SPARE).sum()),
        "caught": sum(caught.values()),
        "short": len(caught),
        "longest": NAMES[longest],
        "miss": 1.0 - float(of_longest["random functions"]),
        "arm": 1.0 - float(of_longest["one arm"]),
        "worst": bool(of_longest.min() < 1.0 - DELTA and of_library.covered.max() <= of_longest["random functions"]),
        "theirs_high": float(of_library.high.max()),
        "hub": float(hub.covered["random functions"]),
        "hub_drawn": float(hub.covered["draws"]),
        "hub_high": float(hub.high.max()),
        "never": int((botorch.covered * botorch.runs).sum()),
        "enough": float(enough.max()),
        "enough_least": float(enough.min()),
        "small_enough": float(small.enough),
        "small_high": float(small.enough_high),
        "small_covered": float(small.covered),
    }


def _regrets() -> dict[str, Any]:
    """Regret of the widths on the grid.

    ``drawn_shortest``, ``drawn_first``: which loses least on draws, of the widths that are proved for them, and of the defaults;
    ``cheaper``: on functions of known norm, every default loses less than every width that is proved there for any choice."""
    regret, covered = widths.load().tables["width_regret"], full()
    proved = {
        place: covered[covered.promised & (covered.instance == place) & (covered.points == "GP-UCB")].id
        for place in width_coverage.GRID
    }
    dense = regret[regret.points == "GP-UCB"]
    known, drawn = (dense[dense.instance == place].set_index("id") for place in width_coverage.GRID)
    theorems, libraries = known.loc[proved["random functions"]], known[known.index.str.startswith("library/")]
    others = [name for name in drawn.index if name.startswith("library/") and name != "library/botorch"]
    best = min(others, key=lambda name: float(drawn.regret[name]))
    theorems_drawn = drawn.loc[proved["draws"]]
    shortest = str(theorems_drawn.regret.idxmin())
    return {
        "cheaper": bool(libraries.high.max() < theorems.low.min()),
        "theorem_most": float(theorems.regret.max()),
        "batches_regret": float(regret[regret.points == "batches"].regret.iloc[0]),
        "stuck": float(drawn.regret["library/botorch"]),
        "stuck_q95": float(drawn.q95["library/botorch"]),
        "drawn_shortest": NAMES[shortest],
        "drawn_theorem": float(drawn.regret[shortest]),
        "drawn_q95": float(drawn.q95[shortest]),
        "drawn_most": float(theorems_drawn.high.max()),
        "drawn_first": NAMES[best],
        "drawn_least": float(drawn.regret.min()),
        "drawn_best": float(drawn.regret[best]),
        "drawn_best_width": at(best),
        "premium": float(drawn.regret[shortest]) / float(drawn.regret[best]),
    }
