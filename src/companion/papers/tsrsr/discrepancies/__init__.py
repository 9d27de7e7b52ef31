"""Suspected errors of the paper, each decided by a computation."""

from companion.papers.tsrsr.discrepancies import experiments, theory

LEADS = (*theory.LEADS, *experiments.LEADS)
