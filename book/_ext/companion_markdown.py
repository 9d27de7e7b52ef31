"""Sphinx extension: every page once more as Markdown, for programs that read, and a list of all pages, ``llms.txt``.

The twin of ``place/page.html`` is ``place/page.md`` beside it, made of the page as it is shown: prose, code, outputs, tables
with their numbers, formulas between dollars, and of pictures what they show and their caption. In place of a figure to drag
stands what it is set to as it opens, and a link to it; solutions, which are folded on the page, stand at the end. The head of the
page names the twin, and the menu of downloads leads to it. Sources of pages in Markdown, which lack what is filled in, are then
offered to nobody and left out; those of notebooks stay, to be run.
"""

from __future__ import annotations

import html
import posixpath
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, ClassVar
from urllib.parse import urldefrag, urljoin

import companion_figures
import companion_solutions
from bs4 import BeautifulSoup, Tag
from markdownify import ATX, MarkdownConverter
from sphinx import addnodes
from sphinx.application import Sphinx

#: What the shown page alone has: a second picture for dark pages, what moves or folds, links to the place itself.
ELEMENTS = frozenset({"script", "style", "button", "input", "select", "svg"})
CLASSES = frozenset(
    {"headerlink", "companion-from", "companion-where", "companion-source", "companion-doubt", "companion-moved"}
    | {"companion-take-away", "only-dark", "drag-stage", "evidence-filters", "evidence-permalink"}
)
#: Titles of boxes, which are lines of their own.
TITLES = frozenset({"admonition-title", "rubric"})
#: Languages of code as fences name them.
_LANGUAGES = {"ipython3": "python", "default": "", "none": "", "myst-ansi": ""}
_DESCRIBED = re.compile(r'<meta (?:name="description" content="([^"]*)"|content="([^"]*)" name="description")')
_TITLE = re.compile(r"^# (.+)$", re.MULTILINE)


class Twin(MarkdownConverter):
    """An article in Markdown; ``page`` is the name of its page, ``pages`` are those that have a twin."""

    class Options:
        """What is the same on every page, and what is not."""

        heading_style: ClassVar = ATX
        bullets: ClassVar = "-"
        escape_underscores: ClassVar = False
        table_infer_header: ClassVar = True
        page: ClassVar = ""
        pages: ClassVar = frozenset[str]()

    def convert_span(self, el: Tag, text: str, parent_tags: set[str]) -> str:
        """A formula between dollars; other spans are their words, apart from others where the page sets them apart."""
        kinds = el.get("class", ())
        if "math" in kinds:
            return _formula(el, "td" in parent_tags)
        return f" {text} " if any(kind.startswith("evidence-") for kind in kinds) else text

    def convert_div(self, el: Tag, text: str, parent_tags: set[str]) -> str:
        """A formula of its own; other boxes are what stands in them, apart from what is around."""
        if "td" in parent_tags:
            return f" {text.strip()} "
        return f"\n\n{_formula(el) if 'math' in el.get('class', ()) else text.strip()}\n\n"

    def convert_a(self, el: Tag, text: str, parent_tags: set[str]) -> str:
        """A link to another page leads to its twin; of one within the page, and around a picture, the words or picture stay."""
        words, (place, _) = text.strip(), urldefrag(el.get("href", ""))
        if not place or not words or el.find("img"):
            return text
        if el.has_attr("data-page"):
            return f"[{words}]({el['href']})"
        here = posixpath.dirname(self.options["page"])
        name, ending = posixpath.splitext(place.partition("?")[0])
        twinned = ending == ".html" and posixpath.normpath(posixpath.join(here, name)) in self.options["pages"]
        return f"[{words}]({name + '.md' if twinned else place})"

    def convert_pre(self, el: Tag, text: str, parent_tags: set[str]) -> str:
        """Code, and what it printed, between fences that are longer than any within."""
        box = el.find_parent(class_=re.compile("^highlight-"))
        kind = next((name[10:] for name in box["class"] if name.startswith("highlight-")), "") if box else ""
        fence = "`" * max(3, 1 + max(map(len, re.findall("`+", el.text)), default=0))
        return f"\n\n{fence}{_LANGUAGES.get(kind, kind)}\n{el.text.strip(chr(10))}\n{fence}\n\n"

    def convert_summary(self, el: Tag, text: str, parent_tags: set[str]) -> str:
        """What opens a fold is a line of its own."""
        return f"\n\n**{text.strip()}**\n\n" if text.strip() else ""

    def convert_td(self, el: Tag, text: str, parent_tags: set[str]) -> str:
        """A cell; a stroke in it does not end it."""
        return str(super().convert_td(el, text.replace("|", "\\|"), parent_tags))

    def convert_th(self, el: Tag, text: str, parent_tags: set[str]) -> str:
        """The head of a column, likewise."""
        return str(super().convert_th(el, text.replace("|", "\\|"), parent_tags))

    convert_figcaption = convert_details = convert_div


def _formula(el: Tag, in_table: bool = False) -> str:
    """What MathJax is given, between dollars."""
    inside = el.text.strip()
    text, mark = inside[2:-2].strip(), "$$\n" if inside.startswith("\\[") else "$"
    if in_table:
        text = text.replace("\\|", "\\Vert ").replace("|", "\\vert ").strip()
    return f"{mark}{text}{mark[::-1]}"


def _unfold(soup: BeautifulSoup, row: Tag) -> None:
    """Have what a row of a table unfolds stand below the table, under the name of the row before."""
    before, table = row.find_previous_sibling("tr"), row.find_parent("table")
    if before is None or table is None:
        return
    box = soup.new_tag("div")
    title = soup.new_tag("h4", string=" ".join(before.find(["td", "th"]).get_text(" ").split()))
    for part in (title, *list(row.find("details").extract().contents)):
        box.append(part)
    # All of a table in their order.
    last = table.find_next_siblings("div", class_="unfolded")
    (last[-1] if last else table).insert_after(box)
    box["class"] = "unfolded"
    row.decompose()


def _tell(soup: BeautifulSoup, stage: Tag, page: str) -> None:
    """Say in place of a figure to drag where it is, and what it is set to as it opens."""
    name, line = stage["data-figure"], soup.new_tag("p")
    link = soup.new_tag(
        "a", href=f"{posixpath.basename(page)}.html#drag-{name}", string="On the page", **{"data-page": ""}
    )
    asked = [str(stage.get(f"data-{what}", "")) for what in ("start", "fixed")]
    controls = [f"{label} ({value})" if value else label for label, value in companion_figures.opening(name, *asked)]
    line.extend([link, f" a figure to drag stands here. Its controls, as it opens: {'; '.join(controls)}."])
    stage.insert_before(line)


def _put_off(soup: BeautifulSoup) -> None:
    """Move solutions to the end of the page, each below the name of its exercise."""
    kinds = ["solution", f"tag_{companion_solutions.TAG}"]
    found = [one for one in soup.find_all("div", class_=kinds) if not one.find_parent("div", class_=kinds)]
    end, asked = soup.new_tag("section"), ""
    end.append(soup.new_tag("h2", string="Solutions"))
    for one in found:
        title = one.find(class_="admonition-title") if "solution" in one["class"] else None
        exercise = one.find_previous(class_="exercise")
        name = exercise.find(class_="admonition-title").get_text() if exercise else ""
        said = " ".join(title.extract().get_text().split() if title else ["Solution", "to", *name.split()])
        if said != asked:
            end.append(soup.new_tag("h3", string=said))
            asked = said
        end.append(one)
    if found:
        soup.append(end)


def twin(body: str, page: str, pages: frozenset[str]) -> str:
    """An article in Markdown."""
    soup = BeautifulSoup(body, "html.parser")
    _put_off(soup)
    for stage in soup.select(".companion-drag > .drag-stage"):
        _tell(soup, stage, page)
    for element in soup.find_all(True):
        if not element.decomposed:
            kinds = set(element.get("class", ()))
            prompt = element.name == "summary" and "above-input" in element.parent.get("class", ())
            if prompt or element.name in ELEMENTS or kinds & CLASSES:
                element.decompose()
            elif kinds & TITLES:
                element.name = "summary"
    for signature in soup.find_all("dt", class_="sig"):
        signature.string = " ".join(signature.get_text().split())
        signature.string.wrap(soup.new_tag("code"))
    for fold in soup.find_all("details"):
        row = fold.find_parent("tr")
        if row is not None:
            _unfold(soup, row)
    text = Twin(page=page, pages=pages).convert_soup(soup)
    return _FEWER.sub(_fewer, _TRAILING.sub(_fewer, text)).strip() + "\n"


# Blanks and lines that are too many, where they are not of code.
_FENCED = r"(?P<code>^ *(?P<fence>`{3,})[^`\n]*\n.*?^ *(?P=fence)$)"
_TRAILING, _FEWER = (re.compile(f"{_FENCED}|{many}", re.DOTALL | re.MULTILINE) for many in (r"[ \t]+$", r"\n(?=\n\n)"))


def _fewer(found: re.Match[str]) -> str:
    return found["code"] or ""


def write(app: Sphinx, pagename: str, template: str, context: dict[str, Any], doctree: Any) -> None:
    """Write a page's twin, and say on the page where it is."""
    if doctree is None or app.builder.name != "html":
        return
    path, name = Path(app.outdir, f"{pagename}.md"), f"{posixpath.basename(pagename)}.md"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(twin(context["body"], pagename, frozenset(app.env.found_docs)), encoding="utf-8")
    context["metatags"] = f'{context.get("metatags", "")}\n<link rel="alternate" type="text/markdown" href="{name}">'
    link = {
        "type": "link",
        "url": name,
        "text": ".md",
        "tooltip": "This page as Markdown, for programs that read",
        "icon": "fas fa-file",
        "label": "download-markdown-button",
    }
    for group in context.get("header_buttons", ()):
        if group.get("label") == "download-buttons":
            others = [button for button in group["buttons"] if button["text"] != ".md"]
            group["buttons"] = [*others[:-1], link, *others[-1:]]
    if context.get("page_source_suffix") == ".md":
        context["sourcename"] = ""


def _listed(app: Sphinx, page: str, seen: set[str]) -> Iterator[tuple[str, str]]:
    """Pages in the order of the table of contents, each with the part it is in."""
    for tree in app.env.get_doctree(page).findall(addnodes.toctree):
        for _, name in tree["entries"]:
            if name in app.env.found_docs - seen:
                seen.add(name)
                yield tree.get("caption") or "", name
                yield from (("", below) for _, below in _listed(app, name, seen))


def write_list(app: Sphinx, error: Exception | None) -> None:
    """All pages with their descriptions, at the root of the book, in the form that llmstxt.org asks for."""
    if error is not None or app.builder.name != "html":
        return
    root = app.config.root_doc
    base, pages = app.config.html_baseurl, [("", root), *_listed(app, root, {root})]
    lines = []
    for part, name in pages:
        told = _DESCRIBED.search(Path(app.outdir, f"{name}.html").read_text(encoding="utf-8"))
        title = _TITLE.search(Path(app.outdir, f"{name}.md").read_text(encoding="utf-8"))
        said = html.unescape(told[1] or told[2]) if told else ""
        if name == root:
            lines = [f"# {app.config.html_title}", "", f"> {said}", "", "## Pages", ""]
        elif part and f"## {part}" not in lines:
            lines += ["", f"## {part}", ""]
        address = urljoin(f"{base.rstrip('/')}/", f"{name}.md") if base else f"{name}.md"
        lines.append(f"- [{title[1] if title else name}]({address}): {said}".removesuffix(": "))
    Path(app.outdir, "llms.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")


def setup(app: Sphinx) -> dict[str, bool]:
    """Connect to Sphinx."""
    app.connect("html-page-context", write, priority=700)  # once the page is as it will be written
    app.connect("build-finished", write_list)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
