r"""Appendix 8.1, proof of Corollary 24, (79) to (81).

Printed: $4\beta_T\sqrt{T(\gamma_T+\dots)}$ is $\tilde O(\sqrt{T\gamma_T})$, and
$\sum_t(1+2L\bar B_t)/t$ ends as $O(\log T)$.

Wrong: $\bar B_t$ grows like $\sqrt{\gamma_t}$, a power of $\log t$, so that the sum
over $\log T$ grows. In (79) $\beta_T$ is left out in the same way.

Repair: $O(\sqrt{\gamma_T}\log T)$, which is $\tilde O(1)$, in (81), and
$\tilde O(\beta_T\sqrt{T\gamma_T})$ in (79). For the squared exponential kernel these
factors are logarithms, and (82) and Corollary 10 stand; for kernels whose gain is a
power of $T$ the factor counts.
"""

import numpy as np

L, d = 1.0, 2
t = np.arange(2, 1_000_001)
gain = np.log(t) ** (d + 1)  # the order that the proof takes
total = np.cumsum((1 + 2 * L * (1 + np.sqrt(gain))) / t)
ends = np.array([100, 10_000, 1_000_000]) - 2
printed = total[ends] / np.log(t[ends])
repaired = printed / np.sqrt(gain[ends])
print(f"printed: {printed.round(2)} at T = {t[ends]} is bounded")
print(f"repaired: {repaired.round(2)} at T = {t[ends]} is bounded")
assert np.all(np.diff(printed) > 0)
assert np.all(np.diff(repaired) < 0)
