"""What every model that keeps support vectors offers once it has an engine."""

from contextlib import contextmanager

import numpy as np
from sklearn.base import ClassifierMixin
from sklearn.utils.validation import check_is_fitted

from .._base import check_rows, has_fast_path, refuse_not_finite, thread_pool
from .._contract import Learner, NotOffered
from .._core.kernel.members import VIRTUAL
from .._persistent import stored_classes, stored_features
from .._suspects import SuspectLabels
from ._engine import EngineSpec, linear_weights
from ._svc_names import PROBABILITIES

# Numbers of float32 rows that are widened at a time.
_DOUBLES_AT_ONCE = 1 << 17


class KernelMachine(SuspectLabels, ClassifierMixin, Learner):
    """Predictions, the solution as arrays, and pickling; learning is left to subclasses.

    Several threads may use a model at once. Whoever learns holds ``_guard``, and ``guard`` of an
    engine that others may read. Predictions take the last complete state of the engine; other
    readers wait.

    A subclass sets ``_engine`` and ``_spec`` (an :class:`EngineSpec`), ``_dtype``, ``_sparse``,
    ``classes_`` and ``n_samples_seen_``.
    """

    _learnt = "_engine"

    # ---------------------------------------------------------------------------- predicting

    def decision_function(self, X):
        r"""Signed distance to the boundary, :math:`\sum_i \alpha_i K(x_i, x) + b`.

        Rows are scored in blocks; memory beyond the result does not grow with their number.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Rows; with a precomputed kernel their kernel values with the rows of ``fit``, of shape
            (n_samples, n_samples_fit).

        Returns
        -------
        scores : ndarray of shape (n_samples,) or (n_samples, n_classes)
            Two classes: positive for ``classes_[1]``. More: one column per class.

        Raises
        ------
        NotFittedError
            If nothing has been learnt yet.
        ValueError
            If the input is invalid, or a decision value is beyond the range of numbers.
        """
        return self._view()._decide(X)

    def _decide(self, X):
        check_is_fitted(self)
        if not has_fast_path(self, X, self._dtype):
            X = check_rows(
                self,
                X,
                reset=False,
                dtype=self._dtype,
                accept_sparse=False if self._is_precomputed() else "csr",
            )
        solution = self._solution()
        if self._spec.kernel == "linear":
            scores = linear_scores(X, *linear_weights(solution))
            refuse_not_finite(scores, "beyond the range of float64")
        else:
            scores = np.empty((X.shape[0], self._spec.n_problems))
            with thread_pool(self.n_jobs, X.shape[0]) as threads:
                solution.decide(X, scores, threads)
            refuse_not_finite(scores, "made of kernel values beyond the range of single precision")
        return scores[:, 0] if scores.shape[1] == 1 else scores

    def _solution(self):
        """Return the last complete state; an optimum is found where there is none yet."""
        engine, settles = self._engine, self._settles()
        solution = engine.shown(settles)
        if solution is None:
            with thread_pool(self.n_jobs) as threads:
                solution = engine.show(settles, self._most_steps(), threads)
        return solution

    def _shown(self):
        """Return the attributes of this moment, and the solution they show."""
        view = self._view()
        check_is_fitted(view)
        return view, view._solution()

    def predict(self, X):
        """Class of each row.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Rows; with a precomputed kernel their kernel values with the rows of ``fit``, of shape
            (n_samples, n_samples_fit).

        Returns
        -------
        y : ndarray of shape (n_samples,)
            Labels out of ``classes_``.

        Raises
        ------
        NotFittedError
            If nothing has been learnt yet.
        ValueError
            If the input is invalid, or a decision value is beyond the range of numbers.
        """
        view = self._view()
        scores = view.decision_function(X)
        codes = scores.argmax(axis=1) if scores.ndim == 2 else (scores > 0).astype(np.intp)
        return view.classes_[codes]

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
        view, solution = self._shown()
        kind = np.int32 if view.n_samples_seen_ < 2**31 else np.int64
        return solution.row_ids.astype(kind)

    @property
    def support_vectors_(self):
        """Support vectors."""
        view, solution = self._shown()
        vectors = solution.vectors()
        if not view._sparse and not isinstance(vectors, np.ndarray):
            return vectors.toarray()
        return vectors

    @property
    def n_support_(self):
        """Number of support vectors of each class."""
        view, solution = self._shown()
        return np.bincount(solution.labels, minlength=len(view.classes_)).astype(np.int32)

    @property
    def dual_coef_(self):
        """Signed coefficients of the support vectors."""
        return _read_only(self._shown()[1].alpha)

    @property
    def intercept_(self):
        """Bias of each decision function."""
        view, solution = self._shown()
        bias = linear_weights(solution)[1] if view._spec.kernel == "linear" else solution.bias
        return _read_only(bias.copy())

    @property
    def coef_(self):
        """Weights of the features (linear kernel)."""
        view, solution = self._shown()
        if view._spec.kernel != "linear":
            raise AttributeError("coef_ is only available when using a linear kernel")
        return _read_only(linear_weights(solution)[0].copy())

    @property
    def dual_objective_(self):
        """Dual objective of each binary problem."""
        with self._reading() as (_, engine):
            return np.array([problem.objective for problem in engine.problems])

    @property
    def duality_gap_(self):
        """Primal minus dual objective of each binary problem, over the vectors kept."""
        with self._reading() as (_, engine):
            return np.array([problem.gap for problem in engine.problems])

    @property
    def n_kernel_evaluations_(self):
        """Kernel values computed for learning."""
        with self._reading() as (_, engine):
            return engine.n_kernel_evaluations

    @contextmanager
    def _reading(self):
        """Give the model and its engine, with the solution that decisions come from.

        No other thread changes them meanwhile.
        """
        view = self._view()
        check_is_fitted(view)
        engine, settles = view._engine, view._settles()
        with engine.guard.reading():
            if not settles or engine.is_settled:
                engine.prepare(settles, 0)
            else:
                with thread_pool(self.n_jobs) as threads:
                    engine.prepare(settles, view._most_steps(), threads)
            yield view, engine

    def _settles(self):
        """Whether decisions come from the optimum over the vectors kept."""
        return False

    # ---------------------------------------------------------------------------- conventions

    def _is_precomputed(self):
        return isinstance(self.kernel, str) and self.kernel == "precomputed"

    def _uses_gamma_scale(self):
        return self.gamma == "scale" and self.kernel in ("rbf", "poly", "sigmoid")

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = not self._is_precomputed()
        tags.input_tags.pairwise = self._is_precomputed()
        return tags

    def _packed(self, state):
        """Return the engine as arrays; kernel rows are left behind."""
        engine = state["_engine"]
        with engine.guard.reading():
            packed = engine.state()
        spec = state["_spec"]
        return {"_engine": packed, "_spec": spec.as_dict(), "_dtype": spec.dtype}

    def _rebuilt(self, state):
        """Return the fitted attributes of a stored model that predictions rely on."""
        classes = stored_classes(state)
        n_features = stored_features(state)
        spec = EngineSpec.from_state(state.part("_spec"), n_features, len(classes))
        seen = state.integer("n_samples_seen_")
        counts = state.array("_class_counts", np.float64, (len(classes),), finite=True, low=0)
        for name in ("n_iter_", "n_labels_used_"):
            if state.has(name):
                state.integer(name)
        if state.has("stopped_early_"):
            state.flag("stopped_early_")
        engine = spec.build()
        engine.restore(state.part("_engine"))
        for problem in engine.problems:
            largest = largest_row(problem)
            state.require(largest < seen, "n_samples_seen_", f"must be above {largest}")
        return super()._rebuilt(state) | {
            "n_samples_seen_": seen,
            "_class_counts": counts,
            "gamma_": spec.gamma,
            "_sparse": state.flag("_sparse"),
            "_dtype": np.dtype(spec.dtype),
            "_spec": spec,
            "_engine": engine,
        }


def largest_row(problem):
    """Largest number of a row that a problem keeps; -1 without any."""
    members = problem.members
    return members["row_id"][members["origin"] != VIRTUAL].max(initial=-1)


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
