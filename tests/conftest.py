"""What every test shares: the repository's place, and a banner where the book was not looked at."""

from __future__ import annotations

from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent


@pytest.fixture(scope="session")
def root() -> Path:
    """The repository."""
    return ROOT


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Say loudly that the browser check did not happen; a skip in a long list is easily missed."""
    skipped = [report for report in terminalreporter.stats.get("skipped", []) if "browser" in report.keywords]
    if skipped:
        terminalreporter.write_sep("!", "THE BOOK WAS NOT LOOKED AT", red=True, bold=True)
        terminalreporter.write_line(
            "No Chromium was found on PATH (chromium, chromium-browser, google-chrome), so untypeset mathematics, TeX\n"
            "errors and outside requests would go unnoticed. On Debian: apt-get install chromium, then make test."
        )
        terminalreporter.write_sep("!", red=True, bold=True)
