"""Every computed figure of the first two lessons says of which instance it is: points, length-scale and noise."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from companion.core.files import repository_root
from companion.pages.text import FIELD

NOTEBOOKS = repository_root(Path(__file__).parent) / "notebooks"
#: Their figures on synthetic instances come from these modules of the papers.
DRAWN = {"theory_figures", "tradeoff_figures"}
#: What a caption names, or the list of several settings.
NAMED, LISTED = {"points", "lengthscale", "noise"}, "settings"


def captions(source: str) -> Iterator[tuple[str, str]]:
    """What is drawn, and the caption, of every figure of a page on a synthetic instance."""
    for call in ast.walk(ast.parse(source)):
        if isinstance(call, ast.Call) and isinstance(call.func, ast.Name) and call.func.id == "show":
            shown, caption = call.args[:2]
            assert isinstance(shown, ast.Call)
            module, _, name = ast.unparse(shown.func).partition(".")
            if module in DRAWN:
                yield name, ast.literal_eval(caption)


def silent(source: str) -> list[str]:
    """The figures whose caption does not name its instance."""
    told = {name: {field["name"] for field in FIELD.finditer(caption)} for name, caption in captions(source)}
    return [name for name, fields in told.items() if not fields >= NAMED and LISTED not in fields]


@pytest.mark.parametrize("stem", ["ch1_tsrsr", "ch2_compressed"])
def test_captions_name_their_instance(stem: str) -> None:
    source = (NOTEBOOKS / f"{stem}.py").read_text(encoding="utf-8")
    assert len(list(captions(source))) >= 5
    assert silent(source) == []
    for name in NAMED:
        assert silent(source.replace(f"[[{name}", "[[other")), f"a caption without {name} is seen"
