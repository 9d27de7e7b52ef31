"""Measured regret at common settings, of each method with the widths of its own theorem.

What a bound promises is compared with what its rule loses in the setting that the bound is about: draws of the prior, functions
of the given norm, or the game's prior. ``python -m companion.papers.across.experiments measured`` makes the table.

WDRBO is played with one context and a ball without radius, which is GP-UCB with the width (7); in that width the realised
gain is replaced by the upper end of its maximum, which the theorem allows.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cache, cached_property, partial
from itertools import product
from typing import TYPE_CHECKING, Any

import numpy as np

from companion.bounds.bound import BoundSetting
from companion.core.arrays import Floats
from companion.core.randomness import stream
from companion.gp import kernel_by_name
from companion.judge.intervals import mean_interval
from companion.papers.across.problems.common import AT as AT
from companion.papers.across.problems.common import (
    BATCHES,
    DIMS,
    GAME,
    HORIZONS,
    KERNELS,
    LENGTHSCALE,
    NOISES,
    NORM,
    POINTS,
    RUNS,
    stored_set,
)
from companion.papers.across.theory.bounds import BOUNDS
from companion.papers.across.theory.bounds_at_settings import DIGITS
from companion.papers.across.theory.gains import GAMES, covariance_of
from companion.papers.across.theory.informative_horizons import case_of
from companion.papers.batched.problems.catalogue import ModelledProblem, known_norm_problem
from companion.papers.batched.theory import runs as batched
from companion.papers.batched.theory.stated import power
from companion.papers.compressed.theory import bounds as compressed_bounds
from companion.papers.compressed.theory import runs as compressed
from companion.papers.meanfield.theory import runs as meanfield
from companion.papers.tsrsr.theory import runs as tsrsr

if TYPE_CHECKING:
    import pandas as pd

STORED = stored_set("measured", whole=True)
load = cache(STORED.load)

#: Runs that belong to each bound; other bounds are about rules that are not played here.
PLAYED = {
    "tsrsr/theorem-1/printed": "ts-rsr",
    "tsrsr/theorem-1/one-term": "ts-rsr",
    "tsrsr/our-C/sharper": "ts-rsr",
    "compressed/theorem-3.2-i/printed": "compressed-ucb",
    "compressed/lemma-8.4/sharper": "compressed-ucb",
    "compressed/corollary-3.3/printed": "compressed-ucb",
    "compressed/corollary-3.3/explicit": "compressed-ucb",
    "compressed/lemma-8.4/dense": "gp-ucb",
    "batched/theorem-1/printed": "bpe",
    "batched/theorem-1/summed": "bpe",
    "batched/prop-2/printed": "bpe",
    "meanfield/thm-4.1/printed": "mf-gp-ucb-printed",
    "meanfield/thm-4.1/repaired": "mf-gp-ucb",
    "wdrbo/ours-thm5/repaired": "wdrbo",
    "wdrbo/thm-16/printed": "wdrbo",
}


@dataclass(frozen=True)
class Instance:
    """A setting with its functions.

    Parameters
    ----------
    kernel, dim, noise : as in :data:`~companion.papers.across.problems.common.KERNELS` and so on
    horizon, runs : T and R
    """

    kernel: str
    dim: int
    noise: float
    horizon: int = AT
    runs: int = RUNS

    @cached_property
    def covariance(self) -> Floats:
        """(N, N) of the candidates."""
        return covariance_of(self.kernel, self.dim)

    def stream(self, name: str) -> np.random.Generator:
        """Generator of one method's runs."""
        return stream(0, "across", "measured", name, self.kernel, self.dim, f"{self.noise:g}")

    @property
    def case(self) -> BoundSetting:
        """Arguments of the widths."""
        return case_of(self.kernel, self.dim, self.noise, self.horizon)

    @cached_property
    def functions(self) -> tuple[ModelledProblem, ...]:
        """One function of norm :data:`~companion.papers.across.problems.common.NORM` a run."""
        kernel, generator = kernel_by_name(self.kernel, LENGTHSCALE), self.stream("functions")
        draw = partial(known_norm_problem, points_per_axis=POINTS[self.dim], dim=self.dim, norm=NORM)
        return tuple(draw(kernel, generator, noise_sd=self.noise) for _ in range(self.runs))


def ts_rsr_runs(here: Instance, batch: int) -> tsrsr.TheoryRuns:
    """TS-RSR on draws of the prior."""
    rounds, name = here.horizon // batch, f"ts-rsr {batch}"
    return tsrsr.play(here.covariance, rounds, batch, here.noise**2, here.runs, here.stream(name))


def ts_rsr(here: Instance, batch: int) -> Floats:
    """(R,) regret of :func:`ts_rsr_runs`."""
    return ts_rsr_runs(here, batch).regret


def ucb_runs(here: Instance, dense: bool) -> compressed.TheoryRuns:
    """Compressed UCB on draws of the prior, or GP-UCB, which is dense, with the same width."""
    beta = compressed_bounds.finite_beta(np.arange(1.0, here.horizon + 1.0), len(here.covariance), here.case.delta)
    budget = -math.inf if dense else 0.5 * math.log1p(here.horizon**-here.case.alpha)
    # The same functions and noise for both.
    return compressed.play(here.covariance, beta, here.noise**2, budget, here.runs, here.stream("ucb"))


def ucb(here: Instance, dense: bool) -> Floats:
    """(R,) regret of :func:`ucb_runs`."""
    return ucb_runs(here, dense).regret


def bpe_runs(here: Instance) -> list[batched.Played]:
    """BPE on functions of known norm."""
    sizes, width = power(here.case), BOUNDS["batched/prop-1/printed"].value(here.case)
    generator = here.stream("bpe")
    noises = here.noise * generator.standard_normal((here.runs, here.horizon))
    return [
        batched.play(problem, here.noise**2, sizes, width, noise)
        for problem, noise in zip(here.functions, noises, strict=True)
    ]


def bpe(here: Instance) -> Floats:
    """(R,) regret of :func:`bpe_runs`."""
    return np.array([run.regret for run in bpe_runs(here)])


def wdrbo_runs(here: Instance) -> compressed.TheoryRuns:
    """WDRBO with one context and no radius, on the functions of :func:`bpe_runs`."""
    case, width = here.case, BOUNDS["wdrbo/lemma-1/printed"].value
    widths = {t: width(replace(case, horizon=t)) for t in HORIZONS if t <= here.horizon}
    widths[here.horizon] = width(case)
    known = sorted(widths)
    beta = np.array([widths[known[int(np.searchsorted(known, t))]] for t in range(1, here.horizon + 1)]) ** 2
    values = np.array([each.problem.values for each in here.functions])
    generator = here.stream("wdrbo")
    return compressed.play(here.covariance, beta, here.noise**2, -math.inf, here.runs, generator, values=values)


def wdrbo(here: Instance) -> Floats:
    """(R,) regret of :func:`wdrbo_runs`."""
    return wdrbo_runs(here).regret


def mf_gp_ucb_runs(here: Instance, printed: bool) -> meanfield.GameRuns:
    """MF-GP-UCB on the game of the dimension, with the root of beta or as printed."""
    game = replace(GAMES[here.dim], noise_sd=here.noise)
    reading, multiplier = ("printed", "beta") if printed else ("corrected", "root")
    return meanfield.theory_runs(game, here.horizon, here.runs, reading, multiplier)


def mf_gp_ucb(here: Instance, printed: bool) -> Floats:
    """(R,) regret of :func:`mf_gp_ucb_runs`."""
    return mf_gp_ucb_runs(here, printed).regret


#: Kernel, or that it is a game; method, batch size, and what plays it.
Asked = tuple[str, str, int, Callable[[Instance], Floats]]


def asked(here: Instance) -> list[Asked]:
    """Every method in a setting; games go with the first kernel."""
    found: list[Asked] = [
        *((here.kernel, "ts-rsr", batch, partial(ts_rsr, batch=batch)) for batch in BATCHES),
        (here.kernel, "compressed-ucb", 1, partial(ucb, dense=False)),
        (here.kernel, "gp-ucb", 1, partial(ucb, dense=True)),
        (here.kernel, "bpe", 1, bpe),
        (here.kernel, "wdrbo", 1, wdrbo),
    ]
    if here.kernel == KERNELS[0]:
        found += [
            (GAME, "mf-gp-ucb", 1, partial(mf_gp_ucb, printed=False)),
            (GAME, "mf-gp-ucb-printed", 1, partial(mf_gp_ucb, printed=True)),
        ]
    return found


def places() -> Iterator[dict[str, Any]]:
    """Keys of the table's rows: method, kernel or that it is a game, batch size, dimension and noise."""
    for kernel, dim, noise in product(KERNELS, DIMS, NOISES):
        for of, method, batch, _ in asked(Instance(kernel, dim, noise)):
            yield {"method": method, "kernel": of, "batch": batch, "dim": dim, "noise": noise}


def row(method: str, kernel: str, batch: int, dim: int, noise: float) -> dict[str, Any]:
    """One method in one setting: mean regret of a run with its interval."""
    here = Instance(KERNELS[0] if kernel == GAME else kernel, dim, noise)
    (play,) = (each[3] for each in asked(here) if each[:3] == (kernel, method, batch))
    found = mean_interval(play(here))
    numbers = {"regret": found.estimate, "low": found.low, "high": found.high}
    shown = {key: float(f"{value:.{DIGITS}g}") for key, value in numbers.items()}
    return {"kernel": kernel, "dim": dim, "noise": noise, "played": method, "batch": batch, **shown}


def with_measured(found: pd.DataFrame) -> pd.DataFrame:
    """Regret bounds with the measured regret of their rule over the trivial bound, NaN where it was not played."""
    played = load().tables["measured"]
    keys = ["kernel", "dim", "noise", "played", "batch"]
    joined = found.assign(played=found.id.map(PLAYED)).merge(played, on=keys, how="left")
    return joined.assign(measured=joined.regret / (AT * joined.trivial), highest=joined.high / (AT * joined.trivial))
