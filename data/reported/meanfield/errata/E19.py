r"""Section 4, Eq. (1), and Section 5.2.2.

Printed: In the experiments the payoff has the kernel $k(x,x')+k(c,c')+\sum_ck(\xi_c,\xi_c')$, also in the arena.

Wrong: Paths of that prior are sums $u(x)+v(c)+\sum_cw_c(\xi_c)$. Their average under $\xi$ has no interaction of two contexts'
laws, which is what the arena rewards: its second difference is not zero. Nor is there a term in an agent's action and the law
together, such as congestion.

Repair: Multiply the kernels of the contexts' laws, and that of $x$, in place of adding them; the row MF-GP-UCB of Table 1 is
then the rate. Theorem 4.1 is not affected: it speaks of payoffs drawn from its prior. The experiments stand as a record of
what was run; with one context Eq. (1) has room for the system's reward.
"""

import numpy as np

seats = [(0, 0), (0, 1), (1, 0), (1, 1)]  # of teams 1 and -1, on opposite sides
signs = np.array([1, -1, -1, 1])
cos = np.array([1, -1])
reward = [(cos[i] - cos[j]) ** 2 / 2 for i, j in seats]
kernel = np.exp(-np.array([[0, 2], [2, 0]]) / 2)  # of the laws (1, 0) and (0, 1)
added = np.array([[kernel[i, k] + kernel[j, m] for k, m in seats] for i, j in seats])
product = np.array([[kernel[i, k] * kernel[j, m] for k, m in seats] for i, j in seats])
difference = signs @ reward
sd, joint = (np.sqrt(abs(signs @ gram @ signs)) for gram in (added, product))
print(f"printed: second difference {difference:.3f} = 0, prior deviation {sd:.3f}")
print(f"repaired: second difference {difference:.3f}, prior deviation {joint:.3f}")
assert abs(difference) > 1 > 1e-6 > sd
