"""What changes the fingerprint of code, and what leaves it: on a small package, edited in every way."""

import ast
import json
import random
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from companion import papers
from companion.core.errors import ResultError
from companion.current.fingerprint import (
    Definitions,
    fingerprint,
    fingerprint_of_modules,
    fingerprint_of_source,
    studies_reached,
)

RUNS = '''
"""Runs."""
from companion.gp.kernels import kernel, WIDTH
from companion.policies import Policy
from companion import noise as stream
import numpy as np

TABLE = {"a": 1.0}

def compute(task):
    """One run."""
    policy = Policy(WIDTH)
    if task < 0:
        raise ValueError(f"got {task}", describe(task))
    assert task < 10, "too many"
    return policy.play(kernel(task), stream.draw(task)) + TABLE["a"] * np.sqrt(2.0)

def describe(task):
    return "a task"

def unused(task):
    return kernel(task) + 1
'''
FILES = {
    "__init__.py": "",
    "errors.py": "class ParameterError(Exception):\n    pass\n",
    "noise.py": "SEED = 3\ndef draw(x):\n    return SEED * x\n",
    "gp/__init__.py": "",
    "gp/kernels.py": (
        "from __future__ import annotations\n"
        "WIDTH: float = 2.0\n"
        "def kernel(x: float, scale: float = 1.0) -> float:\n"
        '    """k(x)."""\n'
        "    near = scale * x  # near\n"
        "    return near + helper(x)\n"
        "def helper(x):\n"
        "    return x if x > 0 else other(x)\n"
        "def other(x):\n"
        "    return 0.5\n"
    ),
    "policies.py": (
        "class Policy:\n"
        "    def __init__(self, width):\n        self.width = width\n"
        "    def play(self, k, noise):\n        return self._factor() * k + noise\n"
        "    def _factor(self):\n        return 1.5\n"
    ),
    "papers/__init__.py": "",
    "papers/a/__init__.py": "",
    "papers/a/runs.py": RUNS,
    "papers/a/figures.py": "COLOUR = 'red'\n",
}
ROOT = "companion.papers.a.runs:compute"


@pytest.fixture
def package(tmp_path: Path) -> Path:
    folder = tmp_path / "src" / "companion"
    for name, text in FILES.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")
    return folder


def edited(package: Path, name: str, old: str, new: str) -> None:
    text = (package / name).read_text(encoding="utf-8")
    assert text.count(old) >= 1, old
    (package / name).write_text(text.replace(old, new, 1), encoding="utf-8")


LEAVE = {
    "docstring": ("gp/kernels.py", '"""k(x)."""', '"""The kernel at x.\n\n    More words.\n    """'),
    "no docstring": ("papers/a/runs.py", '    """One run."""\n', ""),
    "comment": ("gp/kernels.py", "# near", "# the part that is near"),
    "annotation": ("gp/kernels.py", "x: float, scale: float = 1.0) -> float", "x, scale: int = 1.0)"),
    "annotated constant": ("gp/kernels.py", "WIDTH: float = 2.0", "WIDTH: int = 2.0"),
    "message": ("papers/a/runs.py", 'f"got {task}"', '"a negative task"'),
    "message from a function": ("papers/a/runs.py", 'return "a task"', 'return "some task"'),
    "assertion's message": ("papers/a/runs.py", '"too many"', '"more than ten"'),
    "layout": ("papers/a/runs.py", "policy = Policy(WIDTH)", "policy = Policy(\n        WIDTH,\n    )"),
    "way of writing a number": ("papers/a/runs.py", "np.sqrt(2.0)", "np.sqrt(2.00)"),
    "function not reached": ("papers/a/runs.py", "kernel(task) + 1", "kernel(task) + 2"),
    "module not reached": ("papers/a/figures.py", "red", "blue"),
    "name of an import": ("papers/a/runs.py", "import numpy as np", "import numpy as numeric; np = numeric"),
    "order of definitions": (
        "gp/kernels.py",
        "def other(x):\n    return 0.5\n",
        "LATER = 1\ndef other(x):\n    return 0.5\n",
    ),
}
CHANGE = {
    "constant": ("gp/kernels.py", "WIDTH: float = 2.0", "WIDTH: float = 2.5"),
    "constant far away": ("gp/kernels.py", "return 0.5", "return 0.25"),
    "constant of another module": ("noise.py", "SEED = 3", "SEED = 4"),
    "operator": ("gp/kernels.py", "near + helper(x)", "near - helper(x)"),
    "default": ("gp/kernels.py", "scale: float = 1.0", "scale: float = 2.0"),
    "order of arguments": ("gp/kernels.py", "(x: float, scale", "(scale: float, x"),
    "private method": ("policies.py", "return 1.5", "return 1.25"),
    "condition": ("gp/kernels.py", "x > 0", "x >= 0"),
    "kind of error": ("papers/a/runs.py", "raise ValueError(", "raise KeyError("),
    "table": ("papers/a/runs.py", '{"a": 1.0}', '{"a": 1.5}'),
    "string": ("papers/a/runs.py", 'TABLE["a"]', 'TABLE["b"]'),
    "another function called": ("gp/kernels.py", "near + helper(x)", "near + other(x)"),
    "library function": ("papers/a/runs.py", "np.sqrt", "np.cbrt"),
    "statement on loading": ("gp/kernels.py", "def helper", "print(WIDTH)\ndef helper"),
    "changed on loading": ("papers/a/runs.py", "def describe", 'TABLE["a"] = 2.0\ndef describe'),
}


@pytest.mark.parametrize("edit", LEAVE)
def test_text_layout_and_other_code_leave_the_fingerprint(package: Path, edit: str) -> None:
    before = fingerprint(ROOT, package=package).digest
    edited(package, *LEAVE[edit])
    if edit == "name of an import":
        # A second name for a module is a definition; the plain change of the alias is the one that leaves the meaning.
        edited(package, "papers/a/runs.py", "import numpy as numeric; np = numeric", "import numpy as numeric")
        edited(package, "papers/a/runs.py", "np.sqrt", "numeric.sqrt")
    assert fingerprint(ROOT, package=package).digest == before


@pytest.mark.parametrize("edit", CHANGE)
def test_what_may_move_a_number_changes_the_fingerprint(package: Path, edit: str) -> None:
    before = fingerprint(ROOT, package=package)
    edited(package, *CHANGE[edit])
    after = fingerprint(ROOT, package=package)
    assert after.digest != before.digest
    assert after.changed(before.definitions) != [] or edit == "another function called"


def test_a_function_may_move_to_another_module(package: Path) -> None:
    before = fingerprint(ROOT, package=package)
    text = FILES["gp/kernels.py"]
    start = text.index("def helper")
    (package / "gp" / "kernels.py").write_text(
        "from companion.gp.parts import helper\n" + text[:start], encoding="utf-8"
    )
    (package / "gp" / "parts.py").write_text(text[start:], encoding="utf-8")
    assert fingerprint(ROOT, package=package).digest == before.digest
    # Behind a module's name instead of its own, too.
    edited(package, "gp/kernels.py", "from companion.gp.parts import helper", "from companion.gp import parts")
    edited(package, "gp/kernels.py", "helper(x)", "parts.helper(x)")
    assert fingerprint(ROOT, package=package).digest == before.digest


def test_two_functions_that_swap_their_names_are_noticed(package: Path) -> None:
    """Names are left out, so it has to be seen that the call now reaches the other one."""
    edited(package, "papers/a/runs.py", "kernel(task), stream", "kernel(task) + unused(0), stream")
    before = fingerprint(ROOT, package=package).digest
    edited(package, "papers/a/runs.py", "kernel(task) + unused(0), stream", "unused(task) + kernel(0), stream")
    assert fingerprint(ROOT, package=package).digest != before


def test_a_renamed_local_leaves_the_meaning_and_shadows_no_definition(package: Path) -> None:
    before = fingerprint(ROOT, package=package)
    edited(package, "papers/a/runs.py", "policy = Policy(WIDTH)", "unused = Policy(WIDTH)")
    edited(package, "papers/a/runs.py", "policy.play", "unused.play")
    after = fingerprint(ROOT, package=package)
    assert after.digest == before.digest
    assert set(after.definitions) == set(before.definitions)


SCOPES = """
def compute(a, b):
    near = a + 1
    far = b * near
    pairs = [near - x for x in range(far)]
    try:
        far += 1
    except ValueError as fault:
        near = fault
    inner = lambda y: y + near
    return inner(far), pairs
"""


@pytest.mark.parametrize(
    ("old", "new", "leaves"),
    [
        ("near", "close", True),
        ("far", "distant", True),
        ("for x in", "for near in", False),  # now the first operand is the comprehension's own
        ("fault", "error", True),
        ("return inner(far), pairs", "return inner(near), pairs", False),
        ("y + near", "y + far", False),
        ("(a, b)", "(b, a)", False),
        ("near - x", "x - near", False),
    ],
)
def test_own_variables_stand_for_their_places(package: Path, old: str, new: str, leaves: bool) -> None:
    path = package / "noise.py"
    path.write_text(SCOPES, encoding="utf-8")
    before = fingerprint("companion.noise:compute", package=package).digest
    path.write_text(SCOPES.replace(old, new), encoding="utf-8")
    assert (fingerprint("companion.noise:compute", package=package).digest == before) == leaves


def test_data_beside_a_module_count_where_it_asks_for_its_own_place(package: Path) -> None:
    edited(package, "noise.py", "SEED * x", "SEED * x + len(open(__file__).read()) * 0")
    (package / "values.json").write_text("{}", encoding="utf-8")
    before = fingerprint(ROOT, package=package).digest
    (package / "papers" / "a" / "values.json").write_text("{}", encoding="utf-8")
    assert fingerprint(ROOT, package=package).digest == before
    (package / "values.json").write_text("{ }", encoding="utf-8")
    assert fingerprint(ROOT, package=package).digest != before


def test_an_unknown_root_is_refused(package: Path) -> None:
    for root in ("companion.papers.a.runs:absent", "companion.papers.b.runs:compute"):
        with pytest.raises(ResultError, match="no definition"):
            fingerprint(root, package=package)


def test_help_texts_count_on_pages_only(package: Path) -> None:
    declared = "from companion.core.profiles import Parameter\nA = Parameter('a', 'int', 3, 'a few words', 'ours')\n"
    page = "from companion.noise import A\nprint(A)"
    (package / "profiles.py").write_text("class Parameter:\n    pass\n", encoding="utf-8")
    seen = []
    for help_text in ("a few words", "other words"):
        (package / "noise.py").write_text(
            FILES["noise.py"] + declared.replace("a few words", help_text), encoding="utf-8"
        )
        seen.append((fingerprint("companion.noise:A", package=package), fingerprint_of_source(page, package=package)))
    assert seen[0][0].digest == seen[1][0].digest
    assert seen[0][1].digest != seen[1][1].digest


def test_the_cells_of_a_page_count_with_what_they_reach(package: Path) -> None:
    cells = "from companion.gp.kernels import kernel\nkernel(2)  # two"
    before = fingerprint_of_source(cells, package=package).digest
    assert fingerprint_of_source(cells.replace("  # two", ""), package=package).digest == before
    assert fingerprint_of_source(cells.replace("2", "3"), package=package).digest != before
    edited(package, "gp/kernels.py", "return 0.5", "return 0.75")
    assert fingerprint_of_source(cells, package=package).digest != before


@pytest.mark.parametrize("paper", papers.having("stored_runs"))
def test_stored_runs_reach_their_policies_and_no_page(paper: str) -> None:
    found = papers.stored_runs(paper).fingerprint
    modules = {name.rpartition(".")[0] for name in found.definitions}
    assert any(module.startswith(f"companion.papers.{paper}.") for module in modules)
    assert "companion.simulate.experiment" in modules
    for part in ("pages", "cli", "reproduce.evidence", f"papers.{paper}.page"):
        assert not [module for module in modules if module.startswith(f"companion.{part}")]
    assert {"numpy", "scipy"} <= set(found.versions)
    assert not [version for version in found.versions.values() if "+" in version]


CLASSES = """
from dataclasses import dataclass
from operator import attrgetter
from companion.errors import OwnError

class Base:
    RATE = 2.0
    def __init__(self, x):
        self._x, self._y = x, 2 * x
        self.z = 0
    def near(self):
        return self._low() - self._high() + self._x
    def _low(self):
        return 1.0
    def _high(self):
        return 2.0
    def hook(self):
        return 3.0
    def far(self):
        return self.RATE + self.hook()
    def unused(self):
        return 4.0

class Child(Base):
    def hook(self):
        return 5.0
    @property
    def wide(self):
        return 6.0

@dataclass(frozen=True)
class Pair:
    left: float
    right: float = 7.0
    _kept: float = 8.0
    @property
    def both(self):
        return self.left + self.right + self._kept
    @property
    def other(self):
        return 9.0

def run(x):
    child = Child(x)
    try:
        found = child.near() + child.far() + attrgetter("wide")(child)
    except OwnError as error:
        found = error.place
    return found + Pair(1.0, 2.0).both
"""
OWN = """
class OwnError(Exception):
    def __init__(self, place, words):
        self.place = place
        super().__init__(f"{place}: {words}")
    def __str__(self):
        return "own"
class OtherError(Exception):
    pass
"""
MEMBERS = {
    # what leaves the fingerprint
    "a private method's name": ([("_low", "_lowest")], True),
    "a private attribute's name": ([("_x", "_near")], True),
    "a private field's name": ([("_kept", "_other")], True),
    "a member that nothing names": ([("return 4.0", "return 4.5")], True),
    "a property more": (
        [("    @property\n    def other", "    @property\n    def more(self):\n        return 1\n    def other")],
        True,
    ),
    "an unused constant of a class": ([("    RATE = 2.0\n", "    RATE = 2.0\n    SPEED = 1.0\n")], True),
    "an annotated attribute": ([("self.z = 0", "self.z: int = 0")], True),
    "an annotated constant of a plain class": ([("RATE = 2.0", "RATE: float = 2.0")], True),
    "a bare annotation": ([("    child = Child(x)", "    found: float\n    child = Child(x)")], True),
    "the type of a field": ([("left: float", "left: int")], True),
    # what changes it
    "bodies of two private methods": (
        [("return 1.0", "return X"), ("return 2.0", "return 1.0"), ("return X", "return 2.0")],
        False,
    ),
    "names of two private methods": ([("def _low", "def X"), ("def _high", "def _low"), ("def X", "def _high")], False),
    "uses of two private methods": ([("self._low() - self._high()", "self._high() - self._low()")], False),
    "two private attributes": ([("self._x, self._y = x", "self._y, self._x = x")], False),
    "a private method's body": ([("return 1.0", "return 1.5")], False),
    "a private attribute that is not there": ([("+ self._x", "+ self._w")], False),
    "a public member's name": ([("near", "close")], False),
    "only the use of a member": ([("child.far()", "child.unused()")], False),
    "a constant of a class": ([("RATE = 2.0", "RATE = 2.5")], False),
    "a member overridden": ([("return 5.0", "return 5.5")], False),
    "a member reached through a base alone": ([("return 3.0", "return 3.5")], False),
    "an override taken away": ([("    def hook(self):\n        return 5.0\n", "")], False),
    "a member reached through a text": ([("return 6.0", "return 6.5")], False),
    "a property that overrides": (
        [("    def wide", "    def near(self):\n        return 1\n    @property\n    def wide")],
        False,
    ),
    "a default of a field": ([("right: float = 7.0", "right: float = 7.5")], False),
    "the order of fields": (
        [("    left: float\n    right: float = 7.0\n", "    right: float\n    left: float = 7.0\n")],
        False,
    ),
    "a field that is none any more": ([("_kept: float = 8.0", "_kept = 8.0")], False),
    "a field that belongs to the class": ([("right: float = 7.0", "right: ClassVar[float] = 7.0")], False),
    "another exception caught": (
        [("except OwnError", "except OtherError"), ("import OwnError", "import OtherError")],
        False,
    ),
    "the base of a class": ([("class Child(Base)", "class Child(Base, Pair)")], False),
    "a class's decorator": ([("(frozen=True)", "(frozen=False)")], False),
}


def replaced(text: str, edits: list[tuple[str, str]]) -> str:
    for old, new in edits:
        assert old in text, old
        text = text.replace(old, new)
    return text


@pytest.mark.parametrize("edit", MEMBERS)
def test_members_count_where_they_are_reached_and_private_ones_by_place(package: Path, edit: str) -> None:
    (package / "errors.py").write_text(OWN, encoding="utf-8")
    (package / "noise.py").write_text(CLASSES, encoding="utf-8")
    before = fingerprint("companion.noise:run", package=package).digest
    edits, leaves = MEMBERS[edit]
    (package / "noise.py").write_text(replaced(CLASSES, edits), encoding="utf-8")
    assert (fingerprint("companion.noise:run", package=package).digest == before) == leaves


@pytest.mark.parametrize(
    ("elsewhere", "leaves"),
    [
        ("def f(c):\n    return c.near()\n", True),
        ("class Unrelated:\n    def __init__(self):\n        self._low = 1\n", True),
        ("def f(c):\n    return c._low()\n", False),
        ("def f(c):\n    return getattr(c, '_low')()\n", False),
        ("def f(c, end):\n    return getattr(c, f'_{end}')()\n", False),
        ("from companion.noise import Child\nclass Far(Child):\n    def _low(self):\n        return 0\n", False),
        ("from companion.noise import Pair\nP = Pair(1, 2, _low=3)\n", False),
    ],
)
def test_a_private_name_counts_where_other_code_may_mean_it(package: Path, elsewhere: str, leaves: bool) -> None:
    (package / "policies.py").write_text(elsewhere, encoding="utf-8")
    (package / "noise.py").write_text(CLASSES, encoding="utf-8")
    before = fingerprint("companion.noise:run", package=package).digest
    (package / "noise.py").write_text(CLASSES.replace("_low", "_lowest"), encoding="utf-8")
    assert (fingerprint("companion.noise:run", package=package).digest == before) == leaves


def test_a_page_that_names_a_private_member_is_changed_by_its_new_name(package: Path) -> None:
    cells = "from companion.policies import Policy\nPolicy(1)._factor()"
    before = fingerprint_of_source(cells, package=package).digest
    edited(package, "policies.py", "self._factor", "self._other")
    edited(package, "policies.py", "def _factor", "def _other")
    assert fingerprint_of_source(cells, package=package).digest != before


@pytest.mark.parametrize(
    ("edits", "leaves"),
    [
        ([("{place}: {words}", "{place}; {words}")], False),  # an attribute that it sets is read from a caught one
        ([('return "own"', 'return "mine"')], True),
        ([("class OwnError", "class NewError")], False),
        ([("class OwnError(Exception)", "class OwnError(ArithmeticError)")], False),
    ],
)
def test_an_exception_counts_by_name_and_bases(package: Path, edits: list[tuple[str, str]], leaves: bool) -> None:
    (package / "errors.py").write_text(OWN, encoding="utf-8")
    (package / "noise.py").write_text(CLASSES, encoding="utf-8")
    before = fingerprint("companion.noise:run", package=package).digest
    (package / "errors.py").write_text(replaced(OWN, edits), encoding="utf-8")
    assert (fingerprint("companion.noise:run", package=package).digest == before) == leaves
    (package / "errors.py").write_text(OWN, encoding="utf-8")
    (package / "noise.py").write_text(CLASSES.replace("error.place", "0.0"), encoding="utf-8")
    before = fingerprint("companion.noise:run", package=package).digest
    (package / "errors.py").write_text(OWN.replace("{place}: {words}", "{words}"), encoding="utf-8")
    assert fingerprint("companion.noise:run", package=package).digest == before


STUDIES = """
from companion.pages.where import recorded
from companion.noise import draw

@recorded(random=False)
def one(x):
    return draw(x)

@recorded(random=False)
def two(x):
    return one(x) + 1

def plain(x):
    return two(x)
"""


def test_a_cut_leaves_studies_out(package: Path) -> None:
    (package / "policies.py").write_text(STUDIES, encoding="utf-8")
    cells = "from companion.policies import plain\nplain(2)"
    assert studies_reached(cells, package=package) == ["companion.policies:two"]
    before = [fingerprint_of_source(cells, package=package, cut=cut).digest for cut in ("recorded", "")]
    edited(package, "noise.py", "SEED = 3", "SEED = 4")
    after = [fingerprint_of_source(cells, package=package, cut=cut).digest for cut in ("recorded", "")]
    assert (after[0] == before[0], after[1] == before[1]) == (True, False)
    edited(package, "policies.py", "return two(x)", "return one(x)")
    assert fingerprint_of_source(cells, package=package, cut="recorded").digest != after[0]
    assert studies_reached(cells, package=package) == ["companion.policies:one"]


PROGRAM = """
import sys
from pathlib import Path
from companion.current.fingerprint import Definitions
found = Definitions(Path(sys.argv[1])).fingerprint([sys.argv[2]])
print(found.digest)
"""


def test_what_is_kept_is_used_renewed_and_mended(package: Path) -> None:
    (package.parent.parent / "pyproject.toml").touch()
    folder = package.parent.parent / ".fingerprints"

    def found() -> str:
        call = [sys.executable, "-c", PROGRAM, str(package), ROOT]
        return subprocess.run(call, capture_output=True, text=True, check=True).stdout

    first = found()
    assert sorted(path.name for path in folder.iterdir()) == ["results.json", "sources.json"]
    kept = json.loads((folder / "results.json").read_bytes())
    (folder / "results.json").write_text(json.dumps({**kept, "version": "another"}))
    (folder / "sources.json").write_text("{half")
    assert found() == first
    edited(package, "gp/kernels.py", "return 0.5", "return 0.75")
    assert found() != first
    edited(package, "gp/kernels.py", "return 0.75", "return 0.5")
    assert found() == first


PARTS = ("gp", "bounds", "simulate")
_SILENT = (ast.Raise, ast.Assert, ast.JoinedStr, ast.AnnAssign)


def mutants(tree: ast.Module) -> list[tuple[ast.AST, str, str]]:
    """Numbers and operators below functions and methods, each with the names of definition and method."""
    found: list[tuple[ast.AST, str, str]] = []

    def look(node: ast.AST, name: str, method: str) -> None:
        if isinstance(node, _SILENT) or (isinstance(node, ast.Call) and ast.unparse(node.func).endswith("warn")):
            return
        number = isinstance(node, ast.Constant) and type(node.value) in (int, float)
        if number or (isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add | ast.Sub | ast.Mult | ast.Div)):
            found.append((node, name, method))
        for child in ast.iter_child_nodes(node):
            look(child, name, method)

    for top in tree.body:
        for part in top.body if isinstance(top, ast.ClassDef) else [top]:
            if isinstance(part, ast.FunctionDef) and isinstance(top, ast.FunctionDef | ast.ClassDef):
                exception = isinstance(top, ast.ClassDef) and top.name.endswith("Error")
                for statement in () if exception else part.body:
                    look(statement, top.name, part.name)
    return found


@pytest.mark.slow
def test_every_change_of_a_number_or_an_operator_is_noticed(tmp_path: Path, root: Path) -> None:
    package = tmp_path / "src" / "companion"
    for part in (*PARTS, "core", "information", "policies", "problems"):
        shutil.copytree(root / "src" / "companion" / part, package / part)
    (package / "__init__.py").touch()
    (tmp_path / "pyproject.toml").touch()
    draw, changed = random.Random(4), 0
    paths = sorted(path for part in PARTS for path in (package / part).rglob("*.py"))
    while changed < 40:
        path = draw.choice(paths)
        text = path.read_text(encoding="utf-8")
        tree = ast.parse(text)
        if not (chosen := mutants(tree)):
            continue
        node, name, method = draw.choice(chosen)
        module = ".".join(("companion", *path.relative_to(package).with_suffix("").parts)).removesuffix(".__init__")
        program = f"from {module} import {name}\n{name}.{method}\n"
        path.write_text(ast.unparse(tree), encoding="utf-8")
        before = Definitions(package).fingerprint(sources=[program]).digest
        if isinstance(node, ast.Constant):
            node.value += 1  # type: ignore[operator]
        elif isinstance(node, ast.BinOp):
            node.op = ast.Sub() if isinstance(node.op, ast.Add) else ast.Add()
        path.write_text(ast.unparse(tree), encoding="utf-8")
        assert Definitions(package).fingerprint(sources=[program]).digest != before, (
            f"{module}.{name}.{method}: {ast.dump(node)}"
        )
        path.write_text(text, encoding="utf-8")
        changed += 1


def test_all_of_a_module_counts_for_tests(package: Path) -> None:
    before = fingerprint_of_modules("gp", sources=["x = 1"], package=package).digest
    edited(package, "noise.py", "SEED = 3", "SEED = 4")
    assert fingerprint_of_modules("gp", sources=["x = 1"], package=package).digest == before
    edited(package, "gp/kernels.py", "return 0.5", "return 0.75")
    assert fingerprint_of_modules("gp", sources=["x = 1"], package=package).digest != before
