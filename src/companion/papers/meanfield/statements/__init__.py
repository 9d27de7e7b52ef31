"""The paper's claims, with their checks and their teeth, in the order of the paper.

It numbers only Assumption 3.1, Theorem 4.1, Algorithm 1, Eq. (1) and Table 1; the other ids are the companion's.
"""

from companion.papers.meanfield.statements import proof, setting

#: Setting, method and theorem; what follows from the theorem; the steps of its proof; what the experiments rest on.
ORDER = (
    "def-payoff",
    "def-regret",
    "assumption-3.1",
    "assumption-hidden",
    "eq-posterior",
    "def-mf-ucb",
    "alg-1",
    "eq-rbf",
    "remark-mig-rbf",
    "eq-1",
    "thm-4.1",
    "thm-4.1-explicit-printed",
    "thm-4.1-corrected",
    "rate-gp-ucb",
    "rate-add-gp-ucb",
    "rate-mf",
    "rate-mf-additive",
    "remark-independence",
    "remark-crossover",
    "remark-brown",
    "remark-fixed-context",
    "A-decomp",
    "A-discretisation",
    "A1-split",
    "A1-lipschitz",
    "A1-lmax",
    "A1-lip-sum",
    "A1-holder",
    "A1-maxgauss",
    "A1-tau",
    "A1-logtau",
    "A1-sqrtlog",
    "A1-zeta",
    "A1-total",
    "A2-positive-part",
    "A2-law",
    "A2-RC",
    "A3-independence",
    "A3-cauchy",
    "A3-infogain",
    "A3-RD",
    "exp-jsd",
    "exp-jsd-floor",
    "exp-penalty",
    "exp-swarm-opt",
    "exp-arena-shift",
    "exp-arena-fig3",
    "exp-maritime-bound",
    "exp-runtime-share",
)

_ALL = (*setting.STATEMENTS, *proof.STATEMENTS)

STATEMENTS = tuple(statement for identifier in ORDER for statement in _ALL if statement.id == identifier)
