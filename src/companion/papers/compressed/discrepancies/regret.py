"""Leads on the regret bounds and their proofs."""

from companion.reproduce.discrepancy import Lead

LEADS: tuple[Lead, ...] = ()
