"""Figures, tables and sentences made from result tables; nothing here computes a result."""

from matplotlib.figure import Figure as Canvas

from companion.pages.figures import Figure, Palette, figure
from companion.pages.provenance import Where, here, recorded, stored, where_of
from companion.pages.sentences import Numbers, cells, say, show
from companion.pages.tables import Rows, Table, frame, table

__all__ = [
    "Canvas",
    "Figure",
    "Numbers",
    "Palette",
    "Rows",
    "Table",
    "Where",
    "cells",
    "figure",
    "frame",
    "here",
    "recorded",
    "say",
    "show",
    "stored",
    "table",
    "where_of",
]
