"""One model per cell of a partition of the feature space, for many samples."""

from ._classifier import CellClassifier
from ._regressor import CellRegressor

__all__ = ["CellClassifier", "CellRegressor"]
