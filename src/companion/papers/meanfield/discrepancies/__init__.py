"""Suspected errors of the paper, each decided by a computation; ``LEADS`` in the order of their letters and numbers."""

from companion.papers.meanfield.discrepancies import experiments, proof, setting

LEADS = tuple(
    sorted(
        (*setting.LEADS, *proof.LEADS, *experiments.LEADS), key=lambda lead: ("EXU".index(lead.id[0]), int(lead.id[1:]))
    )
)
