"""What every chapter promises: its parameters are declared, its profiles are accepted, bad values are refused."""

import ast
from collections.abc import Callable
from dataclasses import fields
from types import ModuleType

import pytest

from companion import registry
from companion.bounds.bound import Bound
from companion.core.errors import ParameterError
from companion.core.files import repository_root
from companion.core.parameters import ParameterSet
from companion.core.profile_files import load_profile
from companion.judge.claims import Verdicts
from companion.pages.chapter import check_parameters
from companion.pages.document import lessons
from companion.pages.parameter_cell import parameters
from companion.registry.paper import Lazy
from companion.simulate import Experiment
from companion.simulate.vectorised import Vectorised
from companion.stored.runs import PaperRuns

CHAPTERS = {chapter.paper: chapter for chapter in lessons(repository_root()) if chapter.paper}
#: Of the parts of a paper; what is not named here is called.
KINDS = {
    "parameters": ParameterSet,
    "experiments": Experiment,
    "stored_runs": PaperRuns,
    "statements": ModuleType,
    "leads": ModuleType,
    "bounds": Bound,
    "verdicts": Verdicts,
    "optimisers": type,
    "together": Vectorised,
}


@pytest.fixture(params=CHAPTERS)
def paper(request):
    return request.param


@pytest.fixture
def declared(paper):
    return registry.chapter_parameters(paper)


def test_declared_parameters_are_those_of_the_notebooks_and_each_page_has_those_it_uses(paper, declared):
    entries = {entry.name: entry for entry in declared.parameters}
    cells = {page: parameters(page.source) for page in CHAPTERS[paper].pages}
    assert {name for cell in cells.values() for name in cell} == set(entries)
    for page, cell in cells.items():
        assert list(cell) == [name for name in entries if name in cell], "in one order"
        names = (
            node for node in ast.walk(ast.parse(page.source.read_text(encoding="utf-8"))) if type(node) is ast.Name
        )
        assert set(cell) <= {node.id for node in names if isinstance(node.ctx, ast.Load)}, page.stem
        for name, entry in cell.items():
            assert entry.default == entries[name].default
            assert type(entry.default) is type(entries[name].default)
            assert not entries[name].help, "stands in the cell"
    for name in entries:
        said = {(cell[name].meaning, cell[name].unit) for cell in cells.values() if name in cell}
        assert len(said) == 1, f"{name} has one meaning"


def test_the_paper_says_which_chapter_is_about_it(paper):
    assert CHAPTERS[paper].number == registry.get(paper).number


def test_every_part_that_a_paper_names_is_there_and_of_its_kind(paper):
    declared = registry.get(paper)
    parts = {
        field.name: value.value
        for field in fields(declared)
        if isinstance(value := getattr(declared, field.name), Lazy)
    }
    for name, value in parts.items():
        several = isinstance(value, tuple)
        assert all(isinstance(one, KINDS.get(name, Callable)) for one in (value if several else (value,))), name


@pytest.mark.parametrize("profile", ["smoke", "paper"])
def test_profiles_are_accepted(paper, declared, profile):
    assert load_profile(CHAPTERS[paper].stem, profile, declared)


def test_every_parameter_has_bounds_that_the_notebook_enforces(paper, declared):
    check_parameters(declared, declared.resolve({}))
    for entry in declared.parameters:
        if entry.type not in ("int", "float"):
            continue
        assert entry.low is not None
        assert entry.high is not None
        for wrong in (entry.low - 1, entry.high + 1):
            with pytest.raises(ParameterError, match=entry.name):
                check_parameters(declared, declared.resolve({}) | {entry.name: type(entry.default)(wrong)})
