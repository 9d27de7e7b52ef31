"""Tables, numbers and a record of stopping with a fitted model: promises broken, runs that stop, and what mends it."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import pandas as pd

from companion.judge.intervals import Interval, proportion_interval
from companion.pages import Numbers, Table
from companion.pages.provenance import Provenance, stored
from companion.papers.across.experiments import fitted_stopping as runs
from companion.papers.across.experiments.fitted_stopping import BOTH, BREAKS, KEEPS
from companion.papers.across.experiments.fitted_stopping_play import PRIOR, Rule
from companion.papers.across.problems.common import DELTA
from companion.policies.model_set import KERNELS
from companion.policies.stopping_certificate import FACTOR, TIMES

#: Evaluations a coordinate before the answer speaks, as pages call it.
WAIT = 10
SHIPPED, KNOWN, MIXTURE = "shipped", "known", "mixture"
#: The rule ``fitted`` of a certificate: it needs the fitted model's posterior alone.
WIDENED = Rule(SHIPPED, FACTOR, TIMES).name


@lru_cache(maxsize=1)
def table() -> pd.DataFrame:
    """What is stored; errors as of :meth:`companion.stored.runs.PaperRuns.load`."""
    return runs.load().tables["fitted_stopping"]


def provenance() -> Provenance:
    """Source of the numbers."""
    return stored(runs.load().record.to_dict(), runs.STORED)


@lru_cache(maxsize=1)
def shown() -> dict[str, str]:
    """Rules by what they are called in tables and record; the answer is missing where nothing keeps the promise."""
    found = {name: name for name in (SHIPPED, "shipped, sampled", MIXTURE, KNOWN)} | {"widened": WIDENED}
    return found | ({"answer": rule} if (rule := runs.remedy(table())) else {})


def of(rule: str, truth: str = BOTH) -> dict[tuple[int, float, float], Any]:
    """Rows of a rule by d, noise and epsilon."""
    rows = table()[(table()["rule"] == rule) & (table().truth == truth)]
    return {(int(row.dim), float(row.noise), float(row.epsilon)): row for _, row in rows.iterrows()}


def broken(rule: str, truth: str = BOTH) -> dict[tuple[int, float, float], Interval]:
    """Share of a rule's broken promises by d, noise and epsilon."""
    return {key: proportion_interval(int(row.broken), int(row.runs)) for key, row in of(rule, truth).items()}


def made() -> dict[str, Any]:
    """By ``"{d} {noise} {epsilon}"`` and rule: median, nothing where it is infinite; per cent of promises broken, with both ends,
    and of runs that stop."""
    rows: dict[str, Any] = {}
    for name, rule in shown().items():
        for (key, row), share in zip(of(rule).items(), broken(rule).values(), strict=True):
            told = [row["median"], *(100 * v for v in (share.estimate, *share.ends)), 100 * row.stopped / row.runs]
            kept = [None if pd.isna(value) else float(f"{value:.3g}") for value in told]
            rows.setdefault(" ".join(f"{part:g}" for part in key), {})[name] = kept
    return {"rule": shown().get("answer"), "runs": int(of(SHIPPED)[1, 0.1, 0.1].runs), "delta": DELTA, "rows": rows}


def record() -> tuple[dict[str, Any], Provenance]:
    """For the script of a page."""
    return made(), provenance()


def _table(rules: tuple[str, ...], truth: str) -> Table:
    lines, found = [], {rule: (of(rule, truth), broken(rule, truth)) for rule in rules}
    for key in of(rules[0], truth):
        line: dict[str, Any] = dict(zip(("d", "noise", "ε"), key, strict=True))
        for rule, (rows, shares) in found.items():
            row, share = rows[key], shares[key]
            told = f"{100 * share.estimate:.1f} ({100 * share.low:.1f} to {100 * share.high:.1f})"
            line |= {f"{rule}: broken, %": told, f"{rule}: stopped, %": 100 * row.stopped / row.runs}
            line[f"{rule}: median"] = row["median"]
        lines.append(line)
    return Table(pd.DataFrame(lines), where=provenance(), digits=3)


def cell_table() -> Table:
    """Every d, noise and epsilon: broken promises, runs that stop and evaluations of the rules that are shown."""
    return _table(tuple(dict.fromkeys(rule for name, rule in shown().items() if name != "shipped, sampled")), BOTH)


def prior_table() -> Table:
    """The mixture where its theorem covers it, on draws of its own prior, beside the model that is told everything."""
    return _table((MIXTURE, KNOWN), PRIOR)


def rule_table() -> Table:
    """Every rule: its price, the most that it breaks in a setting, by half of the seeds and by kernel, and verdicts."""
    lines, prices = [], runs.price(table())
    for rule, price in prices.items():
        rows, said = of(str(rule)).values(), [runs.verdict(share) for share in broken(str(rule)).values()]
        most = {"even seeds": max(map(runs.even_share, rows)), "odd seeds": max(map(runs.odd_share, rows))}
        most |= {name: max(share.estimate for share in broken(str(rule), name).values()) for name in KERNELS}
        line = {"rule": rule, "price": price} | {f"most broken, {name}, %": 100 * share for name, share in most.items()}
        lines.append(line | {KEEPS: said.count(KEEPS), BREAKS: said.count(BREAKS)})
    return Table(pd.DataFrame(lines), where=provenance(), digits=3)


def numbers() -> Numbers:
    """Of every rule in :func:`shown` the worst setting, verdicts and price, and each setting's numbers as in :func:`made`:
    ``shipped_2_01_03`` for noise 0.1 and epsilon 0.3, with ``_low``, ``_high``, ``_stopped`` and ``_median``."""
    found, prices, order = made(), runs.price(table()), runs.calibrated(table())
    told: dict[str, Any] = {
        "delta": DELTA,
        "factor": FACTOR,
        "times": TIMES,
        "wait": WAIT,
        "rule": found["rule"] or "none",
        "runs": found["runs"],
        "rules": len(prices),
    }
    told |= {"cells": len(found["rows"]), "calibrated": len(order), "first": order.index[0] if len(order) else "none"}
    for key, row in found["rows"].items():
        for name, (median, *shares) in row.items():
            slug = f"{name}_{key}".replace(", ", "_").replace(".", "").replace(" ", "_")
            told |= dict(zip((slug, f"{slug}_low", f"{slug}_high", f"{slug}_stopped"), shares, strict=True))
            told[f"{slug}_median"] = "no stop" if median is None else median
    for name, rule in shown().items():
        slug, shares, rows = name.replace(", ", "_"), broken(rule), of(rule)
        worst = max(shares, key=lambda key, shares=shares: shares[key].estimate)  # type: ignore[misc]
        said = [runs.verdict(share) for share in shares.values()]
        told |= {
            f"{slug}_{end}": share for end, share in zip(("most_dim", "most_noise", "most_epsilon"), worst, strict=True)
        }
        told |= {f"{slug}_most": shares[worst].estimate, f"{slug}_most_low": shares[worst].low}
        told |= {
            f"{slug}_most_high": shares[worst].high,
            f"{slug}_keeps": said.count(KEEPS),
            f"{slug}_breaks": said.count(BREAKS),
        }
        told |= {
            f"{slug}_stops": sum(row.stopped / row.runs for row in rows.values()) / len(rows),
            f"{slug}_price": prices.get(rule),
        }
        for kernel in KERNELS:
            parts = [runs.verdict(share) for share in broken(rule, kernel).values()]
            told |= {f"{slug}_{kernel}_breaks": parts.count(BREAKS), f"{slug}_{kernel}_keeps": parts.count(KEEPS)}
    prior = broken(MIXTURE, PRIOR).values()
    told |= {
        "prior_most": max(share.estimate for share in prior),
        "prior_breaks": sum(share.low > DELTA for share in prior),
    }
    told |= {
        "shipped_fails": told["shipped_breaks"] > told["cells"] / 2,
        "models_keep": told["mixture_most_high"] <= DELTA,
    }
    told["widened_passes"] = runs.passes(table(), WIDENED) and WIDENED in order.index
    told["averaged_from_10"] = told["rule"] == Rule("average", least=WAIT).name
    told["widened_is_near"] = 0 < told["widened_price"] - told["answer_price"] < 0.02
    return Numbers(provenance(), **told)
