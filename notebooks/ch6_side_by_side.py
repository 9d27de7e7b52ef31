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
# # Side by side: widths, bounds and methods in one setting
#
# *The five papers of this book, the classical widths, and the defaults of libraries, in one convention.*
#
# Each of the five papers bounds the same quantity, the regret of a Gaussian-process bandit. Each has its own width, its own constants
# and its own rivals, on problems of its own. Here all of them stand in one setting. You need to know GP-UCB for this page, and
# none of the papers.
#
# To run this page as a notebook, download it and the package; the head of the page in the book links to both. One line installs all
# that it needs: `pip install "gp_bandit_companion-0.1.0-py3-none-any.whl[chapters]"`. `companion run 6 -p width=3` runs it at other
# parameters.

# %% tags=["remove-input"]
from companion.pages import say, show
from companion.pages.chapter import check_parameters, run_record
from companion.papers.across import steps_page
from companion.papers.across.experiments import parameters
from companion.papers.across.page import (
    exercises,
    live,
    record,
    shifts,
    which_bound,
    which_method,
    which_setting,
    which_width,
)
from companion.papers.across.page import which_bound_figures as bound_figures
from companion.papers.across.page import which_method_figures as method_figures
from companion.papers.across.page import which_width_figures as width_figures
from companion.papers.across.widths import stored as stored_widths

# isort: split

# %% [markdown]
# ## Three questions
#
# A policy of this kind keeps a posterior with mean $\mu_{t-1}$ and standard deviation $\sigma_{t-1}$, and a *width* $w_t$. The band
# $\mu_{t-1}\pm w_t\sigma_{t-1}$ is to hold the unknown function $f$ at all candidates and in all rounds, with probability $1-\delta$.
# GP-UCB plays the largest upper end. **Width** means the factor of $\sigma$ everywhere on this page: papers and libraries also write
# $\beta$ for it, or $\sqrt\beta$, or $\kappa$.
#
# The papers' methods, in a line each:
#
# - **TS-RSR** (chapter 1) is Thompson sampling for batches of points.
# - **Compressed UCB** (chapter 2) is GP-UCB that keeps a point only if it is informative enough.
# - **BPE** (chapter 3) explores in a few growing batches and drops what can no longer be best; *robust-BPE* does so for points that may be displaced.
# - **MF-GP-UCB** (chapter 4) steers many agents by the *law* of their actions: which share of them does what.
# - **WDRBO** (chapter 5) chooses while a *context* is drawn from a law that is known only roughly, and prepares for a ball of laws.

# %% tags=["remove-input"]
w = which_width.numbers()
say(
    r"""
**Which width?** For a function of known norm $\Psi$ take

$$\sqrt{\Psi^2+2(I_{t-1}+\log(1/\delta))},$$

with $I_{t-1}$ the information gain of the points so far. No shorter one is proved here for points chosen one by one, and no much shorter one is possible: on one arm with small steps [[small_enough:.0%]] of it is needed.
For draws of the prior take TS-RSR's, $\sqrt{2\log(2NT/\delta)}$ for $N$ candidates: [[lemma:.2f]] at $T=[[at]]$, where that of Srinivas et al. is [[finite:.2f]].

No library's default is long enough for any of these theorems. On random functions the longest of the four that run here, that of [[longest]], misses $f$ at some candidate in some round in [[miss:.0%]] of runs, and BoTorch's in all; on one arm [[longest]]'s misses it in [[arm:.0%]].
For regret the shorter width is the better one, down to a limit: on draws scikit-optimize's default, [[drawn_best_width:g]], loses least, and BoTorch's more than any theorem's.
""",
    w,
    true_if={
        "the sharper width is the shortest that is proved for any choice": w.sharper < min(w.usual, w.chowdhury),
        "it has next to nothing to save on one arm": w.small_high > 0.95,
        "for draws TS-RSR's is the shorter one, and loses less": w.lemma < w.finite
        and w.drawn_shortest == "TS-RSR, Lemma 6",
        "no default that runs covers as often as a theorem, and the longest covers most": w.theirs_high < 0.9
        and w.worst,
        "BoTorch's covers in no run": w.never == 0,
        "every default loses less than every theorem on functions of known norm": w.cheaper,
        "scikit-optimize's loses least on draws": w.drawn_first == "scikit-optimize" and w.drawn_best == w.drawn_least,
        "BoTorch's loses more than any theorem's on draws": w.stuck > w.drawn_most,
    },
)

# %% tags=["remove-input"]
b = which_bound.numbers()
t = which_bound.saying_numbers()
say(
    r"""
**Which bound says something, and when?** A bound says something once it is below the *trivial line*, what the worst choices lose.
After [[at]] evaluations none of [[printed]] bounds printed in the five papers does so in the setting of the section's picture. Of [[ours]] sharper or repaired ones that this book proves, [[saying_ours]] do: two for TS-RSR with single points, the first of all from T = [[first]] on, and MF-GP-UCB's. So does GP-UCB's, which is older. TS-RSR's as printed follows at [[first_printed]].
Our runs break none of them, and none is tight: in the median the best form of a bound is [[middle:.0f]] times the measured regret.
Bounds for TS-RSR and MF-GP-UCB are on the expected regret; the others hold with probability [[sure:g]] or [[surest:g]].
""",
    b | t,
    true_if={
        "no bound lies below the measured regret": b.above == 0,
        "no mean regret reaches the trivial line": b.reached == 0,
        "TS-RSR's is the first": b.earliest == b.first,
        "no printed bound says something there": t.no_printed,
        "those that do are these": t.saying_of == ["GP-UCB", "MF-GP-UCB", "TS-RSR", "TS-RSR"],
        "two papers bound the expectation": t.expected == ["TS-RSR", "MF-GP-UCB"],
    },
)

# %% tags=["remove-input"]
m, s = which_method.numbers(), which_setting.setting_numbers()
shifted = shifts.shift_numbers()
say(
    r"""
**Which method?** That depends on what you pay for.

- *Every play costs its regret:* GP-UCB with width [[width:g]]. On average over [[problems]] problems the next two, EI over the largest posterior mean and B-UCB, lose [[nearest_over:.0%]] and [[bucb_over:.0%]] more; of [[all_behind]] other methods none is shown to be ahead on any problem. Compressed UCB, which evaluates only [[kept_share:.0%]] of its points, loses as little.
- *Only the best point counts:* these runs hardly decide it. By the point that a method names after [[at]] evaluations none is shown to be better than GP-UCB, and compressed UCB, BPE and random search are shown to be worse. By the best point that was evaluated, which under noise nobody knows, EI over the largest observation and TS-RSR are ahead: EI evaluates the optimum in [[simple_solved_ei:.0%]] of runs, GP-UCB in [[simple_solved_ucb:.0%]].
- *Rounds of feedback cost:* batches. After [[rounds]] rounds a rule with [[batch]] points a round has made [[batched_at]] evaluations instead of [[alone_at]], and is far ahead. For as many evaluations, over [[batch_runs]] seeds, the rules that were played both ways lose between nothing (EI over the largest observation) and [[batch_cost:.0%]] more (B-UCB with ten a round).

The common width [[width:g]] was not tuned and happens to suit GP-UCB: with the width of its theorem it loses [[srinivas:.1f]] times as much, more than [[like_theorem]] of the [[all_behind]] others do.
""",
    m | s,
    true_if={
        "GP-UCB and its compressed forms lead": m.lead,
        "they are told apart from all others": m.apart,
        "EI over the largest mean and B-UCB are next": (m.nearest, m.second) == ("EI, largest mean", "B-UCB"),
        "no other method is ahead of GP-UCB on any problem": not m.ahead_anywhere,
        "compressed UCB loses as little": m.changed < 0.05,
        "by the point named none is ahead of GP-UCB": not m.recommended_ahead,
        "these three are behind": m.recommended_behind == ["compressed UCB", "BPE", "random"],
        "these are ahead by the best point evaluated": m.simple_ahead
        == ["batch EI, largest observation", "EI, largest observation", "TS-RSR, one at a time", "TS-RSR"],
        "batches gain with every rule and size": s.batch_gains,
        "batches of EI over the largest observation cost nothing, and B-UCB's of ten the most": s.ei_free
        and s.dearest == "B-UCB, batches of 10",
        "the theorem's width costs more than most methods": m.like_theorem > m.all_behind / 2,
    },
)

# %% [markdown]
# ## Parameters
#
# These settings are used in one place, *Your own setting*. Everything else on this page is stored, and stays as it is.

# %% tags=["parameters"]
seed = 0  # seed of the runs with your own width, non-negative integer
kernel = "matern52"  # se, matern12, matern32 or matern52, a name
lengthscale = 0.3  # length-scale of the kernel, side of the unit cube
dim = 1  # dimension of the unit cube, count
points = 40  # candidates an axis, count
noise = 0.1  # noise standard deviation, units of f
norm = 1.0  # norm of f, units of f
delta = 0.1  # failure probability of a width, dimensionless
horizon = 100  # evaluations T of a run, count
width = 2.0  # a width of your own, posterior standard deviations
runs = 200  # runs with your own width, count

# %% tags=["remove-input"]
check_parameters(parameters.CHAPTER, globals())

# %% [markdown]
# (which-width)=
# ## Which width?
#
# ### All widths, one convention
#
# Two assumptions on $f$ lead to two kinds of widths. Either $f$ has a norm of at most $\Psi$ in the kernel's space, as in chapters 3
# and 5. Or $f$ is a draw of the prior on $N$ candidates, as in chapters 1 and 2. Let $I_t$ be the information gain of the points
# chosen so far, or an upper end of it. The widths that hold in all rounds with probability at least $1-\delta$ are
#
# | width $w_t$ | proved for | by |
# |---|---|---|
# | $\Psi+\sqrt{2(I_{t-1}+1+\log\frac1\delta)}$ | norm $\Psi$, in a model with $1+\frac2T$ times the noise variance | Chowdhury and Gopalan {cite}`chowdhury2017kernelized` |
# | $\Psi+\sqrt{2(I_{t-1}+\log\frac1\delta)}$ | norm $\Psi$ | self-normalised {cite}`durand2018streaming,whitehouse2023sublinear`; chapters 3 and 5 |
# | $\sqrt{\Psi^2+2(I_{t-1}+\log\frac1\delta)}$ | norm $\Psi$ | one root for norm and gain {cite}`flynn2023improved,flynn2024tighter` |
# | $\Psi+\sqrt{2\log\frac{NB}\delta}$ | norm $\Psi$, $B$ batches | BPE, chapter 3 |
# | $\sqrt{2\log\frac{N\pi^2t^2}{6\delta}}$ | draws | Srinivas et al. {cite}`srinivas2010gaussian`; chapter 2 |
# | $\sqrt{2\log\frac{2NT}\delta}$ | draws | TS-RSR, chapter 1 |

# %% tags=["hide-input"]
show(
    width_figures.over_horizon(),
    "Widths over T, for a squared-exponential kernel on [[points]] points of a line, noise [[noise:g]], δ = [[delta:g]]. "
    "Colour: what is proved, on the left for norm 1, on the right for draws. Grey: what experiments of the papers and libraries use; Optuna's changes with T, and was asked for up to [[read_to]] trials. "
    "Not shown: the width of Srinivas et al. for a known norm, [[old:.0f]] at T = [[at]], and MF-GP-UCB's as printed, [[crowd:.0f]] there, [[crowd_repaired:.1f]] once repaired.",
    w,
    alt="Two panels of widths over T on logarithmic axes. Left, for functions of known norm: three curves rise from about six to thirteen, that of Chowdhury and Gopalan on top, "
    "the one root below; Proposition 1 stays level at five. Three grey lines of experiments lie at three and below. "
    "Right, for draws: the width of Srinivas et al. rises from five to eight, that of TS-RSR from four to six. Grey lines of libraries lie far below, BoTorch's below one half.",
    true_if={
        "one root is shorter than two": w.sharper < w.usual < w.chowdhury,
        "BoTorch's default is below one half": w.botorch_width < 0.5,
    },
)

# %% [markdown]
# In code, the width with one root:
#
# ```{literalinclude} ../src/companion/bounds/confidence.py
# :pyobject: mixture_width
# ```
#
# The width for batches hardly grows, since within a batch no choice looks at the values: a union bound over candidates and batches
# is enough. The price is paid elsewhere, as BPE forgets each batch before the next.
#
# ### Your library's default
#
# Most runs are made with what a library takes when it is not told. Here it is, asked of the library itself or read in its source:

# %% tags=["remove-input"]
show(
    which_width.defaults_table(),
    "Defaults, and what part they are of the width that a theorem needs: that of Srinivas et al. for draws, and the self-normalised one for norm 1. "
    "The setting is that of the figure. “In its source”: the library cannot be installed beside the others, so the number was read in the source of that release.",
    w,
)

# %% tags=["remove-input"]
say(
    r"""
Beware of the names: BoTorch takes the root of its `beta`, Trieste and KerasTuner do not, and scikit-optimize and bayesian-optimization call the same factor `kappa`.
Optuna uses its width only to decide when to stop. It starts from that of Srinivas et al. for draws, puts the dimension in place of $N$, counts only the better half of the trials, and divides the square by five: [[optuna_width:.2f]] at T = [[at]].
""",
    w,
)

# %% [markdown]
# ### Does it cover?
#
# A width is judged by runs: does the band hold $f$ at every candidate in every round? On the grid, the candidates of the figure
# above, GP-UCB plays with the width that is judged. Independent arms, pulled in turn, are the harder case. On one arm the bound behind the self-normalised
# width is nearly an equality, if the noise is so large that each pull changes the posterior by a small step.

# %% [markdown]
# All runs of a kind advance together, and the largest error over the width times $\sigma$ is kept: a run is covered where it stays
# below one.
#
# ```{literalinclude} ../src/companion/papers/across/widths/grid_runs.py
# :pyobject: gp_ucb
# ```

# %% tags=["hide-input"]
show(
    width_figures.shares(),
    "Share of [[runs]] runs in which the band holds f throughout, with exact 95 % intervals, which are hardly longer than the marks. "
    "Filled: the width's theorem is about this case. Dashed: what is promised. All [[promises]] promises are kept, those on instances that are not shown included; [[spare]] have more than a quarter of the width to spare.",
    w,
    alt="Four panels of dots, one row a width: random functions of known norm, draws, fifty arms, one arm. Filled dots of theorems lie right of the dashed line at [[promise:.0%]], nearly all at the right end. "
    "Hollow squares of experiments and libraries lie left of it in most panels; BoTorch's at zero in all four.",
    true_if={
        "all promises are kept": w.kept == w.promises,
        "BoTorch's default covers in no run": w.never == 0,
    },
)

# %% tags=["remove-input"]
say(
    r"""
On the grid [[enough_least:.0%]] to [[enough:.0%]] of a theorem's width would cover as often as is promised.
That is no reason to shorten them: on one arm with small steps the sharper width covers in [[small_covered:.1%]] of runs, and [[small_enough:.0%]] of it is needed.
""",
    w,
    true_if={"a large part is needed on one arm": w.small_enough > 0.95},
)

# %% tags=["remove-input"]
say(
    r"""
What do libraries say of their widths? Only two speak of confidence. OptunaHub's number would be right, for a single point, if the width were its `beta` of two. It is the root, [[hub_width:.2f]], and covers in [[hub:.0%]] of runs on random functions and in [[hub_drawn:.0%]] on draws.
""",
    w,
    true_if={"OptunaHub's covers less than its text says": w.hub_high < 0.95},
)

# %% tags=["remove-input"]
show(
    which_width.said_table(),
    "What the documentation of each default says of confidence, word for word, and the share of [[runs]] runs in which a band of that width holds f throughout. "
    "“draws” are draws of the prior. A width that did not run has the share of one within one per cent of it; a dash: it did not run there. PHYSBO's is proposed, no release has it.",
    w,
)

# %% tags=["remove-input"]
say(
    r"""
A check that never fails proves nothing. Before the runs we wrote down [[short]] cases where a width is too short; all are caught:
""",
    w,
    true_if={"all are caught": w.caught == w.short},
)

# %% tags=["remove-input"]
show(
    which_width.caught_table(),
    "What is too short, where, and how often it covers; the promise is [[promise:.0%]]. “times” is the part of the width that was judged.",
    w,
)

# %% [markdown]
# Both checks are among the checked statements of this chapter. Here is the one of all promises, with the whole width and with parts of it:

# %%
from companion.papers.across.checks.which_width import covers, promises

for factor in (1.0, 0.8, 0.5):
    judged = [covers(promise, factor=factor) for promise in promises()]
    broken = [case.where for case in judged if not case.holds]
    print(f"{factor:.0%} of the width: {len(broken)} of {len(judged)} promises broken")

# %% [markdown]
# ### What a width costs
#
# Coverage is what proofs need. Regret is what you pay:

# %% tags=["hide-input"]
show(
    width_figures.bought(),
    "Regret of [[at]] evaluations of GP-UCB on the grid, mean of [[runs]] runs with common functions and noise, over the width at the last of them. "
    "“Other widths”: what experiments of the papers use, and widths whose theorem is about another case. Shorter is better, as long as the rule still leaves a wrong peak: BoTorch's default does not always, which shows on draws.",
    w,
    alt="Two panels, regret over width on a logarithmic axis. On random functions regret falls from right to left, from seven to above eight with theorems to three with BoTorch's default. "
    "On draws it falls in the same way to about five near a width of two, and then jumps to fourteen with BoTorch's default, with a wide interval.",
    true_if={
        "BoTorch's default loses more than any theorem's on draws": w.stuck > w.drawn_most,
        "the other defaults lose less than the theorem there": w.drawn_best < w.drawn_theorem,
    },
)

# %% tags=["remove-input"]
say(
    r"""
On draws BoTorch's default loses [[stuck:.1f]] on average, against [[drawn_theorem:.1f]] with the shortest width that is proved for them, TS-RSR's. One run in twenty loses [[stuck_q95:.0f]] or more, as if it stayed on a wrong peak; with TS-RSR's width one in twenty loses [[drawn_q95:.0f]] or more. scikit-optimize's default, [[times:.1f]] times as long as BoTorch's, loses [[drawn_best:.1f]].

So a theorem's width is an insurance. Its price here is [[premium:.2f]] times the regret of the best default.
""",
    w,
    true_if={
        "the worst runs lose several times as much": w.stuck_q95 > 3 * w.drawn_q95,
        "TS-RSR's is the shortest proved, scikit-optimize's the best default": (w.drawn_shortest, w.drawn_first)
        == ("TS-RSR, Lemma 6", "scikit-optimize"),
    },
)

# %% [markdown]
# ### Your own setting
#
# All widths in a setting of yours. `cp.bounds_table` also takes your candidates or covariance, and says why a width does not apply:

# %%
import companion as cp

place = {"kernel": "matern52", "lengthscale": 0.3, "dim": 1, "points": 40, "noise": 0.1}
mine = cp.bounds_table(**place, horizon=100, norm=1.0, delta=0.1, farthest=1000)
for row in mine.of("width"):
    print(f"{row.form.id:32} {row.value:6.2f}   f: {row.form.model}")

# %% [markdown]
# And a width of your own, in GP-UCB on random functions, at the parameters above:

# %% tags=["hide-input"]
own = live.own_runs(seed, kernel, lengthscale, dim, points, noise, norm, horizon, width, runs)
n = live.numbers(own, width, delta)
say(
    r"""
The width [[width:g]] covers in [[covered:.1%]] of [[runs]] runs (95 % interval [[low:.1%]] to [[high:.1%]]); [[enough:.2f]] would have covered in [[promise:.0%]] of them. The mean regret of a run is [[regret:.2f]].
""",
    n,
)

# %% [markdown]
# (which-bound)=
# ## Which bound says something, and when?
#
# A bound on regret that exceeds what the worst choices could lose tells nothing about a method. This *trivial line* is known without any
# run. An evaluation can lose $\mathbb E[\max f-\min f]$ for draws, the largest range of a function of norm $\Psi$, or, in the game of agents in
# chapter 4, the mean range of its rewards; the line is $T$ times that, in every chapter.
#
# ```{literalinclude} ../src/companion/bounds/ranges.py
# :pyobject: norm_range
# ```
#
# A bound may cross the line more than once, so a horizon counts only if the bound stays below:
#
# ```{literalinclude} ../src/companion/papers/across/bounds_table.py
# :pyobject: says_something_from
# ```
#
# ```{literalinclude} ../src/companion/bounds/trivial.py
# :pyobject: horizon
# ```
#
# All bounds take certified upper ends of the information gain ({doc}`../book/certificate`). They are compared with runs of the method itself
# with the width of its own theorem, in the setting of that theorem.

# %% tags=["hide-input"]
show(
    bound_figures.bounds_and_regret(),
    "Bounds and measured regret, divided by the trivial line, for candidates on an interval with noise [[noise:g]]. Marks: mean of [[runs]] runs at T = [[at]], moved sideways a little to be seen. "
    "TS-RSR asks for single points. Left, as printed (WDRBO's needs more noise than this); right, the best form that this book could prove or repair. GP-UCB's bound is the same in both.",
    b,
    alt="Two panels with logarithmic axes, regret over the trivial line against T. Left: five printed bounds begin above one; BPE's closed form begins near a thousand and is still above one at a million; "
    "GP-UCB's crosses first, before a thousand. Right: all come down, TS-RSR's crosses before a hundred. Marks of measured regret at a thousand evaluations lie between just under a hundredth and a fifth, each far below the curve of its own method.",
    true_if={"no bound lies below the measured regret": b.above == 0, "BPE's closed form says nothing": b.closed},
)

# %% tags=["remove-input"]
say(
    r"""
No bound is broken: in [[settings]] settings and two games, none of [[compared]] comparisons has the interval of the measured regret reach a bound. The nearest bound is [[slack:.1f]] times the regret it is about.
Even the largest measured mean regret is only [[trivial:.0%]] of the trivial line, the upper end of its interval [[trivial_high:.0%]].
""",
    b,
    true_if={"no bound is broken": b.above == 0},
)

# %% tags=["remove-input"]
show(
    which_bound.horizon_table(),
    "The number of evaluations from which on each bound is below the trivial line, to two digits; “none”: not up to a million; a dash where it is not stated. "
    "“Line” and “square” have the squared-exponential kernel, “Matérn” is on the line; the last three columns have noise 0.3. The game of MF-GP-UCB has a kernel of its own. "
    "“mean”: a bound on the mean regret; the others hold in a run with the probability given.",
    b,
)

# %% tags=["remove-input"]
say(
    r"""
Of the five papers' printed bounds, none says anything after [[at]] evaluations in the setting of the picture. GP-UCB's, printed by Srinivas et al., does.

Three things decide when a bound begins to say something.
*The form*: for TS-RSR, BPE and MF-GP-UCB the better form moves the horizon further than any change of setting in the table does. BPE's closed form says nothing up to a million evaluations; the sum in its own proof does, from [[bpe]] on.
*The model*: in every setting some bound for draws says something before any for a known norm, whose width grows with the gain.
*The method*: in batches of [[batch]] the bounds of TS-RSR begin at [[printed_batched]] and [[best_batched]] evaluations, against [[first_printed]] and [[first]] with single points; the next figure has batches. A rule that compresses has more to prove. The printed bound of compressed UCB comes later than GP-UCB's in every column, though its runs lose less in [[less]] of [[settings]] settings.
""",
    b,
    true_if={
        "no printed bound of the five papers says anything there": t.no_printed,
        "GP-UCB's does": "GP-UCB" in t.saying_of,
        "batches come later": b.single_first,
        "no better form is later than the printed one": b.repairs,
        "the closed form says nothing": b.closed,
        "draws speak first": b.draws_first,
        "for these three the form moves most": b.moved == ["TS-RSR", "BPE", "MF-GP-UCB"],
        "compressed UCB's bound comes later": b.compressed_later,
        "it loses less in most settings": b.less > b.settings / 2,
    },
)

# %% [markdown]
# {doc}`../book/bounds` has all bounds at one setting with every assumption, and a figure to drag.

# %% [markdown]
# ### Where the gap comes from
#
# Between the measured regret and the bound lie the steps of a proof. The five proofs take the same ones, in the same order:
#
# | step | of what: what takes its place |
# |---|---|
# | interval paid | of what a play lost: the length of the interval at that play, with the width that would just have covered all but a tenth of the runs. UCB and WDRBO pay twice, TS-RSR and MF-GP-UCB once; BPE pays for the whole band at the play and at the optimum, both as wide as the batch before left any |
# | width | of the width that covered: the theorem's, for a single round |
# | union bounds | of that: the theorem's width for all rounds, and in chapter 1 for two events |
# | Cauchy–Schwarz | of a sum of deviations: the root of their squares |
# | information | of a variance: a multiple of what one observation there teaches |
# | gain | of the information that was gathered: the largest that so many points can gather, certified |
# | own device | what the method has and GP-UCB has not: batches (chapters 1 and 3), the budget of a rejected round, the lattice of laws, the random context |
# | closed form | of the sum that this leaves: the form in which the theorem is printed |
#
# Each step is one number over the one before, so that all together multiply to the bound over the regret. Only the first
# two can make the number smaller: the width that was needed is measured, and a theorem's may be shorter.

# %% tags=["hide-input"]
setting = ("se", 1, 0.1)
words = {
    "measured": "measured regret",
    "confidence": "interval paid",
    "width": "width",
    "union": "union bounds",
    "cauchy": "Cauchy–Schwarz",
    "information": "information",
    "gain": "gain",
    "device": "own device",
    "closed": "closed form",
    "all": "all together",
    "trivial": "trivial",
    "printed": "as printed",
    "sharper": "sharper form",
    "unused": "not used",
}
n = steps_page.step_numbers(setting)
show(
    steps_page.waterfalls(setting, words),
    "From the measured regret to the bound, T = [[at]], [[points]] points of the unit interval under the squared exponential kernel, noise "
    "[[noise:g]], means over [[runs]] runs; TS-RSR with batches of [[batch]], BPE and WDRBO on functions of norm [[norm:g]], MF-GP-UCB on its own game. Each bar "
    "starts where the one above ends, on one scale for all methods. Red bars end at a theorem as printed, "
    "green ones at a repaired theorem. Dotted: the trivial bound. Dashed: another form of the same theorem.",
    n,
    alt="Six waterfall charts on one logarithmic scale, from the measured regret down to the bound. "
    "TS-RSR goes from [[ts_rsr_regret:.3g]] to [[ts_rsr_bound:.0f]], with its longest bar at its own device. "
    "Compressed UCB goes from [[compressed_ucb_regret:.3g]] to [[compressed_ucb_bound:.0f]] and GP-UCB from [[gp_ucb_regret:.3g]] to [[gp_ucb_bound:.0f]], both with the longest bar at the interval paid. "
    "BPE goes from [[bpe_regret:.3g]] to [[bpe_bound:.0f]], with the longest bar at the closed form. "
    "MF-GP-UCB goes from [[mf_gp_ucb_regret:.3g]] to [[mf_gp_ucb_bound:.0f]], with the longest bar at Cauchy–Schwarz, and WDRBO from [[wdrbo_regret:.3g]] to [[wdrbo_bound:.0f]], with the longest at the interval paid. "
    "Only the bounds of GP-UCB and MF-GP-UCB end to the left of the trivial one.",
    true_if={
        "no stored step falls below what its proof promises": not n.broken,
        "these are the longest bars": [
            n[f"{name}_largest"] for name in ("ts_rsr", "compressed_ucb", "gp_ucb", "bpe", "mf_gp_ucb", "wdrbo")
        ]
        == ["device", "confidence", "confidence", "closed", "cauchy", "confidence"],
        "only two bounds are below the trivial one": n.below == ["GP-UCB", "MF-GP-UCB"],
    },
)

# %% tags=["remove-input"]
say(
    r"""
The gain is not what makes the bounds loose. In all [[settings]] settings the certified largest gain costs at most a factor of [[gain_most:.2g]], and the change from variances to information at most [[information_most:.2g]].
The interval paid costs up to × [[confidence_most:.2g]].
Cauchy–Schwarz costs up to × [[cauchy_most:.2g]], most where the noise is low: then a few early plays hold most of the deviation, and the inequality is exact only where all hold the same.
What else is lost is the method's own:

- **TS-RSR: the batch.** The bound treats every point as if its whole batch had been spent on it already: × [[ts_rsr_device:.3g]] here, and [[ts_rsr_device_least:.3g]] to [[ts_rsr_device_most:.3g]] over the settings. The second of its two events doubles what is left, which the sharper form saves.
- **Compressed UCB: the interval paid.** A rejected round teaches nothing, so its interval stays as wide as it was, and is charged in full. Such rounds hold [[compressed_ucb_rejected:.0%]] of the deviations, and the step costs × [[compressed_ucb_confidence:.3g]], where GP-UCB's costs × [[gp_ucb_confidence:.3g]]. Counting the budget of all rounds costs at most × [[compressed_ucb_device_most:.4g]] in any setting.
- **GP-UCB: nothing of its own.** Interval and Cauchy–Schwarz make × [[gp_ucb_two:.3g]] of its × [[gp_ucb_all:.3g]].
- **BPE: the closed form.** It costs × [[bpe_closed_least:.3g]] or more in every setting, the largest step in all of them. Stopping at the sum over the batches, Proposition 2, would give a bound [[bpe_late:.2g]] times smaller here.
- **MF-GP-UCB: the union bound.** It pays one interval, not two, and pays less for it than any other method here: × [[mf_gp_ucb_confidence:.3g]]. But it covers a lattice of laws that gets finer with every round, × [[mf_gp_ucb_union:.3g]]. Rounding to that lattice costs almost nothing.
- **WDRBO: the width.** One width that holds in all rounds needs no union bound, but contains the information: × [[wdrbo_width_least:.2g]] to [[wdrbo_width_most:.2g]] of what covered, where the other theorems' first width is [[others_width_least:.2g]] to [[others_width_most:.2g]] of it.
""",
    n,
    true_if={
        "gain and information cost at most a factor of two": max(n.gain_most, n.information_most) < 2.0,
        "interval and Cauchy-Schwarz cost more": min(n.confidence_most, n.cauchy_most) > 5.0,
        "Cauchy-Schwarz costs most where the noise is low": n.cauchy_falls,
        "the batch is the largest step of TS-RSR": n.ts_rsr_largest == "device",
        "compression's own term is small, its intervals are not": n.compressed_ucb_device_most < 1.05
        and n.compressed_ucb_confidence > 1.5 * n.gp_ucb_confidence
        and n.compressed_ucb_rejected > 0.5,
        "the closed form is BPE's largest step everywhere": n.bpe_always == "closed",
        "MF-GP-UCB pays the least for its interval, and the most of the optimistic rules for its union": n.mf_gp_ucb_confidence
        < min(
            n.ts_rsr_confidence, n.compressed_ucb_confidence, n.gp_ucb_confidence, n.bpe_confidence, n.wdrbo_confidence
        )
        and n.mf_gp_ucb_union > max(n.compressed_ucb_union, n.gp_ucb_union, n.bpe_union),
        "its lattice costs almost nothing": n.mf_gp_ucb_device_most < 1.01,
        "WDRBO's width is further from what covered than any other": n.wdrbo_width_least > n.others_width_most,
    },
)

# %% tags=["hide-output", "remove-input"] mystnb={"code_prompt_show": "Show the factors in all settings", "code_prompt_hide": "Hide the factors in all settings"}
show(
    steps_page.factor_table(words),
    "What each step multiplies by: the smallest and the largest of the [[settings]] settings (of MF-GP-UCB, whose kernel is its game's, of the dimensions and noises alone), three kernels in one and two dimensions at three noises, T = [[at]].",
    n,
)

# %% [markdown]
# (which-method)=
# ## Which method?
#
# Every paper compares its method with rivals, on problems of its own. Here all of them play the same problems:

# %% tags=["remove-input"]
show(
    which_method.problem_table(),
    "The problems, with [[size]] candidates each and noise [[noise:g]]. Test functions are standardised. All methods have the same model; it is the right one for the first three. "
    "The last two columns: mean regret of [[at]] evaluations.",
    m,
)

# %% tags=["remove-input"]
say(
    r"""
At each of [[seeds]] seeds all methods see the same function, the same noise and, but for BPE, which starts with a batch of its own, the same [[initial]] random points. Different widths would hide what the methods do, so every rule that has one gets the same, [[width:g]].
On one agent and with one context, MF-GP-UCB and WDRBO *are* GP-UCB, so they come in further below. Batches have [[batch]] points, except for BPE's, which grow: it has [[bpe_rounds:g]] rounds in all.
Margins, seeds and tests were fixed before the runs. EI over the largest mean, and the rankings by one point, were added when the others were known, before that rule's runs.
""",
    m,
)

# %% tags=["hide-input"]
show(
    method_figures.critical_difference(),
    "Ranks among [[entries]] methods, averaged over the [[problems]] problems, with 95 % intervals over [[seeds]] seeds; grey and hollow: the classical methods. "
    "Left, every one of [[at]] plays counts. Right, the point that a method names after them: the one with the largest observation, for BPE the survivor with the largest mean. "
    "Red bars: no difference shown on these [[problems]] problems, by paired t-tests over seeds with Holm's correction for all [[pairs]] pairs. "
    "To generalise to other problems ranks would have to differ by [[critical:.1f]] (black bar, Nemenyi): [[beyond]] pairs do on the left, and none on the right.",
    m,
    alt="Two panels of average ranks, one row a method, the best on top. Left, cumulative regret: compressed UCB, GP-UCB and BKB lead with ranks below four, EI over the largest mean and B-UCB follow with four and five, TS-RSR and the Thompson samplings stand between seven and eleven, "
    "both forms of EI over the largest observation and BPE near fourteen, random last. Right, regret of the point named: all but BPE and random stand between eight and ten, and one long bar joins most of them.",
    true_if={
        "GP-UCB and its compressed forms lead, below rank four": m.lead and m.rank_of_lead < 4,
        "EI over the largest observation and BPE stand near fourteen": 13 < m.rank_of_rear[0] < m.rank_of_rear[1] < 15,
        "random search is last": m.last == "random",
        "by the point named all but two stand between eight and ten": 8 < m.named_ranks[0] < m.named_ranks[1] < 10,
        "no pair there is apart by the critical difference": m.named_beyond == 0,
    },
)

# %% tags=["remove-input"]
say(
    r"""
EI's place is its incumbent's. Over the largest posterior mean it loses [[ei_over:.0%]] more than GP-UCB. Over the largest of noisy observations, which as a rule lies above the maximum of $f$, it never settles, and loses [[ei_noisy_over:.0%]] more; that form is shown, and in no count of other methods.
What never settles has looked everywhere: hence its lead by the best point evaluated. Much of it comes from one function, Bird, where it evaluates the optimum in [[bird_ei:.0%]] of runs, GP-UCB in [[bird:.0%]].

Two things to know of these ranks. Compressed UCB and BKB are GP-UCB in effect; without them GP-UCB has rank [[without_twins:.1f]] among [[among]], and no two others change places. And Ackley's function decides nothing by rounds: [[ackley]] of the [[entries]] methods have found its best point after [[rounds]] rounds in every run.
BPE, which looks at values only between its batches, loses [[bpe_over:.1f]] times what GP-UCB does; but it needs only [[bpe_rounds:g]] rounds.
""",
    m,
    true_if={
        "without the twins the order is the same": m.unmoved,
        "EI leads on Bird": m.bird_ei > m.bird + 0.5,
        "Ackley is solved by most": m.ackley > 10,
    },
)

# %% tags=["hide-input"]
show(
    method_figures.curves(),
    "Above, cumulative regret by evaluations; below, simple regret, that of the best point so far, by rounds of feedback. Means over [[seeds]] seeds. The first round is the initial points, and for BPE its first batch. "
    "BPE's curve stays where it ends.",
    m,
    alt="Six panels, three problems side by side. Above, random search rises in a straight line, BPE below it bends late, and GP-UCB, B-UCB, TS-RSR and batch Thompson sampling bend early, GP-UCB lowest; only on the surfaces of Appendix E do TS-RSR and batch Thompson sampling keep rising. "
    "Below, by rounds, BPE has fallen after three rounds; the batch methods after five to ten, on the surfaces later; GP-UCB takes more than twice as long.",
)

# %% tags=["hide-input"]
show(
    which_method.method_table(),
    "All methods by cumulative regret in [[at]] rounds of one evaluation, or as many evaluations in batches. Columns: average rank, and regret in units of GP-UCB's, averaged over the problems; average rank by the regret of the point named; share of runs in which that point, and in which some point evaluated, is an optimum; and evaluations truly made.",
    m,
)

# %% tags=["remove-input"]
say(
    r"""
Compression hardly changes the cumulative regret: compressed UCB and BKB by at most [[changed:.0%]] on average. Compressed UCB evaluates [[kept:.0f]] of its [[at]] points, [[kept_least:.0f]] to [[kept_most:.0f]] by problem, and is [[faster:.1f]] times as fast; BKB draws a new dictionary in every round and takes [[slower:.1f]] times as long as keeping all. What it does not evaluate it cannot name: compressed UCB names an optimum in [[recommended_solved_compressed:.0%]] of runs, GP-UCB in [[recommended_solved_ucb:.0%]].
""",
    m,
    true_if={
        "the regret hardly changes": m.changed < 0.05,
        "compressed UCB is faster": m.faster > 2,
        "BKB is slower": m.slower > 2,
        "compressed UCB is behind by the point named": "compressed UCB" in m.recommended_behind,
    },
)

# %% tags=["hide-output", "remove-input"] mystnb={"code_prompt_show": "Show the differences problem by problem", "code_prompt_hide": "Hide the differences"}
show(
    which_method.difference_table(),
    "Mean regret minus GP-UCB's, as a share of it. Bold: shown to differ, by paired t-tests over [[seeds]] seeds with Holm's correction for all [[comparisons]].",
    m,
)

# %% [markdown]
# ### With widths of their own

# %% tags=["remove-input"]
show(
    which_method.width_table(),
    "Regret of the same rule with the width of its own experiments over that with width [[width:g]], averaged over the problems; those of Srinivas et al. and Lemma 8.1 are theorems' as well.",
    m,
)

# %% tags=["remove-input"]
say(
    r"""
The two theorems' widths cost [[srinivas:.1f]] times the regret, and the one in the code of BKB's authors [[bkb_own:.1f]] times. BPE's experiments have a shorter width, $\sqrt2$, and lose less. So whoever compares two methods, each with its own paper's width, compares widths too.
""",
    m,
    true_if={
        "BPE's own width is the better one": m.bpe_own < 1,
        "both theorems' widths cost as much": abs(m.srinivas - m.lemma) < 0.05,
        "they cost several times the regret": m.srinivas > 2,
    },
)

# %% [markdown]
# ### Ten at once

# %% tags=["remove-input"]
show(
    which_method.batch_table(),
    "Rules with ten points a round, after [[rounds]] rounds: ranks among the five, regret in units of GP-UCB's and of the same rule's with single points, and shares of runs in which an optimum is named or evaluated.",
    m,
)

# %% tags=["remove-input"]
say(
    r"""
If every play is paid for, EI over the largest mean or B-UCB. If only the best point counts, by the point named none is told apart from another; by the best point evaluated EI over the largest observation is first.
With ten points a round the simple regret after [[rounds]] rounds is [[ten_gain_low:.0%]] to [[ten_gain_high:.0%]] lower than with one. A problem on which the rule with one has nothing left to lose is left out; this rule was added after the runs.
""",
    m | s,
    true_if={
        "these two lead if every play is paid for, apart from all others": m.ten_lead == ["ei-mean-10", "bucb-10"],
        "by the point named none is told apart": m.ten_named == 5,
        "by the best point evaluated EI is first, told apart from all others": m.ten_first == "ei-10",
    },
)

# %% [markdown]
# On a problem of your own each is a `rule` of one class, `"ts-rsr"`, `"bucb"`, `"ts"`, or `"qei"` for EI over the largest observation:

# %%
square = cp.Candidates(cp.grid(20, dim=2), cp.Matern(2.5, 0.2), noise_sd=0.1)
ten = {"rule": "bucb", "batch_size": 10, "initial": 5, "width": 2.0}
session = cp.for_problem("ts-rsr", square, seed=0, **ten)
print(f"{len(session.ask())} initial points, then ten at a time")

# %% [markdown]
# ### What a setting costs, and what it gains
#
# Each special method is an insurance. What is the premium when nothing happens, and what does it pay when something does?

# %% tags=["remove-input"]
show(
    which_setting.setting_table(),
    "Change of the loss against the same method without the setting, with 95 % intervals; minus is better. "
    "Compression: cumulative regret after [[at]] and after [[long]] evaluations. "
    "Displacement: the same runs, judged without and with it. Agents: one, and [[crowd]]; the change is one of the reward per round, in its units. "
    "“Costs” and “gains”: shown, with Holm's correction within the setting. “Same”: the interval stays within [[comparable:.0%]]. “Open”: none of these.",
    m | s,
)

# %% tags=["remove-input"]
say(
    r"""
- **Compression** pays late. After [[long]] evaluations the theorem's budget keeps [[long_kept:.0f]] points, is [[long_faster:.1f]] times as fast and changes the regret by no more than our margin. A large budget keeps [[long_kept_large:.0f]], and loses [[long_cost_large:.0%]] more.
- **Robust rules** can cost or gain without a need: StableOpt loses [[stable_toy_idle_share:.0%]] more than GP-UCB on one function, and [[stable_peak_idle_share:.0%]] less on the other. With displacement it gains on both; robust-BPE gains on one.
- **A ball of laws** is an insurance. From a shift of [[far:g]] radii on, the robust rules are shown to do better than ERBO in [[continuum_far_better]] of [[continuum_far_all]] cases on continuous problems and in [[grid_far_better]] of [[grid_far_all]] on grids, and worse in [[far_worse]]. Inside the ball they do worse in [[continuum_near_worse]] of [[continuum_near_all]] on the continuous problems, whose width is short: told the true law, they have [[continuum_low:.1f]] to [[continuum_high:.1f]] times ERBO's regret. On grids, with the theorem's long width, they do better in [[grid_near_better]] of [[grid_near_all]] even there; told the true law, the exact worst case has [[grid_exact:.2f]] of ERBO's regret. The figure and the reason are in [chapter 5](ch5-does-robustness-pay).
- **Laws for a crowd** take time: in [[agent_rounds]] rounds MF-GP-UCB is behind a rule on the joint actions of [[crowd]] agents. In chapter 4's runs of [[their_rounds]] rounds on Swarm with [[crowd]] agents, its best law earns [[crowd_law:.0f]] ([[crowd_law_runs]] runs), that of the joint rule [[crowd_joint:.1f]] ([[crowd_joint_runs]] runs).
""",
    m | s | shifted,
    true_if={
        "the theorem's budget costs nothing to speak of": s.long_verdict == "no difference to speak of",
        "a large budget costs": s.long_verdict_large == "costs",
        "StableOpt costs on one function and gains on the other": (s.stable_toy_idle, s.stable_peak_idle)
        == ("costs", "gains"),
        "with displacement it gains on both": s.stable_toy_need == s.stable_peak_need == "gains",
        "robust-BPE gains on one": (s.bpe_toy_need, s.bpe_peak_need) == ("gains", "no difference to speak of"),
        "without a shift the robust rules have more regret on continuous problems": shifted.continuum_low > 1,
        "on grids the exact worst case is shown to have less": shifted.grid_exact_shown == [-1, -1],
        "far outside the ball most cases on grids are better": shifted.grid_far_better > shifted.grid_far_all / 2,
        "MF-GP-UCB is behind after few rounds": s.agents_need == "costs",
        "and ahead after many": s.crowd_law > s.crowd_joint,
    },
)

# %% [markdown]
# **Limits.** All problems are small sets of candidates in one or two dimensions. The model is fixed and known; fitting it, as most experiments do, is another comparison. There is one noise
# level, one horizon but for compression, and one common width. Another common width could change the order. A method names the point
# with the largest observation; to name the one with the largest mean instead was not tried.

# %% [markdown]
# ## What survives
#
# Reading five papers line by line, the same slips came up again and again: a constant dropped, an assumption used and not stated, a
# set where repetitions count, code unlike text. {doc}`../book/survives` lists them by kind, with counts and links, and a checklist for the
# next paper. To have a reported table judged against your own runs, `companion audit` takes three files ({doc}`../book/audit`). What this
# chapter itself states is checked like any paper's statements, in {doc}`../book/ledger/ch6_side_by_side`.
#
# ## Exercises
#
# Those with code have a check: copy it, write the function, call the check with it.
#
# ```{exercise} For which probability?
# :label: ch6-ex-level
#
# *Level 1 of 3, about 10 minutes.*
#
# For which $\delta$ would the width of Srinivas et al. for draws, in the first round and on the candidates of the figure, be as short as
# scikit-optimize's default?
# ```

# %% tags=["remove-input"]
say(
    r"""
```{solution} ch6-ex-level
:class: dropdown

Solve $w^2=2\log(N\pi^2/(6\delta))$ for $\delta$: with $w=[[width:g]]$ and $N=[[candidates]]$ it is $N\pi^2e^{-w^2/2}/6=[[delta:.1f]]$.
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


# %% tags=["hide-input", "exercise-check"] mystnb={"code_prompt_show": "Show the check", "code_prompt_hide": "Hide the check"}
def check_needed(function):
    import numpy as np

    for seed in range(20):
        generator = np.random.default_rng(seed)
        size, rounds = int(generator.integers(2, 8)), int(generator.integers(0, 12))
        factor = generator.standard_normal((size, size))
        covariance, values = factor @ factor.T + 0.1 * np.eye(size), generator.standard_normal(size)
        variance, chosen = float(generator.uniform(0.1, 1)), generator.integers(0, size, rounds)
        observed = values[chosen] + np.sqrt(variance) * generator.standard_normal(rounds)
        mean, posterior, widest = np.zeros(size), covariance.copy(), 0.0
        for t in range(rounds + 1):
            widest = max(widest, np.max(np.abs(values - mean) / np.sqrt(np.diag(posterior))))
            if t < rounds:
                gain = posterior[:, chosen[t]] / (posterior[chosen[t], chosen[t]] + variance)
                mean = mean + gain * (observed[t] - mean[chosen[t]])
                posterior = posterior - np.outer(gain, posterior[chosen[t]])
        found = function(covariance, values, variance, chosen, observed)
        assert abs(found - widest) <= 1e-6 * widest, f"seed {seed}: {found:.6g}, not {widest:.6g}"
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
# ```{exercise} An exact interval
# :label: ch6-ex-interval
#
# *Level 2 of 3, about 25 minutes, with code.*
#
# Write `interval(covered, runs)`, the exact 95 % interval of Clopper and Pearson for a share of which `covered` of `runs` were seen. Its lower end is the
# share under which so many or more have half of the remaining probability, its upper end the one under which so many or fewer have. Where nothing was covered the lower end is zero, and
# where everything was the upper end is one.
# ```


# %% tags=["hide-input", "exercise-check"] mystnb={"code_prompt_show": "Show the check", "code_prompt_hide": "Hide the check"}
def check_interval(function):
    from math import comb

    def at_least(count, runs, share):
        return sum(comb(runs, k) * share**k * (1 - share) ** (runs - k) for k in range(count, runs + 1))

    for covered, runs in [(0, 10), (10, 10), (1, 10), (37, 50), (96, 100), (5, 7)]:
        low, high = function(covered, runs)
        assert (low == 0) == (covered == 0), f"{covered} of {runs}: the lower end is {low}"
        assert (high == 1) == (covered == runs), f"{covered} of {runs}: the upper end is {high}"
        if covered > 0:
            assert abs(at_least(covered, runs, low) - 0.025) < 1e-6, f"{covered} of {runs}: the lower end is wrong"
        if covered < runs:
            assert abs(1 - at_least(covered + 1, runs, high) - 0.025) < 1e-6, (
                f"{covered} of {runs}: the upper end is wrong"
            )
    print("interval: right in all cases")


# %% tags=["hide-input", "exercise-solution"] mystnb={"code_prompt_show": "Show an answer", "code_prompt_hide": "Hide the answer"}
from scipy.stats import beta


def interval(covered, runs):
    low = beta.ppf(0.025, covered, runs - covered + 1) if covered > 0 else 0.0
    high = beta.ppf(0.975, covered + 1, runs - covered) if covered < runs else 1.0
    return low, high


check_interval(interval)

# %% [markdown]
# ```{solution} ch6-ex-interval
# :class: dropdown
#
# The probability of $k$ or more in $n$, as a function of the share, is the distribution function of a beta distribution with parameters $k$ and $n-k+1$. So both ends are
# quantiles of beta distributions. Bisection on the sum does as well.
# ```
#
# ```{exercise} From which horizon on?
# :label: ch6-ex-horizon
#
# *Level 1 of 3, about 15 minutes, with code.*
#
# Write `first_horizon(horizons, bounds, trivial)`: the first of the increasing `horizons` from which on the bound divided by the horizon stays below
# `trivial`, the trivial line for one evaluation; infinity if there is none. A bound may be NaN where it is not stated, and then says nothing.
# ```


# %% tags=["hide-input", "exercise-check"] mystnb={"code_prompt_show": "Show the check", "code_prompt_hide": "Hide the check"}
def check_first_horizon(function):
    import math

    nan, inf = math.nan, math.inf
    cases = [
        ([1, 2, 4], [2.0, 1.0, 1.0], 1.0, 2),
        ([1, 2, 4], [0.5, 3.0, 1.0], 1.0, 4),
        ([1, 2, 4], [0.5, 1.0, 2.0], 1.0, 1),
        ([1, 2, 4], [0.5, 1.0, 4.0], 1.0, inf),
        ([1, 2, 4], [nan, nan, 1.0], 1.0, 4),
        ([1, 2, 4], [0.5, 1.0, nan], 1.0, inf),
    ]
    for horizons, bounds, trivial, right in cases:
        found = function(horizons, bounds, trivial)
        assert found == right, f"{bounds} at {horizons}: {found}, not {right}"
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
# Going backwards ends at the last horizon that says nothing. The comparison is written so that NaN, which is below nothing, ends the search too.
# ```
#
# ```{exercise} A width that hardly grows
# :label: ch6-ex-batches
#
# *Level 2 of 3, about 15 minutes.*
#
# BPE's width hardly grows with $T$, while the other widths for a known norm do. Where does the difference come from, and why may GP-UCB not use BPE's width? What
# does BPE pay for it?
# ```

# %% tags=["remove-input"]
say(
    r"""
```{solution} ch6-ex-batches
:class: dropdown

Within a batch the points are chosen by the variance alone, which knows no values. The error of the mean at one candidate is then a weighted sum of independent noise, and a union bound over $N$ candidates and $B$ batches is enough.
$B$ grows like $\log\log T$: the width is [[batches_early:.2f]] at $T=[[at]]$ and [[batches_late:.2f]] at a million, where the sharper width goes from [[sharper_early:.2f]] to [[sharper_late:.2f]].

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
# On the fifty independent arms of this page the self-normalised width for norm 1 covers nearly always if $f$ has norm 1. If $f$ is a draw of the prior it covers less often. How large is the norm of
# a draw there? Would the width with that norm cover? What does this say about a width for a known norm whose norm nobody knows?
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
# ## Run record

# %% tags=["remove-input"]
run_record(stored_widths.load().record.to_dict(), stored_widths.where())

# %% tags=["remove-input"]
show(
    record.sets_table(),
    "The seven sets of stored tables that this page rests on. Where the record above says “stored results”, it speaks of the set of widths.",
)
