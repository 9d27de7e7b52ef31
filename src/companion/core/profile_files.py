"""Profiles: YAML files of parameter values, held to a chapter's declaration, and refused with file and line."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from companion.core.errors import ParameterError, known_as
from companion.core.files import plain_yaml
from companion.core.parameters import ParameterSet, Value

#: Known profile names; ``book`` is the declared defaults and has no file.
PROFILES = ("smoke", "book", "paper")


def load_profile(
    path_or_chapter: str | Path, name: str, parameters: ParameterSet, root: str | Path = "."
) -> dict[str, Value]:
    """Every parameter of a chapter under one profile.

    Parameters
    ----------
    path_or_chapter : a YAML file, or a chapter's notebook name such as ``ch3_batched``, whose profiles are
        ``notebooks/profiles/<chapter>/<name>.yaml`` below ``root``
    name : one of :data:`PROFILES`; ``book`` is the declared defaults and reads no file
    parameters : the chapter's declaration
    root : repository root, the working directory unless given

    Raises
    ------
    ParameterError
        for an unknown profile, a missing file, broken YAML or a refused value; with file and line
    """
    known_as("profile", name, PROFILES)
    if name == "book":
        return parameters.resolve({})
    path = Path(path_or_chapter)
    if path.suffix not in {".yaml", ".yml"}:
        path = Path(root) / "notebooks" / "profiles" / str(path_or_chapter) / f"{name}.yaml"
    if not path.is_file():
        raise ParameterError("profile", f"there is no file {path}", "a YAML file of parameter values")
    values, lines = read_yaml_mapping(path)
    checked = {}
    for key, value in values.items():
        try:
            checked.update(parameters.check({key: value}))
        except ParameterError as error:
            problem = str(error).removeprefix(f"{error.name}: ")
            located = ParameterError(f"{error.name} ({path}, line {lines[key]})", problem, remedy=_yaml_hint(value))
            located.name = error.name
            raise located from None
    return parameters.resolve(checked)


def read_yaml_mapping(path: Path) -> tuple[dict[str, Any], dict[str, int]]:
    """Top-level mapping of a YAML file and the line of each key; an empty file is an empty mapping.

    Raises
    ------
    ParameterError
        if the file is not YAML, not a mapping, or has a key twice or one that is not a name; with file and line
    """
    import yaml  # here, so that commands without a profile do not pay for it

    try:
        text = plain_yaml(path)
        root, values = yaml.compose(text, Loader=yaml.SafeLoader), yaml.safe_load(text)
    except ParameterError:
        raise
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        line = f", line {mark.line + 1}" if mark else ""
        raise ParameterError(f"{path}{line}", f"is not valid YAML: {error.problem or error.context}") from None
    except (yaml.YAMLError, UnicodeDecodeError, ValueError) as error:
        reason = str(error).splitlines()[0]
        raise ParameterError(str(path), f"is not valid YAML: {reason}") from None
    if root is None:
        return {}, {}
    if not isinstance(root, yaml.MappingNode):
        raise ParameterError(f"{path}, line 1", "is not a mapping", "lines 'name: value'")
    lines: dict[str, int] = {}
    for key, _ in root.value:
        if key.tag != "tag:yaml.org,2002:str":
            raise ParameterError(
                f"{path}, line {key.start_mark.line + 1}", f"{key.value!r} is not a name", "name: value"
            )
        if key.value in lines:
            place = f"{path}, line {key.start_mark.line + 1}"
            raise ParameterError(f"{key.value} ({place})", f"is already given on line {lines[key.value]}")
        lines[key.value] = key.start_mark.line + 1
    return values, lines


def _yaml_hint(value: object) -> str:
    # YAML 1.1 reads 1e-3 as a string, because it has no decimal point.
    if isinstance(value, str) and re.fullmatch(r"[+-]?\d+[eE][+-]?\d+", value):
        return f"In YAML write {value.lower().replace('e', '.0e')}, with a decimal point"
    return ""
