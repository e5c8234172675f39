"""Class probabilities: calibration of online classifiers."""

from ._online import OnlineCalibratedClassifier

__all__ = ["OnlineCalibratedClassifier"]
