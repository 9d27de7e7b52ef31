"""Studies of the bound and of the example: their numbers hold together."""

import dataclasses
import math

import numpy as np
import pytest
from tolerances import CHAIN_RTOL, FINE_GRID_OPTIMUM, INNER_ROUNDING, SAMPLED_LOSS

from companion.papers.wdrbo.page import bound, constants, example, picture, radius
from companion.papers.wdrbo.problems.general import laws
from companion.papers.wdrbo.theory import covering
from companion.papers.wdrbo.theory.games import bump_laws, contexts_of, stream_of


def test_worst_law_of_the_picture_lies_in_the_ball_and_attains_the_worst_mean():
    shown = picture.ball_picture(1, 0.1)
    spacing = shown.contexts[1] - shown.contexts[0]
    moved = np.abs(np.cumsum(shown.worst - shown.told)).sum() * spacing
    assert moved <= 0.1 + INNER_ROUNDING
    at = int(np.abs(picture.RADII - 0.1).argmin())
    assert shown.values[0] @ shown.worst == pytest.approx(shown.exact[0, at], abs=INNER_ROUNDING)
    assert (shown.penalised <= shown.exact + INNER_ROUNDING).all()
    assert shown.means[0] - shown.means[1] == pytest.approx(picture.LEAD)
    turned = shown.switch("penalised")
    before = turned - 1e-9 > picture.RADII
    assert (shown.penalised[1, before] <= shown.penalised[0, before]).all()


def test_bounds_on_arms_with_nothing_in_common_are_the_closed_forms():
    study = constants.constant_study(20)
    for row in study.rows.to_dict("records"):
        lam, logarithm = row["lambda"], math.log1p(1 / row["lambda"])
        assert row["regret"] == pytest.approx(20.0)
        log = 4 * math.log(6 / 0.05)
        appendix = 4 * math.sqrt(lam) * math.sqrt(20 * (19 * logarithm + log))
        main = 4 * math.sqrt(lam) * math.sqrt(20 * 19 * logarithm + log)
        assert row["appendix"] == pytest.approx(appendix)
        assert row["main"] == pytest.approx(main)
        ours = 2 * math.sqrt(20 * (2 * 20 + 1.2550 * math.log(20)))
        assert row["ours"] == pytest.approx(ours, rel=1e-4)  # the constant to four digits
    assert 16 * study.violated_below * math.log1p(1 / study.violated_below) == pytest.approx(1.0)


def test_where_the_printed_bounds_fail_follows_the_rows():
    study = constants.constant_study(20)
    rows = study.rows
    found = constants.constant_numbers(study)
    assert found.exceeded == 0
    assert found.all_below
    assert found.below == rows["lambda"][rows.regret > rows.appendix].max()

    def told(**bounds):
        return constants.constant_numbers(dataclasses.replace(study, rows=rows.assign(**bounds)))

    assert not told(main=1e9).all_below
    assert not told(main=1e9, appendix=1e9).all_below
    assert math.isnan(told(appendix=1e9).below)
    assert told(ours=0.99 * rows.regret).exceeded == len(rows)


@pytest.fixture(scope="module")
def measured():
    return bound.bound_study(3, 12, 16, 0.12, 0.1)


def test_chains_end_at_the_bounds_that_are_drawn(measured):
    last = measured.rows[measured.rows.rounds == 16].set_index("setting")
    assert measured.held == {bound.GENERAL: 12, bound.DATA: 12}
    for (setting, form), chain in measured.chains.items():
        column = "ours" if form == "ours" else "appendix"
        assert chain.steps[-1].value == pytest.approx(last[column][setting], rel=CHAIN_RTOL)
        assert chain.steps[0].value == pytest.approx(last.regret[setting], rel=CHAIN_RTOL)
        # Lambda is small: as printed, the step whose constant is too small for it goes down.
        assert [step.larger.name for step in chain.violations()] == ([] if form == "ours" else ["logarithms"])
    assert (measured.rows.largest <= measured.rows.ours).all()
    assert measured.above == {bound.GENERAL: 0, bound.DATA: 0}
    wrong = {key: chain.scaled("optimism", 0.001) for key, chain in measured.chains.items()}
    found = bound.chain_numbers(measured)
    assert (found.broken, found.slips) == (0, ["logarithms", "logarithms"])
    assert bound.chain_numbers(dataclasses.replace(measured, chains=wrong)).broken == len(wrong) / 2


def test_how_far_the_bound_is_from_regret_and_trivial_bound(measured):
    found, last = bound.bound_numbers(measured), measured.rows[measured.rows.rounds == 16].set_index("setting")
    for name, setting in (("general", bound.GENERAL), ("data", bound.DATA)):
        assert found[f"times_{name}"] == pytest.approx(last.ours[setting] / last.regret[setting])
    assert found.above == 0
    assert bound.bound_numbers(dataclasses.replace(measured, above={bound.GENERAL: 0, bound.DATA: 11})).above == 11
    rows = measured.rows
    for share, empty in ((1.01, True), (0.99, False)):
        above = rows.trivial * np.where(rows.setting == bound.DATA, share, 1.01)
        changed_rows = rows.assign(ours=above, appendix=above)
        assert bound.bound_numbers(dataclasses.replace(measured, rows=changed_rows)).empty == empty


def test_losses_of_the_proof_multiply_to_the_whole(measured):
    found = bound.chain_numbers(measured)
    for name in ("general", "data"):
        parts = found[f"band_{name}"] * found[f"radius_{name}"] * found[f"rest_{name}"]
        assert parts == pytest.approx(found[f"slack_{name}"])


def test_only_certified_upper_gains_enter_the_bounds(measured):
    assert (measured.rows.bracket >= 1.0).all()
    game = bound.games(3, 12, 16, 0.12, 0.1)[0]
    gains = bound._gains(game, 16)
    # No design of 16 points of a grid that was played has a larger gain than the upper end.
    assert measured.rows.gain.max() == pytest.approx(gains[16][0])
    assert bound.play(game).final_log_det.max() <= 2.0 * gains[16][0]


def test_radii_and_what_they_do():
    study = radius.radius_study(0, 6, 12, 1.0, 0.1)
    row = study.at(100)
    assert row.practice == pytest.approx(0.03)
    assert row.halved == pytest.approx(row.theory / 2)
    by_hand = math.sqrt(2 * (math.log(10) + math.log1p(200)) / 100)
    assert row.single == pytest.approx(by_hand)
    assert study.radii[study.radii.contexts >= study.enough_from].theory.max() < 1.0
    assert study.radii[study.radii.contexts < study.enough_from].theory.min() >= 1.0
    game = radius.TheoryGame(runs=6, horizon=12, lam=1.0, noise=0.1, seed=0)
    assert game.radius_at(1) == 1.0
    assert game.radius_at(6) == covering.theory_radius(5, 1.0, 0.1, 1.0, 0.1, 0.3, 1, 1)
    law = bump_laws(contexts_of(game), 12, stream_of(game, "laws"))[0]
    values = bound.play(game).values
    reward = np.array([[law @ values[r, x] for x in range(values.shape[1])] for r in range(6)])
    lot = 12 * np.mean([row.max() - row.mean() for row in reward])
    assert study.regret.set_index("radius").regret[radius.CHANCE] == pytest.approx(lot)


def test_numbers_on_the_radius():
    study = radius.radius_study(0, 6, 12, 1.0, 0.1)
    row, found = study.at(100), radius.radius_numbers(study)
    assert found.times == pytest.approx(row.single / row.needed)
    assert found.least == pytest.approx(row.least)
    assert 10**found.power == pytest.approx(study.enough_from)
    assert math.isnan(radius.radius_numbers(dataclasses.replace(study, enough_from=math.inf)).power)


def test_which_radius_is_shown_to_do_better_follows_the_intervals():
    study = radius.radius_study(0, 6, 12, 1.0, 0.1)

    def told(high):
        rows = study.regret.set_index("radius")
        rows["difference high"] = 1.0
        rows.loc["0.3/√n", "difference high"] = high
        return radius.regret_numbers(dataclasses.replace(study, regret=rows.reset_index()))

    assert told(-2.0).better == ["0.3/√n"]
    assert told(2.0).better == []
    rows = study.regret.set_index("radius")
    assert told(2.0).lot == rows.regret[radius.CHANCE]
    assert told(2.0).theory == rows.regret[radius.THEORY]


def test_example_by_brute_force():
    shown = example.general_example()
    modulus = np.linspace(0.0, 1.0, 2001)
    told, true = (law.quantile((np.arange(20_000) + 0.5) / 20_000) for law in laws())

    def expected(contexts):
        return 1 - np.abs(contexts - 0.5).mean() / (modulus + 0.2) - np.sqrt(modulus + 0.05)

    row = shown.rows.iloc[0]
    best = [int(expected(c).argmax()) for c in (told, true)]
    assert row["best |y|, reference"] == pytest.approx(modulus[best[0]], abs=FINE_GRID_OPTIMUM)
    assert row["best |y|, true"] == pytest.approx(modulus[best[1]], abs=FINE_GRID_OPTIMUM)
    lost = expected(true)[best[1]] - expected(true)[best[0]]
    assert row["loss of the reference's"] == pytest.approx(lost, abs=SAMPLED_LOSS)
    for size, own in ((0.05, False), (0.1, False), (0.12, True)):
        found = example.example_numbers(dataclasses.replace(shown, rows=shown.rows.assign(radius=size)))
        assert found.inside == (shown.rows["distance of the two"] <= size).sum()
        assert found.own_inside == own


def test_shares_of_the_printed_bound_by_hand():
    log = math.log(2)
    ours = 2 * math.sqrt(10 * (2 / log * 10 * log + 1.2551 * math.log(20)))
    printed = 4 * math.sqrt(10 * (9 * log + 4 * math.log(120)))
    assert constants.share_of_printed(10) == pytest.approx(ours / printed, rel=1e-4)  # the constant to five digits
    study = constants.constant_study(20)
    assert list(study.shares.values()) == sorted(study.shares.values())
    told = constants.constant_numbers(study)
    assert (told.least, told.most) == (constants.share_of_printed(10), constants.share_of_printed(10**6))
