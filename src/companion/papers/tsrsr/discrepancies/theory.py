"""Leads on the statements and their proofs."""

from companion.reproduce.discrepancy import Lead

LEADS: tuple[Lead, ...] = ()
