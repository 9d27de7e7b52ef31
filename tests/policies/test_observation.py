"""Names of candidates come back: from the best point, the table of evaluations, and a file of the session."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path

import pytest

import companion as cp

TABLE = "alloy,heat,time\nA,300,1.5\nB,310,2.25\nC,330,1\n"


def told(**more) -> cp.policies.Session:
    problem = cp.Candidates(TABLE.encode(), cp.kernel("matern52", [20, 1]), noise_sd=0.1, **more)
    session = cp.for_problem("gp-ucb", problem, seed=0)
    for _ in range(3):
        session.tell(problem.at(session.ask())[0, 0] / 330 - 0.5)
    return session


def test_the_best_candidate_has_its_name_and_its_coordinates() -> None:
    best = told().best
    assert (best.name, best.coordinates) == ("ABC"[best.index], ("heat", "time"))
    assert f"at {best.name} (heat {best.point[0]:.4g}, time {best.point[1]:.4g})" in repr(best)
    plain = cp.for_problem("gp-ucb", cp.Candidates([0.0, 1.0], cp.kernel("se", 0.3), noise_sd=0.1), seed=0)
    plain.tell([0.3] * len(plain.ask()))
    assert (plain.best.name, plain.best.coordinates) == (None, None)
    assert repr(plain.best).endswith("]")
    box = cp.for_problem("gp-ucb", cp.Box([0.0], [1.0]), seed=0, horizon=2)
    box.tell([0.3] * len(box.ask()))
    assert box.best.name is None


def test_the_table_of_evaluations_has_them_as_columns() -> None:
    pytest.importorskip("pandas")
    session = told()
    frame = session.frame()
    assert list(frame) == ["evaluation", "batch", "candidate", "name", "heat", "time", "value"]
    assert frame.name.tolist() == ["ABC"[k] for k in session.asked]
    assert frame.heat.tolist() == [(300, 310, 330)[k] for k in session.asked]
    assert list(told(coordinates=["batch", "value"]).frame())[4:6] == ["x1", "x2"], "two columns of one name"
    assert cp.for_problem("gp-ucb", session.problem, seed=0).frame().empty


def test_a_saved_session_keeps_names_and_an_older_file_is_read(tmp_path: Path) -> None:
    told().save(tmp_path / "new.zip")
    restored = cp.restore(tmp_path / "new.zip")
    assert (restored.problem.names, restored.problem.coordinates) == (("A", "B", "C"), ("heat", "time"))
    assert restored.best.name == told().best.name
    with zipfile.ZipFile(tmp_path / "new.zip") as new, zipfile.ZipFile(tmp_path / "old.zip", "w") as old:
        for entry in new.namelist():
            content = new.read(entry)
            if entry == "session.json":
                record = json.loads(content)
                for name in ("names", "coordinates"):
                    del record["problem"]["fields"][name]
                content = json.dumps(record).encode()
            old.writestr(entry, content)
    assert cp.restore(tmp_path / "old.zip").problem.names is None
