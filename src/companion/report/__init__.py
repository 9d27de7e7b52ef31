"""Figures, tables and sentences made from result tables; nothing here computes a result."""

from companion.report.figures import Figure, Palette
from companion.report.tables import Table
from companion.report.text import cells, key_numbers, say
from companion.report.where import Where, here, recorded, stored, where_of

__all__ = [
    "Figure",
    "Palette",
    "Table",
    "Where",
    "cells",
    "here",
    "key_numbers",
    "recorded",
    "say",
    "stored",
    "where_of",
]
