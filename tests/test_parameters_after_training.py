"""Parameters that are set after training do not change predictions before the next training."""

import copy

import numpy as np
import pytest
from scipy import sparse

from tests.support.fitted_models import TABLES, fitted
from tests.support.stored_models import estimators

# Another value of each parameter that may influence a model. Not of ``finishing``, which selects
# the solution that predictions use.
OTHERS = dict(
    C=0.013,
    kernel="linear",
    gamma=3.7,
    degree=5,
    coef0=0.7,
    algorithm="lasvm-g",
    epsilon=0.7,
    nu=0.9,
    loss="squared_hinge",
    tol=0.5,
    fit_intercept=False,
    intercept_scaling=3.0,
    average=True,
    covariance="diag",
    r=7.0,
    eta=0.99,
    forgetting_factor=0.9,
    max_support_vectors=3,
    window_size=5,
    cache_size=0.01,
    class_weight={0: 3.0},
    delta_max=0.5,
    ramp_s=-0.1,
    n_neighbors=1,
    multi_class="ovr",
    budget_policy="oldest",
    smoothing=0.9,
    random_state=9,
    shuffle=False,
    shrinking=False,
    n_jobs=2,
    probability=True,
    intervals=True,
)
METHODS = ("predict", "decision_function", "predict_proba", "score_samples", "transform")


def answers(model, X, methods=METHODS):
    return {name: getattr(model, name)(X) for name in methods if hasattr(model, name)}


def same(a, b):
    a, b = (x.toarray() if sparse.issparse(x) else np.asarray(x) for x in (a, b))
    return np.array_equal(a, b)


@pytest.mark.sampled
@pytest.mark.parametrize("name", [name for name in TABLES if name not in estimators()])
def test_predictions_remain(name):
    model, X, _ = fitted(name)
    before, changed = answers(copy.deepcopy(model), X), []
    for parameter in OTHERS.keys() & model.get_params(deep=False).keys():
        other = copy.deepcopy(model).set_params(**{parameter: OTHERS[parameter]})
        for set_first in (other, copy.deepcopy(other)):
            after = answers(set_first, X, before)
            changed += [
                (parameter, method) for method in before if not same(before[method], after[method])
            ]
    assert not changed
