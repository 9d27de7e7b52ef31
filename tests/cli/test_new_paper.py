"""``companion new-paper``: in a scratch copy of the repository its chapter is listed, checked, executed and built."""

import json
import os
import shutil
import subprocess
import sys

import pytest

from companion.cli import main
from companion.errors import ParameterError

#: What the copy has: the package, what the papers report, the chapters' sources, and what the book is configured with.
COPIED = (
    "src",
    "data/reported",
    "data/sources.toml",
    "notebooks/profiles",
    "tests/papers",
    "book/_ext",
    "book/_static",
)
FILES = (
    "setup.py",
    "MANIFEST.in",
    "README.md",
    "LICENSE",
    "pyproject.toml",
    "tests/entries.py",
    "tests/shared.py",
    "tests/tolerances.py",
    "_toc.yml",
    "_config.yml",
    "jupytext.toml",
    "book/references.bib",
)


@pytest.fixture(scope="module")
def copy(tmp_path_factory, root):
    """The copy, with a new paper in it, whose runs, evidence and page are made."""
    scratch = tmp_path_factory.mktemp("scratch")
    for place in COPIED:
        if (root / place).is_dir():
            shutil.copytree(root / place, scratch / place, ignore=shutil.ignore_patterns("__pycache__"))
    for place in (*FILES, *(f"notebooks/{path.name}" for path in (root / "notebooks").glob("ch*.py"))):
        (scratch / place).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(root / place, scratch / place)
    before = contents(scratch)
    told = json.loads(run(scratch, "-m", "companion", "new-paper", "toy", "--title", "A toy", "--json"))
    return scratch, before, told


def contents(folder):
    files = (path for path in folder.rglob("*") if path.is_file() and "__pycache__" not in path.parts)
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in files}


def run(folder, *arguments):
    """Output of Python run in the copy, with the copy's package."""
    environment = os.environ | {
        "PYTHONPATH": str(folder / "src"),
        "COMPANION_JOBS": "1",
        "PYTHONDONTWRITEBYTECODE": "",
    }
    done = subprocess.run([sys.executable, *arguments], cwd=folder, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.mark.slow
def test_nothing_outside_its_own_places_is_touched(copy):
    scratch, before, told = copy
    after = contents(scratch)
    assert {name for name in after if after[name] != before.get(name)} == set(told["files"])
    own = ("src/companion/papers/toy/", "data/reported/toy/", "tests/papers/toy/", "notebooks/")
    assert [name for name in told["files"] if not name.startswith(own)] == ["_toc.yml"]
    old, new = before["_toc.yml"].decode().splitlines(), after["_toc.yml"].decode().splitlines()
    assert [line for line in new if line not in old] == [f"      - file: notebooks/ch{told['chapter']}_toy"]


@pytest.mark.slow
def test_what_is_written_is_in_the_house_style(copy):
    scratch = copy[0]
    written = [name for name in copy[2]["files"] if name.endswith(".py")]
    run(scratch, "-m", "ruff", "check", "--quiet", *written)
    run(scratch, "-m", "ruff", "format", "--check", "--quiet", *written)
    run(scratch, "-m", "mypy", "--follow-imports=silent", "src/companion/papers/toy")


#: In one process, since starting one takes as long as most of these.
WALK = """
import contextlib, io, json
from companion.cli import main
from companion.notebook.__main__ import main as pages
from companion.papers.toy.plan import store

def told(*arguments):
    with contextlib.redirect_stdout(io.StringIO()) as text:
        assert main([*arguments, "toy", "--json"]) == 0
    return json.loads(text.getvalue())

with contextlib.redirect_stdout(io.StringIO()):
    store()
    assert main(["evidence", "toy", "--jobs", "1"]) == 0
    assert main(["verify", "toy", "--rows", "4", "--jobs", "1"]) == 0
    assert pages(["execute", "toy"]) == 0
print(json.dumps({name: told(*name.split()) for name in ("list", "ledger --teeth", "discrepancies", "verdicts")}))
"""


@pytest.mark.slow
def test_the_new_paper_is_listed_judged_and_built(copy):
    scratch, _, told = copy
    found = json.loads(run(scratch, "-c", WALK).splitlines()[-1])
    assert [entry["experiment"] for entry in found["list"]] == ["drawn"]
    (statement,), (suspicion,), (claim,) = (found[name] for name in ("ledger --teeth", "discrepancies", "verdicts"))
    assert (statement["status"], [tooth["caught"] for tooth in statement["teeth"]]) == ("holds", [True, True])
    assert suspicion["confirmed"]
    assert claim["verdict"] == "holds"
    (scratch / "small.yml").write_text(f"format: jb-book\nroot: notebooks/ch{told['chapter']}_toy\n", encoding="utf-8")
    book = (
        "from jupyter_book.cli.main import main; main()",
        "build",
        ".",
        "--toc",
        "small.yml",
        "--path-output",
        "built",
    )
    run(scratch, "-c", *book, "-q")
    page = (scratch / "built" / "_build" / "html" / "notebooks" / f"ch{told['chapter']}_toy.html").read_text()
    assert "A toy" in page
    assert "def" in page
    assert "choose" in page, "the rule stands on the page"


@pytest.mark.slow
def test_the_new_papers_own_tests_pass(copy):
    told = run(copy[0], "-m", "pytest", "-q", "-p", "no:cacheprovider", "--rootdir", ".", "tests/papers/toy")
    assert "3 passed" in told


@pytest.mark.parametrize(
    ("slug", "said"),
    [("Toy", "lower-case"), ("import", "lower-case"), ("1st", "lower-case"), ("tsrsr", "there already")],
)
def test_a_slug_that_cannot_be_is_refused(slug, said, root, monkeypatch, capsys):
    monkeypatch.chdir(root)
    assert main(["new-paper", slug]) == ParameterError.exit_code
    assert said in capsys.readouterr().err
    assert not (root / "src/companion/papers" / slug / "method.py").exists()
