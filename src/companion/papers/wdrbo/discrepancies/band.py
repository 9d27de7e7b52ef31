"""Leads on the band, the Lipschitz bounds and the concentration of contexts."""

from companion.reproduce.discrepancy import Lead

LEADS: tuple[Lead, ...] = ()
