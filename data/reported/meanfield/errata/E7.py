r"""Appendix A.1, the step after "$\tau_t$ cannot be smaller than 1".

Printed: With $n=|A||C|$, the denominator $\max\{nt^2\mathcal G,1\}/n$ is replaced by
$t^2\max\{\mathcal G,1/n\}$, and the fraction is said not to decrease.

Wrong: The new denominator is the larger one: $1/n$ has been multiplied by $t^2$ as well. Where $n\mathcal G<1$ the step
fails from the second round on, also in rounds that have $\tau_t\ge1$ parts.

Repair: Keep $t^2\mathcal G$, and put $1/\mathcal G$ for $\min\{1/\mathcal G,n\}$ in $\mathcal B$. Where $n\mathcal G\ge1$
the minimum is $1/\mathcal G$, and nothing changes. The order in $T$ is not affected in either case.
"""

n, slope, t = 2, 0.01, 10
tau = n * t**2 * slope
left = n / max(tau, 1)
printed = 1 / (t**2 * max(slope, 1 / n))
repaired = 1 / (t**2 * slope)
print(f"printed: {left:.3f} <= {printed:.3f} (tau_t = {tau:g})")
print(f"repaired: {left:.3f} <= {repaired:.3f}")
assert printed < left <= repaired
