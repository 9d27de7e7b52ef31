"""Chapter 4: mean-field Bayesian optimisation (Steinberg, Ziomek, Jusup, Bogunovic)."""
