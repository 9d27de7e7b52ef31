"""Cost of a setting of its own where it is not needed and gain where it is: displacement, and agents.

All methods at one seed share function, initial points and noise, or agents, so that everything is a paired difference over
seeds, by :func:`companion.judge.method_comparison.contrasts` with Holm's correction within a setting.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from companion.core.arrays import Floats
from companion.judge.method_comparison import Contrast, contrasts
from companion.judge.reported import Margins, load_margins
from companion.papers.across.experiments import settings as plan
from companion.stored.results import StoredTables

COSTS, GAINS, SAME, OPEN = "costs", "gains", "no difference to speak of", "open"


@dataclass(frozen=True, eq=False)
class Settings:
    """The stored runs of the settings, with the margins committed before them.

    Parameters
    ----------
    stored : tables and record
    margins : the part ``across``
    """

    stored: StoredTables
    margins: Margins

    @classmethod
    def read(cls, root: Path | None = None) -> Settings:
        """Tables and margins; errors as of :meth:`companion.stored.runs.PaperRuns.load`."""
        return cls(plan.load(root), load_margins("across", root))

    def losses(self, setting: str, problem: str, condition: str, method: str) -> Floats:
        """(seeds,) loss per round of a run."""
        table = self.stored.tables["settings"]
        where = (table.setting == setting) & (table.problem == problem)
        chosen = table[where & (table.condition == condition) & (table.method == method)]
        return chosen.sort_values("seed").loss.to_numpy(dtype=np.float64)


@dataclass(frozen=True, eq=False)
class Priced:
    """A setting's paired difference to the plain method, on a problem without a need for it or with one.

    Attributes
    ----------
    setting, problem, method : what is compared, in words of the tables
    needed : whether the problem has the need
    test : with the setting minus without, corrected within the setting
    level : mean of the plain method, of which a share is spoken; NaN where zero means nothing
    verdict : one of :data:`COSTS`, :data:`GAINS`, :data:`SAME`, :data:`OPEN`
    """

    setting: str
    problem: str
    method: str
    needed: bool
    test: Contrast
    level: float
    verdict: str

    @property
    def share(self) -> float:
        """The difference as a share of the level."""
        return self.test.difference.estimate / self.level


Pair = tuple[Floats, Floats]
#: By (problem, method, whether needed): losses with the setting and without.
Asked = Mapping[tuple[str, str, bool], Pair]


def priced(settings: Settings, setting: str, asked: Asked, shares: bool = True) -> list[Priced]:
    """The family of one setting, judged by the frozen margins.

    Parameters
    ----------
    shares : whether the plain method's mean is a level, so that a share of it can be small
    """
    keys = {" ".join(map(str, key)): key for key in asked}
    margins = settings.margins
    tests = contrasts({words: asked[key] for words, key in keys.items()}, margins.confidence)
    found = []
    for test in tests:
        problem, method, needed = keys[test.where]
        level = test.means[1] if shares else math.nan
        near = margins.claims["comparable"] * level
        shown, gap = test.shown(margins.significance), test.difference
        small = shares and -near < gap.low and gap.high < near
        verdict = SAME if small else {1: COSTS, -1: GAINS, 0: OPEN}[shown]
        found.append(Priced(setting, problem, method, needed, test, level, verdict))
    return found


def displacement(settings: Settings) -> list[Priced]:
    """Robust rules against plain ones, with and without displacement."""
    rivals = {"stableopt": "gp-ucb", "robust-bpe": "bpe"}
    return _conditions(settings, "displacement", rivals, {"none": False, "displaced": True})


def agents(settings: Settings) -> list[Priced]:
    """Laws against joint actions, with one agent and with a crowd; the loss is minus a reward, which has no level."""
    table = settings.stored.tables["settings"]
    named = table[table.setting == "agents"].condition.unique()
    return _conditions(
        settings, "agents", {"mf-gp-ucb": "joint"}, {str(name): name != "one agent" for name in named}, shares=False
    )


def _conditions(
    settings: Settings, setting: str, rivals: Mapping[str, str], needed: Mapping[str, bool], shares: bool = True
) -> list[Priced]:
    table = settings.stored.tables["settings"]
    problems = table[table.setting == setting].problem.unique()
    asked = {
        (str(problem), method, need): (
            settings.losses(setting, problem, condition, method),
            settings.losses(setting, problem, condition, plain),
        )
        for problem in problems
        for method, plain in rivals.items()
        for condition, need in needed.items()
    }
    return priced(settings, setting, asked, shares)


SETTINGS: Mapping[str, Callable[[Settings], list[Priced]]] = {"displacement": displacement, "agents": agents}
