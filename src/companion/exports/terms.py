"""Names of the companion's statuses elsewhere: FORRT validation statuses, and CiTO relations.

FORRT's outcome form, as nanopublications state it (``ScienceLiveHub/forrt-replication-template``, ``docs/forrt-form-fields.md``),
has five statuses, and pairs three with a relation of CiTO, the Citation Typing Ontology (http://purl.org/spar/cito/):
Validated *confirms*, PartiallySupported *qualifies*, Contradicted *disputes*. The other two, Inconclusive and NotTested, take
the neutral *discusses*. The statuses are words of that form, for which no address is known to us, so none is made up.

Two rows need a reason. A statement that holds with another constant is partly supported, as the printed one is false. A
suspicion that was not confirmed says that no fault was shown, not that the text is right, so it is inconclusive.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from companion.checks.statement import CORRECTED, FAILS, NOT_CHECKABLE
from companion.checks.statement import HOLDS as STATEMENT_HOLDS
from companion.judge.consequence import CONSTANTS, MISPRINT, NONE, SUBSTANCE
from companion.judge.verdict import (
    COMPATIBLE,
    CONTRADICTED,
    DIFFERENT,
    EQUIVALENT,
    HOLDS,
    LEVEL,
    NOT_TESTABLE,
    UNDECIDED,
)

CITO = "http://purl.org/spar/cito/"
#: Of a lead without a judgement on what it amounts to, and of one that its test did not confirm.
UNJUDGED, DISMISSED = "confirmed", "not confirmed"

_FORRT = {
    "Validated": "confirms",
    "PartiallySupported": "qualifies",
    "Contradicted": "disputes",
    "Inconclusive": "discusses",
    "NotTested": "discusses",
}

#: By the kind of entry and its status: the validation status.
_STATUSES: Mapping[str, Mapping[str, str]] = {
    "cell": {
        EQUIVALENT: "Validated",
        COMPATIBLE: "Inconclusive",
        LEVEL: "PartiallySupported",
        DIFFERENT: "Contradicted",
        NOT_TESTABLE: "NotTested",
    },
    "claim": {
        HOLDS: "Validated",
        CONTRADICTED: "Contradicted",
        UNDECIDED: "Inconclusive",
        NOT_TESTABLE: "NotTested",
    },
    "statement": {
        STATEMENT_HOLDS: "Validated",
        CORRECTED: "PartiallySupported",
        FAILS: "Contradicted",
        NOT_CHECKABLE: "NotTested",
    },
    "lead": {
        SUBSTANCE: "Contradicted",
        CONSTANTS: "PartiallySupported",
        MISPRINT: "PartiallySupported",
        NONE: "Inconclusive",
        UNJUDGED: "Contradicted",
        DISMISSED: "Inconclusive",
    },
}

#: By the kind of entry and its status: ``forrt``, a word, and ``cito``, an address.
STATUSES: Mapping[str, Mapping[str, Mapping[str, str]]] = {
    kind: {status: {"forrt": forrt, "cito": CITO + _FORRT[forrt]} for status, forrt in table.items()}
    for kind, table in _STATUSES.items()
}


def status(kind: str, entry: Mapping[str, Any]) -> str:
    """The key of an entry in :data:`STATUSES`.

    Parameters
    ----------
    kind : ``cell``, ``claim``, ``statement`` or ``lead``
    """
    if kind == "lead":
        amounts = (entry["error"] or {"consequence": UNJUDGED})["consequence"]
        return str(amounts) if entry["confirmed"] else DISMISSED
    return str(entry["status" if kind == "statement" else "verdict"])
