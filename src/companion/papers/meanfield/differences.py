"""Where the paper's text, what its experiments most likely were, and the companion's problems of Section 5 differ.

The paper names a repository, https://github.com/petarsteinberg/MF-BO, which could not be reached. In its place stands what can
be inferred of it: from the numbers that the figures and captions show, and from the benchmark framework (MCBO) that the paper
names.
"""

from __future__ import annotations

from typing import NamedTuple


class Difference(NamedTuple):
    """One item of a problem: what the text says, what was most likely run (empty: unknown), and what is done here."""

    problem: str
    item: str
    text: str
    inferred: str
    ours: str


DIFFERENCES = (
    Difference(
        "all",
        "observation",
        "theory: the payoff of one representative agent; experiments: a reward of the system",
        "the reward of the system",
        "the reward of the system; the payoff of one agent is offered beside it",
    ),
    Difference(
        "all",
        "noise",
        "none mentioned in the experiments",
        "none but the agents' draws",
        "none but the agents' draws, unless asked for",
    ),
    Difference(
        "all",
        "contexts",
        "drawn anew in each round for MF-GP-UCB, once for the baselines",
        "",
        "the problem draws them on request; the maritime shares are exact, as the text says",
    ),
    Difference(
        "all",
        "optimum",
        "not given, so that figures show rewards and not regret",
        "",
        "certified for each problem: duality, branch and bound, enumeration or closed form",
    ),
    Difference(
        "swarm",
        "penalty",
        "sigma sum_x log(1 + P_x), which is largest when actions are used equally and so favours crowds",
        "each agent pays sigma log(1 + P_x) for its own action; only this fits the dispersed optimum that the text reports",
        "sigma sum_x P_x log(1 + P_x); reading 'text' has the printed one",
    ),
    Difference(
        "swarm",
        "sum or mean",
        "the reward is summed over the agents, so that the penalty is less than 1 % of it",
        "",
        "mean over the agents; reading 'text' has the sum",
    ),
    Difference(
        "swarm",
        "actions",
        "30 equally spaced points over [0, 2 pi]; whether both ends count is not said",
        "",
        "both ends count, although they are one place",
    ),
    Difference(
        "arena",
        "penalty",
        "as in swarm motion: no collection exceeds -4.93 with it, whatever the teams' sizes",
        "the weighted form, since the caption of Figure 3 reports a reward of about 0.9",
        "sigma sum_x P_x log(1 + P_x); reading 'text' has the printed one",
    ),
    Difference(
        "arena",
        "pairs",
        "'unique pairs' in words; the formula sums over i != j and divides by M over 2",
        "ordered pairs, since with unordered ones no collection exceeds 0.672, and Figure 3 shows about 0.9",
        "ordered pairs",
    ),
    Difference(
        "arena",
        "actions",
        "30 on a circle, in [0, 2 pi]",
        "",
        "30 equally spaced, without the second end: a shift of all agents leaves the reward exactly as it is",
    ),
    Difference(
        "bikes",
        "stations",
        "41 in the text, 36 in the caption of Figure 2(c)",
        "",
        "41 of 43 listed coordinates, the two farthest out left out; 36 on request",
    ),
    Difference(
        "bikes",
        "demand",
        "pickups of twenty consecutive Saturdays",
        "",
        "synthetic demand, on real coordinates where they are found",
    ),
    Difference(
        "bikes",
        "logarithm",
        "base not said",
        "",
        "natural",
    ),
    Difference(
        "ports",
        "ports",
        "thirty drawn at random; the draw is not given",
        "",
        "thirty drawn from a dated snapshot, from the first seed that leaves no region empty",
    ),
    Difference(
        "ports",
        "small ports",
        "not mentioned",
        "",
        "ports with less than one call a week are not drawn: one such port would dominate the reward",
    ),
    Difference(
        "ports",
        "capacity",
        "'normalised capacity', estimated from the data base, which has no such column",
        "",
        "calls in a year, divided by their sum over the thirty ports; by their maximum on request",
    ),
    Difference(
        "ports",
        "crowding",
        "P_x is called the frequency of an action in one place, the normalised frequency in another",
        "",
        "share of all vessels",
    ),
    *(
        Difference(f"taxi-{grid}", "block size", f"about {side} square metres", f"sides of {side} m", ours)
        for grid, side, ours in (
            ("a", 500, "492 by 555 m"),
            ("b", 400, "394 by 427 m"),
            ("c", 300, "295 by 308 m"),
        )
    ),
    *(
        Difference(
            f"taxi-{grid}",
            "region",
            "the centre of Manhattan; no coordinates",
            "",
            "longitude -74.02 to -73.95, latitude 40.70 to 40.80",
        )
        for grid in "abc"
    ),
    *(
        Difference(
            f"taxi-{grid}",
            "demand",
            f"pickups of twenty Fridays, 15:00 to 18:00; {actions} blocks have some",
            "",
            "a pooled sample of real pickups, Monday to Friday, 15:00 to 18:00, with fewer blocks; Fridays alone on request",
        )
        for grid, actions in (("a", 160), ("b", 235), ("c", 394))
    ),
)


def differences(name: str) -> tuple[Difference, ...]:
    """The rows of :data:`DIFFERENCES` that concern one problem: its own, and those of all."""
    return tuple(row for row in DIFFERENCES if row.problem in ("all", name))
