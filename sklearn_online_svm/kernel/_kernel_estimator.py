"""Base of all kernel estimators: kernel parameters, predictions, support vectors."""

from numbers import Integral, Real

import numpy as np
from sklearn.utils.validation import check_is_fitted

from .._estimator import Estimator
from .._sklearn_compat import CallbackSupportMixin, HasMethods, Interval, StrOptions
from .._threads import thread_pool
from .._validation import check_finite_output, check_samples
from ._column_kernel import ColumnKernel
from ._plan import is_precomputed
from ._spec import KERNELS, LARGEST_DEGREE, NONNEGATIVE, linear_weights

# Number of float32 values that are converted to double at a time.
_DOUBLES_AT_ONCE = 1 << 17


class KernelEstimator(CallbackSupportMixin, Estimator):
    """Base of kernel estimators: predictions and support vectors; subclasses implement training.

    The fitted state is one attribute, ``_state_attribute``: an object with ``spec`` (a
    :class:`VectorSpec`), ``dtype``, ``is_sparse``, ``n_seen`` and ``solution``, which returns the
    :class:`Solution` for ``finishing`` and ``n_jobs``.
    """

    _fixed_params = ("kernel", "degree", "gamma", "coef0")

    _parameter_constraints: dict = {
        "kernel": [StrOptions({*KERNELS, "precomputed"}), HasMethods("__call__")],
        "degree": [Interval(Integral, 0, LARGEST_DEGREE, closed="both")],
        "gamma": [StrOptions({"scale", "auto"}), Interval(Real, 0.0, None, closed="left")],
        "coef0": [Interval(Real, None, None, closed="neither")],
        "n_jobs": [Integral, None],
    }

    # ---------------------------------------------------------------------------- predictions

    @property
    def _fitted(self):
        """The fitted state; before training a NotFittedError, which is an AttributeError, too."""
        state = vars(self).get(self._state_attribute)
        if state is None:
            check_is_fitted(self)
        return state

    def _solution(self):
        """Return the solution that predictions use."""
        return self._fitted.solution(getattr(self, "finishing", False), self.n_jobs)

    def _decision_values(self, X, solution=None):
        """Return the decision values of all problems, of shape (n_samples, n_problems).

        ``solution``: that of another call; by default the one that predictions use.
        """
        view = self._view()
        state = view._fitted
        layouts = False if state.spec.layout == "precomputed" else "csr"
        X = check_samples(view, X, reset=False, dtype=state.dtype, accept_sparse=layouts)
        if solution is None:
            solution = view._solution()
        return decision_values(state.spec, solution, X, view.n_jobs)

    def _bias(self, solution):
        """Return the constants in the decision function of a solution."""
        is_linear = self._fitted.spec.kernel == "linear"
        return linear_weights(solution)[1] if is_linear else solution.bias

    # ---------------------------------------------------------------------------- the solution

    @property
    def gamma_(self):
        """Value of gamma in use."""
        return self._fitted.spec.gamma

    @property
    def n_samples_seen_(self):
        """Number of samples seen since ``fit`` was last called, each counted once."""
        return self._fitted.n_seen

    @property
    def support_(self):
        """Indices of the support vectors."""
        view = self._view()
        kind = np.int32 if view._fitted.n_seen < 2**31 else np.int64
        return view._solution().row_ids.astype(kind)

    @property
    def support_vectors_(self):
        """Support vectors."""
        view = self._view()
        vectors = view._solution().vectors()
        if not view._fitted.is_sparse and not isinstance(vectors, np.ndarray):
            return vectors.toarray()
        return vectors

    @property
    def n_support_(self):
        """Number of support vectors."""
        return np.array([len(self._view()._solution().support)], dtype=np.int32)

    @property
    def dual_coef_(self):
        """Signed coefficients of the support vectors in the decision function."""
        return _read_only(self._view()._solution().dual_coef)

    @property
    def intercept_(self):
        """Constants in the decision function."""
        view = self._view()
        return _read_only(view._bias(view._solution()).copy())

    @property
    def coef_(self):
        """Weights assigned to the features (linear kernel only)."""
        view = self._view()
        if view._fitted.spec.kernel != "linear":
            raise AttributeError("coef_ is only available when using a linear kernel")
        return _read_only(linear_weights(view._solution())[0].copy())

    # ---------------------------------------------------------------------------- conventions

    def _nonnegative_part(self, X):
        """Return the features of X that must not be negative, or None."""
        if isinstance(self.kernel, ColumnKernel):
            columns = self.kernel._nonnegative_columns(X.shape[1])
            return X[:, columns] if len(columns) else None
        return X if isinstance(self.kernel, str) and self.kernel in NONNEGATIVE else None

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        kernel = getattr(self, "kernel", None)
        name = kernel if isinstance(kernel, str) else ""
        tags.input_tags.pairwise = name == "precomputed"
        tags.input_tags.sparse = not tags.input_tags.pairwise
        tags.input_tags.positive_only = name in NONNEGATIVE
        return tags


def can_take_new_samples(model):
    """Raise AttributeError for a model without ``partial_fit``, else return True."""
    if is_precomputed(model.kernel):
        raise AttributeError(
            "partial_fit is not possible with kernel='precomputed': new samples have no kernel "
            "values with each other. Use a callable kernel, or fit."
        )
    return True


def decision_values(spec, solution, X, n_jobs):
    """Return the decision values of validated samples, of shape (n_samples, n_problems)."""
    if spec.kernel == "linear" and solution.votes is None:
        scores = linear_scores(X, *linear_weights(solution))
        check_finite_output(scores, "beyond the range of float64")
        return scores
    scores = np.empty((X.shape[0], spec.n_problems))
    with thread_pool(n_jobs, X.shape[0]) as threads:
        solution.decide(X, scores, threads)
    check_finite_output(scores, "made of kernel values beyond the range of single precision")
    return scores


def linear_scores(X, coef, intercept):
    """Return ``X @ coef.T + intercept`` in double, without a double copy of float32 samples."""
    if X.dtype == np.float64 or not isinstance(X, np.ndarray):
        return X @ coef.T + intercept
    scores = np.empty((X.shape[0], len(coef)))
    step = max(1, _DOUBLES_AT_ONCE // X.shape[1])
    for first in range(0, X.shape[0], step):
        scores[first : first + step] = X[first : first + step].astype(np.float64) @ coef.T
    return scores + intercept


def _read_only(array):
    """Make a fresh array read-only: assigning to it would not change the model."""
    array.flags.writeable = False
    return array
