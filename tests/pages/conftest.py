"""Small repositories with one tiny chapter each."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from companion.pages.document import Chapter
from companion.pages.execution import execute

SOURCE = """# %% [markdown]
# # A tiny chapter

# %% tags=["parameters"]
seed = 3  # root of the random stream, integer
rounds = 4  # length of the run, rounds
label = "a"  # what to print first, text

# %%
import numpy as np

values = np.random.default_rng(seed).normal(size=rounds)

# %%
print(label, len(values), f"{values.mean():.4g}")
"""


def repository(folder: Path, source: str = SOURCE) -> Chapter:
    """A repository with chapter 3 and a smoke profile."""
    (folder / "notebooks" / "profiles" / "ch3_batched").mkdir(parents=True)
    (folder / "pyproject.toml").write_text("", encoding="utf-8")
    (folder / "notebooks" / "profiles" / "ch3_batched" / "smoke.yaml").write_text("rounds: 2\n", encoding="utf-8")
    path = folder / "notebooks" / "ch3_batched.py"
    path.write_text(source, encoding="utf-8")
    return Chapter(path, folder)


@pytest.fixture(scope="session")
def executed_once(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A repository whose chapter has been executed; copied by each test that changes it."""
    folder = tmp_path_factory.mktemp("executed") / "repository"
    folder.mkdir()
    execute(repository(folder))
    return folder


@pytest.fixture
def chapter(executed_once: Path, tmp_path: Path) -> Chapter:
    """An executed chapter of this test's own."""
    folder = tmp_path / "repository"
    shutil.copytree(executed_once, folder)
    return Chapter(folder / "notebooks" / "ch3_batched.py", folder)
