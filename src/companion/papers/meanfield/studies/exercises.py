"""Answers to the chapter's exercises: each is a folded solution whose numbers are computed."""

from __future__ import annotations

import math

import numpy as np
from scipy import stats
from scipy.special import lambertw

from companion.papers.meanfield.method.agents import largest_remainder
from companion.papers.meanfield.method.simplex import random_laws
from companion.papers.meanfield.plan.experiments import experiment
from companion.papers.meanfield.problems.catalogue import SETTINGS, meanfield_problem
from companion.papers.meanfield.studies.problems import embedded
from companion.papers.meanfield.studies.rates import useful_from
from companion.papers.meanfield.theory.smoothness import mean_square_slope
from companion.randomness import stream
from companion.report import recorded, say
from companion.report.chapter import folded
from companion.report.text import Sentence
from companion.simulate import Trajectory


@recorded(first="seed")
def rounding(seed: int) -> Sentence:
    """Exercise 1: a law rounded to multiples of 1 / tau."""
    count, parts = 30, 100
    laws = random_laws(2000, (1, count), stream(seed, "meanfield", "exercise", "rounding"))[:, 0]
    rounded = np.array([largest_remainder(law, parts) for law in laws]) / parts
    nearest = np.rint(laws * parts) / parts
    off = float((np.abs(nearest.sum(axis=1) - 1.0) > 1e-9).mean())
    # All fractional parts are k / n with k next to n / 2: the worst case, for an even and for an odd number of actions.
    even, odd = (
        float(np.abs(largest_remainder(law := np.full(n, 1.0 / n), tau) / tau - law).sum())
        for n, tau in ((count, 2 * count + count // 2), (count + 1, 2 * (count + 1) + count // 2))
    )
    return say(
        folded(
            "ch4-ex-rounding",
            "Rounding each probability to its nearest multiple leaves the simplex for {off:.0%} of {laws} random laws "
            "on {count} actions and $\\tau={parts}$: the multiples do not add up to one. The uniform law on three actions "
            "with $\\tau=1$ is a small example.\n\n"
            "Let $r_i$ be the fractional part of $\\tau\\xi_i$ and $k=\\sum_ir_i$, a whole number because $\\tau$ and the "
            "whole parts are. The $k$ coordinates with the largest parts go up, the others down, and the error is "
            "$\\tau^{{-1}}\\big(\\sum_{{\\text{{up}}}}(1-r_i)+\\sum_{{\\text{{down}}}}r_i\\big)$. Since "
            "$\\sum_{{\\text{{up}}}}r_i=k-\\sum_{{\\text{{down}}}}r_i$, both sums are equal, and the error is "
            "$2\\tau^{{-1}}\\sum_{{\\text{{down}}}}r_i$. The $n-k$ coordinates that go down have the smallest parts, so "
            "that their average is at most that of all, $k/n$: the error is at most $2k(n-k)/(n\\tau)\\le n/(2\\tau)$.\n\n"
            "The last step is an equality only for $k=n/2$, the one before only if all parts are equal, then to $k/n$. So "
            "the bound is attained exactly if $n$ is even and every fractional part is $\\tfrac12$. For odd $n$ the "
            "largest error is $2k(n-k)/(n\\tau)$ with $k=(n-1)/2$, that is $(n^2-1)/(2n\\tau)$, where all parts are "
            "$k/n$. Computed: {even:.5f} of $n/(2\\tau)={even_bound:.5f}$ for the uniform law on {count} actions with "
            "$\\tau={even_parts}$, and {odd:.5f} of $(n^2-1)/(2n\\tau)={odd_bound:.5f}$ on {more} with "
            "$\\tau={odd_parts}$; the largest error of the random laws is {seen:.4f}, where the bound is {bound:.4f}.",
        ),
        off=off,
        laws=len(laws),
        count=count,
        parts=parts,
        seen=float(np.abs(rounded - laws).sum(axis=1).max()),
        bound=count / (2.0 * parts),
        even=even,
        even_parts=2 * count + count // 2,
        even_bound=count / (2.0 * (2 * count + count // 2)),
        odd=odd,
        more=count + 1,
        odd_parts=2 * (count + 1) + count // 2,
        odd_bound=((count + 1) ** 2 - 1) / (2.0 * (count + 1) * (2 * (count + 1) + count // 2)),
    )


@recorded(first="seed")
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
            "Write $P_x=Q_x(1+\\varepsilon_x)$. Near $Q$ the divergence is smooth, zero with its gradient at $Q$, and "
            "$D_{{JS}}(P\\|Q)=\\tfrac18\\sum_xQ_x\\varepsilon_x^2+O(\\max_x|\\varepsilon_x|^3)$. For independent draws "
            "$\\E\\varepsilon_x^2=(1-Q_x)/(MQ_x)$, so that the expectation of the sum is $(|A|-1)/M$; that of the rest is "
            "$O(M^{{-3/2}})$. Where some $|\\varepsilon_x|>\\tfrac12$ the expansion is of no use, but there the divergence "
            "is at most $\\log2$, and by Hoeffding's inequality the probability falls exponentially in $M$. So the loss is "
            "$(|A|-1)/(8M)+O(M^{{-3/2}})$, and $Q$ is in the second term only. For {actions} stations and {agents} "
            "bicycles the formula gives {formula:.4f}. Simulated with the demand of the stand-in, over {draws} "
            "populations, it is {measured:.4f}, {off:.0%} away: at {rare} stations less than one bicycle is expected, "
            "which is not the limit of many agents.",
        ),
        actions=problem.actions,
        agents=problem.agents,
        formula=(problem.actions - 1) / (8.0 * problem.agents),
        draws=draws,
        measured=float(loss.mean()),
        off=abs(float(loss.mean()) * 8.0 * problem.agents / (problem.actions - 1) - 1.0),
        rare=int((law * problem.agents < 1.0).sum()),
    )


@recorded(random=False)
def corner() -> Sentence:
    """Exercise 3: which laws the printed penalty prefers."""
    printed, ours = (meanfield_problem("swarm", reading=reading) for reading in ("text", "ours"))
    even = float(ours.reward(np.eye(ours.actions)[:, None, :]).max())
    return say(
        folded(
            "ch4-ex-corner",
            "$p\\mapsto\\log(1+p)$ is strictly concave, so $-\\sigma\\sum_x\\log(1+P_x)$ is strictly convex in $P$; "
            "adding a linear term changes nothing. A strictly convex function on a simplex is largest in corners only: "
            "all agents in one action. There the sum of logarithms is "
            "$\\log2={one:.3f}$, at the uniform law on $n$ actions it is $n\\log(1+1/n)$, "
            "{uniform:.3f} for $n={actions}$: the crowd pays less. Weighted by the shares, "
            "$-\\sigma\\sum_xP_x\\log(1+P_x)$ is strictly concave, because $p\\log(1+p)$ has the second derivative "
            "$(2+p)/(1+p)^2>0$; the sum is $\\log2$ again in a corner and $\\log(1+1/n)={spread:.4f}$ when spread, so that "
            "spreading is rewarded. The best single action then earns {even:.2f}, the best law "
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
    )


@recorded(random=False)
def positive_part() -> Sentence:
    """Exercise 4: the positive part of a Gaussian variable."""
    mean = sd = 1.0
    exact = mean * stats.norm.cdf(mean / sd) + sd * stats.norm.pdf(mean / sd)
    claimed = sd / math.sqrt(2.0 * math.pi) * math.exp(-(mean**2) / (2.0 * sd**2))
    return say(
        folded(
            "ch4-ex-positive",
            "$\\E[Z^+]=m\\,\\Phi(m/s)+s\\,\\varphi(m/s)$, by integrating $z$ against the density over $z>0$, and the printed "
            "right side is the second summand. The two differ by $m\\,\\Phi(m/s)$, and $\\Phi>0$: the inequality holds "
            "exactly for $m\\le0$. For $m=s=1$ the left side is {exact:.3f} "
            "and the right {claimed:.3f}. In the proof $Z=f-U_t$ has mean $-\\sqrt{{\\beta_t}}\\sigma\\le0$ given the "
            "data, if $\\beta_t\\ge0$, so the slip does no harm. It would where $\\beta_t$ is negative, and the "
            "printed one can be: with $n=1$ and $\\tau_1=2$ it is {negative:.2f} in the first round.",
        ),
        exact=float(exact),
        claimed=float(claimed),
        negative=2.0 * math.log(2.0 / math.sqrt(2.0 * math.pi)),
    )


@recorded(random=False)
def squares() -> Sentence:
    """Exercise 5: slopes of paths under the kernel as printed."""
    steps = np.array([1e-1, 1e-2, 1e-3, 1e-4])
    plain, printed = (np.sqrt(mean_square_slope(form, 0.3, steps)) for form in ("squared", "printed"))
    return say(
        folded(
            "ch4-ex-squares",
            "$\\E(f(u+h)-f(u))^2=2(1-k(h))$, where $k(h)$ is the kernel at distance $h$. With both squares it is "
            "$h^2/\\ell^2$ to leading order and the slope has "
            "standard deviation $1/\\ell$; without them it is $h/\\ell$, and the slope's is $1/\\sqrt{{h\\ell}}$, "
            "without limit. At $\\ell=0.3$ and steps from {first:g} to {last:g} the former is {plain}, the latter "
            "{printed}. The last of each are what was asked for. Paths of the kernel as printed have no derivatives, so "
            "that Assumption 3.1, a bound on them, cannot hold for it; with both squares it can.",
        ),
        first=float(steps[0]),
        last=float(steps[-1]),
        plain=", ".join(f"{value:.3g}" for value in plain),
        printed=", ".join(f"{value:.3g}" for value in printed),
    )


@recorded(random=False)
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
            "A path of the prior is $f(x,c,\\xi)=u(x)+v(c)+w_1(\\xi_1)+w_2(\\xi_2)$. Averaged, it is "
            "$g(\\xi_1,\\xi_2)=\\sum_cp(c)\\sum_x\\xi_c(x)u(x)+\\sum_cp(c)v(c)+w_1(\\xi_1)+w_2(\\xi_2)$: every summand is "
            "constant or a function of one of the two laws, and $\\Delta$ of such a function is zero. With each team in one "
            "place the teams earn {same:.2f} together, in either place, and {apart:.2f} apart, either way, so that "
            "$\\Delta={mixed:.2f}$ for Arena: whether a place is good for one team depends on where the other is. No draw "
            "of the prior has such a reward. Nor has one a term in $x$ and $\\xi$ together, as an agent's payoff has "
            "wherever it depends on how crowded the agent's own action is, as in all seven problems here: the theorem "
            "covers none of the experiments as run, which moreover fit their hyperparameters and observe the reward of the "
            "system. A joint kernel on both laws has interactions of teams.",
        ),
        same=value["same"],
        apart=value["apart"],
        mixed=mixed,
    )


@recorded(random=False)
def horizon() -> Sentence:
    """Exercise 7: when a power of a logarithm is below T."""
    powers = [1 + SETTINGS[name].actions for name in ("swarm", "taxi-a")]
    # The smaller root, up to which (log T)^p is below T as well: u = -p W_0(-1/p).
    small_root = math.exp(float(-powers[0] * lambertw(-1.0 / powers[0], 0).real))
    return say(
        folded(
            "ch4-ex-horizon",
            "$(\\log T)^p<T$ means $p\\log u<u$ for $u=\\log T$. The function $u-p\\log u$ falls up to $u=p$ and rises "
            "from there, so that for $p>e$ it has two roots, and the inequality holds for good beyond the larger one, "
            "$u=-p\\,W_{{-1}}(-1/p)$ with the lower branch of Lambert's $W$. For Swarm $p={small}$ and "
            "$\\log_{{10}}T={first:.1f}$; for the coarsest grid of Manhattan $p={large}$ and "
            "$\\log_{{10}}T={second:.0f}$. (Below the smaller root it holds too: for Swarm up to $T={root:.1f}$.) In "
            "between $\\sqrt{{T(\\log T)^p}}$ is larger than $T$: a bound of that order with a constant of at least "
            "one says less than that regret grows no faster than the number of rounds.",
        ),
        small=powers[0],
        first=useful_from(powers[0]),
        large=powers[1],
        second=useful_from(powers[1]),
        root=small_root,
    )


@recorded(first=0)
def command() -> Sentence:
    """Exercise 8: the same laws, played by few and by many agents; the commands of the exercise, run here."""
    few, many = 50, 5000
    chosen = experiment("swarm")

    def trial(method: str, agents: int, **more: int) -> Trajectory:
        return chosen.trial(method, 0, chosen.parameters.resolve({"agents": agents, **more}))

    runs = [trial("random", agents) for agents in (few, many)]
    optimum = embedded("swarm").upper_bound
    luck = [run.observation - (optimum - run.instantaneous_regret) for run in runs]
    spread = [float(np.std(each, ddof=1)) for each in luck]
    same = bool(np.array_equal(runs[0].cumulative_regret, runs[1].cumulative_regret))
    ours = [trial("mf-gp-ucb", agents, horizon=60) for agents in (few, many)]
    apart = np.flatnonzero(ours[0].instantaneous_regret != ours[1].instantaneous_regret)
    return say(
        folded(
            "ch4-ex-command",
            "The cumulative regret is {first:.1f} with {few} agents and {second:.1f} with {many}: {same}. Random search "
            "takes its laws from a stream that knows neither rewards nor agents, and regret is that of laws in an infinite "
            "population. `observation` is what the agents earn, and does depend on their draws. What an observation has "
            "beyond the reward of its law has the standard deviation {wide:.3f} with {few} agents and {narrow:.4f} with "
            "{many}, {factor:.1f} times less; the shares of independent draws have a standard deviation like $M^{{-1/2}}$, "
            "which makes {expected:.1f}. MF-GP-UCB is told the observations, so that its laws depend on the draws through "
            "them: its first {design} laws, which are random, are the same, and from evaluation {apart} on the regrets "
            "differ, {ours:.1f} and {theirs:.1f} after {rounds} evaluations. The number of agents is in no formula of the "
            "method; it comes in by the noise.",
        ),
        first=float(runs[0].cumulative_regret[-1]),
        second=float(runs[1].cumulative_regret[-1]),
        few=few,
        many=many,
        same="equal to the last digit" if same else "**not equal**",
        wide=spread[0],
        narrow=spread[1],
        factor=spread[0] / spread[1],
        expected=math.sqrt(many / few),
        design=chosen.parameters.resolve({})["initial"],
        apart=int(apart[0]) + 1 if len(apart) else "none",
        ours=float(ours[0].cumulative_regret[-1]),
        theirs=float(ours[1].cumulative_regret[-1]),
        rounds=len(ours[0].observation),
    )
