"""Statements and leads of the robust setting and Appendices C to E of paper 3: statuses, teeth, and the checks' own parts."""

from __future__ import annotations

import math
from dataclasses import replace
from itertools import pairwise

import mpmath
import numpy as np
import pandas as pd
import pytest
from entries import leads_in
from oracles.gp_reference import log_determinant_gain
from tolerances import FORMULA_RTOL, GAIN_RTOL, SERIES_RTOL

from companion import papers
from companion.checks.statement import by_id
from companion.errors import ParameterError
from companion.files import repository_root, results_folder
from companion.papers.batched.claims.printed import printed_frame
from companion.papers.batched.leads import robust as leads
from companion.papers.batched.method.sizes import constant_sizes, older_constant_sizes
from companion.papers.batched.statements.robust_fixed import RATES, Example, footnote_10
from companion.papers.batched.studies.paper import Evidence
from companion.papers.batched.theory.robust_runs import Setting, gain_upper, one_run, refined, runs, summary

SMALL = Setting("matern52", 1, 0.1, 100, a=0.6)
PATH = Setting("se", 1, 0.1, 2_000, a=0.6, problem="path")


@pytest.mark.parametrize("identifier", ["theorem-3", "remark-9", "app-C", "lemma-11", "lemma-12", "lemma-13"])
def test_instances_cover_kernels_dimensions_noise_and_kinds(identifier):
    played = [i for i in by_id(papers.statements("batched"), identifier).instances() if isinstance(i, Setting)]
    assert len({setting.kernel for setting in played}) >= 3
    assert len({setting.dim for setting in played}) >= 2
    assert len({setting.noise_sd for setting in played}) >= 3
    assert {setting.structured for setting in played} == {True, False}


# -- what the checks are made of ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("setting", [SMALL, replace(SMALL, robust=False), replace(PATH, horizon=300)])
def test_summary_of_a_run_against_its_definition(setting):
    played = one_run(setting, 3)
    run, values, relation = summary(played), played.problem.values, played.problem.neighbourhood.relation
    worst = np.array([values[row].min() for row in relation])
    regret = worst.max() - worst
    for i, record in enumerate(played.history):
        assert run.base[i] == pytest.approx(sum(regret[x] for x in record.charged), rel=SERIES_RTOL)
        assert run.query[i] == pytest.approx(sum(regret[x] for x in record.query), rel=SERIES_RTOL)
        gain = log_determinant_gain(played.modelled.covariance, setting.noise_sd**2, record.query)
        assert run.gains[i] == pytest.approx(gain, rel=GAIN_RTOL)
    assert run.last_base == regret[played.history[-1].charged[-1]]


def test_bounds_of_a_run_against_the_printed_formula():
    run = runs(SMALL)[0]
    constant = 2 / math.log(1 + 1 / 0.1**2)
    width = 1.0 + math.sqrt(2 * math.log(30 * len(run.sizes) / 0.2))
    expected = [2 * width * run.sizes[0]]
    for n, before, gain in zip(run.sizes[1:], run.sizes, run.gains, strict=False):
        expected.append(6 * width * math.sqrt(constant * gain / before) * n)
    assert run.bounds(6.0) == pytest.approx(expected, rel=SERIES_RTOL)
    without = run.bounds(6.0, norm=0.0)
    assert without == pytest.approx(np.array(expected) * (width - 1.0) / width, rel=SERIES_RTOL)
    assert run.bounds(6.0, first=1.0)[0] == pytest.approx(expected[0] / 2, rel=FORMULA_RTOL)


def test_certified_gains_exceed_every_realised_one_and_decrease_per_point():
    upper = gain_upper(SMALL)
    for run in runs(SMALL):
        assert all(gain <= upper[n] * (1 + GAIN_RTOL) for n, gain in zip(run.sizes, run.gains, strict=True))
    counts = sorted(upper)
    assert all(upper[m] / m >= upper[n] / n * (1 - FORMULA_RTOL) for m, n in pairwise(counts))


def test_on_the_path_only_the_reading_of_the_algorithm_decides_about_linear_regret():
    played = one_run(PATH, 0)
    last = played.history[-1]
    assert set(last.query) == {0, 1}  # arm 1 is a neighbour of arm 0, the only survivor
    assert set(last.charged) == {0}
    run = summary(played)
    assert run.base[1:].sum() == 0.0
    assert run.query[-1] > 0.4 * 2 * PATH.height * last.size  # half of the rounds, at regret 2h


def test_a_dropped_arm_is_not_sampled_and_decides_the_elimination():
    setting = Setting("se", 1, 1.0, rule="given", given=(30, 8_000, 100), problem="dropped")
    printed, repaired = refined(setting, "printed")[0], refined(setting, "repaired")[0]
    for played in (printed, repaired):
        assert set(played.history[0].query) == {0, 1, 2}
        assert set(played.history[1].query) == {0, 2}
    assert list(np.flatnonzero(printed.history[1].survivors)) == [0, 1, 2]
    assert list(np.flatnonzero(repaired.history[1].survivors)) == [0, 1]


def test_an_unknown_problem_is_refused():
    with pytest.raises(ParameterError, match="problem"):
        one_run(replace(PATH, problem="ring"), 0)


@pytest.mark.parametrize("rate", RATES, ids=lambda rate: rate.where)
@pytest.mark.parametrize("ends", [True, False])
def test_sum_of_the_batch_bounds_in_sixty_digits(rate, ends):
    """N_1 + sum N_i sqrt(gamma_{N_{i-1}}/N_{i-1}) at T = exp(1000), written out from App. D."""
    smooth = math.isinf(rate.nu)
    with mpmath.workdps(600):  # T has 435 digits, and N_B is T minus smaller terms
        log_t = mpmath.mpf(1000)
        eta = mpmath.mpf(1) / 2 if smooth else mpmath.mpf(rate.nu) / (2 * mpmath.mpf(rate.nu) + rate.dim)
        p = (rate.dim if smooth else 0) + (1 if ends else 0)
        scale = 1 - eta**rate.batches
        raw = [
            mpmath.exp((1 - eta**i) / scale * log_t) * log_t ** (p * (eta**i - eta**rate.batches) / scale)
            for i in range(1, rate.batches + 1)
        ]
        sizes = [raw[0], *(b - a for a, b in pairwise(raw))]
        if not ends:
            sizes = [*raw[:-1], mpmath.exp(log_t) - mpmath.fsum(raw[:-1])]

        def gamma(n):
            return mpmath.log(n) ** (rate.dim + 1) if smooth else n ** (1 - 2 * eta) * mpmath.log(n) ** (2 * eta)

        total = sizes[0] + mpmath.fsum(n * mpmath.sqrt(gamma(m) / m) for m, n in pairwise(sizes))
        expected = float(mpmath.log(total))
    # A logarithm of about 700, whose terms carry a dozen roundings.
    found = rate._log_sum(1000.0, float(p), ends)
    assert found == pytest.approx(expected, rel=FORMULA_RTOL)


def test_footnote_10_says_no_to_a_neighbouring_number():
    assert all(case.holds for case in footnote_10(Example()))
    assert not all(case.holds for case in footnote_10(Example(last=-603)))


def test_the_settings_of_the_fixed_rules_use_the_paper_sizes():
    older = Setting("se", 1, 0.1, 500, "older", batches=3, robust=False)
    assert older.sizes == older_constant_sizes(500, 3, math.inf, 1)
    assert replace(older, rule="constant").sizes == constant_sizes(500, 3, math.inf, 1)


# -- leads -------------------------------------------------------------------------------------------------------------


@pytest.fixture
def stored(monkeypatch):
    """The stored tables as they lie there, whether or not their record is up to date: the verdict's logic is tested."""
    folder = results_folder("batched")
    frames = [pd.read_csv(folder / f"appendix_e{part}.csv") for part in ("", "_repeats", "_ties")]
    evidence = Evidence(*frames, {}, printed_frame(repository_root()))
    monkeypatch.setattr(leads, "load_paper_results", lambda: evidence)
    return evidence


def test_numbers_behind_the_leads(stored):
    found = {lead.id: lead.test() for lead in leads_in("batched", "robust") if lead.id in ("E4", "E6")}
    assert found["E4"].values["sizes"] == [32, 178, 422, 368]
    assert found["E6"].values["sizes"] == [1469, -290, -122, -57]
    for dim, threshold in found["E6"].values["thresholds"].items():
        power = dim + 1
        assert threshold == pytest.approx(math.log(threshold) ** power, rel=SERIES_RTOL)
        # The larger of the two solutions: beyond it the horizon stays above.
        assert 10 * threshold > math.log(10 * threshold) ** power


def test_a_table_that_prints_four_batches_confirms_nothing(monkeypatch):
    rows = leads._printed_rows()
    rows["matern52", "a=0.5"][0] = 4.0
    monkeypatch.setattr(leads, "_printed_rows", lambda: rows)
    assert not leads.batches_of_table_3().confirmed


def test_runs_in_which_fewer_batches_do_better_confirm_nothing(stored, monkeypatch):
    frame = stored.frame.copy()
    frame.loc[(frame.kernel == "matern52") & (frame.rule == "a=0.4"), "R1000"] = 0.0
    monkeypatch.setattr(leads, "load_paper_results", lambda: replace(stored, frame=frame))
    assert not leads.fewer_batches_and_less_regret().confirmed


def test_a_last_point_that_is_never_worse_confirms_nothing(monkeypatch):
    calm = tuple(replace(run, last_base=0.0) for run in runs(SMALL))
    monkeypatch.setattr(leads, "runs", lambda setting: calm)
    assert not leads.last_point().confirmed
