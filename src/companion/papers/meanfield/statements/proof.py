"""Statements of Appendix A, the proof of Theorem 4.1, step by step and in the order of the paper."""

from companion.papers.meanfield.statements import (
    proof_constants,
    proof_gaussian,
    proof_laws,
    proof_payoffs,
    proof_runs,
    proof_slopes,
)

ORDER = (
    "A-decomp",
    "A-discretisation",
    "A1-split",
    "A1-lipschitz",
    "A1-lmax",
    "A1-lip-sum",
    "A1-holder",
    "A1-maxgauss",
    "A1-tau",
    "A1-logtau",
    "A1-sqrtlog",
    "A1-zeta",
    "A1-total",
    "A2-positive-part",
    "A2-law",
    "A2-RC",
    "A3-independence",
    "A3-cauchy",
    "A3-infogain",
    "A3-RD",
)

_PARTS = (proof_laws, proof_payoffs, proof_slopes, proof_gaussian, proof_constants, proof_runs)

STATEMENTS = tuple(
    statement for name in ORDER for part in _PARTS for statement in part.STATEMENTS if statement.id == name
)
"""Statements of the proof."""
