"""Regret and model order over budgets and horizons, and the time of a round, from the stored runs of UCB."""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np
import pandas as pd

from companion.papers.compressed.claims.experiments import log_means
from companion.papers.compressed.claims.theory import budgets_of, covering_number
from companion.papers.compressed.plan.runs import DENSE, PAPER
from companion.papers.compressed.problems.catalogue import NOISE_VARIANCE, example
from companion.papers.compressed.studies.paper import Evidence
from companion.papers.compressed.theory.order import copies_kept
from companion.report import cells, key_numbers, recorded, say, where_of
from companion.report.text import Sentence
from companion.reproduce.intervals import Interval, slope_interval

#: Model orders and regret of a rule are compared with the dense ones' within this factor.
CLOSE = 1.1
#: A run whose regret is this many times the dense mean has not found the peak.
FAR = 10.0


def rules(evidence: Evidence) -> list[str]:
    """Rules of the trade-off study, in the order in which they are stored."""
    return list(dict.fromkeys(evidence.tables["tradeoff"].rule))


def rule_in_words(rule: str) -> str:
    """A rule's name on a page."""
    if rule == "printed":
        return "printed constants"
    return rule.replace("alpha=", "α = ").replace("u=", "u = ")


def alphas(evidence: Evidence) -> list[float]:
    """Exponents of the budgets that depend on the horizon."""
    return [float(rule.removeprefix("alpha=")) for rule in rules(evidence) if rule.startswith("alpha=")]


def means(evidence: Evidence, rule: str, column: str) -> pd.Series:
    """Mean over seeds by horizon."""
    return evidence.tradeoff(rule, column).mean(axis=1)


def cumulative(evidence: Evidence, rule: str) -> pd.DataFrame:
    """Cumulative regret, horizons in rows and seeds in columns."""
    table = evidence.tradeoff(rule, "average_regret")
    return table.mul(table.index.to_numpy(dtype=float), axis=0)


def longest(evidence: Evidence) -> int:
    """The longest horizon."""
    return int(evidence.tables["tradeoff"].horizon.max())


# -- exponents ---------------------------------------------------------------------------------------------------------


def exponent(table: pd.DataFrame) -> Interval:
    """Fitted exponent of the means in T, with its 95 % interval."""
    return slope_interval(*log_means(table))


def last_exponent(table: pd.DataFrame) -> float:
    """Exponent of the means in T between the two longest horizons."""
    across, values = log_means(table)
    return float((values[-1] - values[-2]) / (across[-1] - across[-2]))


def exponent_rows(evidence: Evidence) -> pd.DataFrame:
    """One row an exponent of the budget: fitted exponents of regret and model order beside the theory's.

    The curves of regret bend: beside the exponent over all horizons stands that between the two longest.
    """
    rows = []
    for alpha in alphas(evidence):
        rule = f"alpha={alpha:g}"
        regret = exponent(cumulative(evidence, rule))
        order = exponent(evidence.tradeoff(rule, "model_order"))
        rows.append(
            {
                "α": alpha,
                "regret, fitted": regret.estimate,
                "95 % interval": f"{regret.low:.2f} to {regret.high:.2f}",
                "last two horizons": last_exponent(cumulative(evidence, rule)),
                "theory, 1 − α/2": 1.0 - 0.5 * alpha,
                "model order, fitted": order.estimate,
                "95 % interval ": f"{order.low:.2f} to {order.high:.2f}",
                "theory, α": alpha,
            }
        )
    return pd.DataFrame(rows)


def show_exponents(evidence: Evidence) -> None:
    """Key numbers: fitted exponents."""
    columns = {
        "regret, fitted": "exponent of regret",
        "last two horizons": "exponent of regret, last two horizons",
        "model order, fitted": "exponent of the model order",
    }
    key_numbers(cells(exponent_rows(evidence), "alpha = {α:g}: {}", columns), where_of(evidence))


def _range(low: float, high: float) -> str:
    """``35``, or ``34 to 36`` where the whole numbers differ."""
    return f"{low:.0f}" if round(low) == round(high) else f"{low:.0f} to {high:.0f}"


def say_exponents(evidence: Evidence) -> Sentence:
    """Regret grows more slowly than the theory's exponent, but ever faster, and the model order about as it says."""
    rows = exponent_rows(evidence)
    starts = [float(cumulative(evidence, f"alpha={alpha:g}").mean(axis=1).iloc[0]) for alpha in rows["α"]]
    bends = rows["last two horizons"] > rows["regret, fitted"]
    smallest = rows.iloc[0]
    dense = exponent(cumulative(evidence, DENSE)).estimate
    at = round(means(evidence, "alpha=1", "model_order").iloc[-1])
    return say(
        "The model order grows with fitted exponents {orders}, at or below the theory's $\\alpha$ = {alphas}. Regret does "
        "not follow $T^{{1-\\alpha/2}}$, an upper bound: its fitted exponents are {regrets} over all horizons, the dense "
        "method's {dense:.2f}. {bend} The direction is "
        "right: with the smallest $\\alpha$, {alpha:g}, regret grows fastest, because rejected rounds keep costing "
        "what the posterior has left open. At $\\alpha=1$ nothing is rejected, {order} points in {rounds} rounds "
        "with the initial ones.",
        orders=", ".join(f"{value:.2f}" for value in rows["model order, fitted"]),
        regrets=", ".join(f"{value:.2f}" for value in rows["regret, fitted"]),
        alphas=", ".join(f"{value:g}" for value in rows["α"]),
        bend=f"One exponent says little about {'them' if bends.all() else 'some of them'}, because the curves bend upwards: "
        f"between the two longest horizons the exponents are "
        f"{', '.join(f'{value:.2f}' for value in rows['last two horizons'])}, where the theory allows "
        f"{', '.join(f'{value:.3g}' for value in rows['theory, 1 − α/2'])}. The first "
        f"{evidence.tables['tradeoff'].horizon.min()} rounds cost {_range(min(starts), max(starts))} at every "
        "$\\alpha$, which is finding the peak, and hides the growth in the fit."
        if bends.any()
        else "The exponent between the two longest horizons is not larger.",
        dense=dense,
        alpha=float(smallest["α"]),
        order=at,
        rounds=longest(evidence),
        where=where_of(evidence),
    )


# -- regret against model order ----------------------------------------------------------------------------------------


def frontier_rows(evidence: Evidence) -> pd.DataFrame:
    """One row a rule at the longest horizon: model order and average regret, means over seeds, and both over the dense ones.

    Of the regret also the least, the median and the largest of the seeds, and in how many it is above :data:`FAR` times the
    dense mean.
    """
    last = longest(evidence)
    dense_regret = float(means(evidence, DENSE, "average_regret").loc[last])
    dense_order = float(means(evidence, DENSE, "model_order").loc[last])
    rows = []
    for rule in rules(evidence):
        regret, order = (float(means(evidence, rule, name).loc[last]) for name in ("average_regret", "model_order"))
        runs = evidence.tradeoff(rule, "average_regret").loc[last]
        rows.append(
            {
                "rule": rule_in_words(rule),
                "order": order,
                "regret": regret,
                "order ratio": order / dense_order,
                "regret ratio": regret / dense_regret,
                "least": float(runs.min()),
                "median": float(runs.median()),
                "largest": float(runs.max()),
                "far": int((runs > FAR * dense_regret).sum()),
                "runs": len(runs),
                "kind": rule.partition("=")[0],
            }
        )
    return pd.DataFrame(rows).sort_values("order", ignore_index=True)


def show_frontier(evidence: Evidence) -> None:
    """Key numbers: model order and average regret of every rule at the longest horizon."""
    numbers: dict[str, object] = {}
    for row in frontier_rows(evidence).to_dict("records"):
        numbers[f"{row['rule']}: model order"] = row["order"]
        numbers[f"{row['rule']}: average regret"] = row["regret"]
        numbers[f"{row['rule']}: average regret, median and largest"] = f"{row['median']:.4g}, {row['largest']:.4g}"
    key_numbers(numbers, where_of(evidence))


def say_frontier(evidence: Evidence) -> Sentence:
    """The smallest dictionary with the dense regret, and what the smallest of all costs."""
    rows = frontier_rows(evidence)
    good = rows[rows["regret ratio"] <= CLOSE].iloc[0]
    printed = rows[rows.rule == rule_in_words("printed")].iloc[0]
    least = rows.iloc[0]
    base = float(rows[rows.kind == DENSE].regret.iloc[0])
    half = rows[rows.rule == "α = 0.5"].iloc[0]
    return say(
        "The smallest dictionary that has the dense method's regret within {close:.0%} holds {order} of "
        "{dense} points ({rule}): that is what compression gives for nothing here. At $\\alpha=\\frac12$ it is "
        "{half:.0f} points for {half_ratio:.1f} times the regret. {least:.0f} points ({least_rule}) "
        "cost {median:.1f} times in the median run and {worst:.0f} times in the worst: in {far} of {runs} runs the regret is "
        "more than {limit:g} times the dense one, which makes the mean {least_ratio:.0f} times. The printed constants keep "
        "{printed}, {share:.0%} of the rounds, and reject nothing within the horizons of the figures.{odd}",
        close=CLOSE - 1.0,
        order=round(good.order),
        dense=round(rows.order.max()),
        rule=good.rule,
        half=float(half.order),
        half_ratio=float(half["regret ratio"]),
        least=float(least.order),
        least_rule=least.rule,
        median=float(least["median"]) / base,
        worst=float(least["largest"]) / base,
        far=int(least["far"]),
        runs=int(least["runs"]),
        limit=FAR,
        least_ratio=float(least["regret ratio"]),
        printed=round(printed.order),
        share=float(printed["order ratio"]),
        odd=_not_monotone(evidence),
        where=where_of(evidence),
    )


def _not_monotone(evidence: Evidence) -> str:
    """A pair of fixed budgets of which the one with more points has more regret in nearly all runs, if there is one."""
    last = longest(evidence)
    named = [rule for rule in rules(evidence) if rule.startswith("u=")]
    for small, large in pairwise(named):
        few, many = (evidence.tradeoff(rule, "average_regret").loc[last] for rule in (small, large))
        worse = int((many > few).sum())
        if worse >= 0.9 * len(many):
            return (
                f" More memory is not always better: {rule_in_words(large)} keeps more points than "
                f"{rule_in_words(small)} and has more regret in {worse} of {len(many)} runs. What matters is which "
                f"point UCB is led to reject for ever after."
            )
    return ""


# -- the covering number -----------------------------------------------------------------------------------------------


@recorded(random=False)
def covering_rows(evidence: Evidence) -> pd.DataFrame:
    """One row a fixed budget: model order after the longest run between its bounds, beside the covering number."""
    problem = example().problem
    length, rows = float(np.ptp(problem.points)), []
    for u in budgets_of(evidence):
        orders = evidence.tradeoff(f"u={u:g}", "model_order").iloc[-1]
        last = evidence.tradeoff(f"u={u:g}", "last_kept").iloc[-1]
        number = covering_number(u, length)
        rows.append(
            {
                "u": u,
                "⌈1/u − σ²⌉": copies_kept(u, NOISE_VARIANCE),
                "covering number": number,
                "model order": float(orders.mean()),
                "over covering": float(orders.mean() / number),
                "X⌈1/u⌉": problem.size * math.ceil(1.0 / u),
                "last kept in round": float(last.median()),
                "late runs": f"{int((last > longest(evidence) / 2).sum())} of {len(last)}",
            }
        )
    return pd.DataFrame(rows)


def show_covering(evidence: Evidence) -> None:
    """Key numbers: model order and covering number at every fixed budget."""
    rows = covering_rows(evidence)
    key_numbers(cells(rows, "u = {u:g}: {}", ["model order", "covering number"]), where_of(rows))


def say_covering(evidence: Evidence) -> Sentence:
    """The ratio of model order and covering number, and whether the order settles."""
    rows = covering_rows(evidence)
    return say(
        "It is not. The model order is {low:.3f} to {high:.3f} times the covering number, falling and rising again "
        "with the budget: UCB can have visited at most that share of the cells. Nor is it final: in the second half of the "
        "{rounds} rounds {late} still keep a point, at $u$ = {budgets} in this order, since $\\beta_t$ keeps growing. Only for "
        "the largest budgets have nearly all runs stopped.",
        low=float(rows["over covering"].min()),
        high=float(rows["over covering"].max()),
        late=", ".join(rows["late runs"]),
        budgets=", ".join(f"{u:g}" for u in rows.u),
        rounds=longest(evidence),
        where=where_of(rows),
    )


# -- time --------------------------------------------------------------------------------------------------------------

VARIANTS = {DENSE: "dense", "info-horizon": "compressed, u = 1/√T", "info-printed": "compressed, printed constants"}
POSTERIORS = {"refit": "computed anew", "update": "updates over all points", "engine": "the companion's engine"}


def step_part(evidence: Evidence, posterior: str, variant: str) -> pd.DataFrame:
    """Rows of the time per round of one run, by round."""
    rows = evidence.tables["steps"]
    return rows[(rows.posterior == posterior) & (rows.variant == variant)].sort_values("round")


def step_rows(evidence: Evidence) -> pd.DataFrame:
    """One row a run: how far it got, and the time of a round early, late, and by how much it grew."""
    rows = []
    for posterior, where in POSTERIORS.items():
        for variant, words in VARIANTS.items():
            part = step_part(evidence, posterior, variant)
            last, first = part.iloc[-1], part.iloc[0]
            rows.append(
                {
                    "posterior": where,
                    "method": words,
                    "rounds reached": int(last["round"]),
                    "seconds in all": float(last.total_seconds),
                    "model order": int(last.model_order),
                    "at first, µs": 1e6 * float(first.median_seconds),
                    "at last, µs": 1e6 * float(last.median_seconds),
                    "grown by": float(last.median_seconds / first.median_seconds),
                }
            )
    return pd.DataFrame(rows)


def show_steps(evidence: Evidence) -> None:
    """Key numbers: rounds reached, model order and seconds of every run."""
    columns = {"rounds reached": "rounds", "seconds in all": "seconds"}
    key_numbers(cells(step_rows(evidence), "{posterior}, {method}: {}", columns), where_of(evidence))


def _regret_ratio(evidence: Evidence, rule: str) -> float:
    """Regret of a rule over the dense one, at the longest horizon."""
    rows = frontier_rows(evidence).set_index("rule")
    return float(rows.loc[rule_in_words(rule), "regret ratio"])


def say_steps(evidence: Evidence) -> Sentence:
    """Where the dense model stops, and what a compressed round costs."""
    rows = step_rows(evidence).set_index(["posterior", "method"])
    refit, update, engine = (rows.loc[name] for name in POSTERIORS.values())
    dense, small, printed = VARIANTS.values()
    return say(
        "Computed anew every round, the dense model has used up its {limit:.0f} seconds after {dense} rounds, the "
        "compressed one after {small}, with {order} points. By updates over all points the dense model stops "
        "after {stop} rounds; the compressed one, with {few} points and {ratio:.1f} times the regret, ends all {all} in "
        "{total:.1f} s, and a round costs {flat:.1f} times as much at the end as at the beginning, because most rounds are "
        "rejected and change nothing. With the printed constants the {all} rounds take {printed:.1f} s with the "
        "engine. It also shows that the dense model's cost is not a law: UCB plays few candidates again and again, and with "
        "the covariances of a candidate seen before taken from its own last row, the dense method gets through all "
        "rounds in {engine:.1f} s.",
        limit=PAPER.step_limit,
        dense=int(refit.loc[dense, "rounds reached"]),
        small=int(refit.loc[small, "rounds reached"]),
        order=int(refit.loc[small, "model order"]),
        stop=int(update.loc[dense, "rounds reached"]),
        all=int(update.loc[small, "rounds reached"]),
        total=float(update.loc[small, "seconds in all"]),
        flat=float(update.loc[small, "grown by"]),
        few=int(update.loc[small, "model order"]),
        ratio=_regret_ratio(evidence, "alpha=0.5"),
        printed=float(engine.loc[printed, "seconds in all"]),
        engine=float(engine.loc[dense, "seconds in all"]),
        where=where_of(evidence),
    )
