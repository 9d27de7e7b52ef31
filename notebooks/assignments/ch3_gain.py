# %% tags=["assignment"]
TITLE = "Information gain, certified"
CHAPTER = 3
GOAL = "Enclose a maximum that nobody can compute between two numbers that are proved."
LEVEL = "intermediate"
MINUTES = 105

# %% [markdown]
# # Information gain, certified
#
# The regret bounds of chapter 3 contain the maximum information gain (Ma, Chen and Scarlett, Section 2.1 and
# Proposition 2)
#
# $$\gamma_T=\max_A\,F(A),\qquad F(A)=\tfrac12\log\det\big(\mathbf I+\sigma^{-2}K_A\big).$$
#
# The maximum is over all *multisets* $A$ of $T$ of the $N$ candidates: a point may be evaluated more than once, and $T$
# may be larger than $N$. $K$ is the prior covariance matrix, $K_A$ its rows and columns that belong to the points in
# $A$, a point that is in $A$ twice giving two rows and two columns, and $\sigma^2$ is the noise variance. Logarithms
# are natural.
#
# There are too many multisets to try them all. But every multiset gives a *lower* bound, and there are ways to an
# *upper* bound. With both, a regret bound can be evaluated honestly. Points are numbered from 0.

# %% tags=["setup"]
import math
import random

import numpy as np
from selfcheck import numbers


def own_matrix(mine, prediction):
    """Covariance matrix of question 4: twelve points on a line, drawn from your numbers and from your prediction."""
    luck = random.Random(f"{mine['seed']} {prediction}")
    x = np.array([luck.random() for _ in range(12)])
    sd = np.array([0.7 + 0.3 * luck.random() for _ in range(12)])
    return np.exp(-((x[:, None] - x[None, :]) ** 2) / (2 * 0.2**2)) * np.outer(sd, sd)


# %% [markdown] tags=["question", "q1"]
# ## 1. The gain of a multiset
#
# Write `gain(covariance, picks, noise_variance)`, which returns $F(A)$ as a float for the list `picks` of the points in
# $A$, repeats included. The list may be empty, and it may hold hundreds of points at a small noise variance.


# %% tags=["answer", "q1"]
def gain(covariance, picks, noise_variance):
    """Information gain of a multiset of points, in nats."""
    # BEGIN SOLUTION
    chosen = [int(point) for point in picks]
    block = covariance[np.ix_(chosen, chosen)] / noise_variance
    return float(np.linalg.slogdet(np.eye(len(chosen)) + block)[1]) / 2
    # END SOLUTION


# %% [markdown] tags=["hint", "q1"]
# `np.ix_(picks, picks)` takes rows and columns, a point twice where it is in the list twice.
#
# With hundreds of points the determinant overflows. `np.linalg.slogdet` gives its logarithm.
#
# An empty list makes a matrix with no rows. What type does `np.array([])` have, and what does indexing want?


# %% tags=["public", "q1"]
def public_q1(gain):
    import math

    import numpy as np

    covariance = np.array([[1.0, 0.6, 0.1], [0.6, 0.8, 0.2], [0.1, 0.2, 0.5]])
    assert isinstance(gain(covariance, [0, 2], 0.3), float), "gain should return a float."
    assert gain(covariance, [0, 2, 2], 0.3) > gain(covariance, [0, 2], 0.3), (
        "One more observation should gain something, also at a point that is in the multiset already."
    )
    assert math.isclose(gain(covariance, [0, 1, 2], 0.3), gain(covariance, [2, 0, 1], 0.3)), (
        "The order of the picks should not matter."
    )


# %% [markdown] tags=["question", "q2"]
# ## 2. The greedy multiset
#
# Given the points chosen so far, one more observation at $x$ adds $\tfrac12\log\big(1+\sigma^{-2}\sigma^2(x)\big)$,
# where $\sigma^2(x)$ is the posterior variance of $f(x)$. So the greedy choice is the point of largest posterior
# variance, of several the first one. Write `greedy(covariance, T, noise_variance)`, which returns the list of the $T$
# points chosen in this way, in order. An observation at $j$ takes the posterior covariance from $C$ to $C-C_{\cdot
# j}C_{j\cdot}/(C_{jj}+\sigma^2)$.


# %% tags=["answer", "q2"]
def greedy(covariance, T, noise_variance):
    """The T points of largest posterior variance, one after the other, a list of integers."""
    # BEGIN SOLUTION
    posterior, picks = covariance.copy(), []
    for _ in range(T):
        j = int(np.argmax(np.diagonal(posterior)))
        picks.append(j)
        posterior = posterior - np.outer(posterior[:, j], posterior[j]) / (posterior[j, j] + noise_variance)
    return picks
    # END SOLUTION


# %% [markdown] tags=["hint", "q2"]
# Start with $C=K$, and in each round take the largest diagonal entry: `np.argmax` takes the first of several.
#
# Work on a copy: the caller keeps the covariance matrix.
#
# No point is forbidden after it was taken. Its variance is smaller then, but it may be the largest again.


# %% tags=["public", "q2"]
def public_q2(greedy):
    import numpy as np

    covariance = np.array([[0.9, 0.6, 0.1], [0.6, 1.0, 0.2], [0.1, 0.2, 0.5]])
    picks = greedy(covariance.copy(), 7, 0.3)
    assert isinstance(picks, list), "greedy should return a list."
    assert len(picks) == 7, "The list should have T points."
    assert all(int(point) == point and 0 <= point < 3 for point in picks), (
        "A point should be an integer from 0 to N - 1."
    )
    assert greedy(covariance.copy(), 3, 0.3) == picks[:3], "The first points should not depend on how many follow."


# %% [markdown] tags=["question", "q3"]
# ## 3. Two ends, and what proves them
#
# A number that nobody can check is worth little, so hand in what proves it. The lower end is proved by a multiset: its
# gain. For the upper end let evaluations be divided: point $x$ gets $w_x\ge0$ of them. With
# $D=\operatorname{diag}(\sqrt{w_x})$ let
#
# $$\varphi(w)=\tfrac12\log\det\big(\mathbf I+\sigma^{-2}DKD\big),\qquad
#   g_x=\frac{\partial\varphi}{\partial w_x}=\frac{\sigma_w^2(x)}{2\sigma^2},\qquad
#   \sigma_w^2(x)=\Big(K-KD\,(\sigma^2\mathbf I+DKD)^{-1}DK\Big)_{xx}.$$
#
# $\varphi$ is concave, so it lies below its tangent at $w$, and *every* $w\ge0$ proves (book, *How the information gain
# is certified*)
#
# $$\gamma_T\le U(w)=\varphi(w)+T\max_xg_x-\sum_xw_xg_x.$$
#
# Write `witnesses(covariance, T, noise_variance)`, which returns a dict: `"picks"`, the list of the $T$ points of a
# multiset, and `"weights"`, the list of $w$. The grader computes $F$ and $U$ from them, so both ends are true whatever you
# return. They have to be near each other: $F$ at least that of the greedy multiset, and $U$ above its smallest value by at
# most 0.1 percent. At the best weights, which add up to $T$, all points that have weight have the same $g_x$, and the
# others a smaller one or the same.


# %% tags=["answer", "q3"]
def slopes(covariance, w, noise_variance):
    """The g_x at the weights w, an array; your witnesses may do without it."""
    # BEGIN SOLUTION
    half = covariance * np.sqrt(w)  # K D
    inner = noise_variance * np.eye(len(w)) + np.sqrt(w)[:, None] * half
    return (np.diagonal(covariance) - np.sum(half * np.linalg.solve(inner, half.T).T, axis=1)) / (2 * noise_variance)
    # END SOLUTION


def witnesses(covariance, T, noise_variance):
    """A multiset for the lower end, and weights for the upper one: {"picks": [...], "weights": [...]}."""
    # BEGIN SOLUTION
    w = np.full(len(covariance), T / len(covariance))
    for _ in range(400):
        w = w * slopes(covariance, w, noise_variance)
        w = w * T / w.sum()
    return {"picks": greedy(covariance, T, noise_variance), "weights": [float(weight) for weight in w]}
    # END SOLUTION


# %% [markdown] tags=["hint", "q3"]
# The multiset you have already. For the weights start with equal ones, and compute all slopes $g_x$.
#
# Multiply every weight by its slope, and scale the weights so that they add up to $T$. Do that again.
#
# Stop when $U$ no longer falls: print it every hundred steps.


# %% tags=["public", "q3"]
def public_q3(witnesses):
    import numpy as np

    covariance = np.array([[0.9, 0.6, 0.1], [0.6, 1.0, 0.2], [0.1, 0.2, 0.5]])
    found = witnesses(covariance.copy(), 7, 0.3)
    assert isinstance(found, dict), "witnesses should return a dict."
    assert set(found) == {"picks", "weights"}, "Its keys should be picks and weights."
    assert len(found["picks"]) == 7, "There should be T picks."
    assert len(found["weights"]) == 3, "There should be one weight for each point."
    assert all(weight >= 0 for weight in found["weights"]), "No weight should be negative."


# %% [markdown] tags=["solution", "q3"]
# Why not a constant times the greedy gain? The greedy multiset has at least the share $1-1/e$ of $\gamma_T$ (Nemhauser,
# Wolsey and Fisher, 1978), so that 1.59 times its gain is proved, and nothing smaller: where a point in the middle has the
# largest variance and two points beside it are nearly independent of each other, the best pair is the outer one, and
# greed begins with the middle. A smaller factor holds often, but often is no proof.

# %% [markdown] tags=["question", "q4"]
# ## 4. Your own gap
#
# First predict: by how many percent will $U$ exceed the gain of your greedy multiset, for twelve points on a line, a noise
# variance of 0.2 and your `mine["horizon"]`? Then let `K = own_matrix(mine, prediction)` be the covariance matrix, draw
# both ends for $T=5,10,15,\dots$ up to your horizon as two lines, and set `my_run` to a dict with the keys
#
# - `"prediction"`, a whole number from 0 to 60,
# - `"first"`, the list of your first five greedy picks,
# - `"low"` and `"high"`, the gain of the greedy multiset and the smallest $U$ at your horizon.
#
# *Type* the numbers that were printed, with four digits after the point. The points are drawn from your id and from your
# prediction, so predict first; how near you come earns nothing. When this is graded, `numbers("q4")` gives other numbers
# than yours: what counts is what you typed.


# %% tags=["numbers", "q4"]
def numbers_q4(draw):
    return {"seed": draw.integer(10**8, 10**9 - 1), "horizon": draw.integer(60, 100)}


# %% tags=["answer", "q4"]
mine = numbers("q4")
# BEGIN SOLUTION
prediction = 10
K, T = own_matrix(mine, prediction), mine["horizon"]
found = witnesses(K, T, 0.2)
w = np.array(found["weights"])
g = slopes(K, w, 0.2)
high = np.linalg.slogdet(np.eye(12) + np.sqrt(np.outer(w, w)) * K / 0.2)[1] / 2 + T * g.max() - w @ g
low, first = gain(K, found["picks"], 0.2), found["picks"][:5]
my_run = {"prediction": prediction, "first": first, "low": low, "high": float(high)}  # yours holds what was printed
# END SOLUTION


# %% [markdown] tags=["hint", "q4"]
# Twelve points within five length-scales: about how many of them tell something new? After that an evaluation only
# averages noise.
#
# Your functions of questions 1 to 3 give all three numbers. For the picture call them for every fifth $T$.


# %% tags=["public", "q4"]
def public_q4(my_run, mine):
    assert isinstance(my_run, dict), "Your my_run should be a dict."
    assert set(my_run) == {"prediction", "first", "low", "high"}, "Its keys should be prediction, first, low and high."
    assert type(my_run["prediction"]) is int, "The prediction should be a whole number."
    assert len(my_run["first"]) == 5, "The first picks should be a list of five."
    assert my_run["low"] <= my_run["high"], "The upper end should not be below the lower one."


# %% [markdown] tags=["question", "q5"]
# ## 5. Which upper end would you print?
#
# Set `why` to a text of 40 to 150 words. You have three upper ends of $\gamma_T$: $\tfrac T2\log(1+\sigma^{-2}\max_x
# K_{xx})$, which takes every evaluation for a first one; 1.59 times the greedy gain; and your $U$. For a regret bound in
# a paper, which would you print, for small and for large $T$? Say what makes each of them wide. And say what your picture
# of question 4 shows, with two numbers, and how far your prediction was off.


# %% tags=["answer", "q5"]
# BEGIN SOLUTION
why = """All three are true without any luck, which matters more than their width. The first one grows linearly in T; it is
fine for one or two evaluations. The greedy one is never more than 1.59 times the lower end, but also never better, since
its factor is a worst case. U needs weights that are nearly best, and is then nearly tight for large T; for small T
weights are not whole evaluations and it is too large. I would print the smallest of the three, with the weights, so that
a reader can check it. In my picture the gap falls from 12 percent at T = 5 to less than 1 percent at my horizon; I had
predicted 10, thinking of small T."""
# END SOLUTION


# %% tags=["public", "q5"]
def public_q5(why):
    assert isinstance(why, str), "Your answer should be a text between quotes."
    words = len(why.split())
    assert 40 <= words <= 150, f"Your text has {words} words; 40 to 150 were asked for."


# %% tags=["hidden"]
import functools

from companion.classroom.own_runs import own_run
from companion.classroom.questions import Check, Question, Wrong


def package_gain(covariance, picks, noise_variance):
    from companion.information import information_gain

    return information_gain(covariance, picks, noise_variance)


def package_greedy(covariance, T, noise_variance):
    from companion.information import greedy_gain

    return greedy_gain(covariance, T, noise_variance).indices.tolist()


def covariance_of(generator, size, lengthscale=0.3):
    """Points of the unit square under the package's Matern kernel, with different variances between 0.5 and 1."""
    from companion.gp import Matern

    sd = np.sqrt(generator.uniform(0.5, 1.0, size))
    return Matern(2.5, lengthscale)(generator.uniform(size=(size, 2))) * np.outer(sd, sd)


def all_sorts(draw, mine):
    """Inputs of question 3: correlated points, and horizons below and above their number."""
    few, many = draw.size(14, 3), draw.size(10, 2)
    cases = [(covariance_of(draw.generator(), few), draw.integer(few - 1, 2 * few), draw.uniform(0.05, 0.3))]
    return cases + [
        (covariance_of(draw.generator(), many), draw.integer(40, 80), draw.uniform(0.2, 0.6)) for _ in range(2)
    ]


def distinct(draw, mine):
    cases = []
    points = draw.size(12, 3)
    for size in (1, 3, 6, 9):
        picks = draw.shuffled(range(points))[:size]
        cases.append((covariance_of(draw.generator(), points), picks, draw.uniform(0.02, 0.5)))
    return cases


def repeated(draw, mine):
    cases = []
    for _ in range(4):
        points = draw.size(4, 2)
        picks = [draw.integer(0, points - 1) for _ in range(draw.integer(8, 14))]
        cases.append((covariance_of(draw.generator(), points), picks, draw.uniform(0.02, 0.5)))
    return cases


def hundreds(draw, mine):
    generator, points = draw.generator(), draw.size(120, 3)
    sd = np.sqrt(generator.uniform(0.5, 1.0, points))
    matrix = (0.9 * np.eye(points) + 0.1) * np.outer(sd, sd)
    picks = [int(j) for j in generator.integers(0, points, draw.size(260, 0))] + list(range(points))
    return [(matrix, picks, 10 ** -draw.uniform(*draw.size((6, 7), (110, 120))))]


def nothing(draw, mine):
    return [(covariance_of(draw.generator(), 3), [], draw.uniform(0.1, 0.5))]


def designs(count, size, low, high, *noise):
    """Inputs of question 2."""

    def inputs(draw, mine):
        return [
            (
                covariance_of(draw.generator(), min(size, draw.size(size, 4))),
                draw.integer(low, high),
                draw.uniform(*noise),
            )
            for _ in range(count)
        ]

    return inputs


def equal_variances(draw, mine):
    return [
        (draw.uniform(0.5, 1.0) * np.eye(draw.size(5, 3)), draw.integer(7, 13), draw.uniform(0.1, 0.9))
        for _ in range(3)
    ]


@functools.cache
def least_upper(content, T, noise_variance):
    """The package's upper end by weights, the smallest that there is but for 1e-5 of it."""
    from companion.information import gain_bracket

    matrix = np.frombuffer(content).reshape(math.isqrt(len(content) // 8), -1)
    return gain_bracket(matrix, T, noise_variance, rounds=1000, gap=1e-5).ends["design"]


def picks_of(answer, covariance, T):
    picks = np.asarray(answer["picks"]).tolist()
    assert len(picks) == T, "there are not T picks"
    assert all(type(point) is int and 0 <= point < len(covariance) for point in picks), "a pick is no point"
    return picks


def upper_of(answer, covariance, T, noise_variance):
    """What the weights prove."""
    w = np.asarray(answer["weights"], dtype=np.float64)
    assert w.shape == (len(covariance),), "one weight for each point was asked for"
    assert np.all((w >= 0) & (w < 1e9)), "a weight is negative, or no number"
    half = covariance * np.sqrt(w)
    inner = np.eye(len(w)) + half * np.sqrt(w)[:, None] / noise_variance
    variance = np.diagonal(covariance) - np.sum(half * np.linalg.solve(inner, half.T).T, axis=1) / noise_variance
    g = variance / (2 * noise_variance)
    return np.linalg.slogdet(inner)[1] / 2 + T * g.max() - w @ g


def are_witnesses(answer, covariance, T, noise_variance):
    picks_of(answer, covariance, T)
    upper_of(answer, covariance, T, noise_variance)


def as_good_as_greedy(answer, covariance, T, noise_variance):
    known = package_gain(covariance, package_greedy(covariance, T, noise_variance), noise_variance)
    low = package_gain(covariance, picks_of(answer, covariance, T), noise_variance)
    assert low >= known * (1 - 1e-9), "the greedy multiset gains more"


def within(share):
    """A property: the proved upper end exceeds the best one by this share at most."""

    def holds(answer, covariance, T, noise_variance):
        upper, best = (
            upper_of(answer, covariance, T, noise_variance),
            least_upper(covariance.tobytes(), T, noise_variance),
        )
        assert upper <= (1 + share) * best, "there are weights that prove a clearly smaller upper end"

    return holds


def package_run(mine, prediction):
    K, T = own_matrix(mine, prediction), mine["horizon"]
    picks = package_greedy(K, T, 0.2)
    return {"first": picks[:5], "low": package_gain(K, picks, 0.2), "high": least_upper(K.tobytes(), T, 0.2)}


# %% tags=["hidden", "q1"]
q1 = Question(
    function="gain",
    example="gain(np.array([[1.0, 0.5], [0.5, 0.8]]), [0, 1, 1], 0.25)",
    hard="gain(0.5 * np.eye(2), [0, 1] * 100, 1e-6)",
    checks=[
        Check("distinct points", 1, distinct, close=package_gain),
        Check("points that are evaluated more than once", 1, repeated, close=package_gain),
        Check(
            "hundreds of points and little noise",
            1,
            hundreds,
            close=package_gain,
            hint="How large is the determinant? See numpy.linalg.slogdet.",
        ),
        Check("no point at all", 1, nothing, close=package_gain, abs_tol=1e-12),
    ],
    wrong=[
        Wrong("without the factor one half", 1, {"[1]) / 2": "[1])"}),
        Wrong(
            "logarithm of the determinant",
            3,
            {"float(np.linalg.slogdet(": "float(np.log(np.linalg.det(", "+ block)[1])": "+ block)))"},
        ),
        Wrong("every point once", 2, {"[int(point) for point in picks]": "sorted({int(point) for point in picks})"}),
        Wrong("standard deviation of the noise", 1, {"/ noise_variance": "/ noise_variance**0.5"}),
        Wrong("noise forgotten", 1, {" / noise_variance": ""}),
        Wrong(
            "every point on its own",
            1,
            code="""
def gain(covariance, picks, noise_variance):
    return float(sum(np.log1p(covariance[j, j] / noise_variance) / 2 for j in picks))
""",
        ),
        Wrong(
            "one point after the other, the first one apart",
            3,
            code="""
def gain(covariance, picks, noise_variance):
    posterior, total = covariance.copy(), np.log1p(covariance[picks[0], picks[0]] / noise_variance) / 2
    for last, j in zip(picks, picks[1:]):
        column = posterior[:, last]
        posterior = posterior - np.outer(column, column) / (column[last] + noise_variance)
        total += np.log1p(max(float(posterior[j, j]), 0.0) / noise_variance) / 2
    return float(total)
""",
        ),
        Wrong("in bits", 1, {"[1]) / 2": "[1]) / 2 / np.log(2)"}),
        Wrong(
            "entropy of the observations",
            1,
            {"np.eye(len(chosen)) + block": "noise_variance * (np.eye(len(chosen)) + block)"},
        ),
    ],
)

# %% tags=["hidden", "q2"]
q2 = Question(
    function="greedy",
    example="greedy(np.array([[1.0, 0.6], [0.6, 0.9]]), 5, 0.2)",
    hard="greedy(np.array([[0.4, 0.1], [0.1, 2.0]]), 5, 0.9)",
    checks=[
        Check("fewer picks than points", 1, designs(40, 25, 6, 9, 0.005, 0.02), equals=package_greedy),
        Check(
            "more picks than points",
            2,
            designs(5, 4, 12, 20, 0.2, 0.6),
            equals=package_greedy,
            apart=["no point twice before all were taken"],
            hint="An observation carries noise, so that a second one at the same point still tells something.",
        ),
        Check("independent points of equal variance", 1, equal_variances, equals=package_greedy, hint="Mind the ties."),
    ],
    wrong=[
        Wrong(
            "every point once",
            1,
            code="""
def greedy(covariance, T, noise_variance):
    posterior, picks = covariance.copy(), []
    for _ in range(T):
        variance = np.diagonal(posterior).copy()
        variance[picks] = -np.inf
        j = int(np.argmax(variance))
        picks.append(j)
        posterior = posterior - np.outer(posterior[:, j], posterior[j]) / (posterior[j, j] + noise_variance)
    return picks
""",
        ),
        Wrong(
            "no point twice before all were taken",
            2,
            code="""
def greedy(covariance, T, noise_variance):
    posterior, picks = covariance.copy(), []
    for _ in range(T):
        variance = np.diagonal(posterior).copy()
        variance[picks[len(picks) // len(variance) * len(variance) :]] = -np.inf
        picks.append(int(np.argmax(variance)))
        column = posterior[:, picks[-1]]
        posterior = posterior - np.outer(column, column) / (column[picks[-1]] + noise_variance)
    return picks
""",
        ),
        Wrong("no conditioning", 0, {"        posterior = posterior -": "        unused = posterior -"}),
        Wrong(
            "only the point itself learns",
            1,
            {
                "posterior = posterior - np.outer(posterior[:, j], posterior[j]) / (posterior[j, j] + noise_variance)": (
                    "posterior[j, j] *= noise_variance / (posterior[j, j] + noise_variance)"
                )
            },
        ),
        Wrong("smallest variance", 0, {"np.argmax": "np.argmin"}),
        Wrong("root of the denominator", 1, {"+ noise_variance)": "+ noise_variance) ** 0.5"}),
        Wrong("one pick too few", 0, {"range(T)": "range(T - 1)"}),
        Wrong(
            "last of several",
            3,
            {
                "int(np.argmax(np.diagonal(posterior)))": "len(covariance) - 1 - int(np.argmax(np.diagonal(posterior)[::-1]))"
            },
        ),
        Wrong("points numbered from one", 0, {"picks.append(j)": "picks.append(j + 1)"}),
    ],
)

# %% tags=["hidden", "q3"]
q3 = Question(
    function="witnesses",
    example="witnesses(np.array([[1.0, 0.0], [0.0, 0.5]]), 4, 0.25)",
    several=True,
    checks=[
        Check("there are T points and weights", 1, all_sorts, holds=are_witnesses),
        Check("the lower end is that of the greedy multiset, or better", 1, all_sorts, holds=as_good_as_greedy),
        Check(
            "the upper end is within a tenth of the best one",
            1,
            all_sorts,
            holds=within(0.1),
            apart=["equal weights", "counts of the greedy rule"],
        ),
        Check(
            "the upper end is within 0.1 percent of the best one",
            3,
            all_sorts,
            holds=within(0.001),
            apart=["ten steps"],
            hint="Move weight to points with a large slope, for instance in proportion to it, and repeat.",
        ),
    ],
    wrong=[
        Wrong("equal weights", 2, {"range(400)": "range(0)"}),
        Wrong("ten steps", 3, {"range(400)": "range(10)"}),
        Wrong("all on one point", 2, {"[float(weight) for weight in w]": "[float(T)] + [0.0] * (len(w) - 1)"}),
        Wrong("shares that add up to one", 2, {"        w = w * T / w.sum()": "        w = w / w.sum()"}),
        Wrong("weight to the small slopes", 2, {"w = w * slopes(": "w = w / slopes("}),
        Wrong(
            "counts of the greedy rule",
            2,
            {"for weight in w]": "for weight in np.bincount(greedy(covariance, T, noise_variance), minlength=len(w))]"},
        ),
        Wrong("a weight below zero", 1, {"[float(weight) for weight in w]": "[-1.0, *w[1:].tolist()]"}),
        Wrong(
            "a constant times the greedy gain",
            0,
            code="""
def witnesses(covariance, T, noise_variance):
    low = gain(covariance, greedy(covariance, T, noise_variance), noise_variance)
    return [low, 1.15 * low]
""",
        ),
        Wrong(
            "the first points over and over",
            5,
            {"greedy(covariance, T, noise_variance)": "[t % len(w) for t in range(T)]"},
        ),
        Wrong("one pick too few", 4, {"greedy(covariance, T,": "greedy(covariance, T - 1,"}),
    ],
)

# %% tags=["hidden", "q4"]
q4 = own_run(
    "my_run",
    package_run,
    0,
    60,
    [
        ("a prediction, and the first five evaluations that follow from it", 1, ["first"]),
        ("the lower end of your run", 1, ["low"]),
        ("the upper end of your run", 2, ["high"]),
    ],
    [
        Wrong("equal weights", 2, {'np.array(found["weights"])': "np.full(12, T / 12)"}),
        Wrong("a constant times the greedy gain", 2, {'"high": float(high)': '"high": 1.59 * low'}),
        Wrong(
            "every point once", 1, {'low, first = gain(K, found["picks"], 0.2)': "low, first = gain(K, range(12), 0.2)"}
        ),
    ],
    near=1e-3,
)

# %% tags=["hidden", "q5"]
q5 = Question(
    value="why",
    rubric=[
        ("What makes each of the upper ends wide", 1),
        ("A choice that follows, for small and for large T", 1),
        ("What the picture of the own run shows, with two numbers, and how far the prediction was off", 2),
    ],
)
