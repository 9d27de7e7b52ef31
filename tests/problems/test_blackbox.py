"""Candidates with the names of a table: of rows and of coordinates, from a file, a frame or by hand."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import companion as cp
from companion.core.errors import ParameterError
from companion.problems import Candidates

KERNEL = cp.Matern(2.5, 10.0)
TABLE = "alloy;heat;time\nA;300;1,5\nB;310;2,25\nC;330;1\n"


def test_points_come_from_a_file_a_frame_or_an_array_with_their_names(tmp_path: Path) -> None:
    path = tmp_path / "alloys.csv"
    path.write_text(TABLE, encoding="utf-8")
    for points in (path, str(path), path.read_bytes()):
        problem = Candidates(points, KERNEL, noise_sd=0.1)
        assert problem.points.tolist() == [[300, 1.5], [310, 2.25], [330, 1]]
        assert (problem.names, problem.coordinates) == (("A", "B", "C"), ("heat", "time"))
        assert not problem.points.flags.writeable
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame({"heat": [300, 310]}, index=["A", "B"])
    assert Candidates(frame, KERNEL, noise_sd=0.1).names == ("A", "B")
    plain = Candidates([0.0, 1.0], KERNEL, noise_sd=0.1)
    assert (plain.points.shape, plain.names, plain.coordinates) == ((2, 1), None, None)


def test_names_by_hand_are_as_many_as_the_points() -> None:
    by_hand = Candidates(TABLE.encode(), KERNEL, 0.1, names=["a", "b", 3], coordinates=["T", "t"])
    assert (by_hand.names, by_hand.coordinates) == (("a", "b", "3"), ("T", "t"))
    for more, words in (
        ({"names": ["a"]}, "names: are 1; expected 2"),
        ({"coordinates": ["x", "y"]}, "coordinates: are 2; expected 1"),
        ({"points": [[0, 1]], "coordinates": ["x", "x"]}, "coordinates: are 1; expected 2"),
    ):
        with pytest.raises(ParameterError, match=words):
            Candidates(**{"points": [0.0, 1.0], "kernel": KERNEL, "noise_sd": 0.1, **more})


def test_what_is_no_point_is_refused() -> None:
    for points, words in (
        (b"x,y\n1,oops\n", "points: the table, line 2, column 'y'"),
        (np.array(["2024-01-05", "2024-01-06"], dtype="datetime64[D]"), "points: are dates"),
        (np.array([1 + 2j]), "points: are complex numbers"),
        ("nowhere.csv", "points: nowhere.csv is not a file"),
    ):
        with pytest.raises(ParameterError, match=words):
            Candidates(points, KERNEL, 0.1)
