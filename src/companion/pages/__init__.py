"""Figures, tables and sentences made from result tables; nothing here computes a result."""

from matplotlib.figure import Figure as Canvas

from companion.pages.figures import Figure, Palette, figure
from companion.pages.provenance import Provenance, here, provenance_of, recorded, stored
from companion.pages.sentences import Numbers, cells, say, show
from companion.pages.tables import Rows, Table, frame, table

__all__ = [
    "Canvas",
    "Figure",
    "Numbers",
    "Palette",
    "Provenance",
    "Rows",
    "Table",
    "cells",
    "figure",
    "frame",
    "here",
    "provenance_of",
    "recorded",
    "say",
    "show",
    "stored",
    "table",
]
