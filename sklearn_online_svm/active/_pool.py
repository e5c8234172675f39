"""Margin sampling: query the samples of a pool closest to the hyperplane."""

from numbers import Integral, Real

import numpy as np
from scipy import sparse
from sklearn.exceptions import NotFittedError
from sklearn.utils import check_random_state

from .._estimator import Estimator, store_parameters
from .._feature_space import KernelCosines, split_model
from .._pairs import compares_pairs, margin_scores
from .._sample_arrays import with_valid_indices
from .._sklearn_compat import (
    Interval,
    StrOptions,
    _num_samples,
    _safe_indexing,
    validate_parameter_constraints,
)
from .._validation import draw_seed
from ._query import confidence_of

_POSITIVE = Interval(Integral, 1, None, closed="left")


class MarginSampling(Estimator):
    r"""Query the samples of a pool with the smallest margin.

    A random subset of the pool is drawn, and its samples closest to the hyperplane are chosen:
    those with the smallest :math:`|f(x)|` or, for multiclass problems, with the smallest gap
    between the two largest class scores [1]_. The decision function is computed only for the
    drawn samples, so the cost of a query does not depend on the size of the pool.

    Parameters
    ----------
    pool_size : int or "all", default=59
        Number of samples to draw, without replacement, for each queried sample. Among L
        random samples is one of the closest share p with the probability
        :math:`1 - (1 - p)^L`, such as 95 % for 59 samples and the closest 5 % [1]_. "all" uses the
        whole pool.
    diversity : float, default=0.0
        Weight of the diversity of a batch, in [0, 1]. The batch is built greedily; each step adds
        the sample with the smallest

        .. math:: (1 - \text{diversity}) \cdot |f(x)| + \text{diversity} \cdot
           \max_s \frac{|K(x, x_s)|}{\sqrt{K(x, x) K(x_s, x_s)}}

        over the samples s already in the batch [2]_, where K is the kernel of the classifier. With
        0, only :math:`|f|` is used.
    random_tie_break : bool, default=False
        Whether to break ties in random order instead of the order in X_pool when all samples are
        evaluated. Among drawn samples, ties are broken by the order of the draw, which is random.
    random_state : int, RandomState instance or None, default=None
        Controls the random draws. Each query draws a new subset. Pass an int for reproducible
        output across multiple function calls.

    Attributes
    ----------
    n_queries_ : int
        Number of queried samples.

    See Also
    --------
    margin_sampling : Function with the signature that modAL expects.
    sklearn_online_svm.LabelEfficientClassifier : Selective sampling for streams.

    Notes
    -----
    ``query`` changes the random generator of this object, but not the classifier. One object can
    be used by several threads.

    For a batch, ``batch_size * pool_size`` samples are drawn. With the default ``pool_size`` and
    without ``diversity``, all samples of the batch belong to the closest 5 % with a probability of
    95 % or more.

    In one-vs-one models, the default of :class:`LASVC`, the gap is the smallest :math:`|f(x)|`
    among the pairs of the predicted class with another one, whatever ``decision_function_shape``.
    The class scores of ``SVC`` are votes, whose gaps are nearly integers.

    If a classifier returns the same decision value for all samples, as :class:`LASVC` does after
    samples of a single class, a random sample is selected (with ``pool_size="all"`` only if
    ``random_tie_break=True``).

    ``diversity`` combines decision values and cosines without rescaling. It was proposed for
    support vector machines, whose margin is 1; models with larger decision values require a value
    closer to 1.

    References
    ----------
    .. [1] S. Ertekin, J. Huang, L. Bottou, C. L. Giles. Learning on the Border: Active Learning
       in Imbalanced Data Classification. CIKM 2007.
    .. [2] K. Brinker. Incorporating Diversity in Active Learning with Support Vector Machines.
       ICML 2003. (Its lambda is 1 - ``diversity``.)

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_online_svm import LASVC
    >>> from sklearn_online_svm.active import MarginSampling
    >>> from sklearn_online_svm.datasets import make_banana_like
    >>> X, y = make_banana_like(5000, random_state=0)
    >>> model = LASVC(C=10, gamma=1.0).partial_fit(X[:20], y[:20], classes=[-1, 1])
    >>> strategy = MarginSampling(random_state=0)
    >>> for _ in range(100):
    ...     chosen = strategy.query(model, X)
    ...     model = model.partial_fit(X[chosen], y[chosen])
    >>> strategy.n_queries_
    100
    >>> bool(model.score(X, y) > 0.85)
    True
    """

    _parameter_constraints: dict = {
        "pool_size": [_POSITIVE, StrOptions({"all"})],
        "diversity": [Interval(Real, 0.0, 1.0, closed="both")],
        "random_tie_break": ["boolean"],
        "random_state": ["random_state"],
    }
    _state_attribute = "_seed"
    _stored_as: dict = {}
    _fixed_params = ("random_state",)
    _adjustable_params = ("pool_size", "diversity", "random_tie_break")

    def __init__(self, pool_size=59, *, diversity=0.0, random_tie_break=False, random_state=None):
        store_parameters(locals())

    def query(self, classifier, X_pool, batch_size=1, *, candidates=None, return_utilities=False):
        """Select the samples to query.

        Parameters
        ----------
        classifier : fitted classifier with ``decision_function``
            Also a pipeline that ends in one, or an object that has one as its ``estimator``, such
            as modAL's ``ActiveLearner``.
        X_pool : {array-like, sparse matrix, dataframe} of shape (n_samples, n_features)
            Pool of samples, or any other input the classifier accepts, such as texts. Sparse
            matrices in other formats than CSR are converted completely.
        batch_size : int, default=1
            Number of samples to query.
        candidates : array-like of int or of bool, default=None
            Indices of the samples that may be queried, or a mask of length n_samples. If None, all
            samples may be queried. With it the pool need not be copied after each query.
        return_utilities : bool, default=False
            Whether to also return the utilities.

        Returns
        -------
        indices : ndarray of shape (batch_size,)
            Indices of the selected samples in X_pool, in order of selection.
        utilities : ndarray of shape (batch_size, n_samples)
            Utilities at each step, in the format of scikit-activeml; the largest is selected. They
            are nan for samples that were not drawn or are already in the batch. With
            ``diversity=0`` they are :math:`-|f(x)|`, or minus the gap. Only returned if
            ``return_utilities=True``.

        Raises
        ------
        NotFittedError
            If the classifier has not been fitted yet.
        TypeError
            If the classifier has no ``decision_function``.
        ValueError
            If a parameter is invalid, the pool is empty or smaller than the batch, a drawn
            sample is invalid for the classifier, or ``diversity`` is used with a classifier whose
            feature space is not known. Repeating the query draws the same samples again.
        """
        with self._guard:
            indices, _, utilities = self._select(
                classifier, X_pool, batch_size, candidates, return_utilities
            )
            self.n_queries_ += len(indices)
        return (indices, utilities) if return_utilities else indices

    def _select(self, classifier, X_pool, batch_size, candidates=None, return_utilities=False):
        """Return the indices of the batch, their costs, and the utilities of all samples."""
        self._begin()
        model = _scorer(classifier)
        n_samples = _num_samples(X_pool)
        allowed = _allowed(candidates, n_samples)
        batch_size = _checked_batch("batch_size", batch_size, n_samples, allowed)
        drawn = self._draw(n_samples if allowed is None else len(allowed), batch_size)
        if allowed is not None:
            drawn = allowed[drawn]
        X = with_valid_indices(X_pool, "X_pool")
        if len(drawn) < n_samples or self.random_tie_break:
            if sparse.issparse(X) and X.format != "csr":
                X = X.tocsr()
            X = _safe_indexing(X, drawn)
        try:
            confidence = _confidence(model, X, drawn)
        except NotFittedError as error:
            if model is classifier:
                raise
            raise NotFittedError(
                f"{type(classifier).__name__} has no decision_function, and its estimator, a "
                f"{type(model).__name__}, has not been fitted."
            ) from error
        if self.diversity == 0 or batch_size == 1:
            steps = _least_confident(confidence, 1 - self.diversity)
        else:
            steps = _diverse(confidence, KernelCosines(model, X), self.diversity)
        indices, batch_costs = np.empty(batch_size, dtype=np.intp), np.empty(batch_size)
        utilities = np.full((batch_size, n_samples), np.nan) if return_utilities else None
        for k, (i, costs) in zip(range(batch_size), steps):
            indices[k], batch_costs[k] = drawn[i], costs[i]
            if return_utilities:
                utilities[k, drawn] = -costs
                utilities[k, indices[:k]] = np.nan
        return indices, batch_costs, utilities

    def _begin(self):
        if "_seed" not in self.__dict__:
            self._validate_params()
            self._fitted_params = self._current_params()
            self.n_queries_ = 0
            self._seed = draw_seed(check_random_state(self.random_state))
        elif (new := self._changed_params()) is not None:
            self._fitted_params = new

    def _draw(self, n_samples, batch_size):
        """Return distinct indices; among equally close samples the first one is selected."""
        random = np.random.default_rng([self._seed, self.n_queries_])
        n_drawn = n_samples
        if self.pool_size != "all":
            n_drawn = min(n_samples, int(self.pool_size) * batch_size)
        if n_drawn == n_samples:
            return random.permutation(n_samples) if self.random_tie_break else np.arange(n_samples)
        return random.choice(n_samples, n_drawn, replace=False)


def margin_sampling(
    classifier,
    X_pool,
    n_instances=1,
    random_tie_break=False,
    pool_size=59,
    random_state=None,
    *,
    diversity=0.0,
):
    """Select the samples with the smallest margin, with the signature that modAL expects.

    See :class:`MarginSampling` for the method.

    Parameters
    ----------
    classifier : fitted classifier with ``decision_function``
        Also a pipeline that ends in one, or an object that has one as its ``estimator``, such as
        modAL's ``ActiveLearner``.
    X_pool : {array-like, sparse matrix, dataframe} of shape (n_samples, n_features)
        Pool of samples.
    n_instances : int, default=1
        Number of samples to query.
    random_tie_break : bool, default=False
        Whether to break ties in random order when all samples are evaluated.
    pool_size : int or "all", default=59
        Number of samples to draw for each queried sample.
    random_state : int, RandomState instance or None, default=None
        Controls the random draw. The same int draws the same indices again; in a loop, pass None
        or a RandomState instance.
    diversity : float, default=0.0
        Weight of the diversity of a batch, in [0, 1].

    Returns
    -------
    indices : ndarray of shape (n_instances,)
        Indices of the selected samples in X_pool, in order of selection.
    metrics : ndarray of shape (n_instances,)
        Their :math:`|f(x)|`, or gap between the two largest class scores; with ``diversity``, the
        criterion that was minimized.

    Raises
    ------
    NotFittedError
        As for :meth:`MarginSampling.query`.
    TypeError
        As for :meth:`MarginSampling.query`.
    ValueError
        As for :meth:`MarginSampling.query`.

    Examples
    --------
    >>> from sklearn.datasets import make_blobs
    >>> from sklearn.svm import SVC
    >>> from sklearn_online_svm.active import margin_sampling
    >>> X, y = make_blobs(1000, centers=2, random_state=1)
    >>> model = SVC(kernel="linear").fit(X[:100], y[:100])
    >>> indices, metrics = margin_sampling(model, X, n_instances=3, random_state=0)
    >>> indices.shape, metrics.shape
    ((3,), (3,))
    """
    n_instances = _checked_batch("n_instances", n_instances, _num_samples(X_pool))
    strategy = MarginSampling(
        pool_size,
        diversity=diversity,
        random_tie_break=random_tie_break,
        random_state=random_state,
    )
    indices, metrics, _ = strategy._select(classifier, X_pool, n_instances)
    return indices, metrics


def _least_confident(confidence, weight):
    """Yield indices of samples, least confident first, and the costs of all samples."""
    costs = weight * confidence
    for i in np.argsort(confidence, kind="stable"):
        yield i, costs


def _diverse(confidence, angles, diversity):
    """Yield indices of a diverse batch, and the costs of all samples at each step."""
    largest_cosine = np.zeros(len(confidence))
    available = np.ones(len(confidence), dtype=bool)
    i = confidence.argmin()
    while True:
        yield i, (1 - diversity) * confidence + diversity * largest_cosine
        available[i] = False
        np.maximum(largest_cosine, angles.cosines(i), out=largest_cosine)
        costs = (1 - diversity) * confidence + diversity * largest_cosine
        i = np.where(available, costs, np.inf).argmin()


def _checked_batch(name, batch_size, n_samples, allowed=None):
    validate_parameter_constraints({name: [_POSITIVE]}, {name: batch_size}, "MarginSampling.query")
    n_allowed, samples = n_samples, "samples in X_pool"
    if allowed is not None and n_samples:
        n_allowed, samples = len(allowed), "candidates"
    if n_allowed == 0:
        raise ValueError(f"There are no {samples}; at least one is required.")
    if batch_size > n_allowed:
        raise ValueError(f"{name}={batch_size} is more than the {n_allowed} {samples}.")
    return int(batch_size)  # small NumPy integer types could overflow later


def _scorer(classifier):
    """Return the classifier, or the innermost estimator that has decision_function."""
    model = classifier
    while not hasattr(model, "decision_function"):
        model = getattr(model, "estimator", None)
        if model is None:
            hint = ""
            if hasattr(classifier, "predict_proba"):
                hint = " For predict_proba use uncertainty sampling of scikit-activeml or modAL."
            raise TypeError(
                "MarginSampling requires a classifier with decision_function, such as LASVC, "
                "SVC, a linear model, or a Pipeline that ends in one; "
                f"{type(classifier).__name__} has none.{hint}"
            )
    return model


def _allowed(candidates, n_samples):
    """Return the indices of the samples that may be queried, or None for all."""
    if candidates is None:
        return None
    candidates = np.asarray(candidates)
    if candidates.ndim == 1 and candidates.dtype == bool:
        if len(candidates) != n_samples:
            raise ValueError(
                f"candidates is a mask of length {len(candidates)}, but X_pool has {n_samples} "
                "samples."
            )
        return np.flatnonzero(candidates)
    if candidates.ndim != 1 or (candidates.size and candidates.dtype.kind not in "iu"):
        raise ValueError(
            "candidates must be indices or a mask of the samples in X_pool, got an array of "
            f"{candidates.dtype} of shape {candidates.shape}."
        )
    if candidates.size and not 0 <= candidates.min() <= candidates.max() < n_samples:
        raise ValueError(
            f"candidates must be indices between 0 and {n_samples - 1}, got {candidates.min()} to "
            f"{candidates.max()}."
        )
    if len(candidates) == n_samples > 2 and candidates.max() <= 1:
        raise ValueError(
            "candidates has only 0 and 1, as many as X_pool has samples. Pass a mask as booleans."
        )
    candidates = candidates.astype(np.intp)
    ascending = bool((candidates[1:] > candidates[:-1]).all())
    return candidates if ascending else np.unique(candidates)


def _confidence(model, X, drawn):
    """Return |f| of the drawn samples, or the gap between the two largest class scores.

    For a one-vs-one model of this package the scores are those of :func:`margin_scores`.
    """
    try:
        scores = np.asarray(margin_scores(model, X))
    except NotFittedError:
        raise
    except ValueError as error:
        bad = drawn[_not_finite(X)]
        if not len(bad):
            raise
        raise ValueError(
            f"X_pool contains NaN or infinity in sample {bad.min()}: {error}"
        ) from error
    if scores.ndim == 2:
        _, classifier = split_model(model)
        shape = getattr(classifier, "decision_function_shape", "ovr")
        if shape == "ovo" and not compares_pairs(classifier):
            raise ValueError(
                "With decision_function_shape='ovo' there are no class scores. Set "
                f"decision_function_shape='ovr' of {type(classifier).__name__}."
            )
    confidence = confidence_of(scores)
    bad = drawn[~np.isfinite(confidence)]
    if len(bad):
        raise ValueError(
            f"The decision values of {type(model).__name__} for sample {bad.min()} of X_pool are "
            "not finite."
        )
    return confidence


def _not_finite(X):
    """Return indices of samples with NaN or infinity; empty for non-numeric data."""
    try:
        values = X if sparse.issparse(X) else np.asarray(X, dtype=np.float64)
    except (TypeError, ValueError):
        return np.empty(0, dtype=np.intp)
    if values.ndim != 2:
        return np.empty(0, dtype=np.intp)
    return np.flatnonzero(~np.isfinite(np.asarray(values.sum(axis=1)).ravel()))
