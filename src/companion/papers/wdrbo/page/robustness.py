"""Three questions, answered apart: is the bound's condition met, does the ranking hold, does robustness pay."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from companion.judge.method_comparison import Contrast, contrasts
from companion.judge.ownership import of_paper
from companion.judge.verdict import CONTRADICTED, HOLDS
from companion.pages import Canvas, Numbers, Palette, Provenance, Rows, Table, cells, charts, figure, frame, table
from companion.papers.wdrbo.experiments import questions_claims
from companion.papers.wdrbo.experiments.coverage import LAWS
from companion.papers.wdrbo.experiments.definitions import experiment
from companion.papers.wdrbo.experiments.figures_claims import FIGURE_2, LEADING, perform_well
from companion.papers.wdrbo.experiments.printed import TITLE_OF, WDRBOResults, aligned, label
from companion.papers.wdrbo.experiments.questions_claims import WANTED, by_variant
from companion.papers.wdrbo.experiments.ranking_claims import average_ranks, on_problems
from companion.papers.wdrbo.experiments.runs import SEVEN
from companion.papers.wdrbo.method.methods import READINGS
from companion.papers.wdrbo.page.stored_runs import between
from companion.papers.wdrbo.theory.radii import PRACTICE

COLUMNS = {"total": "all rounds", "early": "the first fifth", "late": "the last fifth"}
#: Stands for a regret of zero, of which nothing is a multiple.
TINY = 1e-12
#: Names of the laws in figures, where they differ from those in the tables.
LAW_NAMES = {"burr": "Burr", "clipped normal, twice": "two clipped normals", "uniform, twice": "two uniforms"}


# -- does the bound hold -----------------------------------------------------------------------------------------------


@frame
def coverage_rows(evidence: WDRBOResults) -> Rows:
    """Frequency at which the ball of the experiments contains the true law, by law and number of contexts."""
    for row in questions_claims.coverage_rows(evidence):
        low, high = row["ci95"]
        yield {**{k: row[k] for k in ("law", "count", "draws", "mean", "radius", "covered")}, "low": low, "high": high}


def coverage_numbers(evidence: WDRBOResults) -> Numbers:
    """Shares of samples whose ball holds the law, at the largest number of contexts, and mean distances in radii."""
    parts, _ = questions_claims.bound(evidence)
    rows = coverage_rows(evidence)
    last = rows.loc[rows.groupby("law", sort=False)["count"].idxmax()].set_index("law")
    plane = last[[LAWS[str(law)].dim > 1 for law in last.index]]
    times = plane["mean"] / plane.radius
    return Numbers(
        evidence,
        wanted=WANTED,
        laws=len(last),
        kept=[part.what.split(":")[0] for part in parts if part.judgement.verdict == HOLDS],
        missed=[part.what.split(":")[0] for part in parts if part.judgement.verdict == CONTRADICTED],
        shares=[f"{LAW_NAMES.get(str(law), law)} {share:.0%}" for law, share in last.covered.items()],
        count=int(last["count"].min()),
        burr=float(last.covered["burr"]),
        normal=float(last.covered["clipped normal"]),
        uniform=float(last.covered["uniform"]),
        plane=float(plane.covered.max()),
        plane_count=int(plane["count"].iloc[0]),
        low=float(times.min()),
        high=float(times.max()),
        **cells(last.reset_index(), "{law}: {}", ["mean", "radius", "covered"]),
    )


@figure(size=(8.8, 3.6))
def coverage(canvas: Canvas, palette: Palette, evidence: WDRBOResults) -> None:
    """Frequency at which the ball contains the true law, and distance over radius, against the number of contexts."""
    rows = coverage_rows(evidence)
    groups = {LAW_NAMES.get(str(law), str(law)): part for law, part in rows.groupby("law", sort=False)}
    top = float((rows["mean"] / rows.radius).max())
    left, right = charts.row_of(canvas, 2, sharey=False)
    for k, (name, part) in enumerate(groups.items()):
        look = charts.marked(palette, k)
        left.errorbar(part["count"], part.covered, charts.bars(part, "covered"), capsize=2, **look)
        right.plot(part["count"], part["mean"] / part.radius, label=name, **look)
    for axes, level in ((left, WANTED), (right, 1)):
        axes.axhline(level, color=palette.accent, lw=1, ls=":")
        charts.name_axes(axes, "contexts n", log="x")
        charts.name_ticks(axes.xaxis, (5, 10, 20, 50, 100))
    left.set(ylabel="share of samples", ylim=(-0.03, 1.03), title="The ball holds the true law")
    right.set(ylabel="mean distance over radius", ylim=(0, 1.45 * top), title=r"Distance over $0.3/\sqrt{n}$")
    right.legend(fontsize=8, loc="upper left", ncols=2)


# -- does the ranking hold ---------------------------------------------------------------------------------------------


@frame
def praise_rows(evidence: WDRBOResults) -> Rows:
    """WDRBO, ERBO and SBO-KDE beside the best of Figure 2's five methods and beside GP-UCB: numbers of problems."""
    parts, extra = perform_well(evidence)
    verdicts = {part.what: part.judgement.verdict for part in parts}
    for key, place in extra["places"].items():
        reading, method = key.split(", ")
        near, better = (list(place[name].values()) for name in ("near_best", "against_gp_ucb"))
        yield {
            "method": label(method),
            "reading": reading,
            "near the best": near.count(-1),
            "farther behind": near.count(1),
            "below GP-UCB": better.count(-1),
            "above GP-UCB": better.count(1),
            "problems": len(near),
            "verdict": verdicts[f"{label(method)}, {reading}'s reading"],
        }


def _shares(evidence: WDRBOResults, reading: str) -> tuple[float, float]:
    """Of the resampled seeds, in how many the praised methods rank first, and DRBO-KDE before WDRBO; NaN if not run."""
    if not set(FIGURE_2) <= set(evidence.methods(reading)):
        return float("nan"), float("nan")
    _, drawn = average_ranks(evidence.matrix(FIGURE_2, reading=reading))
    rank = dict(zip(FIGURE_2, drawn.T, strict=True))
    rest = [rank[name] for name in FIGURE_2 if name not in LEADING]
    leads = np.max([rank[name] for name in LEADING], axis=0) < np.min(rest, axis=0)
    return float(leads.mean()), float((rank["drbo-kde"] < rank["wdrbo"]).mean())


def ranking_numbers(evidence: WDRBOResults) -> Numbers:
    """Verdicts on the two groups of methods, and comparison of the praised ones with the best and with GP-UCB."""
    parts, _ = questions_claims.ranking(evidence)
    rows = praise_rows(evidence).to_dict("records")
    by_cell = {(row["method"], row["reading"]): row for row in rows}
    values: dict[str, Any] = {}
    for method in LEADING:
        row, name = by_cell.get((label(method), "text"), {}), method.replace("-", "_")
        values |= {f"{name}_near": row.get("near the best", 0), f"{name}_behind": row.get("farther behind", 0)}
        values |= {f"{name}_below": row.get("below GP-UCB", 0)}
    for reading in READINGS:
        values |= dict(zip((f"lead_{reading}", f"kde_first_{reading}"), _shares(evidence, reading), strict=True))
        counts = [
            one.difference.count
            for method in FIGURE_2
            if method != "wdrbo"
            for one in on_problems(evidence, "wdrbo", method, reading=reading)
        ]
        values[f"{reading}_seeds"] = between(counts)
        values[f"well_{reading}"] = [row["verdict"] for row in rows if row["reading"] == reading]
    return Numbers(
        evidence,
        problems=len(evidence.problems),
        near=evidence.margins.claims["worthwhile"],
        first=[part.judgement.verdict for part in parts if part.what.startswith("rank first")],
        last=[part.judgement.verdict for part in parts if part.what.startswith("not competitive")],
        **values,
    )


@frame
def claim_rows(entries: list[dict[str, Any]]) -> Rows:
    """Claims of the stored verdicts with the outcome of each part; the questions of the companion are left out."""
    for entry in of_paper(entries):
        if entry["kind"] == "claim":
            yield {
                "claim": entry["claim"],
                "where": entry["source"],
                "verdict": entry["verdict"],
                "parts": _parts(entry.get("parts", [])),
            }


def _parts(parts: list[dict[str, Any]]) -> str:
    counts_of: dict[str, int] = {}
    for part in parts:
        counts_of[part["verdict"]] = counts_of.get(part["verdict"], 0) + 1
    return ", ".join(f"{count} {verdict}" for verdict, count in counts_of.items()) or "–"


def claims(entries: list[dict[str, Any]], where: Provenance) -> Table:
    """Every claim about the experiments with its verdict."""
    return Table(claim_rows(entries), where=where)


praise = table(praise_rows)


# -- does robustness pay -----------------------------------------------------------------------------------------------


def _over(one: Contrast) -> dict[str, float]:
    gap, base = one.difference, max(one.means[1], TINY)
    return {"ratio": 1 + gap.estimate / base, "low": 1 + gap.low / base, "high": 1 + gap.high / base}


def data_driven_rows(evidence: WDRBOResults, reading: str = "text", method: str = "wdrbo") -> pd.DataFrame:
    """Mean regret of a robust rule over ERBO's, by problem, for all, the first and the last rounds, with paired intervals."""
    rows = []
    for column in COLUMNS:
        for one in on_problems(evidence, method, "erbo", column, reading):
            rows.append(
                {
                    "problem": one.where,
                    "column": column,
                    **_over(one),
                    "shown": one.shown(evidence.margins.significance),
                }
            )
    return pd.DataFrame(rows, columns=["problem", "column", "ratio", "low", "high", "shown"])


def radius_rows(evidence: WDRBOResults) -> pd.DataFrame:
    """WDRBO with the radius a / sqrt(n) over ERBO, for the constants that were run and the paper's."""
    pairs = {}
    for problem in SEVEN:
        for variant, method in evidence.variants(problem, "radius"):
            if evidence.has(problem, "erbo"):
                one, two = evidence.of(problem, method, variant=variant, block="radius"), evidence.of(problem, "erbo")
                pairs[f"{problem}, {variant.removeprefix('radius=')}"] = aligned(one.total, two.total)
        if any(key.startswith(f"{problem}, ") for key in pairs):
            pairs[f"{problem}, {_published(problem):g}"] = evidence.pair(problem, "wdrbo", "erbo")
    rows = []
    for one in contrasts(pairs, evidence.margins.confidence) if pairs else []:
        problem, constant = one.where.split(", ")
        shown = one.shown(evidence.margins.significance)
        rows.append({"problem": problem, "constant": float(constant), **_over(one), "shown": shown})
    columns = ["problem", "constant", "ratio", "low", "high", "shown"]
    return pd.DataFrame(rows, columns=columns).sort_values(["problem", "constant"])


def _published(problem: str) -> float:
    return float(experiment(problem).parameters["radius"].default)


@frame
def region_rows(evidence: WDRBOResults) -> Rows:
    """WDRBO with its Lipschitz constant between the seen contexts only, minus ERBO."""
    for row in by_variant(evidence, "region"):
        yield {
            "problem": TITLE_OF[row["where"].split(", ")[0]],
            "regret": row["means"][0],
            "ERBO": row["means"][1],
            "difference": row["difference"],
            "interval": f"{row['ci95'][0]:+.3g} to {row['ci95'][1]:+.3g}",
            "corrected p": row["adjusted_p"],
        }


def region_numbers(evidence: WDRBOResults) -> Numbers:
    """On how many problems WDRBO with that Lipschitz constant is shown to have less and more regret than ERBO."""
    rows = region_rows(evidence)
    shown = rows[rows["corrected p"] < evidence.margins.significance] if len(rows) else rows
    gaps = shown["difference"] if len(shown) else pd.Series(dtype=float)
    return Numbers(evidence, problems=len(rows), better=int((gaps < 0).sum()), worse=int((gaps > 0).sum()))


def robustness_numbers(evidence: WDRBOResults) -> Numbers:
    """WDRBO against ERBO on the data-driven problems, in both readings, over all common seeds and over the paper's alone."""
    values: dict[str, Any] = {}
    for reading in READINGS:
        told = questions_claims.by_reading(evidence).get(reading, {})
        for name in ("better", "worse", "worse, all", "lower mean"):
            values[f"{reading}_{name.replace(', ', '_').replace(' ', '_')}"] = told.get(name, 0)
        listed = on_problems(evidence, "wdrbo", "erbo", reading=reading)
        values[f"{reading}_seeds"] = between(one.difference.count for one in listed)
        values[f"{reading}_reach"] = float(np.median([_reach(one) for one in listed])) if listed else float("nan")
    few = on_problems(evidence, "wdrbo", "erbo", count=evidence.paper_runs)
    data = data_driven_rows(evidence)
    late = data[data.column == "late"]
    return Numbers(
        evidence,
        problems=len(evidence.problems),
        paper_seeds=evidence.paper_runs,
        few_worse=sum(one.shown(evidence.margins.significance) == 1 for one in few),
        few_better=sum(one.shown(evidence.margins.significance) == -1 for one in few),
        late_worse=int((late.shown == 1).sum()),
        late_better=int((late.shown == -1).sum()),
        **cells(data, "{problem}, {column}", ["ratio"]),
        **values,
    )


def _reach(one: Contrast) -> float:
    """Half the length of the interval, in per cent of the second method's mean."""
    row = _over(one)
    return 100.0 * (row["high"] - row["low"]) / 2.0


def radius_numbers(evidence: WDRBOResults) -> Numbers:
    """WDRBO against ERBO by the constant of the radius: what is shown, and the ratios at the two ends."""
    rows = radius_rows(evidence)
    ends = [
        f"{TITLE_OF[str(problem)]} {part.ratio.iloc[0]:.2f} and {part.ratio.iloc[-1]:.2f}"
        for problem, part in rows.groupby("problem", sort=False)
    ]
    at_least = rows[rows.constant >= PRACTICE]
    return Numbers(
        evidence,
        practice=PRACTICE,
        ends=ends,
        better=int((rows.shown == -1).sum()),
        problems=len(ends),
        all_worse=bool(len(at_least) and (at_least.shown == 1).all()),
        **cells(rows, "{problem}, radius {constant:g}/√n", ["ratio"]),
    )


@figure(size=(7.6, 3.6))
def radius(canvas: Canvas, palette: Palette, evidence: WDRBOResults) -> None:
    """WDRBO's regret against the constant of its radius."""
    rows = radius_rows(evidence)
    groups = {TITLE_OF[str(problem)]: part for problem, part in rows.groupby("problem", sort=False)}
    axes = canvas.subplots()
    for k, (name, part) in enumerate(groups.items()):
        charts.shown_marks(axes, part.constant * (1.0 + 0.05 * (k - 1)), part, "ratio", palette, k, label=name)
    axes.axhline(1, color=palette.muted, lw=0.9)
    charts.name_axes(axes, r"a, radius $a/\sqrt{n}$", "regret over ERBO's", log="xy")
    charts.name_ticks(axes.xaxis, sorted(set(rows.constant)))
    charts.name_ticks(axes.yaxis, (0.5, 1.0, 2.0, 5.0, 10.0))
    axes.legend()


region = table(region_rows, digits=3)
