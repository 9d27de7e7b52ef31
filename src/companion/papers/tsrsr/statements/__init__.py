"""Every numbered statement of the paper, with its check and its teeth, in the order of the paper."""

from companion.papers.tsrsr.statements import appendix, proof, setting

#: The paper's inventory, its unnumbered claims with content, and at the end what the companion proves besides.
ORDER = (
    "asm-1",
    "eq-simple",
    "eq-1",
    "eq-2",
    "eq-4",
    "alg-1",
    "alg-cost",
    "theorem-1",
    "rates-1",
    "rates-2",
    "rates-3",
    "rates-4",
    "remark-1",
    "lemma-1",
    "lemma-2",
    "lemma-3",
    "lemma-4",
    "lemma-5",
    "lemma-6",
    "thm1-step",
    "lemma-7",
    "lemma-8",
    "lemma-9",
    "lemma-10",
    "lemma-11",
    "lemma-12a",
    "lemma-12b",
    "lemma-12c",
    "corollary-1",
    "eq-18",
    "appC-neg",
    "appC-resample",
    "our-A",
    "our-B",
    "our-C",
    "our-D",
)

_ALL = (*setting.STATEMENTS, *proof.STATEMENTS, *appendix.STATEMENTS)

STATEMENTS = tuple(statement for identifier in ORDER for statement in _ALL if statement.id == identifier)
