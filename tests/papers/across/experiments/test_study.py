"""The study of chapter 6: its runs against the papers' own policies and against a posterior written out here; its analysis."""

from __future__ import annotations

import ast
import math
import re
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from scipy.stats import norm

from companion.core.files import repository_root, results_folder
from companion.core.randomness import stream
from companion.gp import PriorDraws
from companion.judge.preregistration import order
from companion.judge.reported import load_margins
from companion.papers.across.experiments import study
from companion.papers.across.experiments.study_analysis import MEASURES, RULES, Study
from companion.papers.across.experiments.study_play import design_of, modelled, noise_of, play, row
from companion.papers.across.method.rules import ENTRIES, Entry, rule_of, sizes
from companion.papers.across.problems import functions as f
from companion.papers.across.problems.functions import HORIZON, INITIAL
from companion.papers.batched.method.policy import BPE
from companion.papers.batched.method.sizes import original_sizes
from companion.papers.tsrsr.method.policy import FinitePolicy

SEEDS = 2
NAME, SHARE = "norm-matern25-3d", 0.1


def model(name: str = NAME) -> tuple[f.Function, np.ndarray, float]:
    problem = f.function(name)
    covariance = np.asarray(problem.kernel(f.candidates(problem.dim)))
    return problem, covariance, (SHARE * problem.spread) ** 2


def posterior(
    covariance: np.ndarray, variance: float, at: np.ndarray, seen: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    gram = covariance[np.ix_(at, at)] + variance * np.eye(len(at))
    weights = np.linalg.solve(gram, covariance[at])
    return seen @ weights, np.sqrt(np.maximum(covariance.diagonal() - (covariance[at] * weights).sum(axis=0), 1e-15))


# -- the functions -----------------------------------------------------------------------------------------------------


def test_there_are_36_functions_of_three_groups_in_one_to_six_dimensions() -> None:
    groups = pd.Series([each.group for each in f.FUNCTIONS.values()]).value_counts()
    assert groups.to_dict() == {"norm": 11, "draw": 11, "test": 14}
    assert {each.dim for each in f.FUNCTIONS.values()} == {1, 2, 3, 4, 5, 6}


@pytest.mark.parametrize(
    ("formula", "at", "value"),
    [
        (f.forrester, [0.757249], 6.02074),
        (f.gramacy_lee, [0.548563], 0.869011),
        (f.branin, [(math.pi + 5) / 15, 2.275 / 15], -0.397887),
        (f.camel, [(0.0898 + 2) / 4, (-0.7126 + 1) / 2], 1.0316),
        (f.hartmann3, [0.114614, 0.555649, 0.852547], 3.86278),
        (f.levy, [1.0, 1.0, 1.0, 1.0], 0.0),
    ],
)
def test_a_test_function_has_its_published_optimum(formula, at: list[float], value: float) -> None:
    best, generator = np.array([at]), np.random.default_rng(0)
    assert formula(best)[0] == pytest.approx(value, abs=1e-4)
    around = np.clip(best + 0.01 * generator.standard_normal((200, len(at))), 0.0, 1.01)
    assert formula(around).max() <= value + 1e-4


def test_functions_of_norm_3_have_it_and_models_of_test_functions_are_the_likeliest() -> None:
    for name in ("norm-matern25-3d", "norm-matern25-1d"):
        problem = f.function(name)
        covariance = problem.kernel(f.candidates(problem.dim)) + 1e-10 * np.eye(f.SIZE)
        assert math.sqrt(problem.values @ np.linalg.solve(covariance, problem.values)) == pytest.approx(3.0, rel=1e-3)
    problem = f.function("bird-2d")
    noise = (0.1 * problem.spread) ** 2 * np.eye(f.SIZE)
    scores = {}
    for scale in f.LIKELY:
        matrix = np.asarray(replace(problem.kernel, lengthscale=scale * math.sqrt(2))(f.candidates(2))) + noise
        scores[scale] = problem.values @ np.linalg.solve(matrix, problem.values) + np.linalg.slogdet(matrix)[1]
    assert problem.kernel.lengthscale == pytest.approx(min(scores, key=scores.get) * math.sqrt(2))
    assert len(set(scores.values())) == len(f.LIKELY)


# -- the runs ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "entry",
    [Entry("ucb", 1, "2"), Entry("ucb", 10, "1"), Entry("ucb-pe", 5, "2"), Entry("ts", 5, "1"), Entry("ts-rsr", 10, "1"),
     Entry("ei", 5, "-"), Entry("random", 1, "-")],
    ids=lambda entry: f"{entry.rule} {entry.batch}",
)  # fmt: skip
def test_a_run_is_that_of_the_papers_own_policy(entry: Entry) -> None:
    problem, covariance, variance = model()
    found = play(problem, SHARE, entry, SEEDS)
    prior = PriorDraws.on_points(problem.kernel, f.candidates(problem.dim))
    noise, design = noise_of(problem, SHARE, SEEDS), design_of(problem, SEEDS)
    for seed in range(SEEDS):
        generator = stream(seed, "study", problem.name, "rule", entry.rule, entry.batch)
        policy = FinitePolicy(rule_of(entry, f.SIZE), covariance, prior, variance, entry.batch, generator, design[seed])
        done: list[int] = []
        while len(done) < HORIZON:
            asked = policy.ask(HORIZON - len(done)).query
            policy.tell(problem.values[asked] + noise[seed, len(done) : len(done) + len(asked)])
            done += asked.tolist()
        assert found.query[seed].tolist() == done


def test_bpe_is_that_of_its_paper() -> None:
    problem, covariance, variance = model()
    found = play(problem, SHARE, Entry("bpe", 0, "1"), SEEDS)
    noise = noise_of(problem, SHARE, SEEDS)
    for seed in range(SEEDS):
        policy, done = BPE(covariance, variance, original_sizes(HORIZON), 1.0), []
        while len(done) < HORIZON:
            asked = policy.ask(HORIZON - len(done)).query
            policy.tell(problem.values[asked] + noise[seed, len(done) : len(done) + len(asked)])
            done += asked.tolist()
        assert found.query[seed].tolist() == done


@pytest.mark.parametrize(
    "entry", [Entry("ei-mean", 1, "-"), Entry("compressed-ucb", 1, "2")], ids=lambda entry: entry.rule
)
def test_a_run_written_out(entry: Entry) -> None:
    """EI over the largest mean, and the compressed rule, which evaluates only where the variance exceeds its threshold."""
    problem, covariance, variance = model(NAME if entry.rule == "ei-mean" else "draw-se-1d")
    found, noise = play(problem, SHARE, entry, SEEDS), noise_of(problem, SHARE, SEEDS)
    seed = 1
    at, seen = found.query[seed, :INITIAL], problem.values[found.query[seed, :INITIAL]] + noise[seed, :INITIAL]
    for t in range(INITIAL, HORIZON):
        mean, sd = posterior(covariance, variance, at, seen)
        z = (mean - mean.max()) / sd
        score = sd * (z * norm.cdf(z) + norm.pdf(z)) if entry.rule == "ei-mean" else mean + 2.0 * sd
        chosen = int(found.query[seed, t])
        assert score[chosen] >= score.max() * (1 - 1e-7)
        makes = entry.rule == "ei-mean" or sd[chosen] ** 2 > variance / math.sqrt(HORIZON)
        assert makes == (not np.isnan(found.observed[seed, t]))
        if makes:
            at, seen = np.append(at, chosen), np.append(seen, problem.values[chosen] + noise[seed, t])
    mean, _ = posterior(covariance, variance, at, seen)
    assert mean[found.recommended[seed, -1]] == pytest.approx(mean.max(), abs=1e-9)
    assert (len(at) < HORIZON) == (entry.rule == "compressed-ucb")


def test_a_scale_moves_draws_away_from_the_mean_and_one_leaves_them() -> None:
    problem, *_ = model()
    runs = {setting: play(problem, SHARE, Entry("ts", 1, setting), SEEDS) for setting in ("0.5", "1", "2")}
    first = {setting: run.query[:, : INITIAL + 1] for setting, run in runs.items()}
    distinct = {setting: np.mean([len(set(row)) for row in run.query.tolist()]) for setting, run in runs.items()}
    assert all((first["1"][:, :INITIAL] == each[:, :INITIAL]).all() for each in first.values())
    assert distinct["0.5"] < distinct["1"] < distinct["2"]


def test_what_is_kept_of_runs() -> None:
    """Of a run whose every play is the best candidate, and of one that finds it at the 50th only."""
    problem, *_ = model()
    entry = Entry("random", 1, "-")
    run = play(problem, SHARE, entry, SEEDS)
    best, worst = int(problem.values.argmax()), int(problem.values.argmin())
    right = replace(run, query=np.full_like(run.query, best), recommended=np.full_like(run.recommended, best))
    assert row(problem, right)["cumulative"] == row(problem, right)["final"] == 0.0
    late = np.where(run.ends >= 50, best, worst)[None, :].repeat(SEEDS, axis=0)
    kept = row(problem, replace(run, recommended=late))
    assert kept["found_40"] == 0
    assert kept["found_50"] == SEEDS
    assert kept["final"] == 0.0
    assert kept["rounds"] > 1.0
    assert kept["early"] == pytest.approx(np.ptp(problem.values) / problem.gap)
    everywhere = replace(
        run, query=np.arange(f.SIZE)[None, :].repeat(SEEDS, axis=0), observed=np.zeros((SEEDS, f.SIZE))
    )
    assert row(problem, everywhere)["cumulative"] == pytest.approx(1.0)  # at random


def test_sizes_add_up_and_a_wrong_model_is_wrong_in_one_thing() -> None:
    assert all(sum(sizes(entry)) == HORIZON for entry in ENTRIES)
    problem, *_ = model()
    right, one = modelled(problem, "right")
    assert (right, one) == (problem.kernel, 1.0)
    assert modelled(problem, "noise*2") == (right, 2.0)
    assert modelled(problem, "noise/2") == (right, 0.5)
    assert modelled(problem, "lengthscale/2")[0].lengthscale == right.lengthscale / 2
    assert modelled(problem, "lengthscale*2")[0].lengthscale == right.lengthscale * 2
    assert modelled(problem, "rougher")[0].nu == 0.5
    assert study.errors_of("draw-se-2d") == tuple(name for name in study.ERRORS if name != "smoother")
    assert study.errors_of("bird-2d") == ()


# -- the analysis ------------------------------------------------------------------------------------------------------


def made_up(values) -> Study:
    """A study whose every cell is ``values(problem number, rule, setting, noise)``."""
    names = [f"f{number}" for number in range(6)]
    rows = [
        {"model": "right", "noise": noise, "batch": entry.batch, "method": entry.rule, "setting": entry.setting,
         "problem": name} | {measure: values(number, entry.rule, entry.setting, noise) for measure in MEASURES}
        for number, name in enumerate(names) for noise in study.NOISES for entry in ENTRIES
    ]  # fmt: skip
    return Study(pd.DataFrame(rows), load_margins("across"))


def test_no_function_decides_about_the_setting_it_is_judged_by() -> None:
    """Width 1 is best on five functions and a disaster on the last: it alone is judged by width 1, and the others by width 2."""

    def values(number: int, rule: str, setting: str, noise: float) -> float:
        if rule == "ucb" and setting == "1":
            return 10.0 if number == 5 else 0.1
        return 0.5 if setting == "2" else 0.9 + 0.01 * number + noise

    found, settings = made_up(values).tuned("final", "ucb")
    assert settings == ("2", "2", "2", "2", "2", "1")
    assert found.tolist() == pytest.approx([0.5] * 5 + [10.0])


def test_a_ranking_names_the_lowest_mean_and_those_not_shown_to_be_worse() -> None:
    level = {rule: 0.2 + 0.1 * place for place, rule in enumerate(RULES[1])}
    level["ts"] = level["ucb"] + 1e-4

    def values(number: int, rule: str, setting: str, noise: float) -> float:
        wobble = 0.01 * math.sin(7.0 * number + sum(map(ord, rule)))
        return level.get(rule, 1.0) + wobble + noise

    found = made_up(values).judged("cumulative")
    assert found.order[0] in ("ucb", "ts")
    assert set(found.with_best(0.05)) == {"ucb", "ts"}
    assert found.order[-1] == max(level, key=level.get)
    assert found.means["ucb"].estimate == pytest.approx(level["ucb"] + np.mean(study.NOISES), abs=0.011)
    only = made_up(values).judged("cumulative", noises=(0.3,))
    assert only.means["ucb"].estimate == pytest.approx(level["ucb"] + 0.3, abs=0.011)


@pytest.mark.parametrize(
    ("module", "table"),
    [
        ("study_protocol.py", "study"),
        ("stopping_protocol.py", "stopping"),
        ("fitted_model.py", "shipped"),
        ("misspecified_widths.py", "misspecified"),
    ],
)
def test_the_protocol_is_older_than_the_runs(module: str, table: str) -> None:
    """In a full history; a copy without one cannot tell. Names of modules and commands may have changed, no other word."""
    path = repository_root() / "src/companion/papers/across/experiments" / module

    def words(source: str) -> list[str]:
        text = ast.get_docstring(ast.parse(source)) or ""
        return re.sub(r":\w+:`[^`]+`|``python -m [^`]+``|companion\.papers\.across[\w.]+", "...", text).split()

    def fault(then: bytes) -> str:
        return "" if words(then.decode()) == words(path.read_text("utf-8")) else "the protocol was another one"

    found = order(path, results_folder("across") / f"{table}.csv", fault)
    assert found.shown or found.reason
    assert "another one" not in found.reason
