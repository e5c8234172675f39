"""LASVC(multi_class="ovo", max_iter=-1) and SVC on data sets of several classes."""

import numpy as np
import pytest
from sklearn.datasets import load_digits
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from sklearn_online_svm import LASVC

TOL = 1e-4
N_TESTED = 2000
# Number of training samples, or None for all, and whether features are standardized.
SETS = {
    "covtype_first20k": (None, True),
    "digits": (1000, False),
    "letter": (None, True),
    "mnist": (10_000, False),
    "newsgroups20": (6000, False),
    "poker_train25010": (8000, True),
    "satimage": (None, True),
    "usps": (None, False),
}


def samples(name, paper_data):
    """Return training and test samples with their labels, in random order."""
    n_train, is_standardized = SETS[name]
    if name == "digits":
        X, y = load_digits(return_X_y=True)
        X_test = None
    else:
        data = paper_data(name)
        X, y, X_test, y_test = data.X_train, data.y_train, data.X_test, data.y_test
    rows = np.random.default_rng(0).permutation(X.shape[0])
    first, rest = rows[:n_train], rows[n_train:] if n_train else rows[:0]
    if X_test is None:
        X_test, y_test = X[rest], y[rest]
    X, y = X[first], y[first]
    if is_standardized:
        scaler = StandardScaler().fit(X)
        X, X_test = scaler.transform(X), scaler.transform(X_test)
    return X, y, X_test[:N_TESTED], y_test[:N_TESTED]


@pytest.mark.slow
@pytest.mark.parametrize("name", SETS)
def test_predictions_and_decision_values_are_those_of_svc(name, paper_data):
    X, y, X_test, y_test = samples(name, paper_data)
    params = dict(C=10.0, tol=TOL, gamma="scale")
    model = LASVC(multi_class="ovo", max_iter=-1, random_state=0, **params).fit(X, y)
    # SVC converts the samples to double.
    svc = SVC(**params).fit(X, y)
    assert model.kkt_violation_ <= 1.1 * TOL
    predicted, expected = model.predict(X_test), svc.predict(X_test)
    assert np.mean(predicted == expected) >= 0.999
    assert abs(np.mean(predicted == y_test) - np.mean(expected == y_test)) <= 0.001
    values = []
    for shape in ("ovo", "ovr"):
        model.decision_function_shape = svc.decision_function_shape = shape
        values.append((model.decision_function(X_test), svc.decision_function(X_test)))
    (of_pairs, theirs), (of_classes, theirs_of_classes) = values
    # The kernel values of both are in single precision, and the violations are at most TOL.
    assert np.abs(of_pairs - theirs).max() <= 20 * TOL
    same = (np.sign(of_pairs) == np.sign(theirs)).all(axis=1)
    assert np.mean(same) > 0.99
    assert np.abs(of_classes - theirs_of_classes)[same].max() <= 20 * TOL
