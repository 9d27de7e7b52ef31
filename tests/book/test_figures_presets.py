"""Figures to drag, wherever a page speaks of them: after every preset, and every choice of a menu, all handles there are.

Pages and presets are found in the sources, so that a new one is tried by itself.
"""

from __future__ import annotations

import html
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from book.test_figures import FIGURES, USUAL
from book.test_figures_text import ROOT, needed, sources, spoken

from book import dragging

pytestmark = needed

#: Of a page and a figure on it: where the page lets it begin, and the presets that the text offers.
PLACES = {
    f"{path.stem}-{name}": (name, said, [of for role, _, of in roles if role == "preset"])
    for path in sources()
    for name, said, roles in spoken(path.read_text(encoding="utf-8"))
}
KEYS = ("ArrowRight", "ArrowDown", "End", "Home")

#: Handles and grips by control, with the distance between them in pixels; handles that nobody can take are none.
_RINGS = """(name) => {
  const there = {};
  for (const host of document.querySelectorAll(`.drag-stage[data-figure="${name}"] .drag-picture`)) {
    for (const e of host.querySelectorAll("[role=slider]")) {
      const [a, b] = [e.getBoundingClientRect(), host.getBoundingClientRect()], control = e.id.replace(`drag-${name}-`, "");
      const grip = host.grips.find(({ names }) => names[0] === control);
      there[control] = grip ? Math.hypot(a.x + a.width / 2 - b.x - grip.left, a.y + a.height / 2 - b.y - grip.top) : null;
    }
    for (const { names: [control] } of host.grips) there[control] ??= null;
  }
  return there;
}"""
_MENUS = """(name) => [...document.querySelectorAll(`select[id^='drag-${name}-']`)]
  .map(e => [e.id, [...e.options].map(o => o.value)])"""

#: Until what was asked for is drawn.
_FRAME = "() => new Promise((go) => requestAnimationFrame(() => requestAnimationFrame(go)))"

Tried = Callable[..., list[str]]


@pytest.fixture
def tried(window: Any, tmp_path: Path) -> Iterator[Tried]:
    """Tries a figure as a page has it, with a planted fault; what goes wrong."""
    faults, now = list[str](), ""

    def thrown(error: Any) -> None:
        faults.append(f"{now}: {error}")

    def said(message: Any) -> None:
        if message.type == "error":
            faults.append(f"{now}: {message.text}")

    def try_(name: str, said: dict[str, str], presets: list[str], change: tuple[str, ...] = ()) -> list[str]:
        nonlocal now
        here = "".join(f' data-{k}="{html.escape(said[k])}"' for k in ("fixed", "start") if k in said)
        words = "".join(f'<span class="drag-preset" data-of="{html.escape(of)}">go</span> ' for of in presets)
        path = tmp_path / "page.html"
        path.write_text(dragging.page_of(name, FIGURES[name].record(), words, here, change), encoding="utf-8")
        window.set_viewport_size(USUAL)
        now = name
        dragging.goto(window, path.as_uri())
        faults.extend(every_handle(window, name, now))
        for place, of in enumerate(presets):
            now = of
            window.locator("a.drag-preset").nth(place).evaluate("e => e.click()")
            dragging.settle(window)
            faults.extend(every_handle(window, name, now))
        held = ".grip(" in dragging.script(name).read_text(encoding="utf-8")
        for menu, values in window.evaluate(_MENUS, name) if held else ():
            for value in values:
                now = f"{menu}={value}"
                window.locator(".drag-buttons button", has_text="Reset").evaluate("e => e.click()")
                window.locator(f"#{menu}").evaluate(
                    "(e, v) => { e.value = v; e.dispatchEvent(new Event('input', { bubbles: true })); }", value
                )
                dragging.settle(window)
                faults.extend(every_handle(window, name, now))
        return faults

    window.on("pageerror", thrown)
    window.on("console", said)
    yield try_
    window.remove_listener("pageerror", thrown)
    window.remove_listener("console", said)


def every_handle(page: Any, name: str, now: str) -> Iterator[str]:
    """A handle stands at each grip and nowhere else; each follows the mouse and keys."""
    rings = page.evaluate(_RINGS, name)
    yield from (f"{now}: {control}: {off}" for control, off in rings.items() if off is None or off > 1)
    for control in (control for control, off in rings.items() if off is not None):
        knob = page.locator(f"#drag-{name}-{control}")
        if knob.count():
            knob.scroll_into_view_if_needed()
            box = knob.bounding_box()
            x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
            before = dragging.shown(page, name)["inputs"]
            page.mouse.move(x, y)
            page.mouse.down()
            # One way, then the other: where it stands already at an end.
            picture, seen = knob.locator("..").bounding_box(), [before]
            for way in (1, -1):
                page.mouse.move(x + 0.3 * way * picture["width"], y + 0.3 * way * picture["height"])
                page.evaluate(_FRAME)
                seen.append(dragging.shown(page, name)["inputs"])
            page.mouse.up()
            if seen[0] == seen[1] == seen[2]:
                yield f"{now}: {control} cannot be moved by mouse"
            for key in KEYS:
                if knob.count():
                    knob.focus()
                    page.keyboard.press(key)
                    page.evaluate(_FRAME)
                    seen.append(dragging.shown(page, name)["inputs"])
            if all(one == seen[-1] for one in seen[-len(KEYS) - 1 :]):
                yield f"{now}: {control} cannot be moved by keys"


def test_presets_are_found_in_lessons_and_other_pages() -> None:
    assert {name for name, _, _ in PLACES.values()} == set(dragging.names())
    lessons = {path.stem for path in (ROOT / "notebooks").glob("ch*.py") if not path.stem.endswith("_record")}
    assert lessons <= {place.partition("-")[0] for place in PLACES}
    assert all(presets for name, _, presets in PLACES.values() if name not in ("horizon", "runs"))


@pytest.mark.parametrize("place", PLACES)
def test_no_handle_is_dead_after_any_preset(place: str, tried: Tried) -> None:
    faults = tried(*PLACES[place])
    assert not faults, "\n".join(faults)


DEAD = {
    "a handle without a grip": ("controls.js", "forEach((element) => element.remove())", "forEach(() => 0)"),
    "a grip without a handle": ("controls.js", "if (!element.isConnected) host.append(element);", ""),
    "a grip that throws": ("ch3_batches.js", "({ width: y })", "missing(y)"),
    "keys that do nothing, and a mouse": (
        "controls.js",
        "const change = (asked) => {",
        "const change = (asked) => { return;",
    ),
    "a handle beside its grip": ("controls.js", "`${left}px ${top}px`", "`${left}px ${left}px`"),
}


@pytest.mark.parametrize("fault", DEAD)
def test_a_dead_handle_is_noticed(fault: str, tried: Tried) -> None:
    assert tried("batches", {}, ["batches?from=theory", "batches?width=0.3"], DEAD[fault])
