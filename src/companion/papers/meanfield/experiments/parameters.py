"""What may be set in chapter 4's experiments and in its notebook: default, range, meaning and source of each."""

from __future__ import annotations

from companion.core.profiles import Parameter, ParameterSet, count, number, positive, whole
from companion.papers.meanfield.problems import bikes, ports, taxi
from companion.papers.meanfield.problems.catalogue import WITH_READINGS, Setting

OURS = "companion"
PENALTIES = {"weighted": "ours", "printed": "text"}
"""Readings of the problems by the penalty they have."""
SEARCHES = ("exact", "local", "paper")


def _choice(name: str, choices: tuple[str, ...], text: str, source: str) -> Parameter:
    """The first of the choices is the default."""
    return Parameter(name, "str", choices[0], text, source, choices=choices)


BETA = number("beta", 3.0, "width of MF-GP-UCB and GP-UCB with width=constant, standard deviations", OURS, 1e-6, 1e4)

_LAWS = (
    _choice(
        "play",
        ("iid", "quota"),
        "iid: every agent draws its action from the law; quota: whole numbers as close to the law as can be",
        "Sec. 5.1; quota is the companion's",
    ),
    _choice(
        "observation",
        ("system", "agent"),
        "what methods over laws are told: the reward of the population, or the payoff of one agent as in Algorithm 1",
        "Sec. 5; Algorithm 1",
    ),
    _choice("told_law", ("policy", "empirical"), "law stored with an observation: asked for, or played", OURS),
    _choice("kernel", ("additive", "joint"), "additive: Eq. (1); joint: one term for all contexts' laws", "Eq. (1)"),
    _choice(
        "width",
        ("constant", "printed", "corrected"),
        "constant: beta; printed, corrected: beta_t of Theorem 4.1 with a and b",
        "Theorem 4.1; the experiments' width is not printed",
    ),
    BETA,
    number("a", 2.0, "constant a of Assumption 3.1 for the theorem's width", OURS),
    number("b", 2.0, "constant b of Assumption 3.1 for the theorem's width, units of the derivative squared", OURS),
    _choice(
        "search",
        SEARCHES,
        "maximisation of MF-UCB: exact from all over the simplices; local: Adam, rate .05, near laws played; paper: rate .01",
        "Sec. 5.1 prints rate .01",
    ),
    whole("initial", 10, "random laws, or joint actions of GP-UCB, before the first model", OURS, 2, 1000),
)
_SEARCHES = (
    whole("candidates", 5000, "candidates of TuRBO in a round", "Eriksson et al. (2019)", 10, 100_000),
    whole("restart", 20, "uniform joint actions of TuRBO after every start", OURS, 2, 1000),
)


def for_problem(chosen: Setting) -> ParameterSet:
    """Parameters of one problem of Section 5; defaults are the paper's where it says them."""
    parameters = [
        whole("horizon", chosen.horizon, "evaluations T", "Sec. 5.1", 1, 10_000),
        whole("agents", chosen.agents, "agents M", chosen.figure, 1, 1_000_000),
        Parameter(
            "actions",
            "int",
            None,
            f"actions |A|, {chosen.actions} in the paper; left out, the paper's, or for taxis every block with demand",
            chosen.figure,
            low=2,
            high=1000,
        ),
        Parameter(
            "noise",
            "float",
            0.0,
            "noise standard deviation of an evaluation, units of the reward",
            "none mentioned in Sec. 5",
            low=0.0,
            high=1e3,
        ),
        *_LAWS,
        *_SEARCHES,
    ]
    if chosen.name in WITH_READINGS:
        parameters.append(
            _choice(
                "penalty",
                ("weighted", "printed"),
                "crowding penalty: weighted by the shares, or as printed, which favours crowds",
                "Sec. 5.2; weighted is the companion's",
            )
        )
    if chosen.contexts > 1:
        parameters.append(
            _choice(
                "contexts",
                ("paper", "fixed", "redrawn"),
                "paper: drawn in every round for methods over laws, once for methods over joint actions",
                "Sec. 5.1",
            )
        )
    if chosen.name == "ports":
        parameters.append(whole("regions", 5, "contexts |C|; other numbers with data=synthetic", "Sec. 5.3.3", 1, 30))
    if chosen.name not in WITH_READINGS:
        choices = {"bikes": bikes.DATA, "ports": ports.DATA}.get(chosen.name, taxi.DATA)
        parameters.append(_choice("data", choices, "auto: real data where they are found, else synthetic", "Sec. 5.3"))
    return ParameterSet(tuple(parameters))


#: Mirrors the notebook's parameters cell, where meanings and units stand; a test compares names and defaults.
CHAPTER = ParameterSet(
    (
        count("seed", 0, 0, 2**31),
        count("rounds", 60, 8, 250),
        count("games", 100, 4, 2000),
        positive("noise", 0.1, 10.0),
        count("most", 8, 2, 10),
        count("populations", 200, 4, 20_000),
        count("live_runs", 1, 1, 10),
        count("live_evaluations", 25, 10, 250),
        count("followed", 100, 30, 250),
        count("mapped", 250, 20, 250),
    )
)
