"""A page is read, and its cells are imported, without PyTorch: 700 MB that only many seeds at once and fitted models need."""

import ast
import json
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGES = sorted((ROOT / "notebooks").glob("ch*.py"))
ROOMS = sorted((ROOT / "src/companion/papers").glob("*/page"))
HEAVY = ("torch", "gpytorch", "botorch")
FIRST = """
import json, sys
culprits = {}
for name, statements in json.load(sys.stdin).items():
    before = set(sys.modules)
    exec(statements, {})
    if heavy := sorted(set(HEAVY) & (set(sys.modules) - before)):
        culprits[name] = heavy
print(json.dumps(culprits))
"""


def imports_of(source):
    """Import statements of a page or a module, those in functions left out."""
    return "\n".join(
        ast.unparse(node) for node in ast.parse(source).body if isinstance(node, ast.Import | ast.ImportFrom)
    )


def loading(sources):
    """Which of :data:`HEAVY` are loaded first by which of the sources, imported one after the other by a fresh interpreter."""
    code, statements = f"HEAVY = {HEAVY!r}{FIRST}", {name: imports_of(source) for name, source in sources.items()}
    command = [sys.executable, "-c", code]
    done = subprocess.run(command, input=json.dumps(statements), capture_output=True, text=True, check=True, cwd=ROOT)
    return json.loads(done.stdout)


def test_pages_and_their_rooms_import_no_torch():
    modules = [path.relative_to(ROOT / "src").with_suffix("") for room in ROOMS for path in sorted(room.glob("*.py"))]
    names = [".".join(module.parts).removesuffix(".__init__") for module in modules]
    sources = {page.stem: page.read_text(encoding="utf-8") for page in PAGES} | {
        name: f"import {name}" for name in names
    }
    assert (len(PAGES), len(ROOMS)) == (12, 6)
    assert all("companion" in imports_of(source) for source in sources.values())
    assert loading(sources) == {}


def test_a_page_that_imports_torch_is_named():
    pytest.importorskip("torch")
    sources = {
        "quiet": "import json",
        "loud": '"""A cell."""\nfrom companion.gp.replicates import ReplicatePosterior\n',
    }
    assert loading(sources) == {"loud": ["torch"]}
