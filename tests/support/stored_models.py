"""Models as each version stores them: ``python -m tests.support.stored_models`` writes a file.

``tests/data/models`` has a zip file for each version: a pickle and a file of skops of an estimator
of each class, and what these computed. ``make store-models`` writes the file of this version, with
the minimum versions of all dependencies, as older versions of NumPy cannot read pickles of newer
ones.
"""

import json
import pickle
import warnings
import zipfile

import numpy as np
import skops.io
from numpy.testing import assert_allclose
from sklearn.base import BaseEstimator, is_regressor
from sklearn.exceptions import InconsistentVersionWarning
from sklearn.preprocessing import StandardScaler

import sklearn_online_svm as package
from sklearn_online_svm.evaluation import AdaptiveConformalInference, AdaptiveThreshold
from sklearn_online_svm.export import trusted_types
from tests.support import ROOT
from tests.support.docstrings import public_objects
from tests.support.recorded_fits import blobs

FILES = ROOT / "tests" / "data" / "models"
# A sampler and a kernel have no state; the models of EntityResolver contain functions of the user.
NOT_STORED = {"VirtualSampler", "ColumnKernel", "active.EntityResolver"}
# Needs private classes of this package and of scikit-learn, as GridSearchCV does.
NOT_SKOPS = {"model_selection.ProgressiveSearch"}
# Required parameters, and those that make files small.
ARGUMENTS = {
    "evaluation.AdaptiveThreshold": dict(alarm_rate=0.1),
    "CompressedClassifier": dict(tolerance=0.1),
    "KernelAROWClassifier": dict(max_support_vectors=15),
    "model_selection.ProgressiveSearch": dict(
        estimator=package.PassiveAggressiveClassifier(), param_grid={"C": [0.1]}
    ),
    "pipeline.OnlinePipeline": dict(
        steps=[("scaler", StandardScaler()), ("model", package.AROWClassifier(random_state=0))]
    ),
}
# Objects beside a model, which look at its scores.
ADAPTIVE = AdaptiveConformalInference, AdaptiveThreshold
# The samples are exact in float32: no rounding of the input.
X, y = blobs(80, 2)
X_FIRST, Y_FIRST, X_LATER, Y_LATER, X_NEW = X[:40], y[:40], X[40:60], y[40:60], X[60:]


def estimators():
    """Return an estimator of each public class: dict from its path."""
    found = {}
    for path, kind in public_objects().items():
        if isinstance(kind, type) and issubclass(kind, BaseEstimator) and path not in NOT_STORED:
            model = kind(**ARGUMENTS.get(path, {}))
            seed = {"random_state": 0} if "random_state" in model.get_params() else {}
            found[path] = model.set_params(**seed)
    return found


def classifier():
    """Return the classifier that other objects look at."""
    return package.PerceptronClassifier(random_state=0).fit(X_FIRST, Y_FIRST)


def train(model, X, y, method="partial_fit"):
    """Train a model, if it has the method, or update another object."""
    if isinstance(model, ADAPTIVE):
        model.update(classifier(), X, y)
    elif hasattr(model, "update"):
        model.update(X[:, 0], model.query(X[:, 0]))
    elif hasattr(model, "query"):
        response(model, X)
    elif hasattr(model, method):
        getattr(model, method)(X, X[:, 1] if is_regressor(model) else y)


def response(model, X):
    """Return what a model computes for samples."""
    if isinstance(model, ADAPTIVE):
        is_of_sets = isinstance(model, AdaptiveConformalInference)
        return (model.predict_set if is_of_sets else model.predict)(classifier(), X)
    if hasattr(model, "update"):
        return model.query(X[:, 0])
    if hasattr(model, "query"):
        return model.query(classifier(), X, 5)
    if hasattr(model, "transform"):
        return model.transform(X)
    return getattr(model, "decision_function", model.predict)(X)


def responses_of(model):
    """Yield the response before and after further training."""
    yield response(model, X_NEW).tolist()
    train(model, X_LATER, Y_LATER)
    yield response(model, X_NEW).tolist()


def stored_models():
    """Yield the file of a version and the name of a model in it, for each stored model."""
    for path in sorted(FILES.glob("*.zip")):
        with zipfile.ZipFile(path) as file:
            names = set(file.namelist()) - {"responses.json"}
        yield from ((path, name) for name in sorted(names))


def assert_continues(path, name):
    """Check that a stored model predicts, and continues training, as it did."""
    with zipfile.ZipFile(path) as file:
        data = file.read(name)
        kind, ending = name.rsplit(".", 1)
        expected = json.loads(file.read("responses.json"))[kind]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", InconsistentVersionWarning)
        if ending == "pickle":
            model = pickle.loads(data)
        else:
            model = skops.io.loads(data, trusted=trusted_types())
    # After further training, predictions first optimize over the support set to within tol; the
    # last bits of kernel values change the path, and decision values by a few tol.
    optimized = 10 * model.tol if getattr(model, "finishing", False) else 0.0
    found = responses_of(model)
    for computed, values, path_error in zip(found, expected, (0.0, optimized), strict=True):
        atol = max(1e-6 * np.abs(values).max(), path_error)
        assert_allclose(computed, values, rtol=0, atol=atol)


def store():
    """Write the file of this version."""
    FILES.mkdir(parents=True, exist_ok=True)
    responses = {}
    with zipfile.ZipFile(
        FILES / f"{package.__version__}.zip", "w", zipfile.ZIP_DEFLATED, compresslevel=9
    ) as file:
        for path, model in estimators().items():
            train(model, X_FIRST, Y_FIRST, "fit")
            file.writestr(f"{path}.pickle", pickle.dumps(model, protocol=4))
            if path not in NOT_SKOPS:
                file.writestr(f"{path}.skops", skops.io.dumps(model))
            responses[path] = list(responses_of(model))
        file.writestr("responses.json", json.dumps(responses))


if __name__ == "__main__":
    warnings.simplefilter("ignore", UserWarning)
    store()
