"""House rules that a program can read: floors of imports, rooms of a paper, no global seeding, no
words of a page in the package, no strings that stand alone."""

from __future__ import annotations

import ast
import functools
import graphlib
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from companion import registry
from companion.registry import CROSS_PAPER, ROOMS

#: The library: what rests on NumPy and SciPy alone. A part imports from itself and from those before it.
LIBRARY = (("gp",), ("information",), ("bounds", "problems"), ("policies",), ("simulate",))
#: Parts of the package from the ground up. A module imports from its own part and from parts below it.
FLOORS = (
    ("core",),
    *LIBRARY,
    ("checks",),
    ("stored",),
    ("registry",),
    ("current",),
    ("judge",),
    ("exports",),
    ("pages",),
    ("papers",),
    ("api", "classroom"),
    ("cli",),
    ("__main__",),
)
FLOOR = {name: level for level, names in enumerate(FLOORS) for name in names}
#: Parts that somebody has to keep in mind; the library counts as one.
MOST_PARTS = 14

#: The parts of numpy.random that create generators rather than touch the global one. RandomState is one of its own
#: with the legacy streams, which published seeds refer to.
GENERATORS = {"Generator", "SeedSequence", "PCG64", "BitGenerator", "default_rng", "RandomState"}


def sources(package: Path) -> list[Path]:
    return sorted(path for path in package.rglob("*.py") if "__pycache__" not in path.parts)


@functools.cache
def nodes(path: Path) -> list[ast.AST]:
    """The syntax of a module, read once for all rules."""
    return list(ast.walk(ast.parse(path.read_text(encoding="utf-8"))))


@pytest.fixture(scope="module", autouse=True)
def forgetting() -> Iterator[None]:
    """The syntax of the whole package is large; what comes after needs it no more."""
    yield
    nodes.cache_clear()


def imported(path: Path) -> list[tuple[int, str]]:
    """(line, dotted name below ``companion``) of everything a module imports from the package."""
    found = []
    for node in nodes(path):
        if isinstance(node, ast.Import):
            found += [(node.lineno, alias.name) for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.level:
            found.append((node.lineno, "companion.<relative>"))
        elif isinstance(node, ast.ImportFrom) and re.fullmatch(r"companion(\.papers(\.\w+)?)?", node.module or ""):
            # These are asked for modules: ``from companion import papers``, ``from companion.papers.tsrsr import plan``.
            found += [(node.lineno, f"{node.module}.{alias.name}") for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            found.append((node.lineno, node.module or ""))
    return [(line, name.removeprefix("companion.")) for line, name in found if name.startswith("companion.")]


def import_faults(package: Path) -> list[str]:
    """Every import that goes upward, sideways between papers, or from a folder without a floor."""
    faults = []
    for path in sources(package):
        parts = path.relative_to(package).with_suffix("").parts
        home = parts[0]
        place = "/".join(parts)
        if home == "__init__":
            faults += [f"{place}:{line}: the package itself imports {name}" for line, name in imported(path)]
            continue
        if home not in FLOOR:
            faults.append(f"{place}: {home} has no floor; give it one in tests/test_architecture.py and book/layout.md")
            continue
        for line, name in imported(path):
            target = name.split(".")[0]
            if target in ("__version__", home):
                faults += paper_faults(f"{place}:{line}", parts, name)
            elif target not in FLOOR:
                faults.append(f"{place}:{line}: imports {name}, which has no floor (relative imports are not used)")
            elif FLOOR[target] >= FLOOR[home]:
                faults.append(f"{place}:{line}: {home} imports {name} from its own floor or a higher one")
    return faults


def paper_faults(place: str, parts: tuple[str, ...], name: str) -> list[str]:
    """A paper that imports another paper."""
    other = name.split(".")
    if parts[0] != "papers" or len(parts) < 3 or parts[1] in CROSS_PAPER or len(other) < 2 or other[1] == parts[1]:
        return []
    return [f"{place}: paper {parts[1]} imports paper {other[1]}"]


def room_faults(package: Path) -> list[str]:
    """What lies outside a paper's rooms, and imports from a lower room into a higher one."""
    faults = []
    for path in sources(package / "papers"):
        parts = path.relative_to(package).with_suffix("").parts
        place = "/".join(parts)
        if len(parts) < 3 or parts[2] == "__init__":
            continue
        if parts[2] not in ROOMS:
            faults.append(f"{place}: {parts[2]} is no room; a paper has {', '.join(ROOMS)}")
            continue
        for line, name in imported(path):
            target = (*name.split("."), "", "")[2] if name.startswith(f"papers.{parts[1]}.") else parts[2]
            if target in ROOMS and ROOMS.index(target) > ROOMS.index(parts[2]):
                faults.append(f"{place}:{line}: {parts[2]} imports {target}, a higher room")
    return faults


def seeding_faults(package: Path) -> list[str]:
    """Uses of a global generator: ``np.random.seed``, ``np.random.normal``, ``random.random``, ``torch.manual_seed``."""
    faults = []
    for path in sources(package):
        place = path.relative_to(package).as_posix()
        for node in nodes(path):
            if isinstance(node, ast.Attribute):
                name = ast.unparse(node)
                head, _, last = name.rpartition(".")
                if head in ("np.random", "numpy.random") and last not in GENERATORS:
                    faults.append(f"{place}:{node.lineno}: {name} uses the global generator")
                if name in ("torch.manual_seed", "torch.random.manual_seed", "random.seed"):
                    faults.append(f"{place}:{node.lineno}: {name} seeds globally")
            elif isinstance(node, ast.Import) and any(alias.name == "random" for alias in node.names):
                faults.append(f"{place}:{node.lineno}: the standard library's random is global")
            elif isinstance(node, ast.ImportFrom) and node.module in ("random", "numpy.random"):
                names = {alias.name for alias in node.names} - (GENERATORS if node.module == "numpy.random" else set())
                faults += [f"{place}:{node.lineno}: {name} uses the global generator" for name in sorted(names)]
    return faults


def sentence_faults(package: Path) -> list[str]:
    """Words of a page in a paper's package: they stand in the notebook, where they are read and mended."""
    faults = []
    for path in sources(package / "papers"):
        for node in nodes(path):
            if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name):
                continue
            name = node.func.id
            words = {keyword.arg for keyword in node.keywords} & {"caption", "alt"}
            if name in ("say", "show") or (name in ("Figure", "Table") and (words or len(node.args) > 1)):
                faults.append(
                    f"{path.relative_to(package).as_posix()}:{node.lineno}: {name}(...) with words of the page"
                )
    return faults


def circle_faults(package: Path) -> list[str]:
    """Modules that import each other, at the top, in a function or for types alone: neither can be read without the other."""
    files = {
        path: ".".join(("companion", *path.relative_to(package).with_suffix("").parts)) for path in sources(package)
    }
    modules = {path: name.removesuffix(".__init__") for path, name in files.items()}
    known, asks = set(modules.values()), dict[str, set[str]]()
    for path, home in modules.items():
        whole = {alias.name for node in nodes(path) if isinstance(node, ast.Import) for alias in node.names}
        for node in nodes(path):
            if isinstance(node, ast.ImportFrom):
                named = {f"{node.module}.{alias.name}" for alias in node.names}
                whole |= {name if name in known else str(node.module) for name in named}
        asks[home] = whole & known - {home}
    try:
        graphlib.TopologicalSorter(asks).prepare()
    except graphlib.CycleError as circle:
        return [f"imports in a circle: {' -> '.join(reversed(circle.args[1]))}"]
    return []


def statement_faults(package: Path) -> list[str]:
    """Strings that stand alone and are no docstring: a constant is explained by ``#:`` above, all else is left over.
    Choices that stand alone: ``f() if x else None`` is an ``if``."""
    faults = []
    for path in sources(package):
        for node in nodes(path):
            for statement in getattr(node, "body", [])[1:] if isinstance(getattr(node, "body", None), list) else []:
                if isinstance(statement, ast.Expr) and isinstance(getattr(statement.value, "value", None), str):
                    place = f"{path.relative_to(package).as_posix()}:{statement.lineno}"
                    faults.append(f"{place}: a string that nothing reads; explain a constant by '#:' above it")
            if isinstance(node, ast.Expr) and isinstance(node.value, ast.IfExp):
                faults.append(
                    f"{path.relative_to(package).as_posix()}:{node.lineno}: a choice as a statement; use 'if'"
                )
    return faults


def comment_faults(package: Path) -> list[str]:
    """Constants of a module with a comment behind them: ``#:`` above is the one style, and what the API pages show."""
    faults = []
    for path in sources(package):
        lines = path.read_text(encoding="utf-8").splitlines()
        for node in ast.parse("\n".join(lines)).body:
            names = [
                name.id for name in ast.walk(node) if isinstance(name, ast.Name) and isinstance(name.ctx, ast.Store)
            ]
            if isinstance(node, ast.Assign | ast.AnnAssign) and any(name.strip("_").isupper() for name in names):
                behind = lines[(node.end_lineno or 0) - 1].encode()[node.end_col_offset :].decode()
                if re.match(r"\s*#(?! (noqa|type|fmt):)", behind):
                    faults.append(f"{path.relative_to(package).as_posix()}:{node.lineno}: a comment behind {names[0]}")
    return faults


@pytest.mark.slow
@pytest.mark.parametrize(
    "rule",
    [import_faults, room_faults, seeding_faults, sentence_faults, statement_faults, comment_faults, circle_faults],
)
def test_the_house_keeps_its_rules(rule, root: Path) -> None:
    faults = rule(root / "src" / "companion")
    assert not faults, "\n".join(faults)


@pytest.mark.slow
@pytest.mark.parametrize("folder", ["tests", "benchmarks", "book/_ext"])
def test_code_beside_the_package_has_no_statement_without_effect(folder: str, root: Path) -> None:
    assert statement_faults(root / folder) == []


PLANTED = {
    "a floor imports a higher one": (import_faults, "bounds/b.py", "from companion.policies import base\n"),
    "two names of one floor": (import_faults, "problems/p.py", "import companion.bounds.checks\n"),
    "hidden in a function": (import_faults, "gp/g.py", "def f():\n    from companion import simulate\n"),
    "a relative import": (import_faults, "gp/g.py", "from .. import simulate\n"),
    "paper imports paper": (import_faults, "papers/batched/x.py", "from companion.papers.tsrsr import policy\n"),
    "paper imports paper by name": (import_faults, "papers/batched/x.py", "from companion.papers import tsrsr\n"),
    "a room imports a higher one": (
        room_faults,
        "papers/batched/method/x.py",
        "from companion.papers.batched.theory.bounds import f\n",
    ),
    "a room imports a higher room whole": (
        room_faults,
        "papers/batched/experiments/x.py",
        "def f():\n    from companion.papers.batched import checks\n",
    ),
    "what is no room": (room_faults, "papers/batched/extras.py", "x = 1\n"),
    "what is no room of chapter 6": (room_faults, "papers/across/widths/stored.py", "x = 1\n"),
    "a room of chapter 6 imports a higher one": (
        room_faults,
        "papers/across/theory/x.py",
        "from companion.papers.across.experiments import widths\n",
    ),
    "a folder without a floor": (import_faults, "extras/e.py", "x = 1\n"),
    "the package imports its parts": (import_faults, "__init__.py", "from companion.gp import finite\n"),
    "a global seed": (seeding_faults, "gp/g.py", "import numpy as np\nnp.random.seed(1)\n"),
    "a global draw": (seeding_faults, "gp/g.py", "from numpy.random import normal\n"),
    "a global torch seed": (seeding_faults, "gp/g.py", "import torch\ntorch.manual_seed(1)\n"),
    "a sentence in a paper": (sentence_faults, "papers/batched/page.py", "say('It holds.')\n"),
    "a caption in a paper": (sentence_faults, "papers/batched/page.py", "Figure(draw, caption='A line.')\n"),
    "a table's caption in a paper": (sentence_faults, "papers/batched/page.py", "Table(frame, 'Rows.')\n"),
    "a constant explained below": (statement_faults, "gp/g.py", 'MOST = 3\n"""As many as fit."""\n'),
    "a field explained below": (statement_faults, "gp/g.py", 'class A:\n    most: int\n    """As many as fit."""\n'),
    "a string at the end of a file": (statement_faults, "gp/g.py", 'def f():\n    return 1\n\n\n"""Left over."""\n'),
    "a string for a comment": (statement_faults, "gp/g.py", 'def f():\n    x = 1\n    "Doubled."\n    return 2 * x\n'),
    "a constant explained behind": (comment_faults, "gp/g.py", "MOST = 3  # as many as fit\n"),
    "a choice as a statement": (statement_faults, "gp/g.py", "def f(x):\n    print(x) if x else None\n"),
    "the standard library's generator": (seeding_faults, "gp/g.py", "import random\n"),
}


@pytest.mark.parametrize("fault", PLANTED)
def test_a_planted_fault_is_caught(fault: str, tmp_path: Path) -> None:
    rule, name, text = PLANTED[fault]
    (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
    (tmp_path / name).write_text(text, encoding="utf-8")
    assert len(rule(tmp_path)) == 1, rule(tmp_path)


@pytest.mark.parametrize(
    "back",
    [
        "from companion.gp.one import f\n",
        "from companion.gp import one\n",
        "def g():\n    from companion.gp.one import f\n",
        "from typing import TYPE_CHECKING\n\nif TYPE_CHECKING:\n    from companion.gp.one import f\n",
    ],
)
def test_a_planted_circle_is_caught(back: str, tmp_path: Path) -> None:
    for folder, text in (("open", "h = 1\n"), ("closed", back)):
        (tmp_path / folder / "gp").mkdir(parents=True)
        for name, content in (
            ("__init__", "from companion.gp.two import h\n"),
            ("one", "import companion.gp.two\n"),
            ("two", text),
        ):
            (tmp_path / folder / "gp" / f"{name}.py").write_text(content, encoding="utf-8")
    assert circle_faults(tmp_path / "open") == []
    (fault,) = circle_faults(tmp_path / "closed")
    assert re.search(r"gp\.one -> .*gp\.two|gp\.two -> .*gp\.one", fault), fault


@pytest.mark.parametrize(
    ("name", "text"),
    [
        (
            "policies/p.py",
            "from companion.gp.posterior import FinitePosterior\nfrom companion.policies.base import Batch\n",
        ),
        ("core/parameters.py", "from companion.core.errors import ParameterError\n"),
        (
            "papers/batched/page/figures.py",
            "from companion.papers.batched import experiments\nfrom companion.papers.batched.experiments.runs import tasks\n"
            "from companion.papers.batched.page import one\nfrom companion.pages import text\n",
        ),
        ("registry/paper.py", "from companion.simulate import Experiment\n"),
        ("cli/run.py", "from companion import papers, __version__\nfrom companion.pages.chapter_runs import run\n"),
        (
            "gp/g.py",
            '"""A module."""\n\n#: As many as fit.\nMOST = 3\n\n\ndef f():\n    """Three."""\n    return MOST\n',
        ),
        ("gp/g.py", "import numpy as np\nr = np.random.default_rng(1)\ng = np.random.Generator(np.random.PCG64(1))\n"),
    ],
)
def test_what_the_rules_allow_is_allowed(name: str, text: str, tmp_path: Path) -> None:
    (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
    (tmp_path / name).write_text(text, encoding="utf-8")
    rules = (import_faults, room_faults, seeding_faults, statement_faults, comment_faults)
    assert [fault for rule in rules for fault in rule(tmp_path)] == []


def test_few_parts_are_to_be_kept_in_mind() -> None:
    assert len([name for names in FLOORS[:-1] for name in names]) - sum(map(len, LIBRARY)) + 1 <= MOST_PARTS


def test_every_chapter_has_the_same_rooms(root: Path) -> None:
    for slug in registry.chapters():
        folder = root / "src" / "companion" / "papers" / slug
        held = {path.relative_to(folder).parts[0] for path in sources(folder)}  # a folder of caches alone is none
        assert held == {"__init__.py", *ROOMS}, slug


def test_the_page_on_the_layout_shows_floors_and_rooms(root: Path) -> None:
    page = (root / "book" / "layout.md").read_text(encoding="utf-8")
    shown = re.findall(r"^\| \d+ \| ((?:`\w+`(?:, )?)+) \|", page, flags=re.MULTILINE)
    assert [set(re.findall(r"`(\w+)`", names)) for names in reversed(shown)] == [set(names) for names in FLOORS[:-1]]
    rooms = page[page.index("## Rooms of a paper") : page.index("## Promises")]
    assert tuple(reversed(re.findall(r"^\| `(\w+)` \|", rooms, flags=re.MULTILINE))) == ROOMS
    picture = re.findall(r'font-weight="600">([^<]+)<', (root / "book/_static/house.svg").read_text(encoding="utf-8"))
    assert tuple(reversed(picture[-len(ROOMS) :])) == ROOMS
    assert [set(name.split(" · ")) for name in reversed(picture[: -len(ROOMS)])] == [
        set(names) for names in FLOORS[:-1]
    ]
