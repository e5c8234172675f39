"""Labels given in y and labels returned by an oracle."""

from enum import Enum
from inspect import Parameter, signature

import numpy as np
from sklearn.utils.validation import check_consistent_length, column_or_1d

from .._base import encode_labels, known_labels

__all__ = ["ABSTAIN"]

# Beside the codes of the classes, 0 and up.
UNKNOWN = -1
ABSTAINED = -2

_BY_PLACE = (Parameter.POSITIONAL_ONLY, Parameter.POSITIONAL_OR_KEYWORD)


class Abstention(Enum):
    """Answer of an oracle that cannot label a sample; an enum keeps its identity in pickles."""

    ABSTAIN = "abstain"

    def __repr__(self):
        return "ABSTAIN"


ABSTAIN = Abstention.ABSTAIN


class Answers:
    """Class codes of the labels of samples, from y or from the oracle.

    Attributes
    ----------
    codes : ndarray of int32
        Place of each label among the classes, UNKNOWN or ABSTAINED.
    by_oracle : ndarray of bool
        Which of them the oracle gave, in this call or in an interrupted one.
    asking : bool
        Whether a call of the oracle is in progress.
    """

    def __init__(self, X, codes, classes, oracle):
        if oracle is not None and not callable(oracle):
            raise TypeError(f"oracle must be callable, got {oracle!r}.")
        self.X = X
        self.codes = codes
        self.classes = classes
        self.oracle = oracle
        self.by_oracle = np.zeros(len(codes), dtype=bool)
        self.asking = False
        self._wants_row = oracle is not None and _takes_two(oracle)

    def recall(self, codes, classes):
        """Reuse answers of an earlier call; labels in ``y`` take precedence."""
        given = np.append(classes, classes[:1])[codes]  # -1, -2: any class, it is not looked at
        places = np.searchsorted(self.classes, given)
        known = (codes >= 0) & (self.classes.take(places, mode="clip") == given)
        recalled = (self.codes == UNKNOWN) & (known | (codes == ABSTAINED))
        self.codes[recalled] = np.where(known, places, ABSTAINED)[recalled]
        self.by_oracle |= recalled

    def get(self, i):
        """Return the code of the label of sample i; call the oracle if it is unknown."""
        if self.codes[i] == UNKNOWN:
            self.asking = True
            self.codes[i] = self._ask(i)
            self.by_oracle[i] = True
            self.asking = False
        return self.codes[i]

    def _ask(self, i):
        if self.oracle is None:
            raise ValueError(
                f"The label of sample {i} is queried, but it is missing in y. Pass the label in "
                "y, or pass an oracle that returns it."
            )
        label = self.oracle(i, self._row(i)) if self._wants_row else self.oracle(i)
        if label is ABSTAIN:
            return ABSTAINED
        known = np.flatnonzero(self.classes == label)
        if not len(known):
            raise ValueError(
                f"The oracle returned the label {label!r} for sample {i}, which is not in "
                f"classes_: {self.classes.tolist()}. Earlier answers are kept; repeat the call to "
                "continue. Return sklearn_online_svm.active.ABSTAIN for an unknown label."
            )
        return known[0]

    def _row(self, i):
        # A copy: what the oracle does to it does nothing to the rows.
        return self.X[i].copy() if isinstance(self.X, np.ndarray) else self.X[i : i + 1]


def _takes_two(oracle):
    """Whether a function has two or more positional parameters without a default."""
    try:
        parameters = signature(oracle).parameters.values()
    except ValueError:  # some functions written in C have no signature
        return False
    wanted = [p for p in parameters if p.kind in _BY_PLACE and p.default is Parameter.empty]
    return len(wanted) > 1


def labels_of(y, X):
    """Return the labels as an array and a mask of the known labels."""
    if y is None:
        return np.empty(X.shape[0], dtype=object), np.zeros(X.shape[0], dtype=bool)
    if type(y) is np.ndarray and y.shape == X.shape[:1] and y.dtype.kind in "biuU":
        return y, np.ones(len(y), dtype=bool)  # no missing values possible: fast path
    # NumPy would convert the nan in a list of strings to the string "nan".
    labels = column_or_1d(np.array(y, dtype=object) if isinstance(y, list) else y, warn=True)
    check_consistent_length(X, labels)
    known = known_labels(labels)
    if labels.dtype == object:
        known &= np.array([label is not ABSTAIN for label in labels], dtype=bool)
    return labels, known


def codes_of(labels, known, classes):
    """Return the class code of each label; unknown labels have UNKNOWN or ABSTAINED."""
    codes = np.full(len(labels), UNKNOWN, dtype=np.int32)
    if labels.dtype == object and not known.all():
        codes[[label is ABSTAIN for label in labels]] = ABSTAINED
    given = labels[known]
    if len(given):
        if given.dtype == object:
            given = np.array(given.tolist())
        codes[known] = encode_labels(given, classes)
    return codes
