"""Errors of common mistakes name the estimator, and what to do."""

import pickle
import re

import numpy as np
import pytest
from sklearn.base import clone, is_classifier
from sklearn.svm import SVC, SVR

from sklearn_online_svm import LASVC, LASVR, LabelEfficientClassifier, RampSVC
from sklearn_online_svm.active import EntityResolver
from sklearn_online_svm.cells import CellClassifier, CellRegressor
from tests.support.cases import together
from tests.support.stored_models import estimators
from tests.support.trainable import MODELS, samples_of, trained_kinds

METHODS = ("fit", "partial_fit")
with_models = pytest.mark.parametrize("name", MODELS)
# A scaler of scikit-learn comes first in pipelines.
with_validation = pytest.mark.parametrize("name", [n for n in MODELS if "pipeline" not in n])


def calls(name):
    """The training methods of an estimator, and the arguments of a first call besides X and y."""
    model = clone(MODELS[name])
    yield model.fit, {}
    if hasattr(model, "partial_fit"):
        labels = np.unique(samples_of(name)[1])
        yield clone(model).partial_fit, {"classes": labels} if is_classifier(model) else {}


@with_models
@together(method=METHODS)
def test_a_missing_argument_names_the_class(name, method):
    model = clone(MODELS[name])
    if not hasattr(model, method) or type(model).__module__.startswith("tests"):
        return  # no such method, or that of a class of the tests
    with pytest.raises(TypeError, match=rf"^{type(model).__name__}\.{method}\(\) missing"):
        getattr(model, method)()


# Query strategies need no fit.
FITTED = [path for path in estimators() if not path.endswith(("Query", "KernelMetric"))]


@pytest.mark.parametrize("path", FITTED)
def test_fitted_attributes_of_unfitted_models_name_no_private_attribute(path):
    model = estimators()[path]
    for name in dir(type(model)):
        if name.endswith("_") and name[0] != "_":
            with pytest.raises(AttributeError) as caught:
                getattr(model, name)
            assert "attribute '_" not in str(caught.value), name


@pytest.mark.parametrize("kind", sorted(trained_kinds(), key=str), ids=lambda kind: kind.__name__)
def test_inherited_methods_can_be_pickled(kind):
    assert pickle.loads(pickle.dumps(kind.fit)) is kind.fit


@with_validation
def test_texts(name):
    X, y = samples_of(name)
    for method, options in calls(name):
        for texts in (["a good day"] * len(y), [["good", "day"]] * len(y)):
            with pytest.raises(ValueError, match="TfidfVectorizer") as caught:
                method(texts, y, **options)
            assert "could not convert string to float" in str(caught.value)


@with_validation
@together(kind=["array", "differences", "column"])
def test_dates(name, kind):
    X, y = samples_of(name)
    dates = np.datetime64("2027-01-01") + np.arange(len(y)).reshape(-1, 1)
    X, columns = np.hstack([dates, dates]), ""
    if kind == "differences":
        X = X - X[0]
    elif kind == "column":
        pandas = pytest.importorskip("pandas")
        X = pandas.DataFrame({"size": np.arange(len(y)), "day": X[:, 0]})
        columns = r" in the columns \['day'\]"
    for method, options in calls(name):
        with pytest.raises(ValueError, match=f"dates or times{columns}. Convert them to numbers"):
            method(X, y, **options)


@pytest.mark.parametrize("name", [name for name, model in MODELS.items() if is_classifier(model)])
def test_labels_of_several_types(name):
    X, _ = samples_of(name)
    mixed = np.array([1, "a"] * (len(X) // 2), dtype=object)
    for method, options in calls(name):
        if options:
            options = {"classes": [1, "a"]}
        with pytest.raises(ValueError, match="Convert all .* to one type"):
            method(X, mixed, **options)


@pytest.mark.parametrize(
    ("model", "method", "remedy"),
    [
        (LASVC(), "predict_proba", "with probability=True"),
        (RampSVC(), "predict_log_proba", "with probability=True"),
        (LASVC(), "predict_set", "with probability=True"),
        (LASVR(), "predict_interval", "with intervals=True"),
        (LASVC(kernel="precomputed"), "partial_fit", "Use a callable kernel, or fit"),
        (LASVR(window_size=9), "leave_one_out_predict", "Use progressive_validation"),
        # The reason of their estimator.
        (CellClassifier(LASVC()), "predict_proba", "with probability=True"),
        (CellClassifier(SVC()), "partial_fit", "'SVC' object has no attribute"),
        (CellRegressor(SVR()), "partial_fit", "'SVR' object has no attribute"),
        (EntityResolver([len], estimator=SVC()), "partial_fit", "'SVC' object has no attribute"),
        (
            LabelEfficientClassifier(LASVC(gamma=1.0)).fit([[0.0], [1.0]], [0, 1]),
            "predict_proba",
            "with probability=True",
        ),
    ],
    ids=str,
)
def test_a_missing_method_tells_how_to_get_it(model, method, remedy):
    message = f"This {type(model).__name__!r} has no attribute {method!r}. "
    with pytest.raises(AttributeError, match=re.escape(message) + f".*{remedy}"):
        getattr(model, method)
    assert not hasattr(model, method)
