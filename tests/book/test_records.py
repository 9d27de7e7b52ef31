"""The extension that completes where-lines: what it fills in, and that a gap is a warning."""

from __future__ import annotations

import importlib.util
import json
import sys
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

from companion.current.origin import FILE
from companion.pages.provenance import Provenance, Source
from companion.stored.record import Record

RECORD = Record(
    command="make notebooks CH=3",
    profile="book",
    seeds=(0,),
    versions={},
    blas=[],
    machine={},
    date="2026-11-21T03:33:42+00:00",
    seconds=44.3,
)
LIVE = Source("make notebooks CH=3", "book", (0, 1), "companion.checks.cases.at_most", "at_most(seed=0)")
WHOLE = Source("make notebooks CH=3", "book", (), "companion.checks.cases.equal", "equal()")
STORED = Source("companion run 3", "paper", (0,), "companion.checks.cases.at_most", "at_most()", "b · 8 s", RECORD.date)


sys.path.insert(0, str(Path(__file__).parents[2] / "book" / "_ext"))


@pytest.fixture
def extension(root: Path, monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    spec = importlib.util.spec_from_file_location("companion_records", root / "book" / "_ext" / "companion_records.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    module.warned = []
    monkeypatch.setattr(
        module, "_LOGGER", SimpleNamespace(warning=lambda text, *values: module.warned.append(text % values))
    )
    return module


@pytest.fixture
def app(tmp_path: Path) -> SimpleNamespace:
    """A book with one chapter, whose record knows both live studies with listings of the package."""
    (tmp_path / "notebooks").mkdir()
    studies = {LIVE.key: {"seconds": 3.26}, WHOLE.key: {"seconds": None}}
    (tmp_path / "data" / "results" / "x").mkdir(parents=True)
    (tmp_path / "data" / "results" / "x" / "tables.record.json").write_text(json.dumps(RECORD.to_dict()))
    made = {
        "notebooks/ch3_x.ipynb": ["0123456789abcdef", "z"],
        "data/results/x/tables.record.json": ["abcdef01234", "z"],
    }
    (tmp_path / FILE).write_text(json.dumps(made), encoding="utf-8")
    content = {"record": RECORD.to_dict(), "studies": studies}
    (tmp_path / "notebooks" / "ch3_x.record.json").write_text(json.dumps(content), encoding="utf-8")
    return SimpleNamespace(
        srcdir=str(tmp_path),
        outdir=str(tmp_path / "html"),
        config=SimpleNamespace(root_doc="index", html_title="The book", project="book"),
        builder=SimpleNamespace(
            format="html",
            get_relative_uri=lambda start, target: f"../{target}.html",
            get_target_uri=lambda page: f"{page}.html",
        ),
    )


def filled(extension: ModuleType, app: Any, *sources: Source) -> str:
    context = {"body": f'<p>before</p>{Provenance(sources).html()}<code class="command">elsewhere</code>'}
    extension.fill(app, "notebooks/ch3_x", "page.html", context, None)
    return context["body"]


def test_a_live_line_gets_commit_date_seconds_and_links(extension: ModuleType, app: Any) -> None:
    body = filled(extension, app, LIVE)
    assert "commit 0123456789 · 2026-11-21 · 3.3 s</span>" in body
    assert '<a href="../book/rerun.html#one-command-each"><code class="command">make notebooks CH=3</code></a>' in body
    assert '<a href="../_modules/companion/checks/cases.html#at_most"><code class="call"' in body
    listing = (Path(app.outdir) / "_modules/companion/checks/cases.html").read_text(encoding="utf-8")
    assert '<span class="place" id="at_most">' in listing
    assert '<a href="../../../index.html">The book</a>' in listing
    assert "data-key" not in body
    assert body.endswith('<code class="command">elsewhere</code>'), "only where-lines are touched"
    assert extension.warned == []


def test_the_whole_execution_has_its_own_seconds(extension: ModuleType, app: Any) -> None:
    assert "44 s in all</span>" in filled(extension, app, WHOLE)


def test_a_stored_line_keeps_its_record_and_needs_none_beside_the_notebook(extension: ModuleType, app: Any) -> None:
    (Path(app.srcdir) / "notebooks" / "ch3_x.record.json").unlink()
    body = filled(extension, app, STORED)
    assert '<span class="run">commit abcdef0123 · b · 8 s</span>' in body
    assert '<a href="../book/rerun.html#the-companion-command">' in body
    assert extension.warned == []


def test_gaps_are_warnings(extension: ModuleType, app: Any) -> None:
    unknown = Source("make notebooks", "book", (), "companion.papers.x.other.run", "run()")
    filled(extension, app, unknown)
    assert [text.partition(": ")[2] for text in extension.warned] == [
        f"the record beside the notebook has no study {unknown.key}",
        "the book has no code of companion.papers.x.other.run",
    ]
    (Path(app.srcdir) / "notebooks" / "ch3_x.record.json").unlink()
    extension.warned.clear()
    filled(extension, app, LIVE)
    assert "ch3_x.record.json is missing" in extension.warned[0]
