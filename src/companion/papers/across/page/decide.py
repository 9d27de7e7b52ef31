"""The answer for one's own setting: all that the page looks up in the stored tables, in one record, and as tables and numbers.

The page computes nothing. Where a table has no row for a setting it takes the nearest noise and dimension, and says so; no rule
is recommended for another domain, model, payoff or number of points a round than it was run with.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import replace
from functools import lru_cache
from itertools import product
from typing import Any

import pandas as pd

from companion.bounds.trivial import two_digits
from companion.core.files import results_folder
from companion.judge.intervals import mean_interval, paired_interval
from companion.pages import Numbers, Provenance, Table, stored
from companion.papers.across.experiments import box_study, fitted_model, stopping, stopping_models
from companion.papers.across.experiments import study as runs
from companion.papers.across.experiments.box_study_analysis import BoxStudy
from companion.papers.across.experiments.stopping_play import SHORTER
from companion.papers.across.experiments.study_analysis import MEASURES, Judged, Study
from companion.papers.across.experiments.study_play import SEEDS
from companion.papers.across.method.rules import BATCHES, ENTRIES, PLAIN, PROVED, TITLES, Entry
from companion.papers.across.page import box_answers, fitted, fitted_stopping
from companion.papers.across.page.box_answers import key_of, ranked, rounded, triple, widened
from companion.papers.across.page.box_study import WORDS
from companion.papers.across.page.which_method import level_with_best
from companion.papers.across.problems import common
from companion.papers.across.problems.functions import SIZE
from companion.papers.across.theory import bounds_at_settings, trivial_lines
from companion.papers.across.theory.bounds import BOUNDS

#: Kind of f, as bounds call it.
KINDS = {"draw": "prior", "norm": "norm"}
#: Stopping rules that are shown, by name; the first is the one recommended.
OF_KIND = {
    "draw": ("probability", "union", "lemma-6", "1.96", "0.447", "optuna", "plateau-10"),
    "norm": ("differences", "one-root", "1.96", "0.447", "optuna", "plateau-10"),
}
#: Errors of the model that the page asks about.
LENGTHS = ("lengthscale/2", "lengthscale*2")
#: The width that stands for what is usual, among those that were played.
USUAL = "2"
SIZES = (1, *BATCHES)
#: Measures as the page calls them, and those that are the course of the point named.
PAGES = {"cumulative": "plays"} | {name: name for name in MEASURES[1:]}
COURSE = ("early", "half", "final")


def ranking(study: Study, found: Judged) -> dict[str, Any]:
    """Rules: name, mean with ends, and a mark; the one that is named first, those that are level with it, and the others. Of the
    first, ``other`` is its mean by the other payoff."""
    best, even = found.with_best(study.margins.significance), level_with_best(study, found)
    other = "final" if found.measure == "cumulative" else "cumulative"
    first = study.values(other, even[0], found.settings[even[0]], found.batch, found.noises)
    return {
        "rows": [
            [
                key_of(Entry(rule, found.batch, found.settings[rule])),
                *triple(found.means[rule]),
                (rule in best) + (rule in even),
            ]
            for rule in (*even, *(rule for rule in found.order if rule not in even))
        ],
        "other": triple(mean_interval(first, study.margins.confidence)),
    }


def courses(study: Study, ranks: Mapping[str, Any]) -> dict[str, Any]:
    """Regret of the named point after 30, 50 and 100 plays, of rules that are named first and of random plays: means and ends."""
    found: dict[str, Any] = {}
    for key, of in ranks.items():
        measure, batch, noise = key.split()
        if measure in COURSE:
            for name, size in ((of["rows"][0][0], int(batch)), (f"random {PLAIN}", 1)):
                played = (*name.removeprefix("b-").split(), size, (float(noise),))
                course = [triple(mean_interval(study.values(at, *played), study.margins.confidence)) for at in COURSE]
                found[f"candidates point {batch} {noise} {name}"] = list(zip(*course, strict=True))
    return found


def of_candidates(study: Study) -> dict[str, Any]:
    """With a known model: a rule's regret with so many points a round less that with one, and what other widths of GP-UCB add."""
    level = study.margins.confidence
    sizes, widths = dict[str, Any](), dict[str, Any]()
    for measure, batch, noise in product(MEASURES, SIZES, runs.NOISES):
        key = f"{PAGES[measure]} {batch} {noise:g}"
        every = {name: study.values(measure, "ucb", name, batch, (noise,)) for name in study.settings("ucb", batch)}
        widths[f"candidates {key}"] = widened(every, level)
        for entry in ENTRIES:
            if entry.batch == batch > 1 and entry.setting in study.settings(entry.rule, 1):
                many, single = (study.values(measure, entry.rule, entry.setting, size, (noise,)) for size in (batch, 1))
                name = key_of(replace(entry, batch=1))
                sizes[f"candidates {key} {name}"] = triple(paired_interval(many, single, level))
    return {"sizes": sizes, "widths": widths}


def names() -> dict[str, str]:
    """Of rules with their settings."""
    found = {}
    for entry in ENTRIES:
        key, word = key_of(entry), "scale" if entry.rule.startswith("ts") else "width"
        title = "B-UCB" if key.startswith("b-") else TITLES[entry.rule]
        own = {PLAIN: "", PROVED: ", proved width"}.get(entry.setting, f", {word} {entry.setting}")
        found[key] = title + own
    # Points without a model, but what is recommended is the model's.
    found |= {f"random {PLAIN}": "random points", f"sobol {PLAIN}": "the Sobol sequence", f"nei {PLAIN}": "noisy EI"}
    found |= {f"{rule} {PLAIN}": TITLES[rule] for rule in ("ts", "ts-rsr")}
    return found | {f"{rule} {PLAIN}": f"BoTorch’s {title}" for rule, title in fitted_model.LIBRARY.items()}


def rankings(study: Study) -> dict[str, Any]:
    """By measure, batch and noise."""
    return {
        f"{measure} {batch} {noise:g}": ranking(study, study.judged(measure, batch, (noise,)))
        for measure, batch, noise in product(MEASURES, SIZES, runs.NOISES)
    }


def fitted_rules() -> dict[str, Any]:
    """On candidates with BoTorch's model as shipped: rankings of those that were run, and what fitting costs a rule."""
    found, rows, costs = fitted.study(), dict[str, Any](), dict[str, Any]()
    for measure in fitted_model.MEASURES:
        for batch in fitted_model.SEEDS:
            ran = (*fitted_model.library_entries(batch), *fitted_model.papers_entries(batch))
            ranks = ranked({entry: found.values(measure, entry) for entry in ran}, found.margins)
            rows[f"candidates fitted {PAGES[measure]} {batch} {fitted_model.SHARE:g}"] = ranks
        for (entry,), test in found.fitting(measure).items():
            shown = int(test.shown(found.margins.significance))
            told = [*triple(test.difference), shown, test.difference.count]
            costs.setdefault(f"candidates fitting {PAGES[measure]}", {})[f"known, {key_of(entry)}"] = told
    return {"ranks": rows, "effects": costs}


def played_widths(study: Study) -> dict[str, Any]:
    """Regret of GP-UCB (in batches B-UCB) with the usual width, for single points also with the proved one, and the increase."""
    found, level = {}, study.margins.confidence
    for measure, batch, noise in product(MEASURES, SIZES, runs.NOISES):
        both = [name for name in (USUAL, PROVED) if name in study.settings("ucb", batch)]
        of = {name: study.values(measure, "ucb", name, batch, (noise,)) for name in both}
        more = [paired_interval(of[PROVED], of[USUAL], level)] if PROVED in of else []
        kept = [*(mean_interval(values, level) for values in of.values()), *more]
        found[f"{measure} {batch} {noise:g}"] = [triple(each) for each in kept]
    return found


def _per_cent(row: Mapping[str, Any], name: str) -> list[Any]:
    return [rounded(100.0 * row[each]) for each in (name, "low", "high")]


def horizons(table: pd.DataFrame) -> dict[str, Any]:
    """The bound on regret that is informative first, and from which horizon on: by what f is, kernel, d, noise and batch."""
    found = {}
    regret = table[(table.quantity == "regret") & table.kernel.isin(common.KERNELS)]
    model = regret.id.map(lambda name: BOUNDS[name].model)
    paper = regret.id.map(lambda name: BOUNDS[name].paper)
    for (kind, of), batch in product(KINDS.items(), common.BATCHES):
        # BPE designs its batches itself, so that its bounds stand beside those for any batch.
        fits = (regret.batch == batch) if batch == 1 else (regret.batch == batch) | (paper == "batched")
        for (kernel, dim, noise), part in regret[fits & (model == of)].groupby(["kernel", "dim", "noise"]):
            first = part.sort_values(["says_from", "id"]).iloc[0]
            name = BOUNDS[first.id]
            begins = float(first.says_from)
            told = [name.rule, name.constants, two_digits(begins) if math.isfinite(begins) else None]
            found[f"{kind} {kernel} {dim} {noise:g} {batch}"] = told
    return found


def losses(study: Study) -> dict[str, Any]:
    """Increase of regret by an error, with ends, whether it is shown, and functions; single points, noise 0.1 of the range."""
    found: dict[str, Any] = {}
    for measure in MEASURES:
        for (rule, setting, error), test in study.errors(measure).items():
            kept = found.setdefault(f"{measure} {error}", {})
            shown = int(test.shown(study.margins.significance))
            kept[f"{rule} {setting}"] = [*triple(test.difference), shown, test.difference.count]
    return found


def stops(table: pd.DataFrame) -> dict[str, Any]:
    """Of every stopping rule with the right model the median of its evaluations, nothing where it is infinite; in per cent broken
    promises, and runs that stop."""
    found: dict[str, Any] = {}
    kinds = {of: kind for kind, of in KINDS.items()}
    part = table[(table.player == SHORTER) & (table.model == runs.RIGHT) & (table.place != "arms")]
    for (place, kernel, of, noise, epsilon), each in part.groupby(["place", "kernel", "kind", "noise", "epsilon"]):
        kind, rows = kinds[of], each.set_index("rule")
        found[f"{kind} {place} {kernel} {noise:g} {epsilon:g}"] = [
            [
                rounded(rows.loc[rule, "median"]),
                *_per_cent(rows.loc[rule], "broken"),
                rounded(100 * rows.loc[rule, "stopped"]),
            ]
            for rule in OF_KIND[kind]
        ]
    return {"rules": OF_KIND, "rows": found}


def made(study: Study, said: pd.DataFrame, stopped: pd.DataFrame) -> dict[str, Any]:
    """What the sentences of pages rest on, from its tables."""
    return {
        "names": names(),
        "functions": len(study.problems),
        "seeds": SEEDS,
        "ranks": rankings(study),
        "widths": played_widths(study),
        "horizons": horizons(said),
        "losses": losses(study),
        "stops": stops(stopped),
    }


@lru_cache(maxsize=1)
def data() -> dict[str, Any]:
    """From what is stored, with a known model on candidates."""
    both = (stopping.load().tables["stopping"], stopping_models.load().tables["stopping_models"])
    return made(Study.read(), bounds_at_settings.load().tables["sayings"], pd.concat(both, ignore_index=True))


def boxed() -> dict[str, Any]:
    """What the study on a box says; nothing before its runs are stored, and then the page says that nothing was run there."""
    there = (results_folder("across") / "box_study.csv").is_file()
    return box_answers.boxed(BoxStudy.read()) if there else {}


def mended() -> dict[str, Any]:
    """Stopping with a fitted model, and what mends its promise; nothing before its runs are stored."""
    there = (results_folder("across") / "fitted_stopping.csv").is_file()
    return {"mended": fitted_stopping.made()} if there else {}


def answers(known: Mapping[str, Any], box: Mapping[str, Any]) -> dict[str, Any]:
    """The record's data, by name of what is looked up; a world that was not run has no keys there.

    Parameters
    ----------
    known, box : of :func:`data` and :func:`boxed`
    """
    study, small = Study.read(), fitted_rules()
    of = {key: f"candidates known {_page_key(key)}" for key in known["ranks"]}
    draws = {key.split(" ", 1)[1]: rows for key, rows in known["stops"]["rows"].items() if key.startswith("draw ")}
    wrong: dict[str, Any] = {}
    for measure, error in product(MEASURES, LENGTHS):
        rules = known["losses"][f"{measure} {error}"].items()
        wrong.setdefault(f"candidates length-scale {PAGES[measure]}", {}).update(
            {f"{error}, {r}": told for r, told in rules}
        )
    found = {
        "names": known["names"],
        "functions": {"candidates": known["functions"], "small": len(fitted_model.PROBLEMS)},
        "ranks": {of[key]: rank["rows"] for key, rank in known["ranks"].items()} | small["ranks"],
        "other": {of[key]: rank["other"] for key, rank in known["ranks"].items()},
        "curves": courses(study, known["ranks"]),
        "effects": small["effects"] | wrong,
        **of_candidates(study),
        "horizons": {key[8:]: bound for key, bound in known["horizons"].items() if key.startswith("draw se ")},
        "stops": {key: rows for key, rows in draws.items() if key.split()[1] == "se"},
        "proved": rounded(Entry("ucb", 1, PROVED).number(SIZE)),
        "lines": [trivial_lines.lines()["se", dim, "prior"] for dim in (1, 2, 3)],
    }
    return found | mended() | {name: {**found.get(name, {}), **of_box} for name, of_box in box.items()}


def _page_key(key: str) -> str:
    measure, rest = key.split(" ", 1)
    return f"{PAGES[measure]} {rest}"


def provenance() -> Provenance:
    """Source of all numbers."""
    found = Provenance()
    for each in (runs, fitted_model, stopping, stopping_models, bounds_at_settings, trivial_lines):
        found += stored(each.load().record.to_dict(), each.STORED)
    return found


@lru_cache(maxsize=1)
def record() -> tuple[dict[str, Any], Provenance]:
    """For the script of the page."""
    box = boxed()
    where = stored(box_study.load().record.to_dict(), box_study.STORED) if box else Provenance()
    found = answers(data(), box)
    return found, provenance() + where + (fitted_stopping.provenance() if "mended" in found else Provenance())


def _told(three: list[Any]) -> str:
    mean, low, high = (f"{v:g}" for v in three)
    return f"{mean} ({low} to {high})"


def answers_table() -> tuple[Table, Numbers]:
    """Recommended rule of every world that was run, by all that it is looked up by."""
    (d, where), rows = record(), []
    for key, found in d["ranks"].items():
        domain, model, measure, batch, noise, *dim = key.split()
        (first, *mean), *others = [[d["names"][row[0]], *row[1:]] for row in found]
        even, open_ = (_names(others, mark) for mark in (2, 1))
        rows.append(
            [
                domain,
                model,
                WORDS[measure],
                "".join(dim) or "1 to 6",
                int(batch),
                noise,
                first,
                _told(mean[:3]),
                even,
                open_,
            ]
        )
    columns = [
        "on",
        "model",
        "I pay for",
        "d",
        "points a round",
        "noise",
        "rule",
        "regret",
        "level with it",
        "not told apart",
    ]
    return Table(pd.DataFrame(rows, columns=columns), where=where), numbers()


def _names(rows: list[list[Any]], mark: int) -> str:
    """Of the rows of a ranking that have this mark."""
    return "; ".join(row[0] for row in rows if row[4] == mark) or "none"


def _median(row: list[Any]) -> str:
    return "no stop" if row[0] is None else str(row[0])


def slug(key: str) -> str:
    """A key of the record as a name of numbers: ``cumulative_1_01`` for noise 0.1."""
    return re.sub(r"\W+", "_", key.replace("/2", " half").replace("*2", " double").replace(".", "").strip(" -"))


@lru_cache(maxsize=1)
def numbers() -> Numbers:
    """All of the record by name: the first rule of a ranking as ``_rule``, numbers with ends as ``_low`` and ``_high``."""
    d, found = data(), dict[str, Any]()

    def put(name: str, three: list[Any]) -> None:
        found.update(zip((name, f"{name}_low", f"{name}_high"), three, strict=True))

    for key, ranking_ in d["ranks"].items():
        rows, name = ranking_["rows"], slug(key)
        found[f"{name}_rule"] = d["names"][rows[0][0]]
        others = [[d["names"][row[0]], *row[1:]] for row in rows[1:]]
        found |= {f"{name}_level": _names(others, 2), f"{name}_others": _names(others, 1)}
        put(name, rows[0][1:4])
    for key, three in d["widths"].items():
        for name, each in zip(("usual", "proved", "more"), three, strict=False):
            put(f"{slug(key)}_{name}", each)
    for key, (whose, reading, first) in d["horizons"].items():
        found |= {f"{slug(key)}_whose": whose, f"{slug(key)}_reading": reading, f"{slug(key)}_from": first or math.inf}
    for key, rules in d["stops"]["rows"].items():
        for rule, row in zip(OF_KIND[key.split()[0]], rules, strict=False):
            name = f"{slug(key)}_{slug(rule)}"
            found[f"{name}_median"] = _median(row)
            put(name, row[1:4])
            found[f"{name}_stopped"] = row[4]
    # Of the rule that is recommended, whose promise is 10 %.
    kept = all(rows[0][2] <= 10.0 for rows in d["stops"]["rows"].values())
    return Numbers(provenance(), functions=d["functions"], seeds=d["seeds"], **found, kept=kept)
