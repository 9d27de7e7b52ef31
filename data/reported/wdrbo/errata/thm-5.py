r"""Section 4.1, Theorem 5, (15).

Printed:
$R_T\le4\beta_T\sqrt{T\gamma_T+4\log\frac6\delta}+\sum_t2\varepsilon_tL_t(x^*_t)$ with
probability $1-2\delta$, for every $\lambda>0$.

Wrong: Six rounds on orthogonal arms at $\lambda=10^{-3}$, without noise, exceed it. Two
causes: the proof needs $\sigma^2\le1$, and it ends with $T$ before the whole bracket,
as in (57).

Repair: First term
$2\beta_T\sqrt{T(2C_\lambda\gamma_{T+1}+\frac{1.2551}\lambda\log\frac1\delta)}$ with
$C_\lambda=\lambda^{-1}/\log(1+\lambda^{-1})$, for every $\lambda$; for $\lambda\ge0.4$
also (57). For $\lambda\ge1$ we found no regret above (15). The order in Corollary 6 is
not affected.
"""

import numpy as np

lam, delta, B, T = 0.001, 0.05, 1.0, 6
# One context, no noise (R = 0), T + 1 arms with k(x, x') = 0, k(x, x) = 1 or, on the
# last, 0.99. All of f is on the last, which comes last: UCB new > last > old.
beta, one = np.sqrt(lam) * B, np.log(1 + 1 / lam)
new, last, old = beta / np.sqrt(lam), B * np.sqrt(0.99), beta / np.sqrt(1 + lam)
regret = T * last
printed = 4 * beta * np.sqrt(T * (T - 1) * one + 4 * np.log(6 / delta))
noise = 1.2551 / lam * np.log(1 / delta)
repaired = 2 * beta * np.sqrt(T * (2 / lam / one * T * one + noise))
print(f"printed: {regret:.2f} <= {printed:.2f}")
print(f"repaired: {regret:.2f} <= {repaired:.2f}")
assert new > last > old
assert regret > printed
