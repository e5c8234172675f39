"""Who is asked for a label: rules for streams and for pools, and learning where labels cost."""

from ._label_efficient import LabelEfficientClassifier
from ._oracle import ABSTAIN
from ._pool import ClosestToHyperplane, closest_to_hyperplane, small_pool_size
from ._query import AllQuery, MarginQuery, RandomQuery

__all__ = [
    "ABSTAIN",
    "AllQuery",
    "ClosestToHyperplane",
    "LabelEfficientClassifier",
    "MarginQuery",
    "RandomQuery",
    "closest_to_hyperplane",
    "small_pool_size",
]
