r"""Section 4.2, definition of the centre $\hat{\mathcal P}_t$; Lemma 7.

Printed: $\hat{\mathcal P}_t=\frac1t\sum_{i=1}^t\mathcal I_{\{c=c_i\}}$, and $x_t$
maximises (13) with this centre.

Wrong: $c_t$ is revealed after $x_t$ (Algorithm 1). Were it known, $x_t$ would depend on
it, and the expectation of $\sigma_{t-1}^2(x_t,c_t)$ would not be that under
$\mathcal P^*$, as (59) needs.

Repair: $\frac1{t-1}\sum_{i<t}$, $t-1$ for $t$ in (16), and a rule for the first round.
This is what the published code does. Theorems 8 and 9 then hold with $t-1$, up to their
other repairs, and the order in Corollary 10 is not affected.
"""

import numpy as np

# Two decisions, two contexts of chance 1/2, lambda = 1; round 1: sigma^2 = k(z, z).
width = np.array([[1.0, 0.25], [0.25, 1.0]])
law, contexts = np.array([0.5, 0.5]), np.arange(2)
chosen = width.argmax(axis=0)  # (13) with all mass on c_1; radius and mean are 0
seen, expected = law @ width[chosen, contexts], law @ (width[chosen] @ law)
before = np.zeros(2, int)  # x_1 fixed before c_1
repaired, same = law @ width[before, contexts], law @ (width[before] @ law)
print(f"printed: {seen:.3f} = {expected:.3f}")
print(f"repaired: {repaired:.3f} = {same:.3f}")
assert seen != expected
assert repaired == same
