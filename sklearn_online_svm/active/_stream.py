"""A stream of rows whose labels have a price, through a model: row by row, or compiled."""

import numpy as np

from .._core.linear.queries import LabelQueries
from .._core.linear.update_loop import DONE
from ._oracle import ABSTAINED, UNKNOWN, stored_codes

# What is known of the label of a row, as the compiled loop writes it.
OWNED = 1
NOBODY_KNOWS = 2

_NO_LIMIT = np.iinfo(np.int64).max


class Stream:
    """Rows and what is known of their labels, through any estimator, one row at a time.

    Parameters
    ----------
    X : {array, sparse matrix} of shape (n_rows, n_features)
    answers : Answers
    weights : ndarray of shape (n_rows,) or None
    seen : Seen
        Of the rows before.
    max_labels : int or None
        Labels that may be bought in all, those before included.
    asker : SelectiveSampler or None
        The rule, where it is one of this package.
    """

    def __init__(self, X, answers, weights, seen, max_labels, asker=None):
        self.X = X
        self.answers = answers
        self.weights = weights
        self.seen = seen
        self.asker = asker
        self.n_rows = X.shape[0]
        self.n_seen = 0
        self.predicted = np.zeros(self.n_rows, dtype=np.int32)
        self.owned = np.zeros(self.n_rows, dtype=np.uint8)
        left = (
            _NO_LIMIT if max_labels is None else max(0, min(max_labels - seen.n_bought, _NO_LIMIT))
        )
        # An array of one, which the compiled loop counts down.
        self.left = np.array([left], dtype=np.int64)
        self._now = self.predicted

    def has_not_begun(self):
        """Whether no row has been gone through, nor a label been asked for."""
        return not (self.n_seen or self.seen.taught or self.answers.asking)

    def look_no_more(self):
        """Keep the predictions of the pass that is over: they came before the labels."""
        self._now = np.zeros_like(self.predicted)

    def own_all_answers(self):
        """Take every answer of the oracle for bought, also one the model has not got round to."""
        codes, by_oracle = self.answers.codes, self.answers.by_oracle
        self.owned[by_oracle & (codes >= 0)] = OWNED
        self.owned[by_oracle & (codes == ABSTAINED)] = NOBODY_KNOWS

    def remember(self, start=0):
        """Put the rows gone through, from `start` on, on record."""
        rows = slice(start, self.n_seen)
        answers = np.where(self.owned[rows], self.answers.codes[rows], UNKNOWN)
        self.seen.add(self.predicted[rows], answers)

    def run(self, estimator, rule, order, start=0):
        """One pass, from place `start` of the order on."""
        for place in range(start, self.n_rows):
            i = place if order is None else int(order[place])
            self._visit(i, estimator, rule)
            if self._now is self.predicted:
                self.n_seen = place + 1

    def _visit(self, i, estimator, rule):
        x = self.X[i : i + 1]
        weightless = self.weights is not None and self.weights[i] == 0.0
        if self.owned[i] == OWNED:
            self._teach(i, x, estimator)
            return
        scores = self._scores(estimator, x)
        self._now[i] = scores.argmax() if scores.ndim == 2 else scores[0] > 0
        if weightless or self.owned[i] == NOBODY_KNOWS or self.left[0] == 0:
            return  # nothing would be learnt from its label, or nobody knows or pays for it
        numbers = {}
        wants = self.asker
        if wants is not None and wants.wants_norm:
            numbers["norms"] = [float(np.sqrt((x.multiply(x) if _is_sparse(x) else x * x).sum()))]
        if wants is not None and wants.second_order:
            variances = self._variances(estimator, x, rule)
            numbers["variances"] = variances
        asked = bool(rule.query(scores, **numbers)[0])
        bought = asked and self.answers.get(i) >= 0
        updated = self._teach(i, x, estimator) if bought else False
        if asked:
            self.owned[i] = OWNED if bought else NOBODY_KNOWS
            self.left[0] -= bought
        rule.update(scores, [asked], [updated], **numbers)

    def _scores(self, estimator, x):
        """Decision values; zeros before the first label."""
        if not self.seen.taught:
            n_classes = len(self.answers.classes)
            return np.zeros(1) if n_classes == 2 else np.zeros((1, n_classes))
        return np.asarray(estimator.decision_function(x), dtype=np.float64)

    def _variances(self, estimator, x, rule):
        if not hasattr(estimator, "decision_variance"):
            raise ValueError(
                f"{rule!r} needs an estimator that tells the variance of its decisions "
                f"(decision_variance), got {estimator!r}."
            )
        if not self.seen.taught:
            return [0.0]
        return np.asarray(estimator.decision_variance(x)).reshape(1, -1)[:, 0]

    def _teach(self, i, x, estimator):
        """Learn a row whose label is owned; returns whether it changed the model."""
        code, classes = self.answers.codes[i], self.answers.classes
        weight = {} if self.weights is None else {"sample_weight": self.weights[i : i + 1]}
        before = getattr(estimator, "n_updates_", None) if self.seen.taught else 0
        estimator.partial_fit(x, classes[code : code + 1], classes=classes, **weight)
        self.seen.taught = True
        after = getattr(estimator, "n_updates_", None)
        # An estimator that does not say so: a mistake, by what was predicted before.
        return self._now[i] != code if after is None else after != before


class CompiledStream(Stream):
    """The same through the update loop of our linear models.

    ``priced`` are the rows as such a model takes them, :class:`QueryAdapter`.
    """

    def __init__(self, priced, *arguments):
        super().__init__(*arguments)
        self.priced = priced

    def run(self, estimator, rule, order, start=0):
        """One pass, from place `start` of the order on."""
        rows, answers = self.priced, self.answers
        if self.asker.second_order and not hasattr(estimator, "decision_variance"):
            self._variances(estimator, None, rule)
        factors = rows.class_weights
        purchases = LabelQueries(self.asker, self._now, self.owned, factors, self.left)
        rows.position = start
        while True:
            try:
                end = rows.learn(answers.codes, self.weights, order, purchases)
            finally:
                if self._now is self.predicted:
                    self.n_seen = rows.position
            if end == DONE:
                return
            answers.get(rows.position if order is None else int(order[rows.position]))


class Seen:
    """What is known of all rows seen; grows by doubling."""

    def __init__(self):
        # Whether the model has learnt a row.
        self.taught = False
        self.n_bought = 0
        self.n_abstained = 0
        self._n = 0
        self._predicted = np.zeros(0, dtype=np.int32)
        self._answers = np.zeros(0, dtype=np.int32)

    def add(self, predicted, answers):
        """Append rows: the classes predicted; codes of the labels bought, UNKNOWN, ABSTAINED."""
        n = self._n + len(predicted)
        n_answers = int(np.count_nonzero(answers != UNKNOWN))
        n_bought = int(np.count_nonzero(answers >= 0)) if n_answers else 0
        if n > min(len(self._predicted), len(self._answers)):
            for name in ("_predicted", "_answers"):
                old = getattr(self, name)
                grown = np.zeros(max(n, 2 * len(old)) if len(old) else n, dtype=old.dtype)
                grown[: self._n] = old[: self._n]
                setattr(self, name, grown)
        self._predicted[self._n : n] = predicted
        self._answers[self._n : n] = answers
        # All or nothing, should memory be short.
        self._n = n
        self.n_bought += n_bought
        self.n_abstained += n_answers - n_bought

    def as_dict(self):
        """Plain values, for pickles."""
        return {
            "taught": self.taught,
            "predicted": self.predicted,
            "answers": self.answers,
        }

    @classmethod
    def from_state(cls, state, n_classes):
        """Rebuild what ``as_dict`` gave, a :class:`Stored`."""
        self = cls()
        self.taught = state.flag("taught")
        answers = stored_codes(state, "answers", n_classes)
        predicted = state.array("predicted", np.int32, answers.shape, low=0, high=n_classes - 1)
        state.end()
        self.add(predicted, answers)
        return self

    @property
    def predicted(self):
        """Code of the class predicted for each row."""
        return self._predicted[: self._n]

    @property
    def answers(self):
        """Code of the label bought for each row, UNKNOWN or ABSTAINED."""
        return self._answers[: self._n]


def _is_sparse(x):
    return not isinstance(x, np.ndarray)
