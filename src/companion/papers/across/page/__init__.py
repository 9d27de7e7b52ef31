"""Computations and figures of chapter 6."""
