"""Three questions, answered apart: is the bound's condition met, does the ranking hold, does robustness pay."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd

from companion.papers.wdrbo.claims import questions
from companion.papers.wdrbo.claims.figures import LEADING, perform_well
from companion.papers.wdrbo.claims.printed import TITLE_OF, aligned, label
from companion.papers.wdrbo.claims.questions import WANTED, by_variant
from companion.papers.wdrbo.claims.ranking import on_problems
from companion.papers.wdrbo.plan.coverage import LAWS, counts
from companion.papers.wdrbo.plan.experiments import experiment
from companion.papers.wdrbo.plan.runs import SEVEN
from companion.papers.wdrbo.studies.paper import Evidence
from companion.report import key_numbers, say, where_of
from companion.report.text import Sentence
from companion.reproduce.compare import Contrast, contrasts
from companion.reproduce.verdict import CONTRADICTED, HOLDS, NOT_TESTABLE, UNDECIDED, Part
from companion.reproduce.whose import of_paper

COLUMNS = {"total": "all rounds", "early": "the first fifth", "late": "the last fifth"}
TINY = 1e-12
"""Stands for a regret of zero, of which nothing is a percentage."""
ROBUST = ("wdrbo", "wdrbo-exact")
IN_WORDS = {"burr": "Burr", "clipped normal, twice": "two clipped normals", "uniform, twice": "two uniforms"}
"""Names of the laws in sentences, where they differ from those in the tables."""
PAYS = {HOLDS: "better", CONTRADICTED: "worse", NOT_TESTABLE: "not run"}
"""How a verdict on "the robust method is better" reads."""


# -- does the bound hold -----------------------------------------------------------------------------------------------

OUTCOMES = {
    HOLDS: "holds",
    CONTRADICTED: "is contradicted",
    UNDECIDED: "stays undecided",
    NOT_TESTABLE: "was not run",
}
"""How the verdict on a claim about runs reads in a sentence."""

PROGRAMS = {"text": "the text's reading with our search", "code": "the published program's reading"}
"""Readings of the data-driven experiments in words."""


def data_driven(reading: str, told: Mapping[str, int]) -> str:
    """WDRBO against ERBO on the data-driven problems in one reading."""
    strict = told["worse, all"]
    beside = f" ({strict} when corrected for all methods)" if strict != told["worse"] else ""
    return (
        f"on the data-driven problems, in {PROGRAMS[reading]} ({told['seeds']} seeds), WDRBO is shown to be better on "
        f"{told['better']} and worse on {told['worse']} of {told['problems']}{beside}, and has the lower mean on "
        f"{told['lower mean']}"
    )


def coverage_rows(evidence: Evidence) -> pd.DataFrame:
    """How often the ball of the experiments holds the true law, by law and number of contexts."""
    rows = []
    for row in questions.coverage_rows(evidence):
        low, high = row["ci95"]
        rows.append(
            {**{k: row[k] for k in ("law", "count", "draws", "mean", "radius", "covered")}, "low": low, "high": high}
        )
    return pd.DataFrame(rows)


def show_coverage(evidence: Evidence) -> None:
    """Key numbers: shares at the largest number of contexts of every law."""
    rows = coverage_rows(evidence)
    numbers: dict[str, object] = {}
    for law in LAWS:
        row = rows[(rows.law == law) & (rows["count"] == counts(law)[-1])].iloc[0]
        numbers[f"{law}: mean distance of {counts(law)[-1]} contexts"] = float(row["mean"])
        numbers[f"{law}: radius"] = float(row.radius)
        numbers[f"{law}: share of samples whose ball holds the law"] = float(row.covered)
    key_numbers(numbers, where_of(evidence))


def say_coverage(evidence: Evidence) -> Sentence:
    """For which laws the radius of the experiments is a ball that holds the true law often enough."""
    parts, _ = questions.bound(evidence)
    groups = _grouped(parts, OUTCOMES)
    flat = [law for law, entry in LAWS.items() if entry.dim == 1]
    rows = coverage_rows(evidence)
    plane = rows[~rows.law.isin(flat)]
    last = plane[plane["count"] == plane["count"].max()]
    return say(
        "“The ball of radius $0.3/\\sqrt n$ holds the true law with probability {wanted:.0%}” {groups} (laws at the "
        "largest number of contexts tried). With two coordinates the distance shrinks more slowly than the radius: "
        "after {count} contexts the mean distance is {low:.2f} to {high:.2f} times the radius. A bound whose "
        "condition fails is not refuted; it has nothing to say.",
        wanted=WANTED,
        groups=groups,
        count=int(last["count"].iloc[0]),
        low=float((last["mean"] / last.radius).min()),
        high=float((last["mean"] / last.radius).max()),
        where=where_of(evidence),
    )


def _grouped(parts: Any, words: dict[str, str]) -> str:
    found: dict[str, list[str]] = {}
    for part in parts:
        name = part.what.split(":")[0]
        found.setdefault(words[part.judgement.verdict], []).append(IN_WORDS.get(name, name))
    return "; ".join(f"{word} for {', '.join(names)}" for word, names in found.items())


# -- does the ranking hold ---------------------------------------------------------------------------------------------


def say_ranking(evidence: Evidence) -> Sentence:
    """What the text says of two groups of methods, and whether the first also ranks first, in both readings."""
    parts, _ = questions.ranking(evidence)
    well = perform_well(evidence)[0]
    listed = {
        **{f"{name} does extremely well (our test)": _starting(well, f"{name}, ") for name in map(label, LEADING)},
        "WDRBO, ERBO and SBO-KDE rank before GP-UCB and DRBO-KDE (our question)": _starting(parts, "rank first"),
        "DRBO-MMD, its minmax form and StableOpt are behind the five others": _starting(parts, "not competitive"),
    }
    lines = []
    for title, own in listed.items():
        said = "; ".join(
            f"in the {part.what.rpartition(', ')[2]} it {OUTCOMES[part.judgement.verdict]}{_because(part)}"
            for part in own
        )
        lines.append(f"- **{title}**: {said}.")
    return say("{text}", text="\n".join(lines), where=where_of(evidence))


def _starting(parts: Sequence[Part], beginning: str) -> list[Part]:
    return [part for part in parts if part.what.startswith(beginning)]


def _because(part: Part) -> str:
    """The reason in brackets; that something was not run needs none."""
    return "" if part.judgement.verdict == NOT_TESTABLE else f" ({part.judgement.reason})"


def claim_rows(entries: list[dict[str, Any]]) -> pd.DataFrame:
    """Claims of the stored verdicts with the outcome of each part; the questions of the companion are left out."""
    return pd.DataFrame(
        [
            {
                "claim": entry["claim"],
                "where": entry["source"],
                "verdict": entry["verdict"],
                "parts": _parts(entry.get("parts", [])),
            }
            for entry in of_paper(entries)
            if entry["kind"] == "claim"
        ]
    )


def _parts(parts: list[dict[str, Any]]) -> str:
    counts_of: dict[str, int] = {}
    for part in parts:
        counts_of[part["verdict"]] = counts_of.get(part["verdict"], 0) + 1
    return ", ".join(f"{count} {verdict}" for verdict, count in counts_of.items()) or "–"


# -- does robustness pay -----------------------------------------------------------------------------------------------


def _percent(one: Contrast) -> dict[str, float]:
    gap, base = one.difference, max(one.means[1], TINY)
    return {"percent": 100 * gap.estimate / base, "low": 100 * gap.low / base, "high": 100 * gap.high / base}


def data_driven_rows(evidence: Evidence, reading: str = "text") -> pd.DataFrame:
    """WDRBO minus ERBO in per cent of ERBO's mean regret, by problem, for all, the first and the last rounds."""
    rows = []
    for column in COLUMNS:
        for one in on_problems(evidence, "wdrbo", "erbo", column, reading):
            rows.append(
                {
                    "problem": one.where,
                    "column": column,
                    **_percent(one),
                    "shown": one.shown(evidence.margins.significance),
                }
            )
    return pd.DataFrame(rows, columns=["problem", "column", "percent", "low", "high", "shown"])


def shift_rows(evidence: Evidence) -> pd.DataFrame:
    """The robust rules minus ERBO under a known shift, in per cent of ERBO's mean regret."""
    rows = []
    titles = {title: name for name, title in TITLE_OF.items()}
    for method in ROBUST:
        for one in questions.shifted(evidence, method):
            title, _, shift = one.where.rpartition(", shift ")
            shown = one.shown(evidence.margins.significance)
            row = {"problem": titles[title], "method": method, "shift": float(shift)}
            rows.append(row | _percent(one) | {"shown": shown})
    return pd.DataFrame(rows)


def radius_rows(evidence: Evidence) -> pd.DataFrame:
    """WDRBO with the radius a / sqrt(n) minus ERBO, in per cent, for the constants that were run and the paper's."""
    pairs = {}
    for problem in SEVEN:
        for variant, method in evidence.variants(problem, "radius"):
            if evidence.has(problem, "erbo"):
                one, two = evidence.of(problem, method, variant=variant, block="radius"), evidence.of(problem, "erbo")
                pairs[f"{problem}, {variant.removeprefix('radius=')}"] = aligned(one.total, two.total)
        if any(key.startswith(f"{problem}, ") for key in pairs):
            pairs[f"{problem}, {_published(problem):g}"] = evidence.pair(problem, "wdrbo", "erbo")
    rows = []
    for one in contrasts(pairs, evidence.margins.confidence) if pairs else []:
        problem, constant = one.where.split(", ")
        shown = one.shown(evidence.margins.significance)
        rows.append({"problem": problem, "constant": float(constant), **_percent(one), "shown": shown})
    return pd.DataFrame(rows).sort_values(["problem", "constant"]) if rows else pd.DataFrame(rows)


def _published(problem: str) -> float:
    parameters = experiment(problem).parameters
    return float(str(parameters.defaults["radius"]))


def show_robustness(evidence: Evidence) -> None:
    """Key numbers: outcomes of all comparisons with ERBO."""
    _, extra = questions.robustness(evidence)
    numbers: dict[str, object] = {}
    for family, tally in extra["outcomes"].items():
        for outcome, count in tally.items():
            numbers[f"{family}: {outcome}"] = count
    for row in radius_rows(evidence).to_dict("records"):
        numbers[f"{row['problem']}, radius {row['constant']:g}/√n: per cent of ERBO's regret"] = row["percent"]
    key_numbers(numbers, where_of(evidence))


def say_robustness(evidence: Evidence) -> Sentence:
    """Where a ball around the told law helps, and where it costs."""
    parts, extra = questions.robustness(evidence)
    tally = extra["outcomes"]
    said = [data_driven(reading, told) for reading, told in extra["readings"].items()]
    lines = [f"- {text[0].upper()}{text[1:]}." for text in said]
    lines += [
        f"- **{title}** {_outcomes(tally[key])}"
        for key, title in (
            ("wdrbo, no shift", "A told law that is the true one: WDRBO is"),
            ("wdrbo, shifted", "A true law shifted from the told one: WDRBO is"),
            ("wdrbo-exact, shifted", "The same with the exact worst case instead of the penalty:"),
        )
        if key in tally
    ]
    lines.append(_named(parts))
    return say("{text}", text="\n".join(lines), where=where_of(evidence))


def _outcomes(tally: dict[str, int]) -> str:
    total = sum(tally.values())
    return (
        f"shown to be better in {tally['better']}, worse in {tally['worse']} of {total}; in {tally['not told apart']} "
        f"the two cannot be told apart."
    )


def _named(parts: Any) -> str:
    """Where WDRBO itself is shown to be better or worse than ERBO, by problem; its exact form is in the figure."""

    def listed(verdict: str) -> str:
        found: dict[str, list[str]] = {}
        for part in parts:
            rule, _, where = part.what.partition(", ")
            if part.judgement.verdict != verdict or where.startswith("exact"):
                continue
            problem, setting = (where, rule) if rule == "data-driven" else where.rsplit(", ", 1)
            found.setdefault(problem, []).append(setting)
        return "; ".join(f"{problem} ({', '.join(settings)})" for problem, settings in found.items()) or "nowhere"

    return f"- WDRBO is shown to pay: {listed(HOLDS)}. It is shown to cost: {listed(CONTRADICTED)}."


def region_rows(evidence: Evidence) -> pd.DataFrame:
    """WDRBO with its Lipschitz constant between the seen contexts only, minus ERBO."""
    return pd.DataFrame(
        [
            {
                "problem": TITLE_OF[row["where"].split(", ")[0]],
                "regret": row["means"][0],
                "ERBO": row["means"][1],
                "difference": row["difference"],
                "interval": f"{row['ci95'][0]:+.3g} to {row['ci95'][1]:+.3g}",
                "corrected p": row["adjusted_p"],
            }
            for row in by_variant(evidence, "region")
        ]
    )


def part_rows(parts: list[Part]) -> pd.DataFrame:
    """What was compared, how it came out, and why."""
    return pd.DataFrame(
        [
            {
                "where": part.what,
                "robust is": PAYS.get(part.judgement.verdict, "not told apart"),
                "reason": part.judgement.reason,
            }
            for part in parts
        ]
    )
