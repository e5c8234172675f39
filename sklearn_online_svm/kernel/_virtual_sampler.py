"""VirtualSampler: over-sampling with VIRTUAL for any classifier, based on imbalanced-learn."""

from numbers import Integral

import numpy as np
from scipy import sparse
from sklearn import config_context
from sklearn.base import clone
from sklearn.utils import check_array, check_random_state

from .._docs import with_shared_docs
from .._estimator import seeded
from .._feature_space import Kernel, split_model
from .._sklearn_compat import HasMethods, Interval
from ._lasvc import LASVC
from ._virtual_points import VirtualPoints

try:
    from imblearn.over_sampling.base import BaseOverSampler
except ImportError as error:
    raise ImportError(
        "VirtualSampler needs imbalanced-learn: "
        "pip install 'sklearn-online-svm[imbalance]', or pip install imbalanced-learn."
    ) from error


@with_shared_docs
class VirtualSampler(BaseOverSampler):
    r"""Over-sample rare classes next to their support vectors (VIRTUAL).

    A support vector machine is fitted on all samples. For a rare class, synthetic samples are
    generated next to its support vectors, as only these determine the decision boundary: points

    .. math:: \lambda x_i + (1 - \lambda) x_m, \qquad \lambda \sim U(0, 1),

    between a support vector :math:`x_i` and one of its nearest neighbours :math:`x_m` of the same
    class, which need not be a support vector. Neighbours are those with the smallest distance in
    kernel space, :math:`K_{ii} + K_{mm} - 2 K_{im}`. In contrast to
    ``imblearn.over_sampling.SVMSMOTE``, points are never extrapolated beyond the samples of the
    class.

    The labels of all samples are used: the method addresses class imbalance, not missing labels.

    Read more in the :ref:`User Guide <imbalance>`.

    Parameters
    ----------
    sampling_strategy : float, str, dict or callable, default="auto"
        Number of samples to generate for each class, as in the other over-samplers of
        imbalanced-learn:

        - ``"auto"`` or ``"not majority"``: resample all classes but the majority class until each
          has as many samples as the majority class; ``"minority"``: resample only the minority
          class; ``"not minority"`` and ``"all"`` likewise;
        - float: desired ratio of the number of samples in the minority class over the number of
          samples in the majority class after resampling; for binary classification only;
        - dict: maps each class to its desired number of samples after resampling;
        - callable: function of y that returns such a dict.

        The points are distributed evenly among the support vectors of the class; the support
        vectors that get one more than the others are drawn at random.
    n_neighbors : int, default=5
        Number of nearest neighbours in the class from which the other end of the segment is
        drawn. The class must have at least ``n_neighbors + 1`` samples.
    n_virtual : int, default=None
        Maximum number of points for each support vector, which takes precedence over
        ``sampling_strategy``. VIRTUAL uses 1. None: no limit.
    estimator : classifier, default=None
        Support vector machine that determines the support vectors. It must have ``fit``,
        ``support_`` and a kernel other than ``"precomputed"``, such as :class:`LASVC`,
        :class:`RampSVC` or :class:`sklearn.svm.SVC`; pipelines and searches around one are
        allowed. None: ``LASVC()``. If its ``random_state`` is None, it is set.
    random_state : int, RandomState instance or None, default=None
        Seed of the choice of support vectors, of their neighbours, and of the positions between
        them.

    Attributes
    ----------
    sampling_strategy_ : dict
        Maps each class to the number of points that ``sampling_strategy`` requires.
    estimator_ : classifier
        Support vector machine fitted on all samples.
    ends_ : ndarray of shape (n_points, 2)
        Indices into X of the two samples between which each new point lies: the support vector
        and its neighbour.
    $features

    See Also
    --------
    imblearn.over_sampling.SVMSMOTE : Also extrapolates where samples of other classes are few.
    imblearn.over_sampling.SMOTE : Over-samples next to all samples of the class.

    Notes
    -----
    ``fit_resample`` returns the samples of X unchanged, followed by the new points. Sparse input
    gives sparse output. Since points are interpolated, integer input, including integer columns
    of a data frame, is returned as floats.

    Requires imbalanced-learn (``pip install sklearn-online-svm[imbalance]``).

    References
    ----------
    .. [1] S. Ertekin. Learning in Extreme Conditions: Online and Active Learning with Massive,
       Imbalanced and Noisy Data. PhD thesis, The Pennsylvania State University, 2009, chapter 5.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_online_svm import VirtualSampler
    >>> from sklearn_online_svm.datasets import make_waveform
    >>> X, y = make_waveform(1650, imbalance_ratio=32, random_state=0)
    >>> np.bincount(y == 1)
    array([1600,   50])
    >>> X_more, y_more = VirtualSampler(random_state=0).fit_resample(X, y)
    >>> np.bincount(y_more == 1)
    array([1600, 1600])
    """

    _parameter_constraints: dict = {
        **BaseOverSampler._parameter_constraints,
        "n_neighbors": [Interval(Integral, 1, None, closed="left")],
        "n_virtual": [Interval(Integral, 1, None, closed="left"), None],
        "estimator": [HasMethods(["fit"]), None],
    }

    def __init__(
        self,
        sampling_strategy="auto",
        *,
        n_neighbors=5,
        n_virtual=None,
        estimator=None,
        random_state=None,
    ):
        super().__init__(sampling_strategy=sampling_strategy)
        self.n_neighbors = n_neighbors
        self.n_virtual = n_virtual
        self.estimator = estimator
        self.random_state = random_state

    def fit_resample(self, X, y, **params):
        """Resample the dataset: append virtual points to X and y.

        Parameters
        ----------
        X : {array-like, dataframe, sparse matrix} of shape (n_samples, n_features)
            Samples.
        y : array-like of shape (n_samples,)
            Class labels of all samples.
        **params : dict
            Not used.

        Returns
        -------
        X_resampled : {array-like, dataframe, sparse matrix} of shape (n_samples_new, n_features)
            The samples of X, followed by the new points.
        y_resampled : array-like of shape (n_samples_new,)
            Labels of ``X_resampled``.

        Raises
        ------
        ValueError
            If a parameter is invalid, a class has no more than ``n_neighbors`` samples, no sample
            of a class is a support vector, or the kernel is ``"precomputed"``.
        TypeError
            If the estimator has no ``support_``.
        """
        return super().fit_resample(_with_fractions(X), y, **params)

    def _fit_resample(self, X, y):
        rows = X.tocsr() if sparse.issparse(X) else X
        if rows.dtype not in (np.float64, np.float32):
            rows = rows.astype(np.float64)
        wanted = {label: n for label, n in self.sampling_strategy_.items() if n > 0}
        for label in wanted:
            self._refuse_few(label, np.count_nonzero(y == label))
        random = check_random_state(self.random_state)
        self.estimator_ = self._fitted(rows, y, random)
        transformers, machine = split_model(self.estimator_)
        kernel = Kernel.from_classifier(machine, "VirtualSampler")
        seen = rows
        for transformer in transformers:
            seen = transformer.transform(seen)
        # Transformers may return data frames, and other sparse formats.
        seen = check_array(seen, accept_sparse="csr", dtype=[np.float64, np.float32])

        points, labels, ends = [rows], [y], [np.empty((0, 2), dtype=np.intp)]
        for label, n in wanted.items():
            of_class = np.flatnonzero(y == label)
            parents = self._parents(label, of_class, machine.support_, n, random)
            virtual = VirtualPoints(rows[of_class], kernel, self.n_neighbors, seen[of_class])
            drawn, others = virtual.draw(parents, random)
            points.append(drawn)
            labels.append(np.full(len(parents), label, dtype=y.dtype))
            ends.append(of_class[np.column_stack([parents, others])])
        self.ends_ = np.concatenate(ends)
        if sparse.issparse(X):
            return sparse.vstack(points, format=X.format), np.concatenate(labels)
        return np.concatenate(points), np.concatenate(labels)

    def _refuse_few(self, label, n_rows):
        if n_rows <= self.n_neighbors:
            raise ValueError(
                f"Class {label} has {n_rows} samples, but n_neighbors={self.n_neighbors} requires "
                f"{self.n_neighbors + 1}. Choose a smaller n_neighbors, or leave the class "
                "out of sampling_strategy."
            )

    def _fitted(self, rows, y, random):
        estimator = LASVC() if self.estimator is None else clone(self.estimator)
        for name, value in estimator.get_params().items():
            if name.rpartition("__")[2] != "kernel":
                continue
            if isinstance(value, str) and value == "precomputed":
                raise ValueError(
                    "VirtualSampler generates points between samples of X, but with "
                    f"{name}='precomputed' X holds kernel values, and the kernel values of a "
                    "point between two samples do not lie between theirs. Give the kernel as a "
                    "function."
                )
        # imbalanced-learn validates only the parameters of its samplers.
        with config_context(skip_parameter_validation=False):
            seeded(estimator, random).fit(rows, y)
        _, machine = split_model(estimator)
        if not hasattr(machine, "support_"):
            raise TypeError(
                "VirtualSampler needs a support vector machine whose support_ holds the indices "
                f"of its support vectors; {type(machine).__name__} has none."
            )
        return estimator

    def _parents(self, label, of_class, support, n, random):
        """Return the indices, within a class, of the support vectors that n points start from."""
        parents = np.flatnonzero(np.isin(of_class, support))
        if not len(parents):
            raise ValueError(
                f"No sample of class {label} is a support vector of "
                f"{type(self.estimator_).__name__}, so no points can be generated. Choose "
                "another C, or class_weight='balanced'."
            )
        if self.n_virtual is not None:
            n = min(n, self.n_virtual * len(parents))
        return np.resize(random.permutation(parents), n)


def _with_fractions(X):
    """Convert integer columns of a data frame to floats; return other input unchanged."""
    if not (hasattr(X, "dtypes") and hasattr(X, "astype")):
        return X
    whole = {name: dtype for name, dtype in X.dtypes.items() if dtype.kind in "biu"}
    return X.astype({name: _fractional(dtype) for name, dtype in whole.items()})


def _fractional(dtype):
    """Return float64, as a sparse dtype if ``dtype`` is sparse."""
    return type(dtype)(np.float64, 0.0) if hasattr(dtype, "fill_value") else np.float64
