"""Adapter that runs a query strategy in the compiled update loop of an online classifier."""

import numpy as np

from ._base import classes_of_stream
from ._core.linear.rows import Dataset
from ._core.linear.update_loop import NOT_FINITE
from ._sample_arrays import check_norms, raise_sample_error
from ._tasks import unguarded


class QueryAdapter:
    """Training of a classifier on samples whose labels are queried within its update loop.

    An estimator that supports this has a method ``_query_adapter``, which validates its parameters
    and returns a factory ``(X, classes) -> QueryAdapter``; or None if the margins in the loop
    differ from its ``decision_function``. Other estimators are trained sample by sample.

    Parameters
    ----------
    model : OnlineLearner
    X : {ndarray, csr_matrix} of shape (n_samples, n_features)
        Samples validated by ``check_samples``.
    classes : ndarray of shape (n_classes,)
    """

    def __init__(self, model, X, classes):
        first = "_state" not in model.__dict__
        if first:
            model.n_features_in_ = X.shape[1]
        elif X.shape[1] != model.n_features_in_:
            raise ValueError(
                f"X has {X.shape[1]} features, but {type(model).__name__} is expecting "
                f"{model.n_features_in_} features as input."
            )
        model.classes_ = classes_of_stream(classes, None if first else model.classes_)
        model.__dict__.setdefault("n_iter_", 1)
        with model._guard:
            model._prepare_state(X, model._stream_parameters())
            self.state = model._state
            self.state.expect_samples(X.shape[0], again=True)
        with np.errstate(over="ignore"):  # the loop refuses samples that overflow
            X = X.astype(self.state.dtype, copy=False)
        self.model, self.X = model, X
        self.samples, self.feature_map = self.state.samples(X), self.state.feature_map
        # Before the first sample is learned: a chunk is refused as a whole.
        check_norms(model, X, np.finfo(X.dtype).max)
        # Number of samples processed in this epoch.
        self.position = 0

    @property
    def class_weights(self):
        """Weight of each class, or None where all are 1."""
        return self.model._class_factors(None, None, stream=True)

    def learn(self, codes, weights, order, purchases, progress=None):
        """Continue from ``position`` until all samples are processed or a label is missing.

        Parameters
        ----------
        codes : ndarray of int32
            Class code of each sample, negative if the label is unknown.
        weights : ndarray of float64 or None
        order : ndarray of int64 or None
        purchases : LabelQueries
            The query strategy, and the record of the queried labels.
        progress : callable, default=None
            Called with the number of samples processed.

        Returns
        -------
        end : int
            ``DONE``, or the reason why the loop stopped before the last sample.
        """
        model, state = self.model, self.state
        # The guard is released while the oracle is called, so other threads can predict.
        with model._guard:
            if model._state is not state:
                raise RuntimeError(f"{model!r} was fitted again while the oracle was called.")
            # The oracle may have changed parameters, or trained the model on other samples.
            model._prepare_state(self.X, model._stream_parameters())
            if state.feature_map is not self.feature_map:
                self.samples, self.feature_map = state.samples(self.X), state.feature_map
            dataset = Dataset(self.samples, codes, weights, order, self.X)
            # An interrupt before the first sample leaves the position unchanged.
            state.loop.position = start = self.position
            progress = unguarded(progress, model._guard)
            try:
                end, self.position = state.train(dataset, start, purchases, progress=progress)
            except BaseException:
                self.position = state.loop.position
                raise
            finally:
                state.publish()
        if end == NOT_FINITE:
            i = self.position if order is None else int(order[self.position])
            raise_sample_error(model, self.X, i)
        return end
