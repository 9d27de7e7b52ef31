"""Processor time of a late round of MF-GP-UCB, a fit among five, in units of scikit-learn's fit to as many observations.

Prints, stores nothing. Run with ``make bench``, or ``python benchmarks/bench_meanfield.py``.
"""

from __future__ import annotations

import os
import sys
import time
import warnings

os.environ.update(dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1"))

import numpy as np
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process.kernels import RBF, ConstantKernel, WhiteKernel

from companion.papers.meanfield.method.policy import MeanFieldGPUCB

OBSERVED, ROUNDS = 245, 5


def main() -> int:
    """Print a line for each number of actions."""
    for actions in (30, 394):
        rng = np.random.default_rng(0)
        run = MeanFieldGPUCB(rng.uniform(size=(actions, 2)), np.zeros((1, 1)), [1.0], rng, initial=10)
        laws = rng.dirichlet(np.full(actions, 5.0), (OBSERVED, 1))
        values = -np.square(laws).sum(axis=(1, 2)) + 1e-3 * rng.normal(size=OBSERVED)
        for law, value in zip(laws, values, strict=True):
            run.model.add(int(rng.integers(actions)), 0, law, float(value))
        began = time.process_time()
        for _ in range(ROUNDS):
            law = run.ask()
            run.tell(0, 0, float(-np.square(law).sum()))
        ours = (time.process_time() - began) / ROUNDS
        peer = GaussianProcessRegressor(ConstantKernel() * RBF() + WhiteKernel(1e-4), normalize_y=True)
        began = time.process_time()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # a length-scale at its end is a fit as dear as any
            peer.fit(laws[:, 0], values)
        theirs = time.process_time() - began
        print(f"{actions} actions, {OBSERVED} observations: a round costs {ours / theirs:.1f} of scikit-learn's fits")
    return 0


if __name__ == "__main__":
    sys.exit(main())
