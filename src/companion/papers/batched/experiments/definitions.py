"""The experiments of chapter 3 that the command line and the notebook run.

A set-up has everything one run needs (problem, policy, noise). A chapter that wants more than a trajectory, for example the
batch records behind a bound, keeps its policy. The seed opens the
streams ``function`` and ``noise`` and nothing else does, so all methods and schedules at one seed share both.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from companion.bounds.confidence import ConfidenceSchedule, FixedBeta, SelfNormalizedWidth, UnionBoundWidth
from companion.core.errors import ParameterError
from companion.core.parameters import ParameterSet
from companion.core.randomness import stream
from companion.gp import kernel_by_name
from companion.papers.batched.experiments.parameters import AppendixE, HardClass, KnownNorm, Robust
from companion.papers.batched.method.policy import BPE, AdaptivePlayer, RobustBPE
from companion.papers.batched.method.sizes import constant_sizes, original_sizes, power_sizes, reference_times
from companion.papers.batched.problems.catalogue import (
    SMOOTHNESS,
    ModelledProblem,
    appendix_e_problem,
    known_norm_problem,
    relabelled,
    robust_problem,
)
from companion.papers.batched.problems.hard_class import BumpFamily
from companion.papers.batched.theory.chain import coverage
from companion.papers.batched.theory.lower import RegretLowerBound, hard_class_problem, regret_lower_bound
from companion.policies import Policy, StableOpt
from companion.simulate import Experiment, Method, Trajectory, run_policy


@dataclass(frozen=True, eq=False)
class BatchedSetup:
    """One run, ready to start.

    Parameters
    ----------
    modelled : the problem, the model's covariance and the norm, where known
    policy : fresh
    noise : (T,) additive noise, already scaled
    facts : what else belongs into the run's diagnostics
    """

    modelled: ModelledProblem
    policy: Policy
    noise: NDArray[np.float64]
    facts: dict[str, Any]

    def run(self) -> Trajectory:
        """Run the policy; adds what only someone who knows f can say, see :func:`truth`."""
        trajectory = run_policy(self.policy, self.modelled.problem, len(self.noise), self.noise)
        added = {**self.facts, **truth(self.modelled, self.policy)}
        return replace(trajectory, diagnostics={**trajectory.diagnostics, **added})


def truth(modelled: ModelledProblem, policy: Policy) -> dict[str, Any]:
    """Facts about a finished run that need the true values.

    Returns
    -------
    ``mean_gap``, mean regret over the domain (of a uniformly random point); for batched policies also
    ``maximiser_kept`` (whether the optimum, in the robust setting the robust optimum, survived all batches; the lowest
    index when several attain it) and ``coverage`` (see :func:`~companion.papers.batched.theory.chain.coverage`)
    """
    problem = modelled.problem
    facts: dict[str, Any] = {"mean_gap": float(problem.robust_regret.mean())}
    if isinstance(policy, BPE):
        facts["maximiser_kept"] = bool(policy.active[problem.robust_optimum_index])
        facts["coverage"] = coverage(policy.history, problem.values)
    return facts


def batch_sizes(p: AppendixE | KnownNorm, dim: int) -> tuple[int, ...]:
    """Batch sizes for the parameters ``schedule``, ``horizon``, ``a``, ``batches`` and ``kernel``.

    ``constant`` is the rule of App. D.1.2, which fixes end points. A value of ``a`` or ``batches`` that the schedule
    does not use is refused unless it is the default: a setting without effect is more often a slip than a wish.

    Raises
    ------
    ParameterError
        for such a value, and for a number of batches whose end points do not increase
    """
    uses = {"original": (), "power": ("a",), "constant": ("batches",)}[p.schedule]
    for name, given in (("a", p.a), ("batches", p.batches)):
        if name not in uses and given != getattr(type(p), name):
            schedule = "power" if name == "a" else "constant"
            raise ParameterError(
                name,
                f"got {given}, which has no effect with schedule={p.schedule}",
                f"{name} to be left out here",
                f"Set schedule={schedule} to use it",
            )
    if p.schedule == "original":
        return original_sizes(p.horizon)
    if p.schedule == "power":
        return power_sizes(p.horizon, p.a)
    try:
        return constant_sizes(p.horizon, p.batches, SMOOTHNESS[p.kernel], dim)
    except ParameterError as refused:
        reason = str(refused).removeprefix(f"{refused.name}: ")
        raise ParameterError("batches", f"got {p.batches} at horizon {p.horizon}: {reason}") from refused


def noise_of(seed: int, experiment: str, horizon: int, noise_sd: float) -> NDArray[np.float64]:
    """Gaussian noise (T,); the first t values do not depend on the horizon."""
    return noise_sd * stream(seed, "batched", experiment, "noise").standard_normal(horizon)


# -- one set-up per experiment -----------------------------------------------------------------------------------------


PLAIN_METHODS = (Method("bpe", "batched pure exploration, Algorithm 2"),)


def setup_appendix_e(method: str, seed: int, p: AppendixE) -> BatchedSetup:
    """Appendix E: BPE with the experiments' fixed beta on a random surface."""
    _refuse_unknown(method, PLAIN_METHODS)
    sizes = batch_sizes(p, 2)
    draw, model = (kernel_by_name(p.kernel, length) for length in (p.draw_lengthscale, p.model_lengthscale))
    function_seed = seed if p.function_seed is None else p.function_seed
    generator = stream(function_seed, "batched", "appendix-e", "function")
    modelled = appendix_e_problem(draw, model, generator, p.points_per_axis, p.noise)
    if p.ties == "random":
        order = stream(seed, "batched", "appendix-e", "ties").permutation(modelled.problem.size)
        modelled = relabelled(modelled, order)
    width: float | ConfidenceSchedule = FixedBeta(p.beta) if p.reading == "text" else p.beta
    policy = BPE(modelled.covariance, p.noise**2, sizes, width)
    return BatchedSetup(modelled, policy, noise_of(seed, "appendix-e", p.horizon, p.noise), {})


def setup_known_norm(method: str, seed: int, p: KnownNorm) -> BatchedSetup:
    """BPE on a random function whose norm is exactly Psi, with the theory width or a fixed one."""
    _refuse_unknown(method, PLAIN_METHODS)
    sizes = batch_sizes(p, p.dim)
    modelled = known_norm_problem(
        kernel_by_name(p.kernel, p.lengthscale),
        stream(seed, "batched", "known-norm", "function"),
        points_per_axis=p.points_per_axis,
        dim=p.dim,
        norm=p.norm,
        noise_sd=p.noise,
        construction=p.construction,
    )
    policy = BPE(modelled.covariance, p.noise**2, sizes, _width(p, modelled, len(sizes)))
    return BatchedSetup(modelled, policy, noise_of(seed, "known-norm", p.horizon, p.noise), {"norm": modelled.norm})


ROBUST_METHODS = (
    Method("robust-bpe", "Algorithm 1: evaluate displaced points, charge an active base point"),
    Method("robust-bpe-refined", "with App. C's smaller sampling set, repaired: both minima over the kept pairs"),
    Method("robust-bpe-refined-printed", "with App. C's smaller sampling set, elimination as printed"),
    Method("robust-bpe-literal", "Algorithm 1 as printed: the displaced point itself is charged"),
    Method("stableopt", "StableOpt (Bogunovic et al., 2018), sequential"),
    Method("bpe", "Algorithm 2, which ignores displacement"),
)
_ROBUST_OPTIONS = {
    "robust-bpe": {},
    "robust-bpe-refined": {"refinement": "repaired"},
    "robust-bpe-refined-printed": {"refinement": "printed"},
    "robust-bpe-literal": {"reading": "literal"},
}


def setup_robust(method: str, seed: int, p: Robust) -> BatchedSetup:
    """A robust problem; all methods charge robust regret."""
    _refuse_unknown(method, ROBUST_METHODS)
    sizes = power_sizes(p.horizon, p.a)
    modelled = robust_problem(p.problem, p.noise, p.xi)
    covariance, variance = modelled.covariance, p.noise**2
    neighbours = modelled.problem.neighbourhood.relation
    policy: Policy
    if method == "stableopt":
        theory = p.width == "theory"
        schedule = SelfNormalizedWidth(modelled.known_norm, p.delta) if theory else p.multiplier
        policy = StableOpt(covariance, variance, schedule, neighbours, p.horizon)
    elif method == "bpe":
        policy = BPE(covariance, variance, sizes, _width(p, modelled, len(sizes)))
    else:
        width, options = _width(p, modelled, len(sizes)), _ROBUST_OPTIONS[method]
        policy = RobustBPE(covariance, variance, sizes, width, neighbours, base_point=p.base_point, **options)
    return BatchedSetup(modelled, policy, noise_of(seed, "robust", p.horizon, p.noise), {"norm": modelled.norm})


@lru_cache(maxsize=16)
def _lower_bound(family: BumpFamily, horizon: int, batches: int, noise_sd: float) -> RegretLowerBound:
    """Theorem 2, evaluated once for all members, methods and seeds that share its arguments."""
    return regret_lower_bound(family, horizon, batches, noise_sd)


HARD_METHODS = (
    Method("bpe-reference", "BPE whose batches end at the reference times T_i of Prop. 5"),
    Method("bpe-early", "BPE whose batches end at half of the reference times"),
    Method("bpe-adaptive", "BPE that halves its next batch once less than half of the domain is alive"),
)


def setup_hard_class(method: str, seed: int, p: HardClass) -> BatchedSetup:
    """A member of the class behind Theorem 2, played with batches before, at and depending on the reference times."""
    _refuse_unknown(method, HARD_METHODS)
    kernel = kernel_by_name(p.kernel, p.lengthscale)
    family = BumpFamily(kernel, p.dim, p.norm)
    number = p.class_number
    if number > p.batches:
        raise ParameterError("class_number", f"got {number}", f"an integer from 1 to batches = {p.batches}")
    bound = _lower_bound(family, p.horizon, p.batches, p.noise)
    chosen = bound.classes[number - 1]
    if p.member >= chosen.size:
        raise ParameterError("member", f"got {p.member}", f"-1 to {chosen.size - 1}: class {number} has that many")
    member = None if p.member < 0 else p.member
    modelled = hard_class_problem(family, bound, number, member, points_per_cell=p.points_per_cell, noise_sd=p.noise)
    times = reference_times(p.horizon, p.batches, SMOOTHNESS[p.kernel], p.dim)
    width = _width(p, modelled, len(times))
    if method == "bpe-adaptive":
        policy: BPE = AdaptivePlayer(modelled.covariance, p.noise**2, times, width)
    else:
        ends = times if method == "bpe-reference" else (*(max(1, t // 2) for t in times[:-1]), times[-1])
        sizes = np.diff((0, *ends)).tolist()
        policy = BPE(modelled.covariance, p.noise**2, [size for size in sizes if size], width)
    facts = {"lower_bound": bound.value, "epsilon": chosen.epsilon, "class_size": chosen.size}
    return BatchedSetup(modelled, policy, noise_of(seed, "hard-class", p.horizon, p.noise), facts)


def _refuse_unknown(method: str, known: tuple[Method, ...]) -> None:
    """A method that was put into the experiment by its name alone would run as another one, under the wrong name."""
    if method not in [entry.name for entry in known]:
        got = f"got {method!r}, which these experiments cannot set up"
        names = ", ".join(entry.name for entry in known)
        raise ParameterError(
            "method",
            got,
            f"one of {names}",
            "A policy of your own goes in by cp.experiment(...).with_policy(name, make)",
        )


def _width(p: KnownNorm | Robust | HardClass, modelled: ModelledProblem, batches: int) -> float | ConfidenceSchedule:
    if p.width == "fixed":
        return float(p.multiplier)
    return UnionBoundWidth(modelled.known_norm, modelled.problem.size, batches, p.delta)


EXPERIMENTS: tuple[Experiment[BatchedSetup], ...] = (
    Experiment(
        "batched",
        "appendix-e",
        "Cumulative regret of batch-size rules on random surfaces, as in Tables 1-3.",
        PLAIN_METHODS,
        ParameterSet.of(AppendixE),
        setup_appendix_e,
        "App. E",
    ),
    Experiment(
        "batched",
        "known-norm",
        "BPE with its theory width on functions of exactly known RKHS norm.",
        PLAIN_METHODS,
        ParameterSet.of(KnownNorm),
        setup_known_norm,
        "Sec. 3 and App. A; the experiment is the companion's",
    ),
    Experiment(
        "batched",
        "robust",
        "Robust regret where the robust optimum is not the ordinary one.",
        ROBUST_METHODS,
        ParameterSet.of(Robust),
        setup_robust,
        "Sec. 5 and App. C; the experiment is the companion's",
    ),
    Experiment(
        "batched",
        "hard-class",
        "BPE against the functions behind the lower bound for adaptive batches.",
        HARD_METHODS,
        ParameterSet.of(HardClass),
        setup_hard_class,
        "Sec. 4 and App. B.2; the experiment is the companion's",
    ),
)


def experiment(name: str) -> Experiment[BatchedSetup]:
    """One of :data:`EXPERIMENTS`."""
    return next(entry for entry in EXPERIMENTS if entry.name == name)
