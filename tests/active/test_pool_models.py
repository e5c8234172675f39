"""MarginSampling: classifiers, diversity, invalid input."""

import pickle

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from scipy import sparse, stats
from sklearn.base import clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import SGDClassifier
from sklearn.metrics.pairwise import pairwise_kernels
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from sklearn_online_svm import LASVC
from sklearn_online_svm.active import (
    MarginSampling,
    margin_sampling,
)
from tests.support.pools import (
    FIRST,
    POOL,
    POOL3,
    SVM,
    SVM3,
    X3,
    Y3,
    Learner,
    Plane,
    X,
    Y,
    classifiers,
    gaps,
)

# ---------------------------------------------------------------------------- classifiers


@pytest.mark.parametrize("name", classifiers())
def test_classifiers(name):
    model = clone(classifiers()[name]).fit(X[FIRST], Y[FIRST])
    strategy = MarginSampling("all")
    best = np.abs(model.decision_function(POOL)).argmin()
    assert strategy.query(model, POOL).tolist() == [best]
    assert strategy.query(Learner(model), POOL).tolist() == [best]
    assert strategy.query(Learner(Learner(model)), POOL).tolist() == [best]


def test_ovo_decision_function_is_rejected():
    pairs = SVC(decision_function_shape="ovo").fit(X3[FIRST], Y3[FIRST])
    for model in (pairs, make_pipeline(StandardScaler(), pairs).fit(X3[FIRST], Y3[FIRST])):
        with pytest.raises(ValueError, match="decision_function_shape='ovr' of SVC"):
            MarginSampling().query(model, POOL3)
    two = SVC(decision_function_shape="ovo").fit(X[FIRST], Y[FIRST])
    assert len(MarginSampling().query(two, POOL)) == 1


# ---------------------------------------------------------------------------- diversity


def reference_diversity(scores, K, n, weight):
    """Return the batch selected with all kernel values; weight is lambda in the paper."""
    batch = []
    while len(batch) < n:
        costs = []
        for i in range(len(scores)):
            cosines = [abs(K[i, j]) / np.sqrt(K[i, i] * K[j, j]) for j in batch]
            costs.append(weight * abs(scores[i]) + (1 - weight) * max(cosines, default=0.0))
            if i in batch:
                costs[i] = np.inf
        batch.append(int(np.argmin(costs)))
    return batch


def polynomial(A, B):
    return (np.asarray(A @ B.T) + 1.0) ** 2


def sparse_linear(A, B):
    return sparse.csr_array(np.asarray(A @ B.T))


KERNELS = {
    "rbf": (dict(kernel="rbf", gamma=0.3), dict(metric="rbf", gamma=0.3)),
    "scale": (dict(kernel="rbf"), None),
    "poly": (
        dict(kernel="poly", gamma=0.5, degree=2, coef0=1.5),
        dict(metric="poly", gamma=0.5, degree=2, coef0=1.5),
    ),
    "linear": (dict(kernel="linear"), dict(metric="linear")),
    "callable": (dict(kernel=polynomial), dict(metric="poly", gamma=1.0, degree=2, coef0=1.0)),
    "sparse": (dict(kernel=sparse_linear), dict(metric="linear")),
}


@pytest.mark.parametrize("weight", [0.0, 0.3, 0.5, 0.9])
@pytest.mark.parametrize(
    ("kind", "kernel"),
    # SVC does not accept kernel functions that return sparse matrices.
    [(kind, kernel) for kernel in KERNELS for kind in (LASVC, SVC)][:-1],
)
def test_diversity_equals_the_reference(kind, kernel, weight):
    given, metric = KERNELS[kernel]
    model = kind(C=10.0, **given).fit(X[FIRST], Y[FIRST])
    metric = metric or dict(metric="rbf", gamma=1 / (X.shape[1] * X[FIRST].var()))
    pool = POOL[:150]
    K = pairwise_kernels(pool, **metric)
    scores = model.decision_function(pool)
    n = 8
    twin = reference_diversity(scores, K, n, weight if weight else 1e-300)
    strategy = MarginSampling("all", diversity=1 - weight)
    assert strategy.query(model, pool, n).tolist() == twin
    if weight < 0.9:
        assert twin != MarginSampling("all").query(model, pool, n).tolist()


def test_diversity_of_several_classes():
    pool = POOL3[:150]
    K = pairwise_kernels(pool, metric="rbf", gamma=0.3)
    twin = reference_diversity(gaps(SVM3, pool), K, 6, 0.4)
    strategy = MarginSampling("all", diversity=0.6)
    assert strategy.query(SVM3, pool, 6).tolist() == twin


@pytest.mark.parametrize("name", ["linear svc", "logistic", "pa", "rfe", "few labels", "search"])
def test_diversity_of_other_classifiers(name):
    model = clone(classifiers()[name]).fit(X[FIRST], Y[FIRST])
    pool = POOL[:150]
    rows, metric = pool, dict(metric="linear")
    if name == "rfe":
        rows = model.transform(pool)
    elif name == "few labels":
        metric = dict(metric="rbf", gamma=0.3)
    elif name == "search":
        rows = model.best_estimator_[:-1].transform(pool)
        metric = dict(metric="rbf", gamma=0.3)
    twin = reference_diversity(
        model.decision_function(pool), pairwise_kernels(rows, **metric), 6, 0.5
    )
    strategy = MarginSampling("all", diversity=0.5)
    assert strategy.query(model, pool, 6).tolist() == twin
    assert strategy.query(Learner(model), pool, 6).tolist() == twin


def test_diverse_batch_has_no_duplicates():
    pool = np.repeat(POOL[:40], 10, axis=0)
    plain = MarginSampling("all").query(SVM, pool, 10)
    assert len(set(plain // 10)) == 1
    diverse = MarginSampling("all", diversity=0.95).query(SVM, pool, 10)
    assert len(set(diverse // 10)) == 10


def test_samples_of_zeros_have_cosine_zero():
    model = LASVC(kernel="linear").fit(X[FIRST], Y[FIRST])
    pool = np.vstack([POOL[:20], np.zeros((3, 4))])
    strategy = MarginSampling("all", diversity=1.0)
    batch, utilities = strategy.query(model, pool, 6, return_utilities=True)
    assert batch[0] < 20
    assert batch[1:4].tolist() == [20, 21, 22]
    assert (utilities[1, 20:] == 0).all()
    assert not np.isnan(utilities[4, np.setdiff1d(np.arange(23), batch[:4])]).any()


def test_diversity_requires_a_known_feature_space():
    boosting = HistGradientBoostingClassifier(max_iter=5).fit(X[FIRST], Y[FIRST])
    given = LASVC(kernel="precomputed").fit(X[FIRST] @ X[FIRST].T, Y[FIRST])
    strategy = MarginSampling(diversity=0.5, random_state=0)
    with pytest.raises(ValueError, match="HistGradientBoostingClassifier has neither a kernel"):
        strategy.query(boosting, POOL, 2)
    K = POOL @ X[FIRST].T
    with pytest.raises(ValueError, match="LASVC has only those with the samples of fit"):
        strategy.query(given, K, 2)
    # Not required for a single sample or without diversity.
    assert len(strategy.query(given, K)) == 1
    assert len(strategy.query(boosting, POOL)) == 1
    assert strategy.n_queries_ == 2
    strategy.set_params(diversity=0.0, pool_size="all")
    assert_array_equal(strategy.query(given, K, 5), np.argsort(gaps(given, K))[:5])


def test_unknown_gamma_is_rejected():
    class Foreign(Plane):
        kernel, gamma = "rbf", "scale"

    with pytest.raises(ValueError, match="Foreign, .* the value of gamma='scale'"):
        MarginSampling(diversity=0.5).query(Foreign(), POOL, 2)


# ---------------------------------------------------------------------------- side effects


@pytest.mark.parametrize("name", classifiers())
def test_query_leaves_the_classifier_unchanged(name):
    diversity = 0.0 if name == "boosting" else 0.5  # boosting knows no angles
    model = clone(classifiers()[name]).fit(X[FIRST], Y[FIRST])
    model.decision_function(POOL[:1])  # the optimized solution is cached
    before = pickle.dumps(model)
    MarginSampling(diversity=diversity).query(model, POOL, 3)
    assert pickle.dumps(model) == before


@pytest.mark.parametrize("algorithm", ["lasvm", "lasvm-nc"])
def test_query_leaves_a_stream_unchanged(algorithm):
    model = LASVC(C=10.0, gamma=0.3, algorithm=algorithm, random_state=0)
    undisturbed, asked = clone(model), clone(model)
    strategy = MarginSampling(diversity=0.5)
    for start in range(0, 200, 5):
        chunk = slice(start, start + 5)
        for learner in (model, undisturbed, asked):
            learner.partial_fit(X[chunk], Y[chunk], classes=["no", "yes"])
        asked.decision_function(POOL[:1])
        assert len(set(strategy.query(model, POOL, 3))) == 3
    assert_array_equal(model.decision_function(POOL), asked.decision_function(POOL))
    best = gaps(model, POOL).argmin()
    assert MarginSampling("all").query(model, POOL).tolist() == [best]
    for learner in (model, undisturbed):
        learner.set_params(finishing=False)
    for name in ("support_", "dual_coef_", "intercept_"):
        assert_array_equal(getattr(model, name), getattr(undisturbed, name))


@pytest.mark.parametrize("classes", [[0, 1], [0, 1, 2]])
@pytest.mark.parametrize(
    "model", [LASVC(gamma=0.3), LASVC(gamma=0.3, algorithm="lasvm-g"), SGDClassifier()], ids=str
)
def test_classifier_trained_on_one_class(model, classes):
    model = clone(model).partial_fit(X[:9], np.zeros(9, dtype=int), classes=classes)
    strategy = MarginSampling(random_state=0)
    batches = [strategy.query(model, POOL, 2) for _ in range(20)]
    assert all(len(set(batch)) == 2 for batch in batches)
    assert len({tuple(batch) for batch in batches}) > 10
    if model.get_params().get("algorithm") == "lasvm":  # nothing to choose by: a row at random
        assert np.ptp(gaps(model, POOL)) == 0
        chosen = [strategy.query(model, POOL)[0] for _ in range(300)]
        assert stats.chisquare(np.histogram(chosen, bins=4, range=(0, 400))[0]).pvalue > 1e-3


# ---------------------------------------------------------------------------- errors


def test_no_decision_function():
    forest = RandomForestClassifier(5).fit(X[FIRST], Y[FIRST])
    for model in (forest, Learner(forest), make_pipeline(StandardScaler(), forest)):
        with pytest.raises(TypeError, match="such as LASVC, SVC, a linear model, or a Pipeline"):
            MarginSampling().query(model, POOL)
    with pytest.raises(TypeError, match="RandomForestClassifier has none. For predict_proba"):
        MarginSampling().query(forest, POOL)
    with pytest.raises(TypeError, match="NoneType has none.$"):
        MarginSampling().query(None, POOL)


@pytest.mark.parametrize("model", [LASVC(), SVC(), make_pipeline(StandardScaler(), LASVC())])
def test_not_fitted(model):
    with pytest.raises(NotFittedError, match="not fitted"):
        MarginSampling().query(model, POOL)
    with pytest.raises(
        NotFittedError, match="Learner has no decision_function, and its estimator"
    ):
        MarginSampling().query(Learner(model), POOL)


def test_unfitted_inner_estimator():
    model = CalibratedClassifierCV(LASVC(), cv=2).fit(X[FIRST], Y[FIRST])
    with pytest.raises(NotFittedError, match="CalibratedClassifierCV has no decision_function"):
        MarginSampling().query(model, POOL)


@pytest.mark.parametrize("pool", [POOL[:0], sparse.csr_array((0, 4)), []], ids=type)
def test_empty_pool(pool):
    with pytest.raises(ValueError, match="There are no samples in X_pool; at least one"):
        MarginSampling().query(SVM, pool)
    with pytest.raises(ValueError, match="There are no samples in X_pool"):
        MarginSampling().query(SVM, pool, candidates=[])
    with pytest.raises(ValueError, match="There are no samples in X_pool"):
        margin_sampling(SVM, pool)


def test_batch_larger_than_the_pool():
    with pytest.raises(ValueError, match="batch_size=401 is more than the 400 samples in X_pool"):
        MarginSampling().query(SVM, POOL, len(POOL) + 1)
    with pytest.raises(ValueError, match="n_instances=401 is more than the 400 samples in X_pool"):
        margin_sampling(SVM, POOL, len(POOL) + 1)


@pytest.mark.parametrize("size", [0, -1, 1.5, None, "all"])
def test_invalid_batch_size(size):
    with pytest.raises(ValueError, match="The 'batch_size' parameter of .*query must be an int"):
        MarginSampling().query(SVM, POOL, size)
    with pytest.raises(ValueError, match="The 'n_instances' parameter of .* must be an int"):
        margin_sampling(SVM, POOL, size)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("pool_size", 0),
        ("pool_size", "some"),
        ("pool_size", 2.5),
        ("diversity", -0.1),
        ("diversity", 1.1),
        ("diversity", np.nan),
        ("random_tie_break", "yes"),
        ("random_state", "seed"),
    ],
)
def test_invalid_parameters(name, value):
    with pytest.raises(ValueError, match=f"The '{name}' parameter of MarginSampling must be"):
        MarginSampling(**{name: value}).query(SVM, POOL)


@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_samples_that_are_not_finite(value):
    pd = pytest.importorskip("pandas")
    pool = POOL.copy()
    pool[33, 2] = value
    for kind in (np.asarray, sparse.csr_array, pd.DataFrame):
        with pytest.raises(ValueError, match=r"NaN or infinity in sample 33: .*X"):
            MarginSampling("all").query(SVM, kind(pool))
    assert MarginSampling(5, random_state=0).query(SVM, pool)[0] != 33
    # Classifiers may support NaN.
    boosting = HistGradientBoostingClassifier(max_iter=5).fit(X[FIRST], Y[FIRST])
    assert len(MarginSampling("all").query(boosting, pool)) == 1


def test_scores_that_are_not_finite():
    pool = POOL.copy()
    pool[33, 0] = np.nan
    with pytest.raises(ValueError, match="decision values of Plane for sample 33 of X_pool"):
        MarginSampling("all").query(Plane(), pool)


def test_wrong_number_of_features():
    with pytest.raises(ValueError, match="X has 3 features, but LASVC is expecting 4 features"):
        MarginSampling().query(SVM, POOL[:, :3])
    with pytest.raises(ValueError, match="X has 3 features"):
        MarginSampling("all").query(SVM, sparse.csr_array(POOL[:, :3]))
