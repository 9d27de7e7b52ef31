"""Tests of what the paper concludes from Figures 2-5, on the stored runs.

Every test takes the printed table beside our runs and returns the tested parts of the claim, and further fields. Methods are
compared seed by seed. A best reward is the largest of 250 noisy values; beside it stands the mean-field reward of its law,
which owes nothing to the luck of the draw.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import product
from typing import Any

import numpy as np

from companion.papers.meanfield.divergence import jensen_shannon
from companion.papers.meanfield.paper_plan import CONTROLS
from companion.papers.meanfield.printed import (
    FIGURE_2,
    FIGURE_5,
    NAME_OF,
    OURS,
    RIVALS,
    TITLE_OF,
    Floats,
    SideBySide,
    summary,
)
from companion.papers.meanfield.problems import HORIZON
from companion.reproduce.claims import Parts
from companion.reproduce.intervals import Interval, mean_interval, paired_interval
from companion.reproduce.verdict import NOT_TESTABLE, Judgement, Part, paired_claim

Test = Callable[[SideBySide], Parts]

CONVERGED = 80
"""Evaluations after which the text calls Swarm converged."""
SHOWN_REWARD = 0.9
"""Of the solution in Figure 3."""
SEARCHES = ("search=paper", "search=local")
"""Variants with Adam near laws played, at the paper's rate and at a larger one."""


def absent(what: str) -> Part:
    """The part of a claim whose runs were left out."""
    return Part(what, Judgement(NOT_TESTABLE, "left out of the stored runs"))


def strongest(both: SideBySide, problem: str, methods: Sequence[str] = RIVALS, column: str = "best") -> str:
    """The method with the largest mean."""
    return max(methods, key=lambda method: both.values(problem, method, column).mean())


def at_most(both: SideBySide, what: str, values: Floats, limit: float, **extra: Any) -> Part:
    """Whether the mean of ``values`` is below ``limit``, from its interval."""
    interval = mean_interval(values - limit, both.margins.confidence)
    return Part(
        f"{what} at most {limit:.4g}",
        paired_claim(interval, "smaller"),
        reproduced=summary(values),
        extra={"limit": limit, **extra},
    )


def _numbers(interval: Interval) -> dict[str, float]:
    return {"mean": interval.estimate, "low": interval.low, "high": interval.high}


def other_searches(both: SideBySide, problem: str, other: str) -> dict[str, Any]:
    """MF-GP-UCB with another maximisation of MF-UCB, where it was run: mean best reward, and that minus ``other``'s."""
    found = {}
    for part, variant in product(("searches", "variants"), SEARCHES):
        if both.has(part, problem, OURS, variant=variant):
            values = both.values(problem, OURS, "best", part, variant)
            interval = paired_interval(values, both.values(problem, other), both.margins.confidence)
            found[variant] = {"best": float(values.mean()), "against": _numbers(interval)}
    return found


def best_part(both: SideBySide, problem: str) -> Part:
    """MF-GP-UCB against the strongest of the paper's other methods."""
    what = f"{TITLE_OF[problem]} ({{}}): MF-GP-UCB above {{}}"
    if not both.has("figures", problem, OURS, *RIVALS):
        return absent(TITLE_OF[problem])
    other = strongest(both, problem)
    extra: dict[str, Any] = {
        "label": both.label(problem),
        "strongest": other,
        "mean_field_reward": _numbers(both.against(problem, OURS, other, "law_reward")),
        "gap": {name: float(both.gap(problem, name).mean()) for name in (OURS, *RIVALS)},
        "uniform_gap": both.uniform_gap(problem),
        "regret_per_evaluation": {name: float(both.mean_regret(problem, name).mean()) for name in (OURS, *RIVALS)},
        "other_searches": other_searches(both, problem, other),
    }
    if both.has("quota", problem, OURS, variant="play=quota"):
        quota = both.values(problem, OURS, "best", "quota", "play=quota")
        extra["quota"] = _numbers(paired_interval(quota, both.values(problem, other), both.margins.confidence))
    if both.has("controls", problem, *CONTROLS):
        control = max(CONTROLS, key=lambda name: both.values(problem, name, part="controls").mean())
        theirs = both.values(problem, control, part="controls")
        interval = paired_interval(both.values(problem, OURS), theirs, both.margins.confidence)
        extra |= {"strongest_control": control, "against_strongest_control": _numbers(interval)}
    return Part(
        what.format(both.label(problem), NAME_OF[other]),
        paired_claim(both.against(problem, OURS, other), "larger"),
        reproduced=summary(both.values(problem, OURS)),
        extra=extra,
    )


def higher_reward(both: SideBySide) -> Parts:
    """Best reward after 250 evaluations, on the four problems of Figure 2."""
    return [best_part(both, problem) for problem in FIGURE_2], {}


def sample_efficient(both: SideBySide) -> Parts:
    """Evaluations until a method passes the final median of the strongest other one."""
    parts, passages = [], {}
    for problem in FIGURE_2:
        if not both.has("figures", problem, OURS, *RIVALS):
            parts.append(absent(TITLE_OF[problem]))
            continue
        other = strongest(both, problem)
        level = float(np.median(both.values(problem, other)))
        times = {name: both.first_passage(problem, name, level, HORIZON) for name in (OURS, *RIVALS)}
        passages[problem] = {name: float(np.median(values)) for name, values in times.items()}
        interval = paired_interval(times[OURS], times[other], both.margins.confidence)
        what = f"{TITLE_OF[problem]}: evaluations to pass {level:.4g}, the median of {NAME_OF[other]}"
        parts.append(Part(what, paired_claim(interval, "smaller"), reproduced=summary(times[OURS])))
    return parts, {"median_first_passage": passages, "never": f"not reached counts as {HORIZON}"}


def swarm_converges(both: SideBySide) -> Parts:
    """Gap of the best law to the certified optimum at t = 80 and 250, and its distance from the optimal law."""
    if not both.has("figures", "swarm", OURS):
        return [absent("Swarm")], {}
    near, apart = both.margins.claims["near"], both.margins.claims["apart"]
    scale, top = both.uniform_gap("swarm"), float(both.rows("swarm", OURS).upper_bound.iloc[0])
    gaps = {t: top - both.at("swarm", OURS, t, "law_reward") for t in (CONVERGED, HORIZON)}
    parts = [at_most(both, f"gap of the law at t={t}", values, near * scale) for t, values in gaps.items()]
    distance = both.at("swarm", OURS, HORIZON, "apart")
    parts.append(at_most(both, "total variation to the optimal law", distance, apart))
    within = both.first_passage("swarm", OURS, top - near * scale, HORIZON)
    return parts, {
        "evaluations_to_come_near": within.tolist(),
        "apart_at_80": float(both.at("swarm", OURS, CONVERGED, "apart").mean()),
        "gap_in_shares_of_uniform": {str(t): float(values.mean()) / scale for t, values in gaps.items()},
    }


def arena_laws(laws: Floats) -> dict[str, Floats]:
    """Of laws (n, 2, A) on a circle: degrees between the teams' mean directions, largest share, entropy in nats, all (n,)."""
    angles = 2.0 * np.pi * np.arange(laws.shape[2]) / laws.shape[2]
    means = laws @ np.exp(1j * angles)
    share = laws.mean(axis=1)
    with np.errstate(divide="ignore", invalid="ignore"):
        terms = np.where(share > 0, share * np.log(share), 0.0)
    return {
        "degrees": np.abs(np.degrees(np.angle(means[:, 0] * np.conj(means[:, 1])))),
        "crowd": share.max(axis=1),
        "entropy": -terms.sum(axis=1),
    }


def arena_separates(both: SideBySide) -> Parts:
    """The teams' mean directions, the largest share of an action, and the reward of the best law."""
    if not both.has("figures", "arena", OURS):
        return [absent("Arena")], {}
    margins = both.margins.claims
    found, reward = arena_laws(both.laws("arena", OURS)), both.values("arena", OURS)
    interval = mean_interval(reward - SHOWN_REWARD, both.margins.confidence)
    near = paired_claim(interval, "comparable", margins["about"] * SHOWN_REWARD)
    parts = [
        at_most(both, "degrees from opposite sides", 180.0 - found["degrees"], margins["degrees"]),
        at_most(both, "largest share of an action", found["crowd"], margins["crowd"]),
        Part("best reward", near, SHOWN_REWARD, summary(reward)),
    ]
    return parts, {
        "entropy": float(found["entropy"].mean()),
        "uniform_entropy": float(np.log(both.laws("arena", OURS).shape[2])),
        "upper_bound": float(both.rows("arena", OURS).upper_bound.iloc[0]),
        "best_rewards": sorted(reward.tolist()),
        "mean_field_reward": float(both.values("arena", OURS, "law_reward").mean()),
    }


def near_optimal(both: SideBySide, play: str, time: int) -> Part:
    """LouVelo: the gap of the best law's mean-field reward against a share of the uniform law's."""
    part, variant = ("figures", "paper") if play == "iid" else ("quota", "play=quota")
    what = f"play={play}: gap of the law at t={time}"
    if not both.has(part, "bikes", OURS, variant=variant):
        return absent(what)
    top = float(both.rows("bikes", OURS, part, variant).upper_bound.iloc[0])
    gap = top - both.at("bikes", OURS, time, "law_reward", part, variant)
    scale = both.uniform_gap("bikes", part, variant)
    return at_most(both, what, gap, both.margins.claims["near"] * scale, share=float(gap.mean()) / scale)


def louvelo_near_optimal(both: SideBySide) -> Parts:
    """Independent draws, the literal reading, decide; whole numbers beside them show what the draws cost."""
    early = round(both.margins.claims["quickly"] * HORIZON)
    parts = [near_optimal(both, "iid", time) for time in (HORIZON, early)]
    quota = [near_optimal(both, "quota", time) for time in (HORIZON, early)]
    extra: dict[str, Any] = {
        "quota": [{"what": p.what, "verdict": p.judgement.verdict, "reason": p.judgement.reason} for p in quota]
    }
    if both.has("figures", "bikes", OURS, *RIVALS):
        row = both.rows("bikes", OURS).iloc[0]
        extra |= {
            "label": both.label("bikes"),
            "floor_of_independent_draws": float(row.actions - 1) / (8.0 * float(row.agents)),
            "best_gap": {name: float(both.gap("bikes", name).mean()) for name in (OURS, *RIVALS)},
            "uniform_gap": both.uniform_gap("bikes"),
            "strongest_other": strongest(both, "bikes"),
        }
    return parts, extra


def maritime_best(both: SideBySide) -> Parts:
    """Best of all; vessels in their own region; shares of the ports against the optimal ones, which follow capacity."""
    first = best_part(both, "ports")
    if not both.has("figures", "ports", OURS):
        return [first], {}
    laws, places = both.laws("ports", OURS), both.places("ports")
    home = places.region.to_numpy()[None] == np.arange(laws.shape[1])[:, None]
    own = (laws * home[None]).sum(axis=2).mean(axis=1)
    share, best = laws.mean(axis=1), both.optimal("ports").mean(axis=0)
    apart = 0.5 * np.abs(share - best).sum(axis=1)
    capacity = places.capacity.to_numpy()
    from_capacity = 0.5 * np.abs(share - capacity / capacity.sum()).sum(axis=1)
    mostly = both.margins.claims["mostly"]
    interval = mean_interval(own - mostly, both.margins.confidence)
    parts = [
        first,
        Part(f"share in the own region above {mostly:g}", paired_claim(interval, "larger"), reproduced=summary(own)),
        at_most(both, "total variation between shares and optimal shares", apart, both.margins.claims["apart"]),
    ]
    optimal_own = float((both.optimal("ports") * home).sum(axis=1).mean())
    return parts, {
        "label": both.label("ports"),
        "own_region_at_optimum": optimal_own,
        "total_variation_to_capacity": float(from_capacity.mean()),
        "total_variation_of_uniform_to_capacity": float(
            0.5 * np.abs(1.0 / len(capacity) - capacity / capacity.sum()).sum()
        ),
        "gap_in_shares_of_uniform": float(both.gap("ports", OURS).mean()) / both.uniform_gap("ports"),
    }


def nyc_map(both: SideBySide) -> Parts:
    """Divergence of the best laws to the demand, and to the uniform law."""
    methods = (OURS, "turbo", "random")
    if not both.has("figures", "taxi-a", *methods):
        return [absent("NYC (a)")], {}
    demand = both.optimal("taxi-a")[0]
    laws = {method: both.laws("taxi-a", method)[:, 0] for method in methods}
    near = {method: jensen_shannon(values, demand) for method, values in laws.items()}
    flat = np.full(len(demand), 1.0 / len(demand))
    parts = []
    for closer, farther in (methods[:2], methods[1:]):
        interval = paired_interval(near[closer], near[farther], both.margins.confidence)
        what = f"{NAME_OF[closer]} closer to the demand than {NAME_OF[farther]}"
        parts.append(Part(what, paired_claim(interval, "smaller"), reproduced=summary(near[closer])))
    return parts, {
        "label": both.label("taxi-a"),
        "to_demand": {method: float(values.mean()) for method, values in near.items()},
        "to_uniform": {method: float(jensen_shannon(values, flat).mean()) for method, values in laws.items()},
        "uniform_to_demand": float(jensen_shannon(flat, demand)),
    }


def stalls(both: SideBySide, problem: str, method: str) -> Part:
    """Whether a method's gap is hardly below that of random search: at least 1 minus the frozen share of it."""
    what = f"{TITLE_OF[problem]}: {NAME_OF[method]} hardly better than random search"
    if not both.has("figures", problem, method, "random"):
        return absent(what)
    hardly = both.margins.claims["hardly"]
    ours, theirs = both.gap(problem, method), both.gap(problem, "random")
    interval = paired_interval(ours, (1.0 - hardly) * theirs, both.margins.confidence)
    better = both.against(problem, method, "random")
    return Part(
        what,
        paired_claim(interval, "larger"),
        reproduced=summary(ours),
        extra={"gap_in_shares_of_random": float(ours.mean() / theirs.mean()), "better_by": _numbers(better)},
    )


def nyc_all_grids(both: SideBySide) -> Parts:
    """MF-GP-UCB leaves at most half of random search's gap on each grid; TuRBO hardly less than all of it."""
    parts, well = [], both.margins.claims["well"]
    shares, searches = {}, {}
    for problem in FIGURE_5:
        what = f"{TITLE_OF[problem]}: gap of MF-GP-UCB at most {well:g} times that of random search"
        if not both.has("figures", problem, OURS, "random"):
            parts.append(absent(what))
            continue
        ours, theirs = both.gap(problem, OURS), both.gap(problem, "random")
        interval = paired_interval(ours, well * theirs, both.margins.confidence)
        parts.append(Part(what, paired_claim(interval, "smaller"), reproduced=summary(ours)))
        shares[problem] = {"mf-gp-ucb": float(ours.mean() / theirs.mean()), "label": both.label(problem)}
        searches[problem] = other_searches(both, problem, "random")
    return [*parts, *(stalls(both, problem, "turbo") for problem in FIGURE_5)], {
        "gap_in_shares_of_random": shares,
        "other_searches": searches,
    }


def benchmarks_stall(both: SideBySide) -> Parts:
    """The three searches over joint actions against random search, at 20,000 agents."""
    return [stalls(both, problem, method) for problem in FIGURE_5 for method in ("turbo", "sa", "ga")], {}


def fixed_contexts(both: SideBySide) -> Parts:
    """Simulated annealing on Arena with contexts fixed and drawn anew, paired."""
    ways = ("contexts=fixed", "contexts=redrawn")
    if not all(both.has("fixed", "arena", "sa", variant=way) for way in ways):
        return [absent("Arena")], {}
    held, drawn = (both.values("arena", "sa", "best", "fixed", way) for way in ways)
    interval = paired_interval(held, drawn, both.margins.confidence)
    part = Part("best reward with fixed contexts", paired_claim(interval, "larger"), reproduced=summary(held))
    return [part], {"redrawn": float(drawn.mean())}


TESTS: dict[str, Test] = {
    "higher-reward": higher_reward,
    "sample-efficient": sample_efficient,
    "swarm-converges": swarm_converges,
    "arena-separates": arena_separates,
    "louvelo-near-optimal": louvelo_near_optimal,
    "maritime-best": maritime_best,
    "nyc-map": nyc_map,
    "nyc-all-grids": nyc_all_grids,
    "benchmarks-stall": benchmarks_stall,
    "fixed-contexts": fixed_contexts,
}
