"""Local online learning: a hyperplane for each region of the rows, with a component in common."""

from numbers import Integral, Real

import numpy as np
from scipy import sparse
from scipy.stats import norm
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.validation import check_is_fitted

from .._contract import NotOffered
from .._rows import arrays_of
from ._classifier import LinearClassifier
from ._learner import AVERAGE, average_from
from ._method import Method
from ._state import BY_FEATURE

_NO_HYPERPLANE = (
    "each region has a hyperplane of its own; see common_coef_, common_intercept_, local_coef_ "
    "and local_intercept_"
)
_NOT_THIN = "its arrays are always dense"


class LocalOnlineClassifier(LinearClassifier):
    r"""Local online learning (LOL): linear where you are, not linear as a whole, at linear speed.

    Prototypes, which follow the rows by online k-means, divide the space into regions. Each region
    has a hyperplane, which is a component that all have in common plus one of its own; both learn
    from every row, by a passive-aggressive step. No row is kept, and no kernel is needed. Read
    more in the :ref:`user guide <local>`.

    Parameters
    ----------
    n_prototypes : int, default=20
        Regions. The first so many distinct rows are the prototypes at first. Time for a row and
        memory grow with them, and so does the number of rows that it takes to learn all
        hyperplanes.
    C : float, default=1.0
        Aggressiveness: the longest step (``loss="hinge"``), or how much a step is worth
        (``"squared_hinge"``). Small values for noisy rows. ``np.inf`` is the hard margin.
    lam : float, default=1.0
        How firm the common component is: it moves 1 / lam times as far as that of the region. With
        ``np.inf`` it stays 0, and the hyperplanes learn each by itself; near 0 they are all alike.
    loss : {"hinge", "squared_hinge"}, default="hinge"
        "hinge" is as in PA-I (SCW-I), "squared_hinge" as in PA-II (SCW-II).
    n_neighbors : int, default=1
        How many of the nearest prototypes have a say, each by the inverse of its distance. With
        more than one the boundary has no jumps where regions meet; a row costs as much more.
    variant : {"pa", "scw"}, default="pa"
        The step: passive-aggressive as in the paper, or soft confidence-weighted, which keeps a
        variance of each weight.
    eta : float, default=0.7
        How sure the model is to be of each row it has learnt: a probability, above 0.5 and below
        1. Only with ``variant="scw"``.
    multi_class : {"crammer_singer", "ovr"}, default="crammer_singer"
        With more than two classes: all classes together, or each against the rest; see Notes.
    average : bool or int, default=True
        Whether the model predicts with the mean of the weights after each row, which wavers far
        less; the paper has the newest ones. An integer n > 1: the mean begins with row n. Costs a
        second array of the size of the weights.
    fit_intercept : bool, default=True
        Whether 1 is one more feature of every row; its weights are the intercepts. It plays no
        part in distances.
    max_iter : int, default=1000
        Passes of ``fit``, at most. ``partial_fit`` always makes one.
    tol : float or None, default=1e-3
        A pass of ``fit`` is a gain if its loss per row is lower than the lowest so far by at least
        ``tol`` (with ``early_stopping``: its score higher by ``tol``). After ``n_iter_no_change``
        passes in a row without a gain ``fit`` stops. None: it makes ``max_iter`` passes.
    early_stopping : bool, default=False
        Whether ``fit`` holds out a stratified part of the rows and stops by the accuracy there.
    validation_fraction : float, default=0.1
        Part of the rows that is held out; only with ``early_stopping``.
    n_iter_no_change : int, default=5
        Passes without a gain after which ``fit`` stops.
    shuffle : bool, default=True
        Whether ``fit`` visits the rows in a new random order in each pass. ``partial_fit`` never
        shuffles.
    verbose : int, default=0
        1 prints a line for each pass.
    n_jobs : int or None, default=None
        Has no effect: one thread takes all classes through the same pass over the rows. It is
        there for programs written for scikit-learn.
    random_state : int, RandomState instance or None, default=None
        Seeds the order of the rows, and which of them are held out.
    warm_start : bool, default=False
        Whether ``fit`` goes on from what has been learnt before; rows are counted anew, but not
        those that prototypes have followed.
    class_weight : dict, "balanced" or None, default=None
        Weight of each class; the weight of a row is that of its class times its ``sample_weight``.
        See Notes for what a weight does. ``"balanced"`` (``fit`` only) is
        ``n / (n_classes * n_c)``, counted in sample weights. Classes not in the dict weigh 1.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        Class labels.
    prototypes_ : ndarray of shape (n_found, n_features)
        Centres of the regions: n_prototypes of them, or fewer where there were fewer distinct
        rows.
    prototype_counts_ : ndarray of shape (n_found,)
        Rows that each prototype has followed; it is their mean.
    common_coef_ : ndarray of shape (n_problems, n_features)
        Weights that all regions have in common; with ``average`` their mean, as of those below.
        n_problems is 1 for two classes, else n_classes.
    common_intercept_ : ndarray of shape (n_problems,)
        The same for the intercepts.
    local_coef_ : ndarray of shape (n_found, n_problems, n_features)
        What each region adds to them.
    local_intercept_ : ndarray of shape (n_found, n_problems)
        The same for the intercepts.
    n_iter_ : int
        Passes made by ``fit``; 1 after ``partial_fit``.
    t_ : float
        1 + the number of rows learnt from since ``fit`` began, in all passes.
    n_updates_ : int
        Rows that changed the weights since ``fit`` began, in all passes.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of shape (n_features,)
        Names of the features, when X has string column names.

    See Also
    --------
    PassiveAggressiveClassifier : A single hyperplane.
    LASVC : Keeps support vectors, for boundaries of any form.

    Notes
    -----
    **Decision** [1]_. The prototype :math:`c_k` nearest to x has the say:
    :math:`f(x) = (u + v_k)^\top x`, u the common component and :math:`v_k` that of the region.

    **Step.** A row (x, y) asks for

    .. math::

        \min_{u', v'_k} \; \tfrac{\lambda}{2} \lVert u' - u \rVert^2
        + \tfrac{1}{2} \lVert v'_k - v_k \rVert^2
        + C \max\bigl(0,\, 1 - y\, (u' + v'_k)^\top x\bigr),

    with :math:`C \max(\cdot)^2` for ``loss="squared_hinge"``. With :math:`\ell` for the loss
    before the step and :math:`q = (1 / \lambda + 1) \lVert x \rVert^2`, the solution is

    .. math::

        u \leftarrow u + \frac{\tau}{\lambda}\, y x, \qquad v_k \leftarrow v_k + \tau y x, \qquad
        \tau = \min\Bigl(C, \frac{\ell}{q}\Bigr) \;\text{or}\; \frac{\ell}{q + 1 / (2C)} .

    It is the passive-aggressive step of one vector :math:`(\sqrt\lambda u, v_1, v_2, \ldots)` on
    one row :math:`(x / \sqrt\lambda, 0, \ldots, x, \ldots, 0)`. With one prototype it is PA-I with
    :math:`C (1 + 1/\lambda)` for C. The text of [1]_ that we have ends before its algorithm; the
    model is the paper's, the step our derivation from it.

    **Prototypes.** The first distinct rows are the prototypes. Each later row is predicted,
    learnt, and then moves the nearest one: :math:`c_k \leftarrow c_k + (x - c_k) / n_k`, so that
    it is the mean of the :math:`n_k` rows that it has followed. Features should have comparable
    scales, or the largest alone makes the regions.

    **Several neighbours.** The m nearest prototypes count :math:`a_k \propto 1 / \lVert x - c_k
    \rVert`, :math:`\sum a_k = 1`: then :math:`f(x) = (u + \sum a_k v_k)^\top x`,
    :math:`q = (1 / \lambda + \sum a_k^2) \lVert x \rVert^2` and
    :math:`v_k \leftarrow v_k + \tau a_k y x`. Only the nearest prototype moves.

    **variant="scw"** is the step of :class:`SCWClassifier` on the same long row, with a diagonal
    covariance; so a region that is seldom visited moves further than the others.

    **More than two classes.** With "crammer_singer" the margin of a row is that of its class over
    the best of the others, 2 q stands for q, and the step is made on these two. "ovr" learns each
    class against the rest. All classes have the same prototypes.

    **Weights** of rows and classes multiply C, never the finished step, and have no influence on
    the prototypes. Rows of weight 0 are passed over.

    References
    ----------
    .. [1] Z. Zhou, W.-S. Zheng, J.-F. Hu, Y. Xu, J. You: One-pass online learning: A local
       approach. Pattern Recognition 51, 2016.

    Examples
    --------
    Two moons, which no single hyperplane parts:

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
    _fixed = ("fit_intercept", "n_prototypes", "variant", "multi_class", "average")
    _tunable = (*LinearClassifier._tunable, "C", "lam", "loss", "n_neighbors", "eta")

    coef_ = NotOffered(_NO_HYPERPLANE)
    intercept_ = NotOffered(_NO_HYPERPLANE)
    sparsify = NotOffered(_NOT_THIN)
    densify = NotOffered(_NOT_THIN)

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
        n_jobs=None,
        random_state=None,
        warm_start=False,
        class_weight=None,
    ):
        super().__init__(
            fit_intercept=fit_intercept,
            max_iter=max_iter,
            tol=tol,
            early_stopping=early_stopping,
            validation_fraction=validation_fraction,
            n_iter_no_change=n_iter_no_change,
            shuffle=shuffle,
            verbose=verbose,
            n_jobs=n_jobs,
            random_state=random_state,
            warm_start=warm_start,
            class_weight=class_weight,
        )
        self.n_prototypes = n_prototypes
        self.C = C
        self.lam = lam
        self.loss = loss
        self.n_neighbors = n_neighbors
        self.variant = variant
        self.eta = eta
        self.multi_class = multi_class
        self.average = average

    def fit(self, X, y, sample_weight=None):
        """Forget what was learnt, and learn in up to ``max_iter`` passes.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Rows; float32 and float64 are learnt from as they are.
        y : array-like of shape (n_samples,)
            Class labels.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights of the rows; see Notes for what a weight means. Rows of weight 0 are passed
            over.

        Returns
        -------
        self : object
            The fitted model.

        Raises
        ------
        ValueError
            If the input is invalid or has fewer than two classes. The model is then what it was
            before.
        """
        self._validate_params()
        return self._fit_or_restore(X, y, sample_weight, None, None)

    def _method(self):
        if self.variant == "pa":
            rule = {"name": self.loss}
        else:
            name = "soft_confidence" if self.loss == "hinge" else "squared_confidence"
            rule = {"name": name, "phi": float(norm.ppf(self.eta))}
        return Method(
            rule=rule | {"C": float(self.C)},
            fit_intercept=bool(self.fit_intercept),
            covariance=None if self.variant == "pa" else "diag",
            crammer_singer=self.multi_class == "crammer_singer",
            average_from=average_from(self.average),
            local={
                "n_prototypes": int(self.n_prototypes),
                "n_neighbors": int(self.n_neighbors),
                "lam": float(self.lam),
            },
        )

    # ---------------------------------------------------------------------------- predicting

    def _scores(self, X):
        state = self._state
        arrays = state.look_around(self._guard)
        X = arrays["columns"].rows(X, arrays["coef"].shape[1])
        scores = X @ arrays["coef"].T + arrays["intercept"]
        centres = state.centres(arrays, sparse.issparse(X))
        with np.errstate(over="ignore"):  # the decision values tell
            rows = X.astype(state.dtype, copy=False)
        near, shares = centres.near_rows(arrays_of(rows))
        local_coef, local_intercept = arrays["local_coef"], arrays["local_intercept"]
        for k in np.unique(near[near >= 0]):
            rows, places = np.nonzero(near == k)
            local = X[rows] @ local_coef[k].T + local_intercept[k]
            scores[rows] += shares[rows, places, np.newaxis] * local
        return scores

    # ---------------------------------------------------------------------------- the solution

    @property
    def prototypes_(self):
        """Centres of the regions."""
        vectors, scales = self._found("prototypes", "prototype_scales")
        return vectors * scales[:, np.newaxis]

    @property
    def prototype_counts_(self):
        """Rows that each prototype has followed."""
        return self._found("prototype_counts")[0]

    @property
    def common_coef_(self):
        """Weights that all regions have in common."""
        return self._found("coef")[0]

    @property
    def common_intercept_(self):
        """Intercepts that all regions have in common."""
        return self._found("intercept")[0]

    @property
    def local_coef_(self):
        """What each region adds to the weights."""
        return self._found("local_coef")[0]

    @property
    def local_intercept_(self):
        """What each region adds to the intercepts."""
        return self._found("local_intercept")[0]

    def _found(self, *names):
        """Return arrays; of those with an axis of prototypes the ones that there are."""
        check_is_fitted(self)
        arrays = self._state.look_around(self._guard)
        n_found = np.count_nonzero(arrays["prototype_counts"])
        found = []
        for name in names:
            array = arrays[name]
            if name.startswith(("local_", "prototype")):
                array = array[:n_found]
            found.append(arrays["columns"].spread(array) if name in BY_FEATURE else array)
        return found
