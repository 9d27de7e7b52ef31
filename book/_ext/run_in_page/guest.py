"""What runs beside the cells inside the page's Python: a program at a time, its figures, and errors in the reader's terms."""

import ast
import contextlib
import functools
import io
import json
import linecache
import logging
import os
import sys
import traceback

#: Names of the page's cells, and of programs that run alone.
PAGE: dict = {"__name__": "__main__", "__builtins__": __builtins__}
#: Colours of figures, in light pages and in dark ones: whatever is drawn in the first is shown in the second.
INK = {"#1b1f24": "#e8e8e8", "#5a626c": "#a9b1bb", "#d9dde2": "#3a424c"}
SERIES = {"#0072b2": "#56b4e9", "#d55e00": "#ff9d57", "#009e73": "#2fd0a4", "#a8508c": "#dda0cf", "#7a6a00": "#f0e442"}


def run(name: str, code: str, alone: bool = False, before: str = "") -> None:
    """Run a program and leave what came of it in ``/tmp/result.json``: a line on the error if there was one, and figures.

    ``alone``: in a copy of the page's names, which it cannot change; ``before``: what runs first, and is not the reader's.
    """
    names, error, pictures = dict(PAGE) if alone else PAGE, None, []
    linecache.cache[name] = (len(code), None, code.splitlines(keepends=True), name)
    try:
        exec(before, names)
        tree = ast.parse(code, name)
        last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
        exec(compile(tree, name, "exec"), names)
        value = eval(compile(ast.Expression(last.value), name, "eval"), names) if last else None
        pictures = figures()
        if value is not None and not pictures:
            print(repr(value))
    except BaseException as problem:
        error = told(problem, name)
        with contextlib.suppress(Exception):
            figures()
    sys.stdout.flush()
    sys.stderr.flush()
    with open("/tmp/result.json", "w", encoding="utf-8") as target:
        json.dump({"error": error, "figures": pictures}, target)


def told(problem: BaseException, name: str) -> str:
    """The end of a traceback, without what lies outside the reader's program."""
    if isinstance(problem, MemoryError):
        return "MemoryError: the cell asked for more memory than the page has, 4 GB at most. Reset gives it back."
    if isinstance(problem, ModuleNotFoundError):
        return f"ModuleNotFoundError: this cell needs {problem.name}, which is not in the page. The notebook has it."
    frames = traceback.extract_tb(problem.__traceback__)
    mine = [place for place, frame in enumerate(frames) if frame.filename == name]
    kept = frames[mine[0] :] if mine else []
    if len(kept) > 8:
        kept = [*kept[:4], *kept[-4:]]
    return "".join([*traceback.format_list(kept), *traceback.format_exception_only(problem)]).rstrip()


def figures() -> list[dict[str, str]]:
    """All open Matplotlib figures as SVG for light and for dark pages, with their words; they are closed."""
    if "matplotlib.pyplot" not in sys.modules:
        return []
    from matplotlib import pyplot

    found = []
    for number in pyplot.get_fignums():
        figure, target = pyplot.figure(number), io.StringIO()
        figure.savefig(target, format="svg", metadata={"Date": None})
        light = dark = target.getvalue()
        for old, new in (INK | SERIES).items():
            dark = dark.replace(old, new)
        found.append({"light": light, "dark": dark, "alt": words(figure)})
    pyplot.close("all")
    return found


def words(figure) -> str:
    """Titles, axes and legends of a figure, for who cannot see it."""
    said = []
    for axes in figure.axes:
        labels = [axes.get_title(), axes.get_xlabel() and f"across {axes.get_xlabel()}", axes.get_ylabel() and f"up {axes.get_ylabel()}"]
        labels += axes.get_legend_handles_labels()[1]
        said.append(", ".join(label for label in labels if label) or "a panel without words")
    return "Figure drawn by this cell. " + "; ".join(said)


def style() -> None:
    """The style of figures, as a settings file that Matplotlib reads when it is first imported."""
    ink, muted, faint = INK
    cycle = ", ".join(repr(colour[1:]) for colour in SERIES)
    settings = f"""
        backend: agg
        figure.constrained_layout.use: True
        figure.facecolor: none
        savefig.facecolor: none
        axes.facecolor: none
        axes.edgecolor: {muted[1:]}
        axes.labelcolor: {ink[1:]}
        axes.titlecolor: {ink[1:]}
        axes.titlesize: 10.5
        axes.spines.top: False
        axes.spines.right: False
        axes.grid: True
        axes.axisbelow: True
        axes.prop_cycle: cycler(color=[{cycle}])
        grid.color: {faint[1:]}
        grid.linewidth: 0.6
        text.color: {ink[1:]}
        xtick.color: {muted[1:]}
        ytick.color: {muted[1:]}
        legend.frameon: False
        xtick.minor.visible: False
        svg.hashsalt: page
    """
    os.makedirs("/tmp/home/.config/matplotlib", exist_ok=True)
    with open("/tmp/home/.config/matplotlib/matplotlibrc", "w", encoding="utf-8") as target:
        target.write(settings)


def even_out() -> None:
    """Let NumPy take counts of 64 bits, which are the default on other machines and are refused where an index has 32."""
    import numpy

    repeat = numpy.repeat
    numpy.repeat = functools.wraps(repeat)(lambda a, repeats, axis=None: repeat(a, numpy.asarray(repeats, dtype=numpy.intp), axis))
    # Fonts for symbols that are not in the page fall back to one that is, without a word for each.
    logging.getLogger("matplotlib.font_manager").setLevel(logging.ERROR)


style()
even_out()
os.makedirs("/tmp/work", exist_ok=True)
os.chdir("/tmp/work")
