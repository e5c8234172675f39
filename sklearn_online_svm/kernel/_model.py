"""Base of all kernel models: kernel parameters, predictions, support vectors."""

from numbers import Integral, Real

import numpy as np
from sklearn.base import ClassifierMixin, clone
from sklearn.utils.validation import check_is_fitted

from .. import _suspects
from .._estimator import IncrementalEstimator
from .._pairs import PairValues
from .._sklearn_compat import Interval, StrOptions
from .._validation import (
    can_skip_validation,
    check_finite_output,
    check_samples,
    thread_pool,
    warn,
    weighted_variance,
)
from ._column_kernel import ColumnKernel
from ._engine import (
    EXPONENTIAL,
    KERNELS,
    LARGEST_DEGREE,
    NONNEGATIVE,
    linear_weights,
    needs_double,
)

# Number of float32 values that are converted to double at a time.
_DOUBLES_AT_ONCE = 1 << 17

# Warn if gamma="scale" is computed from a first chunk with fewer samples.
MIN_FIRST_CHUNK = 30


class KernelModel(IncrementalEstimator):
    """Base of kernel models: predictions and support vectors; subclasses implement training.

    A subclass defines ``_solution`` (a :class:`Solution`), and has ``_spec`` (a
    :class:`VectorSpec`), ``_dtype``, ``_sparse`` and ``n_samples_seen_``.
    """

    _fixed_params = ("kernel", "degree", "gamma", "coef0")

    _parameter_constraints: dict = {
        "kernel": [StrOptions({*KERNELS, "precomputed"}), callable],
        "degree": [Interval(Integral, 0, LARGEST_DEGREE, closed="both")],
        "gamma": [StrOptions({"scale", "auto"}), Interval(Real, 0.0, None, closed="left")],
        "coef0": [Interval(Real, None, None, closed="neither")],
        "n_jobs": [Integral, None],
    }

    def _refuse_other_than_square(self, X):
        """Raise ValueError if X must be a kernel matrix and is not square."""
        if self._is_precomputed() and X.shape[0] != X.shape[1]:
            raise ValueError(
                "Precomputed matrix must be a square matrix. "
                f"Input is a {X.shape[0]}x{X.shape[1]} matrix."
            )

    def _warn_of_small_chunk(self, X):
        """Warn if the first chunk of a stream has few samples to compute gamma from."""
        if self._uses_gamma_scale() and X.shape[0] < MIN_FIRST_CHUNK:
            warn(
                f"gamma='scale' is fixed by the first chunk, which has only {X.shape[0]} "
                "samples; give gamma a number, or begin with a larger chunk."
            )

    def _fix_gamma(self, X, weights):
        """Set ``gamma_``; return X in the dtype that the kernel requires."""
        if self._uses_gamma_scale():
            self.gamma_ = scale_gamma(X, weights, self.kernel in EXPONENTIAL)
        elif isinstance(self.gamma, str):
            self.gamma_ = 1.0 / X.shape[1]
        else:
            self.gamma_ = float(self.gamma)
        if X.dtype == np.float32 and needs_double(X, self.kernel, self.gamma_):
            X = X.astype(np.float64)
        return X

    # ---------------------------------------------------------------------------- predictions

    def _decide(self, X):
        scores = self._decision_values(X)
        return scores[:, 0] if scores.shape[1] == 1 else scores

    def _decision_values(self, X):
        """Return the decision values of all problems, of shape (n_samples, n_problems)."""
        check_is_fitted(self)
        if not can_skip_validation(self, X, self._dtype):
            X = check_samples(
                self,
                X,
                reset=False,
                dtype=self._dtype,
                accept_sparse=False if self._is_precomputed() else "csr",
            )
        return decision_values(self._spec, self._solution(), X, self.n_jobs)

    def _shown(self):
        """Return the fitted model to be shown, and its solution."""
        view = self._view()
        check_is_fitted(view)
        return view, view._solution()

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
        """Number of support vectors."""
        return np.array([len(self._shown()[1].support)], dtype=np.int32)

    @property
    def dual_coef_(self):
        """Signed coefficients of the support vectors in the decision function."""
        return _read_only(self._shown()[1].dual_coef)

    @property
    def intercept_(self):
        """Constants in the decision function."""
        view, solution = self._shown()
        bias = linear_weights(solution)[1] if view._spec.kernel == "linear" else solution.bias
        return _read_only(bias.copy())

    @property
    def coef_(self):
        """Weights assigned to the features (linear kernel only)."""
        view, solution = self._shown()
        if view._spec.kernel != "linear":
            raise AttributeError("coef_ is only available when using a linear kernel")
        return _read_only(linear_weights(solution)[0].copy())

    # ---------------------------------------------------------------------------- conventions

    def _training_counts(self):
        """Return the numbers of samples, vectors and kernel values, for callbacks of training."""
        return self._tasks.n_samples, *self._tasks.trained._counts_of_state()

    def _is_precomputed(self):
        return isinstance(self.kernel, str) and self.kernel == "precomputed"

    def _uses_gamma_scale(self):
        kernels = ("rbf", "poly", "sigmoid", *EXPONENTIAL)
        return self.gamma == "scale" and isinstance(self.kernel, str) and self.kernel in kernels

    def _kernel_of_spec(self):
        """Return the kernel, or a copy of it that changes of parameters do not affect."""
        if isinstance(self.kernel, str):
            return str(self.kernel)  # a grid may hold strings of NumPy
        return clone(self.kernel) if isinstance(self.kernel, ColumnKernel) else self.kernel

    def _nonnegative_part(self, X):
        """Return the features of X that must not be negative, or None."""
        if isinstance(self.kernel, ColumnKernel):
            columns = self.kernel._nonnegative_columns(X.shape[1])
            return X[:, columns] if len(columns) else None
        return X if isinstance(self.kernel, str) and self.kernel in NONNEGATIVE else None

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = not self._is_precomputed()
        tags.input_tags.pairwise = self._is_precomputed()
        kernel = getattr(self, "kernel", None)
        tags.input_tags.positive_only = isinstance(kernel, str) and kernel in NONNEGATIVE
        return tags


class KernelClassifier(ClassifierMixin, KernelModel):
    """Base of kernel classifiers; a subclass has ``classes_`` and ``_targets``."""

    _suspect_margin = -1.0
    suspect_labels = _suspects.suspect_labels

    # Values where a subclass does not have these parameters.
    multi_class = "ovr"
    decision_function_shape = "ovr"
    break_ties = False

    # ---------------------------------------------------------------------------- predictions

    def decision_function(self, X):
        r"""Evaluate the decision function, :math:`f(x) = \sum_i \alpha_i K(x_i, x) + b`.

        Samples are processed in blocks: besides the result, memory does not grow with their
        number.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Samples. For a precomputed kernel, their kernel values with the samples of ``fit``, of
            shape (n_samples, n_samples_fit).

        Returns
        -------
        scores : ndarray of shape (n_samples,) or (n_samples, n_columns)
            Decision function values. Two classes: positive for ``classes_[1]``. More than two: a
            column for each class or, in one-vs-one models with ``decision_function_shape="ovo"``,
            for each of the n_classes * (n_classes - 1) / 2 pairs, in the order (0, 1), (0, 2),
            ... of ``classes_``, positive for the first class.

        Raises
        ------
        NotFittedError
            If the estimator is not fitted.
        ValueError
            If the input is invalid, or a decision function value overflows.
        """
        view = self._view()
        return view._shaped(view._decision_values(X))

    def predict(self, X):
        """Predict class labels for samples in X.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Samples. For a precomputed kernel, their kernel values with the samples of ``fit``, of
            shape (n_samples, n_samples_fit).

        Returns
        -------
        y : ndarray of shape (n_samples,)
            Predicted class labels.

        Raises
        ------
        NotFittedError
            If the estimator is not fitted.
        ValueError
            If the input is invalid, a decision function value overflows, or ``break_ties=True``
            with ``decision_function_shape="ovo"``.
        """
        view = self._view()
        check_is_fitted(view)
        view._breaks_ties()  # raises an error before the values are computed
        return view.classes_[view._predicted(view._decision_values(X))]

    @property
    def _is_one_vs_one(self):
        """Whether there is a problem for each pair of classes; False before training."""
        return self._state_attribute in self.__dict__ and self._targets.one_vs_one

    def _pair_values(self, X):
        """Return the decision values of pairs, whatever ``decision_function_shape``."""
        view = self._view()
        return PairValues(view._decision_values(X), len(view.classes_), view.break_ties)

    def _shaped(self, scores):
        """Return decision values (n_samples, n_problems) in the form of decision_function."""
        if self._targets.one_vs_one and self.decision_function_shape == "ovr":
            return PairValues(scores, len(self.classes_)).of_classes()
        return scores[:, 0] if scores.shape[1] == 1 else scores

    def _predicted(self, scores):
        """Return the class codes that predict returns, given decision values of all problems."""
        if self._targets.one_vs_one:
            return PairValues(scores, len(self.classes_), self._breaks_ties()).predicted()
        if scores.shape[1] == 1:
            return (scores[:, 0] > 0).astype(np.intp)
        return scores.argmax(axis=1)

    def _margins(self, scores, codes):
        if self._targets.one_vs_one:
            return PairValues(scores, len(self.classes_)).smallest(codes)
        return _suspects.margins(scores, codes)

    def _breaks_ties(self):
        """Return whether sums of decision values break ties of votes."""
        if not self.break_ties or self.multi_class != "ovo":
            return False
        if self.decision_function_shape == "ovo":
            raise ValueError(
                "break_ties must be False when decision_function_shape is 'ovo', got "
                f"break_ties={self.break_ties!r}."
            )
        return self._targets.one_vs_one

    # ---------------------------------------------------------------------------- compression

    def compress(self, *, max_support_vectors=None, tolerance=None, X=None):
        """Return a model with fewer support vectors and nearly the same decision function.

        The result can only predict, and this model is not changed. A model in the course of a
        stream is compressed as it predicts at that moment. Exactly one of ``max_support_vectors``
        and ``tolerance`` must be given.

        Parameters
        ----------
        max_support_vectors : int, default=None
            Maximum number of support vectors.
        tolerance : float, default=None
            Largest difference of decision values at the support vectors of this model (the margin
            is 1); with ``multi_class="ovo"``, of the decision values of the pairs.
        X : {array-like, sparse matrix} of shape (n_samples, n_features), default=None
            Samples at which the difference of decision values is measured, as
            ``sample_difference_``.

        Returns
        -------
        model : CompressedClassifier
            Fitted model; ``max_difference_`` and ``rkhs_distance_`` tell how close it is.

        Raises
        ------
        NotFittedError
            If the estimator is not fitted.
        ValueError
            If not exactly one of the two numbers is given, a number or X is invalid, or the model
            cannot be compressed: with a precomputed kernel the support vectors are not known, a
            sigmoid kernel is not positive definite, and with ``average="vote"`` there is no single
            decision function.

        See Also
        --------
        CompressedClassifier : The result, and the method.

        Examples
        --------
        >>> import numpy as np
        >>> from sklearn_online_svm import LASVC
        >>> from sklearn_online_svm.datasets import make_banana_like
        >>> X, y = make_banana_like(1000, random_state=0)
        >>> model = LASVC(gamma=1.0, random_state=0).fit(X, y)
        >>> small = model.compress(max_support_vectors=20)
        >>> small.support_vectors_.shape[0]
        20
        >>> bool(np.mean(small.predict(X) == model.predict(X)) > 0.97)
        True
        """
        from ._compressed import compressed  # a subclass of this class

        return compressed(self, max_support_vectors, tolerance, X)

    def _probability_map(self):
        """Return the map from decision values to probabilities, or None."""
        return None

    # ---------------------------------------------------------------------------- the solution

    @property
    def n_support_(self):
        """Number of support vectors for each class."""
        view, solution = self._shown()
        return np.bincount(solution.labels, minlength=len(view.classes_)).astype(np.int32)


def can_take_new_samples(model):
    if model._is_precomputed():
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


def scale_gamma(X, weights, is_exponential=False):
    """Compute gamma="scale": 1 / (n_features * variance), or 1.0 if all entries are equal.

    With the standard deviation for kernels whose exponent is proportional to X.
    """
    with np.errstate(over="ignore", invalid="ignore"):
        variance = weighted_variance(X, weights)
    if variance == 0 and is_constant(X[weights > 0]):
        return 1.0
    if is_exponential:
        variance = np.sqrt(variance)
    with np.errstate(divide="ignore", over="ignore"):
        gamma = float(np.float64(1.0) / (X.shape[1] * np.float64(variance)))
    if not 0 < gamma < np.inf:
        raise ValueError(
            f"gamma='scale' is {gamma} for these features: their variance is beyond the range of "
            "a double. Scale the features, or give gamma a number."
        )
    return gamma


def is_constant(X):
    """Return whether all entries of X are equal."""
    return not X.size or X.max() == X.min()
