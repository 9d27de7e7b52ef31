"""Look at built pages with a headless browser and say everything that is wrong with them."""

from __future__ import annotations

import contextlib
import functools
import http.server
import re
import shutil
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from book import access as keys

#: Of a small and of a usual telephone, of a tablet and of a desk, in pixels.
WIDTHS = (320, 390, 768, 1400)
WINDOW = {"width": 1280, "height": 800}
_MODE = "(mode) => { for (const key of ['theme', 'mode']) document.documentElement.dataset[key] = mode; }"
NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")

# Runs in the page, after MathJax has finished. Returns one line for each problem.
_INSPECT = r"""
async () => {
  const problems = [];
  // Formulas that are typeset as they unfold are looked at too.
  if (window.companionUnfold) {
    await window.companionUnfold();
  }
  const maths = [...document.querySelectorAll('.math')];
  if (maths.length && window.MathJax?.startup?.promise) {
    await window.MathJax.startup.promise;
  }
  const channels = (colour) => (colour.match(/[\d.]+/g) || []).map(Number);
  const luminance = (colour) => {
    const linear = (v) => (v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
    const [r, g, b] = colour.slice(0, 3).map((v) => linear(v / 255));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const grounds = new Map();
  const ground = (element) => {
    if (!element) return [255, 255, 255];
    if (!grounds.has(element)) {
      const colour = channels(getComputedStyle(element).backgroundColor);
      grounds.set(element, colour.length === 3 || colour[3] === 1 ? colour : ground(element.parentElement));
    }
    return grounds.get(element);
  };
  const contrast = (element) => {
    const pair = [luminance(channels(getComputedStyle(element).color)), luminance(ground(element))];
    const [low, high] = pair.sort((a, b) => a - b);
    return (high + 0.05) / (low + 0.05);
  };
  const shorten = (text) => text.trim().replace(/\s+/g, ' ').slice(0, 60);
  for (const element of maths) {
    if (!element.querySelector('mjx-container')) {
      problems.push('untypeset mathematics: ' + shorten(element.textContent));
    }
  }
  for (const element of document.querySelectorAll('[data-mml-node="merror"]')) {
    problems.push('TeX error: ' + shorten(element.getAttribute('data-mjx-error') || element.textContent));
  }
  const article = document.querySelector('article') || document.body;
  for (const image of article.querySelectorAll('img')) {
    if (!(image.getAttribute('alt') || '').trim()) {
      problems.push('an image without a text alternative: ' + (image.getAttribute('src') || '').slice(0, 60));
    }
    if (image.complete && image.naturalWidth === 0) {
      problems.push('an image that did not load: ' + (image.getAttribute('src') || '').slice(0, 60));
    }
    if (image.closest('.cell_output') && !image.closest('figure')?.querySelector('figcaption')?.textContent.trim()) {
      problems.push('a figure without a caption: ' + shorten(image.getAttribute('alt') || 'no alt'));
    }
  }
  for (const figure of article.querySelectorAll('figure.companion-figure')) {
    const shown = [...figure.querySelectorAll('img')].filter((image) => image.getClientRects().length > 0);
    const folded = figure.getClientRects().length === 0;
    if (!folded && shown.length !== 1) {
      problems.push(`a figure that shows ${shown.length} pictures: ` + shorten(figure.textContent));
    }
    const caption = figure.querySelector('figcaption');
    if (!folded && caption && caption.getClientRects().length === 0) {
      problems.push('a caption that is hidden: ' + shorten(caption.textContent));
    }
  }
  for (const block of article.querySelectorAll('p, li, td, figcaption, .companion-where')) {
    if (block.getClientRects().length > 0 && block.textContent.trim() && contrast(block) < 4.5) {
      problems.push(`text too faint to read (contrast ${contrast(block).toFixed(1)}): ` + shorten(block.textContent));
      break;
    }
  }
  const walker = document.createTreeWalker(article, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const parent = walker.currentNode.parentElement;
    const aside = 'pre, code, script, style, mjx-container, .math, .highlight, .cell_input';
    if (parent && !parent.closest(aside) && /\$|\\\(|\\\[/.test(walker.currentNode.data)) {
      problems.push('a stray formula delimiter: ' + shorten(walker.currentNode.data));
    }
  }
  return problems;
}
"""


def find_browser() -> str | None:
    """A Chromium on PATH, or ``None``."""
    return next((found for name in NAMES if (found := shutil.which(name))), None)


@contextlib.contextmanager
def serve(folder: Path) -> Iterator[str]:
    """Serve a folder on this machine; yields the base address, with a slash at its end."""

    class Quiet(http.server.SimpleHTTPRequestHandler):
        def log_message(self, format: str, *args: Any) -> None:
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Quiet, directory=str(folder)))
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}/"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


@dataclass
class Visit:
    """What one page did while it was open."""

    problems: list[str] = field(default_factory=list)
    formulas: int = 0


@contextlib.contextmanager
def chromium(executable: str) -> Iterator[Any]:
    """A headless browser that starts without a profile."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        # Outside requests are recorded and lead nowhere, so that a check never depends on the network. Intercepting
        # them instead would switch the browser's cache off, and every page loads MathJax.
        nowhere = "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1"
        arguments = ["--no-sandbox", "--disable-gpu", nowhere]
        browser = playwright.chromium.launch(executable_path=executable, args=arguments)
        try:
            yield browser
        finally:
            browser.close()


@contextlib.contextmanager
def reader(browser: Any, *, formulas: bool = True) -> Iterator[Any]:
    """A reader in light mode, who keeps scripts in a cache from page to page; where formulas are not looked at, none is set."""
    context = browser.new_context(color_scheme="light")
    context.add_init_script("localStorage.setItem('mode', 'light'); localStorage.setItem('theme', 'light');")
    if not formulas:
        untypeset(context)
    try:
        yield context
    finally:
        context.close()


def untypeset(context: Any) -> None:
    """Leave the formulas of pages as they are: to set them takes most of the time that a chapter needs to load."""
    context.route(re.compile(r"/tex-svg-full\.js"), lambda route: route.abort())


Looks = dict[str, set[str]]


def visit(
    someone: Any, base: str, path: str, *, dark: bool = False, access: bool = False, looks: Looks | None = None
) -> Visit:
    """Open one page and collect its problems, in light mode and, with ``dark``, in dark mode as well.

    Parameters
    ----------
    someone : from :func:`reader`
    base : address below which every request has to stay
    path : the page, relative to ``base``
    dark : switch the open page over, as the theme's own button does: typesetting a long page again takes seconds
    access : also look for what keeps readers out, in a window and at :data:`WIDTHS`
    looks : by mode, the looks of text whose contrast was measured on a page before, see :func:`book.access.audit`
    """
    result = Visit()
    # One window for all pages: to open another costs more than to load most of them.
    page = someone.pages[0] if someone.pages else someone.new_page()

    def requested(request: Any) -> None:
        if not request.url.startswith((base, "data:", "blob:", "about:")):
            result.problems.append(f"a request to the outside: {request.url}")

    def answered(response: Any) -> None:
        # Browsers ask for this file on their own; no page names it.
        if response.status >= 400 and not response.url.endswith("/favicon.ico"):
            result.problems.append(f"a request that failed with {response.status}: {response.url}")

    listeners = {
        "request": requested,
        "response": answered,
        "pageerror": lambda error: result.problems.append(f"a script error: {error}"),
    }
    for event, listener in listeners.items():
        page.on(event, listener)
    page.set_viewport_size(WINDOW)
    page.goto(base + path, wait_until="load")
    result.problems += page.evaluate(_INSPECT)
    if dark:
        page.evaluate(_MODE, "dark")
        result.problems += [f"{problem} (dark)" for problem in page.evaluate(_INSPECT)]
    result.formulas = page.locator("mjx-container").count()
    if access:
        result.problems += _kept_out(page, {} if looks is None else looks)
    for event, listener in listeners.items():
        page.remove_listener(event, listener)
    return result


def _kept_out(page: Any, looks: Looks) -> list[str]:
    """What a narrow window cuts off, and violations of the rules in dark and in light mode."""
    problems = []
    for width in WIDTHS:
        problems += keys.cut_off(page, width)
    keys.lighten(page)  # so that there is less to lay out in the wide window
    page.set_viewport_size(WINDOW)
    return problems + keys.audit(page, looks)


def pages(folder: Path) -> list[str]:
    """Every page of a built book, relative to its folder, without redirections."""
    found = []
    for path in sorted(folder.rglob("*.html")):
        relative = path.relative_to(folder).as_posix()
        redirects = 'http-equiv="refresh"' in path.read_text(encoding="utf-8")[:2000].lower()
        if not relative.startswith("_static/") and not redirects:
            found.append(relative)
    return found
