"""What a check is evaluated on, in words."""

from dataclasses import dataclass

from companion.checks.instance import Instance


@dataclass(frozen=True)
class Ball(Instance):
    size: int
    radius: float

    words = "{size} points, radius {radius:g}, {self.volume:.1f}"

    @property
    def volume(self):
        return 4.0 * self.radius


def test_words_are_a_format_of_fields_and_properties():
    assert Ball(3, 0.25).where == "3 points, radius 0.25, 1.0"
