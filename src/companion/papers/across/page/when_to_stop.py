"""Tables and numbers of the section on stopping, and of promises under a wrong model: from the runs of stopping rules."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import pandas as pd

from companion.pages import Numbers, Table
from companion.pages.where import Where, stored
from companion.papers.across.common import DELTA
from companion.papers.across.stopping import stored as runs
from companion.papers.across.stopping.runs import RIGHT, SHORTER, THEOREM
from companion.reproduce.intervals import Interval

EPSILON = 0.1
NAMES = {
    "probability": "posterior probability, sampled",
    "union": "posterior probability, closed form",
    "srinivas": "width of Srinivas et al.",
    "lemma-6": "width of TS-RSR, Lemma 6",
    "differences": "one root, differences",
    "one-root": "one root",
    "two-roots": "two roots",
    "chowdhury-gopalan": "Chowdhury and Gopalan",
    "2.576": "width 2.576, bayesian-optimization",
    "1.96": "width 1.96, scikit-optimize",
    "1.414": "width 1.414, OptunaHub",
    "0.447": "width 0.447, BoTorch",
    "optuna": "Optuna's terminator",
    "plateau-10": "no improvement in 10",
    "plateau-30": "no improvement in 30",
    "ei": "expected improvement small",
    "oracle": "oracle",
}
"""Rules as pages call them; what is proved comes first."""
DRAWN, SHIPPED = ("union", "lemma-6"), ("1.96", "optuna", "plateau-10", "plateau-30", "0.447")
"""Of the sentences: what is proved for draws, and what libraries take."""
LINE = ("line", "se", "prior", 0.1)
ARMS = ("arms", "none", "prior", 0.1)


@lru_cache(maxsize=1)
def table() -> pd.DataFrame:
    """Every setting, rule and epsilon; errors as of :meth:`companion.reproduce.runs.PaperRuns.load`."""
    return runs.load().tables["stopping"].fillna({"kernel": "none"})


def where() -> Where:
    """Where the numbers come from."""
    return stored(runs.load().record.to_dict(), runs.RUNS)


def rows(
    setting: tuple[str, str, str, float], epsilon: float = EPSILON, model: str = RIGHT, player: str = THEOREM
) -> pd.DataFrame:
    """One setting's rows, by rule; what is played with a short width does not make the evaluations that a long one waits for."""
    found, (place, kernel, kind, noise) = table(), setting
    here = (found.place == place) & (found.kernel == kernel) & (found.kind == kind) & (found.noise == noise)
    here &= (found.epsilon == epsilon) & (found.model == model) & (found.player == player)
    return found[here].set_index("rule")


def broken(row: Any) -> Interval:
    """Share of runs whose promise is broken."""
    return Interval(float(row.broken), float(row.low), float(row.high), int(row.runs))


def rule_table() -> Table:
    """All whole rules on the line and on arms, draws of the prior: evaluations and broken promises."""
    line, arms = rows(LINE), rows(ARMS)
    found = []
    for rule, name in NAMES.items():
        if rule not in line.index:
            continue
        row: dict[str, Any] = {"rule": name, "proved": "yes" if bool(line.promised[rule]) else ""}
        for words, part in (("line", line), ("arms", arms)):
            row[f"evaluations, {words}"] = part["median"][rule]
            row[f"broken, {words}"] = f"{part.broken[rule]:.1%}"
        found.append(row)
    return Table(pd.DataFrame(found), where=where(), digits=3)


def setting_table() -> Table:
    """Every setting with the right model: the least and the most that a proved rule and a shipped one break."""
    found = table()
    found = found[(found.model == RIGHT) & (found.player == SHORTER)]
    lines = []
    for key, part in found.groupby(["place", "kernel", "kind", "noise", "epsilon"], sort=False):
        own = part.set_index("rule")
        proved = own[own.promised]
        best = str(proved["median"].fillna(float("inf")).idxmin())
        lines.append(
            dict(zip(("on", "kernel", "f", "noise", "ε"), key, strict=True))
            | {
                "proved and first": NAMES[best],
                "evaluations": own["median"][best],
                "most broken, proved": f"{proved.broken.max():.1%}",
                "1.96": f"{own.broken['1.96']:.1%}",
                "Optuna": f"{own.broken['optuna']:.1%}",
                "no improvement in 10": f"{own.broken['plateau-10']:.1%}",
                "oracle": own["median"]["oracle"],
            }
        )
    return Table(pd.DataFrame(lines), where=where(), digits=3)


def shortened_table() -> Table:
    """Proved rules shortened by a named factor: where each breaks its promise most."""
    found = table()
    short = found[found["rule"].str.contains(r"[/*]") & (found.model == RIGHT)]
    lines = []
    for rule, part in short.groupby("rule", sort=False):
        worst = part.loc[part.broken.idxmax()]
        name, _, times = rule.replace("*", "/").partition("/")
        lines.append(
            {
                "rule": f"{NAMES[name]}, {'width / ' if '/' in rule else 'δ × '}{times}",
                "breaks most on": f"{worst.place}, {worst.kind}, noise {worst.noise:g}, ε = {worst.epsilon:g}",
                "broken": f"{worst.broken:.1%}",
                "95 % interval": f"{worst.low:.1%} to {worst.high:.1%}",
                "promise": "broken" if worst.low > DELTA else "kept",
            }
        )
    return Table(pd.DataFrame(lines), where=where())


def numbers() -> Numbers:
    """Numbers and facts of the sentences on stopping."""
    found, line, arms = table(), rows(LINE), rows(ARMS)
    promised = found[found.promised]
    told: dict[str, Any] = {
        "settings": int(promised.groupby(["place", "kernel", "kind", "noise", "epsilon", "player"]).ngroups),
        "runs": int(promised.runs.min()),
        "promises": len(promised),
        "kept": int((promised.low <= DELTA).sum()),
        "most": float(promised.broken.max()),
        "delta": DELTA,
        "epsilon": EPSILON,
    }
    for name, part in (("line", line), ("arms", arms)):
        for rule in (*DRAWN, *SHIPPED, "probability", "srinivas", "oracle"):
            key = f"{name}_{rule.replace('-', '_').replace('.', '_')}"
            told |= {f"{key}_at": float(part["median"][rule]), f"{key}_broken": float(part.broken[rule])}
            told |= {f"{key}_low": float(part.low[rule]), f"{key}_high": float(part.high[rule])}
    two = found[
        (found.model == RIGHT) & (found.player == SHORTER) & (found.place == "arms") & (found["rule"] == "optuna")
    ]
    told |= {"optuna_two": float(two.broken.max()), "optuna_two_low": float(two.low[two.broken.idxmax()])}
    short = found[(found.model == RIGHT) & found["rule"].str.contains(r"[/*]")]
    ways = short.groupby("rule").low.max()
    told |= {"ways": len(ways), "ways_broken": int((ways > DELTA).sum())}
    return Numbers(where(), **told)


# -- the wrong model ---------------------------------------------------------------------------------------------------

ERRORS = ("lengthscale/2", "lengthscale*2", "noise/2", "noise*2", "norm/2", "norm*2")
JUDGED = {
    ("line", "se", "prior", 0.1): ("union", "lemma-6", "1.96"),
    ("line", "se", "norm", 0.1): ("differences", "one-root", "1.96"),
    ("arms", "none", "prior", 0.1): ("union", "lemma-6", "1.96"),
    ("arms", "none", "norm", 0.1): ("differences", "one-root", "1.96"),
}
TITLES = {
    ("line", "prior"): "line, draws",
    ("line", "norm"): "line, norm",
    ("arms", "prior"): "arms, draws",
    ("arms", "norm"): "arms, norm",
}


def survival() -> pd.DataFrame:
    """Share of broken promises by setting, rule and error, with its interval; the larger over both epsilons."""
    found = []
    for setting, rules in JUDGED.items():
        for error in (RIGHT, *ERRORS):
            for rule in rules:
                parts = [rows(setting, epsilon, error, SHORTER) for epsilon in sorted(table().epsilon.unique())]
                here = [part.loc[rule] for part in parts if rule in part.index]
                if here:
                    worst = max(here, key=lambda row: float(row.broken))
                    found.append(
                        {
                            "where": TITLES[setting[0], setting[2]],
                            "rule": rule,
                            "error": error,
                            "broken": float(worst.broken),
                            "low": float(worst.low),
                            "high": float(worst.high),
                        }
                    )
    return pd.DataFrame(found)


def survival_numbers() -> Numbers:
    """By rule and error the share of broken promises on draws of the line; and the most that a proved rule breaks anywhere.

    ``cautious_at``, ``right_at``: evaluations of the posterior's closed form with half the length-scale, and with the right one.
    """
    found = survival()
    proved, line = found[found["rule"] != "1.96"], found[found["where"] == TITLES["line", "prior"]]
    told: dict[str, Any] = {"delta": DELTA}
    for error in ERRORS:
        part, key = proved[proved.error == error], error.replace("/2", "_half").replace("*2", "_double")
        told |= {f"{key}_most": float(part.broken.max()), f"{key}_broken": int((part.low > DELTA).sum())}
    for rule, key in (("union", "union"), ("lemma-6", "lemma_6"), ("1.96", "skopt")):
        (row,) = line[(line["rule"] == rule) & (line.error == "lengthscale*2")].to_dict("records")
        told |= {f"{key}_{name}": float(row[name]) for name in ("broken", "low", "high")}
    for name, model in (("cautious", "lengthscale/2"), ("right", RIGHT)):
        told[f"{name}_at"] = float(rows(LINE, EPSILON, model, SHORTER)["median"]["union"])
    return Numbers(where(), **told)
