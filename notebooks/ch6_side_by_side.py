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
# # Side by side: a width, a method, and a moment to stop
#
# *The rules and bounds of the five papers, the classical ones, and the defaults of libraries, in one setting*
#
# After this half hour you can choose a method, and how boldly it explores, by what you pay for. You can stop with a promise that holds, and say what is left of it if your model
# is wrong. {ref}`One table <ch6-answers>` has the answers; {doc}`../book/decide` answers for your own setting; protocols and all tables are in the *record*, {doc}`ch6_side_by_side_record`.

# %% tags=["remove-input"]
from companion.pages import Figure, Numbers, here, say, show
from companion.pages.chapter import check_parameters
from companion.papers.across.experiments import parameters
from companion.papers.across.page import (
    advice,
    box_study,
    exercises,
    fitted_stopping,
    live,
    longer,
    same_run,
    when_to_stop,
    which_bound,
    which_method,
    which_width,
    wrong_model,
)
from companion.papers.across.page import when_to_stop_figures as stop_figures
from companion.papers.across.page import which_bound_figures as bound_figures
from companion.papers.across.page import which_method_figures as method_figures

# isort: split

# %% [markdown]
# (ch6-question)=
# ## What do you pay for: every play, or the point at the end?
#
# You tune a reactor. Each day you play one temperature and see its yield, with noise; the day's *regret* is what it loses against the best temperature. If
# you sell the yield, every play counts: you pay the *cumulative regret*, the sum of all. If only the recipe at the end is used, you pay the
# *terminal regret*, that of the point you name. GP-UCB plays where the band $\mu\pm w\sigma$ of the posterior reaches highest.
#
# **A guess first.** Which *width* $w$ of these three loses least by every play, and which by the point named?

# %% tags=["remove-input"]
run = same_run.same_run()
n = same_run.numbers(run)
show(
    same_run.side_by_side(run),
    "GP-UCB for [[rounds]] days on the reactor of this lesson. Line: the true yield. Circles: temperatures played, larger the more days. Star: the point named at the end, that of the largest posterior mean.",
    n,
    alt="Three panels with the same curve of yield over temperature: a hill in the right half, and a low shelf right of it. With the shortest width nearly all days are spent on the shelf, where the star is. "
    "With width one a few temperatures are tried and the other days spent on the hill. With width five more of the hill's sides are tried. Both stars are on top of the hill.",
    true_if={
        "the shortest sits on a wrong peak": n.too_short_point > 1 and n.too_short_plays > 5 * n.short_plays,
        "the two others name the best": n.short_point == n.long_point == 0.0,
        "the long one costs more": n.long_plays > 1.5 * n.short_plays,
    },
)

# %% tags=["remove-input"]
say(
    r"""
The shortest sits on a wrong peak, and loses as much every day. Width one finds the hill and stays. Width five goes on looking elsewhere: that costs, and here it brings nothing. On another reactor width one, too, may sit on a wrong peak, and only a long width names a good point. So **say first what you pay for**.
""",
    n,
    true_if={
        "the shortest loses most": n.too_short_plays > n.long_plays > n.short_plays,
        "nothing gained": n.long_point == n.short_point,
    },
)

# %% [markdown]
# (which-width)=
# ## Which width?
#
# Papers and libraries write $\beta$, $\sqrt\beta$ or $\kappa$ for the width; the `beta` of BoTorch and OptunaHub is its square.
#
# The reactor is our *running example*, the oven of chapter 1: $N=101$ points of the unit interval, and one draw $f$ of a Gaussian process with length-scale $\ell=0.12$. The noise has standard deviation $\sigma_n=0.1$. The model knows all but $f$.
#
# A theorem asks for a width of about five here. scikit-optimize takes two; BoTorch's input constructor of `UpperConfidenceBound`, which has no default itself, less than a half. Which loses least by every play, and does it matter how long you play? Which would have kept $f$ inside the band
# all the time?

# %%
import matplotlib.pyplot as plt
import numpy as np

x = np.linspace(0, 1, 101)
K = np.exp(-0.5 * ((x[:, None] - x) / 0.12) ** 2)
root = np.linalg.cholesky(K + 1e-9 * np.eye(101))
truths = np.random.default_rng(0).standard_normal((50, 101)) @ root.T
f = truths[0]  # our reactor, and 49 others like it


def update(mean, C, i, y, v=0.1**2):
    """Posterior mean and covariance given one more value y at point i."""
    gain = C[i] / (C[i, i] + v)
    return mean + gain * (y - mean[i]), C - np.outer(gain, C[i])


def play(f, width, rounds, rng):
    """GP-UCB: regret of all plays so far, of the point; width needed."""
    mean, C, regret, needed = np.zeros(len(f)), K, [], 0.0
    for _ in range(rounds):
        sd = np.sqrt(np.maximum(np.diag(C), 1e-12))
        needed = max(needed, np.max(np.abs(f - mean) / sd))
        i = int(np.argmax(mean + width * sd))
        mean, C = update(mean, C, i, f[i] + 0.1 * rng.standard_normal())
        regret.append(f.max() - f[i])
    return [*np.cumsum(regret), f.max() - f[np.argmax(mean)], needed]


# %% [markdown]
# One run may be lucky. So we play all fifty, the `truths`, with every width.

# %%
widths, rng = [0.45, 0.7, 1, 1.5, 2, 3, 4, 5], np.random.default_rng(1)
runs = [[play(f, w, 200, rng) for f in truths] for w in widths]
runs = np.array(runs)  # last axis: plays; then -2 the point, -1 needed


def draw(figure):
    left, middle, right = figure.subplots(1, 3)
    for T, style in ((20, "C0o-"), (200, "C3v--")):
        left.plot(widths, runs[:, :, T - 1].mean(axis=1), style, label=T)
    left.legend(title="plays")
    middle.plot(widths, runs[:, :, -2].mean(axis=1), "C1s-")
    right.plot(widths, np.quantile(runs[:, :, -1], 0.9, axis=1), "C2^-")
    right.plot(widths, widths, "0.5")
    titles = ["regret of all plays", "regret of the point", "width needed"]
    for axes, title in zip(figure.axes, titles, strict=True):
        axes.set(title=title, xlabel="width", ylim=0)


draw(plt.figure(figsize=(8, 3)))

# %% tags=["remove-input"]
w, g = which_width.numbers(), longer.numbers()
means = {"20 plays": runs[:, :, 19].mean(axis=1), "200 plays": runs[:, :, 199].mean(axis=1)}
means |= {"the point": runs[:, :, -2].mean(axis=1), "needed": np.quantile(runs[:, :, -1], 0.9, axis=1)}
least = {name: widths[int(row.argmin())] for name, row in means.items()}
for name, width in same_run.WIDTHS.items():
    again = play(f, width, same_run.ROUNDS, np.random.default_rng(same_run.SEED))
    assert np.allclose(again[-3:-1], run.lost(name), atol=1e-4), "the picture at the top is of another run"
show(
    Figure(lambda canvas, _: draw(canvas), size=(8, 3), numbers={key: row.tolist() for key, row in means.items()}),
    "Drawn by the cell above: GP-UCB on fifty draws like the running example. Left and middle: mean regret. Right: the width that would have held f in nine runs of ten; where it lies above the grey line, the width played was too short.",
    Numbers(here(same_run.same_run)),
    alt="Three panels over the width. Left, the regret of all plays: after twenty plays it is least at width one and rises slowly after; after two hundred it is least at two, and short widths lose most by far. Middle, the regret of the point falls from above a tenth to next to nothing. Right, the width needed stays a little above three, whatever width is played; the grey diagonal crosses it there.",
    true_if={
        "least at one, then at two": (least["20 plays"], least["200 plays"]) == (1, 2),
        "short widths lose most after 200": means["200 plays"][0] > 2 * means["200 plays"][-1],
        "the point falls from above a tenth to next to nothing": means["the point"][0]
        > 0.1
        > 20 * means["the point"][5],
        "needed stays a little above three": means["needed"].min() > 3 and means["needed"].max() < 3.6,
    },
)

# %% tags=["remove-input"]
from companion.gp import FinitePosterior

own, theirs = FinitePosterior(K, 0.1**2), (np.zeros(len(x)), K)
same = True
for at in range(10):
    place = int(np.argmax(theirs[0] + 2.0 * np.sqrt(np.diag(theirs[1]))))
    same &= place == int(np.argmax(own.mean[0] + 2.0 * own.sd[0]))
    own.observe(place, f[place] + 0.01 * at)
    theirs = update(*theirs, place, f[place] + 0.01 * at)
assert same, "the package chooses other points"

# %% tags=["remove-input"]
say(
    r"""
How short a width every play wants depends on how long you play. The point wants a long one. And the band needs one above three, longer than either library's.

A *study*, which plays many functions, says it for three kinds of reactor:
""",
    w,
    true_if={
        "longer plays want a longer one": least["20 plays"] < least["200 plays"],
        "the point wants a long one": least["the point"] >= 3,
        "the band needs more than libraries give": means["needed"].min() > 3 > w.skopt_width > 1.9
        and w.botorch_width < 0.5,
        "a theorem asks for about five": 4.5 < w.here < 5.5,
    },
)

# %% tags=["remove-input"]
show(
    longer.best_width(),
    "Of [[tried]] widths from [[narrowest:g]] to [[widest:g]], the one that loses least by every play: GP-UCB on [[draws]] draws of each kind. Shaded, for our reactor: not shown to lose more.",
    g,
    alt="Three lines over the number of evaluations, all rising: from between a half and one at ten evaluations over one and a half at forty to two at a hundred, and two or two and a half at four hundred.",
    true_if={"all rise": g.longer, "one and a half in the middle": g.middle},
)

# %% tags=["remove-input"]
say(
    r"""
So by every play: **about one for some twenty plays, one and a half for forty, two from a hundred on, and in doubt the longer.** After [[last_at]] plays width one has lost [[one_more:.1f]] times the least.

A *promise* is a statement that fails with a probability of at most $\delta$. When may you promise that the band holds $f$ everywhere, in every round? Either $f$ is a draw of the prior, as in chapters 1 and 2. Or it has a *norm*, its size in the kernel's space, of at most $\Psi$, as in chapters 3 and 5. (Chapter 1's $\Psi$ is a ratio.)

| what is known of $f$ | a width that holds, whatever chose the points |
|---|---|
| a draw of the prior on $N$ points | $\sqrt{2\log(NT/\delta)}$, the width *for draws* |
| norm at most $\Psi$, noise normal with the model's $\sigma_n$ | $\sqrt{\Psi^2+2(I_{t-1}+\log(1/\delta))}$, the *one-root* width |

Here $I_{t-1}=\frac12\log\det(\mathbb 1+\sigma_n^{-2}K_{t-1})$ is the *information gain* of the points so far, with covariance $K_{t-1}$. For the cell above and $\delta=[[delta:g]]$ the first row is [[here:.1f]].

*Why the first?* Given the past, $f(x)$ is normal, and misses its band with probability at most $e^{-w^2/2}$. There are $NT$ such chances, and $NTe^{-w^2/2}=\delta$.

*Why the second?* The likelihood of the values $y$ under the prior, over that under the true $f$, is a martingale with mean one. By *Ville's inequality* it stays below $1/\delta$ for ever, but for a probability of $\delta$. With $L(g)=\lVert y-g\rVert^2/\sigma_n^2+\lVert g\rVert_k^2$, least at $\mu$, its logarithm is $\frac12\big(L(f)-L(\mu)-\lVert f\rVert_k^2\big)-I$. And $L(f)-L(\mu)\ge(f(x)-\mu(x))^2/\sigma^2(x)$.

In a study {ref}`all promises of theorems are kept <ch6-covers>`, most with width to spare. No library's default is long enough for any theorem.
""",
    w | g,
    true_if={
        "after twenty, forty and a hundred": g.early and g.middle and g.late and g.in_doubt,
        "the form for draws holds": w.here_fails <= w.delta,
        "a theorem asks for about five": 4.5 < w.here < 5.5,
        "all promises are kept": w.kept == w.promises,
        "most have width to spare": w.spare > w.promises / 2,
        "nearly all is needed on one arm": w.small_enough > 0.95,
        "no default covers as often as a theorem": w.theirs_high < 0.9 and w.worst,
    },
)

# %% [markdown]
# (which-method)=
# ## Which method?
#
# *EI*, expected improvement, plays where $\mathbb E\max(f(x)-b,0)$ is largest. Its benchmark $b$ is the largest posterior *mean*; or the largest *observation*, which noise has lifted above the truth: then no point promises much more, and EI goes on trying them all. Which do you take if every play counts, and which for the point?
#
# Thompson sampling plays the best point of a posterior draw; TS-RSR is chapter 1's, compressed UCB chapter 2's, *BPE* chapter 3's. The *scale* of the first two is the factor by which draws are moved away from the mean; published is one.
# Each rule gets the setting that did best on the *other* functions. A *random choice* is the unit: its plays lose one, the point named after them far less.

# %% tags=["remove-input"]
m = which_method.numbers()
show(
    method_figures.forest(),
    "Regret in a study of [[functions]] functions in one to six dimensions, [[seeds]] seeds each, the model known: mean of [[at]] evaluations, and the point named. Bars: 95 % intervals over functions. Filled: not shown to be worse than the best.",
    m,
    alt="Two panels, one row a rule, the best on top, with its mean. Every play counts: TS-RSR, GP-UCB and EI over the largest mean lead together near a third; EI over the largest observation and BPE lie near two thirds, random at one. "
    "The point named: GP-UCB with width 3, EI over the largest observation, TS-RSR and Thompson sampling lead together near a tenth.",
    true_if={
        "these lead by every play": set(m.plays_order[:3]) == {"ts-rsr", "ucb", "ei-mean"},
        "and these by the point": set(m.point_order[:4]) == {"ucb", "ei", "ts-rsr", "ts"},
        "random plays lose one, the point after them far less": abs(m.plays_random - 1) < 0.02 and m.point_random < 0.3,
    },
)

# %% tags=["remove-input"]
on_box = box_study.numbers()
say(
    r"""
**If every play counts, be a little greedy.** GP-UCB with width one, EI over the largest mean and TS-RSR at half its scale lose a third of what a random choice does. No difference between them is shown, nor one between widths one and two.

**If only the point counts, be bold.** GP-UCB with width three, EI over the largest observation and TS-RSR as published name a point that loses a tenth. So the setting matters as much as the rule.

**If rounds of feedback count, take batches.** In tens the same rules lead and lose hardly more. For the same number of rounds every rule {ref}`names a far better point <ch6-methods>`.

**And if nobody tells you the model?** A *fitted model* takes its length-scales and noise from the data. Another study fits BoTorch's *on a box*, where any point may be played. It {ref}`confirms all [[said]] differences asked of both <ch6-box-agrees>`. By every play it puts first [[plays_1_all_rule]]; by the point [[final_1_all_rule]], BoTorch's *qLogNEI*: it compares with the best true value at the points played and, as nobody knows that, averages over the posterior.
""",
    on_box,
    true_if={
        "all are confirmed": on_box.confirmed == on_box.said,
        "two for one: no difference by every play, and a better point": advice.numbers().index_1_two,
        "a third and a tenth": abs(m.plays_regret - 1 / 3) < 0.02 and abs(m.point_regret - 0.1) < 0.01,
        "TS-RSR at half the spread leads by every play": (m.plays_best, m.plays_setting) == ("ts-rsr", "scale 0.5"),
        "the two others are not shown to be worse": m.plays_with == ["GP-UCB", "EI (largest mean)"],
        "GP-UCB of width 3 leads by the point": (m.point_best, m.point_setting) == ("ucb", "width 3"),
        "two others named are not shown to be worse": {"EI (largest observation)", "TS-RSR"} <= set(m.point_with),
        "B-UCB of width 1 leads in tens by every play": (m.ten_plays_best, m.ten_plays_setting) == ("ucb", "width 1"),
        "EI leads in tens by the point": m.ten_point_best == "ei",
        "B-UCB and TS-RSR are not shown to be worse there": {"B-UCB", "TS-RSR"} <= set(m.ten_point_with),
        "the box turns none round": on_box.contrary == 0,
        "noisy EI is first by the point": on_box.final_1_all_rule == "noisy EI",
    },
)

# %% [markdown]
# (when-to-stop)=
# ## When may I stop?
#
# Libraries answer with rules of thumb. A promise says more: *when I stop, the point that I name loses at most* $\varepsilon$*, with probability* $1-\delta$. Two kinds of rules keep it.
#
# **By a width.** If the band holds $f$ in all rounds, it does so when you stop, however you chose the moment. So stop once the largest upper end exceeds the largest lower end by at most $\varepsilon$, and name
# the point with that lower end.
#
# **By the posterior itself.** For a draw of the prior less will do. Let $q_t$ be the probability, given the data, that some point is better than the named one, $r$, by more than $\varepsilon$. A union bound over the points gives
#
# $$q_t\le\sum_{x\ne r}\Phi\Big(-\frac{\mu_t(r)+\varepsilon-\mu_t(x)}{\operatorname{sd}_t(f(x)-f(r))}\Big).$$
#
# Stop when this sum, the *closed form*, falls to $\delta$. One may also *sample* $q_t$, from draws of the posterior. But the first estimate that falls to $\delta$ is chosen for being low. So stop when an *upper confidence limit* of $q_t$ falls to $\delta$, less the probability that any limit of the run is too low.
#
# Why may we look after every evaluation? Because $q_t$ is a *conditional* probability, given all that was seen. If $\tau$ is the moment of stopping, the promise breaks with probability $\mathbb E\,q_\tau\le\delta$. No union bound over rounds is needed.

# %% [markdown]
# GP-UCB tunes our reactor while a rule watches.
#
# :::{figure-to-drag} stop
# :still: fig-price
#
# With any seed, a long stopping width needs a played width that explores.
#
# Seed 0 is our reactor, others other draws. As the figure opens, the posterior watches, and stops where the cell below does. By this rule a point *may lose* the smallest $\varepsilon$ at which it would stop. With BoTorch's default you {preset}`stop too early <stop?width=botorch&step=5>`. The width for draws
# {preset}`never stops <stop?width=theorem&eps=0.2&step=60>` here, with twice the $\varepsilon$, while GP-UCB plays width two, and {preset}`stops <stop?width=theorem&eps=0.2&played=5&step=32>` if it plays five.
# :::

# %%
from scipy.stats import norm as normal


def may_stop(mean, C, eps, delta):
    """The point of largest mean, and whether it may be named now."""
    r = int(np.argmax(mean))
    sd = np.sqrt(np.maximum(np.diag(C) + C[r, r] - 2 * C[r], 1e-12))
    better = normal.cdf((mean - mean[r] - eps) / sd)  # by more than eps
    better[r] = 0.0
    return r, better.sum() <= delta


mean, C, rng, t = np.zeros(len(x)), K, np.random.default_rng(0), 0
while not may_stop(mean, C, eps=0.1, delta=0.1)[1]:
    i = int(np.argmax(mean + 2.0 * np.sqrt(np.diag(C))))
    mean, C = update(mean, C, i, f[i] + 0.1 * rng.standard_normal())
    t += 1
named = may_stop(mean, C, eps=0.1, delta=0.1)[0]
print(f"stops after {t}; the point named loses {f.max() - f[named]:.3f}")

# %% [markdown]
# On many reactors? The next study has a line that is smoother than ours, and fifty *independent arms*, where no point tells of another: the hardest case. *Optuna's terminator* stops when that library's bound on the regret falls below $\varepsilon$; *small EI*, when no point promises to improve the best mean by a hundredth of it.

# %% tags=["remove-input"]
n = when_to_stop.numbers()
show(
    stop_figures.price(),
    "Stopping rules, ε = δ = [[delta:g]], on draws of a line and of fifty arms, while GP-UCB plays a theorem's width. Filled: proved. Hollow: libraries' (the wider width scikit-optimize's). Dashed: what is allowed. Bars: exact 95 % intervals of [[runs]] runs.",
    n,
    alt="Two panels, one row a rule. Left, evaluations: the rules by the posterior stop after about six on the line and after forty-four on arms, the width for draws after about a hundred, the others between two and sixty. "
    "Right, broken promises: proved rules lie left of the dashed line; on arms no improvement in ten lies near six tenths, width 0.45 near one, width 1.96 just right of the dashed line.",
    true_if={"all promises are kept": n.kept == n.promises},
)

# %% tags=["remove-input"]
say(
    r"""
All promises of theorems are kept, in every setting of the study. Most are kept easily: fewer than half of their runs stop at all, since a long width stops only if someone explores. In the picture the posterior stops on the line after [[line_union_at:.0f]] evaluations. Somebody who sees the same run, knows $f$, and stops once the point of largest mean loses at most $\varepsilon$ for good, stops after [[line_oracle_at:.0f]].

The arms catch the rules of thumb. *No improvement in ten* breaks its promise in [[arms_plateau_10_broken:.0%]] of runs, BoTorch's width in nearly all. Small EI and Optuna's terminator break it {ref}`where GP-UCB plays width two <ch6-stopping>`.

So for draws: **stop by the posterior probability**. For a known norm only widths are proved. `session.certificate` does both, {ref}`companion stop <when-may-you-stop>` for a table. For draws it samples, with Clopper and Pearson's exact limit, and names the smallest $\varepsilon$ that it would promise:
""",
    n,
    true_if={
        "all promises are kept": n.kept == n.promises,
        "hardly more than the oracle": n.line_union_at - n.line_oracle_at <= 2,
        "prices differ by twenty": 15 < n.line_lemma_6_at / n.line_union_at < 30,
        "most promises stop few runs": n.rare > n.promises / 2,
        "EI small keeps it where a long width explores, and not otherwise": n.arms_ei_high < n.delta < n.ei_least_low,
        "the posterior's promise is kept on arms": n.arms_union_high < n.delta,
        "Optuna breaks it where width two plays, and not here": n.optuna_two_low > n.delta > n.arms_optuna_high,
        "no improvement breaks it on arms": n.arms_plateau_10_low > n.delta,
        "BoTorch's breaks it in nearly all": n.arms_0_447_low > 0.9,
        "and on the line, but not the others": n.line_0_447_low > n.delta
        and max(n.line_plateau_10_high, n.line_1_96_high, n.line_optuna_high) < n.delta,
    },
)

# %%
import companion as cp

line = cp.Candidates(x[:, None], cp.SquaredExponential(0.12), noise_sd=0.1)
session = cp.for_problem("gp-ucb", line, seed=0, width=2.0)
for _ in range(8):
    session.tell(f[session.ask()] + 0.1 * rng.standard_normal())
print(session.certificate(epsilon=0.1, delta=0.1))

# %% [markdown]
# (wrong-model)=
# ## What if the model is wrong?
#
# So far we knew the reactor's kernel, length-scale and noise. In practice they are typed in, or fitted. What do you fear more: a length-scale twice too long, or one
# twice too short?

# %% tags=["remove-input"]
n, e = when_to_stop.survival_numbers(), wrong_model.error_numbers()
show(
    when_to_stop.error_table(),
    "One thing wrong in the model that plays and judges. Regret added for EI over the largest mean, unit: a random choice's. Runs that stop, and break the promise, by the closed form, ε = δ = noise = [[delta:g]], length-scale [[lengthscale:g]]; line: [[line_points]] points, square: [[axis]] × [[axis]]. Bold: shown. Too smooth: on draws of Matérn 3/2.",
    n | e,
)

# %% tags=["remove-input"]
e, h, rules = wrong_model.error_numbers(), fitted_stopping.numbers(), advice.rules()
say(
    r"""
**Too short costs plays, too long breaks promises.** A short length-scale makes a rule explore what it could know: every play costs more. A long one believes that it knows what lies between its points. Then it names a worse point, and stops too early. Too smooth a kernel stops too early, too.

**Fitting everything is dangerous; the length-scale alone less.** With the length-scale fitted the promise breaks by little, if at all. With a model that is fitted throughout, as BoTorch ships it, it breaks in up to [[shipped_most:.0%]] of the runs of a setting. Two remedies {ref}`kept it in every setting <ch6-fitted-stopping>`: a set of models fixed beforehand, `cp.ModelSet`, by a theorem; and, only measured, standard deviations times [[factor:g]] with [[times]] yeses running: broken in at most [[widened_most:.1%]].

**The advice:** play with a fitted length-scale as it is: {ref}`half of it costs noisy EI's point [[half_point:.2f]], twice of it [[double_point:.2f]] <ch6-box-factors>`. Stop by a remedy. If the length-scale is typed in, and you doubt it, play *and* stop with half; on the square {ref}`hardly a run stops then <ch6-wrong>`.
""",
    Numbers(h, **{key: h[key] for key in ("shipped_most", "widened_most", "factor", "times")})
    | Numbers(rules, half_point=rules.rules_7_half_point, double_point=rules.rules_7_double_point),
    true_if={
        "the fitted model fails, the remedies do not": h.shipped_fails
        and h.models_keep
        and h.widened_most_high < n.delta,
        "on the box half and twice cost the point": rules.rules_7_half and rules.rules_7_double,
        "the posterior's breaks with twice the length-scale, and with too smooth a kernel": min(
            n.union_double_low, n.union_smoother_low
        )
        > n.delta,
        "and on the square": n.square_double > 0.5,
        "TS-RSR's does not, and stops few": n.lemma_6_double_high < n.delta and n.lemma_6_double_stopped < 0.5,
        "fitted breaks it by little, if at all": n.union_fitted_low <= n.delta < n.sampled_fitted_low
        and n.sampled_fitted_high < 0.2,
        "no cautious error breaks a proved one": n.others_break == 0,
        "half keeps it, and stops few on the square": n.union_half_high < n.delta and n.square_half_stopped < 0.05,
        "half costs every play, and twice the point": "ei-mean -" in e.cumulative_lengthscale_half_costs
        and "ei-mean -" in e.final_lengthscale_double_costs,
        "half for stopping alone stops few": n.union_judged_half_stopped < 0.1,
    },
)

# %% [markdown]
# (which-bound)=
# ## When is a bound informative?
#
# Before the first day a theorem bounds the regret of all plays. What is that worth? The *trivial bound* is the sum of what the worst choices lose, here $T$ times the mean of $\max f-\min f$, or of the most that the norm allows. A bound is
# *informative* once it lies below. A random choice loses about half of the trivial bound. Some proofs give more than their theorem states, and some need a repair; the *best form* of a bound is the smallest that its lesson proves or repairs. At what $T$ do you expect the first of the five papers' bounds to become informative?

# %% tags=["remove-input"]
b = which_bound.numbers()
show(
    bound_figures.bounds_and_regret(),
    "Bounds over the trivial bound, for points of an interval at noise [[noise:g]]. Left, as printed (explicit), or with the constants of the proof where the paper prints an order. Middle, their best forms: sharper or repaired. Right, the mean regret of [[runs]] runs. The band: random choice.",
    b,
    alt="Three panels, regret over the trivial bound on a logarithmic axis, left and middle against T. Left: five theorems' bounds begin above one; BPE's closed form begins near a thousand and is still above one at a million; "
    "GP-UCB's crosses first, before a thousand. Middle: all come down, TS-RSR's crosses before a hundred. Right: marks of measured regret at a thousand evaluations lie between just under a hundredth and a fifth, each far below the curve of its own method.",
    true_if={"no bound lies below the measured regret": b.above == 0, "BPE's closed form is not informative": b.closed},
)

# %% tags=["remove-input"]
t = which_bound.saying_numbers()
say(
    r"""
After [[at]] evaluations no bound of the papers is informative here; GP-UCB's, which is older, is. Best forms help: TS-RSR's is informative from $T=[[first]]$ on. No run breaks a bound, and none is tight. They {ref}`lose much by counting a whole interval at each play <ch6-gap>`, and by Cauchy–Schwarz. This setting is noisier than our reactor; {doc}`../book/bounds` has yours.
""",
    b | t,
    true_if={
        "no bound lies below the measured regret": b.above == 0,
        "no printed bound is informative there": t.no_printed,
        "GP-UCB's is": "GP-UCB" in t.saying_of,
        "TS-RSR's is the first": b.earliest == b.first,
        "none is tight": b.middle > 10,
        "noisier": b.noise > 0.1,
    },
)

# %% [markdown]
# ## Summary
#

# %% tags=["remove-input"]
say(
    r"""
- {ref}`Every play, or the point named? <which-width>` For every play be a little greedy: a width of about one for some twenty plays, one and a half for forty, two from a hundred on, and in doubt two. For the point be bold: about three.
- {ref}`A promise that the band holds, whatever you pay for? <which-width>` Only with a theorem's width: that for draws, or the one-root width for a norm.
- {ref}`May I stop, with a promise on the point named? <when-to-stop>` With a model that you trust, by the posterior probability. With a fitted one, by a set of models, or with larger standard deviations.
- {ref}`What does a length-scale twice too long cost, by every play and by the point? <wrong-model>` Every play: no cost is shown. The point loses more, and the posterior breaks its promise.
- {ref}`And one twice too short, by every play and by the point? <wrong-model>` Every play loses more. The point: no cost is shown if the model is known; half of a fitted one costs it. Every promise holds.
""",
    n | e,
    true_if={
        "one, one and a half, two, and in doubt two": g.early and g.middle and g.late and advice.numbers().index_1_two,
        "width one, and three": (m.point_best, m.point_setting) == ("ucb", "width 3") and "GP-UCB" in m.plays_with,
        "a set of models keeps it": h.models_keep,
        "too long costs the point of EI over the largest mean alone": "ei-mean -" in e.final_lengthscale_double_costs
        and "ei-mean -" not in e.cumulative_lengthscale_double_costs,
        "too short costs its plays alone": "ei-mean -" in e.cumulative_lengthscale_half_costs
        and "ei-mean -" not in e.final_lengthscale_half_costs,
        "the posterior's promise": n.union_half_high < n.delta < n.union_double_low and n.others_break == 0,
    },
)

# %% [markdown]
# (ch6-answers)=
# And which method?

# %% tags=["remove-input"]
show(
    which_method.answer_table(),
    "Least regret on [[functions]] functions, unit: a random choice's; in tens at noise [[noise:g]], else over three noises. Best first, others lose at most [[close:g]] more. The functions differ from our reactor: by every play width two is not shown to lose more here than one. In doubt, two.",
    m,
    true_if={"two for one": advice.numbers().index_1_two},
)

# %% [markdown]
# Where we are not sure: most of the lesson knows the model, and {ref}`the study on a box <ch6-box>` has one library's alone.
#
# ### Related work
#
# The one-root width is due to {cite:t}`flynn2023improved`, after self-normalised bounds {cite}`durand2018streaming,whitehouse2023sublinear,chowdhury2017kernelized`; {cite:t}`flynn2024tighter` compute a shorter one numerically. GP-UCB and the width for draws are
# from {cite:t}`srinivas2010gaussian`; if $T$ is not fixed, $\pi^2t^2/6$ takes its place. Our runs play and stop by TS-RSR's form, $\sqrt{2\log(2NT/\delta)}$. {cite:t}`wilson2024stopping` stops by the posterior probability of a regret above a threshold, estimated by sampling; the closed form bounds it.
#
# Formal neighbours: that $q_t$ may be looked at after every evaluation is optional sampling,
# [`stoppedValue_ae_eq_condExp_of_le`](https://github.com/leanprover-community/mathlib4/blob/79c7390887720731320c09ac3f003356e0f43db5/Mathlib/Probability/Martingale/OptionalSampling.lean) of Mathlib.
# UCB on finitely many arms has a proof with all constants, [`Bandits.UCB.regret_le`](https://github.com/LeanMachineLearning/LML/blob/d3e829a6702f5f542a927c3a1ac6bd3481cf1bec/LeanMachineLearning/Online/Bandit/Algorithms/UCB.lean#L569).
# We found no formal proof of any bound on this page.

# %% [markdown]
# ## Exercises
#
# Four ask for a function. Below the text stands a check, which tries your function and says what it finds. If the page has a field for
# your answer, write the function there. If not, copy the check into a session of Python, and call `check_decide(decide)`.
#
# ```{exercise} Decide after twelve evaluations
# :label: ch6-ex-decide
#
# *Level 2 of 3, about 25 minutes, with code.*
#
# Twelve evaluations of a draw, at points `x` of the page and with its noise, stand below. A colleague who uses BoTorch's default width says: we may stop. You have promised $\varepsilon=\delta=0.1$, and rely on the
# posterior probability. Look at the numbers, and decide before you compute: do you stop?
#
# Then write `decide(chosen, observed, pays)`, by the closed form. If `pays` is `"point"`, it returns `("stop", i)` with the point that may be named, or `("play", i)` with the candidate that GP-UCB plays next at width three. If it is `"plays"`, the reactor
# runs on, and it returns `("play", i)` at width one.
#
# At last, sample $q_t$ from ten thousand draws of the posterior, with an upper limit. Does it say the same? If not, whom may you follow?
# ```
#
# :::{dropdown} Hint 1
# :class-container: exercise-hint
#
# `update` and `may_stop` from the text do most of it. Begin with mean zero and the prior covariance.
# :::
#
# :::{dropdown} Hint 2
# :class-container: exercise-hint
#
# The candidates are `np.linspace(0, 1, 101)`, the kernel is $e^{-(x-x')^2/(2\ell^2)}$ with $\ell=0.12$, and $\sigma=0.1$. The named point is that of the largest mean.
# :::

# %%
chosen = [0, 21, 44, 100, 73, 10, 59, 87, 14, 7, 8, 8]  # of x, in order
observed = [0.43, 0.39, -0.5, -0.41, -0.45, 0.63, -0.62, -0.52, 0.6, 0.65]
observed += [0.74, 0.71]


# %% tags=["hide-input", "exercise-check"] mystnb={"code_prompt_show": "Show the check", "code_prompt_hide": "Hide the check"}
def check_decide(function):
    import copy

    import numpy as np
    from scipy.special import ndtr

    line = np.linspace(0, 1, 101)
    prior = np.exp(-((line[:, None] - line) ** 2) / (2 * 0.12**2))
    root = np.linalg.cholesky(prior + 1e-9 * np.eye(101))
    cases = [
        (
            [0, 21, 44, 100, 73, 10, 59, 87, 14, 7, 8, 8],
            [0.43, 0.39, -0.5, -0.41, -0.45, 0.63, -0.62, -0.52, 0.6, 0.65, 0.74, 0.71],
        )
    ]
    for seed in (*range(17), 243, 244, 316):
        generator = np.random.default_rng(seed)
        places = generator.integers(0, 101, int(generator.integers(2, 40)))
        values = (root @ generator.standard_normal(101))[places]
        cases.append((places.tolist(), (values + 0.1 * generator.standard_normal(len(places))).tolist()))
    for number, (chosen, observed) in enumerate(cases):
        cross = prior[chosen]
        weights = np.linalg.solve(cross[:, chosen] + 0.1**2 * np.eye(len(chosen)), cross)
        mean, left = np.array(observed) @ weights, prior - cross.T @ weights
        sd, best = np.sqrt(np.diag(left)), int(np.argmax(mean))
        apart = np.sqrt(np.maximum(sd**2 + sd[best] ** 2 - 2 * left[best], 1e-12))
        odds = np.delete(ndtr((mean - mean[best] - 0.1) / apart), best).sum()
        right = {"point": ("stop", best) if odds <= 0.1 else ("play", int(np.argmax(mean + 3 * sd)))}
        right["plays"] = ("play", int(np.argmax(mean + sd)))
        for pays, answer in right.items():
            given = {"chosen": chosen, "observed": observed, "pays": pays}
            mine = copy.deepcopy(given)
            found = function(*mine.values())
            for name, value in given.items():
                assert np.array_equal(mine[name], value), f"decide changed its argument {name}"
            assert found is not None, "decide returned None"
            assert np.shape(found) == (2,), f"decide returned something of shape {np.shape(found)}; right is a pair"
            said = f"returned ({found[0]!r}, {found[1]}); right is {answer}"
            assert tuple(found) == answer, f"case {number}, {len(chosen)} evaluations, pays = {pays!r}: {said}"
    print("decide: right in all cases")


# %% tags=["hide-input", "exercise-solution"] mystnb={"code_prompt_show": "Show an answer", "code_prompt_hide": "Hide the answer"}
import numpy as np
from scipy.stats import norm


def decide(chosen, observed, pays):
    line = np.linspace(0, 1, 101)
    mean, C = np.zeros(101), np.exp(-((line[:, None] - line) ** 2) / (2 * 0.12**2))
    for i, y in zip(chosen, observed, strict=True):
        gain = C[i] / (C[i, i] + 0.1**2)
        mean, C = mean + gain * (y - mean[i]), C - np.outer(gain, C[i])
    sd, r = np.sqrt(np.maximum(np.diag(C), 1e-12)), int(np.argmax(mean))
    if pays == "plays":
        return "play", int(np.argmax(mean + 1.0 * sd))
    apart = np.sqrt(np.maximum(np.diag(C) + C[r, r] - 2 * C[r], 1e-12))
    better = norm.cdf((mean - mean[r] - 0.1) / apart)
    if better.sum() - better[r] <= 0.1:
        return "stop", r
    return "play", int(np.argmax(mean + 3.0 * sd))


check_decide(decide)

# %% tags=["remove-input"]
n = exercises.decision(chosen, observed)
say(
    r"""
```{solution} ch6-ex-decide
:class: dropdown

The two disagree, and **you may stop**. The point named is candidate [[named]]. The closed form says go on: its sum is [[sum:.2f]], more than [[delta:g]], and it promises no better than a loss of [[may_lose:.2f]]. But the sum counts neighbours again and again, which are better or worse together. The probability itself is about [[probability:.3f]], by sampling. Its exact upper limit, [[limit:.3f]], is less than [[delta:g]], too.

You may follow whichever says stop first, the sum or the *limit*: both lie above the same $q_t$, the limit but for a small probability that is taken from $\delta$. A bare estimate keeps the promise only up to the error of sampling, since the first one below $\delta$ is chosen for being low. Going on is the price of a union bound. Your colleague is right for a wrong reason: with BoTorch's width the point seems to lose at most [[by_default:.2f]], but no theorem covers that width.

If every play counts, candidate [[narrow]] is next: width one stays. If the point counts, and you keep to the closed form, it is [[wide]], where nobody has looked: width three finds out what the sum lacks.
```
""",
    n,
    true_if={
        "the closed form does not stop, BoTorch's width does": n.by_default < n.epsilon and n.sum > n.delta,
        "the limit of a sampled one does": n.probability < n.limit < n.allowed < n.delta,
        "the function says so": (decide(chosen, observed, "point"), decide(chosen, observed, "plays"))
        == (("play", n.wide), ("play", n.narrow)),
        "width one stays, width three leaves": n.narrow == n.named and min(abs(n.wide - i) for i in chosen) > 8,
    },
)

# %% [markdown]
# ```{exercise} For which probability?
# :label: ch6-ex-level
#
# *Level 1 of 3, about 10 minutes.*
#
# For which $\delta$ would the width for draws, $\sqrt{2\log(NT/\delta)}$, be as short as scikit-optimize's default, $w=1.96$, on the running example with a single evaluation, $T=1$?
# ```

# %% tags=["remove-input"]
say(
    r"""
```{solution} ch6-ex-level
:class: dropdown

Solve $w^2=2\log(NT/\delta)$ for $\delta$: with $w=[[width:g]]$, $N=[[candidates]]$ and $T=1$ it is $N\,e^{-w^2/2}=[[delta:.0f]]$.
That is above one, so for no probability at all. The width [[width:g]] is a quantile of the normal distribution: right for one point and one round, without a union bound over anything.
```
""",
    exercises.default_level(),
    true_if={"it is above one": exercises.default_level().delta > 1},
)

# %% [markdown]
# ```{exercise} One root or two
# :label: ch6-ex-roots
#
# *Level 2 of 3, about 15 minutes.*
#
# By what factor can $\Psi+\sqrt{2(I+\log(1/\delta))}$ be longer than $\sqrt{\Psi^2+2(I+\log(1/\delta))}$, at most, and when is it? Does the
# difference stay bounded as $I$ grows?
# ```

# %% tags=["remove-input"]
say(
    r"""
```{solution} ch6-ex-roots
:class: dropdown

With $r=\sqrt{2(I+\log(1/\delta))}$ the ratio is $(\Psi+r)/\sqrt{\Psi^2+r^2}\le\sqrt2$, with equality for $r=\Psi$: there it is [[equal:.3f]], and [[apart:.2f]] where the norm is [[factor:g]] times $r$.
The difference is below $\Psi$ always and tends to $\Psi$ as $I$ grows: relative to the width it vanishes.
```
""",
    exercises.saved(),
)

# %% [markdown]
# ```{exercise} The width that was needed
# :label: ch6-ex-needed
#
# *Level 2 of 3, about 30 minutes, with code.*
#
# Write `needed(covariance, values, noise_variance, chosen, observed)`: the smallest constant width whose band would have held $f$ at all candidates
# before every round and after the last. The arguments are the $(N,N)$ prior covariance, the $N$ values of $f$, the noise variance, and the numbers of
# the candidates chosen with what was observed there.
# ```
#
# :::{dropdown} Hint 1
# :class-container: exercise-hint
#
# `update` from the text gives every posterior in turn. At which moments does the band have to hold?
# :::
#
# :::{dropdown} Hint 2
# :class-container: exercise-hint
#
# Before every round and after the last: take the largest $\vert f-\mu\vert/\sigma$ over candidates each time, and keep the largest of all.
# :::


# %% tags=["hide-input", "exercise-check"] mystnb={"code_prompt_show": "Show the check", "code_prompt_hide": "Hide the check"}
def check_needed(function):
    import copy

    import numpy as np

    for seed in range(20):
        generator = np.random.default_rng(seed)
        size, rounds = int(generator.integers(2, 8)), int(generator.integers(0, 12))
        factor = generator.standard_normal((size, size))
        covariance, values = factor @ factor.T + 0.1 * np.eye(size), (1 + seed % 5) * generator.standard_normal(size)
        variance, chosen = float(generator.uniform(0.1, 1)), generator.integers(0, size, rounds)
        observed = values[chosen] + np.sqrt(variance) * generator.standard_normal(rounds)
        mean, posterior, right = np.zeros(size), covariance.copy(), 0.0
        for t in range(rounds + 1):
            right = max(right, np.max(np.abs(values - mean) / np.sqrt(np.diag(posterior))))
            if t < rounds:
                gain = posterior[:, chosen[t]] / (posterior[chosen[t], chosen[t]] + variance)
                mean = mean + gain * (observed[t] - mean[chosen[t]])
                posterior = posterior - np.outer(gain, posterior[chosen[t]])
        given = {"covariance": covariance, "values": values, "noise_variance": variance}
        given |= {"chosen": chosen, "observed": observed}
        mine = copy.deepcopy(given)
        found = function(*mine.values())
        for name, value in given.items():
            assert np.array_equal(mine[name], value), f"needed changed its argument {name}"
        assert found is not None, "needed returned None"
        assert np.ndim(found) == 0, f"needed returned something of shape {np.shape(found)}; right is one number"
        said = f"returned {found:.10g}; right is {right:.10g}"
        assert abs(found - right) <= 1e-6 * right, f"seed {seed}, chosen = {chosen.tolist()}: {said}"
    print("needed: right in all cases")


# %% tags=["hide-input", "exercise-solution"] mystnb={"code_prompt_show": "Show an answer", "code_prompt_hide": "Hide the answer"}
import numpy as np


def needed(covariance, values, noise_variance, chosen, observed):
    widest = 0.0
    for t in range(len(chosen) + 1):
        known = np.asarray(chosen[:t], dtype=int)
        noisy = covariance[np.ix_(known, known)] + noise_variance * np.eye(t)
        weights = np.linalg.solve(noisy, covariance[known])
        mean = np.asarray(observed[:t]) @ weights
        variance = np.diag(covariance) - np.sum(covariance[known] * weights, axis=0)
        widest = max(widest, float(np.max(np.abs(values - mean) / np.sqrt(variance))))
    return widest


check_needed(needed)

# %% [markdown]
# ```{solution} ch6-ex-needed
# :class: dropdown
#
# The answer computes every posterior anew, the check updates it by one observation at a time. A width covers a run exactly if it is at least this number: so
# one run judges all constant widths at once, as long as they do not choose the points.
# ```
#
# ```{exercise} Fit the length-scale, and ask again
# :label: ch6-ex-fitted
#
# *Level 2 of 3, about 25 minutes, with code.*
#
# Take the twelve evaluations of the first exercise, but now nobody tells you the length-scale. Write `ask(chosen, observed)`. It fits the length-scale: it finds the one, $0.02\le\ell\le1$, that gives the values the largest density. An answer $a$ will do if $|a/\ell-1|\le0.03$. It returns
# the fitted length-scale, whether the closed form stops under it, with $\varepsilon=\delta=0.1$, and whether it stops under twice that length-scale.
#
# Guess before you run it: is the fitted one longer or shorter than that of the running example? And which of the three length-scales say stop?
# ```
#
# :::{dropdown} Hint 1
# :class-container: exercise-hint
#
# The values are normal with mean zero and covariance $K_\ell+\sigma^2I$, where $K_\ell$ is the kernel at the chosen points. Up to a constant, minus the logarithm of their density is $\frac12y^\top(K_\ell+\sigma^2I)^{-1}y+\frac12\log\det(K_\ell+\sigma^2I)$.
# :::
#
# :::{dropdown} Hint 2
# :class-container: exercise-hint
#
# `scipy.optimize.minimize_scalar(loss, bounds=(0.02, 1), method="bounded").x` is the fitted length-scale. `update` and `may_stop` from the text do the rest, beginning with the prior covariance of that length-scale.
# :::


# %% tags=["hide-input", "exercise-check"] mystnb={"code_prompt_show": "Show the check", "code_prompt_hide": "Hide the check"}
def check_ask(function):
    import copy

    import numpy as np
    from scipy.special import ndtr
    from scipy.stats import multivariate_normal

    line = np.linspace(0, 1, 101)
    square = (line[:, None] - line) ** 2
    places = np.array([0, 21, 44, 100, 73, 10, 59, 87, 14, 7, 8, 8])
    tables = [np.array([0.43, 0.39, -0.5, -0.41, -0.45, 0.63, -0.62, -0.52, 0.6, 0.65, 0.74, 0.71])]
    tables += [np.cos(pace * line[places[:count]]) for pace, count in ((14, 12), (19, 12), (19, 9), (25, 9))]
    for case, seen in enumerate(tables):
        at = places[: len(seen)]

        def density(scale, at=at, seen=seen):
            return multivariate_normal(
                cov=np.exp(-square[np.ix_(at, at)] / (2 * scale**2)) + 0.01 * np.eye(len(at))
            ).logpdf(seen)

        scales = np.geomspace(0.02, 1, 200)
        right = [scales[np.argmax([density(scale) for scale in scales])]]
        for scale in (right[0], 2 * right[0]):
            prior = np.exp(-square / (2 * scale**2))
            weights = np.linalg.solve(prior[np.ix_(at, at)] + 0.01 * np.eye(len(at)), prior[at])
            mean, left = seen @ weights, prior - prior[at].T @ weights
            best = int(np.argmax(mean))
            apart = np.sqrt(np.maximum(np.diag(left) + left[best, best] - 2 * left[best], 1e-12))
            right.append(bool(np.delete(ndtr((mean - mean[best] - 0.1) / apart), best).sum() <= 0.1))
        given = {"chosen": at.tolist(), "observed": seen.tolist()}
        mine = copy.deepcopy(given)
        found = function(*mine.values())
        for name, value in given.items():
            assert np.array_equal(mine[name], value), f"ask changed its argument {name}"
        assert np.iterable(found), f"ask returned {found}; right are three answers"
        fitted, *stops = found
        fitted, stops = float(np.squeeze(fitted)), [bool(stop) for stop in stops]
        said = "returned ({:.4g}, {}); right is ({:.4g}, {}, {})".format(fitted, ", ".join(map(str, stops)), *right)
        same = abs(fitted / right[0] - 1) <= 0.03 and stops == right[1:]
        assert same, f"case {case}, observed begins with {seen[0]:.2f} and {seen[1]:.2f}: {said}"
    print("ask: right in all cases")


# %% tags=["hide-input", "exercise-solution"] mystnb={"code_prompt_show": "Show an answer", "code_prompt_hide": "Hide the answer"}
import numpy as np
from scipy.optimize import minimize_scalar
from scipy.stats import norm


def ask(chosen, observed):
    line, y = np.linspace(0, 1, 101), np.array(observed)

    def model(scale):
        prior = np.exp(-((line[:, None] - line) ** 2) / (2 * scale**2))
        return prior, prior[np.ix_(chosen, chosen)] + 0.1**2 * np.eye(len(y))

    def loss(scale):
        _, noisy = model(scale)
        return 0.5 * y @ np.linalg.solve(noisy, y) + 0.5 * np.linalg.slogdet(noisy)[1]

    def stops(scale):
        prior, noisy = model(scale)
        weights = np.linalg.solve(noisy, prior[chosen])
        mean, C = y @ weights, prior - prior[chosen].T @ weights
        r = int(np.argmax(mean))
        apart = np.sqrt(np.maximum(np.diag(C) + C[r, r] - 2 * C[r], 1e-12))
        better = norm.cdf((mean - mean[r] - 0.1) / apart)
        return better.sum() - better[r] <= 0.1

    fitted = minimize_scalar(loss, bounds=(0.02, 1), method="bounded").x
    return fitted, stops(fitted), stops(2 * fitted)


check_ask(ask)

# %% tags=["remove-input"]
n, fitted = exercises.fits(), ask(chosen, observed)
say(
    r"""
```{solution} ch6-ex-fitted
:class: dropdown

The fitted length-scale is [[fitted:.2f]], more than twice that of the running example, and under it the rule stops; under twice of it too. Under the right one it went on. These few values happen to change slowly, so nothing speaks against a long length-scale, and such a model believes that it knows what lies between the points.

That is no accident of this table: in [[runs]] draws of length-scale 0.12, seen at [[places]] random points each, the likeliest is too long by two or more in [[long:.0%]], and too short by two or more in [[short:.0%]]. Too long is the error that breaks promises. So do not let one fitted length-scale decide: it is a guess, and the promise takes it for knowledge.
```
""",
    n | {"fitted": float(fitted[0])},
    true_if={
        "more than twice as long": fitted[0] > 2 * 0.12,
        "it stops under both, and not under 0.12": (
            bool(fitted[1]),
            bool(fitted[2]),
            decide(chosen, observed, "point")[0],
        )
        == (True, True, "play"),
        "it is more often too long": n.long > 1.5 * n.short,
    },
)

# %% [markdown]
# ```{exercise} From which horizon on?
# :label: ch6-ex-horizon
#
# *Level 1 of 3, about 15 minutes, with code.*
#
# Write `first_horizon(horizons, bounds, trivial)`. The first two arguments are lists. The result is the first of the increasing `horizons` from which on the bound divided by the horizon stays below
# `trivial`, the trivial bound for one evaluation; infinity if there is none. A bound may be NaN where it is not stated, and then is not informative.
# ```
#
# :::{dropdown} Hint 1
# :class-container: exercise-hint
#
# The first horizon at which the bound lies below the line is not enough. What must hold at all later ones?
# :::
#
# :::{dropdown} Hint 2
# :class-container: exercise-hint
#
# Go through the horizons backwards, and stop at the first that is not below the line.
# :::


# %% tags=["hide-input", "exercise-check"] mystnb={"code_prompt_show": "Show the check", "code_prompt_hide": "Hide the check"}
def check_first_horizon(function):
    import copy
    import math

    nan, inf = math.nan, math.inf
    cases = [
        ([1, 2, 4], [2.0, 1.0, 1.0], 1.0, 2),
        ([1, 2, 4], [0.5, 3.0, 1.0], 1.0, 4),
        ([1, 2, 4], [0.5, 1.0, 2.0], 1.0, 1),
        ([1, 2, 4], [0.5, 1.0, 4.0], 1.0, inf),
        ([1, 2, 4], [nan, nan, 1.0], 1.0, 4),
        ([1, 2, 4], [0.5, 1.0, nan], 1.0, inf),
        ([10, 30, 90, 100], [50.0, 60.0, 70.0, 80.0], 3.0, 30),
        ([10, 30, 90, 100], [50.0, 60.0, 70.0, 80.0], 0.9, 90),
    ]
    for *given, right in cases:
        mine = copy.deepcopy(given)
        found = function(*mine)
        for name, one, value in zip(("horizons", "bounds", "trivial"), mine, given, strict=True):
            assert repr(one) == repr(value), f"first_horizon changed its argument {name}"
        assert found == right, f"first_horizon{tuple(given)}: returned {found}; right is {right}"
    print("first_horizon: right in all cases")


# %% tags=["hide-input", "exercise-solution"] mystnb={"code_prompt_show": "Show an answer", "code_prompt_hide": "Hide the answer"}
def first_horizon(horizons, bounds, trivial):
    first = float("inf")
    for horizon, bound in reversed(list(zip(horizons, bounds, strict=True))):
        if not bound / horizon < trivial:
            break
        first = horizon
    return first


check_first_horizon(first_horizon)

# %% [markdown]
# ```{solution} ch6-ex-horizon
# :class: dropdown
#
# Going backwards ends at the last horizon that is not informative. The comparison is written so that NaN, which is below nothing, ends the search too.
# ```
#
# ```{exercise} A width that hardly grows
# :label: ch6-ex-batches
#
# *Level 2 of 3, about 15 minutes.*
#
# BPE chooses the points of a batch by the posterior variance alone, and forgets all batches before. For a norm of at most $\Psi$ and $B$ batches its width is $\Psi+\sqrt{2\log(NB/\delta)}$. It hardly grows with $T$, while the one-root width does.
# Where does the difference come from, and why may GP-UCB not use it? What does BPE lose in exchange?
# ```

# %% tags=["remove-input"]
say(
    r"""
```{solution} ch6-ex-batches
:class: dropdown

Within a batch the points are chosen by the variance alone, which knows no values. The error of the mean at one candidate is then a weighted sum of independent noise, and a union bound over $N$ candidates and $B$ batches is enough.
$B$ grows like $\log\log T$: with $N=[[candidates]]$, $\Psi=[[norm:g]]$ and $\delta=[[delta:g]]$ the width is [[batches_early:.2f]] at $T=[[at]]$, with $B=[[early_batches]]$, and [[batches_late:.2f]] at a million, with $B=[[late_batches]]$. There the one-root width goes from [[sharper_early:.2f]] to [[sharper_late:.2f]].

In GP-UCB each choice depends on the noise so far, so the sum is one of dependent terms, and the information gain enters.
BPE forgets each batch, and plays what it cannot rule out yet rather than what is best: on functions of norm one, in [[width_runs]] runs of [[width_rounds]] evaluations each, it loses [[regret:.0f]], and GP-UCB at most [[others:.1f]] with a width that is proved for any choice of points under this noise.
```
""",
    exercises.growth()
    | {"regret": w.batches_regret, "others": w.theorem_most, "width_runs": w.grid_runs, "width_rounds": w.at},
    true_if={"BPE loses more than GP-UCB with a theorem's width": w.batches_regret > w.theorem_most},
)

# %% [markdown]
# ```{exercise} The wrong assumption
# :label: ch6-ex-assumption
#
# *Level 2 of 3, about 20 minutes.*
#
# Fifty independent arms have prior variance one. The width $\Psi+\sqrt{2(I+\log(1/\delta))}$ with $\Psi=1$ covers nearly always if $f$ has norm one there. If $f$ is a draw of the prior it covers less often. How large is the norm of
# a draw? Would the width with that norm cover? What does this say of a width for a known norm whose norm nobody knows?
# ```

# %% tags=["remove-input"]
say(
    r"""
```{solution} ch6-ex-assumption
:class: dropdown

It covers in [[known:.1%]] of runs with norm 1, and in [[drawn:.1%]] of those with draws (95 % interval [[low:.1%]] to [[high:.1%]]).
On independent arms of unit variance the squared norm is the sum of the squared values, about [[arms]] for a draw: the norm is about [[norm:.1f]]. With it the width grows by the difference, and covers.

A draw of the prior on many candidates has a norm that grows with their number. A guess of the norm is an assumption as strong as the prior, and no data of a usual run refute it.
```
""",
    exercises.drawn_arms(),
    true_if={"it covers less often on draws": exercises.drawn_arms().high < exercises.drawn_arms().known},
)

# %% [markdown]
# ```{exercise} Predict: the picture after a longer run
# :label: ch6-ex-predict-rounds
#
# *Level 1 of 3, about 10 minutes.*
#
# In the cell that draws the picture of widths, quadruple the number of evaluations in both places where it stands, and play `truths[:20]`, which takes less long. Before you run it, sketch the new curve into the left panel. Which end rises most? Does the right panel change?
# ```

# %% tags=["remove-input"]
after = {}
for width in (0.45, 5):
    rng = np.random.default_rng(1)
    after[width] = np.array([play(truth, width, 800, rng) for truth in truths[:20]])
grown = {width: float((rows[:, 799] / rows[:, 199].mean()).mean()) for width, rows in after.items()}
say(
    r"""
```{solution} ch6-ex-predict-rounds
:class: dropdown

The left end rises most. A run that sits on a wrong peak loses as much every day, so at the shortest width the regret grows [[short:.1f]]-fold; at width five [[long:.1f]]-fold, since there a run has explored and stays at the peak. The longer you play, the more a width costs that is too short. The right panel hardly changes: what the band misses it misses early.
```
""",
    Numbers(here(same_run.same_run), short=grown[0.45], long=grown[5]),
    true_if={
        "the left end rises most": grown[0.45] > 1.5 * grown[5],
        "by more than twice": grown[0.45] > 2,
        "needed hardly changes": all(
            np.quantile(rows[:, -1], 0.9) < 1.15 * np.quantile(runs[widths.index(width), :20, -1], 0.9)
            for width, rows in after.items()
        ),
    },
)

# %% [markdown]
# ```{exercise} Predict: a promise at a fixed time
# :label: ch6-ex-predict-time
#
# *Level 2 of 3, about 10 minutes.*
#
# The band of two standard deviations holds $f(x)$ at one candidate and one fixed time in nineteen cases of twenty. Somebody stops as soon as it says so. In which figure of this page do you expect to see the damage most: with
# fifty independent arms, or on a smooth line? Why?
# ```
#
# ```{solution} ch6-ex-predict-time
# :class: dropdown
#
# With the arms. On a smooth line neighbours have nearly the same error, so that a hundred candidates are worth a handful. Fifty arms are fifty chances to be fooled, and looking after every evaluation gives each of them many tries.
# ```
#
# ```{exercise} Predict: random search
# :label: ch6-ex-predict-random
#
# *Level 1 of 3, about 5 minutes.*
#
# Random search plays without looking at any value. By which of the two measures does it come nearer to the best rule, and what does the naming of a point have to do with it?
# ```
#
# ```{solution} ch6-ex-predict-random
# :class: dropdown
#
# By the point that is named. Its plays are as bad at the end as at the beginning, so every one costs the average. But a model that has seen a hundred random points of a smooth function knows it nearly everywhere, and names a good candidate, perhaps one that was never played.
# ```
#
# ### Two open projects
#
# *Stopping with a fitted model.* The rule by the posterior is exact for a known prior. Put a prior on the length-scale, average $q_t$ over it, and measure the broken promises where the true one is drawn from that prior, and
# where it is not. What does the promise cost in evaluations?
#
# *A rule for tens.* Design a batch rule that pays like the best rule for every play and names like the best one for the point, on the functions of the study. Write down margins and seeds first. The record says which rules to
# beat.

# %% [markdown]
# ## Parameters
#
# A width of your own, on functions of known norm; at first with the points, kernel and noise of the running example. Nothing above depends on these. {doc}`../book/bounds` has all widths that are proved there.

# %% tags=["parameters"]
seed = 0  # seed of the runs with your own width, non-negative integer
kernel = "se"  # se, matern12, matern32 or matern52, a name
lengthscale = 0.12  # length-scale of the kernel, side of the unit cube
dim = 1  # dimension of the unit cube, count
points = 101  # candidates an axis, count
noise = 0.1  # noise standard deviation, units of f
norm = 2.0  # norm of f, units of f
delta = 0.1  # failure probability of a width, dimensionless
horizon = 40  # evaluations T of a run, count
width = 2.0  # a width of your own, posterior standard deviations
runs = 200  # runs with your own width, count

# %% tags=["remove-input"]
check_parameters(parameters.CHAPTER, globals())

# %% tags=["remove-input"]
own = live.own_runs(seed, kernel, lengthscale, dim, points, noise, norm, horizon, width, runs)
n = live.numbers(own, width, delta)
say(
    r"""
The width [[width:g]] covers in [[covered:.1%]] of [[runs]] runs (95 % interval [[low:.1%]] to [[high:.1%]]); [[enough:.2f]] would have covered in [[promise:.0%]] of them. The mean regret of a run is [[regret:.2f]].
""",
    n,
)

# %% [markdown]
# :::{moved}
# three-questions | ch6-question
# all-widths-one-convention | ch6-widths
# your-library-s-default | ch6-defaults
# does-it-cover | ch6-covers
# what-a-width-costs | ch6-width-costs
# your-own-setting | parameters
# which-bound-says-something-and-when | which-bound
# where-the-gap-comes-from | ch6-gap
# with-widths-of-their-own | ch6-methods
# ten-at-once | ch6-methods
# what-a-setting-costs-and-what-it-gains | ch6-settings
# what-survives | ch6-settings
# run-record | ch6-run-record
# :::
