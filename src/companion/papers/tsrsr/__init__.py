"""Chapter 1: TS-RSR, a sampling approach to batch Bayesian optimisation (Ren, Li)."""

NUMBER = 1
"""Of the chapter about this paper."""
