"""Attributes, estimates and exports of a model whose solution is over the reservoir, too."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import is_classifier
from sklearn.metrics.pairwise import rbf_kernel

from sklearn_online_svm.export import load_libsvm, save_libsvm
from tests.support.internals import estimated_cost, has_joint_solution
from tests.support.sorted_streams import JOINT, learn, new, stream, values

JOINT_CLASSES = [name for name in JOINT if "lasvr" not in name]


def replaying(name, **params):
    """Return a model after a stream, with a continued solution for predictions, and samples."""
    X, y = stream(name)
    n = len(y) - 30
    model = learn(name, new(name, **params), X[:n], y[:n], 60)
    values(model, X)
    learn(name, model, X[n:], y[n:], 60)
    assert has_joint_solution(model)
    return model, X, y


@pytest.mark.parametrize("name", JOINT)
def test_attributes_are_those_of_one_solution(name):
    model, X, y = replaying(name)
    assert_array_equal(X[model.support_], model.support_vectors_)
    assert model.dual_coef_.shape[1] == len(model.support_) == model.n_support_.sum()
    is_pair_of_many = is_classifier(model) and len(model.classes_) > 2
    if name == "linear":
        model.set_params(decision_function_shape="ovo")
        expected = X @ model.coef_.T + model.intercept_
        assert_allclose(values(model, X), expected, atol=1e-6)
    elif not is_pair_of_many:
        K = rbf_kernel(X, model.support_vectors_, gamma=model.gamma)
        expected = K @ model.dual_coef_[0] + model.intercept_
        assert_allclose(values(model, X), expected, atol=1e-4)
        alpha = model.dual_coef_[0]
        if "lasvm-g" not in name and "squared" not in name:
            objective = np.abs(alpha).sum()
            if not is_classifier(model):
                targets = y[model.support_] - np.sign(alpha) * model.epsilon_
                objective = alpha @ targets
            kernel = rbf_kernel(model.support_vectors_, gamma=model.gamma)
            objective -= 0.5 * alpha @ kernel @ alpha
            assert_allclose(model.dual_objective_, objective, rtol=1e-3)
    assert (model.duality_gap_ >= -1e-6).all() and np.isfinite(model.dual_objective_).all()


def flow_of(model):
    """Return counts of samples that a gap-driven algorithm has added, removed and skipped."""
    if model.algorithm == "lasvm" or not is_classifier(model):
        return np.zeros(0)
    return np.array([model.n_admitted_, model.n_cleaned_, model.n_skipped_])


@pytest.mark.sampled
@pytest.mark.parametrize("name", JOINT)
def test_counts_never_fall(name):
    model, X, y = replaying(name)
    before, cost = model.n_kernel_evaluations_, estimated_cost(model, 4)
    flow = flow_of(model)
    values(model, X)
    assert model.n_kernel_evaluations_ == before  # of training
    assert_array_equal(flow_of(model), flow)
    model.finish()
    assert model.n_kernel_evaluations_ >= before
    assert estimated_cost(model, 4)[0] >= cost[0]
    assert (flow_of(model) >= flow).all()
    assert model.n_samples_seen_ == len(y)
    learn(name, model, X[:20], y[:20])
    assert model.n_samples_seen_ == len(y) + 20


@pytest.mark.parametrize("name", ["lasvm", "4 classes", "pairs", "lasvm-g, pairs"])
def test_leave_one_out(name):
    model, X, y = replaying(name)
    estimate = model.leave_one_out_estimate_
    # Samples that have been forgotten are not counted as errors.
    assert 0.4 * (1.0 - model.score(X, y)) <= estimate < 0.5
    assert model.leave_one_out_estimate_ == estimate
    expected = values(model, X)
    wrong = model.leave_one_out_errors(X, y, method="span")
    assert wrong.shape == (len(y),) and 0.02 < wrong.mean() < 0.5
    assert_array_equal(values(model, X), expected)


def test_leave_one_out_of_targets():
    model, X, y = replaying("lasvr")
    predicted = model.leave_one_out_predict(X, y)
    assert np.corrcoef(predicted, y)[0, 1] > 0.9


@pytest.mark.parametrize("multi_class", ["ovr", "ovo"])
def test_probabilities(multi_class):
    model, X, y = replaying("pairs", probability=True, multi_class=multi_class)
    probabilities = model.predict_proba(X)
    assert_allclose(probabilities.sum(axis=1), 1.0)
    assert (probabilities.argmax(axis=1) == y).mean() > 0.55
    assert_array_equal(model.predict_proba(X), probabilities)


@pytest.mark.sampled
@pytest.mark.parametrize("name", JOINT_CLASSES)
def test_compress(name):
    model, X, _ = replaying(name)
    expected, n_vectors = model.predict(X), model.n_support_.sum()
    small = model.compress(max_support_vectors=40)
    assert small.n_support_.sum() <= 40 < n_vectors
    assert (small.predict(X) == expected).mean() > 0.8
    assert_array_equal(model.predict(X), expected)


@pytest.mark.sampled
@pytest.mark.parametrize("name", ["lasvm", "pairs", "linear", "balanced", "probabilities"])
def test_files(name, tmp_path):
    """Files of LIBSVM give the same predictions, and storing changes nothing."""
    X, y = stream(name)
    model = learn(name, new(name), X, y, 60)
    expected = values(model, X)
    save_libsvm(model, tmp_path / "model")
    loaded = load_libsvm(tmp_path / "model", n_features=X.shape[1])
    assert (loaded.predict(X) == model.predict(X)).mean() > 0.99
    assert_array_equal(values(model, X), expected)
