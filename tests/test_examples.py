"""Examples in docstrings: each gives what it shows, and three in ten names that a user calls have one."""

from __future__ import annotations

import ast
import doctest
import importlib
import inspect
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from oracles.optional import optional

import companion as cp

ROOT = Path(__file__).resolve().parents[1]
SOURCES = ROOT / "src"
sys.path.insert(0, str(ROOT / "book" / "_ext"))
import companion_api  # noqa: E402

MODULES = sorted(
    ".".join(path.relative_to(SOURCES).with_suffix("").parts).removesuffix(".__init__")
    for path in (SOURCES / "companion").rglob("*.py")
    if ">>> " in path.read_text(encoding="utf-8")
)

#: Floors whose exports people call; further names are those of ``import companion as cp`` and of the pages of the API.
FLOORS = ("gp", "information", "bounds", "problems", "policies", "simulate", "checks")

#: Share of these names that have to have an example.
LEAST = 0.3


@pytest.mark.slow
@pytest.mark.parametrize("name", MODULES)
def test_the_examples_of_a_module_give_what_they_show(name: str) -> None:
    said: list[str] = []
    module = optional(name, "torch gpytorch")
    if not module or ">>> found = cp.fit(" in Path(module.__file__).read_text(encoding="utf-8"):
        pytest.importorskip("gpytorch")
    runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS)
    for example in doctest.DocTestFinder().find(module, name):
        runner.run(example, out=said.append)
    assert not said, "".join(said)
    assert runner.tries > 0, "its examples stand where doctest does not look"


def shown(documentation: str | None, name: str = "") -> bool:
    """Whether a docstring has an example, and one that calls ``name`` if it is given."""
    examples = doctest.DocTestParser().get_examples(inspect.cleandoc(documentation or ""))
    called = {
        getattr(node.func, "attr", getattr(node.func, "id", ""))
        for example in examples
        for node in ast.walk(ast.parse(example.source))
        if isinstance(node, ast.Call)
    }
    return name in called if name else bool(examples)


def called(value: Any) -> Iterator[tuple[str, bool]]:
    """Name and whether there is an example: of a function, or of a class and its methods.

    The example of a class counts for the methods that it calls. Properties, protocols and exceptions are not counted.
    """
    if not (inspect.isfunction(value) or inspect.isclass(value)) or not value.__module__.startswith("companion"):
        return
    if inspect.isclass(value) and (issubclass(value, BaseException) or getattr(value, "_is_protocol", False)):
        return
    home = f"{value.__module__}.{value.__qualname__}"
    yield home, shown(value.__doc__)
    for name, member in vars(value).items() if inspect.isclass(value) else ():
        method = getattr(member, "__func__", member)
        if not name.startswith("_") and inspect.isfunction(method) and method.__doc__:
            yield f"{home}.{name}", shown(method.__doc__) or shown(value.__doc__, name)


def public() -> Iterator[Any]:
    """Everything that is offered to a user."""
    yield from (getattr(cp, name) for name in cp.__all__)
    for floor in map(importlib.import_module, (f"companion.{name}" for name in FLOORS)):
        yield from (getattr(floor, name) for name in getattr(floor, "__all__", ()))
    for page in sorted((ROOT / "book" / "api").glob("*.md")):
        for place, names in companion_api.asked(page.read_text(encoding="utf-8")):
            yield from (companion_api.look_up(f"{place}.{name}") for name in names)


@pytest.mark.slow
def test_three_in_ten_names_that_a_user_calls_have_an_example() -> None:
    names = dict(entry for value in public() for entry in called(value))
    lacking = sorted(name for name, has in names.items() if not has)
    share = 1.0 - len(lacking) / len(names)
    assert share >= LEAST, f"{share:.0%} of {len(names)} have an example; without one:\n" + "\n".join(lacking)


class Planted:
    """One.

    >>> Planted().first()
    1
    """

    def first(self) -> int:
        """Is shown by the class."""
        return 1

    def second(self) -> int:
        """Is named ``second`` in no call."""
        return 2


def test_an_example_counts_for_the_methods_that_it_calls(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Planted, "__module__", "companion.planted")
    assert [has for _, has in called(Planted)] == [True, True, False]


def test_an_example_that_gives_something_else_is_noticed() -> None:
    wrong = doctest.DocTestParser().get_doctest(
        (Planted.__doc__ or "").replace("    1\n", "    2\n"), globals(), "x", None, 0
    )
    said: list[str] = []
    doctest.DocTestRunner().run(wrong, out=said.append)
    assert re.search(r"Expected:\s+2\s+Got:\s+1", "".join(said))
