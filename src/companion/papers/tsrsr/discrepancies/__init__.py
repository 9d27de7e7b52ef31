"""Suspected errors of the paper, each decided by a computation; ``LEADS`` in the order of their letters and numbers."""

from companion.papers.tsrsr.discrepancies import appendix, experiments, theory

LEADS = tuple(
    sorted(
        (*theory.LEADS, *appendix.LEADS, *experiments.LEADS),
        key=lambda lead: ("EXU".index(lead.id[0]), int(lead.id[1:])),
    )
)
