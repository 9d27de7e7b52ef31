"""One run of BPE taken apart: Proposition 2 batch by batch, and the chain from measured regret to Theorem 1."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import pandas as pd

from companion.checks.chain import Chain
from companion.gp import kernel_by_name
from companion.information import gain_bracket_curve
from companion.papers.batched.method.policy import BPE
from companion.papers.batched.plan.experiments import SETUPS, experiment
from companion.papers.batched.problems.catalogue import KERNEL_TITLES, SMOOTHNESS, grid_covariance
from companion.papers.batched.theory.chain import per_batch, regret_chain
from companion.report import cells, charts, key_numbers, recorded, say, where_of
from companion.report.text import Sentence

#: Kernels and a of rule (6): the first case of Theorem 1 for both, length-scale 0.2 on 150 points of [0, 1].
KERNELS = ("se", "matern52")
RATIO, POINTS, LENGTHSCALE = 0.6, 150, 0.2


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
    parameters = experiment("known-norm").parameters
    rows, chains, gains = [], {}, []
    for kernel in KERNELS:
        setting = {"kernel": kernel, "a": RATIO, "points_per_axis": POINTS, "lengthscale": LENGTHSCALE}
        values = parameters.resolve(setting | {"horizon": horizon, "norm": norm, "noise": noise, "delta": delta})
        setup = SETUPS["known-norm"]("bpe", seed, values)
        setup.run()
        assert isinstance(setup.policy, BPE)
        history, problem = setup.policy.history, setup.modelled.problem
        counts = sorted({record.size for record in history} | {horizon})
        covariance = grid_covariance(kernel_by_name(kernel, LENGTHSCALE), POINTS, 1)
        brackets = gain_bracket_curve(covariance, counts, noise**2)
        upper = {bracket.horizon: bracket.upper for bracket in brackets}
        gains += [{"kernel": kernel, "count": b.horizon, "lower": b.lower, "upper": b.upper} for b in brackets]
        for row in per_batch(history, problem, gain_upper=upper):
            rows.append({"kernel": kernel, "trivial": 2 * norm * row["size"]} | row)
        chains[kernel] = regret_chain(
            history, problem, gain_upper=upper, schedule="power", a=RATIO, nu=SMOOTHNESS[kernel], dim=1, norm=norm
        )
    return BoundStudy(pd.DataFrame(rows), chains, pd.DataFrame(gains), horizon)


def chapter_study() -> BoundStudy:
    """The study at the chapter's own parameters: T = 1000, norm 1, noise and delta 0.1."""
    return bound_study(0, 1000, 1.0, 0.1, 0.1)


def over_trivial(study: BoundStudy) -> float:
    """Proposition 2 summed over batches, with the certified gain, over 2 Psi T: the smaller of the kernels' ratios."""
    totals = study.batches.groupby("kernel")[["certified", "trivial"]].sum()
    return float((totals.certified / totals.trivial).min())


def show_per_batch(study: BoundStudy) -> None:
    """Key numbers: measured regret and both bounds of every batch."""
    columns = {"measured": "measured", "realised": "bound, realised gain", "certified": "bound, certified gain"}
    key_numbers(cells(study.batches, "{kernel}, batch {batch} ({size}): {}", columns), where_of(study))


def say_per_batch(study: BoundStudy) -> Sentence:
    """Whether the bound held in every batch and how it compares with the trivial bound."""
    rows = study.batches
    total = rows.groupby("kernel", sort=False)[["certified", "trivial", "measured"]].sum()
    vacuous = total.certified > total.trivial
    return say(
        "{ok} The certificate brackets $\\gamma$ within a factor {bracket:.3f}, so hardly "
        "any slack comes from there. Summed over batches the bound is {ratio_low:.1f} to {ratio_high:.1f} times the trivial "
        "bound $2\\Psi T$, which holds for any player: at $T={horizon}$ it {vacuous}.",
        ok="Every batch stays below its bound."
        if bool((rows.measured <= rows.realised).all())
        else "**In at least one batch the measured regret exceeds the bound.**",
        bracket=float((study.gains.upper / study.gains.lower).max()),
        ratio_low=float((total.certified / total.trivial).min()),
        ratio_high=float((total.certified / total.trivial).max()),
        horizon=study.horizon,
        vacuous="is vacuous" if bool(vacuous.all()) else "is informative for at least one kernel",
        where=where_of(study),
    )


def show_waterfall(study: BoundStudy) -> None:
    """Key numbers: every step of the chains."""
    key_numbers(charts.chain_numbers(study.chains, {"trivial": "trivial bound"}), where_of(study))


def say_waterfall(study: BoundStudy) -> Sentence:
    """Which inequalities give away most."""
    lines = []
    for kernel, chain in study.chains.items():
        ratios, names = chain.ratios(), [step.name for step in chain]
        first, second = sorted(range(len(ratios)), key=ratios.__getitem__, reverse=True)[:2]
        lines.append(
            f"For {KERNEL_TITLES[kernel]} it is {chain.slack:,.0f} times as large, the largest factor ({ratios[first]:.1f}) "
            f"between “{names[first]}” and “{names[first + 1]}”, the next ({ratios[second]:.1f}) between “{names[second]}” and "
            f"“{names[second + 1]}”"
        )
    return say(
        "How far is the closed form of the theorem from the measured regret? {text}.",
        text=". ".join(lines),
        where=where_of(study),
    )
