"""Numbers in prose: sentences filled from results, and the key numbers that a re-run is compared with."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import pandas as pd

from companion.report.tables import significant
from companion.report.where import Where


class Sentence:
    """Markdown made from a template and results; displays as Markdown in a notebook, with where it comes from below."""

    def __init__(self, markdown: str, where: Where | None = None) -> None:
        self.markdown = markdown
        self.where = where or Where()

    def _repr_markdown_(self) -> str:
        # The blank line ends a list or paragraph, so that what follows is a block of its own.
        return "\n\n".join(part for part in (self.markdown, self.where.html()) if part)

    def __repr__(self) -> str:
        return "\n".join(part for part in (self.markdown, self.where.text()) if part)


def say(template: str, digits: int = 3, where: Where | None = None, **values: Any) -> Sentence:
    """A sentence with its numbers inserted from results.

    Parameters
    ----------
    template : Markdown with ``{name}`` where a value goes; a format such as ``{name:.1%}`` is honoured
    digits : significant digits of values without a format
    where : sources of the values, see :func:`companion.report.where.where_of`
    values : the results, by name
    """
    return Sentence(template.format(**{k: _Shown(v, digits) for k, v in values.items()}), where)


class _Shown:
    """A value that formats itself with significant digits unless the template asks for something else."""

    def __init__(self, value: Any, digits: int) -> None:
        self._value, self._digits = value, digits

    def __format__(self, spec: str) -> str:
        return format(self._value, spec) if spec else significant(self._value, self._digits)


def key_numbers(values: Mapping[str, Any], where: Where | None = None) -> None:
    """Print ``name = value`` lines at four significant digits; the notebook check compares them on every re-run.

    Parameters
    ----------
    values : the numbers, by name
    where : their sources, printed below them
    """
    width = max(len(name) for name in values)
    for name, value in values.items():
        print(f"{name:<{width}} = {significant(value, 4)}")  # noqa: T201 - printing is this function's purpose
    for source in (where or Where()).sources:
        print(f"from {source.text()}")  # noqa: T201


def cells(rows: pd.DataFrame, label: str, columns: Iterable[str] | Mapping[str, str]) -> dict[str, Any]:
    """Cells of a table as key numbers, row by row.

    Parameters
    ----------
    rows : the table
    label : what a cell is called: columns of its row in braces, ``{}`` for its own column, as ``noise {noise:g}: {}``
    columns : those that are shown, or the words that name them in labels, by column
    """
    words = columns if isinstance(columns, Mapping) else {column: column for column in columns}
    listed = rows.to_dict("records")
    return {label.format(word, **row): row[column] for row in listed for column, word in words.items()}
