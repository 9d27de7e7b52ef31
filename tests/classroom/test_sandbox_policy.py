"""What each rung of the sandbox promises on the page for instructors, measured from inside; and the filter itself."""

from __future__ import annotations

import ast
import contextlib
import errno
import io
import os
import platform
import re
import tempfile
import time
import tokenize
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from companion.classroom import cleanup, confine, isolation, sandbox
from companion.classroom.interpreter import Interpreter
from companion.classroom.marking import AnswerError
from companion.classroom.sandbox import Sandbox
from companion.classroom.sandbox_policy import PROMISES, RUNGS, Limits
from companion.classroom.session import Session

#: Of the calls that are denied, those that do no harm where they are not.
HARMLESS = """
add_key request_key keyctl process_vm_readv io_uring_setup bpf perf_event_open userfaultfd unshare setns mount
pivot_root fsopen open_tree shmget semget msgget mq_open memfd_create socket name_to_handle_at
open_by_handle_at fanotify_init flock inotify_init1 mincore sysinfo statfs
"""
MEMORY = Limits(memory=400 << 20, total=60.0, cell=10.0, file=1 << 20)

LOOK = """
import ctypes, fcntl, mmap, os, platform, resource, socket, sys, time
libc = ctypes.CDLL(None, use_errno=True)

def went(act, *given):
    try:
        act(*given)
        return True
    except OSError:
        return False

def write(place):
    path = os.path.join(place, 'promise-' + str(os.getuid()))
    with open(path, 'w') as file:
        file.write('x')

def errors(numbers):
    found = {}
    for name, number in numbers.items():
        ctypes.set_errno(0)
        done = libc.syscall(number, *[ctypes.c_long(-1)] * 6)
        found[name] = ctypes.get_errno() if done < 0 else 0
    return found

def look(files, places):
    return {'read': [f for f in files if went(open, f)], 'written': [p for p in places if went(write, p)]}

def noticed():
    # what others could notice, or send to: each of these has to fail
    file = open(os.__file__)
    page = mmap.mmap(file.fileno(), 0, prot=mmap.PROT_READ)
    acts = {'lock': lambda: fcntl.lockf(file, fcntl.LOCK_SH), 'lease': lambda: fcntl.fcntl(file, 1024, fcntl.F_RDLCK),
            'watch': lambda: fcntl.fcntl(os.open('.', os.O_RDONLY), 1026, 1),
            'pages': lambda: os.posix_fadvise(file.fileno(), 0, 9, 4), 'sent out': lambda: page.madvise(21),
            'cached': lambda: os.preadv(file.fileno(), [bytearray(4)], 0, os.RWF_NOWAIT),
            'faults': lambda: resource.getrusage(resource.RUSAGE_SELF), 'of a child': lambda: os.wait4(-1, os.WNOHANG),
            'times': lambda: os.utime('/dev/null'), 'pipe': os.pipe, 'pair': socket.socketpair,
            'handle': lambda: os.pidfd_open(os.getpid()), 'disk': lambda: os.statvfs('.')}
    fine = {'flags': lambda: fcntl.fcntl(file, fcntl.F_GETFL), 'advice': lambda: page.madvise(3)}
    return [name for name in acts if went(acts[name])] + [name for name in fine if not went(fine[name])], platform.node()

def counted():
    # whether the number of a process tells how many there were
    first = os.posix_spawn(sys.executable, [sys.executable, '-c', ''], {})
    return os.waitpid(first, 0)[0] > 1000

def signal(grader):
    try:
        os.kill(grader, 0)
        return 'can be killed'
    except ProcessLookupError:
        return 'invisible'
    except PermissionError:
        return 'get no signal'

def fill():
    return [went(lambda: open(f'big-{n}', 'wb').write(bytes(900_000))) for n in range(4)], went(
        lambda: open('huge', 'wb').write(bytes(2_000_000)))

def family(count):
    made = 0
    for _ in range(count):
        try:
            if os.fork() == 0:
                time.sleep(1)
                os._exit(0)
        except OSError:
            break
        made += 1
    return made

def sleep():
    time.sleep(99)

def hoard():
    alone = not went_memory(450 << 20)
    child = os.fork()
    mine = bytearray(250 << 20)
    if child == 0:
        time.sleep(0.5)
        os._exit(0)
    return alone, os.waitpid(child, 0)[1] == 0

def went_memory(size):
    try:
        bytearray(size)
        return True
    except MemoryError:
        return False

def stay(marker):
    os.posix_spawn(sys.executable, [sys.executable, '-c', 'import time; time.sleep(30); ' + repr(marker)], {}, setsid=True)
    return went(write, '/tmp')
"""


@pytest.fixture(params=RUNGS)
def rung(request: pytest.FixtureRequest, rungs: Callable[[str | None], Sandbox | str]) -> Iterator[Sandbox]:
    """Each rung, the last one too."""
    if request.param == "none":
        if os.geteuid() != 0:
            pytest.skip("its limit on processes counts those of the tests")
        with isolation.opened("none", no_sandbox=True) as box:
            yield box
        return
    found = rungs(request.param)
    if isinstance(found, str):
        pytest.skip(found)
    yield found


def column() -> int:
    return confine.ARCHITECTURES[platform.machine()][0]


def promised(box: Sandbox, name: str) -> str:
    return PROMISES[name][RUNGS.index(box.rung)]


@pytest.mark.slow
def test_every_promise_is_measured(rung: Sandbox) -> None:
    """One line for each line of the table on the page; a starred word holds where its mechanism is there."""
    lacks = rung.lacks or {}
    landlocked = rung.rung != "none" and "landlock" not in lacks
    numbers = {
        name: each[column()] for name, each in confine.DENIED.items() if name in HARMLESS.split() or rung.rung != "none"
    }
    numbers = {name: number for name, number in numbers.items() if number is not None}
    outside = Path(tempfile.mkdtemp(prefix="promise-"))
    outside.chmod(0o777)
    (outside / "file").write_text("x")
    (outside / "file").chmod(0o644)
    files = [str(outside / "file"), "/etc/hostname", "/proc/self/mountinfo", os.__file__]
    places = [str(outside), "/var/tmp", "/dev/shm", "/run/lock", "/tmp", "."]
    marker = f"promise-{os.getpid()}-{time.monotonic_ns()}"
    with Session(rung, [LOOK], {}, MEMORY) as session:

        def ask(name: str, *given: Any) -> Any:
            return session.call(name, given, 20.0)

        user = session.sandbox.user or os.geteuid()
        denied = ask("errors", numbers)
        seen = ask("look", files, places)
        signal = ask("signal", os.getpid())
        (noticed, node), hidden = ask("noticed"), rung.rung == "bubblewrap"
        counted = ask("counted")
        fits, huge = ask("fill")
        alone, together = ask("hoard")
        with pytest.raises(AnswerError, match="no answer within"):
            session.call("sleep", (), 1.0)
        stays = ask("stay", marker)
        count = ask("family", 40)
    deadline = time.monotonic() + (
        0.0 if rung.rung == "none" else 60.0
    )  # a killed one is in sight until it is waited for
    while True:
        alive = [p for p in Path("/proc").glob("[0-9]*/cmdline") if marker.encode() in _bytes(p)]
        if not alive or time.monotonic() > deadline:
            break
        time.sleep(0.05)
    left = [p for p in (*places[:-1],) if os.path.exists(f"{p}/promise-{user}")]
    for place in left:
        os.unlink(f"{place}/promise-{user}")
    for process in alive:
        with contextlib.suppress(ProcessLookupError):
            os.kill(int(process.parent.name), 9)
    os.unlink(outside / "file")
    outside.rmdir()

    def holds(name: str, **words: bool) -> None:
        told = {word.replace("_", " "): fine for word, fine in words.items()}
        assert told, (rung.rung, name)
        assert all(told.values()), (rung.rung, name, promised(rung, name), told)

    none = {name: number == errno.EPERM for name, number in denied.items()}
    notes = "notes to others by locks, leases, watches and the page cache"
    for name in (
        "network",
        "keyrings",
        "System V objects, message queues, memfd",
        "io_uring, bpf, ptrace, perf",
        notes,
    ):
        assert promised(rung, name) == "none"
    assert promised(rung, "new namespaces and mounts") == "none"
    assert all(none.values()), (rung.rung, denied)

    assert noticed == []
    assert (node == "sandbox") == hidden
    assert not (hidden and counted)
    assert promised(rung, "name, load and disk of the machine") == ("none" if hidden else "its name")

    reads = promised(rung, "files to read")
    assert files[3] in seen["read"] or rung.rung != "none"
    if reads == "yours":
        holds("files to read", own=files[0] in seen["read"])
    elif "else" not in reads or landlocked:
        holds("files to read", others=not {files[0], files[1]} & set(seen["read"]))
    writes = promised(rung, "files to write")
    others = {p for p in seen["written"] if p not in (".", "/tmp")}
    if writes == "yours":
        holds("files to write", own=str(outside) in others)
    elif "else" not in writes or landlocked:
        holds("files to write", scratch="." in seen["written"], others=not others)
        holds("files to write", tmp=("/tmp" in seen["written"]) == (rung.rung != "container"))
    holds(
        "size of the scratch folder",
        file=not huge,
        folder=all(fits) == promised(rung, "size of the scratch folder").endswith("file"),
    )
    shown, hosts = files[2] in seen["read"], promised(rung, "paths of the host in /proc")
    holds(
        "paths of the host in /proc",
        shown=shown == (hosts == "shown" or ("*" in hosts and not landlocked)),
    )
    assert signal == promised(rung, "other processes")
    holds("memory", alone=alone, together=together == ("cgroup" in lacks or rung.rung == "none"))
    if promised(rung, "processes and threads") == "16":
        assert 8 <= count <= MEMORY.processes
    nothing = promised(rung, "left afterwards") == "nothing"
    holds(
        "left afterwards",
        files=not left if nothing else bool(left),
        processes=not alive if nothing else stays and bool(alive),
    )


def _bytes(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError:
        return b""


# The mechanisms, one by one ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("machine", "header"),
    [("x86_64", "/usr/include/x86_64-linux-gnu/asm/unistd_64.h"), ("aarch64", "/usr/include/asm-generic/unistd.h")],
)
def test_numbers_are_those_of_the_headers(machine: str, header: str) -> None:
    if not Path(header).is_file():
        pytest.skip("no headers of the kernel here")
    text = Path(header).read_text()
    known = {name: int(number) for name, number in re.findall(r"#define __NR(?:3264)?_(\w+)\s+(\d+)", text)}
    index = confine.ARCHITECTURES[machine][0]
    calls = {**confine.DENIED, "clone": confine.CLONE, "clone3": confine.CLONE3}
    for name, numbers in calls.items():
        if name in known:  # the youngest may be missing in older headers
            assert numbers[index] == known[name], name


def test_the_filter_is_a_program_without_loose_ends() -> None:
    """Every jump leads into the program, the last instruction returns, and another architecture is known as unknown."""
    for machine in confine.ARCHITECTURES:
        code = confine.program(machine)
        steps = [code[start : start + 8] for start in range(0, len(code), 8)]
        assert steps[-1][0] == confine.RETURN
        for place, step in enumerate(steps):
            if step[0] & 7 == 5:
                assert place + 1 + max(step[2], step[3]) < len(steps)
    with pytest.raises(OSError, match="not known"):
        confine.program("riscv64")


@pytest.mark.slow
def test_sets_have_the_same_order_in_every_worker(rung: Sandbox) -> None:
    cell = "order = list({str(n) for n in range(50)})"
    orders = []
    for _ in range(3):
        with Session(rung, [cell], {}, Limits()) as session:
            orders.append(session.value("order", 20.0))
    assert orders[0] == orders[1] == orders[2] != sorted(orders[0])


@pytest.mark.slow
def test_a_session_never_lasts_longer_than_its_total(confined: Sandbox) -> None:
    """Deaf, dying in every cell, and telling progress: all at once, and many times."""
    deaf = "import os, time\nos.close(3)\ntime.sleep(0.2)\nos._exit(0)"
    told = "import os\nfor _ in range(10**6):\n    os.write(4, b'{\"cell\":0}\\n')"
    with Session(confined, [deaf, told] * 30, {}, Limits(total=4.0)) as session:
        for _ in range(5):
            with pytest.raises(AnswerError):
                session.value("x", 5.0)
        assert session._until is not None
        assert time.monotonic() < session._until + 30.0, "the total, and the end of the last worker"
        with pytest.raises(AnswerError, match="used up"):
            session.value("x", 5.0)


@pytest.mark.slow
def test_a_session_starts_so_many_workers_and_no_more(confined: Sandbox) -> None:
    with Session(confined, ["import os\nos._exit(0)"] * 40 + ["x = 1"], {}, Limits()) as session:
        session.run()
        with pytest.raises(AnswerError, match="ended 20 times"):
            session.value("x", 5.0)


def test_what_a_killed_grader_has_left_is_swept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    for name in ("companion-kit-old", "companion-scratch-1-new", "another-old"):
        (tmp_path / name / "deep").mkdir(parents=True)
        if name.endswith("old"):
            os.utime(tmp_path / name, (0, 0))
    (tmp_path / "companion-kit-link").symlink_to(tmp_path / "another-old")
    with cleanup.scratch_folder() as held:
        os.utime(held, (0, 0))
        cleanup.sweep()
        assert held.is_dir(), "it is in use"
    assert sorted(os.listdir(tmp_path)) == ["another-old", "companion-kit-link", "companion-scratch-1-new"]
    assert (tmp_path / "another-old" / "deep").is_dir()


def test_two_graders_never_have_the_same_user(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sandbox.os, "geteuid", lambda: 0)
    box = Sandbox("container", Interpreter("python", "/", "/", (), {}), tmp_path)
    with box.for_one() as first, box.for_one() as second:
        assert first.user != second.user
        with first.for_one() as same:
            assert same.user == first.user
    with box.for_one() as third:
        assert third.user == first.user


def test_a_scope_of_systemd_is_asked_for_where_it_answers(
    confined: Sandbox, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With a program of that name which does what one is needed for: it starts the rest of its words."""
    fake = tmp_path / "systemd-run"
    fake.write_text('#!/bin/sh\necho "$@" >> "$0.said"\nwhile [ "$1" != -- ]; do shift; done; shift; exec "$@"\n')
    fake.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    with isolation.opened() as box:
        assert box.lacks is not None
        assert "cgroup" not in box.lacks
        with Session(box, ["x = 1"], {}, Limits(memory=1 << 30)) as session:
            assert session.value("x", 20.0) == 1
    said = Path(f"{fake}.said").read_text()
    assert "MemoryMax=1073741824" in said
    assert "TasksMax=24" in said


# What has to be trusted ------------------------------------------------------------------------------------------------

#: What runs with all rights given up: in the worker, or where files are looked at.
INSIDE = {"worker", "confine", "notebook_text", "archives", "confined_look", "similarity"}
#: Lines of code, of what runs beside keys or reads what a student's process says, and of all that it imports here.
MOST_TRUSTED = 2000


def _imported(path: Path) -> set[str]:
    """Names of the modules of the classroom that one imports."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("companion.classroom"):
            found |= {node.module.rpartition(".")[2], *(alias.name for alias in node.names)}  # type: ignore[union-attr]
    return found


def _lines_of_code(path: Path) -> int:
    """Lines that do something: no comment, no docstring, none that is empty."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    documented = ast.Module | ast.ClassDef | ast.FunctionDef
    told = {id(n.body[0]) for n in ast.walk(tree) if isinstance(n, documented) and ast.get_docstring(n)}
    tokens = tokenize.generate_tokens(io.StringIO(path.read_text(encoding="utf-8")).readline)
    nothing = (tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT, tokenize.ENDMARKER)
    lines = {line for one in tokens if one.type not in nothing for line in range(one.start[0], one.end[0] + 1)}
    for node in ast.walk(tree):
        if id(node) in told:
            lines -= set(range(node.lineno, node.end_lineno + 1))  # type: ignore[attr-defined]
    return len(lines)


def test_what_has_to_be_trusted_stays_small_and_parses_no_file() -> None:
    here, trusted, waiting = Path(sandbox.__file__).parent, set(), ["grading", "grader"]
    while waiting:
        name = waiting.pop()
        path = here / f"{name}.py"
        if name in trusted | INSIDE or not path.is_file():
            continue
        trusted.add(name)
        waiting += _imported(path)
        text = path.read_text(encoding="utf-8")
        assert not re.search(
            r"^\s*(import|from) (zipfile|tarfile|nbformat)\b|archives|\bnotebook\(content", text, re.MULTILINE
        ), name
    assert sum(_lines_of_code(here / f"{name}.py") for name in trusted) <= MOST_TRUSTED
