"""``companion golden MODULE``: a library's answers beside golden values, and the conventions that it follows instead."""

from __future__ import annotations

import importlib
import os
import runpy
import sys
from collections import Counter
from dataclasses import asdict
from pathlib import Path
from types import SimpleNamespace
from typing import Annotated, Any

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
    checker = SimpleNamespace(**runpy.run_path(str(repository_root() / "data" / "golden" / "check.py")))
    functions = checker.offered(SimpleNamespace(**_names(module)))
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


def _names(module: str) -> dict[str, Any]:
    """What a file or a module defines; what it raises when it is run is told in one line."""
    path, there = Path(module), "a Python file, or a module that can be imported"
    there_is = os.path.isfile(module)  # which no length of a name makes fail
    if not there_is and (module.endswith(".py") or not all(map(str.isidentifier, module.split(".")))):
        raise ParameterError("MODULE", f"there is no file {module}", there)
    sys.path.insert(0, str(path.resolve().parent if there_is else Path.cwd()))
    try:
        return runpy.run_path(module) if there_is else vars(importlib.import_module(module))
    except Exception as error:
        if isinstance(error, ModuleNotFoundError) and error.name == module.partition(".")[0]:
            raise ParameterError("MODULE", f"there is no module {module}", there) from None
        raise CompanionError(f"{module} does not run: {type(error).__name__}: {error}") from error
