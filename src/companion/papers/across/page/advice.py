"""The advice of the first page, the rules and chapter 6's summary, put to both payoffs: every play, and the point named.

A tip that holds by one payoff may be false by the other. So every tip says what it holds for, and here is what the stored
study says by each: the regret of what is advised minus that of what it is compared with, paired over functions.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Any, NamedTuple

from companion.judge.intervals import Interval, paired_interval
from companion.pages import Numbers
from companion.papers.across.experiments.study import NOISES, RIGHT
from companion.papers.across.experiments.study_analysis import Study
from companion.papers.across.method.rules import PLAIN, PROVED
from companion.papers.across.page.which_method import MIDDLE, TEN, evidence

#: Rule, setting, points a round.
Played = tuple[str, str, int]
#: By payoff: every play, the point named after 100 plays, the point named after ten rounds.
MEASURES = {"plays": "cumulative", "point": "final", "rounds": "rounds"}


class Tip(NamedTuple):
    """A comparison on which a tip rests.

    Parameters
    ----------
    advised, other : what is compared
    says : by payoff what the tip says of the one advised: it loses less (-1), more (1), or neither is shown (0)
    noises : share of the range of f; of several, the mean
    model : of the one advised, right or wrong; the other has the right one
    """

    advised: Played
    other: Played
    says: Mapping[str, int]
    noises: tuple[float, ...] = (MIDDLE,)
    model: str = RIGHT


#: By page and number of the tip.
TIPS = {
    "index_1": Tip(("ucb", "1", 1), ("ucb", "3", 1), {"plays": -1, "point": 1}, NOISES),
    "index_2": Tip(("ucb", "2", TEN), ("ucb", "2", 1), {"rounds": -1, "plays": 1, "point": 0}, NOISES),
    "index_3": Tip(("compressed-ucb", "2", 1), ("ucb", "2", 1), {"plays": 0, "point": 1}, NOISES),
    "rules_1": Tip(("ucb", "1", 1), ("ucb", "3", 1), {"plays": -1, "point": 1}),
    "rules_2": Tip(("ucb", "3", 1), ("ucb", "1", 1), {"plays": 1, "point": -1}),
    "rules_3": Tip(("ucb", "1", TEN), ("ucb", "3", TEN), {"plays": -1, "point": 1}),
    "rules_4": Tip(("ucb", "2", TEN), ("ucb", "2", 1), {"rounds": -1, "plays": 1, "point": 0}),
    "rules_5": Tip(("ucb", PROVED, 1), ("ucb", "2", 1), {"plays": 1, "point": 0}),
    "rules_11": Tip(("ucb", "1", 1), ("ucb", "1", 1), {"plays": 1, "point": 1}, model="lengthscale/2"),
    "rules_11_double": Tip(("ucb", "1", 1), ("ucb", "1", 1), {"plays": 0, "point": 1}, model="lengthscale*2"),
    "summary_short": Tip(("ei-mean", PLAIN, 1), ("ei-mean", PLAIN, 1), {"plays": 1, "point": 0}, model="lengthscale/2"),
    "summary_long": Tip(("ei-mean", PLAIN, 1), ("ei-mean", PLAIN, 1), {"plays": 0, "point": 1}, model="lengthscale*2"),
}
#: Tips that compare no rules of the study: what they speak of. A bound, and the robust rules, are about every play; a promise to
#: stop is about the point named; a band that holds everywhere is about both.
ONE_PAYOFF = {
    "index_4": "plays",
    "index_5": "plays",
    "rules_6": "both",
    "rules_7": "both",
    "rules_8": "point",
    "rules_9": "point",
    "rules_10": "point",
    "rules_12": "plays",
}


def measured(study: Study, tip: Tip) -> dict[str, Interval]:
    """By payoff, regret of what is advised minus that of the other, with the interval over functions."""
    problems = study.problems if tip.model == RIGHT else study.harmed(tip.model)
    found = {}
    for payoff in tip.says:
        mine, other = (
            study.values(MEASURES[payoff], *played, tip.noises, problems, model)
            for played, model in ((tip.advised, tip.model), (tip.other, RIGHT))
        )
        found[payoff] = paired_interval(mine, other, study.margins.confidence)
    return found


def sign(found: Interval) -> int:
    """Of a difference, where its interval says it; else 0."""
    return int(found.low > 0.0) - int(found.high < 0.0)


@lru_cache(maxsize=1)
def numbers() -> Numbers:
    """Differences with ends by tip and payoff, ``index_1_plays_low``; and as facts whether each tip says what they say."""
    found: dict[str, Any] = {}
    for name, tip in TIPS.items():
        by = measured(evidence().study, tip)
        for payoff, gap in by.items():
            key = f"{name}_{payoff}"
            found |= {key: gap.estimate, f"{key}_low": gap.low, f"{key}_high": gap.high}
        found[name] = {payoff: sign(gap) for payoff, gap in by.items()} == dict(tip.says)
    return Numbers(evidence().where, functions=len(evidence().study.problems), **found)
