"""Small arrays are validated by the package, other input by scikit-learn: with equal results."""

import inspect

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.utils import validation

from sklearn_online_svm import LASVC, LASVR, OneClassLASVM
from tests.support.trainable import MODELS, samples_of, seeded, state_of

pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")

# Changes of X and y that are errors.
INVALID = {
    "nan": lambda X, y: (np.where(np.arange(len(X))[:, None] == 7, np.nan, X), y),
    "infinite": lambda X, y: (np.where(np.arange(len(X))[:, None] == 7, np.inf, X), y),
    "no features": lambda X, y: (X[:, :0], y),
    "no samples": lambda X, y: (X[:0], y[:0]),
    "one dimension": lambda X, y: (X[:, 0], y),
    "short y": lambda X, y: (X, y[1:]),
    "y of two columns": lambda X, y: (X, np.stack([y, y], axis=1).astype(str)),
    "nan in y": lambda X, y: (X, np.where(np.arange(len(y)) == 7, np.nan, y)),
    "no y": lambda X, y: (X, None),
    "an object in y": lambda X, y: (X, np.where(np.arange(len(y)) == 7, None, y)),
}


def outcome(call, X, y):
    """Return the error of a call, or the state of the model that it returns."""
    try:
        return state_of(call(X, y))
    except (ValueError, TypeError) as error:
        return type(error), str(error)


@pytest.mark.parametrize("name", MODELS)
def test_small_arrays_have_the_errors_of_scikit_learn(name):
    X, y = samples_of(name, 60)
    for change in INVALID.values():
        small, targets = change(X, y)
        # An array in the other memory order is validated by scikit-learn.
        other = np.asfortranarray(small)
        assert outcome(seeded(name).fit, small, targets) == outcome(
            seeded(name).fit, other, targets
        )


@pytest.mark.parametrize("name", MODELS)
def test_small_arrays_have_the_results_of_others(name):
    X, y = samples_of(name, 60)
    model, other = seeded(name).fit(X, y), seeded(name).fit(np.asfortranarray(X), list(y))
    assert getattr(model, "n_features_in_", 0) == getattr(other, "n_features_in_", 0)
    assert not hasattr(model, "feature_names_in_")
    np.testing.assert_array_equal(model.predict(X), other.predict(X.tolist()))


@pytest.mark.parametrize("model", [LASVC(), LASVR(), OneClassLASVM()], ids=repr)
def test_scikit_learn_does_not_validate_small_arrays_again(model, monkeypatch):
    X, y = samples_of("lasvm", 60)
    clone(model).fit(X, 1.0 * y)

    def called(*arguments, **options):
        raise AssertionError(f"called with {arguments[:1]}")

    # The parameters of a class are inspected once, and defaults are validated once.
    monkeypatch.setattr(inspect, "signature", called)
    monkeypatch.setattr(validation, "check_array", called)
    fitted = type(model)().fit(X, 1.0 * y)
    fitted.predict(X[:1])


def test_an_invalid_default_is_refused():
    class Wrong(LASVC):
        def __init__(self, C=-1.0):
            super().__init__(C)

    X, y = samples_of("lasvm", 60)
    with pytest.raises(ValueError, match="The 'C' parameter of Wrong must be"):
        Wrong().fit(X, y)
    assert Wrong(2.0).fit(X, y).C == 2.0
