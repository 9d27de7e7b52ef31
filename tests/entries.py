"""Entries of a paper by the modules that declare them."""

from companion import registry


def leads_in(paper, *modules):
    """The leads of a paper's modules ``checks/<name>_discrepancies``, in the order of their inventory."""
    chosen = {f"{name}_discrepancies" for name in modules}
    return [lead for lead in registry.leads(paper) if lead.test.__module__.rpartition(".")[2] in chosen]
