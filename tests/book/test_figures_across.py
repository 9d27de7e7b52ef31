"""The figures that set papers side by side, against the package: the same bounds and shares, computed in a browser."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from tolerances import FIGURES_ATOL

from book import browser as looking
from book import dragging
from companion.across import gains, horizons
from companion.across.horizons import PAPERS, Setting
from companion.gp.kernels import KERNEL_NAMES

EXECUTABLE = looking.find_browser()
pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(EXECUTABLE is None, reason="no Chromium on PATH: the figures were not tried"),
]
SETTINGS = 200


@pytest.fixture(scope="module")
def chromium() -> Iterator[Any]:
    assert EXECUTABLE is not None
    with looking.chromium(EXECUTABLE) as browser:
        yield browser


def opened(browser: Any, name: str, change: tuple[str, str] = ("", "")) -> Any:
    """An empty page with the kit and a figure's script, in which a piece may be replaced by another."""
    page = browser.new_page()
    for part in (*dragging.KIT, dragging.script(name).name):
        text = (dragging.FOLDER / part).read_text(encoding="utf-8")
        if change[0] and part not in dragging.KIT:
            assert text.count(change[0]) == 1, change[0]
            text = text.replace(*change)
        page.add_script_tag(content=text)
    return page


# -- when does a bound say something? --------------------------------------------------------------------------------------

_BOUNDS = """([all, data]) => all.map((s) => {
  const { forms, trivial, from } = companionFigures.figures.horizon.compute(s, { data });
  return { forms: forms.map((f) => f.map((b) => (Number.isFinite(b) ? b : null))), trivial, from: from.map((t) => t ?? null) };
})"""


def settings(count: int) -> list[dict[str, Any]]:
    """Theorem by theorem, at random settings of the figure."""
    rng = np.random.default_rng(5)
    return [
        {
            "paper": PAPERS[case % len(PAPERS)],
            "kernel": str(rng.choice(KERNEL_NAMES)),
            "dim": int(rng.integers(1, 4)),
            "noise": float(rng.choice(gains.NOISES)),
            "m": int(rng.integers(1, 51)),
        }
        for case in range(count)
    ]


def differences(page: Any, cases: list[dict[str, Any]]) -> list[str]:
    """One line for each value that is another in the browser."""
    found = []
    for s, ours in zip(cases, page.evaluate(_BOUNDS, [cases, horizons.record()[0]]), strict=True):
        setting = Setting(s["kernel"], s["dim"], s["noise"], s["m"])
        theirs = horizons.averages(s["paper"], setting)
        for k, values in enumerate((theirs.printed, theirs.better)):
            shown = np.array([np.nan if b is None else b for b in ours["forms"][k]])
            if not np.allclose(shown, values, rtol=FIGURES_ATOL, atol=0, equal_nan=True):
                found.append(f"{s}: form {k}")
        begins = [t if np.isfinite(t) else None for t in horizons.horizons(s["paper"], setting)]
        if ours["from"] != begins or abs(ours["trivial"] - theirs.trivial) > FIGURES_ATOL:
            found.append(f"{s}: from {ours['from']}, not {begins}")
    return found


def test_the_bounds_are_those_of_the_package(chromium: Any) -> None:
    found = differences(opened(chromium, "horizon"), settings(SETTINGS))
    assert not found, "\n".join(found)


WRONG = {
    "the ratio of the wrong batch": ("(m - 1) / v", "m / v"),
    "every round rejected in full": ("u / 2", "u"),
    "the gain of the batch itself": ("(c * g(sizes[i - 1]))", "(c * g(n))"),
    "rounding left out": ("rounding[i] + ", ""),
    "half of the log determinant": ("d = 2 * g(T)", "d = g(T)"),
    "the gain at the noise": ('p === "wdrbo" ? 1 : s.noise', "s.noise"),
    "the first dip counts": ("findLastIndex", "findIndex"),
}


@pytest.mark.parametrize("fault", WRONG)
def test_a_wrong_bound_is_noticed(fault: str, chromium: Any) -> None:
    assert differences(opened(chromium, "horizon", WRONG[fault]), settings(40))
