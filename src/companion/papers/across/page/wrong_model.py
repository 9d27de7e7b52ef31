"""Numbers and pictures of the section on wrong models: what an error does to regret, from the study."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import pandas as pd
from matplotlib.figure import Figure as Canvas

from companion.pages import Figure, Numbers, Table, charts
from companion.pages.figures import Palette
from companion.pages.where import Where, stored
from companion.papers.across.common import DELTA
from companion.papers.across.page.which_method import evidence, setting_title, title
from companion.papers.across.page.which_width import NAMES
from companion.papers.across.study.analysis import relative
from companion.papers.across.study.stored import ERROR_ENTRIES, ERROR_NOISE, ERRORS, RIGHT
from companion.papers.across.widths import misspecified
from companion.reproduce.intervals import Interval

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


@lru_cache(maxsize=1)
def ratios() -> dict[tuple[str, str, str], Interval]:
    """Regret of every play with the error over that without, geometric mean over functions, by (rule, setting, error)."""
    study, found = evidence().study, {}
    for entry in ERROR_ENTRIES:
        for error in ERRORS:
            values = [
                study.values("cumulative", entry.rule, entry.setting, 1, (ERROR_NOISE,), study.harmed(error), model)
                for model in (error, RIGHT)
            ]
            found[entry.rule, entry.setting, error] = relative(*values)
    return found


def error_table() -> Table:
    """Regret of every play with the wrong model over that with the right one; in bold what Holm's correction leaves."""
    study, found = evidence().study, ratios()
    tests, level = study.errors("cumulative"), study.margins.significance
    rows, marks = [], []
    for entry in ERROR_ENTRIES:
        name = ", ".join(filter(None, (title(entry.rule), setting_title(entry.rule, entry.setting))))
        keys = {error: (entry.rule, entry.setting, error) for error in ERRORS}
        rows.append({"rule": name} | {WORDS[e]: f"{found[key].estimate:.2f}" for e, key in keys.items()})
        marks.append({WORDS[e]: bool(tests[key].shown(level)) for e, key in keys.items()})
    return Table(pd.DataFrame(rows), where=evidence().where, best=pd.DataFrame(marks))


def regrets() -> Figure:
    """What an error does to the regret of every play, one row an error, one mark a rule."""
    found = ratios()
    entries = [entry for entry in ERROR_ENTRIES if entry.setting in ("2", "1", "-", "proved") and entry.rule != "ei"]
    entries = [entry for entry in entries if (entry.rule, entry.setting) != ("ucb", "1")]

    def draw(canvas: Canvas, palette: Palette) -> None:
        axes = canvas.subplots()
        for k, entry in enumerate(entries):
            look = charts.look(
                palette, k, label=", ".join(filter(None, (title(entry.rule), setting_title(entry.rule, entry.setting))))
            )
            for row, error in enumerate(ERRORS):
                gap = found[entry.rule, entry.setting, error]
                y = row + 0.14 * (k - (len(entries) - 1) / 2)
                axes.plot([gap.low, gap.high], [y, y], color=look["color"], ls="-", lw=1.4)
                axes.plot(gap.estimate, y, "o", ms=4, color=look["color"], label=look["label"] if row == 0 else None)
        axes.axvline(1.0, color=palette.muted, lw=1.0)
        axes.set_xscale("log")
        axes.set_xticks([0.6, 0.8, 1.0, 1.25, 1.6], labels=["0.6", "0.8", "1", "1.25", "1.6"], minor=False)
        axes.minorticks_off()
        axes.set_yticks(range(len(ERRORS)), labels=[WORDS[error] for error in ERRORS])
        axes.invert_yaxis()
        charts.name_axes(axes, "regret with the wrong model over that with the right one")
        charts.legend_above(canvas, axes, 3)

    numbers = {
        f"{title(entry.rule)} {setting_title(entry.rule, entry.setting)}, {WORDS[error]}": found[
            entry.rule, entry.setting, error
        ].estimate
        for entry in entries
        for error in ERRORS
    }
    return Figure(draw, size=(7.6, 4.6), where=evidence().where, numbers=numbers)


def error_numbers() -> Numbers:
    """Of the rules that lead by every play and of Thompson sampling: the ratio by error; and which errors are shown to cost."""
    study, found = evidence().study, ratios()
    tests, level = study.errors("cumulative"), study.margins.significance
    told: dict[str, Any] = {}
    for error in ERRORS:
        key = error.replace("/2", "_half").replace("*2", "_double")
        told |= {
            f"{rule.replace('-', '_')}_{key}": found[rule, setting, error].estimate
            for rule, setting in (("ucb", "1"), ("ts-rsr", "1"), ("ei-mean", "-"), ("ts", "1"))
        }
        told[f"{key}_costs"] = [
            f"{rule} {setting}"
            for rule, setting in ((e.rule, e.setting) for e in ERROR_ENTRIES)
            if tests[rule, setting, error].shown(level) > 0
        ]
        told[f"{key}_gains"] = [
            f"{rule} {setting}"
            for rule, setting in ((e.rule, e.setting) for e in ERROR_ENTRIES)
            if tests[rule, setting, error].shown(level) < 0
        ]
    return Numbers(
        evidence().where, functions=len(study.harmed("noise/2")), noise=ERROR_NOISE, tests=len(tests), **told
    )


# -- does a width still cover? -----------------------------------------------------------------------------------------

JUDGED = {
    "draws": ("tsrsr/lemma-6/printed", "compressed/lemma-8.1/printed"),
    "random functions": (
        "sharper/mixture",
        "batched/self-normalised",
        "classical/chowdhury-gopalan",
        "batched/prop-1/printed",
    ),
}
"""Proved widths by what f is; after them stand a default of a library that is long, and one that is short."""
LIBRARIES = ("library/bayesian-optimization", "library/scikit-optimize", "library/botorch")


def covered() -> pd.DataFrame:
    """Rows of :mod:`companion.papers.across.widths.misspecified`."""
    return misspecified.load().tables["misspecified"].fillna({"kernel": ""})


def coverage_table() -> Table:
    """Share of runs that a width covers under every error; f is of Matern 3/2 where the model is smoother, else of SE."""
    found, rows, marks = covered(), [], []
    for place, proved in JUDGED.items():
        for name in (*proved, *LIBRARIES):
            row: dict[str, Any] = {"f": place, "width": NAMES[name]}
            mark: dict[str, bool] = {}
            part = found[(found.instance == place) & (found.id == name)].set_index(["kernel", "model"])
            for model, words in {misspecified.RIGHT: "nothing", **WORDS}.items():
                key = ("matern32" if model == misspecified.SMOOTHER else "se", model)
                if key in part.index:
                    row[words] = f"{part.covered[key]:.0%}"
                    mark[words] = name in proved and misspecified.verdict(part.low[key], part.high[key]) == "breaks"
            rows.append(row)
            marks.append(mark)
    columns = ["f", "width", "nothing", *WORDS.values()]
    table = pd.DataFrame([{words: row.get(words, "") for words in columns} for row in rows])
    best = pd.DataFrame([{words: mark.get(words, False) for words in columns} for mark in marks])
    return Table(table, where=_covered_where(), best=best)


def coverage_numbers() -> Numbers:
    """How many promises of theorems break under each error, of how many, on all instances; and what two widths cover."""
    found = covered()
    proved = found[found.proved]
    told: dict[str, Any] = {"runs": int(found.runs.min()), "delta": DELTA}
    for model in (misspecified.RIGHT, *misspecified.ERRORS):
        part, key = proved[proved.model == model], model.replace("/2", "_half").replace("*2", "_double")
        said = [misspecified.verdict(row.low, row.high) for row in part.itertuples()]
        told |= {f"{key}_all": len(said), f"{key}_breaks": said.count("breaks")}
    for key, place, name in (
        ("double", "draws", "tsrsr/lemma-6/printed"),
        ("double_norm", "random functions", "sharper/mixture"),
    ):
        where = (found.instance == place) & (found.kernel == "se") & (found.id == name)
        (row,) = found[where & (found.model == "lengthscale*2")].itertuples()
        told |= {f"{key}_covered": row.covered, f"{key}_low": row.low, f"{key}_high": row.high}
    return Numbers(_covered_where(), **told)


def _covered_where() -> Where:
    return stored(misspecified.load().record.to_dict(), misspecified.STORED)
