"""Parameters of chapter 4's experiments and notebook: default, range, meaning and source of each."""

from __future__ import annotations

from dataclasses import MISSING, dataclass
from typing import Any

from companion.core.parameters import ParameterSet, choice, count, number, positive, whole
from companion.papers.meanfield.problems import bikes, ports, taxi
from companion.papers.meanfield.problems.catalogue import WITH_READINGS, ProblemSetting

OURS = "companion"
#: Readings of the problems by the penalty they have.
PENALTIES = {"weighted": "ours", "printed": "text"}
SEARCHES = ("exact", "local", "paper")


def _choice(choices: tuple[str, ...], text: str, source: str) -> Any:
    """The first of the choices is the default."""
    return choice(choices[0], choices, text, source)


@dataclass(frozen=True, kw_only=True)
class Crowd:
    """A problem of Section 5 and how it is played; what a problem has no use for stays at its default."""

    horizon: int = whole(MISSING, "evaluations T", "Sec. 5.1", 1, 10_000)
    agents: int = whole(MISSING, "agents M", "Sec. 5.1", 1, 1_000_000)
    actions: int | None = whole(None, "actions |A|", "Sec. 5.1", 2, 1000)
    noise: float = number(
        0.0,
        "noise standard deviation of an evaluation, units of the reward",
        "none mentioned in Sec. 5",
        low_open=False,
    )
    play: str = _choice(
        ("iid", "quota"),
        "iid: every agent draws its action from the law; quota: whole numbers as close to the law as can be",
        "Sec. 5.1; quota is the companion's",
    )
    observation: str = _choice(
        ("system", "agent"),
        "what methods over laws are told: the reward of the population, or the payoff of one agent as in Algorithm 1",
        "Sec. 5; Algorithm 1",
    )
    told_law: str = _choice(("policy", "empirical"), "law stored with an observation: asked for, or played", OURS)
    kernel: str = _choice(("additive", "joint"), "additive: Eq. (1); joint: one term for all contexts' laws", "Eq. (1)")
    width: str = _choice(
        ("constant", "printed", "corrected"),
        "constant: beta; printed, corrected: beta_t of Theorem 4.1 with a and b",
        "Theorem 4.1; the experiments' width is not printed",
    )
    beta: float = number(3.0, "width of MF-GP-UCB and GP-UCB with width=constant, standard deviations", OURS, 1e-6, 1e4)
    a: float = number(2.0, "constant a of Assumption 3.1 for the theorem's width", OURS)
    b: float = number(
        2.0, "constant b of Assumption 3.1 for the theorem's width, units of the derivative squared", OURS
    )
    search: str = _choice(
        SEARCHES,
        "maximisation of MF-UCB: exact from all over the simplices; local: Adam, rate .05, near laws played; paper: rate .01",
        "Sec. 5.1 prints rate .01",
    )
    initial: int = whole(10, "random laws, or joint actions of GP-UCB, before the first model", OURS, 2, 1000)
    candidates: int = whole(5000, "candidates of TuRBO in a round", "Eriksson et al. (2019)", 10, 100_000)
    restart: int = whole(20, "uniform joint actions of TuRBO after every start", OURS, 2, 1000)
    penalty: str = _choice(
        ("weighted", "printed"),
        "crowding penalty: weighted by the shares, or as printed, which favours crowds",
        "Sec. 5.2; weighted is the companion's",
    )
    contexts: str = _choice(
        ("paper", "fixed", "redrawn"),
        "paper: drawn in every round for methods over laws, once for methods over joint actions",
        "Sec. 5.1",
    )
    regions: int = whole(5, "contexts |C|; other numbers with data=synthetic", "Sec. 5.3.3", 1, 30)
    data: str = _choice(taxi.DATA, "auto: real data where they are found, else synthetic", "Sec. 5.3")


def for_problem(chosen: ProblemSetting) -> ParameterSet:
    """Parameters of one problem of Section 5; defaults are the paper's where it says them."""
    has = {
        "penalty": chosen.name in WITH_READINGS,
        "contexts": chosen.contexts > 1,
        "regions": chosen.name == "ports",
        "data": chosen.name not in WITH_READINGS,
    }
    own = f"actions |A|, {chosen.actions} in the paper; left out, the paper's, or for taxis every block with demand"
    choices = {"bikes": bikes.DATA, "ports": ports.DATA}.get(chosen.name, taxi.DATA)
    return ParameterSet.of(
        Crowd,
        without=[name for name, used in has.items() if not used],
        horizon={"default": chosen.horizon},
        agents={"default": chosen.agents, "source": chosen.figure},
        actions={"help": own, "source": chosen.figure},
        data={"default": choices[0], "choices": choices},
    )


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
