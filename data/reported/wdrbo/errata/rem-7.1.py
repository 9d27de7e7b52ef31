r"""Section 7.1, first paragraph, the Matérn-3/2 kernel.

Printed: Assumption 1 holds with $L=1$ for the squared exponential and the Matérn-3/2
kernel, and for Matérn kernels with $\nu=p+\frac12$, $p\ge1$, with some $L$.

Wrong: For Matérn-3/2 in the form $(1+\sqrt3r/\ell)e^{-\sqrt3r/\ell}$, the constant is
$\sqrt3$ even at $\ell=1$; 1 belongs to $(1+r)e^{-r}$.

Repair: $L=\sqrt{\nu/(\nu-1)}/\ell$ for Matérn kernels in the usual form, $1/\ell$ for
the squared exponential. That these kernels satisfy Assumption 1, Lemma 11 and all rates
are not affected.
"""

import numpy as np

scale, nu = 1.0, 1.5
r = np.geomspace(1e-3, 10, 1000)
s = np.sqrt(2 * nu) * r / scale
k = (1 + s) * np.exp(-s)
ratio = np.max(np.sqrt(2 - 2 * k) / r)  # distance of the features over distance
print(f"printed: {ratio:.3f} <= {1.0:.3f}")
print(f"repaired: {ratio:.3f} <= {np.sqrt(nu / (nu - 1)) / scale:.3f}")
assert ratio > 1
