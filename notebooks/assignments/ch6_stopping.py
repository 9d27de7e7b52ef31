# %% tags=["assignment"]
TITLE = "A promise to keep when you stop"
CHAPTER = 6
GOAL = "Stop when the data allow it, count whether the promise was kept, and see both in a run of your own."
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
import random
from statistics import NormalDist

import numpy as np
from scipy import stats
from scipy.special import ndtr
from selfcheck import numbers


def own_run(mine, prediction):
    """Data of question 4, drawn from your numbers and from your prediction: covariance, choices, observations."""
    luck, law = random.Random(f"{mine['seed']} {prediction}"), NormalDist()
    place = np.arange(6)
    sd = np.array([0.6 + 0.4 * luck.random() for _ in place])
    covariance = np.exp(-np.abs(place[:, None] - place) / 2) * np.outer(sd, sd)
    values = np.linalg.cholesky(covariance) @ [law.inv_cdf(luck.random()) for _ in place]
    chosen = [luck.randrange(6) for _ in range(150)]
    return covariance, chosen, [float(values[x] + 0.5 * law.inv_cdf(luck.random())) for x in chosen]


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
# A library's rule has stopped $n$ independent runs, and in some number $k$ of them the promise was broken. You want to
# say: *it is broken in at most a share* $\delta$ *of runs*, and be wrong about that with probability 5 percent at most. The
# exact (Clopper-Pearson) upper limit of the share is the largest $p$ for which $k$ or fewer broken promises still have a
# probability of at least 5 percent. Write `most_broken(runs, delta)`: the largest $k$ whose upper limit is at most
# $\delta$, an integer, and $-1$ if that is not so for any $k\ge0$.


# %% tags=["answer", "q3"]
def most_broken(runs, delta):
    """The largest number of broken promises that shows a share of at most delta, or -1."""
    # BEGIN SOLUTION
    most = -1
    while stats.binom.cdf(most + 1, runs, delta) <= 0.05:
        most += 1
    return most
    # END SOLUTION


# %% [markdown] tags=["hint", "q3"]
# If promises were broken in exactly a share $\delta$ of runs, what would be the law of $k$?
#
# The upper limit is at most $\delta$ exactly if, at $p=\delta$, $k$ or fewer have a probability of at most 5 percent.
#
# `stats.binom.cdf(k, n, p)` is the probability of $k$ or fewer. Go up from 0.


# %% tags=["public", "q3"]
def public_q3(most_broken):
    found = most_broken(200, 0.2)
    assert type(found) is int, "most_broken should return a Python integer."
    assert 0 <= found < 40, "Of 200 runs fewer than a fifth may be broken, if a share of one fifth is to be excluded."
    assert most_broken(400, 0.2) > found, "In more runs more promises may be broken."


# %% [markdown] tags=["solution", "q3"]
# The upper limit $u$ of $k$ solves $\Pr(S\le k)=0.05$ at $p=u$, and $\Pr(S\le k)$ falls as $p$ grows. So $u\le\delta$ exactly
# if the probability is at most 5 percent at $p=\delta$. The share $k/n$ has to lie clearly below $\delta$: who sees exactly
# a share $\delta$ of broken promises may not say that the promise is kept.

# %% [markdown] tags=["question", "q4"]
# ## 4. A run of your own
#
# Six points, a noise variance of 0.25, $\varepsilon=0.3$, $\delta=0.1$, and 150 evaluations at points that chance has
# chosen. First predict: after how many of them may you stop? Then run
# `covariance, chosen, observed = own_run(mine, prediction)`, draw $q$ against the number of observations as a line, with
# $\delta$ as a second one, and set `my_run` to a dict with the keys
#
# - `"prediction"`, a whole number from 0 to 150,
# - `"first"`, the value observed first,
# - `"halfway"`, the sum of $q$ after $0,1,\dots,19$ observations,
# - `"stop"`, the number of observations after which you may stop first, or $-1$.
#
# *Type* the numbers that were printed, with four digits after the point. The data are drawn from your id and from your
# prediction, so predict first; how near you come earns nothing. When this is graded, `numbers("q4")` gives other numbers
# than yours: what counts is what you typed.


# %% tags=["numbers", "q4"]
def numbers_q4(draw):
    return {"seed": draw.integer(10**8, 10**9 - 1)}


# %% tags=["answer", "q4"]
mine = numbers("q4")
# BEGIN SOLUTION
prediction = 40
covariance, chosen, observed = own_run(mine, prediction)
mean, posterior, curve = np.zeros(6), covariance.copy(), []
for x, y in zip(chosen, observed, strict=True):
    curve.append(how_sure(mean, posterior, 0.3)[1])
    column = posterior[:, x] / (posterior[x, x] + 0.25)
    mean, posterior = mean + column * (y - mean[x]), posterior - np.outer(column, posterior[x])
my_run = {
    "prediction": prediction,
    "first": observed[0],
    "halfway": math.fsum(curve[:20]),
}  # yours holds what was printed
my_run["stop"] = first_stop(covariance, 0.25, chosen, observed, 0.3, 0.1)
# END SOLUTION


# %% [markdown] tags=["hint", "q4"]
# For the line you need $q$ after every observation: take the loop of question 2, and keep what it compares with $\delta$.
#
# How many observations of a point make its standard deviation small beside $\varepsilon$? There are six points.


# %% tags=["public", "q4"]
def public_q4(my_run, mine):
    assert isinstance(my_run, dict), "Your my_run should be a dict."
    assert set(my_run) == {"prediction", "first", "halfway", "stop"}, (
        "Its keys should be prediction, first, halfway and stop."
    )
    assert type(my_run["prediction"]) is int, "The prediction should be a whole number."
    assert 0 <= my_run["halfway"] <= 20, "A sum of twenty bounds of a probability should lie between 0 and 20."


# %% [markdown] tags=["question", "q5"]
# ## 5. Tell a colleague
#
# Set `why` to a text of 40 to 150 words. A colleague stops when there was no improvement in ten evaluations, and says that it
# has always worked. What does the rule promise, and for which functions does it break? Then look at your picture of
# question 4: what does it show, with two numbers, and how far was your prediction off? Would you stop there in earnest, if
# the length-scale may be wrong?


# %% tags=["answer", "q5"]
# BEGIN SOLUTION
why = """The rule promises nothing: it looks at what was found, and not at what is still possible. On a smooth line it works,
since ten evaluations in a row that do not improve have seen most of it. With many independent points it breaks: ten of
them may well be worse than the best so far while the best of all was never tried. In my picture q stays above 0.8 for
the first ten observations, goes up and down, and falls below 0.1 after 31; I had predicted 40. I would stop there if I
believed the model. With a length-scale that is too long q is too small, and I would stop too early, which only new
functions can show."""
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
from companion.classroom.own_runs import own_run as key_of_own_run
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
            generator, size = draw.generator(), draw.integer(*draw.size((3, 7), (3, 3)))
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
    return [(np.zeros(size), np.eye(size), draw.uniform(0.05, 0.2)) for size in draw.size((9, 14), (5, 6))]


def a_run(draw, size, length, delta, epsilon):
    generator = draw.generator()
    matrix = covariance_of(generator, size)
    values = np.linalg.cholesky(matrix) @ generator.standard_normal(size)
    noise_variance = draw.uniform(0.02, 0.06)
    chosen = [int(point) for point in generator.integers(0, size, length)]
    observed = values[chosen] + math.sqrt(noise_variance) * generator.standard_normal(length)
    return matrix, noise_variance, chosen, [float(value) for value in observed], epsilon, delta


def runs(ends, epsilon=(0.1, 0.4)):
    """Inputs of question 2 with no look near the edge: the run ends so long after the moment to stop, or before it."""

    def inputs(draw, mine):
        cases = []
        while len(cases) < 5:
            size, length = draw.size((draw.integer(3, 5), 14), (2, 6))
            *run, chosen, observed, margin, delta = a_run(
                draw, size, length, draw.decimal(0.05, 0.2, 2), draw.uniform(*epsilon)
            )
            probabilities = looks(*run, chosen, observed, margin)
            stop = next((t for t, q in enumerate(probabilities) if q <= delta), 0)
            last = stop + ends
            if stop > 1 and last <= length and min(abs(q - delta) for q in probabilities) > 1e-4:
                cases.append((*run, chosen[:last], observed[:last], margin, delta))
        return cases

    return inputs


def at_once(draw, mine):
    """Inputs of question 2 with so wide a margin that nothing has to be observed."""
    size, length = draw.size((4, 4), (2, 2))
    return [a_run(draw, size, length, draw.decimal(0.05, 0.2, 2), draw.uniform(6.0, 8.0)) for _ in range(3)]


def most(runs, delta):
    from companion.policies.stopping import most_allowed

    return most_allowed(runs, delta, 0.05)


def nearly_most(answer, runs, delta):
    assert type(answer) is int, "an integer was asked for"
    assert abs(answer - most(runs, delta)) <= 1, "it is further away from the right number"


def many_runs(draw, mine):
    return [(draw.integer(300, 900), draw.decimal(0.1, 0.25, 2)) for _ in range(4)]


def too_few_runs(draw, mine):
    """Even if no promise was broken, it may be in more than a share delta."""
    return [(draw.integer(20, 28), draw.decimal(0.06, 0.1, 2)) for _ in range(3)]


def package_run(mine, prediction):
    covariance, chosen, observed = own_run(mine, prediction)
    curve = looks(covariance, 0.25, chosen, observed, 0.3)
    stop = next((t for t, q in enumerate(curve) if q <= 0.1), -1)
    return {"first": observed[0], "halfway": math.fsum(curve[:20]), "stop": stop}


# %% tags=["hidden", "q1"]
q1 = Question(
    function="how_sure",
    example="how_sure(np.array([0.5, 0.0, 0.2]), np.array([[0.5, 0.2, 0.0], [0.2, 0.6, 0.0], [0.0, 0.0, 0.4]]), 0.1)",
    hard="how_sure(np.array([0.7, 0.7, 0.2]), np.array([[0.5, 0.5, 0.1], [0.5, 0.5, 0.1], [0.1, 0.1, 0.4]]), 0.0)",
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
    hard="first_stop(np.array([[1.0, 0.2], [0.2, 1.0]]), 0.1, [0, 1], [0.9, -0.4], 6.0, 0.05)",
    checks=[
        Check(
            "runs that stop in between",
            2,
            runs(1),
            equals=package_stop,
            apart=["standard deviation of the noise", "delta shared among the looks"],
        ),
        Check("runs that never stop", 1, runs(-1), equals=package_stop),
        Check(
            "nothing has to be observed", 1, at_once, equals=package_stop, hint="When do you look for the first time?"
        ),
        Check(
            "runs that stop after the last observation",
            1,
            runs(0),
            equals=package_stop,
            apart=["standard deviation of the noise", "delta shared among the looks"],
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
    function="most_broken",
    example="most_broken(100, 0.1)",
    hard="most_broken(10, 0.1)",
    checks=[
        Check(
            "hundreds of runs, to one run", 1, many_runs, holds=nearly_most, hint="What is the law of k at p = delta?"
        ),
        Check(
            "hundreds of runs",
            2,
            many_runs,
            equals=most,
            apart=["normal limit", "an interval with two sides"],
            hint="Try one more, and one less.",
        ),
        Check(
            "so few that none may be broken",
            1,
            too_few_runs,
            equals=most,
            apart=["normal limit"],
            hint="Is the limit of k = 0 below delta?",
        ),
    ],
    wrong=[
        Wrong("the expected number", 0, {"    return most\n": "    return int(runs * delta)\n"}),
        Wrong("one too many", 1, {"    return most\n": "    return most + 1\n"}),
        Wrong("one too few", 1, {"    return most\n": "    return most - 1\n"}),
        Wrong("an interval with two sides", 1, {"<= 0.05": "<= 0.025"}),
        Wrong("none broken", 0, {"    return most\n": "    return 0\n"}),
        Wrong("never less than none", 3, {"    return most\n": "    return max(most, 0)\n"}),
        Wrong(
            "normal limit",
            1,
            {
                "    return most\n": "    return max(-1, math.floor(runs * delta - 1.645 * math.sqrt(runs * delta * (1 - delta))))\n"
            },
        ),
        Wrong(
            "Hoeffding's inequality",
            1,
            {
                "    return most\n": "    return max(-1, math.floor(runs * delta - math.sqrt(runs * math.log(20) / 2)))\n"
            },
        ),
        Wrong("as a share", 0, {"    return most\n": "    return most / runs\n"}),
    ],
)

# %% tags=["hidden", "q4"]
q4 = key_of_own_run(
    "my_run",
    package_run,
    0,
    150,
    [
        ("a prediction, and the first value that follows from it", 1, ["first"]),
        ("the bound in the first twenty rounds", 1, ["halfway"]),
        ("where your run may stop", 2, ["stop"]),
    ],
    [
        Wrong("one observation more", 2, {"# END SOLUTION": 'my_run["stop"] += 1'}),
        Wrong("the looks counted from one", 1, {"curve[:20]": "curve[1:21]"}),
        Wrong("the run of another prediction", 0, {"own_run(mine, prediction)\n": "own_run(mine, prediction + 1)\n"}),
    ],
)

# %% tags=["hidden", "q5"]
q5 = Question(
    value="why",
    rubric=[
        ("What the rule promises, and a kind of function on which it breaks, with the reason", 2),
        ("What the picture of the own run shows, with two numbers, and how far the prediction was off", 2),
        ("What happens if the model is wrong", 1),
    ],
)
