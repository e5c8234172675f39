"""Local online learning: one hyperplane per region, with a common component."""

from numbers import Integral, Real

import numpy as np
from scipy import sparse
from scipy.stats import norm
from sklearn.utils.validation import check_is_fitted

from .. import _updates
from .._estimator import store_parameters
from .._sample_arrays import sample_arrays
from .._sklearn_compat import Interval, StrOptions
from .._updates import plan_of
from ._docs import with_shared_docs
from ._model import AVERAGE, LinearClassifier, linear_spec
from ._state import BY_FEATURE, LinearState


class _Missing:
    """Attribute of other linear models that this one lacks: an error with the reason."""

    def __init__(self, reason):
        self.reason = reason

    def __set_name__(self, owner, name):
        self.name = name

    def __get__(self, instance, owner):
        raise AttributeError(f"{owner.__name__} has no {self.name}: {self.reason}.")


_NO_HYPERPLANE = "each region has its own hyperplane, see common_coef_ and local_coef_"


class LocalState(LinearState):
    """Arrays of a model with prototypes."""

    def scores(self, X, guard):
        """Return the decision values of validated samples."""
        arrays = self.named_weights(guard)
        X = arrays["feature_map"].map_samples(X, arrays["coef"].shape[1])
        scores = X @ arrays["coef"].T + arrays["intercept"]
        kmeans = self.kmeans(arrays, sparse.issparse(X))
        with np.errstate(over="ignore"):  # overflow is detected in the scores
            rows = X.astype(self.dtype, copy=False)
        near, shares = kmeans.near_rows(sample_arrays(rows))
        local_coef, local_intercept = arrays["local_coef"], arrays["local_intercept"]
        for k in np.unique(near[near >= 0]):
            rows, places = np.nonzero(near == k)
            local = X[rows] @ local_coef[k].T + local_intercept[k]
            scores[rows] += shares[rows, places, np.newaxis] * local
        return scores


@with_shared_docs
class LocalOnlineClassifier(LinearClassifier):
    r"""Locally linear classifier with online prototypes (LOL, local online learning).

    Prototypes, updated by online k-means, divide the feature space into regions. Each region has a
    hyperplane, which is the sum of a common and a local component. Both are updated with each
    sample by a passive-aggressive step. The decision boundary is piecewise linear; the model keeps
    no training samples and needs no kernel. Read more in the :ref:`user guide <local>`.

    Parameters
    ----------
    n_prototypes : int, default=20
        Number of regions. The first ``n_prototypes`` distinct samples are the initial prototypes.
        The time per sample, the memory and the number of samples needed to fit all hyperplanes
        grow with the number of regions.
    C : float, default=1.0
        Aggressiveness parameter: the maximum step size (``loss="hinge"``) or the weight of the
        squared loss (``"squared_hinge"``). Use small values for noisy data. ``np.inf`` is the hard
        margin.
    lam : float, default=1.0
        Regularization of the common component: its step is 1 / lam times that of the local
        component. With ``np.inf`` it stays 0, and the hyperplanes are trained independently; with
        values near 0 all hyperplanes are nearly equal.
    loss : {"hinge", "squared_hinge"}, default="hinge"
        "hinge" is as in PA-I (SCW-I), "squared_hinge" as in PA-II (SCW-II).
    n_neighbors : int, default=1
        Number of nearest prototypes whose hyperplanes are combined, weighted by the inverse of
        their distances. With more than one the decision function is smoother between regions; the
        time per sample grows with this number.
    variant : {"pa", "scw"}, default="pa"
        Update rule: passive-aggressive as in the paper ("pa"), or soft confidence-weighted
        ("scw"), which keeps a variance for each weight.
    eta : float, default=0.7
        Probability, in (0.5, 1), with which a sample is to be classified correctly after the
        update. Used only with ``variant="scw"``.
    multi_class : {"crammer_singer", "ovr"}, default="crammer_singer"
        Strategy for more than two classes: "crammer_singer" trains all classes jointly, "ovr"
        trains each class against the rest; see Notes.
    average : bool or int, default=True
        Whether to predict with the average of the weights over all samples, which varies much less
        than the last weights, which the paper uses. If an integer n greater than 1, averaging
        begins with sample n. Needs a second array of the size of the weights.
    fit_intercept : bool, default=True
        Whether to fit the intercepts, as the weights of an additional feature that is always 1.
        This feature is not used to compute distances.
    $epochs
    warm_start : bool, default=False
        Whether ``fit`` continues from the current model. The counts of samples start again at 0,
        except ``prototype_counts_``.
    $class_weight

    Attributes
    ----------
    $classes
    prototypes_ : ndarray of shape (n_found, n_features)
        Centers of the regions; fewer than n_prototypes if there were fewer distinct samples.
    prototype_counts_ : ndarray of shape (n_found,)
        Number of samples assigned to each prototype, which is their mean.
    common_coef_ : ndarray of shape (n_problems, n_features)
        Weights of the common component. With ``average`` these and the weights below are averages.
        n_problems is 1 for two classes, else n_classes.
    common_intercept_ : ndarray of shape (n_problems,)
        Intercepts of the common component.
    local_coef_ : ndarray of shape (n_found, n_problems, n_features)
        Weights of the local component of each region, which are added to the common ones.
    local_intercept_ : ndarray of shape (n_found, n_problems)
        Intercepts of the local component of each region.
    $counts

    See Also
    --------
    PassiveAggressiveClassifier : Linear classifier with a single hyperplane.
    LASVC : Kernel classifier, for decision boundaries of any shape.

    Notes
    -----
    **Decision function** [1]_. With :math:`c_k`, the prototype nearest to x, it is
    :math:`f(x) = (u + v_k)^\top x`, where u is the common component and :math:`v_k` that of the
    region.

    **Update.** Each sample (x, y) leads to the problem

    .. math::

        \min_{u', v'_k} \; \tfrac{\lambda}{2} \lVert u' - u \rVert^2
        + \tfrac{1}{2} \lVert v'_k - v_k \rVert^2
        + C \max\bigl(0,\, 1 - y\, (u' + v'_k)^\top x\bigr),

    with :math:`C \max(\cdot)^2` for ``loss="squared_hinge"``. With :math:`\ell` for the loss
    before the step and :math:`q = (1 / \lambda + 1) \lVert x \rVert^2`, the solution is

    .. math::

        u \leftarrow u + \frac{\tau}{\lambda}\, y x, \qquad v_k \leftarrow v_k + \tau y x, \qquad
        \tau = \min\Bigl(C, \frac{\ell}{q}\Bigr) \;\text{or}\; \frac{\ell}{q + 1 / (2C)} .

    This is the passive-aggressive step of the vector :math:`(\sqrt\lambda u, v_1, v_2, \ldots)`
    for the sample :math:`(x / \sqrt\lambda, 0, \ldots, x, \ldots, 0)`. With one prototype it is
    PA-I with :math:`C (1 + 1/\lambda)` in place of C. Only the part of [1]_ before its algorithm
    was available: the model is that of the paper, the step is derived from it.

    **Prototypes.** The first distinct samples are the initial prototypes. Each later sample is
    predicted, then used for the update, and then moves the nearest prototype,
    :math:`c_k \leftarrow c_k + (x - c_k) / n_k`, which is the mean of the :math:`n_k` samples
    assigned to it. Features should have comparable scales; otherwise the features with the largest
    scale determine the regions.

    **Several neighbors.** The weights of the m nearest prototypes are :math:`a_k \propto 1 /
    \lVert x - c_k \rVert`, :math:`\sum a_k = 1`. Then :math:`f(x) = (u + \sum a_k v_k)^\top x`,
    :math:`q = (1 / \lambda + \sum a_k^2) \lVert x \rVert^2` and :math:`v_k \leftarrow v_k + \tau
    a_k y x`. Only the nearest prototype moves.

    **variant="scw"** is the step of :class:`SCWClassifier` for the same long vectors, with a
    diagonal covariance; so steps are longer in regions with few samples. SCW-LOL [2]_ also extends
    SCW to local hyperplanes with a common component; the step here is derived independently, and
    details may differ.

    **Multiclass.** With "crammer_singer" the margin of a sample is the score of its class minus
    the highest score of the other classes, 2 q replaces q, and these two classes are updated.
    "ovr" trains each class against the rest. All classes share the prototypes.

    **Weights** of samples and classes multiply C, not the computed step, and do not affect the
    prototypes. Samples of weight 0 cause no update; averages count them, as in scikit-learn.

    References
    ----------
    .. [1] Z. Zhou, W.-S. Zheng, J.-F. Hu, Y. Xu, J. You: One-pass online learning: A local
       approach. Pattern Recognition 51, 2016.

    .. [2] X. Yang, J. Zhou, P. Zhao, C. Chen, C. Chen, X. Li: A local online learning approach for
       non-linear data. PAKDD 2018.

    Examples
    --------
    Two moons, which no single hyperplane separates:

    >>> from sklearn.datasets import make_moons
    >>> from sklearn_online_svm import LocalOnlineClassifier, PassiveAggressiveClassifier
    >>> X, y = make_moons(4000, noise=0.1, random_state=0)
    >>> X_test, y_test = X[2000:], y[2000:]
    >>> linear = PassiveAggressiveClassifier(C=0.1).partial_fit(X[:2000], y[:2000], [0, 1])
    >>> local = LocalOnlineClassifier().partial_fit(X[:2000], y[:2000], [0, 1])
    >>> bool(local.score(X_test, y_test) > linear.score(X_test, y_test) + 0.1)
    True
    >>> local.prototypes_.shape
    (20, 2)
    """

    _parameter_constraints: dict = {
        **LinearClassifier._parameter_constraints,
        "n_prototypes": [Interval(Integral, 1, 2**31 - 1, closed="both")],
        "C": [Interval(Real, 0.0, None, closed="right")],
        "lam": [Interval(Real, 1e-12, None, closed="both")],
        "loss": [StrOptions({"hinge", "squared_hinge"})],
        "n_neighbors": [Interval(Integral, 1, 2**31 - 1, closed="both")],
        "variant": [StrOptions({"pa", "scw"})],
        "eta": [Interval(Real, 0.5, 1.0, closed="neither")],
        "multi_class": [StrOptions({"crammer_singer", "ovr"})],
        "average": AVERAGE,
    }
    _fixed_params = ("fit_intercept", "n_prototypes", "variant", "multi_class", "average")
    _adjustable_params = (
        *LinearClassifier._adjustable_params,
        "C",
        "lam",
        "loss",
        "n_neighbors",
        "eta",
    )

    _stored_as = {"_state": LocalState}

    coef_ = _Missing(_NO_HYPERPLANE)
    intercept_ = _Missing(_NO_HYPERPLANE)
    sparsify = _Missing("its arrays are always dense")
    densify = _Missing("its arrays are always dense")

    def __init__(
        self,
        n_prototypes=20,
        *,
        C=1.0,
        lam=1.0,
        loss="hinge",
        n_neighbors=1,
        variant="pa",
        eta=0.7,
        multi_class="crammer_singer",
        average=True,
        fit_intercept=True,
        max_iter=1000,
        tol=1e-3,
        early_stopping=False,
        validation_fraction=0.1,
        n_iter_no_change=5,
        shuffle=True,
        verbose=0,
        random_state=None,
        warm_start=False,
        class_weight=None,
    ):
        store_parameters(locals())

    def fit(self, X, y, sample_weight=None):
        """Fit the model from scratch, in up to ``max_iter`` epochs.

        $fit_of_classes

        $fitted_classes
        """
        return _updates.fit(self, X, y, sample_weight)

    def _plan(self):
        if self.variant == "pa":
            rule = {"name": self.loss}
        else:
            name = "soft_confidence" if self.loss == "hinge" else "squared_confidence"
            rule = {"name": name, "phi": float(norm.ppf(self.eta))}
        spec = linear_spec(
            self,
            rule | {"C": float(self.C)},
            covariance=None if self.variant == "pa" else "diag",
            local={
                "n_prototypes": int(self.n_prototypes),
                "n_neighbors": int(self.n_neighbors),
                "lam": float(self.lam),
            },
        )
        return plan_of(self, spec, LocalState)

    # ---------------------------------------------------------------------------- the solution

    @property
    def prototypes_(self):
        """Centers of the regions."""
        vectors, scales = self._found("prototypes", "prototype_scales")
        return vectors * scales[:, np.newaxis]

    @property
    def prototype_counts_(self):
        """Number of samples assigned to each prototype."""
        return self._found("prototype_counts")[0]

    @property
    def common_coef_(self):
        """Weights of the common component."""
        return self._found("coef")[0]

    @property
    def common_intercept_(self):
        """Intercepts of the common component."""
        return self._found("intercept")[0]

    @property
    def local_coef_(self):
        """Weights of the local component of each region."""
        return self._found("local_coef")[0]

    @property
    def local_intercept_(self):
        """Intercepts of the local component of each region."""
        return self._found("local_intercept")[0]

    def _found(self, *names):
        """Return arrays by name, cut to the prototypes that exist."""
        check_is_fitted(self)
        arrays = self._state.named_weights(self._guard)
        n_found = np.count_nonzero(arrays["prototype_counts"])
        found = []
        for name in names:
            array = arrays[name]
            if name.startswith(("local_", "prototype")):
                array = array[:n_found]
            found.append(arrays["feature_map"].expand(array) if name in BY_FEATURE else array)
        return found
