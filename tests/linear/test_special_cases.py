"""Linear learners that are special cases of others, of ours and of scikit-learn."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone, is_regressor
from sklearn.linear_model import Perceptron, SGDClassifier, SGDRegressor

from sklearn_online_svm.active import (
    AllQuery,
    LabelEfficientClassifier,
    MarginQuery,
    RandomQuery,
)
from sklearn_online_svm.linear import (
    ConfidenceWeightedClassifier,
    CostSensitivePassiveAggressiveClassifier,
    PassiveAggressiveClassifier,
    PassiveAggressiveRegressor,
    PerceptronClassifier,
    SCWClassifier,
    SecondOrderPerceptronClassifier,
)
from tests.support.linear_kinds import (
    CLASSIFIERS,
    FIRST_ORDER,
    JOINT,
    MODELS,
    SECOND_ORDER,
    STEPWISE,
    assert_close,
    assert_same,
    clouds,
    cspa,
    decide,
    line,
    taught,
)
from tests.support.samples import LAYOUTS

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
                scores = decide(model, X[i : i + 1])
            model.partial_fit(X[i : i + 1], y[i : i + 1], **classes)
            if model.n_updates_ > before:
                yield i, scores, decide(model, X[i : i + 1])
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
