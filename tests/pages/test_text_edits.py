"""The committed pages and text: other docstrings, messages, annotations and no comments in the whole package, none is stale."""

from __future__ import annotations

import ast
import functools
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

import companion
from companion.pages.dependence import code_meaning, joined
from companion.pages.document import chapters, read_source
from companion.reproduce import meaning

pytestmark = pytest.mark.slow

ROOT = Path(__file__).resolve().parents[2]
OTHER = "Something else is said here."


class Reworded(ast.NodeTransformer):
    """Another docstring wherever there is one, other words in every ``raise``, ``object`` for every annotated argument."""

    def visit_Module(self, node: ast.Module) -> ast.AST:
        return self._documented(node)

    def visit_ClassDef(self, node: ast.ClassDef) -> ast.AST:
        return self._documented(node)

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        node.returns = None
        return self._documented(node)

    def visit_arg(self, node: ast.arg) -> ast.AST:
        node.annotation = None if node.annotation is None else ast.Name("object", ast.Load())
        return node

    def visit_Raise(self, node: ast.Raise) -> ast.AST:
        for part in ast.walk(node):
            if isinstance(part, ast.Constant) and isinstance(part.value, str):
                part.value = f"{part.value} {OTHER}"
        return node

    def _documented(self, node: ast.Module | ast.ClassDef | ast.FunctionDef) -> ast.AST:
        if ast.get_docstring(node) is not None:
            node.body[0] = ast.Expr(ast.Constant(OTHER))
        return self.generic_visit(node)


@pytest.fixture(scope="module")
def package(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    copy = tmp_path_factory.mktemp("reworded") / "companion"
    shutil.copytree(Path(companion.__file__).parent, copy, ignore=shutil.ignore_patterns("__pycache__"))
    for path in copy.rglob("*.py"):
        tree = Reworded().visit(ast.parse(path.read_text(encoding="utf-8")))
        path.write_text(ast.unparse(ast.fix_missing_locations(tree)), encoding="utf-8")
    assert OTHER in (copy / "gp" / "finite.py").read_text(encoding="utf-8")
    with pytest.MonkeyPatch.context() as patched:  # the copy does not change, and is read once for all pages
        patched.setattr(meaning, "_reader", functools.cache(meaning._reader))
        yield copy


@pytest.mark.parametrize("chapter", chapters(ROOT), ids=lambda chapter: chapter.stem)
def test_no_page_goes_stale_by_text(chapter, package: Path) -> None:
    source = joined(read_source(chapter.source).cells)
    assert code_meaning(source, package) == code_meaning(source)


def test_a_changed_constant_in_the_reworded_package_is_seen(package: Path, tmp_path: Path) -> None:
    source = joined(read_source(chapters(ROOT)[0].source).cells)
    copy = tmp_path / "companion"
    shutil.copytree(package, copy)
    text = (copy / "pages" / "tables.py").read_text(encoding="utf-8")
    assert text.count("def significant(value: object, digits: object=4)") == 1
    text = text.replace("digits: object=4)", "digits: object=5)")
    (copy / "pages" / "tables.py").write_text(text, encoding="utf-8")
    assert code_meaning(source, copy) != code_meaning(source)
