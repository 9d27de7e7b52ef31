"""``companion golden MODULE``: a library's answers beside golden values, and the conventions that it follows instead."""

from __future__ import annotations

import importlib
import importlib.util
import sys
from collections import Counter
from dataclasses import asdict
from pathlib import Path
from types import ModuleType
from typing import Annotated

from companion.cli.arguments import text
from companion.cli.show import TEXT, Output, paragraphs
from companion.core.errors import CompanionError, ParameterError
from companion.core.files import repository_root


def execute(
    module: Annotated[
        str, text("MODULE", "a Python file, or the name of a module, with functions to ask", name="MODULE")
    ],
    /,
    *,
    output: Output = TEXT,
) -> int:
    """Check a library's Gaussian processes against values of 17 digits, and name what it does otherwise.

    Those of these functions that MODULE has are asked, by name; book/golden.md says more of them:

        posterior(kernel, lengthscale, variance, noise_sd, X, y, X_new): mean, variance
        log_marginal_likelihood(kernel, lengthscale, variance, noise_sd, X, y)
        gain(kernel, lengthscale, variance, noise_sd, X): information gain
        sample(seed): any numbers drawn with this seed
        standardised, width, ei, log_ei, pi, ucb, stop

    The exit code is 1 unless all pass.

    Example: companion golden mine.py
    """
    checker = _from_file("golden_check", repository_root() / "data" / "golden" / "check.py")
    functions = checker.offered(_loaded(module))
    if not functions:
        known = ", ".join((*checker.GOLDEN["conventions"], "sample"))
        raise ParameterError("MODULE", f"{module} has no function to ask", f"one of {known}")
    found = list(checker.results(functions))
    counts, explained = Counter(r.status for r in found), [f"{kind}: {name}" for kind, name in checker.explained(found)]
    output.give(
        {"cases": [asdict(one) for one in found], "explained": explained, "counts": counts},
        lambda: paragraphs(checker.lines(found)),
    )
    return 1 if counts["wrong"] or counts["fail"] else 0


def _loaded(name: str) -> ModuleType:
    """The module of a file or of this name; what it raises when imported is told in one line."""
    path, there = Path(name), "a Python file, or a module that can be imported"
    if not path.is_file() and (name.endswith(".py") or not all(map(str.isidentifier, name.split(".")))):
        raise ParameterError("MODULE", f"there is no file {name}", there)
    sys.path.insert(0, str(path.resolve().parent if path.is_file() else Path.cwd()))
    try:
        return _from_file("asked", path) if path.is_file() else importlib.import_module(name)
    except Exception as error:
        if isinstance(error, ModuleNotFoundError) and error.name == name.partition(".")[0]:
            raise ParameterError("MODULE", f"there is no module {name}", there) from None
        raise CompanionError(f"{name} does not run: {type(error).__name__}: {error}") from error


def _from_file(name: str, path: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise ImportError("it is no Python file")
    made = sys.modules[name] = importlib.util.module_from_spec(spec)  # where dataclasses look for it
    spec.loader.exec_module(made)
    return made
