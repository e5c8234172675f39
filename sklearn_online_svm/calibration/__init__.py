"""Class probabilities: maps from decision values, and an online classifier that fits them."""

from ._online import OnlineCalibratedClassifier

__all__ = ["OnlineCalibratedClassifier"]
