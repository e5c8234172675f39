"""The descent of KernelMetric, against its twin and against differences."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from tests.reference import kernel_metric as twin
from tests.support.internals import LaplacianWidths, RBFMap, RBFWidths
from tests.support.internals import _descent as descent

GROUPS = np.array([0, 1, 2, 2, 3])
FORMS = {"laplacian": LaplacianWidths, "rbf": RBFWidths, "map": RBFMap}


def form_and_parameters(name, rng):
    form = RBFMap() if name == "map" else FORMS[name](GROUPS)
    start = form.start(np.linspace(0.5, 1.5, 5))
    return form, start + 0.3 * rng.normal(size=start.shape)


def scale_of(form):
    return getattr(form, "_scale", None)


@pytest.mark.parametrize("n_targets", [1, 3])
@pytest.mark.parametrize("name", FORMS)
def test_derivatives_are_those_of_central_differences(name, n_targets, global_random_seed):
    rng = np.random.default_rng(global_random_seed)
    form, parameters = form_and_parameters(name, rng)
    # Sizes that are no multiples of the vectors of the engine.
    A, B = rng.normal(size=(41, 5)), rng.normal(size=(30, 5))
    targets = rng.normal(size=(41, n_targets)), rng.normal(size=(30, n_targets))
    at = np.append(parameters, -1.5)

    def loss(x):
        x, log_lambda = x[:-1].reshape(parameters.shape), x[-1]
        return descent.loss_and_derivatives(form, x, log_lambda, A, B, *targets)[0] / 2

    _, slope, slope_of_lambda = descent.loss_and_derivatives(
        form, parameters, -1.5, A, B, *targets
    )
    differences = [(loss(at + step) - loss(at - step)) / 2e-5 for step in 1e-5 * np.eye(len(at))]
    computed = np.append(slope, slope_of_lambda)
    assert_allclose(computed, differences, rtol=0, atol=1e-6 * np.abs(differences).max())
    of_twin = twin.loss_and_derivatives(
        name, parameters, -1.5, GROUPS, scale_of(form), A, B, *targets
    )
    assert_allclose(computed, np.append(*of_twin[1:]), rtol=0, atol=1e-9)


@pytest.mark.parametrize("name", FORMS)
@pytest.mark.parametrize("weighted", [False, True])
def test_each_step_is_that_of_the_twin(name, weighted, monkeypatch):
    rng = np.random.default_rng(0)
    monkeypatch.setattr(descent, "HALF", 60)
    monkeypatch.setattr(twin, "HALF", 60)
    Z = rng.normal(size=(200, 5))
    targets = np.column_stack([np.sign(Z[:, 0] * Z[:, 1]), np.tanh(Z[:, 2])])
    weights = rng.integers(1, 5, size=200).astype(float) if weighted else np.ones(200)
    form, start = form_and_parameters(name, rng)
    path, errors = twin.descend(
        name, start, GROUPS, scale_of(form), Z, targets, weights, 3.0, np.random.RandomState(1)
    )
    for n_averaged in (1, 12):
        monkeypatch.setattr(descent, "N_AVERAGED", n_averaged)
        learned, history = descent.descend(
            form, start, Z, targets, weights, 3.0, np.random.RandomState(1)
        )
        assert_allclose(history, errors, rtol=1e-7)
        expected = np.mean(path[-n_averaged:], axis=0)
        assert_allclose(learned, expected, rtol=0, atol=1e-6)
    assert errors[-5:].mean() < 0.9 * errors[:5].mean()


def test_single_precision_changes_little():
    rng = np.random.default_rng(0)
    Z = rng.normal(size=(2000, 8))
    targets = np.sign(Z[:, :1] * Z[:, 1:2])
    form = LaplacianWidths(np.arange(8))
    start = form.start(np.ones(8))
    single, double = (
        descent.descend(
            form, start, Z.astype(t), targets, np.ones(2000), 3.0, np.random.RandomState(1)
        )[0]
        for t in (np.float32, np.float64)
    )
    assert_allclose(single, double, rtol=0, atol=0.02)
