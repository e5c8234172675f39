"""Training from files that do not fit into memory: readers of chunks, and checkpoints."""

from ._fit_stream import fit_stream
from ._svmlight import read_svmlight
from ._tables import read_arrays, read_csv, read_parquet

__all__ = ["fit_stream", "read_arrays", "read_csv", "read_parquet", "read_svmlight"]
