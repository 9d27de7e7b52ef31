r"""Algorithm 1 with (2.6); Section 4.1 (last sentence), and likewise Section 4.2.

Printed: The model order of Algorithm 1, run with UCB, EI and MPI, settles to a constant given by
the covering number of the action space.

Wrong: Under EI and MPI a rejection changes nothing, neither the posterior nor the incumbent nor the
acquisition. The same point is chosen and rejected for ever; the order stops wherever this
happens first, and the regret is linear from then on, unless that point is the best one.

Repair: Say this of UCB with growing $\beta_t$ only. For EI and MPI a rejected point has to be left
out of the next choice, or the incumbent changed. Theorem 3.1 is not affected: the order is
finite all the same.
"""

from math import erfc

import numpy as np

f, noise, u = np.full(50, 2.6), 1e-4, 0.5  # 50 independent arms, u = exp(2 epsilon) - 1
f[0], count, order, regret = 2.5, np.zeros(50), [], 0.0
count[0] = 1  # arm 0 was observed once, without error
for _ in range(200):
    mean, var = count * f / (count + noise), noise / (count + noise)
    z = (mean - f[0]) / np.sqrt(var)
    cdf = np.array([erfc(-s / 2**0.5) / 2 for s in z])
    x = np.argmax(np.sqrt(var) * (z * cdf + np.exp(-(z**2) / 2) / np.sqrt(2 * np.pi)))
    count[x] += var[x] > noise * u
    order, regret = [*order, int(count.sum())], regret + f.max() - f[x]
print(f"printed: the order settles at {len(f)} = {order[-1]}")
print(f"repaired: frozen at {order[-1]} from round 1 on, regret {regret:.1f} after 200")
assert order[0] == order[-1] < len(f)
