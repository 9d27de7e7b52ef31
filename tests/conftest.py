"""Shared pytest set-up. Its presence puts this folder on the import path, so tests write ``import tolerances``."""
