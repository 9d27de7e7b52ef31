"""The runs of chapter 6, and what is stored."""
