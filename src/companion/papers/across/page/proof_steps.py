"""The steps from regret to bound as pictures and tables, and the numbers of their sentences; the words stand on the page."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure as Canvas
from matplotlib.patches import Rectangle

from companion.checks.chain import Chain, Step
from companion.core.templates import significant
from companion.pages import Figure, Numbers, Palette, Table, charts
from companion.pages.provenance import Provenance, stored
from companion.papers.across.problems.common import AT, DELTA, GAME, NORM, RUNS, candidates
from companion.papers.across.theory import proof_steps
from companion.papers.across.theory.bounds import BOUNDS
from companion.papers.across.theory.informative_horizons import line_of
from companion.papers.across.theory.proof_steps import BATCH, METHODS, STEPS

#: Names of the panels, in the order of the chapters.
RULES = {
    "ts-rsr": "TS-RSR",
    "compressed-ucb": "compressed UCB",
    "gp-ucb": "GP-UCB",
    "bpe": "BPE",
    "mf-gp-ucb": "MF-GP-UCB",
    "wdrbo": "WDRBO",
}
#: Panels in a row.
ACROSS = 2


def provenance() -> Provenance:
    """Source of the numbers."""
    return stored(proof_steps.load().record.to_dict(), proof_steps.STORED)


def one_setting(kernel: str, dim: int, noise: float) -> dict[str, dict[str, Any]]:
    """The stored rows of a setting by method, the game of the dimension among them."""
    found = proof_steps.load().tables["steps"]
    here = found[found.kernel.isin((kernel, GAME)) & (found.dim == dim) & (found.noise == noise)]
    by_method = {
        row["played"]: {**row, "trivial": AT * line_of(METHODS[row["played"]].bound, kernel, dim)}
        for row in here.to_dict("records")
    }
    return {played: by_method[played] for played in RULES}


def chain_of(levels: Mapping[str, Any], words: Mapping[str, str]) -> Chain:
    """One row as a chain of the names that a page gives to the steps; ``words["unused"]`` marks those a proof has not."""
    unused = METHODS[levels["played"]].unused
    links = tuple(
        Step(words[name], levels[name], "", "", statement=words["unused"] if name in unused else "") for name in STEPS
    )
    side = {words["trivial"]: levels["trivial"]}
    if _apart(levels, "other"):
        side[words[BOUNDS[METHODS[levels["played"]].other].reading]] = levels["other"]
    return Chain(RULES[levels["played"]], links, side)


def _apart(levels: Mapping[str, Any], name: str) -> bool:
    """Whether there is such a value, and it is not one of the levels anyway."""
    value = levels[name]
    return value == value and all(abs(levels[step] / value - 1.0) > 1e-5 for step in STEPS)


def waterfalls(setting: tuple[str, int, float], words: Mapping[str, str]) -> Figure:
    """A panel for every method, with one scale for all: where its bound exceeds its regret, step by step.

    Parameters
    ----------
    setting : kernel, dimension and noise
    words : what the steps are called on the page, and ``trivial``, ``unused``, and the readings of a theorem beside the one
        at the end: ``printed``, ``sharper``
    """
    chains = {played: chain_of(levels, words) for played, levels in one_setting(*setting).items()}
    low = min(chain.steps[0].value for chain in chains.values()) / 7
    high = max(chain.steps[-1].value for chain in chains.values()) * 9

    def draw(canvas: Canvas, palette: Palette) -> None:
        names = list(chains)
        parts: Any = canvas.subfigures(len(names) // ACROSS, 1)
        for k, part in enumerate(parts):
            row = {played: chains[played] for played in names[ACROSS * k : ACROSS * (k + 1)]}
            repaired = all(BOUNDS[METHODS[played].bound].reading == "repaired" for played in row)
            charts.waterfall(cast(Canvas, part), palette, row, (), repaired=repaired)
            for axes, chain in zip(part.axes, row.values(), strict=True):
                axes.set_xlim(low, high)
                measured = axes.patches[0]
                assert isinstance(measured, Rectangle)
                measured.set_x(low)  # the first bar begins where the common scale does
                measured.set_width(chain.steps[0].value - low)
                first, last = (_told(chain.steps[j].value) for j in (0, -1))
                axes.set_title(f"{chain.title}: from {first} to {last}\n")
                axes.set_xlabel("regret" if part is parts[-1] else "")
                _beside(axes, chain, words, palette)

    return Figure(draw, size=(8.8, 10.2), where=provenance())


def _beside(axes: Axes, chain: Chain, words: Mapping[str, str], palette: Palette) -> None:
    """The trivial bound, and the other reading where the chain does not pass through it, as lines with their values."""
    for name, value in chain.side.items():
        trivial = name == words["trivial"]
        axes.axvline(value, color=palette.muted, ls=":" if trivial else "--", lw=1.3)
        side, text = "right" if trivial else "left", f" {name} {_told(value)} "
        place: charts.Style = {"transform": axes.get_xaxis_transform(), "va": "bottom", "ha": side}
        axes.text(value, 1.0, text, color=palette.muted, fontsize=8, **place)


def _told(value: float) -> str:
    """Three digits, or all before the point."""
    return significant(value, 3) if value < 100 else significant(round(value))


def factor_table(words: Mapping[str, str]) -> Table:
    """Factor of every step, a column a method: the least and the largest of all settings."""
    found = _factors()
    by_method = {played: found[found.played == played] for played in RULES}
    lines = [
        {"step": words[name], **{RULES[p]: _range(own[name], name, p, words) for p, own in by_method.items()}}
        for name in (*STEPS[1:], "all")
    ]
    return Table(pd.DataFrame(lines), where=provenance())


def _factors() -> pd.DataFrame:
    """The ratios of every row, and ``all``, their product."""
    found = proof_steps.load().tables["steps"]
    ratios = pd.DataFrame([proof_steps.ratios(row) for row in found.to_dict("records")], index=found.index)
    return found[["kernel", "dim", "noise", "played"]].join(ratios.assign(all=ratios.prod(axis=1)))


def _range(values: pd.Series, name: str, played: str, words: Mapping[str, str]) -> str:
    if name in METHODS[played].unused:
        return words["unused"]
    low, high = (significant(float(f"{value:.2g}"), 2) for value in (values.min(), values.max()))
    return low if low == high else f"{low}–{high}"


def step_numbers(setting: tuple[str, int, float]) -> Numbers:
    """Numbers of the sentences.

    By method and step, ``<method>_<step>`` is the factor in the setting, and with ``_least`` and ``_most`` the ends over all
    settings; ``<method>_all`` their product; ``<method>_largest`` the step that is largest in the setting. ``broken``: what a
    proof promises and a stored row does not keep; ``below``: methods whose bound is below the trivial one in the setting;
    ``<step>_least`` and ``<step>_most``: of all methods that have the step; ``others_width_...``: of all but WDRBO;
    ``cauchy_falls``: Cauchy-Schwarz costs less with more noise everywhere; ``bpe_always``: BPE's largest step, of all settings;
    ``gp_ucb_two``, ``bpe_late``: products of two of their steps.
    """
    found, values = _factors(), dict[str, Any]()
    for played, levels in one_setting(*setting).items():
        name, own = played.replace("-", "_"), found[found.played == played]
        here = {**proof_steps.ratios(levels), "all": levels["closed"] / levels["measured"]}
        for step, factor in here.items():
            values |= {
                f"{name}_{step}": factor,
                f"{name}_{step}_least": float(own[step].min()),
                f"{name}_{step}_most": float(own[step].max()),
            }
        values[f"{name}_rejected"] = levels["rejected"]
        values[f"{name}_largest"] = max(STEPS[1:], key=here.__getitem__)
        values |= {f"{name}_needed": levels["needed"], f"{name}_regret": levels["measured"]}
        values |= {f"{name}_bound": levels["closed"], f"{name}_other": levels["other"]}
    for step in STEPS[1:]:
        own = found[[step not in METHODS[played].unused for played in found.played]][step]
        values |= {f"{step}_least": float(own.min()), f"{step}_most": float(own.max())}
    by_noise = found.pivot(index=["played", "kernel", "dim"], columns="noise", values="cauchy")
    always = found[found.played == "bpe"][list(STEPS[1:])].idxmax(axis=1).unique()
    others = found[found.played != "wdrbo"].width
    values |= {"others_width_least": float(others.min()), "others_width_most": float(others.max())}
    table = proof_steps.load().tables["steps"]
    rows = table.to_dict("records")
    return Numbers(
        provenance(),
        runs=RUNS,
        at=AT,
        batch=BATCH,
        norm=NORM,
        covered=1.0 - DELTA,
        rows=len(rows),
        settings=len(proof_steps.SETTINGS),
        noise=setting[2],
        points=candidates(setting[1]),
        broken=[f"{row['played']}: {name}" for row in rows for name in proof_steps.broken(row, row["played"])],
        below=[RULES[p] for p, levels in one_setting(*setting).items() if levels["closed"] < levels["trivial"]],
        needed_least=float(table.needed.min()),
        needed_most=float(table.needed.max()),
        cauchy_falls=bool((by_noise.diff(axis=1).iloc[:, 1:] < 0).all(axis=None)),
        gp_ucb_two=values["gp_ucb_confidence"] * values["gp_ucb_cauchy"],
        bpe_late=values["bpe_device"] * values["bpe_closed"],
        bpe_always=" ".join(always),
        **values,
    )
