"""The advice of the first page, the rules and chapter 6's summary, put to both payoffs: every play, and the point named.

A tip that holds by one payoff may be false by the other. So every tip says what it holds for, and here is what the stored
study says by each: the regret of what is advised minus that of what it is compared with, paired over functions. Tips for
somebody who fits the model and has a box rest on the study with a fitted model, the others on that with a known one.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Any, NamedTuple

from companion.judge.intervals import Interval, paired_interval
from companion.pages import Numbers
from companion.papers.across.experiments import box_study as runs
from companion.papers.across.experiments.box_study_analysis import MEASURES as ON_BOX
from companion.papers.across.experiments.box_study_analysis import BoxStudy
from companion.papers.across.experiments.study import NOISES, RIGHT
from companion.papers.across.experiments.study_analysis import Study
from companion.papers.across.method.rules import PLAIN, PROVED, Entry
from companion.papers.across.page import box_study, decide, fitted_stopping, longer
from companion.papers.across.page.which_method import MIDDLE, TEN, evidence

#: Rule, setting, points a round.
Played = tuple[str, str, int]
#: By payoff: every play, the point named after 100 plays, the point named after ten rounds.
MEASURES = {"plays": "cumulative", "point": "final", "rounds": "rounds"}


class Tip(NamedTuple):
    """A comparison on which a tip rests, with a known model on candidates.

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


class BoxTip(NamedTuple):
    """A comparison on which a tip rests, on a box with a fitted model.

    Parameters
    ----------
    advised, other : what is compared
    says : as of a :class:`Tip`
    model, initial : of the one advised, of :mod:`companion.papers.across.experiments.box_study`; the other has the usual ones
    """

    advised: Played
    other: Played
    says: Mapping[str, int]
    model: str = runs.SHIPPED
    initial: int = runs.INITIAL


_NEI, _UCB, _WIDE = ("nei", PLAIN, 1), ("ucb", "2", 1), ("ucb", "3", 1)
#: By page and number of the tip; what follows a number is a part of its tip.
TIPS: dict[str, Tip | BoxTip] = {
    "index_1": Tip(("ucb", "1", 1), ("ucb", "3", 1), {"plays": -1, "point": 1}, NOISES),
    "index_1_two": Tip(("ucb", "2", 1), ("ucb", "1", 1), {"plays": 0, "point": -1}, NOISES),
    "index_2": Tip(("ucb", "2", TEN), ("ucb", "2", 1), {"rounds": -1, "plays": 1, "point": 0}, NOISES),
    "index_3": Tip(("compressed-ucb", "2", 1), ("ucb", "2", 1), {"plays": 0, "point": 1}, NOISES),
    "index_1_box": BoxTip(("ucb", "1", 1), ("ucb", "3", 1), {"plays": -1, "point": 1}),
    "index_2_box": BoxTip(("ucb", "2", TEN), _UCB, {"rounds": -1, "plays": 1, "point": 0}),
    "rules_1": BoxTip(_NEI, ("ei-mean", PLAIN, 1), {"point": -1, "plays": 1}),
    "rules_2": BoxTip(("ei-mean", PLAIN, 1), _NEI, {"plays": -1, "point": 1}),
    "rules_4": BoxTip(("ucb", "2", TEN), _UCB, {"rounds": -1, "plays": 1, "point": 0}),
    "rules_5_2": BoxTip(_NEI, _NEI, {"point": 1, "plays": 0}, initial=2),
    "rules_5_20": BoxTip(_NEI, _NEI, {"point": 0, "plays": 1}, initial=20),
    "rules_6_matern52": BoxTip(_NEI, _NEI, {"point": 0, "plays": -1}, "matern52"),
    "rules_6_one": BoxTip(_NEI, _NEI, {"point": 0, "plays": 0}, "se, one"),
    "rules_7_half": BoxTip(_NEI, _NEI, {"point": 1, "plays": 0}, "lengthscale/2"),
    "rules_7_double": BoxTip(_NEI, _NEI, {"point": 1, "plays": -1}, "lengthscale*2"),
    "rules_7_half_wide": BoxTip(_WIDE, _WIDE, {"point": 0, "plays": 1}, "lengthscale/2"),
    "rules_7_double_wide": BoxTip(_WIDE, _WIDE, {"point": 1, "plays": 0}, "lengthscale*2"),
    "rules_10": Tip(("ucb", PROVED, 1), ("ucb", "2", 1), {"plays": 1, "point": 0}),
    "summary_short": Tip(("ei-mean", PLAIN, 1), ("ei-mean", PLAIN, 1), {"plays": 1, "point": 0}, model="lengthscale/2"),
    "summary_long": Tip(("ei-mean", PLAIN, 1), ("ei-mean", PLAIN, 1), {"plays": 0, "point": 1}, model="lengthscale*2"),
}


def measured(study: Study, box: BoxStudy, tip: Tip | BoxTip) -> dict[str, Interval]:
    """By payoff, regret of what is advised minus that of the other, with the interval over functions."""
    confidence = study.margins.confidence
    if isinstance(tip, BoxTip):
        played, against = (Entry(rule, batch, setting) for rule, setting, batch in (tip.advised, tip.other))
        columns = {payoff: ON_BOX["final" if payoff == "point" else payoff] for payoff in tip.says}
        return {
            payoff: paired_interval(*box.paired(column, played, against, tip.model, tip.initial), confidence)
            for payoff, column in columns.items()
        }
    problems = study.problems if tip.model == RIGHT else study.harmed(tip.model)
    found = {}
    for payoff in tip.says:
        mine, other = (
            study.values(MEASURES[payoff], *each, tip.noises, problems, model)
            for each, model in ((tip.advised, tip.model), (tip.other, RIGHT))
        )
        found[payoff] = paired_interval(mine, other, confidence)
    return found


def sign(found: Interval) -> int:
    """Of a difference, where its interval says it; else 0."""
    return int(found.low > 0.0) - int(found.high < 0.0)


@lru_cache(maxsize=1)
def numbers() -> Numbers:
    """Differences with ends by tip and payoff, ``index_1_plays_low``, and their functions; as facts whether each tip says so."""
    found: dict[str, Any] = {}
    for name, tip in TIPS.items():
        by = measured(evidence().study, box_study.evidence(), tip)
        for payoff, gap in by.items():
            key = f"{name}_{payoff}"
            found |= {key: gap.estimate, f"{key}_low": gap.low, f"{key}_high": gap.high, f"{name}_functions": gap.count}
        found[name] = {payoff: sign(gap) for payoff, gap in by.items()} == dict(tip.says)
    told = longer.numbers()
    found |= {f"longer_{key}": value for key, value in told.items()}
    where = evidence().where + box_study.provenance() + told.where
    return Numbers(where, functions=len(evidence().study.problems), **found)


@lru_cache(maxsize=1)
def rules() -> Numbers:
    """All that the printed rules name: of ``decide`` and the tips, of the box as ``box_...``, of stopping as ``fitted_...``."""
    found = decide.numbers() | numbers()
    for prefix, of in (("box", box_study.numbers()), ("fitted", fitted_stopping.numbers())):
        found |= Numbers(of.where, **{f"{prefix}_{key}": value for key, value in of.items()})
    return found
