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

import numpy as np
from selfcheck import numbers


def kernel(points, lengthscale):
    """Covariance matrix of points on a line: squared exponential, variance 1."""
    x = np.asarray(points, dtype=float)
    return np.exp(-((x[:, None] - x[None, :]) ** 2) / (2 * lengthscale**2))


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
# ## 3. Two ends
#
# Write `bracket(covariance, T, noise_variance)`, which returns a list of two floats, `[low, high]`, with
# $\text{low}\le\gamma_T\le\text{high}$, for every covariance matrix and every $T$. It has to be true, and it has to be
# worth something: `high` at most 1.6 times `low`.
#
# Two facts that may help. No evaluation gains more than $\tfrac12\log(1+\sigma^{-2}\max_xK_{xx})$. And $F$ is monotone
# and submodular, so that the greedy multiset of $T$ points has at least the share $1-1/e$ of $\gamma_T$ (Nemhauser,
# Wolsey and Fisher, 1978).


# %% tags=["answer", "q3"]
def bracket(covariance, T, noise_variance):
    """Two numbers with the maximum information gain of T evaluations between them."""
    # BEGIN SOLUTION
    low = gain(covariance, greedy(covariance, T, noise_variance), noise_variance)
    return [low, low / (1 - math.exp(-1))]
    # END SOLUTION


# %% [markdown] tags=["hint", "q3"]
# Which of the numbers that you can compute is certainly a lower end, since some multiset has it?
#
# The second fact turns the gain of the greedy multiset into an upper end: at least the share $1-1/e$ of the maximum
# is at most what share the other way round?
#
# Why is 1.1 times the greedy gain no upper end, although it often holds? Think of a point of large variance between
# two independent ones.


# %% tags=["public", "q3"]
def public_q3(bracket):
    import numpy as np

    covariance = np.array([[0.9, 0.6, 0.1], [0.6, 1.0, 0.2], [0.1, 0.2, 0.5]])
    ends = bracket(covariance, 7, 0.3)
    assert isinstance(ends, list), "bracket should return a list."
    assert len(ends) == 2, "The list should have two entries, low and high."
    assert all(isinstance(end, float) and end > 0 for end in ends), "Both ends should be positive floats."
    assert ends[0] <= ends[1] <= 1.6 * ends[0], "The upper end should be at most 1.6 times the lower one."


# %% [markdown] tags=["solution", "q3"]
# The greedy gain itself is no upper end: where a point in the middle has the largest variance and two points beside it
# are nearly independent of each other, the best pair is the outer one, and greed begins with the middle. The trivial
# upper end $\tfrac T2\log(1+\sigma^{-2}\max_xK_{xx})$ is true, but far away as soon as points are correlated or
# repeated.

# %% [markdown] tags=["question", "q4"]
# ## 4. A certificate that is nearly tight
#
# For large $T$ there is a much better upper end. Let evaluations be divided: point $x$ gets $w_x\ge0$ of them,
# $\sum_xw_x=T$. With $D=\operatorname{diag}(\sqrt{w_x})$ let
#
# $$\varphi(w)=\tfrac12\log\det\big(\mathbf I+\sigma^{-2}DKD\big),\qquad
#   g_x=\frac{\partial\varphi}{\partial w_x}=\frac{\sigma_w^2(x)}{2\sigma^2},\qquad
#   \sigma_w^2(x)=\Big(K-KD\,(\sigma^2\mathbf I+DKD)^{-1}DK\Big)_{xx}.$$
#
# $\varphi$ is concave, so it lies below its tangent at $w$, and *every* such $w$ proves (book, *How the information
# gain is certified*)
#
# $$\gamma_T\le U(w)=\varphi(w)+T\max_xg_x-\sum_xw_xg_x.$$
#
# `mine` holds your `points` on a line, a `lengthscale`, a `noise_variance` and a `horizon` $T$; the covariance matrix
# is `kernel(mine["points"], mine["lengthscale"])`. Set `weights` to a list of weights $w$, one for each of the points
# in their order, for which $U(w)$ exceeds the smallest value that $U$ can take by at most 0.1 percent. At the best
# weights all points that have weight have the same $g_x$, and the others a smaller one or the same.


# %% tags=["numbers", "q4"]
def numbers_q4(draw):
    points = sorted(draw.shuffled(range(101))[:10])
    return {
        "points": [point / 100 for point in points],
        "lengthscale": draw.decimal(0.15, 0.25, 2),
        "noise_variance": draw.decimal(0.1, 0.3, 2),
        "horizon": draw.integer(80, 120),
    }


# %% tags=["answer", "q4"]
mine = numbers("q4")


# BEGIN SOLUTION
def slopes(covariance, w, noise_variance):
    half = covariance * np.sqrt(w)  # K D
    inner = noise_variance * np.eye(len(w)) + np.sqrt(w)[:, None] * half
    return (np.diagonal(covariance) - np.sum(half * np.linalg.solve(inner, half.T).T, axis=1)) / (2 * noise_variance)


K, T = kernel(mine["points"], mine["lengthscale"]), mine["horizon"]
w = np.full(len(K), T / len(K))
for _ in range(2000):
    w = w * slopes(K, w, mine["noise_variance"])
    w = w * T / w.sum()
weights = [float(weight) for weight in w]
# END SOLUTION


# %% [markdown] tags=["hint", "q4"]
# Start with equal weights, and compute all slopes $g_x$.
#
# Multiply every weight by its slope, and scale the weights so that they add up to $T$. Do that again.
#
# Stop when the certificate no longer falls: print $U(w)$ every hundred steps.


# %% tags=["public", "q4"]
def public_q4(weights, mine):
    assert isinstance(weights, list), "Your weights should be a list."
    assert len(weights) == len(mine["points"]), "There should be one weight for each point."
    assert all(isinstance(weight, int | float) for weight in weights), "The weights should be numbers."
    assert max(weights) > 0, "At least one point should have some weight."


# %% [markdown] tags=["question", "q5"]
# ## 5. Which upper end would you print?
#
# Set `why` to a text of 40 to 150 words. You have three upper ends of $\gamma_T$: the trivial one, the one from the
# greedy rule, and the certificate of question 4. For a regret bound in a paper, which would you print, for small and
# for large $T$? Say what each of them needs to be true, and what makes it wide.


# %% tags=["answer", "q5"]
# BEGIN SOLUTION
why = """All three are true without any luck, which matters more than their width. The trivial one takes every evaluation for
a first one, so that it grows linearly in T; it is fine for one or two evaluations. The greedy one is never more
than 1.58 times the lower end, for any T, but also hardly ever better, since its factor is a worst case. The
certificate needs weights that are nearly best, and is then nearly tight for large T; for small T weights are not
whole evaluations and it is too large. I would print the smallest of the three, with the weights, so that a reader
can check it."""
# END SOLUTION


# %% tags=["public", "q5"]
def public_q5(why):
    assert isinstance(why, str), "Your answer should be a text between quotes."
    words = len(why.split())
    assert 40 <= words <= 150, f"Your text has {words} words; 40 to 150 were asked for."


# %% tags=["hidden"]
import itertools

from companion.classroom.questions import Check, Question, Wrong


def package_gain(covariance, picks, noise_variance):
    from companion.information import information_gain

    return information_gain(covariance, picks, noise_variance)


def package_greedy(covariance, T, noise_variance):
    from companion.information import greedy_gain

    return greedy_gain(covariance, T, noise_variance).indices.tolist()


def maximum(covariance, T, noise_variance):
    """gamma_T, every multiset tried: few points only."""
    multisets = itertools.combinations_with_replacement(range(len(covariance)), T)
    return max(package_gain(covariance, list(picks), noise_variance) for picks in multisets)


def covariance_of(generator, size, lengthscale=0.3):
    """Points of the unit square under the package's Matern kernel, with different variances between 0.5 and 1."""
    from companion.gp import Matern

    sd = np.sqrt(generator.uniform(0.5, 1.0, size))
    return Matern(2.5, lengthscale)(generator.uniform(size=(size, 2))) * np.outer(sd, sd)


def trap(draw):
    """A point of large variance between two that are independent of each other: greed begins with the wrong one.

    The best pair gains 1.11 to 1.13 times what greed does, as much as three points allow.
    """
    side = draw.uniform(0.7, 0.8)
    middle = side * draw.uniform(1.001, 1.004)
    common = math.sqrt(draw.uniform(0.495, 0.499) * middle * side)
    return np.array([[middle, common, common], [common, side, 0.0], [common, 0.0, side]])


def few_points(draw, mine):
    """Inputs of question 3 on which gamma_T can be found by trying."""
    cases = [(trap(draw), 2, draw.uniform(0.07, 0.11)) for _ in range(3)]
    cases += [(covariance_of(draw.generator(), 4, 2.0), 5, draw.uniform(0.05, 0.2)) for _ in range(2)]
    cases += [(covariance_of(draw.generator(), 2), 60, draw.uniform(0.8, 1.2))]
    return cases


def many_traps(draw, mine):
    """Inputs of question 3: ten traps, independent of each other, and 20 evaluations."""
    cases = []
    for _ in range(2):
        matrix = np.zeros((30, 30))
        for place in range(0, 30, 3):
            matrix[place : place + 3, place : place + 3] = trap(draw)
        cases.append((matrix, 20, draw.uniform(0.07, 0.11)))
    return cases


def all_sorts(draw, mine):
    """Inputs of question 3: correlated points, and horizons below and above their number."""
    cases = [(covariance_of(draw.generator(), 30), draw.integer(8, 20), draw.uniform(0.05, 0.3)) for _ in range(2)]
    cases += [(covariance_of(draw.generator(), 25), draw.integer(40, 80), draw.uniform(0.2, 0.6)) for _ in range(2)]
    return cases + few_points(draw, mine)


def distinct(draw, mine):
    cases = []
    for size in (1, 3, 6, 9):
        picks = draw.shuffled(range(12))[:size]
        cases.append((covariance_of(draw.generator(), 12), picks, draw.uniform(0.02, 0.5)))
    return cases


def repeated(draw, mine):
    cases = []
    for _ in range(4):
        picks = [draw.integer(0, 3) for _ in range(draw.integer(8, 14))]
        cases.append((covariance_of(draw.generator(), 4), picks, draw.uniform(0.02, 0.5)))
    return cases


def hundreds(draw, mine):
    generator = draw.generator()
    sd = np.sqrt(generator.uniform(0.5, 1.0, 120))
    matrix = (0.9 * np.eye(120) + 0.1) * np.outer(sd, sd)
    return [(matrix, [int(j) for j in generator.integers(0, 120, 260)] + list(range(120)), draw.uniform(1e-7, 1e-6))]


def nothing(draw, mine):
    return [(covariance_of(draw.generator(), 3), [], draw.uniform(0.1, 0.5))]


def designs(count, size, low, high, noise_low, noise_high):
    """Inputs of question 2."""

    def inputs(draw, mine):
        return [
            (covariance_of(draw.generator(), size), draw.integer(low, high), draw.uniform(noise_low, noise_high))
            for _ in range(count)
        ]

    return inputs


def equal_variances(draw, mine):
    return [(draw.uniform(0.5, 1.0) * np.eye(5), draw.integer(7, 13), draw.uniform(0.1, 0.9)) for _ in range(3)]


def ends_of(answer):
    assert isinstance(answer, list | np.ndarray), "a list was asked for"
    assert len(answer) == 2, "a list of two ends was asked for"
    low, high = float(answer[0]), float(answer[1])
    assert math.isfinite(low), "the lower end is no finite number"
    assert math.isfinite(high), "the upper end is no finite number"
    assert 0 < low <= high, "the ends are not positive, or in the wrong order"
    assert high <= 10 * low, "the ends are so far apart that they say nothing"
    return low, high


def low_is_true(answer, *problem):
    assert ends_of(answer)[0] <= maximum(*problem) * (1 + 1e-9), "the lower end is above the maximum"


def high_is_true(answer, *problem):
    assert ends_of(answer)[1] >= maximum(*problem) * (1 - 1e-9), "the upper end is below the maximum"


def agrees(answer, *problem):
    from companion.information import gain_bracket

    (low, high), known = ends_of(answer), gain_bracket(*problem)
    assert low <= known.upper * (1 + 1e-9), "the lower end is above what is proved to be an upper end"
    assert high >= known.lower * (1 - 1e-9), "the upper end is below a gain that some multiset has"


def is_narrow(answer, *problem):
    low, high = ends_of(answer)
    agrees(answer, *problem)  # width is worth nothing where the maximum is not between the ends
    assert high <= 1.6 * low * (1 + 1e-9), "the upper end is more than 1.6 times the lower one"


def weights_of(answer, mine):
    w = np.asarray(answer, dtype=np.float64)
    assert w.shape == (len(mine["points"]),), "one weight for each point was asked for"
    assert np.all(np.isfinite(w)), "a weight is no finite number"
    assert np.all(w >= 0), "a weight is negative"
    assert abs(w.sum() - mine["horizon"]) <= 1e-6 * mine["horizon"], "the weights do not add up to the horizon"
    return w


def are_weights(answer, mine):
    weights_of(answer, mine)


def within(share):
    """A property: the certificate exceeds the best one by this share at most."""

    def holds(answer, mine):
        from companion.gp import SquaredExponential
        from companion.information import gain_bracket

        w, T, noise_variance = weights_of(answer, mine), mine["horizon"], mine["noise_variance"]
        matrix = SquaredExponential(mine["lengthscale"])(np.array(mine["points"])[:, None])
        root = np.sqrt(w)
        inner = np.eye(len(w)) + matrix * np.outer(root, root) / noise_variance
        half = matrix * root
        variance = np.diagonal(matrix) - np.sum(half * np.linalg.solve(inner, half.T).T, axis=1) / noise_variance
        g = variance / (2 * noise_variance)
        upper = np.linalg.slogdet(inner)[1] / 2 + T * g.max() - w @ g
        best = gain_bracket(matrix, T, noise_variance, rounds=1000, gap=1e-5).ends["design"]
        assert upper <= (1 + share) * best, "the certificate is further away"

    return holds


# %% tags=["hidden", "q1"]
q1 = Question(
    function="gain",
    example="gain(np.array([[1.0, 0.5], [0.5, 0.8]]), [0, 1, 1], 0.25)",
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
    return float(sum(math.log1p(covariance[j, j] / noise_variance) / 2 for j in picks))
""",
        ),
        Wrong(
            "one point after the other, the first one apart",
            3,
            code="""
def gain(covariance, picks, noise_variance):
    posterior, total = covariance.copy(), math.log1p(covariance[picks[0], picks[0]] / noise_variance) / 2
    for last, j in zip(picks, picks[1:]):
        column = posterior[:, last]
        posterior = posterior - np.outer(column, column) / (column[last] + noise_variance)
        total += math.log1p(max(float(posterior[j, j]), 0.0) / noise_variance) / 2
    return float(total)
""",
        ),
        Wrong("in bits", 1, {"[1]) / 2": "[1]) / 2 / math.log(2)"}),
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
    checks=[
        Check("fewer picks than points", 1, designs(40, 25, 6, 9, 0.005, 0.02), equals=package_greedy),
        Check(
            "more picks than points",
            2,
            designs(5, 4, 12, 20, 0.2, 0.6),
            equals=package_greedy,
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
    function="bracket",
    example="bracket(np.array([[1.0, 0.5], [0.5, 0.8]]), 3, 0.25)",
    several=True,
    checks=[
        Check("the lower end is true, few points", 1, few_points, holds=low_is_true),
        Check(
            "the upper end is true, few points",
            2,
            few_points,
            holds=high_is_true,
            hint="The first choice of the greedy rule may be one that the best multiset does not contain.",
        ),
        Check("both ends are true, thirty points", 1, many_traps, holds=agrees),
        Check("true, and the upper end at most 1.6 times the lower one", 2, all_sorts, holds=is_narrow),
    ],
    wrong=[
        Wrong("greedy gain as both ends", 1, {"low / (1 - math.exp(-1))": "low"}),
        Wrong(
            "trivial upper end",
            4,
            {"low / (1 - math.exp(-1))": "T / 2 * math.log1p(float(np.max(np.diagonal(covariance))) / noise_variance)"},
        ),
        Wrong("without the factor one half", 2, {"    low = gain(": "    low = 2 * gain("}),
        Wrong("share on the wrong end", 1, {"[low, low / (1 - math.exp(-1))]": "[low * (1 - math.exp(-1)), low]"}),
        Wrong("a tenth above the greedy gain", 1, {"low / (1 - math.exp(-1))": "1.1 * low"}),
        Wrong("an interval that holds everything", 0, {"[low, low / (1 - math.exp(-1))]": "[1e-9, 1e9]"}),
        Wrong("twice the lower end", 4, {"low / (1 - math.exp(-1))": "2 * low"}),
        Wrong(
            "trivial upper end and a share of it",
            3,
            code="""
def bracket(covariance, T, noise_variance):
    high = T / 2 * math.log1p(float(np.max(np.diagonal(covariance))) / noise_variance)
    return [high / 1.6, high]
""",
        ),
        Wrong(
            "every point once",
            2,
            code="""
def bracket(covariance, T, noise_variance):
    picks = greedy(covariance, T, noise_variance)
    low = gain(covariance, sorted(set(picks)), noise_variance)
    return [low, low / (1 - math.exp(-1))]
""",
        ),
        Wrong("one evaluation too few", 2, {"greedy(covariance, T,": "greedy(covariance, T - 1,"}),
        Wrong("ends exchanged", 0, {"[low, low / (1 - math.exp(-1))]": "[low / (1 - math.exp(-1)), low]"}),
        Wrong("lower end zero", 0, {"[low, low": "[0.0, low"}),
    ],
)

# %% tags=["hidden", "q4"]
q4 = Question(
    value="weights",
    checks=[
        Check("the weights are not negative and add up to the horizon", 1, holds=are_weights),
        Check("the certificate is within forty percent of the best one", 1, holds=within(0.4)),
        Check(
            "the certificate is within 0.1 percent of the best one",
            2,
            holds=within(0.001),
            hint="Move weight to points with a large slope, for instance in proportion to it, and repeat.",
        ),
    ],
    wrong=[
        Wrong("equal weights", 2, {"range(2000)": "range(0)"}),
        Wrong("all on one point", 1, {"[float(weight) for weight in w]": "[float(T)] + [0.0] * (len(K) - 1)"}),
        Wrong("one step", 2, {"range(2000)": "range(1)"}),
        Wrong("shares that add up to one", 0, {"    w = w * T / w.sum()": "    w = w / w.sum()"}),
        Wrong("never put right", 0, {"    w = w * T / w.sum()": "    pass"}),
        Wrong(
            "weight to the small slopes",
            1,
            {'w = w * slopes(K, w, mine["noise_variance"])': 'w = w / slopes(K, w, mine["noise_variance"])'},
        ),
        Wrong(
            "numbers of the greedy rule",
            2,
            {"for weight in w]": 'for weight in np.bincount(greedy(K, T, mine["noise_variance"]), minlength=len(K))]'},
        ),
        Wrong(
            "the two ends of the line",
            1,
            {"[float(weight) for weight in w]": "[T / 2] + [0.0] * (len(K) - 2) + [T / 2]"},
        ),
        Wrong(
            "a weight below zero",
            0,
            {"[float(weight) for weight in w]": "[-1.0, float(w[0] + w[1] + 1), *w[2:].tolist()]"},
        ),
    ],
)

# %% tags=["hidden", "q5"]
q5 = Question(
    value="why",
    rubric=[
        ("Each upper end is true for a reason that is named", 2),
        ("What makes each of them wide", 1),
        ("A choice that follows, for small and for large T", 1),
    ],
)
