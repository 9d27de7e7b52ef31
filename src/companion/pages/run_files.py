"""Files of a run beside its notebook: tables, numbers of figures, and descriptions of the columns."""

from __future__ import annotations

import csv
import hashlib
import io
import json
import re
import shutil
import uuid
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from nbformat import NotebookNode

from companion.core.files import finite, strict_json, write_atomic
from companion.pages.page_results import LISTED

_HEADING = re.compile(r"^#+ +(.+?)\s*$", flags=re.MULTILINE)
NUMBERS, DESCRIPTION = "key_numbers.csv", "tables.json"

#: Columns of :data:`NUMBERS`.
COLUMNS = {
    "section": "heading of the page below which the figure is shown",
    "name": "of the number, with what it is of",
    "value": "with all digits; empty where it is no number",
    "shown": "at four significant digits",
    "from": "command, profile, seeds and function that made it",
}


def write_shown(gathered: Path, notebook: NotebookNode, folder: Path, about: Mapping[str, Any]) -> list[Path]:
    """Put what :mod:`companion.pages.page_results` kept into ``folder``, in the place of what an earlier run left there.

    The folder is written under another name and then renamed, so that it is never there in part.

    Parameters
    ----------
    gathered : folder that the kernel wrote to
    notebook : executed; says under which heading a cell stands
    folder : to be made
    about : what else the description has: command, profile

    Returns
    -------
    the files, the tables in the order of the page, then the numbers of figures and the description
    """
    listed = gathered / LISTED
    lines = listed.read_text(encoding="utf-8").splitlines() if listed.is_file() else []
    entries, sections = [json.loads(line) for line in lines], _sections(notebook)
    tables = [entry for entry in entries if entry["kind"] == "table"]
    contents: dict[str, bytes] = {}
    described = []
    for number, entry in enumerate(tables, start=1):
        section = sections.get(entry["cell"], "")
        name = f"{number:02d}-{_slug(section)}.csv"
        contents[name] = (gathered / entry["file"]).read_bytes()
        facts = {key: entry[key] for key in ("caption", "rows", "columns", "from")}
        described.append({"file": name, "section": section, **facts})
    contents[NUMBERS] = _numbers([entry for entry in entries if entry["kind"] == "numbers"], sections)
    checksums = {name: hashlib.sha256(content).hexdigest() for name, content in contents.items()}
    description = {
        **about,
        "tables": described,
        "key_numbers": {"file": NUMBERS, "columns": COLUMNS},
        "sha256": checksums,
    }
    contents[DESCRIPTION] = (strict_json(description, indent=1) + "\n").encode()
    unfinished = folder.with_name(f".{folder.name}.{uuid.uuid4().hex}")
    try:
        for name, content in contents.items():
            write_atomic(unfinished / name, content)
        if folder.exists():
            shutil.rmtree(folder)
        unfinished.rename(folder)
    finally:
        shutil.rmtree(unfinished, ignore_errors=True)
    return [folder / name for name in contents]


def _sections(notebook: NotebookNode) -> dict[int, str]:
    """Heading above each executed cell, by its number."""
    found, heading = {}, ""
    for cell in notebook.cells:
        if cell.cell_type == "markdown":
            heading = (_HEADING.findall(cell.source) or [heading])[-1]
        elif cell.get("execution_count"):
            found[cell.execution_count] = heading
            for output in cell.outputs:  # a sentence may bring headings of its own
                heading = (_HEADING.findall(output.get("data", {}).get("text/markdown", "")) or [heading])[-1]
    return found


def _slug(heading: str) -> str:
    return re.sub(r"[^a-z0-9]+", "-", re.sub(r"['’]", "", heading.lower())).strip("-") or "table"


def _numbers(entries: list[dict[str, Any]], sections: Mapping[int, str]) -> bytes:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(COLUMNS)
    for entry in entries:
        for row in entry["rows"]:
            value = finite(row["value"])
            number = "" if value is None or isinstance(value, str) else value
            writer.writerow(
                [sections.get(entry["cell"], ""), row["name"], number, row["shown"], "; ".join(entry["from"])]
            )
    return text.getvalue().encode()
