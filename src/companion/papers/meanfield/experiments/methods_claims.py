"""Tests of what the paper says of cost, of growth with the number of agents, and of its own reward functions."""

from __future__ import annotations

import math
from collections.abc import Mapping
from itertools import combinations
from typing import Any

import numpy as np

from companion.core.arrays import Floats
from companion.judge.claim_tests import beyond, every, log_slope, power_law
from companion.judge.claims import Parts, Test, absent
from companion.judge.intervals import Interval
from companion.judge.verdict import NOT_TESTABLE, Judgement, Part
from companion.papers.meanfield.experiments.figures_claims import by_seed
from companion.papers.meanfield.experiments.printed import METHOD_OF, NAME_OF, OURS, TITLE_OF, MeanFieldResults
from companion.papers.meanfield.method.widths import TheoryWidth
from companion.papers.meanfield.problems.arena import crowding_penalty
from companion.papers.meanfield.problems.catalogue import HORIZON, SETTINGS, meanfield_problem
from companion.papers.meanfield.problems.mean_field import MeanFieldProblem
from companion.papers.meanfield.problems.swarm import SIGMA
from companion.stored.results import unjoined

NAIVE = "gp-ucb"
#: Relative difference below which two evaluations of one formula count as equal.
ROUNDING = 1e-9
REMARK = (
    "Ours has one decay rate for all agents and updates distances by the agents that changed, which is another method than "
    "one with a length-scale for every agent, as the framework that the paper names has it; there every fit grows with M."
)
PRINTED_DAYS, PRINTED_SHARES = 100.0, {"turbo": 93.0, "mf-gp-ucb": 2.0, "sa": 2.0, "ga": 2.0}


# -- cost --------------------------------------------------------------------------------------------------------------


def over_agents(
    results: MeanFieldResults, problem: str, method: str, block: str, column: str | None = None
) -> tuple[Floats, Floats]:
    """Numbers of agents and CPU seconds, or a column of ``final``, of all runs of a method in a block: (runs,) each.

    Both are empty without runs at two numbers of agents at least: nothing can be said about growth then.
    """
    numbers, values = [], []
    for (name, variant, where, who), rows in results.tables["final"].groupby(["part", "variant", "problem", "method"]):
        if (name, where, who) == (block, problem, method):
            numbers.append(rows.agents.to_numpy(dtype=float))
            own = (
                rows.sort_values("seed")[column].to_numpy()
                if column
                else results.seconds(problem, method, block, variant)
            )
            values.append(own)
    if len({float(number) for own in numbers for number in own}) < 2:
        return np.empty(0), np.empty(0)
    return np.concatenate(numbers), np.concatenate(values)


def turbo_time(results: MeanFieldResults) -> Parts:
    """Not testable: what was run as TuRBO is not known. Beside it the exponents in M, printed over the problems and ours."""
    agents, _, minutes = _printed_times(results)
    printed = {m: log_slope(results, agents, values) for m, values in minutes.items()}
    ours = _our_exponents(results)
    why = (
        "what was run as TuRBO is not known: the repository that the paper names could not be reached, and its framework has "
        "no method of that name"
    )
    said = f"; printed exponent {_shown(printed['turbo'])}"
    if "turbo" in ours:
        said += f", ours {ours['turbo'][0]:.2f} ({ours['turbo'][1]:.2f} to {ours['turbo'][2]:.2f})"
    part = Part(
        "time of TuRBO grows with M as printed",
        Judgement(NOT_TESTABLE, why + said),
        printed["turbo"].estimate,
        ours["turbo"][0] if "turbo" in ours else None,
    )
    return [part], {
        "printed_exponents_in_M": {m: [s.estimate, *s.ends] for m, s in printed.items()},
        "our_exponents_in_M": ours,
        "order_of_methods": printed_order(results),
        "remark": REMARK,
    }


def mf_time(results: MeanFieldResults) -> Parts:
    """Exponent of MF-GP-UCB's run time in M at 30 actions; beside it those in |A||C| over the problems, printed and ours."""
    what = f"time of MF-GP-UCB grows with M by less than the power {results.margins.claims['exponent']:g}"
    numbers, seconds = over_agents(results, "swarm", OURS, "agents")
    if not numbers.size:
        return [absent(what)], {}
    _, size, minutes = _printed_times(results)
    printed = log_slope(results, size, minutes[OURS])
    return [power_law(results, what, numbers, seconds, 0.0)], {
        "printed_exponent_in_size": [printed.estimate, *printed.ends],
        "our_exponent_in_size": _size_exponent(results, size),
    }


def _printed_times(results: MeanFieldResults) -> tuple[Floats, Floats, dict[str, Floats]]:
    """M and |A||C| of the seven problems, and the printed minutes of each method."""
    agents = np.array([SETTINGS[name].agents for name in SETTINGS], dtype=float)
    size = np.array([SETTINGS[name].actions * SETTINGS[name].contexts for name in SETTINGS], dtype=float)
    return agents, size, {m: np.array([results.printed(name, m).mean for name in SETTINGS]) for m in METHOD_OF.values()}


def _shown(slope: Interval) -> str:
    return f"{slope.estimate:.2f} ({slope.low:.2f} to {slope.high:.2f})"


def _our_exponents(results: MeanFieldResults) -> dict[str, list[float]]:
    found = {}
    for method, block in ((OURS, "agents"), ("turbo", "rivals"), ("sa", "rivals"), ("ga", "rivals"), (NAIVE, "rivals")):
        numbers, seconds = over_agents(results, "swarm", method, block)
        if numbers.size:
            slope = log_slope(results, numbers, seconds)
            found[method] = [slope.estimate, *slope.ends]
    return found


def _size_exponent(results: MeanFieldResults, size: Floats) -> list[float] | None:
    if not all(results.has(name, OURS) for name in SETTINGS):
        return None
    slope = log_slope(results, size, np.array([results.time(name, OURS).mean for name in SETTINGS]))
    return [slope.estimate, *slope.ends]


def printed_order(results: MeanFieldResults) -> dict[str, int]:
    """Pairs of methods on one problem, and how many of them our times order as the printed ones do."""
    agree = checked = 0
    for problem in SETTINGS:
        if not results.has(problem, *METHOD_OF.values()):
            continue
        for one, two in combinations(METHOD_OF.values(), 2):
            printed = results.printed(problem, one).mean - results.printed(problem, two).mean
            ours = results.time(problem, one).mean - results.time(problem, two).mean
            checked, agree = checked + 1, agree + int(printed * ours > 0)
    return {"pairs": checked, "as_printed": agree}


def time_shares(results: MeanFieldResults) -> Parts:
    """Days and shares recomputed from Table 2: ten runs of every cell."""
    minutes = {
        m: sum(results.printed(name, m).mean * results.printed(name, m).n for name in SETTINGS)
        for m in METHOD_OF.values()
    }
    total = sum(minutes.values())
    days = total / (24.0 * 60.0)
    about = results.margins.claims["about"]
    near = abs(days - PRINTED_DAYS) <= about * PRINTED_DAYS
    parts = [every("days in all", near, f"{days:.1f} days", reported=PRINTED_DAYS, reproduced=days)]
    shares = {m: 100.0 * value / total for m, value in minutes.items()}
    for method, stated in PRINTED_SHARES.items():
        right, told = round(shares[method]) == stated, f"{shares[method]:.2f} %, stated {stated:g} %"
        parts.append(every(NAME_OF[method], right, told, reported=stated, reproduced=shares[method]))
    return parts, {"percent": shares, "our_percent": _our_shares(results)}


def _our_shares(results: MeanFieldResults) -> dict[str, float] | None:
    if not all(results.has(name, *METHOD_OF.values()) for name in SETTINGS):
        return None
    seconds = {m: sum(results.time(name, m).mean for name in SETTINGS) for m in METHOD_OF.values()}
    return {m: 100.0 * value / sum(seconds.values()) for m, value in seconds.items()}


# -- growth with the number of agents ----------------------------------------------------------------------------------


def last(texts: Floats) -> Floats:
    """The last number of each stored list."""
    return np.array([unjoined(text)[-1] for text in texts])


def rate_without_agents(results: MeanFieldResults) -> Parts:
    """The width that enters the bound, at 10 and at 100,000 agents; and the measured growth of regret with M."""
    few, many = (_widths(meanfield_problem("swarm", agents=count)) for count in (10, 100_000))
    alike = np.abs(few - many) <= ROUNDING * np.abs(few)
    parts = [every("width of Theorem 4.1", alike, "rounds with the same width for any M")]
    allowance, extra = results.margins.claims["exponent"], {}
    for problem in ("swarm", "arena"):
        numbers, texts = over_agents(results, problem, OURS, "agents", "cumulative")
        what = f"{TITLE_OF[problem]}: exponent of the cumulative regret in M below {allowance:g}"
        if not numbers.size:
            parts.append(absent(what))
            continue
        slope = log_slope(results, numbers, last(texts))
        of = f"exponent minus {allowance:g}"
        parts.append(beyond(what, slope, allowance, "smaller", reproduced=slope.estimate, interval_of=of))
        extra[problem] = regret_by_agents(results, problem, OURS, "agents")
    others = {name: regret_by_agents(results, "swarm", name, "rivals") for name in (NAIVE, "turbo", "sa", "ga")}
    return parts, {
        "regret_by_agents": extra,
        "others_on_swarm": {name: found for name, found in others.items() if found},
    }


def _widths(problem: MeanFieldProblem) -> Floats:
    width = TheoryWidth(problem.actions, problem.contexts, 2.0, 2.0, "corrected")
    return np.array([width(t) for t in range(1, HORIZON + 1)])


def regret_by_agents(results: MeanFieldResults, problem: str, method: str, block: str) -> dict[str, Any]:
    """Mean cumulative regret per evaluation, in shares of the uniform law's regret, by number of agents; and exponents."""
    numbers, texts = over_agents(results, problem, method, block, "cumulative")
    if not numbers.size:
        return {}
    rows = results.tables["final"]
    row = rows[(rows.problem == problem) & (rows.method == method) & (rows.part == block)].iloc[0]
    regret = last(texts) / (HORIZON * float(row.upper_bound - row.uniform))
    slope = log_slope(results, numbers, regret)
    return {
        "mean_share": {int(count): float(regret[numbers == count].mean()) for count in np.unique(numbers)},
        "exponent": [slope.estimate, *slope.ends],
    }


def crossover(results: MeanFieldResults) -> Parts:
    """Exponents of log T in the two bounds on the seven problems; and where the condition holds, the regret measured."""
    rows = {name: _exponents(name) for name in SETTINGS}
    right = [(row["mf-gp-ucb"] <= row["gp-ucb"]) == bool(row["condition"]) for row in rows.values()]
    parts = [every("smaller exponent where the condition holds", right, "problems with d_A = 1")]
    outside = {}
    for count in sorted({int(n) for n in over_agents(results, "swarm", NAIVE, "rivals")[0]}):
        variant = f"agents={count}"
        if not results.has("swarm", OURS, block="agents", variant=variant):
            continue
        naive = last(results.of("swarm", NAIVE, block="rivals", variant=variant).cumulative.to_numpy())
        ours = last(results.of("swarm", OURS, block="agents", variant=variant).cumulative.to_numpy())[: len(naive)]
        what = f"regret on Swarm with {count} agents below naive GP-UCB's"
        part = by_seed(results, what, ours, naive, "smaller", "cumulative regret of MF-GP-UCB minus naive GP-UCB's")
        if 1 + SETTINGS["swarm"].actions <= count:
            parts.append(part)
        else:
            outside[count] = {"verdict": part.judgement.verdict, "reason": part.judgement.reason}
    if len(parts) == 1:
        parts.append(absent("regret on Swarm"))
    lacking = [name for name, row in rows.items() if not row["condition"]]
    return parts, {"exponents": rows, "condition_fails": lacking, "where_the_condition_fails": outside}


def _exponents(name: str) -> dict[str, float]:
    chosen, own = SETTINGS[name], 1
    size = chosen.actions * chosen.contexts
    context = 1 if chosen.contexts > 1 else 0
    return {
        "mf-gp-ucb": own + context + size,
        "gp-ucb": chosen.agents * own + context,
        "condition": float(own + size <= chosen.agents * own),
    }


# -- the reward functions ----------------------------------------------------------------------------------------------


def penalty_disperses(results: MeanFieldResults) -> Parts:
    """Whether some law beats all agents in one action: for the penalty as printed, and weighted by the shares."""
    parts, extra = [], {}
    for reading, what in (("text", "penalty as printed"), ("ours", "penalty weighted by the shares")):
        problem = meanfield_problem("swarm", reading=reading)
        corner = float(problem.reward(np.eye(problem.actions)[:, None, :]).max())
        above = problem.optimum > corner + ROUNDING * (1.0 + abs(corner))
        shown = f"best law {problem.optimum:.6g}, all in one action {corner:.6g}, bound {problem.upper_bound:.6g}"
        parts.append(every(what, above, shown, reproduced=problem.optimum - corner))
        extra[reading] = {
            "optimum": problem.optimum,
            "one_action": corner,
            "largest_share": float(problem.optimal.max()),
        }
    return parts, extra


def arena_shift(results: MeanFieldResults) -> Parts:
    """The optimal law turned by every multiple of the spacing; the same where both ends of [0, 2 pi] are actions."""
    problem = meanfield_problem("arena")
    turned = np.stack([np.roll(problem.optimal, k, axis=1) for k in range(problem.actions)])
    changes = np.abs(problem.reward(turned) - problem.optimum)
    part = every("circle without the second end", changes <= ROUNDING, "turns that leave the reward")
    return [part], {"largest_change": float(changes.max()), "with_both_ends": _both_ends(problem.optimal)}


def _both_ends(law: Floats) -> float:
    """Largest change by a turn where the first and the last of |A| actions are one place: agents in either leave as one."""
    count = law.shape[1]
    angles = np.linspace(0.0, 2.0 * math.pi, count)
    places = np.exp(1j * angles)

    def reward(p: Floats) -> float:
        towards = 0.5 * (p[0] - p[1]) @ places
        return float(2.0 * abs(towards) ** 2 - crowding_penalty(p.mean(axis=0)[None], SIGMA, "ours")[0])

    start = reward(law)
    merged = law[:, :-1].copy()
    merged[:, 0] += law[:, -1]
    turned = [np.concatenate([np.roll(merged, k, axis=1), np.zeros((2, 1))], axis=1) for k in range(count - 1)]
    return max(abs(reward(p) - start) for p in turned)


#: What no sentence of the paper claims and its Table 2 suggests: the question in words, and its test, by id.
QUESTIONS: Mapping[str, tuple[str, Test[MeanFieldResults]]] = {
    "turbo-time": (
        "What Table 2 suggests: does the running time of TuRBO grow steeply with the number of agents?",
        turbo_time,
    ),
    "mf-time": ("What Table 2 suggests: is the running time of MF-GP-UCB free of the number of agents?", mf_time),
}
#: Claims decided by a computation made when the verdict is, without stored runs.
COMPUTED: Mapping[str, Test[MeanFieldResults]] = {"penalty-disperses": penalty_disperses, "arena-shift": arena_shift}
TESTS: Mapping[str, Test[MeanFieldResults]] = {
    "time-shares": time_shares,
    "rate-without-agents": rate_without_agents,
    "crossover": crossover,
}
