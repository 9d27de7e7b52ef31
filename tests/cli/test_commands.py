"""The command line itself, and its commands run, gain and doctor."""

import itertools
import json
import os
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from tolerances import ROUNDED_SUM_ATOL

from companion import __version__
from companion.cli import COMMANDS, doctor_command, gain_command, run_command
from companion.core.errors import ParameterError
from companion.pages import parameter_cell
from companion.pages.document import NotebookError

SOURCE = Path(__file__).resolve().parents[2] / "src"


def shell(*arguments, **environment):
    return subprocess.run(
        [sys.executable, "-m", "companion", *arguments],
        env={**os.environ, "PYTHONPATH": str(SOURCE), **environment},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


def test_help_is_immediate_and_imports_nothing_heavy():
    program = (
        "import sys; from companion.cli import main\n"
        "try:\n    main(['--help'])\nexcept SystemExit as end:\n    assert end.code == 0\n"
        "print([name for name in ('torch', 'numpy', 'scipy', 'matplotlib') if name in sys.modules])"
    )
    done = subprocess.run(
        [sys.executable, "-c", program],
        env={**os.environ, "PYTHONPATH": str(SOURCE)},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.splitlines()[-1] == "[]"
    for name in ("run", "trial", "list", "gain", "doctor"):
        assert name in done.stdout


@pytest.mark.slow
def test_list_loads_no_library_that_only_runs_and_pages_need():
    heavy = {"torch", "gpytorch", "botorch", "matplotlib", "sklearn", "papermill", "nbformat", "jupytext", "pandas"}
    heavy |= {"scipy.stats"}  # a third of a second
    program = f"import sys; from companion.cli import main; main(['list']); assert not {heavy!r} & set(sys.modules)"
    subprocess.run([sys.executable, "-c", program], env={**os.environ, "PYTHONPATH": str(SOURCE)}, check=True)


def test_the_process_returns_the_exit_code_and_keeps_the_streams_apart():
    done = shell("lst")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == (
        f"companion: command: got 'lst'; expected one of {', '.join(itertools.chain(*COMMANDS.values()))}. Did you mean 'list'?\n"
    )
    assert shell("--version").stdout == f"companion {__version__}\n"


@pytest.mark.slow
def test_a_reader_that_leaves_early_is_not_an_error_message():
    process = subprocess.Popen(
        [sys.executable, "-m", "companion", "doctor"],
        env={**os.environ, "PYTHONPATH": str(SOURCE)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    process.stdout.close()
    assert process.stderr.read() == ""
    assert process.wait(timeout=60) == 1


# ---- gain

GAIN = {"kernel": "se", "lengthscale": "0.2", "dim": "2", "points": "10", "noise": "0.1", "horizon": "20"}


def gain_arguments(**changes):
    merged = {**GAIN, **changes}
    return ["gain", *[f"--{name}={value}" for name, value in merged.items() if value is not None]]


@pytest.mark.parametrize(
    ("changes", "name", "hint"),
    [
        ({"kernel": "matern42"}, "kernel", "'matern"),
        ({"lengthscale": "0"}, "lengthscale", "[1e-06, 1000000]"),
        ({"lengthscale": "nan"}, "lengthscale", "not finite"),
        ({"dim": "0"}, "dim", "[1, 20]"),
        ({"points": "ten"}, "points", "integer"),
        ({"points": "1"}, "points", "[2, "),
        ({"noise": "-0.1"}, "noise", "[1e-06, 1000000]"),
        ({"horizon": "1.5"}, "horizon", "integer"),
        (
            {"points": "101", "dim": "3"},
            "points",
            "1,030,301 grid points; expected at most 1,000,000 in all, 100 per axis",
        ),
    ],
)
def test_gain_refuses_before_any_work(command, changes, name, hint):
    code, out, err = command(*gain_arguments(**changes))
    assert (code, out) == (2, "")
    assert f"companion gain: {name}: " in err
    assert hint in err


def test_gain_requires_every_argument(command):
    code, _, err = command(*gain_arguments(noise=None))
    assert code == 2
    assert "--noise: not given" in err


def exact_gain(points, lengthscale, noise, horizon):
    """Largest gain over all multisets, straight from the definition."""
    covariance = np.exp(-((points[:, None] - points) ** 2) / (2 * lengthscale**2))
    best = 0.0
    for chosen in itertools.combinations_with_replacement(range(len(points)), horizon):
        gram = covariance[np.ix_(chosen, chosen)]
        best = max(best, 0.5 * np.linalg.slogdet(np.eye(horizon) + gram / noise**2)[1])
    return best


def test_gain_brackets_the_exact_maximum(command):
    changes = {"dim": "1", "points": "6", "horizon": "4", "lengthscale": "0.3", "noise": "0.5"}
    code, out, _ = command(*gain_arguments(**changes), "--json")
    assert code == 0
    record = json.loads(out)
    exact = exact_gain(np.linspace(0, 1, 6), 0.3, 0.5, 4)
    assert record["lower"] <= exact + ROUNDED_SUM_ATOL
    assert exact <= record["upper"] + ROUNDED_SUM_ATOL
    assert record["upper"] < 1.25 * record["lower"]
    assert record["upper"] == record["ends"][record["source"]] == min(record["ends"].values())
    assert record["meta"]["horizon"] == 4
    code, out, _ = command(*gain_arguments(**changes))
    assert code == 0
    assert f"{record['upper']:.10g}" in out
    assert f"{record['lower']:.10g}" in out


def test_gain_limits_are_those_of_the_certificate():
    from companion.information import gain_bounds, large_sets

    assert gain_command.MANY == large_sets.MAX_CANDIDATES
    assert gain_command.MOST_PICKS == gain_bounds.MAX_HORIZON


def test_gain_of_points_from_a_file(command, tmp_path):
    points = np.random.default_rng(1).uniform(size=(6, 2))
    table = tmp_path / "points.csv"
    table.write_text("a,b\n" + "\n".join(f"{x},{y}" for x, y in points), encoding="utf-8")
    changes = {"dim": None, "points": None, "candidates": table, "horizon": "3", "lengthscale": "0.3,0.6"}
    code, out, _ = command(*gain_arguments(**{**changes, "noise": "0.5"}), "--json")
    assert code == 0
    record = json.loads(out)
    assert record["meta"]["lengthscale"] == [0.3, 0.6]
    assert (record["meta"]["dim"], record["meta"]["points"]) == (2, 6)
    scaled = points / np.array([0.3, 0.6])
    covariance = np.exp(-((scaled[:, None] - scaled) ** 2).sum(axis=2) / 2)
    triples = itertools.combinations_with_replacement(range(6), 3)
    exact = max(
        0.5 * np.linalg.slogdet(np.eye(3) + covariance[np.ix_(chosen, chosen)] / 0.25)[1]
        for chosen in map(list, triples)
    )
    assert record["lower"] <= exact + ROUNDED_SUM_ATOL
    assert exact <= record["upper"] + ROUNDED_SUM_ATOL
    named = "id,cost,a,b\n" + "\n".join(f"p{k},9,{x},{y}" for k, (x, y) in enumerate(points))
    table.write_text(named, encoding="utf-8")
    again = json.loads(command(*gain_arguments(**{**changes, "noise": "0.5", "columns": "a, b"}), "--json")[1])
    assert (again["lower"], again["upper"]) == (record["lower"], record["upper"])
    ids = json.loads(command(*gain_arguments(**{**changes, "lengthscale": "0.3"}), "--json")[1])
    assert ids["meta"]["dim"] == 3
    for wrong, name in (
        ({"columns": "a,c"}, "columns"),
        ({"candidates": None, "dim": "1", "points": "3", "columns": "a"}, "--columns"),
        ({"dim": "2"}, "--dim"),
        ({"candidates": tmp_path / "none.csv"}, "candidates"),
        ({"candidates": None}, "--dim"),
        ({"lengthscale": "0.1,0.2", "columns": "a"}, "lengthscale"),
    ):
        code, out, err = command(*gain_arguments(**{**changes, **wrong}))
        assert (code, out) == (2, "")
        assert f"companion gain: {name}: " in err


# ---- run


@pytest.fixture
def notebook(monkeypatch, tmp_path, toy):
    """A stand-in for the notebook machinery that records its calls and the variables a kernel would inherit."""
    monkeypatch.delenv("COMPANION_DATA", raising=False)  # a reader's own setting, which a kernel inherits as well
    fake = SimpleNamespace(calls=[])
    folder = tmp_path / "notebooks" / "profiles" / "ch9_toy"
    folder.mkdir(parents=True)
    for stem, names in (("ch9_toy", ("horizon", "a")), ("ch9_toy_record", ("horizon", "exponents", "kernel"))):
        cell = "".join(f"{name} = 5  # meaning, unit\n" for name in names)
        (tmp_path / "notebooks" / f"{stem}.py").write_text(f'# %% tags=["parameters"]\n{cell}', encoding="utf-8")

    def run(chapter, profile, values):
        seen = {name: value for name, value in os.environ.items() if name.startswith("COMPANION_")}
        fake.calls.append((chapter.stem, profile, values, seen))
        files = {name: tmp_path / f"out.{suffix}" for name, suffix in (("notebook", "ipynb"), ("record", "json"))}
        shown = {"page": tmp_path / "out.html", "tables": (tmp_path / "out" / "tables.json",)}
        return SimpleNamespace(**files, **shown, parameters={}, seconds=1.0)

    monkeypatch.setattr("companion.core.files.repository_root", lambda: tmp_path)
    monkeypatch.setattr("companion.pages.chapter_runs.run", run)
    for name in [name for name in os.environ if name.startswith("COMPANION_")]:
        monkeypatch.delenv(name)
    (folder / "smoke.yaml").write_text("horizon: 5\n")
    (folder / "paper.yaml").write_text("horizon: 5\nkernel: matern23\n")
    return fake


@pytest.mark.parametrize("name", ["9", "ch9", "toy"])
def test_run_passes_profile_values_and_worker_settings_on_to_both_pages(notebook, command, name):
    arguments = ["--profile", "smoke", "-p", "a=0.25", "-p", "exponents=0.1,0.2", "--jobs", 3, "--backend", "threading"]
    code, out, err = command("run", name, *arguments, "--json")
    assert (code, err) == (0, "")
    lesson, record = notebook.calls
    assert lesson[:3] == ("ch9_toy", "smoke", {"a": 0.25})
    assert record[:3] == ("ch9_toy_record", "smoke", {"exponents": [0.1, 0.2]})
    assert lesson[3] == record[3] == {"COMPANION_JOBS": "3", "COMPANION_BACKEND": "threading", "COMPANION_DRAFT": "1"}
    assert "COMPANION_JOBS" not in os.environ
    told = json.loads(out)
    assert told["notebook"].endswith("out.ipynb")
    assert [page["chapter"] for page in told["pages"]] == ["ch9_toy", "ch9_toy_record"]
    assert told["pages"][0] == {name: value for name, value in told.items() if name != "pages"}


@pytest.mark.parametrize("name", ["ch9_toy", "ch9_toy_record"])
def test_run_of_one_page_runs_that_page_alone(notebook, command, name):
    assert command("run", name, "-p", "horizon=7")[0] == 0
    assert [call[:3] for call in notebook.calls] == [(name, "book", {"horizon": 7})]


def test_run_for_the_paper_profile_computes_what_is_stored_once(notebook, command, monkeypatch, tmp_path):
    stored = []
    (tmp_path / "notebooks" / "profiles" / "ch9_toy" / "paper.yaml").write_text("horizon: 6\n")
    monkeypatch.setattr(run_command, "_store", lambda paper, root: stored.append(paper))
    assert command("run", "9", "--profile", "paper")[0] == 0
    assert (stored, [call[0] for call in notebook.calls]) == (["toy"], ["ch9_toy", "ch9_toy_record"])


def test_run_with_a_scheduler_uses_dask(notebook, command, monkeypatch):
    checked = []
    monkeypatch.setattr("companion.simulate.cluster.check_scheduler", checked.append)
    assert command("run", "toy", "--scheduler", "tcp://host:8786")[0] == 0
    seen = notebook.calls[0][3]
    assert seen == {
        "COMPANION_JOBS": "1",
        "COMPANION_BACKEND": "dask",
        "COMPANION_SCHEDULER": "tcp://host:8786",
    }
    assert checked == ["tcp://host:8786"]


@pytest.mark.filterwarnings("ignore")
def test_run_refuses_a_scheduler_that_is_not_there(notebook, command, monkeypatch):
    pytest.importorskip("distributed")
    monkeypatch.setattr("companion.simulate.cluster.CONNECT_SECONDS", 0.3)
    code, out, err = command("run", "toy", "--scheduler", "tcp://127.0.0.1:1")
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert err.startswith("companion run: scheduler:")
    assert notebook.calls == []


@pytest.mark.parametrize(
    ("arguments", "name", "hint"),
    [
        (("toi",), "chapter", "'toi'"),
        (("toy", "-p", "horizn=3"), "horizn", "Did you mean 'horizon'"),
        (("toy", "-p", "horizon=0"), "horizon", "[1, 100000]"),
        (
            ("ch9_toy", "-p", "exponents=0.1"),
            "exponents",
            "It is one of ch9_toy_record: companion run 9 runs both pages",
        ),
        (("ch9_toy_record", "-p", "a=0.5"), "a", "It is one of ch9_toy: companion run 9 runs both pages"),
        (("toy", "-p", "a=1"), "a", "(0, 1)"),
        (("toy", "--profile", "smok"), "profile", "Did you mean 'smoke'"),
        (("toy", "--profile", "paper"), "kernel", "paper.yaml, line 2"),
        (("toy", "--jobs", "two"), "jobs", "integer"),
        (("toy", "--jobs", "0"), "jobs", "positive integer"),
        (("toy", "--backend", "lokky"), "backend", "Did you mean 'loky'"),
        (("toy", "--backend", "loky", "--scheduler", "tcp://host:1"), "scheduler", "dask"),
    ],
)
def test_run_refuses_before_the_kernel_starts(notebook, command, arguments, name, hint):
    code, out, err = command("run", *arguments)
    assert (code, out) == (2, "")
    assert f"companion run: {name}" in err
    assert hint in err
    assert notebook.calls == []


# ---- doctor


def test_doctor_says_one_line_each_and_succeeds_here(command, monkeypatch, tmp_path):
    pytest.importorskip("torch")
    (tmp_path / "digits").mkdir()
    monkeypatch.setenv("COMPANION_DATA", str(tmp_path))
    code, out, _ = command("doctor", "--json")
    findings = {finding["name"]: finding for finding in json.loads(out)}
    assert code == 0
    assert findings["torch"]["state"] == "ok"
    assert "digits" in findings["COMPANION_DATA"]["detail"]
    assert {"python", "numpy", "scipy", "gpytorch", "papermill", "nbval", "chromium", "BLAS", "results"} <= set(
        findings
    )
    code, out, _ = command("doctor")
    assert code == 0
    assert len(out.splitlines()) == len(findings) + 1


def test_doctor_fails_when_something_required_is_missing(command, monkeypatch):
    monkeypatch.setattr(doctor_command, "REQUIRED", (*doctor_command.REQUIRED, "not-a-package-of-anyone"))
    code, out, _ = command("doctor", "--json")
    assert code == 1
    finding = next(finding for finding in json.loads(out) if finding["name"] == "not-a-package-of-anyone")
    assert finding["state"] == "missing"


def test_doctor_reports_absent_data_without_failing(command, monkeypatch, tmp_path):
    monkeypatch.setenv("COMPANION_DATA", str(tmp_path / "nowhere"))
    code, out, _ = command("doctor")
    assert code == 0
    assert "is not a folder" in out


def test_a_chapters_file_from_elsewhere_is_refused(command, tmp_path):
    place = tmp_path / "ch3_batched.py"
    place.write_text("# %%\n")
    code, out, err = command("run", place, "--profile", "smoke")
    assert (code, out) == (2, "")
    assert f"chapter: {place} lies outside" in err


@pytest.mark.parametrize(
    ("raised", "code", "words"),
    [
        (OSError(30, "Read-only file system", "/r/x"), 1, "/r/x: Read-only file system"),
        (OSError(28, "No space left on device"), 1, "No space left on device"),
        (MemoryError("Unable to allocate 59.6 GiB"), 1, "out of memory (Unable to allocate 59.6 GiB"),
        (ParameterError("x" * 5000, "got \x1b[31m"), 2, "xxx..."),
    ],
)
def test_what_the_machine_answers_is_one_line(command, monkeypatch, raised, code, words):
    def execute():
        raise raised

    monkeypatch.setattr(doctor_command, "execute", execute)
    found, out, err = command("doctor")
    assert (found, out, err.count("\n")) == (code, "", 1)
    assert words in err
    assert len(err) < 2200
    assert err.rstrip("\n").isprintable()


@pytest.mark.slow
def test_standard_output_that_is_full_or_closed_is_one_line():
    for redirected, words in ((">/dev/full", "No space left on device"), (">&-", "standard output is closed")):
        done = subprocess.run(
            ["sh", "-c", f'"{sys.executable}" -m companion list batched {redirected}'], capture_output=True, text=True
        )
        assert (done.returncode, done.stderr) == (1, f"companion list: {words}\n")


def test_a_parameters_cell_that_breaks_its_rule_is_refused_before_paper_scale_runs(command, monkeypatch):
    def broken(path):
        raise NotebookError("ch3_batched.py, line 9: x lacks its comment")

    monkeypatch.setattr(parameter_cell, "parameters", broken)
    monkeypatch.setattr(run_command, "_store", lambda *_: pytest.fail("runs began"))
    code, out, err = command("run", "3", "--profile", "paper")
    assert (code != 0, out) == (True, "")
    assert "line 9" in err
