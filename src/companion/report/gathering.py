"""Keeps what a page shows, with all digits: every table, and every key number, as files that programs read.

A run of a chapter asks for it: the kernel then calls :func:`gather` before the first cell. What is shown stays the same.
"""

from __future__ import annotations

import functools
import html
import itertools
import json
import re
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from companion.report import text
from companion.report.tables import Table, significant
from companion.report.where import Where

#: Environment variable that names the folder.
FOLDER = "COMPANION_SHOWN"
#: File with one JSON object a line, for each table and each set of key numbers, in the order in which they were shown.
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

    def printed(
        values: Mapping[str, Any], where: Where | None = None, *, plainly: Callable[..., None] = text.key_numbers
    ) -> None:
        plainly(values, where)
        rows = [
            {"name": name, "value": _value(value), "shown": significant(value, 4)} for name, value in values.items()
        ]
        _note(folder, {"kind": "numbers", "cell": cell, "rows": rows, **_from(where or Where())})

    shell.events.register("pre_run_cell", begins)
    shell.display_formatter.formatters["text/html"].for_type(Table, shown)
    plainly = text.key_numbers
    keeps = functools.wraps(plainly)(functools.partial(printed, plainly=plainly))
    for module in [module for name, module in sys.modules.items() if name.startswith("companion.")]:
        if getattr(module, "key_numbers", None) is plainly:
            module.key_numbers = keeps  # type: ignore[attr-defined]


def _kept(folder: Path) -> int:
    return sum(1 for _ in folder.glob("*.csv")) + 1


def _note(folder: Path, entry: Mapping[str, Any]) -> None:
    with (folder / LISTED).open("a", encoding="utf-8") as file:
        file.write(json.dumps(entry) + "\n")


def _from(where: Where) -> dict[str, list[str]]:
    return {"from": [source.text() for source in where.sources]}


def _kind(column: Any) -> str:
    """``number``, ``boolean`` or ``text``."""
    kind = column.dtype.kind
    return "boolean" if kind == "b" else "number" if kind in "iuf" else "text"


def _value(value: Any) -> Any:
    """The number with all digits; text for what is none, and for what JSON lacks."""
    if isinstance(value, bool | str) or value is None:
        return value
    if hasattr(value, "__index__"):
        return int(value)
    return float(value) if hasattr(value, "__float__") else str(value)


def _plain(markup: str) -> str:
    return html.unescape(re.sub(r"<[^>]+>", "", markup))
