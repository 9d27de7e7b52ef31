"""Chapters 4 and 5, to drag: a run of MF-GP-UCB and the worst law of a Wasserstein ball, against the package to 1e-9."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from tolerances import FIGURES_ATOL

from book import browser as looking
from book import dragging
from companion.core.arrays import Floats
from companion.papers.meanfield.method.acquisition import MeanFieldUCB
from companion.papers.meanfield.method.agents import empirical_law, play_law, representative
from companion.papers.meanfield.method.model import MeanFieldGP
from companion.papers.meanfield.method.policy import MeanFieldGPUCB, ModelSettings
from companion.papers.meanfield.method.simplex import Ends, Objective, adam
from companion.papers.meanfield.method.widths import PracticeWidth
from companion.papers.meanfield.page.picture import ADAM, DEMAND, DESIGN, KERNEL, NOISE, PARTS, ROUNDS, three_stations
from companion.papers.meanfield.problems.divergence import jensen_shannon
from companion.papers.meanfield.theory.runs import lattice
from companion.papers.wdrbo.method.acquisitions import penalised
from companion.papers.wdrbo.method.inner import lipschitz_constant, wasserstein
from companion.papers.wdrbo.page import delivery
from companion.papers.wdrbo.theory.games import bell

EXECUTABLE = looking.find_browser()
pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(EXECUTABLE is None, reason="no Chromium on PATH: the figures were not tried"),
]


def opened(page: Any, figure: str, change: tuple[str, str] | None = None) -> Any:
    """A page emptied of all but the scripts of one figure; with ``change``, a piece of its own is replaced by another."""
    page.goto("about:blank")
    for name in (*dragging.KIT, dragging.script(figure).name):
        text = (dragging.FOLDER / name).read_text(encoding="utf-8")
        if change is not None and name == dragging.script(figure).name:
            assert text.count(change[0]) == 1, change[0]
            text = text.replace(*change)
        page.add_script_tag(content=text)
    return page


def far(name: str, ours: Any, theirs: Any) -> list[str]:
    """The name, if the two differ."""
    near = np.shape(ours) == np.shape(theirs) and np.allclose(ours, theirs, rtol=0, atol=FIGURES_ATOL)
    return [] if near else [name]


# -- chapter 4: laws for a swarm --------------------------------------------------------------------------------------------


class Given:
    """In place of a generator: uniform numbers given beforehand, one after the other."""

    def __init__(self, numbers: list[float]) -> None:
        self._left = iter(numbers)

    def random(self, count: int) -> Floats:
        return np.array([next(self._left) for _ in range(count)])

    def uniform(self, size: tuple[int, ...]) -> Floats:
        return self.random(int(np.prod(size))).reshape(size)

    def integers(self, high: int) -> int:
        return int(high * next(self._left))

    def standard_normal(self, size: tuple[int, ...]) -> Floats:
        assert not np.prod(size), "no start is shaken"
        return np.zeros(size)


def over_the_lattice(s: dict[str, Any]) -> Callable[..., Ends]:
    """In place of a search: all laws whose probabilities are multiples of 1/30, or in one round what the reader wants."""
    rounds = itertools.count(DESIGN + 1)

    def search(objective: Objective, known: Floats, generator: Any, value: Callable[[Floats], Floats]) -> Ends:
        laws = lattice(3, 1, PARTS)
        if next(rounds) == s["round"] and s["two"] >= 0:
            laws = np.array([[[1 - s["two"] - s["three"], s["two"], s["three"]]]])
        return Ends(laws, value(laws), len(laws))

    return search


def runs(count: int) -> list[dict[str, Any]]:
    """Search, width, agents, and all uniform numbers that a run takes."""
    rng = np.random.default_rng(11)
    found = []
    for case in range(count):
        agents = int(rng.choice([3, 10, 30, 100, 300]))
        state = {"search": ["exact", "adam"][case % 2], "width": float(rng.integers(0, 11)) / 2, "agents": agents}
        state |= {"round": 6 + 2 * case % 19, "two": 0.35 if case % 4 else -0.05, "three": 0.2}
        if state["search"] == "adam":
            state["two"] = -0.05
        drawn = {"laws": rng.random(3 * ROUNDS).tolist(), "agents": rng.random((agents + 1) * ROUNDS).tolist()}
        found.append({**state, "drawn": drawn})
    return found


_RUN = """(all) => all.map((s) => {
  const { compute, streams } = companionFigures.figures.swarm, kept = streams.luck;
  streams.luck = (start) => { const left = s.drawn[start < 1e8 ? "laws" : "agents"].values(), uniform = () => left.next().value;
    return { uniform, integer: (n) => Math.floor(n * uniform()) }; };
  try {
    return compute({ ...s, seed: 0 }).map(({ law, shares, x, y, at }) => ({ law, shares, x, y, reached: at && at(law).value }));
  } finally { streams.luck = kept; }
})"""


def other_runs(page: Any, cases: list[dict[str, Any]]) -> list[str]:
    """One line for each part of a run that is another in the browser."""
    problem, found = three_stations(), list[str]()
    for number, (s, ours) in enumerate(zip(cases, page.evaluate(_RUN, cases), strict=True)):
        policy = MeanFieldGPUCB(
            problem.action_features,
            problem.context_features,
            problem.context_weights,
            Given(s["drawn"]["laws"]),  # type: ignore[arg-type]
            PracticeWidth(s["width"]),
            ModelSettings(KERNEL, NOISE, fit=None),
            over_the_lattice(s) if s["search"] == "exact" else ADAM,  # type: ignore[arg-type]
            DESIGN,
        )
        draws: Any = Given(s["drawn"]["agents"])
        where = np.zeros(s["agents"], dtype=np.intp)
        for t, record in enumerate(ours):
            law = policy.ask()
            actions = play_law(law, where, draws)
            shares = empirical_law(actions, where, (1, 3))[0]
            reward = -float(jensen_shannon(shares, np.array(DEMAND)))
            policy.tell(*representative(actions, where, draws), reward)
            name = f"run {number} ({s['search']}, width {s['width']}, {s['agents']} agents), round {t + 1}"
            found += far(f"{name}: law", record["law"], law[0]) + far(f"{name}: shares", record["shares"], shares)
            found += far(f"{name}: reward", record["y"], reward)
            if t >= DESIGN:
                reached = policy.diagnostics()["acquisition"]["acquisition"][-1]
                found += far(f"{name}: acquisition", record["reached"], reached)
    return found


def test_a_swarm_is_led_as_by_the_package(window: Any) -> None:
    found = other_runs(opened(window, "swarm"), runs(24))
    assert not found, "\n".join(found[:10])


WRONG_SWARMS = {
    "standard deviation of a sample": ("dot(z, z) / y.length", "dot(z, z) / (y.length - 1)"),
    "stations alike": ("beside(d.x, x)", "beside(x, x)"),
    "the agent that reports is always the first": ("acts[draws.integer(agents)]", "acts[0 * draws.integer(agents)]"),
    "half a divergence": ("(p / 2) * Math.log", "p * Math.log"),
    "laws sent and not played": ("d.y = -loss(d.shares)", "d.y = -loss(d.law)"),
    "less noise": ("3.01", "3.001"),
    "Adam with a rate of its own": ("adam(d.at, 0.01)", "adam(d.at, 0.011)"),
    "Adam without its correction": ("(1 - 0.999 ** (n + 1))", "1"),
    "the reader's law a round late": ("data.length === round - 1", "data.length === round"),
    "the last law and not the best": ("(b.value > a.value ? b : a)", "b"),
}


@pytest.mark.parametrize("fault", WRONG_SWARMS)
def test_a_wrong_swarm_is_noticed(fault: str, window: Any) -> None:
    assert other_runs(opened(window, "swarm", WRONG_SWARMS[fault]), runs(4))


_AT = """(all) => all.map((s) => {
  const { acquisition, adam } = companionFigures.figures.swarm, at = acquisition(s.data, s.inverse, s.width);
  return s.laws.map((law) => ({ value: at(law).value, slope: at(law).slope(), climbed: adam(at, s.rate)(law).law }));
})"""


def test_acquisition_gradient_and_adam_are_the_packages(window: Any) -> None:
    rng, problem, page = np.random.default_rng(5), three_stations(), opened(window, "swarm")
    for _ in range(30):
        t = int(rng.integers(2, 30))
        gp = MeanFieldGP(problem.action_features, problem.context_features, KERNEL, NOISE)
        data = []
        for law, x, y in zip(rng.dirichlet(np.ones(3), t), rng.integers(0, 3, t), rng.normal(size=t), strict=True):
            gp.add(int(x), 0, law[None], float(y))
            data.append({"law": law.tolist(), "x": int(x), "y": float(y)})
        width, laws, rate = float(rng.uniform(0, 5)), rng.dirichlet(np.ones(3), 6), float(rng.uniform(0.005, 0.05))
        inverse = np.linalg.inv(gp.lower @ gp.lower.T).tolist()
        case = {"data": data, "inverse": inverse, "width": width, "laws": laws.tolist(), "rate": rate}
        (ours,) = page.evaluate(_AT, [case])
        acquisition = MeanFieldUCB(gp, [1.0], width)
        value, slope = acquisition(laws[:, None])
        climbed = adam(acquisition, laws[:, None], 100, rate)
        for k, each in enumerate(ours):
            assert not far("value", each["value"], value[k])
            assert not far("slope", each["slope"], slope[k, 0])
            assert not far("law", each["climbed"], climbed.laws[k, 0])


# -- chapter 5: a Wasserstein ball ------------------------------------------------------------------------------------------


def balls(count: int) -> list[dict[str, Any]]:
    """Rewards on 201 contexts, smooth or not, a told law with few or many atoms, and a radius."""
    rng, x = np.random.default_rng(2), np.linspace(0, 1, 201)
    found = []
    for case in range(count):
        waves = np.sin(np.outer(rng.uniform(1, 25, 4), x) + rng.uniform(0, 6, (4, 1)))
        rewards = rng.normal(size=4) @ waves if case % 4 else rng.normal(size=201)
        atoms, told = rng.choice(201, int(rng.integers(1, 40)), replace=False), np.zeros(201)
        told[atoms] = rng.dirichlet(np.ones(len(atoms)))
        radius = 0.0 if case % 10 == 0 else float(rng.uniform(0, 0.4))
        found.append({"u": rewards.tolist(), "p": told.tolist(), "radius": radius})
    return found


_WORST = "(all) => all.map((s) => companionFigures.figures.ball.worst(s.u, s.p, s.radius))"


def other_balls(page: Any, cases: list[dict[str, Any]]) -> list[str]:
    """One line for each worst law, or its mean, that is another in the browser, or has another way from the told one."""
    x, found = np.linspace(0, 1, 201), list[str]()
    for number, (s, ours) in enumerate(zip(cases, page.evaluate(_WORST, cases), strict=True)):
        theirs = wasserstein(s["u"], x, s["p"], s["radius"])
        found += far(f"ball {number}: value", ours["value"], theirs.value[0])
        found += far(f"ball {number}: certificate", ours["value"], theirs.lower[0])
        found += far(f"ball {number}: law", ours["law"], theirs.weights[0])
        reached = {j for i, ends in enumerate(ours["ends"]) if s["p"][i] for j in ends}
        if reached != set(np.flatnonzero(np.array(ours["law"]) > FIGURES_ATOL)):
            found.append(f"ball {number}: ends of the ways")
    return found


def test_worst_laws_are_the_packages(window: Any) -> None:
    found = other_balls(opened(window, "ball"), balls(200))
    assert not found, "\n".join(found[:10])


WRONG_BALLS = {
    "the largest loss first": ("slope = (v - u[at[j]]) / way", "slope = v - u[at[j]]"),
    "a way without its first part": ("Math.abs(to - j) - Math.abs(at[j] - j)", "Math.abs(to - at[j])"),
    "mass for nothing": ("cost: p[j] * way", "cost: way"),
    "all or nothing": ("Math.min(1, radius / cost)", "1"),
    "one move of each context": ("steps[j] = step(j)", "steps[j] = 0"),
}


@pytest.mark.parametrize("fault", WRONG_BALLS)
def test_a_wrong_ball_is_noticed(fault: str, window: Any) -> None:
    assert other_balls(opened(window, "ball", WRONG_BALLS[fault]), balls(20))


def test_the_run_and_the_penalty_are_the_packages(window: Any) -> None:
    states = [
        {
            "seed": seed,
            "seen": 1 + 4 * seed,
            "slack": 0.1 * (seed + 1),
            "radius": 0.03 * seed,
            "shift": 0.04 * seed * (-1) ** seed,
            "spread": 0.04 * (seed + 1),
        }
        for seed in range(10)
    ]
    shown = delivery.delivery(0.12, 0.1)
    found = opened(window, "ball").evaluate("(all) => all.map((s) => companionFigures.figures.ball.compute(s))", states)
    for s, ours in zip(states, found, strict=True):
        seen, noise = np.array(ours["seen"])[None], 0.1 * np.array(ours["noise"])[None]
        _, (upper,) = delivery.played(shown, 0.12, seen, noise)
        assert not far("upper", ours["all"], upper)
        truth = bell(shown.grid, 0.5 + s["shift"], s["spread"])
        assert not far("truth", ours["q"], truth)
        rows = [0, round(20 * s["slack"])]
        steep, mean = lipschitz_constant(upper[rows], shown.grid[:, None]), upper[rows] @ shown.told
        worst = wasserstein(upper[rows], shown.grid[:, None], shown.told, s["radius"]).value
        assert not far("L", [plan["L"] for plan in ours["plans"]], steep)
        paid = penalised(mean, s["radius"], steep)
        assert not far("penalised", [plan["paid"] for plan in ours["plans"]], paid)
        assert not far("worst", [plan["value"] for plan in ours["plans"]], worst)
        earned = shown.reward[rows] @ truth
        takes = [int(values[1] > values[0]) for values in (paid, worst, mean)]
        assert [ours["paid"], ours["worst"], ours["m"]] == takes
        assert not far("gain", ours["gain"], earned[takes[0]] - earned[takes[2]])
