"""``book/library.md``: every recipe is a short program that prints what the page shows."""

import re

import pytest
from book.recipes import PAGE, printed, recipes

RECIPES = recipes(PAGE.read_text(encoding="utf-8"))
LONGEST = 20


def test_every_block_of_python_is_a_recipe():
    assert len(RECIPES) == len(re.findall(r"^```python$", PAGE.read_text(encoding="utf-8"), flags=re.MULTILINE))


@pytest.mark.parametrize("recipe", RECIPES, ids=lambda recipe: recipe.title)
def test_a_recipe_prints_what_the_page_shows(recipe, tmp_path):
    assert sum(bool(line.strip()) for line in recipe.code.splitlines()) < LONGEST
    assert recipe.output, "run: python tests/book/recipes.py"
    assert printed(recipe, tmp_path) == recipe.output
