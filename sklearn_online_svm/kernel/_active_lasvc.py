"""ActiveLASVC: LASVC with active selection of the training samples."""

from numbers import Integral

from .._estimator import store_parameters
from .._sklearn_compat import Interval, StrOptions, _fit_context, available_if
from . import _dual_estimator, _svc, _training
from ._analysis import _leave_one_out
from ._choice import SELECTIONS, STOPPINGS, SampleSelection
from ._classifier import KernelClassifier
from ._docs import with_shared_docs
from ._dual_estimator import DualEstimator
from ._kernel_estimator import can_take_new_samples
from ._svc import plan_of_classes, without_keywords_of_svc


@with_shared_docs
class ActiveLASVC(KernelClassifier, DualEstimator):
    r"""Online support vector classifier that selects its training samples (LASVM, active).

    Before each step the current model selects the next training sample; samples that are not
    informative may remain unused. With a label budget (``max_labels``) or a stopping criterion
    (``stopping``), training takes a part of the samples and of the time of :class:`LASVC`, with
    fewer support vectors at a similar error.

    Selection takes place among samples that are passed to ``fit`` or ``partial_fit`` with their
    labels. If labels must be bought one at a time, see :ref:`active_pool`.

    Read more in the :ref:`user guide <sample_selection>`.

    Parameters
    ----------
    C : float, default=1.0
        Regularization parameter, as in :class:`LASVC`.
    selection : {"active", "autoactive", "gradient", "random"}, default="active"
        How the next training sample is selected, among all samples in ``fit`` and within each
        chunk in ``partial_fit``.

        - ``"active"``: margin sampling; of ``pool_size`` samples drawn at random, the one closest
          to the decision boundary, with the smallest :math:`|f(x)|`. Only the labels of selected
          samples are used.
        - ``"autoactive"``: samples are drawn until 5 of them lie within the margin, widened by
          half of the violation that REPROCESS has left, but at most ``2 * pool_size`` of them; the
          one closest to the decision boundary is selected. Selection is close to random at first
          and turns to informative samples later.
        - ``"gradient"``: of ``pool_size`` samples drawn at random, the one with the smallest
          :math:`y f(x)`, that is, the worst classified one. Sensitive to label noise; needs all
          labels.
        - ``"random"``: the next sample in the (shuffled) order, as a baseline.

        With more than two classes the distance is the difference between the two largest decision
        function values, and :math:`y f(x)` is the value of the true class minus the largest value
        of the other classes.
    pool_size : int or "all", default=50
        Number of samples drawn at random for each selection. With 59 samples, one of the best 5 %
        is among them with a probability of 95 %. ``"all"``: every sample that is left.
    max_labels : int, default=None
        Label budget: maximum number of samples used for training in ``fit``, and in each call of
        ``partial_fit``; the others are skipped. The budget of :class:`LabelEfficientClassifier`,
        in contrast, is a total of all calls. Further epochs of ``fit`` run over the samples that
        were used in the first epoch. None: no limit.
    stopping : {"margin", "n_support", "errors"}, default=None
        Criterion to stop an epoch before all samples are used; ``fit`` then continues with
        :meth:`finish`. It applies once each binary problem has support vectors of both classes.

        - ``"margin"``: the last ``stopping_window`` selected samples lay outside the margin of all
          free support vectors, :math:`|f(x)| \ge \max_s |f(x_s)|`, in each binary problem.
          Training does not stop while there are no free support vectors. Requires ``selection``
          ``"active"`` or ``"autoactive"``.
        - ``"n_support"``: during the last ``stopping_window`` samples the number of support
          vectors has grown by less than a tenth of ``stopping_window``.
        - ``"errors"``: less than a tenth of the last ``stopping_window`` samples have become
          support vectors, and at most 1 % of the samples drawn for their selection were
          misclassified, in each class. Uses the labels of all samples drawn; the only criterion
          that notices a part of a class that the selection has not reached. Requires
          ``selection`` other than ``"random"``.
    stopping_window : int, default=None
        Number of samples over which the ``stopping`` criterion must be met. None: 5 for
        ``"margin"``, 200 for ``"n_support"`` and ``"errors"``.
    kernel : str, ColumnKernel or callable, default="rbf"
        Kernel type to be used in the algorithm, as in :class:`LASVC`.
    $degree
    $gamma_as_in_lasvc
    $coef0
    algorithm : {"lasvm", "lasvm-g", "lasvm-nc", "lasvm-i", "lasvm-full"}, default="lasvm"
        Training algorithm, as in :class:`LASVC`.
    max_iter : int or "auto", default="auto"
        Maximum number of epochs in ``fit``, as in :class:`LASVC`; those after the first are over
        the samples whose label has been used. With ``"auto"`` and up to 5000 samples, epochs are
        repeated until one changes nothing, unless that takes more than about half a second.
    $finishing_and_tolerance
    window_size : int, default=None
        Number of samples after which a vector is removed from the support set. None: no limit.
    cache_size : float, default=500
        Size of the kernel cache (in MB).
    class_weight : dict or "balanced", default=None
        Set the parameter C of class i to ``class_weight[i] * C``, as in :class:`LASVC`.
        ``"online_balanced"`` is not available: it counts the samples in their order, which is not
        known in advance.
    shuffle : bool, default=True
        Whether ``fit`` visits the samples in random order, with ``selection="random"``.
    n_jobs : int, default=None
        Number of threads, as in :class:`LASVC`.
    random_state : int, RandomState instance or None, default=None
        Seed of the sample order, and of the samples drawn for each selection.
    verbose : int, default=0
        Verbosity, as in :class:`LASVC`.
    warm_start : bool, default=False
        Whether ``fit`` starts from the current solution, as in :class:`LASVC`.

    Attributes
    ----------
    n_labels_used_ : int
        Number of samples used for training, that is, of labels used (``selection="gradient"`` and
        ``stopping="errors"`` also use the labels of the samples drawn).
    stopped_early_ : bool
        Whether ``stopping`` ended the last ``fit`` or chunk before all samples were used.

    Further attributes are those of :class:`LASVC`.

    See Also
    --------
    LASVC : Training on all samples.
    VirtualLASVC : Active selection with virtual samples of a rare class.
    sklearn_online_svm.active.margin_sampling : Selection from a pool of unlabelled samples.

    Notes
    -----
    ``fit`` starts with 5 samples of each class ([3]_, section 3.3.3), the first ones in the
    (shuffled) order, so that the first model knows every class, however rare; it reads all labels
    to find them, and they count for ``max_labels``. A selected sample is processed (PROCESS,
    REPROCESS) and not selected again in the same epoch ([1]_, section 4). Scoring samples takes
    time: without ``max_labels`` or ``stopping`` an epoch uses all samples and scores each of them
    many times. With two classes of unequal size the selected samples are more balanced than the
    data, because the samples near the boundary are ([2]_, section 3).

    ``stopping="margin"`` and ``"n_support"`` are the criteria of [3]_, section 4.2.3. Samples of a
    class that lie on the wrong side and far from the boundary are selected last, and until then
    both criteria may be met. ``"errors"``, a criterion of this package, estimates the error on the
    remaining samples from the candidates, which are drawn from them at random.

    More than two classes are one-vs-rest.

    References
    ----------
    .. [1] Bordes, Ertekin, Weston, Bottou: Fast kernel classifiers with online and active
       learning. JMLR 6, 2005, section 4 (active selection of training examples).
    .. [2] Ertekin, Huang, Bottou, Giles: Learning on the border: active learning in imbalanced
       data classification. CIKM 2007, section 3 (small pools, early stopping).
    .. [3] Ertekin: Learning in extreme conditions: online and active learning with massive,
       imbalanced and noisy data. Pennsylvania State University, 2009, section 3.3 and chapter 4.

    Examples
    --------
    >>> from sklearn_online_svm import ActiveLASVC
    >>> from sklearn_online_svm.datasets import make_waveform
    >>> X, y = make_waveform(3000, random_state=0)
    >>> model = ActiveLASVC(gamma=0.05, stopping="n_support", random_state=0)
    >>> model = model.fit(X[:2000], y[:2000])
    >>> model.stopped_early_, model.n_labels_used_ < 1500
    (True, True)
    >>> bool(model.score(X[2000:], y[2000:]) > 0.9)
    True
    """

    _parameter_constraints: dict = {
        **_svc.ONLINE_CLASS_CONSTRAINTS,
        "class_weight": [StrOptions({"balanced"}), dict, None],
        "selection": [StrOptions(set(SELECTIONS))],
        "pool_size": [Interval(Integral, 1, None, closed="left"), StrOptions({"all"})],
        "max_labels": [Interval(Integral, 1, None, closed="left"), None],
        "stopping": [StrOptions(set(STOPPINGS)), None],
        "stopping_window": [Interval(Integral, 1, None, closed="left"), None],
    }

    _fixed_params = _svc.FIXED_PARAMS
    _adjustable_params = (
        *_svc.ADJUSTABLE_PARAMS,
        "selection",
        "pool_size",
        "max_labels",
        "stopping",
        "stopping_window",
    )

    leave_one_out_errors = _leave_one_out.leave_one_out_errors
    leave_one_out_decision_function = _leave_one_out.leave_one_out_decision_function
    leave_one_out_estimate_ = _leave_one_out.leave_one_out_estimate_
    _held_out = _leave_one_out.held_out

    set_params = _svc.set_params
    finish, snapshot = _dual_estimator.finish, _dual_estimator.snapshot
    classes_, class_weight_ = _svc.classes_, _svc.class_weight_
    n_admitted_, n_cleaned_, n_skipped_ = _svc.n_admitted_, _svc.n_cleaned_, _svc.n_skipped_
    n_labels_used_, stopped_early_ = _svc.n_labels_used_, _svc.stopped_early_
    _add_classes = _svc.add_classes

    @without_keywords_of_svc
    def __init__(
        self,
        C=1.0,
        *,
        selection="active",
        pool_size=50,
        max_labels=None,
        stopping=None,
        stopping_window=None,
        kernel="rbf",
        degree=3,
        gamma="scale",
        coef0=0.0,
        algorithm="lasvm",
        max_iter="auto",
        delta_max=None,
        finishing=True,
        shrinking=True,
        tol=1e-3,
        ramp_s=-1.0,
        window_size=None,
        cache_size=500,
        class_weight=None,
        shuffle=True,
        n_jobs=None,
        random_state=None,
        verbose=0,
        warm_start=False,
    ):
        store_parameters(locals())

    # ---------------------------------------------------------------------------- training

    @_fit_context(prefer_skip_nested_validation=True)
    def fit(self, X, y, sample_weight=None):
        """Fit the model: reset, shuffle, run the epochs, then optimize over the support set.

        $fit_classes
        """
        return _training.fit(self, X, y, sample_weight)

    @available_if(can_take_new_samples)
    def partial_fit(self, X, y, classes=None, sample_weight=None):
        """Continue training with new samples.

        $partial_fit_classes
        """
        return _training.partial_fit(self, X, y, classes, sample_weight)

    def _plan(self):
        return plan_of_classes(self, choice=SampleSelection)
