r"""Abstract: regret with a constant budget.

Printed: With a constant budget the complexity is finite, and $\mathrm{Reg}_T/T\to O(\epsilon)$.

Wrong: The proof gives $\sqrt{C_1\beta_T\epsilon}$, line (8.31), which grows with $\log T$. Under
UCB the order settles and $\beta_t$ goes on growing: in the end the arm of largest remaining
variance is chosen in every round, whatever its value and the budget.

Repair: $O(\sqrt{\epsilon\log T})$ at finite $T$, as proved, and no limit. For small budgets the
limit is reached after astronomically many rounds only. Finite complexity (Theorem 3.1) and
Theorem 3.2, with a budget that falls with $T$, are not affected.
"""

import numpy as np

f, prior = np.array([0.0, 0.1]), np.array([1.0, 0.9])  # two arms, noise variance 1
u, T, count, regret = np.array([0.52, 0.052, 0.0052]), 20_000, np.zeros(2), 0.0
for t in range(1, T + 1):  # the first budget, without errors; delta = 0.1
    var, beta = 1 / (1 / prior + count), 2 * np.log(2 * t**2 * np.pi**2 / 0.6)
    x = np.argmax(var * count * f + np.sqrt(beta * var))
    count[x] += var[x] > u[0]
    regret += f.max() - f[x]
copies = np.ceil(1 / u[:, None] - 1 / prior)  # of each arm, in the end
limit = f.max() - f[np.argmax(1 / (1 / prior + copies), axis=1)]
epsilon = np.log1p(u) / 2
print(f"printed: limits over epsilon, to be bounded: {(limit / epsilon).round(2)}")
print(f"repaired: limits {limit} at {epsilon.round(4)}; measured {regret / T:.3f}")
assert limit[2] / epsilon[2] > 50 * limit[0] / epsilon[0]
