"""The page of answers at every setting of its controls, against the stored tables read a second time; its programs are run."""

from __future__ import annotations

import ast
import contextlib
import copy
import io
import itertools
import json
import math
import re
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from book.test_figures import FIGURES
from scipy import stats

import companion as cp
from book import box_table, dragging
from book import browser as looking
from companion.papers.across.page import advice, decide

EXECUTABLE = looking.find_browser()
needs_browser = pytest.mark.skipif(EXECUTABLE is None, reason="no Chromium on PATH: the page was not tried")
PAGES = Path(__file__).parents[2] / "book"
TABLES = PAGES.parent / "data" / "results" / "across"
WORDS, NUMBERS, LINES = 60, 8, {"botorch": 12, "cp": 12, "optuna": 10}
COLUMNS = {"plays": "plays_100", "early": "point_30", "half": "point_50", "final": "point_100", "rounds": "rounds"}
TITLES = {
    "ucb": "GP-UCB",
    "b-ucb": "B-UCB",
    "ucb-pe": "UCB-PE",
    "ts": "Thompson sampling",
    "ts-rsr": "TS-RSR",
    "ei-mean": "EI (largest mean)",
    "ei": "EI (largest observation)",
    "nei": "noisy EI",
    "compressed-ucb": "compressed UCB",
    "bpe": "BPE",
    "random": "random points",
    "sobol": "the Sobol sequence",
    "qlognei": "BoTorch’s qLogNEI",
    "qucb": "BoTorch’s qUCB",
}
#: Which of equals is named first, as the protocol has it; on candidates those of every library, then by mean.
COMMON = ("ei-mean", "nei", "ucb", "ts", "ei", "ts-rsr", "sobol", "random", "bpe")
EVERYWHERE = ("ucb", "ei", "ei-mean", "ts")

_WALK = """(only) => {
  const { compute, controls } = companionFigures.figures.decide, record = companionFigures.record("decide");
  const found = [], texts = new Map();
  const id = (x) => { if (!texts.has(x)) texts.set(x, texts.size); return texts.get(x); };
  const stepped = (c) => companionFigures.listed((c.max - c.min) / c.step + 1, (i) => c.min + i * c.step);
  const values = (c) => only[c.name] ?? (c.options ? Object.keys(c.options) : c.values ?? stepped(c));
  const go = (s, [c, ...rest]) => {
    if (c) return values(c).forEach((v) => go({ ...s, [c.name]: v }, rest));
    const r = compute(s, record), parts = Object.entries(r.parts).map(([k, v]) => [k, ...v.map(id)]);
    found.push([s, [r.key, r.head, r.code, r.lacks, r.first ?? "", r.played ?? ""].map(id), parts, r.grey]);
  };
  go({}, controls);
  return [found, [...texts.keys()], Object.fromEntries(controls.map((c) => [c.name, values(c)]))]; }"""
#: The rule named first when a payoff is chosen.
_FIRST = """(pay) => {
  const { compute, controls } = companionFigures.figures.decide, s = {};
  controls.forEach((c) => { s[c.name] = c.value; });
  return compute({ ...s, pay, dim: 2 }, companionFigures.record("decide")).first; }"""


class Answer:
    """What the page says at a setting."""

    def __init__(self, row: list[Any], texts: list[str]) -> None:
        self.s: dict[str, Any] = row[0]
        self.key, self.head, self.code, self.lacks, self.first, self.played = (texts[k] for k in row[1])
        self.parts = {part: (texts[a], texts[b]) for part, a, b in row[2]}
        self.grey: dict[str, str] = row[3]


def shown(v: float) -> str:
    """Three digits, as a page shows them."""
    v = float(f"{v:.3g}")
    if v and (abs(v) < 1e-4 or abs(v) >= 1e6):
        digits, power = f"{v:.2e}".split("e")
        raised = str(int(power)).translate(str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹"))
        return (f"{float(digits):g}·" if float(digits) != 1 else "").replace("-", "−") + f"10{raised}"
    return np.format_float_positional(v, trim="-").replace("-", "−")


def interval(values: np.ndarray) -> str:
    """Mean with Student's interval over functions."""
    half = stats.t.ppf(0.975, len(values) - 1) * values.std(ddof=1) / math.sqrt(len(values))
    return f"{shown(values.mean())} ({shown(values.mean() - half)} to {shown(values.mean() + half)})"


def nearest(all_: list[float], v: float) -> Any:
    """By ratio."""
    return min(all_, key=lambda each: round(abs(math.log(each / v)), 9))


def holm(found: dict[Any, np.ndarray]) -> set[frozenset[Any]]:
    """Pairs that are shown to differ."""
    pairs = list(itertools.combinations(found, 2))
    tests = [float(stats.ttest_rel(found[a], found[b]).pvalue) for a, b in pairs]
    raised, apart = 0.0, set()
    for k, place in enumerate(sorted(range(len(pairs)), key=lambda each: tests[each])):
        raised = max(raised, (len(pairs) - k) * tests[place] if tests[place] == tests[place] else 1.0)
        if raised <= 0.05:
            apart.add(frozenset(pairs[place]))
    return apart


def read(name: str) -> pd.DataFrame:
    """A stored table."""
    return pd.read_csv(TABLES / f"{name}.csv", dtype={"setting": str}, keep_default_na=name != "study")


class Oracle:
    """Rules that were run at a setting, by (rule, setting), with values over functions; and who is named first of them."""

    def __init__(self) -> None:
        from companion.papers.across.problems.box_functions import BOX_FUNCTIONS

        box = box_table.table().assign(dim=lambda t: [BOX_FUNCTIONS[p].dim for p in t.problem])
        self.box = dict(tuple(box[box.initial == 10].groupby(["model", "dim", "batch", "noise"])))
        self.all = box
        study = read("study")
        self.problems = list(dict.fromkeys(study.problem))
        cells = study.set_index("problem").groupby(["model", "noise", "batch", "method", "setting"])
        self.cells = {key: part.loc[[p for p in self.problems if p in part.index]] for key, part in cells}
        self.shipped = read("shipped")
        self.kept: dict[Any, Any] = {}

    def world(self, s: dict[str, Any]) -> tuple[Any, ...]:
        """What of the setting the rule may be looked up by."""
        measure = "plays" if s["pay"] == "every" else "rounds"
        box, fitted = s["domain"] == "box", s["model"] == "fitted"
        if s["pay"] == "best":
            measure = {30: "early", 50: "half", 100: "half" if fitted and not box else "final"}[s["T"]]
        alone = (box and (s["batch"] > 1 or not fitted)) or (fitted and not box)
        return (
            s["domain"],
            s["model"],
            measure,
            s["batch"],
            0.1 if alone else s["noise"],
            nearest([1, 2, 4, 6], s["dim"]) if box else 0,
        )

    def run(self, world: tuple[Any, ...]) -> dict[tuple[str, str], np.ndarray]:
        """Rules that were run in it; none where nothing was."""
        domain, model, measure, batch, noise, dim = world
        found: dict[tuple[str, str], np.ndarray] = {}
        if domain == "box":
            sizes = [batch, 0] if batch == 1 and measure != "rounds" else [batch]
            for size in sizes:
                part = self.box.get(({"fitted": "shipped"}.get(model, model), dim, size, noise))
                for (rule, setting), rows in part.groupby(["method", "setting"]) if part is not None else ():
                    found[rule, str(setting)] = rows.sort_values("problem")[COLUMNS[measure]].to_numpy()
        elif model == "fitted" and measure != "rounds":
            t = self.shipped
            t = t[(t.model == "fitted") & (t.batch == batch) & (t.method != "qkg") & (t.method != "random")]
            for (rule, setting), rows in t.groupby(["method", "setting"]):
                found[rule, setting] = rows.groupby("problem")[measure.replace("plays", "cumulative")].mean().to_numpy()
        elif model == "known":
            found = self.tuned(measure.replace("plays", "cumulative"), batch, noise)
        return found

    def tuned(self, measure: str, batch: int, noise: float) -> dict[tuple[str, str], np.ndarray]:
        """On candidates each rule at the setting best on the other functions, by its commonest."""
        found = {}
        for rule in TITLES:
            if rule == "bpe" and (batch > 1 or measure == "rounds"):
                continue  # up to 57 points a round
            every = {
                key[4]: part[measure].to_numpy()
                for key, part in self.cells.items()
                if key[:2] == ("right", noise) and key[2] == (0 if rule == "bpe" else batch) and key[3] == rule
            }
            if every:
                names, values = list(every), np.array(list(every.values()))
                best = [int(np.argmin(np.delete(values, i, axis=1).sum(axis=1))) for i in range(values.shape[1])]
                chosen = [names[k] for k in best]
                found[rule, max(set(chosen), key=chosen.count)] = values[best, np.arange(len(best))]
        return found

    def judged(self, world: tuple[Any, ...]) -> tuple[list[Any], set[Any], dict[Any, np.ndarray]]:
        """Rules that are level, the one to name first; those that are shown to be worse; and all values."""
        if world not in self.kept:
            found = self.run(world)
            means = {each: float(values.mean()) for each, values in found.items()}
            best = min(means, key=lambda each: means[each]) if means else ("", "")
            worse = {each for pair in holm(found) if best in pair for each in pair if each != best}
            even = sorted(
                (e for e in means if means[e] <= means[best] + 0.01 and e not in worse), key=lambda e: means[e]
            )
            rank = (
                (lambda e: COMMON.index(e[0]) if e[0] in COMMON else 99)
                if world[0] == "box" or world[1] == "fitted"
                else (lambda e: e[0] not in EVERYWHERE)
            )
            first = min(even, key=lambda e: (rank(e), e[1] if world[0] == "box" else means[e])) if even else None
            if world[:2] == ("candidates", "known"):
                even.sort(key=rank)
            self.kept[world] = ([first, *(e for e in even if e != first)] if even else [], worse, found)
        return self.kept[world]


def title(rule: tuple[str, str], batch: int) -> str:
    """As the page calls it."""
    name = "b-ucb" if rule[0] == "ucb" and batch > 1 else rule[0]
    word = {"-": "", "proved": ", proved width"}.get(
        rule[1], f", {'scale' if rule[0][:2] == 'ts' else 'width'} {rule[1]}"
    )
    return TITLES[name] + word


def faults(answers: list[Answer], oracle: Oracle) -> list[str]:
    """What is wrong with recommendations: each is a rule that was run in this world, of the lowest mean or level with it."""
    wrong, seen = [], set()
    for a in answers:
        world = oracle.world(a.s)
        batch, said = a.s["batch"], (world, a.head, *a.parts["rule"])
        if said in seen:
            continue
        seen.add(said)
        even, worse, values = oracle.judged(world)
        if not even:
            if "None is recommended" not in a.head or a.code:
                wrong.append(f"{world}: nothing was run, and {a.head!r} is said")
            continue
        first, answer, why = even[0], *a.parts["rule"]
        named = title(first, batch)
        if not a.head.lower().startswith(named.lower()):
            wrong.append(f"{world}: {a.head!r} does not name {named}")
            continue
        others = "; ".join(title(e, batch) for e in even[1:]) or "none"
        told = {"answer": [f"{named[:1].upper()}{named[1:]}. Level with it: {others}"]}
        told["why"] = [
            f"regret {interval(values[first])}",
            f"over {len(values[first])} functions",
            f"{batch} a round",
            f"noise {world[4]:g}",
        ]
        told["head"] = [f": {shown(values[first].mean())} of a random point’s regret"]
        told["worse"] = [title(e, batch) for e in worse]
        parts = {
            "answer": answer,
            "why": why,
            "head": a.head,
            "worse": why.partition("Shown to be worse: ")[2].partition(". ")[0] + ".",
        }
        wrong += [
            f"{world}: {text!r} is not in {parts[part]!r}"
            for part, all_ in told.items()
            for text in all_
            if text not in parts[part]
        ]
        if first[0] == "ucb" and a.s["library"] == "botorch":
            width = math.sqrt(2 * math.log(2 * 400 * 100 / 0.1)) if first[1] == "proved" else float(first[1])
            beta = "" if first[1] == "proved" else shown(width**2)
            if f"beta = {beta}" not in a.head:
                wrong.append(f"{world}: beta of {first} is not {beta} in {a.head!r}")
    for a in answers:
        if found := re.search(r"beta=([\d.]+)\)", a.code):
            rule, setting = a.played.removeprefix("b-").split()
            width = {"proved": 5.26, "-": math.sqrt(0.2)}.get(setting) or float(setting)
            if rule != "qucb" and abs(float(found[1]) - width**2) > 0.02 * width**2:
                wrong.append(f"{a.s}: beta={found[1]} for {a.played}")
        elif found := re.search(r"width=([\d.]+)\)", a.code):
            setting = a.played.split()[1]
            if setting != "proved" and float(found[1]) != float(setting):
                wrong.append(f"{a.s}: width={found[1]} for {a.played}")
    return list(dict.fromkeys(wrong))


def opened(window: Any, folder: Path, record: str, change: tuple[str, ...] = ()) -> Any:
    path = folder / "page.html"
    path.write_text(dragging.page_of("decide", record, change=change), encoding="utf-8")
    window.goto(path.as_uri())
    return window


def walked(page: Any, **only: list[Any]) -> tuple[list[Answer], dict[str, list[Any]]]:
    """All combinations of the controls, or of some values of them, and the values."""
    rows, texts, values = page.evaluate(_WALK, only)
    return [Answer(row, texts) for row in rows], values


@pytest.fixture(scope="module")
def oracle() -> Oracle:
    return Oracle()


@pytest.fixture(scope="module")
def page(window: Any, tmp_path_factory: pytest.TempPathFactory) -> Any:
    return opened(window, tmp_path_factory.mktemp("decide"), FIGURES["decide"].record())


@pytest.fixture(scope="module")
def everything(page: Any) -> tuple[list[Answer], dict[str, list[Any]]]:
    return walked(page)


@pytest.mark.slow
@pytest.mark.browser
@needs_browser
def test_every_recommendation_is_a_rule_that_was_run_so_and_its_numbers_are_the_tables(
    everything: Any, oracle: Oracle
) -> None:
    answers, values = everything
    assert len(answers) == math.prod(map(len, values.values())) > 10_000
    wrong = faults(answers, oracle)
    assert not wrong, f"{len(wrong)}:\n" + "\n".join(wrong[:8])
    worlds = {oracle.world(a.s) for a in answers}
    assert {a.first == "" for a in answers} == {True, False}
    assert len({w for w in worlds if w[:2] == ("box", "fitted")}) == 4 * 5 * 5


def gap(one: np.ndarray, other: np.ndarray) -> str:
    """Mean of the differences with its interval."""
    return interval(one - other)


class Others:
    """What the tables say of the other questions at a setting: pieces of text that have to stand in a part."""

    def __init__(self, oracle: Oracle) -> None:
        self.oracle, self.kept = oracle, dict[Any, Any]()
        stopping = pd.concat([read("stopping"), read("stopping_models")])
        of = ["kind", "place", "kernel", "noise", "model", "epsilon", "rule"]
        self.stopping = stopping[stopping.player == "width 2"].set_index(of).sort_index()
        self.sayings, lines = read("sayings"), read("lines")
        self.range = {r.dim: r.line for r in lines[(lines.model == "prior") & (lines.kernel == "se")].itertuples()}

    def told(self, s: dict[str, Any]) -> dict[str, list[str]]:
        world = self.oracle.world(s)
        even, _, values = self.oracle.judged(world)
        found = dict(self.once(("whole", world, s["dim"]), lambda: self.whole(s, world, even, values)))
        if s["model"] == "known":
            found["stop"] = self.once(("stop", s["noise"], s["dim"], s["eps"]), lambda: self.stop(s))
            found["horizon"] = self.once(("horizon", s["noise"], s["dim"], s["batch"]), lambda: self.horizon(s))
        return found

    def once(self, key: Any, make: Any) -> Any:
        """Computed once."""
        if key not in self.kept:
            self.kept[key] = make()
        return self.kept[key]

    def whole(
        self, s: dict[str, Any], world: Any, even: list[Any], values: dict[Any, np.ndarray]
    ) -> dict[str, list[str]]:
        """Width, points a round, fitting and a wrong length-scale."""
        domain, model, measure, _, _, dim = world
        found: dict[str, list[str]] = {}
        run = self.oracle.run
        if domain == "box" and model == "fitted":
            upper = {e[1]: v for e, v in values.items() if e[0] == "ucb"}
            best = min(upper, key=lambda w: upper[w].mean())
            found["width"] = [f"Width {best};", f"beta = {shown(float(best) ** 2)},"]
            found["width"] += [f"width {w} {gap(v, upper[best])}" for w, v in upper.items() if w != best]
            if even and even[0][0] != "bpe":
                one = run((domain, model, measure, 1, 0.1, dim))[even[0]]
                found["batch"] = [gap(run((domain, model, measure, b, 0.1, dim))[even[0]], one) for b in (5, 10)]
                if measure == "rounds":
                    found["batch"].append(
                        f"by {interval(run((domain, model, measure, 10, 0.1, dim))[even[0]] - one).partition(' ')[0]} at"
                    )
        t, column = self.oracle.all, COLUMNS[measure]
        usual = t[(t.initial == 10) & (t.noise == 0.1) & (t.batch == 1)].assign(setting=lambda x: x.setting.astype(str))
        rule = even[0] if even else ("", "")

        def cell(kind: str, by: tuple[str, str], d: int) -> pd.Series:
            rows = usual[(usual.model == kind) & (usual.method == by[0]) & (usual.setting == by[1]) & (usual.dim == d)]
            return rows.set_index("problem")[column]

        if domain == "box":
            by = rule if rule in (("nei", "-"), ("ucb", "2"), ("ts", "-")) else ("nei", "-")
            true = cell("known", by, nearest([1, 2, 4, 6], s["dim"]))
            found["fitting"] = [
                gap(cell("shipped", by, nearest([1, 2, 4, 6], s["dim"])).loc[true.index].to_numpy(), true.to_numpy())
            ]
            by = rule if rule in (("nei", "-"), ("ucb", "1"), ("ucb", "3"), ("ts-rsr", "-")) else ("nei", "-")
            for error, words in (("lengthscale*2", "twice as long"), ("lengthscale/2", "half as long")):
                wrong, right = (cell(kind, by, nearest([2, 4], s["dim"])) for kind in (error, "shipped"))
                found.setdefault("doubt", []).append(
                    f"{words} {gap(wrong.to_numpy(), right.loc[wrong.index].to_numpy())}"
                )
        return found

    def stop(self, s: dict[str, Any]) -> list[str]:
        """With a known model."""
        sd = s["noise"] * self.range[min(s["dim"], 3)]
        q, eps = nearest([0.1, 0.3], sd), nearest([0.1, 0.3], s["eps"])
        if abs(math.log(sd / q)) > 0.7:
            return ["not run near so much noise", shown(sd)]
        at = self.stopping.loc[("prior", "square" if s["dim"] > 1 else "line", "se", q, "right", eps)]
        found = []
        for row in (at.loc[rule] for rule in ("probability", "union", "1.96")):
            ends = f"({shown(100 * row.low)} to {shown(100 * row.high)})"
            median = f", after {shown(row['median'])} evaluations in the median" if row["median"] < math.inf else ""
            found.append(
                f"stops in {shown(100 * row.stopped)} % of runs{median}; broken in {shown(100 * row.broken)} % {ends}"
            )
        return [*found, f"noise {q:g} and ε {eps:g}"]

    def horizon(self, s: dict[str, Any]) -> list[str]:
        """The least of the column, among bounds for draws and this batch."""
        t, batch = self.sayings, 5 if s["batch"] > 1 else 1
        t = t[
            (t.quantity == "regret")
            & t.id.str.contains("tsrsr|compressed|classical/srinivas-finite")
            & (t.kernel == "se")
        ]
        sd = s["noise"] * self.range[min(s["dim"], 3)]
        t = t[(t.dim == min(s["dim"], 2)) & (t.noise == nearest([0.1, 0.3, 1.0], sd)) & (t.batch == batch)]
        first = t.says_from.min()
        return [f"From T = {shown(float(f'{first:.2g}'))} on" if math.isfinite(first) else "At no horizon"]


@pytest.mark.slow
@pytest.mark.browser
@needs_browser
def test_the_numbers_of_the_other_questions_are_the_tables(everything: Any, oracle: Oracle) -> None:
    tables, wrong, seen = Others(oracle), [], set()
    for a in everything[0]:
        of = tuple(v for name, v in a.s.items() if name != "library")
        if of not in seen:
            seen.add(of)
            for part, texts in tables.told(a.s).items():
                said = " ".join(a.parts[part])
                wrong += [f"{a.s}: {part}: {text!r} is not in {said!r}" for text in texts if text not in said]
    assert not wrong, f"{len(wrong)}:\n" + "\n".join(wrong[:6])


@pytest.mark.slow
@pytest.mark.browser
@needs_browser
@pytest.mark.parametrize("fault", ["rule", "number", "beta", "stale"])
def test_a_wrong_recommendation_is_noticed(fault: str, oracle: Oracle, chromium: Any, tmp_path: Path) -> None:
    record, change = json.loads(FIGURES["decide"].record()), ()
    key = "box fitted half 1 0.1 4"
    rows = record["data"]["ranks"][key]
    if fault == "rule":  # of the candidates' study, with a known model alone
        rows[0][0] = "compressed-ucb 1"
    elif fault == "number":
        rows[0][1] += 0.01
    elif fault == "stale":  # a world that was not run answers by one that was
        record["data"]["ranks"]["box known half 10 0.1 4"] = copy.deepcopy(rows)
    else:
        change = ("across_decide.js", "n((+width) ** 2)", "n(+width)")
    page = opened(chromium.new_page(), tmp_path, json.dumps(record).replace("<", "\\u003c"), change)
    try:
        found = faults(walked(page, library=["botorch"], eps=[0.3], noise=[0.1])[0], oracle)
    finally:
        page.close()
    assert found
    assert all(("beta=" in each) == (fault == "beta") for each in found)


@pytest.mark.slow
@pytest.mark.browser
@needs_browser
def test_an_answer_is_short_and_whole(everything: Any) -> None:
    answers, _ = everything
    said = {a.head for a in answers} | {f"{text[0]}." for a in answers for text in a.parts.values()}
    for text in said:
        assert len(text.split()) <= WORDS, text
        assert len(re.findall(r"\d+(?:[./]\d+)*", text)) <= NUMBERS, text
    for text in (
        said
        | {text[1] for a in answers for text in a.parts.values()}
        | {a.code for a in answers}
        | {a.lacks for a in answers}
    ):
        assert not re.search(r"undefined|NaN|Infinity|null|(?<!\{)\{\w+\}", text), text
    assert {frozenset(a.parts) for a in answers} == {
        frozenset(("rule", "width", "batch", "initial", "kernel", "stop", "fitting", "doubt", "horizon"))
    }


@pytest.mark.slow
@pytest.mark.browser
@needs_browser
def test_a_control_is_grey_where_it_changes_nothing_and_only_there(everything: Any) -> None:
    answers, values = everything

    def says(a: Answer) -> Any:
        return a.head, a.code, a.lacks, tuple(a.parts.values())

    for control in values:
        groups: dict[Any, list[Answer]] = {}
        for a in answers:
            groups.setdefault(tuple(v for name, v in a.s.items() if name != control), []).append(a)
        idle = {key: len({says(a) for a in group}) == 1 for key, group in groups.items()}
        grey = {key: {bool(a.grey.get(control)) for a in group} for key, group in groups.items()}
        wrong = [key for key in groups if grey[key] != {idle[key]}]
        assert not wrong, f"{control}: {len(wrong)} of {len(groups)}, {wrong[:3]}, idle {idle[wrong[0]]}"


@pytest.mark.browser
@needs_browser
def test_what_is_grey_cannot_be_moved_and_says_why(page: Any) -> None:
    page.evaluate("location.hash = '#drag-decide?pay=every'")
    dragging.settle(page)
    budget = page.locator("#drag-decide-T")
    assert budget.is_disabled()
    assert "depends on the budget" in budget.get_attribute("title")
    page.evaluate("location.hash = '#drag-decide?pay=best'")
    dragging.settle(page)
    assert budget.is_enabled()
    assert not budget.get_attribute("title")


def cells(answers: list[Answer]) -> dict[Any, Answer]:
    """One answer for every program that differs in more than its numbers, in the least dimension that it is shown for."""
    found: dict[Any, Answer] = {}
    for a in sorted(answers, key=lambda each: (each.s["dim"] != 2, each.s["T"])):
        if a.code:
            kind = re.sub(r"\d+", "0", a.code)
            found.setdefault(
                (a.s["library"], a.s["domain"], a.s["model"], a.played.split()[0], a.s["batch"] > 1, kind), a
            )
    return found


def reduced(a: Answer) -> str:
    """The program with a budget of one round after the first points."""
    q, first = (
        a.s["batch"],
        int(
            next(
                iter(re.findall(r"samples\(box, (\d+)|\[:(\d+)\]|\[(\d+)\]\)|startup_trials=(\d+)", a.code)),
                ("10",) * 4,
            )[0]
            or 10
        ),
    )
    code = re.sub(r"(len\(\w+(?:\.trials)?\) >= |spent < |len\(study\.trials\) < )\d+", rf"\g<1>{first + q}", a.code)
    assert code != a.code, a.code
    return (
        code.replace("num_restarts=8, raw_samples=512", "num_restarts=2, raw_samples=16")
        .replace("random(512)", "random(64)")
        .replace("400", "64")
    )


@pytest.mark.slow
@pytest.mark.browser
@needs_browser
def test_the_program_of_every_distinct_answer_runs(everything: Any) -> None:
    pytest.importorskip("botorch")
    answers, _ = everything
    ran, missing = set(), set()
    for (library, *world, _), a in cells(answers).items():
        lines = [each for each in ast.parse(a.code).body if not isinstance(each, ast.Import | ast.ImportFrom)]
        count = sum(
            isinstance(each, ast.stmt) for top in lines for each in ast.walk(top) if not isinstance(each, ast.Break)
        )
        count -= any("measure = " in line for line in a.code.splitlines())  # what the reader measures
        assert count <= LINES[library], f"{count} statements:\n{a.code}"
        assert max(map(len, a.code.splitlines())) <= 112, a.code
        assert a.s["library"] != "optuna" or "GPSampler" in a.lacks
        with warnings.catch_warnings(), contextlib.redirect_stdout(io.StringIO()) as out:
            warnings.simplefilter("ignore")
            try:
                exec(compile(reduced(a), f"<{library} {world}>", "exec"), {"__name__": "cell"})
            except ModuleNotFoundError as error:
                if error.name != "optuna":
                    raise
                missing.add(error.name)
                continue
        assert out.getvalue().strip(), a.code
        ran.add((library, *world[:2]))
    assert {
        ("botorch", "box", "fitted"),
        ("cp", "box", "fitted"),
        ("botorch", "box", "known"),
        ("cp", "candidates", "known"),
    } <= ran
    assert missing <= {"optuna"}


@pytest.mark.slow
@pytest.mark.browser
@needs_browser
@pytest.mark.parametrize("rule", ["mixture", "average x1.25, from 10d"])
def test_a_program_asks_a_set_of_models_where_the_fitted_one_keeps_no_promise(
    rule: str, chromium: Any, tmp_path: Path
) -> None:
    pytest.importorskip("botorch")
    if not hasattr(cp, "ModelSet"):
        pytest.skip("no set of models in this version")
    record = json.loads(FIGURES["decide"].record())
    record["data"]["mended"] = box_table.mended(rule)
    page = opened(chromium.new_page(), tmp_path, json.dumps(record).replace("<", "\\u003c"))
    only = {"pay": ["best"], "dim": [1], "noise": [0.1], "batch": [1], "T": [50], "eps": [0.3], "model": ["fitted"]}
    answers, _ = walked(page, **only)
    page.close()
    told = [a for a in answers if a.code and a.s["library"] != "optuna"]
    assert len(told) == 3
    for a in told:
        assert ("len(y) >= 10" in a.code) == ("from" in rule)
        assert ("asks the mixture" in a.parts["stop"][1]) == (rule != "mixture")
        with warnings.catch_warnings(), contextlib.redirect_stdout(io.StringIO()) as out:
            warnings.simplefilter("ignore")
            exec(compile(reduced(a), "cell", "exec"), {"__name__": "cell"})
        assert "(models)" in out.getvalue(), a.code


@pytest.mark.slow
@pytest.mark.browser
@needs_browser
def test_optuna_is_given_only_where_its_rule_is_level(everything: Any, oracle: Oracle) -> None:
    for a in everything[0]:
        if a.s["library"] == "optuna":
            even, _, _ = oracle.judged(oracle.world(a.s))
            on = a.s["domain"] == "box" and a.s["model"] == "fitted"
            assert bool(a.code) == (on and ("ei", "-") in even), a.s
            assert a.code or a.lacks or not even


@pytest.mark.browser
@needs_browser
@pytest.mark.parametrize(("pay", "column"), [("best", "point"), ("every", "plays"), ("rounds", "point")])
def test_the_curve_is_of_what_is_paid_for_beside_points_without_a_model(page: Any, pay: str, column: str) -> None:
    page.evaluate("(h) => { location.hash = h; }", f"#drag-decide?pay={pay}&dim=2")
    dragging.settle(page)
    words = decide_words()
    drawn = page.locator(".drag-stage svg[role=img]").first
    assert drawn.get_attribute("aria-label").startswith(
        words["picture"]["every" if pay == "every" else "best"].partition(" {rule}")[0]
    )
    answer = page.evaluate(_FIRST, pay)
    rule, setting = answer.split()
    t, curves = box_table.table(), box_table.data()["curves"]
    names = {p for p, f in _functions().items() if f.dim == 2}
    for name, wanted in ((answer, (rule, setting)), ("sobol -", ("sobol", "-")), ("random -", ("random", "-"))):
        rows = t[
            t.problem.isin(names)
            & (t.model == "shipped")
            & (t.initial == 10)
            & (t.noise == 0.1)
            & (t.batch == (0 if rule == name == "bpe" else 1))
            & (t.method == wanted[0])
            & (t.setting.astype(str) == wanted[1])
        ]
        means = [float(f"{rows[f'{column}_{at}'].mean():.3g}") for at in range(10, 101, 10)]
        assert curves[f"box {column} 1 0.1 2 {name}"][0] == pytest.approx(means, rel=1e-9)
    assert {"random points", "the Sobol sequence"} <= set(
        page.locator(".drag-stage svg[role=img] text").all_text_contents()
    )


def _functions() -> Any:
    from companion.papers.across.problems.box_functions import BOX_FUNCTIONS

    return BOX_FUNCTIONS


def test_factors_are_differences_of_the_same_runs() -> None:
    t, functions = box_table.table(), _functions()
    effects, by = box_table.data()["effects"], ["problem"]

    def rows(model: str, initial: int, rule: str, setting: str, dim: int) -> pd.Series:
        part = t[(t.model == model) & (t.initial == initial) & (t.noise == 0.1) & (t.batch == 1) & (t.method == rule)]
        part = part[(part.setting.astype(str) == setting) & part.problem.map(lambda p: functions[p].dim == dim)]
        return part.set_index(by)["point_100"]

    for question, what, model, initial, rule, sign in (
        ("initial points", "5", "shipped", 5, "nei -", 1),
        ("kernel", "matern52", "matern52", 10, "ucb 2", 1),
        ("length-scale", "lengthscale*2", "lengthscale*2", 10, "ts-rsr -", 1),
        ("fitting", "known", "known", 10, "nei -", -1),
    ):
        one, usual = rows(model, initial, *rule.split(), 2), rows("shipped", 10, *rule.split(), 2)
        gap = sign * (one - usual.loc[one.index]).to_numpy()
        told = effects[f"box {question} final"][f"{what}, {rule}, 2"]
        half = stats.t.ppf(0.975, len(gap) - 1) * gap.std(ddof=1) / math.sqrt(len(gap))
        assert told[:3] == pytest.approx([gap.mean(), gap.mean() - half, gap.mean() + half], rel=0.01, abs=1e-6)
        assert told[4] == len(gap)


@pytest.mark.browser
@needs_browser
def test_without_runs_on_a_box_nothing_is_recommended_there(chromium: Any, tmp_path: Path) -> None:
    record = json.loads(FIGURES["decide"].record())
    record["data"] = json.loads(json.dumps(decide.answers(decide.data(), {})))
    page, wrong = chromium.new_page(), list[str]()
    page.on("pageerror", lambda error: wrong.append(str(error)))
    opened(page, tmp_path, json.dumps(record).replace("<", "\\u003c"))
    answers, _ = walked(page, eps=[0.3], T=[50], noise=[0.1])
    page.close()
    assert not wrong
    for a in answers:
        assert not re.search("undefined|NaN", a.head + "".join(sum(a.parts.values(), ())))
        assert a.s["domain"] == "candidates" or ("None is recommended" in a.head and not a.code)
    assert any(a.code for a in answers)


def decide_words() -> dict[str, Any]:
    """What the page says, by name."""
    return json.loads(FIGURES["decide"].record())["words"]


def test_the_record_is_small_and_every_word_of_it_is_used() -> None:
    text = FIGURES["decide"].record()
    words, script = json.loads(text)["words"], dragging.script("decide").read_text(encoding="utf-8")
    assert not [name for name in words if not re.search(rf'W\.{name}\b|(?:part|put)\("{name}"', script)]
    assert len(text) < 250_000


def test_every_rule_that_may_be_named_is_explained_on_the_page() -> None:
    text = (PAGES / "decide.md").read_text(encoding="utf-8").partition("**Names.**")[2]
    data = box_table.data()
    for key in {row[0] for rows in data["ranks"].values() for row in rows}:
        word = (
            re.sub(r"^the |, .*| \(.*|BoTorch’s ", "", data["names"][key])
            .replace("qUCB", "GP-UCB")
            .replace("random points", "model")
        )
        assert re.search(rf"\b{word}\b", text), key


def test_tables_are_the_records() -> None:
    data, numbers = decide.record()[0], decide.numbers()
    frame = decide.answers_table()[0].frame
    assert len(frame) == len(data["ranks"]) >= 5 * 3 * 3 + 6
    for (key, found), row in zip(data["ranks"].items(), frame.itertuples(index=False), strict=True):
        assert row[:3] == (*key.split()[:2], decide.WORDS[key.split()[2]])
        assert row[6] == data["names"][found[0][0]]
    for key, found in decide.data()["ranks"].items():
        name = decide.slug(key)
        assert data["names"][found["rows"][0][0]] == numbers[f"{name}_rule"]
        assert [numbers[name], numbers[f"{name}_low"], numbers[f"{name}_high"]] == found["rows"][0][1:4]


def test_pages_name_only_numbers_that_there_are() -> None:
    numbers = advice.rules()
    text = (PAGES / "rules.md").read_text(encoding="utf-8")
    blocks = re.findall(r"```\{computed-text\} companion\.papers\.across\.page\.advice\.rules\n(.*?)```", text, re.S)
    assert len(blocks) == 1
    for block in blocks:
        named = re.findall(r"\[\[(\w+)", block)
        assert not [each for each in named if each not in numbers]
        facts = itertools.chain.from_iterable(part.split() for part in re.findall(r":true-if: (.*)", block))
        assert all(numbers[fact] for fact in facts)


@pytest.mark.browser
@needs_browser
def test_a_value_that_is_not_offered_is_not_replaced_in_silence(page: Any) -> None:
    page.evaluate("location.hash = '#drag-decide?noise=0.2&batch=4&model=none&T=12&pay=best'")
    dragging.settle(page)
    said = page.locator(".drag-summary").inner_text()
    for asked, now in (("noise=0.2", "0.1"), ("batch=4", "1"), ("model=none", "fitted"), ("T=12", "50")):
        assert f"{asked} is not offered; shown for {now}." in said
    assert said.count("not offered") == 4
    page.evaluate("location.hash = '#drag-decide?noise=0.10'")
    dragging.settle(page)
    assert "not offered" not in page.locator(".drag-summary").inner_text()
