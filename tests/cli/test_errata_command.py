"""``companion errata``: a page, a letter, JSON; nothing that was written before is replaced, and what is wrong ends with 1."""

import json
from dataclasses import replace

import pytest

from companion import registry
from companion.core.files import repository_root
from companion.exports import errata
from companion.exports.identity import cited_reference


def test_the_page_has_the_program_and_what_it_prints(command):
    code, out, err = command("errata", "1", "--id", "E2")
    assert (code, err) == (0, "")
    assert out.index("## What holds") < out.index("(E2)") < out.index("## How to answer")
    told = errata.document("tsrsr", only="E2")[0]["errata"][0]
    for part in (told["program"], "\n".join(told["prints"]), "**Printed.**", "**Wrong.**", "**Repair.**"):
        assert part in out


def test_the_letter_begins_with_the_authors_and_what_holds(command, tmp_path):
    path = tmp_path / "letter.md"
    words = ("errata", "tsrsr", "--id", "E2", "--form", "letter", "--out", path)
    code, out, err = command(*words)
    assert (code, out, err) == (0, f"{path}\n", "")
    text = path.read_text(encoding="utf-8")
    assert text.startswith("Dear Zhaolin Ren and Na Li,\n")
    said = " ".join(text.split())
    assert said.index("24 hold as printed") < said.index("(E2)") < said.index("ours to be proved wrong")
    assert text.endswith("With regards,\nthe companion's authors\n")
    assert command(*words)[0] == 0, "the same again"
    path.write_text(f"{text}P.S.", encoding="utf-8")
    code, out, err = command(*words)
    assert (code, out) == (2, "")
    assert "out: " in err
    assert "Choose another name" in err
    assert path.read_text(encoding="utf-8").endswith("P.S.")


def test_json_is_the_same_on_the_screen_and_in_a_file(command, tmp_path):
    shown = json.loads(command("errata", "tsrsr", "--id", "X8", "--json")[1])
    assert shown == json.loads(command("errata", "tsrsr", "--id", "X8", "--form", "json")[1])
    assert command("errata", "tsrsr", "--id", "X8", "--form", "json", "--out", tmp_path / "x8.json")[0] == 0
    assert shown == json.loads((tmp_path / "x8.json").read_text(encoding="utf-8"))
    assert [entry["id"] for entry in shown["errata"]] == ["X8"]


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (
            ("errata", "tsrsr", "--form", "leter"),
            "--form: got 'leter'; expected one of markdown, letter, json. Did you mean",
        ),
        (("errata", "tsrsr", "--id", "E99"), "id: got 'E99'; expected one of "),
        (("errata", "across"), "paper: got 'across'; expected one of "),
        (
            ("errata", "tsrsr", "--id", "E2", "--out", "."),
            "out: . is there, and is something else; expected a new file",
        ),
    ],
)
def test_bad_input_is_refused(command, words, told):
    code, out, err = command(*words)
    assert (code, out) == (2, "")
    assert err.startswith(f"companion errata: {told}")


def test_an_erratum_whose_program_fails_is_told_and_ends_with_1(command, monkeypatch):
    failed = errata.Outcome(("printed: 1",), "ends with AssertionError")
    monkeypatch.setattr(errata, "run", lambda sources: (failed,) * len(sources))
    code, out, err = command("errata", "tsrsr", "--id", "E2")
    assert code == 1
    assert "printed: 1" in out
    assert "E2" in err


def test_a_letter_about_another_work_is_refused_in_one_line(command, monkeypatch):
    """What the lesson cites first has to be the paper itself, as it was given its title; case and signs do not matter."""
    paper, title = registry.get("tsrsr"), cited_reference("tsrsr", repository_root())["title"]
    of = registry.get
    for given, code in ((title.upper().replace(":", " -"), 0), ("Another work", 4)):
        named = replace(paper, title=given)
        monkeypatch.setattr(registry, "get", lambda slug, named=named: named if slug == "tsrsr" else of(slug))
        found, out, err = command("errata", "tsrsr", "--id", "E2")
        assert (found == 0, bool(out)) == (code == 0, code == 0)
        assert err.count("\n") == (code != 0)
        assert ("cites first" in err) == (code != 0)
