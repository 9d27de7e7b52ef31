"""Stopping where the model is fitted, wrong in shape, or not the one that plays.

``python -m companion.papers.across.experiments stopping_models`` makes the tables, in forty minutes on one core.

Fixed before these runs, when those of :mod:`.stopping` were known; functions, noise, seeds, rules, metrics
and intervals are theirs. Known of these runs were blocks at seed 99, made to see that the code works.

- Fitted: on the line, SE and Matern 3/2, draws and norm, noise 0.1. Before every evaluation each run takes the length-scale of
  largest likelihood among nine from 0.05 to 0.8, half an octave apart; the kernel's shape, its variance and the noise are known.
  The first five points are random, and no rule stops before. GP-UCB plays with the fitted model and width 2.
- Half: a rule of thumb said to play with the length-scale that one believes in, and to stop with half of it. So once with the
  fitted model where it plays and half its length-scale where rules judge; once with the right model and half of its length-scale;
  and once played with twice the true length-scale and judged with half of that, the true one.
- Shape: on the line a kernel that is smoother than f's, SE for Matern 3/2, or rougher, Matern 1/2 for either.
- Place: on the square, noise 0.3 with the right model for all kernels, and length-scale halved or doubled for SE at noise 0.1.
- Player: where f is drawn, on the line with SE and on arms at noise 0.1, expected improvement over the largest mean plays.
- The rule by sampling is left out where it would draw nearly always: with half of a fitted length-scale, and on the square for
  a norm.
- Analysis: a promise breaks where the whole interval lies above delta; shares are told of all runs, and of those that stop.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, replace
from itertools import product

from companion.papers.across.experiments import stopping
from companion.papers.across.experiments import stopping_play as played
from companion.papers.across.experiments.stopping_play import StoppingSetting
from companion.papers.across.experiments.width_grid_runs import Kind
from companion.papers.across.problems.common import stored_set
from companion.simulate.task_store import Task
from companion.stored.blocks import Block


def settings() -> Iterator[StoppingSetting]:
    """All of them."""
    kinds: tuple[Kind, ...] = ("prior", "norm")
    known = (played.JUDGED_HALF, played.JUDGED_RIGHT)
    for kernel, kind, model in product(
        ("se", "matern32"), kinds, (played.FITTED, played.FITTED_HALF, *known, "rougher")
    ):
        yield StoppingSetting("line", kernel, kind, 0.1, model)
    for kind in kinds:
        yield StoppingSetting("line", "matern32", kind, 0.1, "smoother")
    for kernel, kind in product(played.KERNELS, kinds):
        yield StoppingSetting("square", kernel, kind, 0.3)
    for model in ("lengthscale/2", "lengthscale*2"):
        yield StoppingSetting("square", "se", "prior", 0.1, model)
    for place, kernel in (("line", "se"), ("arms", played.NO_KERNEL)):
        yield StoppingSetting(place, kernel, "prior", 0.1, player=played.IMPROVEMENT)


def blocks(plan: None = None) -> list[Block]:
    """All blocks."""
    listed = [asdict(setting) for setting in settings()]
    tasks = [Task("across/stopping", "gp-ucb", setting, seed) for seed in played.SEEDS for setting in listed]
    return [Block("stopping", tasks)]


TABLES = {
    "stopping_models_blocks": stopping.TABLES["stopping_blocks"],
    "stopping_models": stopping.TABLES["stopping"],
}
STORED = stored_set("stopping_models", "stopping_models_blocks", "stopping_models", module=__name__)
RUNS = replace(
    stopping.RUNS,
    stored=STORED,
    blocks=blocks,
    tables=TABLES,
    roots=("blocks", "RUNS", "TABLES"),
)
store, load = RUNS.store, STORED.load
