"""Online, active and robust support vector machines with the scikit-learn interface."""

from importlib.metadata import PackageNotFoundError, version

from ._show_versions import show_versions
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

try:
    __version__ = version("sklearn-online-svm")
except PackageNotFoundError:  # used from a checkout that was not installed
    __version__ = "0.0.0+unknown"

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
