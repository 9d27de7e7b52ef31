"""Statements and leads of the robust setting and Appendices C to E of paper 3: statuses, teeth, and the checks' own parts."""

from __future__ import annotations

import math
from dataclasses import replace
from itertools import pairwise

import mpmath
import pandas as pd
import pytest
from entries import leads_in
from tolerances import FORMULA_RTOL, SERIES_RTOL

from companion import registry
from companion.checks.statement import by_id
from companion.core.files import results_folder
from companion.judge.reported import load_margins, load_tables
from companion.papers.batched.checks import robust_discrepancies as leads
from companion.papers.batched.checks.robust_fixed import RATES, Example, footnote_10
from companion.papers.batched.experiments.printed import BatchedResults
from companion.papers.batched.experiments.store import TABLES
from companion.papers.batched.theory.robust_runs import RobustSetting, runs

SMALL = RobustSetting("matern52", 1, 0.1, 100, a=0.6)


@pytest.mark.parametrize("identifier", ["theorem-3", "remark-9", "app-C", "lemma-11", "lemma-12", "lemma-13"])
def test_instances_cover_kernels_dimensions_noise_and_kinds(identifier):
    played = [i for i in by_id(registry.statements("batched"), identifier).instances() if isinstance(i, RobustSetting)]
    assert len({setting.kernel for setting in played}) >= 3
    assert len({setting.dim for setting in played}) >= 2
    assert len({setting.noise_sd for setting in played}) >= 3
    assert {setting.structured for setting in played} == {True, False}


# -- what the checks are made of ---------------------------------------------------------------------------------------


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


# -- leads -------------------------------------------------------------------------------------------------------------


@pytest.fixture
def stored(monkeypatch):
    """The stored tables as they lie there, whether or not their record is up to date: the verdict's logic is tested."""
    folder = results_folder("batched")
    tables = {name: pd.read_csv(folder / f"{name}.csv") for name in TABLES}
    evidence = BatchedResults(load_tables("batched"), load_margins("batched"), tables, {})
    monkeypatch.setattr(BatchedResults, "read", lambda: evidence)
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
    turned = replace(stored, tables={**stored.tables, stored.MAIN: frame})
    monkeypatch.setattr(BatchedResults, "read", lambda: turned)
    assert not leads.fewer_batches_and_less_regret().confirmed


def test_a_last_point_that_is_never_worse_confirms_nothing(monkeypatch):
    calm = tuple(replace(run, last_base=0.0) for run in runs(SMALL))
    monkeypatch.setattr(leads, "runs", lambda setting: calm)
    assert not leads.last_point().confirmed
