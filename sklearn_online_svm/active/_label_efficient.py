"""LabelEfficientClassifier: online learning with selective sampling of labels."""

from contextlib import contextmanager
from numbers import Integral

import numpy as np
from sklearn.base import ClassifierMixin, clone
from sklearn.exceptions import NotFittedError
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from .._core.linear.rows import shuffled
from .._docs import with_shared_docs
from .._estimator import (
    Estimator,
    extend_classes,
    has_new_classes,
    store_parameters,
    update_parts,
    with_classes,
)
from .._metadata import WeightRouter
from .._sample_arrays import check_norms
from .._sklearn_compat import CallbackSupportMixin, HasMethods, Interval, RealNotInt, available_if
from .._tasks import epoch, n_blocks, reporting, sample_tasks
from .._transactions import PostponedInterrupts, Transaction
from .._validation import check_given_weights, check_samples, classes_of_stream, draw_seed
from ..linear import PassiveAggressiveClassifier
from ._interrupted import InitialRandomState, InterruptedCall
from ._query import MarginQuery
from ._query_loop import (
    ABSTAINED,
    Chunk,
    CompiledQueryLoop,
    QueryHistory,
    QueryLoop,
    codes_of,
    labels_of,
)


@with_shared_docs
class LabelEfficientClassifier(WeightRouter, ClassifierMixin, CallbackSupportMixin, Estimator):
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
    max_labels : int or float, default=None
        Label budget. If None, there is no limit.

        - If int, the maximum number of labels to query, in all epochs and chunks since the last
          ``fit``. It may be spent on the first samples.
        - If float, in (0, 1], the maximum share of the samples so far: each label is queried only
          if fewer than ``max_labels * t`` labels were queried before, where t is the number of
          samples seen, including the current one. The queries are thus spread over the stream.

        Samples that exceed the budget are only predicted. A query answered by ``ABSTAIN`` does not
        count.
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
    queried_labels_ : ndarray of shape (n_queries,)
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

    A query strategy gets the values of ``decision_function``. From a one-vs-one model, the default
    of ``LASVC``, it gets 0 for the predicted class and :math:`-|f(x)|` of its pair with each other
    class instead, so that the gap between the two largest scores is the distance from the boundary
    that decides. The values of ``decision_function`` are votes, whose gaps are nearly integers.

    ``queried_``, ``abstained_`` and ``online_predictions_`` describe all samples of a stream,
    which takes 8 bytes per sample.

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
        "max_labels": [
            Interval(Integral, 0, None, closed="left"),
            Interval(RealNotInt, 0.0, 1.0, closed="right"),
            None,
        ],
        "random_state": ["random_state"],
    }
    _default = PassiveAggressiveClassifier
    _trained_by = {"fit": "partial_fit", "partial_fit": "partial_fit"}
    _state_attribute = "_seen"
    _stored_as = {
        "_seen": QueryHistory,
        "_unfinished": InterruptedCall,
        "estimator_": None,
        "query_strategy_": None,
    }
    _fixed_params = ("random_state",)
    _adjustable_params = ("max_labels", "estimator", "query_strategy")

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
        store_parameters(locals())

    def fit(self, X, y=None, sample_weight=None, *, oracle=None, classes=None, **params):
        """Reset the model and fit it on the queried labels.

        $samples
        y : array-like of shape (n_samples,), default=None
            Labels; nan or None marks an unknown label. Only queried labels are used.
        $passed_weights
        oracle : callable, default=None
            ``oracle(i)`` returns the label of sample ``X[i]``, or ``ABSTAIN``. It is called for
            queried samples whose label is missing in y. A callable with two arguments (without
            defaults) is called as ``oracle(i, x)``, where ``x`` is a copy of the sample as an
            array of shape (n_features,) or a sparse matrix of shape (1, n_features).
        classes : array-like of shape (n_classes,), default=None
            All classes; required if y does not contain all of them.
        $partial_fit_alias

        $fitted_self

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
        sample_weight = self._routed_weights("fit", sample_weight, params)
        with (
            self._guard,
            reporting(self, "fit", X, y, sample_weight, self.max_iter),
            PostponedInterrupts() as interrupts,
            Transaction(self) as change,
        ):
            change.draft._fit(change, interrupts, X, y, sample_weight, oracle, classes)
        return self

    def _fit(self, change, interrupts, X, y, sample_weight, oracle, classes):
        if y is None and oracle is None:
            raise ValueError(
                "LabelEfficientClassifier requires y to be passed, but the target y is None. "
                "Pass labels, or an oracle that returns them."
            )
        for name in ("estimator_", "query_strategy_", "_seen"):
            self.__dict__.pop(name, None)
        X, codes, weights = self._validated(X, y, sample_weight, classes)
        if weights is not None and not weights.any():
            raise ValueError("Sample weights must contain at least one non-zero number.")
        interrupted = self._interrupted_call(X)
        start = InitialRandomState(self.random_state, interrupted and interrupted.chance)
        self._initialize(start.generator)
        chunk = Chunk(X, codes, self.classes_, weights, oracle)
        loop = self._query_loop(chunk, interrupted)
        order = None
        try:
            for n_iter in range(1, self.max_iter + 1):
                if self.shuffle:
                    order = shuffled(loop.n_samples, draw_seed(start.generator))
                with interrupts.raised(), epoch(self, loop.n_samples, order=order) as report:
                    self.n_iter_ = n_iter
                    loop.run(self.estimator_, self.query_strategy_, order, report=report)
                loop.end_epoch()
            loop.record()
        except BaseException as error:
            with PostponedInterrupts():
                has_answers = chunk.by_oracle.any()
                if has_answers or (loop.has_begun and not isinstance(error, Exception)):
                    if self.shuffle:
                        loop.n_seen = loop.n_samples
                    loop.add_all_answers()
                    loop.record()
                    if has_answers:
                        self._unfinished = InterruptedCall(chunk, 0, start)
                    change.keep = True
            raise
        self.__dict__.pop("_unfinished", None)

    def partial_fit(self, X, y=None, classes=None, sample_weight=None, *, oracle=None, **params):
        """Update the model with a chunk of samples, in the given order.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Samples, in the order of the stream.
        y : array-like of shape (n_samples,), default=None
            Labels; nan or None marks an unknown label. Only queried labels are used.
        classes : array-like of shape (n_classes,), default=None
            All classes of the stream. Must be provided at the first call to partial_fit and can be
            omitted in subsequent calls. A later call with additional classes adds them to the base
            estimator, if it is one of this package; see :ref:`new_classes`.
        $passed_weights
        oracle : callable, default=None
            ``oracle(i)`` returns the label of sample ``X[i]``, or ``ABSTAIN``. A callable with two
            arguments also gets the sample, as in :meth:`fit`.
        $partial_fit_alias

        $fitted_self

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
        sample_weight = self._routed_weights("partial_fit", sample_weight, params)
        with self._guard, reporting(self, "partial_fit", X, y, sample_weight, n_blocks):
            first = "_seen" not in self.__dict__
            with Transaction(self) as change:
                draft = change.draft
                with _restored_after_error(self):
                    if first:
                        self._validate_params()
                    elif (new := self._changed_params()) is not None:
                        update_parts(draft, new, _DEFAULTS)
                    loop = draft._begin_partial_fit(X, y, classes, sample_weight, oracle)
            # From here on, other code (including the oracle) sees the partially updated model.
            start = loop.n_seen
            try:
                with PostponedInterrupts() as interrupts:
                    try:
                        with (
                            interrupts.raised(),
                            sample_tasks(self, loop.n_samples, first=start) as report,
                        ):
                            loop.run(self.estimator_, self.query_strategy_, None, start, report)
                    finally:
                        if loop.has_begun or not first:
                            loop.record(start)
                loop.watch_class_order(self.estimator_, start)
                self.__dict__.pop("_unfinished", None)
            except BaseException:
                with PostponedInterrupts():
                    if first and not loop.has_begun:
                        # The base estimator or the query strategy may have an invalid parameter.
                        change.undo()
                    else:
                        self._unfinished = InterruptedCall(loop.chunk, loop.n_seen, None)
                raise
        return self

    def _begin_partial_fit(self, X, y, classes, sample_weight, oracle):
        first = "_seen" not in self.__dict__
        if first:
            classes = classes_of_stream(classes)
        elif has_new_classes(self, classes):
            self._add_classes(classes)
        X, codes, weights = self._validated(X, y, sample_weight, classes)
        interrupted = self._interrupted_call(X)
        if first:
            self._initialize(check_random_state(self.random_state))
        chunk = Chunk(X, codes, self.classes_, weights, oracle)
        loop = self._query_loop(chunk, interrupted)
        loop.n_seen = 0 if interrupted is None else interrupted.n_done
        return loop

    def _add_classes(self, classes):
        """Add classes to a draft and its base estimator; codes of former samples change."""
        places = extend_classes(self, classes)
        if self._seen.taught or hasattr(self.estimator_, "_add_classes"):
            self.estimator_ = with_classes(self.estimator_, self.classes_)
        self._seen = self._seen.recoded(places)

    # ---------------------------------------------------------------------------- training

    def _validated(self, X, y, sample_weight, classes):
        """Return samples, class codes and weights; the first call sets ``classes_``."""
        first = "_seen" not in self.__dict__
        X = check_samples(self, X, reset=first)
        labels, known = labels_of(y, X)
        if first:
            if classes is None:
                if not known.any():
                    raise ValueError("classes must be passed if y contains no labels.")
                classes = labels[known]
                classes = classes.tolist() if classes.dtype == object else classes
            self.classes_ = classes_of_stream(classes)
        weights = check_given_weights(sample_weight, X, allow_all_zero=True)
        return X, codes_of(labels, known, self.classes_, extendable=not first), weights

    def _initialize(self, random):
        """Create the base estimator and the query strategy."""
        self.n_iter_ = 1
        for name, default in _DEFAULTS.items():
            given = getattr(self, name)
            # A query strategy need not be an estimator; it is then copied.
            setattr(self, f"{name}_", default() if given is None else clone(given, safe=False))
        if getattr(self.query_strategy_, "random_state", 0) is None:
            self.query_strategy_.set_params(random_state=draw_seed(random) % 2**32)
        self._fitted_params = self._current_params()
        self._seen = QueryHistory()

    def _interrupted_call(self, X):
        """Return the state of an interrupted call with these samples, or None."""
        interrupted = self.__dict__.get("_unfinished")
        return interrupted if interrupted is not None and interrupted.matches(X) else None

    def _query_loop(self, chunk, interrupted):
        """Return the loop over a chunk, compiled if model and strategy are of this package."""
        if interrupted is not None:
            chunk.reuse_answers(interrupted.codes, interrupted.classes)
        asker = adapter = None
        if hasattr(self.query_strategy_, "_query_context"):
            asker = self.query_strategy_._query_context()
        if hasattr(self.estimator_, "_query_adapter"):
            adapter = self.estimator_._query_adapter()
        arguments = (chunk, self._seen, self.max_labels, asker)
        if adapter is None or asker is None:
            if isinstance(getattr(self.estimator_, "kernel", None), str):
                kind = getattr(self.estimator_, "_dtype", chunk.X.dtype)
                # A kernel model adds the norms of samples.
                check_norms(self.estimator_, chunk.X, 0.25 * np.finfo(kind).max)
            return QueryLoop(*arguments)
        return CompiledQueryLoop(adapter(chunk.X, self.classes_), *arguments)

    # ---------------------------------------------------------------------------- results

    @property
    def _history(self):
        check_is_fitted(self)
        return self._seen

    @property
    def queried_(self):
        """Which samples have a queried label."""
        return self._history.answers >= 0

    @property
    def queried_labels_(self):
        """The queried labels, in the order of their samples."""
        answers = self._history.answers
        return self.classes_[answers[answers >= 0]]

    @property
    def abstained_(self):
        """Which samples the oracle could not label."""
        return self._history.answers == ABSTAINED

    @property
    def online_predictions_(self):
        """Predictions made before the labels were revealed."""
        predicted = self._history.predicted
        return self.classes_[predicted]

    @property
    def n_queries_(self):
        """Number of queried labels."""
        return self._history.n_queried

    @property
    def n_abstained_(self):
        """Number of queries answered by ``ABSTAIN``."""
        return self._history.n_abstained

    def decision_function(self, X):
        """Compute the decision function of the base estimator.

        $samples

        Returns
        -------
        scores : ndarray of shape (n_samples,) or (n_samples, n_classes)
            Decision values computed by ``estimator_``.

        $errors
        """
        estimator, X = self._fitted_estimator(X)
        return estimator.decision_function(X)

    def predict(self, X):
        """Predict class labels for samples in X.

        $samples

        Returns
        -------
        y : ndarray of shape (n_samples,)
            Predicted class labels, from ``classes_``.

        $errors
        """
        estimator, X = self._fitted_estimator(X)
        return estimator.predict(X)

    @available_if(lambda self: bool(self.estimator_.predict_proba))
    def predict_proba(self, X):
        """Compute class probabilities; available if the base estimator does.

        $samples

        Returns
        -------
        probabilities : ndarray of shape (n_samples, n_classes)
            Probabilities computed by ``estimator_``; the columns are in the order of ``classes_``.

        $errors
        """
        estimator, X = self._fitted_estimator(X)
        return estimator.predict_proba(X)

    @available_if(lambda self: bool(self.estimator_.suspect_labels))
    def suspect_labels(self, X, y, *, n_suspects=None, return_margins=False):
        """Find the samples whose label the model contradicts most.

        $samples
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

        $not_fitted
        ValueError
            If the input is invalid, or a label is not in ``classes_``.
        """
        estimator, X = self._fitted_estimator(X)
        return estimator.suspect_labels(X, y, n_suspects=n_suspects, return_margins=return_margins)

    def _fitted_estimator(self, X):
        """Return the base estimator and validated samples, consistent with each other."""
        view = self._view()
        check_is_fitted(view)
        try:
            if hasattr(view.estimator_, "fit"):  # check_is_fitted refuses others
                check_is_fitted(view.estimator_)
        except NotFittedError as error:
            raise NotFittedError(
                f"No label has been queried yet, so that {type(view.estimator_).__name__} has not "
                f"been trained. Query more labels: query_strategy={view.query_strategy_!r}, "
                f"max_labels={view.max_labels!r}."
            ) from error
        return view.estimator_, check_samples(view, X, reset=False)


_DEFAULTS = {"estimator": PassiveAggressiveClassifier, "query_strategy": MarginQuery}


@contextmanager
def _restored_after_error(model):
    """Context that restores the parameters of the fitted base estimator and query strategy."""
    parts = [model.__dict__.get(f"{name}_") for name in _DEFAULTS]
    given = [(part, vars(part).copy()) for part in parts if hasattr(part, "get_params")]
    try:
        yield
    except Exception:
        for part, former in given:
            names = part.get_params(deep=False)
            part.set_params(**{name: former[name] for name in names if name in former})
        raise
