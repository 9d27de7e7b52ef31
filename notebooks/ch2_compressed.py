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
# # Compressed GP bandits: regret against model size
#
# *Bedi, Peddireddy, Aggarwal, Sadler and Koppel, "Regret and Belief Complexity Trade-off in Gaussian Process Bandits via
# Information Thresholding"* {cite}`bedi_compressed`
#
# After this half hour you can drop measurements on purpose, say in three ideas why the regret stays bounded, and tell
# when dropping costs. Proofs, settings and raw numbers are in *the record*, {doc}`the next page <ch2_compressed_record>`.

# %% tags=["remove-input"]
from companion.bounds.confidence import SrinivasDrawsWidth
from companion.bounds.trivial import two_digits
from companion.pages import Figure, Numbers, here, say, show
from companion.pages.chapter import check_parameters
from companion.papers.across.page import answer
from companion.papers.compressed.experiments import parameters
from companion.papers.compressed.method import admission
from companion.papers.compressed.method.policy import CompressedBandit
from companion.papers.compressed.page import (
    arms,
    exercises,
    findings,
    improvement,
    picture,
    regret,
    stored_runs,
    tradeoff,
)
from companion.papers.compressed.page import order as order_studies

# %% [markdown]
# (ch2-question)=
# ## Which measurements are worth keeping?
#
# Every minute a wind turbine sets the angle of its blades and measures what it yields. After a week its model holds ten thousand measurements, and each
# further one costs more than the last, as a Gaussian process carries all data along. Yet most minutes were alike. Keep this measurement, or drop it?
#
# **A guess first.** Here are two models of one turbine after three hundred minutes. A has kept everything. How many measurements did B need, to be as good?

# %% tags=["remove-input"]
shown = picture.one_run(seed=0)
n = shown_of = picture.picture_numbers(shown)
show(
    picture.draw_one_run(shown),
    "Two models after [[rounds]] rounds (our example: [[points]] angles, length-scale [[lengthscale:g]], noise variance [[noise:g]]). "
    "The yield is counted from its average.",
    n,
    alt="Two panels with the same curve, a hill at angle [[peak:g]] and a low hill on the left, each with a model's mean and band. In A a thick cloud of dots covers the hill, in B a few dozen dots lie there. The means and bands hardly differ.",
)

# %% tags=["remove-input"]
say(
    r"""
Forty-one are enough. B even lost less on the way. How does the rule choose them, why can it *help* to skip, and when does it not?
""",
    n,
    true_if={
        "forty-one": n.order == 41,
        "less regret on the way": n.regret < 0.8 * n.full_regret,
    },
)

# %% [markdown]
# The setting is that of GP-UCB. The unknown yield $f$ is a draw from a Gaussian process with kernel $\kappa$ on $X$ angles, the *candidates*. Round $t$ plays the angle $x_t$ of
# largest upper bound $\mu_{t-1}(x)+\sqrt{\beta_t}\,\sigma_{t-1}(x)$, where $\sqrt{\beta_t}$ is the *width*, and sees $f(x_t)$ with noise of variance $\sigma^2$ (chapter 1's $\sigma_n^2$): an *evaluation*. With $t$ evaluations one more takes $O(tX)$ operations, {ref}`or fewer where angles repeat <ch2-what-a-round-costs>`.
#
# A round loses $\max f-f(x_t)$. The sum over all rounds is the *cumulative regret* $R_T$: every play counts, as every minute does for the turbine. *Terminal regret* is what the angle loses that is named at the end, the one of largest posterior mean. The theorem below is about the first.
#
# *Our example* is the function of chapter 1, on $X=101$ angles in $[0,1]$, with a squared exponential kernel of length-scale 0.12. Wind is gusty, so there is more noise than there, $\sigma^2=0.1$.
#
# (ch2-method)=
# ## The method
#
# How much would the next value tell? We know that *before* we see it, because a posterior variance does not depend on values. An evaluation at $x_t$ brings
# $\frac12\log(1+\sigma^{-2}\sigma_{t-1}^2(x_t))$ nats of *information* about $f$. The paper compares this with a *budget* $\epsilon$, and keeps the evaluation only if
#
# $$\begin{aligned}&\tfrac12\log\big(1+\sigma^{-2}\sigma_{t-1}^2(x_t)\big)>\epsilon\\
#   \Longleftrightarrow\ {}&\sigma_{t-1}^2(x_t)>\sigma^2u,\quad u=e^{2\epsilon}-1.\end{aligned}$$
#
# Otherwise the round is *rejected*: its regret counts, but nothing is measured, and the model stays as it is. The evaluations kept are the *dictionary*, and their number $M_T$ is
# the *model order*. The budget is fixed, or it falls with the number of rounds, $u=T^{-\alpha}$: the larger $\alpha$, the more is kept. We take $\alpha=\frac12$.
#
# (ch2-ten-lines)=
# ### Ten lines of NumPy
#
# The method is UCB with one more `if`.

# %%
# Start a Python of your own with OMP_NUM_THREADS=1, or wait minutes
import numpy as np


def posterior(K, at, y, v):
    """Mean and variance given values y at the indices at."""
    noisy = K[np.ix_(at, at)] + v * np.eye(len(at))
    weights = np.linalg.solve(noisy, K[at])
    return weights.T @ y, np.diag(K) - np.sum(K[at] * weights, axis=0)


def compressed_ucb(K, f, noise, v, budget, widths):
    """The angle of every round, and whether it is kept."""
    kept, y, rounds = [], np.array([]), []
    for width, e in zip(widths, noise, strict=True):
        mean, variance = posterior(K, kept, y, v)
        x = int(np.argmax(mean + width * np.sqrt(variance)))
        keep = 0.5 * np.log1p(variance[x] / v) > budget
        rounds.append((x, keep))
        if keep:  # else nothing is measured
            kept.append(x)
            y = np.append(y, f[x] + e)
    return np.array(rounds).T


# %% [markdown]
# Three runs of our example, with no budget, ours, and a large one:

# %%
x, rng = np.linspace(0, 1, 101), np.random.default_rng(0)
K = np.exp(-((x[:, None] - x) ** 2) / (2 * 0.12**2))
f = np.linalg.cholesky(K + 1e-9 * np.eye(101)) @ rng.standard_normal(101)
T, v = 300, 0.1  # rounds, noise variance
t, delta = np.arange(1.0, T + 1), 0.1  # chance that a bound fails
widths = np.sqrt(2 * np.log(101 * t**2 * np.pi**2 / (6 * delta)))
noise = v**0.5 * np.random.default_rng(0).standard_normal(T)
runs = {}
for budget in (0, 0.5 * np.log1p(T**-0.5), 1):
    runs[budget] = compressed_ucb(K, f, noise, v, budget, widths)
    chosen, kept = runs[budget]
    lost = np.sum(f.max() - f[chosen])  # cumulative regret
    print(f"budget {budget:.3f}: {kept.sum()} kept, {lost:.0f} lost")

# %%
import matplotlib.pyplot as plt


def draw(figure):
    """Where each run plays."""
    panels = figure.subplots(1, 3, sharey=True)
    for axes, budget in zip(panels, runs, strict=True):
        chosen, kept = runs[budget]
        for keep, style in (0, "C1x"), (1, "C0o"):
            shown = kept == keep
            label = "kept" if keep else "rejected"
            axes.plot(t[shown], x[chosen[shown]], style, ms=3, label=label)
        axes.set(title=f"budget {budget:.3f} nats", xlabel="round t")
    panels[0].set_ylabel("angle played")
    panels[1].legend()


draw(plt.figure(figsize=(8, 3)))

# %% tags=["remove-input"]
plays = [x[chosen] for chosen, _ in runs.values()]
n = Numbers(
    here(picture.one_run),
    kept=[int(kept.sum()) for _, kept in runs.values()],
    regret=[float(np.sum(f.max() - f[chosen])) for chosen, _ in runs.values()],
    places=[len(set(played[100:])) for played in plays],
    stuck=float(plays[2][-1]),
    peak=float(x[f.argmax()]),
)
show(
    Figure(lambda canvas, _: draw(canvas), size=(8, 3)),
    "Where each round plays. Left: all is kept, and the run moves about the peak at [[peak:g]] and away from it. Middle: with our budget it soon stays at the peak. "
    "Right: with one nat it stays at a bad angle. [[points]] angles, length-scale [[lengthscale:g]], noise variance [[noise:g]].",
    n | {name: shown_of[name] for name in ("points", "lengthscale", "noise")},
    alt="Three panels of the angle played against the round. Left: a wide band of dots around [[peak:g]], and single dots far away. Middle: dots at first, then crosses on one line at the peak. Right: a few dots, then crosses on one line at [[stuck:g]], where the function is low.",
    true_if={
        "our budget stays, and without one the run moves about": n.places[1] < 4 and n.places[0] > 5,
        "the large budget stays at a bad angle": n.places[2] == 1 and n.regret[2] > 5 * n.regret[0],
        "the page's run is the picture's": n.kept[1] == picture.picture_numbers(shown).order,
    },
)

# %% [markdown]
# (ch2-why-it-helps)=
# ### Why skipping can help
#
# The middle run lost less than the left one. Was that luck? If not, what can be good about knowing less?

# %% tags=["remove-input"]
skipped = picture.skipping(seed=0, functions=100)
n = picture.skipping_numbers(skipped)
say(
    r"""
In part: with other noise the order on this function can be the reverse. So we drew [[functions]] functions. In [[fewer]] of them the rule that skips has the smaller cumulative regret.

Where do the runs play? An evaluation at the peak lowers the upper bound there. In the end another angle has a larger one, and GP-UCB leaves to explore. A rejected round lowers nothing, and the rule stays at the peak. From the first rejection on, GP-UCB plays [[full_far:.0f]] rounds farther than half a length-scale from the peak, on average, and the rule that skips [[small_far:.0f]]. These are nearly the whole difference.

So the theorem's width explores too much. Why not shorten the width itself?
""",
    n,
    true_if={
        "skipping has the smaller regret in most functions": n.fewer > 0.75 * n.functions,
        "the upper bound at the peak stays higher": n.higher > 0.95 * n.functions,
        "GP-UCB explores more": n.full_far > 2 * n.small_far,
        "that makes up nearly the whole difference": 0.8 < n.saved_far / n.saved < 1.2,
    },
)

# %% tags=["remove-input"]
show(
    picture.widths(skipped),
    "What a round loses, and the angle named at the end: means over [[functions]] functions of our prior ([[points]] points, length-scale [[lengthscale:g]], noise variance [[noise:g]]), [[rounds]] rounds. “Skip” is with our budget. Bold: the least.",
    n | {name: shown_of[name] for name in ("points", "lengthscale", "noise")},
)

# %% tags=["remove-input"]
say(
    r"""
**Shorten the width first; skip when the cost of the model hurts.** With the constant width [[narrow:g]] and all kept a round loses least, clearly less than by skipping under the theorem's. There skipping *costs* on average: a rejection freezes the choice, since neither model nor width changes any more, in a few functions at a bad angle. (The theorem needs its own; {doc}`chapter 6 <ch6_side_by_side>` compares.)

Under every width skipping costs **terminal regret**: the model knows the peak less well. If only the angle named at the end counts, keep more.
""",
    n,
    true_if={
        "keeping all under the short width loses least": n.least,
        "and clearly less than skipping under the theorem's": n.shorter_low > 0,
        "with the short width skipping costs on average, by a few functions": n.narrow_low > 0
        and 0 < n.narrow_bad < 0.2 * n.functions,
        "and under every width in the point named": n.worse_point == n.widths and n.point_low > 0,
    },
)

# %% [markdown]
# :::{figure-to-drag} compression
# :still: fig-one-run
#
# The dictionary stops growing where the choices settle.
#
# The figure opens on our example, with other noise and two random angles measured first. There skipping does not help. Every other seed is another function, so count, and {preset}`with the width 2 <compression?width=two>` count again. Then drag the budget. How often does {preset}`a large one <compression?budget=1>` end at one bad angle? At last
# {preset}`see it freeze <compression?rule=ei&budget=0.3>`: *expected improvement* (EI) plays where a value is expected to exceed the best one by most. The first rejection freezes it. {preset}`UCB on the same
# data <compression?rule=ucb&budget=0.3>` moves on, because its width grows.
# :::

# %% tags=["remove-input"]
budget = admission.horizon_budget(T, alpha=0.5)
policy = CompressedBandit(K, v, "ucb", admission.information(budget, v), SrinivasDrawsWidth(101, 0.1))
played = []
for e in noise:
    played.append(int(policy.ask(1).query[0]))
    policy.tell(f[played[-1:]] + e)
again = [
    compressed_ucb(K, f, v**0.5 * np.random.default_rng(1).standard_normal(T), v, each, widths)[0]
    for each in (0, budget)
]
say(
    r"""
(The package's `CompressedBandit` plays the same angles.) The paper puts the same test behind EI, and behind EI over the largest posterior mean, which it calls "most probable improvement" (MPI).
""",
    true_if={
        "the package plays the same angles": played == list(runs.values())[1][0].tolist(),
        "with other noise the order is the reverse": f[again[0]].sum() > f[again[1]].sum(),
    },
)

# %% [markdown]
# ### What the paper claims
#
# 1. The model order stays finite, of order $u^{-p}$ in dimension $p$, as the number of small balls that cover the domain.
# 2. Under UCB the cumulative regret is at most the usual bound plus a term of order $T^{1-\alpha/2}$, so for $\alpha<1/p$ regret and model order grow more slowly than $T$. The same holds under EI.
# 3. With a fixed budget the average regret tends to $O(\epsilon)$.
# 4. In experiments the regret is about that of *uncompressed* GP-UCB, which keeps everything, with far fewer points and in less time.

# %% tags=["parameters", "hide-input"] mystnb={"code_prompt_show": "Show the parameters of this page", "code_prompt_hide": "Hide the parameters of this page"}
seed = 0  # first seed of every study, non-negative integer
horizon = 300  # rounds T at which the proof is taken apart, count
noise_variance = 0.1  # noise variance, squared units of f
alpha = 0.5  # exponent of the horizon in the budget, dimensionless
functions = 100  # functions behind every mean of the bound study, count
halvings = 6  # times the budget u is halved where the dictionary is measured, count

# %% tags=["remove-input"]
check_parameters(parameters.CHAPTER, globals())

# %% [markdown]
# (ch2-bound)=
# ## The bound, step by step
#
# The *trivial bound* $T(\max f-\min f)$ is what the worst choices would lose, so it holds for every rule. Only a bound below it is *informative*.
#
# Let $\gamma_M$ be the largest information that $M$ evaluations can bring, the *maximum information gain*, $\beta_t=2\log(Xt^2\pi^2/(6\delta))$, and $C_1=8/\log(1+\sigma^{-2})$.
#
# ```{prf:theorem} Bedi et al., Theorem 3.2(i): regret of compressed UCB
# :label: ch2-theorem-3-2
# :nonumber:
#
# Let $f$ be a draw of the prior on $X$ candidates, $\kappa(x,x)\le1$, and $u=T^{-\alpha}$. With probability at least $1-\delta$,
#
# $$\begin{aligned}R_T\le{}&\sqrt{C_1T\beta_T\gamma_{M_T}}\\&+T\sqrt{\log(1+T^{-\alpha})}\sqrt{C_1\beta_T}.\end{aligned}$$
# ```
#
# Three ideas carry the proof. Two you know from GP-UCB.
#
# **Why is the regret of a round small?** This is *optimism*: the upper bound at $x_t$ is at least the maximum. So the regret is at most the length of the
# confidence interval there, $2\sqrt{\beta_t}\,\sigma_{t-1}(x_t)$, kept or not. By Cauchy–Schwarz it is enough to bound the sum of variances.
#
# **A kept round brings information.** Its variance is at most a multiple of the information that it brought, since a logarithm lies above its chord. All kept
# rounds together bring at most $\gamma_{M_T}$.
#
# **A rejected round would have brought little.** It was rejected *because* it would have brought at most $\epsilon$. So its variance is small, too.
# $T$ rejected rounds give $\sqrt{C_1T\beta_T\cdot T\epsilon}$. Since $2\epsilon=\log(1+T^{-\alpha})$, this is the second term divided by $\sqrt2$, which the paper drops.
#
# Write $I_T$ for what the kept rounds brought, and $S_T$ for what the rejected ones would have brought. Then the proof's first line is
# $R_T\le\sqrt{C_1T\beta_T(I_T+S_T)}$, which can be evaluated after a run.
#
# (ch2-staircase)=
# ### The proof as a staircase
#
# A *staircase* shows a proof as a chain of inequalities, one bar a step. Which step do you expect to give away most: optimism, information, or rejecting?

# %% tags=["remove-input"]
measured = regret.bound_study(seed, horizon, noise_variance, alpha, functions)
n = regret.chain_numbers(measured)
show(
    regret.waterfall(
        measured,
        {
            "measured": "cumulative regret, as measured",
            "widths": "length of the confidence interval\nfor the regret of a round",
            "Cauchy-Schwarz": "Cauchy–Schwarz, and the\nlast width for all",
            "information": "a multiple of the information\nfor a variance",
            "budget": "ε for the information of\na rejected round",
            "certified gain": "the largest possible information\nfor that of the dictionary",
            "two roots": "two roots for the\nroot of a sum",
            "all rounds rejected": "T for the number of\nrejected rounds",
            "Theorem 3.2": "log(1 + u), which is 2ε,\nfor ε: Theorem 3.2",
        },
    ),
    "The staircase of Theorem 3.2(i) for our example's prior ([[points]] angles, length-scale [[lengthscale:g]], noise variance [[noise:g]]), T = [[rounds]], α = [[alpha:g]], means over [[runs]] functions. "
    "Each bar starts where the one above ends, and its label is the factor that the step gives away. Red: from the budget on.",
    n,
    alt="A chart of bars on a logarithmic axis, from the measured regret down to Theorem 3.2, which is [[slack:.0f]] times as large. The longest bar is the first step. The last bar ends to the right of the trivial bound.",
    true_if={"the theorem lies above the trivial bound": n.vacuous, "the longest bar is the first": n.first},
)

# %% tags=["remove-input"]
say(
    r"""
The largest step is optimism, which puts a whole interval for what a round loses. Of the factor [[slack:.0f]] only [[compression:.1f]] is the price of compression: all red steps but the largest possible information, a step of GP-UCB's proof too.
""",
    n,
    true_if={
        "most is lost before compression enters": n.before > n.added > n.compression,
        "the largest step is the first": n.first,
    },
)

# %% tags=["remove-input"]
n = improvement.one_round(seed)
say(
    r"""
**Expected improvement is another matter.** Let $R$ be the largest distance of a posterior mean from the largest kept value, in standard deviations, and $L=\log(1+\sigma^{-2})$. The printed bound is

$$\begin{aligned}R_T\le\frac1L&\Big(\sqrt{3(\beta_T+1+R^2)}+\sqrt{\beta_T}\Big)\\
&\times\Big(\sqrt{2T\gamma_{M_T}}\\&\qquad+T\sqrt{\log(1+T^{-\alpha})}\Big).\end{aligned}$$

Its proof bounds the variance at the *maximiser* $x^*$ by a lemma about the points played. But nothing forces the rule to play $x^*$, and then {ref}`the variance there never falls <ch2-expected-improvement>`. Besides, the proof ends with $\sqrt L$ for $L$. So with little noise the bound is false: on [[arms]] independent candidates with noise of standard deviation [[sd:g]] the first round, whose information {ref}`stands in the bound <ch2-expected-improvement>`, breaks it in [[printed:.0%]] of runs, and $\delta$ allows [[allowed:.0%]]. On usual instances it holds, and is not informative.
""",
    n,
    true_if={
        "more runs exceed the printed bound than may": n.printed > 2 * n.allowed,
        "and none that with the root": n.root == 0,
    },
)

# %% [markdown]
# (ch2-order)=
# ### How large does the dictionary get?
#
# The paper says: of order $u^{-p}$. Would you expect the roughness of $f$ to matter? The claim is about kernels and dimensions, so we take five, {ref}`each in its own setting <ch2-no-rule>`, and *pure exploration*, which plays the point of largest variance until nothing more is kept.

# %% tags=["remove-input"]
sizes = order_studies.exploration_study(halvings)
n = order_studies.exploration_numbers(sizes)
show(
    order_studies.exploration(sizes),
    "Points kept by pure exploration. Left: their number, and the least that any rule keeps (dotted). "
    "Right: the same over the paper's rate, which is too small where a curve rises and larger than needed where it falls. SE: squared exponential kernel.",
    n,
    alt="Left: on logarithmic axes the number of points kept by pure exploration grows with u⁻¹ for five kernels and dimensions, "
    "with fitted exponents between [[least:.2f]] and [[most:.2f]]. "
    "Right: divided by the paper's rate, the curves of the Matérn kernels rise, "
    "and those of the smooth kernel in two and three dimensions fall.",
    true_if={
        "the exponents of the Matérn kernels are above the printed one": list(n.above)
        == ["Matérn 1/2, p = 1", "Matérn 3/2, p = 1"],
        "those of the smooth kernel in two and three dimensions are below": list(n.below) == ["SE, p = 2", "SE, p = 3"],
    },
)

# %% tags=["remove-input"]
say(
    r"""
Roughness does matter. The model order is always finite, as claimed. For the smooth kernel the paper's rate is larger than needed in two dimensions and more. For rough kernels it is too *small*: for the roughest {ref}`we prove that every rule needs more <ch2-no-rule>`.

**Model order = places × evaluations at each.** The roughness of $f$ decides how many places there are. Averaging out the noise takes about $1/u$ evaluations at each, shared among neighbours. A covering counts the places only. In practice, though, {ref}`compressed UCB keeps about what the paper says <ch2-no-rule>`.
""",
    n,
    true_if={
        "the exponent is above p for both Matérn kernels, and only there": list(n.above)
        == ["Matérn 1/2, p = 1", "Matérn 3/2, p = 1"],
        "it is below p for the squared exponential kernel in two and three dimensions": list(n.below)
        == ["SE, p = 2", "SE, p = 3"],
        "the exponent hardly changes with the dimension": max(n.fit_3, n.fit_4, n.fit_5) < 1.25,
    },
)

# %% [markdown]
# (ch2-measured)=
# ## Bound against measurement
#
# The theorem grows more slowly than $T$, so in the end it becomes informative. When?

# %% tags=["remove-input"]
n = regret.bound_numbers(measured)
show(
    regret.bound(measured),
    "Left: mean cumulative regret on [[runs]] functions of our example's prior ([[points]] angles, length-scale [[lengthscale:g]], noise variance [[noise:g]], α = [[alpha:g]]) "
    "with its 95 % interval, below three lines of the proof. "
    "Right: these over the trivial bound. Above the dotted line they are not informative.",
    n,
    alt="Left: on logarithmic axes the measured regret grows slowly with the number of rounds. The forms of the bound lie above it, "
    "the theorem [[low:.0f]] to [[high:.0f]] times, and the trivial bound rises with slope one. "
    "Right: the forms over the trivial bound fall. The theorem's last value is [[last:.2f]].",
    true_if={"the forms over the trivial bound fall with the number of rounds": n.falling},
)

# %% tags=["remove-input"]
say(
    r"""
The theorem holds: no run loses more than [[largest:.0%]] of its bound. But it comes down to the trivial bound only at the right end, $T=[[end:d]]$. The first line of its proof is informative from about [[sharp]] on. After a run, take the first inequality of a proof and not its last.
""",
    n,
    true_if={
        "no run exceeds its bound, or comes near": n.above == 0 and n.largest < 0.2,
        "the theorem is about the trivial bound at the right end, and above it before": n.useful == 0 and n.last < 1.02,
        "the first line lies below it from some horizon on": n.sharp_on,
    },
)

# %% [markdown]
# That was after the runs, with $\gamma_{M_T}$. Before a run there is only $\gamma_T$. When is the theorem informative then? Change our numbers and run the cell.

# %%
from companion.bounds.trivial import prior_range

# the parameters noise_variance and alpha: above
v, rounds, S = noise_variance, np.arange(1.0, 20_001), K.copy()
information = np.zeros(len(rounds))
for n in range(len(rounds)):  # greedily: nearly the best points
    i = np.argmax(np.diag(S))
    information[n] = 0.5 * np.log1p(S[i, i] / v)
    S -= np.outer(S[i], S[i]) / (S[i, i] + v)
C, gain = 8 / np.log1p(1 / v), np.cumsum(information)
beta = 2 * np.log(101 * rounds**2 * np.pi**2 / (6 * delta))
theorem = np.sqrt(C * rounds * beta * gain)
theorem += rounds * np.sqrt(np.log1p(rounds**-alpha) * C * beta)
trivial = rounds * prior_range(K).estimate
start = np.append(rounds[theorem < trivial], np.inf)[0]
print(f"informative from T = {start:.0f} on")

# %% tags=["remove-input"]
three = order_studies.arm_numbers(order_studies.arm_study())
n = arms.jump(rounds=3000)
first = regret.first_informative(noise_variance=0.1, alpha=0.5)
say(
    r"""
So from about [[first:d]] on. In {ref}`other settings <when-a-bound-says-something>` the earliest is [[earliest:d]].

**A fixed budget.** Does it leave an average regret of order $\epsilon$? No. The claim is for draws, so take two independent arms of prior variances $(1,\frac12)$. With probability one half the second is the worse. Yet at budgets as small as you like it {ref}`ends with the larger variance <ch2-ex-however-small>`. The growing width then outweighs every difference of the means: the worse arm is played, and rejected, for ever, though after more rounds than anybody plays.

Large budgets show it at once. Of three arms with values $v=(-\frac15,1,-1)$, prior variances one, covariance $\frac12$ between first and third, and $\sigma^2=1$, the first, when played, lowers the third's variance to $1-\frac{(1/2)^2}{1+1}=\frac78$. With a threshold of [[low:g]] the third, the worst, is kept, then left; with [[high:g]] it is rejected, and played {ref}`for ever <ch2-fixed-budget>`. The theorem is not contradicted: its second term is larger.
""",
    n
    | exercises.outweighed()
    | {"first": first.first, "earliest": int("".join(answer.title_numbers().compressed.split()))},
    true_if={
        "the cell finds the horizon, with greedy points": start < np.inf and two_digits(start) == first.first,
        "the worst arm is played once": n.times == 1,
        "and above for ever": n.ever,
        "its variance is 7/8, and between": abs(n.variance - 7 / 8) < 1e-12 and n.low < n.variance < n.high,
        "two arms take more rounds than anybody plays": exercises.outweighed().power > 30,
        "the theorem's value is larger": three.proof > three.large,
    },
)

# %% [markdown]
# (ch2-decides)=
# ## The experiment that decides
#
# What does a point of the dictionary buy? For the fourth claim we leave our example and take the paper's function, $\sin x+\cos x+x/10$, with budgets from tiny to
# absurd. Where on this curve would you want to be?

# %% tags=["remove-input"]
evidence = stored_runs.load_paper_results()
n = tradeoff.frontier_numbers(evidence) | tradeoff.example_place()
show(
    tradeoff.frontier(evidence),
    "Average regret of a round and model order after [[rounds]] rounds, one symbol a budget, means of [[seeds]] seeds (bars: smallest and largest). The paper's example: [[points]] points, length-scale [[lengthscale:g]], noise variance [[noise:g]].",
    n,
    alt="Average regret against model order after [[rounds]] rounds, both logarithmic. The regret falls with the number of points, "
    "with a step upwards among the fixed budgets, and is level beyond about a tenth of uncompressed GP-UCB's points. "
    "The bar of the smallest dictionary reaches from the uncompressed regret to [[largest:.2g]].",
    true_if={
        "there is a step upwards among the fixed budgets": n.steps_up > 0,
        "beyond a tenth of uncompressed GP-UCB's points the regret is level": n.level < 0.1,
    },
)

# %% tags=["remove-input"]
say(
    r"""
**The idea works.** At $\alpha=\frac34$ the dictionary holds [[part:.0%]] of the points, and the cumulative regret is about that of uncompressed GP-UCB. At our $\alpha=\frac12$ it is [[half_ratio:.1f]] times as large.

**With too few points the outcome depends on the seed.** At the largest budgets one run loses many times what uncompressed GP-UCB loses, and another no more.
""",
    n,
    true_if={
        "the smallest dictionary with the uncompressed regret, up to a tenth, is that at 3/4": n.rule == "α = 0.75"
        and n.part < 0.2,
        "in some runs of the smallest the regret is far above the uncompressed one": n.far > 0,
        "its mean regret is far above its median": n.mean > 5 * n.median,
        "at one half it is larger": n.half_ratio > 1.3,
    },
)

# %% tags=["remove-input"]
n = stored_runs.time_numbers(evidence)
say(
    r"""
**In less time?** Over the paper's horizon, with $\alpha=\frac12$, [[order:.0f]] of [[full:.0f]] points are kept, and the regret is the same. The CPU time is [[refit:.2f]] of the uncompressed one if each round computes the model anew, [[engine:.2f]] if it is updated (printed: [[printed:.2f]]). At $\alpha=\frac34$ we took no times.
""",
    n,
    true_if={
        "the regret is the same, up to a twentieth": abs(n.regret - 1) < 0.05,
        "it takes less time either way": n.refit < n.engine < n.engine_high < 1,
        "there are two initial points and 300 rounds": n.full == 302,
        "with the printed budget it takes as long": abs(n.as_printed - 1) < 0.05,
    },
)

# %% tags=["remove-input"]
n = stored_runs.claim_numbers(evidence)
say(
    r"""
**The printed rule with the printed constants does not give the paper's figures.** With $\epsilon=10^{-4}$ and $\sigma^2=10^{-3}$ the first [[needed]] evaluations are all kept, more than the figures show. Of {ref}`four versions <ch2-readings>` none gives all of them. The one that compares $\sigma_{t-1}^2(x_t)$ with $u$ instead of $\sigma^2u$ comes nearest.
""",
    n | findings.rejection_numbers(),
    true_if={
        "the printed rule is uncompressed": n.same and stored_runs.printed_is_dense(evidence),
        "no version has all claims of a figure": not n.whole,
        "the nearest is unit": n.nearest == "unit" and n.held > n.others,
    },
)

# %% [markdown]
# ## Summary
#
# *Does the method work?* To keep the model small, yes, with UCB and a budget that falls with the number of rounds: {ref}`a small part of the evaluations <ch2-decides>` gives the cumulative regret of keeping all. To lose less, {ref}`shorten the width <ch2-why-it-helps>` first. With a fixed or large budget the turbine may be stuck for ever.

# %% tags=["remove-input"]
say(
    r"""
*When is the bound informative?* {ref}`On our example <ch2-measured>` after about [[first:d]] rounds; below about [[beats:d]] it promises less than *random choice*, choosing at random, gives on average. The first line of its proof is informative much earlier.
""",
    first,
    true_if={
        "random choice is beaten later": first.beats > 2 * first.first,
        "the first line is informative much earlier": regret.bound_numbers(measured).sharp < first.first / 4,
    },
)

# %% [markdown]
# *Can the figures be reproduced?* {ref}`Not with the printed rule and constants <ch2-readings>`; the shape of the trade-off can.
#
# *The four claims:* Of the first the finiteness holds; {ref}`the rate <ch2-order>` holds up to logarithms for the squared exponential kernel in one dimension, not for rough kernels. Under UCB the second's regret half holds, and on finitely many candidates its other half, too: {ref}`there <ch2-no-rule>` $M_T\le X\lceil T^\alpha\rceil$. Elsewhere that needs the rate. Under EI {ref}`the proof fails <ch2-staircase>`, and with little noise the printed bound is false. The third {ref}`does not hold <ch2-measured>`. {ref}`The fourth <ch2-decides>` holds for regret and points with $u=T^{-3/4}$, and for the time with $u=T^{-1/2}$ over few rounds; not with the printed budget.
#
# To keep in mind:
#
# 1. What an evaluation would tell is known before it is made: of a rejected one, at most $\epsilon$.
# 2. The bound is loose because of what it shares with GP-UCB.
#
# {ref}`Where we differ <ch2-where-we-differ>` lists what we found wrong or missing.
#
# ### Related work
#
# BKB {cite}`calandriello2019gaussian` keeps all data and samples a small basis; {ref}`we ran it beside <ch2-experiments-again>`. The theorem's width is the union bound for draws of a prior. For a fixed $f$ shorter ones are known {cite}`whitehouse2023sublinear,flynn2024tighter`.
#
# A formal neighbour, checked by Lean, is the regret bound of optimism with finitely many features: [`linear_bandit_linucb_regret_bound`](https://github.com/prove2me/formalpedia/blob/0a2e92aafbf05ed008cee9df46c32caa96216ae5/envs/0df444a/Theorems/Thm_BanditAlgorithm_linear_bandit_linucb_regret_bound.lean) in Formalpedia. Of the theorem itself we found no formal proof.

# %% [markdown]
# ## Exercises
#
# Three ask for a function. Below the text stands a check, which tries your function and says what it finds. If the page has a field for
# your answer, write the function there. If not, copy the check into a session of Python, and call `check_kept(kept)`.
#
# ```{exercise} The first rejection
# :label: ch2-ex-first
#
# *Level 2 of 3, about 20 minutes.*
#
# Let $\kappa(x,x)=1$. Show that $n$ observations of $x$ itself leave the variance $\sigma^2/(n+\sigma^2)$ there, and that no
# $n$ observations leave less anywhere. How many points must be kept before the rule with the printed constants
# $\epsilon=10^{-4}$, $\sigma^2=10^{-3}$ can reject one? Does it take fewer at a larger or a smaller prior variance
# $a=\kappa(x,x)$ and the same noise variance?
# ```
#
# :::{dropdown} Hint 1
# :class-container: exercise-hint
#
# What does one observation add to the precision at $x$?
# :::
#
# :::{dropdown} Hint 2
# :class-container: exercise-hint
#
# For points elsewhere, the variance is the least value of $\norm{\kappa(x,\cdot)-\sum v_i\kappa(x_i,\cdot)}^2+\sigma^2\norm v^2$ over all $v$. Bound the first norm from below by $1-\sum|v_i|$, and $\norm v^2$ by Cauchy–Schwarz.
# :::
#
# :::{dropdown} Hint 3
# :class-container: exercise-hint
#
# A rejection needs a variance of at most $\sigma^2u$ somewhere.
# :::

# %% tags=["remove-input"]
say(
    r"""
```{solution} ch2-ex-first
:class: dropdown

One observation adds the precision $\sigma^{-2}$, so $n$ of them take a unit variance to $(1+n\sigma^{-2})^{-1}=\sigma^2/(n+\sigma^2)$.
For $n$ observations anywhere, write $s=\sum|v_i|$: $\norm{\kappa(x,\cdot)-\sum v_i\kappa(x_i,\cdot)}\ge1-s$ and $\norm{v}^2\ge s^2/n$. The least value of $(1-s)^2+\sigma^2s^2/n$ is the same number.

A rejection needs $\sigma^2/(n+\sigma^2)\le\sigma^2u$, that is $n\ge1/u-\sigma^2$: here [[needed]] points, far more than the horizons at which we repeat the paper's figures.

A prior variance $a$ in place of one changes the count to $1/u-\sigma^2/a$. It is never above $1/u$, and a larger $a$ does not help: it is [[scaled]] at $a=[[large:g]]$.
A smaller one helps only where $a$ is of the order of $\sigma^2u$: at $a=\frac54\sigma^2u$ the count is [[fewer]], and from $a=\sigma^2u$ down the variance is below the threshold before anything is observed.
Then the standard deviation of $f$ is [[share:.2g]] of the noise's, and no evaluation is informative about it.
(If $f$ and the noise are rescaled together, $\sigma^2/a$ and so everything stays as it is.)

With the noise factor dropped the threshold is $[[unit]]$ instead of $[[threshold]]$, with the raw entropy [[raw:.2g]].
```
""",
    exercises.first(),
)

# %% [markdown]
# ```{exercise} Kept or not
# :label: ch2-ex-kept
#
# *Level 1 of 3, about 20 minutes, with code.*
#
# Write `kept(covariance, choices, noise_variance, budget)`. The arguments are the $(N,N)$ prior covariance of the candidates, a list of candidates
# (one a round, the first candidate is number zero), $\sigma^2$, and $\epsilon$ in nats. The result is a list with `True` for every round that the rule
# keeps, given what it has kept before, and `False` for the others. Start with an empty dictionary. Why does the function need no observations?
# ```
#
# :::{dropdown} Hint 1
# :class-container: exercise-hint
#
# The variance at a point, given the dictionary, is one line: subtract $k^\top(K_D+\sigma^2I)^{-1}k$.
# :::
#
# :::{dropdown} Hint 2
# :class-container: exercise-hint
#
# An empty dictionary is no special case for NumPy: `np.ix_([], [])` needs an integer list.
# :::
#
# :::{dropdown} Hint 3
# :class-container: exercise-hint
#
# Append the point only when its information exceeds the budget.
# :::


# %% tags=["hide-input", "exercise-check"] mystnb={"code_prompt_show": "Show the check", "code_prompt_hide": "Hide the check"}
def check_kept(function):
    import copy

    import numpy as np

    def gain(points, covariance, noise_variance):
        """Information of observations at these points: half the log-determinant of I + K / noise variance."""
        block = covariance[np.ix_(points, points)] / noise_variance
        return 0.5 * np.linalg.slogdet(np.eye(len(points)) + block)[1]

    for seed in range(20):
        generator = np.random.default_rng(seed)
        factor = generator.standard_normal((6, 4))
        factor[5] = 0.0  # what is certain brings nothing, not more than the budget zero
        covariance, noise_variance = factor @ factor.T, generator.uniform(0.1, 1.0)
        choices, budget = generator.integers(6, size=25).tolist(), generator.uniform(0.2, 0.8) if seed else 0.0
        stored, expected = [], []
        for point in choices:
            brings = gain([*stored, point], covariance, noise_variance) - gain(stored, covariance, noise_variance)
            expected.append(bool(brings > budget))
            stored += [point] if brings > budget else []
        given = {"covariance": covariance, "choices": choices, "noise_variance": noise_variance, "budget": budget}
        mine = copy.deepcopy(given)
        found = function(*mine.values())
        for name, value in given.items():
            assert np.array_equal(mine[name], value), f"kept changed its argument {name}"
        assert found is not None, "kept returned None"
        said = f"shape {np.shape(found)}; right are {len(choices)} answers"
        assert np.shape(found) == np.shape(choices), f"kept returned something of {said}"
        for t, (keeps, right) in enumerate(zip(found, expected, strict=True)):
            said = f"returned {bool(keeps)}; right is {right}"
            assert bool(keeps) == right, f"seed {seed}, budget = {budget:.4g}, choices[{t}] = {choices[t]}: {said}"
    print("kept: right in all cases")


# %% tags=["hide-input", "exercise-solution"] mystnb={"code_prompt_show": "Show an answer", "code_prompt_hide": "Hide the answer"}
import numpy as np


def kept(covariance, choices, noise_variance, budget):
    stored, keeps = [], []
    for point in choices:
        across = covariance[stored, point]
        noisy = covariance[np.ix_(stored, stored)] + noise_variance * np.eye(len(stored))
        variance = covariance[point, point] - across @ np.linalg.solve(noisy, across)
        keeps.append(0.5 * np.log1p(variance / noise_variance) > budget)
        stored += [point] if keeps[-1] else []
    return keeps


check_kept(kept)

# %% [markdown]
# ```{solution} ch2-ex-kept
# :class: dropdown
#
# The posterior variance depends on where observations were made, not on what they were. So the decision can be made before anything is evaluated, which
# is the point of Algorithm 1. The check gets the same information without any variance, as the difference of two information gains.
# ```
#
# ```{exercise} A memory that stops
# :label: ch2-ex-freeze
#
# *Level 1 of 3, about 15 minutes.*
#
# Show that under EI the first rejection is the last decision: the model order is constant, and every later round has the
# same regret. Why does the argument not apply to UCB? Which change of one line of Algorithm 1 would let EI go on?
# ```
#
# :::{dropdown} Hint 1
# :class-container: exercise-hint
#
# On which quantities does the next choice under EI depend?
# :::
#
# :::{dropdown} Hint 2
# :class-container: exercise-hint
#
# Which of them does a rejected round change?
# :::
#
# :::{dropdown} Hint 3
# :class-container: exercise-hint
#
# Under UCB there is one more quantity.
# :::

# %% tags=["remove-input"]
n = exercises.freeze(evidence)
say(
    r"""
```{solution} ch2-ex-freeze
:class: dropdown

The next choice under EI depends on $\mu_{t-1}$, $\sigma_{t-1}$ and $y^{\max}_{t-1}$.
A rejected round changes none of them, so the next round makes the same choice, which is rejected again, and so on: by induction $M_T$ is constant, and every later round has the regret of this one point.
Under UCB $\beta_t$ grows, and a candidate with a larger variance may overtake.

In the stored runs under EI on [[problems]] no point is kept after the first rejection, and a round then costs [[low:.2g]] to [[high:.2g]] on average.
The regret is linear from there on, unless the point is the maximiser, as in [[best]] of [[all]] runs that reject.

A line that helps: maximise only over the candidates that would be kept.
When there are none left, one may play the largest posterior mean from there on.
```
""",
    n,
    true_if={"no point is kept after the first rejection": n.later == 0},
)

# %% [markdown]
# ```{exercise} Table 1, which column?
# :label: ch2-ex-table
#
# *Level 1 of 3, about 15 minutes.*
#
# Show that $T\sqrt{\log(1+T^{-\alpha})}$ is of order $T^{1-\alpha/2}$. The paper's Table 1 prints for this term under UCB the
# exponents $1-\frac1{4p}$ for $\alpha=1/p$ and $1-\frac1{2p}$ for $\alpha=1/(2p)$. For each of the two: is it the order of the
# term, and if not, is it at least an upper bound? Without any calculus: why can the printed pair not be the orders?
# ```

# %% tags=["remove-input"]
say(
    r"""
```{solution} ch2-ex-table
:class: dropdown

Since $\log(1+z)\le z$, and $\ge z/2$ for $z\le1$, the term lies between $T^{1-\alpha/2}/\sqrt2$ and $T^{1-\alpha/2}$.
With $\alpha=1/p$ the exponent is $1-\frac1{2p}$, with $\alpha=1/(2p)$ it is $1-\frac1{4p}$: as orders the columns are interchanged.
As upper bounds, the printed entry at $\alpha=1/p$ is true and too large, and the one at $1/(2p)$ is false.

Between $T=10^8$ and $T=10^{12}$ the slopes of the term for $p=1$ are [[one:.3f]] at $\alpha=1$, printed [[printed_one:g]], and [[half:.3f]] at $\alpha=\frac12$, printed [[printed_half:g]].

Without calculus: a larger $\alpha$ is a smaller budget, so fewer points are dropped and the bound's price for dropping them is lower. As printed the price would be higher, in spite of the larger dictionary.
```
""",
    exercises.table(),
)

# %% [markdown]
# ```{exercise} The best exponent
# :label: ch2-ex-best
#
# *Level 2 of 3, about 20 minutes.*
#
# On a finite set of $X$ candidates, $\gamma_M\le M/(2\sigma^2)$ and $M_T\le X\lceil T^\alpha\rceil$. Which $\alpha$ balances the
# orders in $T$ of both terms of {prf:ref}`Theorem 3.2 <ch2-theorem-3-2>`(i)? What changes when $\gamma_M$ grows like a power of $\log M$ only?
# ```
#
# :::{dropdown} Hint 1
# :class-container: exercise-hint
#
# Put the bounds on $M_T$ and $\gamma_M$ into the first term. What is its order in $T$?
# :::
#
# :::{dropdown} Hint 2
# :class-container: exercise-hint
#
# Set the two exponents equal.
# :::
#
# :::{dropdown} Hint 3
# :class-container: exercise-hint
#
# Where the gain grows like a logarithm, the first term hardly depends on $\alpha$.
# :::

# %% tags=["remove-input"]
n = exercises.best(noise_variance)
say(
    r"""
```{solution} ch2-ex-best
:class: dropdown

The first term is of order $\sqrt{T\cdot T^\alpha}=T^{(1+\alpha)/2}$, the second $T^{1-\alpha/2}$, up to $\sqrt{\log T}$.
They balance at $\alpha=\frac12$, with $T^{3/4}$: this is Corollary 3.3.
On [[size]] candidates at $T=10^6$ and the chapter's noise the explicit sum is least near $\alpha=[[least:g]]$, since the constants count too.

If $\gamma_M$ is a power of $\log M$, the first term is $\sqrt T$ up to logarithms for every $\alpha$, and the bound only falls as $\alpha$ grows: regret alone asks for no compression at all.
What one buys with a smaller $\alpha$ is memory.
```
""",
    n,
    true_if={"the explicit sum is least at another exponent": n.least != 0.5},
)

# %% [markdown]
# ```{exercise} The worst arm for ever
# :label: ch2-ex-play
#
# *Level 2 of 3, about 25 minutes, with code.*
#
# Change the ten lines of the lesson into `play(covariance, values, noise_variance, threshold, widths)`: compressed UCB on $N$ arms, that is candidates, with prior mean zero. The arguments are the $(N,N)$ prior
# covariance, the $N$ values of the arms, $\sigma^2$, the threshold that the variance has to exceed, and the widths $\sqrt{\beta_t}$, one a round. What is observed is the value
# of the arm, without noise. The result is the list of the arms played, the first arm being number zero, and the lowest number on ties. Then play three arms with values $(-\frac15,1,-1)$, unit prior variances, a covariance of $\frac12$ between the first and the third and none otherwise, and $\sigma^2=1$, with the widths $\sqrt{\beta_t}$ of the lesson for three arms and thresholds on both sides of $\frac78$: what changes, and after how many rounds do you see it?
# ```
#
# :::{dropdown} Hint 1
# :class-container: exercise-hint
#
# Only three lines of the lesson change: no noise, the threshold on the variance, and what is returned.
# :::
#
# :::{dropdown} Hint 2
# :class-container: exercise-hint
#
# `np.argmax` takes the lowest number on ties.
# :::


# %% tags=["hide-input", "exercise-check"] mystnb={"code_prompt_show": "Show the check", "code_prompt_hide": "Hide the check"}
def check_play(function):
    import copy

    import numpy as np

    cases = [([[1, 0, 0.5], [0, 1, 0], [0.5, 0, 1]], [-0.2, 1, -1], 1.0, threshold) for threshold in (0.87, 0.88)]
    cases.append((np.eye(3), [1, 2, 3], 1.0, 1.0))  # no variance exceeds this threshold
    for seed in range(20):
        generator = np.random.default_rng(seed)
        factor, values = generator.standard_normal((5, 5)), generator.standard_normal(5)
        cases.append(
            (factor @ factor.T + 0.1 * np.eye(5), values, generator.uniform(0.1, 1), generator.uniform(0.1, 1))
        )
    widths = np.sqrt(2 * np.log(5 * np.arange(1.0, 61) ** 2))
    for number, (covariance, values, noise_variance, threshold) in enumerate(cases):
        precision, weighted, expected = np.linalg.inv(covariance), np.zeros(len(values)), []
        for width in widths:
            posterior = np.linalg.inv(precision)
            mean, variance = posterior @ weighted, np.diag(posterior)
            upper = mean + width * np.sqrt(variance)
            arm = int(np.flatnonzero(upper > upper.max() - 1e-9)[0])
            expected.append(arm)
            if variance[arm] > threshold:
                precision[arm, arm] += 1 / noise_variance
                weighted[arm] += values[arm] / noise_variance
        given = {"covariance": np.array(covariance, float), "values": np.array(values, float)}
        given |= {"noise_variance": noise_variance, "threshold": threshold, "widths": widths}
        mine = copy.deepcopy(given)
        found = function(*mine.values())
        for name, value in given.items():
            assert np.array_equal(mine[name], value), f"play changed its argument {name}"
        assert found is not None, "play returned None"
        said = f"shape {np.shape(found)}; right are {len(widths)} arms"
        assert np.shape(found) == np.shape(widths), f"play returned something of {said}"
        for t, (arm, right) in enumerate(zip(found, expected, strict=True)):
            said = f"returned arm {arm}; right is arm {right}"
            assert arm == right, f"case {number}, threshold = {threshold:.4g}, widths[{t}]: {said}"
    print("play: right in all cases, the three arms among them")


# %% tags=["hide-input", "exercise-solution"] mystnb={"code_prompt_show": "Show an answer", "code_prompt_hide": "Hide the answer"}
import numpy as np


def play(covariance, values, noise_variance, threshold, widths):
    stored, arms = [], []
    for width in widths:
        noisy = covariance[np.ix_(stored, stored)] + noise_variance * np.eye(len(stored))
        weights = np.linalg.solve(noisy, covariance[stored])
        mean = values[stored] @ weights
        variance = np.diag(covariance) - np.sum(covariance[stored] * weights, axis=0)
        arms.append(int(np.argmax(mean + width * np.sqrt(variance))))
        stored += [arms[-1]] if variance[arms[-1]] > threshold else []
    return arms


check_play(play)

# %% tags=["remove-input"]
n = exercises.play_numbers(play)
say(
    r"""
```{solution} ch2-ex-play
:class: dropdown

The list `stored` may hold an arm several times: each copy averages out some of its noise. The check keeps the posterior precision instead of the dictionary, to which a kept observation adds $1/\sigma^2$ at its arm.

Each of the three arms is played once in the first three rounds, whatever the threshold. In the third round the third arm, the worst, has variance $\frac78$. With a smaller threshold it is kept, and the second arm, the best, is played from the fourth round on. With a larger threshold it is rejected, nothing changes, and it is played from the third round on, for ever. So you see it after three rounds: the third decides, and from the fourth on the lists differ. They begin with [[below]] and with [[above]] (thresholds [[low:g]] and [[high:g]]).
```
""",
    n,
    true_if={"below the best arm is played from round 4 on": n.best, "above the worst from round 3 on": n.worst},
)

# %% [markdown]
# ```{exercise} The wrong point
# :label: ch2-ex-maximiser
#
# *Level 2 of 3, about 30 minutes.*
#
# Lemma 9.5, in {ref}`the record <ch2-expected-improvement>`, bounds $\sum_t\sigma_{t-1}^2(x_t)$. Find an example where
# the same inequality with $x^*$ in place of $x_t$ fails for compressed EI: two independent arms, each with a standard normal prior, their values, the first arm
# to be played, a noise variance, a budget and a horizon. On two such arms $\gamma_M\le\log(1+M/(2\sigma^2))$.
# ```
#
# :::{dropdown} Hint 1
# :class-container: exercise-hint
#
# Let EI begin at an arm that looks good enough never to leave.
# :::
#
# :::{dropdown} Hint 2
# :class-container: exercise-hint
#
# An arm that is never played keeps its prior variance. What is the sum over $T$ rounds?
# :::
#
# :::{dropdown} Hint 3
# :class-container: exercise-hint
#
# Choose the budget so that the first arm is rejected after a few evaluations.
# :::

# %% tags=["remove-input"]
n = exercises.maximiser()
say(
    r"""
```{solution} ch2-ex-maximiser
:class: dropdown

Let $f_1=[[value:g]]$, and $f_2$ a little larger. The start is arm 1, observed once with a value near $f_1$.
Its expected improvement is [[own:.2g]]. That of arm 2, whose mean is zero and whose variance is one, is [[other:.2g]], so EI stays with arm 1.

With $\sigma^2=[[noise:g]]$ and $u=[[u:g]]$ the variance of arm 1 is below the threshold after [[copies]] observations, [[variance:.2g]]. From then on arm 1 is rejected, for ever, and arm 2 keeps its prior variance.

In [[rounds]] rounds the left side with $x^*$ is [[rounds]], the right side [[right:.0f]]; with $x_t$ it is [[chosen:.1f]].
In words: information about the arm that is played says nothing about the arm that is not.
```
""",
    n,
    true_if={
        "EI stays with arm 1": n.own > n.other,
        "the inequality fails with the maximiser only": n.chosen <= n.right < n.rounds,
    },
)

# %% [markdown]
# ```{exercise} The turbine's log
# :label: ch2-ex-log
#
# *Level 2 of 3, about 25 minutes.*
#
# Four angles lie so far apart that you may take them as independent, each with prior mean zero and variance one. The noise variance is $\frac1{10}$. Twelve evaluations have been kept:
#
# | angle | values |
# |---|---|
# | A | `[1.1, 0.7, 1.3, 0.9, 1.1]` |
# | B | `[0.6, 1.1, 0.9, 0.68]` |
# | C | `[0.4, 0.8]` |
# | D | `[0.45]` |
#
# The budget is $\epsilon=0.1$ and the width $\sqrt\beta=3$. (a) Somebody proposes to measure once more at A, at B and at C. Which of the three would the rule keep? (b) Which angle does UCB play, and what happens in that round?
# (c) From which width on does it play another one, and which? (d) Three rounds are left. What do *you* do if every minute is paid? (e) What if only the angle counts that you name in the end, the one of largest mean? Its expected value is the expected largest mean. Which *one* evaluation raises this most, and which *three*, all or among those that the budget keeps? Guess first.
# ```
#
# :::{dropdown} Hint 1
# :class-container: exercise-hint
#
# After $n$ evaluations whose sum is $s$ an angle has the mean $s/(n+\frac1{10})$ and the variance $\frac1{10}/(n+\frac1{10})$.
# :::
#
# :::{dropdown} Hint 2
# :class-container: exercise-hint
#
# For (c) the two upper bounds are straight lines in the width. For (e): when the variance falls from $s^2$ to $s_+^2$, the mean moves by a normal number of standard deviation $\sqrt{s^2-s_+^2}$. Draw a million with NumPy, and average the largest mean *minus A's new mean*, which varies much less. For two angles that move there is a closed form: with the distance $d$ of their means and $\theta^2$ the sum of the two variances the largest rises by $\theta\phi(d/\theta)-d\,\Phi(-d/\theta)$.
# :::

# %% tags=["remove-input"]
n = exercises.log()
say(
    r"""
```{solution} ch2-ex-log
:class: dropdown

| angle | mean | standard deviation | information, nats | upper bound | largest mean rises by, in $10^{-4}$ |
|---|---|---|---|---|---|
| A | [[A_mean:.2f]] | [[A_sd:.2f]] | [[A_gain:.3f]] | [[A_upper:.2f]] | [[A_brings:.2f]] |
| B | [[B_mean:.2f]] | [[B_sd:.2f]] | [[B_gain:.3f]] | [[B_upper:.2f]] | [[B_brings:.2f]] |
| C | [[C_mean:.2f]] | [[C_sd:.2f]] | [[C_gain:.3f]] | [[C_upper:.2f]] | [[C_brings:.2f]] |
| D | [[D_mean:.2f]] | [[D_sd:.2f]] | [[D_gain:.3f]] | [[D_upper:.2f]] | [[D_brings:.2f]] |

(a) B and C are kept. A is not: after five evaluations one more brings less than the budget.

(b) UCB plays A. The round is rejected, so nothing is measured and nothing changes but the width.

(c) The upper bounds of A and D meet at the width [[leave:.2f]]. From there on D is played, the angle that was measured least.

(d) Play A in all three rounds. Any other angle is expected to lose at once far more than it can bring in the two rounds after.

(e) One evaluation belongs to [[one]], the *worst* of the four by its mean: it is known so badly that it alone may overtake A at one stroke. Of three the best are [[free]], which raise the largest mean by [[free_brings:.1f]]: together they settle whether B is better than A. But this budget keeps neither A nor a second B. Of what it keeps [[kept]] are the best, with [[kept_brings:.1f]]. So here the budget costs terminal regret.
```
""",
    n,
    true_if={
        "A is rejected, the others are kept": n.A_gain < n.budget < min(n.B_gain, n.C_gain, n.D_gain),
        "UCB plays A": n.A_upper > max(n.B_upper, n.C_upper, n.D_upper),
        "then D": n.next == "D",
        "any other angle loses more than it can bring": n.A_mean - n.B_mean > 2e-4 * n.free_brings,
        "D for one, the worst": n.one == "D" and n.D_mean < min(n.A_mean, n.B_mean, n.C_mean),
        "of three A and two B": n.free == "ABB",
        "the budget keeps neither A nor a second B, and costs": not exercises.log_keeps("A")
        and not exercises.log_keeps("BB")
        and n.kept_brings < n.free_brings,
    },
)

# %% [markdown]
# ```{exercise} No smaller dictionary
# :label: ch2-ex-circle
#
# *Level 2 of 3, about 30 minutes, with code.*
#
# Write `least_points(eigenvalues, noise_variance, threshold)`, the bound of {ref}`No rule does with fewer <ch2-no-rule>`. The first argument holds the $N$ eigenvalues
# of the kernel matrix on a circle of equally spaced candidates, all positive. The result is the smallest integer $M\ge0$ for which the lower bound on the average variance is at most the threshold.
# ```
#
# :::{dropdown} Hint 1
# :class-container: exercise-hint
#
# Write the lower bound as a mean over the eigenvalues.
# :::
#
# :::{dropdown} Hint 2
# :class-container: exercise-hint
#
# It falls with $M$, so count upwards.
# :::


# %% tags=["hide-input", "exercise-check"] mystnb={"code_prompt_show": "Show the check", "code_prompt_hide": "Hide the check"}
def check_least_points(function):
    import copy

    import numpy as np

    def average(covariance, noise_variance, points):
        """Average variance if each of N candidates had points/N observations, where the bound is attained."""
        precision = np.linalg.inv(covariance) + points / (len(covariance) * noise_variance) * np.eye(len(covariance))
        return np.trace(np.linalg.inv(precision)) / len(covariance)

    # With equal eigenvalues one can count in one's head: none, exactly at the threshold, many.
    cases = [(np.full(2, 0.1), 1.0, 1.0, 0), (np.ones(2), 1.0, 0.5, 2), (np.ones(4), 1.0, 1 / 4097, 16384)]
    for seed in range(10):
        generator = np.random.default_rng(seed)
        size = int(generator.integers(8, 40))
        steps = np.minimum(np.arange(size), size - np.arange(size))
        row = np.exp(-steps / (size * generator.uniform(0.1, 0.5)))
        covariance = np.array([np.roll(row, k) for k in range(size)])
        noise_variance, threshold, right = generator.uniform(0.05, 0.5), generator.uniform(0.02, 0.4), 0
        while average(covariance, noise_variance, right) > threshold:
            right += 1
        cases.append((np.linalg.eigvalsh(covariance), noise_variance, threshold, right))
    for number, (eigenvalues, noise_variance, threshold, right) in enumerate(cases):
        given = {"eigenvalues": eigenvalues, "noise_variance": noise_variance, "threshold": threshold}
        mine = copy.deepcopy(given)
        found = function(*mine.values())
        for name, value in given.items():
            assert np.array_equal(mine[name], value), f"least_points changed its argument {name}"
        assert found is not None, "least_points returned None"
        assert np.ndim(found) == 0, f"least_points returned something of shape {np.shape(found)}; right is one number"
        said = f"N = {len(eigenvalues)}, noise_variance = {noise_variance:.4g}, threshold = {threshold:.4g}"
        assert found == right, f"case {number}, {said}: returned {found}; right is {right}"
    print("least_points: right in all cases")


# %% tags=["hide-input", "exercise-solution"] mystnb={"code_prompt_show": "Show an answer", "code_prompt_hide": "Hide the answer"}
import numpy as np


def least_points(eigenvalues, noise_variance, threshold):
    size, points = len(eigenvalues), 0
    while np.mean(1 / (1 / np.asarray(eigenvalues) + points / (size * noise_variance))) > threshold:
        points += 1
    return points


check_least_points(least_points)

# %% [markdown]
# ```{solution} ch2-ex-circle
# :class: dropdown
#
# The mean of $1/a_i$ falls with $M$, so the first $M$ at which it is no longer above the threshold is the smallest. (For large $M$, double and bisect.) The check uses that the
# bound is attained where all candidates have equally many observations, as fractions of an observation: then the posterior is a function of the kernel matrix.
# ```
#
# ```{exercise} Turning the noise up
# :label: ch2-ex-noise
#
# *Level 2 of 3, about 20 minutes.*
#
# Turn up the noise of our example, with $T=300$ and $u=T^{-1/2}$. (a) From the exercise “The first rejection”: how many evaluations are kept before one can be rejected, at $\sigma^2=0.1$ and at $\sigma^2=2$? Set `v = 2` in the cell of the three runs, run it, and compare.
# (b) From which noise variance on may the very first evaluation be rejected? What becomes of the model order and of the regret then? (c) Under EI the printed bound divides by $\log(1+\sigma^{-2})$, and the last line of its proof by the root of that.
# Which of the two bounds is the smaller, and up to which noise variance?
# ```

# %% tags=["remove-input"]
n = exercises.noise(seed, horizon, noise_variance, alpha)
say(
    r"""
```{solution} ch2-ex-noise
:class: dropdown

(a) At least $\lceil T^\alpha-\sigma^2\rceil$: with $T^\alpha=[[most:.2f]]$ these are [[least]] at $\sigma^2=[[noise:g]]$, and [[fewer]] at $\sigma^2=[[variance:g]]$. The run keeps more, since it spreads its evaluations: at the latter [[order:.0f]] on average over [[runs]] functions.

(b) From $\sigma^2=T^\alpha$ on the threshold $\sigma^2u$ is the prior variance or more, and nothing is ever measured.
The model order is zero, and every round has the regret of the first candidate, together [[cost:.0f]] on average.

(c) The printed bound is the other one over $\sqrt{\log(1+\sigma^{-2})}$: [[here:.3f]] times as large at $\sigma^2=[[noise:g]]$, and [[loud:.3f]] times at $\sigma^2=[[variance:g]]$.
It is the smaller up to $\sigma^2=1/(e-1)=[[turn:.3f]]$. Above this it is weaker than the last line of its proof.
```
""",
    n,
    true_if={
        "nothing is ever measured with so much noise": n.empty == 0,
        "the run keeps more": n.order > n.fewer,
        "the printed bound is smaller, then larger": n.here < 1 < n.loud,
    },
)

# %% [markdown]
# ```{exercise} However small the budget
# :label: ch2-ex-however-small
#
# *Level 2 of 3, about 25 minutes.*
#
# Of two independent arms the first has prior variance one, the second half of it. The noise variance is $\sigma^2=\frac1{10}$, and $1/u=k+\frac15$ for a whole number $k$. Arm 2 is worse by $\Delta>0$.
# Show that compressed UCB ends by playing arm 2 for ever, for every $k$ and every $\Delta$. What does this say of an average regret of order $\epsilon$? And when does it begin: with
# $\beta_t=2\log(2t^2\pi^2/(6\delta))$ and $\delta=0.1$, what is $\log_{10}t$ for $k=10$, if the difference of the posterior means is $D=0.1$, and if it is $D=1$?
# ```
#
# :::{dropdown} Hint 1
# :class-container: exercise-hint
#
# After $n$ evaluations an arm of prior variance $a$ has variance $\sigma^2/(n+\sigma^2/a)$. When is either arm rejected?
# :::
#
# :::{dropdown} Hint 2
# :class-container: exercise-hint
#
# Which arm has the larger variance in the end? The width grows without limit.
# :::

# %% tags=["remove-input"]
n = exercises.outweighed()
say(
    r"""
```{solution} ch2-ex-however-small
:class: dropdown

Arm 2 has variance $\sigma^2/(n+\frac15)$ after $n$ evaluations, which exceeds the threshold $\sigma^2/(k+\frac15)$ for $n<k$: it stops after $k$ evaluations, with the threshold itself. Arm 1 has $\sigma^2/(n+\frac1{10})$. It is kept at $n=k$ once more, and stops with $\sigma^2/(k+1+\frac1{10})$. So arm 2 keeps the larger standard deviation. From then on nothing changes but the width, which grows without limit, and in the end it outweighs every difference of the means: arm 2 is played, and rejected, for ever. The average regret tends to $\Delta$. As $k$ grows $\epsilon$ tends to zero, and $\Delta$ stays. Half of the draws of this prior have arm 2 as the worse one. So with a probability near one half the average regret ends above any given multiple of $\epsilon$, and an average regret of order $\epsilon$ with high probability is refuted.

The end is far away. For $k=[[looks]]$ the standard deviations differ by [[apart:.4f]], so $D=[[gap:g]]$ needs $\sqrt{\beta_t}=[[needed_width:.1f]]$, and $2\log t=\frac12\beta_t-\log(2\pi^2/(6\delta))$ gives $\log_{10}t=[[power:.0f]]$. For $D=1$ it is [[wide:.0f]]. So the refutation concerns the limit $T\to\infty$ of which the paper speaks; at budgets as small as this no run will ever see it. Large budgets show it at once, as the three arms do.
```
""",
    n,
    true_if={"after more rounds than anybody plays": n.power > 30},
)

# %% [markdown]
# ```{exercise} Predict: when skipping helps
# :label: ch2-ex-predict-budget
#
# *Level 1 of 3, about 10 minutes.*
#
# At our budget, skipping lowers the cumulative regret of most functions. Sketch the share of functions for which it does, against the budget, on a logarithmic axis from $\epsilon=0.01$ to $\epsilon=1$. Where is it largest, and what happens at the right end?
# Then set the budget in the figure to drag, and count.
# ```

# %% tags=["remove-input"]
n = exercises.budgets()
say(
    r"""
```{solution} ch2-ex-predict-budget
:class: dropdown

Of [[functions]] functions skipping lowers the regret of [[small]] at a budget of [[first:g]], of [[middle]] at [[second:g]], and of [[large]] at [[third:g]] nat. (The figure draws other functions, so its counts differ a little.)

With a small budget the peak is known well when the rounds there begin to be rejected. Then staying is right, and it saves exploration. With a large budget only the first rounds are kept. The model hardly knows the peak, and the run stays wherever its upper bound is large.
```
""",
    n,
    true_if={"the share falls with the budget": n.small > n.middle > n.large and n.small > 0.9 * n.functions},
)

# %% [markdown]
# ```{exercise} Predict: more noise
# :label: ch2-ex-predict-noise
#
# *Level 1 of 3, about 10 minutes.*
#
# Multiply the noise variance by ten, and keep $u$. Will the dictionary be larger or smaller? How often will the best candidate be stored?
# ```

# %% tags=["remove-input"]
n = exercises.louder()
say(
    r"""
```{solution} ch2-ex-predict-noise
:class: dropdown

Neither changes much. A point is kept while its variance exceeds $\sigma^2u$, and $n$ evaluations at one point leave about $\sigma^2/n$: so a place, with its near neighbours, is evaluated some $1/u$ times, whatever the noise. With so much more noise our run keeps [[loud]] points instead of [[quiet]]; the wider posterior only spreads the choices differently. What does change is how good the model is in the end.
```
""",
    n,
    true_if={"the dictionary hardly changes": 0.5 < n.loud / n.quiet < 2},
)

# %% [markdown]
# ```{exercise} Predict: the price of rejecting
# :label: ch2-ex-predict-price
#
# *Level 1 of 3, about 10 minutes.*
#
# In the staircase, which bars would the proof of uncompressed GP-UCB have, too? Cross out the others. What remains of the bound?
# ```

# %% tags=["remove-input"]
n = regret.chain_numbers(measured)
n = n | Numbers(n, without=n.before * n.gain)
say(
    r"""
```{solution} ch2-ex-predict-price
:class: dropdown

It has optimism, Cauchy–Schwarz and information, and the step to the largest possible information, too. The other steps from the budget on belong to compression, together a factor of [[compression:.2f]]. Without them the bound is GP-UCB's, and still [[without:.0f]] times the measured regret.
```
""",
    n,
    true_if={"most is lost without compression": n.without > n.compression},
)

# %% [markdown]
# ### Two open projects
#
# *A rule that cannot freeze.* Let the method maximise only over the candidates that would be kept, and play the largest posterior mean when there are none left. Prove a regret bound, or find three arms
# that break it. Compare with compressed UCB on the example function at equal model order.
#
# *How small may a dictionary be?* For the exponential kernel no rule does with fewer than the record says. Find such a bound for Matérn 3/2, and measure how far pure exploration is from it.

# %% [markdown]
# ## Parameters
#
# The studies of this page use the numbers of its folded cell. `companion run compressed -p functions=500` runs the chapter again with your own value,
# `companion run compressed --profile paper` at the paper's scale.
#
# :::{moved}
# the-claim | ch2-question
# one-run-being-compressed | ch2-method
# the-algorithm-in-code | ch2-ten-lines
# a-run-to-copy | ch2-ten-lines
# four-readings-of-the-rule
# what-we-found | ch2-where-we-differ
# the-theorems
# the-bound-on-your-own-numbers | ch2-measured
# retained-and-rejected-rounds
# how-large-the-dictionary-gets
# simple-bounds | ch2-no-rule
# the-rate | ch2-order
# no-rule-does-with-fewer
# is-it-the-covering-number
# expected-improvement
# the-trade-off
# regret-and-model-order-over-budgets-and-horizons
# what-a-round-costs
# a-fixed-budget
# the-paper-s-experiments-again | ch2-experiments-again
# figure-1-and-table-2-the-example-function
# figure-2-and-table-3-rosenbrock
# figure-3-and-table-4-tuning-logistic-regression
# which-reading-reproduces-the-figures
# after-the-first-rejection
# live
# where-we-differ
# run-record
# :::
