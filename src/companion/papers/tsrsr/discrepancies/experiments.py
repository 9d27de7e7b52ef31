"""Leads on the tables, the text about them, and the settings."""

from companion.checks.lead import Lead
from companion.papers.tsrsr.discrepancies import experiments_code, experiments_tables

_ORDER = ("X1", "X2", "X3", "X4", "X5", "X6", "X7", "X8", "X9", "X10", "X11", "X12", "X13", "X14", "U9")
_ALL = {lead.id: lead for lead in (*experiments_tables.LEADS, *experiments_code.LEADS)}

LEADS: tuple[Lead, ...] = tuple(_ALL[identifier] for identifier in _ORDER)
