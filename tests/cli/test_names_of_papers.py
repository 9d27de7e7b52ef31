"""A paper has the same names in every command: its slug, the number of its chapter, ``ch3``, and the chapter's file."""

import itertools

import pytest

import companion as cp
from companion import registry
from companion.cli import COMMANDS, application, arguments_of
from companion.core.errors import CompanionError, ParameterError
from companion.core.files import repository_root
from companion.pages import document


class AskedError(CompanionError):
    """Raised where a command asks which paper is meant; the message is the name it was given."""


def _commands():
    """Commands that take a paper or chapter, with the words that they need besides."""
    app = application()
    for name in itertools.chain(*COMMANDS.values()):
        known = arguments_of(app, name)
        if {"PAPER", "CHAPTER"} & {one.name for one in known}:
            needed = [one for one in known if one.required and one.name not in ("PAPER", "CHAPTER")]
            yield name, [word for one in needed for word in (one.name, "x") if not word.isupper()]


TAKING = dict(_commands())


def test_the_commands_are_found():
    assert {
        "run",
        "trial",
        "list",
        "ledger",
        "verdicts",
        "discrepancies",
        "evidence",
        "export",
        "errata",
        "verify",
    } <= set(TAKING)


@pytest.mark.parametrize("name", TAKING)
def test_every_command_asks_for_the_paper_in_the_same_way(name, command, monkeypatch):
    def asked(*words):
        raise AskedError(f"asked for {words[-1]}")

    monkeypatch.setattr(registry, "slug_of", asked)
    monkeypatch.setattr("companion.pages.document.find_pages", asked)
    code, out, err = command(name, "ch3", *TAKING[name])
    assert (code, out, err) == (1, "", f"companion {name}: asked for ch3\n")


@pytest.mark.parametrize(
    ("name", "slug"),
    [
        *(("TSRSR", "tsrsr"), ("TS-RSR", "tsrsr"), ("Ts_Rsr", "tsrsr"), ("WDRBO", "wdrbo"), ("Batched", "batched")),
        *(("Wasserstein", "wdrbo"), ("mean-field", "meanfield"), ("Mean Field", "meanfield")),
        *(("kernelized", "batched"), ("information thresholding", "compressed"), ("Trade-off", "compressed")),
    ],
)
def test_capital_letters_and_words_of_a_title_will_do(name, slug, command):
    assert registry.slug_of(name) == slug
    assert command("list", name, "--names")[1] == command("list", slug, "--names")[1]
    assert document.find_chapter(repository_root(), name).paper == slug
    assert cp.experiment(name, registry.experiments(slug).popitem()[0][1]).paper == slug


@pytest.mark.parametrize(
    "name", ["Bayesian", "optimization", "a", "", "-", "Wasserstein kernelized", "ch9", "TSRS", "and"]
)
def test_words_of_several_papers_or_of_none_are_refused(name):
    with pytest.raises(ParameterError, match="paper: got"):
        registry.slug_of(name)


def test_a_near_miss_is_answered_with_the_paper_that_is_meant():
    for name, slug in (("TSRS", "tsrsr"), ("WDRBOO", "wdrbo"), ("Batchd", "batched")):
        with pytest.raises(ParameterError, match=f"Did you mean '{slug}'"):
            registry.slug_of(name)


@pytest.mark.parametrize("slug", registry.chapters())
def test_all_names_of_a_paper(slug):
    number, notebook = registry.get(slug).number, registry.get(slug).notebook or slug
    for name in (slug, str(number), f"ch{number}", f"ch{number}_{notebook}"):
        assert registry.slug_of(name) == slug
        assert document.find_chapter(repository_root(), name).paper == slug


def test_a_sweep_has_them_too(command, tmp_path):
    for name in ("batched", "3", "ch3", "ch3_batched"):
        plan = tmp_path / f"{name}.toml"
        plan.write_text(f'seeds = [0]\n[[runs]]\nexperiment = "{name}/appendix-e"\n')
        code, out, err = command("sweep", plan, "status")
        assert (code, err) == (0, "")
        assert out.splitlines()[1].split() == ["batched/appendix-e", "bpe", "0", "1", "0"]
