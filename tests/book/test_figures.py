"""Figures to drag: every control moves picture, numbers and address; keys, screen readers and telephones; nothing without script.

A new figure needs an entry in :data:`FIGURES`: what has to happen in it. The rest is the same for all of them. Here each is tried
on a page of its own, from a folder; ``test_browser.py`` looks at the pages of the book that hold them.
"""

from __future__ import annotations

import itertools
import json
import math
import re
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import pytest

from book import access, box_table, dragging
from book import browser as looking
from book import happens_methods as methods
from companion.papers.across.page import informative_horizons, repeat_runs

ROOT = Path(__file__).resolve().parents[2]

EXECUTABLE = looking.find_browser()
needs_browser = pytest.mark.skipif(EXECUTABLE is None, reason="no Chromium on PATH: the figures were not tried")

USUAL = {"width": 1100, "height": 900}


@dataclass(frozen=True)
class Tried:
    """What has to happen in a figure.

    Parameters
    ----------
    happens : each is given the open page and fails where it does not happen
    reveal : for a control that the first setting hides, a setting that shows it
    pictures_only, numbers_only : controls that leave the numbers, or the picture, as they are
    record : gives the JSON that stands for the page's record
    here : what is said of where the numbers are from, if not the usual
    """

    happens: tuple[Callable[[Any], None], ...]
    reveal: dict[str, str] = field(default_factory=dict)
    pictures_only: tuple[str, ...] = ()
    numbers_only: tuple[str, ...] = ()
    record: Callable[[], str] = lambda: "null"
    here: str = ""


def wider_never_eliminates_more(page: Any) -> None:
    """With the same points and values, whoever survives the first batch does so with a larger width."""
    active = []
    for width in (0.2, 0.6, 1, 1.6, 2, 3, 4.5, 6):
        dragging.put(page, "batches", "width", width)
        active.append(int(dragging.table(page, "batches")[0][2]))
    assert active == sorted(active)
    assert active[0] < active[-1]


def points_and_regrets_add_up(page: Any) -> None:
    for horizon in (20, 260, 1000):
        dragging.put(page, "batches", "horizon", horizon)
        *batches, whole = dragging.table(page, "batches")
        assert sum(int(row[1]) for row in batches) == int(whole[1]) == horizon
        assert sum(float(row[5]) for row in batches) == pytest.approx(float(whole[5]), rel=0.02)  # three digits each
        assert all(float(row[5]) <= float(row[6]) for row in batches if row[4] == "yes"), "sum over batches"


def the_batch_shown_ends_with_the_batches(page: Any) -> None:
    dragging.put(page, "batches", "a", 0.8)
    slider = page.locator("#drag-batches-batch")
    count = int(slider.get_attribute("max"))
    assert count == len(dragging.table(page, "batches")) - 1
    dragging.put(page, "batches", "batch", count)
    dragging.put(page, "batches", "a", 0.2)
    assert int(slider.input_value()) == int(slider.get_attribute("max")) < count


def numbers(page: Any) -> list[float]:
    """The numbers below a figure's sentence, in their order."""
    found = page.locator(".drag-stage dd").all_text_contents()
    return [float(text.split()[0].replace("\N{MINUS SIGN}", "-")) for text in found]


def a_larger_radius_never_raises_the_worst_mean(page: Any) -> None:
    seen = []
    for radius in (0, 0.01, 0.05, 0.1, 0.2, 0.3):
        dragging.put(page, "ball", "radius", radius)
        seen.append(numbers(page))
    means, _, worst, counted, _ = zip(*seen, strict=True)
    assert len(set(means)) == 1
    assert worst[0] == counted[0] == means[0], "without a ball nothing is lost"
    assert all(later < earlier for earlier, later in itertools.pairwise(worst))
    assert all(penalty <= exact for exact, penalty in zip(worst[1:], counted[1:], strict=True)), "Lemma 2"


def the_penalty_turns_to_slack_first(page: Any) -> None:
    taken = []
    for radius in (0, 0.12, 0.3):
        dragging.put(page, "ball", "radius", radius)
        taken.append(re.findall(r"slack 0\.4", page.locator(".drag-summary").inner_text()))
    assert [len(found) for found in taken] == [0, 1, 2]


def caution_loses_where_the_forecast_is_right(page: Any) -> None:
    gains = []
    for shift, spread in ((0.1, 0.2), (0, 0.1)):
        dragging.put(page, "ball", "shift", shift)
        dragging.put(page, "ball", "spread", spread)
        gains.append(numbers(page)[-1])
    assert gains[1] < 0 < gains[0]


def a_wide_band_costs_more_than_the_uniform_law(page: Any) -> None:
    seen = []
    for width in (1, 3, 5):
        dragging.put(page, "swarm", "width", width)
        *_, regret, uniform = numbers(page)
        seen.append(regret)
    assert seen[0] < uniform < seen[1] < seen[2]


def adam_stays_below_the_largest_acquisition(page: Any) -> None:
    for rounds in (6, 12, 25):
        dragging.put(page, "swarm", "round", rounds)
        reached, largest, *_ = numbers(page)
        assert reached == largest, "the lattice is searched"
    exact = numbers(page)[2]
    dragging.put(page, "swarm", "search", "adam")
    for rounds in (6, 9, 12):
        dragging.put(page, "swarm", "round", rounds)
        reached, largest, *_ = numbers(page)
        assert reached < largest
    assert numbers(page)[2] < exact, "it visits fewer corners"


def more_agents_follow_the_law_more_closely(page: Any) -> None:
    """How far the shares are from the law, by the circle around its mark."""
    apart = []
    for agents in (3, 100, 3000):
        dragging.goto(page, f"{page.url.partition('#')[0]}#drag-swarm?agents={agents}&search=adam&width=0")
        apart.append(
            page.evaluate(
                """() => { const at = (kind) => { const e = document.querySelector(`.drag-stage circle.${kind}.accent`);
                  return [+e.getAttribute("cx"), +e.getAttribute("cy")]; };
                  const [a, b] = [at("dot"), at("hollow")]; return Math.hypot(a[0] - b[0], a[1] - b[1]); }"""
            )
        )
    assert apart[0] > apart[2]
    assert apart[2] < 5


def a_larger_batch_says_something_later(page: Any) -> None:
    """Theorem 1 of TS-RSR pays for the batch; for the number of agents Theorem 4.1 pays nothing."""
    for paper, grows in (("tsrsr", True), ("meanfield", False)):
        dragging.put(page, "horizon", "paper", paper)
        pictures = [
            (dragging.put(page, "horizon", "m", place), drawn(page, "horizon", "path.line.k1"))[1]
            for place in (0, 3, 5)
        ]
        assert (len(set(pictures)) == 3) == grows
        assert len(set(pictures)) == (3 if grows else 1)
        begins = page.locator(".drag-stage circle.k1").count()
        assert begins == 1, "at this noise the sharper form says something"


def no_rule_loses_more_whatever_the_noise(page: Any) -> None:
    """The level is the problem's: noise moves the bounds and leaves it where it is."""
    for paper in ("tsrsr", "gpucb", "compressed", "batched", "meanfield", "wdrbo"):
        dragging.put(page, "horizon", "paper", paper)
        levels, bounds = set(), set()
        for place in range(5):
            dragging.put(page, "horizon", "noise", place)
            levels.add(drawn(page, "horizon", "path.line.accent"))
            bounds.add(drawn(page, "horizon", "path.line.k1"))
        assert len(levels) == 1
        assert len(bounds) == 5


def more_runs_show_an_order_that_is_there(page: Any) -> None:
    """Of Ackley-3D, which our runs order as printed: sure in the end, and nearly ever surer on the way."""
    dragging.put(page, "runs", "problem", 5)
    heights = []
    for place in range(11):
        dragging.put(page, "runs", "n", place)
        heights.append(float(page.locator(".drag-stage circle").get_attribute("cy")))
    assert all(later <= earlier + 3 for earlier, later in itertools.pairwise(heights)), heights
    assert heights[-1] == pytest.approx(0, abs=1)


def the_second_method_is_always_behind_the_first(page: Any) -> None:
    for first in range(1, 7):
        dragging.put(page, "runs", "first", first)
        for below in (1, 99):
            dragging.put(page, "runs", "below", below)
            assert len(set(chosen(page))) == 2
    assert chosen(page)[1] == repeat_runs.data("tsrsr")["problems"][0]["methods"][-1][0]


def the_rule_named_is_the_first_of_the_table(page: Any) -> None:
    seen = set()
    for pay in ("every", "best", "rounds"):
        dragging.put(page, "decide", "pay", pay)
        rows, said = dragging.table(page, "decide"), page.locator("[data-part=rule] summary").inner_text()
        head = page.locator(".drag-summary").inner_text()
        assert head.lower().startswith(rows[0][0].lower())
        assert said.partition("? ")[2].lower().startswith(f"{rows[0][0]}.".lower())
        even = [row[4] == "level with the best" for row in rows]
        assert even == sorted(even, reverse=True)
        named = said.partition("Level with it: ")[2].removesuffix(".").split("; ")
        assert named == ([row[0] for row, level in zip(rows, even, strict=True) if level][1:] or ["none"])
        means = [float(row[1]) for row in rows]
        assert means[sum(even) :] == sorted(means[sum(even) :])
        assert max(means[: sum(even)]) <= min(means) + 0.011
        seen.add(head)
    assert len(seen) > 1


def what_was_not_run_is_not_recommended(page: Any) -> None:
    dragging.put(page, "decide", "model", "known")
    assert "None is recommended" not in page.locator(".drag-summary").inner_text()
    dragging.put(page, "decide", "batch", 2)
    assert "None is recommended" in page.locator(".drag-summary").inner_text()
    assert not page.locator(".drag-code").is_visible()
    assert page.locator("#drag-decide-library").is_disabled()
    assert not dragging.table(page, "decide")


def the_program_is_the_librarys_and_can_be_copied(page: Any) -> None:
    for library, word in (("botorch", "SingleTaskGP"), ("cp", "box_rules")):
        dragging.put(page, "decide", "library", library)
        assert word in page.locator(".drag-code pre").inner_text()
        page.get_by_role("button", name="Copy the program").click()
        page.wait_for_function("document.querySelector('.drag-copied').textContent !== ''")


def stop(page: Any, **settings: Any) -> tuple[float, str]:
    """When the rule stops, and what is said."""
    dragging.goto(page, f"{page.url.partition('#')[0]}#drag-stop?{urlencode(settings)}")
    said = page.locator(".drag-summary").inner_text()
    found = re.search(r"The rule stops after (\d+)", said)
    return float(found[1]) if found else math.inf, said


def a_longer_width_or_a_smaller_epsilon_stops_later(page: Any) -> None:
    for seed in (34, 0, 7):
        by_width = [stop(page, seed=seed, eps=0.5, width=width)[0] for width in ("botorch", "usual", "theorem")]
        by_epsilon = [stop(page, seed=seed, eps=eps, width="usual")[0] for eps in (1, 0.5, 0.2, 0.05)]
        by_posterior = [stop(page, seed=seed, eps=eps, width="posterior")[0] for eps in (1, 0.5, 0.2, 0.05)]
        for times in (by_width, by_epsilon, by_posterior):
            assert times == sorted(times)
            assert times[0] < times[-1]


def a_point_inside_its_band_loses_no_more_than_it_may(page: Any) -> None:
    """With the theorem's width the promise holds at every look of these runs."""
    for step in (0, 5, 20, 60):
        _, said = stop(page, width="theorem", step=step)
        may, loses = re.search(r"may lose ([\d.]+) and loses ([\d.]+)\. ", said).groups()
        assert float(loses) <= float(may)
    assert "kept" in stop(page)[1]
    assert "broken" in stop(page, width="botorch")[1]


def chosen(page: Any) -> list[str]:
    """The two methods chosen."""
    return [page.locator(f"output[for=drag-runs-{control}]").inner_text() for control in ("first", "below")]


def drawn(page: Any, name: str, part: str) -> str:
    """Shape of a line of the picture."""
    return str(page.locator(f'.drag-stage[data-figure="{name}"] {part}').first.get_attribute("d"))


def of_record(name: str, record: Callable[[], tuple[Any, Any]]) -> Callable[[], str]:
    """Gives the JSON that the page holds."""

    def made() -> str:
        data, where = record()
        return json.dumps(dragging.companion_figures.recorded(name, data, where.text()), separators=(",", ":")).replace(
            "<", "\\u003c"
        )

    return made


FIGURES: dict[str, Tried] = {
    "batch": Tried(
        (
            methods.a_larger_batch_begins_like_a_smaller_one,
            methods.a_batch_only_ever_lowers_the_standard_deviation,
            methods.resampling_leaves_no_sampled_maximum_below_the_mean,
            methods.the_choice_shown_stays_within_the_batch,
        ),
        # On the oven none was drawn again.
        reveal={"again": "#drag-batch?seed=1&step=4"},
    ),
    "compression": Tried(
        (
            methods.a_larger_budget_keeps_fewer_points_under_ei_and_mpi,
            methods.after_a_rejection_ei_and_mpi_are_frozen_and_ucb_is_not,
            methods.a_round_keeps_one_point_or_none_as_it_says,
        )
    ),
    "horizon": Tried(
        (a_larger_batch_says_something_later, no_rule_loses_more_whatever_the_noise),
        record=of_record("horizon", informative_horizons.record),
    ),
    "runs": Tried(
        (more_runs_show_an_order_that_is_there, the_second_method_is_always_behind_the_first),
        record=of_record("runs", repeat_runs.record_tsrsr),
    ),
    "ball": Tried(
        (
            a_larger_radius_never_raises_the_worst_mean,
            the_penalty_turns_to_slack_first,
            caution_loses_where_the_forecast_is_right,
        )
    ),
    "swarm": Tried(
        (
            a_wide_band_costs_more_than_the_uniform_law,
            adam_stays_below_the_largest_acquisition,
            more_agents_follow_the_law_more_closely,
        )
    ),
    "decide": Tried(
        (
            the_rule_named_is_the_first_of_the_table,
            what_was_not_run_is_not_recommended,
            the_program_is_the_librarys_and_can_be_copied,
        ),
        reveal={"eps": "#drag-decide?model=known&domain=candidates"},
        numbers_only=("library", "eps"),
        record=of_record("decide", box_table.record),
        here="Nothing is computed in your browser: all is looked up in stored tables.",
    ),
    "stop": Tried((a_longer_width_or_a_smaller_epsilon_stops_later, a_point_inside_its_band_loses_no_more_than_it_may)),
    "batches": Tried((wider_never_eliminates_more, points_and_regrets_add_up, the_batch_shown_ends_with_the_batches)),
}


@pytest.fixture
def place(name: str, tmp_path: Path) -> str:
    """Address of a page with the figure, in a folder."""
    path = tmp_path / "page.html"
    path.write_text(dragging.page_of(name, FIGURES[name].record()), encoding="utf-8")
    return path.as_uri()


@pytest.fixture
def page(place: str, window: Any) -> Iterator[Any]:
    """The figure, open at its first setting; a script error or a request to the outside fails the test."""
    wrong = list[str]()
    listeners = {
        "pageerror": lambda error: wrong.append(f"a script error: {error}"),
        "request": lambda request: None if request.url.startswith("file:") else wrong.append(request.url),
    }
    for event, listener in listeners.items():
        window.on(event, listener)
    window.set_viewport_size(USUAL)
    dragging.goto(window, place)
    yield window
    for event, listener in listeners.items():
        window.remove_listener(event, listener)
    assert not wrong, wrong


each = pytest.mark.parametrize("name", FIGURES)


def test_every_figure_is_tried() -> None:
    assert sorted(FIGURES) == dragging.names()


@pytest.mark.browser
@needs_browser
@each
def test_each_control_moves_picture_numbers_and_address(name: str, place: str, page: Any) -> None:
    tried, first = FIGURES[name], dragging.shown(page, name)
    assert "NaN" not in first["picture"] + first["words"] + first["described"]
    for control in first["inputs"]:
        dragging.goto(page, place + tried.reveal.get(control, ""))
        before = dragging.shown(page, name)
        dragging.step(page, name, control)
        after = dragging.shown(page, name)
        assert after["inputs"][control] != before["inputs"][control], control
        assert (after["picture"] != before["picture"]) or control in tried.numbers_only, control
        assert (after["words"] != before["words"]) or control in tried.pictures_only, control
        assert re.fullmatch(rf"#drag-{name}(\?.*\b{control}=.*)?", after["hash"]), after["hash"]
        assert after["hash"] != before["hash"], control
        assert "NaN" not in after["picture"] + after["words"] + after["described"], control
        dragging.goto(page, place + after["hash"])
        again = dragging.shown(page, name)
        assert {**again, "ms": 0} == {**after, "ms": 0}, f"{control}: the address leads elsewhere"


@pytest.mark.browser
@needs_browser
@each
def test_both_ends_of_every_control_can_be_drawn(name: str, place: str, page: Any) -> None:
    inputs = dragging.shown(page, name)["inputs"]
    for control in inputs:
        if control in FIGURES[name].reveal:
            dragging.goto(page, place + FIGURES[name].reveal[control])
        ends = page.locator(f"#drag-{name}-{control}").evaluate(
            """e => e.tagName === 'SELECT' ? [...e.options].map(o => o.value)
              : e.role === "slider" ? [e.ariaValueMin, e.ariaValueMax] : [e.min, e.max]"""
        )
        for end in ends:
            dragging.put(page, name, control, end)
            seen = dragging.shown(page, name)
            assert "NaN" not in seen["picture"] + seen["words"] + seen["described"], (control, end)
            assert "Infinity" not in seen["words"], (control, end)
        dragging.put(page, name, control, inputs[control])
        if dragging.shown(page, name)["inputs"] != inputs:
            dragging.goto(page, place)


@pytest.mark.browser
@needs_browser
@each
def test_what_has_to_happen_happens(name: str, place: str, page: Any) -> None:
    for happens in FIGURES[name].happens:
        dragging.goto(page, place)
        happens(page)


@pytest.mark.browser
@needs_browser
@each
def test_buttons_reset_and_hand_out_the_address(name: str, place: str, page: Any) -> None:
    first = dragging.shown(page, name)
    control = next(iter(first["inputs"]))
    dragging.step(page, name, control)
    page.get_by_role("button", name="Copy a link to this setting").click()
    page.wait_for_function("document.querySelector('.drag-told').textContent !== ''")
    page.get_by_role("button", name="Reset").click()
    dragging.settle(page)
    again = dragging.shown(page, name)
    assert {**again, "ms": 0, "hash": ""} == {**first, "ms": 0, "hash": ""}
    # Another place of the page is reached as ever, and the figure stays as it is.
    page.locator("#below a").click()
    assert page.url.endswith("#below")
    assert dragging.shown(page, name)["picture"] == first["picture"]
    # An address typed by hand, with what no control allows, is taken as far as it goes.
    page.evaluate("(h) => { location.hash = h; }", f"#drag-{name}?{control}=nonsense&no=such")
    dragging.settle(page)
    assert dragging.shown(page, name)["inputs"] == first["inputs"]


@pytest.mark.browser
@needs_browser
@each
def test_keys_reach_all_of_it_in_order(name: str, page: Any) -> None:
    wanted = page.eval_on_selector_all(
        ".drag-stage :is(input, select, .drag-knob, button, summary, pre, [tabindex='0']):not(:disabled)",
        "all => all.filter(e => e.checkVisibility()).map(e => e.id || e.textContent)",
    )
    reached = []
    for _ in wanted:
        page.keyboard.press("Tab")
        reached.append(page.evaluate("document.activeElement.id || document.activeElement.textContent"))
    assert reached == wanted


@pytest.mark.browser
@needs_browser
@each
def test_it_is_open_to_all_in_both_modes_and_on_a_telephone(name: str, page: Any) -> None:
    problems = []
    for width in looking.WIDTHS:
        problems += access.cut_off(page, width)
        dragging.settle(page)
        box = page.locator(".drag-stage").bounding_box()
        assert box["x"] >= 0
        assert box["x"] + box["width"] <= width
        drawn = page.eval_on_selector_all(".drag-picture svg", "all => all.map(e => e.getBoundingClientRect().right)")
        assert max(drawn) <= width, "the picture is drawn anew at the width of the page"
        small = page.eval_on_selector_all(
            ".drag-stage :is(input, select, .drag-knob, button)",
            """all => all.filter(e => e.getClientRects().length && e.getBoundingClientRect().height < 24)
              .map(e => e.id || e.textContent)""",
        )
        assert not small, f"too small for a finger at {width} px: {small}"
    page.set_viewport_size(USUAL)
    for mode in access.MODES:
        page.evaluate("mode => { document.documentElement.dataset.theme = mode; }", mode)
        assert page.evaluate("getComputedStyle(document.querySelector('.drag-stage svg text')).fill") != ""
    access.lighten(page)
    problems += access.audit(page, {})
    assert not problems, "\n".join(problems)


@pytest.mark.browser
@needs_browser
@each
def test_numbers_say_where_they_are_from_and_the_picture_is_described(name: str, page: Any) -> None:
    marked = page.locator(".drag-stage dd .drag-from").all_text_contents()
    assert set(marked) <= {"from a record"}
    said = "Numbers are computed in your browser" + (", but for those marked as from a record." if marked else ".")
    assert page.locator(".drag-stage").inner_text().count("computed") == 1, "it is said once"
    assert page.locator(".drag-here").inner_text() == (FIGURES[name].here or said)
    knobs = page.eval_on_selector_all(".drag-knob", "all => all.map(e => [e.ariaLabel, e.ariaValueText])")
    assert all(label and value for label, value in knobs), knobs
    pictures = page.eval_on_selector_all(
        ".drag-picture", "all => all.map(e => e.firstElementChild?.getAttribute('aria-label') || '')"
    )
    assert all(len(text) > 20 for text in pictures), pictures
    assert page.locator(".drag-summary[role=status]").inner_text()


# -- the directive -----------------------------------------------------------------------------------------------------------


WORDS = "It *teaches*.\n\nTry it. Drag."


def build(
    folder: Path, builder: str, still: str = "three", name: str = "batches", more: str = "", words: str = WORDS
) -> tuple[Path, str]:
    """A small book by the extension: a page with a figure, one without; the folder, and what Sphinx warned of."""
    import io

    from sphinx.application import Sphinx
    from sphinx.util.docutils import docutils_namespace, patch_docutils

    source = folder / "source"
    source.mkdir(exist_ok=True)
    figure = f":::{{figure-to-drag}} {name}\n:still: {still}\n{more}\n{words}\n:::\n"
    text = f"# A page\n\n(three)=\n## Three\n\n{figure}\n```{{toctree}}\nother\n```\n"
    (source / "index.md").write_text(text, encoding="utf-8")
    (source / "other.md").write_text("# Another page\n\nNothing moves.\n", encoding="utf-8")
    settings = {
        "extensions": ["myst_parser", "companion_figures"],
        "source_suffix": {".md": "markdown"},  # Sphinx would add to its own default, for later tests too
        "myst_enable_extensions": ["colon_fence"],
        "html_static_path": [str(ROOT / "book" / "_static")],
        "html_theme": "basic",
        "nitpicky": True,
    }
    said, out = io.StringIO(), folder / builder
    with patch_docutils(), docutils_namespace():
        app = Sphinx(str(source), None, str(out), str(folder / "trees"), builder, settings, None, said, freshenv=True)
        app.build()
    return out, re.sub(r"\x1b\[[0-9;]*m", "", said.getvalue())


def test_scripts_are_loaded_by_pages_with_a_figure_only(tmp_path: Path) -> None:
    out, said = build(tmp_path, "html")
    assert said == ""
    text = (out / "index.html").read_text(encoding="utf-8")
    loaded = re.findall(r'<script defer="defer" src="_static/figures/([\w.]+)', text)
    assert loaded == [*dragging.KIT, "ch3_batches.js"]
    assert 'href="_static/figures/figures.css' in text
    assert "figures/" not in (out / "other.html").read_text(encoding="utf-8")


@pytest.mark.browser
@needs_browser
def test_without_script_and_on_paper_sentence_and_still_figure_remain(tmp_path: Path, chromium: Any) -> None:
    out, _ = build(tmp_path, "html")
    for script in (False, True):
        context = chromium.new_context(java_script_enabled=script)
        page = context.new_page()
        page.goto((out / "index.html").as_uri())
        if script:
            assert page.locator(".drag-stage svg[role=img]").first.is_visible()
            order = page.locator("#drag-batches").inner_text()
            assert order.startswith("Try it. Drag.")
            assert order.endswith("It teaches.")  # who can drag needs no other case
            page.emulate_media(media="print")
            page.set_viewport_size({"width": 390, "height": 800})  # a sheet may be as narrow as a telephone
        box = page.locator("#drag-batches")
        assert box.inner_text().split("\n\n") == ["It teaches.", "One case without dragging is in Three."]
        assert box.locator("a").first.get_attribute("href") == "#three"
        assert not page.locator(".drag-stage").is_visible()
        context.close()


@pytest.mark.parametrize("builder", ["singlehtml", "epub", "latex", "text"])
def test_other_forms_of_the_book_leave_the_moving_part_out(builder: str, tmp_path: Path) -> None:
    out, said = build(tmp_path, builder)
    assert "unknown node" not in said
    written = [
        path.read_text(encoding="utf-8")
        for path in out.rglob("*")
        if path.name.startswith("index.") or path.suffix == ".tex"
    ]
    assert any("One case without dragging" in text for text in written)
    assert not any(
        "drag-stage" in text or "Try it." in text or "drag-try" in text or "figures/engine.js" in text
        for text in written
    )


def test_a_still_figure_or_a_script_that_is_missing_stops_the_build(tmp_path: Path) -> None:
    _, said = build(tmp_path, "html", still="fig-gone")
    assert "undefined label: 'fig-gone'" in said
    _, said = build(tmp_path, "html", name="no-such-figure")
    assert "0 files book/_static/figures/*_no_such_figure.js" in said


@pytest.mark.parametrize("words", ["It teaches.", "It teaches. Try it.\n\nDrag."])
def test_what_it_teaches_is_one_sentence_of_its_own(words: str, tmp_path: Path) -> None:
    _, said = build(tmp_path, "html", words=words)
    assert "one sentence on what it teaches" in said


@pytest.mark.parametrize(
    ("role", "problem"),
    [
        ("{preset}`see <batch?m=7>`", "no such figure on this page"),
        ("{preset}`see <batches?m=7>`", "no control is called 'm'"),
        ("{preset}`see <batches?width=0.35>`", "width cannot be '0.35'"),
        ("{preset}`see <batches?width=7>`", "width cannot be '7'"),
        ("{preset}`see <batches?seed=100>`", "seed cannot be '100'"),
        ("{preset}`see <batches?rule=best>`", "rule cannot be 'best'"),
        ("{preset}`see <batches?kernel=matern>`", "kernel cannot be 'matern'"),
        ("{preset}`see it`", "words, then <what they stand for>"),
        ("{live}`3 <batches.nothing>`", "nothing is called 'nothing'"),
        ("{live}`3 <ball.mean>`", "no such figure on this page"),
    ],
)
def test_a_role_that_speaks_of_what_is_not_there_stops_the_build(role: str, problem: str, tmp_path: Path) -> None:
    _, said = build(tmp_path, "html", words=f"It teaches.\n\nTry {role}. Drag.")
    assert problem in said


def test_what_a_page_fixes_has_to_be_a_value(tmp_path: Path) -> None:
    _, said = build(tmp_path, "html", more=":fixed: rule=best\n")
    assert "rule cannot be 'best'" in said


SPOKEN = (
    "It {live}`48 <batches.active>`.\n\nTry {preset}`a & b <batches?kernel=matern32&width=0.3&batch=4&seed=99>`. Drag."
)


def test_roles_are_words_in_every_form_of_the_book(tmp_path: Path) -> None:
    """Where something moves a script finds them; elsewhere they are what was written."""
    for builder in ("html", "singlehtml", "epub", "latex", "text"):
        out, said = build(tmp_path, builder, words=SPOKEN)
        assert "batches" not in said
        if builder == "html":
            text = (out / "index.html").read_text(encoding="utf-8")
            assert 'data-of="batches?kernel=matern32&amp;width=0.3&amp;batch=4&amp;seed=99">a &amp; b</span>' in text
            assert 'data-of="batches.active">48</span>' in text
        if builder == "text":
            assert "It 48." in (out / "index.txt").read_text(encoding="utf-8")


@pytest.mark.browser
@needs_browser
def test_without_script_a_preset_is_no_link_and_on_paper_it_looks_like_none(tmp_path: Path, chromium: Any) -> None:
    out, _ = build(
        tmp_path, "html", words="It {preset}`teaches <batches?width=0.3>` {live}`13 <batches.active>`.\n\nDrag."
    )
    for script in (False, True):
        context = chromium.new_context(java_script_enabled=script)
        page = context.new_page()
        page.goto((out / "index.html").as_uri())
        assert page.locator(".drag-teaches").inner_text() == "It teaches 13."
        assert page.locator(".drag-teaches a").count() == script
        page.emulate_media(media="print")
        looks = "e => [getComputedStyle(e).color, getComputedStyle(e).textDecorationLine, getComputedStyle(e).borderBottomWidth]"
        plain = page.locator(".drag-teaches").evaluate(looks)
        for spoken in page.locator(".drag-teaches > *").all():
            assert spoken.evaluate(looks) == plain
        context.close()


def stored() -> tuple[Any, Any]:
    """What a figure may ask for from a record."""
    from companion.pages.provenance import Provenance, Source

    source = Source("make paper CH=3", "paper", (0, 1), "tests.stored", "stored()", "commit 0123456789")
    return {"regret": [1.5, 2.5], "name": "</script>"}, Provenance((source,))


def test_a_record_stands_in_the_page_with_where_it_is_from(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "stored_for_figures", sys.modules[__name__])
    out, said = build(tmp_path, "html", more=":record: stored_for_figures.stored\n")
    assert said == ""
    text = (out / "index.html").read_text(encoding="utf-8")
    (found,) = re.findall(r'<script type="application/json" id="drag-batches-record">(.*?)</script>', text)
    record = json.loads(found)
    assert record["data"] == stored()[0]
    assert record["from"].startswith("make paper CH=3, profile paper, seeds 0, 1")
    assert '<code class="command">make paper CH=3</code>' in text
