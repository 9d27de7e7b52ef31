"""Figures, tables and sentences made from result tables; nothing here computes a result."""

from typing import Any

from companion.pages.provenance import Provenance, here, provenance_of, recorded, stored
from companion.pages.sentences import Numbers, cells, say, show
from companion.pages.tables import Rows, Table, frame, table

try:
    from matplotlib.figure import Figure as Canvas

    from companion.pages.figures import Figure, Palette, figure
except ModuleNotFoundError as error:  # tables do without Matplotlib
    _absent = error

    def __getattr__(name: str) -> Any:
        if name in __all__:
            raise _absent
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


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
