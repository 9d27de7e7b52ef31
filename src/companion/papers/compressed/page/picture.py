"""One run of compressed UCB on the example function: what is kept, and the variance at every chosen point."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from companion.core.arrays import Floats
from companion.pages import Numbers, recorded
from companion.papers.compressed.experiments.definitions import average_regret, experiment
from companion.papers.compressed.method.policy import CompressedBandit
from companion.papers.compressed.problems.catalogue import NOISE_VARIANCE

NAME = "example-function"


@dataclass(frozen=True, eq=False)
class Picture:
    """A run and its posterior at the end.

    Parameters
    ----------
    x, values, mean, sd : (N,) candidates, objective and posterior after the last round
    chosen, variance, kept : (T,) candidate chosen in a round, variance there before it, whether it was kept
    threshold : of the variance
    copies : (N,) how often each candidate is in the dictionary, initial points included
    regret, dense : average regret of the run, and of the dense method on the same seed
    """

    x: Floats
    values: Floats
    mean: Floats
    sd: Floats
    chosen: NDArray[np.intp]
    variance: Floats
    kept: NDArray[np.bool_]
    threshold: float
    copies: NDArray[np.intp]
    regret: float
    dense: float


@recorded(first="seed")
def one_run(seed: int, picture_rounds: int) -> Picture:
    """Run UCB with the horizon's budget, alpha = 1/2, and the dense method beside it."""
    ready = experiment(NAME).ready("cgp-ucb", seed, {"reading": "info-horizon", "horizon": picture_rounds})
    run = ready.run()
    full = experiment(NAME).run("gp-ucb", seed, {"horizon": picture_rounds})
    assert isinstance(ready.policy, CompressedBandit)
    first, posterior, problem = int(run.meta["initial"]), ready.policy.posterior, ready.chapter.problem
    kept = np.zeros(picture_rounds, dtype=bool)
    kept[np.asarray(run.diagnostics["kept_rounds"], dtype=np.intp) - 1] = True
    return Picture(
        problem.points[:, 0],
        problem.values,
        posterior.mean[0].copy(),
        np.sqrt(posterior.variance[0]),
        run.query[first:],
        np.asarray(run.diagnostics["variance"]),
        kept,
        float(run.diagnostics["threshold"]),
        np.bincount(posterior.indices[0], minlength=problem.size),
        float(average_regret(run)[-1]),
        float(average_regret(full)[-1]),
    )


def first_rejection(picture: Picture) -> int:
    """The round of the first rejection, from 1; 0 if there is none."""
    return int(np.argmin(picture.kept)) + 1 if not picture.kept.all() else 0


def picture_numbers(picture: Picture) -> Numbers:
    """What is kept, how often one candidate, and both regrets."""
    first = first_rejection(picture)
    return Numbers(
        picture,
        rounds=len(picture.kept),
        first=first,
        later=int(picture.kept[first:].sum()) if first else 0,
        order=int(picture.copies.sum()),
        initial=int(picture.copies.sum()) - int(picture.kept.sum()),
        distinct=int((picture.copies > 0).sum()),
        copies=int(picture.copies.max()),
        regret=picture.regret,
        dense=picture.dense,
        threshold=picture.threshold,
        noise_variance=NOISE_VARIANCE,
    )
