"""All widths and bounds, in the order of the chapters."""

from __future__ import annotations

from companion.across.forms import batched, compressed, meanfield, tsrsr, wdrbo
from companion.across.forms.form import Form

FORMS: dict[str, Form] = {
    form.id: form for each in (tsrsr, compressed, batched, meanfield, wdrbo) for form in each.FORMS
}
"""By id."""
