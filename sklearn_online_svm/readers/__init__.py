"""Training from files that do not fit into memory: readers of chunks, and checkpoints."""

from ._svmlight import read_svmlight

__all__ = ["read_svmlight"]
