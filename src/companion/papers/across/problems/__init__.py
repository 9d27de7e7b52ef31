"""Functions that methods are compared on, and common parts of all settings of the chapter."""
