"""Advice: a region of the feature space and the class of the samples in it."""

from numbers import Integral, Real

import numpy as np
from scipy import sparse
from scipy.optimize import linprog
from sklearn.base import BaseEstimator, is_classifier
from sklearn.preprocessing import MaxAbsScaler, MinMaxScaler, RobustScaler, StandardScaler
from sklearn.utils.validation import check_array, check_is_fitted

from .._sample_arrays import with_valid_indices

# Two regions only touch if their intersection contains no ball of this radius, in units of their
# bounds.
_TOUCHING = 1e-9

_COMPARISONS = (">=", "<=", ">", "<", "==")


class Advice:
    r"""A rule about a region: samples with :math:`D x \le d` have the class ``label``.

    Most rules are conditions on single features: :meth:`from_conditions` creates such a rule,
    :meth:`from_tree` rules from the leaves of a decision tree. Advice is used by
    :class:`AdvicePassiveAggressiveClassifier`. Read more in the :ref:`user guide <advice>`.

    Parameters
    ----------
    D : {array-like, sparse matrix} of shape (n_conditions, n_features)
        Coefficients of the conditions, one condition per row.
    d : array-like of shape (n_conditions,)
        Upper bounds of the elements of ``D x``.
    label : label
        Class of the samples that meet all conditions.
    feature_names : array-like of shape (n_features,), default=None
        Names of the features, for messages; they must match those of X if X has feature names. If
        None, "x0", "x1", ... are used.
    name : str, default=None
        Name of the rule in messages. If None, the text of its conditions.

    Attributes
    ----------
    D : csr_matrix of shape (n_conditions, n_features)
        Coefficients of the conditions, float64.
    d : ndarray of shape (n_conditions,)
        Bounds of the conditions, float64.
    label : label
        The class.
    feature_names : tuple of str, or None
        Names of the features.
    name : str
        Name of the rule.

    Raises
    ------
    ValueError
        If shapes do not match, values are not finite, or no sample can meet all conditions.

    See Also
    --------
    AdvicePassiveAggressiveClassifier : Classifier trained with advice and samples.

    Notes
    -----
    Regions include their boundary: ``>`` and ``>=`` give the same rule.

    Examples
    --------
    >>> from sklearn_online_svm import Advice
    >>> names = ["glucose", "bmi"]
    >>> Advice.from_conditions({"glucose": (">=", 126), "bmi": (25, 30)}, names, label=1)
    Advice('glucose >= 126 and 25 <= bmi <= 30 => 1')

    A region that is not a box:

    >>> Advice([[1.0, 2.0], [-1.0, 0.0]], [150.0, -90.0], label=0, feature_names=names)
    Advice('glucose + 2 bmi <= 150 and glucose >= 90 => 0')
    """

    def __init__(self, D, d, label, *, feature_names=None, name=None):
        # Shape and finite values are checked below.
        matrix = check_array(
            with_valid_indices(D, "D"),
            accept_sparse="csr",
            dtype=np.float64,
            ensure_all_finite=False,
            ensure_2d=False,
            allow_nd=True,
            ensure_min_samples=0,
            ensure_min_features=0,
            input_name="D",
        )
        if matrix.ndim != 2 or 0 in matrix.shape:
            raise ValueError(
                "D must have shape (n_conditions, n_features), at least 1 of each, got "
                f"{matrix.shape}."
            )
        self.D = sparse.csr_matrix(matrix, dtype=np.float64, copy=True)
        self.D.sum_duplicates()
        self.D.eliminate_zeros()
        self.d = np.array(d, dtype=np.float64)
        if self.d.shape != matrix.shape[:1]:
            raise ValueError(
                f"d must have shape {matrix.shape[:1]}, one bound for each row of D, got "
                f"{self.d.shape}."
            )
        if not (np.isfinite(self.D.data).all() and np.isfinite(self.d).all()):
            raise ValueError("D and d must be finite; leave out conditions without a bound.")
        self.label = label
        self.feature_names = None
        if feature_names is not None:
            self.feature_names = tuple(_name_of(name) for name in feature_names)
            if len(self.feature_names) != matrix.shape[1]:
                raise ValueError(
                    f"feature_names must have {matrix.shape[1]} names, one for each column of D, "
                    f"got {len(self.feature_names)}."
                )
        self.name = _describe(self.D, self.d, self.feature_names) if name is None else str(name)
        for array in (self.d, self.D.data, self.D.indices, self.D.indptr):
            array.flags.writeable = False
        if not _inner_radius(self.D, self.d) >= -_TOUCHING:
            raise ValueError(f"No sample can meet all conditions of the advice {self.name!r}.")

    # ---------------------------------------------------------------------------- constructors

    @classmethod
    def from_conditions(cls, conditions, feature_names, label, *, name=None):
        """Create advice from conditions on single features.

        Parameters
        ----------
        conditions : dict
            The condition of each feature, all of which must hold: a comparison such as
            ``(">=", 126)``, with ">=", "<=", ">", "<" or "==", or an interval such as
            ``(25, 30)``, in which None means no bound.
        feature_names : array-like of shape (n_features,)
            Names of all features, in the order of the columns of X, such as the ``columns`` of a
            data frame. Numbers such as ``range(8)`` are also accepted.
        label : label
            Class of the samples that meet all conditions.
        name : str, default=None
            Name of the rule in messages. If None, the text of its conditions.

        Returns
        -------
        advice : Advice
            The rule.

        Raises
        ------
        ValueError
            If a feature is unknown, a condition is invalid, or no sample can meet all conditions.

        Examples
        --------
        >>> from sklearn_online_svm import Advice
        >>> names = ["glucose", "bmi"]
        >>> Advice.from_conditions({"glucose": (None, 100)}, names, "healthy")
        Advice("glucose <= 100 => 'healthy'")
        """
        known = list(feature_names)
        if not isinstance(conditions, dict) or not conditions:
            raise ValueError(f"conditions must be a dict that is not empty, got {conditions!r}.")
        data, columns, bounds = [], [], []
        for feature, condition in conditions.items():
            if feature not in known:
                raise ValueError(
                    f"{feature!r} is not one of the features {[*map(_name_of, known)]}."
                )
            low, high = _interval(feature, condition)
            for sign, bound in ((-1.0, low), (1.0, high)):
                if np.isfinite(bound):
                    data.append(sign)
                    columns.append(known.index(feature))
                    bounds.append(sign * bound)
            if not np.isfinite([low, high]).any():
                raise ValueError(f"The condition of {feature!r}, {condition!r}, has no bound.")
        D = sparse.csr_matrix(
            (data, (range(len(data)), columns)), shape=(len(data), len(known)), dtype=np.float64
        )
        return cls(D, bounds, label, feature_names=known, name=name)

    @classmethod
    def from_tree(cls, tree, feature_names=None, *, min_purity=0.9, min_samples=10):
        """Create advice from the leaves of a decision tree.

        Parameters
        ----------
        tree : DecisionTreeClassifier
            A fitted tree with a single target.
        feature_names : array-like of shape (n_features,), default=None
            Names of the features. If None, the names that the tree was fitted with, if any.
        min_purity : float, default=0.9
            Minimum purity of the leaves used: the weighted fraction of the most frequent class.
        min_samples : int, default=10
            Minimum number of training samples in the leaves used.

        Returns
        -------
        advice : list of Advice
            One rule for each such leaf, purest leaves first. Its conditions are those on the path
            to the leaf, one interval for each feature; its label is the class of the leaf.

        Raises
        ------
        ValueError
            If the tree is not a fitted decision tree with one target, or has no splits, or if
            feature_names has the wrong length.

        Examples
        --------
        >>> from sklearn.datasets import load_iris
        >>> from sklearn.tree import DecisionTreeClassifier
        >>> from sklearn_online_svm import Advice
        >>> X, y = load_iris(return_X_y=True, as_frame=True)
        >>> tree = DecisionTreeClassifier(max_leaf_nodes=3, random_state=0).fit(X, y)
        >>> for advice in Advice.from_tree(tree):
        ...     print(advice)
        petal width (cm) <= 0.8 => 0
        petal width (cm) >= 1.75 => 2
        0.8 <= petal width (cm) <= 1.75 => 1
        """
        if not (
            isinstance(tree, BaseEstimator)
            and is_classifier(tree)
            and hasattr(tree, "tree_")
            and np.ndim(tree.n_classes_) == 0
        ):
            raise ValueError(
                f"tree must be a fitted decision tree classifier with one target, got {tree!r}."
            )
        if feature_names is None:
            feature_names = getattr(tree, "feature_names_in_", None)
        nodes = tree.tree_
        n_features = tree.n_features_in_
        if feature_names is not None and len(feature_names) != n_features:
            raise ValueError(
                f"feature_names must have {n_features} names, one for each feature of the tree, "
                f"got {len(feature_names)}."
            )
        if nodes.node_count == 1:
            raise ValueError("The tree has no splits, so its only leaf has no conditions.")
        names = range(n_features) if feature_names is None else feature_names
        found = []
        for leaf, intervals in _leaves(nodes):
            shares = nodes.value[leaf, 0] / nodes.value[leaf, 0].sum()
            best = int(shares.argmax())
            if shares[best] >= min_purity and nodes.n_node_samples[leaf] >= min_samples:
                rules = {names[k]: bounds for k, bounds in sorted(intervals.items())}
                advice = cls.from_conditions(rules, names, tree.classes_[best])
                found.append((-shares[best], -nodes.n_node_samples[leaf], leaf, advice))
        return [advice for *_, advice in sorted(found, key=lambda leaf: leaf[:3])]

    def transformed_by(self, scaler):
        """Transform the rule to the units of scaled samples.

        Parameters
        ----------
        scaler : StandardScaler, MinMaxScaler, MaxAbsScaler or RobustScaler
            A fitted scaler, which maps each feature x to a x + b.

        Returns
        -------
        advice : Advice
            The rule that holds for a scaled sample if and only if this one holds for the sample.
            It has the same name.

        Raises
        ------
        NotFittedError
            If the scaler is not fitted.
        ValueError
            If the scaler clips, or has a different number of features.
        TypeError
            If the scaler is not of one of these types.

        Examples
        --------
        >>> import numpy as np
        >>> from sklearn.preprocessing import StandardScaler
        >>> from sklearn_online_svm import Advice
        >>> scaler = StandardScaler().fit([[100.0], [140.0]])
        >>> advice = Advice.from_conditions({"glucose": (">=", 130)}, ["glucose"], 1)
        >>> scaled = advice.transformed_by(scaler)
        >>> scaled.d / scaled.D.toarray().ravel()
        array([0.5])
        """
        a, b = _map_of(scaler, self.D.shape[1])
        # x = (x' - b) / a
        D = self.D.multiply(1.0 / a).tocsr()
        return type(self)(
            D, self.d + D @ b, self.label, feature_names=self.feature_names, name=self.name
        )

    # ---------------------------------------------------------------------------- queries

    def contains(self, X):
        """Check which samples lie in the region.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            The samples.

        Returns
        -------
        inside : ndarray of shape (n_samples,), bool
            Whether the sample meets all conditions.

        Raises
        ------
        ValueError
            If X has a different number of features, or values that are not finite numbers.
        """
        X = check_array(
            with_valid_indices(X),
            accept_sparse="csr",
            dtype=np.float64,
            ensure_min_samples=0,
            input_name="X",
        )
        values = X @ self.D.T
        values = values.toarray() if sparse.issparse(values) else values
        return (values <= self.d).all(axis=1)

    def overlaps(self, other):
        """Check whether the interiors of two regions intersect.

        Parameters
        ----------
        other : Advice
            Advice about the same features.

        Returns
        -------
        overlap : bool
            Whether the interiors of the two regions have common points.

        Raises
        ------
        ValueError
            If the linear program that decides this cannot be solved.
        """
        D, d = sparse.vstack([self.D, other.D], format="csr"), np.append(self.d, other.d)
        return bool(_inner_radius(D, d) > _TOUCHING)

    def __str__(self):
        label = self.label.item() if isinstance(self.label, np.generic) else self.label
        return f"{self.name} => {label!r}"

    def __repr__(self):
        return f"{type(self).__name__}({str(self)!r})"

    def __eq__(self, other):
        if not isinstance(other, Advice):
            return NotImplemented
        return self._key() == other._key()

    def __hash__(self):
        return hash(self._key())

    def _key(self):
        parts = (self.D.data, self.D.indices, self.D.indptr, self.d)
        return (*(part.tobytes() for part in parts), self.D.shape, self.label, self.name)


# -------------------------------------------------------------------------------- conditions


def _name_of(feature):
    return f"x{feature}" if isinstance(feature, Integral) else str(feature)


def _interval(feature, condition):
    """Return the lower and upper bound of a condition; infinity means no bound."""
    try:
        first, second = condition
    except (TypeError, ValueError):
        first = second = condition
    if isinstance(first, str) and first in _COMPARISONS and isinstance(second, Real):
        low = float(second) if first in (">=", ">", "==") else -np.inf
        high = float(second) if first in ("<=", "<", "==") else np.inf
    elif all(bound is None or isinstance(bound, Real) for bound in (first, second)) and (
        np.ndim(condition) == 1 and len(condition) == 2
    ):
        low = -np.inf if first is None else float(first)
        high = np.inf if second is None else float(second)
    else:
        raise ValueError(
            f"The condition of {feature!r} must be a comparison such as ('>=', 126), with one of "
            f"{[*_COMPARISONS]}, or an interval such as (25, 30), got {condition!r}."
        )
    if np.isnan(low) or np.isnan(high):
        raise ValueError(f"The condition of {feature!r}, {condition!r}, must not be NaN.")
    if low > high:
        raise ValueError(f"No sample can meet the condition of {feature!r}, {condition!r}.")
    return low, high


def _describe(D, d, names):
    """Return the conditions as text; those on a single feature are merged into an interval."""
    intervals, others = {}, []
    for i, bound in enumerate(d):
        row = slice(D.indptr[i], D.indptr[i + 1])
        columns, values = D.indices[row], D.data[row]
        if len(columns) != 1:
            others.append(f"{_describe_sum(columns, values, names)} <= {bound:g}")
            continue
        low, high = intervals.setdefault(columns[0], (-np.inf, np.inf))
        edge = bound / values[0] + 0.0  # no -0
        intervals[columns[0]] = (low, min(high, edge)) if values[0] > 0 else (max(low, edge), high)
    texts = []
    for k, (low, high) in intervals.items():
        name = f"x{k}" if names is None else names[k]
        if low == high:
            texts.append(f"{name} == {low:g}")
        elif not np.isfinite(low):
            texts.append(f"{name} <= {high:g}")
        elif not np.isfinite(high):
            texts.append(f"{name} >= {low:g}")
        else:
            texts.append(f"{low:g} <= {name} <= {high:g}")
    return " and ".join(others + texts)


def _describe_sum(columns, values, names):
    parts = []
    for k, value in zip(columns, values, strict=True):
        sign = ("-" if value < 0 else "") if not parts else (" - " if value < 0 else " + ")
        size = "" if abs(value) == 1.0 else f"{abs(value):g} "
        parts.append(f"{sign}{size}{f'x{k}' if names is None else names[k]}")
    return "".join(parts) or "0"


def _leaves(nodes):
    """Yield each leaf of a tree with the intervals of the features on the path to it."""
    left, right = nodes.children_left, nodes.children_right
    waiting = [(0, {})]
    while waiting:
        node, intervals = waiting.pop()
        if left[node] == right[node]:
            yield node, intervals
            continue
        k, edge = int(nodes.feature[node]), float(nodes.threshold[node])
        low, high = intervals.get(k, (None, None))
        below = edge if high is None else min(high, edge)
        above = edge if low is None else max(low, edge)
        waiting.append((right[node], intervals | {k: (above, high)}))
        waiting.append((left[node], intervals | {k: (low, below)}))


# -------------------------------------------------------------------------------- regions


def _inner_radius(D, d):
    """Return the radius, at most 1, of the largest ball in the region; negative if it is empty.

    Conditions are scaled by the norms of their coefficients and by their bounds. The radius of a
    box is half its shortest side.
    """
    lengths = np.sqrt(np.asarray(D.multiply(D).sum(axis=1)).ravel())
    idle = lengths == 0.0
    if (d[idle] < 0.0).any():
        return -np.inf
    D, d, lengths = D[~idle], d[~idle], lengths[~idle]
    if not len(d):
        return 1.0
    edges = d / lengths
    if (np.diff(D.indptr) == 1).all():
        above = D.data > 0
        columns, at = np.unique(D.indices, return_inverse=True)
        high, low = np.full(len(columns), np.inf), np.full(len(columns), -np.inf)
        np.minimum.at(high, at[above], edges[above])
        np.maximum.at(low, at[~above], -edges[~above])
        sides = 0.5 * (high - low)
        size = np.maximum(1.0, np.minimum(np.abs(high), np.abs(low)))
        return min(1.0, (sides / size).min())
    columns = np.unique(D.indices)
    D = D[:, columns].multiply(1.0 / lengths[:, None])
    size = max(1.0, np.abs(edges).max())
    # Largest t with D x + t <= d, for rows of D of length 1.
    objective = np.append(np.zeros(len(columns)), -1.0)
    conditions = sparse.hstack([D, np.ones((len(d), 1))], format="csr")
    bounds = [*[(None, None)] * len(columns), (None, 1.0)]
    result = linprog(objective, A_ub=conditions, b_ub=edges / size, bounds=bounds)
    if result.status != 0:
        raise ValueError(
            f"The linear program of the conditions cannot be solved: {result.message}"
        )
    return result.x[-1]


def _map_of(scaler, n_features):
    """Return a and b of the map a x + b that a scaler applies to each feature."""
    check_is_fitted(scaler)
    if getattr(scaler, "clip", False):
        raise ValueError(
            f"{scaler!r} clips its output, so a region cannot be transformed. Use clip=False."
        )
    if scaler.n_features_in_ != n_features:
        raise ValueError(
            f"{type(scaler).__name__} is for {scaler.n_features_in_} features, the advice for "
            f"{n_features}."
        )
    if isinstance(scaler, MinMaxScaler):
        return scaler.scale_, scaler.min_
    if not isinstance(scaler, StandardScaler | MaxAbsScaler | RobustScaler):
        raise TypeError(
            "transformed_by takes a StandardScaler, MinMaxScaler, MaxAbsScaler or RobustScaler, "
            f"got {scaler!r}."
        )
    one, zero = np.ones(n_features), np.zeros(n_features)
    scale = getattr(scaler, "scale_", None)
    center = getattr(scaler, "mean_" if isinstance(scaler, StandardScaler) else "center_", None)
    if isinstance(scaler, StandardScaler) and not scaler.with_mean:
        center = None
    a = one / (one if scale is None else scale)
    return a, (zero if center is None else -center * a)
