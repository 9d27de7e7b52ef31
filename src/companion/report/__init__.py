"""Figures, tables and sentences made from result tables; nothing here computes a result."""

from companion.report.figures import Figure, Palette
from companion.report.tables import Table
from companion.report.text import Numbers, cells, say, show
from companion.report.where import FromStored, Where, here, recorded, stored, where_of

__all__ = [
    "Figure",
    "FromStored",
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
