"""Tests of leads on empirical laws of contexts, the class of acquisition functions, and the radius."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from companion.checks.suspected_error import Finding, suspected_error
from companion.papers.wdrbo.checks.wasserstein_sample import Tail, tails
from companion.papers.wdrbo.method.inner import lipschitz_constant, wasserstein
from companion.papers.wdrbo.theory import covering
from companion.papers.wdrbo.theory.radii import radii
from companion.papers.wdrbo.theory.runs import Game, bump_laws, contexts_of, play, replay, stream_of


@suspected_error("E7", teeth={"both signs": {"least": -1.0}})
def class_without_floor(*, least: float = 0.0) -> Finding:
    r"""$\beta\le b$ in the definition; $\log\frac1\rho$ in the second term of Lemma 23, with a global $\kappa$

    Beta without a lower bound; beta at least 0; and Lemma 23 against the multiples of one width.
    """
    # k(z, z') = z z' on [-1, 1]: members are a z + beta s |z|, and h(z) + h(-z) = 2 beta s |z|.
    z = np.linspace(-1.0, 1.0, 201)
    even = min(
        float(np.min(a * z + b * np.abs(z) + (a * -z + b * np.abs(z)))) for a in (-1.0, 0.0, 1.0) for b in (least, 1.0)
    )
    mirrored = float(np.min(-2.0 * np.abs(z)))
    mean_norm, rho, dim = 1.0, 0.1, 2
    right = (1 + math.log(mean_norm / rho)) ** (1 + dim) + (1 + math.log(1 / rho)) ** (1 + 2 * dim)
    # The multiples beta M with M = s^{-1/2} I, |beta| <= b, reach b s^{-1/2} where k(z, z) = 1: b s^{-1/2} / rho balls at least.
    operator = 0.5
    needed = {kappa: kappa * right + math.log(rho * math.sqrt(operator)) for kappa in (1.0, 10.0, 1000.0)}
    unbounded = -1e6
    return Finding(
        even >= 0.0 > mirrored and abs(unbounded) > mean_norm,
        {"even part": even, "mirrored": mirrored, "right side over kappa": right},
        power=round(math.log10(-unbounded)),
        operator=operator,
        mean_norm=mean_norm,
        rho=rho,
        dim=dim,
        needed_1=needed[1.0],
        needed_1000=needed[1000.0],
    )


@suspected_error("E8", teeth={"the contexts before the round": {"own": 0.0}})
def centre_with_the_future(*, own: float = 1.0) -> Finding:
    r"""$\hat{\mathcal P}_t=\frac1t\sum_{i=1}^t\mathcal I_{\{c=c_i\}}$ in the choice of $x_t$

    Does the decision depend on the context of its own round, if the centre includes it?
    """
    game = Game(setting="data", radius=0.3, decay=0.5, horizon=20, runs=30)
    found, support = play(game), contexts_of(game)
    truth = bump_laws(support, game.horizon, stream_of(game, "laws"))[0]
    shape, lanes = found.values.shape, np.arange(game.runs)
    depends, inside, outside = 0, 0.0, 0.0
    rounds = (1, 2, 3, 5, 10, 20)
    for t, mean, sd in replay(found, rounds):
        beta, width = found.beta[:, t - 1], sd.reshape(shape)
        upper = mean.reshape(shape) + beta[:, None, None] * width
        steep = lipschitz_constant(upper.reshape(-1, shape[2]), support).reshape(shape[:2])
        seen = np.stack([np.bincount(row[: t - 1], minlength=shape[2]) for row in found.context])
        taken = []
        for c in range(shape[2]):
            centre = (seen + own * np.eye(shape[2])[c]) / t
            score = np.einsum("rxc,rc->rx", upper, centre) - 0.3 / math.sqrt(t) * steep
            taken.append(score.argmax(axis=1))
        depends += int((np.ptp(np.stack(taken), axis=0) > 0).sum())
        for c, chosen in enumerate(taken):
            inside += float(truth[c] * np.sum(width[lanes, chosen, c] ** 2))
            outside += float(truth[c] * np.sum(width[lanes, chosen] ** 2 @ truth))
    share = depends / (game.runs * len(rounds))
    return Finding(
        share > 0.0 and abs(inside / outside - 1.0) > 1e-6,
        {"share": share, "ratio": inside / outside},
        game=game,
        rounds=rounds,
        percent=100 * share,
    )


@suspected_error("E10", teeth={"with -h": {"sign": -1}})
def slips_of_lemma_18(*, sign: int = 1) -> Finding:
    r"""$\mathcal R_{\mathcal P^*}(\varepsilon,\tilde h)$ in the event, a right side of (64) without factor, and
    $(1+L_x)\rho$ in (62)

    Sign of h in the tail, (64), copies of the covering error, and the constant of the exponent.
    """
    tail = Tail(0.01, 40, 0.5)
    claimed = math.exp(-(tail.radius**2) * tail.contexts / 2)
    plus, minus = tail.exact(sign), tail.exact(-1)
    sharper = all(one.exact(-1) <= math.exp(-2 * one.radius**2 * one.contexts) * (1 + 1e-9) for one in tails())
    line, ends = np.array([1.0, -1.0]), np.array([0.0, 1.0])
    risk = 1.0 - float(wasserstein(line, ends, np.array([1.0, 0.0]), 1.0).value[0])
    # The cover's member is 0, for which the event always holds; the function is rho (1 - 2c), rho = 1.
    truth, empirical, epsilon = np.array([0.9, 0.1]), np.array([0.0, 1.0]), 0.1
    gap, slope = float(line @ (truth - empirical)), 2.0
    copies = gap - epsilon * slope
    return Finding(
        plus > claimed >= minus and risk > 1.0 and copies > 1.0,
        {"plus": plus, "minus": minus, "claimed": claimed, "risk": risk, "copies": copies, "sharper": sharper},
        tail=tail,
        satisfy="also satisfy" if sharper else "do not satisfy",
    )


@suspected_error("E20", teeth={"after 10^9 contexts": {"contexts": 10**9}})
def radius_in_practice(*, contexts: int = 100) -> Finding:
    r"""the analysis gives a principled way to choose the radii $\varepsilon_t$

    (16) between two bounds on its covering number, the contexts until it is below the diameter, and what runs need.
    """
    both, parts = {(1, 1): "one decision and one context", (2, 2): "two and two"}, []
    least, theory, ends = {}, {}, {}
    for dims, name in both.items():
        low, high = _formula(*dims)
        diameter = math.sqrt(dims[1])
        least[dims], theory[dims] = low(contexts), high(contexts)
        ends[dims] = [_below(radius, diameter) for radius in (low, high)]
        parts.append(
            f"{name}: between {least[dims]:.2f} and {theory[dims]:.2g} after 100 contexts, where the largest distance "
            f"is {diameter:.2f}; below that not before {ends[dims][0]:.3g} and for certain from {ends[dims][1]:.1e} contexts on"
        )
    game = Game(setting="data", radius=0.3, decay=0.5, horizon=100, runs=50)
    (row,) = radii(game, (100,))
    return Finding(
        all(value > math.sqrt(dims[1]) for dims, value in least.items()),
        {
            "least": least[1, 1],
            "theory": theory[1, 1],
            "2+2": {"least": least[2, 2], "theory": theory[2, 2]},
            "from": {f"{dims[0]}+{dims[1]}": end for dims, end in ends.items()},
            "single function": row.single,
            "practice": row.practice,
            "needed": row.needed,
        },
        parts=". For ".join(parts),
        game=game,
    )


Radius = Callable[[int], float]


def _formula(decision_dim: int, context_dim: int) -> tuple[Radius, Radius]:
    """Lower and upper bound on (16) by number of contexts, in the setting of E20."""
    norm, delta, lengthscale = 1.0, 0.1, 0.3

    def low(count: int) -> float:
        return covering.least_radius(count, norm, delta, lengthscale, decision_dim, context_dim)

    def high(count: int) -> float:
        return covering.theory_radius(count, 1.0, 0.1, norm, delta, lengthscale, decision_dim, context_dim)

    return low, high


def _below(radius: Radius, diameter: float) -> int:
    """First number of contexts, to a tenth of a per cent, from which a falling radius is below the diameter."""
    low, high = 1.0, 20.0
    while high - low > 4e-4:
        middle = (low + high) / 2
        low, high = (low, middle) if radius(int(10**middle)) < diameter else (middle, high)
    return int(10**high)
