r"""Section 2, and Section 4 below (4): the cost of DPPTS.

Printed: The computational complexity of other batch algorithms, such as DPPTS, is exponential in
$m$.

Wrong: That is so of a search over all $|\mathcal X|^m$ batches. The version that is compared in
Section 6 (published code, commit a5cc6f7) runs two Markov steps from a Thompson batch: $m+2$
posterior draws and three determinants of order $m$.

Repair: Write that two steps of the chain cost a polynomial in $m$; DPPTS as compared costs about as
much as TS-RSR. That a batch of TS-RSR takes a number of steps linear in $m$ is not affected.
"""

import numpy as np

rng, x, drawn = np.random.default_rng(0), np.linspace(0, 1, 40), {10: 0, 20: 0}
kernel = np.exp(-((x[:, None] - x) ** 2) / 0.08) + 1e-6 * np.eye(40)


def draw(m):
    drawn[m] += 1
    return (np.linalg.cholesky(kernel) @ rng.standard_normal(40)).argmax()


for m in drawn:
    batch = [draw(m) for _ in range(m)]
    for _ in range(2):  # Markov steps
        new = [draw(m), *batch[1:]]
        a, b = (np.linalg.det(np.eye(m) + kernel[np.ix_(s, s)]) for s in (new, batch))
        batch = new if rng.random() < a / b else batch
print(f"printed: exponential, as {40.0**10:.0e} and {40.0**20:.0e} batches")
print(f"repaired: {drawn[10]} and {drawn[20]} posterior draws")
assert drawn[20] < 2 * drawn[10]
