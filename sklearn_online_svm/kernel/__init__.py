"""Models that keep support vectors."""

from ._lasvc import LASVC
from ._ramp import RampSVC
from ._virtual import VirtualLASVC

__all__ = ["LASVC", "RampSVC", "VirtualLASVC"]
