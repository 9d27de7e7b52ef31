"""The paper's printed numbers and claims beside our runs."""
