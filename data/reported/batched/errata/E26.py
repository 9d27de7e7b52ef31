r"""Section 3.1, Remark 1; Section 2.1, where every $\nu>0$ is allowed.

Printed: $f$ is Lipschitz, so a discretisation extends the bounds to $[0,1]^d$ with the same scaling
in $T$, up to logarithms.

Wrong: Functions of bounded norm are Lipschitz for $\nu>1$. For $\nu=\frac12$ they may change by
$\sqrt{2h}$ over a distance $h$, so that a grid of spacing $T^{-1/2}$ costs up to $T^{3/4}$.

Repair: Spacing $T^{-1/(2\nu)}$ for $\nu<1$, at the price of a constant factor in
$\log|\mathcal X|$. The rates are the same up to logarithms; for $\nu>1$ nothing changes.
"""

import numpy as np

T = np.array([1e4, 1e8])
printed, repaired = (
    T * np.sqrt(-2 * np.expm1(-h)) / np.sqrt(T)  # norm 1, kernel exp(-h), T rounds
    for h in (T**-0.5, 1 / T)
)
print(f"printed: cost over root T, to be bounded: {printed.round(1)}")
print(f"repaired: {repaired.round(3)}")
assert printed[1] > 9 * printed[0]
