"""What every test shares: the repository's place, which tests are chosen, a banner where the book was not looked at."""

from __future__ import annotations

import gc
import os
from collections import Counter
from collections.abc import Callable, Generator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

# Tests are the same whatever a shell has set for runs of its own; these say what tests are to try.
KEPT = {
    *("COMPANION_DATA", "COMPANION_KERNELS", "COMPANION_TEST_PYTHON", "COMPANION_ATTACKS"),
    *("COMPANION_SERIES", "COMPANION_GENERATED", "COMPANION_MESSAGES"),
}
for name in [name for name in os.environ if name.startswith("COMPANION_") and name not in KEPT]:
    del os.environ[name]
os.environ.setdefault("OMP_NUM_THREADS", "1")  # small matrices in several processes gain nothing from more

from companion.core import instruction_set  # noqa: E402

instruction_set.pin()  # before anything imports NumPy

from messages import Recorder  # noqa: E402
from remembered import FAST, SLOW, Remembered, group_of  # noqa: E402

from companion import registry  # noqa: E402
from companion.core.errors import LibraryError, nearest  # noqa: E402
from companion.core.optional_libraries import EXTRAS  # noqa: E402

# Tables and syntax trees are many small objects that live long; looking through them less often saves a twenty-fifth.
gc.set_threshold(100_000, 20, 50)

ROOT = Path(__file__).resolve().parent.parent
HERE = ROOT / "tests"


#: Slow as a whole: they run studies, ledgers and stored results again, or notebooks. What they rest on has faster tests.
#: Their tests get the mark ``slow`` here; in all other files a slow test has it itself.
SLOW_AS_A_WHOLE = (
    "papers/*/checks/*.py",
    "papers/*/experiments/test_verdicts.py",
    "papers/*/experiments/test_store.py",
    "papers/*/page/*.py",
    "pages/test_notebook_checks.py",
    "pages/test_execution.py",
    "pages/test_chapter_runs.py",
    "papers/test_provenance.py",
    "classroom/test_archives.py",
    "classroom/test_assignments.py",
    "classroom/test_hostile.py",
    "classroom/test_wheel.py",
    "book/*.py",
    "papers/across/test_one_definition.py",
    "papers/across/theory/test_[!w]*.py",
    "papers/across/experiments/test_fitted_model.py",
    "papers/across/experiments/test_study*.py",
    "papers/across/experiments/test_tables.py",
    "exports/*.py",
    "cli/test_many_trials.py",
    "cli/test_new_paper.py",
    "cli/test_sweep_command.py",
    "golden/test_libraries.py",
    "simulate/test_cluster.py",
    "simulate/test_sweep.py",
)


def pytest_addoption(parser: pytest.Parser) -> None:
    """``--paper SLUG``: what belongs to one paper; ``--depth``: of ``make test``, see :mod:`remembered`."""
    parser.addoption("--paper", metavar="SLUG", help="only the tests of this paper, and those that guard all papers")
    parser.addoption(
        "--depth",
        choices=["changed", "full"],
        help="changed: without tests of what is as it was when they were green",
    )


#: Groups of tests that are left out, see :func:`remembered.group_of`.
LEFT_OUT = pytest.StashKey[frozenset[str]]()


def pytest_configure(config: pytest.Config) -> None:
    """Find out once what may be left out; workers are told."""
    config.stash[LEFT_OUT] = frozenset(getattr(config, "workerinput", {}).get("left_out", ()))
    config.pluginmanager.register(Recorder(), "messages")
    if config.getoption("--depth") and not hasattr(config, "workerinput"):
        remembered = Remembered(config)
        config.pluginmanager.register(remembered)
        config.stash[LEFT_OUT] = frozenset(remembered.left_out())


@pytest.hookimpl(optionalhook=True)
def pytest_configure_node(node: Any) -> None:
    """Tell a worker what is left out."""
    node.workerinput["left_out"] = sorted(node.config.stash[LEFT_OUT])


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Tell the controller how many tests of each group a worker has collected."""
    if hasattr(session.config, "workeroutput"):
        session.config.workeroutput["groups"] = dict(getattr(session.config, "groups", {}))


@pytest.hookimpl(wrapper=True, optionalhook=True)
def pytest_xdist_auto_num_workers(config: pytest.Config) -> Generator[None, int, int]:
    """``-n auto``: a worker more than there are cores; those that wait for a browser or a process of theirs leave a core idle.

    Fast tests wait for nothing, and every worker costs its start.
    """
    count = yield
    fast = config.getoption("markexpr").startswith("not slow")
    return count if fast or "PYTEST_XDIST_AUTO_NUM_WORKERS" in os.environ else count + 1


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """What is left out as a whole is not even imported: every worker would pay for it."""
    if collection_path.suffix != ".py" or not collection_path.is_relative_to(HERE):
        return None
    name, left_out = collection_path.relative_to(HERE).as_posix(), config.stash[LEFT_OUT]
    if _slow_as_a_whole(collection_path):
        return config.getoption("markexpr").startswith("not slow") or f"{SLOW} {name}" in left_out or None
    return {f"{SLOW} {name}", f"{FAST} {name}"} <= left_out or None


@pytest.hookimpl(wrapper=True)
def pytest_runtest_setup() -> Generator[None, None, None]:
    """What a test needs may need torch; see :func:`pytest_runtest_call`."""
    yield from _skipping()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call() -> Generator[None, None, None]:
    """A test that comes to need torch is skipped where it is not installed; what needs none has to pass there."""
    yield from _skipping()


def _skipping() -> Generator[None, None, None]:
    try:
        yield
    except (ModuleNotFoundError, LibraryError) as error:
        library = (error.name or str(error)).split(".")[0].split()[0]
        if EXTRAS.get(library) not in ("torch", "bench") or find_spec(library):
            raise
        pytest.skip(f"{library} is not installed")


def _slow_as_a_whole(path: Path) -> bool:
    return path.is_relative_to(HERE) and any(path.relative_to(HERE).match(pattern) for pattern in SLOW_AS_A_WHOLE)


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Mark what is slow as a whole, leave out what is remembered; with ``--paper``, keep what looks at it or guards them all.

    A test belongs to a paper by its folder, ``tests/papers/<slug>``, or by a parameter that is the paper's slug, or has it as
    ``paper``; one that asks all papers at once has the mark ``papers``. Other tests of shared floors are left out.
    """
    slow = {path for path in {item.path for item in items} if _slow_as_a_whole(path)}
    for item in items:
        if item.path in slow:
            item.add_marker(pytest.mark.slow)
    groups = {item: group_of(item.location[0], item.keywords) for item in items}
    config.groups = Counter(groups.values())  # type: ignore[attr-defined]
    if left_out := config.stash[LEFT_OUT]:
        _keep(config, items, lambda item: groups[item] not in left_out)
    chosen, known = config.getoption("--paper"), registry.chapters()
    if chosen is None:
        return
    if chosen not in known:
        hint = nearest(chosen, known)
        raise pytest.UsageError(f"--paper: got {chosen!r}, expected one of {', '.join(known)}. {hint}".rstrip())
    _keep(config, items, lambda item: _concerns(item, chosen, set(known)))


def _keep(config: pytest.Config, items: list[pytest.Item], wanted: Callable[[pytest.Item], bool]) -> None:
    """Deselect all others."""
    chosen = [(item, wanted(item)) for item in items]
    config.hook.pytest_deselected(items=[item for item, kept in chosen if not kept])
    items[:] = [item for item, kept in chosen if kept]


def _concerns(item: pytest.Item, chosen: str, known: set[str]) -> bool:
    place = item.path.relative_to(HERE).parts
    parameters = getattr(getattr(item, "callspec", None), "params", {}).values()
    named = {name for value in parameters if isinstance(name := getattr(value, "paper", value), str)} & known
    if item.get_closest_marker("papers"):
        return True
    if place[0] == "papers" and len(place) > 2:
        return place[1] == chosen
    return (chosen in named) if named else len(place) == 1 or place[0] == "papers"


@pytest.fixture(scope="session")
def root() -> Path:
    """The repository."""
    return ROOT


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Say loudly that the browser check did not happen; a skip in a long list is easily missed."""
    skipped = [
        report for report in terminalreporter.stats.get("skipped", []) if "browser" in getattr(report, "keywords", ())
    ]
    if skipped:
        terminalreporter.write_sep("!", "THE BOOK WAS NOT LOOKED AT", red=True, bold=True)
        terminalreporter.write_line(
            "No Chromium was found on PATH (chromium, chromium-browser, google-chrome), so untypeset mathematics, TeX\n"
            "errors and outside requests would go unnoticed. On Debian: apt-get install chromium, then make test."
        )
        terminalreporter.write_sep("!", red=True, bold=True)
