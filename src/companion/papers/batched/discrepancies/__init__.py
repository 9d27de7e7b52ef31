"""Suspected errors of the paper, each tested; ``LEADS`` in the order of their numbers."""

from companion.papers.batched.discrepancies import confidence, lower, robust, upper

LEADS = tuple(
    sorted(
        (*upper.LEADS, *lower.LEADS, *confidence.LEADS, *robust.LEADS),
        key=lambda lead: int(lead.id.lstrip("EU")) + 1000 * lead.id.startswith("U"),
    )
)
