# ---
# jupyter:
#   jupytext:
#     formats: ipynb,py:percent
#     text_representation:
#       extension: .py
#       format_name: percent
#   kernelspec:
#     display_name: Python 3
#     language: python
#     name: python3
# ---

# %% [markdown]
# # TS-RSR: batches by a regret-to-uncertainty ratio
#
# *Ren and Li, "TS-RSR: a provably efficient approach for batch Bayesian Optimization"* {cite}`ren_tsrsr`
#
# After this half hour you can choose a batch by this rule with ten lines of NumPy, say in three ideas why its regret
# is bounded, and judge what the bound is worth. Proofs, settings and raw numbers are in *the record*, {doc}`ch1_tsrsr_record`.

# %% tags=["remove-input"]
from companion.pages import Figure, say, show
from companion.pages.chapter import check_parameters
from companion.papers.across.page import box_study, which_method
from companion.papers.across.page.informative_horizons import horizon_numbers
from companion.papers.across.theory.informative_horizons import PAIRS, horizon_of
from companion.papers.tsrsr.experiments import parameters
from companion.papers.tsrsr.page import batches as batch_studies
from companion.papers.tsrsr.page import (
    bound,
    exercises,
    experiments_figures,
    multisets,
    picture,
    stored_runs,
)

# %% [markdown]
# (ch1-question)=
# ## Which points should a batch ask for?
#
# Your oven holds five samples. In the morning you choose five recipes, and in the evening you learn how good they were. Five copies
# of the most promising recipe would be a waste, for one tells what the others will say. Five unlike recipes would tell you a
# lot, but mostly about bad ones. A batch has to be promising *and* diverse.
#
# **A guess first.** *Thompson sampling* draws a function from the posterior and bakes its best recipe. For a batch it draws five
# functions. Five recipes are known from yesterday. Where will the next five lie?

# %% tags=["remove-input"]
oven = picture.two_batches()
n = picture.picture_numbers(oven)
show(
    picture.draw_two_batches(oven),
    "The second morning: two batches from the same [[known]] values and the same posterior draws, an example chosen to show "
    "the difference. [[points]] points, length-scale [[lengthscale:g]], noise [[noise:g]].",
    n,
    alt="Two panels with the same function, posterior band and known values. Left, Thompson sampling: the five points of the next batch lie side by side, at [[theirs:.2f]]. "
    "Right, TS-RSR: they lie at [[ours:.2f]].",
    true_if={
        "Thompson's batch lies on one spot": n.spread < 0.05,
        "the closest two points of the other are farther apart": n.apart > n.spread,
    },
)

# %% [markdown]
# All five draws peak on the one hill in sight, so Thompson sampling bakes five near copies of one recipe.
#
# **One example** goes through this lesson. The unknown quality $f$ is a draw of a Gaussian process on $N=101$ equally spaced points of the unit
# interval, squared exponential of length-scale 0.12. In each of $T$ rounds we choose $m=5$ points, then see their
# values with noise of standard deviation $\sigma_n=0.1$. After round $t$ the posterior has mean $\mu_t(x)$ and standard deviation $\sigma_t(x)$.
#
# **What should be small?** Let $f^*=\max_xf(x)$. An evaluation at $x$ costs its regret $f^*-f(x)$.
# If you sell every sample, the *cumulative regret* counts: $R_{T,m}$, the sum over all $Tm$ evaluations.
# If you sell one recipe, named at the end, its regret counts, the *terminal regret*.
# The theorem is about the first, the experiments about a cousin of the second: the regret of the best recipe so far.
#
# (ch1-method)=
# ## The method
#
# TS-RSR (Thompson sampling with a regret-to-sigma ratio) also begins with draws, one for each place $i$ of the batch.
# But of each draw it keeps only the height of the peak, the *sampled maximum* $\tilde f^*_{t,i}$, a plausible value of $f^*$. Then it fills the places in turn:
#
# $$\begin{aligned}x_{t+1,i}&\in\argmin_x\,\Psi_{t,i}(x),\\[4pt]
#   \Psi_{t,i}(x)&=\frac{\tilde f^*_{t,i}-\mu_t(x)}{\sigma_{t,i}(x)}.\end{aligned}$$
#
# The numerator guesses the regret of $x$. The denominator $\sigma_{t,i}(x)$ says how much is unknown: the standard deviation, as if
# the $i-1$ points already in the batch had been observed. That needs no oven, for a posterior variance does not depend on values.
# So the ratio is small where $x$ is promising or uncertain, and it grows around each point that joins the batch.
#
# Where a sampled maximum lies below a mean the ratio is negative, and the *smaller* deviation
# {ref}`may win <ch1-ex-negative>`. The paper's experiments avoid this by *resampling*: they draw again until it is above all means.

# %% [markdown]
# (ch1-ten-lines)=
# ### Ten lines of NumPy
#
# The rule is `ts_rsr`. Counting a point as observed subtracts an outer product from the covariance.

# %%
import matplotlib.pyplot as plt
import numpy as np


def posterior(K, at, y, v):
    """Mean and covariance given values y at the indices at."""
    noisy = K[np.ix_(at, at)] + v * np.eye(len(at))
    weights = np.linalg.solve(noisy, K[at])
    return weights.T @ y, K - K[:, at] @ weights


def sample(mean, covariance, rng, count):
    root = np.linalg.cholesky(covariance + 1e-9 * np.eye(len(mean)))
    return mean + rng.standard_normal((count, len(mean))) @ root.T


def ts_rsr(mean, covariance, v, maxima):
    """One point for each sampled maximum."""
    pending, batch = covariance.copy(), []
    for maximum in maxima:
        ratio = (maximum - mean) / np.sqrt(np.diag(pending))
        x = int(np.argmin(ratio))  # the smallest regret-to-sigma ratio
        row = pending[x]
        pending = pending - np.outer(row, row) / (row[x] + v)
        batch.append(x)
    return batch


# %% [markdown]
# The oven, yesterday's five recipes, and this morning's batch:

# %%
x = np.linspace(0, 1, 101)
K = np.exp(-0.5 * ((x[:, None] - x) / 0.12) ** 2)
f = sample(np.zeros(101), K, np.random.default_rng(0), 1)[0]
at, v, rng = [15, 35, 50, 65, 90], 0.1**2, np.random.default_rng(5)
mean, covariance = posterior(K, at, f[at] + 0.1 * rng.standard_normal(5), v)
wide = 2 * np.sqrt(np.diag(covariance))
maxima = sample(mean, covariance, rng, 5).max(axis=1)
batch = ts_rsr(mean, covariance, v, maxima)

# %% [markdown]
# The posterior, and beside it the ratio that each choice minimises:


# %%
def draw(figure):
    left, right = figure.subplots(1, 2)
    left.fill_between(x, mean - wide, mean + wide, color="0.5", alpha=0.3)
    left.plot(x, mean, color="0.5")
    for i, (point, maximum) in enumerate(zip(batch, maxima, strict=True)):
        known = posterior(covariance, batch[:i], np.zeros(i), v)[1]
        ratio = (maximum - mean) / np.sqrt(np.diag(known))
        left.axhline(maximum, color=f"C{i}", lw=1)
        left.plot(x[point], mean[point], f"C{i}", marker=f"${i + 1}$", ms=9)
        right.plot(x, ratio, "o-", color=f"C{i}", markevery=[point])
        right.text(x[point], 0.7 * ratio[point], i + 1, ha="center")
    left.set(xlabel="x", title="f: mean ± 2 sd")
    right.set(yscale="log", ylim=(0.6, 60), xlabel="x", title="ratio")


draw(plt.figure(figsize=(8, 3.4)))

# %% tags=["remove-input"]
n = picture.picture_numbers(oven)
show(
    Figure(lambda canvas, _: draw(canvas), size=(8.0, 3.4)),
    "The batch being chosen, drawn by the cell above. Left: the posterior, and each sampled maximum as a level line. "
    "Right: the ratios. Each choice, numbered in order, "
    "is the lowest point of the curve of its colour. [[points]] points, length-scale [[lengthscale:g]], noise [[noise:g]].",
    n,
    alt="Two panels against x. Left: a posterior mean with its band, five level lines of sampled maxima, and the chosen points at [[ours:.2f]]. "
    "Right: five ratio curves, each with its minimum marked; every curve rises where a point has been chosen before.",
)

# %% tags=["remove-input"]
say(
    r"""
The first choice makes the standard deviation there [[factor:.1f]] times smaller, so the ratio rises. The second sampled maximum hardly exceeds the largest mean, so the choice goes to the top of the hill. Later ones go where nothing was measured.
""",
    n,
    true_if={
        "the second choice finds a larger ratio where the first went": n.now > n.then,
        "it goes elsewhere": n.moved,
        "its maximum exceeds the largest mean by little": 0 < n.maxima[1] - oven.mean.max() < 0.15,
        "it goes to the largest mean": batch[1] == oven.mean.argmax(),
        "two later choices have the largest standard deviations": set(oven.chosen[2:4]) == {0, len(x) - 1},
        "the page's lines choose the package's batch": batch == oven.chosen.tolist(),
        "the page's function is the running example": np.allclose(f, oven.values, atol=1e-5),
    },
)

# %% [markdown]
# ### The rule as a slope
#
# Give every candidate a dot: its standard deviation to the right, its mean upwards. The sampled maximum is a point on the vertical axis. The line from there to a dot falls with slope $-\Psi$. So the
# smallest ratio belongs to the line that falls *least*.

# %% tags=["remove-input"]
show(
    picture.plane(oven),
    "The first two choices of the batch above. The line "
    "from the sampled maximum to the chosen dot passes above all others. [[points]] points, length-scale [[lengthscale:g]], noise [[noise:g]].",
    n,
    alt="Two scatter plots of posterior mean against standard deviation. From a diamond on the vertical axis a line descends and touches the cloud of "
    "dots at one point, the choice. For the second choice the dots around the first have moved left, the diamond is lower, and the line touches elsewhere.",
)

# %% tags=["remove-input"]
m = which_method.numbers()
say(
    r"""
GP-UCB takes the highest upper bound $\mu+w\sigma$, and someone has to choose the *width* $w$. No dot lies above the line $\mu+\Psi\sigma=\tilde f^*$. With width $\Psi$ the highest upper bound is exactly the sampled maximum, and the chosen point attains it. TS-RSR is batch UCB whose width the draw sets. Left to tune is the *scale*, how far draws lie from the mean: {ref}`half as far does best <which-method>` in lesson 6 if every evaluation counts.
""",
    m,
    true_if={"half the scale does best by every play": (m.plays_best, m.plays_setting) == ("ts-rsr", "scale 0.5")},
)

# %% [markdown]
# :::{figure-to-drag} batch
# :still: fig-draw
#
# A choice lowers the uncertainty around it, so the next one mostly goes elsewhere.
#
# The figure below opens on the oven's first choice, with the plane beside it. Drag the ring, the sampled
# maximum: where does the choice go {preset}`high up <batch?step=1&shift=4>`, and where {preset}`down at the mean <batch?step=1&shift=-4>`? The batch
# has {live}`5 <batch.places>` different points; at noise 0.5 it {preset}`repeats points <batch?noise=0.5&step=5>`. Other seeds draw other
# functions: count how often a batch repeats a point, also for {preset}`Thompson sampling <batch?rule=ts>`.
# :::

# %% [markdown]
# ### Is it better than Thompson sampling?
#
# One morning cannot tell. Let both rules bake six batches on two hundred functions. Do you expect a difference in early batches or in late ones?


# %%
def play(g, rule, seed):
    """Regret of six batches of five, from nothing."""
    at, y, lost, rng = [], np.array([]), [], np.random.default_rng(seed)
    for _ in range(6):
        mean, covariance = posterior(K, at, y, v)
        batch = rule(mean, covariance, sample(mean, covariance, rng, 5))
        at = at + batch
        y = np.append(y, g[batch] + 0.1 * rng.standard_normal(5))
        lost.append(np.sum(g.max() - g[batch]))
    return lost


rules = {
    "TS-RSR": lambda mean, cov, draws: ts_rsr(mean, cov, v, draws.max(1)),
    "Thompson": lambda mean, cov, draws: draws.argmax(1).tolist(),
}
drawn, lost = sample(np.zeros(101), K, np.random.default_rng(0), 200), {}
for name, rule in rules.items():
    lost[name] = np.array([play(g, rule, k) for k, g in enumerate(drawn)])
    print(f"{name:9}", lost[name].mean(axis=0).round(2))

# %% tags=["remove-input"]
n = picture.beside_thompson(lost["TS-RSR"], lost["Thompson"])
say(
    r"""
In the first two batches no difference shows. Then TS-RSR settles, while Thompson sampling still scatters. TS-RSR loses [[less:.1f]] less on average (95 % interval [[less_low:.1f]] to [[less_high:.1f]]), and less on [[ahead:.0%]] of the functions.
""",
    n,
    true_if={
        "TS-RSR loses less on average, beyond doubt": n.less_low > 0,
        "in the first two batches no difference shows": n.early[0] < 0 < n.early[1],
        "later it loses less": n.late[0] > 0,
    },
)

# %% tags=["parameters", "hide-input"] mystnb={"code_prompt_show": "Show the parameters of this page", "code_prompt_hide": "Hide the parameters"}
seed = 0  # first seed of every study, non-negative integer
batch_size = 5  # points in a batch m where regret meets the bound, count
batches = 20  # batches T where the proof is taken apart, count
noise = 0.1  # noise standard deviation of the bound study, units of f
functions = 200  # functions behind every mean of the theory studies, count
evaluations = 100  # evaluations Tm where batches are compared, count

# %% tags=["remove-input"]
check_parameters(parameters.CHAPTER, globals())

# %% [markdown]
# (ch1-bound)=
# ## The bound, step by step
#
# Let $\gamma_n$ be the largest *information gain*, the most that $n$ evaluations can tell about $f$, in nats. Let $\rho_m$ be the largest factor by which $m$ evaluations can
# shrink a posterior standard deviation, at any point and after any data. Abbreviate $c=2/\log(1+\sigma_n^{-2})$ and $w=\sqrt{2\log(4N(Tm)^3)}$.
#
# ```{prf:theorem} Ren and Li, Theorem 1: regret of TS-RSR, with the constants of its proof
# :label: ch1-theorem-1
# :nonumber:
#
# Let $f$ be a draw of the prior on $N\ge2$ points, $k(x,x)\le1$, and let the algorithm sample and minimise exactly. Then
#
# $$\begin{aligned}\E R_{T,m}\le{}&2\,w\,\rho_m\sqrt{Tm\,c\,\gamma_{Tm}}\\&+\sqrt{24\,Tm\log N}.\end{aligned}$$
# ```
#
# It covers neither the experiments nor the figure above as it opens: a {ref}`resampled <ch1-resampling>` maximum is no posterior draw.
#
# Three ideas carry the proof.
#
# **Swap the truth for a draw.** We cannot see $f^*$. But given the data, a posterior draw and $f$ have the
# same law. So the regret against the *sampled* maxima, $\tilde R=\sum(\tilde f^*_{t,i}-f(x_{t+1,i}))$, has the same expectation.
#
# **Split it.** Each term of $\tilde R$ is the error of a posterior mean plus a ratio times a standard deviation, and the rule has
# made the ratio small:
#
# ```{prf:lemma} Ren and Li, Lemma 2, repaired: decomposition
# :label: ch1-lemma-2
# :nonumber:
#
# Take every term at the chosen point, and let $\bar\Psi^+$ be the run's largest ratio, or zero if that is negative. By Cauchy–Schwarz
#
# $$\begin{aligned}\tilde R_{T,m}\le{}&\textstyle\sum_{t,i}(\mu_t-f)\\&+\bar\Psi^+\sqrt{Tm\textstyle\sum_{t,i}\sigma_{t,i}^2}.\end{aligned}$$
# ```
#
# Why is the ratio small? Because Thompson sampling shows us a point where it is: the maximiser $\tilde x$ of the draw $\tilde f$. Before the batch,
#
# $$\begin{aligned}\Psi(\tilde x)&=\frac{\tilde f^*-\mu_t(\tilde x)}{\sigma_t(\tilde x)}=\frac{\tilde f(\tilde x)-\mu_t(\tilde x)}{\sigma_t(\tilde x)}\\[4pt]
#   &\le\max_x\frac{\tilde f(x)-\mu_t(x)}{\sigma_t(x)}.\end{aligned}$$
#
# At a fixed $x$ the last fraction, (draw − mean)/sd, is standard normal given the data. With high probability even the largest of a run's $NTm$ such numbers is at most
# $w$. Our rule takes the smallest ratio, so it does at least as well. But earlier points of the batch have
# shrunk the denominator, by a factor of $\rho_m$ at worst. So $\bar\Psi^+\le\rho_mw$.
#
# **Count the information.** What is left is a sum of variances, and there is only so much to be told:
#
# ```{prf:lemma} Ren and Li, Lemma 5: variances and gain
# :label: ch1-lemma-5
# :nonumber:
#
# For every sequence of points, repeats allowed, $\sum_{t,i}\sigma_{t,i}^2(x_{t+1,i})\le c\,\gamma_{Tm}$.
# ```
#
# Why? An evaluation of variance $s$ tells $\frac12\log(1+s/\sigma_n^2)$. Times $c$ that is at least $s$, as the logarithm is concave and both agree at $s=0$ and $s=1$.
#
# **Why the factor two?** In Lemma 2's first sum $(f-\mu_t)/\sigma_t$ is standard normal, too. The same tail gives $|\mu_t-f|\le w\,\sigma_t\le w\,\rho_m\,\sigma_{t,i}$, and so the other sum's bound. The last term is for the histories on which $w$ is too short. Their probability is at most $(Tm)^{-2}$, and $\E\tilde R^2\le24(Tm)^3\log N$. Cauchy–Schwarz takes the product's root.

# %% tags=["remove-input"]
n = multisets.arms_numbers()
say(
    r"""
**One slip.** The paper takes $\gamma$ and $\rho$ over *sets* of points. But the rule may take a point twice. Evaluate two independent arms in turn, with prior and noise variance one. Before its $j$-th visit an arm has variance $1/j$, so four evaluations have $1,1,\frac12,\frac12$, in all [[sum:.0f]]. The set of both arms tells $\log2$, so Lemma 5 would allow [[sets:.0f]]; with repeats, [[multisets:.2f]]. {ref}`A blind batch of the two arms <ch1-multisets>` refutes the theorem with sets. With repeats it is true, and $\rho_m=\sqrt{1+m\,\sigma_n^{-2}\max_x\sigma^2(x)}$, from {ref}`m evaluations of the most uncertain point <ch1-ex-ratio>`.
""",
    n,
    true_if={
        "with sets the lemma fails, with repeats it holds": n.sets < n.sum <= n.multisets,
        "the theorem with sets fails for some batch": n.theorem > 1,
    },
)

# %% [markdown]
# **A second bound.** In expectation the error of the means is zero, as draws decide the point, and $f$ has mean $\mu_t$ there. For the rest, Cauchy–Schwarz in expectation
# needs mean squares only, no largest ratio and no rare events:
#
# $$\E\sum\Psi\sigma\le\sqrt{\E\textstyle\sum(\Psi^+)^2}\;\sqrt{\E\textstyle\sum\sigma^2}.$$
#
# At place $i$ of a batch $\Psi^+$ is at most $\rho_{i-1}$ times the largest of $N$ standard normal numbers, and the square of that, where positive,
# has {ref}`a mean of at most <ch1-sharper>` $2+2\log\frac N2$. With $\bar\rho_m^2$ the mean of $\rho_0^2,\dots,\rho_{m-1}^2$, we get the *sharper form*,
#
# $$\begin{aligned}\E R_{T,m}\le{}&\bar\rho_m\sqrt{2+2\log\tfrac N2}\\&\times\sqrt{Tm\,c\,\gamma_{Tm}}.\end{aligned}$$
#
# **A yardstick.** Whoever chose the worst point every time would lose $Tm\,\E[\max f-\min f]$. This *trivial bound* needs no proof; a bound below it is *informative*.
#
# (ch1-staircase)=
# ### The proof as a staircase
#
# Where does the proof lose? We evaluate its lines on the same runs of our example, each with a function of its own, and draw a *staircase*: the proof as a chain of inequalities, one bar a step. As $\rho_m$ depends on the noise, a second panel has much more. Which of the three ideas is expensive?

# %% tags=["remove-input"]
measured = bound.bound_study(seed, batch_size, batches, noise, functions)
steps = {
    "measured": "measured regret",
    "sampled": "draws in place\nof the truth",
    "largest ratio": "the run’s largest ratio\nin place of every ratio",
    "information gain": "information gain in\nplace of variances",
    "ratio bound": "ρₘ times w in place\nof the largest ratio",
    "both terms": "as much again for\nerrors of the means",
    "Theorem 1": "the last term:\nTheorem 1",
    "trivial": "trivial bound",
    "sharp": "sharper form",
}
n = bound.chain_numbers(measured)
show(
    bound.waterfall(measured, steps),
    "The proof, for [[evaluations]] evaluations in batches of [[batch]]. Beside each bar the "
    "factor given away. [[points]] points, length-scale [[lengthscale:g]], noise [[noise:g]] and [[noise_high:g]], means of [[runs]] runs. The first step is three standard errors.",
    n,
    alt="Waterfall charts on a logarithmic axis, from the measured regret down to Theorem 1. With noise [[noise:g]] the last bar "
    "ends at [[slack:.0f]] times the first, with noise [[noise_high:g]] at [[slack_high:.0f]] times.",
)

# %% tags=["remove-input"]
say(
    r"""
What is expensive is to let *one number stand for a whole run*. Every point counts with the largest ratio: a factor of [[largest:.1f]] in our example. And this ratio, [[ratio:.1f]] in the mean, is bounded for the worst history: by $\rho_5=[[rho:.1f]]$ times $w=[[width:.1f]]$, another factor of [[bounded:.0f]]. With much noise that is [[bounded_high:.1f]].
""",
    n,
    true_if={
        "with less noise both steps cost more, the second above all": 1
        < n.largest / n.largest_high
        < n.bounded / n.bounded_high,
        "posterior draws in place of the truth cost next to nothing": n.draws < 1.15,
        "every other step gives away less than these two": n.others
        < min(n.largest, n.bounded, n.largest_high, n.bounded_high),
        "the second noise level is the higher one": n.noise_high > n.noise,
        "the batch is of five": n.batch == 5,
        "what the bar is made of": abs(n.rho * n.width / n.ratio / n.bounded - 1) < 1e-9,
    },
)

# %% [markdown]
# (ch1-measured)=
# ## Bound against measurement

# %% tags=["remove-input"]
n = bound.chain_numbers(measured)
say(
    r"""
After [[evaluations]] evaluations of our example Theorem 1 is [[slack:.0f]] times the measured regret, and [[vacuous:.0f]] times the trivial bound; the sharper form is [[vacuous_sharper:.0f]] times the latter. Both hold, and neither is informative. But both grow more slowly than the trivial bound. From when on are they below it?
""",
    n,
    true_if={
        "no mean regret exceeds a bound": n.holds,
        "no bound is below the trivial one": n.least > 1,
    },
)

# %% [markdown]
# :::{figure-to-drag} horizon
# :still: when-horizons
# :record: companion.papers.across.page.informative_horizons.record_on_line
# :fixed: paper=tsrsr&kernel=se&dim=1
# :start: noise=0.1&m=5
#
# Larger batches and less noise both raise $\rho_m$, so the bounds become informative later.
#
# The figure has noise {live}`0.1 <horizon.noise>` and batches of {live}`5 <horizon.m>`, but the fifty points of length-scale 0.2 on which {ref}`all papers are compared <when-horizons>`;
# ours would hardly move a curve. After {live}`1000 <horizon.T>` evaluations the
# theorem is {live}`17.6 <horizon.printed>` times the trivial bound, the sharper form {live}`2.22 <horizon.sharper>` times. Drag right until a curve
# falls below *trivial bound / T* ($T$ counts evaluations there), then try {preset}`single points <horizon?noise=0.1&m=1>` and {preset}`more noise <horizon?noise=1&m=5>`.
# :::

# %% tags=["remove-input"]
n = bound.vacuous_numbers(bound.vacuous()) | bound.after_thousand()
say(
    r"""
The paper's experiments add noise of standard deviation $10^{-3}$ and begin without a phase of pure exploration. There Theorem 1 is at least [[least:.0f]] times the trivial bound {ref}`in all twelve <ch1-own-noise>`. It {ref}`cannot become informative <ch1-ex-horizon>` before $T$ exceeds $\sigma_n^{-2}$, a million batches.
""",
    n,
    true_if={
        "the bound lies far above the trivial one": n.least > 10,
        "a million batches": round(n.horizon, -5) == 1_000_000,
        "at noise 0.1 the sharper form needs thousands of evaluations": 1_000
        < horizon_of(PAIRS["TS-RSR"][1], "se", 1, 0.1, 5)
        < 10_000,
        "the theorem more than a million": horizon_of(PAIRS["TS-RSR"][0], "se", 1, 0.1, 5) > 1e6,
        "on our points the curves are where the figure has them": abs(n.theorem / 17.6 - 1) < 0.05
        and abs(n.sharper_later / 2.22 - 1) < 0.05,
    },
)

# %% [markdown]
# (ch1-cost)=
# ### What a batch costs
#
# The theorem has a factor of $\rho_m$. Cut a hundred evaluations into batches, from single points
# to one blind batch of all, and sketch the curve before you look.

# %% tags=["remove-input"]
cost = batch_studies.batch_study(seed, evaluations, functions)
n = batch_studies.batch_numbers(cost)
show(
    batch_studies.batch_cost(cost),
    "[[evaluations]] evaluations in batches of m, means over [[runs]] functions, "
    "95 % intervals; [[points]] points, length-scale [[lengthscale:g]], noise [[noise:g]] and [[noise_high:g]]. Vertical lines: the largest batch shown to cost "
    "less than [[most:.0%]] more than single points. "
    "Middle and right: over the value of single points.",
    n,
    alt="Left: regret against batch size on logarithmic axes for two noise levels, flat at first and then rising ever more steeply. Middle and right: the same "
    "relative to sequential play, a panel for each noise, with the growth of the two bounds; at the largest batch the measured factors are [[blind_factor:.1f]].",
    true_if={"regret is flat at first": min(n.cheap, n.cheap_high) > 1},
)

# %% tags=["remove-input"]
say(
    r"""
Small batches cost little: up to our batch of [[cheap]] the rise is less than [[most:.0%]], with much noise even up to [[cheap_high]]. Large ones cost ever more, as the first is blind. The paper's claim, a factor of at most $\rho_m$, holds for every $m$ shown.
""",
    n,
    true_if={
        "our batch is the largest cheap one": n.cheap == batch_size,
        "with much noise larger ones are": n.cheap_high > n.cheap,
        "most of the regret of large batches comes from the first": min(n.blind) > 0.5,
        "a batch costs no more than the factor rho_m": n.within_ratio,
    },
)

# %% [markdown]
# (ch1-decides)=
# ## The experiment that decides
#
# The paper compares TS-RSR on twelve problems with six other batch rules: Thompson sampling (TS), the same with draws that repel each other (DPPTS), GP-UCB with pending points
# counted as observed (BUCB) or with pure exploration after the first point (UCBPE), a random policy with weights (SP), and expected improvement point by point (qEI). On all but
# Bird, TS-RSR is printed as the best, mostly from ten runs.
#
# We ran all in two *versions*, with the settings of the paper's text and of the authors' code. At one seed the methods share function, first points and noise,
# so we compare in pairs.

# %% tags=["remove-input"]
evidence = stored_runs.load_paper_results()
n = stored_runs.lead_numbers(evidence)
show(
    experiments_figures.leads(evidence),
    "TS-RSR minus its best rival (named beside; chosen by these runs, which favours it): mean final regrets, as a share of the larger. Paired 95 % intervals, grey from as many "
    "runs as in the paper.",
    n,
    alt="Two panels of intervals, a row for each of [[problems]] problems. With the text [[text_ahead]] interval lies on TS-RSR's side and [[text_behind]] on its rival's; "
    "with the code [[code_ahead]] lie on TS-RSR's side and [[code_behind]] on its rival's. All others contain zero, and the grey bars are much wider than the lines.",
)

# %% tags=["remove-input"]
n = stored_runs.first_numbers(evidence) | n
say(
    r"""
**Ten runs are not enough.** Most intervals contain zero. With all our runs TS-RSR is ahead of its best rival on [[code_ahead]] problems with the code, and behind on none; with the text ahead on one, and behind on Rosenbrock.

**Yet it is the best on average.** In both versions, with few runs and with all, TS-RSR has {ref}`the lowest average rank <ch1-which-rankings-hold>`.

**First places depend on the version.** With as many runs as in print TS-RSR is first on [[code_few]] problems with the code, but on [[text_few]] with the text. {ref}`Which setting makes the difference <ch1-which-difference>` is open.
""",
    n,
    true_if={
        "TS-RSR has the best average rank in both readings, whatever the number of runs": n.best,
        "most intervals contain zero": 2 * (n.code_ahead + n.code_behind + n.text_ahead + n.text_behind) < n.problems,
        "with the text it has far fewer first places": 2 * n.text_few < n.code_few,
        "the code shows it behind nowhere": n.code_behind == 0,
        "the text ahead once and behind once": n.text_ahead == n.text_behind == 1,
        "behind on Rosenbrock": set(stored_runs.lead_rows(evidence).query("reading == 'text' and low > 0").problem)
        == {"Rosenbrock-2D"},
    },
)

# %% [markdown]
# ## Summary

# %% tags=["remove-input"]
n = horizon_numbers("TS-RSR", "se", 1, 0.1, 5)
box = box_study.numbers()
say(
    r"""
*Should you use the rule?* Of the seven, yes: {ref}`the best average rank <ch1-decides>`, though with the text BUCB and qEI are not shown to be behind, no width to choose, and {ref}`a batch of five costs little <ch1-cost>`. If the model is fitted and only the recipe named counts, {ref}`lesson 6 <which-method>` finds BoTorch's *qLogNEI* first.

*When is the bound informative?* {ref}`On the fifty points <ch1-measured>`, with noise 0.1 and batches of five, the sharper form is from about [[best_from]] evaluations on. The theorem, {ref}`in which one number stands for a whole run <ch1-staircase>`, is not before a million. A *random choice* costs half of the trivial bound on average; the sharper form promises less only from [[best_beats]] on.
""",
    n,
    true_if={
        "the theorem is not before a million": n.theorem_from > 1e6,
        "with the text these two are not shown to be behind": stored_runs.first_numbers(evidence).level
        == ["BUCB", "qEI"],
        "another rule is first by the point, on a fitted model": box.final_1_all_rule == "noisy EI",
    },
)

# %% [markdown]
# ### What the paper claims
#
# 1. *Batches multiply the order of the regret by at most* $\rho_m$. True, with repeats counted.
# 2. *After a phase of pure exploration batches do not change the order.* True, but {ref}`on a smaller example <ch1-initial-design>` the phase costs more than it saves.
# 3. *Batches are less redundant than those of Thompson sampling.* True for one posterior; {ref}`along a noisy run <ch1-repeated-points>` TS-RSR repeats itself more, and rightly.
# 4. *On eleven problems of twelve TS-RSR has the smallest regret of seven methods.* Not confirmed; {ref}`its average rank <ch1-which-rankings-hold>` is the best.
#
# All that we found wrong: {ref}`Where we differ <ch1-where-we-differ>`.
#
# ### Related work
#
# A width from an estimate of the maximum is due to {cite:t}`wang2016optimization`, keeping only the sampled maximum to max-value entropy search {cite}`wang2017max`, a ratio of regret to information to information-directed
# sampling {cite}`russo2018learning`. Counting pending points as observed, $\rho_m$ and its remedy come from BUCB
# {cite}`desautels2014parallelizing`. For single points {cite:t}`takeno2024posterior` analyse the same rule, and {ref}`the sharper form is their argument <ch1-single>`. For batches {cite:t}`sugiura2026randomized` analyse a
# related rule.
#
# We found no formal proof of the theorem. Near it are
# [BayesRegretTS.lean](https://github.com/LeanMachineLearning/LML/blob/d3e829a6702f5f542a927c3a1ac6bd3481cf1bec/LeanMachineLearning/Online/Bandit/Algorithms/Regret/BayesRegretTS.lean#L385),
# Thompson sampling with finitely many arms, and
# [SchurComplement.lean](https://github.com/leanprover-community/mathlib4/blob/04d40f5219dcaec6fa997c0061a587677e1085af/Mathlib/LinearAlgebra/Matrix/SchurComplement.lean), for a batch's information.

# %% [markdown]
# ## Exercises
#
# Three ask for a function. Below the text stands a check, which tries your function and says what it finds. If the page has a field for
# your answer, write the function there. If not, copy the check into a session of Python, and call `check_widths(widths)`.
#
# ```{exercise} The factor by hand
# :label: ch1-ex-ratio
#
# *Level 1 of 3, about 20 minutes.*
#
# Start from a point with variance $v$ and observe it $m$ times with noise variance $\sigma_n^2$. By which factor does its
# standard deviation fall? Now let $v$ be the largest variance of all points. Argue that no $m$ observations, of whichever
# points, shrink the standard deviation of any point by a larger factor. What changes if a point may be observed only once?
# ```
#
# :::{dropdown} Hint 1
# :class-container: exercise-hint
#
# Precisions add: what does one observation add to $1/v$?
# :::
#
# :::{dropdown} Hint 2
# :class-container: exercise-hint
#
# For other points, write their values as a multiple of $f(x)$ plus something independent of it. Which part tells about $f(x)$?
# :::
#
# :::{dropdown} Hint 3
# :class-container: exercise-hint
#
# How large can the multiple be, when no variance exceeds $v$?
# :::

# %% tags=["remove-input"]
n = exercises.ratio_numbers()
say(
    r"""
```{solution} ch1-ex-ratio
:class: dropdown

One observation of $x$ adds the precision $\sigma_n^{-2}$: from variance $v$ to $(v^{-1}+\sigma_n^{-2})^{-1}$. After $m$ of them the ratio of standard deviations is $\sqrt{1+mv/\sigma_n^2}$.

No collection $A$ of $m$ points does more to any $x$. Write $f_A=b\,f(x)+r$ with $r$ independent of $f(x)$. The precision gained is at most $|b|^2/\sigma_n^2$. For every $z\in A$ we have $b_z^2\sigma^2(x)\le k(z,z)\le v$, so that $|b|^2\sigma^2(x)\le mv$. (A point of small variance can gain as much, from $m$ observations of a point of variance $v$ that it is perfectly correlated with.)

With $v=1$ the factor is [[small:.3f]] for $\sigma_n=1$, $m=20$, and [[large:.0f]] for $\sigma_n=10^{-3}$, $m=5$.

Distinct points reach it only where $m$ points of largest variance are copies of one another, up to sign. For independent arms a further *distinct* point gains nothing, so with sets the factor stays at [[sets:.3f]] for $\sigma_n=1$ and every $m$.
```
""",
    n,
)

# %% [markdown]
# ```{exercise} A sampled maximum below the mean
# :label: ch1-ex-negative
#
# *Level 1 of 3, about 10 minutes.*
#
# Two points have means $\mu=(1,0.9)$ and standard deviations $\sigma=(1,0.01)$; the sampled maximum is $\tilde f^*=0.5$.
# Which point does the rule choose, without resampling? Appendix C says that it simply picks the largest mean. When is that so?
# ```

# %% tags=["remove-input"]
n = exercises.negative_numbers()
say(
    r"""
```{solution} ch1-ex-negative
:class: dropdown

The ratios are [[ratios:g]], so the rule takes the second point. Its mean is the smaller one, and next to nothing is left to learn about it.

A negative numerator turns the preference for large standard deviations into its opposite: the rule takes the point whose mean exceeds $\tilde f^*$ by most standard deviations. That is the point of largest mean if its standard deviation is not larger than the others', for instance if all are equal. It can happen otherwise, too. With standard deviations $(1,0.9)$ the ratios are [[others:.2g]], and the rule takes the first point.

Resampling makes every numerator positive, so that none of this can happen.
```
""",
    n,
    true_if={"the rule takes the second point": n.chosen == 2, "then the first": n.again == 1},
)

# %% [markdown]
# ```{exercise} The same width for all
# :label: ch1-ex-choose
#
# *Level 2 of 3, about 25 minutes, with code.*
#
# TS-RSR is batch UCB whose width changes from place to place. Show it: write `widths(mean, covariance, noise_variance, maxima)`, which returns for each
# sampled maximum the pair of the chosen index and the width $w$ at which $\max_x(\mu(x)+w\,\sigma(x))$ equals the sampled maximum, with the chosen points so far counted as observed.
# Find $w$ by bisection, to five digits and without computing a ratio, and then the index as the maximiser of the upper bound. All sampled maxima lie above the largest mean.
# ```
#
# :::{dropdown} Hint 1
# :class-container: exercise-hint
#
# The highest upper bound grows with $w$. It begins at the largest mean, and it exceeds every number in the end.
# :::
#
# :::{dropdown} Hint 2
# :class-container: exercise-hint
#
# So double $w$ until the highest upper bound exceeds the sampled maximum, and then halve the interval.
# :::
#
# :::{dropdown} Hint 3
# :class-container: exercise-hint
#
# The maximiser at this width is the point that the ratio chooses, since $\mu(x)+w\,\sigma(x)\le\tilde f^*$ means $w\le\Psi(x)$.
# :::


# %% tags=["hide-input", "exercise-check"] mystnb={"code_prompt_show": "Show the check", "code_prompt_hide": "Hide the check"}
def check_widths(function):
    import copy

    import numpy as np

    def sd(x, batch, covariance, noise_variance):
        """Standard deviation at x given noisy values at the batch: a ratio of two determinants."""

        def volume(points, noisy):
            noise = noise_variance * np.diag([1.0] * noisy + [0.0] * (len(points) - noisy))
            return np.linalg.det(covariance[np.ix_(points, points)] + noise)

        return np.sqrt(volume([*batch, x], len(batch)) / volume(batch, len(batch)))

    for seed in range(20):
        generator, scale = np.random.default_rng(seed), 0.1 ** (seed % 7)  # small variances make long widths
        factor, mean = generator.standard_normal((6, 6)), generator.standard_normal(6)
        covariance, noise_variance = scale * factor @ factor.T / 6, scale * generator.uniform(0.05, 1.0)
        maxima = mean.max() + generator.uniform(0.1, 2.0, size=5)
        given = {"mean": mean, "covariance": covariance, "noise_variance": noise_variance, "maxima": maxima}
        mine = copy.deepcopy(given)
        found = function(*mine.values())
        for name, value in given.items():
            assert np.array_equal(mine[name], value), f"widths changed its argument {name}"
        assert found is not None, "widths returned None"
        found = list(found)
        assert np.shape(found) == (5, 2), f"widths returned something of shape {np.shape(found)}; right are five pairs"
        for i, (index, width) in enumerate(found):
            batch = [int(before) for before, _ in found[:i]]
            ratio = [(maxima[i] - mean[x]) / sd(x, batch, covariance, noise_variance) for x in range(6)]
            best, right = int(np.argmin(ratio)), min(ratio)
            same = index == best and abs(width - right) <= 1e-5 * max(1, right)
            said = f"returned ({index}, {width:.10g}); right is ({best}, {right:.10g})"
            assert same, f"seed {seed}, maxima[{i}] = {maxima[i]:.4g}: {said}"
    print("widths: right in all cases")


# %% tags=["hide-input", "exercise-solution"] mystnb={"code_prompt_show": "Show an answer", "code_prompt_hide": "Hide the answer"}
import numpy as np


def widths(mean, covariance, noise_variance, maxima):
    pending, found = np.array(covariance), []
    for maximum in maxima:
        sd, low, high = np.sqrt(np.diag(pending)), 0.0, 1.0
        while np.max(mean + high * sd) < maximum:
            high *= 2
        for _ in range(60):
            middle = (low + high) / 2
            low, high = (middle, high) if np.max(mean + middle * sd) < maximum else (low, middle)
        index = int(np.argmax(mean + high * sd))
        row = pending[index]
        pending = pending - np.outer(row, row) / (row[index] + noise_variance)
        found.append((index, high))
    return found


check_widths(widths)

# %% [markdown]
# ```{solution} ch1-ex-choose
# :class: dropdown
#
# The width that bisection finds is the smallest ratio, and the point that attains the highest upper bound is the one that minimises the ratio.
# For BUCB one width serves all places: only the search for $w$ goes.
# ```

# %% [markdown]
# ```{exercise} A lemma that is not needed
# :label: ch1-ex-bias
#
# *Level 3 of 3, about 40 minutes.*
#
# Lemma 6 bounds $\sum_{t,i}(\mu_t-f)(x_{t+1,i})$ with high probability. Show that its expectation is zero, and derive the
# sharper form of {prf:ref}`Theorem 1 <ch1-theorem-1>` with {prf:ref}`Lemma 5 <ch1-lemma-5>`, including the mean of at most $2+2\log\frac N2$. What is $\bar\rho_m$ at prior variance one?
# ```
#
# :::{dropdown} Hint 1
# :class-container: exercise-hint
#
# Which random quantities decide $x_{t+1,i}$, and are they independent of $f$ given the data?
# :::
#
# :::{dropdown} Hint 2
# :class-container: exercise-hint
#
# Take the conditional expectation of $f$ at the chosen point.
# :::
#
# :::{dropdown} Hint 3
# :class-container: exercise-hint
#
# The largest of $N$ standard normal numbers, independent or not, exceeds $\sqrt s$ with probability at most $\frac N2e^{-s/2}$. The mean of a square is the integral of the probability that it exceeds $s$.
# :::

# %% tags=["remove-input"]
n = exercises.bias_numbers(seed, functions)
say(
    r"""
```{solution} ch1-ex-bias
:class: dropdown

The point $x_{t+1,i}$ is a function of the data and of posterior draws that are independent of $f$ given the data. Hence $\E[f(x_{t+1,i})\mid\mathcal F_t,\tilde f]=\mu_t(x_{t+1,i})$, and the sum has mean zero.

Measured over [[runs]] runs of the lesson's example, ten batches each, the mean is [[mean:+.2f]] (95 % interval [[low:+.2f]] to [[high:+.2f]]). Lemma 6 would allow [[allowed:.0f]] at $\delta=0.1$.

What remains is $\E R_{T,m}=\E\sum\Psi_{t,i}\,\sigma_{t,i}$. By Cauchy–Schwarz that is at most $\sqrt{\E\sum(\Psi_{t,i}^+)^2}$ times $\sqrt{\E\sum\sigma_{t,i}^2}$, and Lemma 5 bounds the second root by $\sqrt{c\,\gamma_{Tm}}$.

The rule's ratio is at most that of the draw's maximiser. At place $i$ the standard deviation there has shrunk by $\rho_{i-1}$ at most since the batch began, so $\Psi_{t,i}^+$ is at most $\rho_{i-1}$ times the positive part of the largest of $N$ standard normal numbers. Its square has a mean of at most $\int_0^\infty\min(1,\frac N2e^{-s/2})\,ds$: one up to $s=2\log\frac N2$, and then an integral of two. So the first root is at most $\sqrt{Tm}\,\bar\rho_m\sqrt{2+2\log\frac N2}$, with $\bar\rho_m^2=\frac1m\sum_{i<m}(1+i\,\sigma_n^{-2})=1+\frac{m-1}{2\sigma_n^2}$.
```
""",
    n,
    true_if={"the interval holds zero": n.low < 0 < n.high},
)

# %% [markdown]
# ```{exercise} Two arms, five evaluations
# :label: ch1-ex-arms
#
# *Level 1 of 3, about 15 minutes.*
#
# Two independent arms, both with mean zero and variance one, nothing observed yet, noise variance $\sigma_n^2=0.01$. How often does a
# Thompson batch of five put all evaluations on one arm? How does TS-RSR split them, with the resampling of Appendix C: a
# sampled maximum that does not exceed the largest mean is drawn again? What can happen without it?
# ```
#
# :::{dropdown} Hint 1
# :class-container: exercise-hint
#
# For Thompson sampling: which arm is the maximiser of one draw?
# :::
#
# :::{dropdown} Hint 2
# :class-container: exercise-hint
#
# For TS-RSR: both means are zero. Which of two equal gaps is divided by more?
# :::
#
# :::{dropdown} Hint 3
# :class-container: exercise-hint
#
# Without drawing again the gap may be negative. What does the smallest ratio look like then?
# :::

# %% tags=["remove-input"]
n = exercises.arms_numbers(seed)
say(
    r"""
```{solution} ch1-ex-arms
:class: dropdown

The maximiser of a Thompson draw is either arm with probability one half, so all five are the same with probability $2\cdot2^{-5}$, which is [[exact:.4f]]. In [[batches]] simulated batches it happened with frequency [[same:.4f]].

TS-RSR with resampling divides positive gaps by the standard deviation given the batch so far, and both means are zero. So it always takes the arm that it has taken less often, and splits the five into two and three in every batch.

Without resampling a maximum of two draws is below zero with probability one quarter. Then the gap is negative, the smaller standard deviation wins, and the arm taken more often is taken once more. Count by how much the arms differ: by one after the first choice. Two further choices lead from one back to one with probability $\frac34+\frac14\cdot\frac34=\frac{15}{16}$, else to three; from three to one with $(\frac34)^2$. So a batch is split into two and three with probability $(\frac{15}{16})^2+\frac1{16}\cdot\frac9{16}$, which is [[split:.4f]]; of the simulated batches [[plain:.4f]] were.
```
""",
    n,
    true_if={
        "TS-RSR splits every batch into two and three": n.share == 1,
        "without resampling it does not": n.plain < 1,
        "the sum is the probability": abs(n.split - ((15 / 16) ** 2 + 9 / 256)) < 1e-12,
    },
)

# %% [markdown]
# ```{exercise} A certified gain
# :label: ch1-ex-gain
#
# *Level 3 of 3, about 30 minutes, with code.*
#
# Whoever evaluates the theorem needs an upper end for $\gamma_T$. Write `upper_end(covariance, T, noise_variance)`: the submodular bound of
# {ref}`certified-gain`, the smallest value over $k=0,\dots,T$ greedy points. The arguments are the prior covariance of the candidates, the number of
# evaluations, and $\sigma_n^2$; the result is one number, in nats. Name a case in which it is equal to the gain itself.
# ```
#
# :::{dropdown} Hint 1
# :class-container: exercise-hint
#
# One point more adds $\tfrac12\log(1+\sigma_A^2(x)/\sigma_n^2)$. Which point adds most?
# :::
#
# :::{dropdown} Hint 2
# :class-container: exercise-hint
#
# Keep the posterior covariance, and subtract an outer product for each greedy point, as in `ts_rsr`.
# :::
#
# :::{dropdown} Hint 3
# :class-container: exercise-hint
#
# After $k$ points the upper end is the gain so far plus $T$ times the largest gain of one point more.
# :::


# %% tags=["hide-input", "exercise-check"] mystnb={"code_prompt_show": "Show the check", "code_prompt_hide": "Hide the check"}
def check_upper_end(function):
    import copy

    import numpy as np

    def gain(points, covariance, noise_variance):
        """Information of observations at these points: half the log-determinant of I + K / noise variance."""
        block = covariance[np.ix_(points, points)] / noise_variance
        return 0.5 * np.linalg.slogdet(np.eye(len(points)) + block)[1]

    for seed in range(20):
        generator = np.random.default_rng(seed)
        factor, noise_variance = generator.standard_normal((5, 3)), generator.uniform(0.05, 2.0)
        covariance, T, greedy, values = factor @ factor.T, int(generator.integers(1, 12)), [], []
        for _ in range(T + 1):
            reached = gain(greedy, covariance, noise_variance)
            more = [gain([*greedy, x], covariance, noise_variance) - reached for x in range(5)]
            values.append(reached + T * max(more))
            greedy.append(int(np.argmax(more)))
        given = {"covariance": covariance, "T": T, "noise_variance": noise_variance}
        mine = copy.deepcopy(given)
        found = function(*mine.values())
        for name, value in given.items():
            assert np.array_equal(mine[name], value), f"upper_end changed its argument {name}"
        assert found is not None, "upper_end returned None"
        assert np.ndim(found) == 0, f"upper_end returned something of shape {np.shape(found)}; right is one number"
        said = f"returned {found:.10g}; right is {min(values):.10g}"
        assert abs(found - min(values)) <= 1e-6, f"seed {seed}, T = {T}, noise_variance = {noise_variance:.4g}: {said}"
    print("upper_end: right in all cases")


# %% tags=["hide-input", "exercise-solution"] mystnb={"code_prompt_show": "Show an answer", "code_prompt_hide": "Hide the answer"}
import numpy as np


def upper_end(covariance, T, noise_variance):
    pending, gain, ends = np.array(covariance), 0.0, []
    for _ in range(T + 1):
        index = int(np.argmax(np.diag(pending)))
        more = 0.5 * np.log1p(pending[index, index] / noise_variance)
        ends.append(gain + T * more)
        row = pending[index]
        pending, gain = pending - np.outer(row, row) / (row[index] + noise_variance), gain + more
    return min(ends)


check_upper_end(upper_end)

# %% [markdown]
# ```{solution} ch1-ex-gain
# :class: dropdown
#
# The largest gain of one more point belongs to the point of largest variance, so one loop serves the greedy choice and the bound. At
# $k=0$ the bound is $T$ times the gain of a single point. It is exact, for instance, where $T$ candidates of largest variance are
# independent of each other: each then tells as much as the first.
# ```

# %% [markdown]
# ```{exercise} When can the theorem be informative?
# :label: ch1-ex-horizon
#
# *Level 2 of 3, about 20 minutes.*
#
# Let $\max_xk(x,x)=1$. Show that {prf:ref}`Theorem 1 <ch1-theorem-1>` lies above the trivial bound $Tm\sqrt{8\log N}$ (which is at least the lesson's) whenever
# $T\le\sigma_n^{-2}$, for every kernel and every $N$.
# ```
#
# :::{dropdown} Hint 1
# :class-container: exercise-hint
#
# Drop the last term, and bound the first logarithm from below by that of $N$.
# :::
#
# :::{dropdown} Hint 2
# :class-container: exercise-hint
#
# The gain of $Tm$ points is at least that of one point. What is $c\gamma_1$ when the largest variance is one?
# :::
#
# :::{dropdown} Hint 3
# :class-container: exercise-hint
#
# What is left to compare is $\rho_m$ and $\sqrt{Tm}$.
# :::

# %% [markdown]
# ```{solution} ch1-ex-horizon
# :class: dropdown
#
# The first term of the theorem contains $\sqrt{2\log(4N(Tm)^3)}\ge\sqrt{2\log N}$, and $c\gamma_{Tm}\ge c\gamma_1=1$. So the
# bound is at least $\sqrt{8\log N}\,\rho_m\sqrt{Tm}$. It is below $Tm\sqrt{8\log N}$ only if $\rho_m<\sqrt{Tm}$, that is
# $T>\sigma_n^{-2}+\tfrac1m$. With $\sigma_n=10^{-3}$ this asks for more than $10^6$ batches; the paper's longest experiments have
# $T=50$.
# ```

# %% [markdown]
# ```{exercise} Ten runs on Bird
# :label: ch1-ex-bird
#
# *Level 2 of 3, about 30 minutes.*
#
# Of Bird, the one problem where TS-RSR is not first, the paper says that it is only slightly worse than TS and DPPTS, by the table below. Does it
# show that TS-RSR is worse at all? How many runs of each method would show the printed difference, in a two-sided test at level $\alpha=0.05$, with a chance of four
# in five?
# ```

# %% tags=["remove-input"]
n = exercises.bird_numbers(evidence)
say(
    r"""
| regret on Bird, printed, in units of $10^{-4}$ | TS-RSR | TS | DPPTS |
|---|---|---|---|
| mean of ten runs | [[printed:.1f]] | [[printed_ts:.1f]] | [[printed_dpp:.1f]] |
| standard deviation (divided by ten, not nine) | [[spread:.1f]] | [[spread_ts:.1f]] | [[spread_dpp:.1f]] |

A spread printed as zero may be anything up to half of the last digit printed; take that.
""",
    n,
    true_if={"TS is printed without spread": n.spread_ts == 0},
)

# %% [markdown]
# :::{dropdown} Hint 1
# :class-container: exercise-hint
#
# What is the standard error of a difference of two means of ten runs each?
# :::
#
# :::{dropdown} Hint 2
# :class-container: exercise-hint
#
# A difference is found with the chance asked for if it is that many standard errors: the normal quantile of $1-\alpha/2$, plus that of the chance.
# :::

# %% tags=["remove-input"]
say(
    r"""
```{solution} ch1-ex-bird
:class: dropdown

The tables do not even show that TS-RSR is worse there. By Welch's intervals, from the printed means and spreads, both differences may be zero.

| TS-RSR minus its rival | TS | DPPTS |
|---|---|---|
| printed, 95 % interval of the difference | [[low_ts:+.2f]] to [[high_ts:+.2f]] | [[low_dpp:+.2f]] to [[high_dpp:+.2f]] |
| chance that ten new runs of each would show the printed difference | [[power_ts:.0%]] | [[power_dpp:.0%]] |
| runs of each method that would show it with a chance of [[wanted:.0%]] | [[needed_ts]] | [[needed_dpp]] |
| ours, paired difference | [[ours_ts:+.2f]] | [[ours_dpp:+.2f]] |
| ours, 95 % interval | [[from_ts:+.2f]] to [[to_ts:+.2f]] | [[from_dpp:+.2f]] to [[to_dpp:+.2f]] |

The rule of thumb with normal quantiles gives about as many. In our [[runs]] runs with the text's settings the regret of TS-RSR is *smaller* than that of both.
```
""",
    n,
    true_if={
        "both printed differences may be zero": max(n.low_ts, n.low_dpp) < 0 < min(n.high_ts, n.high_dpp),
        "in our runs TS-RSR is better than both": max(n.to_ts, n.to_dpp) < 0,
    },
)

# %% [markdown]
# ```{exercise} Bake again, or stop?
# :label: ch1-ex-stop
#
# *Level 2 of 3, about 20 minutes, with code.*
#
# The table has both mornings of the lesson's oven: yesterday's five recipes, then the batch of TS-RSR, in two decimals. Tomorrow you name one recipe for good, and sell it to a
# hundred customers; each sale loses its regret. Another morning costs as much as a regret of one, its five samples included. Which five recipes would you bake, or do you stop? Would you have stopped after the first five?
# Write `at_stake(mean, covariance, rng)`, the *expected* terminal regret of naming the largest mean, given a posterior, by simulation with twenty thousand draws, and decide by it. Kernel, `posterior` and `sample` are the lesson's.
# ```

# %% tags=["remove-input"]
n = exercises.stop_numbers(oven)
say(
    "| yesterday $x$ | value $y$ | this morning $x$ | value $y$ |\n|---|---|---|---|\n"
    + "\n".join(f"| [[x{k}:.2f]] | [[y{k}:.2f]] | [[x{k + 5}:.2f]] | [[y{k + 5}:.2f]] |" for k in range(5)),
    n,
)

# %% [markdown]
# :::{dropdown} Hint 1
# :class-container: exercise-hint
#
# Which recipe would you name? What a posterior draw would lose by it is one line.
# :::
#
# :::{dropdown} Hint 2
# :class-container: exercise-hint
#
# The mean of `draws.max(axis=1) - draws[:, named]` over many draws is what one sale is expected to lose.
# :::
#
# :::{dropdown} Hint 3
# :class-container: exercise-hint
#
# Another morning cannot save more than all that is still at stake.
# :::


# %% tags=["hide-input", "exercise-check"] mystnb={"code_prompt_show": "Show the check", "code_prompt_hide": "Hide the check"}
def check_at_stake(function):
    import copy

    import numpy as np
    from scipy.special import ndtr

    for seed in range(20):
        generator = np.random.default_rng(seed)
        size = int(generator.integers(2, 6))
        mean, sd = generator.standard_normal(size), generator.uniform(0.3, 1.2, size)
        # A part that all candidates share makes no difference. The rest is independent: an integral has its largest.
        height = np.arange(-10, 10, 0.005) + 0.0025
        right = 10 - 0.005 * ndtr((height[:, None] - mean) / sd).prod(axis=1).sum() - mean.max()
        given = {"mean": mean, "covariance": np.diag(sd**2) + generator.uniform(0.2, 0.5)}
        mine = copy.deepcopy(given)
        found = function(*mine.values(), generator)
        for name, value in given.items():
            assert np.array_equal(mine[name], value), f"at_stake changed its argument {name}"
        assert found is not None, "at_stake returned None"
        assert np.ndim(found) == 0, f"at_stake returned something of shape {np.shape(found)}; right is one number"
        near = 0.03
        said = f"returned {found:.4f}; right is {right:.4f}, and {near} more or less will do"
        assert abs(found - right) <= near, f"seed {seed}, mean = {mean.round(2).tolist()}: {said}"
    print("at_stake: right in all cases")


# %% tags=["hide-input", "exercise-solution"] mystnb={"code_prompt_show": "Show an answer", "code_prompt_hide": "Hide the answer"}
import numpy as np


def at_stake(mean, covariance, rng):
    root = np.linalg.cholesky(covariance + 1e-9 * np.eye(len(mean)))
    draws = mean + rng.standard_normal((20_000, len(mean))) @ root.T
    return np.mean(draws.max(axis=1) - draws[:, mean.argmax()])


check_at_stake(at_stake)

# %% tags=["remove-input"]
after_ten = posterior(K, [round(100 * n[f"x{k}"]) for k in range(10)], np.array([n[f"y{k}"] for k in range(10)]), v)
say(
    r"""
```{solution} ch1-ex-stop
:class: dropdown

Stop, and name [[now_named:.2f]]. After ten values a hundred sales are expected to lose [[now:.2f]]. That is all that further mornings could save, and it is less than the price of one. Asked for five more, TS-RSR would bake one recipe, or two neighbours: it has nothing left to learn that matters.

After the first five the same recipe or a neighbour looked best, but [[before:.0f]] was at stake, far more than the price. To go on was right, although the batch itself lost [[batch_lost:.1f]].

The decision rests on the model: kernel, length-scale and noise are known here. Where they are fitted, {doc}`chapter 6 <ch6_side_by_side>` says what such a promise is worth.
```
""",
    n,
    true_if={
        "what is left is less than a morning costs": n.now < 1,
        "after five much more was at stake": n.before > 5,
        "the recipes named are neighbours": abs(n.now_named - n.before_named) < 0.015,
        "the next batch is one recipe or two neighbours": n.next_width < 0.015,
        "the page's lines say the same": abs(100 * at_stake(*after_ten, np.random.default_rng(0)) - n.now) < 0.1,
        "what the batch lost is less than what was at stake": n.batch_lost < n.before,
    },
)

# %% [markdown]
# ```{exercise} Predict: a staircase with less noise
# :label: ch1-ex-predict-staircase
#
# *Level 1 of 3, about 10 minutes.*
#
# Cover the left half of the staircase, and look at the right one, which has much more noise. Now take the noise away again. Which bars do you expect to grow, which to shrink, and why?
# ```

# %% tags=["remove-input"]
n = bound.chain_numbers(measured)
say(
    r"""
```{solution} ch1-ex-predict-staircase
:class: dropdown

The bound on the ratio grows most, from [[bounded_high:.1f]] to [[bounded:.0f]]: one exact evaluation of a point divides its standard deviation by about $1/\sigma_n$, and the proof counts $\rho_m$ for every point. The largest ratio of a run grows, too, and the step to the information gain a little. Only the last bar shrinks: the rest of the bound has grown, and the last term is what it was. Swapping the truth for a draw costs as little as before, since it has nothing to do with noise.
```
""",
    n,
    true_if={
        "the bound on the ratio grows most": n.bounded / n.bounded_high > n.largest / n.largest_high > 1,
        "posterior draws in place of the truth cost next to nothing": n.draws < 1.15,
        "only the last bar shrinks, besides that of three standard errors": [
            name
            for name, little, much in zip(
                list(steps)[2:7], *(c.ratios()[1:] for c in measured.chains.values()), strict=True
            )
            if little < 0.99 * much
        ]
        == ["Theorem 1"],
    },
)

# %% [markdown]
# ```{exercise} Predict: ten points at once
# :label: ch1-ex-predict-batch
#
# *Level 1 of 3, about 5 minutes.*
#
# Before you look at the figure of what a batch costs: regret hardly rises for small $m$. Will it stay flat for longer with much noise or with little? Think of what a single value
# tells you in either case. How much would you lose with ten points at once?
# ```

# %% tags=["remove-input"]
n = batch_studies.batch_numbers(cost)
say(
    r"""
```{solution} ch1-ex-predict-batch
:class: dropdown

With much noise. A noisy value hardly changes what you would do next, so little is lost by not waiting for it. An almost exact one does. Ten points at once multiply the regret by [[ten:.1f]] in our example, and by [[ten_high:.1f]] with much noise. What the intervals show is a limit, not that nothing is lost: with much noise the rise at ten points is less than [[most:.0%]].

At $m=[[size]]$ the regret is [[factor:.1f]] times that of single points, and [[factor_high:.1f]] times with much noise. Most of it comes from the first batch. At the far right there is one blind batch of everything. The way there multiplies the regret by [[by_batch:.0f]] in our example, and Theorem 1 only by [[printed_factor:.0f]]: the theorem contains $\rho_1$ for single points already.
```
""",
    n,
    true_if={
        "with much noise it stays flat for longer": n.cheap_high > n.cheap,
        "the limit is that of ten points": n.cheap_high == 10,
        "with much noise ten points lose less": n.ten > n.ten_high,
        "most of the regret comes from the first batch": min(n.blind) > 0.5,
        "up to a single batch regret grows more than Theorem 1 at low noise": n.by_batch > n.printed_factor,
    },
)

# %% [markdown]
# ### Two open projects
#
# *A bound without* $\rho_m$. The staircase says where Theorem 1 loses: one number for a whole run. Replace the largest ratio by the ratios that occurred, and
# bound their sum of squares in expectation. Evaluate what you get with `companion bounds` beside Theorem 1. Is it informative at a horizon that somebody runs?
#
# *Which setting makes TS-RSR first?* Text and code differ in a dozen settings, and the record changes them one at a time on three problems. Design an experiment that
# decides: choose problems, seeds and settings before the first run, and say which difference it could show with a probability of four in five.

# %% [markdown]
# ## Parameters
#
# The studies of this page use the numbers in the fold above *The bound, step by step*. `companion run tsrsr -p functions=2000` reruns the chapter with your own value,
# `companion run tsrsr --profile paper` at the paper's scale.

# %% [markdown]
# :::{moved}
# the-claim | ch1-question
# one-batch-being-chosen | ch1-method
# fig-one-batch | ch1-ten-lines
# fig-bound | ch1-measured
# the-algorithm-in-code | ch1-ten-lines
# a-run-to-copy | ch1-ten-lines
# the-theorem | ch1-bound
# the-proof-taken-apart | ch1-staircase
# regret-and-three-bounds | ch1-measured
# the-bound-on-your-own-numbers | ch1-measured
# sets-or-multisets
# a-sharper-form | ch1-sharper
# at-the-paper-s-own-noise-level
# the-initial-design
# resampling
# repeated-points
# the-paper-s-experiments-again | ch1-experiments-again
# the-problems
# the-methods
# table-1-and-figure-1-draws-of-a-gaussian-process
# table-2-and-figure-2-two-and-three-dimensions
# table-3-and-figure-3-six-to-ten-dimensions
# table-4-and-figure-4-a-network-and-a-robot
# which-rankings-hold
# how-much-is-a-matter-of-settings
# live
# where-we-differ
# text-and-code
# which-difference-makes-ts-rsr-first
# run-record
# what-we-found | ch1-where-we-differ
# :::
