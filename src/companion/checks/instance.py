"""What a check is evaluated on, and how a case names it."""

from __future__ import annotations

from typing import ClassVar


class Instance:
    """Base of the frozen dataclasses that statements are checked on.

    ``words`` says which instance it is, as a format of its fields, ``"|A| = {actions}, R = {noise_sd:g}"``, or of anything
    that it has, ``{self.volume}``. A class that needs more than a format defines :attr:`where` itself.
    """

    words: ClassVar[str]

    @property
    def where(self) -> str:
        """The instance in words."""
        return self.words.format(self=self, **vars(self))
