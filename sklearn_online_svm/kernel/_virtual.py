"""VIRTUAL: active learning for rare classes, with points made up where they are wanted."""

from numbers import Integral

import numpy as np
from scipy import sparse
from sklearn.utils._param_validation import Interval
from sklearn.utils.validation import check_is_fitted

from .._feature_space import Kernel
from .._persistent import stored_classes
from ._online import OnlineKernelLearner
from ._svc_names import without_keywords_of_svc
from ._virtual_points import VirtualPoints
from ._virtual_pool import VirtualChoice, stacked


class VirtualLASVC(OnlineKernelLearner):
    r"""Support vector classifier for a rare class: active selection and virtual points (VIRTUAL).

    Rows are chosen by their distance to the boundary, as with
    :class:`LASVC(selection="active") <LASVC>`. When a row of the minority has become a support
    vector, points between it and its nearest neighbours of the minority, in kernel space, join the
    rows that wait for their turn. So a rare class is filled up where the boundary is, and while it
    is learnt, not beforehand and everywhere as by SMOTE.

    Neighbours are those of all rows of the minority: VIRTUAL uses their labels, whether they are
    learnt or not. It is a cure for imbalance, not for missing labels.

    Read more in the :ref:`user guide <imbalance>`.

    Parameters
    ----------
    C : float, default=1.0
        Penalty of errors; larger fits the data more closely. The weight
        :math:`|\alpha_i|` of a row is at most C times its class and sample weight.
        ``np.inf``: no row may lie within the margin (hard margin), which only separable classes
        allow; not with ``"lasvm-nc"`` and ``"lasvm-i"``.
    kernel : {"linear", "poly", "rbf", "sigmoid"} or callable, default="rbf"
        As in :class:`LASVC`; not ``"precomputed"``, which has no values for points that are made
        up.
    degree : int, default=3
        Degree of the polynomial kernel.
    gamma : {"scale", "auto"} or float, default="scale"
        Coefficient of the rbf, poly and sigmoid kernels. ``"scale"`` is
        ``1 / (n_features * X.var())``, the variance taken with the sample weights (1.0 when it is
        0), ``"auto"`` is ``1 / n_features``. In a stream it is fixed by the first chunk.
    coef0 : float, default=0.0
        Constant of the poly and sigmoid kernels.
    algorithm : {"lasvm", "lasvm-g", "lasvm-nc", "lasvm-i", "lasvm-full"}, default="lasvm"
        As in :class:`LASVC`.
    minority_class : label, default=None
        The class that has virtual points. None: the one with the fewest rows, in a stream with the
        fewest so far.
    n_neighbors : int, default=5
        Nearest rows of the minority; a virtual point lies between a support vector and one of
        them. In a stream they are those of the chunk and the support vectors of before.
    n_virtual : int, default=1
        Virtual points for each row of the minority that becomes a support vector; 0 is active
        selection alone.
    pool_size : int or "all", default=59
        Rows and virtual points drawn for each decision, of which the one nearest to the boundary
        is learnt.
    max_labels : int, default=None
        Rows learnt in ``fit``, or in each chunk of ``partial_fit``; virtual points do not count.
    stopping : {"margin", "n_support"}, default=None
        When to stop before rows and points are used up, see :class:`LASVC`.
    delta_max : float, default=None
        After each row, repeat REPROCESS until the largest violation among the vectors kept is at
        most this. None: REPROCESS once. Only of ``algorithm="lasvm"``; the others are led by the
        duality gap.
    finishing : bool, default=True
        Whether the passes of ``fit`` are followed by :meth:`finish`, and decisions in the midst of
        a stream come from a solution finished on the side, to ten times ``tol``; what the stream
        learns does not depend on it. The papers' protocol, several online passes and one
        :meth:`finish` at the end, is ``finishing=False``, ``fit`` and ``finish``. ``max_iter=-1``
        always finishes.
    shrinking : bool, default=True
        Whether finishing sets aside vectors at their bound.
    tol : float, default=1e-3
        Largest violation of the optimality conditions that is left alone.
    ramp_s : float, default=-1.0
        Place :math:`s < 1` of the ramp: rows with a margin :math:`y f(x) < s` are outliers to
        ``"lasvm-nc"`` and ``"lasvm-i"``; the other algorithms only count them. Also the threshold
        of :meth:`suspect_labels`.
    cache_size : float, default=500
        Memory for kernel rows, in MB. Too little costs time, never correctness.
    class_weight : dict or "balanced", default=None
        Factors of C per class. A virtual point has the weight of its parent.
    shuffle : bool, default=True
        Whether ``fit`` visits the rows in random order. LASVM relies on random order: switch it
        off only for rows that are shuffled already.
    n_jobs : int, default=None
        Threads for kernel values, for the classes of a multiclass problem and for predictions.
        None means 1 unless in a :obj:`joblib.parallel_backend` context, -1 all cores.
    random_state : int, RandomState instance or None, default=None
        Seeds the order of the rows, the candidates, and the virtual points.
    verbose : int, default=0
        1 prints a line for each pass, and on a terminal how far it is: rows learnt, rows per
        second, vectors kept, time left (a bar where tqdm is installed). 2 shows that also where
        the error output is no terminal.

    Attributes
    ----------
    minority_class_ : label
        The class that had virtual points last.
    n_virtual_points_ : int
        Virtual points made so far.
    virtual_ratio_ : float
        Share of them that are support vectors; 0.0 before the first one.
    virtual_support_vectors_ : {ndarray, csr_matrix} of shape (n_virtual_SV, n_features)
        Those.
    support_ : ndarray of shape (n_SV,), dtype=int32
        As in :class:`LASVC`; -1 for virtual points.
    n_labels_used_ : int
        Real rows learnt.

    Further attributes are those of :class:`LASVC`.

    See Also
    --------
    LASVC : The same without virtual points.
    VirtualSampler : Virtual points for any classifier.

    Notes
    -----
    Algorithm 5.1 of [1]_: of ``pool_size`` drawn from the pool the nearest to the boundary is
    learnt (PROCESS, REPROCESS) and leaves it. If it is a real row :math:`x_i` of the minority, and
    a support vector now, ``n_virtual`` points

    .. math:: \lambda x_i + (1 - \lambda) x_m, \quad \lambda \sim U(0, 1)

    enter the pool, :math:`x_m` drawn from the ``n_neighbors`` rows of the minority with the
    smallest :math:`K_{ii} + K_{mm} - 2 K_{im}`. Virtual points have the upper bound of
    :math:`|\alpha|` of their parent, and no points of their own. Those that are left when a chunk
    of a stream ends are forgotten. With several classes one of them is the minority, and the
    support vectors are those of its problem against the rest.

    References
    ----------
    .. [1] Ertekin: Learning in extreme conditions: online and active learning with massive,
       imbalanced and noisy data. Pennsylvania State University, 2009, chapter 5.

    Examples
    --------
    >>> from sklearn.datasets import make_classification
    >>> from sklearn_online_svm import VirtualLASVC
    >>> X, y = make_classification(1000, weights=[0.95], random_state=0)
    >>> model = VirtualLASVC(C=10, random_state=0).fit(X, y)
    >>> int(model.minority_class_)
    1
    >>> bool(model.n_virtual_points_ > 0 and (model.support_ == -1).any())
    True
    """

    _parameter_constraints: dict = {
        **OnlineKernelLearner._parameter_constraints,
        "minority_class": "no_validation",
        "n_neighbors": [Interval(Integral, 1, None, closed="left")],
        "n_virtual": [Interval(Integral, 0, None, closed="left")],
    }

    _tunable = (*OnlineKernelLearner._tunable, "minority_class", "n_neighbors", "n_virtual")
    _choice = VirtualChoice
    _rule = "active"

    @without_keywords_of_svc
    def __init__(
        self,
        C=1.0,
        *,
        kernel="rbf",
        degree=3,
        gamma="scale",
        coef0=0.0,
        algorithm="lasvm",
        minority_class=None,
        n_neighbors=5,
        n_virtual=1,
        pool_size=59,
        max_labels=None,
        stopping=None,
        delta_max=None,
        finishing=True,
        shrinking=True,
        tol=1e-3,
        ramp_s=-1.0,
        cache_size=500,
        class_weight=None,
        shuffle=True,
        n_jobs=None,
        random_state=None,
        verbose=0,
    ):
        self.C = C
        self.kernel = kernel
        self.degree = degree
        self.gamma = gamma
        self.coef0 = coef0
        self.algorithm = algorithm
        self.minority_class = minority_class
        self.n_neighbors = n_neighbors
        self.n_virtual = n_virtual
        self.pool_size = pool_size
        self.max_labels = max_labels
        self.stopping = stopping
        self.delta_max = delta_max
        self.finishing = finishing
        self.shrinking = shrinking
        self.tol = tol
        self.ramp_s = ramp_s
        self.cache_size = cache_size
        self.class_weight = class_weight
        self.shuffle = shuffle
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose

    # ---------------------------------------------------------------------------- what is seen

    @property
    def minority_class_(self):
        """The class that has virtual points."""
        check_is_fitted(self)
        return self.classes_[self._minority]

    @property
    def virtual_ratio_(self):
        """Share of the virtual points that are support vectors."""
        view, solution = self._shown()
        return float(np.count_nonzero(solution.row_ids < 0) / max(1, view.n_virtual_points_))

    @property
    def virtual_support_vectors_(self):
        """Virtual points that are support vectors."""
        view, solution = self._shown()
        vectors = solution.vectors()[solution.row_ids < 0]
        return vectors.toarray() if sparse.issparse(vectors) and not view._sparse else vectors

    # ---------------------------------------------------------------------------- learning

    def _refuse_kernel(self):
        if self._is_precomputed():
            raise ValueError(
                "VirtualLASVC draws points between rows, but with kernel='precomputed' X holds "
                "kernel values: the point between two rows has others than those between their "
                "kernel values. Give the kernel as a function."
            )

    def _begin_fit(self, X, y, sample_weight):
        self._refuse_kernel()
        X, codes, weights = super()._begin_fit(X, y, sample_weight)
        self._class_rows = np.zeros(len(self.classes_), dtype=np.int64)
        self._minority = self._counted(codes)[1]
        self.n_virtual_points_ = 0
        return X, codes, weights

    def _begin_partial_fit(self, X, y, classes, sample_weight):
        self._refuse_kernel()
        first = "_engine" not in self.__dict__
        rows, new = super()._begin_partial_fit(X, y, classes, sample_weight)
        if first:
            self._class_rows = np.zeros(len(self.classes_), dtype=np.int64)
            self._minority = self._counted(rows[1])[1]
            self.n_virtual_points_ = 0
        self._counted(rows[1])  # or refused, before anything changes
        return rows, new

    def _counted(self, codes):
        """Return the rows of each class, with these, and the code of the minority."""
        rows = self._class_rows + np.bincount(codes, minlength=len(self.classes_))
        if self.minority_class is None:
            return rows, int(np.where(rows > 0, rows, rows.max(initial=0) + 1).argmin())
        found = np.flatnonzero(self.classes_ == self.minority_class)
        if not len(found):
            raise ValueError(
                f"minority_class={self.minority_class!r} is none of the classes "
                f"{self.classes_.tolist()}."
            )
        return rows, int(found[0])

    def _former(self, minority):
        """Return the real support vectors of the minority, in the layout of X; None: none."""
        solution = self._engine.present()
        former = (solution.row_ids >= 0) & (solution.labels == minority)
        if not former.any():
            return None
        vectors = solution.vectors()[former]
        if self._sparse:
            return sparse.csr_matrix(vectors, dtype=self._dtype)
        vectors = vectors.toarray() if sparse.issparse(vectors) else vectors
        return vectors.astype(self._dtype)

    def _points_of(self, X, codes, minority, former):
        """Return what makes points between rows of the minority, those in X and former ones."""
        rows = X[codes == minority]
        if former is not None:
            rows = stacked(rows, former)
        return VirtualPoints(rows, Kernel.of(self, "VirtualLASVC"), self.n_neighbors)

    def _rebuilt(self, state):
        rebuilt = super()._rebuilt(state)
        n_classes = len(stored_classes(state))
        rows = state.array("_class_rows", np.int64, (n_classes,), low=0)
        return rebuilt | {
            "_class_rows": np.array(rows),
            "_minority": state.integer("_minority", 0, n_classes - 1),
            "n_virtual_points_": state.integer("n_virtual_points_"),
        }
