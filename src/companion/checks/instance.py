"""What a check is evaluated on, and how a case names it."""

from __future__ import annotations

from typing import ClassVar


class Instance:
    """Base of the frozen dataclasses that statements are checked on.

    ``words`` says which instance it is, as a format of its attributes: ``"|A| = {self.actions}, R = {self.noise_sd:g}"``.
    A class that needs more than a format defines :attr:`where` itself.
    """

    words: ClassVar[str]

    @property
    def where(self) -> str:
        """The instance in words."""
        return self.words.format(self=self)
