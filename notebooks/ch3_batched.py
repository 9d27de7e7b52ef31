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
# An experimenter can afford $T$ noisy evaluations of an unknown function, but learns the outcomes only a few times: at
# the end of each of $B$ batches. How small may $B$ be before regret suffers? This chapter evaluates the paper's answer
# with every constant in place, sets it beside measured regret, and reruns the paper's experiments.

# %% tags=["remove-input"]
from companion.papers.batched import parameters
from companion.papers.batched.figures import experiments, theory
from companion.papers.batched.studies import bound, confidence, counting, findings, lower, paper, rate, robust
from companion.report import evidence as stored_evidence
from companion.report.chapter import check_parameters, run_record

# %% [markdown]
# ## The claim
#
# **The setting.** You know GP-UCB: keep a Gaussian-process posterior with mean $\mu_t(x)$ and standard deviation
# $\sigma_t(x)$, evaluate where $\mu_t+\text{width}\cdot\sigma_t$ is largest, update, repeat. It needs $T$ rounds of feedback. Here the
# $T$ evaluations are cut into batches of sizes $N_1,\dots,N_B$, and observations $y_t=f(x_t)+z_t$ (Gaussian noise of
# standard deviation $\sigma$) arrive at the end of a batch. The function is fixed, not
# random: it lives in the reproducing-kernel Hilbert space (RKHS) of the kernel $k$ with $\|f\|_k\le\Psi$. The cumulative
# regret is $R_T=\sum_t(\max f-f(x_t))$.
#
# **The method**, batched pure exploration (BPE), drops optimism altogether. Within a batch it evaluates wherever the
# posterior variance is largest, which needs no observed value; at the end of the batch it throws away every candidate
# whose upper confidence bound lies below the best lower confidence bound; then it *forgets the data* and starts afresh
# on the survivors. Forgetting looks wasteful. But it makes the points of a batch independent of that batch's own noise:
# earlier noise decides who survives, and is then thrown away. This independence buys a confidence width that hardly
# grows with $T$.
#
# **What the paper claims.**
#
# 1. With sizes $N_i=\lceil T^{1-a^i}\rceil$ for a fixed $a$, $B=(1+o(1))\log_{1/a}\log T$ batches suffice for the regret
#    of the best sequential methods, $O^*(\sqrt{T\gamma_T})$, with no factor $B$ in the bound ($\gamma_T$: maximum
#    information gain).
# 2. For Matérn kernels $a$ may be below $\tfrac12$, so fewer batches are needed than with the sizes used before.
# 3. Choosing batch sizes adaptively does not help: a lower bound of nearly the same order holds for every such player.
# 4. A variant of BPE finds *robust* optima, which stay good when an adversary moves the point by up to $\xi$.
# 5. In experiments, fewer batches come with equal or smaller regret (Appendix E).
#
# **What we found**, with the evidence below:

# %% tags=["hide-input"]
evidence = paper.load_paper_results()
findings.say_findings(evidence)

# %% [markdown]
# ## Parameters
#
# The studies made here run from these numbers. What comes from `make paper` is loaded and does not change with them, and
# neither do counts and constants that depend on nothing but the rule. `companion run batched -p horizon=2000` reruns the
# chapter at yours; `companion run batched --profile paper` at the paper's scale.

# %% tags=["parameters"]
seed = 0  # first seed of every study, non-negative integer
horizon = 1000  # evaluations T where one run is taken apart, rounds
delta = 0.1  # allowed failure probability of the confidence bounds, between 0 and 1
norm = 1.0  # RKHS norm Psi of the test functions, units of f
noise = 0.1  # noise standard deviation in the bound studies, units of f
coverage_runs = 200  # runs per kernel and delta in the confidence study, count
rate_horizon = 8000  # largest horizon of the regret-exponent study, rounds
rate_functions = 4  # functions per kernel and rule in the regret-exponent study, count
class_horizon = 2000  # evaluations T on the lower-bound class, rounds
class_seeds = 2  # noise seeds per function of the lower-bound class, count
class_functions = 8  # functions played per lower-bound class, count
robust_horizon = 1000  # evaluations T of the robust study, rounds
robust_seeds = 5  # seeds per method of the robust study, count
example_seeds = 8  # seeds of the three-arm example against App. C, count
live_functions = 2  # functions of Appendix E rerun live, count

# %% tags=["remove-input"]
check_parameters(parameters.CHAPTER, globals())

# %% [markdown]
# ## The bound, step by step
#
# ### One batch: where confidence comes from
#
# Fix a batch and a candidate $x$. The batch's points were chosen from variances alone, so they are independent of the
# batch's noise; given them, the error $f(x)-\mu(x)$ is a fixed bias plus a Gaussian. The bias is at most
# $\Psi\sqrt{1-u^2}\,\sigma(x)$ and the Gaussian has standard deviation $u\,\sigma(x)$ for some $u\in[0,1]$, hence
#
# $$\Pr\Big(|f(x)-\mu(x)|\le\big(\Psi+\sqrt{2\log(1/\delta)}\big)\,\sigma(x)\Big)\ge1-\delta .$$
#
# ```{prf:proposition} Ma et al., Proposition 1: confidence in all batches at once
# :label: ch3-prop-1
# :nonumber:
#
# Let $\text{width}=\sqrt\beta=\Psi+\sqrt{2\log(|\mathcal X|B/\delta)}$. With probability at least $1-\delta$,
# $|f(x)-\mu^i(x)|\le\sqrt\beta\,\sigma^i(x)$ for every candidate $x$ and every batch $i\le B$.
# ```
#
# It is a union bound over $|\mathcal X|B$ events. The width of GP-UCB has to cover adaptively chosen points and grows
# with $\gamma_T$; this one grows with $\sqrt{\log(|\mathcal X|B)}$ only. The paper's experiments use neither: they fix
# $\beta=2$, a width of $\sqrt2$. These are two different objects in the code, `UnionBoundWidth` and `FixedBeta`, and every
# figure says which one it used.
#
# ### From one batch to the next
#
# Maximum-variance sampling has a simple consequence. Variances only fall, so the last point's variance is at most the
# average variance at selection, and the average is controlled by the information gain
# $I_i=\tfrac12\log\det(\mathbf I+\sigma^{-2}K_{S_i})$ of the batch:
# $\max_x\sigma^i(x)^2\le C\,I_i/N_i$ with $C=2/\log(1+\sigma^{-2})$. A survivor's upper bound reaches the best lower
# bound, and each of the two points involved lies within one confidence width of its bound twice over. Four widths in
# all:
#
# ```{prf:proposition} Ma et al., Proposition 2: regret of one batch
# :label: ch3-prop-2
# :nonumber:
#
# If the confidence bounds hold, the first batch costs at most $2N_1\sqrt\beta$, and batch $i\ge2$ at most
#
# $$R^i\le 4N_i\sqrt\beta\,\sqrt{\frac{C\,I_{i-1}}{N_{i-1}}}\le 4N_i\sqrt\beta\,\sqrt{\frac{C\,\gamma_{N_{i-1}}}{N_{i-1}}} .$$
# ```
#
# The paper states the second form with $2\sqrt{C_1}=4\sqrt C$. Its proof goes through with the realised gain $I_{i-1}$,
# which is computable and smaller, so the companion tests the stronger first form. Where $\gamma$ is needed, the plots
# use the *upper* end of a two-sided certificate (see {ref}`certified-gain`).
#
# ### How many batches
#
# Batch $i$ may be larger the smaller the previous batch's uncertainty was. Earlier work took
# $N_i=\lceil\sqrt{TN_{i-1}}\rceil$ (rule (5), here `orig`); the paper takes $N_i=\lceil T^{1-a^i}\rceil$ (rule (6)). Both
# are cut off when the horizon is used up.
#
# ```{prf:proposition} Ma et al., Proposition 3: number of batches
# :label: ch3-prop-3
# :nonumber:
#
# Rule (6) uses at most $\lceil\log_{1/a}\log_2T\rceil+1$ batches, and at least
# $\lfloor\log_{1/a}(\log T/\log\log T)\rfloor$ as soon as $a^{B_0}\log T\ge\log(2B_0)$ for that number $B_0$.
# ```

# %% tags=["hide-input"]
counts = counting.batch_counts()
theory.batch_counts(counts)

# %% tags=["nbval-check-output", "hide-output", "remove-input"] mystnb={"code_prompt_show": "Show the key numbers", "code_prompt_hide": "Hide the key numbers"}
counting.show_batch_counts(counts)

# %% tags=["remove-input"]
counting.say_batch_counts(counts, counting.small_horizons())

# %% [markdown]
# ### Adding up: where the factor $B$ goes
#
# Summing {prf:ref}`Proposition 2 <ch3-prop-2>` over batches gives the bound the paper's Theorem 1 starts from,
#
# $$R_T\le2N_1\sqrt\beta+\sum_{i=2}^B4N_i\sqrt\beta\sqrt{\frac{C\gamma_{N_{i-1}}}{N_{i-1}}}
#   \quad\text{(T1a)}.$$
#
# With rule (6), $N_i/\sqrt{N_{i-1}}\le2\sqrt T\,U_i$ with $U_i=T^{a^{i-1}(1/2-a)}\le1$, so the sum is a multiple of
# $\sum_iU_i$ (T1b). For $a>\tfrac12$ the $U_i$ increase towards one so fast that their sum stays below a constant,
# whatever $B$ is (T1c):
#
# ```{prf:theorem} Ma et al., Theorem 1, first case, with explicit constants: no factor B
# :label: ch3-theorem-1
# :nonumber:
#
# For $a\in(\tfrac12,1)$ and $b=(1-a)(a-\tfrac12)$, with probability at least $1-\delta$,
#
# $$R_T\le4\max\{\gamma_T^{-1/2},2\sqrt C\}\,\frac{2^b}{2^b-1}\,\sqrt{\beta T\gamma_T}.$$
# ```
#
# The paper prints an order only, without constants. Those in the box come from following its proof step by step.
#
# How good is the constant? The next figure compares it with the exact sum it bounds, and with $B$, the factor it
# replaces.

# %% tags=["hide-input"]
sums = counting.geometric_sums()
theory.geometric_sums(sums)

# %% tags=["nbval-check-output", "hide-output", "remove-input"] mystnb={"code_prompt_show": "Show the key numbers", "code_prompt_hide": "Hide the key numbers"}
counting.show_geometric_sums(sums)

# %% tags=["remove-input"]
counting.say_geometric_sums(sums, counting.factor_against_constant())

# %% [markdown]
# ### Nobody does much better: the lower bound
#
# The lower bound plays the same game the other way round. Take a class of functions $f_1,\dots,f_M$, each a single bump
# of height $2\epsilon$ in its own cell $\mathcal R_m$ of the domain and almost flat elsewhere, all with
# $\|f_m\|_k\le\Psi$. A player who has not yet put samples into the right cell cannot tell $f_m$ from zero.

# %% tags=["hide-input"]
bumps = counting.hard_class(norm)
theory.hard_class(bumps)

# %% tags=["nbval-check-output", "hide-output", "remove-input"] mystnb={"code_prompt_show": "Show the key numbers", "code_prompt_hide": "Hide the key numbers"}
counting.show_hard_class(bumps)

# %% tags=["remove-input"]
theory.hard_class_table(bumps)

# %% [markdown]
# The class above is a closed form of our own, $f_m(x)=2\epsilon\,\mathrm{sinc}^2((x-c_m)/w)$ per coordinate: its Fourier
# transform is a triangle, so its RKHS norm is an integral over $[-1,1]^d$ and the width $w(\epsilon)$ with norm exactly
# $\Psi$ is found by bisection. The properties the proof needs are verified on a grid, including one that the paper uses
# but does not list: *no* point outside $\mathcal R_m$ is $\epsilon$-optimal for $f_m$.
#
# ```{prf:theorem} Ma et al., Theorem 2, with explicit constants: adaptive batches do not help
# :label: ch3-theorem-2
# :nonumber:
#
# Fix reference times $T_1<\dots<T_B=T$ and classes with $M_i\ge4$ bumps of height $2\epsilon_i$, where
# $\sqrt{C_{\mathcal F}}\,\epsilon_i\sqrt{T_{i-1}/M_i}\le\sigma/(2B)$. For every player, also one that chooses each
# batch's size after seeing the previous batch,
#
# $$\max_fE[R_T]\ \ge\ \frac{3}{8B}\min_{i\le B}\epsilon_i\,(T_i-T_{i-1}).$$
# ```
#
# Here, too, the paper's theorem is an order in $T$ and $B$. The box has the inequality with constants from which its proof
# derives that order.
#
# ### Robust optima
#
# An adversary may move the chosen point $x$ within $\{x':d(x,x')\le\xi\}$. The target is then
# $\max_x\min_{x'}f(x')$, and the regret of a choice is charged at its worst neighbour. Robust-BPE samples by maximum
# variance among *all neighbours* of the active candidates and eliminates with
# $\min_{x'}\mathrm{UCB}(x')<\max_x\min_{x'}\mathrm{LCB}(x')$. Its per-batch bound has six confidence widths in
# place of four (Lemma 10); following the survivor's own worst neighbour instead gives four again, which the companion
# checks.

# %% [markdown]
# ## Bound against measurement
#
# ### Do the confidence bounds hold?
#
# {prf:ref}`Proposition 1 <ch3-prop-1>` promises failure in at most a fraction $\delta$ of runs. We run BPE with the
# theory width on random functions of norm exactly $\Psi$ and record the largest error in units of $\sigma$: the width
# that this run would have needed.

# %% tags=["hide-input"]
coverage = confidence.coverage_study(seed, coverage_runs, norm, noise)
theory.coverage(coverage)

# %% tags=["nbval-check-output", "hide-output", "remove-input"] mystnb={"code_prompt_show": "Show the key numbers", "code_prompt_hide": "Hide the key numbers"}
confidence.show_coverage(coverage)

# %% tags=["remove-input"]
confidence.say_coverage(coverage)

# %% [markdown]
# ### One run taken apart
#
# Next, one run of BPE with the theory width: regret of each batch beside {prf:ref}`Proposition 2 <ch3-prop-2>`, once
# with the gain that the run realised and once with the certified upper end of $\gamma$.

# %% tags=["hide-input"]
run = bound.bound_study(seed, horizon, norm, noise, delta)
theory.per_batch(run)

# %% tags=["nbval-check-output", "hide-output", "remove-input"] mystnb={"code_prompt_show": "Show the key numbers", "code_prompt_hide": "Hide the key numbers"}
bound.show_per_batch(run)

# %% tags=["remove-input"]
bound.say_per_batch(run)

# %% [markdown]
# Where does the bound give so much away? The chain below starts at the measured regret and applies one inequality of the proof at a time.

# %% tags=["remove-input"]
theory.waterfall(run)

# %% tags=["nbval-check-output", "hide-output", "remove-input"] mystnb={"code_prompt_show": "Show the key numbers", "code_prompt_hide": "Hide the key numbers"}
bound.show_waterfall(run)

# %% tags=["remove-input"]
bound.say_waterfall(run)

# %% [markdown]
# ### Is the exponent right?
#
# Constants aside, $\sqrt{T\gamma_T}$ predicts how regret grows. We let $T$ range over factors of two and fit the slope of
# $\log R_T$ in $\log T$; the same fit to the certified bound gives the exponent that the theory allows.

# %% tags=["hide-input"]
exponents = rate.rate_study(seed, rate_horizon, rate_functions, norm, noise, delta)
theory.rate(exponents)

# %% tags=["nbval-check-output", "hide-output", "remove-input"] mystnb={"code_prompt_show": "Show the key numbers", "code_prompt_hide": "Hide the key numbers"}
rate.show_rate(exponents)

# %% tags=["remove-input"]
rate.say_rate(exponents)

# %% [markdown]
# ### Against the lower bound
#
# The explicit form of {prf:ref}`Theorem 2 <ch3-theorem-2>`, and three players on the functions that make it work: BPE
# with early, with reference and with *adaptive* batch ends. The bound must lie below the worst class average of every
# player.

# %% tags=["hide-input"]
players = lower.lower_bound_study(seed, class_horizon, class_seeds, class_functions)
theory.lower_bound(players)

# %% tags=["nbval-check-output", "hide-output", "remove-input"] mystnb={"code_prompt_show": "Show the key numbers", "code_prompt_hide": "Hide the key numbers"}
lower.show_lower_bound(players)

# %% tags=["remove-input"]
lower.say_lower_bound(players)

# %% [markdown]
# ### Robust regret
#
# The paper has no robust experiment. We use two problems whose robust optimum is not the ordinary one, and compare
# robust-BPE, its repaired refinement, plain BPE, and the sequential StableOpt {cite}`bogunovic2018adversarially`, each
# with the width its theory asks for and with a common fixed width of 2.

# %% tags=["hide-input"]
safety = robust.robust_study(seed, robust_horizon, robust_seeds, delta)
theory.robust(safety)

# %% tags=["remove-input"]
theory.robust_table(safety)

# %% tags=["nbval-check-output", "hide-output", "remove-input"] mystnb={"code_prompt_show": "Show the key numbers", "code_prompt_hide": "Hide the key numbers"}
robust.show_robust(safety)

# %% tags=["remove-input"]
robust.say_robust(safety)

# %% [markdown]
# ## The paper's experiments again
#
# Appendix E draws functions from a Gaussian process with length-scale 2 on a 50 × 50 grid of $[-5,5]^2$, gives BPE a
# model with length-scale 0.5, noise standard deviation 0.02 and the fixed width $\sqrt2$, and reports cumulative regret
# averaged over ten trials. One draw per kernel, as in the paper's Figure 2:

# %% tags=["remove-input"]
experiments.draws(findings.draws(seed))

# %% [markdown]
# ### Tables 1 to 3
#
# Ten functions, $T=1000$. The draws behind the paper's numbers are not available, so equality cannot be expected: what
# should carry over is the order of the rules.

# %% tags=["remove-input"]
experiments.reported_beside_ours(evidence, "se")

# %% tags=["remove-input"]
experiments.reported_beside_ours(evidence, "matern32")

# %% tags=["remove-input"]
experiments.reported_beside_ours(evidence, "matern52")

# %% tags=["nbval-check-output", "hide-output", "remove-input"] mystnb={"code_prompt_show": "Show the key numbers", "code_prompt_hide": "Hide the key numbers"}
paper.show_tables(evidence)

# %% tags=["remove-input"]
paper.say_tables(evidence)

# %% [markdown]
# ### What two hundred functions say
#
# Every rule ran on the same functions with the same noise, so rules can be compared in pairs.

# %% tags=["remove-input"]
experiments.paired_differences(evidence)

# %% tags=["remove-input"]
experiments.conclusions(evidence)

# %% tags=["nbval-check-output", "hide-output", "remove-input"] mystnb={"code_prompt_show": "Show the key numbers", "code_prompt_hide": "Hide the key numbers"}
paper.show_conclusions(evidence)

# %% tags=["remove-input"]
paper.say_conclusions(evidence)

# %% tags=["remove-input"]
paper.say_elimination(evidence)

# %% [markdown]
# ### Live
#
# The stored results above come from `make paper CH=3`. This cell reruns the first few of them now and compares.

# %% tags=["hide-input"]
live = paper.rerun_live(evidence, live_functions)
paper.say_live(live, evidence)

# %% tags=["nbval-check-output", "hide-output", "remove-input"] mystnb={"code_prompt_show": "Show the key numbers", "code_prompt_hide": "Hide the key numbers"}
paper.show_live(live)

# %% [markdown]
# ## Where we differ
#
# Every numbered statement was checked on instances where it could fail, every printed number set beside ours, and every
# suspicion about the text decided by a computation.

# %% tags=["hide-input"]
checked = findings.load_checked()
stored_evidence.say_checked(checked)

# %% tags=["hide-input"]
stored_evidence.say_differences(checked)

# %% tags=["nbval-check-output", "hide-output", "remove-input"] mystnb={"code_prompt_show": "Show the key numbers", "code_prompt_hide": "Hide the key numbers"}
stored_evidence.show_checked(checked)

# %% [markdown]
# The most consequential one concerns Appendix C, which shrinks the sampling set of robust-BPE by dropping pairs that
# cannot be the worst neighbour. A dropped point is never sampled again in the next batch, its lower bound falls, and
# *it* becomes the minimiser that decides what survives: elimination stops working, although nothing optimal is lost.
# Restricting the two minima of the elimination rule to the kept pairs repairs it.

# %% tags=["hide-input"]
counterexample = robust.appendix_c_study(seed, example_seeds)
theory.appendix_c(counterexample)

# %% tags=["nbval-check-output", "hide-output", "remove-input"] mystnb={"code_prompt_show": "Show the key numbers", "code_prompt_hide": "Hide the key numbers"}
robust.show_appendix_c(counterexample)

# %% [markdown]
# ## Exercises
#
# ```{exercise} Four widths or six
# :label: ch3-ex-widths
#
# In the robust setting let $x$ survive batch $i$, let $\delta_f$ be its worst perturbation under $f$, and $x^*$ the
# robust optimum. Bound $r_\xi(x)$ by four confidence widths instead of the six of Lemma 10.
# ```
#
# ```{solution} ch3-ex-widths
# :class: dropdown
#
# Survival means $\min_\delta U(x+\delta)\ge\min_\delta L(x^*+\delta)$. Bound the left side at the particular point
# $\delta_f$: $\min_\delta U(x+\delta)\le U(x+\delta_f)\le f(x+\delta_f)+2\sqrt\beta\sigma$. Let $\delta_L$ minimise
# $L(x^*+\cdot)$; then $L(x^*+\delta_L)\ge f(x^*+\delta_L)-2\sqrt\beta\sigma\ge\min_\delta f(x^*+\delta)-2\sqrt\beta\sigma$.
# Together $r_\xi(x)\le4\sqrt\beta\sigma$. The paper goes through $f(x+\delta_U)$ with $\delta_U$ the minimiser of $U$,
# which costs one more step of $2\sqrt\beta\sigma$.
# ```
#
# ```{exercise} A float that costs a batch
# :label: ch3-ex-ceiling
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
# Run `companion trial batched appendix-e bpe --seed 0 --json` and again with `--seed 1`. The first batches query the
# same points although function and noise differ. Why, and which step of the proof of
# {prf:ref}`Proposition 1 <ch3-prop-1>` relies on it?
# ```
#
# ```{solution} ch3-ex-design
# :class: dropdown
#
# A batch is chosen by posterior variances, which depend on the points but not on the values, and the first batch starts
# from the same prior on the same candidates. Independence of points and noise within a batch is what lets
# $f(x)-\mu(x)$ be a bias plus a Gaussian of known size.
# ```
#
# ```{exercise} How much would ten functions have told you?
# :label: ch3-ex-ten
#
# From `data/results/batched/appendix_e.csv`, draw ten of the seeds at random many times, and count how often
# $a=0.4$ has smaller mean regret than the original sizes for the Matérn-3/2 kernel. Then compare $a=0.5$ with the
# original sizes in two ways: on the same ten functions, and on ten functions for one and ten others for the other.
# ```
#
# ```{solution} ch3-ex-ten
# :class: dropdown
#
# The column "ten agree" of the table of conclusions is the first count; `companion.papers.batched.claims.conclusions.judge`
# computes it. For $a=0.5$ the paired difference is tiny and steady, since both rules evaluate almost the same points.
# Unpaired, it is the difference of two means of ten, each with the spread between functions: gaps of the size that
# Tables 2 and 3 print between these two rows are then ordinary, and their sign is close to a coin toss.
# ```

# %% [markdown]
# ## Run record

# %% tags=["remove-input"]
run_record(evidence.record, evidence.where)
