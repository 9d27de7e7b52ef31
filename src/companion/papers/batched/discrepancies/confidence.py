"""Suspected errors: Appendix A and the elimination steps."""

from companion.reproduce.discrepancy import Lead

LEADS: tuple[Lead, ...] = ()
