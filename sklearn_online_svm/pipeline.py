"""OnlinePipeline: a pipeline with ``partial_fit``."""

import copy
import sys
import warnings
from contextlib import nullcontext
from functools import partial
from numbers import Integral

import joblib
import numpy as np
from sklearn.base import MetaEstimatorMixin, clone
from sklearn.compose import ColumnTransformer
from sklearn.frozen import FrozenEstimator
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.utils import get_tags, indexable
from sklearn.utils.metadata_routing import MethodMapping, process_routing
from sklearn.utils.validation import check_is_fitted

from ._chunks import copied, joined_weights, part_of, stacked
from ._core.guard import Guarded
from ._docs import filled_docs
from ._estimator import Estimator, with_classes
from ._metadata import the_weights
from ._sample_arrays import with_valid_indices
from ._sklearn_compat import (
    Interval,
    StrOptions,
    _fit_context,
    _num_samples,
    _safe_indexing,
    available_if,
)
from ._snapshots import Snapshots
from ._tasks import check_stop, propagating, reporting
from ._transactions import PostponedInterrupts, Transaction
from ._validation import classes_of_stream, routes_metadata

__all__ = ["OnlinePipeline", "make_online_pipeline"]

# freeze_after="auto", if something has to be frozen.
WARM_UP = 1000
# Maximum number of samples that ``resume`` compares with those of the interrupted call.
N_COMPARED = 10_000


def final_estimator(estimator):
    """Return the last step of a pipeline, else the estimator itself."""
    return estimator.steps[-1][1] if isinstance(estimator, Pipeline) else estimator


def _is_passthrough(step):
    return step is None or isinstance(step, str)


def _is_stateless(step):
    """Return whether a transformer does not depend on the samples that it is fitted on."""
    if _is_passthrough(step) or isinstance(step, FrozenEstimator):
        return True
    return hasattr(step, "__sklearn_tags__") and not get_tags(step).requires_fit


def _is_incremental(step):
    """Return whether a transformer can be updated with the next samples of a stream."""
    if isinstance(step, ColumnTransformer):
        parts = [part for _, part, _ in step.transformers]
        return all(_is_incremental(part) for part in [*parts, step.remainder])
    return _is_stateless(step) or hasattr(step, "partial_fit")


def _updated(step, X, y, *, is_first):
    """Return a copy of an incremental transformer that is also fitted on these samples."""
    if _is_passthrough(step):
        return step
    if is_first:
        step = clone(step)
        if _is_stateless(step) or isinstance(step, ColumnTransformer):
            return step.fit(X, y)
        return step.partial_fit(X, y)
    if _is_stateless(step):
        return step
    step = copy.deepcopy(step)
    if not isinstance(step, ColumnTransformer):
        return step.partial_fit(X, y)
    try:
        for _, part, columns in step.transformers_:
            if not _is_stateless(part):
                part.partial_fit(_safe_indexing(X, columns, axis=1), y)
    except KeyError as error:
        raise ValueError(f"X lacks columns that the first chunk had: {error.args[0]}.") from None
    return step


def _copy_to_fit(step):
    """Return a clone of a step or, with warm_start, a copy that continues from its state."""
    if _is_passthrough(step):
        return step
    if not getattr(step, "warm_start", False):
        return clone(step)
    step = copy.deepcopy(step)
    vars(step).pop("_checkpoint", None)
    return step


def _can_stop(model):
    """Return whether ``partial_fit`` of a model can be continued in the middle of a chunk."""
    return isinstance(model, Estimator) and not isinstance(model, MetaEstimatorMixin)


def _n_samples_trained(model):
    """Return the number of samples that a model which can stop has been trained on."""
    if not _can_stop(model):
        return None
    if not model.__sklearn_is_fitted__():
        return 0
    return int(model.t_) - 1 if hasattr(model, "t_") else model.n_samples_seen_


def _is_interrupted(model):
    return getattr(model, "interrupted_", False)


def _fingerprint(X, y, weights):
    """Return the number of samples and a hash of at most N_COMPARED of them."""
    n_samples = _num_samples(X)
    some = np.arange(0, n_samples, -(-n_samples // N_COMPARED))
    arrays = (X, y) if weights is None else (X, y, np.asarray(weights, dtype=np.float64))
    parts = [
        np.ascontiguousarray(part) if isinstance(part, np.ndarray) else part
        for part in part_of(some, *arrays)
    ]
    return f"{n_samples} {joblib.hash(parts)}"


def _with_samples(state, convert):
    """Return the state of a pipeline with converted samples, if it keeps some."""
    if "_warm_up" not in state:
        return state
    chunks, n_fitted = state["_warm_up"]
    return {**state, "_warm_up": ([(convert(X), *rest) for X, *rest in chunks], n_fitted)}


def _as_columns(X):
    """Return a data frame of pandas as names and arrays, which skops can store.

    A frame with types that arrays do not keep, such as categories, is returned as it is.
    """
    if not isinstance(X, sys.modules["pandas"].DataFrame if "pandas" in sys.modules else ()):
        return X
    arrays = [X.iloc[:, k].to_numpy() for k in range(X.shape[1])]
    columns = {"names": [*X.columns], "index": X.index.to_numpy(), "arrays": arrays}
    return columns if _as_frame(columns).dtypes.equals(X.dtypes) else X


def _as_frame(X):
    """Return the data frame of names and arrays; other samples are unchanged."""
    if not isinstance(X, dict):
        return X
    from pandas import DataFrame

    return DataFrame(dict(enumerate(X["arrays"])), index=X["index"]).set_axis(X["names"], axis=1)


def _stores_samples(model):
    """Return whether a model has a kernel, in itself or in an estimator among its parameters."""
    return any(name.rpartition("__")[2] == "kernel" for name in model.get_params())


def _can_fit_transform(pipeline):
    final = pipeline._final_estimator
    return _is_passthrough(final) or hasattr(final, "transform") or hasattr(final, "fit_transform")


def _has_partial_fit(pipeline):
    final = pipeline._final_estimator
    if isinstance(final, FrozenEstimator) or not hasattr(final, "partial_fit"):
        name = final if isinstance(final, str) else type(final).__name__
        raise AttributeError(f"The last step of the pipeline, {name}, has no partial_fit.")
    return True


_DOCS = {
    "inputs": """Parameters
----------
X : iterable
    Training data. Must fulfil the input requirements of the first step.
y : iterable, default=None
    Training targets.
**params : dict of str -> object
    Parameters of the steps, as for :class:`~sklearn.pipeline.Pipeline`. If metadata
    routing is disabled, ``sample_weight`` is passed to the final estimator.""",
    "the_pipeline": """Returns
-------
self : object
    The pipeline.""",
}


@partial(filled_docs, parts=_DOCS)
class OnlinePipeline(Snapshots, Pipeline, Guarded):
    """A pipeline with ``partial_fit``.

    A :class:`~sklearn.pipeline.Pipeline` whose transformers and final estimator are trained on a
    stream, in chunks of any size. Transformers with ``partial_fit`` are updated with each chunk.
    All transformers are frozen (applied, but no longer updated) after the first samples if the
    final estimator is a kernel model, which stores transformed samples, or if a transformer cannot
    be updated.

    Read more in the :ref:`User Guide <online_pipelines>`.

    Parameters
    ----------
    steps : list of tuples
        List of (name of step, estimator) tuples, as for :class:`~sklearn.pipeline.Pipeline`.
        ``partial_fit`` requires a final estimator that has it.
    freeze_after : int, None or "auto", default="auto"
        Number of samples after which the transformers no longer change.

        - int: the transformers are fitted on the first samples that ``partial_fit`` receives, this
          number of them, and then only applied.
        - None: the transformers are never frozen. Each of them must have ``partial_fit``, or not
          depend on the samples that it is fitted on (``HashingVectorizer``, ``Normalizer``,
          ``FunctionTransformer``).
        - ``"auto"``: 1000 if the final estimator, or an estimator that it wraps, has a parameter
          ``kernel``, or if a transformer does not meet the condition of None; otherwise None. If
          no transformer depends on the samples, there is nothing to freeze: ``"auto"`` is None.
          With a :class:`~sklearn_online_svm.KernelMetric`, 5000 in place of 1000.
    transform_input : list of str, default=None
        Names of metadata that ``fit`` transforms, as for :class:`~sklearn.pipeline.Pipeline`.
    memory : str or object with the joblib.Memory interface, default=None
        Cache of the transformers that ``fit`` fits.
    verbose : bool, default=False
        If True, ``fit`` prints the time of each step, and ``partial_fit`` a line when the
        transformers are frozen.

    Attributes
    ----------
    named_steps : :class:`~sklearn.utils.Bunch`
        The steps by name.
    frozen_ : bool
        Whether the transformers are frozen, so that ``partial_fit`` no longer changes them.
    interrupted_ : bool
        Whether the last call was interrupted and :meth:`resume` can continue it.
    classes_ : ndarray of shape (n_classes,)
        Class labels, if the final estimator is a classifier.
    n_features_in_ : int
        Number of features seen during fit, if the first step has this attribute.
    feature_names_in_ : ndarray of shape (n_features,)
        Names of features seen during fit, if the first step has this attribute.

    See Also
    --------
    make_online_pipeline : Make a pipeline without naming the steps.
    sklearn.pipeline.Pipeline : Base class, without ``partial_fit``.

    Notes
    -----
    **Before the transformers are frozen**, the pipeline stores the samples. Whenever their number
    has doubled, and when it reaches `freeze_after`, it fits clones of all steps on all of them.
    So the pipeline can predict after the first call, these fits use each sample at most three
    times on average, and the state after `freeze_after` samples does not depend on the size of the
    chunks. The samples are then released.

    **A ColumnTransformer** is updated with each chunk if all its transformers have ``partial_fit``
    or do not depend on the samples; otherwise it must be frozen, as must a ``FeatureUnion`` and a
    ``Pipeline`` as a step.

    ``partial_fit`` replaces transformers by updated copies, and ``fit`` replaces all steps by
    fitted copies: read them from ``named_steps``. Otherwise ``fit`` is that of
    :class:`~sklearn.pipeline.Pipeline`.

    **Errors** in ``fit`` and ``partial_fit`` leave the pipeline unchanged, provided that
    ``partial_fit`` of the final estimator leaves it unchanged on errors, as in all models of this
    package.

    **Ctrl-C** leaves a usable pipeline, too. If the final estimator has been trained on a part of
    the samples, ``interrupted_`` is True and ``resume`` continues the call. Otherwise the pipeline
    is unchanged, as always if ``fit`` is interrupted and the final estimator has no ``resume``. If
    the final estimator is not of this package, or wraps another estimator, ``partial_fit`` trains
    it on the whole chunk before Ctrl-C takes effect. ``resume`` after ``fit`` requires
    transformers whose ``transform`` gives the values of ``fit_transform``, bit by bit:
    ``TargetEncoder`` and ``PCA`` do not.

    Examples
    --------
    >>> from sklearn.preprocessing import StandardScaler
    >>> from sklearn_online_svm import AROWClassifier
    >>> from sklearn_online_svm.datasets import make_waveform
    >>> from sklearn_online_svm.pipeline import OnlinePipeline
    >>> X, y = make_waveform(2000, random_state=0)
    >>> pipeline = OnlinePipeline([("scaler", StandardScaler()), ("model", AROWClassifier())])
    >>> for first in range(0, 2000, 500):
    ...     chunk = slice(first, first + 500)
    ...     pipeline = pipeline.partial_fit(X[chunk], y[chunk], classes=[-1, 1])
    >>> int(pipeline.named_steps["scaler"].n_samples_seen_), pipeline.frozen_
    (2000, False)
    """

    _parameter_constraints: dict = {
        **Pipeline._parameter_constraints,
        "freeze_after": [Interval(Integral, 1, None, closed="left"), StrOptions({"auto"}), None],
    }

    def __init__(
        self, steps, *, freeze_after="auto", transform_input=None, memory=None, verbose=False
    ):
        super().__init__(steps, transform_input=transform_input, memory=memory, verbose=verbose)
        self.freeze_after = freeze_after

    # ---------------------------------------------------------------------------- training

    def fit(self, X, y=None, **params):
        """Fit copies of all steps, one after the other, and replace the steps by them.

        $inputs

        $the_pipeline

        Raises
        ------
        ValueError
            If a parameter or the input is invalid. The pipeline is left unchanged.
        """
        self._fit_copies(Pipeline.fit, X, y, params)
        return self

    @available_if(_can_fit_transform)
    def fit_transform(self, X, y=None, **params):
        """Fit the pipeline as ``fit`` does, and transform the samples with all steps.

        $inputs

        Returns
        -------
        X_new : ndarray of shape (n_samples, n_transformed_features)
            Transformed samples.

        Raises
        ------
        ValueError
            If a parameter or the input is invalid. The pipeline is left unchanged.
        """
        return self._fit_copies(Pipeline.fit_transform, X, y, params)

    @available_if(lambda self: hasattr(self._final_estimator, "fit_predict"))
    def fit_predict(self, X, y=None, **params):
        """Transform the samples as ``fit`` does, and call ``fit_predict`` of the final estimator.

        $inputs

        Returns
        -------
        y_pred : ndarray
            Result of ``fit_predict`` of the final estimator.

        Raises
        ------
        ValueError
            If a parameter or the input is invalid. The pipeline is left unchanged.
        """
        return self._fit_copies(Pipeline.fit_predict, X, y, params)

    def _fit_copies(self, fit, X, y, params):
        """Call a method of ``Pipeline`` for a draft, whose steps ``_fit`` replaces by copies."""
        with self._guard, Transaction(self) as change:
            draft = change.draft
            X = _canonical(X)
            if "sample_weight" in params and not routes_metadata():
                weights = self._final_weights("fit", params, strict=False)
                params = {k: v for k, v in params.items() if k != "sample_weight"}
                if weights is not None:
                    params[self._weight_name] = weights
            try:
                return fit(draft, X, y, **params)
            except KeyboardInterrupt as error:
                if draft.steps is not self.steps and _is_interrupted(draft._final_estimator):
                    draft._checkpoint = _checkpoint("fit", is_over=False)
                    weights = self._final_weights("fit", params, strict=False)
                    draft._note_interrupt(error, X, y, weights)
                    change.keep = True
                raise

    def _fit(self, *args, **kwargs):
        """Begin ``fit``, ``fit_transform`` or ``fit_predict`` of a draft."""
        for name in ("_warm_up", "_checkpoint"):
            self.__dict__.pop(name, None)
        self._validate_steps()
        self.steps = [(name, _copy_to_fit(step)) for name, step in self.steps]
        return super()._fit(*args, **kwargs)

    @available_if(_has_partial_fit)
    @_fit_context(prefer_skip_nested_validation=False)
    def partial_fit(self, X, y=None, classes=None, sample_weight=None, **params):
        """Continue training all steps with a chunk of samples, in the given order.

        Parameters
        ----------
        X : iterable
            Samples, in the order of the stream. Must fulfil the input requirements of the first
            step.
        y : iterable, default=None
            Targets.
        classes : array-like of shape (n_classes,), default=None
            All classes of the stream, for the final estimator. Must be passed in the first call if
            the final estimator is a classifier. A later call can add :ref:`new classes
            <new_classes>`, if the final estimator can.
        sample_weight : array-like of shape (n_samples,), default=None
            Per-sample weights, for the final estimator only.
        **params : dict of str -> array-like of shape (n_samples,)
            Sample weights under another name: ``<final step>__sample_weight``, as in ``fit``, or,
            with metadata routing enabled, the alias that the final estimator requests.

        $the_pipeline

        Raises
        ------
        ValueError
            If a parameter or the input is invalid, or ``freeze_after=None`` and a transformer
            cannot follow a stream. The pipeline is left unchanged.
        """
        sample_weight = self._final_weights("partial_fit", params, sample_weight)
        with self._guard, reporting(self, "partial_fit", X, y, sample_weight):
            draft = self._draft()
            draft._validate_steps()
            X, y, sample_weight = indexable(_canonical(X), y, sample_weight)
            first, transformed = draft._begin_chunk(X, y, sample_weight, classes)
            draft._checkpoint = _checkpoint(
                "partial_fit",
                first=first,
                n_before=_n_samples_trained(draft._final_estimator),
                is_over=transformed is None,
            )
            rest = transformed, *part_of(slice(first, None), y, sample_weight)
            data = X, y, sample_weight
            self._train_resumably(draft, data, draft._train_on_rest, *rest, classes)
        return self

    def resume(self, X, y=None, sample_weight=None, **params):
        """Continue an interrupted call as if it had not been interrupted.

        The interrupted call may be :meth:`partial_fit`, or :meth:`fit` if the final estimator has
        ``resume``. The data are not stored and must be passed again.

        Parameters
        ----------
        X : iterable
            Samples of the interrupted call.
        y : iterable, default=None
            Targets of the interrupted call.
        sample_weight : array-like of shape (n_samples,), default=None
            Per-sample weights of the final estimator in the interrupted call, if there were any.
        **params : dict of str -> array-like of shape (n_samples,)
            Sample weights under another name: ``<final step>__sample_weight``, as in ``fit``, or,
            with metadata routing enabled, the alias that the final estimator requests.

        $the_pipeline

        Raises
        ------
        ValueError
            If no call was interrupted, or the data are not those of the interrupted call. The
            pipeline is left unchanged and can still be resumed.
        """
        with self._guard, reporting(self, "resume", X, y, sample_weight):
            checkpoint = self.__dict__.get("_checkpoint")
            if checkpoint is None:
                raise ValueError(
                    "There is nothing to resume: no call of this pipeline was interrupted."
                )
            method = checkpoint["method"]
            weights = self._final_weights(method, params, sample_weight)
            data = X, y, sample_weight = indexable(_canonical(X), y, weights)
            if checkpoint["data"] not in (None, _fingerprint(*data)):
                raise ValueError(
                    f"resume needs the X, y and sample_weight of the interrupted {method}, and "
                    f"got different ones. Pass the same data, or call {method} to train on other "
                    "data."
                )
            draft, rest = self._draft(), slice(checkpoint["first"], None)
            rest, *others = part_of(rest, X, y, sample_weight)
            transformed = None if checkpoint["is_over"] else draft._transformers().transform(rest)
            self._train_resumably(draft, data, draft._resume_rest, transformed, *others)
        return self

    def _train_resumably(self, draft, data, train, *arguments):
        """Train the final estimator of a draft by ``train``, and take over the draft.

        ``data`` are X, y and the weights of the call.
        The final estimator may be that of the pipeline, which changes in place. So the draft is
        kept also after Ctrl-C, if the final estimator has changed.
        """
        final = draft._final_estimator
        former, n_before = getattr(final, "_checkpoint", None), _n_samples_trained(final)
        try:
            with PostponedInterrupts() as interrupts:
                try:
                    with interrupts.raised() if _can_stop(final) else nullcontext():
                        train(*arguments)
                except KeyboardInterrupt:
                    if draft._has_progress(self, former):
                        self._take(draft)
                    raise
                except Exception:
                    # A final estimator that has been trained in place, until a callback raised an
                    # error, needs the transformers of the same samples.
                    if final is self._final_estimator and _n_samples_trained(final) != n_before:
                        del draft._checkpoint
                        self._take(draft)
                    raise
                self._take(draft)
            # Removed last: after Ctrl-C either there is a checkpoint or nothing has changed.
            if self._checkpoint["is_over"]:
                del self._checkpoint
            else:  # a callback has requested to stop
                self._checkpoint["data"] = _fingerprint(*data)
        except KeyboardInterrupt as error:
            if self.__dict__.get("_checkpoint") is draft._checkpoint:
                self._note_interrupt(error, *data)
            raise

    def _has_progress(self, model, former):
        """Return whether the final estimator is fitted and is not as it was in ``model``."""
        final = self._final_estimator
        return self.__sklearn_is_fitted__() and (
            final is not model._final_estimator
            or getattr(final, "_checkpoint", None) is not former
            or _n_samples_trained(final) != self._checkpoint["n_before"]
        )

    def _note_interrupt(self, error, X, y, weights):
        """Complete the checkpoint, and add a note to the traceback."""
        self._checkpoint["data"] = _fingerprint(X, y, weights)
        # Replaces the note of the final estimator, which refers to its own resume.
        error.__notes__ = [
            f"{type(self).__name__} holds the result of the training so far and can be used as it "
            f"is; resume(X, y) continues the interrupted {self._checkpoint['method']}."
        ]

    def _begin_chunk(self, X, y, weights, classes):
        """Update the transformers, and fit all steps again if it is time.

        All this is undone if the draft is discarded. Returns the index of the first sample that is
        left for the final estimator, and the samples from there on, transformed; None if there are
        none.
        """
        freeze_after, is_first = self._n_warm_up(), not self.__sklearn_is_fitted__()
        if freeze_after is None:
            self.__dict__.pop("_warm_up", None)
            X = self._update_transformers(X, y, is_first)
            if is_first:
                self._begin_final()
            return 0, X
        if is_first or "_warm_up" in self.__dict__:
            return self._begin_chunk_in_warm_up(freeze_after, X, y, weights, classes)
        return 0, self._transformers().transform(X)

    def _update_transformers(self, X, y, is_first):
        """Update all transformers, and return the transformed samples."""
        self.steps = list(self.steps)
        for k, (name, step) in enumerate(self.steps[:-1]):
            if not _is_incremental(step):
                raise ValueError(
                    f"freeze_after=None requires transformers with partial_fit, got {step!r}. Set "
                    "freeze_after to the number of samples that transformers are fitted on."
                )
            step = _updated(step, X, y, is_first=is_first)
            self.steps[k] = name, step
            X = X if _is_passthrough(step) else step.transform(X)
        return X

    def _begin_chunk_in_warm_up(self, freeze_after, X, y, weights, classes):
        """Store samples, fit all steps again if it is time, and freeze the transformers."""
        kept, n_fitted = self.__dict__.get("_warm_up", ([], 0))
        # Transformed in any case: chunks must have the same features.
        transformed = self._transformers().transform(X) if kept else None
        n_before = sum(_num_samples(chunk[0]) for chunk in kept)
        first, n_next = 0, min(_num_samples(X), max(0, freeze_after - n_before))
        chunk = part_of(slice(n_next), X, y, weights)
        kept, n_samples = [*kept, tuple(map(copied, chunk))], n_before + n_next
        if n_samples >= min(freeze_after, 2 * n_fitted):
            with warnings.catch_warnings():
                if n_samples < freeze_after:  # gamma will be computed again
                    warnings.filterwarnings("ignore", "gamma='scale' is fixed by the first chunk")
                self._fit_again(kept, classes)
            first, n_fitted, transformed = n_next, n_samples, None
        if n_samples < freeze_after:
            self._warm_up = kept, n_fitted
            return first, transformed
        self.__dict__.pop("_warm_up", None)
        if self.verbose:
            print(f"[{type(self).__name__}] Transformers are frozen after {n_samples} samples.")
        if first < _num_samples(X):
            transformed = self._transformers().transform(_safe_indexing(X, slice(first, None)))
        return first, transformed

    def _fit_again(self, chunks, classes):
        """Fit clones of all steps on these samples."""
        X, y, weights = zip(*chunks, strict=True)
        X, y = stacked(X), None if y[0] is None else _stacked_targets(y)
        weights = joined_weights(weights, [_num_samples(chunk[0]) for chunk in chunks])
        known = getattr(self._final_estimator, "classes_", None)
        if known is not None:
            classes = classes_of_stream(classes, known, extendable=True)
        transformers = clone(self._transformers())
        X = transformers.fit_transform(X, y)
        self.steps = [*transformers.steps[:-1], self.steps[-1]]
        self._begin_final()
        self._train_final(X, y, weights, classes)

    def _begin_final(self):
        """Replace the final estimator by a clone, which is not fitted."""
        name, final = self.steps[-1]
        self.steps = [*self.steps[:-1], (name, clone(final))]

    def _train_final(self, X, y, weights, classes=None):
        """Train the final estimator on transformed samples."""
        final = self._final_estimator
        given = {"classes": classes, "sample_weight": weights}
        given = {name: values for name, values in given.items() if values is not None}
        with propagating(self, final, "partial-fit-estimator"):
            final.partial_fit(X, y, **given)

    def _train_on_rest(self, X, y, weights, classes):
        """Train the final estimator on the samples that ``_begin_chunk`` has left, if any."""
        if X is None:
            return
        check_stop(self)
        self._train_final(X, y, weights, classes)
        self._checkpoint["is_over"] = self._is_trained_on(X)

    def _resume_rest(self, X, y, weights):
        """Continue ``_train_on_rest``, or ``fit`` of the final estimator."""
        if X is None:
            return
        final = self._final_estimator
        check_stop(self)
        if _is_interrupted(final):
            with propagating(self, final, "resume-estimator"):
                final.resume(X, y, weights)
        elif not self._is_trained_on(X):
            done = _n_samples_trained(final) - self._checkpoint["n_before"]
            self._train_final(*part_of(slice(done, None), X, y, weights))
        self._checkpoint["is_over"] = self._is_trained_on(X)

    def _is_trained_on(self, X):
        """Return whether the final estimator has been trained on all these samples."""
        final, n_before = self._final_estimator, self._checkpoint["n_before"]
        if n_before is None:
            return not _is_interrupted(final)
        return _n_samples_trained(final) - n_before == _num_samples(X)

    def _add_classes(self, classes):
        name, final = self.steps[-1]
        self.steps = [*self.steps[:-1], (name, with_classes(final, classes))]

    def _transformers(self):
        """Return the pipeline without the final estimator."""
        return Pipeline([*self.steps[:-1], (self.steps[-1][0], "passthrough")])

    # ---------------------------------------------------------------------------- conventions

    def __getstate__(self):
        return _with_samples(super().__getstate__(), _as_columns)

    def __setstate__(self, state):
        super().__setstate__(_with_samples(state, _as_frame))

    def __copy__(self):
        if self._guard.is_mine():
            # scikit-learn copies a pipeline that it passes to callbacks; see _attributes_of_copy.
            return type(self)(**self.get_params(deep=False))
        # A shallow copy would share the steps, which partial_fit changes in place.
        return copy.deepcopy(self)

    def _attributes_of_copy(self):
        """Return the attributes of a copy during training."""
        return copy.deepcopy({k: v for k, v in vars(self).items() if k in ("steps", "_warm_up")})

    def _n_warm_up(self):
        """Return the number of samples after which transformers are frozen; None: never."""
        if self.freeze_after != "auto":
            return self.freeze_after
        transformers = [step for _, step in self.steps[:-1]]
        if all(map(_is_stateless, transformers)):
            return None
        is_online = all(map(_is_incremental, transformers))
        if is_online and not _stores_samples(self._final_estimator):
            return None
        return max([WARM_UP, *(getattr(step, "_n_warm_up_samples", 0) for step in transformers)])

    @property
    def frozen_(self):
        """Whether the transformers are frozen."""
        check_is_fitted(self)
        return self._n_warm_up() is not None and "_warm_up" not in self.__dict__

    @property
    def interrupted_(self):
        """Whether the last call was interrupted and can be resumed."""
        check_is_fitted(self)
        return "_checkpoint" in self.__dict__

    @property
    def _weight_name(self):
        """Name of the weights of the final estimator among the parameters of the steps."""
        return f"{self.steps[-1][0]}__sample_weight"

    def _final_weights(self, method, params, sample_weight=None, *, strict=True):
        """Return the sample weights that a method passes to the final estimator, or None.

        With ``strict=True``, other parameters are refused.
        """
        given = params if sample_weight is None else {"sample_weight": sample_weight, **params}
        if routes_metadata():
            key = self.steps[-1][0] + ("__partial_fit" if method == "partial_fit" else "")
            routed = process_routing(self, method, **given)[key][method]
            return the_weights(routed, self, method) if strict else routed.get("sample_weight")
        names = {"sample_weight", self._weight_name}
        found = [name for name in names if given.get(name) is not None]
        if len(found) > 1:
            raise ValueError(
                f"Got both sample_weight and {self._weight_name}, which are two names of the same "
                "parameter. Pass only one of them."
            )
        if strict and (others := sorted(params.keys() - names)):
            raise ValueError(
                f"{type(self).__name__}.{method} got unexpected parameters {others}. Only the "
                f"weights of the final estimator can be passed: sample_weight, or "
                f"{self._weight_name}."
            )
        return given[found[0]] if found else None

    def get_metadata_routing(self):
        """Return the metadata routing: that of ``Pipeline``, and of ``partial_fit``.

        Returns
        -------
        routing : MetadataRouter
            ``partial_fit`` passes metadata to the final estimator.
        """
        router, (name, final) = super().get_metadata_routing(), self.steps[-1]
        if not hasattr(final, "partial_fit"):
            return router
        mapping = MethodMapping().add(caller="partial_fit", callee="partial_fit")
        # A second entry for the final estimator; no step has a name with "__".
        return router.add(method_mapping=mapping, **{f"{name}__partial_fit": final})


def make_online_pipeline(
    *steps, freeze_after="auto", transform_input=None, memory=None, verbose=False
):
    """Construct an :class:`OnlinePipeline` from the given estimators.

    The names of the steps are the lower-case names of their types, as for
    :func:`~sklearn.pipeline.make_pipeline`.

    Parameters
    ----------
    *steps : list of estimators
        Transformers, and the final estimator.
    freeze_after : int, None or "auto", default="auto"
        Number of samples after which the transformers no longer change; see
        :class:`OnlinePipeline`.
    transform_input : list of str, default=None
        Names of metadata that ``fit`` transforms.
    memory : str or object with the joblib.Memory interface, default=None
        Cache of the transformers that ``fit`` fits.
    verbose : bool, default=False
        Whether to print the time of each step of ``fit``, and a line when transformers are frozen.

    Returns
    -------
    pipeline : OnlinePipeline
        The pipeline.

    Examples
    --------
    >>> from sklearn.feature_extraction.text import HashingVectorizer
    >>> from sklearn_online_svm import PassiveAggressiveClassifier
    >>> from sklearn_online_svm.pipeline import make_online_pipeline
    >>> pipeline = make_online_pipeline(HashingVectorizer(), PassiveAggressiveClassifier())
    >>> texts, moods = ["what a good day", "bad, very bad"], ["good", "bad"]
    >>> pipeline.partial_fit(texts, moods, classes=["bad", "good"]).predict(["very good"])
    array(['good'], dtype='<U4')
    """
    return OnlinePipeline(
        make_pipeline(*steps).steps,
        freeze_after=freeze_after,
        transform_input=transform_input,
        memory=memory,
        verbose=verbose,
    )


def _checkpoint(method, *, first=0, n_before=None, is_over):
    """Return what ``resume`` needs to know of an interrupted call: plain values.

    ``first``: index of the first sample that the final estimator was to be trained on; it had been
    trained on ``n_before`` samples before. ``is_over``: whether it has been trained on all.
    """
    return {
        "method": method,
        "first": first,
        "n_before": n_before,
        "is_over": is_over,
        "data": None,  # fingerprint, computed after an interrupt
    }


def _canonical(X):
    """Return samples; a sparse matrix in the form that scikit-learn's transformers expect."""
    X = with_valid_indices(X)
    if hasattr(X, "indptr") and X.indptr.dtype != X.indices.dtype:
        X = X.copy()
        X.check_format(full_check=True)  # makes them equal
    if not getattr(X, "has_canonical_format", True):
        X = X.copy()
        X.sum_duplicates()
    return X


def _stacked_targets(parts):
    """Concatenate targets; if some are a column and others are not, all are one-dimensional."""
    shapes = {np.shape(part)[1:] for part in parts}
    return stacked([np.ravel(part) for part in parts] if shapes == {(), (1,)} else parts)
