"""Training and predictions on a cluster, with dask."""

from ._cells import fit_cells
from ._linear import fit_linear
from ._partitions import read_partitions
from ._predict import predict

__all__ = ["fit_cells", "fit_linear", "predict", "read_partitions"]
