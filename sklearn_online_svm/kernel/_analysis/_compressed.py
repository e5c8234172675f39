"""CompressedClassifier: a smaller model that is close to a kernel classifier."""

from numbers import Integral, Real

import numpy as np
from scipy import sparse
from sklearn.base import clone
from sklearn.utils.validation import check_is_fitted

from ..._estimator import store_parameters
from ..._metadata import WeightRouter
from ..._pairs import n_classes_of
from ..._sklearn_compat import Interval, available_if
from ..._tasks import propagating, reporting
from ..._threads import warn
from ..._transactions import Transaction
from ..._validation import check_samples
from .._classifier import KernelClassifier
from .._docs import with_shared_docs
from .._kernel_estimator import decision_values
from .._lasvc import LASVC
from ._compression import CompressedState, compress_solution

# Warn if predictions with the compressed model need so many times the operations of the original.
# A coefficient takes about as long as two features.
SLOWER, COEF_COST = 1.5, 2.0
SIZES = {
    "max_support_vectors": [Interval(Integral, 1, None, closed="left"), None],
    "tolerance": [Interval(Real, 0.0, None, closed="neither"), None],
}


def _has_probabilities(model):
    if "_state" in model.__dict__:
        found = model._state.fitted_map is not None
    else:
        found = getattr(model.estimator, "probability", False)
    if not found:
        raise AttributeError(
            "This CompressedClassifier has no predict_proba and predict_log_proba, since the "
            "original model has none. Compress a LASVC(probability=True)."
        )
    return True


@with_shared_docs
class CompressedClassifier(WeightRouter, KernelClassifier):
    r"""Kernel classifier with fewer support vectors, for fast predictions.

    :meth:`fit` trains a clone of a kernel classifier and compresses it. To compress a model that
    has been trained, call its method ``compress``, which returns a fitted object of this class.
    The result cannot be trained further: train the original, and compress it again.

    Exactly one of ``max_support_vectors`` and ``tolerance`` must be given. Read more in the
    :ref:`user guide <compression>`.

    Parameters
    ----------
    estimator : kernel classifier of this package, default=None
        The model to train and compress. If None, :class:`LASVC` is used.
    max_support_vectors : int, default=None
        Maximum number of support vectors. For an rbf kernel, the vectors are moved so that they
        approximate the model better, and need not be samples.
    tolerance : float, default=None
        Largest difference of decision values from those of the original, at the support vectors
        of the original (the margin is at decision values of ±1). Support vectors are added until
        it is met. In one-vs-one models the values are those of the pairs of classes.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        Class labels.
    support_vectors_ : {ndarray, csr_matrix} of shape (n_SV, n_features)
        Support vectors, grouped by class.
    support_ : ndarray of shape (n_SV,)
        Indices of the support vectors among the training samples; -1 for a vector that has been
        moved, and for the weight vectors of a linear kernel.
    n_support_ : ndarray of shape (n_classes,), dtype=int32
        Number of support vectors for each class.
    dual_coef_ : ndarray of shape (n_problems, n_SV)
        Coefficients of the support vectors in each binary problem: one for two classes, else one
        for each class. If the original model is one-vs-one, there is one for each pair of classes;
        unlike in the original, a support vector has coefficients in all of them.
    intercept_ : ndarray of shape (n_problems,)
        Constants in the decision function, equal to those of the original model.
    coef_ : ndarray of shape (n_problems, n_features)
        Weights assigned to the features; only available with a linear kernel.
    $gamma_in_use
    n_support_vectors_before_ : int
        Number of support vectors of the original model.
    max_difference_ : float
        Largest absolute difference of a decision value of a binary problem at the support
        vectors of the original model, measured with the predictions of both models.
    rkhs_distance_ : ndarray of shape (n_problems,)
        Distance of the weight vectors of both models in the feature space, for each binary
        problem. It bounds the difference at any x; see Notes.
    sample_difference_ : float
        Largest absolute difference of a decision value at the samples that were passed to
        ``compress`` as `X`. Defined only in that case.
    n_samples_seen_ : int
        Number of samples that the original model has been trained on.
    $features

    See Also
    --------
    LASVC.compress : Compress a model that has been trained.
    KernelPassiveAggressiveClassifier : Can limit the number of support vectors during training.

    Notes
    -----
    **One-vs-one.** A compressed one-vs-one model predicts by votes of the pairs of classes, and
    follows ``decision_function_shape`` and ``break_ties`` of the estimator. Each vector has a
    coefficient in all pairs, not only in those of its class: with many classes, predictions are
    faster only if few vectors remain. A warning is given if they are clearly slower.

    **Bound.** By the Cauchy-Schwarz inequality the decision functions of problem c differ by at
    most

    .. math::

        \lvert f_c(x) - \tilde f_c(x) \rvert
        \le \sqrt{K(x, x)} \, \lVert w_c - \tilde w_c \rVert

    for any x, up to the rounding of kernel values to single precision in predictions. The last
    factor is ``rkhs_distance_``, which is computed in double precision; for an rbf kernel
    :math:`K(x, x) = 1`. The difference is usually much smaller than this bound.
    ``max_difference_`` is the difference measured at the support vectors, with kernel values in
    single precision as in predictions.

    **Selection.** Each step selects the support vector at which the difference is largest in any
    of the binary problems, and projects the weight vectors onto the span of the selected vectors
    (vectorial kernel orthogonal greedy algorithm [1]_). The problems share the vectors. A vector
    that is nearly a linear combination of the selected ones, such as a duplicate, is not selected.
    If no
    selection meets ``tolerance``, all distinct support vectors are kept.

    **Moves.** With ``max_support_vectors`` and an rbf kernel, the selected vectors are moved by
    30 iterations of L-BFGS that decrease the sum of the squared distances
    :math:`\lVert w_c - \tilde w_c \rVert^2` (reduced set construction [2]_, [3]_), with the
    optimal coefficients for each position. Zeros of a vector remain zeros, so a sparse model
    remains sparse. If this does not decrease the mean squared difference at the support vectors,
    the selected vectors are used unchanged.

    **Linear kernel.** One vector for each binary problem, its weight vector, gives the same
    decision function.

    **Complexity.** With n support vectors before compression and m after it, the selection takes
    time proportional to :math:`n m^2`, in addition to n squared kernel values, which are not
    stored, and memory proportional to n m.

    References
    ----------
    .. [1] D. Wirtz, B. Haasdonk: A vectorial kernel orthogonal greedy algorithm. Dolomites
       Research Notes on Approximation 6, 2013.
    .. [2] C. Burges: Simplified support vector decision rules. ICML 1996.
    .. [3] B. Schölkopf, S. Mika, C. Burges, P. Knirsch, K.-R. Müller, G. Rätsch, A. Smola: Input
       space versus feature space in kernel-based methods. IEEE Transactions on Neural Networks
       10, 1999.

    Examples
    --------
    >>> from sklearn_online_svm import LASVC, CompressedClassifier
    >>> from sklearn_online_svm.datasets import make_banana_like
    >>> X, y = make_banana_like(3000, random_state=0)
    >>> model = CompressedClassifier(LASVC(gamma=1.0), tolerance=0.01).fit(X[:2000], y[:2000])
    >>> model.max_difference_ <= 0.01
    True
    >>> len(model.support_) < 0.2 * model.n_support_vectors_before_
    True
    >>> bool(model.score(X[2000:], y[2000:]) > 0.88)
    True
    """

    _default = LASVC
    _trained_by = {"fit": "fit"}
    _state_attribute = "_state"
    _stored_as = {"_state": CompressedState}
    _fixed_params = ()
    _parameter_constraints: dict = {"estimator": [KernelClassifier, None], **SIZES}

    def __init__(self, estimator=None, *, max_support_vectors=None, tolerance=None):
        store_parameters(locals())

    def fit(self, X, y, sample_weight=None, **params):
        """Fit a clone of the estimator and compress it.

        $labeled_samples
        $passed_weights
        $fit_alias

        $fitted_self

        Raises
        ------
        ValueError
            If the input is invalid, not exactly one of ``max_support_vectors`` and ``tolerance``
            is given, or the model cannot be compressed (see ``compress``). The model is left
            unchanged.
        """
        with (
            self._guard,
            reporting(self, "fit", X, y, sample_weight, 1),
            Transaction(self) as change,
        ):
            change.draft._check_params()
            original = self._default() if self.estimator is None else clone(self.estimator)
            _refuse(original)
            weights = self._routed_weights("fit", sample_weight, params)
            with propagating(change.draft, original, "fit-estimator"):
                change.draft._adopt(original.fit(X, y, weights))
        return self

    @classmethod
    def _of(cls, model, max_support_vectors, tolerance, X):
        """Return a compressed model, as :meth:`KernelClassifier.compress` does."""
        compressed = cls(
            clone(model), max_support_vectors=max_support_vectors, tolerance=tolerance
        )
        compressed._check_params()
        return compressed._adopt(model, X)

    def _check_params(self):
        self._validate_params()
        given = self.max_support_vectors, self.tolerance
        if (given[0] is None) == (given[1] is None):
            raise ValueError(
                "Exactly one of max_support_vectors and tolerance must be given, got "
                f"max_support_vectors={given[0]!r} and tolerance={given[1]!r}."
            )

    def _adopt(self, model, X=None):
        """Become the compression of a fitted model; measure the difference at X if given."""
        model = model._view()
        check_is_fitted(model)
        _refuse(model)
        fitted, (solution, fitted_map) = model._fitted, model._solution_and_map()
        if X is not None:
            X = check_samples(model, X, reset=False, dtype=fitted.dtype)
            expected = decision_values(fitted.spec, solution, X, model.n_jobs)
        found = compress_solution(
            fitted.spec,
            solution,
            self.max_support_vectors,
            self.tolerance,
            is_sparse=fitted.is_sparse,
            n_jobs=model.n_jobs,
        )
        for name in ("feature_names_in_", "sample_difference_"):
            self.__dict__.pop(name, None)
        for name in ("classes_", "n_features_in_"):
            setattr(self, name, getattr(model, name))
        if hasattr(model, "feature_names_in_"):
            self.feature_names_in_ = model.feature_names_in_
        self._state = found.state.completed(fitted_map, fitted.is_sparse, fitted.n_seen)
        self.n_support_vectors_before_ = len(solution.support)
        self.max_difference_ = found.max_difference
        self.rkhs_distance_ = found.distance
        if X is not None:
            values = decision_values(self._state.spec, self._solution(), X, self.n_jobs)
            self.sample_difference_ = float(np.abs(values - expected).max())
        warn_if_slower(self._state, len(solution.support))
        return self

    # ---------------------------------------------------------------------------- predictions

    @available_if(_has_probabilities)
    def predict_proba(self, X):
        """Estimate class probabilities for samples in X.

        Available if the original model has probabilities. They follow from decision values by the
        same map.

        $samples

        $probabilities

        $errors
        """
        return np.exp(self.predict_log_proba(X))

    @available_if(_has_probabilities)
    def predict_log_proba(self, X):
        """Estimate logarithms of class probabilities for samples in X.

        $samples

        $log_probabilities

        $errors
        """
        view = self._view()
        check_is_fitted(view)
        scores = view._decision_values(X)
        return view._state.fitted_map.log_proba(scores[:, 0] if scores.shape[1] == 1 else scores)

    # ---------------------------------------------------------------------------- parameters

    @property
    def multi_class(self):
        """Problems of the fitted model: one for each pair ("ovo") or each class ("ovr")."""
        return "ovo" if self._state.spec.one_vs_one else "ovr"

    @property
    def decision_function_shape(self):
        """Columns of the decision function of a one-vs-one model, as in the estimator."""
        return getattr(self.estimator, "decision_function_shape", "ovr")

    @property
    def break_ties(self):
        """Whether decision values break ties of votes, as in the estimator."""
        return getattr(self.estimator, "break_ties", False)

    @property
    def kernel(self):
        """Kernel of the fitted model."""
        return self._state.spec.kernel

    @property
    def degree(self):
        """Degree of the polynomial kernel of the fitted model."""
        return self._state.spec.degree

    @property
    def coef0(self):
        """Independent term in the kernel of the fitted model."""
        return self._state.spec.coef0

    @property
    def n_jobs(self):
        """Number of threads for predictions, that of the estimator."""
        return None if self.estimator is None else self.estimator.n_jobs


def warn_if_slower(state, n_before):
    """Warn if the vectors are so many that predictions take longer than with those before.

    A vector of a one-vs-one model has a coefficient in each pair of its class, and here in all.
    """
    spec, n = state.spec, len(state.labels)
    if not spec.one_vs_one or spec.kernel == "linear":
        return
    size = state.vectors.nnz if sparse.issparse(state.vectors) else state.vectors.size
    n_features, n_pairs = size / max(1, n), spec.n_problems
    n_of_class = n_classes_of(n_pairs) - 1
    cost, cost_before = (n_features + COEF_COST * k for k in (n_pairs, n_of_class))
    if n * cost > SLOWER * n_before * cost_before:
        warn(
            f"Predictions with the {n} vectors of the compressed model take longer than with the "
            f"{n_before} of the original: each vector has a coefficient in all {n_pairs} pairs of "
            f"classes, in the original only in {n_of_class}. Use fewer vectors "
            '(max_support_vectors or a larger tolerance), or multi_class="ovr".'
        )


def _refuse(model):
    """Raise ValueError for a model whose decision function cannot be compressed."""
    name, is_fitted = type(model).__name__, model.__sklearn_is_fitted__()
    kernel = model._fitted.spec.kernel if is_fitted else getattr(model, "kernel", None)
    for refused, reason in (
        ("precomputed", "kernel values between support vectors are not stored"),
        ("sigmoid", "this kernel is not positive definite, so there is no distance to minimize"),
    ):
        if isinstance(kernel, str) and kernel == refused:
            raise ValueError(f"{name} with kernel={kernel!r} cannot be compressed: {reason}.")
    if getattr(model, "average", None) == "vote":
        raise ValueError(
            f"{name} with average='vote' cannot be compressed: its predictions are votes of many "
            "functions. Use average='mean'."
        )


# What :meth:`KernelClassifier.compress` returns, a subclass.
KernelClassifier._compressed_class = CompressedClassifier
