"""The stored runs of Figures 1 to 4 and Tables 1 and 2: curves, paired differences, ranks and times."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np
import pandas as pd

from companion.arrays import Floats
from companion.papers.wdrbo.claims.figures import FIGURE_2, READINGS
from companion.papers.wdrbo.claims.printed import BASE, METHOD_OF, PROBLEM_OF, TITLE_OF, Results, label
from companion.papers.wdrbo.claims.ranking import against_wdrbo, average_ranks
from companion.papers.wdrbo.plan import store
from companion.papers.wdrbo.plan.runs import METHOD_NAMES, PUBLISHED
from companion.report import Numbers, Where, cells, stored
from companion.report.tables import smallest
from companion.reproduce.claimed import beside_printed
from companion.reproduce.compare import Contrast
from companion.reproduce.stored import unjoined

NAN = float("nan")
FIGURES: Mapping[int, tuple[str, ...]] = {
    2: FIGURE_2,
    3: METHOD_NAMES,
}
"""Methods of Figures 2 and 3; the second shows all of the paper's, and we add WDRBO's exact form."""
WINDOW = 4
"""Rounds to either side over which an instantaneous regret is averaged for the eye."""
WHEN = {"total": "all rounds", "late": "the last fifth"}


@dataclass(frozen=True)
class Curve:
    """Mean regret by round and its standard error over ``runs`` seeds, of one kind."""

    mean: Floats
    error: Floats
    runs: int


class Evidence(Results):
    """The stored runs beside what is printed, with what several studies compute from them."""

    @property
    def where(self) -> Where:
        """Sources of everything made from the stored results; none for results made up on the spot."""
        return stored(self.record, store.store) if self.record else Where()

    @cached_property
    def _curves(self) -> dict[tuple[str, ...], pd.Series]:
        table = self.tables["curves"].fillna({"variant": ""})
        keys = ["block", "problem", "reading", "variant", "method"]
        return {tuple(str(row[name]) for name in keys): row for _, row in table.iterrows()}

    def curve(
        self,
        kind: str,
        problem: str,
        method: str,
        reading: str = "text",
        variant: str = "",
        block: str = "figures",
    ) -> Curve | None:
        """Mean and standard error by round over the paper's number of seeds; none for a cell that was not run."""
        row = self._curves.get((block, problem, reading, variant, method))
        if row is None:
            return None
        error = unjoined(str(row[f"{kind}_se"]))
        return Curve(unjoined(str(row[kind])), error, int(row.runs))

    def readings(self) -> list[str]:
        """Readings in which WDRBO was run on all problems."""
        return [name for name in READINGS if all(self.has(problem, "wdrbo", reading=name) for problem in self.problems)]

    @cached_property
    def contrasts(self) -> dict[tuple[str, str], list[Contrast]]:
        """Every other method minus WDRBO on every problem, by reading and rounds; Holm's correction for all of them."""
        return {
            (reading, column): against_wdrbo(self, column, reading) for reading in self.readings() for column in WHEN
        }


def load_paper_results(root: Path | None = None) -> Evidence:
    """Read the stored runs and the printed tables.

    Raises
    ------
    ResultError
        when the stored results are missing or damaged, naming the command that makes them
    """
    return Evidence.read(root)


def curve_numbers(evidence: Evidence, number: int, reading: str = "text") -> Numbers:
    """Of Figure ``number``: seeds, whether every mean is over all of them, and the lowest method at the end by problem."""
    settings = evidence.record["settings"]
    kind = "cumulative" if number in FIGURES else "instantaneous"
    planned = int(settings["paper_runs" if reading == "text" else "code_runs"])
    complete, lowest, ends = True, [], dict[str, float]()
    for problem in evidence.problems:
        curves = {m: evidence.curve(kind, problem, m, reading) for m in FIGURES.get(number, METHOD_NAMES)}
        found = {method: curve for method, curve in curves.items() if curve is not None}
        complete &= all(curve.runs == planned for curve in found.values())
        tail = 1 if kind == "cumulative" else 2 * WINDOW + 1
        final = {method: float(curve.mean[-tail:].mean()) for method, curve in found.items()}
        # The tables of levels have the cumulative regret.
        ends |= {f"{TITLE_OF[problem]}, {label(m)}": at for m, at in final.items() if kind == "instantaneous"}
        if final:
            lowest.append(f"{label(min(final, key=final.__getitem__))} on {TITLE_OF[problem]}")
    return Numbers(
        evidence,
        seeds=planned,
        complete=complete,
        lowest=lowest,
        problems=len(evidence.problems),
        windows=2 * WINDOW + 1,
        stored=int(settings["runs"]),
        broken=len(settings["failures"]),
        **ends,
    )


def rival_numbers(evidence: Evidence, reading: str = "text") -> Numbers:
    """Methods whose regret over WDRBO's is below one at the end, as geometric mean over the problems, and those above."""
    ahead: list[str] = []
    behind: list[str] = []
    for method in (name for name in METHOD_NAMES if name != "wdrbo"):
        ratios = []
        for problem in evidence.problems:
            one, base = (evidence.curve("cumulative", problem, name, reading) for name in (method, "wdrbo"))
            if one is not None and base is not None:
                ratios.append(float(np.log(one.mean[-1] / base.mean[-1])))
        if ratios:
            (ahead if np.mean(ratios) < 0 else behind).append(label(method))
    return Numbers(evidence, ahead=ahead, behind=behind)


# -- levels and differences --------------------------------------------------------------------------------------------


def level_rows(evidence: Evidence, reading: str) -> pd.DataFrame:
    """Cumulative regret at the end, a row for each method and a column for each problem: mean ± standard error."""
    rows = []
    for method in METHOD_NAMES:
        row: dict[str, object] = {"method": label(method)}
        for problem in evidence.problems:
            found = evidence.curve("cumulative", problem, method, reading)
            row[TITLE_OF[problem]] = "–" if found is None else f"{short(found.mean[-1])} ± {short(found.error[-1])}"
        rows.append(row)
    return pd.DataFrame(rows)


def lowest_level(evidence: Evidence, reading: str) -> pd.DataFrame:
    """Where the smallest mean of :func:`level_rows` stands, problem by problem."""
    means = {}
    for problem in evidence.problems:
        found = [evidence.curve("cumulative", problem, method, reading) for method in METHOD_NAMES]
        means[TITLE_OF[problem]] = [NAN if curve is None else float(curve.mean[-1]) for curve in found]
    return smallest(pd.DataFrame(means))


def short(value: float) -> str:
    """Three significant digits without an exponent."""
    return f"{value:.0f}" if abs(value) >= 1000 else f"{value:.3g}"


def difference_rows(evidence: Evidence, reading: str, column: str) -> pd.DataFrame:
    """Differences to WDRBO in per cent of WDRBO's mean regret, with paired intervals and corrected p-values."""
    rows = []
    for one in evidence.contrasts.get((reading, column), []):
        problem, method = one.where.split(", ")
        base = one.means[1]
        gap = one.difference
        rows.append(
            {
                "problem": problem,
                "method": method,
                "percent": 100.0 * gap.estimate / base,
                "low": 100.0 * gap.low / base,
                "high": 100.0 * gap.high / base,
                "adjusted p": one.adjusted,
                "shown": one.shown(evidence.margins.significance),
                "seeds": gap.count,
            }
        )
    return pd.DataFrame(rows)


def tally_rows(evidence: Evidence) -> pd.DataFrame:
    """On how many problems each method is shown to be better and worse than WDRBO over all rounds, in both readings."""
    rows = []
    found = {reading: difference_rows(evidence, reading, "total") for reading in evidence.readings()}
    for method in METHOD_NAMES:
        row: dict[str, object] = {"method": label(method)}
        for reading, listed in found.items():
            own = listed[listed.method == method] if len(listed) else listed
            for words, sign in (("better", -1), ("worse", 1)):
                row[f"{words}, {reading}"] = f"{int((own.shown == sign).sum())} of {len(own)}" if len(own) else "–"
        if method != "wdrbo":
            rows.append(row)
    return pd.DataFrame(rows)


def difference_numbers(evidence: Evidence, column: str = "total") -> Numbers:
    """Comparisons with WDRBO: how many methods are shown to be worse and better, by reading and by method."""
    values: dict[str, object] = {}
    for reading in READINGS:
        rows = difference_rows(evidence, reading, column)
        shown = rows.shown if len(rows) else pd.Series(dtype=int)
        values |= {f"{reading}_all": len(rows), f"{reading}_worse": int((shown == 1).sum())}
        values |= {f"{reading}_better": int((shown == -1).sum()), f"{reading}_open": int((shown == 0).sum())}
        if len(rows):
            percent = rows.groupby("problem", sort=False).percent
            values |= {f"{reading}, {TITLE_OF[str(problem)]}": part.tolist() for problem, part in percent}
    rows = difference_rows(evidence, "text", column)
    for method in METHOD_NAMES:
        own = rows.shown[rows.method == method] if len(rows) else pd.Series(dtype=int)
        name = method.replace("-", "_")
        values |= {f"{name}_better": int((own == -1).sum()), f"{name}_worse": int((own == 1).sum())}
    return Numbers(evidence, problems=len(evidence.problems), when=WHEN[column], **values)


# -- ranks -------------------------------------------------------------------------------------------------------------


def rank_rows(evidence: Evidence) -> pd.DataFrame:
    """Average rank of the mean cumulative regret over the problems, with a bootstrap interval, by method and reading."""
    rows = []
    for reading in evidence.readings():
        methods = evidence.methods(reading, published=True)
        if not methods:
            continue
        own, drawn = average_ranks(evidence.matrix(methods, reading=reading))
        low, high = np.quantile(drawn, [0.025, 0.975], axis=0)
        rows += [
            {"reading": reading, "method": method, "rank": own[k], "low": low[k], "high": high[k]}
            for k, method in enumerate(methods)
        ]
    return pd.DataFrame(rows)


# -- times -------------------------------------------------------------------------------------------------------------


def time_rows(evidence: Evidence) -> pd.DataFrame:
    """Times over ERBO's, printed and ours, with our seconds; a row for each function and method."""
    rows = []
    for title, problem in PROBLEM_OF.items():
        if not evidence.timed(problem):
            continue
        for name in PUBLISHED:
            if not evidence.timed(problem, name):
                continue
            cell = next(c for c in evidence.cells if c.problem == title and METHOD_OF[c.method] == name)
            printed = evidence.printed_ratio(cell)
            margin = evidence.margins.margin(cell) / cell.mean * printed
            found = beside_printed(evidence.ratios(problem, name), printed, margin, evidence.margins.confidence)
            rows.append(
                {
                    "function": title,
                    "method": label(name),
                    "printed ratio": printed,
                    "our ratio": found["mean"],
                    "interval": f"{found['ci95'][0]:.3g} to {found['ci95'][1]:.3g}",
                    "within the margin": {"within": "yes", "outside": "no"}.get(found["verdict"], "undecided"),
                    "our seconds": float(evidence.seconds(problem, name).mean()),
                }
            )
    return pd.DataFrame(rows)


def time_numbers(evidence: Evidence) -> Numbers:
    """WDRBO's time over ERBO's, ERBO's own seconds, printed and ours, and how many ratios agree."""
    rows = time_rows(evidence)
    values: dict[str, object] = {"all": 0, "within": 0, "outside": 0}
    for title, problem in PROBLEM_OF.items():
        own = {} if rows.empty else {row["method"]: row for row in rows[rows.function == title].to_dict("records")}
        row, base = own.get(label("wdrbo"), {}), own.get(label(BASE), {})
        for name, place in (("ours", "our ratio"), ("printed", "printed ratio")):
            values[f"{problem}_{name}"] = row.get(place, float("nan"))
        values[f"{problem}_base"] = base.get("our seconds", float("nan"))
        values[f"{problem}_base_printed"] = evidence.printed(problem, BASE)
    if len(rows):
        others = rows[rows.method != label(BASE)]
        values |= {"all": len(others), "within": int((others["within the margin"] == "yes").sum())}
        values["outside"] = int((others["within the margin"] == "no").sum())
    return Numbers(evidence, **values)


def rank_numbers(evidence: Evidence) -> Numbers:
    """Methods with their average ranks, best first, in each reading."""
    rows = rank_rows(evidence)
    values = cells(rows, "{reading}, {method}", ["rank"])
    for reading in READINGS:
        part = rows[rows.reading == reading].sort_values("rank") if len(rows) else rows
        values[reading] = [f"{label(row['method'])} {row['rank']:.1f}" for row in part.to_dict("records")]
    return Numbers(evidence, **values)
