r"""Appendix A.1, second inequality: the term with the change of the sampling distribution.

Printed: $\sum_xf_x\delta_x\le\max\|\delta\|_1\sum_xf_x$, where $f_x=f(x,c,[\xi^\star]_t)$ and $\delta$ is the difference of
$[\xi^\star]_t(\cdot|c)$ and $\xi^\star(\cdot|c)$.

Wrong: The right side is negative or zero where the payoffs are so on balance, while the left side may be positive.

Repair: Hölder's inequality: $\sum_xf_x\delta_x\le\|\delta\|_1\max_x|f_x|$, and then
$\mathbb E\max|f|\le\sqrt{2\log(2|A||C||\Xi_t|)}$ for the maximum over all actions, contexts and points of $\Xi_t$. The order
in $T$ is not affected, and the sum over actions, a factor $|A|$ of $\mathcal B$, is not needed any more.
"""

import numpy as np

f, delta = np.array([1.0, -1.0]), np.array([0.1, -0.1])
left = f @ delta
printed = np.abs(delta).sum() * f.sum()
repaired = np.abs(delta).sum() * np.abs(f).max()
print(f"printed: {left:.3f} <= {printed:.3f}")
print(f"repaired: {left:.3f} <= {repaired:.3f}")
assert printed < left <= repaired
