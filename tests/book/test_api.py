"""The pages of the API: their examples run, what they name is there, and references lead to pages or to code."""

from __future__ import annotations

import doctest
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from companion import registry
from companion.pages.document import chapters

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "book" / "_ext"))
import companion_api  # noqa: E402
import companion_paper_api  # noqa: E402
import companion_source  # noqa: E402

PAGES = sorted((ROOT / "book" / "api").glob("*.md"))
CHAPTERS = [
    chapter for chapter in chapters(ROOT) if chapter.paper is not None and chapter.paper not in registry.CROSS_PAPER
]


@pytest.mark.parametrize("page", [page for page in PAGES if page.stem != "index"], ids=lambda page: page.stem)
@pytest.mark.papers
def test_the_example_of_every_page_gives_what_it_shows(page: Path) -> None:
    # The end of a listing is no part of the last output.
    text = page.read_text(encoding="utf-8").replace("\n```\n", "\n\n")
    example = doctest.DocTestParser().get_doctest(text, {}, page.stem, str(page), 0)
    assert example.examples, "a page of the API has an example"
    said: list[str] = []
    doctest.DocTestRunner(optionflags=doctest.ELLIPSIS).run(example, out=said.append)
    assert not said, "".join(said)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_every_name_on_a_page_can_be_imported(page: Path) -> None:
    for place, names in companion_api.asked(page.read_text(encoding="utf-8")):
        for name in names:
            assert companion_api.look_up(f"{place}.{name}") is not None, f"{place}.{name}"


@pytest.fixture
def warned(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    said: list[str] = []
    logger = SimpleNamespace(warning=lambda text, *values, **_: said.append(text % values))
    monkeypatch.setattr(companion_api, "_LOGGER", logger)
    return said


def test_a_name_that_is_gone_is_a_warning(warned: list[str]) -> None:
    text = ["%api companion.checks.chain: Chain Link\n"]
    companion_api.expand(SimpleNamespace(), "book/api/checks", text)  # type: ignore[arg-type]
    assert warned == ["book/api/checks: module 'companion.checks.chain' has no attribute 'Link'"]


def test_a_package_is_documented_under_the_names_that_people_import(warned: list[str]) -> None:
    text = ["%api companion.gp\n"]
    companion_api.expand(SimpleNamespace(), "book/api/gp", text)  # type: ignore[arg-type]
    assert ".. autoclass:: companion.gp.Matern\n   :members:" in text[0]
    assert ".. autofunction:: companion.gp.gp_draw" in text[0]
    # The comment above a constant is found where it is defined.
    assert ".. autodata:: companion.gp.kernels.KERNEL_NAMES" in text[0]
    assert companion_api.documented(ROOT)["companion.gp.kernels.Matern"] == "companion.gp.Matern"
    assert not warned


@pytest.mark.parametrize("chapter", CHAPTERS, ids=lambda chapter: chapter.paper)
def test_a_papers_page_names_its_rule_bounds_experiments_and_studies(chapter: Any) -> None:
    text = companion_paper_api.contents(chapter)
    for title in ("## Rules", "## Bounds", "## Experiments", "## Studies"):
        assert title in text
    assert len(text) < 12_000, "a short page"
    for line in text.splitlines():
        if line.startswith(":src:"):
            module, name = companion_source.split(line.partition("<")[2].partition(">")[0])
            assert not name or companion_source.locate(module, name) == name, line


def test_a_first_sentence_ends_where_it_ends() -> None:
    def one() -> None:
        """The rule of Alg. 1, eqs. (2), of :class:`~companion.gp.Matern` and |x|. More of it."""

    assert companion_paper_api.sentence(one) == r"The rule of Alg. 1, eqs. (2), of ``Matern`` and \|x\|."
