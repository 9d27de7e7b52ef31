"""Formulas of the ledger as plain text: ``$\\beta_t\\le\\sqrt{2}$`` reads β_t ≤ √2."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator

_RELATIONS = "le ≤ ge ≥ ne ≠ in ∈ notin ∉ sim ~ approx ≈ to → subset ⊂ subseteq ⊆ cup ∪ cap ∩ mid | iff ⇔"
_SYMBOLS = """
sum Σ prod Π int ∫ bigcup ∪ partial ∂ infty ∞ cdot · dots … lceil ⌈ rceil ⌉ lfloor ⌊ rfloor ⌋ langle ⟨ rangle ⟩ ell ℓ | ‖ { { } }
star * ast * top T downarrow ↓ epsilon ε varepsilon ε forall ∀ times × pm ±
"""
_NOTHING = "big bigl bigr left right displaystyle limits mathcal mathbf mathrm mathbb boldsymbol text operatorname !"
_SIGNS = dict.fromkeys(_NOTHING.split(), "") | dict.fromkeys((",", ";", " "), " ")
for _listed, _blank in ((_RELATIONS, " "), (_SYMBOLS, "")):
    _SIGNS |= {name: f"{_blank}{sign}{_blank}" for name, sign in re.findall(r"(\S+) (\S+)", _listed)}
#: What stands before and behind the argument of a macro.
_AROUND = {"tilde": ("", "\u0303"), "hat": ("", "\u0302"), "bar": ("", "\u0304"), "abs": "||", "norm": "‖‖"}


def plain(text: str) -> str:
    """``text`` with its formulas, which stand between dollar signs, as plain text."""
    return re.sub(r"\$([^$]+)\$", lambda found: _formula(found[1]), text)


def _formula(tex: str) -> str:
    tokens = iter(re.findall(r"\\[A-Za-z]+|\\.|\S", tex, flags=re.DOTALL))
    words = "".join(_sign(token, tokens) for token in tokens)
    # No blanks inside brackets, before an index, or between a function and its argument.
    return re.sub(r" +(?=[)\]},;_^ ])|(?<=[(\[]) +|(?<=[a-z]) +(?=\()", "", words).strip()


def _sign(token: str, rest: Iterator[str]) -> str:
    """Value of a token, with the arguments that it takes from the rest."""
    name = token[1:] if token[0] == "\\" else ""
    if token == "{":
        return "".join(_sign(inner, rest) for inner in iter(lambda: next(rest, "}"), "}"))
    if token in "_^":
        inner = _argument(rest)
        return token + (inner if len(inner) == 1 else f"({inner})")
    if name in ("frac", "tfrac", "dfrac"):
        return f"{_tight(_argument(rest))}/{_tight(_argument(rest))} "
    if name == "binom":
        return f"C({_argument(rest)}, {_argument(rest)})"
    if name == "sqrt":
        return f"√{_tight(_argument(rest))} "
    if name in _AROUND:
        return _argument(rest).join(_AROUND[name])
    if name in _SIGNS or not name:
        return _SIGNS[name] if name else f" {token} " if token in "=<>" else token
    try:
        case = "CAPITAL" if name[0].isupper() else "SMALL"
        return unicodedata.lookup(f"GREEK {case} LETTER {name.upper().replace('LAMBDA', 'LAMDA')}")
    except KeyError:
        return f" {name} " if len(name) > 1 else name  # log, max, det; E and P


def _argument(rest: Iterator[str]) -> str:
    return _sign(next(rest, " "), rest).strip()


def _tight(words: str) -> str:
    """In brackets, but for a number or one symbol with at most one index: a root of more would not say where it ends."""
    return words if re.fullmatch(r"\d+|\w[\u0300-\u036f]?(_\w)?", words) else f"({words})"
