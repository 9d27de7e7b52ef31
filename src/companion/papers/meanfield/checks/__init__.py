"""Statements of the paper and suspected errors in it: each a check with its wrong versions."""
