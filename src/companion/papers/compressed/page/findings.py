"""Rejections possible under the rule with the printed constants."""

from __future__ import annotations

import math

import pandas as pd

from companion.pages import Numbers, recorded
from companion.papers.compressed.experiments.parameters import BUDGET
from companion.papers.compressed.problems.catalogue import NOISE_VARIANCE
from companion.papers.compressed.theory.order import copies_kept


def needed(epsilon: float = BUDGET, noise_variance: float = NOISE_VARIANCE) -> int:
    """Points that must be kept before the rule can reject one, with the printed constants by default."""
    return copies_kept(math.expm1(2.0 * epsilon), noise_variance)


@recorded(random=False)
def rejection_study() -> pd.DataFrame:
    """Points that must be kept before the rule with the printed constants can reject one (column ``needed``)."""
    return pd.DataFrame({"needed": [needed()]})


def rejection_numbers() -> Numbers:
    """Points that must be kept before the rule with the printed constants can reject one.

    ``share``: of the noise's standard deviation; a prior with this one is rejected before anything is observed.
    """
    study = rejection_study()
    return Numbers(
        study,
        needed=int(study.needed.iloc[0]),
        share=math.sqrt(math.expm1(2.0 * BUDGET)),
    )
