"""Leads on the tables, the text about them, and the settings."""

from companion.reproduce.discrepancy import Lead

LEADS: tuple[Lead, ...] = ()
