"""What a stranger meets first says what is so: workflows, images, metadata, forms."""

from __future__ import annotations

import io
import json
import re
import runpy
import tarfile
import tomllib
from pathlib import Path
from typing import Any

import pytest
import yaml

from companion import registry
from companion.classroom.sandbox_policy import RUNGS
from companion.core.files import results_folder
from companion.judge.consequence import told
from companion.judge.evidence import load_entries
from companion.judge.ownership import count
from companion.papers.across.page.answer import title_numbers

HOSTED = ".github/workflows"
PINNED = re.compile(r"[\w.-]+/[\w.-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+")
#: What a job may write, by workflow; everything else reads.
WRITES = {
    "ci.yml": set(),
    "pages.yml": {"pages", "id-token"},
    "release.yml": {"id-token", "attestations"},
    "weekly.yml": {"issues"},
}


def targets(makefile: str) -> set[str]:
    """The targets of a Makefile that are commands."""
    found = re.search(r"(?m)^\.PHONY: (.+)$", makefile)
    assert found is not None
    return {name for name in found[1].split() if re.search(rf"(?m)^{name}:", makefile)}


def workflow_faults(text: str, commands: set[str], writes: set[str]) -> list[str]:
    """Actions without a digest, shell steps that are no target, rights that a workflow does not need."""
    faults = [line for line in re.findall(r"uses: (.+)", text) if not PINNED.fullmatch(line)]
    content = yaml.safe_load(text)
    if content["permissions"] != {}:
        faults.append("rights for all jobs")
    for name, job in content["jobs"].items():
        rights = {(right, level) for right, level in job["permissions"].items() if level != "read"}
        faults += [f"{name} may {level} {right}" for right, level in rights if level != "write" or right not in writes]
        for step in job["steps"]:
            make, *words = step.get("run", "make ci").split()
            called = [word.removeprefix("TARGET=") for word in words]
            faults += [
                f"{name}: {step['run']}" for _ in [0] if make != "make" or not called or not set(called) <= commands
            ]
            if "/checkout@" in step.get("uses", "") and step["with"]["persist-credentials"] is not False:
                faults.append(f"{name} keeps credentials")
    return faults


@pytest.fixture
def commands(root: Path) -> set[str]:
    return targets((root / "Makefile").read_text(encoding="utf-8"))


@pytest.mark.parametrize("name", WRITES)
def test_workflows_call_targets_with_pinned_actions_and_few_rights(name: str, root: Path, commands: set[str]) -> None:
    assert {path.name for path in (root / HOSTED).iterdir()} == WRITES.keys()
    assert workflow_faults((root / HOSTED / name).read_text(encoding="utf-8"), commands, WRITES[name]) == []


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (r"checkout@\S+ # v[\d.]+", "checkout@v7"),
        ("permissions: {}", "permissions: write-all"),
        ("contents: read", "contents: write"),
        ("make report", "make nothing"),
        ("make ci", "pip install x"),
        ("persist-credentials: false", "persist-credentials: true"),
    ],
)
def test_a_loose_workflow_is_caught(old: str, new: str, root: Path, commands: set[str]) -> None:
    text = (root / HOSTED / "weekly.yml").read_text(encoding="utf-8")
    changed = re.sub(old, new, text, count=1)
    assert changed != text
    assert workflow_faults(changed, commands, WRITES["weekly.yml"])


def test_continuous_integration_tries_all_pythons_and_the_lock_s_in_full(root: Path, project: dict[str, Any]) -> None:
    jobs = yaml.safe_load((root / HOSTED / "ci.yml").read_text(encoding="utf-8"))["jobs"]
    tried = set(jobs["check"]["strategy"]["matrix"]["python"])
    declared = {one.split()[-1] for one in project["classifiers"] if re.search(r":: 3\.\d+$", one)}
    assert declared <= tried
    oldest = project["requires-python"].removeprefix(">=")
    assert (root / "binder" / "runtime.txt").read_text(encoding="utf-8").strip() == f"python-{oldest}"
    assert f"FROM python:{oldest}-slim" in (root / "Dockerfile").read_text(encoding="utf-8")
    assert {
        step["with"]["python-version"] for step in jobs["full"]["steps"] if "setup-python" in step.get("uses", "")
    } == {oldest}


def test_images_make_the_environment_by_make_and_run_without_rights(root: Path, commands: set[str]) -> None:
    image = (root / "Dockerfile").read_text(encoding="utf-8")
    assert image.index("USER reader") < image.index("RUN make env")
    assert not re.search(r"(?m)^USER (?!reader)|pip install", image)
    post = (root / "binder" / "postBuild").read_text(encoding="utf-8")
    assert "\nmake env\n" in post
    there = json.loads((root / ".devcontainer" / "devcontainer.json").read_text(encoding="utf-8"))
    assert (there["remoteUser"], there["postCreateCommand"]) == ("reader", "make env")
    assert there["build"]["target"] in re.findall(r" AS (\w+)", image)
    kept_out = set((root / ".dockerignore").read_text(encoding="utf-8").splitlines())
    assert {".venv", "course.secret", "grades"} <= kept_out
    assert "env" in commands


@pytest.fixture
def project(root: Path) -> dict[str, Any]:
    return tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))["project"]


@pytest.fixture
def citation(root: Path) -> dict[str, Any]:
    return yaml.safe_load((root / "CITATION.cff").read_text(encoding="utf-8"))


def codemeta(cff: dict[str, Any], project: dict[str, Any]) -> dict[str, Any]:
    """What codemeta.json has to be."""
    return {
        "@context": "https://w3id.org/codemeta/3.0",
        "@type": "SoftwareSourceCode",
        "name": cff["title"],
        "identifier": project["name"],
        "description": cff["abstract"].strip(),
        "version": cff["version"],
        "license": f"https://spdx.org/licenses/{cff['license']}",
        "author": [{"@type": "Organization", "name": one["name"]} for one in cff["authors"]],
        "keywords": cff["keywords"],
        "programmingLanguage": "Python",
        "runtimePlatform": f"Python {project['requires-python']}",
        "citation": [
            {
                "@type": "ScholarlyArticle",
                "name": work["title"],
                **({"identifier": work["identifiers"][0]["value"]} if "identifiers" in work else {}),
            }
            for work in cff["references"]
        ],
    }


def zenodo(cff: dict[str, Any]) -> dict[str, Any]:
    """What .zenodo.json has to be."""
    works = [one["value"] for work in cff["references"] for one in work.get("identifiers", [])]
    return {
        "title": cff["title"],
        "description": cff["abstract"].strip(),
        "upload_type": "software",
        "version": cff["version"],
        "license": cff["license"],
        "creators": [{"name": one["name"]} for one in cff["authors"]],
        "keywords": cff["keywords"],
        "related_identifiers": [
            {"identifier": value, "relation": "references", "resource_type": "publication-article"} for value in works
        ],
    }


def test_all_metadata_say_what_the_citation_says(root: Path, project: dict[str, Any], citation: dict[str, Any]) -> None:
    assert json.loads((root / "codemeta.json").read_text(encoding="utf-8")) == codemeta(citation, project)
    assert json.loads((root / ".zenodo.json").read_text(encoding="utf-8")) == zenodo(citation)
    for key in ("version", "license", "keywords", "authors"):
        assert project[key] == citation[key]


def test_addresses_are_those_of_the_book(root: Path, project: dict[str, Any]) -> None:
    config = yaml.safe_load((root / "_config.yml").read_text(encoding="utf-8"))["sphinx"]["config"]
    address = config["companion_repository"]
    assert project.get("urls", {}).get("Repository", "") == address
    badges = re.findall(r"https?://\S+?badge\S*?\.svg", (root / "README.md").read_text(encoding="utf-8"))
    assert badges == ([f"{address}/actions/workflows/ci.yml/badge.svg"] if address else [])


@pytest.mark.papers
def test_the_readme_has_the_numbers_of_the_stored_results(root: Path) -> None:
    def entries(name: str) -> list[dict[str, Any]]:
        finished = [slug for slug in registry.slugs() if not registry.is_draft(slug)]
        return [entry for slug in finished for entry in load_entries(results_folder(slug), name, "").entries]

    title, said = title_numbers(), " ".join((root / "README.md").read_text(encoding="utf-8").split())
    names = ("at", "first", "first_blind", "older")
    at, first, blind, older = (f"{int(re.sub(r'[^0-9]', '', str(title[name]))):,}" for name in names)
    assert title["none_printed"]
    assert title["three_orders"]
    assert (
        f"At {at} evaluations none of the regret bounds of the five papers, in any of {title['settings']} settings, "
        "lies below what the worst choices would cost (mean-field UCB is tried in games of its own)." in said
    )
    assert f"The first does at about {first}, and below what choosing at random costs at about {blind}." in said
    assert f"GP-UCB's bound of 2010 does from about {older} on at the earliest." in said
    assert "Three of the papers print an order; there we took the constants of their proofs." in said
    assert str(count(entries("ledger"))) in said
    assert told(entries("discrepancies")) in said


def test_the_readme_names_files_that_are_there(root: Path) -> None:
    text = (root / "README.md").read_text(encoding="utf-8")
    named = [*re.findall(r"`([\w./-]+\.(?:md|cff))`", text), *re.findall(r'src(?:set)?="([^"]+)"', text)]
    assert {"book/_static/readme-dark.png", "book/decide.md"} <= set(named)
    assert [path for path in named if not (root / path).is_file()] == []


def test_forms_ask_for_something_and_each_has_another_name(root: Path) -> None:
    forms = [
        yaml.safe_load(path.read_text(encoding="utf-8")) for path in (root / ".github" / "ISSUE_TEMPLATE").iterdir()
    ]
    assert {form["name"] for form in forms} == {"Doubt a number", "Suggest a paper", "A defect"}
    support = (root / "SUPPORT.md").read_text(encoding="utf-8")
    for form in forms:
        assert f"*{form['name']}*" in support
        fields = [field for field in form["body"] if field.get("validations", {}).get("required")]
        assert fields
        assert len({field["id"] for field in form["body"]}) == len(form["body"])


@pytest.mark.parametrize("name", ["SECURITY.md", "SUPPORT.md", "CODE_OF_CONDUCT.md"])
def test_files_that_these_pages_name_exist(name: str, root: Path) -> None:
    text = (root / name).read_text(encoding="utf-8")
    for path in re.findall(r"`([\w/.-]+\.md)`", text):
        assert (root / path).is_file(), path
    if name == "SECURITY.md":
        assert all(f"`{rung}`" in text for rung in RUNGS)


def test_hooks_are_pinned_and_call_targets(root: Path, commands: set[str]) -> None:
    for repository in yaml.safe_load((root / ".pre-commit-config.yaml").read_text(encoding="utf-8"))["repos"]:
        if repository["repo"] == "local":
            assert {hook["entry"].removeprefix("make ") for hook in repository["hooks"]} <= commands
        else:
            assert re.fullmatch("[0-9a-f]{40}", repository["rev"])


def test_help_shows_every_line_of_the_makefile_s_head(root: Path) -> None:
    text = (root / "Makefile").read_text(encoding="utf-8")
    lines = text.splitlines()
    assert f"sed -n '3,{next(i for i, line in enumerate(lines) if not line.startswith('#'))}s/" in text


@pytest.mark.parametrize(
    ("heading", "is_dated"),
    [("0.1.0 - 2026-12-24", True), ("Unreleased", False), ("0.1.0", False), ("0.1.01 - 2026-12-24", False)],
)
def test_a_release_wants_its_date(heading: str, is_dated: bool, root: Path) -> None:
    script = runpy.run_path(str(root / ".ci" / "release.py"), run_name="release")
    assert script["dated"](f"# Changes\n\n## {heading}\n\n### Added\n", "0.1.0") is is_dated


def test_an_sdist_packed_later_by_another_user_has_the_same_bytes(root: Path, tmp_path: Path) -> None:
    script, packed = runpy.run_path(str(root / ".ci" / "release.py"), run_name="release"), set()
    for user, names in ((7, "ab"), (8, "ba")):
        path = tmp_path / f"{user}.tar.gz"
        with tarfile.open(path, "w:gz") as archive:
            for name in names:
                entry = tarfile.TarInfo(name)
                entry.uid, entry.mtime, entry.size = user, user + 0.5, 1
                archive.addfile(entry, io.BytesIO(name.encode()))
        script["pack_again"](path, 100)
        packed.add(path.read_bytes())
        with tarfile.open(path) as archive:
            assert [archive.extractfile(name).read() for name in archive.getnames()] == [b"a", b"b"]
    assert len(packed) == 1
