"""Adapter that runs a query strategy in the compiled update loop of a linear classifier."""

import numpy as np

from ._base import classes_of_stream
from ._core.linear.rows import Dataset
from ._core.linear.update_loop import NOT_FINITE
from ._rows import refuse_row


class QueryAdapter:
    """Validated rows that a classifier learns in its update loop, where their labels are bought.

    With ``partial_fit`` and ``decision_function`` all that ``LabelEfficientClassifier`` asks of a
    learner. One that can do this has a method ``_query_adapter``, which checks its parameters and
    returns what is called as this class is, without the learner; or None, where the loop would
    decide otherwise than its ``decision_function`` does.

    Parameters
    ----------
    learner : OnlineLearner
    X : {ndarray, csr_matrix} of shape (n_rows, n_features)
        Rows as ``check_rows`` gives them.
    classes : ndarray of shape (n_classes,)
    """

    def __init__(self, learner, X, classes):
        first = "_state" not in learner.__dict__
        if first:
            learner.n_features_in_ = X.shape[1]
        elif X.shape[1] != learner.n_features_in_:
            raise ValueError(
                f"X has {X.shape[1]} features, but {type(learner).__name__} is expecting "
                f"{learner.n_features_in_} features as input."
            )
        learner.classes_ = classes_of_stream(classes, None if first else learner.classes_)
        learner.__dict__.setdefault("n_iter_", 1)
        with learner._guard:
            learner._continue(X, learner._stream_parameters())
            self.state = learner._state
            self.state.expect_rows(X.shape[0], again=True)
        with np.errstate(over="ignore"):  # the loop refuses such rows
            X = X.astype(self.state.dtype, copy=False)
        self.learner, self.X = learner, X
        self._lay_out()
        # Where learning is: a place in the order of a pass.
        self.position = 0

    @property
    def class_weights(self):
        """Weight of each class, or None where all are 1."""
        return self.learner._class_factors(None, None, stream=True)

    def learn(self, codes, weights, order, purchases):
        """Go on from ``position`` until the rows end, or a label is wanted that is not known.

        Parameters
        ----------
        codes : ndarray of int32
            Class of each row, or that it is not known.
        weights : ndarray of float64 or None
        order : ndarray of int64 or None
        purchases : LabelQueries
            Who asks, and what becomes of each label.

        Returns
        -------
        end : int
            ``DONE``, or why the loop has come back.
        """
        learner, state = self.learner, self.state
        # The guard is released while the oracle is called, so other threads can predict.
        with learner._guard:
            if learner._state is not state:
                raise RuntimeError(
                    f"{learner!r} was fitted anew while the oracle was asked for a label."
                )
            # Whatever else was done to it.
            learner._continue(self.X, learner._stream_parameters())
            if state.columns is not self.columns:
                self._lay_out()
            dataset = Dataset(self.rows, codes, weights, order, self.X)
            # What broke off before the first row has gone through none.
            state.loop.position = start = self.position
            try:
                end, self.position = state.learn(dataset, start, purchases)
            except BaseException:
                self.position = state.loop.position
                raise
            finally:
                state.keep()
        if end == NOT_FINITE:
            i = self.position if order is None else int(order[self.position])
            refuse_row(learner, self.X, i)
        return end

    def _lay_out(self):
        """Make the rows what the loop takes, with the columns that its arrays have."""
        self.rows, self.columns = self.state.rows(self.X), self.state.columns
