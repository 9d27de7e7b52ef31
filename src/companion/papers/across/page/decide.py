"""The answer for one's own setting: all that the page needs from the stored tables, in one record, and as tables and numbers.

The page looks up and computes nothing but widths. Where a table has no row for a setting it takes the nearest one, and says so.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from functools import lru_cache
from itertools import product
from typing import Any

import numpy as np
import pandas as pd

from companion.bounds.trivial import two_digits
from companion.judge.intervals import Interval, mean_interval, paired_interval
from companion.pages import Numbers, Provenance, Table, stored
from companion.papers.across.experiments import fitted_model, stopping, stopping_models, widths
from companion.papers.across.experiments import study as runs
from companion.papers.across.experiments.stopping_play import EPSILONS, FITTED, SHORTER
from companion.papers.across.experiments.study_analysis import MEASURES, Judged, Study
from companion.papers.across.experiments.study_play import CHECKPOINTS, SEEDS
from companion.papers.across.method.rules import BATCHES, ENTRIES, PLAIN, PROVED, TITLES
from companion.papers.across.page import advice, fitted
from companion.papers.across.page.which_method import level_with_best
from companion.papers.across.problems import common, functions
from companion.papers.across.problems.common import HORIZONS
from companion.papers.across.problems.functions import HORIZON
from companion.papers.across.theory import bounds_at_settings, gains, trivial_lines
from companion.papers.across.theory.bounds import BOUNDS
from companion.papers.across.theory.gains import curves

#: Kind of f: as bounds call it, as the runs of coverage do, and the shortest width that is proved for it.
KINDS = {"draw": ("prior", "draws", "tsrsr/lemma-6/printed"), "norm": ("norm", "random functions", "sharper/mixture")}
LIBRARIES = ("library/scikit-optimize", "library/botorch")
#: Stopping rules that are shown, by name; the first is the one recommended.
OF_KIND = {
    "draw": ("probability", "union", "lemma-6", "1.96", "0.447", "optuna", "plateau-10"),
    "norm": ("differences", "one-root", "1.96", "0.447", "optuna", "plateau-10"),
}
#: Number of them shown with a wrong model.
OF_ERRORS = {"draw": 3, "norm": 1}
SHAPES = ("smoother", "rougher")
#: Errors that are shown: those of shape where the truth is Matern 3/2, the others where it is the squared exponential.
LENGTHS = ("lengthscale/2", "lengthscale*2", "noise/2", "noise*2", FITTED)
#: The width that stands for what is usual, among those that were played.
USUAL = "2"
SIZES = (1, *BATCHES)
GAIN_AT = tuple(t for t in HORIZONS if 10 <= t <= HORIZON)
#: Measures, by what is paid for.
PAID = {
    "cumulative": "every play, of 100",
    "early": "the best point after 30",
    "half": "the best point after 50",
    "final": "the best point after 100",
    "rounds": "the best point after ten rounds, of which the first is ten random points",
}
DIGITS = 3


def rounded(value: float) -> float | int | None:
    """In three digits, as short as JSON can have it; nothing for what is not finite."""
    if not math.isfinite(value):
        return None
    short = float(f"{value:.{DIGITS}g}")
    return int(short) if short.is_integer() else short


def triple(found: Interval) -> list[Any]:
    """Estimate and ends."""
    return [rounded(v) for v in (found.estimate, *found.ends)]


def groups(problems: tuple[str, ...]) -> dict[str, Any]:
    """Functions of a group and of a dimension: (functions,) booleans."""
    known = [functions.FUNCTIONS[name] for name in problems]
    found = {group: np.array([each.group == group for each in known]) for group in functions.GROUPS}
    return found | {str(dim): np.array([each.dim == dim for each in known]) for dim in range(1, 7)}


def near(study: Study, rule: str, setting: str, batch: int, noise: float) -> list[list[Any]]:
    """Per cent of runs within 5 % of the gap after every tenth play, with intervals over functions."""
    level = study.margins.confidence
    shares = [study.values(f"near_{plays}", rule, setting, batch, (noise,)) / SEEDS for plays in CHECKPOINTS]
    return [
        [round(100 * v) for v in (found.estimate, *found.ends)] for found in (mean_interval(x, level) for x in shares)
    ]


def ranking(study: Study, found: Judged) -> dict[str, Any]:
    """Rules: name, mean with ends, and 2 if it is level with the best, 1 if it is not shown to be worse. Of the one that is named
    first, more: ``other`` is its mean by the other payoff."""
    best, even = found.with_best(study.margins.significance), level_with_best(study, found)
    first = even[0]
    values, level, (noise,) = found.values[first], study.margins.confidence, found.noises
    parts, other = groups(study.problems), "final" if found.measure == "cumulative" else "cumulative"
    return {
        "rows": [
            [_key(rule, found.settings[rule], found.batch), *triple(found.means[rule]), (rule in best) + (rule in even)]
            for rule in (*even, *(rule for rule in found.order if rule not in even))
        ],
        "other": triple(
            mean_interval(study.values(other, first, found.settings[first], found.batch, found.noises), level)
        ),
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
    # Its points are drawn at random, but what it recommends is the model's.
    found |= {f"random {PLAIN}": "random search, named by the same model"}
    return found | {f"{rule} {PLAIN}": f"BoTorch’s {title}" for rule, title in fitted_model.LIBRARY.items()}


def likest() -> dict[str, str]:
    """For every rule with its setting the one that was played with wrong models: itself, or the nearest of its kind."""
    played = {_key(entry.rule, entry.setting, 1) for entry in runs.ERROR_ENTRIES}
    own = {each: each.rule if each.rule in ("ts", "ts-rsr", "ei", "ei-mean") else "ucb" for each in ENTRIES}
    same = {each: f"{rule} {each.setting}" for each, rule in own.items()}
    return {
        _key(each.rule, each.setting, each.batch): name if name in played else " ".join((own[each], "1"))
        for each, name in same.items()
    }


def rankings(study: Study) -> dict[str, Any]:
    """By measure, batch and noise."""
    return {
        f"{measure} {batch} {noise:g}": ranking(study, study.judged(measure, batch, (noise,)))
        for measure, batch, noise in product(MEASURES, SIZES, runs.NOISES)
    }


def fitted_rules() -> dict[str, Any]:
    """Rules run with BoTorch's model as shipped, lowest mean first with ends over functions, by measure and points a round."""
    found, rows = fitted.study(), dict[str, Any]()
    for measure, batch in product(fitted_model.MEASURES, fitted_model.SEEDS):
        ran = [
            [_key(entry.rule, entry.setting, batch), *triple(mean_interval(found.values(measure, entry)))]
            for entry in (*fitted_model.library_entries(batch), *fitted_model.papers_entries(batch))
        ]
        rows[f"{measure} {batch}"] = sorted(ran, key=lambda row: row[1])
    return {"rows": rows, "functions": found.table.problem.nunique(), "seeds": fitted_model.SEEDS}


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


def coverage(table: pd.DataFrame) -> dict[str, Any]:
    """Per cent of runs in which a width covers f throughout while GP-UCB plays with it: the proved one, then libraries'."""
    full = table[(table.factor == 1.0) & (table.points == "GP-UCB")].set_index(["instance", "id"])
    return {
        kind: [_per_cent(full.loc[(instance, name)], "covered") for name in (proved, *LIBRARIES)]
        for kind, (_, instance, proved) in KINDS.items()
    }


def _per_cent(row: Mapping[str, Any], name: str) -> list[Any]:
    return [rounded(100.0 * row[each]) for each in (name, "low", "high")]


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
            begins = float(first.says_from)
            told = [name.rule, name.constants, two_digits(begins) if math.isfinite(begins) else None]
            found[f"{kind} {kernel} {dim} {noise:g} {batch}"] = told
    return found


def largest_gains() -> dict[str, Any]:
    """Upper ends of the gain, nats, at the horizons kept: by kernel, d and noise."""
    kept = [HORIZONS.index(t) for t in GAIN_AT]
    return {
        f"{kernel} {dim} {noise:g}": [float(curve.uppers[place]) for place in kept]
        for (kernel, dim, noise), curve in curves().items()
        if kernel in common.KERNELS
    }


def losses(study: Study) -> dict[str, Any]:
    """Increase of regret by an error, with ends, and whether it is shown; single points, noise a tenth of the range."""
    found: dict[str, Any] = {}
    for measure in MEASURES:
        for (rule, setting, error), test in study.errors(measure).items():
            kept = found.setdefault(f"{measure} {error}", {})
            kept[f"{rule} {setting}"] = [*triple(test.difference), int(test.shown(study.margins.significance))]
    return found


def stops(table: pd.DataFrame) -> dict[str, Any]:
    """Of every stopping rule the median of its evaluations, nothing where it is infinite; in per cent broken promises, and runs
    that stop.

    With a wrong model of the first :data:`OF_ERRORS` alone, on the line.
    """
    found: dict[str, Any] = {}
    kinds = {of: kind for kind, (of, _, _) in KINDS.items()}
    for (place, kernel, of, noise, model, epsilon), part in table[table.player == SHORTER].groupby(
        ["place", "kernel", "kind", "noise", "model", "epsilon"]
    ):
        wrong = LENGTHS[:2] if place == "square" else {"se": LENGTHS, "matern32": (*SHAPES, FITTED)}.get(kernel, ())
        if place == "arms" or model not in (runs.RIGHT, *wrong):
            continue
        kind, rows = kinds[of], part.set_index("rule")
        shown = OF_KIND[kind] if model == runs.RIGHT else OF_KIND[kind][: OF_ERRORS[kind]]
        found[f"{kind} {place} {kernel} {noise:g} {model} {epsilon:g}"] = [
            [
                rounded(rows.loc[rule, "median"]),
                *_per_cent(rows.loc[rule], "broken"),
                rounded(100 * rows.loc[rule, "stopped"]),
            ]
            for rule in shown
        ]
    return {"rules": OF_KIND, "rows": found}


def made(study: Study, said: pd.DataFrame, covered: pd.DataFrame, stopped: pd.DataFrame) -> dict[str, Any]:
    """The record's data from its tables."""
    parts = groups(study.problems)
    ranges = [each.spread for each in functions.FUNCTIONS.values() if each.group == "norm"]
    random = {f"{noise:g}": [each[0] for each in near(study, "random", PLAIN, 1, noise)] for noise in runs.NOISES}
    return {
        "names": names(),
        "like": likest(),
        "functions": {name: int(part.sum()) for name, part in parts.items()} | {"all": len(study.problems)},
        "seeds": SEEDS,
        "ranks": rankings(study),
        "fitted": fitted_rules(),
        "random": random,
        "widths": played_widths(study),
        "coverage": coverage(covered),
        "horizons": horizons(said),
        "gains": largest_gains(),
        "at": GAIN_AT,
        "lines": {f"{k} {dim}": v for (k, dim, model), v in trivial_lines.lines().items() if model == "prior"},
        "spread": rounded(float(np.mean(ranges)) / functions.NORM),
        "losses": losses(study),
        "stops": stops(stopped),
    }


@lru_cache(maxsize=1)
def data() -> dict[str, Any]:
    """From what is stored."""
    said, covered = bounds_at_settings.load().tables["sayings"], widths.load().tables["width_coverage"]
    both = (stopping.load().tables["stopping"], stopping_models.load().tables["stopping_models"])
    return made(Study.read(), said, covered, pd.concat(both, ignore_index=True))


def provenance() -> Provenance:
    """Source of all numbers."""
    found = Provenance()
    for each in (runs, fitted_model, stopping, stopping_models, widths, bounds_at_settings, gains, trivial_lines):
        found += stored(each.load().record.to_dict(), each.STORED)
    return found


def record() -> tuple[dict[str, Any], Provenance]:
    """For the script of the page."""
    return data(), provenance()


def _told(three: list[Any]) -> str:
    mean, low, high = (f"{v:g}" for v in three)
    return f"{mean} ({low} to {high})"


def answers_table() -> tuple[Table, Numbers]:
    """Recommended rule, by everything that may be paid for, points a round and noise."""
    d, rows = data(), []
    for key, found in d["ranks"].items():
        measure, batch, noise = key.split()
        (first, *mean), *others = [[d["names"][row[0]], *row[1:]] for row in found["rows"]]
        even, fits = (_names(others, mark) for mark in (2, 1))
        rows.append([PAID[measure], int(batch), noise, first, _told(mean[:3]), even, fits])
    columns = ["I pay for", "points a round", "noise", "rule", "regret", "level with it", "not shown to be worse"]
    return Table(pd.DataFrame(rows, columns=columns), where=provenance()), numbers()


def _names(rows: list[list[Any]], mark: int) -> str:
    """Of the rows of a ranking that have this mark."""
    return "; ".join(row[0] for row in rows if row[4] == mark) or "none"


def stopping_table() -> tuple[Table, Numbers]:
    """Stopping times of the proved rules, and frequency of broken promises, beside 1.96."""
    d, rows = data(), []
    for key, found in d["stops"]["rows"].items():
        kind, place, kernel, noise, model, epsilon = key.split()
        if model == runs.RIGHT:
            both = (found[0], found[OF_KIND[kind].index("1.96")])
            cells = [cell for row in both for cell in (_median(row), _told(row[1:4]))]
            rows.append([kind, place, kernel, noise, epsilon, OF_KIND[kind][0], *cells])
    columns = [
        "f",
        "candidates",
        "kernel",
        "noise",
        "ε",
        "rule",
        "evaluations",
        "broken, %",
        "by 1.96",
        "broken by 1.96, %",
    ]
    return Table(pd.DataFrame(rows, columns=columns), where=provenance()), numbers()


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

    for key, ranked in d["ranks"].items():
        rows, name = ranked["rows"], slug(key)
        found[f"{name}_rule"] = d["names"][rows[0][0]]
        others = [[d["names"][row[0]], *row[1:]] for row in rows[1:]]
        found |= {f"{name}_level": _names(others, 2), f"{name}_others": _names(others, 1)}
        put(f"{name}_other", ranked["other"])
        put(name, rows[0][1:4])
        put(f"{name}_near", ranked["near"][4])
    for key, three in d["widths"].items():
        for name, each in zip(("usual", "proved", "more"), three, strict=False):
            put(f"{slug(key)}_{name}", each)
    for kind, three in d["coverage"].items():
        for name, each in zip(("theorem", "usual", "botorch"), three, strict=True):
            put(f"{kind}_{name}", each)
    for key, (whose, reading, first) in d["horizons"].items():
        found |= {f"{slug(key)}_whose": whose, f"{slug(key)}_reading": reading, f"{slug(key)}_from": first or math.inf}
    for key, by_rule in d["losses"].items():
        for rule, (*three, _) in by_rule.items():
            put(f"{slug(key)}_{slug(rule)}", three)
    for key, rules in d["stops"]["rows"].items():
        for rule, row in zip(OF_KIND[key.split()[0]], rules, strict=False):
            name = f"{slug(key)}_{slug(rule)}"
            found[f"{name}_median"] = _median(row)
            put(name, row[1:4])
            found[f"{name}_stopped"] = row[4]
    found |= {key: value for key, value in advice.numbers().items() if key != "functions"}
    return Numbers(provenance(), functions=d["functions"]["all"], seeds=d["seeds"], **found, **_facts(d, found))


def _facts(d: Mapping[str, Any], n: Mapping[str, Any]) -> dict[str, bool]:
    """On which the words of the two pages rest."""
    right = {key: rows for key, rows in d["stops"]["rows"].items() if f" {runs.RIGHT} " in key}
    fitted_model = [
        right["draw square se 0.1 right 0.1"][OF_KIND["draw"].index(rule)] for rule in ("0.447", "plateau-10")
    ]
    settings = [
        dict(row[0].split() for row in d["ranks"][" ".join((m, "1", "0.1"))]["rows"])["ucb"]
        for m in ("cumulative", "half")
    ]

    def line(error: str, epsilon: float) -> Any:
        return d["stops"]["rows"][" ".join(("draw", "line", "se", "0.1", error, f"{epsilon:g}"))]

    return {
        "proved_costs": n["cumulative_1_01_more_low"] > 0.0,
        "rounds_pay": n["rounds_10_01_high"] < n["rounds_1_01"],
        "wider_for_best": float(settings[0]) < float(settings[1]),
        "kept": all(rows[0][2] <= 10.0 for rows in right.values()),
        "defaults_break": all(row[2] > 10.0 for row in fitted_model),
        "halved_keeps": all(
            line("lengthscale/2", epsilon)[k][3] <= 10.0 and line("lengthscale*2", epsilon)[k][2] > 10.0
            for epsilon, k in product(EPSILONS, (0, 1))
        ),
        "proved_survives": all(line("lengthscale*2", epsilon)[2][3] <= 10.0 for epsilon in EPSILONS),
        "fitted_breaks": all(n[f"draw_line_{k}_01_fitted_01_probability_low"] > 10.0 for k in ("se", "matern32")),
        "shorter_costs": n["cumulative_lengthscale_half_ucb_1_low"] > 0.0,
    }
