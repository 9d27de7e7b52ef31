"""Every JSON document that a command prints inside a test is held against its schema."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from companion import cli
from companion.cli import Call, show, sweep_command
from companion.exports.schema import schema


def name_of(call: Call) -> str:
    """Definition of what a command prints."""
    if call.command == "verify" and call.values.get("renew"):
        return "verify-renew"
    action = call.function.__name__[1:] if call.command in cli.NESTED else call.values.get("action", "")
    if call.command == "sweep":
        action = next((word for word in call.values["words"] if word in sweep_command.ACTIONS), "run")
    return f"{call.command}-{action}" if action else call.command


def of_file(path: Path) -> str:
    """Name of the definition for a JSON file of ``data/results``."""
    if path.name.endswith(".record.json"):
        return "stored-record"
    return f"stored-{path.stem}"


def faults(name: str, content: Any) -> list[str]:
    """What is wrong with a document, a line each: where, and why."""
    checker = jsonschema.Draft202012Validator(schema(name))
    return [f"{name}{error.json_path[1:]}: {error.message}" for error in checker.iter_errors(content)]


@pytest.fixture(autouse=True)
def printed_json_fits_its_schema(monkeypatch):
    asked, parse, write = [], cli.parse, show.strict_json

    def parsed(arguments):
        asked.append(parse(arguments))
        return asked[-1]

    def written(content, indent=None):
        text = write(content, indent)
        assert faults(name_of(asked[-1]), json.loads(text)) == []
        return text

    monkeypatch.setattr(cli, "parse", parsed)
    monkeypatch.setattr(show, "strict_json", written)
