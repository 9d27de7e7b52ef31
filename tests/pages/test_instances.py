"""Every computed figure of lessons 1, 2, 4 and 5 says of which instance it is: points, length-scale and noise, or what fits."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from companion.core.files import repository_root
from companion.core.templates import FIELD

NOTEBOOKS = repository_root(Path(__file__).parent) / "notebooks"
#: The figures of lessons 1 and 2 on synthetic instances stand in these modules, as the lessons name them, or in a cell.
DRAWN = {"picture", "bound", "batch_studies", "regret", "order_studies", "tradeoff", "Figure"}
#: What a caption names, or the list of several settings.
NAMED, LISTED = {"points", "lengthscale", "noise"}, "settings"
#: Figures whose settings are too many for a caption: the section of the record that lists them, which the lesson links.
ELSEWHERE = {"exploration": "ch2-no-rule"}
#: What the captions of lessons 4 and 5 name, by figure; those of the last group lean on the caption of the staircase.
TOLD = {
    "ch4_meanfield": {
        "Figure": {"stations", "agents", "width"},
        "two_searches": {"stations", "agents", "width"},
        "searches_table": {"stations", "agents", "runs"},
        "waterfall": {"rounds", "stations", "laws", "lengthscale", "noise"},
        "terms_table": {"noise", "rounds"},
        "bound": {"noise", "runs"},
        "mornings_table": {"mornings"},
        "choices_table": {"mornings"},
    },
    "ch5_wdrbo": {
        "plans": set(),
        "Figure": {"pairs"},  # drawn by a cell of the page
        "transport": set(),
        "waterfall": {"rounds", "runs", "B", "norm"},
        "bound": {"runs"},
        "insurance_figure": {"runs", "radius"},
    },
}
#: They take their instance from the staircase, and say so.
LEANING = {"terms_table", "bound"}
#: How lesson 5 names its one instance.
DELIVERY = ("delivery round", "round above", "staircase")
#: What these lessons draw that is of no instance of its own: pictures of ideas, and stored runs that their tables name.
OTHERS = {"permutations", "leads"}


def captions(source: str, modules: set[str] | None = None) -> Iterator[tuple[str, str]]:
    """What is drawn by these modules (by default by any), and the caption, of every figure of a page."""
    for call in ast.walk(ast.parse(source)):
        if isinstance(call, ast.Call) and isinstance(call.func, ast.Name) and call.func.id == "show":
            shown, caption = call.args[:2]
            assert isinstance(shown, ast.Call)
            module, _, name = ast.unparse(shown.func).partition(".")
            if modules is None or module in modules:
                # What the page itself draws has no module.
                yield name.removeprefix("draw_") or module, ast.literal_eval(caption)


def fields(caption: str) -> set[str]:
    """What a caption names."""
    return {field["name"] for field in FIELD.finditer(caption)}


def silent(source: str) -> list[str]:
    """The figures on synthetic instances whose caption does not name its instance."""
    told = {name: fields(caption) for name, caption in captions(source, DRAWN)}
    return [
        name
        for name, found in told.items()
        if not found >= NAMED and LISTED not in found and f"<{ELSEWHERE.get(name)}>" not in source
    ]


@pytest.mark.parametrize("stem", ["ch1_tsrsr", "ch2_compressed"])
def test_captions_name_their_instance(stem: str) -> None:
    source = (NOTEBOOKS / f"{stem}.py").read_text(encoding="utf-8")
    assert len(list(captions(source, DRAWN))) >= 5
    assert silent(source) == []
    for name in NAMED:
        assert silent(source.replace(f"[[{name}", "[[other")), f"a caption without {name} is seen"


def test_settings_named_elsewhere_are_listed_there() -> None:
    source = (NOTEBOOKS / "ch2_compressed.py").read_text(encoding="utf-8")
    record = (NOTEBOOKS / "ch2_compressed_record.py").read_text(encoding="utf-8")
    for figure, section in ELSEWHERE.items():
        assert figure in silent(source.replace(f"<{section}>", "<other>")), "without the link it is silent"
        assert f"[[{LISTED}]]" in record.partition(f"({section})=")[2].partition("\n# (ch2-")[0]


def untold(source: str, needed: dict[str, set[str]]) -> list[str]:
    """The figures whose caption lacks a field that it needs, or leans on the staircase without a word."""
    shown = dict(captions(source))
    return [
        name
        for name, caption in shown.items()
        if name not in OTHERS
        and (
            name not in needed
            or not fields(caption) >= needed[name]
            or (name in LEANING and "staircase" not in caption)
        )
    ]


@pytest.mark.parametrize("stem", TOLD)
def test_captions_of_other_instances_name_theirs(stem: str) -> None:
    source, needed = (NOTEBOOKS / f"{stem}.py").read_text(encoding="utf-8"), TOLD[stem]
    assert set(needed) <= dict(captions(source)).keys()
    assert untold(source, needed) == []
    for figure, names in needed.items():
        for name in names:
            assert figure in untold(source.replace(f"[[{name}", "[[other"), needed), f"{figure} without {name} is seen"
    assert set(untold(source.replace("staircase", "stairs"), needed)) == LEANING & needed.keys()
    new = source + '\nshow(theory_figures.another(measured), "One more.", n)\n'
    assert untold(new, needed) == ["another"], "a new figure has to say what it is of"


def test_lesson_5_has_one_instance() -> None:
    source = (NOTEBOOKS / "ch5_wdrbo.py").read_text(encoding="utf-8")

    def others(text: str) -> set[str]:
        return {name for name, words in captions(text) if not any(told in words for told in DELIVERY)}

    assert others(source) == set()
    assert "one instance decides nothing" in source, "a sentence says why the experiment that decides has others"
    assert "insurance_figure" in others(source.replace("delivery round", "example"))
