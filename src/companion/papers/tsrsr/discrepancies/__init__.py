"""Suspected errors of the paper, each decided by a computation."""

from companion.papers.tsrsr.discrepancies import appendix, experiments, theory

LEADS = (*theory.LEADS, *appendix.LEADS, *experiments.LEADS)
