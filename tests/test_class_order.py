"""The warning of a stream that is sorted by class, in every classifier with partial_fit."""

import warnings

import numpy as np
import pytest
from sklearn.base import is_classifier
from sklearn.preprocessing import StandardScaler

from sklearn_online_svm import LASVC, AROWClassifier, KernelAROWClassifier
from sklearn_online_svm.active import RandomQuery
from sklearn_online_svm.cells import CellClassifier
from sklearn_online_svm.model_selection import ProgressiveSearch
from sklearn_online_svm.pipeline import make_online_pipeline
from tests.support.samples import three_classes
from tests.support.trainable import STREAMS, seeded

SORTED = "The stream is sorted by class"
# "labels, Python loop" has an estimator of another package.
CLASSIFIERS = [n for n, m in STREAMS.items() if is_classifier(m) and "Python" not in n]
with_classifiers = pytest.mark.parametrize("name", CLASSIFIERS)


def model_of(name):
    model = seeded(name)
    # Models that replay sorted streams do not warn.
    params = model.get_params()
    model.set_params(**{key: 0 for key in params if key.split("__")[-1] == "replay_size"})
    if name.startswith("labels"):
        model.set_params(query_strategy=RandomQuery(rate=1.0, random_state=0))
    if name.startswith("cells"):
        model.set_params(cell_size=100)
    return model


def data(name, n):
    X, y = three_classes(n)
    X[np.abs(X) < 0.3] = 0.0
    return X, np.where(y == 10, 10, 20) if "2 classes" in name else y


def train(model, X, y, size=50, labels=(10, 20, 30)):
    """Train on the chunks of a stream; return the warnings."""
    with warnings.catch_warnings(record=True) as record:
        warnings.simplefilter("always")
        for first in range(0, len(y), size):
            chunk = slice(first, first + size)
            model.partial_fit(X[chunk], y[chunk], classes=labels)
    found = [warning for warning in record if SORTED in str(warning.message)]
    if isinstance(model, ProgressiveSearch):  # those of candidates in other calls
        found = list({str(warning.message): warning for warning in found}.values())
    return found


@pytest.mark.sampled
@with_classifiers
def test_a_stream_that_is_sorted_is_reported_once(name):
    X, y = data(name, 300)
    order, labels = np.argsort(y, kind="stable"), np.unique(y)
    model = model_of(name)
    assert not train(model, X, y, labels=labels)
    model.fit(X, y)
    assert not train(model, X[order[:50]], y[order[:50]], labels=labels)  # others may be rare
    model = model_of(name)
    found = train(model, np.tile(X[order], (2, 1)), np.tile(y[order], 2), labels=labels)
    assert len(found) == 1
    assert "less than 5% of the class changes" in str(found[0].message)
    assert found[0].filename == __file__


@pytest.mark.sampled
@with_classifiers
def test_a_long_run_of_a_class_is_reported_once(name):
    """The changes of class before it are as many as in a random order."""
    X, y = data(name, 600)
    one = np.tile(X[y == 10], (6, 1))[:600]
    model, labels = model_of(name), np.unique(y)
    assert not train(model, X, y, labels=labels)
    assert not train(model, one[:250], np.full(250, 10), labels=labels)
    found = train(model, one[:300], np.full(300, 10), labels=labels)
    assert len(found) == 1
    assert "500 or more consecutive samples of one class" in str(found[0].message)
    assert not train(model, one, np.full(600, 10), labels=labels)


@pytest.mark.parametrize("name", ["arow", "lasvm", "kernel arow", "calibrated", "labels"])
def test_a_new_class_may_come_many_times_in_a_row(name):
    X, y = data(name, 600)
    model, known = model_of(name), y != 30
    assert not train(model, X[known], y[known], labels=[10, 20])
    new = np.tile(X[~known], (3, 1))
    assert not train(model, new, np.full(len(new), 30))


@pytest.mark.parametrize("estimator", [LASVC(gamma=0.3, replay_size=0), AROWClassifier()], ids=str)
def test_rungs_of_a_search_are_no_stream(estimator):
    X, y = data("", 1500)
    order = np.r_[np.arange(500), 500 + np.argsort(y[500:], kind="stable")]
    X, y = X[order], y[order]
    name = "C" if isinstance(estimator, LASVC) else "r"
    search = ProgressiveSearch(estimator, {name: [0.1, 1.0, 10.0]}, cv=None, shuffle=False)
    with warnings.catch_warnings():
        warnings.filterwarnings("error", SORTED)
        search.fit(X, y)
    # partial_fit continues a stream.
    assert train(search, *(np.concatenate([a[500:]] * 2) for a in (X, y)))


@pytest.mark.parametrize(
    ("estimator", "warns"),
    [
        (LASVC(), False),
        (make_online_pipeline(StandardScaler(), LASVC()), False),
        (LASVC(replay_size=0), True),
        (LASVC(window_size=200), True),
        (KernelAROWClassifier(), True),  # replay is not sufficient in short streams
    ],
    ids=str,
)
def test_cells_warn_unless_the_models_of_cells_replay(estimator, warns):
    X, y = three_classes(600)
    order = np.argsort(y, kind="stable")
    model = CellClassifier(estimator, cell_size=200, random_state=0)
    assert bool(train(model, X[order], y[order])) == warns
