"""The words of the command line: every command with its arguments, an example, and whom it is for."""

from __future__ import annotations

import argparse
import re
import textwrap
from typing import Any, NoReturn

from companion import __version__
from companion.core.errors import ParameterError

#: How a paper or its chapter may be called, the same in all commands.
ONE_PAPER = "slug of the paper, or its chapter: batched, 3, ch3, ch3_batched"
#: What several commands have.
_SET = "-p/--set name=value  set one parameter, see 'companion list PAPER'; repeatable"
_JOBS = "--jobs N  worker processes, -1 for one per core (default: COMPANION_JOBS, or %s)"
_CLUSTER = "--backend loky|dask  joblib backend (default: loky)\n--scheduler ADDR  address of a dask scheduler, e.g. tcp://host:8786"
_PAPER, _ONLY = f"paper PAPER  {ONE_PAPER}", f"paper? PAPER  one only: {ONE_PAPER}"
_CHECKED = f"""
{_ONLY}
--id ID  one entry only
--teeth  also run the wrong versions, which the check has to catch
{_JOBS % -1}
--csv  print CSV, a row an entry
"""
_KERNEL = "se, matern12, matern32 or matern52"
_SCALE = "--lengthscale%s L  one number, or one a coordinate: 0.3,2"
_COLUMNS = "--columns NAMES  columns of the file that are coordinates: carbon,heat (default: all but one of ids)"

#: Whom commands are for, what each does, an example, and a line an argument. One with ``?`` may be left out, with ``+`` be one
#: or more, with ``*`` be given several times, with ``!`` has to be given; after ``=`` stands a default; an option without a
#: name for its value is a switch; of those with ``|`` one may be given.
COMMANDS = f"""
# for readers and researchers
run  Run a chapter at chosen parameters; the committed notebook is not touched.
$ companion run 3 --profile smoke -p horizon=200
chapter CHAPTER  {ONE_PAPER}; by the name of a page that page alone
--profile=book PROFILE  smoke, book or paper (default: book)
{_SET}
{_JOBS % 1}
{_CLUSTER}
trial  Run one seeded trial and print its trajectory, or many and write them as a table.
$ companion trial batched appendix-e bpe --seeds 0-9 --set horizon=100 --out runs.csv
{_PAPER}
experiment EXPERIMENT  see 'companion list'
method+ METHOD  one or several, apart or with commas
--seed S  one run: non-negative integer
--seeds RANGE  many runs: 0-99, or 0-4,10
{_SET}
--out FILE  write one row an evaluation: .csv or .parquet, and its record
--force  replace a file that holds something else
{_JOBS % 1}
--device cpu|cuda  all seeds of a method at once, on this device (default: one by one)
sweep  Run a plan of experiments, methods, settings and seeds, alone or shared by many processes.
$ companion sweep plan.toml --shard 1/4
words+ PLAN [run|status|merge]  TOML file, or a paper for the runs it stores; and what to do (default: run)
--out FOLDER  where the results of a TOML file are kept (default: PLAN without .toml)
--shard i/n  only part i of n, from 1/n to n/n
{_JOBS % -1}
{_CLUSTER}
list  List experiments and their methods; of one paper also parameters, defaults, ranges, sources.
$ companion list batched appendix-e
{_ONLY}
experiment? EXPERIMENT  one experiment only, in full
--names  names of experiments and methods only
--csv  print CSV, a row a parameter
ledger  Check every statement, numbered or not: status, both sides, slack.
$ companion ledger batched --id lemma-10 --teeth
{_CHECKED}
verdicts  Set reported beside reproduced numbers, each with a verdict.
$ companion verdicts tsrsr --id gp-lowest-mean
{_ONLY}
--id ID  one claim or cell only, in full and with its reason
--csv  print CSV, a row an entry
audit  Judge the numbers of any table against a rerun's, by margins from a file.
$ companion audit reported.csv reproduced.csv margins.toml
reported REPORTED  CSV file: problem, method, metric, mean; spread, n_runs
reproduced REPRODUCED  CSV file: one row a run, or mean, sd and n
margins MARGINS  TOML file: how far apart two numbers may be
--csv  print CSV, a row a number
discrepancies  Test every suspected error of a paper, and say what is confirmed.
$ companion discrepancies batched --id E1
{_CHECKED}
export  Pack a paper's evidence: RO-Crate, summary, CODECHECK, or its sampler for OptunaHub.
$ companion export batched --form mlrc --out folder
{_PAPER}
--form=crate crate|mlrc|codecheck|optunahub  what for (default: crate)
--out! DIR  a new or empty folder, or an older export
errata  Each confirmed error of a paper for its authors, with ten lines that show it.
$ companion errata batched --form letter
{_PAPER}
--id ID  one erratum only
--form=markdown markdown|letter|json  how it is told (default: markdown)
--out FILE  write into a new file instead of the screen
gain  Certified two-sided bound on the maximum information gain of a grid, of given points, or of a box.
$ companion gain --kernel se --lengthscale 0.2 --dim 1 --points 30 --noise 0.1 --horizon 50
--kernel! NAME  {_KERNEL}
{_SCALE % "!"}
--dim D  dimension of the cube [0,1]^D
--points N  grid points per axis
--candidates FILE  CSV file, one row a point, in place of --dim and --points
--domain=grid NAME  grid, or box: all points of [0,1]^D, in place of --points
{_COLUMNS}
--noise! SD  standard deviation of the noise; prior sd is 1
--horizon! T  number of picks, repetition allowed
bounds  Every width and regret bound of the papers at one setting, in one convention.
$ companion bounds --kernel se --lengthscale 0.2 --dim 1 --points 50 --noise 0.3 --horizon 1000 --norm 1
--csv  print CSV, a row a bound
--kernel NAME  {_KERNEL}, with variance 1
{_SCALE % ""}
--dim D  candidates are a grid of [0,1]^D
--points N  grid points per axis
--domain=grid NAME  grid, or box: all points of [0,1]^D, in place of --points
--candidates FILE  CSV file of candidates, one row a point, in place of a grid
{_COLUMNS}
--covariance FILE  CSV or .npy file of their covariance, in place of kernel and candidates
--noise SD  standard deviation of the noise
--horizon T  number of evaluations
--delta P  probability of failure (default: 0.1)
--norm B  bound on the norm of f, for batched (chapter 3) and wdrbo (chapter 5)
--batch M  evaluations in a batch of TS-RSR, the rule of tsrsr (chapter 1) (default: 1)
--batches B  so many batches for BPE, the rule of batched (chapter 3)
--initial T0  maximum-variance evaluations before TS-RSR (default: 0)
--alpha A  exponent of the budget of compressed (chapter 2) (default: 0.5)
--ratio A  a of BPE's batch sizes (default: 0.6)
--regulariser L  lambda of wdrbo (chapter 5) (default: the noise variance)
--radius R  of the ball of wdrbo (chapter 5) (default: 0)
--lipschitz L  of the upper confidence bound in the context, where the ball has a radius
--realised-gain I  gain of the points in fact chosen, nats, for widths that may take it
--actions A  of an agent, for the game of meanfield (chapter 4)
--contexts C  of an agent (default: 1)
--parts P  of the game's laws: multiples of 1/P
--agents M  for the naive rival of meanfield (chapter 4), whose width contains it
--farthest T  how far to look for where bounds begin to say something; more takes longer (default: the horizon)
stop  Stop or go on, and why: what a table of evaluations promises, as a certificate.
$ companion stop runs.csv --kernel se --lengthscale 0.2 --noise 0.1 --eps 0.1 --points 50
runs RUNS  CSV file, one row an evaluation: coordinates, and the value last
--minimise  small values are better (default: large)
--kernel! NAME  {_KERNEL}
{_SCALE % "!"}
--noise! SD  standard deviation of the noise, in units of the values
--eps! E  what the point taken may lose to the best candidate
--delta P  probability with which it may lose more (default: 0.1)
--candidates FILE  CSV file of all candidates, one row a point
--points N  candidates are a grid of [0,1]^d with N points an axis
--norm B  bound on the norm of f (default: none, f is a draw of the prior)
--variance V  prior variance k(x, x) (default: 1)
--mean M  prior mean (default: 0)
--rule NAME  a rule of cp.certificate, or a width
--horizon T  most evaluations, for rules that have to know
data  Real data sets: where they are, whether they are the right ones, and fetching them.
$ companion data status
action status|fetch|path  what to do
name? NAME  one data set, as 'companion data status' lists it
doctor  Say what is installed and what is missing.
$ companion doctor
completion  Print what lets TAB complete commands, options and names, for the shell to evaluate.
$ companion completion bash
shell bash|zsh|fish  which shell
# for authors of a chapter
new-paper  Write a small chapter that works, to be replaced piece by piece.
$ companion new-paper gpucb --title "GP-UCB"
slug SLUG  name of the paper's folder: lower-case letters, digits and '_'
--title TITLE  of the chapter (default: the slug)
evidence  Compute ledger, verdicts and discrepancies of a paper and store them for the book.
$ companion evidence batched
{_PAPER}
--all  also what rests on the same code and data as when it was stored
{_JOBS % -1}
settle  Compare stored results with what the code gives, where code or data have changed.
$ companion settle pages/ch3_batched --accept
names* NAME  pages/ch3_batched, evidence/batched/ledger/lemma-1, runs/batched, or a beginning of it (default: all)
--accept  store what the code gives now
--all  compare also what rests on the same code and data as before
{_JOBS % -1}
verify  Compute a sample of a paper's stored runs again and compare the stored digits.
$ companion verify batched --rows 20
{_PAPER}
--rows N  runs computed again (default: 40)
--seed=0 S  which of the runs; successive seeds go through all cells
--tables/--set NAME  one set of stored tables, of a chapter that has several
| --against COMMIT  {argparse.SUPPRESS}
| --print  {argparse.SUPPRESS}
| --renew? finished  first make and store runs of an older version and lacking seeds; 'finished': only put finished cells in place
--only FILE  {argparse.SUPPRESS}
{_JOBS % -1}
# for teachers
assignment  Make assignments for a course, and grade what is handed in.
$ companion assignment make ch3_sizes --out handout
action list|make|rubric|try|check|grade|report|key|export  what to do
name? NAME  an assignment, or its file; check: a notebook; grade: a folder of them; report: what grade wrote; key: an id
--assignment NAME  grade, key: which assignment
--students FILE  roster: CSV with the column id; also name, email, canvas_id
--secret=course.secret FILE  default: course.secret
--out FOLDER  where to write (default: below build/; for grade below grades/)
--csv  rubric: as Canvas imports it
--format=gradescope gradescope|otter  export: which format
--wheels FOLDER  export: wheels to put into the archive
--rung RUNG  grade: bubblewrap, namespaces, user or none (default: the strongest there is)
--no-sandbox  grade: where there is no sandbox, run code without
--python FILE  grade: Python for student code, with NumPy and SciPy
--time=60 SECONDS  grade: limit of a submission (default: 60)
--memory=2 GB  grade: limit of each process (default: 2)
--again  grade: also what has its result already
--only* ID  grade: this student alone, again; repeatable
--anyway  grade: also if most notebooks are of another assignment or secret
--points q1=5,q2=0  grade: other points of questions; 0 drops one
--late RATE  grade: what a day late costs, such as 10%%/day of all points (default: nothing)
--grace DAYS  grade: days late that cost nothing (default: 0)
--overrides FILE  grade: changes by hand, and days late (default: overrides.csv in the folder of the grades)
--title TEXT  grade: title of the column at Canvas or Moodle (default: the assignment's)
--jobs N  grade: submissions at a time, -1 for one per core (default: COMPANION_JOBS, or -1)
"""


class Parser(argparse.ArgumentParser):
    """argparse whose errors are the package's own: one line that names the argument."""

    def error(self, message: str) -> NoReturn:
        """Raise the message as a :class:`~companion.core.errors.ParameterError`."""
        required = re.fullmatch(r"the following arguments are required: (.*)", message)
        if required:
            raise ParameterError(required.group(1), "not given", remedy=f"See {self.prog} --help")
        argument = re.fullmatch(r"argument ([^:]+): (.*)", message, flags=re.DOTALL)
        if argument and argument.group(2) == "expected one argument":
            raise ParameterError(argument.group(1), "has no value", "one after it", f"See {self.prog} --help")
        if argument:
            raise ParameterError(argument.group(1), argument.group(2))
        raise ParameterError("arguments", message)

    def options(self) -> list[str]:
        """All option strings."""
        return [option for action in self._actions for option in action.option_strings]

    def add(self, line: str) -> None:
        """An argument from its line in :data:`COMMANDS`."""
        if line.startswith("| ") and not self._mutually_exclusive_groups:
            self.add_mutually_exclusive_group()
        home = self._mutually_exclusive_groups[0] if line.startswith("| ") else self
        words, told = line.removeprefix("| ").split("  ", 1)
        flags, _, metavar = words.partition(" ")
        flags, _, default = flags.partition("=")
        more: dict[str, Any] = {"metavar": metavar, "default": default or None} if metavar else {"action": "store_true"}
        if flags[-1] in "?+":
            more |= {"nargs": flags[-1], "const": "all"} if flags[0] == "-" else {"nargs": flags[-1]}
        more |= (
            {"required": True}
            if flags[-1] == "!"
            else {"nargs": "*"}
            if flags[-1] == "*" and flags[0] != "-"
            else {"action": "append", "default": []}
            if flags[:2] == "-p" or flags[-1] == "*"
            else {}
        )
        more["help"] = argparse.SUPPRESS if told == argparse.SUPPRESS else told  # which argparse tells by its identity
        home.add_argument(*flags.rstrip("?+!*").split("/"), **more)


def parsers() -> tuple[Parser, dict[str, Parser]]:
    """The parser of the whole command line, and those of its commands by name."""
    parser = Parser(
        prog="companion",
        description="Regret bounds of Gaussian-process bandits with every constant explicit, beside measured regret.",
        epilog="Arguments and an example of each: companion COMMAND --help",
        allow_abbrev=False,
    )
    parser.add_argument("--version", action="version", version=f"companion {__version__}")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", required=True, parser_class=Parser)
    made: dict[str, Parser] = {}
    parser._subparsers._group_actions.clear()  # type: ignore[union-attr]  # they stand in groups
    for line in filter(None, COMMANDS.splitlines()):
        if line.startswith("# "):
            group = parser.add_argument_group(line[2:])
        elif command := re.match(r"([a-z][a-z-]*)  (.*)", line):
            name, told = command.groups()
            words: dict[str, Any] = {"help": told, "description": textwrap.fill(told, 80), "allow_abbrev": False}
            words["formatter_class"] = argparse.RawDescriptionHelpFormatter  # an example stays one line
            made[name] = commands.add_parser(name, **words)
            group._group_actions.append(commands._choices_actions[-1])
            made[name].add_argument("--json", action="store_true", help="print JSON")
        elif line.startswith("$ "):
            made[name].epilog = f"Example: {line[2:]}"
        else:
            made[name].add(line)
    made["sweep"].usage = "companion sweep PLAN [run|status|merge] [options]"
    return parser, made
