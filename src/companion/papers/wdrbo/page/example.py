"""Figure 1: a reference, another true distribution, and the effect of a ball around the first."""

from __future__ import annotations

from dataclasses import dataclass
from operator import attrgetter

import numpy as np
import pandas as pd

from companion.core.arrays import Floats
from companion.pages import Numbers, Rows, frame, recorded, table
from companion.papers.wdrbo.experiments.figures_claims import by_lot
from companion.papers.wdrbo.experiments.general_claims import (
    BLOCK,
    FIRST,
    linear_trend,
    reading,
    robust_beats_nonrobust,
)
from companion.papers.wdrbo.experiments.printed import Curve, WDRBOResults, label
from companion.papers.wdrbo.problems.general import RADIUS, SPREADS, GeneralExample, laws
from companion.papers.wdrbo.problems.laws import ClippedNormal
from companion.papers.wdrbo.problems.transport import law_distance

METHODS = ("wdrbo", "wdrbo-exact", "erbo")
MODULI = np.linspace(0.0, 1.0, 401)
NAN = float("nan")


@dataclass(frozen=True, eq=False)
class Example:
    """Expected rewards over |y| under both laws, and the result of every reading of the example.

    Parameters
    ----------
    told, true : (401,) expected rewards at :data:`MODULI`, in the companion's reading
    rows : reading, best |y| under both laws, loss of the best for the first under the second, distance of the laws
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
                    "best |y|, reference": float(best[0, 0]),
                    "best |y|, true": float(best[1, 0]),
                    "loss of the reference's": float(lost[1] - lost[0]),
                    "distance of the two": law_distance(*pair),
                    "radius": RADIUS,
                }
            )
    return Example(_curve(laws()[0]), _curve(laws()[1]), pd.DataFrame(rows))


def figure_1_curves(evidence: WDRBOResults) -> dict[str, Curve]:
    """Cumulative regret by method, in the companion's reading with the paper's radius."""
    found = {name: evidence.curve("cumulative", "general", name, variant=FIRST, block=BLOCK) for name in METHODS}
    return {name: curve for name, curve in found.items() if curve is not None}


@frame
def variant_rows(evidence: WDRBOResults) -> Rows:
    """Regret minus ERBO's in every reading and for every ball, paired over seeds."""
    _, extra = robust_beats_nonrobust(evidence)
    for row in extra.get("readings", []):
        yield {
            "method and reading": _in_words(row["where"]),
            "regret": row["means"][0],
            "ERBO": row["means"][1],
            "difference": row["difference"],
            "interval": f"{row['ci95'][0]:+.2f} to {row['ci95'][1]:+.2f}",
            "corrected p": row["adjusted_p"],
            "seeds": row["n"],
        }


def _in_words(where: str) -> str:
    """``WDRBO, standard deviation, radius 0.1, not clipped`` of a method and the label of its variant."""
    words = {"spread=sd": "standard deviation", "spread=variance": "variance", "clipped=False": "not clipped"}
    method, _, variant = where.rpartition(", ")
    return ", ".join([method, *(words.get(part, part.replace("=", " ")) for part in variant.split())])


def example_numbers(example: Example) -> Numbers:
    """Best decisions and loss in the companion's reading, the largest loss if the second parameters are variances, and in
    how many readings the true law lies in the ball.
    """
    rows = example.rows
    own = rows.iloc[0]
    inside = rows["distance of the two"] <= rows.radius
    return Numbers(
        example,
        told=float(own["best |y|, reference"]),
        true=float(own["best |y|, true"]),
        loss=float(own["loss of the reference's"]),
        moved=bool((rows["best |y|, reference"] < rows["best |y|, true"]).all()),
        inside=int(inside.sum()),
        own_inside=bool(inside.iloc[0]),
        star=float(own["distance of the two"] / RADIUS),
        variance_loss=float(rows["loss of the reference's"][rows["reading"].str.contains("variance")].max()),
    )


def figure_1_numbers(evidence: WDRBOResults) -> Numbers:
    """Regret at the end, WDRBO against ERBO, and the regret of late rounds over that of earlier ones."""
    parts, compared = robust_beats_nonrobust(evidence)
    trend, extra = linear_trend(evidence)
    rows, curves = variant_rows(evidence), figure_1_curves(evidence)
    gap = parts[0].judgement.difference
    values: dict[str, object] = {}
    for method in ("wdrbo", "erbo"):
        pace = extra["paces"].get(method, {"early": NAN, "late": [NAN] * 3, "ratio": [NAN] * 3})
        lot = by_lot(evidence, "general", method, variant=FIRST, block=BLOCK) if method in extra["paces"] else NAN
        values |= {
            f"{method}_{name}": value for name, value in zip(("ratio", "low", "high"), pace["ratio"], strict=True)
        }
        values |= {f"{method}_late": pace["late"][0], f"{method}_share": pace["late"][0] / lot}
    return Numbers(
        evidence,
        final=[f"{label(name)} {curve.mean[-1]:.2f}" for name, curve in curves.items()],
        regret={label(name): float(curve.mean[-1]) for name, curve in curves.items()},
        runs=max((curve.runs for curve in curves.values()), default=0),
        verdicts=[part.judgement.verdict for part in parts],
        gap=gap.estimate if gap else NAN,
        low=gap.low if gap else NAN,
        high=gap.high if gap else NAN,
        seeds=evidence.paper_runs,
        trend=[part.judgement.verdict for part in trend],
        steady=evidence.margins.claims["steady"],
        rows=len(rows),
        lower=int((rows["difference"] < 0).sum()) if len(rows) else 0,
        unsure=sum(row["ci95"][0] < 0 < row["ci95"][1] for row in compared.get("readings", [])),
        **values,
    )


figure_1_variants = table(variant_rows, digits=3)


readings = table(attrgetter("rows"), digits=3)
