"""Methods that take samples accept the DataFrame of ``fit`` without a warning."""

import inspect
import warnings

import pandas as pd
import pytest

from sklearn_online_svm import LASVC
from sklearn_online_svm.active import MarginSampling
from tests.support.trainable import MODELS, samples_of, seeded

# Rules name the features as x0, x1, ...
NAMED_OTHERWISE = ("advice",)
NOT_CALLED = {"fit", "resume"}


def columns(X):
    return pd.DataFrame(X, columns=[f"feature {i}" for i in range(X.shape[1])])


def calls_of(model, X, y):
    """Return calls of the public methods that have a parameter X, by name."""
    calls = {}
    for name in dir(type(model)):
        if name.startswith("_") or name in NOT_CALLED or not hasattr(model, name):
            continue
        method = getattr(model, name)
        parameters = inspect.signature(method).parameters if callable(method) else {}
        if "X" in parameters:
            arguments = {"X": X, "y": y, "Cs": [1.0, 2.0], "max_support_vectors": 15}
            calls[name] = method, {k: v for k, v in arguments.items() if k in parameters}
    return calls


@pytest.mark.sampled
@pytest.mark.parametrize("name", [name for name in MODELS if name not in NAMED_OTHERWISE])
def test_no_warning_for_the_columns_of_fit(name):
    X, y = samples_of(name, 60)
    X = columns(X)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        # First, because a method may ignore ValueError.
        warnings.filterwarnings("error", message="X (does not have|has) ")
        model = seeded(name).fit(X, y)
        calls = calls_of(model, X, y)
        assert {"partial_fit", "predict"} & calls.keys()
        for method, (call, arguments) in calls.items():
            try:
                call(**arguments)
            except ValueError as error:
                is_unfinished = "requires finishing=True" in str(error) and not model.finishing
                assert method in ("fit_path", "compress") or is_unfinished, error
            assert getattr(model, "n_features_in_", X.shape[1]) == X.shape[1]


def test_no_warning_of_a_query_strategy():
    X, y = samples_of("lasvm", 60)
    X = columns(X)
    model = LASVC(random_state=0).fit(X, y)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert len(MarginSampling().query(model, X, 5)) == 5
