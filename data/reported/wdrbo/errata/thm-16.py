r"""Appendix 8, Theorem 16, (57).

Printed:
$R_T\le4\beta_T\sqrt{T(\gamma_T+4\log\frac6\delta)}+\sum_t2\varepsilon_tL_t(x^*_t)$ with
probability $1-2\delta$, for every $\lambda>0$.

Wrong: While orthogonal arms remain, the regret grows like $BT$, and the bound like
$4BT\sqrt{\lambda\log(1+1/\lambda)}$, which is less for every $\lambda<0.0148$. The
proof needs $\sigma^2\le1$.

Repair: Assume $\lambda\ge0.4$, for which (57) holds as printed, or take
$2\beta_T\sqrt{T(2C_\lambda\gamma_{T+1}+\frac{1.2551}\lambda\log\frac1\delta)}$ as first
term, with $C_\lambda=\lambda^{-1}/\log(1+\lambda^{-1})$. The sum over the radii,
Theorem 4 and the order of Corollary 6 are not affected.
"""

import numpy as np

lam, delta, B, T = 0.01, 0.05, 1.0, 10_000
# One context, no noise (R = 0), T + 1 arms with k(x, x') = 0, k(x, x) = 1 or, on the
# last, 0.99. All of f is on the last, which comes last: UCB new > last > old.
beta, one = np.sqrt(lam) * B, np.log(1 + 1 / lam)
new, last, old = beta / np.sqrt(lam), B * np.sqrt(0.99), beta / np.sqrt(1 + lam)
regret = T * last
printed = 4 * beta * np.sqrt(T * ((T - 1) * one + 4 * np.log(6 / delta)))
noise = 1.2551 / lam * np.log(1 / delta)
repaired = 2 * beta * np.sqrt(T * (2 / lam / one * T * one + noise))
print(f"printed: {regret:.0f} <= {printed:.0f}")
print(f"repaired: {regret:.0f} <= {repaired:.0f}")
assert new > last > old
assert regret > printed
