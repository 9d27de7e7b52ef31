"""What needs pandas or Matplotlib says in one line which extra brings it; the rest does without."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

import companion as cp
from companion.core.errors import CompanionError, LibraryError
from companion.core.optional_libraries import EXTRAS, install, with_advice
from companion.stored.results import csv_bytes

TABLES, PLOTS = (f"{name} is not installed: {install(EXTRAS[name])}" for name in ("pandas", "matplotlib"))

# Imports are refused as where nothing is installed: None in sys.modules would give another message.
PROGRAM = """
import json, sys

class Absent:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in sys.argv[1:]:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)

sys.meta_path.insert(0, Absent())
import companion as cp

run = cp.experiment("batched", "appendix-e").run("bpe", seed=0, horizon=10, points_per_axis=5)
small = {"batches": 2, "batch_size": 2}
runs = cp.experiment("tsrsr", "theory").run(["ts-rsr", "random"], seeds=range(2), **small)
session = cp.for_problem("gp-ucb", cp.Candidates(cp.grid(5, dim=1), cp.Matern(2.5, 0.3), noise_sd=0.1), seed=0)
session.tell([0.0] * len(session.ask()))
asked = {
    "session": lambda: (repr(session), session.best),
    "session.frame": session.frame,
    "regret": lambda: runs.regret,
    "record": lambda: runs.record,
    "frame": lambda: runs.frame,
    "trials": lambda: runs.trials,
    "save": lambda: runs.save("runs.csv"),
    "summary": lambda: (repr(runs), runs.summary(), runs.differences("random")),
    "latex": lambda: runs.table().latex(),
    "compare": lambda: runs.compare("random"),
    "plot": runs.plot,
    "table": runs.table,
    "where": lambda: runs.where,
    "run.to_frame": run.to_frame,
    "run.plot": run.plot,
    "experiments": cp.experiments,
    "results": lambda: cp.results("batched"),
    "verdicts": lambda: cp.verdicts("batched"),
    "ledger": lambda: cp.ledger("batched"),
    "discrepancies": lambda: cp.discrepancies("batched"),
}
said = {}
for name, call in asked.items():
    try:
        call()
    except Exception as error:
        alone = error.__cause__ is None and (error.__context__ is None or error.__suppress_context__)
        said[name] = [type(error).__name__, str(error), alone]
print(json.dumps(said))
"""


@pytest.mark.slow
@pytest.mark.parametrize(
    ("absent", "tables", "drawn"),
    [
        (["pandas"], TABLES, TABLES),
        (["matplotlib"], None, PLOTS),
        (["pandas", "matplotlib"], TABLES, PLOTS),
        # The extra for pictures is enough for all of them.
        (sorted(set(EXTRAS) - {"pandas", "matplotlib", "PIL"}), None, None),
    ],
)
def test_what_is_missing_is_one_error_that_names_the_extra(tmp_path, absent, tables, drawn):
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, *absent], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")
    said = json.loads(done.stdout)
    frames = ("frame", "trials", "compare", "table", "latex", "where", "run.to_frame", "experiments", "session.frame")
    stored = ("results", "verdicts", "ledger", "discrepancies")
    expected = dict.fromkeys((*frames, *stored), tables) | dict.fromkeys(("plot", "run.plot"), drawn)
    assert said == {name: ["LibraryError", text, True] for name, text in expected.items() if text}
    experiment = cp.experiment("tsrsr", "theory")
    whole = experiment.run(["ts-rsr", "random"], seeds=range(2), batches=2, batch_size=2)
    assert (tmp_path / "runs.csv").read_bytes() == csv_bytes(whole.frame), "the same bytes as with pandas"


@pytest.mark.slow
def test_a_fit_names_its_extra(tmp_path):
    program = (
        PROGRAM.partition("import companion as cp")[0]
        + """
import companion as cp
try:
    cp.fit([0.0, 1.0, 3.0], [1.0, 2.0, 0.0])
except cp.errors.LibraryError as error:
    print(error)
"""
    )
    absent = [sys.executable, "-c", program, "torch", "gpytorch"]
    done = subprocess.run(absent, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr, done.stdout) == (0, "", f"torch is not installed: {install('torch')}\n")


@pytest.mark.parametrize("name", ["pandas", "matplotlib"])
def test_the_error_can_be_caught_as_an_import_that_failed(name):
    @with_advice()
    def needs():
        raise ModuleNotFoundError(f"No module named '{name}.core'")

    for kind in (CompanionError, ImportError):
        with pytest.raises(kind) as caught:
            needs()
        assert str(caught.value) == f"{name} is not installed: {install(EXTRAS[name])}"
        assert isinstance(caught.value, LibraryError)


def test_what_no_extra_brings_is_left_as_it_is():
    with pytest.raises(ModuleNotFoundError, match="No module named 'mine'"), with_advice():
        raise ModuleNotFoundError("No module named 'mine'")
