"""Models that keep support vectors."""

from ._lasvc import LASVC
from ._ramp import RampSVC

__all__ = ["LASVC", "RampSVC"]
