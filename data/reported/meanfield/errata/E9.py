r"""Appendix A.1, last two displays, and $\mathcal B$ in Theorem 4.1.

Printed: $\sum_{t\le T}t^{-2}\log t=\zeta'(2)$, and
$2\sum_{t\le T}t^{-2}\log t+\sqrt{\mathcal G}\sum_{t\le T}t^{-2}\le\max\{2\zeta'(2),\pi^2/6\}$.

Wrong: The derivative of $t^{-s}$ is $-t^{-s}\log t$: the series is $-\zeta'(2)>0$, and a finite sum stays below it. A sum of
two positive terms is bounded by the larger one, which has also lost its factor $\sqrt{\mathcal G}$.

Repair: Put $-2\zeta'(2)+\sqrt{\mathcal G}\,\pi^2/6$ for the maximum. $\mathcal B$ gets the factor $1+\sqrt{\mathcal G}$,
which depends on $b$, $|A|$ and $|C|$. The sum converges in either case, so that the order in $T$ and the independence of $M$
are not affected.
"""

import numpy as np

t, slope = np.arange(1.0, 1e6), 1.0
derivative = -(np.log(t) / t**2).sum()  # zeta'(2)
early = t[:250]
logs, squares = (np.log(early) / early**2).sum(), (1 / early**2).sum()
left = 2 * logs + np.sqrt(slope) * squares
printed = max(2 * derivative, np.pi**2 / 6)
repaired = -2 * derivative + np.sqrt(slope) * np.pi**2 / 6
print(f"printed: {logs:.4f} = {derivative:.4f}, and {left:.3f} <= {printed:.3f}")
print(f"repaired: {logs:.4f} <= {-derivative:.4f}, and {left:.3f} <= {repaired:.3f}")
assert derivative < 0 < logs < printed < left
