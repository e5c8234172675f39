"""Generators of data sets and of label noise."""

from numbers import Integral, Real

import numpy as np
from sklearn.utils import check_random_state

from ._sklearn_compat import Interval, validated

__all__ = ["flip_labels", "make_banana_like", "make_waveform"]


_N_SAMPLES = [Interval(Integral, 2, None, closed="left")]


def _count_positive(n_samples, share):
    """Round to the nearest count that leaves at least one sample in each class."""
    return int(np.clip(round(n_samples * share), 1, n_samples - 1))


@validated(
    n_samples=_N_SAMPLES,
    imbalance_ratio=[Interval(Real, 0, None, closed="neither")],
    random_state=["random_state"],
    return_waveform=["boolean"],
)
def make_waveform(
    n_samples=5000, *, imbalance_ratio=2.0, random_state=None, return_waveform=False
):
    r"""Generate Breiman's waveforms: one class against the other two.

    Each sample is a random convex combination of two of three shifted triangular waves,
    measured at 21 points with Gaussian noise of unit variance.

    Parameters
    ----------
    n_samples : int, default=5000
        Number of samples, at least 2.
    imbalance_ratio : float, default=2.0
        Number of negative samples per positive sample. The number of positive samples is
        ``n_samples / (1 + imbalance_ratio)``, rounded, and at least 1. The default is the
        ratio of three equally frequent classes.
    random_state : int, RandomState instance or None, default=None
        Controls the random numbers. Pass an int for reproducible output across calls.
    return_waveform : bool, default=False
        Whether to also return the original class (1, 2 or 3) of each sample.

    Returns
    -------
    X : ndarray of shape (n_samples, 21)
        The samples, in random order.
    y : ndarray of shape (n_samples,)
        1 for the first class of waveforms, -1 for the second and third.
    waveform : ndarray of shape (n_samples,)
        The original class. Only returned if ``return_waveform=True``.

    Raises
    ------
    ValueError
        If a parameter is invalid.

    See Also
    --------
    make_banana_like : Two overlapping crescents in the plane.
    flip_labels : Add label noise.

    Notes
    -----
    With :math:`v_1(j) = \max(6 - |j - 11|, 0)`, :math:`v_2(j) = v_1(j - 4)` and
    :math:`v_3(j) = v_1(j + 4)`, for :math:`j = 1, \dots, 21`,

    .. math::

        x_j = u\, v_a(j) + (1 - u)\, v_b(j) + \varepsilon_j, \qquad
        u \sim U(0, 1), \quad \varepsilon_j \sim N(0, 1),

    where :math:`(a, b)` is (1, 2), (1, 3) or (2, 3) for the classes 1, 2 and 3. Negative
    samples are of class 2 or 3 with equal probability. The thesis keeps the negative samples and
    removes positive ones: 4000 samples at a ratio of 2, 2750 at a ratio of 32.

    References
    ----------
    .. [1] L. Breiman, J. Friedman, R. Olshen, C. Stone, "Classification and Regression Trees",
       Wadsworth, 1984.
    .. [2] S. Ertekin, "Learning in Extreme Conditions: Online and Active Learning with
       Massive, Imbalanced and Noisy Data", PhD thesis, The Pennsylvania State University,
       2009, section 5.2.1.

    Examples
    --------
    >>> from sklearn_online_svm.datasets import make_waveform
    >>> X, y = make_waveform(330, imbalance_ratio=32, random_state=0)
    >>> X.shape
    (330, 21)
    >>> int((y == 1).sum())
    10
    """
    rng = check_random_state(random_state)

    n_positive = _count_positive(n_samples, 1 / (1 + imbalance_ratio))
    waveform = np.ones(n_samples, dtype=np.int64)
    waveform[n_positive:] = rng.randint(2, 4, size=n_samples - n_positive)
    rng.shuffle(waveform)

    j = np.arange(1, 22)
    triangles = np.maximum(6 - np.abs(j - np.array([[11], [15], [7]])), 0).astype(np.float64)
    first, second = np.array([[0, 1], [0, 2], [1, 2]])[waveform - 1].T
    u = rng.uniform(size=(n_samples, 1))
    X = u * triangles[first] + (1 - u) * triangles[second]
    X += rng.standard_normal(X.shape)

    y = np.where(waveform == 1, 1, -1)
    return (X, y, waveform) if return_waveform else (X, y)


_BANANA_POSITIVE_SHARE = 2376 / 5300  # as in the banana benchmark


def _crescent_moments(noise):
    """Return the mean and the standard deviation of the features of the crescents.

    They are computed from the distribution and not from the samples, so that training and test
    sets that are generated separately have the same scale.
    """
    p = _BANANA_POSITIVE_SHARE
    # With the angle uniform on (0, pi): cos has mean 0 and variance 1/2, sin has mean 2/pi
    # and variance 1/2 - 4/pi^2. The mixture adds p (1 - p) (difference of the means)^2.
    mean = np.array([[0, 2 / np.pi], [1, 0.5 - 2 / np.pi]])  # of the class -1, of 1
    variance = np.array([0.5, 0.5 - 4 / np.pi**2]) + noise**2
    variance += p * (1 - p) * (mean[1] - mean[0]) ** 2
    return (1 - p) * mean[0] + p * mean[1], np.sqrt(variance)


@validated(
    n_samples=_N_SAMPLES,
    noise=[Interval(Real, 0, None, closed="left")],
    random_state=["random_state"],
)
def make_banana_like(n_samples=5300, *, noise=0.32, random_state=None):
    """Generate two overlapping crescents that resemble the banana benchmark.

    Parameters
    ----------
    n_samples : int, default=5300
        Number of samples, at least 2. The default is the size of the banana data set.
    noise : float, default=0.32
        Standard deviation of the Gaussian noise around the crescents, whose radius is 1
        before the features are scaled. With the default, an SVM with an RBF kernel has an error
        of about 10 % and about 20 % of the samples are support vectors, as on the banana data
        set. With 0 the classes do not overlap.
    random_state : int, RandomState instance or None, default=None
        Controls the random numbers. Pass an int for reproducible output across calls.

    Returns
    -------
    X : ndarray of shape (n_samples, 2)
        The samples, in random order. The distribution of each feature has zero mean and unit
        variance.
    y : ndarray of shape (n_samples,)
        Labels -1 and 1; 44.83 % are 1, as in the banana data set.

    Raises
    ------
    ValueError
        If a parameter is invalid.

    See Also
    --------
    sklearn.datasets.make_moons : The same shape on another scale, with balanced classes.

    References
    ----------
    .. [1] G. Raetsch, T. Onoda, K.-R. Mueller, "Soft Margins for AdaBoost", Machine Learning
       42, 287-320, 2001.

    Examples
    --------
    >>> from sklearn_online_svm.datasets import make_banana_like
    >>> X, y = make_banana_like(1000, random_state=0)
    >>> X.shape
    (1000, 2)
    >>> int((y == 1).sum())
    448
    """
    rng = check_random_state(random_state)

    y = np.full(n_samples, -1)
    y[: _count_positive(n_samples, _BANANA_POSITIVE_SHARE)] = 1
    rng.shuffle(y)

    # The upper half of a circle around (0, 0), and the lower half of one around (1, 1/2).
    angle = rng.uniform(0, np.pi, size=n_samples)
    positive = y == 1
    X = np.column_stack([np.cos(angle), np.sin(angle)])
    X[positive] = np.array([1.0, 0.5]) - X[positive]
    X += noise * rng.standard_normal(X.shape)
    centre, scale = _crescent_moments(noise)
    return (X - centre) / scale, y


@validated(
    y=["array-like"],
    fraction=[Interval(Real, 0, 1, closed="both")],
    random_state=["random_state"],
    return_mask=["boolean"],
)
def flip_labels(y, fraction, *, from_label=None, random_state=None, return_mask=False):
    """Replace some labels by wrong ones.

    Parameters
    ----------
    y : array-like of shape (n_samples,)
        Labels, of two or more classes. Not modified.
    fraction : float
        Fraction of the labels to change, between 0 and 1. Exactly
        ``round(fraction * n_candidates)`` labels change, where ``n_candidates`` is the number of
        samples (of class `from_label`, if given).
    from_label : scalar, default=None
        Change only labels of this class (one-sided noise). By default all labels can change.
    random_state : int, RandomState instance or None, default=None
        Controls which labels change. Pass an int for reproducible output across calls.
    return_mask : bool, default=False
        Whether to also return which labels were changed.

    Returns
    -------
    y_noisy : ndarray of shape (n_samples,)
        The labels with noise, of the same type as `y`. With more than two classes, each of the
        other classes is equally likely.
    mask : ndarray of shape (n_samples,), dtype=bool
        True where the label was changed. Only returned if ``return_mask=True``.

    Raises
    ------
    ValueError
        If `y` is not one-dimensional or has fewer than two classes, if `from_label` does not
        occur in `y`, or if another parameter is invalid.

    See Also
    --------
    make_waveform : Generate Breiman's waveforms.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_online_svm.datasets import flip_labels
    >>> y = np.array([-1, -1, -1, -1, 1, 1, 1, 1])
    >>> int((flip_labels(y, 0.25, random_state=0) != y).sum())
    2
    >>> flip_labels(y, 0.5, from_label=1, random_state=0)[:4]
    array([-1, -1, -1, -1])
    """
    y = np.array(y)
    if y.ndim != 1:
        raise ValueError(f"y must be one-dimensional, got shape {y.shape}.")
    classes, code = np.unique(y, return_inverse=True)
    if len(classes) < 2:
        raise ValueError(f"y must have at least two classes, got {classes.tolist()}.")
    if from_label is not None and from_label not in classes.tolist():
        raise ValueError(f"from_label must be one of {classes.tolist()}, got {from_label!r}.")
    rng = check_random_state(random_state)

    candidates = np.arange(len(y)) if from_label is None else np.flatnonzero(y == from_label)
    n_flips = round(fraction * len(candidates))
    # Not rng.choice: its draw begins like the permutation of the samples in an estimator with the
    # same seed, so that all flipped labels would come first.
    chosen = candidates[np.argsort(rng.uniform(size=len(candidates)))[:n_flips]]
    # Shifting the code by 1 to n_classes - 1 (modulo n_classes) always changes it.
    shifts = rng.randint(1, len(classes), size=n_flips)
    y[chosen] = classes[(code[chosen] + shifts) % len(classes)]

    if not return_mask:
        return y
    mask = np.zeros(len(y), dtype=bool)
    mask[chosen] = True
    return y, mask
