"""Numbers of the section that asks which bound says something: from the tables of ``sayings`` and ``measured``."""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np
import pandas as pd

from companion.bounds.trivial import two_digits
from companion.core.arrays import Floats
from companion.pages import Numbers, Table
from companion.papers.across.page.all_bounds import from_horizon, provenance
from companion.papers.across.problems.common import (
    AT,
    BATCH,
    BATCHES,
    DELTA,
    DIM,
    FARTHEST,
    GAME,
    KERNEL,
    KERNELS,
    LENGTHSCALE,
    NOISE,
    NORM,
    RUNS,
    candidates,
)
from companion.papers.across.theory import bounds_at_settings, measured_regret
from companion.papers.across.theory.bounds import BOUNDS
from companion.papers.across.theory.bounds_at_settings import rows
from companion.papers.across.theory.bounds_output import MODELS
from companion.papers.across.theory.informative_horizons import PAIRS, line_of, over_line
from companion.papers.across.theory.measured_regret import with_measured

#: Settings of the table.
COLUMNS = {
    "line, noise 0.1": ("se", 1, 0.1),
    "line, noise 0.3": ("se", 1, 0.3),
    "line, noise 1": ("se", 1, 1.0),
    "Matérn 5/2": ("matern52", 1, 0.3),
    "Matérn 3/2": ("matern32", 1, 0.3),
    "square": ("se", 2, 0.3),
}


def row_of(name: str, kernel: str, dim: int, noise: float, batch: int = BATCH) -> Mapping[str, float] | None:
    """The stored row of a bound at a setting; ``None`` where it does not apply there."""
    found = bounds_at_settings.load().tables["sayings"]
    place = kernel if BOUNDS[name].model != "game" else GAME if kernel == KERNELS[0] else ""
    found = found[(found.id == name) & (found.kernel == place) & (found.dim == dim) & (found.noise == noise)]
    found = found[found.batch == batch]
    return None if found.empty else dict(found.iloc[0])


def curve(name: str, batch: int = BATCH) -> Floats:
    """A bound over the trivial bound in the setting of the picture, at :data:`HORIZONS`."""
    return over_line(name, KERNEL, DIM, NOISE, batch)


def horizon_table() -> Table:
    """From which horizon on each bound is below the trivial bound; TS-RSR's for every batch size."""
    lines = []
    for method, pair in PAIRS.items():
        for batch in BATCHES if method == "TS-RSR" else (BATCH,):
            title = method if batch == BATCH else f"{method}, batches of {batch}"
            for k, name in enumerate(dict.fromkeys(pair)):
                told = {column: _from(row_of(name, *place, batch)) for column, place in COLUMNS.items()}
                form = BOUNDS[name]
                words = {"form": _form_of(name, pair), "f": MODELS[form.model], "holds": form.held(DELTA)}
                lines.append({"bound of": title if k == 0 else "", **words, **told})
    return Table(pd.DataFrame(lines), where=provenance())


def _form_of(name: str, pair: tuple[str, str]) -> str:
    """Origin of the constants, and the form where the other one has the same word."""
    alike = len(set(pair)) == 2 and len({BOUNDS[each].constants for each in pair}) == 1
    return BOUNDS[name].constants + (f", {BOUNDS[name].place.rpartition(', ')[2]}" if alike else "")


def horizons_on_page() -> tuple[Table, Numbers]:
    """The table for the page of bounds."""
    return horizon_table(), numbers() | saying_numbers()


def _from(row: Mapping[str, float] | None) -> str:
    return "–" if row is None else from_horizon(float(row["says_from"]))


def regret_rows() -> pd.DataFrame:
    """Bounds on regret in all settings, with the measured regret of their method where it was played."""
    return with_measured(rows("regret"))


def numbers() -> Numbers:
    """Numbers and facts of the section's sentences.

    ``silent``: bounds that say nothing in any setting up to the farthest horizon. ``slack``: least bound over measured regret;
    ``middle`` the median.
    """
    found = regret_rows()
    column = f"T={AT}"
    here = found[found.kernel.isin((KERNEL, GAME)) & (found.dim == DIM) & (found.noise == NOISE)]
    single = here[here.batch == BATCH]
    seen = found.dropna(subset=["measured", column])
    first_of = found[found.kernel != GAME].groupby(["kernel", "dim", "noise", "model"]).says_from.min().unstack()
    best = {name for pair in PAIRS.values() for name in pair[1:]}
    of_best = seen[seen.id.isin(best) & (seen.batch == BATCH)]
    by_id = found.groupby("id").says_from.min()
    first, printed = (row_of(name, KERNEL, DIM, NOISE) for name in PAIRS["TS-RSR"][::-1])
    bpe = [row_of(name, KERNEL, DIM, NOISE) for name in PAIRS["BPE"]]
    assert first is not None
    assert printed is not None
    assert bpe[1] is not None
    played = measured_regret.load().tables["measured"]
    means = played[played.batch == BATCH].pivot_table(
        index=["kernel", "dim", "noise"], columns="played", values="regret"
    )
    line = played.apply(lambda row: AT * line_of(_bound_of(row.played), row.kernel, row.dim), axis=1)
    part = played.high / line
    batched = [row for name in PAIRS["TS-RSR"] if (row := row_of(name, KERNEL, DIM, NOISE, BATCHES[-1])) is not None]
    return Numbers(
        provenance(),
        **_setting(),
        settings=len(first_of),
        silent=len(by_id[np.isinf(by_id)]),
        all=len(by_id),
        first=two_digits(first["says_from"]),
        earliest=two_digits(single.says_from.min()),
        draws_first=bool((first_of["prior"] < first_of["norm"]).all()),
        printed_batched=from_horizon(float(batched[0]["says_from"])),
        best_batched=from_horizon(float(batched[1]["says_from"])),
        single_first=bool(all(a["says_from"] < b["says_from"] for a, b in zip((printed, first), batched, strict=True))),
        first_printed=from_horizon(float(printed["says_from"])),
        bpe=from_horizon(float(bpe[1]["says_from"])),
        slack=float((seen[column] / seen.measured).min()),
        middle=float((of_best[column] / of_best.measured).median()),
        above=int((seen.highest >= seen[column]).sum()),
        compared=len(seen),
        trivial=float((played.regret / line).max()),
        trivial_high=float(part.max()),
        reached=int((part >= 1.0).sum()),
        means=len(played),
        repairs=bool(_better(found)),
        moved=[method for method in PAIRS if _moved_by_form(method)],
        compressed_later=all(_later("compressed UCB", "GP-UCB", place) for place in COLUMNS.values()),
        less=int((means["compressed-ucb"] < means["gp-ucb"]).sum()),
        below=bool((seen.highest < seen[column]).all()),
        helps=_helped_by_noise(found),
        rougher=_costs("Matérn 3/2"),
        larger=not _costs("square"),
        closed=bool(np.isinf(by_id["batched/theorem-1/printed"])),
        at_once=int(found[(found.id == PAIRS["TS-RSR"][1]) & (found.batch == 1)].says_from.max()),
    )


def _setting() -> dict[str, float]:
    """Of picture and table."""
    return {
        "at": AT,
        "noise": NOISE,
        "runs": RUNS,
        "points": candidates(DIM),
        "lengthscale": LENGTHSCALE,
        "norm": NORM,
        "batch": BATCHES[-1],
        "farthest": 10**FARTHEST,
    }


def _helped_by_noise(found: pd.DataFrame) -> bool:
    """Whether more noise brings the horizon forward where a ratio is paid, and much of it nowhere else, in all settings; without
    TS-RSR's sharper form for single points."""
    compared = found[found.id.isin({name for pair in PAIRS.values() for name in pair})]
    for (name, batch, _, _), part in compared.groupby(["id", "batch", "kernel", "dim"]):
        horizons = part.sort_values("noise").says_from.tolist()
        pays = name in PAIRS["TS-RSR"]
        if name == PAIRS["TS-RSR"][1] and batch == 1:
            continue
        if horizons != sorted(horizons, reverse=True) if pays else horizons[-1] < horizons[0]:
            return False
    return True


def _costs(column: str) -> bool:
    """Whether no bound but TS-RSR's sharper form says something earlier in a column of the table than on the line with the same
    noise, all of them for single points."""
    for pair in PAIRS.values():
        for name in pair if pair != PAIRS["TS-RSR"] else pair[:1]:
            first, other = (row_of(name, *COLUMNS[each]) for each in ("line, noise 0.3", column))
            if first is not None and other is not None and other["says_from"] < first["says_from"]:
                return False
    return True


def _moved_by_form(method: str) -> bool:
    """Whether the better form moves the horizon further, on a logarithmic scale, than any change among :data:`COLUMNS` does."""
    found = [[row_of(name, *place) for place in COLUMNS.values()] for name in PAIRS[method]]
    printed, better = (
        np.log([math.nan if row is None else float(row["says_from"]) for row in found_rows]) for found_rows in found
    )
    spreads = [float(np.ptp(v[np.isfinite(v)])) for v in (printed, better) if np.isfinite(v).any()]
    step = printed[1] - better[1]
    return bool(step > max(spreads))


def _later(method: str, other: str, place: tuple[str, int, float]) -> bool:
    """Whether a method's printed bound says something later than another's."""
    first, second = (row_of(PAIRS[name][0], *place) for name in (method, other))
    return first is not None and second is not None and bool(first["says_from"] > second["says_from"])


def _bound_of(played: str) -> str:
    """A bound whose rule that is."""
    return next(name for name, each in measured_regret.PLAYED.items() if each == played)


def _better(found: pd.DataFrame) -> bool:
    """Whether no better form says something later than the printed one, in any setting."""
    first = found.pivot_table(index=["kernel", "dim", "noise", "batch"], columns="id", values="says_from")
    pairs = [first[[printed, better]].dropna() for printed, better in PAIRS.values() if printed != better]
    return all(bool((pair.iloc[:, 1] <= pair.iloc[:, 0]).all()) for pair in pairs)


def saying_numbers() -> Numbers:
    """Informative bounds at T = 1000 in the picture's setting, with single points; forms of equal value count once.

    ``printed``, ``ours``: those printed in the five papers, and the sharper or repaired ones, without GP-UCB's, which is older;
    ``no_printed``: none of the former is below the trivial bound; ``saying_ours``: how many of the latter are, and ``blind_ours``
    below the blind line; ``saying_of``: whose all bounds below the trivial bound are; ``older_in_name``: GP-UCB's is above the
    blind line. ``expected``: methods whose bound is one on
    the expected regret; ``sure``, ``surest``: least and largest probability with which the others hold.
    """
    found = regret_rows()
    column = f"T={AT}"
    here = found[
        found.kernel.isin((KERNEL, GAME)) & (found.dim == DIM) & (found.noise == NOISE) & (found.batch == BATCH)
    ]
    here = here.assign(printed=[BOUNDS[name].reading == "printed" for name in here.id])
    here = here.sort_values("printed", ascending=False, kind="stable").drop_duplicates([column, "says_from", "model"])
    saying, older = here[here[column] < 1.0], PAIRS["GP-UCB"]
    theirs, ours = here[here.printed & ~here.id.isin(older)], here[~here.printed & ~here.id.isin(older)]
    misses = {method: BOUNDS[pair[1]].misses for method, pair in PAIRS.items()}
    holds = [1.0 - count * DELTA for count in misses.values() if count]
    return Numbers(
        provenance(),
        printed=len(theirs),
        ours=len(ours),
        no_printed=not bool((theirs[column] < 1.0).any()),
        saying_ours=int((ours[column] < 1.0).sum()),
        blind_ours=int((ours[column] < ours.blind / ours.trivial).sum()),
        older_in_name=bool((here[column] * here.trivial > here.blind)[here.id.isin(older)].all()),
        saying_of=sorted(BOUNDS[name].rule for name in saying.id),
        expected=[method for method, count in misses.items() if not count],
        sure=min(holds),
        surest=max(holds),
    )
