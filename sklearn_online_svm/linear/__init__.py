"""Linear models with one update per sample, local models, and advice."""

from ._advice import Advice
from ._advice_taking import AdvicePassiveAggressiveClassifier, AdviceReport
from ._confidence_weighted import AROWClassifier, ConfidenceWeightedClassifier, SCWClassifier
from ._cost_sensitive import CostSensitivePassiveAggressiveClassifier
from ._local import LocalOnlineClassifier
from ._passive_aggressive import PassiveAggressiveClassifier, PassiveAggressiveRegressor
from ._perceptron import PerceptronClassifier, SecondOrderPerceptronClassifier

__all__ = [
    "AROWClassifier",
    "Advice",
    "AdvicePassiveAggressiveClassifier",
    "AdviceReport",
    "ConfidenceWeightedClassifier",
    "CostSensitivePassiveAggressiveClassifier",
    "LocalOnlineClassifier",
    "PassiveAggressiveClassifier",
    "PassiveAggressiveRegressor",
    "PerceptronClassifier",
    "SCWClassifier",
    "SecondOrderPerceptronClassifier",
]
