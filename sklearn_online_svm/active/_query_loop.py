"""Selective sampling of a chunk: predict each sample, decide on a query, update the model."""

from enum import Enum
from inspect import Parameter, signature
from numbers import Integral

import numpy as np
from scipy.sparse import issparse
from sklearn.utils.validation import check_consistent_length, column_or_1d

from .._class_codes import class_order_after, code_of
from .._core.linear.queries import LabelQueries
from .._core.linear.update_loop import DONE
from .._pairs import margin_scores
from .._transactions import PostponedInterrupts
from .._validation import encode_labels, is_labelled

# Codes of labels besides those of the classes, 0 and up.
UNKNOWN = -1
ABSTAINED = -2

# State of a sample after its query, as the compiled loop writes it; 0 before.
LABELED = 1
UNLABELED = 2

_NO_LIMIT = np.iinfo(np.int64).max
_POSITIONAL = (Parameter.POSITIONAL_ONLY, Parameter.POSITIONAL_OR_KEYWORD)


class Abstention(Enum):
    """Answer of an oracle that cannot label a sample; an enum keeps its identity in pickles."""

    ABSTAIN = "abstain"

    def __repr__(self):
        return "ABSTAIN"


ABSTAIN = Abstention.ABSTAIN


class Chunk:
    """Validated samples of one call, with the labels given in y or returned by the oracle.

    ``codes``: index of each label in the classes, UNKNOWN or ABSTAINED. Answers are added.
    ``by_oracle``: which labels the oracle returned, in this call or in an interrupted one.
    ``in_oracle``: whether a call of the oracle is in progress, or has raised an error.
    """

    def __init__(self, X, codes, classes, weights, oracle):
        if oracle is not None and not callable(oracle):
            raise TypeError(f"oracle must be callable, got {oracle!r}.")
        self.X, self.codes, self.classes, self.weights = X, codes, classes, weights
        self.oracle = oracle
        self.by_oracle = np.zeros(len(codes), dtype=bool)
        self.in_oracle = False
        self._passes_sample = oracle is not None and _takes_two(oracle)

    def reuse_answers(self, codes, classes):
        """Reuse answers of an interrupted call; labels in ``y`` take precedence."""
        given = np.append(classes, classes[:1])[codes]  # any class for negative codes
        indices = np.searchsorted(self.classes, given)
        known = (codes >= 0) & (self.classes.take(indices, mode="clip") == given)
        reused = (self.codes == UNKNOWN) & (known | (codes == ABSTAINED))
        self.codes[reused] = np.where(known, indices, ABSTAINED)[reused]
        self.by_oracle |= reused

    def label(self, i):
        """Return the code of the label of sample i; call the oracle if it is unknown."""
        if self.codes[i] == UNKNOWN:
            self.in_oracle = True
            self.codes[i] = self._answer(i)
            self.by_oracle[i] = True
            self.in_oracle = False
        return self.codes[i]

    def _answer(self, i):
        if self.oracle is None:
            raise ValueError(
                f"The label of sample {i} is queried, but it is missing in y. Pass the label in "
                "y, or pass an oracle that returns it."
            )
        if self._passes_sample:
            # A copy, which the oracle may modify.
            x = self.X[i : i + 1] if issparse(self.X) else self.X[i].copy()
            label = self.oracle(i, x)
        else:
            label = self.oracle(i)
        if label is ABSTAIN:
            return ABSTAINED
        code = code_of(label, self.classes)
        if code is None:
            raise ValueError(
                f"The oracle returned the label {label!r} for sample {i}, which is not in "
                f"classes_: {self.classes.tolist()}. Earlier answers are kept; repeat the call to "
                "continue, with `classes` that contain the label if it is a new class. Return "
                "sklearn_online_svm.active.ABSTAIN for an unknown label."
            )
        return code


def _takes_two(oracle):
    """Return whether a function has two or more positional parameters without a default."""
    try:
        parameters = signature(oracle).parameters.values()
    except ValueError:  # some functions written in C have no signature
        return False
    required = [p for p in parameters if p.kind in _POSITIONAL and p.default is Parameter.empty]
    return len(required) > 1


def labels_of(y, X):
    """Return the labels as an array and a mask of the known labels."""
    if y is None:
        return np.empty(X.shape[0], dtype=object), np.zeros(X.shape[0], dtype=bool)
    if type(y) is np.ndarray and y.shape == X.shape[:1] and y.dtype.kind in "biuU":
        return y, np.ones(len(y), dtype=bool)  # no missing values possible: fast path
    # NumPy would convert the nan in a list of strings to the string "nan".
    labels = column_or_1d(np.array(y, dtype=object) if isinstance(y, list) else y, warn=True)
    check_consistent_length(X, labels)
    known = is_labelled(labels)
    if labels.dtype == object:
        known &= np.array([label is not ABSTAIN for label in labels], dtype=bool)
    return labels, known


def codes_of(labels, known, classes, *, extendable=False):
    """Return the class code of each label; unknown labels have UNKNOWN or ABSTAINED."""
    codes = np.full(len(labels), UNKNOWN, dtype=np.int32)
    if labels.dtype == object and not known.all():
        codes[[label is ABSTAIN for label in labels]] = ABSTAINED
    given = labels[known]
    if len(given):
        if given.dtype == object:
            given = np.array(given.tolist())
        codes[known] = encode_labels(given, classes, extendable=extendable)
    return codes


class QueryLoop:
    """Selective sampling with any estimator, one sample at a time.

    ``history``: results of all samples before this chunk.
    ``max_labels``: label budget or None, including the labels in the history; a float is a share
        of the samples seen.
    ``asker``: the compiled query strategy, if it is one of this package, or None.
    """

    def __init__(self, chunk, history, max_labels, asker):
        self.chunk, self.history, self.asker = chunk, history, asker
        self.n_samples = chunk.X.shape[0]
        self.n_seen = 0
        self.predicted = np.zeros(self.n_samples, dtype=np.int32)
        self.queried = np.zeros(self.n_samples, dtype=np.uint8)
        self.max_labels = _NO_LIMIT if max_labels is None else min(max_labels, _NO_LIMIT)
        self.is_share = not isinstance(self.max_labels, Integral)
        self.n_queried = history.n_queried
        # Number of labels that may still be queried, which the compiled loop decrements.
        self.left = np.zeros(1, dtype=np.int64)
        self._predicted_now = self.predicted
        # Recording needs no memory: a model that has been trained must not lack the samples.
        history.reserve(self.n_samples)
        self._is_asked = np.zeros(self.n_samples, dtype=bool)
        self._answers = np.full(self.n_samples, UNKNOWN, dtype=np.int32)
        self._is_recorded = False

    @property
    def has_begun(self):
        """Whether a sample has been processed, or a call of the oracle has begun."""
        return bool(self.n_seen or self.history.taught or self.chunk.in_oracle)

    def watch_class_order(self, estimator, start):
        """Do nothing: the estimator watches the samples of its chunks."""

    def end_epoch(self):
        """Keep the predictions of the first epoch, which precede the labels."""
        self._predicted_now = np.zeros_like(self.predicted)

    def add_all_answers(self):
        """Count every answer of the oracle as queried, also those not reached by this call."""
        codes, by_oracle = self.chunk.codes, self.chunk.by_oracle
        self.queried[by_oracle & (codes >= 0)] = LABELED
        self.queried[by_oracle & (codes == ABSTAINED)] = UNLABELED

    def record(self, start=0):
        """Add the samples processed from `start` on to the history, if it does not have them.

        The caller postpones interrupts.
        """
        if self._is_recorded:
            return
        try:
            self._record(slice(start, self.n_seen))
        except MemoryError:
            # Only views and buffers of a fixed size are needed, for which there may be memory now.
            self._record(slice(start, self.n_seen))

    def _record(self, done):
        np.copyto(self._is_asked, self.queried, casting="unsafe")
        np.copyto(self._answers, self.chunk.codes, where=self._is_asked)
        self.history.add(self.predicted[done], self._answers[done])
        self._is_recorded = True

    def _budget(self, start):
        """Return the budget at the positions from `start` on: numbers of labels, ascending."""
        n = self.n_samples - start
        budget = self.max_labels
        if self.is_share:
            # Later epochs see no further samples.
            is_first = self._predicted_now is self.predicted
            n_seen = len(self.history.answers) + (np.arange(1, n + 1) if is_first else n)
            budget = np.ceil(self.max_labels * n_seen).astype(np.int64)
        return np.broadcast_to(budget, n)

    def run(self, estimator, strategy, order, start=0, report=None):
        """Run one epoch, from position `start` of the order on."""
        budget = self._budget(start)
        for position in range(start, self.n_samples):
            self.left[0] = max(0, int(budget[position - start]) - self.n_queried)
            i = position if order is None else int(order[position])
            x = self.chunk.X[i : i + 1]
            query = self._query(i, x, estimator, strategy)  # the oracle can be interrupted
            with PostponedInterrupts():
                updated = self._learn(i, x, estimator, query)
                if self._predicted_now is self.predicted:
                    self.n_seen = position + 1
                # After an error of the strategy, the sample counts: it has been trained on.
                if query is not None:
                    scores, is_query, numbers = query
                    strategy.update(scores, [is_query], [updated], **numbers)
            if report is not None:
                report(position + 1)

    def _query(self, i, x, estimator, strategy):
        """Predict a sample and query its label, without changing the model and the strategy.

        Returns the decision values, whether the label is queried, and the norm and the variance of
        the sample for the strategy; None if it is not asked.
        """
        weights = self.chunk.weights
        if self.queried[i] == LABELED:
            return None
        scores = self._scores(estimator, x)
        self._predicted_now[i] = scores.argmax() if scores.ndim == 2 else scores[0] > 0
        has_weight = weights is None or weights[i] != 0.0
        if not has_weight or self.queried[i] == UNLABELED or self.left[0] == 0:
            return None
        numbers = {}
        if self.asker is not None and self.asker.wants_norm:
            squares = x.multiply(x) if issparse(x) else x * x
            numbers["norms"] = [float(np.sqrt(squares.sum()))]
        if self.asker is not None and self.asker.wants_variance:
            numbers["variances"] = self._variances(estimator, x, strategy, scores)
        is_query = bool(strategy.query(scores, **numbers)[0])
        if is_query:
            self.chunk.label(i)
        return scores, is_query, numbers

    def _learn(self, i, x, estimator, query):
        """Train on a sample if its label is known; return whether the query changed the model."""
        if self.queried[i] == LABELED:
            self._update(i, x, estimator)
        is_query = query is not None and query[1]
        has_label = is_query and self.chunk.codes[i] >= 0
        updated = has_label and self._update(i, x, estimator)
        if is_query:
            self.queried[i] = LABELED if has_label else UNLABELED
            self.n_queried += has_label
        return updated

    def _scores(self, estimator, x):
        """Return the decision values; zeros before the first label."""
        if not self.history.taught:
            n_classes = len(self.chunk.classes)
            return np.zeros(1) if n_classes == 2 else np.zeros((1, n_classes))
        return np.asarray(margin_scores(estimator, x), dtype=np.float64)

    def _variances(self, estimator, x, strategy, scores):
        check_has_variance(estimator, strategy)
        if not self.history.taught:
            return [0.0]
        variances = np.asarray(estimator.decision_variance(x)).reshape(-1)
        if len(variances) > 1 and strategy.confidence == "standardized":
            return [variances[np.argsort(-scores[0], kind="stable")[:2]].sum()]
        return variances[:1]

    def _update(self, i, x, estimator):
        """Train on a queried sample; return whether the model changed."""
        code, classes, weights = self.chunk.codes[i], self.chunk.classes, self.chunk.weights
        params = {} if weights is None else {"sample_weight": weights[i : i + 1]}
        before = getattr(estimator, "n_updates_", None) if self.history.taught else 0
        estimator.partial_fit(x, classes[code : code + 1], classes=classes, **params)
        self.history.taught = True
        after = getattr(estimator, "n_updates_", None)
        # An estimator without n_updates_ is assumed to change after a mistake.
        return self._predicted_now[i] != code if after is None else after != before


class CompiledQueryLoop(QueryLoop):
    """The same steps in the compiled update loop of a linear model of this package."""

    def __init__(self, adapter, *arguments):
        super().__init__(*arguments)
        self.adapter = adapter

    def watch_class_order(self, estimator, start):
        """Warn if the labels queried from sample ``start`` on are sorted by class."""
        answers = self._answers[start : self.n_seen]
        order, n_classes = vars(estimator).get("_class_order"), len(self.chunk.classes)
        name, codes = type(estimator).__name__, answers[answers >= 0]
        estimator._class_order = class_order_after(name, n_classes, order, codes)

    def run(self, estimator, strategy, order, start=0, report=None):
        """Run one epoch, as :class:`QueryLoop` does."""
        adapter, chunk = self.adapter, self.chunk
        if self.asker.wants_variance:
            check_has_variance(estimator, strategy)
        purchases = LabelQueries(
            self.asker, self._predicted_now, self.queried, adapter.class_weights, self.left
        )
        adapter.position = start
        budget = self._budget(start)
        if order is None and self.is_share:
            order = np.arange(self.n_samples)
        while adapter.position < self.n_samples:
            limit = budget[adapter.position - start]
            self.left[0] = left = max(0, int(limit) - self.n_queried)
            # The loop stops where the budget grows, or where all labels left could be spent.
            stop = start + int(np.searchsorted(budget, limit, side="right"))
            part = order if order is None else order[: max(stop, adapter.position + left)]
            with PostponedInterrupts() as interrupts:
                try:
                    with interrupts.raised():  # the compiled loop ends between two samples
                        end = adapter.learn(chunk.codes, chunk.weights, part, purchases, report)
                finally:
                    self.n_queried += left - self.left.item()
                    if self._predicted_now is self.predicted:
                        self.n_seen = adapter.position
            if end != DONE:
                chunk.label(adapter.position if order is None else int(order[adapter.position]))


def check_has_variance(estimator, strategy):
    """Raise an error if an estimator cannot be used whose confidence uses the variance."""
    if not hasattr(estimator, "decision_variance"):
        raise ValueError(
            f"{strategy!r} requires an estimator with the method decision_variance, got "
            f"{estimator!r}."
        )


class QueryHistory:
    """Predictions and queried labels of all samples so far, in arrays that grow by doubling."""

    def __init__(self):
        # Whether the model has been trained on a sample.
        self.taught = False
        self._n = 0
        self._predicted = np.zeros(0, dtype=np.int32)
        self._answers = np.zeros(0, dtype=np.int32)
        self._counts = (0, 0, 0)

    def reserve(self, n_samples):
        """Allocate memory for more samples."""
        n, n_now = self._n + n_samples, min(len(self._predicted), len(self._answers))
        if n > n_now:
            for name in ("_predicted", "_answers"):
                grown = np.zeros(max(n, 2 * n_now), dtype=np.int32)
                grown[: self._n] = getattr(self, name)[: self._n]
                setattr(self, name, grown)

    def add(self, predicted, answers):
        """Append the predicted classes and the queried labels, as codes."""
        self.reserve(len(predicted))
        n = self._n + len(predicted)
        self._predicted[self._n : n] = predicted
        self._answers[self._n : n] = answers
        self._n = n

    @property
    def n_queried(self):
        """Number of queried labels."""
        return self._counted()[1]

    @property
    def n_abstained(self):
        """Number of queries answered by ``ABSTAIN``."""
        return self._counted()[2]

    def _counted(self):
        """Return the numbers of samples, labels and abstentions, and remember them."""
        n, n_queried, n_abstained = self._counts
        if n < self._n:
            new = self.answers[n:]
            n_queried += int(np.count_nonzero(new >= 0))
            n_abstained += int(np.count_nonzero(new == ABSTAINED))
            self._counts = (n + len(new), n_queried, n_abstained)
        return self._counts

    def recoded(self, places):
        """Return this history with other class codes, ``places`` of the present ones."""
        recoded = QueryHistory()
        recoded.taught = self.taught
        answers = np.where(self.answers >= 0, places[self.answers], self.answers)
        recoded.add(places[self.predicted], answers)
        return recoded

    def as_dict(self):
        """Plain values, for pickles."""
        return {"taught": self.taught, "predicted": self.predicted, "answers": self.answers}

    @classmethod
    def from_dict(cls, state):
        """Rebuild a result of ``as_dict``."""
        self = cls()
        self.taught = state["taught"]
        self.add(state["predicted"], state["answers"])
        return self

    @property
    def predicted(self):
        """Code of the class predicted for each sample."""
        return self._predicted[: self._n]

    @property
    def answers(self):
        """Code of the queried label of each sample, UNKNOWN or ABSTAINED."""
        return self._answers[: self._n]
