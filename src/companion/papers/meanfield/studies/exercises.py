"""Answers to the chapter's exercises: each is a folded solution whose numbers are computed."""

from __future__ import annotations

import math

import numpy as np
from scipy import stats

from companion.papers.meanfield.agents import largest_remainder
from companion.papers.meanfield.bounds import Pieces
from companion.papers.meanfield.problems import SETTINGS, meanfield_problem
from companion.papers.meanfield.simplex import random_laws
from companion.papers.meanfield.smoothness import mean_square_slope
from companion.papers.meanfield.studies.problems import embedded
from companion.papers.meanfield.studies.rates import useful_from
from companion.randomness import stream
from companion.report import here, say
from companion.report.chapter import folded
from companion.report.text import Sentence


def rounding(seed: int) -> Sentence:
    """Exercise 1: a law rounded to multiples of 1 / tau."""
    count, parts = 30, 100
    laws = random_laws(2000, (1, count), stream(seed, "meanfield", "exercise", "rounding"))[:, 0]
    rounded = np.array([largest_remainder(law, parts) for law in laws]) / parts
    nearest = np.rint(laws * parts) / parts
    off = float((np.abs(nearest.sum(axis=1) - 1.0) > 1e-9).mean())
    # Half of the coordinates with remainder one half: the worst case for an even number of them.
    worst = np.full(count, 1.0 / count)
    error = np.abs(largest_remainder(worst, count * 2 + count // 2) / (count * 2 + count // 2) - worst).sum()
    return say(
        folded(
            "ch4-ex-rounding",
            "Rounding each probability to its nearest multiple leaves the simplex for {off:.0%} of {laws} random laws "
            "on {count} actions and $\\tau={parts}$: the multiples do not add up to one. With largest remainders $k$ "
            "of the $n$ coordinates with fractional parts $r_i$ go up and the others down, where $k=\\sum r_i$. The "
            "error is $\\tau^{{-1}}\\big(\\sum_{{\\text{{up}}}}(1-r_i)+\\sum_{{\\text{{down}}}}r_i\\big)$, at most "
            "$2\\tau^{{-1}}k(n-k)/n\\le n/(2\\tau)$. The largest error seen is {seen:.4f} of at most {bound:.4f}; at "
            "the uniform law with half of the coordinates to be rounded up it is {error:.4f}, equal to its bound "
            "{equal:.4f}.",
        ),
        off=off,
        laws=len(laws),
        count=count,
        parts=parts,
        seen=float(np.abs(rounded - laws).sum(axis=1).max()),
        bound=count / (2.0 * parts),
        error=float(error),
        equal=count / (2.0 * (count * 2 + count // 2)),
        where=here(rounding),
    )


def floor(seed: int, draws: int) -> Sentence:
    """Exercise 2: what independent draws cost at the optimum of a divergence."""
    problem = embedded("bikes")
    law = problem.optimal[0]
    generator = stream(seed, "meanfield", "exercise", "floor")
    counts = generator.multinomial(problem.agents, law / law.sum(), size=draws)
    loss = -problem.count_reward(counts[:, None, :])
    return say(
        folded(
            "ch4-ex-floor",
            "Write $P_x=Q_x(1+\\varepsilon_x)$. To second order "
            "$D_{{JS}}(P\\|Q)=\\tfrac18\\sum_xQ_x\\varepsilon_x^2$, and $\\E\\varepsilon_x^2=(1-Q_x)/(MQ_x)$ for "
            "independent draws, so that the sum is $(|A|-1)/M$: the loss is $(|A|-1)/(8M)$ whatever $Q$ is. For the "
            "{actions} stations and {agents} bicycles of the stand-in that is {formula:.4f}; simulated, over {draws} "
            "populations, it is {measured:.4f}: at stations where less than one bicycle is expected the expansion "
            "does not apply.",
        ),
        actions=problem.actions,
        agents=problem.agents,
        formula=(problem.actions - 1) / (8.0 * problem.agents),
        draws=draws,
        measured=float(loss.mean()),
        where=here(floor),
    )


def corner() -> Sentence:
    """Exercise 3: which laws the printed penalty prefers."""
    printed, ours = (meanfield_problem("swarm", reading=reading) for reading in ("text", "ours"))
    even = float(ours.reward(np.eye(ours.actions)[:, None, :]).max())
    return say(
        folded(
            "ch4-ex-corner",
            "$p\\mapsto\\log(1+p)$ is concave, so $-\\sigma\\sum_x\\log(1+P_x)$ is convex in $P$; adding the linear "
            "term changes nothing. A convex function on a simplex is largest in a corner: all agents in one action. "
            "There the sum is $\\log2={one:.3f}$, at the uniform law on $n$ actions it is $n\\log(1+1/n)$, "
            "{uniform:.3f} for $n={actions}$: the crowd pays less. Weighted by the shares, "
            "$-\\sigma\\sum_xP_x\\log(1+P_x)$ is concave, with $\\log2$ again in a corner and "
            "$\\log(1+1/n)={spread:.3f}$ when spread. The best single action then earns {even:.2f}, the best law "
            "{best:.2f}. (As printed, summed over the agents, they earn {crowd:.0f} together and the penalty is "
            "{small:.1%} of it.)",
        ),
        one=math.log(2.0),
        uniform=ours.actions * math.log1p(1.0 / ours.actions),
        actions=ours.actions,
        spread=math.log1p(1.0 / ours.actions),
        even=even,
        best=ours.optimum,
        crowd=printed.optimum,
        small=10.0 * math.log(2.0) / printed.optimum,
        where=here(corner),
    )


def positive_part() -> Sentence:
    """Exercise 4: the positive part of a Gaussian variable."""
    mean = sd = 1.0
    exact = mean * stats.norm.cdf(mean / sd) + sd * stats.norm.pdf(mean / sd)
    claimed = sd / math.sqrt(2.0 * math.pi) * math.exp(-(mean**2) / (2.0 * sd**2))
    return say(
        folded(
            "ch4-ex-positive",
            "$\\E[Z^+]=m\\,\\Phi(m/s)+s\\,\\varphi(m/s)$, and the printed right side is the second summand. For "
            "$m\\le0$ the first is not positive and the inequality holds; for $m=s=1$ the left side is {exact:.3f} "
            "and the right {claimed:.3f}. In the proof $Z=f-U_t$ has mean $-\\sqrt{{\\beta_t}}\\sigma\\le0$ given the "
            "data, if $\\beta_t\\ge0$, so the slip does no harm. It would where $\\beta_t$ is negative, and the "
            "printed one can be: with $n=1$ and $\\tau_1=2$ it is {negative:.2f} in the first round.",
        ),
        exact=float(exact),
        claimed=float(claimed),
        negative=2.0 * math.log(2.0 / math.sqrt(2.0 * math.pi)),
        where=here(positive_part),
    )


def squares() -> Sentence:
    """Exercise 5: slopes of paths under the kernel as printed."""
    steps = np.array([1e-1, 1e-2, 1e-3, 1e-4])
    plain, printed = (np.sqrt(mean_square_slope(form, 0.3, steps)) for form in ("squared", "printed"))
    return say(
        folded(
            "ch4-ex-squares",
            "$\\E(f(u+h)-f(u))^2=2(1-k(h))$. With both squares it is $h^2/\\ell^2$ to leading order and the slope has "
            "standard deviation $1/\\ell$; without them it is $h/\\ell$, and the slope's is $1/\\sqrt{{h\\ell}}$, "
            "without limit. At $\\ell=0.3$ and steps from {first:g} to {last:g} the former is {plain}, the latter "
            "{printed}. Assumption 3.1, a bound on the partial derivatives, fails for the kernel as printed.",
        ),
        first=float(steps[0]),
        last=float(steps[-1]),
        plain=", ".join(f"{value:.3g}" for value in plain),
        printed=", ".join(f"{value:.3g}" for value in printed),
        where=here(squares),
    )


def additive() -> Sentence:
    """Exercise 6: the two teams of Arena are no sum of two functions."""
    problem = meanfield_problem("arena")
    east, west = np.zeros(problem.actions), np.zeros(problem.actions)
    east[0] = west[problem.actions // 2] = 1.0
    pairs = {"same": (east, east), "apart": (east, west), "turned": (west, east), "both": (west, west)}
    value = {name: float(problem.reward(np.stack(pair)[None])[0]) for name, pair in pairs.items()}
    mixed = value["both"] - value["turned"] - value["apart"] + value["same"]
    return say(
        folded(
            "ch4-ex-additive",
            "A path of a Gaussian process with the law terms of Eq. (1) is $w_1(\\xi_1)+w_2(\\xi_2)$ there, whose "
            "mixed second difference $w(\\xi_1',\\xi_2')-w(\\xi_1',\\xi_2)-w(\\xi_1,\\xi_2')+w(\\xi_1,\\xi_2)$ is "
            "zero for all four laws. Let each team stand in one place, in the east or in the west. Together they earn "
            "{same:.2f} in either place, apart {apart:.2f} either way, so the difference is {mixed:.2f}: whether a "
            "place is good for one team depends on where the other is. The reward is not in the model, and the "
            "theorem, which draws the payoff from the prior, says nothing about Arena. A joint kernel on both laws "
            "has such interactions.",
        ),
        same=value["same"],
        apart=value["apart"],
        mixed=mixed,
        where=here(additive),
    )


def horizon() -> Sentence:
    """Exercise 7: when a power of a logarithm is below T."""
    swarm, taxi = SETTINGS["swarm"], SETTINGS["taxi-a"]
    powers = [1 + chosen.actions * chosen.contexts for chosen in (swarm, taxi)]
    beta = Pieces(swarm.actions, 1, 2.0, 2.0, 3.0).beta(swarm.horizon)
    return say(
        folded(
            "ch4-ex-horizon",
            "$(\\log T)^p<T$ means $p\\log u<u$ for $u=\\log T$; the larger root is $u=-p\\,W_{{-1}}(-1/p)$, with "
            "Lambert's $W$. For Swarm $p={small}$ and $T$ must exceed $10^{{{first:.0f}}}$; for the coarsest grid of "
            "Manhattan $p={large}$ and $10^{{{second:.0f}}}$. Up to there the rate is larger than the trivial $T$. "
            "The same holds for the width: $\\beta_{{250}}={beta:.0f}$ on Swarm, so that even its root multiplies "
            "every standard deviation by {root:.0f}: an interval is as narrow as the prior's own of two standard "
            "deviations only where the variance has fallen by a factor {factor:.0f}.",
        ),
        small=powers[0],
        first=useful_from(powers[0]),
        large=powers[1],
        second=useful_from(powers[1]),
        beta=beta,
        root=math.sqrt(beta),
        factor=beta / 4.0,
        where=here(horizon),
    )
