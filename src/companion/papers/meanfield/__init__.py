"""Chapter 4: Mean-Field Bayesian Optimisation (Steinberg, Ziomek, Jusup, Bogunovic)."""
