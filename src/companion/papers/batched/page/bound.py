"""One run of BPE taken apart: from measured regret to Theorem 1, and both forms of the bound over the horizon."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from companion.bounds.bound import Bound, BoundSetting
from companion.bounds.confidence import UnionBoundWidth
from companion.bounds.trivial import horizon, two_digits
from companion.core.templates import significant
from companion.information import gain_bracket_curve
from companion.information.between_horizons import UpperEnds
from companion.pages import Canvas, Numbers, Palette, Table, charts, figure, provenance_of, recorded
from companion.papers.batched.experiments.one_run import RATIO, BoundStudy
from companion.papers.batched.experiments.runs import rule_label
from companion.papers.batched.method.sizes import original_sizes
from companion.papers.batched.page import bound
from companion.papers.batched.page.rate import RateStudy
from companion.papers.batched.problems.wheat import wheat
from companion.papers.batched.theory.bounds import batch_bounds, trivial_bound
from companion.papers.batched.theory.stated import BOUNDS


def chain_factors(study: BoundStudy) -> Numbers:
    """The factor of every step of the proof, the names of the largest, and both ends over the trivial bound."""
    steps, given = list(study.chain), study.chain.ratios()
    names = [step.name for step in steps[1:]]
    values, line = {step.name: step.value for step in steps}, study.chain.side["trivial"]
    return Numbers(
        study,
        horizon=study.horizon,
        width=study.history[0].width,
        measured=values["measured"],
        measured_over_bound=float((study.batches.measured / study.batches.realised).max()),
        summed=values["certified gain"] / line,
        closed=steps[-1].value / line,
        slack=study.chain.slack,
        given=dict(zip(names, given, strict=True)),
        by_size=sorted(names, key=lambda name: -given[names.index(name)]),
        **charts.chain_numbers({"proof": study.chain}, {"trivial": "trivial bound"}),
    )


#: Horizons at which the forms are drawn for every doubling, and the ratios of rule (6) in the table of horizons.
PER_OCTAVE, RATIOS, FARTHEST = 4, (RATIO, 0.75), 10**7

#: Forms of Theorem 1, by the names of their bounds.
FORMS = {"T1a": "prop-2/printed", "T1b": "theorem-1/summed", "T1c": "theorem-1/printed"}


@dataclass(frozen=True, eq=False)
class FormStudy:
    """The forms and the trivial bound by a and horizon (``rows``), and from when on each is below it (``first``).

    ``first.random``: from when on T1a lies below what choosing at random costs on the lesson's function, ``random`` a time;
    ``original`` has the two horizons of T1a with the original sizes, to which Theorem 1 does not apply.
    """

    rows: pd.DataFrame
    first: pd.DataFrame
    random: float
    original: Mapping[str, float]


@recorded(random=False)
def forms_over_time(noise: float, delta: float) -> FormStudy:
    """The forms of Theorem 1 and the trivial bound for the lesson's function; T1a needs the gain at all batch sizes."""
    horizons = sorted({round(4 * 2 ** (k / PER_OCTAVE)) for k in range(1 + int(PER_OCTAVE * np.log2(FARTHEST / 4)))})
    stated = {bound.name: bound for bound in BOUNDS}
    modelled = wheat(noise)
    values, norm = modelled.problem.values, modelled.known_norm
    # The first batch may have one point.
    gain = UpperEnds.of(gain_bracket_curve(modelled.covariance, [1, 2, 3, *horizons], noise**2))
    line, random = trivial_bound(1, norm, modelled.covariance), float(values.max() - values.mean())
    rows, first = [], []
    for a in RATIOS:
        setting = BoundSetting(1, len(values), noise, delta, gain, gain, noise**2, norm=norm, ratio=a)
        of = {name: [stated[form].at(setting, t) for t in horizons] for name, form in FORMS.items()}
        rows.append(pd.DataFrame({"a": a, "horizon": horizons} | of | {"trivial": line * np.array(horizons)}))
        found = {name: _first(stated[form], setting, line, horizons) for name, form in FORMS.items()}
        first.append({"a": a} | found | {"random": _first(stated[FORMS["T1a"]], setting, random, horizons)})
    below = {"T1a": line, "random": random}
    original = {name: horizon(lambda t: original_sum(setting, t) / t, level, horizons) for name, level in below.items()}
    return FormStudy(pd.concat(rows, ignore_index=True), pd.DataFrame(first), random, original)


def original_sum(setting: BoundSetting, horizon: int) -> float:
    """The sum over batches for the original sizes; of ``setting`` neither the horizon nor ``ratio`` counts."""
    sizes, norm = original_sizes(horizon), setting.known("norm")
    width = UnionBoundWidth(norm, setting.size, len(sizes), setting.delta).width()
    return float(batch_bounds(sizes, [setting.gain(size) for size in sizes], width, setting.noise).sum())


def _first(bound: Bound, setting: BoundSetting, line: float, tried: Sequence[int]) -> float:
    return horizon(lambda t: bound.at(setting, t) / t, line, tried)


def break_even_numbers(forms: FormStudy) -> Numbers:
    """The ranges of :attr:`FormStudy.first` in two digits, with how far was looked."""
    columns = {"a": "T1a", "b": "T1b", "c": "T1c", "random": "random"}
    ends = {f"{n}_{end}": getattr(forms.first[of], end)() for n, of in columns.items() for end in ("min", "max")}
    whole = {name: two_digits(value) if np.isfinite(value) else np.inf for name, value in ends.items()}
    return Numbers(forms, farthest=FARTHEST, **whole)


@figure(size=(5.0, 3.6))
def waterfall(canvas: Canvas, palette: Palette, study: BoundStudy, words: Sequence[str]) -> None:
    """Loss by each inequality of the proof, with the values at both ends and the trivial bound.

    Parameters
    ----------
    study : with its chain
    words : what each step does, in the order of the chain
    """
    names = {step.name: name for step, name in zip(study.chain, words, strict=True)}
    charts.waterfall(canvas, palette, {"": study.chain}, words=names)
    (axes,) = canvas.axes
    axes.set_title("")
    axes.set_xlabel("regret, tonnes")
    charts.clear_factors(canvas)


def break_even(forms: FormStudy) -> Table:
    """The horizons from which the forms of Theorem 1 are informative."""
    names = {"T1a": "the sum over batches", "random": "below random choice", "T1c": "Theorem 1"}
    none = f"none up to {significant(bound.FARTHEST)}"

    def words(t: float) -> str:
        return "does not apply" if np.isnan(t) else significant(two_digits(t)) if np.isfinite(t) else none

    rows = pd.DataFrame(
        [{"a": np.nan, **forms.original, "T1c": np.nan}, *forms.first[["a", *names]].to_dict("records")]
    )
    sizes = rows.a.map(lambda a: "original" if np.isnan(a) else f"a = {a:g}")
    rows = rows[[*names]].map(words).rename(columns=names)
    return Table(rows.assign(sizes=sizes)[["sizes", *names.values()]], where=provenance_of(forms))


@figure(size=(4.6, 4.2))
def bounds_over_time(canvas: Canvas, palette: Palette, study: RateStudy, forms: FormStudy, a: float = RATIO) -> None:
    """Regret against evaluations on logarithmic axes, with both forms of the bound, the trivial one and random choice."""
    axes, values = canvas.subplots(), forms.rows
    part = values[(values.a == a) & (values.horizon >= study.runs.horizon.min())]
    lines = (
        (part.T1c, "Theorem 1", palette.accent, "-"),
        (part.T1a, "sum over batches", palette.series[3], "--"),
        (part.trivial, "trivial bound", palette.muted, ":"),
        (forms.random * part.horizon, "random choice", palette.muted, "-."),
    )
    for value, name, color, dashes in lines:
        axes.plot(part.horizon, value, color=color, ls=dashes, label=name)
    rows = study.runs[study.runs.rule == rule_label(a)]
    axes.plot(rows.horizon, rows.regret, "o", color=palette.series[0], ms=3, alpha=0.5)
    mean = rows.groupby("horizon").regret.mean()
    axes.plot(mean.index, mean, **charts.look(palette, 0))
    axes.text(mean.index[-1] * 1.3, mean.iloc[-1], "BPE, measured", color=palette.series[0], fontsize=9, va="center")
    charts.name_axes(axes, "evaluations T", "cumulative regret, tonnes", log="xy")
    charts.name_ends(axes)
