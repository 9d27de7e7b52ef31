"""A generator of calls that have to be refused, over all commands, profiles, environment variables and files.

Every call is bad by construction: a name that no list has, a number outside its declared range, text where a number belongs, a
file with a fault put into it. What the refusal has to say is known from the construction too: whose name, and what is allowed.
Hypothesis draws the parts, and shrinks a call that is not refused well to the simplest one.
"""

from __future__ import annotations

import typing
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cache, partial
from itertools import chain, pairwise
from pathlib import Path
from typing import Any

from hypothesis import strategies as st

from companion import registry
from companion.cli import COMMANDS, application, arguments, arguments_of
from companion.core.parameters import Parameter, ParameterSet
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


Draw = Callable[[st.SearchStrategy[Any]], Any]
LETTERS = "abcdefghijklmnopqrstuvwxyz"
#: Texts that are the name of nothing; some of them would be dangerous in a shell, a terminal or a path.
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


#: What a program can be given as an argument, but for surrogates.
ANY_TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)


def pick(draw: Draw, among: Sequence[Any]) -> Any:
    """One of them; the first ones are the simplest."""
    return draw(st.sampled_from(among))


def seldom(draw: Draw) -> bool:
    """One time in five."""
    return bool(draw(st.integers(0, 4)) == 4)


def typo(draw: Draw, name: str, known: Sequence[str]) -> str:
    """``name`` with a letter wrong, missing, doubled or added, and none of the known names."""
    letter, place = st.sampled_from(LETTERS), st.integers(0, len(name) - 1)
    wrong = st.one_of(
        st.builds(lambda at, new: name[:at] + new + name[at + 1 :], place, letter),
        st.builds(lambda at: name[:at] + name[at + 1 :], place),
        st.builds(lambda at: name[:at] + name[at] + name[at:], place),
        st.builds(lambda new: name + new, letter),
    )
    return str(draw(wrong.filter(lambda text: is_wrong(text, known))))


def is_wrong(name: str, known: Sequence[str]) -> bool:
    """Whether it is none of the names, nor a chapter's number, nor an option."""
    text = name.strip()
    return bool(text) and text not in known and not text.startswith("-") and not text.replace("ch", "").isdigit()


def wrong_name(draw: Draw, known: Sequence[str]) -> str:
    """A name that is not among the known ones: mostly a slip, sometimes anything."""
    if seldom(draw):
        return str(draw(st.sampled_from(ODD[2:]) | ANY_TEXT.filter(lambda text: is_wrong(text, known))))
    return typo(draw, pick(draw, list(known)), known)


def reads(read: Callable[[str], object], text: str) -> bool:
    """Whether some text is a value."""
    try:
        read(text)
    except ValueError:
        return False
    return True


def is_bool(text: str) -> None:
    if text.strip().lower() not in ("true", "false"):
        raise ValueError


def no_value_of(read: Callable[[str], object], listed: Sequence[str]) -> st.SearchStrategy[str]:
    """Texts that ``read`` refuses: some that are likely to slip through, and any."""
    return st.sampled_from(listed) | ANY_TEXT.filter(lambda text: not reads(read, text))


NO_WHOLE, NO_REAL = no_value_of(int, BAD_WHOLE), no_value_of(float, BAD_REAL)
NO_BOOL = no_value_of(is_bool, BAD_BOOL)


def wrong_value(draw: Draw, parameter: Parameter) -> str:
    """Text that a parameter cannot have: another type, or beyond the declared range."""
    kind = parameter.item_type
    if kind == "str":
        choices = [str(choice) for choice in parameter.choices or ()]
        bad = st.sampled_from([typo(draw, choice, choices) for choice in choices] or [""])
    else:
        bad = {"int": NO_WHOLE, "float": NO_REAL, "bool": NO_BOOL}[kind]
    if parameter.default is None:
        bad = bad.filter(lambda text: text.strip() not in ("None", ""))
    if parameter.is_list:
        return str(draw(bad.map("[{}".format) | st.sampled_from(("[]", "[[1]]", "{}"))))
    outside = [] if parameter.choices else beyond(parameter)
    return str(draw(st.one_of(*outside, bad)))


def beyond(parameter: Parameter) -> list[st.SearchStrategy[str]]:
    """Numbers outside the declared range, its open ends among them."""
    low, high = parameter.low, parameter.high
    if parameter.item_type == "int":
        below = [] if low is None else [st.integers(max_value=int(low) - (not parameter.low_open))]
        above = [] if high is None else [st.integers(min_value=int(high) + (not parameter.high_open))]
    elif parameter.item_type == "float":
        finite = {"allow_nan": False, "allow_infinity": False}
        below = [] if low is None else [st.floats(max_value=low, exclude_max=not parameter.low_open, **finite)]
        above = [] if high is None else [st.floats(min_value=high, exclude_min=not parameter.high_open, **finite)]
    else:
        return []
    return [numbers.map(repr) for numbers in below + above]


# -- kinds -------------------------------------------------------------------------------------------------------------


def unknown_command(draw: Draw) -> Call:
    return Call("command", (wrong_name(draw, commands()),), "command", (*commands()[:1],))


@cache
def known(command: str) -> list[Any]:
    """The arguments of a command."""
    return arguments_of(application(), command)


def commands() -> list[str]:
    """Names of all commands."""
    return list(chain(*COMMANDS.values()))


def unknown_option(draw: Draw) -> Call:
    command = pick(draw, commands())
    options = [option for one in known(command) for option in one.names if option.startswith("--")]
    wrong = "--" + typo(draw, pick(draw, options)[2:], [option[2:] for option in options])
    given = wrong if draw(st.booleans()) else f"{wrong}=3"
    return Call("option", (command, *WORDS.get(command, ()), given), wrong, ("expected one of -h",))


def dashes_for_a_value(draw: Draw) -> Call:
    command = pick(draw, [name for name in commands() if taking(name)])
    option = pick(draw, taking(command))
    return Call("--option=--", (command, *WORDS.get(command, ()), f"{option}=--"), option, ("expected a value",))


def no_value(draw: Draw) -> Call:
    command = pick(draw, [name for name in commands() if taking(name)])
    option = pick(draw, taking(command))
    return Call("no value", (command, *WORDS.get(command, ()), option), option, ("expected one after it",))


def taking(command: str) -> list[str]:
    """Options of a command that take a value."""
    return [
        one.name
        for one in known(command)
        if one.name.startswith("-") and not one.is_flag() and one.parameter.consume_multiple is None
    ]


BOUNDS = (
    *("--kernel", "se", "--lengthscale", "0.2", "--dim", "1"),
    *("--points", "9", "--noise", "0.1", "--horizon", "20"),
)
STOP = ("runs.csv", *("--kernel", "se", "--lengthscale", "0.2", "--noise", "0.1"), *("--eps", "0.1", "--points", "9"))
#: Positional and required words of the commands that have some.
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
    "golden": ("my_library",),
}


def too_many(draw: Draw) -> Call:
    command = pick(draw, [name for name in commands() if name not in ("trial", "sweep", "settle", "everything")])
    full = {"data": ("status", "boston"), "assignment": ("list", "ch3_sizes")}
    optional = {
        "list": ("batched", "appendix-e"),
        **dict.fromkeys(("ledger", "verdicts", "discrepancies"), ("batched",)),
    }
    words = full.get(command, WORDS.get(command, optional.get(command, ())))
    return Call("too many", (command, *words, "surplus"), "surplus", ("one argument too many",))


def too_few(draw: Draw) -> Call:
    command = pick(draw, [name for name in WORDS if name in commands() and name != "bounds"])
    name = {
        "gain": "--kernel",
        "stop": "RUNS",
        "data": "fetch",
        "assignment": "grade",
        "new-paper": "SLUG",
        "sweep": "PLAN",
    }.get(command, "")
    return Call("too few", (command,), name.strip("-"), ("not given",))


def unknown_paper(draw: Draw) -> Call:
    command = pick(
        draw, ("list", "ledger", "verdicts", "discrepancies", "evidence", "export", "errata", "verify", "trial", "run")
    )
    wrong = wrong_name(draw, registry.slugs())
    words = {"export": (wrong, "--out", "crate"), "trial": (wrong, "appendix-e", "bpe", "--seed", "0")}.get(
        command, (wrong,)
    )
    # Those that also take a chapter's number or notebook name the argument otherwise.
    return Call("paper", (command, *words), "", ("batched", "ch3", "no chapter", "expected"))


def unknown_id(draw: Draw) -> Call:
    command = pick(draw, ("ledger", "discrepancies", "errata"))
    paper = pick(draw, registry.slugs())
    wrong = wrong_name(draw, ("lemma-1", "theorem-1", "E1"))
    return Call("id", (command, paper, "--id", wrong + "-no"), "id", ("expected", "Did you mean", "one of"))


@cache
def experiments() -> list[tuple[tuple[str, str], Experiment]]:
    """All experiments, by paper and name."""
    return list(registry.experiments().items())


@cache
def chapter_parameters(paper: str) -> ParameterSet:
    """What a chapter may be called with."""
    return registry.chapter_parameters(paper)


def trial(draw: Draw, *more: str) -> tuple[tuple[str, ...], ParameterSet]:
    """A call of ``trial`` without its seed, and the experiment's parameters."""
    (paper, name), experiment = pick(draw, experiments())
    return ("trial", paper, name, pick(draw, experiment.method_names), *more), experiment.parameters


def bad_parameter(draw: Draw) -> Call:
    words, known = trial(draw, "--seed", "0")
    parameter = known[pick(draw, known.names)]
    value = wrong_value(draw, parameter)
    return Call("parameter", (*words, "--set", f"{parameter.name}={value}"), parameter.name, (parameter.expected,))


def unknown_parameter(draw: Draw) -> Call:
    words, known = trial(draw, "--seed", "0")
    wrong = typo(draw, pick(draw, known.names), known.names)
    given = pick(draw, (f"{wrong}=1", f"{wrong}=", wrong))
    return Call(
        "parameter's name", (*words, "--set", given), wrong if "=" in given else "name=value", ("expected", "Did you")
    )


def bad_seed(draw: Draw) -> Call:
    words, _ = trial(draw)
    value = draw(NO_WHOLE | st.integers(max_value=-1).map(str) | st.integers(min_value=2**63).map(str))
    if draw(st.booleans()):
        value = pick(draw, ("9-0", "1-", "-", "a-b", "0,0", "1-3,2", "0-99999999", "1--3", "-3-1"))
        return Call("seeds", (*words, f"--seeds={value}"), "seed", ("expected",))
    return Call("seed", (*words, f"--seed={value}"), "seed", ("expected",))


def unknown_method(draw: Draw) -> Call:
    (paper, name), experiment = pick(draw, experiments())
    wrong = typo(draw, pick(draw, experiment.method_names), experiment.method_names)
    return Call("method", ("trial", paper, name, wrong, "--seed", "0"), "method", experiment.method_names[:1])


def unknown_experiment(draw: Draw) -> Call:
    paper = pick(draw, registry.slugs())
    known = [name for _, name in registry.experiments(paper)]
    return Call(
        "experiment",
        ("trial", paper, typo(draw, pick(draw, known), known), "x", "--seed", "0"),
        "experiment",
        known[:1],
    )


def limits_of(command: str) -> dict[str, Parameter]:
    """What the options of a command may be, where their values are checked."""
    found = {}
    for one in known(command):
        if isinstance(one.parameter.converter, partial) and "limits" in one.parameter.converter.keywords:
            name, hint = (
                one.name[2:],
                typing.get_args(one.hint)[0] if type(None) in typing.get_args(one.hint) else one.hint,
            )
            found[name] = Parameter(
                name, arguments.KINDS.get(hint, "str"), None, "-", "-", **one.parameter.converter.keywords["limits"]
            )
    return found


def bad_gain(draw: Draw) -> Call:
    limits = limits_of("gain")
    name = pick(draw, [name for name in limits if f"--{name}" in WORDS["gain"]])
    words = list(WORDS["gain"])
    words[words.index(f"--{name}") : words.index(f"--{name}") + 2] = [f"--{name}={wrong_value(draw, limits[name])}"]
    return Call("gain", ("gain", *words), name, (limits[name].expected,))


def bad_stop(draw: Draw) -> Call:
    limits = limits_of("stop")
    name = pick(draw, [each for each in limits if each not in ("norm", "horizon")])
    files = {"runs.csv": b"x,y\n0.1,0.4\n0.7,1.2\n"}
    if seldom(draw):
        content = pick(draw, (b"x,y\n0.1\n", b"x,y\n0.1,a\n0.2,1\n", b"", b"0.1\n0.2\n", b"0.1,nan\n"))
        return Call("stop", ("stop", *STOP), "RUNS", ("expected", "no finite number"), files={"runs.csv": content})
    if seldom(draw):
        wrong = typo(draw, "srinivas", ("srinivas", "union", "probability"))
        return Call("stop", ("stop", *STOP, f"--rule={wrong}"), "rule", ("expected",), files=files)
    bad = f"--{name}={wrong_value(draw, limits[name])}"
    return Call("stop", ("stop", *STOP, bad), name, (limits[name].expected,), files=files)


def bad_bounds(draw: Draw) -> Call:
    words = dict(zip(BOUNDS[::2], BOUNDS[1::2], strict=True))
    counts, numbers = ("dim", "points", "horizon", "batch", "initial"), ("noise", "delta", "norm", "alpha", "ratio")
    name = pick(draw, (*counts, *numbers, "kernel"))
    if name == "kernel":
        bad: Sequence[str] = (typo(draw, "matern32", ("matern32", "matern12", "matern52")), "", "SE")
    else:
        low = ("-1", "0") if name not in ("initial", "norm", "alpha") else ("-1",)
        bad = [*(text for text in (BAD_WHOLE if name in counts else BAD_REAL) if text not in ("", "None")), *low]
    given = words | {f"--{name}": pick(draw, list(bad))}
    return Call("bounds", ("bounds", *(f"{key}={value}" for key, value in given.items())), name, ("expected",))


def bad_jobs(draw: Draw) -> Call:
    command = pick(draw, ("ledger", "discrepancies", "evidence", "verify", "run"))
    value = draw(NO_WHOLE | st.sampled_from(("0", "-2", "1025", "--1")))
    return Call("jobs", (command, *WORDS.get(command, ("batched",)), f"--jobs={value}"), "jobs", ("expected",))


def bad_environment(draw: Draw) -> Call:
    name, values = pick(
        draw,
        (
            ("COMPANION_JOBS", ("0", "-2", "--5", "many", "1.5", "9" * 5000, "\u0661", "1025")),
            ("COMPANION_BACKEND", ("lokky", "ray", "LOKY", "x" * 3000)),
        ),
    )
    words = pick(
        draw, (("ledger", "batched", "--id", "lemma-1"), ("run", "3"), ("discrepancies", "batched", "--id", "E1"))
    )
    value = pick(draw, values)
    return Call("environment", words, name, ("expected",), environment={name: value})


def bad_chapter_parameter(draw: Draw) -> Call:
    paper = pick(draw, registry.slugs())
    known = chapter_parameters(paper)
    parameter = known[pick(draw, known.names)]
    words = ("run", paper, "-p", f"{parameter.name}={wrong_value(draw, parameter)}")
    return Call("chapter's parameter", words, parameter.name, (parameter.expected,))


def bad_profile_name(draw: Draw) -> Call:
    wrong = wrong_name(draw, ("smoke", "book", "paper"))
    return Call("profile", ("run", pick(draw, registry.slugs()), f"--profile={wrong}"), "profile", ("smoke",))


def bad_form(draw: Draw) -> Call:
    wrong = wrong_name(draw, ("crate", "mlrc", "codecheck", "optunahub"))
    return Call("form", ("export", "batched", "--form", wrong, "--out", "crate"), "form", ("crate, mlrc, codecheck",))


def bad_backend(draw: Draw) -> Call:
    wrong = typo(draw, pick(draw, ("loky", "dask")), ("loky", "dask", "threading"))
    return Call("backend", ("run", "3", f"--backend={wrong}"), "backend", ("loky",))


def bad_data(draw: Draw) -> Call:
    if draw(st.booleans()):
        return Call("data", ("data", typo(draw, "status", ("status", "fetch", "path"))), "ACTION", ("status",))
    wrong = typo(draw, pick(draw, ("boston", "mnist", "digits")), ("boston", "mnist", "digits"))
    return Call("data", ("data", pick(draw, ("status", "fetch", "path")), wrong), "NAME", ("boston",))


def bad_shell(draw: Draw) -> Call:
    wrong = typo(draw, pick(draw, ("bash", "zsh", "fish")), ("bash", "zsh", "fish"))
    return Call("shell", ("completion", wrong), "SHELL", ("bash",))


def bad_columns(draw: Draw) -> Call:
    files = {"points.csv": b"id,heat,time\n1,0.2,3\n2,0.4,5\n"}
    command = pick(draw, ("gain", "bounds"))
    words = [word for word in WORDS[command] if word not in ("--dim", "1", "--points", "9")]
    wrong = pick(draw, (typo(draw, "heat", ("id", "heat", "time")), "heat,", "", "x" * 3000))
    if seldom(draw):
        return Call("columns", (command, *words, "--columns=heat"), "--columns", ("a file of candidates",))
    given = (*words, "--candidates=points.csv", f"--columns={wrong}")
    return Call("columns", (command, *given), "columns", ("some of id, heat, time",), files=files)


def bad_slug(draw: Draw) -> Call:
    taken = pick(draw, registry.slugs())
    wrong = pick(
        draw, ("1st", "Upper", "with-hyphen", "with space", "../up", "", "class", "x" * 3000, "\u00e9t\u00e9", taken)
    )
    return Call("slug", ("new-paper", wrong), "SLUG", ("expected", "there already", "is taken", "exists"))


def bad_assignment(draw: Draw) -> Call:
    if draw(st.booleans()):
        return Call("assignment", ("assignment", typo(draw, "grade", ("grade",))), "ACTION", ("list",))
    return Call("assignment", ("assignment", pick(draw, ("list", "make")), "ch3_sizzes"), "", ("ch3_sizes",))


# -- files -------------------------------------------------------------------------------------------------------------

PLAN = 'seeds = "0-1"\n[[runs]]\nexperiment = "batched/appendix-e"\nmethods = ["bpe"]\n'


def bad_plan(draw: Draw) -> Call:
    old, new = pick(
        draw,
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
        ),
    )
    content = PLAN.replace(old, new).encode()
    if seldom(draw):
        content = pick(draw, (b"", b"\xff\xfe", b"a=" + b"[" * 3000, b"\x00"))
    words = ("sweep", "plan.toml", *pick(draw, ((), ("status",), ("merge",))))
    return Call("plan", words, "plan.toml", ("expected", "valid", "not", "Did"), files={"plan.toml": content})


def bad_shard(draw: Draw) -> Call:
    value = pick(draw, ("0/3", "4/3", "1/0", "a/b", "1", "/", "1/2/3", "-1/3", "1/" + "9" * 5000, ""))
    return Call(
        "shard", ("sweep", "plan.toml", f"--shard={value}"), "shard", ("expected",), files={"plan.toml": PLAN.encode()}
    )


REPORTED = "problem,method,metric,mean,spread,spread_kind,n_runs\np,a,r,1.0,0.5,sd,10\np,b,r,3.0,0.5,sd,10\n"
REPRODUCED = "problem,method,metric,mean,sd,n\np,a,r,1.1,0.5,40\np,b,r,2.0,0.4,40\n"
MARGINS = "significance = 0.05\nconfidence = 0.95\n[metrics.r]\nspreads = 1.0\n"


def bad_audit(draw: Draw) -> Call:
    files = {"reported.csv": REPORTED, "reproduced.csv": REPRODUCED, "margins.toml": MARGINS}
    name = pick(draw, list(files))
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
    content = files[name].replace(*pick(draw, faults[name]), 1).encode()
    if draw(st.booleans()):
        content = pick(draw, (b"", b"\xff\xfe\x00", b'"', b"a=" + b"[" * 3000, b"x" * 200_000))
    shown = {key: text.encode() for key, text in files.items()} | {name: content}
    argument = "REP" if name != "margins.toml" else "MARGINS"
    return Call(
        "audit", ("audit", *files), argument, ("expected", "no ", "not", "repeats", "has ", "negative"), files=shown
    )


def no_such_file(draw: Draw) -> Call:
    wrong = pick(draw, ("none.csv", ".", "/dev/null", "/proc/none", "a\x00b", "x" * 3000, "reported.csv/none"))
    words = ["reported.csv", "reproduced.csv", "margins.toml"]
    place = draw(st.integers(0, 2))
    words[place] = wrong
    files = {"reported.csv": REPORTED.encode(), "reproduced.csv": REPRODUCED.encode(), "margins.toml": MARGINS.encode()}
    return Call(
        "no file", ("audit", *words), ("REPORTED", "REPRODUCED", "MARGINS")[place], ("file", "read"), files=files
    )


KINDS: tuple[Callable[[Draw], Call], ...] = (
    *(unknown_command, unknown_option, dashes_for_a_value, no_value, too_many, too_few, unknown_paper, unknown_id),
    *(bad_parameter, unknown_parameter, bad_seed, unknown_method, unknown_experiment, bad_gain, bad_bounds, bad_stop),
    *(bad_jobs, bad_environment, bad_chapter_parameter, bad_profile_name, bad_backend, bad_data, bad_shell),
    *(bad_columns, bad_slug, bad_assignment, bad_plan, bad_shard, bad_audit, bad_form, no_such_file),
)


def calls(kind: Callable[[Draw], Call]) -> st.SearchStrategy[Call]:
    """Calls of one kind."""
    return st.composite(kind)()


# -- profiles ----------------------------------------------------------------------------------------------------------


@st.composite
def bad_profiles(draw: Draw, known: ParameterSet) -> tuple[bytes, str]:
    """The content of a profile file that has to be refused, and a text that the refusal has to have."""
    name = pick(draw, known.names)
    bomb = "a: &a [1, 1]\n" + "".join(f"{b}: &{b} [*{a}, *{a}, *{a}]\n" for a, b in pairwise(LETTERS))
    deep = draw(st.integers(500, 40_000))
    contents = (
        (f"{typo(draw, name, known.names)}: 1\n".encode(), "line 1"),
        (f"{name}: {{a: 1}}\n".encode(), name),
        (f"{name}: 1\n{name}: 2\n".encode(), "line"),
        (f"{name}: [1, 2\n".encode(), "YAML"),
        (f"{name}: !!python/object/apply:os.system ['touch PWN']\n".encode(), "YAML"),
        (f"{name}: {'[' * 2000}{']' * 2000}\n".encode(), "profile.yaml"),
        (f"{name}:\n {'- ' * deep}1\n".encode(), "too many lists"),
        (f"- {name}\n".encode(), "mapping"),
        (b"\xff\xfe\x00", "YAML"),
        (f"{name}: .nan\n".encode(), name),
        (b"#" * 200_000, "too long"),
        (bomb.encode(), "alias"),
        (b"a: &a {x: 1}\nb: {<<: [*a, *a]}\n", "alias"),
        (f"1: {name}\n".encode(), "not a name"),
    )
    return pick(draw, contents)


def faults_of(path: Path) -> set[tuple[str, int]]:
    """Names and sizes of everything in a folder, to see whether anything was written."""
    return {(str(one.relative_to(path)), one.stat().st_size) for one in path.rglob("*") if one.is_file()}
