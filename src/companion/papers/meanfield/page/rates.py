"""Table 1 by what can be computed: certified information gains against the number of agents, and what the rates hide."""

from __future__ import annotations

import math
from dataclasses import dataclass

import pandas as pd
from scipy.special import lambertw

from companion.pages import Canvas, Numbers, Palette, Rows, cells, charts, figure, frame, recorded
from companion.papers.meanfield.checks.consequences import Crowd, Laws, ceiling, crowd_gain, law_gains, rate_mf_additive
from companion.papers.meanfield.method.widths import JointActionWidth, TheoryWidth
from companion.papers.meanfield.page.bound import TAIL
from companion.papers.meanfield.problems.catalogue import HORIZON, SETTINGS

#: Kernels of Table 1 by their names in :func:`~companion.papers.meanfield.checks.consequences.crowd_gain`.
KERNELS = {
    "naive": "GP-UCB, all actions",
    "sum": "Add-GP-UCB, a sum over agents",
    "law": "MF-GP-UCB, own action and law",
}
#: The column of :func:`hidden` on the kernel that is run, the additive one, and that on the kernel on everything.
IDLE, IDLE_JOINT = "log₁₀ T from which (log T)^power < T", "log₁₀ T, joint kernel"
#: Numbers of agents whose laws are looked at beyond those whose joint actions can be listed.
MANY = (20, 60, 240)


@dataclass(frozen=True, eq=False)
class GainStudy:
    """Brackets of the information gain by kernel and number of agents, and the ceiling of kernels with k(z, z) = 1."""

    rows: pd.DataFrame
    ceiling: float
    crowd: Crowd


@recorded(random=False)
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


def gain_numbers(study: GainStudy) -> Numbers:
    """Growth of the three gains with M, and the distance of their certified ends."""
    naive, added, law = (part(study, kernel) for kernel in KERNELS)
    most = int(naive.index.max())
    return Numbers(
        study,
        most=most,
        share=float(naive.upper.loc[most]) / study.ceiling,
        sum=float(added.upper.loc[most]),
        law=float(law.upper.iloc[-1]),
        law_before=float(law.lower.iloc[-2]),
        finest=int(law.index.max()),
        gap=float((study.rows.upper / study.rows.lower).max() - 1.0),
        ceiling=study.ceiling,
        **cells(study.rows, "{kernel}, M = {M}", ["upper"]),
    )


@recorded(first=0)
@frame
def additive_gains() -> Rows:
    """Brackets of the kernel of Eq. (1) and of one radial function of everything, 100 observations.

    Both have prior variance 1; "printed" is Eq. (1) with its own, 2 + |C|, and the same noise. The settings are those
    of the ledger's entry on the last row of Table 1.
    """
    assert rate_mf_additive.instances is not None
    for laws in rate_mf_additive.instances():
        assert isinstance(laws, Laws)
        found = law_gains(laws)
        yield {
            "|A|": laws.actions,
            "|C|": laws.contexts,
            "where": laws.where,
            "upper, additive": found["additive"].upper,
            "upper, printed": found["printed"].upper,
            "lower, joint": found["joint"].lower,
            "ceiling": ceiling(laws.noise_sd),
        }


def additive_numbers(rows: pd.DataFrame) -> Numbers:
    """The additive kernel's gain in shares of the joint one's, at equal prior variance and with that of Eq. (1)."""
    share = rows["upper, additive"] / rows["lower, joint"]
    own = rows["upper, printed"] / rows["lower, joint"]
    last = rows.loc[(rows["|A|"] * rows["|C|"]).idxmax()]
    return Numbers(
        rows,
        actions=int(last["|A|"]),
        contexts=int(last["|C|"]),
        additive=float(last["upper, additive"]),
        joint=float(last["lower, joint"]),
        ceiling=float(last["ceiling"]),
        most=float(share.max()),
        own_most=float(own.max()),
    )


@figure(size=(7.0, 3.8))
def gains(canvas: Canvas, palette: Palette, study: GainStudy) -> None:
    """Certified information gain against the number of agents for the kernels of Table 1."""
    axes = canvas.subplots()
    for k, (kernel, name) in enumerate(KERNELS.items()):
        rows = part(study, kernel)
        charts.band(axes, rows.index, rows.lower, rows.upper, palette.series[k], 0.3)
        axes.plot(rows.index, rows.upper, label=name, **charts.marked(palette, k))
    axes.axhline(study.ceiling, color=palette.accent, ls=":", lw=1.4, label="ceiling where k(z, z) ≤ 1")
    charts.name_axes(axes, "agents M", "information gain, nats", log="xy")
    charts.name_ticks(axes.xaxis, (1, 2, 3, 5, 8, 20, 60, 240))
    axes.legend(loc="lower right")


# -- what the rates hide -----------------------------------------------------------------------------------------------


def useful_from(power: float, factor: float = 1.0) -> float:
    r"""log10 of the T beyond which :math:`c(\log T)^p<T` for good; 0 where that holds for all T > 1.

    T = e^u with u the larger root of :math:`u=\log c+p\log u`, which is :math:`-pW_{-1}(-1/(pc^{1/p}))` for c of at least 1.
    """
    argument = -1.0 / (power * factor ** (1.0 / power))
    if argument <= -1.0 / math.e:
        return 0.0
    return float(-power * lambertw(argument, -1).real / math.log(10.0))


@recorded(random=False)
@frame
def hidden() -> Rows:
    r"""For the seven problems: the powers of log T in Table 1, the T from which they say something, and beta_T at T = 250.

    Sizes are the printed ones, d_A = 1, and d_C = 1 where there are several contexts; a = b = 2 in beta_T. The additive
    kernel, which all experiments use, has :math:`|C|(\log T)^{|A|}` as the largest term of its row.
    """
    for chosen in SETTINGS.values():
        size, context = chosen.actions * chosen.contexts, int(chosen.contexts > 1)
        power = 1 + context + size
        width = TheoryWidth(chosen.actions, chosen.contexts, *TAIL)
        yield {
            "problem": chosen.title,
            "M": chosen.agents,
            "|A||C|": size,
            "power, GP-UCB": chosen.agents + context,
            "power, MF-GP-UCB": power,
            "power, additive": chosen.actions,
            "rule holds": "yes" if 1 + size <= chosen.agents else "no",
            IDLE_JOINT: useful_from(power),
            IDLE: useful_from(chosen.actions, chosen.contexts),
            "β, GP-UCB": JointActionWidth(chosen.actions, chosen.agents).beta(HORIZON),
            "β, MF-GP-UCB": width.beta(HORIZON),
        }


def hidden_numbers(rows: pd.DataFrame) -> Numbers:
    """Ranges in which MF-GP-UCB has the larger beta_T and the paper's rule fails, and the T from which the rates say
    something."""
    return Numbers(
        rows,
        larger=list(rows.problem[rows["β, MF-GP-UCB"] > rows["β, GP-UCB"]]),
        fails=list(rows.problem[rows["rule holds"] == "no"]),
        least=float(rows[IDLE].min()),
        first=rows.problem[rows[IDLE].idxmin()],
        joint=float(rows[IDLE_JOINT].min()),
        now=math.floor(float(rows["power, additive"].min()) * math.log10(math.log(HORIZON))),
    )
