"""Which linear-algebra kernels compute: digits depend on them, and stored digits are compared with computed ones.

OpenBLAS chooses among kernels by the processor. Two of them add the same numbers in another order, so their results differ
in the last bits, and a run that takes the larger of two nearly equal values may then go another way. All stored results
are those of the kernels for AVX-512 (:data:`KERNELS`). The companion's programs ask for them wherever the processor has
them, whatever ``OPENBLAS_CORETYPE`` says; ``COMPANION_KERNELS=auto`` leaves the choice to OpenBLAS. Where others are in
use, what is decided still has to come out the same; digits and counts of cases need not.
"""

from __future__ import annotations

import os
from collections.abc import MutableMapping
from pathlib import Path

KERNELS = "SkylakeX"
"""OpenBLAS' name of its kernels for AVX-512."""

CORE_TYPE, CHOICE, AUTO = "OPENBLAS_CORETYPE", "COMPANION_KERNELS", "auto"

_PROCESSOR = Path("/proc/cpuinfo")


def pin(environment: MutableMapping[str, str] | None = None) -> bool:
    """Ask for :data:`KERNELS` where the processor has them; to be called before NumPy is imported.

    Parameters
    ----------
    environment : variables to set; those of this process and of the processes it starts by default

    Returns
    -------
    whether they are asked for
    """
    variables = os.environ if environment is None else environment
    wanted = variables.get(CHOICE) != AUTO and _has_avx512()
    if wanted:
        variables[CORE_TYPE] = KERNELS
    return wanted


def as_stored() -> bool:
    """Whether all linear algebra of this process is done by the kernels of the stored results."""
    return set(kernels()) == {KERNELS}


def kernels() -> list[str]:
    """Kernels of each linear-algebra library that is loaded, by the names that threadpoolctl has for them."""
    import scipy.linalg  # noqa: F401 - NumPy and SciPy bring a library each, which has to be loaded to be seen
    from threadpoolctl import threadpool_info

    return [str(pool.get("architecture")) for pool in threadpool_info() if pool["user_api"] == "blas"]


def _has_avx512() -> bool:
    """Whether the kernels would run here; only Linux says so in a file."""
    try:
        return "avx512f" in _PROCESSOR.read_text(encoding="utf-8", errors="replace").split()
    except OSError:
        return False
