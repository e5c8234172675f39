"""Linear learners inside what scikit-learn has for all estimators."""

import warnings

import joblib
import numpy as np
import pytest
import sklearn
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.ensemble import BaggingClassifier, BaggingRegressor, VotingClassifier
from sklearn.exceptions import ConvergenceWarning
from sklearn.feature_selection import RFE, SelectFromModel
from sklearn.linear_model import SGDClassifier
from sklearn.model_selection import (
    GridSearchCV,
    StratifiedKFold,
    cross_val_score,
    learning_curve,
)
from sklearn.multiclass import OneVsOneClassifier, OneVsRestClassifier
from sklearn.multioutput import MultiOutputClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from sklearn_online_svm import (
    PassiveAggressiveClassifier,
)
from tests.support.linear_models import (
    OF_NUMBERS,
    assert_same,
    learn,
    line,
    model_of,
    once,
    regressor,
    rows_of,
)
from tests.support.samples import breast_cancer


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
