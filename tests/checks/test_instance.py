"""What a check is evaluated on, in words."""

from dataclasses import FrozenInstanceError

import pytest

from companion.checks.instance import Instance


class Ball(Instance, words="{size} points, radius {radius:g}, {self.volume:.1f}"):
    size: int
    radius: float = 0.25

    @property
    def volume(self):
        return 4.0 * self.radius


class Told(Ball):
    words = "{size}"


def test_words_are_a_format_of_fields_and_properties():
    assert Ball(3, 0.25).where == "3 points, radius 0.25, 1.0"
    assert Told(3).where == "3"


def test_instances_are_frozen_and_compared_by_their_fields():
    assert Ball(3) == Ball(3, 0.25)
    assert len({Ball(3), Ball(3), Ball(4)}) == 2
    with pytest.raises(FrozenInstanceError):
        Ball(3).size = 4
