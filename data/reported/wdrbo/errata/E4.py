r"""Appendix 8, proof of Theorem 16, the line below (59).

Printed: $x\le2a\log(1+x)$ for all $x\in[0,a]$.

Wrong: At $x=a$ it says $\log(1+a)\ge\frac12$, which is false for every $a<0.649$.

Repair: $x\le\frac a{\log(1+a)}\log(1+x)$, the sharp factor. At $a=1$, where the proof
uses it, the printed line is right, and 2 may be replaced by 1.443. The theorem is not
affected by this line where $\sigma^2\le1$; for $\lambda<1$ the range is $a=1/\lambda$
(see thm-16-ii).
"""

import numpy as np

a = 0.1
x = np.linspace(0.0, a, 101)
printed = 2 * a * np.log(1 + x)
repaired = a / np.log(1 + a) * np.log(1 + x)
print(f"printed: {x[-1]:.4f} <= {printed[-1]:.4f}")
print(f"repaired: {x[-1]:.4f} <= {repaired[-1]:.4f}")
assert x[-1] > printed[-1]
assert np.all(x <= repaired + 1e-15)
