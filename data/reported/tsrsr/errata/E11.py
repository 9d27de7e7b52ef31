r"""Appendix B.3, Corollary 1, its proof and (18).

Printed: The first $T_{init}$ steps cost $T_{init}$ times $\sqrt{\log|\mathcal X|}$ (statement),
$\log|\mathcal X|$, $\sqrt{|\mathcal X|}$ and 1 (proof). For the squared exponential, $(\log Tm)^d$
stands in the display and power $d+1$ in Lemma 12; "$T_{init}$ grows sublinearly with $T_{init}$".

Wrong: A step costs $\mathbb Ef^*$, which for independent arms grows like $\sqrt{2\log|\mathcal
X|}$: 1 is too small, the other two are larger than needed. (18) at $m=1$ is $0/0$.

Repair: Write $\sqrt{\log|\mathcal X|}$ throughout, $(\log Tm)^{d+1}$ in the display,
$\gamma_{T_{init}}$ for the first $T_{init}$ of that clause, and $m\ge2$ at (18). The corollary as
stated, in its order, is not affected.
"""

import math

import numpy as np

u = np.linspace(-10, 10, 4001)
below = np.array([0.5 * math.erfc(-v / 2**0.5) for v in u])
sizes, up, step = (10**2, 10**4, 10**6), (u > 0), u[1] - u[0]
cost = [((1 - below**n)[up].sum() - (below**n)[~up].sum()) * step for n in sizes]
root = [math.sqrt(2 * math.log(n)) for n in sizes]
print("printed: a step costs a constant, here", " ".join(f"{c:.2f}" for c in cost))
print("repaired: it costs at most", " ".join(f"{r:.2f}" for r in root))
assert cost[0] < cost[1] < cost[2] and np.all(np.array(cost) < root)
