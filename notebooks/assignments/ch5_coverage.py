# %% tags=["assignment"]
TITLE = "When a ball around a sample covers"
CHAPTER = 5
GOAL = "Compute exactly how often the ball of a data-driven radius holds the true law, and where limits and bounds mislead."
LEVEL = "intermediate"
MINUTES = 90

# %% [markdown]
# # When a ball around a sample covers
#
# In the data-driven setting of chapter 5 (Section 4.2 of Micheli et al.) the law $\mathcal P^*$ of the contexts is not
# known. The learner has a sample $c_1,\dots,c_n$, its empirical law $\hat{\mathcal P}_n$, which puts mass $1/n$ on
# every $c_i$, and a radius $r$. The ball
#
# $$\{\mathcal Q:\ d_W(\mathcal Q,\hat{\mathcal P}_n)\le r\}$$
#
# *covers* if it holds $\mathcal P^*$. The distance $d_W$ (Wasserstein, of type 1) is the smallest average way on which
# mass has to be moved to turn one law into the other. On the line it is the area between the two distribution
# functions,
#
# $$d_W(\mathcal P,\mathcal Q)=\int|F_{\mathcal P}(c)-F_{\mathcal Q}(c)|\,dc=\int_0^1|F_{\mathcal P}^{-1}(u)-F_{\mathcal Q}^{-1}(u)|\,du .$$
#
# A *coin* is a law on the contexts 0 and 1, with probability $p$ of a one. If $S$ of $n$ contexts are ones, then
# $d_W(\mathcal P^*,\hat{\mathcal P}_n)=|S/n-p|$. The ball is closed: a distance of exactly $r$ is covered.

# %% tags=["setup"]
import math
import random
from fractions import Fraction

import numpy as np
from scipy import stats
from selfcheck import numbers


def own_samples(mine, prediction):
    """Numbers of ones in the 400 samples of question 3, from your numbers and from your prediction."""
    luck = random.Random(f"{mine['seed']} {prediction}")
    return [sum(luck.random() < mine["p"] for _ in range(mine["n"])) for _ in range(400)]


# %% [markdown] tags=["question", "q1"]
# ## 1. A coin, exactly
#
# Write `coverage(n, p, r)`, the probability that the ball of radius `r` around the sample of `n` $\le2000$ flips holds
# the coin, right to $10^{-9}$. `p` and `r` have at most three digits after the point and mean these decimal fractions,
# not the binary numbers next to them. So whether a distance is exactly $r$ is a question about whole numbers. (The
# chapter's exercise *A ball around coin flips* has one case.)


# %% tags=["answer", "q1"]
def coverage(n, p, r):
    """Probability that the ball of radius r around n flips of a coin with probability p holds it, a float."""
    # BEGIN SOLUTION
    coin, radius = Fraction(str(p)), Fraction(str(r))
    fewest, most = math.ceil(n * (coin - radius)), math.floor(n * (coin + radius))
    if fewest > most:
        return 0.0
    return float(stats.binom.cdf(most, n, p) - stats.binom.cdf(fewest - 1, n, p))
    # END SOLUTION


# %% [markdown] tags=["hint", "q1"]
# Which numbers of ones $S$ are at most $nr$ away from $np$? Find the smallest and the largest, in whole numbers.
#
# `Fraction(str(p))` is the decimal fraction. `math.ceil` and `math.floor` of a fraction are exact.
#
# The probability is a difference of two values of `stats.binom.cdf`. What if no number of ones is near enough?


# %% tags=["public", "q1"]
def public_q1(coverage):
    value = coverage(30, 0.4, 0.1)
    assert isinstance(value, float), "coverage should return a float."
    assert 0 < value < 1, "The value should be a probability between 0 and 1."
    assert coverage(30, 0.4, 0.2) > value, "A larger ball should cover more often."
    assert abs(coverage(30, 0.6, 0.1) - value) < 1e-9, "The value should be the same for p and 1 - p."
    assert abs(coverage(30, 0.4, 1.0) - 1) < 1e-9, "With radius 1 every sample covers, so the value should be 1."


# %% [markdown] tags=["question", "q2"]
# ## 2. From which sample on
#
# For a fixed radius the coverage does not simply grow with $n$: it goes up and down on its way to one. Let the coin be
# fair, the radius `mine["radius"]`, and the level `mine["level"]`. Set `enough` to the smallest $n$ such that for
# *every* $n'\ge n$ the ball around $n'$ flips covers with probability at least the level. Hoeffding's inequality says
# that it fails to with probability at most $2e^{-2nr^2}$, which leaves finitely many $n$ to look at.


# %% tags=["numbers", "q2"]
def numbers_q2(draw):
    return {"radius": draw.decimal(0.05, 0.12, 3), "level": draw.choice([0.9, 0.95])}


# %% tags=["answer", "q2"]
mine = numbers("q2")
# BEGIN SOLUTION
enough = math.ceil(math.log(2 / (1 - mine["level"])) / (2 * mine["radius"] ** 2))  # from here on Hoeffding's does
while coverage(enough - 1, 0.5, mine["radius"]) >= mine["level"]:
    enough -= 1
# END SOLUTION


# %% [markdown] tags=["hint", "q2"]
# From which $n$ on does Hoeffding's inequality promise the level?
#
# Go down from there as long as the level is met. Where you stop, the next smaller sample fails.


# %% tags=["public", "q2"]
def public_q2(enough, mine):
    assert type(enough) is int, "Your number enough should be a Python integer."
    assert enough >= 1, "There should be at least one flip."


# %% [markdown] tags=["question", "q3"]
# ## 3. Four hundred samples of your own
#
# `mine` holds a coin `p`, a number of flips `n` and a radius `r`. First predict: how many of 400 balls, each around a
# sample of its own, cover the coin? Your function of question 1 is of use here. Then let `ones = own_samples(mine,
# prediction)` be the numbers of ones in the samples, draw the share of balls that cover among the first $1,2,\dots,400$ as a
# line, with the exact coverage as a second one, and set `my_run` to a dict with the keys
#
# - `"prediction"`, a whole number from 0 to 400,
# - `"first"`, the list of the first six numbers of ones,
# - `"cover"`, how many of the balls cover the coin,
# - `"off"`, the difference of `cover` from what is to be expected, divided by its standard deviation.
#
# *Type* the numbers that were printed, with four digits after the point. The samples are drawn from your id and from your
# prediction, so predict first; how near you come earns nothing. When this is graded, `numbers("q3")` gives other numbers
# than yours: what counts is what you typed.


# %% tags=["numbers", "q3"]
def numbers_q3(draw):
    return {
        "seed": draw.integer(10**8, 10**9 - 1),
        "p": draw.decimal(0.1, 0.4, 2),
        "n": 10 * draw.integer(4, 8),
        "r": draw.decimal(0.04, 0.09, 2),
    }


# %% tags=["answer", "q3"]
mine = numbers("q3")
# BEGIN SOLUTION
exact = coverage(mine["n"], mine["p"], mine["r"])
prediction = round(400 * exact)
ones = own_samples(mine, prediction)
away = [abs(Fraction(count, mine["n"]) - Fraction(str(mine["p"]))) for count in ones]
cover = sum(distance <= Fraction(str(mine["r"])) for distance in away)
off = (cover - 400 * exact) / math.sqrt(400 * exact * (1 - exact))
my_run = {"prediction": prediction, "first": ones[:6], "cover": cover, "off": off}  # yours: as printed
# END SOLUTION


# %% [markdown] tags=["hint", "q3"]
# Each ball covers with the probability of question 1, and the samples are independent.
#
# What is the law of the number of balls that cover? Its mean and its standard deviation are all you need for `off`.
#
# Whether a distance is exactly $r$ is a question about whole numbers here, too.


# %% tags=["public", "q3"]
def public_q3(my_run, mine):
    assert isinstance(my_run, dict), "Your my_run should be a dict."
    assert set(my_run) == {"prediction", "first", "cover", "off"}, (
        "Its keys should be prediction, first, cover and off."
    )
    assert type(my_run["prediction"]) is int, "The prediction should be a whole number."
    assert 0 <= my_run["cover"] <= 400, "Of 400 balls between none and all should cover."


# %% [markdown] tags=["question", "q4"]
# ## 4. The coin that is covered least
#
# A share $S/n$ varies most for the fair coin, and by the normal limit that coin is covered least. Is it? A sample has an
# even number `n` of flips, and the radius is $h/n$ with a whole number `h`: the ball covers if the number of ones is at most
# $h$ away from $np$. Write `worst_coin(n, h, parts)`: a $p\in\{1/q,2/q,\dots,(q-1)/q\}$, with the even number $q$ =
# `parts`, for which the probability of that is smallest, as a float. Of several such $p$ any will do.


# %% tags=["answer", "q4"]
def worst_coin(n, h, parts):
    """A multiple of 1 / parts, a float: the coin that the ball covers least often."""
    # BEGIN SOLUTION
    q = parts
    coins = np.arange(1, q)  # in parts, so that the numbers of ones are found in whole numbers
    fewest, most = -((q * h - n * coins) // q), (q * h + n * coins) // q
    inside = stats.binom.cdf(most, n, coins / q) - stats.binom.cdf(fewest - 1, n, coins / q)
    return float(coins[np.argmin(inside)] / q)
    # END SOLUTION


# %% [markdown] tags=["hint", "q4"]
# Write a function of $p$ that finds the smallest and the largest covered number of ones in whole numbers, and sums
# the probabilities.
#
# Try every $p$ of the grid, and take the smallest. With `stats.binom.cdf` and arrays it is one line.
#
# Look at the three worst ones. What do they have in common: how far is $np$ from a whole number?


# %% tags=["public", "q4"]
def public_q4(worst_coin):
    found = worst_coin(52, 3, 700)
    assert isinstance(found, float), "worst_coin should return a float."
    assert abs(700 * found - round(700 * found)) < 1e-9, "The coin should be a whole number of parts."
    assert 0 < found < 1, "The coin should lie between 0 and 1."


# %% [markdown] tags=["solution", "q4"]
# For the fair coin $np$ is whole here, and $2h+1$ numbers of ones are covered. Where $np$ is not whole, only $2h$ are.
# What is lost is the probability of one number of ones, which is of order $n^{-1/2}$ and which the normal limit does
# not see. So the worst coin is near the middle, where the variance is largest, with $np$ just off a whole number; which
# one, the grid of $p$ decides.

# %% [markdown] tags=["question", "q5"]
# ## 5. What would you tell a user?
#
# Set `why` to a text of 40 to 150 words. A colleague chooses the radius by the normal limit and says: my ball covers
# in 95 percent of all samples. From questions 1, 2 and 4, what is wrong with that, and what could the colleague do
# instead? And what does your picture of question 3 show, with two numbers, and how far was your prediction off?


# %% tags=["answer", "q5"]
# BEGIN SOLUTION
why = """The limit treats the number of ones as continuous, but the ball gains or loses a whole number of ones at a time. At my
sample the probability that is promised and the one that I computed differ by several hundredths, and the difference falls
only like one over the root of the sample size. It also goes up and down, and the worst coin is not the fair one but one
next to it. My colleague could compute the coverage exactly, which takes a line, for the worst coin of a fine grid. In my
picture the share of balls that cover settles after about 100 samples, and ends at 0.81, 0.6 standard deviations above the
exact 0.798; I had predicted 319 and saw 324."""
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


def ends(n, p, r):
    """Smallest and largest number of ones within n r of n p, p and r as decimal fractions."""
    coin, radius = round(1000 * p), round(1000 * r)  # thousandths
    covered = [ones for ones in range(n + 1) if abs(1000 * ones - n * coin) <= n * radius]
    return (covered[0], covered[-1]) if covered else (0, -1)


def exact_coverage(n, p, r):
    """A sum of whole numbers over 1000^n: no rounding before the last step."""
    import math as whole
    from fractions import Fraction as Exact

    heads = Exact(str(p))
    fewest, most = ends(n, p, r)
    ones, all_ = heads.numerator, heads.denominator
    total = sum(whole.comb(n, k) * ones**k * (all_ - ones) ** (n - k) for k in range(fewest, most + 1))
    return float(Exact(total, all_**n))


def no_share_at_an_end(n, p, r):
    """Whether no possible share is at distance r, so that floats and open balls will do."""
    thousand = round(1000 * p), round(1000 * r)
    return all(n * (thousand[0] + sign * thousand[1]) % 1000 for sign in (1, -1))


def some_coins(draw, coin, many):
    cases = []
    while len(cases) < many:
        n, p, r = draw.integer(40, 200), coin(), draw.decimal(0.03, 0.09, 3)
        fewest, most = ends(n, p, r)
        if no_share_at_an_end(n, p, r) and most > fewest + 1:
            cases.append((n, p, r))
    return cases


def fair_coins(draw, mine):
    return [*some_coins(draw, lambda: 0.5, 6), (101, 0.5, 0.033)]


def bent_coins(draw, mine):
    return [*some_coins(draw, lambda: draw.decimal(0.15, 0.35, 3), 6), (100, 0.205, 0.033)]


def shares_at_the_ends(draw, mine):
    """n p and n r are whole numbers. Floats miss an end in the first three, an open ball in all."""
    tens = 10 * draw.integer(4, 12)
    return [(190, 0.7, 0.1), (100, 0.5, 0.03), (50, 0.3, 0.1), (tens, 0.5, 0.1), (tens, 0.2, 0.1), (200, 0.1, 0.05)]


def small_balls(draw, mine):
    """No possible share is within r, or a single one is."""
    odd = 2 * draw.integer(2, 9) + 1
    return [(odd, 0.5, 0.01), (3, 0.4, 0.05), (7, 0.25, 0.06), (10, 0.3, 0.001), (1, 0.4, 0.45)]


def covers_enough(n, radius, level):
    """Whether n flips of a fair coin are covered with probability at least the level, in whole numbers."""
    import math as whole
    from fractions import Fraction as Exact

    wanted = Exact(str(level))
    fewest, most = ends(n, 0.5, radius)
    return sum(whole.comb(n, k) for k in range(fewest, most + 1)) * wanted.denominator >= wanted.numerator * 2**n


@functools.cache
def last_that_fails(radius, level):
    import math as whole

    n = whole.ceil(whole.log(2 / (1 - level)) / (2 * radius**2)) + 1
    while covers_enough(n, radius, level):
        n -= 1
    return n


def enough_by(own, mine):
    """The smallest number by the student's own coverage."""
    import math as whole

    n = whole.ceil(whole.log(2 / (1 - mine["level"])) / (2 * mine["radius"] ** 2)) + 1
    while n > 1 and own(n - 1, 0.5, mine["radius"]) >= mine["level"]:
        n -= 1
    return n


def not_wasteful(enough, mine):
    assert type(enough) is int, "an integer was asked for"
    last = last_that_fails(mine["radius"], mine["level"])
    assert enough > last, "a larger sample covers less often than asked for"
    assert enough < 1.2 * last, "far fewer flips are enough"


def smallest_enough(mine):
    return last_that_fails(mine["radius"], mine["level"]) + 1


def probability_within(part, n, h, q):
    """P(|S - n p| <= h), with p in parts of q, as a whole number of q^-n."""
    import math as whole

    fewest, most = max(0, -((q * h - n * part) // q)), min(n, (q * h + n * part) // q)
    return sum(whole.comb(n, k) * part**k * (q - part) ** (n - k) for k in range(fewest, most + 1))


@functools.cache
def least(n, h, q):
    return min(probability_within(part, n, h, q) for part in range(1, q // 2 + 1))  # zeros and ones may change places


def found_for(answer, n, h, q):
    assert type(answer) is float, "a float was asked for"
    part = round(q * answer)
    assert abs(q * answer - part) < 1e-9, "p is no whole number of parts"
    assert 1 <= part < q, "p does not lie between 0 and 1"
    return probability_within(part, n, h, q)


def below_the_fair_coin(answer, n, h, q):
    assert found_for(answer, n, h, q) < probability_within(q // 2, n, h, q), "the fair coin is covered no more often"


def nearly_least(answer, n, h, q):
    fair = probability_within(q // 2, n, h, q)
    assert 4 * (fair - found_for(answer, n, h, q)) >= 3 * (fair - least(n, h, q)), "there are clearly worse coins"


def least_covered(answer, n, h, q):
    assert found_for(answer, n, h, q) - least(n, h, q) <= q**n // 10**12, "there is a coin that is covered less often"


def grids(draw, mine):
    return [(2 * draw.integer(26, 46), draw.integer(2, 6), 2 * draw.integer(350, 499)) for _ in range(2)]


# %% tags=["hidden", "q1"]
q1 = Question(
    function="coverage",
    example="coverage(5, 0.3, 0.2)",
    hard="coverage(10, 0.7, 0.1)",
    checks=[
        Check("fair coins", 1, fair_coins, close=exact_coverage, abs_tol=1e-9),
        Check("other coins", 1, bent_coins, close=exact_coverage, abs_tol=1e-9),
        Check(
            "shares at a distance of exactly r",
            2,
            shares_at_the_ends,
            close=exact_coverage,
            abs_tol=1e-9,
            hint="Look at abs(0.53 - 0.5) <= 0.03.",
        ),
        Check("balls that hold one share or none", 1, small_balls, close=exact_coverage, abs_tol=1e-9),
    ],
    wrong=[
        Wrong(
            "normal limit",
            0,
            code="""
def coverage(n, p, r):
    return float(2 * stats.norm.cdf(r * math.sqrt(n / (p * (1 - p)))) - 1)
""",
        ),
        Wrong(
            "normal limit with a correction for whole numbers",
            0,
            code="""
def coverage(n, p, r):
    return float(2 * stats.norm.cdf((math.floor(n * r) + 0.5) / math.sqrt(n * p * (1 - p))) - 1)
""",
        ),
        Wrong(
            "ends in floats",
            3,
            code="""
def coverage(n, p, r):
    return float(sum(stats.binom.pmf(k, n, p) for k in range(n + 1) if abs(k / n - p) <= r))
""",
        ),
        Wrong(
            "an open ball",
            3,
            {
                "math.ceil(n * (coin - radius)), math.floor(n * (coin + radius))": "math.floor(n * (coin - radius)) + 1, math.ceil(n * (coin + radius)) - 1",
                "if fewest > most": "if fewest > most or r == 1.0",
            },
        ),
        Wrong("one end of the ball only", 0, {"stats.binom.cdf(fewest - 1, n, p)": "0.0"}),
        Wrong("the lower end left out", 0, {"cdf(fewest - 1, n, p)": "cdf(fewest, n, p)"}),
        Wrong(
            "every coin is fair",
            1,
            {
                "Fraction(str(p))": "Fraction(1, 2)",
                "cdf(most, n, p)": "cdf(most, n, 0.5)",
                "cdf(fewest - 1, n, p)": "cdf(fewest - 1, n, 0.5)",
            },
        ),
        Wrong(
            "the ball is never empty",
            4,
            {"    if fewest > most:\n        return 0.0\n": "    fewest = min(fewest, most)\n"},
        ),
        Wrong("the decimal's binary neighbours", 3, {"Fraction(str(p)), Fraction(str(r))": "Fraction(p), Fraction(r)"}),
        Wrong(
            "whole numbers around the rounded mean",
            2,
            {
                "math.ceil(n * (coin - radius)), math.floor(n * (coin + radius))": "round(n * coin) - math.floor(n * radius), round(n * coin) + math.floor(n * radius)"
            },
        ),
        Wrong("a probability of missing", 0, {"return float(": "return 1 - float("}),
    ],
)

# %% tags=["hidden", "q2"]
q2 = Question(
    value="enough",
    worked={"radius": 0.2, "level": 0.9},
    after="q1",
    checks=[
        Check("it is enough, and not a fifth too large", 1, holds=not_wasteful, follows=enough_by),
        Check("and it is the smallest", 2, equals=smallest_enough, follows=enough_by),
    ],
    wrong=[
        Wrong(
            "Hoeffding's inequality",
            0,
            {'while coverage(enough - 1, 0.5, mine["radius"]) >= mine["level"]:\n    enough -= 1\n': ""},
        ),
        Wrong(
            "the first that covers",
            0,
            code="""
mine = numbers("q2")
enough = 1
while coverage(enough, 0.5, mine["radius"]) < mine["level"]:
    enough += 1
""",
        ),
        Wrong(
            "normal limit",
            0,
            code="""
mine = numbers("q2")
enough = math.ceil((stats.norm.ppf((1 + mine["level"]) / 2) / (2 * mine["radius"])) ** 2)
""",
        ),
        Wrong(
            "Chebyshev's inequality",
            0,
            code="""
mine = numbers("q2")
enough = math.ceil(1 / (4 * mine["radius"] ** 2 * (1 - mine["level"])))
""",
        ),
        Wrong("the last that fails", 0, {"# END SOLUTION": "enough -= 1"}),
        Wrong("one too many", 1, {"# END SOLUTION": "enough += 1"}),
        Wrong("a tenth more, to be safe", 1, {"# END SOLUTION": "enough += enough // 10"}),
        Wrong("half of the failures on each side forgotten", 0, {'mine["level"]:': '2 * mine["level"] - 1:'}),
        Wrong("as a float", 0, {"# END SOLUTION": "enough = float(enough)"}),
    ],
)


# %% tags=["hidden", "q3"]
def package_run(mine, prediction):
    ones = own_samples(mine, prediction)
    fewest, most = ends(mine["n"], mine["p"], mine["r"])
    cover, exact = sum(fewest <= count <= most for count in ones), exact_coverage(mine["n"], mine["p"], mine["r"])
    return {"first": ones[:6], "cover": cover, "off": (cover - 400 * exact) / (400 * exact * (1 - exact)) ** 0.5}


q3 = own_run(
    "my_run",
    package_run,
    0,
    400,
    [
        ("a prediction, and the samples that follow from it", 1, ["first"]),
        ("how many balls cover", 1, ["cover"]),
        ("how far that is from what was to be expected", 2, ["off"]),
    ],
    [
        Wrong("in units of the variance", 2, {"math.sqrt(400 * exact * (1 - exact))": "(400 * exact * (1 - exact))"}),
        Wrong("standard deviation of one ball", 2, {"math.sqrt(400 * exact": "math.sqrt(exact"}),
        Wrong("balls that miss", 1, {"cover = sum(distance <=": "cover = sum(distance >"}),
    ],
)

# %% tags=["hidden", "q4"]
q4 = Question(
    function="worst_coin",
    example="worst_coin(4, 1, 6)",
    hard="worst_coin(10, 1, 50)",
    several=True,
    checks=[
        Check("it is covered less often than the fair coin", 1, grids, holds=below_the_fair_coin),
        Check("it is among the worst", 1, grids, holds=nearly_least),
        Check(
            "none is covered less often",
            2,
            grids,
            holds=least_covered,
            apart=["just beside the fair coin", "half way between two whole means", "two parts beside the worst"],
        ),
    ],
    wrong=[
        Wrong("the fair coin", 0, {"float(coins[np.argmin(inside)] / q)": "0.5"}),
        Wrong("the coin of least variance", 0, {"float(coins[np.argmin(inside)] / q)": "1 / q"}),
        Wrong("an open ball", 0, {"-((q * h -": "-((q * h - 1 -", "(q * h + n * coins)": "(q * h - 1 + n * coins)"}),
        Wrong("the coin that is covered most", 0, {"np.argmin(inside)": "np.argmax(inside)"}),
        Wrong("two parts beside the worst", 2, {"coins[np.argmin(inside)] / q": "coins[np.argmin(inside) - 2] / q"}),
        Wrong("just beside the fair coin", 2, {"float(coins[np.argmin(inside)] / q)": "0.5 - 1 / q"}),
        Wrong(
            "half way between two whole means",
            2,
            {"float(coins[np.argmin(inside)] / q)": "round(q * (0.5 - 0.5 / n)) / q"},
        ),
        Wrong("more digits than asked for", 0, {"[np.argmin(inside)] / q)": "[np.argmin(inside)] / q + 1e-4)"}),
        Wrong("in parts", 0, {"[np.argmin(inside)] / q)": "[np.argmin(inside)])"}),
    ],
)

# %% tags=["hidden", "q5"]
q5 = Question(
    value="why",
    rubric=[
        ("Whole numbers against the limit: it goes up and down, and the worst coin is not the fair one", 2),
        ("A way out that is right", 1),
        ("What the picture of the own run shows, with two numbers, and how far the prediction was off", 2),
    ],
)
