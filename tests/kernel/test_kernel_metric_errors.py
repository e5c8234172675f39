"""Errors of KernelMetric: parameters, and columns and targets that it cannot use."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from sklearn_online_svm import KernelMetric
from tests.kernel.test_kernel_metric import samples


@pytest.mark.parametrize(
    ("params", "message"),
    [
        (dict(form="map"), "form='map' requires kernel='rbf'. Got kernel='laplacian'."),
        (dict(categorical_features=["none"]), "categorical_features must be .* Got \\['none'\\]"),
        (dict(categorical_features=[20]), "of the 20 columns of X. Got \\[20\\]"),
        (dict(categorical_features=[True]), "categorical_features must be"),
        (dict(shrinkage=-1.0), "The 'shrinkage' parameter of KernelMetric"),
        (dict(target_type="numbers"), "The 'target_type' parameter of KernelMetric"),
    ],
)
def test_invalid_parameters(params, message):
    with pytest.raises(ValueError, match=message):
        KernelMetric(**params).fit(*samples(n=400))


def test_missing_numbers_are_refused_with_a_remedy():
    X, y = samples(n=400)
    metric = KernelMetric(random_state=0).fit(X, y)
    before = metric.widths_
    X[3, 1] = np.nan
    for call in (lambda: metric.fit(X, y), lambda: metric.transform(X)):
        with pytest.raises(ValueError, match="(?s)Input X contains NaN.*imputer"):
            call()
    assert metric.widths_ is before


@pytest.mark.parametrize(
    ("params", "changes", "message"),
    [
        ({}, {"u": np.nan}, r"Columns \['u'\] of X: Input X contains NaN"),
        ({}, {"u": np.inf, "town": np.inf}, r"Columns \['u', 'town'\] of X: Input X contains inf"),
        ({}, {"town": [1, "a"] * 300}, r"Columns \['town'\] .* type, for example to str"),
        ({}, {"day": np.datetime64("2027-01-01")}, r"dates or times in the columns \['day'\]"),
        ({"categorical_features": ["town"]}, {}, r"Columns \['job'\] .* as categorical_features"),
        ({"categorical_features": None}, {}, r"Columns \['town', 'job'\] of X: could not convert"),
    ],
)
def test_errors_name_the_columns(params, changes, message):
    pandas = pytest.importorskip("pandas")
    X = pandas.DataFrame(
        {"u": np.arange(600.0), "town": ["A", "B"] * 300, "job": ["C", "D"] * 300}
    )
    y = np.arange(600) % 3
    with pytest.raises((TypeError, ValueError), match=message):
        KernelMetric(**params).fit(X.assign(**changes), y)
    if "town" not in changes and not params:  # numbers are new categories
        metric = KernelMetric(shrinkage=np.inf).fit(X.assign(day=0.0), y)
        with pytest.raises(ValueError, match=message):
            metric.transform(X.assign(**{"day": 0.0, **changes}))


def test_columns_of_arrays_are_named_by_their_index():
    X = np.array([[1.0, "A", "C"], [2.0, "B", "D"]] * 200, dtype=object)
    for features, wrong in (("from_dtype", r"\[1, 2\]"), ([2], r"\[1\]")):
        with pytest.raises(ValueError, match=f"Columns {wrong} .* as categorical_features"):
            KernelMetric(categorical_features=features).fit(X, np.arange(400) % 2)


def test_samples_and_targets_that_are_missing():
    X, y = samples(n=400)
    for missing in (None, np.nan):
        with pytest.raises(ValueError, match="y contains missing labels"):
            KernelMetric().fit(X, np.where(np.arange(400) == 3, missing, y.astype(object)))
        with pytest.raises(ValueError, match="y contains NaN"):
            KernelMetric(target_type="continuous").fit(X, [missing, *X[1:, 0]])
    with pytest.raises(ValueError, match="labels of the types"):
        KernelMetric().fit(X, np.array([1, "a"] * 200, dtype=object))
    pandas = pytest.importorskip("pandas")
    for shape, found in (((0, 2), "0 sample"), ((3, 0), "0 feature")):
        with pytest.raises(ValueError, match=rf"{found}\(s\) .* required by KernelMetric"):
            KernelMetric().fit(pandas.DataFrame(np.empty(shape)), np.zeros(shape[0]))


@pytest.mark.parametrize("convert", [int, float])
def test_targets_of_dtype_object_are_those_of_their_own_type(convert):
    """As in a row of a data frame: such numbers were refused as labels of an unknown type."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 3))
    y = (X[:, 0] > 0).astype(int) if convert is int else X[:, 0] + 0.1 * rng.normal(size=200)
    one, other = (KernelMetric(random_state=0).fit(X, given) for given in (y, y.astype(object)))
    assert_array_equal(one.transform(X), other.transform(X))
