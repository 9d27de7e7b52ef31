"""Suspected errors of the paper, each decided by a computation; ``LEADS`` in the order of their letters and numbers."""

from companion.papers.wdrbo.discrepancies import band, experiments, regret

#: Modules with a tuple ``LEADS`` each.
GROUPS = (band, experiments, regret)

LEADS = tuple(
    sorted(
        (lead for group in GROUPS for lead in group.LEADS),
        key=lambda lead: ("EXU".index(lead.id[0]), int(lead.id[1:])),
    )
)
