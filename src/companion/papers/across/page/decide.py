"""The answer for one's own setting: all that the page needs from the stored tables, in one record; and the same as tables and text.

The page looks up and computes nothing but widths. Where a table has no row for a setting it takes the nearest one, and says so.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from functools import lru_cache
from itertools import product
from typing import Any

import numpy as np
import pandas as pd

from companion.core.arrays import Floats
from companion.pages import Numbers, Table, Where, stored
from companion.papers.across import common, gains, lines, sayings
from companion.papers.across.bounds import BOUNDS
from companion.papers.across.gains import curves
from companion.papers.across.horizon_search import HORIZONS
from companion.papers.across.page.decide_words import WORDS
from companion.papers.across.study import functions
from companion.papers.across.study import stored as runs
from companion.papers.across.study.analysis import MEASURES, Judged, Study
from companion.papers.across.study.play import CHECKPOINTS, SEEDS
from companion.papers.across.study.rules import BATCHES, ENTRIES, HORIZON, PLAIN, PROVED, TITLES
from companion.papers.across.stopping import stored as stopping
from companion.papers.across.widths import stored as widths
from companion.reproduce.intervals import Interval, mean_interval, paired_interval

KINDS = {"draw": ("prior", "draws", "tsrsr/lemma-6/printed"), "norm": ("norm", "random functions", "sharper/mixture")}
"""What f is: as bounds call it, as the runs of coverage do, and the shortest width that is proved for it."""
LIBRARIES = ("library/scikit-optimize", "library/botorch")
STOPPING = {
    "probability": "posterior probability",
    "differences": "differences, one root",
    "lemma-6": "Lemma 6's width",
    "one-root": "one-root width",
    "1.96": "width 1.96",
    "0.447": "BoTorch's width 0.447",
    "optuna": "Optuna's terminator",
    "plateau-10": "nothing better in 10",
}
"""Stopping rules that are shown, as the page calls them; the first that fits is the one recommended."""
OF_KIND = {
    "draw": ("probability", "lemma-6", "1.96", "0.447", "optuna", "plateau-10"),
    "norm": ("differences", "one-root", "1.96", "0.447", "optuna", "plateau-10"),
}
USUAL = "2"
"""The width that stands for what is usual, among those that were played."""
SIZES = (1, *BATCHES)
DIGITS = 3


def rounded(value: float) -> float | int | None:
    """In three digits, as short as JSON can have it; nothing for what is not finite."""
    if not math.isfinite(value):
        return None
    short = float(f"{value:.{DIGITS}g}")
    return int(short) if short.is_integer() else short


def triple(found: Interval, scale: float = 1.0) -> list[Any]:
    """Estimate and ends; with ``scale=100`` in per cent."""
    return [rounded(scale * v) for v in (found.estimate, *found.ends)]


# -- which rule --------------------------------------------------------------------------------------------------------


def groups(problems: tuple[str, ...]) -> dict[str, Any]:
    """Which functions are of a group, and of a dimension: (functions,) booleans."""
    known = [functions.FUNCTIONS[name] for name in problems]
    found = {group: np.array([each.group == group for each in known]) for group in functions.GROUPS}
    return found | {str(dim): np.array([each.dim == dim for each in known]) for dim in range(1, 7)}


def near(study: Study, rule: str, setting: str, batch: int, noise: float) -> list[list[Any]]:
    """Per cent of runs within 5 % of the gap after every tenth play, with intervals over functions."""
    level = study.margins.confidence
    shares = [study.values(f"near_{plays}", rule, setting, batch, (noise,)) / SEEDS for plays in CHECKPOINTS]
    return [[round(100 * v) for v in (found.estimate, *found.ends)] for found in (mean_interval(x, level) for x in shares)]


def ranking(study: Study, found: Judged) -> dict[str, Any]:
    """Rules, best first: title, setting, mean with ends, and whether it is the best or not shown to be worse; more of the best."""
    best, first = found.with_best(study.margins.significance), found.order[0]
    values, level, (noise,) = found.values[first], study.margins.confidence, found.noises
    parts = groups(study.problems)
    return {
        "rows": [
            [_key(rule, found.settings[rule], found.batch), *triple(found.means[rule]), int(rule in best)]
            for rule in found.order
        ],
        "of": {name: triple(mean_interval(values[part], level)) for name, part in parts.items() if name.isalpha()},
        "d": [rounded(float(values[part].mean())) for name, part in parts.items() if name.isdigit()],
        "near": near(study, first, found.settings[first], found.batch, noise),
    }


def _key(rule: str, setting: str, batch: int) -> str:
    return f"{'b-' if rule == 'ucb' and batch > 1 else ''}{rule} {setting}"


def names() -> dict[str, str]:
    """Of rules with their settings."""
    found = {}
    for entry in ENTRIES:
        key, word = _key(entry.rule, entry.setting, entry.batch), "scale" if entry.rule.startswith("ts") else "width"
        title = "B-UCB" if key.startswith("b-") else TITLES[entry.rule]
        own = {PLAIN: "", PROVED: ", proved width"}.get(entry.setting, f", {word} {entry.setting}")
        found[key] = title + own
    return found


def likest() -> dict[str, str]:
    """For every rule with its setting the one that was played with wrong models: itself, or the nearest of its kind."""
    played = {_key(entry.rule, entry.setting, 1) for entry in runs.ERROR_ENTRIES}
    found = {}
    for entry in ENTRIES:
        rule = entry.rule if entry.rule in ("ts", "ts-rsr", "ei", "ei-mean") else "ucb"
        same = f"{rule} {entry.setting}"
        found[_key(entry.rule, entry.setting, entry.batch)] = same if same in played else f"{rule} 1"
    return found


def rankings(study: Study) -> dict[str, Any]:
    """By measure, batch and noise."""
    return {
        f"{measure} {batch} {noise:g}": ranking(study, study.judged(measure, batch, (noise,)))
        for measure, batch, noise in product(MEASURES, SIZES, runs.NOISES)
    }


# -- which width -------------------------------------------------------------------------------------------------------


def played_widths(study: Study) -> dict[str, Any]:
    """Regret of GP-UCB (in batches B-UCB) with the usual width, and for single points with the proved one, and what that adds."""
    found, level = {}, study.margins.confidence
    for measure, batch, noise in product(MEASURES, SIZES, runs.NOISES):
        of = {
            name: study.values(measure, "ucb", name, batch, (noise,))
            for name in (USUAL, PROVED)
            if name in study.settings("ucb", batch)
        }
        each = [triple(mean_interval(values, level)) for values in of.values()]
        if PROVED in of:
            each.append(triple(paired_interval(of[PROVED], of[USUAL], level)))
        found[f"{measure} {batch} {noise:g}"] = each
    return found


def coverage(table: pd.DataFrame) -> dict[str, Any]:
    """Per cent of runs in which a width covers f throughout while GP-UCB plays with it: the proved one, then libraries'."""
    full = table[(table.factor == 1.0) & (table.points == "GP-UCB")].set_index(["instance", "id"])
    return {
        kind: [triple(_interval(full.loc[(instance, name)]), 100.0) for name in (proved, *LIBRARIES)]
        for kind, (_, instance, proved) in KINDS.items()
    }


def _interval(row: Mapping[str, Any]) -> Interval:
    return Interval(row["covered"], row["low"], row["high"], int(row["runs"]))


# -- which bound, and from when on -------------------------------------------------------------------------------------


def horizons(table: pd.DataFrame) -> dict[str, Any]:
    """The bound on regret that is informative first, and from which horizon on: by what f is, kernel, d, noise and batch."""
    found = {}
    regret = table[(table.quantity == "regret") & table.kernel.isin(common.KERNELS)]
    model = regret.id.map(lambda name: BOUNDS[name].model)
    paper = regret.id.map(lambda name: BOUNDS[name].paper)
    for (kind, (of, _, _)), batch in product(KINDS.items(), common.BATCHES):
        # BPE designs its batches itself, so that its bounds stand beside those for any batch.
        fits = (regret.batch == batch) if batch == 1 else (regret.batch == batch) | (paper == "batched")
        for (kernel, dim, noise), part in regret[fits & (model == of)].groupby(["kernel", "dim", "noise"]):
            first = part.sort_values(["says_from", "id"]).iloc[0]
            name = BOUNDS[first.id]
            told = [name.rule, name.reading, rounded(float(first.says_from))]
            found[f"{kind} {kernel} {dim} {noise:g} {batch}"] = told
    return found


def largest_gains() -> dict[str, Any]:
    """Upper ends of the gain, nats, at the horizons kept: by kernel, d and noise."""
    kept = [HORIZONS.index(t) for t in GAIN_AT]
    return {
        f"{kernel} {dim} {noise:g}": [float(curve[place]) for place in kept]
        for (kernel, dim, noise), curve in curves().items()
        if kernel in common.KERNELS
    }


GAIN_AT = tuple(t for t in HORIZONS if 10 <= t <= HORIZON)


def spread_of_norm() -> float:
    """Mean range of the study's functions of known norm, over their norm."""
    found = [each.spread for each in functions.FUNCTIONS.values() if each.group == "norm"]
    return float(np.mean(found)) / functions.NORM


# -- the wrong model ---------------------------------------------------------------------------------------------------


def losses(study: Study) -> dict[str, Any]:
    """What an error adds to the regret, with ends, and whether that is shown; single points, noise a tenth of the range."""
    found: dict[str, Any] = {}
    for measure in MEASURES:
        for (rule, setting, error), test in study.errors(measure).items():
            kept = found.setdefault(f"{measure} {error}", {})
            kept[f"{rule} {setting}"] = [*triple(test.difference), int(test.shown(study.margins.significance))]
    return found


def stops(table: pd.DataFrame) -> dict[str, Any]:
    """Of every stopping rule the median of its evaluations, nothing where it is infinite, and broken promises in per cent.

    With a wrong model of the recommended rule alone, on the line.
    """
    found: dict[str, Any] = {}
    kinds = {of: kind for kind, (of, _, _) in KINDS.items()}
    for (place, kernel, of, noise, model, epsilon), part in table.groupby(
        ["place", "kernel", "kind", "noise", "model", "epsilon"]
    ):
        if place == "arms":
            continue
        kind, rows = kinds[of], part.set_index("rule")
        shown = OF_KIND[kind] if model == runs.RIGHT else OF_KIND[kind][:1]
        found[f"{kind} {place} {kernel} {noise:g} {model} {epsilon:g}"] = [_stop(rows.loc[rule]) for rule in shown]
    return {"rules": {kind: [STOPPING[rule] for rule in rules] for kind, rules in OF_KIND.items()}, "rows": found}


def _stop(row: Mapping[str, Any]) -> list[Any]:
    return [rounded(row["median"]), *(rounded(100.0 * row[name]) for name in ("broken", "low", "high"))]


# -- all of it ---------------------------------------------------------------------------------------------------------


def made(study: Study, said: pd.DataFrame, covered: pd.DataFrame, stopped: pd.DataFrame) -> dict[str, Any]:
    """The record's data from its tables."""
    parts = groups(study.problems)
    random = {f"{noise:g}": [each[0] for each in near(study, "random", PLAIN, 1, noise)] for noise in runs.NOISES}
    return {
        "words": WORDS,
        "names": names(),
        "like": likest(),
        "functions": {name: int(part.sum()) for name, part in parts.items()} | {"all": len(study.problems)},
        "seeds": SEEDS,
        "ranks": rankings(study),
        "random": random,
        "widths": played_widths(study),
        "coverage": coverage(covered),
        "horizons": horizons(said),
        "gains": largest_gains(),
        "at": GAIN_AT,
        "lines": {f"{k} {dim}": v for (k, dim, model), v in lines.lines().items() if model == "prior"},
        "spread": rounded(spread_of_norm()),
        "losses": losses(study),
        "stops": stops(stopped),
    }


@lru_cache(maxsize=1)
def data() -> dict[str, Any]:
    """From what is stored."""
    said, covered = sayings.load().tables["sayings"], widths.load().tables["width_coverage"]
    return made(Study.read(), said, covered, stopping.load().tables["stopping"])


def where() -> Where:
    """Where all of it is from."""
    found = Where()
    for each in (runs, stopping):
        found += stored(each.load().record.to_dict(), each.RUNS)
    for each in (widths, sayings, gains, lines):
        found += stored(each.load().record.to_dict(), each.store, whole=True)
    return found


def record() -> tuple[dict[str, Any], Where]:
    """For the script of the page."""
    return data(), where()
