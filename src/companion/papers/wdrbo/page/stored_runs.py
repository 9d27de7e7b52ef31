"""The stored runs of Figures 1 to 4 and Tables 1 and 2: curves, paired differences, ranks and times."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import numpy as np
import pandas as pd

from companion.judge.claim_tests import beside_printed
from companion.pages import Numbers, cells
from companion.pages.tables import smallest
from companion.papers.wdrbo.experiments.figures_claims import FIGURE_2
from companion.papers.wdrbo.experiments.printed import BASE, PROBLEM_OF, TITLE_OF, WDRBOResults, label
from companion.papers.wdrbo.experiments.ranking_claims import against_wdrbo, average_ranks
from companion.papers.wdrbo.experiments.runs import METHOD_NAMES, PUBLISHED
from companion.papers.wdrbo.method.methods import READINGS

NAN = float("nan")
#: Methods of Figures 2 and 3; the second shows all of the paper's, and we add WDRBO's exact form.
FIGURES: Mapping[int, tuple[str, ...]] = {
    2: FIGURE_2,
    3: METHOD_NAMES,
}
WHEN = {"total": "all rounds", "late": "the last fifth"}


load_paper_results = WDRBOResults.read


def curve_numbers(evidence: WDRBOResults, number: int, reading: str = "text") -> Numbers:
    """Of Figure ``number``: seeds behind its means, in words where they differ, and the lowest method at the end by problem."""
    settings = evidence.record["settings"]
    counts: set[int] = set()
    lowest = []
    for problem in evidence.problems:
        curves = {m: evidence.curve("cumulative", problem, m, reading) for m in FIGURES[number]}
        found = {method: curve for method, curve in curves.items() if curve is not None}
        counts |= {curve.runs for curve in found.values()}
        final = {method: float(curve.mean[-1]) for method, curve in found.items()}
        if final:
            lowest.append(f"{label(min(final, key=final.__getitem__))} on {TITLE_OF[problem]}")
    return Numbers(
        evidence,
        seeds=between(counts),
        lowest=lowest,
        problems=len(evidence.problems),
        paper_seeds=evidence.paper_runs,
        stored=len(evidence.tables["runs"]) + len(settings["failures"]),
        broken=len(settings["failures"]),
    )


def rival_numbers(evidence: WDRBOResults, reading: str = "text") -> Numbers:
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


def level_rows(evidence: WDRBOResults, reading: str) -> pd.DataFrame:
    """Cumulative regret at the end, a row for each method and a column for each problem: mean ± standard error over the seeds
    that all methods have there; their number is the last row."""
    values = {problem: evidence.common(problem, reading) for problem in evidence.problems}
    rows = []
    for method in METHOD_NAMES:
        row: dict[str, object] = {"method": label(method)}
        for problem, found in values.items():
            own = found.get(method)
            row[TITLE_OF[problem]] = (
                "–" if own is None else f"{short(own.mean())} ± {short(own.std(ddof=1) / np.sqrt(len(own)))}"
            )
        rows.append(row)
    counts = {TITLE_OF[problem]: len(next(iter(found.values()), [])) for problem, found in values.items()}
    return pd.DataFrame([*rows, {"method": "seeds", **counts}])


def lowest_level(evidence: WDRBOResults, reading: str) -> pd.DataFrame:
    """Position of the smallest mean of :func:`level_rows`, problem by problem."""
    means = {}
    for problem in evidence.problems:
        found = evidence.common(problem, reading)
        means[TITLE_OF[problem]] = [float(found[m].mean()) if m in found else NAN for m in METHOD_NAMES] + [NAN]
    return smallest(pd.DataFrame(means))


def short(value: float) -> str:
    """Three significant digits without an exponent."""
    return f"{value:.0f}" if abs(value) >= 1000 else f"{value:.3g}"


def between(counts: Iterable[int]) -> str:
    """``15``, or ``15 to 50`` where counts differ."""
    listed = sorted(set(counts)) or [0]
    return str(listed[0]) if listed[0] == listed[-1] else f"{listed[0]} to {listed[-1]}"


def difference_rows(evidence: WDRBOResults, reading: str, column: str, few: bool = False) -> pd.DataFrame:
    """Differences to WDRBO in per cent of WDRBO's mean regret over common seeds, or the paper's alone, with paired intervals
    and corrected p-values."""
    rows = []
    count = evidence.paper_runs if few else None
    found = against_wdrbo(evidence, column, reading, count) if reading in evidence.readings() else []
    for one in found:
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


def grid_rows(
    evidence: WDRBOResults, reading: str = "text", column: str = "total"
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """The differences as a grid, a row for each method and a column for each problem, with the seeds that both have; and
    which of them are shown."""
    rows = difference_rows(evidence, reading, column)
    grid, marks = [], []
    for method, part in rows.groupby("method", sort=False) if len(rows) else ():
        cell = {TITLE_OF[row["problem"]]: row for row in part.to_dict("records")}
        words = {title: f"{row['percent']:+.0f} ({row['seeds']})".replace("-", "−") for title, row in cell.items()}
        grid.append({"method": label(str(method))} | words)
        marks.append({title: bool(row["shown"]) for title, row in cell.items()})
    order = [label(name) for name in METHOD_NAMES]
    place = sorted(range(len(grid)), key=lambda k: order.index(grid[k]["method"]))
    return pd.DataFrame([grid[k] for k in place]), pd.DataFrame([marks[k] for k in place])


def tally_rows(evidence: WDRBOResults) -> pd.DataFrame:
    """On how many problems each method is shown to be better and worse than WDRBO over all rounds, in both readings, and in
    the text's with the paper's seeds alone."""
    rows = []
    asked = {}
    for reading in evidence.readings():
        asked[reading] = difference_rows(evidence, reading, "total")
        if reading == "text":
            asked[f"text, first {evidence.paper_runs} seeds"] = difference_rows(evidence, reading, "total", few=True)
    for method in METHOD_NAMES:
        row: dict[str, object] = {"method": label(method)}
        for reading, listed in asked.items():
            own = listed[listed.method == method] if len(listed) else listed
            better, worse = (int((own.shown == sign).sum()) if len(own) else 0 for sign in (-1, 1))
            row[f"{reading}: better, worse"] = f"{better}, {worse} of {len(own)}" if len(own) else "–"
            if reading in READINGS:
                row[f"{reading}: seeds"] = between(own.seeds) if len(own) else "–"
        if method != "wdrbo":
            rows.append(row)
    return pd.DataFrame(rows)


def difference_numbers(evidence: WDRBOResults, column: str = "total") -> Numbers:
    """Comparisons with WDRBO, each over the seeds that both have: how many methods are shown to be worse and better, by reading
    and by method, with the paper's seeds alone besides (``_few``), and how far the intervals of what stays open reach."""
    values: dict[str, object] = {}
    for reading in READINGS:
        rows = difference_rows(evidence, reading, column)
        shown = rows.shown if len(rows) else pd.Series(dtype=int)
        values |= {f"{reading}_all": len(rows), f"{reading}_worse": int((shown == 1).sum())}
        values |= {f"{reading}_better": int((shown == -1).sum()), f"{reading}_open": int((shown == 0).sum())}
        values |= {f"{reading}_seeds": between(rows.seeds if len(rows) else [])}
        values[f"{reading}_reach"] = _reach(rows[rows.shown == 0]) if len(rows) else float("nan")
        if len(rows):
            percent = rows.groupby("problem", sort=False).percent
            values |= {f"{reading}, {TITLE_OF[str(problem)]}": part.tolist() for problem, part in percent}
    for few, suffix in ((False, ""), (True, "_few")):
        rows = difference_rows(evidence, "text", column, few)
        for method in METHOD_NAMES:
            own = rows[rows.method == method] if len(rows) else pd.DataFrame(columns=["shown", "seeds", "low", "high"])
            name = method.replace("-", "_") + suffix
            values |= {f"{name}_better": int((own.shown == -1).sum()), f"{name}_worse": int((own.shown == 1).sum())}
            values |= {f"{name}_seeds": between(own.seeds), f"{name}_reach": _reach(own) if len(own) else float("nan")}
    return Numbers(
        evidence, problems=len(evidence.problems), paper_seeds=evidence.paper_runs, when=WHEN[column], **values
    )


def _reach(rows: pd.DataFrame) -> float:
    """Half the length of an interval, in per cent of WDRBO's regret: the median of these rows."""
    return float(((rows.high - rows.low) / 2.0).median())


# -- ranks -------------------------------------------------------------------------------------------------------------


def rank_rows(evidence: WDRBOResults) -> pd.DataFrame:
    """Average rank of the mean cumulative regret over the problems, with a bootstrap interval, by method and reading."""
    rows = []
    for reading in evidence.readings():
        methods = evidence.methods(reading, published=True)
        if not methods:
            continue
        values = evidence.matrix(methods, reading=reading)
        own, drawn = average_ranks(values)
        low, high = np.quantile(drawn, [0.025, 0.975], axis=0)
        rows += [
            {"reading": reading, "method": method, "rank": own[k], "low": low[k], "high": high[k], "seeds": len(values)}
            for k, method in enumerate(methods)
        ]
    return pd.DataFrame(rows)


# -- times -------------------------------------------------------------------------------------------------------------


def time_rows(evidence: WDRBOResults) -> pd.DataFrame:
    """Times over ERBO's, printed and ours, with our seconds; a row for each function and method."""
    rows = []
    for title, problem in PROBLEM_OF.items():
        if not evidence.timed(problem):
            continue
        for name in PUBLISHED:
            if not evidence.timed(problem, name):
                continue
            cell = evidence.cell(problem, name)
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


def time_numbers(evidence: WDRBOResults) -> Numbers:
    """WDRBO's time over ERBO's, ERBO's own seconds, printed and ours, and the number of ratios that agree."""
    rows = time_rows(evidence)
    seeds = evidence.tables["timings"].seed.nunique()
    values: dict[str, object] = {"all": 0, "within": 0, "outside": 0, "seeds": seeds}
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


def rank_numbers(evidence: WDRBOResults) -> Numbers:
    """Methods with their average ranks, best first, in each reading, and the seeds that all of these cells have."""
    rows = rank_rows(evidence)
    values: dict[str, object] = cells(rows, "{reading}, {method}", ["rank"])
    for reading in READINGS:
        part = rows[rows.reading == reading].sort_values("rank") if len(rows) else rows
        values[reading] = [f"{label(row['method'])} {row['rank']:.1f}" for row in part.to_dict("records")]
        values[f"{reading}_seeds"] = int(part.seeds.iloc[0]) if len(part) else 0
    return Numbers(evidence, **values)
