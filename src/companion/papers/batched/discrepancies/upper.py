"""Suspected errors: batch sizes, their number, information gain and the upper bounds of Section 3."""

from companion.reproduce.discrepancy import Lead

LEADS: tuple[Lead, ...] = ()
