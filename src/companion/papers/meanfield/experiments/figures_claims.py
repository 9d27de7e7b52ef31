"""Tests of what the paper concludes from Figures 2-5, on the stored runs; each returns parts of the claim, further fields.

Methods are compared seed by seed. Beside a best reward, of 250 noisy ones, stands the mean-field reward of its law.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import product
from typing import Any

import numpy as np

from companion.core.arrays import Floats
from companion.judge.claim_tests import needs, paired
from companion.judge.claims import Parts, Test, absent
from companion.judge.equivalence import Summary
from companion.judge.intervals import Interval
from companion.judge.stored_runs import summary
from companion.judge.verdict import NOT_TESTABLE, UNDECIDED, Judgement, Part, paired_claim
from companion.papers.meanfield.experiments.printed import (
    FIGURE_2,
    FIGURE_5,
    NAME_OF,
    OURS,
    PLAIN,
    RIVALS,
    TITLE_OF,
    MeanFieldResults,
)
from companion.papers.meanfield.experiments.ranking_claims import BEST, against, block_of, share_of_uniform, standings
from companion.papers.meanfield.experiments.runs import CONTROLS
from companion.papers.meanfield.problems.catalogue import HORIZON
from companion.papers.meanfield.problems.divergence import jensen_shannon

#: Evaluations after which the text calls Swarm converged.
CONVERGED = 80
#: Of the solution in Figure 3.
SHOWN_REWARD = 0.9
#: Variants with Adam near laws played, at the paper's rate and at a larger one.
SEARCHES = ("search=paper", "search=local")


def strongest(results: MeanFieldResults, problem: str, methods: Sequence[str] = RIVALS, column: str = "best") -> str:
    """The method with the largest mean."""
    return max(methods, key=lambda method: results.values(problem, method, column).mean())


def at_most(results: MeanFieldResults, what: str, values: Floats, limit: float, **extra: Any) -> Part:
    """Whether the mean of ``values`` is below ``limit``, from its interval."""
    interval = results.mean(values - limit)
    return Part(
        f"{what} at most {limit:.4g}",
        paired_claim(interval, "smaller"),
        reproduced=summary(values),
        extra={"limit": limit, "interval_of": f"{what} minus {limit:.4g}", **extra},
    )


def either_play(independent: Part, whole: Part) -> Part:
    """One part from both ways of playing a law, between which the paper does not choose where it matters.

    Its verdict is that of both ways if they agree, else ``undecided``; ``readings`` holds both. ``not-testable`` if either
    was left out. Numbers are those of independent draws.
    """
    ways = {"independent draws": independent, "whole numbers": whole}
    verdicts = {name: part.judgement.verdict for name, part in ways.items()}
    if NOT_TESTABLE in verdicts.values():
        return absent(independent.what)
    judged = independent.judgement
    agreed = verdicts["independent draws"] if len(set(verdicts.values())) == 1 else UNDECIDED
    reason = "; ".join(f"{name}: {part.judgement.verdict}, {part.judgement.reason}" for name, part in ways.items())
    readings = [
        {
            "what": name,
            "verdict": part.judgement.verdict,
            "reason": part.judgement.reason,
            "mean": part.reproduced.mean if isinstance(part.reproduced, Summary) else None,
        }
        for name, part in ways.items()
    ]
    return Part(
        independent.what,
        Judgement(agreed, reason, judged.difference, judged.margin, judged.limit),
        independent.reported,
        independent.reproduced,
        {**independent.extra, "readings": readings},
        interval_of=independent.interval_of,
    )


#: Blocks and variants of the runs with independent draws and with whole numbers.
WAYS = (("figures", PLAIN), ("quota", "play=quota"))


def both_plays(
    results: MeanFieldResults, what: str, problem: str, part_of: Callable[[str, str], Part], *methods: str
) -> Part:
    """:func:`either_play` of a part made from a block and a variant, each absent where these methods were not run so."""
    ways = (
        part_of(block, variant) if results.has(problem, *methods, block=block, variant=variant) else absent(what)
        for block, variant in WAYS
    )
    return either_play(*ways)


def by_seed(
    results: MeanFieldResults, what: str, ours: Floats, theirs: Floats, says: str, of: str, factor: float = 1.0
) -> Part:
    """Ours against ``factor`` times theirs, paired by seed; ``of`` names the difference, and shown are ours."""
    named = f"{of}, paired by seed"
    return paired(results, what, ours, theirs, says, factor, reproduced=summary(ours), interval_of=named)


def _numbers(interval: Interval) -> dict[str, float]:
    return {"mean": interval.estimate, "low": interval.low, "high": interval.high}


def other_searches(results: MeanFieldResults, problem: str, other: str) -> dict[str, Any]:
    """MF-GP-UCB with another maximisation of MF-UCB, where it was run: mean best reward, and that minus ``other``'s."""
    found = {}
    for block, variant in product(("searches", "variants"), SEARCHES):
        if results.has(problem, OURS, block=block, variant=variant):
            values = results.values(problem, OURS, "best", block, variant)
            interval = results.paired(values, results.values(problem, other))
            found[variant] = {"best": float(values.mean()), "against": _numbers(interval)}
    return found


def best_part(results: MeanFieldResults, problem: str) -> Part:
    """MF-GP-UCB against the strongest of the paper's other methods."""
    what = f"{TITLE_OF[problem]} ({{}}): MF-GP-UCB above {{}}"
    if not results.has(problem, OURS, *RIVALS):
        return absent(TITLE_OF[problem])
    other = strongest(results, problem)
    extra: dict[str, Any] = {
        "label": results.kind(problem),
        "interval_of": f"best reward of MF-GP-UCB minus that of {NAME_OF[other]}, paired by seed",
        "strongest": other,
        "mean_field_reward": _numbers(results.against(problem, OURS, other, "law_reward")),
        "gap": {name: float(results.gap(problem, name).mean()) for name in (OURS, *RIVALS)},
        "uniform_gap": results.uniform_gap(problem),
        "regret_per_evaluation": {name: float(results.mean_regret(problem, name).mean()) for name in (OURS, *RIVALS)},
        "other_searches": other_searches(results, problem, other),
    }
    if results.has(problem, OURS, block="quota", variant="play=quota"):
        quota = results.values(problem, OURS, "best", "quota", "play=quota")
        extra["quota"] = _numbers(results.paired(quota, results.values(problem, other)))
    if results.has(problem, *CONTROLS, block="controls"):
        control = max(CONTROLS, key=lambda name: results.values(problem, name, block="controls").mean())
        theirs = results.values(problem, control, block="controls")
        interval = results.paired(results.values(problem, OURS), theirs)
        extra |= {"strongest_control": control, "against_strongest_control": _numbers(interval)}
    return Part(
        what.format(results.kind(problem), NAME_OF[other]),
        paired_claim(results.against(problem, OURS, other), "larger"),
        reproduced=summary(results.values(problem, OURS)),
        extra=extra,
    )


def higher_reward(results: MeanFieldResults) -> Parts:
    """Best reward after 250 evaluations, on the four problems of Figure 2."""
    return [best_part(results, problem) for problem in FIGURE_2], {
        "standings": standings(results),
        "theory_width": {problem: _theory_width(results, problem) for problem in ("swarm", "taxi-a")},
    }


def _theory_width(results: MeanFieldResults, problem: str) -> dict[str, Any]:
    """MF-GP-UCB with the widths of the theorem against random search: best reward, and regret in the uniform law's."""
    found: dict[str, Any] = {}
    for variant in ("width=printed", "width=corrected"):
        block = block_of(results, problem, variant)
        if block is not None and results.has(problem, "random"):
            found[variant] = {
                "best_minus_random_search": _numbers(against(results, problem, BEST, "random", variant)),
                "regret_in_shares_of_uniform": float(share_of_uniform(results, problem, OURS, block, variant).mean()),
            }
    return found


def sample_efficient(results: MeanFieldResults) -> Parts:
    """Evaluations until a method passes the final median of the strongest other one."""
    parts, passages = [], {}
    for problem in FIGURE_2:
        if not results.has(problem, OURS, *RIVALS):
            parts.append(absent(TITLE_OF[problem]))
            continue
        other = strongest(results, problem)
        level = float(np.median(results.values(problem, other)))
        times = {name: results.first_passage(problem, name, level, HORIZON) for name in (OURS, *RIVALS)}
        passages[problem] = {name: float(np.median(values)) for name, values in times.items()}
        what = f"{TITLE_OF[problem]}: evaluations to pass {level:.4g}, the median of {NAME_OF[other]}"
        of = f"evaluations of MF-GP-UCB minus those of {NAME_OF[other]}"
        parts.append(by_seed(results, what, times[OURS], times[other], "smaller", of))
    return parts, {"median_first_passage": passages, "never": f"not reached counts as {HORIZON}"}


@needs("Swarm", "swarm", OURS)
def swarm_converges(results: MeanFieldResults) -> Parts:
    """Gap of the best law to the certified optimum at t = 80 and 250, and its distance from the optimal law."""
    near, apart = results.margins.claims["near"], results.margins.claims["apart"]
    scale, top = results.uniform_gap("swarm"), float(results.of("swarm", OURS).upper_bound.iloc[0])
    gaps = {t: top - results.at("swarm", OURS, t, "law_reward") for t in (CONVERGED, HORIZON)}
    parts = [near_optimal(results, "swarm", time) for time in (CONVERGED, HORIZON)]
    what = "total variation to the optimal law"

    def distance(block: str, variant: str) -> Part:
        return at_most(results, what, results.at("swarm", OURS, HORIZON, "apart", block, variant), apart)

    parts.append(both_plays(results, what, "swarm", distance, OURS))
    within = results.first_passage("swarm", OURS, top - near * scale, HORIZON)
    return parts, {
        "evaluations_to_come_near": within.tolist(),
        "apart_at_80": float(results.at("swarm", OURS, CONVERGED, "apart").mean()),
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


@needs("Arena", "arena", OURS)
def arena_separates(results: MeanFieldResults) -> Parts:
    """The teams' mean directions, the largest share of an action, and the reward of the best law."""
    margins = results.margins.claims
    found, reward = arena_laws(results.laws("arena", OURS)), results.values("arena", OURS)

    def shown(block: str, variant: str) -> Part:
        values = results.values("arena", OURS, "best", block, variant)
        near = paired_claim(results.mean(values, SHOWN_REWARD), "comparable", margins["about"] * SHOWN_REWARD)
        named = "best reward minus the printed one"
        return Part("best reward", near, SHOWN_REWARD, summary(values), interval_of=named)

    parts = [
        at_most(results, "degrees from opposite sides", 180.0 - found["degrees"], margins["degrees"]),
        at_most(results, "largest share of an action", found["crowd"], margins["crowd"]),
        both_plays(results, "best reward", "arena", shown, OURS),
    ]
    return parts, {
        "entropy": float(found["entropy"].mean()),
        "uniform_entropy": float(np.log(results.laws("arena", OURS).shape[2])),
        "upper_bound": float(results.of("arena", OURS).upper_bound.iloc[0]),
        "best_rewards": sorted(reward.tolist()),
        "mean_field_reward": float(results.values("arena", OURS, "law_reward").mean()),
    }


def near_optimal(results: MeanFieldResults, problem: str, time: int) -> Part:
    """The gap of the best law's mean-field reward against a share of the uniform law's, with both ways of playing."""
    what = f"gap of the law at t={time}"

    def part(block: str, variant: str) -> Part:
        top = float(results.of(problem, OURS, block=block, variant=variant).upper_bound.iloc[0])
        gap = top - results.at(problem, OURS, time, "law_reward", block, variant)
        scale = results.uniform_gap(problem, block, variant)
        limit = results.margins.claims["near"] * scale
        return at_most(results, what, gap, limit, share=float(gap.mean()) / scale)

    return both_plays(results, what, problem, part, OURS)


def louvelo_near_optimal(results: MeanFieldResults) -> Parts:
    """At the end, and at half of the evaluations; beside it what independent draws from the best law lose."""
    early = round(results.margins.claims["quickly"] * HORIZON)
    parts = [near_optimal(results, "bikes", time) for time in (HORIZON, early)]
    extra: dict[str, Any] = {}
    if results.has("bikes", OURS, *RIVALS):
        row = results.of("bikes", OURS).iloc[0]
        extra |= {
            "label": results.kind("bikes"),
            "floor_of_independent_draws": float(row.actions - 1) / (8.0 * float(row.agents)),
            "best_gap": {name: float(results.gap("bikes", name).mean()) for name in (OURS, *RIVALS)},
            "uniform_gap": results.uniform_gap("bikes"),
            "strongest_other": strongest(results, "bikes"),
        }
    return parts, extra


def maritime_best(results: MeanFieldResults) -> Parts:
    """Best of all. Beside it, tested by nothing that the paper says: where the vessels go, and where the best law sends them."""
    first = best_part(results, "ports")
    if not results.has("ports", OURS):
        return [first], {}
    laws, places = results.laws("ports", OURS), results.places("ports")
    home = places.region.to_numpy()[None] == np.arange(laws.shape[1])[:, None]
    own = (laws * home[None]).sum(axis=2).mean(axis=1)
    share, best = laws.mean(axis=1), results.optimal("ports").mean(axis=0)
    capacity = places.capacity.to_numpy()
    from_capacity = 0.5 * np.abs(share - capacity / capacity.sum()).sum(axis=1)
    return [first], {
        "label": results.kind("ports"),
        "own_region": float(own.mean()),
        "own_region_at_optimum": float((results.optimal("ports") * home).sum(axis=1).mean()),
        "total_variation_to_optimal_shares": float(0.5 * np.abs(share - best).sum(axis=1).mean()),
        "total_variation_to_capacity": float(from_capacity.mean()),
        "total_variation_of_uniform_to_capacity": float(
            0.5 * np.abs(1.0 / len(capacity) - capacity / capacity.sum()).sum()
        ),
        "gap_in_shares_of_uniform": float(results.gap("ports", OURS).mean()) / results.uniform_gap("ports"),
    }


@needs("NYC (a)", "taxi-a", OURS, "turbo", "random")
def nyc_map(results: MeanFieldResults) -> Parts:
    """Divergence of MF-GP-UCB's and TuRBO's best laws to the demand; TuRBO's to random search's of the same seed."""
    demand = results.optimal("taxi-a")[0]
    laws = {method: results.laws("taxi-a", method)[:, 0] for method in (OURS, "turbo", "random")}
    near = {method: jensen_shannon(values, demand) for method, values in laws.items()}
    flat = np.full(len(demand), 1.0 / len(demand))
    to_random = jensen_shannon(laws["turbo"], laws["random"])
    of = "divergence minus TuRBO's from the demand"
    parts = [
        by_seed(results, what, ours, near["turbo"], "smaller", of)
        for what, ours in (
            (f"{NAME_OF[OURS]} closer to the demand than TuRBO", near[OURS]),
            ("TuRBO closer to random search's map than to the demand", to_random),
        )
    ]
    return parts, {
        "label": results.kind("taxi-a"),
        "to_demand": {method: float(values.mean()) for method, values in near.items()},
        "turbo_to_random": float(to_random.mean()),
        "to_uniform": {method: float(jensen_shannon(values, flat).mean()) for method, values in laws.items()},
        "uniform_to_demand": float(jensen_shannon(flat, demand)),
    }


def stalls(results: MeanFieldResults, problem: str, method: str) -> Part:
    """Whether a method's gap is hardly below that of random search: at least 1 minus the frozen share of it."""
    what = f"{TITLE_OF[problem]}: {NAME_OF[method]} hardly better than random search"
    if not results.has(problem, method, "random"):
        return absent(what)
    hardly = results.margins.claims["hardly"]
    ours, theirs = results.gap(problem, method), results.gap(problem, "random")
    part = by_seed(results, what, ours, theirs, "larger", _minus_random(1.0 - hardly), 1.0 - hardly)
    share, better = float(ours.mean() / theirs.mean()), results.against(problem, method, "random")
    return replace(part, extra={"gap_in_shares_of_random": share, "better_by": _numbers(better)})


def _minus_random(factor: float) -> str:
    return f"gap minus {factor:g} times that of random search"


def does_well(results: MeanFieldResults, problem: str) -> Part:
    """Whether MF-GP-UCB's gap is at most the frozen share of that of random search, with both ways of playing."""
    well = results.margins.claims["well"]
    what = f"{TITLE_OF[problem]}: gap of MF-GP-UCB at most {well:g} times that of random search"

    def part(block: str, variant: str) -> Part:
        ours, theirs = (results.gap(problem, method, "best", block, variant) for method in (OURS, "random"))
        return by_seed(results, what, ours, theirs, "smaller", _minus_random(well), well)

    return both_plays(results, what, problem, part, OURS, "random")


def nyc_all_grids(results: MeanFieldResults) -> Parts:
    """MF-GP-UCB leaves at most half of random search's gap on each grid; TuRBO hardly less than all of it."""
    parts, shares, searches = [], {}, {}
    for problem in FIGURE_5:
        parts.append(does_well(results, problem))
        if not results.has(problem, OURS, "random"):
            continue
        ours, theirs = results.gap(problem, OURS), results.gap(problem, "random")
        shares[problem] = {"mf-gp-ucb": float(ours.mean() / theirs.mean()), "label": results.kind(problem)}
        searches[problem] = other_searches(results, problem, "random")
    return [*parts, *(stalls(results, problem, "turbo") for problem in FIGURE_5)], {
        "gap_in_shares_of_random": shares,
        "other_searches": searches,
    }


def benchmarks_stall(results: MeanFieldResults) -> Parts:
    """The three searches over joint actions against random search, at 20,000 agents."""
    return [stalls(results, problem, method) for problem in FIGURE_5 for method in ("turbo", "sa", "ga")], {}


def fixed_contexts(results: MeanFieldResults) -> Parts:
    """Simulated annealing on Arena with contexts fixed and drawn anew, paired."""
    ways = ("contexts=fixed", "contexts=redrawn")
    if not all(results.has("arena", "sa", block="fixed", variant=way) for way in ways):
        return [absent("Arena")], {}
    held, drawn = (results.values("arena", "sa", "best", "fixed", way) for way in ways)
    of = "best reward with fixed contexts minus that with redrawn ones"
    part = by_seed(results, "best reward with fixed contexts", held, drawn, "larger", of)
    return [part], {"redrawn": float(drawn.mean())}


TESTS: dict[str, Test[MeanFieldResults]] = {
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
