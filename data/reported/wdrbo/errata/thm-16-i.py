r"""Appendix 8, proof of Theorem 16, (59), step (i).

Printed: With probability $1-\delta$, for all $T$:
$\sum_{t\le T}\mathbb E\,\sigma_{t-1}^2(x_t,c)\le2\sum_{t\le T}\sigma_{t-1}^2(x_t,c_t)+8\log\frac6\delta$,
by a lemma on values in $[0,1]$, as $k\le1$.

Wrong: $\sigma^2$ is $k$ divided by $\lambda$ and may reach $1/\lambda$. With a context
that is rare and the only one with any width, the line fails with probability near one.

Repair: $\frac8\lambda\log\frac6\delta$ for $8\log\frac6\delta$ where $\lambda<1$ (the
lemma, applied to $\lambda\sigma^2$). For $\lambda\ge1$ the step is right as printed,
and as the constant 8 is generous it holds down to $\lambda=0.16$. The order in $T$ is
not affected.
"""

import numpy as np

lam, delta, rare, T = 0.001, 0.1, 0.002, 17
# k(z, z') = c c' with c = 1 in a share `rare` of the rounds, else c = 0. Until c = 1
# comes up, its squared width stays 1 / lam, and the widths that came up are zero.
left, seen = T * rare / lam, 0.0
printed = 2 * seen + 8 * np.log(6 / delta)
repaired = 2 * seen + 8 / lam * np.log(6 / delta)
chance = (1 - rare) ** T  # that c = 1 does not come up in T rounds
print(f"printed: {left:.1f} <= {printed:.1f}, false with chance {chance:.3f} > {delta}")
print(f"repaired: {left:.1f} <= {repaired:.1f}")
assert left > printed
assert chance > delta
