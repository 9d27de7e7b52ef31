"""A generator of calls that have to be refused, over all commands, profiles, environment variables and files.

Every call is bad by construction: a name that no list has, a number outside its declared range, text where a number belongs, a
file with a fault put into it. What the refusal has to say is known from the construction too: whose name, and what is allowed.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache
from itertools import pairwise
from pathlib import Path

from companion import papers
from companion.cli import arguments
from companion.core.profiles import Parameter, ParameterSet
from companion.simulate.experiment import Experiment


@dataclass(frozen=True)
class Call:
    """A bad call.

    Attributes
    ----------
    kind : of fault, for counts
    words : of the command line
    name : that the refusal has to name
    allowed : texts of which the refusal has to have one
    environment, files : set before, by name and by path relative to the folder of the call
    codes : exit codes that are right
    """

    kind: str
    words: tuple[str, ...]
    name: str
    allowed: tuple[str, ...] = ("expected", "Did you mean", "See companion")
    environment: dict[str, str] = field(default_factory=dict)
    files: dict[str, bytes] = field(default_factory=dict)
    codes: tuple[int, ...] = (2,)


Rng = random.Random
LETTERS = "abcdefghijklmnopqrstuvwxyz"
ODD = (
    "",
    " ",
    "?",
    "*",
    "..",
    "/",
    "\x1b[31m",
    "\u0661\u0662",
    "\U0001f600",
    "x" * 5000,
    "None",
    "null",
    "0x",
    "{}",
    "$(touch PWN)",
)
"""Texts that are the name of nothing; some of them would be dangerous in a shell, a terminal or a path."""
BAD_WHOLE = (
    "",
    "two",
    "1.5",
    "1e3",
    "nan",
    "inf",
    "-inf",
    "1_000",
    "0x10",
    "\u0661",
    "1 2",
    "1,2",
    "9" * 5000,
    "None",
    "True",
)
BAD_REAL = ("", "half", "nan", "inf", "-inf", "1_0.5", "0,5", "1..2", "1/2", "True", "None", "9" * 5000)
BAD_BOOL = ("", "yes", "no", "1", "0", "maybe", "truee", "None")


def generate(seed: int, count: int) -> Iterator[Call]:
    """``count`` calls, the kinds in turn, so that each occurs; the same for the same seed."""
    rng = random.Random(seed)
    for number in range(count):
        yield KINDS[number % len(KINDS)](rng)


def typo(rng: Rng, name: str, known: Sequence[str]) -> str:
    """``name`` with a letter wrong, missing, doubled or added, and none of the known names."""
    while True:
        place, letter = rng.randrange(len(name)), rng.choice(LETTERS)
        wrong = rng.choice(
            (
                name[:place] + letter + name[place + 1 :],
                name[:place] + name[place + 1 :],
                name[:place] + name[place] + name[place:],
                name + letter,
            )
        )
        if wrong not in known and wrong and not wrong.startswith("-") and not wrong.replace("ch", "").isdigit():
            return wrong


def wrong_name(rng: Rng, known: Sequence[str]) -> str:
    """A name that is not among the known ones: mostly a slip, sometimes anything."""
    return rng.choice(ODD[2:]) if rng.random() < 0.2 else typo(rng, rng.choice(list(known)), known)


def wrong_value(rng: Rng, parameter: Parameter) -> str:
    """Text that a parameter cannot have: another type, or beyond the declared range."""
    bad = list({"int": BAD_WHOLE, "float": BAD_REAL, "bool": BAD_BOOL}.get(parameter.item_type, ()))
    if parameter.item_type == "str":
        bad = [
            typo(rng, str(choice), list(map(str, parameter.choices or ()))) for choice in parameter.choices or ("a",)
        ]
        bad = bad if parameter.choices else [""]
    if parameter.default is None:
        bad = [text for text in bad if text.strip() not in ("None", "")]
    if parameter.is_list:
        bad = [f"[{text}" for text in bad] + ["[]", "[[1]]", "{}"]
    elif parameter.item_type in ("int", "float") and parameter.choices is None:
        for end, sign, is_open in ((parameter.low, -1, parameter.low_open), (parameter.high, 1, parameter.high_open)):
            if end is not None:
                step = 1 if parameter.item_type == "int" else 1e-3 * max(1.0, abs(end))
                bad += [repr(type(step)(end) if is_open else end + sign * step)] * 3
    return rng.choice(bad)


# -- kinds -------------------------------------------------------------------------------------------------------------


def unknown_command(rng: Rng) -> Call:
    return Call("command", (wrong_name(rng, commands()),), "command", (*commands()[:1],))


@cache
def parsers() -> dict[str, arguments.Parser]:
    """The parser of every command."""
    return arguments.parsers()[1]


def commands() -> list[str]:
    """Names of all commands."""
    return list(parsers())


def unknown_option(rng: Rng) -> Call:
    command = rng.choice(commands())
    known = [option for option in parsers()[command].options() if option.startswith("--")]
    wrong = "--" + typo(rng, rng.choice(known)[2:], [option[2:] for option in known])
    given = wrong if rng.random() < 0.5 else f"{wrong}=3"
    return Call("option", (command, *WORDS.get(command, ()), given), wrong, ("expected one of -h",))


def dashes_for_a_value(rng: Rng) -> Call:
    command = rng.choice([name for name in commands() if taking(name)])
    option = rng.choice(taking(command))
    return Call("--option=--", (command, *WORDS.get(command, ()), f"{option}=--"), option, ("expected a value",))


def no_value(rng: Rng) -> Call:
    command = rng.choice([name for name in commands() if taking(name)])
    option = rng.choice(taking(command))
    return Call("no value", (command, *WORDS.get(command, ()), option), option, ("expected one argument",))


def taking(command: str) -> list[str]:
    """Options of a command that take a value."""
    actions = parsers()[command]._actions
    return [action.option_strings[-1] for action in actions if action.option_strings and action.nargs is None]


BOUNDS = (
    *("--kernel", "se", "--lengthscale", "0.2", "--dim", "1"),
    *("--points", "9", "--noise", "0.1", "--horizon", "20"),
)
STOP = ("runs.csv", *("--kernel", "se", "--lengthscale", "0.2", "--noise", "0.1"), *("--eps", "0.1", "--points", "9"))
WORDS = {
    "run": ("3",),
    "trial": ("batched", "appendix-e", "bpe"),
    "sweep": ("plan.toml",),
    "audit": ("reported.csv", "reproduced.csv", "margins.toml"),
    "evidence": ("batched",),
    "export": ("batched", "--out", "crate"),
    "errata": ("batched",),
    "verify": ("batched",),
    "gain": (
        *("--kernel", "se", "--lengthscale", "0.2", "--dim", "1"),
        *("--points", "9", "--noise", "0.1", "--horizon", "5", "--domain", "grid"),
    ),
    "bounds": BOUNDS,
    "stop": STOP,
    "data": ("status",),
    "assignment": ("list",),
    "new-paper": ("fresh",),
    "completion": ("bash",),
}
"""Positional and required words of the commands that have some."""


def too_many(rng: Rng) -> Call:
    command = rng.choice([name for name in commands() if name not in ("trial", "sweep")])
    full = {"data": ("status", "boston"), "assignment": ("list", "ch3_sizes")}
    optional = {
        "list": ("batched", "appendix-e"),
        **dict.fromkeys(("ledger", "verdicts", "discrepancies"), ("batched",)),
    }
    words = full.get(command, WORDS.get(command, optional.get(command, ())))
    return Call("too many", (command, *words, "surplus"), "surplus", ("one argument too many",))


def too_few(rng: Rng) -> Call:
    command = rng.choice([name for name in WORDS if name in commands() and name != "bounds"])
    name = {
        "gain": "--kernel",
        "stop": "RUNS",
        "data": "fetch",
        "assignment": "grade",
        "new-paper": "SLUG",
        "sweep": "PLAN",
    }.get(command, "")
    return Call("too few", (command,), name.strip("-"), ("not given",))


def unknown_paper(rng: Rng) -> Call:
    command = rng.choice(
        ("list", "ledger", "verdicts", "discrepancies", "evidence", "export", "errata", "verify", "trial", "run")
    )
    wrong = wrong_name(rng, papers.slugs())
    words = {"export": (wrong, "--out", "crate"), "trial": (wrong, "appendix-e", "bpe", "--seed", "0")}.get(
        command, (wrong,)
    )
    # Those that also take a chapter's number or notebook name the argument otherwise.
    return Call("paper", (command, *words), "", ("batched", "ch3", "no chapter", "expected"))


def unknown_id(rng: Rng) -> Call:
    command = rng.choice(("ledger", "discrepancies", "errata"))
    paper = rng.choice(papers.slugs())
    wrong = wrong_name(rng, ("lemma-1", "theorem-1", "E1"))
    return Call("id", (command, paper, "--id", wrong + "-no"), "id", ("expected", "Did you mean", "one of"))


@cache
def experiments() -> list[tuple[tuple[str, str], Experiment]]:
    """All experiments, by paper and name."""
    return list(papers.experiments().items())


@cache
def chapter_parameters(paper: str) -> ParameterSet:
    """What a chapter may be called with."""
    return papers.chapter_parameters(paper)


def trial(rng: Rng, *more: str) -> tuple[tuple[str, ...], ParameterSet]:
    """A call of ``trial`` without its seed, and the experiment's parameters."""
    (paper, name), experiment = rng.choice(experiments())
    return ("trial", paper, name, rng.choice(experiment.method_names), *more), experiment.parameters


def bad_parameter(rng: Rng) -> Call:
    words, known = trial(rng, "--seed", "0")
    parameter = known[rng.choice(known.names)]
    value = wrong_value(rng, parameter)
    return Call("parameter", (*words, "--set", f"{parameter.name}={value}"), parameter.name, (parameter.expected,))


def unknown_parameter(rng: Rng) -> Call:
    words, known = trial(rng, "--seed", "0")
    wrong = typo(rng, rng.choice(known.names), known.names)
    given = rng.choice((f"{wrong}=1", f"{wrong}=", wrong))
    return Call(
        "parameter's name", (*words, "--set", given), wrong if "=" in given else "name=value", ("expected", "Did you")
    )


def bad_seed(rng: Rng) -> Call:
    words, _ = trial(rng)
    value = rng.choice([*(text for text in BAD_WHOLE), "-1", str(2**63)])
    if rng.random() < 0.4:
        value = rng.choice(("9-0", "1-", "-", "a-b", "0,0", "1-3,2", "0-99999999", "1--3", "-3-1"))
        return Call("seeds", (*words, f"--seeds={value}"), "seed", ("expected",))
    return Call("seed", (*words, f"--seed={value}"), "seed", ("expected",))


def unknown_method(rng: Rng) -> Call:
    (paper, name), experiment = rng.choice(experiments())
    wrong = typo(rng, rng.choice(experiment.method_names), experiment.method_names)
    return Call("method", ("trial", paper, name, wrong, "--seed", "0"), "method", experiment.method_names[:1])


def unknown_experiment(rng: Rng) -> Call:
    paper = rng.choice(papers.slugs())
    known = [name for _, name in papers.experiments(paper)]
    return Call(
        "experiment", ("trial", paper, typo(rng, rng.choice(known), known), "x", "--seed", "0"), "experiment", known[:1]
    )


def bad_gain(rng: Rng) -> Call:
    from companion.cli.gain_command import PARAMETERS

    name = rng.choice(PARAMETERS.names)
    words = list(WORDS["gain"])
    words[words.index(f"--{name}") : words.index(f"--{name}") + 2] = [f"--{name}={wrong_value(rng, PARAMETERS[name])}"]
    return Call("gain", ("gain", *words), name, (PARAMETERS[name].expected,))


def bad_stop(rng: Rng) -> Call:
    from companion.cli.stop_command import PARAMETERS

    name = rng.choice([each for each in PARAMETERS.names if each not in ("rule", "norm", "horizon")])
    files = {"runs.csv": b"x,y\n0.1,0.4\n0.7,1.2\n"}
    if rng.random() < 0.2:
        content = rng.choice((b"x,y\n0.1\n", b"x,y\n0.1,a\n0.2,1\n", b"", b"0.1\n0.2\n", b"0.1,nan\n"))
        return Call("stop", ("stop", *STOP), "RUNS", ("expected", "no finite number"), files={"runs.csv": content})
    if rng.random() < 0.2:
        wrong = typo(rng, "srinivas", ("srinivas", "union", "probability"))
        return Call("stop", ("stop", *STOP, f"--rule={wrong}"), "rule", ("expected",), files=files)
    bad = f"--{name}={wrong_value(rng, PARAMETERS[name])}"
    return Call("stop", ("stop", *STOP, bad), name, (PARAMETERS[name].expected,), files=files)


def bad_bounds(rng: Rng) -> Call:
    words = dict(zip(BOUNDS[::2], BOUNDS[1::2], strict=True))
    counts, numbers = ("dim", "points", "horizon", "batch", "initial"), ("noise", "delta", "norm", "alpha", "ratio")
    name = rng.choice((*counts, *numbers, "kernel"))
    if name == "kernel":
        bad: Sequence[str] = (typo(rng, "matern32", ("matern32", "matern12", "matern52")), "", "SE")
    else:
        low = ("-1", "0") if name not in ("initial", "norm", "alpha") else ("-1",)
        bad = [*(text for text in (BAD_WHOLE if name in counts else BAD_REAL) if text not in ("", "None")), *low]
    given = words | {f"--{name}": rng.choice(list(bad))}
    return Call("bounds", ("bounds", *(f"{key}={value}" for key, value in given.items())), name, ("expected",))


def bad_jobs(rng: Rng) -> Call:
    command = rng.choice(("ledger", "discrepancies", "evidence", "verify", "run"))
    value = rng.choice((*BAD_WHOLE, "0", "-2", "1025", "--1"))
    return Call("jobs", (command, *WORDS.get(command, ("batched",)), f"--jobs={value}"), "jobs", ("expected",))


def bad_environment(rng: Rng) -> Call:
    name, values = rng.choice(
        (
            ("COMPANION_JOBS", ("0", "-2", "--5", "many", "1.5", "9" * 5000, "\u0661", "1025")),
            ("COMPANION_BACKEND", ("lokky", "ray", "LOKY", "x" * 3000)),
        )
    )
    words = rng.choice(
        (("ledger", "batched", "--id", "lemma-1"), ("run", "3"), ("discrepancies", "batched", "--id", "E1"))
    )
    value = rng.choice(values)
    return Call("environment", words, name, ("expected",), environment={name: value})


def bad_chapter_parameter(rng: Rng) -> Call:
    paper = rng.choice(papers.slugs())
    known = chapter_parameters(paper)
    parameter = known[rng.choice(known.names)]
    words = ("run", paper, "-p", f"{parameter.name}={wrong_value(rng, parameter)}")
    return Call("chapter's parameter", words, parameter.name, (parameter.expected,))


def bad_profile_name(rng: Rng) -> Call:
    wrong = wrong_name(rng, ("smoke", "book", "paper"))
    return Call("profile", ("run", rng.choice(papers.slugs()), f"--profile={wrong}"), "profile", ("smoke",))


def bad_form(rng: Rng) -> Call:
    wrong = wrong_name(rng, ("crate", "mlrc", "codecheck", "optunahub"))
    return Call("form", ("export", "batched", "--form", wrong, "--out", "crate"), "form", ("crate, mlrc, codecheck",))


def bad_backend(rng: Rng) -> Call:
    wrong = typo(rng, rng.choice(("loky", "dask")), ("loky", "dask", "threading"))
    return Call("backend", ("run", "3", f"--backend={wrong}"), "backend", ("loky",))


def bad_data(rng: Rng) -> Call:
    if rng.random() < 0.5:
        return Call("data", ("data", typo(rng, "status", ("status", "fetch", "path"))), "ACTION", ("status",))
    wrong = typo(rng, rng.choice(("boston", "mnist", "digits")), ("boston", "mnist", "digits"))
    return Call("data", ("data", rng.choice(("status", "fetch", "path")), wrong), "NAME", ("boston",))


def bad_shell(rng: Rng) -> Call:
    wrong = typo(rng, rng.choice(("bash", "zsh", "fish")), ("bash", "zsh", "fish"))
    return Call("shell", ("completion", wrong), "SHELL", ("bash",))


def bad_columns(rng: Rng) -> Call:
    files = {"points.csv": b"id,heat,time\n1,0.2,3\n2,0.4,5\n"}
    command = rng.choice(("gain", "bounds"))
    words = [word for word in WORDS[command] if word not in ("--dim", "1", "--points", "9")]
    wrong = rng.choice((typo(rng, "heat", ("id", "heat", "time")), "heat,", "", "x" * 3000))
    if rng.random() < 0.2:
        return Call("columns", (command, *words, "--columns=heat"), "--columns", ("a file of candidates",))
    given = (*words, "--candidates=points.csv", f"--columns={wrong}")
    return Call("columns", (command, *given), "columns", ("some of id, heat, time",), files=files)


def bad_slug(rng: Rng) -> Call:
    taken = rng.choice(papers.slugs())
    wrong = rng.choice(
        ("1st", "Upper", "with-hyphen", "with space", "../up", "", "class", "x" * 3000, "\u00e9t\u00e9", taken)
    )
    return Call("slug", ("new-paper", wrong), "SLUG", ("expected", "there already", "is taken", "exists"))


def bad_assignment(rng: Rng) -> Call:
    if rng.random() < 0.5:
        return Call("assignment", ("assignment", typo(rng, "grade", ("grade",))), "ACTION", ("list",))
    return Call("assignment", ("assignment", rng.choice(("list", "make")), "ch3_sizzes"), "", ("ch3_sizes",))


# -- files -------------------------------------------------------------------------------------------------------------

PLAN = 'seeds = "0-1"\n[[runs]]\nexperiment = "batched/appendix-e"\nmethods = ["bpe"]\n'


def bad_plan(rng: Rng) -> Call:
    old, new = rng.choice(
        (
            ('seeds = "0-1"', 'seeds = "1-0"'),
            ('seeds = "0-1"', "seeds = -1"),
            ('seeds = "0-1"', 'sedes = "0-1"'),
            ("batched/", "batchd/"),
            ("/appendix-e", "/appendix-f"),
            ("batched/appendix-e", "appendix-e"),
            ("[[runs]]", "[runs"),
            ("[[runs]]", "[runs]"),
            ('["bpe"]', '["bpx"]'),
            ('["bpe"]', "[]"),
            ('["bpe"]', '["bpe"]\nsettings = {horizonn = 3}'),
            ('["bpe"]', '["bpe"]\nsettings = 3'),
            ('["bpe"]', '["bpe"]\nshards = 3'),
        )
    )
    content = PLAN.replace(old, new).encode()
    if rng.random() < 0.2:
        content = rng.choice((b"", b"\xff\xfe", b"a=" + b"[" * 3000, b"\x00"))
    words = ("sweep", "plan.toml", *rng.choice(((), ("status",), ("merge",))))
    return Call("plan", words, "plan.toml", ("expected", "valid", "not", "Did"), files={"plan.toml": content})


def bad_shard(rng: Rng) -> Call:
    value = rng.choice(("0/3", "4/3", "1/0", "a/b", "1", "/", "1/2/3", "-1/3", "1/" + "9" * 5000, ""))
    return Call(
        "shard", ("sweep", "plan.toml", f"--shard={value}"), "shard", ("expected",), files={"plan.toml": PLAN.encode()}
    )


REPORTED = "problem,method,metric,mean,spread,spread_kind,n_runs\np,a,r,1.0,0.5,sd,10\np,b,r,3.0,0.5,sd,10\n"
REPRODUCED = "problem,method,metric,mean,sd,n\np,a,r,1.1,0.5,40\np,b,r,2.0,0.4,40\n"
MARGINS = "significance = 0.05\nconfidence = 0.95\n[metrics.r]\nspreads = 1.0\n"


def bad_audit(rng: Rng) -> Call:
    files = {"reported.csv": REPORTED, "reproduced.csv": REPRODUCED, "margins.toml": MARGINS}
    name = rng.choice(list(files))
    faults: dict[str, tuple[tuple[str, str], ...]] = {
        "reported.csv": (
            *(("mean", "average"), ("1.0", "one"), ("0.5,sd", "-0.5,sd")),
            *(("sd,10", "std,10"), ("10\n", "1.5\n"), ("p,b", "p,a")),
        ),
        "reproduced.csv": (
            *(("mean", "value"), ("1.1", "1e500"), ("0.4,40", "0.4,1")),
            *(("p,a", "q,a"), ("p,b", "p,a"), (",40", "")),
        ),
        "margins.toml": (
            *(("0.05", "5"), ("0.95", '"95"'), ("metrics.r", "metrics.q")),
            *(("spreads", "spread"), ("1.0", "-1"), ("[", "[[")),
        ),
    }
    content = files[name].replace(*rng.choice(faults[name]), 1).encode()
    if rng.random() < 0.25:
        content = rng.choice((b"", b"\xff\xfe\x00", b'"', b"a=" + b"[" * 3000, b"x" * 200_000))
    shown = {key: text.encode() for key, text in files.items()} | {name: content}
    argument = "REP" if name != "margins.toml" else "MARGINS"
    return Call(
        "audit", ("audit", *files), argument, ("expected", "no ", "not", "repeats", "has ", "negative"), files=shown
    )


def no_such_file(rng: Rng) -> Call:
    wrong = rng.choice(("none.csv", ".", "/dev/null", "/proc/none", "a\x00b", "x" * 3000, "reported.csv/none"))
    words = ["reported.csv", "reproduced.csv", "margins.toml"]
    place = rng.randrange(3)
    words[place] = wrong
    files = {"reported.csv": REPORTED.encode(), "reproduced.csv": REPRODUCED.encode(), "margins.toml": MARGINS.encode()}
    return Call(
        "no file", ("audit", *words), ("REPORTED", "REPRODUCED", "MARGINS")[place], ("file", "read"), files=files
    )


KINDS: tuple[Callable[[Rng], Call], ...] = (
    *(unknown_command, unknown_option, dashes_for_a_value, no_value, too_many, too_few, unknown_paper, unknown_id),
    *(bad_parameter, bad_parameter, bad_parameter, unknown_parameter, bad_seed, unknown_method, unknown_experiment),
    *(
        bad_gain,
        bad_gain,
        bad_bounds,
        bad_stop,
        bad_jobs,
        bad_environment,
        bad_chapter_parameter,
        bad_chapter_parameter,
        bad_profile_name,
    ),
    *(
        bad_backend,
        bad_data,
        bad_shell,
        bad_columns,
        bad_slug,
        bad_assignment,
        bad_plan,
        bad_shard,
        bad_audit,
        bad_audit,
        bad_form,
        no_such_file,
    ),
)


# -- profiles ----------------------------------------------------------------------------------------------------------


def bad_profiles(seed: int, count: int, known: ParameterSet) -> Iterator[tuple[bytes, str]]:
    """Contents of profile files that have to be refused, and a text that the refusal has to have."""
    rng = random.Random(seed)
    bomb = "a: &a [1, 1]\n" + "".join(f"{b}: &{b} [*{a}, *{a}, *{a}]\n" for a, b in pairwise(LETTERS))
    for _ in range(count):
        parameter = known[rng.choice(known.names)]
        name = parameter.name
        yield rng.choice(
            (
                (f"{typo(rng, name, known.names)}: 1\n".encode(), "line 1"),
                (f"{name}: {{a: 1}}\n".encode(), name),
                (f"{name}: 1\n{name}: 2\n".encode(), "line"),
                (f"{name}: [1, 2\n".encode(), "YAML"),
                (f"{name}: !!python/object/apply:os.system ['touch PWN']\n".encode(), "YAML"),
                (f"{name}: {'[' * 2000}{']' * 2000}\n".encode(), "profile.yaml"),
                (f"{name}:\n {'- ' * rng.randrange(500, 40_000)}1\n".encode(), "too many lists"),
                (f"- {name}\n".encode(), "mapping"),
                (b"\xff\xfe\x00", "YAML"),
                (f"{name}: .nan\n".encode(), name),
                (b"#" * 200_000, "too long"),
                (bomb.encode(), "alias"),
                (b"a: &a {x: 1}\nb: {<<: [*a, *a]}\n", "alias"),
                (f"1: {name}\n".encode(), "not a name"),
            )
        )


def faults_of(path: Path) -> set[tuple[str, int]]:
    """Names and sizes of everything in a folder, to see whether anything was written."""
    return {(str(one.relative_to(path)), one.stat().st_size) for one in path.rglob("*") if one.is_file()}
