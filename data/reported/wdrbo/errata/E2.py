r"""Theorems 5 and 16, (15) and (57); hence Theorems 9 and 22.

Printed: For every $\lambda>0$, with probability $1-2\delta$, $R_T$ is at most
$4\beta_T\sqrt{T(\gamma_T+4\log\frac6\delta)}$ plus the sum over the radii.

Wrong: (59) uses $\sigma^2\le1$, but only $\sigma^2\le1/\lambda$ is known. On orthogonal
arms, without noise and with one context, the regret exceeds the bound at
$\lambda=10^{-3}$.

Repair: First term
$2\beta_T\sqrt{T(2C_\lambda\gamma_{T+1}+\frac{1.2551}\lambda\log\frac1\delta)}$,
$C_\lambda=\lambda^{-1}/\log(1+\lambda^{-1})$. For $\lambda\ge0.4$ the printed (57)
follows from it, and Theorem 16 holds as printed; it fails for large $T$ where
$\lambda<0.0148$, and between we know neither. The orders in $T$ (Corollaries 6 and 10)
are not affected.
"""

import numpy as np

lam, delta, T, B = 0.001, 0.05, 50, 1.0
k = np.append(np.ones(T), 0.99)  # k(x, x) of T + 1 orthogonal arms; R = 0
f = np.append(np.zeros(T), B * np.sqrt(0.99))  # norm B, all of it on the last arm
n, regret, beta = np.zeros(T + 1), 0.0, np.sqrt(lam) * B
for _ in range(T):
    chosen = np.argmax(n * k * f / (n * k + lam) + beta * np.sqrt(k / (n * k + lam)))
    regret, n[chosen] = regret + f.max() - f[chosen], n[chosen] + 1
one = np.log(1 + 1 / lam)  # gain of a new arm
printed = 4 * beta * np.sqrt(T * ((T - 1) * one + 4 * np.log(6 / delta)))
noise = 1.2551 / lam * np.log(1 / delta)
repaired = 2 * beta * np.sqrt(T * (2 / lam / one * T * one + noise))
print(f"printed: {regret:.2f} <= {printed:.2f}")
print(f"repaired: {regret:.2f} <= {repaired:.2f}")
assert regret > printed
