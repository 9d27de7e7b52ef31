"""One run of BPE taken apart: Proposition 2 batch by batch, and the chain from measured regret to Theorem 1."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from companion.bounds.bound import Bound, BoundSetting
from companion.bounds.trivial import blind_norm_range, horizon, two_digits
from companion.core.templates import significant
from companion.gp import kernel_by_name
from companion.information import gain_bracket_curve
from companion.information.between_horizons import UpperEnds
from companion.pages import Canvas, Numbers, Palette, Table, charts, figure, provenance_of, recorded
from companion.pages.figures import MARKERS
from companion.papers.batched.experiments.one_run import KERNELS, BoundStudy, closed_over_trivial, over_trivial
from companion.papers.batched.page import bound
from companion.papers.batched.page.rate import LENGTHSCALE, POINTS, RateStudy
from companion.papers.batched.problems.catalogue import KERNEL_TITLES, grid_covariance
from companion.papers.batched.theory.bounds import trivial_bound
from companion.papers.batched.theory.stated import BOUNDS


def chain_factors(study: BoundStudy) -> Numbers:
    """The steps with the largest factors, both ends of the proof over the trivial bound, and Proposition 2 in every batch."""
    chains = study.chains.values()
    ratios = [np.array(chain.ratios()) for chain in chains]
    steps = [[step.name for step in chain][1:] for chain in chains]
    order = [np.argsort(-ratio) for ratio in ratios]
    named = [
        pair for names, ratio in zip(steps, ratios, strict=True) for pair in zip(names, ratio.tolist(), strict=True)
    ]
    return Numbers(
        study,
        horizon=study.horizon,
        points=POINTS,
        lengthscale=LENGTHSCALE,
        measured_over_bound=float((study.batches.measured / study.batches.realised).max()),
        bracket=float((study.gains.upper / study.gains.lower).max()) - 1,
        summed=over_trivial(study),
        closed=closed_over_trivial(study),
        kernels=[KERNEL_TITLES[kernel] for kernel in study.chains],
        slack=[round(chain.slack) for chain in chains],
        largest=min(float(ratio[at[0]]) for ratio, at in zip(ratios, order, strict=True)),
        second=min(float(ratio[at[1]]) for ratio, at in zip(ratios, order, strict=True)),
        widths_factor=max((factor for name, factor in named if name == "four widths"), default=np.nan),
        largest_steps={names[at[0]] for names, at in zip(steps, order, strict=True)},
        second_steps={names[at[1]] for names, at in zip(steps, order, strict=True)},
        third_steps={names[at[2]] for names, at in zip(steps, order, strict=True)},
        **charts.chain_numbers(study.chains, {"trivial": "trivial bound"}),
    )


#: Horizons at which the forms are drawn for every doubling, and the ratios of rule (6) in the table of horizons.
PER_OCTAVE, RATIOS, FARTHEST = 4, (0.6, 0.75), 10**7

#: Forms of Theorem 1, by the names of their bounds.
FORMS = {"T1a": "prop-2/printed", "T1b": "theorem-1/summed", "T1c": "theorem-1/printed"}


@dataclass(frozen=True, eq=False)
class FormStudy:
    """The forms and the trivial bound by kernel, a and horizon (``rows``), and from when on each is below it (``first``).

    ``blind``: likewise from when on T1a beats blind choices, by the function of the norm for which these lose most.
    """

    rows: pd.DataFrame
    first: pd.DataFrame
    blind: pd.DataFrame


@recorded(random=False)
def forms_over_time(norm: float, noise: float, delta: float) -> FormStudy:
    """The forms of Theorem 1 and the trivial bound, on the points of :mod:`.rate`; T1a needs the gain at all batch sizes."""
    horizons = sorted({round(4 * 2 ** (k / PER_OCTAVE)) for k in range(1 + int(PER_OCTAVE * np.log2(FARTHEST / 4)))})
    stated = {bound.name: bound for bound in BOUNDS}
    rows, first, blind = [], [], []
    for kernel in KERNELS:
        covariance = grid_covariance(kernel_by_name(kernel, LENGTHSCALE), POINTS, 1)
        # The first batch may have one point.
        gain = UpperEnds.of(gain_bracket_curve(covariance, [1, 2, 3, *horizons], noise**2))
        line = trivial_bound(1, norm, covariance)
        for a in RATIOS:
            setting = BoundSetting(1, POINTS, noise, delta, gain, gain, noise**2, norm=norm, ratio=a)
            values = {name: [stated[form].at(setting, t) for t in horizons] for name, form in FORMS.items()}
            names = {"kernel": kernel, "a": a, "horizon": horizons}
            rows.append(pd.DataFrame(names | values | {"trivial": line * np.array(horizons)}))
            found = {name: _first(stated[form], setting, line, horizons) for name, form in FORMS.items()}
            first.append({"kernel": KERNEL_TITLES[kernel], "a": a} | found)
            beats = _first(stated[FORMS["T1a"]], setting, norm * blind_norm_range(covariance), horizons)
            blind.append({"kernel": KERNEL_TITLES[kernel], "a": a, "T1a": beats})
    return FormStudy(pd.concat(rows, ignore_index=True), pd.DataFrame(first), pd.DataFrame(blind))


def _first(bound: Bound, setting: BoundSetting, line: float, tried: Sequence[int]) -> float:
    return horizon(lambda t: bound.at(setting, t) / t, line, tried)


def break_even_numbers(forms: FormStudy) -> Numbers:
    """The ranges of :attr:`FormStudy.first` in two digits, with how far was looked."""
    ends = {f"{name}_{end}": getattr(forms.first[f"T1{name}"], end)() for name in "abc" for end in ("min", "max")}
    ends |= {f"blind_{end}": getattr(forms.blind.T1a, end)() for end in ("min", "max")}
    whole = {name: two_digits(value) if np.isfinite(value) else np.inf for name, value in ends.items()}
    return Numbers(forms, points=POINTS, farthest=FARTHEST, **whole)


@figure(size=(9.0, 4.0))
def waterfall(canvas: Canvas, palette: Palette, study: BoundStudy, words: Sequence[str]) -> None:
    """Loss by each inequality of the proof, with the values at both ends and the trivial bound.

    Parameters
    ----------
    study : with its chains
    words : what each step does, in the order of the chain
    """
    chains = {KERNEL_TITLES[kernel]: chain for kernel, chain in study.chains.items()}
    steps = next(iter(chains.values()))
    charts.waterfall(canvas, palette, chains, words={step.name: name for step, name in zip(steps, words, strict=True)})
    for axes, (title, chain) in zip(canvas.axes, chains.items(), strict=True):
        first, last = (significant(int(float(f"{chain.steps[k].value:.4g}"))) for k in (0, -1))
        axes.set_title(f"{title}: from {first} to {last}\n")
    charts.clear_factors(canvas)


def break_even(forms: FormStudy) -> Table:
    """The horizons from which the forms of Theorem 1 are informative."""
    names = {"T1a": "the sum over batches", "T1c": "Theorem 1"}
    none = f"none up to {significant(bound.FARTHEST)}"
    formats = dict.fromkeys(names.values(), lambda t: significant(two_digits(t)) if np.isfinite(t) else none)
    rows = forms.first.drop(columns="T1b").rename(columns=names)
    return Table(rows, formats={**formats, "a": "{:g}".format}, where=provenance_of(forms))


@figure(size=(9.0, 3.6))
def bounds_over_time(canvas: Canvas, palette: Palette, study: RateStudy, forms: FormStudy, a: float = 0.6) -> None:
    """Regret against the horizon on logarithmic axes, with both ends of the proof's last part and the trivial bound."""
    values = forms.rows
    kernels = list(study.runs.kernel.unique())
    panels = charts.row_of(canvas, len(kernels))
    for axes, kernel in zip(panels, kernels, strict=True):
        part = values[(values.kernel == kernel) & (values.a == a) & (values.horizon >= study.runs.horizon.min())]
        axes.plot(part.horizon, part.T1c, color=palette.accent, label="Theorem 1")
        axes.plot(part.horizon, part.T1a, color=palette.series[3], ls="--", label="the sum over batches")
        axes.plot(part.horizon, part.trivial, color=palette.muted, ls=":", label="trivial bound")
        runs, slopes = (rows[rows.kernel == kernel] for rows in (study.runs, study.slopes))
        for k, (rule, rows) in enumerate(runs.groupby("rule", sort=False)):
            axes.plot(rows.horizon * 1.03 ** (k - 1), rows.regret, MARKERS[k], color=palette.series[k], ms=3, alpha=0.5)
            mean = rows.groupby("horizon").regret.mean()
            slope = slopes[slopes.rule == rule].slope.iloc[0]
            axes.plot(mean.index, mean, label=f"BPE, {rule}", **charts.look(palette, k))
            axes.text(
                mean.index[-1] * 1.4,
                mean.iloc[-1] * 0.5**k,
                f"slope {slope:.2f}",
                color=palette.series[k],
                fontsize=9,
            )
        charts.name_axes(axes, "horizon T", title=KERNEL_TITLES[kernel], log="xy")
    panels[0].set_ylabel("cumulative regret")
    charts.legend_above(canvas, panels[0], 6)
