"""Figures, tables and sentences made from result tables; nothing here computes a result."""

from companion.report.figures import Figure, Palette
from companion.report.tables import Table
from companion.report.text import key_numbers, say

__all__ = ["Figure", "Palette", "Table", "key_numbers", "say"]
