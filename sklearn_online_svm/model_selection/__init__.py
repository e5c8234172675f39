"""Choosing parameters while a model learns."""

from ._progressive_search import ProgressiveSearch

__all__ = ["ProgressiveSearch"]
