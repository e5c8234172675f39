"""Rows and rules scaled alike."""

import pickle

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.sparse import csr_matrix
from sklearn.base import clone
from sklearn.frozen import FrozenEstimator
from sklearn.model_selection import GridSearchCV
from sklearn.preprocessing import (
    MaxAbsScaler,
    MinMaxScaler,
    PowerTransformer,
    RobustScaler,
    StandardScaler,
)

from sklearn_online_svm import (
    Advice,
    AdvicePassiveAggressiveClassifier,
    ScaledAdviceClassifier,
)

NAMES = ["glucose", "bmi", "age"]
RULES = [
    Advice.from_rules({"glucose": (">=", 140), "bmi": (">=", 30)}, NAMES, 1),
    Advice.from_rules({"glucose": ("<=", 110), "bmi": (18.5, 25)}, NAMES, 0),
]
ADVISED = AdvicePassiveAggressiveClassifier(RULES, C=0.1, random_state=0)


def patients(n=200, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal([120, 30, 40], [30, 6, 12], size=(n, 3))
    risk = (X[:, 0] - 120) / 30 + (X[:, 1] - 30) / 6 + rng.normal(size=n)
    return X, (risk > 0).astype(int)


def by_hand(scaler, rules=RULES):
    return clone(ADVISED).set_params(advice=[rule.transformed_by(scaler) for rule in rules])


@pytest.mark.parametrize("scaler", [None, MinMaxScaler(), MaxAbsScaler(), RobustScaler()], ids=str)
def test_equals_manual_scaling(scaler):
    X, y = patients()
    model = ScaledAdviceClassifier(ADVISED, scaler).fit(X, y)
    fitted = clone(scaler or StandardScaler()).fit(X)
    scaled, wanted = fitted.transform(X), by_hand(fitted)
    wanted.fit(scaled, y)
    assert_array_equal(model.decision_function(X), wanted.decision_function(scaled))
    assert_array_equal(model.predict(X), wanted.predict(scaled))
    assert_array_equal(model.advice_violation_, wanted.advice_violation_)
    assert [*map(str, model.explain_advice(X))] == [*map(str, wanted.explain_advice(scaled))]
    assert [*map(str, model.explain_advice())] == [*map(str, wanted.explain_advice())]
    assert "glucose >= 140" in str(model.explain_advice()[0])
    # In a stream the scaler is fitted on the first chunk.
    model.fit(X[:9], y[:9])
    model = clone(model).partial_fit(X[:50], y[:50], [0, 1]).partial_fit(X[50:], y[50:])
    fitted = clone(scaler or StandardScaler()).fit(X[:50])
    wanted = by_hand(fitted).partial_fit(fitted.transform(X), y, [0, 1])
    assert_array_equal(model.decision_function(X), wanted.decision_function(fitted.transform(X)))


def test_sparse_samples_and_frozen_scalers():
    X, y = patients()
    S = csr_matrix(X)
    dense = ScaledAdviceClassifier(ADVISED, MaxAbsScaler()).fit(X, y)
    thin = ScaledAdviceClassifier(ADVISED, MaxAbsScaler()).fit(S, y)
    assert_allclose(thin.decision_function(S), dense.decision_function(X), atol=1e-9)
    scaler = StandardScaler().fit(X)
    frozen = ScaledAdviceClassifier(ADVISED, FrozenEstimator(scaler))
    frozen.partial_fit(X[:3], y[:3], [0, 1]).partial_fit(X[3:], y[3:])
    wanted = by_hand(scaler).partial_fit(scaler.transform(X), y, [0, 1])
    scores = wanted.decision_function(scaler.transform(X))
    assert_array_equal(frozen.decision_function(X), scores)


def test_a_chunk_without_samples_needs_a_frozen_scaler():
    X, y = patients()
    scaler = StandardScaler().fit(X)
    model = ScaledAdviceClassifier(ADVISED, FrozenEstimator(scaler))
    model.partial_fit(X[:0], y[:0], [0, 1])
    Z = scaler.transform(X)
    wanted = by_hand(scaler).partial_fit(Z[:0], y[:0], [0, 1])
    assert_array_equal(model.decision_function(X), wanted.decision_function(Z))
    model.partial_fit(X[:0], y[:0]).partial_fit(X, y)
    assert_array_equal(model.decision_function(X), wanted.partial_fit(Z, y).decision_function(Z))
    model = ScaledAdviceClassifier(ADVISED)
    with pytest.raises(ValueError, match="0 sample.*StandardScaler"):
        model.partial_fit(X[:0], y[:0], [0, 1])
    with pytest.raises(ValueError, match="0 sample"):
        ScaledAdviceClassifier(ADVISED, FrozenEstimator(scaler)).fit(X[:0], y[:0])
    assert not hasattr(model, "scaler_")


def test_grid_search():
    """Each split has its own scaler."""
    X, y = patients()
    X[:100] += [50.0, 0.0, 0.0]
    grid = {
        "estimator__C": [0.01, 1.0],
        "estimator__advice": [None, RULES, RULES[:1]],
        "scaler": [StandardScaler(), MinMaxScaler()],
    }
    search = GridSearchCV(ScaledAdviceClassifier(ADVISED), grid, cv=3).fit(X, y)
    assert len(set(search.cv_results_["mean_test_score"])) > 4
    model = search.best_estimator_
    assert_array_equal(search.predict(X), model.predict(X))
    assert model.estimator.advice in grid["estimator__advice"]


def test_pickles_and_errors():
    pandas = pytest.importorskip("pandas")
    X, y = patients()
    frame = pandas.DataFrame(X, columns=NAMES)
    model = ScaledAdviceClassifier(ADVISED).partial_fit(frame[:100], y[:100], [0, 1])
    assert_array_equal(model.feature_names_in_, NAMES)
    before = model.decision_function(frame)
    bad = frame[100:].copy()
    bad.iloc[7, 1] = np.nan
    for samples, labels in ((bad, y[100:]), (frame[:9], y[:9] + 5), (frame[["age"]], y)):
        with pytest.raises(ValueError):
            model.partial_fit(samples, labels)
        assert_array_equal(model.decision_function(frame), before)
    for samples, labels in ((bad, y[100:]), (frame, np.ones(200))):
        with pytest.raises(ValueError):
            model.fit(samples, labels)
        assert_array_equal(model.decision_function(frame), before)
    loaded = pickle.loads(pickle.dumps(model))
    more = frame[100:], y[100:]
    assert_array_equal(
        loaded.partial_fit(*more).decision_function(frame),
        model.partial_fit(*more).decision_function(frame),
    )
    with pytest.raises(ValueError, match=r"advice\[0\].* is about the features"):
        ScaledAdviceClassifier(ADVISED).fit(frame[NAMES[::-1]], y)
    with pytest.raises(ValueError, match=r"advice\[0\].* is about 3 features, but X has 2"):
        ScaledAdviceClassifier(ADVISED).fit(X[:, :2], y)
    with pytest.raises(TypeError, match="transformed_by takes"):
        ScaledAdviceClassifier(ADVISED, PowerTransformer()).fit(X, y)


def test_parameters_changed_in_a_stream():
    X, y = patients()
    model = ScaledAdviceClassifier(clone(ADVISED)).partial_fit(X[:100], y[:100], [0, 1])
    model.set_params(estimator__C=2.0, estimator__advice=RULES[:1]).partial_fit(X[100:], y[100:])
    scaler = StandardScaler().fit(X[:100])
    wanted = by_hand(scaler).partial_fit(scaler.transform(X[:100]), y[:100], [0, 1])
    wanted.set_params(C=2.0, advice=wanted.advice[:1])
    wanted.partial_fit(scaler.transform(X[100:]), y[100:])
    scores = wanted.decision_function(scaler.transform(X))
    assert_array_equal(model.decision_function(X), scores)
    for new in (dict(scaler=MinMaxScaler()), dict(estimator__fit_intercept=False)):
        old = {name: model.get_params()[name] for name in new}
        with pytest.raises(ValueError, match="cannot change once"):
            model.set_params(**new).partial_fit(X, y)
        model.set_params(**old)
        assert_array_equal(model.decision_function(X), scores)
