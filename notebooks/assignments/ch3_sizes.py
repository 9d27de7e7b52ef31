# %% tags=["assignment"]
TITLE = "Batch sizes, exactly"
CHAPTER = 3
GOAL = "Turn a rule for batch sizes into code that is right for every horizon, where floats are not."
LEVEL = "intermediate"
MINUTES = 60

# %% [markdown]
# # Batch sizes, exactly
#
# Chapter 3 cuts a horizon of $T$ evaluations into batches. Two rules give the sizes. The original one has $N_0=1$ and
#
# $$N_i=\min\Big\{\Big\lceil\sqrt{T\,N_{i-1}}\Big\rceil,\ T-\sum_{j=1}^{i-1}N_j\Big\},\qquad i\ge1,$$
#
# and the one with a parameter $0<a<1$ has
#
# $$N_i=\min\Big\{\Big\lceil T^{1-a^i}\Big\rceil,\ T-\sum_{j=1}^{i-1}N_j\Big\},\qquad i\ge1.$$
#
# Both stop as soon as the sizes add up to $T$; $N_0$ is no batch. A ceiling is unforgiving: where the number under it is
# an integer, a rounding error of $10^{-16}$ adds a point to the batch. In all questions $a$ is the decimal fraction that
# is printed, so that `0.6` means $6/10$ and not the binary number next to it.

# %% tags=["setup"]
import math
from decimal import Decimal, localcontext

from selfcheck import numbers

# %% [markdown] tags=["question", "q1"]
# ## 1. The rule with square roots
#
# Write `original_sizes(T)`, which returns the list of the sizes $N_1,N_2,\dots$ of the original rule, as integers, for
# any integer $T\ge2$, also one of twenty digits.


# %% tags=["answer", "q1"]
def original_sizes(T):
    """Sizes N_1, N_2, ... of the original rule, a list of integers that add up to T."""
    # BEGIN SOLUTION
    sizes, rest, last = [], T, 1
    while rest > 0:
        last = math.isqrt(T * last - 1) + 1  # the smallest integer whose square is at least T * last
        sizes.append(min(last, rest))
        rest -= sizes[-1]
    return sizes
    # END SOLUTION


# %% [markdown] tags=["hint", "q1"]
# Keep three things while you go on: the list so far, what is left of $T$, and the size before the cut.
#
# A ceiling of a root is the smallest integer whose square is large enough. Which function of the module `math` gives
# roots of integers exactly?
#
# `math.isqrt(n)` is the floor of the root. What do you have to feed it so that the floor becomes the ceiling, also
# where the root is an integer?


# %% tags=["public", "q1"]
def public_q1(original_sizes):
    sizes = original_sizes(1000)
    sizes = sizes.tolist() if hasattr(sizes, "tolist") else sizes
    assert isinstance(sizes, list), "original_sizes(1000) should return a list of the sizes."
    assert all(type(size) is int for size in sizes), "The sizes should be Python integers, not floats."
    assert all(size > 0 for size in sizes), "A batch is empty or negative; every size should be at least 1."
    assert sum(sizes) == 1000, "The sizes of original_sizes(1000) should add up to 1000."
    assert sum(original_sizes(10**20)) == 10**20, "The sizes should add up to T for a T of 21 digits, too."


# %% [markdown] tags=["question", "q2"]
# ## 2. The rule with a power
#
# Write `power_sizes(T, a)` for the second rule. $T$ is an integer from 2 to $10^7$, and $a$ a float between 0.2 and 0.7
# with at most three digits after the point.


# %% tags=["answer", "q2"]
def power_sizes(T, a):
    """Sizes N_1, N_2, ... of the rule with a power, a list of integers that add up to T."""
    # BEGIN SOLUTION
    with localcontext() as context:
        context.prec = 60
        ratio, sizes, rest = Decimal(str(a)), [], T
        while rest > 0:
            power = Decimal(T) ** (1 - ratio ** (len(sizes) + 1))
            integer = power.to_integral_value()
            # 60 digits tell an integer from its neighbours: a power of T that is none is not that close to one.
            size = int(integer) if abs(power - integer) < Decimal("1e-30") else math.ceil(power)
            sizes.append(min(size, rest))
            rest -= sizes[-1]
        return sizes
    # END SOLUTION


# %% [markdown] tags=["hint", "q2"]
# Try floats first, and compare with the example. Then try $T=10^5$ and $a=0.6$, and look at all digits of the power.
#
# `Decimal(str(a))` is the decimal fraction that is printed. With 50 digits or more a power that is an integer differs
# from it only far behind the point.
#
# Another way has no roundings at all: $N\ge T^{1-a^i}$ is an inequality between integers once both sides are raised
# to a power.


# %% tags=["public", "q2"]
def public_q2(power_sizes):
    sizes = power_sizes(1000, 0.4)
    assert isinstance(sizes, list), "power_sizes(1000, 0.4) should return a list of the sizes."
    assert all(type(size) is int for size in sizes), "The sizes should be Python integers, not floats."
    assert all(size > 0 for size in sizes), "A batch is empty or negative; every size should be at least 1."
    assert sum(sizes) == 1000, "The sizes of power_sizes(1000, 0.4) should add up to 1000."
    assert sizes[0] < sizes[1], "The sizes should grow until the horizon cuts the last one."


# %% [markdown] tags=["question", "q3"]
# ## 3. The first horizon that needs so many batches
#
# `mine` holds your own `a`, and the number of `batches` that is asked for. Set `smallest_horizon` to the smallest $T\ge2$ at which the
# rule with a power, at your `a`, makes at least that many batches.


# %% tags=["numbers", "q3"]
def numbers_q3(draw):
    return {"a": draw.decimal(0.55, 0.65, 3), "batches": 5}


# %% tags=["answer", "q3"]
mine = numbers("q3")
# BEGIN SOLUTION
smallest_horizon = 2
while len(power_sizes(smallest_horizon, mine["a"])) < mine["batches"]:
    smallest_horizon += 1
# END SOLUTION


# %% [markdown] tags=["hint", "q3"]
# Go up from $T=2$ and count batches. Your function of question 2 is fast enough.
#
# Why may you not halve an interval here? Does the number of batches never fall as $T$ grows? Going up one by one
# needs no answer to that.


# %% tags=["public", "q3"]
def public_q3(smallest_horizon, mine):
    assert type(smallest_horizon) is int, "Your smallest_horizon should be a Python integer."
    assert smallest_horizon >= mine["batches"], "A horizon has at least as many evaluations as batches."


# %% tags=["hidden"]
import numpy as np

from companion.classroom.questions import Check, Question, Wrong


def exact_original(T):
    from companion.papers.batched.method.sizes import original_sizes as exact

    return list(exact(T))


def exact_power(T, a):
    from companion.papers.batched.method.sizes import power_sizes as exact

    return list(exact(T, a))


def adds_up(sizes, T, *_):
    sizes = sizes.tolist() if isinstance(sizes, np.ndarray) else sizes
    assert isinstance(sizes, list), "a list was asked for"
    assert all(type(size) is int and size > 0 for size in sizes), "the sizes are positive integers"
    assert sum(sizes) == T, "the sizes do not add up to T"


def some_horizons(draw, mine):
    """None at which a root is an integer."""
    cases = []
    while len(cases) < 20:
        T = draw.integer(50, 10**5)
        if all(math.isqrt(T * size) ** 2 != T * size for size in (1, *exact_original(T)[:-1])):
            cases.append((T,))
    return cases


def next_to_squares(draw, mine):
    """T = k² + 1: its root is just above k, and T as a float is k²."""
    return [(draw.integer(10**9, 2 * 10**9) ** 2 + 1,) for _ in range(3)]


def squares(draw, mine):
    return [(draw.integer(8, 400) ** 2,) for _ in range(5)]


def some_settings(draw, mine):
    return [(draw.integer(50, 10**4), draw.decimal(0.3, 0.65, 3)) for _ in range(20)]


def exact_powers(draw, mine):
    """T = n^10 and n^5, where T^{1-a} is an integer for a = 0.2, 0.4, 0.6; the floats miss it for many of them."""
    return [
        (10**5, 0.6),
        (3**5, 0.6),
        (5**5, 0.6),
        (6**5, 0.4),
        (draw.integer(7, 20) ** 5, 0.6),
        (2**10, 0.3),
        (7**4, 0.5),
    ]


def first_horizon(mine):
    T = 2
    while len(exact_power(T, mine["a"])) < mine["batches"]:
        T += 1
    return T


def nearly(T, mine):
    assert type(T) is int, "an integer was asked for"
    assert abs(T - first_horizon(mine)) <= 3, "it is further away from the right number"


# %% tags=["hidden", "q1"]
q1 = Question(
    function="original_sizes",
    example="original_sizes(30)",
    hard="original_sizes(36)",
    checks=[
        Check("the sizes are positive and add up to T", 1, some_horizons, holds=adds_up),
        Check("all sizes at horizons of your own", 1, some_horizons, equals=exact_original),
        Check(
            "horizons that are squares", 1, squares, equals=exact_original, hint="What is the ceiling of an integer?"
        ),
        Check(
            "horizons of 19 digits just above a square",
            2,
            next_to_squares,
            equals=exact_original,
            hint="A float has 53 bits. math.isqrt has as many as it needs.",
        ),
    ],
    wrong=[
        Wrong("root in floats", 3, {"math.isqrt(T * last - 1) + 1": "math.ceil(math.sqrt(T * last))"}),
        Wrong("one too many at squares", 4, {"math.isqrt(T * last - 1) + 1": "math.isqrt(T * last) + 1"}),
        Wrong("floor for ceiling", 1, {"math.isqrt(T * last - 1) + 1": "math.isqrt(T * last)"}),
        Wrong("last batch not cut", 0, {"min(last, rest)": "last"}),
        Wrong(
            "nearest integer for ceiling", 1, {"math.isqrt(T * last - 1) + 1": "(math.isqrt(4 * T * last) + 1) // 2"}
        ),
        Wrong("N_0 counted as a batch", 0, {"[], T, 1": "[1], T, 1"}),
        Wrong("root of what is left", 1, {"math.isqrt(T * last - 1)": "math.isqrt(rest * last - 1)"}),
    ],
)

# %% tags=["hidden", "q2"]
q2 = Question(
    function="power_sizes",
    example="power_sizes(40, 0.5)",
    hard="power_sizes(4**5, 0.6)",
    checks=[
        Check("the sizes are positive and add up to T", 1, some_settings, holds=adds_up),
        Check("all sizes at settings of your own", 1, some_settings, equals=exact_power),
        Check(
            "horizons at which a power is an integer",
            2,
            exact_powers,
            equals=exact_power,
            hint="Compute T ** (1 - a) for T = 10 ** 5 and a = 0.6, and look at all of its digits.",
        ),
    ],
    wrong=[
        Wrong(
            "power in floats",
            2,
            code="""
def power_sizes(T, a):
    sizes, rest = [], T
    while rest > 0:
        sizes.append(min(math.ceil(T ** (1 - a ** (len(sizes) + 1))), rest))
        rest -= sizes[-1]
    return sizes
""",
        ),
        Wrong("a as the binary number", 2, {"Decimal(str(a))": "Decimal(a)"}),
        Wrong("nearest integer for ceiling", 1, {"math.ceil(power)": "int(integer)"}),
        Wrong("exponent of the batch before", 1, {"(len(sizes) + 1)": "len(sizes)"}),
        Wrong("the first exponent for all batches", 1, {"ratio ** (len(sizes) + 1)": "ratio"}),
        Wrong("floor for ceiling", 1, {"math.ceil(power)": "int(power)"}),
        Wrong("last batch not cut", 0, {"min(size, rest)": "size"}),
        Wrong("power of what is left", 1, {"Decimal(T) **": "Decimal(rest) **"}),
        Wrong("sizes as floats", 0, {"return sizes": "return [float(size) for size in sizes]"}),
    ],
)

# %% tags=["hidden", "q3"]
q3 = Question(
    value="smallest_horizon",
    worked={"a": 0.5, "batches": 4},
    checks=[
        Check("to within three", 1, holds=nearly),
        Check("no smaller horizon has as many", 2, equals=first_horizon),
    ],
    wrong=[
        Wrong("one batch too few", 0, {'< mine["batches"]': '< mine["batches"] - 1'}),
        Wrong(  # in floats: with all digits the search for another batch takes too long
            "one batch too many",
            0,
            code="""
mine = numbers("q3")

def count(T):
    rest, number = T, 0
    while rest > 0:
        number += 1
        rest -= min(math.ceil(T ** (1 - mine["a"] ** number)), rest)
    return number

smallest_horizon = 2
while count(smallest_horizon) <= mine["batches"]:
    smallest_horizon += 1
""",
        ),
        Wrong("rounded up to ten thousands", 0, code='smallest_horizon = 10_000 * numbers("q3")["batches"]'),
        Wrong("the number of batches", 0, code='smallest_horizon = numbers("q3")["batches"]'),
        Wrong("one short", 1, {"# BEGIN SOLUTION\n": "", "# END SOLUTION": "smallest_horizon -= 1"}),
        Wrong("one too far", 1, {"# END SOLUTION": "smallest_horizon += 1"}),
        Wrong("as a string", 0, {"# END SOLUTION": "smallest_horizon = str(smallest_horizon)"}),
    ],
)
