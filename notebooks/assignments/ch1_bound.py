# %% tags=["assignment"]
TITLE = "What a bound's constants are worth"
CHAPTER = 1
GOAL = "Evaluate a regret bound with all its constants, and find where it says something and where a looser reading is false."
LEVEL = "advanced"
MINUTES = 90

# %% [markdown]
# # What a bound's constants are worth
#
# Chapter 1 bounds the expected regret of $T$ batches of $m$ points on $N\ge2$ candidates. The noise variance is
# $\sigma_n^2$, prior variances are at most 1, and
#
# $$\gamma=\max_S\tfrac12\log\det(\mathbf I+\sigma_n^{-2}K_S)$$
#
# is the maximum information gain of $Tm$ evaluations; $K_S$ is the prior covariance of the evaluated points. With
# $c=2/\log(1+\sigma_n^{-2})$, Theorem 1 of Ren and Li has, when the constants of its proof are kept (Section 5.5),
#
# $$\mathbb E R_{T,m}\le2\sqrt{2\log\big(4N(Tm)^3\big)}\;\rho_m\sqrt{Tm\,c\,\gamma}+\sqrt{24\,Tm\log N},\tag{A}$$
#
# and the chapter proves the sharper form
#
# $$\mathbb E R_{T,m}\le\bar\rho_m\sqrt{2+2\log\tfrac N2}\,\sqrt{Tm\,c\,\gamma},\qquad
# \bar\rho_m^2=\frac{\rho_0^2+\dots+\rho_{m-1}^2}m.\tag{B}$$
#
# Here $\rho_m$ is the largest factor by which $m$ more observations can divide a standard deviation. Both $\gamma$ and
# $\rho_m$ are maxima over *multisets*: a point may be evaluated more than once. For the prior as the start, $\rho_m$
# then is
#
# $$\rho_m=\sqrt{1+m\,\sigma_n^{-2}\max_x\sigma^2(x)},$$
#
# where $\sigma^2(x)\le1$ is the prior variance. The paper prints the maxima over *subsets* of the candidates. Questions
# 2 and 4 are about the difference. Logarithms are natural.

# %% tags=["setup"]
import itertools
import math
import random
from statistics import NormalDist

import numpy as np
from selfcheck import numbers


def own_rounds(mine, prediction):
    """Values of the arms of question 3, and 200 batches chosen by chance, from your numbers and from your prediction."""
    luck, law = random.Random(f"{mine['seed']} {prediction}"), NormalDist()
    values = [law.inv_cdf(luck.random()) for _ in range(mine["points"])]
    return values, [[luck.randrange(mine["points"]) for _ in range(mine["batch"])] for _ in range(200)]


# %% [markdown] tags=["question", "q1"]
# ## 1. Both bounds
#
# Write `two_bounds(N, T, m, noise_variance, gain)`, which returns the right sides of (A) and (B), in this order, as a
# list of two floats. `gain` is $\gamma$, and the largest prior variance is 1. The noise variance may be very large.


# %% tags=["answer", "q1"]
def two_bounds(N, T, m, noise_variance, gain):
    """Right sides of (A) and (B), a list of two floats."""
    # BEGIN SOLUTION
    n = T * m
    root = math.sqrt(n * 2 / math.log1p(1 / noise_variance) * gain)
    first = 2 * math.sqrt(2 * math.log(4 * N * n**3)) * math.sqrt(1 + m / noise_variance) * root
    second = math.sqrt(24 * n * math.log(N))
    sharp = math.sqrt(1 + (m - 1) / (2 * noise_variance)) * math.sqrt(2 + 2 * math.log(N / 2)) * root
    return [first + second, sharp]
    # END SOLUTION


# %% [markdown] tags=["hint", "q1"]
# Write $n=Tm$ once, and $\sqrt{n\,c\,\gamma}$ once: both bounds have it.
#
# (A) has $\rho_m$. In (B) the squares of $\rho_0$ to $\rho_{m-1}$ are averaged, which has a closed form; with one point at a
# time nothing is paid for the batch.
#
# For $\sigma_n^2=10^{12}$ the number $1+\sigma_n^{-2}$ has lost most digits of $\sigma_n^{-2}$. `math.log1p` keeps
# them.


# %% tags=["public", "q1"]
def public_q1(two_bounds):
    found = two_bounds(10, 20, 3, 0.5, 8.0)
    assert isinstance(found, list), "two_bounds should return a list."
    assert len(found) == 2, "The list should have two entries, the right sides of (A) and (B)."
    assert all(type(bound) is float and bound > 0 for bound in found), "Both bounds should be positive floats."
    assert found[1] < found[0], "The second bound should be the smaller one here."
    assert all(bound < 1e9 for bound in two_bounds(10, 20, 3, 1e12, 8.0)), (
        "For a noise variance of 1e12 the bounds should be ordinary numbers, too."
    )


# %% [markdown] tags=["question", "q2"]
# ## 2. Two readings of rho
#
# Write `two_ratios(covariance, noise_variance, m)` for a prior covariance matrix of up to 6 points. It returns a list
# of two floats: the largest ratio $\sigma(x)/\sigma(x\mid A)$ over all points $x$ and
#
# 1. all multisets $A$ of $m$ points,
# 2. all sets $A$ of at most $m$ distinct points, which is what the paper prints.
#
# Here $\sigma^2(x)$ is the prior variance, and $\sigma^2(x\mid A)=K_{xx}-K_{xA}(K_{AA}+\sigma_n^2\mathbf I)^{-1}K_{Ax}$
# the variance after observing $A$. Variances may be smaller than 1 and differ from point to point, and $m$ may be
# larger than the number of points, up to 1000.


# %% tags=["answer", "q2"]
def two_ratios(covariance, noise_variance, m):
    """Largest ratio of standard deviations over multisets and over sets, a list of two floats."""
    # BEGIN SOLUTION
    before = np.diagonal(covariance)
    size = min(m, len(before))
    most = 1.0
    for chosen in itertools.combinations(range(len(before)), size):
        columns = covariance[:, chosen]
        inner = columns[list(chosen)] + noise_variance * np.eye(size)
        after = before - np.sum(columns * np.linalg.solve(inner, columns.T).T, axis=1)
        most = max(most, float(np.max(before / after)))
    return [math.sqrt(1 + m * float(before.max()) / noise_variance), math.sqrt(most)]
    # END SOLUTION


# %% [markdown] tags=["hint", "q2"]
# The first entry has a closed form, in the text above; it needs the largest prior variance only.
#
# For sets, more observations only help, so sets of the largest size will do. How large is that?
#
# `itertools.combinations` lists the sets. For each, compute the variances of all points given it, and keep the
# largest ratio.


# %% tags=["public", "q2"]
def public_q2(two_ratios):
    import numpy as np

    covariance = np.array([[0.9, 0.4, 0.1], [0.4, 0.7, 0.2], [0.1, 0.2, 0.5]])
    for m in (1, 2, 50):
        found = two_ratios(covariance.copy(), 0.3, m)
        assert isinstance(found, list), "two_ratios should return a list."
        assert len(found) == 2, "The list should have two entries, for multisets and for sets."
        assert all(isinstance(ratio, float) and ratio >= 1 for ratio in found), (
            "Both ratios should be floats of at least 1, since observations raise no variance."
        )
        assert found[1] <= found[0] * (1 + 1e-9), (
            "The second ratio should not exceed the first: every set is a multiset."
        )


# %% [markdown] tags=["question", "q3"]
# ## 3. The bound and a run of your own
#
# Whatever is evaluated, $\mathbb E R_{T,m}\le Tm\sqrt{8\log N}$: the *trivial bound*. Take `points` independent
# candidates with variance 1. Their information gain is largest when $Tm$ evaluations are spread over them as evenly as
# possible. Your `points` $N$, `batch` $m$ and `noise_variance` are in `mine`.
#
# First predict: how large is (B) after 200 batches, in percent of the regret of a run in which chance chooses every point
# of every batch? Then let `values, batches = own_rounds(mine, prediction)`. A point $x$ costs the regret
# $\max_yf(y)-f(x)$. Draw the regret so far, (B) and the trivial bound against $T$ as three lines, and set `my_run` to a
# dict with the keys
#
# - `"prediction"`, a whole number from 1 to 1000, in percent,
# - `"first"`, the regret of the first batch,
# - `"times"`, (B) divided by the regret of the run, after 200 batches,
# - `"below"`, the smallest $T\ge1$ for which (B) is smaller than the trivial bound.
#
# *Type* the numbers that were printed, with four digits after the point. The run is drawn from your id and from your
# prediction, so predict first; how near you come earns nothing. When this is graded, `numbers("q3")` gives other numbers
# than yours: what counts is what you typed.


# %% tags=["numbers", "q3"]
def numbers_q3(draw):
    return {
        "points": draw.integer(8, 20),
        "batch": draw.integer(4, 8),
        "noise_variance": draw.decimal(0.05, 0.2, 3),
        "seed": draw.integer(10**8, 10**9 - 1),
    }


# %% tags=["answer", "q3"]
mine = numbers("q3")


# BEGIN SOLUTION
def even_gain(n, N, noise_variance):
    each, more = divmod(n, N)  # so many evaluations of every point, and one more of so many points
    return (more * math.log1p((each + 1) / noise_variance) + (N - more) * math.log1p(each / noise_variance)) / 2


def sharp(T):
    N, m, noise_variance = mine["points"], mine["batch"], mine["noise_variance"]
    return two_bounds(N, T, m, noise_variance, even_gain(T * m, N, noise_variance))[1]


prediction = 300
values, batches = own_rounds(mine, prediction)
regrets = [sum(max(values) - values[x] for x in batch) for batch in batches]
my_run = {"prediction": prediction, "first": regrets[0], "times": sharp(200) / sum(regrets), "below": 1}
while sharp(my_run["below"]) >= my_run["below"] * mine["batch"] * math.sqrt(8 * math.log(mine["points"])):
    my_run["below"] += 1
# END SOLUTION


# %% [markdown] tags=["hint", "q3"]
# Spreading $n$ evaluations evenly over $N$ points means `divmod(n, N)`. With independent points the gain is a sum over
# points, $\tfrac12\log(1+k/\sigma_n^2)$ for $k$ evaluations of one.
#
# How large is $\max_yf(y)-f(x)$ on average, for about a dozen standard normal values? And (B), roughly?
#
# For `below` go up from $T=1$.


# %% tags=["public", "q3"]
def public_q3(my_run, mine):
    assert isinstance(my_run, dict), "Your my_run should be a dict."
    assert set(my_run) == {"prediction", "first", "times", "below"}, (
        "Its keys should be prediction, first, times and below."
    )
    assert type(my_run["prediction"]) is int, "The prediction should be a whole number."
    assert my_run["times"] > 0, "A factor should be positive."


# %% [markdown] tags=["question", "q4"]
# ## 4. Where the looser reading is false
#
# Take two independent points with mean 0 and variance 1, and one single batch of $m$ points, chosen before anything is
# observed. Whatever the batch is, its expected regret is $m\,\mathbb E\max(Z_1,Z_2)$ with independent standard normal
# $Z_1$, $Z_2$.
#
# Now read $\gamma$ and $\rho_m$ as maxima over *subsets* of the two points, as printed. Set `first_failure` to the
# smallest $m\ge2$ for which inequality (A), with $N=2$, $T=1$ and your `noise_variance`, is then false.


# %% tags=["numbers", "q4"]
def numbers_q4(draw):
    return {"noise_variance": draw.decimal(0.5, 2.0, 2)}


# %% tags=["answer", "q4"]
mine = numbers("q4")
# BEGIN SOLUTION
noise_variance = mine["noise_variance"]
gain = math.log1p(1 / noise_variance)  # each point once
ratio = math.sqrt(1 + 1 / noise_variance)  # the other point tells nothing about this one
first_failure = 2
while True:
    m = first_failure
    root = math.sqrt(m * 2 / math.log1p(1 / noise_variance) * gain)
    right = 2 * math.sqrt(2 * math.log(8 * m**3)) * ratio * root + math.sqrt(24 * m * math.log(2))
    if m / math.sqrt(math.pi) > right:
        break
    first_failure += 1
# END SOLUTION


# %% [markdown] tags=["hint", "q4"]
# Read as printed, no point may be in a set twice. How large can the gain of a set of two points be?
#
# What does observing the other, independent point do to the standard deviation of this one? So what is $\rho_m$, as
# printed?
#
# The left side grows like $m$, the right side like $\sqrt{m\log m}$. $\mathbb E\max(Z_1,Z_2)=1/\sqrt\pi$.


# %% tags=["public", "q4"]
def public_q4(first_failure, mine):
    assert type(first_failure) is int, "Your first_failure should be a Python integer."
    assert first_failure >= 2, "The batch has at least two points."


# %% [markdown] tags=["solution", "q4"]
# $\mathbb E\max(Z_1,Z_2)=1/\sqrt\pi$. With subsets $\gamma$ stops at $\log(1+\sigma_n^{-2})$, both points once, and
# $\rho_m$ at $\sqrt{1+\sigma_n^{-2}}$, so that the right side grows like $\sqrt{m\log m}$ while the regret grows like
# $m$. With multisets $\rho_m$ alone grows like $\sqrt m$, and (A) holds for every $m$.

# %% [markdown] tags=["question", "q5"]
# ## 5. Which constant would you work on?
#
# Set `why` to a text of 40 to 150 words. What does your picture of question 3 show, with two numbers, and how far was your
# prediction off? Suppose that you want a bound that is informative, below the trivial one, after fewer rounds. Of the
# factors of (A) and (B), which costs most at your numbers, and how do you know? Say which factor does *not* matter.


# %% tags=["answer", "q5"]
# BEGIN SOLUTION
why = """In my picture (B) begins above the trivial bound and falls below it after 9 batches; after 200 it is 1.4 times the
regret of a run that learns nothing. I had predicted 300 percent: chance has so much regret that the bound is not far. In (B) the
logarithm is a root of about seven, so less than three, and it hardly changes with N. The factor rho is the root of one
plus m minus one over twice the noise variance, about five, and it is paid although the batch is small. The constant c
times the gain grows slowest. So I would work on rho, for instance by a first phase that makes variances small; the
logarithm of N does not matter."""
# END SOLUTION


# %% tags=["public", "q5"]
def public_q5(why):
    assert isinstance(why, str), "Your answer should be a text between quotes."
    words = len(why.split())
    assert 40 <= words <= 150, f"Your text has {words} words; 40 to 150 were asked for."


# %% tags=["hidden"]
from companion.classroom.own_runs import own_run
from companion.classroom.questions import Check, Question, Wrong


def both_bounds(N, T, m, noise_variance, gain):
    from companion.papers.tsrsr.theory import bounds

    return [f(N, T, m, noise_variance, gain) for f in (bounds.theorem1, bounds.theorem1_sharp)]


def both_ratios(covariance, noise_variance, m):
    """The closed form, and every set tried, one point after the other by the package's conditioning."""
    from companion.papers.tsrsr.method.round import DenseRound
    from companion.papers.tsrsr.theory.bounds import variance_ratio

    before, most = np.diagonal(covariance), 1.0
    for chosen in itertools.combinations(range(len(before)), min(m, len(before))):
        pending = DenseRound(0, np.zeros(len(before)), covariance, noise_variance).pending()
        for point in chosen:
            pending.condition(point)
        most = max(most, float(np.max(before / pending.variance)))
    return [variance_ratio(m, noise_variance, float(before.max())), math.sqrt(most)]


def entry(position, oracle):
    """A property: this entry of a list of two is what the oracle has there."""

    def holds(answer, *inputs):
        assert isinstance(answer, list | np.ndarray), "a list was asked for"
        assert len(answer) == 2, "a list of two numbers was asked for"
        given, wanted = float(answer[position]), oracle(*inputs)[position]
        assert abs(given - wanted) <= 1e-9 * wanted, "not the right value"

    return holds


def settings(noise_low, noise_high, batch_low, batch_high):
    """Inputs of question 1."""

    def inputs(draw, mine):
        return [
            (
                draw.integer(5, 500),
                draw.integer(5, 400),
                draw.integer(batch_low, batch_high),
                draw.uniform(noise_low, noise_high),
                draw.uniform(5.0, 60.0),
            )
            for _ in range(10)
        ]

    return inputs


def unit_noise(draw, mine):
    return [(*case[:3], 1.0, case[4]) for case in settings(1.0, 2.0, 2, 9)(draw, mine)]


def loud(draw, mine):
    """As much noise as leaves no evaluation more than about 1 / (2 sigma_n^2) nats."""
    cases = []
    for N, T, m, noise_variance, _ in settings(0.9e12, 1.1e12, 2, 9)(draw, mine):
        cases.append((N, T, m, noise_variance, draw.uniform(0.2, 1.0) * T * m / (2 * noise_variance)))
    return cases


def correlated(fewest, most, points):
    """Inputs of question 2: correlated points with different variances, the largest 0.9, and m between two numbers."""

    def inputs(draw, mine):
        cases = []
        for _ in range(6):
            generator, size = draw.generator(), draw.size(points, min(points, 4))
            root = generator.standard_normal((size, 3))
            matrix = root @ root.T + 0.05 * np.eye(size)
            sd = np.sqrt(generator.uniform(0.5, 0.8, size) / np.diagonal(matrix))
            sd[-1] = math.sqrt(0.9 / matrix[-1, -1])
            cases.append((matrix * np.outer(sd, sd), draw.uniform(0.05, 0.3), draw.integer(fewest, most)))
        return cases

    return inputs


def independent(draw, mine):
    """Inputs of question 2: independent points, the last one with the largest variance."""
    cases = []
    for _ in range(4):
        variances = [draw.uniform(0.3, 0.6) for _ in range(draw.size(4, 3))]
        cases.append((np.diag([*variances, draw.uniform(0.7, 0.9)]), draw.uniform(0.05, 0.5), draw.integer(2, 4)))
    return cases


def sharp_below_trivial(T, mine):
    from companion.papers.compressed.theory.instances import even_gain as package_gain
    from companion.papers.tsrsr.theory.bounds import theorem1_sharp, trivial_bound

    N, m, noise_variance = mine["points"], mine["batch"], mine["noise_variance"]
    gain = package_gain(T * m, N, 1 / noise_variance)
    return theorem1_sharp(N, T, m, noise_variance, gain) < trivial_bound(N, T * m)


def package_run(mine, prediction):
    from companion.papers.compressed.theory.instances import even_gain as package_gain
    from companion.papers.tsrsr.theory.bounds import theorem1_sharp

    values, batches = own_rounds(mine, prediction)
    regrets = (max(values) - np.array(values))[np.array(batches)].sum(axis=1)
    N, m, noise_variance = mine["points"], mine["batch"], mine["noise_variance"]
    bound = theorem1_sharp(N, 200, m, noise_variance, package_gain(200 * m, N, 1 / noise_variance))
    below = next(T for T in itertools.count(1) if sharp_below_trivial(T, mine))
    return {"first": float(regrets[0]), "times": float(bound / regrets.sum()), "below": below}


def sets_fail(m, mine):
    """Whether inequality (A), read with sets, is false on two independent points."""
    from companion.papers.tsrsr.theory.bounds import gain_factor, theorem1, variance_ratio

    noise_variance = mine["noise_variance"]
    gain = 2.0 / gain_factor(noise_variance)
    return m / math.sqrt(math.pi) > theorem1(2, 1, m, noise_variance, gain, variance_ratio(1, noise_variance))


def failure(mine):
    low, high = 2, 4  # it holds at low; the difference of the two sides changes its sign once
    while not sets_fail(high, mine):
        low, high = high, 2 * high
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if sets_fail(middle, mine) else (middle, high)
    return high


def nearly(m, mine):
    assert type(m) is int, "an integer was asked for"
    assert abs(m - failure(mine)) <= 20, "it is further away from the right number"


# %% tags=["hidden", "q1"]
q1 = Question(
    function="two_bounds",
    example="two_bounds(4, 10, 2, 0.5, 3.0)",
    hard="two_bounds(4, 10, 1, 1e12, 1e-11)",
    checks=[
        Check("inequality (A)", 1, settings(0.05, 0.6, 2, 9), holds=entry(0, both_bounds)),
        Check("inequality (B)", 1, settings(0.05, 0.6, 2, 9), holds=entry(1, both_bounds)),
        Check("both, with noise variance 1", 1, unit_noise, close=both_bounds, rel_tol=1e-9),
        Check(
            "both, with one point at a time",
            1,
            settings(0.05, 0.6, 1, 1),
            close=both_bounds,
            rel_tol=1e-9,
            hint="What does a batch of one point have to pay for, in (A) and in (B)?",
        ),
        Check(
            "both, with very large noise",
            1,
            loud,
            close=both_bounds,
            rel_tol=1e-9,
            hint="What is left of the digits of a small number x in 1 + x? See math.log1p.",
        ),
    ],
    wrong=[
        Wrong("rho of m in (B)", 2, {"(m - 1) / (2 * noise_variance)": "m / noise_variance"}),
        Wrong("largest rho in place of the mean", 3, {"(m - 1) / (2 * noise_variance)": "(m - 1) / noise_variance"}),
        Wrong("rho of m - 1 in (A)", 2, {"1 + m / noise_variance": "1 + (m - 1) / noise_variance"}),
        Wrong(
            "standard deviation for variance in rho",
            1,
            {
                "1 + m / noise_variance": "1 + m / noise_variance**0.5",
                "(m - 1) / (2 * noise_variance)": "(m - 1) / (2 * noise_variance**0.5)",
            },
        ),
        Wrong("batches for evaluations", 1, {"n = T * m": "n = T"}),
        Wrong("second term left out", 1, {"[first + second, sharp]": "[first, sharp]"}),
        Wrong("third power of T alone", 2, {"n**3": "T**3"}),
        Wrong(
            "logarithm of a rounded number", 4, {"math.log1p(1 / noise_variance)": "math.log(1 + 1 / noise_variance)"}
        ),
        Wrong("N for N / 2", 1, {"math.log(N / 2)": "math.log(N)"}),
        Wrong("the constant C_1 for c", 1, {"n * 2 /": "n * 2 / noise_variance**2 /"}),
        Wrong("other order", 0, {"[first + second, sharp]": "[sharp, first + second]"}),
    ],
)

# %% tags=["hidden", "q2"]
q2 = Question(
    function="two_ratios",
    example="two_ratios(np.array([[0.9, 0.4], [0.4, 0.6]]), 0.25, 3)",
    hard="two_ratios(np.diag([0.9, 0.3]), 0.1, 1)",
    checks=[
        Check("multisets", 1, correlated(2, 4, 6), holds=entry(0, both_ratios)),
        Check("sets, fewer places than points", 1, correlated(2, 4, 6), holds=entry(1, both_ratios)),
        Check("sets, more places than points", 1, correlated(10, 900, 4), holds=entry(1, both_ratios)),
        Check(
            "both, for independent points",
            1,
            independent,
            close=both_ratios,
            hint="What does a second observation of a point tell about it? And one of an independent point?",
        ),
    ],
    wrong=[
        Wrong(
            "ratios of variances",
            0,
            {
                "math.sqrt(1 + m * float(before.max()) / noise_variance)": "1 + m * float(before.max()) / noise_variance",
                "math.sqrt(most)": "most",
            },
        ),
        Wrong("largest variance taken as 1", 2, {"m * float(before.max())": "m"}),
        Wrong("one observation too few", 2, {"1 + m * float": "1 + (m - 1) * float"}),
        Wrong("mean of the variances", 2, {"before.max()": "before.mean()"}),
        Wrong(
            "closed form for sets too",
            1,
            {"math.sqrt(most)]": "math.sqrt(1 + size * float(before.max()) / noise_variance)]"},
        ),
        Wrong(
            "the set of the point itself",
            2,
            {"math.sqrt(most)]": "math.sqrt(1 + float(before.max()) / noise_variance)]"},
        ),
        Wrong("no more sets than there are", 3, {"min(m, len(before))": "m"}),
        Wrong(
            "the first points as the set",
            2,
            {"itertools.combinations(range(len(before)), size)": "[tuple(range(size))]"},
        ),
        Wrong("sets for both", 2, {"[math.sqrt(1 + m * float(before.max()) / noise_variance),": "[math.sqrt(most),"}),
        Wrong("noise forgotten", 1, {"noise_variance * np.eye(size)": "1e-6 * np.eye(size)"}),
    ],
)

# %% tags=["hidden", "q3"]
q3 = own_run(
    "my_run",
    package_run,
    1,
    1000,
    [
        ("a prediction, and the first batch that follows from it", 1, ["first"]),
        ("the bound against the regret of the run", 1, ["times"]),
        ("from where on the bound says something", 2, ["below"]),
    ],
    [
        Wrong("every point once at most", 1, {"each, more = divmod(n, N)": "each, more = (0, n) if n < N else (1, 0)"}),
        Wrong("gain without one half", 1, {"(each / noise_variance)) / 2": "(each / noise_variance))"}),
        Wrong("regret of one sampled function", 2, {"math.sqrt(8 * math": "math.sqrt(2 * math"}),
        Wrong(
            "regret of a batch, not of its points",
            0,
            {"sum(max(values) - values[x] for": "min(max(values) - values[x] for"},
        ),
        Wrong(
            "inequality (A)", 1, {"even_gain(T * m, N, noise_variance))[1]": "even_gain(T * m, N, noise_variance))[0]"}
        ),
    ],
)

# %% tags=["hidden", "q4"]
q4 = Question(
    value="first_failure",
    worked={"noise_variance": 5.0},
    checks=[
        Check("to one percent", 1, holds=nearly),
        Check("the smallest batch size", 2, equals=failure, hint="Is the inequality true for one point fewer?"),
    ],
    wrong=[
        Wrong("second term left out", 0, {" + math.sqrt(24 * m * math.log(2))": ""}),
        Wrong("regret between the two points", 0, {"m / math.sqrt(math.pi)": "2 * m / math.sqrt(math.pi)"}),
        Wrong("regret of half the batch", 0, {"m / math.sqrt(math.pi)": "0.5 * m / math.sqrt(math.pi)"}),
        Wrong(
            "gain of one point",
            0,
            {"gain = math.log1p(1 / noise_variance)": "gain = math.log1p(1 / noise_variance) / 2"},
        ),
        Wrong("ratio not rooted", 0, {"math.sqrt(1 + 1 / noise_variance)": "(1 + 1 / noise_variance)"}),
        Wrong(
            "ratio of two observations", 0, {"math.sqrt(1 + 1 / noise_variance)": "math.sqrt(1 + 2 / noise_variance)"}
        ),
        Wrong("ratio one", 0, {"math.sqrt(1 + 1 / noise_variance)": "1.0"}),
        Wrong("first power in the logarithm", 0, {"8 * m**3": "8 * m"}),
        Wrong("one short", 1, {"# END SOLUTION": "first_failure -= 1"}),
        Wrong("a round number", 0, code="first_failure = 10**6"),
        Wrong("as a float", 0, {"# END SOLUTION": "first_failure = float(first_failure)"}),
    ],
)

# %% tags=["hidden", "q5"]
q5 = Question(
    value="why",
    rubric=[
        ("What the picture of the own run shows, with two numbers, and how far the prediction was off", 2),
        ("The factor that costs most, from numbers", 1),
        ("A factor that does not matter, with the reason", 1),
    ],
)
