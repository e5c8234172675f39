"""What every model that keeps support vectors offers once it has an engine."""

import copy

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.validation import check_is_fitted

from .._base import check_rows, has_fast_path, refuse_not_finite, thread_pool
from .._suspects import SuspectLabels
from ._engine import EngineSpec, linear_solution, support
from ._svc_names import PROBABILITIES, NotOffered

# Numbers of float32 rows that are widened at a time.
_DOUBLES_AT_ONCE = 1 << 17


class KernelMachine(SuspectLabels, ClassifierMixin, BaseEstimator):
    """Predictions, the solution as arrays, and pickling; learning is left to subclasses.

    A subclass sets ``_engine`` and ``_spec`` (an :class:`EngineSpec`), ``_dtype``, ``_sparse``,
    ``classes_`` and ``n_samples_seen_``.
    """

    # ---------------------------------------------------------------------------- predicting

    def decision_function(self, X):
        r"""Signed distance to the boundary, :math:`\sum_i \alpha_i K(x_i, x) + b`.

        Rows are scored in blocks; memory beyond the result does not grow with their number.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features) \
                or (n_samples, n_samples_fit)

        Returns
        -------
        scores : ndarray of shape (n_samples,) or (n_samples, n_classes)
            Two classes: positive for ``classes_[1]``. More: one column per class.
        """
        check_is_fitted(self)
        if not has_fast_path(self, X, self._dtype):
            X = check_rows(
                self,
                X,
                reset=False,
                dtype=self._dtype,
                accept_sparse=False if self._is_precomputed() else "csr",
            )
        engine = self._settled_engine()
        if self._spec.kernel == "linear":
            scores = linear_scores(X, *linear_solution(engine))
            refuse_not_finite(scores, "beyond the range of float64")
        else:
            scores = np.empty((X.shape[0], self._spec.n_problems))
            with thread_pool(self.n_jobs, X.shape[0]) as threads:
                engine.decide(X, scores, threads)
            refuse_not_finite(scores, "made of kernel values beyond the range of single precision")
        return scores[:, 0] if scores.shape[1] == 1 else scores

    def predict(self, X):
        """Class of each row.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features) \
                or (n_samples, n_samples_fit)

        Returns
        -------
        y : ndarray of shape (n_samples,)
        """
        scores = self.decision_function(X)
        codes = scores.argmax(axis=1) if scores.ndim == 2 else (scores > 0).astype(np.intp)
        return self.classes_[codes]

    @property
    def _suspicious_below(self):
        # Left of it the ramp loss is flat.
        return self.ramp_s

    predict_proba = NotOffered(PROBABILITIES)
    predict_log_proba = NotOffered(PROBABILITIES)

    # ---------------------------------------------------------------------------- the solution

    @property
    def support_(self):
        """Indices of the support vectors."""
        return self._support()[1].astype(np.int32 if self.n_samples_seen_ < 2**31 else np.int64)

    @property
    def support_vectors_(self):
        """Support vectors."""
        slots, row_ids, _ = self._support()
        vectors = self._engine.store.vectors(slots)
        if not self._sparse and not isinstance(vectors, np.ndarray):
            return vectors.toarray()
        return vectors

    @property
    def n_support_(self):
        """Number of support vectors of each class."""
        labels = self._support()[2]
        return np.bincount(labels, minlength=len(self.classes_)).astype(np.int32)

    @property
    def dual_coef_(self):
        """Signed coefficients of the support vectors."""
        return _read_only(self._settled_engine().coefficients()[:, self._support()[0]])

    @property
    def intercept_(self):
        """Bias of each decision function."""
        engine = self._settled_engine()
        if self._spec.kernel == "linear":
            return _read_only(linear_solution(engine)[1])
        return _read_only(engine.biases())

    @property
    def coef_(self):
        """Weights of the features (linear kernel)."""
        check_is_fitted(self)
        if self._spec.kernel != "linear":
            raise AttributeError("coef_ is only available when using a linear kernel")
        return _read_only(linear_solution(self._settled_engine())[0].copy())

    @property
    def dual_objective_(self):
        """Dual objective of each binary problem."""
        return np.array([problem.objective for problem in self._settled_engine().problems])

    @property
    def duality_gap_(self):
        """Primal minus dual objective of each binary problem, over the vectors kept."""
        return np.array([problem.gap for problem in self._settled_engine().problems])

    @property
    def n_kernel_evaluations_(self):
        """Kernel values computed for learning."""
        return self._engine_or_raise().n_kernel_evaluations

    def _engine_or_raise(self):
        check_is_fitted(self)
        return self._engine

    def _settled_engine(self):
        """Return the engine, with the solution that decisions come from."""
        engine = self._engine_or_raise()
        if not self._settles():
            engine.unsettle()
        elif not engine.is_settled:
            self._allow_steps()
            with thread_pool(self.n_jobs) as threads:
                engine.settle(threads)
        return engine

    def _settles(self):
        """Whether decisions come from the optimum over the vectors kept."""
        return False

    def _support(self):
        return support(self._settled_engine())

    # ---------------------------------------------------------------------------- conventions

    def _is_precomputed(self):
        return isinstance(self.kernel, str) and self.kernel == "precomputed"

    def _uses_gamma_scale(self):
        return self.gamma == "scale" and self.kernel in ("rbf", "poly", "sigmoid")

    def __sklearn_is_fitted__(self):
        return "_engine" in self.__dict__

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = not self._is_precomputed()
        tags.input_tags.pairwise = self._is_precomputed()
        return tags

    def __getstate__(self):
        """State of plain values and arrays; kernel rows are left behind."""
        state = dict(super().__getstate__())
        if "_engine" in state:
            state["_engine"] = state["_engine"].state()
            state["_spec"] = state["_spec"].as_dict()
        return state

    def __setstate__(self, state):
        state = dict(state)
        if "_engine" in state:
            state["_spec"] = EngineSpec.from_dict(state["_spec"])
            engine = state["_spec"].build()
            engine.restore(state["_engine"])
            state["_engine"] = engine
        super().__setstate__(state)

    def __copy__(self):
        # The arrays of the state are those in use: a shallow copy would share them.
        return copy.deepcopy(self)


def linear_scores(X, coef, intercept):
    """``X @ coef.T + intercept`` in double, without a double copy of float32 rows."""
    if X.dtype == np.float64 or not isinstance(X, np.ndarray):
        return X @ coef.T + intercept
    scores = np.empty((X.shape[0], len(coef)))
    step = max(1, _DOUBLES_AT_ONCE // X.shape[1])
    for first in range(0, X.shape[0], step):
        scores[first : first + step] = X[first : first + step].astype(np.float64) @ coef.T
    return scores + intercept


def _read_only(array):
    """Return the array, which was made for the caller: to write into it would change no model."""
    array.flags.writeable = False
    return array
