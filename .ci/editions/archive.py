"""Pack the built book for reading from a folder: ``python .ci/editions/archive.py book/_build/html build/companion-site.zip``."""

from __future__ import annotations

import argparse
import zipfile
from pathlib import Path

#: The folder that unpacking makes.
FOLDER = "gp-bandit-companion"
#: Every file has this date, so that the same book gives the same archive.
DATE = (1980, 1, 1, 0, 0, 0)


def pack(built: Path, target: Path) -> int:
    """Write the archive; how many files are in it."""
    files = sorted(path for path in built.rglob("*") if path.is_file())
    target.parent.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for path in files:
            entry = zipfile.ZipInfo(f"{FOLDER}/{path.relative_to(built).as_posix()}", DATE)
            entry.external_attr = 0o644 << 16
            entry.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(entry, path.read_bytes())
    return len(files)


def main() -> None:
    """Pack, and say how much."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("built", type=Path)
    parser.add_argument("target", type=Path)
    chosen = parser.parse_args()
    count = pack(chosen.built, chosen.target)
    size = chosen.target.stat().st_size / 1e6
    print(f"{chosen.target}: {count} files, {size:.0f} MB; unpack it and open {FOLDER}/index.html")


if __name__ == "__main__":
    main()
