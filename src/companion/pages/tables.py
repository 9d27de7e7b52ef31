"""Tables for a page: a pandas frame with caption and provenance, rendered as accessible HTML."""

from __future__ import annotations

import functools
import html
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, ParamSpec

import pandas as pd

from companion.core.errors import ParameterError
from companion.core.templates import significant
from companion.pages.provenance import Provenance, provenance_of

P = ParamSpec("P")
#: What a function below :func:`frame` yields: cells by their column.
Rows = Iterator[Mapping[str, Any]]
#: What the ends of an interval are called in a table.
ENDS = {"low": "95 % from", "high": "to"}
#: What stands behind a cell that is reversed, here and in captions.
TURNED = "⇅"


def smallest(values: pd.DataFrame, by: pd.Series | None = None) -> pd.DataFrame:
    """Mask of each column's smallest value, for ``Table(best=...)``; ties are all marked, missing numbers never.

    Parameters
    ----------
    values : numbers; the negative ones where the largest is the best, and the transposed where rows are compared
    by : for every row its group, of which the smallest is meant; all rows are one group by default
    """
    groups = pd.Series(0, index=values.index) if by is None else by
    return values.eq(values.groupby(groups).transform("min"))


def _marked(marks: pd.DataFrame | None, row: Any, column: Any) -> bool:
    return marks is not None and column in marks.columns and bool(marks.at[row, column])


#: Text of at most this many characters is kept on one line.
SHORT = 32


@dataclass(frozen=True, eq=False)
class Table:
    """A table that a notebook cell displays.

    Parameters
    ----------
    frame : the rows; the index is not shown
    caption : what to see in it; may contain inline HTML; given on the page, by :func:`companion.pages.sentences.show`
    where : its sources, folded below the table; those that the frame carries by default
    digits : significant digits of numbers, for all columns
    formats : per column, a function from a cell to text (HTML is escaped)
    best : cells in bold: booleans for the same rows and some of the columns, as :func:`smallest` gives them
    turned : likewise, cells that are marked as reversed, by :data:`TURNED`; the caption says what that means

    Examples
    --------
    >>> import pandas as pd
    >>> from companion.pages.tables import Table
    >>> Table(pd.DataFrame({"rule": ["GP-UCB"], "regret": [1.25]}), "Regret at the end.")
      rule  regret
    GP-UCB    1.25
    """

    frame: pd.DataFrame
    caption: str = ""
    where: Provenance = field(default_factory=Provenance)
    digits: int = 4
    formats: dict[str, Any] = field(default_factory=dict)
    best: pd.DataFrame | None = None
    turned: pd.DataFrame | None = None

    def __post_init__(self) -> None:
        if not self.where.sources:
            object.__setattr__(self, "where", provenance_of(self.frame))

    def _repr_html_(self) -> str:
        if not self.caption.strip():
            raise ParameterError("caption", "is empty", "a description; every table of the book has one")
        frame = self.frame
        numeric = {c for c in frame.columns if pd.api.types.is_numeric_dtype(frame[c])}
        marks = {c: ' class="number"' if c in numeric else "" for c in frame.columns}
        head = "".join(f'<th scope="col"{marks[c]}>{html.escape(str(c))}</th>' for c in frame.columns)
        rows = []
        for _, row in frame.iterrows():
            cells = []
            for column in frame.columns:
                text = self._text(row.name, column)
                kind = "number" if column in numeric else "short" if len(text) <= SHORT else "long"
                words = html.escape(text)
                if _marked(self.best, row.name, column):
                    words = f"<strong>{words}</strong>"
                if _marked(self.turned, row.name, column):
                    words += f'&nbsp;<span role="img" aria-label="reversed" title="reversed">{TURNED}</span>'
                cells.append(f'<td class="{kind}">{words}</td>')
            rows.append("<tr>" + "".join(cells) + "</tr>")
        return (
            f'<figure class="companion-table"><figcaption>{self.caption}</figcaption><div class="companion-scroll">'
            f"<table><thead><tr>{head}</tr></thead><tbody>{''.join(rows)}</tbody></table></div>{self.where.html()}</figure>"
        )

    def __repr__(self) -> str:
        return self.frame.to_string(index=False)

    def _text(self, row: Any, column: Any) -> str:
        show = self.formats.get(column, lambda value: significant(value, self.digits))
        return str(show(self.frame.at[row, column]))

    def latex(self) -> str:
        """The same table as a ``tabular`` for LaTeX, with the rules of its package booktabs and without the caption."""
        columns = list(self.frame.columns)
        lines = [[_escaped(str(column)) for column in columns]]
        for row in self.frame.index:
            cells = {column: _escaped(self._text(row, column)) for column in columns}
            bold = {
                column: rf"\textbf{{{words}}}" for column, words in cells.items() if _marked(self.best, row, column)
            }
            turned = {column: r"~$\updownarrow$" for column in columns if _marked(self.turned, row, column)}
            lines.append([words + turned.get(column, "") for column, words in {**cells, **bold}.items()])
        heading, *rows = [" & ".join(line) + r" \\" for line in lines]
        kinds = "".join("r" if pd.api.types.is_numeric_dtype(self.frame[column]) else "l" for column in columns)
        parts = [
            rf"\begin{{tabular}}{{{kinds}}}",
            r"\toprule",
            heading,
            r"\midrule",
            *rows,
            r"\bottomrule",
            r"\end{tabular}",
        ]
        return "\n".join(parts)


#: What LaTeX reads otherwise, or may not have among its letters.
_LATEX = {sign: f"\\{sign}" for sign in "&%$#_{}"} | {sign: f"${sign}$" for sign in "<>|"}
_LATEX |= {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "±": r"$\pm$",
    "∞": r"$\infty$",
}
_LATEX |= {"×": r"$\times$", "\N{NO-BREAK SPACE}": "~", "\N{EN DASH}": "--", "\N{MINUS SIGN}": "$-$"}


def _escaped(text: str) -> str:
    """Text for LaTeX; a negative number and a power of ten in its mathematics."""
    if re.fullmatch(r"-\d[\d.]*", text):
        return f"${text}$"
    words = "".join(_LATEX.get(sign, sign) for sign in text)
    return re.sub(r"(?<=\d)e[+]?(-?)0*(\d+)\b", r"$\\cdot10^{\1\2}$", words)


def frame(function: Callable[P, Rows]) -> Callable[P, pd.DataFrame]:
    """Decorate a function that yields rows: it gives the frame of them, with the sources that its arguments carry.

    Examples
    --------
    >>> @frame
    ... def squares(last):
    ...     for n in range(1, last + 1):
    ...         yield {"n": n, "square": n * n}
    >>> squares(3).square.tolist()
    [1, 4, 9]
    """

    @functools.wraps(function)
    def made(*args: P.args, **kwargs: P.kwargs) -> pd.DataFrame:
        rows = pd.DataFrame(list(function(*args, **kwargs)))
        rows.attrs["where"] = provenance_of(*args, *kwargs.values())
        return rows

    return made


def table(rows: Callable[P, pd.DataFrame], names: Mapping[str, str] | None = None, **look: Any) -> Callable[P, Table]:
    """A function with the arguments of ``rows`` that shows them.

    Parameters
    ----------
    rows : gives a frame; its sources, or else those of its arguments, are the table's
    names : of columns, by what they are called in the frame
    look : ``digits`` and ``formats`` of the :class:`Table`
    """

    @functools.wraps(rows)
    def shown(*args: P.args, **kwargs: P.kwargs) -> Table:
        found = rows(*args, **kwargs)
        where = provenance_of(found)
        where = where if where.sources else provenance_of(*args, *kwargs.values())
        return Table(found.rename(columns=names or {}), where=where, **look)

    return shown
