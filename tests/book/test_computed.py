"""What a prose page shows of the package: its listing runs as a reader copies it, its figure's words hold."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from docutils.core import publish_doctree
from docutils.parsers.rst import directives
from docutils.utils import SystemMessage

sys.path.insert(0, str(Path(__file__).parents[2] / "book" / "_ext"))
import companion_computed

from companion.core.templates import filled
from companion.information import gain_bracket
from companion.information.comparison import HORIZONS, instances
from companion.pages import Figure, Numbers
from companion.pages.gain import certificate_numbers, certified_gain, excess, gain_of_box

PAGE = (Path(__file__).parents[2] / "book" / "certificate.md").read_text(encoding="utf-8")


def test_the_listing_runs_alone(tmp_path: Path) -> None:
    [code] = re.findall(r"```\{computed-listing\}\n(.*?)```", PAGE, flags=re.DOTALL)
    (tmp_path / "copied.py").write_text(code, encoding="utf-8")
    call = [sys.executable, "-W", "error", "copied.py"]
    done = subprocess.run(call, cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    for lower, upper in re.findall(r"([\d.]+) <= gamma_T <= ([\d.]+)", done.stdout):
        assert float(lower) <= float(upper) < 1.05 * float(lower)


def test_the_words_of_the_figure_hold() -> None:
    found = re.findall(r"```\{computed-figure\} \S+\.(\w+)\n((?::[^\n]*\n)+)\n(.*?)```", PAGE, flags=re.DOTALL)
    told = {"certified_gain": certificate_numbers(), "gain_of_box": gain_of_box()[1]}
    assert [name for name, _, _ in found] == list(told)
    for name, options, caption in found:
        [facts] = re.findall(r":true-if: (.*)", options)
        assert all(told[name][fact] is True for fact in facts.split())
        assert "[[" not in filled(caption, told[name])
    assert certified_gain()[1] == told["certified_gain"]


def test_ends_of_independent_arms_enclose_the_exact_gain() -> None:
    # The best collection visits all arms equally often, up to one visit.
    arms = instances()[-1]
    for horizon, bracket in zip(HORIZONS, arms.brackets, strict=True):
        each, more = divmod(horizon, len(arms.covariance))
        visits = np.full(len(arms.covariance), each) + (np.arange(len(arms.covariance)) < more)
        exact = 0.5 * np.log1p(visits / arms.noise**2).sum()
        assert bracket.lower <= exact * (1 + 1e-12)
        assert exact <= bracket.upper


def test_what_is_drawn_is_what_the_bracket_says() -> None:
    first = instances()[0]
    again = gain_bracket(first.covariance, HORIZONS[4], first.noise**2)
    for bound, value in again.ends.items():
        assert excess(first, bound)[4] == pytest.approx(100 * (value / again.lower - 1), abs=1e-9)


def made(directive: type, text: str, monkeypatch: pytest.MonkeyPatch) -> Any:
    """The document with a directive that knows no Sphinx but the dependency it notes."""
    env = type("Environment", (), {"docname": "page", "note_dependency": lambda self, path: None})()
    monkeypatch.setattr(directive, "env", env)
    directives.register_directive("tried", directive)
    return publish_doctree(text, settings_overrides={"halt_level": 3, "report_level": 5})


def few() -> tuple[Figure, Numbers]:
    return Figure(lambda canvas, palette: None, size=(1, 1)), Numbers(n=3, low=True, high=False)


def test_a_figure_is_shown_with_its_numbers_and_stops_where_its_words_fail(monkeypatch: pytest.MonkeyPatch) -> None:
    text = f".. tried:: {__name__}.few\n   :alt: Picture of [[n]]\n   :true-if: FACT\n\n   All [[n]] of them.\n"
    shown = made(companion_computed.ComputedFigure, text.replace("FACT", "low"), monkeypatch).astext()
    assert "All 3 of them." in shown
    assert 'alt="Picture of 3"' in shown
    with pytest.raises(SystemMessage, match="no longer true: high"):
        made(companion_computed.ComputedFigure, text.replace("FACT", "high"), monkeypatch)


def count() -> Numbers:
    return few()[1]


def test_sentences_are_filled_in_the_markup_of_the_page(monkeypatch: pytest.MonkeyPatch) -> None:
    text = f".. tried:: {__name__}.count\n   :true-if: FACT\n\n   *All* [[n]] of them.\n"
    document = made(companion_computed.ComputedText, text.replace("FACT", "low"), monkeypatch)
    assert document.astext() == "All 3 of them."
    assert document.children[0].children[0].tagname == "emphasis"
    with pytest.raises(SystemMessage, match="no longer true: high"):
        made(companion_computed.ComputedText, text.replace("FACT", "high"), monkeypatch)


def test_a_listing_is_followed_by_what_it_prints(monkeypatch: pytest.MonkeyPatch) -> None:
    text = ".. tried::\n\n   x = 6\n   print(x * 7)\n"
    code, output = made(companion_computed.ComputedListing, text, monkeypatch).children
    assert (code.astext(), output.astext()) == ("x = 6\nprint(x * 7)", "42")
