"""All widths and bounds: those of the papers in the order of the chapters, then the widths that none of them states."""

from __future__ import annotations

from companion.papers.across.forms import batched, classical, compressed, meanfield, tsrsr, wdrbo
from companion.papers.across.forms.form import Form

FORMS: dict[str, Form] = {
    form.id: form for each in (tsrsr, compressed, batched, meanfield, wdrbo, classical) for form in each.FORMS
}
"""By id."""
