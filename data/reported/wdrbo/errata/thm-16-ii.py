r"""Appendix 8, proof of Theorem 16, (59), step (ii).

Printed: $\sigma_{t-1}^2\le2\log(1+\sigma_{t-1}^2)$, from $x\le2a\log(1+x)$ on $[0,a]$
with $a=1$.

Wrong: $\sigma^2$ may reach $1/\lambda$, and $x\le2\log(1+x)$ ends at $x=2.51$: for
$\lambda<0.398$ the step fails in the first round. The general remark fails as well, for
$a<0.649$.

Repair: $\sigma^2\le C_\lambda\log(1+\sigma^2)$ with
$C_\lambda=\lambda^{-1}/\log(1+\lambda^{-1})$, as $x/\log(1+x)$ grows. For
$\lambda\ge0.4$ the step is right as printed. The order in $T$ is not affected.
"""

import numpy as np

lam = 0.1
width = 1 / lam  # the squared width before any data, where k(z, z) = 1
printed = 2 * np.log(1 + width)
repaired = (1 / lam) / np.log(1 + 1 / lam) * np.log(1 + width)
print(f"printed: {width:.3f} <= {printed:.3f}")
print(f"repaired: {width:.3f} <= {repaired:.3f}")
assert width > printed
