"""Tables as people have them, as numbers: any usual encoding, separator and decimal mark, or a data frame.

What has two readings, or none, is refused with line and column: a slip of the reader would become a coordinate. The rules:

* Text is UTF-8, UTF-16 with its mark, or else Windows-1252. Commas, semicolons, tabs or blanks separate, as heading and rows
  agree best, or as a first line ``sep=;`` says. Blank lines are left out, and those that begin with ``#``, but the last one
  above the numbers is their heading where it fits.
* A first line without a number is the heading; no row may be wider or narrower. A heading of numbers is a row like others,
  unless it alone is in integers, and they increase: then ``heading`` has to say what it is.
* A decimal comma is read where the table has no decimal point. Thousands may be apart by the other mark, an apostrophe or a
  narrow blank. Where ``1,234`` could be two numbers it is refused; ``1.234`` has a decimal point, if nothing speaks against it.
* First columns without a name, or called ``index``, that count the rows are left out. The next one names the rows if it is
  called ``id`` or ``name``, or is of words that all differ. Any other column of words is refused.
"""

from __future__ import annotations

import csv
import io
import math
import os
import re
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from companion.core.arrays import Floats
from companion.core.errors import ParameterError, floats_of, nearest

#: First bytes of what is no table of text.
_NO_TEXT = {
    b"PK\x03\x04": "a workbook (xlsx, ods) or another zip archive",
    b"\xd0\xcf\x11\xe0": "an old workbook (xls)",
    b"%PDF": "a PDF",
    b"\x89PNG": "an image",
    b"\xff\xd8\xff": "an image",
    b"PAR1": "a Parquet file",
    b"<": "a page of HTML or XML",
}
#: Characters from whose rows the separator is found.
_SAMPLE = 1 << 16
_MINUS = str.maketrans("−﹣－–", "----")
_UNNAMED = re.compile(r"(Unnamed: \d+(\.\d+)*)?")
_INDEX = re.compile(rf"{_UNNAMED.pattern}|index|level_0", re.IGNORECASE)
_THOUSANDS = re.compile(r"[-+−–]?[1-9]\d{0,2}( \d{3})+([.,]\d*)?(e[-+]?\d+)?", re.IGNORECASE)
_INTEGER = re.compile(r"[-+]?\d+")
_LACKING = re.compile(r"[-+]?(nan|n/?a|null|none|inf|infinity|missing)", re.IGNORECASE)
#: How a cell begins that is a point with a slip rather than a name.
_POINT_LIKE = re.compile(rf"[\W_]*(\d|$)|#|(?:{_LACKING.pattern})$", re.IGNORECASE)
#: What is wrong with a cell, by the first pattern that fits, and what is expected.
_FAULTS = (
    (r"", "is empty", "a number in every cell"),
    (r".*\0.*", "has a NUL byte", "text, as UTF-8 or UTF-16 with its mark"),
    (r"#.*", "is an error of a spreadsheet", "a number"),
    (r".*[%‰]", "has a percent sign", "the number alone, as 0.05 for 5%"),
    (r"\d{1,4}([-/.])\d{1,2}\1\d{1,4}(\D.*)?", "is a date", "a number, as days since the first"),
    (r"\d+:\d+.*", "is a time", "a number, as hours"),
    (r"\(?[-+\d.e]*\d[ij]\)?", "is a complex number", "real numbers"),
    (r"[-+]?[\d.,]+ +[\d.,]+", "has a blank between digits", "a number without"),
    (r"[-+]?[\d.,]+(e[-+]?\d+)? *[^\d_+.,-].*|[$€£¥].*", "has a unit", "the number alone, the unit in the heading"),
)


def _number(decimal: str, other: str) -> re.Pattern[str]:
    whole = rf"(?:\d+|[1-9]\d{{0,2}}(?P<mark>[{other}'’\u00a0\u2009\u202f])\d{{3}}(?:(?P=mark)\d{{3}})*)"
    return re.compile(rf"[-+]?(?:{whole}(?:{decimal}\d*)?|{decimal}\d+)(?:e[-+]?\d+)?", re.IGNORECASE)


_NUMBER = {".": _number(r"\.", ","), ",": _number(",", r"\.")}

Rows = list[tuple[int, list[str]]]


@dataclass(frozen=True, eq=False)
class Table:
    """Numbers of a table with what names them; NumPy takes it as the array of its numbers.

    Parameters
    ----------
    numbers : (N, d), float64
    coordinates : names of the d columns; ``None`` where there is no heading
    names : of the N rows; ``None`` where nothing names them
    lines : (N,) where each row ends in its file; empty for other sources
    notes : what was left out, or names the rows, in words
    """

    numbers: Floats
    coordinates: tuple[str, ...] | None = None
    names: tuple[str, ...] | None = None
    lines: tuple[int, ...] = ()
    notes: tuple[str, ...] = ()

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        return np.array(self.numbers, dtype=dtype) if copy else np.asarray(self.numbers, dtype=dtype)

    @property
    def told(self) -> str:
        """The coordinates by name and the notes, as a line of an answer; empty where there is neither."""
        named = [f"coordinates: {', '.join(self.coordinates)}"] if self.coordinates else []
        return "; ".join([*named, *self.notes])


def read_table(
    source: Any, name: str = "candidates", columns: Sequence[str] | None = None, *, heading: bool | None = None
) -> Table:
    """The numbers of a table, by the rules of :mod:`companion.core.tables`.

    Parameters
    ----------
    source : path of a CSV file or an ``.npy`` array; bytes of a CSV file; a data frame; an array, of any shape
    name : of the argument, for messages
    columns : names of the columns to take, in this order; the others may hold anything. By default all
    heading : of a file, whether the first line that is no comment names the columns; by default the rules say

    Raises
    ------
    ParameterError
        for what cannot be read, with file, line and column

    Examples
    --------
    >>> from companion.core.tables import read_table
    >>> table = read_table(b"alloy;heat;time\\nA;300;1,5\\nB;310;2,25\\n")
    >>> table.numbers.tolist(), table.coordinates, table.names
    ([[300.0, 1.5], [310.0, 2.25]], ('heat', 'time'), ('A', 'B'))
    >>> table.told
    'coordinates: heat, time; alloy names the rows'
    """
    columns = [columns] if isinstance(columns, str) else columns
    if isinstance(source, Table) and columns is None:
        return source
    if hasattr(source, "columns"):
        return _of_frame(source, name, columns)
    if not isinstance(source, str | Path | bytes):
        if columns is not None:
            places_of(columns, [])  # which refuses them
        return Table(floats_of(name, source))
    where = "the table" if isinstance(source, bytes) else str(source)
    if not isinstance(source, bytes) and not os.path.isfile(source):
        kind = "is a folder" if os.path.isdir(source) else "is not a file"
        raise ParameterError(name, f"{where} {kind}", "a CSV file of numbers, one row a point")
    try:
        content = source if isinstance(source, bytes) else Path(source).read_bytes()
        array = np.lib.format.read_array(io.BytesIO(content), allow_pickle=False) if where.endswith(".npy") else None
    except (OSError, ValueError) as error:
        raise ParameterError(name, f"{where} cannot be read ({getattr(error, 'strerror', None) or error})") from None
    if array is not None:
        return read_table(array, name, columns)
    return _of_rows(_uncommented(rows_of(content, name, where), heading is None), name, where, columns, heading)


def places_of(columns: Sequence[str], heading: Sequence[str]) -> list[int]:
    """Positions of the named columns; ParameterError for a repeated one, and, with the nearest name, for an unknown one."""
    for column in columns:
        if list(heading).count(column) > 1:
            raise ParameterError("columns", f"{column!r} is the name of two", "one column of a name")
        if column not in heading:
            known = f"some of {', '.join(heading)}" if heading else "a file whose first line names its columns"
            raise ParameterError("columns", f"got {column!r}", known, nearest(column, heading))
    if not columns:
        raise ParameterError("columns", "are none", "at least one name")
    return [list(heading).index(column) for column in columns]


# -- rows of text ------------------------------------------------------------------------------------------------------


def rows_of(content: bytes, name: str, where: str) -> Rows:
    """Rows of a CSV file, blank ones left out, with the line that each ends on; cells without blanks around them.

    Raises
    ------
    ParameterError
        with ``name`` and ``where``, for what is no text, and for what no separator makes cells of
    """
    marked = content.startswith((b"\xff\xfe", b"\xfe\xff"))
    kind = next((kind for start, kind in _NO_TEXT.items() if content.startswith(start)), "")
    kind = "UTF-16 without its mark" if 0 in content[:2] else kind
    texts = [content.decode(code, "replace") for code in (("utf-16",) if marked else ("utf-8-sig", "cp1252"))]
    text = next((text for text in texts if "\ufffd" not in text), None)
    if kind or text is None:
        raise ParameterError(name, f"{where} is {kind or 'no text'}", "CSV in UTF-8", "Save the table as that")
    try:
        if said := re.match(r'"?sep=([^\w\s"]|\t)"?[,;]*(\r\n?|\n|$)', text, re.IGNORECASE):
            return [(line + 1, row) for line, row in _split(text[said.end() :], said[1])]
        begin = text if len(text) <= _SAMPLE else text[: text.rfind("\n", 0, _SAMPLE) + 1] or text
        found_rows = {mark: _uncommented(_split(begin, mark)) for mark in (";", "\t", ",", " ") if mark in begin}
        scores = {mark: score for mark, rows in found_rows.items() if (score := _score(rows, mark))}
        return _split(text, max(scores, key=scores.__getitem__, default=","))
    except csv.Error as error:
        raise ParameterError(name, f"{where} cannot be read ({error})", "CSV") from None


def _split(text: str, mark: str) -> Rows:
    if mark == " ":  # np.savetxt's; the reader of CSV takes every blank for a cell
        lines = enumerate(re.split(r"\r\n?|\n", text), start=1)
        return [(line, re.findall(r"[^ ]+", re.sub(r"^ *# *", "#", row))) for line, row in lines if row.strip()]
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=mark, skipinitialspace=True)
    return [(reader.line_num, [cell.strip() for cell in row]) for row in reader if row]


def _score(rows: Rows, mark: str) -> tuple[bool, float] | None:
    """How well a separator fits: whether rows are as wide as the first, the share of numbers."""
    widths = [_filled(row) for _, row in rows] or [0]
    cells = [cell for _, row in rows[1:] or rows for cell in row if cell]
    share = sum(map(_is_number, cells)) / max(len(cells), 1)
    thousands = all(_THOUSANDS.fullmatch(" ".join(row)) for _, row in rows[1:] or rows)
    if mark == " " and (thousands or min(widths) < max(widths) or share < 1):
        return None  # one cell with blanks
    # Where it stands at the ends of lines only, commas may be what separates.
    useful = max(widths) > 1 or (any(len(row) > 1 for _, row in rows) and "," not in rows[0][1][0])
    return (max(widths[1:], default=widths[0]) == widths[0], share) if useful else None


def _filled(row: Sequence[str]) -> int:
    """Length of a row without empty cells at its end."""
    return len(row) if row and row[-1] else max((place for place, cell in enumerate(row, start=1) if cell), default=0)


def _is_number(cell: str) -> bool:
    return any(_value(cell, decimal) is not None for decimal in _NUMBER)


def _value(cell: str, decimal: str) -> float | None:
    """The finite number that a cell is with this decimal mark."""
    found = _NUMBER[decimal].fullmatch(cell.translate(_MINUS))
    value = float(found[0].replace(found["mark"] or "_", "").replace(decimal, ".")) if found else math.nan
    return value if math.isfinite(value) else None


def _uncommented(rows: Rows, named: bool = True) -> Rows:
    """Rows without comments; the last of these above the numbers is in the place of a heading that is missing, if it fits."""
    kept: Rows = []
    above: Rows = []
    for line, row in rows:
        # An error such as #DIV/0! in the first cell makes no comment of a row.
        error = re.fullmatch(r"#[^\W\d]\S*", row[0]) and (kept or row[0][-1] in "!?" or any(map(_is_number, row[1:])))
        if not row[0].startswith("#") or error:
            kept.append((line, row))
        elif not kept:
            above.append((line, [row[0].lstrip("# "), *row[1:]]))
    if any(_filled(row) > 1 for _, row in kept):  # in one column "" is how pandas writes a missing number
        kept = [(line, row) for line, row in kept if any(row)]
    fits = [one for one in above if len(one[1]) == len(kept[0][1]) and not any(map(_is_number, one[1]))] if kept else []
    return [*fits[-1:], *kept] if named and kept and any(map(_is_number, kept[0][1])) else kept


# -- which rows and columns --------------------------------------------------------------------------------------------


def _of_rows(rows: Rows, name: str, where: str, wanted: Sequence[str] | None, heading: bool | None) -> Table:
    heading = bool(rows) and any(rows[0][1]) and (_begins_with_names(rows, name, where) if heading is None else heading)
    names = [" ".join(cell.split()) for cell in rows[0][1][: _filled(rows[0][1])]] if heading else None
    if not (rows := rows[heading:]):
        raise ParameterError(name, f"{where} has no numbers", "one row a point")
    width = max(1, _filled(rows[0][1])) if names is None else len(names)
    for line, row in rows:
        cells = max(_filled(row), min(len(row), width))
        commas = cells > 1 and all(_INTEGER.fullmatch(cell) for cell in row if cell)
        if cells != width or (names is None and commas and any(re.fullmatch(r"0\d+", cell) for cell in row)):
            problem = f"{where}, line {line} has {cells} cells"
            problem += f", and the {'heading' if heading else 'first row'} {width}" if cells != width else ""
            problem += f": decimal commas, as in '{row[0]},{row[1]}'?" if commas else ""
            remedy = "Write decimal points, put numbers in quotes, or separate cells by semicolons" if commas else ""
            raise ParameterError(name, problem, "as many in every row", remedy)
    columns = list(zip(*(row[:width] for _, row in rows), strict=True))
    lines = tuple(line for line, _ in rows)
    return _of_columns(names, columns, name, where, wanted, [f"line {line}" for line in lines], lines)


def _begins_with_names(rows: Rows, name: str, where: str) -> bool:
    """Whether the first row names the columns; refused where it may as well be a point."""
    line, row = rows[0]
    rest = [cells for _, cells in rows[1:]]
    numbers = sum(_is_number(cell) or cell.lower() in ("nan", "inf") for cell in row)
    if not row[0] and numbers == len(row) - 1 and rest and _counts([cells[0] for cells in rest]):
        return True  # the numbers that pandas gives to columns, above those that it gives to rows
    doubtful = not numbers and all(_POINT_LIKE.match(cell) for cell in row if cell)
    if numbers > 1 and rest and all(map(_INTEGER.fullmatch, row)):
        increasing = all(int(one) < int(other) for one, other in pairwise(row))
        doubtful = increasing and not any(_INTEGER.fullmatch(cell) for cells in rest for cell in cells)
    if doubtful:
        problem = f"{where}, line {line} may name the columns or be a point: {', '.join(row)!r}"
        raise ParameterError(name, problem, "names with a letter first, or 1.0 for 1", "Or say heading=True or False")
    return not numbers


def _counts(column: Sequence[Any]) -> bool:
    """Whether a column is 0, 1, 2, ... or 1, 2, 3, ..."""
    with suppress(TypeError, ValueError):
        numbers = np.asarray(column, dtype=np.float64)
        return numbers[0] in (0, 1) and np.array_equal(numbers, numbers[0] + np.arange(len(numbers)))
    return False


def _names_rows(column: Sequence[Any]) -> bool:
    """Whether cells are two or more different words; what is missing is none."""
    words = {cell for cell in column if isinstance(cell, str) and cell[:1].isalpha() and "\n" not in cell}
    return len(words) == len(column) > 1 and not any(map(_LACKING.fullmatch, words))


def _of_columns(
    heading: Sequence[str] | None,
    columns: Sequence[Sequence[Any]],
    name: str,
    where: str,
    wanted: Sequence[str] | None,
    rows: Sequence[str],
    lines: tuple[int, ...] = (),
) -> Table:
    """The numbers of the columns wanted, without those that count or name the rows."""
    first, last, known = 0, len(columns) - 1, heading or []
    while first < min(last, len(known)) and _INDEX.fullmatch(known[first]) and _counts(columns[first]):
        first += 1
    named = first < min(last, len(known))
    named = named and (known[first].lower() in ("id", "name") or _names_rows(columns[first]))
    places = list(range(first + named, last + 1)) if wanted is None else places_of(wanted, known)
    named = named and first not in places
    for place in places if heading is not None and wanted is None else ():
        if _UNNAMED.fullmatch(known[place]):
            problem = f"{where}, column {place + 1} has no name, and does not count the rows"
            raise ParameterError(name, problem, "a name", "Or take the others by columns")
        if list(known).count(known[place]) > 1:
            raise ParameterError(name, f"{where} has the column {known[place]!r} twice", "one column of a name")

    def at(row: int, place: int) -> str:
        called = repr(known[places[place]]) if known else places[place] + 1
        return f"{where}, {rows[row]}, column {called}"

    coordinates = None if heading is None else tuple(known[place] for place in places)
    names = tuple(" ".join(str(cell).split()) for cell in columns[first]) if named else None
    notes = ["row numbers are left out"] if first and wanted is None else []
    notes += [f"{known[first] or 'the first column'} names the rows"] if named else []
    return Table(_numbers([columns[place] for place in places], name, at), coordinates, names, lines, tuple(notes))


def _of_frame(frame: Any, name: str, wanted: Sequence[str] | None) -> Table:
    labels = list(getattr(frame, "column_names", frame.columns))  # pyarrow's columns are arrays
    series = [frame.iloc[:, k] if hasattr(frame, "iloc") else frame[label] for k, label in enumerate(labels)]
    columns: list[Any] = [np.asarray(one) for one in series]
    if not labels or not len(columns[0]):
        raise ParameterError(name, "have no numbers", "one row a point")
    for k, (column, one) in enumerate(zip(columns, series, strict=True)):
        if str(getattr(one, "dtype", "")).lower().startswith(("categor", "enum")):
            columns[k] = [cell if isinstance(cell, str) else f"({cell}, a category)" for cell in column]
        elif column.dtype.kind in "cMm":  # which NumPy makes other numbers of
            columns[k] = column.astype(str).astype(object)
    heading = None if labels == list(range(len(labels))) else [str(label) for label in labels]
    index = list(getattr(frame, "index", range(len(columns[0]))))
    table = _of_columns(heading, columns, name, "the frame", wanted, [f"row {label!r}" for label in index])
    if table.names is None and index != list(range(len(index))):
        return replace(table, names=tuple(map(str, index)))
    return table


# -- numbers -----------------------------------------------------------------------------------------------------------


def _numbers(columns: Sequence[Sequence[Any]], name: str, at: Callable[[int, int], str]) -> Floats:
    """Columns of text or numbers as (N, d), with the decimal mark that all cells allow."""
    with suppress(TypeError, ValueError):  # plain numbers need no second look, and are most
        plain = np.array([list(map(float, column)) for column in columns]).T
        if np.isfinite(plain).all() and not any("_" in str(cell) for column in columns for cell in column):
            return np.ascontiguousarray(plain)
    size, cells = len(columns), [str(cell) for row in zip(*columns, strict=True) for cell in row]
    read = {mark: [_value(cell, mark) for cell in cells] for mark in _NUMBER}
    lost = {mark: values.index(None) if None in values else None for mark, values in read.items()}
    for place, both in enumerate(zip(*read.values(), strict=True)):
        if both == (None, None):
            raise _refused(cells[place], cells[place % size :: size], name, at(*divmod(place, size)))
        if set(lost.values()) == {None} and both[0] != both[1] and "," in cells[place]:
            problem = f"{at(*divmod(place, size))}: {cells[place]!r} is {both[0]:.15g} or {both[1]:.15g}"
            raise ParameterError(name, problem, "a number without a mark of thousands, or with a decimal point")
    if (point := lost["."]) is not None and (comma := lost[","]) is not None:
        problem = f"{at(*divmod(point, size))}: {cells[point]!r} has a decimal comma, and {cells[comma]!r} a point"
        raise ParameterError(name, problem, "one decimal mark in a table")
    return np.array(read["." if lost["."] is None else ","], dtype=np.float64).reshape(-1, size)


def _refused(cell: str, column: Sequence[str], name: str, place: str) -> ParameterError:
    """What is wrong with a cell, or with all its column."""
    shown = repr(cell if len(cell) <= 40 else f"{cell[:37]}...")
    with suppress(ValueError):
        float(cell)  # and yet no finite number
        return ParameterError(name, f"{place}: {shown} is no finite number", "a finite number")
    for pattern, problem, expected in _FAULTS if not _LACKING.fullmatch(cell) else ():
        if re.fullmatch(pattern, cell.translate(_MINUS), re.IGNORECASE | re.DOTALL):
            return ParameterError(name, f"{place}: {shown} {problem}", expected)
    if cell[:1].isalpha() and not any(map(_is_number, column)):
        remedy = "Encode it as numbers, or take the others by columns"
        return ParameterError(name, f"{place} has words, as {shown}", "numbers", remedy)
    return ParameterError(name, f"{place}: {shown} is no finite number", "a number")
