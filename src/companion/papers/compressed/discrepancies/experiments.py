"""Leads on the experiments and the text about them."""

from companion.reproduce.discrepancy import Lead

LEADS: tuple[Lead, ...] = ()
