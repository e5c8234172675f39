"""Strings of NumPy, as in a grid that is an array, are accepted like those of Python."""

import inspect
import warnings

import numpy as np
import pytest
from sklearn.base import is_regressor
from sklearn.model_selection import GridSearchCV

import sklearn_online_svm as package
from sklearn_online_svm import LASVC
from tests.support.samples import two_classes

X, Y = two_classes(60, noise=0.5)
X = np.abs(X)  # some kernels need it


def cases():
    for name in sorted(package.__all__):
        kind = getattr(package, name)
        if not inspect.isclass(kind) or not hasattr(kind, "fit"):
            continue
        for parameter, constraints in getattr(kind, "_parameter_constraints", {}).items():
            for constraint in constraints if isinstance(constraints, list) else ():
                for option in sorted(getattr(constraint, "options", ()), key=str):
                    if isinstance(option, str):
                        yield pytest.param(
                            kind, parameter, option, id=f"{name}-{parameter}-{option}"
                        )


def outcome(kind, parameter, value):
    """Predictions, or the type of the error."""
    try:
        model = kind(**{parameter: value})
        if "random_state" in model.get_params():
            model.set_params(random_state=0)
        rows = X @ X.T if value == "precomputed" else X
        return model.fit(rows, X[:, 0] if is_regressor(model) else Y).predict(rows)
    except (AttributeError, NotImplementedError, TypeError, ValueError) as error:
        return type(error)


@pytest.mark.sampled
@pytest.mark.parametrize("kind, parameter, option", list(cases()))
def test_strings_of_numpy(kind, parameter, option):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        expected = outcome(kind, parameter, option)
        found = outcome(kind, parameter, np.str_(option))
    if isinstance(expected, type):
        assert found is expected
    else:
        np.testing.assert_array_equal(found, expected)


def test_a_grid_that_is_an_array():
    grid = {"kernel": np.array(["rbf", "linear"]), "C": np.array([0.1, 1.0])}
    search = GridSearchCV(LASVC(random_state=0), grid, cv=2).fit(X, Y)
    assert len(search.cv_results_["params"]) == 4
    assert np.isfinite(search.cv_results_["mean_test_score"]).all()
