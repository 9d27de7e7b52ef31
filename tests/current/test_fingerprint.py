"""What changes the fingerprint of code, and what leaves it: on a small package, edited in every way."""

from pathlib import Path

import pytest

from companion import papers
from companion.core.errors import ResultError
from companion.current.fingerprint import fingerprint, fingerprint_of_source

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
    folder = tmp_path / "companion"
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
