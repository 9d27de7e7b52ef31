"""Chapter 4 in three sentences, for the first page of the book; every number is read from the stored evidence."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from companion.reproduce.verdict import HOLDS

Entries = Sequence[Mapping[str, Any]]


def headline(ledger: Entries, verdicts: Entries, leads: Entries) -> str:
    """What the repaired bound is worth, regret against M, who is ahead by both measures, and the theorem's own method."""
    claims = {entry["cell"]: entry for entry in verdicts if entry["kind"] == "claim"}
    repaired = next(entry["status"] for entry in ledger if entry["id"] == "thm-4.1-corrected")
    small = next(entry["values"] for entry in leads if entry["id"] == "U11")
    worth = "but says nothing" if small["bound"] > small["range"] else "and says something"
    bound = (
        f"holds once repaired, {worth} on a small game at T = {small['horizon']}, where it is "
        f"{small['bound'] / small['range']:.1f} times what the worst play costs"
        if repaired == HOLDS
        else "fails even repaired"
    )
    return (
        f"The regret bound contains no number of agents and {bound}{_growth(claims['rate-without-agents'])}. "
        f"{_standings(claims['higher-reward'])}{_proved(claims['higher-reward'])}"
    )


def _growth(claim: Mapping[str, Any]) -> str:
    """Measured regret against the number of agents on Swarm; nothing where it is not stored."""
    growth = claim["regret_by_agents"].get("swarm")
    if not growth:
        return ""
    low, high = growth["exponent"][1:]
    trend = "falls" if high < 0 else "shows no trend" if low <= 0 else "grows"
    agreed = "" if claim["verdict"] == HOLDS else " (not on every problem)"
    counts = [int(count) for count in growth["mean_share"]]
    return f"; on Swarm, regret {trend} from {_spaced(min(counts))} to {_spaced(max(counts))} agents{agreed}"


def _standings(claim: Mapping[str, Any]) -> str:
    """On how many problems MF-GP-UCB is ahead of the paper's other methods, by best reward and by regret."""
    best, regret = (claim["standings"][measure] for measure in ("best reward", "regret"))
    total = sum(len(names) for names in best["as run"].values())
    text = (
        f"MF-GP-UCB leads the paper's other methods on {len(best['as run']['ahead'])} of {total} problems by best "
        f"reward and {len(regret['as run']['ahead'])} by regret"
    )
    if any(best["search=paper"].values()):
        searched = [len(found["search=paper"]["ahead"]) for found in (best, regret)]
        text += f" ({searched[0]} and {searched[1]} with Adam at the paper's rate)"
    return f"{text}."


def _proved(claim: Mapping[str, Any]) -> str:
    """The method that the theorem covers, where it is below random search by its best reward."""
    widths = claim["theory_width"].get("taxi-a", {})
    lost = [found["best_minus_random_search"]["high"] < 0 for found in widths.values()]
    if not lost or not all(lost):
        return ""
    swarm = claim["theory_width"].get("swarm", {})
    won = bool(swarm) and all(found["best_minus_random_search"]["low"] > 0 for found in swarm.values())
    return (
        " With the theorem's own width it earns less than random search on Manhattan's coarsest grid"
        f"{', though not on Swarm' if won else ''}."
    )


def _spaced(count: int) -> str:
    return f"{count:,}".replace(",", " ")
