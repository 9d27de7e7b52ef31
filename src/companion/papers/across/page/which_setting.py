"""Table and numbers of the section that asks what a setting costs: from :mod:`companion.papers.across.contest`."""

from __future__ import annotations

import numpy as np
import pandas as pd

from companion.pages import Numbers, Table
from companion.pages.where import stored
from companion.papers.across import contest as analysis
from companion.papers.across.contest import REFERENCE, Priced
from companion.papers.across.experiments.definitions import experiment
from companion.papers.across.experiments.runs import ENTRIES, PAPER, TEN
from companion.papers.across.page.which_method import evidence, percent, signed
from companion.papers.meanfield.experiments import store as crowds
from companion.papers.meanfield.experiments.definitions import EXPERIMENTS as MEANFIELD
from companion.reproduce.stored import StoredTables

WORDS = {
    "compressed": "budget of Theorem 3.1",
    "compressed-large": "budget 0.5",
    "stableopt": "StableOpt against GP-UCB",
    "robust-bpe": "robust-BPE against BPE",
    "mf-gp-ucb": "MF-GP-UCB against joint actions",
}


def setting_table() -> Table:
    """A row for every setting but batches: what it costs without a need, and gains with one, against the method without it."""
    found, rows = evidence(), []
    for setting, prices in found.prices.items():
        if setting == "batches":
            continue  # these have a table of their own
        keys = dict.fromkeys((_place(each), each.method) for each in prices)
        for k, (place, method) in enumerate(keys):
            pair = {each.needed: each for each in prices if (_place(each), each.method) == (place, method)}
            rows.append(
                {
                    "setting": setting if k == 0 else "",
                    "method": ", ".join(filter(None, (WORDS[method], place))),
                    "not needed": _change(pair[False]),
                    "verdict": _verdict(pair[False]),
                    "needed": _change(pair[True]),
                    "verdict there": _verdict(pair[True]),
                }
            )
    return Table(pd.DataFrame(rows), where=found.where)


def _place(each: Priced) -> str:
    """The problem, where a problem has the need and is without it; elsewhere the need is the problem."""
    return each.problem if each.setting == "displacement" else ""


def _verdict(each: Priced) -> str:
    return "same" if each.verdict == analysis.SAME else each.verdict


def _change(each: Priced) -> str:
    gap = each.test.difference
    if np.isfinite(each.level):
        low, high = max(gap.low / each.level, -1.0), gap.high / each.level  # nobody gains more than all that is lost
        return f"{percent(each.share)} ({percent(low)} to {percent(high)})"
    return f"{signed(gap.estimate)} ({signed(gap.low)} to {signed(gap.high)})"


NAMED = {
    "stable_toy": ("displacement", "toy-1d", "stableopt"),
    "stable_peak": ("displacement", "peak-2d", "stableopt"),
    "bpe_toy": ("displacement", "toy-1d", "robust-bpe"),
    "bpe_peak": ("displacement", "peak-2d", "robust-bpe"),
    "agents": ("agents", "swarm", "mf-gp-ucb"),
}
"""Cells of the table of settings that sentences name."""


def their_runs() -> StoredTables:
    """Chapter 4's stored runs, of which one sentence speaks."""
    return crowds.load()


def setting_numbers() -> Numbers:
    """Numbers and facts of the sentences on settings: prices and gains as shares, and verdicts."""
    found = evidence()
    batch = [each for each in found.prices["batches"] if not each.needed]
    gains = [each for each in found.prices["batches"] if each.needed]
    long = PAPER.long_horizon
    problems = list(PAPER.long_problems)
    contest = found.contest
    kept = {
        name: float(np.mean([contest.values(p, name, "kept", long).mean() for p in problems]))
        for name in ("compressed", "compressed-large")
    }
    prices = {
        f"{name}_{when}": found.price(*where, needed)
        for name, where in NAMED.items()
        for when, needed in (("idle", False), ("need", True))
    }
    theirs, swarm = their_runs(), next(each for each in MEANFIELD if each.name == "swarm")
    table = theirs.tables["final"]
    there = table[(table.problem == "swarm") & (table.variant == f"agents={PAPER.crowd}")]
    law = {name: there[there.method == name].law_reward for name in ("mf-gp-ucb", "gp-ucb")}
    return Numbers(
        found.where + stored(theirs.record.to_dict(), crowds.RUNS),
        comparable=found.contest.margins.claims["comparable"],
        batch_cost=max(each.share for each in batch),
        batch_runs=min(each.test.difference.count for each in batch),
        dearest=ENTRIES[max(batch, key=lambda each: each.share).method].title,
        ei_free=all(each.verdict == analysis.SAME for each in batch if each.method in ("ei-5", "ei-10")),
        ten_gain_low=min(-each.share for each in gains if each.method in TEN),
        ten_gain_high=max(-each.share for each in gains if each.method in TEN),
        batch_gains=all(each.verdict == analysis.GAINS for each in gains),
        long=long,
        long_kept=kept["compressed"],
        long_kept_large=kept["compressed-large"],
        long_faster=found.seconds(REFERENCE, long) / found.seconds("compressed", long),
        long_cost_large=found.price("compression", f"T = {long}", "compressed-large", True).share,
        long_verdict=found.price("compression", f"T = {long}", "compressed", True).verdict,
        long_verdict_large=found.price("compression", f"T = {long}", "compressed-large", True).verdict,
        crowd=PAPER.crowd,
        agent_rounds=experiment("agents").parameters["horizon"].default,
        their_rounds=swarm.parameters["horizon"].default,
        crowd_law=float(law["mf-gp-ucb"].mean()),
        crowd_law_runs=len(law["mf-gp-ucb"]),
        crowd_joint=float(law["gp-ucb"].mean()),
        crowd_joint_runs=len(law["gp-ucb"]),
        **{f"{name}_share": abs(each.share) for name, each in prices.items()},
        **{name: each.verdict for name, each in prices.items()},
        agents_more=prices["agents_need"].test.difference.estimate,
    )
