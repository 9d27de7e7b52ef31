"""Charts that several chapters draw, and the pieces of which charts are made.

What two chapters draw stands here once, so that it looks the same in both; a chart of one chapter stands in its
``figures``. A piece draws on axes it is given, a chart on a canvas.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Literal

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.axis import Axis
from matplotlib.figure import Figure as Canvas
from matplotlib.ticker import FuncFormatter, LogLocator, MaxNLocator
from numpy.typing import ArrayLike

from companion.checks.chain import Chain, Step
from companion.core.arrays import Floats
from companion.core.templates import significant
from companion.pages.figures import DASHES, MARKERS, Palette

#: Keyword arguments of Matplotlib for one series.
Style = dict[str, Any]

# -- series ------------------------------------------------------------------------------------------------------------


#: In place of the number of a series: what is compared with, random search say, in ink and dotted.
PLAIN = -1


def look(palette: Palette, k: int, **other: Any) -> Style:
    """Colour and dashes of series ``k`` of a chart, or of :data:`PLAIN`; ``other`` is added, or stands in their place."""
    return ({"color": palette.ink, "ls": ":"} if k == PLAIN else {"color": palette.series[k], "ls": DASHES[k]}) | other


def marked(palette: Palette, k: int, **other: Any) -> Style:
    """The same with a marker."""
    return look(palette, k, marker=MARKERS[max(k, 0)]) | other


def band(axes: Axes, across: ArrayLike, low: ArrayLike, high: ArrayLike, color: str, alpha: float = 0.25) -> None:
    """The area between two curves, without an edge."""
    axes.fill_between(across, low, high, color=color, alpha=alpha, lw=0)


def bars(rows: pd.DataFrame, middle: str) -> Floats:
    """Lengths (2, n) of error bars below and above column ``middle`` that reach to the columns ``low`` and ``high``.

    A bootstrap interval may leave out the value it belongs to; its bar then has no length on that side.
    """
    return np.maximum([rows[middle] - rows.low, rows.high - rows[middle]], 0.0)


def shown_marks(
    axes: Axes, across: pd.Series, rows: pd.DataFrame, middle: str, palette: Palette, k: int, **other: Any
) -> None:
    """Column ``middle`` with its intervals, as series ``k``; a mark is filled where column ``shown`` is not zero."""
    drawn = marked(palette, k, mfc=palette.paper, capsize=2, ms=5) | other
    axes.errorbar(across, rows[middle], bars(rows, middle), **drawn)
    shown = rows.shown != 0
    # Above the hollow marks, which error bars draw later than lines.
    axes.plot(across[shown], rows[middle][shown], MARKERS[k], color=palette.series[k], zorder=3, ms=5)


def mean_and_error(runs: Floats) -> tuple[Floats, Floats]:
    """Mean (T,) of runs (n, T) and its standard error, which is zero for a single run."""
    mean = runs.mean(axis=0)
    return mean, runs.std(axis=0, ddof=1) / np.sqrt(len(runs)) if len(runs) > 1 else np.zeros_like(mean)


def above_zero(mean: Floats, error: Floats) -> Floats:
    """``error``, cut so that a band or bar does not reach from a positive ``mean`` to zero: for logarithmic axes."""
    return np.where(mean > 0, np.minimum(error, 0.9 * mean), error)


# -- axes --------------------------------------------------------------------------------------------------------------


def name_axes(axes: Axes, x: str = "", y: str = "", title: str = "", log: str = "") -> None:
    """Labels and title that are given, and logarithmic scales for the axes named in ``log``: ``x``, ``y`` or ``xy``."""
    labels = {"xlabel": x, "ylabel": y, "title": title}
    axes.set(**{name: text for name, text in labels.items() if text} | {f"{name}scale": "log" for name in log})


def name_ticks(axis: Axis, values: Iterable[float]) -> None:
    """Ticks at ``values``, written out."""
    listed = list(values)
    axis.set_ticks(listed, labels=[f"{value:g}" for value in listed])


def plain_ticks(axis: Axis, at: Sequence[float] = (1.0, 2.0, 5.0)) -> None:
    """Ticks at these multiples of powers of ten, written out: a range of two powers has too few others."""
    axis.set_major_locator(LogLocator(subs=at))
    axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))


#: Lines of more points than these stand behind others.
BROAD = 4.0
#: A logarithmic axis whose ends have a ratio below this gets more ticks than powers of ten.
NARROW = 200.0


def narrow_ticks(axes: Axes) -> None:
    """Ticks at 1, 2 and 5 times powers of ten where the vertical axis is logarithmic and narrow; round ones if these are few."""
    low, high = axes.get_ylim()
    if high / low < NARROW:
        powers = 10.0 ** np.arange(np.floor(np.log10(low)), np.ceil(np.log10(high)))
        inside = [tick for tick in np.outer(powers, (1, 2, 5)).ravel() if low <= tick <= high]
        if len(inside) < 3:
            inside = [
                tick for tick in MaxNLocator(7, steps=[1, 2, 5, 10]).tick_values(low, high) if low <= tick <= high
            ]
        name_ticks(axes.yaxis, inside)


def row_of(canvas: Canvas, count: int, **share: Any) -> list[Axes]:
    """So many panels side by side, with one vertical axis unless ``share`` says otherwise."""
    return list(canvas.subplots(1, count, squeeze=False, **({"sharey": True} | share))[0])


def legend_above(canvas: Canvas, axes: Axes, columns: int, **other: Any) -> None:
    """The legend of one panel above all of them."""
    canvas.legend(*axes.get_legend_handles_labels(), loc="outside upper center", ncols=columns, **other)


def name_ends(axes: Axes, words: Callable[[str], str] = str, apart: float = 0.085) -> None:
    """The name of every labelled curve at its right end, in place of a legend; moved apart where two would overlap.

    Parameters
    ----------
    axes : the panel, with a logarithmic vertical axis and with its final limits
    words : the name of a curve by its label
    apart : least distance of two names, in heights of the panel

    A curve that ends at no number, as the logarithm of zero is none, is named at the bottom. Broad lines, which stand
    behind others, are named in ink.
    """
    low, high = np.log(axes.get_ylim())
    drawn = [line for line in axes.get_lines() if not str(line.get_label()).startswith("_")]
    ends = {line: float(values[-1]) for line in drawn if (values := np.asarray(line.get_ydata(), dtype=float)).size}
    heights = {line: (np.log(end) - low) / (high - low) if end > 0 else 0.0 for line, end in ends.items()}
    lines = sorted(heights, key=heights.__getitem__)
    places = np.array([heights[line] for line in lines])
    for _ in range(100):
        lack = np.maximum(apart - np.diff(places), 0.0) / 2
        places += np.append(0.0, lack) - np.append(lack, 0.0)
    places = np.maximum(places, 0.03 + apart * np.arange(len(lines)))
    for line, place in zip(lines, places, strict=True):
        color: Style = {} if line.get_linewidth() > BROAD else {"color": line.get_color()}
        text = words(str(line.get_label()))
        axes.text(1.01, place, text, transform=axes.transAxes, va="center", fontsize=8.5, **color)


# -- a proof as a chain ------------------------------------------------------------------------------------------------

#: A value beside a chain: its name there, its label, dashes and colour in the palette.
Beside = tuple[str, str, str, Literal["muted", "accent"]]
TRIVIAL: Beside = ("trivial", "trivial", ":", "muted")


def waterfall(
    canvas: Canvas,
    palette: Palette,
    chains: Mapping[str, Chain],
    beside: Sequence[Beside] = (TRIVIAL,),
    *,
    words: Mapping[str, str] | None = None,
    last: int = 1,
    repaired: bool = False,
) -> None:
    """Loss by each inequality of a proof: a bar a step, which starts where the one before ends.

    Parameters
    ----------
    canvas, palette : to draw on
    chains : by title of their panels, with the same steps
    beside : values of ``chain.side`` that are marked by vertical lines
    words : what a step does, by its name, in place of its name and its statement
    last : so many steps at the end are coloured as what is promised
    repaired : whether they promise the companion's bound; it has another colour than a printed one
    """
    panels = row_of(canvas, len(chains), sharex=True)
    # Room for the names of statements to the left of the bars, and for factors to the right.
    least = min(chain.steps[0].value for chain in chains.values()) / 7
    top = max(chain.steps[-1].value for chain in chains.values()) * 6
    end = palette.series[2] if repaired else palette.accent
    for axes, (title, chain) in zip(panels, chains.items(), strict=True):
        steps = [replace(step, name=words[step.name], statement="") for step in chain] if words else list(chain)
        colors = [palette.series[0], *[palette.series[1]] * (len(steps) - 1 - last), *[end] * last]
        # Labels stand on a plate, as the vertical lines pass behind them.
        plate: Style = {"va": "center", "bbox": {"facecolor": palette.paper, "edgecolor": "none", "pad": 0.6}}
        start = least
        for k, (step, color) in enumerate(zip(steps, colors, strict=True)):
            _bar(axes, k, start, step, color, palette, plate)
            start = step.value
        _lines(axes, chain, beside, palette)
        slack = f"{chain.slack:,.0f}".replace(",", " ")
        above = "\n" if beside else ""  # room for the labels of the lines
        name_axes(axes, "regret", title=f"{title}: {slack} times in all{above}", log="x")
        axes.set_xlim(least, top)
        axes.grid(visible=False, axis="y")
    panels[0].set_yticks(range(len(steps)), [step.name for step in steps])
    panels[0].invert_yaxis()


def clear_factors(canvas: Canvas) -> None:
    """Move the factors of :func:`waterfall` off the vertical lines: to the left of their bar, or behind the lines."""
    canvas.draw_without_rendering()
    for axes in canvas.axes:
        lines = sorted({float(np.ravel(line.get_xdata())[0]) for line in axes.lines})
        at = [float(axes.transData.transform((line, 0.0))[0]) for line in lines]
        for label in (text for text in axes.texts if text.get_text().startswith("×")):
            box, bar = label.get_window_extent(), axes.patches[round(label.get_position()[1])].get_window_extent()
            gap, wide = box.x0 - bar.x1, box.width
            starts = [box.x0, bar.x0 - gap - wide, *(line + gap for line in at if line > box.x0 - gap)]
            free = [x for x in starts if not any(x - gap / 2 < line < x + wide + gap / 2 for line in at)]
            label.set_x(axes.transData.inverted().transform((min(free, key=starts.index), box.y0))[0])


def _bar(axes: Axes, k: int, start: float, step: Step, color: str, palette: Palette, plate: Style) -> None:
    """Step ``k`` with its factor, and the name of its statement; the first with its value."""
    low, high = sorted((start, step.value))
    axes.barh(k, high - low, left=low, color=color, height=0.62)
    # All that is seen of a step that gives nothing away.
    axes.vlines(step.value, k - 0.31, k + 0.31, color=color, lw=1.5)
    text = f"× {significant(step.value / start, 3)}" if k else significant(step.value, 3)
    axes.text(high * 1.15, k, text, fontsize=9.5, **plate)
    if k and step.statement:
        axes.text(low * 0.9, k, step.statement, ha="right", fontsize=8.5, color=palette.muted, **plate)


def _lines(axes: Axes, chain: Chain, beside: Sequence[Beside], palette: Palette) -> None:
    """The values beside the chain; where there are two, their labels stand on either side."""
    first = min((chain.side[name] for name, *_ in beside), default=0.0)
    for name, label, dashes, color in beside:
        value = chain.side[name]
        axes.axvline(value, color=getattr(palette, color), ls=dashes, lw=1.3)
        side = "center" if len(beside) == 1 else "right" if value == first else "left"
        place: Style = {"transform": axes.get_xaxis_transform(), "va": "bottom", "ha": side}  # just above the panel
        axes.text(value, 1.0, f" {label} ", color=palette.muted, fontsize=9, **place)


def chain_rows(chains: Mapping[str, Chain], reasons: str = "") -> pd.DataFrame:
    """The steps with their reasons and statements, and a column of values for every chain, by its title.

    Parameters
    ----------
    chains : by title, with the same steps
    reasons : title of the chain that has the reasons; the first by default
    """
    first = chains[reasons] if reasons else next(iter(chains.values()))
    rows: list[dict[str, Any]] = [
        {"step": step.name, "why": step.reason, "statement": step.statement or "–"} for step in first
    ]
    values = {title: [step.value for step in chain] for title, chain in chains.items()}
    return pd.DataFrame(rows).assign(**values)


def chain_numbers(chains: Mapping[str, Chain], beside: Mapping[str, str] | None = None) -> dict[str, float]:
    """Every step as a number, and then the values beside the chain that are named, by their words."""
    numbers: dict[str, float] = {}
    for title, chain in chains.items():
        numbers |= {f"{title}: {step.name}": step.value for step in chain}
        numbers |= {f"{title}: {words}": chain.side[name] for name, words in (beside or {}).items()}
    return numbers
