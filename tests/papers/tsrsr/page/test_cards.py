"""The cards of problems and methods, and the cells of the tables that stand out."""

from __future__ import annotations

import math

import numpy as np
import pytest
from matplotlib.figure import Figure as Canvas

from companion.pages.figures import LIGHT
from companion.papers.tsrsr.page import bound, cards, experiments_figures, stored_runs
from companion.papers.tsrsr.problems.catalogue import chapter_problem
from companion.problems import BoxProblem


def test_a_slice_is_the_problem_and_its_star_the_maximum() -> None:
    for name, shown in zip(cards.DRAWN, cards.slices().shown, strict=True):
        problem = chapter_problem(name).problem
        assert shown.values.max() <= problem.optimum + 1e-9
        if not isinstance(problem, BoxProblem):
            assert shown.values.max() == problem.optimum
            continue
        assert problem.optimiser is not None
        at = np.array(problem.optimiser)
        at[:2] = problem.low[:2] + [0.25, 0.75] * (problem.high - problem.low)[:2]
        row, column = (round(share * (cards.FINE - 1)) for share in (0.25, 0.75))
        assert shown.values[row, column] == pytest.approx(float(problem.evaluate(at[None, :])[0]), abs=1e-9)
        assert shown.best.tolist() == list(problem.optimiser[:2])


def test_cards_say_what_the_objects_are() -> None:
    told = cards.problem_numbers()
    assert told.bird_2d_best == pytest.approx(106.7645367493, abs=1e-9)
    assert (told.gp_2d_m, told.gp_2d_rounds, told.gp_2d_axis, told.gp_3d_axis) == (20, 20, 100, 26)
    assert 0 <= told.robot_below < 1e-6
    assert math.copysign(1.0, told.ackley_2d_best) == 1.0
    rules = cards.method_numbers()
    assert rules.first == pytest.approx(0.2 * math.log(1000 * math.pi**2 / 0.06))
    assert (rules.chain, rules.initial, rules.uniform, rules.noise) == (2, 15, 1000, 1e-3)


def test_small_multiples_mark_the_maximisers() -> None:
    canvas = Canvas()
    shown = cards.slices()
    cards.small_multiples(shown).draw(canvas, LIGHT)
    assert [axes.get_title() for axes in canvas.axes] == [part.title for part in shown.shown]
    for axes, part in zip(canvas.axes, shown.shown, strict=True):
        assert [float(line[0]) for line in axes.lines[0].get_data()] == part.best.tolist()


def test_lowest_means_stand_out_and_reversed_comparisons_are_marked(root) -> None:
    evidence = stored_runs.load_paper_results(root)
    best, turned = experiments_figures.marks(evidence, 2)
    rows = stored_runs.beside(evidence, 2)
    assert best.groupby(rows.problem).sum().to_numpy().min() >= 1
    assert not best[rows.method == "random search"].to_numpy().any()
    assert rows[best.printed].printed.str.contains("[1]", regex=False).all()
    found = {
        f"{method} on {problem.partition(',')[0]}"
        for problem, method in rows.loc[turned[experiments_figures.JUDGED["text"]], ["problem", "method"]].to_numpy()
    }
    numbers = stored_runs.pair_numbers(evidence)
    assert found == {*numbers.reversed_by, *numbers.reversed_for}
    assert turned[experiments_figures.JUDGED["code"]].sum() == numbers.code_turned


def test_the_waterfall_says_each_step_in_the_page_s_words() -> None:
    study = bound.bound_study(0, 2, 4, 1.0, 30)
    names = [step.name for step in study.chains[1.0]]
    words = {name: f"words for {name}" for name in (*names, "trivial", "sharp")}
    canvas = Canvas()
    bound.waterfall(study, words).draw(canvas, LIGHT)
    assert [tick.get_text() for tick in canvas.axes[0].get_yticklabels()] == [words[name] for name in names]
    written = [text.get_text() for text in canvas.axes[0].texts]
    trivial = study.chains[1.0].side["trivial"]
    assert f"words for trivial {round(trivial)}" in written
