# %% tags=["assignment"]
TITLE = "What a sum of kernels cannot say"
CHAPTER = 4
GOAL = "Evaluate the additive kernel of the mean-field paper, see what its misprint would mean, and what its sum rules out."
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

import numpy as np
from scipy.optimize import brentq
from selfcheck import numbers

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
# ## 2. Where the misprint shows
#
# Let $f$ be a path on the line, with kernel $k_{RBF}$ and length-scale $\ell$ = `mine["lengthscale"]`. The slope over a
# step $h>0$ is $(f(u+h)-f(u))/h$. Its standard deviation is close to $1/\ell$ for small $h$ with squares; as printed it
# has no limit, so that the paper's Assumption 3.1, on derivatives, fails. Set `step` to the $h<\ell$ at which the
# standard deviation as printed is `mine["factor"]` times the one with squares *at the same* $h$. Six digits have to be
# right, so the leading order in $h$ is not enough.


# %% tags=["numbers", "q2"]
def numbers_q2(draw):
    return {"lengthscale": draw.decimal(0.2, 0.8, 3), "factor": draw.decimal(2.0, 6.0, 2)}


# %% tags=["answer", "q2"]
mine = numbers("q2")
# BEGIN SOLUTION
# The variance of f(u + h) - f(u) is 2 (1 - k(h)). In units of the length-scale, t = h / l, the equation has no l.
step = mine["lengthscale"] * brentq(
    lambda t: math.expm1(-t / 2) / math.expm1(-(t**2) / 2) - mine["factor"] ** 2, 1e-4, 1.0, xtol=1e-15, rtol=1e-14
)
# END SOLUTION


# %% [markdown] tags=["hint", "q2"]
# The variance of $f(u+h)-f(u)$ is $2(1-k(h))$. Write down the equation for $h$.
#
# In units of the length-scale, $t=h/\ell$, the equation holds no length-scale. `brentq` finds the root.
#
# For small $t$ the difference of 1 and the kernel loses digits; `math.expm1` keeps them.


# %% tags=["public", "q2"]
def public_q2(step, mine):
    assert isinstance(step, float), "Your step should be a float."
    assert 0 < step < mine["lengthscale"], "Your step should be positive and smaller than the length-scale."


# %% [markdown] tags=["solution", "q2"]
# As $\mathbb E(f(u+h)-f(u))^2=2(1-k(h))$, the equation is $1-e^{-h/(2\ell)}=q^2\,(1-e^{-h^2/(2\ell^2)})$ with $q$ the
# factor: at leading order $h=\ell/q^2$. The ratio of the two sides falls from infinity to one on $0<h\le\ell$, so there
# is one solution.

# %% [markdown] tags=["question", "q3"]
# ## 3. A mixed difference
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


# %% tags=["answer", "q3"]
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


# %% [markdown] tags=["hint", "q3"]
# $\Delta$ is a sum of four values of $f$ with signs. What is the variance of such a sum, in terms of the $4\times4$
# covariance matrix?
#
# For `joint=True` write the two distributions one after the other with `np.concatenate`, and take twice one radial
# function.
#
# One of the cases is zero, whatever is put in. Which one, and what does your function return there?


# %% tags=["public", "q3"]
def public_q3(mixed_variance):
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


# %% [markdown] tags=["solution", "q3"]
# $\Delta$ is a combination of four values with the weights $s=(1,-1,-1,1)$, so its variance is $s^\top Ks$. Under the
# sum it is zero, with squares and as printed: a path is $u(x)+v(c)+w_1(\xi_1)+w_2(\xi_2)$, and its mixed differences
# vanish (the chapter's exercise *What a sum cannot say*). With squares the joint function is a product $ab$ of those of
# the two moves, and the variance is $8(1-a)(1-b)$. As printed it is no product: the root is taken of the sum of both
# squared distances.

# %% [markdown] tags=["question", "q4"]
# ## 4. All laws but one
#
# Every one of $C$ contexts has $m\ge2$ candidate distributions, all different, which makes $m^C$ laws. Under the sum of
# equation (1), with $x$ and $c$ fixed, $f$ is observed once at *every law but one*, each time with independent noise of
# variance $R^2$. Let $v(R)$ be the posterior variance of $f$ at the law that was left out. Write `last_variance(m, C)`,
# the limit of $v(R)/R^2$ as $R\to0$, as a float; where $v(R)$ does not tend to zero, it is `math.inf`. Length-scales
# and candidates do not matter. $m^C\le2000$ and $C\ge1$.
#
# (Question 1's kernel lets you try $m=C=2$: the answer is how much three corners of a square know about the fourth.)


# %% tags=["answer", "q4"]
def last_variance(m, C):
    """Limit of the posterior variance at the law left out, in units of the noise variance, a float."""
    # BEGIN SOLUTION
    known = 1 + C * (m - 1)  # dimension of the functions w_1 + ... + w_C on the m ** C laws
    return known / (m**C - known) if C > 1 else math.inf
    # END SOLUTION


# %% [markdown] tags=["hint", "q4"]
# As the noise goes to zero the prior ceases to matter. What is left is least squares on the functions that the sum
# allows.
#
# How many free numbers has such a function on the $m^C$ laws? Mind the constants, which the terms share.
#
# If *all* laws were observed, every fitted value would have the same variance, by symmetry, and together they would
# add up to that number. Then leave one out.


# %% tags=["public", "q4"]
def public_q4(last_variance):
    for m, C in ((2, 2), (3, 2), (2, 5)):
        value = last_variance(m, C)
        assert isinstance(value, float), "last_variance should return a float."
        assert value > 0, "The limit should be positive, since the observations are noisy."
    assert last_variance(2, 5) < last_variance(2, 4) < last_variance(2, 3), (
        "With more contexts there are more laws that help, so the limit should fall."
    )


# %% [markdown] tags=["solution", "q4"]
# Paths are $w_1(\xi_1)+\dots+w_C(\xi_C)$ up to a constant, with any values of $w_c$ on the $m$ candidates: functions on
# the $m^C$ laws that form a space of dimension $d=1+C(m-1)$. As $R\to0$ the prior ceases to matter, and the posterior
# becomes least squares in this space. If all laws were observed, the fitted value at each would have the same variance
# $hR^2$ by symmetry, and these add up to the dimension: $h=d/m^C$. Leaving one out, its prediction has variance
# $R^2h/(1-h)=R^2d/(m^C-d)$. For $C=1$ we have $d=m^C$: nothing is said about the last law. Under the joint kernel
# $v(R)$ does not tend to zero for any $C$.

# %% [markdown] tags=["question", "q5"]
# ## 5. Is the sum a good prior?
#
# Set `why` to a text of 40 to 150 words for somebody who designs a market: what does the sum of kernels assume about
# how the crowds of two contexts act on a payoff? Name a situation where that is plausible and one where it is not,
# and say what the learner gains where it is.


# %% tags=["answer", "q5"]
# BEGIN SOLUTION
why = """Under the sum the effect of one context's crowd does not depend on what the crowd in another context does: mixed
differences are zero. That is plausible where contexts are regions that share no resource, such as two cities with
their own roads. It is not plausible where both crowds use the same server in the morning and in the evening, so
that the second one queues behind the first. Where the sum holds the learner gains much: the number of free values
grows with the number of contexts times candidates and not with a power, so a few laws say almost everything about
the others, and the information gain stays small."""
# END SOLUTION


# %% tags=["public", "q5"]
def public_q5(why):
    assert isinstance(why, str), "Your answer should be a text between quotes."
    words = len(why.split())
    assert 40 <= words <= 150, f"Your text has {words} words; 40 to 150 were asked for."


# %% tags=["hidden"]
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
    return features(draw, 2), features(draw, 1), a_law(draw, contexts, actions)


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
        moved, row = law.copy(), draw.integer(0, 2)
        moved[row] = other[row]
        cases.append((x, c, law, x, c, moved, three_scales(draw)))
    return cases


def two_plays(draw, mine):
    return [(*a_play(draw, contexts), *a_play(draw, contexts), three_scales(draw)) for contexts in (1, 2, 2, 4, 6)]


def ratio_of_slopes(step, mine):
    from companion.papers.meanfield.theory.smoothness import mean_square_slope

    assert type(step) is float, "a float was asked for"
    assert 1e-9 < step < mine["lengthscale"], "the step is positive and smaller than the length-scale"
    printed, plain = (float(mean_square_slope(form, mine["lengthscale"], step)) for form in ("printed", "squared"))
    return (printed / plain) ** 0.5


def steep_enough(step, mine):
    assert ratio_of_slopes(step, mine) > mine["factor"] * (1 - 1e-6), "the misprint is not as steep as asked for"


def nearly_as_steep(step, mine):
    ratio = ratio_of_slopes(step, mine) / mine["factor"]
    assert 1 / 1.05 < ratio < 1.05, "at this step the factor is more than five percent off"


def as_steep(step, mine):
    assert abs(ratio_of_slopes(step, mine) / mine["factor"] - 1) < 1e-6, "the factor is not right to six digits"


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
        laws = a_law(draw, 4, 3)
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
    checks=[
        Check("a play with itself", 1, same_play, close=package_kernel),
        Check("the same law, other actions and contexts", 1, same_law, close=package_kernel, rel_tol=1e-9),
        Check("one context's distribution moved", 1, one_row_moved, close=package_kernel, rel_tol=1e-9),
        Check(
            "two plays that have nothing in common",
            2,
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
    value="step",
    checks=[
        Check("the misprint is at least so much steeper", 1, holds=steep_enough),
        Check("the factor is right to five percent", 1, holds=nearly_as_steep),
        Check("the factor is right to six digits", 2, holds=as_steep, hint="Solve the equation numerically."),
    ],
    wrong=[
        Wrong(
            "leading order",
            1,
            {"lambda t: math.expm1(-t / 2) / math.expm1(-(t**2) / 2) - mine": "lambda t: 1 / t - mine"},
        ),
        Wrong("ratio of variances", 0, {'mine["factor"] ** 2, 1e-4': 'mine["factor"], 1e-4'}),
        Wrong(
            "against the limit of the slope with squares", 2, {"math.expm1(-(t**2) / 2) - mine": "-(t**2 / 2) - mine"}
        ),
        Wrong("in units of the length-scale", 0, {'step = mine["lengthscale"] * brentq': "step = brentq"}),
        Wrong("half of the step", 1, {"# END SOLUTION": "step /= 2"}),
        Wrong("both without the two", 2, {"-t / 2": "-t", "-(t**2) / 2": "-(t**2)"}),
        Wrong("the two forgotten in the misprint", 0, {"-t / 2": "-t"}),
        Wrong("three digits", 2, {"# END SOLUTION": "step *= 0.9997"}),
        Wrong("as a string", 0, {"# END SOLUTION": "step = str(step)"}),
    ],
)

# %% tags=["hidden", "q3"]
q3 = Question(
    function="mixed_variance",
    example="mixed_variance(np.array([0.2, 0.8]), np.array([0.6, 0.4]), np.array([1.0, 0.0]), np.array([0.5, 0.5]), 0.5, True, True)",
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

# %% tags=["hidden", "q4"]
q4 = Question(
    function="last_variance",
    example="last_variance(4, 3)",
    checks=[
        Check(
            "two contexts with two candidates, against the posterior", 1, [(2, 2)], close=posterior_ratio, rel_tol=0.02
        ),
        Check(
            "more candidates, against the posterior", 1, [(3, 2), (4, 2), (3, 3)], close=posterior_ratio, rel_tol=0.02
        ),
        Check(
            "the limit itself",
            2,
            lambda draw, mine: [(2, draw.integer(3, 10)), (draw.integer(3, 6), 4), (draw.integer(5, 40), 2), (6, 3)],
            close=least_squares_ratio,
            hint="Least squares with as many parameters as the sum leaves free.",
        ),
        Check("one context", 1, lambda draw, mine: [(2, 1), (draw.integer(3, 90), 1)], close=no_limit),
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

# %% tags=["hidden", "q5"]
q5 = Question(
    value="why",
    rubric=[
        ("No interaction between contexts, said in words", 1),
        ("A plausible and an implausible situation", 2),
        ("What is gained: fewer free values, faster learning", 1),
    ],
)
