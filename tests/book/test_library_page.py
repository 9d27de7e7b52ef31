"""``book/library.md``: every recipe is a short program that prints what the page shows."""

import re

import pytest
from book.recipes import PAGE, Recipe, printed, recipes

RECIPES = recipes(PAGE.read_text(encoding="utf-8"))


def test_every_block_of_python_is_a_recipe():
    assert len(RECIPES) == len(re.findall(r"^```python$", PAGE.read_text(encoding="utf-8"), flags=re.MULTILINE))


@pytest.mark.papers
@pytest.mark.parametrize("recipe", RECIPES, ids=lambda recipe: recipe.title)
def test_a_recipe_prints_what_the_page_shows(recipe, tmp_path):
    if "cp.fit(" in recipe.code:
        pytest.importorskip("gpytorch")
    assert recipe.output, "run: python tests/book/recipes.py"
    assert printed(recipe, tmp_path) == recipe.output


def test_a_recipe_names_the_extra_that_it_needs():
    text = PAGE.read_text(encoding="utf-8")
    for recipe in RECIPES:
        prose = text.partition(f"## {recipe.title}\n")[2].partition("```python")[0]
        drawn = any(word in recipe.code for word in (".plot(", ".table("))
        framed = any(word in recipe.code for word in (".trials", ".frame", ".compare(", ".to_frame(", '.save("runs'))
        extra = "torch" if "cp.fit(" in recipe.code else "plots" if drawn else "tables" if framed else None
        assert prose.lstrip().startswith(f"Needs `[{extra}]`") == (extra is not None), recipe.title
    assert text.index("the nat, 1.44 bits") < text.index("```python")


def test_the_program_in_the_readme_runs(root, tmp_path):
    (code,) = re.findall(r"^```python\n(.*?)^```", (root / "README.md").read_text(encoding="utf-8"), flags=re.M | re.S)
    printed(Recipe("README", code, ""), tmp_path)
    assert (tmp_path / "regret.png").exists()
