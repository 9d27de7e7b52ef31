"""Every rule of chapter 5 that judges a claim, on planted runs just inside and just outside its frozen margin."""

import math
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from planted import SEEDS, WOBBLE, C, H, N, U, around, verdicts, with_t

from companion.judge.reported import load_margins, load_tables
from companion.papers.wdrbo.experiments import figures_claims, general_claims, inner_values_claims, questions_claims
from companion.papers.wdrbo.experiments import times_claims as claims_times
from companion.papers.wdrbo.experiments.coverage import LAWS, counts
from companion.papers.wdrbo.experiments.printed import WDRBOResults
from companion.papers.wdrbo.experiments.ranking_claims import (
    against_wdrbo,
    beside_best,
    group_claim,
    growth,
    on_problems,
    pace,
)
from companion.papers.wdrbo.experiments.runs import METHOD_NAMES, SEVEN
from companion.papers.wdrbo.page.robustness import coverage_numbers

PROBLEMS = ("camel", "newsvendor")
ROUNDS = np.arange(10, 101, 10)


pytestmark = pytest.mark.usefixtures("few_resamples")


@pytest.fixture(scope="module")
def made(root):
    """Results with these tables and the printed numbers."""
    cells, margins = load_tables("wdrbo", root), load_margins("wdrbo", root)
    record = {"settings": {"paper_runs": 3}}
    return lambda **tables: WDRBOResults(cells, margins, tables, record, root)


def cell(problem, method, values, block="figures", reading="text", variant="", **more):
    """Rows of one kind of run: ``values`` (6,) are the total regret."""
    key = {"block": block, "problem": problem, "reading": reading, "variant": variant, "method": method}
    own = {"early": 1.0, "design": 10.0, "cumulative": " ".join(map(str, ROUNDS)), "late": 1.0} | more
    return [
        key
        | {"seed": seed, "total": value}
        | {name: other[seed] if np.ndim(other) else other for name, other in own.items()}
        for seed, value in enumerate(np.broadcast_to(values, SEEDS))
    ]


def runs(levels, problems=PROBLEMS, **more):
    """A table with a level of total regret for every method, the same on all problems."""
    return pd.DataFrame(
        [
            row
            for problem in problems
            for turn, (method, level) in enumerate(levels.items())
            for row in cell(problem, method, around(level, 1e-3, turn), **more)
        ]
    )


# -- who is better -----------------------------------------------------------------------------------------------------


def test_differences_are_first_minus_second_and_others_minus_wdrbo(made):
    results = made(runs=runs({"wdrbo": 10.0, "erbo": 12.0, "gp-ucb": 9.0}))
    assert [one.difference.estimate for one in on_problems(results, "erbo", "wdrbo")] == pytest.approx([2.0, 2.0])
    half = on_problems(results, "erbo", "wdrbo", factor=0.5)
    assert [one.difference.estimate for one in half] == pytest.approx([7.0, 7.0])
    found = {one.where: one.difference.estimate for one in against_wdrbo(results)}
    assert found == pytest.approx(
        {f"{p}, {m}": gap for p in results.problems for m, gap in (("erbo", 2.0), ("gp-ucb", -1.0))}
    )


@pytest.mark.parametrize(("statistic", "alone", "among_four"), [(3.0, 1, 0), (6.0, 1, 1), (1.0, 0, 0)])
def test_farther_behind_than_one_of_many_is_corrected_for_their_number(made, statistic, alone, among_four):
    """Six seeds with t = 3 have p = .03, and four times that is .12; t = 6 has p = .002."""
    levels = {"wdrbo": around(10.0), "erbo": 10.0 * np.ones(SEEDS)} | dict.fromkeys(
        ("gp-ucb", "sbo-kde", "drbo-kde"), around(90.0)
    )
    levels["wdrbo"] = 1.15 * levels["erbo"] + with_t(statistic)
    results = made(
        runs=pd.DataFrame([row for method, values in levels.items() for row in cell("camel", method, values)])
    )
    assert beside_best(results, "wdrbo", ("wdrbo", "erbo"), "text", 0.15) == {"camel": alone}
    assert beside_best(results, "wdrbo", tuple(levels), "text", 0.15) == {"camel": among_four}


@pytest.mark.parametrize(("statistic", "expected"), [(-3.0, -1), (-2.0, 0)])
def test_near_the_best_has_to_be_shown_beside_every_other_method(made, statistic, expected):
    levels = {"wdrbo": 11.5 + with_t(statistic), "erbo": 10.0 * np.ones(SEEDS), "gp-ucb": around(50.0)}
    results = made(
        runs=pd.DataFrame([row for method, values in levels.items() for row in cell("camel", method, values)])
    )
    assert beside_best(results, "wdrbo", tuple(levels), "text", 0.15) == {"camel": expected}
    near = beside_best(results, "wdrbo", ("wdrbo", "gp-ucb"), "text", 0.15)
    assert near == {"camel": -1}


def test_groups_lead_where_all_of_them_do_and_a_tie_is_no_lead():
    """Ranks of (seeds, problems, methods): two leaders, one follower."""

    def verdict(first, second, third, leading=("wdrbo", "erbo")):
        values = np.broadcast_to(np.array([first, second, third]), (SEEDS, 2, 3)) + 1e-6 * WOBBLE[:, None, None]
        return group_claim(values, ("wdrbo", "erbo", "gp-ucb"), leading, 0.05).verdict

    assert verdict(1.0, 2.0, 3.0) == H
    assert verdict(1.0, 3.0, 2.0) == C
    assert verdict(1.0, 2.0, 2.0) == U
    assert verdict(2.0, 1.0, 3.0, ("wdrbo",)) == C


LEVELS = {"wdrbo": 10.0, "erbo": 10.1, "sbo-kde": 10.2, "gp-ucb": 14.0, "drbo-kde": 13.0}


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        ({}, [H, H, H]),
        ({"wdrbo": 11.55}, [H, H, H]),
        ({"wdrbo": 11.7}, [C, H, H]),
        ({"gp-ucb": 10.05}, [H, C, C]),
        ({"gp-ucb": 14.0, "drbo-kde": 8.75}, [H, C, C]),
    ],
)
def test_performing_well_is_within_fifteen_percent_of_the_best_and_below_gp_ucb(made, change, expected):
    """Of the best, 10.1 or 8.75: 11.55 and 10.0 are within 15 %, 11.7 and 10.1 are not."""
    parts, _ = figures_claims.perform_well(made(runs=runs(LEVELS | change)))
    assert verdicts(parts) == [*expected, N, N, N]


@pytest.mark.parametrize(("level", "expected"), [(8.6, H), (8.4, C), (8.5, U), (12.0, H)])
def test_density_estimates_would_be_worth_fifteen_percent(made, level, expected):
    results = made(
        runs=runs({"wdrbo": 10.0, "drbo-kde": level}),
        timings=pd.DataFrame({"problem": [], "method": [], "reading": [], "seed": []}),
    )
    assert verdicts(figures_claims.kde_not_worth_it(results)[0]) == [expected]


@pytest.mark.parametrize(
    ("level", "expected", "better", "worse"), [(11.4, H, 0, 2), (11.6, C, 0, 2), (11.5, U, 0, 2), (9.0, H, 2, 0)]
)
def test_strong_without_robustness_is_at_most_fifteen_percent_above(made, level, expected, better, worse):
    parts, _ = figures_claims.nonrobust_strong(made(runs=runs({"wdrbo": 10.0, "erbo": level, "sbo-kde": 10.0})))
    assert verdicts(parts) == [expected, H]
    assert (parts[0].extra["shown_to_be_better"], parts[0].extra["shown_to_be_worse"]) == (better, worse)


@pytest.mark.parametrize(("share", "expected"), [(0.94, H), (0.96, C), (0.95, U)])
def test_a_finer_grid_has_to_lower_the_regret_by_a_twentieth(made, share, expected):
    fine = cell("camel", "drbo-mmd", around(20.0 * share), block="grid", variant="discrepancy_nodes=400")
    table = pd.concat([runs({"wdrbo": 10.0, "drbo-mmd": 20.0}), pd.DataFrame(fine)])
    assert verdicts(figures_claims.mmd_grid(made(runs=table))[0]) == [expected]


@pytest.mark.parametrize(("up", "down", "expected"), [(4, 3, H), (3, 4, C), (3, 3, U), (4, 0, H), (0, 4, C), (3, 0, U)])
def test_most_is_more_than_half_of_seven(made, up, down, expected):
    signs = dict(zip(SEVEN, [1] * up + [-1] * down + [0] * (7 - up - down), strict=True))
    assert figures_claims.counted(made(), signs, 1, ("", "")).verdict == expected
    mirrored = {name: -sign for name, sign in signs.items()}
    assert figures_claims.counted(made(), mirrored, -1, ("", "")).verdict == expected
    half = dict(zip(SEVEN, [1, 1, -1, -1], strict=False))
    assert figures_claims.counted(made(), half, 1, ("", "")).verdict == U


@pytest.mark.parametrize(
    ("own", "erbo", "expected"),
    [
        (0.55, 0.4, [H, H]),
        (1.9, 0.4, [H, H]),
        (0.45, 0.4, [C, H]),
        (2.1, 0.4, [C, H]),
        (0.55, 0.6, [H, C]),
        (0.5, 0.5, [U, U]),
    ],
)
def test_stableopt_loses_between_half_and_twice_what_its_decision_does(made, monkeypatch, own, erbo, expected):
    monkeypatch.setattr(figures_claims, "ideal_regret", lambda problem: 1.0 if problem == "camel" else 0.0)
    late = {"stableopt": around(own, 1e-4), "erbo": around(erbo, 1e-4, 1), "wdrbo": around(1.0)}
    table = [row for name, values in late.items() for p in PROBLEMS for row in cell(p, name, 10.0, late=values)]
    assert verdicts(figures_claims.stableopt_robust(made(runs=pd.DataFrame(table)))[0]) == expected


# -- how it grows ------------------------------------------------------------------------------------------------------


def paced(ratio, level=1.0):
    """Cumulative regret (6, 10): ``level`` a round up to round 80, ``ratio`` times that after."""
    rate = np.where(ROUNDS > 80, ratio, 1.0) * 10 * level
    return np.cumsum(np.broadcast_to(rate, (SEEDS, 10)), axis=1) * (1.0 + 1e-4 * WOBBLE[:, None])


@pytest.mark.parametrize(
    ("ratio", "steady", "changes", "falls"),
    [
        (0.92, True, False, True),
        (1.08, True, False, False),
        (0.88, False, True, True),
        (1.12, False, True, False),
        (1.0, True, False, False),
    ],
)
def test_a_pace_is_steady_within_a_tenth(ratio, steady, changes, falls):
    found = pace(paced(ratio), ROUNDS, 0.95)
    assert found.ratio.estimate == pytest.approx(ratio)
    assert (found.early, found.late.estimate) == (pytest.approx(1.0), pytest.approx(ratio))
    assert (found.steady(0.1), found.changes(0.1), found.falls()) == (steady, changes, falls)
    assert figures_claims.trend(found, 0.1, 2.0).verdict == (H if steady else C)


@pytest.mark.parametrize("power", [0.3, 1.0, 1.6])
def test_growth_is_the_slope_from_half_of_the_run_on(power):
    """On logarithmic axes; what came before the middle is not looked at."""
    curves = np.where(ROUNDS < 50, 5.0, ROUNDS**power) * (1.0 + 1e-3 * WOBBLE[:, None])
    found = growth(curves, ROUNDS, 0.95)
    assert (found.estimate, found.low, found.high) == pytest.approx([power] * 3)
    assert found.count == SEEDS


def test_rounds_of_a_pace_are_the_fifth_before_the_last_but_one_and_the_last():
    """Only 51 to 70 and 81 to 100 count: a jump in between or before changes nothing."""
    jump = paced(1.0) + 50.0 * (ROUNDS >= 80) + 7.0 * (ROUNDS >= 20)
    assert pace(jump, ROUNDS, 0.95).ratio.estimate == pytest.approx(1.0)


@pytest.mark.parametrize(("ratio", "expected"), [(0.8, H), (0.99, H), (1.2, C), (0.95, H)])
def test_growth_slows_down_or_does_not(made, ratio, expected):
    table = [
        row for p in PROBLEMS for row in cell(p, "wdrbo", 1.0, cumulative=[" ".join(map(str, r)) for r in paced(ratio)])
    ]
    assert verdicts(questions_claims.slowing(made(runs=pd.DataFrame(table)))[0]) == [expected] * 2


def test_what_a_decision_by_lot_costs_is_a_mean_of_the_design(made):
    table = pd.DataFrame(cell("camel", "wdrbo", 1.0, design=10.0 + WOBBLE))
    assert figures_claims.by_lot(made(runs=table), "camel", "wdrbo") == pytest.approx(10.0 / 5)


# -- Figure 1 and the radius -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("first", "rest", "expected"), [(2.0, 2.0, [H, H]), (9.0, 9.0, [C, C]), (2.0, 30.0, [H, C])])
def test_robust_beats_nonrobust_over_the_papers_seeds_and_over_all(made, first, rest, expected):
    """ERBO stands at five; the paper has three seeds, of which the first two parts know."""
    own = np.array([first] * 3 + [rest] * 3) + 1e-3 * WOBBLE
    table = [
        *cell("general", "wdrbo", own, block="figure-1", variant=general_claims.FIRST),
        *cell("general", "erbo", around(5.0, 1e-3, 1), block="figure-1", variant=general_claims.FIRST),
    ]
    parts, extra = general_claims.robust_beats_nonrobust(made(runs=pd.DataFrame(table)))
    assert verdicts(parts)[0] == expected[0]
    assert parts[1].judgement.difference.estimate == pytest.approx((first + rest) / 2 - 5.0)
    if first == rest:
        assert verdicts(parts)[1] == expected[1]
    assert [row["where"] for row in extra["readings"]] == [f"WDRBO, {general_claims.FIRST}"]


@pytest.mark.parametrize(("below", "above", "expected"), [(0.5, 0.9, H), (0.5, 1.1, U), (1.1, 2.0, C)])
def test_a_radius_says_something_below_the_diameter(made, monkeypatch, below, above, expected):
    """The diameter of the unit square is sqrt 2: both bounds are given in units of it."""
    monkeypatch.setattr(general_claims.covering, "least_radius", lambda *given: below * math.sqrt(given[-1]))
    monkeypatch.setattr(
        general_claims.covering, "theory_radius", lambda *_, context_dim, **__: above * math.sqrt(context_dim)
    )
    table = pd.DataFrame({"law": ["x"], "count": [5], "draws": [10], "mean": [0.1], "radius": [0.2], "covered": [9]})
    parts, extra = general_claims.prescribed_radius(made(coverage=table))
    assert verdicts(parts) == [expected] * 4
    assert [part.reported for part in parts] == pytest.approx([0.03] * 4)  # 0.3 over the root of a hundred rounds
    assert [part.extra["used"] for part in parts] == pytest.approx([0.03] * 4)
    assert extra["coverage"][0]["covered"] == pytest.approx(0.9)


def test_the_told_law_moves_the_optimum_by_more_than_a_tenth(made, monkeypatch):
    for shift, expected in ((0.09, C), (0.11, H)):
        places = iter([0.5, 0.5 + shift] * 4)
        monkeypatch.setattr(
            general_claims, "GeneralExample", lambda _, own=places: type("E", (), {"optimiser": next(own)})
        )
        assert verdicts(general_claims.optimum_moves(made())[0]) == [expected] * 4


def test_the_true_law_is_in_the_ball_at_its_radius(made, monkeypatch):
    for distance, expected in ((0.1, H), (0.1001, C)):
        monkeypatch.setattr(general_claims, "law_distance", lambda *_, own=distance: own)
        assert verdicts(general_claims.true_law_in_ball(made())[0]) == [expected] * 4


def covered(share, mean=0.1):
    """A table of coverage; the radius is 0.3 over the root of the sample, whose mean distance is ``mean`` of it."""
    return pd.DataFrame(
        [
            {
                "law": law,
                "count": count,
                "draws": 1000,
                "mean": mean * 0.3 / math.sqrt(count),
                "radius": 0.3 / math.sqrt(count),
            }
            | {"covered": round(1000 * share), "sd": 0.01}
            for law in LAWS
            for count in counts(law)
        ]
    )


@pytest.mark.parametrize(("share", "expected"), [(0.95, H), (0.85, C), (0.9, U)])
def test_the_ball_has_to_hold_the_law_nine_times_of_ten(made, share, expected):
    assert verdicts(questions_claims.bound(made(coverage=covered(share)))[0]) == [expected] * 5


def test_distances_are_told_in_radii(made):
    """Planted at two radii in every law of two contexts."""
    said = coverage_numbers(replace(made(coverage=covered(0.95, 2.0)), record={}))
    assert (said.low, said.high) == (pytest.approx(2.0), pytest.approx(2.0))
    assert (said.plane, said.plane_count, said.count) == (0.95, counts("uniform, twice")[-1], counts("burr")[-1])


@pytest.mark.parametrize(
    ("robust", "expected", "outcome"), [(8.0, H, "better"), (12.0, C, "worse"), (10.0, U, "not told apart")]
)
def test_robustness_pays_where_it_lowers_the_regret(made, robust, expected, outcome):
    results = made(runs=runs({"wdrbo": robust, "erbo": 10.0}))
    parts, extra = questions_claims.robustness(results)
    assert verdicts(parts) == [expected, expected, N, N]
    assert extra["outcomes"]["data-driven, all rounds"][outcome] == 2
    assert extra["readings"]["text"]["lower mean"] == (2 if robust < 10.0 else 0)


# -- times -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("own", "expected"), [(0.9, H), (1.1, C)])
def test_the_fastest_is_below_the_quickest_other(made, own, expected):
    seconds = dict.fromkeys(METHOD_NAMES, 3.0) | {"gp-ucb": own, "erbo": 1.0}
    rows = [
        {"problem": "ackley", "reading": "text", "method": method, "seed": seed, "total": level * (1 + step)}
        for turn, (method, level) in enumerate(seconds.items())
        for seed, step in enumerate(1e-3 * np.roll(WOBBLE, turn))
    ]
    (part,), _ = claims_times.ucb_fastest(made(timings=pd.DataFrame(rows)))
    assert part.judgement.verdict == expected
    assert part.reproduced == pytest.approx(own, rel=1e-3)


@pytest.mark.parametrize(("branin", "expected"), [(0.9, H), (1.1, C)])
def test_branin_is_cheaper_where_its_time_is_the_lower_one(made, branin, expected):
    rows = [
        {"problem": problem, "reading": reading, "method": method, "seed": seed, "total": level * (1 + step)}
        for reading in ("text", "code")
        for method in ("drbo-mmd", "drbo-mmd-minmax")
        for problem, level in (("ackley", 2.0), ("branin", 2.0 * branin * (3.0 if reading == "text" else 1.0)))
        for seed, step in enumerate(1e-3 * np.roll(WOBBLE, problem == "branin"))
    ]
    (own, closed), extra = claims_times.branin_cheaper(made(timings=pd.DataFrame(rows)))
    assert extra["ratios"]["drbo-mmd"]["full_grid"] == pytest.approx(3.0 * branin, rel=1e-3)
    assert extra["ratios"]["drbo-mmd"]["diagonal"] == pytest.approx(branin, rel=1e-3)
    assert (own.judgement.verdict, closed.judgement.verdict) == (N, expected)
    assert closed.reproduced == pytest.approx(branin, rel=1e-3)


@pytest.mark.parametrize(("share", "expected"), [(0.06, H), (0.04, C)])
def test_an_inner_value_is_off_by_a_twentieth_of_the_range(made, monkeypatch, share, expected):
    error = {"error": share * 2.0, "range": 2.0, "below": 1.0, "gap": 0.0}
    monkeypatch.setattr(figures_claims, "compared_values", lambda: error)
    table = pd.DataFrame(
        [
            row
            for p in PROBLEMS
            for name, level in (("wdrbo", 9.0), ("drbo-mmd", 10.0), ("drbo-mmd-minmax", 11.0))
            for row in cell(p, name, around(level))
        ]
    )
    parts, _ = figures_claims.minmax_linear(made(runs=table))
    assert verdicts(parts) == [expected, H, H]


def test_inner_values_are_compared_decision_by_decision(monkeypatch):
    """Of 64 decisions the minmax value is one lower at 16, one higher at 8, and lower by half of the gap at the others."""
    apart = np.repeat([-1.0, 1.0, -0.05], [16, 8, 40])
    told = []

    class Policy:
        def __init__(self, name):
            self.name = name

        def tell(self, point, context, value):
            told.append((self.name, value))

        def situation(self):
            table = SimpleNamespace(table=lambda x, support, width: np.outer(np.ones(len(x)), support) * width)
            return SimpleNamespace(name=self.name, surrogate=table, settings=SimpleNamespace(width=2.0))

        def build(self, view):
            value = 5.0 + (apart if view.name == "drbo-mmd-minmax" else 0.0)
            acquisition = lambda x: np.broadcast_to(value, len(x))  # noqa: E731
            return SimpleMethod(acquisition)

    class SimpleMethod:
        support, gaps = np.array([0.0, 1.0, 3.0]), [0.02, 0.1]

        def __init__(self, of):
            self.of = of

        def __call__(self, x):
            return self.of(x)

    run = SimpleNamespace(points=[0.0, 1.0], diagnostics={"contexts": [0.5, 0.5]}, observation=[7.0, 8.0])
    monkeypatch.setattr(
        inner_values_claims, "METHODS", {name: Policy(name) for name in ("drbo-mmd", "drbo-mmd-minmax")}
    )
    known = SimpleNamespace(run=lambda *_: run, ready=lambda name, *_: SimpleNamespace(policy=Policy(name)))
    monkeypatch.setattr(inner_values_claims, "experiment", lambda problem: known)
    found = inner_values_claims.compared_values.__wrapped__()
    assert found["error"] == pytest.approx((24 * 1.0 + 40 * 0.05) / 64)
    assert found["gap"] == 0.1
    assert found["range"] == pytest.approx(6.0)
    assert found["below"] == 16 / 64
    assert told == [(name, value) for name in ("drbo-mmd", "drbo-mmd-minmax") for value in (7.0, 8.0)]


def test_a_share_is_of_the_time_beyond_erbo(made):
    """WDRBO takes 3 s where ERBO takes 1, and spends 0.5 s on its constant: a quarter of the two that it adds."""
    parts = {"fit": 0.1, "prepare": 0.1, "inner": 0.0}
    rows = [
        {"problem": "ackley", "reading": "text", "method": method, "seed": seed, "total": total * (1 + step)}
        | {**parts, "lipschitz": own * (1 + step)}
        for method, total, own in (("wdrbo", 3.0, 0.5), ("erbo", 1.0, 0.0))
        for seed, step in enumerate(1e-3 * WOBBLE)
    ]
    (part,), _ = claims_times.lipschitz_cost(made(timings=pd.DataFrame(rows)))
    share = part.extra["share"]
    assert (share["ratio"], share["part"], share["whole"]) == pytest.approx((0.25, 0.5, 2.0))
    assert share["ci95"] == pytest.approx([0.25, 0.25])
