"""VirtualSampler: the synthetic points of VIRTUAL for any classifier, with imbalanced-learn."""

from numbers import Integral

import numpy as np
from scipy import sparse
from sklearn.base import clone
from sklearn.utils import check_array, check_random_state
from sklearn.utils._param_validation import HasMethods, Interval

from .._feature_space import Kernel, taken_apart
from ._lasvc import LASVC
from ._virtual_points import VirtualPoints

try:
    from imblearn.over_sampling.base import BaseOverSampler
except ImportError as error:
    raise ImportError(
        "VirtualSampler needs imbalanced-learn: "
        "pip install 'sklearn-online-svm[imbalance]', or pip install imbalanced-learn."
    ) from error


class VirtualSampler(BaseOverSampler):
    r"""Over-sampling next to the support vectors of rare classes (VIRTUAL).

    A support vector machine learns all rows. Of a rare class those rows get company that have
    become support vectors, as only these tell where the boundary is: points

    .. math:: \lambda x_i + (1 - \lambda) x_m, \qquad \lambda \sim U(0, 1),

    between a support vector :math:`x_i` and one of its nearest rows :math:`x_m` of the same
    class, be that one a support vector or not. Near is what is near in the space of the kernel:
    :math:`K_{ii} + K_{mm} - 2 K_{im}` is small. Unlike ``imblearn.over_sampling.SVMSMOTE`` no
    point lies beyond the rows of its class.

    The labels of all rows are used. This is a cure for rare classes, not for labels that are
    missing.

    Read more in the :ref:`User Guide <imbalance>`.

    Parameters
    ----------
    sampling_strategy : float, str, dict or callable, default="auto"
        How many points each class gets, as in all over-samplers of imbalanced-learn:

        - ``"auto"`` or ``"not majority"``: until each class has as many rows as the largest one;
          ``"minority"``: only the smallest class; ``"not minority"``, ``"all"`` likewise;
        - float: the number of rows of the rare class over that of the other one, afterwards; for
          two classes;
        - dict: from the class to the number of rows that it is to have afterwards;
        - callable: function of y that returns such a dict.

        They are shared out evenly among the support vectors of the class; those that get one more
        than others are drawn at random.
    n_neighbors : int, default=5
        Nearest rows of its class among which a support vector finds the other end. The class
        needs one row more.
    n_virtual : int, default=None
        No support vector gets more points than that, whatever ``sampling_strategy`` asks for.
        VIRTUAL makes one point for each. None: no limit.
    estimator : classifier, default=None
        Support vector machine that names the support vectors: it has ``fit``, ``support_``, and
        a kernel that is no matrix, such as :class:`LASVC`, :class:`RampSVC` or
        :class:`sklearn.svm.SVC`; also a pipeline or a search around one. None: ``LASVC()``.
        Without a ``random_state`` of its own it is given one.
    random_state : int, RandomState instance or None, default=None
        For the support vectors that get one point more, their neighbours, and the places between
        them.

    Attributes
    ----------
    sampling_strategy_ : dict
        From the class to the number of points that ``sampling_strategy`` asks for.
    estimator_ : classifier
        The support vector machine, fitted to all rows.
    ends_ : ndarray of shape (n_points, 2)
        Between which rows of X each new point lies: the support vector, and its neighbour.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of shape (n_features,)
        Names of the features, if all are strings.

    See Also
    --------
    imblearn.over_sampling.SVMSMOTE : Goes beyond the rows of the class where others are few.
    imblearn.over_sampling.SMOTE : Next to all rows of the class.

    Notes
    -----
    ``fit_resample`` returns all rows of X as they were, followed by the new points. Sparse rows
    give sparse points. Between whole numbers lie fractions: integers, also the columns of a data
    frame, come back as floats.

    Importing it needs imbalanced-learn (``pip install sklearn-online-svm[imbalance]``), the rest
    of the package does not.

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
        """Return the rows of X and y with virtual points at their end.

        Parameters
        ----------
        X : {array-like, dataframe, sparse matrix} of shape (n_samples, n_features)
            Rows.
        y : array-like of shape (n_samples,)
            Labels, all of them.
        **params : dict
            Not used.

        Returns
        -------
        X_resampled : {array-like, dataframe, sparse matrix} of shape (n_samples_new, n_features)
            All rows, then the points.
        y_resampled : array-like of shape (n_samples_new,)
            Their labels.

        Raises
        ------
        ValueError
            If a parameter is invalid, a class has no more than ``n_neighbors`` rows, none of its
            rows has become a support vector, or the kernel is a matrix.
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
        transformers, machine = taken_apart(self.estimator_)
        kernel = Kernel.of(machine, "VirtualSampler")
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
                f"Class {label} has {n_rows} rows, but with n_neighbors={self.n_neighbors} it "
                f"takes {self.n_neighbors + 1}. Choose a smaller n_neighbors, or leave the class "
                "out of sampling_strategy."
            )

    def _fitted(self, rows, y, random):
        estimator = LASVC() if self.estimator is None else clone(self.estimator)
        params = estimator.get_params()
        for name, value in params.items():
            if name.rpartition("__")[2] != "kernel":
                continue
            if isinstance(value, str) and value == "precomputed":
                raise ValueError(
                    "VirtualSampler draws points between rows of X, but with "
                    f"{name}='precomputed' X holds kernel values: the point between two rows "
                    "has others than those between their kernel values. Give the kernel as a "
                    "function."
                )
        seeds = {
            name: random.randint(np.iinfo(np.int32).max)
            for name, value in sorted(params.items())
            if name.rpartition("__")[2] == "random_state" and value is None
        }
        estimator.set_params(**seeds).fit(rows, y)
        _, machine = taken_apart(estimator)
        if not hasattr(machine, "support_"):
            raise TypeError(
                "VirtualSampler needs a support vector machine whose support_ tells which rows "
                f"are support vectors; {type(machine).__name__} has none."
            )
        return estimator

    def _parents(self, label, of_class, support, n, random):
        """Places, among the rows of a class, of the support vectors that n points belong to."""
        parents = np.flatnonzero(np.isin(of_class, support))
        if not len(parents):
            raise ValueError(
                f"No row of class {label} has become a support vector of "
                f"{type(self.estimator_).__name__}: there is nothing to draw points from. Choose "
                "another C, or class_weight='balanced'."
            )
        if self.n_virtual is not None:
            n = min(n, self.n_virtual * len(parents))
        return np.resize(random.permutation(parents), n)


def _with_fractions(X):
    """Return a data frame with floats for integers, and anything else as it is."""
    if not (hasattr(X, "dtypes") and hasattr(X, "astype")):
        return X
    whole = {name: dtype for name, dtype in X.dtypes.items() if dtype.kind in "biu"}
    return X.astype({name: _fractional(dtype) for name, dtype in whole.items()})


def _fractional(dtype):
    """Float64, in a sparse column if it was one."""
    return type(dtype)(np.float64, 0.0) if hasattr(dtype, "fill_value") else np.float64
