r"""From the measured regret of a method to the bound of its paper, in steps that all proofs share.

Five proofs, one plan: a rule loses at most so many posterior standard deviations an evaluation (confidence), the theorem's
multiple of them is wider than what would have covered (width, union bounds), the deviations are summed through their squares
(Cauchy-Schwarz), these are at most a multiple of the information (information), which is at most the largest that can be had
(gain). Then comes what the method's own device costs, and what rounding to the printed form does. Every level is a number in
units of regret; the ratio of neighbours is what a step gives away, so that their product is the bound over the regret.

The runs are those of :mod:`~companion.papers.across.theory.measured_regret`. The table is made by
``python -m companion.papers.across.experiments steps``.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache, partial, reduce
from itertools import pairwise, product
from typing import Any

import numpy as np

from companion.bounds.bound import BoundSetting, GameUsed
from companion.checks.chain import ROUNDING
from companion.core.arrays import Floats
from companion.core.randomness import stream
from companion.gp.posterior import FinitePosterior
from companion.papers.across.problems.common import AT, BATCHES, DELTA, DIMS, GAME, KERNELS, NOISES, RUNS, stored_set
from companion.papers.across.theory.bounds import BOUNDS
from companion.papers.across.theory.gains import curves
from companion.papers.across.theory.informative_horizons import games
from companion.papers.across.theory.measured_regret import (
    Instance,
    bpe_runs,
    mf_gp_ucb_runs,
    ts_rsr_runs,
    ucb_runs,
    wdrbo_runs,
)
from companion.papers.batched.theory import bounds as bpe_bounds
from companion.papers.batched.theory import chain as bpe_chain
from companion.papers.batched.theory import stated as of_bpe
from companion.papers.batched.theory.runs import Played
from companion.papers.compressed.theory import bounds as ucb_bounds
from companion.papers.meanfield.theory import bounds as mf_bounds
from companion.papers.meanfield.theory.runs import GameRuns
from companion.papers.tsrsr.theory import bounds as ts_bounds
from companion.papers.wdrbo.theory import bounds as wdrbo_bounds

STORED = stored_set("steps", whole=True)
load = cache(STORED.load)

#: Kernel, dimension and noise; the mean-field games, which have their own kernel, go with the first.
SETTINGS = tuple(product(KERNELS, DIMS, NOISES))
#: Evaluations in a batch of TS-RSR.
BATCH = BATCHES[-1]
DIGITS = 6

#: Levels in the order of every proof; the first is the mean regret of the runs, the last the bound.
STEPS = ("measured", "confidence", "width", "union", "cauchy", "information", "gain", "device", "closed")
#: Steps that cannot be below 1. The first two compare with the width that the runs would have needed, which no proof knows.
PROVED = ("union", "cauchy", "information", "gain", "device", "closed")


@dataclass(frozen=True)
class MethodProof:
    """Subject of a method's panel.

    Parameters
    ----------
    bound : where its steps end, an id of :data:`~companion.papers.across.theory.bounds.BOUNDS`
    other : the same theorem in another reading, empty where there is none
    unused : steps that its proof does not have
    rule : by which level the proof has bounded the regret of these runs
    """

    bound: str
    other: str = ""
    unused: tuple[str, ...] = ()
    rule: str = "union"


METHODS: Mapping[str, MethodProof] = {
    "ts-rsr": MethodProof("tsrsr/theorem-1/printed", "tsrsr/our-C/sharper", rule="device"),
    "compressed-ucb": MethodProof("compressed/theorem-3.2-i/printed", "compressed/lemma-8.4/sharper"),
    "gp-ucb": MethodProof("compressed/lemma-8.4/dense", unused=("device", "closed")),
    "bpe": MethodProof("batched/theorem-1/printed", "batched/prop-2/printed"),
    "mf-gp-ucb": MethodProof("meanfield/thm-4.1/repaired", "meanfield/thm-4.1/printed", rule="closed"),
    # The rule plays the width at the largest gain, which enters with the gain.
    "wdrbo": MethodProof("wdrbo/ours-thm5/repaired", "wdrbo/thm-16/printed", unused=("union", "closed"), rule="gain"),
}

Levels = dict[str, float]
#: ``needed``: the least width that covered all but a tenth of the runs; ``rejected``: the share of rejected rounds in the sum of
#: standard deviations, where rounds are rejected.
Beside = dict[str, float]


def quantile(needed: Floats, delta: float = DELTA) -> float:
    """The least width that covers all but a share ``delta`` of the runs, of what each of them needed, (R,)."""
    return float(np.sort(needed)[math.ceil((1.0 - delta) * len(needed)) - 1])


def per_variance(noise_variance: float) -> float:
    """c: a posterior variance of at most 1 is at most c times the information of its observation."""
    return ts_bounds.gain_factor(noise_variance)


@dataclass(frozen=True, eq=False)
class Spread:
    """The standard deviations that runs were charged, and the widths that multiply them.

    Parameters
    ----------
    regret, needed : (R,) regret, and the least width that covers everything that the union bound of the theorem is about
    sd : (R, n)
    noise_variance : of the observations
    gain : certified upper end for n points
    copies : how often a width is paid, before and after both of the events that a proof needs are counted
    first : width that one round needs, a number or (R,)
    last : the theorem's in the last round, likewise; ``top`` with the largest gain in it, by default the same
    """

    regret: Floats
    needed: Floats
    sd: Floats
    noise_variance: float
    gain: float
    copies: tuple[float, float]
    first: float | Floats
    last: float | Floats
    top: float | None = None

    def levels(self) -> Levels:
        """All that the proofs have in common."""
        n, factor = self.sd.shape[1], per_variance(self.noise_variance)
        total, squares = self.sd.sum(axis=1), (self.sd**2).sum(axis=1)
        information = 0.5 * np.log1p(self.sd**2 / self.noise_variance).sum(axis=1)
        before, after = self.copies
        paid = after * np.asarray(self.last)
        top = after * (float(np.max(self.last)) if self.top is None else self.top)
        return {
            "measured": float(self.regret.mean()),
            "confidence": before * quantile(self.needed) * float(total.mean()),
            "width": before * float((np.asarray(self.first) * total).mean()),
            "union": float((paid * total).mean()),
            "cauchy": float((paid * np.sqrt(n * squares)).mean()),
            "information": float((paid * np.sqrt(n * factor * information)).mean()),
            "gain": top * math.sqrt(n * factor * self.gain),
        }


# -- the five papers' methods, and GP-UCB ---------------------------------------------------------------------------------


def ts_rsr(here: Instance, case: BoundSetting) -> tuple[Levels, Beside]:
    """Theorem 1: the drawn maxima replace a width; its device, the batch, costs rho_m."""
    runs = ts_rsr_runs(here, BATCH)
    sd = np.sqrt(runs.variance.reshape(here.runs, -1))
    needed = runs.sampled_deviation.reshape(here.runs, -1).max(axis=1)
    # The expectation takes delta = (Tm)^-2 / 2 for each of two events; a batch alone has as many draws as points.
    first = ts_bounds.normal_width(2 * case.size * BATCH, DELTA)
    n = sd.shape[1]
    last, gain = ts_bounds.normal_width(2 * case.size * n, 0.5 / n**2), case.gain(n)
    levels = Spread(runs.regret, needed, sd, case.noise**2, gain, (1.0, 2.0), first, last).levels()
    rho = ts_bounds.variance_ratio(BATCH, case.noise**2)
    return {**levels, "device": rho * levels["gain"]}, {"needed": quantile(needed)}


def ucb(dense: bool, here: Instance, case: BoundSetting) -> tuple[Levels, Beside]:
    """Theorem 3.2(i): its device, the budget, counts rounds that were rejected as if each had carried all that it may."""
    runs = ucb_runs(here, dense)
    needed, root = runs.deviation.max(axis=1), np.sqrt(runs.beta)
    spread = Spread(
        runs.regret,
        needed,
        np.sqrt(runs.variance),
        case.noise**2,
        case.gain(here.horizon),
        (2.0, 2.0),
        float(root[0]),
        float(root[-1]),
    )
    levels = spread.levels()
    if dense:
        return {**levels, "device": levels["gain"]}, {"needed": quantile(needed)}
    # The gain bounds what the retained rounds carried; the rejected ones keep what they had.
    carried = float(runs.rejected_gain.mean())
    at = partial(ucb_bounds.root_bound, here.horizon, float(runs.beta[-1]), case.noise**2, spread.gain)
    wide = float(np.where(runs.kept, 0.0, spread.sd).sum() / spread.sd.sum())
    beside = {"needed": quantile(needed), "rejected": wide}
    return {**levels, "gain": float(at(carried)), "device": BOUNDS["compressed/lemma-8.4/sharper"].value(case)}, beside


def wdrbo(here: Instance, case: BoundSetting) -> tuple[Levels, Beside]:
    """Theorem 5 for every lambda: no union bound, as the width holds in all rounds; its device is the random context."""
    runs = wdrbo_runs(here)
    needed, root = runs.deviation.max(axis=1), math.sqrt(case.regulariser)
    own = partial(wdrbo_bounds.width, noise=case.noise, norm=case.known("norm"), lam=case.regulariser, delta=case.delta)
    gain = case.regularised(here.horizon)
    width, top = own(2.0 * runs.gain) / root, float(own(2.0 * gain)) / root
    sd, copies = np.sqrt(runs.variance), (2.0, 2.0)
    spread = Spread(runs.regret, needed, sd, case.regulariser, gain, copies, width, width, top)
    return {**spread.levels(), "device": BOUNDS[METHODS["wdrbo"].bound].value(case)}, {"needed": quantile(needed)}


def mf_gp_ucb(here: Instance, case: BoundSetting) -> tuple[Levels, Beside]:
    """Theorem 4.1 repaired: its device is the lattice of laws; the closed form adds where the width may fall short."""
    runs, pieces = mf_gp_ucb_runs(here, printed=False), case.known("game").pieces
    needed = _needed_in(runs)
    first, last = (math.sqrt(pieces.beta(t, "corrected")) for t in (1, here.horizon))
    gain = case.known("game").gain(here.horizon)
    levels = Spread(runs.regret, needed, runs.sd, case.noise**2, gain, (1.0, 1.0), first, last).levels()
    rounding = mf_bounds.corrected_discretisation(pieces, here.horizon)
    return {**levels, "device": levels["gain"] + rounding}, {"needed": quantile(needed)}


def replayed(runs: GameRuns, seed: int = 0) -> Iterator[FinitePosterior]:
    """The posteriors before every round of the runs once more, from what they observed: they record those at their plays only."""
    game, lanes = runs.game, np.arange(len(runs.best))
    rounds = runs.law.shape[1]
    noise = game.noise_sd * stream(seed, "noise").standard_normal((len(lanes), rounds))
    payoffs = runs.payoffs.reshape(len(lanes), -1)
    model = FinitePosterior(game.covariance, game.noise_variance, replicates=len(lanes), capacity=rounds)
    for t in range(rounds):
        yield model
        picks = runs.law[:, t] * game.size + runs.point[:, t]
        model.observe(picks, payoffs[lanes, picks] + noise[:, t])


def _needed_in(runs: GameRuns) -> Floats:
    """(R,) largest deviation of any payoff in any round."""
    payoffs = runs.payoffs.reshape(len(runs.best), -1)
    each = ((np.abs(payoffs - model.mean) / model.sd).max(axis=1) for model in replayed(runs))
    return np.asarray(reduce(np.maximum, each))


def bpe(here: Instance, case: BoundSetting) -> tuple[Levels, Beside]:
    """Theorem 1: an evaluation is charged the largest standard deviation left by the batch before; its device is the batches."""
    runs, sizes = bpe_runs(here), np.array(of_bpe.power(case))
    needed = np.array([max(bpe_chain.coverage(run.history, run.problem.values)["worst"]) for run in runs])
    width, first = BOUNDS["batched/prop-1/printed"].value(case), of_bpe.union_width(case, (case.horizon,))
    squares = np.array([_squares(run, case.noise**2) for run in runs])
    charged = np.array([2.0 * sizes[0] + 4.0 * (sizes[1:] * largest).sum() for largest in map(_largest, runs)])
    averaged = 2.0 * sizes[0] + 4.0 * (sizes[1:] * np.sqrt(squares / sizes[:-1])).sum(axis=1)
    per_batch = partial(bpe_bounds.batch_bounds, sizes.tolist(), width=width, noise_sd=case.noise)
    realised = [per_batch([each.gain for each in run.history[:-1]]).sum() for run in runs]
    levels = {
        "measured": float(np.mean([run.regret for run in runs])),
        "confidence": quantile(needed) * float(charged.mean()),
        "width": first * float(charged.mean()),
        "union": width * float(charged.mean()),
        "cauchy": width * float(averaged.mean()),
        "information": float(np.mean(realised)),
        "gain": BOUNDS["batched/prop-2/printed"].value(case),
        "device": BOUNDS["batched/theorem-1/summed"].value(case),
    }
    return levels, {"needed": quantile(needed)}


def _largest(run: Played) -> Floats:
    return np.array([each.largest_sd for each in run.history[:-1]])


def _squares(run: Played, noise_variance: float) -> list[float]:
    """Sums over a batch of the variances at its points, each given those before it, for all batches but the last."""
    sums = []
    for record in run.history[:-1]:
        gram = run.modelled.covariance[np.ix_(record.query, record.query)]
        root = np.linalg.cholesky(gram + noise_variance * np.eye(record.size))
        sums.append(float((np.diagonal(root) ** 2 - noise_variance).sum()))
    return sums


Fall = Callable[[Instance, BoundSetting], tuple[Levels, Beside]]
FALLS: Mapping[str, Fall] = {
    "ts-rsr": ts_rsr,
    "compressed-ucb": partial(ucb, False),
    "gp-ucb": partial(ucb, True),
    "bpe": bpe,
    "mf-gp-ucb": mf_gp_ucb,
    "wdrbo": wdrbo,
}

# -- rows -----------------------------------------------------------------------------------------------------------------


def case_of(here: Instance, played: str) -> BoundSetting:
    """Arguments of the bounds of a method."""
    if played == "ts-rsr":
        return replace(here.case, batch=BATCH)
    if played != "mf-gp-ucb":
        return here.case
    game, curve = games()[here.dim], curves()[GAME, here.dim, here.noise]
    pieces = mf_bounds.Pieces(game["actions"], 1, game["a"], game["b"])
    rounding = partial(mf_bounds.corrected_discretisation, pieces)
    return replace(here.case, game=GameUsed(pieces, curve, game["range"], rounding))


def row(kernel: str, dim: int, noise: float, played: str, horizon: int = AT, runs: int = RUNS) -> dict[str, Any]:
    """All levels of one method in one setting, with the other reading of the theorem.

    The kernel of MF-GP-UCB is ``game``. See :data:`Beside` for the rest.
    """
    here, told = Instance(KERNELS[0] if kernel == GAME else kernel, dim, noise, horizon, runs), METHODS[played]
    case = case_of(here, played)
    levels, beside = FALLS[played](here, case)
    levels["closed"] = BOUNDS[told.bound].value(case)
    other = BOUNDS[told.other].at(case, horizon) if told.other else math.nan
    numbers = {
        **{name: levels[name] for name in STEPS},
        "needed": beside["needed"],
        "rejected": beside.get("rejected", math.nan),
        "other": other,
    }
    shown = {name: float(f"{value:.{DIGITS}g}") for name, value in numbers.items()}
    batch = BATCH if played == "ts-rsr" else 1
    return {"kernel": kernel, "dim": dim, "noise": noise, "played": played, "batch": batch, **shown}


def places() -> Iterator[dict[str, Any]]:
    """Keys of the table's rows, as :func:`row` takes them, but that methods are called ``method``."""
    for kernel, dim, noise in SETTINGS:
        for played in METHODS:
            of = GAME if played == "mf-gp-ucb" else kernel
            if of != GAME or kernel == KERNELS[0]:
                yield {"method": played, "kernel": of, "dim": dim, "noise": noise}


def ratios(levels: Mapping[str, Any]) -> dict[str, float]:
    """Factor of every step on the level before; the product is the bound over the measured regret."""
    return {name: levels[name] / levels[before] for before, name in pairwise(STEPS)}


def broken(levels: Mapping[str, Any], played: str) -> list[str]:
    """Violations of a proof's promises: steps below 1, unused ones that count, a rule that loses more than it may."""
    told, found = METHODS[played], ratios(levels)
    low = [name for name in PROVED if found[name] < 1.0 - 1e-5]
    counted = [name for name in told.unused if not math.isclose(found[name], 1.0, rel_tol=1e-5)]
    exceeded = ["measured"] if levels["measured"] > levels[told.rule] * (1.0 + ROUNDING) else []
    return [*low, *counted, *exceeded]
