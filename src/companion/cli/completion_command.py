"""``companion completion``: the code with which a shell completes commands, options and names."""

from __future__ import annotations

from typing import Annotated, Literal

from companion.cli import application
from companion.cli.arguments import text
from companion.cli.show import TEXT, Output


def execute(
    shell: Annotated[Literal["bash", "zsh", "fish"], text("SHELL", "which shell", name="SHELL")],
    /,
    *,
    output: Output = TEXT,
) -> int:
    """Print what lets TAB complete commands, options and names, for the shell to evaluate.

    Example: companion completion bash
    """
    code = application(summaries=True).generate_completion(shell=shell)
    return output.give({"shell": shell, "code": code}, lambda: code.strip("\n"))
