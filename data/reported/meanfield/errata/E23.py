r"""Theorem 4.1 and Appendix A.3: what the constants $a$ and $D$ are.

Printed: The theorem takes any $a,b>0$ of Assumption 3.1, and A.3 ends with "some positive constant" $D$.

Wrong: For $an\le e^{-\sqrt\pi/2}$, with $n=|A||C|$, $\mathcal G\le0$ and there is no number of parts. A payoff that does not
depend on the law satisfies the assumption with such an $a$; any other has $a\ge1$, as $L\to0$ shows. $D$ depends on the noise.

Repair: Add $an\ge1$ to the theorem, which any payoff that depends on the law satisfies, and
$D=2/\log(1+R^{-2})$, from the lemma that A.3 cites. These are slips: the theorem's order in $T$ and its independence of $M$
are not affected.
"""

import numpy as np


def parts(a, n=2, b=1.0):
    """tau_1 as printed."""
    return n * b * (np.log(a * n) + np.sqrt(np.pi) / 2)


print(f"printed: tau_1 = {parts(a=0.1):.3f} >= 1, with an = {0.1 * 2:.1f}")
print(f"repaired: tau_1 = {parts(a=0.5):.3f} >= 1, with an = {0.5 * 2:.1f}")
assert parts(a=0.1) < 0 < parts(a=0.5)
