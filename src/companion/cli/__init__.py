"""The command ``companion``: run, trial, sweep, list, ledger, verdicts, audit, errata, export, verify, gain, bounds, and more.

Every command returns 0 only on success. Bad input ends with code 2 and one line on standard error that names the
argument; nothing is written then. Nothing heavy is imported before the command is known, so that help is immediate.
"""

from __future__ import annotations

import argparse
import contextlib
import errno
import importlib
import os
import re
import signal
import sys
from collections.abc import Sequence
from typing import Any, NoReturn

from companion import __version__
from companion.core import arithmetic, libraries, memory
from companion.core.errors import CompanionError, ParameterError, nearest
from companion.core.files import leave_output, reason

INTERRUPTED, TERMINATED = 130, 143
LONGEST_WORD, LONGEST = 250, 2_000
"""Most characters of a word, and of a message; a name that somebody pasted by mistake is not repeated in full."""

#: How a paper or its chapter may be called, the same in all commands.
ONE_PAPER = "slug of the paper, or its chapter: batched, 3, ch3, ch3_batched"


class _Parser(argparse.ArgumentParser):
    """argparse whose errors are the package's own: one line that names the argument."""

    def error(self, message: str) -> NoReturn:
        required = re.fullmatch(r"the following arguments are required: (.*)", message)
        if required:
            raise ParameterError(required.group(1), "not given", remedy=f"See {self.prog} --help")
        argument = re.fullmatch(r"argument ([^:]+): (.*)", message, flags=re.DOTALL)
        if argument:
            raise ParameterError(argument.group(1), argument.group(2))
        raise ParameterError("arguments", message)

    def options(self) -> list[str]:
        """All option strings."""
        return [option for action in self._actions for option in action.option_strings]


def _parser() -> tuple[_Parser, dict[str, _Parser]]:
    parser = _Parser(
        prog="companion",
        description="Regret bounds of Gaussian-process bandits with every constant explicit, beside measured regret.",
        allow_abbrev=False,
    )
    parser.add_argument("--version", action="version", version=f"companion {__version__}")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", required=True, parser_class=_Parser)
    made: dict[str, _Parser] = {}

    def add(name: str, summary: str) -> _Parser:
        made[name] = commands.add_parser(name, help=summary, description=summary, allow_abbrev=False)
        made[name].add_argument("--json", action="store_true", help="print JSON")
        return made[name]

    _add_run(add("run", "Run a chapter at chosen parameters; the committed notebook is not touched."))
    _add_trial(add("trial", "Run one seeded trial and print its trajectory, or many and write them as a table."))
    _add_sweep(
        add("sweep", "Run a plan of experiments, methods, settings and seeds, alone or shared by many processes.")
    )
    listing = add(
        "list", "List experiments and their methods; of one paper also parameters, defaults, ranges, sources."
    )
    ledger = add("ledger", "Check every numbered statement: status, both sides, slack.")
    verdicts = add("verdicts", "Set reported beside reproduced numbers, each with a verdict.")
    _add_audit(add("audit", "Judge the numbers of any table against a rerun's, by margins from a file."))
    suspected = add("discrepancies", "Test every suspected error of a paper, and say what is confirmed.")
    for parser_of_paper in (listing, ledger, verdicts, suspected):
        parser_of_paper.add_argument("paper", nargs="?", metavar="PAPER", help=f"one only: {ONE_PAPER}")
    listing.add_argument("experiment", nargs="?", metavar="EXPERIMENT", help="one experiment only, in full")
    listing.add_argument("--names", action="store_true", help="names of experiments and methods only")
    for parser_of_entries in (ledger, suspected):
        parser_of_entries.add_argument("--id", metavar="ID", help="one entry only")
        parser_of_entries.add_argument(
            "--teeth", action="store_true", help="also run the wrong versions, which the check has to catch"
        )
        parser_of_entries.add_argument("--jobs", metavar="N", help="workers; -1 for one per core (default)")
    stored = add("evidence", "Compute ledger, verdicts and discrepancies of a paper and store them for the book.")
    stored.add_argument("paper", metavar="PAPER", help=ONE_PAPER)
    stored.add_argument(
        "--all", action="store_true", help="also what rests on the same code and data as when it was stored"
    )
    stored.add_argument("--jobs", metavar="N", help="workers; -1 for one per core (default)")
    packed = add("export", "Pack a paper's evidence: RO-Crate, summary, CODECHECK, or its sampler for OptunaHub.")
    packed.add_argument("paper", metavar="PAPER", help=ONE_PAPER)
    packed.add_argument("--form", metavar="crate|mlrc|codecheck|optunahub", default="crate", help="(default: crate)")
    packed.add_argument("--out", metavar="DIR", required=True, help="a new or empty folder, or an older export")
    _add_errata(add("errata", "Each confirmed error of a paper for its authors, with ten lines that show it."))
    _add_verify(add("verify", "Compute a sample of a paper's stored runs again and compare the stored digits."))
    _add_gain(add("gain", "Certified two-sided bound on the maximum information gain of a grid or of given points."))
    _add_bounds(add("bounds", "Every width and regret bound of the papers at one setting, in one convention."))
    _add_stop(add("stop", "Stop or go on, and why: what a table of evaluations promises, as a certificate."))
    data = add("data", "Real data sets: where they are, whether they are the right ones, and fetching them.")
    data.add_argument("action", metavar="status|fetch|path", help="what to do")
    data.add_argument("name", nargs="?", metavar="NAME", help="one data set, as 'companion data status' lists it")
    _add_assignment(add("assignment", "Make assignments for a course, and grade what is handed in."))
    _add_new(add("new-paper", "Write a small chapter that works, to be replaced piece by piece."))
    add("doctor", "Say what is installed and what is missing.")
    return parser, made


def _add_run(parser: _Parser) -> None:
    parser.add_argument("chapter", metavar="CHAPTER", help=f"{ONE_PAPER}; by the name of a page that page alone")
    parser.add_argument("--profile", default="book", help="smoke, book or paper (default: book)")
    parser.add_argument(
        "-p", dest="set", action="append", default=[], metavar="name=value", help="set one parameter; repeatable"
    )
    parser.add_argument("--jobs", metavar="N", help="workers; -1 for one per core (default: 1)")
    parser.add_argument("--backend", metavar="loky|dask", help="joblib backend (default: loky)")
    parser.add_argument("--scheduler", metavar="ADDR", help="address of a dask scheduler, e.g. tcp://host:8786")


def _add_trial(parser: _Parser) -> None:
    parser.add_argument("paper", metavar="PAPER", help=ONE_PAPER)
    parser.add_argument("experiment", metavar="EXPERIMENT", help="see 'companion list'")
    parser.add_argument("method", nargs="+", metavar="METHOD", help="one or several, apart or with commas")
    parser.add_argument("--seed", metavar="S", help="one run: non-negative integer")
    parser.add_argument("--seeds", metavar="RANGE", help="many runs: 0-99, or 0-4,10")
    parser.add_argument(
        "--set", action="append", default=[], metavar="name=value", help="set one parameter; repeatable"
    )
    parser.add_argument("--out", metavar="FILE", help="write one row an evaluation: .csv or .parquet, and its record")
    parser.add_argument("--force", action="store_true", help="replace a file that holds something else")
    parser.add_argument("--jobs", metavar="N", help="workers; -1 for one per core (default: 1)")
    parser.add_argument(
        "--device", metavar="cpu|cuda", help="all seeds of a method at once, on this device (default: one by one)"
    )


def _add_sweep(parser: _Parser) -> None:
    parser.add_argument(
        "words",
        nargs="+",
        metavar="PLAN [run|status|merge]",
        help="TOML file, or a paper for the runs it stores; and what to do (default: run)",
    )
    parser.add_argument(
        "--out", metavar="FOLDER", help="where the results of a TOML file are kept (default: PLAN without .toml)"
    )
    parser.add_argument("--shard", metavar="i/n", help="only part i of n, from 1/n to n/n")
    parser.add_argument("--jobs", metavar="N", help="workers; -1 for one per core (default)")
    parser.add_argument("--backend", metavar="loky|dask", help="joblib backend, or dask (default: loky)")
    parser.add_argument("--scheduler", metavar="ADDR", help="address of a dask scheduler, e.g. tcp://host:8786")


def _add_audit(parser: _Parser) -> None:
    parser.add_argument("reported", metavar="REPORTED", help="CSV file: problem, method, metric, mean; spread, n_runs")
    parser.add_argument("reproduced", metavar="REPRODUCED", help="CSV file: one row a run, or mean, sd and n")
    parser.add_argument("margins", metavar="MARGINS", help="TOML file: how far apart two numbers may be")
    parser.add_argument("--csv", action="store_true", help="print a table, one row a number")


def _add_errata(parser: _Parser) -> None:
    parser.add_argument("paper", metavar="PAPER", help=ONE_PAPER)
    parser.add_argument("--id", metavar="ID", help="one erratum only")
    parser.add_argument("--form", metavar="markdown|letter|json", default="markdown", help="default: markdown")
    parser.add_argument("--out", metavar="FILE", help="write into a new file instead of the screen")


def _add_verify(parser: _Parser) -> None:
    parser.add_argument("paper", metavar="PAPER", help=ONE_PAPER)
    parser.add_argument("--rows", metavar="N", default=None, help="runs computed again (default: 40)")
    parser.add_argument(
        "--seed", metavar="S", default="0", help="which of the runs; successive seeds go through all cells"
    )
    parser.add_argument("--set", metavar="NAME", help="one set of stored tables, of a chapter that has several")
    other = parser.add_mutually_exclusive_group()
    other.add_argument("--against", metavar="COMMIT", help="compare with what an older commit gives on this machine")
    other.add_argument("--print", action="store_true", help="print the sample's rows as JSON and compare nothing")
    other.add_argument(
        "--renew",
        nargs="?",
        const="all",
        metavar="finished",
        help="first make, and store, runs of an older version and seeds of the plan that are not stored; 'finished' only puts "
        "the cells in place whose runs a sweep has finished",
    )
    parser.add_argument("--only", metavar="FILE", help=argparse.SUPPRESS)
    parser.add_argument("--jobs", metavar="N", help="workers; -1 for one per core (default)")


def _add_gain(parser: _Parser) -> None:
    parser.add_argument("--kernel", required=True, help="se, matern12, matern32 or matern52")
    parser.add_argument("--lengthscale", required=True, metavar="L", help="one number, or one a coordinate: 0.3,2")
    parser.add_argument("--dim", metavar="D", help="dimension of the cube [0,1]^D")
    parser.add_argument("--points", metavar="N", help="grid points per axis")
    parser.add_argument(
        "--candidates", metavar="FILE", help="CSV file, one row a point, in place of --dim and --points"
    )
    parser.add_argument("--noise", required=True, metavar="SD", help="standard deviation of the noise; prior sd is 1")
    parser.add_argument("--horizon", required=True, metavar="T", help="number of picks, repetition allowed")


def _add_bounds(parser: _Parser) -> None:
    parser.add_argument("--csv", action="store_true", help="print CSV")
    for name, metavar, words in (
        ("kernel", "NAME", "se, matern12, matern32 or matern52, with variance 1"),
        ("lengthscale", "L", "one number, or one a coordinate: 0.3,2"),
        ("dim", "D", "candidates are a grid of [0,1]^D"),
        ("points", "N", "grid points per axis"),
        ("candidates", "FILE", "CSV file of candidates, one row a point, in place of a grid"),
        ("covariance", "FILE", "CSV or .npy file of their covariance, in place of kernel and candidates"),
        ("noise", "SD", "standard deviation of the noise"),
        ("horizon", "T", "number of evaluations"),
        ("delta", "P", "probability of failure (default: 0.1)"),
        ("norm", "B", "bound on the norm of f, for chapters 3 and 5"),
        ("batch", "M", "evaluations in a batch of TS-RSR (default: 1)"),
        ("batches", "B", "BPE with so many batches"),
        ("initial", "T0", "maximum-variance evaluations before TS-RSR (default: 0)"),
        ("alpha", "A", "exponent of the compressed budget (default: 0.5)"),
        ("ratio", "A", "a of BPE's batch sizes (default: 0.6)"),
        ("regulariser", "L", "lambda of chapter 5 (default: the noise variance)"),
        ("radius", "R", "of chapter 5's ball (default: 0)"),
        ("lipschitz", "L", "of the upper confidence bound in the context, where the ball has a radius"),
        ("realised-gain", "I", "gain of the points in fact chosen, nats, for widths that may take it"),
        ("actions", "A", "of an agent, for chapter 4's game"),
        ("contexts", "C", "of an agent (default: 1)"),
        ("parts", "P", "of the game's laws: multiples of 1/P"),
        ("agents", "M", "for the naive rival of chapter 4, whose width contains it"),
        ("farthest", "T", "how far to look for where bounds begin to say something (default: 1000000)"),
    ):
        parser.add_argument(f"--{name}", metavar=metavar, help=words)


def _add_stop(parser: _Parser) -> None:
    parser.add_argument("runs", metavar="RUNS", help="CSV file, one row an evaluation: coordinates, and the value last")
    parser.add_argument("--minimise", action="store_true", help="small values are better (default: large)")
    for name, needed, metavar, words in (
        ("kernel", True, "NAME", "se, matern12, matern32 or matern52"),
        ("lengthscale", True, "L", "one number, or one a coordinate: 0.3,2"),
        ("noise", True, "SD", "standard deviation of the noise, in units of the values"),
        ("eps", True, "E", "what the point taken may lose to the best candidate"),
        ("delta", False, "P", "probability with which it may lose more (default: 0.1)"),
        ("candidates", False, "FILE", "CSV file of all candidates, one row a point"),
        ("points", False, "N", "candidates are a grid of [0,1]^d with N points an axis"),
        ("norm", False, "B", "bound on the norm of f (default: none, f is a draw of the prior)"),
        ("variance", False, "V", "prior variance k(x, x) (default: 1)"),
        ("mean", False, "M", "prior mean (default: 0)"),
        ("rule", False, "NAME", "a rule of cp.certificate, or a width"),
        ("horizon", False, "T", "most evaluations, for rules that have to know"),
    ):
        parser.add_argument(f"--{name}", required=needed, metavar=metavar, help=words)


def _add_new(parser: _Parser) -> None:
    parser.add_argument("slug", metavar="SLUG", help="name of the paper's folder: lower-case letters, digits and '_'")
    parser.add_argument("--title", metavar="TITLE", help="of the chapter (default: the slug)")


def _add_assignment(parser: _Parser) -> None:
    parser.add_argument("action", metavar="list|make|check|grade|export", help="what to do")
    parser.add_argument(
        "name", nargs="?", metavar="NAME", help="an assignment; for check a notebook, for grade a folder of them"
    )
    parser.add_argument("--assignment", metavar="NAME", help="grade: which assignment was handed in")
    parser.add_argument(
        "--students", metavar="FILE", help="roster: CSV with the column id; also name, email, canvas_id"
    )
    parser.add_argument("--secret", metavar="FILE", default="course.secret", help="default: course.secret")
    parser.add_argument("--out", metavar="FOLDER", help="where to write (default: below build/)")
    parser.add_argument("--format", metavar="gradescope|otter", default="gradescope", help="export: which format")
    parser.add_argument("--wheels", metavar="FOLDER", help="export: wheels to put into the archive")
    parser.add_argument("--rung", help="grade: bubblewrap, namespaces, user or none (default: the strongest there is)")
    parser.add_argument("--no-sandbox", action="store_true", help="grade: where there is no sandbox, run code without")
    parser.add_argument("--python", metavar="FILE", help="grade: Python for student code, with NumPy and SciPy")
    parser.add_argument("--time", metavar="SECONDS", default="60", help="grade: limit of a submission (default: 60)")
    parser.add_argument("--memory", metavar="GB", default="2", help="grade: limit of each process (default: 2)")
    parser.add_argument("--again", action="store_true", help="grade: also what has its result already")
    parser.add_argument("--jobs", metavar="N", help="grade: submissions at a time; -1 for one per core (default)")


def parse(arguments: Sequence[str]) -> argparse.Namespace:
    """The parsed command line.

    Raises
    ------
    ParameterError
        for an unknown command or option, with the nearest known one, or a missing argument
    """
    parser, commands = _parser()
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
    return options


def _other_convention(word: str, known: Sequence[str]) -> ParameterError:
    """The error for an option of 'companion bounds' that there is not, such as --noise-variance."""
    from companion.papers.across.conventions import refuse

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
    if "_ARGCOMPLETE" in os.environ:
        from companion.cli.completion import complete

        parser, commands = _parser()
        complete(parser, commands.values())
    try:
        options = parse(given)
        options.given = given
        name = f"companion {options.command}"
        if sys.stdout is None:
            raise OSError(errno.EBADF, "standard output is closed")
        command: Any = importlib.import_module(f"companion.cli.{options.command.replace('-', '_')}_command")
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
        raise TerminatedError

    with contextlib.suppress(ValueError):  # not in the main thread
        signal.signal(signal.SIGTERM, end)


def _complain(name: str, message: str, code: int) -> int:
    """One line on standard error, in which no word is longer than a path may well be."""
    if sys.stderr is not None:
        words = (word if len(word) <= LONGEST_WORD else f"{word[: LONGEST_WORD - 3]}..." for word in message.split())
        text = " ".join(words)
        text = text if len(text) <= LONGEST else f"{text[: LONGEST - 3]}..."
        sys.stderr.write(f"{name}: {''.join(c if c.isprintable() else '?' for c in text)}\n")
    return code
