"""Statements and suspected errors of the paper: each a check with its wrong versions."""
