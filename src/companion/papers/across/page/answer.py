"""Answer of the first page: whether the bounds of the five papers say anything, at the settings that all of them share."""

from __future__ import annotations

import math
from collections.abc import Callable

import pandas as pd

from companion.bounds.trivial import two_digits
from companion.core.templates import significant
from companion.pages import Numbers, stored
from companion.papers.across.theory import bounds_at_settings
from companion.papers.across.theory.bounds import BOUNDS
from companion.papers.across.theory.informative_horizons import PAIRS

#: Evaluations at which the bounds are asked.
AT = 1000
#: In place of a horizon, where there is none up to the farthest tried.
NEVER = "none"
#: Counts of the five papers in words.
WORDS = ("none", "one", "two", "three", "four", "five")


def regret_bounds(found: pd.DataFrame) -> pd.DataFrame:
    """The stored bounds on the regret with ``paper`` and ``printed``; without GP-UCB's, which none of the five papers proves."""
    rows = found[(found.quantity == "regret") & ~found.id.isin(PAIRS["GP-UCB"])]
    return rows.assign(
        paper=[BOUNDS[name].paper for name in rows.id], printed=[BOUNDS[name].reading == "printed" for name in rows.id]
    )


def earliest(found: pd.DataFrame, name: str) -> str:
    """The first horizon of a bound in any of the settings, in two digits."""
    return earliest_of(found[found.id == name].says_from)


def earliest_of(horizons: pd.Series, which: Callable[[pd.Series], float] = min) -> str:
    """The first of some horizons, or the last, in two digits."""
    first = float(which(horizons))
    return about(first) if math.isfinite(first) else NEVER


def noise_of(found: pd.DataFrame, name: str) -> float:
    """The noise of the setting with that horizon, the least one of several."""
    part = found[found.id == name].sort_values(["says_from", "noise"])
    return float(part.noise.iloc[0])


def about(horizon: float) -> str:
    """In two digits."""
    return significant(two_digits(horizon))


def title_numbers(found: pd.DataFrame | None = None) -> Numbers:
    """From the stored table of all bounds, over all its settings.

    ``settings``: kernels, dimensions and noise levels, without the game of chapter 4. ``first``: the earliest horizon from which
    a paper's theorem, printed or with the constants of its proof, is below the trivial bound, and with none at :data:`AT`
    ``none_printed``; ``first_blind`` below random choice. ``older``, ``older_last``: earliest and latest horizon of GP-UCB's.
    ``better``: papers of which a bound that is sharper or repaired is informative at AT in at least one setting;
    ``better_blind`` of which one is below random choice; ``better_words`` and ``blind_words`` are these
    counts in words. ``batched_never``: BPE's closed form is not informative at
    any horizon tried. ``<paper>``, ``<paper>_best``: the earliest horizon
    of its main bound as printed, and in the best form; ``<paper>_noise``, ``<paper>_best_noise``: the noise there;
    ``<paper>_like``: the best form's at the printed one's noise.
    """
    table = bounds_at_settings.load()
    whole = table.tables["sayings"] if found is None else found
    rows, older = regret_bounds(whole), whole[whole.id == PAIRS["GP-UCB"][0]].says_from
    printed, column = rows[rows.printed], f"T={AT}"
    main = {BOUNDS[pair[0]].paper: pair for method, pair in PAIRS.items() if method != "GP-UCB"}
    forms = {
        f"{paper}{end}": name for paper, pair in main.items() for end, name in zip(("", "_best"), pair, strict=True)
    }
    horizons = {key: earliest(rows, name) for key, name in forms.items()}
    better = rows[~rows.printed & (rows[column] < 1.0)].paper.unique()
    blind = rows[~rows.printed & (rows.beats_blind_from <= AT)].paper.unique()
    return Numbers(
        stored(table.record.to_dict(), bounds_at_settings.STORED),
        at=significant(AT),
        settings=len(rows[rows.kernel != bounds_at_settings.GAME].groupby(["kernel", "dim", "noise"])),
        none_printed=not bool((printed[column] < 1.0).any()),
        first=about(float(printed.says_from.min())),
        first_blind=earliest_of(printed.beats_blind_from),
        older=earliest_of(older),
        older_last=earliest_of(older, max),
        better=len(better),
        better_blind=len(blind),
        better_words=WORDS[len(better)],
        blind_words=WORDS[len(blind)],
        fewer_blind=len(blind) < len(better),
        three_orders=sum(BOUNDS[pair[0]].constants == "order" for pair in main.values()) == 3,
        some_better=0 < len(better) < len(main),
        batched_never=horizons["batched"] == NEVER,
        **horizons,
        **{f"{key}_noise": noise_of(rows, name) for key, name in forms.items()},
        **{
            f"{paper}_like": earliest(rows[rows.noise == noise_of(rows, pair[0])], pair[1])
            for paper, pair in main.items()
        },
    )
