"""Figures 1-3 and Tables 2-4 from the stored runs: curves, ratios of times, claims by reading, and frozen methods."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from companion.judge.intervals import mean_interval
from companion.judge.reported import load_claims
from companion.judge.stored_runs import once
from companion.judge.verdict import CONTRADICTED, HOLDS
from companion.pages import Numbers
from companion.papers.compressed.experiments.experiments_claims import against, comparable, settles
from companion.papers.compressed.experiments.parameters import READINGS
from companion.papers.compressed.experiments.printed import PAPER, VARIANTS_OF, CompressedResults
from companion.papers.compressed.experiments.runs import DENSE
from companion.papers.compressed.experiments.verdicts import VERDICTS
from companion.papers.compressed.method.policy import ACQUISITIONS

#: Problems with the numbers of their figure and table.
PLACES = {"example-function": ("Figure 1", "Table 2"), "rosenbrock": ("Figure 2", "Table 3")} | {
    "logistic-mnist": ("Figure 3", "Table 4")
}
#: Problems in a narrow column.
SHORT = {"example-function": "example", "rosenbrock": "Rosenbrock", "logistic-mnist": "MNIST"}
#: A ratio of times is reversed if it lies on the other side of one than the printed one, by this share at least.
APART = 0.05
#: Curves of a panel: label, model, variant.
CURVES = (
    ("dense", "gp", DENSE),
    *((reading, "cgp", reading) for reading in READINGS),
    ("BKB, q̄ = 5", "bkb", "bkb-5"),
    ("BKB, q̄ = 1", "bkb", "bkb-1"),
)


load_paper_results = CompressedResults.read


@once
def claims(results: CompressedResults) -> list[dict[str, Any]]:
    """Verdicts on the claims of ``claims.csv``; of :mod:`companion.papers.compressed.experiments`."""
    return VERDICTS.claim_entries(results, load_claims(PAPER, results.root))


# -- Tables 2-4 --------------------------------------------------------------------------------------------------------


def ratio_rows(evidence: CompressedResults, problem: str) -> pd.DataFrame:
    """Time over the uncompressed time of the same acquisition: printed, and ours under every variant and posterior."""
    rows = []
    for posterior, words in (("refit", "computed anew"), ("engine", "engine")):
        for cell in evidence.cells:
            where, method = evidence.named(cell)
            model, _, acquisition = method.partition("-")
            if where != problem or model == "gp":
                continue
            row: dict[str, Any] = {
                "posterior": words,
                "method": f"{acquisition.upper()}, {'compressed' if model == 'cgp' else 'BKB'}",
                "printed": evidence.printed_ratio(cell),
            }
            for label, kind, variant in CURVES[1:]:
                has = kind == model and variant in VARIANTS_OF[model] and evidence.has(problem)
                row[label] = float(evidence.time_ratios(problem, method, variant, posterior).mean()) if has else np.nan
            rows.append(row)
    return pd.DataFrame(rows)


# -- which reading -----------------------------------------------------------------------------------------------------

SETTLES = "order settles"
#: What is shown of a verdict in a narrow table.
_SIGNS = {HOLDS: "holds", CONTRADICTED: "contradicted", "undecided": "undecided", "not-testable": "not testable"}


#: How the posterior was kept when the clock ran: our name, and in words.
POSTERIORS = {"refit": "computed anew", "engine": "engine"}


def claim_rows(evidence: CompressedResults) -> pd.DataFrame:
    """One row a claim about the experiments that has a verdict under every reading; two where the clock ran twice."""
    rows = []
    for entry in claims(evidence):
        if "readings" not in entry:
            continue
        found = {"refit": entry["readings"]}
        if "engine" in entry:
            found["engine"] = entry["engine"]["readings"]
        for posterior, readings in found.items():
            verdicts = {name: _SIGNS[readings[name]["verdict"]] for name in READINGS}
            words = f" (posterior: {POSTERIORS[posterior]})" if "engine" in entry else ""
            rows.append({"source": entry["source"], "claim": f"{entry['claim']}{words}", **verdicts})
    return pd.DataFrame(rows)


def clock_halves(evidence: CompressedResults, problem: str, posterior: str) -> tuple[list[str], bool]:
    """Readings under which compressed is faster than dense for every acquisition; whether BKB, q-bar 5, is always slower."""
    level = evidence.margins.confidence

    def holds(method: str, variant: str, says: str) -> bool:
        ratios = evidence.time_ratios(problem, method, variant, posterior)
        return against("", ratios, 1.0, says, level).judgement.verdict == HOLDS

    faster = [name for name in READINGS if all(holds(f"cgp-{a}", name, "smaller") for a in ACQUISITIONS)]
    return faster, all(holds(f"bkb-{a}", "bkb-5", "larger") for a in ACQUISITIONS)


def readings_of_figures(evidence: CompressedResults) -> dict[str, list[str]]:
    """By figure, the readings under which all its claims hold that depend on the reading."""
    wanted = {
        "Figure 1": ("example-comparable", "example-settles"),
        "Figure 2": ("rosenbrock-curves",),
        "Figure 3": ("logistic-curves",),
    }
    found = {}
    for figure, names in wanted.items():
        entries = [e for e in claims(evidence) if e["cell"] in names and "readings" in e]
        holding = [set(entry["readings_that_hold"]) for entry in entries]
        found[figure] = [name for name in READINGS if holding and all(name in names for names in holding)]
    return found


def part_rows(evidence: CompressedResults) -> pd.DataFrame:
    """One row a figure, claim and acquisition: the verdict of every reading on the parts that depend on the rule."""
    rows = []
    for problem, (figure, _) in PLACES.items():
        if not evidence.has(problem):
            continue
        for what, test in (("comparable regret", comparable), (SETTLES, settles)):
            found = {reading: test(evidence, problem, reading) for reading in READINGS}
            for place, acquisition in enumerate(ACQUISITIONS):
                verdicts = {reading: _SIGNS[parts[place].judgement.verdict] for reading, parts in found.items()}
                rows.append({"source": figure, "claim": what, "rule": acquisition.upper(), **verdicts})
    return pd.DataFrame(rows)


#: A mean model order that grows by less than this share in the second half of the rounds looks level in a figure.
LEVEL = 0.05


def order_growth(evidence: CompressedResults, problem: str, acquisition: str, reading: str) -> float:
    """Growth of the mean model order from the middle round to the last, as a share, as a figure of means shows it."""
    rows = evidence.curve("curves", problem, f"cgp-{acquisition}", reading)
    middle = float(np.interp(rows["round"].max() / 2, rows["round"], rows.model_order))
    return float(rows.model_order.iloc[-1]) / middle - 1.0


def held_by_eye(evidence: CompressedResults, parts: pd.DataFrame, reading: str) -> int:
    """Number of parts that hold if an order settles where the curve of its mean looks level."""
    figures = {figure: problem for problem, (figure, _) in PLACES.items()}
    held = 0
    for row in parts.to_dict("records"):
        if row["claim"] == SETTLES:
            held += order_growth(evidence, figures[row["source"]], row["rule"].lower(), reading) < LEVEL
        else:
            held += row[reading] == _SIGNS[HOLDS]
    return held


def parts_held(parts: pd.DataFrame) -> dict[str, int]:
    """Number of parts that hold under each reading."""
    return {name: int((parts[name] == _SIGNS[HOLDS]).sum()) for name in READINGS}


def printed_is_dense(evidence: CompressedResults) -> bool:
    """Whether the rule as printed makes the dense method's choices in every run, hence keeps every point."""
    for problem in evidence.problems:
        for name in ACQUISITIONS:
            ours, dense = (
                evidence.of(problem, f"{model}-{name}", variant=variant)
                for model, variant in (("cgp", READINGS[0]), ("gp", DENSE))
            )
            if ours.first_rejection.notna().any() or (ours.choices != dense.choices).any():
                return False
    return True


def time_numbers(evidence: CompressedResults) -> Numbers:
    """UCB on the example function with the horizon's budget: time over the uncompressed method's, printed and ours by way to keep
    the posterior, means over seeds; beside the regret's ratio, the points kept, and the time's with the printed budget."""
    problem, method, budget = "example-function", "cgp-ucb", "info-horizon"
    cells = [cell for cell in evidence.cells if evidence.named(cell) == (problem, method)]
    regret, full = (evidence.runs(problem, *which, "average_regret") for which in ((method, budget), ("gp-ucb", DENSE)))
    return Numbers(
        evidence,
        printed=evidence.printed_ratio(cells[0]),
        regret=float(regret.mean() / full.mean()),
        order=float(evidence.runs(problem, method, budget, "model_order").mean()),
        full=float(evidence.runs(problem, "gp-ucb", DENSE, "model_order").mean()),
        seeds=len(regret),
        **{name: evidence.time_ratios(problem, method, budget, name).mean() for name in POSTERIORS},
        as_printed=evidence.time_ratios(problem, method, "info-printed").mean(),
        engine_high=mean_interval(evidence.time_ratios(problem, method, budget, "engine")).high,
    )


def curve_numbers(evidence: CompressedResults, problem: str) -> Numbers:
    """Seeds behind a figure, and means at the end by acquisition, model orders and regrets: dense, then every reading."""
    there, kinds = evidence.has(problem), (("gp", DENSE), *(("cgp", reading) for reading in READINGS))
    orders, regrets = (
        {
            name: [evidence.runs(problem, f"{model}-{name}", variant, column).mean() for model, variant in kinds]
            if there
            else [np.nan]
            for name in ACQUISITIONS
        }
        for column in ("model_order", "average_regret")
    )
    seeds = evidence.of(problem, "gp-ucb", variant=DENSE).seed.nunique() if there else 0
    return Numbers(evidence, seeds=seeds, stored=there, on_dense=printed_is_dense(evidence), regret=regrets, **orders)


def part_numbers(evidence: CompressedResults) -> Numbers:
    """Margins by which regret counts as comparable, an order as settled, and a ratio of times as reversed."""
    margins = evidence.margins.claims
    return Numbers(
        evidence,
        apart=APART,
        comparable=margins["comparable"],
        within=margins["settled_within"],
        share=margins["settled_runs"],
    )


def claim_numbers(evidence: CompressedResults) -> Numbers:
    """Readings that have all claims of a figure, the nearest with its parts, the parts it misses, and the growth there."""
    parts = part_rows(evidence)
    held = parts_held(parts)
    nearest = max(READINGS, key=held.__getitem__)
    failing = parts[parts[nearest] != _SIGNS[HOLDS]]
    figures = {figure: problem for problem, (figure, _) in PLACES.items()}
    unsettled = failing[failing.claim == SETTLES]
    grown = [order_growth(evidence, figures[row.source], row.rule.lower(), nearest) for row in unsettled.itertuples()]
    return Numbers(
        evidence,
        whole=sorted({name for names in readings_of_figures(evidence).values() for name in names}),
        nearest=nearest,
        held=held[nearest],
        others=max(count for name, count in held.items() if name != nearest),
        parts=len(parts),
        missed=[
            f"{row['claim']}, {row['rule']}, {row['source']}: {row[nearest]}" for row in failing.to_dict("records")
        ],
        grown=max(grown, default=np.nan),
        level=LEVEL,
        by_eye=held_by_eye(evidence, parts, nearest),
        same=printed_is_dense(evidence),
    )


def clock_numbers(evidence: CompressedResults) -> Numbers:
    """Both halves of the claims about the clock, by table: readings that are faster than dense, and whether BKB is slower."""
    found = {
        posterior: [clock_halves(evidence, problem, posterior) for problem in PLACES if evidence.has(problem)]
        for posterior in POSTERIORS
    }
    return Numbers(
        evidence,
        **{f"{posterior}_faster": [faster for faster, _ in halves] for posterior, halves in found.items()},
        **{f"{posterior}_bkb": [slower for _, slower in halves] for posterior, halves in found.items()},
    )


# -- after the first rejection -----------------------------------------------------------------------------------------


def frozen_rows(evidence: CompressedResults) -> pd.DataFrame:
    """One row a problem, acquisition and reading that rejects: course of the run from the first rejection on.

    ``kept later`` is the mean number of points; regret is the mean over seeds, in the problem's units.
    """
    rows = []
    for problem in PLACES:
        if not evidence.has(problem):
            continue
        for acquisition in ACQUISITIONS:
            dense = evidence.of(problem, f"gp-{acquisition}", variant=DENSE)
            for reading in READINGS:
                part = evidence.of(problem, f"cgp-{acquisition}", variant=reading)
                rejecting = part[part.first_rejection.notna()]
                if rejecting.empty:
                    continue
                later = rejecting.evaluations - (rejecting.first_rejection - 1)
                rows.append(
                    {
                        "problem": SHORT[problem],
                        "rule": acquisition.upper(),
                        "reading": reading,
                        "first rejection": float(rejecting.first_rejection.median()),
                        "kept later": float(later.mean()),
                        "average regret": float(part.average_regret.mean()),
                        "dense, average": float(dense.average_regret.mean()),
                        "last round": float(part.last_regret.mean()),
                        "dense, last round": float(dense.last_regret.mean()),
                    }
                )
    return pd.DataFrame(rows)


def frozen_numbers(evidence: CompressedResults) -> Numbers:
    """Points kept after the first rejection, cases of freezing with less regret than dense, and cost of a late round."""
    rows = frozen_rows(evidence)
    frozen, ucb = rows[rows.rule != "UCB"], rows[rows.rule == "UCB"]
    raw, of_place = frozen[frozen.reading == "raw"], frozen.groupby(["problem", "rule"])
    first, last = of_place["first rejection"].transform("min"), of_place["last round"].transform("max")
    return Numbers(
        evidence,
        later=float(frozen["kept later"].max()),
        ucb=float(ucb["kept later"].max()),
        better=int((frozen["average regret"] < frozen["dense, average"]).sum()),
        all=len(frozen),
        raw_first=bool((raw["first rejection"] <= first[raw.index]).all()),
        raw_dearest=bool((raw["last round"] >= last[raw.index]).all()),
        printed_rejects=bool((rows.reading == READINGS[0]).any()),
    )
