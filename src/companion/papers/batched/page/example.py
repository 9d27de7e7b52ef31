"""Small runs that show the method: the one that the chapter shows as code to copy, and those that it draws."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import pandas as pd

from companion.core.arrays import Floats
from companion.gp import Matern, gp_draw, grid
from companion.pages import Numbers, recorded
from companion.papers.batched.experiments.definitions import experiment
from companion.papers.batched.method.policy import BPE, BatchRecord
from companion.papers.batched.method.sizes import power_sizes
from companion.problems import FiniteProblem


@recorded(first="seed")
def copied_run(seed: int) -> pd.DataFrame:
    """Per batch: size, mean regret of its evaluations, survivors, and whether the maximiser is one of them."""
    rng, kernel, points, left = np.random.default_rng(seed), Matern(nu=2.5, lengthscale=0.1), grid(200, dim=1), 500
    f = gp_draw(kernel, points, rng)
    policy = BPE(kernel(points), noise_variance=0.1**2, sizes=power_sizes(left, a=0.6), width=2.0)
    rows = []
    while left > 0:
        x = policy.ask(left).query
        policy.tell(f[x] + 0.1 * rng.standard_normal(len(x)))
        left -= len(x)
        alive = policy.active
        rows.append((len(x), float(np.mean(f.max() - f[x])), int(alive.sum()), bool(alive[f.argmax()])))
    return pd.DataFrame(rows, columns=["size", "regret", "survivors", "maximiser"])


@dataclass(frozen=True, eq=False)
class Played:
    """A problem and what a batched policy did on it.

    Parameters
    ----------
    problem : with the true values
    history : one record per batch
    observed : the observations of every batch, in the order of its queries
    """

    problem: FiniteProblem
    history: tuple[BatchRecord, ...]
    observed: tuple[Floats, ...]

    def bounds(self, batch: int) -> tuple[Floats, Floats]:
        """Lower and upper confidence bounds after a batch, by its place from 0; not a number without a posterior."""
        record = self.history[batch]
        ends = np.full((2, self.problem.size), np.nan)
        ends[:, record.modelled] = record.mean + np.outer((-record.width, record.width), record.sd)
        return ends[0], ends[1]


def play(name: str, method: str, seed: int, setting: dict[str, object]) -> Played:
    """A run of one of the chapter's experiments, kept batch by batch."""
    setup = experiment(name).ready(method, seed, setting)
    setup.run()
    assert isinstance(setup.policy, BPE)
    history, problem = tuple(setup.policy.history), setup.modelled.problem
    ends = np.cumsum([record.size for record in history])[:-1]
    noise = np.split(setup.noise, ends)
    observed = tuple(problem.values[record.query] + z for record, z in zip(history, noise, strict=True))
    return Played(problem, history, observed)


#: The runs that are drawn: three batches on 200 points of [0, 1].
DRAWN = {"kernel": "matern52", "lengthscale": 0.1, "points_per_axis": 200, "horizon": 100, "a": 0.4}
FIXED_WIDTH = 2.0


@dataclass(frozen=True, eq=False)
class Batches:
    """The same function, design rule and noise, played with a fixed width and with the theory's."""

    fixed: Played
    theory: Played


@recorded(first="seed")
def drawn_batches(seed: int, norm: float, noise: float, delta: float) -> Batches:
    """BPE on a function of norm ``norm``, once for each width."""
    shared = DRAWN | {"norm": norm, "noise": noise, "delta": delta}
    fixed = shared | {"width": "fixed", "multiplier": FIXED_WIDTH}
    return Batches(play("known-norm", "bpe", seed, fixed), play("known-norm", "bpe", seed, shared))


def drawn_numbers(study: Batches) -> Numbers:
    """Sizes, survivors of every batch for both widths, and whether the maximiser is among them."""
    alive = {name: [int(r.survivors.sum()) for r in played.history] for name, played in _both(study)}
    kept = {name: bool(p.history[-1].survivors[p.problem.optimum_index]) for name, p in _both(study)}
    return Numbers(
        study,
        points=study.fixed.problem.size,
        sizes=[record.size for record in study.fixed.history],
        sizes_first=study.fixed.history[0].size,
        fixed=FIXED_WIDTH,
        theory=study.theory.history[0].width,
        alive=alive["fixed"],
        first=alive["fixed"][0],
        last=alive["fixed"][-1],
        last_theory=alive["theory"][-1],
        alive_theory=alive["theory"],
        kept=all(kept.values()),
        height=study.fixed.problem.optimum,
    )


def _both(study: Batches) -> Iterator[tuple[str, Played]]:
    return iter((("fixed", study.fixed), ("theory", study.theory)))
