"""What every test shares: the repository's place, which tests are chosen, a banner where the book was not looked at."""

from __future__ import annotations

import gc
import os
from collections.abc import Callable, Generator
from pathlib import Path

import pytest

# Tests are the same whatever a shell has set for runs of its own; these say what tests are to try.
KEPT = {
    *("COMPANION_DATA", "COMPANION_KERNELS", "COMPANION_TEST_PYTHON", "COMPANION_ATTACKS"),
    *("COMPANION_SERIES", "COMPANION_GENERATED", "COMPANION_MESSAGES"),
}
for name in [name for name in os.environ if name.startswith("COMPANION_") and name not in KEPT]:
    del os.environ[name]
os.environ.setdefault("OMP_NUM_THREADS", "1")  # small matrices in several processes gain nothing from more

from companion.core import arithmetic  # noqa: E402

arithmetic.pin()  # before anything imports NumPy

from messages import Recorder  # noqa: E402

from companion import papers  # noqa: E402
from companion.core.errors import nearest  # noqa: E402

# Tables and syntax trees are many small objects that live long; looking through them less often saves a twenty-fifth.
gc.set_threshold(100_000, 20, 50)

ROOT = Path(__file__).resolve().parent.parent
HERE = ROOT / "tests"


#: Slow as a whole: they run studies, ledgers and stored results again, or notebooks. What they rest on has faster tests.
#: Their tests get the mark ``slow`` here; in all other files a slow test has it itself.
SLOW = (
    "papers/*/checks/*.py",
    "papers/*/experiments/test_verdicts.py",
    "papers/*/experiments/test_store.py",
    "papers/*/page/*.py",
    "papers/test_verified.py",  # asks for make verify, which comes after a change and not while it is made
    "pages/test_checking.py",
    "pages/test_execution.py",
    "pages/test_page_record.py",
    "pages/test_running.py",
    "pages/test_typed_over.py",
    "papers/test_provenance.py",
    "classroom/test_archives.py",
    "classroom/test_assignments.py",
    "classroom/test_hostile.py",
    "classroom/test_wheel.py",
    "book/*.py",
    "papers/across/test_[!cr]*.py",  # all but how methods and repeats are told apart
    "papers/across/test_chapter.py",
    "reproduce/crate/*.py",
    "cli/test_many_trials.py",
    "cli/test_new_paper.py",
    "cli/test_sweep_command.py",
    "golden/test_libraries.py",
    "simulate/test_cluster.py",
    "simulate/test_sweep.py",
)


def pytest_addoption(parser: pytest.Parser) -> None:
    """``--paper SLUG``: what belongs to one paper; ``--depth``: of ``make test``, see :mod:`unchanged`."""
    parser.addoption("--paper", metavar="SLUG", help="only the tests of this paper, and those that guard all papers")
    parser.addoption(
        "--depth",
        choices=["changed", "full"],
        help="changed: without slow tests of what is as it was when they were green",
    )


#: Lanes and entries of the evidence whose tests are left out.
LEFT_OUT = pytest.StashKey[list[str]]()


def pytest_configure(config: pytest.Config) -> None:
    """Find out once what may be left out; workers are told."""
    config.stash[LEFT_OUT] = getattr(config, "workerinput", {}).get("left_out", [])
    config.pluginmanager.register(Recorder(), "messages")
    if config.getoption("--depth") and not hasattr(config, "workerinput"):
        from unchanged import Lanes

        lanes = Lanes(config)
        config.pluginmanager.register(lanes)
        config.stash[LEFT_OUT] = lanes.left_out


@pytest.hookimpl(wrapper=True, optionalhook=True)
def pytest_xdist_auto_num_workers(config: pytest.Config) -> Generator[None, int, int]:
    """``-n auto``: a worker more than there are cores; those that wait for a browser or a process of theirs leave a core idle.

    Fast tests wait for nothing, and every worker costs its start.
    """
    count = yield
    fast = config.getoption("markexpr").startswith("not slow")
    return count if fast or "PYTEST_XDIST_AUTO_NUM_WORKERS" in os.environ else count + 1


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """What is slow as a whole and is left out is not even imported: every worker would pay for it."""
    if not _slow_as_a_whole(collection_path):
        return None
    left_out = config.stash[LEFT_OUT]
    return (
        config.getoption("markexpr").startswith("not slow")
        or (bool(left_out) and _lane(collection_path) in left_out)
        or None
    )


def _lane(path: Path) -> str:
    from unchanged import lane_of

    return lane_of(path)


def _slow_as_a_whole(path: Path) -> bool:
    return path.is_relative_to(HERE) and any(path.relative_to(HERE).match(pattern) for pattern in SLOW)


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Mark what is slow as a whole, see :data:`SLOW`; with ``--paper``, keep what looks at that paper or guards them all.

    A test belongs to a paper by its folder, ``tests/papers/<slug>``, or by a parameter that is the paper's slug. Shared
    floors have tests of their own, which are then left out.
    """
    slow = {path for path in {item.path for item in items} if _slow_as_a_whole(path)}
    for item in items:
        if item.path in slow:
            item.add_marker(pytest.mark.slow)
    if left_out := set(config.stash[LEFT_OUT]):
        _keep(config, items, lambda item: _rests_on(item) not in left_out)
    chosen, known = config.getoption("--paper"), papers.chapters()
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


def _rests_on(item: pytest.Item) -> str:
    """The entry of the evidence that a test looks at, or the lane of a slow test; empty for a fast one."""
    entry = item.get_closest_marker("evidence")
    slow = item.get_closest_marker("slow") or item.get_closest_marker("browser")
    return " ".join(entry.args) if entry else _lane(item.path) if slow else ""


def _concerns(item: pytest.Item, chosen: str, known: set[str]) -> bool:
    place = item.path.relative_to(HERE).parts
    parameters = getattr(getattr(item, "callspec", None), "params", {}).values()
    named = {value for value in parameters if isinstance(value, str)} & known
    if place[0] == "papers" and len(place) > 2:
        return place[1] == chosen
    return (chosen in named) if named else len(place) == 1 or place[0] == "papers"


@pytest.fixture(scope="session")
def root() -> Path:
    """The repository."""
    return ROOT


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Say loudly that the browser check did not happen; a skip in a long list is easily missed."""
    skipped = [report for report in terminalreporter.stats.get("skipped", []) if "browser" in report.keywords]
    if skipped:
        terminalreporter.write_sep("!", "THE BOOK WAS NOT LOOKED AT", red=True, bold=True)
        terminalreporter.write_line(
            "No Chromium was found on PATH (chromium, chromium-browser, google-chrome), so untypeset mathematics, TeX\n"
            "errors and outside requests would go unnoticed. On Debian: apt-get install chromium, then make test."
        )
        terminalreporter.write_sep("!", red=True, bold=True)
