"""What the tests of pages share: one headless browser for each file of tests."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from book import browser as looking


@pytest.fixture(scope="module")
def chromium() -> Iterator[Any]:
    """A headless browser; where there is none, the test is skipped, and the end of the run says so."""
    executable = looking.find_browser()
    if executable is None:
        pytest.skip("no Chromium on PATH: the book was not looked at")
    with looking.chromium(executable) as browser:
        yield browser
