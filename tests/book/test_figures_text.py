"""Figures to drag and the text around them: links that set them, numbers that follow, counts over seeds, play, and handles."""

from __future__ import annotations

import html
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from book.test_figures import FIGURES, USUAL

from book import browser as looking
from book import dragging

ROOT = Path(__file__).resolve().parents[2]
EXECUTABLE = looking.find_browser()
needed = pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(EXECUTABLE is None, reason="no Chromium on PATH: the figures were not tried"),
]

Opened = Callable[..., Any]


@pytest.fixture
def opened(window: Any, tmp_path: Path) -> Iterator[Opened]:
    """Opens a figure at a setting, with words above it, and with a planted fault."""

    def open_(preset: str, words: str = "", said: str = "", change: tuple[str, ...] = ()) -> Any:
        name, _, query = preset.partition("?")
        path = tmp_path / "page.html"
        path.write_text(dragging.page_of(name, FIGURES[name].record(), words, said, change), encoding="utf-8")
        window.set_viewport_size(USUAL)
        dragging.goto(window, path.as_uri() + (f"#drag-{name}?{query}" if query else ""))
        return window

    yield open_
    window.emulate_media(reduced_motion="no-preference")


def preset(of: str, words: str = "see it") -> str:
    """What the role writes."""
    return f'<span class="drag-preset" data-of="{html.escape(of)}">{words}</span>'


def live(of: str, value: str = "?") -> str:
    """What the role writes."""
    return f'<span class="drag-live" data-of="{of}">{value}</span>'


def counted(page: Any) -> list[int]:
    """What the button counts, in the order of its sentences."""
    page.get_by_role("button", name="Count over 100 seeds").click()
    page.wait_for_function(
        "(e => e.textContent && !e.ariaBusy)(document.querySelector('.drag-counted'))", timeout=60_000
    )
    return [int(n) for n in re.findall(r"In (\d+) of 100 seeds: ", page.locator(".drag-counted").inner_text())]


# -- what each preset shows --------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Shows:
    """What a preset shows: numbers that follow, a part of what is said, and the counts over 100 seeds."""

    numbers: dict[str, str] = field(default_factory=dict)
    says: str = ""
    counts: tuple[int, ...] = ()


PRESETS = {
    "batch": Shows({"places": "5", "noise": "0.1"}, "Choice 1 of 5: x = 0.74, ratio 1.5", (26,)),
    "batch?noise=0.5&step=5": Shows({"places": "2", "closest": "0", "ratio": "0.655"}, "x = 0.7,", (36,)),
    "batch?step=5": Shows({"x": "0.8"}, "Choice 5 of 5: x = 0.8, ratio 8.05", (26,)),
    "batch?step=1&shift=-4": Shows({"x": "0.69"}, "ratio 0.00", (40,)),
    "batch?step=1&shift=4": Shows({"x": "0"}, "Choice 1", (21,)),
    "batch?rule=ts": Shows({"x": "0.73", "places": "4"}, "Choice 1", (49,)),
    "batch?rule=bucb": Shows({"x": "0.76"}, "upper bound", (4,)),
    "compression": Shows({"kept": "36", "regret": "0.107", "all": "0.0945"}, "x = 0.72 is rejected.", (5, 94, 84)),
    "compression?budget=1": Shows({"kept": "6", "regret": "1.41", "all": "0.0945"}, "is rejected.", (77, 51, 18)),
    "compression?width=two": Shows({"kept": "26", "regret": "0.0347"}, "frozen since round", (8, 0, 65)),
    "compression?budget=0.01": Shows({"kept": "84", "regret": "0.0873"}, "x = 0.71 is", (0, 93, 97)),
    "compression?rule=ei&budget=0.3": Shows(
        {"kept": "5", "regret": "0.128", "first": "4"},
        "frozen since round 4 at a point that loses 0.123 a round",
        (43, 0, 87),
    ),
    "compression?rule=ucb&budget=0.3": Shows({"kept": "10", "regret": "0.0618"}, "x = 0.71 is", (31, 56, 64)),
    "batches": Shows({"active": "13", "lost": "no batch", "most": "4120"}, "the maximiser among them", (0, 80)),
    "batches?width=0.3": Shows({"active": "2", "lost": "1"}, "the maximiser is not", (30, 100)),
    "batches?width=0.5": Shows({"lost": "no batch"}, "the maximiser among them", (12, 100)),
    "batches?width=1": Shows({"lost": "no batch"}, "the maximiser among them", (1, 100)),
    "batches?width=3": Shows({"lost": "no batch"}, "The sum over batches allows", (0, 10)),
    "batches?keep=yes": Shows({"lost": "no batch"}, "Data are kept", (0, 63)),
    "batches?from=theory": Shows({"active": "30"}, "width 7.04", (0, 0)),
    "swarm": Shows({"share": "100 %", "regret": "2.25", "uniform": "1.4"}, "sends 0 %, 0 %, 100 %", (28, 1)),
    "swarm?width=1": Shows({"share": "47 %", "regret": "0.306"}, "sends 47 %, 47 %, 7 %", (9, 99)),
    "swarm?width=2": Shows({"regret": "1.87"}, "sends 47 %, 50 %, 3 %", (14, 56)),
    "swarm?search=adam": Shows({"regret": "0.452"}, "sends 46 %", (0, 100)),
    "swarm?two=0.3&three=0.1": Shows({"share": "60 %", "two": "30 %"}, "sends 60 %, 30 %, 10 %"),
    "ball": Shows(
        {"mean": "1.15", "paid": "0.194", "worst": "0.368", "gain": "0.123"},
        "The penalty leads to slack 0.4, the worst mean to no slack, the mean to no slack",
        (4, 45),
    ),
    "ball?shift=0&spread=0.1": Shows({"gain": "−0.187"}, "the mean to no slack", (45, 4)),
    "ball?shift=0.12&spread=0.1": Shows({"gain": "−0.0125"}, "the mean to no slack", (45, 4)),
    "ball?shift=0.24&spread=0.1": Shows({"gain": "0.352"}, "the mean to no slack", (4, 45)),
    "ball?radius=0": Shows({"gain": "0", "paid": "1.15"}, "The penalty leads to no slack", (0, 0)),
    "ball?radius=0.3": Shows({"gain": "0.123", "paid": "−1.24"}, "the worst mean to slack 0.4", (4, 73)),
    "stop": Shows({"stops": "7", "lost": "0.0232", "factor": "2"}, "the promise is kept", (0, 12)),
    "stop?width=botorch&step=5": Shows({"stops": "5", "lost": "0.226"}, "the promise is broken", (28, 0)),
    "stop?width=theorem&eps=0.2&step=60": Shows(
        {"stops": "never", "factor": "4.69", "bound": "1.01"}, "The rule does not stop within 60", (0, 97)
    ),
    "stop?width=theorem&eps=0.2&played=5&step=32": Shows({"stops": "32", "lost": "0"}, "the promise is kept", (0, 2)),
    "horizon?noise=0.1&m=5": Shows(
        {"printed": "17.6", "sharper": "2.22", "T": "1000"}, "is not informative up to a million"
    ),
}


def shows(opened: Opened, of: str, change: tuple[str, ...] = ()) -> None:
    """The preset shows what its line says, by a click in the text."""
    name, line = of.partition("?")[0], PRESETS[of]
    page = opened(name, preset(of) + "".join(live(f"{name}.{number}") for number in line.numbers), change=change)
    page.get_by_role("link", name="see it").first.click()
    dragging.settle(page)
    found = page.eval_on_selector_all(".drag-live", "all => all.map(e => [e.dataset.of, e.textContent])")
    assert found == 2 * [[f"{name}.{number}", value] for number, value in line.numbers.items()]
    assert line.says in page.locator(".drag-summary").inner_text()
    if line.counts:
        assert counted(page) == list(line.counts)


@pytest.mark.parametrize("of", PRESETS)
def test_a_preset_shows_what_is_said_of_it(of: str, opened: Opened) -> None:
    shows(opened, of)


WRONG_PRESETS = {
    "sampled maxima are not moved": ("batch?step=1&shift=-4", "ch1_batch.js", "f.map((v) => v + by)", "f"),
    "moved below the largest mean": ("batch?step=1&shift=-4", "ch1_batch.js", "Math.max(shift,", "Math.min(shift,"),
    "repeats are not counted": ("batch", "ch1_batch.js", "size < all.length", "size > all.length"),
    "every point is kept": ("compression?budget=1", "ch2_compression.js", "> threshold", "> -1"),
    "what is not the maximiser is not asked": (
        "compression?rule=ei&budget=0.3",
        "ch2_compression.js",
        "loss > 0.1",
        "loss > 9",
    ),
    "the kernel of before": ("batches?width=0.3", "ch3_batches.js", "0.02, 0.12)", "0.02, 0.1)"),
    "lost where it is active": ("batches?width=0.3", "ch3_batches.js", "!history.at(-1).kept", "history.at(-1).kept"),
    "above the uniform law's": ("swarm?width=1", "ch4_swarm.js", "loss(d.law)) < 25", "loss(d.law)) > 25"),
    "the law asked for is not played": ("swarm?two=0.3&three=0.1", "ch4_swarm.js", "second >= 0", "second >= 2"),
    "the truth stays": ("ball?shift=0.24&spread=0.1", "ch5_ball.js", "0.5 + s.shift", "0.5"),
    "the truth is as wide as the forecast": ("ball", "ch5_ball.js", "s.spread)", "0.1)"),
    "a kept promise is broken": (
        "stop?width=botorch&step=5",
        "ch6_stop.js",
        "holds: ({ lost }, { eps }) => lost > eps",
        "holds: ({ lost }, { eps }) => lost < eps",
    ),
    "the theorem forgets the points": (
        "stop?width=theorem&eps=0.2&step=60",
        "ch6_stop.js",
        "(N * LIMIT)",
        "LIMIT",
    ),
    "caution is never worse": ("ball", "ch5_ball.js", "sign * gain", "-sign * gain"),
}


@pytest.mark.parametrize("fault", WRONG_PRESETS)
def test_a_preset_that_shows_something_else_is_noticed(fault: str, opened: Opened) -> None:
    of, *change = WRONG_PRESETS[fault]
    with pytest.raises(AssertionError):
        shows(opened, of, tuple(change))


def test_where_the_sampled_maximum_sends_the_choice(opened: Opened) -> None:
    """Down at the largest mean the mean decides, high above it the standard deviation; and the plane says so by its line."""
    page = opened("batch")
    for shift, decides in ((-4, "mean"), (100, "sd")):
        at, top = page.evaluate(
            """([shift, decides]) => { const { compute, controls } = companionFigures.figures.batch;
              const s = Object.fromEntries(controls.map((c) => [c.name, c.value]));
              const r = compute({ ...s, step: 1, shift }), { pick, sd } = r.all[0];
              return [pick, companionFigures.argmax({ mean: r.mean, sd }[decides])]; }""",
            [shift, decides],
        )
        assert abs(at - top) <= 2, decides


# -- what the pages say ------------------------------------------------------------------------------------------------------

_ROLE = re.compile(r"\{(preset|live)\}`([^`<]+)<([^`>]+)>`")
_FIGURE = re.compile(r"\{figure-to-drag\} ([\w-]+)\n((?:(?:# ?)?:\w+:.*\n)*)")


def spoken(text: str) -> Iterator[tuple[str, dict[str, str], list[tuple[str, str, str]]]]:
    """Each figure of a page's source, its options, and what is said of it: (role, words, target)."""
    roles = [
        (role, " ".join(words.replace("\n# ", " ").split()), target) for role, words, target in _ROLE.findall(text)
    ]
    for name, options in _FIGURE.findall(text):
        said = dict(re.findall(r":(\w+): *(.*)", options))
        yield name, said, [role for role in roles if re.split(r"[.?]", role[2])[0] == name]


def untrue(opened: Opened, text: str) -> list[str]:
    """Presets that a figure does not take as they are, and numbers that are others as it opens."""
    found = []
    for name, said, roles in spoken(text):
        here = "".join(f' data-{k}="{html.escape(said[k])}"' for k in ("fixed", "start") if k in said)
        page = opened(name, "".join(live(of) for role, _, of in roles if role == "live"), here)
        written = [words for role, words, _ in roles if role == "live"]
        now = page.locator(".drag-live").all_text_contents()[: len(written)]
        found += [f"{a}: {b}" for a, b in zip(written, now, strict=True) if a != b]
        for of in (of for role, _, of in roles if role == "preset"):
            asked = dict(re.findall(r"(\w+)=([^&]+)", of))
            page = opened(of, "".join(live(f"{name}.{control}") for control in asked), here)
            # As the address says it again, once a control was moved there and back.
            taken = page.evaluate(
                """([name, asked]) => { const { controls } = companionFigures.figures[name];
                  const spell = (c, v) => c.options?.[v] ?? (c.show ? c.show(+v) : companionFigures.number(+v));
                  return Object.entries(asked).map(([k, v]) => spell(controls.find((c) => c.name === k), v)); }""",
                [name, asked],
            )
            shown = page.locator(".drag-live").all_text_contents()[: len(asked)]
            found += [f"{of}: {b}" for a, b in zip(taken, shown, strict=True) if a != b]
    return found


def sources() -> list[Path]:
    """Pages of the book that may hold a figure; what the book writes itself, by its templates, built or not."""
    own = [*(ROOT / "notebooks").glob("*.py"), *(ROOT / "book").glob("*.md"), *(ROOT / "book" / "api").glob("*.md")]
    return sorted([*own, *(ROOT / "book" / "_ext").rglob("*.md.jinja")])


def test_pages_say_what_their_figures_do(opened: Opened) -> None:
    wrong = {p.name: found for p in sources() if (found := untrue(opened, p.read_text(encoding="utf-8")))}
    assert not wrong, wrong


SAID = "# Raise {preset}`it <batch?step=2&m=5>`, noise {live}`0.1\n# <batch.noise>`.\n# :::{figure-to-drag} batch\n# :still: x\n"


@pytest.mark.parametrize(
    ("wrong", "right"), [("0.05\n# <", "0.1\n# <"), ("step=6", "step=2"), ("m=9", "m=5"), ("m=5.5", "m=5")]
)
def test_a_page_that_says_something_else_is_noticed(wrong: str, right: str, opened: Opened) -> None:
    assert SAID.count(right) == 1
    assert not untrue(opened, SAID)
    assert untrue(opened, SAID.replace(right, wrong))


# -- the kit -----------------------------------------------------------------------------------------------------------------


def a_preset_sets_everything_and_leads_back(opened: Opened, change: tuple[str, ...] = ()) -> None:
    """What it does not name begins anew; the same link works twice; the browser's way back leads back."""
    page = opened("batch?m=3&rule=ts", preset("batch?noise=0.2&step=5"), change=change)
    link = page.get_by_role("link", name="see it").first
    for _ in range(2):
        link.click()
        dragging.settle(page)
        inputs = dragging.shown(page, "batch")["inputs"]
        assert (inputs["m"], inputs["rule"], inputs["noise"], inputs["step"]) == ("5", "tsrsr", "3", "5")
        page.locator("#drag-batch-m").evaluate("e => { e.value = 6; e.dispatchEvent(new Event('input')); }")
    dragging.settle(page)
    for m in ("6", "3"):
        page.go_back()
        dragging.settle(page)
        assert dragging.shown(page, "batch")["inputs"]["m"] == m


def it_scrolls_only_where_it_is_out_of_sight(opened: Opened, change: tuple[str, ...] = ()) -> None:
    page = opened("batch", preset("batch?step=2"), change=change)
    for which, moves in ((0, False), (1, True)):
        page.get_by_role("link", name="see it").nth(which).scroll_into_view_if_needed()
        before = page.evaluate("scrollY")
        page.get_by_role("link", name="see it").nth(which).click()
        dragging.settle(page)
        assert (page.evaluate("scrollY") != before) == moves
        box = page.locator(".drag-pictures").bounding_box()
        assert box["y"] >= 0
        assert box["y"] + box["height"] <= USUAL["height"]


def numbers_in_the_text_follow(opened: Opened, change: tuple[str, ...] = ()) -> None:
    page = opened("batch", live("batch.noise") + live("batch.rule") + live("batch.places"), change=change)
    seen = set()
    for place in (0, 4):
        dragging.put(page, "batch", "noise", place)
        noise, rule, places = page.locator(".drag-live").all_text_contents()[:3]
        assert noise == page.locator("output[for=drag-batch-noise]").inner_text()
        assert rule == "TS-RSR"
        assert int(places) == len({row[1] for row in dragging.table(page, "batch")})
        seen.add(places)
    assert len(seen) == 2


# In one call: a moment counts a few of the seeds; a click from outside may come when all are counted. What is told by then.
_STOP_AFTER_A_MOMENT = """async () => {
  const named = (words) => [...document.querySelectorAll("button")].find((b) => b.textContent.includes(words));
  named("Count over 100 seeds").click(); await new Promise((go) => setTimeout(go));
  const told = document.querySelector(".drag-counted").textContent, stop = named("Stop counting");
  stop?.click(); return stop ? told : ""; }"""


def a_count_holds_for_its_settings_and_leaves_the_page_free(opened: Opened, change: tuple[str, ...] = ()) -> None:
    """Frames go on while it counts and tells how far it is; it is what the script finds; another setting takes it away, another
    seed does not.
    """
    page = opened("batch?noise=0.05&m=4", change=change)
    page.evaluate(
        """() => { window.frames_ = 0; (function on() { frames_++; requestAnimationFrame(on); })();
          window.told_ = new Set(); new MutationObserver(([{ target }]) => { told_.add(target.textContent); }).observe(
            document.querySelector(".drag-counted"), { childList: true }); }"""
    )
    began, found = page.evaluate("frames_"), counted(page)
    assert page.evaluate("frames_") - began > 5
    steps = page.evaluate("[...told_]")
    assert len(steps) > 5
    assert all(re.fullmatch(r"Counting: \d+ of 100 seeds\.", text) for text in steps[:-1])
    theirs = page.evaluate(
        """() => { const { compute, controls, count } = companionFigures.figures.batch, all = [...Array(100).keys()];
          const s = { ...Object.fromEntries(controls.map((c) => [c.name, c.value])), noise: 0.05, m: 4 };
          return count.map(({ holds }) => all.filter((seed) => holds(compute({ ...s, seed }), s)).length); }"""
    )
    assert found == theirs
    told = page.locator(".drag-counted[role=status]")
    assert re.fullmatch(r"In \d+ of 100 seeds: the batch repeats a point\.", told.inner_text())
    dragging.put(page, "batch", "seed", 7)
    assert told.inner_text()
    dragging.put(page, "batch", "m", 5)
    assert not told.inner_text()
    # Stopped half-way, and by another setting, it says nothing.
    assert re.fullmatch(r"Counting: \d+ of 100 seeds\.", page.evaluate(_STOP_AFTER_A_MOMENT))
    dragging.settle(page)
    assert not told.inner_text()
    page.get_by_role("button", name="Count over 100 seeds").click()
    dragging.step(page, "batch", "m")
    page.get_by_role("button", name="Count over 100 seeds").wait_for()
    dragging.settle(page)
    assert not told.inner_text()
    # A figure that plays stands still while it is counted.
    page.get_by_role("button", name="Play").click()
    page.get_by_role("button", name="Count over 100 seeds").click()
    page.get_by_role("button", name="Play").wait_for()
    told.get_by_text("of 100 seeds:").wait_for()


#: In one go: on a busy machine a whole play ends between two clicks. What it is called while it plays, and clocks left running.
_PLAY_AND_PAUSE = """button => {
  const { setInterval: set, clearInterval: clear } = window, running = new Set();
  window.setInterval = (...given) => { const clock = set(...given); running.add(clock); return clock; };
  window.clearInterval = (clock) => { running.delete(clock); clear(clock); };
  button.click();
  const said = button.textContent;
  button.click();
  Object.assign(window, { setInterval: set, clearInterval: clear });
  return [said, running.size];
}"""
STEPPED = {"batch": "step", "compression": "rounds", "batches": "batch", "swarm": "round"}


def it_plays_to_the_end_and_pauses(opened: Opened, change: tuple[str, ...] = ()) -> None:
    for name, control in STEPPED.items() if not change else [("batch", "step")]:
        page = opened(f"{name}?{control}={6 if name == 'swarm' else 1}", change=change)
        at = f"document.getElementById('drag-{name}-{control}')"
        first = int(page.evaluate(f"{at}.value"))
        assert page.get_by_role("button", name="Play").evaluate(_PLAY_AND_PAUSE) == ["Pause", 0]
        dragging.settle(page)
        paused = int(page.evaluate(f"{at}.value"))
        assert first < paused < int(page.evaluate(f"{at}.max"))
        page.get_by_role("button", name="Play").click()
        page.wait_for_function(f"{at}.value === {at}.max")
        page.get_by_role("button", name="Play").wait_for(timeout=10_000)
        dragging.settle(page)
        assert page.evaluate(f"{at}.value === {at}.max"), "it stops at the end"
        assert page.get_by_role("button", name="Play").evaluate(_PLAY_AND_PAUSE) == ["Pause", 0]
        dragging.settle(page)
        assert int(page.evaluate(f"{at}.value")) < int(page.evaluate(f"{at}.max")), "and begins anew"


def who_wants_no_motion_steps_by_clicks(opened: Opened, change: tuple[str, ...] = ()) -> None:
    page = opened("batch")
    page.emulate_media(reduced_motion="reduce")
    page = opened("batch?step=4", change=change)
    seen = []
    for _ in range(3):
        page.get_by_role("button", name="Next step").click()
        dragging.settle(page)
        dragging.settle(page)
        seen.append(dragging.shown(page, "batch")["inputs"]["step"])
    assert seen == ["5", "1", "2"]


#: Pixels by which a handle is pulled, and how far from the pointer it may end: the next value of a list can be far.
HANDLES = {
    ("batch", "shift"): (0, -15, 5),
    ("compression", "budget"): (0, 25, 12),
    ("batches?batch=1&width=1", "width"): (0, -11, 6),
    ("swarm?round=7", "two"): (-70, -40, 12),
    ("ball", "radius"): (40, 0, 6),
    ("ball", "shift"): (60, 0, 8),
    ("horizon", "T"): (140, 0, 60),
}


def handles_follow_pointer_and_keys(opened: Opened, change: tuple[str, ...] = ()) -> None:
    """Towards where they are pulled; arrows go on and back by a step; the picture of the change has an address."""
    for (of, control), (across, down, off) in HANDLES.items():
        page, name = opened(of, change=change), of.partition("?")[0]
        knob = page.locator(f"#drag-{name}-{control}")
        knob.scroll_into_view_if_needed()

        def centre(knob: Any = knob) -> tuple[float, float]:
            box = knob.bounding_box()
            return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2

        x, y = centre()
        page.mouse.move(x, y)
        page.mouse.down()
        page.mouse.move(x + across / 2, y + down / 2)
        page.mouse.move(x + across, y + down)
        page.mouse.up()
        dragging.settle(page)
        at = centre()
        if across:
            assert abs(at[0] - x - across) <= off, (name, control)
        if down:
            assert abs(at[1] - y - down) <= off, (name, control)
        assert f"{control}=" in page.url
        page.mouse.move(x + across + 9, y + down + 9)  # let go, it stays
        dragging.settle(page)
        assert centre() == at
        knob.focus()
        before = dragging.shown(page, name)
        for keys in (("ArrowRight", "ArrowLeft"), ("ArrowUp", "ArrowDown")):
            for key, way in zip(keys, (1, -1), strict=True):
                value, words = float(knob.get_attribute("aria-valuenow")), knob.get_attribute("aria-valuetext")
                page.keyboard.press(key)
                dragging.settle(page)
                assert knob.get_attribute("aria-valuetext") != words
                if (name, keys[0]) != ("swarm", "ArrowUp"):  # where up is another control
                    assert (float(knob.get_attribute("aria-valuenow")) - value) * way > 0, (name, control, key)
            assert {**dragging.shown(page, name), "ms": 0} == {**before, "ms": 0}, (name, control, keys)
        assert page.evaluate("document.activeElement.id") == f"drag-{name}-{control}"
    # Where another value is another scale, what a place means stays as it was when the handle was taken.
    page = opened(
        "batches?width=1", change=(*change, "ch3_batches.js", "({ width: y })", "({ width: 2 * y / (1 + width) })")
    )
    box = page.locator("#drag-batches-width").bounding_box()
    page.mouse.move(box["x"] + 14, box["y"] + 14)
    page.mouse.down()
    widths = []
    for up in (10, 20, 30, 20, 10):
        page.mouse.move(box["x"] + 14, box["y"] + 14 - up)
        dragging.settle(page)
        widths.append(float(page.locator("#drag-batches-width").get_attribute("aria-valuenow")))
    page.mouse.up()
    assert widths == widths[::-1]
    assert 1 < widths[0] < widths[1] < widths[2] < 6
    page = opened("batch?step=2&shift=1", change=change)
    dragging.put(page, "batch", "step", 3)
    assert "shift" not in page.url, "the choice before is as it was drawn"


def a_page_may_begin_elsewhere_and_fix_a_control(opened: Opened, change: tuple[str, ...] = ()) -> None:
    said = ' data-start="noise=0.1&m=5" data-fixed="paper=tsrsr&kernel=se&dim=1"'
    page = opened("horizon", live("horizon.printed") + preset("horizon?paper=wdrbo&noise=1"), said, change)
    assert sorted(dragging.shown(page, "horizon")["inputs"]) == ["T", "m", "noise"]
    assert page.locator(".drag-live").first.inner_text() == "17.6"
    page.get_by_role("link", name="see it").first.click()
    dragging.settle(page)
    assert page.locator(".drag-live").first.inner_text() == "3.36", "the paper stays, the batch begins at 5"


KIT = (
    a_preset_sets_everything_and_leads_back,
    it_scrolls_only_where_it_is_out_of_sight,
    numbers_in_the_text_follow,
    a_count_holds_for_its_settings_and_leaves_the_page_free,
    it_plays_to_the_end_and_pauses,
    who_wants_no_motion_steps_by_clicks,
    handles_follow_pointer_and_keys,
    a_page_may_begin_elsewhere_and_fix_a_control,
)


@pytest.mark.parametrize("happens", KIT)
def test_the_kit_does_what_it_should(happens: Callable[..., None], opened: Opened) -> None:
    happens(opened)


_C = "controls.js"
FAULTS: dict[str, tuple[Callable[..., None], str, str, str]] = {
    "a preset keeps what it does not name": (
        a_preset_sets_everything_and_leads_back,
        _C,
        "take(Object.fromEntries(new URLSearchParams(query)))",
        "take({ ...state, ...Object.fromEntries(new URLSearchParams(query)) })",
    ),
    "the same address leads nowhere": (
        it_scrolls_only_where_it_is_out_of_sight,
        _C,
        "if (link.hash === location.hash) read();",
        "",
    ),
    "it always scrolls": (it_scrolls_only_where_it_is_out_of_sight, _C, "first === true", "first"),
    "it never scrolls": (it_scrolls_only_where_it_is_out_of_sight, _C, 'scrollIntoView({ block: "nearest" })', "id"),
    "numbers stay": (numbers_in_the_text_follow, _C, "followers.forEach(", "[].forEach("),
    "a seed is counted twice": (
        a_count_holds_for_its_settings_and_leaves_the_page_free,
        _C,
        "settle({ ...asked, seed })",
        "settle({ ...asked, seed: seed >> 1 })",
    ),
    "it blocks the page": (
        a_count_holds_for_its_settings_and_leaves_the_page_free,
        _C,
        "performance.now() + 12",
        "1e99",
    ),
    "a count outlives its setting": (
        a_count_holds_for_its_settings_and_leaves_the_page_free,
        _C,
        "state[c.name])) forget();",
        "state[c.name])) 0;",
    ),
    "nobody is told how far it is": (
        a_count_holds_for_its_settings_and_leaves_the_page_free,
        _C,
        "`Counting: ${seed}",
        "`Counting: ${0}",
    ),
    "stopped, it goes on": (
        a_count_holds_for_its_settings_and_leaves_the_page_free,
        _C,
        "counting = clearTimeout(counting)",
        "counting = 0",
    ),
    "a count ends with its seed": (
        a_count_holds_for_its_settings_and_leaves_the_page_free,
        _C,
        'c.name !== "seed" && before',
        "before",
    ),
    "it plays beyond the end": (it_plays_to_the_end_and_pauses, _C, "if (last()) pause();", ""),
    "it does not pause": (it_plays_to_the_end_and_pauses, _C, "playing = clearInterval(playing)", "playing = 0"),
    "it does not begin anew": (it_plays_to_the_end_and_pauses, _C, "last() ? named(stepped).min : ", ""),
    "it moves though nothing should": (who_wants_no_motion_steps_by_clicks, _C, "if (!calm) {", "{"),
    "a handle is upside down": (
        handles_follow_pointer_and_keys,
        "chart.js",
        "up.back(top + h - py)",
        "up.back(py - top)",
    ),
    "a handle beside the axis": (
        handles_follow_pointer_and_keys,
        "chart.js",
        "across.back(px - left)",
        "across.back(px)",
    ),
    "a handle that is not let go": (
        handles_follow_pointer_and_keys,
        _C,
        "if (element.hasPointerCapture(pointerId))",
        "if (held)",
    ),
    "a place means what it means now": (
        handles_follow_pointer_and_keys,
        _C,
        "change(held.to(",
        "change(grip().to(",
    ),
    "keys the wrong way": (
        handles_follow_pointer_and_keys,
        _C,
        "ArrowLeft: [0, -1], ArrowRight: [0, 1]",
        "ArrowLeft: [0, 1], ArrowRight: [0, -1]",
    ),
    "what was moved moves along": (
        handles_follow_pointer_and_keys,
        _C,
        ".flatMap((c) => c.clears ?? [])",
        ".flatMap(() => [])",
    ),
    "what is fixed moves": (
        a_page_may_begin_elsewhere_and_fix_a_control,
        _C,
        "fixed: 1, options: null, values: [value]",
        "",
    ),
    "it begins as ever": (a_page_may_begin_elsewhere_and_fix_a_control, _C, "`${start}&${fixed}`", "fixed"),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_of_the_kit_is_noticed(fault: str, opened: Opened, window: Any) -> None:
    from playwright.sync_api import TimeoutError as Waited

    happens, *change = FAULTS[fault]
    broken = list[Any]()

    def note(error: Any) -> None:
        broken.append(error)

    window.on("pageerror", note)
    window.set_default_timeout(3000)
    try:
        with pytest.raises((AssertionError, Waited)):
            happens(opened, change=tuple(change))
    finally:
        window.set_default_timeout(30_000)
        window.remove_listener("pageerror", note)
    assert not broken, "a fault, not a script that does not run"
