"""Every numbered statement of the paper, with its check and its teeth; ``STATEMENTS`` is in no particular order.

``data/reported/batched/statements.txt`` lists the ids in the paper's order, and the ledger follows it.
"""

from companion.papers.batched.statements import confidence, lower, robust, upper

STATEMENTS = (*upper.STATEMENTS, *lower.STATEMENTS, *confidence.STATEMENTS, *robust.STATEMENTS)
