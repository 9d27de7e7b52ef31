r"""Appendix 8.1, proof of Lemma 18: (62), (64), and the event after (65).

Printed: (64) with $\|h-\tilde h\|_\infty+L_x\|x-\tilde x\|$ on the right; $(1+L_x)\rho$
from the cover to the class, in (62); $\mathcal R_{\mathcal P^*}(\varepsilon,\tilde h)$
in the event.

Wrong: $\mathcal R$ contains two expectations, so that (64) lacks a factor 2. From the
cover to the class one $(1+L_x)\rho$ is too little. The event needs $-\tilde h$ (see
lemma-18).

Repair: Twice the right side of (64), $2(1+L_x)\rho$ in (62), and so
$\rho_t=2(1+2L\bar B_t)/t$ in Lemma 7. The radius, Theorem 8's form and the order in
Corollary 10 are not affected; the radius could even be halved, and (62) itself did not
fail where we tried it.
"""

import numpy as np

c, rho = np.array([0.0, 1.0]), 1.0
h = rho * (1 - 2 * c)  # against the member 0 of the cover, no decision: L_x = 0
risk = np.max(-h) + h[0]  # R(1, -h) at the law with all its mass at c = 0
truth, seen, radius = np.array([0.9, 0.1]), np.array([0.0, 1.0]), 0.1
left, right = truth @ h, seen @ h + radius * 2 * rho  # the slope of h is 2 rho
print(f"printed: (64) {risk:.1f} <= {rho:.1f}; step {left:.1f} <= {right + rho:.1f}")
more = 2 * rho
print(f"repaired: (64) {risk:.1f} <= {more:.1f}; step {left:.1f} <= {right + more:.1f}")
assert risk > rho
assert left > right + rho
