"""Does robustness pay? Regret of robust rules over ERBO's against shift over radius; chapters 5 and 6 show the same numbers.

Protocol and runs: :mod:`companion.papers.across.experiments.shifts`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
import pandas as pd

from companion.core.arrays import Floats
from companion.core.randomness import stream
from companion.judge.method_comparison import Contrast, between, contrasts, resampled
from companion.judge.reported import load_margins
from companion.pages import Numbers, Provenance, cells
from companion.pages.provenance import stored
from companion.papers.across.experiments import shifts
from companion.papers.across.experiments.shifts import CONTINUUM, GRIDS, LONG, OWN, ROUNDS, SEEDS, SHORT, grid_name
from companion.papers.wdrbo.experiments import store as chapter_5
from companion.papers.wdrbo.experiments.parameters import Shift
from companion.papers.wdrbo.experiments.store import marks
from companion.papers.wdrbo.page.stored_runs import between as ends
from companion.stored.results import unjoined

ROBUST = {"wdrbo": "WDRBO, the penalty", "wdrbo-exact": "the exact worst case"}
#: Lines of the figure; those on grids come last.
TITLES = {
    "general": "Figure 1's example",
    "camel": "three-hump camel",
    "newsvendor up": "newsvendor, mean moved up",
    "newsvendor down": "newsvendor, mean moved down",
    grid_name(0.1): "grid, radius 0.1",
    grid_name(0.3): "grid, radius 0.3",
}
Key = tuple[Any, ...]
#: Regret by seed, of problem, signed shift over radius, width and method.
Cells = Mapping[tuple[str, float, str, str], pd.Series]


@lru_cache(maxsize=1)
def _cells() -> tuple[Cells, Provenance]:
    """All runs, stored here or with chapter 5, and where they are from."""
    own, fifth = shifts.load(), chapter_5.load()
    radius = Shift.radius
    at = int(np.flatnonzero(marks(Shift.horizon) == ROUNDS)[0])
    moved = fifth.tables["runs"]
    moved = moved[(moved.block == "shift") & (moved.seed < SEEDS)]
    parts = [
        own.tables["shifts"],
        pd.DataFrame(
            {
                "problem": moved.problem,
                "shift": moved.variant.str.removeprefix("shift=").astype(float) / radius,
                "width": OWN,
                "method": moved.method,
                "seed": moved.seed,
                "regret": [unjoined(text)[at] for text in moved.cumulative],
            }
        ),
    ]
    rows = pd.concat(parts).round({"shift": 9})
    keys = ["problem", "shift", "width", "method"]
    found = {key: part.set_index("seed").regret.astype(float) for key, part in rows.groupby(keys)}
    where = stored(own.record.to_dict(), shifts.STORED) + stored(fifth.record.to_dict(), chapter_5.STORED)
    return found, where


def _pair(problem: str, signs: tuple[int, ...], shift: float, method: str, width: str = OWN) -> tuple[Floats, Floats]:
    """Regret of a rule and of ERBO over their common seeds, the mean of the ``signs`` of the shift that were run."""
    found, _ = _cells()
    sides = [sign * shift for sign in signs if (problem, sign * shift, width, method) in found]
    columns = [found[problem, side, width, each] for each in (method, "erbo") for side in dict.fromkeys(sides)]
    table = pd.concat(columns, axis=1, join="inner").to_numpy()
    one, two = np.split(table, 2, axis=1)
    return one.mean(axis=1), two.mean(axis=1)


def _signs(line: str) -> tuple[str, tuple[int, ...]]:
    """Problem of a line of the figure, and which signs of the shift are its."""
    problem, _, way = line.partition(" ")
    if problem in CONTINUUM:
        return problem, {"up": (1,), "down": (-1,)}.get(way, (1, -1))
    return line, (1,)


@dataclass(frozen=True, eq=False)
class Shifts:
    """Rows of the figure, and of the comparison of widths; see :func:`shift_study`."""

    rows: pd.DataFrame
    widths: pd.DataFrame
    where: Provenance


@lru_cache(maxsize=1)
def shift_study() -> Shifts:
    """``rows``: line, method, shift (in radii), seeds, regret over ERBO's with a bootstrap interval over seeds, what is shown
    after Holm's correction (-1 gains, 1 costs) and whether the interval of the difference stays within the margin.
    ``widths``: without a shift, by problem and width: the exact worst case over ERBO, and whether that is shown to differ
    from what it is at the problem's own width.
    """
    margins = load_margins("across")
    pairs: dict[Key, tuple[Floats, Floats]] = {}
    found, where = _cells()
    for line in TITLES:
        problem, signs = _signs(line)
        for shift in sorted({abs(s) for p, s, w, _ in found if p == problem and w == OWN}):
            if any((problem, sign * shift, OWN, "erbo") in found for sign in signs):
                for method in ROBUST:
                    pairs[line, method, shift] = _pair(problem, signs, shift, method)
    # Without a shift the newsvendor has one pair for both its lines, which is tested once.
    twice = {key for key in pairs if key[0] == "newsvendor down" and key[2] == 0.0}
    tests = _tested({key: pair for key, pair in pairs.items() if key not in twice}, margins.confidence)
    rows = []
    for key, (one, two) in pairs.items():
        test = tests["newsvendor up", *key[1:]] if key in twice else tests[key]
        near, gap = margins.claims["comparable"] * two.mean(), test.difference
        ratio = _ratio(one, two, margins.confidence)
        rows.append(
            dict(zip(("line", "method", "shift"), key, strict=True))
            | {"seeds": len(one), "ratio": ratio[0], "low": ratio[1], "high": ratio[2]}
            | {"shown": test.shown(margins.significance), "same": bool(-near < gap.low and gap.high < near)}
        )
    return Shifts(pd.DataFrame(rows), _width_rows(margins.confidence, margins.significance), where)


def _tested(pairs: Mapping[Key, tuple[Floats, Floats]], confidence: float) -> dict[Key, Contrast]:
    """Contrasts by the keys of the pairs, corrected together."""
    named = {" | ".join(map(str, key)): key for key in pairs}
    listed = contrasts({words: pairs[key] for words, key in named.items()}, confidence)
    return {named[test.where]: test for test in listed}


def _ratio(one: Floats, two: Floats, confidence: float) -> tuple[float, float, float]:
    """Ratio of means with its bootstrap interval over common seeds."""
    weights = resampled(stream(0, "across", "shifts", len(one)), len(one))
    found = between(one.mean() / two.mean(), (weights @ one) / (weights @ two), confidence, len(one))
    return found.estimate, found.low, found.high


def _width_rows(confidence: float, significance: float) -> pd.DataFrame:
    asked = [(problem, width) for problem in CONTINUUM for width in (OWN, LONG)]
    asked += [(grid_name(radius), width) for radius in GRIDS for width in (OWN, *SHORT)]
    pairs = {key: _pair(key[0], (1,), 0.0, "wdrbo-exact", key[1]) for key in asked}
    gains = {key: (one - two) / two.mean() for key, (one, two) in pairs.items()}
    tests = _tested({key: (gains[key], gains[key[0], OWN]) for key in asked if key[1] != OWN}, confidence)
    rows = []
    for key, (one, two) in pairs.items():
        ratio = _ratio(one, two, confidence)
        differs = tests[key].shown(significance) if key in tests else 0
        rows.append(
            {
                "problem": key[0],
                "width": key[1],
                "seeds": len(one),
                "ratio": ratio[0],
                "low": ratio[1],
                "high": ratio[2],
            }
            | {"differs": differs, "erbo": float(two.mean())}
        )
    return pd.DataFrame(rows)


#: Shift over radius from which the true law lies well outside the ball.
FAR = 2.0


def shift_numbers() -> Numbers:
    """Numbers of both chapters, by kind of problem: in how many cases a robust rule is shown to beat ERBO, or to lose to it,
    within the ball and from :data:`FAR` radii on; ratios without a shift, and those of the exact worst case with other widths."""
    study = shift_study()
    rows = study.rows[~((study.rows.line == "newsvendor down") & (study.rows["shift"] == 0.0))]
    on_grid = rows.line.str.startswith("grid")
    widths, erbo = study.widths, study.widths.set_index(["problem", "width"]).erbo
    values: dict[str, object] = {}
    for kind, part in (("continuum", rows[~on_grid]), ("grid", rows[on_grid])):
        far, near, still = part[part["shift"] >= FAR], part[part["shift"] <= 1.0], part[part["shift"] == 0.0]
        exact = still[still.method == "wdrbo-exact"]
        values |= {f"{kind}_far_all": len(far), f"{kind}_far_better": int((far.shown == -1).sum())}
        values |= {f"{kind}_near_all": len(near), f"{kind}_near_worse": int((near.shown == 1).sum())}
        values |= {f"{kind}_near_better": int((near.shown == -1).sum())}
        values |= {f"{kind}_low": float(still.ratio.min()), f"{kind}_high": float(still.ratio.max())}
        values |= {f"{kind}_exact": exact.ratio.tolist(), f"{kind}_exact_shown": exact.shown.tolist()}
        values[f"{kind}_seeds"] = ends(part.seeds)
        own = widths[widths.problem.str.startswith("grid") == (kind == "grid")]
        values |= {
            f"{kind}_width_{str(width).replace('.', '_')}": column.ratio.tolist()
            for width, column in own.groupby("width")
        }
    return Numbers(
        study,
        shift_rounds=ROUNDS,
        far=FAR,
        comparisons=len(rows),
        own_width=Shift.width,
        middle_width=float(SHORT[0]),
        short_width=float(SHORT[-1]),
        long_width=float(LONG),
        grid_shifted=float(rows.ratio[on_grid & (rows["shift"] > 0.0)].max()),
        far_worse=int(((rows.shown == 1) & (rows["shift"] >= FAR)).sum()),
        saved=max(erbo[grid_name(radius), SHORT[0]] / erbo[grid_name(radius), OWN] for radius in GRIDS),
        **values,
        **cells(study.rows, "{line}, {method}, shift {shift:g}: {}", {"ratio": "over ERBO"}),
    )
