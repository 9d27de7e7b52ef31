"""Methods of chapter 1 that run at many seeds at once: those on a finite set, except the Markov chain of DPP-TS."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from companion.core.arrays import Floats, Indices
from companion.core.randomness import stream
from companion.gp import KernelMatrix, PriorDraws, kernel_by_name
from companion.gp.replicates import ReplicatePosterior
from companion.papers.tsrsr.experiments.definitions import rule_of
from companion.papers.tsrsr.experiments.parameters import Column, Theory
from companion.papers.tsrsr.method import vectorised
from companion.papers.tsrsr.problems.gp_functions import DOMAINS, grid_model
from companion.problems import FiniteProblem
from companion.simulate import PlainSetup
from companion.simulate.vectorised import Opening, Played, Vectorised, World

#: Experiments on a grid in the text's reading, and their dimension.
FINITE = {"gp-2d": 2, "gp-3d": 3}


def reason(experiment: str, method: str, p: Column | Theory) -> str:
    """Why the seeds of a method go one after the other."""
    if isinstance(p, Column) and (experiment not in FINITE or p.reading == "code"):
        return "because each of its rounds has other candidates in a box"
    if method == "dpp-ts":
        return "because its Markov chain goes its own way at every seed"
    return ""


def lean(setup: PlainSetup, first: PlainSetup) -> PlainSetup:
    """A seed has its own function, noise and design, which is the first batch of its policy where there is one."""
    asked = setup.policy.ask(len(setup.noise)).query if setup.facts["initial"] else np.zeros(0, dtype=np.intp)
    return replace(setup, policy=Opening(asked))


def play(world: World) -> list[Played]:
    """The choices at every seed."""
    p, setups = world.parameters, world.setups
    covariance, prior, noise_variance = _model(world)
    rounds = len(setups[0].noise)
    draws = 4 * 8 * len(setups) * p.batch_size * prior.size  # prior and posterior draws, on their way

    def check(need: int) -> None:
        world.check(need + draws)

    posterior = ReplicatePosterior(covariance, noise_variance, len(setups), rounds, world.device, check)
    generators = [stream(seed, "tsrsr", world.experiment, "rule", world.method) for seed in world.seeds]
    design = np.stack([setup.policy.query for setup in setups])
    rule = rule_of(world.method, p)
    sizes = (p.warm_up, p.batch_size, rounds)
    return vectorised.play(rule, posterior, prior, generators, design, sizes, _Values(setups))


def _model(world: World) -> tuple[Floats | KernelMatrix, PriorDraws, float]:
    """Covariance, draws of the prior and the model's noise variance, as the set-ups have them."""
    p: Column | Theory = world.parameters
    if isinstance(p, Column):
        return *grid_model(DOMAINS[FINITE[world.experiment]]), p.model_noise**2
    kernel, points = kernel_by_name(p.kernel, p.lengthscale), world.setups[0].problem.points
    return kernel(points), PriorDraws.on_points(kernel, points), p.noise**2


class _Values:
    """Values as the loop would tell them; every seed has a function of its own."""

    def __init__(self, setups: Sequence[PlainSetup]) -> None:
        self._functions = [setup.problem.values for setup in setups if isinstance(setup.problem, FiniteProblem)]
        self._noise = np.stack([setup.noise for setup in setups])

    def __call__(self, index: Indices, n: int) -> Floats:
        seen = np.stack([values[chosen] for values, chosen in zip(self._functions, index, strict=True)])
        return seen + self._noise[:, n : n + index.shape[1]]


TOGETHER = Vectorised(reason, lean, play)
