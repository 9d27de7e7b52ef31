"""Help: whom a command is for, an example that works, chapters by their names, the same words for the same options."""

import importlib
import io
import itertools
import re
import shlex
from pathlib import Path
from typing import get_args

import pytest

from companion import cli, registry
from companion.cli import COMMANDS, application, help_of, parse
from companion.cli.assignment_command import Action
from companion.simulate.plan import read_plan

NAMES = sorted(itertools.chain(*COMMANDS.values()))


def help_for(*names):
    told = io.StringIO()
    help_of(application(summaries=not names), names, told)
    return told.getvalue()


def test_every_command_stands_in_one_group():
    assert len(NAMES) == len(set(NAMES))
    assert {f"{name.replace('-', '_')}_command" for name in NAMES} == {
        path.stem for path in Path(cli.__file__).parent.glob("*_command.py")
    }
    told = help_for()
    assert re.findall(r"^(for .*):$", told, re.MULTILINE) == list(COMMANDS)
    for name in NAMES:
        summary = " ".join(
            importlib.import_module(f"companion.cli.{name.replace('-', '_')}_command")
            .execute.__doc__.split("\n")[0]
            .split()
        )
        assert f"{name} {summary}" in " ".join(told.split())


def test_nothing_given_prints_the_help_and_is_still_an_error(command):
    code, out, err = command()
    assert (code, out) == (2, "")
    assert err.startswith("Usage: companion")
    assert "for teachers:" in err
    assert err.splitlines()[-1].startswith("companion: COMMAND:")


@pytest.mark.parametrize("name", [*NAMES, *(f"assignment {action}" for action in get_args(Action))])
def test_every_help_ends_with_an_example_that_is_a_command_line(name, monkeypatch):
    monkeypatch.setenv("COLUMNS", "60")
    told = help_for(*name.split())
    (example,) = re.findall(r"^Example: (.*)$", told, re.MULTILINE)
    assert max(len(line) for line in told.splitlines() if not line.startswith(("Example", "Usage", "    "))) <= 60
    words = shlex.split(example)
    assert " ".join(words).startswith(f"companion {name}")
    assert parse(words[1:]).command == name.split()[0]


def test_an_action_shows_its_own_options_alone():
    assert "--overrides" in help_for("assignment", "grade")
    assert not {"--overrides", "--late", "--wheels"} & {*help_for("assignment", "make").split()}


def test_chapters_are_named(monkeypatch):
    monkeypatch.setenv("COLUMNS", "400")
    for name in NAMES:
        told = help_for(name)
        for slug, number in re.findall(r"(\S+) \(?chapters? (\d)", told):
            assert str(registry.get(slug).number) == number
        assert len(re.findall(r"chapters? \d|chapter's \d", told)) == len(re.findall(r"\w+ \(chapter \d\)", told))


def test_the_bounds_name_the_chapters_they_belong_to(monkeypatch):
    monkeypatch.setenv("COLUMNS", "400")
    assert "batched (chapter 3) and wdrbo (chapter 5)" in help_for("bounds")


def test_workers_are_explained_in_the_same_words(monkeypatch):
    monkeypatch.setenv("COLUMNS", "400")
    said = {
        re.sub(r"or -?1\)", "or ...)", line.split("--jobs N")[1].strip())
        for name in NAMES
        for line in help_for(name).splitlines()
        if line.lstrip().startswith("--jobs")
    }
    assert said == {"worker processes, -1 for one per core (default: COMPANION_JOBS, or ...)"}


@pytest.mark.parametrize("words", [("run", "3"), ("trial", "batched", "appendix-e", "bpe", "--seed", "0")])
def test_a_parameter_is_set_by_either_option(words):
    given = ["-p", "horizon=30", "--set", "noise=0.1"]
    assert parse([*words, *given]).values["settings"] == ["horizon=30", "noise=0.1"]


def test_the_tables_that_verify_compares_have_an_option_of_their_own():
    for option in ("--tables", "--set"):
        assert parse(["verify", "batched", option, "runs"]).values["tables"] == "runs"


def test_the_plan_that_is_shown_is_one(tmp_path):
    plan = tmp_path / "plan.toml"
    plan.write_text(
        "".join(
            line[4:] + "\n" for line in help_for("sweep").splitlines() if line.startswith("    ") and line[4] != " "
        )
    )
    assert len(read_plan(plan, registry.experiment).tasks) == 100
