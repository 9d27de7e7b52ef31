"""One list of dependencies: pyproject.toml says what, requirements.lock which, requirements.hashes the digests of the files.

environment.yml says the same.
"""

from __future__ import annotations

import re
import runpy
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
import yaml
from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet
from packaging.utils import canonicalize_name
from packaging.version import Version

from companion.core.optional_libraries import EXTRAS, PROJECT

_PIN = re.compile(r"(?P<name>[A-Za-z0-9._-]+)==(?P<version>[^\s;]+)(?:\s*;.*)?")


def lock_faults(text: str, requirements: list[str]) -> list[str]:
    """What is wrong with a lock file: lines that are not plain pins, requirements without a fitting pin."""
    faults, pins = [], {}
    for line in text.splitlines():
        match = _PIN.fullmatch(line.strip())
        if match is None:
            faults.append(f"not a plain pin: {line!r}")
            continue
        version = Version(match["version"])
        if version.local is not None:
            faults.append(f"a local version part, which no public index has: {line!r}")
        pins[canonicalize_name(match["name"])] = version
    for text_of in requirements:
        requirement = Requirement(text_of)
        pinned = pins.get(canonicalize_name(requirement.name))
        if pinned is None:
            faults.append(f"not in the lock: {requirement}")
        elif not requirement.specifier.contains(pinned, prereleases=True):
            faults.append(f"the lock has {requirement.name} {pinned}, which is not {requirement.specifier}")
    return faults


def environment_faults(text: str, requires_python: str) -> list[str]:
    """What is wrong with the conda environment: anything but a fitting Python, pip, and the lock."""
    content = yaml.safe_load(text)
    faults = [f"lacks {key}" for key in ("name", "channels", "dependencies") if key not in content]
    plain = [entry for entry in content.get("dependencies", []) if isinstance(entry, str)]
    nested = [entry for entry in content.get("dependencies", []) if isinstance(entry, dict)]
    python = next((entry.partition("=")[2].strip("=") for entry in plain if entry.startswith("python=")), None)
    if python is None or not SpecifierSet(requires_python).contains(python):
        faults.append(f"python={python} does not fit {requires_python}")
    if {entry.partition("=")[0] for entry in plain} != {"python", "pip"}:
        faults.append(f"names packages of its own: {plain}")
    if nested != [{"pip": ["-r requirements.lock"]}]:
        faults.append(f"does not take its packages from the lock: {nested}")
    return faults


def hash_faults(text: str, lock: str) -> list[str]:
    """What is wrong with the digests: other pins than the lock has besides torch, a pin without one, anything else."""
    faults, found = [], {}
    for entry in re.sub(r" \\\n +", " ", text).splitlines():
        pin, *digests = entry.split(" --hash=")
        found[pin] = digests
        if not digests or not all(re.fullmatch(r"sha256:[0-9a-f]{64}", digest) for digest in digests):
            faults.append(f"no digest, or something else: {entry[:80]!r}")
    wanted = {line for line in lock.splitlines() if not line.startswith("torch==")}
    return faults + [f"in one of the two only: {pin}" for pin in sorted(wanted ^ found.keys())]


@pytest.fixture
def project(root: Path) -> dict:
    return tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))["project"]


#: Extras that the environment of the repository does without, as pyproject.toml says beside them.
NOT_LOCKED = {"parquet", "widths"}


def wanted(project: dict) -> list[str]:
    chosen = [names for extra, names in project["optional-dependencies"].items() if extra not in NOT_LOCKED]
    extras = [entry for names in chosen for entry in names]
    return [*project["dependencies"], *extras, "setuptools>=77"]


def test_the_lock_fits_the_project(root: Path, project: dict) -> None:
    assert lock_faults((root / "requirements.lock").read_text(encoding="utf-8"), wanted(project)) == []


def test_every_pin_but_torchs_has_the_digests_of_its_files(root: Path) -> None:
    text, lock = ((root / f"requirements.{end}").read_text(encoding="utf-8") for end in ("hashes", "lock"))
    assert hash_faults(text, lock) == []


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (r"(?m)^numpy==[0-9.]+", "numpy==1.0"),
        (r"(?m)^numpy==[^\\]*\\\n(.*\\\n)*.*\n", ""),
        (r"(?m)^(numpy==[0-9.]+) \\\n(.*\\\n)*.*\n", "\\1\n"),
        ("sha256:", "md5:"),
        (r"\A", "torch==2.13.0 \\\\\n    --hash=sha256:" + "0" * 64 + "\n"),
        (r"\A", "--index-url https://example.invalid/simple\n"),
    ],
)
def test_drifted_digests_are_caught(old: str, new: str, root: Path) -> None:
    text, lock = ((root / f"requirements.{end}").read_text(encoding="utf-8") for end in ("hashes", "lock"))
    changed = re.sub(old, new, text, count=1)
    assert changed != text
    assert hash_faults(changed, lock)


def test_uv_has_the_digests_of_its_files_as_well(root: Path) -> None:
    text = (root / ".ci" / "uv.hashes").read_text(encoding="utf-8")
    pin = text.partition(" ")[0]
    assert re.fullmatch(r"uv==[0-9.]+", pin)
    assert hash_faults(text, pin) == []
    assert f"echo {pin} | uv pip compile" in (root / "book" / "upkeep.md").read_text(encoding="utf-8")


class SetUp:
    """The script run without a network: the commands it calls, of which those fail that have one of the given words."""

    def __init__(self, root: Path, venv: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.script = runpy.run_path(str(root / ".ci" / "environment.py"), run_name="environment")
        self.script["main"].__globals__["refuse_another_one"] = lambda *_: None  # it stands in a folder of the test's
        self.root, self.venv, self.listed = root, venv, ""
        self.failing: set[str] = set()
        self.calls: list[tuple[list[str], dict[str, str]]] = []
        venv.joinpath("bin").mkdir()
        venv.joinpath("bin", "python").touch()
        for name in ("COMPANION_TORCH", *self.script["HANDED_OVER"].values()):
            monkeypatch.delenv(name, raising=False)
        monkeypatch.setattr(sys, "argv", ["environment.py", str(venv)])
        monkeypatch.setattr(subprocess, "call", self.call)
        monkeypatch.setattr(subprocess, "run", lambda *_, **__: subprocess.CompletedProcess([], 0, self.listed))

    def call(self, command: list[str], *, env: dict[str, str] | None = None, stderr: int | None = None) -> int:
        self.calls.append((command, env or {}))
        return int(not self.failing.isdisjoint(command))

    def installs(self) -> list[list[str]]:
        """Run the script; the tool of every command that installs, and what is behind ``install``."""
        self.calls.clear()
        self.script["main"]()
        return [
            ["pip" if "-m" in words else Path(words[0]).name, *words[words.index("install") + 1 :]]
            for words, _ in self.calls
            if "install" in words
        ]


@pytest.fixture
def set_up(root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> SetUp:
    return SetUp(root, tmp_path, monkeypatch)


def test_set_up_takes_files_with_these_digests_only(root: Path, set_up: SetUp) -> None:
    uv, pins, torch, package = set_up.installs()
    assert [uv[0], pins[0], torch[0], package[0]] == ["pip", "uv", "uv", "uv"]
    assert {"--require-hashes", "--no-deps", "--only-binary=:all:", str(root / ".ci" / "uv.hashes")} <= set(uv)
    assert {"--require-hashes", "--no-deps", str(root / "requirements.hashes")} <= set(pins)
    assert {"--no-deps", "--no-build-isolation", str(root)} <= set(package)


def test_a_change_of_any_list_makes_the_environment_again(root: Path, set_up: SetUp, tmp_path: Path) -> None:
    digest, names = set_up.script["digest"], (*set_up.script["LISTS"], "pyproject.toml")
    copy = tmp_path / "copy"
    for name in names:
        (copy / name).parent.mkdir(parents=True, exist_ok=True)
        (copy / name).write_bytes((root / name).read_bytes())
    found = {digest(str(copy))}
    for name in names:
        with (copy / name).open("a") as stream:
            stream.write(" ")
        found.add(digest(str(copy)))
    assert len(found) == 5
    assert (len(set_up.installs()), set_up.installs()) == (4, [])


@pytest.mark.parametrize(("failing", "by_pip"), [("--only-binary=:all:", 3), ("-q", 3), ("--torch-backend", 2)])
def test_pip_takes_the_same_files_where_uv_cannot(
    failing: str, by_pip: int, root: Path, set_up: SetUp, capsys: pytest.CaptureFixture[str]
) -> None:
    set_up.failing = {failing}
    rest = set_up.installs()[-by_pip:]
    assert {tool for tool, *_ in rest} == {"pip"}
    pins = ["pip", "-qq", "--no-deps", "--require-hashes", "-r", str(root / "requirements.hashes")]
    torch = ["pip", "-qq", "-r", str(root / "requirements.lock")]
    package = ["pip", "-qq", "--no-deps", "--no-build-isolation", "--editable", str(root)]
    assert rest == [pins, torch, package][-by_pip:]
    assert capsys.readouterr().out.count("since uv failed") == by_pip


def test_an_environment_that_could_not_be_made_is_not_taken_for_one(set_up: SetUp) -> None:
    set_up.failing = {"-qq", "-q"}
    with pytest.raises(SystemExit):
        set_up.installs()
    assert not (set_up.venv / "companion.stamp").exists()


def test_torch_is_the_build_that_pip_would_find_or_the_processors_unless_asked_otherwise(
    set_up: SetUp, monkeypatch: pytest.MonkeyPatch
) -> None:
    def builds() -> list[list[str]]:
        return [words[4:-2] for words in set_up.installs() if words[-1].endswith(".lock")]

    assert builds() == [["--torch-backend", "cpu"]]
    monkeypatch.setenv("COMPANION_TORCH", "cu128")
    assert builds() == [["--torch-backend", "cu128"]]
    monkeypatch.delenv("COMPANION_TORCH")
    assert set_up.installs() == []
    (set_up.venv / "companion.stamp").write_text("older cu128")
    assert builds() == [["--torch-backend", "cu128"]], "what was asked for once stays"
    set_up.listed = "global.find-links='/own'\n"
    (set_up.venv / "companion.stamp").unlink()
    assert builds() == [["--no-index"]]
    set_up.failing = {"--no-index"}
    (set_up.venv / "companion.stamp").unlink()
    assert builds() == [["--no-index"], ["--torch-backend", "cpu"]]


def test_uv_is_told_what_pip_is_told(set_up: SetUp, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ALL_PROXY", "set already")
    set_up.listed = (
        ":env:.find-links='/own /and'\ndownload.cert='other'\nglobal.cert='general'\nglobal.extra-index-url='a\\nb'\n"
        "global.find-links='/general'\nglobal.index-url='main'\nglobal.proxy='asked'\nglobal.trusted-host='host'\n"
        "global.timeout='60'\ninstall.cert='installing'\ninstall.no-index='true'\n"
    )
    set_up.installs()
    told = [(words, env) for words, env in set_up.calls if env]
    assert len(told) == 3
    for words, env in told:
        assert "--no-index" in words
        assert {name: env.get(name) for name in set_up.script["HANDED_OVER"].values()} == {
            "UV_DEFAULT_INDEX": "main",
            "UV_INDEX": "a b",
            "UV_FIND_LINKS": "/own,/and",
            "UV_INSECURE_HOST": "host",
            "SSL_CERT_FILE": "installing",
            "ALL_PROXY": "set already",
        }


def test_the_conda_environment_is_the_lock(root: Path, project: dict) -> None:
    text = (root / "environment.yml").read_text(encoding="utf-8")
    assert environment_faults(text, project["requires-python"]) == []


def test_torch_is_pinned_by_the_lock_alone_and_without_a_local_part(root: Path, project: dict) -> None:
    """An exact pin in an extra cannot live beside the torch that a reader has."""
    assert all("torch>=2.13" in project["optional-dependencies"][extra] for extra in ("torch", "chapters"))
    assert "torch==2.13.0" in (root / "requirements.lock").read_text(encoding="utf-8").splitlines()
    assert "<(echo torch==2.13.0)" in (root / "book" / "upkeep.md").read_text(encoding="utf-8")


def test_every_library_that_may_be_missing_has_the_extra_that_brings_it(project: dict) -> None:
    """What a message tells people to install does bring the library, and nothing that is always there is listed."""
    base = {canonicalize_name(Requirement(text).name) for text in project["dependencies"]}
    for module, extra in EXTRAS.items():
        brought = {canonicalize_name(Requirement(text).name) for text in project["optional-dependencies"][extra]}
        distribution = canonicalize_name(DISTRIBUTIONS.get(module, module))
        assert distribution in brought - base, module
    assert project["name"] == PROJECT


def test_what_is_always_installed_is_small(project: dict) -> None:
    names = {Requirement(text).name for text in project["dependencies"]}
    assert names == {"cyclopts", "joblib", "numpy", "scipy", "threadpoolctl", "tqdm"}


#: Distributions that are called otherwise than the module they bring.
DISTRIBUTIONS = {
    "sklearn": "scikit-learn",
    "bayes_opt": "bayesian-optimization",
    "skopt": "scikit-optimize",
    "yaml": "pyyaml",
    "PIL": "pillow",
    "distributed": "dask",
    "markdown_it": "markdown-it-py",
}


@pytest.mark.parametrize(
    ("change", "fault"),
    [
        (lambda text: text.replace("torch==2.13.0", "torch==2.13.0+cpu"), "a local version part"),
        (lambda text: "--find-links /somewhere\n" + text, "not a plain pin"),
        (lambda text: re.sub(r"(?m)^numpy==.*\n", "", text), "not in the lock: numpy"),
        (lambda text: re.sub(r"(?m)^numpy==.*$", "numpy==1.0", text), "the lock has numpy 1.0"),
        (lambda text: text + "x @ https://example.invalid/x.whl\n", "not a plain pin"),
    ],
)
def test_a_drifted_lock_is_caught(change, fault: str, root: Path, project: dict) -> None:
    text = change((root / "requirements.lock").read_text(encoding="utf-8"))
    assert any(found.startswith(fault) for found in lock_faults(text, wanted(project)))


@pytest.mark.parametrize(
    "change",
    [
        lambda text: text.replace("python=3.11", "python=3.9"),
        lambda text: text.replace("  - pip\n", "  - pip\n  - numpy\n"),
        lambda text: text.replace("-r requirements.lock", "numpy"),
    ],
)
def test_a_drifted_conda_environment_is_caught(change, root: Path, project: dict) -> None:
    text = (root / "environment.yml").read_text(encoding="utf-8")
    assert change(text) != text
    assert environment_faults(change(text), project["requires-python"])


@pytest.mark.parametrize("linked", [True, False])
def test_set_up_refuses_an_environment_that_is_not_its_own(linked: bool, root: Path, tmp_path: Path) -> None:
    """A link to another checkout's, whose stamp never fits, or a place outside: nothing of it is touched."""
    checkout, other = tmp_path / "checkout", tmp_path / "other" / ".venv"
    (checkout / ".ci").mkdir(parents=True)
    (other / "bin").mkdir(parents=True)
    for name in (".ci/environment.py", ".ci/uv.hashes", "requirements.hashes", "requirements.lock", "pyproject.toml"):
        (checkout / name).write_bytes((root / name).read_bytes())
    (other / "bin" / "python").touch()
    (other / "companion.stamp").write_text("another checkout's ")
    (checkout / ".venv").symlink_to(other)
    call = [sys.executable, str(checkout / ".ci" / "environment.py"), ".venv" if linked else str(other)]
    done = subprocess.run(call, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (1, "")
    assert f"leads to {other}, outside this checkout" in done.stderr
    assert (other / "companion.stamp").read_text() == "another checkout's "
    assert (other / "bin" / "python").exists()


def test_format_mends_all_that_can_be_mended_and_then_says_what_cannot(root: Path, tmp_path: Path) -> None:
    """One string too long, one call and one order of imports to mend: what the Makefile does leaves the string only."""
    recipe = (root / "Makefile").read_text(encoding="utf-8").partition("\nformat: env\n")[2].partition("\n\n")[0]
    commands = [line.strip().removeprefix("@").replace("$(PY)", sys.executable) for line in recipe.splitlines()]
    (tmp_path / "pyproject.toml").write_bytes((root / "pyproject.toml").read_bytes())
    path, long = tmp_path / "mended.py", f"S = '{'x' * 140}'\n"
    path.write_text(f'"""M."""\nimport sys\nimport os\n{long}X = [os,sys]\n')
    done = subprocess.run(" && ".join(commands), shell=True, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert path.read_text() == f'"""M."""\n\nimport os\nimport sys\n\nS = "{"x" * 140}"\nX = [os, sys]\n'
    assert done.stdout.count("E501 Line too long") == 1


def test_set_up_refuses_an_old_python_in_one_message(root: Path) -> None:
    code = (
        "import runpy, sys; sys.version_info = (3, 9, 1); "
        f"sys.argv = ['environment.py', '.venv-never']; runpy.run_path({str(root / '.ci' / 'environment.py')!r}, "
        "run_name='__main__')"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert run.returncode == 1
    assert "needs Python 3.11 or newer" in run.stderr
    assert "Traceback" not in run.stderr
    assert not (root / ".venv-never").exists()
