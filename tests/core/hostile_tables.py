"""A grammar of tables as people have them: bytes with the numbers that they stand for, or with the cell that is to blame."""

from __future__ import annotations

from dataclasses import dataclass

from hypothesis import assume
from hypothesis import strategies as st

#: What stands in cells that are to be numbers.
JUNK = (
    *(
        "",
        "NaN",
        "nan",
        "inf",
        "-Infinity",
        "NA",
        "#DIV/0!",
        "#N/A",
        "#WERT!",
        "12.03.2024",
        "2024-03-12",
        "3/12/24",
        "12:30",
    ),
    *(
        "1+2j",
        "(1+2j)",
        "5%",
        "5 %",
        "5 kg",
        "20 °C",
        "20°C",
        "$5",
        "5€",
        "abc",
        "O.5",
        "1.2.3",
        "1,2,3",
        "\0",
        "0.5\0",
        "1e999",
    ),
    *("TRUE", "--5", "1_000", "0x1F", "½", "=1+1", "1 2", "1e", "e5", ".", ",", "-", "None", "null", "'5", "5-", "(5)"),
)
WORDS = ("steel", "brass", "zinc 4", "Messing", "x-9", "copper")


@dataclass(frozen=True)
class Hostile:
    """A table: its bytes, what is right, and what may be said instead.

    Parameters
    ----------
    content, heading : arguments of the reader
    numbers, coordinates, names : what is right; no numbers where the table has none
    blame : line and column of a cell that is no number, as a message names them
    readable : whether a refusal would be a fault
    """

    content: bytes
    heading: bool | None
    numbers: list[list[float]] | None
    coordinates: tuple[str, ...] | None
    names: tuple[str, ...] | None
    blame: tuple[str, str] | None
    readable: bool


@st.composite
def _cells(draw: st.DrawFn, decimal: str, mark: str, minus: str) -> tuple[str, float]:
    """A number as text and as float."""
    whole = draw(st.one_of(st.just(0), st.integers(0, 99), st.integers(1000, 9_999_999)))
    part = draw(st.sampled_from(["", "", "5", "25", "125", "0204", "1666667"]))
    sign, power = draw(st.sampled_from(["", "", minus])), draw(st.sampled_from(["", "", "", "e3", "E-02"]))
    text = f"{whole:,}".replace(",", mark)
    return f"{sign}{text}{decimal if part else ''}{part}{power}", float(f"{sign and '-'}{whole}.{part or 0}{power}")


@st.composite
def hostile_tables(draw: st.DrawFn) -> Hostile:
    """Encoding x separator x decimal mark x thousands x first columns x heading x ends of rows x one fault."""

    def one(*values):  # type: ignore[no-untyped-def]
        return draw(st.sampled_from(values))

    size, dim = draw(st.integers(1, 6)), draw(st.integers(1, 3))
    encoding = one("utf-8", "utf-8-sig", "utf-16", "utf-16-be", "cp1252")
    separator, decimal = one(",", ";", "\t"), one(".", ",")
    western = encoding == "cp1252"
    mark = one("", "", {".": ",", ",": "."}[decimal], "'", "’", "\u00a0", *(() if western else ("\u202f",)), " ")
    minus = one("-", "-", "–" if western else "−")
    heading = one("words", "words", "words", "comment", "numbers", "none")
    first = (
        one("", "", "count 0", "count 1", "Unnamed: 0", "twice", "holes", "id", "words", "repeated")
        if heading == "words"
        else ""
    )
    fault = one("", "", "", "junk", "wide", "narrow", "category")
    ends = one("", "", separator, separator * 2)
    quoted = one(True, False) or heading == "none" or fault != ""
    cells = [[draw(_cells(decimal, mark, minus)) for _ in range(dim)] for _ in range(size)]
    texts = [[text for text, _ in row] for row in cells]
    flat = [text for row in texts for text in row]

    # Where no cell has a decimal comma, points between thousands make another table of the same bytes.
    if decimal == "," and mark == "." and not any("," in text or text.count(".") > 1 for text in flat):
        texts = [[f"{value:.1f}".replace(".", ",") for _, value in row] for row in cells]
        cells = [[(text, float(text.replace(",", "."))) for text in row] for row in texts]
        flat = [text for row in texts for text in row]
    three = any(
        text.lstrip("-−–").split(",")[0] not in ("0", "") and "," in text and text.count(".") == 0 for text in flat
    )
    names: list[str] | None = None
    columns = [f"{word} {k}" for k, word in enumerate(("heat", "Zeit ü", "1/T")[:dim], 1)]
    if heading == "numbers":
        columns = [str(400 + 10 * k) for k in range(dim)]
    before: list[list[str]] = [[] for _ in range(size)]
    top: list[str] = []
    if first in ("count 0", "count 1", "Unnamed: 0", "twice"):
        top = ["", "Unnamed: 0"] if first == "twice" else [first if first == "Unnamed: 0" else ""]
        before = [[str(k + (first == "count 1"))] * len(top) for k in range(size)]
    elif first == "holes":
        top, before = [""], [[str(3 * k + 7)] for k in range(size)]
    elif first in ("id", "words", "repeated"):
        top = ["ID" if first == "id" else "alloy"]
        before = [
            [str(1000 + k) if first == "id" else "brass" if first == "repeated" else WORDS[k]] for k in range(size)
        ]
        names = [row[0] for row in before]
    after: list[list[str]] = [[] for _ in range(size)]
    if fault == "category":
        columns, after = [*columns, "cat"], [["left"] for _ in range(size)]
    if fault == "junk":
        row, place = draw(st.integers(0, size - 1)), draw(st.integers(0, dim - 1))
        wrong = one(*[cell for cell in JUNK if not western or "\0" not in cell])
        # Which would be a heading; where it is empty, the name of a column that counts, or a separator at the end.
        if not (heading in ("none", "comment") and row == 0 and (dim == 1 or not wrong)):
            texts[row][place] = wrong
        else:
            fault = ""
    if fault in ("wide", "narrow"):
        row = draw(st.integers(0, size - 1))
        width = len(before[row]) + dim
        if fault == "narrow" and width > 1 and (heading in ("words", "numbers") or size > 1):
            texts[row] = texts[row][:-1]
        elif fault == "wide" and (heading in ("words", "numbers") or size > 1):
            after[row] = ["7"]
        else:
            fault = ""

    alone = not top and dim == 1 and not ends and fault != "category"
    plain = quoted or not any("," in text for text in flat) or not (separator == "," or alone)
    readable = plain and not three and not any(" " in text for text in flat)

    def joined(row: list[str]) -> str:
        marks = [separator] if not quoted else [separator, ","]
        shown = [
            f'"{cell}"'
            if (any(m in cell for m in marks) or (cell == "" and width_one))
            and not (not quoted and separator == "," and cell in flat)
            else cell
            for cell in row
        ]
        return separator.join(f"{blank}{cell}" if cell[:1] != '"' else cell for cell in shown)

    width_one = len(top) + len(columns) == 1
    blank = one("", "", " ")
    lines, rows_at = [], []
    if one(False, False, False, True):
        lines.append(f"sep={separator}")
    notes = heading in ("words", "numbers")  # a comment may be taken for the heading that others lack
    if notes and not lines and one(False, False, True):
        lines.append("# made by hand, on 3 May; see notes")
    if heading != "none":
        lines.append(("# " if heading == "comment" else "") + joined([*top, *columns]) + ends)
    for k in range(size):
        if one(False, False, False, True):
            lines.append(one("", "# a note" if notes else ""))
        lines.append(joined([*before[k], *texts[k], *after[k]]) + ends)
        rows_at.append(len(lines))
    newline = one("\n", "\r\n", "\r")
    text = newline.join(lines) + one("", newline, newline * 2)
    content = text.encode("utf-16-be" if encoding == "utf-16-be" else encoding)
    content = b"\xfe\xff" + content if encoding == "utf-16-be" else content

    blame = None
    if fault == "junk" and (heading != "comment" or row):  # a comment is no heading above what is no number
        called = repr(columns[place]) if heading != "none" else str(place + 1)
        blame = (f"line {rows_at[row]}", f"column {called}")
    wrong_first = first == "holes" or (first in ("words", "repeated") and (size == 1 or first == "repeated"))
    # Where nothing but a comment says how many columns there are, these bytes are another table as well.
    assume(plain or heading != "comment")
    unread = bool(fault) or wrong_first
    odd_heading = heading == "none" or (heading == "comment" and size > 0)
    return Hostile(
        content,
        True if heading == "numbers" else None,
        None if unread else [[value for _, value in row] for row in cells],
        None if heading == "none" else tuple(columns),
        None if names is None else tuple(names),
        blame if not wrong_first and plain and not any(" " in text for text in flat) else None,
        readable and not unread and not odd_heading,
    )
