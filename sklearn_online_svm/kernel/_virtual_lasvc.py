"""VirtualLASVC: active learning for imbalanced data with virtual samples (VIRTUAL)."""

from numbers import Integral

import numpy as np
from scipy import sparse

from .._estimator import store_parameters
from .._sklearn_compat import Interval, _fit_context, available_if
from . import _dual_estimator, _svc, _training
from ._active_lasvc import ActiveLASVC
from ._classifier import KernelClassifier
from ._column_kernel import ColumnKernel
from ._docs import with_shared_docs
from ._dual_estimator import DualEstimator
from ._kernel_estimator import can_take_new_samples
from ._plan import is_precomputed
from ._svc import plan_of_classes, without_keywords_of_svc
from ._virtual_pool import VirtualSampleSelection

# Parameters of ActiveLASVC that VirtualLASVC does not have: it runs a single epoch of margin
# sampling, from scratch and without a window, because virtual samples belong to their epoch.
FIXED = ("selection", "max_iter", "warm_start", "window_size")


def refuse_no_points_between(plan, in_stream):
    """Raise ValueError for kernels without values of points between two samples."""
    kernel = plan.params.kernel
    if is_precomputed(kernel):
        raise ValueError(
            "VirtualLASVC generates samples between two samples, but with "
            "kernel='precomputed' X holds kernel values, and the kernel values of a point "
            "between two samples do not lie between theirs. Give the kernel as a function."
        )
    if isinstance(kernel, ColumnKernel) and kernel._has_categories:
        raise ValueError(
            "VirtualLASVC generates samples between two samples, which would have codes of no "
            f"category; got kernel={kernel!r}. Use LASVC, or leave out 'overlap'."
        )


@with_shared_docs
class VirtualLASVC(KernelClassifier, DualEstimator):
    r"""Support vector classifier for rare classes: active selection and virtual samples (VIRTUAL).

    Samples are selected by margin sampling, as with
    :class:`ActiveLASVC`. When a sample of the minority class becomes a
    support vector, synthetic samples between it and its nearest neighbours of the minority class
    in kernel space are added to the pool. The minority class is thus over-sampled near the
    decision boundary and during training, whereas SMOTE over-samples it everywhere and before
    training.

    The neighbours are taken from all samples of the minority class, so VIRTUAL uses the labels of
    all of them, even of those that are not selected for training. It addresses class imbalance,
    not missing labels.

    Read more in the :ref:`user guide <imbalance>`.

    Parameters
    ----------
    C : float, default=1.0
        Regularization parameter, as in :class:`LASVC`.
    kernel : str, ColumnKernel or callable, default="rbf"
        Kernel type to be used in the algorithm, as in :class:`LASVC`. ``"precomputed"`` is not
        available, because it has no values for synthetic samples.
    $degree
    $gamma_as_in_lasvc
    $coef0
    algorithm : {"lasvm", "lasvm-g", "lasvm-nc", "lasvm-i", "lasvm-full"}, default="lasvm"
        Training algorithm, as in :class:`LASVC`.
    minority_class : label, default=None
        The class for which virtual samples are generated. None: the class with the fewest samples,
        in a stream with the fewest samples so far.
    n_neighbors : int, default=5
        Number of nearest neighbours of the minority class; a virtual sample lies between a support
        vector and one of them. In a stream, the neighbours are taken from the current chunk and
        from the support vectors found before.
    n_virtual : int, default=1
        Number of virtual samples for each sample of the minority class that becomes a support
        vector. 0 is active selection without virtual samples.
    pool_size : int or "all", default=59
        Number of samples, real or virtual, drawn at random for each selection; the one closest to
        the decision boundary is used for training.
    max_labels : int, default=None
        Label budget: maximum number of real samples used for training in ``fit``, and in each call
        of ``partial_fit``, as in :class:`ActiveLASVC`. Virtual samples do not count.
    stopping : {"margin", "n_support", "errors"}, default=None
        Criterion to stop before all samples are used, as in :class:`ActiveLASVC`.
    stopping_window : int, default=None
        Number of samples over which the ``stopping`` criterion must be met. None: 5 for
        ``"margin"``, 200 for ``"n_support"`` and ``"errors"``.
    $finishing_and_tolerance
    cache_size : float, default=500
        Size of the kernel cache (in MB).
    class_weight : dict or "balanced", default=None
        Set the parameter C of class i to ``class_weight[i] * C``, as in :class:`LASVC`. A virtual
        sample has the weight of the sample it was generated from.
    shuffle : bool, default=True
        Whether ``fit`` visits the samples in random order.
    n_jobs : int, default=None
        Number of threads, as in :class:`LASVC`.
    random_state : int, RandomState instance or None, default=None
        Seed of the sample order, of the samples drawn for selection, and of the virtual samples.
    verbose : int, default=0
        Verbosity, as in :class:`LASVC`.

    Attributes
    ----------
    minority_class_ : label
        The class for which virtual samples were last generated.
    n_virtual_points_ : int
        Number of virtual samples generated so far.
    virtual_ratio_ : float
        Fraction of the virtual samples that are support vectors; 0.0 if there are none.
    virtual_support_vectors_ : {ndarray, csr_matrix} of shape (n_virtual_SV, n_features)
        Virtual samples that are support vectors.
    support_ : ndarray of shape (n_SV,), dtype=int32
        Indices of the support vectors, as in :class:`LASVC`; -1 for virtual samples.
    n_labels_used_ : int
        Number of real samples used for training.

    Further attributes are those of :class:`ActiveLASVC`.

    See Also
    --------
    ActiveLASVC : Active selection without virtual samples.
    VirtualSampler : Virtual samples for any classifier.

    Notes
    -----
    ``fit`` starts with 5 samples of each class, as that of :class:`ActiveLASVC`. Algorithm 5.1 of
    [1]_: of ``pool_size`` samples drawn from the pool, the one closest to the decision boundary
    is processed (PROCESS, REPROCESS) and removed from the pool. If it is a real sample :math:`x_i`
    of the minority class, and has become a support vector, ``n_virtual`` virtual samples

    .. math:: \lambda x_i + (1 - \lambda) x_m, \quad \lambda \sim U(0, 1)

    are added to the pool, where :math:`x_m` is drawn from the ``n_neighbors`` samples of the
    minority class with the smallest :math:`K_{ii} + K_{mm} - 2 K_{im}`. Virtual samples have the
    upper bound of :math:`|\alpha|` of :math:`x_i`, and do not generate further virtual samples.
    Those that are left at the end of a chunk of a stream are discarded. With more than two
    classes one of them is the minority class, and its one-vs-rest problem determines the support
    vectors.

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
        **{
            name: constraints
            for name, constraints in ActiveLASVC._parameter_constraints.items()
            if name not in FIXED
        },
        "minority_class": "no_validation",
        "n_neighbors": [Interval(Integral, 1, None, closed="left")],
        "n_virtual": [Interval(Integral, 0, None, closed="left")],
    }

    _fixed_params = _svc.FIXED_PARAMS
    _adjustable_params = (
        *(name for name in ActiveLASVC._adjustable_params if name not in FIXED),
        "minority_class",
        "n_neighbors",
        "n_virtual",
    )
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
        stopping_window=None,
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
        store_parameters(locals())

    # ---------------------------------------------------------------------------- attributes

    @property
    def minority_class_(self):
        """The class for which virtual samples are generated."""
        return self.classes_[self._fitted.memory["minority"]]

    @property
    def n_virtual_points_(self):
        """Number of virtual samples generated since ``fit`` was last called."""
        return self._fitted.memory["n_points"]

    @property
    def virtual_ratio_(self):
        """Fraction of the virtual samples that are support vectors."""
        view = self._view()
        n_support = np.count_nonzero(view._solution().row_ids < 0)
        return float(n_support / max(1, view.n_virtual_points_))

    @property
    def virtual_support_vectors_(self):
        """Virtual samples that are support vectors."""
        view = self._view()
        solution = view._solution()
        vectors = solution.vectors()[solution.row_ids < 0]
        is_sparse = view._fitted.is_sparse
        return vectors.toarray() if sparse.issparse(vectors) and not is_sparse else vectors

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
        return plan_of_classes(
            self,
            choice=VirtualSampleSelection,
            refusals=(refuse_no_points_between,),
            max_iter=1,
            selection="active",
            window_size=None,
        )
