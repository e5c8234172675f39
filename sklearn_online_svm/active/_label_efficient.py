"""Learning from a stream whose labels have a price."""

import copy
from functools import lru_cache
from numbers import Integral

import numpy as np
from sklearn.base import ClassifierMixin, MetaEstimatorMixin, clone
from sklearn.utils import check_random_state
from sklearn.utils._param_validation import HasMethods, Interval
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from .._base import check_rows, check_weights, classes_of_stream, draw_seed
from .._contract import Change, Learner, refuse_change
from .._core.linear.rows import shuffled
from .._persistent import stored_classes, stored_features
from ..linear import PassiveAggressiveClassifier
from ._oracle import ABSTAINED, Answers, codes_of, labels_of
from ._query import MarginQuery
from ._stream import CompiledStream, Seen, Stream
from ._unfinished import Chance, Unfinished


class LabelEfficientClassifier(MetaEstimatorMixin, ClassifierMixin, Learner):
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
    max_labels : int, default=None
        Labels that may be bought, at most; None: as many as the rule asks for. It holds for
        everything since the last ``fit``, over all passes and chunks; once it is spent, rows are
        only predicted, and the rule is not asked about them. A question that is answered by
        ``ABSTAIN`` costs nothing.
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
    queried_labels_ : ndarray of shape (n_labels_bought,)
        The labels bought, those of ``X[queried_]``.
    n_abstained_ : int
        Questions that were answered by ``ABSTAIN``.
    abstained_ : ndarray of shape (n_samples_seen,), bool
        Which rows these were, like ``queried_``.
    online_predictions_ : ndarray of shape (n_samples_seen,)
        The class predicted for each row when it first came by, before its label was seen. (Rows
        that an interrupted ``fit`` with ``shuffle`` has not come to have ``classes_[0]``.)
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
            ``oracle(i)`` returns the label of row ``X[i]``, or ``ABSTAIN``; it is called for rows
            asked about whose label is not in y. One with two arguments (without defaults) is
            called as ``oracle(i, row)``: a copy of the row as an array of shape (n_features,), or
            a sparse matrix with one row.
        classes : array-like of shape (n_classes,), default=None
            All classes; needed if y does not hold them all.

        Returns
        -------
        self : object
            The fitted model.

        Raises
        ------
        ValueError
            If the input is invalid, or a row is asked about whose label is missing in y and there
            is no oracle, or the oracle gave what is none of the classes; it names the row.

        Notes
        -----
        If the call breaks off (the oracle raises an error, gives a label that does not exist, or
        somebody presses Ctrl-C) after the oracle has answered, the model keeps what it has learnt,
        ``queried_labels_`` tells all answers, and the same call with the same rows does not ask
        for them again. It begins anew with the answers at hand, with the same random numbers, and
        gives the model that an uninterrupted call would have given. If an error comes up before
        the first answer, the model is what it was before the call.
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
            ``oracle(i)`` returns the label of row ``X[i]``, or ``ABSTAIN``; one with two arguments
            is given the row, too, as in :meth:`fit`.

        Returns
        -------
        self : object
            The model that has seen these rows, too.

        Raises
        ------
        ValueError
            If the input is invalid: nothing has been learnt then. Or if a row is asked about whose
            label is missing in y and there is no oracle, or the oracle gave what is none of the
            classes; it names the row.

        Notes
        -----
        If the call breaks off halfway, the rows before have been learnt, and ``queried_`` ends
        with them. Then either the same call is repeated (next, with the same rows), which goes on
        with the row where it broke off; or the stream goes on with the rows from this one on.
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
            # From here on others, the oracle among them, see what has been learnt so far.
            try:
                stream.run(self.estimator_, self.query_strategy_, None, start)
                stream.remember(start)
            except BaseException:
                if first and stream.has_not_begun():
                    # A parameter that was found wrong only now can be mended.
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
        asker = getattr(self.query_strategy_, "__asker__", None)
        asker = None if asker is None else asker()
        priced = getattr(self.estimator_, "__priced_rows__", None)
        priced = None if priced is None else priced()
        arguments = (X, answers, weights, self._seen, self.max_labels, asker)
        if priced is None or asker is None:
            return Stream(*arguments)
        return CompiledStream(priced(X, self.classes_), *arguments)

    @property
    def queried_(self):
        """Which labels were bought."""
        check_is_fitted(self)
        return self._seen.answers >= 0

    @property
    def queried_labels_(self):
        """The labels bought, in the order of their rows."""
        check_is_fitted(self)
        answers = self._seen.answers
        return self.classes_[answers[answers >= 0]]

    @property
    def abstained_(self):
        """Which rows nobody could label."""
        check_is_fitted(self)
        return self._seen.answers == ABSTAINED

    @property
    def online_predictions_(self):
        """Predictions before the labels were seen."""
        check_is_fitted(self)
        return self.classes_[self._seen.predicted]

    @property
    def n_queries_(self):
        """Number of labels bought."""
        check_is_fitted(self)
        return self._seen.n_bought

    @property
    def n_abstained_(self):
        """Number of questions that got no label."""
        check_is_fitted(self)
        return self._seen.n_abstained

    def decision_function(self, X):
        """Decision values of the model.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Rows.

        Returns
        -------
        scores : ndarray of shape (n_samples,) or (n_samples, n_classes)
            Those of ``estimator_``.

        Raises
        ------
        NotFittedError
            If nothing has been learnt yet.
        ValueError
            If the input is invalid.
        """
        view = self._view()
        check_is_fitted(view)
        X = check_rows(view, X, reset=False)
        return view.estimator_.decision_function(X)

    def predict(self, X):
        """Class of each row.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Rows.

        Returns
        -------
        y : ndarray of shape (n_samples,)
            Labels out of ``classes_``.

        Raises
        ------
        NotFittedError
            If nothing has been learnt yet.
        ValueError
            If the input is invalid.
        """
        view = self._view()
        check_is_fitted(view)
        X = check_rows(view, X, reset=False)
        return view.estimator_.predict(X)

    @available_if(lambda self: hasattr(self.estimator_, "predict_proba"))
    def predict_proba(self, X):
        """Return the probability of each class, where the estimator has them.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Rows.

        Returns
        -------
        probabilities : ndarray of shape (n_samples, n_classes)
            Those of ``estimator_``; the columns are in the order of ``classes_``.

        Raises
        ------
        NotFittedError
            If nothing has been learnt yet.
        ValueError
            If the input is invalid.
        """
        view = self._view()
        check_is_fitted(view)
        return view.estimator_.predict_proba(check_rows(view, X, reset=False))

    @available_if(lambda self: hasattr(self.estimator_, "suspect_labels"))
    def suspect_labels(self, X, y, *, n_suspects=None, return_margins=False):
        """Find the rows whose label the model contradicts most, where the estimator can tell.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Rows.
        y : array-like of shape (n_samples,)
            Labels to be audited.
        n_suspects : int, default=None
            So many rows; None: those with a margin that the estimator finds suspicious.
        return_margins : bool, default=False
            Whether to return the margins of these rows, too.

        Returns
        -------
        suspects : ndarray of shape (n_suspects,)
            Indices into X, the most suspicious first.
        margins : ndarray of shape (n_suspects,)
            Margins of these rows; only if ``return_margins=True``.

        Raises
        ------
        NotFittedError
            If nothing has been learnt yet.
        ValueError
            If the input is invalid, or a label is none of the classes.
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
        classes = stored_classes(state)
        n_features = stored_features(state)
        model, rule = state.value("estimator_"), state.value("query_strategy_")
        for name, part, methods in (
            ("estimator_", model, ("partial_fit", "decision_function", "predict")),
            ("query_strategy_", rule, ("query", "update")),
        ):
            for method in methods:
                state.require(hasattr(part, method), name, f"must have a method {method}")
        same = np.array_equal(getattr(model, "classes_", classes), classes)
        state.require(same, "estimator_", "must have the classes in classes_")
        same = getattr(model, "n_features_in_", n_features) == n_features
        state.require(same, "estimator_", f"must have {n_features} features")
        rebuilt = super()._rebuilt(state)
        rebuilt["_seen"] = Seen.from_state(state.part("_seen"), len(classes))
        if state.has("_unfinished"):
            rebuilt["_unfinished"] = Unfinished.from_state(state.part("_unfinished"))
        return rebuilt


_DEFAULTS = (PassiveAggressiveClassifier, MarginQuery)


def _or_default(given, default):
    # A rule need be no estimator: it is copied then.
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
