"""Leads on the rule and the size of the dictionary."""

from companion.reproduce.discrepancy import Lead

LEADS: tuple[Lead, ...] = ()
