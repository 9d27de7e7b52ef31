# %% tags=["assignment"]
TITLE = "A promise to keep when you stop"
CHAPTER = 6
GOAL = "Stop when the data allow it, count whether the promise was kept, and compare two methods fairly."
LEVEL = "intermediate"
MINUTES = 90

# %% [markdown]
# # A promise to keep when you stop
#
# Somebody has a budget for many evaluations and would rather spend few. When may they stop? Chapter 6 asks for a promise:
# *the point that I name loses at most $\varepsilon$, with probability $1-\delta$*.
#
# Let $f$ on $N$ points have, given all data, a normal law with mean vector $\mu$ and covariance matrix $C$. Name the point
# $r$ with the largest mean, of several the first one. The probability that another one is better by more than $\varepsilon$
# is at most
#
# $$q=\min\Big(1,\ \sum_{x\ne r}\Phi\Big(-\frac{\mu(r)+\varepsilon-\mu(x)}{s_x}\Big)\Big),\qquad
#   s_x^2=\operatorname{Var}\big(f(x)-f(r)\big)=C_{xx}+C_{rr}-2C_{xr}.$$
#
# Where $s_x=0$, the difference is known, and the term is 0: no mean is larger than that of $r$. Stop as soon as
# $q\le\delta$. Points are numbered from 0, and an observation of $f(x)$ has independent noise of variance $\sigma_n^2$.

# %% tags=["setup"]
import math

import numpy as np
from scipy import stats
from scipy.special import ndtr
from selfcheck import numbers

# %% [markdown] tags=["question", "q1"]
# ## 1. How sure?
#
# Write `how_sure(mean, covariance, epsilon)`, which returns the list `[r, q]`, an integer and a float. Two points may be
# copies of each other. $\varepsilon\ge0$.


# %% tags=["answer", "q1"]
def how_sure(mean, covariance, epsilon):
    """The point of largest mean, and a bound on the probability that it loses more than epsilon: [int, float]."""
    # BEGIN SOLUTION
    r = int(np.argmax(mean))
    variance = np.diagonal(covariance) + covariance[r, r] - 2 * covariance[r]
    total = 0.0
    for x in range(len(mean)):
        if x != r and variance[x] > 1e-14:
            total += float(ndtr(-(mean[r] + epsilon - mean[x]) / math.sqrt(variance[x])))
    return [r, min(1.0, total)]
    # END SOLUTION


# %% [markdown] tags=["hint", "q1"]
# First the point: `np.argmax` takes the first of several.
#
# The variance of a difference has a covariance in it. Write the three terms as arrays over all $x$ at once.
#
# Leave $r$ out of the sum, and every $x$ at which the difference has no variance. `scipy.special.ndtr` is $\Phi$.


# %% tags=["public", "q1"]
def public_q1(how_sure):
    import numpy as np

    mean, covariance = np.array([0.2, 0.9, 0.4]), np.array([[1.0, 0.3, 0.2], [0.3, 0.8, 0.1], [0.2, 0.1, 0.5]])
    found = how_sure(mean.copy(), covariance.copy(), 0.1)
    assert isinstance(found, list), "how_sure should return a list."
    assert len(found) == 2, "The list should have two entries, r and q."
    assert type(found[0]) is int, "The first entry should be a Python integer."
    assert isinstance(found[1], float), "The second entry should be a float."
    assert 0 <= found[1] <= 1, "The second entry is a bound on a probability, so it lies between 0 and 1."
    assert how_sure(mean.copy(), covariance.copy(), 0.5)[1] < found[1], "A weaker promise should be surer."


# %% [markdown] tags=["question", "q2"]
# ## 2. The first moment
#
# A run chooses the points `chosen`, in this order, and observes the values `observed` there. The prior has mean zero and
# the given covariance matrix. Write `first_stop(covariance, noise_variance, chosen, observed, epsilon, delta)`: the smallest
# number $t\ge0$ of observations after which $q\le\delta$, an integer, and $-1$ if that is never so. You may look after
# every evaluation: $q$ is a conditional probability given all that was seen, so the promise holds at any moment at which
# you choose to stop.


# %% tags=["answer", "q2"]
def first_stop(covariance, noise_variance, chosen, observed, epsilon, delta):
    """The smallest number of observations after which q is at most delta, or -1."""
    # BEGIN SOLUTION
    mean, posterior = np.zeros(len(covariance)), covariance.copy()
    for t in range(len(chosen) + 1):
        if how_sure(mean, posterior, epsilon)[1] <= delta:
            return t
        if t < len(chosen):
            column = posterior[:, chosen[t]] / (posterior[chosen[t], chosen[t]] + noise_variance)
            mean = mean + column * (observed[t] - mean[chosen[t]])
            posterior = posterior - np.outer(column, posterior[chosen[t]])
    return -1
    # END SOLUTION


# %% [markdown] tags=["hint", "q2"]
# Look before the first observation, too: with a large $\varepsilon$ nothing has to be observed.
#
# After the last observation you may look once more. So how many looks are there for $n$ observations?
#
# One observation $y$ at $j$ takes the mean to $\mu+C_{\cdot j}(y-\mu_j)/(C_{jj}+\sigma_n^2)$ and the covariance to
# $C-C_{\cdot j}C_{j\cdot}/(C_{jj}+\sigma_n^2)$.


# %% tags=["public", "q2"]
def public_q2(first_stop):
    import numpy as np

    covariance = np.array([[1.0, 0.3], [0.3, 1.0]])
    found = first_stop(covariance.copy(), 0.1, [0, 1, 0, 1], [1.2, -0.9, 1.1, -1.0], 0.1, 0.05)
    assert type(found) is int, "first_stop should return a Python integer."
    assert -1 <= found <= 4, "There are four observations, so the answer lies between -1 and 4."
    assert first_stop(covariance.copy(), 0.1, [], [], 0.1, 0.05) == -1, "Without observations this run should not stop."


# %% [markdown] tags=["question", "q3"]
# ## 3. Was the promise kept?
#
# A library's rule has stopped `mine["runs"]` independent runs, and in some number $k$ of them the promise was broken. You
# want to say: *it is broken in at most a share* $\delta$ = `mine["delta"]` *of runs*, and be wrong about that with
# probability 5 percent at most. The exact (Clopper-Pearson) upper limit of the share is the largest $p$ for which $k$ or
# fewer broken promises still have a probability of at least 5 percent. Set `most_broken` to the largest $k$ whose upper
# limit is at most $\delta$, an integer.


# %% tags=["numbers", "q3"]
def numbers_q3(draw):
    return {"runs": draw.integer(300, 900), "delta": draw.decimal(0.1, 0.25, 2)}


# %% tags=["answer", "q3"]
mine = numbers("q3")
# BEGIN SOLUTION
most_broken = 0
while stats.binom.cdf(most_broken + 1, mine["runs"], mine["delta"]) <= 0.05:
    most_broken += 1
# END SOLUTION


# %% [markdown] tags=["hint", "q3"]
# If promises were broken in exactly a share $\delta$ of runs, what would be the law of $k$?
#
# The upper limit is at most $\delta$ exactly if, at $p=\delta$, $k$ or fewer have a probability of at most 5 percent.
#
# `stats.binom.cdf(k, n, p)` is the probability of $k$ or fewer. Go up from 0.


# %% tags=["public", "q3"]
def public_q3(most_broken, mine):
    assert type(most_broken) is int, "Your most_broken should be a Python integer."
    assert 0 <= most_broken <= mine["runs"], "Your most_broken should be a number of runs."


# %% [markdown] tags=["solution", "q3"]
# The upper limit $u$ of $k$ solves $\Pr(S\le k)=0.05$ at $p=u$, and $\Pr(S\le k)$ falls as $p$ grows. So $u\le\delta$ exactly
# if the probability is at most 5 percent at $p=\delta$. The share $k/n$ has to lie clearly below $\delta$: who sees exactly
# a share $\delta$ of broken promises may not say that the promise is kept.

# %% [markdown] tags=["question", "q4"]
# ## 4. Two methods, the same functions
#
# Two methods have played the same $n\ge2$ functions, with the same initial points and noise: `first` and `second` are
# arrays of their regrets, entry by entry of the same function. Write `compare(first, second)`, which returns the list `[mean,
# low, high]` of three floats: the mean of the differences `first - second`, and Student's $t$ interval of 95 percent for
# it. Some functions are harder than others by far, for both methods; an interval
# that does not use the pairs is wide for that reason alone.


# %% tags=["answer", "q4"]
def compare(first, second):
    """Mean of the paired differences, and the ends of its 95 percent interval: a list of three floats."""
    # BEGIN SOLUTION
    differences = np.asarray(first) - np.asarray(second)
    n = len(differences)
    half = stats.t.ppf(0.975, n - 1) * np.std(differences, ddof=1) / math.sqrt(n)
    return [float(differences.mean()), float(differences.mean() - half), float(differences.mean() + half)]
    # END SOLUTION


# %% [markdown] tags=["hint", "q4"]
# Take the differences first, and forget the two arrays: what is left is the interval for the mean of one sample.
#
# Standard deviation with $n-1$ in the denominator (`ddof=1`), divided by $\sqrt n$, times the quantile of Student's law
# with $n-1$ degrees of freedom.


# %% tags=["public", "q4"]
def public_q4(compare):
    import numpy as np

    found = compare(np.array([0.3, 1.2, 5.1]), np.array([0.1, 1.1, 4.7]))
    assert isinstance(found, list), "compare should return a list."
    assert len(found) == 3, "The list should have three entries, mean, low and high."
    assert all(isinstance(value, float) for value in found), "The three entries should be floats."
    assert found[1] < found[0] < found[2], "The mean should lie between low and high."


# %% [markdown] tags=["question", "q5"]
# ## 5. Tell a colleague
#
# Set `why` to a text of 40 to 150 words. A colleague stops when there was no improvement in ten evaluations, and says that it
# has always worked. What does the rule promise, and for which functions does it break? Say which of the rules of the
# chapter you would use in its place, what it assumes, and what happens if that is wrong.


# %% tags=["answer", "q5"]
# BEGIN SOLUTION
why = """The rule promises nothing: it looks at what was found, and not at what is still possible. On a smooth line it works,
since ten evaluations in a row that do not improve have seen most of it. With many independent points it breaks: ten of
them may well be worse than the best so far while the best of all was never tried. I would stop by the posterior
probability that the named point loses more than epsilon. It uses the model for all points, so it goes on as long as one
of them may be better. It assumes that the model is right, kernel, length-scale and noise. With a length-scale that is too
long it is too sure and stops too early, which only new functions can show."""
# END SOLUTION


# %% [markdown] tags=["hint", "q5"]
# Which quantity does the rule look at, and which one is the promise about?
#
# Think of fifty independent arms, and of a smooth line. In the chapter one picture has both.


# %% tags=["public", "q5"]
def public_q5(why):
    assert isinstance(why, str), "Your answer should be a text between quotes."
    words = len(why.split())
    assert 40 <= words <= 150, f"Your text has {words} words; 40 to 150 were asked for."


# %% tags=["hidden"]
from companion.classroom.questions import Check, Question, Wrong


def package_sure(mean, covariance, epsilon):
    from companion.gp.ties import lowest_argmax
    from companion.policies.stopping import Contest, difference_sd

    best = int(lowest_argmax(mean))
    sd = difference_sd(np.diagonal(covariance), covariance[best], best)
    return [best, Contest(best, mean[best] - mean, sd).union(epsilon)]


def looks(covariance, noise_variance, chosen, observed, epsilon):
    """The package's posterior before each observation and after the last one: its bound on the probability."""
    from companion.gp import FinitePosterior

    posterior, found = FinitePosterior(covariance, noise_variance), []
    for point, value in [*zip(chosen, observed, strict=True), (None, None)]:
        left = covariance - posterior.factor[0].T @ posterior.factor[0]
        found.append(package_sure(posterior.mean[0], left, epsilon)[1])
        if point is not None:
            posterior.observe(int(point), float(value))
    return found


def package_stop(covariance, noise_variance, chosen, observed, epsilon, delta):
    probabilities = looks(covariance, noise_variance, chosen, observed, epsilon)
    return next((t for t, q in enumerate(probabilities) if q <= delta), -1)


def stop_by(own, covariance, noise_variance, chosen, observed, epsilon, delta):
    """The same by the student's own bound."""
    from companion.gp import FinitePosterior

    posterior = FinitePosterior(covariance, noise_variance)
    for t in range(len(chosen) + 1):
        left = covariance - posterior.factor[0].T @ posterior.factor[0]
        if own(posterior.mean[0], left, epsilon)[1] <= delta:
            return t
        if t < len(chosen):
            posterior.observe(int(chosen[t]), float(observed[t]))
    return -1


def covariance_of(generator, size):
    """Correlated points with different variances between 0.3 and 1."""
    root = generator.standard_normal((size, size + 2))
    matrix = root @ root.T
    sd = np.sqrt(generator.uniform(0.3, 1.0, size) / np.diagonal(matrix))
    return matrix * np.outer(sd, sd)


def beliefs(independent, epsilons):
    """Inputs of question 1, whose bound is neither 0 nor 1."""

    def inputs(draw, mine):
        cases = []
        while len(cases) < 8:
            generator, size = draw.generator(), draw.integer(3, 7)
            matrix = covariance_of(generator, size)
            if independent:
                matrix = np.diag(np.diagonal(matrix))
            mean = generator.uniform(-1.5, 0.5, size)
            mean[draw.integer(0, size - 1)] = draw.uniform(1.0, 1.6)
            case = (mean, matrix, draw.uniform(*epsilons))
            if package_sure(*case)[1] < 0.9:
                cases.append(case)
        return cases

    return inputs


def copies(draw, mine):
    """Inputs of question 1: the point of largest mean has a copy of itself, before or after it."""
    cases = []
    for number, (mean, matrix, epsilon) in enumerate(beliefs(False, (0.05, 0.3))(draw, mine)[:4]):
        best = int(np.argmax(mean))
        order = [best, *range(len(mean))] if draw.integer(0, 1) else [*range(len(mean)), best]
        # Without a margin the copy's term is 0 over 0.
        cases.append((mean[order], matrix[np.ix_(order, order)], epsilon * (number % 2)))
    return cases


def hopeless(draw, mine):
    """Inputs of question 1: so many equal points that the sum exceeds 1."""
    return [(np.zeros(size), np.eye(size), draw.uniform(0.05, 0.2)) for size in (9, 14)]


def a_run(draw, size, length, delta, epsilon):
    generator = draw.generator()
    matrix = covariance_of(generator, size)
    values = np.linalg.cholesky(matrix) @ generator.standard_normal(size)
    noise_variance = draw.uniform(0.02, 0.06)
    chosen = [int(point) for point in generator.integers(0, size, length)]
    observed = values[chosen] + math.sqrt(noise_variance) * generator.standard_normal(length)
    return matrix, noise_variance, chosen, [float(value) for value in observed], epsilon, delta


def alone(mean, covariance, epsilon):
    """The bound of points that are taken for independent."""
    return package_sure(mean, np.diag(np.diagonal(covariance)), epsilon)


def runs(wanted, length, epsilon, apart=False):
    """Inputs of question 2 of the kind that is wanted, with no look near the edge; ``apart`` if covariances have to matter."""

    def inputs(draw, mine):
        cases = []
        while len(cases) < 6:
            case = a_run(draw, draw.integer(3, 5), length, draw.decimal(0.05, 0.2, 2), draw.uniform(*epsilon))
            probabilities = looks(*case[:5])
            edge = min(abs(q - case[5]) for q in probabilities) < 1e-4
            stop = next((t for t, q in enumerate(probabilities) if q <= case[5]), -1)
            if not edge and wanted(stop) and not (apart and stop_by(alone, *case) == stop):
                cases.append(case)
        return cases

    return inputs


def limit_met(most_broken, mine):
    from companion.policies.stopping import exact_upper

    assert type(most_broken) is int, "an integer was asked for"
    assert 0 <= most_broken < mine["runs"], "it is a number of runs"
    assert exact_upper(most_broken, mine["runs"], 0.05) <= mine["delta"], "with so many the limit is above delta"


def most(mine):
    from companion.policies.stopping import most_allowed

    return most_allowed(mine["runs"], mine["delta"], 0.05)


def package_compare(first, second):
    from companion.judge.intervals import paired_interval

    found = paired_interval(first, second)
    return [found.estimate, found.low, found.high]


def mean_of_pairs(answer, first, second):
    assert isinstance(answer, list | np.ndarray), "a list was asked for"
    assert len(answer) == 3, "a list of three numbers was asked for"
    wanted = package_compare(first, second)[0]
    assert abs(float(answer[0]) - wanted) <= 1e-9 * (1 + abs(wanted)), "not the right mean"


def regrets(low, high):
    """Inputs of question 4: hard and easy functions, which both methods share."""

    def inputs(draw, mine):
        cases = []
        for _ in range(5):
            generator, n = draw.generator(), draw.integer(low, high)
            hard = generator.exponential(2.0, n)
            cases.append((hard + generator.normal(0.3, 0.2, n), hard + generator.normal(0.0, 0.2, n)))
        return cases

    return inputs


# %% tags=["hidden", "q1"]
q1 = Question(
    function="how_sure",
    example="how_sure(np.array([0.5, 0.0, 0.2]), np.array([[0.5, 0.2, 0.0], [0.2, 0.6, 0.0], [0.0, 0.0, 0.4]]), 0.1)",
    checks=[
        Check("independent points", 1, beliefs(True, (0.05, 0.3)), close=package_sure),
        Check(
            "correlated points",
            2,
            beliefs(False, (0.05, 0.3)),
            close=package_sure,
            hint="How uncertain is the difference of two values that move together?",
        ),
        Check("a promise without a margin", 1, beliefs(False, (0.0, 0.0)), close=package_sure),
        Check(
            "a copy of the best point",
            1,
            copies,
            close=package_sure,
            hint="What is known of the difference of two copies?",
        ),
        Check("a sum above 1", 1, hopeless, close=package_sure, hint="What is the largest value of a probability?"),
    ],
    wrong=[
        Wrong("covariance forgotten", 2, {" - 2 * covariance[r]": ""}),
        Wrong("variance of the other point only", 1, {" + covariance[r, r] - 2 * covariance[r]": ""}),
        Wrong("variance for standard deviation", 1, {"math.sqrt(variance[x])": "variance[x]"}),
        Wrong("margin forgotten", 2, {"mean[r] + epsilon - mean[x]": "mean[r] - mean[x]"}),
        Wrong("margin with the other sign", 2, {"mean[r] + epsilon": "mean[r] - epsilon"}),
        Wrong("copies not left out", 5, {" and variance[x] > 1e-14": ""}),
        Wrong("not cut at 1", 5, {"min(1.0, total)": "total"}),
        Wrong(
            "the point itself counted",
            4,
            {"x != r and variance[x] > 1e-14": "True", "math.sqrt(variance[x])": "math.sqrt(variance[x] + 1e-300)"},
        ),
        Wrong(
            "the largest term only",
            0,
            {"total += float(": "total = max(total, ", " / math.sqrt(variance[x])))": " / math.sqrt(variance[x])))"},
        ),
        Wrong("probability of being right", 0, {"min(1.0, total)]": "1.0 - min(1.0, total)]"}),
    ],
)

# %% tags=["hidden", "q2"]
q2 = Question(
    function="first_stop",
    example="first_stop(np.array([[1.0, 0.2], [0.2, 1.0]]), 0.1, [0, 1, 0], [0.9, -0.4, 1.0], 0.1, 0.05)",
    checks=[
        Check(
            "runs that stop in between",
            2,
            runs(lambda t: 1 < t < 14, 14, (0.1, 0.4), apart=True),
            equals=package_stop,
        ),
        Check("runs that never stop", 1, runs(lambda t: t == -1, 4, (0.05, 0.1)), equals=package_stop),
        Check(
            "nothing has to be observed",
            1,
            runs(lambda t: t == 0, 4, (5.0, 7.0)),
            equals=package_stop,
            hint="When do you look for the first time?",
        ),
        Check(
            "runs that stop after the last observation",
            1,
            runs(lambda t: t == 5, 5, (0.1, 0.5)),
            equals=package_stop,
        ),
    ],
    wrong=[
        Wrong("first look after the first observation", 4, {"[1] <= delta:": "[1] <= delta and t > 0:"}),
        Wrong("no look after the last", 4, {"range(len(chosen) + 1)": "range(len(chosen))"}),
        Wrong("one more than needed", 1, {"return t\n": "return t + 1\n"}),
        Wrong("the mean stays", 2, {"mean = mean + column * (observed[t] - mean[chosen[t]])": "pass"}),
        Wrong("the covariance stays", 2, {"posterior = posterior - np.outer(column, posterior[chosen[t]])": "pass"}),
        Wrong("standard deviation of the noise", 2, {"+ noise_variance)": "+ noise_variance**0.5)"}),
        Wrong("the number of observations where it never stops", 4, {"return -1": "return len(chosen)"}),
        Wrong("delta shared among the looks", 2, {"[1] <= delta:": "[1] <= delta / (len(chosen) + 1):"}),
    ],
)

# %% tags=["hidden", "q3"]
q3 = Question(
    value="most_broken",
    checks=[
        Check(
            "with so many the upper limit is at most delta",
            1,
            holds=limit_met,
            hint="At the share delta, how probable are so few?",
        ),
        Check("it is the largest such number", 2, equals=most, hint="Try one more, and one less."),
    ],
    wrong=[
        Wrong("the expected number", 0, code='most_broken = int(numbers("q3")["runs"] * numbers("q3")["delta"])'),
        Wrong("one too many", 0, {"# END SOLUTION": "most_broken += 1"}),
        Wrong("one too few", 1, {"# END SOLUTION": "most_broken -= 1"}),
        Wrong("an interval with two sides", 1, {"<= 0.05": "<= 0.025"}),
        Wrong("fewer, not as few", 0, {"most_broken + 1, mine": "most_broken, mine"}),
        Wrong("none broken", 1, code="most_broken = 0"),
        Wrong(
            "Hoeffding's inequality",
            1,
            code="""
mine = numbers("q3")
most_broken = math.floor(mine["runs"] * (mine["delta"] - math.sqrt(math.log(20) / (2 * mine["runs"]))))
""",
        ),
        Wrong("as a share", 0, {"# END SOLUTION": 'most_broken = most_broken / mine["runs"]'}),
    ],
)

# %% tags=["hidden", "q4"]
q4 = Question(
    function="compare",
    example="compare(np.array([1.0, 3.0, 2.5]), np.array([0.5, 2.8, 1.7]))",
    checks=[
        Check("the mean", 1, regrets(5, 30), holds=mean_of_pairs),
        Check(
            "the interval",
            2,
            regrets(20, 40),
            close=package_compare,
            hint="How much do the differences vary? And how much do the regrets?",
        ),
        Check(
            "the interval of a few functions",
            1,
            regrets(2, 4),
            close=package_compare,
            hint="Few runs, few degrees of freedom.",
        ),
    ],
    wrong=[
        Wrong(
            "the pairs not used",
            1,
            {"np.std(differences, ddof=1)": "np.sqrt(np.var(first, ddof=1) + np.var(second, ddof=1))"},
        ),
        Wrong("normal quantile", 1, {"stats.t.ppf(0.975, n - 1)": "1.959964"}),
        Wrong("n in the denominator", 1, {", ddof=1": ""}),
        Wrong("quantile of one side", 1, {"0.975": "0.95"}),
        Wrong("spread of the differences, not of their mean", 1, {" / math.sqrt(n)": ""}),
        Wrong(
            "the other sign", 0, {"np.asarray(first) - np.asarray(second)": "np.asarray(second) - np.asarray(first)"}
        ),
        Wrong("median for mean", 0, {"[float(differences.mean()), ": "[float(np.median(differences)), "}),
        Wrong("n degrees of freedom", 1, {"(0.975, n - 1)": "(0.975, n)"}),
    ],
)

# %% tags=["hidden", "q5"]
q5 = Question(
    value="why",
    rubric=[
        ("What the rule promises, and why", 1),
        ("A kind of function on which it breaks, with the reason", 1),
        ("A rule with a promise, and what it assumes", 1),
        ("What happens if the model is wrong", 1),
    ],
)
