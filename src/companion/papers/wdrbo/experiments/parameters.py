"""What may be set in chapter 5's experiments and in its notebook: default, range, meaning and source of each."""

from __future__ import annotations

from typing import Any

from companion.core.profiles import Parameter, ParameterSet, choice, count, positive, whole
from companion.papers.wdrbo.method.methods import READINGS
from companion.papers.wdrbo.problems.general import SPREADS
from companion.papers.wdrbo.problems.portfolio import DATA
from companion.papers.wdrbo.problems.shifted import SHIFTED

OURS, CODE, SECTION = "companion", "the authors' code", "Sec. 5"
SCHEDULES = ("root", "constant")


def _number(name: str, default: Any, text: str, source: str, low: float = 0.0, high: float = 1e3) -> Parameter:
    return Parameter(name, "float", default, text, source, low=low, high=high)


READING = choice(
    "reading",
    "text",
    READINGS,
    "text: problem and methods as described; code: as the published code runs them",
    SECTION,
)


def _run() -> tuple[Parameter, ...]:
    return (
        whole("horizon", 100, "rounds T after the design", SECTION, 1, 2000),
        whole("initial", 5, "decisions of the design, scrambled Sobol points", CODE, 1, 200),
        _number("noise", 0.0, "noise standard deviation of a reward, units of f", CODE),
        _number("width", 1.5, "beta_t, multiplies the posterior standard deviation", SECTION),
    )


def _radius(default: float, schedule: str, source: str) -> tuple[Parameter, ...]:
    return (
        _number("radius", default, "radius of the Wasserstein ball, units of the contexts; see schedule", source),
        choice("schedule", schedule, SCHEDULES, "root: the radius is divided by sqrt(n), n observed contexts", source),
        choice(
            "lipschitz_region",
            "box",
            ("box", "atoms"),
            "where wdrbo looks for the Lipschitz constant: everywhere, or between the ball's extreme atoms",
            "(13); atoms: companion",
        ),
    )


_SIZES = (
    whole("samples", 512, "draws of sbo-kde from its density estimate", CODE, 2, 20_000),
    whole("robust_samples", 1024, "the same of drbo-kde", CODE, 2, 20_000),
    whole("discrepancy_nodes", 100, "contexts of drbo-mmd", CODE, 2, 2000),
    whole("minmax_nodes", 1024, "contexts of drbo-mmd-minmax", CODE, 2, 4096),
    Parameter(
        "confidence",
        "float",
        0.9,
        "1 - delta in the radius of the discrepancy ball",
        CODE,
        low=0.0,
        high=1.0,
        low_open=True,
        high_open=True,
    ),
)


def data_driven(name: str) -> ParameterSet:
    """Parameters of a data-driven problem: the ball is centred at the observed contexts."""
    own = []
    if name.startswith("portfolio"):
        own.append(
            choice(
                "data", "auto", DATA, "evaluations behind the problem; auto takes the simulator's where found", SECTION
            )
        )
    radius = _radius(0.3, "root", "O(1/sqrt(t)) in Sec. 5; 0.3 in the authors' code")
    return ParameterSet((READING, *_run(), *radius, *_SIZES, *own))


_TOLD = whole("told_nodes", 50, "equally weighted quantiles that stand for the law the learner is told", OURS, 2, 1000)

GENERAL = ParameterSet(
    (
        choice("spread", "sd", SPREADS, "what the second parameter of N(0.5, 0.1) and N(0.6, 0.2) is", SECTION),
        Parameter("clipped", "bool", True, "contexts are clipped to [0, 1]", OURS),
        *_run(),
        *_radius(0.1, "constant", SECTION),
        _TOLD,
        *_SIZES,
    )
)
"""The example of Figure 1: the learner is told a law that is not the contexts'."""

SHIFT = ParameterSet(
    (
        choice("problem", "general", SHIFTED, "reward", OURS),
        _number("shift", 0.1, "by how much the true law's mean lies above the told one's", OURS, -0.5, 0.5),
        *_run(),
        *_radius(0.1, "constant", OURS),
        _TOLD,
    )
)
"""A told law and a true one that differ by a known shift, or not at all."""

#: Mirrors the notebook's parameters cell, where meanings and units stand; a test compares names and defaults.
CHAPTER = ParameterSet(
    (
        count("seed", 0, 0, 2**31),
        positive("radius", 0.1, 0.3),
        positive("regulariser", 1.0, 100.0),
        positive("noise", 0.1, 10.0),
        count("runs", 100, 4, 10_000),
        count("rounds", 60, 10, 400),
        count("arms", 50, 5, 400),
        count("live_runs", 2, 1, 15),
        count("live_rounds", 10, 1, 100),
    )
)
