"""Stored runs and tables: which they are, how they are computed, and the record beside each."""
