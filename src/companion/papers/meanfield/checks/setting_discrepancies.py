"""Tests of leads on setting, method, theorem and Table 1."""

from __future__ import annotations

import math

import numpy as np
from scipy import optimize

from companion.checks.lead import Finding, lead
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
from companion.papers.meanfield.checks.theorem import FLAT, Setup, printed_runs, thm_4_1_explicit_printed
from companion.papers.meanfield.method.kernel import AdditiveKernel, radial
from companion.papers.meanfield.method.widths import JointActionWidth
from companion.papers.meanfield.problems.catalogue import HORIZON, SETTINGS
from companion.papers.meanfield.theory import bounds
from companion.papers.meanfield.theory.bounds import Pieces, corrected_bound
from companion.papers.meanfield.theory.runs import STANDARD, STANDARD_GAMES, STANDARD_HORIZON, theory_runs
from companion.papers.meanfield.theory.unlearned import bound_curve, passage, unlearned


@lead(
    "E1",
    "minor",
    statement="eq-posterior",
    consequence="A misprint: nothing else in the paper uses it. Coded as printed, precise observations would "
    "be ignored",
)
def regulariser() -> Finding:
    r"""$(\mathbf K+R^{-1}I)^{-1}$, for noise of variance $R^2$

    Mean posterior standard deviation at 200 places given 20 observations with R = 0.1, for both matrices.
    """
    noise, lengthscale = 0.1, 0.2
    seen, asked = stream(0, "E1").random(20), np.linspace(0.0, 1.0, 200)

    def mean_sd(added: float) -> float:
        gram = radial(np.subtract.outer(seen, seen) ** 2, lengthscale) + added * np.eye(20)
        cross = radial(np.subtract.outer(asked, seen) ** 2, lengthscale)
        return float(np.sqrt(1.0 - np.sum(cross * np.linalg.solve(gram, cross.T).T, axis=1)).mean())

    right, printed, quiet = mean_sd(noise**2), mean_sd(1.0 / noise), mean_sd(1.0 / 0.01)
    return Finding(
        printed > 2.0 * right and quiet > printed,
        f"Twenty observations with R = {noise:g} leave a mean standard deviation of {right:.3f} with $R^2I$, and "
        f"{printed:.3f} with $R^{{-1}}I$. With a tenth of that noise the printed formula leaves {quiet:.3f}: less "
        f"noise, less trust",
        {"squared": right, "printed": printed, "printed_tenth": quiet},
    )


@lead(
    "E2",
    "medium",
    statement="eq-rbf",
    consequence="As printed it is the Matérn kernel of smoothness 1/2, for which Assumption 3.1 fails and Theorem 4.1 "
    "says nothing. The rates of Table 1 are those of the squared form",
)
def radial_function() -> Finding:
    r"""$\exp(-\norm{z-z'}_2/(2\ell))$

    Slopes of the certified information gain, and steepest difference quotients of paths at three steps.
    """
    line = Line(0.2, 0.1)
    slopes, quotients = {}, {}
    for form, radial_form in (("squared", squared_form), ("printed", printed_form)):
        horizons, gains = gain_curve(line, radial_form, 5e3)
        slopes[form] = float(np.polyfit(np.log(horizons), np.log(gains), 1)[0])
        quotients[form] = [
            float(steepest_quotients(form, 0.2, stream(0, "E2"), 200, step).mean()) for step in (16, 4, 1)
        ]
    grows = quotients["printed"][2] > 3.0 * quotients["printed"][0]
    still = quotients["squared"][2] < 1.1 * quotients["squared"][0]
    return Finding(
        grows and still and slopes["printed"] > 2.0 * slopes["squared"],
        f"From T = 50 to 400 the information gain grows like $T^p$ with p = {slopes['squared']:.2f} with the squares "
        f"and {slopes['printed']:.2f} as printed. The steepest difference quotient at 16, 4 and 1 steps of the grid "
        f"has mean {_listed(quotients['squared'])} with the squares and {_listed(quotients['printed'])} as printed: "
        "those paths have no derivative",
        {"slopes": slopes, "quotients": quotients},
    )


def _listed(numbers: list[float]) -> str:
    return ", ".join(f"{number:.1f}" for number in numbers)


@lead(
    "E10",
    "minor",
    statement="remark-mig-rbf",
    consequence="The cited source has $d+1$. All four rows are short by one power, which leaves their order as it is",
)
def power_of_logarithm() -> Finding:
    r"""$\gamma_T=O((\log T)^d)$ for the radial basis function

    Fitted exponents of log T in a lower end of the information gain, d = 1 and 2; contexts in the naive row.
    """
    found = {dim: [next(iter(remark_mig_rbf(Cube(dim, scale)))).lhs for scale in (0.2, 0.5, 1.0)] for dim in (1, 2)}
    short = all(value > dim for dim, values in found.items() for value in values)
    within = all(value <= dim + 1 for dim, values in found.items() for value in values)
    return Finding(
        short and within,
        f"The lower ends of the exponent's intervals are {_listed(found[1])} for d = 1 and {_listed(found[2])} for d = "
        "2 over five decades of T: above d, below d + 1. By the table's own count of dimensions the naive row would "
        "also have the contexts of all agents",
        {"exponents": {str(dim): values for dim, values in found.items()}},
    )


@lead(
    "E13",
    "major",
    statement="rate-mf",
    consequence=r"$\beta_T$ is another number in each row, and grows like $\abs{A}\abs{C}\log T$ for MF-GP-UCB. "
    "Independence of $M$ stands; at the experiments' horizon the rates of MF-GP-UCB are above the trivial bound",
)
def hidden_widths() -> Finding:
    r"""every row has the same $\beta_T$, and rates in $\iota=\log T$

    Beta_T of both methods with a = b = 2 at T = 250, and the T from which :math:`(\log T)^{|A|}<T`.
    """
    widths = {}
    for name, sizes in SETTINGS.items():
        pieces = Pieces(sizes.actions, sizes.contexts, 2.0, 2.0)
        widths[name] = (pieces.beta(HORIZON), JointActionWidth(sizes.actions, sizes.agents).beta(HORIZON))
    larger = [name for name, (own, naive) in widths.items() if own > naive]
    powers = {name: _from_where(SETTINGS[name].actions) for name in ("swarm", "taxi-a")}
    shown = "; ".join(f"{name} {own:,.0f} against {naive:,.0f}" for name, (own, naive) in widths.items())
    return Finding(
        bool(larger) and min(powers.values()) > math.log(HORIZON),
        rf"At T = {HORIZON} with a = b = 2, $\beta_T$ of MF-GP-UCB against that of GP-UCB on all joint actions: "
        rf"{shown}. It is the larger one in {', '.join(larger)}. And $(\log T)^{{|A|}}<T$ needs T above "
        f"$e^{{{powers['swarm']:.0f}}}$ for the swarm and $e^{{{powers['taxi-a']:.0f}}}$ for the first taxi grid, so "
        "that the rates with the laws' dimension in them say nothing at the paper's horizon",
        {"widths": {name: list(pair) for name, pair in widths.items()}, "log_horizons": powers},
    )


def _from_where(power: int) -> float:
    r"""log T from which on :math:`(\log T)^k<T`: the larger root of x = k log x."""
    return float(optimize.brentq(lambda x: x - power * math.log(x), power, 10.0 * power * math.log(power)))


@lead(
    "E14",
    "minor",
    statement="remark-crossover",
    consequence="By the paper's own rule the arena gains nothing in theory; in practice it does",
)
def crossover() -> Finding:
    r"""an improvement as long as $d_A+\abs{A}\abs{C}\le Md_A$; $\abs{A}\ll M$

    The rule on the seven problems with one-dimensional actions, and |A| against M.
    """
    fails, crowded = [], []
    for name, sizes in SETTINGS.items():
        left = 1 + sizes.actions * sizes.contexts
        if left > sizes.agents:
            fails.append(f"{name} ({left} > {sizes.agents})")
        if sizes.agents < 10 * sizes.actions:
            crowded.append(f"{name} ({sizes.actions} of {sizes.agents})")
    agree = all(remark_crossover(Sizes(s.agents, s.actions, s.contexts, name=n)).holds for n, s in SETTINGS.items())
    return Finding(
        bool(fails) and agree,
        rf"With $d_A=1$ the rule fails for {', '.join(fails)}, and holds for the other problems. $|A|\ll M$, assumed "
        f"in Section 3, is less than a factor ten in {', '.join(crowded)}",
        {"fails": fails, "crowded": crowded},
    )


@lead(
    "E15",
    "minor",
    statement="remark-brown",
    consequence="As quoted it would be better than the paper's own for large M; its constants must depend on M",
)
def other_paper() -> Finding:
    r"""$O(\beta_T\sqrt{T\log T^M}/M!)$ for permutation-invariant kernels, 'which still depends on M'

    Log of :math:`(\log T)^M/M!` at T = 250.
    """
    iota = math.log(HORIZON)
    logs = {m: m * math.log(iota) - math.lgamma(m + 1) for m in (1, 5, 10, 50, 100)}
    shown = ", ".join(f"{value:.1f} at M = {m}" for m, value in logs.items())
    return Finding(
        logs[100] < logs[50] < 0.0 < logs[5],
        rf"At T = {HORIZON} the logarithm of $(\log T)^M/M!$ is {shown}. It tends to minus infinity, which no bound on "
        "a regret can that is uniform in M",
        {"logarithms": {str(m): value for m, value in logs.items()}},
    )


@lead(
    "E22",
    "medium",
    statement="assumption-hidden",
    consequence=r"The assumption is not stated, and Eq. (1) violates it. Factors $\kappa$ repair it",
)
def prior_variance() -> Finding:
    r"""$k\le1$ 'by assumption'

    Diagonal of Eq. (1) in the seven problems.
    """
    variances = {name: AdditiveKernel().variance(sizes.contexts) for name, sizes in SETTINGS.items()}
    shown = ", ".join(f"{value:g} in {name}" for name, value in variances.items())
    return Finding(
        all(value > 1.0 for value in variances.values()),
        rf"$k(z,z)=2+|C|$ with unit scales: {shown}. With $\kappa^2$ for it, $R^A$ and $R^C$ take a factor $\kappa$ "
        r"and $D=2\kappa^2/\log(1+\kappa^2/R^2)$",
        {"variances": variances},
    )


@lead(
    "X2",
    "medium",
    statement="thm-4.1-explicit-printed",
    consequence=r"If $b$ is tiny, $\tau_t<1$ and $\beta_t<0$ for many rounds. The theorem needs $\tau_t\ge2$, or any "
    "larger $b$, which satisfies the assumption too",
)
def negative_widths() -> Finding:
    r"""the bound for any $a,b>0$ of Assumption 3.1, with $\beta_t=2\log(n\abs{\Xi_t}t^2/\sqrt{2\pi})$

    The explicit form with a tiny b, where the printed widths are negative for a hundred rounds.
    """
    setup = Setup(FLAT, 120, 200, "beta")
    case, repaired = thm_4_1_explicit_printed(setup), thm_4_1_explicit_printed(setup, least_cuts=2.0)
    pieces = FLAT.pieces()
    negative = sum(plain_beta(pieces, t) < 0 for t in range(1, setup.horizon + 1))
    regret = float(printed_runs(setup, 0.0).regret.mean())
    return Finding(
        not case.holds and repaired.holds,
        f"Two actions, payoffs that hardly depend on the law (length-scale {FLAT.law_lengthscale:g}, so "
        rf"$b={pieces.b:.1e}$): $\tau_1={pieces.cuts(1):.1e}$, and $\beta_t$ is negative in {negative} of "
        f"{setup.horizon} rounds, in which the algorithm avoids what it does not know. Mean regret {regret:.1f}, bound "
        f"as printed {case.rhs:.1f}. With at least two parts per coordinate: upper limit of the mean "
        f"{repaired.lhs:.1f}, bound {repaired.rhs:.1f}",
        {"regret": regret, "bound": case.rhs, "negative": negative, "repaired": [repaired.lhs, repaired.rhs]},
    )


@lead(
    "U10",
    "major",
    statement="remark-independence",
    consequence="It stands: neither the bound nor the regret grows with the number of agents",
)
def independence() -> Finding:
    """the bound does not depend on M

    Functions of the bound that take M, and regret with 20 and with 20,000 agents.
    """
    told, _ = told_agents((bounds,))
    run = Scaled("bikes", 6)
    few, many = (
        float(np.mean([law_gap(run, agents, seed) for seed in range(run.seeds)])) for agents in (run.few, run.many)
    )
    return Finding(
        told > 0 or many > few,
        f"{told} functions of the bound take M. On bikes with {run.actions} actions the smallest mean-field regret of "
        f"{run.rounds} rounds is {few:.3f} with {run.few} agents and {many:.3f} with {run.many}: it does not grow",
        {"told": told, "few": few, "many": many},
    )


@lead(
    "U11",
    "minor",
    statement="thm-4.1-corrected",
    consequence="An order promises nothing at a given $T$, so this contradicts nothing in the paper. Even repaired and "
    "on a small game, the bound becomes informative only in long runs",
)
def corrected_on_runs() -> Finding:
    r"""$\E R_T=O(\beta_T\sqrt{T\gamma_T}+\mathcal B)$

    The corrected theorem on the standard instance, against the regret and against learning nothing; and no bonus.
    """
    runs, quiet = theory_runs(runs=STANDARD_GAMES), theory_runs(bonus=0.0)
    gain = STANDARD.gain(STANDARD_HORIZON).upper
    bound = corrected_bound(STANDARD.pieces(), STANDARD_HORIZON, STANDARD.noise_variance, gain)
    regret, short = float(runs.regret.mean()), float(quiet.optimism.sum(axis=1).mean())
    error = float(quiet.optimism.sum(axis=1).std(ddof=1)) / math.sqrt(len(quiet.regret))
    holds = regret <= bound.total and short - 3.0 * error > bound.optimism
    idle, curve = unlearned(STANDARD), bound_curve(STANDARD)
    last, first = passage(curve.rounds, curve.corrected, idle.range)
    most, fixed = (STANDARD_HORIZON * level.estimate for level in (idle.range, idle.fixed))
    empty = bound.total > STANDARD_HORIZON * idle.range.high
    when = (
        f"it is below the range from a T between {last:.0f} and {first:.0f} on"
        if math.isfinite(first)
        else f"it is not below the range up to T = {curve.rounds[-1]:.0f}"
    )
    return Finding(
        empty or not holds,
        f"Standard instance, T = {STANDARD_HORIZON}: mean regret {regret:.1f}, bound {bound.total:.1f} (terms "
        f"{bound.discretisation:.2f}, {bound.optimism:.2f}, {bound.exploration:.1f}). The payoff's range, which no "
        f"play can exceed, costs {most:.1f} in as many rounds, and one law for ever {fixed:.1f}: the bound "
        f"{'says nothing there' if empty else 'is below the range there'}; {when}. It {'holds' if holds else 'fails'}, "
        f"and the check can fail: without exploration bonus $R^C$ is {short:.1f} with standard error {error:.1f}, "
        "above its bound",
        {
            "regret": regret,
            "bound": bound.total,
            "range": most,
            "fixed_law": fixed,
            "horizon": STANDARD_HORIZON,
            "below_range_between": [last, first if math.isfinite(first) else None],
            "holds": holds,
            "without_bonus": short,
        },
    )
