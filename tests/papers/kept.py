"""What the evidence said last, entry by entry, so that a change of the code cannot change it unseen.

``kept.csv`` has a line for every entry of the stored ledgers, verdicts and leads: how it came out, and a digest of all its
numbers to six significant digits, its teeth among them. ``python tests/papers/kept.py`` writes it anew; the difference in
version control then names the entries that changed, and the commit says why.
"""

from __future__ import annotations

import csv
import hashlib
import json
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
FILE = Path(__file__).with_suffix(".csv")
COLUMNS = ("paper", "file", "entry", "outcome", "digest")
NAMES = ("ledger", "verdicts", "discrepancies")
#: What is about a computation and not its result: times, places, and the words that tell it.
LEFT_OUT = frozenset({"seconds", "record", "code", "where", "found", "reason", "command", "latex"})


def lines(root: Path = ROOT) -> list[tuple[str, ...]]:
    """One for every entry, in the order of the files."""
    found = []
    for folder in sorted(path for path in (root / "data" / "results").iterdir() if (path / "ledger.json").exists()):
        for name in (name for name in NAMES if (folder / f"{name}.json").exists()):
            seen: Counter[str] = Counter()
            for entry in json.loads((folder / f"{name}.json").read_text(encoding="utf-8"))["entries"]:
                key = str(
                    entry.get("id") or "/".join(str(entry[part]) for part in ("source", "cell", "metric", "kind"))
                )
                seen[key] += 1
                key = key if seen[key] == 1 else f"{key} ({seen[key]})"
                found.append((folder.name, name, key, outcome(entry), digest(entry)))
    return found


def outcome(entry: Mapping[str, Any]) -> str:
    """The status, the verdict, or whether a suspicion is confirmed."""
    if "status" in entry:
        return str(entry["status"])
    return str(entry["verdict"]) if "verdict" in entry else ("confirmed" if entry["confirmed"] else "not confirmed")


def digest(entry: Mapping[str, Any]) -> str:
    """Of all numbers, single words and names of teeth, in their places; sentences do not count."""
    return hashlib.sha256(repr(list(_leaves(entry))).encode()).hexdigest()[:12]


def _leaves(value: Any, place: str = "") -> Iterator[tuple[str, str]]:
    if isinstance(value, Mapping):
        for name in sorted(set(value) - LEFT_OUT):
            yield from _leaves(value[name], f"{place}/{name}")
    elif isinstance(value, list):
        for number, item in enumerate(value):
            yield from _leaves(item, f"{place}/{number}")
    elif isinstance(value, float):
        yield place, f"{value:.6g}"
    elif not isinstance(value, str) or " " not in value or "/teeth/" in place:  # sentences may be mended
        yield place, str(value)


def kept() -> list[tuple[str, ...]]:
    """The lines of the file."""
    with FILE.open(encoding="utf-8", newline="") as file:
        return [tuple(row[name] for name in COLUMNS) for row in csv.DictReader(file)]


def main() -> None:
    """Write the file anew."""
    with FILE.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file, lineterminator="\n").writerows([COLUMNS, *lines()])


if __name__ == "__main__":
    main()
