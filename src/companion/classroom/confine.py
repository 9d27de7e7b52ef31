"""Rights that a worker drops before student code runs: system calls, files, and the keyring of the starting process.

Three mechanisms of the kernel, none of which needs rights, and which no process can undo for itself or its children:

- a *filter of system calls* (seccomp): :data:`DENIED` fail with EPERM, also inside the namespaces of the rungs above. No
  socket or pipe of any kind is made, so that the network is closed where there is no network namespace, too;
- *Landlock* (Linux 5.13): of the file system, only the given places can be opened. ``/proc`` is not among them, and so
  neither are mount points with paths of the host, or other processes;
- an *own session keyring*, joined before anything else is started.

A copy of this file lies beside the worker; standard library only. Numbers are those of the kernel's headers, for x86_64
and aarch64; a test compares them with the headers where they are installed.
"""

from __future__ import annotations

import ctypes
import errno
import os
import platform
import re
import struct
import sys
from collections.abc import Iterable, Sequence
from typing import NamedTuple

#: Calls that fail: name, number on x86_64 and on aarch64, where "-" says that it has no such call.
_DENIED = """
keyrings, which are shared by all processes of a session or user
    add_key 248 217, request_key 249 218, keyctl 250 219
other processes
    ptrace 101 117, process_vm_readv 310 270, process_vm_writev 311 271, process_madvise 440 440, process_mrelease 448 448
    pidfd_open 434 434, pidfd_getfd 438 438, pidfd_send_signal 424 424, kcmp 312 272, move_pages 279 239
    migrate_pages 256 238
large and young parts of the kernel
    io_uring_setup 425 425, io_uring_enter 426 426, io_uring_register 427 427, bpf 321 280, perf_event_open 298 241
    userfaultfd 323 282, personality 135 92, modify_ldt 154 -, uselib 134 -
namespaces, in which there would be new rights; clone is looked at below
    unshare 272 97, setns 308 268
mounts
    mount 165 40, umount2 166 39, pivot_root 155 41, chroot 161 51, open_tree 428 428, move_mount 429 429, fsopen 430 430
    fsconfig 431 431, fsmount 432 432, fspick 433 433, mount_setattr 442 442, statmount 457 457, listmount 458 458
    open_by_handle_at 304 265, name_to_handle_at 303 264, fanotify_init 300 262, fanotify_mark 301 263, quotactl 179 60
    quotactl_fd 443 443
the machine
    kexec_load 246 104, kexec_file_load 320 294, init_module 175 105, finit_module 313 273, delete_module 176 106
    swapon 167 224, swapoff 168 225, reboot 169 142, acct 163 89, settimeofday 164 170, clock_settime 227 112
    clock_adjtime 305 266, adjtimex 159 171, syslog 103 116, sethostname 170 161, setdomainname 171 162, vhangup 153 58
    iopl 172 -, ioperm 173 -, lookup_dcookie 212 18, sync 162 81, syncfs 306 267
memory that outlives its process, or is no process's address space
    shmget 29 194, shmat 30 196, shmctl 31 195, semget 64 190, semctl 66 191, semop 65 193, semtimedop 220 192
    msgget 68 186, msgctl 71 187, msgsnd 69 189, msgrcv 70 188, mq_open 240 180, mq_unlink 241 181
    memfd_create 319 279, memfd_secret 447 447
the network
    socket 41 198, connect 42 203, bind 49 200
what others would notice: locks and watches on files that all submissions read, what of them lies in memory, and their times
    flock 73 32, inotify_init 253 -, inotify_init1 294 26, inotify_add_watch 254 27, fadvise64 221 223, readahead 187 213
    mincore 27 232, cachestat 451 451, preadv2 327 286, pwritev2 328 287, getrusage 98 165
    utime 132 -, utimes 235 -, futimesat 261 -, utimensat 280 88
the kernel's counters, by the numbers of pipes, sockets and mounts: who makes many of them writes what others read
    pipe 22 -, pipe2 293 59, socketpair 53 199, statx 332 291
the machine's load and disk
    sysinfo 99 179, statfs 137 43, fstatfs 138 44, ustat 136 -
"""
DENIED = {
    name: tuple(None if number == "-" else int(number) for number in numbers)
    for name, *numbers in (one.split() for one in re.findall(r"\w+ [\d-]+ [\d-]+", _DENIED))
}


class Told(NamedTuple):
    """A call of which one argument says whether it fails: it does for any value that is not among these."""

    numbers: tuple[int, int]
    argument: int
    allowed: Sequence[int]
    pointer: bool = False


TOLD = (
    # fcntl, on the descriptor alone, no lock, lease or watch: DUPFD, GETFD, SETFD, GETFL, SETFL, DUPFD_CLOEXEC and
    # SETPIPE_SZ, GETPIPE_SZ
    Told((72, 25), 1, (0, 1, 2, 3, 4, 1030, 1031, 1032)),
    # madvise: NORMAL to DONTNEED, FREE, DONTFORK, DOFORK, HUGEPAGE to DODUMP, WIPEONFORK, KEEPONFORK. PAGEOUT and COLD
    # would send out of memory what others read
    Told((28, 233), 2, (*range(5), 8, 10, 11, *range(14, 20))),
    # wait4 and waitid, without an account of what a child had to read from the disk
    Told((61, 260), 3, (0,), pointer=True),
    Told((247, 95), 4, (0,), pointer=True),
)
CLONE, CLONE3 = (56, 220), (435, 435)
#: CLONE_NEWNS, NEWCGROUP, NEWUTS, NEWIPC, NEWUSER, NEWPID, NEWNET, NEWTIME; and PIDFD.
NEW_NAMESPACES = 0x7E020080 | 0x1000
ARCHITECTURES = {"x86_64": (0, 0xC000003E), "aarch64": (1, 0xC00000B7)}
X32 = 0x40000000
ALLOW, KILL, FAIL = 0x7FFF0000, 0x80000000, 0x00050000
LOAD, EQUAL, AT_LEAST, ANY_BIT, RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
#: In struct seccomp_data; of an argument the low half comes first.
NUMBER, ARCHITECTURE, FIRST_ARGUMENT = 0, 4, 16
NO_NEW_PRIVILEGES, SET_SECCOMP, FILTER = 38, 22, 2

#: Landlock's rights on files, and those that exist for folders only; in the order in which versions of it brought them.
EXECUTE, WRITE_FILE, READ_FILE, READ_FOLDER, TRUNCATE = 1, 2, 4, 8, 1 << 14
RIGHTS = {1: (1 << 13) - 1, 2: (1 << 14) - 1, 3: (1 << 15) - 1, 5: (1 << 16) - 1}
OF_FILES = EXECUTE | WRITE_FILE | READ_FILE | TRUNCATE
CREATE_RULESET, ADD_RULE, RESTRICT = 444, 445, 446
DEVICES = ("/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom")

libc = ctypes.CDLL(None, use_errno=True)


def program(machine: str) -> bytes:
    """The filter for a machine, in the kernel's classic BPF: eight bytes an instruction.

    Raises
    ------
    OSError
        for an architecture whose numbers are not known here
    """
    if machine not in ARCHITECTURES:
        raise OSError(errno.ENOSYS, f"system calls of {machine} are not known")
    column, architecture = ARCHITECTURES[machine]

    def step(code: int, value: int, yes: int = 0, no: int = 0) -> bytes:
        return struct.pack("=HBBI", code, yes, no, value)

    refuse, missing = step(RETURN, FAIL | errno.EPERM), step(RETURN, FAIL | errno.ENOSYS)
    made = [step(LOAD, ARCHITECTURE), step(EQUAL, architecture, 1), step(RETURN, KILL), step(LOAD, NUMBER)]
    if machine == "x86_64":
        made += [step(AT_LEAST, X32, 0, 1), refuse]
    for number in (numbers[column] for numbers in DENIED.values()):
        made += [] if number is None else [step(EQUAL, number, 0, 1), refuse]
    for numbers, argument, allowed, pointer in TOLD:
        low = FIRST_ARGUMENT + 8 * argument
        looked = [step(LOAD, low + 4), step(EQUAL, 0, 0, len(allowed) + 1)] if pointer else []
        looked += [step(LOAD, low), *(step(EQUAL, one, len(allowed) - at) for at, one in enumerate(allowed))]
        looked += [refuse, step(RETURN, ALLOW)]
        made += [step(EQUAL, numbers[column], 0, len(looked)), *looked]
    # Its flags are behind a pointer, which a filter cannot follow; the C library then takes clone.
    made += [step(EQUAL, CLONE3[column], 0, 1), missing, step(EQUAL, CLONE[column], 0, 3)]
    made += [step(LOAD, FIRST_ARGUMENT), step(ANY_BIT, NEW_NAMESPACES, 0, 1), refuse, step(RETURN, ALLOW)]
    return b"".join(made)


def deny_calls() -> None:
    """Install the filter for this process and all that it starts; OSError if it cannot be had."""
    if sys.maxsize < 1 << 32:
        raise OSError(errno.ENOSYS, "a 32-bit Python")
    code = ctypes.create_string_buffer(program(platform.machine()))
    described = ctypes.create_string_buffer(struct.pack("@HP", (len(code) - 1) // 8, ctypes.addressof(code)))
    _check(libc.prctl(NO_NEW_PRIVILEGES, 1, 0, 0, 0), "no_new_privs")
    _check(libc.prctl(SET_SECCOMP, FILTER, described, 0, 0), "seccomp")


def confine_files(readable: Iterable[str], listed: Iterable[str], writable: str) -> None:
    """Forbid to open anything but what is given; OSError if the kernel has no Landlock.

    Parameters
    ----------
    readable : files and folders with all below them; what does not exist is passed over
    listed : folders whose names may be read, of everything below
    writable : the scratch folder
    """
    version = libc.syscall(CREATE_RULESET, None, ctypes.c_size_t(0), 1)
    if version < 1:
        raise OSError(ctypes.get_errno(), f"Landlock: {os.strerror(ctypes.get_errno())}")
    everything = RIGHTS[max(known for known in RIGHTS if known <= version)]
    # Files; from version 4 TCP; from 6 signals to others and sockets without a name in the file system.
    handled = struct.pack("=QQQ", everything, 3, 3)[: 8 if version < 4 else 16 if version < 6 else 24]
    rules = _check(libc.syscall(CREATE_RULESET, handled, ctypes.c_size_t(len(handled)), 0), "Landlock")
    reading = EXECUTE | READ_FILE | READ_FOLDER
    places = [(place, reading) for place in readable] + [(place, READ_FOLDER) for place in listed]
    places += [(place, READ_FILE | WRITE_FILE) for place in DEVICES] + [(writable, everything)]
    for place, rights in places:
        try:
            folder = os.open(place, os.O_PATH | os.O_CLOEXEC)
        except OSError:
            continue
        allowed = rights & everything & (-1 if os.path.isdir(place) else OF_FILES)
        rule = struct.pack("=Qi", allowed, folder)
        _check(libc.syscall(ADD_RULE, rules, 1, rule, 0), f"Landlock: {place}")
        os.close(folder)
    _check(libc.prctl(NO_NEW_PRIVILEGES, 1, 0, 0, 0), "no_new_privs")
    _check(libc.syscall(RESTRICT, rules, 0), "Landlock")
    os.close(rules)


def join_keyring() -> None:
    """Leave the session keyring of whoever started this for a new one. Where it fails, the filter still forbids to use it."""
    if platform.machine() in ARCHITECTURES:
        number = DENIED["keyctl"][ARCHITECTURES[platform.machine()][0]]
        libc.syscall(number, 1, None)


def _check(result: int, what: str) -> int:
    if result < 0:
        number = ctypes.get_errno()
        raise OSError(number, f"{what}: {os.strerror(number)}")
    return result
