"""How the examples on the pages are run as tests."""

import pytest
import sklearn
from sklearn.utils.fixes import parse_version


@pytest.fixture(autouse=True)
def run_in_a_new_folder(tmp_path, monkeypatch):
    """Keep the files that examples write out of the checkout."""
    monkeypatch.chdir(tmp_path)


def pytest_collection_modifyitems(items):
    """Skip examples that need a newer scikit-learn than the minimum."""
    version = parse_version(sklearn.__version__)
    rates = "SGDClassifier has the learning rates of PassiveAggressiveClassifier since 1.8"
    callbacks = "scikit-learn has callbacks since version 1.9"
    for item in items:
        if item.path.name == "migrating_from_passive_aggressive.rst":
            item.add_marker(pytest.mark.skipif(version < parse_version("1.8"), reason=rates))
        if item.path.name in ("production.rst", "callbacks.py"):
            item.add_marker(pytest.mark.skipif(version < parse_version("1.9"), reason=callbacks))
