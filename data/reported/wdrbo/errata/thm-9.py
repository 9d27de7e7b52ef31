r"""Section 4.2, Theorem 9, (18); Theorem 22, (74), in the appendix.

Printed:
$R_T\le4\beta_T\sqrt{T(\gamma_T+4\log\frac6\delta)}+\sum_t(2\varepsilon_tL_t(x^*_t)+2\rho_t)$
with probability $1-3\delta$, for every $\lambda>0$.

Wrong: The first term is that of Theorem 16, whose proof needs $\sigma^2\le1$. With one
context the radii are zero and the sum of the $\rho_t$ is a logarithm; at
$\lambda=10^{-3}$ orthogonal arms exceed it.

Repair: First term
$2\beta_T\sqrt{T(2C_\lambda\gamma_{T+1}+\frac{1.2551}\lambda\log\frac1\delta)}$,
$C_\lambda=\lambda^{-1}/\log(1+\lambda^{-1})$; for $\lambda\ge0.4$ the printed one is
enough. The sums over $\varepsilon_t$ and $\rho_t$ and the order in Corollary 10 are not
affected.
"""

import numpy as np

lam, delta, B, T, L = 0.001, 0.05, 1.0, 200, 1.0
# One context, no noise (R = 0). k(x, x') = <x, x'>, so that L = 1, on e_1 to e_T and
# sqrt(0.99) e_{T+1}; f is the last coordinate. UCB new > last > old: it comes last.
beta, one = np.sqrt(lam) * B, np.log(1 + 1 / lam)
new, last, old = beta / np.sqrt(lam), B * np.sqrt(0.99), beta / np.sqrt(1 + lam)
regret, rho = T * last, (1 + 2 * L * B) * np.sum(1 / np.arange(1, T + 1))
printed = 4 * beta * np.sqrt(T * ((T - 1) * one + 4 * np.log(6 / delta))) + 2 * rho
inside = 2 / lam / one * T * one + 1.2551 / lam * np.log(1 / delta)
repaired = 2 * beta * np.sqrt(T * inside) + 2 * rho
print(f"printed: {regret:.1f} <= {printed:.1f}")
print(f"repaired: {regret:.1f} <= {repaired:.1f}")
assert new > last > old
assert regret > printed
