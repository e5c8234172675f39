"""Who is asked for a label: query rules, and learning from a stream whose labels have a price."""

from ._label_efficient import LabelEfficientClassifier
from ._oracle import ABSTAIN
from ._query import AllQuery, MarginQuery, RandomQuery

__all__ = ["ABSTAIN", "AllQuery", "LabelEfficientClassifier", "MarginQuery", "RandomQuery"]
