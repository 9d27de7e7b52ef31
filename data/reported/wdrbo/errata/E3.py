r"""Theorem 5, (15), and Corollary 17, (61), against (57), (60) and Theorem 9.

Printed: $4\beta_T\sqrt{T\gamma_T+4\log\frac6\delta}$ in the main text and in (61);
$4\beta_T\sqrt{T(\gamma_T+4\log\frac6\delta)}$ in the appendix and in Theorem 9.

Wrong: The proof gives the second form only. The first may lie below a step of the
proof: on one arm with one context, below what (59) (i) gives.

Repair: $T$ before the whole bracket in (15) and (61), best read as a misprint.
Corollaries 6 and 10 keep their orders. No regret above (15) was found for
$\lambda\ge1$; for small $\lambda$ see E2.
"""

import numpy as np

lam, delta, T = 1.0, 0.1, 60  # one arm, k = 1: its squared widths are 1 / (n + lam)
widths, gain = 1 / (np.arange(T) + lam), np.log(1 + (T - 1) / lam)
noise = np.log(6 / delta)
step = 2 * np.sqrt(T * (2 * widths.sum() + 8 * noise))  # (58), (59) (i), over beta_T
printed = 4 * np.sqrt(T * gain + 4 * noise)
repaired = 4 * np.sqrt(T * (gain + 4 * noise))
print(f"printed: {step:.1f} <= {printed:.1f}")
print(f"repaired: {step:.1f} <= {repaired:.1f}")
assert step > printed
