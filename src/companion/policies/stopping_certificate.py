"""Stopping certificates: a recommended candidate with a bound on its loss, from the posterior of all candidates."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple, cast

import numpy as np
from numpy.typing import ArrayLike

from companion.bounds.checks import real
from companion.bounds.confidence import (
    ChowdhuryGopalanWidth,
    HorizonDrawsWidth,
    OneRootWidth,
    SelfNormalizedWidth,
    SrinivasDrawsWidth,
    SrinivasNormWidth,
)
from companion.core.arrays import Floats, Indices
from companion.core.errors import ParameterError, floats_of, nearest, positive_number, whole_number
from companion.core.randomness import stream
from companion.core.tables import read_table
from companion.gp.candidates import points_of
from companion.gp.factor import first_factor
from companion.gp.ties import lowest_argmax
from companion.policies import stopping
from companion.policies.candidate_model import Model, given_model, located, required
from companion.policies.model_set import ModelSet, ModelSetPosterior

#: Candidates in the way that a certificate names.
SHOWN = 5
#: Numbers that a set of models may keep: 1.6 GB.
MOST_NUMBERS = 200_000_000
#: What proves the promise of a set of models.
MODELS_THEOREM = "conditioning, and a union bound over candidates, for draws of the set's own prior"
#: Candidates drawn together; where more matter, the union bound, which promises less, stands in for draws.
MOST_DRAWN = 8_000
#: Added to a covariance of differences, relative to its largest variance, until it has a Cholesky factor.
SHIFTS = (0.0, 1e-12, 1e-10, 1e-8)


@dataclass(frozen=True)
class Certificate:
    """Whether to stop, and what is promised if one does.

    Attributes
    ----------
    stop : whether the rule stops
    recommended : index of the candidate to take
    point : its coordinates (d,); empty where only mean and covariance were given
    regret : upper bound at level delta on what it loses to the best candidate; NaN for a rule that gives none
    why : in one sentence
    in_the_way : how many candidates keep the rule from stopping: their upper ends exceed the recommended one's lower end by
        more than epsilon; by the posterior probability, the fewest without which it would be at most delta
    worst : the first of them, worst first
    evaluate : of the recommended and the worst of them the one that is known less; ``None`` where the rule stops
    rule, theorem : name; what proves it, empty for a rule that nothing does
    width : multiplier of the posterior standard deviation; ``None`` for other rules
    probability : upper limit of the posterior probability that it loses more than epsilon; ``None`` for other rules
    epsilon, delta, evaluations : as given, and how many there were
    contradicted : what the observed values contradict in the told model; then nothing is promised and it does not stop
    checked : whether the values were compared with the model
    cautious : what would explain values that lie closer together than the model has them; the promise holds
    untested : told quantities that the values do not test, of :class:`~companion.policies.model_check.Check`
    fitted : what of the model was learnt from the same values; then the theorem does not cover the promise
    """

    stop: bool
    recommended: int
    point: tuple[float, ...]
    regret: float
    why: str
    in_the_way: int
    worst: tuple[int, ...]
    evaluate: int | None
    rule: str
    theorem: str
    width: float | None = field(default=None)
    probability: float | None = field(default=None)
    epsilon: float = 0.0
    delta: float = 0.0
    evaluations: int = 0
    contradicted: str = ""
    checked: bool = False
    cautious: str = ""
    untested: tuple[str, ...] = ()
    fitted: str = ""

    @property
    def proved(self) -> bool:
        """Whether a theorem stands behind the promise."""
        return bool(self.theorem) and not self.fitted and not self.contradicted

    def __repr__(self) -> str:
        if self.contradicted:
            return f"<go on: {self.contradicted}>"
        loses = "nothing is promised" if math.isnan(self.regret) else f"loses at most {self.regret:.3g}"
        unproved = f", unproved: {self.fitted}" if self.fitted else "" if self.proved else ", unproved"
        return f"<{'stop' if self.stop else 'go on'}: candidate {self.recommended} {loses} ({self.rule}{unproved})>"


class Request(NamedTuple):
    """Checked arguments of a stopping rule."""

    epsilon: float
    delta: float
    norm: float | None
    horizon: int | None
    draws: int
    seed: int
    look: int

    @property
    def known_norm(self) -> float:
        """Psi; only rules for functions of a norm take it."""
        assert self.norm is not None
        return self.norm


class Rule(NamedTuple):
    """A rule by what it assumes of f, its theorem, and for a width how it is computed."""

    assumption: str
    theorem: str
    width: Callable[[Model, Request], Any] | None = None
    differences: bool = False
    inflated: bool = False


def _gain(model: Model) -> Any:
    return required(model.gain, "gain", "the realised information gain in nats, beside mean and covariance")


def _gain_of(model: Model, count: int) -> float:
    largest = required(model.gain_of, "rule", "another one: this takes candidates and kernel, not mean and covariance")
    return float(largest(count)) if count else 0.0


def _srinivas_norm(model: Model, asked: Request) -> float:
    t = model.evaluations + 1
    return SrinivasNormWidth(asked.known_norm, asked.delta, _gain_of(model, t)).width(t)


def _lemma_6(model: Model, asked: Request) -> float:
    horizon = required(asked.horizon, "horizon", "the most evaluations that there may be, fixed beforehand")
    if model.evaluations > horizon:
        raise ParameterError(
            "horizon", f"is {horizon}, and {model.evaluations} evaluations are made", "at least that many"
        )
    return HorizonDrawsWidth(len(model.mean), horizon, asked.delta).width()


def _one_root(model: Model, asked: Request) -> Any:
    return OneRootWidth(asked.known_norm, asked.delta).width(gain=_gain(model))


#: The proved rules by name, the default of each assumption first.
RULES = {
    "probability": Rule("draws", "conditioning, and an exact limit of a share (Clopper and Pearson, 1934)"),
    "union": Rule("draws", "conditioning, and a union bound over candidates"),
    "srinivas": Rule(
        "draws",
        "Srinivas et al. (2010), Theorem 1",
        lambda model, asked: SrinivasDrawsWidth(len(model.mean), asked.delta).width(model.evaluations + 1),
    ),
    "lemma-6": Rule("draws", "TS-RSR, Lemma 6", _lemma_6),
    "differences": Rule("norm", "self-normalised bound with one root, for differences", _one_root, differences=True),
    "one-root": Rule("norm", "self-normalised bound with one root, after Flynn et al. (2023)", _one_root),
    "two-roots": Rule(
        "norm",
        "self-normalised bound, Abbasi-Yadkori (2012)",
        lambda model, asked: SelfNormalizedWidth(asked.known_norm, asked.delta).width(gain=_gain(model)),
    ),
    "chowdhury-gopalan": Rule(
        "norm",
        "Chowdhury and Gopalan (2017), Theorem 2",
        lambda model, asked: ChowdhuryGopalanWidth(asked.known_norm, asked.delta).width(
            gain=_gain_of(model, model.evaluations)
        ),
        inflated=True,
    ),
    "srinivas-norm": Rule("norm", "Srinivas et al. (2010), Theorem 3, for bounded noise", _srinivas_norm),
}


def certificate(
    candidates: ArrayLike | None = None,
    kernel: Any = None,
    noise_sd: float | None = None,
    evaluated: ArrayLike | None = None,
    values: ArrayLike | None = None,
    *,
    epsilon: float,
    delta: float = 0.1,
    norm: float | None = None,
    rule: str | float | None = None,
    mean: ArrayLike | None = None,
    covariance: ArrayLike | None = None,
    evaluations: int | None = None,
    gain: float | None = None,
    horizon: int | None = None,
    draws: int = 4096,
    seed: int = 0,
    look: int | None = None,
    prior_mean: float = 0.0,
    standardise: bool = False,
    observed: tuple[ArrayLike, ArrayLike] | None = None,
    fitted: str = "",
) -> Certificate:
    r"""Whether to stop with a point that loses at most epsilon to the best candidate, but with probability delta.

    Every proved rule keeps this at any stopping time, whatever chose the points, where its assumption holds: f is a draw of
    the Gaussian process with this kernel and mean (the default), or a function whose norm, less the mean, is at most ``norm``;
    the noise is Gaussian (for a norm sub-Gaussian) with standard deviation ``noise_sd``. Values are maximised. Where the values
    contradict the model (:mod:`companion.policies.model_check`) nothing is promised.

    Parameters
    ----------
    candidates : (N, d), or (N,) on a line; up to a million with a kernel of :mod:`companion.gp`
    kernel : prior covariance: of :mod:`companion.gp`, a function of two arrays, or the matrix (N, N); or what
        :func:`companion.fit` found, with its mean and its noise; or :class:`companion.ModelSet`, where they are not known
    noise_sd : in units of the values
    evaluated : (t,) integers, indices of candidates; or coordinates (t, d) of points that need not be candidates
    values : (t,) what was observed
    epsilon : what the recommended point may lose, in units of the values
    delta : with which probability it may lose more
    norm : Psi; without it f is a draw
    rule : of :data:`RULES`, for draws ``probability`` and for a norm ``differences`` by default; of
        :data:`~companion.policies.stopping.SHIPPED` or a number, a width, of which nothing is proved
    mean, covariance : posterior (N,), (N, N) of another library's model, in place of the first five
    evaluations, gain : how many it has, and for a norm their realised gain in nats
    horizon : of the rules ``lemma-6`` and ``chowdhury-gopalan``, whose model has the noise variance times 1 + 2/T: the most
        evaluations, fixed beforehand
    draws, seed, look : of the rule ``probability``, see :func:`~companion.policies.stopping.level_of_look`; the look's number
        is one more than that of the evaluations by default
    prior_mean : of the values, in their units; with the kernel's variance it has to fit values that are not standardised
    standardise : the mean is that of the values, and their variance multiplies the kernel's; noise_sd and epsilon stay in units
        of the values. The model then rests on the values, and no theorem covers the promise
    observed : beside a posterior: the values (t,) that it rests on and their prior covariance (t, t), with ``noise_sd`` and
        ``prior_mean``, in any one unit; without them the values are not compared with the model
    fitted : what of the model was learnt from the values, in words; then no theorem covers the promise, and the answer says so

    Returns
    -------
    :class:`Certificate`

    Raises
    ------
    ParameterError
        for an argument that is missing, out of range, or given beside what it excludes

    Notes
    -----
    Stopping by posterior probability is that of Wilson (2024), whose error is controlled otherwise. The proofs are entries of
    chapter 6's ledger.

    Examples
    --------
    >>> import companion as cp
    >>> line = cp.grid(21, dim=1)
    >>> cp.certificate(line, cp.kernel("se", 0.3), 0.1, [0, 10, 14, 20], [0.1, 1.2, 1.4, 0.2], epsilon=0.5)
    <stop: candidate 13 loses at most 0.0612 (probability)>
    """
    asked = Request(
        positive_number("epsilon", epsilon),
        real("delta", delta, 0.0, 1.0, open_ends="both"),
        None if norm is None else positive_number("norm", norm),
        None if horizon is None else whole_number("horizon", horizon),
        whole_number("draws", draws, 1, 10_000_000),
        whole_number("seed", seed, 0, 2**63 - 1),
        0,
    )
    name = checked_rule(rule, norm is not None)
    if isinstance(kernel, ModelSet):
        beside: dict[str, Any] = {"norm": norm, "rule": rule, "mean": mean, "covariance": covariance}
        beside |= {"evaluations": evaluations, "gain": gain, "noise_sd": noise_sd, "observed": observed}
        for each, given in (beside | {"prior_mean": prior_mean or None, "standardise": standardise or None}).items():
            if given is not None:
                raise ParameterError(each, "is given beside a set of models", "none: the set says what is known")
        return _by_models(kernel, candidates, evaluated, values, asked)
    model, points = given_model(
        candidates,
        kernel,
        noise_sd,
        evaluated,
        values,
        mean,
        covariance,
        evaluations,
        gain,
        prior_mean=real("prior_mean", prior_mean),
        standardise=standardise,
        observed=observed,
    )
    asked = asked._replace(look=model.evaluations + 1 if look is None else whole_number("look", look))
    values_say = model.check(asked.norm) if model.check else None
    if wrong := values_say.contradicted if values_say else "":
        found = _made(
            model, asked, str(name), "", lowest_argmax(model.mean), math.nan, False, np.empty(0, dtype=np.intp)
        )
        found = replace(found, contradicted=wrong, why=wrong)
    else:
        found = _decided(model, name, asked)
    if values_say:
        found = replace(found, checked=True, cautious=values_say.cautious, untested=values_say.untested)
    found = replace(found, fitted=fitted or model.fitted)
    if points is None:
        return found
    return replace(found, point=tuple(float(each) for each in points[found.recommended]))


def checked_rule(rule: str | float | None, norm: bool) -> str | float:
    """The rule's name, or a width; ParameterError for a rule of the other assumption."""
    if rule is None:
        return "differences" if norm else "probability"
    if not isinstance(rule, str):
        return positive_number("rule", rule)
    known = [*RULES, *stopping.SHIPPED]
    if rule not in known:
        raise ParameterError("rule", f"got {rule!r}", f"a width, or one of {', '.join(known)}", nearest(rule, known))
    if rule in RULES and (RULES[rule].assumption == "norm") != norm:
        needs = "a norm" if not norm else "a draw of the prior, so no norm"
        raise ParameterError("rule", f"{rule!r} is for {needs}", "one for what norm says, or none")
    return rule


# -- the decision ------------------------------------------------------------------------------------------------------


def _decided(model: Model, rule: str | float, asked: Request) -> Certificate:
    if isinstance(rule, str) and rule in stopping.SHIPPED:
        return _shipped(model, rule, asked)
    if not isinstance(rule, str):
        return _by_width(model, Rule("", "", lambda *_: float(rule)), f"width {rule:g}", asked)
    if RULES[rule].width is None:
        return _by_probability(model, rule, asked)
    return _by_width(model, RULES[rule], rule, asked)


def _by_width(model: Model, rule: Rule, name: str, asked: Request) -> Certificate:
    assert rule.width is not None
    width, used = float(rule.width(model, asked)), model
    if rule.inflated:
        horizon = int(required(asked.horizon, "horizon", "the most evaluations that there may be, fixed beforehand"))
        assert model.longer is not None
        used = model.longer(1.0 + 2.0 / horizon)
    if rule.differences:
        best = lowest_argmax(used.mean)
        excess = stopping.differences(used.mean, used.variance, used.cross(best), best, width)
    else:
        found, excess = stopping.band(used.mean, np.sqrt(used.variance), width)
        best = int(found)
    loses = float(stopping.regret_of(excess))
    order = np.argsort(-excess, kind="stable")
    order = order[: int((excess > asked.epsilon).sum())]
    return _made(model, asked, name, rule.theorem, best, loses, loses <= asked.epsilon, order, width=width)


def _by_probability(model: Model, name: str, asked: Request) -> Certificate:
    best = lowest_argmax(model.mean)
    sd = stopping.difference_sd(model.variance, model.cross(best), best)
    contest = stopping.Contest(best, model.mean[best] - model.mean, sd)
    limit = asked.delta if name == "union" else asked.delta * (1.0 - stopping.ERROR_SHARE)
    likely, loses = contest.union(asked.epsilon), contest.union_regret(limit)
    if name == "probability" and likely > limit and len(contest.contenders(0.0, _left(asked))[0]) <= MOST_DRAWN:
        likely, loses = sampled(model, contest, asked, limit)
    order = contest.contenders(asked.epsilon, limit)[0] if likely > limit else np.empty(0, dtype=np.intp)
    theorem = RULES[name].theorem
    return _made(model, asked, name, theorem, best, loses, likely <= limit, order, probability=likely)


def _by_models(models: ModelSet, candidates: Any, evaluated: Any, values: Any, asked: Request) -> Certificate:
    told = floats_of("values", required(values, "values", "(t,), what was observed")).reshape(-1)
    points = read_table(required(candidates, "candidates", "(N, d)")).numbers
    points = points_of(points[:, None] if points.ndim == 1 else points)
    index, every = located(points, required(evaluated, "evaluated", "indices or coordinates"), told)
    if models.lengthscales.shape[1] != points.shape[1]:
        raise ParameterError(
            "kernel",
            f"has {models.lengthscales.shape[1]} length-scales a model",
            f"{points.shape[1]}, one a coordinate",
        )
    if models.noise.size * len(told) * len(every) > MOST_NUMBERS:
        most = MOST_NUMBERS // (models.noise.size * len(told))
        raise ParameterError("candidates", f"are {len(points)}", f"at most {most} for so many values and models")
    state = ModelSetPosterior(models, every, len(told), len(points))
    for at, value in zip(index.tolist(), told.tolist(), strict=True):
        state.observe(at, value)
    bound, none = state.bound(), cast("Any", None)
    likely, loses = bound.of(asked.epsilon), stopping.least_epsilon(bound.of, asked.delta)
    stop = likely <= asked.delta
    order = np.empty(0, dtype=np.intp) if stop else stopping.fewest(bound.terms(asked.epsilon), asked.delta)[0]
    model = Model(*state.moments(), none, none, len(told))
    found = _made(model, asked, "models", MODELS_THEOREM, bound.best, loses, stop, order, probability=likely)
    return replace(found, point=tuple(points[bound.best].tolist()))


def _left(asked: Request) -> float:
    """Share of delta that the candidates left out of draws may take."""
    return stopping.NEGLECTED * asked.delta


def sampled(model: Model, contest: stopping.Contest, asked: Request, limit: float) -> tuple[float, float]:
    """Exact upper limit of the probability that r loses more than epsilon, and of what it loses but with probability ``limit``.

    Draws are of the differences to r, of the candidates that matter at epsilon = 0; what the others add is bounded.
    """
    matter, left = contest.contenders(0.0, _left(asked))
    level = stopping.level_of_look(asked.delta, asked.look)
    root = difference_root(model, contest, matter)
    normal = stream(asked.seed, "stopping", asked.look).standard_normal((asked.draws, len(matter)))
    lost = np.sort(np.maximum((normal @ root.T - contest.gap[matter]).max(axis=1), 0.0))
    bad = int((lost > asked.epsilon).sum())
    allowed = stopping.most_allowed(asked.draws, limit - left, level)
    loses = float(lost[asked.draws - 1 - allowed]) if allowed >= 0 else math.inf
    return min(stopping.exact_upper(bad, asked.draws, level) + left, 1.0), loses


def difference_root(model: Model, contest: stopping.Contest, matter: Indices) -> Floats:
    """Lower triangular root of the posterior covariance of f(x) - f(r), x among ``matter``."""
    cross = model.cross(contest.best)[matter]
    covariance = model.among(matter) - cross[:, None] - cross[None, :] + model.variance[contest.best]
    shifts = [shift * max(float(np.diagonal(covariance).max(initial=0.0)), 1e-300) for shift in SHIFTS]
    return np.asarray(first_factor(covariance, shifts, "covariance: is not positive semi-definite")[0])


def _shipped(model: Model, rule: str, asked: Request) -> Certificate:
    told = required(model.values, "rule", "a width or a proved one: what libraries ship takes candidates and values")
    sd, best = np.sqrt(model.variance), lowest_argmax(model.mean)
    width, loses = None, math.nan
    if rule == "optuna":
        width = stopping.optuna_width(model.evaluations, model.dim)
        seen = np.zeros(len(sd), dtype=bool)
        seen[model.seen] = True
        loses = float(stopping.optuna_bound(model.mean, sd, seen, width))
        best = lowest_argmax(np.where(seen, model.mean - width * sd, -math.inf)) if seen.any() else best
        stop = model.evaluations >= stopping.OPTUNA_FIRST and loses < asked.epsilon
    elif rule == "ei":
        stop = model.evaluations > 0 and float(stopping.improvement_left(model.mean, sd)) < stopping.EI_SHARE
    else:
        stop = stopping.plateau(told, stopping.window_of(rule))
    return _made(model, asked, rule, "", best, loses, stop, np.empty(0, dtype=np.intp), width=width)


def _made(
    model: Model,
    asked: Request,
    name: str,
    theorem: str,
    best: int,
    loses: float,
    stop: bool,
    order: Indices,
    **more: Any,
) -> Certificate:
    """Everything but the coordinates."""
    way = len(order)
    worst = tuple(int(each) for each in order[:SHOWN])
    known = {each: float(model.variance[each]) for each in (best, *worst[:1])}
    allowed = f"{asked.epsilon:g} with probability {1.0 - asked.delta:g}"
    if not theorem:
        why = f"{name} says {'stop' if stop else 'go on'}, and no theorem bounds what is lost"
    elif stop:
        why = f"no candidate is better than {best} by more than {allowed}"
    else:
        others = "1 candidate" if way == 1 else f"{way} candidates"
        why = f"{others} may be better than {best} by more than {asked.epsilon:g}; {loses:.3g} is what can be promised"
    return Certificate(
        stop=bool(stop),
        recommended=int(best),
        point=(),
        regret=loses,
        why=why,
        in_the_way=way,
        worst=worst,
        evaluate=None if stop or not way else max(known, key=known.__getitem__),
        rule=name,
        theorem=theorem,
        epsilon=asked.epsilon,
        delta=asked.delta,
        evaluations=model.evaluations,
        **more,
    )
