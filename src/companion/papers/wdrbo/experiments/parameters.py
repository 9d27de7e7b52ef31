"""Parameters of chapter 5's experiments and of its notebook: default, range, meaning and source of each."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from companion.core.parameters import ParameterSet, choice, count, number, positive, setting, whole
from companion.papers.wdrbo.method.methods import READINGS
from companion.papers.wdrbo.problems.general import SPREADS
from companion.papers.wdrbo.problems.portfolio import DATA
from companion.papers.wdrbo.problems.shifted import SHIFTED

OURS, CODE, SECTION = "companion", "the authors' code", "Sec. 5"
SCHEDULES = ("root", "constant")
_DATA_DRIVEN = "O(1/sqrt(t)) in Sec. 5; 0.3 in the authors' code"


def _number(default: float, text: str, source: str, low: float = 0.0, high: float = 1e3) -> Any:
    return number(default, text, source, low, high, low_open=False)


def _radius(default: float, source: str) -> Any:
    return _number(default, "radius of the Wasserstein ball, units of the contexts; see schedule", source)


def _schedule(default: str, source: str) -> Any:
    return choice(default, SCHEDULES, "root: the radius is divided by sqrt(n), n observed contexts", source)


@dataclass(frozen=True)
class Run:
    """Parameters common to all experiments."""

    horizon: int = whole(100, "rounds T after the design", SECTION, 1, 2000)
    initial: int = whole(5, "decisions of the design, scrambled Sobol points", CODE, 1, 200)
    noise: float = _number(0.0, "noise standard deviation of a reward, units of f", CODE)
    width: float = _number(1.5, "beta_t, multiplies the posterior standard deviation", SECTION)
    radius: float = _radius(0.1, SECTION)
    schedule: str = _schedule("constant", SECTION)
    lipschitz_region: str = choice(
        "box",
        ("box", "atoms"),
        "where wdrbo looks for the Lipschitz constant: everywhere, or between the ball's extreme atoms",
        "(13); atoms: companion",
    )


@dataclass(frozen=True)
class GivenLaw(Run):
    """The learner is told a law."""

    told_nodes: int = whole(50, "equally weighted quantiles that stand for the law the learner is told", OURS, 2, 1000)


@dataclass(frozen=True)
class Rivals(Run):
    """The rivals run, too."""

    samples: int = whole(512, "draws of sbo-kde from its density estimate", CODE, 2, 20_000)
    robust_samples: int = whole(1024, "the same of drbo-kde", CODE, 2, 20_000)
    discrepancy_nodes: int = whole(100, "contexts of drbo-mmd", CODE, 2, 2000)
    minmax_nodes: int = whole(1024, "contexts of drbo-mmd-minmax", CODE, 2, 4096)
    confidence: float = number(0.9, "1 - delta in the radius of the discrepancy ball", CODE, high=1.0, high_open=True)


@dataclass(frozen=True)
class DataDriven(Rivals):
    """A data-driven problem: the ball is centred at the observed contexts."""

    reading: str = choice(
        "text",
        READINGS,
        "text: problem and methods as described; code: as the published code runs them",
        SECTION,
    )
    radius: float = _radius(0.3, _DATA_DRIVEN)
    schedule: str = _schedule("root", _DATA_DRIVEN)
    data: str = choice("auto", DATA, "evaluations behind the problem; auto takes the simulator's where found", SECTION)


@dataclass(frozen=True)
class General(Rivals, GivenLaw):
    """The example of Figure 1: the learner is told a law that is not the contexts'."""

    spread: str = choice("sd", SPREADS, "what the second parameter of N(0.5, 0.1) and N(0.6, 0.2) is", SECTION)
    clipped: bool = setting(True, "contexts are clipped to [0, 1]", OURS)


@dataclass(frozen=True)
class Shift(GivenLaw):
    """A told law and a true one that differ by a known shift, or not at all."""

    problem: str = choice("general", SHIFTED, "reward", OURS)
    shift: float = _number(0.1, "by how much the true law's mean lies above the told one's", OURS, -0.5, 0.5)
    radius: float = _radius(0.1, OURS)
    schedule: str = _schedule("constant", OURS)


def data_driven(name: str) -> ParameterSet:
    """Parameters of a data-driven problem."""
    without = () if name.startswith("portfolio") else ("data",)
    return ParameterSet.of(DataDriven, first=("reading",), without=without)


GENERAL = ParameterSet.of(General, first=("spread", "clipped"))
SHIFT = ParameterSet.of(Shift, first=("problem", "shift"))

#: Mirrors the notebook's parameters cell, where meanings and units stand; a test compares names and defaults.
CHAPTER = ParameterSet(
    (
        count("seed", 0, 0, 2**31),
        positive("radius", 0.12, 0.3),
        positive("regulariser", 1.0, 100.0),
        positive("noise", 0.1, 10.0),
        count("runs", 100, 4, 10_000),
        count("rounds", 60, 10, 400),
        count("arms", 50, 5, 400),
        count("live_runs", 2, 1, 15),
        count("live_rounds", 10, 1, 100),
    )
)
