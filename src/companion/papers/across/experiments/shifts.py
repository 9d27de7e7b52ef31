r"""Runs behind one question: what do robust rules gain, or cost, when the true law lies a shift away from the told one?

Fixed before the runs:

- Problems: the three rewards of chapter 5's known shift (decisions and contexts of a continuum, a fitted model, width 1.5, ball
  of radius 0.1), and random functions of norm 1 on a grid of 20 decisions and 12 contexts (the model is known, the width is the
  theorem's, balls of radius 0.1 and 0.3).
- Shift over radius: 0, 0.5, 1, 2, 3. In a continuum the mean of the true law is moved, up and down where the signs differ,
  which they do for the newsvendor alone: the two others are symmetric about their told mean, and there the mean of both signs
  is taken where both were run. On a grid the true law is the worst one for the chosen decision within that distance of the told
  one.
- Metric: cumulative expected regret under the true law, after 50 rounds of the continuum and 60 of the grid, over ERBO's at the
  same seeds: the first 10 (the last of them are left out where time does not allow them), and 50 functions on grids.
- Test: paired t-tests over seeds, Holm for all problems, shifts and both robust rules together. Costs and gains are shown or not;
  "no difference to speak of" is the margin ``comparable`` of chapter 6.
- Why: a first look at other seeds suggested that without a shift the exact worst case gains where the width is long, since it
  then shortens a bonus that is too large. So, told the true law, the grids are played with widths of 1.5 and 0.75 standard
  deviations besides, and the continuum with 6. The gain with each is compared with that of the problem's own width, Holm for
  these.

Runs that are stored already are taken from there: shifts of 0, 1 and 2 radii of the continuum are those of chapter 5's known
shift. ``python -m companion.papers.across.experiments shifts`` makes the others.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np

from companion.core.arrays import Floats
from companion.gp import FinitePosterior
from companion.papers.across.experiments.definitions import setup_contexts
from companion.papers.across.experiments.parameters import Contexts
from companion.papers.across.problems.common import stored_set
from companion.papers.wdrbo.experiments.definitions import experiment
from companion.papers.wdrbo.experiments.parameters import Shift
from companion.papers.wdrbo.theory import bounds
from companion.papers.wdrbo.theory.games import bump_laws, contexts_of, covariance_of, functions_of, noise_of, stream_of
from companion.papers.wdrbo.theory.runs import Game, Round, expected, worst_law
from companion.simulate.task_store import Task
from companion.stored.blocks import Block, Result, RunTable
from companion.stored.runs import PaperRuns

#: The methods, as chapters 5 and 6 call them.
RULES = {"erbo": "nominal", "wdrbo": "wdrbo", "wdrbo-exact": "worst-case"}
#: Shift over radius that chapter 5 has not stored, by reward.
CONTINUUM = {"general": (0.5, 3.0), "newsvendor": (-3.0, 0.5, 3.0), "camel": (0.5, 3.0)}
#: Radii of the balls on grids.
GRIDS = (0.1, 0.3)
GRID_SHIFTS = (0.0, 0.5, 1.0, 2.0, 3.0)
ROUNDS, SEEDS, FUNCTIONS = 50, 10, 50
OWN = "own"
#: Widths other than the problem's own, in posterior standard deviations: of the continuum, and of grids.
LONG, SHORT = "6", ("1.5", "0.75")
DIGITS = 8


def grid_name(radius: float) -> str:
    """Of a problem on grids."""
    return f"grid, radius {radius:g}"


def _task(problem: str, method: str, seed: int, shift: float, width: str = OWN) -> Task:
    return Task("across/shifts", method, {"problem": problem, "shift": shift, "width": width}, seed)


def blocks(plan: None = None) -> list[Block]:
    """All runs, those on grids first, 50 functions at once; of other widths those of ERBO and the exact worst case alone."""
    grids = [(radius, shift, OWN) for radius in GRIDS for shift in GRID_SHIFTS]
    grids += [(radius, 0.0, width) for radius in GRIDS for width in SHORT]
    found = [_task(grid_name(radius), method, 0, shift, width) for radius, shift, width in grids for method in RULES]
    # Seed by seed, so that an interrupted call leaves whole seeds of all problems.
    for seed in range(SEEDS):
        found += [_task(p, m, seed, shift) for p, shifts in CONTINUUM.items() for shift in shifts for m in RULES]
        found += [_task(p, m, seed, 0.0, LONG) for p in CONTINUUM for m in ("erbo", "wdrbo-exact")]
    return [Block("shifts", found)]


def compute(task: Task) -> dict[str, Any]:
    """Cumulative expected regret of a run, or of all functions on a grid."""
    p, shift = task.parameters, float(task.parameters["shift"])
    wide = {} if p["width"] == OWN else {"width": float(p["width"])}
    if p["problem"] in CONTINUUM:
        asked = experiment("shift")
        radius = Shift.radius
        chosen = {"problem": p["problem"], "shift": round(shift * radius, 12), "horizon": ROUNDS, **wide}
        run = asked.run(task.method, task.seed, chosen)
        return {"regret": [float(run.cumulative_regret[-1])]}
    (radius,) = (each for each in GRIDS if grid_name(each) == p["problem"])
    game = setup_contexts(RULES[task.method], task.seed, Contexts(radius=radius)).game
    return {"regret": grid_regret(replace(game, runs=FUNCTIONS), shift, **wide).tolist()}


def grid_regret(game: Game, shift: float, width: float | None = None) -> Floats:
    r"""(runs,) cumulative regret of :func:`companion.papers.wdrbo.theory.runs.play` in the general setting.

    Parameters
    ----------
    game : its ``truth`` is not read
    shift : the true law is the worst for the chosen decision within ``shift`` radii of the told one
    width : in posterior standard deviations; the width (7) by default
    """
    values, lanes = functions_of(game).reshape(-1, game.decisions, game.contexts), np.arange(game.runs)
    support, noise, root = contexts_of(game), noise_of(game), math.sqrt(game.lam)
    laws = bump_laws(support, game.horizon, stream_of(game, "laws"))
    uniform = stream_of(game, "contexts").random((game.runs, game.horizon))
    posterior = FinitePosterior(covariance_of(game), game.lam, capacity=game.horizon, replicates=game.runs)
    unused, lost = np.random.default_rng(0), np.zeros(game.runs)  # these rules draw nothing
    for t, centre in enumerate(laws):
        beta = bounds.width(2.0 * posterior.gain, game.noise, game.norm, game.lam, game.delta)
        mean, sd = posterior.mean.reshape(values.shape), (posterior.sd / root).reshape(values.shape)
        state = Round(t + 1, mean, sd, beta if width is None else np.full(game.runs, width * root), centre, game.radius)
        chosen = state.decide(game.rule, support, unused)
        truth = np.broadcast_to(centre, (game.runs, game.contexts))
        if shift > 0.0:
            truth = worst_law(values, chosen, centre, support, shift * game.radius)
        reward = expected(values, truth)
        lost += reward.max(axis=1) - reward[lanes, chosen]
        seen = np.minimum((np.cumsum(truth, axis=1) < uniform[:, [t]]).sum(axis=1), game.contexts - 1)
        posterior.observe(chosen * game.contexts + seen, values[lanes, chosen, seen] + noise[:, t])
    return lost


def columns(task: Task, result: Result) -> list[dict[str, Any]]:
    """A row a function."""
    return [
        {**task.parameters, "method": task.method, "seed": task.seed + number, "regret": value}
        for number, value in enumerate(result["regret"])
    ]


TABLES = {"shifts": RunTable(("problem", "shift", "width", "method", "seed"), columns, digits=DIGITS)}
STORED = stored_set("shifts", module=__name__)
RUNS = PaperRuns(
    stored=STORED,
    blocks=blocks,
    compute=compute,
    tables=TABLES,
    seeds=lambda plan: range(SEEDS),
)
store, load = RUNS.store, STORED.load
