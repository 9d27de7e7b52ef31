r"""Statement: Corollary 10, the order of the regret in the data-driven setting, as a closed formula.

The paper's constant is not known; with the companion's covering number and information gain every constant is explicit,
and the formula can be followed to horizons at which its logarithms have lost their weight. No regret is measured here.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import lru_cache

import numpy as np

from companion.checks.cases import Case, agrees, exponent
from companion.checks.instance import Instance
from companion.checks.statement import need, statement
from companion.core.arrays import Floats
from companion.judge.intervals import slope_interval
from companion.papers.wdrbo.checks.regret_rates import LEAST_REGULARISER
from companion.papers.wdrbo.checks.wasserstein_class import Cover
from companion.papers.wdrbo.theory import bounds
from companion.papers.wdrbo.theory.covering import log_covering, log_det
from companion.papers.wdrbo.theory.games import kernel_lipschitz

STEP = 5
#: Horizons 2^20 to 2^130.
DOUBLINGS = np.arange(20, 131, STEP)


class ClosedForm(Instance, words="SE, length-scale {lengthscale:g}, d = {decision_dim}+{context_dim}, R = {noise:g}"):
    """Squared exponential kernel on a unit cube, and the constants of the bound."""

    lengthscale: float
    decision_dim: int
    context_dim: int
    noise: float = 0.1
    norm: float = 1.0
    lam: float = 1.0
    delta: float = 0.1
    kernel: str = "se"

    @property
    def dim(self) -> int:
        """d = d_x + d_c."""
        return self.decision_dim + self.context_dim


@lru_cache(maxsize=256)
def _largest(form: ClosedForm, points: int) -> tuple[float, float, float]:
    r""":math:`\gamma` of so many points, :math:`\hat b`, which bounds the norm of the mean, and :math:`\log\mathcal N_\infty`."""
    gain = log_det(points, form.lam, form.lengthscale, form.dim)
    norm = float(bounds.mean_norm_simple(gain, form.noise, form.norm, form.lam, form.delta))
    width = math.sqrt(form.lam) * norm
    return gain, norm, log_covering(1.0 / points, norm, width, form.lam, form.lengthscale, form.dim)


@lru_cache(maxsize=16)
def corollary_10_bound(form: ClosedForm, decay: float = 0.5) -> Floats:
    r"""Upper end of the bound of Corollary 10 at the horizons of :data:`DOUBLINGS`.

    .. math:: 4\sqrt\lambda\,\hat b_T\sqrt{T(\gamma_T+4\log\tfrac6\delta)}+2B+\sum_{t=2}^T\Big[4L\hat b_t\varepsilon_t
              +\frac{4(1+2L\hat b_t)}n\Big],\qquad
              \varepsilon_t^2=\frac{D_{\mathcal C}^2}{2n}\Big(\log\frac{\pi^2t^2}{6\delta}+d_x\log(1+2nD_{\mathcal X})
              +\log\mathcal N_\infty\Big)

    with n = t - 1 contexts and a union over the rounds. Summed over blocks of five doublings, in which everything but the
    power of n is taken at the end.

    Parameters
    ----------
    form : kernel and constants
    decay : of the radius in n; one half
    """
    steepness, diameter = kernel_lipschitz("se", form.lengthscale), math.sqrt(form.context_dim)
    spread, total, found = math.sqrt(form.decision_dim), 2.0 * form.norm, []
    for k in range(0, int(DOUBLINGS[-1]), STEP):
        low, high = 2**k, 2 ** (k + STEP)
        gain, norm, cover = _largest(form, high)
        actions = bounds.covering_points(spread, 1.0 / high, form.decision_dim)
        union = -math.log(bounds.union_delta(form.delta, high + 1))
        radius = diameter * math.sqrt((union + actions + cover) / 2.0)
        # Sums of n^-decay and of 1 / n over the block are at most their integrals plus the first term.
        roots = (high ** (1.0 - decay) - low ** (1.0 - decay)) / (1.0 - decay) + low**-decay
        total += 4.0 * steepness * norm * radius * roots
        total += 4.0 * (1.0 + 2.0 * steepness * norm) * (math.log(high / low) + 1.0 / low)
        root = math.sqrt(high) * math.sqrt(gain + 4.0 * math.log(6.0 / form.delta))
        found.append(total + 4.0 * math.sqrt(form.lam) * norm * root)
    return np.array(found)[-len(DOUBLINGS) :]


def _union_adds_up(form: ClosedForm) -> Case:
    r"""The failure probabilities of all rounds: the first ones, and the rest :math:`\frac{6\delta}{\pi^2}\sum_{t>n}t^{-2}`."""
    first = 1_000
    rest = 6.0 * form.delta / math.pi**2 / (first + 0.5)  # 1 / (n + 1/2) up to 1 / (12 n^3)
    total = sum(bounds.union_delta(form.delta, t) for t in range(1, first + 1)) + rest
    return agrees(total, form.delta, f"{form.where}: failure probabilities of all rounds")


@statement(
    "cor-10",
    "rate",
    lambda: (
        ClosedForm(0.3, 1, 1),
        ClosedForm(0.6, 1, 1, noise=1.0),
        ClosedForm(1.0, 2, 1),
        ClosedForm(0.5, 2, 2),
    ),
    need("the kernel is the squared exponential", lambda f: f.kernel == "se", ClosedForm(0.3, 1, 1, kernel="matern32")),
    need(
        r"$\lambda\ge0.4$, where the first term of (57) is proved",
        lambda f: f.lam >= LEAST_REGULARISER,
        ClosedForm(0.3, 1, 1, lam=0.01),
    ),
    teeth={r"radii that shrink like $n^{-1/4}$": {"decay": 0.25}, "one logarithm": {"power": 1.0}},
    depends="thm-9 lemma-23 ours-cover ours-l18",
)
def corollary_10(form: ClosedForm, *, decay: float = 0.5, power: float | None = None) -> Iterator[Case]:
    r"""For the squared exponential kernel, with probability at least $1-3\delta$: $R_T=\tilde O(\sqrt T)$.

    The power is :math:`(3d+2)/2`: :math:`\log\mathcal N_\infty=O(\log^{2d+1}T)` and :math:`\gamma_T=O(\log^{d+1}T)`. Second
    case: the local exponent in T falls towards one half. Besides, the failure probabilities of the rounds, which enter the
    radius, add up to delta.
    """
    yield _union_adds_up(form)
    points = 2 ** int(DOUBLINGS[0])
    _, norm, cover = _largest(form, points)
    width = math.sqrt(form.lam) * norm
    typed = Cover(form.dim, form.lengthscale, form.lam, norm, width, 1.0 / points).typed()
    yield agrees(cover, typed, f"{form.where}: covering number")
    values, logs = corollary_10_bound(form, decay), DOUBLINGS * math.log(2.0)
    claimed = (3.0 * form.dim + 2.0) / 2.0 if power is None else power
    fitted = slope_interval(np.log(logs), np.log(values) - 0.5 * logs)
    where = f"{form.where}, T = 2^{DOUBLINGS[0]} to 2^{DOUBLINGS[-1]}"
    yield exponent(fitted.low, fitted.high, claimed, f"{where}: power of log T over the root of T")
    local = np.diff(np.log(values)) / np.diff(logs)
    yield exponent(float(local[-1]), float(local[-1]), float(local[0]), f"{where}: exponent of T, last against first")
    # Contribution of a power p of log T to the exponent of T at the last horizons.
    room = claimed / float(logs[-2])
    yield exponent(float(local[-1]), float(local[-1]), 0.5, f"{where}: last exponent of T", allowance=room)
