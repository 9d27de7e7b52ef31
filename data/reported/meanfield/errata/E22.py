r"""Appendix A.1 and A.2, "due to Assumption on the kernel $k(\cdot,\cdot)\le1$"; Eq. (1).

Printed: $k(z,z)\le1$, and so $\sigma_{t-1}\le1$ in the last lines of A.2.

Wrong: No such assumption is stated, and Eq. (1) has $k(z,z)=2+|C|$, since $k_{\text{RBF}}(z,z)=1$. In the first round
$\sigma_0$ exceeds 1, and the step of A.2 that leaves out $\sigma_{t-1}$ fails.

Repair: Assume $k(z,z)\le\kappa^2$. The second part of $R_T^A$ and $R_T^C$ get a factor $\kappa$, and
$D=2\kappa^2/\log(1+\kappa^2/R^2)$ in A.3. Or divide Eq. (1) by $2+|C|$, and the proof needs no factors. The order of the
theorem is not affected.
"""

import numpy as np

actions, contexts, points, t = 2, 1, 16, 1
variance = 1 + 1 + contexts  # of Eq. (1), from k_RBF(z, z) = 1
beta = 2 * np.log(actions * contexts * points * t**2 / np.sqrt(2 * np.pi))
summand = actions * contexts * points / np.sqrt(2 * np.pi) * np.exp(-beta / 2)
left = np.sqrt(variance) * summand
print(f"printed: k(z, z) = {variance} <= 1, and {left:.3f} <= {summand:.3f} = 1 / t^2")
print(f"repaired: {left:.3f} <= {np.sqrt(variance) * summand:.3f} = kappa / t^2")
assert left > 1.5 * summand
