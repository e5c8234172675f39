"""Skip pages whose examples need a newer scikit-learn than the minimum."""

import pytest
import sklearn
from sklearn.utils.fixes import parse_version


def pytest_collection_modifyitems(items):
    """Mark the pages."""
    if parse_version(sklearn.__version__) < parse_version("1.8"):
        reason = "SGDClassifier has the learning rates of PassiveAggressiveClassifier since 1.8"
        for item in items:
            if item.path.name == "migrating_from_passive_aggressive.rst":
                item.add_marker(pytest.mark.skip(reason=reason))
