"""What a test may ask of a computed sentence: its numbers, whether it says something else, and how much of it is bold."""

import re

#: Between groups of three digits: comma, plain, no-break, thin and narrow no-break space.
_GROUPS = "[, \u00a0\u2009\u202f]"
_MINUS = "\u2212"
_NUMBER = re.compile(
    rf"""
    (?:(?<![\w)\]}}.])[-+{_MINUS}](?=[\d.]))?             # a sign, unless something is subtracted or a range is meant
    (?<![\d.])                                           # not from the middle of a number
    (?:\d{{1,3}}(?:{_GROUPS}\d{{3}}(?!\d))+(?:\.\d+)?|\d+(?:\.\d+)?|\.\d+)
    (?:[eE][-+{_MINUS}]?\d+)?
    """,
    re.VERBOSE,
)
#: Digits that are part of a name: Ackley-2D, E5, ch1-ex-3.
_IN_NAME = re.compile(r"[A-Za-z]\w*(?:-\w+)*-\d+[A-Za-z]+\b|(?<![\\\w])[A-Za-z]+\d+[\w-]*")


def _plain(text: str) -> str:
    """Without LaTeX commands; powers of ten and fractions of two digits become numbers that can be read on."""
    text = re.sub(r"\\[td]?frac(\d)(\d)", r" \1 / \2 ", text)
    text = re.sub(r"(\d)(?:\{,\}|\\[,;:]|~)(?=\d{3}(?!\d))", r"\1,", text)
    power = r"10\s*\^\s*(?:\{\s*([-+\u2212]?\d+)\s*\}|(\d))"
    text = re.sub(rf"(\d)\s*(?:\\cdot|\\times|×|·)\s*{power}", lambda m: f"{m[1]}e{m[2] or m[3]}", text)
    text = re.sub(rf"(?<![\d.]){power}", lambda m: f"1e{m[1] or m[2]}", text)
    text = re.sub(r"\\[A-Za-z]+", lambda m: "\\" + " " * (len(m[0]) - 1), text)
    return _IN_NAME.sub(" name ", text)


def numbers(text: str) -> list[float]:
    """All numbers of a sentence, in order: percentages as they are written, powers of ten multiplied out.

    Digits in a name (Ackley-2D, E5) are no number; a number in words is none either.
    """
    found = (re.sub(rf"{_GROUPS}|\s", "", m[0]).replace(_MINUS, "-") for m in _NUMBER.finditer(_plain(text)))
    return [float(number) for number in found]


def turned(before: str, after: str) -> bool:
    """Whether a sentence says something else now: its words differ, not only its numbers or a problem (Ackley-2D)."""
    return _words(before) != _words(after)


def bold(text: str) -> int:
    """How many passages are in bold: a warning is, so there is one more where a sentence has turned into one."""
    return len(re.findall(r"\*\*[^*]+\*\*", text))


def _words(text: str) -> list[str]:
    return re.findall(r"[^\W\d_]+", _NUMBER.sub(" ", _plain(text)))
