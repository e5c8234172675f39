"""Parameters that are set after training do not change predictions before the next training."""

import copy
import re

import numpy as np
import pytest
from scipy import sparse

from sklearn_online_svm import LASVC, LASVR, ActiveLASVC, LocalOnlineClassifier, OneClassLASVM
from sklearn_online_svm.calibration import OnlineCalibratedClassifier
from sklearn_online_svm.datasets import make_waveform
from sklearn_online_svm.export import save_libsvm
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


# Of LASVC, ActiveLASVC and LASVR; a fixed parameter may be refused by name instead.
ANALYSES = {
    **{
        f"errors, {method}": lambda model, X, y, method=method: model.leave_one_out_errors(
            X, y, method=method
        )
        for method in ("exact", "span", "xi-alpha")
    },
    "values": lambda model, X, y: model.leave_one_out_decision_function(X, y),
    "predictions": lambda model, X, y: model.leave_one_out_predict(X, y),
    "estimate": lambda model, X, y: model.leave_one_out_estimate_,
    "suspects": lambda model, X, y: model.suspect_labels(X, y, n_suspects=len(y)),
    "compressed": lambda model, X, y: model.compress(max_support_vectors=10).decision_function(X),
    "intervals": lambda model, X, y: model.predict_interval(X),
}
MODELS = [
    LASVC(C=2.0, gamma=0.05, random_state=0),
    LASVC(C=2.0, gamma=0.05, class_weight={1: 2.0}, algorithm="lasvm-g", random_state=0),
    ActiveLASVC(C=2.0, gamma=0.05, selection="random", random_state=0),
    LASVR(C=2.0, gamma=0.05, epsilon=0.3, intervals=True, random_state=0),
]


@pytest.mark.parametrize("analysis", ANALYSES.values(), ids=ANALYSES)
@pytest.mark.parametrize("model", MODELS, ids=str)
def test_analyses_remain(model, analysis):
    """leave_one_out_errors trained with the new C."""
    X, y = make_waveform(150, random_state=0)
    model, changed = copy.deepcopy(model).fit(X, y), []
    try:
        before = analysis(model, X, y)
    except AttributeError:
        pytest.skip("not of this model")
    for parameter in OTHERS.keys() & model.get_params(deep=False).keys() - {"intervals"}:
        other = copy.deepcopy(model).set_params(**{parameter: OTHERS[parameter]})
        try:
            changed += [parameter] * (not np.array_equal(before, analysis(other, X, y)))
        except ValueError as error:
            assert re.match(f"{parameter} cannot change|The '{parameter}' parameter", str(error))
    assert not changed


@pytest.mark.parametrize("name", ["window_size", "max_support_vectors"])
@pytest.mark.parametrize("model", MODELS, ids=str)
def test_analyses_of_a_limited_support_set_remain_refused(model, name):
    if not hasattr(model, name):
        pytest.skip("not of this model")
    X, y = make_waveform(150, random_state=0)
    model = copy.deepcopy(model).set_params(max_iter=1, **{name: 20}).fit(X, y)
    model.set_params(**{name: None})
    for method in ("leave_one_out_errors", "leave_one_out_predict"):
        assert not hasattr(model, method)
    assert hasattr(model, "predict_interval") == isinstance(model, LASVR)


EXPORTED = [
    *MODELS,
    LASVC(kernel="poly", gamma=0.1, coef0=1.0, random_state=0),
    OneClassLASVM(gamma=0.05),
    LocalOnlineClassifier(n_neighbors=3),
    OnlineCalibratedClassifier(LASVC(gamma=0.05), window_size=100, random_state=0),
]


@pytest.mark.parametrize("model", EXPORTED, ids=str)
def test_exported_models_remain(model, tmp_path):
    """Files had the new kernel with the support vectors of the old one."""
    skl2onnx = pytest.importorskip("skl2onnx")
    pytest.importorskip("sklearn_online_svm.onnx")
    X, y = make_waveform(150, random_state=0)
    model = copy.deepcopy(model).fit(X, y)

    def files(model):
        yield skl2onnx.to_onnx(model, X[:1]).SerializeToString()
        if isinstance(model, LASVC | ActiveLASVC):
            save_libsvm(model, tmp_path / "model")
            yield (tmp_path / "model").read_bytes()

    before = list(files(model))
    for parameter in OTHERS.keys() & model.get_params(deep=False).keys() - {"intervals"}:
        if parameter != "probability":  # which selects the outputs
            other = copy.deepcopy(model).set_params(**{parameter: OTHERS[parameter]})
            assert list(files(other)) == before, parameter
