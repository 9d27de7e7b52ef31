"""BoTorch's model and rules as shipped: against formulas and brute force written out here; their seeds; the analysis."""

from __future__ import annotations

import math
from dataclasses import replace
from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from tolerances import LIBRARY_AGREEMENT

pytest.importorskip("torch")
import torch

pytest.importorskip("botorch")

from companion.judge.reported import load_margins
from companion.papers.across.experiments import fitted_model
from companion.papers.across.experiments.fitted_model import FITTED, KNOWN, PLAYS, Fitted, Shipped
from companion.papers.across.experiments.study_play import Played, play
from companion.papers.across.experiments.study_play import row as row_of_study
from companion.papers.across.method.rules import Entry
from companion.papers.across.problems import functions as f

NAME, MODELLED, SEEN = "hartmann-3d", "branin-2d", 25
DRAWS = 200_000


@pytest.fixture(scope="module")
def model() -> Fitted:
    problem, generator = f.function(MODELLED), np.random.default_rng(2)
    at = generator.integers(f.SIZE, size=SEEN)
    seen = problem.values[at] + 0.1 * problem.spread * generator.standard_normal(SEEN)
    torch.manual_seed(5)
    found = Fitted(f.candidates(problem.dim), at, seen)
    found.at, found.seen = at, seen  # type: ignore[attr-defined]
    return found


def conditioned(covariance: np.ndarray, variance: float, at: int) -> np.ndarray:
    return covariance - np.outer(covariance[at], covariance[at]) / (covariance[at, at] + variance)


# -- the model ---------------------------------------------------------------------------------------------------------


def test_what_rules_see_is_the_posterior_of_the_fitted_numbers(model: Fitted) -> None:
    """Written out: outcomes of mean 0 and sd 1, SE kernel of variance one with a length-scale for each coordinate."""
    m, at, seen = model.model, model.at, model.seen  # type: ignore[attr-defined]
    shift, unit = seen.mean(), seen.std(ddof=1)
    scaled = f.candidates(2) / m.covar_module.lengthscale.detach().numpy()
    prior = np.exp(-0.5 * ((scaled[:, None] - scaled) ** 2).sum(axis=2))
    noise, constant = m.likelihood.noise.item(), m.mean_module.constant.item()
    inverse = np.linalg.inv(prior[np.ix_(at, at)] + noise * np.eye(SEEN))
    mean = constant + prior[:, at] @ inverse @ ((seen - shift) / unit - constant)
    covariance = prior - prior[:, at] @ inverse @ prior[at]
    now = model.round
    np.testing.assert_allclose(now.mean, shift + unit * mean, atol=1e-8)
    np.testing.assert_allclose(now.covariance, unit**2 * covariance, atol=1e-8)
    assert now.noise_variance == pytest.approx(unit**2 * noise)
    assert now.incumbent == now.mean.max()


# -- the library's rules -----------------------------------------------------------------------------------------------


def test_qucb_of_one_point_is_the_mean_and_root_beta_standard_deviations(model: Fitted) -> None:
    """Its absolute value and factor root(pi/2) cancel but for the 512 numbers, which are the same at all candidates."""
    now, made = model.round, model.acquisition("qucb")
    with torch.no_grad():
        values = made(model.points[:, None, :]).numpy()
    widths = (values - now.mean) / np.sqrt(now.variance)
    assert np.ptp(widths) < 1e-6
    assert widths[0] == pytest.approx(math.sqrt(0.2), rel=0.02)
    assert widths[0] != pytest.approx(0.2, rel=0.5)
    torch.manual_seed(3)
    (chosen,) = model.choose("qucb", 1)
    assert chosen == (now.mean + math.sqrt(0.2) * np.sqrt(now.variance)).argmax()
    assert chosen != (now.mean + 2.0 * np.sqrt(now.variance)).argmax(), "told from the papers' width"


def test_qucb_of_two_points_is_the_expectation_of_the_larger_mirrored_draw(model: Fitted) -> None:
    """And no upper bound conditioned on the first point: a second point counts by where it beats the first."""
    now, made, first = model.round, model.acquisition("qucb"), int(model.round.mean.argmax())
    factor, normal = math.sqrt(0.2 * math.pi / 2), np.random.default_rng(1).standard_normal((DRAWS, 2))
    made.set_X_pending(model.points[[first]])
    for other in (3, 77, 240, int(np.argsort(now.mean)[-2])):
        pair = np.ix_([first, other], [first, other])
        moved = normal @ np.linalg.cholesky(now.covariance[pair]).T
        mine = (now.mean[[first, other]] + factor * np.abs(moved)).max(axis=1)
        with torch.no_grad():
            assert float(made(model.points[[other]][None])) == pytest.approx(mine.mean(), abs=0.01)
        alone = now.mean[[first, other]].max() + math.sqrt(0.2) * math.sqrt(now.variance[first])
        assert mine.mean() >= alone - 0.01


def test_qlognei_chooses_where_the_noisy_improvement_is_largest(model: Fitted) -> None:
    """By 20,000 draws at all candidates: over the largest of f where it was evaluated, which is not the largest value seen."""
    now, at = model.round, model.at  # type: ignore[attr-defined]
    draws = now.draws(np.random.default_rng(2), 20_000)
    gain = np.maximum(draws - draws[:, at].max(axis=1, keepdims=True), 0.0).mean(axis=0)
    torch.manual_seed(3)
    (chosen,) = model.choose("qlognei", 1)
    assert gain[chosen] > 0.97 * gain.max()
    wrong = [now.mean, now.variance, np.maximum(draws - model.seen.max(), 0.0).mean(axis=0)]  # type: ignore[attr-defined]
    assert all(gain[each.argmax()] < 0.95 * gain.max() for each in wrong)


def test_the_knowledge_gradient_is_the_librarys_at_its_best_fantasy_points(model: Fitted) -> None:
    made, few = model.acquisition("qkg"), [0, 150, 399]
    values, best = model.fantasies(made)
    assert len(best) == 64
    whole = torch.cat([model.points[few][:, None, :], model.points[torch.as_tensor(best[:, few].T)]], dim=1)
    other = whole.clone()
    other[:, 1] = model.points[int(model.round.mean.argmin())]
    with torch.no_grad():
        np.testing.assert_allclose(made(whole).numpy(), values[few], rtol=0, atol=LIBRARY_AGREEMENT)
        assert (made(other).numpy() < values[few]).all()
    assert (values >= model.round.mean.max() - 0.01).all()  # data are worth something


@pytest.mark.parametrize("rule", ["qlognei", "qucb"])
def test_a_batch_of_the_library_has_no_candidate_twice(model: Fitted, rule: str) -> None:
    torch.manual_seed(3)
    assert len(set(model.choose(rule, 5).tolist())) == 5


# -- the runs ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("rule", ["qlognei", "ts-rsr"])
def test_a_run_depends_on_its_seed_alone(rule: str) -> None:
    problem, entry = f.function("hartmann-6d"), Entry(rule, 5, "-" if rule == "qlognei" else "1")
    torch.manual_seed(1)
    one, state = fitted_model.play_fitted(problem, entry, 3, 20), torch.random.get_rng_state()
    torch.manual_seed(2)
    again, other = fitted_model.play_fitted(problem, entry, 3, 20), fitted_model.play_fitted(problem, entry, 4, 20)
    assert one.query.tolist() == again.query.tolist()
    assert one.observed.tolist() == again.observed.tolist()
    assert one.query[0, 10:].tolist() != other.query[0, 10:].tolist()
    torch.manual_seed(1)
    assert torch.equal(state, torch.random.get_rng_state()), "nobody else's random numbers are touched"


def test_a_run_of_the_papers_written_out() -> None:
    """B-UCB on the fitted model: standard deviations conditioned on the batch, and the recommended points."""
    problem, width, seed = f.function(NAME), 2.0, 6
    run = fitted_model.play_fitted(problem, Entry("ucb", 5, "2"), seed, 15)
    at = run.query[0]
    assert run.ends.tolist() == [10, 15]
    for end, said in zip(run.ends, run.recommended[0], strict=True):
        torch.manual_seed(1000 * seed + int(end))
        now = Fitted(f.candidates(3), at[:end], run.observed[0, :end]).round
        assert said == now.mean.argmax()
        covariance = now.covariance
        for chosen in at[end : end + 5]:
            score = now.mean + width * np.sqrt(covariance.diagonal())
            assert score[chosen] == pytest.approx(score.max(), abs=1e-8)
            covariance = conditioned(covariance, now.noise_variance, chosen)


def test_the_known_model_is_that_of_the_study() -> None:
    problem, entry = f.function(NAME), Entry("ucb", 5, "1")
    whole = play(problem, fitted_model.SHARE, entry, 2)
    mine = [fitted_model.row(problem, fitted_model.play_known(problem, entry, seed)) for seed in range(2)]
    kept = row_of_study(problem, whole)
    for measure in ("early", "half"):
        assert np.mean([each[measure] for each in mine]) == pytest.approx(kept[measure])
    for name in ("near", "found"):
        assert sum(each[f"{name}_30"] for each in mine) == kept[f"{name}_30"]
    part = replace(whole, query=whole.query[:, :PLAYS], observed=whole.observed[:, :PLAYS])
    assert np.mean([each["cumulative"] for each in mine]) == pytest.approx(row_of_study(problem, part)["cumulative"])


def test_what_is_kept_of_a_run_that_finds_the_best_point_last() -> None:
    problem = f.function(NAME)
    best, worst = int(problem.values.argmax()), int(problem.values.argmin())
    ends = np.arange(10, PLAYS + 1)
    said = np.where(ends >= PLAYS, best, worst)[None]
    kept = fitted_model.row(problem, Played(np.arange(PLAYS)[None], np.zeros((1, PLAYS)), ends, said))
    assert (kept["half"], kept["found_50"], kept["found_40"]) == (0.0, 1, 0)
    assert kept["early"] == pytest.approx(np.ptp(problem.values) / problem.gap)
    assert "half" not in fitted_model.row(
        problem, Played(np.arange(30)[None], np.zeros((1, 30)), ends[:21], said[:, :21])
    )


def test_the_runs_are_those_of_the_protocol() -> None:
    tasks = [task for block in fitted_model.blocks(fitted_model.FittedPlan()) for task in block.tasks]
    assert len({task.key() for task in tasks}) == len(tasks)
    problems = {f.function(name) for name in fitted_model.PROBLEMS}
    assert {each.group for each in problems} == set(f.GROUPS)
    assert {each.dim for each in problems} == {1, 2, 3, 4, 6}
    table = pd.DataFrame([{**t.parameters, "rule": t.method, "seed": t.seed} for t in tasks])
    for batch, seeds in fitted_model.SEEDS.items():
        part = table[(table.batch == batch) & (table.rule != "qkg")]
        assert (part.groupby(["problem", "rule", "setting", "model"]).size() == seeds).all()
        entries = 2 * len(fitted_model.papers_entries(batch)) + len(fitted_model.library_entries(batch))
        assert len(part) == entries * seeds * len(problems)


# -- the analysis ------------------------------------------------------------------------------------------------------


def made_up(values) -> Shipped:
    """Runs whose numbers are ``values(problem number, rule, model)`` and a wobble of seeds that all rules share."""
    rows = [
        {"problem": task.parameters["problem"], "model": task.parameters["model"], "method": task.method,
         "batch": task.parameters["batch"], "setting": task.parameters["setting"], "seed": task.seed}
        | {m: values(fitted_model.PROBLEMS.index(task.parameters["problem"]), task.method, task.parameters["model"])
           + 0.3 * math.sin(task.seed) for m in fitted_model.MEASURES}
        for block in fitted_model.blocks(fitted_model.FittedPlan()) for task in block.tasks
    ]  # fmt: skip
    return Shipped(pd.DataFrame(rows).sample(frac=1.0, random_state=0), load_margins("across"))


def test_what_is_planted_is_found_and_nothing_else() -> None:
    """Fitting costs EI 0.3, which then changes places; qLogNEI is 0.2 better than all others, qUCB is no different."""

    def values(number: int, rule: str, model: str) -> float:
        wobble = 0.01 * math.sin(7.0 * number + 3.0 * sum(map(ord, rule)) + (model == KNOWN))
        planted = 0.3 * (rule == "ei-mean" and model == FITTED) - 0.2 * (rule == "qlognei") - 0.1 * (rule == "ei-mean")
        return 0.5 + 0.05 * number + planted + wobble

    found = made_up(values)
    fitting = found.fitting("half")
    assert {key[0].rule: test.shown(0.05) for key, test in fitting.items()} == {
        "ucb": 0, "ts": 0, "ts-rsr": 0, "ei-mean": 1,
    }  # fmt: skip
    assert fitting[(Entry("ei-mean", 5, "-"),)].difference.estimate == pytest.approx(0.3, abs=0.02)
    order = found.order("half")
    assert set(order) == {pair for b in fitted_model.SEEDS for pair in combinations(fitted_model.papers_entries(b), 2)}
    assert all(test.shown(0.05) == (-1 if key[1].rule == "ei-mean" else 0) for key, test in order.items())
    library = found.library("cumulative")
    for (mine, paper), test in library.items():
        gap = (-0.2 if mine.rule == "qlognei" else 0.0) - (0.2 if paper.rule == "ei-mean" else 0.0)
        assert test.difference.estimate == pytest.approx(gap, abs=0.02)
        assert test.shown(0.05) == (-1 if gap else 0)
        assert mine.batch == paper.batch


def test_functions_are_paired_by_name_and_seeds_averaged() -> None:
    found = made_up(lambda number, rule, model: float(number))
    expected = np.arange(8.0) + 0.3 * np.mean(np.sin(np.arange(5)))
    np.testing.assert_allclose(found.values("half", Entry("ts", 5, "1")), expected)
    assert len(found.values("early", fitted_model.KG)) == 2


def test_the_stored_runs_are_those_of_the_plan() -> None:
    stored, key = Shipped.read().table, list(fitted_model.KEY)
    planned = [
        block.told(task, key) for block in fitted_model.blocks(fitted_model.FittedPlan()) for task in block.tasks
    ]
    assert {tuple(row) for row in stored[key].values.tolist()} == {tuple(told.values()) for told in planned}
    assert (stored.half.isna() == (stored.method == "qkg")).all()
