"""Suspected errors of the paper, each decided by a computation; ``LEADS`` in the order of their letters and numbers."""

from companion.papers.compressed.discrepancies import experiments, model_order, regret

LEADS = tuple(
    sorted(
        (*model_order.LEADS, *regret.LEADS, *experiments.LEADS),
        key=lambda lead: ("SU".index(lead.id[0]), int(lead.id[1:])),
    )
)
