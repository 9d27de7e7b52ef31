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
# # WDRBO: contexts from a distribution that is known only roughly
#
# *Micheli, Balta, Tsiamis and Lygeros, "Wasserstein Distributionally Robust Bayesian Optimization with Continuous
# Context"* {cite}`micheli_wdrbo`
#
# A seller orders before the demand is known; an investor chooses a portfolio before the market moves. The decision is
# theirs, the *context* is not, and of its distribution they have a few past values or somebody's forecast. This chapter
# takes one remedy apart: prepare for the worst distribution within a Wasserstein ball around what is known. The method
# puts a penalty in place of that worst case. What does the penalty charge? What are the regret bounds worth with every
# constant in place? How large must the ball be, and when does the caution pay?
#
# To run this page as a notebook, clone the companion's repository; `make book` (or `pip install -e .`) sets up all it needs.
# `companion run wdrbo -p name=value` runs it at other parameters.

# %% tags=["remove-input"]
from companion.papers.wdrbo import parameters
from companion.papers.wdrbo.figures import experiments, theory
from companion.papers.wdrbo.figures import questions as question_figures
from companion.papers.wdrbo.studies import (
    bound,
    constants,
    example,
    exercises,
    findings,
    live,
    paper,
    picture,
    robustness,
)
from companion.papers.wdrbo.studies import radius as radius_studies
from companion.report import Numbers, here, say, show
from companion.report import evidence as stored_evidence
from companion.report.chapter import check_parameters, run_record

evidence = paper.load_paper_results()

# %% [markdown]
# ## The claim
#
# **The setting.** You know GP-UCB. Now the reward $f(x,c)$ depends on a decision $x$ and on a context $c$, which is
# revealed only after $x$ has been chosen; $c_t$ is drawn from a law $\mathcal P^*_t$. A regression on pairs $(x,c)$ with
# regulariser $\lambda$ gives a mean $\mu_{t-1}$ and a standard deviation, and $\sigma_{t-1}$ is the latter divided by
# $\sqrt\lambda$. The upper confidence bound is $\mathrm{UCB}_t=\mu_{t-1}+\beta_t\sigma_{t-1}$; its second term is the *width* of
# the confidence band. The regret of a round compares expectations under the true law:
#
# $$r_t=\max_x\E_{c\sim\mathcal P^*_t}f(x,c)-\E_{c\sim\mathcal P^*_t}f(x_t,c),\qquad R_T=\sum_{t\le T}r_t.$$
#
# The learner does not know $\mathcal P^*_t$. It has a centre $\hat{\mathcal P}_t$ and a radius $\varepsilon_t$: in the
# *general* setting both are given, in the *data-driven* setting the centre is the sample of contexts seen so far.
#
# **The method.** The robust choice would be the best $x$ for the worst law within Wasserstein distance $\varepsilon_t$ of the
# centre. WDRBO replaces that worst case by a penalty,
#
# $$x_t\in\argmax_x\;\E_{c\sim\hat{\mathcal P}_t}\mathrm{UCB}_t(x,c)-\varepsilon_tL_t(x),$$
#
# where $L_t(x)$ is the Lipschitz constant of $\mathrm{UCB}_t(x,\cdot)$ in the context. With $\varepsilon_t=0$ this is ERBO:
# maximise the average over the sample.
#
# ### The algorithm in code
#
# In every round the package fits the regression to all pairs and maximises this function of the decision: the mean of UCB
# over the centre's contexts minus radius times Lipschitz constant.
#
# ```{literalinclude} ../src/companion/papers/wdrbo/method/acquisitions.py
# :pyobject: PenalisedAcquisition.__call__
# ```
#
# The Lipschitz constant $L_t(x)$ is the length of the steepest context gradient of UCB over a grid of contexts (`nodes`):
#
# ```{literalinclude} ../src/companion/papers/wdrbo/method/acquisitions.py
# :pyobject: PenalisedAcquisition._lipschitz
# ```
#
# ### A run to copy
#
# Fifty rounds of ERBO and of WDRBO on the paper's first example, with the same contexts for both:

# %%
import numpy as np

from companion.papers.wdrbo.method.loop import conditions
from companion.papers.wdrbo.method.methods import Settings
from companion.papers.wdrbo.method.policy import AcquisitionPolicy
from companion.papers.wdrbo.problems.catalogue import general

problem = general()  # Figure 1: the learner is told N(0.5, 0.1), contexts follow N(0.6, 0.2)
told = problem.reference.quantile_nodes(50)  # centre of the ball: 50 equally likely contexts
box = problem.low, problem.high, problem.context_low, problem.context_high
settings = Settings(width=1.5, radius=0.1, fixed_radius=True)
shared = conditions(problem, seed=0, horizon=50)  # five decisions to start from, and all contexts
for method in ("erbo", "wdrbo"):
    # The function makes a generator for every use and round; these two methods draw nothing here.
    policy = AcquisitionPolicy(method, *box, lambda name, t: np.random.default_rng(t), settings, centre=told)
    lost = []
    for t, c in enumerate(shared.contexts):
        x = shared.design[t] if t < 5 else policy.ask()
        policy.tell(x, c, problem.evaluate(x[None], c[None])[0])  # c is revealed after x
        lost.append(problem.regret(x[None])[0])  # expected under the true law
    print(f"{method:5s} regret {sum(lost[5:]):.2f}")

# %% tags=["remove-input"]
n = example.half_way_numbers(evidence)
say(
    r"""
These are the first halves of our stored runs with seed 0. WDRBO has less regret here, but one seed proves little: after [[rounds]] rounds that is so for [[better]] of the [[seeds]] seeds that we ran, and not for seed 1.
""",
    n,
    true_if={
        "the run above is the stored one": abs(sum(lost[5:]) - n.wdrbo[0]) < 0.01 * n.wdrbo[0],
        "WDRBO has less regret with seed 0 and more with seed 1": n.wdrbo[0] < n.erbo[0] and n.wdrbo[1] > n.erbo[1],
        "WDRBO has less regret with most seeds": n.better > n.seeds / 2,
    },
)

# %% [markdown]
# ### What the paper claims
#
#
# 1. If the ball holds the true law, $r_t$ is at most two widths plus $2\varepsilon_tL_t(x^*_t)$, where $x^*_t$ is the best
#    decision under the true law; summed up, the regret is of order $\sqrt T\gamma_T+\sqrt{\gamma_T}\sum_t\varepsilon_t$, with
#    $\gamma_T$ the maximal information gain.
# 2. In the data-driven setting a radius given by a formula is enough. For the squared exponential kernel that radius is, up to
#    logarithms, of order $t^{-1/2}$ in every dimension of the context, and the regret of order $\sqrt T$ (Corollary 10).
# 3. Where the law shifts, WDRBO beats ERBO. Where it does not, WDRBO, ERBO and an average over a density estimate
#    (SBO-KDE) do “extremely” well for their cost. A robust method with a density estimate is not worth its cost, and three
#    other robust methods are not competitive.
# 4. Robustness costs WDRBO little computing time, and the other robust methods much.
#
# ### What we found
#
# The evidence is below. The text and the authors' published code describe different experiments; we ran
# both, as the *text's* and the *code's reading*, the second with few seeds.

# %% tags=["hide-input"]
n = findings.finding_numbers(evidence)
say(
    r"""
1. **The one-round bound holds as printed**, and the factor of two before its radius is needed.
2. **The cumulative bound is false for regularisers below [[below:.4f]].** A repaired form holds for all, yet exceeds the trivial bound on our instance.
3. **Lemma 7's radius is too large to use**: after [[n]] contexts it is at least [[least:.2f]] times the diameter of the set of contexts, on our instance.
4. **As the paper says**, WDRBO beats ERBO where the told law is wrong (Figure 1), and DRBO-MMD, its minmax form and StableOpt come last.
5. **Without a shift robustness costs**: in the text's reading WDRBO has more regret than ERBO on [[worse]] of [[problems]] problems; in the code's that stays open.
""",
    n,
    true_if={
        "both of the repaired bounds exceed the trivial one": n.empty,
        "the formula's radius is at least the diameter": n.least >= 1,
        "in Figure 1 WDRBO has less regret than ERBO": n.beats,
        "three methods are last in both readings": n.last,
        "without a shift WDRBO is nowhere better, and worse on most problems": n.better == 0
        and n.worse > n.problems / 2,
        "in the code's reading at most one problem is decided": n.code_decided <= 1,
        "the one-round bound holds in the ledger": n.one_round,
    },
)

# %% [markdown]
# ## Parameters
#
# The studies made here run from these numbers. What comes from `make paper` is loaded and does not change with them, nor
# does what follows from a formula alone. `companion run wdrbo -p radius=0.2` reruns the chapter at yours;
# `companion run wdrbo --profile paper` at the scale at which its conclusions are meant.

# %% tags=["parameters"]
seed = 0  # first seed of every study, non-negative integer
radius = 0.1  # ball's radius in the general setting, units of c
regulariser = 1.0  # regulariser lambda of the learner, squared units of f
noise = 0.1  # noise R of the observations, units of f
runs = 100  # functions behind every mean of the theory studies, count
rounds = 60  # rounds T where the proofs are taken apart, count
arms = 50  # rounds on arms that have nothing in common, count
live_runs = 2  # runs of each method made now on two problems, count
live_rounds = 10  # rounds of these runs, count

# %% tags=["remove-input"]
check_parameters(parameters.CHAPTER, globals())

# %% [markdown]
# ## The bound, step by step
#
# ### A ball, and a penalty in its place
#
# Two laws are within Wasserstein distance $\varepsilon$ if one can be made from the other by moving mass over a distance of
# $\varepsilon$ on average. A function that changes by at most $L$ per unit of context then changes its mean by at most
# $\varepsilon L$:
#
# ```{prf:lemma} Micheli et al., Lemma 2: means over a ball
# :label: ch5-lemma-2
# :nonumber:
#
# If $|g(c)-g(c')|\le L\norm{c-c'}$ for all contexts, then for every law $\mathcal Q$ within distance $\varepsilon$ of
# $\hat{\mathcal P}$, $\;|\E_{\mathcal Q}g-\E_{\hat{\mathcal P}}g|\le\varepsilon L$.
# ```
#
# The left side has an exact value for a finite set of contexts (a small transport problem); the right side is what the
# method charges. The second is never smaller; how much larger it is depends on the decision.

# %% tags=["hide-input"]
ball = picture.ball_picture(seed, radius)
n = picture.picture_numbers(ball)
show(
    theory.ball(ball),
    "What a Wasserstein ball does. Left: the worst law moves the told masses downhill, by no more than the radius on average (drawn for radius [[radius:g]]). "
    "Right: worst mean over the ball (solid), and the paper's stand-in for it, mean minus radius times Lipschitz constant (dotted), a straight line below it. "
    "Where the lines of the two decisions cross, the robust choice turns from the decision that is better on average to the one that depends less on the context.",
    n,
    alt="Left, top: rewards of a steep and of a flat decision over the context. Left, bottom: equal masses at the seen contexts above the axis, and below it the "
    "masses of the worst law, moved towards lower rewards of the steep decision. Right: worst means falling with the radius, and below each a straight dotted "
    "line, the penalised value.",
)

# %% tags=["nbval-check-output", "hide-output", "remove-input"] mystnb={"code_prompt_show": "Show the key numbers", "code_prompt_hide": "Hide the key numbers"}
picture.show_picture(ball)

# %% tags=["remove-input"]
say(
    r"""
The penalty is never smaller than what the worst law costs, which is what the proof needs. But it charges too much, and more so for the steep decision: at radius [[radius:g]] it charges that one [[ratio:.1f]] times what the worst law costs. So the penalty can change the choice. It prefers the flat decision from radius [[early:g]] on, the exact worst case only from [[late:g]] on. At the radius drawn the two choose differently.
""",
    n,
    true_if={
        "the penalty charges at least the worst case": bool((n.paid >= n.exact - 1e-9).all()),
        "it overcharges the steep decision by more": n.paid[0] - n.exact[0] > n.paid[1] - n.exact[1],
        "the penalty turns to the flat decision first": n.early < n.late,
        "at the radius drawn the two choose differently": n.early <= n.radius < n.late,
    },
)

# %% [markdown]
# ### One round
#
# The benchmark $x^*_t$ maximises $\E_{c\sim\mathcal P^*_t}f(x,c)$. $K_t$ is the kernel matrix of the first $t$ pairs
# $z_i=(x_i,c_i)$, and $\delta\in(0,1)$ a probability of failure. What is assumed throughout: $f$ is fixed and has norm
# $\norm f_k\le B$ in the kernel's space, $k\le1$, the noise is $R$-sub-Gaussian given the past and the round's pair, $x_t$ follows
# the rule above, and features are Lipschitz: $\norm{k(\cdot,z)-k(\cdot,z')}_k\le L\norm{z-z'}$ (the paper's Assumption 1).
# $\bar B_t=\beta_t/\sqrt\lambda$ bounds the norm of the posterior mean, and with it $L_t(x)\le2\bar B_tL$.
#
# ```{prf:theorem} Micheli et al., Theorems 4 and 8: regret of one round
# :label: ch5-theorem-4
# :nonumber:
#
# Under these assumptions let
# $\beta_t=R\sqrt{\log\det(\mathbf I+\lambda^{-1}K_{t-1})+2\log\frac1\delta}+\sqrt\lambda B$. If $\mathcal P^*_t$ lies in the ball in every
# round, then with probability at least $1-\delta$, for all $t$,
#
# $$r_t\le2\beta_t\,\E_{c\sim\mathcal P^*_t}\sigma_{t-1}(x_t,c)+2\varepsilon_tL_t(x^*_t).$$
#
# For the data-driven setting, where $\mathcal P^*_t$ is the same in all rounds, the same is printed with probability at least
# $1-2\delta$ for the radius of Lemma 7, with $2\rho_t$ added, where $\rho_t=(1+2L\bar B_t)/t$ pays for a covering.
# ```
#
# The proof of the data-driven form has three gaps. The class that is covered depends on the data, the centre includes the
# context of the round itself, and a lemma about one round is used for all. They are listed [below](ch5-where-we-differ).
#
# The proof is five inequalities. (i) Within the confidence band, $f\le\mathrm{UCB}_t$ at the benchmark $x^*_t$, and
# $f\ge\mathrm{LCB}_t$ at the choice. (ii) At the benchmark, the mean moves from the true law to the centre: one radius. (iii)
# The choice maximises the penalised mean. (iv) At the choice, the mean moves back: the penalty that the rule has paid covers it,
# and what is left is a second radius *at the benchmark*. (v) UCB minus LCB is two widths. That the ball holds the true law is an
# assumption, which the paper states in its Algorithm 1 only. The factor of two before the radius is needed
# ({ref}`an exercise <ch5-ex-twice>`). Whether the one before the width is needed, we have not tried.
#
# ### All rounds
#
# ```{prf:theorem} Micheli et al., Theorems 5 and 9: regret of all rounds
# :label: ch5-theorem-5
# :nonumber:
#
# With probability at least $1-2\delta$ (data-driven: $1-3\delta$, and $2\rho_t$ added to every term of the sum),
#
# $$R_T\le4\beta_T\sqrt{T\big(\gamma_T+4\log\tfrac6\delta\big)}+E_T,\qquad E_T=\sum_{t\le T}2\varepsilon_tL_t(x^*_t),\tag{57}$$
#
# where $\gamma_T$ is the largest log determinant, without the usual factor $\tfrac12$, of $T-1$ points.
# ```
#
# This is the form of the appendix, and of Theorem 9, equation (18). In the main text, equation (15), the root is
# $\sqrt{T\gamma_T+4\log(6/\delta)}$, which the proof does not give.
#
# Again three ideas: Cauchy–Schwarz turns the sum of widths into a sum of squares; the squares at the contexts that *came up*
# stand for their expectations, up to a constant (a concentration inequality); and squares add up to a log determinant.
#
# The last two need $\sigma_{t-1}^2\le1$. But $\sigma$ is divided by $\sqrt\lambda$, so it is bounded by $\lambda^{-1/2}$, and the paper
# allows every $\lambda>0$. The theorem inherits the gap:
#
# ```{prf:theorem} Ours: Theorem 5 repaired, for every regulariser
# :label: ch5-theorem-ours
# :nonumber:
#
# With $C_\lambda=\dfrac{1/\lambda}{\log(1+1/\lambda)}$, with probability at least $1-2\delta$, for all $T$,
#
# $$R_T\le2\beta_T\sqrt{T\Big(2C_\lambda\log\det(\mathbf I+\lambda^{-1}K_T)+\tfrac{1.2551}\lambda\log\tfrac1\delta\Big)}+E_T.$$
# ```
#
# The proof uses $x\le C_\lambda\log(1+x)$ for $0\le x\le1/\lambda$ and, in place of the cited inequality,
# $\sum_t\E[S_t\mid\text{past}]\le2\sum_tS_t+1.2551\,b\log\tfrac1\delta$ for $0\le S_t\le b$.
#
# ### Printed against repaired
#
# Is the gap real? Take more arms than rounds that have nothing in common, one context, no noise, and let all of $f$ sit on
# one arm. An arm that was never tried looks as good as it can be, so the learner tries them one after the other.

# %% tags=["hide-input"]
small = constants.constant_study(arms)
n = constants.constant_numbers(small)
show(
    theory.constants(small),
    "More arms than rounds that have nothing in common, one context, no noise, and all of f on the arm tried last: every round costs one unit, whatever the regulariser. "
    "Left: the printed bounds shrink with the regulariser and fall below the regret. Right: bound over regret; below the line at one a bound is false. "
    "The three curves of the repaired bound coincide.",
    n,
    alt="Left: for regularisers from one down, the regret is constant, the repaired bound lies above it, and both printed bounds fall below it. "
    "Right: bound over regret against the rounds for [[curves]] regularisers; the repaired one stays above one.",
    true_if={
        "both printed bounds fall below the regret": n.all_below,
        "the repaired one stays above it": n.exceeded == 0,
    },
)

# %% tags=["nbval-check-output", "hide-output", "remove-input"] mystnb={"code_prompt_show": "Show the key numbers", "code_prompt_hide": "Hide the key numbers"}
constants.show_constants(small)

# %% tags=["remove-input"]
say(
    r"""
**The printed bound is false for small regularisers.** In [[rounds]] rounds the regret exceeds both printed forms at every regulariser tried from $\lambda=[[below:g]]$ down. At $\lambda=[[lam:g]]$ the regret is [[regret:.0f]], and the appendix allows [[promised:.1f]]. As $T$ grows, the printed bounds are exceeded on such arms for every $\lambda<[[violated:.4f]]$. From $\lambda=[[proved:.3f]]$ on the appendix's form is proved; in between nobody has shown either. What the main text prints has no proof.

**The repaired bound holds throughout**, at [[low:.1f]] to [[high:.1f]] times the regret. Where the printed bound is proved too, the repaired one need not be weaker: at $\lambda=1$ it is [[least:.0%]] of the appendix's form after [[first]] rounds, and [[most:.0%]] after [[last]].
""",
    n,
    true_if={
        "both printed forms are exceeded from one regulariser down": n.all_below,
        "the repaired bound is never exceeded": n.exceeded == 0,
        "at one the repaired bound is the smaller": n.least < n.most < 1,
    },
)

# %% [markdown]
# Small regularisers are not exotic: $\lambda$ is the noise variance that the regression assumes, and the published
# experiments add no noise.
#
# ### The bound on your own numbers
#
# Theorem 5 for $T$ rounds with a fixed radius $\varepsilon$, where `log_det` stands for $\gamma_T$ and for $\log\det(\mathbf I+\lambda^{-1}K_T)$,
# and `L_t` for the Lipschitz constant of UCB at the benchmark:

# %%
from companion.papers.wdrbo.theory import bounds

T, log_det, R, B, lam, delta, epsilon, L_t = 60, 20.0, 0.1, 1.0, 1.0, 0.1, 0.1, 1.5
beta, E_T = bounds.width(log_det, R, B, lam, delta), T * 2 * epsilon * L_t
for form in ("appendix", "ours"):  # equation (57) as printed, and repaired
    print(f"{form:8s} {bounds.cumulative(beta, T, log_det, lam, delta, E_T, form):.0f}, trivial bound {2 * B * T:.0f}")

# %% tags=["remove-input"]
own = {name: float(bounds.cumulative(beta, T, log_det, lam, delta, E_T, name)) for name in ("appendix", "ours")}
say(
    r"""
No round costs more than $2B$, so $2BT$ bounds every regret. Both forms of Theorem 5 lie above it here, and so say nothing. With $T=600$ and the same numbers both lie below it; but the log determinant grows with $T$.
""",
    Numbers(here(bounds.cumulative)),
    true_if={
        "both forms exceed the trivial bound": min(own.values()) > 2 * B * T,
        "at ten times as many rounds both fall below it": max(
            float(bounds.cumulative(beta, 10 * T, log_det, lam, delta, 10 * E_T, name)) for name in own
        )
        < 2 * B * 10 * T,
    },
)

# %% [markdown]
# ## Bound against measurement
#
# (ch5-regret-and-bounds)=
# ### Regret and bounds
#
# Decisions and contexts form a grid, so everything that the theory speaks of is computed exactly: posterior, Lipschitz
# constants, worst laws (by transport) and expectations. $\gamma$ is the *upper* end of a two-sided certificate (see
# {ref}`certified-gain`).

# %% tags=["hide-input"]
measured = bound.bound_study(seed, runs, rounds, radius, regulariser, noise)
n = bound.bound_numbers(measured)
show(
    theory.bound(measured),
    "Measured cumulative expected regret of Algorithm 1 (mean of [[runs]] runs with a 95 % interval, and the largest) below the bounds with all their constants. "
    "The maximal information gain enters by the upper end of its certificate; widths and Lipschitz constants are those of the runs, as in the theorems. "
    "Left: the true law is the worst in the ball for the chosen decision. Right: contexts from one law, the radius of Lemma 7 with the covering number set to one.",
    n,
    alt="Two panels, cumulative regret against rounds on a logarithmic axis. From below: mean regret, the largest run, the trivial bound, the repaired and the printed bound. "
    "After [[rounds]] rounds the repaired bound is [[times_general:.0f]] times the mean regret in the general setting and [[times_data:.0f]] times in the data-driven one.",
    true_if={
        "no run exceeds the repaired bound": n.above == 0,
        "the repaired bound never lies below the trivial one": n.empty,
    },
)

# %% tags=["nbval-check-output", "hide-output", "remove-input"] mystnb={"code_prompt_show": "Show the key numbers", "code_prompt_hide": "Hide the key numbers"}
bound.show_bound(measured)

# %% tags=["remove-input"]
say(
    r"""
**The repaired bound holds, and says nothing here.** None of the [[runs]] runs exceeds it in either setting. But it is [[times_general:.0f]] times the mean regret in the general setting and [[times_data:.0f]] times in the data-driven one. At every number of rounds shown it lies above the trivial bound $2BT$, which every rule meets.

Two things are not to blame. The information gain is certified within [[bracket:.1%]]. The Lipschitz constants are those of the runs; Lemma 3 would allow [[lemma_3_general:.1f]] times as much in the general setting and [[lemma_3_data:.1f]] times in the data-driven one. In the data-driven setting the bound is even too kind: its radius is that of Lemma 7 with the covering number set to one, less than the theorem asks for. What the paper's own formula gives follows [below](ch5-radius-from-data).
""",
    n,
    true_if={
        "no run exceeds the repaired bound": n.above == 0,
        "the repaired bound never lies below the trivial one": n.empty,
    },
)

# %% tags=["remove-input"]
show(
    theory.bound_table(measured),
    "Regret and bounds after [[rounds]] rounds. The Lipschitz constants are means over rounds and runs: that of the acquisition function at the benchmark, and what Lemma 3 allows for it.",
    n,
)

# %% [markdown]
# ### The proofs taken apart

# %% tags=["remove-input"]
n = bound.chain_numbers(measured)
show(
    theory.waterfall(measured),
    "The proofs of Theorems 5 and 9 as chains over [[rounds]] rounds, average of [[runs]] runs: each bar starts where the previous one ends, and its label says how much the inequality gives away. "
    "The last three steps have the companion's constants. The vertical lines mark the trivial bound and where the chain ends with the printed constants.",
    n,
    alt="Waterfall charts on a logarithmic axis, from the measured regret to the repaired bound. The last bar ends at [[slack_general:.0f]] times the first in the general setting and at [[slack_data:.0f]] times in the data-driven one.",
)

# %% tags=["nbval-check-output", "hide-output", "remove-input"] mystnb={"code_prompt_show": "Show the key numbers", "code_prompt_hide": "Hide the key numbers"}
bound.show_chain(measured)

# %% tags=["remove-input"]
say(
    r"""
**Most is lost at the first step.** The confidence band is so wide that its two ends, put in place of the rewards, make the regret [[band_general:.0f]] times as large in the general setting and [[band_data:.0f]] times in the data-driven one. In the data-driven setting the radius, which is paid where the mean moves from one law to the other, costs a further factor of [[radius_data:.1f]]; all other steps together lose less. Every inequality holds in these runs.
""",
    n,
    true_if={
        "the first step loses most in both settings": n.largest == ["optimism", "optimism"],
        "in the data-driven setting all other steps together lose less than the radius": n.radius_data > n.rest_data,
        "every inequality holds": n.broken == 0,
    },
)

# %% tags=["remove-input", "hide-output"] mystnb={"code_prompt_show": "Show every step", "code_prompt_hide": "Hide the steps"}
show(
    theory.chain_table(measured),
    "The same numbers with the reason of each step, with the constants as printed and as repaired (the forms differ in the last three steps). The first is measured, the last promised.",
)

# %% [markdown]
# (ch5-radius-from-data)=
# ### A radius from data
#
# How large must the ball around a sample be? One could ask that it hold the true law; in several dimensions that needs a radius
# that shrinks slowly. Lemma 7 asks for less: that no *upper confidence bound* the learner may ever form changes its mean by more
# than radius times Lipschitz constant, up to $\rho_t$. After $t$ contexts in a set of diameter $D_{\mathcal C}$, with decisions
# in a set of diameter $D_{\mathcal X}$ in $d_x$ dimensions, it takes
#
# $$\varepsilon_t=D_{\mathcal C}\sqrt{\frac2t\Big(\log\tfrac1\delta+d_x\log(1+2tD_{\mathcal X})+\log\mathcal N_\infty\Big)},\tag{16}$$
#
# with $\mathcal N_\infty$ the covering number of the class of these functions, in the supremum norm and to precision $1/t$, which the
# paper bounds up to an unknown constant. For the squared exponential kernel the companion has an explicit upper bound, from
# Taylor features, and a lower one: the class contains a ball of the kernel's space, and volumes are compared. Beside the formula
# stand what would have been enough in simulation and what the experiments use.

# %% tags=["hide-input"]
sizes = radius_studies.radius_study(seed, runs, rounds, regulariser, noise)
n = radius_studies.radius_numbers(sizes)
show(
    theory.radii(sizes),
    "Left: Lemma 7's radius with an upper and with a lower bound on its covering number; what would remain were there only one function to cover; the radius of the experiments; and the smallest "
    "radius a/√n that kept Lemma 7's inequality in [[share:.0%]] of the runs under eight laws. The vertical line marks the length of the experiments. "
    "Right: mean regret of the simulated learner with each of these radii (95 % intervals), and of decisions drawn uniformly (“by lot”); the dotted line is radius zero.",
    n,
    alt="Left: five radii falling with the number of contexts on logarithmic axes, the explicit formula of Lemma 7 far above the diameter of the set of contexts and the radius in use far below it. "
    "After [[n]] contexts they are [[theory:.0f]] and [[practice:.3f]]; the formula is at least [[least:.2f]]. "
    "Right: mean regret with intervals by radius, from zero to that of the formula, and for decisions drawn uniformly.",
)

# %% tags=["nbval-check-output", "hide-output", "remove-input"] mystnb={"code_prompt_show": "Show the key numbers", "code_prompt_hide": "Hide the key numbers"}
radius_studies.show_radii(sizes)

# %% tags=["remove-input"]
say(
    r"""
**The formula gives no useful radius here.** After [[n]] contexts it asks for at least [[least:.2f]] times the diameter of the set of contexts; that is what our lower bound on the covering number gives. With the covering number that we can make explicit it is [[theory:.0f]] times, and falls below the diameter only between $10^{[[power_before:.0f]]}$ and $10^{[[power:.0f]]}$ contexts. A ball of one diameter holds every law, so it excludes nothing. (Length-scale [[lengthscale:g]], $B=1$, $\delta=[[delta:g]]$, $\lambda=[[regulariser:g]]$ and $R=[[noise:g]]$, all our choice. With a sharper tail inequality, half of the formula is enough.)

**Much less was needed.** In simulation a radius of [[needed:.3f]] was enough for the lemma's inequality in [[share:.0%]] of the runs. Even for a class of a single function, the formula asks for [[times:.0f]] times that. The experiments use [[practice:.3f]]. So on this instance the radius in use does what the lemma wants, though the lemma does not prove it.
""",
    n,
    true_if={
        "the formula is at least the diameter": n.least >= 1,
        "with the explicit covering number the radius falls below the diameter at some number tried": n.power > 0,
        "a single function asks for more than was needed": n.times > 1,
        "the experiments use more than was needed": n.practice >= n.needed,
    },
)

# %% tags=["remove-input"]
n = radius_studies.regret_numbers(sizes)
say(
    r"""
**A radius that proves the bound does not lower the regret.** No radius tried is shown to have less regret than radius zero, which is ERBO. Lemma 7's explicit radius has more: [[theory:.2f]] against [[zero:.2f]] (95 % interval of the difference [[low:.2f]] to [[high:.2f]]). With it the penalty outweighs the reward many times over, and the rule looks for the decision whose upper confidence bound is flattest in the context. Even so it is far better than decisions drawn uniformly, which would have [[lot:.1f]].
""",
    n,
    true_if={
        "no radius is shown to have less regret than radius zero": not n.better,
        "the theory's radius is shown to have more": n.low > 0,
        "a uniform draw has more than twice as much": n.lot > 2 * n.theory,
    },
)

# %% [markdown]
# ## The paper's experiments again
#
# Section 5 has one example with a told law that is not the true one, and seven data-driven problems: four test functions, a
# newsvendor, and two portfolios. All methods fit the same kind of regression, GP-UCB to decisions alone and the others to pairs,
# and have the same constant width $\beta_t$, where the theorem has one that grows. For the radius of WDRBO the text says
# $O(1/\sqrt t)$; its constant is that of the published code, and nobody says how it was chosen. The
# competitors are ERBO; GP-UCB, which ignores the context; SBO-KDE and DRBO-KDE, which average over a kernel density
# estimate, the second with a ball in total variation {cite}`huang2024stochastic`; DRBO-MMD with a ball in maximum mean discrepancy
# {cite}`kirschner2020distributionally` and its minmax approximation {cite}`tay2022efficient`; and StableOpt
# {cite}`bogunovic2018adversarially`. We add WDRBO with the exact worst case instead of the penalty.
#
# All methods at one seed share the initial decisions, the contexts and the noise, so they can be compared in pairs. Expectations and
# optima are computed with a certified accuracy. The paper's text and the authors' published code describe different experiments; we
# run both, as two *readings*. The competitors run at the settings of the code that they come from; only the radius of WDRBO is
# varied, on three problems, so nothing here says which method is best when all are tuned.

# %% tags=["remove-input"]
show(
    experiments.settings(),
    "Settings in the text's reading, and who chose them; n is the number of observed contexts, d_c their dimension. "
    "What differs in the code's reading is listed under <em>Text and code</em>; the exact form is ours and has no published code. "
    "In <code>companion trial</code> a method ignores the settings of other methods.",
)

# %% [markdown]
# ### Figure 1: a law that is not the true one
#
# The reward is $f(y,c)=1-\dfrac{|c-0.5|}{|y|+0.2}-\sqrt{|y|+0.05}$; the learner is told $N(0.5,0.1)$, and contexts follow
# $N(0.6,0.2)$. The paper does not say whether the second parameter is a standard deviation, nor whether contexts are cut off.

# %% tags=["hide-input"]
shown = example.general_example()
n = example.figure_1_numbers(evidence)
show(
    experiments.figure_1(shown, evidence),
    "Figure 1 of the paper again, in the reading taken here (standard deviations, contexts clipped to the unit interval). Right: mean of [[runs]] seeds with one standard error.",
    n,
    alt="Left: expected reward against the modulus of the decision under the told and the true law, with different maximisers. "
    "Right: cumulative regret of the robust rules and of ERBO; at the end: [[final]].",
)

# %% tags=["nbval-check-output", "hide-output", "remove-input"] mystnb={"code_prompt_show": "Show the key numbers", "code_prompt_hide": "Hide the key numbers"}
example.show_example(shown, evidence)

# %% tags=["remove-input"]
n = example.example_numbers(shown)
say(
    r"""
In the reading taken here, with standard deviations and clipped contexts, the best decision moves from $|y|=[[told:.2g]]$ under the told law to $|y|=[[true:.2g]]$ under the true one. A learner who plays the told one loses [[loss:.3f]] a round. The optimum moves in all four readings, and in some it costs much less (table).

The true law lies in the ball of radius [[radius:g]] in one reading only, and not in ours. Elsewhere Theorem 4, which supposes that it does, has nothing to say about the example.
""",
    n,
    true_if={
        "the optimum moves outward in every reading": n.moved,
        "the true law lies in the ball in one reading": n.inside == 1,
        "in the reading taken here it does not": not n.own_inside,
    },
)

# %% tags=["remove-input"]
show(
    experiments.readings(shown),
    "What the example comes to in each reading of its two laws: the best decisions, what the told one loses a round under the true law, and the Wasserstein distance beside the radius of the ball.",
)

# %% tags=["remove-input"]
n = example.figure_1_numbers(evidence)
say(
    r"""
**WDRBO has less regret than ERBO, as the paper says.** The difference is [[gap:.2f]] over the paper's [[seeds]] seeds (95 % interval [[low:.2f]] to [[high:.2f]]), and it stands over all seeds that we ran. In every reading, with every ball and in both forms of the rule, the robust rule has the smaller mean.

**Whether the regret grows linearly, as the paper says too, these rounds do not tell.** We compare rounds 81 to 100 with rounds 51 to 70. A late round costs ERBO [[erbo_ratio:.2f]] times an earlier one, WDRBO [[wdrbo_ratio:.2f]] times. Both intervals contain one, and both reach farther from it than the [[steady:.0%]] that we allow.

A late round is not cheap: it costs ERBO [[erbo_share:.0%]] of what a decision drawn uniformly costs, and WDRBO [[wdrbo_share:.0%]].
""",
    n,
    true_if={
        "that WDRBO has less regret holds with the paper's seeds and with all": n.verdicts == ["holds", "holds"],
        "the robust rule has the smaller mean in all rows of the table": n.lower == n.rows > 0,
        "that the regret grows linearly is undecided for both": n.trend == ["undecided", "undecided"],
        "both intervals contain one": n.erbo_low < 1 < n.erbo_high and n.wdrbo_low < 1 < n.wdrbo_high,
    },
)

# %% tags=["remove-input"]
show(
    experiments.figure_1_variants(evidence),
    "Figure 1's comparison in all readings: cumulative regret of the robust rule minus that of ERBO over common seeds, with the paired 95 % interval and the p-value after Holm's correction for all rows. "
    "The larger radii are those that just hold the unclipped true law.",
)

# %% [markdown]
# ### Figures 2 and 3: cumulative regret

# %% tags=["remove-input"]
n = paper.curve_numbers(evidence, 3)
say(
    "None of the [[stored]] stored runs broke down, so every mean is over all seeds of its reading.",
    n,
    true_if={"no run broke down": n.broken == 0, "every mean is over all seeds": n.complete},
)

# %% tags=["remove-input"]
n = paper.curve_numbers(evidence, 2)
show(
    experiments.curves(evidence, 2),
    "Figure 2 of the paper again, in the text's reading: cumulative expected regret, mean of [[seeds]] seeds with bands of one standard error. "
    "All methods at one seed see the same contexts, so overlapping bands do not mean that a difference is unsure; the paired intervals follow.",
    n,
    alt="A panel for each of [[problems]] problems: mean cumulative expected regret against the round, text's reading. Lowest at the end: [[lowest]].",
    true_if={"every mean is over all seeds": n.complete},
)

# %% tags=["remove-input"]
n = paper.curve_numbers(evidence, 3)
show(
    experiments.curves(evidence, 3),
    "Figure 3 of the paper again, in the text's reading: cumulative expected regret, mean of [[seeds]] seeds with bands of one standard error.",
    n,
    alt="A panel for each of [[problems]] problems: mean cumulative expected regret against the round, text's reading. Lowest at the end: [[lowest]].",
    true_if={"every mean is over all seeds": n.complete},
)

# %% tags=["remove-input"]
n = paper.curve_numbers(evidence, 3)
show(
    experiments.levels(evidence),
    "Cumulative expected regret after the last round, mean ± standard error over [[seeds]] seeds, in the text's reading. "
    "The paper prints curves only, so there is nothing to set beside these numbers.",
    n,
    true_if={"every mean is over all seeds": n.complete},
)

# %% tags=["nbval-check-output", "hide-output", "remove-input"] mystnb={"code_prompt_show": "Show the key numbers", "code_prompt_hide": "Hide the key numbers"}
paper.show_levels(evidence)

# %% [markdown]
# The same in the code's reading. There some problems are others, the Lipschitz constant is inexact, and the search does not see the
# penalty:

# %% tags=["remove-input", "hide-output"] mystnb={"code_prompt_show": "Show Figure 2 in the code's reading", "code_prompt_hide": "Hide Figure 2 in the code's reading"}
n = paper.curve_numbers(evidence, 2, "code")
show(
    experiments.curves(evidence, 2, "code"),
    "Figure 2 of the paper again, in the code's reading: cumulative expected regret, mean of [[seeds]] seeds with bands of one standard error.",
    n,
    alt="A panel for each of [[problems]] problems: mean cumulative expected regret against the round, code's reading. Lowest at the end: [[lowest]].",
    true_if={"every mean is over all seeds": n.complete},
)

# %% tags=["remove-input", "hide-output"] mystnb={"code_prompt_show": "Show Figure 3 in the code's reading", "code_prompt_hide": "Hide Figure 3 in the code's reading"}
n = paper.curve_numbers(evidence, 3, "code")
show(
    experiments.curves(evidence, 3, "code"),
    "Figure 3 of the paper again, in the code's reading: cumulative expected regret, mean of [[seeds]] seeds with bands of one standard error.",
    n,
    alt="A panel for each of [[problems]] problems: mean cumulative expected regret against the round, code's reading. Lowest at the end: [[lowest]].",
    true_if={"every mean is over all seeds": n.complete},
)

# %% tags=["remove-input", "hide-output"] mystnb={"code_prompt_show": "Show the numbers in the code's reading", "code_prompt_hide": "Hide the numbers in the code's reading"}
n = paper.curve_numbers(evidence, 3, "code")
show(
    experiments.levels(evidence, "code"),
    "Cumulative expected regret after the last round, mean ± standard error over [[seeds]] seeds, in the code's reading. "
    "The paper prints curves only, so there is nothing to set beside these numbers.",
    n,
    true_if={"every mean is over all seeds": n.complete},
)

# %% [markdown]
# ### Figure 4: instantaneous regret

# %% tags=["remove-input"]
n = paper.curve_numbers(evidence, 4)
show(
    experiments.curves(evidence, 4),
    "Figure 4 of the paper again, in the text's reading: instantaneous expected regret, mean of [[seeds]] seeds with bands of one standard error. Averaged over windows of up to [[windows]] rounds, on logarithmic axes.",
    n,
    alt="A panel for each of [[problems]] problems: mean instantaneous expected regret against the round, text's reading. Lowest at the end: [[lowest]].",
    true_if={"every mean is over all seeds": n.complete},
)

# %% tags=["remove-input", "hide-output"] mystnb={"code_prompt_show": "Show Figure 4 in the code's reading", "code_prompt_hide": "Hide Figure 4 in the code's reading"}
n = paper.curve_numbers(evidence, 4, "code")
show(
    experiments.curves(evidence, 4, "code"),
    "Figure 4 of the paper again, in the code's reading: instantaneous expected regret, mean of [[seeds]] seeds with bands of one standard error. Averaged over windows of up to [[windows]] rounds, on logarithmic axes.",
    n,
    alt="A panel for each of [[problems]] problems: mean instantaneous expected regret against the round, code's reading. Lowest at the end: [[lowest]].",
    true_if={"every mean is over all seeds": n.complete},
)

# %% [markdown]
# ### Differences, in pairs
#
# Curves with bands hide that all methods met the same contexts. The differences to WDRBO, seed by seed, do not.

# %% tags=["remove-input"]
show(
    experiments.paired(evidence),
    "Every method minus WDRBO, regret of [[when]], in per cent of WDRBO's mean: paired differences over common seeds with 95 % intervals. A pair counts where both runs ended. "
    "To the right of zero WDRBO is better. A filled mark is a difference that stands after Holm's correction for all comparisons of its reading. "
    "The axis is linear around zero and logarithmic beyond.",
    paper.difference_numbers(evidence),
    alt="A panel for each problem: difference of every method to WDRBO with its interval, over [[when]]. "
    "Text's reading: [[text_worse]] worse than WDRBO, [[text_better]] better, [[text_open]] not told apart. "
    "Code's reading: [[code_worse]] worse, [[code_better]] better, [[code_open]] not told apart.",
)

# %% tags=["remove-input"]
n = paper.difference_numbers(evidence)
say(
    r"""
**Following the text, ERBO and SBO-KDE are ahead of WDRBO**, each on [[erbo_better]] of [[problems]] problems and behind on none. Behind WDRBO on most problems are the three methods that the paper calls not competitive: DRBO-MMD, its minmax form and StableOpt. GP-UCB is better than WDRBO on some problems and worse on as many. DRBO-KDE and WDRBO's exact form cannot be told apart from it on any.

**In the code's reading, with fewer seeds, no method is shown to be better than WDRBO**, and [[code_worse]] of [[code_all]] comparisons show the other method to be worse.
""",
    n,
    true_if={
        "ERBO and SBO-KDE are better on equally many problems, and worse on none": n.erbo_better
        == n.sbo_kde_better
        > n.problems / 2
        and n.erbo_worse == n.sbo_kde_worse == 0,
        "the three others are worse on most": min(n.drbo_mmd_worse, n.drbo_mmd_minmax_worse, n.stableopt_worse)
        > n.problems / 2,
        "GP-UCB is better and worse on equally many": n.gp_ucb_better == n.gp_ucb_worse > 0,
        "DRBO-KDE and the exact form are not told apart": n.drbo_kde_better
        == n.drbo_kde_worse
        == n.wdrbo_exact_better
        == n.wdrbo_exact_worse
        == 0,
        "in the code's reading nothing is better": n.code_better == 0,
    },
)

# %% tags=["remove-input"]
show(
    experiments.tally(evidence),
    "On how many problems a method is shown to have less regret than WDRBO (better) and more (worse) over all rounds, after Holm's correction for all comparisons of a reading. The exact form was run in the text's reading only.",
)

# %% tags=["nbval-check-output", "hide-output", "remove-input"] mystnb={"code_prompt_show": "Show the key numbers", "code_prompt_hide": "Hide the key numbers"}
paper.show_differences(evidence)

# %% tags=["remove-input"]
show(
    experiments.paired(evidence, "late"),
    "Every method minus WDRBO, regret of [[when]], in per cent of WDRBO's mean: paired differences over common seeds with 95 % intervals. A pair counts where both runs ended. "
    "To the right of zero WDRBO is better. A filled mark is a difference that stands after Holm's correction for all comparisons of its reading. "
    "The axis is linear around zero and logarithmic beyond.",
    paper.difference_numbers(evidence, "late"),
    alt="A panel for each problem: difference of every method to WDRBO with its interval, over [[when]]. "
    "Text's reading: [[text_worse]] worse than WDRBO, [[text_better]] better, [[text_open]] not told apart. "
    "Code's reading: [[code_worse]] worse, [[code_better]] better, [[code_open]] not told apart.",
)

# %% [markdown]
# ### Tables 1 and 2: time
#
# Clock times on another machine cannot be compared, ratios within one process can.

# %% tags=["remove-input"]
show(
    experiments.times(evidence),
    "Tables 1 and 2 again: time of a run over ERBO's on the same function, as printed and ours (processor time within one process, mean over seeds with a 95 % interval); "
    "whether our ratio lies within the margin of the printed one, fixed in advance; and our seconds, which depend on the machine.",
)

# %% tags=["nbval-check-output", "hide-output", "remove-input"] mystnb={"code_prompt_show": "Show the key numbers", "code_prompt_hide": "Hide the key numbers"}
paper.show_times(evidence)

# %% tags=["remove-input"]
n = paper.time_numbers(evidence)
say(
    r"""
**Our ratios are not the paper's.** On Ackley WDRBO takes [[ackley_ours:.1f]] times as long as ERBO, on Branin [[branin_ours:.0f]] times; the paper prints [[ackley_printed:.2f]] and [[branin_printed:.2f]]. Of the [[all]] ratios none is shown to lie within the margin of the printed one, and [[outside]] are shown to lie outside.

One reason is the base. On Ackley ERBO's own run takes [[ackley_base:.1f]] s here and [[ackley_base_printed:.1f]] s in print, so whatever a method adds weighs more here. Another is how the inner problems are solved. The paper hands them to a generic solver; here they are solved exactly by sorting, by a dual in one variable or by an interior-point method made for the purpose. So these times say little about the authors' program.
""",
    n,
    true_if={
        "no ratio is shown to lie within the margin": n.within == 0 < n.all,
        "WDRBO's ratios are larger than in print": n.ackley_ours > n.ackley_printed
        and n.branin_ours > n.branin_printed,
        "ERBO takes less time than in print": n.ackley_base < n.ackley_base_printed
        and n.branin_base < n.branin_base_printed,
    },
)

# %% [markdown]
# ### Live
#
# The stored results above come from `make paper CH=5`. This cell runs a few of them now, for the first rounds.

# %% tags=["hide-input"]
fresh = live.rerun_live(evidence, live_runs, live_rounds)
live.say_live(fresh, evidence)

# %% tags=["remove-input"]
show(
    experiments.live(fresh),
    "Cumulative expected regret of runs made when this page was computed. A shorter run is the beginning of the stored one with the same seed.",
)

# %% tags=["nbval-check-output", "hide-output", "remove-input"] mystnb={"code_prompt_show": "Show the key numbers", "code_prompt_hide": "Hide the key numbers"}
live.show_live(fresh)

# %% [markdown]
# ### Three questions
#
# The figures mix three questions, so they are asked one by one: a bound may hold while the method ranks last, a ranking may stand on
# problems where the bound says nothing, and a robust method may win for a reason that has nothing to do with robustness.
#
# #### Does the bound hold?
#
# Where its assumptions hold, the repaired bound does ([](ch5-regret-and-bounds)). The experiments have neither the theorem's width nor the
# radius of Lemma 7. What can be asked of them is whether their ball, of radius $0.3/\sqrt n$, holds the true law.

# %% tags=["remove-input"]
n = robustness.coverage_numbers(evidence)
show(
    question_figures.coverage(evidence),
    "Is the condition of the bounds met? Left: how often the ball of the experiments around a sample holds the law that the sample comes from, with 95 % intervals; the dotted line is the [[wanted:.0%]] that the bounds suppose. "
    "Right: mean Wasserstein distance of a sample, in radii.",
    n,
    alt="Left: share of samples whose ball holds the law they come from, against the number of contexts, for [[laws]] laws; right: mean distance over radius. At the largest number: [[shares]].",
)

# %% tags=["nbval-check-output", "hide-output", "remove-input"] mystnb={"code_prompt_show": "Show the key numbers", "code_prompt_hide": "Hide the key numbers"}
robustness.show_coverage(evidence)

# %% tags=["remove-input"]
say(
    r"""
**For most laws the ball is too small.** The bounds suppose that the ball holds the true law with probability [[wanted:.0%]]. Of our [[laws]] laws this is so for the Burr law alone, at the largest number of contexts tried. Of samples of [[count]] clipped normal contexts the ball holds the law in [[normal:.0%]], of uniform ones in [[uniform:.0%]]. With two coordinates it never did, as the distance then shrinks more slowly than the radius: after [[plane_count]] contexts it is at least [[low:.1f]] radii on average.

A bound whose condition fails is not refuted; it has nothing to say. And Lemma 7 asks for less than that the ball hold the law ([](ch5-radius-from-data)).
""",
    n,
    true_if={
        "only the Burr law is held often enough": n.kept == ["burr"] and len(n.missed) == n.laws - 1,
        "with two coordinates no ball held the law": n.plane == 0,
        "with two coordinates the mean distance exceeds the radius": n.low > 1,
    },
)

# %% [markdown]
# #### Does the paper's ranking hold?

# %% tags=["remove-input"]
n = paper.rank_numbers(evidence)
show(
    experiments.ranks(evidence),
    "Ranks of the mean cumulative regret, averaged over the problems, of the paper's eight methods, with 95 % intervals from resampling the seeds (the same resample for all methods and problems). "
    "Resampling pulls ranks towards the middle, so that these percentile intervals are biased: a first or last rank can stand at the end of its interval.",
    n,
    alt="Average ranks of the paper's eight methods with intervals. Text's reading: [[text]]. Code's reading: [[code]].",
)

# %% tags=["nbval-check-output", "hide-output", "remove-input"] mystnb={"code_prompt_show": "Show the key numbers", "code_prompt_hide": "Hide the key numbers"}
paper.show_ranks(evidence)

# %% tags=["remove-input"]
n = robustness.ranking_numbers(evidence)
say(
    r"""
**The last places hold.** DRBO-MMD, its minmax form and StableOpt rank behind the five others in both readings, as the paper says.

**ERBO and SBO-KDE are strong, WDRBO less so.** The paper calls the performance of all three “extremely compelling”, the more so beside what the others cost. Our test asks for two things on most of the problems: at most [[near:.0%]] more regret than the best of the five methods of Figure 2, and less regret than GP-UCB. Following the text, WDRBO fails: it is shown to be farther behind the best on [[wdrbo_behind]] of [[problems]] problems. ERBO and SBO-KDE have less regret than GP-UCB on all of them. They are nowhere shown to be farther behind the best, but not shown to be near it on most problems either, so the test leaves them open. In the code's reading, with few seeds, all three are open.

**Do the three rank before GP-UCB and DRBO-KDE?** The paper does not say so. Following the text they do not: DRBO-KDE ranks before WDRBO in [[kde_first_text:.1%]] of the resamples of the seeds. In the code's reading the three lead in [[lead_code:.0%]] of the resamples, which decides nothing.
""",
    n,
    true_if={
        "the three methods are last in both readings": n.last == ["holds", "holds"],
        "following the text WDRBO fails the test, and the two others are open": n.well_text
        == ["contradicted", "undecided", "undecided"],
        "ERBO and SBO-KDE are below GP-UCB everywhere": n.erbo_below == n.sbo_kde_below == n.problems,
        "ERBO and SBO-KDE are nowhere far behind the best": n.erbo_behind == n.sbo_kde_behind == 0,
        "ERBO and SBO-KDE are not near the best on most": max(n.erbo_near, n.sbo_kde_near) <= n.problems / 2,
        "in the code's reading all three are open": n.well_code == ["undecided"] * 3,
        "that the three rank first is contradicted in the text's reading and open in the code's": n.first
        == ["contradicted", "undecided"],
    },
)

# %% tags=["remove-input"]
show(
    question_figures.praise(evidence),
    "The three praised methods: on how many problems each is shown to have at most [[near:.0%]] more regret than the best of the five methods of Figure 2 (near the best), and more than that (farther behind); "
    "and to have less and more regret than GP-UCB; after Holm's correction for the problems.",
    n,
)

# %% [markdown]
# #### Does robustness pay?
#
# The clean comparison is WDRBO against ERBO, which is WDRBO with radius zero. We make it twice. On the data-driven problems nothing
# shifts, and the ball only guards against the luck of the sample. In a general setting of our own the true law is the told one with
# its mean moved by a known shift, or not moved at all; the rewards are that of Figure 1, the newsvendor's and the camel's.

# %% tags=["remove-input"]
n = robustness.robustness_numbers(evidence)
show(
    question_figures.robustness(evidence),
    "Does robustness pay? Regret of the robust rule minus ERBO's, in per cent of ERBO's, paired over seeds with 95 % intervals; below zero robustness pays. Filled marks stand after Holm's correction. "
    "Left: the problems of Figures 2 to 4, text's reading. Right: the learner is told one law, and contexts follow the same law with its mean moved by a known shift; the ball has radius [[radius:g]] throughout. "
    "Axes are linear around zero and logarithmic beyond.",
    n,
    alt="Left: difference of WDRBO to ERBO by problem, for all, the first and the last rounds. Right: differences of WDRBO and of its exact form to ERBO against the shift of the true law, for three rewards. "
    "Without a shift WDRBO is shown to be better on [[text_better]] and worse on [[text_worse]] of [[problems]] problems; in the general setting the robust rules are better in [[robust_better]] and worse in [[robust_worse]] of [[robust_all]] cases.",
)

# %% tags=["nbval-check-output", "hide-output", "remove-input"] mystnb={"code_prompt_show": "Show the key numbers", "code_prompt_hide": "Hide the key numbers"}
robustness.show_robustness(evidence)

# %% tags=["remove-input"]
say(
    r"""
**Where the law is right, robustness costs.** On the data-driven problems, following the text, WDRBO has more regret than ERBO on [[text_worse]] of [[problems]] over [[text_seeds]] seeds; only on [[open]] the two cannot be told apart. Told the true law, it has more in all [[still_all]] cases. The code's reading, with [[code_seeds]] seeds, decides next to nothing: WDRBO is shown to be worse on [[code_worse]] problem, and on none when corrected for all methods, but it has the lower mean on [[code_lower_mean]].

**Where the law has shifted, it can pay.** Of [[moved_all]] cases with a shift WDRBO is better in [[moved_better]] and worse in [[moved_worse]]. All gains are at the larger shift, of [[gains_from:g]] either way, and all losses at the smaller one; the ball has radius [[radius:g]]. The exact worst case instead of the penalty gains in more cases and loses in more.
""",
    n,
    true_if={
        "following the text WDRBO is nowhere better": n.text_better == 0 and n.text_worse + len(n.open) == n.problems,
        "told the true law it is worse in all cases": n.still_worse == n.still_all > 0,
        "in the code's reading one problem is decided, none after the wider correction": n.code_better
        == n.code_worse_all
        == 0
        and n.code_worse == 1,
        "all gains are at larger shifts than all losses": n.losses_to < n.gains_from and n.moved_better > 0,
        "the exact worst case gains and loses in more cases": n.exact_better > n.moved_better
        and n.exact_worse > n.moved_worse,
    },
)

# %% tags=["remove-input"]
show(
    question_figures.outcomes(evidence),
    "In how many cases the robust rule is shown to have less regret than ERBO (better) and more (worse): over the data-driven problems in both readings, and over rewards and shifts where a law is told. "
    "“Exact worst case” is our form of WDRBO without the penalty.",
)

# %% [markdown]
# The radius is the dial between the two methods:

# %% tags=["remove-input"]
n = robustness.radius_numbers(evidence)
show(
    question_figures.radius(evidence),
    "Regret against the radius: WDRBO minus ERBO in per cent of ERBO's regret, paired over seeds with 95 % intervals, for several constants of the radius; the published experiments take [[practice:g]]. "
    "Radius zero is ERBO. Filled marks stand after Holm's correction.",
    n,
    alt="Difference of WDRBO to ERBO in per cent against the constant of the radius. At the smallest and the largest constant: [[ends]].",
)

# %% tags=["remove-input"]
say(
    "At no constant tried is WDRBO shown to have less regret than ERBO, and from the published one, [[practice:g]], on it has more on each of these problems.",
    n,
    true_if={
        "WDRBO is nowhere shown to be better": n.better == 0,
        "from the published constant on it is worse everywhere": n.all_worse,
    },
)

# %% tags=["remove-input"]
show(
    question_figures.region(evidence),
    "WDRBO with its Lipschitz constant taken between the contexts seen so far, instead of over the whole box of contexts: cumulative regret beside ERBO's, paired over seeds. "
    "Far from all data the surrogate extrapolates, and its slopes there can rule the penalty.",
)

# %% [markdown]
# (ch5-where-we-differ)=
# ## Where we differ
#
# Every numbered statement was checked on instances where it could fail, every printed number was set beside ours, and every suspicion
# about the text was decided by a computation.

# %% tags=["remove-input"]
checked = findings.load_checked()
stored_evidence.checked_table(checked)

# %% tags=["remove-input"]
n = findings.repair_numbers(checked)
say(
    r"""
Of the [[mended]] statements that need a repair, [[wide]] need it for one reason: they suppose $\sigma_{t-1}^2\le1$, which a regulariser below one does not give. [[likely]] of the statements that hold are claimed with a probability only; there “holds” says that the runs show no more failures than that allows.

Lemma 7 was run in another form than printed. As printed, its centre includes the context of the round itself, its class depends on the data, and its proof gives twice $\rho_t$. None of that can show in a run, as the radius is far larger than what it has to cover. So for it “holds” says no more than that no failure was found.
""",
    n,
    true_if={
        "Lemma 7 holds, in another form": n.lemma_7,
        "several entries have that one reason": 1 < n.wide <= n.mended,
    },
)

# %% [markdown]
# A check that cannot fail proves nothing. So each one is also run on wrong versions of its statement, and has to catch them. Here it
# is {prf:ref}`Lemma 2 <ch5-lemma-2>`, with a right side that is a little smaller, and with one Lipschitz constant for all decisions.

# %%
from companion.papers.wdrbo.statements.wasserstein import lemma_2

outcome = lemma_2.judge()
print(f"Lemma 2 {outcome.status} in {outcome.trials} cases; right side over left side at least {outcome.slack:.3g}")
print(*(f"{bite.name}: {'caught' if bite.caught else 'missed'}" for bite in lemma_2.bites()), sep="\n")

# %% tags=["remove-input", "hide-output"] mystnb={"code_prompt_show": "Show the claims", "code_prompt_hide": "Hide the claims"}
show(
    question_figures.claims(checked.verdicts, checked.where),
    "Every claim about the experiments. A claim with several parts holds if all of them do; the page of verdicts gives the test behind each.",
)

# %% tags=["hide-input"]
stored_evidence.say_differences(checked)

# %% tags=["nbval-check-output", "hide-output", "remove-input"] mystnb={"code_prompt_show": "Show the key numbers", "code_prompt_hide": "Hide the key numbers"}
stored_evidence.show_checked(checked)

# %% [markdown]
# ### Text and code
#
# The published code is not quite the experiment that the text describes. What concerns the problems and the loop is listed here; the
# methods' own differences stand among the errors above.

# %% tags=["remove-input", "hide-output"] mystnb={"code_prompt_show": "Show the differences", "code_prompt_hide": "Hide the differences"}
show(
    experiments.differences(),
    "What the text says of the experiments and what the published code does. “Here” marks a choice of the companion's where the text leaves one.",
)

# %% [markdown]
# ## Exercises
#
# ```{exercise} The worst law by hand
# :label: ch5-ex-ball
#
# Let $g(c)=c^2$ on $[0,1]$, and let the centre be the point mass at $\tfrac12$. Find the smallest and the largest mean of $g$ over the
# Wasserstein ball of radius $\varepsilon=0.2$. What does {prf:ref}`Lemma 2 <ch5-lemma-2>` allow?
# ```

# %% tags=["remove-input"]
say(
    r"""
```{solution} ch5-ex-ball
:class: dropdown

Moving all mass to $c=[[moved:g]]$ costs exactly the radius and gives [[low:.3f]]; splitting it is worse, as the square is convex. For the largest mean splitting is better: a share $p$ with $p/2=\varepsilon$ goes to $c=1$, which gives [[high:.3f]].

The Lipschitz constant on $[0,1]$ is [[steep:.2f]], attained at the far end. So Lemma 2 allows [[below:.3f]] to [[above:.3f]]: the lower end is no value that the square can take. The penalty charges the steepest slope anywhere in the set of contexts, whether or not the laws of the ball get there.
```
""",
    exercises.square(),
)

# %% [markdown]
# ```{exercise} Why twice the radius
# :label: ch5-ex-twice
#
# Prove: for every $\kappa<2$ there are two arms, a centre, a radius $\varepsilon$ and a true law in the ball, such that a learner who
# knows $f$ (so that all widths are zero) and follows the rule has $r_t>\kappa\,\varepsilon L_t(x^*_t)$. So the factor of two before
# the radius in {prf:ref}`Theorem 4 <ch5-theorem-4>` cannot be made smaller.
# ```

# %% tags=["remove-input"]
say(
    r"""
```{solution} ch5-ex-twice
:class: dropdown

Let contexts lie in $[0,1]$ and take the point mass at $\tfrac12$ for centre, a radius $0<\varepsilon\le\tfrac12$, $f(A,c)=c/2$ and $f(B,c)=\tfrac14-\tfrac\varepsilon2+\eta$ with $0<\eta<\varepsilon$. As $f$ is known, the upper confidence bound is $f$, with constants $L_A=\tfrac12$ and $L_B=0$. Penalised, $A$ is worth $\tfrac14-\tfrac\varepsilon2$, less than $B$: the rule plays $B$.

Now let the true law be the point mass at $\tfrac12+\varepsilon$, at distance $\varepsilon$ from the centre. Under it $A$ is worth $\tfrac14+\tfrac\varepsilon2$, so $x^*_t=A$ and $r_t=\varepsilon-\eta=2\varepsilon L_A-\eta$. For $\kappa<2$ choose $\eta<(2-\kappa)\varepsilon L_A$; then $r_t>\kappa\varepsilon L_A$.

One radius is lost when the benchmark's mean is carried from the true law to the centre, where the rule compares, the other when the choice's mean is carried back. Played with $\varepsilon=[[radius:g]]$ and $\eta=[[edge:g]]$: regret [[regret:.4f]], and $2\varepsilon L_A=[[twice:.4f]]$.
```
""",
    exercises.twice(),
)

# %% [markdown]
# ```{exercise} How small a regulariser
# :label: ch5-ex-lambda
#
# Let there be $T+1$ arms and one context, $k(x,x')=1$ if $x=x'$ and $k(x,x')=0$ otherwise, no noise, $f=B$ on the last arm and $f=0$ on all others; ties
# go to the arm that comes first. For fixed $\lambda>0$ and $\delta\in(0,1)$ compute the regret of $T$ rounds and the bound of
# equation (57) with $\varepsilon_t=0$. For which $\lambda$ is that bound exceeded for all large $T$? Give the limit to three significant digits.
# ```

# %% tags=["remove-input"]
n = exercises.regulariser()
say(
    r"""
```{solution} ch5-ex-lambda
:class: dropdown

Without noise $\beta_t=\sqrt\lambda B$. An arm that was never tried has $\sigma=\lambda^{-1/2}$ and upper confidence bound $B$; one that was tried $n\ge1$ times and paid nothing has $\sigma^2=1/(\lambda+n)$ and upper confidence bound $B\sqrt{\lambda/(\lambda+n)}<B$. So $T$ rounds try the first $T$ arms once each, and $R_T=TB$.

The largest log determinant of $T-1$ points is that of different arms, $\gamma_T=(T-1)\log(1+1/\lambda)$, and the bound is $4\sqrt\lambda B\sqrt{T((T-1)\log(1+1/\lambda)+4\log(6/\delta))}$. Divided by $TB$ and squared it tends to $16\lambda\log(1+1/\lambda)$, which grows with $\lambda$. It is below one, and equation (57) exceeded for all large $T$, exactly for $\lambda<[[below:.3g]]$; at that $\lambda$ itself the term with $\delta$ decides, and the bound holds.

At $\lambda=0.1$ the limit is [[tenth:.2f]], so there this family refutes nothing. The repaired bound has $C_\lambda\log(1+1/\lambda)=1/\lambda$ in place of the logarithm, and the regulariser cancels.
```
""",
    n,
    true_if={"at 0.1 the limit is above one": n.tenth > 1},
)

# %% [markdown]
# ```{exercise} After how many rounds
# :label: ch5-ex-arms
#
# In *Printed against repaired* $B=1$ and $\delta=0.05$. Predict with the formulas of the last exercise from which number of rounds $T$ on
# the bound of equation (57) is exceeded at $\lambda=0.01$. Then run `companion run wdrbo -p arms=T` with that number and with one less, and read regret
# and bound, to three digits, among the key numbers of that section.
# ```

# %% tags=["remove-input"]
n = exercises.rounds()
say(
    r"""
```{solution} ch5-ex-arms
:class: dropdown

$T>4\sqrt\lambda\sqrt{T((T-1)\ell+4\log(6/\delta))}$ with $\ell=\log(1+1/\lambda)$ means $T>16\lambda((T-1)\ell+4\log(6/\delta))$, that is, as $16\lambda\ell<1$ here, $T(1-16\lambda\ell)>16\lambda(4\log(6/\delta)-\ell)$: from $T=[[first]]$ on.

`companion run wdrbo -p arms=[[first]]` shows regret [[regret:.3g]] and bound [[bound:.3g]] at $\lambda=[[lam:g]]$; with `arms=[[less]]` they are [[regret_before:.3g]] and [[bound_before:.3g]].
```
""",
    n,
    true_if={
        "the bound is exceeded from that number of rounds on": n.regret > n.bound and n.regret_before <= n.bound_before
    },
)

# %% [markdown]
# ```{exercise} A ball around coin flips
# :label: ch5-ex-coin
#
# Contexts are zero or one, with equal chances. With which probability, to three digits, does the ball of radius $0.3/\sqrt n$ around the
# sample hold the true law, for $n=100$ and for $n\to\infty$? Which constant $a$ in a radius $a/\sqrt n$ makes the limit nine in ten?
# ```

# %% tags=["remove-input"]
say(
    r"""
```{solution} ch5-ex-coin
:class: dropdown

All mass is at zero and one, so the distance is that of the shares of ones, $|\hat p-\tfrac12|$. For $n=100$ the ball holds the law if the number of ones is within [[most]] of its mean, which has probability [[inside:.3f]].

For large $n$ the share is normal with standard deviation $1/(2\sqrt n)$, and the probability tends to [[normal:.3f]]: a radius of order $n^{-1/2}$ neither gains nor loses confidence as $n$ grows. A limit of nine in ten takes the constant [[wanted:.3f]] instead of [[practice:g]]. In two coordinates no constant will do, as the distance of a sample from a law with a density shrinks more slowly.
```
""",
    exercises.coin(),
)

# %% [markdown]
# ```{exercise} A cautious newsvendor
# :label: ch5-ex-order
#
# An order of $x\in[0,1]$ and a demand of $c\in[0,1]$ earn $f(x,c)=8\min(c,x)-4x$. Suppose $f$ is known (all widths are zero), and the
# centre is a normal demand with mean $m=0.4$ and standard deviation $s=0.1$, clipped to $[0,1]$. Which orders does WDRBO's rule choose as the
# radius grows? Compute the radius at which the order changes to three digits. Prove that the exact worst case over the ball is
# maximised by the same orders.
# ```

# %% tags=["remove-input"]
n = exercises.order()
say(
    r"""
```{solution} ch5-ex-order
:class: dropdown

*Penalty.* Below the order every item of demand earns [[steep:g]] more, above it nothing: $L(x)=[[steep:g]]$ for every $x>0$, and $L(0)=0$. The penalty is the same for all $x>0$, so the rule takes the best of these for the centre, its median $m=[[best:g]]$, or $x=0$, which is worth nothing: the median as long as $\E f(m,c)>[[steep:g]]\,\varepsilon$. With $\E\min(c,m)=m-0.1/\sqrt{2\pi}$, up to the clipping, $\E f(m,c)=[[reward:.3f]]$, and the order jumps from [[best:g]] to zero at $\varepsilon_0=[[reward:.3f]]/[[steep:g]]=[[switch:.3f]]$.

*Exact worst case.* Let $g(x)$ be the smallest mean of $f(x,\cdot)$ over the ball. As half of the mass lies below $m$, $\E f(m,c)=8\,\E[c;c\le m]+4m-4m$, so $\varepsilon_0=\E[c;c\le m]$.

For $\varepsilon<\varepsilon_0$ let $\mathcal Q$ be the centre with its lowest demands set to zero, until that has cost $\varepsilon$: a law of the ball, whose only median is still $m$, and with $\E_{\mathcal Q}f(m,c)=\E f(m,c)-[[steep:g]]\,\varepsilon$. By Lemma 2 $g(m)$ is no less, so it is equal; and for $x\ne m$, $g(x)\le\E_{\mathcal Q}f(x,c)<\E_{\mathcal Q}f(m,c)=g(m)$.

For $\varepsilon>\varepsilon_0$ the ball holds a law with more than half of its mass at zero, under which every $x>0$ loses, while $g(0)=0$.

On a grid both rules agree at all [[radii]] radii. Neither moves the order step by step, as one would expect of caution.
```
""",
    n,
    true_if={"both rules agree at all radii": n.alike == n.radii},
)

# %% [markdown]
# ```{exercise} How many seeds
# :label: ch5-ex-seeds
#
# Take the cumulative regrets of WDRBO and ERBO in our runs of Figure 1: in `data/results/wdrbo/runs.csv`, block `figure-1`,
# problem `general`, variant `spread=sd radius=0.1`, column `total`. How many seeds does a two-sided paired t-test at level $\alpha=0.05$ need to
# see a difference of that size with power $1-\beta=0.8$? How many of each if the two were run on different seeds?
# ```

# %% tags=["remove-input"]
n = exercises.seeds(evidence)
say(
    r"""
```{solution} ch5-ex-seeds
:class: dropdown

Over [[seeds]] seeds the difference of the cumulative regrets, WDRBO minus ERBO, is [[mean:+.2f]] on average with a standard deviation of [[sd:.2f]], an effect of [[effect:+.2f]] standard deviations. A paired test at level [[level:g]] sees it with probability [[power:.0%]] from [[needed:.0f]] seeds on; with [[paper]] it does so with probability [[have:.0%]].

Were the methods run on different seeds, [[apart:.0f]] of each would be needed. Over the seeds the two regrets have correlation [[correlation:.2f]], so pairing brings nothing here.
```
""",
    n,
    true_if={
        "the two regrets are not positively correlated": n.correlation <= 0,
        "pairing saves no seeds": n.apart <= n.needed,
    },
)

# %% [markdown]
# ## Run record

# %% tags=["remove-input"]
run_record(evidence.record, evidence.where)
