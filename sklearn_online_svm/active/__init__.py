"""Active learning: query strategies for streams and pools, label-efficient training, pairs."""

from ._entity_resolver import EntityResolver
from ._label_efficient import LabelEfficientClassifier
from ._pool import MarginSampling, margin_sampling, small_pool_size
from ._query import AllQuery, MarginQuery, RandomQuery
from ._query_loop import ABSTAIN

__all__ = [
    "ABSTAIN",
    "AllQuery",
    "EntityResolver",
    "MarginSampling",
    "LabelEfficientClassifier",
    "MarginQuery",
    "RandomQuery",
    "margin_sampling",
    "small_pool_size",
]
