"""What runs beside the cells in the page's Python: a program at a time, its figures, and its errors in the reader's terms."""

import ast
import builtins
import contextlib
import copy
import functools
import io
import json
import linecache
import logging
import os
import sys
import traceback

import numpy

#: Names that the page's cells share; the file that each program leaves behind; where Matplotlib looks for settings.
PAGE: dict = {"__name__": "__main__"}
RESULT, SETTINGS, CHECK = "/tmp/result.json", "/tmp/home/.config/matplotlib/matplotlibrc", "<check>"
#: Colours of figures in light pages, as matplotlibrc has them, and in dark ones.
COLOURS = {"#1b1f24": "#e8e8e8", "#5a626c": "#a9b1bb", "#d9dde2": "#3a424c", "#0072b2": "#56b4e9", "#d55e00": "#ff9d57"}
COLOURS |= {"#009e73": "#2fd0a4", "#a8508c": "#dda0cf", "#7a6a00": "#f0e442"}


def run(name: str, code: str, alone: bool = False, before: str = "", check: str = "") -> None:
    """Run a program, and leave its error and its figures in :data:`RESULT`. One that runs alone leaves the page as it was."""
    result, given = {"error": None, "said": None, "missing": None, "figures": []}, []
    names, judge, put_back = PAGE, {"__name__": "__main__", "__builtins__": dict(vars(builtins))}, lambda: None
    for place, text in ((CHECK, before), (name, code)):
        linecache.cache[place] = (len(text), None, text.splitlines(keepends=True), place)
    try:
        tree = ast.parse(code, name)
        if alone:
            names, put_back = apart(ast.parse(before), tree)
            exec(compile(before, CHECK, "exec"), judge)
            names |= {key: value for key, value in judge.items() if not key.startswith("__")}
            names.pop(check, None)
        last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
        exec(compile(tree, name, "exec"), names)
        value = eval(compile(ast.Expression(last.value), name, "eval"), names) if last else None
        if check:
            put_back()
            numpy.set_printoptions(legacy="1.25")  # numbers in messages without their types
            assert callable(names.get(check)), f"It defines no function {check}."
            judge[f"check_{check}"](lambda *one, **more: given.append(names[check](*one, **more)) or given[-1])
        result["figures"] = figures()
        if value is not None and not result["figures"]:
            sys.stdout.write(f"{value!r}\n")
    except BaseException as problem:
        result["said"], result["error"] = told(problem, name, check, given)
        result["missing"] = problem.name if type(problem) is NameError else None
        if "matplotlib.pyplot" in sys.modules:
            sys.modules["matplotlib.pyplot"].close("all")
    put_back()
    sys.stdout.flush()
    sys.stderr.flush()
    with open(RESULT, "w", encoding="utf-8") as target:
        json.dump(result, target)


def apart(*trees: ast.Module) -> tuple:
    """Copies of the page's names and values, and what puts modules and settings back, but for what was not there before."""
    names, memo = {}, {}
    for name, value in PAGE.items():
        with contextlib.suppress(Exception):  # modules and iterators cannot be copied
            names[name] = value
            names[name] = copy.deepcopy(value, memo)
    for node in (node for tree in trees for node in ast.walk(tree) if isinstance(node, (ast.Import, ast.ImportFrom))):
        with contextlib.suppress(Exception):
            exec(compile(ast.Module([node], []), CHECK, "exec"), {})
    loaded, errors, printing = dict(sys.modules), numpy.geterr(), numpy.get_printoptions()
    saved = [(vars(one), dict(vars(one))) for one in loaded.values() if isinstance(one, type(sys))]

    def put_back() -> None:
        for now, then in saved:
            now.update({key: value for key, value in then.items() if value is not None and now.get(key) is not value})
        sys.modules.update(loaded)
        numpy.seterr(**errors)
        numpy.set_printoptions(**printing)

    return names, put_back


def told(problem: BaseException, name: str, check: str, given: list) -> tuple[str, str]:
    """An error in a sentence, and with the lines of the reader's program that led to it; ``given`` is what a check was given."""
    tried, only = traceback.extract_tb(problem.__traceback__), traceback.format_exception_only(problem)
    lines = traceback.format_list([frame for frame in tried if frame.filename == name][-6:])
    if isinstance(problem, MemoryError) or "array is too big" in str(problem):
        said = "MemoryError: more was asked for than the 4 GB that a page can have. Restart Python gives back what was taken."
    elif isinstance(problem, ModuleNotFoundError):
        said = f"ModuleNotFoundError: this needs {problem.name}, which is not in the page; use a Python of your own."
    elif given and given[-1] is None and not lines:
        said = f"{check} returned None."
    elif isinstance(problem, AssertionError) and tried[-1].filename in (CHECK, __file__):
        said = str(problem).strip() or tried[-1].line
    elif given and not lines:
        said = f"{only[0].strip()}, from what {check} returned: {given[-1]!r:.80}"
    else:
        return only[-1 if isinstance(problem, SyntaxError) else 0].strip(), "".join([*lines, *only]).rstrip()
    return said, said


def figures() -> list[dict[str, str]]:
    """All open figures of Matplotlib as SVG for light and for dark pages, and in words; they are closed."""
    found = []
    if "matplotlib.pyplot" in sys.modules:
        from matplotlib import pyplot

        for number in pyplot.get_fignums():
            figure, target = pyplot.figure(number), io.StringIO()
            figure.savefig(target, format="svg", metadata={"Date": None})
            light = target.getvalue()
            dark = functools.reduce(lambda text, pair: text.replace(*pair), COLOURS.items(), light)
            alt = f"Figure drawn by this cell. {'; '.join(map(words, figure.axes))}"
            found.append({"light": light, "dark": dark, "alt": alt})
        pyplot.close("all")
    return found


def words(axes: object) -> str:
    """Title, labels and legend of a panel."""
    title, across, up = axes.get_title(), axes.get_xlabel(), axes.get_ylabel()
    labels = [title, across and f"across {across}", up and f"up {up}", *axes.get_legend_handles_labels()[1]]
    return ", ".join(filter(None, labels)) or "a panel without words"


os.makedirs(os.path.dirname(SETTINGS), exist_ok=True)
with open(SETTINGS, "wb") as _file:
    _file.write(__loader__.get_data("/lib.zip/run_in_page_matplotlibrc"))
sys.stdout.reconfigure(line_buffering=True)
os.makedirs("/tmp/work", exist_ok=True)
os.chdir("/tmp/work")
# Symbols whose fonts are not in the page are taken from one that is, without a word for each.
logging.getLogger("matplotlib.font_manager").setLevel(logging.ERROR)
# Counts of 64 bits, which are usual elsewhere, are refused where an index has 32; no other function of NumPy is so strict.
_repeat = numpy.repeat
numpy.repeat = lambda a, repeats, axis=None: _repeat(a, numpy.asarray(repeats).astype(numpy.intp), axis)
