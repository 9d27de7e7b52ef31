"""Table and numbers of what displacement and a crowd ask for: from :mod:`companion.papers.across.experiments.settings_costs`."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
import pandas as pd

from companion.pages import Numbers, Table
from companion.pages.provenance import stored
from companion.papers.across.experiments import settings as store
from companion.papers.across.experiments import settings_costs as analysis
from companion.papers.across.experiments.definitions import experiment
from companion.papers.across.experiments.settings import PAPER
from companion.papers.across.experiments.settings_costs import SETTINGS, Priced, Settings
from companion.papers.across.page.which_method import percent, signed
from companion.papers.meanfield.experiments import store as crowds
from companion.papers.meanfield.experiments.definitions import EXPERIMENTS as MEANFIELD
from companion.stored.results import StoredTables

WORDS = {
    "stableopt": "StableOpt against GP-UCB",
    "robust-bpe": "robust-BPE against BPE",
    "mf-gp-ucb": "MF-GP-UCB against joint actions",
}


@lru_cache(maxsize=1)
def evidence() -> dict[str, list[Priced]]:
    """By setting; errors as of :meth:`companion.papers.across.experiments.settings_costs.Settings.read`."""
    settings = Settings.read()
    return {name: of(settings) for name, of in SETTINGS.items()}


def setting_table() -> Table:
    """A row for every setting: what it costs without a need, and gains with one, against the method without it."""
    rows = []
    for setting, prices in evidence().items():
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
    return Table(pd.DataFrame(rows), where=stored(store.load().record.to_dict(), store.STORED))


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


#: Cells of the table of settings that sentences name.
NAMED = {
    "stable_toy": ("displacement", "toy-1d", "stableopt"),
    "stable_peak": ("displacement", "peak-2d", "stableopt"),
    "bpe_toy": ("displacement", "toy-1d", "robust-bpe"),
    "bpe_peak": ("displacement", "peak-2d", "robust-bpe"),
    "agents": ("agents", "swarm", "mf-gp-ucb"),
}


def their_runs() -> StoredTables:
    """Chapter 4's stored runs, of which one sentence speaks."""
    return crowds.load()


def setting_numbers() -> Numbers:
    """Numbers and facts of the sentences on settings: prices and gains as shares, and verdicts."""
    found = evidence()
    prices = {
        f"{name}_{when}": next(
            each for each in found[setting] if (each.problem, each.method, each.needed) == (problem, method, needed)
        )
        for name, (setting, problem, method) in NAMED.items()
        for when, needed in (("idle", False), ("need", True))
    }
    theirs, swarm = their_runs(), next(each for each in MEANFIELD if each.name == "swarm")
    table = theirs.tables["final"]
    there = table[(table.problem == "swarm") & (table.variant == f"agents={PAPER.crowd}")]
    law = {name: there[there.method == name].law_reward for name in ("mf-gp-ucb", "gp-ucb")}
    own = store.load()
    return Numbers(
        stored(own.record.to_dict(), store.STORED) + stored(theirs.record.to_dict(), crowds.STORED),
        crowd=PAPER.crowd,
        agent_rounds=experiment("agents").parameters["horizon"].default,
        their_rounds=swarm.parameters["horizon"].default,
        crowd_law=float(law["mf-gp-ucb"].mean()),
        crowd_law_runs=len(law["mf-gp-ucb"]),
        crowd_joint=float(law["gp-ucb"].mean()),
        crowd_joint_runs=len(law["gp-ucb"]),
        **{f"{name}_share": abs(each.share) for name, each in prices.items()},
        **{name: each.verdict for name, each in prices.items()},
    )
