"""Suspected errors of the paper, each decided by a computation."""
