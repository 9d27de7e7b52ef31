"""Many runs in lockstep, watched by all stopping rules: stopping time of each, and loss of its point."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from copy import copy
from dataclasses import dataclass
from functools import lru_cache
from itertools import product
from typing import Any

import numpy as np

from companion.core.arrays import Floats, Indices
from companion.core.randomness import stream
from companion.gp import FinitePosterior, gp_draw, grid, kernel_by_name
from companion.gp.sampling import rkhs_expansion
from companion.gp.ties import lowest_argmaxes
from companion.information import gain_bracket_curve
from companion.papers.across.experiments.width_grid_runs import Kind
from companion.papers.across.problems.common import DELTA, LENGTHSCALE
from companion.policies import stopping
from companion.policies.acquisition import log_expected_improvement
from companion.policies.candidate_model import Model
from companion.policies.stopping_certificate import RULES, Request, difference_root

RUNS, SEEDS, DRAWS = 200, tuple(range(10)), 1000
EPSILONS, WIDTH, NORM, CENTRES = (0.1, 0.3), 2.0, 3.0, 5
#: Draws at a time; the rule by sampling looks after each of the first so many evaluations, and then after every tenth.
CHUNK, EVERY, STEP = 50, 20, 10
#: Points an axis (of arms, arms), dimension, evaluations.
PLACES = {"line": (50, 1, 200), "square": (15, 2, 100), "arms": (50, 1, 300)}
KERNELS, NO_KERNEL = ("se", "matern32", "matern52"), "none"
ERRORS = ("lengthscale/2", "lengthscale*2", "noise/2", "noise*2", "norm/2", "norm*2")
#: The kernel that the model takes in place of the true one.
SMOOTHNESS = {"smoother": "se", "rougher": "matern12"}
RIGHT, SHORTER, THEOREM, IMPROVEMENT = "right", "width 2", "theorem", "improvement"
FITTED, FITTED_HALF, JUDGED_HALF, JUDGED_RIGHT = (
    "fitted",
    "fitted, judged by half",
    "judged by half",
    "played by double",
)
#: Length-scales of a fitted model; how many places half of one stands below it; first points, chosen at random.
LENGTHS, HALF, START = tuple(0.025 * 2.0 ** (k / 2.0) for k in range(11)), 2, 5
PARTS = (1, 2, 4)
SHORT = ("1.96", "2.576", "1.414", "0.447")
#: Multiples of delta with which the rules by posterior probability run.
LARGER = {"union": (1.0, 3.0, 8.0), "probability": (1.0,)}


@dataclass(frozen=True)
class StoppingSetting:
    """Domain of the functions, their kernel and kind, the noise, the error of the model, and the width of GP-UCB."""

    place: str
    kernel: str
    kind: Kind
    noise: float
    model: str = RIGHT
    player: str = SHORTER

    def believed(self, name: str, value: float) -> float:
        """A quantity as the model has it."""
        of, shorter = self.model.replace("*", "/").partition("/")[0], "/" in self.model
        if of != name:
            return value
        return value / 2.0 if shorter else value * 2.0

    @property
    def sampled(self) -> bool:
        """Whether the rule by sampling watches; it is left out where it would draw nearly always."""
        return self.model != FITTED_HALF and (self.place, self.kind, self.noise) != ("square", "norm", 0.3)

    @property
    def points(self) -> Floats:
        """(N, d)."""
        count, dim, _ = PLACES[self.place]
        return grid(count, dim)

    @property
    def horizon(self) -> int:
        """Evaluations."""
        return PLACES[self.place][2]

    def covariance(self, lengthscale: float) -> Floats:
        """(N, N) as the model has it."""
        if self.kernel == NO_KERNEL:
            return np.eye(len(self.points))
        return np.asarray(kernel_by_name(SMOOTHNESS.get(self.model, self.kernel), lengthscale)(self.points))


def settings() -> Iterator[StoppingSetting]:
    """All of them, those with the right model first."""
    kinds: tuple[Kind, ...] = ("prior", "norm")
    for kernel, kind, noise in product(KERNELS, kinds, (0.1, 0.3)):
        yield StoppingSetting("line", kernel, kind, noise)
    for kernel, kind in product(KERNELS, kinds):
        yield StoppingSetting("square", kernel, kind, 0.1)
    for kind, noise in product(kinds, (0.03, 0.1, 0.3)):
        yield StoppingSetting("arms", NO_KERNEL, kind, noise)
    for kernel, kind in product((*KERNELS, NO_KERNEL), kinds):
        yield StoppingSetting("arms" if kernel == NO_KERNEL else "line", kernel, kind, 0.1, player=THEOREM)
    for (place, kernel), kind, error in product((("line", "se"), ("arms", NO_KERNEL)), kinds, ERRORS):
        if not (error.startswith("norm") and kind == "prior") and not (error[0] == "l" and place == "arms"):
            yield StoppingSetting(place, kernel, kind, 0.1, error)


def functions(setting: StoppingSetting, seed: int, runs: int) -> Floats:
    """(R, N)."""
    generator, points = stream(seed, "stopping", setting.place, setting.kernel, setting.kind), setting.points
    if setting.kernel == NO_KERNEL:
        if setting.kind == "prior":
            return generator.standard_normal((runs, len(points)))
        values = np.zeros((runs, len(points)))
        for row in values:
            weights = generator.standard_normal(CENTRES)
            row[generator.choice(len(points), CENTRES, replace=False)] = weights * NORM / np.linalg.norm(weights)
        return values
    kernel = kernel_by_name(setting.kernel, LENGTHSCALE)
    if setting.kind == "prior":
        return gp_draw(kernel, points, generator, count=runs)
    return np.array([rkhs_expansion(kernel, points, generator, NORM, CENTRES).values for _ in range(runs)])


@lru_cache(maxsize=4)
def gains(setting: StoppingSetting) -> tuple[float, ...]:
    """Upper ends of the gain of 1, 2, ... points in the model."""
    found = gain_bracket_curve(setting.covariance(LENGTHSCALE), list(range(1, setting.horizon + 1)), setting.noise**2)
    return tuple(each.upper for each in found)


class Watch:
    """First stop of each rule in each of R runs, and the loss of its point: by rule and epsilon, (R,) each."""

    def __init__(self, values: Floats) -> None:
        self.loss = values.max(axis=1, keepdims=True) - values
        self.when: dict[tuple[str, float], Indices] = {}
        self.lost: dict[tuple[str, float], Floats] = {}

    def going(self, rule: str, epsilon: float) -> Any:
        """(R,) whether the rule goes on."""
        return self.when.setdefault((rule, epsilon), np.full(len(self.loss), -1)) < 0

    def asks(self, rule: str) -> bool:
        """Whether the rule goes on in any run."""
        return any(bool(self.going(rule, epsilon).any()) for epsilon in EPSILONS)

    def note(self, rule: str, t: int, best: Indices, stops: Callable[[float], Any]) -> None:
        """Record the decision of a rule after t evaluations, by epsilon."""
        for epsilon in EPSILONS:
            now = self.going(rule, epsilon) & stops(epsilon)
            self.when[rule, epsilon][now] = t
            lost = self.lost.setdefault((rule, epsilon), np.zeros(len(self.loss)))
            lost[now] = stopping.at(self.loss, best)[now]


def widths_of(setting: StoppingSetting) -> list[str]:
    """The proved rules with a width that may apply."""
    usual = setting.model == RIGHT and setting.place != "square"
    norm = ["differences", "one-root", "two-roots", *(["chowdhury-gopalan"] if usual else [])]
    return ["srinivas", "lemma-6", *(norm if setting.kind == "norm" else [])]


class Known:
    """One model for all runs: its prior covariance, and its posteriors of R runs."""

    def __init__(self, setting: StoppingSetting, runs: int, lengthscale: float, inflation: float = 1.0) -> None:
        self.covariance = setting.covariance(lengthscale)
        variance = setting.believed("noise", setting.noise) ** 2 * inflation
        self.posterior = FinitePosterior(self.covariance, variance, replicates=runs, capacity=setting.horizon)
        self.observe = self.posterior.observe

    mean = property(lambda self: self.posterior.mean)
    variance = property(lambda self: self.posterior.variance)
    factor = property(lambda self: self.posterior.factor)
    gain = property(lambda self: self.posterior.gain)

    def rows(self, at: Indices) -> Floats:
        """(R, N) prior covariance of each run's candidate with all."""
        return self.covariance[at]

    def prior(self, run: int) -> Floats:
        """(N, N)."""
        return self.covariance


class Fitted:
    """The model of each run's likeliest length-scale among :data:`LENGTHS`; :attr:`half` has half of it."""

    def __init__(self, setting: StoppingSetting, runs: int, places: int = 0) -> None:
        self.models = [Known(setting, runs, length) for length in LENGTHS]
        self.noise, self.lanes, self.places = setting.noise, np.arange(runs), places
        self.evidence = np.zeros((len(LENGTHS), runs))

    @property
    def half(self) -> Fitted:
        """The same models, judged with half of the fitted length-scale; they receive each evaluation once."""
        other = copy(self)
        other.places, other.observe = HALF, lambda chosen, observed: None  # type: ignore[method-assign]
        return other

    def observe(self, chosen: Indices, observed: Floats) -> None:
        """Add an evaluation, and update the evidence for every length-scale."""
        for evidence, model in zip(self.evidence, self.models, strict=True):
            variance = stopping.at(model.variance, chosen) + self.noise**2
            evidence -= 0.5 * (np.log(variance) + (observed - stopping.at(model.mean, chosen)) ** 2 / variance)
            model.observe(chosen, observed)

    @property
    def place(self) -> Indices:
        """(R,) which of the length-scales; the shortest ones are there to be half of another."""
        return np.argmax(self.evidence[HALF:], axis=0) + HALF - self.places

    def _of(self, name: str) -> Floats:
        return np.stack([getattr(model, name) for model in self.models])[self.place, self.lanes]

    mean = property(lambda self: self._of("mean"))
    variance = property(lambda self: self._of("variance"))
    factor = property(lambda self: self._of("factor"))
    gain = property(lambda self: self._of("gain"))

    def rows(self, at: Indices) -> Floats:
        """(R, N)."""
        return np.stack([model.covariance for model in self.models])[self.place, at]

    def prior(self, run: int) -> Floats:
        """(N, N)."""
        return self.models[self.place[run]].covariance


def models(setting: StoppingSetting, runs: int) -> tuple[Any, Any]:
    """Models that play and models that judge; mostly the same."""
    if setting.model in (FITTED, FITTED_HALF):
        fitted = Fitted(setting, runs)
        return fitted, fitted.half if setting.model == FITTED_HALF else fitted
    if setting.model == JUDGED_HALF:
        return Known(setting, runs, LENGTHSCALE), Known(setting, runs, LENGTHSCALE / 2.0)
    if setting.model == JUDGED_RIGHT:
        return Known(setting, runs, 2.0 * LENGTHSCALE), Known(setting, runs, LENGTHSCALE)
    one = Known(setting, runs, setting.believed("lengthscale", LENGTHSCALE))
    return one, one


def play(setting: StoppingSetting, seed: int, runs: int = RUNS) -> Watch:
    """A block's first ``runs`` functions, played by GP-UCB or EI and watched by all rules."""
    values = functions(setting, seed, runs)
    errors = setting.noise * stream(seed, "stopping", "noise").standard_normal((RUNS, setting.horizon))[:runs]
    player, judge = models(setting, runs)
    names, longer = widths_of(setting), judge
    if "chowdhury-gopalan" in names:
        longer = Known(setting, runs, LENGTHSCALE, 1.0 + 2.0 / setting.horizon)
    first = START if setting.model in (FITTED, FITTED_HALF) else 0
    design = stream(seed, "stopping", "design").integers(0, len(setting.points), (RUNS, START))[:runs]
    watch, lanes = Watch(values), np.arange(runs)
    state = _State(setting, watch, player, judge, longer, seed)
    kept = np.empty((setting.horizon + 1, runs))
    for t in range(setting.horizon + 1):
        state.best = lowest_argmaxes(judge.mean)
        if t >= first:
            state.look(t, names)
        kept[t] = stopping.at(watch.loss, state.best)
        if t == setting.horizon:
            break
        chosen = state.chosen(t) if t >= first else design[:, t]
        observed = values[lanes, chosen] + errors[:, t]
        state.told(t, chosen, observed)
        for model in dict.fromkeys((player, judge, longer)):
            model.observe(chosen, observed)
    for epsilon in EPSILONS:
        late = np.argmax((kept > epsilon)[::-1], axis=0)  # rounds since the last loss that was too large
        never = (kept > epsilon)[-1]
        settled = np.where((kept > epsilon).any(axis=0), setting.horizon + 1 - late, 0)
        watch.when["oracle", epsilon], watch.lost["oracle", epsilon] = np.where(never, -1, settled), np.zeros(runs)
    return watch


class _State:
    """Quantities that the rules look at after every evaluation."""

    def __init__(self, setting: StoppingSetting, watch: Watch, player: Any, judge: Any, longer: Any, seed: int) -> None:
        self.setting, self.watch, self.seed = setting, watch, seed
        self.player, self.judge, self.longer = player, judge, longer
        runs = len(watch.loss)
        self.best, self.seen = np.zeros(runs, dtype=np.intp), np.zeros(watch.loss.shape, dtype=bool)
        self.top, self.since = np.full(runs, -np.inf), np.zeros(runs)

    def told(self, t: int, chosen: Indices, observed: Floats) -> None:
        """Add an evaluation."""
        self.seen[np.arange(len(chosen)), chosen] = True
        self.since = np.where(observed > self.top, 0, self.since + 1)
        self.top = np.maximum(self.top, observed)

    def asked(self, t: int) -> tuple[Model, Request]:
        """Arguments of the widths after t evaluations."""
        setting, judge = self.setting, self.judge
        norm = setting.believed("norm", NORM) if setting.kind == "norm" else None
        gain_of = (lambda count: gains(setting)[count - 1]) if self.longer is not judge else None
        none: Any = None
        model = Model(judge.mean[0], judge.variance[0], none, none, t, judge.gain, gain_of=gain_of)
        return model, Request(EPSILONS[0], DELTA, norm, setting.horizon, DRAWS, self.seed, t + 1)

    def width(self, t: int) -> Floats:
        """(R,) with which GP-UCB chooses the next evaluation."""
        if self.setting.player == SHORTER:
            return np.full(len(self.best), WIDTH)
        name = "srinivas" if self.setting.kind == "prior" else "one-root"
        return np.broadcast_to(RULES[name].width(*self.asked(t)), len(self.best))  # type: ignore[misc]

    def chosen(self, t: int) -> Indices:
        """(R,) the next evaluation."""
        mean, sd = self.player.mean, np.sqrt(self.player.variance)
        if self.setting.player == IMPROVEMENT:
            return lowest_argmaxes(log_expected_improvement(mean, sd, mean.max(axis=1, keepdims=True)))
        return lowest_argmaxes(mean + self.width(t)[:, None] * sd)

    def look(self, t: int, names: list[str]) -> None:
        """All rules after t evaluations."""
        judge, watch = self.judge, self.watch
        mean, variance, factor = judge.mean, judge.variance, judge.factor
        sd, lanes = np.sqrt(variance), np.arange(len(mean))
        weights = factor[lanes, :, self.best]
        cross = judge.rows(self.best) - np.matmul(weights[:, None, :], factor)[:, 0]
        model, asked = self.asked(t)
        for name, part in product(names, PARTS):
            rule = name if part == 1 else f"{name}/{part}"
            if watch.asks(rule):
                width = RULES[name].width(model, asked) / part  # type: ignore[misc]
                if RULES[name].differences:
                    excess, best = stopping.differences(mean, variance, cross, self.best, width), self.best
                else:
                    used = self.longer if RULES[name].inflated else judge
                    best, excess = stopping.band(used.mean, np.sqrt(used.variance), width)
                self._by(rule, t, best, stopping.regret_of(excess))
        for rule in SHORT:
            if watch.asks(rule):
                best, excess = stopping.band(mean, sd, float(rule))
                self._by(rule, t, best, stopping.regret_of(excess))
        self._shipped(t, mean, sd)
        self._by_probability(mean, variance, cross, asked)

    def _by(self, rule: str, t: int, best: Indices, loses: Floats) -> None:
        self.watch.note(rule, t, best, lambda epsilon: loses <= epsilon)

    def _shipped(self, t: int, mean: Floats, sd: Floats) -> None:
        if t >= stopping.OPTUNA_FIRST and self.watch.asks("optuna"):
            width = stopping.optuna_width(t, PLACES[self.setting.place][1])
            found = lowest_argmaxes(np.where(self.seen, mean - width * sd, -np.inf))
            loses = stopping.optuna_bound(mean, sd, self.seen, width)
            self.watch.note("optuna", t, found, lambda epsilon: loses < epsilon)
        for rule in ("plateau-10", "plateau-30"):
            if t:
                self.watch.note(rule, t, self.best, lambda _, r=rule: self.since >= stopping.window_of(r))  # type: ignore[misc]
        if t and self.watch.asks("ei"):
            left = stopping.improvement_left(mean, sd)
            self.watch.note("ei", t, self.best, lambda _: left < stopping.EI_SHARE)

    def _by_probability(self, mean: Floats, variance: Floats, cross: Floats, asked: Request) -> None:
        t, best = asked.look - 1, self.best
        gap, apart = stopping.at(mean, best)[:, None] - mean, stopping.difference_sd(variance, cross, best)
        terms = {e: stopping.others(stopping.better_by(gap, apart, e), best).clip(min=0.0) for e in EPSILONS}
        for factor in LARGER["union"]:
            self.watch.note(_named("union", factor), t, best, lambda e, f=factor: terms[e].sum(axis=1) <= f * DELTA)  # type: ignore[misc]
        for factor in LARGER["probability"] if self.setting.sampled else ():
            rule, delta = _named("probability", factor), factor * DELTA
            limit = delta * (1.0 - stopping.ERROR_SHARE)
            held = {e: terms[e].sum(axis=1) <= limit for e in EPSILONS}
            looks = t <= EVERY or t % STEP == 0
            for e in EPSILONS if looks else ():
                # A probability above delta by one candidate alone needs no draws.
                unsure = self.watch.going(rule, e) & ~held[e] & (terms[e].max(axis=1) <= limit)
                for run in np.flatnonzero(unsure):
                    contest = stopping.Contest(int(best[run]), gap[run], apart[run])
                    now = asked._replace(epsilon=e, delta=delta, seed=self.seed * RUNS + int(run))
                    held[e][run] = keeps(self._one(int(run), cross, t), contest, now, limit)
            self.watch.note(rule, t, best, lambda e, found=held: found[e])  # type: ignore[misc]

    def _one(self, run: int, cross: Floats, t: int) -> Model:
        rows, prior = self.judge.factor[run], self.judge.prior(run)
        return Model(
            self.judge.mean[run],
            self.judge.variance[run],
            lambda _: cross[run],
            lambda a: prior[np.ix_(a, a)] - rows[:, a].T @ rows[:, a],
            t,
        )


def keeps(model: Model, contest: stopping.Contest, asked: Request, limit: float) -> bool:
    """Decision of :func:`companion.policies.stopping_certificate.sampled` for one epsilon, by no more draws than it takes."""
    matter, left = contest.contenders(asked.epsilon, stopping.NEGLECTED * asked.delta)
    allowed = stopping.most_allowed(asked.draws, limit - left, stopping.level_of_look(asked.delta, asked.look))
    root, generator, bad = difference_root(model, contest, matter), stream(asked.seed, "stopping", asked.look), 0
    for _ in range(asked.draws // CHUNK):
        normal = generator.standard_normal((CHUNK, len(matter)))
        bad += int(((normal @ root.T - contest.gap[matter]).max(axis=1) > asked.epsilon).sum())
        if bad > allowed:
            return False
    return True


def _named(rule: str, factor: float) -> str:
    return rule if factor == 1.0 else f"{rule}*{factor:g}"
