"""What chapter 6 computes for its page."""

from companion.across import NUMBER

__all__ = ["NUMBER"]  # a study's command is that of the chapter whose number stands two steps above its module
