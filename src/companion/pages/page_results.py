"""Keeps what a page shows, with all digits: every table, and the numbers of every figure, as files that programs read.

A run of a chapter asks for it: the kernel then calls :func:`gather` before the first cell. What is shown stays the same.
"""

from __future__ import annotations

import html
import itertools
import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from companion.core.templates import significant
from companion.pages.figures import Figure
from companion.pages.provenance import Provenance
from companion.pages.tables import Table

#: Environment variable that names the folder.
FOLDER = "COMPANION_SHOWN"
#: File with one JSON object a line, for each table and the numbers of each figure, in the order in which they were shown.
LISTED = "shown.jsonl"


def gather(folder: Path, shell: Any) -> None:
    """From now on keep in ``folder`` what is shown in this process.

    Parameters
    ----------
    folder : exists
    shell : the kernel's IPython shell, whose display and cells are watched
    """
    cells = itertools.count()
    cell = next(cells)

    def begins(*_: Any) -> None:
        # Counted here: whether the shell's own counter goes up before or after a cell differs between versions.
        nonlocal cell
        cell = next(cells)

    def shown(table: Table) -> str:
        made = table._repr_html_()
        name = f"{_kept(folder):03d}.csv"
        table.frame.to_csv(folder / name, index=False, lineterminator="\n")
        columns = [{"name": str(column), "type": _kind(table.frame[column])} for column in table.frame.columns]
        about = {"caption": _plain(table.caption), "rows": len(table.frame), "columns": columns}
        _note(folder, {"kind": "table", "cell": cell, "file": name, **about, **_from(table.where)})
        return made

    def drawn(figure: Figure) -> str:
        rows = [row for name, values in figure.listed().items() for row in _rows(name, values)]
        _note(folder, {"kind": "numbers", "cell": cell, "rows": rows, **_from(figure.where)})
        return figure._repr_html_()

    shell.events.register("pre_run_cell", begins)
    shell.display_formatter.formatters["text/html"].for_type(Table, shown)
    shell.display_formatter.formatters["text/html"].for_type(Figure, drawn)


def _kept(folder: Path) -> int:
    return sum(1 for _ in folder.glob("*.csv")) + 1


def _note(folder: Path, entry: Mapping[str, Any]) -> None:
    with (folder / LISTED).open("a", encoding="utf-8") as file:
        file.write(json.dumps(entry) + "\n")


def _from(where: Provenance) -> dict[str, list[str]]:
    return {"from": [source.text() for source in where.sources]}


def _kind(column: Any) -> str:
    """``number``, ``boolean`` or ``text``."""
    kind = column.dtype.kind
    return "boolean" if kind == "b" else "number" if kind in "iuf" else "text"


def _rows(name: str, values: list[Any]) -> list[dict[str, Any]]:
    """Numbers with all digits; where there are several of one name, each with its place among them."""
    names = [name] if len(values) == 1 else [f"{name}, {k} of {len(values)}" for k in range(1, len(values) + 1)]
    return [
        {"name": label, "value": value, "shown": significant(value, 4)}
        for label, value in zip(names, values, strict=True)
    ]


def _plain(markup: str) -> str:
    return html.unescape(re.sub(r"<[^>]+>", "", markup))
