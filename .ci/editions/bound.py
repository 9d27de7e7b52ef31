"""The built book as one long page for paper: chapters in the order of the table of contents, every link inside the page.

What a reader of paper cannot use is taken away: buttons, filters, pictures for dark pages, and what is folded on the screen.
Solutions come at the end of their chapter. ``title.html`` says so to the reader.
"""

from __future__ import annotations

import html
import json
import posixpath
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from string import Template
from urllib.parse import unquote, urlsplit

import yaml
from bs4 import BeautifulSoup, Tag

from companion.current.origin import origin

HERE = Path(__file__).parent
#: Pages whose names begin so are left out: one looks names up in them, and docstrings and ``--help`` say the same.
LEFT_OUT = ("book/api/",)
#: What stands on a page for readers at a screen, as selectors.
SCREEN_ONLY = (
    "a.headerlink",
    "a.companion-from",
    "span.companion-take-away",
    "p.companion-paper:empty",
    "a.evidence-permalink",
    "details.companion-where",
    "details.companion-moved",
    "details.admonition.hide",
    "div.evidence-filters",
    "div.evidence-moved",
    "div.toctree-wrapper",
    "button",
    "div.drag-stage",
    "div.drag-try",
    "script",
    ".only-dark",
    ".evidence-shown",
    ".sd-summary-state-marker",
)
#: What is kept of an entry that unfolds, by the names of its parts.
ENTRY = {"Claim", "Correction", "Printed", "Found", "Consequence"}
#: Attributes that name ids.
NAMING = ("for", "headers", "aria-labelledby", "aria-describedby", "aria-controls")
HEADINGS = re.compile(r"^h([1-6])$")


@dataclass(frozen=True)
class Place:
    """An entry of the table of contents: how deep it stands, its title, and its page; a part of the book has none."""

    depth: int
    title: str
    page: str = ""

    @property
    def name(self) -> str:
        """What its links are called inside the one page."""
        return slug(self.page) if self.page else "part-" + re.sub(r"\W+", "-", self.title.lower())


def slug(page: str) -> str:
    """A page's name as the beginning of ids."""
    return page.replace("/", "-")


def contents(built: Path) -> list[Place]:
    """The table of contents as the pages show it, without what is left out; a part without pages goes too."""
    index = "book/index"
    soup = BeautifulSoup((built / f"{index}.html").read_text(encoding="utf-8"), "html.parser")
    found: list[Place] = []
    for item in soup.select("nav.bd-docs-nav p.caption, nav.bd-docs-nav li > a.reference"):
        if item.name == "p":
            found.append(Place(1, item.get_text(" ", strip=True)))
            continue
        page = posixpath.normpath(posixpath.join("book", str(item["href"]).split("#")[0] or "index.html"))
        depth = 1 if page == f"{index}.html" else 1 + len(item.find_parents("li"))
        found.append(Place(depth, item.get_text(" ", strip=True), page.removesuffix(".html")))
    kept = [place for place in found if not place.page.startswith(LEFT_OUT)]
    return [
        place
        for place, after in zip(kept, [*kept[1:], Place(1, "")], strict=True)
        if place.page or (after.page and after.depth > place.depth)
    ]


class Page:
    """One page of the built book, made fit for paper."""

    def __init__(self, built: Path, place: Place) -> None:
        """Read it and take away what paper cannot show."""
        self.place = place
        soup = BeautifulSoup((built / f"{place.page}.html").read_text(encoding="utf-8"), "html.parser")
        article = soup.select_one("article.bd-article")
        if article is None:
            raise ValueError(f"{place.page}: the page has no article")
        self.article = article
        self.soup = soup
        self._gather_solutions()
        for selector in SCREEN_ONLY:
            for element in article.select(selector):
                element.decompose()
        self._unfold()
        self._narrow()
        self._lower_headings()
        self._rename()

    def _gather_solutions(self) -> None:
        """Move solutions and answers to the end, in their order."""
        found = self.article.select("div.solution, div.cell.tag_exercise-solution")
        if not found:
            return
        section = self.soup.new_tag("section", id="solutions", attrs={"class": "solutions"})
        heading = self.soup.new_tag("h2")
        heading.string = "Solutions"
        section.append(heading)
        for solution in found:
            # An answer in code has no title: it is called by its exercise.
            exercise = solution.find_previous("div", class_="exercise")
            if "cell" in solution.get("class", []) and isinstance(exercise, Tag):
                title = self.soup.new_tag("p", attrs={"class": "answer-title"})
                link = self.soup.new_tag("a", href=f"#{exercise['id']}")
                link.string = exercise.select_one(".caption-number").get_text(strip=True)  # type: ignore[union-attr]
                title.extend([link, " in code"])
                section.append(title)
            for fold in solution.select("details.admonition.hide.above-input"):
                fold.summary.decompose()  # type: ignore[union-attr]
                fold.unwrap()
            section.append(solution.extract())
        holder = self.article.select_one("section")
        (self.article if holder is None else holder).append(section)

    def _unfold(self) -> None:
        """Show cards in full; of an entry of the evidence only what it claims."""
        for entry in self.article.select("details.evidence-details"):
            facts = entry.select_one("dl.evidence-facts")
            row = entry.find_parent("tr")
            for name in facts.find_all("dt", recursive=False) if facts else []:
                if name.get_text(strip=True) not in ENTRY:
                    name.find_next_sibling("dd").decompose()
                    name.decompose()
            if facts is None or not facts.find("dd"):
                (entry if row is None else row).decompose()
            else:
                entry.replace_with(facts)
        for fold in self.article.find_all("details"):
            title = fold.find("summary")
            if isinstance(title, Tag):
                title.name = "p"
                title["class"] = "fold-title"
            fold.name = "div"
            fold["class"] = "fold"
        for link in self.article.select("a.companion-enlarge"):
            link.unwrap()
        for image in self.article.find_all("img"):
            image.attrs.pop("loading", None)

    def _narrow(self) -> None:
        """Take out the column of links to chapter and code: the one is near, the other left out."""
        for table in self.article.select("table.evidence-table"):
            if table.select_one("td.evidence-see"):
                for cell in table.select(":scope > thead th:last-child, :scope > tbody > tr > td.evidence-see"):
                    cell.decompose()

    def _lower_headings(self) -> None:
        """Below the parts of the book, as deep as the table of contents says."""
        for heading in self.article.find_all(HEADINGS):
            level = int(heading.name[1])
            heading["class"] = [*heading.get("class", []), f"level-{level}"]
            heading.name = f"h{min(level + self.place.depth - 1, 6)}"

    def _rename(self) -> None:
        """Ids begin with the page's name: two pages may have the same."""
        for element in self.article.find_all(True):
            # Parts of a drawing refer to each other in more ways than these.
            if element.find_parent("svg") is not None:
                continue
            if element.get("id"):
                element["id"] = self.identifier(str(element["id"]))
            for name in NAMING:
                if element.get(name):
                    element[name] = " ".join(self.identifier(one) for one in str(element[name]).split())

    def identifier(self, name: str) -> str:
        """An id of the page inside the one long page."""
        return f"{slug(self.place.page)}--{name}"

    def sheets(self) -> dict[str, Tag]:
        """Its style sheets by their address in the built book."""
        folder, found = posixpath.dirname(self.place.page), {}
        for sheet in self.soup.select('head link[rel="stylesheet"]'):
            sheet["href"] = posixpath.normpath(posixpath.join(folder, str(sheet["href"])))
            found[urlsplit(str(sheet["href"])).path] = sheet
        return found

    def link(self, pages: frozenset[str]) -> None:
        """Let links lead to places on the one long page; one to a page that is left out becomes text."""
        folder = posixpath.dirname(self.place.page)
        for image in self.article.find_all("img", src=True):
            if not urlsplit(image["src"]).scheme:
                image["src"] = posixpath.normpath(posixpath.join(folder, image["src"]))
        for link in self.article.find_all("a", href=True):
            address = urlsplit(link["href"])
            if address.scheme:
                continue
            target = (
                posixpath.normpath(posixpath.join(folder, address.path)) if address.path else f"{self.place.page}.html"
            )
            page = target.removesuffix(".html")
            if page not in pages:
                link.unwrap()
            else:
                link["href"] = "#" + slug(page) + (f"--{unquote(address.fragment)}" if address.fragment else "")


def bind(built: Path, title: str) -> BeautifulSoup:
    """The one long page.

    Parameters
    ----------
    built : folder of the built book
    title : HTML of what stands before the table of contents
    """
    places = contents(built)
    pages = frozenset(place.page for place in places if place.page)
    shell = BeautifulSoup((HERE / "print.html").read_text(encoding="utf-8"), "html.parser")
    body = shell.body
    if body is None:
        raise ValueError("print.html has no body")
    body.append(BeautifulSoup(title, "html.parser"))
    body.append(BeautifulSoup(_table(places), "html.parser"))
    part: Place | None = None
    sheets: dict[str, Tag] = {}
    for place in places:
        if not place.page:
            part = place
            continue
        page = Page(built, place)
        page.link(pages)
        sheets |= page.sheets()
        section = shell.new_tag("section", id=place.name, attrs={"class": ["page", f"depth-{place.depth}"]})
        if part is not None:
            heading = shell.new_tag("h1", id=part.name, attrs={"class": "part"})
            heading.string = part.title
            section.append(heading)
            part = None
        if page.article.select_one("tr.evidence-row"):
            section["class"] = [*section["class"], "wide"]
        section.extend(list(page.article.children))
        body.append(section)
    _unlink_lost(shell)
    _dress(shell, built, sheets)
    return shell


def _table(places: list[Place]) -> str:
    """The printed table of contents; the numbers of its pages are filled in once they are known."""
    lines = "".join(
        f'<p class="depth-{place.depth}{"" if place.page else " part"}"><a href="#{place.name}">{html.escape(place.title)}</a>'
        f'<span class="number" data-for="{place.name}"></span></p>'
        for place in places
    )
    return f'<nav class="book-contents"><h1 id="contents">Contents</h1>{lines}</nav>'


def _unlink_lost(shell: BeautifulSoup) -> None:
    """Links to what only the screen shows become text."""
    known = {element["id"] for element in shell.find_all(id=True)}
    for link in shell.select('a[href^="#"]'):
        if str(link["href"])[1:] not in known:
            link.unwrap()


def _dress(shell: BeautifulSoup, built: Path, sheets: dict[str, Tag]) -> None:
    """The style sheets that any page has, and the configuration of MathJax."""
    model = BeautifulSoup((built / "book" / "notation.html").read_text(encoding="utf-8"), "html.parser")
    head = shell.head
    if head is None or head.title is None:
        raise ValueError("print.html has no head")
    head.title.string = shell.select_one(".book-title").get_text(strip=True)  # type: ignore[union-attr]
    first = head.find("style")
    for sheet in sheets.values():
        first.insert_before(sheet)  # type: ignore[union-attr]
    setting = next(script for script in model.select("head script") if "window.MathJax" in script.get_text())
    found = re.search(r"window\.MathJax = (\{.*\})", setting.get_text(), re.DOTALL)
    if found is None:
        raise ValueError("the pages do not configure MathJax")
    config = json.loads(found[1])
    config["svg"] = {"fontCache": "none"}
    config["options"] |= {"enableMenu": False, "menuOptions": {"settings": {"assistiveMml": False}}}
    script = shell.new_tag("script")
    script.string = f"window.MathJax = {json.dumps(config)}"
    head.append(script)
    program = next(item for item in model.select("head script[src]") if "mathjax/" in str(item["src"]))
    program["src"] = posixpath.normpath(posixpath.join("book", str(program["src"])))
    head.append(program)


def title_page(root: Path) -> str:
    """What stands first: title, papers, and when and by which commit each chapter was stored."""
    config = yaml.safe_load((root / "_config.yml").read_text(encoding="utf-8"))
    rows = "".join(_computed(root))
    template = Template((HERE / "title.html").read_text(encoding="utf-8"))
    return template.substitute(title=html.escape(config["title"]), author=html.escape(config["author"]), rows=rows)


def _computed(root: Path) -> Iterator[str]:
    for path in sorted((root / "notebooks").glob("ch*.record.json")):
        record = json.loads(path.read_text(encoding="utf-8"))["record"]
        page = re.match(r"ch(\d+)_\w+?(_record)?\.", path.name)
        number = f"{page[1]}, record" if page and page[2] else page[1] if page else ""
        made = origin(root, path.with_name(path.name.replace(".record.json", ".ipynb")).relative_to(root).as_posix())
        cells = (number, record["date"][:10], made.commit[:12] if made else "")
        yield "<tr>" + "".join(f"<td>{html.escape(cell)}</td>" for cell in cells) + "</tr>"
