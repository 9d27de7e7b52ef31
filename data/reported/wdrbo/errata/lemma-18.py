r"""Appendix 8.1, Lemma 18, (62), and the tail in its proof.

Printed: For fixed $\tilde h$ and $\tilde x$,
$\mathbb E_{\mathcal P^*}\tilde h\ge \mathbb E_{\hat{\mathcal P}_t}\tilde h+\mathcal R_{\mathcal P^*}(\varepsilon,\tilde h)$
has probability at most $e^{-\varepsilon^2t/(2D_{\mathcal C}^2)}$.

Wrong: $\mathcal R$ is taken of $\tilde h$, where the deviation asks for $-\tilde h$.
For $h=-c$ and a rare $c=1$ a single occurrence is enough for the event.

Repair: $\mathcal R_{\mathcal P^*}(\varepsilon,-\tilde h)$, for which the tail holds,
also with $e^{-2\varepsilon^2t/D_{\mathcal C}^2}$; and $2(1+L_x)\rho$ in (62) (see E10).
As both $\mathcal R$ are at most $\varepsilon L$, the form of (62), with this covering
error, is not affected.
"""

from math import comb, exp

rare, t, radius = 0.01, 40, 0.5  # h = -c on {0, 1}, P(c = 1) = rare


def beyond(risk):
    """Chance that E h exceeds the empirical mean of h by more than the risk."""
    counts = [n for n in range(t + 1) if n / t - rare > risk + 1e-12]
    return sum(comb(t, n) * rare**n * (1 - rare) ** (t - n) for n in counts)


plus, minus = min(rare, radius), min(1 - rare, radius)  # R(radius, h) and R(radius, -h)
bound = exp(-(radius**2) * t / 2)
print(f"printed: {beyond(plus):.3g} <= {bound:.3g}")
print(f"repaired: {beyond(minus):.3g} <= {bound:.3g}")
assert beyond(plus) > bound
