"""The forms that a paper's evidence is exported in."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

from companion import registry
from companion.core.errors import ParameterError
from companion.core.files import repository_root
from companion.exports import codecheck, pack, summary
from companion.exports.pack import Export


def optunahub(paper: str, root: Path | None = None) -> Export:
    """The paper's sampler as a package of OptunaHub's registry, ``package/samplers/<name>``: files of ``data/optunahub``.

    A paper has one where there is a folder ``data/optunahub/<paper>/<name>``; the files beside these folders go into every
    package.

    Raises
    ------
    ParameterError
        for an unknown paper, or one without a sampler
    """
    paper, base = registry.slug_of(paper), (repository_root() if root is None else root) / "data" / "optunahub"
    known = {path.parts[-3]: path.parent for path in sorted(base.glob("*/*/__init__.py"))}
    if paper not in known:
        raise ParameterError("paper", f"{paper} has no sampler for OptunaHub", f"one of {', '.join(known)}")
    own, folder = known[paper], f"package/samplers/{known[paper].name}"
    held = {f"{folder}/{path.name}": path for path in base.iterdir() if path.is_file() and path.suffix != ".toml"}
    for path in (path for path in own.rglob("*") if path.suffix in (".md", ".py")):
        held[f"{folder}/{path.relative_to(own).as_posix()}"] = path
    return Export(paper, {name: path.read_bytes() for name, path in held.items()}, {}, f"{folder}/__init__.py")


#: By name, what packs a paper's export; errors are those of :func:`companion.exports.pack.gather`.
FORMS: Mapping[str, Callable[[str, Path | None], Export]] = {
    "crate": lambda paper, root: pack.pack(paper, root),
    "mlrc": lambda paper, root: summary.pack(pack.gather(paper, root)),
    "codecheck": lambda paper, root: codecheck.pack(pack.gather(paper, root)),
    "optunahub": optunahub,
}
