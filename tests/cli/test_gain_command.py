"""``companion gain`` for a box."""

from __future__ import annotations

import json

import companion as cp

WORDS = ["gain", "--domain", "box", "--kernel", "se", "--lengthscale", "0.3,0.9", "--noise", "0.3", "--horizon", "12"]


def test_it_is_that_of_the_function(command) -> None:
    found = cp.certified_gain(cp.kernel("se", (0.3, 0.9)), 12, 0.3, domain="box")
    code, out, _ = command(*WORDS, "--json")
    written = json.loads(out)
    assert code == 0
    assert [written[name] for name in ("lower", "upper", "source")] == [found.lower, found.upper, found.source]
    assert written["cells"] == found.cells
    assert written["meta"]["domain"] == "box"


def test_what_is_no_box_is_refused(command) -> None:
    for more, hint in (
        (("--points", "5"), "--points: is given beside --domain box"),
        (("--candidates", "none.csv"), "--candidates: is given beside --domain box"),
        (("--dim", "3"), "lengthscale: has 2 entries"),
        (("--lengthscale", "0.3"), "--dim: not given"),
        (("--domain", "ball"), "domain: got 'ball'"),
    ):
        code, out, err = command(*WORDS, *more)
        assert (code, out, err.count("\n")) == (2, "", 1)
        assert hint in err
