"""Best widths over the length of a run: the stored rows are those of plain linear algebra, and what is said of them can fail."""

from __future__ import annotations

from dataclasses import replace as replaced

import numpy as np
import pytest

from companion.gp import SquaredExponential, grid
from companion.gp.ties import lowest_argmax
from companion.papers.across.page import longer
from companion.papers.across.theory import longer_runs
from companion.papers.across.theory.longer_runs import PLACES, TIMES, WIDTHS, regrets


@pytest.mark.parametrize("name", PLACES)
def test_runs_are_those_of_plain_linear_algebra(name: str) -> None:
    place, generator = PLACES[name], np.random.default_rng(0)
    covariance = np.asarray(SquaredExponential(place.lengthscale)(grid(place.points, place.dim)))
    values = generator.multivariate_normal(np.zeros(len(covariance)), covariance, 3, method="eigh")
    noise = place.noise * generator.standard_normal((3, 12))
    for width in (1.0, 3.0):
        found = regrets(place, width, values, noise)
        for run in range(3):
            mean, left, lost = np.zeros(len(covariance)), covariance.copy(), 0.0
            for t in range(12):
                upper = mean + width * np.sqrt(np.maximum(np.diag(left), 0.0))
                chosen = int(lowest_argmax(upper))
                gain = left[chosen] / (left[chosen, chosen] + place.noise**2)
                mean = mean + gain * (values[run, chosen] + noise[run, t] - mean[chosen])
                left = left - np.outer(gain, left[chosen])
                lost += values[run].max() - values[run, chosen]
                assert found[run, t] == pytest.approx(lost, abs=1e-6)


def test_the_table_has_every_place_time_and_width() -> None:
    found = longer_runs.load().tables["longer"]
    assert len(found) == len(PLACES) * len(TIMES) * len(WIDTHS)
    assert ((found.low <= found.regret) & (found.regret <= found.high)).all()
    assert (found.behind >= 0.0).all()
    assert (found.groupby(["problem", "evaluations"]).behind.min() == 0.0).all()


def test_what_is_said_of_the_widths_holds_and_fails_on_another_table(monkeypatch: pytest.MonkeyPatch) -> None:
    facts = ("early", "middle", "late", "in_doubt", "longer")
    assert all(longer.numbers()[fact] for fact in facts)
    stored = longer_runs.load()
    flat = stored.tables["longer"].assign(regret=1.0, behind_low=0.0)
    monkeypatch.setattr(longer_runs, "load", lambda: replaced(stored, tables={"longer": flat}))
    told = longer.numbers()
    assert not any(told[fact] for fact in facts)
