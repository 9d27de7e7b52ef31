r"""The rules of "which method?", many seeds at once, each at several widths or scales.

A rule with a width multiplies the posterior standard deviation by it. A rule that draws takes :math:`\mu+s(g-\mu)` in place of
a posterior draw g, with the scale s: with one it is the rule as published. Expected improvement is computed by its logarithm,
so that LogEI, which differs from EI in that alone, makes the same choices here.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from companion.bounds.confidence import HorizonDrawsWidth
from companion.core.arrays import Floats, Indices
from companion.papers.across.problems.functions import HORIZON, INITIAL
from companion.papers.batched.method.sizes import original_sizes
from companion.papers.compressed.method.admission import horizon_budget, information
from companion.papers.tsrsr.method import rules as published
from companion.papers.tsrsr.method.rules import BUCB, TSRSR, UCBPE, BatchTS, BelieverEI, RandomSearch
from companion.papers.tsrsr.method.vectorised import Rounds, choose

DELTA = 0.1
WIDTHS, BATCH_WIDTHS, SCALES, BATCH_SCALES = (0.5, 1.0, 2.0, 3.0), (0.5, 1.0, 2.0, 3.0), (0.5, 1.0, 2.0), (0.5, 1.0)
BATCHES = (5, 10)
#: Settings: the shortest width proved here for draws, and that of a rule without any.
PROVED, PLAIN = "proved", "-"

TITLES = {
    "ucb": "GP-UCB",
    "ucb-pe": "UCB-PE",
    "ts": "Thompson sampling",
    "ts-rsr": "TS-RSR",
    "ei-mean": "EI (largest mean)",
    "ei": "EI (largest observation)",
    "compressed-ucb": "compressed UCB",
    "bpe": "BPE",
    "random": "random",
}


@dataclass(frozen=True)
class Entry:
    """A rule at one setting.

    Parameters
    ----------
    rule : of :data:`TITLES`
    batch : points a round after the initial ones; 0 where the rule sets its own
    setting : width or scale, :data:`PROVED` or :data:`PLAIN`
    """

    rule: str
    batch: int
    setting: str

    def number(self, candidates: int) -> float:
        """Width or scale."""
        if self.setting == PROVED:
            return HorizonDrawsWidth(candidates, HORIZON, DELTA).width()
        return 1.0 if self.setting == PLAIN else float(self.setting)


def _entries() -> list[Entry]:
    found = [Entry("ucb", 1, f"{width:g}") for width in WIDTHS] + [Entry("ucb", 1, PROVED)]
    found += [Entry(rule, 1, f"{scale:g}") for rule in ("ts", "ts-rsr") for scale in SCALES]
    found += [Entry("ei-mean", 1, PLAIN), Entry("ei", 1, PLAIN), Entry("random", 1, PLAIN)]
    found += [
        Entry(rule, batch, f"{width:g}") for rule, batch in (("compressed-ucb", 1), ("bpe", 0)) for width in (1.0, 2.0)
    ]
    for batch in BATCHES:
        found += [Entry("ucb", batch, f"{width:g}") for width in BATCH_WIDTHS]
        found += [Entry("ucb-pe", batch, f"{width:g}") for width in (1.0, 2.0)]
        found += [Entry(rule, batch, f"{scale:g}") for rule in ("ts", "ts-rsr") for scale in BATCH_SCALES]
        found += [Entry("ei-mean", batch, PLAIN), Entry("ei", batch, PLAIN)]
    return found


ENTRIES = tuple(_entries())


class ScaledRounds(Rounds):
    """Rounds whose draws lie ``scale`` times as far from the mean."""

    scale = 1.0

    def draws(self, counts: Indices) -> Any:
        """(R, S, N) posterior draws, scaled around the mean."""
        mean = self.posterior.mean[:, None, :]
        return mean + self.scale * (super().draws(counts) - mean)


def rule_of(entry: Entry, candidates: int) -> published.Rule:
    """The rule of chapter 1 that chooses; BPE and the compressed rule choose by what :mod:`.study_play` does around it."""
    width = entry.number(candidates)
    makers: dict[str, Callable[[], published.Rule]] = {
        "ucb": lambda: BUCB(width),
        "compressed-ucb": lambda: BUCB(width),
        "ucb-pe": lambda: UCBPE(width),
        "ts": BatchTS,
        "ts-rsr": TSRSR,
        "ei-mean": BelieverEI,
        "ei": BelieverEI,
        "random": RandomSearch,
    }
    return makers[entry.rule]()


def choices(entry: Entry, current: ScaledRounds, size: int) -> Indices:
    """(R, size) candidates of a round."""
    mean = current.posterior.mean
    if entry.rule in ("ts", "ts-rsr"):
        current.scale = entry.number(mean.shape[1])
    if entry.rule == "ei-mean":
        current.incumbent = mean.amax(dim=1).cpu().numpy()
    return choose(rule_of(entry, mean.shape[1]), current, size)


def kept(entry: Entry, variance: Floats, noise_variance: float) -> Any:
    """(R,) whether an observation is made at points of this variance; all are but of the compressed rule."""
    if entry.rule != "compressed-ucb":
        return np.ones(len(variance), dtype=bool)
    return information(horizon_budget(HORIZON, 0.5), noise_variance).admits(variance)


def sizes(entry: Entry) -> list[int]:
    """Evaluations of each round, in order."""
    if entry.rule == "bpe":
        return list(original_sizes(HORIZON))
    rest = HORIZON - INITIAL
    return [INITIAL, *([entry.batch] * (rest // entry.batch))]
