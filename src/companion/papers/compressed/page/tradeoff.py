"""Regret and model order over budgets and horizons, and the time of a round, from the stored runs of UCB."""

from __future__ import annotations

import numpy as np
import pandas as pd

from companion.judge.intervals import Interval, slope_interval
from companion.pages import (
    Canvas,
    Numbers,
    Palette,
    Rows,
    Table,
    cells,
    charts,
    figure,
    frame,
    provenance_of,
    recorded,
    table,
)
from companion.pages.figures import MARKERS
from companion.papers.compressed.experiments.experiments_claims import log_means
from companion.papers.compressed.experiments.printed import CompressedResults
from companion.papers.compressed.experiments.runs import DENSE, PAPER
from companion.papers.compressed.experiments.theory_claims import budgets_of, covering_number
from companion.papers.compressed.problems.catalogue import LENGTHSCALE, NOISE_VARIANCE, example
from companion.papers.compressed.theory.order import copies_kept

#: Model orders and regret of a rule are compared with the dense ones' within this factor.
CLOSE = 1.1
#: A run whose regret is this many times the dense mean has not found the peak.
FAR = 10.0


def rules(evidence: CompressedResults) -> list[str]:
    """Rules of the trade-off study, in the order in which they are stored."""
    return list(dict.fromkeys(evidence.tables["tradeoff"].rule))


def rule_in_words(rule: str) -> str:
    """A rule's name on a page."""
    if rule == "printed":
        return "printed constants"
    return rule.replace("alpha=", "α = ").replace("u=", "u = ")


def alphas(evidence: CompressedResults) -> list[float]:
    """Exponents of the budgets that depend on the horizon."""
    return [float(rule.removeprefix("alpha=")) for rule in rules(evidence) if rule.startswith("alpha=")]


def means(evidence: CompressedResults, rule: str, column: str) -> pd.Series:
    """Mean over seeds by horizon."""
    return evidence.tradeoff(rule, column).mean(axis=1)


def cumulative(evidence: CompressedResults, rule: str) -> pd.DataFrame:
    """Cumulative regret, horizons in rows and seeds in columns."""
    table = evidence.tradeoff(rule, "average_regret")
    return table.mul(table.index.to_numpy(dtype=float), axis=0)


def longest(evidence: CompressedResults) -> int:
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


@frame
def exponent_rows(evidence: CompressedResults) -> Rows:
    """One row an exponent of the budget: fitted exponents of regret and model order beside the theory's.

    The curves of regret bend: beside the exponent over all horizons stands that between the two longest.
    """
    for alpha in alphas(evidence):
        rule = f"alpha={alpha:g}"
        regret = exponent(cumulative(evidence, rule))
        order = exponent(evidence.tradeoff(rule, "model_order"))
        yield {
            "α": alpha,
            "regret, fitted": regret.estimate,
            "95 % interval": f"{regret.low:.2f} to {regret.high:.2f}",
            "last two horizons": last_exponent(cumulative(evidence, rule)),
            "theory, 1 − α/2": 1.0 - 0.5 * alpha,
            "model order, fitted": order.estimate,
            "95 % interval ": f"{order.low:.2f} to {order.high:.2f}",
            "theory, α": alpha,
        }


def exponent_numbers(evidence: CompressedResults) -> Numbers:
    """The fitted exponents beside the theory's, by exponent of the budget, and the cost of the first rounds."""
    rows = exponent_rows(evidence)
    starts = [float(cumulative(evidence, f"alpha={alpha:g}").mean(axis=1).iloc[0]) for alpha in rows["α"]]
    orders = [float(means(evidence, f"alpha={alpha:g}", "model_order").iloc[-1]) for alpha in rows["α"]]
    fixed = [rule for rule in rules(evidence) if rule.startswith("u=")]
    regrets = [cumulative(evidence, rule) for rule in fixed]
    return Numbers(
        evidence,
        excess=float((rows["model order, fitted"] - rows["α"]).max()),
        slack=float((rows["theory, 1 − α/2"] - rows[["regret, fitted", "last two horizons"]].max(axis=1)).min()),
        bends=bool((rows["last two horizons"] > rows["regret, fitted"]).all()),
        first=int(evidence.tables["tradeoff"].horizon.min()),
        start=float(np.mean(starts)),
        apart=float(np.ptp(starts)),
        smallest_last=float(rows["last two horizons"].iloc[0]),
        smallest_allowed=float(rows["theory, 1 − α/2"].iloc[0]),
        fastest=float(rows["α"][rows["last two horizons"].idxmax()]),
        fastest_fitted=float(rows["α"][rows["regret, fitted"].idxmax()]),
        fixed_order=max(last_exponent(evidence.tradeoff(rule, "model_order")) for rule in fixed),
        fixed_bends=all(last_exponent(table) > exponent(table).estimate for table in regrets),
        least=orders[0],
        most=orders[-1],
        full=float(means(evidence, DENSE, "model_order").iloc[-1]),
        rounds=longest(evidence),
    )


exponents = table(exponent_rows, digits=3)


# -- regret against model order ----------------------------------------------------------------------------------------


def frontier_rows(evidence: CompressedResults) -> pd.DataFrame:
    """One row a rule at the longest horizon: model order and average regret, means over seeds, and both over the dense ones.

    Of the regret also the least, median and largest of the seeds, and the number of seeds above :data:`FAR` times the
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


def bought_rows(evidence: CompressedResults) -> pd.DataFrame:
    """One row a rule at the longest horizon: points, and regret over the dense mean, mean, median and largest of the seeds."""
    rows = frontier_rows(evidence)
    base = float(rows[rows.kind == DENSE].regret.iloc[0])
    columns = {"regret": "regret over dense, mean", "median": "median", "largest": "largest"}
    over = (rows[list(columns)] / base).rename(columns=columns)
    return pd.concat([rows[["rule", "order"]].rename(columns={"order": "points kept"}), over], axis=1)


def frontier_numbers(evidence: CompressedResults) -> Numbers:
    """The smallest dictionary with the dense regret, that at exponent 1/2, the smallest of all, and the printed constants'."""
    rows = frontier_rows(evidence)
    dense = rows[rows.kind == DENSE].iloc[0]
    good, least = rows[rows["regret ratio"] <= CLOSE].iloc[0], rows.iloc[0]
    printed, half = (rows[rows.rule == rule_in_words(rule)].iloc[0] for rule in ("printed", "alpha=0.5"))
    return Numbers(
        evidence,
        close=CLOSE - 1.0,
        rule=good.rule,
        order=round(good.order),
        part=float(good["order ratio"]),
        dense=round(dense.order),
        half=round(half.order),
        half_ratio=float(half["regret ratio"]),
        least_rule=least.rule,
        least=round(least.order),
        median=float(least["median"] / dense.regret),
        mean=float(least["regret ratio"]),
        largest=float(least.largest),
        far=int(least.far),
        limit=FAR,
        steps_up=int((rows[rows.kind == "u"].regret.diff() > 0).sum()),
        level=float((rows[rows["order ratio"] >= 0.1]["regret ratio"] - 1.0).abs().max()),
        printed_share=float(printed["order ratio"]),
        rounds=longest(evidence),
        seeds=int(least.runs),
        **cells(rows, "{rule}: {}", ["order", "regret", "median", "largest"]),
    )


@recorded(random=False)
def example_place() -> Numbers:
    """The paper's example: candidates, length-scale of the model and noise variance."""
    return Numbers(points=example().problem.size, lengthscale=LENGTHSCALE, noise=NOISE_VARIANCE)


@figure(size=(4.6, 4.2))
def frontier(canvas: Canvas, palette: Palette, evidence: CompressedResults) -> None:
    """Average regret against model order at the longest horizon."""
    rows = frontier_rows(evidence)
    kinds = {
        "u": "fixed budget",
        "alpha": "budget of the horizon",
        "printed": "printed constants",
        "dense": "uncompressed, and α = 1",
    }
    axes = canvas.subplots()
    for k, (kind, label) in enumerate(kinds.items()):
        part = rows[(rows.rule != "α = 1") & (rows.kind == kind)]
        style: charts.Style = {
            "color": palette.ink if kind == "dense" else palette.series[k],
            "marker": MARKERS[k],
            "ms": 8,
            "lw": 1.1,
        }
        ends = part.rename(columns={"least": "low", "largest": "high"})
        axes.errorbar(part.order, part.regret, charts.bars(ends, "regret"), capsize=4, ls="none", label=label, **style)
        if kind in ("u", "alpha"):
            for row in part.itertuples():
                # To the left of a mark that has another close on its right.
                left = ((rows.order > row.order) & (rows.order < 2 * row.order) & (rows.kind != row.kind)).any()
                place: charts.Style = {"textcoords": "offset points", "fontsize": 8.5}
                place |= {"xytext": (-7, 4), "ha": "right"} if left else {"xytext": (7, 4)}
                axes.annotate(row.rule, (row.order, row.regret), **place)
    charts.name_axes(axes, "model order", "average regret", log="xy")
    charts.name_ticks(axes.yaxis, (0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2))
    axes.legend()


bought = table(bought_rows, digits=3)


# -- the covering number -----------------------------------------------------------------------------------------------


@recorded(random=False)
@frame
def covering_rows(evidence: CompressedResults) -> Rows:
    """One row a fixed budget: model order after the longest run between its bounds, beside the covering number."""
    problem = example().problem
    length = float(np.ptp(problem.points))
    for u in budgets_of(evidence):
        orders = evidence.tradeoff(f"u={u:g}", "model_order").iloc[-1]
        last = evidence.tradeoff(f"u={u:g}", "last_kept").iloc[-1]
        number = covering_number(u, length)
        yield {
            "u": u,
            "lower bound": copies_kept(u, NOISE_VARIANCE),
            "covering number": number,
            "model order": float(orders.mean()),
            "over covering": float(orders.mean() / number),
            "upper bound": problem.size * copies_kept(u, NOISE_VARIANCE),
            "last kept in round": float(last.median()),
            "late runs": f"{int((last > longest(evidence) / 2).sum())} of {len(last)}",
        }


def covering_numbers(evidence: CompressedResults) -> Numbers:
    """Model order over covering number, and the share of runs that still keep a point late, by budget from the largest on."""
    rows = covering_rows(evidence)
    last = longest(evidence)
    late = [evidence.tradeoff(f"u={u:g}", "last_kept").iloc[-1] > last / 2 for u in rows.u]
    return Numbers(
        rows,
        low=float(rows["over covering"].min()),
        high=float(rows["over covering"].max()),
        u=float(rows.u.iloc[-1]),
        late=int(late[-1].sum()),
        runs=len(late[-1]),
        late_shares=[float(found.mean()) for found in late],
        rounds=last,
    )


covering = table(covering_rows)


# -- time --------------------------------------------------------------------------------------------------------------

VARIANTS = {DENSE: "dense", "info-horizon": "compressed, u = 1/√T", "info-printed": "compressed, printed constants"}
POSTERIORS = {"refit": "computed anew", "update": "updates over all points", "engine": "the companion's engine"}


def step_part(evidence: CompressedResults, posterior: str, variant: str) -> pd.DataFrame:
    """Rows of the time per round of one run, by round."""
    rows = evidence.tables["steps"]
    return rows[(rows.posterior == posterior) & (rows.variant == variant)].sort_values("round")


@frame
def step_rows(evidence: CompressedResults) -> Rows:
    """One row a run: rounds reached, and the time of a round early, late, and its growth."""
    for posterior, where in POSTERIORS.items():
        for variant, words in VARIANTS.items():
            part = step_part(evidence, posterior, variant)
            last, first = part.iloc[-1], part.iloc[0]
            yield {
                "posterior": where,
                "method": words,
                "rounds reached": int(last["round"]),
                "seconds in all": float(last.total_seconds),
                "model order": int(last.model_order),
                "at first, µs": 1e6 * float(first.median_seconds),
                "at last, µs": 1e6 * float(last.median_seconds),
                "grown by": float(last.median_seconds / first.median_seconds),
            }


def step_numbers(evidence: CompressedResults) -> Numbers:
    """Rounds reached by the dense and the compressed method with updates, and by the dense one with the engine."""
    rows = step_rows(evidence).set_index(["posterior", "method"])
    refit, update, engine = (rows.loc[name] for name in POSTERIORS.values())
    dense, small, _ = VARIANTS.values()
    ratios = frontier_rows(evidence).set_index("rule")["regret ratio"]
    return Numbers(
        evidence,
        limit=PAPER.step_limit,
        anew=int(refit.loc[dense, "rounds reached"]),
        anew_small=int(refit.loc[small, "rounds reached"]),
        stop=int(update.loc[dense, "rounds reached"]),
        rounds=int(update.loc[small, "rounds reached"]),
        total=float(update.loc[small, "seconds in all"]),
        grown=float(update.loc[small, "grown by"]),
        few=int(update.loc[small, "model order"]),
        ratio=float(ratios[rule_in_words("alpha=0.5")]),
        engine=float(engine.loc[dense, "seconds in all"]),
        engine_rounds=int(engine.loc[dense, "rounds reached"]),
    )


@figure(size=(8.8, 6.6))
def horizons(canvas: Canvas, palette: Palette, evidence: CompressedResults) -> None:
    """Cumulative regret and model order over the horizon, with the theory's exponents."""
    panels = canvas.subplots(2, 2, sharex=True)
    for row, kind in zip(panels, ("alpha", "u"), strict=True):
        shown = [rule for rule in rules(evidence) if rule.startswith(f"{kind}=")]
        for axes, column in zip(row, ("regret", "order"), strict=True):
            dense = _values(evidence, DENSE, column)
            axes.plot(dense.index, dense, label="dense", **charts.look(palette, charts.PLAIN, lw=2.2))
            for k, rule in enumerate(shown):
                values = _values(evidence, rule, column)
                value = float(rule.partition("=")[2])
                label = f"{'α' if kind == 'alpha' else 'u'} = {value:g}"
                axes.plot(values.index, values, label=label, **charts.marked(palette, k))
                if kind == "alpha":
                    power = 1 - value / 2 if column == "regret" else value
                    guide = float(values.iloc[0]) * (values.index / values.index[0]) ** power
                    axes.plot(values.index, guide, color=palette.series[k], ls="-", lw=0.8, alpha=0.7)
            axes.set(xscale="log", yscale="log")
        row[0].set_ylabel("cumulative regret")
        row[1].set_ylabel("model order")
        row[1].legend(loc="upper left", ncols=2)
    for axes in panels[1]:
        axes.set_xlabel("horizon T")
    titles = (
        r"Budget of the horizon, $u=T^{-\alpha}$: regret",
        "model order",
        "Fixed budget: regret",
        "model order",
    )
    for axes, title in zip(panels.ravel(), titles, strict=True):
        axes.set_title(title)


def _values(evidence: CompressedResults, rule: str, column: str) -> pd.Series:
    """Means over seeds by horizon of cumulative regret or of the model order."""
    return cumulative(evidence, rule).mean(axis=1) if column == "regret" else means(evidence, rule, "model_order")


@figure(size=(9.0, 3.7))
def steps(canvas: Canvas, palette: Palette, evidence: CompressedResults) -> None:
    """Time of a round against the round, for every kind of posterior."""
    panels = charts.row_of(canvas, len(POSTERIORS), sharex=True)
    for axes, (posterior, title) in zip(panels, POSTERIORS.items(), strict=True):
        for k, (variant, label) in enumerate(VARIANTS.items()):
            part = step_part(evidence, posterior, variant)
            style = charts.look(palette, k) | ({"color": palette.ink} if variant == DENSE else {})
            axes.plot(part["round"], 1e6 * part.median_seconds, label=label, **style)
            last = part.iloc[-1]
            if last.total_seconds >= PAPER.step_limit:
                axes.plot(last["round"], 1e6 * last.median_seconds, "X", color=style["color"], ms=9, zorder=4)
        charts.name_axes(axes, "round t", title=title, log="xy")
    panels[0].set_ylabel("time of a round, µs")
    panels[-1].plot([], [], "X", color=palette.muted, ms=9, ls="none", label="out of time")
    charts.legend_above(canvas, panels[-1], 4)


def step_table(evidence: CompressedResults) -> Table:
    """Rounds reached by every run, and the time of its rounds."""
    return Table(step_rows(evidence).drop(columns="grown by"), where=provenance_of(evidence), digits=3)
