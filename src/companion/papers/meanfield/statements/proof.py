"""Statements of Appendix A, the proof of Theorem 4.1, step by step."""

from companion.papers.meanfield.statements import (
    proof_constants,
    proof_gaussian,
    proof_laws,
    proof_payoffs,
    proof_runs,
    proof_slopes,
)

STATEMENTS = (
    *proof_laws.STATEMENTS,
    *proof_payoffs.STATEMENTS,
    *proof_slopes.STATEMENTS,
    *proof_gaussian.STATEMENTS,
    *proof_constants.STATEMENTS,
    *proof_runs.STATEMENTS,
)
"""Statements of the proof, by subject; the package has them in the order of the paper."""
