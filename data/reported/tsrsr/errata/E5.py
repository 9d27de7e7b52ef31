r"""Section 4, Theorem 1 and the comparison after it; (12); Appendix B.1.

Printed: Up to the factor $\rho_m$, the largest ratio of a standard deviation before and after $m$
further points, the regret matches that of sequential methods; $m=1$ is the sequential case.

Wrong: With points repeated as the algorithm may, $\rho_m^2=1+m\,\sigma_n^{-2}\max_xk(x,x)$. So
$\rho_1$ is not 1, and $\rho_m\sqrt{Tm}$ grows linearly in $m$. At $\sigma_n=10^{-3}$ the bound
exceeds the trivial one in every setting of Section 6.

Repair: The $i$-th point is conditioned on $i-1$ others, so Lemma 4 and Theorem 1 hold with
$\rho_{m-1}$, which is 1 for $m=1$. Say that without an initial design the bound is linear in $m$.
The theorem, and its use after the design of Appendix B.1, are not affected.
"""

import math


def ratio(m, noise=1e-3):
    variance = 1.0
    for _ in range(m):  # evaluations of one point
        variance *= noise**2 / (variance + noise**2)
    return 1 / math.sqrt(variance)


print(f"printed: at m = 1 a factor of {ratio(1):.0f}, where the sequential rate has 1")
print(f"repaired: at m = 1 a factor of {ratio(0):.0f}")
settings = [(20, 20), (5, 50), (20, 15), (5, 30), (10, 30)]  # m and T in Section 6
least = min(ratio(m) / math.sqrt(m * T) for m, T in settings)
print(f"rho_20 / rho_5 = {ratio(20) / ratio(5):.3f}; bound over trivial >= {least:.0f}")
assert ratio(1) > ratio(0) == 1 and least > 1
