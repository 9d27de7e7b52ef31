"""Every rule of chapter 4 that judges a claim, on planted runs just inside and just outside its frozen margin.

Every problem has the bound 1 on its reward, and 0 for the uniform law, so that a reward of 0.97 is a gap of three per cent.
"""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from planted import SEEDS, WOBBLE, C, H, N, U, around, verdicts

from companion.judge.equivalence import Summary
from companion.judge.intervals import Interval
from companion.judge.reported import load_margins, load_tables
from companion.judge.verdict import Part, paired_claim
from companion.papers.meanfield.experiments import figures_claims, methods_claims
from companion.papers.meanfield.experiments.printed import FIGURE_2, FIGURE_5, OURS, RIVALS, MeanFieldResults, ratio
from companion.papers.meanfield.experiments.ranking_claims import AHEAD, BEHIND, BEST, OPEN, REGRET, standing
from companion.papers.meanfield.problems.catalogue import HORIZON, SETTINGS


@pytest.fixture(scope="module")
def made(root):
    """Results with these tables and the printed numbers."""
    cells, margins = load_tables("meanfield", root), load_margins("meanfield", root)
    return lambda **tables: MeanFieldResults(cells, margins, tables, {}, root)


def rows(problem, method, best, part="figures", variant="paper", **more):
    """One row of ``final`` a seed."""
    own = {
        "law_reward": best,
        "upper_bound": 1.0,
        "uniform": 0.0,
        "label": "made up",
        "agents": 10,
        "actions": 3,
    } | more
    own |= {"contexts": 1, "cumulative": own.get("cumulative", "1 2")}
    key = {"part": part, "variant": variant, "problem": problem, "method": method}
    return [
        key
        | {"seed": seed, "best": np.broadcast_to(best, SEEDS)[seed]}
        | {name: value[seed] if isinstance(value, np.ndarray | list) else value for name, value in own.items()}
        for seed in range(SEEDS)
    ]


def both(problem, method, best, **more):
    """Independent draws and whole numbers alike."""
    return rows(problem, method, best, **more) + rows(problem, method, best, "quota", "play=quota", **more)


def frame(*parts):
    return pd.DataFrame([row for part in parts for row in part])


def column(problem, ours, other, rival="ga", **more):
    """MF-GP-UCB and one rival at these levels, all others far below."""
    levels = {OURS: ours} | dict.fromkeys(RIVALS, 0.1) | {rival: other}
    return [
        row
        for turn, (name, level) in enumerate(levels.items())
        for row in both(problem, name, around(level, 1e-3, turn), **more)
    ]


@pytest.mark.parametrize(("ours", "other", "expected"), [(0.9, 0.8, H), (0.7, 0.8, C), (0.8, 0.8, U)])
def test_a_higher_reward_is_above_the_strongest_rival(made, ours, other, expected):
    part = figures_claims.best_part(made(final=frame(column("swarm", ours, other))), "swarm")
    assert part.judgement.verdict == expected
    assert part.extra["strongest"] == "ga"
    assert part.judgement.difference.estimate == pytest.approx(ours - other)
    assert part.extra["quota"]["mean"] == pytest.approx(ours - other)
    assert part.extra["gap"][OURS] == pytest.approx(1.0 - ours)
    assert figures_claims.best_part(made(final=frame(column("swarm", ours, other))), "arena").judgement.verdict == N


@pytest.mark.parametrize(("low", "high", "expected"), [(0.9, 0.8, AHEAD), (0.7, 0.8, BEHIND), (0.8, 0.8, OPEN)])
def test_ahead_of_all_and_behind_one(made, low, high, expected):
    """Regret is measured the other way round: in shares of the uniform law's, smaller is better."""
    results = made(final=frame(column("swarm", low, high)))
    found = standing(results, "swarm", BEST)
    assert (found.verdict, found.other) == (expected, "ga")
    assert found.beaten_by == (("ga",) if expected == BEHIND else ())
    cumulative = {OURS: 1.0 - low, "ga": 1.0 - high}
    table = frame(
        *(
            rows(
                "swarm",
                name,
                0.5,
                cumulative=[f"1 {HORIZON * (2 * cumulative.get(name, 5.0) + s)}" for s in 1e-3 * np.roll(WOBBLE, k)],
                uniform=-1.0,
            )
            for k, name in enumerate((OURS, *RIVALS))
        )
    )
    found = standing(made(final=table), "swarm", REGRET)
    assert (found.verdict, found.other) == (expected, "ga")
    assert found.difference.estimate == pytest.approx(low - high, abs=1e-9)


def passages(times, level=0.5):
    """Curves that pass a level at these evaluations."""
    return [
        {"part": "figures", "variant": "paper", "problem": problem, "method": method, "seed": seed}
        | {"steps": f"1 {time + step:g}", "best": f"0 {level + 1}", "law_reward": f"0 {level + 1}", "apart": "1 0"}
        for problem in FIGURE_2
        for method, time in times.items()
        for seed, step in enumerate((-2, 2, -1, 1, 0, 0))
    ]


@pytest.mark.parametrize(("ours", "other", "expected"), [(50, 60, H), (60, 50, C), (50, 50, U)])
def test_efficient_is_to_pass_the_rivals_median_earlier(made, ours, other, expected):
    final = frame(*(column(problem, 0.9, 0.8) for problem in FIGURE_2))
    times = {OURS: ours} | dict.fromkeys(RIVALS, 200) | {"ga": other}
    parts, extra = figures_claims.sample_efficient(made(final=final, curves=pd.DataFrame(passages(times, 0.8))))
    assert verdicts(parts) == [expected] * 4
    assert extra["median_first_passage"]["swarm"] == {OURS: ours, **dict.fromkeys(RIVALS, 200), "ga": other}


def curves(problem, early, late, apart, at=80, blocks=figures_claims.WAYS):
    """The best law's reward until ``at`` and after, and its distance at the end."""
    return [
        {"part": block, "variant": variant, "problem": problem, "method": OURS, "seed": seed, "steps": f"1 {at + 1}"}
        | dict.fromkeys(("best", "law_reward"), f"{early + step} {late + step}")
        | {"apart": f"0.9 {apart + step}"}
        for block, variant in blocks
        for seed, step in enumerate(1e-4 * WOBBLE)
    ]


@pytest.mark.parametrize(
    ("early", "late", "apart", "expected"),
    [
        (0.92, 0.95, 0.08, [H, H, H]),
        (0.88, 0.95, 0.08, [C, H, H]),
        (0.92, 0.88, 0.08, [H, C, H]),
        (0.92, 0.95, 0.12, [H, H, C]),
    ],
)
def test_converged_is_within_a_tenth_at_80_and_at_250_and_near_in_law(made, early, late, apart, expected):
    results = made(final=frame(both("swarm", OURS, 0.95)), curves=pd.DataFrame(curves("swarm", early, late, apart)))
    parts, extra = figures_claims.swarm_converges(results)
    assert verdicts(parts) == expected
    assert extra["gap_in_shares_of_uniform"] == {"80": pytest.approx(1.0 - early), "250": pytest.approx(1.0 - late)}


def test_a_tenth_is_of_the_uniform_laws_gap(made):
    table = frame(both("swarm", OURS, 0.95, uniform=-1.0))
    for gap, expected in ((0.18, H), (0.22, C)):
        results = made(final=table, curves=pd.DataFrame(curves("swarm", 0.0, 1.0 - gap, 0.0)))
        assert figures_claims.near_optimal(results, "swarm", HORIZON).judgement.verdict == expected


@pytest.mark.parametrize(
    ("early", "late", "expected"), [(0.92, 0.95, [H, H]), (0.92, 0.85, [C, H]), (0.85, 0.95, [H, C])]
)
def test_quickly_is_half_of_the_evaluations(made, early, late, expected):
    results = made(
        final=frame(both("bikes", OURS, 0.95)), curves=pd.DataFrame(curves("bikes", early, late, 0.0, HORIZON // 2))
    )
    assert verdicts(figures_claims.louvelo_near_optimal(results)[0]) == expected


def test_ways_of_playing_have_to_agree():
    intervals = {
        H: Interval(-1.0, -1.5, -0.5, SEEDS),
        C: Interval(1.0, 0.5, 1.5, SEEDS),
        U: Interval(0.0, -0.5, 0.5, SEEDS),
    }
    parts = {name: Part("x", paired_claim(interval, "smaller")) for name, interval in intervals.items()}
    for one, first in parts.items():
        for other, second in parts.items():
            expected = one if one == other else U
            assert figures_claims.either_play(first, second).judgement.verdict == expected
    left_out = figures_claims.absent("x")
    assert figures_claims.either_play(parts[H], left_out).judgement.verdict == N
    assert figures_claims.either_play(left_out, parts[H]).judgement.verdict == N


def laws_on_a_circle(turn, crowd, count=24):
    """Both teams on ``crowd`` neighbouring places, the second ``turn`` places on."""
    law = np.zeros((2, count))
    law[0, :crowd] = 1.0 / crowd
    law[1] = np.roll(law[0], turn)
    return " ".join(map(str, law.ravel()))


@pytest.mark.parametrize(
    ("turn", "crowd", "best", "expected"),
    [
        (12, 6, 0.9, [H, H, H]),
        (11, 6, 0.9, [U, H, H]),
        (10, 6, 0.9, [C, H, H]),
        (14, 6, 0.9, [C, H, H]),
        (12, 2, 0.9, [H, C, H]),
        (12, 6, 0.98, [H, H, H]),
        (12, 6, 0.82, [H, H, H]),
        (12, 6, 1.0, [H, H, C]),
        (12, 6, 0.8, [H, H, C]),
    ],
)
def test_teams_part_by_fifteen_degrees_of_opposite_and_a_fifth_in_one_place(made, turn, crowd, best, expected):
    """Of 24 places one is 15 degrees. The reward is the printed 0.9 within a tenth of it."""
    key = {"part": "figures", "variant": "paper", "problem": "arena", "method": OURS, "contexts": 2}
    table = pd.DataFrame([key | {"seed": seed, "law": laws_on_a_circle(turn, crowd)} for seed in range(SEEDS)])
    parts, extra = figures_claims.arena_separates(
        made(final=frame(both("arena", OURS, around(best, 1e-4))), laws=table)
    )
    assert verdicts(parts) == expected
    assert extra["uniform_entropy"] == pytest.approx(np.log(24))


@pytest.mark.parametrize(("share", "expected"), [(0.92, H), (0.88, C), (0.9, U), (1.2, H)])
def test_hardly_better_is_nine_tenths_of_the_gap_of_random_search(made, share, expected):
    table = frame(
        both("taxi-a", "turbo", around(1.0 - 0.5 * share, 1e-5)), both("taxi-a", "random", around(0.5, 1e-5, 1))
    )
    part = figures_claims.stalls(made(final=table), "taxi-a", "turbo")
    assert part.judgement.verdict == expected
    assert part.extra["gap_in_shares_of_random"] == pytest.approx(share)


@pytest.mark.parametrize(("share", "expected"), [(0.45, H), (0.55, C)])
def test_well_is_half_of_the_gap_of_random_search(made, share, expected):
    levels = {OURS: 1.0 - 0.5 * share, "turbo": 0.5, "random": 0.5}
    table = frame(
        *(both(p, name, around(level, 1e-5, k)) for p in FIGURE_5 for k, (name, level) in enumerate(levels.items()))
    )
    parts, _ = figures_claims.nyc_all_grids(made(final=table))
    assert verdicts(parts) == [expected] * 3 + [H] * 3


@pytest.mark.parametrize(("held", "drawn", "expected"), [(0.6, 0.5, H), (0.5, 0.6, C), (0.5, 0.5, U)])
def test_contexts_held_still_give_the_higher_reward(made, held, drawn, expected):
    table = frame(
        rows("arena", "sa", around(held), "fixed", "contexts=fixed"),
        rows("arena", "sa", around(drawn, 1e-3, 1), "fixed", "contexts=redrawn"),
    )
    assert verdicts(figures_claims.fixed_contexts(made(final=table))[0]) == [expected]


def test_a_map_is_near_the_demand_by_its_divergence(made):
    """MF-GP-UCB's law is the demand, TuRBO's is random search's: both parts hold; exchanged, both fail."""
    demand, flat = np.array([0.7, 0.2, 0.1]), np.array([0.3, 0.35, 0.35])
    places = pd.DataFrame({"problem": "taxi-a", "action": range(3), "optimal": map(str, demand)})

    def found(own, turbo):
        table = [
            {"part": "figures", "variant": "paper", "problem": "taxi-a", "method": name, "seed": seed, "contexts": 1}
            | {"law": " ".join(map(str, law + 1e-4 * step * np.array([1, -1, 0])))}
            for k, (name, law) in enumerate({OURS: own, "turbo": turbo, "random": flat}.items())
            for seed, step in enumerate(np.roll(WOBBLE, k))
        ]
        final = frame(*(both("taxi-a", name, 0.5) for name in (OURS, "turbo", "random")))
        return verdicts(figures_claims.nyc_map(made(final=final, laws=pd.DataFrame(table), places=places))[0])

    assert found(demand, flat) == [H, H]
    assert found(flat, demand) == [C, C]


# -- growth with the number of agents ----------------------------------------------------------------------------------


def grown(power, problem="swarm", method=OURS, block="agents", level=1.0, sizes=(10, 100, 1000)):
    """Rows whose cumulative regret grows with the number of agents."""
    return [
        row
        for count in sizes
        for row in rows(
            problem, method, 0.5, block, f"agents={count}", agents=count,
            cumulative=[f"1 {level * count**power * (1 + step)}" for step in 1e-4 * WOBBLE],
        )
    ]  # fmt: skip


@pytest.mark.parametrize(("power", "expected"), [(0.08, H), (0.12, C), (-0.3, H)])
def test_a_rate_without_agents_grows_by_less_than_a_tenth_power(made, power, expected):
    parts, _ = methods_claims.rate_without_agents(made(final=frame(grown(power), grown(power, "arena"))))
    assert verdicts(parts) == [H, expected, expected]
    assert [part.reproduced for part in parts[1:]] == pytest.approx([power, power], abs=1e-6)


@pytest.mark.parametrize(("apart", "expected"), [(5e-8, H), (2e-7, C), (-5e-8, H), (-2e-7, C)])
def test_a_width_is_the_same_up_to_rounding_of_its_size(made, monkeypatch, apart, expected):
    """Widths of a hundred: a billionth of them is 1e-7."""
    found = iter([np.full(3, 100.0), np.array([100.0, 100.0 + apart, 100.0])])
    monkeypatch.setattr(methods_claims, "_widths", lambda problem: next(found))
    assert verdicts(methods_claims.rate_without_agents(made(final=frame(grown(0.0))))[0])[0] == expected


@pytest.mark.parametrize(("power", "expected"), [(0.08, H), (-0.08, H), (0.12, C), (-0.12, C)])
def test_time_without_agents_is_within_a_tenth_power(made, power, expected):
    final = frame(grown(0.0), rows("swarm", OURS, 0.5))
    times = [
        {"part": "agents", "variant": f"agents={count}", "problem": "swarm", "method": OURS, "seed": seed}
        | {"seconds": count**power * (1 + step), "policy_seconds": 1.0}
        for count in (10, 100, 1000)
        for seed, step in enumerate(1e-4 * WOBBLE)
    ]
    assert verdicts(methods_claims.mf_time(made(final=final, times=pd.DataFrame(times)))[0]) == [expected]


@pytest.mark.parametrize(("naive", "expected"), [(2.0, H), (0.5, C), (1.0, U)])
def test_the_crossing_is_judged_where_its_condition_holds(made, naive, expected):
    """With A actions the condition is 1 + A <= M: for fewer agents a comparison stands beside, and is not judged."""
    actions = SETTINGS["swarm"].actions
    sizes = (actions, 1 + actions)
    table = frame(grown(0.0, sizes=sizes), grown(0.0, method="gp-ucb", block="rivals", level=naive, sizes=sizes))
    times = table[table.part == "rivals"].assign(seconds=1.0)
    parts, extra = methods_claims.crossover(made(final=table, times=times))
    assert verdicts(parts) == [H, expected]
    assert extra["where_the_condition_fails"].keys() == {actions}


def test_shares_of_the_printed_time_are_rounded_to_whole_percent(made):
    """Ten runs of each printed cell: 99.8 days; 93, 2, 2 and 2 per cent are asked for."""
    results = made(final=frame(both("swarm", OURS, 0.5)))
    parts, extra = methods_claims.time_shares(results)
    days = sum(cell.mean * 10 for cell in results.cells) / 1440
    assert (parts[0].reproduced, parts[0].judgement.verdict) == (pytest.approx(days), H)
    stated = [93.0, 2.0, 2.0, 2.0]
    assert [part.reported for part in parts[1:]] == stated
    assert verdicts(parts[1:]) == [H if round(p.reproduced) == s else C for p, s in zip(parts[1:], stated, strict=True)]
    longer = replace(results, cells=tuple(replace(cell, mean=1.2 * cell.mean) for cell in results.cells))
    assert verdicts(methods_claims.time_shares(longer)[0]) == [C, *verdicts(parts[1:])]
    assert sum(extra["percent"].values()) == pytest.approx(100.0)


def test_a_turn_of_all_agents_changes_nothing_or_is_counted_at_its_largest(monkeypatch):
    """Three actions; the reward of a law is the share of its first action, weighted: turns change it by 0, 0.1 and 0.3."""
    law = np.array([[0.5, 0.4, 0.2]])
    problem = type(
        "P", (), {"actions": 3, "optimal": law, "optimum": 0.5, "reward": lambda self, laws: laws[:, 0, 0]}
    )()
    monkeypatch.setattr(methods_claims, "meanfield_problem", lambda name: problem)
    monkeypatch.setattr(methods_claims, "_both_ends", lambda _: 0.0)
    parts, extra = methods_claims.arena_shift(None)
    assert verdicts(parts) == [C]
    assert extra["largest_change"] == pytest.approx(0.3)
    problem.reward = lambda laws: np.full(len(laws), 0.5)
    assert verdicts(methods_claims.arena_shift(None)[0]) == [H]


@pytest.mark.parametrize(("reward", "expected"), [((0.9, 0.8), H), ((0.8, 0.8), C)])
def test_a_penalty_disperses_where_a_law_beats_all_corners(monkeypatch, reward, expected):
    """The optimum against the better of two actions taken by everybody."""
    best, corner = reward
    problem = type(
        "P", (), {"actions": 2, "optimum": best, "upper_bound": 1.0, "optimal": np.array([[0.5, 0.5]])}
    )()  # fmt: skip
    problem.reward = lambda laws: np.array([corner, 0.1])
    monkeypatch.setattr(methods_claims, "meanfield_problem", lambda name, reading: problem)
    parts, extra = methods_claims.penalty_disperses(None)
    assert verdicts(parts) == [expected] * 2
    assert [part.reproduced for part in parts] == pytest.approx([best - corner] * 2)
    assert {found["one_action"] for found in extra.values()} == {corner}


def test_the_first_order_spread_of_a_ratio_is_that_of_draws():
    rng = np.random.default_rng(0)
    draws = rng.normal(40.0, 1.2, 400_000) / rng.normal(8.0, 0.1, 400_000)
    found = ratio(Summary(40.0, 1.2, 10), Summary(8.0, 0.1, 10))
    assert found.mean == pytest.approx(draws.mean(), rel=1e-3)
    assert found.sd == pytest.approx(draws.std(), rel=1e-2)


def test_arena_measures_on_laws_that_are_known():
    count = 12
    law = np.zeros((1, 2, count))
    law[0, 0, [0, 1, 2]], law[0, 1, [6, 7, 8]] = 1 / 3, 1 / 3
    found = figures_claims.arena_laws(law)
    assert found["degrees"][0] == pytest.approx(180.0)
    assert found["crowd"][0] == pytest.approx(1 / 6)
    assert found["entropy"][0] == pytest.approx(np.log(6))
    law[0, 1] = np.roll(law[0, 1], -3)
    assert figures_claims.arena_laws(law)["degrees"][0] == pytest.approx(90.0)


def test_turning_with_both_ends_of_the_interval_changes_the_reward_of_agents_at_the_double_place():
    """Actions 0 and 29 are one place: a crowd spread over both pays less than the same crowd one step on."""
    law = np.zeros((2, 30))
    law[0, [0, 29]], law[1, [14, 15]] = 0.5, 0.5
    crowd = np.array([0.25, 0.25]), np.array([0.5])
    saved = 10.0 * (sum(crowd[1] * np.log1p(crowd[1])) - sum(crowd[0] * np.log1p(crowd[0])))
    assert methods_claims._both_ends(law) == pytest.approx(saved)
    law = np.zeros((2, 30))
    law[0, [3, 4]], law[1, [14, 15]] = 0.5, 0.5
    assert methods_claims._both_ends(law) == pytest.approx(0.0, abs=1e-9)


def test_where_vessels_go_by_hand(made):
    """Two regions with two ports and one; capacities 1, 1 and 2; the best law stays at home, the one played half of the time."""
    laws = pd.DataFrame(
        [
            {"part": "figures", "variant": "paper", "problem": "ports", "method": OURS, "contexts": 2, "seed": seed}
            | {"law": "0.5 0.5 0 0 0.5 0.5"}
            for seed in range(SEEDS)
        ]
    )
    places = pd.DataFrame({"problem": "ports", "action": range(3), "region": [0, 0, 1], "capacity": [1.0, 1.0, 2.0]})
    places["optimal"] = ["1 0", "0 0", "0 1"]
    _, extra = figures_claims.maritime_best(
        made(final=frame(column("ports", 0.9, 0.8, uniform=-1.0)), laws=laws, places=places)
    )
    assert (extra["own_region"], extra["own_region_at_optimum"]) == (pytest.approx(0.75), 1.0)
    assert extra["total_variation_to_optimal_shares"] == pytest.approx(0.5)
    assert extra["total_variation_to_capacity"] == pytest.approx(0.25)
    assert extra["total_variation_of_uniform_to_capacity"] == pytest.approx(1 / 6)
    assert extra["gap_in_shares_of_uniform"] == pytest.approx(0.05)
