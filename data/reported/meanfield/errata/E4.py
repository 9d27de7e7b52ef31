r"""Appendix A, first paragraph: the discretisation $\Xi_t$.

Printed: Each coordinate of $\xi\in\mathbb R^n$, $n=|A||C|$, is split into $\tau_t$ equal parts, $|\Xi_t|=\tau_t^n$, and
$[\xi]_t$ is the distribution in $\Xi_t$ that is closest to $\xi$, at most $n/\tau_t$ away.

Wrong: The closest of these points need not be a distribution, and that one among them is near enough needs a whole $\tau_t$
and an argument. Elsewhere $\alpha_t(\xi_t)\ge\alpha_t([\xi^\star]_t)$ does not follow, and Assumption 3.1 bounds no slope: in
the first round, with $\sigma_0=1$, $\alpha_1/\beta_1$ is the sum of the entries.

Repair: With a whole $\tau_t\ge2$, let $\Xi_t$ hold the distributions with entries in $\{0,1/\tau_t,\dots,1\}$, and round by
largest remainders. Then $|\Xi_t|\le\tau_t^n$, and the distance is at most $n/(2\tau_t)$, half of what is printed. The order
of the theorem is not affected.
"""

import numpy as np

xi, tau = np.array([0.36, 0.36, 0.28]), 10
nearest = np.rint(tau * xi) / tau
parts = np.floor(tau * xi)
parts[np.argsort(parts - tau * xi)[: round(tau - parts.sum())]] += 1
distance = np.abs(parts / tau - xi).sum()
print(f"printed: alpha_1([xi]) / beta_1 = {nearest.sum():.3f} <= {xi.sum():.3f}")
bound = len(xi) / (2 * tau)
total = parts.sum() / tau
print(f"repaired: {total:.3f} <= 1, distance {distance:.3f} <= {bound:.3f}")
assert nearest.sum() > xi.sum() + 0.5 / tau
