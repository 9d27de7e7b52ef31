r"""Appendix 7, Lemma 7.1, (7.1) to (7.3).

Printed: The minimum over $v$ of $\|\kappa(x,\cdot)-v^\top k_D(\cdot)\|^2+\frac\lambda2\|v\|^2$ is
$\kappa(x,x)-k_D(x)^\top(K_{DD}+\lambda I)^{-1}k_D(x)$.

Wrong: The closed form belongs to the penalty $\lambda\|v\|^2$; with half of it the minimum is
smaller.

Repair: $\lambda$ for $\frac\lambda2$ in (7.1) and (7.3). At $\lambda=\sigma^2$ the lemma then is
what the proof uses, $\mathrm{dist}^2=\sigma_D^2(x)$; (7.5) and (7.9) do not change. The quantity is
a regularised distance, not that to the span (S6).
"""

import numpy as np

lam, v = 1.0, np.linspace(0, 1, 100_001)
closed = 1 - 1 / (1 + lam)  # one stored point, and x equal to it: K = k = 1
half = np.min((1 - v) ** 2 + lam / 2 * v**2)
whole = np.min((1 - v) ** 2 + lam * v**2)
print(f"printed: {half:.4f} = {closed:.4f}")
print(f"repaired: {whole:.4f} = {closed:.4f}")
assert abs(whole - closed) < 1e-9 < closed - half
