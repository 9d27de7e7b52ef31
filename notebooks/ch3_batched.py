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
# # Batched kernelized bandits
#
# *Ma, Chen and Scarlett (2026), "Batched Kernelized Bandits: Refinements and Extensions"* {cite}`ma2026batched`
#
# After this half hour you can run this paper's method in a few lines of NumPy, say why a method that forgets its data has
# regret of nearly the smallest possible order, and judge its bound. Proofs, settings and raw numbers are in the record,
# {doc}`ch3_batched_record`.

# %% tags=["remove-input"]
from companion.pages import Numbers, here, say, show
from companion.pages.chapter import check_parameters
from companion.papers.across.page import which_method
from companion.papers.batched.experiments import one_run, parameters
from companion.papers.batched.page import (
    bound,
    counting,
    example,
    experiments_figures,
    rate,
    stored_runs,
)

# %% [markdown]
# ## How few batches are enough?
#
# You breed wheat. You sow in spring, and you learn nothing until autumn, when all plots are weighed at once. You may sow sixty
# plots in all. How few years are enough?
#
# GP-UCB, which you know, would sow one plot a year. Here the $T$ evaluations are cut into batches of sizes $N_1,\dots,N_B$, and the values $y_t=f(x_t)+z_t$ of a batch, with Gaussian noise $z_t$ of standard deviation $\sigma$, arrive together at its end.
# The function $f$ is fixed, not random. It lies in the reproducing-kernel Hilbert space (RKHS) of a kernel $k$ with $k(x,x)\le1$,
# and has norm $\|f\|_k\le\Psi$. With an argument, $\mu(x)$ and $\sigma(x)$ are the posterior mean and standard deviation. The regret
# is $R_T=\sum_t(\max f-f(x_t))$.
#
# A draw of a Gaussian process, as in chapter 1, lies in no such space: on denser points the norm of what we see of it grows
# without end. So our example is the function of smallest norm through every tenth of the values of chapter 1's, a sum of
# eleven kernel functions. It looks the same, and has a norm.
#
# **A guess first.** How many batches are enough to have, up to logarithms, the same order of regret as a sequential method? Guess for a
# thousand evaluations, and then for a million million.
#
# ## The method
#
# Batched pure exploration, BPE for short {cite}`li2022gaussian`, drops optimism altogether. Let $\mathcal X_i$ be the candidates that
# are *alive* when batch $i$ begins: those that may still be the maximiser. Within the batch, BPE evaluates where the standard deviation is largest,
#
# $$x_j\in\argmax_{x\in\mathcal X_i}\,\sigma^i_{j-1}(x).$$
#
# A standard deviation depends on where we have looked and not on what we have seen, so the batch can be chosen before
# any value is known. And any candidate alive may be the maximiser, so none may stay unknown. When the values arrive,
# BPE eliminates whoever cannot be the maximiser any more:
#
# $$\mathcal X_{i+1}=\Big\{x\in\mathcal X_i:\ \mu^i(x)+w\,\sigma^i(x)\ \ge\
#   \max_{x'\in\mathcal X_i}\big(\mu^i(x')-w\,\sigma^i(x')\big)\Big\}.$$
#
# The *width* $w$ is a number of standard deviations: the confidence bounds are $\mu^i(x)\pm w\,\sigma^i(x)$. If they hold, a candidate whose upper bound lies
# below the lower bound of another one is worse. Then comes the surprising step: BPE *forgets the data*. The next batch starts from the prior,
# with the survivors only.

# %% [markdown]
# :::{figure-to-drag} batches
# :still: fig-three-batches
#
# A narrow band eliminates fast and may lose the maximiser; a wide one is safe and eliminates little.
#
# In the figure below a ring marks the edge of the band. Pull it in, and {preset}`lose the maximiser <batches?width=0.3>`; pull it out, and {preset}`be safe <batches?width=3>`. With {preset}`the theory's width <batches?from=theory>` compare what each batch loses with {prf:ref}`Proposition 2 <ch3-prop-2>`, which we prove below.
# :::

# %% tags=["remove-input"]
played = example.drawn_batches(seed=0, delta=0.1)
n = example.drawn_numbers(played)
show(
    example.three_batches(played),
    "Three batches on our example ([[points]] points, squared exponential kernel of length-scale [[lengthscale]], noise [[noise_sd]]), above with width [[fixed:g]], below with the theory's. "
    "The points of a batch (dots) are spread over everything that is not hatched, and their values give the band. "
    "Where it stays below the best lower bound (dashed), candidates are eliminated (plain grey; hatched from the next batch on); the others stay alive (green). "
    "Then the dots are forgotten (hollow).",
    n,
    alt="Six panels, three batches for each of two widths, for a function with a high hump on the right and a low one on the left. With width [[fixed:g]] the first batch of [[sizes_first]] points leaves "
    "[[first]] of [[points]] candidates alive, all around the high hump, though the band misses the top of f. The second leaves a few around the maximum, and the third hardly eliminates anything; [[last]] remain. "
    "With the theory's width of [[theory:.2f]] the band is much wider and contains f; [[first_theory]] candidates survive the first batch and [[last_theory]] the last.",
    true_if={
        "the maximiser survives with both widths": n.kept,
        "the narrow band misses f somewhere, the wide one nowhere": n.valid == [False, True],
        "the third batch of the upper row eliminates less than the others": n.alive[1] - n.alive[2]
        < min(n.points - n.alive[0], n.alive[0] - n.alive[1]),
    },
)

# %% tags=["remove-input"]
say(
    r"""
Your [[evaluations]] plots are used up in [[batches]] years. In the first panel $f$ leaves the band at the top of the hump: with width [[fixed:g]] the bounds are not safe, and it is luck that the maximiser survives. The theory asks for [[theory:.2f]], since our function has norm [[norm:.1f]]. Then $f$ stays inside, but elimination is slower: after the first batch [[first_theory]] candidates are alive instead of [[first]].
""",
    n,
    true_if={
        "the narrow band misses f, the wide one does not": n.valid == [False, True],
        "the maximiser survives": n.kept,
        "the theory's width is much larger": n.theory > 3 * n.fixed,
        "it eliminates more slowly": n.first_theory > n.first,
    },
)

# %% [markdown]
# ### Why forget?
#
# What would go wrong if the second batch kept the first one's values?

# %% tags=["remove-input"]
show(
    example.dependence(),
    "The noise of batch 1 decides who survives, and so where the points of batch 2 lie (thick arrows). "
    "A posterior that kept the old values (dashed arrow) would contain this noise, too.",
    Numbers(here(example.dependence), cut=["values of batch 1", "posterior of batch 2"]),
    alt="Boxes and arrows. Points and noise of batch 1 lead to its values, these to the survivors, and these to the points of batch 2. Points and noise of batch 2 lead to its "
    "posterior. A dashed arrow from the values of batch 1 to the posterior of batch 2 is crossed out: BPE cuts it.",
)

# %% [markdown]
# A confidence bound is easy to prove if the points were chosen without the noise in their values: then the
# error of the posterior mean is a fixed bias plus a Gaussian. If the second batch kept the old values, its points would depend on noise in its own
# posterior. A place that was lucky once would be looked at again *because* it was lucky, and the usual widths for such points
# grow like $\sqrt{\gamma_T}$, where $\gamma_T$ is the maximum information gain of $T$ evaluations. BPE cuts one arrow: the points of a batch
# may depend on earlier noise, but never on the noise with which they are judged. That is why its width hardly grows with $T$.
#
# ### How large a batch may be
#
# In the first batch each point may lose the whole range of $f$, so it should be small. The
# less uncertainty a batch leaves, the longer the next one may be. We shall see that after $N$ points a survivor's regret is about
# $\sqrt{\gamma_T/N}$, so a batch loses about $N_i\sqrt{\gamma_T/N_{i-1}}$. The aim is $\sqrt{T\gamma_T}$. Setting the two equal gives $N_i=\sqrt{TN_{i-1}}$, from $N_0=1$ on
# $T^{1/2},T^{3/4},T^{7/8},\dots$: the exponent halves its distance to one each time. These are the sizes of {cite:t}`li2022gaussian`, equation (5) of the paper, here `orig`. Equation (6) is the paper's own, with $a$ in place of one half:
#
# $$N_i=\big\lceil T^{1-a^i}\big\rceil .$$
#
# Both are cut off at the horizon, after about $\log_{1/a}\log T$ batches:

# %% tags=["remove-input"]
counts = counting.batch_counts()
show(
    counting.count_table(counts),
    "Batches until the horizon is used up.",
    counting.count_numbers(counts, counting.small_horizons()),
)

# %% tags=["remove-input"]
n = counting.count_numbers(counts, counting.small_horizons())
say(
    r"""
Even a million million evaluations need only [[orig]] batches with the original sizes, and a small $a$ saves one or two: {ref}`a handful of batches <ch3-how-many-batches>`.
""",
    n,
    true_if={
        "a smaller a never needs more batches": n.smaller_needs_more == 0,
        "the smallest saves one or two": 1 <= n.orig - n.fewest <= 2,
    },
)

# %% [markdown]
# ### A few lines of NumPy
#
# The whole method is two functions.

# %%
import numpy as np


def one_batch(K, alive, v, size):
    """Indices of the largest variances, one after the other."""
    left, batch = K.copy(), []
    for _ in range(size):
        variance = np.where(alive, np.diag(left), 0.0)
        largest = variance >= (1 - 1e-9) * variance.max()
        x = int(np.argmax(largest))  # the first of equals
        left = left - np.outer(left[x], left[x]) / (left[x, x] + v)
        batch.append(x)
    return batch


def survivors(K, alive, v, batch, y, w):
    """Who may be the maximiser, judged by this batch alone."""
    noisy = K[np.ix_(batch, batch)] + v * np.eye(len(batch))
    weights = np.linalg.solve(noisy, K[batch])
    mean = weights.T @ y
    sd = np.sqrt(np.diag(K - K[:, batch] @ weights))
    return alive & (mean + w * sd >= np.max((mean - w * sd)[alive]))


# %% [markdown]
# Which batch will lose most on our example: the first, which is blind, or a later one, which is long?

# %%
from companion.papers.batched.method.sizes import power_sizes
from companion.problems.running_example import running_interpolant

x, K, f, psi = running_interpolant()  # 101 points, length-scale 0.12
rng, v = np.random.default_rng(0), 0.1**2  # noise variance
alive, batches = np.ones(len(x), dtype=bool), []
for size in power_sizes(1000, a=0.6):
    batch = one_batch(K, alive, v, size)
    y = f[batch] + 0.1 * rng.standard_normal(size)
    alive = survivors(K, alive, v, batch, y, w=2.0)
    batches.append(batch)
    lost = np.sum(f.max() - f[batch])
    print(f"{size} points, regret {lost:.1f}, {alive.sum()} alive")

# %% tags=["remove-input"]
from companion.papers.batched.method.policy import BPE

again = BPE(K, v, [len(batch) for batch in batches], width=2.0)
noise = np.split(0.1 * np.random.default_rng(0).standard_normal(1000), np.cumsum([len(b) for b in batches])[:-1])
for place, z in enumerate(noise):
    again.tell(f[again.ask(sum(map(len, batches[place:]))).query] + z)
costs = [float(np.sum(f.max() - f[batch])) for batch in batches]
say(
    r"""
The first batch loses most, though it is the shortest. Later ones evaluate only where little can be lost. The package chooses the same points. With it, and with another $a$:
""",
    true_if={
        "the package chooses the same batches": [record.query.tolist() for record in again.history] == batches,
        "and the same survive": (again.active == alive).all(),
        "the first batch loses most, and is the shortest": costs[0] == max(costs)
        and len(batches[0]) == min(map(len, batches)),
    },
)

# %%
from companion.papers.batched.method.policy import BPE

# np, power_sizes, x, K, f and v are those of the cells above
for a in (0.6, 0.4):
    sizes, rng, lost = power_sizes(1000, a), np.random.default_rng(0), 0.0
    policy = BPE(K, v, sizes, width=2.0)
    for left in 1000 - np.cumsum([0, *sizes[:-1]]):
        batch = policy.ask(int(left)).query  # all of a batch at once
        policy.tell(f[batch] + 0.1 * rng.standard_normal(len(batch)))
        lost += np.sum(f.max() - f[batch])
    print(f"a = {a}: {len(sizes)} batches, regret {lost:.0f}")

# %% tags=["remove-input"]
n = example.rival_numbers(example.without_batches(seed=0, horizon=1000)) | which_method.numbers()
say(
    r"""
With fewer batches more points are chosen before any value is seen. A sequential rule loses less still. On our function, over [[noise_seeds]] seeds of the noise, GP-UCB with the same width has mean regret [[sequential:.0f]], and BPE [[batched:.0f]] with these two $a$. On the [[functions]] functions of {ref}`chapter 6 <which-method>`, by every play and with the same width, BPE loses [[bpe_over:.1f]] times what GP-UCB does (geometric mean). A handful of batches is enough for the *order* of regret in $T$, not for its factor.
""",
    n,
    true_if={
        "fewer batches lose more": n.batched[0] < n.batched[1],
        "GP-UCB loses less than BPE at every seed": n.least > 1,
        "and on the functions of chapter 6": n.bpe_low > 1,
    },
)

# %% [markdown]
# ### What the paper claims
#
# 1. The sizes of equation (6) with $a>\tfrac12$ make $(1+o(1))\log_{1/a}\log T$ batches, with regret of the order of the best sequential methods,
#    $\sqrt{T\gamma_T}$ up to logarithms, without a factor $B$.
# 2. For Matérn kernels of smoothness $\nu$ in $d$ dimensions any $a>\eta=\nu/(2\nu+d)$ will do, so fewer batches are enough.
# 3. Choosing batch sizes adaptively does not improve the order.
# 4. A variant, robust-BPE, finds optima that stay good when an adversary moves the point a little.
# 5. In experiments with Matérn kernels one batch fewer can come with *smaller* regret.
#
# ## Parameters
#
# `companion run batched -p horizon=2000` reruns the chapter with your own value, `companion run batched --profile paper` at the paper's scale.

# %% tags=["parameters"]
seed = 0  # first seed of every study, non-negative integer
horizon = 1000  # evaluations T where one run is taken apart, rounds
delta = 0.1  # allowed failure probability of the confidence bounds, between 0 and 1
norm = 1.0  # RKHS norm Psi of the test functions, units of f
noise = 0.1  # noise standard deviation in the bound studies, units of f
rate_horizon = 8000  # largest horizon of the regret-exponent study, rounds
rate_functions = 8  # functions per kernel and rule in the regret-exponent study, count

# %% tags=["remove-input"]
check_parameters(parameters.CHAPTER, globals())

# %% [markdown]
# ## The bound, step by step
#
# The paper states an order. Its proof gives constants, with $C=2/\log(1+\sigma^{-2})$:
#
# ```{prf:theorem} Ma et al., Theorem 1, first case, with explicit constants: no factor B
# :label: ch3-theorem-1
# :nonumber:
#
# For BPE with the width $\sqrt\beta=\Psi+\sqrt{2\log(|\mathcal X|B/\delta)}$ and the sizes of equation (6), $a\in(\tfrac12,1)$ and $b=(1-a)(a-\tfrac12)$, with probability at least $1-\delta$,
#
# $$R_T\le4\max\{\gamma_T^{-1/2},2\sqrt C\}\,\frac{2^b}{2^b-1}\,\sqrt{\beta T\gamma_T}.$$
# ```
#
# **Why is so small a width enough?** Because one arrow was cut. Given the points of a batch, the error $f(x)-\mu^i(x)$ is a bias of at most
# $\Psi\sqrt{1-u^2}\,\sigma^i(x)$ plus a Gaussian of standard deviation $u\,\sigma^i(x)$, for some $u\in[0,1]$. So for one candidate in one batch
# the width $\Psi+\sqrt{2\log(1/\delta)}$ is enough. A union bound over all candidates and batches gives that of the theorem
# ({prf:ref}`Proposition 1 <ch3-prop-1>`), called *the theory's width*.
#
# **Why is a survivor good?** Valid bounds never eliminate the maximiser $x^*$: its upper bound is at least $f(x^*)$, and no lower bound exceeds that. As $x^*$ is alive,
# the upper bound $U(x)$ of a survivor reaches its lower bound $L(x^*)$. A valid bound is at most $2\sqrt\beta\,\sigma^i$ away from $f$. Hence
#
# $$f(x)+2\sqrt\beta\,\sigma^i(x)\ \ge\ U(x)\ \ge\ L(x^*)\ \ge\ f(x^*)-2\sqrt\beta\,\sigma^i(x^*),$$
#
# so that a survivor's regret is at most $4\sqrt\beta\max_x\sigma^i(x)$: four *confidence widths*, where one is the width times the largest standard deviation, in units of $f$.
#
# **Why is information enough?** Because every point of a batch had the largest variance when it was chosen, and variances only fall. So in the
# end no variance exceeds the *average* of those at which the points were chosen, which is at most $C\gamma_N/N$. A point of the first batch can lose at most $2\Psi\le2\sqrt\beta$, as $|f|\le\Psi$ for any kernel with $k(x,x)\le1$. So that batch loses at most $2N_1\sqrt\beta$, and
# a later one at most $4N_i\sqrt\beta\sqrt{C\gamma_{N_{i-1}}/N_{i-1}}$ ({prf:ref}`Proposition 2 <ch3-prop-2>`).
#
# It remains to add up. With these sizes the bound of batch $i$ is at most a constant times $\sqrt{\beta T\gamma_T}\,U_i$, where
# $U_i=T^{a^{i-1}(1/2-a)}$. If all $U_i$ were one, their sum would be $B$. For $a>\tfrac12$ all but the last few are clearly below one, so that the sum of the $U_i$
# stays below $2^b/(2^b-1)$ for every $T$. {ref}`That is where the factor goes <ch3-factor-b>`.
#
# ### The proof as a staircase
#
# Here we leave our example. The theorem speaks of every function of norm $\Psi$ and of smooth and rough kernels, so from here on the functions are
# random ones of norm exactly one, for two kernels; points, length-scale and noise stand below the pictures. We play BPE with the theory's width on one for each kernel, and apply one inequality after the other. Four
# confidence widths look generous. Which step will give away most?

# %% tags=["remove-input"]
run = one_run.bound_study(seed, horizon, norm, noise, delta)
n = bound.chain_factors(run) | {"noise": noise}
slackest = {
    "the closed form gives away most": n.largest_steps == {"T1c: closed form"},
    "the step to the realised gain comes next": n.second_steps == {"realised gain"},
}
show(
    bound.waterfall(
        run,
        words=(
            "measured regret",
            "every point as bad as\nthe worst alive",
            "four confidence widths for\nthe worst one’s regret",
            "average variance in place\nof the largest",
            "largest gain in place of\nthis run’s: the sum",
            "powers of T in place\nof the sizes",
            "a constant in place of\nthe sum: Theorem 1",
        ),
    ),
    "The proof of Theorem 1 on one run per kernel, a = 0.6, [[horizon:d]] evaluations ([[points]] points, length-scale [[lengthscale]], noise [[noise]]). Each bar starts where the one before ended; beside it is the factor that this inequality gives away.",
    n,
    alt="Waterfall charts for two kernels on a logarithmic axis, from the measured regret to the closed form of Theorem 1. "
    "The largest factors are those of the last step, to the closed form, then of the step to the gain, then of the last step but one.",
    true_if=slackest | {"the step to powers of T comes third": n.third_steps == {"T1b: in terms of T"}},
)

# %% tags=["remove-input"]
n = n | counting.sum_numbers(counting.factor_against_constant(), counts)
order = ("worst", "widths", "average", "gain", "powers", "closed")
given = [dict(zip(order, chain.ratios(), strict=True)) for chain in run.chains.values()]
say(
    r"""
Three steps give away at least as much as the four confidence widths. A constant in place of the sum of the $U_i$ costs a factor of about [[largest:.0f]], the average in place of the largest variance seven or eight, powers of $T$ in place of the sizes about three.

So the theorem trades a factor $B$ for a sum, and the sum for a constant. The first trade helps a little: for $a=0.6$ and $T=1000$ the sum of the $U_i$ is [[sum_at:.1f]], and $B=[[batches_at]]$. The second undoes it: the constant is [[constant_at:.1f]], and [[best:.1f]] at its smallest, while no rule of our table makes more than [[most_batches]] batches.
""",
    n,
    true_if=slackest
    | {
        "the largest factor is the same for both kernels": all(
            round(steps["closed"]) == round(n.largest) for steps in given
        ),
        "the second is seven or eight": {round(steps["average"]) for steps in given} == {7, 8},
        "the third about three, and not less than four widths": all(
            max(steps["widths"], 2.5) <= steps["powers"] < 3.5 for steps in given
        ),
        "four widths give away less than the first two": n.widths_factor < n.second,
        "the sum is a little below B": 0.5 < n.sum_at / n.batches_at < 1,
        "the constant is smallest for a = 3/4": n.best_a == 0.75,
        "no rule has as many batches as the constant": n.most_batches < n.best,
        "every batch keeps to its bound": n.measured_over_bound <= 1,
    },
)

# %% [markdown]
# **A sharper form.** The bounds of single batches add up to
#
# $$R_T\le2N_1\sqrt\beta+\sum_{i=2}^B4N_i\sqrt\beta\sqrt{\frac{C\gamma_{N_{i-1}}}{N_{i-1}}},$$
#
# We call the right side *the sum over batches* (in the record T1a). The inequality holds for all sizes; use it when you need a number.
#
# ### What else the paper proves
#
# *$a$ below one half.* For Matérn kernels $\gamma_N$ grows like $N^{1-2\eta}$, so batch $i$ loses about $N_iN_{i-1}^{-\eta}$. Then $\eta$ takes the place of $\tfrac12$ in $U_i$ {ref}`and in the constant <ch3-factor-b>`.
#
# *Looking before you choose the next size* does not improve the order of the regret: {prf:ref}`the lower bound <ch3-theorem-2>` holds for such players, too, and
# {ref}`three players that we tried <ch3-against-the-lower-bound>` stay above it.
#
# *If an adversary moves your point,* its value is the smallest among its neighbours. {ref}`Robust-BPE <ch3-robust-optima>` compares these, and works; its refinement in
# Appendix C {ref}`needs a repair <ch3-where-we-differ>`.
#
# ## Bound against measurement
#
# A bound is *informative* if it lies below the trivial one, $\sqrt2\,\Psi T$: where $k\ge0$, as here, no function of norm $\Psi$ has a range above $\sqrt2\,\Psi$, which sharpens $2\Psi$.

# %% tags=["remove-input"]
exponents = rate.rate_study(seed, rate_horizon, rate_functions, norm, noise, delta)
forms = bound.forms_over_time(norm, noise, delta)
n = rate.rate_numbers(exponents) | {"noise": noise}
first = bound.break_even_numbers(forms)
informative = {
    "the sum gets there in every case, after tens of thousands": 10_000 < first.a_min <= first.a_max < 100_000,
    "the theorem does not": first.c_min > first.farthest,
}
show(
    bound.bounds_over_time(exponents, forms),
    "Regret of BPE with the theory's width on functions of norm Ψ: points are single functions, lines their means ([[functions]] functions, [[points]] points, length-scale [[lengthscale]], noise [[noise]]). Above them, for a = 0.6, the sum over "
    "batches, Theorem 1 and the trivial bound. The rules nearly coincide.",
    n,
    alt="Two panels with logarithmic axes, one for each kernel. Measured regret of three rules grows with slopes of about one half and ends far below all bounds. The sum over batches crosses the dotted trivial bound "
    "between ten thousand and a hundred thousand evaluations; Theorem 1 stays above it up to ten million.",
    true_if=informative
    | {
        "no measured exponent exceeds its bound's": n.above_bound <= 0,
        "the slopes are about one half": 0.45 < n.low < n.high < 0.6,
    },
)

# %% tags=["remove-input"]
n = n | first | bound.chain_factors(run)
say(
    r"""
The runs do not contradict the *rate*: up to $T=[[longest:d]]$ no mean slope exceeds what $\sqrt{T\gamma_T}$ allows, and the 95 % intervals, over [[functions]] functions each, end below it or less than two hundredths above. But at $T=[[horizon:d]]$ Theorem 1 is [[closed:.0f]] times the trivial bound for our two kernels. The sum over batches becomes informative after tens of thousands of evaluations, the theorem at no horizon that we tried:
""",
    n,
    true_if=informative
    | {
        "no measured exponent exceeds its bound's": n.above_bound <= 0,
        "the exponents agree by the rule fixed before the runs": n.above_agreed <= 0,
        "the intervals end below it or less than two hundredths above": n.reach < 0.02,
    },
)

# %% tags=["remove-input"]
show(
    bound.break_even(forms),
    "The horizon T from which on each form is informative, in two digits; we looked up to [[farthest]]. [[points]] points of the unit interval, as in the figure.",
    first,
)

# %% [markdown]
# The theory's width is part of the reason: in {ref}`our runs no confidence bound ever failed <ch3-confidence>`.
#
# For your own numbers, change these and run the cell:

# %%
from companion.bounds.confidence import UnionBoundWidth
from companion.gp import SquaredExponential, grid
from companion.information import gain_bracket
from companion.papers.batched.method.sizes import power_sizes
from companion.papers.batched.theory import bounds

T, a, sigma, Psi = 100_000, 0.6, 0.1, 1.0
K = SquaredExponential(0.2)(grid(50, 1))  # as in the pictures above
sizes = power_sizes(T, a)
gain = [gain_bracket(K, n, sigma**2).upper for n in (*sizes, T)]
w = UnionBoundWidth(Psi, len(K), len(sizes), delta=0.1).width()
total = bounds.batch_bounds(sizes, gain, w, sigma).sum()
closed = bounds.theorem1_closed(T, a, gain[-1], w, sigma)
line = bounds.trivial_bound(T, Psi, K)
print(f"over trivial: sum {total / line:.2g}, theorem {closed / line:.2g}")

# %% tags=["remove-input"]
say(
    r"""
Here the sum is informative, and the theorem is not.
""",
    Numbers(here(bounds.theorem1_closed)),
    true_if={"the sum lies below the trivial bound, the theorem above": total < line < closed},
)

# %% [markdown]
# ## The experiment that decides
#
# The most surprising claim is the last one: fewer batches *and* less regret. The paper compares several sizes with the
# original ones of equation (5), on random functions in two dimensions with $T=1000$ and the fixed width $\sqrt2$, in means of ten trials. In three comparisons with Matérn kernels one batch fewer has the smaller mean.
#
# We ran all rules on the same two hundred functions with the same noise. These are the paper's own, not those of the pictures above.

# %% tags=["remove-input"]
evidence = stored_runs.load_paper_results()
n = stored_runs.conclusion_numbers(evidence) | stored_runs.end_numbers(evidence)
end = {
    "with one batch fewer the maximiser survives more often": n.safer,
    "and the point at the end is better, in all four rows": n.better == n.rows == 4,
    "while the sum of regret is larger": n.costlier,
}
show(
    experiments_figures.comparisons(evidence),
    "Every rule of Appendix E against the original sizes, over [[functions]] functions, seeds 0 to 199, with 95 % intervals ([[axis]] × [[axis]] points, draws of length-scale [[draw_scale:g]], a model with [[model_scale:g]], noise [[noise_sd:g]]). "
    "Left: mean paired difference of the cumulative regret at t = 1000. "
    "Grey: where nearly all mean differences over ten functions lie, if both rules are run on the same ten. Cross: printed. "
    "Middle: share of the runs in which the maximiser survives, with the original sizes at the stroke. Right: paired difference of the regret of the point recommended at the end, in units of f.",
    n,
    alt="A forest plot with a row for each comparison and three panels. For the three rules with one batch fewer and Matérn kernels the printed crosses lie left of zero and our intervals far right of it. "
    "For a = 0.31 both lie right of zero. For the squared exponential kernel the intervals contain zero. For a = 0.5 our intervals are hardly wider than a dot at zero, while the printed crosses lie outside. "
    "In the middle, the four rules with one batch fewer keep the maximiser in [[kept_low:.1%]] to [[kept_high:.1%]] of the runs, the original sizes in [[base_low:.1%]] to [[base_high:.1%]] with the same kernels. "
    "On the right these four lie left of zero: they end at a better point.",
    true_if=end
    | {
        "all three comparisons are contradicted": n.contradicted
        == {("matern32", "a=0.4"), ("matern52", "a=0.36"), ("matern52", "a=0.4")},
    },
)

# %% tags=["remove-input"]
n = n | stored_runs.noise_numbers(evidence)
say(
    r"""
**Two conclusions hold.** For Matérn 3/2, $a=0.31$, close to the limit $\eta$, is clearly worse. For the squared exponential $a=0.52$ is comparable with the original sizes. Whether more batches help there, as the paper says, depends on {ref}`which of several equally uncertain points is taken first <ch3-settings>`.

**The three surprising ones reverse.** With one batch fewer the mean regret is larger, by [[worse_low:.0%]] to [[worse_high:.0%]]. Most of it arises between $t=200$ and $t=400$, where the original sizes have learnt twice, and the others still go on with what the blind first batch has taught.

**But the point at the end is better.** With one batch fewer, $a=0.31$ among them, the maximiser survives in [[kept_low:.1%]] to [[kept_high:.1%]] of the runs, with the original sizes in [[base_low:.1%]] to [[base_high:.1%]], and {ref}`the recommended point <ch3-two-hundred>` has less regret. The two go together: a longer blind batch costs more, and the eliminations after it are fewer and rest on more. So in this experiment who pays for every play should keep the original sizes, and who pays for the point at the end should drop a batch.

**Chance may have made the tables.** Ten functions that both rules share would show the printed order with a probability of at most [[ten:.1%]]. If each rule had ten functions of its own, it would be up to [[own:.0%]]. The rule $a=0.5$ is nearly the original one, but in print their means differ, for Matérn 3/2 by almost as much as the claimed advantage.
""",
    n,
    true_if=end
    | {
        "these two hold": n.holds == {("se", "a=0.52"), ("matern32", "a=0.31")},
        "these three are contradicted": n.contradicted
        == {("matern32", "a=0.4"), ("matern52", "a=0.36"), ("matern52", "a=0.4")},
        "these two are undecided, and ties decide them": n.undecided
        == n.changed
        == n.hold_with_random_ties
        == {("se", "a=0.6"), ("se", "a=0.65")},
        "the first batch is longer": min(n.first) > n.first_base,
        "the batches for a = 0.5 are nearly the same": n.apart <= 5,
        "most of the difference arises between 200 and 400": n.second > 0.5,
        "separate functions would show it more often": n.ten < n.own,
        "in Table 2 the gap is nearly the advantage": 0.75 < n.table2 / n.claimed2 < 1,
    },
)

# %% tags=["remove-input"]
say(
    r"""
None of this tests the theorem: the fixed width eliminates the maximiser in [[lost_low:.1%]] to [[lost_high:.1%]] of the runs {ref}`with the original sizes <ch3-settings>`.
""",
    n,
    true_if={"that is often": n.lost_low > 0.3},
)

# %% [markdown]
# ## Summary
#
# *Does the method work?* Yes: with a handful of batches regret grows no faster than promised. GP-UCB, which sees every value before it chooses again, loses
# several times less: the price of a handful of batches, which leaves the order in $T$ alone.

# %% tags=["remove-input"]
say(
    r"""
*When is the bound informative?* The theorem, with the constants of its proof, at no horizon that we tried; the sum over batches after tens of thousands of evaluations. It falls below what choosing at random can cost only after [[blind_min]] to [[blind_max]]; before that it is informative in name only.
""",
    first,
    true_if=informative,
)

# %% [markdown]
# *Do the tables come back?* In part. Claim by claim:
#
# 1. Holds, with {ref}`a constant above <ch3-factor-b>` $B$.
# 2. Holds {ref}`as a bound <ch3-factor-b>`; in {ref}`runs <ch3-two-hundred>` with $a$ close to $\eta$ regret was clearly larger.
# 3. Holds: {prf:ref}`the lower bound <ch3-theorem-2>` is proved for adaptive sizes, too.
# 4. Holds {ref}`in our runs <ch3-robust-optima>`; the refinement {ref}`needs a repair <ch3-where-we-differ>`.
# 5. {ref}`Reversed <ch3-two-hundred>` on two hundred functions for the sum of regret, which is what the paper reports. The point named at the end is better with one batch fewer.
#
# Five things to keep in mind:
#
# 1. BPE evaluates where the variance is largest, and eliminates after each batch.
# 2. It forgets its data, so that no point is judged with noise that helped to choose it. That keeps the width small.
# 3. A survivor's regret is at most four confidence widths, and information bounds them.
# 4. Batches grow like $T^{1-a^i}$, so their number is a logarithm of a logarithm.
# 5. A bound without the factor $B$ can be larger than one with it.
#
# What we found wrong or missing in the paper is in {ref}`Where we differ <ch3-where-we-differ>`.
#
# ### Related work
#
# That a doubly logarithmic number of batches is enough is known from bandits with finitely many arms {cite}`perchet2016batched,gao2019batched`; the adaptive lower bound follows {cite:t}`gao2019batched`. BPE is due to
# {cite:t}`li2022gaussian`, its confidence bound to {cite:t}`vakili2021optimal`. {cite:t}`salgia2024random` draw points at random instead, and
# keep the order of regret. {cite:t}`iwazaki2025improved` bound the largest variance more sharply for little noise. The robust setting comes from {cite:t}`bogunovic2018adversarially`.

# %% [markdown]
# ## Exercises
#
# Three ask for a function. The check below the text tries your function on random cases: copy the check into a session of Python,
# then call it with the function.
#
# ```{exercise} What a batch leaves
# :label: ch3-ex-batch
#
# *Level 2 of 3, about 30 minutes, with code.*
#
# Write `largest_left(covariance, noise_variance, size, alive)`, which returns a pair: the largest posterior standard deviation of a candidate alive after a batch of pure exploration,
# and what the third idea of the proof allows for it, $\sqrt{C\,I/N}$, where $N$ is the size of the batch and $I$ the information gain *of this batch*. `covariance` is the prior covariance of the candidates, with variances of at most one, and `alive`
# an array of booleans. A candidate may be chosen again. On which candidates are the two equal?
# ```
#
# :::{dropdown} Hint
# :class-container: exercise-hint
#
# Take `one_batch` from the text. What does one evaluation add to the gain, if the variance at the chosen point is $s^2$?
# :::
#
# :::{dropdown} Hint
# :class-container: exercise-hint
#
# It adds $\tfrac12\log(1+s^2/\sigma^2)$. Add it up along the way.
# :::
#
# :::{dropdown} Hint
# :class-container: exercise-hint
#
# Only candidates alive count for the largest standard deviation, and $C=2/\log(1+\sigma^{-2})$.
# :::

# %% tags=["hide-input", "exercise-check"] mystnb={"code_prompt_show": "Show the check", "code_prompt_hide": "Hide the check"}
import numpy as np


def check_largest_left(function):
    """Both numbers computed anew: variances by solving with the whole matrix, the gain as a log-determinant."""
    rng = np.random.default_rng(0)
    for case in range(20):
        count, size, noise = int(rng.integers(3, 9)), int(rng.integers(2, 12)), float(rng.choice([0.01, 0.3, 2.0]))
        factor = rng.standard_normal((count, count))
        covariance, alive = factor @ factor.T, rng.random(count) < 0.7
        covariance = rng.uniform(0.5, 1.0) * covariance / covariance.diagonal().max()
        alive[rng.integers(count)] = True
        picks = []
        for _ in range(size + 1):
            gram = covariance[np.ix_(picks, picks)] + noise * np.eye(len(picks))
            known = covariance[:, picks] @ np.linalg.solve(gram, covariance[picks]) if picks else 0 * covariance
            variance = np.where(alive, np.diag(covariance - known), -np.inf)
            picks.append(int(np.argmax(variance)))
        gain = 0.5 * np.linalg.slogdet(gram / noise)[1]
        left, allowed = (float(number) for number in function(covariance.copy(), noise, size, alive.copy()))
        assert abs(left - variance.max() ** 0.5) < 1e-8, f"case {case}: the largest standard deviation is wrong"
        wanted = (2 / np.log1p(1 / noise) * gain / size) ** 0.5
        assert abs(allowed - wanted) < 1e-8, f"case {case}: {wanted:.4f} is allowed, not {allowed:.4f}"
        assert left <= allowed
    print("largest_left is right in all cases")


# %% tags=["hide-input", "exercise-solution"] mystnb={"code_prompt_show": "Show an answer", "code_prompt_hide": "Hide the answer"}
def largest_left(covariance, noise_variance, size, alive):
    """Largest standard deviation after a batch, and the square root of C I / N."""
    left, gain = covariance.copy(), 0.0
    for _ in range(size):
        x = int(np.argmax(np.where(alive, np.diag(left), -np.inf)))
        gain += 0.5 * np.log1p(left[x, x] / noise_variance)
        left = left - np.outer(left[:, x], left[x]) / (left[x, x] + noise_variance)
    constant = 2 / np.log1p(1 / noise_variance)
    return np.sqrt(np.diag(left)[alive].max()), np.sqrt(constant * gain / size)


check_largest_left(largest_left)

# %% [markdown]
# ```{solution} ch3-ex-batch
# :class: dropdown
#
# They are equal if there are more independent candidates of variance one than the batch has points: each choice meets variance one, and one of them is left at the end. With fewer candidates, or with correlated ones, the average
# is larger than what is left, and this step of the proof gives something away. The staircase shows how much.
# ```
#
# ```{exercise} How wide must it be
# :label: ch3-ex-survivors
#
# *Level 1 of 3, about 15 minutes, with code.*
#
# Write `needed_width(mean, sd, alive, best)`, the smallest width with which candidate `best`, which is alive, survives the batch. The arguments are the posterior mean and standard deviation of every candidate,
# who was alive before, and an index. The result is one number, at least zero. A candidate whose upper bound equals the best lower bound survives. What happens with width zero?
# ```
#
# :::{dropdown} Hint
# :class-container: exercise-hint
#
# Candidate $x$ is eliminated by a single other one. When does $y$ eliminate $x$?
# :::
#
# :::{dropdown} Hint
# :class-container: exercise-hint
#
# $x$ survives $y$ if $\mu(x)+w\sigma(x)\ge\mu(y)-w\sigma(y)$. Solve for $w$, and take the worst $y$ alive.
# :::

# %% tags=["hide-input", "exercise-check"] mystnb={"code_prompt_show": "Show the check", "code_prompt_hide": "Hide the check"}
import numpy as np


def check_needed_width(function):
    """A little more width must be enough, a little less must not."""
    rng = np.random.default_rng(1)
    for case in range(200):
        count = int(rng.integers(1, 9))
        mean, sd = rng.standard_normal(count), rng.uniform(0.1, 1.0, count)
        alive, best = rng.random(count) < 0.6, int(rng.integers(count))
        alive[best] = True
        width = float(function(mean.copy(), sd.copy(), alive.copy(), best))
        assert width >= 0, f"case {case}: a width of {width:.3f}"
        enough, less = (
            all(mean[best] + w * sd[best] >= mean[y] - w * sd[y] for y in np.flatnonzero(alive))
            for w in (width + 1e-9, width - 1e-9)
        )
        assert enough, f"case {case}: width {width:.3f} is too small"
        assert width == 0 or not less, f"case {case}: less than {width:.3f} is enough"
    print("needed_width is right in all cases")


# %% tags=["hide-input", "exercise-solution"] mystnb={"code_prompt_show": "Show an answer", "code_prompt_hide": "Hide the answer"}
def needed_width(mean, sd, alive, best):
    """The width at which the strictest of the others just lets it survive."""
    return float(np.max((mean[alive] - mean[best]) / (sd[alive] + sd[best])))


check_needed_width(needed_width)

# %% [markdown]
# ```{solution} ch3-ex-survivors
# :class: dropdown
#
# Only those *alive* may set the bar: whoever was eliminated has no posterior any more. The candidate itself is among them, with a quotient of zero, so the result is not negative.
#
# With width zero both bounds are the mean, and only those with the largest mean survive, whether that is right or
# not. The larger the width, the safer the maximiser and the fewer are eliminated. The first figure of this page shows this for two
# widths on the same function.
# ```
#
# ```{exercise} Who survives an adversary
# :label: ch3-ex-robust
#
# *Level 2 of 3, about 20 minutes, with code.*
#
# Write `robust_survivors(lower, upper, points, reach, alive)`, which returns an array of booleans: who is alive after a batch of
# robust-BPE. `points` are the coordinates of the candidates on a line, `lower` and `upper` their confidence bounds. A chosen
# point may be moved to any candidate at a distance of at most `reach`, whether that one is alive or not. A tie survives.
# ```
#
# :::{dropdown} Hint
# :class-container: exercise-hint
#
# What is a candidate worth, if it may be moved? Compute that for both bounds.
# :::
#
# :::{dropdown} Hint
# :class-container: exercise-hint
#
# A matrix of booleans says who is whose neighbour: `np.abs(points[:, None] - points[None, :]) <= reach`.
# :::
#
# :::{dropdown} Hint
# :class-container: exercise-hint
#
# Neighbours count whether they are alive or not. The bar is set by those alive only.
# :::

# %% tags=["hide-input", "exercise-check"] mystnb={"code_prompt_show": "Show the check", "code_prompt_hide": "Hide the check"}
import numpy as np


def check_robust_survivors(function):
    """Candidate by candidate, with the worst neighbour searched one by one."""
    rng = np.random.default_rng(2)
    for case in range(200):
        count, reach = int(rng.integers(1, 10)), int(rng.integers(0, 4))
        points = rng.permutation(12)[:count]  # not in order
        lower = rng.integers(-9, 10, count) / 2
        upper, alive = lower + rng.integers(1, 9, count) / 2, rng.random(count) < 0.6
        alive[rng.integers(count)] = True
        found = np.asarray(function(lower.copy(), upper.copy(), points.copy(), reach, alive.copy()))
        near = [[y for y in range(count) if abs(int(points[x]) - int(points[y])) <= reach] for x in range(count)]
        best = max(min(lower[y] for y in near[x]) for x in range(count) if alive[x])
        for x in range(count):
            expected = bool(alive[x]) and min(upper[y] for y in near[x]) >= best
            assert bool(found[x]) == expected, f"case {case}: candidate {x} at {points[x]}, reach {reach}"
    print("robust_survivors is right in all cases")


# %% tags=["hide-input", "exercise-solution"] mystnb={"code_prompt_show": "Show an answer", "code_prompt_hide": "Hide the answer"}
def robust_survivors(lower, upper, points, reach, alive):
    """Who is alive after a batch of robust-BPE: worst neighbours are compared."""
    near = np.abs(points[:, None] - points[None, :]) <= reach
    worst_lower, worst_upper = (np.where(near, bound, np.inf).min(axis=1) for bound in (lower, upper))
    return alive & (worst_upper >= worst_lower[alive].max())


check_robust_survivors(robust_survivors)

# %% [markdown]
# ```{exercise} From the sum to the constant
# :label: ch3-ex-closed
#
# *Level 3 of 3, about 45 minutes.*
#
# Let $a\in(\tfrac12,1)$ and $U_i=T^{a^{i-1}(1/2-a)}$ as in the bound step by step. T1a is the sum over batches.
#
# 1. Show $2N_1\sqrt\beta\le4\sqrt{\beta T}\,U_1$ for the first batch, and $N_i/\sqrt{N_{i-1}}\le2\sqrt T\,U_i$ for $i\ge2$, where only the last batch may
#    have been cut off.
# 2. Let $b=(1-a)(a-\tfrac12)$. Show for $2\le i\le B$ that $U_{i-1}/U_i=T^{-ba^{i-2}}\le2^{-b}$. Use that
#    $B\le\lceil\log_{1/a}\log_2T\rceil+1$ ({prf:ref}`Proposition 3 <ch3-prop-3>`).
# 3. Conclude $\sum_{i=1}^BU_i\le2^b/(2^b-1)$, and from T1a, the sum over batches, the box of {prf:ref}`Theorem 1 <ch3-theorem-1>`. Do not forget the first batch. For which $a$ is this
#    constant smallest, and why is it so far above the sum?
# ```
#
# :::{dropdown} Hint
# :class-container: exercise-hint
#
# For the first part: a ceiling of a number above one is at most twice that number.
# :::
#
# :::{dropdown} Hint
# :class-container: exercise-hint
#
# For the second: the larger $i$, the larger the ratio of two neighbours. Which is the largest $i-2$ that occurs?
# :::
#
# :::{dropdown} Hint
# :class-container: exercise-hint
#
# For the third: count the $U_i$ from the last one backwards, and compare with a geometric series.
# :::
#
# ```{solution} ch3-ex-closed
# :class: dropdown
#
# 1. A ceiling of a number above one is at most twice that number, so $N_i\le2T^{1-a^i}$, cut off or not. For $i=1$ this is
# $2\sqrt T\,U_1$, as $1-a=\tfrac12+(\tfrac12-a)$, and $2N_1\sqrt\beta\le4\sqrt{\beta T}\,U_1$. For $i\ge2$ batch $i-1$ was not cut off, so $N_{i-1}\ge T^{1-a^{i-1}}$. The exponent of the quotient is
# $1-a^i-\tfrac12(1-a^{i-1})=\tfrac12+a^{i-1}(\tfrac12-a)$.
#
# 2. The exponents differ by $(\tfrac12-a)(a^{i-2}-a^{i-1})=-(a-\tfrac12)(1-a)a^{i-2}$. By Proposition 3,
# $i-2\le B-2\le\lceil\log_{1/a}\log_2T\rceil-1<\log_{1/a}\log_2T$, that is $a^{i-2}\log_2T>1$, and so
# $T^{-ba^{i-2}}<2^{-b}$.
#
# 3. Counted from the last term, the sum is below a geometric series: $\sum_iU_i\le U_B\sum_{j\ge0}2^{-jb}=U_B\,2^b/(2^b-1)$, and
# $U_B\le1$. In T1a the first batch is at most $4\sqrt{\beta T}\,U_1$ by part 1 and, as $\gamma_{N_{i-1}}\le\gamma_T$, a later one at most
# $8\sqrt{C\beta T\gamma_T}\,U_i$. Both are at most $4\max\{\gamma_T^{-1/2},2\sqrt C\}\sqrt{\beta T\gamma_T}\,U_i$; add up. The
# constant falls as $b$ grows, and $b$ is largest for $a=\tfrac34$, where $b=\tfrac1{16}$.
#
# Only the last ratio is near $2^{-b}$. The others are far smaller, as $a^{i-2}\log_2T$ grows by a factor of $1/a$ with every
# step back, so that the sum converges much faster than the series.
# ```
#
# ```{exercise} Where three eighths come from
# :label: ch3-ex-lower
#
# *Level 2 of 3, about 25 minutes.*
#
# Fix reference times $0=T_0<T_1<\dots<T_B=T$, and for every $i$ a class of $M_i\ge4$ functions, bumps of height $2\epsilon_i$ at different places, with
# $\sqrt{C_{\mathcal F}}\,\epsilon_i\sqrt{T_{i-1}/M_i}\le\sigma/(2B)$, where $C_{\mathcal F}$ bounds how far one bump leaks into the places of the others.
# Call batch $i$ bad if it begins before $T_{i-1}$ and ends at $T_i$ or later; batch 1 is bad if it ends at $T_1$ or later. Let
# $p_i$ be the probability of this when the function is zero. The regret averaged over the $M_i$ functions of class $i$ is at least
#
# $$\epsilon_i(T_i-T_{i-1})\Big(\frac{M_i-1}{M_i}\,p_i-\frac32\cdot\frac{\sqrt{C_{\mathcal F}}\,\epsilon_i}{2\sigma}\sqrt{\frac{T_{i-1}}{M_i}}\Big).$$
#
# Show that for every player with $B$ batches some batch is bad, and derive
# {prf:ref}`Theorem 2 <ch3-theorem-2>`: some function has $\E R_T\ge\frac3{8B}\min_i\epsilon_i(T_i-T_{i-1})$. Where was it used that the player may look before choosing the sizes?
# ```
#
# :::{dropdown} Hint
# :class-container: exercise-hint
#
# If no batch is bad, batch 1 ends before $T_1$. What follows for batch 2?
# :::
#
# :::{dropdown} Hint
# :class-container: exercise-hint
#
# Some $p_i$ is at least $1/B$. Insert the condition on $\epsilon_i$ into the second term.
# :::
#
# ```{solution} ch3-ex-lower
# :class: dropdown
#
# Let batch $i$ end at $t_i$. If no batch is bad, then $t_1<T_1$; batch 2 begins before $T_1$ and is not bad, so $t_2<T_2$; and so
# on until $t_B<T_B=T$, which is impossible. Hence $\sum_ip_i\ge1$, and some $p_i\ge1/B$.
#
# For this $i$ we have $(M_i-1)/M_i\ge\tfrac34$ since $M_i\ge4$. The condition on $\epsilon_i$ bounds the second term by
# $\tfrac32\cdot\tfrac12\cdot\tfrac1{2B}=\tfrac3{8B}$. So the bracket is at least $\tfrac3{4B}-\tfrac3{8B}=\tfrac3{8B}$. The
# largest regret in a class is at least the average, and the smallest of the $B$ products stands in the theorem.
#
# Nowhere: that some batch is bad holds for every outcome, whatever made the player choose its sizes. This is why adapting
# does not help.
# ```
#
# ```{exercise} Four widths or six
# :label: ch3-ex-widths
#
# *Level 2 of 3, about 20 minutes.*
#
# In the robust setting let $x$ survive batch $i$ with valid confidence bounds. Let $x+\delta_f$ be the worst neighbour of $x$
# under $f$, let $x^*$ be the robust optimum, and let $s$ be the largest posterior standard deviation among all neighbours of
# points alive. Minima over $\delta$ run over the displacements to neighbours. Show that the
# robust regret $r_\xi(x)=\min_\delta f(x^*+\delta)-\min_\delta f(x+\delta)$ is at most four confidence widths,
# $4\sqrt\beta\,s$. (The paper's Lemma 10 has $6\sqrt\beta\,s$.)
# ```
#
# :::{dropdown} Hint
# :class-container: exercise-hint
#
# Survival compares two minima. Bound the left one at one particular displacement.
# :::
#
# :::{dropdown} Hint
# :class-container: exercise-hint
#
# Take the displacement that is worst for the survivor *under* $f$.
# :::
#
# ```{solution} ch3-ex-widths
# :class: dropdown
#
# Survival means $\min_\delta U(x+\delta)\ge\min_\delta L(x^*+\delta)$. Bound the left side at the particular point
# $\delta_f$: $\min_\delta U(x+\delta)\le U(x+\delta_f)\le f(x+\delta_f)+2\sqrt\beta\,s$. Let $\delta_L$ minimise
# $L(x^*+\cdot)$; then $L(x^*+\delta_L)\ge f(x^*+\delta_L)-2\sqrt\beta\,s\ge\min_\delta f(x^*+\delta)-2\sqrt\beta\,s$.
# Together $r_\xi(x)\le4\sqrt\beta\,s$. The paper goes through $f(x+\delta_U)$ with $\delta_U$ the minimiser of $U$,
# which costs one more step of $2\sqrt\beta\,s$.
# ```
#
# ```{exercise} A float that costs a batch
# :label: ch3-ex-ceiling
#
# *Level 1 of 3, about 10 minutes.*
#
# Compute $N_1=\lceil T^{1-a}\rceil$ for $T=10^5$ and $a=0.6$ with ordinary floating-point numbers and on paper. Why
# do the answers differ, and how does `companion.papers.batched.method.sizes` avoid it?
# ```
#
# ```{solution} ch3-ex-ceiling
# :class: dropdown
#
# $10^{5\cdot0.4}=10^2$ exactly, but `1 - 0.6` is slightly more than $1-a$ in binary, so the power is slightly more than
# $10^2$ and the ceiling is one too large. The companion treats $a$ as the decimal fraction it was written as and decides the ceiling
# in exact arithmetic whenever floating point cannot.
# ```
#
# ```{exercise} The design is known before the data
# :label: ch3-ex-design
#
# *Level 1 of 3, about 15 minutes.*
#
# Run `companion trial batched appendix-e bpe --seed 0 --json` and again with `--seed 1`. In both runs the first batch queries the
# same points, although function and noise differ. Why? Which step of the proof of
# {prf:ref}`Proposition 1 <ch3-prop-1>` relies on the reason?
# ```
#
# ```{solution} ch3-ex-design
# :class: dropdown
#
# A batch is chosen by posterior variances, which depend on the points but not on the values, and the first batch starts
# from the same prior on the same candidates. Independence of points and noise within a batch is what lets
# $f(x)-\mu(x)$ be a bias plus a Gaussian, both of bounded size. In later batches the points may differ, as the survivors do.
# ```
#
# ```{exercise} How much would ten functions have told you?
# :label: ch3-ex-ten
#
# *Level 2 of 3, about 30 minutes.*
#
# The file `data/results/batched/appendix_e.csv` has a row for every kernel, rule and seed, with the regret in the column `R1000`. For
# the kernel `matern32` draw ten of the seeds at random, with replacement, many times. How often has the rule `a=0.4` a smaller mean than
# `orig`? Then compare `a=0.5` with `orig` in two ways: on the same ten functions, and on ten functions for one and ten others
# for the other. What are the standard deviations of the two differences of means?
# ```
#
# :::{dropdown} Hint
# :class-container: exercise-hint
#
# `frame.pivot(index="seed", columns="rule", values="R1000")` gives a row for each function.
# :::
#
# :::{dropdown} Hint
# :class-container: exercise-hint
#
# On the same functions take the standard deviation of the differences, on different ones add two variances.
# :::

# %% tags=["remove-input"]
n = stored_runs.ten_numbers(evidence)
say(
    r"""
```{solution} ch3-ex-ten
:class: dropdown

The mean of ten has the order of Table 2 with a probability of about [[agree:.1%]]. This is the column “ten agree” of the table of conclusions.

For `a=0.5` on the same functions the standard deviation is [[paired:.1f]], since both rules evaluate almost the same points. On different functions it is [[unpaired:.0f]], from the spread between functions. Then gaps as large as those that Tables 2 and 3 print between these two rows are ordinary, and their sign is close to a coin toss.
```
""",
    n,
    true_if={"the pairs differ far less": n.paired < n.unpaired / 10},
)

# %% [markdown]
# ```{exercise} Predict: the dots move
# :label: ch3-ex-predict-dots
#
# *Level 1 of 3, about 5 minutes.*
#
# In the figure to drag you make the width larger. Do the dots of batch 1 move? Those of batch 2? And the bands? Answer first, then drag.
# ```
#
# ```{solution} ch3-ex-predict-dots
# :class: dropdown
#
# The dots of batch 1 stay where they are: nobody has been eliminated yet, and standard deviations do not depend on the width. Those of batch 2 move if other candidates survive. Every band becomes wider by the same factor
# everywhere, as long as the dots stay.
# ```
#
# ```{exercise} Predict: a staircase with another $a$
# :label: ch3-ex-predict-staircase
#
# *Level 1 of 3, about 10 minutes.*
#
# The staircase is for $a=0.6$. Which of its bars would change if it were drawn for $a=0.75$, and in which direction?
# ```

# %% tags=["remove-input"]
n = counting.sum_numbers(counting.factor_against_constant(), counts)
say(
    r"""
```{solution} ch3-ex-predict-staircase
:class: dropdown

All of them a little, since there are more batches then. The last bar shrinks most clearly: the constant falls from [[constant_at:.1f]] to [[best:.1f]], the smallest there is, while the sum that it replaces has more terms. The bars of the two widths and of information hardly know about $a$.
```
""",
    n,
    true_if={"the constant is smaller": n.best < n.constant_at, "at three quarters": n.best_a == 0.75},
)

# %% [markdown]
# ```{exercise} Predict: one rule twice
# :label: ch3-ex-predict-same
#
# *Level 1 of 3, about 10 minutes.*
#
# Cover the rows $a=0.5$ of the forest plot. The batches of this rule are those of the original sizes, up to a few evaluations. How wide will our interval be? How wide the grey bar? And where do you expect the printed cross?
# ```

# %% tags=["remove-input"]
n = stored_runs.noise_numbers(evidence)
say(
    r"""
```{solution} ch3-ex-predict-same
:class: dropdown

Both are hardly wider than the dot. On the same functions with the same noise the two rules evaluate almost the same points, so almost nothing is left of the spread between functions. The cross belongs there, too. In print it is [[table2:.1f]] below the original sizes for Matérn 3/2 and [[table3:.1f]] for Matérn 5/2, so the printed rows can hardly have shared functions, noise and ties.
```
""",
    n,
    true_if={"on our functions the gap is next to nothing": abs(n.ours2) < 0.05 * n.table2},
)

# %% [markdown]
# ### Two open projects
#
# *Keep the data.* Forgetting buys a small width and throws away all but the last batch. Let BPE keep everything, with a width that is proved for adaptively chosen points (the package has several in `companion.bounds.confidence`).
# From which horizon on does forgetting pay, in the bound and in measured regret? Begin with a guess from $\sqrt{\gamma_T}$ against $\sqrt{\log(|\mathcal X|B)}$.
#
# *Sizes that learn.* {prf:ref}`Theorem 2 <ch3-theorem-2>` says that adaptive sizes do not improve the order in the worst case. It does not say that they are useless on functions that are not the worst. Invent a rule that chooses the next size from
# the survivors, and plan a comparison with the original sizes: paired, with functions, seeds and the smallest difference that you care about fixed before the first run.
#
# :::{moved}
# the-claim | how-few-batches-are-enough
# three-batches-seen | the-method
# the-algorithm-in-code | a-few-lines-of-numpy
# a-run-to-copy | a-few-lines-of-numpy
# what-we-found | summary
# one-batch-where-confidence-comes-from
# from-one-batch-to-the-next
# how-many-batches
# adding-up-where-the-factor-b-goes
# the-bound-on-your-own-numbers | bound-against-measurement
# nobody-does-much-better-the-lower-bound
# robust-optima
# problems-and-methods
# do-the-confidence-bounds-hold
# one-run-taken-apart | the-proof-as-a-staircase
# where-the-bound-begins-to-say-something | bound-against-measurement
# is-the-exponent-right | bound-against-measurement
# against-the-lower-bound
# robust-regret
# the-paper-s-experiments-again | the-experiments-again
# tables-1-to-3
# what-two-hundred-functions-say
# live
# where-we-differ
# run-record
# :::
