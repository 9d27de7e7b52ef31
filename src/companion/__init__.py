"""Gaussian-process bandits: regret bounds with explicit constants, beside measured regret."""

__version__ = "0.1.0"
