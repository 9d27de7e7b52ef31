"""One run of BPE taken apart: Proposition 2 batch by batch, and the chain from measured regret to Theorem 1."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import pandas as pd

from companion.checks.chain import Chain
from companion.gp import kernel_by_name
from companion.information import gain_bracket_curve
from companion.pages import recorded
from companion.papers.batched.experiments.definitions import experiment
from companion.papers.batched.method.policy import BPE
from companion.papers.batched.problems.catalogue import SMOOTHNESS, grid_covariance
from companion.papers.batched.theory.bounds import trivial_bound
from companion.papers.batched.theory.chain import per_batch, regret_chain

#: Kernels and a of rule (6): the first case of Theorem 1 for both. Length-scale 0.2 on 50 points of [0, 1] is the instance of
#: all pictures of the bound.
KERNELS = ("se", "matern52")
RATIO, POINTS, LENGTHSCALE = 0.6, 50, 0.2


@dataclass(frozen=True, eq=False)
class BoundStudy:
    """Per-batch rows (kernel, batch, size, measured, ... as in :func:`per_batch`, trivial), chains, and certified gains."""

    batches: pd.DataFrame
    chains: dict[str, Chain]
    gains: pd.DataFrame
    horizon: int


@recorded(first="seed")
@lru_cache(maxsize=4)
def bound_study(seed: int, horizon: int, norm: float, noise: float, delta: float) -> BoundStudy:
    """Run BPE with the theory width once per kernel and evaluate Proposition 2 and Theorem 1 on the run."""
    rows, chains, gains = [], {}, []
    for kernel in KERNELS:
        setting = {"kernel": kernel, "a": RATIO, "points_per_axis": POINTS, "lengthscale": LENGTHSCALE}
        setting |= {"horizon": horizon, "norm": norm, "noise": noise, "delta": delta}
        setup = experiment("known-norm").ready("bpe", seed, setting)
        setup.run()
        assert isinstance(setup.policy, BPE)
        history, problem = setup.policy.history, setup.modelled.problem
        counts = sorted({record.size for record in history} | {horizon})
        covariance = grid_covariance(kernel_by_name(kernel, LENGTHSCALE), POINTS, 1)
        brackets = gain_bracket_curve(covariance, counts, noise**2)
        upper = {bracket.horizon: bracket.upper for bracket in brackets}
        gains += [{"kernel": kernel, "count": b.horizon, "lower": b.lower, "upper": b.upper} for b in brackets]
        for row in per_batch(history, problem, gain_upper=upper):
            rows.append({"kernel": kernel, "trivial": trivial_bound(row["size"], norm, covariance)} | row)
        chains[kernel] = regret_chain(
            history,
            problem,
            gain_upper=upper,
            schedule="power",
            a=RATIO,
            nu=SMOOTHNESS[kernel],
            dim=1,
            trivial=trivial_bound(horizon, norm, covariance),
        )
    return BoundStudy(pd.DataFrame(rows), chains, pd.DataFrame(gains), horizon)


def chapter_study() -> BoundStudy:
    """The study at the chapter's own parameters: T = 1000, norm 1, noise and delta 0.1."""
    return bound_study(0, 1000, 1.0, 0.1, 0.1)


def over_trivial(study: BoundStudy) -> float:
    """Proposition 2 summed over batches, with the certified gain, over the trivial bound: the smaller of the kernels' ratios."""
    totals = study.batches.groupby("kernel")[["certified", "trivial"]].sum()
    return float((totals.certified / totals.trivial).min())


def closed_over_trivial(study: BoundStudy) -> list[float]:
    """Theorem 1 in closed form over 2 Psi T, from the smallest of the kernels' ratios."""
    return sorted(chain.steps[-1].value / chain.side["trivial"] for chain in study.chains.values())
