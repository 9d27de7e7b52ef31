"""The chapter's summary and where text and code part; every number is computed or read from stored results."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

import pandas as pd

from companion.papers.wdrbo.claims import questions
from companion.papers.wdrbo.claims.figures import LEADING, perform_well
from companion.papers.wdrbo.claims.general import robust_beats_nonrobust
from companion.papers.wdrbo.claims.printed import TITLE_OF, label
from companion.papers.wdrbo.studies import bound, constants, example, radius
from companion.papers.wdrbo.studies.paper import Evidence
from companion.papers.wdrbo.studies.robustness import OUTCOMES, data_driven
from companion.report import recorded, say, where_of
from companion.report.evidence import Checked
from companion.report.evidence import load_checked as evidence_of
from companion.report.text import Sentence
from companion.reproduce.reported import load_differences
from companion.reproduce.verdict import NOT_TESTABLE, Part

#: The summary's own studies: those of the chapter at its default parameters, which change what follows, not the summary.
RUNS, ROUNDS, RADIUS, REGULARISER, NOISE, ARMS = 100, 60, 0.1, 1.0, 0.1, 50


def load_checked(root: Path | None = None) -> Checked:
    """The stored evidence on this paper; see :func:`companion.report.evidence.load_checked`."""
    return evidence_of("wdrbo", "make evidence CH=5", root)


def say_findings(evidence: Evidence) -> Sentence:
    """The chapter in six items; the first thing a reader sees."""
    arms = constants.constant_study(ARMS)
    measured = bound.bound_study(0, RUNS, ROUNDS, RADIUS, REGULARISER, NOISE, brief=True)
    radii = radius.radius_study(0, RUNS, ROUNDS, REGULARISER, NOISE, brief=True)
    at = radii.at(radius.EXPERIMENT)
    shown = example.general_example()
    return say(
        "1. **The theory.** The one-round bound (Theorem 4) holds as printed, and the factor of two of its radius term "
        "cannot be improved. The cumulative bound (Theorem 5) fails for small regularisers: without noise a family of instances "
        "exceeds it for every $\\lambda<{below:.4f}$, and $\\lambda$ is the noise variance of the regression. "
        "A repaired form holds for every $\\lambda$.\n"
        "2. **With all constants.** {levels}\n"
        "3. **The radius.** After {n} contexts the formula meant as a principled choice gives at least {least:.2f} diameters "
        "of the set of contexts, and {theory:.0f} with our explicit covering number (length-scale {lengthscale:g}, "
        "$\\delta={delta:g}$, $\\lambda={lam:g}$, all ours). In simulation {needed:.3f} of a diameter was needed, and "
        "{practice:.3f} is used.\n"
        "4. **Figure 1.** In {inside} of the {readings} readings of the example the true law lies in the ball. That WDRBO "
        "has less regret than ERBO there {beats}.\n"
        "5. **The methods.** {ranking}\n"
        "6. **Does robustness pay?** **WDRBO against ERBO**, its own form with radius zero. {pays}",
        below=arms.violated_below,
        levels=_levels(measured),
        n=radius.EXPERIMENT,
        least=float(at.least / at.diameter),
        theory=float(at.theory / at.diameter),
        lengthscale=radii.law["lengthscale"],
        delta=radii.law["delta"],
        lam=radii.law["regulariser"],
        needed=float(at.needed / at.diameter),
        practice=float(at.practice / at.diameter),
        inside=int((shown.rows["distance of the laws"] <= shown.rows.radius).sum()),
        readings=len(shown.rows),
        beats=_figure_1(evidence),
        ranking=_ranking(evidence),
        pays=_pays(evidence),
        where=where_of(evidence) + where_of(arms) + where_of(measured) + where_of(radii) + where_of(shown),
    )


def _levels(measured: bound.BoundStudy) -> str:
    """Regret, repaired bound and trivial bound at the last round, in both settings."""
    last = measured.rows[measured.rows.rounds == measured.rows.rounds.max()].set_index("setting")
    rows = [last.loc[name] for name in (bound.GENERAL, bound.DATA)]
    first, second = rows
    exceeding = sum(bool(row.ours >= row.trivial) for row in rows)
    says = ("below it in both", "below it in one of the two only", "so up to there neither says anything")[exceeding]
    return (
        f"On a small instance with $T={int(measured.rows.rounds.max())}$ the regret is {first.regret:.1f} in the general setting "
        f"and the repaired bound {first.ours:.0f}; in the data-driven one {second.regret:.1f} and {second.ours:.0f}, with the "
        f"covering number set to one, which is too little. The trivial bound $2BT$ is {first.trivial:.0f}, {says}."
    )


FAMILIES = {"wdrbo, no shift": "where the told law is the true one", "wdrbo, shifted": "where the true law is shifted"}


def _pays(evidence: Evidence) -> str:
    """A sentence for each reading of the data-driven problems, and one for the general setting."""
    extra = questions.robustness(evidence)[1]
    said = [data_driven(reading, told) for reading, told in extra["readings"].items()]
    tallies = extra["outcomes"]
    listed = [
        f"{name} it is shown to be better in {tally['better']} and worse in {tally['worse']} of {sum(tally.values())} cases"
        for key, name in FAMILIES.items()
        if sum((tally := tallies.get(key, {})).values())
    ]
    said += listed or ["with a known shift it was not run"]
    return " ".join(f"{text[0].upper()}{text[1:]}." for text in said)


def _figure_1(evidence: Evidence) -> str:
    parts, _ = robust_beats_nonrobust(evidence)
    return _outcomes((part.judgement.verdict, f"with {part.what.split(': ')[-1]}") for part in parts)


def _ranking(evidence: Evidence) -> str:
    parts, _ = questions.ranking(evidence)
    well = perform_well(evidence)[0]
    first, last = ([part for part in parts if part.what.startswith(key)] for key in ("rank first", "not competitive"))
    praised = "; ".join(
        f"of {name} it {_by_reading([part for part in well if part.what.startswith(f'{name}, ')])}"
        for name in map(label, LEADING)
    )
    near = evidence.margins.claims["worthwhile"]
    return (
        f"That the three methods do extremely well, which we take to mean within {near:.0%} of the best of five methods "
        f"and below GP-UCB on most problems: {praised}. That they rank before GP-UCB and DRBO-KDE, which the paper does not "
        f"say, {_by_reading(first)}. That DRBO-MMD, its minmax form and StableOpt are behind all others {_by_reading(last)}."
    )


def _by_reading(parts: Sequence[Part]) -> str:
    return _outcomes((part.judgement.verdict, _place(part.what)) for part in parts)


def _place(what: str) -> str:
    """``in the text's reading`` of ``rank first, text's reading``."""
    return f"in the {what.rpartition(', ')[2]}"


def _outcomes(judged: Iterable[tuple[str, str]]) -> str:
    """``holds with 15 seeds and stays undecided with all``; what has the same verdict is put together."""
    found: dict[str, list[str]] = {}
    for verdict, where in judged:
        found.setdefault(OUTCOMES[verdict], []).append(where)
    if set(found) == {OUTCOMES[NOT_TESTABLE]}:
        return OUTCOMES[NOT_TESTABLE]
    return " and ".join(f"{word} {' and '.join(places)}" for word, places in found.items())


WIDE = ("thm-5", "thm-9", "thm-16", "thm-16-i", "thm-16-ii")
"""Entries of the ledger that suppose a posterior variance, divided by lambda, of at most one."""
LOOSE = "lemma-7"
"""Holds in a form that is not the printed one."""


def say_repairs(checked: Checked) -> Sentence:
    """How many corrections have one reason, and what "holds" means where a probability is stated."""
    entries = {entry["id"]: entry for entry in checked.ledger}
    mended = [name for name, entry in entries.items() if entry["status"] not in ("holds", "not-checkable")]
    one = [name for name in WIDE if name in mended]
    likely = [e for e in entries.values() if e["kind"] == "probability" and e["status"] == "holds"]
    loose = entries.get(LOOSE)
    said = [
        f"Of the {len(mended)} entries that need a repair, {len(one)} do for one reason: they suppose $\\sigma_{{t-1}}^2\\le1$, "
        "which a regulariser below one does not give."
        if one
        else "",
        f"For the {len(likely)} that state a probability, “holds” says that the runs show no more failures than stated."
        if likely
        else "",
        f"{loose['location'].split(';')[0]}, was run in another form than printed: {loose['reason'][0].lower()}"
        f"{loose['reason'][1:].rstrip('.')}. So for it “holds” says no more than that no failure was found."
        if loose and loose["status"] == "holds" and loose["reason"]
        else "",
    ]
    return say("{text}", text=" ".join(text for text in said if text), where=checked.where)


@recorded(random=False)
def difference_rows() -> pd.DataFrame:
    """What the text says and what the published code does, item by item."""
    rows = load_differences("wdrbo", ("text", "code"))
    return rows.assign(problem=rows.problem.replace(TITLE_OF))
