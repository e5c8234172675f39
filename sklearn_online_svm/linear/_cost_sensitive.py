"""Cost-sensitive passive-aggressive learning."""

from numbers import Real

import numpy as np
from sklearn.utils._param_validation import Interval, StrOptions

from ._classifier import LinearClassifier
from ._learner import AVERAGE, INTERCEPT_SCALING, average_from, intercept_scalings
from ._method import Method


class CostSensitivePassiveAggressiveClassifier(LinearClassifier):
    r"""Passive-aggressive learning where mistakes differ in price (CSPA, CPA).

    Asks for a larger margin of the rows that are dearer to lose. It maximises a weighted sum of
    sensitivity and specificity, or minimises the cost of the mistakes. Read more in the
    :ref:`user guide <linear>`.

    Parameters
    ----------
    C : float or None, default=None
        The longest step; ``np.inf``: no limit. None: by the row, so that a step moves its margin
        by twice the margin asked for at most; see Notes.
    objective : {"sum", "cost"}, default="sum"
        What :math:`\rho` is made of where ``rho`` is None: the weighted sum of sensitivity and
        specificity is maximised, or the cost is minimised; see Notes.
    rule : {"cost-sensitive", "prediction", "max_loss"}, default="cost-sensitive"
        How :math:`\rho` enters: CSPA, or one of the two rules of CPA; see Notes.
    rho : float or array-like of shape (n_classes, n_classes), default=None
        How much dearer a lost positive row is than a false alarm. An array has in ``rho[y, r]``
        the cost of saying class r for class y, 0 for r = y; for more than two classes it needs
        ``multi_class="crammer_singer"``. None: by ``objective``.
    eta_p : float, default=0.5
        Weight :math:`\eta_p` of the sensitivity, in (0, 1); the specificity has
        :math:`\eta_n = 1 - \eta_p`. Only with ``objective="sum"``.
    cost_p, cost_n : float, default=None
        Cost of a lost positive row, and of a false alarm; both or none. None: by the counts of the
        classes, so that the rare class is the dear one. Only with ``objective="cost"``.
    pos_label : label, default=None
        The positive one of two classes. None: 1 (or True); if that is none of the two, ``fit``
        raises an error, unless both classes are treated alike (see Notes). Has no meaning with
        more classes.
    average : bool or int, default=True
        Whether the model predicts with the mean of the weights after each row, which wavers far
        less. An integer n > 1: the mean begins with row n. Costs a second array of the size of the
        weights. A :class:`LabelEfficientClassifier` is quicker with False.
    multi_class : {"ovr", "crammer_singer"}, default="ovr"
        With more than two classes: each class against the rest, or all classes together; see
        Notes.
    fit_intercept : bool, default=True
        Whether every row has one feature more, a constant, which makes the intercept.
    intercept_scaling : float or "auto", default="auto"
        This constant, s: the smaller, the slower the intercept is learnt. "auto" is 1 for dense
        rows and 0.1 for sparse ones; see Notes.
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
        Whether ``fit`` goes on from what has been learnt before; rows are counted anew.
    class_weight : dict, "balanced" or None, default=None
        Weight of each class; the weight of a row is that of its class times its ``sample_weight``.
        See Notes for what a weight does. ``"balanced"`` (``fit`` only) is
        ``n / (n_classes * n_c)``, counted in sample weights. Classes not in the dict weigh 1.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        Class labels.
    coef_ : ndarray of shape (1, n_features) or (n_classes, n_features)
        Weights of the features, float32 or float64 as the rows are; with ``average`` their mean. A
        sparse matrix after ``sparsify``.
    intercept_ : ndarray of shape (1,) or (n_classes,)
        Intercept of each decision function; 0 without ``fit_intercept``.
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
    PassiveAggressiveClassifier : All mistakes cost the same.
    sklearn_online_svm.evaluation.sensitivity_specificity_score : Score of ``objective="sum"``.
    sklearn_online_svm.evaluation.misclassification_cost : Score of ``objective="cost"``.

    Notes
    -----
    **Rule "cost-sensitive"** (CSPA; [2]_, section 5). The margin asked for is :math:`\rho` of a
    positive row, and 1 of another one. With :math:`\rho_y` for the two,

    .. math::

        \ell = \max(0,\; \rho_y - y\, w^\top x), \qquad
        \tau = \min\Bigl(C, \frac{\ell}{\lVert x \rVert^2}\Bigr), \qquad
        w \leftarrow w + \tau y x .

    (The paper scales rows to :math:`\lVert x \rVert = 1`.) What stands for :math:`\rho`:

    - ``objective="sum"``: :math:`\rho = \frac{\eta_p T_n}{\eta_n T_p}`, :math:`T_p` and
      :math:`T_n` the positive rows and the others;
    - ``objective="cost"``: :math:`\rho = c_p / c_n`; without costs :math:`c_p = T_n / T` and
      :math:`c_n = T_p / T`, so :math:`\rho = T_n / T_p`;
    - a number: itself.

    :math:`T_p` and :math:`T_n` are running counts: of the rows learnt so far, the present one
    included, and 1 more of each. In a :class:`LabelEfficientClassifier` only rows whose label was
    bought are counted.

    **Rule "prediction"** (CPA; [3]_, section 8) learns from mistakes only
    (:math:`y\, w^\top x \le 0`), and has :math:`\sqrt{\rho_y}` in place of :math:`\rho_y`. **Rule
    "max_loss"** has :math:`\sqrt{\rho_y}`, too, and learns from every row within this margin.

    **More than two classes.** "ovr": each class in turn is the positive one. "crammer_singer", of
    "prediction" and "max_loss" only ([3]_): with :math:`\rho(y, r)` the cost of saying r for y,

    .. math::

        \ell = \sqrt{\rho(y, r)} + w_r^\top x - w_y^\top x, \qquad
        \tau = \min\Bigl(C, \frac{\ell}{2 \lVert x \rVert^2}\Bigr), \qquad
        w_y \leftarrow w_y + \tau x, \quad w_r \leftarrow w_r - \tau x,

    where r is the best of the other classes, on mistakes only ("prediction"), or the one with the
    largest :math:`\ell` ("max_loss").

    **The positive class** has to be known (``pos_label``) where sensitivity and specificity, or
    the two kinds of mistakes, weigh differently. It need not be where they weigh the same
    (``eta_p=0.5``; no costs or equal ones; ``rho=1``), nor where ``rho`` is a matrix. Margins are
    then in the same proportion whichever class is called positive; ``classes_[1]`` is, if neither
    is 1 and ``pos_label`` is None.

    **The longest step.** With the same C for all rows, as in the papers, the force of a rare class
    is bounded by its number: where classes overlap it is outvoted, whatever margin is asked for.
    ``C=None`` is :math:`C = 2 \rho_y / \lVert x \rVert^2` (the margin asked for in place of
    :math:`\rho_y`, :math:`2 \lVert x \rVert^2` in "crammer_singer"): a dear row steps as far as
    :math:`\rho` others do, a row that is farther on the wrong side than it should be on the right
    one is met half-way, and the scale of the rows does not matter. With a number, the theorems of
    [1]_ ask for C of at least :math:`\rho`, and the experiments of [2]_ take :math:`C = \rho`.

    **Weights** of rows and classes multiply C. They change how long a step may be; :math:`\rho`
    changes the margin that is asked for.

    **Intercept.** The row is :math:`(x, s)` with s = ``intercept_scaling``, and the intercept is
    :math:`b = s v`, v the weight of the constant: as in :class:`PassiveAggressiveClassifier`.

    References
    ----------
    .. [1] J. Wang, P. Zhao, S. C. H. Hoi: Cost-sensitive online classification. IEEE Transactions
       on Knowledge and Data Engineering 26, 2014.
    .. [2] J. Lu, P. Zhao, S. C. H. Hoi: Online passive-aggressive active learning. Machine
       Learning 103, 2016.
    .. [3] K. Crammer, O. Dekel, J. Keshet, S. Shalev-Shwartz, Y. Singer: Online passive-aggressive
       algorithms. JMLR 7, 2006.

    Examples
    --------
    Of 33 rows one is positive; the counts are not known beforehand:

    >>> from sklearn_online_svm import (
    ...     CostSensitivePassiveAggressiveClassifier,
    ...     PassiveAggressiveClassifier,
    ... )
    >>> from sklearn_online_svm.datasets import make_waveform
    >>> from sklearn_online_svm.evaluation import progressive_validation
    >>> X, y = make_waveform(3300, imbalance_ratio=32, random_state=0)
    >>> even = progressive_validation(PassiveAggressiveClassifier(), X, y)
    >>> uneven = progressive_validation(CostSensitivePassiveAggressiveClassifier(), X, y)
    >>> bool(uneven.weighted_sum()[-1] > even.weighted_sum()[-1] + 0.05)
    True
    """

    _parameter_constraints: dict = {
        **LinearClassifier._parameter_constraints,
        "intercept_scaling": INTERCEPT_SCALING,
        "C": [Interval(Real, 0.0, None, closed="right"), None],
        "objective": [StrOptions({"sum", "cost"})],
        "rule": [StrOptions({"cost-sensitive", "prediction", "max_loss"})],
        "rho": [Interval(Real, 0.0, None, closed="neither"), "array-like", None],
        "eta_p": [Interval(Real, 0.0, 1.0, closed="neither")],
        "cost_p": [Interval(Real, 0.0, None, closed="neither"), None],
        "cost_n": [Interval(Real, 0.0, None, closed="neither"), None],
        "pos_label": "no_validation",
        "average": AVERAGE,
        "multi_class": [StrOptions({"ovr", "crammer_singer"})],
    }
    _fixed = ("fit_intercept", "average", "multi_class")
    _tunable = (
        *LinearClassifier._tunable,
        "C",
        "objective",
        "rule",
        "rho",
        "eta_p",
        "cost_p",
        "cost_n",
        "pos_label",
        "intercept_scaling",
    )

    def __init__(
        self,
        *,
        C=None,
        objective="sum",
        rule="cost-sensitive",
        rho=None,
        eta_p=0.5,
        cost_p=None,
        cost_n=None,
        pos_label=None,
        average=True,
        multi_class="ovr",
        fit_intercept=True,
        intercept_scaling="auto",
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
        self.C = C
        self.objective = objective
        self.rule = rule
        self.rho = rho
        self.eta_p = eta_p
        self.cost_p = cost_p
        self.cost_n = cost_n
        self.pos_label = pos_label
        self.average = average
        self.multi_class = multi_class
        self.intercept_scaling = intercept_scaling

    def _method(self):
        return Method(
            rule={
                "name": "prediction" if self.rule == "prediction" else "hinge",
                "C": 2.0 if self.C is None else float(self.C),
            },
            demands={"relative": self.C is None, **self._demands()},
            fit_intercept=bool(self.fit_intercept),
            intercept_scaling=intercept_scalings(self.intercept_scaling),
            crammer_singer=self.multi_class == "crammer_singer" and len(self.classes_) > 2,
            average_from=average_from(self.average),
        )

    def _present_parameters(self):
        values = super()._present_parameters()
        return tuple(v.tolist() if isinstance(v, np.ndarray) else v for v in values)

    def _demands(self):
        """Return the margins that rows are to have."""
        root = self.rule != "cost-sensitive"
        if len(self.classes_) > 2 and self.multi_class == "crammer_singer":
            if not root:
                raise ValueError(
                    "multi_class='crammer_singer' is for rule='prediction' and rule='max_loss'; "
                    "got rule='cost-sensitive', which is one class against the rest."
                )
            return {
                "pairs": np.sqrt(self._costs_of_pairs()),
                "max_loss": self.rule == "max_loss",
            }
        first = self._positive_is_first(alike=self._treats_classes_alike())
        demands = {"sign": -1.0 if first else 1.0, "root": root, "counted": True}
        rho = self._fixed_rho(first)
        if rho is None:
            weighted = self.objective == "sum"
            demands["running"] = True
            demands["eta_ratio"] = self.eta_p / (1.0 - self.eta_p) if weighted else 1.0
            return demands
        # `negative` and `positive` are the margins of other rows and of positive rows.
        rho_n, rho_p = rho
        demands["positive"] = np.sqrt(rho_p) if root else rho_p
        demands["negative"] = np.sqrt(rho_n) if root else rho_n
        return demands

    def _treats_classes_alike(self):
        """Whether what is aimed at is the same, whichever class is called positive."""
        if self.rho is not None:
            # A matrix says for itself which class costs what.
            return np.ndim(self.rho) > 0 or self.rho == 1.0
        if self.objective == "sum":
            return self.eta_p == 0.5
        return None in (self.cost_p, self.cost_n) or self.cost_p == self.cost_n

    def _fixed_rho(self, first):
        """Return what negative and positive rows cost, or None: by running counts."""
        if self.rho is not None:
            rho = self._rho()
            if rho.ndim == 0:
                return 1.0, float(rho)
            if len(self.classes_) > 2:
                raise ValueError(
                    "a matrix of costs, rho, needs multi_class='crammer_singer' where there are "
                    f"more than two classes; got multi_class={self.multi_class!r}."
                )
            rho = self._costs_of_pairs()
            return (rho[1, 0], rho[0, 1]) if first else (rho[0, 1], rho[1, 0])
        if self.objective == "cost" and (self.cost_p is not None or self.cost_n is not None):
            if self.cost_p is None or self.cost_n is None:
                raise ValueError(
                    "cost_p and cost_n must be given both, or none; got "
                    f"cost_p={self.cost_p!r}, cost_n={self.cost_n!r}."
                )
            return 1.0, self.cost_p / self.cost_n
        return None

    def _rho(self):
        try:
            return np.asarray(self.rho, dtype=np.float64)
        except OverflowError:
            raise ValueError(f"rho holds an integer beyond every float: {self.rho!r}.") from None

    def _costs_of_pairs(self):
        """rho[y, r], the cost of saying r for y."""
        n_classes = len(self.classes_)
        if self.rho is None:
            return 1.0 - np.eye(n_classes)
        rho = self._rho()
        if rho.ndim == 0:
            return float(rho) * (1.0 - np.eye(n_classes))
        if rho.shape != (n_classes, n_classes):
            raise ValueError(
                f"rho must be a number or have shape {(n_classes, n_classes)}, got {rho.shape}."
            )
        others = rho[~np.eye(n_classes, dtype=bool)]
        if not (np.isfinite(rho).all() and (others > 0).all() and not np.diag(rho).any()):
            raise ValueError(
                "rho, a matrix of costs, must be 0 on its diagonal and positive elsewhere."
            )
        return rho
