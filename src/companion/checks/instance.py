"""Instances on which a check is evaluated, and their names in cases."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, ClassVar, dataclass_transform


@dataclass_transform(frozen_default=True, field_specifiers=(field,))
class Instance:
    """Base of what statements are checked on: its subclasses are frozen dataclasses.

    ``words`` says which instance it is, as a format of its fields, ``"|A| = {actions}, R = {noise_sd:g}"``, or of anything
    that it has, ``{self.volume}``; it is given to the class, ``class Box(Instance, words="...")``, or stands in it. A class
    that needs more than a format defines :attr:`where` itself.

    Examples
    --------
    >>> from companion.checks.instance import Instance
    >>> class Arms(Instance, words="{arms} arms, seed {seed}"):
    ...     arms: int
    ...     seed: int = 0
    >>> Arms(5).where
    '5 arms, seed 0'
    """

    words: ClassVar[str]

    def __init_subclass__(cls, words: str | None = None, **more: Any) -> None:
        super().__init_subclass__(**more)
        if words is not None:
            cls.words = words
        dataclass(frozen=True)(cls)

    @property
    def where(self) -> str:
        """The instance in words."""
        return self.words.format(self=self, **vars(self))
