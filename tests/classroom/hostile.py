"""Submissions that try to get more than they earned, or to do harm. Each replaces the answer to the first question.

The other two questions are answered rightly, so that 7 points are honest. ``keeps`` says whether these have to be
given: where the attack ends or blocks its process in a way that costs the other questions only what it must.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Attack:
    name: str
    code: str
    keeps: bool = True


HONEST = 7

RIGHT_SIZES = """
def right(T):
    import math
    sizes, rest, last = [], T, 1
    while rest > 0:
        last = math.isqrt(T * last - 1) + 1
        sizes.append(min(last, rest))
        rest -= sizes[-1]
    return sizes
"""

ATTACKS = [
    Attack("endless loop while the cells run", "while True:\n    pass"),
    Attack(
        "endless loop that catches the interruption",
        "while True:\n    try:\n        while True:\n            pass\n    except BaseException:\n        pass",
    ),
    Attack(
        "endless loop with the clock turned off",
        "import signal\nsignal.setitimer(signal.ITIMER_REAL, 0)\nsignal.signal(signal.SIGALRM, signal.SIG_IGN)\n"
        "while True:\n    pass",
    ),
    Attack("endless loop when called", "def original_sizes(T):\n    while True:\n        pass"),
    Attack("sleeps when called", "import time\ndef original_sizes(T):\n    time.sleep(10**6)"),
    Attack("sys.exit", "import sys\nsys.exit(0)"),
    Attack("os._exit while the cells run", "import os\nos._exit(0)"),
    Attack("os._exit when called", "import os\ndef original_sizes(T):\n    os._exit(0)"),
    Attack("kills itself", "import os\ndef original_sizes(T):\n    os.kill(os.getpid(), 9)\n    os.abort()"),
    Attack("deep recursion", "def original_sizes(T):\n    return original_sizes(T)"),
    Attack(
        "recursion without a limit",
        "import sys\nsys.setrecursionlimit(10**9)\ndef original_sizes(T):\n    return [original_sizes(T)]",
    ),
    Attack(
        "an answer nested deeply",
        "def original_sizes(T):\n    a = []\n    for _ in range(10**5):\n        a = [a]\n    return a",
    ),
    Attack("an answer that holds itself", "def original_sizes(T):\n    a = []\n    a.append(a)\n    return a"),
    Attack("memory", "def original_sizes(T):\n    return bytearray(60 << 30)"),
    Attack(
        "memory, in small pieces",
        "hoard = []\ndef original_sizes(T):\n    while True:\n        hoard.append([0] * 10**6)",
    ),
    Attack(
        "fork bomb",
        "import os\ndef bomb():\n    for _ in range(1000):\n        try:\n            os.fork()\n"
        "        except OSError:\n"
        "            pass\ndef original_sizes(T):\n    bomb()",
        keeps=False,  # its children answer too, and each other's questions
    ),
    Attack(
        "threads without end",
        "import threading, time\ndef original_sizes(T):\n    while True:\n"
        "        threading.Thread(target=time.sleep, args=(99,)).start()",
    ),
    Attack(
        "flood of output",
        "import sys\nfor _ in range(2000):\n    print('x' * 10**5)\n    sys.stderr.write('y' * 10**5)",
    ),
    Attack(
        "flood of the answers' pipe",
        "import os\ndef original_sizes(T):\n    while True:\n        os.write(4, b'x' * 10**6)",
    ),
    Attack("a huge answer", "def original_sizes(T):\n    return ['x' * 10**6] * 50"),
    Attack(
        "forged answers in advance",
        "import os\nfor _ in range(200):\n    os.write(4, b'{\"is\":true}\\n')\ndef original_sizes(T):\n    return []",
        keeps=False,  # its answers to the other questions come after the forged ones, so that it fails itself
    ),
    Attack(
        "forged marks",
        'import os\nos.write(4, b\'{"earned":99,"score":99,"ran":true}\\n\')\ndef original_sizes(T):\n    return {}',
        keeps=False,
    ),
    Attack(
        "forged answers nested deeply",
        "import os\ndef original_sizes(T):\n    os.write(4, b'{\"is\":' + b'[' * 800 + b']' * 800 + b'}\\n')",
        keeps=False,  # one answer too many, which is taken for that to the next question
    ),
    Attack(
        "a forged cell that is no number",
        "import os\nos.write(4, b'{\"cell\":Infinity}\\n')\ndef original_sizes(T):\n    return []",
        keeps=False,
    ),
    Attack("NaN", "def original_sizes(T):\n    return [float('nan')] * 5"),
    Attack(
        "a number equal to everything",
        "class Any(int):\n    __eq__ = lambda *_: True\n    __ne__ = lambda *_: False\n    __hash__ = int.__hash__\n"
        "    __gt__ = __ge__ = __lt__ = __le__ = lambda *_: True\ndef original_sizes(T):\n    return [Any(1)] * 5",
    ),
    Attack(
        "a list that is as long as asked for",
        "class All(list):\n    __len__ = lambda s: 5\n    __iter__ = lambda s: iter([1] * 5)\n"
        "    __eq__ = lambda *_: True\n"
        "def original_sizes(T):\n    return All()",
    ),
    Attack(
        "an object that unpickles to a command",
        "import os\nclass Bomb:\n    def __reduce__(self):\n        return os.system, ('touch /tmp/unpickled',)\n"
        "def original_sizes(T):\n    return Bomb()",
    ),
    Attack("an integer of a million digits", "def original_sizes(T):\n    return [10 ** (10**6)]"),
    Attack(
        "NumPy and builtins replaced",
        "import builtins, json, numpy\nnumpy.array_equal = lambda *_: True\nnumpy.allclose = lambda *_, **__: True\n"
        "builtins.sum = lambda *_: 0\nbuiltins.all = lambda *_: True\njson.dumps = lambda *_, **__: '{\"is\": true}'\n"
        "def original_sizes(T):\n    return []",
        keeps=False,  # the other answers use what it has replaced
    ),
    Attack(
        "the worker's functions replaced",
        "import gc, sys, types\nfor space in [sys.modules['__main__'].__dict__, sys._getframe(1).f_globals]:\n"
        "    for name in ('answer', 'pack', 'line', 'limit'):\n        if name in space:\n"
        "            space[name] = lambda *_, **__: {'is': True}",
        keeps=False,
    ),
    Attack(
        "limits raised",
        "import resource\nfor kind in (resource.RLIMIT_AS, resource.RLIMIT_CPU, resource.RLIMIT_NPROC):\n    try:\n"
        "        resource.setrlimit(kind, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))\n"
        "    except (OSError, ValueError):\n"
        "        pass\nhoard = []\ndef original_sizes(T):\n    while True:\n        hoard.append(bytearray(1 << 28))",
    ),
    Attack("the package as the key", "from companion.papers.batched.method.sizes import original_sizes"),
    Attack(
        "the package looked for",
        "import sys\nsys.path[:0] = {places!r}\nfrom companion.papers.batched.method.sizes import original_sizes",
    ),
    Attack(
        "hidden checks looked for",
        "import os\nfound = []\nfor root in {places!r}:\n    for folder, _, files in os.walk(root):\n"
        "        found += [os.path.join(folder, f) for f in files if f in ('ch3_sizes.py', 'course.secret', "
        "'sizes.py')]\n"
        "for path in found:\n    exec(open(path).read())",
    ),
    Attack(
        "writes and deletes",
        "import os\nfor place in {victims!r}:\n    for act in (lambda p: open(p, 'w').write('x'), os.remove):\n"
        "        try:\n"
        "            act(place)\n        except OSError:\n            pass",
    ),
    Attack(
        "fills the disk",
        "import os\ntry:\n    for n in range(30):\n        with open(f'/tmp/fill-{n}', 'wb') as f:\n"
        "            f.write(bytes(10 << 20))\nexcept OSError:\n    pass",
    ),
    Attack(
        "sockets",
        "import socket\ntry:\n    socket.create_connection(('127.0.0.1', {port}), timeout=2).sendall(b'secret')\n"
        "except OSError:\n    pass",
    ),
    Attack(
        "kills the parent, and everything else",
        "import os\nfor target in (os.getppid(), {grader}, -1):\n    try:\n        if target > 1 or target == -1:\n"
        "            os.kill(target, 9)\n    except OSError:\n        pass",
    ),
    Attack(
        "children that survive",
        "import subprocess, sys\ntry:\n    for _ in range(3):\n"
        "        subprocess.Popen(['/bin/sh', '-c', 'sleep 300; : {marker}'], start_new_session=True)\n"
        "except OSError:\n    pass",
    ),
    Attack("shell lines and magics", "!touch /tmp/by-shell\n%system touch /tmp/by-magic\nx = !touch /tmp/by-value"),
    Attack("a cell for another shell", "%%bash\ntouch /tmp/by-bash"),
    Attack(
        "an error whose text never ends",
        "class Endless(BaseException):\n    def __str__(self):\n        return 'x' * 10**8\n"
        "def original_sizes(T):\n    raise Endless",
    ),
    Attack("text for the feedback page", "def original_sizes(T):\n    raise ValueError('<script>alert(1)</script>')"),
]

_C = "import ctypes, os, signal\nlibc = ctypes.CDLL(None, use_errno=True)\n"
_TELL = "import os\ndef original_sizes(T):\n    os.write(4, {line!r})\n    return [T]"
_QUIET = "def quiet(act, *given):\n    try:\n        return act(*given)\n    except Exception:\n        pass\n"


def _told(name: str, line: bytes, keeps: bool = True) -> Attack:
    """Something written to the answers' pipe when called."""
    return Attack(name, _TELL.format(line=line), keeps)


def _tried(name: str, code: str, keeps: bool = True) -> Attack:
    """Acts that must fail, each on its own."""
    return Attack(name, _C + _QUIET + code, keeps)


#: Against the time, the memory and the disk of the grader: others wait for it.
AVAILABILITY = [
    Attack(
        "half a line of an answer", "import os, time\ndef original_sizes(T):\n    os.write(4, b'{')\n    time.sleep(99)"
    ),
    Attack(
        "one byte at a time",
        "import os, time\ndef original_sizes(T):\n    while True:\n        os.write(4, b' ')\n        time.sleep(0.01)",
    ),
    Attack(
        "a forged answer of three megabytes of brackets",
        "import os\ndef original_sizes(T):\n    for n in range(1, 6):\n"
        "        os.write(4, b'{\"id\":%d,\"is\":[' % n + b'[],' * 10**6 + b'1]}\\n')",
        keeps=False,
    ),
    Attack("a thousand integers of 3900 digits", "def original_sizes(T):\n    return [10**3900] * 1000"),
    Attack("two hundred thousand dicts", "def original_sizes(T):\n    return [{'a': 1}] * 200_000"),
    Attack(
        "an expression that takes for ever to match",
        "import re\ndef original_sizes(T):\n    return re.match('(a+)+$', 'a' * 60 + 'b')",
    ),
    Attack("a power of a power of a power", "x = 9**9**9"),
    Attack("a null pointer", "import ctypes\ndef original_sizes(T):\n    return ctypes.string_at(0)"),
    Attack("an expression too deep for the compiler", "eval('-' * 10**6 + '1')"),
    Attack("stops its group", "import os, signal\ndef original_sizes(T):\n    os.killpg(0, signal.SIGSTOP)"),
    Attack(
        "zombies",
        "import os\nfor _ in range(100):\n    try:\n        if not os.fork():\n            os._exit(0)\n"
        "    except OSError:\n        pass",
    ),
    Attack(
        "a child that keeps the pipes open",
        "import os, time\ndef original_sizes(T):\n    if os.fork() == 0:\n        time.sleep(300)\n    os._exit(0)",
    ),
    Attack(
        "a child that reads the requests",
        "import os\nif os.fork() == 0:\n    while os.read(3, 1 << 16):\n        pass",
        keeps=False,
    ),
    Attack(
        "files without number",
        "import os\ntry:\n    for n in range(10**6):\n        open(f'fill-{n}', 'x').close()\nexcept OSError:\n    pass",
    ),
    Attack(
        "folders in folders in folders",
        "import os\ntry:\n    for _ in range(5000):\n        os.mkdir('fill-d')\n        os.chdir('fill-d')\n"
        "except OSError:\n"
        "    pass",
    ),
    Attack(
        "a file of a thousand gigabytes",
        "import os\nwith open('fill-sparse', 'wb') as f:\n    os.ftruncate(f.fileno(), 10**12)",
    ),
    Attack(
        "a fifo that nobody reads",
        "import os\ndef original_sizes(T):\n    os.mkfifo('fill-p')\n    open('fill-p', 'w')",
    ),
    Attack(
        "processes that come and go",
        "import os\nwhile True:\n    try:\n        pid = os.posix_spawn('/bin/true', ['true'], {})\n"
        "        os.waitpid(pid, 0)\n"
        "    except OSError:\n        pass",
    ),
    Attack(
        "address space reserved",
        "import mmap\nheld = []\ntry:\n    while True:\n"
        "        held.append(mmap.mmap(-1, 1 << 28, flags=mmap.MAP_PRIVATE | 0x4000))\n"
        "except (OSError, ValueError, MemoryError):\n    held.clear()",
    ),
    Attack(
        "its own limits lowered",
        "import resource\nfor kind in (resource.RLIMIT_FSIZE, resource.RLIMIT_STACK, resource.RLIMIT_NPROC):\n"
        "    resource.setrlimit(kind, (0, 0))",
    ),
    Attack(
        "a timer that rings in the worker",
        "import signal\ndef ring(*_):\n    raise SystemExit\ndef original_sizes(T):\n"
        "    signal.signal(signal.SIGVTALRM, ring)\n"
        "    signal.setitimer(signal.ITIMER_VIRTUAL, 1e-3, 1e-3)\n    return [T]",
        keeps=False,
    ),
    Attack(
        "a finaliser that does not end",
        "class End:\n    def __del__(self):\n        while True:\n            pass\nend = End()\n"
        "def original_sizes(T):\n    raise SystemExit",
    ),
    Attack(
        "the smallest pipe",
        "import fcntl\nfor n in (3, 4):\n    fcntl.fcntl(n, 1031, 4096)\ndef original_sizes(T):\n    return [1] * 10**6",
    ),
    Attack(
        "a pipe that does not block",
        "import os\nos.set_blocking(4, False)\ndef original_sizes(T):\n    return [1] * 10**6",
    ),
]

#: Against marks: what is written to the grader beside answers.
FORGED = [
    _told("a number below zero", b'{"id":-1,"is":[1]}\n'),
    _told("a number that is true", b'{"id":true,"is":[1]}\n'),
    _told("a number with a point", b'{"id":1.0,"is":[1]}\n'),
    _told("a number of 4000 digits", b'{"id":' + b"9" * 4000 + b',"is":[1]}\n'),
    _told("two numbers in one reply", b'{"id":1,"is":[1],"id":99}\n'),
    _told("a reply to the next request", b'{"id":7,"is":[1]}\n'),
    _told("late replies without end", b'{"id":0,"is":[1]}\n' * 2000),
    _told("a list in the place of a reply", b"[1]\n"),
    _told("no UTF-8", b'{"id":1,"is":"\xff\xfe"}\n'),
    _told("an empty line", b"\n\n\n"),
    _told("marks in the place of an answer", b'{"id":1,"earned":99}\n', keeps=False),
    _told(
        "a shape larger than the array",
        b'{"id":1,"is":{"array":[1],"shape":[999999999,9],"type":"int64"}}\n',
        keeps=False,
    ),
    _told("an array of words", b'{"id":1,"is":{"array":["1"],"shape":[1],"type":"int64"}}\n', keeps=False),
    _told("an array of a type that is none", b'{"id":1,"is":{"array":[1],"shape":[1],"type":"object"}}\n', keeps=False),
    _told("not a number, as JSON has none", b'{"id":1,"is":[NaN,Infinity]}\n', keeps=False),
    Attack(
        "replies to all that will be asked",
        'import os\nfor n in range(40):\n    os.write(4, b\'{"id":%d,"is":true}\\n\' % n)',
        keeps=False,
    ),
    Attack(
        "all cells told in advance",
        "import os\nfor n in range(9):\n    os.write(4, b'{\"cell\":%d}\\n' % n)",
        keeps=False,
    ),
    Attack("the error of a later cell", 'import os\nos.write(4, b\'{"cell":2,"error":"x"}\\n\')', keeps=False),
    Attack("the end of the cells before it", "import os\nos.write(4, b'{\"ran\":true}\\n')", keeps=False),
    Attack("a cell without a name", "import os\nos.write(4, b'{\"cell\":null}\\n')", keeps=False),
    Attack(
        "an error of a megabyte",
        "import os\nos.write(4, b'{\"cell\":0,\"error\":\"' + b'x' * 10**6 + b'\"}\\n')",
        keeps=False,
    ),
    Attack("printing goes to the grader", "import os\nos.dup2(4, 1)\nos.write(1, b'12 of 12 points\\n')", keeps=False),
    Attack(
        "a traceback into the answers",
        "import faulthandler\ndef original_sizes(T):\n    faulthandler.dump_traceback(4)\n    return [T]",
    ),
    Attack(
        "a thread that answers later",
        "import os, threading, time\ndef late():\n    time.sleep(0.2)\n    os.write(4, b'{\"is\":1}\\n')\n"
        "def original_sizes(T):\n    threading.Thread(target=late).start()\n    return [T]",
        keeps=False,
    ),
    Attack(
        "a class whose class equals everything",
        "class Any(type):\n    __eq__ = lambda *_: True\n    __hash__ = type.__hash__\n"
        "class Same(metaclass=Any):\n    pass\n"
        "def original_sizes(T):\n    return Same()",
    ),
    Attack("an array of objects", "import numpy\ndef original_sizes(T):\n    return numpy.array([object()] * 5)"),
    Attack("half a surrogate as a key", "def original_sizes(T):\n    return {'\\ud800': [1]}"),
    Attack("quotation marks that close", "raise ValueError('x” GRADER: 12 of 12 “')"),
]

#: Against what is outside: files, processes, the kernel.
OUTSIDE = [
    _tried(
        "sockets of every family",
        "import socket\nfor family in range(1, 46):\n"
        "    s = quiet(socket.socket, family, 3) or quiet(socket.socket, family, 1)\n    if s:\n"
        "        quiet(s.connect, ('127.0.0.1', {port}))\n        quiet(s.bind, '\\0x')",
    ),
    _tried(
        "a name looked up",
        "import socket\nquiet(socket.getaddrinfo, 'localhost', {port})\n"
        "quiet(socket.create_connection, ('::1', {port}), 1)",
    ),
    _tried(
        "calls of another architecture",
        "import mmap\ndef original_sizes(T):\n    page = mmap.mmap(-1, 4096, prot=7)\n"
        "    page.write(bytes([0xB8, 20, 0, 0, 0, 0xCD, 0x80, 0xC3]))\n"
        "    return ctypes.CFUNCTYPE(ctypes.c_int)(ctypes.addressof(ctypes.c_char.from_buffer(page)))()",
    ),
    _tried("x32 numbers", "for n in (41, 101, 250, 272):\n    libc.syscall(0x40000000 | n, 2, 1, 0, 0)"),
    _tried(
        "a namespace by clone",
        "for flag in (0x10000000, 0x20000, 0x40000000):\n    if libc.syscall(56, flag | 17, 0, 0, 0, 0) == 0:\n"
        "        os._exit(0)",
    ),
    _tried(
        "clone3", "made = (ctypes.c_uint64 * 11)(0x10000000)\nif libc.syscall(435, made, 88) == 0:\n    os._exit(0)"
    ),
    _tried("a debugger for the grader", "for pid in (os.getppid(), {grader}, 1):\n    libc.ptrace(16, pid, 0, 0)"),
    _tried(
        "the grader's memory",
        "import ctypes as c\nb = c.create_string_buffer(64)\nv = (c.c_void_p * 2)(c.addressof(b), 64)\n"
        "for pid in ({grader}, 1):\n    libc.process_vm_writev(pid, v, 1, (c.c_void_p * 2)(0x400000, 64), 1, 0)",
    ),
    _tried(
        "a handle on the grader",
        "fd = quiet(os.pidfd_open, {grader})\nif fd:\n    quiet(signal.pidfd_send_signal, fd, 9)\n"
        "    libc.syscall(438, fd, 0, 0)",
    ),
    _tried(
        "priorities and processors of the grader",
        (
            "quiet(os.setpriority, 0, {grader}, 19)\nquiet(os.setpriority, 2, 0, 19)\n"
            "quiet(os.sched_setaffinity, {grader}, {{0}})"
        )
        .replace("{{", "{")
        .replace("}}", "}"),
    ),
    _tried("limits of the grader", "import resource\nquiet(resource.prlimit, {grader}, resource.RLIMIT_CPU, (1, 1))"),
    _tried(
        "the next to be killed",
        "for pid, value in (('self', -1000), ({grader}, 1000), (1, 1000)):\n"
        "    quiet(lambda: open(f'/proc/{pid}/oom_score_adj', 'w').write(str(value)))",
    ),
    _tried(
        "settings of the kernel",
        "for name in ('core_pattern', 'hostname', 'sysrq', 'modprobe'):\n"
        "    quiet(lambda: open('/proc/sys/kernel/' + name, 'w').write('x'))",
    ),
    _tried(
        "control groups",
        "quiet(os.mkdir, '/sys/fs/cgroup/fill-x')\nquiet(lambda: open('/sys/fs/cgroup/cgroup.procs', 'w').write('0'))",
    ),
    _tried(
        "disks and memory of the machine",
        "for name in ('vda', 'sda', 'mem', 'kmsg', 'port', 'fuse', 'kvm', 'uinput', 'loop-control'):\n"
        "    quiet(os.open, '/dev/' + name, 2)",
    ),
    _tried("a device of its own", "quiet(os.mknod, 'disk', 0o60666, os.makedev(254, 0))\nquiet(os.open, 'disk', 2)"),
    _tried(
        "programs with rights",
        "import subprocess\n"
        "for c in (['su', '-c', 'touch /tmp/by-su'], ['sudo', '-n', 'touch', '/tmp/by-sudo'], ['mount', "
        "'-t', 'tmpfs', 'x', '/tmp']):\n    quiet(lambda: subprocess.run(c, timeout=1, stdin=subprocess.DEVNULL))",
    ),
    _tried(
        "root again",
        "for act in (os.setuid, os.seteuid, os.setgid):\n    quiet(act, 0)\nquiet(os.setgroups, [0])\n"
        "quiet(os.setresuid, 0, 0, 0)",
    ),
    _tried(
        "rights taken",
        "head = (ctypes.c_uint32 * 2)(0x20080522, 0)\n"
        "libc.capset(head, (ctypes.c_uint32 * 6)(*[0xFFFFFFFF] * 6))\nlibc.prctl(38, 0, 0, 0, 0)",
    ),
    _tried(
        "a root of its own",
        "quiet(os.mkdir, 'r')\nquiet(os.chroot, 'r')\nlibc.mount(b'/', b'r', None, 4096, None)\n"
        "libc.syscall(428, -100, b'/', 1)",
    ),
    _tried(
        "handles in the place of paths",
        "h = ctypes.create_string_buffer(b'\\x80\\0\\0\\0', 200)\n"
        "libc.name_to_handle_at(-100, b'/', h, ctypes.byref(ctypes.c_int()), 0)\nlibc.open_by_handle_at(0, h, 0)",
    ),
    _tried(
        "links to other files",
        "for n, v in enumerate({victims!r}):\n    quiet(os.link, v, f'l{n}')\n    quiet(os.symlink, v, f's{n}')\n"
        "    for l in (f'l{n}', f's{n}'):\n        quiet(lambda: open(l, 'w').write('x'))\n"
        "        quiet(os.chmod, l, 0o666)",
    ),
    _tried(
        "files through another root",
        "for pid in (1, 'self', os.getppid(), {grader}):\n    for way in ('root', 'cwd'):\n"
        "        for v in {victims!r}:\n            quiet(lambda: open(f'/proc/{pid}/{way}{v}', 'w').write('x'))",
    ),
    _tried(
        "descriptors of the grader",
        "for n in range(64):\n    for pid in (1, {grader}):\n"
        "        quiet(lambda: os.write(os.open(f'/proc/{pid}/fd/{n}', 1), b'x'))",
    ),
    _tried(
        "bytecode of NumPy",
        "import numpy\nd = os.path.dirname(numpy.__file__) + '/__pycache__'\n"
        "for f in quiet(os.listdir, d) or []:\n    quiet(lambda: open(d + '/' + f, 'wb').write(b''))\n"
        "    quiet(os.unlink, d + '/' + f)",
    ),
    _tried(
        "the worker rewritten",
        "import sys\nfor f in ('worker.py', 'value_encoding.py', 'confine.py'):\n"
        "    quiet(lambda: open(sys.argv[1] + '/' + f, 'w').write(''))\n"
        "    quiet(os.rename, sys.argv[1] + '/' + f, sys.argv[1] + '/x')",
    ),
    Attack(
        "modules for the next worker",
        "import os\nfor n in ('math', 'json', 'packing', 'sitecustomize'):\n"
        "    open(n + '.py', 'w').write('raise SystemExit')\nos._exit(0)",
    ),
    _tried(
        "a filter of its own",
        "f = ctypes.create_string_buffer(b'\\x06\\0\\0\\0\\0\\0\\x05\\0')\n"
        "p = (ctypes.c_uint64 * 2)(1, ctypes.addressof(f))\nlibc.prctl(38, 1, 0, 0, 0)\n"
        "libc.prctl(22, 2, p, 0, 0)",
        keeps=False,
    ),
    _tried("no files for itself", "r = libc.syscall(444, (ctypes.c_uint64 * 1)(8191), 8, 0)\nlibc.syscall(446, r, 0)"),
    _tried("a name that breaks columns", "libc.prctl(15, b') R 1 1 (', 0, 0, 0)"),
    _tried("queues of POSIX", "libc.mq_open(b'/fill', 0o102, 0o666, None)\nlibc.shm_open(b'/fill', 0o102, 0o666)"),
    _tried(
        "the kernel's log and clock",
        "import time\nlibc.klogctl(3, ctypes.create_string_buffer(99), 99)\nquiet(time.clock_settime, 0, 0)\n"
        "quiet(os.sched_setscheduler, 0, 1, os.sched_param(1))",
    ),
    _tried(
        "locks on what others hold",
        "import fcntl\nfor p in ('.', '..', '/tmp', *{victims!r}):\n    fd = quiet(os.open, p, 0)\n    if fd:\n"
        "        quiet(fcntl.flock, fd, 6)",
    ),
]

MORE = AVAILABILITY + FORGED + OUTSIDE
#: Of these, the ones that are tried on every rung each time; all others on the strongest.
EVERYWHERE = {
    "folders in folders in folders",
    "a child that keeps the pipes open",
    "zombies",
    "a finaliser that does not end",
    "late replies without end",
    "a reply to the next request",
    "a class whose class equals everything",
    "sockets of every family",
    "calls of another architecture",
    "a namespace by clone",
    "rights taken",
    "modules for the next worker",
}
