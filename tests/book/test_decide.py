"""The answer for one's own setting, at random settings of its page, against the stored tables read here a second time."""

from __future__ import annotations

import itertools
import json
import math
import re
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from book.test_figures import FIGURES
from scipy import stats

from book import browser as looking
from book import dragging
from companion.papers.across.page import decide
from companion.papers.across.problems.functions import FUNCTIONS

EXECUTABLE = looking.find_browser()
needs_browser = pytest.mark.skipif(EXECUTABLE is None, reason="no Chromium on PATH: the page was not tried")
TABLES = Path(__file__).parents[2] / "data" / "results" / "across"
SETTINGS = 200
CHOICES: dict[str, list[Any]] = {
    "noise": [0.03, 0.1, 0.3],
    "batch": [1, 5, 10],
    "T": [*range(10, 101, 10)],
    "pay": ["every", "best", "rounds"],
    "f": ["draw", "norm", "none"],
    "psi": [0.5, 1, 2, 3, 5, 10],
    "kernel": ["se", "matern52", "matern32"],
    "dim": [*range(1, 7)],
    "N": [50, 100, 400, 1000, 10000, 100000],
    "doubt": ["right", "lengthscale", "noise", "smoothness", "fitted"],
    "delta": [0.01, 0.05, 0.1, 0.2],
    "eps": [0.01, 0.03, 0.1, 0.3],
}
TITLES = {
    "ucb": "GP-UCB",
    "ucb-pe": "UCB-PE",
    "ts": "Thompson sampling",
    "ts-rsr": "TS-RSR",
    "ei-mean": "EI (largest mean)",
    "ei": "EI (largest observation)",
    "compressed-ucb": "compressed UCB",
    "bpe": "BPE",
    "random": "random",
}
ERRORS = {
    "lengthscale": ("lengthscale/2", "lengthscale*2"),
    "noise": ("noise/2", "noise*2"),
    "smoothness": ("smoother", "rougher"),
    "fitted": ("fitted",),
}


def read(name: str) -> pd.DataFrame:
    """A stored table."""
    return pd.read_csv(TABLES / f"{name}.csv", dtype={"setting": str}, keep_default_na=name != "study")


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


def nearest(all_: list[float], v: float) -> float:
    """By ratio."""
    return min(all_, key=lambda each: round(abs(math.log(each / v)), 9))


class Oracle:
    """What the tables say of a setting, part by part: pieces of text that have to stand there."""

    def __init__(self) -> None:
        study = read("study")
        self.problems = list(dict.fromkeys(study.problem))
        cells = study.set_index("problem").groupby(["model", "noise", "batch", "method", "setting"])
        self.cells = {key: part.loc[[p for p in self.problems if p in part.index]] for key, part in cells}
        self.groups = np.array([FUNCTIONS[p].group for p in self.problems])
        self.dims = np.array([FUNCTIONS[p].dim for p in self.problems])
        stopping = pd.concat([read("stopping"), read("stopping_models")])
        self.stopping = (
            stopping[stopping.player == "width 2"]
            .set_index(["kind", "place", "kernel", "noise", "model", "epsilon", "rule"])
            .sort_index()
        )
        self.gains, self.sayings, self.shipped = read("gains"), read("sayings"), read("shipped")
        self.kept: dict[tuple[str, int, float], tuple[str, str, np.ndarray]] = {}
        lines = read("lines")
        self.lines = {(r.kernel, r.dim): r.line for r in lines[lines.model == "prior"].itertuples()}
        self.spread = np.mean([np.ptp(f.values) / 3.0 for f in FUNCTIONS.values() if f.group == "norm"])

    def tuned(self, measure: str, batch: int, noise: float) -> tuple[str, str, np.ndarray]:
        """The rule of lowest mean: its commonest setting, and its values at the settings best on the other functions."""
        found = {}
        for rule in TITLES:
            sizes = {0 if rule == "bpe" else batch}
            if rule == "bpe" and (batch > 1 or measure == "rounds"):
                continue  # up to 57 points a round
            every = {
                key[4]: part[measure].to_numpy()
                for key, part in self.cells.items()
                if key[:2] == ("right", noise) and key[2] in sizes and key[3] == rule
            }
            if every:
                names, values = list(every), np.array(list(every.values()))
                best = [int(np.argmin(np.delete(values, i, axis=1).sum(axis=1))) for i in range(values.shape[1])]
                chosen = [names[k] for k in best]
                found[rule] = (max(set(chosen), key=chosen.count), values[best, np.arange(len(best))])
        pairs = list(itertools.combinations(found, 2))
        tests = [float(stats.ttest_rel(found[a][1], found[b][1]).pvalue) for a, b in pairs]
        raised, shown_ = 0.0, set()
        for k, place in enumerate(sorted(range(len(pairs)), key=lambda each: tests[each])):  # Holm
            raised = max(raised, (len(pairs) - k) * tests[place] if tests[place] == tests[place] else 1.0)
            if raised <= 0.05:
                shown_.add(frozenset(pairs[place]))
        order = sorted(found, key=lambda each: (found[each][1].mean(), each))
        even = [
            each
            for each in order
            if found[each][1].mean() - found[order[0]][1].mean() <= 0.01 and frozenset((each, order[0])) not in shown_
        ]
        rule = next((each for each in even if each in ("ucb", "ei", "ei-mean", "ts")), even[0])
        return (rule, *found[rule])

    def fitted(self, s: dict[str, Any]) -> list[str]:
        """Nothing is recommended, and every mean of those run so stands there."""
        t = self.shipped
        measure = "cumulative" if s["pay"] == "every" else "early" if s["T"] < 50 else "half"
        t = t[(t.model == "fitted") & (t.batch == (5 if s["batch"] > 1 else 1)) & (t.method != "qkg")]
        means = t.groupby(["method", "setting", "problem"])[measure].mean().groupby(level=[0, 1])
        pays = {
            "every": "every play",
            "best": "the point named at the end",
            "rounds": "the point named after ten rounds",
        }
        return [
            f"Rule for {pays[s['pay']]}: none is recommended with a fitted model",
            "Not run so, at these settings: ",
            *(interval(each.to_numpy()) for _, each in means),
        ]

    def rule(self, s: dict[str, Any]) -> tuple[str, str, list[str]]:
        """Answer and evidence on the rule."""
        measure = {"every": "cumulative", "rounds": "rounds"}.get(s["pay"])
        measure = measure or ("early" if s["T"] < 50 else "half" if s["T"] < 80 else "final")
        of = (measure, s["batch"], s["noise"])
        rule, setting, values = self.kept.setdefault(of, self.kept.get(of) or self.tuned(*of))
        title = "B-UCB" if rule == "ucb" and s["batch"] > 1 else TITLES[rule]
        word = {"-": "", "proved": ", proved width"}.get(
            setting, f", {'scale' if rule[:2] == 'ts' else 'width'} {setting}"
        )
        size = 0 if rule == "bpe" else s["batch"]
        cell = self.cells["right", s["noise"], size, rule, setting]
        near = cell[f"near_{s['T']}"].to_numpy() / 50.0
        measured = {"cumulative": 100, "early": 30, "half": 50, "final": 100}.get(measure)
        other = cell["final" if measure == "cumulative" else "cumulative"].to_numpy()
        group = "test" if s["f"] == "none" else s["f"]
        evidence = [
            f"is {interval(values)}, over 36 functions with 50 seeds each",
            f"alone {interval(values[self.groups == group])}",
            f"with d = {s['dim']} {shown(values[self.dims == s['dim']].mean())}.",
            f"it has {interval(other)}.",
        ]
        if s["pay"] == "best":
            evidence.append(f"After {s['T']} plays {round(100 * near.mean())} % (")
        if measured and measured != s["T"]:
            evidence.append(f"your budget is {s['T']} plays; measured were {measured}")
        play = word.replace(", width ", ". Width to play: ") if ", width " in word else ""
        pays = {
            "every": "every play",
            "best": "the point named at the end",
            "rounds": "the point named after ten rounds",
        }
        return measure, f"Rule for {pays[s['pay']]}: {title}{word}{play}.", evidence

    def parts(self, s: dict[str, Any]) -> dict[str, list[str]]:
        """All of them."""
        measure, named, evidence = self.rule(s)
        range_ = s["psi"] * self.spread if s["f"] == "norm" else self.lines[s["kernel"], min(s["dim"], 3)]
        sd, eps = s["noise"] * range_, nearest([0.1, 0.3], s["eps"] * range_)
        fitted = s["doubt"] == "fitted"
        found = {"rule": self.fitted(s) if fitted else [named, *evidence]}
        kind = {"draw": "prior", "norm": "norm", "none": "prior"}[s["f"]]
        found["width"] = [self.width(s, sd)]
        found["horizon"] = [self.horizon(s, sd, kind)]
        place, q = "square" if s["dim"] > 1 else "line", nearest([0.1, 0.3], sd)
        at = self.stopping.loc[(kind, place, s["kernel"], q, "right", eps)]
        own = {"draw": "probability", "norm": "differences", "none": "1.96"}[s["f"]]
        rules = (own, *(["union", "lemma-6"] if kind == "prior" else []), "1.96", "0.447")
        found["stop"] = [self.stop(at.loc[rule]) for rule in rules] + [f"noise {q:g}, ε = {eps:g}, δ = 0.1"]
        if s["f"] != "none":
            median, made = at.loc[own, "median"], 100 if s["dim"] > 1 else 200
            late = f"named: will not stop within {made if math.isnan(median) else s['T']} evaluations in the median"
            now = "named: by p" if s["f"] == "draw" else "named: by d"
            off = max(abs(math.log(sd / q)), abs(math.log(s["eps"] * range_ / eps)))
            found["stop"] += ["GP-UCB of width 2 plays"]
            far = off > 0.7 or s["delta"] < 0.1
            told = "not measured near" if far else now if median <= s["T"] else late
            found["stop"] += ["no promise with a fitted model" if fitted else told]
            found["width"] += [" with a known model."] if fitted else []
        if s["doubt"] == "right":
            found["doubt"] = ["you trust it" if s["f"] != "none" else "you assume no model"]
        else:
            found["doubt"] = [
                text for error in ERRORS[s["doubt"]] for text in self.error(s, measure, named, error, eps)
            ]
        return found

    def width(self, s: dict[str, Any], sd: float) -> str:
        """By its formula."""
        if s["f"] == "none":
            return "none is proved"
        if s["f"] == "draw":
            return f"{shown(math.sqrt(2 * math.log(2 * s['N'] * s['T'] / s['delta'])))} standard deviations"
        g, of = self.gains, (s["kernel"], min(s["dim"], 3), nearest([0.01, 0.03, 0.1, 0.3, 1.0], sd))
        found = g[(g.kernel == of[0]) & (g.dim == of[1]) & (g.noise == of[2]) & (g.horizon >= s["T"])]
        gain = found.sort_values("horizon").upper.iloc[0]
        return f"at most {shown(math.sqrt(s['psi'] ** 2 + 2 * (gain + math.log(1 / s['delta']))))} standard deviations"

    def horizon(self, s: dict[str, Any], sd: float, kind: str) -> str:
        """The least of the column, among bounds for these functions and this batch."""
        if s["f"] == "none":
            return "at no horizon."
        t, batch = self.sayings, 5 if s["batch"] > 1 else 1
        of_prior = t.id.str.contains("tsrsr|compressed|classical/srinivas-finite")
        t = t[(t.quantity == "regret") & (of_prior == (kind == "prior")) & (t.kernel == s["kernel"])]
        t = t[(t.dim == min(s["dim"], 2)) & (t.noise == nearest([0.1, 0.3, 1.0], sd))]
        t = t[(t.batch == batch) | (t.id.str.startswith("batched") & (batch == 5))]
        first = t.says_from.min()
        return (
            f"from T = {shown(float(f'{first:.2g}'))} on" if math.isfinite(first) else "at no horizon up to a million"
        )

    @staticmethod
    def stop(row: Any) -> str:
        """When, and how often broken."""
        stops = row["median"] == row["median"]
        when = f"{shown(row['median'])} evaluations in the median" if stops else f"{shown(100 * row['stopped'])} % stop"
        low, high = (shown(100 * row[end]) for end in ("low", "high"))
        return f"{when}, broken in {shown(100 * row['broken'])} % ({low} to {high})"

    def error(self, s: dict[str, Any], measure: str, named: str, error: str, eps: float) -> list[str]:
        """What it adds, and how often the recommended stopping rule then breaks its promise."""
        rule = next(
            (r for r in ("ts-rsr", "ts", "ei-mean", "ei") if named.partition(": ")[2].startswith(TITLES[r])), "ucb"
        )
        setting = "1" if rule[:2] == "ts" else "-" if rule[:2] == "ei" else "1"
        if rule == "ucb":
            setting = next((w for w in ("1", "2", "3", "proved") if re.search(rf", (width )?{w}\b", named)), "1")
            setting = "1" if setting == "proved" and "B-UCB" in named else setting
        found = []
        if error != "fitted":
            wrong = self.cells[error, 0.1, 1, rule, setting][measure]
            right = self.cells["right", 0.1, 1, rule, setting][measure].loc[wrong.index]
            found = [interval((wrong - right).to_numpy())]
        if s["f"] != "none":
            of = ("prior", "probability", "union", "lemma-6") if s["f"] == "draw" else ("norm", "differences")
            truth = "matern32" if s["doubt"] == "smoothness" else "se"
            on_square = s["dim"] > 1 and s["f"] == "draw" and s["doubt"] == "lengthscale"
            place = "square" if on_square else "line"
            for row in (self.stopping.loc[(of[0], place, truth, 0.1, error, eps, rule)] for rule in of[1:]):
                ends = f"({shown(100 * row.low)} to {shown(100 * row.high)})"
                found.append(f"{shown(100 * row.broken)} % {ends}, {shown(100 * row.stopped)} % stop")
        return found


@pytest.fixture(scope="module")
def oracle() -> Oracle:
    return Oracle()


@pytest.fixture(scope="module")
def page(window: Any, tmp_path_factory: pytest.TempPathFactory) -> Any:
    path = tmp_path_factory.mktemp("decide") / "page.html"
    path.write_text(dragging.page_of("decide", FIGURES["decide"].record()), encoding="utf-8")
    window.goto(path.as_uri())
    return window


def settings(count: int = SETTINGS) -> list[dict[str, Any]]:
    """At random."""
    rng = np.random.default_rng(37)
    return [{name: values[rng.integers(len(values))] for name, values in CHOICES.items()} for _ in range(count)]


_ANSWERS = """async (all) => { const found = [];
  for (const s of all) {
    const query = new URLSearchParams({ ...s, n: found.length + performance.now() });
    const on = new Promise((go) => addEventListener("hashchange", go, { once: true }));
    location.hash = `#drag-decide?${query}`; await on;
    found.push(Object.fromEntries([...document.querySelectorAll("[data-part]")].map((p) => [p.dataset.part, p.textContent])));
  }
  return found; }"""


@pytest.mark.browser
@needs_browser
def test_answers_are_what_the_tables_say_at_random_settings(page: Any, oracle: Oracle) -> None:
    cases, wrong = settings(), []
    for s, answers in zip(cases, page.evaluate(_ANSWERS, cases), strict=True):
        for part, texts in oracle.parts(s).items():
            wrong += [
                f"{s}: {part}: {text!r} is not in {answers[part]!r}" for text in texts if text not in answers[part]
            ]
    assert not wrong, f"{len(wrong)}:\n" + "\n".join(wrong[:8])


@pytest.mark.browser
@needs_browser
def test_every_control_moves_an_answer_and_says_what_is_stored(page: Any) -> None:
    base = {name: values[len(values) // 2] for name, values in CHOICES.items()} | {"batch": 1, "doubt": "right"}
    for name, values in CHOICES.items():
        at = base | {"f": "norm" if name == "psi" else "draw"}
        seen = page.evaluate(_ANSWERS, [at | {"T": 10 if at["T"] != 10 else 20}, *(at | {name: v} for v in values)])[1:]
        moved = {part for part in seen[0] if len({each[part] for each in seen}) > 1}
        assert moved, name
    answers = page.evaluate(_ANSWERS, [base | {"f": "norm", "T": 100}])[0]
    assert all("earest stored setting" in answers[part] for part in ("width", "horizon", "stop"))


@pytest.mark.browser
@needs_browser
def test_a_value_that_is_not_offered_is_not_replaced_in_silence(page: Any) -> None:
    page.evaluate(_ANSWERS, [{"noise": 0.2, "batch": 4, "f": "neither", "T": 12, "kernel": "se"}])
    said = page.locator(".drag-summary").inner_text()
    for asked, now in (("noise=0.2", "0.1"), ("batch=4", "1"), ("f=neither", "draw"), ("T=12", "10")):
        assert f"{asked} is not offered; shown for {now}." in said
    assert said.count("not offered") == 4
    page.evaluate(_ANSWERS, [{"noise": "0.10", "doubt": "lengthscale"}])
    assert "not offered" not in page.locator(".drag-summary").inner_text()
    assert "play and stop with half of your length-scale" in page.locator("[data-part=doubt] strong").inner_text()


@pytest.mark.browser
@needs_browser
def test_an_answer_depends_on_what_it_names_alone(page: Any) -> None:
    """At random settings every control is moved: the answer in bold, and the picture, follow only those that it names."""
    bold = _ANSWERS.replace("p.textContent", "p.querySelector('strong').textContent")
    uses, moved = decide_words()["uses"], {part: set() for part in decide_words()["uses"]}
    cases = [(s, name, s | {name: value}) for s in settings(12) for name, values in CHOICES.items() for value in values]
    base, changed = (page.evaluate(bold, [case[k] for case in cases if case[k]]) for k in (0, 2))
    for (_, name, _), one, two in zip(cases, base, changed, strict=True):
        for part in uses:
            if one[part] != two[part]:
                moved[part].add(name)
    for part, names in uses.items():
        assert moved[part] <= set(names), part
    assert {"pay", "batch", "noise", "T", "doubt"} == moved["rule"]


def decide_words() -> dict[str, Any]:
    """What the page says, by name."""
    return json.loads(FIGURES["decide"].record())["words"]


@pytest.mark.browser
@needs_browser
def test_the_picture_is_of_what_is_paid_for(page: Any) -> None:
    words = decide_words()
    for pay, said in (("every", words["ranking"]), ("best", words["picture"]), ("rounds", words["ranking"])):
        page.evaluate(_ANSWERS, [{"pay": pay, "T": 60}])
        assert page.locator(".drag-stage svg[role=img]").get_attribute("aria-label").startswith(said)


def test_with_a_fitted_model_no_rule_stands_that_was_not_run_with_one(oracle: Oracle) -> None:
    run = oracle.shipped[oracle.shipped.model == "fitted"]
    ran = {
        (f"{'b-' if r.method == 'ucb' and r.batch > 1 else ''}{r.method} {r.setting}", r.batch)
        for r in run.itertuples()
    }
    rows = decide.data()["fitted"]["rows"]
    assert rows
    for key, found in rows.items():
        assert {(name, int(key.split()[1])) for name, *_ in found} <= ran
    assert ("ei -", 1) not in ran


def test_the_record_is_small_and_every_word_of_it_is_used() -> None:
    text = FIGURES["decide"].record()
    words, script = json.loads(text)["words"], dragging.script("decide").read_text(encoding="utf-8")
    assert not [name for name in words if not re.search(rf'W\.{name}\b|part\("{name}"', script)]


def test_tables_and_numbers_are_the_records() -> None:
    data, numbers = decide.data(), decide.numbers()
    frame = decide.answers_table()[0].frame
    assert len(frame) == len(data["ranks"]) == 5 * 3 * 3
    for (key, found), row in zip(data["ranks"].items(), frame.itertuples(index=False), strict=True):
        name = decide.slug(key)
        assert row[3] == numbers[f"{name}_rule"] == data["names"][found["rows"][0][0]]
        assert [numbers[name], numbers[f"{name}_low"], numbers[f"{name}_high"]] == found["rows"][0][1:4]
    right = [key for key in data["stops"]["rows"] if " right " in key]
    assert len(decide.stopping_table()[0].frame) == len(right) == 2 * (2 + 2) * 3 * 2


def test_pages_name_only_numbers_that_there_are() -> None:
    numbers = decide.numbers()
    for name in ("decide", "rules"):
        text = (Path(__file__).parents[2] / "book" / f"{name}.md").read_text(encoding="utf-8")
        named = re.findall(r"\[\[(\w+)", text)
        assert len(named) > 10
        assert not [each for each in named if each not in numbers]
        facts = itertools.chain.from_iterable(part.split() for part in re.findall(r":true-if: (.*)", text))
        assert all(numbers[fact] for fact in facts)
