"""What a reader with a keyboard, a screen reader or a telephone meets on a page that is open in a browser."""

from __future__ import annotations

import hashlib
from functools import cache
from pathlib import Path
from typing import Any

#: axe-core by Deque Systems, from its npm package, unchanged; licence beside it. Used by these tests only.
AXE = Path(__file__).parent / "vendor" / "axe.min.js"
VERSION = "4.14.1"
CHECKSUM = "29348999450cdf2849a8e70b7912fc2da85a849da39c0d0d5394f51d4a9ed95c"
#: Levels A and AA of WCAG 2.0 to 2.2, as axe calls them.
TAGS = ("wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa")
#: The rule that looks at what lies below each piece of text. It takes most of the time, and in the dark only colours are others.
CONTRAST = "color-contrast"
MODES = ("dark", "light")

_STILL = "*, *::before, *::after { transition: none !important; animation: none !important }"

# What costs time and tells nothing new: the strokes of a formula, which no rule looks at (its text for screen readers stays);
# rows of a table beyond the fifteenth and folds beyond the eighth, which are made by the same template as those before.
_LIGHTEN = r"""
() => {
  for (const drawn of document.querySelectorAll('mjx-container > svg')) drawn.replaceChildren();
  for (const body of document.querySelectorAll('tbody')) [...body.children].slice(15).forEach((row) => row.remove());
  [...document.querySelectorAll('article details')].forEach((fold, index) => {
    if (index < 8) fold.open = true;
    else if (!fold.open) [...fold.children].forEach((child) => child.tagName === 'SUMMARY' || child.remove());
  });
}
"""

# Every rule but contrast on the whole page, in light mode; contrast in both modes, on four texts of each look that no page
# before had: text of one colour, size and weight on one ground has one contrast. Most of axe's time goes by the number of
# elements and of its runs: one in light mode, a second one in dark mode on what is left then, each without what tells it nothing.
_AUDIT = r"""
async ([tags, contrast, known]) => {
  const turn = (mode) => { for (const key of ['theme', 'mode']) document.documentElement.dataset[key] = mode; };
  const audited = async (mode, runOnly) => {
    const texts = [...looks[mode].values()].flat();
    turn(mode);
    texts.forEach((element) => element.setAttribute('data-measured', ''));
    const found = await axe.run(document, {resultTypes: ['violations'], preload: false, runOnly});
    texts.forEach((element) => element.removeAttribute('data-measured'));
    return found.violations.flatMap((rule) => rule.nodes.map((node) =>
      `${rule.id}: ${node.html.replace(/\s+/g, ' ').slice(0, 140)} (${node.failureSummary.split('\n')[1]?.trim()})`));
  };

  const newLooks = (mode) => {
    turn(mode);
    const grounds = new Map();
    const ground = (element) => {
      if (!element) return '';
      if (!grounds.has(element)) {
        const style = getComputedStyle(element);
        const clear = style.backgroundColor === 'rgba(0, 0, 0, 0)' && style.backgroundImage === 'none';
        grounds.set(element, (clear ? '' : style.backgroundColor + style.backgroundImage + '/')
          + (style.opacity === '1' ? '' : style.opacity) + (clear ? ground(element.parentElement) : ''));
      }
      return grounds.get(element);
    };
    const looks = new Map();
    for (const element of document.body.querySelectorAll('*')) {
      const own = [...element.childNodes].some((node) => node.nodeType === Node.TEXT_NODE && node.data.trim());
      if (!own || !element.getClientRects().length) continue;
      const style = getComputedStyle(element);
      const look = [style.color, style.fontSize, style.fontWeight, ground(element)].join();
      if (!known[mode].includes(look)) looks.set(look, [...(looks.get(look) || []), element].slice(0, 4));
    }
    return looks;
  };
  const looks = {dark: newLooks('dark'), light: newLooks('light')};
  const some = new Set(['dark', 'light'].flatMap((mode) => [...looks[mode].values()].flat()));
  const held = new Set();
  for (const element of [...some, ...document.body.querySelectorAll('style')]) {
    for (let e = element; e; e = e.parentElement) held.add(e);
  }

  // Formulas, listings and signatures beyond the first of their kind keep their text and lose the elements in it.
  for (const [kind, first] of [['mjx-assistive-mml', 20], ['pre', 5], ['dt.sig', 20]]) {
    for (const element of [...document.querySelectorAll(kind)].slice(first)) {
      if (!held.has(element)) element.textContent = element.textContent;
    }
  }
  axe.configure({rules: [{id: contrast, selector: '[data-measured]'}]});
  const lines = {light: await audited('light', {type: 'tag', values: tags}), dark: []};

  // What holds no text to measure is emptied, not removed: what stands beside it looks as it did.
  const empty = (element) => {
    for (const child of [...element.children]) {
      if (!held.has(child)) child.replaceChildren();
      else if (!some.has(child)) empty(child);
    }
  };
  empty(document.body);
  if (looks.dark.size) lines.dark = await audited('dark', {type: 'rule', values: [contrast]});
  return {looks: {dark: [...looks.dark.keys()], light: [...looks.light.keys()]}, lines};
}
"""

_CUT = r"""
() => {
  const problems = [];
  const width = document.documentElement.clientWidth;
  if (document.documentElement.scrollWidth > width + 1) {
    problems.push(`the page is ${document.documentElement.scrollWidth} px wide`);
  }
  const shorten = (element) => element.tagName + ' ' + element.textContent.trim().replace(/\s+/g, ' ').slice(0, 60);
  const article = document.querySelector('article') || document.body;
  const scrolls = (element) => ['auto', 'scroll'].includes(getComputedStyle(element).overflowX);
  const held = (element, edge) => {
    for (let e = element.parentElement; e && e !== document.documentElement; e = e.parentElement) {
      const style = getComputedStyle(e);
      if (scrolls(e)) return true;
      if (['hidden', 'clip'].includes(style.overflowX) && e.getBoundingClientRect().right < edge - 1) return false;
    }
    return edge <= width + 1;
  };
  for (const element of article.querySelectorAll('mjx-container > svg, img, table, pre, .companion-scroll')) {
    const box = element.getBoundingClientRect();
    if (box.width > 0 && getComputedStyle(element).visibility !== 'hidden' && (box.left < -1 || !held(element, box.right))) {
      problems.push(`cut off at ${width} px: ` + shorten(element.closest('p, figure, div') || element));
    }
  }
  const drawn = (element) => ['svg', 'MJX-ASSISTIVE-MML'].includes(element.tagName);
  const boxes = document.createTreeWalker(article, NodeFilter.SHOW_ELEMENT, (element) =>
    drawn(element) ? NodeFilter.FILTER_REJECT : NodeFilter.FILTER_ACCEPT);
  while (boxes.nextNode()) {
    const box = boxes.currentNode;
    if (box.scrollWidth > box.clientWidth + 1 && box.clientWidth > 0 && scrolls(box)) {
      const key = box.tabIndex >= 0 || box.querySelector('a[href], button, [tabindex="0"]');
      if (!key) problems.push('a box that scrolls and that no key reaches: ' + shorten(box));
    }
  }
  return problems;
}
"""


@cache
def script() -> str:
    """The rules, if they are the ones that were pinned."""
    text = AXE.read_bytes()
    assert hashlib.sha256(text).hexdigest() == CHECKSUM, f"{AXE} is not version {VERSION}"
    return text.decode("utf-8")


def lighten(page: Any) -> None:
    """Open the folds of a page and take off what :func:`audit` has nothing to learn from; little is left, so do this last."""
    page.evaluate(_LIGHTEN)


def audit(page: Any, known: dict[str, set[str]]) -> list[str]:
    """One line for every violation on an open page after :func:`lighten`; less is left of it afterwards.

    ``known`` are the looks of text that were found sound on pages before, by mode; those of this page join them.
    """
    page.evaluate(script())
    # Half-way from light to dark nothing can be read.
    page.add_style_tag(content=_STILL)
    seen = {mode: known.setdefault(mode, set()) for mode in MODES}
    found = page.evaluate(_AUDIT, [list(TAGS), CONTRAST, {mode: sorted(seen[mode]) for mode in MODES}])
    for mode in MODES:
        if not found["lines"][mode]:
            seen[mode].update(found["looks"][mode])
    return [f"{line} ({mode})" for mode in MODES for line in found["lines"][mode]]


def cut_off(page: Any, width: int) -> list[str]:
    """What does not fit into a window of this width and cannot be scrolled to."""
    page.add_style_tag(content=_STILL)  # the list of pages slides in, and moves the article
    page.set_viewport_size({"width": width, "height": 800})
    # The page's own script runs with the next picture.
    page.evaluate("() => new Promise((go) => requestAnimationFrame(() => requestAnimationFrame(go)))")
    return [str(line) for line in page.evaluate(_CUT)]


def walk(page: Any, steps: int) -> list[dict[str, Any]]:
    """Where the Tab key leads, one step after the other: tag, classes, text, and whether the focus is seen."""
    seen = []
    for _ in range(steps):
        page.keyboard.press("Tab")
        seen.append(
            page.evaluate(
                """() => {
                  const e = document.activeElement, style = getComputedStyle(e), box = e.getBoundingClientRect();
                  const ring = style.outlineStyle !== 'none' && parseFloat(style.outlineWidth) > 0;
                  return {tag: e.tagName, classes: e.className.toString(), text: e.textContent.trim().slice(0, 40),
                          seen: ring || style.boxShadow !== 'none', shown: box.width > 0 && box.height > 0};
                }"""
            )
        )
    return seen
