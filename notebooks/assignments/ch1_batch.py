# %% tags=["assignment"]
TITLE = "A batch chosen blind"
CHAPTER = 1
GOAL = "Choose a batch by regret-to-sigma ratios, and see what the points already in it change."
LEVEL = "intermediate"
MINUTES = 75

# %% [markdown]
# # A batch chosen blind
#
# In chapter 1 an experimenter runs $m$ experiments at once and sees none of their outcomes before all are chosen. What
# is known of the function $f$ on $N$ points is its posterior: a mean vector $\mu$ and a covariance matrix $C$. An
# observation of $f(x)$ carries independent noise of variance $\sigma_n^2$.
#
# For every place $i$ of the batch there is a *sampled maximum* $\tilde f_i^*$: the maximum of one function drawn from
# the posterior. The rule of Ren and Li (Section 4, equation 4 and Algorithm 1) fills the places in turn,
#
# $$x_i\in\operatorname{arg\,min}_x\Psi_i(x),\qquad
#   \Psi_i(x)=\frac{\tilde f_i^*-\mu(x)}{\sigma(x\mid x_1,\dots,x_{i-1})} .$$
#
# The numerator is the regret of $x$ if the draw were right. The denominator is the standard deviation of $f(x)$ once
# the points already in the batch are counted as observed. For that no values are needed: with $S$ the points in the
# batch, repeats included (equation 2),
#
# $$\sigma^2(x\mid S)=C_{xx}-C_{xS}\,(C_{SS}+\sigma_n^2\mathbf I)^{-1}\,C_{Sx} .$$
#
# The mean $\mu$ stays as it is until the whole batch has been observed. Points are numbered from 0.

# %% tags=["setup"]
import math
import random

import numpy as np
from selfcheck import numbers


def own_round(mine, prediction):
    """Mean, covariance and 40 sampled maxima of question 3, drawn from your numbers and from your prediction."""
    luck, place = random.Random(f"{mine['seed']} {prediction}"), np.arange(12)
    mean = np.array([4 * luck.random() for _ in place])
    sd = np.array([0.5 + 0.5 * luck.random() for _ in place])
    covariance = np.exp(-np.abs(place[:, None] - place) / mine["reach"]) * np.outer(sd, sd)
    return mean, covariance, mean.max() + 0.5 + np.array([luck.random() for _ in range(40)])


# %% [markdown] tags=["question", "q1"]
# ## 1. What is still uncertain
#
# Write `pending_variance(covariance, noise_variance, batch)`. It returns the array of the $N$ variances
# $\sigma^2(x\mid S)$; `batch` is the list of the points in $S$. The list may be empty, and a point may stand in it more
# than once: then it is observed more than once.


# %% tags=["answer", "q1"]
def pending_variance(covariance, noise_variance, batch):
    """Variances of all N points once the points in the batch are counted as observed, an array (N,)."""
    # BEGIN SOLUTION
    picks = [int(point) for point in batch]
    columns = covariance[:, picks]
    inner = covariance[np.ix_(picks, picks)] + noise_variance * np.eye(len(picks))
    return np.diagonal(covariance) - np.sum(columns * np.linalg.solve(inner, columns.T).T, axis=1)
    # END SOLUTION


# %% [markdown] tags=["hint", "q1"]
# `covariance[:, batch]` are the columns $C_{\cdot S}$, with a column twice where a point is in the batch twice. What
# does an empty list give?
#
# You need the diagonal of a product only. `np.sum(A * B, axis=1)` is the diagonal of $AB^\top$.
#
# Which matrix gets the noise? $C_{SS}$ has a row for every observation; two observations of the same point have
# independent noise.


# %% tags=["public", "q1"]
def public_q1(pending_variance):
    import numpy as np

    covariance = np.array([[1.0, 0.6, 0.1], [0.6, 0.8, 0.2], [0.1, 0.2, 0.5]])
    for batch in ([], [1], [0, 2], [2, 2, 2]):
        variance = pending_variance(covariance.copy(), 0.3, batch)
        assert np.shape(variance) == (3,), "pending_variance should return one variance for each of the N points."
        assert np.all(np.asarray(variance) > 0), "A variance is not positive; with noise no batch tells everything."
    assert np.all(pending_variance(covariance.copy(), 0.3, [1]) < [1.0, 0.8, 0.5]), (
        "One observation should lower the variances of these correlated points."
    )


# %% [markdown] tags=["question", "q2"]
# ## 2. The batch
#
# Write `choose_batch(mean, covariance, noise_variance, maxima)`. It returns the list of the chosen points, one for each
# entry of `maxima`, in order. A sampled maximum may lie below some or all of the means, and a batch may have more
# places than there are points. The inputs have no ties.


# %% tags=["answer", "q2"]
def choose_batch(mean, covariance, noise_variance, maxima):
    """The points of the batch, a list of integers, one for every sampled maximum."""
    # BEGIN SOLUTION
    batch = []
    for maximum in maxima:
        sd = np.sqrt(pending_variance(covariance, noise_variance, batch))
        batch.append(int(np.argmin((maximum - mean) / sd)))
    return batch
    # END SOLUTION


# %% [markdown] tags=["hint", "q2"]
# Fill the places one after the other, and ask question 1 for the variances given the places before.
#
# The formula divides by the standard deviation. It holds for negative numerators as it is: do not change their sign.


# %% tags=["public", "q2"]
def public_q2(choose_batch):
    import numpy as np

    mean, covariance = np.array([0.1, 0.4, -0.3]), np.diag([1.0, 0.5, 0.7])
    batch = choose_batch(mean.copy(), covariance.copy(), 0.2, np.array([1.1, 1.5, 0.9, 1.2]))
    assert isinstance(batch, list), "choose_batch should return a list of points."
    assert len(batch) == 4, "There should be one point for every sampled maximum."
    assert all(int(point) == point and 0 <= point < 3 for point in batch), (
        "A point should be an integer from 0 to N - 1."
    )


# %% [markdown] tags=["question", "q3"]
# ## 3. A batch of your own
#
# Twelve points on a line, a noise variance of 0.3, and a batch of 40 places. Points are correlated as far as
# `mine["reach"]` says, and all sampled maxima lie above the means. First predict: how many different points does the batch
# hold? Then let `mean, covariance, maxima = own_round(mine, prediction)`, fill the batch, draw the number of different
# points among the first $1,2,\dots,40$ places as a line, and set `my_run` to a dict with the keys
#
# - `"prediction"`, a whole number from 1 to 12,
# - `"first"`, the largest of the sampled maxima,
# - `"left"`, the sum of the twelve variances after ten places of the batch are filled,
# - `"different"`, the number of different points in all 40 places.
#
# *Type* the numbers that were printed, with four digits after the point. The data are drawn from your id and from your
# prediction, so predict first; how near you come earns nothing. When this is graded, `numbers("q3")` gives other numbers
# than yours: what counts is what you typed.


# %% tags=["numbers", "q3"]
def numbers_q3(draw):
    return {"seed": draw.integer(10**8, 10**9 - 1), "reach": draw.decimal(1.0, 3.0, 1)}


# %% tags=["answer", "q3"]
mine = numbers("q3")
# BEGIN SOLUTION
prediction = 8
mean, covariance, maxima = own_round(mine, prediction)
batch = choose_batch(mean, covariance, 0.3, maxima)
my_run = {"prediction": prediction, "first": float(maxima.max())}  # yours holds what was printed
my_run["left"] = float(np.sum(pending_variance(covariance, 0.3, batch[:10])))
my_run["different"] = len(set(batch))
# END SOLUTION


# %% [markdown] tags=["hint", "q3"]
# A point with a low mean gets its turn when the others are known so well that their small standard deviations make their
# ratios larger. Is 40 places enough for that?
#
# `len(set(batch[:places]))` is the number of different points among the first places.


# %% tags=["public", "q3"]
def public_q3(my_run, mine):
    assert isinstance(my_run, dict), "Your my_run should be a dict."
    assert set(my_run) == {"prediction", "first", "left", "different"}, (
        "Its keys should be prediction, first, left and different."
    )
    assert type(my_run["prediction"]) is int, "The prediction should be a whole number."
    assert 1 <= my_run["different"] <= 12, "There should be between one and twelve different points."


# %% [markdown] tags=["question", "q4"]
# ## 4. A sampled maximum below the means
#
# Appendix C of the paper says: where the sampled maximum lies below the means, the rule simply takes the point with the
# highest mean. Refute it. Set `counterexample` to a dict with the keys `"mean"` (a list of two numbers), `"sd"` (a list
# of two numbers) and `"maximum"` (a number) for two independent points, such that
#
# - the mean of the first point exceeds that of the second by at least your `gap`,
# - both standard deviations lie between your `least_sd` and 1,
# - the sampled maximum lies below both means, but by no more than your `deepest` below the first one,
#
# and the rule, for the first place of a batch, takes the second point.


# %% tags=["numbers", "q4"]
def numbers_q4(draw):
    gap, least_sd = draw.decimal(0.2, 0.6, 2), draw.decimal(0.3, 0.6, 2)
    return {"gap": gap, "least_sd": least_sd, "deepest": round(1.12 * gap / (1 - least_sd), 3)}


# %% tags=["answer", "q4"]
mine = numbers("q4")
# BEGIN SOLUTION
depth = 1.05 * mine["gap"] / (1 - mine["least_sd"])  # this far below the first mean, a little beyond the edge
counterexample = {"mean": [0.0, -mine["gap"]], "sd": [1.0, mine["least_sd"]], "maximum": -depth}
# END SOLUTION


# %% [markdown] tags=["hint", "q4"]
# Let the first mean be 0 and the maximum $-d$. What are the two ratios? Both are negative.
#
# Which of two negative ratios is smaller? Compare $-d/s_1$ with $-(d-g)/s_2$.
#
# Solve for $d$. Your `deepest` leaves little room above that, so choose gap and standard deviations as extreme as you
# may.


# %% tags=["public", "q4"]
def public_q4(counterexample, mine):
    assert isinstance(counterexample, dict), "Your counterexample should be a dict."
    assert set(counterexample) == {"mean", "sd", "maximum"}, "Its keys should be mean, sd and maximum."
    assert len(counterexample["mean"]) == len(counterexample["sd"]) == 2, (
        "There should be two means and two standard deviations."
    )
    assert all(sd > 0 for sd in counterexample["sd"]), "A standard deviation should be positive."
    assert isinstance(counterexample["maximum"], int | float), "The sampled maximum should be a number."


# %% [markdown] tags=["solution", "q4"]
# Below the means the numerators are negative, and a *small* standard deviation makes a ratio more negative. With the
# first mean 0, the second $-g$, standard deviations $1$ and $s$ and the sampled maximum $-d$, the second point is taken
# if $(d-g)/s>d$, that is $d>g/(1-s)$. The claim is true where the standard deviations are equal.

# %% [markdown] tags=["question", "q5"]
# ## 5. Why a batch spreads
#
# Set `why` to a text of 40 to 150 words. In question 2 the mean stays as it is while the batch is filled, and no
# outcome is known. Why does the rule all the same not take the same point in every place? And when *would* it take one
# point twice, although it could try another? Then look at your picture of question 3: what does it show, with two
# numbers, and how far was your prediction off?


# %% tags=["answer", "q5"]
# BEGIN SOLUTION
why = """The numerator does not change while a batch is filled, since no outcome is known. But a point that is in the batch
counts as observed, so that its standard deviation falls, and with it that of all points correlated with it. Its
ratio grows, and points that are uncertain still get their turn. With much noise one observation hardly lowers the
standard deviation; then the point with the best ratio is taken again. In my picture the first six places hold 5 different
points, and all 40 hold 7: the others have low means. I had predicted 8."""
# END SOLUTION


# %% tags=["public", "q5"]
def public_q5(why):
    assert isinstance(why, str), "Your answer should be a text between quotes."
    words = len(why.split())
    assert 40 <= words <= 150, f"Your text has {words} words; 40 to 150 were asked for."


# %% tags=["hidden"]
from companion.classroom.own_runs import own_run
from companion.classroom.questions import Check, Question, Wrong


def a_round(mean, covariance, noise_variance):
    from companion.papers.tsrsr.method.round import DenseRound

    return DenseRound(0, np.asarray(mean, float), np.asarray(covariance, float), noise_variance)


def variances(covariance, noise_variance, batch):
    pending = a_round(np.zeros(len(covariance)), covariance, noise_variance).pending()
    for point in batch:
        pending.condition(int(point))
    return pending.variance


def batch_of(mean, covariance, noise_variance, maxima):
    from companion.gp.ties import lowest_argmin

    pending, batch = a_round(mean, covariance, noise_variance).pending(), []
    for maximum in maxima:
        batch.append(lowest_argmin((maximum - mean) / pending.sd))
        pending.condition(batch[-1])
    return batch


def covariance_of(generator, size):
    """Correlated points with different variances between about 0.3 and 1."""
    root = generator.standard_normal((size, size + 3))
    matrix = root @ root.T
    sd = np.sqrt(generator.uniform(0.3, 1.0, size) / np.diagonal(matrix))
    return matrix * np.outer(sd, sd)


def batches(sizes):
    """Inputs of question 1: covariances of 7 points, and batches of so many distinct points, as often as ``sizes`` says."""

    def inputs(draw, mine):
        cases = []
        for size in sizes:
            count = draw.size(7, 4)
            points = draw.shuffled(range(count))[:size]
            cases.append((covariance_of(draw.generator(), count), draw.uniform(0.05, 0.4), points))
        return cases

    return inputs


def with_repeats(draw, mine):
    cases = []
    for _ in range(4):
        points = draw.shuffled(range(draw.size(6, 3)))[:3]
        cases.append(
            (
                covariance_of(draw.generator(), draw.size(6, 3)),
                draw.uniform(0.05, 0.4),
                [*points, points[1], *points[:2]],
            )
        )
    return cases


def batch_by(own, mean, covariance, noise_variance, maxima):
    """The rule with the student's own variances."""
    batch = []
    for maximum in maxima:
        variance = np.asarray(own(covariance, noise_variance, batch), float)
        batch.append(int(np.argmin((maximum - mean) / np.sqrt(variance))))
    return batch


def problems(count, points, places, noise):
    """Inputs of question 2: sampled maxima between 0.5 and 2 above the largest mean."""

    def inputs(draw, mine):
        cases = []
        for _ in range(count):
            generator, size = draw.generator(), draw.size(points, 3)
            mean = generator.uniform(-1.0, 1.0, size)
            maxima = mean.max() + generator.uniform(0.5, 2.0, draw.size(places, min(places, 5)))
            cases.append((mean, covariance_of(generator, size), noise, maxima))
        return cases

    return inputs


def above_and_below(draw, mine):
    """Inputs of question 2: sampled maxima above all means and below all means in turn."""
    cases = []
    for mean, covariance, noise, maxima in problems(12, 6, 6, 0.2)(draw, mine):
        maxima[1::2] = mean.min() - (maxima[1::2] - mean.max())
        cases.append((mean, covariance, noise, maxima))
    return cases


def package_run(mine, prediction):
    mean, covariance, maxima = own_round(mine, prediction)
    batch = batch_of(mean, covariance, 0.3, maxima)
    left = float(np.sum(variances(covariance, 0.3, batch[:10])))
    return {"first": float(maxima.max()), "left": left, "different": len(set(batch))}


def numbers_of(answer):
    assert isinstance(answer, dict), "a dict was asked for"
    assert set(answer) == {"mean", "sd", "maximum"}, "its keys are mean, sd and maximum"
    mean, sd, maximum = ([float(n) for n in answer["mean"]], [float(n) for n in answer["sd"]], float(answer["maximum"]))
    assert len(mean) == len(sd) == 2, "two means and two standard deviations were asked for"
    assert all(math.isfinite(n) and abs(n) < 1e6 for n in [*mean, *sd, maximum]), "the numbers are finite, below 1e6"
    return mean, sd, maximum


def as_asked(answer, mine):
    mean, sd, maximum = numbers_of(answer)
    assert mean[0] - mean[1] >= mine["gap"] - 1e-9, "the means are too close"
    assert all(mine["least_sd"] - 1e-9 <= s <= 1 + 1e-9 for s in sd), "a standard deviation is out of its range"
    assert maximum < min(mean), "the sampled maximum is not below both means"
    assert mean[0] - maximum <= mine["deepest"] + 1e-9, "the sampled maximum lies too deep"


def second_taken(answer, mine):
    mean, sd, maximum = numbers_of(answer)
    assert min(sd) > 1e-6, "a standard deviation is not positive"
    assert mean[1] < mean[0], "the second point has the higher mean"
    assert batch_of(np.array(mean), np.diag(sd) ** 2, 1.0, [maximum]) == [1], "the rule takes the first point"


# %% tags=["hidden", "q1"]
q1 = Question(
    function="pending_variance",
    example="pending_variance(np.array([[1.0, 0.5], [0.5, 1.0]]), 0.25, [0, 0])",
    hard="pending_variance(np.array([[1.0, 0.5], [0.5, 0.8]]), 0.25, [1, 0, 1, 1])",
    checks=[
        Check("an empty batch", 1, batches([0, 0]), close=variances),
        Check("one point in the batch", 1, batches([1, 1, 1]), close=variances),
        Check(
            "several distinct points",
            1,
            batches([2, 3, 4]),
            close=variances,
            hint="Two correlated points tell less together than the sum of what each tells alone.",
        ),
        Check(
            "points that stand in the batch twice",
            2,
            with_repeats,
            close=variances,
            hint="A second observation of the same point averages its noise.",
        ),
    ],
    wrong=[
        Wrong("noise forgotten", 1, {"noise_variance * np.eye": "1e-9 * np.eye"}),
        Wrong("standard deviation of the noise", 1, {"noise_variance * np.eye": "noise_variance**0.5 * np.eye"}),
        Wrong("repeats dropped", 3, {"[int(point) for point in batch]": "sorted({int(point) for point in batch})"}),
        Wrong("the last point only", 2, {"[int(point) for point in batch]": "[int(point) for point in batch[-1:]]"}),
        Wrong(
            "every point on its own",
            2,
            code="""
def pending_variance(covariance, noise_variance, batch):
    variance = np.diagonal(covariance).copy()
    for point in batch:
        variance = variance - covariance[:, point] ** 2 / (covariance[point, point] + noise_variance)
    return variance
""",
        ),
        Wrong(
            "prior covariance in every update",
            2,
            code="""
def pending_variance(covariance, noise_variance, batch):
    variance = np.diagonal(covariance).copy()
    for point in batch:
        variance = variance - covariance[:, point] ** 2 / (variance[point] + noise_variance)
    return variance
""",
        ),
        Wrong(
            "standard deviations",
            0,
            {
                "np.diagonal(covariance) - np.sum(columns * np.linalg.solve(inner, columns.T).T, axis=1)": "np.sqrt("
                "np.diagonal(covariance) - np.sum(columns * np.linalg.solve(inner, columns.T).T, axis=1))"
            },
        ),
        Wrong(
            "variance of an observation",
            0,
            {"np.diagonal(covariance) - np.sum(": "noise_variance + np.diagonal(covariance) - np.sum("},
        ),
        Wrong("what was learned", 0, {"np.diagonal(covariance) - np.sum(": "np.sum("}),
    ],
)

# %% tags=["hidden", "q2"]
q2 = Question(
    function="choose_batch",
    example="choose_batch(np.array([0.0, -0.4]), np.array([[1.0, 0.3], [0.3, 1.0]]), 0.1, np.array([0.5, 0.6, 0.7]))",
    hard="choose_batch(np.array([0.0, -0.4]), np.array([[1.0, 0.0], [0.0, 0.04]]), 0.1, np.array([-2.0, 0.7]))",
    after="q1",
    checks=[
        Check("a batch of one point", 1, problems(40, 8, 1, 0.1), equals=batch_of, follows=batch_by),
        Check(
            "batches of five, little noise, maxima above the means",
            2,
            problems(12, 12, 5, 0.001),
            equals=batch_of,
            follows=batch_by,
            hint="Which of mean and standard deviation change within a batch?",
        ),
        Check(
            "more places than points",
            2,
            problems(8, 3, 8, 0.3),
            equals=batch_of,
            follows=batch_by,
            hint="A point may be chosen again, if it is still worth it.",
        ),
        Check(
            "sampled maxima above and below the means",
            1,
            above_and_below,
            equals=batch_of,
            follows=batch_by,
            hint="The formula holds for negative numerators as it stands.",
        ),
    ],
    wrong=[
        Wrong("no conditioning", 1, {"noise_variance, batch))": "noise_variance, []))"}),
        Wrong(
            "divides by variances",
            0,
            {
                "np.sqrt(pending_variance(covariance, noise_variance, batch))": "pending_variance("
                "covariance, noise_variance, batch)"
            },
        ),
        Wrong("one sampled maximum for all places", 1, {"(maximum - mean)": "(maxima[0] - mean)"}),
        Wrong("absolute numerators", 5, {"(maximum - mean)": "np.abs(maximum - mean)"}),
        Wrong("maximum raised above the means", 5, {"(maximum - mean)": "(max(maximum, mean.max() + 0.1) - mean)"}),
        Wrong("largest ratio", 0, {"np.argmin": "np.argmax"}),
        Wrong("no regard to the mean", 0, {"(maximum - mean)": "maximum"}),
        Wrong(
            "no point twice",
            3,
            code="""
def choose_batch(mean, covariance, noise_variance, maxima):
    batch = []
    for maximum in maxima:
        ratio = (maximum - mean) / np.sqrt(pending_variance(covariance, noise_variance, batch))
        ratio[batch] = np.inf
        batch.append(int(np.argmin(ratio)))
    return batch
""",
        ),
        Wrong(
            "mean moved by an imagined value",
            1,
            code="""
def choose_batch(mean, covariance, noise_variance, maxima):
    batch = []
    for maximum in maxima:
        i = int(np.argmin((maximum - mean) / np.sqrt(np.diagonal(covariance))))
        column = covariance[:, i] / (covariance[i, i] + noise_variance)
        mean = mean + column * (maximum - mean[i])
        covariance = covariance - np.outer(column, covariance[i])
        batch.append(i)
    return batch
""",
        ),
    ],
)

# %% tags=["hidden", "q3"]
q3 = own_run(
    "my_run",
    package_run,
    1,
    12,
    [
        ("a prediction, and the sampled maxima that follow from it", 1, ["first"]),
        ("the variances after ten places", 1, ["left"]),
        ("the different points of the batch", 2, ["different"]),
    ],
    [
        Wrong("ten different points, not ten places", 1, {"batch[:10])": "range(10))"}),
        Wrong("one observation of each", 1, {"batch[:10])": "sorted(set(batch[:10])))"}),
        Wrong("places for points", 2, {"len(set(batch))": "len(batch)"}),
        Wrong("the run of another prediction", 0, {"own_round(mine, prediction)": "own_round(mine, prediction + 1)"}),
    ],
)

# %% tags=["hidden", "q4"]
q4 = Question(
    value="counterexample",
    checks=[
        Check("means, standard deviations and maximum are as asked for", 1, holds=as_asked),
        Check(
            "the rule takes the second point",
            2,
            holds=second_taken,
            hint="Which of two negative ratios is the smaller one? What does a small standard deviation do to it?",
        ),
    ],
    wrong=[
        Wrong(
            "standard deviation far too small",
            2,
            code='counterexample = {"mean": [0.0, -numbers("q4")["gap"]], "sd": [1.0, 0.01], "maximum": -2.0}',
        ),
        Wrong("equal standard deviations", 1, {'[1.0, mine["least_sd"]]': '[mine["least_sd"], mine["least_sd"]]'}),
        Wrong("standard deviations exchanged", 1, {'[1.0, mine["least_sd"]]': '[mine["least_sd"], 1.0]'}),
        Wrong("short of the edge", 1, {"depth = 1.05 * ": "depth = 0.99 * "}),
        Wrong("maximum only just below", 1, {'1.05 * mine["gap"] / (1 - mine["least_sd"])': '1.01 * mine["gap"]'}),
        Wrong("maximum too deep", 2, {"depth = 1.05 * ": "depth = 2 * "}),
        Wrong("maximum above the means", 0, {'"maximum": -depth': '"maximum": depth'}),
        Wrong("maximum between the means", 0, {'"maximum": -depth': '"maximum": -mine["gap"] / 2'}),
        Wrong("means too close", 2, {'[0.0, -mine["gap"]]': '[0.0, -mine["gap"] / 10]'}),
        Wrong("means exchanged", 0, {'[0.0, -mine["gap"]]': '[-mine["gap"], 0.0]'}),
    ],
)

# %% tags=["hidden", "q5"]
q5 = Question(
    value="why",
    rubric=[
        ("The denominator falls at the points in the batch and their neighbours, whatever they return", 2),
        ("Repeats: much noise, or all others much worse", 1),
        ("What the picture of the own run shows, with two numbers, and how far the prediction was off", 2),
    ],
)
