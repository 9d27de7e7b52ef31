"""Numbers and pictures of the section on wrong models: what an error does to regret, from the study."""

from __future__ import annotations

from functools import lru_cache
from itertools import product
from typing import Any

import pandas as pd
from matplotlib.figure import Figure as Canvas

from companion.judge.method_comparison import Contrast
from companion.pages import Figure, Numbers, Table, charts
from companion.pages.figures import Palette
from companion.pages.provenance import Provenance, stored
from companion.papers.across.experiments import misspecified_widths
from companion.papers.across.experiments.study import ERROR_ENTRIES, ERROR_NOISE, ERRORS
from companion.papers.across.page.which_method import evidence, setting_title, signed, title
from companion.papers.across.page.which_width import NAMES
from companion.papers.across.problems.common import DELTA
from companion.papers.across.problems.functions import HORIZON

WORDS = {
    "lengthscale/2": "length-scale half",
    "lengthscale*2": "length-scale double",
    "noise/2": "noise half",
    "noise*2": "noise double",
    "smoother": "kernel too smooth",
    "rougher": "kernel too rough",
    "norm/2": "norm half",
    "norm*2": "norm double",
}


#: The two measures, by what is paid for.
PAID = {"cumulative": "every play", "final": f"the point named after {HORIZON}"}
#: Rules that sentences speak of: those that lead by one of the measures, and Thompson sampling.
LEADERS = (("ucb", "1"), ("ucb", "3"), ("ts-rsr", "1"), ("ei-mean", "-"), ("ei", "-"), ("ts", "1"))


@lru_cache(maxsize=2)
def changes(measure: str) -> dict[tuple[str, str, str], Contrast]:
    """Increase of the regret by an error, in units of the gap, by (rule, setting, error), corrected together."""
    return evidence().study.errors(measure)


def _named(rule: str, setting: str) -> str:
    return ", ".join(filter(None, (title(rule), setting_title(rule, setting))))


def error_table() -> Table:
    """Increase of the regret by an error in both measures, with 95 % intervals; in bold what Holm's correction leaves."""
    level, rows, marks = evidence().study.margins.significance, [], []
    for measure, words in PAID.items():
        found = changes(measure)
        for entry in ERROR_ENTRIES:
            keys = {WORDS[error]: (entry.rule, entry.setting, error) for error in ERRORS}
            cells = {word: found[key].difference for word, key in keys.items()}
            rows.append(
                {"what counts": words, "rule": _named(entry.rule, entry.setting)}
                | {word: f"{signed(x.estimate)} ({signed(x.low)} to {signed(x.high)})" for word, x in cells.items()}
            )
            marks.append({word: bool(found[key].shown(level)) for word, key in keys.items()})
    return Table(pd.DataFrame(rows), where=evidence().where, best=pd.DataFrame(marks))


def regrets() -> Figure:
    """Increase of the regret by an error: a panel a measure, a row an error, a mark a rule."""
    entries = [entry for entry in ERROR_ENTRIES if (entry.rule, entry.setting) in LEADERS]

    def draw(canvas: Canvas, palette: Palette) -> None:
        panels = canvas.subplots(1, len(PAID), sharey=True)
        for axes, (measure, words) in zip(panels, PAID.items(), strict=True):
            found = changes(measure)
            for k, entry in enumerate(entries):
                look = charts.look(palette, k, label=_named(entry.rule, entry.setting))
                for row, error in enumerate(ERRORS):
                    gap = found[entry.rule, entry.setting, error].difference
                    y = row + 0.13 * (k - (len(entries) - 1) / 2)
                    axes.plot([gap.low, gap.high], [y, y], color=look["color"], ls="-", lw=1.4)
                    axes.plot(
                        gap.estimate, y, "o", ms=4, color=look["color"], label=look["label"] if row == 0 else None
                    )
            axes.axvline(0.0, color=palette.muted, lw=1.0)
            axes.set_title(words)
            charts.name_axes(axes, "added regret, units of the gap")
        panels[0].set_yticks(range(len(ERRORS)), labels=[WORDS[error] for error in ERRORS])
        panels[0].invert_yaxis()
        charts.legend_above(canvas, panels[0], 3)

    numbers = {
        f"{PAID[measure]}: {_named(entry.rule, entry.setting)}, {WORDS[error]}": changes(measure)[
            entry.rule, entry.setting, error
        ].difference.estimate
        for measure in PAID
        for entry in entries
        for error in ERRORS
    }
    return Figure(draw, size=(7.6, 5.2), where=evidence().where, numbers=numbers)


def error_numbers() -> Numbers:
    """By measure, rule and error what is added, with ends; and which rules an error is shown to cost, or to help."""
    study = evidence().study
    level, told = study.margins.significance, dict[str, Any]()
    for measure, error in product(PAID, ERRORS):
        found, key = changes(measure), f"{measure}_" + error.replace("/2", "_half").replace("*2", "_double")
        for rule, setting in LEADERS:
            name = f"{key}_{rule.replace('-', '_')}" + ("" if setting == "-" else f"_{setting}")
            gap = found[rule, setting, error].difference
            told |= {name: gap.estimate, f"{name}_low": gap.low, f"{name}_high": gap.high}
        for word, sign in (("costs", 1), ("gains", -1)):
            told[f"{key}_{word}"] = [
                f"{entry.rule} {entry.setting}"
                for entry in ERROR_ENTRIES
                if found[entry.rule, entry.setting, error].shown(level) == sign
            ]
    functions = len(study.harmed("noise/2"))
    return Numbers(evidence().where, functions=functions, noise=ERROR_NOISE, tests=len(changes("final")), **told)


# -- does a width still cover? -----------------------------------------------------------------------------------------

#: Proved widths by what f is; after them stand a default of a library that is long, and one that is short.
JUDGED = {
    "draws": ("tsrsr/lemma-6/printed", "compressed/lemma-8.1/printed"),
    "random functions": (
        "sharper/mixture",
        "batched/self-normalised",
        "classical/chowdhury-gopalan",
        "batched/prop-1/printed",
    ),
}
LIBRARIES = ("library/bayesian-optimization", "library/scikit-optimize", "library/botorch")


def covered() -> pd.DataFrame:
    """Rows of :mod:`companion.papers.across.experiments.misspecified_widths`."""
    return misspecified_widths.load().tables["misspecified"].fillna({"kernel": ""})


def coverage_table() -> Table:
    """Share of runs that a width covers under every error; f is of Matern 3/2 where the model is smoother, else of SE."""
    found, rows, marks = covered(), [], []
    for place, proved in JUDGED.items():
        for name in (*proved, *LIBRARIES):
            row: dict[str, Any] = {"f": place, "width": NAMES[name]}
            mark: dict[str, bool] = {}
            part = found[(found.instance == place) & (found.id == name)].set_index(["kernel", "model"])
            for model, words in {misspecified_widths.RIGHT: "nothing", **WORDS}.items():
                key = ("matern32" if model == misspecified_widths.SMOOTHER else "se", model)
                if key in part.index:
                    row[words] = f"{part.covered[key]:.0%}"
                    mark[words] = (
                        name in proved and misspecified_widths.verdict(part.low[key], part.high[key]) == "breaks"
                    )
            rows.append(row)
            marks.append(mark)
    columns = ["f", "width", "nothing", *WORDS.values()]
    table = pd.DataFrame([{words: row.get(words, "") for words in columns} for row in rows])
    best = pd.DataFrame([{words: mark.get(words, False) for words in columns} for mark in marks])
    return Table(table, where=_covered_where(), best=best)


def coverage_numbers() -> Numbers:
    """Number of promises of theorems that break under each error, of how many, on all instances; and coverage of two widths."""
    found = covered()
    proved = found[found.proved]
    told: dict[str, Any] = {"runs": int(found.runs.min()), "delta": DELTA}
    for model in (misspecified_widths.RIGHT, *misspecified_widths.ERRORS):
        part, key = proved[proved.model == model], model.replace("/2", "_half").replace("*2", "_double")
        said = [misspecified_widths.verdict(row.low, row.high) for row in part.itertuples()]
        told |= {f"{key}_all": len(said), f"{key}_breaks": said.count("breaks")}
    for key, place, name in (
        ("double", "draws", "tsrsr/lemma-6/printed"),
        ("double_norm", "random functions", "sharper/mixture"),
    ):
        where = (found.instance == place) & (found.kernel == "se") & (found.id == name)
        (row,) = found[where & (found.model == "lengthscale*2")].itertuples()
        told |= {f"{key}_covered": row.covered, f"{key}_low": row.low, f"{key}_high": row.high}
    return Numbers(_covered_where(), **told)


def _covered_where() -> Provenance:
    return stored(misspecified_widths.load().record.to_dict(), misspecified_widths.STORED)
