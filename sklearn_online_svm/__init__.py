"""Online, active and robust support vector machines with the scikit-learn interface."""

from ._show_versions import show_versions
from ._version import __version__
from .active import LabelEfficientClassifier
from .kernel import LASVC, RampSVC
from .linear import (
    AROWClassifier,
    ConfidenceWeightedClassifier,
    CostSensitivePassiveAggressiveClassifier,
    PassiveAggressiveClassifier,
    PassiveAggressiveRegressor,
    PerceptronClassifier,
    SCWClassifier,
    SecondOrderPerceptronClassifier,
)

__all__ = [
    "LASVC",
    "AROWClassifier",
    "ConfidenceWeightedClassifier",
    "CostSensitivePassiveAggressiveClassifier",
    "LabelEfficientClassifier",
    "PassiveAggressiveClassifier",
    "PassiveAggressiveRegressor",
    "PerceptronClassifier",
    "RampSVC",
    "SCWClassifier",
    "SecondOrderPerceptronClassifier",
    "__version__",
    "show_versions",
]
