"""Chapter 4: mean-field Bayesian optimisation (Steinberg, Ziomek, Jusup, Bogunovic)."""

NUMBER = 4
"""Of the chapter about this paper."""
