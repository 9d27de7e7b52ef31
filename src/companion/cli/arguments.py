"""The words of the command line: every command with its arguments, an example, and for whom it is."""

from __future__ import annotations

import argparse
import re
import textwrap
from collections.abc import Callable
from typing import Any, NoReturn

from companion import __version__
from companion.core.errors import ParameterError

#: How a paper or its chapter may be called, the same in all commands.
ONE_PAPER = "slug of the paper, or its chapter: batched, 3, ch3, ch3_batched"

#: What ``--columns`` takes of a file of candidates.
COLUMNS = "columns of the file that are coordinates: carbon,heat (default: all but a first one of ids)"

#: Commands of ``companion --help``, by whom they are for.
GROUPS = {
    "for readers and researchers": (
        *("list", "run", "trial", "sweep", "ledger", "verdicts", "discrepancies", "audit"),
        *("export", "gain", "bounds", "stop", "data", "doctor", "completion"),
    ),
    "for authors of a chapter": ("new-paper", "evidence", "verify"),
    "for teachers": ("assignment",),
}

#: The example of each command's help.
EXAMPLES = {
    "run": "run 3 --profile smoke -p horizon=200",
    "trial": "trial batched appendix-e bpe --seeds 0-9 --set horizon=100 --out runs.csv",
    "sweep": "sweep plan.toml --shard 1/4",
    "list": "list batched appendix-e",
    "ledger": "ledger batched --id lemma-10 --teeth",
    "verdicts": "verdicts tsrsr --id gp-lowest-mean",
    "audit": "audit reported.csv reproduced.csv margins.toml",
    "discrepancies": "discrepancies batched --id E1",
    "evidence": "evidence batched",
    "export": "export batched --out crate",
    "verify": "verify batched --rows 20",
    "gain": "gain --kernel se --lengthscale 0.2 --dim 1 --points 30 --noise 0.1 --horizon 50",
    "bounds": "bounds --kernel se --lengthscale 0.2 --dim 1 --points 50 --noise 0.3 --horizon 1000 --norm 1",
    "stop": "stop runs.csv --kernel se --lengthscale 0.2 --noise 0.1 --eps 0.1 --points 50",
    "data": "data status",
    "assignment": "assignment make ch3_sizes --out handout",
    "new-paper": 'new-paper gpucb --title "GP-UCB"',
    "doctor": "doctor",
    "completion": 'eval "$(companion completion bash)"',
}


class _Help(argparse.HelpFormatter):
    """An example stays one line."""

    def _fill_text(self, text: str, width: int, indent: str) -> str:
        return text if text.startswith("Example: ") else textwrap.fill(text, width, initial_indent=indent)


class Parser(argparse.ArgumentParser):
    """argparse whose errors are the package's own: one line that names the argument."""

    def error(self, message: str) -> NoReturn:
        """Raise the message as a :class:`~companion.core.errors.ParameterError`."""
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

    def format_help(self) -> str:
        """As argparse has it, but commands in groups."""
        if self._subparsers is None:
            return super().format_help()
        formatter = self._get_formatter()
        formatter.add_usage(self.usage, self._actions, self._mutually_exclusive_groups)
        formatter.add_text(self.description)
        (commands,) = (action for action in self._actions if isinstance(action, argparse._SubParsersAction))
        known = {action.dest: action for action in commands._choices_actions}
        options = [action for action in self._actions if action.option_strings]
        groups = {title: [known[name] for name in names] for title, names in GROUPS.items()}
        for title, actions in {**groups, "options": options}.items():
            formatter.start_section(title)
            formatter.add_arguments(actions)
            formatter.end_section()
        formatter.add_text("Arguments and an example of each: companion COMMAND --help")
        return formatter.format_help()


def parsers() -> tuple[Parser, dict[str, Parser]]:
    """The parser of the whole command line, and those of its commands by name."""
    parser = Parser(
        prog="companion",
        description="Regret bounds of Gaussian-process bandits with every constant explicit, beside measured regret.",
        allow_abbrev=False,
    )
    parser.add_argument("--version", action="version", version=f"companion {__version__}")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", required=True, parser_class=Parser)
    made: dict[str, Parser] = {}

    def add(name: str, summary: str, table: bool = False) -> Parser:
        example = EXAMPLES[name] if name == "completion" else f"companion {EXAMPLES[name]}"
        words: dict[str, Any] = {"help": summary, "description": summary, "epilog": f"Example: {example}"}
        made[name] = commands.add_parser(name, allow_abbrev=False, formatter_class=_Help, **words)
        made[name].add_argument("--json", action="store_true", help="print JSON")
        if table:
            made[name].add_argument("--csv", action="store_true", help="print CSV, a table")
        return made[name]

    _add_run(add("run", "Run a chapter at chosen parameters; the committed notebook is not touched."))
    _add_trial(add("trial", "Run one seeded trial and print its trajectory, or many and write them as a table."))
    _add_sweep(
        add("sweep", "Run a plan of experiments, methods, settings and seeds, alone or shared by many processes.")
    )
    _add_of_papers(add)
    _add_audit(add("audit", "Judge the numbers of any table against a rerun's, by margins from a file.", True))
    stored = add("evidence", "Compute ledger, verdicts and discrepancies of a paper and store them for the book.")
    stored.add_argument("paper", metavar="PAPER", help=ONE_PAPER)
    stored.add_argument(
        "--all", action="store_true", help="also what rests on the same code and data as when it was stored"
    )
    _add_jobs(stored)
    packed = add(
        "export", "Pack a paper's evidence as an RO-Crate: tables, verdicts, ledger, schemas, a script that recomputes."
    )
    packed.add_argument("paper", metavar="PAPER", help=ONE_PAPER)
    packed.add_argument("--out", metavar="DIR", required=True, help="a new or empty folder, or an older crate")
    _add_verify(add("verify", "Compute a sample of a paper's stored runs again and compare the stored digits."))
    _add_gain(add("gain", "Certified two-sided bound on the maximum information gain of a grid or of given points."))
    _add_bounds(add("bounds", "Every width and regret bound of the papers at one setting, in one convention.", True))
    _add_stop(add("stop", "Stop or go on, and why: what a table of evaluations promises, as a certificate."))
    data = add("data", "Real data sets: where they are, whether they are the right ones, and fetching them.")
    data.add_argument("action", metavar="status|fetch|path", help="what to do")
    data.add_argument("name", nargs="?", metavar="NAME", help="one data set, as 'companion data status' lists it")
    _add_assignment(add("assignment", "Make assignments for a course, and grade what is handed in."))
    _add_new(add("new-paper", "Write a small chapter that works, to be replaced piece by piece."))
    add("doctor", "Say what is installed and what is missing.")
    shell = add("completion", "Print what lets TAB complete commands, options and names, for the shell to evaluate.")
    shell.add_argument("shell", metavar="bash|zsh|fish", help="which shell")
    return parser, made


def _add_of_papers(add: Callable[..., Parser]) -> None:
    """What lists or judges the papers' parts."""
    listing = add(
        "list", "List experiments and methods; of one paper also parameters, defaults, ranges, sources.", True
    )
    ledger = add("ledger", "Check every numbered statement: status, both sides, slack.", True)
    verdicts = add("verdicts", "Set reported beside reproduced numbers, each with a verdict.", True)
    suspected = add("discrepancies", "Test every suspected error of a paper, and say what is confirmed.", True)
    for parser in (listing, ledger, verdicts, suspected):
        parser.add_argument("paper", nargs="?", metavar="PAPER", help=f"one only: {ONE_PAPER}")
    listing.add_argument("experiment", nargs="?", metavar="EXPERIMENT", help="one experiment only, in full")
    listing.add_argument("--names", action="store_true", help="names of experiments and methods only")
    verdicts.add_argument("--id", metavar="ID", help="one claim or cell only, in full and with its reason")
    for parser in (ledger, suspected):
        parser.add_argument("--id", metavar="ID", help="one entry only")
        parser.add_argument(
            "--teeth", action="store_true", help="also run the wrong versions, which the check has to catch"
        )
        _add_jobs(parser)


def _add_jobs(parser: Parser, default: str = "-1") -> None:
    words = f"worker processes, -1 for one per core (default: COMPANION_JOBS, or {default})"
    parser.add_argument("--jobs", metavar="N", help=words)


def _add_set(parser: Parser) -> None:
    words: dict[str, Any] = {
        "metavar": "name=value",
        "help": "set one parameter, see 'companion list PAPER'; repeatable",
    }
    parser.add_argument("-p", "--set", dest="set", action="append", default=[], **words)


def _add_run(parser: Parser) -> None:
    parser.add_argument("chapter", metavar="CHAPTER", help=f"{ONE_PAPER}; by the name of a page that page alone")
    parser.add_argument("--profile", default="book", help="smoke, book or paper (default: book)")
    _add_set(parser)
    _add_jobs(parser, "1")
    parser.add_argument("--backend", metavar="loky|dask", help="joblib backend (default: loky)")
    parser.add_argument("--scheduler", metavar="ADDR", help="address of a dask scheduler, e.g. tcp://host:8786")


def _add_trial(parser: Parser) -> None:
    parser.add_argument("paper", metavar="PAPER", help=ONE_PAPER)
    parser.add_argument("experiment", metavar="EXPERIMENT", help="see 'companion list'")
    parser.add_argument("method", nargs="+", metavar="METHOD", help="one or several, apart or with commas")
    parser.add_argument("--seed", metavar="S", help="one run: non-negative integer")
    parser.add_argument("--seeds", metavar="RANGE", help="many runs: 0-99, or 0-4,10")
    _add_set(parser)
    parser.add_argument("--out", metavar="FILE", help="write one row an evaluation: .csv or .parquet, and its record")
    parser.add_argument("--force", action="store_true", help="replace a file that holds something else")
    _add_jobs(parser, "1")
    parser.add_argument(
        "--device", metavar="cpu|cuda", help="all seeds of a method at once, on this device (default: one by one)"
    )


def _add_sweep(parser: Parser) -> None:
    parser.usage = "companion sweep PLAN [run|status|merge] [options]"
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
    _add_jobs(parser)
    parser.add_argument("--backend", metavar="loky|dask", help="joblib backend, or dask (default: loky)")
    parser.add_argument("--scheduler", metavar="ADDR", help="address of a dask scheduler, e.g. tcp://host:8786")


def _add_audit(parser: Parser) -> None:
    parser.add_argument("reported", metavar="REPORTED", help="CSV file: problem, method, metric, mean; spread, n_runs")
    parser.add_argument("reproduced", metavar="REPRODUCED", help="CSV file: one row a run, or mean, sd and n")
    parser.add_argument("margins", metavar="MARGINS", help="TOML file: how far apart two numbers may be")


def _add_verify(parser: Parser) -> None:
    parser.add_argument("paper", metavar="PAPER", help=ONE_PAPER)
    parser.add_argument("--rows", metavar="N", default=None, help="runs computed again (default: 40)")
    parser.add_argument(
        "--seed", metavar="S", default="0", help="which of the runs; successive seeds go through all cells"
    )
    words = "one set of stored tables, of a chapter that has several"
    parser.add_argument("--tables", "--set", dest="tables", metavar="NAME", help=words)
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
    _add_jobs(parser)


def _add_gain(parser: Parser) -> None:
    parser.add_argument("--kernel", required=True, help="se, matern12, matern32 or matern52")
    parser.add_argument("--lengthscale", required=True, metavar="L", help="one number, or one a coordinate: 0.3,2")
    parser.add_argument("--dim", metavar="D", help="dimension of the cube [0,1]^D")
    parser.add_argument("--points", metavar="N", help="grid points per axis")
    parser.add_argument(
        "--candidates", metavar="FILE", help="CSV file, one row a point, in place of --dim and --points"
    )
    parser.add_argument("--columns", metavar="NAMES", help=COLUMNS)
    parser.add_argument("--noise", required=True, metavar="SD", help="standard deviation of the noise; prior sd is 1")
    parser.add_argument("--horizon", required=True, metavar="T", help="number of picks, repetition allowed")


def _add_bounds(parser: Parser) -> None:
    for name, metavar, words in (
        ("kernel", "NAME", "se, matern12, matern32 or matern52, with variance 1"),
        ("lengthscale", "L", "one number, or one a coordinate: 0.3,2"),
        ("dim", "D", "candidates are a grid of [0,1]^D"),
        ("points", "N", "grid points per axis"),
        ("candidates", "FILE", "CSV file of candidates, one row a point, in place of a grid"),
        ("columns", "NAMES", COLUMNS),
        ("covariance", "FILE", "CSV or .npy file of their covariance, in place of kernel and candidates"),
        ("noise", "SD", "standard deviation of the noise"),
        ("horizon", "T", "number of evaluations"),
        ("delta", "P", "probability of failure (default: 0.1)"),
        ("norm", "B", "bound on the norm of f, for batched (chapter 3) and wdrbo (chapter 5)"),
        ("batch", "M", "evaluations in a batch of TS-RSR, tsrsr (chapter 1) (default: 1)"),
        ("batches", "B", "BPE with so many batches, batched (chapter 3)"),
        ("initial", "T0", "maximum-variance evaluations before TS-RSR (default: 0)"),
        ("alpha", "A", "exponent of the budget of compressed (chapter 2) (default: 0.5)"),
        ("ratio", "A", "a of BPE's batch sizes (default: 0.6)"),
        ("regulariser", "L", "lambda of wdrbo (chapter 5) (default: the noise variance)"),
        ("radius", "R", "of the ball of wdrbo (chapter 5) (default: 0)"),
        ("lipschitz", "L", "of the upper confidence bound in the context, where the ball has a radius"),
        ("realised-gain", "I", "gain of the points in fact chosen, nats, for widths that may take it"),
        ("actions", "A", "of an agent, for the game of meanfield (chapter 4)"),
        ("contexts", "C", "of an agent (default: 1)"),
        ("parts", "P", "of the game's laws: multiples of 1/P"),
        ("agents", "M", "for the naive rival of meanfield (chapter 4), whose width contains it"),
        (
            "farthest",
            "T",
            "how far to look for where bounds begin to say something; less is quicker (default: 1000000)",
        ),
    ):
        parser.add_argument(f"--{name}", metavar=metavar, help=words)


def _add_stop(parser: Parser) -> None:
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


def _add_new(parser: Parser) -> None:
    parser.add_argument("slug", metavar="SLUG", help="name of the paper's folder: lower-case letters, digits and '_'")
    parser.add_argument("--title", metavar="TITLE", help="of the chapter (default: the slug)")


def _add_assignment(parser: Parser) -> None:
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
    parser.add_argument(
        "--jobs", metavar="N", help="grade: submissions at a time, -1 for one per core (default: COMPANION_JOBS, or -1)"
    )
