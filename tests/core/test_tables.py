"""The one reader of tables: every fault by itself, its neighbours, and tables drawn from a grammar."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from core.hostile_tables import Hostile, hostile_tables
from generated import drawn
from hypothesis import given

from companion.core.errors import ParameterError
from companion.core.tables import Table, places_of, read_table, rows_of

COMMAS = "decimal commas, as in"

#: Bytes, the numbers, and where they matter the coordinates and the names of rows.
READ = {
    "UTF-8": (b"x,y\n0.25,1.5\n", [[0.25, 1.5]], "x y", None),
    "its mark": (b"\xef\xbb\xbfx,y\n0.25,1.5\n", [[0.25, 1.5]], "x y", None),
    "UTF-16, little end first": ("x,y\n0.25,1.5\n".encode("utf-16"), [[0.25, 1.5]], "x y", None),
    "UTF-16, big end first": (b"\xfe\xff" + "x,y\n0.25,1.5\n".encode("utf-16-be"), [[0.25, 1.5]], "x y", None),
    "Windows-1252": ("°C,y\n0.25,1.5\n".encode("cp1252"), [[0.25, 1.5]], "°C y", None),
    "semicolons": (b"x;y\n0.25;1.5\n", [[0.25, 1.5]], "x y", None),
    "tabs": (b"x\ty\n0.25\t1.5\n", [[0.25, 1.5]], "x y", None),
    "blanks": (b"0.25  1.5\n 3 4\n", [[0.25, 1.5], [3, 4]], None, None),
    "blanks, of one row": (b"0.25 100.5\n", [[0.25, 100.5]], None, None),
    "sep=": (b"sep=;\r\nx;y\r\n0,25;1\r\n", [[0.25, 1]], "x y", None),
    "sep= of another mark": (b"sep=|\nx|y\n0,25|1\n", [[0.25, 1]], "x y", None),
    "decimal commas with semicolons": (b"x;y\n0,25;1,5\n", [[0.25, 1.5]], "x y", None),
    "decimal commas with tabs": (b"x\ty\n0,25\t1,5\n", [[0.25, 1.5]], "x y", None),
    "decimal commas in quotes": (b'x,y\n"1,92","2,5"\n', [[1.92, 2.5]], "x y", None),
    "decimal commas with blanks": (b"x y\n0,25 1,5\n", [[0.25, 1.5]], "x y", None),
    "a comma and semicolons in the heading": (b"temp, C;y\n0,25;1\n", [[0.25, 1]], None, None),
    "thousands, English": (b'x,y\n"1,234.5",2\n', [[1234.5, 2]], "x y", None),
    "thousands, German": (b"x;y\n1.234,5;2\n", [[1234.5, 2]], "x y", None),
    "thousands, Swiss": ("x;y\n1'234.5;12’345\n".encode(), [[1234.5, 12345]], "x y", None),
    "thousands, French": ("x;y\n1\u202f234,5;12\u00a0345\n".encode(), [[1234.5, 12345]], "x y", None),
    "thousands that another cell decides": (b"x;y\n1,234;0,5\n", [[1.234, 0.5]], "x y", None),
    "millions that decide": (b"x;y\n1.234;1.234.567\n", [[1234, 1234567]], "x y", None),
    "a zero before three digits": (b"x;y\n0,123;2\n", [[0.123, 2]], "x y", None),
    "a point before three digits": (b"x;y\n1.234;5\n", [[1.234, 5]], "x y", None),
    "Unicode's minus": ("x,y\n−0.25,–1\n".encode(), [[-0.25, -1]], "x y", None),
    "exponents": (b"x,y\n1e-3,-2.5E+02\n", [[1e-3, -250]], "x y", None),
    "row numbers": (b",x\n0,0.25\n1,0.5\n", [[0.25], [0.5]], "x", None),
    "row numbers from 1": (b'"","x"\n"1",0.25\n"2",0.5\n', [[0.25], [0.5]], "x", None),
    "row numbers read back": (b"Unnamed: 0,x\n0,0.25\n1,0.5\n", [[0.25], [0.5]], "x", None),
    "row numbers saved twice": (b",Unnamed: 0,x\n0,0,0.25\n1,1,0.5\n", [[0.25], [0.5]], "x", None),
    "row numbers under index": (b"index,x\n0,0.25\n1,0.5\n", [[0.25], [0.5]], "x", None),
    "an index that does not count": (b"index,x\n3,0.25\n7,0.5\n", [[3, 0.25], [7, 0.5]], "index x", None),
    "row numbers under #": (b"#,x\n1,0.25\n2,0.5\n", [[0.25], [0.5]], "x", None),
    "row and column numbers": (b",0,1\n0,0.25,1\n1,0.5,2\n", [[0.25, 1], [0.5, 2]], "0 1", None),
    "numbers that count under a name": (b"iteration,x\n0,0.25\n1,0.5\n", [[0, 0.25], [1, 0.5]], "iteration x", None),
    "trailing separators": (b"x,y,\n1,2,\n3,4,\n", [[1, 2], [3, 4]], "x y", None),
    "trailing separators of rows": (b"x,y\n1,2,,\n3,4\n", [[1, 2], [3, 4]], "x y", None),
    "trailing separators of a spreadsheet": (b"x,y,,\n1,2,,\n,,,\n", [[1, 2]], "x y", None),
    "a trailing semicolon": (b"x;\n0,25;\n", [[0.25]], "x", None),
    "trailing tabs under a comment": (b"# x\t\t\n85,5\t\t\n1,5\t\t\n", [[85.5], [1.5]], "x", None),
    "blank lines": (b"\nx,y\n\n1,2\n   \n3,4\n\n", [[1, 2], [3, 4]], "x y", None),
    "CRLF": (b"x,y\r\n1,2\r\n", [[1, 2]], "x y", None),
    "CR": (b"x,y\r1,2\r3,4", [[1, 2], [3, 4]], "x y", None),
    "blanks around names": (b" x , heat  in\n1, 2\n", [[1, 2]], None, None),
    "the heading of np.savetxt": (b"# x y\n1.0e+00 2.0e+00\n", [[1, 2]], "x y", None),
    "a heading after a comment": (b"# made, by hand\n# x,y\n1,2\n", [[1, 2]], "x y", None),
    "comments": (b"# made by hand\nx,y\n1,2\n# doubtful:\n3,4\n", [[1, 2], [3, 4]], "x y", None),
    "no heading": (b"1,2\n3,4\n", [[1, 2], [3, 4]], None, None),
    "sodium": (b"Na,K\n1,2\n", [[1, 2]], "Na K", None),
    "an id": (b"id,x\n7,0.25\n9,0.5\n", [[0.25], [0.5]], "x", "7 9"),
    "a name that repeats": (b"Name,x\nA,0.25\nA,0.5\n", [[0.25], [0.5]], "x", "A A"),
    "words that differ": (b"alloy,x\nA,0.25\nB,0.5\n", [[0.25], [0.5]], "x", "A B"),
    "row numbers and words": (b",alloy,x\n0,A,0.25\n1,B,0.5\n", [[0.25], [0.5]], "x", "A B"),
}

#: Bytes, and words of the message; the first of them, where there is one, is the place.
REFUSED = {
    "nothing": (b"", "has no numbers"),
    "only a heading": (b"x,y\n", "has no numbers"),
    "only a mark": (b"\xef\xbb\xbf", "has no numbers"),
    "a workbook": (b"PK\x03\x04\x14\0xl/workbook.xml", "is a workbook (xlsx, ods)", "Save the table as that"),
    "an old workbook": (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "an old workbook (xls)"),
    "a PDF": (b"%PDF-1.7\n", "is a PDF"),
    "an image": (b"\x89PNG\r\n\x1a\n", "is an image"),
    "a photograph": (b"\xff\xd8\xff\xe0", "is an image"),
    "Parquet": (b"PAR1\x15\x04", "is a Parquet file"),
    "a page": (b"<!doctype html>\n<p>", "is a page of HTML or XML"),
    "no text at all": (b"x,y\n\x81\x8d,1\n", "is no text; expected CSV in UTF-8. Save the table as that"),
    "UTF-16 without its mark": ("x,y\n1,2\n".encode("utf-16-le"), "is UTF-16 without its mark"),
    "decimal commas": (b"x\n0,0000\n0,0204\n", "line 2", COMMAS),
    "decimal commas, two columns": (b"x,y\n0,0000,0,0000\n", "line 2", COMMAS),
    "decimal commas, one in a row": (b"x,y\n1,2\n0,5,1\n", "line 3", COMMAS),
    "decimal commas after an integer": (b"x,y\n0,5,1,25\n1,2\n", "line 2", COMMAS),
    "decimal commas without a heading": (b"0,25\n0,05\n", "line 2", COMMAS),
    "decimal commas, no heading, rows that differ": (b"0,5,1,5\n0,5,1\n", "line 2", COMMAS),
    "two decimal marks": (b"x;y\n0,5;1.5\n", "line 2, column 'x'", "'0,5' has a decimal comma, and '1.5' a point"),
    "1,234": (b"x;y\n1;2\n3;1,234\n", "line 3, column 'y'", "'1,234' is 1234 or 1.234"),
    "1,234 in quotes": (b'x,y\n"1,234",2\n', "line 2, column 'x'", "'1,234' is 1234 or 1.234"),
    "1 234": (b"x;y\n1 234;2\n", "line 2, column 'x'", "blank between digits"),
    "1 234 without a heading": (b"1 234\n5 678\n", "line 1", "may name the columns or be a point"),
    "semicolons at the ends of lines": (b"x,y\n1,2;\n3,4;\n", "line 2, column 'y': '2;'"),
    "1 234 and more": (b"1 234.5\n-5 678e3\n", "line 1 may name the columns or be a point"),
    "1 234 under two words": (b"temp C\n1 234\n", "line 2, column 'temp C'", "blank between digits"),
    "groups of no three": (b"x;y\n1,23,456;2\n", "line 2, column 'x': '1,23,456' is no finite number"),
    "a row too short": (b"x,y\n1,2\n3\n", "line 3 has 1 cells, and the heading 2"),
    "a row too long": (b"x,y\n1.5,2\n3.5,4,5\n", "line 3 has 3 cells, and the heading 2"),
    "a column without a name at the end": (b"x,\n0.5,2\n", "line 2 has 2 cells, and the heading 1"),
    "a column without a name between": (b"x,,y\n1,2,3\n", "column 2 has no name"),
    "rows numbered with holes": (b",x\n3,0.25\n7,0.5\n", "column 1 has no name, and does not count the rows"),
    "rows numbered with holes, read back": (b"Unnamed: 0,x\n3,0.25\n7,0.5\n", "column 1 has no name"),
    "two of a name": (b"x,x\n1,2\n", "has the column 'x' twice"),
    "a heading that may be a point": (b"400,410\n0.5,0.25\n", "line 1 may name the columns or be a point"),
    "a heading of pandas without row numbers": (b"0,1\n0.5,0.25\n", "line 1 may name the columns or be a point"),
    "words and numbers in line 1": (b"x,2\n3,4\n", "line 1, column 1: 'x'"),
    "a category": (b"cat,x\na,1\na,2\n", "line 2, column 'cat' has words", "Encode it"),
    "a category at the end": (b"x,cat\n1,a\n2,b\n", "line 2, column 'cat' has words"),
    "a word in place of a number": (b"x,y\n1,2\n3,O.5\n", "line 3, column 'y': 'O.5' is no finite number"),
    "words that lack": (b"x,y\nnan,1\nNA,2\n", "line 2, column 'x': 'nan' is no finite number"),
    "percents that differ": (b"x,y\n5%,1\n6%,2\n", "line 2, column 'x': '5%' has a percent sign"),
    "days that differ": (b"day,y\n2024-01-05,1\n2024-01-06,2\n", "line 2, column 'day': '2024-01-05' is a date"),
    "a second mark before a number": (b"\xef\xbb\xbf\xef\xbb\xbf1\n2\n", "line 1 may name the columns or be a point"),
    "#N/A in one column": (b"#N/A\n1\n", "line 1"),
    "an error that looks like a comment": (b"x,y\n#DIV/0!,2\n", "line 2, column 'x'", "error of a spreadsheet"),
    'a "" of pandas': (b'x\n1\n""\n', "line 3, column 'x'", "is empty"),
    "a quote that is not closed": (b'x,y\n1,2\n"3,4\n5,6\n', "line 4 has 1 cells"),
}
#: In the second column of the third line.
CELLS = {
    "": "is empty",
    "NaN": "is no finite number",
    "-inf": "is no finite number",
    "1e999": "is no finite number",
    "None": "is no finite number",
    "1_000": "is no finite number",
    "#DIV/0!": "is an error of a spreadsheet",
    "#WERT!": "is an error of a spreadsheet",
    "1\0": "has a NUL byte",
    "12.03.2024": "is a date",
    "2024-03-12 10:30": "is a date",
    "3/12/24": "is a date",
    "10:30": "is a time",
    "1+2j": "is a complex number",
    "(1-2j)": "is a complex number",
    "5%": "has a percent sign",
    "−5 %": "has a percent sign",
    "5 kg": "has a unit",
    "5°C": "has a unit",
    "$5": "has a unit",
    "abc": "is no finite number",
    "0x1F": "",
    "½": "is no finite number",
    "--1": "is no finite number",
    "=1+1": "is no finite number",
}


@pytest.mark.parametrize("trouble", READ)
def test_it_is_read_as_it_was_meant(trouble: str) -> None:
    content, numbers, coordinates, names = READ[trouble]
    found = read_table(content)
    assert found.numbers.tolist() == numbers
    assert coordinates is None or found.coordinates == tuple(coordinates.split())
    assert found.names == (None if names is None else tuple(names.split()))


def _refusal(*given, **more) -> str:
    with pytest.raises(ParameterError) as refused:
        read_table(*given, **more)
    message = str(refused.value)
    assert "\n" not in message
    return message


@pytest.mark.parametrize("trouble", REFUSED)
def test_it_is_refused_in_one_line_that_says_where(trouble: str) -> None:
    content, *words = REFUSED[trouble]
    message = _refusal(content)
    assert message.startswith("candidates: the table")
    assert [word for word in words if word not in message] == []


@pytest.mark.parametrize("separator", [",", ";", "\t"])
@pytest.mark.parametrize("cell", CELLS)
def test_a_cell_that_is_no_number_is_named(cell: str, separator: str) -> None:
    lines = [["x", "y"], ["1", "2"], ["3", cell], ["5", "6"]]
    message = _refusal("\n".join(map(separator.join, lines)).encode())
    assert f"line 3, column 'y': {cell!r} {CELLS[cell]}" in message
    headless = _refusal("\n".join(map(separator.join, lines[1:])).encode())
    assert f"line 2, column 2: {cell!r}" in headless or (cell == "" and "line 2 has 1 cells" in headless)


def test_columns_are_taken_by_name_and_the_rest_may_be_anything() -> None:
    content = b"alloy;heat;kind;time;heat\nA;300;x;1,5;0\nB;310;;2,25;0\n"
    assert read_table(content, columns=["time"]).numbers.tolist() == [[1.5], [2.25]]
    assert read_table(content, columns="time").names == ("A", "B")
    assert "columns: 'heat' is the name of two" in _refusal(content, columns=["heat"])
    assert "Did you mean 'time'" in _refusal(content, columns=["tme"])
    assert "whose first line names" in _refusal(b"1,2\n", columns=["x"])
    assert read_table(b",x,cat\n0,1,a\n1,2,a\n", columns=["x"]).told == "coordinates: x"
    assert places_of(["b", "a"], ["a", "b"]) == [1, 0]


def test_a_heading_of_numbers_is_one_where_it_is_said() -> None:
    spectrum = b"400,410\n0.5,0.25\n"
    assert read_table(spectrum, heading=True).coordinates == ("400", "410")
    assert read_table(spectrum, heading=False).numbers.tolist() == [[400, 410], [0.5, 0.25]]
    assert "line 1, column 1: '' is empty" in _refusal(b'""\n1\n', heading=True)
    assert read_table(b"# note\n400\n0.5\n", heading=True).coordinates == ("400",)
    assert read_table(b"0,1\n1,0\n").numbers.tolist() == [[0, 1], [1, 0]], "integers under integers are points"


def test_what_is_left_out_and_what_names_the_rows_is_told() -> None:
    found = read_table(b",alloy,heat,time\n0,A,1,2\n1,B,3,4\n")
    assert found.told == "coordinates: heat, time; row numbers are left out; alloy names the rows"
    assert (found.lines, np.asarray(found).shape) == ((2, 3), (2, 2))
    assert read_table(found) is found
    assert read_table(b"1,2\n").told == ""


def test_of_a_long_table_all_lines_are_read() -> None:
    lines = [f"{k};{k},5" for k in range(9000)]
    found = read_table("\n".join(["x;y", *lines]).encode())
    assert (found.numbers.shape, found.numbers.sum(), found.lines[-1]) == ((9000, 2), 8999 * 9000 + 4500, 9001)
    assert "line 9002, column 'y': 'x'" in _refusal("\n".join(["x;y", *lines, "1;x"]).encode())


def test_files_folders_and_arrays_in_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "points.csv"
    path.write_bytes(b"x,y\n1,oops\n")
    assert f"{path}, line 2, column 'y'" in _refusal(path)
    assert f"{tmp_path} is a folder" in _refusal(str(tmp_path), "RUNS")
    assert "nowhere.csv is not a file" in _refusal(tmp_path / "nowhere.csv")
    assert "is not a file" in _refusal("a\0b")
    np.save(tmp_path / "points.npy", [[1.0, 2.0]])
    assert read_table(tmp_path / "points.npy").numbers.tolist() == [[1, 2]]
    assert "whose first line names" in _refusal(tmp_path / "points.npy", columns=["x"])
    for content in (b"\x93NUMPY", b"", path.read_bytes()):
        (tmp_path / "points.npy").write_bytes(content)
        assert "cannot be read" in _refusal(tmp_path / "points.npy")
    np.save(tmp_path / "objects.npy", np.array([{}], dtype=object), allow_pickle=True)
    assert "cannot be read" in _refusal(tmp_path / "objects.npy")

    def refuses(_path: Path) -> bytes:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "read_bytes", refuses)
    assert "cannot be read (Permission denied)" in _refusal(path)


def test_rows_of_words_for_those_who_check_them_on_their_own() -> None:
    assert rows_of(b"id;name\nada;Lovelace, Ada\n", "--students", "roster.csv")[1] == (2, ["ada", "Lovelace, Ada"])
    with pytest.raises(ParameterError, match=r"--students: roster.csv is a workbook"):
        rows_of(b"PK\x03\x04", "--students", "roster.csv")
    with pytest.raises(ParameterError, match=r"cannot be read \(field larger"):
        rows_of(b"id,name\nada," + b"A" * 200_000, "--students", "roster.csv")


def test_frames_follow_the_same_rules() -> None:
    pd = pytest.importorskip("pandas")
    plain = pd.DataFrame({"x": [1, 2], "y": [0.5, 0.25]})
    found = read_table(plain)
    assert (found.numbers.tolist(), found.coordinates, found.names) == ([[1, 0.5], [2, 0.25]], ("x", "y"), None)
    assert read_table(plain.set_axis(["A", "B"])).names == ("A", "B")
    assert read_table(plain[plain.x > 1]).names == ("1",), "a row that is left keeps its number"
    assert read_table(plain.reset_index(names="Unnamed: 0")).coordinates == ("x", "y")
    assert read_table(pd.DataFrame([[1, 2], [3, 4]])).coordinates is None
    assert read_table(pd.DataFrame({"alloy": ["A", "B"], "x": [1, 2]})).names == ("A", "B")
    assert read_table(pd.DataFrame({"x": ["0,5", "1,5"]})).numbers.tolist() == [[0.5], [1.5]]
    nullable = pd.DataFrame({"i": [1, 2], "f": [0.5, 1.5], "b": [True, False]}).convert_dtypes()
    assert read_table(nullable).numbers.tolist() == [[1, 0.5, 1], [2, 1.5, 0]]
    assert read_table(plain.astype({"y": "float32"}), columns=["y"]).numbers.tolist() == [[0.5], [0.25]]
    for column, words in (
        (pd.Categorical(["left", "left"]), "row 0, column 'z' has words, as 'left'"),
        (pd.Categorical([1, 2]), "row 0, column 'z': '(1, a category)'"),
        (pd.to_datetime(["2024-01-05", "2024-01-06"]), "row 0, column 'z': '2024-01-05"),
        (pd.to_timedelta([1, 2], unit="s"), "row 0, column 'z': '1000000"),
        ([1 + 2j, 3], "row 0, column 'z': '(1+2j)' is a complex number"),
        (["a", "b"], "row 0, column 'z' has words, as 'a'"),
        ([1, None], "row 1, column 'z': 'nan' is no finite number"),
        (pd.array([1, None], dtype="Int64"), "row 1, column 'z'"),
        ([1, "12.03.2024"], "row 1, column 'z': '12.03.2024' is a date"),
    ):
        assert words in _refusal(plain.assign(z=column))
    for frame, words in (
        (pd.DataFrame(), "have no numbers"),
        (plain.set_axis(["x", "x"], axis=1), "has the column 'x' twice"),
        (plain.set_index("x").reset_index(names=""), "column 1 has no name, and does not count"),
    ):
        assert words in _refusal(frame.iloc[::-1])


def test_frames_of_other_libraries_have_columns_by_name() -> None:
    class Frame(dict):
        columns = column_names = property(lambda self: list(self))

    found = read_table(Frame(alloy=["A", "B"], x=np.array([1, 2])))
    assert (found.numbers.tolist(), found.coordinates, found.names) == ([[1], [2]], ("x",), ("A", "B"))


def test_arrays_that_numpy_would_make_other_numbers_of_are_refused() -> None:
    for array, words in (
        (np.array([["2024-01-05"]], dtype="datetime64[D]"), "are dates"),
        (np.array([[1]], dtype="timedelta64[s]"), "are durations"),
        (np.array([[1 + 2j]]), "are complex numbers"),
        ([["a"]], "do not convert to numbers"),
        ([[1, 2], [3]], "do not convert to numbers"),
        ([[1.0, np.inf]], "contain NaN or infinity"),
    ):
        assert words in _refusal(array)
    torch = pytest.importorskip("torch")
    assert read_table(torch.tensor([[1.0, 2.0]], requires_grad=True)).numbers.tolist() == [[1, 2]]


# -- drawn from a grammar ----------------------------------------------------------------------------------------------


def fault_of(reader, table: Hostile) -> str:
    """What a reader does wrong with a table; empty if it reads it rightly, or refuses it as it should."""
    try:
        found = reader(table.content, heading=table.heading)
    except ParameterError as refused:
        message = str(refused)
        if "\n" in message or table.readable:
            return f"refused: {message}"
        return "" if all(place in message for place in table.blame or ()) else f"does not say where: {message}"
    if found.numbers.tolist() != table.numbers:
        return f"read as {found.numbers.tolist()}"
    same = (found.coordinates, found.names) == (table.coordinates, table.names)
    return "" if same else f"named {found.coordinates}, {found.names}"


def _splits_at_every_comma(content: bytes, heading: bool | None) -> Table:
    """As the reader was: a heading without numbers left out, cells between commas, the width that of the first row."""
    rows = [row.split(",") for row in content.decode("utf-8-sig", "replace").splitlines() if row.strip()]
    names = rows.pop(0) if heading or not any(cell.strip().replace(".", "").isdigit() for cell in rows[0]) else None
    try:
        return Table(np.array(rows, dtype=float), None if names is None else tuple(map(str.strip, names)))
    except ValueError as error:
        raise ParameterError("candidates", str(error)) from None


@drawn(200)
@given(hostile_tables())
def test_hostile_tables_are_read_rightly_or_refused(table: Hostile) -> None:
    assert fault_of(read_table, table) == ""


@pytest.mark.slow
@drawn(3000)
@given(hostile_tables())
def test_three_thousand_hostile_tables(table: Hostile) -> None:
    assert fault_of(read_table, table) == ""


@pytest.mark.slow
def test_the_grammar_finds_a_reader_that_splits_at_every_comma() -> None:
    faults: dict[str, list[str]] = {}
    readable = []

    @drawn(600)
    @given(hostile_tables())
    def look(table: Hostile) -> None:
        fault = fault_of(_splits_at_every_comma, table)
        faults.setdefault(fault.partition(" ")[0], []).append(fault)
        readable.append(table.readable)

    look()
    assert len(faults["read"]) > 5, "wrong numbers without a word"
    assert len(faults["refused:"]) > 50, "tables that can be read"
    assert sum(readable) > len(readable) / 6, "not all tables of the grammar can be refused"
