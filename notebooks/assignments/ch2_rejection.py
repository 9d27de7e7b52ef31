# %% tags=["assignment"]
TITLE = "What an information budget keeps"
CHAPTER = 2
GOAL = "Count what a rule with an information budget keeps before it first drops anything."
LEVEL = "introductory"
MINUTES = 75

# %% [markdown]
# # What an information budget keeps
#
# The algorithm of chapter 2 (Bedi et al., Algorithm 1) looks at the point $x_t$ that it has chosen for round $t$
# *before* it evaluates it. With posterior variance $\sigma_{t-1}^2(x_t)$ and noise variance $\sigma^2$ it keeps the
# point if the observation would bring more information than the budget $\epsilon\ge0$ (equation 2.12),
#
# $$\tfrac12\log\big(1+\sigma^{-2}\sigma_{t-1}^2(x_t)\big)>\epsilon .$$
#
# A point that is kept is evaluated, and the posterior is conditioned on it. Otherwise the point is *rejected*: the
# round passes and the posterior stays as it is. Variances depend on the points only, not on the observed values.
# Logarithms are natural. No case below lies on the edge between keeping and rejecting.

# %% tags=["setup"]
import math
import random

import numpy as np
from selfcheck import numbers


def own_points(mine, prediction):
    """Covariance matrix of question 3: fifteen points on a line, from your numbers and from your prediction."""
    luck = random.Random(f"{mine['seed']} {prediction}")
    x = np.array([luck.random() for _ in range(15)])
    sd = np.array([0.6 + 0.4 * luck.random() for _ in x])
    return np.exp(-((x[:, None] - x) ** 2) / (2 * mine["lengthscale"] ** 2)) * np.outer(sd, sd)


# %% [markdown] tags=["question", "q1"]
# ## 1. The first rejection
#
# One and the same point is chosen in every round. Its prior variance is $a$; after $n$ observations of it the variance
# is $a\sigma^2/(na+\sigma^2)$. Write `first_rejection(epsilon, noise_variance, prior_variance)`, which returns how many
# observations are kept before the first one is rejected: an integer, 0 if nothing is ever kept. Budgets go down to
# $10^{-9}$.


# %% tags=["answer", "q1"]
def first_rejection(epsilon, noise_variance, prior_variance):
    """Number of observations of one point that are kept before the first rejection."""
    # BEGIN SOLUTION
    u = math.expm1(2 * epsilon)
    return max(0, math.ceil(1 / u - noise_variance / prior_variance))
    # END SOLUTION


# %% [markdown] tags=["hint", "q1"]
# Solve the test for the variance first: the information exceeds $\epsilon$ exactly if the variance exceeds a
# threshold.
#
# Put $a\sigma^2/(na+\sigma^2)$ in, and solve for $n$. How many $n=0,1,2,\dots$ pass the test?
#
# For $\epsilon=10^{-9}$ compare `math.exp(2 * epsilon) - 1` with `math.expm1(2 * epsilon)`.


# %% tags=["public", "q1"]
def public_q1(first_rejection):
    for epsilon in (0.3, 0.02, 1e-9):
        kept = first_rejection(epsilon, 0.7, 1.0)
        assert type(kept) is int, "first_rejection should return a Python integer."
        assert kept >= 1, "For these budgets the first observation is kept, so the number is at least 1."
    assert first_rejection(0.01, 0.7, 1.0) > first_rejection(0.1, 0.7, 1.0), (
        "A smaller budget should keep more observations."
    )


# %% [markdown] tags=["question", "q2"]
# ## 2. Three readings
#
# The paper words the test in three ways, which are not the same. Each of them keeps a point exactly if its variance
# $v=\sigma_{t-1}^2(x_t)$ exceeds a threshold:
#
# 1. the information exceeds $\epsilon$ (equation 2.12, above),
# 2. $v>e^{2\epsilon}-1$ (equation 3.1),
# 3. "the conditional entropy exceeds $\epsilon$": $\tfrac12\log\big(2\pi e\,(\sigma^2+v)\big)>\epsilon$.
#
# Write `thresholds(epsilon, noise_variance)`, which returns the three thresholds for $v$ as a list of floats, in this
# order. A threshold may be negative: then everything is kept.


# %% tags=["answer", "q2"]
def thresholds(epsilon, noise_variance):
    """Thresholds of the variance under the three readings, a list of three floats."""
    # BEGIN SOLUTION
    u = math.expm1(2 * epsilon)
    raw = math.exp(2 * epsilon) / (2 * math.pi * math.e) - noise_variance
    return [noise_variance * u, u, raw]
    # END SOLUTION


# %% [markdown] tags=["hint", "q2"]
# Each reading is an inequality for $v$. Solve it for $v$.
#
# In the third one exponentiate both sides of the doubled inequality; the noise variance stays, with a minus.


# %% tags=["public", "q2"]
def public_q2(thresholds):
    low, high = thresholds(0.1, 0.4), thresholds(0.3, 0.4)
    assert isinstance(low, list), "thresholds should return a list."
    assert len(low) == 3, "The list should have three entries, one for each reading."
    assert all(type(threshold) is float for threshold in low), "The thresholds should be floats."
    assert all(a < b for a, b in zip(low, high, strict=True)), "Every threshold should grow with the budget."


# %% [markdown] tags=["question", "q3"]
# ## 3. What is kept in a run of your own
#
# Fifteen points on a line are correlated, with the length-scale `mine["lengthscale"]`; the noise variance is 0.5 and the
# budget $\epsilon=0.05$. In every round the point of largest variance is chosen, until one is rejected. First predict: how
# many are kept? Then let `C = own_points(mine, prediction)` be the prior covariance matrix. An observation at $j$ takes it
# to $C-C_{\cdot j}C_{j\cdot}/(C_{jj}+\sigma^2)$. Draw the largest variance against the number of kept points as a line, with
# the threshold as a second one, and set `my_run` to a dict with the keys
#
# - `"prediction"`, a whole number from 0 to 200,
# - `"first"`, the sum of the prior variances,
# - `"fifth"`, the largest variance after five points are kept,
# - `"kept"`, the number of points that are kept before the first rejection.
#
# *Type* the numbers that were printed, with four digits after the point. The points are drawn from your id and from your
# prediction, so predict first; how near you come earns nothing. When this is graded, `numbers("q3")` gives other numbers
# than yours: what counts is what you typed.


# %% tags=["numbers", "q3"]
def numbers_q3(draw):
    return {"seed": draw.integer(10**8, 10**9 - 1), "lengthscale": draw.decimal(0.05, 0.3, 2)}


# %% tags=["answer", "q3"]
mine = numbers("q3")
# BEGIN SOLUTION
prediction = 30
C, largest = own_points(mine, prediction), []
first = float(np.trace(C))
while True:
    j = int(np.argmax(np.diagonal(C)))
    largest.append(float(C[j, j]))
    if C[j, j] <= thresholds(0.05, 0.5)[0]:
        break
    C = C - np.outer(C[:, j], C[j]) / (C[j, j] + 0.5)
my_run = {"prediction": prediction, "first": first, "fifth": largest[5], "kept": len(largest) - 1}  # yours: as printed
# END SOLUTION


# %% [markdown] tags=["hint", "q3"]
# If all points were copies of one, question 1 says how many are kept. If they were independent, fifteen times as many. Where
# do yours lie in between?
#
# Question 2 has the threshold. In a loop: find the largest variance, compare, keep and condition, or stop.


# %% tags=["public", "q3"]
def public_q3(my_run, mine):
    assert isinstance(my_run, dict), "Your my_run should be a dict."
    assert set(my_run) == {"prediction", "first", "fifth", "kept"}, (
        "Its keys should be prediction, first, fifth and kept."
    )
    assert type(my_run["prediction"]) is int, "The prediction should be a whole number."
    assert 0 < my_run["fifth"] <= 1, "A variance should lie between 0 and 1 here."


# %% [markdown] tags=["question", "q4"]
# ## 4. As many as asked for
#
# Choose a point of largest variance in every round, the first one if there are several, until a point is rejected. With
# a prior variance of 1 everywhere, the number of points that this keeps in the end depends on how the points are
# correlated. `mine` holds a number of `points` $X$, a budget `epsilon`, a `noise_variance` and a number `kept`. Set
# `covariance` to a covariance matrix ($X\times X$, symmetric, positive semidefinite, with ones on the diagonal) under
# which exactly so many points are kept, each counted as often as it is kept. A NumPy array or a list of lists will do.


# %% tags=["numbers", "q4"]
def numbers_q4(draw):
    import math

    points = draw.integer(6, 9)
    groups = draw.integer(2, points - 2)
    while True:
        epsilon, noise_variance = draw.decimal(0.04, 0.15, 3), draw.decimal(0.1, 0.9, 2)
        times = 1 / math.expm1(2 * epsilon) - noise_variance
        if abs(times - round(times)) > 0.1:  # not on the edge
            kept = groups * math.ceil(times)
            return {"points": points, "epsilon": epsilon, "noise_variance": noise_variance, "kept": kept}


# %% tags=["answer", "q4"]
mine = numbers("q4")
# BEGIN SOLUTION
each = first_rejection(mine["epsilon"], mine["noise_variance"], 1.0)
groups = mine["kept"] // each  # groups of points that are copies of each other, independent between groups
group = np.minimum(np.arange(mine["points"]), groups - 1)
covariance = (group[:, None] == group[None, :]).astype(float)
# END SOLUTION


# %% [markdown] tags=["hint", "q4"]
# If all points are copies of one, how many observations are kept in all? And if all are independent?
#
# Mix the two: groups of copies, independent of each other. How many groups does your `kept` ask for?


# %% tags=["public", "q4"]
def public_q4(covariance, mine):
    import numpy as np

    matrix = np.asarray(covariance, dtype=float)
    assert matrix.shape == (mine["points"], mine["points"]), (
        "The matrix should have as many rows and columns as you have points."
    )
    assert np.allclose(np.diagonal(matrix), 1.0), "The prior variance should be 1 everywhere on the diagonal."


# %% [markdown] tags=["solution", "q4"]
# Points with correlation 1 share their observations. A group of copies is kept as often as one single point, and groups
# that are independent of each other do not help each other. This gives every multiple of $n$ from $n$ (all points
# copies) to $Xn$ (all points independent), the two ends that the chapter proves for any covariance.

# %% [markdown] tags=["question", "q5"]
# ## 5. Is a rejected point lost?
#
# Set `why` to a text of 40 to 150 words. A rule that rejects saves an observation but spends the round. A friend
# says: what is rejected would have told us less than $\epsilon$, so the regret cannot change much. Where is that
# right, and where not? Then look at your picture of question 3: what does it show, with two numbers, and how far was your
# prediction off?


# %% tags=["answer", "q5"]
# BEGIN SOLUTION
why = """One rejected observation does carry less than epsilon, so my friend is right about a single round. But after a
rejection nothing has changed: the same point is chosen again and rejected again, in every later round. With copies of one
point that is harmless, since there is nothing else to learn. With a rule that looks at means as well, such as expected
improvement, the rejected point may be a mediocre one that looks best, and then the better point is never tried. In my
picture the largest variance falls from 0.98 to the threshold in 46 observations, fast at first and then slowly; I had
predicted 30, since I took my points for more alike."""
# END SOLUTION


# %% tags=["public", "q5"]
def public_q5(why):
    assert isinstance(why, str), "Your answer should be a text between quotes."
    words = len(why.split())
    assert 40 <= words <= 150, f"Your text has {words} words; 40 to 150 were asked for."


# %% tags=["hidden"]
from companion.classroom.own_runs import own_run
from companion.classroom.questions import Check, Question, Wrong


def kept_of_one(epsilon, noise_variance, prior_variance):
    from companion.papers.compressed.theory.order import copies_kept

    return copies_kept(math.expm1(2 * epsilon), noise_variance / prior_variance)


def readings(epsilon, noise_variance):
    from companion.papers.compressed.method.admission import by_reading

    return [by_reading(reading, epsilon, noise_variance).threshold for reading in ("info", "unit", "raw")]


def budgets(count, low, high, noise, prior):
    """Inputs of question 1, none on the edge; the range of the noise is in units of 1 / u where it is negative."""

    def inputs(draw, mine):
        cases = []
        while len(cases) < count:
            epsilon = math.exp(draw.uniform(math.log(low), math.log(high)))
            u, prior_variance = math.expm1(2 * epsilon), draw.uniform(*prior)
            noise_variance = draw.uniform(*noise) if noise[0] > 0 else -draw.uniform(*noise) / u
            times = 1 / u - noise_variance / prior_variance
            if 0.05 < times % 1 < 0.95:
                cases.append((epsilon, noise_variance, prior_variance))
        return cases

    return inputs


def entry(position):
    """A property: this entry of a list of three is the package's threshold."""

    def holds(answer, epsilon, noise_variance):
        assert isinstance(answer, list | np.ndarray), "a list was asked for"
        assert len(answer) == 3, "a list of three numbers was asked for"
        given, wanted = float(answer[position]), readings(epsilon, noise_variance)[position]
        assert abs(given - wanted) <= 1e-9 * (1 + abs(wanted)), "not the right value"

    return holds


def some_budgets(draw, mine):
    return [(draw.uniform(0.05, 0.8), draw.uniform(0.3, 0.9)) for _ in range(8)]


def no_budget(draw, mine):
    return [(0.0, draw.uniform(0.2, 0.9)) for _ in range(4)]


def package_run(mine, prediction):
    from companion.gp import FinitePosterior

    prior, largest = own_points(mine, prediction), []
    posterior = FinitePosterior(prior, 0.5)
    while True:
        variance = posterior.variance[0]
        largest.append(float(variance.max()))
        if largest[-1] <= readings(0.05, 0.5)[0]:
            return {"first": float(prior.trace()), "fifth": largest[5], "kept": len(largest) - 1}
        posterior.observe(int(np.argmax(variance)), 0.0)


def matrix_of(answer, mine):
    matrix = np.asarray(answer, dtype=np.float64)
    assert matrix.shape == (mine["points"], mine["points"]), "the matrix has not as many rows and columns as points"
    assert np.all(np.abs(matrix) <= 1 + 1e-9), "an entry is larger than 1 or no number"
    assert np.allclose(np.diagonal(matrix), 1.0, rtol=0, atol=1e-9), "a prior variance is not 1"
    assert np.allclose(matrix, matrix.T, rtol=0, atol=1e-9), "the matrix is not symmetric"
    assert np.linalg.eigvalsh(matrix)[0] >= -1e-9, "the matrix is not positive semidefinite"
    return (matrix + matrix.T) / 2


def is_covariance(answer, mine):
    matrix_of(answer, mine)


def keeps(answer, mine):
    from companion.papers.compressed.method.admission import information
    from companion.papers.compressed.theory.order import exploration_peaks

    threshold = information(mine["epsilon"], mine["noise_variance"]).threshold
    points, _ = exploration_peaks(matrix_of(answer, mine), mine["noise_variance"], threshold)
    assert len(points) <= mine["kept"], "more points are kept"
    assert len(points) >= mine["kept"], "fewer points are kept"


# %% tags=["hidden", "q1"]
q1 = Question(
    function="first_rejection",
    example="first_rejection(0.1, 0.5, 1.0)",
    hard="first_rejection(0.5, 2.0, 0.3)",
    checks=[
        Check("budgets between 0.005 and 0.3", 1, budgets(20, 0.005, 0.3, (1.2, 2.0), (1.0, 1.0)), equals=kept_of_one),
        Check(
            "so much noise that nothing is kept",
            1,
            budgets(8, 0.02, 0.06, (-1.5, -1.2), (1.0, 1.0)),
            equals=kept_of_one,
            hint="A number of observations is not negative.",
        ),
        Check(
            "budgets of about a billionth",
            1,
            budgets(20, 1e-9, 3e-9, (1.2, 2.0), (1.0, 1.0)),
            equals=kept_of_one,
            hint="How many digits of exp(2e-9) - 1 are right? See math.expm1.",
        ),
        Check(
            "prior variances other than 1",
            1,
            budgets(20, 0.005, 0.03, (1.2, 2.0), (0.2, 0.5)),
            equals=kept_of_one,
            hint="Divide the inequality between variance and threshold by the prior variance.",
        ),
    ],
    wrong=[
        Wrong("half the exponent", 0, {"2 * epsilon": "epsilon"}),
        Wrong("floor for ceiling", 1, {"math.ceil": "math.floor"}),
        Wrong("noise forgotten", 0, {" - noise_variance / prior_variance": ""}),
        Wrong("digits lost", 3, {"math.expm1(2 * epsilon)": "math.exp(2 * epsilon) - 1"}),
        Wrong(
            "negative numbers",
            3,
            {
                "max(0, math.ceil(1 / u - noise_variance / prior_variance))": "math.ceil(1 / u - noise_variance / prior_variance)"
            },
        ),
        Wrong("prior variance ignored", 3, {"noise_variance / prior_variance": "noise_variance"}),
        Wrong("prior variance multiplied", 3, {"noise_variance / prior_variance": "noise_variance * prior_variance"}),
        Wrong("rejected observation counted", 0, {"max(0, ": "1 + max(0, "}),
        Wrong("budget linearised", 1, {"math.expm1(2 * epsilon)": "2 * epsilon"}),
        Wrong("threshold without the noise", 0, {"1 / u - noise": "noise_variance / u - noise"}),
    ],
)

# %% tags=["hidden", "q2"]
q2 = Question(
    function="thresholds",
    example="thresholds(0.4, 0.25)",
    hard="thresholds(0.0, 0.1)",
    checks=[
        Check("the information", 1, some_budgets, holds=entry(0)),
        Check("equation 3.1", 1, some_budgets, holds=entry(1)),
        Check("the entropy", 1, some_budgets, holds=entry(2), hint="Solve for v. What is left where v is small?"),
        Check("all three, for the budget zero", 1, no_budget, close=readings, abs_tol=1e-12),
    ],
    wrong=[
        Wrong("information without the noise", 3, {"noise_variance * u, u": "u, u"}),
        Wrong("equation 3.1 with the noise", 3, {"noise_variance * u, u": "noise_variance * u, noise_variance * u"}),
        Wrong(
            "half the exponent",
            3,
            {
                "math.expm1(2 * epsilon)": "math.expm1(epsilon)",
                "noise_variance * u": "noise_variance * math.expm1(2 * epsilon)",
            },
        ),
        Wrong("entropy of a bit of noise", 2, {"2 * math.pi * math.e": "math.pi * math.e"}),
        Wrong("entropy without the noise", 2, {" - noise_variance": ""}),
        Wrong("entropy without its half", 3, {"math.exp(2 * epsilon)": "math.exp(epsilon)"}),
        Wrong("negative thresholds raised", 2, {"u, raw]": "u, max(raw, 0.0)]"}),
        Wrong("budget linearised", 2, {"math.expm1(2 * epsilon)": "2 * epsilon"}),
        Wrong(
            "thresholds of the standard deviation",
            0,
            {"[noise_variance * u, u, raw]": "[math.sqrt(t) for t in (noise_variance * u, u, raw)]"},
        ),
        Wrong("other order", 0, {"[noise_variance * u, u, raw]": "[raw, noise_variance * u, u]"}),
    ],
)

# %% tags=["hidden", "q3"]
q3 = own_run(
    "my_run",
    package_run,
    0,
    200,
    [
        ("a prediction, and the variances that follow from it", 1, ["first"]),
        ("the largest variance after five", 1, ["fifth"]),
        ("how many are kept", 2, ["kept"]),
    ],
    [
        Wrong("the threshold without the noise", 2, {"thresholds(0.05, 0.5)[0]": "thresholds(0.05, 0.5)[1]"}),
        Wrong("standard deviation of the noise", 1, {"(C[j, j] + 0.5)": "(C[j, j] + 0.5**0.5)"}),
        Wrong("the rejected one counted", 2, {"len(largest) - 1": "len(largest)"}),
    ],
)

# %% tags=["hidden", "q4"]
q4 = Question(
    value="covariance",
    checks=[
        Check("it is a covariance matrix of unit variances", 1, holds=is_covariance),
        Check(
            "exactly so many points are kept",
            3,
            holds=keeps,
            hint="How many are kept if all points are copies of each other? How many if they are independent?",
        ),
    ],
    wrong=[
        Wrong("independent points", 1, {"(group[:, None] == group[None, :]).astype(float)": 'np.eye(mine["points"])'}),
        Wrong(
            "copies of one point",
            1,
            {"(group[:, None] == group[None, :]).astype(float)": 'np.ones((mine["points"], mine["points"]))'},
        ),
        Wrong("one group too many", 1, {"groups - 1)": "groups)"}),
        Wrong("one group too few", 1, {"groups - 1)": "groups - 2)"}),
        Wrong("variance two", 0, {".astype(float)": ".astype(float) * 2"}),
        Wrong(
            "only the upper half",
            0,
            {
                "(group[:, None] == group[None, :]).astype(float)": "np.triu(group[:, None] == group[None, :]).astype(float)"
            },
        ),
        Wrong("one row for each group", 0, {"(group[:, None] == group[None, :]).astype(float)": "np.eye(groups)"}),
        Wrong(
            "all points against each other",
            0,
            {"(group[:, None] == group[None, :]).astype(float)": '2 * np.eye(mine["points"]) - 1'},
        ),
        Wrong("no matrix", 0, {"(group[:, None] == group[None, :]).astype(float)": "groups"}),
    ],
)

# %% tags=["hidden", "q5"]
q5 = Question(
    value="why",
    rubric=[
        ("Right: one rejected observation has little information", 1),
        ("A rejection changes nothing, so that it is repeated for ever, with an example in which that costs", 2),
        ("What the picture of the own run shows, with two numbers, and how far the prediction was off", 2),
    ],
)
