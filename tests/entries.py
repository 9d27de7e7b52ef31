"""Entries of a paper by the modules that declare them."""

from companion import papers


def leads_in(paper, *modules):
    """The leads that modules of a paper's package ``leads`` declare, in the order of their inventory."""
    return [lead for lead in papers.leads(paper) if lead.test.__module__.rpartition(".")[2] in modules]
