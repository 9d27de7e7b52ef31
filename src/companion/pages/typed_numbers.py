"""Results typed by hand: numbers in a chapter's text that should have been inserted from a result.

A number in prose is a result unless it can be recognised as something else. Allowed are numbers

* in formulas and code, such as delta = 0.1, unless the formula or code is nothing but a number, gives a regret or a
  gain a value, or says "approximately",
* that count places: Theorem 1, Tables 1-3, equation (5), Section 3.2, list numbers, years in parentheses,
* that belong to a setting: after a word such as length-scale, seed, width or a parameter of the chapter, before a word
  such as grid or dimension, or in a kernel's name (Matérn 3/2),
* that say how hard an exercise is and how long it takes,
* that are a dimension: 3D, Ackley-2D, toy-1d,
* that are words (three kernels), unless they count cases ("two of three", "seven runs fail") or multiply ("three times
  smaller").

Percentages, "N of M", "N times", "factor N", durations, decimals and powers of ten are results whatever stands beside.
"""

from __future__ import annotations

import ast
import re
import string
from collections.abc import Iterable, Iterator
from pathlib import Path

from companion.core.templates import FIELD

_WORDS = (
    "one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|thirteen|fourteen|fifteen|sixteen|seventeen|eighteen"
    "|nineteen|twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety|hundred|thousand|million"
)
_WORD = rf"(?:{_WORDS})(?:[- ](?:{_WORDS}))*"
_DIGITS = r"[-+−]?\d[\d\u202f,]*(?:\.\d+)?(?:[eE][-+]?\d+)?"
_ANY = rf"(?:{_DIGITS}|{_WORD})"

#: Never a setting: share, count of cases, multiple, duration, power of ten.
_RESULTS = [
    re.compile(pattern, flags=re.IGNORECASE)
    for pattern in (
        rf"\b{_ANY}\s*(?:\\?%|per\s?cent\b|percentage points?)",
        rf"(?<![\w.]){_ANY}\s+(?:out\s+)?of\s+(?:the\s+|all\s+|our\s+|its\s+)?{_ANY}\b",
        rf"\b(?:half|a third|two thirds|a quarter|three quarters|most|none) of (?:the |all |our )?{_ANY}\b",
        rf"\b{_ANY}(?:\s+to\s+{_ANY})?[\s-]*(?:times|×)(?=\s+(?:as|the|more|less|fewer|smaller|larger|lower|higher"
        r"|better|worse|wider|narrower|faster|slower|below|above|too|what|that|its|their)\b|[.,;:)]|$)",
        rf"\b{_ANY}[\s-]?fold\b",
        rf"\b(?:factors?|multiples?)\s+(?:of\s+|about\s+|nearly\s+|almost\s+|at (?:least|most)\s+)*{_DIGITS}",
        rf"\b(?:by|about|around|roughly|approximately|nearly|almost|only)\s+{_DIGITS}",
        rf"\b{_DIGITS}\s*(?:ms|s|sec|secs|seconds?|min|minutes?|hours?|h)\b",
        rf"\b{_WORD}\s+\w+\s+(?:fail|violat|exceed|contradict|break|broke|disagree)\w*",
        rf"{_DIGITS}\s*(?:×|·|\\times|\\cdot)\s*10\s*\^",
    )
]

#: Words that a place's number follows; after a plural stands a list.
_ONE_PLACE = (
    r"Theorem|Thm\.?|Proposition|Prop\.?|Lemma|Corollary|Remark|Definition|Assumption|Table|Figure|Fig\.?|Section|Sec\.?|§"
    r"|Appendix|App\.?|Chapter|Lesson|Algorithm|Alg\.?|Equation|eq\.?|inequality|condition|rule|batch|arm|class|line|step|case"
    r"|item|part|page|Exercise|Example|Question|Hint"
)
_PLACES = (
    r"Theorems|Thms\.?|Propositions|Props\.?|Lemmas|Lemmata|Corollaries|Remarks|Definitions|Assumptions|Tables|Figures|Figs\.?"
    r"|Sections|Secs\.?|Appendices|Apps\.?|Chapters|Lessons|Algorithms|Equations|eqs\.?|inequalities|conditions|rules|batches|arms"
    r"|classes|lines|steps|items|parts|pages|Exercises|Examples|Questions"
)
_LABEL = r"\(?[A-Z]?\.?\d+(?:\.\d+)*[a-z]?\)?(?:\(\w+\))?(?:\s*[–-]\s*\(?\d+\)?)?"
_PLACE = re.compile(
    rf"\b(?i:{_ONE_PLACE})\s*{_LABEL}(?![\d%]|\s*%)"
    rf"|\b(?i:{_PLACES})\s*{_LABEL}(?:\s*(?:,\s*and|,|and|or|to)\s*{_LABEL})*(?![\d%]|\s*%)"
)
_YEAR = re.compile(r"\((?:[A-Z][^()\d]*\s)?(?:1[89]|20)\d\d[a-z]?\)")

#: Words that the value of a setting follows or precedes. Parameters of the chapter are added.
_SETTING_BEFORE = (
    r"length-?scales?|noise|noise standard deviations?|fixed widths?|seeds?|horizons?|dimensions?|degree|order|nu|delta"
    r"|confidence level|tolerance|version|Python|profile|square|cube|domain|log2 T|[aTtdα-ωΨ](?=\s*=)"
)
_SETTING_AFTER = r"-?dimensional|dimensions?|grid|points per axis|per axis|cores?|workers?|significant digits|decimals?"
_KERNEL = re.compile(r"\bMat[ée]rn[- ]?\d/2(?:,? (?:and|or) \d/2)?|\b\d/2\b")
_LEVEL = re.compile(r"\b\d+(?:\.\d+)?\s*%\s+(?:(?:confidence|significance)\s+)?(?:intervals?|level)\b")
_FUNCTION = re.compile(r"\b[a-z]\w*\(\d+\)")
_LIST = re.compile(r"^\s*(?:>\s*)*\d+[.)]\s", flags=re.MULTILINE)
_DIMENSION = re.compile(r"-?\b\d+[dD]\b")
#: First line of an exercise.
_EFFORT = re.compile(r"^\*Level \d of \d, about \d+ minutes(?:, with code)?\.\*$", flags=re.MULTILINE)

_FENCE = re.compile(
    r"^(?P<fence>`{3,}|:{3,})(?P<head>[^\n]*)\n(?P<body>.*?)^(?P=fence)\s*$", flags=re.MULTILINE | re.DOTALL
)
_COMMENT = re.compile(r"<su[bp]>.*?</su[bp]>|<!--.*?-->|^%[^\n]*$", flags=re.MULTILINE | re.DOTALL)
_ROLE = re.compile(r"\{[\w:.-]+\}`[^`]*`")
_ADDRESS = re.compile(r"\]\([^)]*\)|<https?://[^>]*>|https?://\S+|\[\^[^\]]*\]|</?[A-Za-z][^>\n]*>")
_CODE = re.compile(r"(?<!`)(`+)(?!`)(?P<body>.+?)(?<!`)\1(?!`)", flags=re.DOTALL)
_DISPLAY = re.compile(r"\$\$(?P<body>.*?)\$\$", flags=re.DOTALL)
_INLINE = re.compile(r"(?<![\\$])\$(?P<body>[^$]+)\$")

_SPACING = re.compile(r"\\[,;:! ]|\\(?:quad|qquad|text|mathrm|mathbf)\b|[{}~\s]")
_BARE = re.compile(
    rf"(?:\\approx|\\sim|\\simeq|\\pm|=|<|>|\\le|\\ge)*{_DIGITS}(?:\\?%|(?:\\times|\\cdot)(?:10\^-?\d+)?)?(?:\\pm{_DIGITS})?"
)
_MEASURED = re.compile(
    r"(?:^|[^\\A-Za-z])(?:\\(?:bar|hat|tilde|overline)\s*)?\{?(?:R|r|I|\\gamma)\}?(?:_(?:\w|\{[^}]*\}))?(?:\^(?:\w|\{[^}]*\}))?"
    rf"\s*(?:=|\\approx|\\sim|\\simeq)\s*{_DIGITS}(?![\w\\(^/]|\s*[A-Za-z\\(])"
)
_ABOUT = re.compile(rf"(?:\\approx|\\simeq|\\pm)\s*{_DIGITS}")

#: What stands in the text for a formula or a piece of code.
_SYMBOL = "\ue000"


def typed_results(markdown: str, settings: Iterable[str] = ()) -> list[str]:
    """Pieces of a markdown text that look like results typed by hand, in order of appearance.

    Parameters
    ----------
    markdown : text of a cell, or the fixed part of a sentence's template
    settings : names of the chapter's parameters; a number right after one of them, or after its words, is its value
    """
    text = _FENCE.sub(_fence, markdown)
    text = _COMMENT.sub(" ", text)
    text = _ADDRESS.sub("] ", _ROLE.sub(_SYMBOL, text))
    found = []
    text = _CODE.sub(lambda m: m["body"] if _BARE.fullmatch(m["body"].strip()) else _SYMBOL, text)
    for formula in (_DISPLAY, _INLINE):
        found += [match["body"].strip() for match in formula.finditer(text) if _measured(match["body"])]
        text = formula.sub(lambda m: f" {_plain(m['body'])} " if _is_number(m["body"]) else _SYMBOL, text)
    return found + list(_in_prose(text, settings))


def _fence(match: re.Match[str]) -> str:
    """A directive's text without its options; nothing of a listing or of a list of old addresses."""
    if not match["head"].strip().startswith("{") or match["head"].strip() == "{moved}":
        return "\n"
    title = re.sub(r"^\s*\{[^}]*\}", "", match["head"])
    body = re.sub(r"^:[\w-]+:.*$", "", match["body"], flags=re.MULTILINE)
    return f"{title}\n{_FENCE.sub(_fence, body)}\n"


def _plain(body: str) -> str:
    return _SPACING.sub("", body).replace("\\%", "%").replace("\\times", "×").replace("\\cdot", "·")


def _is_number(body: str) -> bool:
    """Is a formula nothing but a number? Powers and fractions are constants, not results."""
    return _BARE.fullmatch(_SPACING.sub("", body)) is not None


def _measured(body: str) -> bool:
    """Does a formula say what a regret or gain came out as, or that something is approximately a number?"""
    return _MEASURED.search(body) is not None or _ABOUT.search(body) is not None


def _in_prose(text: str, settings: Iterable[str]) -> Iterator[str]:
    for allowed in (_EFFORT, _DIMENSION, _LIST, _YEAR, _KERNEL, _LEVEL, _FUNCTION):
        text = allowed.sub(" ", text)
    for pattern in _RESULTS:
        while match := pattern.search(text):
            yield _shown(match[0])
            text = f"{text[: match.start()]} {text[match.end() :]}"
    text = _PLACE.sub(" ", text)
    names = "|".join(re.escape(name).replace("_", "[ _-]") for name in settings)
    before = rf"{_SETTING_BEFORE}|{names}" if names else _SETTING_BEFORE
    value, integer = rf"{_DIGITS}(?:\^\d+)?", r"\d+"
    # A further number belongs to the setting where nothing is counted by it: "width 2 and 53 failures".
    further = rf"\s*(?:to|and|or|,)\s*{value}(?=\s*(?:[,.;:)\n]|(?:to|and|or|for|in|on|with)\b|$))"
    follows = rf"(?:\s+(?:of|is|=|from|to|at)|:|\s*=)*\s*{value}(?:{further})*"
    text = re.sub(rf"(?i:\b(?:{before}))" + follows, " ", text)
    text = re.sub(rf"(?<![\w.]){integer}(?:\s*[×x]\s*{integer})*[\s-]+(?:{_SETTING_AFTER})\b", " ", text)
    for match in re.finditer(rf"(?<![\w.{_SYMBOL}]){_DIGITS}(?![α-ω])", text):
        yield _shown(text[max(0, match.start() - 20) : match.end() + 20])


def _shown(piece: str) -> str:
    return " ".join(piece.replace(_SYMBOL, "…").split())


#: What makes text of a template: the function, the place of its template among the arguments, and the keywords.
_SHOWN_BY = {
    "say": (0, ("template",)),
    "show": (1, ("caption", "alt")),
    "Figure": (None, ("alt", "caption")),
    "Table": (1, ("caption",)),
}


def typed_in_templates(path: Path, settings: Iterable[str] = ()) -> list[tuple[int, str]]:
    """(line, piece) of results typed into sentences, captions and text alternatives of a module or of a page's source.

    Looked at are the fixed parts of f-strings and of what is given to :func:`~companion.pages.sentences.say`,
    :func:`~companion.pages.sentences.show`, :class:`~companion.pages.figures.Figure` and
    :class:`~companion.pages.tables.Table`; values that are inserted pass. For ``settings`` see :func:`typed_results`.
    """
    found = []
    tree = ast.parse(path.read_text(encoding="utf-8"))
    formats = {id(node.format_spec) for node in ast.walk(tree) if isinstance(node, ast.FormattedValue)}
    for node in ast.walk(tree):
        if isinstance(node, ast.JoinedStr) and id(node) not in formats:
            found += [(node.lineno, piece) for piece in typed_results(_fixed(node), settings)]
        if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name) or node.func.id not in _SHOWN_BY:
            continue
        position, keywords = _SHOWN_BY[node.func.id]
        texts = [keyword.value for keyword in node.keywords if keyword.arg in keywords]
        if position is not None and len(node.args) > position:
            texts.append(node.args[position])
        for text in texts:
            fixed = _fixed(text)
            fixed = FIELD.sub(_SYMBOL, fixed)
            found += [(text.lineno, piece) for piece in typed_results(fixed, settings)]
    return sorted(set(found))


def _fixed(node: ast.expr) -> str:
    """The fixed part of an expression that makes a text; the rest is a symbol."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value
    if isinstance(node, ast.JoinedStr):
        return "".join(_fixed(part) for part in node.values)
    if isinstance(node, ast.BinOp):
        return _fixed(node.left) + _fixed(node.right)
    if isinstance(node, ast.IfExp):
        return f"{_fixed(node.body)} {_fixed(node.orelse)}"
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "format":
        return _without_fields(_fixed(node.func.value))
    return _SYMBOL


def _without_fields(template: str) -> str:
    """A format template with a symbol for each field."""
    parts = string.Formatter().parse(template)
    return "".join(text + ("" if field is None else _SYMBOL) for text, field, _, _ in parts)
