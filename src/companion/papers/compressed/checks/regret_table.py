"""Table 1: nine cells, each with a power of T in the regret's second term and one in the dictionary's size."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from companion.checks.cases import Case, at_most, exponent
from companion.checks.statement import Statement, Teeth, Tooth, fix, need, statement
from companion.core.arrays import Floats
from companion.judge.intervals import slope_interval
from companion.papers.compressed.theory import bounds
from companion.papers.compressed.theory.instances import TITLES, Game, played
from companion.papers.compressed.theory.runs import TheoryRuns

#: Where the second term has reached its order: :math:`T^{-\alpha}` is small, or constant.
HORIZONS = np.logspace(8, 12, 9)

#: At alpha = 1/8 the logarithm of 1 + 0.1 is not yet linear; the local slope is off by a quarter of that times alpha.
TERM_ALLOWANCE = 0.01

#: A dictionary that does not grow any more still differs from run to run, and at short horizons it is filling up.
ORDER_ALLOWANCE = 0.1

#: Horizons of the dictionaries and of the measured regret.
MEASURED = (50, 100, 200, 400, 800)


#: Runs at every horizon.
RUNS = 16


@dataclass(frozen=True)
class Cell:
    """A cell of the table in dimension p: its row, its column, and whether dictionaries are measured."""

    row: str
    column: str
    dim: int
    measured: bool = False
    kernel: str = "se"

    @property
    def alpha(self) -> float:
        """alpha of the column."""
        return bounds.COLUMNS[self.column] / self.dim

    def game(self, horizon: int) -> Game:
        """Runs for the measured dictionary; an interval or a square, as a grid."""
        size, scale = ((201, 0.2) if self.row == "ucb2" else (50, 0.2)) if self.dim == 1 else (49, 0.4)
        kernel = "additive" if self.row == "ucb2" and self.dim == 2 else self.kernel
        rule = "ei" if self.row == "ei" else "ucb"
        compact = self.row == "ucb2"
        return Game(
            kernel, self.dim, 0.3, horizon, self.alpha, RUNS, size, acquisition=rule, lengthscale=scale, compact=compact
        )


def table_1(
    cell: Cell,
    *,
    printed: bool = True,
    side: str = "at most",
    less: float = 0.0,
    order_less: float = 0.0,
    measured: float | None = None,
) -> Iterator[Case]:
    r"""A cell of Table 1: :math:`T\sqrt{\log(1+T^{-\alpha})}=O(T^x)`; on runs :math:`M_T=O(T^y)`, and regret is of the order
    of :math:`I+T^x`.

    The first is arithmetic: the theorem's second term without :math:`\sqrt{\beta_T}`, which the table leaves out, at the
    column's alpha. From runs come the exponent of the dictionary, and that of mean regret over its theorem's prefactor, which
    is at most the larger one of x and the exponent of :math:`\sqrt{TI_T}` with the information gained.
    """
    x = bounds.table_exponent(cell.row, cell.column, cell.dim, printed) - less
    logs = np.log([bounds.second_term(float(horizon), cell.alpha) for horizon in HORIZONS])
    fit = slope_interval(np.log(HORIZONS), logs)
    where = f"second term, p = {cell.dim}, alpha = {cell.alpha:g}, T from 1e8 to 1e12"
    yield exponent(fit.low, fit.high, x, where, side, TERM_ALLOWANCE)
    if cell.measured:
        runs = [played(cell.game(rounds)) for rounds in MEASURED]
        grown = slope_interval(np.log(MEASURED), np.log([float(found.order.mean()) for found in runs]))
        where = f"dictionary, {TITLES[cell.kernel]}, p = {cell.dim}, alpha = {cell.alpha:g}, T from 50 to 800"
        y = bounds.table_order(cell.column) - order_less
        yield exponent(grown.low, grown.high, y, where, "at most", ORDER_ALLOWANCE)
        lost = [float((found.regret / _prefactor(cell, found)).mean()) for found in runs]
        fit = slope_interval(np.log(MEASURED), np.log(lost))
        gained = 0.5 * np.log([t * float(found.gain.mean()) for t, found in zip(MEASURED, runs, strict=True)])
        most = max(x, slope_interval(np.log(MEASURED), gained).estimate) if measured is None else measured
        yield exponent(fit.low, fit.high, most, where.replace("dictionary", "regret"))


def _prefactor(cell: Cell, runs: TheoryRuns) -> Floats:
    r"""(R,) of the regret: :math:`\sqrt{\beta_T}`, or Theorem 3.4's :math:`\sqrt{3(\beta_T+1+R^2)}+\sqrt{\beta_T}`."""
    beta = np.full(len(runs.regret), float(runs.beta[-1]))
    if cell.row == "ei":
        return np.asarray(np.sqrt(3.0 * (beta + 1.0 + runs.largest_score**2)) + np.sqrt(beta))
    return np.sqrt(beta)


DIMENSION = need("a whole dimension $p\\ge1$", lambda cell: bool(cell.dim >= 1), Cell("ucb1", "a", 0))


class Row(NamedTuple):
    """A row of the table: its name and theorem."""

    name: str
    theorem: str


class Column(NamedTuple):
    """A column of the table: alpha, and the printed order of the dictionary."""

    alpha: str
    order: str


_ROWS = {
    "ucb1": Row("CGP-UCB1", "theorem-3.2-i"),
    "ucb2": Row("CGP-UCB2", "theorem-3.2-ii"),
    "ei": Row("CGP-EI", "theorem-3.4"),
}
_COLUMNS = {"a": Column(r"\alpha=1/p", "T"), "b": Column(r"\alpha=1/(2p)", r"\sqrt T"), "c": Column(r"\alpha=0", "1")}

_INTERCHANGED = fix(
    r"the regret is $I+\mathcal O(T^{1-1/(4p)})$: columns $\alpha=1/p$ and $\alpha=1/(2p)$ of the row are interchanged",
    other=True,
    printed=False,
)


def _cells(row: str, column: str) -> tuple[Cell, ...]:
    line, rough = Cell(row, column, 1, True), Cell(row, column, 1, True, "matern52" if row == "ucb2" else "matern12")
    return line, rough, Cell(row, column, 2, True), Cell(row, column, 4)


def _teeth(column: str, swapped: bool) -> Teeth:
    teeth: dict[str, dict[str, Any]] = {"measured regret of order T^(1/10)": {"measured": 0.1}}
    if column == "a":
        teeth["the printed exponent as the exact order"] = {"side": "equal"}
        teeth["a dictionary of order T^(3/4)"] = {"order_less": 0.25}
    if swapped:
        teeth["the printed exponent"] = {"printed": True}
    if column != "a":
        teeth["an exponent smaller by 1/20"] = {"less": 0.05}
    return teeth


def _entry(row: str, column: str) -> Statement:
    of, at = _ROWS[row], _COLUMNS[column]
    swapped = column == "b" and row != "ei"
    power = "T" if column == "c" else "T^{1-1/(2p)}" if swapped else "T^{1-1/(4p)}"
    constant = r"+\frac{\pi^2}6" if row == "ucb2" or (row == "ei" and column != "a") else ""
    return Statement(
        id=f"table-1-{row}-{column}",
        kind="rate",
        latex=rf"${at.alpha}$: regret $I+\mathcal O({power}{constant})$ (up to $\sqrt{{\beta_T}}$), "
        rf"model order $\mathcal O({at.order})$, $I=\sqrt{{C_1T\beta_T\gamma_{{M_T(\epsilon)}}}}$",
        instances=lambda: _cells(row, column),
        evaluate=table_1,
        assumptions=(DIMENSION,),
        depends=("theorem-3.1", of.theorem),
        teeth=tuple(Tooth(name, change) for name, change in _teeth(column, swapped).items()),
        correction=_INTERCHANGED if swapped else None,
    )


_CELLS = tuple(_entry(row, column) for row in _ROWS for column in _COLUMNS)

# -- the caption -------------------------------------------------------------------------------------------------------


@statement(
    "table-1",
    "inequality",
    lambda: tuple((row, dim) for row in ("ucb1", "ucb2") for dim in (1, 2, 4)),
    need("a whole dimension $p\\ge1$", lambda row: bool(row[1] >= 1), ("ucb1", 0)),
    teeth={"sublinear regret in every column": {"linear": ""}, "a model order that is finite in two": {"finite": "bc"}},
    depends=" ".join(cell.id for cell in _CELLS if "-ei-" not in cell.id),
)
def table_1_caption(row: tuple[str, int], *, linear: str = "c", finite: str = "c") -> Iterator[Case]:
    r"""At $\alpha=1/p$ the regret is sublinear and the model order linear, at $\alpha=0$ the regret is linear and the model
    order finite, and at $\alpha=1/(2p)$ both are sublinear

    Exponents of the second term, as the cells print them, and as fitted to the theorem's between :math:`T=10^8` and
    :math:`10^{12}`; exponents of the model order as printed. ``linear`` and ``finite`` name the columns of which that is said.
    """
    name, dim = row
    low, high = HORIZONS[0], HORIZONS[-1]
    for column, share in bounds.COLUMNS.items():
        where = f"{_ROWS[name].name}, p = {dim}, column {column}"
        ends = [np.log(bounds.second_term(float(horizon), share / dim)) for horizon in (low, high)]
        fitted = float((ends[1] - ends[0]) / np.log(high / low))
        for kind, power in (("printed", bounds.table_exponent(name, column, dim)), ("theorem", fitted)):
            where_power = f"{where}: exponent of regret, {kind}"
            yield at_most(power, 1.0 + 1e-9 if column in linear else 1.0 - TERM_ALLOWANCE, where_power)
            if column in linear:
                yield at_most(1.0 - 1e-9, power, where_power)
        order = bounds.table_order(column)
        yield at_most(
            order, 0.0 if column in finite else 1.0 if column == "a" else 1.0 - TERM_ALLOWANCE, f"{where}: model order"
        )
