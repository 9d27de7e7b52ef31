"""Every numbered statement of the paper, with its check and its teeth, in the order of the paper."""

from companion.papers.wdrbo.statements import regret, setting

#: The paper's inventory, its unnumbered claims with content, the second printed form of Theorem 5 and the steps of its proof,
#: and at the end what the companion proves besides.
ORDER = (
    "rem-robust-value",
    "eq-20",
    "eq-22",
    "eq-24",
    "lemma-1",
    "def-gamma",
    "assump-1",
    "rem-7.1",
    "lemma-11",
    "lemma-12",
    "lemma-2",
    "alg-1",
    "lemma-3",
    "thm-4",
    "thm-5",
    "thm-16",
    "thm-16-a",
    "thm-16-i",
    "thm-16-ii",
    "thm-16-iii",
    "cor-6",
    "rem-cor6",
    "class-U",
    "lemma-18",
    "lemma-19",
    "lemma-7",
    "thm-8",
    "thm-9",
    "lemma-23",
    "cor-10",
    "rem-curse",
    "ours-sampled-L",
    "ours-exact-W1",
    "ours-cm",
    "ours-thm5",
    "ours-l18",
    "ours-cover",
)

#: Modules with a tuple ``STATEMENTS`` each; the order of the entries is that of :data:`ORDER`.
GROUPS = (setting, regret)

_ALL = tuple(statement for group in GROUPS for statement in group.STATEMENTS)

STATEMENTS = tuple(statement for identifier in ORDER for statement in _ALL if statement.id == identifier)
