"""Table 1 by what can be computed: certified information gains against the number of agents, and what the rates hide."""

from __future__ import annotations

import math
from dataclasses import dataclass

import pandas as pd
from scipy.special import lambertw

from companion.papers.meanfield.problems import HORIZON, SETTINGS
from companion.papers.meanfield.statements.consequences import Crowd, ceiling, crowd_gain
from companion.papers.meanfield.widths import JointActionWidth, TheoryWidth
from companion.report import key_numbers, recorded, say, where_of
from companion.report.text import Sentence

#: Kernels of Table 1 by their names in :func:`~companion.papers.meanfield.statements.consequences.crowd_gain`.
KERNELS = {
    "naive": "GP-UCB, all actions",
    "sum": "Add-GP-UCB, a sum over agents",
    "law": "MF-GP-UCB, own action and law",
}
#: Numbers of agents whose laws are looked at beyond those whose joint actions can be listed.
MANY = (20, 60, 240)


@dataclass(frozen=True, eq=False)
class GainStudy:
    """Brackets of the information gain by kernel and number of agents, and the ceiling that no kernel exceeds."""

    rows: pd.DataFrame
    ceiling: float
    crowd: Crowd


@recorded()
def gain_study(most: int) -> GainStudy:
    """Certified ends of the maximum information gain of 100 observations for agents with two actions each.

    Parameters
    ----------
    most : largest M for the kernels on joint actions, of which there are 2^M
    """
    crowd, rows = Crowd(most), []
    for kernel in KERNELS:
        numbers = [*range(1, most + 1), *(MANY if kernel == "law" else ())]
        for agents in numbers:
            bracket = crowd_gain(crowd, agents, kernel)
            rows.append({"kernel": kernel, "M": agents, "lower": bracket.lower, "upper": bracket.upper})
    return GainStudy(pd.DataFrame(rows), ceiling(crowd.noise_sd), crowd)


def part(study: GainStudy, kernel: str) -> pd.DataFrame:
    """The rows of one kernel, by M."""
    return study.rows[study.rows.kernel == kernel].set_index("M")


def show_gains(study: GainStudy) -> None:
    """Key numbers: certified upper ends."""
    numbers: dict[str, object] = {
        f"{row['kernel']}, M = {row['M']}": float(row["upper"]) for row in study.rows.to_dict("records")
    }
    numbers["ceiling"] = study.ceiling
    key_numbers(numbers, where_of(study))


def say_gains(study: GainStudy) -> Sentence:
    """How the three gains grow with M."""
    naive, added, law = (part(study, kernel) for kernel in KERNELS)
    most = int(naive.index.max())
    flat = bool(law.lower.max() <= law.upper.iloc[-1])
    return say(
        "From one agent to {most} the gain of the kernel on all actions grows from {one:.1f} to {all:.1f} nats, "
        "{share:.0%} of the ceiling $\\frac T2\\log(1+R^{{-2}})$ that holds for every kernel; that of the sum grows "
        "to {added:.1f}, at most in proportion to $M$. The gain of the mean-field kernel {flat}: {few:.1f} with the "
        "three laws that two agents can play, {many:.1f} with the {finest} of {large} agents. The gap between the "
        "certified ends is at most {gap:.1%}.",
        most=most,
        one=float(naive.upper.loc[1]),
        all=float(naive.upper.loc[most]),
        share=float(naive.upper.loc[most]) / study.ceiling,
        added=float(added.upper.loc[most]),
        flat="stays below its limit for all laws" if flat else "**does not stay below its value for the finest laws**",
        few=float(law.upper.loc[2]) if 2 in law.index else float(law.upper.iloc[0]),
        many=float(law.upper.iloc[-1]),
        finest=int(law.index.max()) + 1,
        large=int(law.index.max()),
        gap=float((study.rows.upper / study.rows.lower).max() - 1.0),
        where=where_of(study),
    )


# -- what the rates hide -----------------------------------------------------------------------------------------------


def useful_from(power: float) -> float:
    r"""log10 of the T from which :math:`(\log T)^p<T`: T = e^u with u the larger root of u = p log u; 0 for p below e."""
    if power <= math.e:
        return 0.0
    return float(-power * lambertw(-1.0 / power, -1).real / math.log(10.0))


@recorded()
def hidden() -> pd.DataFrame:
    """For the seven problems: the powers of log T in Table 1, the T from which they say something, and beta_T at T = 250.

    Sizes are the printed ones, d_A = 1, and d_C = 1 where there are several contexts; a = b = 2 in beta_T.
    """
    rows = []
    for chosen in SETTINGS.values():
        size, context = chosen.actions * chosen.contexts, int(chosen.contexts > 1)
        power = 1 + context + size
        width = TheoryWidth(chosen.actions, chosen.contexts, 2.0, 2.0)
        rows.append(
            {
                "problem": chosen.title,
                "M": chosen.agents,
                "|A||C|": size,
                "power, GP-UCB": chosen.agents + context,
                "power, MF-GP-UCB": power,
                "rule holds": "yes" if 1 + size <= chosen.agents else "no",
                "log₁₀ T from which (log T)^power < T": useful_from(power),
                "β, GP-UCB": JointActionWidth(chosen.actions, chosen.agents).beta(HORIZON),
                "β, MF-GP-UCB": width.beta(HORIZON),
            }
        )
    return pd.DataFrame(rows)


def show_hidden(rows: pd.DataFrame) -> None:
    """Key numbers: both beta_T and the T from which the rate says something."""
    numbers: dict[str, object] = {}
    for row in rows.to_dict("records"):
        for name in ("log₁₀ T from which (log T)^power < T", "β, GP-UCB", "β, MF-GP-UCB"):
            numbers[f"{row['problem']}: {name}"] = float(row[name])
    key_numbers(numbers, where_of(rows))


def say_hidden(rows: pd.DataFrame) -> Sentence:
    """What the table leaves out: another beta in every row, and rates that are idle at any horizon one could run."""
    start = rows["log₁₀ T from which (log T)^power < T"]
    larger = rows[rows["β, MF-GP-UCB"] > rows["β, GP-UCB"]]
    fails = rows[rows["rule holds"] == "no"]
    return say(
        "Three things the table does not show. **Its $\\beta_T$ is another one in each row**: with MF-GP-UCB it grows "
        "like $|A||C|\\log T$, with GP-UCB like $M\\log|A|$, and on {larger} the former is larger. **The rates are "
        "idle**: $(\\log T)^p<T$ needs $T$ above $10^{{{low:.0f}}}$ to $10^{{{high:.0f}}}$ on these problems, so that "
        "at $T={horizon}$ the ceiling $\\gamma_T\\le\\frac T2\\log(1+R^{{-2}})$ binds, whose proof needs no kernel. "
        "**The paper's own rule** for an improvement, $d_A+|A||C|\\le Md_A$, {fails}.",
        larger=" and ".join(larger.problem) if len(larger) else "none of the problems",
        low=float(start.min()),
        high=float(start.max()),
        horizon=HORIZON,
        fails="holds on all of them" if fails.empty else f"fails on {' and '.join(fails.problem)}",
        where=where_of(rows),
    )
