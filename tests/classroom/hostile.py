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
        "import os\ndef bomb():\n    for _ in range(1000):\n        try:\n            os.fork()\n        except OSError:\n"
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
        "class All(list):\n    __len__ = lambda s: 5\n    __iter__ = lambda s: iter([1] * 5)\n    __eq__ = lambda *_: True\n"
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
        "        resource.setrlimit(kind, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))\n    except (OSError, ValueError):\n"
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
        "        found += [os.path.join(folder, f) for f in files if f in ('ch3_sizes.py', 'course.secret', 'sizes.py')]\n"
        "for path in found:\n    exec(open(path).read())",
    ),
    Attack(
        "writes and deletes",
        "import os\nfor place in {victims!r}:\n    for act in (lambda p: open(p, 'w').write('x'), os.remove):\n        try:\n"
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
        "        subprocess.Popen(['/bin/sh', '-c', 'sleep 300; : {marker}'], start_new_session=True)\nexcept OSError:\n    pass",
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
