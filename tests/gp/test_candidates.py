"""Points from tables: what is read, and what is refused with the line at fault."""

from __future__ import annotations

import numpy as np
import pytest

from companion.core.errors import ParameterError
from companion.gp.candidates import looks_like_covariance, points_of, read_numbers, scales_for


def test_headings_blank_lines_and_marks_are_no_points(tmp_path) -> None:
    table = tmp_path / "points.csv"
    table.write_text("\ufeffdose,time\n0.5, 1\n\n2e-1,3\n", encoding="utf-8")
    np.testing.assert_array_equal(read_numbers(table), [[0.5, 1.0], [0.2, 3.0]])
    table.write_text("1,2\n3,4", encoding="utf-8")
    np.testing.assert_array_equal(read_numbers(table), [[1.0, 2.0], [3.0, 4.0]])


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("a,b\n", "has no numbers"),
        ("", "has no numbers"),
        ("1,2\n3\n", "line 2 has 1 cells"),
        ("1,2\n3,x\n", "line 2: 'x' is no finite number"),
        ("a,b\n1,nan\n", "line 2: 'nan' is no finite number"),
    ],
)
def test_what_is_no_table_of_numbers_is_refused(tmp_path, text: str, problem: str) -> None:
    table = tmp_path / "points.csv"
    table.write_text(text, encoding="utf-8")
    with pytest.raises(ParameterError, match="candidates: ") as refused:
        read_numbers(table)
    assert problem in str(refused.value)


def test_a_column_is_one_column(tmp_path) -> None:
    table = tmp_path / "points.csv"
    table.write_text("id,dose,dose,time\na,1,2,3\n", encoding="utf-8")
    np.testing.assert_array_equal(read_numbers(table, columns=["time"]), [[3.0]])
    with pytest.raises(ParameterError, match="columns: 'dose' is the name of two"):
        read_numbers(table, columns=["time", "dose"])


def test_points_and_covariances_are_told_apart() -> None:
    assert looks_like_covariance(np.eye(4))
    assert not looks_like_covariance(np.random.default_rng(0).uniform(size=(4, 4)))
    assert not looks_like_covariance(np.ones((4, 2)))
    with pytest.raises(ParameterError, match=r"\(3, 1\)"):
        points_of([1.0, 2.0, 3.0])
    with pytest.raises(ParameterError, match="convert to numbers"):
        points_of([["a", "b"]])


def test_length_scales_for_points() -> None:
    assert scales_for([0.2], 3) == scales_for(0.2, 3) == 0.2
    assert scales_for(np.array([0.2, 0.5]), 2) == (0.2, 0.5)
    for wrong in ([0.2, 0.5], [0.0], [np.inf, 1.0, 1.0]):
        with pytest.raises(ParameterError, match="lengthscale"):
            scales_for(wrong, 3)
