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


@pytest.fixture(scope="module")
def window(chromium: Any) -> Iterator[Any]:
    """One page for all tests of a file, since a new one costs as much as a dozen figures; its timers run twenty times as fast."""
    context = chromium.new_context()
    context.add_init_script(
        """for (const name of ["setTimeout", "setInterval"]) {
          const wait = window[name]; window[name] = (act, ms = 0, ...more) => wait(act, ms / 20, ...more); }"""
    )
    yield context.new_page()
    context.close()
