"""Generated data, label noise, and the data sets of the papers."""

import os
from collections.abc import Callable
from dataclasses import dataclass
from numbers import Integral, Real
from pathlib import Path

import numpy as np
from scipy.sparse import csr_matrix, issparse
from sklearn.datasets import fetch_openml
from sklearn.utils import Bunch, check_random_state

__all__ = ["flip_labels", "load_paper_dataset", "make_banana_like", "make_waveform"]


# ---------------------------------------------------------------------------
# Generators
# ---------------------------------------------------------------------------


def _check_n_samples(n_samples):
    if not isinstance(n_samples, Integral) or n_samples < 2:
        raise ValueError(
            f"n_samples must be an integer of at least 2 (one of each class), got {n_samples!r}."
        )
    return int(n_samples)


def _check_real(name, value, low, high=np.inf, *, open_low=False):
    """Return value if it is a finite number in [low, high], or in (low, high]."""
    is_number = isinstance(value, Real) and not isinstance(value, bool) and np.isfinite(value)
    if not is_number or value > high or value < low or (open_low and value == low):
        at_least = "greater than" if open_low else "of at least"
        at_most = "" if high == np.inf else f" and at most {high}"
        raise ValueError(f"{name} must be a number {at_least} {low}{at_most}, got {value!r}.")
    return float(value)


def _count_positive(n_samples, share):
    """Round to the nearest count that leaves at least one example in each class."""
    return int(np.clip(round(n_samples * share), 1, n_samples - 1))


def make_waveform(
    n_samples=5000, *, imbalance_ratio=2.0, random_state=None, return_waveform=False
):
    r"""Generate Breiman's waveforms: one class against the other two.

    Each example is a random convex combination of two of three shifted triangular waves,
    measured at 21 points with Gaussian noise of unit variance.

    Parameters
    ----------
    n_samples : int, default=5000
        Number of examples, at least 2.
    imbalance_ratio : float, default=2.0
        Negative examples per positive example. The number of positive examples is
        ``n_samples / (1 + imbalance_ratio)``, rounded, and at least 1. The default is the
        ratio of three equally frequent classes.
    random_state : int, RandomState instance or None, default=None
        Source of the random numbers; an int gives the same data in every call.
    return_waveform : bool, default=False
        Whether to return the original class (1, 2 or 3) of each example as well.

    Returns
    -------
    X : ndarray of shape (n_samples, 21)
        The examples, in random order.
    y : ndarray of shape (n_samples,)
        1 for the first class of waveforms, -1 for the second and third.
    waveform : ndarray of shape (n_samples,)
        The original class. Only returned if ``return_waveform=True``.

    Raises
    ------
    ValueError
        If `n_samples` is not an integer of at least 2 or `imbalance_ratio` is not positive.

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
    examples are of class 2 or 3 with equal probability. The thesis keeps the negative examples
    and leaves out positive ones: 4000 examples at a ratio of 2, 2750 at a ratio of 32.

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
    n_samples = _check_n_samples(n_samples)
    ratio = _check_real("imbalance_ratio", imbalance_ratio, 0, open_low=True)
    rng = check_random_state(random_state)

    n_positive = _count_positive(n_samples, 1 / (1 + ratio))
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


_BANANA_POSITIVE_SHARE = 2376 / 5300  # of the banana set


def _crescent_moments(noise):
    """Mean and standard deviation of the features of the crescents.

    Taken from the formula rather than from the sample: a training and a test set drawn
    separately must be on the same scale.
    """
    p = _BANANA_POSITIVE_SHARE
    # With the angle uniform on (0, pi): cos has mean 0 and variance 1/2, sin has mean 2/pi
    # and variance 1/2 - 4/pi^2. The mixture adds p (1 - p) (difference of the means)^2.
    mean = np.array([[0, 2 / np.pi], [1, 0.5 - 2 / np.pi]])  # of the class -1, of 1
    variance = np.array([0.5, 0.5 - 4 / np.pi**2]) + noise**2
    variance += p * (1 - p) * (mean[1] - mean[0]) ** 2
    return (1 - p) * mean[0] + p * mean[1], np.sqrt(variance)


def make_banana_like(n_samples=5300, *, noise=0.32, random_state=None):
    """Generate two overlapping crescents that resemble the banana benchmark.

    Parameters
    ----------
    n_samples : int, default=5300
        Number of examples, at least 2. The default is the size of the banana set.
    noise : float, default=0.32
        Standard deviation of the Gaussian noise around the crescents, whose radius is 1
        before the features are scaled. At the default an SVM with an rbf kernel errs on about
        one example in ten and keeps about one in five as support vectors, as on the banana
        set; at 0 the classes do not overlap.
    random_state : int, RandomState instance or None, default=None
        Source of the random numbers; an int gives the same data in every call.

    Returns
    -------
    X : ndarray of shape (n_samples, 2)
        The examples, in random order. The features have zero mean and unit variance, those
        of the distribution, not of the sample.
    y : ndarray of shape (n_samples,)
        Labels -1 and 1; 44.83 % are 1, as in the banana set.

    Raises
    ------
    ValueError
        If `n_samples` is not an integer of at least 2 or `noise` is negative.

    See Also
    --------
    load_paper_dataset : Loads, among others, the banana set itself.
    sklearn.datasets.make_moons : The same shape on another scale, with equal classes.

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
    n_samples = _check_n_samples(n_samples)
    noise = _check_real("noise", noise, 0)
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


def flip_labels(y, fraction, *, from_label=None, random_state=None, return_mask=False):
    """Give some examples a wrong label.

    Parameters
    ----------
    y : array-like of shape (n_samples,)
        Labels, of two or more classes. Not modified.
    fraction : float
        Share of the candidates that get a wrong label, between 0 and 1. Exactly
        ``round(fraction * n_candidates)`` labels change.
    from_label : scalar, default=None
        One-sided noise: only examples of this class are candidates. By default all are.
    random_state : int, RandomState instance or None, default=None
        Source of the random numbers; an int gives the same noise in every call.
    return_mask : bool, default=False
        Whether to return as well which labels were changed.

    Returns
    -------
    y_noisy : ndarray of shape (n_samples,)
        The labels with noise, of the type of `y`. With more than two classes the wrong label
        is any of the others with equal probability.
    mask : ndarray of shape (n_samples,), dtype=bool
        True where the label was changed. Only returned if ``return_mask=True``.

    Raises
    ------
    ValueError
        If `y` is not one-dimensional or has fewer than two classes, if `fraction` is not
        between 0 and 1, or if `from_label` does not occur in `y`.

    See Also
    --------
    make_waveform : Data to put the noise on.

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
    fraction = _check_real("fraction", fraction, 0, 1)
    classes, code = np.unique(y, return_inverse=True)
    if len(classes) < 2:
        raise ValueError(f"y must have at least two classes, got {classes.tolist()}.")
    if from_label is not None and from_label not in classes.tolist():
        raise ValueError(f"from_label must be one of {classes.tolist()}, got {from_label!r}.")
    rng = check_random_state(random_state)

    candidates = np.arange(len(y)) if from_label is None else np.flatnonzero(y == from_label)
    n_flips = round(fraction * len(candidates))
    # Not rng.choice: its draw begins like the permutation that an estimator with the same seed
    # visits the rows in, and all flipped rows would come first.
    chosen = candidates[np.argsort(rng.uniform(size=len(candidates)))[:n_flips]]
    # A step of 1 to n_classes - 1 around the circle of classes never comes back.
    steps = rng.randint(1, len(classes), size=n_flips)
    y[chosen] = classes[(code[chosen] + steps) % len(classes)]

    if not return_mask:
        return y
    mask = np.zeros(len(y), dtype=bool)
    mask[chosen] = True
    return y, mask


# ---------------------------------------------------------------------------
# The data sets of the papers
# ---------------------------------------------------------------------------


@dataclass(frozen=True)
class _PaperSet:
    """What is known of a set: one line on it, its caveats, and its counterpart on OpenML.

    `openml` is the name and version there, `convert` makes the arrays of the npz form out of
    the Bunch that `fetch_openml` gives, and `differs` says what is not the same.
    """

    title: str
    note: str = ""
    openml: tuple[str, int] | None = None
    convert: Callable | None = None
    differs: str = ""


_SORTED = "The rows are sorted by class: shuffle them before streaming."


def _expect(found, wanted, what):
    """Refuse a set of that name on OpenML that is not the one meant."""
    if found != wanted:
        raise ValueError(f"expected {what} {wanted}, got {found}")


def _binary(y, positive):
    """Labels -1 and 1; OpenML stores class labels as strings."""
    return np.where(np.asarray(y).astype(str) == positive, 1, -1)


def _convert_a9a(bunch):
    X = csr_matrix(bunch.data)
    _expect(X.shape, (48842, 123), "shape")
    y = np.where(np.asarray(bunch.target).astype(np.float64) > 0, 1, -1)
    # Both published parts in one file: the counts tell whether they follow each other.
    _expect(int((y[:32561] == 1).sum()), 7841, "positive training rows")
    _expect(int((y[32561:] == 1).sum()), 3846, "positive test rows")
    return dict(
        X_train=X[:32561].astype(np.float32),
        y_train=y[:32561],
        X_test=X[32561:].astype(np.float32),
        y_test=y[32561:],
    )


def _convert_banana(bunch):
    X = np.asarray(bunch.data, dtype=np.float64)
    _expect(X.shape, (5300, 2), "shape")
    labels, counts = np.unique(np.asarray(bunch.target).astype(str), return_counts=True)
    _expect(sorted(counts.tolist()), [2376, 2924], "class counts")
    return dict(X_train=X, y_train=_binary(bunch.target, labels[np.argmin(counts)]))


def _convert_breast_wisconsin(bunch):
    X = np.asarray(bunch.data, dtype=np.float32)
    _expect(X.shape, (699, 9), "shape")
    y = np.where(_binary(bunch.target, "malignant") == 1, 4, 2)
    _expect(int((y == 4).sum()), 241, "malignant rows")
    return dict(X_train=X, y_train=y, target_names=np.array(["benign(2)", "malignant(4)"]))


def _convert_letter(bunch):
    X = np.asarray(bunch.data, dtype=np.float32)
    _expect(X.shape, (20000, 16), "shape")
    names, code = np.unique(np.asarray(bunch.target).astype(str), return_inverse=True)
    _expect(len(names), 26, "number of classes")
    y = code + 1
    return dict(
        X_train=X[:15000],
        y_train=y[:15000],
        X_test=X[15000:],
        y_test=y[15000:],
        target_names=names,
    )


def _convert_mnist(bunch):
    X = np.asarray(bunch.data, dtype=np.float32)
    _expect(X.shape, (70000, 784), "shape")
    y = np.asarray(bunch.target).astype(np.int64)
    return dict(X_train=X[:60000], y_train=y[:60000], X_test=X[60000:], y_test=y[60000:])


def _convert_pima_diabetes(bunch):
    X = np.asarray(bunch.data, dtype=np.float32)
    _expect(X.shape, (768, 8), "shape")
    y = _binary(bunch.target, "tested_positive")
    _expect(int((y == 1).sum()), 268, "positive rows")
    return dict(X_train=X, y_train=y)


def _convert_spambase(bunch):
    X = np.asarray(bunch.data, dtype=np.float32)
    _expect(X.shape, (4601, 57), "shape")
    y = _binary(bunch.target, "1")
    _expect(int((y == 1).sum()), 1813, "positive rows")
    return dict(X_train=X, y_train=y)


# Only those OpenML sets are named that have the same form, or that can be brought into it;
# e.g. "adult" there has the 14 raw columns, not the 123 binary ones, so "a9a" is taken.
_PAPER_SETS = {
    "abalone": _PaperSet(
        "Abalone (UCI): 4177 rows, age in rings",
        "Column 0 is the sex, coded F=0, I=1, M=2: encode it one-hot. The papers make a binary "
        "set of one ring count against the rest.",
    ),
    "adult_a8a": _PaperSet(
        "Adult (UCI), binary coding of J. Platt, LIBSVM's a8a",
        "Overlaps adult_a9a: never mix the two.",
    ),
    "adult_a9a": _PaperSet(
        "Adult (UCI), binary coding of J. Platt, LIBSVM's a9a; 1 is an income above 50,000",
        openml=("a9a", 1),
        convert=_convert_a9a,
    ),
    "banana": _PaperSet(
        "Banana, benchmark of G. Raetsch: two overlapping crescents in the plane",
        openml=("banana", 1),
        convert=_convert_banana,
        differs="other row order; the less frequent class is 1",
    ),
    "breast_wisconsin": _PaperSet(
        "Wisconsin breast cancer (original, UCI); 2 is benign, 4 malignant",
        "16 values are missing (NaN).",
        openml=("breast-w", 1),
        convert=_convert_breast_wisconsin,
    ),
    "codrna": _PaperSet(
        "cod-rna (LIBSVM collection), unscaled; training part only",
        _SORTED,
    ),
    "covtype_3v4": _PaperSet(
        "Forest CoverType (UCI): all rows of the classes 3 and 4",
        "A stand-in, not the full set. Constant columns were removed; the rows come in long "
        "blocks of one class: shuffle them before streaming.",
    ),
    "covtype_first20k": _PaperSet(
        "Forest CoverType (UCI): the first 20000 rows",
        "A stand-in, not the full set. Training and test part are balanced by design; the "
        "rows after them are `X_rest`, `y_rest`.",
    ),
    "dna": _PaperSet("DNA (Statlog): splice junctions, 180 binary features, three classes"),
    "letter": _PaperSet(
        "Letter recognition (UCI), LIBSVM's split; classes 1 to 26",
        openml=("letter", 1),
        convert=_convert_letter,
        differs="UCI row order; the test part is the last 5000 rows, not LIBSVM's",
    ),
    "magic04": _PaperSet("MAGIC gamma telescope (UCI); 1 is gamma, -1 hadron", _SORTED),
    "mnist": _PaperSet(
        "MNIST handwritten digits, 28 x 28 pixels from 0 to 255, in the original order",
        "Divide by 255 for the parameters of the papers.",
        openml=("mnist_784", 1),
        convert=_convert_mnist,
    ),
    "mushrooms": _PaperSet("Mushrooms (UCI), 112 binary features; 1 is poisonous"),
    "newsgroups20": _PaperSet(
        "20 Newsgroups, split by date, tf-idf of unit length",
        _SORTED,
    ),
    "pima_diabetes": _PaperSet(
        "Pima Indians diabetes",
        openml=("diabetes", 1),
        convert=_convert_pima_diabetes,
    ),
    "poker_train25010": _PaperSet("Poker hands (UCI), training part only"),
    "reuters21578_modapte": _PaperSet(
        "Reuters-21578, ModApte split, the ten largest topics, tf-idf of unit length",
        "Multi-label: `y_train` and `y_test` are indicator matrices with the columns "
        "`target_names`. For research purposes only.",
    ),
    "reuters_moneyfx_lasvm": _PaperSet(
        "Reuters-21578, topic money-fx (1) against the rest, as used by the authors of LASVM",
        "For research purposes only.",
    ),
    "satimage": _PaperSet(
        "Landsat satellite image (Statlog); classes 1 to 5 and 7",
        "The rows come in long blocks of one class: shuffle them before streaming.",
    ),
    "shuttle": _PaperSet("Shuttle (Statlog), seven classes"),
    "spambase": _PaperSet(
        "Spambase (UCI); 1 is spam",
        _SORTED,
        openml=("spambase", 1),
        convert=_convert_spambase,
    ),
    "splice": _PaperSet("Splice junctions (LIBSVM collection), coded 1 to 4"),
    "svmguide1": _PaperSet("svmguide1 (LIBSVM collection): astroparticles", _SORTED),
    "usps": _PaperSet(
        "USPS handwritten digits, 16 x 16 pixels from -1 to 1",
        _SORTED,
    ),
    "w8a": _PaperSet("w8a (LIBSVM collection): web pages; training part only", _SORTED),
}


def _folders(data_home):
    """Folders that may hold npz files, in the order in which they are looked at."""
    folders = []
    if data_home is not None:
        folders.append(Path(data_home).expanduser())
    if os.environ.get("SOSVM_DATA"):
        folders.append(Path(os.environ["SOSVM_DATA"]).expanduser())
    # An installed package has no project file above it, and no such neighbour.
    root = Path(__file__).resolve().parents[1]
    if (root / "pyproject.toml").is_file():
        folders.append(root.parent / "shared" / "data")
    return folders


def _find_npz(name, data_home=None):
    """Path of the npz file of a set in the first folder that has one, or None."""
    for folder in _folders(data_home):
        path = folder / f"{name}.npz"
        if path.is_file():
            return path
    return None


def _as_floats(X):
    """Cast integers to float32 (exact for the small ones stored); keep float32 and float64."""
    return X if X.dtype in (np.float32, np.float64) else X.astype(np.float32)


def _read_npz(path):
    """Read one set, array by array, so that no more than one is held twice."""
    arrays = {}
    with np.load(path, allow_pickle=False) as stored:
        keys = set(stored.files)
        for part in ("X_train", "X_test", "X_rest"):
            sparse_keys = [f"{part}_{field}" for field in ("data", "indices", "indptr", "shape")]
            if part in keys:
                arrays[part] = _as_floats(stored[part])
                keys.remove(part)
            elif keys.issuperset(sparse_keys):
                data, indices, indptr, shape = (stored[key] for key in sparse_keys)
                arrays[part] = csr_matrix((_as_floats(data), indices, indptr), shape=tuple(shape))
                keys.difference_update(sparse_keys)
        if "X_train" not in arrays:
            raise ValueError(f"{path} has no X_train; it has {sorted(stored.files)}.")

        for key in sorted(keys):
            value = stored[key]
            if key == "vocabulary":
                arrays["feature_names"] = np.array([word.decode() for word in value], object)
            elif key.startswith(("y_", "Y_")):
                # Small integer types overflow quietly in arithmetic on labels. Y_train is
                # the indicator matrix of a multi-label set.
                arrays[key.lower()] = value.astype(np.int64)
            else:
                arrays[key] = value
    return arrays


def _fetch_openml(name, paper_set):
    """Arrays of a set from OpenML, in the npz form, and the text on their source."""
    openml_name, version = paper_set.openml
    bunch = fetch_openml(openml_name, version=version, as_frame=False)
    source = f"OpenML, {openml_name} (version {version})"
    if paper_set.differs:
        source += f"; differs from the form used in the papers: {paper_set.differs}"
    return paper_set.convert(bunch), source


def _describe(name, arrays, source):
    """Text on rows, classes and source."""
    paper_set = _PAPER_SETS.get(name)
    lines = [name if paper_set is None else f"{name}: {paper_set.title}."]
    if paper_set is not None and paper_set.note:
        lines.append(paper_set.note)
    lines.append("")
    for part in ("train", "test", "rest"):
        X, y = arrays.get(f"X_{part}"), arrays.get(f"y_{part}")
        if X is None:
            continue
        kind = "sparse (CSR)" if issparse(X) else "dense"
        lines.append(f"{part}: {X.shape[0]} rows, {X.shape[1]} features, {kind} {X.dtype}")
        if y is None:
            continue
        if y.ndim == 2:
            counts = zip(range(y.shape[1]), y.sum(axis=0), strict=True)
        else:
            counts = zip(*np.unique(y, return_counts=True), strict=True)
        lines.append("  rows per class: " + ", ".join(f"{label}: {n}" for label, n in counts))
    if arrays.get("X_test") is None:
        lines.append("test: none; split the training part yourself")
    lines += ["", f"Source: {source}"]
    return "\n".join(lines)


def load_paper_dataset(name, data_home=None):
    """Load a data set on which the papers report results.

    The set is looked for as ``<name>.npz`` in the folder `data_home`, in the folder named by
    the environment variable ``SOSVM_DATA``, and in ``../shared/data`` beside a checkout of
    this project, in this order. If none has it, it is fetched from OpenML where the same set
    exists there.

    Parameters
    ----------
    name : str
        Name of the set. Known are ``"abalone"``, ``"adult_a8a"``, ``"adult_a9a"``,
        ``"banana"``, ``"breast_wisconsin"``, ``"codrna"``, ``"covtype_3v4"``,
        ``"covtype_first20k"``, ``"dna"``, ``"letter"``, ``"magic04"``, ``"mnist"``,
        ``"mushrooms"``, ``"newsgroups20"``, ``"pima_diabetes"``, ``"poker_train25010"``,
        ``"reuters21578_modapte"``, ``"reuters_moneyfx_lasvm"``, ``"satimage"``,
        ``"shuttle"``, ``"spambase"``, ``"splice"``, ``"svmguide1"``, ``"usps"`` and
        ``"w8a"``; any other name works if a folder has its file.
    data_home : str or path-like, default=None
        Folder that is looked at first.

    Returns
    -------
    dataset : :class:`~sklearn.utils.Bunch`
        With the attributes

        X_train : {ndarray, csr_matrix} of shape (n_train, n_features)
            Training examples. Reals keep their precision, small integers become float32.
        y_train : ndarray of shape (n_train,)
            Labels; -1 and 1 for most binary sets. For a multi-label set an indicator matrix
            of shape (n_train, n_classes).
        X_test : {ndarray, csr_matrix} of shape (n_test, n_features) or None
            Test examples; None if the set has no test part.
        y_test : ndarray of shape (n_test,) or None
            Their labels.
        feature_names : ndarray of shape (n_features,)
            Names of the features, if known.
        target_names : ndarray of shape (n_classes,)
            Names of the classes in ascending order of their labels, if known.
        DESCR : str
            Rows, classes, caveats and source.

        and the further arrays of the file, if it has any. Features are not scaled.

    Raises
    ------
    ValueError
        If `name` is not known and no folder has its file, or if the file is not of the form
        described below.
    FileNotFoundError
        If no folder has the file, and OpenML does not have the set or cannot be reached.

    See Also
    --------
    make_waveform : The simulated data of the papers.
    sklearn.datasets.fetch_openml : Used where no folder has the file. It stores what it has
        fetched in scikit-learn's data folder.

    Notes
    -----
    An npz file has ``X_train`` and ``y_train`` and may have ``X_test``, ``y_test`` and more.
    A sparse ``X_train`` is stored as ``X_train_data``, ``X_train_indices``,
    ``X_train_indptr`` and ``X_train_shape``. Pickled arrays are refused.

    References
    ----------
    .. [1] A. Bordes, S. Ertekin, J. Weston, L. Bottou, "Fast Kernel Classifiers with Online
       and Active Learning", Journal of Machine Learning Research 6, 1579-1619, 2005.
    .. [2] J. Lu, P. Zhao, S. C. H. Hoi, "Online Passive-Aggressive Active Learning", Machine
       Learning 103, 141-183, 2016.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> import numpy as np
    >>> from sklearn_online_svm.datasets import load_paper_dataset
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     np.savez(Path(folder) / "mine.npz", X_train=np.eye(3), y_train=[1, -1, 1])
    ...     dataset = load_paper_dataset("mine", data_home=folder)
    >>> dataset.X_train.shape, dataset.X_test is None
    ((3, 3), True)
    """
    path = _find_npz(name, data_home)
    if path is not None:
        arrays, source = _read_npz(path), f"the file {path}"
    else:
        arrays, source = _fetch_or_explain(name, data_home)

    arrays.setdefault("y_train", None)
    arrays.setdefault("X_test", None)
    arrays.setdefault("y_test", None)
    return Bunch(**arrays, DESCR=_describe(name, arrays, source))


def _fetch_or_explain(name, data_home):
    """Fetch a set that no folder has, or say what to do."""
    paper_set = _PAPER_SETS.get(name)
    if paper_set is None:
        raise ValueError(
            f"name must be one of {', '.join(map(repr, sorted(_PAPER_SETS)))}, or that of an "
            f"npz file in data_home; got {name!r}."
        )
    cause = None
    reason = "OpenML does not have it in the form of the papers"
    if paper_set.openml is not None:
        try:
            return _fetch_openml(name, paper_set)
        except (OSError, ValueError) as error:
            cause = error
            reason = f"fetching {paper_set.openml[0]!r} from OpenML failed ({error})"

    folders = ", ".join(str(folder) for folder in _folders(data_home)) or "none"
    raise FileNotFoundError(
        f"The data set {name!r} was not found. Folders looked at for {name}.npz: {folders}; "
        f"{reason}. Put {name}.npz (arrays X_train, y_train, and X_test, y_test if there is a "
        "test part; see the Notes of load_paper_dataset) into a folder and pass the folder as "
        "data_home or name it in the environment variable SOSVM_DATA."
    ) from cause
