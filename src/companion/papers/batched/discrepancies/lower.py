"""Suspected errors: Section 4 and Appendix B.2, the lower bounds."""

from companion.reproduce.discrepancy import Lead

LEADS: tuple[Lead, ...] = ()
