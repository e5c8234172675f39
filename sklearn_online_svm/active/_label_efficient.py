"""Online learning with selective sampling of labels."""

import copy
from functools import lru_cache
from numbers import Integral

import numpy as np
from sklearn.base import ClassifierMixin, MetaEstimatorMixin, clone
from sklearn.utils import check_random_state
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from .._base import check_rows, check_weights, classes_of_stream, draw_seed
from .._core.linear.rows import shuffled
from .._estimator_base import Change, Learner, refuse_change
from .._sklearn_compat import HasMethods, Interval
from ..linear import PassiveAggressiveClassifier
from ._oracle import ABSTAINED, Answers, codes_of, labels_of
from ._query import MarginQuery
from ._stream import CompiledStream, Seen, Stream
from ._unfinished import Chance, Unfinished


class LabelEfficientClassifier(MetaEstimatorMixin, ClassifierMixin, Learner):
    """Online classifier that queries only the labels selected by a query strategy.

    For each sample, the model predicts its class, the query strategy decides from the confidence
    of the prediction whether to query the label, and the model is updated if it was queried [1]_.

    Parameters
    ----------
    estimator : classifier with ``partial_fit`` and ``decision_function``, default=None
        The base estimator, updated one sample at a time. If None,
        :class:`PassiveAggressiveClassifier` is used. The linear models of this package run in a
        compiled loop.
    query_strategy : AllQuery, RandomQuery, MarginQuery or object like them, default=None
        Query strategy: an object with the methods ``query`` and ``update``. If None,
        ``MarginQuery()`` is used.
    max_iter : int, default=1
        Number of passes over the training data (epochs) in ``fit``. Later epochs reuse the queried
        labels and apply the query strategy to the other samples; no label is queried twice.
    shuffle : bool, default=True
        Whether ``fit`` shuffles the samples before each epoch. ``partial_fit`` never shuffles.
    max_labels : int, default=None
        Label budget: the maximum number of labels to query. If None, there is no limit. The budget
        applies to all epochs and chunks since the last ``fit``. Once it is spent, the remaining
        samples are only predicted. A query answered by ``ABSTAIN`` does not count.
    random_state : int, RandomState instance or None, default=None
        Controls the shuffling in ``fit``, and the query strategy if its ``random_state`` is None.
        Pass an int for reproducible output across multiple function calls.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
    estimator_ : estimator
        The fitted base estimator.
    query_strategy_ : object
        The query strategy with its state.
    n_queries_ : int
        Number of queried labels.
    queried_ : ndarray of shape (n_samples_seen,), bool
        Which samples have a queried label, by their index in X (after ``partial_fit``: in the
        stream).
    queried_labels_ : ndarray of shape (n_labels_bought,)
        The queried labels, those of ``X[queried_]``.
    n_abstained_ : int
        Number of queries answered by ``ABSTAIN``.
    abstained_ : ndarray of shape (n_samples_seen,), bool
        Which samples these were, indexed as ``queried_``.
    online_predictions_ : ndarray of shape (n_samples_seen,)
        The class predicted for each sample the first time it is seen, before its label is
        revealed. Samples not reached by an interrupted ``fit`` with ``shuffle=True`` have
        ``classes_[0]``.
    n_iter_ : int
        Number of epochs run.
    n_features_in_ : int

    See Also
    --------
    sklearn_online_svm.active.MarginQuery : Query samples with a small margin.
    sklearn_online_svm.evaluation.progressive_validation : Prequential evaluation.

    Notes
    -----
    The base estimator is updated once per label; its own ``max_iter``, ``shuffle`` and early
    stopping are not used.

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
        "max_labels": [Interval(Integral, 0, None, closed="left"), None],
        "random_state": ["random_state"],
    }
    _learnt = "_seen"
    _fixed = ("random_state",)
    _tunable = ("max_labels", "estimator", "query_strategy")

    def __init__(
        self,
        estimator=None,
        query_strategy=None,
        *,
        max_iter=1,
        shuffle=True,
        max_labels=None,
        random_state=None,
    ):
        self.estimator = estimator
        self.query_strategy = query_strategy
        self.max_iter = max_iter
        self.shuffle = shuffle
        self.max_labels = max_labels
        self.random_state = random_state

    def fit(self, X, y=None, sample_weight=None, *, oracle=None, classes=None):
        """Reset the model and fit it on the queried labels.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Samples.
        y : array-like of shape (n_samples,), default=None
            Labels; nan or None marks an unknown label. Only queried labels are used.
        sample_weight : array-like of shape (n_samples,), default=None
            Per-sample weights, passed to the base estimator.
        oracle : callable, default=None
            ``oracle(i)`` returns the label of sample ``X[i]``, or ``ABSTAIN``. It is called for
            queried samples whose label is missing in y. A callable with two arguments (without
            defaults) is called as ``oracle(i, row)``, where ``row`` is a copy of the sample as an
            array of shape (n_features,) or a sparse matrix with one row.
        classes : array-like of shape (n_classes,), default=None
            All classes; required if y does not contain all of them.

        Returns
        -------
        self : object
            Fitted estimator.

        Raises
        ------
        ValueError
            If the input is invalid, if the label of a queried sample is missing in y and no oracle
            is given, or if the oracle returns a label that is not in ``classes_``. The message
            contains the index of the sample.

        Notes
        -----
        If the call is interrupted after the first answer of the oracle (by an error in the oracle,
        an unknown label or Ctrl-C), the partially fitted model remains usable and
        ``queried_labels_`` contains all answers. Repeating the call with the same samples starts
        from the beginning, reuses the stored answers and the same random numbers, and gives the
        same model as an uninterrupted call. If an error is raised before the first answer, the
        model is left unchanged.
        """
        self._validate_params()
        with self._guard, Change(self) as change:
            change.draft._fit(change, X, y, sample_weight, oracle, classes)
        return self

    def _fit(self, change, X, y, sample_weight, oracle, classes):
        stream = chance = None
        try:
            if y is None and oracle is None:
                raise ValueError(
                    "LabelEfficientClassifier requires y to be passed, but the target y is None. "
                    "Pass labels, or an oracle that tells them."
                )
            for name in ("estimator_", "query_strategy_", "_seen"):
                self.__dict__.pop(name, None)
            X, labels, weights = self._read(X, y, sample_weight, classes)
            if weights is not None and not weights.any():
                raise ValueError("Sample weights must contain at least one non-zero number.")
            former = self._left_unfinished(X)
            chance = Chance(self.random_state, None if former is None else former.chance)
            self._begin(chance.generator)
            stream = self._open(X, labels, weights, oracle, former)
            order = None
            for n_pass in range(self.max_iter):
                self.n_iter_ = n_pass + 1
                if self.shuffle:
                    order = shuffled(stream.n_rows, draw_seed(chance.generator))
                stream.run(self.estimator_, self.query_strategy_, order)
                stream.look_no_more()
            stream.remember()
        except BaseException as error:
            paid = stream is not None and stream.answers.by_oracle.any()
            if stream is not None and (paid or not isinstance(error, Exception)):
                if self.shuffle:
                    stream.n_seen = stream.n_rows
                stream.own_all_answers()
                stream.remember()
                if paid:
                    self._unfinished = Unfinished(stream.answers, 0, chance)
                change.keep = True
            raise
        self.__dict__.pop("_unfinished", None)

    def partial_fit(self, X, y=None, classes=None, sample_weight=None, *, oracle=None):
        """Update the model with a chunk of samples, in the given order.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Samples, in the order of the stream.
        y : array-like of shape (n_samples,), default=None
            Labels; nan or None marks an unknown label. Only queried labels are used.
        classes : array-like of shape (n_classes,), default=None
            All classes of the stream. Must be provided at the first call to partial_fit and can be
            omitted in subsequent calls.
        sample_weight : array-like of shape (n_samples,), default=None
            Per-sample weights, passed to the base estimator.
        oracle : callable, default=None
            ``oracle(i)`` returns the label of sample ``X[i]``, or ``ABSTAIN``. A callable with two
            arguments also gets the sample, as in :meth:`fit`.

        Returns
        -------
        self : object
            The updated estimator.

        Raises
        ------
        ValueError
            If the input is invalid (the model is then unchanged), if the label of a queried sample
            is missing in y and no oracle is given, or if the oracle returns a label that is not
            in ``classes_``. The message contains the index of the sample.

        Notes
        -----
        If the call is interrupted, the model has been updated with the samples processed so far,
        and ``queried_`` covers these samples. To continue, either repeat the same call with the
        same samples, which resumes at the sample where it was interrupted, or pass the remaining
        samples from this one on.
        """
        with self._guard:
            first = "_seen" not in self.__dict__
            if first:
                self._validate_params()
            else:
                with Change(self) as change:
                    new = self._new_parameters()
                    if new is not None:
                        change.draft._take_up(new)
            with Change(self) as change:
                stream = change.draft._begin_partial_fit(X, y, classes, sample_weight, oracle)
                start = stream.n_seen
            # From here on, other code (including the oracle) sees the partially updated model.
            try:
                stream.run(self.estimator_, self.query_strategy_, None, start)
                stream.remember(start)
            except BaseException:
                if first and stream.has_not_begun():
                    # An invalid parameter found only now can then be corrected.
                    change.undo()
                else:
                    stream.remember(start)
                    self._unfinished = Unfinished(stream.answers, stream.n_seen, None)
                raise
            self.__dict__.pop("_unfinished", None)
        return self

    def _begin_partial_fit(self, X, y, classes, sample_weight, oracle):
        first = "_seen" not in self.__dict__
        classes = classes_of_stream(classes, None if first else self.classes_)
        X, labels, weights = self._read(X, y, sample_weight, classes)
        former = self._left_unfinished(X)
        if first:
            self._begin(check_random_state(self.random_state))
        stream = self._open(X, labels, weights, oracle, former)
        stream.n_seen = 0 if former is None else former.n_done
        return stream

    # ---------------------------------------------------------------------------- parameters

    def _present_parameters(self):
        parts = (_values_of(self.estimator), _values_of(self.query_strategy))
        return (self.random_state, self.max_labels, *parts)

    def _take_up(self, present):
        """Give the model and the rule the values that are new; they take them up, or refuse."""
        known = self._learnt_with
        forwarded = []
        for name, old, new, default in zip(
            ("estimator", "query_strategy"), known[2:], present[2:], _DEFAULTS, strict=True
        ):
            old, new = (_values_of(default()) if v is None else v for v in (old, new))
            if old == new:
                continue
            if not isinstance(new, dict) or old.keys() != new.keys() or old[""] != new[""]:
                refuse_change(name, _short(old), _short(new))
            given = getattr(self, name) or default()
            changed = {part: getattr(given, part) for part in new if new[part] != old[part]}
            if name == "query_strategy" and "random_state" in changed:  # its seed has been drawn
                refuse_change(f"{name}__random_state", old["random_state"], new["random_state"])
            forwarded.append((getattr(self, f"{name}_"), changed))
        for learnt, changed in forwarded:
            learnt.set_params(**clone(changed, safe=False))
        super()._take_up(present)

    # ---------------------------------------------------------------------------- learning

    def _read(self, X, y, sample_weight, classes):
        """Validate rows, labels (as codes) and weights; the first ones fix the classes."""
        first = "_seen" not in self.__dict__
        X = check_rows(self, X, reset=first)
        labels, known = labels_of(y, X)
        if first:
            given = classes
            if classes is None:
                if not known.any():
                    raise ValueError("classes must be passed where y holds no label.")
                given = labels[known]
                given = given.tolist() if given.dtype == object else given
            self.classes_ = classes_of_stream(given)
        weights = None
        if sample_weight is not None:
            weights = check_weights(sample_weight, X, allow_all_zero=True)
        return X, codes_of(labels, known, self.classes_), weights

    def _begin(self, random):
        """Make model and rule."""
        self.n_iter_ = 1
        self.estimator_ = _or_default(self.estimator, PassiveAggressiveClassifier)
        self.query_strategy_ = _or_default(self.query_strategy, MarginQuery)
        rule = self.query_strategy_
        if getattr(rule, "random_state", 0) is None:
            rule.set_params(random_state=draw_seed(random) % 2**32)
        self._learnt_with = self._present_parameters()
        self._seen = Seen()

    def _left_unfinished(self, X):
        """Return what a call about these rows left when it broke off, or None."""
        former = self.__dict__.get("_unfinished")
        return former if former is not None and former.is_about(X) else None

    def _open(self, X, codes, weights, oracle, former):
        answers = Answers(X, codes, self.classes_, oracle)
        if former is not None:
            answers.recall(former.codes, former.classes)
        asker = getattr(self.query_strategy_, "_query_context", None)
        asker = None if asker is None else asker()
        priced = getattr(self.estimator_, "_query_adapter", None)
        priced = None if priced is None else priced()
        arguments = (X, answers, weights, self._seen, self.max_labels, asker)
        if priced is None or asker is None:
            return Stream(*arguments)
        return CompiledStream(priced(X, self.classes_), *arguments)

    @property
    def queried_(self):
        """Which samples have a queried label."""
        check_is_fitted(self)
        return self._seen.answers >= 0

    @property
    def queried_labels_(self):
        """The queried labels, in the order of their samples."""
        check_is_fitted(self)
        answers = self._seen.answers
        return self.classes_[answers[answers >= 0]]

    @property
    def abstained_(self):
        """Which samples the oracle could not label."""
        check_is_fitted(self)
        return self._seen.answers == ABSTAINED

    @property
    def online_predictions_(self):
        """Predictions made before the labels were revealed."""
        check_is_fitted(self)
        return self.classes_[self._seen.predicted]

    @property
    def n_queries_(self):
        """Number of queried labels."""
        check_is_fitted(self)
        return self._seen.n_bought

    @property
    def n_abstained_(self):
        """Number of queries answered by ``ABSTAIN``."""
        check_is_fitted(self)
        return self._seen.n_abstained

    def decision_function(self, X):
        """Compute the decision function of the base estimator.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Samples.

        Returns
        -------
        scores : ndarray of shape (n_samples,) or (n_samples, n_classes)
            Decision values computed by ``estimator_``.

        Raises
        ------
        NotFittedError
            If the model has not been fitted yet.
        ValueError
            If the input is invalid.
        """
        view = self._view()
        check_is_fitted(view)
        X = check_rows(view, X, reset=False)
        return view.estimator_.decision_function(X)

    def predict(self, X):
        """Predict class labels for samples in X.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Samples.

        Returns
        -------
        y : ndarray of shape (n_samples,)
            Predicted class labels, from ``classes_``.

        Raises
        ------
        NotFittedError
            If the model has not been fitted yet.
        ValueError
            If the input is invalid.
        """
        view = self._view()
        check_is_fitted(view)
        X = check_rows(view, X, reset=False)
        return view.estimator_.predict(X)

    @available_if(lambda self: hasattr(self.estimator_, "predict_proba"))
    def predict_proba(self, X):
        """Compute class probabilities; available if the base estimator does.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Samples.

        Returns
        -------
        probabilities : ndarray of shape (n_samples, n_classes)
            Probabilities computed by ``estimator_``; the columns are in the order of ``classes_``.

        Raises
        ------
        NotFittedError
            If the model has not been fitted yet.
        ValueError
            If the input is invalid.
        """
        view = self._view()
        check_is_fitted(view)
        return view.estimator_.predict_proba(check_rows(view, X, reset=False))

    @available_if(lambda self: hasattr(self.estimator_, "suspect_labels"))
    def suspect_labels(self, X, y, *, n_suspects=None, return_margins=False):
        """Find the samples whose label the model contradicts most.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Samples.
        y : array-like of shape (n_samples,)
            Labels to check.
        n_suspects : int, default=None
            Number of samples to return, smallest margin first. If None, all samples with a margin
            below the threshold of the base estimator.
        return_margins : bool, default=False
            Whether to also return the margins of these samples.

        Returns
        -------
        suspects : ndarray of shape (n_suspects,)
            Indices into X, the most suspicious first.
        margins : ndarray of shape (n_suspects,)
            Margins of these samples; only if ``return_margins=True``.

        Raises
        ------
        NotFittedError
            If the model has not been fitted yet.
        ValueError
            If the input is invalid, or a label is not in ``classes_``.
        """
        view = self._view()
        check_is_fitted(view)
        X = check_rows(view, X, reset=False)
        return view.estimator_.suspect_labels(
            X, y, n_suspects=n_suspects, return_margins=return_margins
        )

    def _packed(self, state):
        """Return what is remembered as plain values; model and rule store themselves."""
        parts = (name for name in ("_seen", "_unfinished") if name in state)
        models = ("estimator_", "query_strategy_")
        return {name: state[name].as_dict() for name in parts} | {
            name: copy.deepcopy(state[name]) for name in models
        }

    def _rebuilt(self, state):
        """Return the fitted attributes of a stored model that are not used as they are."""
        rebuilt = {"_seen": Seen.from_state(state["_seen"])}
        if "_unfinished" in state:
            rebuilt["_unfinished"] = Unfinished.from_state(state["_unfinished"])
        return rebuilt


_DEFAULTS = (PassiveAggressiveClassifier, MarginQuery)


def _or_default(given, default):
    # A query strategy need not be an estimator; it is then copied.
    return default() if given is None else clone(given, safe=False)


@lru_cache(maxsize=64)
def _parameters_of(kind):
    return tuple(kind._get_param_names())


def _values_of(given):
    """Kind and parameters of an estimator as a dict, and of those within; others as they are."""
    if isinstance(given, list | tuple):
        return [_values_of(value) for value in given]
    if isinstance(given, np.ndarray):
        return given.tolist()
    if not hasattr(given, "get_params") or isinstance(given, type):
        return given
    kind = type(given)
    values = {name: _values_of(getattr(given, name)) for name in _parameters_of(kind)}
    values[""] = f"{kind.__module__}.{kind.__qualname__}"
    return values


def _short(values):
    return values[""] if isinstance(values, dict) else values
