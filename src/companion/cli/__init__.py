"""The command ``companion``: run, trial, sweep, list, ledger, verdicts, audit, export, verify, gain, bounds, stop, and more.

Every command returns 0 only on success. Bad input ends with code 2 and one line on standard error that names the
argument; nothing is written then. Nothing heavy is imported before the command is known, so that help is immediate.
"""

from __future__ import annotations

import argparse
import contextlib
import errno
import importlib
import os
import signal
import sys
from collections.abc import Sequence
from typing import Any

from companion.cli.arguments import parsers
from companion.core import arithmetic, libraries, memory
from companion.core.errors import CompanionError, ParameterError, nearest
from companion.core.files import leave_output, reason
from companion.core.progress import waiting

INTERRUPTED, TERMINATED = 130, 143
#: Most characters of a word, and of a message; a name that somebody pasted by mistake is not repeated in full.
LONGEST_WORD, LONGEST = 250, 2_000


def parse(arguments: Sequence[str]) -> argparse.Namespace:
    """The parsed command line.

    Raises
    ------
    ParameterError
        for an unknown command or option, with the nearest known one, or a missing argument
    """
    parser, commands = parsers()
    if arguments and not arguments[0].startswith("-") and arguments[0] not in commands:
        known = ", ".join(commands)
        raise ParameterError("command", f"got {arguments[0]!r}", f"one of {known}", nearest(arguments[0], commands))
    if arguments and arguments[0] in commands:
        # Before argparse: it would report the arguments that a mistyped option left without a value instead.
        known_options = commands[arguments[0]].options()
        for option, sign, value in (argument.partition("=") for argument in arguments[1:]):
            if option in known_options and sign and value == "--":
                # argparse takes it for the sign that no more options follow, and hands on an empty list.
                raise ParameterError(option, "got '--'", "a value", f"See companion {arguments[0]} --help")
        for word in (argument.partition("=")[0] for argument in arguments[1:]):
            if word.startswith("--") and word not in known_options:
                if arguments[0] == "bounds":
                    raise _other_convention(word, known_options)
                problem, remedy = f"is not an option of 'companion {arguments[0]}'", nearest(word, known_options)
                raise ParameterError(word, problem, f"one of {', '.join(known_options)}", remedy)
    options, unknown = parser.parse_known_args(arguments)
    if unknown:
        raise ParameterError(unknown[0], f"is one argument too many for 'companion {options.command}'")
    if options.json and getattr(options, "csv", False):
        raise ParameterError("--csv", "is given beside --json", "one of the two")
    return options


def _other_convention(word: str, known: Sequence[str]) -> ParameterError:
    """The error for an option of 'companion bounds' that there is not, such as --noise-variance."""
    from companion.papers.across.theory.conventions import refuse

    return refuse(word, known)


def main(arguments: Sequence[str] | None = None) -> int:
    """Entry point; returns the exit code: 0 success, 2 bad input, 1 anything else that went wrong."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    name = "companion"
    arithmetic.pin()
    if arguments is None:
        # As a program of its own; whoever calls a function keeps his process as it is.
        memory.limit()
        _heed_terminations()
        if sys.platform == "linux" and not os.access("/dev/shm", os.W_OK):
            # No semaphores: joblib would find out, and warn, which a chapter takes for an error. Said so, it counts one core.
            os.environ.setdefault("JOBLIB_MULTIPROCESSING", "0")
    if "_ARGCOMPLETE" in os.environ:
        from companion.cli.completion_command import complete

        parser, commands = parsers()
        complete(parser, commands.values())
    try:
        if not given and sys.stderr is not None:
            sys.stderr.write(f"{parsers()[0].format_help()}\n")
        options = parse(given)
        options.given = given
        name = f"companion {options.command}"
        if sys.stdout is None:
            raise OSError(errno.EBADF, "standard output is closed")
        command: Any = importlib.import_module(f"companion.cli.{options.command.replace('-', '_')}_command")
        with (
            waiting(name) if options.command != "assignment" else contextlib.nullcontext()
        ):  # which says what it grades
            code = int(command.execute(options))
        sys.stdout.flush()
        return code
    except CompanionError as error:
        # A worker's failure has the import that failed in its text.
        return _complain(name, libraries.advice(error) or str(error), error.exit_code)
    except ModuleNotFoundError as error:
        missing = libraries.advice(error)
        if missing is None:
            raise
        return _complain(name, missing, 1)
    except TerminatedError:
        return _complain(name, "terminated", TERMINATED)
    except KeyboardInterrupt:
        return _complain(name, "interrupted", INTERRUPTED)
    except BrokenPipeError:
        leave_output()  # the reader of a pipe left (companion list | head)
        return 1
    except OSError as error:
        # What a file system may answer at any moment: read-only, full, a file where a folder should be.
        try:
            sys.stdout.flush()
        except (OSError, AttributeError):
            leave_output()
        return _complain(name, reason(error), 1)
    except MemoryError as error:
        free = memory.available()
        there = "" if free is None else f"; {free / 1e9:.1f} GB are free"
        told = f"out of memory ({str(error) or 'no size given'}{there}). Choose smaller sizes or fewer workers"
        return _complain(name, told, 1)


class TerminatedError(KeyboardInterrupt):
    """The process was asked to end; as after an interruption, what it has begun is cleared away."""


def _heed_terminations() -> None:
    """End at SIGTERM as at an interruption: without workers and unfinished files that stay behind."""
    here = os.getpid()

    def end(number: int, _frame: object) -> None:
        signal.signal(number, signal.SIG_DFL if os.getpid() != here else signal.SIG_IGN)
        if os.getpid() != here:  # a forked worker, which has nothing to clear away
            os.kill(os.getpid(), number)
            return
        if "logging" in sys.modules:
            sys.modules["logging"].disable()  # Jupyter and the event loop would tell of what is given up
        raise TerminatedError

    with contextlib.suppress(ValueError):  # not in the main thread
        signal.signal(signal.SIGTERM, end)
    # Of a pool that ends while it starts, joblib's tracker of semaphores would tell in lines of its own.
    sys.warnoptions.append("ignore:resource_tracker:UserWarning")


def _complain(name: str, message: str, code: int) -> int:
    """One line on standard error, in which no word is longer than a path may well be."""
    if sys.stderr is not None:
        words = (word if len(word) <= LONGEST_WORD else f"{word[: LONGEST_WORD - 3]}..." for word in message.split())
        text = " ".join(words)
        text = text if len(text) <= LONGEST else f"{text[: LONGEST - 3]}..."
        sys.stderr.write(f"{name}: {''.join(c if c.isprintable() else '?' for c in text)}\n")
    return code
