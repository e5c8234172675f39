"""suspect_labels of the kernel models."""

import pickle
from functools import partial

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.datasets import load_digits
from sklearn.exceptions import NotFittedError
from sklearn.metrics.pairwise import rbf_kernel

from sklearn_online_svm import LASVC, RampSVC
from sklearn_online_svm.datasets import flip_labels
from tests.support.robust import (
    BOTH,
    GAMMA,
    with_both,
    with_layouts,
)
from tests.support.samples import (
    LAYOUTS,
    two_classes,
)

JUDGES = {
    "lasvm": partial(LASVC, random_state=0),
    "lasvm-nc": partial(LASVC, algorithm="lasvm-nc", random_state=0),
    "lasvm-i": partial(LASVC, algorithm="lasvm-i", random_state=0),
    "RampSVC": partial(RampSVC, random_state=0),
}
with_judges = pytest.mark.parametrize("judge", JUDGES)


def margins_of(model, X, y):
    """Return the margins by their definition."""
    decisions = model.decision_function(X)
    codes = np.searchsorted(model.classes_, y)
    if decisions.ndim == 1:
        return np.where(codes == 1, 1, -1) * decisions
    margins = []
    for row, code in zip(decisions, codes):
        margins.append(0.5 * (row[code] - np.delete(row, code).max()))
    return np.array(margins)


@with_judges
@with_both
@with_layouts
def test_suspects_are_the_samples_of_smallest_margin(judge, problem, layout):
    X, y = BOTH[problem]()
    data = LAYOUTS[layout](X)
    model = JUDGES[judge](gamma=GAMMA, C=5.0, ramp_s=-0.3).fit(data, y)
    X_new, y_new = BOTH[problem](150, seed=3)
    for rows, labels in [(X, y), (X_new, y_new)]:
        rows = LAYOUTS[layout](rows)
        expected = margins_of(model, rows, labels)
        suspects, margins = model.suspect_labels(rows, labels, return_margins=True)
        assert_allclose(margins, expected[suspects], rtol=1e-12, atol=1e-12)
        assert (np.diff(margins) >= 0).all()
        assert set(suspects) == set(np.flatnonzero(expected < -0.3))
        assert_array_equal(model.suspect_labels(rows, labels), suspects)
        for n_suspects in (0, 1, 20, np.int64(5), len(labels)):
            chosen, margins = model.suspect_labels(
                rows, labels, n_suspects=n_suspects, return_margins=True
            )
            assert len(chosen) == len(margins) == n_suspects == len(set(chosen))
            assert_array_equal(chosen, np.argsort(expected, kind="stable")[:n_suspects])
        assert len(model.suspect_labels(rows, labels, n_suspects=10**6)) == len(labels)


@with_both
def test_suspect_labels_leaves_model_unchanged(problem):
    X, y = BOTH[problem]()
    model = JUDGES["lasvm-nc"](gamma=GAMMA).fit(X, y)
    before, decisions = pickle.dumps(model), model.decision_function(X)
    model.suspect_labels(X, y, n_suspects=10)
    model.suspect_labels(X, y, return_margins=True)
    assert_array_equal(model.decision_function(X), decisions)
    assert pickle.dumps(model) == before


def test_suspects_of_equal_margins_are_sorted_by_index():
    X, y = two_classes()
    model = JUDGES["lasvm-nc"](gamma=GAMMA).fit(X, y)
    same = np.tile(X[:1], (5, 1))
    assert_array_equal(model.suspect_labels(same, np.tile(y[:1], 5), n_suspects=5), np.arange(5))


@with_judges
def test_suspect_labels_rejects_invalid_input(judge):
    X, y = two_classes()
    with pytest.raises(NotFittedError):
        JUDGES[judge]().suspect_labels(X, y)
    model = JUDGES[judge](gamma=GAMMA).fit(X, y)
    for value in (-1, 1.5, 3.0, "all", np.nan, np.float64(2)):
        with pytest.raises(ValueError, match="n_suspects must be an integer >= 0 or None, got"):
            model.suspect_labels(X, y, n_suspects=value)
    with pytest.raises(ValueError, match=r"not among the classes \['no', 'yes'\]: \['maybe'\]"):
        model.suspect_labels(X, np.r_[y[:-1], ["maybe"]])
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        model.suspect_labels(X, y[:-1])
    with pytest.raises(ValueError, match="y should be a 1d array"):
        model.suspect_labels(X, np.c_[y, y])
    with pytest.raises(ValueError, match="X has 3 features"):
        model.suspect_labels(X[:, 1:], y)
    with pytest.raises(ValueError, match="NaN"):
        model.suspect_labels(np.full_like(X, np.nan), y)
    with pytest.raises(TypeError):
        model.suspect_labels(X, y, 10)


def test_suspects_by_a_precomputed_kernel():
    X, y = two_classes()
    K = rbf_kernel(X, gamma=GAMMA)
    for make in (partial(LASVC, algorithm="lasvm-nc", shuffle=False), RampSVC):
        model = make(kernel="precomputed").fit(K, y)
        margins = margins_of(model, K, y)
        suspects = model.suspect_labels(K, y, n_suspects=7)
        assert_array_equal(suspects, np.argsort(margins, kind="stable")[:7])


@pytest.mark.parametrize("judge", ["lasvm-nc", "lasvm-i", "RampSVC"])
@pytest.mark.parametrize("classes", [2, 10])
def test_flipped_digits_are_suspected(judge, classes):
    X, y = load_digits(return_X_y=True)
    X, y = X[:900] / 16, y[:900] if classes == 10 else (y[:900] >= 5).astype(int)
    given, flipped = flip_labels(y, 0.15, random_state=0, return_mask=True)
    model = JUDGES[judge](C=10.0).fit(X, given)
    n = flipped.sum()
    found = flipped[model.suspect_labels(X, given, n_suspects=n)]
    assert found.mean() > 0.5 > 3 * flipped.mean()
    assert found[: n // 4].mean() > 0.6
    # Samples that were not used for training.
    X, y = load_digits(return_X_y=True)
    X, y = X[900:] / 16, y[900:] if classes == 10 else (y[900:] >= 5).astype(int)
    given, flipped = flip_labels(y, 0.15, random_state=1, return_mask=True)
    found = flipped[model.suspect_labels(X, given, n_suspects=flipped.sum())]
    assert found.mean() > 0.6
