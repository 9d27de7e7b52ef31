"""Help: whom a command is for, an example that works, chapters by their names, the same words for the same options."""

import re
import shlex

import pytest

from companion import papers
from companion.cli import arguments, parse

NAMES = sorted(arguments.parsers()[1])


def test_every_command_stands_in_one_group():
    parser = arguments.parsers()[0]
    groups = {one.title: one._group_actions for one in parser._action_groups if one.title.startswith("for ")}
    assert sorted(action.dest for actions in groups.values() for action in actions) == NAMES
    assert len(groups) == 3
    told = parser.format_help()
    assert re.findall(r"^(for .*):$", told, re.MULTILINE) == list(groups)
    assert all(re.search(rf"^  {name} ", told, re.MULTILINE) for name in NAMES)


def test_nothing_given_prints_the_help_and_is_still_an_error(command):
    code, out, err = command()
    assert (code, out) == (2, "")
    assert err.startswith("usage: companion")
    assert "for teachers:" in err
    assert err.splitlines()[-1].startswith("companion: COMMAND:")


@pytest.mark.parametrize("name", NAMES)
def test_every_help_ends_with_an_example_that_is_a_command_line(name, monkeypatch):
    monkeypatch.setenv("COLUMNS", "60")
    told = arguments.parsers()[1][name].format_help().rstrip()
    (example,) = re.findall(r"^Example: (.*)$", told, re.MULTILINE)
    assert told.endswith(example)
    assert "SUPPRESS" not in told
    words = shlex.split(example)
    assert words[:2] == ["companion", name]
    assert parse(words[1:]).command == name


def test_chapters_are_named(monkeypatch):
    monkeypatch.setenv("COLUMNS", "400")
    for parser in arguments.parsers()[1].values():
        told = parser.format_help()
        for slug, number in re.findall(r"(\S+) \(?chapters? (\d)", told):
            assert str(papers.of(slug).number) == number
        assert len(re.findall(r"chapters? \d|chapter's \d", told)) == len(re.findall(r"\w+ \(chapter \d\)", told))


def test_the_bounds_name_the_chapters_they_belong_to(monkeypatch):
    monkeypatch.setenv("COLUMNS", "400")
    assert "batched (chapter 3) and wdrbo (chapter 5)" in arguments.parsers()[1]["bounds"].format_help()


def test_workers_are_explained_in_the_same_words(monkeypatch):
    monkeypatch.setenv("COLUMNS", "400")
    said = {
        re.sub(r"or -?1\)", "or ...)", line.split("--jobs N")[1].strip().removeprefix("grade: submissions at a time"))
        for parser in arguments.parsers()[1].values()
        for line in parser.format_help().splitlines()
        if line.lstrip().startswith("--jobs")
    }
    assert {words.removeprefix("worker processes") for words in said} == {
        ", -1 for one per core (default: COMPANION_JOBS, or ...)"
    }


@pytest.mark.parametrize("words", [("run", "3"), ("trial", "batched", "appendix-e", "bpe", "--seed", "0")])
def test_a_parameter_is_set_by_either_option(words):
    given = ["-p", "horizon=30", "--set", "noise=0.1"]
    assert parse([*words, *given]).set == ["horizon=30", "noise=0.1"]


def test_the_tables_that_verify_compares_have_an_option_of_their_own():
    for option in ("--tables", "--set"):
        assert parse(["verify", "batched", option, "runs"]).tables == "runs"
