"""What the paper states and what is suspected to be wrong in it: each a check with its wrong versions."""
