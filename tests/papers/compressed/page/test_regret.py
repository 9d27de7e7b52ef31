"""The bound of compressed UCB beside measured regret."""

import dataclasses
import math

import numpy as np
import pytest

from companion.papers.compressed.page import improvement, regret
from companion.papers.compressed.theory.instances import gain_upper


def test_bound_study_is_ordered_and_its_forms_are_those_of_the_theorem():
    study = regret.bound_study(1, 40, 0.1, 0.5, 12)
    assert list(study.rows["T"]) == [10, 20, 40, 80, 160, 320]
    for smaller, larger in zip(("regret", *regret.FORMS), regret.FORMS, strict=False):
        assert (study.rows[smaller] <= study.rows[larger]).all()
    assert study.chain.holds
    # The theorem by hand on one run.
    game = regret.game_of(1, 40, 0.1, 0.5, 12)
    gain, beta = gain_upper(game)[0], 2.0 * math.log(101 * 1600 * math.pi**2 / 0.6)
    root = math.sqrt(8.0 / math.log(11.0) * beta)
    hand = root * (math.sqrt(40 * gain) + 40 * math.sqrt(math.log1p(40**-0.5)))
    assert regret.forms(game)["theorem"][0] == pytest.approx(hand)


def test_a_broken_bound_and_a_useless_one_are_seen():
    study = regret.bound_study(1, 40, 0.1, 0.5, 12)
    assert not study.rows.above.any()
    above = np.where(study.rows["T"] == 320, 0.25, 0.0)  # at one horizon is enough
    assert regret.bound_numbers(study).above == 0
    assert regret.bound_numbers(dataclasses.replace(study, rows=study.rows.assign(above=above))).above == 0.25
    # Trivial bounds below all forms; above both, and above the sharpest form only, from T = 160 on.
    late = study.rows["T"] >= 160
    assert (study.rows["first line"] < study.rows["theorem"]).all()
    between = 0.5 * (study.rows["first line"] + study.rows["theorem"])
    for trivial, useful, sharp in ((1e-9, 0, math.nan), (between.where(late, 0.0), 0, 160), (late * 1e9, 2, 160)):
        found = regret.bound_numbers(dataclasses.replace(study, rows=study.rows.assign(trivial=trivial)))
        np.testing.assert_equal((found.useful, found.sharp, found.sharp_on), (useful, sharp, not math.isnan(sharp)))


def test_chain_numbers_are_ratios_of_its_steps():
    study = regret.bound_study(1, 40, 0.1, 0.5, 12)
    found, chain = regret.chain_numbers(study), study.chain
    assert found.before * found.added == pytest.approx(chain.slack)
    assert found.added == pytest.approx(chain["Theorem 3.2"].value / chain["information"].value)
    assert found.gain == pytest.approx(chain["certified gain"].value / chain["budget"].value)
    assert found.compression * found.gain == pytest.approx(found.added)
    assert found.first == (found.widths == max(chain.ratios()))


def test_constants_are_the_formulas_values():
    rows = regret.constants(0, 100, 0.1, 0.5, 10)
    value = {(r.statement, r.symbol): r.value for r in rows.itertuples() if r.symbol != "bound"}
    assert value["Theorem 3.1", "u"] == pytest.approx(0.1)
    assert value["Theorem 3.1", "ε"] == pytest.approx(0.5 * math.log(1.1))
    assert value["Theorem 3.1, ours", "⌈1/u − σ²⌉"] == 10
    assert value["Theorem 3.2(i)", "C₁"] == pytest.approx(8 / math.log(11))
    assert value["Theorem 3.2(i)", "β_T"] == pytest.approx(2 * math.log(101 * 1e4 * math.pi**2 / 0.6))
    ordered = [value["Theorem 3.1, ours", name] for name in ("⌈1/u − σ²⌉", "X⌈1/u − σ²⌉")]
    assert ordered[0] <= value["Theorem 3.1", "M_T"] <= ordered[1]
    assert not (regret.constants(0, 100, 0.1, 0.4, 10).statement == "Corollary 3.3").any()


def test_promises_leave_out_what_promises_nothing_and_are_beside_the_trivial_bound():
    rows = regret.constants(0, 40, 0.1, 0.5, 10)
    shown = regret.promises(rows).frame
    assert {"bound", "R_T", "M_T"} <= set(shown.symbol)
    assert not {"ε", "C₁", "β_T"} & set(shown.symbol)
    assert len(shown) <= 12
    bounds_there = rows[rows.symbol == "bound"].value
    n = regret.constant_numbers(rows)
    assert n.least == bounds_there.min()
    assert n.trivial == rows[rows.statement == "trivial"].value.iloc[0]


def test_tables_name_statements_as_the_paper_does():
    names = {"lemma-9.6": "Lemma 9.6", "eq-9.20": "eq. (9.20)", "theorem-3.2-i": "Theorem 3.2(i)", "–": "–"}
    assert {name: improvement.named(name) for name in names} == names
