# %% tags=["assignment"]
TITLE = "The worst mean over a ball of laws"
CHAPTER = 5
GOAL = "Solve the inner problem of robust optimisation exactly, certify it by its dual, and see where a penalty misjudges it."
LEVEL = "advanced"
MINUTES = 120

# %% [markdown]
# # The worst mean over a ball of laws
#
# A decision's reward depends on a context, which takes one of $m$ values $s_1,\dots,s_m$ on the line, all different. In
# context $s_j$ the reward is $u_j$. The law of the contexts is known only roughly: a *centre* $p=(p_1,\dots,p_m)$ and a
# radius $\varepsilon\ge0$. The *worst mean* is
#
# $$W(\varepsilon)=\min\Big\{\sum_jq_ju_j:\ q\text{ a law on }s_1,\dots,s_m\text{ with }d_W(q,p)\le\varepsilon\Big\},$$
#
# where $d_W$ is the Wasserstein distance of type 1: the mass of $p$ is moved to make $q$, and the mass moved times the
# distance, summed up, is at most $\varepsilon$. With $\pi_{ij}\ge0$ for the mass that goes from $s_i$ to $s_j$ (where
# $i=j$: stays),
#
# $$W(\varepsilon)=\min_\pi\Big\{\sum_{ij}\pi_{ij}u_j:\ \sum_j\pi_{ij}=p_i\text{ for all }i,\ \sum_{ij}\pi_{ij}|s_i-s_j|\le\varepsilon\Big\}.$$
#
# Robust optimisation would play the decision with the largest $W(\varepsilon)$. Micheli et al. put a penalty in its
# place (chapter 5; their Lemma 2, and equation (13) of their Algorithm 1): they play the decision with the largest
# $\sum_jp_ju_j-\varepsilon L$, where
#
# $$L=\max_{i\ne j}\frac{|u_i-u_j|}{|s_i-s_j|}$$
#
# is the Lipschitz constant of the reward. By Lemma 2, $W(\varepsilon)\ge\sum_jp_ju_j-\varepsilon L$.

# %% tags=["setup"]
import math
import random

import numpy as np
from selfcheck import numbers


def own_rewards(mine, prediction):
    """Rewards of 200 decisions in eleven contexts, an array, from your numbers and from your prediction."""
    luck = random.Random(f"{mine['seed']} {prediction}")
    rewards = np.cumsum([[luck.random() - 0.5 for _ in range(11)] for _ in range(200)], axis=1)
    return rewards - rewards @ np.array(mine["weights"])[:, None]


# %% [markdown] tags=["question", "q1"]
# ## 1. The worst mean
#
# Write `worst_mean(values, support, weights, radius)`, which returns $W(\varepsilon)$ as a float, right to $10^{-7}$.
# `values`, `support` and `weights` are arrays of $m\le40$ numbers: the $u_j$, the $s_j$ in any order, and the $p_j$,
# some of which may be zero. Mass may go where there was none.
#
# It is a linear program. But there is also a fast way without one: think of what a unit of mass at $s_i$ gains by a
# trip of a given length, and spend the radius where it gains most. The helper `trips` is for that way; your answer may
# do without it.


# %% tags=["answer", "q1"]
def trips(values, support, weights):
    """Steps (gain per distance, distance) of all atoms, the most profitable first."""
    # BEGIN SOLUTION
    steps = []
    for place, mass in zip(support, weights, strict=True):
        if mass == 0:
            continue
        lengths = np.abs(support - place)
        at = int(np.argmin(lengths))
        while True:  # along the lower convex hull of the points (length of a trip, value there)
            further = np.flatnonzero((lengths > lengths[at]) & (values < values[at]))
            if not len(further):
                break
            gains = (values[at] - values[further]) / (lengths[further] - lengths[at])
            best = int(further[np.argmax(gains)])
            steps.append((float(gains.max()), float(mass * (lengths[best] - lengths[at]))))
            at = best
    return sorted(steps, reverse=True)
    # END SOLUTION


def worst_mean(values, support, weights, radius):
    """The smallest mean of the values over the ball, a float."""
    # BEGIN SOLUTION
    mean = float(values @ weights)
    for gain, distance in trips(values, support, weights):
        spent = min(distance, radius)
        mean -= gain * spent
        radius -= spent
    return mean
    # END SOLUTION


# %% [markdown] tags=["hint", "q1"]
# As a linear program: the unknowns are the $\pi_{ij}$, with a row of equations for each $i$ and one inequality.
# `scipy.optimize.linprog` does it.
#
# The fast way: for the mass at $s_i$, draw the points (length of a trip, value at its end). Mixing trips gives the
# lower convex hull.
#
# Each piece of such a hull has a slope: what a unit of distance gains. Sort the pieces of all atoms by slope, and
# spend the radius on the steepest first.


# %% tags=["public", "q1"]
def public_q1(worst_mean):
    import numpy as np

    values, support = np.array([0.3, -0.2, 0.9, 0.1]), np.array([0.0, 0.5, 0.7, 1.0])
    weights = np.array([0.4, 0.0, 0.5, 0.1])
    value = worst_mean(values, support, weights, 0.1)
    assert isinstance(value, float), "worst_mean should return a float."
    assert value < values @ weights, "The worst mean should be below the mean, since mass can move to smaller values."
    assert value > values.min(), (
        "The worst mean should be above the smallest value, since the ball is too small to move all mass there."
    )
    assert value >= worst_mean(values, support, weights, 0.2), "A larger ball should not have a larger worst mean."


# %% [markdown] tags=["solution", "q1"]
# For one unit of mass at $s_i$, draw the points $(|s_i-s_j|,u_j)$. The least mean value for a mean length of $x$,
# mixing trips, is the lower convex hull of these points, at $x$. Its slopes get flatter with $x$, so the most
# profitable steps can be taken first, over all atoms, and each step is available when it is its turn. That is the
# function `trips`.

# %% [markdown] tags=["question", "q2"]
# ## 2. A certificate
#
# Every $\lambda\ge0$ gives a lower bound of the worst mean, which anybody can check in a line:
#
# $$W(\varepsilon)\ge\varphi(\lambda)=-\lambda\varepsilon+\sum_ip_i\min_j\big(u_j+\lambda|s_i-s_j|\big).$$
#
# Write `multiplier(values, support, weights, radius)`, which returns a $\lambda$, from 0 to $L$, with
# $\varphi(\lambda)\ge W(\varepsilon)-10^{-7}$. There always is one, also for radius 0 and for a radius so large that
# all mass can go to the smallest value. Where there are several, any will do.


# %% tags=["answer", "q2"]
def multiplier(values, support, weights, radius):
    """A lambda whose dual value is the worst mean, a float."""
    # BEGIN SOLUTION
    for gain, distance in trips(values, support, weights):
        radius -= distance
        if radius < 0:
            return gain  # what a little more radius would gain
    return 0.0
    # END SOLUTION


# %% [markdown] tags=["hint", "q2"]
# $\lambda$ is what a little more radius would gain. In the fast way that is the slope of the piece on which the
# radius ends.
#
# In the linear program it is the marginal of the inequality, with its sign.
#
# What is it when the radius is larger than all that can be spent?


# %% tags=["public", "q2"]
def public_q2(multiplier):
    import numpy as np

    values, support = np.array([0.3, -0.2, 0.9, 0.1]), np.array([0.0, 0.5, 0.7, 1.0])
    weights = np.array([0.4, 0.0, 0.5, 0.1])
    for radius in (0.0, 0.1, 2.0):
        value = multiplier(values, support, weights, radius)
        assert isinstance(value, float), "multiplier should return a float."
        assert 0 <= value <= 7, "The multiplier should lie between 0 and L, which is less than 7 here."


# %% [markdown] tags=["solution", "q2"]
# *Why a bound.* For a plan $\pi$ of cost at most $\varepsilon$,
# $\sum\pi_{ij}u_j\ge\sum\pi_{ij}(u_j+\lambda|s_i-s_j|)-\lambda\varepsilon\ge\varphi(\lambda)$. *When equal:* $W$ is
# convex and piecewise linear in $\varepsilon$, and $-\lambda$ is its slope. With $\lambda=L$ no trip pays, and the
# bound is the penalty $\sum_ip_iu_i-\varepsilon L$: the paper's rule is the dual at one multiplier, which is the right
# one where a little more radius gains $L$.

# %% [markdown] tags=["question", "q3"]
# ## 3. How often does it matter?
#
# From here on the contexts are $0,0.1,\dots,1$ (eleven of them), with your own centre `mine["weights"]` and radius
# `mine["radius"]`. The penalty charges $\varepsilon L$ where the worst case costs $\sum_jp_ju_j-W(\varepsilon)$. Chance makes
# 200 decisions, all with the mean 0 under your centre, and pairs them: decisions 0 and 1, 2 and 3, and so on. First predict: in how many of the 100 pairs do the
# penalty and the worst mean prefer different decisions? Then let `rewards = own_rewards(mine, prediction)`, draw what the
# worst case costs against what the penalty charges, a point for each decision, and set `my_run` to a dict with the keys
#
# - `"prediction"`, a whole number from 0 to 100,
# - `"first"`, $W(\varepsilon)$ of decision 0,
# - `"share"`, the mean over all decisions of the cost divided by the charge,
# - `"differ"`, the number of pairs in which the two rules prefer different decisions.
#
# *Type* the numbers that were printed, with four digits after the point. The rewards are drawn from your id and from your
# prediction, so predict first; how near you come earns nothing. When this is graded, `numbers("q3")` gives other numbers
# than yours: what counts is what you typed.


# %% tags=["numbers", "q3"]
def numbers_q3(draw):
    places = sorted(draw.shuffled([2, 3, 4, 5, 6, 7, 8])[:3])
    first, second = draw.integer(20, 45), draw.integer(20, 35)
    hundredths = dict(zip(places, (first, second, 100 - first - second), strict=True))
    return {
        "weights": [hundredths.get(place, 0) / 100 for place in range(11)],
        "radius": draw.decimal(0.05, 0.095, 3),
        "seed": draw.integer(10**8, 10**9 - 1),
    }


# %% tags=["answer", "q3"]
mine = numbers("q3")
# BEGIN SOLUTION
prediction = 20
rewards = own_rewards(mine, prediction)
contexts, weights, radius = np.arange(11) / 10, np.array(mine["weights"]), mine["radius"]
mean, worst = rewards @ weights, np.array([worst_mean(u, contexts, weights, radius) for u in rewards])
charge = radius * np.abs(np.diff(rewards, axis=1)).max(axis=1) / 0.1
by_rule, by_worst = ((score[::2] > score[1::2]) for score in (mean - charge, worst))
my_run = {"prediction": prediction, "first": float(worst[0]), "share": float(np.mean((mean - worst) / charge))}
my_run["differ"] = int(np.sum(by_rule != by_worst))  # yours holds what was printed
# END SOLUTION


# %% [markdown] tags=["hint", "q3"]
# On a sorted line $L$ is the steepest slope between neighbours.
#
# The means are the same, so only cost and charge decide. If they had nothing to do with each other, half of the pairs would
# differ.


# %% tags=["public", "q3"]
def public_q3(my_run, mine):
    assert isinstance(my_run, dict), "Your my_run should be a dict."
    assert set(my_run) == {"prediction", "first", "share", "differ"}, (
        "Its keys should be prediction, first, share and differ."
    )
    assert type(my_run["prediction"]) is int, "The prediction should be a whole number."
    assert 0 <= my_run["share"] <= 1, "By Lemma 2 the worst case costs no more than the penalty charges."


# %% [markdown] tags=["question", "q4"]
# ## 4. Where the penalty decides otherwise
#
# Contexts, `mine["weights"]` and `mine["radius"]` as in question 3 (other numbers). Find two decisions with *the same
# mean* under the centre, between which the rule of the paper and the worst case disagree: set `rewards = [first,
# second]`, two lists of eleven rewards between $-2$ and $2$, such that
#
# - $\sum_jp_ju_j$ is the same for both, to $10^{-9}$,
# - $\sum_jp_ju_j-\varepsilon L$ is larger for the first, by `mine["margin"]` or more,
# - $W(\varepsilon)$ is larger for the second, by `mine["margin"]` or more.


# %% tags=["numbers", "q4"]
def numbers_q4(draw):
    places = sorted(draw.shuffled([2, 3, 4, 5, 6, 7, 8])[:3])
    first, second = draw.integer(20, 45), draw.integer(20, 35)
    hundredths = dict(zip(places, (first, second, 100 - first - second), strict=True))
    return {
        "weights": [hundredths.get(place, 0) / 100 for place in range(11)],
        "radius": draw.decimal(0.05, 0.095, 3),
        "margin": draw.decimal(0.01, 0.02, 3),
    }


# %% tags=["answer", "q4"]
mine = numbers("q4")
# BEGIN SOLUTION
first = [place / 20 for place in range(11)]  # of slope 1/2, and the whole radius can be spent on it
mean = math.fsum(weight * value for weight, value in zip(mine["weights"], first, strict=True))
second = [mean] * 11  # nothing to lose
second[0] = mean + 0.5  # and yet a slope of 5, where no law of the ball has a reason to go
rewards = [first, second]
# END SOLUTION


# %% [markdown] tags=["hint", "q4"]
# The penalty looks at the steepest place only. Give the second decision a steep place that does not matter.
#
# Let the first decision be even and the second one constant but for a place without mass, where it is *higher*.
#
# Make the means equal at the end: the constant is the mean of the first decision.


# %% tags=["public", "q4"]
def public_q4(rewards, mine):
    assert isinstance(rewards, list), "Your rewards should be a list."
    assert len(rewards) == 2, "There should be two decisions."
    for values in rewards:
        assert isinstance(values, list), "Each decision should be a list."
        assert len(values) == 11, "Each decision should have eleven rewards."
        assert all(isinstance(value, float) and -2 <= value <= 2 for value in values), (
            "The rewards should be floats between -2 and 2."
        )


# %% [markdown] tags=["solution", "q4"]
# The penalty looks at the steepest place, whichever way it goes and whether or not the laws of the ball get there. A
# reward that is high somewhere without mass is punished for being good. In the chapter's exercise *A cautious
# newsvendor* the two rules agree, because there the steepest slope is where the mass moves.

# %% [markdown] tags=["question", "q5"]
# ## 5. When is the penalty good enough?
#
# Set `why` to a text of 40 to 150 words. The penalty is cheap and the worst mean takes a linear program. For which
# rewards do both rules take the same decision, and how could somebody see from data whether they do? What does your
# picture of question 3 show, with two numbers, and how far was your prediction off?


# %% tags=["answer", "q5"]
# BEGIN SOLUTION
why = """Both rules agree where the steepest place of every decision is one that the laws of the ball use: then the penalty
charges exactly what the worst case costs. They may disagree where a reward jumps somewhere without mass, or upwards, since
the penalty punishes that and the worst case does not. To see it from data, compute for the best decisions the share of the
penalty that the worst case really costs. If the shares are nearly the same for all of them the order cannot change. In my
picture the points lie below the diagonal, on average at 0.7 of the charge, and spread; 41 of 100 pairs differ, where I had
predicted 20."""
# END SOLUTION


# %% tags=["public", "q5"]
def public_q5(why):
    assert isinstance(why, str), "Your answer should be a text between quotes."
    words = len(why.split())
    assert 40 <= words <= 150, f"Your text has {words} words; 40 to 150 were asked for."


# %% tags=["hidden"]
from companion.classroom.own_runs import own_run
from companion.classroom.questions import Check, Question, Wrong


def exact_worst(values, support, weights, radius):
    from companion.papers.wdrbo.method.inner import wasserstein

    return float(wasserstein(values, support, weights, radius).value[0])


def exact_constant(values):
    import numpy as np

    from companion.papers.wdrbo.method.inner import lipschitz_constant

    return float(lipschitz_constant(np.array(values), np.arange(11) / 10)[0])


def some_weights(draw, count, empty=0):
    import numpy as np

    weights = np.array([draw.integer(1, 20) for _ in range(count)], dtype=float)
    for place in draw.shuffled(range(count))[:empty]:
        weights[place] = 0.0
    if draw.for_reading:  # hundredths, which rounding leaves as they are
        weights[np.argmax(weights)] += 100 - weights.sum()
    return weights / weights.sum()


def some_support(draw, count):
    import numpy as np

    return np.cumsum([draw.decimal(0.05, 0.3, 2) for _ in range(count)])


def some_values(draw, count):
    import numpy as np

    return np.array([draw.uniform(-1.0, 1.0) for _ in range(count)])


def no_radius_and_a_large_one(draw, mine):
    cases = []
    for count in draw.size((5, 12), (3, 4)):
        support = some_support(draw, count)
        for radius in (0.0, float(np_range(support)) + 1.0):
            cases.append((some_values(draw, count), support, some_weights(draw, count), radius))
    return cases


def np_range(support):
    return support.max() - support.min()


def linear_values(draw, mine):
    """Falling to the right, with more room than radius: the penalty is exact."""
    import numpy as np

    cases = []
    for count in draw.size((6, 10, 15), (4, 4)):
        support = np.arange(count) * 0.1
        weights = some_weights(draw, count)
        room = float(weights @ (support[-1] - support))
        cases.append(
            (-draw.decimal(0.5, 2.0, 2) * support, support, weights, 0.1 * draw.decimal(0.3, 0.7, 2) * min(1, room))
        )
    return cases


def sorted_supports(draw, mine):
    return [
        (some_values(draw, n), some_support(draw, n), some_weights(draw, n), draw.decimal(0.05, 0.2, 3))
        for n in draw.size((6, 9, 12, 15, 30), (3, 4, 4))
    ]


def shuffled_supports(draw, mine):
    import numpy as np

    cases = []
    for n in draw.size((6, 9, 12, 40), (3, 4, 4)):
        support = np.array(draw.shuffled(some_support(draw, n).tolist()))
        cases.append((some_values(draw, n), support, some_weights(draw, n), draw.decimal(0.05, 0.2, 3)))
    return cases


def empty_places(draw, mine):
    """All mass at one point, and the smallest value somewhere without mass."""
    import numpy as np

    cases = []
    for n in draw.size((6, 9, 12), (4, 4)):
        values = some_values(draw, n)
        weights = some_weights(draw, n, n // 2)
        values[int(np.flatnonzero(weights == 0)[0])] = -1.5
        cases.append((values, some_support(draw, n), weights, draw.decimal(0.05, 0.2, 3)))
    return cases


def behind_a_hill(draw, mine):
    """The lowest value is behind a hill, and a smaller reward is near: cheap trips first, then longer ones."""
    import numpy as np

    support, weights = np.array([0.0, 0.4, 0.5, 0.8, 1.0]), np.array([0.4, 0.6, 0.0, 0.0, 0.0])
    values = np.array([0.3, 0.5, 0.1, 0.9, -1.0])
    return [(values, support, weights, radius) for radius in (0.03, 0.1, 0.25, draw.decimal(0.3, 0.5, 3))]


def dual_value(multiplier, values, support, weights, radius):
    import numpy as np

    distances = np.abs(support[:, None] - support[None, :])
    return float(weights @ (values[None, :] + multiplier * distances).min(axis=1) - multiplier * radius)


def certifies(answer, values, support, weights, radius):
    assert type(answer) in (int, float), "a number was asked for"
    distances = abs(support[:, None] - support)
    steepest = abs(values[:, None] - values)[distances > 0] / distances[distances > 0]
    assert 0 <= answer <= steepest.max() * (1 + 1e-9), "the multiplier lies between 0 and L"
    found = dual_value(answer, values, support, weights, radius)
    assert found >= exact_worst(values, support, weights, radius) - 1e-7, "its dual value is below the worst mean"


def positive_radius(draw, mine):
    """No radius that allows everything."""
    cases = sorted_supports(draw, mine) + shuffled_supports(draw, mine)
    return [case for case in cases if exact_worst(*case) > case[0].min() + 1e-6]


def no_radius(draw, mine):
    return [(values, support, weights, 0.0) for values, support, weights, _ in sorted_supports(draw, mine)]


def large_radius(draw, mine):
    return [
        (values, support, weights, np_range(support) + 0.5)
        for values, support, weights, _ in sorted_supports(draw, mine)
    ]


def rewards_of(values, most=2):
    assert isinstance(values, list), "a list was asked for"
    assert len(values) == 11, "eleven rewards were asked for"
    assert all(isinstance(value, int | float) and abs(value) <= most for value in values), (
        "rewards lie between -2 and 2"
    )
    return [float(value) for value in values]


def charges(values, mine, most=2):
    """What the worst case costs and what the penalty charges."""
    import numpy as np

    u, p = np.array(rewards_of(values, most)), np.array(mine["weights"])
    return float(u @ p) - exact_worst(u, np.arange(11) / 10, p, mine["radius"]), mine["radius"] * exact_constant(u)


def package_run(mine, prediction):
    import numpy as np

    rewards, weights = own_rewards(mine, prediction), np.array(mine["weights"])
    both_costs = np.array([charges(list(u), mine, 1e9) for u in rewards])
    mean, cost, charge = rewards @ weights, both_costs[:, 0], both_costs[:, 1]
    prefer = [score[::2] > score[1::2] for score in (mean - charge, mean - cost)]
    return {
        "first": float(mean[0] - cost[0]),
        "share": float((cost / charge).mean()),
        "differ": int((prefer[0] != prefer[1]).sum()),
    }


def both(rewards, mine):
    """Mean, penalised mean and worst mean of each decision."""
    import numpy as np

    assert isinstance(rewards, list), "a list was asked for"
    assert len(rewards) == 2, "two decisions were asked for"
    found = []
    for values in rewards:
        cost, charge = charges(values, mine)
        mean = float(np.array(values) @ np.array(mine["weights"]))
        found.append((mean, mean - charge, mean - cost))
    return found


def rule_prefers_first(rewards, mine):
    one, two = both(rewards, mine)
    assert one[1] - two[1] >= mine["margin"] - 1e-9, "the rule does not prefer the first by so much"


def worst_case_prefers_second(rewards, mine):
    one, two = both(rewards, mine)
    assert two[2] - one[2] >= mine["margin"] - 1e-9, "the worst case does not prefer the second by so much"


def disagree(rewards, mine):
    rule_prefers_first(rewards, mine)
    worst_case_prefers_second(rewards, mine)


def disagree_at_one_mean(rewards, mine):
    disagree(rewards, mine)
    one, two = both(rewards, mine)
    assert abs(one[0] - two[0]) <= 1e-9, "the means under the centre differ"


PROGRAM = """
from scipy.optimize import linprog


def worst_mean(values, support, weights, radius):
    n = len(values)
    lengths = np.abs(support[:, None] - support[None, :])
    rows = np.kron(np.eye(n), np.ones(n))
    found = linprog(np.tile(values, n), A_ub=[lengths.ravel()], b_ub=[radius], A_eq=rows, b_eq=weights)
    return float(found.fun)
"""


# %% tags=["hidden", "q1"]
q1 = Question(
    function="worst_mean",
    example="worst_mean(np.array([1.0, 0.4, 0.0]), np.array([0.0, 0.5, 1.0]), np.array([0.5, 0.5, 0.0]), 0.1)",
    hard="worst_mean(np.array([0.3, 0.1, -1.0]), np.array([0.0, 0.2, 1.0]), np.array([1.0, 0.0, 0.0]), 0.5)",
    checks=[
        Check(
            "no radius, and one that allows everything", 1, no_radius_and_a_large_one, close=exact_worst, abs_tol=1e-7
        ),
        Check("linear rewards with room to move", 1, linear_values, close=exact_worst, abs_tol=1e-7),
        Check("sorted contexts", 2, sorted_supports, close=exact_worst, abs_tol=1e-7),
        Check("contexts in any order", 1, shuffled_supports, close=exact_worst, abs_tol=1e-7),
        Check(
            "places without mass",
            1,
            empty_places,
            close=exact_worst,
            abs_tol=1e-7,
            apart=["in the order of the atoms"],
            hint="Mass may go there too.",
        ),
        Check(
            "the smallest value behind a hill",
            1,
            behind_a_hill,
            close=exact_worst,
            abs_tol=1e-7,
            hint="Part of an atom may stop at a near place, while another part goes on.",
        ),
    ],
    wrong=[
        Wrong(
            "the paper's penalty",
            1,
            code="""
def worst_mean(values, support, weights, radius):
    order = np.argsort(support)
    steepest = np.max(np.abs(np.diff(values[order])) / np.diff(support[order]))
    return float(values @ weights - radius * steepest)
""",
        ),
        Wrong(
            "the penalty, but not below the smallest value",
            2,
            code="""
def worst_mean(values, support, weights, radius):
    order = np.argsort(support)
    steepest = np.max(np.abs(np.diff(values[order])) / np.diff(support[order]))
    return float(max(values.min(), values @ weights - radius * steepest))
""",
        ),
        Wrong(
            "every atom moves by the radius at most",
            1,
            code="""
def worst_mean(values, support, weights, radius):
    near = np.abs(support[:, None] - support[None, :]) <= radius
    return float(weights @ np.where(near, values[None, :], np.inf).min(axis=1))
""",
        ),
        Wrong(
            "mass of the size of the radius goes to the smallest value",
            1,
            code="""
def worst_mean(values, support, weights, radius):
    share = min(1.0, radius)
    return float((1 - share) * (values @ weights) + share * values.min())
""",
        ),
        Wrong(
            "only to the place of the smallest value",
            2,
            {
                "further = np.flatnonzero((lengths > lengths[at]) & (values < values[at]))": "further = np.flatnonzero((lengths > lengths[at]) & (values == values.min()))"
            },
        ),
        Wrong(
            "the longest trip first",
            2,
            {"return sorted(steps, reverse=True)": "return sorted(steps, key=lambda step: -step[1])"},
        ),
        Wrong("in the order of the atoms", 2, {"return sorted(steps, reverse=True)": "return steps"}),
        Wrong(
            "only to places that have mass",
            5,
            code=PROGRAM.replace(
                "    n = len",
                "    values, support, weights = values[weights > 0], support[weights > 0], weights[weights > 0]\n    n = len",
            ),
        ),
        Wrong(
            "number of places for distance",
            2,
            code=PROGRAM.replace(
                "np.abs(support[:, None] - support[None, :])",
                "np.abs(np.subtract.outer(np.arange(n), np.arange(n))) * 0.1",
            ),
        ),
        Wrong("squared distances", 1, code=PROGRAM.replace("- support[None, :])", "- support[None, :]) ** 2")),
        Wrong("the largest mean", 0, {"mean -= gain * spent": "mean += gain * spent"}),
        Wrong("the whole radius for every step", 1, {"        radius -= spent\n": ""}),
    ],
)

# %% tags=["hidden", "q2"]
q2 = Question(
    function="multiplier",
    example="multiplier(np.array([1.0, 0.4, 0.0]), np.array([0.0, 0.5, 1.0]), np.array([0.5, 0.5, 0.0]), 0.1)",
    hard="multiplier(np.array([1.0, 0.4, 0.0]), np.array([0.0, 0.5, 1.0]), np.array([0.5, 0.5, 0.0]), 3.0)",
    several=True,
    checks=[
        Check("a positive radius", 2, positive_radius, holds=certifies),
        Check("no radius", 1, no_radius, holds=certifies, hint="No trip may pay."),
        Check("a radius that allows everything", 1, large_radius, holds=certifies),
    ],
    wrong=[
        Wrong(
            "the Lipschitz constant",
            1,
            code="""
def multiplier(values, support, weights, radius):
    order = np.argsort(support)
    return float(np.max(np.abs(np.diff(values[order])) / np.diff(support[order])))
""",
        ),
        Wrong("zero", 1, {"return gain  #": "return 0.0  #"}),
        Wrong(
            "average gain",
            0,
            code="""
def multiplier(values, support, weights, radius):
    if radius == 0:
        return 0.0
    return float((values @ weights - worst_mean(values, support, weights, radius)) / radius)
""",
        ),
        Wrong(
            "the step after the last that is begun",
            1,
            code="""
def multiplier(values, support, weights, radius):
    steps = trips(values, support, weights)
    for (_, distance), (following, _) in zip(steps, [*steps[1:], (0.0, 0.0)], strict=True):
        radius -= distance
        if radius < 0:
            return following
    return 0.0
""",
        ),
        Wrong(
            "the last step that is finished",
            1,
            {
                "    for gain, distance": "    last = 0.0\n    for gain, distance",
                "return gain  # what a little more radius would gain\n": "return last\n        last = gain\n",
            },
        ),
        Wrong("gain of a step, not per distance", 1, {"return gain  #": "return gain * distance  #"}),
        Wrong("with a minus", 1, {"return gain  #": "return -gain  #"}),
        Wrong(
            "a grid of multipliers",
            1,
            code="""
def multiplier(values, support, weights, radius):
    lengths = np.abs(support[:, None] - support[None, :])
    grid = np.arange(0.0, 60.0, 0.5)
    dual = [weights @ (values[None, :] + m * lengths).min(axis=1) - m * radius for m in grid]
    return float(grid[int(np.argmax(dual))])
""",
        ),
        Wrong("never less than a tenth", 3, {"    return 0.0": "    return 0.1"}),
    ],
)

# %% tags=["hidden", "q3"]
q3 = own_run(
    "my_run",
    package_run,
    0,
    100,
    [
        ("a prediction, and the worst mean of the first decision that follows from it", 1, ["first"]),
        ("what the worst case costs, of what is charged", 1, ["share"]),
        ("how often the rules differ", 2, ["differ"]),
    ],
    [
        Wrong("the largest share", 1, {"np.mean((mean - worst) / charge)": "np.max((mean - worst) / charge)"}),
        Wrong("decisions for pairs", 2, {"np.sum(by_rule != by_worst)": "2 * np.sum(by_rule != by_worst)"}),
        Wrong("the mean for the worst mean", 0, {'"first": float(worst[0])': '"first": float(mean[0])'}),
    ],
)

# %% tags=["hidden", "q4"]
q4 = Question(
    value="rewards",
    checks=[
        Check("the rule prefers the first", 1, holds=rule_prefers_first),
        Check("the worst case prefers the second", 1, holds=worst_case_prefers_second),
        Check("both", 1, holds=disagree),
        Check("both, and the means are the same", 1, holds=disagree_at_one_mean),
    ],
    wrong=[
        Wrong("in the other order", 0, {"[first, second]": "[second, first]"}),
        Wrong("twice the same", 0, {"[first, second]": "[first, first]"}),
        Wrong(
            "two constants, the first larger", 1, {"second[0] = mean + 0.5": "first, second = [0.5] * 11, [0.4] * 11"}
        ),
        Wrong(
            "two constants, the second larger", 1, {"second[0] = mean + 0.5": "first, second = [0.4] * 11, [0.5] * 11"}
        ),
        Wrong("another mean", 3, {"second = [mean] * 11": "second = [mean + 0.005] * 11"}),
        Wrong("a valley for the peak", 1, {"mean + 0.5": "mean - 0.5"}),
        Wrong("no peak", 1, {"second[0] = mean + 0.5": "second[0] = mean"}),
        Wrong("a peak that is not steep enough", 1, {"second[0] = mean + 0.5": "second[0] = mean + 0.05"}),
        Wrong(
            "the peak on the mass",
            1,
            {"second[0] = mean + 0.5": 'second = [mean + 0.5 * (w > 0) for w in mine["weights"]]'},
        ),
        Wrong(
            "rewards out of range", 0, {"[first, second]": "[[10 * u for u in values] for values in (first, second)]"}
        ),
    ],
)

# %% tags=["hidden", "q5"]
q5 = Question(
    value="why",
    rubric=[
        ("Agreement: the steepest place is where mass moves; disagreement, with an example", 2),
        ("A check that somebody can do with data", 1),
        ("What the picture of the own run shows, with two numbers, and how far the prediction was off", 2),
    ],
)
