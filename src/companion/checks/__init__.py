"""Checks that can fail: statements of a paper with their teeth, suspected errors, proofs as chains of numbers."""
