"""Models that keep support vectors."""

from ._lasvc import LASVC

__all__ = ["LASVC"]
