"""The linear models compared with their twins, sample by sample."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from sklearn.base import clone, is_regressor
from sklearn.utils import check_random_state

from sklearn_online_svm.linear import (
    AROWClassifier,
    SCWClassifier,
    SecondOrderPerceptronClassifier,
)
from tests.support.cases import in_turn
from tests.support.internals import shuffled
from tests.support.linear_models import with_layouts
from tests.support.linear_tasks import (
    CLOSE,
    COSTS,
    JOINT,
    TASKS,
    Stream,
    assert_same_path,
    assert_same_states,
    cost,
    pa,
    perceptron,
    regressor,
    rule_of,
    state_of,
)
from tests.support.samples import LAYOUTS

for_every_task = pytest.mark.parametrize("model, n_classes", TASKS, ids=str)


# -- one epoch --------------------------------------------------------------------------


@pytest.mark.sampled
@for_every_task
@with_layouts
@pytest.mark.parametrize("fit_intercept, weighted", [(False, True), (True, False)])
def test_each_sample(model, n_classes, layout, fit_intercept, weighted):
    model = clone(model).set_params(fit_intercept=fit_intercept)
    if weighted and n_classes is not None:
        model.set_params(class_weight={0: 0.5, 1: 2.0})
    stream = Stream(n_classes, weighted=weighted)
    twin = assert_same_path(model, stream, layout, **CLOSE[np.float64])
    assert twin.n_updates_ > 4


@pytest.mark.sampled
@for_every_task
@with_layouts
def test_each_float32_sample(model, n_classes, layout):
    model, stream = clone(model), Stream(n_classes, n=12, dtype=np.float32, seed=1)
    twin = assert_same_path(model, stream, layout, **CLOSE[np.float32])
    assert twin.n_updates_ > 2
    kind = np.float64 if getattr(model, "covariance", None) == "full" else np.float32
    assert model.coef_.dtype == kind


# -- shapes: tails of the vectors ---------------------------------------------------------

SHAPES = [
    pa(C=0.3),
    pa(C=0.3, loss="squared_hinge", average=3),
    pa(C=0.3, **JOINT),
    pa(C=0.3, average=True, fit_intercept=False, **JOINT),
    SCWClassifier(C=0.5),
    AROWClassifier(fit_intercept=False),
    AROWClassifier(covariance="full"),
    SecondOrderPerceptronClassifier(fit_intercept=False),
]


@pytest.mark.sampled
@pytest.mark.parametrize("n_features, n_classes", in_turn([1, 3, 8, 17, 100] * 2, [2, 3, 17, 40]))
@pytest.mark.parametrize("model", SHAPES, ids=str)
def test_shapes(model, n_features, n_classes):
    n = 8 if getattr(model, "covariance", None) == "full" and n_features == 100 else 20
    for layout in LAYOUTS:
        for dtype in (np.float64, np.float32):
            stream = Stream(n_classes, n, n_features, dtype=dtype, seed=3, weighted=False)
            twin = assert_same_path(clone(model), stream, layout, **CLOSE[dtype])
            assert twin.n_updates_ > 0


# -- epochs -----------------------------------------------------------------------------


def passes_of_the_twin(model, stream, max_iter, tol, patience, random_state):
    """Return the twin after shuffled epochs, stopped by the loss, and their number."""
    twin, random, n = stream.twin(model), check_random_state(random_state), len(stream.X)
    weights = stream.weights_for(model)
    best, without_gain = np.inf, 0
    for n_pass in range(1, max_iter + 1):
        order = shuffled(n, int(random.randint(0, 2**63 - 1, dtype=np.int64)))
        assert_array_equal(np.sort(order), np.arange(n))
        twin.loss = 0.0
        twin.learn(stream.X[order], stream.labels[order], weights[order])
        without_gain = 0 if twin.loss <= best - tol * n else without_gain + 1
        best = min(best, twin.loss)
        if without_gain >= patience:
            return twin, n_pass
    return twin, max_iter


@for_every_task
def test_shuffled_epochs_and_stopping_criterion(model, n_classes):
    stream = Stream(n_classes, seed=6)
    settings = dict(max_iter=30, tol=0.01, random_state=3)
    model = clone(model).set_params(n_iter_no_change=2, **settings)
    if hasattr(model, "class_weight"):
        model.set_params(class_weight={0: 0.5, 1: 2.0})
    twin, n_passes = passes_of_the_twin(model, stream, 30, 0.01, 2, 3)
    assert stream.fit(model).n_iter_ == n_passes < 30
    # Differences grow with each epoch; a repeated sample may meet its margin exactly.
    assert abs(model.n_updates_ - twin.n_updates_) < 0.02 * twin.n_updates_ + 2
    model_state, twin_state = state_of(model), state_of(twin)
    model_state[2] = twin_state[2]
    assert_same_states([model_state], [twin_state], rtol=1e-8, atol=1e-8)
    assert model.t_ == twin.t_
    # Another seed gives another order.
    again = clone(model).set_params(random_state=4)
    assert np.abs(stream.fit(again).coef_ - model.coef_).max() > 1e-4


@with_layouts
@pytest.mark.parametrize(
    "before, after",
    [
        (cost(C=0.3), dict(C=2.0, sensitivity_weight=0.7, rule="max_loss")),
        (cost(C=2.0, costs={1: 3.0}), dict(costs=None)),  # what was counted before comes into use
        (cost(C=2.0), dict(costs={1: 3.0}, rule="prediction")),
        (cost(C=2.0, costs={1: 3.0}), dict(costs=COSTS[2])),
        (pa(C=0.1), dict(C=np.inf, loss="squared_hinge")),
        (perceptron(), dict(positive_margin=2.0)),
        (AROWClassifier(), dict(r=5.0)),
        (SCWClassifier(covariance="full"), dict(C=0.1, eta=0.9, loss="squared_hinge")),
        (regressor(), dict(epsilon=1.0)),
    ],
    ids=str,
)
def test_parameters_of_the_rule_may_change(before, after, layout):
    n_classes = None if is_regressor(before) else 2
    stream = Stream(n_classes, seed=8, weighted=False)
    X, y, first = LAYOUTS[layout](stream.X), stream.labels, stream.arguments(slice(0))
    model = clone(before).partial_fit(X[:10], y[:10], **first)
    twin = stream.twin(model).learn(stream.X[:10], y[:10])
    model.set_params(**after).partial_fit(X[10:], y[10:])
    twin.learner.rule = rule_of(model, 2)[0]
    twin.learn(stream.X[10:], y[10:])
    assert_same_states([state_of(model)], [state_of(twin)], **CLOSE[np.float64])
    wanted = stream.twin_learns(before)
    assert np.abs(np.ravel(wanted.coef_) - np.ravel(twin.coef_)).max() > 1e-3


@for_every_task
def test_alternating_dense_and_sparse_chunks(model, n_classes):
    stream, model = Stream(n_classes, seed=9), clone(model)
    for start in range(0, len(stream.X), 4):
        samples = slice(start, start + 4)
        X = LAYOUTS[("dense", "csr")[start // 4 % 2]](stream.X[samples])
        model.partial_fit(X, stream.labels[samples], **stream.arguments(samples, start))
    wanted = state_of(stream.twin_learns(model))
    assert_same_states([state_of(model)], [wanted], **CLOSE[np.float64])


# -- label queries ------------------------------------------------------------------------
