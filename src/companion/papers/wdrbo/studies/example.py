"""Figure 1: a told law, another true one, and what a ball around the first does."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd

from companion.arrays import Floats
from companion.papers.wdrbo.claims.general import BLOCK, FIRST, linear_trend, reading, robust_beats_nonrobust
from companion.papers.wdrbo.claims.printed import label
from companion.papers.wdrbo.problems.general import RADIUS, SPREADS, GeneralExample, laws
from companion.papers.wdrbo.problems.laws import ClippedNormal
from companion.papers.wdrbo.problems.transport import law_distance
from companion.papers.wdrbo.studies.paper import Curve, Evidence
from companion.papers.wdrbo.studies.robustness import OUTCOMES
from companion.report import key_numbers, recorded, say, where_of
from companion.report.text import Sentence

METHODS = ("wdrbo", "wdrbo-exact", "erbo")
MODULI = np.linspace(0.0, 1.0, 401)


@dataclass(frozen=True, eq=False)
class Example:
    """Expected rewards over |y| under both laws, and what every reading of the example comes to.

    Parameters
    ----------
    told, true : (401,) expected rewards at :data:`MODULI`, in the companion's reading
    rows : reading, best |y| under both laws, loss of the told one under the true law, distance of the laws
    """

    told: Floats
    true: Floats
    rows: pd.DataFrame


def _curve(law: ClippedNormal) -> Floats:
    return GeneralExample(law.distance(0.5)).by_modulus(MODULI[:, None])[0]


@recorded(random=False)
def general_example() -> Example:
    """All four readings of the two laws; everything is a closed form or a one-dimensional integral."""
    rows = []
    for spread in SPREADS:
        for clipped in (True, False):
            pair = laws(spread, clipped)
            told, true = (GeneralExample(law.distance(0.5)) for law in pair)
            best = np.array([[told.optimiser], [true.optimiser]])
            lost = true.by_modulus(best)[0]
            rows.append(
                {
                    "reading": reading(spread, clipped),
                    "best |y|, told law": float(best[0, 0]),
                    "best |y|, true law": float(best[1, 0]),
                    "loss of the told one": float(lost[1] - lost[0]),
                    "distance of the laws": law_distance(*pair),
                    "radius": RADIUS,
                }
            )
    return Example(_curve(laws()[0]), _curve(laws()[1]), pd.DataFrame(rows))


def figure_1_curves(evidence: Evidence) -> dict[str, Curve]:
    """Cumulative regret by method, in the companion's reading with the paper's radius."""
    found = {name: evidence.curve("cumulative", "general", name, variant=FIRST, block=BLOCK) for name in METHODS}
    return {name: curve for name, curve in found.items() if curve is not None}


def variant_rows(evidence: Evidence) -> pd.DataFrame:
    """Regret minus ERBO's in every reading and for every ball, paired over seeds."""
    _, extra = robust_beats_nonrobust(evidence)
    return pd.DataFrame(
        [
            {
                "method and reading": row["where"],
                "regret": row["means"][0],
                "ERBO": row["means"][1],
                "difference": row["difference"],
                "interval": f"{row['ci95'][0]:+.2f} to {row['ci95'][1]:+.2f}",
                "corrected p": row["adjusted_p"],
                "seeds": row["n"],
            }
            for row in extra.get("readings", [])
        ]
    )


def show_example(example: Example, evidence: Evidence) -> None:
    """Key numbers: optima, losses and distances by reading; final regrets."""
    numbers: dict[str, object] = {}
    for row in example.rows.to_dict("records"):
        for name in ("best |y|, told law", "best |y|, true law", "loss of the told one", "distance of the laws"):
            numbers[f"{row['reading']}: {name}"] = row[name]
    for method, curve in figure_1_curves(evidence).items():
        numbers[f"cumulative regret of {label(method)}"] = float(curve.mean[-1])
    key_numbers(numbers, where_of(example) + where_of(evidence))


def say_example(example: Example) -> Sentence:
    """Whether the optimum moves, and whether the true law lies in the ball."""
    rows = example.rows
    own = rows.iloc[0]
    inside = int((rows["distance of the laws"] <= rows.radius).sum())
    loss = rows["loss of the told one"]
    return say(
        "With standard deviations and contexts clipped, the reading taken here, the best decision moves from "
        "$|y|={told:.3f}$ to $|y|={true:.3f}$, and the told one loses {loss:.3f} a round. In other readings it loses "
        "{low:.2g} to {high:.2g}. The true law lies in the ball of radius {radius:g} in {inside} of the four "
        "readings: the laws are {near:.3f} to {far:.3f} apart. {consequence}",
        told=float(own["best |y|, told law"]),
        true=float(own["best |y|, true law"]),
        loss=float(own["loss of the told one"]),
        low=float(loss.iloc[1:].min()),
        high=float(loss.iloc[1:].max()),
        radius=RADIUS,
        inside=inside,
        near=float(rows["distance of the laws"].min()),
        far=float(rows["distance of the laws"].max()),
        consequence="So Theorem 4, which supposes it, does not speak about the paper's own example."
        if inside == 0
        else "Where it does not, Theorem 4 does not speak about the example.",
        where=where_of(example),
    )


def say_figure_1(evidence: Evidence) -> Sentence:
    """Whether WDRBO beats ERBO and whether the regret is linear, in words."""
    parts, _ = robust_beats_nonrobust(evidence)
    trend, _ = linear_trend(evidence)
    rows = variant_rows(evidence)
    if rows.empty:
        return say("Figure 1 is not among the stored runs.", where=where_of(evidence))
    lower = "; ".join(
        f"with {part.what.split(': ')[-1]} it {OUTCOMES[part.judgement.verdict]} ({part.judgement.reason})"
        for part in parts
    )
    linear = "; ".join(
        f"for {part.what} it {OUTCOMES[part.judgement.verdict]} ({part.judgement.reason})" for part in trend
    )
    gains = int((rows["difference"] < 0).sum())
    return say(
        "**WDRBO has less regret than ERBO**: {lower}. **The regret grows linearly**: {linear}. Of all {all} "
        "combinations of reading, ball and form of the rule that were run, the robust rule has the smaller mean in "
        "{gains}.",
        lower=lower,
        linear=linear,
        all=len(rows),
        gains=gains,
        where=where_of(evidence),
    )
