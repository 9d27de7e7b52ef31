"""What runs beside the cells in the page's Python: a program at a time, its figures, and its errors in the reader's terms."""

import ast
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


def run(name: str, code: str, alone: bool = False, before: str = "") -> None:
    """Run a program and leave its error, if there was one, and its figures in :data:`RESULT`.

    ``alone``: in a copy of the page's names, which it cannot change; ``before``: what runs first and is not the reader's.
    """
    names, error, pictures = dict(PAGE) if alone else PAGE, None, []
    linecache.cache[name] = (len(code), None, code.splitlines(keepends=True), name)
    try:
        exec(compile(before, CHECK, "exec"), names)
        tree = ast.parse(code, name)
        last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
        exec(compile(tree, name, "exec"), names)
        value = eval(compile(ast.Expression(last.value), name, "eval"), names) if last else None
        pictures = figures()
        if value is not None and not pictures:
            sys.stdout.write(f"{value!r}\n")
    except BaseException as problem:
        error = told(problem, name)
        if "matplotlib.pyplot" in sys.modules:
            sys.modules["matplotlib.pyplot"].close("all")
    sys.stdout.flush()
    sys.stderr.flush()
    with open(RESULT, "w", encoding="utf-8") as target:
        json.dump({"error": error, "figures": pictures}, target)


def told(problem: BaseException, name: str) -> str:
    """An error, and the lines of the reader's program that led to it."""
    if isinstance(problem, MemoryError) or "array is too big" in str(problem):
        return "MemoryError: more was asked for than the 4 GB that a page can have. Reset gives back what was taken."
    if isinstance(problem, ModuleNotFoundError):
        return (
            f"ModuleNotFoundError: this needs {problem.name}, which is not in the page; run it in a Python of your own."
        )
    frames, said = traceback.extract_tb(problem.__traceback__), traceback.format_exception_only(problem)
    if isinstance(problem, AssertionError) and frames[-1].filename == CHECK:
        return "".join(said).strip()
    return "".join([*traceback.format_list([frame for frame in frames if frame.filename == name][-6:]), *said]).rstrip()


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
os.makedirs("/tmp/work", exist_ok=True)
os.chdir("/tmp/work")
# Symbols whose fonts are not in the page are taken from one that is, without a word for each.
logging.getLogger("matplotlib.font_manager").setLevel(logging.ERROR)
# Counts of 64 bits, which are usual elsewhere, are refused where an index has 32; no other function of NumPy is so strict.
_repeat = numpy.repeat
numpy.repeat = lambda a, repeats, axis=None: _repeat(a, numpy.asarray(repeats).astype(numpy.intp), axis)
