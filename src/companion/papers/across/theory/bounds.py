"""The widths and bounds that chapter 6 compares: of the papers in the order of the chapters, then those that none states."""

from __future__ import annotations

from companion.bounds.bound import Bound
from companion.papers.across.theory.classical_widths import WIDTHS
from companion.papers.batched.theory import stated as batched
from companion.papers.compressed.theory import stated as compressed
from companion.papers.meanfield.theory import stated as meanfield
from companion.papers.tsrsr.theory import stated as tsrsr
from companion.papers.wdrbo.theory import stated as wdrbo

# Named one by one, so that the fingerprint of what reads them covers them.
_PAPERS = (*tsrsr.BOUNDS, *compressed.BOUNDS, *batched.BOUNDS, *meanfield.BOUNDS, *wdrbo.BOUNDS)

#: By id.
BOUNDS: dict[str, Bound] = {bound.id: bound for bound in (*_PAPERS, *WIDTHS)}
