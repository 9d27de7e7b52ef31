"""The code that a page shows is code that a reader can copy: it runs as it stands, alone."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from branched import Trunk, trunk

from companion.core.files import repository_root
from companion.pages.document import Chapter, chapters
from companion.pages.reading_length import listings

CHAPTERS = chapters(repository_root(Path(__file__).parent))


@pytest.fixture(scope="module")
def fresh() -> Iterator[Trunk]:
    """Python with warnings as errors that has read other people's libraries, and nothing of ours."""
    with trunk("import matplotlib.pyplot, pandas, scipy.optimize, scipy.stats", os.environ, ("-W", "error")) as ready:
        yield ready


@pytest.mark.slow
@pytest.mark.parametrize("chapter", CHAPTERS, ids=lambda chapter: chapter.stem)
def test_every_listing_runs_as_a_reader_copies_it(chapter: Chapter, tmp_path: Path, fresh: Trunk) -> None:
    # A listing may go on from the one before, as a reader does who copies from the top, and use the page's parameters.
    script = tmp_path / "copied.py"
    script.write_text("\n\n".join(listings(chapter, parameters=True)), encoding="utf-8")
    done = fresh.run(script)
    assert done.returncode == 0, done.stderr
