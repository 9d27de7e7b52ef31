"""Tables and numbers of the section that asks which method: from :mod:`companion.papers.across.experiments.study`."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property, lru_cache
from typing import Any, NamedTuple

import pandas as pd

from companion.judge.intervals import Interval, mean_interval
from companion.pages import Numbers, Table
from companion.pages.provenance import Provenance, stored
from companion.papers.across.experiments import study as runs
from companion.papers.across.experiments.study import NOISES
from companion.papers.across.experiments.study_analysis import RULES, Judged, Study, relative, seconds
from companion.papers.across.experiments.study_play import EARLY, ROUNDS, SEEDS, TOLERANCES
from companion.papers.across.method.rules import ENTRIES, PLAIN, PROVED, TITLES, Entry, sizes
from companion.papers.across.problems.functions import FUNCTIONS, HORIZON, INITIAL, SIZE
from companion.stored.results import StoredTables

#: The noise of questions about batches.
MIDDLE = 0.1
TEN = 10


class Question(NamedTuple):
    """Cost that a reader pays for, and the choice of the points."""

    measure: str
    batch: int
    noises: tuple[float, ...]


#: By the name of their numbers in sentences.
QUESTIONS = {
    "plays": Question("cumulative", 1, NOISES),
    "point": Question("final", 1, NOISES),
    "early": Question("early", 1, NOISES),
    "ten_plays": Question("cumulative", TEN, (MIDDLE,)),
    "ten_point": Question("final", TEN, (MIDDLE,)),
}
#: Rules that nearly every library has; of rules that are level they are named first.
EVERYWHERE = ("ucb", "ei", "ei-mean", "ts")
#: The classical rule that others are compared with.
RULE = "ucb"


def title(rule: str, batch: int = 1) -> str:
    """A rule as pages call it."""
    return "B-UCB" if rule == "ucb" and batch > 1 else TITLES[rule]


def setting_title(rule: str, setting: str) -> str:
    """``width 2``, ``scale 0.5``; nothing for a rule without."""
    if setting == PLAIN:
        return ""
    if setting == PROVED:
        return "proved width"
    return f"{'scale' if rule in ('ts', 'ts-rsr') else 'width'} {setting}"


def level_with_best(study: Study, found: Judged) -> tuple[str, ...]:
    """Rules not shown to be worse than the best and behind by no more than what counts as found: those of every library first."""
    best = found.means[found.order[0]].estimate
    even = [
        rule
        for rule in found.with_best(study.margins.significance)
        if found.means[rule].estimate - best <= TOLERANCES["found"]
    ]
    return tuple(sorted(even, key=lambda rule: (rule not in EVERYWHERE, even.index(rule))))


class StudyResults:
    """Everything that the section shows, computed once."""

    def __init__(self, tables: StoredTables, study: Study) -> None:
        self.tables, self.study = tables, study

    @property
    def where(self) -> Provenance:
        """Sources of everything made from the stored runs."""
        return stored(self.tables.record.to_dict(), runs.STORED)

    @cached_property
    def answers(self) -> dict[str, Judged]:
        """By question."""
        return {name: self.study.judged(*asked) for name, asked in QUESTIONS.items()}

    @cached_property
    def by_rounds(self) -> dict[int, Judged]:
        """The regret of the recommended point after ten rounds, by batch size, at the middle noise."""
        return {batch: self.study.judged("rounds", batch, (MIDDLE,)) for batch in RULES}

    def not_worse(self, asked: Judged) -> list[str]:
        """Rules that are not shown to be worse than the best one, without it, as pages call them."""
        return [title(name, asked.batch) for name in asked.with_best(self.study.margins.significance)[1:]]


@lru_cache(maxsize=1)
def evidence() -> StudyResults:
    """The stored runs; errors as of :meth:`companion.papers.across.experiments.study_analysis.Study.read`."""
    return StudyResults(runs.load(), Study.read())


# -- tables ------------------------------------------------------------------------------------------------------------


def problem_table() -> Table:
    """The functions."""
    rows = [
        {
            "function": each.name,
            "d": each.dim,
            "from": each.source,
            "model": f"{type(each.kernel).__name__}".replace("SquaredExponential", "SE")
            + (f" {each.kernel.nu:g}" if hasattr(each.kernel, "nu") else ""),
            "length-scale": float(each.kernel.lengthscale),  # type: ignore[arg-type]
            "best minus average": each.gap,
            "range": each.spread,
        }
        for each in FUNCTIONS.values()
    ]
    return Table(pd.DataFrame(rows), where=evidence().where, digits=3)


def answer_table() -> Table:
    """The best rule by what is paid for with its regret, and those that are not shown to be worse: level ones first."""
    found = evidence()
    words = {
        "plays": "every play",
        "point": f"the point after {HORIZON}",
        "early": f"the point after {EARLY}",
        "ten_plays": "every play, in tens",
        "ten_point": f"the point after {HORIZON}, in tens",
    }
    rows = []
    for name, asked in found.answers.items():
        best, *even = level_with_best(found.study, asked)
        others = [rule for rule in asked.with_best(found.study.margins.significance) if rule not in (best, *even)]
        setting = setting_title(best, asked.settings[best])
        rows.append(
            {
                "what counts": words[name],
                "least regret": ", ".join(filter(None, (title(best, asked.batch), setting))),
                "regret (95 % interval)": f"{asked.means[best].estimate:.2g} ({ends(asked.means[best])})",
                "not shown to be worse": "; ".join(title(rule, asked.batch) for rule in (*even, *others)) or "none",
            }
        )
    return Table(pd.DataFrame(rows), where=found.where, digits=2)


def entry_table() -> Table:
    """Every rule at every setting: mean over functions and noises of every measure."""
    found, rows = evidence(), []
    for entry in ENTRIES:
        where = (entry.rule, entry.setting, entry.batch or 1)
        rows.append(
            {
                "rule": title(entry.rule, entry.batch),
                "points a round": entry.batch or "own",
                "setting": setting_title(entry.rule, entry.setting),
            }
            | {
                words: float(found.study.values(measure, *where).mean())
                for words, measure in (
                    ("every play", "cumulative"),
                    (f"point after {EARLY}", "early"),
                    (f"after {HORIZON}", "final"),
                    (f"after {ROUNDS} rounds", "rounds"),
                    ("largest observation", "observed"),
                )
            }
            | {
                "found": f"{found.study.values(f'found_{HORIZON}', *where).mean() / SEEDS:.0%}",
                "evaluations": float(found.study.values("evaluations", *where).mean()),
            }
        )
    return Table(pd.DataFrame(rows), where=found.where, digits=3)


def rule_table(measure: str, batch: int) -> Table:
    """Every rule against the best one, over all noises: difference of the means, with Holm's correction for all pairs."""
    found = evidence()
    asked = found.study.judged(measure, batch, NOISES)
    best, rows = asked.order[0], []
    for name in asked.order:
        row: dict[str, Any] = {
            "rule": title(name, asked.batch),
            "setting": setting_title(name, asked.settings[name]),
            "regret": asked.means[name].estimate,
            "95 % interval": ends(asked.means[name]),
            "average rank": asked.ranks[name].estimate,
        }
        if name != best:
            test = asked.pairs[best, name]
            row |= {
                "behind the best by": -test.difference.estimate,
                "shown": "yes" if test.shown(found.study.margins.significance) else "no",
            }
        rows.append(row)
    return Table(pd.DataFrame(rows).fillna({"shown": ""}), where=found.where, digits=3)


def seconds_table() -> Table:
    """Processor time of a run of 100 plays, all seeds of a function at once."""
    rows = [
        {"rule": title(rule, batch), "points a round": batch or "own", "milliseconds a run": 1e3 * value}
        for (rule, batch), value in seconds().items()
    ]
    return Table(pd.DataFrame(rows), where=evidence().where, digits=2)


def ends(interval: Interval, shift: float = 0.0) -> str:
    """``0.12 to 0.18``."""
    return f"{interval.low + shift:.2g} to {interval.high + shift:.2g}"


def percent(share: float) -> str:
    """``+12 %`` or ``−3 %``."""
    return f"{100 * share:+.0f} %".replace("-", "\N{MINUS SIGN}")


def signed(value: float) -> str:
    """``+1.2`` or ``−0.31``."""
    return f"{value:+.2g}".replace("-", "\N{MINUS SIGN}")


# -- numbers -----------------------------------------------------------------------------------------------------------


def numbers() -> Numbers:
    """Numbers and facts of the sentences on methods."""
    found = evidence()
    study = found.study
    sizes = {
        "functions": len(study.problems),
        "seeds": SEEDS,
        "at": HORIZON,
        "early_at": EARLY,
        "initial": INITIAL,
        "rounds": ROUNDS,
        "size": SIZE,
        "noise": MIDDLE,
        "near": TOLERANCES["near"],
        "close": TOLERANCES["found"],
        "runs": len(study.table) * SEEDS,
    }
    answers = {f"{name}_{key}": value for name, asked in found.answers.items() for key, value in _answer(asked).items()}
    return Numbers(found.where, **sizes, **answers, **_widths(study), **_rounds(found), **_others(study))


def _answer(asked: Judged) -> dict[str, Any]:
    """Best rule, its lead, and the rules not shown to be worse."""
    found, best = evidence(), asked.order[0]
    mean = asked.means[best]
    return {
        "best": best,
        "title": title(best, asked.batch),
        "setting": setting_title(best, asked.settings[best]),
        "regret": mean.estimate,
        "low": mean.low,
        "high": mean.high,
        "with": found.not_worse(asked),
        "order": list(asked.order),
        "ucb": asked.means[RULE].estimate,
        "rsr": asked.means["ts-rsr"].estimate,
        "ei_mean": asked.means["ei-mean"].estimate,
        "ei": asked.means["ei"].estimate,
        "random": asked.means["random"].estimate if "random" in asked.means else None,
    }


def _widths(study: Study) -> dict[str, Any]:
    """GP-UCB with the proved width against width 2, by both measures, as ratios of functions."""
    found: dict[str, Any] = {}
    for name, measure in (("plays", "cumulative"), ("half", "cumulative")):
        other = PROVED if name == "plays" else "0.5"
        values = [study.values(measure, RULE, setting) for setting in (other, "2")]
        ratio = relative(*values)
        found |= {f"{name}_ratio": ratio.estimate, f"{name}_ratio_low": ratio.low, f"{name}_ratio_high": ratio.high}
        found |= {f"{name}_more": int((values[0] > values[1]).sum())}
    return found


def _rounds(found: StudyResults) -> dict[str, Any]:
    """The best rule after ten rounds, with one point a round and with ten; and BPE, which has fewer rounds, of its own sizes."""
    mean = mean_interval(found.study.tuned("rounds", "bpe", 1, (MIDDLE,))[0], found.study.margins.confidence)
    told: dict[str, Any] = {"own_regret": mean.estimate, "own_low": mean.low, "own_high": mean.high}
    own = sizes(Entry("bpe", 0, PLAIN))
    told |= {"own_rounds": len(own), "own_largest": max(own)}
    for batch, name in ((1, "one"), (TEN, "tens")):
        asked = found.by_rounds[batch]
        mean = asked.means[asked.order[0]]
        told |= {
            f"{name}_title": title(asked.order[0], batch),
            f"{name}_regret": mean.estimate,
            f"{name}_low": mean.low,
            f"{name}_high": mean.high,
        }
    return told


def _others(study: Study) -> dict[str, Any]:
    """Evaluations and loss of compression, and effect of EI's incumbent."""
    kept = study.values("evaluations", "compressed-ucb", "2")
    lost = relative(study.values("cumulative", "compressed-ucb", "2"), study.values("cumulative", RULE, "2"))
    bpe = relative(study.values("cumulative", "bpe", "2"), study.values("cumulative", RULE, "2"))
    return {
        "kept": float(kept.mean()),
        "kept_least": float(kept.min()),
        "kept_most": float(kept.max()),
        "compressed_over": lost.estimate,
        "compressed_low": lost.low,
        "compressed_high": lost.high,
        "bpe_over": bpe.estimate,
        "bpe_low": bpe.low,
        "bpe_high": bpe.high,
    }


def listed(names: Sequence[str]) -> str:
    """``A, B and C``."""
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}" if names else "none"
