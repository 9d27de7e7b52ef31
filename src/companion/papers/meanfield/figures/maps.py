"""Figures 3 and 4 again, from ``studies.maps``."""

from __future__ import annotations

import numpy as np
from matplotlib.figure import Figure as Canvas

from companion.papers.meanfield.studies.maps import Maps, Teams
from companion.report import Figure, Palette, say
from companion.report.text import Sentence

TEAMS = ("first team", "second team")


def teams(found: Teams | None) -> Figure | Sentence:
    """Figure 3: shares of both teams around the circle, found and optimal."""
    if found is None:
        return say("The runs on Arena are not stored.")

    def draw(canvas: Canvas, palette: Palette) -> None:
        count = found.found.shape[1]
        angles = 2.0 * np.pi * np.arange(count) / count
        limit = 1.05 * float(max(found.found.max(), found.optimal.max()))
        for k, (title, law) in enumerate((("MF-GP-UCB, best run", found.found), ("optimum", found.optimal))):
            axes = canvas.add_subplot(1, 2, k + 1, projection="polar")
            for side, (name, share) in enumerate(zip(TEAMS, law, strict=True)):
                axes.bar(
                    angles, share, 0.85 * 2.0 * np.pi / count, color=palette.series[side], alpha=0.85, label=name,
                    hatch="//" if side else None, edgecolor=palette.paper, lw=0,
                )  # fmt: skip
            axes.set_title(title, pad=12)
            axes.set_ylim(0, limit)
            axes.set_rlabel_position(60.0)  # type: ignore[attr-defined]
            # A polar axis does not tell the layout of the labels outside it.
            axes.set_position(((0.04, 0.52)[k], 0.1, 0.44, 0.68))
            axes.set_yticks([0.1, 0.2] if limit > 0.2 else [0.05, 0.1], labels=None)
            axes.set_xticks(np.arange(4) * np.pi / 2, ["0", "π/2", "π", "3π/2"])
        canvas.legend(*canvas.axes[0].get_legend_handles_labels(), loc="outside upper center", ncols=2)

    return Figure(
        draw,
        alt="Two polar bar charts of the shares of two teams around the circle. Left, the best law found by "
        "MF-GP-UCB; right, the "
        f"optimum: two bumps on opposite sides. Over all runs the teams' mean directions are "
        f"{found.degrees.mean():.0f} degrees "
        "apart on average.",
        caption="Figure 3 again: the law with the best reward of all runs of MF-GP-UCB on Arena, and the optimum "
        "turned to lie next to it, which no turn changes. Length of a bar: share of the team that takes this action.",
        size=(7.6, 4.6),
        where=found.where,
    )


def manhattan(maps: Maps | None) -> Figure | Sentence:
    """Figure 4: demand and the laws of three methods on one colour scale."""
    if maps is None:
        return say("The runs behind the maps are not stored.")

    def draw(canvas: Canvas, palette: Palette) -> None:
        panels = canvas.subplots(1, len(maps.maps), sharey=True)
        top = max(float(np.nanmax(field)) for field in maps.maps.values())
        for axes, (title, field) in zip(panels, maps.maps.items(), strict=True):
            axes.set_facecolor(palette.paper)
            # Blocks are counted from the west and the south; rows of an image run from the top.
            image = axes.imshow(np.sqrt(field.T), origin="lower", aspect=0.94, vmin=0.0, vmax=np.sqrt(top))
            axes.set_title(title, fontsize=9.5)
            axes.set(xticks=[], yticks=[])
            axes.grid(visible=False)
            axes.spines[:].set_visible(False)
        bar = canvas.colorbar(image, ax=list(panels), orientation="horizontal", shrink=0.6, aspect=40)
        ticks = [0.0, 0.25 * top, 0.5 * top, top]
        bar.set_ticks(list(np.sqrt(ticks)), labels=[f"{100 * value:.1f} %" for value in ticks])
        bar.set_label("share of the taxis, or of the demand")

    nearest = min((name for name in maps.to_demand if name != "uniform law"), key=lambda name: maps.to_demand[name])
    return Figure(
        draw,
        alt=f"Four maps of the coarsest grid of Manhattan on one colour scale ({maps.label}): the demand, concentrated "
        f"in a ridge, and the laws found by three methods. {nearest} is closest to the demand; divergences: "
        + ", ".join(f"{name} {value:.3f}" for name, value in maps.to_demand.items())
        + ".",
        caption=f"Figure 4 again ({maps.label}): where the demand is, and where each method sends the taxis under the "
        f"law with its "
        "best reward, first seed. One colour scale, proportional to the square root of the share; blocks without "
        "demand are left blank.",
        size=(9.0, 4.6),
        where=maps.where,
    )
