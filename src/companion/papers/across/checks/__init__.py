"""Checks of the statements of chapter 6."""
