r"""Sections 5.2.1 and 5.2.2: the congestion penalty; Figure 3.

Printed: The penalty is $\sum_x\sigma\log(P_x+1)$ over the actions $x$, with normalised frequencies $P_x$ and $\sigma=10$; it
punishes crowds. Figure 3 shows an arrangement of the arena with a reward of about 0.9.

Wrong: The sum is concave in $P$: least where all agents agree, largest where they spread evenly. It is at least
$\sigma\log2$, while the arena's other term is at most 2, so that no arrangement has a positive reward.

Repair: Average over agents, $\frac\sigma M\sum_m\log(P_{x_m}+1)=\sigma\sum_xP_x\log(P_x+1)$, and in the swarm the reward term
too. The text then holds, and with pairs counted in both orders two opposite blocks of nine actions have about the reward of
Figure 3. We do not know which form was run. The theorem and the other five experiments are not affected.
"""

import numpy as np

one, even, blocks = np.eye(30)[0], np.full(30, 1 / 30), np.zeros(30)
blocks[:9] = blocks[15:24] = 1 / 18
team = np.repeat([1, -1], 15)  # the blocks' agents have contexts 1 and -1
pairs = 2 * abs((blocks * team * np.exp(2j * np.pi * np.arange(30) / 30)).sum()) ** 2
crowd, spread = (10 * np.log1p(p).sum() for p in (one, even))
own = [10 * (p * np.log1p(p)).sum() for p in (one, even, blocks)]
print(f"printed: crowd {crowd:.2f} >= spread {spread:.2f}; 0.9 <= {2 - crowd:.2f}")
print(f"repaired: {own[0]:.2f} >= {own[1]:.2f}; 0.9 <= {pairs - own[2]:.2f}")
assert crowd < spread
