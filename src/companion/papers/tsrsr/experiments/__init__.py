"""The experiments: their parameters, the stored runs, and the paper's printed numbers and claims beside them."""
