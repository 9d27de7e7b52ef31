"""Figures, tables and sentences made from result tables; nothing here computes a result."""

from companion.pages.figures import Figure, Palette
from companion.pages.tables import Table
from companion.pages.text import Numbers, cells, say, show
from companion.pages.where import Where, here, recorded, stored, where_of

__all__ = [
    "Figure",
    "Numbers",
    "Palette",
    "Table",
    "Where",
    "cells",
    "here",
    "recorded",
    "say",
    "show",
    "stored",
    "where_of",
]
