"""Figures to drag, tried without the book: a page made of their real scripts and style, and hands that move the controls."""

from __future__ import annotations

import itertools
import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[2] / "book" / "_ext"))
import companion_figures

FOLDER = Path(__file__).parents[2] / "book" / "_static" / "figures"
KIT = ("engine.js", "chart.js", "controls.js")

#: What a figure uses of the theme, with the theme's values.
_THEME = """
html { --pst-color-border: #d1d5da; --pst-color-text-muted: #48566b; --pst-color-text-base: #222832;
  --pst-color-background: #fff; --pst-color-surface: #f3f4f5 }
html[data-theme="dark"] { --pst-color-border: #48566b; --pst-color-text-muted: #9ca4af; --pst-color-text-base: #ced6dd;
  --pst-color-background: #14181e; --pst-color-surface: #29313d }
body { margin: 0 auto; padding: 0 0.5rem; max-width: 50rem; font-family: sans-serif; color: var(--pst-color-text-base);
  background: var(--pst-color-background) }
.companion-scroll { overflow-x: auto }
a { color: inherit }
button { min-height: 2.2rem; border: 1px solid; background: var(--pst-color-surface); color: var(--pst-color-text-base) }
"""


def names() -> list[str]:
    """All figures there are."""
    return sorted(path.stem.partition("_")[2].replace("_", "-") for path in FOLDER.glob("*_*.js"))


def script(name: str) -> Path:
    """A figure's own script."""
    (found,) = FOLDER.glob(f"*_{name.replace('-', '_')}.js")
    return found


def shipped(part: str) -> str:
    """A script as readers load it."""
    return companion_figures.shipped((FOLDER / part).read_text(encoding="utf-8"))


def page_of(name: str, record: str = "null", words: str = "", said: str = "", change: tuple[str, ...] = ()) -> str:
    """A page that holds one figure and a link to another place, to be opened from a folder.

    ``words`` stand above the figure and far below it, ``said`` in its place; ``change`` is (script, what, by what),
    or several such threes.
    """
    parts = {part: shipped(part) for part in (*KIT, script(name).name)}
    for part, what, by in zip(change[::3], change[1::3], change[2::3], strict=True):
        assert parts[part].count(what) == 1, change
        parts[part] = parts[part].replace(what, by)
    loaded = "".join(f"<script>{part}</script>" for part in parts.values())
    loaded += f'<script src="{(FOLDER.parent / "reading.js").as_uri()}"></script>'
    style = f'<link rel="stylesheet" href="{(FOLDER / "figures.css").as_uri()}"><style>{_THEME}</style>'
    kept = f'<script type="application/json" id="drag-{name}-record">{record}</script>'
    stage = f'<p>What it teaches.</p><div class="drag-stage" data-figure="{name}"{said}></div>{kept}'
    place = f'<div class="companion-drag" id="drag-{name}">{stage}</div>'
    head = f'<meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>t</title>{style}'
    below = f'<p style="height: 120vh"></p><p id="below"><a href="#below">below</a> {words}</p>'
    return (
        f'<!doctype html><html lang="en" data-theme="light"><head>{head}</head>'
        f"<body><article><main><h1>t</h1><p>{words}</p>{place}{below}</main></article>{loaded}</body></html>"
    )


#: Everything that is shown, and the address.
_SHOWN = """(name) => {
  const stage = document.querySelector(`.drag-stage[data-figure="${name}"]`);
  const text = (part) => [...stage.querySelectorAll(part)].map((e) => e.textContent).join("|");
  return {
    picture: [...stage.querySelectorAll(".drag-picture")].map((e) => e.innerHTML).join(),
    described: [...stage.querySelectorAll("svg[role=img]")].map((e) => e.getAttribute("aria-label")).join(),
    words: text(".drag-summary, .drag-numbers"), outputs: text("output"), hash: location.hash, ms: +stage.dataset.ms,
    inputs: Object.fromEntries([...stage.querySelectorAll("input, select, .drag-knob")].map((e) =>
      [e.id.replace(`drag-${name}-`, ""), e.value ?? e.getAttribute("aria-valuenow")])),
  };
}"""

#: A picture is drawn with the next frame; the address follows when nothing has moved for a while.
_SETTLED = (
    """() => new Promise((go) => setTimeout(() => requestAnimationFrame(() => requestAnimationFrame(go)), 220))"""
)


#: Behind another question mark it is another page.
_FRESH = itertools.count()


def shown(page: Any, name: str) -> dict[str, Any]:
    """What the reader has before them: picture, description, words, outputs, inputs and address."""
    return dict(page.evaluate(_SHOWN, name))


def settle(page: Any) -> None:
    """Wait until picture and address have followed."""
    page.evaluate(_SETTLED)


def goto(page: Any, address: str) -> None:
    """Open an address afresh, also where only what stands behind the # is new."""
    place, _, hash_ = address.partition("#")
    page.goto(f"{place.partition('?')[0]}?{next(_FRESH)}{'#' if hash_ else ''}{hash_}", wait_until="load")


def put(page: Any, name: str, control: str, value: Any) -> None:
    """Set a control as a hand would, and wait; one that is a handle in the picture by the address."""
    page.locator(f"#drag-{name}-{control}").evaluate(
        """(e, [name, control, v]) => {
          if ("value" in e) { e.value = v; e.dispatchEvent(new Event("input", { bubbles: true })); return; }
          const { values } = companionFigures.figures[name].controls.find((c) => c.name === control);
          const asked = new URLSearchParams(location.hash.split("?")[1]);
          asked.set(control, values ? values[v] : v);
          location.hash = `#drag-${name}?${asked}`;
        }""",
        [name, control, str(value)],
    )
    settle(page)


def step(page: Any, name: str, control: str) -> None:
    """One step by key: on, or back where it ends."""
    place = page.locator(f"#drag-{name}-{control}")
    place.evaluate("e => { const fold = e.closest('details'); if (fold) fold.open = true; }")
    place.focus()
    menu, ends = place.evaluate(
        """e => e.tagName === 'SELECT' ? [true, e.selectedIndex === e.options.length - 1]
          : [false, e.role === "slider" ? e.ariaValueNow === e.ariaValueMax : e.value === e.max]"""
    )
    page.keyboard.press(("ArrowUp" if ends else "ArrowDown") if menu else ("ArrowLeft" if ends else "ArrowRight"))
    settle(page)


def table(page: Any, name: str) -> list[list[str]]:
    """Cells of a figure's table, row by row, without its head."""
    return list(
        page.eval_on_selector_all(
            f'.drag-stage[data-figure="{name}"] tbody tr', "rows => rows.map(r => [...r.cells].map(c => c.textContent))"
        )
    )
