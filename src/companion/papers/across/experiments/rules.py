"""Everybody's rules on a common problem: the papers' own policies, with one width for all or each with its experiments' own.

On a problem with one agent and one context, MF-GP-UCB and WDRBO are GP-UCB: of them only the width is left, so that they
appear with their own widths and not among the rules of one width. Every rule but BPE, which designs its batches itself, starts
from the same random points.
"""

from __future__ import annotations

from collections.abc import Callable

from companion.bounds.confidence import FixedBeta
from companion.core.arrays import Indices
from companion.core.errors import ParameterError
from companion.core.randomness import stream
from companion.papers.across.experiments.parameters import Methods
from companion.papers.across.experiments.problems import NOISE_SD, Common
from companion.papers.batched.method.policy import BPE
from companion.papers.batched.method.sizes import original_sizes
from companion.papers.compressed.method.admission import Admission, dense, horizon_budget, information
from companion.papers.compressed.method.bkb import BKBandit
from companion.papers.compressed.method.policy import CompressedBandit, finite_set_beta
from companion.papers.meanfield.method.widths import PracticeWidth
from companion.papers.tsrsr.method.policy import FinitePolicy
from companion.papers.tsrsr.method.rules import (
    BUCB,
    DPPTS,
    TSRSR,
    UCBPE,
    BatchTS,
    BelieverEI,
    ConstantWidth,
    FiniteSetWidth,
    MeanEI,
    PublishedWidth,
    RandomSearch,
    Rule,
    StochasticPolicy,
    Width,
)
from companion.papers.wdrbo.method.methods import Settings
from companion.policies import Policy
from companion.simulate import Method

DELTA = 0.1
ALPHA = 0.5
"""Exponent of Theorem 3.1's budget, with which the compressed rule is played unless a run says otherwise."""
OVERSAMPLING = 5.0
"""q-bar of BKB, in the range that its authors recommend."""

METHODS = (
    Method("ucb", "GP-UCB; in batches B-UCB, with hallucinated observations"),
    Method("ts", "Thompson sampling; in batches one draw a point"),
    Method("ei", "expected improvement over the largest observation; in batches with believed values"),
    Method("ei-mean", "expected improvement over the largest posterior mean; in batches with believed values"),
    Method("ts-rsr", "Thompson sampling with the regret-to-sigma ratio"),
    Method("ucb-pe", "GP-UCB, then pure exploration for the rest of the batch"),
    Method("sp", "stochastic policy: Boltzmann draws over the posterior mean"),
    Method("dpp-ts", "determinantal Thompson sampling"),
    Method("compressed-ucb", "UCB on a model that keeps informative points only, Theorem 3.1's budget"),
    Method("bkb-ucb", "UCB on BKB's sketched model"),
    Method("bpe", "batched pure exploration, batch sizes of rule (5)"),
    Method("mf-gp-ucb", "MF-GP-UCB with one agent: GP-UCB with the width of its experiments"),
    Method("wdrbo", "WDRBO with one context: GP-UCB with the width of its experiments"),
    Method("random", "uniform candidates"),
)
SEQUENTIAL = ("compressed-ucb", "bkb-ucb", "mf-gp-ucb", "wdrbo")
"""Methods that choose one point at a time."""


def rule_of(method: str, width: Width, initial: int) -> Rule:
    """A rule of batches, which with one point a batch is the sequential method."""
    rules: dict[str, Callable[[], Rule]] = {
        "ucb": lambda: BUCB(width),
        "mf-gp-ucb": lambda: BUCB(width),
        "wdrbo": lambda: BUCB(width),
        "ts": BatchTS,
        "ei": BelieverEI,
        "ei-mean": MeanEI,
        "ts-rsr": TSRSR,
        "ucb-pe": lambda: UCBPE(width),
        "sp": lambda: StochasticPolicy(initial=initial),
        "dpp-ts": DPPTS,
        "random": RandomSearch,
    }
    return rules[method]()


def width_of(method: str, p: Methods) -> Width:
    """The multiplier of a rule of batches.

    GP-UCB's own is that of Srinivas et al. (2010), Theorem 1; batch rules have that of TS-RSR's published code; MF-GP-UCB and
    WDRBO the constants that our runs of their experiments have.
    """
    if p.width == "common":
        return ConstantWidth(p.multiplier)
    if method == "mf-gp-ucb":
        return ConstantWidth(PracticeWidth().multiplier)
    if method == "wdrbo":
        return ConstantWidth(Settings().width)
    return FiniteSetWidth(DELTA) if p.batch_size == 1 else PublishedWidth()


def admission_of(p: Methods) -> Admission:
    """What the compressed rule keeps: Theorem 3.1's budget of the horizon, another one, or with 0 everything."""
    if p.budget is None:
        return information(horizon_budget(p.horizon, ALPHA), NOISE_SD**2)
    return information(p.budget, NOISE_SD**2) if p.budget > 0 else dense()


def policy_of(method: str, common: Common, design: Indices, seed: int, p: Methods) -> Policy:
    """A fresh policy.

    Raises
    ------
    ParameterError
        for a batch size of a method that has none, and for a width of its own where the method has none
    """
    _check(method, p)
    variance, horizon, covariance = NOISE_SD**2, p.horizon, common.covariance
    constant = p.multiplier**2
    if method == "bpe":
        width = FixedBeta() if p.width == "own" else p.multiplier
        return BPE(covariance, variance, original_sizes(horizon), width)
    own = p.width == "own"
    beta = finite_set_beta(common.problem.size, DELTA) if own else lambda t: constant
    generator = stream(seed, "across", common.problem.name, "rule")
    if method == "compressed-ucb":
        return CompressedBandit(covariance, variance, "ucb", admission_of(p), beta, design, capacity=horizon)
    if method == "bkb-ucb":
        kind = "own" if own else "shared"
        return BKBandit(covariance, variance, "ucb", beta, generator, design, oversampling=OVERSAMPLING, width=kind)
    rule = rule_of(method, width_of(method, p), len(design))
    batch = p.batch_size
    return FinitePolicy(rule, covariance, common.prior, variance, batch, generator, design, capacity=horizon)


def _check(method: str, p: Methods) -> None:
    """Refuse a setting without effect: it is more often a slip than a wish."""
    if p.batch_size != 1 and method in (*SEQUENTIAL, "bpe"):
        raise ParameterError("batch_size", f"got {p.batch_size}", f"1: {method} has no batches of a fixed size")
    if method in ("mf-gp-ucb", "wdrbo") and p.width != "own":
        raise ParameterError("width", f"got {p.width!r}", "'own': with the common width this is the method ucb")
    if p.budget is not None and method != "compressed-ucb":
        raise ParameterError("budget", f"has no effect with {method}", "method compressed-ucb")
