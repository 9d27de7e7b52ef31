"""Sphinx extension: figures to drag.

``{figure-to-drag}`` puts one where its chapter needs it, below the figure that shows the same idea standing still::

    :::{figure-to-drag} batches
    :still: fig-three-batches

    One sentence on what it teaches.

    What to try.
    :::

What to try stands above the figure, what it teaches below it, where a reader who has tried can compare. ``still`` is the address
of the other figure, on the same chapter or as a label of any page. Without script, on paper and in every form of the book but its
web pages, sentence and reference are all that is there. The figure's script is the one file
``book/_static/figures/*_<name>.js``; scripts are loaded by pages that hold a figure, and by no others.

Two roles speak of a figure of their page. ``{preset}`see it repeat <batch?m=7&step=7>` `` makes of its words a link that sets the
controls, the others to where they begin. ``{live}`0.014 <batch.closest>` `` is a number that follows a control of the figure, or
a name of what its script calls ``live``. Without script and on paper the first are words, and the second show what is written:
the value as the figure opens. A figure, control, value or name that does not exist is a warning, which stops the build.

``:start: noise=0.1`` lets the figure open elsewhere, and ``:fixed: paper=tsrsr&dim=1`` also takes these controls away.

``:record: module.function`` hands stored results to the script: the function takes nothing and returns data that JSON can hold,
together with its :class:`~companion.pages.provenance.Provenance`.
"""

from __future__ import annotations

import html
import json
import math
import re
import shutil
import tomllib
from importlib import import_module
from pathlib import Path
from typing import Any, ClassVar
from urllib.parse import parse_qsl

from companion_chapters.captions import chapter_number
from docutils import nodes
from docutils.parsers.rst import directives
from sphinx import addnodes
from sphinx.application import Sphinx
from sphinx.util import logging
from sphinx.util.docutils import ReferenceRole, SphinxDirective

SCRIPTS = Path(__file__).parents[1] / "_static" / "figures"
#: What every figure needs, in the order in which it is loaded.
KIT = ("engine.js", "chart.js", "controls.js")
#: Builders whose pages may move.
MOVING = frozenset({"html", "dirhtml"})
_CONTROL = re.compile(r'F\.(?:(range|steps|menu)\("(\w+)", "[^"]*", |(seed)\()([^\n]*)')
_NUMBER = re.compile(r"-?[\d.]+(e-?\d+)?")
_LOG = logging.getLogger(__name__)


class Stage(nodes.General, nodes.Element):
    """The place of the moving figure: empty until its script has run."""


def script_of(name: str) -> str:
    """File of a figure's own script, below ``_static``; an ``OSError`` where there is not exactly one."""
    found = [
        path.name for path in sorted(SCRIPTS.glob("*_*.js")) if path.stem.partition("_")[2] == name.replace("-", "_")
    ]
    if len(found) != 1:
        raise FileNotFoundError(f"{len(found)} files book/_static/figures/*_{name.replace('-', '_')}.js; one is meant")
    return found[0]


def recorded(name: str, data: Any, source: str) -> dict[str, Any]:
    """What a script finds on its page: the record, and the words that it fills, where a ``.toml`` of its name has any."""
    words = (SCRIPTS / script_of(name)).with_suffix(".toml")
    if words.is_file():
        return {"from": source, "data": data, "words": tomllib.loads(words.read_text(encoding="utf-8"))}
    return {"from": source, "data": data}


def shipped(text: str) -> str:
    """A script as the site has it: without indentation, and without the lines that are comments.

    Nothing else is taken away: what shortens more has to understand strings within strings.
    """
    lines = (line.strip() for line in text.splitlines())
    return "\n".join(line for line in lines if line and not line.startswith("//"))


class Bound(nodes.inline):
    """Words of the text that set a figure, or a number that follows one."""


def controls_of(script: str) -> dict[str, list[str] | tuple[str, ...]]:
    """Controls of a script: a list of the values, empty where only the browser knows them, or (lowest, highest, step)."""
    text = "".join((SCRIPTS / part).read_text(encoding="utf-8") for part in (script, KIT[0]))
    found: dict[str, list[str] | tuple[str, ...]] = {}
    for kind, name, seed, rest in _CONTROL.findall(text):
        if kind in ("steps", "menu"):
            if word := re.match(r"(?:F\.)?(\w+)", rest):
                meant = re.search(rf"\b{word[1]} = ([\[{{].*)", text)
                rest = meant[1] if meant else "[]"
            values = re.split(r"[\]}]", rest[1:])[0].split(",")
            found[name] = [value.partition(":")[0].strip() for value in values if value.strip()]
        else:
            found[seed or name] = ("0", "99", "1") if seed else tuple(rest.split(", ")[:3])
    return found


def _arguments(text: str) -> list[str]:
    """Arguments of a call, from behind its opening parenthesis to the closing one."""
    found, depth, begin, quoted = list[str](), 0, 0, False
    for place, sign in enumerate(text):
        quoted ^= sign == '"'
        depth += 0 if quoted else (sign in "([{") - (sign in ")]}")
        if not quoted and (depth < 0 or (sign == "," and depth == 0)):
            found.append(text[begin:place].strip())
            begin = place + 1
        if depth < 0:
            break
    return found


def opening(name: str, start: str = "", fixed: str = "") -> list[tuple[str, str]]:
    """Names of a figure's controls, as a reader sees them, and where they stand as it opens.

    Empty where only the browser knows, or shows it in other words. ``start`` and ``fixed`` are what the page says.
    """
    text = "".join((SCRIPTS / part).read_text(encoding="utf-8") for part in (script_of(name), KIT[0]))
    kept, found = dict(parse_qsl(fixed)), list[tuple[str, str]]()
    begun = dict(parse_qsl(start)) | kept
    for call in re.finditer(r"F\.(range|steps|menu|seed)\(", text):
        kind, arguments = call[1], _arguments(text[call.end() :])
        control, label, *rest = ['"seed"', '"Seed"', "", "", "", *arguments] if kind == "seed" else arguments
        control, label = control.strip('"'), label.strip('"')
        if control in kept or (kind == "seed" and control != "seed"):
            continue
        place = {"range": 3, "seed": 3, "steps": 1, "menu": 0}[kind]
        value, spoken = begun.get(control, rest[place]), "".join(rest[place + 1 :])
        if kind == "menu":
            meant = re.search(rf"\b{rest[0].removeprefix('F.')} = (\{{[^}}]*)", text) if rest[0][0] != "{" else None
            words = dict(re.findall(r'(\w+): "([^"]*)"', meant[1] if meant else rest[0]))
            value = words.get(value) or next(iter(words.values()), "")
        elif not _NUMBER.fullmatch(value):
            meant = re.search(rf"\b{re.escape(value)} = (-?[\d.e-]+)[,;]", text)
            value = meant[1] if meant else ""
        shown = kind == "menu" or re.fullmatch(r"(\{ (when|clears|grip|knob).*\})?", spoken)
        found.append((label, value if shown else ""))
    return found


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return math.nan


def has(control: list[str] | tuple[str, ...], value: str) -> bool:
    """Whether the control has the value; an end that another control decides is left to the browser, and to its test."""
    v = _number(value)
    if isinstance(control, list):
        return not control or value in control or any(v == _number(each) for each in control)
    low, high, step = map(_number, control)
    steps = (v - low) / (step or math.nan)
    return low <= v and not v > high and (math.isnan(steps) or abs(steps - round(steps)) < 1e-6)


def wrong(script: str, target: str, *, live: bool) -> str:
    """What is wrong with the target of a role, or nothing: ``m=7&step=7``, or the name of a number that follows."""
    controls = controls_of(script)
    if live:
        text = (SCRIPTS / script).read_text(encoding="utf-8")
        named = set(re.findall(r"\w+", " ".join(re.findall(r"live: \{(.*)", text))))
        return "" if target in controls or target in named else f"nothing is called {target!r}"
    for name, value in parse_qsl(target, keep_blank_values=True):
        if name not in controls:
            return f"no control is called {name!r}: {', '.join(controls)}"
        if not has(controls[name], value):
            return f"{name} cannot be {value!r}"
    return ""


class Role(ReferenceRole):
    """``words <figure?control=value&...>`` or ``value <figure.name>``."""

    def run(self) -> tuple[list[nodes.Node], list[nodes.system_message]]:
        """Keep both; whether they are right is known when the page has been read."""
        if not self.has_explicit_title:
            message = self.inliner.reporter.error(f"{self.name}: words, then <what they stand for>", line=self.lineno)
            return [], [message]
        node = Bound(self.rawtext, self.title, of=self.target, live=self.name == "live")
        self.set_source_info(node)
        return [node], []


def bind(app: Sphinx, doctree: nodes.document) -> None:
    """Warn of roles that speak of what their page does not have."""
    here = {stage["figure"]: stage["script"] for stage in doctree.findall(Stage)}
    for node in doctree.findall(Bound):
        figure, _, rest = node["of"].partition("." if node["live"] else "?")
        problem = wrong(here[figure], rest, live=node["live"]) if figure in here else "no such figure on this page"
        if problem:
            _LOG.warning("%s: %s", node["of"], problem, location=node, type="figures")


class FigureToDrag(SphinxDirective):
    """What to try, a place for the figure that moves, what it teaches, and where it stands still."""

    required_arguments = 1
    has_content = True
    option_spec: ClassVar = {
        "still": directives.unchanged_required,
        "record": directives.unchanged,
        "fixed": directives.unchanged,
        "start": directives.unchanged,
    }

    def run(self) -> list[nodes.Node]:
        """Put them into one box, whose address is ``drag-<name>``."""
        name = self.arguments[0]
        if "still" not in self.options or not self.content:
            raise self.error(f"{name}: a figure that stands still (:still:) and a sentence are needed")
        try:
            script = script_of(name)
        except OSError as error:
            raise self.error(str(error)) from error
        box = nodes.container(ids=[f"drag-{name}"], classes=["companion-drag"])
        teaches, *tries = self.parse_content_to_nodes()
        if not tries or re.search(r"[.?!]\s", teaches.astext()):
            raise self.error(f"{name}: one sentence on what it teaches, then a paragraph of its own on what to try")
        teaches["classes"].append("drag-teaches")
        box += nodes.container("", *tries, classes=["drag-try"])
        said = {option: self.options.get(option, "") for option in ("fixed", "start")}
        if problem := " ".join(filter(None, (wrong(script, asked, live=False) for asked in said.values()))):
            raise self.error(f"{name}: {problem}")
        box += Stage(figure=name, script=script, record=self._record(), said=said)
        box += [teaches, self._still()]
        return [box]

    def _still(self) -> nodes.paragraph:
        chapter, still = chapter_number(self.env.docname), self.options["still"]
        label = f"ch{chapter}-{still}" if chapter is not None and still.startswith(("fig-", "tab-")) else still
        # A reference that leads nowhere is a warning, which stops the build of the book.
        reference = addnodes.pending_xref(
            "",
            nodes.inline("", label),
            refdomain="std",
            reftype="ref",
            reftarget=label,
            refexplicit=False,
            refwarn=True,
        )
        reference["refdoc"] = self.env.docname
        return nodes.paragraph(
            "", "", nodes.Text("One case without dragging is in "), reference, nodes.Text("."), classes=["drag-still"]
        )

    def _record(self) -> str:
        if "record" not in self.options:
            return ""
        module, _, function = self.options["record"].rpartition(".")
        self.env.note_dependency(str(import_module(module).__file__))
        self.env.note_dependency(str((SCRIPTS / script_of(self.arguments[0])).with_suffix(".toml")))
        data, where = getattr(import_module(module), function)()
        # Inside a script element only its end tag has a meaning.
        text = json.dumps(recorded(self.arguments[0], data, where.text()), separators=(",", ":"), allow_nan=False)
        text = text.replace("<", "\\u003c")
        address = f"drag-{self.arguments[0]}-record"
        return f'<script type="application/json" id="{address}">{text}</script>{where.html()}'


def visit_stage(writer: Any, node: Stage) -> None:
    """Write the empty place, and what comes from a record."""
    said = "".join(f' data-{name}="{html.escape(asked)}"' for name, asked in node["said"].items() if asked)
    place = f'<div class="drag-stage" data-figure="{html.escape(node["figure"])}"{said}></div>'
    writer.body.append(f"{place}{node['record']}\n")
    raise nodes.SkipNode


def visit_bound(writer: Any, node: Bound) -> None:
    """Open the place that a script makes a link of, or writes its number into."""
    kind = "live" if node["live"] else "preset"
    writer.body.append(f'<span class="drag-{kind}" data-of="{html.escape(node["of"])}">')


def depart_bound(writer: Any, node: Bound) -> None:
    """Close it."""
    writer.body.append("</span>")


def only_words(writer: Any, node: Bound) -> None:
    """Its words are all there is."""


def leave_out(writer: Any, node: Stage) -> None:
    """Nothing moves here."""
    raise nodes.SkipNode


def stand_still(app: Sphinx, doctree: nodes.document, page: str) -> None:
    """Take the moving figures, and what to try in them, out of every form of the book but its web pages."""
    if app.builder.name not in MOVING:
        for stage in list(doctree.findall(Stage)):
            tries = stage.previous_sibling()
            stage.parent.remove(stage)
            tries.parent.remove(tries)


def load(app: Sphinx, pagename: str, template: str, context: dict[str, Any], doctree: nodes.document | None) -> None:
    """Let a page with figures load the kit and the scripts of its own figures."""
    stages = list(doctree.findall(Stage)) if doctree is not None else []
    if not stages:
        return
    app.add_css_file("figures/figures.css")
    for script in dict.fromkeys((*KIT, *(stage["script"] for stage in stages))):
        app.add_js_file(f"figures/{script}", loading_method="defer")


def ship(app: Sphinx, failed: Exception | None) -> None:
    """Copy the book's own style and scripts; those of figures as readers load them, and without their words.

    Where only a style sheet changed, no page is built anew, and Sphinx would leave the old copy in place.
    """
    if failed is not None or app.builder.name not in MOVING:
        return
    place = Path(app.outdir) / "_static"
    shutil.copytree(SCRIPTS.parent, place, dirs_exist_ok=True)
    for path in (place / "figures").glob("*.toml"):
        path.unlink()
    for path in sorted(SCRIPTS.glob("*.js")):
        (place / "figures" / path.name).write_text(shipped(path.read_text(encoding="utf-8")), encoding="utf-8")


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the directive."""
    app.add_node(
        Stage, override=True, html=(visit_stage, None), **dict.fromkeys(("latex", "text", "man"), (leave_out, None))
    )
    app.add_node(
        Bound,
        override=True,
        html=(visit_bound, depart_bound),
        **dict.fromkeys(("latex", "text", "man"), (only_words, only_words)),
    )
    app.add_directive("figure-to-drag", FigureToDrag)
    app.add_role("preset", Role())
    app.add_role("live", Role())
    app.connect("doctree-read", bind)
    app.connect("doctree-resolved", stand_still)
    app.connect("html-page-context", load)
    app.connect("build-finished", ship)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
