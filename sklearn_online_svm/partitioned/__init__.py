"""One model per cell of a partition of the feature space, for many samples."""

from ._cells import CellClassifier, CellRegressor

__all__ = ["CellClassifier", "CellRegressor"]
