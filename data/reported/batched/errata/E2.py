r"""Section 5.1, Algorithm 1, lines 7 and 12, against Section 2.2; Remark 9.

Printed: Line 7 calls the evaluated point of $\mathcal X_{\xi,i}$ $x_t$; Section 2.2 evaluates
$x_t+\delta_t$ and charges $r_\xi(x_t)$.

Wrong: Taken literally, the charged point is a neighbour of an active one and need not be active.
Lemma 10 does not cover it, and the regret can be linear in $T$.

Repair: Let line 7 choose an active $x_t\in\mathcal X_i$ and $\delta_t$, evaluate $x_t+\delta_t$ and
charge $x_t$; line 12 then computes the bounds on $\mathcal X_{\xi,i}$, and $x_T$ in Remark 9 is
the active point. Theorem 3 and its proof are about this reading, and stand.
"""

import numpy as np

f, near = np.array([0.0, 20.0, -10.0]), [[0, 1], [0, 1, 2], [1, 2]]
width = np.sqrt(f @ f) + np.sqrt(2 * np.log(3 * 2 / 0.5))  # B = 2, delta = 1/2
each = 20_000  # evaluations of each independent arm in batch 1, no errors, sigma = 1
lower, upper = each * f / (1 + each) + np.array([[-1], [1]]) * width / np.sqrt(1 + each)
top = max(lower[s].min() for s in near)
active = [x for x in range(3) if upper[near[x]].min() >= top]
sampled = sorted({a for x in active for a in near[x]})  # in batch 2, in turn
robust = np.array([f[s].min() for s in near])
literal, meant = (np.mean(robust.max() - robust[s]) for s in (sampled, active))
gain = 1.5 * np.log1p(each)
allowed = 6 * width * np.sqrt(2 / np.log(2) * gain / (3 * each))  # (163)
print(f"printed: {literal:.2f} <= {allowed:.2f} a round, points {sampled} charged")
print(f"repaired: {meant:.2f} <= {allowed:.2f} a round, points {active} charged")
assert meant <= allowed < literal
