r"""Section 3 and line 7 of Algorithm 1, against Section 5.

Printed: The representative agent observes its own payoff, $y_t=f(x_t,c_t,\xi_t)+\epsilon_t$. In Section 5 only the system
reward $r(\mathbf x)$ is defined, and "reward" and "payoff" are said to be often used for the black-box value.

Wrong: These are different observations: $r$ is the average of $f$ over the agents, and does not depend on the representative
agent's action. If $y_t=r$, the parts of Eq. (1) in $x$ and $c$ describe nothing but noise.

Repair: Say which was observed. If it was $r$, write $g(\xi)$ for $f(x,c,\xi)$ and $k(\xi,\xi')$ for the kernel: a GP-UCB on
collections of laws, for which the proof becomes shorter and the independence of $M$ remains. With the agent's own payoff,
Algorithm 1 and the theorem are not affected.
"""

import numpy as np

share, capacity = np.array([0.5, 0.5]), np.array([0.8, 0.2])  # two ports, Section 5.3.3
payoff = -0.5 - share / capacity + 1  # of a vessel, in its own region
many = np.repeat(payoff, 1500)
print(f"printed: y = {payoff[0]:.3f} = {payoff[1]:.3f} = r = {many.mean():.3f}")
print(f"repaired: average of f {share @ payoff:.3f} = r = {many.mean():.3f}")
assert np.abs(payoff - many.mean()).min() > 0.5
