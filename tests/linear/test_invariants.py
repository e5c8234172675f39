"""What holds of the linear learners: special cases, scikit-learn, any rows, mistake bounds."""

import copy
import pickle
import warnings

import numpy as np
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy.sparse import csr_matrix
from sklearn.base import BaseEstimator, ClassifierMixin, clone, is_regressor
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import Perceptron, SGDClassifier, SGDRegressor
from sklearn.svm import LinearSVC

from sklearn_online_svm._core.linear.queries import ALL, Asker
from sklearn_online_svm._core.linear.update_loop import DONE, LABEL_WANTED, NOT_FINITE
from sklearn_online_svm.active import (
    AllQuery,
    LabelEfficientClassifier,
    MarginQuery,
    RandomQuery,
)
from sklearn_online_svm.linear import (
    AROWClassifier,
    ConfidenceWeightedClassifier,
    CostSensitivePassiveAggressiveClassifier,
    PassiveAggressiveClassifier,
    PassiveAggressiveRegressor,
    PerceptronClassifier,
    SCWClassifier,
    SecondOrderPerceptronClassifier,
)
from sklearn_online_svm.linear._state import LinearState, Method
from tests.support.samples import LAYOUTS

quickly = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
JOINT = dict(multi_class="crammer_singer")


def cspa(**params):
    return CostSensitivePassiveAggressiveClassifier(**{"average": False, **params})


FIRST_ORDER = [
    PassiveAggressiveClassifier(C=0.5),
    PassiveAggressiveClassifier(C=np.inf),
    PassiveAggressiveClassifier(C=0.5, loss="squared_hinge"),
    PassiveAggressiveClassifier(C=0.5, average=3),
    PassiveAggressiveClassifier(C=0.5, **JOINT),
    PassiveAggressiveClassifier(C=0.5, loss="squared_hinge", average=True, **JOINT),
]
STEPWISE = [
    PerceptronClassifier(positive_margin=0.3),
    PerceptronClassifier(average=True),
    PerceptronClassifier(**JOINT),
]
COST_SENSITIVE = [
    cspa(C=2.0),
    cspa(C=2.0, rho=3.0, rule="prediction"),
    cspa(C=2.0, rule="max_loss", **JOINT),
]
SECOND_ORDER = [
    model.set_params(covariance=covariance)
    for covariance in ("diag", "full")
    for model in (
        SecondOrderPerceptronClassifier(a=2.0),
        ConfidenceWeightedClassifier(eta=0.8),
        SCWClassifier(C=0.5),
        SCWClassifier(C=0.5, loss="squared_hinge"),
        AROWClassifier(r=0.5),
    )
]
REGRESSION = [
    PassiveAggressiveRegressor(C=0.5),
    PassiveAggressiveRegressor(C=0.5, loss="squared_epsilon_insensitive", average=True),
]
CLASSIFIERS = FIRST_ORDER + STEPWISE + COST_SENSITIVE + SECOND_ORDER
MODELS = CLASSIFIERS + REGRESSION
# Alike for dense and for sparse rows; by default it depends on the rows.
for _model in FIRST_ORDER + STEPWISE + COST_SENSITIVE + REGRESSION:
    _model.set_params(intercept_scaling=1.0)


def clouds(n=100, n_features=4, n_classes=2, seed=0, *, dtype=np.float64, flipped=0.15):
    """Overlapping clouds; labels 0, 1, ..."""
    rng = np.random.default_rng(seed)
    labels = rng.integers(n_classes, size=n)
    X = rng.normal(size=(n, n_features)) + rng.normal(size=(n_classes, n_features))[labels]
    wrong = rng.random(n) < flipped
    labels[wrong] = rng.integers(n_classes, size=wrong.sum())
    return X.astype(dtype), labels


def line(n=100, n_features=4, seed=0, *, dtype=np.float64):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, n_features)).astype(dtype)
    return X, X @ rng.normal(size=n_features) + 0.3 * rng.normal(size=n)


def state_of(model):
    """All numbers that a model shows."""
    numbers = [model.coef_, model.intercept_, model.n_updates_, model.t_]
    if hasattr(model, "covariance_"):
        numbers.append(model.covariance_)
    return [np.array(number) for number in numbers]


def assert_same(*models):
    """To the last bit."""
    first = state_of(models[0])
    for model in models[1:]:
        for one, other in zip(first, state_of(model), strict=True):
            assert_array_equal(other, one)


def assert_close(one, other, rtol=1e-9, atol=1e-9):
    """But for the number of updates: rows may meet their margin exactly, but for rounding."""
    for i, (a, b) in enumerate(zip(state_of(one), state_of(other), strict=True)):
        if i != 2:
            assert_allclose(a, b, rtol=rtol, atol=atol * max(1.0, np.abs(b).max()))


def taught(model, X, y, classes=None, chunk=None, sample_weight=None):
    """A clone that has learnt the rows by partial_fit."""
    model, first = clone(model), {}
    if not is_regressor(model):
        first = {"classes": np.unique(y) if classes is None else classes}
    chunk = chunk or len(y)
    for start in range(0, len(y), chunk):
        rows = slice(start, start + chunk)
        more = {} if sample_weight is None else {"sample_weight": sample_weight[rows]}
        model.partial_fit(X[rows], y[rows], **first, **more)
        first = {}
    return model


# -- special cases ------------------------------------------------------------------------


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("multi_class", ["ovr", "crammer_singer"])
def test_a_large_C_is_hard(n_classes, multi_class):
    X, y = clouds(n_classes=n_classes)
    hard, large, squared, large_squared = (
        taught(PassiveAggressiveClassifier(C=C, loss=loss, multi_class=multi_class), X, y)
        for loss in ("hinge", "squared_hinge")
        for C in (np.inf, 1e12)
    )
    assert_same(hard, large, squared)
    assert_allclose(large_squared.coef_, hard.coef_, rtol=1e-6, atol=1e-8)
    X, y = line()
    hard, large, squared = (
        taught(PassiveAggressiveRegressor(C=C, loss=loss), X, y)
        for C, loss in (
            (np.inf, "epsilon_insensitive"),
            (1e12, "epsilon_insensitive"),
            (np.inf, "squared_epsilon_insensitive"),
        )
    )
    assert_same(hard, large, squared)


@pytest.mark.parametrize("fit_intercept", [False, True])
def test_a_hard_step_meets_the_margin_exactly(fit_intercept):
    n_steps = 0

    def steps(model, X, y):
        """(row, label, weights before) of each step."""
        model.set_params(fit_intercept=fit_intercept)
        before = 0
        for i in range(len(y)):
            classes = {} if is_regressor(model) else {"classes": np.arange(y.max() + 1)}
            scores = 0.0
            if i:
                scores = _decide(model, X[i : i + 1])
            model.partial_fit(X[i : i + 1], y[i : i + 1], **classes)
            if model.n_updates_ > before:
                yield i, scores, _decide(model, X[i : i + 1])
            before = model.n_updates_

    X, y = clouds(60)
    for i, _, score in steps(PassiveAggressiveClassifier(C=np.inf), X, y):
        assert_allclose((2 * y[i] - 1) * score, 1.0, rtol=1e-12)
        n_steps += 1
    for rule, demand in (("cost-sensitive", 3.0), ("max_loss", 3**0.5), ("prediction", 3**0.5)):
        model = CostSensitivePassiveAggressiveClassifier(
            average=False, C=np.inf, rho=3.0, rule=rule
        )
        for i, before, score in steps(model, X, y):
            assert_allclose((2 * y[i] - 1) * score, demand if y[i] else 1.0, rtol=1e-12)
            assert rule != "prediction" or (2 * y[i] - 1) * before <= 0
            n_steps += 1
    X, y = clouds(60, n_classes=3)
    for i, before, scores in steps(PassiveAggressiveClassifier(C=np.inf), X, y):
        wanted = np.where(np.arange(3) == y[i], 1.0, -1.0)
        moved = wanted * before < 1.0
        assert_allclose(scores[0, moved[0] if i else ...], wanted[moved[0] if i else ...])
        n_steps += 1
    for i, before, scores in steps(PassiveAggressiveClassifier(C=np.inf, **JOINT), X, y):
        others = np.delete(np.arange(3), y[i])
        rival = others[(np.zeros(3) if i == 0 else before[0])[others].argmax()]
        assert_allclose(scores[0, y[i]] - scores[0, rival], 1.0, rtol=1e-12)
        n_steps += 1
    X, y = line(60)
    for i, _, predicted in steps(PassiveAggressiveRegressor(C=np.inf, epsilon=0.2), X, y):
        assert_allclose(abs(y[i] - predicted), 0.2, rtol=1e-11)
        n_steps += 1
    assert n_steps > 200


def _decide(model, X):
    return model.predict(X) if is_regressor(model) else model.decision_function(X)


@pytest.mark.parametrize("n_classes", [2, 3])
def test_equal_costs_are_passive_aggressive(n_classes):
    X, y = clouds(n_classes=n_classes)
    plain = taught(PassiveAggressiveClassifier(C=0.3), X, y)
    equal = dict(objective="cost", cost_p=0.5, cost_n=0.5)
    for params in (dict(rho=1.0), dict(rho=1.0, rule="max_loss"), equal):
        assert_same(
            taught(cspa(C=0.3, **params), X, y),
            plain,
        )
    joint = taught(PassiveAggressiveClassifier(C=0.3, **JOINT), X, y)
    for rho in (1.0, 1.0 - np.eye(n_classes)):
        params = dict(rule="max_loss", rho=rho, **JOINT)
        cost_sensitive = cspa(C=0.3, **params)
        assert_same(taught(cost_sensitive, X, y), joint)


def test_the_other_way_round():
    """The first class as the positive one is the same with the signs turned."""
    X, y = clouds()
    costs = np.array([[0.0, 0.5], [3.0, 0.0]])
    for params in (
        dict(eta_p=0.8),
        dict(objective="cost"),
        dict(rho=4.0, rule="max_loss"),
        dict(rho=costs, rule="prediction"),
    ):
        model = cspa(C=2.0, **params)
        turned = clone(model).set_params(pos_label=0)
        if "rho" in params and np.ndim(params["rho"]) == 2:
            turned.set_params(rho=costs.T)
        one, other = taught(model, X, y), taught(turned, X, 1 - y)
        assert_array_equal(other.coef_, -one.coef_)
        assert_array_equal(other.intercept_, -one.intercept_)
        # Without turning it is another model: the test can fail.
        assert np.abs(taught(model, X, 1 - y).coef_ + one.coef_).max() > 0.01 or (
            np.ndim(params.get("rho", 0)) == 2
        )


@pytest.mark.parametrize("covariance", ["diag", "full"])
@pytest.mark.parametrize("n_classes", [2, 3])
def test_confidence_weighted_is_soft_confidence_weighted_without_softness(covariance, n_classes):
    X, y = clouds(40, n_classes=n_classes)
    hard = taught(ConfidenceWeightedClassifier(eta=0.8, covariance=covariance), X, y)
    soft = dict(eta=0.8, covariance=covariance)
    assert_same(taught(SCWClassifier(C=np.inf, **soft), X, y), hard)
    assert_close(taught(SCWClassifier(C=np.inf, loss="squared_hinge", **soft), X, y), hard)
    large = taught(SCWClassifier(C=1e10, loss="squared_hinge", **soft), X, y)
    assert_close(large, hard, rtol=1e-4, atol=1e-4)
    assert np.abs(taught(SCWClassifier(C=0.1, **soft), X, y).coef_ - hard.coef_).max() > 0.01


@pytest.mark.parametrize("model", SECOND_ORDER[:5], ids=str)
@pytest.mark.parametrize("n_classes", [2, 3])
def test_diagonal_is_full_in_one_dimension(model, n_classes):
    X, y = clouds(n_features=1, n_classes=n_classes)
    model = clone(model).set_params(fit_intercept=False)
    diagonal = taught(model, X, y)
    full = taught(clone(model).set_params(covariance="full"), X, y)
    assert_allclose(diagonal.coef_, full.coef_, rtol=1e-9)
    assert_allclose(diagonal.covariance_, full.covariance_[:, :, 0], rtol=1e-9)
    assert min(diagonal.n_updates_, full.n_updates_) > 3
    assert_allclose(diagonal.decision_variance(X), full.decision_variance(X), rtol=1e-9)


@pytest.mark.parametrize("model", SECOND_ORDER[:5], ids=str)
def test_diagonal_is_full_on_rows_along_the_axes(model):
    rng = np.random.default_rng(0)
    X = np.zeros((60, 5))
    X[np.arange(60), rng.integers(5, size=60)] = rng.normal(size=60)
    y = rng.integers(2, size=60)
    model = clone(model).set_params(fit_intercept=False)
    diagonal = taught(model, X, y)
    full = taught(clone(model).set_params(covariance="full"), X, y)
    assert_allclose(diagonal.coef_, full.coef_, rtol=1e-9)
    assert_allclose(diagonal.covariance_[0], np.diag(full.covariance_[0]), rtol=1e-9)
    assert_array_equal(full.covariance_[0], np.diag(np.diag(full.covariance_[0])))


def test_margins_of_the_perceptron():
    X, y = clouds()
    signs = 2.0 * y - 1
    # So large that no row is ever beyond it: the sum of all rows.
    greedy = PerceptronClassifier(positive_margin=1e9, negative_margin=1e9)
    assert_allclose(taught(greedy, X, y).coef_[0], signs @ X)
    assert_allclose(taught(greedy, X, y).intercept_[0], signs.sum())
    # So small that no row is ever below it.
    lazy = taught(PerceptronClassifier(positive_margin=-1.0, negative_margin=-1.0), X, y)
    assert lazy.n_updates_ == 0 and not lazy.coef_.any()
    # One margin at a time; on it counts as below it.
    one_sided = taught(PerceptronClassifier(positive_margin=-1.0), X[y == 1], y[y == 1], [0, 1])
    assert one_sided.n_updates_ == 0
    one_sided = PerceptronClassifier(positive_margin=2.0, fit_intercept=False)
    for n_updates in (1, 2, 3, 3):
        one_sided.partial_fit([[1.0]], [1], classes=[0, 1])
        assert one_sided.n_updates_ == n_updates
    # Margins are to the scale of the rows as the weights are.
    by_scale = PerceptronClassifier(positive_margin=0.5, negative_margin=0.25, fit_intercept=False)
    scaled = clone(by_scale).set_params(positive_margin=8.0, negative_margin=4.0)
    one, other = taught(by_scale, X, y), taught(scaled, 4 * X, y)
    assert_array_equal(other.coef_, 4 * one.coef_)


@pytest.mark.parametrize("model", FIRST_ORDER[:4] + STEPWISE[:2], ids=str)
def test_two_classes_compete_as_one_stands_against_the_other(model):
    X, y = clouds()
    assert_same(taught(model, X, y), taught(clone(model).set_params(**JOINT), X, y))


@pytest.mark.parametrize("model", MODELS[:4] + MODELS[6:8] + SECOND_ORDER, ids=str)
def test_one_against_the_rest_is_so_many_problems(model):
    X, y = clouds(60, n_classes=3)
    together = taught(model, X, y)
    parts = [taught(model, X, (y == c).astype(int)) for c in range(3)]
    assert_allclose(together.coef_, np.vstack([part.coef_ for part in parts]), atol=1e-12)
    assert_allclose(together.intercept_, np.hstack([p.intercept_ for p in parts]), atol=1e-12)
    if hasattr(together, "covariance_"):
        covariance = np.vstack([part.covariance_ for part in parts])
        assert_allclose(together.covariance_, covariance, atol=1e-12)


def test_a_stiff_second_order_perceptron_is_a_perceptron():
    X, y = clouds()
    plain = taught(PerceptronClassifier(), X, y)
    for covariance in ("diag", "full"):
        stiff = SecondOrderPerceptronClassifier(a=1e12, covariance=covariance)
        assert_allclose(1e12 * taught(stiff, X, y).coef_, plain.coef_, rtol=1e-6, atol=1e-6)


@pytest.mark.parametrize("model", CLASSIFIERS, ids=str)
@pytest.mark.parametrize("n_classes", [2, 3])
def test_asking_always_is_learning_always(model, n_classes):
    X, y = clouds(60, n_classes=n_classes)
    plain = taught(model, X, y)
    for rule in (AllQuery(), RandomQuery(1.0), MarginQuery(1e300)):
        asking = LabelEfficientClassifier(model, rule, shuffle=False).fit(X, y)
        assert_same(asking.estimator_, plain)
        assert asking.n_queries_ == 60 and asking.queried_.all()
    never = LabelEfficientClassifier(model, RandomQuery(0.0), shuffle=False).fit(X, y)
    assert never.n_queries_ == 0 and not never.queried_.any()
    assert not never.online_predictions_.any()
    # A model with a mean is taught row by row, and has met none.
    if not model.get_params().get("average"):
        assert never.estimator_.n_updates_ == 0 and not never.estimator_.coef_.any()


# -- scikit-learn ---------------------------------------------------------------------------

PASSES = dict(max_iter=3, tol=None, shuffle=False, fit_intercept=False)


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("n_classes", [2, 4])
@pytest.mark.parametrize("C", [0.01, 0.3, 10.0])
@pytest.mark.parametrize("average", [False, True, 25])
@pytest.mark.parametrize("loss, rate", [("hinge", "pa1"), ("squared_hinge", "pa2")])
def test_classifier_of_scikit_learn(loss, rate, average, C, n_classes, layout):
    X, y = clouds(150, 7, n_classes)
    X[np.random.default_rng(1).random(X.shape) < 0.3] = 0.0
    X = LAYOUTS[layout](X)
    ours = PassiveAggressiveClassifier(C=C, loss=loss, average=average, **PASSES).fit(X, y)
    theirs = SGDClassifier(
        loss="hinge", penalty=None, learning_rate=rate, eta0=C, average=average, **PASSES
    ).fit(X, y)
    assert_allclose(ours.coef_, theirs.coef_, rtol=0, atol=1e-10)
    assert_array_equal(ours.predict(X), theirs.predict(X))
    assert ours.t_ == theirs.t_ == 451.0
    assert np.abs(ours.coef_).max() > 0.01


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("C", [0.01, 0.3, 10.0])
@pytest.mark.parametrize("epsilon", [0.0, 0.2])
@pytest.mark.parametrize("prefix, rate", [("", "pa1"), ("squared_", "pa2")])
def test_regressor_of_scikit_learn(prefix, rate, epsilon, C, layout):
    X, y = line(150, 7)
    X = LAYOUTS[layout](X)
    shared = dict(epsilon=epsilon, **PASSES)
    ours = PassiveAggressiveRegressor(C=C, loss=prefix + "epsilon_insensitive", **shared)
    theirs = SGDRegressor(
        loss="epsilon_insensitive", penalty=None, learning_rate=rate, eta0=C, **shared
    )
    assert_allclose(ours.fit(X, y).coef_, theirs.fit(X, y).coef_, rtol=0, atol=1e-10)
    assert_allclose(ours.predict(X), theirs.predict(X), rtol=0, atol=1e-9)


@pytest.mark.parametrize("n_classes", [2, 4])
def test_perceptron_of_scikit_learn(n_classes):
    X, y = clouds(150, 7, n_classes)
    passes = {**PASSES, "fit_intercept": True}
    ours, theirs = PerceptronClassifier(**passes).fit(X, y), Perceptron(**passes).fit(X, y)
    assert_allclose(ours.coef_, theirs.coef_, rtol=0, atol=1e-10)
    assert_allclose(ours.intercept_, theirs.intercept_, rtol=0, atol=1e-10)


# -- whatever the rows ----------------------------------------------------------------------


class Problem:
    """A model, rows to learn, and their weights."""

    def __init__(self, model, X, y, n_classes, weights):
        self.model, self.X, self.y, self.weights = model, X, y, weights
        self.n_classes = n_classes

    def __repr__(self):
        return f"Problem({self.__dict__})"

    def taught(self, X=None, y=None, model=None, weights=None, chunk=None, **params):
        """A clone of the model after these rows, in one chunk unless told otherwise."""
        model = clone(self.model if model is None else model).set_params(**params)
        X, y = self.X if X is None else X, self.y if y is None else y
        weights = self.weights if weights is None else weights
        return taught(model, X, y, np.arange(self.n_classes), chunk, weights)


def models_of(kind):
    return {
        "any": MODELS,
        "steady": FIRST_ORDER + REGRESSION + [COST_SENSITIVE[2], *SECOND_ORDER[1:4]],
        "second-order": SECOND_ORDER,
        # Their arrays know nothing of how many rows have come by.
        "without a mean": [m for m in MODELS if not m.get_params().get("average")],
    }[kind]


@st.composite
def problems(draw, kind="any", *, coarse=True, dtype=None, weighted=True):
    """Small problems; `coarse` ones have rows that are equal, and margins that are met exactly."""
    model = clone(draw(st.sampled_from(models_of(kind))))
    n, n_features = draw(st.integers(1, 20)), draw(st.integers(1, 9))
    n_classes = draw(st.integers(2, 5))
    rng = np.random.default_rng(draw(st.integers(0, 10**6)))
    X = rng.normal(size=(n, n_features)) * 10 ** draw(st.floats(-1, 1))
    X[rng.random(X.shape) < draw(st.sampled_from([0.0, 0.3, 0.8]))] = 0.0
    y = rng.normal(size=n) if is_regressor(model) else rng.integers(n_classes, size=n)
    if coarse and draw(st.booleans()):
        X = np.round(X)
    if coarse and draw(st.booleans()):
        X = X[rng.integers(0, n, n)]
    weights = None
    if weighted and draw(st.booleans()):
        weights = rng.choice([0.0, 0.5, 1.0, 3.0], n)
    dtype = draw(st.sampled_from([np.float32, np.float64])) if dtype is None else dtype
    if not draw(st.booleans()):
        model.set_params(fit_intercept=False)
    return Problem(model, X.astype(dtype), y, n_classes, weights)


layouts = st.sampled_from(list(LAYOUTS))


@quickly
@given(problems(coarse=False, dtype=np.float64))
def test_dense_and_sparse_rows(problem):
    one, other = problem.taught(), problem.taught(csr_matrix(problem.X))
    assert_close(one, other)
    scores, others = _decide(one, problem.X), _decide(other, csr_matrix(problem.X))
    assert_allclose(scores, others, rtol=1e-9, atol=1e-9 * max(1.0, np.abs(scores).max()))
    if hasattr(one, "decision_variance"):
        variances = other.decision_variance(csr_matrix(problem.X))
        assert_allclose(one.decision_variance(problem.X), variances, rtol=1e-8, atol=1e-9)


@quickly
@given(problems(), layouts, st.lists(st.integers(1, 6)))
def test_chunks_agree_to_the_last_bit(problem, layout, sizes):
    X, y, n = LAYOUTS[layout](problem.X), problem.y, len(problem.y)
    whole, parts, start = problem.taught(X), clone(problem.model), 0
    for size in [*sizes, n]:
        rows = slice(start, start + size)
        if start >= n:
            break
        more = {} if start or is_regressor(parts) else {"classes": np.arange(problem.n_classes)}
        if problem.weights is not None:
            more["sample_weight"] = problem.weights[rows]
        parts.partial_fit(X[rows], y[rows], **more)
        start += size
    assert_same(whole, parts)


@quickly
@given(problems(), layouts, st.data())
def test_a_pickle_goes_on_where_it_was(problem, layout, data):
    X, y, w = LAYOUTS[layout](problem.X), problem.y, problem.weights
    half = data.draw(st.integers(0, len(y) - 1))
    model = clone(problem.model)
    first = {} if is_regressor(model) else {"classes": np.arange(problem.n_classes)}
    if half:
        more = {} if w is None else {"sample_weight": w[:half]}
        model.partial_fit(X[:half], y[:half], **first, **more)
    again = data.draw(st.sampled_from([lambda m: pickle.loads(pickle.dumps(m)), copy.deepcopy]))
    other = again(model)
    if half:
        before = state_of(model)
    more = {} if w is None else {"sample_weight": w[half:]}
    other.partial_fit(X[half:], y[half:], **first, **more)
    assert_same(problem.taught(X), other)
    if half:  # the original was not touched
        for one, now in zip(before, state_of(model), strict=True):
            assert_array_equal(one, now)


@quickly
@given(problems("steady", coarse=False, dtype=np.float64))
def test_single_precision_is_nearly_double(problem):
    """Of rules whose step is small where it hardly is one."""
    X = problem.X.astype(np.float32)
    single, double = problem.taught(X), problem.taught(X.astype(np.float64))
    scale = max(1.0, np.abs(double.coef_).max())
    assert_allclose(single.coef_, double.coef_, rtol=0, atol=1e-3 * scale)
    assert_allclose(single.intercept_, double.intercept_, rtol=0, atol=1e-3 * scale)


def with_zeros(X, rng):
    """CSR in which some zeros are stored."""
    X = csr_matrix(X)
    rows, columns = X.nonzero()
    extra = np.argwhere((X.toarray() == 0) & (rng.random(X.shape) < 0.5))
    values = np.concatenate([X.data, np.zeros(len(extra), X.dtype)])
    rows = np.concatenate([rows, extra[:, 0]])
    columns = np.concatenate([columns, extra[:, 1]])
    stored = csr_matrix((values, (rows, columns)), shape=X.shape)
    assert stored.nnz == X.nnz + len(extra)
    return stored


def scrambled(X, rng):
    """CSR with columns in no order, and values that come in two halves."""
    X = csr_matrix(X)
    indptr, columns, values = [0], [], []
    for i in range(X.shape[0]):
        row = X[i]
        twice = rng.random(row.nnz) < 0.5
        its_columns = np.concatenate([row.indices, row.indices[twice]])
        its_values = np.concatenate([np.where(twice, row.data / 2, row.data), row.data[twice] / 2])
        order = rng.permutation(len(its_columns))
        columns.extend(its_columns[order])
        values.extend(its_values[order])
        indptr.append(len(columns))
    out = csr_matrix(X.shape, dtype=X.dtype)
    out.data = np.array(values, X.dtype)
    out.indices, out.indptr = np.array(columns, np.int32), np.array(indptr, np.int32)
    return out


@quickly
@given(problems(coarse=False, dtype=np.float64), st.integers(0, 1000))
def test_zeros_that_are_stored(problem, seed):
    stored = with_zeros(problem.X, np.random.default_rng(seed))
    assert_close(problem.taught(stored), problem.taught(csr_matrix(problem.X)))


@quickly
@given(problems(coarse=False, dtype=np.float64), st.integers(0, 1000))
def test_columns_in_any_order_and_twice(problem, seed):
    X = scrambled(problem.X, np.random.default_rng(seed))
    before = [array.copy() for array in (X.data, X.indices, X.indptr)]
    assert_close(problem.taught(X), problem.taught(csr_matrix(problem.X)))
    for array, old in zip((X.data, X.indices, X.indptr), before):
        assert_array_equal(array, old)
    # 64-bit indices, too; the fit of all rows takes the same way.
    wide = X.copy()
    wide.indices, wide.indptr = X.indices.astype(np.int64), X.indptr.astype(np.int64)
    assert_same(problem.taught(wide), problem.taught(X))
    all_there = problem.n_classes in (None, len(np.unique(problem.y)))
    if all_there and problem.weights is None:
        passes = dict(max_iter=2, tol=None, random_state=0)
        model = clone(problem.model).set_params(**passes)
        plain = clone(model).fit(csr_matrix(problem.X), problem.y)
        assert_close(model.fit(X, problem.y), plain)


@quickly
@given(problems(coarse=False, dtype=np.float64), layouts, st.data())
def test_permuting_features_permutes_the_weights(problem, layout, data):
    order = np.array(data.draw(st.permutations(range(problem.X.shape[1]))))
    one = problem.taught(LAYOUTS[layout](problem.X))
    other = problem.taught(LAYOUTS[layout](problem.X[:, order]))
    scale = max(1.0, np.abs(one.coef_).max())
    assert_allclose(other.coef_, one.coef_[..., order], rtol=1e-9, atol=1e-9 * scale)
    assert_allclose(other.intercept_, one.intercept_, rtol=1e-9, atol=1e-9 * scale)
    if hasattr(one, "covariance_"):
        covariance = one.covariance_
        everything = np.append(order, np.arange(len(order), covariance.shape[1]))
        covariance = covariance[:, everything]
        if covariance.ndim == 3:
            covariance = covariance[:, :, everything]
        assert_allclose(other.covariance_, covariance, rtol=1e-9, atol=1e-12)


# model, what scaling the rows by s does to its numbers, what s does to its weights
SCALED = [
    (PassiveAggressiveClassifier(C=0.5), lambda s: dict(C=0.5 / s**2), lambda s: 1 / s),
    (
        PassiveAggressiveClassifier(C=0.5, loss="squared_hinge", average=True, **JOINT),
        lambda s: dict(C=0.5 / s**2),
        lambda s: 1 / s,
    ),
    (
        cspa(C=0.5, rule="prediction"),
        lambda s: dict(C=0.5 / s**2),
        lambda s: 1 / s,
    ),
    (PassiveAggressiveRegressor(C=0.5), lambda s: dict(C=0.5 / s**2), lambda s: 1 / s),
    (PerceptronClassifier(), lambda s: {}, lambda s: s),
    (AROWClassifier(r=0.5), lambda s: dict(r=0.5 * s**2), lambda s: 1 / s),
    (AROWClassifier(covariance="full"), lambda s: dict(r=s**2), lambda s: 1 / s),
    (SecondOrderPerceptronClassifier(a=0.5), lambda s: dict(a=0.5 * s**2), lambda s: 1 / s),
    (
        SecondOrderPerceptronClassifier(covariance="diag"),
        lambda s: dict(a=s**2),
        lambda s: 1 / s,
    ),
]


# Functions have no name that is the same in every process: pytest-xdist wants one.
@pytest.mark.parametrize(
    "model, numbers, weights", SCALED, ids=[str(model)[:60] for model, *_ in SCALED]
)
@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("s", [0.25, 8.0])
def test_rows_of_another_scale(model, numbers, weights, layout, s):
    """By a power of 2: the same bits elsewhere in the exponent."""
    model = clone(model).set_params(fit_intercept=False)
    X, y = line() if is_regressor(model) else clouds(n_classes=3)
    one = taught(model, LAYOUTS[layout](X), y)
    other = taught(clone(model).set_params(**numbers(s)), LAYOUTS[layout](s * X), y)
    assert_array_equal(other.coef_, weights(s) * one.coef_)
    assert other.n_updates_ == one.n_updates_ > 3
    assert (taught(model, LAYOUTS[layout](s * X), y).coef_ != other.coef_).any() or not numbers(s)


@quickly
@given(problems(dtype=np.float64, weighted=False), layouts, st.sampled_from([0.5, 4.0]))
def test_weights_multiply_C(problem, layout, c):
    """And divide r; rules without a C know only whether there is a weight."""
    model, X = problem.model, LAYOUTS[layout](problem.X)
    weighted = problem.taught(X, weights=np.full(len(problem.y), c))
    if isinstance(model, SecondOrderPerceptronClassifier):
        return  # see the twin
    if isinstance(model, PerceptronClassifier):
        margins = ("positive_margin", "negative_margin")
        params = {name: getattr(model, name) / c for name in margins}
        plain = problem.taught(X, **params)
        assert_array_equal(weighted.coef_, c * plain.coef_)
        return
    params = {}
    if hasattr(model, "C"):
        params["C"] = c * model.C
    if hasattr(model, "r"):
        params["r"] = model.r / c
    assert_same(weighted, problem.taught(X, **params))


@quickly
@given(problems("without a mean"), layouts)
def test_rows_of_weight_zero_leave_no_trace(problem, layout):
    assume(problem.weights is not None)
    kept = np.flatnonzero(problem.weights)
    assume(len(kept))
    all_rows = problem.taught(LAYOUTS[layout](problem.X))
    others = problem.taught(
        LAYOUTS[layout](problem.X[kept]), problem.y[kept], weights=problem.weights[kept]
    )
    for i, (one, other) in enumerate(zip(state_of(all_rows), state_of(others), strict=True)):
        if i == 3:  # t_ counts them
            assert one == 1 + len(problem.y)
        else:
            assert_array_equal(one, other)


@quickly
@given(problems("second-order"), layouts)
def test_covariances_stay_positive_and_shrink(problem, layout):
    model, X = clone(problem.model), LAYOUTS[layout](problem.X)
    n_inputs = problem.X.shape[1] + model.fit_intercept
    largest = 1 / getattr(model, "a", 1.0)
    diagonal = model.covariance == "diag"
    before = np.full(n_inputs, largest) if diagonal else largest * np.eye(n_inputs)
    start, moved = before, False
    for i in range(len(problem.y)):
        model.partial_fit(X[i : i + 1], problem.y[i : i + 1], np.arange(problem.n_classes))
        now = model.covariance_
        if diagonal:
            assert (now > 0).all() and (now <= before).all()
        else:
            assert_array_equal(now, now.transpose(0, 2, 1))
            assert (np.linalg.eigvalsh(now) > 0).all()
            assert (np.linalg.eigvalsh(before - now) > -1e-13).all()
        moved |= model.n_updates_ > 0 and problem.X[i].any()
        before = now.copy()
    assert (before != start).any() or not moved


@pytest.mark.parametrize("model", SECOND_ORDER, ids=str)
@pytest.mark.parametrize("dtype, most", [(np.float32, 5), (np.float64, 7)])
@pytest.mark.parametrize("layout", LAYOUTS)
def test_variances_stay_positive_on_features_of_any_scale(model, dtype, most, layout):
    """One feature may be all of x'Sx: its variance falls by many orders in one step."""
    for exponent in range(most + 1):
        for seed in range(5):
            rng = np.random.default_rng(seed)
            X = (rng.normal(size=(30, 3)) * [1, 1, 10.0**exponent]).astype(dtype)
            y = rng.integers(2, size=30)
            learnt = taught(clone(model).set_params(fit_intercept=False), LAYOUTS[layout](X), y)
            if model.covariance == "diag":
                assert (learnt.covariance_ > 0).all()
                assert (learnt.decision_variance(LAYOUTS[layout](X)) > 0).all()
            elif exponent <= 5:
                # Rounding of the large variances may exceed the small ones.
                assert np.linalg.eigvalsh(learnt.covariance_[0]).min() > -1e-12
            assert np.isfinite(learnt.coef_).all()


# -- rows that are no numbers -----------------------------------------------------------------


def too_large(model, dtype):
    """Finite, but its square is not; a full covariance takes float32 rows as float64."""
    if dtype == np.float64:
        return [1e200]
    return [] if getattr(model, "covariance", "") == "full" else [1e30]


@pytest.mark.parametrize("model", MODELS, ids=str)
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("layout", LAYOUTS)
def test_a_chunk_with_nan_changes_nothing(model, layout, dtype):
    """Chunks smaller and larger than the weights, which are checked before and after."""
    n_features = 6 if getattr(model, "covariance", "") == "full" else 30
    X, y = line(400, n_features, dtype=dtype)
    if not is_regressor(model):
        X, y = clouds(400, n_features, 3, dtype=dtype)
    wanted, rng = taught(model, LAYOUTS[layout](X[:20]), y[:20], chunk=20), clone(model)
    model, rng = copy.deepcopy(wanted), np.random.default_rng(0)
    seen, before = set(), state_of(model)
    for size in (1, 2, 3, 7, 100, 300):
        for place in {0, size // 2, size - 1}:
            for column in (0, n_features // 2, n_features - 1):
                bad = X[20 : 20 + size].copy()
                values = [np.nan, np.inf, -np.inf, *too_large(model, dtype)]
                bad[place, column] = value = rng.choice(values)
                large = np.isfinite(value)
                message = f"Row {place} of X has" if large else "(NaN|infinity|Infinity)"
                with pytest.raises(ValueError, match=message):
                    model.partial_fit(LAYOUTS[layout](bad), y[20 : 20 + size])
                for one, now in zip(before, state_of(model), strict=True):
                    assert_array_equal(one, now)
                seen.add(large)
    assert seen == {False, True} or not too_large(model, dtype)
    # Nothing that does not show was changed, either: means, counts.
    for learner in (model, wanted):
        learner.partial_fit(LAYOUTS[layout](X[20:]), y[20:])
    assert_same(model, wanted)


@pytest.mark.parametrize("model", MODELS, ids=str)
@pytest.mark.parametrize("layout", LAYOUTS)
def test_fitting_rows_with_nan_keeps_the_former_model(model, layout):
    X, y = line(50) if is_regressor(model) else clouds(50, n_classes=3)
    bad = X.copy()
    bad[30, 2] = np.nan
    X, bad = LAYOUTS[layout](X), LAYOUTS[layout](bad)
    model = clone(model).set_params(random_state=0, max_iter=3, tol=None)
    first = {} if is_regressor(model) else {"classes": [0, 1, 2]}
    for learn in (model.fit, lambda X, y: model.partial_fit(X, y, **first)):
        with pytest.raises(ValueError, match="NaN"):
            learn(bad, y)
        with pytest.raises(NotFittedError):
            model.coef_  # noqa: B018
    before = state_of(model.fit(X, y))
    for warm_start in (False, True):
        with pytest.raises(ValueError, match="NaN"):
            model.set_params(warm_start=warm_start).fit(bad, y)
        for one, now in zip(before, state_of(model), strict=True):
            assert_array_equal(one, now)


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("value", [np.nan, np.inf, 1e200])
def test_asking_about_a_row_that_is_no_number(layout, value):
    X, y = clouds(50)
    good, bad = LAYOUTS[layout](X), X.copy()
    bad[20, 1] = value
    asking = LabelEfficientClassifier(query_strategy=RandomQuery(0.5, random_state=0))
    with pytest.raises(ValueError, match="NaN|infinity|Infinity|too large"):
        clone(asking).fit(LAYOUTS[layout](bad), y)
    asking.partial_fit(good, y, classes=[0, 1])
    before = state_of(asking.estimator_)
    with pytest.raises(ValueError, match="NaN|infinity|Infinity|too large"):
        asking.partial_fit(LAYOUTS[layout](bad), y)
    if not np.isfinite(value):
        assert len(asking.queried_) == 50
        for one, now in zip(before, state_of(asking.estimator_), strict=True):
            assert_array_equal(one, now)


@pytest.mark.parametrize("average", [False, True, 5])
@pytest.mark.parametrize("rule", [RandomQuery(0.3), MarginQuery(0.2), MarginQuery(rate=0.2)])
def test_asking_is_learning_the_rows_asked_about(rule, average):
    """One by one: the same weights, mean and number of rows learnt."""
    X, y = clouds(200, n_classes=3)
    model = PassiveAggressiveClassifier(C=0.3, average=average)
    rule = clone(rule).set_params(random_state=0)
    asking = LabelEfficientClassifier(model, rule, shuffle=False).fit(X, y)
    asked = asking.queried_
    assert 20 < asked.sum() < 150
    assert_same(asking.estimator_, taught(model, X[asked], y[asked], [0, 1, 2]))


class Foreign(ClassifierMixin, BaseEstimator):
    """A model of ours that does not look like one: it is taught through its methods."""

    def __init__(self, model=None):
        self.model = model

    def partial_fit(self, X, y, classes=None, sample_weight=None):
        if not hasattr(self, "model_"):
            self.model_ = clone(self.model)
        self.model_.partial_fit(X, y, classes=classes, sample_weight=sample_weight)
        self.classes_, self.n_updates_ = self.model_.classes_, self.model_.n_updates_
        return self

    def fit(self, X, y):
        return self.partial_fit(X, y, np.unique(y))

    def decision_function(self, X):
        return self.model_.decision_function(X)

    def decision_variance(self, X):
        return self.model_.decision_variance(X)


@pytest.mark.parametrize("model", CLASSIFIERS, ids=str)
@pytest.mark.parametrize("n_classes", [2, 3])
def test_asking_is_the_same_for_models_of_others(model, n_classes):
    X, y = clouds(60, n_classes=n_classes)
    weights = np.random.default_rng(2).choice([0.0, 1.0, 2.0], 60)
    rules = [MarginQuery(0.5), MarginQuery(rate=0.4, schedule="mistakes"), RandomQuery(0.5)]
    if model in SECOND_ORDER:
        rules.append(MarginQuery(0.5, confidence="second-order"))
    for rule in rules:
        rule.set_params(random_state=0)
        ours, other = (
            LabelEfficientClassifier(m, rule, random_state=1, max_iter=2).fit(X, y, weights)
            for m in (model, Foreign(model))
        )
        assert_array_equal(ours.queried_, other.queried_)
        assert_array_equal(ours.online_predictions_, other.online_predictions_)
        assert_same(ours.estimator_, other.estimator_.model_)
        assert 5 < ours.n_queries_ < 60


# -- the loop itself ----------------------------------------------------------------------------


def loop_of(n_features, n_problems=1, **params):
    """Weights at zero, and the loop that changes them."""
    method = Method(rule={"name": "hinge", "C": 0.5}, **params)
    state = LinearState(method, n_problems, n_features, np.float64, False)
    return state.arrays["coef"], state.loop


def test_the_loop_visits_rows_in_the_order_given():
    X, y = clouds(40, n_classes=3)
    codes, order = y.astype(np.int32), np.random.default_rng(0).permutation(40)[:30]
    weights = np.random.default_rng(1).choice([0.0, 1.0, 2.0], 40)
    coef, loop = loop_of(4, 3)
    assert loop.learn(X, codes, weights, order, 10) == (DONE, 30)
    wanted, other = loop_of(4, 3)
    rows = order[10:]
    assert other.learn(X[rows], codes[rows], weights[rows]) == (DONE, 20)
    assert_array_equal(coef, wanted)
    assert loop.n_rows == other.n_rows == 20 and loop.n_updates == other.n_updates > 5
    assert loop.loss == other.loss > 0
    assert_array_equal(loop.counts, np.bincount(y[rows[weights[rows] > 0]], minlength=3))
    loop.reset_loss()
    assert loop.loss == 0.0 and loop.n_rows == 20
    fresh, again = loop_of(4, 3)
    again.restore(loop.state())
    assert again.state().keys() == loop.state().keys()
    assert again.n_updates == loop.n_updates
    assert_array_equal(again.counts, loop.counts)


def test_the_loop_ends_at_a_row_that_is_no_number():
    X, y = clouds(30)
    codes = y.astype(np.int32)
    X[17, 2] = np.nan
    coef, loop = loop_of(4)
    assert loop.learn(X, codes) == (NOT_FINITE, 17)
    wanted, other = loop_of(4)
    other.learn(X[:17], codes[:17])
    assert_array_equal(coef, wanted)
    assert loop.n_rows == 17
    # In another order, the place in the order; a row of weight 0 is not looked at.
    order = np.arange(29, -1, -1)
    coef, loop = loop_of(4)
    assert loop.learn(X, codes, None, order) == (NOT_FINITE, 12)
    weights = np.ones(30)
    weights[17] = 0.0
    assert loop_of(4)[1].learn(X, codes, weights) == (DONE, 30)


def test_the_loop_waits_for_labels():
    X, y = clouds(30)
    codes, unknown = y.astype(np.int32), [4, 11, 29]
    known = codes.copy()
    codes[unknown] = -1
    left = np.array([100])
    marks = np.zeros(30, np.int32), np.zeros(30, np.uint8), None, left
    asker, position, wanted = Asker(ALL), 0, []
    coef, loop = loop_of(4)
    while True:
        end, position = loop.learn(X, codes, None, None, position, asker, marks)
        if end == DONE:
            break
        assert end == LABEL_WANTED
        assert marks[1].sum() == asker.n_asked == 100 - left[0] == position
        wanted.append(position)
        codes[position] = known[position]
    assert wanted == unknown and position == 30
    assert_array_equal(coef, _coef_after(X, known))
    assert marks[1].all()


def test_the_loop_spends_what_is_left_and_knows_what_nobody_knows():
    X, y = clouds(30)
    codes = y.astype(np.int32)
    codes[[2, 5, 20]] = -2
    owned, left = np.zeros(30, np.uint8), np.array([10])
    coef, loop = loop_of(4)
    marks = np.full(30, 7, np.int32), owned, None, left
    assert loop.learn(X, codes, None, None, 0, Asker(ALL), marks) == (DONE, 30)
    bought = np.setdiff1d(np.arange(12), [2, 5])
    assert left[0] == 0
    assert_array_equal(np.flatnonzero(owned == 1), bought)
    assert_array_equal(np.flatnonzero(owned), np.arange(12))
    assert_array_equal(coef, _coef_after(X[bought], codes[bought]))
    # All are predicted, whatever is known of them.
    assert set(marks[0]) == {0, 1}


def _coef_after(X, codes):
    coef, loop = loop_of(X.shape[1])
    loop.learn(X, codes)
    return coef


# -- mistake bounds of Lu, Zhao and Hoi (2016) ----------------------------------------------

N_SEEDS = 60


def found(measure, model, X, y, classes=None, **query):
    """Mean of a measure of the predictions made on the way, over many seeds, and its error."""
    values = []
    for seed in range(N_SEEDS):
        rule = MarginQuery(random_state=seed, **query)
        asking = LabelEfficientClassifier(model, rule, shuffle=False)
        asking.fit(X, y, classes=classes)
        values.append(measure(asking.online_predictions_))
    return np.mean(values), np.std(values, ddof=1) / np.sqrt(N_SEEDS)


def assert_bounded(mean, error, bound, factor):
    """The bound holds beyond doubt, and is larger by no more than this factor."""
    assert mean + 3 * error <= bound * (1 + 1e-9)
    assert bound <= factor * mean


def spheres(n, n_features, noise, seed, margin=0.1, share=0.5):
    """Rows of norm 1, labels -1 and 1 by a hyperplane through 0; some are wrong."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(20 * n, n_features))
    X /= np.linalg.norm(X, axis=1)[:, None]
    X = X[np.abs(X[:, 0]) > margin]
    y = np.where(X[:, 0] > 0, 1, -1)
    n_positive = int(share * n)
    positive, negative = np.flatnonzero(y > 0), np.flatnonzero(y < 0)
    rows = np.concatenate([positive[:n_positive], negative[: n - n_positive]])
    rows = rng.permutation(rows)
    X, y = X[rows], y[rows]
    y[rng.random(n) < noise] *= -1
    return X, y


def axes(n_features=20, n_rounds=8):
    """The worst for a learner: each row of the first round is new to it, and a mistake.

    Later rounds have the same rows, some turned round and with the other label.
    """
    signs = np.random.default_rng(0).choice([1, -1], (n_rounds, n_features))
    signs[0] = 1
    X = np.concatenate([np.diag(row) for row in signs]).astype(np.float64)
    return X, signs.ravel()


def contradictions(n=200):
    """The same row again and again, its label changing each time."""
    return np.ones((n, 1)), np.where(np.arange(n) % 2, -1, 1)


def mistakes(y):
    return lambda predicted: np.sum(predicted != y)


def hinge(w, X, y, demand=1.0):
    return np.maximum(0.0, demand - y * (X @ w))


def largest_square(X):
    return (X**2).sum(axis=1).max()


def best_vector(X, y, C, loss="hinge", demand=None):
    """min 1/2 |w|^2 + C sum of losses below the demanded margins; any w gives a bound."""
    demand = np.ones(len(y)) if demand is None else demand
    svm = LinearSVC(C=C, loss=loss, fit_intercept=False, tol=1e-8, max_iter=50_000, random_state=0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        # max(0, rho - y w.x) = rho max(0, 1 - y w.(x / rho))
        svm.fit(X / demand[:, None], y, sample_weight=demand)
    return svm.coef_[0]


def separating_vector(X, y):
    w = best_vector(X, y, 1e4)
    smallest = (y * (X @ w)).min()
    assert smallest > 0
    return w / smallest


def plain(C, **params):
    return PassiveAggressiveClassifier(C=C, fit_intercept=False, **params)


def theorem_1(X, y, delta):
    """(mean number of mistakes, its error, the bound), as from all that follow."""
    w = separating_vector(X, y)
    bound = largest_square(X) / 4 * (delta + 1 / delta + 2) * (w @ w)
    return *found(mistakes(y), plain(np.inf), X, y, delta=delta), bound


def theorem_2(X, y, C, delta):
    if delta == "best":
        w = best_vector(X, y, C)
        square = max(w @ w, 1e-12)
        delta = np.sqrt(1 + 4 * C * hinge(w, X, y).sum() / square)
    else:
        w = best_vector(X, y, 2 * C / (delta + 1))
    beta = max(1 / C, largest_square(X)) / delta
    loss = hinge(w, X, y).sum()
    bound = beta * (((delta + 1) / 2) ** 2 * (w @ w) + (delta + 1) * C * loss)
    return *found(mistakes(y), plain(C), X, y, delta=delta), bound


def theorem_3(X, y, C, delta):
    w = best_vector(X, y, C, "squared_hinge")
    squares = (hinge(w, X, y) ** 2).sum()
    factor = (largest_square(X) + 1 / (2 * C)) / delta
    bound = factor * ((delta + 1) / 2) ** 2 * (w @ w + 2 * C * squares)
    model = plain(C, loss="squared_hinge")
    return *found(mistakes(y), model, X, y, delta=delta), bound


def theorem_4(X, y, delta):
    w = separating_vector(X, y)
    bound = largest_square(X) * (delta / 4 + 1 / delta + 1) * (w @ w)
    return *found(mistakes(y), plain(np.inf), X, y, delta=delta, offset=1.0), bound


def theorem_5(X, y, w, delta):
    """The paper has delta <= 1; its proof needs delta >= 1, as that of Theorem 1 does."""
    scores, own = X @ w.T, np.arange(len(y))
    others = np.where(np.arange(3) == y[:, None], -np.inf, scores)
    w = w / (scores[own, y] - others.max(axis=1)).min()
    bound = largest_square(X) / 2 * (delta + 1 / delta + 2) * (w**2).sum()
    model = plain(np.inf, **JOINT)
    return *found(mistakes(y), model, X, y, np.arange(3), delta=delta), bound


def theorem_6(X, y, rho, delta, C=None):
    """(of the weighted number of mistakes)."""
    C = rho if C is None else C
    demand = np.where(y > 0, rho, 1.0)
    w = best_vector(X, y, 2 * C / (1 + delta), demand=demand)
    loss = hinge(w, X, y, demand).sum()
    bound = (((1 + delta) / 2) ** 2 * (w @ w) + (1 + delta) * C * loss) / delta
    model = CostSensitivePassiveAggressiveClassifier(
        average=False, C=C, rho=rho, fit_intercept=False
    )

    def weighted(predicted):
        return demand[predicted != y].sum()

    return *found(weighted, model, X, y, delta=delta), bound


# How many times the number of mistakes the bounds may be.
SEPARABLE = {"spheres": (spheres(300, 5, 0.0, 0), 15.0), "axes": (axes(), 2.1)}
NOISY = {
    "spheres": (spheres(300, 5, 0.1, 1), 12.0),
    "very noisy": (spheres(300, 8, 0.3, 2), 9.0),
    "axes": (axes(), 7.0),
    "contradictions": (contradictions(), 5.0),
}
# With the cost of a mistake on a positive row.
COSTLY = {
    "spheres": (spheres(400, 3, 0.05, 3, 0.3, 0.2), 2.0, 10.0),
    "axes": (axes(), 2.0, 2.7),
}


@pytest.mark.parametrize("stream", SEPARABLE)
@pytest.mark.parametrize("delta", [1.0, 3.0])
def test_theorem_1(stream, delta):
    (X, y), factor = SEPARABLE[stream]
    assert_bounded(*theorem_1(X, y, delta), factor)


@pytest.mark.parametrize("stream", NOISY)
@pytest.mark.parametrize("C", [0.2, 1.0])
@pytest.mark.parametrize("delta", [1.0, 3.0, "best"])
def test_theorem_2(stream, C, delta):
    (X, y), factor = NOISY[stream]
    assert_bounded(*theorem_2(X, y, C, delta), factor)


@pytest.mark.parametrize("stream", NOISY)
@pytest.mark.parametrize("C", [0.2, 1.0])
@pytest.mark.parametrize("delta", [1.0, 3.0])
def test_theorem_3(stream, C, delta):
    (X, y), factor = NOISY[stream]
    assert_bounded(*theorem_3(X, y, C, delta), factor)


@pytest.mark.parametrize("stream", SEPARABLE)
@pytest.mark.parametrize("delta", [0.3, 2.0])
def test_theorem_4(stream, delta):
    (X, y), factor = SEPARABLE[stream]
    assert_bounded(*theorem_4(X, y, delta), factor)


@pytest.mark.parametrize("delta", [1.0, 3.0])
def test_theorem_5(delta):
    rng = np.random.default_rng(0)
    X, w = rng.normal(size=(1500, 4)), rng.normal(size=(3, 4))
    X /= np.linalg.norm(X, axis=1)[:, None]
    scores = np.sort(X @ w.T, axis=1)
    X = X[scores[:, -1] - scores[:, -2] > 0.6][:300]
    assert_bounded(*theorem_5(X, (X @ w.T).argmax(axis=1), w, delta), 60.0)


@pytest.mark.parametrize("stream", COSTLY)
@pytest.mark.parametrize("delta", [1.0, 3.0])
def test_theorems_6_to_8(stream, delta):
    (X, y), rho, factor = COSTLY[stream]
    mean, error, bound = theorem_6(X, y, rho, delta)
    assert_bounded(mean, error, bound, factor)
    share_of_negatives = np.mean(y < 0)
    model = cspa(C=rho, fit_intercept=False)

    # Theorem 7: of 1 - sum, with rho = eta_p T_n / (eta_n T_p).
    n_p, n_n = np.sum(y > 0), np.sum(y < 0)
    eta_p = rho * n_p / (rho * n_p + n_n)

    def lost(predicted):
        wrong = predicted != y
        return eta_p * np.mean(wrong[y > 0]) + (1 - eta_p) * np.mean(wrong[y < 0])

    by_sum = clone(model).set_params(rho=eta_p * n_n / ((1 - eta_p) * n_p))
    assert_bounded(
        *found(lost, by_sum, X, y, delta=delta), (1 - eta_p) / n_n * bound, factor * 1.001
    )

    # Theorem 8: of the cost, with rho = c_p / c_n and c_p + c_n = 1.
    cost_p = rho / (1 + rho)

    def cost(predicted):
        return np.where(y > 0, cost_p, 1 - cost_p)[predicted != y].sum()

    by_cost = clone(model).set_params(objective="cost", cost_p=cost_p, cost_n=1 - cost_p)
    assert_bounded(*found(cost, by_cost, X, y, delta=delta), (1 - cost_p) * bound, factor * 1.001)
    assert share_of_negatives > 0.3


def test_bounds_that_are_met():
    """No smaller bound would hold."""
    X, y = axes()
    labels = 1 + np.arange(20) % 2
    w = np.where(np.arange(3)[:, None] == labels, 2 / 3, -1 / 3)
    same, classes = np.tile(np.eye(20), (8, 1)), np.tile(labels, 8)
    for (mean, error, bound), ratio in (
        (theorem_1(X, y, 1.0), 1.0),
        (theorem_2(X, y, 1.0, 1.0), 1.0),
        (theorem_2(*contradictions(), 1.0, "best"), 1.0),
        (theorem_3(X, y, 100.0, 1.0), 1.005),
        (theorem_5(same, classes, w, 1.0), 4 / 3),
        (theorem_6(X, y, 1.0, 1.0), 1.0),
    ):
        assert_bounded(mean, error, bound, 1.0001 * ratio)


@pytest.mark.parametrize("delta", [1.0, 3.0])
def test_the_bounds_with_an_intercept(delta):
    """It is the weight of a feature 1, in the norm as elsewhere."""
    X, y = spheres(300, 5, 0.1, 4)
    X[:, 0] += 0.2
    extended = np.c_[X, np.ones(300)]
    C = 1 / largest_square(extended)
    mean, error, bound = theorem_2(extended, y, C, delta)
    model = PassiveAggressiveClassifier(C=C)
    assert found(mistakes(y), model, X, y, delta=delta) == (mean, error)
    assert_bounded(mean, error, bound, 12.0)
