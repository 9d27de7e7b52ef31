# %% tags=["assignment"]
TITLE = "A lemma about the wrong point"
CHAPTER = 2
GOAL = (
    "Refute a step of a proof: build the example on which a lemma fails at the maximiser instead of the chosen point."
)
LEVEL = "advanced"
MINUTES = 105

# %% [markdown]
# # A lemma about the wrong point
#
# Chapter 2 puts an information budget $\epsilon=\tfrac12\log(1+u)$ behind expected improvement (Bedi et al., Section 3
# and Appendix 9). Here the candidates are $N$ independent arms. In the model every arm has a standard normal prior, and
# observations have noise of variance $\sigma^2$. What is really observed is the value of the arm itself, so that
# nothing below depends on luck. After $n$ observations of an arm with value $v$ the model has
#
# $$\mu=\frac{nv}{n+\sigma^2},\qquad\text{variance }\frac{\sigma^2}{n+\sigma^2}.$$
#
# **The algorithm.** Before round 1 the arm `start` is observed once. In round $t$ the algorithm chooses the arm $x_t$
# with the largest expected improvement $\mathbb E\max(0,g-y^{\max})$, where $g$ is normal with the arm's mean and
# variance, and $y^{\max}$ is the largest value observed so far; of several such arms the first one. If the variance
# $\sigma_{t-1}^2(x_t)$ exceeds $\sigma^2u$, the round is *kept*: the arm is observed. Otherwise it is *rejected*:
# nothing is observed and nothing changes.
#
# **The lemma.** Lemma 9.5 says, for $T$ rounds of which $r$ are rejected,
#
# $$\sum_{t=1}^T\sigma_{t-1}^2(x_t)\le\frac2{\log(1+\sigma^{-2})}\big(\gamma_M+\epsilon\,r\big).\tag{L}$$
#
# Let $M=1+T-r$ here, the start counted. $\gamma_M$ is the maximum information gain of $M$ observations. For independent
# arms it is the gain of $M$ observations that are spread as evenly as possible, and $n$ observations of one arm have
# the gain $\tfrac12\log(1+n/\sigma^2)$. In the proof of Theorem 3.4, step (9.26), the lemma is used with the maximiser
# $x^*$ in the place of $x_t$. Arms are numbered from 0; $x^*$ is the arm with the largest value. Logarithms are
# natural.

# %% tags=["setup"]
import math
import random

import numpy as np
from scipy.special import erfcx, ndtr
from selfcheck import numbers


def own_arms(mine, prediction):
    """Values of the five arms of question 5, from your numbers and from your prediction."""
    luck = random.Random(f"{mine['seed']} {prediction}")
    return [round(1.5 * luck.random() - 0.3, 4) for _ in range(5)]


# %% [markdown] tags=["question", "q1"]
# ## 1. A small improvement
#
# With the normal density $\phi$ and distribution function $\Phi$, expected improvement is
# $s\,\big(z\Phi(z)+\phi(z)\big)$ with $z=(\mu-y^{\max})/s$ for an arm with mean $\mu$ and standard deviation $s$. Write
# `log_improvement(mean, sd, best)`, which returns its natural logarithm as a float; `sd` is $s$ and `best` is
# $y^{\max}$. It has to be right, to an absolute or relative error of $10^{-6}$, for all $z$ from $-200$ to $200$.


# %% tags=["answer", "q1"]
def log_improvement(mean, sd, best):
    """Natural logarithm of the expected improvement over ``best``."""
    # BEGIN SOLUTION
    z = (mean - best) / sd
    if z > -1:
        return math.log(sd) + math.log(z * float(ndtr(z)) + math.exp(-(z**2) / 2) / math.sqrt(2 * math.pi))
    # In the lower tail the density is factored out; Phi(z) / phi(z) is a scaled error function.
    ratio = math.sqrt(math.pi / 2) * float(erfcx(-z / math.sqrt(2)))
    return math.log(sd) - z**2 / 2 - math.log(2 * math.pi) / 2 + math.log1p(z * ratio)
    # END SOLUTION


# %% [markdown] tags=["hint", "q1"]
# For $z\ge-1$ or so the formula is harmless. Where does it break down, and which of its two terms is to blame?
#
# In the lower tail take $\phi(z)$ out of the bracket: what is left is $1+z\,\Phi(z)/\phi(z)$.
#
# `scipy.special.erfcx` gives $\Phi(z)/\phi(z)$ without underflow. Take the logarithm of each factor by itself.


# %% tags=["public", "q1"]
def public_q1(log_improvement):
    import math

    found = [log_improvement(z, 1.0, 0.0) for z in (-20.0, -1.0, 0.0, 1.0, 20.0)]
    assert all(isinstance(value, float) and math.isfinite(value) for value in found), (
        "log_improvement should return finite floats, also for z = -20 and z = 20."
    )
    assert found == sorted(found), "The logarithm should grow with the mean."
    assert log_improvement(0.3, 2.0, 0.5) > log_improvement(0.3, 1.0, 0.5), (
        "The logarithm should grow with the standard deviation here."
    )


# %% [markdown] tags=["question", "q2"]
# ## 2. The run
#
# Write `play(values, noise_variance, u, start, rounds)`, which runs the algorithm on arms with these values and returns
# a list with one entry `[arm, kept]` for each round, `arm` an integer and `kept` True or False.


# %% tags=["answer", "q2"]
def play(values, noise_variance, u, start, rounds):
    """The rounds of a run, a list of [arm, kept]."""
    # BEGIN SOLUTION
    counts = [0] * len(values)
    counts[start] = 1
    best, history = values[start], []
    for _ in range(rounds):
        means = [n * v / (n + noise_variance) for n, v in zip(counts, values, strict=True)]
        variances = [noise_variance / (n + noise_variance) for n in counts]
        scores = [log_improvement(m, math.sqrt(v), best) for m, v in zip(means, variances, strict=True)]
        arm = int(np.argmax(scores))
        kept = bool(variances[arm] > noise_variance * u)
        history.append([arm, kept])
        if not kept:  # nothing has changed, so that the same arm is rejected in all later rounds
            return history + [[arm, False]] * (rounds - len(history))
        counts[arm] += 1
        best = max(best, values[arm])
    return history
    # END SOLUTION


# %% [markdown] tags=["hint", "q2"]
# Keep two things: how often each arm was observed, and the largest value observed.
#
# Means and variances follow from the counts. Compare logarithms of the improvements, since most of them underflow.
#
# What changes after a rejected round? So what does the next round choose?


# %% tags=["public", "q2"]
def public_q2(play):
    history = play([0.4, 0.9, 0.7], 0.2, 0.5, 0, 12)
    assert isinstance(history, list), "play should return a list."
    assert len(history) == 12, "The list should have one entry for each of the 12 rounds."
    for arm, kept in history:
        assert arm in (0, 1, 2), "An arm should be one of 0, 1 and 2."
        assert kept is True or kept is False, "The second number of an entry should be True or False."


# %% [markdown] tags=["question", "q3"]
# ## 3. Both sides
#
# Write `three_sums(values, noise_variance, u, start, rounds)`, which returns for such a run a list of three floats: the
# left side of (L), the same sum with $x^*$ in the place of $x_t$, and the right side of (L).


# %% tags=["answer", "q3"]
def three_sums(values, noise_variance, u, start, rounds):
    """Sum of the variances at x_t, at x*, and what the lemma allows: a list of three floats."""
    # BEGIN SOLUTION
    star, counts = int(np.argmax(values)), [0] * len(values)
    counts[start] = 1
    chosen = optimal = 0.0
    rejected = 0
    for arm, kept in play(values, noise_variance, u, start, rounds):
        chosen += noise_variance / (counts[arm] + noise_variance)
        optimal += noise_variance / (counts[star] + noise_variance)
        counts[arm] += kept
        rejected += not kept
    each, more = divmod(1 + rounds - rejected, len(values))
    gain = more * math.log1p((each + 1) / noise_variance) / 2
    gain += (len(values) - more) * math.log1p(each / noise_variance) / 2
    return [chosen, optimal, 2 / math.log1p(1 / noise_variance) * (gain + math.log1p(u) / 2 * rejected)]
    # END SOLUTION


# %% [markdown] tags=["hint", "q3"]
# Go through the rounds of question 2 and keep the counts; the variances are those *before* the round.
#
# Spread $M$ observations over the arms by `divmod`, for $\gamma_M$.
#
# $\epsilon=\tfrac12\log(1+u)$ is paid in rejected rounds only.


# %% tags=["public", "q3"]
def public_q3(three_sums):
    found = three_sums([0.4, 0.9, 0.7], 0.2, 0.5, 0, 12)
    assert isinstance(found, list), "three_sums should return a list."
    assert len(found) == 3, "The list should have three entries."
    assert all(type(value) is float and value > 0 for value in found), "All three sums should be positive floats."
    assert found[0] <= found[2], "The lemma holds at the chosen points, so the first sum should not exceed the third."


# %% [markdown] tags=["question", "q4"]
# ## 4. The counterexample
#
# `mine` holds a `noise_variance`, a number of `rounds` and a number `largest`. Set `counterexample` to a dict with the
# keys `"values"` (a list of two numbers that differ by 0.01 at least, the larger one being your `largest`), `"u"` (a
# positive number) and `"start"` (0 or 1), such that in this run on two arms (L) fails with $x^*$ in the place of $x_t$,
# and not just so: the sum of the variances at $x^*$ shall be at least 4 times the right side.


# %% tags=["numbers", "q4"]
def numbers_q4(draw):
    return {
        "noise_variance": draw.decimal(0.1, 0.3, 2),
        "rounds": draw.integer(300, 500),
        "largest": draw.decimal(1.2, 1.4, 3),
    }


# %% tags=["answer", "q4"]
mine = numbers("q4")


# BEGIN SOLUTION
def factor(u):
    sums = three_sums([mine["largest"] - 0.02, mine["largest"]], mine["noise_variance"], u, 0, mine["rounds"])
    return sums[1] / sums[2]


budget = max((0.15, 0.2, 0.3, 0.4, 0.5, 0.6), key=factor)
counterexample = {"values": [mine["largest"] - 0.02, mine["largest"]], "u": budget, "start": 0}
# END SOLUTION


# %% [markdown] tags=["hint", "q4"]
# What happens to the variance at $x^*$ if $x^*$ is never observed? And to the right side in a rejected round?
#
# So start at the arm that is *not* the best. When does it look so good that the other one is never tried?
#
# Try a few budgets $u$ between 0.1 and 1 with your function of question 3, and look at the ratio of the two sides.


# %% tags=["public", "q4"]
def public_q4(counterexample, mine):
    assert isinstance(counterexample, dict), "Your counterexample should be a dict."
    assert set(counterexample) == {"values", "u", "start"}, "Its keys should be values, u and start."
    assert len(counterexample["values"]) == 2, "There should be the values of two arms."
    assert counterexample["u"] > 0, "The budget u should be positive."


# %% [markdown] tags=["solution", "q4"]
# The start is the second best arm, with a value so large that an arm which was never seen, with mean 0, promises less.
# The variance of the start falls until it is rejected, and then it is rejected for ever: nothing changes any more. The
# maximiser is never observed and keeps the variance 1 in all $T$ rounds, while the right side grows by
# $\log(1+u)/\log(1+\sigma^{-2})$ in a round. A large budget makes that as much as 1, so that (L) holds. With a small
# one the algorithm observes the start so often that its improvement falls below that of the other arm, and then $x^*$
# is observed. In between (L) fails. Information about the arm that is played says nothing about the one that is not.

# %% [markdown] tags=["question", "q5"]
# ## 5. A run of your own
#
# Five arms, your `noise_variance`, $u=0.02$, start at arm 0 and 150 rounds. First predict: in how many of them is the arm
# kept? Then let `values = own_arms(mine, prediction)`, draw the three sums of question 3 for 10, 20, ..., 150 rounds as three
# lines, and set `my_run` to a dict with the keys
#
# - `"prediction"`, a whole number from 0 to 150,
# - `"first"`, the value of arm 0,
# - `"kept"`, the number of kept rounds,
# - `"ratio"`, the sum of the variances at $x^*$ divided by the right side of (L), for 150 rounds.
#
# *Type* the numbers that were printed, with four digits after the point. The arms are drawn from your id and from your
# prediction, so predict first; how near you come earns nothing. When this is graded, `numbers("q5")` gives other numbers
# than yours: what counts is what you typed.


# %% tags=["numbers", "q5"]
def numbers_q5(draw):
    return {"seed": draw.integer(10**8, 10**9 - 1), "noise_variance": draw.decimal(0.1, 0.4, 2)}


# %% tags=["answer", "q5"]
mine = numbers("q5")
# BEGIN SOLUTION
prediction = 50
values = own_arms(mine, prediction)
sums = three_sums(values, mine["noise_variance"], 0.02, 0, 150)
kept = sum(kept for _, kept in play(values, mine["noise_variance"], 0.02, 0, 150))
my_run = {"prediction": prediction, "first": values[0], "kept": kept, "ratio": sums[1] / sums[2]}  # yours: as printed
# END SOLUTION


# %% [markdown] tags=["hint", "q5"]
# One arm alone is kept about $1/u-\sigma^2$ times before it is rejected, and after the first rejection nothing changes.
#
# Your functions of questions 2 and 3 give all the numbers.


# %% tags=["public", "q5"]
def public_q5(my_run, mine):
    assert isinstance(my_run, dict), "Your my_run should be a dict."
    assert set(my_run) == {"prediction", "first", "kept", "ratio"}, (
        "Its keys should be prediction, first, kept and ratio."
    )
    assert type(my_run["prediction"]) is int, "The prediction should be a whole number."
    assert my_run["ratio"] > 0, "A ratio of two positive sums should be positive."


# %% [markdown] tags=["question", "q6"]
# ## 6. What the proof may not do
#
# Set `why` to a text of 40 to 150 words, for a reader of the paper who has not done this sheet: what does Lemma 9.5
# say about the chosen points, why is the maximiser another matter in your counterexample, and what would an algorithm
# have to do so that the step of the proof becomes right? And what does your picture of question 5 show, with two numbers?


# %% tags=["answer", "q6"]
# BEGIN SOLUTION
why = """Lemma 9.5 bounds the sum of the variances at the points that are chosen: each time one is kept its variance falls,
and a rejected one is small already. Nothing makes the variance at the maximiser fall, though. In my example the
algorithm starts at the second best arm, finds it good, and is rejected there for ever; the best arm is never observed and
keeps its prior variance. The step would be right if the algorithm had to look at uncertain points, for instance by an
upper confidence bound. In my picture the sum at the maximiser is 0.4 times the right side after 150 rounds: 58 rounds
were kept, not 50, all but a few at the best arm, so that there was no harm."""
# END SOLUTION


# %% tags=["public", "q6"]
def public_q6(why):
    assert isinstance(why, str), "Your answer should be a text between quotes."
    words = len(why.split())
    assert 40 <= words <= 150, f"Your text has {words} words; 40 to 150 were asked for."


# %% tags=["hidden"]
from companion.classroom.own_runs import own_run
from companion.classroom.questions import Check, Question, Wrong


def package_log_improvement(mean, sd, best):
    from companion.policies.acquisition import log_expected_improvement

    return float(log_expected_improvement(np.array([mean]), np.array([sd]), best)[0])


def package_run(values, noise_variance, u, start, rounds):
    """The run by the chapter's own bandit: the rounds, and the variances of all arms before each of them."""
    from companion.papers.compressed.method.admission import Admission
    from companion.papers.compressed.method.policy import CompressedBandit

    arms, rule = np.asarray(values, dtype=float), Admission("info", noise_variance * u)
    bandit = CompressedBandit(np.eye(len(arms)), noise_variance, "ei", rule, 1.0, initial=[start])
    bandit.tell(arms[bandit.ask(rounds + 1).query])
    history, before = [], []
    for _ in range(rounds):
        variances = bandit.posterior.variance[0].copy()
        arm = int(bandit.ask(rounds).query[0])
        bandit.tell(arms[[arm]])
        history.append([arm, rule.admits(float(variances[arm]))])
        before.append(variances)
        if not history[-1][1]:  # nothing changes any more (the chapter's own-6)
            left = rounds - len(history)
            return history + [history[-1]] * left, np.array(before + [variances] * left)
    return history, np.array(before)


def package_play(*run):
    return package_run(*run)[0]


def package_sums(values, noise_variance, u, start, rounds):
    from companion.papers.compressed.theory.bounds import variance_sum_bound
    from companion.papers.compressed.theory.instances import even_gain

    history, before = package_run(values, noise_variance, u, start, rounds)
    rejected = sum(not kept for _, kept in history)
    gain = even_gain(1 + rounds - rejected, len(values), 1 / noise_variance)
    allowed = float(variance_sum_bound(noise_variance, gain, 0.5 * math.log1p(u) * rejected))
    chosen = float(sum(row[arm] for row, (arm, _) in zip(before, history, strict=True)))
    return [chosen, float(before[:, int(np.argmax(values))].sum()), allowed]


def scores_between(*ranges):
    """Inputs of question 1: arms whose z lies between two numbers."""

    def inputs(draw, mine):
        cases = []
        for low, high in ranges * 8:
            sd, best = draw.uniform(0.05, 0.6), draw.uniform(0.5, 2.0)
            cases.append((best + sd * draw.uniform(low, high), sd, best))
        return cases

    return inputs


def runs(low, high, rounds, count=12):
    """Inputs of questions 2 and 3: three arms, values of both signs, u between two numbers."""

    def inputs(draw, mine):
        cases = []
        for _ in range(count):
            values = [draw.uniform(-0.2, 1.1) for _ in range(3)]
            u = math.exp(draw.uniform(math.log(low), math.log(high)))
            cases.append((values, draw.uniform(0.15, 0.4), u, draw.integer(0, 2), rounds))
        return cases

    return inputs


def entry(position):
    """A property: this entry of a list of three is the package's."""

    def holds(answer, *run):
        assert isinstance(answer, list | np.ndarray), "a list was asked for"
        assert len(answer) == 3, "a list of three numbers was asked for"
        given, wanted = float(answer[position]), package_sums(*run)[position]
        assert abs(given - wanted) <= 1e-8 * wanted, "not the right value"

    return holds


def numbers_of(answer):
    assert isinstance(answer, dict), "a dict was asked for"
    assert set(answer) == {"values", "u", "start"}, "its keys are values, u and start"
    values, u, start = [float(value) for value in answer["values"]], float(answer["u"]), answer["start"]
    assert len(values) == 2, "two arms were asked for"
    assert all(abs(value) < 1e3 for value in values), "the values are numbers below 1000"
    assert 0 < u < 1e9, "u is positive and below 10^9"
    assert type(start) is int, "the start is 0 or 1"
    assert start in (0, 1), "the start is 0 or 1"
    return values, u, start


def as_asked(answer, mine):
    values, _, _ = numbers_of(answer)
    assert abs(max(values) - mine["largest"]) <= 1e-9, "the larger value is not yours"
    assert abs(values[1] - values[0]) >= 0.01 - 1e-9, "the values are too close"


def factor_of(answer, mine):
    values, u, start = numbers_of(answer)
    assert values[0] != values[1], "both arms are maximisers"
    _, optimal, allowed = package_sums(values, mine["noise_variance"], u, start, mine["rounds"])
    return optimal / allowed


def fails_at_maximiser(answer, mine):
    assert factor_of(answer, mine) > 1 + 1e-9, "the inequality holds for this run"


def fails_by_far(answer, mine):
    assert factor_of(answer, mine) >= 4 - 1e-9, "the sum is less than 4 times the right side"


# %% tags=["hidden", "q1"]
q1 = Question(
    function="log_improvement",
    example="log_improvement(0.5, 0.5, 1.0)",
    hard="log_improvement(0.0, 0.01, 1.5)",
    checks=[
        Check(
            "z between -2 and 2",
            1,
            scores_between((-2.0, -1.0), (-1.0, 2.0)),
            close=package_log_improvement,
            abs_tol=1e-6,
        ),
        Check("large z", 1, scores_between((5.0, 200.0)), close=package_log_improvement, abs_tol=1e-6),
        Check(
            "z far below zero",
            2,
            scores_between((-200.0, -20.0)),
            abs_tol=1e-6,
            close=package_log_improvement,
            hint="Take the density out of the bracket before anything underflows. scipy.special.erfcx may help.",
        ),
    ],
    wrong=[
        Wrong(
            "logarithm of what underflows",
            2,
            code="""
def log_improvement(mean, sd, best):
    z = (mean - best) / sd
    value = sd * (z * float(ndtr(z)) + math.exp(-(z**2) / 2) / math.sqrt(2 * math.pi))
    return math.log(value) if value > 0 else -1e300
""",
        ),
        Wrong(
            "density as the tail",
            1,
            {"/ 2 + math.log1p(z * ratio)": "/ 2"},
        ),
        Wrong("first term of the tail", 1, {"math.log1p(z * ratio)": "math.log(ratio)"}),
        Wrong("without the standard deviation", 0, {"math.log(sd) + ": "", "math.log(sd) - z**2": "-z**2"}),
        Wrong("density left out", 3, {" + math.exp(-(z**2) / 2) / math.sqrt(2 * math.pi))": " + 1e-9)"}),
        Wrong("sign of z", 0, {"(mean - best) / sd": "(best - mean) / sd"}),
        Wrong("divided by the variance", 0, {"(mean - best) / sd": "(mean - best) / sd**2"}),
        Wrong(
            "probability of improvement",
            0,
            code="""
def log_improvement(mean, sd, best):
    from scipy.special import log_ndtr
    return float(log_ndtr((mean - best) / sd))
""",
        ),
    ],
)

# %% tags=["hidden", "q2"]
q2 = Question(
    function="play",
    example="play([0.4, 0.9, 0.7], 0.2, 1.0, 0, 6)",
    hard="play([0.9, 0.2], 0.2, 0.6, 0, 5)",
    checks=[
        Check("runs in which every round is kept", 1, runs(1e-6, 1e-5, 25), equals=package_play),
        Check(
            "runs with rejected rounds",
            2,
            runs(0.1, 1.0, 25, 20),
            equals=package_play,
            hint="What of means, variances and the largest observed value does a rejected round change?",
        ),
    ],
    wrong=[
        Wrong("observed although rejected", 1, {"if not kept:": "if False:"}),
        Wrong("run ends with a rejection", 1, {"history + [[arm, False]] * (rounds - len(history))": "history"}),
        Wrong("threshold without the noise", 1, {"> noise_variance * u": "> u"}),
        Wrong("threshold of the standard deviation", 1, {"bool(variances[arm] >": "bool(math.sqrt(variances[arm]) >"}),
        Wrong("largest mean for the largest value", 0, {", best) for m, v": ", max(means)) for m, v"}),
        Wrong("last value for the largest", 0, {"best = max(best, values[arm])": "best = values[arm]"}),
        Wrong("start not counted", 0, {"counts[start] = 1": "counts[start] = 0"}),
        Wrong("means not shrunk", 0, {"n * v / (n + noise_variance) for n, v in": "v if n else 0.0 for n, v in"}),
        Wrong("largest mean", 0, {"np.argmax(scores)": "np.argmax(means)"}),
    ],
)

# %% tags=["hidden", "q3"]
q3 = Question(
    function="three_sums",
    example="three_sums([0.4, 0.9, 0.7], 0.2, 1.0, 0, 6)",
    hard="three_sums([0.8, 0.9], 0.2, 0.6, 0, 5)",
    checks=[
        Check("variances at the chosen arms", 1, runs(0.3, 1.5, 25), holds=entry(0)),
        Check("variances at the maximiser", 1, runs(0.3, 1.5, 25), holds=entry(1)),
        Check("what the lemma allows", 2, runs(0.3, 1.5, 25), holds=entry(2)),
    ],
    wrong=[
        Wrong(
            "variances after the round",
            2,
            {
                "        chosen +=": "        counts[arm] += kept\n        chosen +=",
                "        counts[arm] += kept\n        rejected": "        rejected",
            },
        ),
        Wrong(
            "rejected rounds left out",
            2,
            {
                "        chosen += noise": "        chosen += kept * noise",
                "        optimal += noise": "        optimal += kept * noise",
            },
        ),
        Wrong("first arm as the maximiser", 3, {"int(np.argmax(values))": "0"}),
        Wrong("maximiser never observed", 3, {"noise_variance / (counts[star] + noise_variance)": "1.0"}),
        Wrong("budget u for epsilon", 2, {"math.log1p(u) / 2 * rejected": "u * rejected"}),
        Wrong("epsilon for all rounds", 2, {"math.log1p(u) / 2 * rejected": "math.log1p(u) / 2 * rounds"}),
        Wrong(
            "gain of a single arm",
            2,
            {
                "divmod(1 + rounds - rejected, len(values))": "0, 0",
                "gain = more": "gain = math.log1p((1 + rounds - rejected) / noise_variance) / 2 + more",
            },
        ),
        Wrong("constant of the regret bound", 2, {"[chosen, optimal, 2 /": "[chosen, optimal, 8 /"}),
        Wrong(
            "standard deviations",
            2,
            {
                "chosen += noise_variance / (counts[arm] + noise_variance)": "chosen += math.sqrt(noise_variance / (counts[arm] + noise_variance))",
                "optimal += noise_variance / (counts[star] + noise_variance)": "optimal += math.sqrt(noise_variance / (counts[star] + noise_variance))",
            },
        ),
        Wrong("without the budget", 2, {" + math.log1p(u) / 2 * rejected": ""}),
    ],
)

# %% tags=["hidden", "q4"]
q4 = Question(
    value="counterexample",
    checks=[
        Check("values, u and start are as asked for", 1, holds=as_asked),
        Check(
            "the inequality fails at the maximiser",
            1,
            holds=fails_at_maximiser,
            hint="Which arm has to be played, and for how long, so that the maximiser stays unknown?",
        ),
        Check(
            "by a factor of 4",
            2,
            holds=fails_by_far,
            hint="What does a rejected round add to each side? What happens when too many rounds are kept?",
        ),
    ],
    wrong=[
        Wrong("start at the maximiser", 1, {'"start": 0': '"start": 1'}),
        Wrong(
            "the better arm first",
            1,
            {
                '"values": [mine["largest"] - 0.02, mine["largest"]]': '"values": [mine["largest"], mine["largest"] - 0.02]'
            },
        ),
        Wrong("a huge budget", 1, {'"u": budget': '"u": 2 / mine["noise_variance"]'}),
        Wrong("a budget too large for the factor", 2, {'"u": budget': '"u": 1.0'}),
        Wrong(
            "values too large",
            3,
            {'"values": [mine["largest"] - 0.02, mine["largest"]], "u": budget': '"values": [3.0, 3.1], "u": 0.2'},
        ),
        Wrong(
            "start at a bad arm",
            1,
            {'"values": [mine["largest"] - 0.02, mine["largest"]]': '"values": [0.2, mine["largest"]]'},
        ),
        Wrong(
            "two maximisers",
            0,
            {'"values": [mine["largest"] - 0.02, mine["largest"]]': '"values": [mine["largest"], mine["largest"]]'},
        ),
        Wrong("arms numbered from one", 0, {'"start": 0': '"start": 2'}),
        Wrong("negative u", 0, {'"u": budget': '"u": -0.5'}),
    ],
)


# %% tags=["hidden", "q5"]
def own_sums(mine, prediction):
    values = own_arms(mine, prediction)
    run = values, mine["noise_variance"], 0.02, 0, 150
    kept = sum(kept for _, kept in package_play(*run))
    _, optimal, allowed = package_sums(*run)
    return {"first": values[0], "kept": kept, "ratio": optimal / allowed}


q5 = own_run(
    "my_run",
    own_sums,
    0,
    150,
    [
        ("a prediction, and the arms that follow from it", 1, ["first"]),
        ("the kept rounds", 1, ["kept"]),
        ("the two sides", 2, ["ratio"]),
    ],
    [
        Wrong("a share of the rounds", 2, {"sums[1] / sums[2]": "sums[1] / 150"}),
        Wrong("the sides exchanged", 2, {"sums[1] / sums[2]": "sums[2] / sums[1]"}),
        Wrong(
            "a larger budget",
            1,
            {'play(values, mine["noise_variance"], 0.02': 'play(values, mine["noise_variance"], 0.06'},
        ),
    ],
)

# %% tags=["hidden", "q6"]
q6 = Question(
    value="why",
    rubric=[
        ("The lemma is about points that are observed or already well known", 1),
        ("The maximiser is never observed in the counterexample, and why; a repair", 2),
        ("What the picture of the own run shows, with two numbers, and how far the prediction was off", 2),
    ],
)
