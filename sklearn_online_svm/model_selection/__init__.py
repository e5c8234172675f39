"""Search for parameters during training."""

from ._progressive_search import ProgressiveSearch

__all__ = ["ProgressiveSearch"]
