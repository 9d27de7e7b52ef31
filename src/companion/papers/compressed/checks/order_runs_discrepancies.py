"""Tests of leads on the model order and on constant budgets, by runs."""

from __future__ import annotations

import math
from functools import lru_cache
from statistics import median

import numpy as np

from companion.bounds.confidence import SrinivasDrawsWidth
from companion.checks.suspected_error import Finding, suspected_error
from companion.core.arrays import Floats
from companion.core.randomness import stream
from companion.gp import Matern, SquaredExponential, grid
from companion.papers.compressed.checks.order_formulas_discrepancies import PRINTED_EPSILON, PRINTED_NOISE
from companion.papers.compressed.checks.order_models import DELTA, Model, Play
from companion.papers.compressed.checks.order_runs import replayed
from companion.papers.compressed.checks.setting_claims import THREE_ARMS, limiting_regret
from companion.papers.compressed.checks.setting_claims import THRESHOLDS as BUDGETS
from companion.papers.compressed.method.admission import Admission, dense, information, raw_entropy, unit_noise
from companion.papers.compressed.method.policy import ACQUISITIONS, CompressedBandit
from companion.papers.compressed.theory.exponential_line import (
    EXPLORED_POINTS,
    LINE_KERNEL,
    LINE_NOISE,
    LINE_POINTS,
    LINE_SCALE,
    ucb_on_a_line,
)
from companion.papers.compressed.theory.order import (
    circle_least_order,
    copies_kept,
    covering_number,
    exploration_peaks,
    order_at,
    ucb_to_the_end,
)

#: Rounds of the runs on the example function; the paper does not print its own.
ROUNDS = 300


@lru_cache(maxsize=1)
def _example() -> tuple[Floats, Floats, Floats, Floats]:
    """Example function on 200 points of [-10, 10]: points, values, covariance of length-scale 1, standard normal "
    "noise."""
    points = np.linspace(-10.0, 10.0, 200)[:, None]
    values = (np.sin(points) + np.cos(points) + 0.1 * points)[:, 0]
    noise = stream(0, "compressed", "discrepancies", "example").standard_normal(ROUNDS + 2)
    return points, values, np.asarray(SquaredExponential(1.0)(points)), noise


@lru_cache(maxsize=32)
def _example_run(acquisition: str, rule: Admission) -> tuple[tuple[int, ...], int]:
    """Choices of a run on the example function with the printed constants, and the order at its end."""
    _, values, covariance, noise = _example()
    start = np.array([40, 150], dtype=np.intp)
    policy = CompressedBandit(covariance, PRINTED_NOISE, acquisition, rule, SrinivasDrawsWidth(200, DELTA), start)
    told, chosen = math.sqrt(PRINTED_NOISE) * noise, list[int]()
    policy.tell(values[policy.ask(2).query] + told[:2])
    for number in range(ROUNDS):
        (arm,) = policy.ask(ROUNDS - number).query
        policy.tell(values[[arm]] + told[2 + number])
        chosen.append(int(arm))
    return tuple(chosen), policy.model_order


def _single_arm(rule: Admission, amplitude: float) -> int:
    """Number of times one arm of that prior variance is kept under the printed noise variance, from its posterior."""
    variance, copies = amplitude, 0
    while rule.admits(variance):
        variance, copies = variance * PRINTED_NOISE / (variance + PRINTED_NOISE), copies + 1
    return copies


@suspected_error("S3", teeth={"a budget of 1/2": {"budget": 0.5}})
def printed_constants(*, budget: float = PRINTED_EPSILON) -> Finding:
    r"""$\epsilon=10^{-4}$, $\sigma^2=0.001$, with a model order that soon settles in all figures

    Points that must be stored before the printed rule can reject one; a single arm; the example function.
    """
    rule = information(budget, PRINTED_NOISE)
    u = math.expm1(2 * budget)
    need = copies_kept(u, PRINTED_NOISE)
    copies = {amplitude: _single_arm(rule, amplitude) for amplitude in (1.0, 0.1, 100.0)}
    same, orders = [], {}
    for acquisition in ACQUISITIONS:
        full, printed = _example_run(acquisition, dense()), _example_run(acquisition, rule)
        same.append(full == printed)
        orders[acquisition] = printed[1]
    others = {
        "raw": _example_run("ucb", raw_entropy(PRINTED_EPSILON, PRINTED_NOISE))[1],
        "unit": _example_run("ucb", unit_noise(PRINTED_EPSILON))[1],
    }
    return Finding(
        need > ROUNDS and copies[1.0] == need and all(same),
        {
            "needed": need,
            "copies": {f"{amplitude:g}": count for amplitude, count in copies.items()},
            "same": same,
            "orders": orders,
            "other readings": others,
        },
        rule=rule,
        copies_1=copies[1.0],
        copies_01=copies[0.1],
        copies_100=copies[100.0],
        rounds=ROUNDS,
        alike=sum(same),
    )


@suspected_error("S6", teeth={"exponent 2p": {"claimed": 2.0}})
def rate_of_the_order(*, claimed: float = 1.0) -> Finding:
    r"""$M_T\le O((e^{2\epsilon}-1)^{-p})$ for all $T$, by a packing bound

    One arm, pure exploration, the floor under every dictionary, and UCB to its end, under the exponential kernel.
    """
    noise, us, least = LINE_NOISE, (0.8, 0.4, 0.2, 0.1), 1e-3
    line = np.asarray(LINE_KERNEL(grid(EXPLORED_POINTS, 1)))
    _, peaks = exploration_peaks(line, noise, us[-1] * noise)
    explored = [order_at(peaks, u * noise) for u in us]
    floors = [circle_least_order(LINE_SCALE, noise, u * noise) for u in (*us, least)]
    ends = [[ucb_on_a_line(u, seed) for seed in range(3)] for u in us[:3]]
    frozen = [int(median(run.order for run in runs)) for runs in ends]
    million = [int(median(run.order_after(1e6) for run in runs)) for runs in ends]
    # The digits of the last round's number, in powers of ten: its exact value hangs on differences of 1e-6.
    digits = int(math.log10(min(run.log_rounds[-1] for run in ends[-1]) / math.log(10)))
    power = math.log(floors[-1] / floors[3]) / math.log(us[3] / least)
    return Finding(
        power > claimed + 0.5 and explored[-1] / explored[1] > 1.5 * (us[1] / us[-1]) ** claimed,
        {
            "explored": explored,
            "floors": floors,
            "frozen": frozen,
            "after a million": million,
            "log10 of the digits": digits,
            "power": power,
        },
        us=us,
        explored_points=EXPLORED_POINTS,
        floors_before=", ".join(map(str, floors[:-1])),
        last_floor=floors[-1],
        least=least,
        line_points=LINE_POINTS,
        copies=copies_kept(0.1, noise),
    )


@suspected_error("S16", teeth={"under UCB": {"acquisition": "ucb"}})
def frozen_acquisitions(*, acquisition: str = "ei") -> Finding:
    """the model order settles to a constant given by the covering number of the action space

    Fifty runs under EI from the printed formulas in every round; the same under UCB; order against covering.
    """
    final, regret, orders, later, reached, replays = 0, list[float](), list[int](), 0, 0, 15
    for seed in range(50):
        model = Model("se", 1, 0.1, 0.1, 50, seed=seed)
        play = Play(model, acquisition, 0.5, 120)
        chosen, kept = replayed(play)
        rejected = np.flatnonzero(~kept)
        if not rejected.size:
            continue
        reached += 1
        first = int(rejected[0])
        final += int(np.all(chosen[first:] == chosen[first]) and not kept[first:].any())
        values = model.function()
        regret.append(float(values.max() - values[chosen[first]]))
        orders.append(int(kept.sum()) + 1)
        if seed < replays:
            _, ucb = replayed(Play(model, "ucb", 0.5, 120))
            later += int(ucb[int(np.argmin(ucb)) :].any())
    cells = covering_number(SquaredExponential(0.1), 1, 0.5 * 0.1)
    above, best = sum(value > 0.01 for value in regret), sum(value == 0.0 for value in regret)
    return Finding(
        final == reached and reached > 25 and later > 0,
        {
            "final": final,
            "runs": reached,
            "mean": float(np.mean(regret)),
            "orders": [min(orders), max(orders)],
            "later": later,
        },
        largest_regret=max(regret),
        replays=replays,
        above=above,
        best=best,
        least_order=min(orders),
        largest_order=max(orders),
        cells=cells,
    )


@suspected_error("S18", teeth={"a smaller budget": {"larger": 0.87}})
def average_regret_in_the_limit(*, larger: float = 0.88) -> Finding:
    r"""with a constant budget, $\mathrm{Reg}_T/T\to O(\epsilon)$

    Three arms at two budgets, with and without noise; and the limit of average regret as the budget falls.
    """
    horizon, regret = 20_000, max(THREE_ARMS.values) - np.array(THREE_ARMS.values)
    averages = {}
    for u in (larger, 0.87):
        run = ucb_to_the_end(THREE_ARMS.covariance, 1.0, u, THREE_ARMS.values, [0.0], DELTA)
        averages[u] = (run.cumulative_regret(regret, horizon) / horizon, run.order)
    generator, stuck = stream(0, "compressed", "discrepancies", "three arms"), 0
    noisy_runs = 200
    for _ in range(noisy_runs):
        noise = generator.standard_normal(50)
        run = ucb_to_the_end(THREE_ARMS.covariance, 1.0, 0.88, THREE_ARMS.values, noise, DELTA, math.log(horizon))
        stuck += int(run.cumulative_regret(regret, horizon) / horizon > 1.9)
    model = Model("se", 1, 0.05, points_per_axis=20)
    limits = limiting_regret(model)
    budgets = [0.5 * math.log1p(u) for u in BUDGETS]
    return Finding(
        averages[larger][0] > 1.9 and limits[-1] / budgets[-1] > 2.0 * limits[0] / budgets[0],
        {
            "averages": {str(u): value for u, (value, _) in averages.items()},
            "stuck": stuck,
            "limits": [float(value) for value in limits],
            "budgets": budgets,
        },
        kept=averages[larger][1],
        horizon=horizon,
        average=averages[larger][0],
        average_087=averages[0.87][0],
        noisy_runs=noisy_runs,
    )


@suspected_error("U8", teeth={"exponent 1/2": {"claimed": 0.5}})
def rate_for_smooth_kernels(*, claimed: float = 1.0) -> Finding:
    r"""$M_T\le O((e^{2\epsilon}-1)^{-p})$

    Order times u for the squared exponential kernel in one dimension, under rule (2.4).
    """
    us, noise = (0.8, 0.4, 0.2, 0.1, 0.05, 0.025, 0.0125), 0.05
    covariance = np.asarray(SquaredExponential(0.1)(grid(200, 1)))
    _, peaks = exploration_peaks(covariance, noise, us[-1] * noise)
    orders = [order_at(peaks, u * noise) for u in us]
    scaled = [order * u for order, u in zip(orders, us, strict=True)]
    power = float(np.polyfit(-np.log(us), np.log(orders), 1)[0])
    rough = np.asarray(Matern(0.5, 0.1)(grid(200, 1)))
    wild = [order_at(exploration_peaks(rough, 0.25, 0.05)[1], u * 0.25) * u for u in (0.8, 0.2)]
    return Finding(
        power > claimed + 0.25 or max(scaled) > 2.0 * scaled[0],
        {"orders": orders, "scaled": scaled, "power": power},
        first_u=us[0],
        last_u=us[-1],
        least_scaled=min(scaled),
        largest_scaled=max(scaled),
        wild=wild,
    )
