"""From measured regret to the bound: no step claims more than its proof, and wrong constants show."""

from __future__ import annotations

import math
from itertools import pairwise, product
from typing import Any

import numpy as np
import pytest
from matplotlib.figure import Figure as Canvas

from companion.information.between_horizons import UpperEnds
from companion.pages.figures import LIGHT
from companion.papers.across.page import proof_steps as page
from companion.papers.across.problems.common import GAME, KERNELS
from companion.papers.across.theory import measured_regret, proof_steps
from companion.papers.across.theory.bounds import BOUNDS
from companion.papers.across.theory.measured_regret import Instance
from companion.papers.across.theory.proof_steps import METHODS, PROVED, SETTINGS, STEPS, broken, ratios, row
from companion.papers.meanfield.theory.runs import Game, theory_runs

SHORT = {"horizon": 100, "runs": 6}
WORDS = {name: name for name in (*STEPS, "trivial", "printed", "sharper", "all")} | {"unused": "not used"}


def kernel_of(played: str, kernel: str = "se") -> str:
    return GAME if played == "mf-gp-ucb" else kernel


def stored() -> list[dict[str, Any]]:
    return list(proof_steps.load().tables["steps"].to_dict("records"))


def test_every_method_stands_once_in_every_setting() -> None:
    kernels = {played: (GAME,) if played == "mf-gp-ucb" else KERNELS for played in METHODS}
    asked = {(k, d, s, p) for p in METHODS for k, (_, d, s) in product(kernels[p], SETTINGS)}
    found = [(r["kernel"], r["dim"], r["noise"], r["played"]) for r in stored()]
    assert len(found) == len(set(found))
    assert set(found) == asked


def test_the_steps_lead_from_the_stored_regret_to_the_bound() -> None:
    keys = ["kernel", "dim", "noise", "played", "batch"]
    regret = measured_regret.load().tables["measured"].set_index(keys).regret
    for levels in stored():
        product_of_all = math.prod(ratios(levels).values())
        assert product_of_all == pytest.approx(levels["closed"] / levels["measured"], rel=1e-9)
        assert levels["measured"] == pytest.approx(regret[tuple(levels[key] for key in keys)], rel=1e-3)
        setting = KERNELS[0] if levels["kernel"] == GAME else levels["kernel"]
        here = Instance(setting, levels["dim"], levels["noise"])
        form = BOUNDS[METHODS[levels["played"]].bound]
        assert levels["closed"] == pytest.approx(form.value(proof_steps.case_of(here, levels["played"])), rel=1e-5)


def test_no_stored_row_breaks_what_is_proved() -> None:
    assert {(r["kernel"], r["played"]): found for r in stored() if (found := broken(r, r["played"]))} == {}


@pytest.mark.parametrize("step", [*PROVED, "measured"])
def test_a_level_that_is_too_low_is_noticed(step: str) -> None:
    """Each proved level below the one before, and a regret above what the rule may lose."""
    for levels in stored()[: len(METHODS)]:
        played = levels["played"]
        before = STEPS[STEPS.index(step) - 1]
        wrong = {**levels, step: 0.99 * levels[before]}
        if step == "measured":
            wrong = {**levels, step: 1.01 * levels[METHODS[played].rule]}
        assert step in broken(wrong, played)


@pytest.mark.parametrize(
    ("played", "kernel"),
    [("compressed-ucb", "matern32"), ("bpe", "se"), ("ts-rsr", "matern52"), ("gp-ucb", "se"), ("wdrbo", "se")],
)
def test_a_row_made_again_is_the_stored_one(played: str, kernel: str) -> None:
    again = row(kernel, 1, 1.0, played)
    kept = next(r for r in stored() if all(r[key] == again[key] for key in ("kernel", "dim", "noise", "played")))
    assert set(again) == set(kept)
    for name in (*STEPS, "needed", "rejected", "other"):
        assert again[name] == pytest.approx(kept[name], rel=2e-5, nan_ok=True), name


@pytest.mark.parametrize("played", METHODS)
def test_short_runs_keep_what_is_proved(played: str) -> None:
    assert broken(row(kernel_of(played), 2, 0.3, played, **SHORT), played) == []


@pytest.mark.parametrize("played", ["ts-rsr", "compressed-ucb", "gp-ucb", "mf-gp-ucb", "wdrbo"])
def test_half_the_constant_between_variance_and_information_is_noticed(
    played: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    right = proof_steps.per_variance
    monkeypatch.setattr(proof_steps, "per_variance", lambda noise: 0.5 * right(noise))
    assert "information" in broken(row(kernel_of(played), 2, 1.0, played, **SHORT), played)


@pytest.mark.parametrize("played", ["ts-rsr", "gp-ucb", "bpe", "wdrbo"])
def test_the_gain_of_too_few_points_is_noticed(played: str, monkeypatch: pytest.MonkeyPatch) -> None:
    right = UpperEnds.__call__
    monkeypatch.setattr(UpperEnds, "__call__", lambda curve, points: right(curve, max(1.0, points / 10)))
    assert "gain" in broken(row("se", 2, 0.3, played, **SHORT), played)


def test_the_prior_variances_of_a_batch_are_not_what_its_gain_bounds(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(proof_steps, "_squares", lambda run, noise: [float(r.size) for r in run.history[:-1]])
    assert "information" in broken(row("se", 2, 0.3, "bpe", **SHORT), "bpe")


def test_posteriors_of_a_game_are_those_of_its_runs() -> None:
    runs = theory_runs(Game(3, parts=6), 12, 3)
    lanes = np.arange(3)
    for t, model in enumerate(proof_steps.replayed(runs)):
        picks = runs.law[:, t] * runs.game.size + runs.point[:, t]
        assert model.mean[lanes, picks] == pytest.approx(runs.mean[:, t])
    others = list(proof_steps.replayed(runs, seed=1))[-1]
    assert others.mean[lanes, picks] != pytest.approx(runs.mean[:, -1])


def test_all_but_a_tenth_of_the_runs_are_covered() -> None:
    needed = np.random.default_rng(0).permutation(np.arange(1.0, 41.0))
    assert proof_steps.quantile(needed) == 36.0
    assert proof_steps.quantile(needed[:1]) == needed[0]


def test_the_figure_has_a_panel_a_method_on_one_scale() -> None:
    canvas = Canvas(figsize=(8, 10))
    page.waterfalls(SETTINGS[0], WORDS).draw(canvas, LIGHT)
    assert len(canvas.axes) == len(METHODS)
    assert len({axes.get_xlim() for axes in canvas.axes}) == 1
    found = page.one_setting(*SETTINGS[0])
    for axes, (played, levels) in zip(canvas.axes, found.items(), strict=True):
        low = axes.get_xlim()[0]
        ends = [bar.get_x() + bar.get_width() for bar in axes.patches]
        tops = [low, *(levels[name] for name in STEPS)]
        assert ends == pytest.approx([max(a, b) for a, b in pairwise(tops)])
        texts = [text.get_text() for text in axes.texts]
        assert texts.count("not used") == len(METHODS[played].unused)
        assert any(text.startswith(" trivial") for text in texts)
    words = "".join(text.get_text() for text in canvas.axes[0].texts + canvas.axes[4].texts)
    assert "sharper" in words
    assert "printed" in words


def test_the_table_has_the_ends_of_every_step_and_the_numbers_theirs() -> None:
    n = page.step_numbers(SETTINGS[0])
    assert n.broken == []
    assert n.covered == pytest.approx(0.9)  # all but a tenth, see above
    rows = page.factor_table(WORDS).frame.set_index("step")
    assert rows.loc["device", "GP-UCB"] == "not used"
    low, _, high = rows.loc["cauchy", "BPE"].partition("–")
    assert (float(low), float(high)) == pytest.approx((n.bpe_cauchy_least, n.bpe_cauchy_most), rel=0.05)
    assert n.bpe_all == pytest.approx(n.bpe_bound / n.bpe_regret)
    assert n.bpe_largest == "closed"
