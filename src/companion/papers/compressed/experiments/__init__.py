"""The experiments: what may be set, which runs are stored, and the paper's printed numbers and claims beside them."""
