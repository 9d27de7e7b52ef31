# %% tags=["assignment"]
TITLE = "A law in whole numbers"
CHAPTER = 4
GOAL = "Round a law to a lattice or to agents without leaving the simplex, and find exactly what that costs at worst."
LEVEL = "intermediate"
MINUTES = 90

# %% [markdown]
# # A law in whole numbers
#
# In chapter 4 (one context) a *law* on $n$ actions is a list of probabilities $\xi_1,\dots,\xi_n\ge0$ that add up to
# one. The proof of Theorem 4.1 of Steinberg et al. (their Appendix A) replaces it by a law whose probabilities are
# multiples of $1/\tau$, with a whole number $\tau\ge1$, and needs
#
# $$\|[\xi]-\xi\|_1=\sum_i\big|[\xi]_i-\xi_i\big|$$
#
# to be small. The paper rounds every coordinate by itself, prints the bound $n/\tau$, and what comes out need not be a
# law. The chapter repairs this by *largest remainders*: every $\tau\xi_i$ is rounded down, and the multiples that are
# still missing go, one each, to the largest fractional parts; of equal parts the one with the lowest index comes first.
# The bound is then $n/(2\tau)$.
#
# The same rule shares out agents: with $\tau=M$ agents, $M[\xi]_i$ of them take action $i$.
#
# To keep rounding errors out, a law is given by whole numbers: `weights` is a list of non-negative integers, not all
# zero, and $\xi_i=$ `weights[i] / sum(weights)`.

# %% tags=["setup"]
import random
from fractions import Fraction

from selfcheck import numbers


def own_law(mine, prediction):
    """Weights of the six actions of question 4, from your numbers and from your prediction."""
    luck = random.Random(f"{mine['seed']} {prediction}")
    return [1 + int(100_000 * luck.random() ** 2) for _ in range(6)]


# %% [markdown] tags=["question", "q1"]
# ## 1. Largest remainders
#
# Write `round_law(weights, tau)`. It returns the list of the integers $\tau[\xi]_i$, which add up to `tau`. The weights
# may have twenty digits and more.


# %% tags=["answer", "q1"]
def round_law(weights, tau):
    """Multiples of 1/tau for every action: a list of integers that add up to tau."""
    # BEGIN SOLUTION
    total = sum(weights)
    counts = [tau * weight // total for weight in weights]
    parts = [tau * weight % total for weight in weights]  # fractional parts, in units of 1/total
    order = sorted(range(len(weights)), key=lambda i: (-parts[i], i))
    for i in order[: tau - sum(counts)]:
        counts[i] += 1
    return counts
    # END SOLUTION


# %% [markdown] tags=["hint", "q1"]
# Floor of $\tau\xi_i$ in whole numbers is `tau * weight // total`. What is the fractional part, in units of `1 /
# total`?
#
# How many multiples are missing after rounding down? Sort the actions so that those come first which get one.
#
# To break ties by the lowest index, sort by pairs: minus the part, then the index.


# %% tags=["public", "q1"]
def public_q1(round_law):
    counts = round_law([5, 3, 2], 7)
    assert isinstance(counts, list), "round_law should return a list."
    assert all(type(count) is int for count in counts), "The numbers should be Python integers."
    assert len(counts) == 3, "There should be one number for every action."
    assert sum(counts) == 7, "The numbers should add up to tau."
    assert round_law([5, 3, 2], 10) == [5, 3, 2], "A law that is on the lattice already should stay as it is."


# %% [markdown] tags=["question", "q2"]
# ## 2. The law that suffers most
#
# The bound $n/(2\tau)$ is not always attained. Write `worst_law(n, tau)`, which returns the weights of a law on `n`
# $\ge2$ actions whose rounding to multiples of 1/`tau` by largest remainders has the largest error $\|[\xi]-\xi\|_1$
# that any law on so many actions has. Think of even and of odd $n$, and of $\tau$ much smaller than $n$. Any law that
# attains the largest error is right. Weights below $10^{30}$, please.


# %% tags=["answer", "q2"]
def worst_law(n, tau):
    """Weights of a law on n actions with the largest rounding error: a list of n non-negative integers."""
    # BEGIN SOLUTION
    missing = min(tau, n // 2)  # so many multiples are missing after rounding down
    weights = [missing] * n  # the law times n * tau, so that every fractional part is missing / n
    weights[0] += n * (tau - missing)
    return weights
    # END SOLUTION


# %% [markdown] tags=["hint", "q2"]
# Let $k$ multiples be missing. What goes up in all is what goes down. So what is the error, in terms of the parts
# that go down?
#
# The $n-k$ smallest of $n$ parts with sum $k$ have a sum of at most how much? When is that attained?
#
# Which $k$ is best, and can $k$ be larger than $\tau$? Then write down weights whose parts are all equal.


# %% tags=["public", "q2"]
def public_q2(worst_law):
    for n, tau in ((4, 9), (5, 9), (9, 2)):
        weights = worst_law(n, tau)
        assert isinstance(weights, list), "worst_law should return a list."
        assert len(weights) == n, "There should be one weight for every action."
        assert all(type(weight) is int for weight in weights), "The weights should be Python integers."
        assert min(weights) >= 0, "No weight should be negative."
        assert sum(weights) > 0, "At least one weight should be positive."


# %% [markdown] tags=["solution", "q2"]
# *Why.* Let $r_i$ be the fractional part of $\tau\xi_i$ and $k=\sum_ir_i$, a whole number. The $k$ largest parts go up,
# the others down. What goes up in all is what goes down, so the error is $2\tau^{-1}\sum_{\text{down}}r_i$; the parts
# that go down are the $n-k$ smallest, so their sum is at most $(n-k)k/n$, with equality if all parts are equal. So the
# error is at most $2k(n-k)/(n\tau)$. Here $k\le\tau$, as the parts are parts of $\tau$, and $k(n-k)$ grows up to $n/2$:
# the best choice is $k=\min(\tau,\lfloor n/2\rfloor)$. The chapter's exercise *Rounding a law* has the proof for large
# $\tau$.

# %% [markdown] tags=["question", "q3"]
# ## 3. One more agent, one fewer
#
# When $M$ agents share out a law by largest remainders and one more agent joins, an action can *lose* an agent. Find
# such a case on three actions: set
#
# `paradox = {"weights": [w0, w1, w2], "agents": M}`
#
# so that of $M+1$ agents strictly fewer take action number `mine["loser"]` (counted from 0) than of $M$. The weights
# are integers from 1 to $10^6$, and `mine["least"]` $\le M\le10^6$. No tie may decide, neither for $M$ nor for $M+1$
# agents: every fractional part that goes up is strictly larger than every one that does not. And the weights add up to
# your `mine["total"]`.


# %% tags=["numbers", "q3"]
def numbers_q3(draw):
    return {"least": draw.integer(40, 400), "loser": draw.integer(0, 2), "total": draw.integer(300, 2000)}


# %% tags=["answer", "q3"]
mine = numbers("q3")
# BEGIN SOLUTION
# Two large shares and a small one: the large ones grow faster with the number of agents, and overtake it.


def loses(weights, agents, loser):
    """Whether the action loses an agent to one more agent, and no tie decides."""
    total, counts = sum(weights), []
    for number in (agents, agents + 1):
        parts = sorted((number * weight % total for weight in weights), reverse=True)
        missing = sum(parts) // total
        if missing and parts[missing - 1] == parts[missing]:
            return False
        counts.append(round_law(weights, number)[loser])
    return counts[1] < counts[0]


paradox = None
small = mine["total"] // 7
while paradox is None:
    large = (mine["total"] - small) // 2
    weights = [large, mine["total"] - small - large]
    weights.insert(mine["loser"], small)
    for agents in range(mine["least"], mine["least"] + 60):
        if loses(weights, agents, mine["loser"]):
            paradox = {"weights": weights, "agents": agents}
            break
    small -= 1
# END SOLUTION


# %% [markdown] tags=["hint", "q3"]
# A large share grows faster with $M$ than a small one. So let the action that loses be the small one.
#
# With weights 3, 3, 1 look at $M=10$ and $M=11$ by hand. Why does the pattern come again?
#
# Your total is not a multiple of seven. Search: weights near 3 : 3 : 1 that add up to it, and $M$ from `least`
# upwards, with your function of question 1.


# %% tags=["public", "q3"]
def public_q3(paradox, mine):
    assert isinstance(paradox, dict), "Your paradox should be a dict."
    assert set(paradox) == {"weights", "agents"}, "Its keys should be weights and agents."
    assert len(paradox["weights"]) == 3, "There should be three weights."
    assert all(type(number) is int and 1 <= number <= 10**6 for number in paradox["weights"]), (
        "The weights should be integers from 1 to 10^6."
    )
    assert sum(paradox["weights"]) == mine["total"], "The weights should add up to your total."
    assert type(paradox["agents"]) is int, "The number of agents should be a Python integer."
    assert mine["least"] <= paradox["agents"] <= 10**6, "The number of agents should lie between your least and 10^6."


# %% [markdown] tags=["solution", "q3"]
# With weights 3, 3, 1 and $M=10$ the exact shares are $4\tfrac27,4\tfrac27,1\tfrac37$: the one missing agent goes to
# the small action. With $M=11$ they are $4\tfrac57,4\tfrac57,1\tfrac47$, two agents are missing, and the large actions
# get them. A large share grows faster with $M$ than a small one, and overtakes it. Politics knows this as the Alabama
# paradox.

# %% [markdown] tags=["question", "q4"]
# ## 4. A law of your own
#
# Six actions and $\tau=1,2,\dots,300$ agents. First predict: for how many $\tau$ from 1 to 299 does some action lose an
# agent when one more joins? Then let `weights = own_law(mine, prediction)`, draw the error $\|[\xi]-\xi\|_1$ against $\tau$
# with the bound $n/(2\tau)$ as a second line (both axes logarithmic), and set `my_run` to a dict with the keys
#
# - `"prediction"`, a whole number from 0 to 299,
# - `"first"`, the list of what `round_law` makes of them for $\tau=1000$,
# - `"error"`, $\tau\,\|[\xi]-\xi\|_1$ summed over all $\tau$ from 1 to 300,
# - `"losses"`, the number of $\tau$ from 1 to 299 for which some action has fewer of $\tau+1$ agents than of $\tau$.
#
# *Type* the numbers that were printed, with four digits after the point. The law is drawn from your id and from your
# prediction, so predict first; how near you come earns nothing. When this is graded, `numbers("q4")` gives other numbers
# than yours: what counts is what you typed.


# %% tags=["numbers", "q4"]
def numbers_q4(draw):
    return {"seed": draw.integer(10**8, 10**9 - 1)}


# %% tags=["answer", "q4"]
mine = numbers("q4")
# BEGIN SOLUTION
prediction = 20
weights = own_law(mine, prediction)
total = sum(weights)
counts = {tau: round_law(weights, tau) for tau in range(1, 301)}
error = sum(abs(Fraction(tau * w, total) - n) for tau, row in counts.items() for w, n in zip(weights, row, strict=True))
losses = sum(any(a > b for a, b in zip(counts[tau], counts[tau + 1], strict=True)) for tau in range(1, 300))
my_run = {
    "prediction": prediction,
    "first": round_law(weights, 1000),
    "error": float(error),
    "losses": losses,
}  # yours: as printed
# END SOLUTION


# %% [markdown] tags=["hint", "q4"]
# With six actions usually two or three agents are missing after rounding down. For an action to lose one, two others have
# to overtake its fractional part at the same step, or one that goes to the next whole number must not.
#
# Your function of question 1 gives all counts. A dict with an entry for each $\tau$ keeps them.


# %% tags=["public", "q4"]
def public_q4(my_run, mine):
    assert isinstance(my_run, dict), "Your my_run should be a dict."
    assert set(my_run) == {"prediction", "first", "error", "losses"}, (
        "Its keys should be prediction, first, error and losses."
    )
    assert type(my_run["prediction"]) is int, "The prediction should be a whole number."
    assert 0 <= my_run["error"] <= 900, "By the bound the sum of the errors should be at most 3 times 300."


# %% [markdown] tags=["question", "q5"]
# ## 5. Which rule would you use?
#
# Set `why` to a text of 40 to 150 words. Largest remainders have the smallest error, and yet an action can lose an
# agent when one more agent joins. For a city that shares out buses over lines week by week, would you use the rule?
# Say what the paradox costs there, and what another rule would cost. What does your picture of question 4 show, with two
# numbers, and how far was your prediction off?


# %% tags=["answer", "q5"]
# BEGIN SOLUTION
why = """The rule stays as near to the law as whole numbers can, which is what the proof needs. But a city that buys one more
bus and takes one from a small line will be asked why. With a rule that gives each further bus to the line that
deserves it most, such as one that divides by the number it has, no line ever loses one when the fleet grows, but a
large line may get more than its share rounded up. In my picture the error is mostly half of the bound, and at 10 agents it
is 0.11. There were 31 losses in 299 steps, where I had predicted 20: for the city I would take the other rule, and for a
proof largest remainders."""
# END SOLUTION


# %% tags=["public", "q5"]
def public_q5(why):
    assert isinstance(why, str), "Your answer should be a text between quotes."
    words = len(why.split())
    assert 40 <= words <= 150, f"Your text has {words} words; 40 to 150 were asked for."


# %% tags=["hidden"]
from companion.classroom.own_runs import own_run
from companion.classroom.questions import Check, Question, Wrong


def package_rounding(weights, tau):
    import numpy as np

    from companion.papers.meanfield.method.agents import largest_remainder

    return [int(count) for count in largest_remainder(np.array(weights) / sum(weights), tau)]


def whole_parts(weights, tau):
    """Integers below tau * xi_i, fractional parts in units of 1/sum(weights)."""
    total = sum(weights)
    return [tau * weight // total for weight in weights], [tau * weight % total for weight in weights]


def counts_of(answer, weights):
    assert isinstance(answer, list), "a list was asked for"
    assert len(answer) == len(weights), "one number for every action was asked for"
    assert all(type(count) is int for count in answer), "the numbers are integers"
    return answer


def on_the_lattice(answer, weights, tau):
    counts = counts_of(answer, weights)
    assert all(count >= 0 for count in counts), "a number is negative"
    assert sum(counts) == tau, "the numbers do not add up to tau"


def up_or_down(answer, weights, tau):
    counts = counts_of(answer, weights)
    down, parts = whole_parts(weights, tau)
    for count, low, part in zip(counts, down, parts, strict=True):
        assert count in (low, low + (part > 0)), "a number is not next to tau times its probability"


def by_remainders(answer, weights, tau):
    """All that defines the rule, in whole numbers: next to tau xi, of sum tau, the largest parts up, ties to the first."""
    counts = counts_of(answer, weights)
    down, parts = whole_parts(weights, tau)
    ups = [count - low for count, low in zip(counts, down, strict=True)]
    assert all(up in (0, 1) for up in ups), "a number is not next to tau times its probability"
    assert sum(counts) == tau, "the numbers do not add up to tau"
    ranks = [(-part, i) for i, part in enumerate(parts)]
    last_up = max([rank for rank, up in zip(ranks, ups, strict=True) if up], default=(-sum(weights), -1))
    first_down = min([rank for rank, up in zip(ranks, ups, strict=True) if not up], default=(1, 0))
    assert last_up < first_down, "the missing multiples go to other actions"


def some_laws(draw, mine):
    cases = []
    while len(cases) < 20:
        weights = [draw.integer(1, 1000) for _ in range(draw.integer(4, 8))]
        tau = draw.integer(9, 99)
        _, parts = whole_parts(weights, tau)
        if len({0, *parts}) == len(parts) + 1:  # no ties and no whole numbers, so that floats will do
            cases.append((weights, tau))
    return cases


def laws_with_ties(draw, mine):
    odd = [2 * draw.integer(1, 40) + 1 for _ in range(2 * draw.integer(3, 5))]
    return [
        ([29, 71], 50),
        ([2, 1, 1], 2),
        ([1, 9, 5, 5], 10),
        ([7, 27, 1, 65], 50),
        ([draw.integer(1, 9)] * 7, 7 * draw.integer(2, 9) + 3),
        (odd, sum(odd) // 2),  # all parts are one half
    ]


def long_weights(draw, mine):
    cases = []
    for _ in range(3):
        first = draw.integer(10**20, 10**21)
        cases.append(([first, first + 1, first + 2, 3 * (first + 1)], 6 * draw.integer(1, 30) + 2))
    return cases


def error_of(weights, tau):
    """Exact error of largest remainders; which of tied parts goes up does not change it."""
    from fractions import Fraction as Exact

    total = sum(weights)
    down, parts = whole_parts(weights, tau)
    ordered = sorted(parts, reverse=True)
    missing = tau - sum(down)
    return Exact(sum(total - part for part in ordered[:missing]) + sum(ordered[missing:]), total * tau)


def largest_error(n, tau):
    """max over the number k of multiples that are missing, of the bound 2 k (n - k) / (n tau)."""
    from fractions import Fraction as Exact

    return max(Exact(2 * k * (n - k), n * tau) for k in range(min(n, tau) + 1))


def suffers_most(answer, n, tau):
    assert isinstance(answer, list), "a list was asked for"
    assert len(answer) == n, "one weight for every action was asked for"
    assert all(type(weight) is int and 0 <= weight < 10**30 for weight in answer), (
        "weights are integers from 0 to 10^30"
    )
    assert sum(answer) > 0, "all weights are zero"
    assert error_of(answer, tau) == largest_error(n, tau), "there is a law with a larger error"


def even_counts(draw, mine):
    cases = []
    while len(cases) < 8:
        n, tau = 2 * draw.integer(2, 15), draw.integer(30, 200)
        if tau % n != n // 2:  # there the uniform law is right
            cases.append((n, tau))
    return cases


def odd_counts(draw, mine):
    cases = []
    while len(cases) < 8:
        n, tau = 2 * draw.integer(2, 15) + 1, draw.integer(31, 200)
        if tau % n not in (n // 2, n // 2 + 1):
            cases.append((n, tau))
    return cases


def few_parts(draw, mine):
    return [(draw.integer(20, 40), draw.integer(2, 9)) for _ in range(5)] + [(9, 3), (12, 5)]


def case_of(paradox):
    assert isinstance(paradox, dict), "a dict was asked for"
    assert set(paradox) == {"weights", "agents"}, "the keys are weights and agents"
    weights, agents = list(paradox["weights"]), paradox["agents"]
    assert len(weights) == 3, "three actions were asked for"
    assert all(type(weight) is int and 1 <= weight <= 10**6 for weight in weights), (
        "weights are integers from 1 to 10^6"
    )
    assert sum(weights) <= 10**6, "the weights add up to more than a million"
    assert type(agents) is int, "the number of agents is an integer"
    assert 1 <= agents <= 10**6, "the number of agents is out of range"
    return weights, agents


def shares(weights, agents):
    """Counts by largest remainders, and whether a tie decides."""
    down, parts = whole_parts(weights, agents)
    order = sorted(range(len(weights)), key=lambda i: (-parts[i], i))
    missing = agents - sum(down)
    tie = missing > 0 and parts[order[missing - 1]] == parts[order[missing]]
    return [count + (i in order[:missing]) for i, count in enumerate(down)], tie


def somebody_loses(paradox, mine):
    weights, agents = case_of(paradox)
    before, after = shares(weights, agents)[0], shares(weights, agents + 1)[0]
    assert any(new < old for old, new in zip(before, after, strict=True)), "no action has fewer agents than before"


def mine_loses(paradox, mine):
    weights, agents = case_of(paradox)
    before, after = shares(weights, agents)[0], shares(weights, agents + 1)[0]
    assert after[mine["loser"]] < before[mine["loser"]], "your action has no fewer agents than before"


def large_enough(paradox, mine):
    mine_loses(paradox, mine)
    assert case_of(paradox)[1] >= mine["least"], "there are too few agents"


def no_tie(paradox, mine):
    mine_loses(paradox, mine)
    weights, agents = case_of(paradox)
    assert sum(weights) == mine["total"], "the weights do not add up to your total"
    assert not shares(weights, agents)[1], "a tie decides who gets the last of M"
    assert not shares(weights, agents + 1)[1], "a tie decides who gets the last of M + 1"


# %% tags=["hidden", "q1"]
q1 = Question(
    function="round_law",
    example="round_law([5, 3, 3, 1], 7)",
    hard="round_law([10**20 + 1, 10**20, 10**20 + 2], 4)",
    checks=[
        Check("the numbers add up to tau", 1, some_laws, holds=on_the_lattice),
        Check("every number is next to tau times its probability", 1, some_laws, holds=up_or_down),
        Check("laws of your own, without ties", 2, some_laws, equals=package_rounding),
        Check(
            "equal fractional parts",
            1,
            laws_with_ties,
            holds=by_remainders,
            hint="Which of 29 and 71 in 100 goes up for tau = 50? Both parts are one half: compare whole numbers.",
        ),
        Check(
            "weights of 21 digits",
            1,
            long_weights,
            holds=by_remainders,
            hint="Floats cannot tell such weights apart. Python's integers can: look at // and %.",
        ),
    ],
    wrong=[
        Wrong(
            "every probability to its nearest multiple",
            1,
            code="""
def round_law(weights, tau):
    return [round(Fraction(tau * weight, sum(weights))) for weight in weights]
""",
        ),
        Wrong(
            "all that is missing to the first",
            1,
            {"    for i in order[: tau - sum(counts)]:\n        counts[i] += 1": "    counts[0] += tau - sum(counts)"},
        ),
        Wrong("one each to the first", 2, {"(-parts[i], i)": "i"}),
        Wrong("one each to the likeliest", 2, {"(-parts[i], i)": "(-weights[i], i)"}),
        Wrong("the smallest parts go up", 2, {"(-parts[i], i)": "(parts[i], i)"}),
        Wrong("ties to the last", 5, {"(-parts[i], i)": "(-parts[i], -i)"}),
        Wrong("parts relative to the weights", 3, {"(-parts[i], i)": "(-Fraction(parts[i], weights[i]), i)"}),
        Wrong("what is missing is left out", 1, {"order[: tau - sum(counts)]": "order[:0]"}),
        Wrong(
            "parts in floats",
            4,
            {"tau * weight % total for": "tau * (weight / total) % 1 for"},
        ),
        Wrong("the law itself", 0, {"return counts": "return [count / tau for count in counts]"}),
    ],
)

# %% tags=["hidden", "q2"]
q2 = Question(
    function="worst_law",
    example="worst_law(2, 3)",
    hard="worst_law(5, 1)",
    several=True,
    checks=[
        Check("an even number of actions", 2, even_counts, holds=suffers_most),
        Check(
            "an odd number of actions",
            2,
            odd_counts,
            holds=suffers_most,
            hint="Not all fractional parts can be one half: they add up to a whole number.",
        ),
        Check(
            "fewer parts than half of the actions",
            1,
            few_parts,
            holds=suffers_most,
            hint="How many multiples can be missing at most?",
        ),
    ],
    wrong=[
        Wrong(
            "the uniform law",
            1,
            code="""
def worst_law(n, tau):
    return [1] * n
""",
        ),
        Wrong("half of the actions, however few the parts", 4, {"min(tau, n // 2)": "n // 2"}),
        Wrong(
            "all parts one half, for odd n too",
            3,
            code="""
def worst_law(n, tau):
    weights = [1] * n
    weights[0] += max(0, 2 * tau - n)
    return weights
""",
        ),
        Wrong(
            "half of the parts one half, the others zero",
            0,
            code="""
def worst_law(n, tau):
    weights = [1] * n
    for i in range(0, n // 2):
        weights[i] = 0
    weights[-1] += max(0, 2 * tau - sum(weights))
    return weights
""",
        ),
        Wrong("one more than half", 3, {"n // 2)": "n // 2 + 1)"}),
        Wrong("as many as can be missing", 1, {"min(tau, n // 2)": "min(tau, n - 1)"}),
        Wrong("one multiple missing", 0, {"min(tau, n // 2)": "1"}),
        Wrong(
            "everybody in one action",
            0,
            code="""
def worst_law(n, tau):
    return [tau] + [0] * (n - 1)
""",
        ),
        Wrong("probabilities for weights", 0, {"return weights": "return [weight / (n * tau) for weight in weights]"}),
        Wrong("whole multiples in other units than the parts", 1, {"n * (tau - missing)": "tau - missing"}),
    ],
)

# %% tags=["hidden", "q3"]
q3 = Question(
    value="paradox",
    checks=[
        Check("some action loses an agent", 1, holds=somebody_loses),
        Check("your action loses an agent", 1, holds=mine_loses),
        Check("and that with as many agents as asked for", 1, holds=large_enough),
        Check("and no tie decides, with weights of your total", 2, holds=no_tie),
    ],
    wrong=[
        Wrong(
            "too few agents",
            4,
            {
                'range(mine["least"], mine["least"] + 60)': "range(1, 39)",
                "small -= 1": "small -= 1 if small > 20 else -mine['total'] // 5",
            },
        ),
        Wrong("another action loses", 1, {"# END SOLUTION": 'paradox["weights"].append(paradox["weights"].pop(0))'}),
        Wrong("one agent later", 0, {"# END SOLUTION": 'paradox["agents"] += 1'}),
        Wrong(
            "weights of another total",
            3,
            code="""
mine = numbers("q3")
paradox = {"weights": [3, 3, 3], "agents": 10}
paradox["weights"][mine["loser"]] = 1
while paradox["agents"] < mine["least"]:
    paradox["agents"] += 7
""",
        ),
        Wrong("twice the weights", 3, {"# END SOLUTION": 'paradox["weights"] = [2 * w for w in paradox["weights"]]'}),
        Wrong(
            "two equal shares and a large one",
            0,
            code="""
mine = numbers("q3")
paradox = {"weights": [1, 1, 1], "agents": 3 * mine["least"] + 1}
paradox["weights"][mine["loser"]] = 4
""",
        ),
        Wrong(
            "the share of the agents falls, not their number",
            0,
            code="""
mine = numbers("q3")
paradox = {"weights": [6, 6, 6], "agents": 7 * mine["least"]}
paradox["weights"][mine["loser"]] = 2
""",
        ),
        Wrong(
            "a law of probabilities", 0, {"# END SOLUTION": 'paradox["weights"] = [w / 7 for w in paradox["weights"]]'}
        ),
        Wrong("an action that nobody takes", 0, {"# END SOLUTION": 'paradox["weights"][mine["loser"]] = 0'}),
    ],
)


# %% tags=["hidden", "q4"]
def package_run(mine, prediction):
    weights = own_law(mine, prediction)
    rows = {tau: shares(weights, tau)[0] for tau in range(1, 301)}
    losses = sum(any(a > b for a, b in zip(rows[tau], rows[tau + 1], strict=True)) for tau in range(1, 300))
    error = float(sum(tau * error_of(weights, tau) for tau in rows))
    return {"first": shares(weights, 1000)[0], "error": error, "losses": losses}


q4 = own_run(
    "my_run",
    package_run,
    0,
    299,
    [
        ("a prediction, and the law that follows from it", 1, ["first"]),
        ("the errors of rounding", 1, ["error"]),
        ("how often somebody loses an agent", 2, ["losses"]),
    ],
    [
        Wrong("one agent more", 2, {"in range(1, 300))": "in range(1, 300)) + 1"}),
        Wrong("the mean of the errors", 1, {"float(error)": "float(error) / 300"}),
        Wrong("gains for losses", 2, {"any(a > b": "any(a < b"}),
    ],
)

# %% tags=["hidden", "q5"]
q5 = Question(
    value="why",
    rubric=[
        ("What the paradox costs in the example", 1),
        ("What is lost with another rule, and a decision that follows", 2),
        ("What the picture of the own run shows, with two numbers, and how far the prediction was off", 2),
    ],
)
