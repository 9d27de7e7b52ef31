"""Chapter 5: Wasserstein distributionally robust Bayesian optimisation (Micheli, Balta, Tsiamis, Lygeros)."""
