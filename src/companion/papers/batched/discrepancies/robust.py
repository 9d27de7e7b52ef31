"""Suspected errors: the robust setting, Appendix C and Appendix D."""

from companion.reproduce.discrepancy import Lead

LEADS: tuple[Lead, ...] = ()
