"""Whose constants a bound has: the word of its object against the theorem's statement in the stored ledger."""

from __future__ import annotations

import dataclasses
import re

import pytest

from companion import registry
from companion.bounds.bound import Bound
from companion.core.files import results_folder
from companion.papers.across.theory.bounds import BOUNDS
from companion.stored.results import load_entries

#: The regret on the left of an order, or of an explicit bound whose order is said after it; "of the order of Lemma 12".
ORDER = re.compile(
    r"R_?(\{[^}]*\}|\w)?\)?(\s|[^.;])*?(=|\\le)\s*(\\tilde |\\mathcal )?O\b|R_\{\\xi,T\}.*of the order of"
)
DECLARED = [form for form in BOUNDS.values() if form.paper and form.reading == "printed" and form.quantity == "regret"]
#: Theorem 1 of Srinivas et al. (2010), which prints its constants; the entry is the paper's lemma that contains it.
OLDER = "compressed/lemma-8.4/dense"


def statement(form: Bound) -> str:
    """The theorem that a bound is named after, as the ledger shows it: the one with constants may be another entry."""
    entries = {each["id"]: each["latex"] for each in load_entries(results_folder(form.paper), "ledger", "").entries}
    return str(entries[form.name.rpartition("/")[0]])


def prints_an_order(latex: str) -> bool:
    return bool(ORDER.search(latex))


@pytest.mark.papers
@pytest.mark.parametrize("form", DECLARED, ids=lambda form: form.id)
def test_the_word_is_that_of_the_statement(form: Bound) -> None:
    assert form.constants == ("order" if prints_an_order(statement(form)) else "explicit"), statement(form)


def test_what_is_known_of_the_papers() -> None:
    """By reading them: Ren and Li's Theorem 1 and Corollary 1, Ma et al.'s Theorems 1 and 3 and Lemmas 1, 12 and 13, and
    Steinberg et al.'s Theorem 4.1 print orders."""
    order = {form.id for form in DECLARED if form.constants == "order"}
    assert order == {
        *("tsrsr/theorem-1/printed", "tsrsr/theorem-1/one-term", "tsrsr/corollary-1/printed"),
        *("batched/theorem-1/printed", "batched/theorem-1/summed", "batched/theorem-3/printed"),
        *("batched/lemma-1/printed", "batched/lemma-12/printed", "batched/lemma-13/printed"),
        "meanfield/thm-4.1/printed",
    }
    assert BOUNDS[OLDER].constants == "explicit"


def test_an_order_of_something_else_is_none_of_the_regret() -> None:
    assert not prints_an_order(r"$\mathrm{Reg}_T\le\sqrt{C_1\beta_T}\,T^{3/4}$; and $M_T(\epsilon)\le O(\sqrt T)$")
    assert prints_an_order(r"$\E[R_T]\le\mathcal O(\beta_T\sqrt{T\gamma_T})$")


def test_other_readings_keep_their_word() -> None:
    for form in BOUNDS.values():
        assert form.constants == form.reading or form.reading == "printed"
        assert not form.order or form.reading == "printed", form.id
    assert registry.declaring("bounds")
    assert dataclasses.replace(BOUNDS["batched/prop-2/printed"], order=True).constants == "order"
