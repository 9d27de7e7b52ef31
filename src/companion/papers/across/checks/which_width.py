"""Statements of chapter 6 on widths: promised coverage, widths that are too short, their order, and libraries' defaults."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import product
from typing import Any

from companion.bounds.confidence import ChowdhuryGopalanWidth, OneRootWidth, SelfNormalizedWidth
from companion.checks.cases import Case, at_most, probability
from companion.checks.instance import Instance
from companion.checks.statement import statement
from companion.papers.across.experiments import width_coverage
from companion.papers.across.experiments import widths as stored
from companion.papers.across.experiments.width_rules import LIBRARIES
from companion.papers.across.problems.common import DELTA, DIMS, GAME, KERNELS, NOISES


class Covered(Instance, words="{name} on {place}, points {points}"):
    """A width on an instance: how many of the runs it covers in, by the part of it that is judged."""

    place: str
    name: str
    points: str
    factor: float = 1.0

    def row(self, factor: float) -> Any:
        """The stored row for a part of the width."""
        found = stored.load().tables["width_coverage"].set_index(["instance", "id", "points", "factor"])
        return found.loc[(self.place, self.name, self.points, factor)]


def promises() -> Iterator[Covered]:
    """Every width on every instance that its theorem is about."""
    table = stored.load().tables["width_coverage"]
    for row in table[table.promised & (table.factor == 1.0)].itertuples():
        yield Covered(row.instance, row.id, row.points)


def too_short() -> Iterator[Covered]:
    """Widths stated before the runs to be too short, and where."""
    table = stored.load().tables["width_coverage"]
    for place, name, factor in width_coverage.MUST_FAIL:
        found = table[(table.instance == place) & (table.id == name) & (table.factor == factor)]
        yield Covered(place, name, str(found.points.iloc[0]), factor)


@statement(
    "coverage",
    "probability",
    promises,
    teeth={"a fifth cut off": {"factor": 0.8}, "half of the width": {"factor": 0.5}},
)
def covers(width: Covered, *, factor: float = 1.0) -> Case:
    r"""In the setting of its theorem a width covers all candidates in all rounds with probability at least $1-\delta$,
    $\delta=0.1$: for functions of known norm and for draws, on random functions, and on arms made to need a large width."""
    row = width.row(factor)
    failures = round((1.0 - row.covered) * row.runs)
    return probability(failures, int(row.runs), DELTA, width.where)


@statement("short-widths", "inequality", too_short, teeth={"the theorem's own width": {"of": lambda factor: 1.0}})
def caught(width: Covered, *, of: Callable[[float], float] = float) -> Case:
    r"""Half of a theorem's width, four fifths of the sharpest one, and one library's default cover less often than
    $1-\delta$ on the instances chosen for them: the upper end of the exact 95 % interval lies below."""
    return at_most(float(width.row(of(width.factor)).high), 1.0 - DELTA, width.where)


class Point(Instance, words="gain {gain:g}, norm {norm:g}, delta {delta:g}"):
    """Arguments of a width for a known norm."""

    gain: float
    norm: float
    delta: float


def arguments() -> Iterator[Point]:
    """Gains, norms and failure probabilities over all that the page meets, and beyond."""
    for gain, norm, delta in product((0.0, 0.1, 1.0, 10.0, 1e3), (0.1, 1.0, 10.0), (1e-3, 0.1, 0.5)):
        yield Point(gain, norm, delta)


def half_log_det(gain: float) -> float:
    """The gain, which is half of a log determinant."""
    return gain


@statement(
    "order-of-widths",
    "inequality",
    arguments,
    teeth={"the log determinant in place of its half": {"information": lambda gain: 2.0 * gain}},
)
def one_root(at: Point, *, information: Callable[[float], float] = half_log_det) -> Iterator[Case]:
    r"""For a gain $I\ge0$, norm $\Psi$ and $\delta$: $\sqrt{\Psi^2+2(I+\log(1/\delta))}\le\Psi+\sqrt{2(I+\log(1/\delta))}
    \le\Psi+\sqrt{2(I+1+\log(1/\delta))}$, the sharper width, the self-normalised one, and that of Chowdhury and Gopalan."""
    one = float(OneRootWidth(at.norm, at.delta).width(gain=information(at.gain)))
    two = float(SelfNormalizedWidth(at.norm, at.delta).width(gain=at.gain))
    yield at_most(one, two, f"one root, {at.where}")
    yield at_most(two, ChowdhuryGopalanWidth(at.norm, at.delta).width(gain=at.gain), f"usual, {at.where}")


class Arm(Instance, words="{place}"):
    """The instance on which the bound behind the width is nearly an equality."""

    place: str


@statement(
    "nothing-to-save",
    "inequality",
    lambda: (Arm("one arm, small steps"),),
    teeth={"two roots in place of one": {"name": "batched/self-normalised"}, "large steps": {"place": "one arm"}},
)
def needed(arm: Arm, *, name: str = "sharper/mixture", place: str = "") -> Case:
    r"""On one arm with much noise, $\sqrt{\Psi^2+2(I_t+\log(1/\delta))}$ could be shortened to no less than 95 % of itself:
    so the upper end of the interval of the part of it that would cover with probability $1-\delta$."""
    table = stored.load().tables["width_coverage"]
    (row,) = table[(table.instance == (place or arm.place)) & (table.id == name) & (table.factor == 1.0)].itertuples()
    return at_most(0.95, row.enough_high, f"{name} on {place or arm.place}")


class WidthSetting(Instance, words="{library} at T = {t}, {kernel}, d = {dim}, noise {noise:g}"):
    """A library's default and a setting."""

    library: str
    kernel: str
    dim: int
    noise: float
    t: int


def settings() -> Iterator[WidthSetting]:
    """Every library, common setting, and number of evaluations at which both are stored."""
    found = stored.load().tables["width_defaults"]
    for library, kernel, dim, noise in product(found.library.unique(), KERNELS, DIMS, NOISES):
        for t in (10, 100, 1000):
            yield WidthSetting(library, kernel, dim, noise, t)


@statement(
    "defaults", "inequality", settings, teeth={"beta where its root is meant": {"as_width": lambda width: width**2}}
)
def too_short_by_default(at: WidthSetting, *, as_width: Callable[[float], float] = float) -> Case:
    """No library's default reaches the shortest width of any theorem of this page: of five papers and of the literature, at every
    common setting, for 10, 100 and 1,000 evaluations."""
    tables = stored.load().tables
    found, widths = tables["width_defaults"], tables["widths"]
    own = found[(found.library == at.library) & (found.dim == at.dim) & (found.t == at.t)].width.iloc[0]
    here = widths[(widths.kernel == at.kernel) & (widths.dim == at.dim) & (widths.noise == at.noise)]
    # A game's model is another one, and a width that experiments use is no theorem's.
    theirs = here[~here.id.str.endswith("/experiments") & (here.kernel != GAME)][f"T={at.t}"].min()
    return at_most(as_width(float(own)), float(theirs), at.where)


class Pair(Instance, words="{library} against {theorem}, {place}"):
    """A library's default and a theorem's width, in GP-UCB on the same functions."""

    library: str
    theorem: str
    place: str = "random functions"


def pairs() -> Iterator[Pair]:
    """Every default that was run, and every width that is proved for functions of known norm, whatever chose the points."""
    theorems = ("sharper/mixture", "batched/self-normalised", "classical/chowdhury-gopalan")
    for library, theorem in product(LIBRARIES, theorems):
        yield Pair(f"library/{library}", theorem)


@statement("cheaper", "inequality", pairs, teeth={"on draws of the prior as well": {"place": "draws"}})
def loses_less(pair: Pair, *, place: str = "") -> Case:
    r"""In 100 evaluations of GP-UCB on random functions of known norm every library's default loses less than every width that
    is proved there: the upper end of its mean regret's interval lies below the lower end of the theorem's."""
    found = stored.load().tables["width_regret"]
    found = found[(found.instance == (place or pair.place)) & (found.points == "GP-UCB")].set_index("id")
    return at_most(found.high[pair.library], found.low[pair.theorem], pair.where)
