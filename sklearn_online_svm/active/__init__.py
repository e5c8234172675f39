"""Active learning: query strategies for streams and pools, label-efficient training, records."""

from ._entity_resolver import EntityResolver
from ._label_efficient import LabelEfficientClassifier
from ._pool import MarginSampling, margin_sampling
from ._query import AllQuery, MarginQuery, RandomQuery
from ._query_loop import ABSTAIN
from ._similarities import SoftTFIDF, edit_similarity, jaccard_similarity

__all__ = [
    "ABSTAIN",
    "AllQuery",
    "EntityResolver",
    "MarginSampling",
    "LabelEfficientClassifier",
    "MarginQuery",
    "RandomQuery",
    "SoftTFIDF",
    "edit_similarity",
    "jaccard_similarity",
    "margin_sampling",
]
