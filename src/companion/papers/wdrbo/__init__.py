"""Chapter 5: Wasserstein distributionally robust Bayesian optimisation with continuous contexts (Micheli et al.)."""

NUMBER = 5
"""Of the chapter about this paper."""
