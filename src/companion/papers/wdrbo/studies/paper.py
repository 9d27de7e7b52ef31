"""The stored runs of Figures 1 to 4 and Tables 1 and 2: curves, paired differences, ranks and times."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np
import pandas as pd

from companion.arrays import Floats
from companion.papers.wdrbo.claims.figures import FIGURE_2, READINGS
from companion.papers.wdrbo.claims.printed import BASE, METHOD_OF, PROBLEM_OF, TITLE_OF, Results, label
from companion.papers.wdrbo.claims.ranking import against_wdrbo, average_ranks
from companion.papers.wdrbo.plan import store
from companion.papers.wdrbo.plan.runs import METHOD_NAMES, PUBLISHED
from companion.report import Where, key_numbers, say, stored, where_of
from companion.report.text import Sentence
from companion.reproduce.claimed import beside_printed
from companion.reproduce.compare import Contrast
from companion.reproduce.stored import unjoined

KINDS = ("cumulative", "instantaneous")
FIGURES: Mapping[int, tuple[str, ...]] = {
    2: FIGURE_2,
    3: METHOD_NAMES,
}
"""Methods of Figures 2 and 3; the second shows all of the paper's, and we add WDRBO's exact form."""
WHEN = {"total": "all rounds", "late": "the last fifth"}


@dataclass(frozen=True)
class Curve:
    """Mean regret by round and its standard error over ``runs`` seeds, of one kind."""

    mean: Floats
    error: Floats
    runs: int


class Evidence(Results):
    """The stored runs beside what is printed, with what several studies compute from them."""

    @property
    def where(self) -> Where:
        """Sources of everything made from the stored results; none for results made up on the spot."""
        return stored(self.record, store.store) if self.record else Where()

    @cached_property
    def _curves(self) -> dict[tuple[str, ...], pd.Series]:
        table = self.tables["curves"].fillna({"variant": ""})
        keys = ["block", "problem", "reading", "variant", "method"]
        return {tuple(str(row[name]) for name in keys): row for _, row in table.iterrows()}

    def curve(
        self,
        kind: str,
        problem: str,
        method: str,
        reading: str = "text",
        variant: str = "",
        block: str = "figures",
    ) -> Curve | None:
        """Mean and standard error by round over the paper's number of seeds; none for a cell that was not run."""
        row = self._curves.get((block, problem, reading, variant, method))
        if row is None:
            return None
        error = unjoined(str(row[f"{kind}_se"]))
        return Curve(unjoined(str(row[kind])), error, int(row.runs))

    def readings(self) -> list[str]:
        """Readings in which WDRBO was run on all problems."""
        return [name for name in READINGS if all(self.has(problem, "wdrbo", reading=name) for problem in self.problems)]

    @cached_property
    def contrasts(self) -> dict[tuple[str, str], list[Contrast]]:
        """Every other method minus WDRBO on every problem, by reading and rounds; Holm's correction for all of them."""
        return {
            (reading, column): against_wdrbo(self, column, reading) for reading in self.readings() for column in WHEN
        }


def seeds_in_words(evidence: Evidence, methods: Sequence[str] = METHOD_NAMES, reading: str = "text") -> str:
    """``15 seeds``; where runs broke down, which cells have how many fewer."""
    settings = evidence.record["settings"]
    planned = int(settings["paper_runs" if reading == "text" else "code_runs"])
    lacking = []
    for problem in evidence.problems:
        for method in methods:
            found = evidence.curve("cumulative", problem, method, reading)
            if found is not None and found.runs < planned:
                lost = planned - found.runs
                runs = "1 run" if lost == 1 else f"{lost} runs"
                lacking.append(
                    f"{label(method)} on {TITLE_OF[problem]}: mean of {found.runs} of {planned}, {runs} broke down"
                )
    return f"{planned} seeds" + (f" ({'; '.join(lacking)})" if lacking else "")


def say_broken(evidence: Evidence) -> Sentence:
    """How many of the planned runs broke down, and that they are left out."""
    settings = evidence.record["settings"]
    lost = sorted(settings["failures"])
    if not lost:
        return say("None of the {runs} stored tasks broke down.", runs=int(settings["runs"]), where=where_of(evidence))
    return say(
        "**{lost} of the {runs} stored tasks broke down** and are left out below: {named}.",
        lost=len(lost),
        runs=int(settings["runs"]),
        named="; ".join(name.partition(" (")[0].removeprefix("wdrbo/") for name in lost),
        where=where_of(evidence),
    )


def load_paper_results(root: Path | None = None) -> Evidence:
    """Read the stored runs and the printed tables.

    Raises
    ------
    ResultError
        when the stored results are missing or damaged, naming the command that makes them
    """
    return Evidence.read(root)


# -- levels and differences --------------------------------------------------------------------------------------------


def level_rows(evidence: Evidence, reading: str) -> pd.DataFrame:
    """Cumulative regret at the end, a row for each method and a column for each problem: mean ± standard error."""
    rows = []
    for method in METHOD_NAMES:
        row: dict[str, object] = {"method": label(method)}
        for problem in evidence.problems:
            found = evidence.curve("cumulative", problem, method, reading)
            row[TITLE_OF[problem]] = "–" if found is None else f"{short(found.mean[-1])} ± {short(found.error[-1])}"
        rows.append(row)
    return pd.DataFrame(rows)


def short(value: float) -> str:
    """Three significant digits without an exponent."""
    return f"{value:.0f}" if abs(value) >= 1000 else f"{value:.3g}"


def show_levels(evidence: Evidence) -> None:
    """Key numbers: mean cumulative regret at the end, in the text's reading."""
    numbers: dict[str, object] = {}
    for problem in evidence.problems:
        for method in METHOD_NAMES:
            found = evidence.curve("cumulative", problem, method)
            if found is not None:
                numbers[f"{TITLE_OF[problem]}, {label(method)}"] = float(found.mean[-1])
    key_numbers(numbers, where_of(evidence))


def difference_rows(evidence: Evidence, reading: str, column: str) -> pd.DataFrame:
    """Differences to WDRBO in per cent of WDRBO's mean regret, with paired intervals and corrected p-values."""
    rows = []
    for one in evidence.contrasts.get((reading, column), []):
        problem, method = one.where.split(", ")
        base = one.means[1]
        gap = one.difference
        rows.append(
            {
                "problem": problem,
                "method": method,
                "percent": 100.0 * gap.estimate / base,
                "low": 100.0 * gap.low / base,
                "high": 100.0 * gap.high / base,
                "adjusted p": one.adjusted,
                "shown": one.shown(evidence.margins.significance),
                "seeds": gap.count,
            }
        )
    return pd.DataFrame(rows)


def show_differences(evidence: Evidence) -> None:
    """Key numbers: how many comparisons with WDRBO come out which way, by reading and rounds."""
    numbers: dict[str, object] = {}
    for (reading, column), listed in evidence.contrasts.items():
        signs = [one.shown(evidence.margins.significance) for one in listed]
        label_ = f"{reading}, {WHEN[column]}"
        numbers[f"{label_}: comparisons"] = len(signs)
        numbers[f"{label_}: worse than WDRBO"] = signs.count(1)
        numbers[f"{label_}: better than WDRBO"] = signs.count(-1)
    key_numbers(numbers, where_of(evidence))


def say_differences(evidence: Evidence) -> Sentence:
    """Against which methods and where WDRBO is shown to be better or worse."""
    lines = []
    for reading in evidence.readings():
        rows = difference_rows(evidence, reading, "total")
        if rows.empty:
            continue
        worse, better = rows[rows.shown == 1], rows[rows.shown == -1]
        lines.append(
            f"- **The {reading}'s reading.** Of {len(rows)} comparisons {len(worse)} show the other method to be "
            f"worse than WDRBO and {len(better)} show it to be better{_named(better)}; the others cannot be told "
            f"apart. Shown to be worse, by method: {_tally(worse)}."
        )
    text = "\n".join(lines) or "No other method is among the stored runs."
    return say("{text}", text=text, where=where_of(evidence))


def _named(rows: pd.DataFrame) -> str:
    if rows.empty:
        return ""
    return f" ({', '.join(f'{label(r.method)} on {TITLE_OF[r.problem]}' for r in rows.itertuples())})"


def _tally(rows: pd.DataFrame) -> str:
    counts = rows.groupby("method").size() if len(rows) else {}
    listed = [f"{label(name)} {counts[name]}" for name in METHOD_NAMES if name in counts]
    return ", ".join(listed) or "none"


# -- ranks -------------------------------------------------------------------------------------------------------------


def rank_rows(evidence: Evidence) -> pd.DataFrame:
    """Average rank of the mean cumulative regret over the problems, with a bootstrap interval, by method and reading."""
    rows = []
    for reading in evidence.readings():
        methods = evidence.methods(reading, published=True)
        if not methods:
            continue
        own, drawn = average_ranks(evidence.matrix(methods, reading=reading))
        low, high = np.quantile(drawn, [0.025, 0.975], axis=0)
        rows += [
            {"reading": reading, "method": method, "rank": own[k], "low": low[k], "high": high[k]}
            for k, method in enumerate(methods)
        ]
    return pd.DataFrame(rows)


def show_ranks(evidence: Evidence) -> None:
    """Key numbers: average ranks."""
    rows = rank_rows(evidence)
    numbers = {
        f"{row['reading']}: average rank of {label(row['method'])}": row["rank"] for row in rows.to_dict("records")
    }
    key_numbers(numbers or {"ranks": "not among the stored runs"}, where_of(evidence))


# -- times -------------------------------------------------------------------------------------------------------------


def time_rows(evidence: Evidence) -> pd.DataFrame:
    """Times over ERBO's, printed and ours, with our seconds; a row for each function and method."""
    rows = []
    for title, problem in PROBLEM_OF.items():
        if not evidence.timed(problem):
            continue
        for name in PUBLISHED:
            if not evidence.timed(problem, name):
                continue
            cell = next(c for c in evidence.cells if c.problem == title and METHOD_OF[c.method] == name)
            printed = evidence.printed_ratio(cell)
            margin = evidence.margins.margin(cell) / cell.mean * printed
            found = beside_printed(evidence.ratios(problem, name), printed, margin, evidence.margins.confidence)
            rows.append(
                {
                    "function": title,
                    "method": label(name),
                    "printed ratio": printed,
                    "our ratio": found["mean"],
                    "interval": f"{found['ci95'][0]:.3g} to {found['ci95'][1]:.3g}",
                    "within the margin": {"within": "yes", "outside": "no"}.get(found["verdict"], "undecided"),
                    "our seconds": float(evidence.seconds(problem, name).mean()),
                }
            )
    return pd.DataFrame(rows)


def show_times(evidence: Evidence) -> None:
    """Key numbers: printed ratios, and ours."""
    numbers: dict[str, object] = {}
    for row in time_rows(evidence).to_dict("records"):
        for name in ("printed ratio", "our ratio"):
            numbers[f"{row['function']}, {row['method']}: {name}"] = row[name]
    key_numbers(numbers or {"times": "not among the stored runs"}, where_of(evidence))


def say_times(evidence: Evidence) -> Sentence:
    """How many ratios agree, what robustness costs, and how far apart the slowest are."""
    rows = time_rows(evidence)
    if rows.empty:
        return say("No times are among the stored runs.", where=where_of(evidence))
    others = rows[rows.method != label(BASE)]
    own = rows[rows.method == label("wdrbo")]
    slow = others.loc[np.abs(np.log(others["printed ratio"] / others["our ratio"])).idxmax()]
    seconds = rows[rows.method == label(BASE)].set_index("function")["our seconds"]
    overheads = " and ".join(
        f"{row['our ratio']:.2f} on {row['function']} ({row['our seconds'] - seconds[row['function']]:+.2g} s; printed "
        f"{row['printed ratio']:.2f})"
        for _, row in own.iterrows()
    )
    return say(
        "WDRBO takes {overheads} times as long as ERBO in the same process. {within} of {all} ratios lie within the "
        "margin of the printed ones, {outside} outside. Farthest apart is {slow} on {function}: printed "
        "{printed:.1f}, ours {ours:.1f}. The base differs as well: ERBO's own run takes {base}, so what a method adds "
        "weighs more where that is short. And the inner problems do: the paper hands "
        "these problems to a generic solver, here they are solved exactly by sorting, by a dual in one variable or by "
        "an interior-point method made for the purpose.",
        overheads=overheads,
        within=int((others["within the margin"] == "yes").sum()),
        outside=int((others["within the margin"] == "no").sum()),
        all=len(others),
        slow=slow.method,
        function=slow.function,
        base=" and ".join(
            f"{row['our seconds']:.1f} s here and {evidence.printed(PROBLEM_OF[str(row['function'])], BASE):.1f} "
            f"s in print on {row['function']}"
            for _, row in rows[rows.method == label(BASE)].iterrows()
        ),
        printed=float(slow["printed ratio"]),
        ours=float(slow["our ratio"]),
        where=where_of(evidence),
    )
