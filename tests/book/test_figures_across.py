"""The figures that set papers side by side, against the package: the same bounds and shares, computed in a browser."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from tolerances import FIGURES_ATOL

from book import browser as looking
from book import dragging
from companion.gp.kernels import KERNEL_NAMES
from companion.papers.across.page import informative_horizons, repeat_runs
from companion.papers.across.theory import gains
from companion.papers.across.theory.bounds import BOUNDS
from companion.papers.across.theory.informative_horizons import PAIRS, blind_over_line, horizon_of, line_of, over_line

EXECUTABLE = looking.find_browser()
pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(EXECUTABLE is None, reason="no Chromium on PATH: the figures were not tried"),
]
SETTINGS = 200


def opened(page: Any, name: str, change: tuple[str, str] = ("", "")) -> Any:
    """A page emptied of all but the kit and a figure's script, in which a piece may be replaced by another."""
    page.goto("about:blank")
    for part in (*dragging.KIT, dragging.script(name).name):
        text = (dragging.FOLDER / part).read_text(encoding="utf-8")
        if change[0] and part not in dragging.KIT:
            assert text.count(change[0]) == 1, change[0]
            text = text.replace(*change)
        page.add_script_tag(content=text)
    return page


# -- when does a bound say something? --------------------------------------------------------------------------------------

_BOUNDS = """([all, data]) => all.map((s) => {
  const { forms, from, ...rest } = companionFigures.figures.horizon.compute(s, { data });
  return { ...rest, forms: forms.map((f) => f.map((b) => (Number.isFinite(b) ? b : null))), from: from.map((t) => t ?? null) };
})"""


#: What the menu of theorems calls a method.
PAPERS = {
    "tsrsr": "TS-RSR",
    "gpucb": "GP-UCB",
    "compressed": "compressed UCB",
    "batched": "BPE",
    "meanfield": "MF-GP-UCB",
    "wdrbo": "WDRBO",
}


def settings(count: int) -> list[dict[str, Any]]:
    """Theorem by theorem, at random settings of the figure."""
    rng = np.random.default_rng(5)
    return [
        {
            "paper": list(PAPERS)[case % len(PAPERS)],
            "kernel": str(rng.choice(KERNEL_NAMES)),
            "dim": int(rng.integers(1, 4)),
            "noise": float(rng.choice(gains.NOISES)),
            "m": int(rng.choice([1, 2, 5, 10, 20, 50])),
        }
        for case in range(count)
    ]


def differences(page: Any, cases: list[dict[str, Any]]) -> list[str]:
    """One line for each value that is another in the browser."""
    found = []
    for s, ours in zip(cases, page.evaluate(_BOUNDS, [cases, informative_horizons.record()[0]]), strict=True):
        pair, place = PAIRS[PAPERS[s["paper"]]], (s["kernel"], s["dim"], s["noise"], s["m"])
        line = line_of(pair[0], s["kernel"], s["dim"])
        for k, name in enumerate(pair):
            shown = np.array([np.nan if b is None else b for b in ours["forms"][k]])
            if not np.allclose(shown, line * over_line(name, *place), rtol=FIGURES_ATOL, atol=0, equal_nan=True):
                found.append(f"{s}: form {k}")
        firsts = [horizon_of(name, *place) for name in pair]
        begins, theirs = [t if np.isfinite(t) else 0.0 for t in firsts], [t or 0.0 for t in ours["from"]]
        if theirs != pytest.approx(begins, rel=FIGURES_ATOL) or ours["whose"] != [BOUNDS[n].constants for n in pair]:
            found.append(f"{s}: from {theirs}, not {begins}, or {ours['whose']}")
        off = ours["blindly"] / line - blind_over_line(pair[0], s["kernel"], s["dim"]), ours["trivial"] - line
        if np.abs(off).max() > FIGURES_ATOL:
            found.append(f"{s}: lines {ours['trivial']}, {ours['blindly']}")
    return found


def test_the_bounds_are_those_of_the_package(window: Any) -> None:
    found = differences(opened(window, "horizon"), settings(SETTINGS))
    assert not found, "\n".join(found)


WRONG = {
    "the ratio of the wrong batch": ("(m - 1) / (2 * v)", "m / (2 * v)"),
    "every round rejected in full": ("u / 2", "u"),
    "the gain of the batch itself": ("(c * g(sizes[i - 1]))", "(c * g(n))"),
    "rounding left out": ("rounding[k] + ", ""),
    "the gain of the next horizon": ("low < since ? Infinity : 1.0001 * chord", "Infinity"),
    "the next horizon tried": ("high - low <= 1", "high - low <= 1e9"),
    "a blind line for any kernel": ("blind[place + model]", "0.4 * lines[place + model]"),
    "half of the log determinant": ("d = 2 * g(T)", "d = g(T)"),
    "the batch that is begun left out": ("Math.ceil(T / m)", "Math.floor(T / m)"),
    "lambda = 1": ("sqrt(c * d + z * TEN)", "sqrt((2 * d) / log(2) + z * TEN)"),
    "the printed form for every lambda": ("c > 4 * v", "c > 1e9 * v"),
    "a line for any kernel": ("lines[place + model]", "sqrt(8 * log(N))"),
    "the first dip counts": ("findLastIndex", "findIndex"),
}


@pytest.mark.parametrize("fault", WRONG)
def test_a_wrong_bound_is_noticed(fault: str, window: Any) -> None:
    assert differences(opened(window, "horizon", WRONG[fault]), settings(40))


# -- how many runs would you need? -----------------------------------------------------------------------------------------

#: The places drawn are handed back.
_SHARES = """(all) => all.map(({ a, b, draws, most, seed }) => {
  const picks = [], { integer } = companionFigures.generator(seed, "runs");
  const found = companionFigures.figures.runs.shares(a, b, draws, most, (n) => { picks.push(integer(n)); return picks.at(-1); });
  return { picks, found: found.map((f) => [...f]) };
})"""


def samples(count: int) -> list[dict[str, Any]]:
    """Results of two methods, with ties in every second case and other numbers of runs in every third."""
    rng = np.random.default_rng(11)
    found = []
    for case in range(count):
        sizes = rng.integers(2, 60, 2) if case % 3 == 0 else np.full(2, rng.integers(2, 60))
        values = [rng.integers(0, 3, n).astype(float) if case % 2 else rng.standard_normal(n) for n in sizes]
        a, b = (v.tolist() for v in values)
        draws, most = (int(n) for n in rng.integers(1, 40, 2))
        found.append({"a": a, "b": b, "draws": draws, "most": most, "seed": case})
    return found


def other_shares(page: Any, cases: list[dict[str, Any]]) -> list[int]:
    """Numbers of the cases in which the page finds other shares than the package, for the same draws."""
    found = []
    for number, (s, ours) in enumerate(zip(cases, page.evaluate(_SHARES, cases), strict=True)):
        picks = np.array(ours["picks"]).reshape(s["draws"] + 1, s["most"])
        common = min(len(s["a"]), len(s["b"]))
        theirs = repeat_runs.shares(np.array(s["a"])[:common], np.array(s["b"])[:common], picks)
        if not np.allclose(ours["found"], theirs, rtol=0, atol=FIGURES_ATOL):
            found.append(number)
    return found


def test_the_shares_are_those_of_the_package(window: Any) -> None:
    assert not other_shares(opened(window, "runs"), samples(SETTINGS))


WRONG_SHARES = {
    "ties count": ("if (together < 0)", "if (together <= 0)"),
    "seeds of their own are common": ("b[before[n]]", "b[i]"),
    "seeds of the first draw for ever": ("before[n] = i;", ""),
}


@pytest.mark.parametrize("fault", WRONG_SHARES)
def test_a_wrong_share_is_noticed(fault: str, window: Any) -> None:
    assert other_shares(opened(window, "runs", WRONG_SHARES[fault]), samples(40))
