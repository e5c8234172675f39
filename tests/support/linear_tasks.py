"""Linear models of every kind with their references, and samples to train both."""

import numpy as np
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import is_regressor

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
from tests.reference import linear
from tests.support.samples import LAYOUTS

COSTS = {
    2: [[0.0, 0.5], [3.0, 0.0]],
    3: [[0.0, 1.0, 4.0], [2.0, 0.0, 3.0], [1.0, 0.25, 0.0]],
}
JOINT = dict(multi_class="crammer_singer")
# The same scaling for dense and for sparse samples; the default differs.
ONE = dict(intercept_scaling=1.0)


def pa(**params):
    return PassiveAggressiveClassifier(**ONE | params)


def cost(**params):
    return CostSensitivePassiveAggressiveClassifier(**ONE | dict(average=False) | params)


def perceptron(**params):
    return PerceptronClassifier(**ONE | params)


def regressor(**params):
    return PassiveAggressiveRegressor(**ONE | params)


FIRST_ORDER = [
    pa(C=0.3),
    pa(C=np.inf),
    pa(C=0.3, loss="squared_hinge"),
    pa(C=0.3, average=True),
    pa(C=0.3, average=7),
    pa(C=0.3, **JOINT),
    pa(C=np.inf, **JOINT),
    pa(C=0.3, loss="squared_hinge", **JOINT),
    pa(C=0.3, average=7, **JOINT),
    pa(C=0.3, intercept_scaling=0.3),
    pa(C=np.inf, intercept_scaling=2.0, average=7),
    pa(C=0.3, intercept_scaling=0.3, **JOINT),
    perceptron(),
    perceptron(positive_margin=0.3, negative_margin=0.1),
    perceptron(positive_margin=0.3, average=True),
    perceptron(positive_margin=0.2, **JOINT),
    perceptron(positive_margin=0.3, intercept_scaling=0.3),
]
COST_SENSITIVE = [
    cost(C=0.3),
    cost(),
    cost(average=True, sensitivity_weight=0.3),
    cost(rule="max_loss", class_weight={0: 0.5, 1: 0.3}),
    cost(C=5.0, sensitivity_weight=0.8),
    cost(C=5.0, intercept_scaling=0.3),
    cost(C=0.3, rule="prediction"),
    cost(C=0.3, rule="max_loss", sensitivity_weight=0.7),
]
SECOND_ORDER = [
    model.set_params(covariance=covariance)
    for covariance in ("diag", "full")
    for model in (
        SecondOrderPerceptronClassifier(a=0.7),
        ConfidenceWeightedClassifier(eta=0.8),
        SCWClassifier(C=0.2, eta=0.8),
        SCWClassifier(C=0.2, eta=0.6, loss="squared_hinge"),
        AROWClassifier(r=0.5),
    )
]
REGRESSION = [
    regressor(C=0.3),
    regressor(C=np.inf, epsilon=0.3),
    regressor(C=0.3, loss="squared_epsilon_insensitive", epsilon=0.0),
    regressor(C=0.3, average=7),
    regressor(C=0.3, average=7, intercept_scaling=0.3),
]
TWO_CLASSES_ONLY = [
    cost(C=5.0, costs=COSTS[2]),
    *(cost(C=0.5, rule=rule, costs=COSTS[2]) for rule in ("prediction", "max_loss")),
    cost(C=0.3, costs={1: 5.0}),
    cost(C=5.0, costs={0: 0.3, 1: 0.9}),
    cost(rule="prediction", costs={1: 2.0}),
    cost(C=5.0, rule="max_loss", costs={0: 0.8, 1: 0.2}),
    cost(C=5.0, rule="prediction", costs={0: 4.0}, pos_label=1),
    cost(C=5.0, pos_label=0),
    cost(C=0.3, sensitivity_weight=0.7, pos_label=0),
]
SEVERAL_CLASSES_ONLY = [
    cost(C=0.5, rule=rule, costs=costs, **JOINT)
    for rule in ("prediction", "max_loss")
    for costs in (None, {0: 0.5, 2: 4.0}, COSTS[3])
] + [cost(rule=rule, costs=COSTS[3], **JOINT) for rule in ("prediction", "max_loss")]
TASKS = [
    *((model, 2) for model in FIRST_ORDER + COST_SENSITIVE + SECOND_ORDER + TWO_CLASSES_ONLY),
    *((model, 3) for model in FIRST_ORDER + COST_SENSITIVE + SECOND_ORDER + SEVERAL_CLASSES_ONLY),
    *((model, None) for model in REGRESSION),
]
CLOSE = {np.float64: dict(rtol=1e-10, atol=1e-10), np.float32: dict(rtol=1e-3, atol=1e-3)}


def rule_of(model, n_classes):
    """Return the rule, and whether the first class is the positive one."""
    p = model.get_params()
    if isinstance(model, PassiveAggressiveClassifier):
        return linear.PassiveAggressive(p["C"], p["loss"]), False
    if isinstance(model, PassiveAggressiveRegressor):
        return linear.PassiveAggressiveRegression(p["C"], p["loss"], p["epsilon"]), False
    if isinstance(model, PerceptronClassifier):
        return linear.Perceptron(p["positive_margin"], p["negative_margin"]), False
    if isinstance(model, SecondOrderPerceptronClassifier):
        return linear.SecondOrderPerceptron(), False
    if isinstance(model, ConfidenceWeightedClassifier):
        return linear.ConfidenceWeighted(p["eta"]), False
    if isinstance(model, SCWClassifier):
        return linear.SoftConfidenceWeighted(p["C"], p["eta"], p["loss"]), False
    if isinstance(model, AROWClassifier):
        return linear.Arow(p["r"]), False
    rho = p["costs"]
    if isinstance(rho, dict):
        rho = [[rho.get(label, 1.0)] * n_classes for label in range(n_classes)]
    numbers = p["C"], p["rule"], rho, p["sensitivity_weight"]
    return linear.CostSensitivePassiveAggressive(*numbers), rho is None and p["pos_label"] == 0


class Twin:
    """The twin of an estimator, with the attributes of the estimator."""

    def __init__(self, model, n_features, n_classes):
        p = model.get_params()
        rule, self.first_is_positive = rule_of(model, n_classes)
        average = p.get("average", False)
        self.learner = linear.LinearTwin(
            n_features,
            n_classes,
            rule,
            covariance=p.get("covariance"),
            multi_class=p.get("multi_class", "ovr"),
            fit_intercept=p["fit_intercept"],
            intercept_scaling=p.get("intercept_scaling", 1.0),
            average=None if average is False else int(average) - 1,
            start_variance=1 / p.get("a", 1.0),
        )
        self.n_updates_ = 0
        self.loss = 0.0

    def learn_row(self, x, label, weight=1.0):
        if self.first_is_positive:
            label = 1 - label
        record = self.learner.learn_row(x, label, weight)
        self.n_updates_ += record.updated
        self.loss += record.loss
        return record

    def learn(self, X, labels, weights=None):
        weights = np.ones(len(X)) if weights is None else weights
        for x, label, weight in zip(X, labels, weights):
            self.learn_row(x, label, weight)
        return self

    @property
    def sign(self):
        return -1.0 if self.first_is_positive else 1.0

    @property
    def coef_(self):
        return self.sign * self.learner.averaged_coef

    @property
    def intercept_(self):
        return self.sign * self.learner.averaged_intercept

    @property
    def covariance_(self):
        return self.learner.covariance

    @property
    def t_(self):
        return 1.0 + self.learner.n_rows

    def decisions(self, X):
        return X @ self.coef_.T + self.intercept_

    def variances(self, X):
        return np.array([self.learner.variances(x) for x in X])


class Stream:
    """Samples with zeros, one of them empty, with weights and class codes or targets."""

    def __init__(self, n_classes, n=32, n_features=6, seed=0, dtype=np.float64, weighted=True):
        self.seed = seed
        rng = np.random.default_rng([seed, n_features, n_classes or 0])
        X = rng.normal(size=(n, n_features))
        centres = rng.normal(size=(n_classes or 1, n_features))
        self.labels = rng.integers(n_classes or 1, size=n).astype(np.int64)
        X += 0.7 * centres[self.labels]
        # No zeros in a single feature: equal samples may meet their margin exactly.
        X[rng.random(X.shape) < 0.4 * (n_features > 1)] = 0.0
        if n > 5:
            X[5] = 0.0
        # Norms of about 1, so that C limits some steps.
        self.X = (X / np.sqrt(n_features)).astype(dtype)
        if n_classes is None:
            self.labels = self.X @ rng.normal(size=n_features) + 0.3 * rng.normal(size=n)
        else:
            wrong = rng.random(n) < 0.2
            self.labels[wrong] = rng.integers(n_classes, size=wrong.sum())
        self.weights = rng.choice([0.0, 0.3, 1.0, 2.0], n) if weighted else None
        self.n_classes = n_classes

    def twin(self, model):
        return Twin(model, self.X.shape[1], self.n_classes)

    def twin_learns(self, model):
        """Return a twin trained on all samples."""
        return self.twin(model).learn(self.X, self.labels, self.weights_for(model))

    def weights_for(self, model):
        factors = model.get_params().get("class_weight")
        if factors is None:
            return self.weights
        factors = np.array([factors.get(label, 1.0) for label in self.labels])
        return factors if self.weights is None else factors * self.weights

    def arguments(self, samples, n_seen=0):
        arguments = {}
        if self.weights is not None:
            arguments["sample_weight"] = self.weights[samples]
        if n_seen == 0 and self.n_classes is not None:
            arguments["classes"] = np.arange(self.n_classes)
        return arguments

    def teach(self, model, layout="dense", chunk=1):
        """Train by partial_fit; yield the model after each chunk."""
        X = LAYOUTS[layout](self.X)
        for start in range(0, len(self.X), chunk):
            samples = slice(start, start + chunk)
            yield model.partial_fit(
                X[samples], self.labels[samples], **self.arguments(samples, start)
            )

    def fit(self, model, layout="dense"):
        return model.fit(LAYOUTS[layout](self.X), self.labels, sample_weight=self.weights)


def state_of(model):
    """Return copies of the attributes of a model or twin."""
    state = [np.ravel(model.coef_).copy(), np.ravel(model.intercept_).copy(), model.n_updates_]
    if getattr(model, "covariance_", None) is not None:
        state.append(model.covariance_.copy())
    return state


def assert_same_states(states, wanted, **tolerance):
    """Compare sequences of states; the first index in the message is that of the sample."""
    for one, other in zip(zip(*states), zip(*wanted), strict=True):
        one, other = np.array(one), np.array(other)
        if one.dtype.kind == "i":
            assert_array_equal(one, other)
        else:
            assert_allclose(one, other, **tolerance)


def assert_same_path(model, stream, layout, **tolerance):
    """Compare with the twin after each sample, and compare predictions at the end."""
    weights = stream.weights_for(model)
    weights = np.ones(len(stream.X)) if weights is None else weights
    twin, states, wanted = stream.twin(model), [], []
    taught = stream.teach(model, layout)
    for x, label, weight, fitted in zip(stream.X, stream.labels, weights, taught, strict=True):
        twin.learn_row(x, label, weight)
        states.append(state_of(fitted))
        wanted.append(state_of(twin))
    assert_same_states(states, wanted, **tolerance)
    assert model.t_ == twin.t_ == 1 + len(stream.X)
    X = LAYOUTS[layout](stream.X)
    predicted = model.predict if is_regressor(model) else model.decision_function
    assert_allclose(predicted(X), np.squeeze(twin.decisions(stream.X)), **tolerance)
    if twin.covariance_ is not None:
        variances = np.squeeze(twin.variances(stream.X))
        assert_allclose(model.decision_variance(X), variances, **tolerance)
    return twin
