"""Checks a library's Gaussian processes against golden.json: ``python check.py MODULE``, or ``check(posterior=..., gain=...)``.

MODULE has functions named after the kinds of cases: posterior, standardised, gain, log_marginal_likelihood, width, ei, log_ei,
pi, ucb, stop; those it has are asked. Each is called with the ``inputs`` of a case by name. It returns what ``expected`` has, in
that order, as a tuple where there are several, of which the last may be left out; ``None`` says that a case is not offered.
``sample(seed)`` draws some numbers: one seed has to give one draw, another seed another. Needs the standard library alone.
"""

from __future__ import annotations

import importlib
import json
import math
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

GOLDEN = json.loads(Path(__file__).with_name("golden.json").read_text(encoding="utf-8"))
#: So many tolerances may lie between an answer and that of a wrong convention; wrong and right are ten times as far apart.
NEAR = 30.0


@dataclass(frozen=True)
class Result:
    """What became of a case: pass, wrong (which ``conventions`` it looks like), fail, or skip."""

    case: str
    status: str
    text: str = ""
    conventions: tuple[str, ...] = ()


def flat(value: Any) -> list[float]:
    """Numbers of a number, a nested list, an array or a tensor, in their order."""
    value = value.tolist() if hasattr(value, "tolist") else value
    return [x for v in value for x in flat(v)] if isinstance(value, list | tuple) else [float(value)]


def excess(got: dict[str, Any], wanted: dict[str, Any], allowed: dict[str, list[float]]) -> tuple[float, str]:
    """How many tolerances the worst number is off, and which one that is, in words."""
    worst, words = 0.0, ""
    for name in got.keys() & wanted.keys():
        ours, theirs = flat(wanted[name]), flat(got[name])
        if len(ours) != len(theirs):
            return math.inf, f"{name} has {len(theirs)} numbers, not {len(ours)}"
        for k, (right, found) in enumerate(zip(ours, theirs, strict=True)):
            off = abs(found - right)
            slack = allowed[name][0] * abs(right) + allowed[name][1]
            ratio = 0.0 if off == 0 else off / slack if slack and math.isfinite(off) else math.inf
            if ratio > worst:
                digits = max(0.0, -math.log10(off / abs(right))) if right and math.isfinite(off) else 0.0
                worst, words = ratio, f"{name}[{k}] is {found:.12g}, should be {right:.12g} ({digits:.1f} digits)"
    return worst, words


def judged(case: dict[str, Any], answer: Any) -> Result:
    """Pass, or the wrong conventions that give this answer, or neither."""
    if answer is None:
        return Result(case["id"], "skip")
    names = list(case["expected"])
    got = dict(zip(names, answer if len(names) > 1 and isinstance(answer, tuple | list) else [answer], strict=False))
    off, words = excess(got, case["expected"], case["tolerance"])
    if off <= 1:
        return Result(case["id"], "pass")
    like = tuple(name for name, w in case["wrong"].items() if excess(got, w, case["tolerance"])[0] <= NEAR)
    return Result(case["id"], "wrong" if like else "fail", words, like)


def results(functions: dict[str, Callable[..., Any]]) -> Iterator[Result]:
    """One for each case of a kind that there is a function for."""
    for case in GOLDEN["cases"]:
        if case["kind"] in functions:
            try:
                yield judged(case, functions[case["kind"]](**case["inputs"]))
            except Exception as error:
                yield Result(case["id"], "fail", f"raised {type(error).__name__}: {error}")
    if "sample" in functions:
        yield from seeded(functions["sample"])


def seeded(sample: Callable[..., Any]) -> Iterator[Result]:
    """Whether the seed, and nothing else, decides a draw."""
    try:
        one, other, again = (flat(sample(seed)) for seed in (1, 2, 1))
    except Exception as error:
        yield Result("sample/one-seed", "fail", f"raised {type(error).__name__}: {error}")
        return
    told = "" if one == again else "seed 1 gives two draws: something else decides too"
    yield Result("sample/one-seed", "fail" if told else "pass", told)
    told = "" if one != other else "seeds 1 and 2 give one draw: the seed does not reach the sampler"
    yield Result("sample/two-seeds", "fail" if told else "pass", told)


def explained(found: list[Result]) -> list[tuple[str, str]]:
    """Kinds, and the one wrong convention (or several) from which all answers of that kind follow, the right ones too."""
    wrong, names = {case["id"]: case["wrong"] for case in GOLDEN["cases"]}, []
    for kind, conventions in GOLDEN["conventions"].items():
        of_kind = [r for r in found if r.case.startswith(f"{kind}/") and r.status != "skip"]
        for name in conventions if any(r.status != "pass" for r in of_kind) else ():
            if all(name in r.conventions if name in wrong[r.case] else r.status == "pass" for r in of_kind):
                names.append((kind, name))
    return names


def offered(module: Any) -> dict[str, Callable[..., Any]]:
    """Functions of a module that can be asked, by name."""
    return {kind: of for kind in (*GOLDEN["conventions"], "sample") if callable(of := getattr(module, kind, None))}


def check(module: Any = None, **functions: Callable[..., Any]) -> list[Result]:
    """Print what became of every case, and return it."""
    found = list(results(offered(module) | functions))
    print("\n".join(lines(found)))
    return found


def lines(found: list[Result]) -> Iterator[str]:
    """What became of every case, how many, and the meaning of conventions that explain all of a kind."""
    for result in found:
        like = f"; looks like {' or '.join(result.conventions)}" if result.conventions else ""
        yield f"{result.status:5} {result.case} {result.text}{like}".rstrip()
    yield ", ".join(f"{count} {status}" for status, count in Counter(result.status for result in found).items())
    for kind, name in explained(found):
        yield f"all of {kind}: {name}, {GOLDEN['conventions'][kind][name]}"


if __name__ == "__main__":
    sys.path.insert(0, "")
    sys.exit(any(result.status in ("wrong", "fail") for result in check(importlib.import_module(sys.argv[1]))))
