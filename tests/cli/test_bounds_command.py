"""``companion bounds``: the same table as text, JSON and CSV, from a grid, a file of points or one of covariances."""

from __future__ import annotations

import csv
import io
import json
from types import SimpleNamespace

import numpy as np
import pytest

from companion import registry
from companion.api.bounds import bounds_table
from companion.bounds.bound import Bound
from companion.cli import parse
from companion.cli.bounds_command import arguments_of
from companion.papers.across.theory.bounds import BOUNDS
from companion.papers.across.theory.bounds_setting import DEFAULTS

HERE = {"noise": "0.3", "horizon": "40", "norm": "1", "farthest": "40"}
GRID = {"kernel": "se", "lengthscale": "0.2", "dim": "1", "points": "8"}


def words(*more: str, **options: str) -> list[str]:
    return ["bounds", *[f"--{name}={value}" for name, value in {**HERE, **options}.items()], *more]


@pytest.mark.slow
def test_text_json_and_csv_are_those_of_the_function(command) -> None:
    found = bounds_table(
        kernel="se", lengthscale=[0.2], dim=1, points=8, noise_sd=0.3, horizon=40, norm=1.0, farthest=40
    )
    code, out, _ = command(*words(**GRID))
    assert (code, out) == (0, f"{found}\n")
    code, out, _ = command(*words("--csv", **GRID))
    assert (code, out) == (0, found.to_csv())
    code, out, _ = command(*words("--json", **GRID))
    assert code == 0
    written = json.loads(out)
    assert [row["value"] for row in written["rows"] if row["applies"]] == [r.value for r in found.rows if r.applies]
    assert written["gain"]["noise"]["noise"] == pytest.approx(0.3)
    assert written["meta"]["size"] == 8


def test_files_of_points_and_of_covariances(command, tmp_path) -> None:
    points = np.random.default_rng(2).uniform(size=(7, 2))
    covariance = np.exp(-((points[:, None] - points) ** 2).sum(axis=2) / (2 * 0.3**2))
    np.savetxt(tmp_path / "points.csv", points, delimiter=",", fmt="%.17g", header="a,b", comments="")
    np.save(tmp_path / "covariance.npy", covariance)
    values = []
    for given in (
        {"candidates": str(tmp_path / "points.csv"), "kernel": "se", "lengthscale": "0.3"},
        {"covariance": str(tmp_path / "covariance.npy")},
    ):
        code, out, err = command(*words("--csv", **given))
        assert code == 0, err
        rows = list(csv.DictReader(io.StringIO(out)))
        values.append([float(row["value"]) for row in rows if row["value"]])
    np.testing.assert_allclose(*values, rtol=1e-6)


def test_columns_of_a_file_with_ids(command, tmp_path) -> None:
    (tmp_path / "points.csv").write_text("id,a,b\n1,0.1,5\n2,0.4,6\n3,0.9,7\n", encoding="utf-8")
    given = {"candidates": str(tmp_path / "points.csv"), "kernel": "se", "lengthscale": "0.3"}
    setting = parse(words(**given)).values["setting"]
    np.testing.assert_array_equal(arguments_of(setting)["candidates"], [[0.1, 5], [0.4, 6], [0.9, 7]])
    np.testing.assert_array_equal(
        arguments_of(parse(words("--columns=b", **given)).values["setting"])["candidates"], [[5], [6], [7]]
    )
    for more, hint in (("--columns=c", "some of id, a, b"), ("--columns=", "columns: got ''")):
        code, out, err = command(*words(more, **given))
        assert (code, out) == (2, "")
        assert hint in err
    code, out, err = command(*words("--columns=a", **GRID))
    assert (code, out) == (2, "")
    assert "--columns:" in err


@pytest.mark.parametrize(
    ("option", "hint"),
    [
        ("--noise-variance=0.1", "the root of the variance"),
        ("--beta=2", "multiplies the posterior sd"),
        ("--log-det=20", "half their log det"),
        ("--confidence=0.9", "the probability of failure"),
        ("--rounds=8", "the number of evaluations"),
        ("--batch-size=5", "Give batch"),
        ("--outputscale=2", "variance 1"),
        ("--nu=2.5", "matern52"),
        ("--norm-squared=4", "not its square"),
        ("--epsilon=0.1", "radius"),
        ("--delta=10", "Is it 0.1?"),
        ("--lengthscale=0.2,0.3", "1 coordinates"),
        ("--realised-gain=1000", "A log det is twice the gain"),
        ("--noize=0.1", "Did you mean '--noise'?"),
        ("--candidates=nowhere.csv", "given together"),
        ("--horizon=1e2", "an integer"),
    ],
)
def test_other_conventions_are_refused_by_name(command, option: str, hint: str) -> None:
    code, out, err = command(*words(option, **{name: GRID[name] for name in GRID}))
    assert (code, out) == (2, "")
    assert f": {option.partition('=')[0].lstrip('-')}" in err.replace(": --", ": ").replace("_", "-")
    assert hint in err
    assert err.count("\n") == 1


@pytest.mark.papers
def test_a_paper_that_chapter_6_does_not_compare_is_shown_as_well(command, monkeypatch) -> None:
    """By what its ``PAPER`` declares, behind all others."""
    own = Bound("lemma-1", "Lemma 1", "none", lambda s: 2.0 * s.horizon, paper="invented", rule="any", model="prior")
    declared = SimpleNamespace(bounds=SimpleNamespace(value=(own,)))
    of, known = registry.get, registry.chapters()
    monkeypatch.setattr(registry, "_packages", lambda: [*known, "invented"])
    monkeypatch.setattr(registry, "get", lambda slug: declared if slug == "invented" else of(slug))
    code, out, _ = command(*words("--json", **GRID))
    rows = json.loads(out)["rows"]
    assert (code, [row["id"] for row in rows[: len(BOUNDS)]]) == (0, list(BOUNDS))
    (row,) = (row for row in rows[len(BOUNDS) :] if row["id"] == "invented/lemma-1")
    assert (row["value"], row["applies"]) == (80.0, True)


@pytest.mark.papers
def test_every_bound_that_chapter_6_compares_is_declared_by_its_paper() -> None:
    declared = {bound.id for slug in registry.declaring("bounds") for bound in registry.part(slug, "bounds").value}
    assert {name for name, bound in BOUNDS.items() if bound.paper} <= declared


def test_options_are_those_of_the_function() -> None:
    every = {
        "noise_sd": 0.1,
        "horizon": 5,
        "kernel": "se",
        "lengthscale": [0.1],
        "dim": 1,
        "points": 3,
        "domain": "grid",
    }
    given = {name: ("1" if default is None else str(default)) for name, default in DEFAULTS.items()}
    line = [f"--{name.replace('_', '-')}={value}" for name, value in given.items()]
    found = arguments_of(
        parse(
            [
                "bounds",
                *line,
                *[f"--{n.replace('_', '-')}={v if n != 'lengthscale' else 0.1}" for n, v in every.items()],
            ]
        ).values["setting"]
    )
    assert set(found) == {*DEFAULTS, *every}
    assert all(found[name] == value for name, value in every.items())


def test_all_points_of_a_box(command) -> None:
    line = {"kernel": "se", "lengthscale": 0.3, "dim": 1, "noise_sd": 0.3, "horizon": 40, "norm": 1.0}
    given = [f"--{name.replace('_', '-')}={value}" for name, value in line.items()]
    code, out, _ = command("bounds", "--domain=box", *given)
    assert (code, out) == (0, f"{bounds_table(**line, domain='box')}\n")
    code, out, err = command("bounds", "--domain=box", "--points=5", *given)
    assert (code, out, err.count("\n")) == (2, "", 1)
