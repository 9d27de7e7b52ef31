"""What changes the fingerprint of code, and what leaves it: on a small package, edited in every way."""

import ast
import functools
import random
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from companion import registry
from companion.core.errors import ResultError
from companion.current import fingerprint as module
from companion.current.fingerprint import fingerprint
from companion.current.run_artefacts import code_of

FILES = {
    "runs.py": '''
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
''',
    "noise.py": "SEED = 3\ndef draw(x):\n    return SEED * x\n",
    "gp/kernels.py": '''
from __future__ import annotations
WIDTH: float = 2.0
def kernel(x: float, scale: float = 1.0) -> float:
    """k(x)."""
    near = scale * x  # near
    return near + helper(x)
def helper(x):
    return x if x > 0 else other(x)
def other(x):
    return 0.5
''',
    "policies.py": """
class Policy:
    def __init__(self, width):
        self.width = width
    def play(self, k, noise):
        return self._factor() * k + noise
    def _factor(self):
        return 1.5
""",
    "figures.py": "COLOUR = 'red'\n",
    "scopes.py": """
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
""",
    "classes.py": """
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
def compute(x):
    child = Child(x)
    try:
        found = child.near() + child.far() + attrgetter("wide")(child)
    except OwnError as error:
        found = error.place
    return found + Pair(1.0, 2.0).both
""",
    "errors.py": """
class OwnError(Exception):
    def __init__(self, place, words):
        self.place = place
        super().__init__(f"{place}: {words}")
    def __str__(self):
        return "own"
class OtherError(Exception):
    pass
""",
    "wired.py": """
def compute(x):
    return first(x) - second(x)
def first(x):
    return third(x)
def second(x):
    return fourth(x)
def third(x):
    return x + SMALL
def fourth(x):
    return x + LARGE
SMALL = 1
LARGE = 2
""",
    "studies.py": """
from companion.pages.provenance import recorded
from companion.noise import draw
@recorded(random=False)
def one(x):
    return draw(x)
@recorded(random=False)
def two(x):
    return one(x) + 1
def plain(x):
    return two(x)
""",
}
R, K, C, E, S, W = "runs.py", "gp/kernels.py", "classes.py", "errors.py", "scopes.py", "wired.py"
N, P = "noise.py", "policies.py"

#: By file and by what is done, texts with others in their place, old, new, old, new.
LEAVE = {
    K: {
        "docstring": ('"""k(x)."""', '"""The kernel at x.\n\n    More words.\n    """'),
        "comment": ("# near", "# the part that is near"),
        "annotation": ("x: float, scale: float = 1.0) -> float", "x, scale: int = 1.0)"),
        "annotated constant": ("WIDTH: float = 2.0", "WIDTH: int = 2.0"),
        "another definition": ("def other", "LATER = 1\ndef other"),
        "two constants in one line": ("WIDTH: float = 2.0", "WIDTH, DEPTH = 2.0, 3"),
        "name of a function": ("helper", "part", "other", "rest"),
        "two copies made one": ("near + helper", "near + copy"),
    },
    R: {
        "no docstring": ('    """One run."""\n', ""),
        "message": ('f"got {task}"', '"a negative task"'),
        "message from a function": ('return "a task"', 'return "some task"'),
        "assertion's message": ('"too many"', '"more than ten"'),
        "layout": ("policy = Policy(WIDTH)", "policy = Policy(\n        WIDTH,\n    )"),
        "way of writing a number": ("np.sqrt(2.0)", "np.sqrt(2.00)"),
        "function not reached": ("kernel(task) + 1", "kernel(task) + 2"),
        "name of an import": ("numpy as np", "numpy as numeric", "np.sqrt", "numeric.sqrt"),
        "name of a local that is a definition's": ("policy = ", "unused = ", "policy.play", "unused.play"),
    },
    "figures.py": {"module not reached": ("red", "blue")},
    S: {
        "name of a variable": ("near", "close", "far", "distant"),
        "name of what is caught": ("fault", "error"),
    },
    C: {
        "a private method's name": ("_low", "_lowest"),
        "a private attribute's name": ("_x", "_near"),
        "a private field's name": ("_kept", "_other"),
        "a member that nothing names": ("return 4.0", "return 4.5"),
        "a property more": ("@property\n    def wide", "@property\n    def more(self): 1\n    @property\n    def wide"),
        "an unused constant of a class": ("    RATE = 2.0\n", "    RATE = 2.0\n    SPEED = 1.0\n"),
        "an annotated attribute": ("self.z = 0", "self.z: int = 0"),
        "an annotated constant of a plain class": ("RATE = 2.0", "RATE: float = 2.0"),
        "a bare annotation": ("    child = Child(x)", "    found: float\n    child = Child(x)"),
        "the type of a field": ("left: float", "left: int"),
        "a private name that another class has too": ("_low", "_lowest"),
        "a public member that is also used elsewhere": ("return 4.0", "return 4.5"),
    },
    E: {
        "what an exception says": ('return "own"', 'return "mine"'),
        "what an exception holds that nobody reads": ("{place}: {words}", "{words}"),
    },
}
CHANGE = {
    K: {
        "constant": ("WIDTH: float = 2.0", "WIDTH: float = 2.5"),
        "constant far away": ("return 0.5", "return 0.25"),
        "operator": ("near + helper(x)", "near - helper(x)"),
        "default": ("scale: float = 1.0", "scale: float = 2.0"),
        "order of arguments": ("(x: float, scale", "(scale: float, x"),
        "condition": ("x > 0", "x >= 0"),
        "another function called": ("near + helper(x)", "near + other(x)"),
        "statement on loading": ("def helper", "print(WIDTH)\ndef helper"),
        "statement on loading twice": ("def helper", "print(WIDTH)\ndef helper"),
    },
    N: {"constant of another module": ("SEED = 3", "SEED = 4")},
    P: {"private method": ("return 1.5", "return 1.25")},
    R: {
        "kind of error": ("raise ValueError(", "raise KeyError("),
        "table": ('{"a": 1.0}', '{"a": 1.5}'),
        "string": ('TABLE["a"]', 'TABLE["b"]'),
        "library function": ("np.sqrt", "np.cbrt"),
        "changed on loading": ("def describe", 'TABLE["a"] = 2.0\ndef describe'),
    },
    W: {"like functions exchanged": ("first(x) - second(x)", "second(x) - first(x)")},
    S: {
        "a definition hidden by a variable": ("for x in", "for near in"),
        "another variable returned": ("return inner(far)", "return inner(near)"),
        "another variable from outside": ("y + near", "y + far"),
        "arguments exchanged": ("(a, b)", "(b, a)"),
        "variables exchanged": ("near - x", "x - near"),
    },
    C: {
        "bodies of two private methods": ("1.0", "X", "2.0\n    def hook", "1.0\n    def hook", "X", "2.0"),
        "names of two private methods": ("def _low", "def X", "def _high", "def _low", "def X", "def _high"),
        "uses of two private methods": ("self._low() - self._high()", "self._high() - self._low()"),
        "two private attributes": ("self._x, self._y = x", "self._y, self._x = x"),
        "a private method's body": ("return 1.0", "return 1.5"),
        "a private attribute that is not there": ("+ self._x", "+ self._w"),
        "a public member's name": ("near", "close"),
        "only the use of a member": ("child.far()", "child.unused()"),
        "a constant of a class": ("RATE = 2.0", "RATE = 2.5"),
        "a member overridden": ("return 5.0", "return 5.5"),
        "a member reached through a base alone": ("return 3.0", "return 3.5"),
        "an override taken away": ("    def hook(self):\n        return 5.0\n", ""),
        "a member reached through a text": ("return 6.0", "return 6.5"),
        "a property that overrides": ("def wide", "def near(self):\n        return 1\n    @property\n    def wide"),
        "a default of a field": ("right: float = 7.0", "right: float = 7.5"),
        "the order of fields": ("left: float\n    right: float = 7.0", "right: float\n    left: float = 7.0"),
        "a field that is none any more": ("_kept: float = 8.0", "_kept = 8.0"),
        "a field that belongs to the class": ("right: float = 7.0", "right: ClassVar[float] = 7.0"),
        "another exception caught": ("OwnError", "OtherError"),
        "the base of a class": ("class Child(Base)", "class Child(Base, Pair)"),
        "a class's decorator": ("(frozen=True)", "(frozen=False)"),
        "a private name used elsewhere": ("_low", "_lowest"),
        "a private name in a text": ("_low", "_lowest"),
        "a private name that is put together": ("_low", "_lowest"),
        "a private name of a relative": ("_low", "_lowest"),
        "a private name as a keyword": ("_low", "_lowest"),
    },
    E: {
        "what an exception holds that is read": ("{place}: {words}", "{place}; {words}"),
        "the name of an exception": ("class OwnError", "class NewError"),
        "the base of an exception": ("OwnError(Exception)", "OwnError(ArithmeticError)"),
    },
}
#: What other code has before some of the edits: of a file the old text and the new one.
GIVEN = {
    "statement on loading twice": (K, "def other", "print(WIDTH)\ndef other"),
    "two copies made one": (K, "def other", "def copy(x):\n    return x if x > 0 else other(x)\ndef other"),
    "what an exception holds that nobody reads": (C, "error.place", "0.0"),
    "a private name that another class has too": (
        N,
        "def draw",
        "class Other:\n    def __init__(self):\n        self._low = 1\ndef draw",
    ),
    "a public member that is also used elsewhere": (N, "def draw", "def f(c):\n    return c.unused()\ndef draw"),
    "a private name used elsewhere": (N, "def draw", "def f(c):\n    return c._low()\ndef draw"),
    "a private name in a text": (N, "def draw", "def f(c):\n    return getattr(c, '_low')()\ndef draw"),
    "a private name that is put together": (
        N,
        "def draw",
        "def f(c, end):\n    return getattr(c, f'_{end}')()\ndef draw",
    ),
    "a private name of a relative": (
        N,
        "def draw",
        "from companion.classes import Child\nclass Far(Child):\n    def _low(self):\n        return 0\ndef draw",
    ),
    "a private name as a keyword": (
        N,
        "def draw",
        "from companion.classes import Pair\nP = Pair(1, 2, _low=3)\ndef draw",
    ),
}
#: What is looked at: a definition of the edited file, or else of the one that reaches it.
STARTS = {file: f"companion.{Path(file).stem}:compute" for file in (R, S, C, W)}
STARTS[E], START = STARTS[C], STARTS[R]


@pytest.fixture
def package(tmp_path: Path) -> Path:
    folder = tmp_path / "src" / "companion"
    for name, text in {"__init__.py": "", "gp/__init__.py": "", **FILES}.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")
    return folder


def edit(package: Path, name: str, old: str, new: str) -> None:
    text = (package / name).read_text(encoding="utf-8")
    assert old in text, old
    (package / name).write_text(text.replace(old, new), encoding="utf-8")


@pytest.mark.parametrize(
    ("file", "what", "leaves"),
    [(file, what, table is LEAVE) for table in (LEAVE, CHANGE) for file, edits in table.items() for what in edits],
)
def test_what_may_move_a_number_changes_the_fingerprint_and_nothing_else(
    package: Path, file: str, what: str, leaves: bool
) -> None:
    start = STARTS.get(file, START)
    if what in GIVEN:
        edit(package, *GIVEN[what])
    before = fingerprint(start, package=package).digest
    edits = iter((LEAVE if leaves else CHANGE)[file][what])
    for old, new in zip(edits, edits, strict=True):
        edit(package, file, old, new)
    assert (fingerprint(start, package=package).digest == before) == leaves


def test_a_function_may_move_to_another_module(package: Path) -> None:
    before = fingerprint(START, package=package).digest
    kernels, (head, tail) = package / K, FILES[K].split("def helper")
    kernels.write_text(head.replace("WIDTH:", "from companion.gp.parts import helper\nWIDTH:"), encoding="utf-8")
    (package / "gp" / "parts.py").write_text("def helper" + tail, encoding="utf-8")
    assert fingerprint(START, package=package).digest == before
    # Behind a module's name instead of its own, too.
    edit(package, K, "from companion.gp.parts import helper", "from companion.gp import parts")
    edit(package, K, "helper(x)", "parts.helper(x)")
    assert fingerprint(START, package=package).digest == before


def test_data_beside_a_module_count_where_it_asks_for_its_own_place(package: Path) -> None:
    edit(package, N, "SEED * x", "SEED * x + len(open(__file__).read()) * 0")
    (package / "values.json").write_text("{}", encoding="utf-8")
    before = fingerprint(START, package=package).digest
    (package / "gp" / "values.json").write_text("{}", encoding="utf-8")
    assert fingerprint(START, package=package).digest == before
    (package / "values.json").write_text("{ }", encoding="utf-8")
    assert fingerprint(START, package=package).digest != before


def test_an_unknown_root_is_refused(package: Path) -> None:
    for place in ("companion.papers.a.runs:absent", "companion.papers.b.runs:compute"):
        with pytest.raises(ResultError, match="no definition"):
            fingerprint(place, package=package)


def test_help_texts_count_on_pages_only_and_where_they_stand(package: Path) -> None:
    first, second = "A = Parameter('a', 3, 'a few words')", "B = Parameter('a', 3, 'B')"
    declared = f"from companion.core.parameters import Parameter\n{first}\n{second}\n"
    (package / N).write_text(declared.replace("'B'", "'other words'"), encoding="utf-8")
    page = "from companion.noise import A, B\nprint(A, B)"
    before = [fingerprint(sources=[page], words=words, package=package).digest for words in (False, True)]
    (package / N).write_text(declared.replace("a few", "other").replace("'B'", "'a few words'"), encoding="utf-8")
    after = [fingerprint(sources=[page], words=words, package=package).digest for words in (False, True)]
    assert [one == other for one, other in zip(before, after, strict=True)] == [True, False]


def test_a_page_counts_with_what_it_reaches_and_parts_of_the_package_with_all_of_it(package: Path) -> None:
    cells = "from companion.policies import Policy\nPolicy(1)._factor()  # one"

    def found() -> list[str]:
        return [fingerprint(sources=[text], parts=parts, package=package).digest for text, parts in asked]

    asked: list[tuple[str, tuple[str, ...]]] = [(cells, ()), ("x = 1", ("gp",))]
    before = found()
    asked[0] = (cells.replace("  # one", ""), ())
    assert found() == before
    asked[0] = (cells.replace("1)", "2)"), ())
    assert [one == other for one, other in zip(found(), before, strict=True)] == [False, True]
    asked[0] = (cells, ())
    edit(package, K, "return 0.5", "return 0.75")
    assert [one == other for one, other in zip(found(), before, strict=True)] == [True, False]
    edit(package, "policies.py", "_factor", "_other")  # which the page calls by name
    assert found()[0] != before[0]


def test_a_cut_leaves_studies_out(package: Path) -> None:
    cells = "from companion.studies import plain\nplain(2)"

    def found() -> list[str]:
        return [fingerprint(sources=[cells], cut=cut, package=package).digest for cut in ("recorded", "")]

    before = found()
    edit(package, N, "SEED = 3", "SEED = 4")
    assert [one == other for one, other in zip(found(), before, strict=True)] == [True, False]
    edit(package, "studies.py", "return two(x)", "return one(x)")
    assert found()[0] != before[0]


@pytest.mark.parametrize("paper", registry.declaring("stored_runs"))
def test_stored_runs_reach_their_policies_and_no_page(paper: str) -> None:
    modules = {name.rpartition(".")[0] for name in code_of(registry.stored_runs(paper)).definitions}
    assert any(module.startswith(f"companion.papers.{paper}.") for module in modules)
    assert "companion.simulate.experiment" in modules
    for part in ("pages", "cli", "judge.evidence", f"papers.{paper}.page"):
        assert not [module for module in modules if module.startswith(f"companion.{part}")]


PROGRAM = """
import sys
from pathlib import Path
from companion.current import fingerprint
if sys.argv[3:]:
    fingerprint.read = None
print(fingerprint.fingerprint(sys.argv[2], package=Path(sys.argv[1])).digest)
"""


def test_what_is_kept_is_used_renewed_and_mended(package: Path) -> None:
    (package.parent.parent / "pyproject.toml").touch()
    kept = package.parent.parent / ".fingerprints" / "cache.json"

    def found(*more: str) -> str:
        call = [sys.executable, "-c", PROGRAM, str(package), START, *more]
        return subprocess.run(call, capture_output=True, text=True, check=True).stdout

    first = found()
    assert found("without reading") == first
    kept.write_text(kept.read_text().replace('["', '["another', 1))
    assert found() == first
    kept.write_text("{half")
    assert found() == first
    edit(package, K, "return 0.5", "return 0.75")
    assert found() != first
    edit(package, K, "return 0.75", "return 0.5")
    assert found("without reading") == first


def numbers(node: ast.AST) -> list[ast.Constant]:
    """Those that may matter: not what is said when something is refused."""
    silent = isinstance(node, ast.Raise | ast.Assert | ast.JoinedStr | ast.AnnAssign)
    if silent or (isinstance(node, ast.Call) and ast.unparse(node.func).endswith("warn")):
        return []
    found = [node] if isinstance(node, ast.Constant) and type(node.value) in (int, float) else []
    return [*found, *(number for child in ast.iter_child_nodes(node) for number in numbers(child))]


@pytest.mark.slow
def test_every_change_of_a_number_is_noticed(tmp_path: Path, root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "read", functools.cache(module.read))
    package, draw, changed = tmp_path / "companion", random.Random(4), 0
    for part in ("gp", "bounds", "simulate", "core", "information", "policies", "problems"):
        shutil.copytree(root / "src" / "companion" / part, package / part)
    (package / "__init__.py").touch()
    paths = sorted(path for part in ("gp", "bounds", "simulate") for path in (package / part).rglob("*.py"))
    while changed < 40:
        path = draw.choice(paths)
        text = path.read_text(encoding="utf-8")
        tree = ast.parse(text)
        tops = [
            top for top in tree.body if isinstance(top, ast.FunctionDef | ast.ClassDef) and top.name[-5:] != "Error"
        ]
        parts = [(top, part) for top in tops for part in (top.body if isinstance(top, ast.ClassDef) else [top])]
        bodies = [(f"{top.name}.{p.name}", p.body) for top, p in parts if isinstance(p, ast.FunctionDef)]
        chosen = [(number, name) for name, body in bodies for node in body for number in numbers(node)]
        if not chosen:
            continue
        number, name = draw.choice(chosen)
        place = ".".join(("companion", *path.relative_to(package).with_suffix("").parts)).removesuffix(".__init__")
        program = f"from {place} import {name.partition('.')[0]}\n{name}\n"
        before = fingerprint(sources=[program], package=package).digest
        number.value += 1  # type: ignore[operator]
        path.write_text(ast.unparse(tree), encoding="utf-8")
        assert fingerprint(sources=[program], package=package).digest != before, f"{place}.{name}: {ast.dump(number)}"
        path.write_text(text, encoding="utf-8")
        changed += 1
