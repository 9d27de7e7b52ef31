"""Experiments, and which of their runs are stored."""
