"""Build wheel, sdist and digests of the last commit: ``python .ci/release.py build/release``.

The same commit gives the same bytes: what is built is what git has, files bear the time of the commit, and the wheel is made from
the sdist. Where the commit has the tag of its version, the changelog has to give that version a date.
"""

import gzip
import hashlib
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import tomllib
from pathlib import Path

from companion.current import origin

ROOT = Path(__file__).resolve().parent.parent


def git(*words):
    """What git answers."""
    return subprocess.run(["git", *words], cwd=ROOT, capture_output=True, text=True, check=True).stdout.strip()


def build(what, source, target, epoch):
    """Call the build backend for ``sdist`` or ``wheel`` in a folder, and return the file."""
    code = f"from setuptools import build_meta; build_meta.build_{what}({str(target)!r})"
    # The backend runs quietly: what it says is shown when it fails.
    environment = {**os.environ, "SOURCE_DATE_EPOCH": str(epoch)}
    done = subprocess.run([sys.executable, "-c", code], cwd=source, env=environment, capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"The {what} cannot be built:\n{done.stderr[-2000:]}")
    return next(target.glob("*.whl" if what == "wheel" else "*.tar.gz"))


def pack_again(path, epoch):
    """Pack a tar.gz in the order of names, without owners and without the time of packing."""
    again = path.with_suffix(".again")
    with (
        tarfile.open(path) as old,
        again.open("wb") as raw,
        gzip.GzipFile("", "wb", mtime=epoch, fileobj=raw) as packed,
        tarfile.open(fileobj=packed, mode="w", format=tarfile.PAX_FORMAT) as new,
    ):
        for member in sorted(old.getmembers(), key=lambda one: one.name):
            member.mtime, member.uid, member.gid, member.uname, member.gname, member.pax_headers = (
                epoch,
                0,
                0,
                "",
                "",
                {},
            )
            member.mode = 0o755 if member.isdir() or member.mode & 0o100 else 0o644
            new.addfile(member, old.extractfile(member) if member.isfile() else None)
    again.replace(path)


def dated(changelog, version):
    """Whether a changelog gives a version its date: ``## 0.1.0 - 2026-12-24``."""
    return re.search(rf"(?m)^## {re.escape(version)} - \d{{4}}-\d\d-\d\d$", changelog) is not None


def main():
    """Refuse what is not ready, build the rest."""
    if git("status", "--porcelain"):
        sys.exit("There are changes that are not committed; a release is built from a commit.")
    version = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["version"]
    tags = [tag for tag in git("tag", "--points-at", "HEAD").split() if tag.startswith("v")]
    if tags not in ([], [f"v{version}"]):
        sys.exit(f"The commit has the tag {' and '.join(tags)}, and pyproject.toml says {version}.")
    ready = dated((ROOT / "CHANGELOG.md").read_text(encoding="utf-8"), version)
    if tags and not ready:
        sys.exit(f"CHANGELOG.md has no heading '## {version} - YYYY-MM-DD'.")
    epoch = int(git("log", "-1", "--format=%ct"))
    target = ROOT / sys.argv[1]
    shutil.rmtree(target, ignore_errors=True)
    target.mkdir(parents=True)
    with tempfile.TemporaryDirectory(prefix="companion-release-") as scratch:
        tree, unpacked = Path(scratch, "tree"), Path(scratch, "unpacked")
        git("archive", "--prefix=tree/", "-o", f"{scratch}/tree.tar", "HEAD")
        with tarfile.open(f"{scratch}/tree.tar") as archive:
            archive.extractall(scratch, filter="data")
        (tree / origin.FILE).write_bytes(origin.listing(ROOT))
        sdist = build("sdist", tree, target, epoch)
        pack_again(sdist, epoch)
        with tarfile.open(sdist) as archive:
            archive.extractall(unpacked, filter="data")
        wheel = build("wheel", next(unpacked.iterdir()), target, epoch)
    sums = "".join(f"{hashlib.sha256(path.read_bytes()).hexdigest()}  {path.name}\n" for path in (wheel, sdist))
    (target / "SHA256SUMS").write_text(sums, encoding="utf-8")
    print(sums, end="")
    if not tags:
        left = [] if ready else [f"give CHANGELOG.md the heading '## {version} - YYYY-MM-DD', commit"]
        print("A rehearsal. To release: " + ", then ".join([*left, f"git tag -s v{version}, and push the tag."]))


if __name__ == "__main__":
    main()
