"""Tests of leads on setting, method, theorem and Table 1."""

from __future__ import annotations

import math
from collections.abc import Callable
from types import ModuleType
from typing import Any

import numpy as np
from scipy import optimize

from companion.bounds.trivial import two_digits
from companion.checks.suspected_error import Finding, suspected_error
from companion.core.randomness import stream
from companion.papers.meanfield.checks.consequences_remarks import Scaled, Sizes, law_gap, remark_crossover, told_agents
from companion.papers.meanfield.checks.setting_kernel import (
    Cube,
    Line,
    gain_curve,
    printed_form,
    remark_mig_rbf,
    squared_form,
)
from companion.papers.meanfield.checks.setting_model import plain_beta, steepest_quotients
from companion.papers.meanfield.checks.theorem import FLAT, TheoremInstance, printed_runs, thm_4_1_explicit_printed
from companion.papers.meanfield.method import widths
from companion.papers.meanfield.method.kernel import AdditiveKernel, radial
from companion.papers.meanfield.method.widths import JointActionWidth
from companion.papers.meanfield.problems.catalogue import HORIZON, SETTINGS
from companion.papers.meanfield.theory import bounds
from companion.papers.meanfield.theory.bounds import Pieces, corrected_bound
from companion.papers.meanfield.theory.runs import STANDARD, STANDARD_GAMES, STANDARD_HORIZON, theory_runs
from companion.papers.meanfield.theory.unlearned import bound_curve, informative_from, unlearned


@suspected_error("E1", teeth={"the variance of the noise": {"power": 2.0}})
def regulariser(*, power: float = -1.0) -> Finding:
    r"""$(\mathbf K+R^{-1}I)^{-1}$, for noise of variance $R^2$

    Mean posterior standard deviation at 200 places given 20 observations with R = 0.1, for both matrices.
    """
    noise, lengthscale = 0.1, 0.2
    seen, asked = stream(0, "E1").random(20), np.linspace(0.0, 1.0, 200)

    def mean_sd(added: float) -> float:
        gram = radial(np.subtract.outer(seen, seen) ** 2, lengthscale) + added * np.eye(20)
        cross = radial(np.subtract.outer(asked, seen) ** 2, lengthscale)
        return float(np.sqrt(1.0 - np.sum(cross * np.linalg.solve(gram, cross.T).T, axis=1)).mean())

    right, printed, quiet = mean_sd(noise**2), mean_sd(noise**power), mean_sd(0.01**power)
    return Finding(
        printed > 2.0 * right and quiet > printed,
        {"squared": right, "printed": printed, "printed_tenth": quiet},
        noise=noise,
    )


@suspected_error("E2", teeth={"with the square": {"form": squared_form, "name": "squared"}})
def radial_function(*, form: Callable[..., Any] = printed_form, name: str = "printed") -> Finding:
    r"""$\exp(-\norm{z-z'}_2/(2\ell))$

    Slopes of the certified information gain, and steepest difference quotients of paths at three steps.
    """
    line = Line(0.2, 0.1)
    slopes, quotients = {}, {}
    for key, path, radial_form in (("squared", "squared", squared_form), ("printed", name, form)):
        horizons, gains = gain_curve(line, radial_form, 5e3)
        slopes[key] = float(np.polyfit(np.log(horizons), np.log(gains), 1)[0])
        quotients[key] = [
            float(steepest_quotients(path, 0.2, stream(0, "E2"), 200, step).mean()) for step in (16, 4, 1)
        ]
    grows = quotients["printed"][2] > 3.0 * quotients["printed"][0]
    still = quotients["squared"][2] < 1.1 * quotients["squared"][0]
    return Finding(
        grows and still and slopes["printed"] > 2.0 * slopes["squared"],
        {"slopes": slopes, "quotients": quotients},
        squared=_listed(quotients["squared"]),
        printed=_listed(quotients["printed"]),
    )


def _listed(numbers: list[float]) -> str:
    return ", ".join(f"{number:.1f}" for number in numbers)


@suspected_error("E10", teeth={"the power d + 1": {"more": 1}})
def power_of_logarithm(*, more: int = 0) -> Finding:
    r"""$\gamma_T=O((\log T)^d)$ for the radial basis function

    Fitted exponents of log T in a lower end of the information gain, d = 1 and 2; contexts in the naive row.
    """
    found = {dim: [next(iter(remark_mig_rbf(Cube(dim, scale)))).lhs for scale in (0.2, 0.5, 1.0)] for dim in (1, 2)}
    short = all(value > dim + more for dim, values in found.items() for value in values)
    within = all(value <= dim + 1 for dim, values in found.items() for value in values)
    return Finding(
        short and within,
        {"exponents": {str(dim): values for dim, values in found.items()}},
        one_dimension=_listed(found[1]),
        two_dimensions=_listed(found[2]),
    )


@suspected_error("E13", teeth={"at a horizon of 10^300": {"horizon": 10**300}})
def hidden_widths(*, horizon: int = HORIZON) -> Finding:
    r"""every row has the same $\beta_T$, and rates in $\iota=\log T$

    Beta_T of both methods with a = b = 2 at T = 250, and the T from which :math:`(\log T)^{|A|}<T`.
    """
    betas = {}
    for name, sizes in SETTINGS.items():
        pieces = Pieces(sizes.actions, sizes.contexts, 2.0, 2.0)
        betas[name] = (pieces.beta(HORIZON), JointActionWidth(sizes.actions, sizes.agents).beta(HORIZON))
    larger = [name for name, (own, naive) in betas.items() if own > naive]
    powers = {name: _from_where(SETTINGS[name].actions) for name in ("swarm", "taxi-a")}
    shown = "; ".join(f"{name} {own:,.0f} against {naive:,.0f}" for name, (own, naive) in betas.items())
    return Finding(
        bool(larger) and min(powers.values()) > math.log(horizon),
        {"widths": {name: list(pair) for name, pair in betas.items()}, "log_horizons": powers},
        horizon=HORIZON,
        shown=shown,
        larger=larger,
    )


def _from_where(power: int) -> float:
    r"""log T from which on :math:`(\log T)^k<T`: the larger root of x = k log x."""
    return float(optimize.brentq(lambda x: x - power * math.log(x), power, 10.0 * power * math.log(power)))


@suspected_error("E14", teeth={"actions with many coordinates": {"dim": 100}})
def crossover(*, dim: int = 1) -> Finding:
    r"""an improvement as long as $d_A+\abs{A}\abs{C}\le Md_A$; $\abs{A}\ll M$

    The rule on the seven problems with one-dimensional actions, and |A| against M.
    """
    fails, crowded = [], []
    for name, sizes in SETTINGS.items():
        left = dim + sizes.actions * sizes.contexts
        if left > sizes.agents * dim:
            fails.append(f"{name} ({left} > {sizes.agents})")
        if sizes.agents < 10 * sizes.actions:
            crowded.append(f"{name} ({sizes.actions} of {sizes.agents})")
    agree = all(remark_crossover(Sizes(s.agents, s.actions, s.contexts, name=n)).holds for n, s in SETTINGS.items())
    return Finding(bool(fails) and agree, {"fails": fails, "crowded": crowded})


@suspected_error("E15", teeth={"without the factorial": {"power": 0.0}})
def other_paper(*, power: float = 1.0) -> Finding:
    r"""$O(\beta_T\sqrt{T\log T^M}/M!)$ for permutation-invariant kernels, 'which still depends on M'

    Log of :math:`(\log T)^M/M!` at T = 250.
    """
    iota = math.log(HORIZON)
    logs = {m: m * math.log(iota) - power * math.lgamma(m + 1) for m in (1, 5, 10, 50, 100)}
    shown = ", ".join(f"{value:.1f} at M = {m}" for m, value in logs.items())
    return Finding(
        logs[100] < logs[50] < 0.0 < logs[5],
        {"logarithms": {str(m): value for m, value in logs.items()}},
        horizon=HORIZON,
        shown=shown,
    )


@suspected_error("E22", teeth={"2 + |C| in place of 1": {"most": lambda contexts: 2.0 + contexts}})
def prior_variance(*, most: Callable[[int], float] = lambda contexts: 1.0) -> Finding:
    r"""$k\le1$ 'by assumption'

    Diagonal of Eq. (1) in the seven problems.
    """
    variances = {name: AdditiveKernel().variance(sizes.contexts) for name, sizes in SETTINGS.items()}
    shown = ", ".join(f"{value:g} in {name}" for name, value in variances.items())
    return Finding(
        all(value > most(SETTINGS[name].contexts) for name, value in variances.items()),
        {"variances": variances},
        shown=shown,
    )


@suspected_error("X2", teeth={"at least two parts": {"least_cuts": 2.0}, "no repair": {"repaired_cuts": 0.0}})
def negative_widths(*, least_cuts: float = 0.0, repaired_cuts: float = 2.0) -> Finding:
    r"""the bound for any $a,b>0$ of Assumption 3.1, with $\beta_t=2\log(n\abs{\Xi_t}t^2/\sqrt{2\pi})$

    The explicit form with a tiny b, where the printed widths are negative for a hundred rounds.
    """
    setup = TheoremInstance(FLAT, 120, 200, "beta")
    case, repaired = (thm_4_1_explicit_printed(setup, least_cuts=cuts) for cuts in (least_cuts, repaired_cuts))
    pieces = FLAT.pieces()
    negative = sum(plain_beta(pieces, t) < 0 for t in range(1, setup.horizon + 1))
    regret = float(printed_runs(setup, 0.0).regret.mean())
    return Finding(
        not case.holds and repaired.holds,
        {"regret": regret, "bound": case.rhs, "negative": negative, "repaired": [repaired.lhs, repaired.rhs]},
        instance=FLAT,
        pieces=pieces,
        cuts=pieces.cuts(1),
        setup=setup,
    )


@suspected_error("U10", teeth={"widths over joint actions": {"modules": (widths,)}})
def independence(*, modules: tuple[ModuleType, ...] = (bounds,)) -> Finding:
    """the bound does not depend on M

    Functions of the bound that take M, and regret with 20 and with 20,000 agents.
    """
    told, _ = told_agents(modules)
    run = Scaled("bikes", 6)
    few, many = (
        float(np.mean([law_gap(run, agents, seed) for seed in range(run.seeds)])) for agents in (run.few, run.many)
    )
    return Finding(told > 0 or many > few, {"told": told, "few": few, "many": many}, run=run)


@suspected_error("U11", teeth={"a tenth of the bound": {"share": 0.1}})
def corrected_on_runs(*, share: float = 1.0) -> Finding:
    r"""$\E R_T=O(\beta_T\sqrt{T\gamma_T}+\mathcal B)$

    The corrected theorem on the standard instance, against the regret and against learning nothing; and no bonus.
    """
    runs, quiet = theory_runs(runs=STANDARD_GAMES), theory_runs(bonus=0.0)
    gain = STANDARD.gain(STANDARD_HORIZON).upper
    bound = corrected_bound(STANDARD.pieces(), STANDARD_HORIZON, STANDARD.noise_variance, gain)
    regret, short = float(runs.regret.mean()), float(quiet.optimism.sum(axis=1).mean())
    error = float(quiet.optimism.sum(axis=1).std(ddof=1)) / math.sqrt(len(quiet.regret))
    holds = regret <= share * bound.total and short - 3.0 * error > bound.optimism
    idle, curve = unlearned(STANDARD), bound_curve(STANDARD)
    first = informative_from(curve.rounds, curve.corrected, idle.range)
    most, fixed = (STANDARD_HORIZON * level.estimate for level in (idle.range, idle.fixed))
    empty = share * bound.total > STANDARD_HORIZON * idle.range.high
    when = (
        f"it is below the range from T = {two_digits(first)} on"
        if math.isfinite(first)
        else f"it is not below the range up to T = {curve.rounds[-1]:.0f}"
    )
    return Finding(
        empty or not holds,
        {
            "regret": regret,
            "bound": bound.total,
            "range": most,
            "fixed_law": fixed,
            "horizon": STANDARD_HORIZON,
            "below_range_between": [first - 1.0, first] if math.isfinite(first) else [curve.rounds[-1], None],
            "below_range_from": two_digits(first) if math.isfinite(first) else None,
            "holds": holds,
            "without_bonus": short,
        },
        terms=bound,
        says="says nothing there" if empty else "is below the range there",
        when=when,
        verdict="holds" if holds else "fails",
        error=error,
    )
