"""The command ``companion``: run, trial, sweep, list, ledger, verdicts, audit, export, verify, gain, bounds, stop, and more.

Every command returns 0 only on success. Bad input ends with code 2 and one line on standard error that names the
argument; nothing is written then. Nothing heavy is imported before the command is known, so that help is immediate.
"""

from __future__ import annotations

import ast
import contextlib
import errno
import inspect
import os
import re
import shutil
import signal
import sys
import textwrap
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO

from companion import __version__
from companion.core import instruction_set, memory, optional_libraries
from companion.core.errors import CompanionError, ParameterError, nearest
from companion.core.files import leave_output, reason
from companion.core.terminal import waiting

if TYPE_CHECKING:
    from cyclopts import App
    from cyclopts.argument import Argument

#: Whom commands are for. Each is the function ``execute`` of its module, whose docstring and annotations are its help.
COMMANDS = {
    "for readers and researchers": (
        *("run", "trial", "sweep", "list", "ledger", "verdicts", "audit", "discrepancies", "export", "errata"),
        *("gain", "bounds", "stop", "golden", "data", "doctor", "completion"),
    ),
    "for authors of a chapter": ("new-paper", "evidence", "settle", "verify", "everything"),
    "for teachers": ("assignment",),
}
#: Those whose first word is a command of its own: the application that their module has.
NESTED = {"assignment": "actions"}
HELP = ("--help", "-h")
#: Commands that compute one thing, perhaps for long.
LASTING = ("gain", "bounds", "stop", "ledger", "discrepancies")

#: Most characters of the name of an option beside which its meaning stands, in a help.
LABEL = 20
INTERRUPTED, TERMINATED = 130, 143
#: Most characters of a word, and of a message; a name that somebody pasted by mistake is not repeated in full.
LONGEST_WORD, LONGEST = 250, 2_000


def application(summaries: bool = False) -> App:
    """The command line; a command's module is imported when the command is known.

    Parameters
    ----------
    summaries : whether a list of all commands will be shown, with the first line of each command's docstring
    """
    from cyclopts import App, Group, Parameter

    app = App(
        name="companion",
        help="Regret bounds of Gaussian-process bandits with every constant explicit, beside measured regret.",
        help_epilogue="Arguments and an example of each: companion COMMAND --help" if summaries else None,
        version=__version__,
        default_parameter=Parameter(
            negative=(), allow_repeating=True, show_default=False, json_list=False, json_dict=False
        ),
        help_formatter="plain",
        help_format="plaintext",
        group_arguments=Group("arguments", sort_key=0),
        group_parameters=Group("options", sort_key=1),
        result_action="return_value",
    )
    about = Group("about", sort_key=len(COMMANDS))
    for flag in ("--help", "--version"):
        app[flag].group = about
    for place, (audience, names) in enumerate(COMMANDS.items()):
        group = Group(audience, sort_key=place)
        for order, name in enumerate(names):
            told = _summary(name) if summaries else None
            module = f"companion.cli.{name.replace('-', '_')}_command"
            app.command(f"{module}:{NESTED.get(name, 'execute')}", name=name, help=told, group=group, sort_key=order)
    return app


def _summary(name: str) -> str:
    """The first line of a command's docstring, read without importing what the command needs."""
    source = (Path(__file__).parent / f"{name.replace('-', '_')}_command.py").read_text(encoding="utf-8")
    (told,) = [
        ast.get_docstring(node)
        for node in ast.parse(source).body
        if isinstance(node, ast.FunctionDef) and node.name == "execute"
    ]
    return str(told).partition("\n")[0]


def arguments_of(app: App, *command: str) -> list[Argument]:
    """The arguments of a command."""
    _, apps, _ = app.parse_commands(command)
    with app.app_stack(apps):
        return [one for one in apps[-1].assemble_argument_collection() if one.parse and not one.children]


@dataclass(frozen=True)
class Call:
    """A command line that fits the types: the command, its function, and the values of the arguments that were given."""

    command: str
    function: Callable[..., Any]
    bound: inspect.BoundArguments

    @property
    def values(self) -> dict[str, Any]:
        """Arguments by name."""
        return self.bound.arguments

    def __call__(self) -> int:
        """The exit code."""
        return int(self.function(*self.bound.args, **self.bound.kwargs) or 0)


def parse(arguments: Sequence[str]) -> Call:
    """The checked command line.

    Raises
    ------
    ParameterError
        for an unknown command or option, with the nearest known one, a missing argument, or a value that is refused
    """
    from cyclopts import CycloptsError

    words, names = list(arguments), list(chain(*COMMANDS.values()))
    if not words:
        raise ParameterError("COMMAND", "not given", remedy="See companion --help")
    app = application(summaries=words[0] in HELP)
    if words[0] in NESTED:  # options may stand before the first word, too
        actions = [place for place, word in enumerate(words) if place and word in {*app[words[0]]} - {*HELP}]
        words[1:1] = [words.pop(place) for place in actions[:1]]
    if words[0] in names:
        path = _path(app, words)
        name = " ".join(("companion", *path))
        known = arguments_of(app, *path)
        if not {*words} & {*HELP}:
            _check_options(
                words,
                name,
                [*HELP[::-1], *(option for one in known for option in one.names if option[0] == "-")],
            )
    elif words[0] in (*HELP, "--version", "__complete"):
        name, known = "companion", []
    else:
        raise ParameterError("command", f"got {words[0]!r}", f"one of {', '.join(names)}", nearest(words[0], names))
    try:
        function, bound, _ = app.parse_args(words, exit_on_error=False, print_error=False)
    except CycloptsError as error:
        from companion.cli.arguments import refusal

        raise refusal(error, name, words[1:], known) from None
    if function == app.help_print:
        return Call(words[0], help_of, inspect.signature(help_of).bind(app, words))
    if "output" in bound.signature.parameters:
        output = bound.arguments.get("output", bound.signature.parameters["output"].default)
        bound.arguments["output"] = replace(output, given=tuple(words))
    return Call(words[0], function, bound)


def help_of(app: App, words: Sequence[str], stream: TextIO | None = None) -> None:
    """Print the help of a command, or of all: names beside what they mean, as wide as the terminal; examples stay one line."""
    from rich.console import Console

    console = Console(width=LONGEST, color_system=None)
    with console.capture() as capture:
        app.help_print(_path(app, words), console=console)
    width, lines = shutil.get_terminal_size().columns, []
    for line in capture.get().strip().splitlines():
        found = re.fullmatch(r"  (\S.*?): (.*)", line)
        label, told = found.groups() if found else ("", line)
        if label:
            lead = f"  {label:<{LABEL}}  " if len(label) <= LABEL else f"  {label}\n{' ' * (LABEL + 4)}"
            told = textwrap.fill(told, max(width - LABEL - 4, LABEL)).replace("\n", "\n" + " " * (LABEL + 4))
            lines.append(lead + told)
        else:
            lines.append(line if line.startswith(("Example: ", "    ")) else textwrap.fill(line, width))
    (stream or sys.stdout).write(re.sub(r"\n{3,}", "\n\n", "\n".join(lines)) + "\n")


def _path(app: App, words: Sequence[str]) -> tuple[str, ...]:
    """The words that name a command: one, or two where its first word is a command of its own."""
    return app.parse_commands([word for word in words[:2] if word not in HELP])[0]


def _check_options(words: Sequence[str], name: str, known: Sequence[str]) -> None:
    """Refuse a mistyped option before the arguments that it would leave without a value."""
    for option, sign, value in (word.partition("=") for word in words[1:]):
        if option in known and sign and value == "--":
            raise ParameterError(option, "got '--'", "a value", f"See {name} --help")
        if option == "--":
            return
        if option.startswith("--") and option not in known:
            if words[0] == "bounds":
                from companion.papers.across.theory.conventions import refuse

                raise refuse(option, known)
            problem = f"is not an option of '{name}'"
            raise ParameterError(option, problem, f"one of {', '.join(known)}", nearest(option, known))


def main(arguments: Sequence[str] | None = None) -> int:
    """Entry point; returns the exit code: 0 success, 2 bad input, 1 anything else that went wrong."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    name = f"companion {given[0]}" if given and given[0] in chain(*COMMANDS.values()) else "companion"
    instruction_set.pin()
    if arguments is None:
        # As a program of its own; whoever calls a function keeps his process as it is.
        memory.limit()
        _heed_terminations()
        from companion.cli.show import for_every_stream

        for_every_stream()
        if sys.platform == "linux" and not os.access("/dev/shm", os.W_OK):
            # No semaphores: joblib would find out, and warn, which a chapter takes for an error. Said so, it counts one core.
            os.environ.setdefault("JOBLIB_MULTIPROCESSING", "0")
        if sys.stderr is not None and (told := instruction_set.danger()):
            sys.stderr.write(f"{told}\n")
    if given == ["--version"]:
        sys.stdout.write(f"companion {__version__}\n")
        return 0
    try:
        if not given and sys.stderr is not None:
            help_of(application(summaries=True), (), sys.stderr)
        call = parse(given)
        if sys.stdout is None:
            raise OSError(errno.EBADF, "standard output is closed")
        # Lines without a terminal: where a program of its own computes one thing for long. 'assignment' says what it grades.
        lines = arguments is None and call.command in LASTING
        with waiting(name, lines) if call.command != "assignment" else contextlib.nullcontext():
            code = call()
        sys.stdout.flush()
        return code
    except CompanionError as error:
        # A worker's failure has the import that failed in its text.
        return _complain(name, optional_libraries.advice(error) or str(error), error.exit_code)
    except ModuleNotFoundError as error:
        missing = optional_libraries.advice(error)
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
