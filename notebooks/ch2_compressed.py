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
# After this half hour you can forget observations on purpose, by one line of code, say in three ideas why the regret stays bounded, and tell
# when forgetting costs. Proofs, settings and raw numbers are in the record, {doc}`ch2_compressed_record`.

# %% tags=["remove-input"]
from companion.pages import Numbers, say, show
from companion.pages.chapter import check_parameters
from companion.papers.compressed.experiments import parameters
from companion.papers.compressed.page import (
    arms,
    exercises,
    findings,
    picture,
    printed_settings,
    regret,
    stored_runs,
    tradeoff,
)
from companion.papers.compressed.page import order as order_studies

# %% [markdown]
# (ch2-question)=
# ## Which observations are worth keeping?
#
# A wind turbine adjusts its blades every minute and measures what it yields. After a week its model holds ten thousand observations, and each further minute
# of learning costs more than the last one, because a Gaussian process carries all its data along. Yet most of these minutes were alike. The
# thousandth look at a good setting told next to nothing. Could the turbine have saved itself that look?
#
# The setting is that of GP-UCB. The unknown $f$ is a draw from a Gaussian process with kernel $\kappa$ on $X$ candidates. Round $t$ plays the point $x_t$ of
# largest upper bound $\mu_{t-1}(x)+\sqrt{\beta_t}\,\sigma_{t-1}(x)$, and sees $f(x_t)$ with noise of variance $\sigma^2$. Every round costs its regret
# $\max f-f(x_t)$, and $R_T$ is the sum. A model of $t$ points needs $O(tX)$ for one more point, or $O(t^3+t^2X)$ if the posterior is computed anew. (On a finite set one count
# and one mean per candidate are enough, and {ref}`our dense runs <ch2-what-a-round-costs>` are computed so; on a continuum no point repeats.)
#
# Our example is the function of chapter 1, on $X=101$ points with length-scale 0.12 and $\sigma=0.1$: a hump on the right, a smaller one on the left. **A guess first:** three hundred rounds of UCB. How many of the
# three hundred observations do you need for the same regret?
#
# (ch2-method)=
# ## The method
#
# How much would the next value teach? The answer is known *before* the value is, since a posterior variance does not depend on values. An observation at $x_t$ brings
# $\frac12\log(1+\sigma^{-2}\sigma_{t-1}^2(x_t))$ nats of information. The paper compares this with a budget $\epsilon$, and keeps the point only if
#
# $$\tfrac12\log\big(1+\sigma^{-2}\sigma_{t-1}^2(x_t)\big)>\epsilon
#   \quad\Longleftrightarrow\quad\sigma_{t-1}^2(x_t)>\sigma^2u,\quad u=e^{2\epsilon}-1.$$
#
# Otherwise the round passes: its regret counts, no value is seen, and the model stays as it is. So *forgetting* is not quite the word. The method does not look where it
# would learn too little. What it keeps is its *dictionary*, and the number $M_T$ of points kept is the *model order*. The budget is fixed, or falls with the horizon, $u=T^{-\alpha}$: the larger
# $\alpha$, the more is kept.

# %% tags=["remove-input"]
shown = picture.one_run(seed=0, picture_rounds=300)
n = picture.picture_numbers(shown)
show(
    picture.draw_one_run(shown),
    "Compressed UCB on our example ([[points]] points, length-scale [[lengthscale:g]], noise [[noise:g]]) with u = T<sup>−1/2</sup>, T = [[rounds]]. Left: the function with the points kept, and below it where each round plays, the first round at the "
    "top. Top right: what the choice of each round would teach; a round above the budget is kept. Bottom right: the information of the kept rounds adds up, "
    "beside that of a run which keeps every point.",
    n,
    alt="Four panels. Top left: the function with a posterior band and dots where points are kept, most of them at the highest peak. Bottom left: the first rounds are spread "
    "and kept, from round [[first]] on the choice stays near the peak and is mostly rejected. Top right: the information of a round on a logarithmic axis falls to a dashed budget and stays just below it. "
    "Bottom right: the sum of information rises steeply to [[brought:.0f]] nats and stays level; with all points it creeps on to [[dense_total:.0f]].",
    true_if={"from the first rejection on hardly anything is kept": n.order < n.first + 0.05 * n.rounds},
)

# %% tags=["remove-input"]
say(
    r"""
Thirty-seven points are enough here. They hold nearly all the information that three hundred would have, and the average regret is nearly the same. The panel at the bottom right is the heart of the matter: what single rounds bring adds up to $\frac12\log\det(I+\sigma^{-2}K)$ over the dictionary, exactly, whatever the order. The first ten rounds bring most of it.

Look at the peak. The same candidate is kept up to [[copies]] times, and its neighbours share in what these looks teach. That is no mistake: noise leaves some variance at a point that is already stored, and another look averages it out.
""",
    n,
    true_if={
        "thirty-seven points of three hundred": (n.order, n.rounds) == (37, 300),
        "nearly all the information": n.brought > 0.9 * n.dense_total,
        "the sum is half the log-determinant": abs(n.brought - n.total) < 1e-6 * n.total,
        "compression costs almost nothing": abs(n.regret - n.dense) < 0.05 * n.dense,
        "the first ten rounds bring most": float(shown.gain[:10].sum()) > 0.8 * n.brought,
        "a candidate is stored more than once": n.copies > 1,
    },
)

# %% [markdown]
# :::{figure-to-drag} compression
# :still: fig-one-run
#
# A point is kept only while its information exceeds the budget, so the dictionary stops growing where the choices settle, and skipping costs next to nothing as long as the kept points locate the maximum.
#
# The figure below opens on another draw, on $X=201$ points with the same length-scale 0.12 and more noise, $\sigma^2=0.1$. Of three hundred rounds and two points to start with {live}`17 <compression.kept>` points are kept, and the regret is smaller than when all are. Drag the budget in the picture of information. What does {preset}`a large budget <compression?budget=1>` cost? Then
# {preset}`see it freeze <compression?rule=ei&budget=0.5>`: under expected improvement the first rejection is the last decision, since nothing changes any more. {preset}`UCB on the same
# data <compression?rule=ucb&budget=0.5>` moves on. Count over many seeds how often each is stuck at a bad point, before you prefer one.
# :::

# %% [markdown]
# (ch2-ten-lines)=
# ### Ten lines of NumPy
#
# The method is UCB with one more `if`.

# %%
import numpy as np


def posterior(K, at, y, v):
    """Mean and variance given values y at the indices at."""
    noisy = K[np.ix_(at, at)] + v * np.eye(len(at))
    weights = np.linalg.solve(noisy, K[at])
    return weights.T @ y, np.diag(K) - np.sum(K[at] * weights, axis=0)


def compressed_ucb(K, f, noise, v, budget, widths):
    """Choices of all rounds and the dictionary."""
    kept, y, chosen = [], np.array([]), []
    for width, e in zip(widths, noise, strict=True):
        mean, variance = posterior(K, kept, y, v)
        x = int(np.argmax(mean + width * np.sqrt(variance)))
        chosen.append(x)
        if 0.5 * np.log1p(variance[x] / v) > budget:  # worth a look?
            kept.append(x)
            y = np.append(y, f[x] + e)
    return chosen, kept


# %%
from companion.problems.running_example import running_function

x, K, f = running_function()  # 101 points of [0, 1], length-scale 0.12
T, v = 300, 0.1**2  # rounds, noise variance
t = np.arange(1, T + 1)
widths = np.sqrt(2 * np.log(101 * t**2 * np.pi**2 / 0.6))
noise = 0.1 * np.random.default_rng(0).standard_normal(T)
for budget in (0, 0.5 * np.log1p(T**-0.5)):
    chosen, kept = compressed_ucb(K, f, noise, v, budget, widths)
    regret_here = np.mean(f.max() - f[chosen])
    print(f"{len(kept)} points kept, average regret {regret_here:.3f}")

# %% [markdown]
# With the package, where the posterior is updated and not computed anew:

# %%
from companion.bounds.confidence import SrinivasDrawsWidth
from companion.papers.compressed.method import admission
from companion.papers.compressed.method.policy import CompressedBandit

rule = admission.information(admission.horizon_budget(T, alpha=0.5), v)
policy = CompressedBandit(K, v, "ucb", rule, SrinivasDrawsWidth(101, 0.1))
played = []
for e in noise:
    played.append(int(policy.ask(1).query[0]))
    policy.tell(f[played[-1:]] + e)  # dropped where it is not kept
assert played == chosen
print(f"{policy.model_order} points kept")

# %% tags=["remove-input"]
say(
    r"""
It plays the same points in every round. The paper puts the same test behind two other acquisitions: expected improvement (EI) over the largest value kept, and "most probable improvement" (MPI), which is EI over the largest posterior mean.
""",
    true_if={"the package plays the same points": played == chosen},
)

# %% [markdown]
# ### What the paper claims
#
# 1. The model order stays finite, of order $u^{-p}$ in dimension $p$: it settles to the covering number of the domain.
# 2. Under UCB the regret is at most the usual bound plus a term of order $T^{1-\alpha/2}$, so for $\alpha<1/p$ regret and model order are both sublinear. The same holds under EI.
# 3. With a fixed budget the average regret tends to $O(\epsilon)$.
# 4. In experiments the regret is comparable to that of the *dense* model, which keeps everything, with far fewer points and in less time.
#
# ## Parameters
#
# The studies of this page use these numbers. `companion run compressed -p functions=500` reruns the chapter with your own value,
# `companion run compressed --profile paper` at the paper's scale.

# %% tags=["parameters"]
seed = 0  # first seed of every study, non-negative integer
horizon = 200  # rounds T at which the proof is taken apart, count
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
# Let $\gamma_M$ be the maximum information gain of $M$ points, $\beta_t=2\log(Xt^2\pi^2/(6\delta))$, and $C_1=8/\log(1+\sigma^{-2})$.
#
# ```{prf:theorem} Bedi et al., Theorem 3.2(i): regret of compressed UCB
# :label: ch2-theorem-3-2
# :nonumber:
#
# Let $f$ be a draw of the prior on $X$ candidates, $\kappa(x,x)\le1$, and $u=T^{-\alpha}$. With probability at least $1-\delta$,
#
# $$R_T\le\sqrt{C_1T\beta_T\gamma_{M_T}}+T\sqrt{\log(1+T^{-\alpha})}\sqrt{C_1\beta_T}.$$
# ```
#
# Three ideas carry the proof, and two of them you know from GP-UCB.
#
# **Optimism.** Why should the regret of a round be small? Because the upper bound at $x_t$ is at least the maximum. So the regret is at most the length of the
# confidence interval there, $2\sqrt{\beta_t}\,\sigma_{t-1}(x_t)$, kept or not. By Cauchy–Schwarz it is enough to bound the sum of variances.
#
# **A kept round pays.** A point of large variance teaches a lot. Each variance is at most a multiple of the information that the round brought, and all kept
# rounds together bring at most $\gamma_{M_T}$.
#
# **A rejected round would have paid little.** It brought nothing. But it was rejected *because* it would have brought at most $\epsilon$. So its variance is small as well, and
# $T$ rounds of this kind cost the second term.
#
# That is all that compression adds. Write $I_T$ for what the kept rounds brought, and $S_T$ for what the rejected ones would have brought. The proof's first line, eq. (8.26), is
# $R_T\le\sqrt{C_1T\beta_T(I_T+S_T)}$, which can be evaluated after a run, and every later line is coarser.
#
# (ch2-staircase)=
# ### The proof as a staircase
#
# Which step do you expect to be expensive: optimism, information, or the price of rejecting? These runs, and those of *Bound against measurement*, leave our example: they
# are on fifty points of the line with length-scale 0.2 and $\sigma^2=0.1$, where a function is drawn anew for every run.

# %% tags=["remove-input"]
measured = regret.bound_study(seed, horizon, noise_variance, alpha, functions)
n = regret.chain_numbers(measured)
show(
    regret.waterfall(
        measured,
        {
            "measured": "regret, as measured",
            "widths": "confidence width of a round\nfor its regret",
            "Cauchy-Schwarz": "Cauchy–Schwarz, and the\nlast width for all",
            "information": "a multiple of the information\nfor a variance",
            "budget": "ε for the information of\na rejected round",
            "certified gain": "the largest possible gain\nfor that of the dictionary",
            "two roots": "two roots for the\nroot of a sum",
            "all rounds rejected": "T for the number of\nrejected rounds",
            "Theorem 3.2": "2ε for ε: Theorem 3.2",
            "arms": "independent arms",
        },
    ),
    "The proof of Theorem 3.2(i) from the measured regret down to the printed bound, T = [[rounds]], α = [[alpha:g]], means over [[runs]] runs. "
    "The two instances are [[points]] points of the unit interval under the squared exponential (SE) kernel, length-scale [[lengthscale:g]], and as many independent arms; noise variance [[noise:g]]. "
    "Each bar starts where the one above ends, and its label is the factor that the step gives away. The dotted lines are the trivial and the printed bound.",
    n,
    alt="Waterfall charts for two instances on a logarithmic axis, from the measured regret down to Theorem 3.2. "
    "For the SE kernel the last bar ends at [[kernel_slack:.0f]] times the first, for the arms at [[arms_slack:.0f]] times, in both to the right of the trivial bound.",
    true_if={"both bounds lie above the trivial one": n.vacuous},
)

# %% tags=["remove-input"]
say(
    r"""
Compression is not to blame. The largest step is optimism: the length of a confidence interval in place of the regret of a round. The last five steps, among them all that compression adds, cost a factor of [[kernel_added:.1f]] together, of [[kernel_slack:.0f]] in all.
""",
    n,
    true_if={
        "most is lost before compression enters": n.kernel_before > n.kernel_added and n.arms_before > n.arms_added,
        "the largest step is the first": n.kernel_first and n.arms_first,
    },
)

# %% [markdown]
# **Expected improvement is another matter.** Its proof splits the regret at the largest kept value, and needs the variance at the *maximiser* $x^*$ as well. There it uses a bound on the sum of variances that
# holds for the points played. But nothing forces the rule to play $x^*$, and where it does not, the variance there never falls. Moreover, the last line of the proof divides by the root of $\log(1+\sigma^{-2})$, and the
# printed bound by $\log(1+\sigma^{-2})$ itself. With many arms and little noise the printed bound is {ref}`false <ch2-expected-improvement>`; on instances of the usual size it holds, and is not informative.
#
# (ch2-order)=
# ### How large does the dictionary get?
#
# The paper says: of order $u^{-p}$, like a covering of the domain by balls. Would you expect the smoothness of $f$ to matter?

# %% tags=["remove-input"]
sizes = order_studies.exploration_study(halvings)
n = order_studies.exploration_numbers(sizes)
show(
    order_studies.exploration(sizes),
    "Points that pure exploration keeps until no variance exceeds σ²u. Left: the number kept, beside the least that any rule keeps (dotted). "
    "Right: the number divided by the printed rate, which has exponent p. "
    "Where a curve rises, the rate is too small; where it falls, the rate is loose. Each kernel has its own setting: [[settings]].",
    n,
    alt="Left: on logarithmic axes the number of points kept by pure exploration grows with u⁻¹ for five kernels and dimensions, "
    "with fitted exponents between [[least:.2f]] and [[most:.2f]]. "
    "Right: divided by the printed rate, the curves of the Matérn kernels rise, "
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
It does matter. The model order is always finite, as claimed. For the smooth kernel the rate hardly changes with the dimension, so the printed one is loose in two dimensions and more. For rough kernels the printed rate is too *small*: for the roughest we can prove that {ref}`every rule needs more <ch2-no-rule>`. Two counts multiply: about $1/u$ looks at one place, shared by its neighbours as at the peak of our picture, while its noise is averaged out, and the number of places, which roughness decides. A covering counts the places only. At horizons that anyone runs, though, {ref}`compressed UCB grows about as printed <ch2-no-rule>`.
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
# A bound is *informative* if it lies below the trivial one, $T(\max f-\min f)$, which holds for any choice of points. From which horizon on is Theorem 3.2 informative?

# %% tags=["remove-input"]
n = regret.bound_numbers(measured)
show(
    regret.bound(measured),
    "Mean cumulative regret of compressed UCB over [[runs]] draws of the prior ([[points]] points, squared exponential kernel, length-scale [[lengthscale:g]], noise variance [[noise:g]], α = [[alpha:g]]) "
    "with its 95 % interval, beside the forms of the bound at each run's model order. "
    "Eq. (8.26) is the first line of the proof. Eq. (8.29) puts ε for the information of a rejected round and the largest gain for that of the dictionary, which hardly changes it; eq. (8.31) splits the root of the sum. "
    "Right: the forms divided by the trivial bound. Above the dotted line a form is not informative.",
    n,
    alt="Left: on logarithmic axes the measured regret grows slowly with the horizon. The forms of the bound lie above it, "
    "the theorem [[low:.0f]] to [[high:.0f]] times, and the trivial bound rises with slope one. "
    "Right: the forms over the trivial bound fall with the horizon. The theorem's last value is [[last:.2f]].",
    true_if={"the forms over the trivial bound fall with the horizon": n.falling},
)

# %% tags=["remove-input"]
say(
    r"""
It holds with ease: no run has more than [[largest:.0%]] of its bound. But at no horizon shown is it informative. The first line of the proof, eq. (8.26), is informative from $T=[[sharp]]$ on. If you need a number after a run, use the first inequality of a proof and not its last.
""",
    n,
    true_if={
        "no run exceeds its bound, or comes near": n.above == 0 and n.largest < 0.2,
        "the theorem lies above the trivial bound at every horizon": n.useful == 0,
        "eq. (8.26) lies below it from some horizon on": n.sharp_on,
    },
)

# %% [markdown]
# What does it say in your setting? Change the numbers and run the cell, which has the fifty points of our runs. The gain of $T$ points takes the place of $\gamma_{M_T}$, as no more can be kept, so bound and trivial bound differ a little from those of the staircase.

# %%
from companion.bounds.trivial import prior_range
from companion.gp import SquaredExponential, grid
from companion.information import gain_bracket
from companion.papers.compressed.theory.bounds import (
    finite_beta,
    theorem_32,
)

bounds, K50 = [], SquaredExponential(0.2)(grid(50, 1))
for rounds in (200, 20_000):
    gain = gain_bracket(K50, rounds, noise_variance=0.1).upper
    beta = finite_beta(rounds, size=50, delta=0.1)
    promised = theorem_32(rounds, beta, 0.1, gain, alpha=0.5)
    bounds += [(promised, rounds * prior_range(K50).estimate)]
    print(f"T = {rounds}: {promised:.0f}, trivial {bounds[-1][1]:.0f}")

# %% tags=["remove-input"]
three = order_studies.arm_study()
n = order_studies.arm_numbers(three) | regret.first_informative(noise_variance=0.1, alpha=0.5)
say(
    r"""
The theorem becomes informative after about [[first:d]] rounds here; {ref}`the page on bounds <when-a-bound-says-something>` has other settings.

**A fixed budget.** The paper says that it leaves an average regret of order $\epsilon$. {ref}`Three arms <ch2-fixed-budget>` show that more can be left. At a certain budget the average regret jumps from next to nothing to the largest possible: the worst arm has a variance just below the threshold, so it is rejected, and since the width grows, it is played for ever. {ref}`In an exercise <ch2-ex-however-small>` two arms do so at budgets as small as you like, so no constant saves the claim. The three arms show it from round [[since]] on. Small budgets show it in the limit only: where each arm is looked at some [[looks]] times and the means differ by [[gap:g]], the width outweighs the difference after about $10^{[[power:.0f]]}$ rounds. The theorem itself is not contradicted, because its second term is larger.
""",
    n | exercises.outweighed() | {"since": arms.round_numbers(arms.arm_rounds(n.high, 1000)).since},
    true_if={
        "the theorem is informative at the long horizon only": bounds[0][0] > bounds[0][1]
        and bounds[1][0] < bounds[1][1],
        "it becomes so between them": 200 < n.first < 20_000,
        "there is a jump to the largest possible": n.jumps and n.large > 0.99 * n.worst and n.small < 0.01 * n.worst,
        "the proof's value is larger": n.proof > n.large,
    },
)

# %% tags=["remove-input"]
stuck = picture.freeze(seed=0, runs=40, picture_rounds=1000)
n = picture.freeze_numbers(stuck)
show(
    picture.frozen_choices(stuck),
    "Where two rules play on our example ([[points]] points, length-scale [[lengthscale:g]], noise [[noise:g]]) under one large budget, u = [[u:g]] or ε = [[budget:.2f]] nats, from the same two points. A rejection changes nothing that EI looks at, so its first rejection is its last decision. "
    "Under UCB the width grows, and another point may overtake.",
    n,
    alt="Two panels of the place played against the round, on a logarithmic axis. UCB settles at the maximiser, is rejected there for hundreds of rounds, and then jumps to [[ucb_end:g]], far away, where it is "
    "rejected as well. Expected improvement is rejected in its second round at [[ei_end:g]], beside the maximiser, and plays it to the end.",
    true_if={"UCB ends elsewhere": n.ucb_last > 1, "EI ends beside the maximiser": 0.1 < n.ei_last < 0.3},
)

# %% tags=["remove-input"]
say(
    r"""
On our example the same can be seen with a budget that is too large. EI freezes where it happens to be. UCB moves on, but not to a better place: in the end it plays the point about which it knows least, and is not allowed to look. In the run shown EI loses much less than UCB, which is luck: at this budget the last round loses more than [[bad]] in [[ucb_bad]] of [[runs]] runs under UCB, and in [[ei_bad]] under EI.
""",
    n,
    true_if={
        "in the run shown EI loses much less": n.ei_last < 0.1 * n.ucb_last,
        "EI never moves, UCB mostly does": n.ei_moves == 0 and n.ucb_moves > n.runs / 2,
        "both end badly in many runs": min(n.ucb_bad, n.ei_bad) > n.runs / 4,
    },
)

# %% [markdown]
# (ch2-decides)=
# ## The experiment that decides
#
# What does a point of the dictionary buy? The paper stands or falls by this question. We ran compressed UCB on its example function, $\sin x+\cos x+x/10$, with budgets from tiny to
# absurd. Where on this curve would you want to be?

# %% tags=["remove-input"]
evidence = stored_runs.load_paper_results()
n = tradeoff.frontier_numbers(evidence) | tradeoff.example_place()
show(
    tradeoff.frontier(evidence),
    "What a point buys: average regret and model order after [[rounds]] rounds, one mark a rule, means (bars: smallest and largest) of [[seeds]] seeds. The paper's example: [[points]] points, length-scale [[lengthscale:g]], noise variance [[noise:g]]. "
    "With α = 1 nothing is rejected, so it stands at the dense mark.",
    n,
    alt="Average regret against model order after [[rounds]] rounds, both logarithmic. The regret falls with the number of points, "
    "with a step upwards among the fixed budgets, and is level beyond about a tenth of the dense method's points. "
    "The bar of the smallest dictionary reaches from the dense regret to [[largest:.2g]].",
    true_if={
        "there is a step upwards among the fixed budgets": n.steps_up > 0,
        "beyond a tenth of the dense method's points the regret is level": n.level < 0.1,
    },
)

# %% tags=["remove-input"]
say(
    r"""
**The idea works.** At $\alpha=\frac34$ the dictionary holds [[part:.0%]] of the points, and the regret is about that of the dense method. Memory is saved at no cost in regret.

**With too few points the outcome depends on the seed.** At the largest budgets one run loses many times the dense regret, and another no more than it. More memory is not even always better: it also matters which point UCB happens to play while it is being rejected.
""",
    n,
    true_if={
        "the smallest dictionary with the dense regret, up to a tenth, is that at 3/4": n.rule == "α = 0.75"
        and n.part < 0.2,
        "in some runs of the smallest the regret is far above the dense one": n.far > 0,
        "its mean regret is far above its median": n.mean > 5 * n.median,
        "more points have more regret in nearly all runs": tradeoff.worse_share(evidence, "u=1", "u=0.1") >= 0.9,
    },
)

# %% tags=["remove-input"]
n = stored_runs.claim_numbers(evidence)
first = findings.rejection_numbers()
say(
    r"""
**The paper's figures come from another rule.** With the printed constants, $\epsilon=10^{-4}$ and $\sigma^2=10^{-3}$, the first [[needed]] points are all kept. At the horizons of the paper's figures that is the dense method. We tried {ref}`four ways to read the rule <ch2-readings>`. The one that compares $\sigma_{t-1}^2(x_t)$ with $u$ instead of $\sigma^2u$ comes nearest to the printed figures, and none gives all of them.
""",
    n | first,
    true_if={
        "the printed rule is the dense method": n.same and stored_runs.printed_is_dense(evidence),
        "no reading has all claims of a figure": not n.whole,
        "the nearest is unit": n.nearest == "unit" and n.held > n.others,
    },
)

# %% [markdown]
# ## Summary
#
# *Does the method work?* Yes, with UCB and a budget that falls with the horizon: a small part of the points gives the regret of keeping all. With a fixed or large budget it may be stuck for ever.

# %% tags=["remove-input"]
f = regret.first_informative(noise_variance=0.1, alpha=0.5)
say(
    r"""
*When is the bound informative?* On our instance, for UCB, after about [[first:d]] rounds; but up to about [[beats:d]] rounds it is above what choosing at random costs, and informative in name only. The first line of its proof is informative after several hundred. For EI the proof fails, and in extreme cases the printed bound is false.
""",
    f,
)

# %% [markdown]
# *Can the figures be reproduced?* Not with the printed rule, which rejects nothing there. The shape of the trade-off can.
#
# *The four claims:* of the first the finiteness holds; {ref}`the rate <ch2-no-rule>` holds up to logarithms for the squared exponential kernel in one dimension, not for rough ones. The second holds under UCB; under EI {ref}`the proof fails <ch2-expected-improvement>`. The third {ref}`does not hold <ch2-fixed-budget>`. The fourth holds with $u=T^{-3/4}$, {ref}`not with the printed budget <ch2-readings>`.
#
# Five things to keep in mind:
#
# 1. What an observation would teach is known before it is made.
# 2. A kept round pays with information; a rejected one would have paid at most $\epsilon$. That is the whole proof.
# 3. Noise is averaged out point by point, so the dictionary is no covering: it stores points many times.
# 4. The bound is loose because of what it shares with GP-UCB, not because of compression.
# 5. A rule that changes nothing when it is rejected has stopped learning.
#
# What we found wrong or missing in the paper, with the checks behind it, is in {ref}`Where we differ <ch2-where-we-differ>`.
#
# ### Related work
#
# BKB {cite}`calandriello2019gaussian` keeps all data and samples a small basis; the paper and {ref}`our record <ch2-experiments-again>` compare with it. The width that makes the bound loose has become shorter since: {cite:t}`whitehouse2023sublinear` show how to
# regularise so that the regret of GP-UCB is sublinear for rough kernels, too, and {cite:t}`flynn2024tighter` tighten the confidence bounds themselves. Neither asks which points to keep, and both would shrink the largest step of our staircase.

# %% [markdown]
# ## Exercises
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
Then the standard deviation of $f$ is [[share:.2g]] of the noise's, and nothing can be learned.
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
    import numpy as np

    def gain(points, covariance, noise_variance):
        """Information of observations at these points: half the log-determinant of I + K / noise variance."""
        block = covariance[np.ix_(points, points)] / noise_variance
        return 0.5 * np.linalg.slogdet(np.eye(len(points)) + block)[1]

    for seed in range(20):
        generator = np.random.default_rng(seed)
        factor = generator.standard_normal((6, 4))
        covariance, noise_variance, budget = factor @ factor.T, generator.uniform(0.1, 1.0), generator.uniform(0.2, 0.8)
        choices = generator.integers(6, size=25).tolist()
        stored, expected = [], []
        for point in choices:
            brings = gain([*stored, point], covariance, noise_variance) - gain(stored, covariance, noise_variance)
            expected.append(bool(brings > budget))
            stored += [point] if brings > budget else []
        found = [bool(keeps) for keeps in function(covariance, choices, noise_variance, budget)]
        assert len(found) == len(choices), f"seed {seed}: {len(found)} results for {len(choices)} rounds"
        wrong = [t for t, (ours, right) in enumerate(zip(found, expected, strict=True), 1) if ours != right]
        assert not wrong, (
            f"seed {seed}: the first wrong round is {wrong[0]}, where the right answer is {expected[wrong[0] - 1]}"
        )
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
# Change the ten lines of the lesson into `play(covariance, values, noise_variance, threshold, widths)`: compressed UCB on $N$ arms with prior mean zero. The arguments are the $(N,N)$ prior
# covariance, the $N$ values of the arms, $\sigma^2$, the threshold of the variance, and the widths $\sqrt{\beta_t}$, one a round. What is observed is the value
# of the arm, without noise. The result is the list of the arms played, the first arm being number zero, and the lowest number on ties. Then play three arms with values $(-\frac15,1,-1)$, unit prior variances, a covariance of $\frac12$ between the first and the third and none otherwise, and $\sigma^2=1$, with the widths $\sqrt{\beta_t}$ of the lesson for three arms and thresholds on both sides of $\frac78$: what changes, and from which round on do you see it?
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
    import numpy as np

    cases = [([[1, 0, 0.5], [0, 1, 0], [0.5, 0, 1]], [-0.2, 1, -1], 1.0, threshold) for threshold in (0.87, 0.88)]
    for seed in range(20):
        generator = np.random.default_rng(seed)
        factor, values = generator.standard_normal((5, 5)), generator.standard_normal(5)
        cases.append(
            (factor @ factor.T + 0.1 * np.eye(5), values, generator.uniform(0.1, 1), generator.uniform(0.1, 1))
        )
    widths = np.sqrt(2 * np.log(5 * np.arange(1, 61) ** 2))
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
        found = list(function(np.array(covariance, float), np.array(values, float), noise_variance, threshold, widths))
        assert len(found) == len(expected), f"case {number}: {len(found)} arms for {len(expected)} rounds"
        wrong = [t for t, (ours, right) in enumerate(zip(found, expected, strict=True), 1) if ours != right]
        assert not wrong, (
            f"case {number}: round {wrong[0]} plays arm {found[wrong[0] - 1]}, not {expected[wrong[0] - 1]}"
        )
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

Each of the three arms is played once in the first three rounds, whatever the threshold. In the third round the third arm, the worst, has variance $\frac78$. With a smaller threshold it is kept, and the second arm, the best, is played from the fourth round on. With a larger threshold it is rejected, nothing changes, and it is played from the third round on, for ever. So the third round decides, and the fourth entry of the list shows it: the lists begin with [[below]] and with [[above]] (thresholds [[low:g]] and [[high:g]]).
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
# Choose the budget so that the first arm is rejected after a few looks.
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
# ```{exercise} Where Table 4 saves
# :label: ch2-ex-clock
#
# *Level 1 of 3, about 20 minutes.*
#
# From the printed times of Table 4, shown below: what share of the uncompressed time does the compressed method need under
# each acquisition, and is it what the text of Section 4.3 gives? Then take `data/results/compressed/timings.csv`, the
# rows with `problem` logistic-mnist and `posterior` refit: `seconds` is the time of linear algebra, `objective_seconds` that
# of the trainings which were evaluated. Of the mean time that `variant` info-horizon saves against `dense`, under each
# acquisition, how much is trainings that were skipped?
# ```

# %% tags=["remove-input"]
show(
    printed_settings.printed_times(evidence),
    "Table 4 of the paper as printed: clock time in hours.",
)

# %% tags=["remove-input"]
n = exercises.clock(evidence)
say(
    r"""
```{solution} ch2-ex-clock
:class: dropdown

The printed ratios of [[names]] are [[printed:.1%]]. None rounds to the [[said:.0%]] that the text gives; that of [[nearest]] is [[said:.0%]] only if it is cut off.

Nearly all of the time that the reading info-horizon saves is skipped trainings, at least [[saved:.1%]] under every acquisition. The rest is linear algebra, even with the posterior computed anew every round.
A compressed round that is rejected evaluates nothing, so Table 4 measures how many trainings are not done, not what a smaller model saves.
```
""",
    n,
    true_if={
        "no printed ratio rounds to what the text gives, one is cut off to it": all(
            round(ratio, 2) != n.said for ratio in n.printed
        )
        and int(100 * n.least) == round(100 * n.said),
        "nearly all of the saved time is skipped trainings": n.saved > 0.95,
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
    import numpy as np

    def average(covariance, noise_variance, points):
        """Average variance if each of N candidates had points/N observations, where the bound is attained."""
        precision = np.linalg.inv(covariance) + points / (len(covariance) * noise_variance) * np.eye(len(covariance))
        return np.trace(np.linalg.inv(precision)) / len(covariance)

    for seed in range(10):
        generator = np.random.default_rng(seed)
        size = int(generator.integers(8, 40))
        steps = np.minimum(np.arange(size), size - np.arange(size))
        row = np.exp(-steps / (size * generator.uniform(0.1, 0.5)))
        covariance = np.array([np.roll(row, k) for k in range(size)])
        noise_variance, threshold = generator.uniform(0.05, 0.5), generator.uniform(0.02, 0.4)
        found = function(np.linalg.eigvalsh(covariance), noise_variance, threshold)
        assert found == int(found) >= 0, f"seed {seed}: {found} is no number of points"
        enough = average(covariance, noise_variance, found) <= threshold * (1 + 1e-9)
        assert enough, f"seed {seed}: {found} points are too few for the bound"
        needed = found == 0 or average(covariance, noise_variance, found - 1) > threshold * (1 - 1e-9)
        assert needed, f"seed {seed}: {found} is not the smallest number"
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
# *Level 2 of 3, about 25 minutes.*
#
# With the package installed, run the chapter with another noise variance, `companion run compressed -p noise_variance=2`, and read its table of
# constants. (a) Under EI the printed bound, inequality (3.6), was smaller than line (9.27), the end of its proof. Is this
# still so, and up to which noise variance? (b) Predict the row $\lceil1/u-\sigma^2\rceil$ from $T$, $\alpha$ and $\sigma^2$ with
# the exercise “The first rejection”, and check it.
# From which noise variance on may the first point be rejected? What becomes of the model order and the regret then?
# ```

# %% tags=["remove-input"]
n = exercises.noise(seed, horizon, noise_variance, alpha)
say(
    r"""
```{solution} ch2-ex-noise
:class: dropdown

(a) Equation (3.6) is line (9.27) over $\sqrt{\log(1+\sigma^{-2})}$: [[here:.3f]] times as large at this run's $\sigma^2=[[noise:g]]$, and [[loud:.3f]] times at $\sigma^2=[[variance:g]]$.
It turns where $\log(1+\sigma^{-2})=1$, at $\sigma^2=1/(e-1)=[[turn:.3f]]$. Above this the printed bound is weaker than the last line of its proof.

(b) With $1/u=T^\alpha=[[most:.2f]]$ the row is $\max(0,\lceil T^\alpha-\sigma^2\rceil)$: [[least]] at this run's $\sigma^2$, and [[fewer]] at $\sigma^2=[[variance:g]]$.
At the latter the model order is [[order:.0f]] and the regret [[regret:.0f]], on average over [[runs]] functions.

The first point may be rejected from $\sigma^2=T^\alpha$ on: then the threshold $\sigma^2u$ is the prior variance or more, and nothing is ever observed.
The model order is zero, and every round has the regret of the first candidate, together [[cost:.0f]] on average.
```
""",
    n,
    true_if={"nothing is ever observed with so much noise": n.empty == 0},
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
# After $n$ looks an arm of prior variance $a$ has variance $\sigma^2/(n+\sigma^2/a)$. When is either arm rejected?
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

Arm 2 has variance $\sigma^2/(n+\frac15)$ after $n$ looks, which exceeds the threshold $\sigma^2/(k+\frac15)$ for $n<k$: it stops after $k$ looks, with the threshold itself. Arm 1 has $\sigma^2/(n+\frac1{10})$. It is kept at $n=k$ once more, and stops with $\sigma^2/(k+1+\frac1{10})$. So arm 2 keeps the larger standard deviation. From then on nothing changes but the width, which grows without limit, and in the end it outweighs every difference of the means: arm 2 is played, and rejected, for ever. The average regret tends to $\Delta$. As $k$ grows $\epsilon$ tends to zero, and $\Delta$ stays.

The end is far away. For $k=[[looks]]$ the standard deviations differ by [[apart:.4f]], so $D=[[gap:g]]$ needs $\sqrt{\beta_t}=[[needed_width:.1f]]$, and $2\log t=\frac12\beta_t-\log(2\pi^2/(6\delta))$ gives $\log_{10}t=[[power:.0f]]$. For $D=1$ it is [[wide:.0f]]. So the refutation concerns the limit $T\to\infty$ of which the paper speaks; at budgets as small as this no run will ever see it. Large budgets show it at once, as the three arms do.
```
""",
    n,
    true_if={"after more rounds than anybody plays": n.power > 30},
)

# %% [markdown]
# ```{exercise} Predict: a larger budget
# :label: ch2-ex-predict-budget
#
# *Level 1 of 3, about 5 minutes.*
#
# In the picture of our run the budget is a dashed line. Move it up, to one nat, in your mind. How many points are kept, and where will the choices of the last rounds be?
# Then drag it in the figure.
# ```
#
# ```{solution} ch2-ex-predict-budget
# :class: dropdown
#
# Only the first rounds teach more than one nat, so only they are kept. The model then hardly knows the peak, the confidence bounds stay wide, and the choice follows the width: it moves
# from place to place, is rejected everywhere, and may end where the model knows least.
# ```

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

Neither changes much. A point is kept while its variance exceeds $\sigma^2u$, and $n$ looks at one point leave about $\sigma^2/n$: so a place, with its near neighbours, is looked at some $1/u$ times, whatever the noise. With so much more noise our run keeps [[loud]] points instead of [[quiet]]; the wider posterior only spreads the choices differently. What does change is how good the model is in the end.
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
# In the staircase, which bars would a *dense* run have, too? Cross out the others. What remains of the bound?
# ```

# %% tags=["remove-input"]
n = regret.chain_numbers(measured)
n = n | Numbers(n, compression=n.kernel_added / n.kernel_gain, without=n.kernel_before * n.kernel_gain)
say(
    r"""
```{solution} ch2-ex-predict-price
:class: dropdown

A dense run has optimism, Cauchy–Schwarz and information. It has the step to the largest gain, too. The other steps from the budget on belong to compression, together a factor of [[compression:.2f]] on this instance. Without them the bound is GP-UCB's, and still [[without:.0f]] times the measured regret.
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
