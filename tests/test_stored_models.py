"""Models that released versions have stored are loaded, predict and continue as they did."""

import json
import pickle
import warnings
import zipfile

import numpy as np
import pytest
from sklearn.exceptions import InconsistentVersionWarning

import sklearn_online_svm as package
from sklearn_online_svm.export import trusted_types
from tests.support import ROOT

skops_io = pytest.importorskip("skops.io", reason="skops is not installed")

from tests.support.stored_models import FILES, estimators, responses_of  # noqa: E402


def cases():
    for path in sorted(FILES.glob("*.zip")):
        with zipfile.ZipFile(path) as file:
            for name in sorted(set(file.namelist()) - {"responses.json"}):
                yield pytest.param(path, name, id=f"{path.stem}-{name}")


@pytest.mark.parametrize(("path", "name"), list(cases()))
@pytest.mark.filterwarnings("ignore:gamma='scale' is fixed:UserWarning")
def test_stored_models(path, name):
    with zipfile.ZipFile(path) as file:
        data = file.read(name)
        kind, ending = name.rsplit(".", 1)
        expected = json.loads(file.read("responses.json"))[kind]
    with warnings.catch_warnings():
        # The model was stored by another version of scikit-learn or of this package.
        warnings.simplefilter("ignore", InconsistentVersionWarning)
        if ending == "pickle":
            model = pickle.loads(data)
        else:
            model = skops_io.loads(data, trusted=trusted_types())
    # After further training, predictions first optimize over the support set to within tol; the
    # last bits of kernel values change the path, and decision values by a few tol.
    optimized = 10 * model.tol if getattr(model, "finishing", False) else 0.0
    for computed, stored, path_error in zip(
        responses_of(model), expected, (0.0, optimized), strict=True
    ):
        atol = max(1e-6 * np.abs(stored).max(), path_error)
        np.testing.assert_allclose(computed, stored, rtol=0, atol=atol)


def test_models_of_every_class_are_stored():
    """``make store-models`` writes the file; classes of a version to come may be missing."""
    with zipfile.ZipFile(FILES / f"{package.__version__}.zip") as file:
        stored = {name.rsplit(".", 1)[0] for name in file.namelist()} - {"responses"}
    offered = set(estimators())
    assert stored <= offered
    unreleased = f"{package.__version__} (unreleased)" in (ROOT / "CHANGELOG.rst").read_text()
    assert unreleased or stored == offered


def test_stored_models_are_small():
    assert all(path.stat().st_size < 200_000 for path in FILES.glob("*.zip"))
