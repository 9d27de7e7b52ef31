"""Regret against the number of agents, of actions and of contexts, from the stored runs."""

from __future__ import annotations

import numpy as np
import pandas as pd

from companion.arrays import Floats
from companion.papers.meanfield.claims.printed import NAME_OF, OURS, TITLE_OF
from companion.papers.meanfield.problems.catalogue import HORIZON, SETTINGS
from companion.papers.meanfield.studies.paper import Evidence
from companion.report import key_numbers, say, where_of
from companion.report.text import Sentence
from companion.reproduce.intervals import Interval, mean_interval, slope_interval
from companion.reproduce.stored import unjoined

NAIVE = "gp-ucb"
#: Where the number of agents varies: problem, part of the stored runs, method.
AGENTS = (
    ("swarm", "agents", OURS),
    ("arena", "agents", OURS),
    ("swarm", "agents", "random"),
    ("swarm", "rivals", NAIVE),
    ("swarm", "rivals", "turbo"),
    ("swarm", "rivals", "sa"),
    ("swarm", "rivals", "ga"),
)
#: Where the number of actions, or of contexts, varies: what, column of the table, problem.
SIZES = (("actions", "actions", "swarm"), ("contexts", "contexts", "ports"))
TITLES = {"swarm": "Swarm", "arena": "Arena", "ports": "Maritime, synthetic ports"}
#: Numbers of agents from which the exponent is fitted once more: the fewest in the paper, and where most are "many".
FROM = (min(chosen.agents for chosen in SETTINGS.values()), 1000)


def runs(evidence: Evidence, problem: str, part: str, method: str) -> pd.DataFrame:
    """One row a run: ``size`` of every kind, cumulative regret per evaluation in units and in shares, final simple regret.

    ``share`` and ``simple`` are in units of the uniform law's regret, ``regret`` and ``total`` (cumulative) in those of the
    reward.
    """
    final = evidence.tables["final"]
    rows = final[(final.part == part) & (final.problem == problem) & (final.method == method)]
    unit = (rows.upper_bound - rows.uniform).to_numpy(dtype=float)
    total = np.array([unjoined(text)[-1] for text in rows.cumulative])
    simple = np.array([unjoined(text)[-1] for text in rows.simple])
    return pd.DataFrame(
        {
            "agents": rows.agents.to_numpy(dtype=float),
            "actions": rows.actions.to_numpy(dtype=float),
            "contexts": rows.contexts.to_numpy(dtype=float),
            "seed": rows.seed.to_numpy(dtype=int),
            "total": total,
            "regret": total / HORIZON,
            "share": total / HORIZON / unit,
            "simple": simple / unit,
        }
    )


def growth_rows(evidence: Evidence) -> pd.DataFrame:
    """Mean regret per evaluation in shares of the uniform law's, by method and number of agents, with its interval."""
    rows = []
    for problem, part, method in AGENTS:
        for count, group in runs(evidence, problem, part, method).groupby("agents"):
            average = _interval(group.share.to_numpy())
            rows.append(
                {
                    "problem": problem,
                    "method": method,
                    "M": int(count),
                    "share": average.estimate,
                    "low": average.low,
                    "high": average.high,
                    "simple": float(group.simple.mean()),
                    "runs": len(group),
                }
            )
    return pd.DataFrame(rows)


def _interval(values: Floats) -> Interval:
    if len(values) < 2:
        return Interval(float(values[0]), float(values[0]), float(values[0]), 1)
    return mean_interval(values)


def exponent(
    evidence: Evidence, problem: str, part: str, method: str, across: str, up: str = "share", least: float = 0.0
) -> Interval | None:
    """Fitted exponent of regret in a size, over all runs at sizes of at least ``least``; ``None`` without two sizes."""
    rows = runs(evidence, problem, part, method)
    rows = rows[rows[across] >= least]
    if rows.empty or rows[across].nunique() < 2 or len(rows) < 3:
        return None
    return slope_interval(np.log(rows[across].to_numpy()), np.log(rows[up].to_numpy()))


def size_rows(evidence: Evidence) -> pd.DataFrame:
    """Cumulative regret of MF-GP-UCB in units, and in shares with an interval, by number of actions and of contexts."""
    rows = []
    for what, part, problem in SIZES:
        for count, group in runs(evidence, problem, part, OURS).groupby(what):
            average = _interval(group.share.to_numpy())
            rows.append(
                {
                    "what": what,
                    "problem": problem,
                    "size": int(count),
                    "regret": float(group.total.mean()),
                    "share": average.estimate,
                    "low": average.low,
                    "high": average.high,
                    "runs": len(group),
                }
            )
    return pd.DataFrame(rows)


def show_growth(evidence: Evidence) -> None:
    """Key numbers: mean shares by method and number of agents, and regret by size."""
    numbers: dict[str, object] = {}
    for row in growth_rows(evidence).to_dict("records"):
        numbers[f"{row['problem']}, {row['method']}, M = {row['M']}"] = float(row["share"])
    for row in size_rows(evidence).to_dict("records"):
        numbers[f"{row['problem']}, {row['what']} = {row['size']}"] = float(row["regret"])
        numbers[f"{row['problem']}, {row['what']} = {row['size']}, share"] = float(row["share"])
    key_numbers(numbers or {"runs stored": 0}, where_of(evidence))


def _power(found: Interval | None) -> str:
    return "not measured" if found is None else f"{found.estimate:+.2f} ({found.low:+.2f} to {found.high:+.2f})"


def _trend(found: Interval | None) -> str:
    if found is None:
        return "is not stored for different numbers of agents"
    return "falls" if found.high < 0 else "shows no trend" if found.low <= 0 else "**grows**"


def say_growth(evidence: Evidence) -> Sentence:
    """The headline: the exponent in M of MF-GP-UCB's regret, and of the others'."""
    ours = {name: exponent(evidence, name, "agents", OURS, "agents") for name in ("swarm", "arena")}
    naive = exponent(evidence, "swarm", "rivals", NAIVE, "agents")
    rows = growth_rows(evidence)
    lines = [
        f"on {TITLE_OF[name]} the regret of MF-GP-UCB {_trend(found)}, with fitted exponent {_power(found)}"
        for name, found in ours.items()
    ]
    swarm = rows[(rows.problem == "swarm") & (rows.method == OURS)] if len(rows) else rows
    span = f" from {swarm.M.min():,} to {swarm.M.max():,} agents" if len(swarm) else ""
    return say(
        "With {span} and all else fixed, {lines}.{later}{idle} Naive GP-UCB on the vector of all actions has {naive}; where it "
        "learns nothing its regret is that of the uniform law, so that a fitted exponent says less than the levels. "
        "{compared}",
        span=f"$M${span}" if span else "$M$ varied",
        lines="; ".join(lines),
        later=_later(evidence),
        idle=_idle(rows),
        naive=f"exponent {_power(naive)}" if naive is not None else "no stored runs at different $M$",
        compared=_compared(rows),
        where=where_of(evidence),
    )


def _later(evidence: Evidence) -> str:
    """The exponents from the numbers of agents in :data:`FROM` on, and where the fall ends; empty if they are not stored."""
    names, parts = ("swarm", "arena"), []
    ends: dict[str, int] = {}
    whole = {name: exponent(evidence, name, "agents", OURS, "agents") for name in names}
    for least in FROM:
        found = {name: exponent(evidence, name, "agents", OURS, "agents", least=least) for name in names}
        shown = [f"{_power(each)} on {TITLE_OF[name]}" for name, each in found.items() if each is not None]
        if shown:
            parts.append(f"from {least:,} agents on it is {' and '.join(shown)}")
        for name, each in found.items():
            if each is not None and each.high >= 0 and whole[name].high < 0:  # type: ignore[union-attr]
                ends.setdefault(TITLE_OF[name], least)
    over = "".join(f" On {name} no fall is certain from {least:,} agents on." for name, least in ends.items())
    return f" Fitted {'; '.join(parts)}.{over}" if parts else ""


def _idle(rows: pd.DataFrame) -> str:
    """Where the mean regret of MF-GP-UCB is that of the uniform law, or more."""
    if rows.empty:
        return ""
    found = rows[(rows.method == OURS) & (rows.share >= 1.0)]
    parts = [f"on {TITLE_OF[row.problem]} with {row.M:,} agents ({row.share:.2f} times)" for row in found.itertuples()]
    return f" It has no less regret than the uniform law {' and '.join(parts)}." if parts else ""


def _compared(rows: pd.DataFrame) -> str:
    """MF-GP-UCB and naive GP-UCB at the fewest and the most agents that both have."""
    if rows.empty:
        return ""
    swarm = rows[rows.problem == "swarm"]
    tables = {name: swarm[swarm.method == name].set_index("M").share for name in (OURS, NAIVE)}
    common = tables[OURS].index.intersection(tables[NAIVE].index)
    if not len(common):
        return ""
    few, many = int(common.min()), int(common.max())
    text = ", ".join(
        f"{tables[OURS].loc[count]:.2f} with {count:,} agents against {tables[NAIVE].loc[count]:.2f}"
        for count in dict.fromkeys((few, many))
    )
    return f"In shares of the uniform law's regret per evaluation, MF-GP-UCB has {text} for naive GP-UCB."


def say_sizes(evidence: Evidence) -> Sentence:
    """Whether regret grows with |A| and |C|, as the theory allows, and where it is no less than the uniform law's."""
    lines, rows, full = [], size_rows(evidence), False
    for what, part, problem in SIZES:
        found = exponent(evidence, problem, part, OURS, what, "total")
        if found is None:
            continue
        shares = rows[rows.what == what]
        symbol = "$|A|$" if what == "actions" else "$|C|$"
        seeds = int(shares.runs.min())
        settled = "grows" if found.low > 0 else "falls" if found.high < 0 else f"is not settled by {seeds} seeds"
        full = full or bool((shares.high >= 1.0).any())
        lines.append(
            f"in {symbol} ({TITLES[problem]}) it {settled}, with fitted exponent {_power(found)}{_saturated(shares)}"
        )
    return say(
        "The measured cumulative regret of MF-GP-UCB: {lines}.{capped}",
        lines="; ".join(lines) or "no runs at different sizes are stored",
        capped=" Regret that has come up to the uniform law's cannot grow much further, so that where it has a fitted "
        "exponent says less than the figure."
        if full
        else "",
        where=where_of(evidence),
    )


def _saturated(rows: pd.DataFrame) -> str:
    """At which sizes the interval of the share reaches the uniform law's regret."""
    full = rows[rows.high >= 1.0]
    if full.empty:
        return ""
    what = {"actions": "actions", "contexts": "regions"}[str(rows.what.iloc[0])]
    sizes, shares = (
        _listed([format(value, form) for value in full[name]]) for name, form in (("size", "d"), ("share", ".2f"))
    )
    return f", and with {sizes} {what} it is {shares} times the uniform law's, which {HORIZON} rounds do not certainly beat"


def _listed(words: list[str]) -> str:
    return " and ".join([", ".join(words[:-1]), words[-1]] if len(words) > 1 else words)


def exponent_rows(evidence: Evidence) -> pd.DataFrame:
    """Fitted exponents of regret, one row a problem and method; the laws of random search do not depend on M."""
    rows = []
    for problem, part, method in (row for row in AGENTS if row[2] != "random"):
        found = exponent(evidence, problem, part, method, "agents")
        count = runs(evidence, problem, part, method).agents.nunique()
        if found is not None:
            rows.append(_exponent_row(TITLES[problem], NAME_OF[method], "M", count, found))
    for what, part, problem in SIZES:
        found = exponent(evidence, problem, part, OURS, what, "total")
        if found is not None:
            symbol, count = ("|A|" if what == "actions" else "|C|"), runs(evidence, problem, part, OURS)[what].nunique()
            rows.append(_exponent_row(TITLES[problem], NAME_OF[OURS], symbol, count, found))
    return pd.DataFrame(rows)


def _exponent_row(problem: str, method: str, size: str, count: int, found: Interval) -> dict[str, object]:
    return {
        "problem": problem,
        "method": method,
        "regret in": size,
        "sizes": count,
        "exponent": found.estimate,
        "95 % from": found.low,
        "to": found.high,
    }
