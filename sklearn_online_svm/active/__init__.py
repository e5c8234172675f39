"""Active learning: query strategies for streams and pools, and label-efficient training."""

from ._label_efficient import LabelEfficientClassifier
from ._pool import MarginSampling, margin_sampling, small_pool_size
from ._query import AllQuery, MarginQuery, RandomQuery
from ._query_loop import ABSTAIN

__all__ = [
    "ABSTAIN",
    "AllQuery",
    "MarginSampling",
    "LabelEfficientClassifier",
    "MarginQuery",
    "RandomQuery",
    "margin_sampling",
    "small_pool_size",
]
