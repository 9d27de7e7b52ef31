"""Tables and numbers of the section on stopping, and of promises under a wrong model: from the runs of stopping rules."""

from __future__ import annotations

from functools import lru_cache
from itertools import product
from typing import Any

import pandas as pd

from companion.judge.intervals import Interval
from companion.pages import Numbers, Table
from companion.pages.provenance import Provenance, stored
from companion.papers.across.experiments import stopping as runs
from companion.papers.across.experiments import stopping_models
from companion.papers.across.experiments.stopping_play import (
    FITTED,
    FITTED_HALF,
    IMPROVEMENT,
    JUDGED_HALF,
    JUDGED_RIGHT,
    PLACES,
    RIGHT,
    SHORTER,
    THEOREM,
)
from companion.papers.across.page import wrong_model
from companion.papers.across.page.which_method import evidence
from companion.papers.across.problems.common import DELTA, LENGTHSCALE

EPSILON = 0.1
#: Rules as pages call them; what is proved comes first.
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
#: Of the sentences: what is proved for draws, and what libraries take.
DRAWN, SHIPPED = ("union", "lemma-6"), ("1.96", "optuna", "plateau-10", "plateau-30", "0.447")
LINE = ("line", "se", "prior", 0.1)
ARMS = ("arms", "none", "prior", 0.1)


@lru_cache(maxsize=1)
def table() -> pd.DataFrame:
    """Every setting, rule and epsilon of both sets; errors as of :meth:`companion.stored.runs.PaperRuns.load`."""
    both = (runs.load().tables["stopping"], stopping_models.load().tables["stopping_models"])
    return pd.concat(both, ignore_index=True).fillna({"kernel": "none"})


def provenance() -> Provenance:
    """Source of the numbers."""
    return stored(runs.load().record.to_dict(), runs.STORED) + stored(
        stopping_models.load().record.to_dict(), stopping_models.STORED
    )


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
    return Table(pd.DataFrame(found), where=provenance(), digits=3)


def setting_table() -> Table:
    """Every setting with the right model: the least and the most that a proved rule and a shipped one break."""
    found = table()
    found = found[(found.model == RIGHT) & (found.player == SHORTER)]
    lines = []
    for key, part in found.groupby(["place", "kernel", "kind", "noise", "epsilon"], sort=False):
        own = part.set_index("rule")
        proved = own[own.promised]
        best = "" if proved["median"].isna().all() else str(proved["median"].idxmin())
        lines.append(
            dict(zip(("on", "kernel", "f", "noise", "ε"), key, strict=True))
            | {
                "proved and first": NAMES[best] if best else "none",
                "evaluations": own["median"][best] if best else None,
                "most broken, proved": f"{proved.broken.max():.1%}",
                "1.96": f"{own.broken['1.96']:.1%}",
                "Optuna": f"{own.broken['optuna']:.1%}",
                "no improvement in 10": f"{own.broken['plateau-10']:.1%}",
                "oracle": own["median"]["oracle"],
            }
        )
    return Table(pd.DataFrame(lines), where=provenance(), digits=3)


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
    return Table(pd.DataFrame(lines), where=provenance())


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
        "rare": int((promised.stopped < 0.5).sum()),
        "delta": DELTA,
        "epsilon": EPSILON,
    }
    for name, part in (("line", line), ("arms", arms)):
        for rule in (*DRAWN, *SHIPPED, "probability", "srinivas", "ei", "oracle"):
            key = f"{name}_{rule.replace('-', '_').replace('.', '_')}"
            told |= {f"{key}_at": float(part["median"][rule]), f"{key}_broken": float(part.broken[rule])}
            told |= {f"{key}_low": float(part.low[rule]), f"{key}_high": float(part.high[rule])}
    two = found[
        (found.model == RIGHT) & (found.player == SHORTER) & (found.place == "arms") & (found["rule"] == "optuna")
    ]
    told |= {"optuna_two": float(two.broken.max()), "optuna_two_low": float(two.low[two.broken.idxmax()])}
    own = rows(ARMS, player=IMPROVEMENT)
    short = [own, *(rows(("arms", "none", "prior", noise), player=SHORTER) for noise in (0.03, 0.1))]
    told |= {"ei_most": max(float(part.broken["ei"]) for part in short)}
    told |= {"ei_least_low": min(float(part.low["ei"]) for part in short)}
    square = rows(("square", "se", "prior", 0.1), player=SHORTER)
    told |= {
        "square_sampled_at": float(square["median"]["probability"]),
        "square_oracle_at": float(square["median"]["oracle"]),
    }
    short = found[(found.model == RIGHT) & found["rule"].str.contains(r"[/*]")]
    ways = short.groupby("rule").low.max()
    told |= {"ways": len(ways), "ways_broken": int((ways > DELTA).sum())}
    return Numbers(provenance(), **told)


# -- the wrong model ---------------------------------------------------------------------------------------------------

ERRORS = (
    *("lengthscale/2", "lengthscale*2", "noise/2", "noise*2", "norm/2", "norm*2"),
    *("smoother", "rougher", FITTED, FITTED_HALF),
)
DRAWS, NORMS = ("union", "lemma-6", "1.96"), ("differences", "one-root", "1.96")
#: Settings with errors of the model, and the rules that are shown there: two that are proved, and one that libraries take.
JUDGED = {
    "line, draws": (("line", "se", "prior", 0.1), DRAWS),
    "line, draws of Matérn 3/2": (("line", "matern32", "prior", 0.1), DRAWS),
    "square, draws": (("square", "se", "prior", 0.1), DRAWS),
    "arms, draws": (("arms", "none", "prior", 0.1), DRAWS),
    "line, norm": (("line", "se", "norm", 0.1), NORMS),
    "line, norm, Matérn 3/2": (("line", "matern32", "norm", 0.1), NORMS),
    "arms, norm": (("arms", "none", "norm", 0.1), NORMS),
}


#: Models in the names of numbers.
KEYS = {
    "lengthscale/2": "half",
    "lengthscale*2": "double",
    "smoother": "smoother",
    "rougher": "rougher",
    FITTED: "fitted",
    FITTED_HALF: "fitted_half",
    JUDGED_HALF: "judged_half",
    JUDGED_RIGHT: "judged_right",
}


WORDS = wrong_model.WORDS | {
    RIGHT: "nothing wrong",
    FITTED: "length-scale fitted",
    FITTED_HALF: "fitted, judged by half",
}


def survival() -> pd.DataFrame:
    """Share of broken promises and of runs that stop by setting, rule and error, at :data:`EPSILON`."""
    found = []
    for title, (setting, rules) in JUDGED.items():
        for error, rule in product((RIGHT, *ERRORS), rules):
            part = rows(setting, EPSILON, error, SHORTER)
            if rule in part.index:
                kept = {name: float(part[name][rule]) for name in ("broken", "low", "high", "stopped", "median")}
                found.append({"where": title, "rule": rule, "error": error} | kept)
    return pd.DataFrame(found)


def survival_table() -> Table:
    """All of :func:`survival`: promises broken by each error, and number of runs that stop."""
    found = survival()
    lines = [
        {
            "where": row["where"],
            "error": WORDS[row["error"]],
            "rule": NAMES[row["rule"]],
            "stopped": f"{row['stopped']:.0%}",
            "evaluations": row["median"],
            "broken": f"{row['broken']:.1%}",
            "95 % interval": f"{row['low']:.1%} to {row['high']:.1%}",
        }
        for row in found.to_dict("records")
    ]
    return Table(pd.DataFrame(lines), where=provenance(), digits=3)


#: Errors of the lesson's table, and the rule whose regret stands there, which every library has.
TOLD, RULE = (RIGHT, "lengthscale*2", "smoother", FITTED, "lengthscale/2", "rougher"), ("ei-mean", "-")


def error_table() -> Table:
    """What an error adds to the regret of :data:`RULE` by both payoffs; runs that stop by the posterior, and break the promise.

    In bold what is shown: a change of the regret after Holm's correction, and a promise whose whole interval lies above delta.
    """
    found, lines, marks = survival(), list[dict[str, Any]](), list[dict[str, bool]]()
    found = found[found["rule"] == "union"].set_index(["where", "error"])
    level = evidence().study.margins.significance
    for error in TOLD:
        line, mark = {"the model": WORDS[error]}, dict[str, bool]()
        for measure, words in (("cumulative", "every play"), ("final", "the point")):
            test = wrong_model.changes(measure).get((*RULE, error))
            said = f"{test.difference.estimate:+.3f}".replace("-", "\N{MINUS SIGN}") if test else "not run"
            line[words] = "0" if error == RIGHT else said
            mark[words] = bool(test and test.shown(level))
        line_of = "line, draws of Matérn 3/2" if error == "smoother" else "line, draws"
        for where, words in ((line_of, "line"), ("square, draws", "square")):
            row = found.loc[where, error] if (where, error) in found.index else None
            line |= {f"{words}: stop": "not run" if row is None else f"{row.stopped:.0%}"}
            line |= {f"{words}: break": "not run" if row is None else f"{row.broken:.0%}"}
            mark[f"{words}: break"] = row is not None and row.low > DELTA
        lines.append(line)
        marks.append(mark)
    return Table(pd.DataFrame(lines), where=provenance() + evidence().where, best=pd.DataFrame(marks))


def survival_numbers() -> Numbers:
    """Of draws on the line by rule and error: broken promises with their interval, runs that stop, and evaluations.

    ``smoother`` is about draws of Matern 3/2, with the squared exponential in its place; ``others_break``: how many proved rules
    break where neither the length-scale is doubled or fitted nor the kernel too smooth.
    """
    found, told = survival(), dict[str, Any](delta=DELTA, epsilon=EPSILON, lengthscale=LENGTHSCALE)
    told |= {"line_points": PLACES["line"][0], "axis": PLACES["square"][0]}
    proved = found[found["rule"] != "1.96"]
    for error, key in KEYS.items():
        kernel = "matern32" if error == "smoother" else "se"
        part = rows(("line", kernel, "prior", 0.1), EPSILON, error, SHORTER)
        named = {"probability": "sampled", "union": "union", "lemma-6": "lemma_6", "1.96": "skopt"}
        for rule, short in ((rule, short) for rule, short in named.items() if rule in part.index):
            told |= {f"{short}_{key}_{name}": float(part[name][rule]) for name in ("broken", "low", "high", "stopped")}
            told[f"{short}_{key}_at"] = float(part["median"].fillna(float("inf"))[rule])
    rough = rows(("line", "matern32", "prior", 0.1), EPSILON, FITTED, SHORTER).broken
    told |= {"rough_union": float(rough["union"]), "rough_sampled": float(rough["probability"])}
    right = rows(LINE, EPSILON, RIGHT, SHORTER)
    told |= {"right_at": float(right["median"]["union"])}
    harmless = ~proved.error.isin(("lengthscale*2", "smoother", FITTED, FITTED_HALF, RIGHT))
    told["others_break"] = int((proved[harmless].low > DELTA).sum())
    told["norm_breaks"] = sorted(set(proved[(proved.low > DELTA) & proved["where"].str.contains("norm")].error))
    square = ("square", "se", "prior", 0.1)
    told["square_double"] = float(rows(square, EPSILON, "lengthscale*2", SHORTER).broken["union"])
    told["square_half_stopped"] = float(rows(square, EPSILON, "lengthscale/2", SHORTER).stopped["union"])
    return Numbers(provenance(), **told)
