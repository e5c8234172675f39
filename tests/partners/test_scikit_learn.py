"""Tools of scikit-learn around many estimators of this package."""

from functools import cache

import numpy as np
import pytest
import sklearn
from numpy.testing import assert_allclose, assert_array_equal
from scipy.sparse import csr_array
from sklearn.base import clone
from sklearn.experimental import enable_halving_search_cv  # noqa: F401
from sklearn.feature_selection import RFE, SelectFromModel, SequentialFeatureSelector
from sklearn.inspection import DecisionBoundaryDisplay, partial_dependence, permutation_importance
from sklearn.model_selection import GridSearchCV, HalvingGridSearchCV, cross_validate
from sklearn.multiclass import OneVsOneClassifier, OneVsRestClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from sklearn_online_svm import (
    LASVC,
    LASVR,
    ActiveLASVC,
    AROWClassifier,
    ConfidenceWeightedClassifier,
    CostSensitivePassiveAggressiveClassifier,
    KernelAROWClassifier,
    KernelPassiveAggressiveClassifier,
    LocalOnlineClassifier,
    PassiveAggressiveClassifier,
    PassiveAggressiveRegressor,
    PerceptronClassifier,
    RampSVC,
    SCWClassifier,
    SecondOrderPerceptronClassifier,
    VirtualLASVC,
)
from tests.support.samples import three_classes

EPOCHS = dict(max_iter=5, tol=None, random_state=0)
LINEAR = [
    AROWClassifier(**EPOCHS),
    ConfidenceWeightedClassifier(**EPOCHS),
    CostSensitivePassiveAggressiveClassifier(**EPOCHS),
    PassiveAggressiveClassifier(average=True, **EPOCHS),
    PerceptronClassifier(average=True, **EPOCHS),
    SCWClassifier(**EPOCHS),
    SecondOrderPerceptronClassifier(**EPOCHS),
    LASVC(kernel="linear", random_state=0),
    RampSVC(kernel="linear", random_state=0),
]
NONLINEAR = [
    LASVC(random_state=0),
    LASVC(algorithm="lasvm-nc", random_state=0),
    RampSVC(random_state=0),
    ActiveLASVC(random_state=0),
    VirtualLASVC(random_state=0),
    KernelAROWClassifier(random_state=0),
    KernelPassiveAggressiveClassifier(random_state=0),
    LocalOnlineClassifier(**EPOCHS),
]
REGRESSORS = [LASVR(random_state=0), PassiveAggressiveRegressor(C=0.01, **EPOCHS)]
# Weights of ConfidenceWeightedClassifier only matter as zero or nonzero.
WEIGHTED = [
    model for model in LINEAR + NONLINEAR if not isinstance(model, ConfidenceWeightedClassifier)
]


def over(models):
    def name(model):
        kind = getattr(model, "kernel", "") == "linear" or getattr(model, "algorithm", "")
        return type(model).__name__ + {True: "-linear", "lasvm-nc": "-nc"}.get(kind, "")

    return pytest.mark.parametrize("model", models, ids=name)


def parameter_of(model):
    return next(n for n in ("C", "r", "eta", "a", "intercept_scaling") if hasattr(model, n))


@cache
def samples():
    """Two classes; the first two of six features tell them apart."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 6))
    y = np.where(X[:, 0] - X[:, 1] + 0.3 * rng.normal(size=300) > 0, "yes", "no")
    return X, y


@over(LINEAR + NONLINEAR)
def test_permutation_importance(model):
    X, y = samples()
    found = permutation_importance(clone(model).fit(X, y), X, y, n_repeats=5, random_state=0)
    assert found.importances_mean[:2].min() > 2 * found.importances_mean[2:].max() > -1
    assert found.importances_mean[:2].min() > 0.1


@over(LINEAR + NONLINEAR)
def test_partial_dependence(model):
    X, y = samples()
    options = {} if hasattr(model, "predict_proba") else dict(response_method="decision_function")
    found = partial_dependence(
        clone(model).fit(X, y), X, [0], grid_resolution=5, kind="average", **options
    )
    assert (np.diff(found["average"][0]) > 0).all()


@over(REGRESSORS)
def test_inspection_of_regressors(model):
    X, _ = samples()
    model = clone(model).fit(X, X[:, 0] - X[:, 1])
    found = permutation_importance(model, X, X[:, 0] - X[:, 1], random_state=0)
    assert found.importances_mean[:2].min() > 5 * found.importances_mean[2:].max()
    average = partial_dependence(model, X, [0], grid_resolution=5, kind="average")["average"][0]
    assert (np.diff(average) > 0).all()


@over([LASVC(random_state=0), AROWClassifier(**EPOCHS)])
def test_decision_boundary_display(model):
    pytest.importorskip("matplotlib").use("Agg")
    X, y = samples()
    model = clone(model).fit(X[:, :2], y)
    display = DecisionBoundaryDisplay.from_estimator(
        model, X[:, :2], grid_resolution=10, response_method="decision_function"
    )
    cells = np.c_[display.xx0.ravel(), display.xx1.ravel()]
    assert_allclose(display.response.ravel(), model.decision_function(cells))


@over(LINEAR)
@pytest.mark.parametrize("sparse", [False, True], ids=["dense", "sparse"])
def test_selection_by_coef(model, sparse):
    X, y = samples()
    X = csr_array(X) if sparse else X
    selected = SelectFromModel(clone(model), max_features=2, threshold=-np.inf).fit(X, y)
    assert_array_equal(selected.get_support(indices=True), [0, 1])
    assert_array_equal(RFE(clone(model), n_features_to_select=2).fit(X, y).support_[:2], True)


@over(NONLINEAR)
def test_selection_without_coef(model):
    X, y = samples()
    search = SequentialFeatureSelector(clone(model), n_features_to_select=2, cv=2)
    assert_array_equal(search.fit(X[:, :4], y).get_support(indices=True), [0, 1])


@over(LINEAR + NONLINEAR)
def test_one_vs_one(model):
    X, y = three_classes(300)
    ovo = OneVsOneClassifier(clone(model)).fit(X, y)
    assert len(ovo.estimators_) == 3
    assert ovo.score(X, y) > 0.75


@pytest.mark.sampled
@over(LINEAR + NONLINEAR + REGRESSORS)
@pytest.mark.parametrize("resource", ["n_samples", "max_iter"])
def test_halving(model, resource):
    X, y = samples()
    if resource == "max_iter" and not hasattr(model, "max_iter"):
        pytest.skip("VirtualLASVC has no max_iter")
    y = X[:, 0] if model in REGRESSORS else y
    options = {} if resource == "n_samples" else dict(max_resources=4, min_resources=1)
    grid = {parameter_of(model): [0.6, 0.7, 0.9]}
    search = HalvingGridSearchCV(
        clone(model), grid, resource=resource, cv=2, random_state=0, **options
    )
    search.fit(X, y)
    assert search.n_iterations_ > 1
    assert search.score(X, y) > 0.8


@pytest.mark.sampled
@over(WEIGHTED)
def test_metadata_routing(model):
    X, y = samples()
    weight = np.random.default_rng(0).exponential(size=len(y))
    with sklearn.config_context(enable_metadata_routing=True):
        weighted = clone(model).set_fit_request(sample_weight=True)
        pipeline = make_pipeline(StandardScaler().set_fit_request(sample_weight=False), weighted)
        pipeline.fit(X, y, sample_weight=weight)
        scores = cross_validate(
            weighted.set_score_request(sample_weight=True),
            X,
            y,
            cv=3,
            params={"sample_weight": weight},
            error_score="raise",
        )["test_score"]
        search = GridSearchCV(weighted, {parameter_of(model): [0.6, 0.9]}, cv=2)
        search.fit(X, y, sample_weight=weight)
        search.score(X, y, sample_weight=weight)
        ovr = OneVsRestClassifier(weighted).fit(X, y, sample_weight=weight)
    scaled = StandardScaler().fit(X).transform(X)
    expected = clone(model).fit(scaled, y, sample_weight=weight)
    assert_allclose(pipeline.decision_function(X), expected.decision_function(scaled))
    unweighted = clone(model).fit(scaled, y)
    assert not np.allclose(pipeline.decision_function(X), unweighted.decision_function(scaled))
    assert np.min(scores) > 0.7
    assert search.best_score_ > 0.75
    assert_array_equal(ovr.predict(X), clone(model).fit(X, y, sample_weight=weight).predict(X))


@over(LINEAR + NONLINEAR + REGRESSORS)
@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_data_frames(model, library):
    module = pytest.importorskip(library)
    X, y = samples()
    y = X[:, 0] if model in REGRESSORS else y
    names = [f"x{i}" for i in range(X.shape[1])]
    frame = module.DataFrame(dict(zip(names, X.T)))
    pipeline = make_pipeline(StandardScaler(), clone(model)).set_output(transform=library)
    pipeline.fit(frame, module.Series(y))
    assert pipeline[-1].feature_names_in_.tolist() == names
    expected = make_pipeline(StandardScaler(), clone(model)).fit(X, y).predict(X)
    if model in REGRESSORS:
        assert_allclose(pipeline.predict(frame), expected, rtol=1e-9)
    else:
        assert_array_equal(pipeline.predict(frame), expected)
    with pytest.raises(ValueError, match="feature names"):
        pipeline.predict(frame[names[::-1]])


@over(LINEAR + NONLINEAR + REGRESSORS)
def test_html_representation(model):
    X, y = samples()
    y = X[:, 0] if model in REGRESSORS else y
    changed = clone(model)
    before = changed._repr_html_()
    after = changed.fit(X, y)._repr_html_()
    for html in (before, after):
        assert type(model).__name__ in html
        assert "random_state" in html
    assert "Not fitted" in before
    assert "Not fitted" not in after
