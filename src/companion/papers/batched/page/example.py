"""Small runs that show the method, kept batch by batch."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd

from companion.bounds.confidence import UnionBoundWidth
from companion.core.arrays import Floats
from companion.pages import Numbers, Rows, frame, recorded
from companion.papers.batched.experiments.definitions import experiment
from companion.papers.batched.method.policy import BPE, BatchRecord
from companion.papers.batched.method.sizes import power_sizes
from companion.policies import GPUCB
from companion.problems import FiniteProblem
from companion.problems.running import LENGTHSCALE, NOISE, running_interpolant
from companion.simulate import run_policy


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

    def valid(self, batch: int) -> bool:
        """Whether f lies within the bounds at every candidate with a posterior."""
        lower, upper = self.bounds(batch)
        return bool((np.isnan(lower) | ((lower <= self.problem.values) & (self.problem.values <= upper))).all())


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


#: The runs that are drawn: three batches on the interpolant of the running function, which has a norm.
HORIZON, RATIO, FIXED_WIDTH = 60, 0.5, 2.0


@dataclass(frozen=True, eq=False)
class Batches:
    """The running example, played with a fixed width and, on the same noise, with the theory's; and its norm."""

    fixed: Played
    theory: Played
    norm: float


def _running() -> tuple[FiniteProblem, Floats, float]:
    """The running example with its covariance and norm."""
    x, covariance, values, norm = running_interpolant()
    problem = FiniteProblem("running example", x[:, None], values, NOISE, "interpolates a draw of the prior")
    return problem, covariance, norm


# The running function has a seed of its own.
@recorded(first="seed", fixed=(0,))
def drawn_batches(seed: int, delta: float) -> Batches:
    """BPE on the running example, once for each width."""
    problem, covariance, norm = _running()
    values = problem.values
    sizes = power_sizes(HORIZON, RATIO)
    noise = np.split(NOISE * np.random.default_rng(seed).standard_normal(HORIZON), np.cumsum(sizes)[:-1])
    played = []
    for width in (FIXED_WIDTH, UnionBoundWidth(norm, problem.size, len(sizes), delta).width()):
        policy, observed = BPE(covariance, NOISE**2, sizes, width), []
        for place, z in enumerate(noise):
            observed.append(values[policy.ask(sum(sizes[place:])).query] + z)
            policy.tell(observed[-1])
        played.append(Played(problem, tuple(policy.history), tuple(observed)))
    return Batches(played[0], played[1], norm)


def drawn_numbers(study: Batches) -> Numbers:
    """Sizes, survivors of every batch for both widths, and whether the maximiser is among them."""
    runs = (study.fixed, study.theory)
    alive, alive_theory = ([int(record.survivors.sum()) for record in played.history] for played in runs)
    return Numbers(
        study,
        points=study.fixed.problem.size,
        lengthscale=LENGTHSCALE,
        noise_sd=NOISE,
        evaluations=HORIZON,
        batches=len(study.fixed.history),
        norm=study.norm,
        sizes=[record.size for record in study.fixed.history],
        sizes_first=study.fixed.history[0].size,
        fixed=FIXED_WIDTH,
        theory=study.theory.history[0].width,
        alive=alive,
        first=alive[0],
        last=alive[-1],
        alive_theory=alive_theory,
        first_theory=alive_theory[0],
        last_theory=alive_theory[-1],
        valid=[all(played.valid(batch) for batch in range(len(played.history))) for played in runs],
        kept=all(played.history[-1].survivors[played.problem.optimum_index] for played in runs),
    )


#: Runs of the comparison with GP-UCB, and the ratios of rule (6) in it.
RIVAL_RUNS, RIVAL_RATIOS = 20, (0.6, 0.4)


@recorded(first="seed", count=RIVAL_RUNS, fixed=(0,))
@frame
def without_batches(seed: int, horizon: int) -> Rows:
    """Regret of GP-UCB and of BPE on the running example, one width for both: a row a noise seed, a column a policy."""
    problem, covariance, _ = _running()
    for number in range(seed, seed + RIVAL_RUNS):
        noise = NOISE * np.random.default_rng(number).standard_normal(horizon)
        policies: dict[str, GPUCB | BPE] = {"GP-UCB": GPUCB(covariance, NOISE**2, FIXED_WIDTH, horizon)}
        for a in RIVAL_RATIOS:
            policies[f"a = {a:g}"] = BPE(covariance, NOISE**2, power_sizes(horizon, a), FIXED_WIDTH)
        yield {name: run_policy(one, problem, horizon, noise).cumulative_regret[-1] for name, one in policies.items()}


def rival_numbers(regret: pd.DataFrame) -> Numbers:
    """Mean regret of GP-UCB and of BPE, and the least that BPE lost at a seed over what GP-UCB did."""
    means, sequential = regret.mean(), regret["GP-UCB"]
    return Numbers(
        regret,
        noise_seeds=len(regret),
        sequential=float(means["GP-UCB"]),
        batched=[float(means[f"a = {a:g}"]) for a in RIVAL_RATIOS],
        least=float(regret.drop(columns="GP-UCB").min(axis=1).div(sequential).min()),
    )
