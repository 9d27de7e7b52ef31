"""Places in pictures: the problems, the two teams apart, and Manhattan as each method would have its taxis (Figures 3 and 4)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from matplotlib.axes import Axes

from companion.core.arrays import Floats
from companion.pages import Canvas, Numbers, Palette, Provenance, charts, figure, provenance_of
from companion.papers.meanfield.experiments.figures_claims import SHOWN_REWARD
from companion.papers.meanfield.experiments.printed import NAME_OF, OURS, TITLE_OF, MeanFieldResults
from companion.papers.meanfield.page.followed import BLOCK, MapRounds
from companion.papers.meanfield.page.problems import Gallery
from companion.papers.meanfield.problems.divergence import jensen_shannon
from companion.papers.meanfield.problems.mean_field import MeanFieldProblem
from companion.papers.meanfield.problems.swarm import swarm_reward
from companion.papers.meanfield.problems.taxi import GRIDS

#: Methods of Figure 4 in the paper's order.
SHOWN = (OURS, "random", "turbo")


@dataclass(frozen=True, eq=False)
class Maps:
    """Laws of one seed beside the demand, and divergences over all seeds.

    Parameters
    ----------
    maps : (across, along) by title; NaN where no action is
    to_demand : mean divergence of each method's best laws to the demand, and of the uniform law
    shown : divergence of each map from the demand, by title
    turbo_to_random : mean divergence of TuRBO's best laws to random search's of the same seed
    label : data of the runs
    where : of the stored runs
    """

    maps: dict[str, Floats]
    to_demand: dict[str, float]
    shown: dict[str, float]
    turbo_to_random: float
    label: str
    where: Provenance


def manhattan(evidence: MeanFieldResults) -> Maps:
    """Figure 4: the best laws of the first seed on the 12 x 20 grid."""
    problem = "taxi-a"
    across, along = GRIDS["a"]
    places = evidence.places(problem)
    block, demand = places.block.to_numpy(dtype=int), evidence.optimal(problem)[0]

    def on_grid(law: Floats) -> Floats:
        field = np.full(across * along, np.nan)
        field[block] = law
        return field.reshape(across, along)

    laws = {method: evidence.laws(problem, method)[:, 0] for method in SHOWN}
    flat = np.full(len(demand), 1.0 / len(demand))
    to_demand = {NAME_OF[method]: float(jensen_shannon(values, demand).mean()) for method, values in laws.items()}
    return Maps(
        {"demand": on_grid(demand), **{NAME_OF[method]: on_grid(values[0]) for method, values in laws.items()}},
        {**to_demand, "uniform law": float(jensen_shannon(flat, demand))},
        {"demand": 0.0, **{NAME_OF[m]: float(jensen_shannon(values[0], demand)) for m, values in laws.items()}},
        float(jensen_shannon(laws["turbo"], laws["random"]).mean()),
        evidence.label(problem),
        provenance_of(evidence),
    )


def map_numbers(maps: Maps) -> Numbers:
    """Method whose map is nearest to the demand, and the neighbour of TuRBO's."""
    ours, turbo, random = (maps.to_demand[NAME_OF[method]] for method in (OURS, "turbo", "random"))
    uniform = maps.to_demand["uniform law"]
    return Numbers(
        maps,
        label=maps.label,
        **{f"{method.replace('-', '_')}_shown": maps.shown[NAME_OF[method]] for method in SHOWN},
        ours=ours,
        turbo=turbo,
        random=random,
        uniform=uniform,
        closed=1.0 - ours / uniform,
        turbo_closed=1.0 - turbo / uniform,
        ratio=turbo / maps.turbo_to_random,
    )


def team_numbers(evidence: MeanFieldResults) -> Numbers:
    """Figure 3 in numbers: degrees between the mean directions of Arena's teams under the best laws, and best rewards."""
    laws, rewards = evidence.laws("arena", OURS), evidence.values("arena", OURS)
    means = laws @ np.exp(2j * np.pi * np.arange(laws.shape[2]) / laws.shape[2])
    apart = np.degrees(np.abs(np.angle(means[:, 0] / means[:, 1])))
    return Numbers(
        evidence,
        runs=len(rewards),
        degrees=float(apart.mean()),
        least=float(apart.min()),
        bound=float(evidence.of("arena", OURS).upper_bound.iloc[0]),
        shown=SHOWN_REWARD,
        reached=int((rewards >= SHOWN_REWARD).sum()),
    )


#: Height over width of a block of the coarsest grid.
ASPECT = 0.94


@figure(size=(9.2, 5.6))
def gallery(canvas: Canvas, palette: Palette, study: Gallery) -> None:
    """Actions of every problem, and its best law."""
    panels = canvas.subplots(2, 4).ravel()
    made = study.problems
    _swarm(panels[0], made["swarm"], palette)
    _arena(panels[1], made["arena"], palette)
    _stations(panels[2], made["bikes"], palette)
    _ports(panels[3], made["ports"], palette)
    for axes, grid in zip(panels[4:], GRIDS, strict=False):
        problem = made[f"taxi-{grid}"]
        across, along = GRIDS[grid]
        field = np.full(across * along, np.nan)
        field[problem.details["blocks"]] = problem.optimal[0]
        axes.imshow(np.sqrt(field.reshape(across, along).T), origin="lower", aspect=ASPECT * 12 / 20 * along / across)
        axes.set_title(f"{TITLE_OF[problem.name]}: demand")
        _bare(axes)
    _key(panels[7], palette)


def _bare(axes: Axes) -> None:
    axes.set(xticks=[], yticks=[])
    axes.grid(visible=False)
    axes.spines[:].set_visible(False)


def _swarm(axes: Axes, problem: MeanFieldProblem, palette: Palette) -> None:
    angles = np.linspace(0.0, 2.0 * np.pi, 200)
    axes.plot(angles, swarm_reward(angles), color=palette.ink, lw=1.3)
    place = np.linspace(0.0, 2.0 * np.pi, problem.actions)
    share = problem.optimal[0]
    axes.scatter(place[share > 0], swarm_reward(place[share > 0]), 300 * share[share > 0], color=palette.series[0])
    axes.set_xticks([0, np.pi, 2 * np.pi], ["0", "π", "2π"])
    charts.name_axes(axes, "angle", title=f"{TITLE_OF['swarm']}: one agent")


def _arena(axes: Axes, problem: MeanFieldProblem, palette: Palette) -> None:
    angles = 2.0 * np.pi * np.arange(problem.actions) / problem.actions
    axes.plot(np.cos(angles), np.sin(angles), ".", ms=3, color=palette.muted)
    for k, law in enumerate(problem.optimal):
        axes.scatter(np.cos(angles), np.sin(angles), 500 * law, color=palette.series[k], marker="os"[k])
    axes.set(aspect="equal", xlim=(-1.3, 1.3), ylim=(-1.3, 1.3))
    axes.set_title(f"{TITLE_OF['arena']}: two teams")
    _bare(axes)


def _stations(axes: Axes, problem: MeanFieldProblem, palette: Palette) -> None:
    places = problem.details["places"]
    axes.scatter(places[:, 0], places[:, 1], 900 * problem.optimal[0], color=palette.series[0], alpha=0.75, lw=0)
    axes.set(aspect="equal")
    axes.margins(0.12)
    scale_bar(axes, 1.0, "1 km", palette)
    axes.set_title(f"{TITLE_OF['bikes']}: demand")
    _bare(axes)


def scale_bar(axes: Axes, length: float, words: str, palette: Palette, unit: float = 1.0) -> None:
    """A bar of this length in the lower left corner; ``unit`` is what one unit of the axis measures."""
    x, y = axes.get_xlim()[0], axes.get_ylim()[0]
    height = abs(np.diff(axes.get_ylim())[0])
    axes.plot([x, x + length / unit], [y - 0.03 * height] * 2, color=palette.ink, lw=2, clip_on=False)
    axes.text(x, y - 0.05 * height, words, fontsize=8, va="top")


def _ports(axes: Axes, problem: MeanFieldProblem, palette: Palette) -> None:
    degrees, region = problem.details["degrees"], problem.details["region"]
    for k in range(problem.contexts):
        own = region == k
        size = 900 * problem.details["capacity"][own]
        axes.scatter(
            degrees[own, 1], degrees[own, 0], size, color=palette.series[k], marker="os^Dv"[k], alpha=0.8, lw=0
        )
    axes.set_title(f"{TITLE_OF['ports']}: ports")
    axes.margins(0.1)
    _bare(axes)


def _key(axes: Axes, palette: Palette) -> None:
    axes.axis("off")
    lines = (
        "area of a mark:",
        "share of the best law;",
        "Maritime: capacity,",
        "colour: region",
        "",
        "colour of a block:",
        "√ of its demand",
    )
    axes.text(0.0, 0.9, "\n".join(lines), va="top", fontsize=9, linespacing=1.5, color=palette.ink)


@figure(size=(9.4, 4.2))
def map_rounds(canvas: Canvas, palette: Palette, study: MapRounds) -> None:
    """The uniform law, the laws of some rounds and the demand, on one colour scale."""
    panels = charts.row_of(canvas, len(study.maps))
    top = 1.5 * float(np.nanmax(study.maps["demand"]))
    for axes, (title, field) in zip(panels, study.maps.items(), strict=True):
        image = axes.imshow(np.sqrt(field.T), origin="lower", aspect=ASPECT, vmin=0.0, vmax=np.sqrt(top))
        below = f"\ndivergence {study.apart[title]:.3f}"
        axes.set_title(title + below, fontsize=9.5)
        _bare(axes)
        axes.set(xlim=(-0.5, field.shape[0] - 0.5), ylim=(-0.5, field.shape[1] - 0.5))
    scale_bar(panels[0], 2.0, "2 km", palette, BLOCK[0])
    park(panels[-1], palette)
    bar = canvas.colorbar(image, ax=panels, orientation="horizontal", shrink=0.5, aspect=40, extend="max")
    ticks = top * np.array([0.0, 0.1, 0.3, 0.6, 1.0])
    bar.set_ticks(list(np.sqrt(ticks)), labels=[f"{100 * value:.1f} %" for value in ticks])
    bar.set_label("share of the taxis")


#: Corners of Central Park in blocks of the coarsest grid, from its longitudes and latitudes.
PARK = ((-73.9819, 40.7681), (-73.9730, 40.7643), (-73.9493, 40.7969), (-73.9582, 40.8006))


def park(axes: Axes, palette: Palette) -> None:
    """A landmark."""
    west, east, south, north = -74.02, -73.95, 40.70, 40.80
    corners: Floats = np.array(PARK)
    x = (corners[:, 0] - west) / (east - west) * 12 - 0.5
    y = (corners[:, 1] - south) / (north - south) * 20 - 0.5
    axes.plot([*x, x[0]], [*y, y[0]], color=palette.series[1], lw=1.6, ls="-", clip_on=False)
    axes.annotate("Central Park", (x[0], y[0]), (-0.5, 18.0), fontsize=8, color=palette.series[1])


@figure(size=(9.0, 5.4))
def draw_manhattan(canvas: Canvas, palette: Palette, maps: Maps) -> None:
    """Figure 4: demand and the laws of three methods on one colour scale."""
    panels = charts.row_of(canvas, len(maps.maps))
    top = max(float(np.nanmax(field)) for field in maps.maps.values())
    for axes, (title, field) in zip(panels, maps.maps.items(), strict=True):
        axes.set_facecolor(palette.paper)
        # Blocks are counted from the west and the south; rows of an image run from the top.
        image = axes.imshow(np.sqrt(field.T), origin="lower", aspect=0.94, vmin=0.0, vmax=np.sqrt(top))
        axes.set_title(f"{title}\ndivergence {maps.shown[title]:.3f}", fontsize=9.5)
        axes.set(xticks=[], yticks=[])
        axes.grid(visible=False)
        axes.spines[:].set_visible(False)
        axes.set(xlim=(-0.5, field.shape[0] - 0.5), ylim=(-0.5, field.shape[1] - 0.5))
    scale_bar(panels[0], 2.0, "2 km", palette, BLOCK[0])
    park(panels[0], palette)
    bar = canvas.colorbar(image, ax=panels, orientation="horizontal", shrink=0.6, aspect=40)
    ticks = [0.0, 0.25 * top, 0.5 * top, top]
    bar.set_ticks(list(np.sqrt(ticks)), labels=[f"{100 * value:.1f} %" for value in ticks])
    bar.set_label("share of the taxis, or of the demand")
