"""Ask/tell policies on finite problems, and the baselines that several chapters share."""

from companion.policies.base import Batch, Policy

__all__ = ["Batch", "Policy"]
