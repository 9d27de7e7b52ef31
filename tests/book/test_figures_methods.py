"""The figures of chapters 1 and 2 against the package: the same choices from the same draws, and values to 1e-9."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from tolerances import FIGURES_ATOL

from book import browser as looking
from book import dragging
from companion.bounds.confidence import SrinivasDrawsWidth
from companion.gp import FinitePosterior, SquaredExponential, grid
from companion.papers.compressed.method.admission import information
from companion.papers.compressed.method.policy import CompressedBandit, scores
from companion.papers.tsrsr.method.round import DenseRound, Pending
from companion.papers.tsrsr.method.rules import (
    BUCB,
    TSRSR,
    BatchTS,
    draws_width,
    regret_to_sigma,
    sampled_maxima,
)
from companion.papers.tsrsr.theory.bounds import variance_ratio
from companion.policies.acquisition import log_expected_improvement
from companion.problems.running_example import running_function

EXECUTABLE = looking.find_browser()
pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(EXECUTABLE is None, reason="no Chromium on PATH: the figures were not tried"),
]
UNUSED = np.random.default_rng(0)


@pytest.fixture(scope="module")
def page() -> Iterator[Any]:
    assert EXECUTABLE is not None
    with looking.chromium(EXECUTABLE) as browser:
        page = browser.new_page()
        for path in (
            *(dragging.FOLDER / part for part in dragging.KIT),
            *map(dragging.script, ("batch", "compression")),
        ):
            page.add_script_tag(content=path.read_text(encoding="utf-8"))
        yield page


def drawn_settings(page: Any, name: str, count: int, seed: int) -> list[dict[str, Any]]:
    """Random settings of a figure's controls."""
    controls = page.evaluate(
        """(name) => companionFigures.figures[name].controls.filter(c => c.name && typeof c.max !== 'function').map(c =>
          [c.name, c.values ?? (c.options ? Object.keys(c.options)
            : Array.from({length: (c.max - c.min) / c.step + 1}, (_, i) => c.min + i * c.step))])""",
        name,
    )
    rng = np.random.default_rng(seed)
    drawn = [{key: values[rng.integers(len(values))] for key, values in controls} for _ in range(count)]
    # The one whose end another decides.
    return [{**s, "step": int(rng.integers(1, s["m"] + 1))} if "m" in s else s for s in drawn]


# -- chapter 1: one batch --------------------------------------------------------------------------------------------------

_BATCH = """(all) => all.map((s) => {
  const r = companionFigures.figures.batch.compute(s);
  return {...r, mean: [...r.mean], all: r.all.map(a => ({...a, f: [...a.f], sd: [...a.sd], score: [...a.score]}))};
})"""


class Handed(DenseRound):
    """Hands out given draws: at first one for each place, then the next try of every place that was refused."""

    def __init__(self, mean: np.ndarray, tries: np.ndarray) -> None:
        super().__init__(0, mean, np.eye(len(mean)), 1.0)
        self.tries = tries
        self.used: np.ndarray = np.zeros(0, dtype=np.intp)

    def draws(self, generator: np.random.Generator, count: int) -> np.ndarray:
        if not self.used.size:
            self.used = np.zeros(count, dtype=np.intp)
            return self.tries[:count, 0]
        places = np.arange(len(self.used))
        refused = np.flatnonzero(self.tries[places, self.used].max(axis=1) <= self.mean.max())
        self.used[refused] += 1
        return self.tries[refused, self.used[refused]]


def test_a_batch_is_chosen_by_the_packages_rules(page: Any) -> None:
    rules = {"tsrsr": TSRSR(resample=False), "ts": BatchTS(), "bucb": BUCB(draws_width)}
    cases = drawn_settings(page, "batch", 60, 1)
    assert {s["rule"] for s in cases} == set(rules)
    moved = 0
    for s, ours in zip(cases, page.evaluate(_BATCH, cases), strict=True):
        posterior = FinitePosterior(SquaredExponential(s["scale"])(grid(101, 1)), s["noise"] ** 2)
        for index, value in ours["data"]:
            posterior.observe(index, value)
        rows = np.stack([np.asarray(posterior.covariance_with(index)) for index in range(101)])
        draws = np.array([choice["f"] for choice in ours["all"]])
        if s["rule"] == "tsrsr" and s["again"] == "on":
            assert draws.max(axis=1).min() > posterior.mean[0].max(), "also of the one that the reader moved"
        moved += s["rule"] == "tsrsr" and s["shift"] != 0

        class Given(DenseRound):
            def draws(self, generator: np.random.Generator, count: int) -> np.ndarray:
                return draws[:count]  # noqa: B023

        current = Given(0, posterior.mean[0], rows, s["noise"] ** 2)
        current.variance = posterior.variance[0]
        picks = rules[s["rule"]].choose(current, s["m"], UNUSED)
        assert [choice["pick"] for choice in ours["all"]] == picks.tolist(), s
        np.testing.assert_allclose(ours["mean"], posterior.mean[0], rtol=0, atol=FIGURES_ATOL)
        pending, first = Pending(current), np.sqrt(posterior.variance[0])
        for i, choice in enumerate(ours["all"]):
            np.testing.assert_allclose(choice["sd"], pending.sd, rtol=0, atol=FIGURES_ATOL)
            score = regret_to_sigma(draws[i].max(), current.mean, pending.sd)
            if s["rule"] == "bucb":
                score = current.mean + draws_width(0, 101) * pending.sd
            np.testing.assert_allclose(choice["score"], score, rtol=FIGURES_ATOL, atol=FIGURES_ATOL)
            pending.condition(choice["pick"])
            assert choice["rho"] == pytest.approx(float((first / pending.sd).max()), rel=FIGURES_ATOL)
            assert choice["rho"] <= variance_ratio(i + 1, s["noise"] ** 2) * (1 + FIGURES_ATOL)
    assert moved > 10


def test_maxima_are_resampled_as_in_the_package(page: Any) -> None:
    rng = np.random.default_rng(2)
    for _ in range(40):
        mean, tries = rng.standard_normal(5), rng.standard_normal((7, 60, 5))
        m, again = int(rng.integers(1, 8)), bool(rng.integers(2))
        ours = page.evaluate(
            """([mean, tries, s]) =>
              companionFigures.figures.batch.sampled(mean, s, (i, j) => tries[i][j]).map(f => Math.max(...f))""",
            [mean.tolist(), tries.tolist(), {"m": m, "rule": "tsrsr", "again": "on" if again else "off"}],
        )
        assert ours == sampled_maxima(Handed(mean, tries), m, UNUSED, again).tolist()


# -- chapter 2: one run being compressed -------------------------------------------------------------------------------------

_RUN = """(all) => all.map(([s, initial, z]) => {
  const F = companionFigures, f = F.figures.compression.values(s.seed);
  const r = F.figures.compression.run(s, f, initial, z, s.noise * Math.expm1(2 * s.budget));
  return {...r, f: [...f], mean: [...r.mean], sd: [...r.sd]};
})"""


def test_the_logarithm_of_the_improvement_is_the_packages(page: Any) -> None:
    z = np.concatenate([np.linspace(-8, 8, 401), -np.geomspace(8, 300, 60), [-2.5, 2.5]])
    ours = page.evaluate("(all) => all.map(companionFigures.figures.compression.improvement)", z.tolist())
    np.testing.assert_allclose(ours, log_expected_improvement(z, np.ones_like(z), 0.0), rtol=FIGURES_ATOL, atol=1e-11)


class Followed(CompressedBandit):
    """Goes where the figure went. That is where the package goes, but for ties that only rounding decides.

    Such ties are common under EI and MPI: half-way between two points, and far from all of them.
    """

    plays: list[int]
    chosen = ties = 0

    def _choose(self) -> int:
        own, theirs = self.plays[self._round - 1], super()._choose()
        self.chosen += 1
        if own != theirs:
            assert self._acquisition != "ucb"
            mean, sd = self.posterior.mean[0], np.sqrt(self.posterior.variance[0])
            score = scores("ei", mean, sd, 0.0, self._best if self._acquisition == "ei" else float(mean.max()))
            assert score[own] >= score[theirs] - 1e-12 * max(1.0, abs(score[theirs]))
            self.ties += 1
        return own


def test_the_first_function_is_the_lessons_and_the_others_are_draws_of_its_prior(page: Any) -> None:
    first, *others = page.evaluate(
        "() => [...Array(100).keys()].map(i => [...companionFigures.figures.compression.values(i)])"
    )
    _, covariance, values = running_function()
    np.testing.assert_allclose(first, values, atol=1e-3)
    squares = np.einsum("ri,ri->r", others, np.linalg.solve(covariance + 1e-9 * np.eye(101), np.transpose(others)).T)
    assert squares.mean() == pytest.approx(101, rel=0.1)  # of a draw the mean is the number of points


def test_a_compressed_run_is_the_packages(page: Any) -> None:
    rng, cases = np.random.default_rng(3), []
    for s in drawn_settings(page, "compression", 60, 4):
        cases.append([s, rng.choice(101, 2, replace=False).tolist(), rng.standard_normal(s["rounds"] + 2).tolist()])
    assert {s["rule"] for s, _, _ in cases} == {"ucb", "ei", "mpi"}
    frozen = chosen = ties = 0
    for (s, initial, z), ours in zip(cases, page.evaluate(_RUN, cases), strict=True):
        values, rule = np.array(ours["f"]), information(s["budget"], s["noise"])
        covariance = SquaredExponential(0.12)(grid(101, 1))
        width = {"three": 3.0, "two": 2.0, "one": 1.0}.get(s["width"], SrinivasDrawsWidth(101, 0.1))
        policy = Followed(covariance, s["noise"], s["rule"], rule, width, initial)
        policy.plays = ours["plays"]
        policy.ask(2)
        policy.tell(values[initial] + s["noise"] ** 0.5 * np.array(z[:2]))
        plays, orders = [], []
        for noise in z[2:]:
            mean, sd = policy.posterior.mean[0].copy(), np.sqrt(policy.posterior.variance[0])
            (pick,) = policy.ask(1).query
            policy.tell(np.array([values[pick] + s["noise"] ** 0.5 * noise]))
            plays.append(int(pick))
            orders.append(policy.model_order)
        assert ours["plays"] == plays, s
        assert ours["orders"] == orders, s
        assert ours["picks"] == policy.posterior.indices[0].tolist()
        assert ours["first"] == (policy.diagnostics()["first_rejection"] or 0)
        assert s["noise"] * np.expm1(2 * s["budget"]) == pytest.approx(rule.threshold, rel=FIGURES_ATOL)
        assert ours["loss"] == values.max() - values[ours["plays"][-1]]
        np.testing.assert_allclose(ours["mean"], mean, rtol=0, atol=FIGURES_ATOL)
        np.testing.assert_allclose(ours["sd"], sd, rtol=0, atol=FIGURES_ATOL)
        frozen += s["rule"] != "ucb" and ours["first"] > 0
        chosen, ties = chosen + policy.chosen, ties + policy.ties
    assert frozen > 10
    assert ties < 0.02 * chosen
