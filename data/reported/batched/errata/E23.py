r"""Lemma 1, Theorem 1, Theorem 3.

Printed: Rates with $\sqrt{\log\log\log T}$, for any $T\ge B\ge2$.

Wrong: $\log\log\log T$ is negative or undefined for $T<e^e$, that is up to $T=15$, and its root no
number.

Repair: Presume $T>e^e$, or write $\sqrt{\log B}$, from which it comes. The rates are for large $T$;
nothing else changes.
"""

import numpy as np

T = np.array([15.0, 16.0])
triple = np.log(np.log(np.log(T)))
print(f"printed: a root of log log log {T[0]:.0f} = {triple[0]:.4f} >= 0")
print(f"repaired: above {np.exp(np.e):.2f}, as at {T[1]:.0f}, {triple[1]:.4f} >= 0")
assert triple[0] < 0 < triple[1]
