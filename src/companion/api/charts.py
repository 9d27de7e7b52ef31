"""Regret over evaluations, drawn in one call."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from matplotlib.axes import Axes

from companion.core.arrays import Floats
from companion.core.errors import ParameterError
from companion.pages.charts import NARROW, above_zero, band, look, mean_and_error, name_axes, narrow_ticks, plain_ticks
from companion.pages.figures import LIGHT, Figure, Palette
from companion.pages.provenance import Provenance

#: As many curves as can be told apart.
MOST = len(LIGHT.series)


def regret_chart(
    curves: Mapping[str, Floats], metric: str, log: str = "", where: Provenance | None = None, ax: Axes | None = None
) -> Any:
    """Mean over runs with its standard error, a curve for each entry: a :class:`Figure`, or drawn on axes that are given.

    Parameters
    ----------
    curves : by label, (runs, T)
    metric : what they are, in words with underscores
    log : axes that are logarithmic: ``x``, ``y`` or ``xy``
    where : where they come from
    ax : axes to draw on, without a title

    Raises
    ------
    ParameterError
        for more curves than can be told apart, or other axes
    """
    if len(curves) > MOST:
        raise ParameterError("runs", f"have {len(curves)} curves", f"at most {MOST}", "Choose some with only(...).")
    if set(log) - set("xy"):
        raise ParameterError("log", f"got {log!r}", "'', 'x', 'y' or 'xy'")
    words = metric.replace("_", " ")

    def draw(axes: Axes, palette: Palette, title: str) -> None:
        for k, (label, runs) in enumerate(curves.items()):
            mean, error = mean_and_error(runs)
            across = np.arange(1, len(mean) + 1)
            below = above_zero(mean, error) if "y" in log else error
            band(axes, across, mean - below, mean + error, palette.series[k])
            axes.plot(across, mean, label=label, **look(palette, k))
        name_axes(axes, "evaluations", words, title, log)
        for text in (axes.title, axes.yaxis.label):
            text.set_wrap(True)  # where a figure is saved narrower
        if "y" in log:
            narrow_ticks(axes)
        if "x" in log and len(mean) < NARROW:
            plain_ticks(axes.xaxis)
        if len(curves) > 1:
            axes.legend()

    counts = {label: len(runs) for label, runs in curves.items()}
    ends = "; ".join(f"{label} ends at {float(runs[:, -1].mean()):.4g}" for label, runs in curves.items())
    several = " or ".join(map(str, sorted(set(counts.values()))))
    shown = f"mean over {several} runs, band: one standard error" if max(counts.values()) > 1 else "one run"
    if ax is not None:
        draw(ax, LIGHT, "")
        return ax
    caption = f"{words.capitalize()} over evaluations, {shown}."
    alt = f"{words.capitalize()} over evaluations: {ends}."
    return Figure(
        lambda canvas, palette: draw(canvas.subplots(), palette, shown), alt, caption, (7.0, 3.6), where or Provenance()
    )
