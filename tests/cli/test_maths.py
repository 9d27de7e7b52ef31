"""Formulas of the ledger as plain text."""

import re

import pytest

from companion import registry
from companion.cli.maths import plain
from companion.core.files import results_folder
from companion.stored.results import load_entries


@pytest.mark.parametrize(
    ("tex", "words"),
    [
        (r"$r_\xi(x)\le6\sqrt{C\beta\gamma_{N_i}/N_i}$", "r_ξ(x) ≤ 6√(Cβγ_(N_i)/N_i)"),
        (r"$\frac12\log\det(I+\sigma^{-2}K)$ and $\abs{f}$", "1/2 log det(I+σ^(-2)K) and |f|"),
        # A root and a fraction say where they end.
        (r"$\sqrt{\beta_TT}$, $\sqrt{\beta_T}T$", "√(β_TT), √β_T T"),
        (r"$\frac{a}{2\tau_t}\sum_m$, $\frac{\lambda_i}{n}$", "a/(2τ_t) Σ_m, λ_i/n"),
        (r"$\gamma_{Tm}Tm$, $x^2$, $\tilde f$, $\binom{n}{2}$", "γ_(Tm)Tm, x^2, f\u0303, C(n, 2)"),
        ("no formula, 5 % and a_b", "no formula, 5 % and a_b"),
        (r"$\max\{2,\lceil nt^2\rceil\}$", "max {2,⌈nt^2⌉}"),
    ],
)
def test_formulas_are_read_as_they_are_meant(tex, words):
    assert plain(tex) == words


def test_no_stored_statement_keeps_a_macro_or_loses_a_letter():
    for paper in registry.declaring("stored_runs"):
        for entry in load_entries(results_folder(paper), "ledger", "").entries:
            for tex in (entry["latex"], *entry["assumptions"]):
                words = plain(tex)
                assert not re.search(r"[\\$]", words), (entry["id"], words)
                assert words.count("(") == words.count(")") or tex.count("(") != tex.count(")"), words
                # Digits are never a part of a macro, so that each is still there.
                assert sorted(re.findall(r"\d", words)) == sorted(re.findall(r"\d", tex)), (tex, words)
