r"""Appendix 9.2, (9.20) to (9.21), in the proof of Theorem 3.4.

Printed: From $r_t\le L_t+U_t$, squaring gives $r_t^2\le L_t^2+U_t^2$.

Wrong: The square of a sum is up to twice the sum of the squares. It happens in a round of the
algorithm: two arms at the two ends of their intervals, tied in expected improvement.

Repair: Do not square. Cauchy-Schwarz on each sum,
$\sum L_t+\sum U_t\le\sqrt{T\sum L_t^2}+\sqrt{T\sum U_t^2}$, gives the right side of (9.27) with its
printed constants. So nothing is lost here; (9.26), on $\sum U_t^2$, is another matter (S13).
"""

import numpy as np

root = np.sqrt(2 * np.log(3 * np.pi**2 / 6 / 0.1))  # of beta_1: 3 arms, delta = 0.1
f = np.array([0.0, -root, root])  # arm 0 was observed, without error
sd = np.array([0.3 / np.sqrt(1.09), 1, 1])  # all means are 0, the best observation is 0
R, regret = 0.0, f.max() - f[1]  # arms 1 and 2 have the same expected improvement
L, U = sd[1] * (root + 1 + R), root * sd[2]
print(f"printed: {regret**2:.2f} <= {L**2 + U**2:.2f}")
print(f"repaired: {regret:.2f} <= {np.sqrt(L**2) + np.sqrt(U**2):.2f}")
assert regret**2 > L**2 + U**2
