"""Helpers for rules on torch tensors, each row a replicate: device, memory, ties, expected improvement.

This module needs torch, and so is imported where a device was asked for and nowhere else.
"""

from __future__ import annotations

import math
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import torch

from companion.core.errors import ParameterError
from companion.gp import ties

Tensor = Any

DEVICES = ("cpu", "cuda", "mps")
#: Part of the tolerance of ties within which a value counts as being at its end.
DOUBT = 1e-4
_MEMORY, _GROUP = Path("/proc/meminfo"), Path("/sys/fs/cgroup")


def device_named(name: str) -> str:
    """The device as torch names it, refused unless it is here and computes in double precision.

    Parameters
    ----------
    name : ``cpu``, ``cuda`` (also ``cuda:1``) or ``mps``

    Raises
    ------
    ParameterError
        for another name, a device that is not here, and ``mps``, which has no double precision
    """
    kind = name.partition(":")[0]
    if kind not in DEVICES or not re.fullmatch(r"cpu|mps|cuda(:[0-9]{1,3})?", name):
        raise ParameterError("--device", f"got {name!r}", "one of cpu, cuda")
    here = devices_here()
    if kind == "mps":
        problem = "mps has no double precision, in which every number here is computed"
        raise ParameterError("--device", problem, f"one of {', '.join(here)}")
    if (name not in here and name != "cuda") or (name == "cuda" and len(here) == 1):
        raise ParameterError("--device", f"got {name!r}, and torch finds only {', '.join(here)} here", "one of these")
    return name


def devices_here() -> tuple[str, ...]:
    """``cpu``, and the CUDA devices that torch finds, ``cuda:0`` first."""
    found = torch.cuda.device_count() if torch.cuda.is_available() else 0
    return ("cpu", *(f"cuda:{number}" for number in range(found)))


def free_bytes(device: str) -> int | None:
    """Memory that is free on a device now; ``None`` where nobody says."""
    if device.startswith("cuda"):
        return int(torch.cuda.mem_get_info(torch.device(device))[0])
    try:
        available = re.search(r"^MemAvailable:\s+([0-9]+) kB", _MEMORY.read_text(encoding="utf-8"), re.MULTILINE)
    except OSError:  # not Linux
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") if hasattr(os, "sysconf") else None
    free = None if available is None else 1024 * int(available[1])
    left = _left_in_group()
    return left if free is None else free if left is None else min(free, left)


def _left_in_group() -> int | None:
    """Memory left to the container; ``None`` without a limit."""
    try:
        most, used = ((_GROUP / f"memory.{name}").read_text(encoding="utf-8").strip() for name in ("max", "current"))
        return int(most) - int(used)
    except (OSError, ValueError):
        return None


def check_memory(need: int, device: str, replicates: int) -> None:
    """Refuse work that needs more memory than is free.

    Parameters
    ----------
    need : bytes
    device : as torch names it
    replicates : seeds at once, for the advice

    Raises
    ------
    ParameterError
        saying what is needed, what is there, and how many seeds would fit
    """
    free = free_bytes(device)
    if free is None or need <= free:
        return
    fewer = int(replicates * free / need)
    remedy = f"Take at most {fewer} seeds at once" if fewer else "Leave --device out"
    problem = f"{replicates} seeds at once need {_gib(need)} on {device}, where {_gib(free)} are free"
    raise ParameterError("--seeds", problem, remedy=remedy)


def _gib(count: int) -> str:
    return f"{count / 2**30:.3g} GiB"


@contextmanager
def torch_threads(count: int) -> Iterator[None]:
    """So many threads for torch on the processor, as long as this lasts."""
    before = torch.get_num_threads()
    torch.set_num_threads(count)
    try:
        yield
    finally:
        torch.set_num_threads(before)


def lowest_argmaxes(values: Tensor) -> tuple[Tensor, Tensor]:
    """Lowest index of the largest value in each row, ties as in :mod:`companion.gp.ties`, and whether rounding decides it.

    Parameters
    ----------
    values : (..., N)

    Returns
    -------
    (...) indices, and (...) booleans: whether a value is so near to where ties end that other roundings, such as those of
    the same seed run alone, could choose another index

    Examples
    --------
    >>> index, doubtful = lowest_argmaxes(torch.tensor([[1.0, 2.0, 2.0 + 1e-12], [3.0, 3.0 + 3e-9, 1.0]], dtype=torch.float64))
    >>> index.tolist(), doubtful.tolist()
    ([1, 0], [False, True])
    """
    best = values.amax(dim=-1, keepdim=True)
    size = torch.where(torch.isfinite(best), best.abs(), 0.0)
    bar = best - ties.TOLERANCE * size
    doubtful = ((values >= bar - DOUBT * ties.TOLERANCE * size) & (values <= bar + DOUBT * ties.TOLERANCE * size)).any(
        -1
    )
    # argmax of equal numbers is the first of them on every device only for integers.
    return (values >= bar).to(torch.int8).argmax(dim=-1), doubtful & torch.isfinite(best[..., 0])


def argmaxes(values: Tensor) -> tuple[Tensor, Tensor]:
    """The largest value in each row exactly, and whether rounding decides it: others equal it up to the tolerance of ties.

    Examples
    --------
    >>> index, doubtful = argmaxes(torch.tensor([[1.0, 2.0, 2.0 + 1e-12], [1.0, 2.0, 0.0]], dtype=torch.float64))
    >>> index.tolist(), doubtful.tolist()
    ([2, 1], [True, False])
    """
    best = values.amax(dim=-1, keepdim=True)
    near = values >= best - ties.TOLERANCE * best.abs()
    return values.argmax(dim=-1), near.sum(dim=-1) > 1


def log_expected_improvement(mean: Tensor, sd: Tensor, incumbent: Tensor) -> Tensor:
    """Logarithm of the expected improvement, formulas of :func:`companion.policies.acquisition.log_expected_improvement`.

    Parameters
    ----------
    mean, sd : (R, N)
    incumbent : (R, 1)
    """
    z = (mean - incumbent) / sd
    log_density = -0.5 * z**2 - 0.5 * math.log(2 * math.pi)
    upper = torch.clamp(z, min=-1.0)
    near = torch.log(upper * torch.special.ndtr(upper) + torch.exp(-0.5 * upper**2) / math.sqrt(2 * math.pi))
    lower = torch.clamp(z, -1e3, -1.0)
    ratio = math.sqrt(math.pi / 2) * torch.special.erfcx(-lower / math.sqrt(2))
    middle = torch.log1p(lower * ratio)
    far = -2.0 * torch.log(torch.clamp(-z, min=1.0))
    tail = log_density + torch.where(z > -1e3, middle, far)
    return torch.log(sd) + torch.where(z > -1.0, near, tail)
