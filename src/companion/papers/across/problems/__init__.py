"""Functions that methods are compared on, and what all settings of the chapter have in common."""
