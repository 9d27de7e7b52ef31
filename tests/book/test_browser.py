"""The book as a reader meets it: built without a warning, typeset, self-contained, in light and dark mode.

The book is built afresh into a temporary folder: a cached build would not repeat the warnings of unchanged pages.
"""

from __future__ import annotations

import itertools
import json
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from book import access, crawl, dragging, twins
from book import browser as looking
from companion.pages.document import chapters, lessons, read_notebook

EXECUTABLE = looking.find_browser()
FEW = 5
needs_browser = pytest.mark.skipif(EXECUTABLE is None, reason="no Chromium on PATH: the book was not looked at")


@pytest.fixture(scope="module")
def html(root: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The built book; fails on any warning."""
    place = tmp_path_factory.mktemp("book")
    command = Path(sys.executable).parent / "jupyter-book"
    run = subprocess.run(
        [str(command), "build", ".", "--path-output", str(place), "-W", "-n", "--keep-going", "-q"],
        cwd=root,
        capture_output=True,
        text=True,
        check=False,
    )
    said = re.sub(r"\x1b\[[0-9;]*m", "", run.stderr)
    assert run.returncode == 0, f"the book does not build without warnings:\n{said[-6000:]}"
    return place / "_build" / "html"


def test_the_book_builds_without_a_warning(html: Path) -> None:
    assert (html / "book" / "index.html").is_file()


@pytest.mark.browser
@needs_browser
def test_every_page_is_typeset_self_contained_and_open_to_all(html: Path, chromium: Any) -> None:
    found = looking.pages(html)
    assert "book/index.html" in found
    problems, formulas, looks = [], 0, {}
    # Listings of the package are made by one template from text without mathematics: a few stand for all.
    listings = [page for page in found if page.startswith("_modules/")]
    with looking.serve(html) as base, looking.reader(chromium) as someone:
        for page in [page for page in found if page not in listings[FEW:]]:
            seen = looking.visit(someone, base, page, dark=True, access=True, looks=looks)
            formulas += seen.formulas
            problems += [f"{page}: {problem}" for problem in seen.problems]
    assert not problems, "\n".join(problems)
    assert formulas > 0, "no formula was typeset anywhere, so the check saw nothing"


@pytest.mark.browser
@needs_browser
@pytest.mark.parametrize(("width", "height", "screens"), [(1400, 1000, 1.0), (390, 844, 1.5)])
def test_the_first_answer_stands_on_the_first_screen(
    width: int, height: int, screens: float, html: Path, chromium: Any
) -> None:
    with looking.serve(html) as base, looking.reader(chromium) as someone:
        page = someone.new_page()
        page.set_viewport_size({"width": width, "height": height})
        page.goto(f"{base}book/decide.html", wait_until="load")
        answer = page.locator('[data-figure="decide"] .drag-summary').bounding_box()
        assert answer["y"] + answer["height"] <= screens * height


@pytest.mark.browser
@needs_browser
def test_the_first_page_is_three_screens_with_few_numbers_a_card(html: Path, chromium: Any) -> None:
    with looking.serve(html) as base, looking.reader(chromium) as someone:
        page = someone.new_page()
        page.set_viewport_size({"width": 1400, "height": 1000})
        page.goto(f"{base}book/index.html", wait_until="load")
        assert page.evaluate("document.documentElement.scrollHeight") <= 3.5 * 1000
        cards = page.locator(".companion-chapters .sd-card").all_inner_texts()
        assert len(cards) == 6
        for words in cards:
            said = re.sub(r"^\s*\d ·|\[\d+\]", "", words)
            assert len(re.findall(r"\d[\d\s.]*", said)) <= 3, words


@pytest.mark.browser
@needs_browser
def test_the_rules_are_one_printed_sheet(html: Path, chromium: Any) -> None:
    with looking.serve(html) as base, looking.reader(chromium) as someone:
        page = someone.new_page()
        sheets = {}
        for name in ("rules", "decide"):
            page.goto(f"{base}book/{name}.html", wait_until="load")
            page.wait_for_function("!window.MathJax || !!window.MathJax.startup.promise")
            sheets[name] = len(re.findall(rb"/Type\s*/Page\b(?!s)", page.pdf(format="A4")))
    assert sheets["rules"] == 1
    assert sheets["decide"] > 1, "pages are not counted"


def test_chapters_can_be_taken_away(html: Path) -> None:
    for chapter in chapter_pages(html):
        links = re.findall(r'class="companion-take-away">.*?</span>', chapter.read_text(encoding="utf-8"))
        assert len(links) == 1, chapter.name
        places = [(chapter.parent / name).resolve() for name in re.findall(r'href="([^"]+)"', links[0])]
        assert [path.suffix for path in places] == [".ipynb", ".whl"]
        assert all(path.is_file() for path in places)
        cells = [
            cell for cell in json.loads(places[0].read_text(encoding="utf-8"))["cells"] if cell["cell_type"] == "code"
        ]
        assert "instruction_set.pin()" in "".join(cells[0]["source"])


@pytest.mark.browser
@needs_browser
def test_the_archive_opens_from_a_folder(html: Path, chromium: Any, root: Path, tmp_path: Path) -> None:
    sys.path.insert(0, str(root / ".ci" / "editions"))
    import archive

    archive.pack(html, tmp_path / "site.zip")
    shutil.unpack_archive(tmp_path / "site.zip", tmp_path / "else where")
    base = (tmp_path / "else where" / archive.FOLDER).as_uri() + "/"
    with looking.reader(chromium) as someone:
        page = someone.new_page()
        page.goto(f"{base}index.html", wait_until="load")
        page.wait_for_url(f"{base}book/index.html")
        for name in ("book/index.html", "notebooks/ch3_batched.html", "book/ledger/ch3_batched.html"):
            seen = looking.visit(someone, base, name)
            assert seen.problems == [], name


def test_no_link_leads_nowhere_and_no_id_stands_twice(html: Path) -> None:
    found = crawl.faults(html)
    assert not found, "\n".join(found[:40])


def test_every_page_is_described_and_claims_no_address(html: Path) -> None:
    found = crawl.untold(html)
    assert not found, "\n".join(found[:40])


def test_every_page_has_a_twin_in_markdown(html: Path) -> None:
    found = twins.faults(html)
    assert not found, "\n".join(found[:40])


def test_all_that_a_chapter_shows_is_in_its_twin(html: Path, root: Path) -> None:
    for page in chapter_pages(html):
        notebook = read_notebook(root / "notebooks" / f"{page.stem}.ipynb")
        found = twins.left_out(notebook, page.with_suffix(".md").read_text(encoding="utf-8"))
        assert not found, f"{page.stem}: {found[:3]}"


def test_all_prose_around_figures_to_drag_is_in_the_twin_and_no_solution_given_away(html: Path) -> None:
    dragged = [path for path in html.glob("book/*.html") if "companion-drag" in path.read_text(encoding="utf-8")]
    for page in (*chapter_pages(html), *dragged):
        text = page.with_suffix(".md").read_text(encoding="utf-8")
        found = twins.unsaid(page.read_text(encoding="utf-8"), text) + twins.given_away(text)
        assert not found, f"{page.stem}: {found[:3]}"
    assert dragged


DOT = "data:image/gif;base64,R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7"


#: Megabytes: of all files, and of a page with the pictures of one mode.
SITE, PAGE = 47.5, 2.5


def test_the_book_is_light(html: Path) -> None:
    site, pages = crawl.weights(html)
    assert site <= SITE
    heavy = {page: size for page, size in pages.items() if size > PAGE}
    assert not heavy


def test_the_crawl_sees_what_is_wrong(tmp_path: Path) -> None:
    body = '<p id="a"></p><p id="a"></p><a href="#b"></a><a href="no.html"></a><a href="other.html#c">x</a><a href="#a">y</a>'
    (tmp_path / "page.html").write_text(body, encoding="utf-8")
    (tmp_path / "other.html").write_text('<p id="d"></p><a href="page.html#a">x</a>', encoding="utf-8")
    assert crawl.faults(tmp_path) == [
        "page.html: the id 'a' stands twice",
        "page.html: no such place as #b",
        "page.html: nothing at no.html",
        "page.html: no such place as other.html#c",
    ]


def test_a_pages_weight_counts_the_pictures_of_one_mode(tmp_path: Path) -> None:
    for name, size in (("light.png", 1_000_000), ("dark.png", 3_000_000)):
        (tmp_path / name).write_bytes(b"0" * size)
    (tmp_path / "p.html").write_text('<img class="only-light" src="light.png"><img class="only-dark" src="dark.png">')
    site, pages = crawl.weights(tmp_path)
    assert pages["p.html"] == pytest.approx(3.0, abs=0.001)
    assert site == pytest.approx(4.0, abs=0.001)


@pytest.mark.browser
@needs_browser
def test_a_figure_enlarges_by_key_and_escape_closes_it(html: Path, chromium: Any) -> None:
    with looking.serve(html) as base, looking.reader(chromium, formulas=False) as someone:
        page = someone.new_page()
        page.goto(f"{base}notebooks/{chapter_pages(html)[0].name}", wait_until="load")
        link = page.locator("a.companion-enlarge.only-light").first
        link.focus()
        for close in ("Escape", "Enter"):
            page.keyboard.press("Enter")
            large = page.locator("dialog.companion-large[open]")
            assert large.is_visible()
            assert large.locator("img").get_attribute("alt") == link.locator("img").get_attribute("alt")
            assert page.evaluate("document.activeElement.textContent") == "Close"
            page.keyboard.press(close)
            assert page.locator("dialog.companion-large").count() == 0
            assert link.evaluate("link => link === document.activeElement"), "the reader is back where they were"


#: Of each picture of several panels: how many, and what of them is cut off, has no room or stands beside another one.
_STACKED = """() => [...document.querySelectorAll('article img.only-light[data-panels]')].map((picture) => {
  const shown = [...picture.parentElement.querySelectorAll('.companion-panel')], end = document.documentElement.clientWidth;
  for (let fold = picture.closest('details'); fold; fold = fold.parentElement.closest('details')) fold.open = true;
  const boxes = shown.map((panel) => panel.getBoundingClientRect()), one = picture.dataset.panels.split(' ').length;
  const named = shown.filter((panel) => panel.ariaLabel === picture.alt).length;
  const moved = getComputedStyle(picture.parentElement).overflowX === 'auto';
  const cut = (box) => box.left < 0 || (!moved && box.right > end) || box.height < 20;
  const wrong = boxes.filter((box, i) => cut(box) || (i && box.top < boxes[i - 1].bottom));
  return [shown.length === one && named === 1 && !wrong.length && !picture.getClientRects().length, picture.alt.slice(0, 60)];
})"""


@pytest.mark.browser
@needs_browser
def test_on_a_telephone_panels_stand_one_below_the_other(html: Path, chromium: Any, root: Path) -> None:
    seen, icons = [], []
    with looking.serve(html) as base, looking.reader(chromium, formulas=False) as someone:
        page = someone.new_page()
        page.set_viewport_size({"width": 390, "height": 844})
        for chapter in chapters(root):
            page.goto(f"{base}notebooks/{chapter.stem}.html", wait_until="load")
            seen += [(chapter.stem, *found) for found in page.evaluate(_STACKED)]
            icons += page.eval_on_selector_all("svg[data-icon]", "all => all.map(e => !e.querySelector('.missing'))")
    assert not [found for found in seen if not found[1]]
    assert len({stem for stem, *_ in seen}) > FEW
    assert icons, "the theme draws no icon any more"
    assert all(icons), "an icon was left out that a page shows"


#: Controls of figures to drag that are covered when they come into sight, by whatever way, and pictures that leave them no room.
_COVERED = """async () => {
  const found = [];
  for (const stage of document.querySelectorAll('.drag-stage')) {
    const pictures = stage.querySelector('.drag-pictures');
    stage.querySelectorAll('details').forEach((fold) => { fold.open = true; });
    if (getComputedStyle(pictures).position === 'sticky' && pictures.offsetHeight > innerHeight / 2) found.push('high pictures');
    for (const one of stage.querySelectorAll('.drag-control:not([hidden]) :is(input, select), .drag-buttons button')) {
      for (const block of ['start', 'center', 'nearest']) {
        one.scrollIntoView({block});
        await new Promise((go) => requestAnimationFrame(() => requestAnimationFrame(go)));
        const box = one.getBoundingClientRect();
        const seen = document.elementFromPoint(box.left + box.width / 2, box.top + box.height / 2);
        if (!one.contains(seen)) found.push(`${one.id || one.textContent}, ${block}`);
      }
    }
  }
  return [document.querySelectorAll('.drag-stage').length, found];
}"""


@pytest.mark.browser
@needs_browser
def test_on_a_telephone_no_control_is_behind_the_picture(html: Path, chromium: Any) -> None:
    tried = 0
    with looking.serve(html) as base, looking.reader(chromium, formulas=False) as someone:
        page = someone.new_page()
        page.set_viewport_size({"width": 390, "height": 800})
        for path in (*chapter_pages(html), html / "book" / "bounds.html", html / "book" / "decide.html"):
            page.goto(base + path.relative_to(html).as_posix(), wait_until="load")
            count, found = page.evaluate(_COVERED)
            tried += count
            assert not found, f"{path.name}: {found[:5]}"
    assert tried > FEW


#: Pictures and panels that are shown smaller than so many times their size, and so letters of 8 points with less than 9 pixels.
_SMALL = """(least) => [...document.querySelectorAll('article img.only-light, .companion-panel > span')].map((part) => {
  for (let fold = part.closest('details'); fold; fold = fold.parentElement.closest('details')) fold.open = true;
  const picture = part.matches('img') ? part : part.closest('a').querySelector('img');
  return [part.getBoundingClientRect().height / picture.getAttribute('height'), picture.alt.slice(0, 60)];
}).filter(([scale]) => scale && scale < least)"""


@pytest.mark.browser
@needs_browser
def test_letters_of_pictures_are_nine_pixels_high(html: Path, chromium: Any) -> None:
    faults = []
    with looking.serve(html) as base, looking.reader(chromium, formulas=False) as someone:
        page = someone.new_page()
        for width in (1400, 390):
            page.set_viewport_size({"width": width, "height": 800})
            for path in chapter_pages(html):
                page.goto(f"{base}notebooks/{path.name}", wait_until="load")
                faults += [(path.stem, width, *found) for found in page.evaluate(_SMALL, 0.83)]
    assert not faults


@pytest.mark.browser
@needs_browser
def test_only_pictures_of_the_mode_that_is_on_are_loaded(html: Path, chromium: Any) -> None:
    with looking.serve(html) as base, looking.reader(chromium, formulas=False) as someone:
        page = someone.new_page()
        loaded: list[str] = []
        page.on("request", lambda request: loaded.append(request.url.rpartition("/")[2]))
        page.goto(f"{base}notebooks/{chapter_pages(html)[0].name}", wait_until="load")
        page.evaluate("""async () => {
          for (const image of document.querySelectorAll('article img.only-light')) {
            for (let fold = image.closest('details'); fold; fold = fold.parentElement.closest('details')) fold.open = true;
            image.scrollIntoView();
            await image.decode();
          }
        }""")
        shown, hidden = (
            set(page.eval_on_selector_all(f"article img.only-{mode}", "all => all.map(i => i.src.split('/').pop())"))
            for mode in ("light", "dark")
        )
    assert shown
    assert shown <= set(loaded)
    assert not (hidden - shown) & set(loaded)


@pytest.mark.browser
@needs_browser
def test_keys_reach_search_mode_folds_and_figures_and_are_seen(html: Path, chromium: Any) -> None:
    with looking.serve(html) as base, looking.reader(chromium) as someone:
        page = someone.new_page()
        page.goto(f"{base}notebooks/{chapter_pages(html)[0].name}", wait_until="load")
        page.keyboard.press("Tab")
        assert page.evaluate("document.activeElement.textContent").strip() == "Skip to main content"
        begun = access.walk(page, 60)
        assert any("search-button" in step["classes"] for step in begun)
        assert any("theme-switch-button" in step["classes"] for step in begun)
        page.locator("article a.companion-enlarge.only-light").first.focus()
        figure = page.evaluate("document.activeElement.className")
        assert "companion-enlarge" in figure
        fold = page.locator("article details > summary").first
        page.keyboard.press("Shift+Tab")
        reached = access.walk(page, 25)
        assert any("companion-enlarge" in step["classes"] for step in reached)
        unseen = [step for step in begun + reached if step["shown"] and not step["seen"] and step["tag"] != "BODY"]
        assert not unseen, unseen[:5]
        for key in ("Enter", "Space"):
            fold.focus()
            before = fold.evaluate("fold => fold.parentElement.open")
            page.keyboard.press(key)
            assert fold.evaluate("fold => fold.parentElement.open") != before, key


#: What a page of evidence asks of a browser before it can be read: formulas that are set, all others with the fold they are in,
#: and elements. Seconds are not measured: they are the machine's.
FORMULAS, ELEMENTS = 50, 20_000


@pytest.mark.browser
@needs_browser
def test_pages_of_evidence_are_ready_soon(html: Path, chromium: Any) -> None:
    pages = sorted(html.glob("book/ledger/*.html")) + sorted(html.glob("book/verdicts/*.html"))
    with looking.serve(html) as base, looking.reader(chromium) as someone:
        page = someone.new_page()
        for path in pages:
            page.goto(base + path.relative_to(html).as_posix(), wait_until="load")
            page.evaluate("async () => { await window.MathJax?.startup?.promise; }")
            formulas, elements = (page.locator(kind).count() for kind in ("mjx-container", "*"))
            assert formulas <= FORMULAS, path.name
            assert elements <= ELEMENTS, path.name
    assert pages


Look = Callable[..., looking.Visit]


@pytest.fixture(scope="module")
def look(root: Path, tmp_path_factory: pytest.TempPathFactory, chromium: Any) -> Iterator[Look]:
    """Visits a small page with this in its article; one reader for all of them, so that MathJax is in the cache."""
    folder = tmp_path_factory.mktemp("pages")
    shutil.copy(root / "book" / "_static" / "mathjax" / "tex-svg-full.js", folder)
    numbers = itertools.count()
    with looking.serve(folder) as base, looking.reader(chromium) as someone:

        def visit(body: str, **how: bool) -> looking.Visit:
            name = f"{next(numbers)}.html"
            (folder / name).write_text(SOUND.replace("BODY", body), encoding="utf-8")
            return looking.visit(someone, base, name, **how)

        yield visit


KEPT_OUT = {
    "summary-name": '<details open><summary><i class="x"></i></summary><p>x</p></details>',
    "color-contrast": '<p style="color: #999">faint</p>',
    "color-contrast: <h2": '<style>[data-theme="dark"] h2 { background: #111; color: #333 }</style><h2>dim at night</h2>',
    "label-content-name-mismatch": '<button aria-label="Toggle">Show the source</button>',
    "image-alt": f'<img src="{DOT}">',
    "a box that scrolls and that no key reaches": '<div style="overflow-x: auto"><p style="width: 900px">wide</p></div>',
    "cut off at 320 px": '<div style="overflow: hidden"><table style="width: 900px"><tr><td>wide</td></tr></table></div>',
    "cut off at 320 px: DIV left": '<div>left<table style="margin-left: -90px"><tr><td>of the page</td></tr></table></div>',
    "the page is": '<p style="width: 900px">wide</p>',
}


@pytest.mark.browser
@needs_browser
@pytest.mark.parametrize("fault", KEPT_OUT)
def test_what_keeps_readers_out_is_reported(fault: str, look: Look) -> None:
    seen = look(f"<main><h1>t</h1>{KEPT_OUT[fault]}</main>", access=True)
    assert any(problem.startswith(fault) for problem in seen.problems), seen.problems


SOUND = """<!doctype html><html lang="en" data-theme="light"><head><meta charset="utf-8"><title>t</title>
<script>MathJax = {tex: {packages: {'[-]': ['noundefined']}}, options: {processHtmlClass: 'math'}}</script>
<script defer src="tex-svg-full.js"></script></head><body><article>BODY</article></body></html>"""

BROKEN = {
    "untypeset mathematics": '<span class="math">\\(\\frac{1</span>',
    "TeX error": '<span class="math">\\(\\nosuchmacro\\)</span>',
    "a request to the outside": '<img alt="x" src="http://example.invalid/picture.png">',
    "a request that failed with 404": '<img alt="x" src="missing.png">',
    "a script error": "<script>throw new Error('broken')</script>",
    "an image without a text alternative": f'<img src="{DOT}">',
    "a figure without a caption": f'<div class="cell_output"><figure><img alt="x" src="{DOT}"></figure></div>',
    "a figure that shows 2 pictures": f'<figure class="companion-figure"><img alt="x" src="{DOT}"><img alt="x" '
    f'src="{DOT}"><figcaption>two</figcaption></figure>',
    "a caption that is hidden": f'<figure class="companion-figure"><img alt="x" src="{DOT}"><figcaption hidden>c'
    "</figcaption></figure>",
    "text too faint to read": '<p style="color: #ccc">faint</p>',
    "a stray formula delimiter": "<p>costs $x^2$ and more</p>",
}


@pytest.mark.browser
@needs_browser
def test_a_sound_page_passes(look: Look) -> None:
    body = '<p>a <span class="math">\\(x^2\\)</span></p><div class="cell_output"><figure class="companion-figure">'
    body += f'<img alt="a dot" src="{DOT}"><figcaption>A dot.</figcaption></figure></div><pre>$ ls</pre>'
    seen = look(body)
    assert seen.problems == []
    assert seen.formulas == 1


@pytest.mark.browser
@needs_browser
@pytest.mark.parametrize("fault", BROKEN)
def test_each_fault_is_reported(fault: str, look: Look) -> None:
    seen = look(BROKEN[fault])
    assert any(problem.startswith(fault) for problem in seen.problems), seen.problems


@pytest.mark.browser
@needs_browser
def test_a_fault_of_dark_mode_alone_is_reported(look: Look) -> None:
    body = '<style>[data-theme="dark"] article { background: #111; color: #333 }</style><p>dim</p>'
    assert look(body).problems == []
    (problem,) = look(body, dark=True).problems
    assert problem.startswith("text too faint to read")
    assert problem.endswith("(dark)")


def chapter_pages(html: Path) -> list[Path]:
    return sorted(html.glob("notebooks/ch*.html"))


def test_the_bar_above_a_chapter_leads_to_what_is_beside_it(html: Path) -> None:
    found = {}
    for page in chapter_pages(html):
        (bar,) = re.findall(r'<nav class="companion-chapter-links".*?</nav>', page.read_text("utf-8"), re.DOTALL)
        links = re.findall(r'<a href="([^"#]*)(?:#[^"]*)?">(.*?)</a>', bar)
        assert all((page.parent / (address or page.name)).resolve().is_file() for address, _ in links), page.name
        found[page.stem] = [re.sub("<.*?>", "", words) for _, words in links]
    assert found["ch1_tsrsr"] == ["Exercises", "Record", "Lesson 2 ›"]
    assert found["ch3_batched"] == ["‹ Lesson 2", "Exercises", "Record", "Lesson 4 ›"]
    assert found["ch3_batched_record"] == ["‹ Lesson 2", "Exercises", "Lesson", "Lesson 4 ›"]
    assert found["ch6_side_by_side"] == ["‹ Lesson 5", "Exercises", "Record", "My setting ›"]


def test_every_number_leads_to_its_command_in_two_clicks(html: Path) -> None:
    """One click opens the line that says where from; its command and its code are links that lead somewhere."""
    link = r'<a href="([^"#]*)#([^"]*)"><code class="(command|call)"'
    # What stored tables cost is told where their record knows it.
    run = r"commit (?:[0-9a-f]{10}|unknown).* · \d{4}-\d\d-\d\d( · .*\d s(?: in all)?| · .*\d s on one core.*)?</span>"
    for page in chapter_pages(html):
        lines = re.findall(
            r'<details class="companion-where">.*?</details>', page.read_text(encoding="utf-8"), re.DOTALL
        )
        assert len(lines) > 2, page.name
        for line in lines:
            for source in line.split('<span class="source">')[1:]:
                found = re.search(run, source)
                assert found, source
                assert found[1] or "make paper" in source or "companion.papers.across" in source, source
                targets = re.findall(link, source)
                assert [kind for *_, kind in targets] == ["command", "call"], source
                for address, anchor, _ in targets:
                    target = (page.parent / address).resolve().read_text(encoding="utf-8")
                    assert f'id="{anchor}"' in target, f"{address} has no {anchor}"


def test_old_addresses_of_sections_are_there(html: Path) -> None:
    for line in Path(__file__).with_name("anchors.txt").read_text(encoding="utf-8").splitlines():
        stem, anchor = line.split()
        text = (html / "notebooks" / f"{stem}.html").read_text(encoding="utf-8")
        assert f'id="{anchor}"' in text, f"{stem}.html#{anchor}"


#: Code above the exercises that is cut, or has to be moved to be read.
_CUT = """async () => {
  await window.MathJax?.startup?.promise;
  const end = document.querySelector('section#exercises').getBoundingClientRect().top;
  const shown = [...document.querySelectorAll('article div.highlight pre')]
    .filter(code => !code.closest('.tag_parameters, .tag_hide-input') && code.checkVisibility());
  const cut = shown.filter(code => code.scrollWidth > code.clientWidth + 1 && code.getBoundingClientRect().top < end);
  return cut.map(code => code.textContent.slice(0, 60));
}"""


@pytest.mark.browser
@needs_browser
def test_code_of_a_lesson_is_read_without_moving_it(html: Path, chromium: Any, root: Path) -> None:
    faults = []
    with looking.serve(html) as base, looking.reader(chromium) as someone:
        page = someone.new_page()
        for lesson in (chapter for chapter in lessons(root) if chapter.split):
            page.goto(f"{base}notebooks/{lesson.stem}.html", wait_until="load")
            for width in (1400, 768, 390):
                page.set_viewport_size({"width": width, "height": 1000})
                faults += [f"{lesson.stem}: code is cut: {text}" for text in page.evaluate(_CUT)]
    assert not faults, "\n".join(faults)


@pytest.mark.browser
@needs_browser
def test_where_from_is_folded_and_opens_on_a_click(html: Path, chromium: Any) -> None:
    (page, *_) = chapter_pages(html)
    with looking.serve(html) as base, looking.reader(chromium, formulas=False) as someone:
        opened = someone.new_page()
        opened.goto(f"{base}notebooks/{page.name}", wait_until="load")
        line = opened.locator("details.companion-where").first
        command = line.locator("a code.command").first
        assert not command.is_visible()
        line.locator("summary").click()
        assert command.is_visible()
        command.click()
        assert opened.url.startswith(f"{base}book/rerun.html#")


@pytest.mark.browser
@needs_browser
def test_figures_to_drag_move_in_their_chapters_from_a_folder(html: Path, chromium: Any) -> None:
    """Below the figure that stands still, and opened as files; without script its sentence and that figure are there."""
    found = [
        (path, name)
        for path in sorted(html.rglob("*.html"))
        for name in re.findall(r'data-figure="([\w-]+)"', path.read_text(encoding="utf-8"))
    ]
    assert sorted({name for _, name in found}) == dragging.names(), "every figure has its place"
    for script in (True, False):
        context = chromium.new_context(java_script_enabled=script)
        looking.untypeset(context)
        page, wrong = context.new_page(), list[str]()
        page.on("pageerror", lambda error, wrong=wrong: wrong.append(str(error)))
        page.on(
            "request",
            lambda request, wrong=wrong: (
                None if request.url.startswith(("file:", "data:")) else wrong.append(request.url)
            ),
        )
        for path, name in found:
            page.goto(path.as_uri(), wait_until="load")
            box = page.locator(f"#drag-{name}")
            still = box.locator(".drag-still a")
            elsewhere, _, place = str(still.get_attribute("href")).partition("#")
            if elsewhere:
                assert f'id="{place}"' in (path.parent / elsewhere).read_text(encoding="utf-8"), (
                    "the figure stands there"
                )
            else:
                marked = page.locator(f"[id='{place}'], section:has(> span[id='{place}'])")  # a figure, or a section
                assert marked.locator("img, table").count() > 0
            teaches = box.locator("p.drag-teaches")
            assert teaches.is_visible()
            assert len(teaches.inner_text()) > 40
            assert box.locator(".drag-try").is_visible() == script
            assert box.locator("svg[role=img]").count() > 0 if script else not box.locator(".drag-stage").is_visible()
            if script:
                before = dragging.shown(page, name)
                dragging.step(page, name, next(iter(before["inputs"])))
                after = dragging.shown(page, name)
                assert after["picture"] + after["words"] != before["picture"] + before["words"]
                assert after["hash"].startswith(f"#drag-{name}")
                assert "figure-to-drag" not in page.content()
        assert not wrong
        context.close()
