"""The linear learners as users meet them: attributes, labels, passes, chunks, copies, company."""

import copy
import io
import pickle
import re
import tracemalloc
import warnings
from concurrent.futures import ThreadPoolExecutor
from contextlib import redirect_stdout

import joblib
import numpy as np
import pytest
import sklearn
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from scipy.sparse import csr_array, csr_matrix
from sklearn.base import clone, is_classifier, is_regressor
from sklearn.calibration import CalibratedClassifierCV
from sklearn.datasets import load_diabetes, load_digits
from sklearn.ensemble import BaggingClassifier, BaggingRegressor, VotingClassifier
from sklearn.exceptions import ConvergenceWarning, NotFittedError
from sklearn.feature_selection import RFE, SelectFromModel
from sklearn.linear_model import SGDClassifier, SGDRegressor
from sklearn.model_selection import (
    GridSearchCV,
    StratifiedKFold,
    cross_val_score,
    learning_curve,
    train_test_split,
)
from sklearn.multiclass import OneVsOneClassifier, OneVsRestClassifier
from sklearn.multioutput import MultiOutputClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from sklearn_online_svm import (
    AROWClassifier,
    ConfidenceWeightedClassifier,
    CostSensitivePassiveAggressiveClassifier,
    PassiveAggressiveClassifier,
    PassiveAggressiveRegressor,
    PerceptronClassifier,
    SCWClassifier,
    SecondOrderPerceptronClassifier,
)
from tests.support.copies import with_copies
from tests.support.samples import LAYOUTS, breast_cancer, three_classes, two_classes

FIRST_ORDER = {
    "pa": PassiveAggressiveClassifier(),
    "pa2": PassiveAggressiveClassifier(loss="squared_hinge", C=0.5),
    "pa-joint": PassiveAggressiveClassifier(multi_class="crammer_singer"),
    "perceptron": PerceptronClassifier(positive_margin=0.4, negative_margin=0.1, pos_label="yes"),
    "perceptron-joint": PerceptronClassifier(multi_class="crammer_singer"),
    "cost": CostSensitivePassiveAggressiveClassifier(average=False),
    "cost-joint": CostSensitivePassiveAggressiveClassifier(
        rule="max_loss", multi_class="crammer_singer", average=False
    ),
}
SECOND_ORDER = {
    "sop": SecondOrderPerceptronClassifier(),
    "sop-diag": SecondOrderPerceptronClassifier(covariance="diag"),
    "cw": ConfidenceWeightedClassifier(),
    "cw-full": ConfidenceWeightedClassifier(covariance="full"),
    "arow": AROWClassifier(),
    "arow-full": AROWClassifier(covariance="full"),
    "scw": SCWClassifier(),
    "scw2-full": SCWClassifier(loss="squared_hinge", covariance="full"),
}
CLASSIFIERS = {**FIRST_ORDER, **SECOND_ORDER}
# One of each kind of state.
STATES = ("pa", "pa-average", "pa-joint", "arow", "arow-full")
CLASSIFIERS["pa-average"] = PassiveAggressiveClassifier(average=True)
# Alike for dense and for sparse rows; by default it depends on the rows.
for _model in (*FIRST_ORDER.values(), CLASSIFIERS["pa-average"]):
    _model.set_params(intercept_scaling=1.0)
# Those that can average.
AVERAGING = {
    name: CLASSIFIERS[name] for name in ("pa", "pa2", "pa-joint", "perceptron", "perceptron-joint")
}

BOTH = {"binary": two_classes, "multiclass": three_classes}
with_both = pytest.mark.parametrize("problem", BOTH)
with_layouts = pytest.mark.parametrize("layout", LAYOUTS)
with_dtypes = pytest.mark.parametrize("dtype", [np.float32, np.float64])
with_classifiers = pytest.mark.parametrize("name", CLASSIFIERS)
with_states = pytest.mark.parametrize("name", STATES)
with_averaging = pytest.mark.parametrize("name", AVERAGING)


def model_of(name, **params):
    return clone(CLASSIFIERS[name]).set_params(**{"random_state": 0, **params})


# What else a model needs where the labels are 0 and 1, not "no" and "yes".
OF_NUMBERS = {"perceptron": {"pos_label": None}}


def once(name, **params):
    """A model that makes a single pass."""
    return model_of(name, **{"max_iter": 1, "tol": None, **params})


def regressor(**params):
    return PassiveAggressiveRegressor(**{"random_state": 0, "intercept_scaling": 1.0, **params})


def rows_of(problem, layout="dense", dtype=np.float64, n=200):
    X, y = BOTH[problem](n)
    X[np.abs(X) < 0.3] = 0.0  # so that there is something sparse about it
    return LAYOUTS[layout](X.astype(dtype)), y


def line(n=200, *, noise=0.1, seed=0, dtype=np.float64, layout="dense"):
    """Rows and targets for regression."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 4))
    X[np.abs(X) < 0.3] = 0.0
    y = X @ [1.0, -2.0, 0.5, 0.0] + 0.7 + noise * rng.normal(size=n)
    return LAYOUTS[layout](X.astype(dtype)), y


def learn(model, X, y, size=None, begin=0, classes=None):
    """`partial_fit` from row `begin` on, in chunks."""
    first_call = {} if is_regressor(model) else {"classes": np.unique(y)}
    if classes is not None:
        first_call = {"classes": classes}
    n = X.shape[0]
    for first in range(begin, n, size or n):
        part = slice(first, first + (size or n))
        model.partial_fit(X[part], y[part], **(first_call if first == 0 else {}))
    return model


def dense(array):
    return array.toarray() if sparse.issparse(array) else np.asarray(array)


def arrays_of(model):
    names = ["coef_", "intercept_"]
    if hasattr(model, "covariance_"):
        names.append("covariance_")
    return {name: dense(getattr(model, name)).copy() for name in names}


def assert_same(model, other, rtol=0.0, atol=0.0):
    ours, theirs = arrays_of(model), arrays_of(other)
    assert set(ours) == set(theirs)
    for name, array in ours.items():
        assert_allclose(array, theirs[name], rtol=rtol, atol=atol, err_msg=name)
    assert model.t_ == other.t_
    # Rounded differently, a margin may be met or missed by a hair.
    n_updates = other.n_updates_
    assert abs(model.n_updates_ - n_updates) <= (0.05 * n_updates if rtol else 0)


# -- attributes -------------------------------------------------------------------------


@with_classifiers
@with_both
@with_layouts
@with_dtypes
def test_shapes_types_and_predictions(name, problem, layout, dtype):
    X, y = rows_of(problem, layout, dtype)
    model = model_of(name, max_iter=3, tol=None).fit(X, y)
    K = 1 if problem == "binary" else 3
    full = model.get_params().get("covariance") == "full"
    assert model.coef_.shape == (K, 4) and type(model.coef_) is np.ndarray
    assert model.coef_.dtype == (np.float64 if full else dtype)
    assert model.intercept_.shape == (K,) and model.intercept_.dtype == np.float64
    assert model.n_iter_ == 3 and model.t_ == 1 + 3 * 200
    assert 0 < model.n_updates_ <= 600
    assert model.n_features_in_ == 4
    assert_array_equal(model.classes_, np.unique(y))
    if name in SECOND_ORDER:
        assert model.covariance_.shape == ((K, 5, 5) if full else (K, 5))
        bare = model_of(name, fit_intercept=False).fit(X, y)
        assert bare.covariance_.shape == ((K, 4, 4) if full else (K, 4))
        assert_array_equal(bare.intercept_, 0.0)
    else:
        assert not hasattr(model, "covariance_") and not hasattr(model, "decision_variance")

    decisions = dense(X @ model.coef_.T) + model.intercept_
    assert_allclose(
        model.decision_function(X), decisions[:, 0] if K == 1 else decisions, rtol=1e-6, atol=1e-6
    )
    codes = (decisions[:, 0] > 0).astype(int) if K == 1 else decisions.argmax(axis=1)
    assert_array_equal(model.predict(X), model.classes_[codes])
    assert model.score(X, y) > 0.55


@with_layouts
@with_dtypes
@pytest.mark.parametrize("loss", ["epsilon_insensitive", "squared_epsilon_insensitive"])
@pytest.mark.parametrize("average", [False, True])
def test_regression(layout, dtype, loss, average):
    X, y = line(layout=layout, dtype=dtype)
    model = regressor(loss=loss, average=average, C=0.1, max_iter=5, tol=None).fit(X, y)
    assert is_regressor(model)
    assert model.coef_.shape == (4,) and model.coef_.dtype == dtype
    assert model.intercept_.shape == (1,)
    assert model.n_iter_ == 5 and model.t_ == 1001 and 0 < model.n_updates_ <= 1000
    assert_allclose(model.predict(X), X @ model.coef_ + model.intercept_, rtol=1e-5, atol=1e-5)
    assert model.predict(X).shape == (200,)
    assert_allclose(model.coef_, [1.0, -2.0, 0.5, 0.0], atol=0.15)
    assert_allclose(model.intercept_, 0.7, atol=0.15)
    assert not hasattr(model, "classes_")


@pytest.mark.parametrize(
    "attribute", ["coef_", "intercept_", "t_", "n_updates_", "classes_", "n_iter_", "covariance_"]
)
def test_attributes_do_not_exist_before_fit(attribute):
    for model in (AROWClassifier(), PassiveAggressiveClassifier(), regressor()):
        assert not hasattr(model, attribute)


@pytest.mark.parametrize("method", ["predict", "decision_function", "decision_variance"])
def test_not_fitted(method):
    with pytest.raises(NotFittedError, match="AROWClassifier instance is not fitted"):
        getattr(AROWClassifier(), method)(two_classes()[0])


@with_classifiers
def test_without_an_intercept(name):
    binary = once(name, fit_intercept=False).fit(*rows_of("binary"))
    # On the boundary: the first class.
    assert_array_equal(binary.predict(np.zeros((2, 4))), ["no", "no"])
    X, y = rows_of("multiclass")
    model = model_of(name, fit_intercept=False).fit(X, y)
    assert_array_equal(model.intercept_, 0.0)
    assert_array_equal(model.decision_function(np.zeros((1, 4))), np.zeros((1, 3)))
    model.partial_fit(X, y)
    assert_array_equal(model.intercept_, 0.0)


@with_states
def test_counts_of_rows_and_updates(name):
    X, y = rows_of("multiclass")
    model = model_of(name)
    n_updates = 0
    for i in range(60):
        before = arrays_of(model) if i else None
        model.partial_fit(X[i : i + 1], y[i : i + 1], classes=[10, 20, 30])
        assert model.t_ == i + 2
        moved = before is None or any(
            (array != before[key]).any() for key, array in arrays_of(model).items()
        )
        if name != "pa-average":  # whose mean moves always
            assert model.n_updates_ - n_updates == moved
        n_updates = model.n_updates_
    assert 0 < n_updates <= 60


# -- labels -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    "labels",
    [
        ["no", "yes"],
        [False, True],
        [-1, 1],
        [-7, -3],
        [-1.0, 1.0],
        [2.0**60, 2.0**61],
        [2**62 + 1, 2**62 + 3],  # one and the same number as floats
        np.array([2**63 + 5, 2**64 - 1], dtype=np.uint64),
        np.array([3, 250], dtype=np.uint8),
        np.array(["no", "yes"], dtype=object),
        ["a", "b", "longer"],
        [-5, 0, 2**40],
        [-0.0, 1.0, 7.0],
        np.array([1, 2, 3], dtype=np.int8),
    ],
    ids=str,
)
@pytest.mark.parametrize("name", ["pa", "arow"])
def test_labels_of_any_type(name, labels):
    labels = np.asarray(labels)
    X, codes = BOTH["binary" if len(labels) == 2 else "multiclass"]()
    codes = np.unique(codes, return_inverse=True)[1]
    y = labels[codes]
    model, plain = model_of(name).fit(X, y), model_of(name).fit(X, codes)
    assert_array_equal(model.classes_, np.unique(y))
    assert model.classes_.dtype == y.dtype
    assert_same(model, plain)
    assert_array_equal(model.predict(X), labels[plain.predict(X)])
    assert model.predict(X).dtype == y.dtype

    stream = model_of(name).partial_fit(X, y, classes=labels)
    assert_array_equal(stream.classes_, model.classes_)
    stream.partial_fit(X[:1], y[:1]).partial_fit(X.tolist(), y.tolist())
    plain = learn(model_of(name), X, codes, classes=np.arange(len(labels)))
    assert_same(stream, plain.partial_fit(X[:1], codes[:1]).partial_fit(X, codes))


def test_labels_of_pandas():
    pandas = pytest.importorskip("pandas")
    X, y = two_classes()
    plain = model_of("pa").fit(X, y)
    for dtype in ("category", "string", object, None):
        model = model_of("pa").fit(X, pandas.Series(y, dtype=dtype))
        assert_same(model, plain)
        assert_array_equal(model.predict(X), plain.predict(X))
    whole = pandas.Series((y == "yes").astype(int), dtype="Int64")
    assert_same(model_of("pa").fit(X, whole), plain)


def test_many_classes():
    rng = np.random.default_rng(0)
    y = np.repeat(np.arange(300) - 150, 3)
    X = np.eye(300)[y + 150] + 0.01 * rng.normal(size=(900, 300))
    for name in ("pa", "pa-joint"):
        model = model_of(name, max_iter=5, tol=None).fit(X, y)
        assert model.coef_.shape == (300, 300)
        assert model.score(X, y) == 1.0


# -- how well ---------------------------------------------------------------------------


@pytest.mark.parametrize("name", [*CLASSIFIERS])
@pytest.mark.parametrize("data", ["breast cancer", "digits"])
def test_accuracy_is_that_of_sgd_classifier(name, data):
    X, y = breast_cancer() if data == "breast cancer" else load_digits(return_X_y=True)
    X = X if data == "breast cancer" else X[:900] / 16
    y = y[: len(X)]
    X, X_test, y, y_test = train_test_split(X, y, test_size=0.3, random_state=0, stratify=y)
    params = dict(max_iter=10, tol=None, **OF_NUMBERS.get(name, {}))
    if name.startswith(("pa", "cost")):
        params["C"] = 0.1
    sgd = SGDClassifier(random_state=0).fit(X, y).score(X_test, y_test)
    assert model_of(name, **params).fit(X, y).score(X_test, y_test) > sgd - 0.04


def test_regression_is_as_good_as_that_of_sgd():
    X, y = load_diabetes(return_X_y=True)
    y = (y - y.mean()) / y.std()
    X = StandardScaler().fit_transform(X)
    X, X_test, y, y_test = train_test_split(X, y, test_size=0.3, random_state=0)
    sgd = SGDRegressor(random_state=0).fit(X, y).score(X_test, y_test)
    for loss in ("epsilon_insensitive", "squared_epsilon_insensitive"):
        model = regressor(C=0.003, loss=loss, average=True, max_iter=30, tol=None).fit(X, y)
        assert model.score(X_test, y_test) > sgd - 0.05


# -- passes -----------------------------------------------------------------------------


@with_classifiers
@with_both
@with_layouts
def test_passes_are_chunks_given_again(name, problem, layout):
    X, y = rows_of(problem, layout)
    model = once(name, shuffle=False, max_iter=3).fit(X, y)
    stream = learn(model_of(name), X, y).partial_fit(X, y).partial_fit(X, y)
    assert_same(model, stream)


@with_states
def test_shuffle_and_random_state(name):
    X, y = rows_of("binary")
    seeded = [once(name, random_state=5).fit(X, y) for _ in range(2)]
    assert_same(*seeded)
    assert_same(once(name, random_state=np.random.RandomState(5)).fit(X, y), seeded[0])
    unshuffled = once(name, shuffle=False).fit(X, y)
    assert_same(once(name, shuffle=False, random_state=7).fit(X, y), unshuffled)
    for other in (once(name, random_state=6).fit(X, y), unshuffled):
        assert (other.coef_ != seeded[0].coef_).any()
    # A generator given goes on.
    generator = np.random.RandomState(5)
    first, second = (once(name, random_state=generator).fit(X, y) for _ in range(2))
    assert_same(first, seeded[0])
    assert (second.coef_ != first.coef_).any()


def test_every_pass_has_its_own_order():
    X, y = rows_of("binary")
    twice = once("pa", max_iter=2).fit(X, y)
    again = once("pa").fit(X, y)
    again.set_params(warm_start=True).fit(X, y)  # the same order twice
    assert (twice.coef_ != again.coef_).any()


@pytest.mark.parametrize("n_iter_no_change", [1, 3])
@pytest.mark.parametrize("early_stopping", [False, True])
def test_no_gain_ends_the_passes(n_iter_no_change, early_stopping):
    """The first pass gains whatever it reaches, and nothing gains so much as this tol."""
    X, y = rows_of("binary")
    params = dict(n_iter_no_change=n_iter_no_change, early_stopping=early_stopping)
    for model in (model_of("pa", tol=1e9, **params), regressor(tol=1e9, **params)):
        targets = line()[1] if is_regressor(model) else y
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            model.fit(X, targets)
        assert model.n_iter_ == 1 + n_iter_no_change


def number_of_passes(values, tol, n_iter_no_change, max_iter):
    """When to stop: so many passes in a row without a gain; and whether a gain came between."""
    best, without, resumed = values[0], 0, False
    for n_passes, value in enumerate(values[1:], 2):
        gained = value <= best - tol
        resumed |= gained and without > 0
        without = 0 if gained else without + 1
        best = min(best, value)
        if without == n_iter_no_change:
            return n_passes, resumed
    return max_iter, resumed


def printed_by(model, X, y):
    """Losses or scores of the passes, as it prints them."""
    printed = io.StringIO()
    with redirect_stdout(printed), warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        model.set_params(verbose=1).fit(X, y)
    values = [float(s) for s in re.findall(r"(?:loss|score) (\S+),", printed.getvalue())]
    assert len(values) == model.n_iter_
    return values


@pytest.mark.parametrize("early_stopping", [False, True])
@pytest.mark.parametrize("kind", ["classifier", "regressor"])
def test_when_the_passes_end(kind, early_stopping):
    """As in scikit-learn: a gain is tol for each row, or of the score of the rows held out."""
    X, y = rows_of("multiclass") if kind == "classifier" else line(noise=2.0)
    C = 1.0 if early_stopping else 0.01
    model = model_of("pa-joint", C=C) if kind == "classifier" else regressor(C=0.1)
    model.set_params(early_stopping=early_stopping, validation_fraction=0.3, max_iter=40)
    resumed = []
    for n_iter_no_change in (1, 3, 5):
        for tol in (1e-2, 1e-3, 1e-4):
            for seed in range(4):
                params = dict(tol=tol, n_iter_no_change=n_iter_no_change, random_state=seed)
                values = printed_by(model.set_params(**params), X, y)
                if early_stopping:
                    values = [-value for value in values]
                # What is printed is rounded.
                smallest = tol - 1e-9 if early_stopping else 200 * tol
                n_passes, gained_again = number_of_passes(values, smallest, n_iter_no_change, 40)
                assert n_passes == model.n_iter_
                resumed.append(gained_again and n_passes < 40)
    assert any(resumed)


@pytest.mark.parametrize("problem", ["binary", "multiclass", "regression"])
def test_losses_are_those_of_the_rows_before_they_are_learnt(problem):
    X, y = line(100) if problem == "regression" else rows_of(problem, n=100)
    model = regressor(C=0.1) if problem == "regression" else model_of("pa", C=0.1)
    model.set_params(shuffle=False, max_iter=3, tol=None)
    values = printed_by(model, X, y)
    model = clone(model)
    if problem == "regression":
        model.partial_fit(X[:1], y[:1], [0.0])
    else:
        model.partial_fit(X[:1], y[:1], np.unique(y), [0.0])
    for value in values:
        loss = 0.0
        for i in range(100):
            part = slice(i, i + 1)
            if problem == "regression":
                loss += max(0.0, abs(y[i] - model.predict(X[part])[0]) - 0.1)
            else:
                scores = np.atleast_1d(model.decision_function(X[part])[0])
                signs = np.where(model.classes_[-len(scores) :] == y[i], 1, -1)
                loss += np.maximum(0.0, 1 - signs * scores).sum()
            model.partial_fit(X[part], y[part])
        assert_allclose(value, loss, rtol=1e-5)


def test_passes_without_a_loss_are_the_last():
    X, y = two_classes(300, noise=0.0)
    X[:, 1:] = 0.0  # one feature that tells all
    y = np.where(X[:, 0] > 0, "yes", "no")
    X[:, 0] += np.where(X[:, 0] > 0, 2.0, -2.0)
    model = model_of("pa").fit(X, y)
    # Separated with a margin: no row teaches any more.
    assert model.n_iter_ <= 10
    assert model.score(X, y) == 1.0
    assert model_of("pa", tol=1e-9, n_iter_no_change=9).fit(X, y).n_iter_ > model.n_iter_
    # Gains of 0 are gains where tol is 0.
    with pytest.warns(ConvergenceWarning):
        patient = model_of("pa", tol=0.0, n_iter_no_change=2, max_iter=30).fit(X, y)
    assert patient.n_iter_ == 30


@pytest.mark.parametrize("kind", ["classifier", "regressor"])
def test_a_limit_of_passes_is_reported(kind):
    X, y = rows_of("binary")
    model = model_of("pa", max_iter=2) if kind == "classifier" else regressor(max_iter=2)
    y = y if kind == "classifier" else line()[1]
    with pytest.warns(ConvergenceWarning, match="after max_iter=2 passes. Increase max_iter") as w:
        model.fit(X, y)
    assert w[0].filename == __file__
    assert model.n_iter_ == 2
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model.set_params(tol=None).fit(X, y)
        assert model.n_iter_ == 2
        model.set_params(tol=1e-3, max_iter=1).fit(X, y)  # one pass: meant so
        model.partial_fit(X, y)


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("kind", ["binary", "multiclass", "regression"])
def test_early_stopping_holds_rows_out(kind, layout):
    X, y = line(layout=layout) if kind == "regression" else rows_of(kind, layout)
    make = regressor if kind == "regression" else lambda **params: model_of("pa", **params)
    params = dict(early_stopping=True, validation_fraction=0.25, max_iter=30, tol=1e-3)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        model = make(**params).fit(X, y)
    assert 1 < model.n_iter_ < 30
    # A quarter of the rows is never learnt.
    assert model.t_ == 1 + 150 * model.n_iter_
    assert_same(make(**params).fit(X, y), model)
    assert make(**params, shuffle=False).fit(X, y).t_ % 150 == 1


def test_early_stopping_with_weights():
    """Rows of weight 0 are not held out."""
    X, y = rows_of("binary")
    rng = np.random.default_rng(0)
    few = np.zeros(200)
    few[np.r_[np.flatnonzero(y == "yes")[:10], np.flatnonzero(y == "no")[:10]]] = 1.0
    for weight in (few, rng.uniform(0, 2, 200)):
        for seed in range(3):
            params = dict(early_stopping=True, max_iter=5, tol=None, random_state=seed)
            assert model_of("pa", **params).fit(X, y, sample_weight=weight).n_iter_ == 5
            regressor(**params).fit(X, line()[1], sample_weight=weight)


def test_verbose_prints_a_line_for_each_pass():
    X, y = rows_of("binary")
    for model, name in ((once("pa"), "PassiveAggressiveClassifier"), (regressor(tol=None), None)):
        name = name or "PassiveAggressiveRegressor"
        for verbose, early_stopping in [(0, False), (1, False), (True, True)]:
            model.set_params(verbose=verbose, max_iter=3, early_stopping=early_stopping)
            printed = io.StringIO()
            with redirect_stdout(printed):
                model.fit(X, y if is_classifier(model) else line()[1])
                model.set_params(early_stopping=False)
                model.partial_fit(X, y if is_classifier(model) else line()[1])
            lines = printed.getvalue().splitlines()
            assert len(lines) == (3 if verbose else 0)
            for i, text in enumerate(lines, 1):
                what = "score" if early_stopping else "loss"
                match = rf"\[{name}\] pass {i}: [\d,]+ updates, {what} -?[\d.e+-]+, [\d.]+ s"
                assert re.fullmatch(match, text), text


# -- starting from somewhere ------------------------------------------------------------


@with_states
@with_both
@with_layouts
def test_warm_start_goes_on_with_more_passes(name, problem, layout):
    X, y = rows_of(problem, layout)
    model = once(name, shuffle=False, warm_start=True).fit(X, y)
    model.set_params(max_iter=2).fit(X, y)
    assert model.n_iter_ == 2
    whole = once(name, shuffle=False, max_iter=3).fit(X, y)
    # Rows are counted anew, and so is the mean; the weights that learn have gone on.
    assert (model.t_, whole.t_) == (401.0, 601.0)
    assert model.n_updates_ < whole.n_updates_
    for key, array in model._state.arrays.items():
        if not key.endswith("_sums"):
            assert_array_equal(array, whole._state.arrays[key])
    # Without it, fit forgets.
    model.set_params(warm_start=False, max_iter=1).fit(X, y)
    assert_same(model, once(name, shuffle=False).fit(X, y))


def test_warm_start_with_another_c_dtype_and_layout():
    X, y = rows_of("binary")
    model = once("pa", shuffle=False, warm_start=True).fit(X, y)
    started = once("pa", shuffle=False, C=0.01).fit(
        X, y, coef_init=model.coef_, intercept_init=model.intercept_
    )
    model.set_params(C=0.01).fit(csr_matrix(X), y)
    assert_allclose(model.coef_, started.coef_, rtol=1e-12)
    model.fit(X.astype(np.float32), y)
    assert model.coef_.dtype == np.float32


@with_states
def test_warm_start_without_the_former_intercept(name):
    X, y = rows_of("binary")
    model = once(name, warm_start=True).fit(X, y)
    former = model.coef_.copy()
    model.set_params(fit_intercept=False)
    if hasattr(model, "covariance") and model.covariance == "full":
        with pytest.raises(ValueError, match="warm_start=True goes on from the former model"):
            model.fit(X, y)
        return
    model.fit(X, y)
    assert_array_equal(model.intercept_, 0.0)
    assert_array_equal(model.decision_function(np.zeros((1, 4))), 0.0)
    assert model.t_ == 201 and (model.coef_ != former).any()


@with_states
def test_warm_start_of_a_sparsified_model(name):
    X, y = rows_of("binary")
    model, other = (once(name, warm_start=True).fit(X, y) for _ in range(2))
    model.sparsify().fit(X, y)
    assert_same(model, other.fit(X, y))
    assert type(model.coef_) is np.ndarray


@with_layouts
@pytest.mark.parametrize("name", FIRST_ORDER)
@with_both
def test_initial_weights(name, problem, layout):
    X, y = rows_of(problem, layout)
    before = learn(model_of(name), X[:100], y[:100])
    model = once(name, shuffle=False)
    if name.startswith("cost"):  # whose counts are not in the weights
        before.set_params(rho=2.0, pos_label="yes")
        model.set_params(rho=2.0, pos_label="yes")
    model.fit(X[100:], y[100:], coef_init=before.coef_, intercept_init=before.intercept_)
    going_on = before.partial_fit(X[100:], y[100:])
    assert_array_equal(model.coef_, going_on.coef_)
    assert_array_equal(model.intercept_, going_on.intercept_)
    assert model.t_ == 101


def test_forms_of_initial_weights():
    X, y = rows_of("binary")
    w, b = np.array([1.0, -2.0, 0.5, 0.0]), 0.25
    start = once("pa").fit(X, y, coef_init=w[None], intercept_init=[b])
    for coef, intercept in ((w, b), (w.tolist(), np.array(b)), (w[None].astype("f"), [b])):
        assert_same(once("pa").fit(X, y, coef_init=coef, intercept_init=intercept), start)
    # Given weights stay as they are.
    assert_array_equal(w, [1.0, -2.0, 0.5, 0.0])
    target = line()[1]
    model = regressor(max_iter=1, tol=None).fit(X, target, coef_init=w, intercept_init=b)
    other = regressor(max_iter=1, tol=None).fit(X, target, coef_init=w[None], intercept_init=[b])
    assert_same(model, other)
    # They are in place of those of a warm start.
    warm = once("pa", warm_start=True).fit(X, y)
    warm.fit(X, y, coef_init=w, intercept_init=b)
    assert_array_equal(warm.coef_, start.coef_)


# -- chunks -----------------------------------------------------------------------------


@with_classifiers
@with_both
@with_layouts
@with_dtypes
def test_chunks_of_any_size_give_the_same_model(name, problem, layout, dtype):
    X, y = rows_of(problem, layout, dtype, n=90)
    whole = learn(model_of(name), X, y)
    for size in (1, 7, 50):
        assert_same(learn(model_of(name), X, y, size), whole)
    assert whole.n_iter_ == 1


@with_layouts
@with_dtypes
def test_chunks_of_regression(layout, dtype):
    X, y = line(90, layout=layout, dtype=dtype)
    whole = learn(regressor(average=20), X, y)
    for size in (1, 7, 50):
        assert_same(learn(regressor(average=20), X, y, size), whole)


@with_classifiers
@with_both
@with_dtypes
def test_dense_rows_and_csr_rows_give_the_same_model(name, problem, dtype):
    X, y = rows_of(problem, dtype=dtype)
    rounding = dict(rtol=1e-3, atol=1e-4) if dtype == np.float32 else dict(rtol=1e-9, atol=1e-9)
    assert_same(learn(model_of(name), X, y), learn(model_of(name), csr_matrix(X), y), **rounding)
    model = model_of(name, max_iter=3, tol=None).fit(X, y)
    for dtype_of_rows in (np.float32, np.float64):
        rows = X.astype(dtype_of_rows)
        for other in (csr_matrix(rows), csr_array(rows), sparse.csc_matrix(rows), rows.tolist()):
            assert_allclose(
                model.decision_function(other), model.decision_function(rows), atol=1e-5
            )


@with_states
@with_both
def test_dense_and_csr_chunks_in_turn(name, problem):
    X, y = rows_of(problem)
    expected = learn(model_of(name), X, y)
    model = model_of(name)
    for i, first in enumerate(range(0, 200, 20)):
        part = slice(first, first + 20)
        kind = (np.asarray, csr_matrix, csr_array, np.asfortranarray)[i % 4]
        model.partial_fit(kind(X[part]), y[part], classes=np.unique(y))
        assert_allclose(model.decision_function(csr_matrix(X)), model.decision_function(X))
    assert_same(model, expected, rtol=1e-9, atol=1e-9)
    # From fit on, too.
    for first, second in (LAYOUTS.values(), reversed(LAYOUTS.values())):
        model = once(name, shuffle=False).fit(first(X), y).partial_fit(second(X), y)
        assert_same(model, learn(learn(model_of(name), X, y), X, y), rtol=1e-9, atol=1e-9)


@with_states
@with_layouts
def test_chunks_of_another_precision_are_cast(name, layout):
    X, y = rows_of("binary", layout)
    single = X.astype(np.float32)
    model = learn(model_of(name), single[:100], y[:100]).partial_fit(X[100:], y[100:])
    assert_same(model, learn(model_of(name), single, y))
    model = learn(model_of(name), X[:100], y[:100]).partial_fit(single[100:], y[100:])
    expected = learn(model_of(name), X[:100], y[:100])
    assert_same(model, expected.partial_fit(single[100:].astype(np.float64), y[100:]))
    assert model.coef_.dtype == np.float64
    assert_allclose(model.decision_function(single), model.decision_function(X), atol=1e-5)


@with_states
@pytest.mark.parametrize("n", [1, 90])
def test_the_short_way_into_partial_fit_gives_what_the_long_one_gives(name, n):
    """Plain arrays like those learnt before are not validated at length."""
    X, y = rows_of("multiclass", n=200)
    fitted = once(name, max_iter=3).fit(X, y)
    before = pickle.dumps(fitted)
    expected = fitted.partial_fit(X[:n], y[:n])
    decisions = expected.decision_function(X)
    for rows, labels in [
        (X[:n].tolist(), y[:n]),
        (X[:n], y[:n].tolist()),
        (np.asfortranarray(X[:n]), y[:n]),
        (np.repeat(X, 2, axis=0)[::2][:n], y[:n]),
        (np.ma.array(X[:n]), y[:n]),
        (X[:n].astype(object), y[:n]),
    ]:
        model = pickle.loads(before).partial_fit(rows, labels)
        assert_same(model, expected)
        assert vars(model).keys() == vars(expected).keys()
        assert model.n_iter_ == expected.n_iter_
    for keywords in (dict(classes=[30, 10, 20]), dict(sample_weight=np.ones(n))):
        assert_same(pickle.loads(before).partial_fit(X[:n], y[:n], **keywords), expected)
    for rows in (X.tolist(), np.asfortranarray(X), np.repeat(X, 2, axis=0)[::2], np.ma.array(X)):
        assert_allclose(expected.decision_function(rows), decisions, rtol=1e-12, atol=1e-12)
    assert_array_equal(expected.predict(X[:1].tolist()), expected.predict(X[:1]))


def test_rows_of_whole_numbers():
    X, y = rows_of("binary")
    whole = np.round(3 * X).astype(np.int64)
    model = learn(model_of("pa"), whole.astype(np.float64), y)
    for kind in (np.int64, np.int8, np.float16):
        assert_same(learn(model_of("pa"), whole.astype(kind), y, 50), model)


@with_states
@with_both
@with_layouts
def test_chunks_of_a_single_class(name, problem, layout):
    X, y = rows_of(problem, layout)
    order = np.argsort(y, kind="stable")
    X, y = X[order], y[order]
    model = model_of(name)
    for label in np.unique(y):
        model.partial_fit(X[y == label], y[y == label], classes=np.unique(y))
    assert_same(model, learn(model_of(name), X, y))


def test_a_class_that_comes_late_or_never():
    X, y = rows_of("multiclass")
    early = y != 30
    for name in ("pa", "pa-joint", "arow"):
        model = learn(model_of(name), X[early], y[early], classes=[10, 20, 30])
        assert 30 not in model.predict(X)
        model.partial_fit(X[~early], y[~early]).partial_fit(X, y)
        assert set(model.predict(X)) == {10, 20, 30}
        assert model.coef_.shape == (3, 4)


@with_states
def test_rows_of_zeros(name):
    """An empty row of a CSR matrix; without an intercept it teaches nothing."""
    X, y = rows_of("multiclass")
    X[::3] = 0.0
    stored = csr_matrix(X)
    stored.data[::5] = 0.0  # zeros that are stored
    X = stored.toarray()
    rounding = dict(rtol=1e-9, atol=1e-9)
    assert_same(learn(model_of(name), stored, y), learn(model_of(name), X, y), **rounding)
    bare = learn(model_of(name, fit_intercept=False), stored, y)
    taught = learn(model_of(name, fit_intercept=False), X[X.any(axis=1)], y[X.any(axis=1)])
    if name != "pa-average":
        assert_allclose(bare.coef_, taught.coef_, **rounding)
    assert bare.n_updates_ == taught.n_updates_
    nothing = once(name, fit_intercept=False).fit(csr_matrix((200, 4)), y)
    assert_array_equal(nothing.coef_, 0.0)
    assert nothing.n_updates_ == 0


@with_states
@with_both
def test_csr_rows_of_any_form(name, problem):
    """Unsorted columns, columns given twice, 64-bit indices, read-only memory."""
    X, y = rows_of(problem)
    sorted_rows = csr_matrix(X)
    expected = learn(model_of(name), sorted_rows, y)

    unsorted = sorted_rows.copy()
    for i in range(200):
        part = slice(*unsorted.indptr[i : i + 2])
        unsorted.indices[part] = unsorted.indices[part][::-1].copy()
        unsorted.data[part] = unsorted.data[part][::-1].copy()
    twice = csr_matrix(
        (np.repeat(sorted_rows.data, 2), np.repeat(sorted_rows.indices, 2), sorted_rows.indptr * 2)
    )
    twice.data[::2] *= 0.25
    twice.data[1::2] *= 0.75
    long = csr_array(X)
    long.indices, long.indptr = long.indices.astype(np.int64), long.indptr.astype(np.int64)
    given = [unsorted, twice, long]
    kept = [[array.copy() for array in (M.data, M.indices, M.indptr)] for M in given]
    for M, arrays in zip(given, kept, strict=True):
        for array in (M.data, M.indices, M.indptr):
            array.flags.writeable = False
        assert_same(learn(model_of(name), M, y), expected, rtol=1e-12, atol=1e-12)
        model = model_of(name, max_iter=2, tol=None).fit(M, y)
        decisions = model_of(name, max_iter=2, tol=None).fit(sorted_rows, y).decision_function(X)
        assert_allclose(model.decision_function(M), decisions, rtol=1e-9, atol=1e-9)
        assert not hasattr(model, "decision_variance") or len(model.decision_variance(M)) == 200
        for array, before in zip((M.data, M.indices, M.indptr), arrays, strict=True):
            assert_array_equal(array, before)
    assert long.indices.dtype == np.int64


@with_layouts
@with_dtypes
def test_input_is_not_changed_and_may_be_read_only(layout, dtype):
    X, y = rows_of("multiclass", layout, dtype)
    weight = np.random.default_rng(0).uniform(0, 2, 200)
    arrays = [X.data, X.indices, X.indptr] if layout == "csr" else [X]
    arrays += [y, weight]
    before = [array.copy() for array in arrays]
    for array in arrays:
        array.flags.writeable = False
    for name in STATES:
        model = model_of(name, class_weight="balanced", max_iter=3, tol=None).fit(X, y, weight)
        model.set_params(class_weight=None).partial_fit(X, y, sample_weight=weight)
        model.partial_fit(X, y).predict(X)
    for array, former in zip(arrays, before, strict=True):
        assert_array_equal(array, former)


@with_states
def test_given_rows_may_change_afterwards(name):
    X, y = rows_of("binary")
    model = learn(model_of(name), X, y)
    before = arrays_of(model)
    X[:] = -1.0
    y[:] = "yes"
    for key, array in arrays_of(model).items():
        assert_array_equal(array, before[key])


# -- changes between chunks -------------------------------------------------------------

TUNED = [
    (PassiveAggressiveClassifier(), dict(C=0.01)),
    (PassiveAggressiveClassifier(), dict(loss="squared_hinge")),
    (PassiveAggressiveClassifier(multi_class="crammer_singer"), dict(C=0.01)),
    (PerceptronClassifier(), dict(positive_margin=2.0)),
    (PerceptronClassifier(), dict(negative_margin=2.0)),
    (ConfidenceWeightedClassifier(), dict(eta=0.95)),
    (AROWClassifier(), dict(r=50.0)),
    (AROWClassifier(covariance="full"), dict(r=50.0)),
    (SCWClassifier(), dict(C=1e-3)),
    (SCWClassifier(), dict(eta=0.95)),
    (SCWClassifier(), dict(loss="squared_hinge")),
    (CostSensitivePassiveAggressiveClassifier(average=False), dict(C=0.01)),
    (CostSensitivePassiveAggressiveClassifier(average=False), dict(rho=5.0)),
    (CostSensitivePassiveAggressiveClassifier(average=False), dict(eta_p=0.9)),
    (CostSensitivePassiveAggressiveClassifier(average=False), dict(rule="prediction")),
    (CostSensitivePassiveAggressiveClassifier(average=False, eta_p=0.9), dict(objective="cost")),
    (
        CostSensitivePassiveAggressiveClassifier(average=False, objective="cost"),
        dict(cost_p=9.0, cost_n=1.0),
    ),
    (PassiveAggressiveRegressor(), dict(C=0.01)),
    (PassiveAggressiveRegressor(), dict(epsilon=0.8)),
    (PassiveAggressiveRegressor(), dict(loss="squared_epsilon_insensitive")),
    (CostSensitivePassiveAggressiveClassifier(average=False, C=0.1), dict(C=None)),
    (PassiveAggressiveClassifier(), dict(intercept_scaling=0.1)),
    (PerceptronClassifier(), dict(intercept_scaling=0.1)),
]


@pytest.mark.parametrize("model, change", TUNED, ids=str)
def test_another_number_in_the_rule_takes_effect(model, change):
    """As it does in a fit that goes on from the weights so far."""
    X, y = line() if is_regressor(model) else rows_of("multiclass")
    model = learn(clone(model), X[:100], y[:100])
    unchanged, changed, warm = (copy.deepcopy(model) for _ in range(3))
    unchanged.partial_fit(X[100:], y[100:])
    changed.set_params(**change).partial_fit(X[100:], y[100:])
    warm.set_params(**change, warm_start=True, max_iter=1, tol=None, shuffle=False)
    warm.fit(X[100:], y[100:])
    assert (changed.t_, warm.t_) == (201.0, 101.0)
    for key, array in arrays_of(changed).items():
        assert_array_equal(array, arrays_of(warm)[key])
    assert (changed.coef_ != unchanged.coef_).any()
    # And back again.
    changed.set_params(**model.get_params()).partial_fit(X[:50], y[:50])
    warm.set_params(**model.get_params()).partial_fit(X[:50].tolist(), y[:50])
    for key, array in arrays_of(changed).items():
        assert_array_equal(array, arrays_of(warm)[key])


def test_a_class_weight_takes_effect_at_once():
    X, y = rows_of("binary")
    model = learn(model_of("pa", C=0.1), X[:100], y[:100])
    other = copy.deepcopy(model)
    model.set_params(class_weight={"yes": 5.0}).partial_fit(X[100:], y[100:])
    weight = np.where(y[100:] == "yes", 5.0, 1.0)
    assert_same(model, other.partial_fit(X[100:], y[100:], sample_weight=weight))


@pytest.mark.parametrize(
    "model, change",
    [
        (PassiveAggressiveClassifier(), dict(fit_intercept=False)),
        (PassiveAggressiveClassifier(), dict(average=True)),
        (PassiveAggressiveClassifier(average=True), dict(average=False)),
        (PassiveAggressiveClassifier(average=True), dict(average=50)),
        (PassiveAggressiveClassifier(average=10), dict(average=20)),
        (PassiveAggressiveClassifier(), dict(multi_class="crammer_singer")),
        (PerceptronClassifier(), dict(average=10)),
        (SecondOrderPerceptronClassifier(), dict(a=2.0)),
        (SecondOrderPerceptronClassifier(), dict(covariance="diag")),
        (AROWClassifier(), dict(covariance="full")),
        (CostSensitivePassiveAggressiveClassifier(), dict(fit_intercept=False)),
        (CostSensitivePassiveAggressiveClassifier(), dict(average=False)),
        (PassiveAggressiveRegressor(), dict(average=True)),
        (PassiveAggressiveRegressor(), dict(fit_intercept=False)),
    ],
    ids=str,
)
@pytest.mark.parametrize("way", ["short", "long"])
def test_what_the_model_is_made_of_cannot_change(model, change, way):
    X, y = line() if is_regressor(model) else rows_of("multiclass")
    model = learn(clone(model), X[:100], y[:100])
    other = copy.deepcopy(model)
    former = model.get_params()
    model.set_params(**change)
    with pytest.raises(ValueError, match=f"{next(iter(change))}.* cannot change between calls"):
        model.partial_fit(X[100:] if way == "short" else X[100:].tolist(), y[100:])
    assert_same(model, other)
    assert_array_equal(model.predict(X), other.predict(X))
    model.set_params(**former).partial_fit(X[100:], y[100:])
    assert_same(model, other.partial_fit(X[100:], y[100:]))
    # fit starts again.
    model.set_params(**change, random_state=0).fit(X, y)
    assert_same(model, clone(model).fit(X, y))


# -- weights ----------------------------------------------------------------------------


@with_classifiers
@with_both
@with_layouts
def test_rows_of_weight_zero_are_passed_over(name, problem, layout):
    X, y = rows_of(problem, layout)
    weight = np.random.default_rng(0).choice([0.0, 1.0], 200)
    kept = np.flatnonzero(weight)
    stream = model_of(name)
    stream.partial_fit(X, y, classes=np.unique(y), sample_weight=weight)
    short = learn(model_of(name), X[kept], y[kept])
    if name == "pa-average":
        assert_array_equal(stream.decision_function(X).shape, short.decision_function(X).shape)
    else:
        assert_array_equal(stream.coef_, short.coef_)
        assert_array_equal(stream.intercept_, short.intercept_)
    assert stream.n_updates_ == short.n_updates_
    fitted = once(name, shuffle=False).fit(X, y, weight)
    assert_same(fitted, stream)


@with_classifiers
@with_both
def test_a_chunk_of_weight_zero_changes_nothing(name, problem):
    X, y = rows_of(problem)
    model = model_of(name)
    nothing = np.zeros(100)
    model.partial_fit(X[:100], y[:100], classes=np.unique(y), sample_weight=nothing)
    assert_array_equal(model.coef_, 0.0)
    assert model.n_updates_ == 0 and model.t_ == 101
    model.partial_fit(X[100:], y[100:])
    before = arrays_of(model)
    n_updates = model.n_updates_
    model.partial_fit(X[:100], y[:100], sample_weight=nothing)
    if name != "pa-average":
        for key, array in arrays_of(model).items():
            assert_array_equal(array, before[key])
    assert model.n_updates_ == n_updates


@pytest.mark.parametrize("name", ["pa", "pa2", "pa-joint", "cost", "cost-joint", "scw"])
@with_both
def test_a_weight_is_a_factor_of_c(name, problem):
    X, y = rows_of(problem)
    c = 0.05
    weight = np.random.default_rng(0).uniform(0.5, 2.0, 200)
    doubled = once(name, C=c).fit(X, y, np.full(200, 2.0))
    assert_same(doubled, once(name, C=2 * c).fit(X, y))
    assert_same(once(name, C=c).fit(X, y, 2 * weight), once(name, C=2 * c).fit(X, y, weight))
    assert_same(once(name, C=c).fit(X, y, np.ones(200)), once(name, C=c).fit(X, y))
    assert (doubled.coef_ != once(name, C=c).fit(X, y).coef_).any()


def test_a_weight_divides_r_of_arow_and_multiplies_steps_of_perceptrons():
    X, y = rows_of("binary")
    two = np.full(200, 2.0)
    assert_same(once("arow", r=4.0).fit(X, y, two), once("arow", r=2.0).fit(X, y), rtol=1e-12)
    # Steps twice as long, nothing else: the signs are the same.
    plain = PerceptronClassifier(max_iter=1, tol=None, random_state=0).fit(X, y)
    heavy = clone(plain).fit(X, y, two)
    assert_array_equal(heavy.coef_, 2 * plain.coef_)
    # A hard margin is a hard margin.
    for hard in (PassiveAggressiveClassifier(C=np.inf), ConfidenceWeightedClassifier()):
        hard.set_params(max_iter=1, tol=None, random_state=0)
        assert_same(clone(hard).fit(X, y, two), clone(hard).fit(X, y))


@with_classifiers
@with_both
def test_class_weight_is_sample_weight_by_class(name, problem):
    X, y = rows_of(problem)
    classes, counts = np.unique(y, return_counts=True)
    factors = dict(zip(classes.tolist(), [0.5, 3.0, 0.0]))
    of_rows = np.array([factors[label] for label in y.tolist()])
    assert_same(once(name, class_weight=factors).fit(X, y), once(name).fit(X, y, of_rows))
    # Not all classes need to be named; factors of class and row multiply.
    first = classes[0].item()
    weight = np.random.default_rng(0).uniform(0.5, 2, len(y))
    expected = once(name).fit(X, y, np.where(y == first, 0.5, 1.0) * weight)
    assert_same(once(name, class_weight={first: 0.5}).fit(X, y, weight), expected)
    # In streams, too: both ways into partial_fit.
    streams = [model_of(name, class_weight=factors) for _ in range(2)] + [model_of(name)]
    streams[0].partial_fit(X, y, classes=classes).partial_fit(X, y)
    streams[1].partial_fit(X, y, classes=classes).partial_fit(X, y.tolist())
    for _ in range(2):
        streams[2].partial_fit(X, y, classes=classes, sample_weight=of_rows)
    assert_same(streams[0], streams[2])
    assert_same(streams[1], streams[2])


@with_both
def test_balanced_is_balanced(problem):
    X, y = rows_of(problem)
    classes, counts = np.unique(y, return_counts=True)
    factors = len(y) / (len(classes) * counts)
    of_rows = factors[np.searchsorted(classes, y)]
    params = dict(C=0.05)
    model = once("pa", class_weight="balanced", **params).fit(X, y)
    assert_same(model, once("pa", **params).fit(X, y, of_rows))
    # Sample weights are counted.
    weight = np.where(np.arange(len(y)) % 3, 2.0, 0.0)
    counts = np.array([weight[y == label].sum() for label in classes])
    factors = weight.sum() / (len(classes) * counts)
    model = once("pa", class_weight="balanced", **params).fit(X, y, weight)
    expected = once("pa", **params).fit(X, y, factors[np.searchsorted(classes, y)] * weight)
    assert_same(model, expected)


def test_targets_of_any_type():
    X, y = line()
    y = np.round(5 * y)
    model = learn(regressor(), X, y)
    for targets in (y.astype(np.float32), y.astype(np.int16), y[::-1][::-1]):
        assert_same(learn(regressor(), X, targets, 70), model)
    other = regressor().partial_fit(X.tolist(), y.astype(int).tolist())
    assert_same(other, model)


def test_weights_of_regression():
    X, y = line()
    one = regressor(C=0.02, max_iter=1, tol=None)
    assert_same(clone(one).fit(X, y, np.full(200, 2.0)), clone(one).set_params(C=0.04).fit(X, y))
    weight = np.random.default_rng(0).choice([0.0, 1.0], 200)
    kept = np.flatnonzero(weight)
    model, short = regressor().partial_fit(X, y, weight), regressor().partial_fit(X[kept], y[kept])
    assert_array_equal(model.coef_, short.coef_)


# -- averages ---------------------------------------------------------------------------


def states_of(model, X, y):
    """Weights and intercepts after each row."""
    states = []
    first_call = {} if is_regressor(model) else {"classes": np.unique(y)}
    for i in range(X.shape[0]):
        model.partial_fit(X[i : i + 1], y[i : i + 1], **first_call)
        states.append(np.column_stack([np.atleast_2d(model.coef_), model.intercept_]))
    return np.array(states)


@with_averaging
@with_both
@with_layouts
@with_dtypes
@pytest.mark.parametrize("average", [True, 1, 2, 70])
def test_averages_are_means_of_the_states(name, problem, layout, dtype, average):
    X, y = rows_of(problem, layout, dtype, n=90)
    states = states_of(model_of(name), X, y).astype(np.float64)
    model = model_of(name, average=average)
    begin = 0 if average is True else average - 1
    tolerance = 1e-4 if dtype == np.float32 else 1e-12
    for first in range(0, 90, 30):
        part = slice(first, first + 30)
        model.partial_fit(X[part], y[part], classes=np.unique(y))
        n = first + 30
        # Before the average begins, the newest weights predict.
        mean = states[begin:n].mean(axis=0) if n > begin else states[n - 1]
        assert_allclose(model.coef_, mean[:, :-1], rtol=tolerance, atol=tolerance)
        assert_allclose(model.intercept_, mean[:, -1], rtol=tolerance, atol=tolerance)
        decisions = dense(X @ model.coef_.T) + model.intercept_
        assert_allclose(
            model.decision_function(X).reshape(90, -1), decisions, rtol=1e-5, atol=1e-5
        )


def test_averages_over_several_passes():
    X, y = rows_of("multiclass", n=60)
    thrice = (np.tile(X, (3, 1)), np.tile(y, 3))
    mean = states_of(model_of("pa"), *thrice)[9:].mean(axis=0)
    params = dict(average=10, max_iter=3, tol=None, shuffle=False)
    model = model_of("pa", **params).fit(X, y)
    assert_allclose(model.coef_, mean[:, :-1], rtol=1e-12)
    assert_allclose(model.intercept_, mean[:, -1], rtol=1e-12)


def test_averages_of_regression():
    X, y = line(90)
    mean = states_of(regressor(), X, y).mean(axis=0)[0]
    model = regressor(average=True).partial_fit(X, y)
    assert_allclose(model.coef_, mean[:-1], rtol=1e-12)
    assert_allclose(model.intercept_, mean[-1:], rtol=1e-12)


def test_an_average_counts_rows_of_weight_zero():
    X, y = rows_of("binary")
    weight = np.random.default_rng(0).choice([0.0, 1.0], 200)
    plain, states = model_of("pa"), []
    for i in range(200):
        part = slice(i, i + 1)
        plain.partial_fit(X[part], y[part], classes=["no", "yes"], sample_weight=weight[part])
        states.append(plain.coef_[0].copy())
    model = model_of("pa", average=True)
    model.partial_fit(X, y, classes=["no", "yes"], sample_weight=weight)
    assert_allclose(model.coef_[0], np.mean(states, axis=0), rtol=1e-12)


def test_no_average():
    X, y = rows_of("binary")
    for average in (False, 0):
        assert_same(once("pa", average=average).fit(X, y), once("pa").fit(X, y))


# -- sparse weights, given weights ------------------------------------------------------


@with_states
@with_both
@with_layouts
@with_dtypes
def test_sparsify_and_densify(name, problem, layout, dtype):
    X, y = rows_of(problem, layout, dtype)
    model = learn(model_of(name), X[:100], y[:100])
    other = copy.deepcopy(model)
    coef, decisions = model.coef_.copy(), model.decision_function(X)
    for _ in range(2):
        assert model.sparsify() is model
        assert sparse.issparse(model.coef_) and model.coef_.format == "csr"
        assert_array_equal(model.coef_.toarray(), coef)
        assert model.coef_.dtype == coef.dtype
        for rows in (X, dense(X), csr_matrix(X), X[:1]):
            expected = other.decision_function(rows)
            assert_allclose(model.decision_function(rows), expected, rtol=1e-5, atol=1e-5)
            assert type(model.decision_function(rows)) is np.ndarray
        assert_array_equal(model.predict(X), other.predict(X))
        assert model.t_ == 101 and model.n_updates_ == other.n_updates_
    restored = pickle.loads(pickle.dumps(model))
    assert sparse.issparse(restored.coef_)
    assert_allclose(restored.decision_function(X), decisions, rtol=1e-5, atol=1e-5)
    for way in (model, restored):
        assert way.densify() is way
        assert type(way.densify().coef_) is np.ndarray
        assert_same(way, other)
    # Learning makes them dense by itself.
    for way in (model.sparsify(), restored.sparsify()):
        assert_same(
            way.partial_fit(X[100:], y[100:]), copy.deepcopy(other).partial_fit(X[100:], y[100:])
        )
        assert type(way.coef_) is np.ndarray
    assert_same(model.sparsify().fit(X, y), model_of(name).fit(X, y))


@with_layouts
def test_sparsify_a_regressor(layout):
    X, y = line(layout=layout)
    model = learn(regressor(), X, y)
    expected = model.predict(X)
    model.sparsify()
    assert sparse.issparse(model.coef_)
    assert_allclose(model.predict(X), expected, rtol=1e-12)
    assert_same(model.partial_fit(X, y), learn(learn(regressor(), X, y), X, y))
    assert model.coef_.shape == (4,)


def test_sparse_weights_take_less_memory():
    X = csr_matrix((np.ones(50), (np.arange(50), np.arange(50))), shape=(50, 500_000))
    model = once("pa").fit(X, np.arange(50) % 2)
    decisions = model.decision_function(X)
    assert decisions.any() and len(pickle.dumps(model)) > 4e6
    assert len(pickle.dumps(model.sparsify())) < 1e5
    assert_allclose(model.decision_function(X), decisions, rtol=1e-12)


@pytest.mark.parametrize("name", ["pa", "arow", "arow-full"])
@with_layouts
def test_weights_can_be_given(name, layout):
    X, y = rows_of("multiclass", layout)
    model = learn(model_of(name), X, y)
    rng = np.random.default_rng(0)
    coef, intercept = rng.normal(size=(3, 4)), rng.normal(size=3)
    for given in (coef, coef.tolist(), csr_matrix(coef)):
        model.coef_ = np.zeros((3, 4))
        model.coef_, model.intercept_ = given, intercept
        decisions = dense(X @ coef.T) + intercept
        assert_allclose(model.decision_function(X), decisions, rtol=1e-12, atol=1e-12)
    model.coef_[:] = 0.0
    assert_array_equal(coef, np.random.default_rng(0).normal(size=(3, 4)))  # it is a copy
    model.coef_ = coef
    if name == "pa":
        expected = once("pa", shuffle=False).fit(X, y, coef_init=coef, intercept_init=intercept)
        assert_array_equal(model.partial_fit(X, y).coef_, expected.coef_)
    model.sparsify()
    model.coef_ = coef
    assert type(model.coef_) is np.ndarray
    assert_array_equal(model.coef_, coef)
    assert_array_equal(pickle.loads(pickle.dumps(model)).coef_, coef)


def test_weights_of_a_regressor_can_be_given():
    X, y = line()
    model = learn(regressor(), X, y)
    model.coef_, model.intercept_ = [1.0, 2.0, 3.0, 4.0], [5.0]
    assert_allclose(model.predict(X), X @ [1.0, 2.0, 3.0, 4.0] + 5.0, rtol=1e-12)


@with_both
def test_wrong_weights_are_refused(problem):
    X, y = rows_of(problem)
    model = learn(model_of("pa"), X, y)
    coef = model.coef_.copy()
    for wrong in (np.zeros((2, 4)), np.zeros((len(coef), 5)), np.zeros((4, 3)), 0.0):
        with pytest.raises(ValueError, match=r"coef_ must have shape \(\d, 4\), got"):
            model.coef_ = wrong
    with pytest.raises(ValueError, match="coef_ must be finite"):
        model.coef_ = np.full(coef.shape, np.nan)
    with pytest.raises(ValueError, match="intercept_ must have shape"):
        model.intercept_ = np.zeros(7)
    assert_array_equal(model.coef_, coef)
    averaged = learn(model_of("pa", average=True), X, y)
    with pytest.raises(ValueError, match="average"):
        averaged.coef_ = np.zeros(coef.shape)


# -- second order -----------------------------------------------------------------------


@pytest.mark.parametrize("name", SECOND_ORDER)
@with_both
@with_layouts
@with_dtypes
@pytest.mark.parametrize("fit_intercept", [True, False])
def test_decision_variance(name, problem, layout, dtype, fit_intercept):
    X, y = rows_of(problem, layout, dtype)
    model = learn(model_of(name, fit_intercept=fit_intercept), X, y)
    rows = dense(X).astype(np.float64)
    if fit_intercept:
        rows = np.column_stack([rows, np.ones(200)])
    S = model.covariance_
    expected = np.stack(
        [(rows * (rows @ s) if s.ndim == 2 else rows**2 * s).sum(axis=1) for s in S], axis=1
    )
    variance = model.decision_variance(X)
    assert variance.shape == model.decision_function(X).shape
    assert_allclose(variance.reshape(200, -1), expected, rtol=1e-4)
    assert_allclose(model.decision_variance(csr_matrix(X)), model.decision_variance(dense(X)))
    assert_allclose(model.sparsify().decision_variance(X), variance)
    assert (variance >= 0).all()
    # The rows learnt have become surer.
    assert variance.mean() < 0.7 * np.square(rows).sum(axis=1).mean()


def test_variance_starts_as_the_norm():
    X, y = rows_of("binary")
    nothing = dict(classes=["no", "yes"], sample_weight=np.zeros(200))
    norms = (X**2).sum(axis=1) + 1
    for name in SECOND_ORDER:
        model = model_of(name).partial_fit(X, y, **nothing)
        assert_allclose(model.decision_variance(X), norms, rtol=1e-12)
    model = SecondOrderPerceptronClassifier(a=4.0).partial_fit(X, y, **nothing)
    assert_allclose(model.decision_variance(X), norms / 4, rtol=1e-12)


def test_a_covariance_that_does_not_fit_into_memory():
    X = csr_matrix((np.ones(3), np.arange(3), np.arange(4)), shape=(3, 2_000_000))
    for model in (AROWClassifier(covariance="full"), SecondOrderPerceptronClassifier()):
        with pytest.raises(ValueError, match="covariance='full' keeps .* use covariance='diag'"):
            model.fit(X, [0, 1, 0])


# -- very wide rows ---------------------------------------------------------------------

WIDE = 3_000_000


def wide_rows(n=300, per_row=40, dtype=np.float64, seed=0):
    rng = np.random.default_rng(seed)
    columns = np.sort(rng.integers(0, WIDE, (n, per_row)), axis=1)
    values = rng.normal(size=n * per_row).astype(dtype)
    indptr = np.arange(0, n * per_row + 1, per_row)
    return csr_matrix((values, columns.ravel(), indptr), shape=(n, WIDE))


def peak_of(action):
    """Bytes that Python and NumPy held at most, beyond those held before."""
    tracemalloc.start()
    try:
        action()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("name", ["pa", "pa-joint", "perceptron", "cost", "arow", "cw"])
@pytest.mark.parametrize("n_classes", [2, 3])
def test_very_wide_rows(name, n_classes):
    X = wide_rows(dtype=np.float32)
    y = np.random.default_rng(1).integers(0, n_classes, 300)
    K = 1 if n_classes == 2 else 3
    per_array = 4 * WIDE * K
    model = once(name, max_iter=3, **OF_NUMBERS.get(name, {}))
    n_arrays = 2 if name in SECOND_ORDER else 1
    # Nothing beside the arrays of the model is as wide.
    assert peak_of(lambda: model.fit(X, y)) < n_arrays * per_array + 1e6
    assert model.score(X, y) == 1.0
    touched = np.unique(X.indices)
    assert set(np.flatnonzero(model.coef_.any(axis=0))) <= set(touched)
    assert np.count_nonzero(model.coef_) > 1000
    if name in SECOND_ORDER:
        untouched = np.ones(WIDE, dtype=bool)
        untouched[touched] = False
        variances = model._state.arrays["variances"]
        assert (variances[:, untouched] == 1).all() and (variances < 1).any()
        del variances  # what somebody holds is left to him

    one = wide_rows(1, dtype=np.float32, seed=2)
    before = model.coef_.copy(order="K")
    wrong = (model.predict(one) + 1) % n_classes
    assert peak_of(lambda: model.partial_fit(one, wrong)) < 1e5
    assert peak_of(lambda: model.decision_function(one)) < 1e5
    changed = np.flatnonzero((model.coef_ != before).any(axis=0))
    assert 0 < len(changed) <= 40 and set(changed) <= set(one.indices)


@with_both
def test_wide_rows_of_an_average(problem):
    X = wide_rows(60)
    y = np.arange(60) % (2 if problem == "binary" else 3)
    model = once("pa", average=True, shuffle=False).fit(X, y)
    columns = np.unique(X.indices)
    narrow = once("pa", average=True, shuffle=False).fit(X[:, columns], y)
    assert_allclose(model.coef_[:, columns], narrow.coef_, rtol=1e-12)
    assert np.count_nonzero(model.coef_) == np.count_nonzero(narrow.coef_)


# -- copies -----------------------------------------------------------------------------


@with_copies
@with_states
@with_both
@with_layouts
def test_a_copy_halfway_goes_on_as_if_uninterrupted(make_copy, name, problem, layout, tmp_path):
    X, y = rows_of(problem, layout)
    uninterrupted = learn(model_of(name), X, y)
    original = learn(model_of(name), X[:100], y[:100])
    halfway = original.decision_function(X)
    copied = make_copy(original, tmp_path)
    assert_array_equal(copied.decision_function(X), halfway)
    assert copied.get_params() == original.get_params()
    assert_same(learn(copied, X, y, 30, begin=100), uninterrupted)
    # The original has stayed where it was, and goes on just as well; also where the other goes.
    assert_array_equal(original.decision_function(X), halfway)
    other = make_copy(original, tmp_path)
    assert_same(learn(original, X, y, begin=100), uninterrupted)
    assert_array_equal(other.decision_function(X), halfway)
    assert_same(other.partial_fit(LAYOUTS["csr"](X[100:]), y[100:]), uninterrupted, 1e-9, 1e-9)


@with_copies
@pytest.mark.parametrize("name", [*CLASSIFIERS, "regressor"])
def test_copies_of_fitted_models(make_copy, name, tmp_path):
    X, y = line() if name == "regressor" else rows_of("multiclass")
    model = (regressor() if name == "regressor" else model_of(name)).fit(X, y)
    copied = make_copy(model, tmp_path)
    assert_same(copied, model)
    assert copied.n_iter_ == model.n_iter_
    assert_same(copied.partial_fit(X, y), model.partial_fit(X, y))
    assert_same(make_copy(model.sparsify(), tmp_path).partial_fit(X, y), model.partial_fit(X, y))
    fresh = make_copy(clone(model), tmp_path)
    assert fresh.get_params() == model.get_params() and not hasattr(fresh, "coef_")


def test_a_pickle_holds_plain_values():
    """Arrays, numbers and names, nothing of the engine."""
    model = learn(model_of("arow"), *rows_of("binary"))
    state = model.__getstate__()["_state"]
    assert isinstance(state, dict)
    text = pickle.dumps(model)
    assert b"sklearn_online_svm._core" not in text and b"UpdateLoop" not in text


def test_memory_mapped_rows(tmp_path):
    X, y = rows_of("multiclass")
    np.save(tmp_path / "X.npy", X)
    mapped = np.load(tmp_path / "X.npy", mmap_mode="r")
    for name in STATES:
        assert_same(learn(model_of(name), mapped, y, 7), learn(model_of(name), X, y))
        assert_same(model_of(name).fit(mapped, y), model_of(name).fit(X, y))


@with_classifiers
def test_clone_and_params(name):
    model = model_of(name, class_weight={10: 2.0}, verbose=0).fit(*rows_of("multiclass"))
    other = clone(model)
    assert other.get_params() == model.get_params()
    assert not hasattr(other, "coef_") and not hasattr(other, "classes_")
    assert type(model)(**model.get_params()).get_params() == model.get_params()
    with pytest.raises(TypeError):
        type(model)(1.0)  # parameters have names


# -- two at once ------------------------------------------------------------------------


@with_states
@with_layouts
def test_two_models_in_two_threads(name, layout):
    """The loop runs without the lock of Python."""
    X, y = rows_of("multiclass", layout, n=600)
    seeds = range(6)

    def work(seed):
        model = once(name, random_state=seed, max_iter=20).fit(X, y)
        return learn(model, X, y, 50, classes=[10, 20, 30])

    expected = [work(seed) for seed in seeds]
    with ThreadPoolExecutor(3) as executor:
        for model, other in zip(executor.map(work, seeds), expected, strict=True):
            assert_same(model, other)
        decisions = expected[0].decision_function(X)
        for others in executor.map(expected[0].decision_function, [X] * 10):
            assert_array_equal(others, decisions)


# -- company ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    "name, parameter",
    [
        ("pa", "C"),
        ("perceptron", "positive_margin"),
        ("arow", "r"),
        ("scw", "C"),
        ("cost", "C"),
        ("sop", "a"),
    ],
)
def test_pipeline_and_grid_search(name, parameter):
    X, y = breast_cancer()
    model = model_of(name, max_iter=5, tol=None, **OF_NUMBERS.get(name, {}))
    pipeline = make_pipeline(StandardScaler(), model)
    step = type(model).__name__.lower()
    grid = {f"{step}__{parameter}": [0.01, 1.0], f"{step}__fit_intercept": [True, False]}
    search = GridSearchCV(pipeline, grid, cv=3).fit(X, y)
    assert search.score(X, y) > 0.95
    assert len(np.unique(search.cv_results_["mean_test_score"])) > 1
    scores = cross_val_score(pipeline, X, y, cv=StratifiedKFold(3))
    assert scores.min() > 0.92
    best = search.best_estimator_[-1]
    assert getattr(best, parameter) == search.best_params_[f"{step}__{parameter}"]


def test_grid_search_in_threads():
    X, y = breast_cancer()
    grid = {"C": [0.01, 0.1, 1.0], "loss": ["hinge", "squared_hinge"]}
    one, two = (GridSearchCV(model_of("pa"), grid, cv=3, n_jobs=n) for n in (None, 2))
    one.fit(X, y)
    with joblib.parallel_config("threading"):
        two.fit(X, y)
    assert_array_equal(one.cv_results_["mean_test_score"], two.cv_results_["mean_test_score"])
    assert_same(one.best_estimator_, two.best_estimator_)


def test_learning_curve_of_a_stream():
    X, y = breast_cancer()
    sizes, _, scores = learning_curve(
        model_of("pa", C=0.1), X, y, cv=3, exploit_incremental_learning=True, train_sizes=[50, 300]
    )
    assert_array_equal(sizes, [50, 300])
    assert scores.min() > 0.85


@pytest.mark.parametrize("name", ["pa", "arow", "perceptron"])
def test_one_vs_rest_is_ones_own(name):
    X, y = rows_of("multiclass")
    more = OF_NUMBERS.get(name, {})
    ovr, own = OneVsRestClassifier(once(name, **more)).fit(X, y), once(name, **more).fit(X, y)
    assert_allclose(ovr.decision_function(X), own.decision_function(X), rtol=1e-9, atol=1e-9)
    stream = OneVsRestClassifier(model_of(name, **more))
    for first in range(0, 200, 50):
        part = slice(first, first + 50)
        stream.partial_fit(X[part], y[part], classes=[10, 20, 30])
    own = learn(model_of(name), X, y)
    assert_allclose(stream.decision_function(X), own.decision_function(X), rtol=1e-9, atol=1e-9)
    assert OneVsOneClassifier(once(name, **more)).fit(X, y).score(X, y) > 0.7


def test_calibration_bagging_and_voting():
    X, y = breast_cancer()
    model = model_of("pa", C=0.1, average=True)
    for ensemble in (True, False):
        calibrated = CalibratedClassifierCV(clone(model), ensemble=ensemble, cv=3).fit(X, y)
        probability = calibrated.predict_proba(X)
        assert_allclose(probability.sum(axis=1), 1.0)
        assert calibrated.score(X, y) > 0.95
    weight = np.random.default_rng(0).uniform(0.5, 2, len(y))
    bagged = BaggingClassifier(clone(model), 5, random_state=0).fit(X, y, sample_weight=weight)
    assert bagged.score(X, y) > 0.95
    X_line, y_line = line()
    assert (
        BaggingRegressor(regressor(), 5, random_state=0).fit(X_line, y_line).score(X_line, y_line)
        > 0.9
    )
    voting = VotingClassifier([("pa", model), ("arow", model_of("arow"))]).fit(X, y)
    assert voting.score(X, y) > 0.95


def test_selection_of_features():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 10))
    y = X[:, 3] - X[:, 7] > 0
    for selector in (
        SelectFromModel(model_of("pa", average=True), threshold="mean"),
        RFE(model_of("arow"), n_features_to_select=2),
    ):
        assert_array_equal(np.flatnonzero(selector.fit(X, y).get_support()), [3, 7])


def test_several_outputs():
    X, y = rows_of("binary")
    Y = np.c_[y == "yes", X[:, 2] > 0].astype(int)
    model = MultiOutputClassifier(model_of("pa"))
    for first in range(0, 200, 50):
        part = slice(first, first + 50)
        model.partial_fit(X[part], Y[part], classes=[[0, 1], [0, 1]])
    assert_same(model.estimators_[1], learn(model_of("pa"), X, Y[:, 1]))


def test_in_place_of_sgd_classifier():
    """The same calls, with the parameters that both have."""
    X, y = breast_cancer()
    shared = dict(
        fit_intercept=True,
        max_iter=20,
        tol=1e-3,
        shuffle=True,
        verbose=0,
        random_state=0,
        early_stopping=True,
        validation_fraction=0.2,
        n_iter_no_change=3,
        class_weight={0: 2.0},
        warm_start=True,
        average=10,
        n_jobs=1,
    )
    scores = []
    for make in (SGDClassifier, PassiveAggressiveClassifier):
        model = make(**shared)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            model.fit(X, y, coef_init=np.zeros((1, 30)), intercept_init=np.zeros(1))
        model.set_params(early_stopping=False)
        model.partial_fit(X, y, sample_weight=np.ones(len(y)))
        assert model.coef_.shape == (1, 30) and model.intercept_.shape == (1,)
        assert type(model.t_) is float and type(model.n_iter_) is int
        model.sparsify().densify()
        scores.append(model.score(X, y))
    assert scores[1] > scores[0] - 0.03


def test_imbalanced_learn():
    ensemble = pytest.importorskip("imblearn.ensemble")
    pipeline = pytest.importorskip("imblearn.pipeline")
    under_sampling = pytest.importorskip("imblearn.under_sampling")
    X, y = breast_cancer()
    rows = np.sort(np.r_[np.flatnonzero(y == 1), np.flatnonzero(y == 0)[:40]])
    X, y = X[rows], y[rows]
    sampler = under_sampling.RandomUnderSampler(random_state=0)
    for model in (
        pipeline.make_pipeline(sampler, model_of("cost")),
        ensemble.BalancedBaggingClassifier(model_of("pa"), n_estimators=4, random_state=0),
    ):
        predicted = model.fit(X, y).predict(X)
        assert (predicted[y == 0] == 0).mean() > 0.9
        assert (predicted[y == 1] == 1).mean() > 0.9
    resampled = sampler.fit_resample(X, y)
    expected = model_of("cost").fit(*resampled)
    model = pipeline.make_pipeline(sampler, model_of("cost")).fit(X, y)
    assert_same(model[-1], expected)


def test_feature_names_and_set_output():
    pandas = pytest.importorskip("pandas")
    X, y = rows_of("binary")
    frame = pandas.DataFrame(X, columns=list("abcd"))
    model, plain = model_of("pa").fit(frame, y), model_of("pa").fit(X, y)
    assert_array_equal(model.feature_names_in_, list("abcd"))
    assert_same(model, plain)
    assert_array_equal(model.decision_function(frame), plain.decision_function(X))
    for action in (lambda: model.predict(X), lambda: model.partial_fit(X[:5], y[:5])):
        with pytest.warns(UserWarning, match="does not have valid feature names"):
            action()
    with pytest.raises(ValueError, match="feature names"):
        model.partial_fit(frame[list("abdc")], y)
    with pytest.raises(ValueError, match="feature names"):
        model.predict(frame[list("abdc")])
    with pytest.warns(UserWarning, match="X has feature names, but"):
        plain.predict(frame)
    pipeline = make_pipeline(StandardScaler(), model_of("pa")).set_output(transform="pandas")
    pipeline.fit(frame, y)
    assert_array_equal(pipeline[-1].feature_names_in_, list("abcd"))
    assert pipeline.score(frame, y) > 0.6


def test_sample_weights_through_a_pipeline():
    X, y = rows_of("binary")
    weight = np.random.default_rng(0).uniform(0, 2, 200)
    scaled = StandardScaler().fit_transform(X)
    weighted = once("pa").fit(scaled, y, weight)
    pipeline = make_pipeline(StandardScaler(), once("pa"))
    pipeline.fit(X, y, passiveaggressiveclassifier__sample_weight=weight)
    assert_same(pipeline[-1], weighted)
    assert (weighted.coef_ != once("pa").fit(scaled, y).coef_).any()
    with sklearn.config_context(enable_metadata_routing=True):
        asking = once("pa").set_fit_request(sample_weight=True)
        scaler = StandardScaler().set_fit_request(sample_weight=False)
        assert_same(make_pipeline(scaler, asking).fit(X, y, sample_weight=weight)[-1], weighted)
        not_asking = once("pa").set_fit_request(sample_weight=False)
        with pytest.raises(TypeError, match="unexpected argument"):
            make_pipeline(scaler, not_asking).fit(X, y, sample_weight=weight)
        # Passed on by a search, to fit and to score.
        asking.set_score_request(sample_weight=True)
        search = GridSearchCV(asking, {"C": [0.1]}, cv=3).fit(scaled, y, sample_weight=weight)
        assert_same(search.best_estimator_, once("pa", C=0.1).fit(scaled, y, weight))
        stream = once("pa").set_partial_fit_request(sample_weight=True, classes=True)
        ovr = OneVsRestClassifier(stream)
        ovr.partial_fit(scaled, y, classes=["no", "yes"], sample_weight=weight)
        expected = model_of("pa").partial_fit(scaled, y, ["no", "yes"], weight)
        assert_allclose(np.abs(ovr.estimators_[0].coef_), np.abs(expected.coef_), rtol=1e-9)
