r"""Section 7.1, first paragraph, the squared exponential kernel.

Printed: Assumption 1 holds with $L=1$ for the squared exponential and the Matérn-3/2
kernel.

Wrong: That is the constant of $e^{-r^2/2}$ and of $(1+r)e^{-r}$, whose scale is one. In
the usual form it grows as the length-scale $\ell$ falls: at $\ell=0.05$ the ratio of
the distances reaches 20.

Repair: $L=1/\ell$ for $e^{-r^2/(2\ell^2)}$ and $\sqrt3/\ell$ for Matérn-3/2 in the
usual form. Assumption 1 and Lemma 11 are not affected, nor is any rate; $L$ enters the
bounds as a factor, which is larger at short length-scales.
"""

import numpy as np

scale = 0.05
r = np.geomspace(1e-3, 10, 1000)
k = np.exp(-(r**2) / (2 * scale**2))
ratio = np.max(np.sqrt(2 - 2 * k) / r)  # distance of the features over distance
print(f"printed: {ratio:.3f} <= {1.0:.3f}")
print(f"repaired: {ratio:.3f} <= {1 / scale:.3f}")
assert ratio > 1
