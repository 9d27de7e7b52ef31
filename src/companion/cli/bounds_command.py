"""``companion bounds``: every width and regret bound of the papers at one setting."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Annotated, Any

import cyclopts

from companion.cli.arguments import KERNELS, NOISE, Columns, columns_of, text, value
from companion.cli.show import TABLE, TableOutput, columns, say


@cyclopts.Parameter(name="*")
@dataclass(frozen=True)
class Setting:
    """Arguments of :func:`~companion.papers.across.theory.bounds_table.bounds_table`, by name; those left out are ``None``."""

    kernel: Annotated[
        str | None,
        text("NAME", "se (or rbf), matern12, matern32 or matern52, with variance 1", completer=lambda _: KERNELS),
    ] = None
    lengthscale: Annotated[
        list[float] | None, value("L", "one number, or one a coordinate: 0.3,2", low=0, low_open=True)
    ] = None
    dim: Annotated[int | None, value("D", "candidates are a grid of [0,1]^D")] = None
    points: Annotated[int | None, value("N", "grid points per axis")] = None
    domain: Annotated[str, text("NAME", "grid, or box: all points of [0,1]^D, in place of --points")] = "grid"
    candidates: Annotated[str | None, text("FILE", "CSV file of candidates, one row a point, in place of a grid")] = (
        None
    )
    columns: Columns = None
    covariance: Annotated[
        str | None, text("FILE", "CSV or .npy file of their covariance, in place of kernel and candidates")
    ] = None
    noise_sd: Annotated[float | None, value("SD", "standard deviation of the noise", name=NOISE)] = None
    horizon: Annotated[int | None, value("T", "number of evaluations")] = None
    delta: Annotated[float | None, value("P", "probability of failure (default: 0.1)")] = None
    norm: Annotated[
        float | None, value("B", "bound on the norm of f, for batched (chapter 3) and wdrbo (chapter 5)")
    ] = None
    batch: Annotated[
        int | None, value("M", "evaluations in a batch of TS-RSR, the rule of tsrsr (chapter 1) (default: 1)")
    ] = None
    batches: Annotated[int | None, value("B", "so many batches for BPE, the rule of batched (chapter 3)")] = None
    initial: Annotated[int | None, value("T0", "maximum-variance evaluations before TS-RSR (default: 0)")] = None
    alpha: Annotated[float | None, value("A", "exponent of the budget of compressed (chapter 2) (default: 0.5)")] = None
    ratio: Annotated[float | None, value("A", "a of BPE's batch sizes (default: 0.6)")] = None
    regulariser: Annotated[float | None, value("L", "lambda of wdrbo (chapter 5) (default: the noise variance)")] = None
    radius: Annotated[float | None, value("R", "of the ball of wdrbo (chapter 5) (default: 0)")] = None
    lipschitz: Annotated[
        float | None, value("L", "of the upper confidence bound in the context, where the ball has a radius")
    ] = None
    realised_gain: Annotated[
        float | None, value("I", "gain of the points in fact chosen, nats, for widths that may take it")
    ] = None
    actions: Annotated[int | None, value("A", "of an agent, for the game of meanfield (chapter 4)")] = None
    contexts: Annotated[int | None, value("C", "of an agent (default: 1)")] = None
    parts: Annotated[int | None, value("P", "of the game's laws: multiples of 1/P")] = None
    agents: Annotated[
        int | None, value("M", "for the naive rival of meanfield (chapter 4), whose width contains it")
    ] = None
    farthest: Annotated[
        int | None,
        value("T", "how far to look for where bounds begin to say something; more takes longer (default: the horizon)"),
    ] = None


def execute(*, setting: Setting = Setting(), output: TableOutput = TABLE) -> int:
    """Every width and regret bound of the papers at one setting, in one convention.

    Example: companion bounds --kernel se --lengthscale 0.2 --dim 1 --points 50 --noise 0.3 --horizon 1000 --norm 1
    """
    arguments = arguments_of(setting)
    from companion.api.bounds import bounds_table

    found = bounds_table(**arguments)
    if output.csv:
        say(found.to_csv().rstrip("\n"))
        return 0
    return output.give(found.to_json() if output.json else None, lambda: found.text(columns()))


def arguments_of(setting: Setting) -> dict[str, Any]:
    """What was given, as :func:`companion.papers.across.theory.bounds_table.bounds_table` takes it."""
    names = columns_of(setting.columns, setting.candidates)
    found = {name: given for name, given in vars(setting).items() if given is not None and name != "columns"}
    if os.path.isfile(setting.candidates or ""):  # what is no file is refused with the other arguments
        from companion.core.tables import read_table

        found["candidates"] = read_table(setting.candidates, "candidates", names)
    return {"kernel": None, **found}
