"""The numbers of the chapter's summary, the functions that are drawn, and the stored evidence."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from companion.core.randomness import stream
from companion.gp import gp_draw, grid, kernel_by_name
from companion.pages import Numbers, recorded
from companion.papers.batched.experiments.one_run import chapter_study, closed_over_trivial, over_trivial
from companion.papers.batched.experiments.runs import RULES
from companion.papers.batched.page.counting import batch_counts, factor_against_constant
from companion.papers.batched.page.stored_runs import Evidence, conclusion_numbers


@dataclass(frozen=True, eq=False)
class Draws:
    """A drawn surface per kernel on the 50 x 50 grid."""

    points: np.ndarray
    values: dict[str, np.ndarray]
    seed: int


@recorded(first="seed")
def draws(seed: int) -> Draws:
    """The functions that seed ``seed`` of the experiment ``appendix-e`` optimises, one per kernel."""
    points = grid(50, 2, -5.0, 5.0)
    values = {
        kernel: gp_draw(kernel_by_name(kernel, 2.0), points, stream(seed, "batched", "appendix-e", "function"))
        for kernel in RULES
    }
    return Draws(points, values, seed)


def main_numbers(evidence: Evidence) -> Numbers:
    """The numbers of the chapter's main findings, at the chapter's own parameters."""
    run, prices = chapter_study(), factor_against_constant()
    found = conclusion_numbers(evidence)
    return Numbers(
        found,
        run,
        prices,
        closed=closed_over_trivial(run),
        summed=over_trivial(run),
        exceeds=int((run.batches.measured > run.batches.realised).sum()),
        constant=float(prices.constant.min()),
        most_batches=int(batch_counts().batches.max()),
        functions=found.functions,
        contradicted=found.contradicted,
        worse_low=found.worse_low,
    )
