"""Statements: Algorithm 1 line by line, and its admission rule as a threshold on the variance (Section 2)."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import product
from operator import attrgetter

import numpy as np
from numpy.typing import ArrayLike

from companion.checks.cases import Case, equal, none_of
from companion.checks.statement import need, statement
from companion.core.arrays import Flags, Floats, Indices
from companion.core.randomness import stream
from companion.papers.compressed.checks.order_models import (
    ARMS,
    ONE,
    Model,
    Play,
    Record,
    bayes_posterior,
    models,
    positive_noise,
    printed_improvement,
    recorded,
)
from companion.papers.compressed.method.admission import information
from companion.papers.compressed.method.policy import ACQUISITIONS
from companion.problems import FiniteProblem
from companion.simulate import run_policy

#: Acquisition values within this share of the largest are tied here: posteriors by different routes decide between them.
TIE = 1e-6

#: Variances this close to the threshold, relatively, are on either side of it after rounding.
EDGE = 1e-9


def plays() -> Iterator[Play]:
    """Every acquisition on every model, at two budgets; and single arms."""
    for model, acquisition in product(models((0.05, 0.5)), ACQUISITIONS):
        yield Play(model, acquisition, 0.6, 40)
        yield Play(model, acquisition, 0.15, 40)
    for acquisition in ACQUISITIONS:
        yield Play(Model(ONE, 1, 0.25), acquisition, 0.1, 30)


Base = Callable[[ArrayLike], ArrayLike]
Rounds = Callable[[Record], Flags]


def entropy(variance: ArrayLike) -> Floats:
    r""":math:`\frac12\log(2\pi ev)`."""
    return np.asarray(0.5 * np.log(2 * math.pi * math.e * np.asarray(variance)))


def nothing(_: ArrayLike) -> float:
    """No base: the entropy itself is compared with the budget."""
    return 0.0


def entropy_exceeds(variance: ArrayLike, noise: ArrayLike, epsilon: ArrayLike, base: Base = entropy) -> Flags:
    r"""(2.11) as printed: :math:`\frac12\log(2\pi e(\sigma^2+v))>\log\sqrt{2\pi e\sigma^2}+\epsilon`; the base is the first
    term on the right.
    """
    return np.asarray(entropy(np.add(noise, variance)) > np.add(base(noise), epsilon))


def every_round(record: Record) -> Flags:
    """All rounds, kept or not."""
    return np.ones_like(record.kept)


def _acquisition(play: Play, number: int, mean: Floats, variance: Floats, best: float) -> Floats:
    """(2.5), (2.6) or the MPI of Section 4, written out."""
    sd = np.sqrt(variance)
    if play.acquisition == "ucb":
        return np.asarray(mean + play.width(number) * sd)
    incumbent = best if play.acquisition == "ei" else float(mean.max())
    return printed_improvement(sd, mean - incumbent)


@statement(
    "alg-1",
    "construction",
    plays,
    positive_noise(Play(Model("se", 1, 0.0), "ucb", 0.5)),
    need(r"$\epsilon\ge0$", lambda play: play.u >= 0, Play(Model("se", 1, 0.1), "ucb", -0.5)),
    teeth={
        "rejected points enter the posterior": {"memory": every_round},
        "the entropy itself against epsilon": {"base": nothing},
        "rejected rounds cost nothing": {"charged": attrgetter("kept")},
    },
    depends="eq-2.7 eq-2.12",
)
def alg_1(
    play: Play, *, base: Base = entropy, memory: Rounds = attrgetter("kept"), charged: Rounds = every_round
) -> Iterator[Case]:
    r"""For $t=1,2,\dots$: $x_t=\argmax\alpha(x)$; if $\frac12\log(2\pi
    e(\sigma^2+\sigma^2_{D_{t-1}}(x_t)))>\log\sqrt{2\pi e\sigma^2}+\epsilon$, observe $y_t$ and set
    $D_t=[D_{t-1};x_t]$; else nothing changes

    Every choice maximises the acquisition, with a posterior from Bayes' rule on the dictionary. It is kept exactly if the
    conditional entropy exceeds the threshold, as printed. A rejected round leaves mean, variance and dictionary as they
    are, and the dictionary is the sequence of choices kept. A rejected round's observation is not used: with a wild
    number in its place the run is the same. Every round is charged with its regret, kept or not. ``memory`` and ``charged``
    are the rounds whose points enter the posterior, and those whose regret counts.
    """
    record, model = recorded(play), play.model
    covariance, values, noise = model.covariance, model.function(), play.noise()
    seen, told = list(play.initial), list((values[play.initial] + noise[: len(play.initial)]).tolist())
    enters = memory(record)
    wrong, misjudged, moved, posterior = 0, 0, 0, None
    for number, arm in enumerate(record.chosen):
        if posterior is None:
            posterior = bayes_posterior(covariance, np.array(seen, dtype=np.intp), np.array(told), model.noise_variance)
        mean, variance = posterior
        score = _acquisition(play, number + 1, mean, variance, max(told, default=-math.inf))
        wrong += int(score[arm] < score.max() - TIE * abs(score.max()))
        near = abs(variance[arm] / (play.u * model.noise_variance) - 1.0) < EDGE
        passes = bool(entropy_exceeds(variance[arm], model.noise_variance, play.epsilon, base))
        misjudged += int(not near and passes != record.kept[number])
        if number and not record.kept[number]:
            same = np.array_equal(record.means[number], record.means[number - 1])
            moved += int(not (same and np.array_equal(record.variances[number], record.variances[number - 1])))
        if enters[number]:
            seen.append(int(arm))
            told.append(float(values[arm] + noise[len(play.initial) + number]))
            posterior = None
    rounds = play.horizon
    yield none_of(wrong, rounds, f"{play.where}: choices that maximise the acquisition")
    yield none_of(misjudged, rounds, f"{play.where}: kept exactly if the entropy is large enough")
    yield none_of(moved, rounds, f"{play.where}: nothing changes when a round is rejected")
    yield none_of(_unlike(play, record.chosen, record.kept), rounds, f"{play.where}: dictionary, and unused values")
    yield _charge(play, record.chosen, charged(record))


def _unlike(play: Play, chosen: Indices, kept: Flags) -> int:
    """Places where the dictionary is not the sequence of kept choices, or where wild values in rejected rounds matter."""
    record, spoilt = recorded(play), recorded(play, True)
    expected = np.concatenate([play.initial, chosen[kept]])
    nested = len(expected) != len(record.dictionary) or not np.array_equal(expected, record.dictionary)
    return int(nested) + int(np.sum(spoilt.chosen != chosen)) + int(not np.array_equal(spoilt.kept, kept))


def _charge(play: Play, chosen: Indices, charged: Flags) -> Case:
    """Regret of a simulated run, against the sum over rounds."""
    values, size = play.model.function(), len(play.initial)
    problem = FiniteProblem("draw", play.model.points, values, math.sqrt(play.model.noise_variance), "prior draw")
    run = run_policy(play.policy(), problem, play.horizon + size, play.noise())
    regret = values.max() - values[chosen]
    total = float(np.sum(regret[charged]))
    return equal(
        1.0 + float(np.sum(run.instantaneous_regret[size:])), 1.0 + total, f"{play.where}: regret of every round"
    )


# -- equation (2.12) ---------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Triples:
    """Random variances with a noise variance and a budget each; or those along a run, with its own."""

    count: int = 0
    seed: int = 0
    play: Play | None = None

    @property
    def where(self) -> str:
        """Source of the triples."""
        return f"{self.count} random triples, seed {self.seed}" if self.play is None else self.play.where

    def columns(self) -> tuple[Floats, Floats, Floats]:
        """Variances, noise variances and budgets; random ones are spread evenly over the threshold on a log scale."""
        if self.play is not None:
            variance = recorded(self.play).variances.ravel()
            ones = np.ones(len(variance))
            return variance, self.play.model.noise_variance * ones, self.play.epsilon * ones
        generator = stream(self.seed, "compressed", "order", "triples")
        noise = 10.0 ** generator.uniform(-5, 2, self.count)
        budget = 10.0 ** generator.uniform(-6, 0.3, self.count)
        return noise * np.expm1(2 * budget) * 10.0 ** generator.uniform(-2, 2, self.count), noise, budget


def triples_of_the_rule() -> Iterator[Triples]:
    """Four times 25,000 random triples, and the posterior variances along runs of every model."""
    for seed in range(4):
        yield Triples(25_000, seed)
    for model in models():
        yield Triples(play=Play(model, "ucb", 0.6, 40))
        yield Triples(play=Play(model, "mpi", 0.15, 40))


@statement(
    "eq-2.12",
    "identity",
    triples_of_the_rule,
    need(
        r"$\sigma^2>0$",
        lambda t: t.play is None or t.play.model.noise_variance > 0,
        Triples(play=Play(Model(ARMS, 1, 0.0), "ucb", 0.5)),
    ),
    teeth={
        "the entropy itself against epsilon": {"base": nothing},
        "epsilon in place of twice epsilon": {"doubled": False},
        "the noise factor dropped, as in (3.1)": {"floor": False},
    },
)
def eq_2_12(triples: Triples, *, base: Base = entropy, doubled: bool = True, floor: bool = True) -> Iterator[Case]:
    r"""$\frac12\log(2\pi e(\sigma^2+v))>\log\sqrt{2\pi e\sigma^2}+\epsilon\iff v>\sigma^2(e^{2\epsilon}-1)$,
    $v=\sigma^2_{D_{t-1}}(x_t)$; for $\epsilon=0$ it always holds

    Left: the printed entropies. Right: the package's rule, written as a threshold on the variance.
    """
    variance, noise, budget = triples.columns()
    passes = entropy_exceeds(variance, noise, budget, base)
    threshold = (noise if floor else 1.0) * np.expm1((2.0 if doubled else 1.0) * budget)
    # Logarithms of size 10 with a budget of 1e-6 resolve 1e-9 of the threshold.
    clear = np.abs(variance / threshold - 1.0) > 1e-8
    wrong = int(np.sum((passes != (variance > threshold)) & clear))
    yield none_of(wrong, len(variance), f"{triples.where}: both forms")
    spread = range(0, len(variance), max(1, len(variance) // 200))
    if doubled and floor:
        package = [information(float(budget[i]), float(noise[i])).admits(float(variance[i])) for i in spread]
        off = sum(bool(passes[i]) != kept and clear[i] for i, kept in zip(spread, package, strict=True))
        yield none_of(int(off), len(package), f"{triples.where}: package")
    kept = sum(information(0.0, float(noise[i])).admits(float(variance[i])) for i in spread)
    yield none_of(len(spread) - kept, len(spread), f"{triples.where}: all is kept at a budget of 0")
