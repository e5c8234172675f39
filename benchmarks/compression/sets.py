"""The sets, with the parameters of LASVC; those of the papers where they have them."""

from dataclasses import dataclass

from ..sets.calibration import SETS as SAMPLES
from ..sets.calibration import Set


@dataclass(frozen=True)
class Case:
    """A set and the parameters of the model."""

    samples: Set
    C: float
    gamma: float | str = "scale"

    @property
    def title(self):
        return self.samples.title


CASES = {
    "adult": Case(SAMPLES["adult"], 100.0, 0.005),
    "banana": Case(Set("Banana", "banana", scale=1.0), 316.0, 0.5),
    "letter": Case(SAMPLES["letter"], 10.0),
    "magic04": Case(SAMPLES["magic04"], 10.0),
    "usps": Case(SAMPLES["usps"], 10.0, 0.0078),
    "w8a": Case(SAMPLES["w8a"], 10.0),
}
# Tolerances, and sizes as shares of the support vectors.
TOLERANCES = [0.1, 0.01]
SHARES = [0.1, 0.05, 0.02]
# Share at which moved vectors are compared with selected ones.
COMPARED_SHARE = 0.05
