"""Other right answers, written from the questions alone, in other ways than the references.

The code of each follows a line with its assignment, its question, and how it goes about it.
"""

from __future__ import annotations

import re

_WRITTEN = r"""
# ch1_batch q1: one observation after the other
def pending_variance(covariance, noise_variance, batch):
    C = covariance.astype(float).copy()
    for j in batch:
        C -= np.outer(C[:, j], C[j, :]) / (C[j, j] + noise_variance)
    return C.diagonal().copy()

# ch1_batch q1: precision matrix, a list
def pending_variance(covariance, noise_variance, batch):
    precision = np.linalg.inv(covariance)
    for j in batch:
        precision[j, j] += 1.0 / noise_variance
    return np.linalg.inv(precision).diagonal().tolist()

# ch1_batch q1: Cholesky
def pending_variance(covariance, noise_variance, batch):
    S = list(batch)
    if not S:
        return np.diag(covariance)
    L = np.linalg.cholesky(covariance[np.ix_(S, S)] + noise_variance * np.eye(len(S)))
    return covariance.diagonal() - (np.linalg.solve(L, covariance[S]) ** 2).sum(axis=0)

# ch1_batch q2: loops
def choose_batch(mean, covariance, noise_variance, maxima):
    chosen = []
    for top in maxima:
        best, least = None, math.inf
        for x, v in enumerate(pending_variance(covariance, noise_variance, chosen)):
            ratio = (top - mean[x]) / math.sqrt(v)
            if ratio < least:
                best, least = x, ratio
        chosen.append(best)
    return chosen

# ch1_batch q3: numbers as they are typed
mine = numbers("q3")
mean, covariance, maxima = own_round(mine, 11)
chosen = choose_batch(mean, covariance, 0.3, maxima)
left = sum(pending_variance(covariance, 0.3, chosen[:10]))
my_run = {"prediction": 11, "first": round(max(maxima), 4), "left": round(left, 4), "different": len(np.unique(chosen))}

# ch1_batch q4: shifted, trying depths
mine = numbers("q4")
for depth in np.linspace(mine["gap"], mine["deepest"], 400):
    trial = {"mean": [5.0, 5.0 - mine["gap"]], "sd": [1.0, mine["least_sd"]], "maximum": 5.0 - depth}
    ratios = [(trial["maximum"] - m) / s for m, s in zip(trial["mean"], trial["sd"])]
    if ratios[1] < ratios[0] - 1e-3 and trial["maximum"] < 5.0 - mine["gap"]:
        counterexample = trial
        break

# ch1_bound q1: logarithms
def two_bounds(N, T, m, noise_variance, gain):
    n, c = T * m, 2 / math.log1p(noise_variance**-1)
    common = (n * c * gain) ** 0.5
    A = 2 * (2 * (math.log(4) + math.log(N) + 3 * math.log(n))) ** 0.5 * (1 + m / noise_variance) ** 0.5 * common
    B = ((1 + (m - 1) / noise_variance / 2) * 2 * (1 + math.log(N) - math.log(2))) ** 0.5 * common
    return [A + (24 * n * math.log(N)) ** 0.5, B]

# ch1_bound q2: conditioning, all sizes
def two_ratios(covariance, noise_variance, m):
    N, best = len(covariance), 1.0
    for size in range(1, min(m, N) + 1):
        for chosen in itertools.combinations(range(N), size):
            C = covariance.copy()
            for j in chosen:
                C = C - np.outer(C[:, j], C[j]) / (C[j, j] + noise_variance)
            best = max(best, (np.diag(covariance) / np.diag(C)).max())
    return [float((1 + m * np.diag(covariance).max() / noise_variance) ** 0.5), float(best**0.5)]

# ch1_bound q4: bisection
s2 = numbers("q4")["noise_variance"]
def fails(m):
    right = 2 * math.sqrt(2 * math.log(8 * m**3)) * math.sqrt(1 + 1 / s2) * math.sqrt(2 * m)
    return m / math.sqrt(math.pi) > right + math.sqrt(24 * m * math.log(2))
low, high = 2, 10**7
while high - low > 1:
    middle = (low + high) // 2
    low, high = (low, middle) if fails(middle) else (middle, high)
first_failure = high

# ch2_counterexample q1: log_ndtr and series
def log_improvement(mean, sd, best):
    from scipy.special import log_ndtr
    z = (mean - best) / sd
    if z < -30:
        u = 1 / z**2
        series = u * (1 - 3 * u + 15 * u**2 - 105 * u**3)
        return float(math.log(sd) - z * z / 2 - 0.5 * math.log(2 * math.pi) + math.log(series))
    log_pdf = -z * z / 2 - 0.5 * math.log(2 * math.pi)
    if z > 0:
        return float(math.log(sd) + math.log(z * math.exp(log_ndtr(z)) + math.exp(log_pdf)))
    return float(math.log(sd) + log_pdf + math.log1p(z * math.exp(log_ndtr(z) - log_pdf)))

# ch2_counterexample q2: arrays
def play(values, noise_variance, u, start, rounds):
    v, n = np.array(values, float), np.zeros(len(values))
    n[start] += 1
    top, out = v[start], []
    for t in range(rounds):
        mu, var = n * v / (n + noise_variance), noise_variance / (n + noise_variance)
        arm = max(range(len(v)), key=lambda a: (log_improvement(mu[a], math.sqrt(var[a]), top), -a))
        keep = bool(var[arm] / noise_variance > u)
        out.append([arm, keep])
        if keep:
            n[arm] += 1
            top = max(top, v[arm])
    return out

# ch2_counterexample q3: from the history
def three_sums(values, noise_variance, u, start, rounds):
    history = play(values, noise_variance, u, start, rounds)
    best = list(values).index(max(values))
    n = [int(a == start) for a in range(len(values))]
    left, star = [], []
    for arm, kept in history:
        var = [noise_variance / (k + noise_variance) for k in n]
        left.append(var[arm])
        star.append(var[best])
        n[arm] += int(kept)
    r = sum(not kept for _, kept in history)
    M, gamma = 1 + rounds - r, 0.0
    for a in range(len(values)):
        gamma += 0.5 * math.log(1 + (M // len(values) + (a < M % len(values))) / noise_variance)
    return [math.fsum(left), math.fsum(star), 2 * (gamma + 0.5 * math.log(1 + u) * r) / math.log(1 + 1 / noise_variance)]

# ch2_counterexample q4: search over budgets
mine = numbers("q4")
best = (0, None)
for u in np.geomspace(0.05, 1, 25):
    values = [mine["largest"], mine["largest"] - 0.05]
    sums = three_sums(values, mine["noise_variance"], float(u), 1, mine["rounds"])
    best = max(best, (sums[1] / sums[2], float(u)))
counterexample = {"values": [mine["largest"], mine["largest"] - 0.05], "u": best[1], "start": 1}

# ch2_rejection q1: counting up in closed steps
def first_rejection(epsilon, noise_variance, prior_variance):
    threshold = noise_variance * math.expm1(2 * epsilon)
    if prior_variance <= threshold:
        return 0
    # kept after n observations: a s / (n a + s) > threshold
    n = (prior_variance * noise_variance / threshold - noise_variance) / prior_variance
    return int(math.floor(n)) + 1

# ch2_rejection q1: fractions and a search
def first_rejection(epsilon, noise_variance, prior_variance):
    keeps = lambda n: 1 / (n / noise_variance + 1 / prior_variance) > noise_variance * math.expm1(2 * epsilon)
    low, high = -1, 1
    while keeps(high):
        low, high = high, 2 * high
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if keeps(middle) else (low, middle)
    return high

# ch2_rejection q2: NumPy
def thresholds(epsilon, noise_variance):
    e = np.expm1(2 * epsilon)
    return [float(noise_variance * e), float(e), float((1 + e) / (2 * np.pi * np.e) - noise_variance)]

# ch2_rejection q2: logarithms
def thresholds(epsilon, noise_variance):
    u, entropy = math.expm1(2 * epsilon), math.exp(2 * epsilon - math.log(2 * math.pi) - 1)
    return [noise_variance * u, u, entropy - noise_variance]

# ch2_rejection q4: list of lists
mine = numbers("q4")
X = mine["points"]
groups = mine["kept"] // first_rejection(mine["epsilon"], mine["noise_variance"], 1.0)
covariance = [[1.0 if i == j or (i < X - groups + 1 and j < X - groups + 1) else 0.0 for j in range(X)] for i in range(X)]

# ch3_gain q1: eigenvalues
def gain(covariance, picks, noise_variance):
    if not picks:
        return 0.0
    i = np.array(picks)
    values = np.linalg.eigvalsh(covariance[i[:, None], i[None, :]])
    return float(0.5 * np.log1p(np.maximum(values, 0.0) / noise_variance).sum())

# ch3_gain q1: Cholesky
def gain(covariance, picks, noise_variance):
    index = np.array(picks, dtype=int)
    K = covariance[index][:, index] / noise_variance + np.eye(len(index))
    return float(np.sum(np.log(np.diag(np.linalg.cholesky(K)))))

# ch3_gain q1: one observation after the other
def gain(covariance, picks, noise_variance):
    C, total = np.array(covariance, float), 0.0
    for j in picks:
        total += 0.5 * math.log1p(max(C[j, j], 0.0) / noise_variance)
        C = C - np.outer(C[:, j], C[j]) / (C[j, j] + noise_variance)
    return float(total)

# ch3_gain q2: trying gains
def greedy(covariance, T, noise_variance):
    picks, precision = [], np.linalg.inv(covariance + 1e-12 * np.eye(len(covariance)))
    for _ in range(T):
        C = np.linalg.inv(precision)
        best = max(range(len(C)), key=lambda j: (round(float(C[j, j]), 9), -j))
        picks.append(best)
        precision[best, best] += 1 / noise_variance
    return picks

# ch3_gain q2: from the formula, every time
def greedy(covariance, T, noise_variance):
    picks = []
    while len(picks) < T:
        S = covariance[:, picks]
        A = covariance[np.ix_(picks, picks)] + noise_variance * np.eye(len(picks))
        picks.append(int(np.argmax(np.round(covariance.diagonal() - (S @ np.linalg.inv(A) * S).sum(axis=1), 10))))
    return picks

# ch3_gain q3: inverses, arrays
def witnesses(covariance, T, noise_variance):
    w = np.ones(len(covariance))
    for _ in range(4000):
        V = np.linalg.inv(np.linalg.inv(covariance + 1e-10 * np.eye(len(w))) + np.diag(w) / noise_variance)
        w = w * (V.diagonal() / noise_variance) ** 0.9
        w *= T / sum(w)
    return {"weights": w, "picks": np.array(greedy(covariance, T, noise_variance))}

# ch3_gain q4: numbers as they are typed
mine = numbers("q4")
K, T = own_matrix(mine, 33), mine["horizon"]
one = witnesses(K, T, 0.2)
w = np.array(one["weights"])
M = np.eye(12) + K * w / 0.2
slope = np.diagonal(np.linalg.solve(M, K)) / 0.4
upper = 0.5 * math.log(np.linalg.det(M)) + T * max(slope) - w @ slope
low = round(gain(K, one["picks"], 0.2), 4)
my_run = {"prediction": 33, "first": tuple(one["picks"][:5]), "low": low, "high": round(upper, 4)}

# ch3_sizes q1: array, Decimal
def original_sizes(T):
    with localcontext() as context:
        context.prec = 80
        sizes, last = [], Decimal(1)
        while sum(sizes) < T:
            last = (Decimal(T) * last).sqrt().to_integral_value(rounding="ROUND_CEILING")
            sizes.append(min(int(last), T - sum(sizes)))
    import numpy as np
    return np.array(sizes) if T < 10**18 else sizes

# ch3_sizes q1: bisection
def original_sizes(T):
    def ceil_root(n):
        low, high = 0, n
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (low, middle) if middle * middle >= n else (middle, high)
        return high
    out, left, before = [], T, 1
    while left:
        before = ceil_root(T * before)
        out.append(min(before, left))
        left = left - out[-1]
    return out

# ch3_sizes q1: recursion
def original_sizes(T):
    def rest(left, last):
        size = min(left, math.isqrt(T * last) + (math.isqrt(T * last) ** 2 < T * last))
        return [size, *rest(left - size, size)] if left else []
    return rest(T, 1)

# ch3_sizes q2: whole numbers
def power_sizes(T, a):
    p = round(a * 1000)
    sizes, left, i = [], T, 1
    with localcontext() as context:
        context.prec = 90
        while left:
            exponent = 1 - (Decimal(p) / 1000) ** i
            value = (Decimal(T).ln() * exponent).exp()
            near = int(value.to_integral_value())
            size = near if abs(value - near) < Decimal(10) ** -60 else int(value) + 1
            sizes.append(min(size, left))
            left -= sizes[-1]
            i += 1
    return sizes

# ch3_sizes q3: recursion free count
mine = numbers("q3")
def enough(T):
    return len(power_sizes(T, mine["a"])) >= mine["batches"]
import itertools
smallest_horizon = next(T for T in itertools.count(2) if enough(T))

# ch4_kernel q1: vectorised
def kernel(x, c, law, x2, c2, law2, scales):
    distances = np.r_[((x - x2) ** 2).sum(), ((c - c2) ** 2).sum(), ((law - law2) ** 2).sum(axis=1)]
    lengths = np.r_[scales[0], scales[1], np.full(len(law), scales[2])]
    return float(np.exp(-distances / (2 * lengths**2)).sum())

# ch4_kernel q1: scaled features in one vector
def kernel(x, c, law, x2, c2, law2, scales):
    gaps = [(x - x2) / scales[0], (c - c2) / scales[1], *((law - law2) / scales[2])]
    return sum(math.exp(-0.5 * float(gap @ gap)) for gap in gaps)

# ch4_kernel q2: quadratic form
def mixed_variance(first, first2, second, second2, scale, joint, squares):
    P = [np.r_[a, b] for a in (first, first2) for b in (second, second2)]
    k = len(first)
    def rbf(d2):
        return np.exp(-d2 / (2 * scale**2)) if squares else np.exp(-np.sqrt(d2) / (2 * scale))
    D1 = np.array([[((p[:k] - q[:k]) ** 2).sum() for q in P] for p in P])
    D2 = np.array([[((p[k:] - q[k:]) ** 2).sum() for q in P] for p in P])
    K = 2 * rbf(D1 + D2) if joint else rbf(D1) + rbf(D2)
    s = np.array([1, -1, -1, 1])
    return abs(float(s @ K @ s))

# ch4_kernel q2: by moves
def mixed_variance(first, first2, second, second2, scale, joint, squares):
    if not joint:
        return 0.0
    a, b = float(((first - first2) ** 2).sum()), float(((second - second2) ** 2).sum())
    k = (lambda d: math.exp(-d / (2 * scale**2))) if squares else (lambda d: math.exp(-math.sqrt(d) / (2 * scale)))
    return 8 * (1 - k(a) - k(b) + k(a + b))

# ch4_kernel q3: least squares
def last_variance(m, C):
    if C == 1:
        return float("inf")
    laws = np.array(list(itertools.product(range(m), repeat=C)))
    X = np.hstack([np.ones((len(laws), 1))] + [(laws[:, [c]] == np.arange(1, m)).astype(float) for c in range(C)])
    A, b = X[:-1], X[-1]
    return float(b @ np.linalg.solve(A.T @ A, b))

# ch4_kernel q3: all laws observed, then one taken away
def last_variance(m, C):
    share = (1 + C * (m - 1)) / m**C
    return share / (1 - share) if share < 1 else np.inf

# ch4_kernel q4: precision
mine = numbers("q4")
laws = own_laws(mine, 70)
gaps = ((laws[:, None] - laws) ** 2).sum(axis=3)
K = 2 + np.exp(-gaps / 0.32).sum(axis=2)
def left(n):
    noise = np.r_[np.full(n, 1e9), np.full(16 - n, 0.01)]
    return (K - K @ np.linalg.inv(K + np.diag(noise)) @ K)[0, 0] / 0.01
my_run = {"prediction": 70, "first": round(K[0, 1], 4), "one": round(left(1), 4), "two": round(left(2), 4)}

# ch4_rounding q1: Fraction
import math
def round_law(weights, tau):
    exact = [Fraction(w * tau, sum(weights)) for w in weights]
    counts = [math.floor(e) for e in exact]
    for _ in range(tau - sum(counts)):
        rest = [e - c for e, c in zip(exact, counts)]
        counts[rest.index(max(rest))] += 1
    return counts

# ch4_rounding q2: one likely action at the end
def worst_law(n, tau):
    k = min(tau, n // 2)
    return [k for _ in range(n - 1)] + [k + n * (tau - k)]

# ch4_rounding q2: everybody the same, and one far ahead
def worst_law(n, tau):
    k = min(tau, (n + 1) // 2 if tau >= (n + 1) // 2 else tau)
    return [n * (tau - k) + k, *[k] * (n - 1)]

# ch4_rounding q3: random search
mine = numbers("q3")
import random
random.seed(3)
W, j, paradox = mine["total"], mine["loser"], None
def strict(weights, M):
    rest = sorted((M * w % W for w in weights), reverse=True)
    up = sum(rest) // W
    return up == 0 or rest[up - 1] > rest[up]
while paradox is None:
    small = random.randint(max(2, W // 40), W // 4)
    a = (W - small) // 2 - random.randint(0, 5)
    weights = [a, W - small - a]
    weights.insert(j, small)
    M = mine["least"] + random.randint(0, 200)
    if round_law(weights, M + 1)[j] < round_law(weights, M)[j] and strict(weights, M) and strict(weights, M + 1):
        paradox = {"weights": weights, "agents": M}

# ch5_coverage q1: whole numbers and pmf
def coverage(n, p, r):
    a, b = round(1000 * p), round(1000 * r)
    inside = [k for k in range(n + 1) if abs(1000 * k - n * a) <= n * b]
    return float(math.fsum(stats.binom.pmf(inside, n, p))) if inside else 0.0

# ch5_coverage q1: whole binomials
def coverage(n, p, r):
    a, b = round(1000 * p), round(1000 * r)
    ways = sum(math.comb(n, k) * a**k * (1000 - a) ** (n - k) for k in range(n + 1) if abs(1000 * k - n * a) <= n * b)
    return ways / 1000**n

# ch5_coverage q2: from below, remembering
mine = numbers("q2")
limit = math.ceil(math.log(2 / (1 - mine["level"])) / (2 * mine["radius"] ** 2))
failing = [n for n in range(1, limit + 1) if coverage(n, 0.5, mine["radius"]) < mine["level"]]
enough = failing[-1] + 1

# ch5_coverage q4: only beside whole means
def worst_coin(n, h, parts):
    def inside(part):
        return math.fsum(stats.binom.pmf([k for k in range(n + 1) if abs(parts * k - n * part) <= parts * h], n, part / parts))
    return min(range(1, parts), key=inside) / parts

# ch5_worst_mean q1: linear program
def worst_mean(values, support, weights, radius):
    from scipy.optimize import linprog
    m = len(values)
    cost = np.abs(np.subtract.outer(support, support)).ravel()
    rows = np.kron(np.eye(m), np.ones(m))
    done = linprog(np.tile(values, m), A_ub=[cost], b_ub=[radius], A_eq=rows, b_eq=weights, method="highs")
    return float(done.fun)

# ch5_worst_mean q2: ternary search of the concave dual
def multiplier(values, support, weights, radius):
    distance = np.abs(support[:, None] - support[None, :])
    phi = lambda lam: -lam * radius + weights @ (values[None, :] + lam * distance).min(axis=1)
    positive = distance[distance > 0]
    high = float(2 * (values.max() - values.min()) / positive.min()) + 1.0
    low = 0.0
    for _ in range(300):
        a, b = low + (high - low) / 3, high - (high - low) / 3
        low, high = (low, b) if phi(a) >= phi(b) else (a, high)
    slopes = np.abs(values[:, None] - values)[distance > 0] / distance[distance > 0]
    return float(min((low + high) / 2, slopes.max()))

# ch5_worst_mean q4: mirrored
mine = numbers("q4")
w = np.array(mine["weights"])
first = -0.6 * np.arange(11) / 10
second = np.full(11, first @ w)
second[-1] += 0.6
rewards = [first.tolist(), second.tolist()]

# ch6_stopping q1: vectorised
def how_sure(mean, covariance, epsilon):
    r = int(np.flatnonzero(mean == mean.max())[0])
    e = -np.eye(len(mean))[r] + np.eye(len(mean))
    v = np.einsum("ij,jk,ik->i", e, covariance, e)
    other = v > 1e-13
    tail = stats.norm.sf((mean[r] + epsilon - mean[other]) / np.sqrt(v[other]))
    return [r, float(np.minimum(tail.sum(), 1))]

# ch6_stopping q1: a loop
def how_sure(mean, covariance, epsilon):
    best = list(mean).index(max(mean))
    q = 0.0
    for x, value in enumerate(mean):
        variance = covariance[x, x] - covariance[x, best] - covariance[best, x] + covariance[best, best]
        if variance > 1e-12:
            q += 0.5 * math.erfc((mean[best] + epsilon - value) / math.sqrt(2 * variance))
    return [best, min(q, 1.0)]

# ch6_stopping q2: from scratch at every look
def first_stop(covariance, noise_variance, chosen, observed, epsilon, delta):
    for t in range(len(chosen) + 1):
        S, y = list(chosen[:t]), np.array(observed[:t])
        A = covariance[np.ix_(S, S)] + noise_variance * np.eye(t)
        B = np.linalg.solve(A, covariance[S]) if t else np.zeros((0, len(covariance)))
        mean, C = B.T @ y, covariance - covariance[:, S] @ B
        if how_sure(mean, C, epsilon)[1] <= delta:
            return t
    return -1

# ch6_stopping q3: the beta law
def most_broken(runs, delta):
    limits = stats.beta.ppf(0.95, np.arange(runs) + 1, runs - np.arange(runs))
    return int(np.searchsorted(limits, delta, side="right")) - 1

# ch6_stopping q4: from scratch at every look
mine = numbers("q4")
covariance, chosen, observed = own_run(mine, 12)
def look(t):
    S = chosen[:t]
    B = np.linalg.solve(covariance[np.ix_(S, S)] + 0.25 * np.eye(t), covariance[S])
    return how_sure(B.T @ np.array(observed[:t]), covariance - covariance[:, S] @ B, 0.3)[1]
q = [look(t) for t in range(151)]
stop = next((t for t, bound in enumerate(q) if bound <= 0.1), -1)
my_run = {"prediction": 12, "first": round(observed[0], 4), "halfway": round(sum(q[:20]), 4), "stop": stop}
"""

#: (assignment, question, how, code)
ALTERNATIVES: list[tuple[str, str, str, str]] = re.findall(r"(?ms)^# (ch\w+) (q\d): (.+?)\n(.+?)(?=^# ch|\Z)", _WRITTEN)
