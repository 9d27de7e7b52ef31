"""``companion new-paper``: in a scratch copy of the repository its chapter is listed, checked, executed and built."""

import json
import signal

import pytest
from cli.killed import LINUX, RNG, check_words, ended, litter, results, start, stop
from cli.scratch import WALK, copied, run, with_a_new_paper

from companion.cli import main
from companion.core.errors import ParameterError

SETTING = ["--kernel=se", "--lengthscale=0.2", "--dim=1", "--points=8", "--noise=0.3", "--horizon=40", "--farthest=40"]


@pytest.fixture(scope="module")
def copy(tmp_path_factory, root):
    """The copy, with a new paper in it."""
    scratch = copied(root, tmp_path_factory.mktemp("scratch"))
    before = contents(scratch)
    return scratch, before, with_a_new_paper(scratch)


@pytest.fixture(scope="module")
def walked(copy):
    """What the commands tell of the new paper, once its runs, evidence and page are made."""
    return json.loads(run(copy[0], "-c", WALK).splitlines()[-1])


def contents(folder):
    files = (path for path in folder.rglob("*") if path.is_file() and "__pycache__" not in path.parts)
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in files}


def test_nothing_outside_its_own_places_is_touched(copy):
    scratch, before, told = copy
    after = contents(scratch)
    assert {name for name in after if after[name] != before.get(name)} == set(told["files"])
    own = ("src/companion/papers/nova/", "data/reported/nova/", "tests/papers/nova/", "notebooks/")
    assert [name for name in told["files"] if not name.startswith(own)] == ["_toc.yml"]
    old, new = before["_toc.yml"].decode().splitlines(), after["_toc.yml"].decode().splitlines()
    place, stem = new.index(f"      - file: notebooks/ch{told['chapter']}_nova"), f"notebooks/ch{told['chapter']}_nova"
    assert new[place + 1 : place + 3] == ["        sections:", f"          - file: {stem}_record"]
    assert new[:place] + new[place + 3 :] == old


def test_what_is_written_is_in_the_house_style(copy):
    scratch = copy[0]
    written = [name for name in copy[2]["files"] if name.endswith(".py")]
    run(scratch, "-m", "ruff", "check", "--quiet", *written)
    run(scratch, "-m", "ruff", "format", "--check", "--quiet", *written)
    run(scratch, "-m", "mypy", "--follow-imports=silent", "src/companion/papers/nova")


def test_the_new_paper_is_listed_judged_and_built(copy, walked):
    scratch, _, told = copy
    found = walked
    assert [entry["experiment"] for entry in found["list"]] == ["drawn"]
    (statement,), (suspicion,), (claim,) = (found[name] for name in ("ledger --teeth", "discrepancies", "verdicts"))
    assert (statement["status"], [tooth["caught"] for tooth in statement["teeth"]]) == ("holds", [True, True])
    assert suspicion["confirmed"]
    assert claim["verdict"] == "holds"
    shown = json.loads(run(scratch, "-m", "companion", "bounds", "--json", *SETTING))
    assert "nova/regret/printed" in [row["id"] for row in shown["rows"]]
    (scratch / "small.yml").write_text(f"format: jb-book\nroot: notebooks/ch{told['chapter']}_nova\n", encoding="utf-8")
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
    page = (scratch / "built" / "_build" / "html" / "notebooks" / f"ch{told['chapter']}_nova.html").read_text()
    assert "A nova" in page
    assert "def" in page
    assert "choose" in page, "the rule stands on the page"


@LINUX
def test_evidence_that_was_told_to_end_leaves_nothing_and_is_computed_again(copy, walked):
    """One of the moments of ``test_series``; a paper of the book takes too long to be stopped every day."""
    evidence, there = ("evidence", "nova", "--jobs", "1"), results(copy[0] / "data/results/nova")
    code, _, err = stop(evidence, copy[0], signal.SIGTERM, RNG.uniform(0.3, 1.5))
    check_words(signal.SIGTERM, code, err)
    assert litter(copy[0]) == []
    assert results(copy[0] / "data/results/nova") == there
    (copy[0] / "data/results/nova/discrepancies.json").unlink()
    assert ended(start(evidence, copy[0]))[0] == 0
    assert results(copy[0] / "data/results/nova") == there


#: What asks every paper, and every page, for something; the rest of the house does not know how many there are.
ASKING = (
    "papers",
    "pages",
    "exports",
    "book/test_api.py",
    "book/test_chapters.py",
    "book/test_evidence_pages.py",
)


def test_what_every_paper_is_asked_for_is_there(copy, walked):
    """The tests that ``make check PAPER=`` and ``make test`` run for it; what a finished page needs besides is in one list."""
    asked = [f"tests/{place}" for place in (*ASKING, "test_architecture.py")]
    told = run(
        copy[0],
        "-m",
        "pytest",
        "-q",
        "-p",
        "no:cacheprovider",
        "-m",
        "not browser",
        "-k",
        "nova or the_house_keeps or leave_no_trace",
        "--ignore=tests/papers/across",
        *asked,
    )
    lacking = told.partition("nova is a draft; before the mark is taken out it needs:")[2]
    for word in ("references.bib", "nova/README.md has no row"):
        assert word in lacking
    assert "typed by hand" not in lacking


#: What asks all papers at once, see the mark ``papers``: there a sixth one may change nothing.
AT_ONCE = ("test_door.py", "cli/test_bounds_command.py", "book/test_api.py", "book/test_library_page.py")


def test_what_asks_all_papers_at_once_stays_as_it_is(copy, walked):
    asked = [f"tests/{place}" for place in AT_ONCE]
    run(copy[0], "-m", "pytest", "-q", "-p", "no:cacheprovider", "-m", "papers", *asked)


#: Mistakes of an author that the fast tests name: the file, what is written there in place of what, and what is said.
PLANTED = {
    "claims.csv": ("lower-regret", "lower-loss", "every row of claims.csv has its test"),
    "errors.csv": ("E1,constants", "statement:lemma-1,constants", "nova E1: confirmed, and has no row in"),
    "inventory.csv": (
        "lemma-1,",
        "lemma-2,x,Section 2,,claim,yes\nlemma-1,",
        "lists lemma-2, which no module of companion.papers.nova",
    ),
}
#: The same of a tooth that was not caught.
BLUNT = """
from companion.core.files import results_folder
from companion.stored.results import load_entries, store_entries

kept = load_entries(results_folder("nova"), "ledger", "")
kept.entries[0]["teeth"][0]["caught"] = False
store_entries(results_folder("nova"), "ledger", kept.entries, kept.record)
"""
FAST = ("-m", "pytest", "-q", "--tb=line", "-p", "no:cacheprovider", "-m", "not slow", "-k", "nova")


def test_mistakes_are_named_by_the_fast_tests_and_once(copy, walked):
    scratch, paths = copy[0], {name: copy[0] / "data/reported/nova" / name for name in PLANTED}
    ledger = scratch / "data/results/nova/ledger.json"
    right = {path: path.read_text(encoding="utf-8") for path in (*paths.values(), ledger)}

    def told():
        with pytest.raises(AssertionError) as failed:
            run(scratch, *FAST, "tests/papers/test_ledger.py")
        return str(failed.value).partition("short test summary")[0]

    run(scratch, "-c", BLUNT)
    blunt = told()
    for name, (old, new, _) in PLANTED.items():
        paths[name].write_text(right[paths[name]].replace(old, new, 1), encoding="utf-8")
    mistaken = told()
    for path, text in right.items():
        path.write_text(text, encoding="utf-8")
    assert "does not bite" in blunt
    assert [said for *_, said in PLANTED.values() if said not in mistaken] == []
    assert (blunt.split()[0].count("F"), mistaken.split()[0].count("F")) == (1, len(PLANTED)), "a test each"


@pytest.mark.parametrize(
    ("slug", "said"),
    [
        ("Toy", "lower-case"),
        ("import", "lower-case"),
        ("1st", "lower-case"),
        ("a_record", "not ending"),
        ("tsrsr", "there already"),
    ],
)
def test_a_slug_that_cannot_be_is_refused(slug, said, root, monkeypatch, capsys):
    monkeypatch.chdir(root)
    assert main(["new-paper", slug]) == ParameterError.exit_code
    assert said in capsys.readouterr().err
    assert not (root / "src/companion/papers" / slug / "method.py").exists()
