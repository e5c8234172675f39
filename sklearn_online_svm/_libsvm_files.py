"""Models in files of LIBSVM."""

import copy
from itertools import combinations, pairwise
from numbers import Integral, Real

import numpy as np
from scipy.sparse import csr_matrix
from sklearn.base import clone, is_classifier
from sklearn.utils.validation import check_is_fitted

from . import kernel
from ._atomic_dump import atomic_file
from ._pairs import pairs_by_class
from ._sklearn_compat import Interval, validate_params
from .kernel._training import start_from

# Smallest loss of a support vector that is at its bound: LIBSVM's tolerance is 0.001.
_LEAST_LOSS = 0.01

_KERNELS = {"linear": "linear", "poly": "polynomial", "rbf": "rbf", "sigmoid": "sigmoid"}


def save_libsvm(model, path, *, label=None):
    """Store a kernel classifier as a model file of LIBSVM.

    ``svm-predict``, and the libraries that read such files, then give the same predictions.
    Numbers are written with all digits.

    Parameters
    ----------
    model : estimator
        Fitted kernel classifier with a linear, polynomial, rbf or sigmoid kernel.
    path : str or path-like
        File to write. An existing file is replaced atomically.
    label : label, default=None
        None: store the whole model, labelled by integers. With more than two classes the format
        requires a one-vs-one model, the default of ``LASVC`` and ``RampSVC``. A class of a model
        that is not one-vs-one: store the problem of this class against all others. Its labels in
        the file are 1 and -1, and its decision values are those of this class. So a one-vs-rest
        model is stored in one file for each class.

    Raises
    ------
    NotFittedError
        If the model is not fitted.
    ValueError
        If `label` is None and the model has labels other than integers, or more than two classes
        and is not one-vs-one; if `label` is not a class of the model, or the model is one-vs-one;
        if the model is not a classifier, has another kernel, or no single kernel expansion
        (``average="vote"``).

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from sklearn_online_svm import LASVC
    >>> from sklearn_online_svm.datasets import make_banana_like
    >>> from sklearn_online_svm.export import save_libsvm
    >>> X, y = make_banana_like(200, random_state=0)
    >>> model = LASVC(gamma=1.0, random_state=0).fit(X, y)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder) / "banana.model"
    ...     save_libsvm(model, path)
    ...     print("".join(path.read_text().splitlines(keepends=True)[:3]), end="")
    svm_type c_svc
    kernel_type rbf
    gamma 1.0
    """
    check_is_fitted(model)
    name = type(model).__name__
    if not hasattr(model, "support_vectors_") or getattr(model, "average", None) == "vote":
        raise ValueError(f"{name} is not a single kernel expansion: LIBSVM has no such model.")
    if not is_classifier(model):
        raise ValueError(f"save_libsvm stores classifiers, and {name} is none.")
    model = copy.deepcopy(model)  # another thread may be training it
    spec = model._view()._fitted.spec
    if not isinstance(spec.kernel, str) or spec.kernel not in _KERNELS:
        raise ValueError(f"LIBSVM cannot store a model with kernel={spec.kernel!r}.")
    alpha, bias, labels = _problems_of(model, label)
    members, codes, coef = _samples_of(alpha, len(labels))
    vectors = csr_matrix(model.support_vectors_)[members]
    lines = ["svm_type c_svc", f"kernel_type {_KERNELS[spec.kernel]}"]
    if spec.kernel == "poly":
        lines.append(f"degree {spec.degree}")
    if spec.kernel != "linear":
        lines.append(f"gamma {spec.gamma!r}")
    if spec.kernel in ("poly", "sigmoid"):
        lines.append(f"coef0 {spec.coef0!r}")
    lines += [
        f"nr_class {len(labels)}",
        f"total_sv {len(members)}",
        f"rho {_text((-bias).tolist())}",
        f"label {_text(labels)}",
        f"nr_sv {_text(np.bincount(codes, minlength=len(labels)).tolist())}",
        "SV",
    ]
    for i, of_vector in enumerate(coef.T.tolist()):
        row = slice(vectors.indptr[i], vectors.indptr[i + 1])
        pairs = zip(vectors.indices[row].tolist(), vectors.data[row].tolist(), strict=True)
        terms = [f"{index + 1}:{value!r}" for index, value in sorted(pairs)]
        lines.append(" ".join([_text(of_vector), *terms]))
    with atomic_file(path) as file:
        file.write(("\n".join(lines) + "\n").encode())


def _text(numbers):
    return " ".join(map(repr, numbers))


def _problems_of(model, label):
    """Return alpha (n_pairs, n_SV), the biases and the labels of a model file.

    The values of a pair are positive for the first of its labels.
    """
    classes, one_vs_one = model.classes_.tolist(), model._fitted.spec.one_vs_one
    if label is None:
        is_integer = model.classes_.dtype.kind in "iu"
        if not is_integer or not -(2**31) <= classes[0] <= classes[-1] < 2**31:
            advice = "" if one_vs_one else ", or write one file for each class, with label="
            raise ValueError(
                "A model file of LIBSVM requires labels that are integers of 32 bits, got "
                f"{classes[:5]}. Train with such labels{advice}."
            )
        if one_vs_one:
            return model._view()._solution().alpha, model.intercept_, classes
        if len(classes) > 2:
            raise ValueError(
                f"{type(model).__name__} has a problem for each of {len(classes)} classes, and a "
                "model file of LIBSVM one for each pair. Train LASVC(multi_class='ovo'), or write "
                "one file for each class, with label=."
            )
        return model.dual_coef_, model.intercept_, classes[::-1]
    if one_vs_one:
        raise ValueError(
            f"label={label!r}, but a model with multi_class='ovo' has no problem of a class "
            "against all others. Store it with label=None."
        )
    if label not in classes:
        raise ValueError(f"label={label!r} is not a class of the model: {classes[:5]}.")
    at = classes.index(label)
    # Decision values for two classes are those of the second one.
    problem, sign = (0, 2 * at - 1) if len(classes) == 2 else (at, 1)
    one = slice(problem, problem + 1)
    return sign * model.dual_coef_[one], sign * model.intercept_[one], [1, -1]


def _samples_of(alpha, n_classes):
    """Return samples with these alpha (n_pairs, n_vectors): vectors, class codes, coefficients.

    The samples are sorted by class, and the coefficients have shape (n_classes - 1, n_samples): of
    class c, row r belongs to the pair (r, c) if r < c, else to (c, r + 1). In a pair, samples of
    the first class have positive, those of the second negative coefficients. So a vector with
    both, such as an outlier of the ramp loss, is a sample of several classes.
    """
    vectors, codes, coefs = [], [], []
    for code, (pairs, sides) in enumerate(zip(*pairs_by_class(n_classes), strict=True)):
        own = alpha[pairs]
        own = np.where(own * sides[:, np.newaxis] > 0.0, own, 0.0)
        members = np.flatnonzero(own.any(axis=0))
        vectors.append(members)
        codes.append(np.full(len(members), code))
        coefs.append(own[:, members])
    return np.concatenate(vectors), np.concatenate(codes), np.concatenate(coefs, axis=1)


def _alpha_of(codes, coef, n_classes):
    """Return alpha (n_pairs, n_samples), given the codes and coefficients of samples."""
    alpha = np.zeros((n_classes * (n_classes - 1) // 2, len(codes)))
    for code, pairs in enumerate(pairs_by_class(n_classes)[0]):
        is_of_class = codes == code
        alpha[np.ix_(pairs, is_of_class)] = coef[:, is_of_class]
    return alpha


@validate_params(
    {
        "n_features": [Interval(Integral, 1, 2**31 - 1, closed="both"), None],
        "C": [Interval(Real, 0.0, None, closed="right"), None],
    },
    prefer_skip_nested_validation=True,
)
def load_libsvm(path, n_features=None, C=None):
    """Read a model file of LIBSVM as a ``LASVC`` that can be trained further.

    Its predictions are those of LIBSVM. ``partial_fit`` and ``finish`` continue from the solution
    in the file. The file does not contain C or weights, so the upper bound of each coefficient is
    estimated. A support vector that violates its margin is at its bound, so its coefficient is
    used. Other support vectors get the largest bound of their class. ``class_weight`` is set to
    the ratios of the bounds of the classes.

    If several classes have the most votes, the smallest label is predicted, and by LIBSVM the one
    that is first in the file; files of :func:`save_libsvm` are sorted.
    Parameters of LIBSVM's probabilities in the file (``probA``, ``probB``) are not used.

    Parameters
    ----------
    path : str or path-like
        A classification model (``c_svc``).
    n_features : int, default=None
        Number of features. None: the largest index in the file. If fewer than a quarter of the
        values are given, the model stores its support vectors as a CSR matrix.
    C : float, default=None
        Upper bound of the coefficients: the C with which the model was trained or, with class
        weights or sample weights, the largest product of C and a weight. The file does not contain
        it. None: the largest coefficient, which is this bound if any sample violates its margin.

    Returns
    -------
    model : LASVC
        Fitted model, one-vs-one with more than two classes; ``n_samples_seen_`` is the
        number of its support vectors.

    Raises
    ------
    ValueError
        If the file is not a classification model with a linear, polynomial, rbf or sigmoid kernel;
        if it is damaged, or the coefficients of a pair of classes do not sum to 0, as those of a
        model with a bias do, or are all 0 although both classes have samples; if `n_features` or
        `C` is too small for it.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from sklearn_online_svm import LASVC
    >>> from sklearn_online_svm.datasets import make_banana_like
    >>> from sklearn_online_svm.export import load_libsvm, save_libsvm
    >>> X, y = make_banana_like(400, random_state=0)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder) / "banana.model"
    ...     save_libsvm(LASVC(gamma=1.0, random_state=0).fit(X[:200], y[:200]), path)
    ...     model = load_libsvm(path)
    >>> model = model.partial_fit(X[200:], y[200:])
    >>> bool(model.score(X, y) > 0.88)
    True
    """
    fields, alpha, terms = _read_libsvm(path)
    least = max((index for row in terms for index, _ in row), default=1)
    n_features = least if n_features is None else n_features
    if n_features < least:
        raise ValueError(
            f"n_features={n_features}, but {path} has values of feature {least}. Pass at least "
            f"{least}, or None."
        )
    largest = np.abs(alpha).max()
    if C is not None and largest > C:
        raise ValueError(
            f"C={C} is smaller than the largest coefficient in {path}, {largest}. If the model "
            "was trained with weights, pass C times the largest weight, or C=None."
        )
    numbers, signs = _pairs_of_sorted(np.argsort(fields["label"]))
    alpha, bias = signs[:, np.newaxis] * alpha[numbers], -signs * fields["rho"][numbers]
    classes = np.sort(fields["label"])
    vectors, codes, coef = _samples_of(alpha, len(classes))
    # The file is sorted by class; a stream is not.
    order = np.random.default_rng(0).permutation(len(vectors))
    X = _stacked(terms, n_features)[vectors[order]]
    codes, coef = codes[order], coef[:, order]
    alpha = _alpha_of(codes, coef, len(classes))
    if len(classes) == 2:  # decision values are positive for the second class
        alpha, bias = -alpha, -bias
    model = kernel.LASVC(
        C=float(largest if C is None else C),
        kernel=fields["kernel_type"],
        degree=fields.get("degree", 3),
        gamma=fields.get("gamma", 1.0),
        coef0=fields.get("coef0", 0.0),
        multi_class="ovo" if len(classes) > 2 else "ovr",
    )
    solution = X, classes[codes], classes, alpha, bias
    try:
        start_from(model, *solution, np.full(len(codes), model.C))
        bounds = _bounds_of(model, X, codes, alpha)
        model = clone(model).set_params(class_weight=_class_weight(bounds, classes[codes]))
        return start_from(model, *solution, bounds)
    except MemoryError as error:
        message = f"There is not enough memory for the {n_features} features of {path}."
        raise ValueError(message) from error


def _bounds_of(model, X, codes, alpha):
    """Return the largest abs(alpha) that each support vector of a solution could have.

    A vector that violates its margin is at its bound. Others get the largest bound of their class,
    or C.
    """
    sizes, losses = np.abs(alpha), model._fitted.targets.losses(codes, model._decision_values(X))
    own = np.where(losses.T > _LEAST_LOSS, sizes, 0.0).max(axis=0)
    for code in np.unique(codes):
        of_class = codes == code
        own[of_class & (own == 0.0)] = own[of_class].max() or model.C
    return np.maximum(own, sizes.max(axis=0))


def _class_weight(bounds, labels):
    """Return the weights of classes in proportion to their bounds; None if these are equal."""
    largest = {label: bounds[labels == label].max() for label in np.unique(labels).tolist()}
    most = max(largest.values())
    weights = {label: float(bound / most) for label, bound in largest.items()}
    return weights if min(weights.values()) < 1.0 - 1e-9 else None


def _pairs_of_sorted(order):
    """Return the number of each pair of sorted labels in the file, and its sign there.

    ``order``: numbers of the labels in the file, sorted.
    """
    n_classes = len(order)
    first, second = order[list(combinations(range(n_classes), 2))].T
    a, b = np.minimum(first, second), np.maximum(first, second)
    return a * (2 * n_classes - a - 1) // 2 + b - a - 1, np.where(first < second, 1.0, -1.0)


def _stacked(terms, n_features):
    """Return the samples as a CSR matrix, or as an array if few values are zero."""
    indptr = np.cumsum([0, *map(len, terms)])
    indices = [index - 1 for row in terms for index, _ in row]
    data = [value for row in terms for _, value in row]
    X = csr_matrix((data, indices, indptr), shape=(len(terms), n_features), dtype=np.float64)
    return X.toarray() if 4 * X.nnz >= len(terms) * n_features else X


def _read_libsvm(path):
    """Return the fields of the header, alpha of each pair, and (index, value) of each vector."""
    # Other characters are errors in their line.
    with open(path, encoding="ascii", errors="replace") as file:
        lines = file.read().splitlines()
    if "SV" not in lines:
        raise ValueError(f"{path} is not a model file of LIBSVM: it has no line 'SV'.")
    start = lines.index("SV") + 1
    fields = _read_header(path, dict(line.partition(" ")[::2] for line in lines[: start - 1]))
    n_classes = len(fields["label"])
    coef, terms = [], []
    for number, line in enumerate(lines[start:], start + 1):
        try:
            words = line.split()
            if len(words) < n_classes - 1:
                raise ValueError
            coef.append([_finite(word) for word in words[: n_classes - 1]])
            row = [pair.split(":") for pair in words[n_classes - 1 :]]
            terms.append([(_index(index), _finite(value)) for index, value in row])
            if any(a >= b for (a, _), (b, _) in pairwise(terms[-1])):
                raise ValueError
        except ValueError:
            raise ValueError(
                f"{path}, line {number}, is not a coefficient with a support vector: {line!r:.80}."
            ) from None
    if len(coef) != fields["total_sv"] or not coef:
        raise ValueError(
            f"{path} has {len(coef)} support vectors and total_sv {fields['total_sv']}."
        )
    # Coefficients of two classes have a sign, and that is enough.
    counts = fields["nr_sv"] if n_classes > 2 else [len(coef), 0]
    if sum(counts) != len(coef):
        raise ValueError(f"{path} has {len(coef)} support vectors and nr_sv {_text(counts)}.")
    alpha = _alpha_of(np.repeat(range(n_classes), counts), np.transpose(coef), n_classes)
    for of_pair, pair in zip(alpha, combinations(range(n_classes), 2), strict=True):
        labels = [fields["label"][code] for code in pair]
        size = np.abs(of_pair).sum()
        # A class may have no samples, as one of weight 0: its pairs have a bias only.
        has_both = n_classes == 2 or all(counts[code] for code in pair)
        if size == 0.0 and (has_both or not alpha.any()):
            raise ValueError(
                f"{path} has no coefficients for the labels {labels[0]} and {labels[1]}, so there "
                "is no model of them to continue."
            )
        if abs(of_pair.sum()) > 1e-6 * size:
            raise ValueError(
                f"The coefficients in {path} sum to {of_pair.sum():.3g}, not to 0: it is not the "
                "model of a support vector machine with a bias."
            )
    return fields, alpha, terms


def _read_header(path, text):
    """Return the fields, given their text."""
    known = text.get("nr_class", "")
    n_classes = int(known) if known.isdecimal() and len(known) < 10 else 0
    if text.get("svm_type") != "c_svc" or n_classes < 2:
        raise ValueError(
            f"{path} is not a classification model (c_svc) for two or more classes: svm_type is "
            f"{text.get('svm_type')!r} and nr_class {text.get('nr_class')!r}."
        )
    kernels = {theirs: ours for ours, theirs in _KERNELS.items()}
    if text.get("kernel_type") not in kernels:
        raise ValueError(
            f"{path} has kernel_type {text.get('kernel_type')!r}; "
            f"only {', '.join(kernels)} can be read."
        )
    fields = {"kernel_type": kernels[text["kernel_type"]]}
    sizes = {"label": n_classes, "rho": n_classes * (n_classes - 1) // 2}
    if n_classes > 2:
        sizes["nr_sv"] = n_classes
    required = {"total_sv", *sizes}
    for name, read in _FIELDS.items():
        try:
            if name in text or name in required:
                fields[name] = read(text[name])
            if name in sizes and len(fields[name]) != sizes[name]:
                raise ValueError
        except (KeyError, ValueError):
            raise ValueError(f"{path} has no valid {name}: {text.get(name)!r}.") from None
    return fields


def _finite(text):
    value = float(text)
    if not np.isfinite(value):
        raise ValueError
    return value


def _finite_numbers(text):
    return np.array([_finite(number) for number in text.split()])


def _index(text):
    index = int(text)
    if not 1 <= index < 2**31:
        raise ValueError
    return index


def _labels(text):
    labels = list(map(int, text.split()))
    if len(set(labels)) < len(labels) or any(abs(label) >= 2**63 for label in labels):
        raise ValueError
    return labels


def _counts(text):
    counts = list(map(int, text.split()))
    if min(counts) < 0:
        raise ValueError
    return counts


_FIELDS = {
    "label": _labels,
    "total_sv": int,
    "nr_sv": _counts,
    "rho": _finite_numbers,
    "degree": int,
    "gamma": _finite,
    "coef0": _finite,
}
