# %% tags=["assignment"]
TITLE = "What a sum of kernels cannot say"
CHAPTER = 4
GOAL = "Evaluate the additive kernel of the mean-field paper, and see what its sum rules out and what it gives away."
LEVEL = "advanced"
MINUTES = 90

# %% [markdown]
# # What a sum of kernels cannot say
#
# In chapter 4 an agent's payoff $f(x,c,\xi)$ depends on its action $x$, its context $c$ and on the law $\xi$: one
# distribution $\xi(\cdot\mid c')$ over the actions for every context $c'\in C$. The prior of $f$ is a Gaussian process
# with mean zero and the kernel of equation (1) of Steinberg et al.,
#
# $$k(z,z')=k_{RBF}(x,x')+k_{RBF}(c,c')+\sum_{c''\in C}k_{RBF}\big(\xi(\cdot\mid c''),\xi'(\cdot\mid c'')\big),
#   \qquad k_{RBF}(u,u')=\exp\Big(-\frac{\|u-u'\|_2^2}{2\ell^2}\Big),$$
#
# with a length-scale $\ell$ of its own for actions, contexts and distributions. Their Section 4 prints the radial
# function without both squares, $\exp(-\|u-u'\|_2/(2\ell))$. Below, *with squares* is the formula above, and *as
# printed* is the misprint.

# %% tags=["setup"]
import itertools
import math
import random

import numpy as np
from selfcheck import numbers


def own_laws(mine, prediction):
    """Sixteen laws of question 4, an array (16, 2, 3), drawn from your numbers and from your prediction."""
    luck = random.Random(f"{mine['seed']} {prediction}")
    raw = np.array([[[0.1 + luck.random() for _ in range(3)] for _ in range(4)] for _ in range(2)])
    first, second = raw / raw.sum(axis=2, keepdims=True)
    return np.array([[u, v] for u in first for v in second])


# %% [markdown] tags=["question", "q1"]
# ## 1. The kernel
#
# Write `kernel(x, c, law, x2, c2, law2, scales)`, the covariance of $f(x,c,\xi)$ and $f(x',c',\xi')$ with squares, as a
# float. `x` and `x2` are arrays of the features of an action, `c` and `c2` of a context; `law` and `law2` have shape
# ($|C|$, $|A|$), a row for every context's distribution. `scales` holds the length-scales of actions, contexts and
# distributions, in this order.


# %% tags=["answer", "q1"]
def kernel(x, c, law, x2, c2, law2, scales):
    """k(z, z') of equation (1) with squares, a float."""

    # BEGIN SOLUTION
    def radial(u, v, scale):
        return math.exp(-float(np.sum((u - v) ** 2)) / (2 * scale**2))

    action, context, distribution = scales
    value = radial(x, x2, action) + radial(c, c2, context)
    for row, row2 in zip(law, law2, strict=True):
        value += radial(row, row2, distribution)
    return value
    # END SOLUTION


# %% [markdown] tags=["hint", "q1"]
# Write the radial function first, as a function of two arrays and a length-scale.
#
# The sum has one term for the actions, one for the contexts, and one for *every row* of the laws.


# %% tags=["public", "q1"]
def public_q1(kernel):
    import numpy as np

    z = (np.array([0.1, 0.7]), np.array([0.3]), np.array([[0.2, 0.8], [0.5, 0.5], [1.0, 0.0]]))
    w = (np.array([0.4, 0.2]), np.array([0.9]), np.array([[0.6, 0.4], [0.1, 0.9], [0.7, 0.3]]))
    value = kernel(*z, *w, [0.7, 0.5, 0.4])
    assert isinstance(value, float), "kernel should return a float."
    assert value > 0, "A covariance of this prior is positive."
    assert abs(value - kernel(*w, *z, [0.7, 0.5, 0.4])) < 1e-12, "The kernel should be symmetric in z and z'."
    assert value < kernel(*z, *z, [0.7, 0.5, 0.4]), "The kernel should be largest where both plays are the same."


# %% [markdown] tags=["question", "q2"]
# ## 2. A mixed difference
#
# Two contexts, a fixed $x$ and $c$. The first context's distribution is moved from $\xi_1$ to $\xi_1'$, the second's
# from $\xi_2$ to $\xi_2'$. Whether the effect of one depends on the other is said by the mixed difference
#
# $$\Delta=f(\xi_1',\xi_2')-f(\xi_1',\xi_2)-f(\xi_1,\xi_2')+f(\xi_1,\xi_2).$$
#
# Write `mixed_variance(first, first2, second, second2, scale, joint, squares)`, the variance of $\Delta$ under the
# prior. `first` is $\xi_1$, `first2` is $\xi_1'$, and so on; each is an array of probabilities. The kernel is
#
# - for `joint=False` the sum of equation (1), $\;\text{const}+k_{RBF}(\xi_1,\xi_1')+k_{RBF}(\xi_2,\xi_2')$;
# - for `joint=True` twice *one* radial function of both distributions together, written one after the other as one long
#   vector.
#
# Radial functions are with squares for `squares=True` and as printed for `squares=False`; all have the length-scale
# `scale`. The answer has to be right to six digits, or to $10^{-9}$.


# %% tags=["answer", "q2"]
def mixed_variance(first, first2, second, second2, scale, joint, squares):
    """Variance of the mixed difference, a float that is not negative."""

    # BEGIN SOLUTION
    def radial(u, v):
        distance = math.sqrt(float(np.sum((u - v) ** 2)))
        return math.exp(-(distance**2) / (2 * scale**2)) if squares else math.exp(-distance / (2 * scale))

    def covariance(laws, others):
        if joint:
            return 2 * radial(np.concatenate(laws), np.concatenate(others))
        return radial(laws[0], others[0]) + radial(laws[1], others[1])

    corners = list(itertools.product((first, first2), (second, second2)))
    signs = (1, -1, -1, 1)
    variance = sum(
        sign * sign2 * covariance(laws, others)
        for sign, laws in zip(signs, corners, strict=True)
        for sign2, others in zip(signs, corners, strict=True)
    )
    return max(0.0, float(variance))
    # END SOLUTION


# %% [markdown] tags=["hint", "q2"]
# $\Delta$ is a sum of four values of $f$ with signs. What is the variance of such a sum, in terms of the $4\times4$
# covariance matrix?
#
# For `joint=True` write the two distributions one after the other with `np.concatenate`, and take twice one radial
# function.
#
# One of the cases is zero, whatever is put in. Which one, and what does your function return there?


# %% tags=["public", "q2"]
def public_q2(mixed_variance):
    import numpy as np

    a, b, c, d = (np.array(law) for law in ([0.2, 0.8], [0.7, 0.3], [0.5, 0.5], [1.0, 0.0]))
    for joint in (False, True):
        for squares in (False, True):
            value = mixed_variance(a, b, c, d, 0.5, joint, squares)
            assert isinstance(value, float), "mixed_variance should return a float."
            assert value >= 0, "A variance should not be negative."
    one = mixed_variance(a, b, c, d, 0.5, True, True)
    assert abs(one - mixed_variance(c, d, a, b, 0.5, True, True)) < 1e-12, (
        "The value should be the same when the two contexts change places."
    )


# %% [markdown] tags=["solution", "q2"]
# $\Delta$ is a combination of four values with the weights $s=(1,-1,-1,1)$, so its variance is $s^\top Ks$. Under the
# sum it is zero, with squares and as printed: a path is $u(x)+v(c)+w_1(\xi_1)+w_2(\xi_2)$, and its mixed differences
# vanish (the chapter's exercise *What a sum cannot say*). With squares the joint function is a product $ab$ of those of
# the two moves, and the variance is $8(1-a)(1-b)$. As printed it is no product: the root is taken of the sum of both
# squared distances.

# %% [markdown] tags=["question", "q3"]
# ## 3. All laws but one
#
# Every one of $C$ contexts has $m\ge2$ candidate distributions, all different, which makes $m^C$ laws. Under the sum of
# equation (1), with $x$ and $c$ fixed, $f$ is observed once at *every law but one*, each time with independent noise of
# variance $R^2$. Let $v(R)$ be the posterior variance of $f$ at the law that was left out. Write `last_variance(m, C)`,
# the limit of $v(R)/R^2$ as $R\to0$, as a float; where $v(R)$ does not tend to zero, it is `math.inf`. Length-scales
# and candidates do not matter. $m^C\le2000$ and $C\ge1$.
#
# (Question 1's kernel lets you try $m=C=2$: the answer is how much three corners of a square know about the fourth.)


# %% tags=["answer", "q3"]
def last_variance(m, C):
    """Limit of the posterior variance at the law left out, in units of the noise variance, a float."""
    # BEGIN SOLUTION
    known = 1 + C * (m - 1)  # dimension of the functions w_1 + ... + w_C on the m ** C laws
    return known / (m**C - known) if C > 1 else math.inf
    # END SOLUTION


# %% [markdown] tags=["hint", "q3"]
# As the noise goes to zero the prior ceases to matter. What is left is least squares on the functions that the sum
# allows.
#
# How many free numbers has such a function on the $m^C$ laws? Mind the constants, which the terms share.
#
# If *all* laws were observed, every fitted value would have the same variance, by symmetry, and together they would
# add up to that number. Then leave one out.


# %% tags=["public", "q3"]
def public_q3(last_variance):
    for m, C in ((2, 2), (3, 2), (2, 5)):
        value = last_variance(m, C)
        assert isinstance(value, float), "last_variance should return a float."
        assert value > 0, "The limit should be positive, since the observations are noisy."
    assert last_variance(2, 5) < last_variance(2, 4) < last_variance(2, 3), (
        "With more contexts there are more laws that help, so the limit should fall."
    )


# %% [markdown] tags=["solution", "q3"]
# Paths are $w_1(\xi_1)+\dots+w_C(\xi_C)$ up to a constant, with any values of $w_c$ on the $m$ candidates: functions on
# the $m^C$ laws that form a space of dimension $d=1+C(m-1)$. As $R\to0$ the prior ceases to matter, and the posterior
# becomes least squares in this space. If all laws were observed, the fitted value at each would have the same variance
# $hR^2$ by symmetry, and these add up to the dimension: $h=d/m^C$. Leaving one out, its prediction has variance
# $R^2h/(1-h)=R^2d/(m^C-d)$. For $C=1$ we have $d=m^C$: nothing is said about the last law. Under the joint kernel
# $v(R)$ does not tend to zero for any $C$.

# %% [markdown] tags=["question", "q4"]
# ## 4. Two laws left out
#
# The limit is one thing, a real noise another. Take two contexts with four candidates each and three actions, all
# length-scales 0.4, the same $x$ and $c$ everywhere and $R^2=0.01$. First predict: what is $v(R)/R^2$ in percent, $v(R)$
# being the posterior variance at law number 0, if laws 0 *and* 1 are left out and the other fourteen are observed? Then let
# `laws = own_laws(mine, prediction)`, draw $v(R)/R^2$ against $R^2$ from $10^{-5}$ to 1 (both axes logarithmic) with one
# and with two laws left out, and set `my_run` to a dict with the keys
#
# - `"prediction"`, a whole number from 0 to 2000, in percent,
# - `"first"`, the prior covariance of $f$ at laws 0 and 1,
# - `"one"`, $v(R)/R^2$ at law 0 when it alone is left out,
# - `"two"`, the same when laws 0 and 1 are left out.
#
# *Type* the numbers that were printed, with four digits after the point. The laws are drawn from your id and from your
# prediction, so predict first; how near you come earns nothing. When this is graded, `numbers("q4")` gives other numbers
# than yours: what counts is what you typed.


# %% tags=["numbers", "q4"]
def numbers_q4(draw):
    return {"seed": draw.integer(10**8, 10**9 - 1)}


# %% tags=["answer", "q4"]
mine = numbers("q4")
# BEGIN SOLUTION
prediction = 90
laws, same = own_laws(mine, prediction), np.zeros(1)
K = np.array([[kernel(same, same, u, same, same, v, [0.4, 0.4, 0.4]) for v in laws] for u in laws])


def ratio(left_out, noise_variance):
    rest = K[left_out:, left_out:] + noise_variance * np.eye(16 - left_out)
    return float(K[0, 0] - K[0, left_out:] @ np.linalg.solve(rest, K[left_out:, 0])) / noise_variance


my_run = {"prediction": prediction, "first": K[0, 1], "one": ratio(1, 0.01), "two": ratio(2, 0.01)}  # yours: as printed
# END SOLUTION


# %% [markdown] tags=["hint", "q4"]
# What does question 3 say for one law left out, in percent? A second one takes away one of the fourteen others that knew
# most about the first: the two share a candidate.
#
# The posterior variance is $k(0,0)-k^\top(K+R^2\mathbf I)^{-1}k$, with the rows and columns of the laws that are observed.


# %% tags=["public", "q4"]
def public_q4(my_run, mine):
    assert isinstance(my_run, dict), "Your my_run should be a dict."
    assert set(my_run) == {"prediction", "first", "one", "two"}, "Its keys should be prediction, first, one and two."
    assert type(my_run["prediction"]) is int, "The prediction should be a whole number."
    assert my_run["one"] <= my_run["two"], "With fewer observations the variance should be no smaller."


# %% [markdown] tags=["question", "q5"]
# ## 5. Is the sum a good prior?
#
# Set `why` to a text of 40 to 150 words for somebody who designs a market: what does the sum of kernels assume about
# how the crowds of two contexts act on a payoff? Name a situation where that is plausible and one where it is not.
# Then look at your picture of question 4: what does it show, with two numbers, and how far was your prediction off?


# %% tags=["answer", "q5"]
# BEGIN SOLUTION
why = """Under the sum the effect of one context's crowd does not depend on what the crowd in another context does: mixed
differences are zero. That is plausible where contexts are regions that share no resource, such as two cities with
their own roads. It is not plausible where both crowds use the same server in the morning and in the evening, so
that the second one queues behind the first. Where the sum holds, a few laws say almost everything about the others: in
my picture the variance at a law never seen is 0.7 times that of one observation, 0.9 with two laws left out, and for
much noise it falls to the prior. I had predicted 90 percent and was 5 percent off."""
# END SOLUTION


# %% tags=["public", "q5"]
def public_q5(why):
    assert isinstance(why, str), "Your answer should be a text between quotes."
    words = len(why.split())
    assert 40 <= words <= 150, f"Your text has {words} words; 40 to 150 were asked for."


# %% tags=["hidden"]
from companion.classroom.own_runs import own_run
from companion.classroom.questions import Check, Question, Wrong


def package_kernel(x, c, law, x2, c2, law2, scales):
    from companion.papers.meanfield.method.kernel import AdditiveKernel, Plays

    chosen = AdditiveKernel(*scales)
    return float(chosen(Plays(x[None], c[None], law[None]), Plays(x2[None], c2[None], law2[None]))[0, 0])


def a_law(draw, contexts, actions):
    import numpy as np

    rows = np.array([[draw.integer(1, 99) for _ in range(actions)] for _ in range(contexts)], dtype=float)
    return rows / rows.sum(axis=1, keepdims=True)


def features(draw, count):
    import numpy as np

    return np.array([draw.uniform() for _ in range(count)])


def a_play(draw, contexts=3, actions=4):
    contexts, actions = draw.size((contexts, actions), (min(contexts, 2), 2))
    return features(draw, draw.size(2, 1)), features(draw, 1), a_law(draw, contexts, actions)


def three_scales(draw):
    """Different enough that none can stand for another."""
    return draw.shuffled([draw.decimal(0.2, 0.3, 2), draw.decimal(0.5, 0.6, 2), draw.decimal(0.8, 0.9, 2)])


def same_play(draw, mine):
    cases = []
    for contexts in (2, 3, 5):
        play = a_play(draw, contexts)
        cases.append((*play, *play, three_scales(draw)))
    return cases


def same_law(draw, mine):
    cases = []
    for _ in range(5):
        (x, c, law), (x2, c2, _) = a_play(draw), a_play(draw)
        cases.append((x, c, law, x2, c2, law, three_scales(draw)))
    return cases


def one_row_moved(draw, mine):
    cases = []
    for _ in range(6):
        (x, c, law), (_, _, other) = a_play(draw), a_play(draw)
        moved, row = law.copy(), draw.integer(0, len(law) - 1)
        moved[row] = other[row]
        cases.append((x, c, law, x, c, moved, three_scales(draw)))
    return cases


def two_plays(draw, mine):
    return [(*a_play(draw, contexts), *a_play(draw, contexts), three_scales(draw)) for contexts in (1, 2, 2, 4, 6)]


def package_mixed(first, first2, second, second2, scale, joint, squares):
    import itertools as tools

    import numpy as np

    from companion.papers.meanfield.method.kernel import AdditiveKernel, Plays

    form, coupling = "squared" if squares else "printed", "joint" if joint else "additive"
    chosen = AdditiveKernel(law_lengthscale=scale, form=form, coupling=coupling)
    laws = np.array([np.stack(pair) for pair in tools.product((first, first2), (second, second2))])
    signs, nothing = np.array([1.0, -1.0, -1.0, 1.0]), np.zeros((4, 1))
    return float(signs @ chosen(Plays(nothing, nothing, laws)) @ signs)


def moves(draw, joint, squares, count):
    cases = []
    for _ in range(count):
        laws = a_law(draw, 4, draw.size(3, 2))
        cases.append((*laws, draw.decimal(0.3, 0.6, 2), joint, squares))
    return cases


def sums(draw, mine):
    return moves(draw, False, True, 3) + moves(draw, False, False, 3)


def joint_with_squares(draw, mine):
    return moves(draw, True, True, 6)


def joint_as_printed(draw, mine):
    return moves(draw, True, False, 6)


def one_stays(draw, mine):
    cases = []
    for squares in (True, False):
        for first, first2, second, second2, *rest in moves(draw, True, squares, 2):
            cases += [(first, first, second, second2, *rest), (first, first2, second, second, *rest)]
    return cases


def all_laws(m, C):
    import itertools as tools

    return list(tools.product(range(m), repeat=C))


def posterior_ratio(m, C):
    """The package's kernel on some distributions, a small noise: close to the limit."""
    import numpy as np

    from companion.papers.meanfield.method.kernel import AdditiveKernel, Plays

    angles = np.linspace(0.0, np.pi / 2, m)
    rows = np.stack([np.cos(angles) ** 2, np.sin(angles) ** 2], axis=1)
    laws = np.array([[rows[level] for level in law] for law in all_laws(m, C)])
    nothing = np.zeros((len(laws), 1))
    K = AdditiveKernel(law_lengthscale=0.4)(Plays(nothing, nothing, laws))
    noise = 1e-5
    k = K[-1, :-1]
    left = K[-1, -1] - k @ np.linalg.solve(K[:-1, :-1] + noise * np.eye(len(k)), k)
    return float(left / noise)


def least_squares_ratio(m, C):
    """Variance of the prediction at the last law, by a design matrix with an indicator of every candidate."""
    import numpy as np

    laws = np.array(all_laws(m, C))
    design = np.concatenate([laws[:, [c]] == np.arange(m) for c in range(C)], axis=1).astype(float)
    rest = design[:-1]
    return float(design[-1] @ np.linalg.pinv(rest.T @ rest) @ design[-1])


def no_limit(m, C):
    return float("inf")


# %% tags=["hidden", "q1"]
q1 = Question(
    function="kernel",
    example="kernel(np.array([0.2]), np.array([0.5]), np.eye(2), np.array([0.6]), np.array([0.5]), np.ones((2, 2)) / 2, [0.4, 0.5, 0.8])",
    hard="kernel(np.zeros(1), np.ones(1), np.eye(3), np.zeros(1), np.ones(1), np.eye(3), [0.4, 0.5, 0.8])",
    checks=[
        Check("a play with itself", 1, same_play, close=package_kernel),
        Check("the same law, other actions and contexts", 1, same_law, close=package_kernel, rel_tol=1e-9),
        Check("one context's distribution moved", 1, one_row_moved, close=package_kernel, rel_tol=1e-9),
        Check(
            "two plays that have nothing in common",
            1,
            two_plays,
            close=package_kernel,
            rel_tol=1e-9,
            hint="Compute every term by hand for a law of two contexts.",
        ),
    ],
    wrong=[
        Wrong(
            "as printed, without squares",
            1,
            {"float(np.sum((u - v) ** 2)) / (2 * scale**2)": "float(np.linalg.norm(u - v)) / (2 * scale)"},
        ),
        Wrong("the length-scale without its square", 1, {"(2 * scale**2)": "(2 * scale)"}),
        Wrong("the two forgotten", 1, {"(2 * scale**2)": "scale**2"}),
        Wrong("absolute differences for squares", 1, {"np.sum((u - v) ** 2)": "np.sum(np.abs(u - v)) ** 2"}),
        Wrong(
            "a product of the terms",
            0,
            {
                "radial(x, x2, action) + radial(c, c2, context)": "radial(x, x2, action) * radial(c, c2, context)",
                "value += radial": "value *= radial",
            },
        ),
        Wrong(
            "one term for all distributions",
            0,
            {
                "    for row, row2 in zip(law, law2, strict=True):\n        value += radial(row, row2, distribution)\n": "    value += radial(law, law2, distribution)\n"
            },
        ),
        Wrong(
            "all distributions in one exponent, as often as there are contexts",
            2,
            {"value += radial(row, row2, distribution)": "value += radial(law, law2, distribution)"},
        ),
        Wrong(
            "the mean over contexts",
            0,
            {"value += radial(row, row2, distribution)": "value += radial(row, row2, distribution) / len(law)"},
        ),
        Wrong("length-scales in another order", 1, {"action, context, distribution": "distribution, action, context"}),
        Wrong("one length-scale for all", 2, {"= scales": "= scales[2], scales[2], scales[2]"}),
        Wrong(
            "the average distribution",
            0,
            {
                "    for row, row2 in zip(law, law2, strict=True):\n        value += radial(row, row2, distribution)\n": "    value += radial(law.mean(axis=0), law2.mean(axis=0), distribution)\n"
            },
        ),
    ],
)

# %% tags=["hidden", "q2"]
q2 = Question(
    function="mixed_variance",
    example="mixed_variance(np.array([0.2, 0.8]), np.array([0.6, 0.4]), np.array([1.0, 0.0]), np.array([0.5, 0.5]), 0.5, True, True)",
    hard="mixed_variance(np.array([0.2, 0.8]), np.array([0.6, 0.4]), np.array([1.0, 0.0]), np.array([0.5, 0.5]), 0.5, True, False)",
    checks=[
        Check("under the sum", 1, sums, close=package_mixed, abs_tol=1e-9),
        Check("under the joint function with squares", 1, joint_with_squares, close=package_mixed, abs_tol=1e-9),
        Check("under the joint function as printed", 2, joint_as_printed, close=package_mixed, abs_tol=1e-9),
        Check("one distribution stays", 1, one_stays, close=package_mixed, abs_tol=1e-9),
    ],
    wrong=[
        Wrong(
            "as printed as if it were a product",
            3,
            {
                "        if joint:\n": "        if joint and not squares:\n            return 2 * radial(laws[0], others[0]) * radial(laws[1], others[1])\n        if joint:\n"
            },
        ),
        Wrong("the factor of the joint function forgotten", 2, {"return 2 * radial": "return radial"}),
        Wrong(
            "standard deviation", 2, {"max(0.0, float(variance))": "math.sqrt(variance) if variance > 1e-12 else 0.0"}
        ),
        Wrong("the wrong corner is added", 0, {"(1, -1, -1, 1)": "(1, -1, 1, -1)"}),
        Wrong(
            "variances only",
            0,
            {
                "sign * sign2 * covariance(laws, others)\n": "sign * sign2 * covariance(laws, others) * (laws is others)\n"
            },
        ),
        Wrong("always with squares", 3, {" if squares else ": " if True else "}),
        Wrong("always as printed", 4, {" if squares else ": " if False else "}),
        Wrong("zero, as under the sum", 2, {"        if joint:\n": "        if False:\n"}),
        Wrong(
            "a product for the sum",
            4,
            {
                "        return radial(laws[0], others[0]) + radial(laws[1], others[1])\n": "        return radial(laws[0], others[0]) * radial(laws[1], others[1])\n"
            },
        ),
    ],
)

# %% tags=["hidden", "q3"]
q3 = Question(
    function="last_variance",
    example="last_variance(3, 2)",
    hard="last_variance(2, 1)",
    checks=[
        Check(
            "two contexts with two candidates, against the posterior", 1, [(2, 2)], close=posterior_ratio, rel_tol=0.02
        ),
        Check(
            "more candidates, against the posterior", 1, [(4, 2), (5, 2), (3, 3)], close=posterior_ratio, rel_tol=0.02
        ),
        Check(
            "the limit itself",
            2,
            lambda draw, mine: [(2, draw.integer(3, 10)), (draw.integer(3, 6), 4), (draw.integer(5, 40), 2), (6, 3)],
            close=least_squares_ratio,
            hint="Least squares with as many parameters as the sum leaves free.",
        ),
        Check("one context", 1, lambda draw, mine: [(draw.integer(3, 90), 1) for _ in range(2)], close=no_limit),
    ],
    wrong=[
        Wrong(
            "every observation's noise",
            2,
            {"known / (m**C - known) if C > 1 else math.inf": "float(m**C - 1) if C > 1 else math.inf"},
        ),
        Wrong("all laws observed", 1, {"known / (m**C - known)": "known / m**C"}),
        Wrong("one parameter per candidate", 1, {"1 + C * (m - 1)": "C * m"}),
        Wrong("the constant forgotten", 1, {"1 + C * (m - 1)": "C * (m - 1)"}),
        Wrong("parameters per observation", 1, {"(m**C - known)": "(m**C - 1)"}),
        Wrong("three corners, whatever else there is", 1, {"return known": "return 3.0 if C > 0 else known"}),
        Wrong("an error for one context", 4, {" if C > 1 else math.inf": ""}),
        Wrong("zero for one context", 4, {"else math.inf": "else 0.0"}),
        Wrong("standard deviation", 1, {"return known / (m**C - known)": "return math.sqrt(known / (m**C - known))"}),
        Wrong(
            "as if every context had two candidates",
            2,
            {"1 + C * (m - 1)": "1 + C", "(m**C - known)": "(2**C - known)"},
        ),
    ],
)


# %% tags=["hidden", "q4"]
def package_run(mine, prediction):
    import numpy as np

    from companion.papers.meanfield.method.kernel import AdditiveKernel, Plays

    laws, found = own_laws(mine, prediction), {}
    nothing = np.zeros((16, 1))
    K = AdditiveKernel(0.4, 0.4, 0.4)(Plays(nothing, nothing, laws))
    for name, left_out in (("one", 1), ("two", 2)):
        half = np.linalg.solve(
            np.linalg.cholesky(K[left_out:, left_out:] + 0.01 * np.eye(16 - left_out)), K[left_out:, 0]
        )
        found[name] = float(K[0, 0] - half @ half) / 0.01
    return {"first": float(K[0, 1]), **found}


q4 = own_run(
    "my_run",
    package_run,
    0,
    2000,
    [
        ("a prediction, and the covariance of the two laws that follow from it", 1, ["first"]),
        ("one law left out", 1, ["one"]),
        ("two laws left out", 2, ["two"]),
    ],
    [
        Wrong(
            "the limit without noise", 1, {'"one": ratio(1, 0.01), "two": ratio(2, 0.01)': '"one": 7 / 9, "two": 1.0'}
        ),
        Wrong("standard deviation of the noise", 1, {"+ noise_variance * np.eye": "+ noise_variance**0.5 * np.eye"}),
        Wrong("the other one left out", 2, {'"two": ratio(2, 0.01)': '"two": ratio(1, 0.01)'}),
    ],
)

# %% tags=["hidden", "q5"]
q5 = Question(
    value="why",
    rubric=[
        ("No interaction between contexts, said in words", 1),
        ("A plausible and an implausible situation", 2),
        ("What the picture of the own run shows, with two numbers, and how far the prediction was off", 2),
    ],
)
