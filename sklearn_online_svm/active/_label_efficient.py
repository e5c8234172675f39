"""Learning from a stream whose labels have a price."""

from numbers import Integral

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, MetaEstimatorMixin, clone
from sklearn.utils import check_random_state
from sklearn.utils._param_validation import HasMethods, Interval
from sklearn.utils.metaestimators import available_if
from sklearn.utils.multiclass import unique_labels
from sklearn.utils.validation import (
    check_consistent_length,
    check_is_fitted,
    column_or_1d,
)

from .._base import check_rows, check_weights, draw_seed
from .._core.linear import DONE, NOT_FINITE
from .._core.rows import shuffled
from ..linear import PassiveAggressiveClassifier
from ..linear._classifier import LinearClassifier
from ..linear._learner import arrays_of, refuse_row
from ._query import MarginQuery, QueryRule

_UNKNOWN = -1


class LabelEfficientClassifier(MetaEstimatorMixin, ClassifierMixin, BaseEstimator):
    """Learns online, and buys a label only when the query rule says so.

    For each row: the model predicts; the rule decides, from how sure the model is, whether the
    label is bought; if so, the model learns the row [1]_.

    Parameters
    ----------
    estimator : classifier with ``partial_fit`` and ``decision_function``, default=None
        What learns, one row at a time; None: :class:`PassiveAggressiveClassifier`. The linear
        models of this package run in the compiled loop.
    query_strategy : AllQuery, RandomQuery, MarginQuery or object like them, default=None
        Who decides, by ``query`` and ``update``; None: ``MarginQuery()``.
    max_iter : int, default=1
        Passes of ``fit``. In later passes labels that were bought are learnt from again, and the
        rule is asked about the others; no label is bought twice.
    shuffle : bool, default=True
        Whether ``fit`` visits the rows in random order. ``partial_fit`` never shuffles.
    random_state : int, RandomState instance or None, default=None
        For the order of ``fit``, and for the rule if it has no ``random_state`` itself.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
    estimator_ : estimator
        The model.
    query_strategy_ : object
        The rule with its state.
    n_queries_ : int
        Labels bought.
    queried_ : ndarray of shape (n_samples_seen,), bool
        Which labels were bought, by the place of the row in X (after ``partial_fit``: in the
        stream).
    online_predictions_ : ndarray of shape (n_samples_seen,)
        The class predicted for each row when it first came by, before its label was seen.
    n_iter_ : int
        Passes made.
    n_features_in_ : int

    See Also
    --------
    sklearn_online_svm.active.MarginQuery : Asks where the model is unsure.
    sklearn_online_svm.evaluation.progressive_validation : Scores along a stream.

    Notes
    -----
    One update per label: ``max_iter``, ``shuffle`` and early stopping of the estimator play no
    part here.

    References
    ----------
    .. [1] J. Lu, P. Zhao, S. C. H. Hoi. Online Passive-Aggressive Active Learning. Machine
       Learning 103, 2016.

    Examples
    --------
    >>> from sklearn.datasets import make_classification
    >>> from sklearn_online_svm import LabelEfficientClassifier, PassiveAggressiveClassifier
    >>> from sklearn_online_svm.active import MarginQuery
    >>> X, y = make_classification(2000, class_sep=2.0, random_state=0)
    >>> model = LabelEfficientClassifier(
    ...     PassiveAggressiveClassifier(C=0.1), MarginQuery(rate=0.1), random_state=0
    ... ).fit(X, y)
    >>> 190 <= model.n_queries_ <= 210
    True
    >>> bool((model.online_predictions_ == y).mean() > 0.9)
    True
    """

    _parameter_constraints: dict = {
        "estimator": [HasMethods(["partial_fit", "decision_function"]), None],
        "query_strategy": [HasMethods(["query", "update"]), None],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
        "shuffle": ["boolean"],
        "random_state": ["random_state"],
    }

    def __init__(
        self,
        estimator=None,
        query_strategy=None,
        *,
        max_iter=1,
        shuffle=True,
        random_state=None,
    ):
        self.estimator = estimator
        self.query_strategy = query_strategy
        self.max_iter = max_iter
        self.shuffle = shuffle
        self.random_state = random_state

    def fit(self, X, y=None, sample_weight=None, *, oracle=None, classes=None):
        """Forget what was learnt, and learn from the labels that are worth it.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Rows.
        y : array-like of shape (n_samples,), default=None
            Labels, nan or None where they are not known. Only those asked for are looked at.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights of the rows for the estimator.
        oracle : callable, default=None
            ``oracle(i)`` returns the label of row ``X[i]``; it is called for rows asked about
            whose label is not in y.
        classes : array-like of shape (n_classes,), default=None
            All classes; needed if y does not hold them all.

        Returns
        -------
        self : object

        Raises
        ------
        ValueError
            If the input is invalid, or a row is asked about whose label is missing in y and there
            is no oracle; it names the row. The model is then what it was before.
        """
        self._validate_params()
        before = self.__dict__.copy()
        stream = None
        try:
            if y is None and oracle is None:
                raise ValueError(
                    "LabelEfficientClassifier requires y to be passed, but the target y is None. "
                    "Pass labels, or an oracle that tells them."
                )
            for name in ("estimator_", "query_strategy_", "_seen"):
                self.__dict__.pop(name, None)
            random = check_random_state(self.random_state)
            stream = self._open(X, y, sample_weight, oracle, classes, random)
            if sample_weight is not None and not stream.weights.any():
                raise ValueError("Sample weights must contain at least one non-zero number.")
            order = None
            for n_pass in range(self.max_iter):
                self.n_iter_ = n_pass + 1
                if self.shuffle:
                    order = shuffled(stream.n_rows, draw_seed(random))
                stream.run(self.estimator_, self.query_strategy_, order)
                stream.look_no_more()
            self._remember(stream)
        except BaseException as error:
            if stream is None or isinstance(error, Exception):
                self.__dict__.clear()
                self.__dict__.update(before)
            else:  # an interrupt: labels that were paid for are not forgotten
                if self.shuffle:
                    stream.n_seen = stream.n_rows
                self._remember(stream)
            raise
        return self

    def partial_fit(self, X, y=None, classes=None, sample_weight=None, *, oracle=None):
        """Go on with new rows, in their order.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Rows, in the order of the stream.
        y : array-like of shape (n_samples,), default=None
            Labels, nan or None where they are not known. Only those asked for are looked at.
        classes : array-like of shape (n_classes,), default=None
            All classes of the stream; needed in the first call, optional later.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights of the rows for the estimator.
        oracle : callable, default=None
            ``oracle(i)`` returns the label of row ``X[i]``.

        Returns
        -------
        self : object

        Raises
        ------
        ValueError
            If the input is invalid: nothing has been learnt then. Or if a row is asked about whose
            label is missing in y and there is no oracle; it names the row. The rows before it have
            been learnt, and ``queried_`` ends with them.
        """
        first = "estimator_" not in self.__dict__
        before = self.__dict__.copy()
        try:
            if first:
                self._validate_params()
                if classes is None:
                    raise ValueError("classes must be passed on the first call to partial_fit.")
            elif classes is not None and not np.array_equal(np.unique(classes), self.classes_):
                raise ValueError(
                    f"`classes={classes!r}` is not the same as on last call to partial_fit, "
                    f"was: {self.classes_!r}"
                )
            random = check_random_state(self.random_state) if first else None
            stream = self._open(X, y, sample_weight, oracle, classes, random)
        except BaseException:  # an interrupt, too: nothing has been learnt
            self.__dict__.clear()
            self.__dict__.update(before)
            raise
        try:
            stream.run(self.estimator_, self.query_strategy_, None)
        except BaseException:
            if first and stream.has_not_begun():
                # A parameter that was found wrong only now can be mended.
                self.__dict__.clear()
                self.__dict__.update(before)
            else:
                self._remember(stream)
            raise
        self._remember(stream)
        return self

    def _open(self, X, y, sample_weight, oracle, classes, random):
        """Validate rows and labels; the first ones fix classes, model and rule."""
        first = "estimator_" not in self.__dict__
        X = check_rows(self, X, reset=first)
        labels, known = _labels(y, X)
        if first:
            given = labels[known] if classes is None else np.asarray(classes)
            if classes is None and not known.any():
                raise ValueError("classes must be passed where y holds no label.")
            unique_labels(given.tolist())  # refuses a mix of types
            self.classes_ = np.unique(given.tolist() if given.dtype == object else given)
            if len(self.classes_) < 2:
                raise ValueError(
                    "The number of classes has to be greater than one; got "
                    f"{len(self.classes_)} class"
                )
        weights = None
        if sample_weight is not None:
            weights = check_weights(sample_weight, X, allow_all_zero=True)
        codes = _codes(labels, known, self.classes_)
        if first:
            self.n_iter_ = 1
            self.estimator_ = _or_default(self.estimator, PassiveAggressiveClassifier)
            self.query_strategy_ = _or_default(self.query_strategy, MarginQuery)
            rule = self.query_strategy_
            if self.random_state is not None and getattr(rule, "random_state", 0) is None:
                rule.set_params(random_state=draw_seed(random) % 2**32)
            for given in (self.estimator_, rule):
                if isinstance(given, LinearClassifier | QueryRule):
                    given._validate_params()
            self._seen = _Seen()
        # The loop asks by the newest weights, not by averages.
        compiled = (
            isinstance(self.estimator_, LinearClassifier)
            and not getattr(self.estimator_, "average", False)
            and isinstance(self.query_strategy_, QueryRule)
        )
        kind = _CompiledStream if compiled else _Stream
        return kind(X, codes, self.classes_, weights, oracle, self._seen)

    def _remember(self, stream):
        self._seen.add(stream.predicted[: stream.n_seen], stream.owned[: stream.n_seen])

    @property
    def queried_(self):
        """Which labels were bought."""
        check_is_fitted(self)
        return self._seen.owned.view(bool)

    @property
    def online_predictions_(self):
        """Predictions before the labels were seen."""
        check_is_fitted(self)
        return self.classes_[self._seen.predicted]

    @property
    def n_queries_(self):
        """Number of labels bought."""
        check_is_fitted(self)
        return int(np.count_nonzero(self._seen.owned))

    def decision_function(self, X):
        """Decision values of the model.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)

        Returns
        -------
        scores : ndarray of shape (n_samples,) or (n_samples, n_classes)
        """
        check_is_fitted(self)
        X = check_rows(self, X, reset=False)
        return self.estimator_.decision_function(X)

    def predict(self, X):
        """Class of each row.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)

        Returns
        -------
        y : ndarray of shape (n_samples,)
        """
        check_is_fitted(self)
        X = check_rows(self, X, reset=False)
        return self.estimator_.predict(X)

    @available_if(lambda self: hasattr(self.estimator_, "predict_proba"))
    def predict_proba(self, X):
        """Probabilities of the classes, where the estimator has them.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)

        Returns
        -------
        probabilities : ndarray of shape (n_samples, n_classes)
        """
        check_is_fitted(self)
        return self.estimator_.predict_proba(check_rows(self, X, reset=False))

    def __sklearn_is_fitted__(self):
        return "_seen" in self.__dict__

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags


class _Stream:
    """Rows and what is known of their labels, through any estimator, one row at a time."""

    def __init__(self, X, codes, classes, weights, oracle, seen):
        self.X = X
        self.codes = codes
        self.classes = classes
        self.weights = weights
        self.oracle = oracle
        self.seen = seen
        self.n_rows = X.shape[0]
        self.n_seen = 0
        self.predicted = np.zeros(self.n_rows, dtype=np.int32)
        self.owned = np.zeros(self.n_rows, dtype=np.uint8)
        self._now = self.predicted
        self._buying = False

    def has_not_begun(self):
        """Whether no row has been gone through, nor a label been asked for."""
        return not (self.n_seen or self.seen.taught or self._buying)

    def look_no_more(self):
        """Keep the predictions of the pass that is over: they came before the labels."""
        self._now = np.zeros_like(self.predicted)

    def run(self, estimator, rule, order):
        """One pass."""
        for place in range(self.n_rows):
            i = place if order is None else int(order[place])
            self._visit(i, estimator, rule)
            if self._now is self.predicted:
                self.n_seen = place + 1

    def _visit(self, i, estimator, rule):
        x = self.X[i : i + 1]
        if self.owned[i]:
            self._teach(i, x, estimator)
            return
        scores = self._scores(estimator, x)
        self._now[i] = scores.argmax() if scores.ndim == 2 else scores[0] > 0
        if self.weights is not None and self.weights[i] == 0.0:
            return  # nothing would be learnt from its label
        numbers = {}
        wants = rule._ready() if isinstance(rule, QueryRule) else None
        if wants is not None and wants.wants_norm:
            numbers["norms"] = [float(np.sqrt((x.multiply(x) if _is_sparse(x) else x * x).sum()))]
        if wants is not None and wants.second_order:
            variances = self._variances(estimator, x, rule)
            numbers["variances"] = variances
        asked = bool(rule.query(scores, **numbers)[0])
        if asked:
            self._buy(i)
        updated = self._teach(i, x, estimator) if asked else False
        self.owned[i] = asked
        rule.update(scores, [asked], [updated], **numbers)

    def _scores(self, estimator, x):
        """Decision values; zeros before the first label."""
        if not self.seen.taught:
            n_classes = len(self.classes)
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
        label = self.classes[self.codes[i : i + 1]]
        weight = {} if self.weights is None else {"sample_weight": self.weights[i : i + 1]}
        before = getattr(estimator, "n_updates_", None) if self.seen.taught else 0
        estimator.partial_fit(x, label, classes=self.classes, **weight)
        self.seen.taught = True
        after = getattr(estimator, "n_updates_", None)
        # An estimator that does not say so: a mistake, by what was predicted before.
        return self._now[i] != self.codes[i] if after is None else after != before

    def _buy(self, i):
        """Get the label of a row."""
        if self.codes[i] != _UNKNOWN:
            return
        self._buying = True
        if self.oracle is None:
            raise ValueError(
                f"The label of row {i} is asked for, but it is missing in y. Give the label, or "
                "an oracle that tells it."
            )
        label = self.oracle(i)
        known = np.flatnonzero(self.classes == label)
        if not len(known):
            raise ValueError(
                f"The oracle gave the label {label!r} for row {i}, which is none of the classes "
                f"{self.classes.tolist()}."
            )
        self.codes[i] = known[0]
        self._buying = False


class _CompiledStream(_Stream):
    """The same through the update loop of our linear models."""

    def run(self, estimator, rule, order):
        """One pass."""
        X = estimator._start_stream(self.X, self.classes)
        factors = estimator._class_factors(None, None, stream=True)
        asker = rule._ready()
        if asker.second_order and not hasattr(estimator, "decision_variance"):
            self._variances(estimator, None, rule)
        rows, loop = arrays_of(X), estimator._state.loop
        marks = (self._now, self.owned, factors)
        position = 0
        while True:
            try:
                end, position = loop.learn(
                    rows, self.codes, self.weights, order, position, asker, marks
                )
            finally:
                if self._now is self.predicted:
                    self.n_seen = loop.position
            if end == DONE:
                return
            i = position if order is None else int(order[position])
            if end == NOT_FINITE:
                refuse_row(estimator, X, i)
            self._buy(i)


class _Seen:
    """What is known of all rows seen; grows by doubling."""

    def __init__(self):
        # Whether the model has learnt a row.
        self.taught = False
        self._n = 0
        self._predicted = np.zeros(0, dtype=np.int32)
        self._owned = np.zeros(0, dtype=np.uint8)

    def add(self, predicted, owned):
        n = self._n + len(predicted)
        if n > len(self._predicted):
            for name in ("_predicted", "_owned"):
                old = getattr(self, name)
                grown = np.zeros(max(n, 2 * len(old)) if len(old) else n, dtype=old.dtype)
                grown[: self._n] = old[: self._n]
                setattr(self, name, grown)
        self._predicted[self._n : n] = predicted
        self._owned[self._n : n] = owned
        self._n = n

    @property
    def predicted(self):
        return self._predicted[: self._n]

    @property
    def owned(self):
        return self._owned[: self._n]


def _or_default(given, default):
    # A rule need be no estimator: it is copied then.
    return default() if given is None else clone(given, safe=False)


def _is_sparse(x):
    return not isinstance(x, np.ndarray)


def _labels(y, X):
    """Labels as an array, and which of them are known."""
    if y is None:
        return np.empty(X.shape[0], dtype=object), np.zeros(X.shape[0], dtype=bool)
    # A list of strings and nan would become one of strings, "nan" among them.
    labels = column_or_1d(np.array(y, dtype=object) if isinstance(y, list) else y, warn=True)
    check_consistent_length(X, labels)
    if labels.dtype.kind == "f":
        return labels, ~np.isnan(labels)
    if labels.dtype == object:
        return labels, np.array([not _is_missing(label) for label in labels], dtype=bool)
    return labels, np.ones(len(labels), dtype=bool)


def _is_missing(label):
    try:
        return label is None or bool(label != label)
    except TypeError:  # pandas.NA is neither true nor false
        return True


def _codes(labels, known, classes):
    """Position of each known label among the classes."""
    codes = np.full(len(labels), _UNKNOWN, dtype=np.int32)
    given = labels[known]
    if len(given):
        if given.dtype == object:
            given = np.array(given.tolist())
        places = np.searchsorted(classes, given)
        wrong = classes.take(places, mode="clip") != given
        if wrong.any():
            raise ValueError(
                f"y contains labels that are not among the classes {classes.tolist()}: "
                f"{np.unique(given[wrong])[:5].tolist()}."
            )
        codes[known] = places
    return codes
