"""Bounds, the proof as a chain of numbers, and simulated runs in the theory's setting."""
