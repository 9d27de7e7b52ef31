"""Instruction sets of the processor: digits depend on them, and stored digits are compared with computed ones.

OpenBLAS and NumPy choose among kernels by the processor. Two sets of kernels add the same numbers in another order, so
their results differ in the last bits, and a run that takes the larger of two nearly equal values may then go another way.
The companion's programs ask for :data:`PORTABLE`, which every x86-64 processor since about 2014 has, whatever the
environment says; ``COMPANION_KERNELS`` names the other set, or ``auto`` for the libraries' own choice. Pages and evidence
are those of :data:`PORTABLE`. Of older stored runs the record says which set made them. Where others are in use, what is
decided still has to come out the same; digits and counts of cases need not.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterable, MutableMapping
from importlib import metadata
from pathlib import Path

#: Kernels for SSE4.2, AVX2 and AVX-512, by OpenBLAS' names. Nothing is stored with the first: they show whether a run is one
#: that other kernels send another way.
NARROW, PORTABLE, WIDE = "Nehalem", "Haswell", "SkylakeX"

MEANS = {NARROW: "SSE4.2", PORTABLE: "AVX2", WIDE: "AVX-512"}

CHOICE, AUTO = "COMPANION_KERNELS", "auto"

CORE_TYPE, WITHOUT = "OPENBLAS_CORETYPE", "NPY_DISABLE_CPU_FEATURES"

#: NumPy's names of its loops for AVX2, and of all for AVX-512: before 2.4, and since. A name that it lacks makes it warn.
_OLD_LOOPS = "AVX F16C FMA3 AVX2", "AVX512F AVX512CD AVX512_SKX AVX512_CLX AVX512_CNL AVX512_ICL"
_LOOPS = "X86_V3", "X86_V4 AVX512_ICL AVX512_SPR"

#: From this version of NumPy on, its OpenBLAS (0.3.34) may end the process with the kernels for AVX2, in an eigendecomposition.
CRASHING = (2, 5, 2)

_NEEDED = {
    NARROW: {"sse4_2"},
    PORTABLE: {"avx2", "fma"},
    WIDE: {"avx512f", "avx512cd", "avx512bw", "avx512dq", "avx512vl"},
}

_PROCESSOR = Path("/proc/cpuinfo")


def pin(environment: MutableMapping[str, str] | None = None) -> str:
    """Ask for the chosen set where the processor has it; to be called before NumPy is imported.

    Parameters
    ----------
    environment : variables to set; those of this process and of the processes it starts by default

    Returns
    -------
    the set that is asked for; empty where the choice is left to the libraries
    """
    variables = os.environ if environment is None else environment
    chosen = variables.get(CHOICE) or (PORTABLE if numpy_version() < CRASHING else AUTO)
    if not able(chosen):
        return ""
    variables[CORE_TYPE] = chosen
    narrow, wide = _LOOPS if numpy_version() >= (2, 4) else _OLD_LOOPS
    left_out = {NARROW: f"{narrow} {wide}", PORTABLE: wide}
    if chosen in left_out:
        variables[WITHOUT] = left_out[chosen]
    else:
        variables.pop(WITHOUT, None)
    return chosen


def numpy_version() -> tuple[int, ...]:
    """Numbers of the installed NumPy's version, which is not imported: (2, 4, 6)."""
    return tuple(map(int, re.findall(r"\d+", metadata.version("numpy"))[:3]))


def danger() -> str:
    """One line where the installed NumPy may end the process, as it is known to on such processors; else empty."""
    if numpy_version() < CRASHING or not able(PORTABLE) or able(WIDE):
        return ""
    version = ".".join(map(str, numpy_version()))
    remedy = "install one below 2.5.2 if a program ends with a segmentation fault: pip install 'numpy<2.5.2'"
    return f"NumPy {version} has an OpenBLAS that may crash on processors with AVX2 and without AVX-512, as this one; {remedy}"


def restart() -> None:
    """Start this program again with the chosen set, where NumPy was loaded without: for modules that store results when run."""
    before = dict(os.environ)
    if pin() and os.environ != before:
        os.execv(sys.executable, [sys.executable, *sys.orig_argv[1:]])


def able(kernels: str) -> bool:
    """Whether this processor has what a set needs; only Linux says so in a file."""
    try:
        flags = set(_PROCESSOR.read_text(encoding="utf-8", errors="replace").split())
    except OSError:
        return False
    return kernels in _NEEDED and flags >= _NEEDED[kernels]


def second() -> str:
    """A set that the processor has and this process does not use; empty where there is none."""
    here = in_use()
    return next((name for name in (NARROW, PORTABLE) if here and name != here and able(name)), "")


def in_use() -> str:
    """The set that does all linear algebra and all loops of this process; empty where that are several, or before NumPy 2.0."""
    try:
        from numpy.lib.introspect import opt_func_info
    except ModuleNotFoundError:
        return ""

    found = set(blas_instruction_sets())
    loops = opt_func_info(func_name="^exp$", signature="float64")["exp"].values()
    wide = any(loop["current"] in ("X86_V4", "AVX512_SKX") for loop in loops)
    one = found.pop() if len(found) == 1 else ""
    return one if (one == WIDE) == wide else ""


def as_stored() -> bool:
    """Whether digits of pages and evidence come out here.

    They were made on a processor without AVX-512. With it, and its wider kernels switched off, all five pages came out digit
    for digit.
    """
    return in_use() == PORTABLE


def blas_instruction_sets() -> list[str]:
    """Kernels of each linear-algebra library that is loaded, by the names that threadpoolctl has for them."""
    import scipy.linalg  # noqa: F401 - NumPy and SciPy bring a library each, which has to be loaded to be seen
    from threadpoolctl import threadpool_info

    return [str(pool.get("architecture")) for pool in threadpool_info() if pool["user_api"] == "blas"]


def recorded(lines: Iterable[str]) -> str:
    """The set that made a stored result.

    Parameters
    ----------
    lines : of its record's ``blas``, such as ``"openblas 0.3.30 Haswell (1 threads)"``; the first records name no kernels,
        and those were all for AVX-512
    """
    named = {name for line in lines for name in re.findall(r"^openblas \S+ (\w+) \(", line)}
    return WIDE if not named else named.pop() if len(named) == 1 else ""
