"""Kernel models with one update per sample, compared with references after each sample."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone
from sklearn.metrics.pairwise import linear_kernel, polynomial_kernel

from sklearn_online_svm import (
    KernelPassiveAggressiveClassifier,
    KernelPerceptronClassifier,
    LabelEfficientClassifier,
    PassiveAggressiveClassifier,
    PerceptronClassifier,
)
from sklearn_online_svm.active import AllQuery, MarginQuery, RandomQuery
from tests.reference.kernel_updates import vote
from tests.support import selective_sampling
from tests.support.cases import in_turn
from tests.support.internals import shuffled
from tests.support.kernel_updates import (
    BUDGETS,
    MODELS,
    assert_same,
    assert_same_solution,
    pa,
    perceptron,
    rows,
    single,
    taught,
    twin_of,
)
from tests.support.samples import LAYOUTS

CLOSE = dict(rtol=1e-9, atol=1e-11)
ALL = {**MODELS, **BUDGETS}
with_all = pytest.mark.parametrize("name", ALL)
with_models = pytest.mark.parametrize("name", MODELS)
with_classes = pytest.mark.parametrize("n_classes", [2, 3])
with_layouts = pytest.mark.parametrize("layout", LAYOUTS)


# -- the reference implementation -------------------------------------------------------


@pytest.mark.sampled
@pytest.mark.parametrize("name, n_classes, layout", in_turn(ALL, [2, 3], LAYOUTS))
def test_each_sample_equals_the_reference(name, n_classes, layout):
    model, (X, y) = clone(ALL[name]), rows(100, n_classes)
    weights = np.random.default_rng(0).choice([0.0, 0.5, 1.0, 2.0], len(X))
    model.set_params(class_weight={0: 0.8})
    twin, given, n_updates = twin_of(model, n_classes), LAYOUTS[layout](X), 0
    for i in range(len(X)):
        part = slice(i, i + 1)
        model.partial_fit(given[part], y[part], range(n_classes), sample_weight=weights[part])
        weight = weights[i] * (0.8 if y[i] == 0 else 1.0)
        n_updates += twin.learn_row(X[i], y[i], weight, row=i)
        assert model.n_updates_ == n_updates
        assert_same_solution(model, twin, **CLOSE)
    assert model.t_ == 1 + len(X) == 1 + model.n_samples_seen_
    assert 20 < n_updates < len(X)


@pytest.mark.sampled
@with_all
@pytest.mark.parametrize("n_classes", [2, pytest.param(3, marks=pytest.mark.slow)])
def test_epochs_equal_the_reference(name, n_classes):
    """A repeated update of a sample is added to its coefficient."""
    X, y = rows(60, n_classes, seed=1)
    model = clone(ALL[name]).set_params(max_iter=3, tol=None, random_state=0)
    twin, random = twin_of(model, n_classes), np.random.RandomState(0)
    for _ in range(3):
        for i in shuffled(len(X), int(random.randint(0, 2**63 - 1, dtype=np.int64))):
            twin.learn_row(X[i], y[i], row=i)
    model.fit(X, y)
    assert_same_solution(model, twin, **CLOSE)
    assert model.n_iter_ == 3
    assert model.n_updates_ > len(model.support_)
    assert model.n_samples_seen_ == len(X)


@with_models
@with_classes
def test_decision_function_equals_the_definition(name, n_classes):
    """Decision values of the last function, the mean and the majority vote by definition."""
    X, y = rows(80, n_classes, seed=2)
    model = clone(MODELS[name]).set_params(max_iter=2, tol=None, shuffle=False).fit(X, y)
    twin, states = twin_of(model, n_classes), []
    for i in [*range(len(X)), *range(len(X))]:
        twin.learn_row(X[i], y[i], row=i)
        coef = np.zeros((twin.n_problems, len(X)))
        coef[:, [v.row for v in twin.vectors]] = twin.coef
        states.append(coef)
    probe, _ = rows(30, n_classes, seed=3)
    average, K = model.average, single(X, probe)
    if average == "vote":
        wanted = np.array([vote(states, k, twin.n_problems, len(states), twin.joint) for k in K.T])
    else:
        wanted = ((np.mean(states, axis=0) if average else states[-1]) @ K).T
    wanted = wanted[:, 0] if n_classes == 2 else wanted
    assert_allclose(model.decision_function(probe), wanted, rtol=1e-6, atol=1e-7)
    codes = wanted.argmax(axis=1) if wanted.ndim == 2 else wanted > 0
    assert (model.predict(probe) == codes).mean() > 0.95  # but for ties of rounding


def test_vote_counts_updates_not_samples():
    X, y = rows(60, seed=4, noise=0.2)
    once = perceptron(average="vote", shuffle=False).fit(X, y)
    twice = clone(once).set_params(max_iter=2, tol=None).fit(X, y)
    assert twice.n_updates_ > len(twice.support_)
    assert (np.abs(twice.decision_function(X)) <= 1).all()
    assert (once.decision_function(X) != twice.decision_function(X)).any()


# -- special cases ----------------------------------------------------------------------


LINEAR = {
    KernelPassiveAggressiveClassifier: PassiveAggressiveClassifier,
    KernelPerceptronClassifier: PerceptronClassifier,
}


@pytest.mark.sampled
@pytest.mark.parametrize(
    "name",
    ["pa", "pa-hard", "pa2", "pa-joint", "pa-mean", "pa2-mean-joint"]
    + ["perceptron", "perceptron-joint", "perceptron-margin", "perceptron-mean"],
)
@with_classes
@with_layouts
def test_with_a_linear_kernel_it_is_the_linear_model_step_by_step(name, n_classes, layout):
    X, y = rows(120, n_classes, seed=5)
    given = LAYOUTS[layout](X)
    kernel = clone(MODELS[name]).set_params(kernel="linear", max_support_vectors=None)
    params = kernel.get_params()
    linear = LINEAR[type(kernel)](fit_intercept=False, average=params["average"] == "mean")
    linear.set_params(**{k: params[k] for k in ("C", "loss", "multi_class") if k in params})
    if "margin" in params:
        linear.set_params(positive_margin=params["margin"], negative_margin=params["margin"])
    for i in range(len(y)):
        for model in (kernel, linear):
            model.partial_fit(given[i : i + 1], y[i : i + 1], range(n_classes))
        assert kernel.n_updates_ == linear.n_updates_
        assert_allclose(kernel.coef_, linear.coef_, rtol=1e-4, atol=1e-5)
    assert kernel.n_updates_ > 20


def test_callable_and_precomputed_kernels_equal_the_named_kernel():
    X, y = rows(100, 3, seed=6)
    named = pa(max_iter=2, tol=None, random_state=0).fit(X, y)
    function = clone(named).set_params(kernel=single).fit(X, y)
    K = single(X, X)
    matrix = clone(named).set_params(kernel="precomputed").fit(K, y)
    for model, given in ((function, X), (matrix, K)):
        assert_array_equal(model.support_, named.support_)
        assert_allclose(model.dual_coef_, named.dual_coef_, rtol=1e-4)
        assert_allclose(model.decision_function(given), named.decision_function(X), rtol=1e-4)
    assert not hasattr(matrix, "partial_fit")


@pytest.mark.parametrize(
    "params, function",
    [
        (dict(kernel="poly", degree=2, gamma=0.5, coef0=1.0), polynomial_kernel),
        (dict(kernel="linear"), linear_kernel),
    ],
    ids=["poly", "linear"],
)
def test_other_kernels(params, function):
    X, y = rows(80, seed=7)
    options = {name: params[name] for name in ("degree", "gamma", "coef0") if name in params}
    model = pa(**params)
    twin = twin_of(model, 2, lambda A, B: function(A, B, **options))
    for i in range(len(X)):
        model.partial_fit(X[i : i + 1], y[i : i + 1], [0, 1])
        twin.learn_row(X[i], y[i], row=i)
    assert_same_solution(model, twin, rtol=1e-3, atol=1e-5)


def test_samples_with_zero_kernel_value_cause_no_update():
    X, y = np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 0.0]]), np.array([1, 0, 0])
    model = pa(kernel="linear").partial_fit(X, y, [0, 1])
    assert_array_equal(model.support_, [1])
    # With the sigmoid kernel, K(x, x) may be negative.
    model = pa(kernel="sigmoid", gamma=1.0, coef0=-2.0).partial_fit(X, y, [0, 1])
    assert model.n_updates_ == 0
    assert (model.decision_function(X) == 0).all()


# -- chunks, layouts, copies ------------------------------------------------------------


def test_a_stream_may_change_from_dense_to_sparse_and_from_one_type_to_another():
    X, y = rows(100, seed=9, dtype=np.float32)
    for first, then in (("dense", "csr"), ("csr", "dense")):
        model = pa().partial_fit(LAYOUTS[first](X[:50]), y[:50], [0, 1])
        model.partial_fit(LAYOUTS[then](X[50:].astype(np.float64)), y[50:])
        assert_same(model, taught(pa(), X, y))


@with_all
def test_single_precision_is_close(name):
    X, y = rows(60, seed=10)
    double, single_ = (taught(ALL[name], X.astype(kind), y) for kind in (np.float64, np.float32))
    assert single_.support_vectors_.dtype == np.float32
    assert_array_equal(single_.support_, double.support_)
    scores = single_.decision_function(X.astype(np.float32))
    assert_allclose(scores, double.decision_function(X), rtol=1e-4, atol=1e-4)


def test_gamma_is_that_of_svc_and_fixed_by_the_first_chunk():
    X, y = rows(100, seed=12)
    model = KernelPassiveAggressiveClassifier().fit(X, y)
    assert model.gamma_ == pytest.approx(1 / (X.shape[1] * X.var()))
    with pytest.warns(UserWarning, match="gamma='scale' is fixed by the first chunk"):
        model = KernelPassiveAggressiveClassifier().partial_fit(X[:10], y[:10], [0, 1])
    gamma = model.gamma_
    assert model.partial_fit(X[10:], y[10:]).gamma_ == gamma


# -- label queries ----------------------------------------------------------------------

RULES = {
    "all": AllQuery(),
    "random": RandomQuery(0.4, random_state=1),
    "margin": MarginQuery(delta=0.3, random_state=2),
    "adaptive": MarginQuery(delta=20.0, schedule="adaptive", random_state=4),
    "rate": MarginQuery(rate=0.3, random_state=6),
}


@pytest.mark.sampled
@pytest.mark.parametrize("name", ["pa", "pa2-joint", "perceptron", "pa, margin"])
@pytest.mark.parametrize(
    "rule, problem, layout, max_labels",
    [
        ("all", "multiclass", "csr", 0.2),
        ("random", "binary", "dense", None),
        ("margin", "multiclass", "dense", None),
        ("adaptive", "binary", "csr", 0.2),
        ("rate", "multiclass", "csr", 0.2),
    ],
)
def test_label_efficient_training_equals_the_reference(name, rule, problem, layout, max_labels):
    """Compares the compiled loop, for several chunk sizes, with the protocol in Python."""
    X, y = selective_sampling.make_samples(problem, 150, layout)
    learner = ALL[name]
    wanted = selective_sampling.reference_run(learner, RULES[rule], X, y, max_labels=max_labels)
    for chunk in (1, 40, 150):
        model = LabelEfficientClassifier(clone(learner), clone(RULES[rule]), max_labels=max_labels)
        for start in range(0, 150, chunk):
            part = slice(start, start + chunk)
            model.partial_fit(X[part], y[part], classes=np.unique(y))
        assert_array_equal(model.queried_, wanted[2])
        assert_array_equal(model.online_predictions_, wanted[3])
        assert_allclose(
            model.decision_function(X), wanted[0].decision_function(X), rtol=1e-6, atol=1e-9
        )
        assert model.estimator_.n_updates_ == wanted[0].n_updates_
    assert 0 < model.n_queries_ <= 150


def test_queried_labels_are_used_in_later_epochs():
    X, y = rows(80, 3, seed=14)
    model = LabelEfficientClassifier(pa(), RandomQuery(0.5, random_state=0), max_iter=3)
    model.set_params(random_state=0).fit(X, y)
    inner = model.estimator_
    assert inner.n_samples_seen_ == len(X)
    assert len(np.unique(inner.support_)) == len(inner.support_) <= model.n_queries_
    assert inner.n_updates_ > len(inner.support_)


@with_layouts
def test_oracle_is_queried_once_per_sample(layout):
    X, y = rows(150, seed=15)
    X, asked = LAYOUTS[layout](X), []

    def oracle(i):
        asked.append(i)
        return y[i]

    rule = MarginQuery(rate=0.3, random_state=0)
    told = LabelEfficientClassifier(pa(), rule, shuffle=False).fit(X, y)
    model = LabelEfficientClassifier(pa(), rule, shuffle=False)
    model.fit(X, oracle=oracle, classes=[0, 1])
    assert_array_equal(np.flatnonzero(told.queried_), asked)
    assert_same(told.estimator_, model.estimator_, X=X)
    # Kernel values computed ahead of a query are kept.
    n_rows_computed = model.estimator_.n_kernel_evaluations_ / len(model.estimator_.support_)
    assert n_rows_computed < 6 * 150


def test_averaged_models_in_label_efficient_training():
    X, y = rows(60, seed=16)
    for average in ("mean", "vote"):
        for learner in (perceptron(average=average), pa(average=average)):
            model = LabelEfficientClassifier(learner, AllQuery(), shuffle=False).fit(X, y)
            assert_same(model.estimator_, taught(learner, X, y), X=X)
